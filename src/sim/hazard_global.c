#include "sim/hazard_global.h"

#include "base/memory.h"
#include "base/status.h"
#include "sim/hazard_internal.h"

#include <stdio.h>
#include <string.h>

/* ---- logging ---- */

static bool reserve(void **items, size_t *capacity, size_t count, size_t more, size_t size) {
    if (count + more <= *capacity) return true;
    size_t wanted = *capacity ? *capacity * 2 : 1024;
    while (wanted < count + more) wanted *= 2;
    void *grown = memory_resize(*items, wanted * size);
    if (!grown) return false;
    *items = grown;
    *capacity = wanted;
    return true;
}

static bool make_room(sim_access_log *log, uint32_t known) {
    bool made =
        reserve((void **)&log->entries, &log->capacity, log->count, 1, sizeof *log->entries) &&
        reserve((void **)&log->lists, &log->list_capacity, log->list_count, SIM_LANES, sizeof *log->lists) &&
        reserve((void **)&log->values, &log->value_capacity, log->value_count, SIM_LANES, sizeof *log->values) &&
        reserve((void **)&log->known, &log->known_capacity, log->known_count, known, sizeof *log->known);
    log->failed |= !made;
    return made;
}

void sim_access_log_free(sim_access_log *log) {
    memory_free(log->entries);
    memory_free(log->lists);
    memory_free(log->values);
    memory_free(log->known);
}

/* What of the cluster's stores to global memory the copy engine knows, as the view's lanes see it. */
static uint32_t fences(sim_access_log *log, const sim_domain *d, const sim_view *v) {
    if (d->proxies < 2) return SIM_NEVER_FENCED;
    memcpy(log->known + log->known_count, v->proxy + sim_domain_capacity(d), d->actors * sizeof *log->known);
    log->known_count += d->actors;
    return (uint32_t)(log->known_count - d->actors + 1);
}

/* What the view knows, once an epoch as long as it does not change. */
static uint32_t snapshot(sim_access_log *log, const sim_domain *d, sim_view *v) {
    if (v->kept_in == log->epoch + 1) return v->kept;
    memcpy(log->known + log->known_count, v->order, d->actors * sizeof *log->known);
    v->kept = (uint32_t)log->known_count;
    v->kept_in = log->epoch + 1;
    log->known_count += d->actors;
    return v->kept;
}

static sim_logged *append(sim_block *b, uint32_t actor, sim_view *v) {
    sim_hazards *h = b->sm->hazards;
    const sim_domain *d = sim_domain_of(b);
    if (h->failed || !make_room(&h->log, 2 * d->actors)) {
        h->failed = true;
        return NULL;
    }
    sim_logged *e = &h->log.entries[h->log.count++];
    *e = (sim_logged){.known = snapshot(&h->log, d, v),
                      .time = d->now,
                      .floor = v->floor,
                      .cluster = d->cluster_index,
                      .actor = (uint16_t)actor};
    return e;
}

static void place_lanes(sim_access_log *log, sim_logged *e, uint32_t active, const uint64_t address[SIM_LANES]) {
    const unsigned first = (unsigned)__builtin_ctz(active);
    const uint32_t rest = active & (active - 1);
    const unsigned second = rest ? (unsigned)__builtin_ctz(rest) : first;
    const int64_t apart = (int64_t)(address[second] - address[first]), lanes = (int64_t)second - first;
    const int64_t stride = lanes ? apart / lanes : 0;
    e->stride = stride;
    e->base = address[first] - (uint64_t)(stride * first);
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        if (e->base + (uint64_t)(stride * l) == address[l]) continue;
        memcpy(log->lists + log->list_count, address, SIM_LANES * sizeof *address);
        log->list_count += SIM_LANES;
        e->list = (uint32_t)(log->list_count / SIM_LANES);
        return;
    }
}

