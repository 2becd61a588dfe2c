/* ld, st and their variants.
 *
 * Lowering picks a handler by the space, and the width of elements and registers. A handler computes the lanes'
 * addresses and calls access_<space>(), which checks them, reports the access to checks and counters (exec/observe.h)
 * and moves the elements (elements.h). A generic address is looked at when it is accessed: each space has a window of
 * addresses (machine/memory.h), and the lanes of each space make an access of their own.
 *
 * Two fast paths take most accesses and give the same results and counts:
 *
 * - Shared memory: accesses that share an address register share a pattern (state/pattern.h), which has their bounds
 *   and bank conflicts.
 * - Global memory: lanes at a constant stride within each half warp. Two addresses tell bounds and lines.
 *
 * Strong accesses (volatile, relaxed, acquire, release) take neither. Those with a scope beyond the block wait for the
 * serial phase. Their loads report the values, so that polling loops are recognised (sim_warp_observe()). */
#include "check/global.h"
#include "check/hazard.h"
#include "exec/access.h"
#include "exec/cluster.h"
#include "exec/fault.h"
#include "exec/observe.h"
#include "exec/ops/elements.h"
#include "exec/ops/lanes.h"
#include "exec/ops/matrix.h"
#include "exec/ops/patterns.h"
#include "exec/paths.h"
#include "exec/sm.h"
#include "lower/internal.h"
#include "machine/memory.h"
#include "state/block.h"
#include "state/lanes.h"

static unsigned log2_of(unsigned bytes) {
    return (unsigned)__builtin_ctz(bytes);
}

/* Moves the lanes' elements between registers and memory at base + address. */
typedef void (*elements_fn)(sim_warp *w, const sim_op *op, uint32_t active, uintptr_t base,
                            const uint64_t address[SIM_LANES]);

/* ---- spaces ---- */

/* Local stores are not among these classes; access_local() tells by the function that moves. */
static haul_action action_of(const sim_op *op) {
    const bool is_store = op->memory_class == HAUL_CLASS_GLOBAL_STORE || op->memory_class == HAUL_CLASS_SHARED_STORE;
    return is_store ? HAUL_ACTION_WRITE : HAUL_ACTION_READ;
}

/* Prefetches before it counts: counting takes long enough to hide the host's cache misses. */
static sim_step access_global(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES],
                              elements_fn move) {
    uintptr_t base;
    sim_step step;
    if ((op->flags & SIM_OP_ORDERED) && !sim_in_order(w, op, &step)) return step;
    if (!sim_check_global(w, op, active, address, op->bytes, op->bytes, &base)) return SIM_STOP;
    const uint64_t *places = sim_places(w, address, &base);
    if (w->sm->counting) sim_fetch_lanes(active, base, places);
    sim_observe_global(w, op, active, address, action_of(op));
    move(w, op, active, base, places);
    if (op->flags & SIM_OP_OBSERVES) sim_warp_observe(w, op, active, SIM_SLOT(w, void, op->d), 1u << op->y);
    return SIM_NEXT;
}

/* Constant memory has a separate cache, but copies of the program change it like any other. */
static sim_step access_constant(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES],
                                elements_fn move) {
    uintptr_t base;
    if (!sim_check_global(w, op, active, address, op->bytes, op->bytes, &base)) return SIM_STOP;
    const uint64_t *places = sim_places(w, address, &base);
    sim_observe_constant_watched(w, op, active, address);
    sim_observe_constant(w, op, active, address);
    move(w, op, active, base, places);
    return SIM_NEXT;
}

/* Accesses shared memory of block `b`, at addresses within it. No block but the cluster's can reach it, so even strong
 * accesses need no serial phase: a cluster runs on one SM. */
