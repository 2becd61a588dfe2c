/* Stamps of streams and operations, and races between operations (order.h). */
#include "vgpu/order.h"

#include "base/memory.h"
#include "check/early_uses.h"
#include "machine/heap.h"
#include "ptx/traits.h"
#include "ptx/users_place.h"
#include "vgpu/box_copy.h"
#include "vgpu/internal.h"

#include <stdio.h>
#include <string.h>

/* Beyond this many, the oldest operations that are done are forgotten. */
enum { MOST_OPERATIONS = 1024, MOST_REACHES = 4 << 20, MOST_PIECES = 1 << 18 };

struct sim_ordered {
    sim_stamp before; /* with itself */
    uint32_t number;  /* in its line */
    unsigned line;
    bool is_done;
    enum { UNKNOWN, NOT_OF_HOST, OF_HOST, GIVES_SIGNS } memory; /* what it uses of memory that the host sees, too */
    bool is_touched;                                            /* a use of its memory by the program was reported */
    uint64_t open; /* bit k: a launch that is not behind the operation k + 1 places in front of it in its line */
    uint64_t open_at_start; /* the same for what the launch does before its griddepcontrol.wait */
    bool
        in_call; /* a use by the program during a host function: whether it comes before work issued later is unknown */
    const unsigned char *parameters; /* of a launch that is not done */
    uint64_t parameter_bytes;
    uint64_t turn;       /* the order of calls */
    unsigned raced_line; /* of the first later operation whose race with this one was reported, */
    uint32_t raced;      /* and its number there; 0: none */
    sim_order_end end;
    sim_use_list reach;
    sim_use_list at_start;  /* of a launch that is done: what it uses before its wait, if that may be early */
    uint32_t device, ended; /* of a launch that is done: its device, and the time there (check/node.h); 0: neither */
    sim_ordered *next;      /* issued later */
};

struct sim_order {
    sim_order_watch watch;
    sim_stamp lines[SIM_ORDER_LINES]; /* what the next operation of each line is behind */
    unsigned line_count;
    uint64_t turns;
    sim_ordered *first, **last;
    size_t count, reaches;
    sim_node *node;        /* NULL: one device, or no launch yet */
    sim_node_times before; /* of operations that are forgotten */
};

static sim_order *order_of(CUcontext c) {
    return sim_member_of(c, 0)->order;
}

/* The current context must be the program's first, or the only one. */
haul_status sim_driver_watch_order(const sim_order_watch *watch) {
    CUcontext c = sim_current();
    sim_order *o = memory_zeroed(1, sizeof *o);
    if (!o) return HAUL_ERROR_OUT_OF_MEMORY;
    *o = (sim_order){.watch = *watch, .line_count = SIM_ORDER_HOST_LINE + 1};
    o->last = &o->first;
    c->order = o;
    return HAUL_OK;
}

/* ---- stamps ---- */

static void join(sim_stamp *to, const sim_stamp *from) {
    for (unsigned i = 0; i < SIM_ORDER_LINES; i++)
        if (from->at[i] > to->at[i]) to->at[i] = from->at[i];
}

/* Streams get lines in the order in which they are first used. */
static sim_stamp *stamp_of(sim_order *o, CUstream s) {
    if (!s->line) s->line = 1 + (o->line_count++ - 1) % (SIM_ORDER_LINES - 1);
    return &o->lines[s->line];
}

/* The legacy default stream comes after all streams of its device that synchronize with it. */
static void join_blocking(sim_order *o, sim_stamp *to, CUcontext c) {
    for (CUstream s = c->streams; s; s = s->next)
        if (!(s->flags & DRIVER_STREAM_NON_BLOCKING)) join(to, stamp_of(o, s));
}

static void join_all(sim_order *o, sim_stamp *to, CUcontext c) {
    for (unsigned i = 0; i < sim_member_count(c); i++) {
        CUcontext of = sim_member_of(c, i);
        join(to, stamp_of(o, &of->legacy));
        for (CUstream s = of->streams; s; s = s->next) join(to, stamp_of(o, s));
    }
}

void sim_order_host_waited(CUstream s) {
    sim_order *o = order_of(s->context);
    if (!o) return;
    if (s == &s->context->legacy) join_blocking(o, &o->lines[SIM_ORDER_HOST_LINE], s->context);
    join(&o->lines[SIM_ORDER_HOST_LINE], stamp_of(o, s));
}

void sim_order_host_waited_for(CUcontext c, const sim_mark *mark) {
    sim_order *o = order_of(c);
    if (o && mark->stamp) join(&o->lines[SIM_ORDER_HOST_LINE], mark->stamp);
}

void sim_order_host_waited_for_all(CUcontext c) {
    sim_order *o = order_of(c);
    if (o) join_all(o, &o->lines[SIM_ORDER_HOST_LINE], c);
}

/* True if a was launched in front of b, at a distance whose bit is set. */
static bool is_in_front(const sim_ordered *a, const sim_ordered *b, uint64_t distances) {
    const uint32_t apart = b->number - a->number;
    return a->line == b->line && apart && apart <= 64 && distances >> (apart - 1) & 1;
}

/* True if b may start before a, which was launched in front of it, has ended, and does not wait for it. */
static bool is_open_for(const sim_ordered *a, const sim_ordered *b) {
    return is_in_front(a, b, b->open);
}