static uint32_t hash_lane(const sim_warp *w, const sim_op *op, unsigned lane) {
    const uint32_t *slots = w->sm->grid->program->pool + op->more;
    uint64_t hash = 0xcbf29ce484222325ull + op->bytes;
    for (unsigned e = 0; e < op->count; e++) {
        uint64_t part[2] = {0, 0};
        memcpy(part, SIM_SLOT(w, unsigned char, op->count == 1 ? op->d : slots[e]) + (lane << op->y), 1u << op->x);
        hash = (hash ^ part[0] ^ part[1]) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 29;
    }
    return (uint32_t)(hash >> 16) | 1;
}

static void keep_values(sim_access_log *log, sim_logged *e, const sim_warp *w, const sim_op *op) {
    for (unsigned l = 0; l < SIM_LANES; l++) log->values[log->value_count + l] = hash_lane(w, op, l);
    log->value_count += SIM_LANES;
    e->values = (uint32_t)(log->value_count / SIM_LANES);
}

/* ---- what was never written ---- */

static unsigned char mask_of(uint64_t address, unsigned bytes) {
    return bytes >= 4 ? 15 : (unsigned char)(((1u << bytes) - 1) << address % 4);
}

static void set_written(unsigned char *written, uint64_t address, unsigned bytes) {
    if (bytes >= 4)
        memset(written + address / 4, 15, bytes / 4);
    else
        __atomic_fetch_or(written + address / 4, mask_of(address, bytes), __ATOMIC_RELAXED);
}

static void check_written(sim_warp *w, const sim_op *op, unsigned lane, const unsigned char *written, uint64_t offset) {
    for (unsigned at = 0; at < op->bytes; at += 4) {
        const unsigned char mask = mask_of(offset, op->bytes);
        if ((written[(offset + at) / 4] & mask) == mask) continue;
        const unsigned element = at >> op->x, bytes = op->bytes < 4 ? op->bytes : 4;
        sim_hazard_doubt(w, op->instruction, element, 1u << lane, HAUL_SPACE_GLOBAL, SIM_GLOBAL_BASE + offset + at,
                         bytes);
    }
}

static void follow_written(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES],
                           haul_action action) {
    unsigned char *written = sim_memory_written(w->sm->grid->memory);
    if (!written || action == HAUL_ACTION_ASYNC_READ) return;
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const uint64_t offset = address[lane] - SIM_GLOBAL_BASE;
        if (action == HAUL_ACTION_READ)
            check_written(w, op, lane, written, offset);
        else
            set_written(written, offset, op->bytes);
    }
}

void sim_hazard_global(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES],
                       haul_action action) {
    sim_domain *d = sim_domain_of(w->block);
    const uint32_t actor = sim_actor(w);
    sim_views *views = &d->views[actor];
    if (action == HAUL_ACTION_WRITE && !(op->flags & SIM_OP_STRONG)) sim_hazard_stored(w);
    sim_flight_meet(w, op, active, address, action);
    follow_written(w, op, active, address, action);
    for (uint32_t i = 0; i < views->count; i++) {
        const uint32_t lanes = views->list[i].lanes & active;
        if (!lanes) continue;
        sim_logged *e = append(w->block, actor, &views->list[i]);
        if (!e) return;
        e->instruction = op->instruction;
        e->active = lanes;
        e->bytes = op->bytes;
        e->action = (uint8_t)action;
        e->strong = action == HAUL_ACTION_ATOMIC || (op->flags & SIM_OP_STRONG);
        place_lanes(&w->sm->hazards->log, e, lanes, address);
        if (action == HAUL_ACTION_WRITE) keep_values(&w->sm->hazards->log, e, w, op);
    }
}

void sim_hazard_global_range(sim_block *b, uint32_t thread, uint32_t instruction, uint64_t address, uint32_t bytes,
                             haul_action action, bool is_watched) {
    sim_domain *d = sim_domain_of(b);
    const uint32_t actor = b->rank * d->warps + thread / SIM_LANES, lane = thread % SIM_LANES;
    unsigned char *written = sim_memory_written(b->sm->grid->memory);
    const bool writes = action != HAUL_ACTION_ASYNC_READ;
    if (written && writes) memset(written + (address - SIM_GLOBAL_BASE) / 4, 15, (bytes + 3) / 4);
    sim_view *v = sim_view_of(d, actor, lane);
    sim_logged *e = bytes ? append(b, actor, v) : NULL;
    if (!e) return;
    e->instruction = instruction;
    e->active = 1u << lane;
    e->bytes = bytes;
    e->base = address;
    if (is_watched) {
        e->time = 0;
        e->fenced = fences(&b->sm->hazards->log, d, v);
    }
    e->action = (uint8_t)action;
    e->strong = action == HAUL_ACTION_ATOMIC;
}