static sim_step access_block(sim_warp *w, const sim_op *op, uint32_t active, sim_block *b,
                             const uint32_t address[SIM_LANES], elements_fn move) {
    uint64_t wide[SIM_LANES];
    if (!sim_check_shared(w, op, active, address, op->bytes, op->bytes)) return SIM_STOP;
    SIM_EACH_LANE(l) wide[l] = address[l];
    sim_observe_shared(w, op, active, b, address, action_of(op));
    move(w, op, active, (uintptr_t)b->shared, wide);
    if (op->flags & SIM_OP_OBSERVES) sim_warp_observe(w, op, active, SIM_SLOT(w, void, op->d), 1u << op->y);
    return SIM_NEXT;
}

/* Makes one access for each block that lanes name. */
static sim_step access_cluster(sim_warp *w, const sim_op *op, uint32_t active, const uint32_t address[SIM_LANES],
                               elements_fn move) {
    if (move == sim_store_elements) active = sim_cluster_lose(w, op, active, address);
    while (active) {
        sim_block *owner;
        uint32_t local[SIM_LANES], lanes = sim_cluster_split(w, op, active, address, local, &owner);
        if (!lanes || access_block(w, op, lanes, owner, local, move) != SIM_NEXT) return SIM_STOP;
        sim_cluster_note_access(w, lanes, local, owner,
                                move == sim_store_elements ? SIM_CLUSTER_STORE : SIM_CLUSTER_LOAD);
        active &= ~lanes;
    }
    return SIM_NEXT;
}

/* Addresses that name a block are beyond any block's own memory, so the common case costs one test. */
static sim_step access_shared(sim_warp *w, const sim_op *op, uint32_t active, const uint32_t address[SIM_LANES],
                              elements_fn move) {
    const bool own = sim_all_in_shared(address, active, w->sm->grid->shared_bytes, op->bytes, op->bytes);
    if (!own && sim_cluster_names_block(address, active)) return access_cluster(w, op, active, address, move);
    return access_block(w, op, active, w->block, address, move);
}

/* Local memory: offsets into each thread's frame. */
static sim_step access_local(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t offset[SIM_LANES],
                             elements_fn move) {
    uintptr_t base;
    uint64_t address[SIM_LANES];
    memcpy(address, offset, sizeof address);
    if (!sim_check_frame(w, op, active, address, op->bytes, op->bytes, &base)) return SIM_STOP;
    sim_observe_local(w, op, active, offset, move == sim_store_elements ? HAUL_ACTION_WRITE : HAUL_ACTION_READ);
    move(w, op, active, base, address);
    return SIM_NEXT;
}

/* The kernel's parameters have a window; those of inlined calls are in the thread's frame. The latter count as nothing,
 * since hardware keeps them in registers. */
static sim_step access_params(sim_warp *w, const sim_op *op, uint32_t active, uint64_t address[SIM_LANES],
                              elements_fn move) {
    uintptr_t base;
    if (!(sim_lanes_in_window(address, SIM_PARAM_WINDOW) & active)) {
        sim_op uncounted = *op;
        uncounted.memory_class = HAUL_CLASS_NONE;
        return access_local(w, &uncounted, active, address, move);
    }
    SIM_EACH_LANE(l) address[l] -= SIM_PARAM_WINDOW;
    if (!sim_check_params(w, op, active, address, op->bytes, op->bytes, &base)) return SIM_STOP;
    if (op->memory_class == HAUL_CLASS_CONSTANT_LOAD) sim_observe_constant(w, op, active, address);
    if (w->sm->hazards) sim_hazard_parameter(w, op, active);
    move(w, op, active, base, address);
    return SIM_NEXT;
}

/* Returns the operation with the class of an access whose space depends on the address. */
static sim_op in_space(const sim_op *op, haul_memory_class load, haul_memory_class store) {
    sim_op copy = *op;
    copy.memory_class = (uint8_t)(op->memory_class == HAUL_CLASS_GLOBAL_LOAD ? load : store);
    return copy;
}

enum { USUAL_BYTES = 16 };