static bool comes_before(const sim_ordered *a, const sim_ordered *b) {
    if (a->in_call && a->turn < b->turn) return true;
    return b->before.at[a->line] >= a->number && !is_open_for(a, b);
}

/* ---- the list of operations ---- */

static void remove_operation(sim_order *o, sim_ordered **link) {
    sim_ordered *gone = *link;
    if (gone->ended > o->before.of[gone->device]) o->before.of[gone->device] = gone->ended;
    *link = gone->next;
    if (o->last == &gone->next) o->last = link;
    o->count--;
    if (gone->is_done) o->reaches -= gone->reach.count;
    sim_use_list_free(&gone->reach);
    sim_use_list_free(&gone->at_start);
    memory_free(gone);
}

/* Later operations come behind what the host knows. Those that are not done yet may not. */
static bool is_behind_all(const sim_order *o, const sim_ordered *a) {
    if (o->lines[SIM_ORDER_HOST_LINE].at[a->line] < a->number) return false;
    for (const sim_ordered *b = o->first; b; b = b->next)
        if (!b->is_done && !comes_before(a, b)) return false;
    return true;
}

static void forget_old(sim_order *o) {
    for (sim_ordered **link = &o->first; *link;) {
        const bool too_many = o->count > MOST_OPERATIONS || o->reaches > MOST_REACHES;
        if ((*link)->is_done && (too_many || !(*link)->reach.count || is_behind_all(o, *link)))
            remove_operation(o, link);
        else
            link = &(*link)->next;
    }
}

void sim_order_free(CUcontext c) {
    sim_order *o = c->order;
    while (o && o->first) remove_operation(o, &o->first);
    if (o) sim_node_free(o->node);
    memory_free(o);
    c->order = NULL;
}

static void cut_out(sim_use_list *f, uint64_t from, uint64_t to) {
    size_t kept = 0;
    for (size_t i = 0; i < f->count; i++)
        if (f->items[i].to <= from || f->items[i].from >= to) f->items[kept++] = f->items[i];
    f->count = kept;
}

void sim_order_forget(CUcontext c, uint64_t address, uint64_t bytes) {
    sim_order *o = order_of(c);
    if (!o) return;
    if (o->node) sim_node_forget(o->node, address, bytes);
    for (sim_ordered *a = o->first; a; a = a->next) {
        const size_t before = a->reach.count;
        cut_out(&a->reach, address, address + bytes);
        cut_out(&a->at_start, address, address + bytes);
        if (a->is_done) o->reaches -= before - a->reach.count;
    }
}

/* ---- what work touches ---- */

static void add_range(sim_use_list *f, uint64_t from, uint64_t bytes, bool writes) {
    const sim_use r = {.from = from, .to = from + bytes, .writes = writes};
    if (bytes) sim_use_list_add(f, &r);
}

/* Kernels may know pinned memory by another address, which is the one that counts. */
static uint64_t address_of_host(CUcontext c, const void *host) {
    const sim_pinned *p = sim_find_pinned(c, host, 1);
    return p ? p->address + (uint64_t)((const unsigned char *)host - p->host) : (uint64_t)(uintptr_t)host;
}

static bool is_whole(const sim_box_copy *b, const sim_level *l) {
    return b->width == (uint64_t)l->extent[0] << l->texel_bits && b->height == l->extent[1] && b->depth == l->extent[2];
}

/* An array's rows lie in pieces. A very large part of an array is not tracked. */
static void add_array_side(sim_use_list *f, const sim_box_copy *b, const sim_box_side *side, bool writes) {
    const sim_level *l = &side->level;
    if (is_whole(b, l)) {
        add_range(f, l->address, l->bytes, writes);
        return;
    }
    if (b->width / SIM_BOX_PIECE * b->height * b->depth > MOST_PIECES) return;
    for (uint64_t z = 0; z < b->depth; z++)
        for (uint64_t y = 0; y < b->height; y++)
            for (uint64_t x = 0, bytes; x < b->width; x += bytes) {
                const uint64_t at = sim_box_array_piece(side, x, y, z, &bytes);
                if (bytes > b->width - x) bytes = b->width - x;
                add_range(f, l->address + at, bytes, writes);
            }
}

static void add_box_side(CUcontext c, sim_use_list *f, const sim_box_copy *b, const sim_box_side *side, bool writes) {
    if (side->kind == SIM_BOX_ARRAY) {
        add_array_side(f, b, side, writes);
        return;
    }
    uint64_t first = sim_box_first(side);
    if (side->kind == SIM_BOX_HOST) first = address_of_host(c, (const void *)(uintptr_t)first);
    for (uint64_t z = 0; z < b->depth; z++)
        for (uint64_t y = 0; y < b->height; y++)
            add_range(f, first + (z * side->height + y) * side->pitch, b->width, writes);
}

