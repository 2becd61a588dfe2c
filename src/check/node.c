#include "check/node.h"

#include "base/mangled.h"
#include "base/memory.h"
#include "check/global_shadow.h"
#include "machine/memory.h"

#include <stdio.h>
#include <string.h>

/* Beyond 32 MiB, memory that devices share is not watched. */
enum { WORDS = 1024, PAGE_BYTES = 4 * WORDS, MOST_PAGES = 8192, FLAGS = 4096 };

/* An access to a word; launch 0: none. */
typedef struct touch {
    uint32_t time, launch, instruction, cluster;
    uint8_t device;
    bool strong;
} touch;

/* The last writer, and the last readers on two devices. */
typedef struct word {
    touch writer, readers[2];
} word;

typedef struct page {
    uint64_t number;
    struct page *next; /* with the same hash */
    word words[WORDS];
} page;

/* A word through which kernels synchronise, and what it tells. */
typedef struct flag {
    uint64_t address;
    struct flag *next;
    sim_node_times told;
    struct {
        uint32_t launch, instruction, time;
        bool narrow, writes;
    } last[SIM_NODE_DEVICES];
} flag;

/* For messages; they outlive the module. */
typedef char short_name[64];
typedef struct launch_facts {
    short_name kernel, *files; /* files: without their folders, as the places number them */
    uint32_t device;
    uint64_t *places; /* by instruction */
    size_t count;
} launch_facts;

struct sim_node {
    uint32_t now[SIM_NODE_DEVICES];
    page *pages[FLAGS];
    flag *flags[FLAGS];
    size_t page_count;
    launch_facts *launches; /* number 1 is the first */
    size_t launch_count, launch_capacity;
};

/* The knowledge of a cluster of blocks. */
typedef struct knowledge {
    sim_node_times known, heard; /* heard: told by flags that were read without an acquire */
    uint32_t fenced;             /* the device's time at its last fence; 0: none */
} knowledge;

typedef struct sim_node_state {
    knowledge *clusters;
    sim_node_times all; /* what any cluster knows */
    bool shares;        /* other devices reach this one's memory */
} sim_node_state;

/* ---- memory ---- */

sim_node *sim_node_create(void) {
    sim_node *n = memory_zeroed(1, sizeof *n);
    for (unsigned i = 0; n && i < SIM_NODE_DEVICES; i++) n->now[i] = 1;
    return n;
}

void sim_node_free(sim_node *n) {
    if (!n) return;
    for (unsigned h = 0; h < FLAGS; h++) {
        for (page *p = n->pages[h], *next; p; p = next) next = p->next, memory_free(p);
        for (flag *f = n->flags[h], *next; f; f = next) next = f->next, memory_free(f);
    }
    for (size_t i = 0; i < n->launch_count; i++) {
        memory_free(n->launches[i].places);
        memory_free(n->launches[i].files);
    }
    memory_free(n->launches);
    memory_free(n);
}

void sim_node_launch_end(sim_node_launch *l) {
    if (l->state) memory_free(l->state->clusters);
    memory_free(l->state);
    l->state = NULL;
}

uint32_t sim_node_tick(sim_node *n, uint32_t device) {
    return n->now[device]++;
}

uint32_t sim_node_published(const sim_node *n, uint32_t device) {
    return n->now[device];
}

static unsigned hash_of(uint64_t number) {
    return (unsigned)(number * UINT64_C(0x9e3779b97f4a7c15) >> 40) % FLAGS;
}

/* NULL if it does not exist and there is no memory, or not `make`. */
static page *page_at(sim_node *n, uint64_t number, bool make) {
    page **link = &n->pages[hash_of(number)];
    for (page *p = *link; p; p = p->next)
        if (p->number == number) return p;
    page *made = make && n->page_count < MOST_PAGES ? memory_zeroed(1, sizeof *made) : NULL;
    if (!made) return NULL;
    made->number = number;
    made->next = *link;
    n->page_count++;
    return *link = made;
}