/* Splits the lanes by space, each with an access of its own. */
static sim_step access_generic(sim_warp *w, const sim_op *op, uint32_t active, uint64_t address[SIM_LANES],
                               elements_fn move) {
    uint32_t shared = sim_lanes_in_window(address, SIM_SHARED_WINDOW) & active;
    uint32_t local = sim_lanes_in_window(address, SIM_LOCAL_WINDOW) & active;
    uint32_t params = sim_lanes_in_window(address, SIM_PARAM_WINDOW) & active;
    uint32_t global = active & ~(shared | local | params);
    sim_step step = SIM_NEXT;
    /* Global lanes first: they may have to wait, and then nothing must have been done yet. */
    if (op->bytes > USUAL_BYTES && shared)
        return sim_fault(w, op, HAUL_FINDING_ILLEGAL_ACCESS, shared, "32-byte accesses require global memory");
    if (global) step = access_global(w, op, global, address, move);
    if (shared && step == SIM_NEXT) {
        sim_op copy = in_space(op, HAUL_CLASS_SHARED_LOAD, HAUL_CLASS_SHARED_STORE);
        uint32_t narrow[SIM_LANES];
        SIM_EACH_LANE(l) narrow[l] = (uint32_t)address[l];
        step = sim_check_window(w, op, shared, address) ? access_shared(w, &copy, shared, narrow, move) : SIM_STOP;
    }
    if (local && step == SIM_NEXT) {
        sim_op copy = in_space(op, HAUL_CLASS_LOCAL_LOAD, HAUL_CLASS_LOCAL_STORE);
        uint64_t offset[SIM_LANES];
        SIM_EACH_LANE(l) offset[l] = address[l] - SIM_LOCAL_WINDOW;
        step = access_local(w, &copy, local, offset, move);
    }
    if (params && step == SIM_NEXT) step = access_params(w, op, params, address, move);
    return step;
}

/* Finds the slots of a vector's words. */
static void find_data(const sim_warp *w, const sim_op *op, uint32_t *data[4]) {
    const uint32_t *slots = w->sm->grid->program->pool + op->more;
    for (unsigned e = 0; e < op->count; e++) data[e] = SIM_SLOT(w, uint32_t, slots[e]);
}

/* ---- shared memory by patterns: the common case ---- */

/* Moves words and vectors of words for the pattern's lanes. */
static void move_by_pattern(sim_warp *w, const sim_op *op, const sim_pattern *p, const uint32_t lanes[SIM_LANES],
                            bool is_store) {
    const uint32_t shift = (uint32_t)op->imm;
    uint32_t *data[4] = {SIM_SLOT(w, uint32_t, op->d)};
    if (op->count > 1) find_data(w, op, data);
    if (is_store)
        sim_store_pattern(p, lanes, w->block->shared, shift, data, op->count);
    else
        sim_load_pattern(p, lanes, w->block->shared, shift, data, op->count);
}

/* Moves elements or registers of other sizes than 4 bytes. */
static void move_any_by_pattern(sim_warp *w, const sim_op *op, uint32_t active, const uint32_t lanes[SIM_LANES],
                                bool is_store) {
    const uint32_t shift = (uint32_t)op->imm;
    uint64_t wide[SIM_LANES];
    SIM_EACH_LANE(l) wide[l] = lanes[l] + shift;
    sim_move_elements(w, op, active, (uintptr_t)w->block->shared, wide, is_store ? sim_storer(op) : sim_loader(op));
}

/* Reports the access to the checks, which need each lane's address. */
static void check_by_pattern(sim_warp *w, const sim_op *op, uint32_t active, const uint32_t lanes[SIM_LANES]) {
    uint32_t address[SIM_LANES];
    if (op->flags & SIM_OP_WIDE) sim_hazard_narrow(w, op, active);
    SIM_EACH_LANE(l) address[l] = lanes[l] + (uint32_t)op->imm;
    sim_observe_shared_checks(w, op, active, w->block, address, action_of(op));
}

/* Moves one lane's element, or vector of words, if it has the registers' width. Returns false, with no effect, if the
 * caller must take the general path. */