static void add_memory(CUcontext c, sim_use_list *f, const sim_work *w) {
    sim_range range;
    switch (w->kind) {
    case SIM_WORK_COPY_IN:
        add_range(f, address_of_host(c, w->host), w->bytes, false);
        add_range(f, w->to, w->bytes, true);
        break;
    case SIM_WORK_COPY_OUT:
        add_range(f, w->from, w->bytes, false);
        add_range(f, address_of_host(c, w->host), w->bytes, true);
        break;
    case SIM_WORK_COPY_DEVICE:
        add_range(f, w->from, w->bytes, false);
        add_range(f, w->to, w->bytes, true);
        break;
    case SIM_WORK_COPY_BOX:
        add_box_side(c, f, w->box, &w->box->from, false);
        add_box_side(c, f, w->box, &w->box->to, true);
        break;
    case SIM_WORK_FILL: add_range(f, w->to, w->bytes, true); break;
    case SIM_WORK_FREE:
        if (sim_memory_find(sim_owner_of(c, w->from)->memory, w->from, &range))
            add_range(f, range.from, range.to - range.from, true);
        break;
    default: break;
    }
    sim_use_list_sort(f);
}

/* ---- issuing ---- */

sim_site sim_order_site(CUcontext c) {
    const sim_order *o = order_of(c);
    return o && o->watch.site ? o->watch.site() : (sim_site){0};
}

static sim_order_kind kind_of(const sim_work *w) {
    switch (w->kind) {
    case SIM_WORK_LAUNCH: return SIM_ORDER_LAUNCH;
    case SIM_WORK_FILL: return SIM_ORDER_FILL;
    case SIM_WORK_FREE: return SIM_ORDER_FREE;
    default: return SIM_ORDER_COPY;
    }
}

/* Host functions and conditions have no footprint. But the host waits for the former in its own way, and the work of
 * the latter's graphs takes their places. */
static bool is_watched(const sim_work *w) {
    return w->kind <= SIM_WORK_CALL || w->kind == SIM_WORK_FREE || w->kind == SIM_WORK_CONDITION;
}

/* NULL without memory: then it is not checked. */
static sim_ordered *add(sim_order *o, CUstream s, const sim_work *w, const sim_stamp *stamp) {
    sim_ordered *a = memory_zeroed(1, sizeof *a);
    if (!a) return NULL;
    *a = (sim_ordered){.before = *stamp, .number = stamp->at[s->line], .line = s->line, .turn = o->turns++};
    a->end = (sim_order_end){.kind = kind_of(w), .site = w->site, .stream = s->number, .function = w->function};
    if (!w->site.address) a->end.site = sim_order_site(s->context);
    if (w->function) snprintf(a->end.kernel, sizeof a->end.kernel, "%s", w->function->entry->name);
    *o->last = a;
    o->last = &a->next;
    o->count++;
    if (w->kind == SIM_WORK_LAUNCH) {
        a->parameters = w->parameters;
        a->parameter_bytes = w->function->program->param_bytes;
    } else if (w->kind != SIM_WORK_CALL) {
        add_memory(s->context, &a->reach, w);
    }
    return a;
}

/* Box copies count as between devices wherever there are several. */
static bool is_between_devices(CUcontext c, const sim_work *w) {
    if (!c->family || w->kind > SIM_WORK_FILL) return false;
    return w->kind == SIM_WORK_COPY_BOX || (w->to && sim_owner_of(c, w->to) != c) ||
           (w->from && sim_owner_of(c, w->from) != c);
}

/* ---- launches that overlap ---- */

static bool has_instruction(CUfunction f, unsigned op) {
    const ptx_function *kernel = f->program->function;
    for (size_t i = 0; i < kernel->instruction_count; i++)
        if (kernel->instructions[i].op == op) return true;
    return false;
}

/* True if the kernel in front lets the launch start early. */
static bool starts_early(CUstream s, const sim_work *w) {
    return w->is_programmatic && s->in_front && sim_driver_has_function(s->in_front) &&
           has_instruction(s->in_front, PTX_OP_GRIDDEPCONTROL_LAUNCH);
}

/* Returns the launches that may still run when the work begins, by their distance. `joined` says what the stream's next
 * work would be behind without the stream itself. */
static uint64_t launches_open_at_start(const sim_order *o, CUstream s, const sim_work *w, const sim_stamp *joined) {
    if (!w->is_programmatic || !s->in_front || o->line_count >= SIM_ORDER_LINES) return 0;
    const uint64_t open = s->open << 1 | w->is_hidden;
    const uint32_t left = o->lines[s->line].at[s->line] - joined->at[s->line];
    return left < 64 ? open & ((UINT64_C(1) << left) - 1) : open;
}

/* Returns those of them that may still run when the work has ended. A launch that starts early and never waits need not
 * end behind the one in front of it. One that waits ends behind that one, but not behind those that it was not behind:
 * the wait is for the launch in front only. */
static uint64_t launches_left_open(const sim_work *w, uint64_t at_start) {
    const bool waits = at_start & 1 && has_instruction(w->function, PTX_OP_GRIDDEPCONTROL_WAIT);
    return at_start & ~(uint64_t)waits;
}

static bool may_order(const ptx_instruction *i) {
    const unsigned order = i->mods[PTX_SLOT_ORDER];
    const bool is_call = i->op == PTX_OP_CALL, is_strong = order != PTX_MOD_NONE && order != PTX_MOD_WEAK;
    return is_call || is_strong || ptx_has(i->op, PTX_TRAIT_ORDERS) || ptx_acquires(i) || ptx_releases(i) ||
           ptx_is(i->op, PTX_KIND_ATOMIC | PTX_KIND_REDUCTION | PTX_KIND_BARRIER | PTX_KIND_OTHER_BARRIER |
                             PTX_KIND_MBARRIER_WAIT);
}