/* ---- the shadow ---- */

typedef struct touch {
    uint32_t cluster, instruction, time, epoch; /* epoch 0: never */
    uint16_t thread;
    uint8_t bytes; /* of the word, a bit each */
    uint8_t action : 7, strong : 1;
} touch;

typedef struct word_shadow {
    touch writer, readers[2]; /* readers of different clusters */
    uint32_t value;
} word_shadow;

enum { PAGE_WORDS = 1024, PAGE_SHIFT = 12 };

typedef struct shadow_page {
    uint64_t number;
    word_shadow *words;
} shadow_page;

typedef struct slice {
    shadow_page *pages; /* open addressing by number */
    size_t capacity, count;
    shadow_page *last;
    sim_findings findings;
    bool failed, full;
} slice;

/* 64 MiB of the kernel's memory in all; what it touches beyond that is not watched. */
enum { MOST_PAGES = 16384 / SIM_WATCH_SLICES };

struct sim_watch {
    _Atomic uint8_t published[SIM_PLACES]; /* addresses that were written behind a fence, a few to a place */
    const sim_grid *grid;
    uint32_t epoch;
    slice slices[SIM_WATCH_SLICES];
};

haul_status sim_watch_create(const sim_grid *g, sim_watch **out) {
    *out = memory_zeroed(1, sizeof **out);
    if (!*out) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "launch: the host has not enough memory for checks");
    (*out)->grid = g;
    (*out)->epoch = 1;
    return HAUL_OK;
}

void sim_watch_free(sim_watch *watch) {
    if (!watch) return;
    for (unsigned s = 0; s < SIM_WATCH_SLICES; s++) {
        slice *x = &watch->slices[s];
        for (size_t i = 0; i < x->capacity; i++) memory_free(x->pages[i].words);
        memory_free(x->pages);
        sim_findings_free(&x->findings);
    }
    memory_free(watch);
}

_Atomic uint8_t *sim_watch_published(sim_watch *watch) {
    return watch->published;
}

const sim_findings *sim_watch_findings(const sim_watch *watch, uint32_t s) {
    return &watch->slices[s].findings;
}

static size_t slot_of(const slice *s, uint64_t number) {
    size_t at = (size_t)(number * 0x9e3779b97f4a7c15ull >> 32) & (s->capacity - 1);
    while (s->pages[at].words && s->pages[at].number != number) at = (at + 1) & (s->capacity - 1);
    return at;
}

static bool grow(slice *s) {
    slice larger = {.capacity = s->capacity ? 2 * s->capacity : 256};
    larger.pages = memory_zeroed(larger.capacity, sizeof *larger.pages);
    if (!larger.pages) return false;
    for (size_t i = 0; i < s->capacity; i++)
        if (s->pages[i].words) larger.pages[slot_of(&larger, s->pages[i].number)] = s->pages[i];
    memory_free(s->pages);
    s->pages = larger.pages;
    s->capacity = larger.capacity;
    s->last = NULL;
    return true;
}

static word_shadow *words_of(slice *s, uint64_t number) {
    if (s->last && s->last->number == number) return s->last->words;
    if (2 * s->count >= s->capacity && !grow(s)) return NULL;
    shadow_page *p = &s->pages[slot_of(s, number)];
    if (!p->words) {
        if (s->count == MOST_PAGES) {
            s->full = true;
            return NULL;
        }
        p->words = memory_zeroed(PAGE_WORDS, sizeof *p->words);
        if (!p->words) return NULL;
        p->number = number;
        s->count++;
    }
    s->last = p;
    return p->words;
}