static bool access_one_lane(sim_warp *w, const sim_op *op, uint32_t active, bool is_store) {
    const unsigned lane = (unsigned)__builtin_ctz(active);
    const bool wide = op->flags & SIM_OP_WIDE;
    const uint32_t base = wide ? (uint32_t)SIM_SLOT(w, uint64_t, op->a)[lane] : SIM_SLOT(w, uint32_t, op->a)[lane];
    const uint32_t from = base + (uint32_t)op->imm;
    if (op->x != op->y || (op->count > 1 && op->x != 2) || op->count > 4) return false;
    if (from % op->bytes || (uint64_t)from + op->bytes > w->sm->grid->shared_bytes) return false;
    unsigned char *at = w->block->shared + from;
    const size_t size = (size_t)1 << op->x;
    uint32_t *words[4];
    w->sm->changes += is_store;
    if (op->count > 1) find_data(w, op, words);
    for (unsigned e = 0; e < op->count; e++, at += size) {
        unsigned char *data =
            op->count > 1 ? (unsigned char *)&words[e][lane] : SIM_SLOT(w, unsigned char, op->d) + lane * size;
        memcpy(is_store ? at : data, is_store ? data : at, size);
    }
    return true;
}

/* Returns false, with no effect, if the caller must take the general path. */
static bool access_by_pattern(sim_warp *w, const sim_op *op, uint32_t active, bool is_store) {
    uint32_t narrow[SIM_LANES];
    sim_pattern own;
    if (is_store && w->polls) return false; /* there it is found whether the store changes anything */
    const bool one_lane = active && !(active & (active - 1)), watched = w->sm->counting || SIM_IS_CHECKED(w);
    if (one_lane && !watched && access_one_lane(w, op, active, is_store)) return true;
    const uint32_t *lanes = sim_narrow_lanes(w, op, narrow);
    sim_pattern *p = sim_pattern_find(w, op, active, lanes, &own);
    if (!sim_pattern_fits(p, op->imm, w->sm->grid->shared_bytes, op->bytes)) return false;
    /* counts first: a load may overwrite its own address register */
    if (w->sm->counting && !sim_count_pattern(w->sm->counting, op, p, lanes, is_store)) return false;
    if (SIM_IS_CHECKED(w)) check_by_pattern(w, op, active, lanes);
    w->sm->changes += is_store;
    if (op->x == 2 && op->y == 2 && op->count <= 4)
        move_by_pattern(w, op, p, lanes, is_store);
    else
        move_any_by_pattern(w, op, active, lanes, is_store);
    return true;
}

/* ---- global memory, lanes at small constant distances: the common case ---- */

/* Moves vectors of words that are adjacent in each half warp. */
static void move_vectors(sim_warp *w, const sim_op *op, unsigned char *const half[2], bool is_store) {
    uint32_t *data[4];
    find_data(w, op, data);
    for (unsigned h = 0; h < 2; h++) {
        if (is_store)
            sim_put_together(half[h], data, op->count);
        else
            sim_take_apart(data, half[h], op->count);
        for (unsigned e = 0; e < op->count; e++) data[e] += SIM_HALF;
    }
}

/* Moves words that are adjacent in each half warp. If the halves share addresses, the first one stays. A constant size
 * lets the compiler copy in place. */
static inline void move_words(unsigned char *lanes, unsigned char *const half[2], bool is_store) {
    for (unsigned h = 2; h-- > 0;) {
        unsigned char *own = lanes + h * SIM_HALF * 4;
        memcpy(is_store ? half[h] : own, is_store ? own : half[h], SIM_HALF * 4);
    }
}

/* The same for other elements. */
static void move_adjacent(sim_warp *w, const sim_op *op, unsigned char *const half[2], bool is_store) {
    const size_t bytes = (size_t)SIM_HALF << op->x;
    const unsigned second_first = sim_store_turn(op->bytes) / SIM_HALF;
    for (unsigned k = 0; k < 2; k++) {
        const unsigned h = k ^ second_first;
        unsigned char *data = SIM_SLOT(w, unsigned char, op->d) + h * bytes;
        memcpy(is_store ? half[h] : data, is_store ? data : half[h], bytes);
    }
}