/* Whether a thread can reach a block of the kernel from its entry, and whether something may have ordered the thread by
 * then. */
typedef enum block_state { NOT_REACHED, REACHED, BEHIND_ORDER } block_state;

/* Raises the states of the blocks that follow. Returns whether any state has changed. */
static bool raise(const ptx_function *f, const ptx_block *b, block_state to, unsigned char *states) {
    bool changed = false;
    for (uint32_t k = 0; k < 2 + b->table_count; k++) {
        const uint32_t next = k == 0 ? b->next : k == 1 ? b->taken : b->table[k - 2];
        if (next >= f->block_count || states[next] >= to) continue;
        states[next] = (unsigned char)to;
        changed = true;
    }
    return changed;
}

/* Notes for each instruction of the block whether something may have ordered the thread before it. Returns whether
 * something has behind the block. */
static bool note_order(const ptx_function *f, const ptx_block *b, bool is_ordered, bool by_wait, bool *ordered) {
    for (uint32_t i = b->first; i < b->end; i++) {
        const ptx_instruction *in = &f->instructions[i];
        ordered[i] = is_ordered;
        is_ordered |= in->op == PTX_OP_GRIDDEPCONTROL_WAIT ? by_wait : may_order(in);
    }
    return is_ordered;
}

/* Finds the instructions, in the array `ordered`, that a thread can reach behind something that may order it, on some
 * path. `by_wait`: griddepcontrol.wait counts. All are without memory. */
static void find_ordered(const ptx_function *f, bool by_wait, bool *ordered) {
    unsigned char *states = memory_zeroed(f->block_count + 1, sizeof *states);
    bool changed = states;
    for (size_t i = 0; i < f->instruction_count; i++) ordered[i] = true;
    if (changed) states[0] = REACHED;
    while (changed) {
        changed = false;
        for (uint32_t b = 0; b < f->block_count; b++) {
            if (states[b] == NOT_REACHED) continue;
            const bool is_behind = note_order(f, &f->blocks[b], states[b] == BEHIND_ORDER, by_wait, ordered);
            changed |= raise(f, &f->blocks[b], is_behind ? BEHIND_ORDER : REACHED, states);
        }
    }
    memory_free(states);
}

/* Notes the launch's uses by instructions that a thread executes before it waits, or without waiting, and before
 * anything that may order it behind another thread's wait. */
static void note_uses_at_start(const ptx_function *f, sim_ordered *a) {
    bool *by_any = memory_zeroed(f->instruction_count + 1, sizeof *by_any);
    bool *by_others = memory_zeroed(f->instruction_count + 1, sizeof *by_others);
    sim_early_uses *early = a->reach.early;
    const bool *unwaited = early ? sim_early_uses_instructions(early) : NULL;
    const sim_use_list *noted = early ? sim_early_uses_list(early) : NULL;
    if (by_any && by_others) {
        find_ordered(f, true, by_any);
        find_ordered(f, false, by_others);
    }
    for (size_t i = 0; by_any && by_others && i < a->reach.count; i++) {
        const sim_use *u = &a->reach.items[i];
        const bool is_known = u->instruction < f->instruction_count;
        if (is_known &&
            (!by_any[u->instruction] || (!by_others[u->instruction] && unwaited && unwaited[u->instruction])))
            sim_use_list_add(&a->at_start, u);
    }
    for (size_t i = 0; by_others && noted && i < noted->count; i++)
        if (!by_others[noted->items[i].instruction]) sim_use_list_add(&a->at_start, &noted->items[i]);
    sim_use_list_sort(&a->at_start);
    memory_free(by_any);
    memory_free(by_others);
}

/* Adds what the stream's next work is behind, apart from the stream's own work. */
static void join_others(sim_order *o, sim_stamp *stamp, CUstream s) {
    CUcontext c = s->context;
    join(stamp, &o->lines[SIM_ORDER_HOST_LINE]);
    if (s == &c->legacy)
        join_blocking(o, stamp, c);
    else if (!(s->flags & DRIVER_STREAM_NON_BLOCKING))
        join(stamp, stamp_of(o, &c->legacy));
}

/* A copy between devices is in order with all other work of both; all devices' is taken. */
void sim_order_issue(CUstream s, sim_work *w) {
    CUcontext c = s->context;
    sim_order *o = order_of(c);
    sim_stamp others = {{0}};
    w->is_hidden = starts_early(s, w);
    if (o) forget_old(o);
    sim_stamp *stamp = o ? stamp_of(o, s) : NULL;
    if (o) join_others(o, &others, s);
    const uint64_t at_start = o ? launches_open_at_start(o, s, w, &others) : 0;
    s->open = launches_left_open(w, at_start);
    s->in_front = w->kind == SIM_WORK_LAUNCH ? w->function : NULL;
    if (!o) return;
    join(stamp, &others);
    if (w->kind == SIM_WORK_WAIT && w->mark->stamp) join(stamp, w->mark->stamp);
    if (w->kind == SIM_WORK_AWAIT || is_between_devices(c, w)) join_all(o, stamp, c);
    stamp->at[s->line]++;
    if (w->kind == SIM_WORK_MARK && !w->mark->stamp) w->mark->stamp = memory_alloc(sizeof *stamp);
    if (w->kind == SIM_WORK_MARK && w->mark->stamp) *w->mark->stamp = *stamp;
    if (is_watched(w)) w->ordered = add(o, s, w, stamp);
    if (!w->ordered) return;
    w->ordered->open = s->open;
    w->ordered->open_at_start = at_start;
}