/* ---- playing ---- */

typedef struct play {
    const sim_watch *watch;
    slice *s;
    const sim_logged *e;
    const sim_known *known, *fenced; /* fenced: of reads by the copy engine; NULL: no fence ever */
    uint64_t address;                /* of the word */
    uint32_t value;
    unsigned lane;
    uint8_t bytes; /* of the word */
} play;

static bool is_ordered(const play *p, const touch *t) {
    if (t->cluster != p->e->cluster) return t->epoch <= p->e->floor;
    if (t->thread == p->e->actor * SIM_LANES + p->lane) return true;
    return sim_known_lanes(&p->known[t->thread / SIM_LANES], t->time) >> t->thread % SIM_LANES & 1;
}

static haul_finding_access access_of(const sim_grid *g, uint32_t cluster, uint32_t thread, uint8_t action,
                                     uint32_t instruction) {
    sim_block b = {.rank = 0};
    const uint32_t warp = thread / SIM_LANES;
    sim_sm sm = {.grid = g};
    sim_place_block(g, cluster, warp / g->warps, &b);
    b.sm = &sm;
    return sim_finding_access((haul_action)action, instruction, &b, warp % g->warps * SIM_LANES + thread % SIM_LANES);
}

static void report(const play *p, const touch *t, haul_finding_kind kind) {
    const sim_grid *g = p->watch->grid;
    const sim_logged *e = p->e;
    const haul_finding found = {.kind = kind,
                                .grade = haul_finding_kinds[kind].grade,
                                .count = 1,
                                .access =
                                    access_of(g, e->cluster, e->actor * SIM_LANES + p->lane, e->action, e->instruction),
                                .other = access_of(g, t->cluster, t->thread, t->action, t->instruction),
                                .space = HAUL_SPACE_GLOBAL,
                                .address = p->address,
                                .bytes = 4};
    sim_finding *f = sim_findings_add(&p->s->findings, &found);
    if (!f) return;
    sim_finding_locate(g, f);
    if (kind == HAUL_FINDING_MISSING_PROXY_FENCE) {
        snprintf(f->what, sizeof f->what, "no fence.proxy.async for global memory between the store and the copy");
        return;
    }
    snprintf(f->what, sizeof f->what, "%s",
             t->cluster != e->cluster ? "threads of different blocks, which nothing orders within a launch"
                                      : "threads of one block, with no barrier between the two");
}

static touch touch_of(const play *p) {
    const sim_logged *e = p->e;
    return (touch){.cluster = e->cluster,
                   .instruction = e->instruction,
                   .time = e->time,
                   .epoch = p->watch->epoch,
                   .thread = (uint16_t)(e->actor * SIM_LANES + p->lane),
                   .bytes = p->bytes,
                   .action = e->action & 127u,
                   .strong = e->strong};
}

/* Whether an ordinary write has gone through a fence that the thread at hand knows of. Between clusters that is not
 * kept; but where no fence is, none has. */
static bool is_fenced(const play *p, const touch *t) {
    if (t->action != HAUL_ACTION_WRITE) return true;
    if (!p->fenced) return false;
    if (t->cluster != p->e->cluster) return true;
    return sim_known_lanes(&p->fenced[t->thread / SIM_LANES], t->time) >> t->thread % SIM_LANES & 1;
}

static void read_word(const play *p, word_shadow *w) {
    const sim_logged *e = p->e;
    const bool both_strong = e->strong && w->writer.strong;
    if (w->writer.epoch && (w->writer.bytes & p->bytes) && !both_strong && !is_ordered(p, &w->writer))
        report(p, &w->writer, HAUL_FINDING_RACE_GLOBAL);
    else if (e->fenced && w->writer.epoch && (w->writer.bytes & p->bytes) && !is_fenced(p, &w->writer))
        report(p, &w->writer, HAUL_FINDING_MISSING_PROXY_FENCE);
    const touch now = touch_of(p);
    if (w->readers[0].epoch && w->readers[0].cluster != e->cluster) w->readers[1] = w->readers[0];
    w->readers[0] = now;
}