/* base: added to the address register's lanes. A load may overwrite the register. */
static void move_spread(sim_warp *w, const sim_op *op, uintptr_t base, const uint64_t lanes[SIM_LANES], bool is_store) {
    uint64_t kept[SIM_LANES];
    memcpy(kept, lanes, sizeof kept);
    sim_move_elements(w, op, SIM_ALL_LANES, base, kept, is_store ? sim_storer(op) : sim_loader(op));
}

/* Copies each half warp at once where its elements are adjacent in memory and of the registers' width. */
static void move_span(sim_warp *w, const sim_op *op, uintptr_t base, const uint64_t lanes[SIM_LANES], uint64_t stride,
                      bool is_store) {
    unsigned char *const half[2] = {(unsigned char *)(base + lanes[0]), (unsigned char *)(base + lanes[SIM_HALF])};
    const bool side_by_side = op->x == op->y && stride == op->bytes;
    if (side_by_side && op->count == 1 && op->x == 2) {
        move_words(SIM_SLOT(w, unsigned char, op->d), half, is_store);
    } else if (side_by_side && op->count == 1) {
        move_adjacent(w, op, half, is_store);
    } else if (side_by_side && op->x == 2 && (op->count == 2 || op->count == 4)) {
        move_vectors(w, op, half, is_store);
    } else {
        move_spread(w, op, base, lanes, is_store);
    }
}

/* Reports the access to the checks, or to what follows it: they need each lane's address. */
static void watch_span(sim_warp *w, const sim_op *op) {
    uint64_t address[SIM_LANES];
    sim_addresses(w, op, address);
    sim_observe_global_watched(w, op, SIM_ALL_LANES, address, action_of(op));
}

/* Returns false, with no effect, if the caller must take the general path. Tests the register's lanes instead of the
 * addresses: their distances are equal. */
static bool access_span(sim_warp *w, const sim_op *op, uint32_t active, bool is_store) {
    if (active != SIM_ALL_LANES || !(op->flags & SIM_OP_WIDE)) return false;
    const uint64_t *lanes = SIM_SLOT(w, uint64_t, op->a), stride = lanes[1] - lanes[0];
    if (stride > SIM_MOST_SPAN_STRIDE || !sim_halves_progress(lanes)) return false;
    sim_reach *reach = &w->sm->reaches[op->instruction];
    const sim_range *range = &reach->range;
    const uint64_t offset = (uint64_t)op->imm, first = lanes[0] + offset, second = lanes[SIM_HALF] + offset;
    const uint64_t span = (SIM_HALF - 1) * stride + op->bytes;
    if (!sim_is_span_inside(range, first, span) || !sim_is_span_inside(range, second, span)) return false;
    if ((first | second | stride) & (op->bytes - 1u)) return false;
    if (SIM_IS_CHECKED(w) || SIM_IS_FOLLOWED(w)) watch_span(w, op);
    w->sm->changes += is_store;
    sim_prefetch_next(reach, first);
    move_span(w, op, range->host + offset, lanes, stride, is_store);
    if (w->sm->counting) sim_count_global_span(w->sm->counting, w, op, first, second, stride);
    return true;
}

/* Defines the handlers of loads and of stores: for each space the general one, and <name>_span and <name>_own with the
 * fast paths of global memory and of the block's own shared memory. */