void sim_order_replace(CUstream s, const sim_work *condition, sim_work *work) {
    sim_order *o = order_of(s->context);
    const sim_ordered *a = condition->ordered;
    if (!o || !a || !is_watched(work)) return;
    work->ordered = add(o, s, work, &a->before);
    if (!work->ordered) return;
    work->ordered->line = a->line;
    work->ordered->number = a->number;
    work->ordered->turn = a->turn;
}

/* ---- races ---- */

static bool clash(const sim_use *a, const sim_use *b) {
    return (a->writes || b->writes) && !(a->strong && b->strong);
}

/* The two give each other signs, by atomics or volatile accesses to the same bytes, and may order themselves. */
static bool is_sign(const sim_use *a, const sim_use *b) {
    return (a->writes || b->writes) && a->strong && b->strong;
}

/* Finds the first bytes that both use, at least one of them to write. Returns false if there are none, or if the two
 * give signs to each other. */
static bool find_clash(const sim_use_list *a, const sim_use_list *b, const sim_use **of_a, const sim_use **of_b) {
    size_t first = 0;
    *of_a = NULL;
    for (size_t i = 0; i < a->count; i++) {
        const sim_use *x = &a->items[i];
        while (first < b->count && b->items[first].to <= x->from) first++;
        for (size_t k = first; k < b->count && b->items[k].from < x->to; k++) {
            const sim_use *y = &b->items[k];
            if (y->to <= x->from) continue;
            if (is_sign(x, y)) return false;
            if (*of_a || !clash(x, y)) continue;
            *of_a = x;
            *of_b = y;
        }
    }
    return *of_a;
}

static void report(const sim_order *o, sim_ordered *a, const sim_use *of_a, sim_ordered *b, const sim_use *of_b) {
    const bool is_later = a->turn > b->turn, by_host = a->end.kind == SIM_ORDER_HOST || b->end.kind == SIM_ORDER_HOST;
    sim_order_finding f = {.address = of_a->from > of_b->from ? of_a->from : of_b->from};
    f.bytes = (of_a->to < of_b->to ? of_a->to : of_b->to) - f.address;
    f.later = is_later ? a->end : b->end;
    f.earlier = is_later ? b->end : a->end;
    const sim_use *later = is_later ? of_a : of_b, *earlier = is_later ? of_b : of_a;
    f.later.writes = later->writes;
    f.later.instruction = later->instruction;
    f.earlier.writes = earlier->writes;
    f.earlier.instruction = earlier->instruction;
    f.overlaps = is_later ? is_open_for(b, a) : is_open_for(a, b);
    f.is_at_start = !f.overlaps && is_later && is_in_front(b, a, a->open_at_start);
    f.is_next = (is_later ? a->number - b->number : b->number - a->number) == 1;
    a->is_touched |= by_host || a->end.kind == SIM_ORDER_ALLOCATE;
    b->is_touched |= by_host || b->end.kind == SIM_ORDER_ALLOCATE;
    o->watch.report(&f);
}

/* For each operation, one use by the program is reported, and one use that is not behind its allocation. */
static bool was_told(const sim_ordered *a, const sim_ordered *b) {
    const sim_order_kind x = a->end.kind, y = b->end.kind;
    if (x == SIM_ORDER_ALLOCATE) return a->is_touched || y == SIM_ORDER_HOST_FREE;
    if (y == SIM_ORDER_ALLOCATE) return b->is_touched || x == SIM_ORDER_HOST_FREE;
    const bool by_host = a->end.kind == SIM_ORDER_HOST || b->end.kind == SIM_ORDER_HOST;
    return by_host && (a->is_touched || b->is_touched);
}

/* The memory that a copy uses is known before it is done. */
static void touch_pending(const sim_order *o, sim_ordered *host, sim_ordered *b) {
    const sim_use *of_host, *of_b;
    if (find_clash(&host->reach, &b->reach, &of_host, &of_b)) report(o, host, of_host, b, of_b);
}

bool sim_order_is_touched(const sim_ordered *a) {
    return a && a->is_touched;
}

static bool is_of_stream(const sim_ordered *a) {
    const sim_order_kind k = a->end.kind;
    return k == SIM_ORDER_LAUNCH || k == SIM_ORDER_FILL || k == SIM_ORDER_COPY;
}

/* `b` is compared with all that `a` uses if nothing orders them, and with what `a` uses before it waits for `b`. */
static bool race(const sim_ordered *a, const sim_ordered *b, const sim_use **of_a, const sim_use **of_b) {
    if (a == b || !b->is_done || comes_before(a, b)) return false;
    if (!comes_before(b, a)) return find_clash(&a->reach, &b->reach, of_a, of_b);
    return is_in_front(b, a, a->open_at_start) && find_clash(&a->at_start, &b->reach, of_a, of_b);
}