static flag *flag_at(sim_node *n, uint64_t address, bool make) {
    flag **link = &n->flags[hash_of(address)];
    for (flag *f = *link; f; f = f->next)
        if (f->address == address) return f;
    flag *made = make ? memory_zeroed(1, sizeof *made) : NULL;
    if (!made) return NULL;
    made->address = address;
    made->next = *link;
    return *link = made;
}

void sim_node_forget(sim_node *n, uint64_t address, uint64_t bytes) {
    for (unsigned h = 0; h < FLAGS; h++)
        for (flag *f = n->flags[h]; f; f = f->next)
            if (f->address - address < bytes) *f = (flag){.address = f->address, .next = f->next};
    for (uint64_t at = address / 4; at < (address + bytes + 3) / 4;) {
        const uint64_t end = (at / WORDS + 1) * WORDS;
        page *p = page_at(n, at / WORDS, false);
        for (; at < end && at < (address + bytes + 3) / 4; at++)
            if (p) p->words[at % WORDS] = (word){0};
    }
}

/* ---- launches ---- */

/* Names the launch's kernel for messages. Returns its number, 0 without memory. */
static uint32_t name_launch(sim_node *n, const sim_grid *g, uint32_t device) {
    launch_facts *grown = memory_grow(n->launches, n->launch_count, &n->launch_capacity, sizeof *grown);
    const ptx_module *m = g->program->module;
    if (!grown) return 0;
    n->launches = grown;
    launch_facts *l = &n->launches[n->launch_count++];
    *l = (launch_facts){.device = device, .count = g->program->function->instruction_count};
    l->places = memory_zeroed(l->count + 1, sizeof *l->places);
    l->files = memory_zeroed(m->file_count + 1, sizeof *l->files);
    if (!l->places || !l->files) return 0;
    memcpy(l->places, g->places, l->count * sizeof *l->places);
    mangled_copy(g->program->function->name, l->kernel, sizeof l->kernel);
    for (uint32_t i = 0; i < m->file_count; i++) {
        const char *slash = m->files[i] ? strrchr(m->files[i], '/') : NULL;
        if (m->files[i]) snprintf(l->files[i], sizeof *l->files, "%s", slash ? slash + 1 : m->files[i]);
    }
    return (uint32_t)n->launch_count;
}

/* "kernel push on device 0 (push.cu:12)"; without line information the line is the PTX's. */
static void describe(const sim_node *n, uint32_t launch, uint32_t instruction, char *to, size_t size) {
    const launch_facts *l = &n->launches[launch - 1];
    const uint64_t place = instruction < l->count ? l->places[instruction] : 0, file = place >> 32;
    snprintf(to, size, "kernel %s on device %u (%s:%u)", l->kernel, l->device, file ? l->files[file - 1] : "PTX",
             (unsigned)place);
}

/* ---- playing ---- */

typedef struct player {
    sim_watch *watch;
    sim_node *node;
    sim_node_launch *launch;
    sim_node_state *state;
    knowledge *own; /* of the entry's cluster */
    const sim_logged *e;
} player;

static void raise(sim_node_times *to, const sim_node_times *from) {
    for (unsigned i = 0; i < SIM_NODE_DEVICES; i++)
        if (from->of[i] > to->of[i]) to->of[i] = from->of[i];
}

/* Returns whether the cluster knows of another device's access at that time. */
static bool knows(const player *p, uint32_t device, uint32_t time) {
    return device == p->launch->device || time <= p->launch->floor.of[device] || time <= p->own->known.of[device];
}

static sim_finding *report(const player *p, haul_finding_kind kind, haul_action action, uint64_t address) {
    const sim_logged *e = p->e;
    const uint32_t thread = e->actor * SIM_LANES + (uint32_t)__builtin_ctz(e->active);
    const haul_finding found = {.kind = kind,
                                .grade = haul_finding_kinds[kind].grade,
                                .access = sim_watch_access(p->watch, e->cluster, thread, action, e->instruction),
                                .space = HAUL_SPACE_GLOBAL,
                                .address = address,
                                .bytes = 4};
    sim_findings *all = &p->watch->slices[0].findings;
    sim_finding *f = sim_findings_add(all, &found);
    const sim_grid *g = p->watch->grid;
    sim_findings_concern(all, (uint64_t)e->cluster * g->warps * g->cluster_blocks + e->actor, e->active);
    if (f) sim_finding_locate(g, f);
    return f;
}