#define ACCESS(name, move, is_store)                                                     \
    static sim_step name##_global(sim_warp *w, const sim_op *op, uint32_t active) {      \
        uint64_t address[SIM_LANES];                                                     \
        sim_addresses(w, op, address);                                                   \
        return access_global(w, op, active, address, move);                              \
    }                                                                                    \
    static sim_step name##_span(sim_warp *w, const sim_op *op, uint32_t active) {        \
        if (access_span(w, op, active, is_store)) return SIM_NEXT;                       \
        return name##_global(w, op, active);                                             \
    }                                                                                    \
    static sim_step name##_shared(sim_warp *w, const sim_op *op, uint32_t active) {      \
        uint32_t address[SIM_LANES];                                                     \
        if (op->flags & SIM_OP_WIDE && w->sm->hazards) sim_hazard_narrow(w, op, active); \
        sim_shared_addresses(w, op->a, op->imm, op->flags &SIM_OP_WIDE, address);        \
        return access_shared(w, op, active, address, move);                              \
    }                                                                                    \
    static sim_step name##_own(sim_warp *w, const sim_op *op, uint32_t active) {         \
        if (access_by_pattern(w, op, active, is_store)) return SIM_NEXT;                 \
        return name##_shared(w, op, active);                                             \
    }                                                                                    \
    static sim_step name##_constant(sim_warp *w, const sim_op *op, uint32_t active) {    \
        uint64_t address[SIM_LANES];                                                     \
        sim_addresses(w, op, address);                                                   \
        return access_constant(w, op, active, address, move);                            \
    }                                                                                    \
    static sim_step name##_local(sim_warp *w, const sim_op *op, uint32_t active) {       \
        uint64_t address[SIM_LANES];                                                     \
        sim_addresses(w, op, address);                                                   \
        return access_local(w, op, active, address, move);                               \
    }                                                                                    \
    static sim_step name##_params(sim_warp *w, const sim_op *op, uint32_t active) {      \
        uint64_t address[SIM_LANES];                                                     \
        sim_addresses(w, op, address);                                                   \
        return access_params(w, op, active, address, move);                              \
    }                                                                                    \
    static sim_step name##_generic(sim_warp *w, const sim_op *op, uint32_t active) {     \
        uint64_t address[SIM_LANES];                                                     \
        sim_addresses(w, op, address);                                                   \
        return access_generic(w, op, active, address, move);                             \
    }
ACCESS(load, sim_load_elements, false)
ACCESS(store, sim_store_elements, true)

/* A parameter at a constant address is the same in all lanes. imm: its offset. Not an access: machine code reads it
 * from constant memory as an operand. */
#define PARAMETER(name, M, R)                                                          \
    static sim_step parameter_##name(sim_warp *w, const sim_op *op, uint32_t active) { \
        M value;                                                                       \
        R *d = SIM_SLOT(w, R, op->d);                                                  \
        memcpy(&value, w->sm->grid->params + op->imm, sizeof value);                   \
        SIM_STORE_LANES(d, active, (R)value);                                          \
        return SIM_NEXT;                                                               \
    }
PARAMETER(32, uint32_t, uint32_t)
PARAMETER(64, uint64_t, uint64_t)

/* ---- lowering ---- */

typedef struct access_handlers {
    sim_handler global, span, shared, own, local, params, constant, generic;
} access_handlers;
static const access_handlers load_handlers = {load_global, load_span,   load_shared,   load_own,
                                              load_local,  load_params, load_constant, load_generic};
static const access_handlers store_handlers = {store_global, store_span,   store_shared,   store_own,
                                               store_local,  store_params, store_constant, store_generic};

/* A `.param` variable of an inlined call is in the thread's frame; the kernel's own are in their window. */
static sim_handler pick_param(const access_handlers *h, uint32_t base, int64_t offset) {
    return base == SIM_SLOT_ZERO && (uint64_t)offset < SIM_PARAM_WINDOW ? h->local : h->params;
}

/* Returns the handler for the instruction's space and sets *class, the class that its accesses count in. An access
 * without a space is generic: it counts as global until its address says otherwise. */