/* True if the order that another pair lacks would order these two as well: `b` races with an operation that comes
 * before `a`, which has been reported, or `a` races with an operation that `b` comes before. */
static bool is_explained(sim_ordered *a, const sim_ordered *b) {
    const sim_use *of_a, *of_c;
    if (!is_of_stream(a) || !is_of_stream(b) || b->turn > a->turn) return false;
    if (b->raced && a->before.at[b->raced_line] >= b->raced) return true;
    for (const sim_ordered *c = b->next; c; c = c->next)
        if (is_of_stream(c) && c->turn < a->turn && comes_before(b, c) && race(a, c, &of_a, &of_c)) return true;
    return false;
}

static void note_raced(sim_ordered *b, const sim_ordered *by) {
    if (b->raced || !is_of_stream(b) || !is_of_stream(by) || by->turn < b->turn) return;
    b->raced_line = by->line;
    b->raced = by->number;
}

/* The operation is done: its footprint is complete. */
static void check(sim_order *o, sim_ordered *a) {
    const sim_use *of_a, *of_b;
    a->is_done = true;
    a->parameters = NULL;
    a->memory = UNKNOWN;
    o->reaches += a->reach.count;
    for (sim_ordered *b = o->first; b && a->reach.count; b = b->next) {
        if (was_told(a, b) || !race(a, b, &of_a, &of_b) || is_explained(a, b)) continue;
        report(o, a, of_a, b, of_b);
        note_raced(b, a);
        note_raced(a, b);
    }
}

void sim_order_allocated(CUstream s, uint64_t address, uint64_t bytes) {
    sim_order *o = order_of(s->context);
    const sim_work nothing = {.kind = SIM_WORK_CALL};
    if (!o) return;
    forget_old(o);
    sim_stamp *stamp = stamp_of(o, s);
    join_others(o, stamp, s);
    stamp->at[s->line]++;
    s->in_front = NULL;
    sim_ordered *a = add(o, s, &nothing, stamp);
    if (!a) return;
    a->end.kind = SIM_ORDER_ALLOCATE;
    add_range(&a->reach, address, bytes, true);
    check(o, a);
}

/* ---- work that is done ---- */

/* Finds bytes of the copy's source that its destination has, too. A copy of bytes to their own place is harmless. */
static bool overlaps_itself(const sim_use_list *f, const sim_use **one, const sim_use **other) {
    for (size_t i = 0; i < f->count; i++)
        for (size_t k = i + 1; k < f->count && f->items[k].from < f->items[i].to; k++) {
            *one = &f->items[i];
            *other = &f->items[k];
            const bool is_in_place = (*one)->from == (*other)->from && (*one)->to == (*other)->to;
            if ((*one)->writes != (*other)->writes && !is_in_place) return true;
        }
    return false;
}

static void check_copy(const sim_order *o, const sim_ordered *a) {
    const sim_use *one, *other;
    if (a->end.kind != SIM_ORDER_COPY || !overlaps_itself(&a->reach, &one, &other)) return;
    sim_order_finding f = {.fault = SIM_ORDER_OVERLAPS, .later = a->end, .earlier = a->end, .address = other->from};
    f.bytes = (one->to < other->to ? one->to : other->to) - f.address;
    f.later.writes = true;
    o->watch.report(&f);
}

static bool copies_to_host(const sim_work *w) {
    return w->kind == SIM_WORK_COPY_OUT || (w->kind == SIM_WORK_COPY_BOX && w->box->to.kind == SIM_BOX_HOST);
}

/* Adds the bytes of the use that nobody has written, as far as that is known. */
static void add_unwritten(const sim_memory *memory, const sim_use *use, sim_order_finding *f) {
    uint64_t at;
    const sim_marks *marks = sim_memory_written(memory, use->from, &at);
    const uint64_t base = use->from - at, end = use->to - base;
    while (marks && at < end) {
        bool is_written;
        const uint64_t from = at;
        at = sim_marks_run(marks, at, end, &is_written);
        if (is_written) continue;
        if (!f->bytes) f->address = base + from;
        f->bytes += at - from;
    }
}

/* A copy of which some bytes were written is left alone unless checks are strict: buffers have gaps, and room for
 * results. */
static void check_contents(const sim_order *o, CUcontext c, const sim_ordered *a) {
    sim_order_finding f = {.fault = SIM_ORDER_UNWRITTEN, .later = a->end, .earlier = a->end};
    for (size_t i = 0; i < a->reach.count; i++) {
        const sim_use *use = &a->reach.items[i];
        if (use->writes) continue;
        f.of += use->to - use->from;
        add_unwritten(c->memory, use, &f);
    }
    f.later.writes = false;
    if (f.bytes && (f.bytes == f.of || c->strict)) o->watch.report(&f);
}

void sim_order_work(CUstream s, sim_work *w) {
    sim_order *o = order_of(s->context);
    if (!o || !w->ordered || w->kind == SIM_WORK_LAUNCH || w->kind == SIM_WORK_CALL) return;
    check_copy(o, w->ordered);
    if (copies_to_host(w)) check_contents(o, s->context, w->ordered);
    check(o, w->ordered);
    w->ordered = NULL;
}