static void check_reader(const play *p, const word_shadow *w, unsigned r) {
    const touch *t = &w->readers[r];
    if (!t->epoch || !(t->bytes & p->bytes) || (p->e->strong && t->strong) || is_ordered(p, t)) return;
    report(p, t, HAUL_FINDING_RACE_GLOBAL);
}

static void write_word(const play *p, word_shadow *w) {
    const sim_logged *e = p->e;
    const bool both_strong = e->strong && w->writer.strong;
    if (w->writer.epoch && (w->writer.bytes & p->bytes) && !both_strong && !is_ordered(p, &w->writer))
        report(p, &w->writer,
               p->value && p->value == w->value ? HAUL_FINDING_RACE_SAME_VALUE : HAUL_FINDING_RACE_GLOBAL);
    check_reader(p, w, 0);
    check_reader(p, w, 1);
    w->writer = touch_of(p);
    w->value = p->value;
    w->readers[0].epoch = w->readers[1].epoch = 0;
}

static bool reads(const sim_logged *e) {
    return e->action == HAUL_ACTION_READ || e->action == HAUL_ACTION_ASYNC_READ;
}

static void play_lane(play *p, unsigned number, uint64_t address) {
    const sim_logged *e = p->e;
    const uint64_t end = address + e->bytes;
    for (uint64_t word = address / 4 * 4; word < end; word += 4) {
        const uint64_t page = word >> PAGE_SHIFT;
        if (page % SIM_WATCH_SLICES != number) {
            word = ((page + 1) << PAGE_SHIFT) - 4;
            continue;
        }
        word_shadow *words = words_of(p->s, page);
        if (!words) {
            p->s->failed |= !p->s->full;
            return;
        }
        const unsigned from = word < address ? (unsigned)(address - word) : 0;
        const unsigned to = word + 4 > end ? (unsigned)(end - word) : 4;
        p->address = word;
        p->bytes = (uint8_t)((1u << to) - (1u << from));
        word_shadow *w = &words[word / 4 % PAGE_WORDS];
        if (reads(e))
            read_word(p, w);
        else
            write_word(p, w);
    }
}

static void play_log(const sim_watch *watch, slice *s, unsigned number, const sim_access_log *log) {
    play p = {.watch = watch, .s = s};
    for (size_t i = 0; i < log->count; i++) {
        const sim_logged *e = &log->entries[i];
        p.e = e;
        p.known = log->known + e->known;
        p.fenced = e->fenced && e->fenced != SIM_NEVER_FENCED ? log->known + e->fenced - 1 : NULL;
        for (uint32_t left = e->active; left; left &= left - 1) {
            p.lane = (unsigned)__builtin_ctz(left);
            uint64_t address = e->base + (uint64_t)(e->stride * p.lane);
            if (e->list) address = log->lists[(e->list - 1) * SIM_LANES + p.lane];
            p.value = e->values ? log->values[(e->values - 1) * SIM_LANES + p.lane] : 0;
            play_lane(&p, number, address);
        }
    }
}

static void empty(sim_access_log *log, uint32_t epoch) {
    log->count = log->list_count = log->value_count = log->known_count = 0;
    log->epoch = epoch;
}

haul_status sim_watch_play(sim_watch *watch, sim_sm *sms, uint32_t count, int threads) {
    bool failed = false;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (threads > 1)
    for (unsigned s = 0; s < SIM_WATCH_SLICES; s++)
        for (uint32_t i = 0; i < count; i++) play_log(watch, &watch->slices[s], s, &sms[i].hazards->log);
    for (unsigned s = 0; s < SIM_WATCH_SLICES; s++)
        failed |= watch->slices[s].failed || watch->slices[s].findings.failed;
    watch->epoch++;
    for (uint32_t i = 0; i < count; i++) {
        failed |= sms[i].hazards->log.failed;
        empty(&sms[i].hazards->log, watch->epoch);
    }
    return failed ? haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "launch: the host has not enough memory for checks") : HAUL_OK;
}