static sim_handler pick_space(const ptx_instruction *i, uint32_t base, int64_t offset, const access_handlers *h,
                              bool is_load, uint8_t *class) {
    switch (i->mods[PTX_SLOT_SPACE]) {
    case PTX_MOD_GLOBAL: *class = is_load ? HAUL_CLASS_GLOBAL_LOAD : HAUL_CLASS_GLOBAL_STORE; return h->global;
    case PTX_MOD_SHARED:
    case PTX_MOD_SHARED_CTA:
    case PTX_MOD_SHARED_CLUSTER: *class = is_load ? HAUL_CLASS_SHARED_LOAD : HAUL_CLASS_SHARED_STORE; return h->shared;
    case PTX_MOD_LOCAL: *class = is_load ? HAUL_CLASS_LOCAL_LOAD : HAUL_CLASS_LOCAL_STORE; return h->local;
    case PTX_MOD_PARAM:
    case PTX_MOD_PARAM_ENTRY:
    case PTX_MOD_PARAM_FUNC:
        *class = is_load && base != SIM_SLOT_ZERO ? HAUL_CLASS_CONSTANT_LOAD : HAUL_CLASS_NONE;
        return pick_param(h, base, offset);
    case PTX_MOD_CONST: *class = HAUL_CLASS_CONSTANT_LOAD; return h->constant;
    default: *class = is_load ? HAUL_CLASS_GLOBAL_LOAD : HAUL_CLASS_GLOBAL_STORE; return h->generic;
    }
}

/* Returns whether other threads may wait for the access, or it for them. ld.cv counts, as its memory may change at any
 * time. */
static bool is_strong(const ptx_instruction *i) {
    switch (i->mods[PTX_SLOT_ORDER]) {
    case PTX_MOD_NONE:
    case PTX_MOD_WEAK: return i->mods[PTX_SLOT_CACHE] == PTX_MOD_CV;
    default: return true;
    }
}

/* Returns whether these may be threads of other blocks. */
static bool is_ordered(const ptx_instruction *i) {
    return is_strong(i) && i->mods[PTX_SLOT_SCOPE] != PTX_MOD_SCOPE_CTA;
}

/* Returns the handler for an ordinary parameter load: 4 or 8 bytes at a constant place in the kernel's own parameters.
 * NULL if the load needs the general one. */
static sim_handler pick_parameter(const sim_op *op, unsigned limit) {
    uint64_t offset = (uint64_t)op->imm - SIM_PARAM_WINDOW;
    bool plain = op->run == load_params && op->count == 1 && op->x == op->y && op->a == SIM_SLOT_ZERO;
    if (!plain || offset + op->bytes > limit || offset % op->bytes) return NULL;
    return op->bytes == 4 ? parameter_32 : op->bytes == 8 ? parameter_64 : NULL;
}

/* Most kernels read all their parameters in this way, in each block. */
static void simplify_parameter(const sim_lowering *l, sim_op *op) {
    sim_handler run = pick_parameter(op, l->program->param_bytes);
    if (!run) return;
    op->run = run;
    op->form = SIM_FORM_PARAMETER;
    op->imm -= (int64_t)SIM_PARAM_WINDOW;
}

/* Strong accesses depend on more than their addresses. */
static void use_pattern(sim_lowering *l, sim_op *op, const ptx_operand *memory, const access_handlers *h) {
    if (op->flags & SIM_OP_STRONG) return;
    if (op->run == h->global) op->run = h->span, op->form = SIM_FORM_GLOBAL;
    if (op->run != h->shared) return;
    op->run = h->own;
    op->form = h == &load_handlers ? SIM_FORM_SHARED_LOAD : SIM_FORM_SHARED_STORE;
    op->pattern = sim_pattern_of(l, memory);
}

/* Returns the lane width of the data registers, which must be the same for all elements; constants adopt it. 0: they
 * differ. */
static unsigned data_lane_bytes(const sim_lowering *l, const ptx_operand *parts, unsigned count, unsigned bytes) {
    unsigned lane = 0;
    for (unsigned e = 0; e < count; e++) {
        if (parts[e].kind != PTX_REGISTER) continue;
        const unsigned own = sim_register_bytes(l, &parts[e]);
        if (lane && lane != own) return 0;
        lane = own;
    }
    return lane ? lane : bytes < 2 ? 2 : bytes;
}

static uint32_t data_slot(sim_lowering *l, const ptx_operand *o, unsigned type, unsigned lane, bool is_load) {
    if (is_load || o->kind == PTX_SINK) return sim_destination(l, o);
    return o->kind == PTX_INTEGER ? sim_constant(l, o->bits, lane) : sim_source(l, o, type);
}