bool sim_order_between_devices(CUcontext c, const sim_work *w, sim_node_launch *l) {
    sim_order *o = order_of(c);
    if (!o || !w->ordered || sim_member_count(c) < 2) return false;
    if (!o->node) o->node = sim_node_create();
    *l = (sim_node_launch){.node = o->node, .device = c->place, .floor = o->before};
    for (const sim_ordered *a = o->first; a; a = a->next)
        if (a->ended > l->floor.of[a->device] && comes_before(a, w->ordered)) l->floor.of[a->device] = a->ended;
    return l->node;
}

/* True if the launch may start before the one in front of it has ended, and its kernel can wait for that end. */
static bool waits_late(const sim_work *w) {
    return w->ordered && w->ordered->open_at_start && has_instruction(w->function, PTX_OP_GRIDDEPCONTROL_WAIT);
}

void sim_order_ask(const sim_work *w, sim_use_list *footprint) {
    if (!waits_late(w)) return;
    const size_t count = w->function->program->function->instruction_count;
    footprint->early = sim_early_uses_create(count);
}

/* Memory that kernels allocate for themselves is reused by other kernels; no order is needed for that. */
void sim_order_launched(CUcontext c, sim_work *w, sim_use_list *footprint) {
    sim_order *o = order_of(c);
    if (!o || !w->ordered) return;
    sim_use_list *f = &w->ordered->reach;
    size_t kept = 0;
    *f = *footprint;
    *footprint = (sim_use_list){0};
    for (size_t i = 0; i < f->count; i++)
        if (!c->heap || !sim_heap_contains(c->heap, f->items[i].from)) f->items[kept++] = f->items[i];
    f->count = kept;
    if (waits_late(w)) note_uses_at_start(w->function->program->function, w->ordered);
    sim_early_uses_free(f->early);
    f->early = NULL;
    w->ordered->device = c->place;
    if (o->node) w->ordered->ended = sim_node_tick(o->node, c->place);
    check(o, w->ordered);
    w->ordered = NULL;
}

void sim_order_called(CUstream s) {
    sim_order *o = order_of(s->context);
    if (o && s->first->ordered) join(&o->lines[SIM_ORDER_HOST_LINE], &s->first->ordered->before);
    sim_order_drop(s->first);
}

void sim_order_drop(sim_work *w) {
    if (w->ordered) {
        w->ordered->is_done = true;
        w->ordered->parameters = NULL;
        sim_use_list_free(&w->ordered->reach);
    }
    w->ordered = NULL;
}

/* ---- the program's own code ---- */

/* The streams whose host functions are running. Their number; the last one's call. */
static unsigned running_calls(CUcontext c, sim_ordered **call) {
    unsigned count = 0;
    for (unsigned i = 0; i < sim_member_count(c); i++) {
        CUcontext of = sim_member_of(c, i);
        for (CUstream s = &of->legacy; s; s = s == &of->legacy ? of->streams : s->next) {
            if (!s->is_calling) continue;
            *call = s->first->ordered;
            count++;
        }
    }
    return count;
}

/* While a host function runs, host code is its own or another thread's, which nobody can tell apart. Then memory counts
 * as in use if neither knows that the operation is done. Sets `call` to the function's operation, or to NULL if none
 * runs. Returns false if nothing can be said: several run, or a kernel may be giving signs to the program. */
static bool find_call(CUcontext c, sim_ordered **call) {
    *call = NULL;
    const unsigned count = running_calls(c, call);
    return !sim_driver_waiting_kernel() && count <= 1 && (count == 0 || *call);
}

typedef struct host_uses {
    sim_host_use *items;
    size_t count, room;
} host_uses;

static void add_host_use(host_uses *all, const sim_allocation *a, uint64_t from, uint64_t to, bool writes) {
    const sim_pinned *p = sim_pinned_at(sim_current(), from);
    const bool is_whole = a->kind == SIM_MANAGED_MEMORY || (p && p->owned);
    sim_host_use *u = &all->items[all->count++];
    *u = (sim_host_use){
        .from = a->host + (from - a->first), .to = a->host + (to - a->first), .writes = writes, .is_owned = is_whole};
    u->end = u->to;
    if (is_whole && to == a->first + a->bytes) u->end = u->to + 4095 - ((uintptr_t)u->to + 4095) % 4096;
}

/* Adds what the host sees of the bytes. They may belong to several allocations, one behind the other. */
static void add_host_uses(host_uses *all, uint64_t from, uint64_t to, bool writes) {
    sim_allocation a;
    while (from < to && all->count < all->room && sim_driver_allocation(from, &a)) {
        const uint64_t end = a.first + a.bytes < to ? a.first + a.bytes : to;
        if (a.host) add_host_use(all, &a, from, end, writes);
        from = end;
    }
}

/* Managed memory that a kernel which is not done has got as an argument. */
static void add_parameters(host_uses *all, const sim_ordered *a) {
    uint64_t address;
    sim_allocation found;
    for (uint64_t at = 0; a->parameters && at + 8 <= a->parameter_bytes; at += 8) {
        memcpy(&address, a->parameters + at, sizeof address);
        if (sim_driver_allocation(address, &found) && found.kind == SIM_MANAGED_MEMORY)
            add_host_uses(all, found.first, found.first + found.bytes, true);
    }
}