/* Says why a flag, if there was one, has not ordered the two. */
static const char *reason(const player *p, const touch *t) {
    if (t->time <= p->own->heard.of[t->device])
        return "the flag that announces it was read, but neither that read nor a fence after it acquires at the scope "
               "of "
               "the system";
    const flag *told = NULL;
    for (unsigned h = 0; h < FLAGS && !told; h++)
        for (const flag *f = p->node->flags[h]; f && !told; f = f->next)
            if (f->last[t->device].writes && f->last[t->device].launch == t->launch &&
                f->last[p->launch->device].launch == p->launch->number)
                told = f;
    if (told && t->time > told->told.of[t->device])
        return "both use a flag, but no fence or release at the scope of the system comes between the access and the "
               "write of the flag";
    return "no flag that is released and acquired at the scope of the system orders the two";
}

static void report_race(const player *p, const touch *t, uint64_t address, bool writes, const char *what) {
    char other[200];
    sim_finding *f = report(p, HAUL_FINDING_RACE_PEERS, writes ? HAUL_ACTION_WRITE : HAUL_ACTION_READ, address);
    if (!f) return;
    describe(p->node, t->launch, t->instruction, other, sizeof other);
    snprintf(f->what, sizeof f->what, "%s %s these bytes; %s", other, what, reason(p, t));
}

static bool clashes(const player *p, const touch *t, bool strong) {
    return t->launch && !knows(p, t->device, t->time) && !(t->strong && strong);
}

static void play_word(const player *p, uint64_t at, bool writes, bool strong) {
    page *g = page_at(p->node, at / WORDS, true);
    if (!g) return;
    word *w = &g->words[at % WORDS];
    const touch now = {.time = p->node->now[p->launch->device],
                       .launch = p->launch->number,
                       .instruction = p->e->instruction,
                       .cluster = p->e->cluster,
                       .device = (uint8_t)p->launch->device,
                       .strong = strong};
    if (clashes(p, &w->writer, strong)) report_race(p, &w->writer, at * 4, writes, "writes");
    if (!writes) {
        if (w->readers[0].launch && w->readers[0].device != now.device) w->readers[1] = w->readers[0];
        w->readers[0] = now;
        return;
    }
    for (unsigned r = 0; r < 2; r++) {
        if (clashes(p, &w->readers[r], strong)) report_race(p, &w->readers[r], at * 4, true, "may still read");
        w->readers[r] = (touch){0};
    }
    w->writer = now;
}

/* Memory of this device that no other one reaches needs no shadow. */
static bool is_private(const player *p, uint64_t address) {
    const sim_memory *own = p->watch->grid->memory;
    return !p->state->shares && sim_memory_at_address(address) == own;
}

static void play_bytes(const player *p, uint64_t from, uint64_t bytes) {
    const bool reads = sim_only_reads(p->e->action);
    if (is_private(p, from)) return;
    for (uint64_t at = from / 4; at < (from + bytes + 3) / 4; at++)
        play_word(p, at, !reads, p->e->strong != SIM_WEAK || p->e->action == HAUL_ACTION_ATOMIC);
}

static void play_access(const player *p, const sim_access_log *log) {
    const sim_logged *e = p->e;
    for (uint32_t left = e->active; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        const uint64_t stride = (uint64_t)e->stride * l;
        play_bytes(p, e->list ? log->lists[(size_t)(e->list - 1) * SIM_LANES + l] : e->base + stride, e->bytes);
    }
}

/* ---- flags ---- */

static void report_narrow(const player *p, const flag *f, unsigned device, bool own) {
    char other[200];
    const haul_action action = p->e->node & SIM_NODE_WRITES ? HAUL_ACTION_WRITE : HAUL_ACTION_READ;
    sim_finding *found = report(p, HAUL_FINDING_SCOPE_TOO_NARROW, action, f->address);
    if (!found) return;
    describe(p->node, f->last[device].launch, f->last[device].instruction, other, sizeof other);
    snprintf(found->what, sizeof found->what,
             own ? "%s uses the same flag, which this access with a scope within the device does not reach"
                 : "%s uses the same flag with a scope within its device, which does not reach this one",
             other);
}