/* Lowers a load or store. x, y: logarithms of an element's bytes in memory and in its register; imm2: a load extends
 * the sign; d: the first element's register, and from `more` on all of them in the pool. */
static haul_status lower_access(sim_lowering *l, const ptx_instruction *i, const ptx_operand *memory,
                                const ptx_operand *data, bool is_load) {
    bool wide;
    int64_t offset;
    unsigned bytes = ptx_bits(i->type) / 8, count = data->kind == PTX_VECTOR ? data->part_count : 1;
    const ptx_operand *parts = data->kind == PTX_VECTOR ? data->parts : data;
    uint32_t slots[8], lane = data_lane_bytes(l, parts, count, bytes);
    if (!lane) return sim_lower_fail(l, "all element registers must have the same width");
    for (unsigned e = 0; e < count; e++) slots[e] = data_slot(l, &parts[e], i->type, lane, is_load);
    uint32_t base = sim_address(l, memory, &wide, &offset), more = sim_pool(l, slots, count);
    uint8_t class;
    const uint32_t policy = sim_policy_slot(l, i);
    sim_handler run = pick_space(i, base, offset, is_load ? &load_handlers : &store_handlers, is_load, &class);
    sim_op *op = sim_emit(l, run);
    op->policy = policy;
    op->memory_class = class;
    op->d = slots[0];
    op->a = base;
    op->imm = offset;
    op->bytes = (uint8_t)(bytes * count);
    op->count = (uint8_t)count;
    op->more = more;
    op->x = log2_of(bytes);
    op->y = log2_of(lane);
    op->imm2 = is_load && ptx_is_signed(i->type);
    op->flags |= (uint8_t)((wide ? SIM_OP_WIDE : 0) | (is_ordered(i) ? SIM_OP_ORDERED : 0) |
                           (is_load && is_strong(i) ? SIM_OP_OBSERVES : 0) | (is_strong(i) ? SIM_OP_STRONG : 0) |
                           (ptx_releases(i) ? SIM_OP_RELEASES : 0));
    if (!(is_load ? sim_loader(op) : sim_storer(op)))
        return sim_lower_fail(l, "%u bits in a register of %u", 8 * bytes, 8 * lane);
    simplify_parameter(l, op);
    use_pattern(l, op, memory, is_load ? &load_handlers : &store_handlers);
    return HAUL_OK;
}

haul_status LOWER(LD)(sim_lowering *l, const ptx_instruction *i) {
    return lower_access(l, i, &i->operands[1], &i->operands[0], true);
}

/* The promise that all lanes read one address changes nothing. */
haul_status LOWER(LDU)(sim_lowering *l, const ptx_instruction *i) {
    return LOWER(LD)(l, i);
}

/* An ordinary store with release semantics. */
haul_status LOWER(ST_ASYNC_MMIO)(sim_lowering *l, const ptx_instruction *i) {
    ptx_instruction store = *i;
    store.mods[PTX_SLOT_ORDER] = PTX_MOD_RELEASE;
    return lower_access(l, &store, &i->operands[0], &i->operands[1], false);
}

haul_status LOWER(ST)(sim_lowering *l, const ptx_instruction *i) {
    return lower_access(l, i, &i->operands[0], &i->operands[1], false);
}

/* One element of a wmma fragment: see ops/matrix.h. */
haul_status SIM_ELEMENT_ACCESS(sim_lowering *l, const ptx_instruction *i, const sim_element_access *e) {
    uint8_t class;
    const access_handlers *h = e->loads ? &load_handlers : &store_handlers;
    sim_handler run = pick_space(i, e->address, 0, h, e->loads, &class);
    sim_op *op = sim_emit(l, run);
    op->memory_class = class;
    op->d = e->data;
    op->a = e->address;
    op->bytes = (uint8_t)e->bytes;
    op->count = 1;
    op->x = log2_of(e->bytes);
    op->y = log2_of(e->lane_bytes);
    op->flags |= SIM_OP_WIDE;
    op->uncounted = e->uncounted;
    return HAUL_OK;
}