/* A kernel that writes host memory by atomics or volatile stores tells the program how far it is. */
static bool uses_host(sim_ordered *a) {
    sim_allocation at = {.bytes = 0}; /* of the last use; most are of the same one */
    if (a->memory == UNKNOWN)
        a->memory = a->parameters ? OF_HOST : NOT_OF_HOST;
    else
        return a->memory == OF_HOST;
    for (size_t i = 0; i < a->reach.count && a->memory != GIVES_SIGNS; i++) {
        const sim_use *u = &a->reach.items[i];
        if (u->from - at.first >= at.bytes && !sim_driver_allocation(u->from, &at)) continue;
        if (at.host) a->memory = u->writes && u->strong ? GIVES_SIGNS : OF_HOST;
    }
    return a->memory == OF_HOST;
}

/* Adds the runs of bytes that the operation uses, or writes. Neighbouring bytes may be used by different instructions.
 */
static void add_runs(host_uses *all, const sim_use_list *f, bool writes) {
    uint64_t from = 0, to = 0;
    for (size_t i = 0; i < f->count; i++) {
        const sim_use *u = &f->items[i];
        if (u->strong || (writes && !u->writes)) continue; /* flags may be signs */
        if (u->from > to) {
            if (to) add_host_uses(all, from, to, writes);
            from = u->from;
            to = u->to;
        } else if (u->to > to) {
            to = u->to;
        }
    }
    if (to) add_host_uses(all, from, to, writes);
}

/* Operations whose memory the host must leave alone, as far as is known. */
static bool is_in_use(const sim_order *o, sim_ordered *a, const sim_ordered *call) {
    const bool is_known = o->lines[SIM_ORDER_HOST_LINE].at[a->line] >= a->number;
    const bool is_in_order = call && (comes_before(a, call) || comes_before(call, a));
    return !is_known && !is_in_order && !a->is_touched && uses_host(a);
}

/* Bytes that are written come last: they protect pages from reads, too. */
size_t sim_driver_host_uses(sim_host_use *uses, size_t room) {
    CUcontext c = sim_current();
    sim_order *o = c ? order_of(c) : NULL;
    host_uses all = {uses, 0, room};
    sim_ordered *call;
    if (!o || !find_call(c, &call)) return 0;
    for (sim_ordered *a = o->first; a; a = a->next)
        if (is_in_use(o, a, call)) add_runs(&all, &a->reach, false);
    for (sim_ordered *a = o->first; a; a = a->next) {
        if (!is_in_use(o, a, call)) continue;
        add_parameters(&all, a);
        add_runs(&all, &a->reach, true);
    }
    return all.count;
}

/* Host code is one more line of operations. NULL without memory. */
static sim_ordered *add_of_host(CUcontext c, sim_order *o, sim_order_kind kind, const void *code) {
    const sim_work nothing = {.kind = SIM_WORK_CALL, .site = {.address = code}};
    sim_stamp *host = &o->lines[SIM_ORDER_HOST_LINE];
    host->at[SIM_ORDER_HOST_LINE]++;
    sim_ordered *a = add(o, &c->legacy, &nothing, host);
    if (!a) return NULL;
    a->line = SIM_ORDER_HOST_LINE;
    a->number = host->at[SIM_ORDER_HOST_LINE];
    a->end.kind = kind;
    a->end.is_before_site = kind == SIM_ORDER_HOST && !code && a->end.site.address;
    return a;
}

/* The use takes the call's place in its stream, and is behind what the program knows, too. */
static void put_into_call(const sim_order *o, sim_ordered *a, const sim_ordered *call) {
    a->before = call->before;
    join(&a->before, &o->lines[SIM_ORDER_HOST_LINE]);
    a->line = call->line;
    a->number = call->number;
    a->in_call = true;
}

void sim_driver_host_touched(const unsigned char *at, bool writes, const void *code) {
    CUcontext c = sim_current();
    sim_order *o = order_of(c);
    sim_ordered *call = NULL, *a = o ? add_of_host(c, o, SIM_ORDER_HOST, code) : NULL;
    if (!a) return;
    if (find_call(c, &call) && call) put_into_call(o, a, call);
    add_range(&a->reach, address_of_host(c, at), 1, writes);
    for (sim_ordered *b = o->first; b; b = b->next)
        if (!b->is_done && !comes_before(b, a) && !comes_before(a, b) && b->reach.count) touch_pending(o, a, b);
    check(o, a);
}

void sim_order_host_freed(CUcontext c, uint64_t address) {
    sim_range range;
    sim_order *o = order_of(c);
    if (!o || !sim_memory_find(c->memory, address, &range)) return;
    sim_ordered *a = add_of_host(c, o, SIM_ORDER_HOST_FREE, NULL);
    if (!a) return;
    add_range(&a->reach, range.from, range.to - range.from, true);
    check(o, a);
}

/* ---- for reports ---- */

/* Lines of the toolchain's own files are left for the line that they are inlined into. */
bool sim_driver_kernel_place(CUfunction function, uint32_t instruction, const char **file, uint32_t *line) {
    if (!sim_driver_has_function(function) || instruction >= function->entry->instruction_count) return false;
    const ptx_module *m = function->module->ptx;
    const uint32_t place = ptx_users_place(m, function->entry->instructions[instruction].place);
    if (!place) return false;
    *file = ptx_file_of(m, place);
    *line = m->places[place - 1].line;
    return true;
}