/* Both sides of a flag need the scope of the system. */
static void check_scope(const player *p, const flag *f) {
    const bool narrow = p->e->node & SIM_NODE_NARROW, writes = p->e->node & SIM_NODE_WRITES;
    for (unsigned d = 0; d < SIM_NODE_DEVICES; d++) {
        if (d == p->launch->device || !f->last[d].launch || f->last[d].time <= p->launch->floor.of[d]) continue;
        if ((narrow || f->last[d].narrow) && (writes || f->last[d].writes)) report_narrow(p, f, d, narrow);
    }
}

/* Returns the times that a write of the flag tells its readers. */
static sim_node_times told_by(const player *p) {
    const uint32_t device = p->launch->device;
    sim_node_times told = {{0}};
    if (p->e->node & SIM_NODE_NARROW) return told;
    if (p->e->node & SIM_NODE_RELEASES) p->own->fenced = sim_node_tick(p->node, device);
    if (!p->own->fenced) return told;
    told = p->launch->floor;
    raise(&told, &p->own->known);
    told.of[device] = p->own->fenced;
    return told;
}

static void play_flag(player *p) {
    const sim_logged *e = p->e;
    if (is_private(p, e->base)) return;
    flag *f = flag_at(p->node, e->base, true);
    if (!f) return;
    check_scope(p, f);
    if (e->node & SIM_NODE_READS && !(e->node & SIM_NODE_NARROW))
        raise(e->node & SIM_NODE_ACQUIRES ? &p->own->known : &p->own->heard, &f->told);
    if (e->node & SIM_NODE_WRITES) {
        const sim_node_times told = told_by(p);
        if (!(e->node & SIM_NODE_READS)) f->told = (sim_node_times){{0}};
        raise(&f->told, &told);
    }
    const uint32_t device = p->launch->device;
    f->last[device].writes |= f->last[device].launch == p->launch->number && e->node & SIM_NODE_WRITES;
    if (f->last[device].launch != p->launch->number) f->last[device].writes = e->node & SIM_NODE_WRITES;
    f->last[device].narrow = e->node & SIM_NODE_NARROW;
    f->last[device].launch = p->launch->number;
    f->last[device].instruction = e->instruction;
    f->last[device].time = p->node->now[device];
}

/* Blocks of a device pass on what they know by flags of its own, so each flag makes all of it known. */
static void play_event(player *p) {
    if (p->e->node & SIM_NODE_FENCE) {
        p->own->fenced = sim_node_tick(p->node, p->launch->device);
        raise(&p->own->known, &p->own->heard);
    } else {
        raise(&p->own->known, &p->state->all);
        play_flag(p);
    }
    raise(&p->state->all, &p->own->known);
}

static sim_node_state *make_state(const sim_grid *g) {
    sim_node_state *s = memory_zeroed(1, sizeof *s);
    if (s) s->clusters = memory_zeroed(g->clusters, sizeof *s->clusters);
    if (s && s->clusters) return s;
    memory_free(s);
    return NULL;
}

bool sim_node_play(sim_watch *watch, const sim_access_log *log) {
    const sim_grid *g = watch->grid;
    player p = {.watch = watch, .node = g->node->node, .launch = g->node};
    if (!p.launch->state) p.launch->state = make_state(g);
    if (!p.launch->number) p.launch->number = name_launch(p.node, g, p.launch->device);
    if (!p.launch->state || !p.launch->number) return false;
    p.state = p.launch->state;
    p.state->shares = sim_memory_is_shared(g->memory);
    for (size_t i = 0; i < log->count; i++) {
        p.e = &log->entries[i];
        p.own = &p.state->clusters[p.e->cluster];
        if (p.e->node)
            play_event(&p);
        else
            play_access(&p, log);
    }
    return true;
}
