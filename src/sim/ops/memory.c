/* ld, st and their kin: which memory, how wide, into which register. */
#include "sim/memory.h"

#include "sim/cluster.h"
#include "sim/hazard/global.h"
#include "sim/hazard/hazard.h"
#include "sim/lower/internal.h"
#include "sim/ops/access.h"
#include "sim/ops/matrix.h"
#include "sim/ops/patterns.h"

/* ---- one element a lane, from memory to a register and back ---- */

/* The register's lane may be wider than the memory's element: signed types extend their sign. Copies go through memcpy:
 * memory is only as aligned as the kernel's address is. */
typedef void (*move_fn)(void *lanes, uintptr_t base, const uint64_t address[SIM_LANES], uint32_t active);

#define LOADER(name, M, R)                                                                                     \
    static void load_##name(void *lanes, uintptr_t base, const uint64_t address[SIM_LANES], uint32_t active) { \
        R *d = lanes;                                                                                          \
        if (active == SIM_ALL_LANES) {                                                                         \
            SIM_EACH_LANE(l) d[l] = (R) * (const M *)(base + address[l]);                                      \
            return;                                                                                            \
        }                                                                                                      \
        for (uint32_t left = active; left; left &= left - 1) {                                                 \
            unsigned l = (unsigned)__builtin_ctz(left);                                                        \
            d[l] = (R) * (const M *)(base + address[l]);                                                       \
        }                                                                                                      \
    }

#define STORER(name, M, R)                                                                                      \
    static void store_##name(void *lanes, uintptr_t base, const uint64_t address[SIM_LANES], uint32_t active) { \
        const R *s = lanes;                                                                                     \
        for (uint32_t left = active; left; left &= left - 1) {                                                  \
            unsigned l = (unsigned)__builtin_ctz(left);                                                         \
            *(M *)(base + address[l]) = (M)s[l];                                                                \
        }                                                                                                       \
    }

__extension__ typedef unsigned __int128 wide128 __attribute__((aligned(16)));

LOADER(u8_2, uint8_t, uint16_t)
LOADER(u8_4, uint8_t, uint32_t)
LOADER(u8_8, uint8_t, uint64_t)
LOADER(s8_2, int8_t, int16_t)
LOADER(s8_4, int8_t, int32_t)
LOADER(s8_8, int8_t, int64_t)
LOADER(u16_2, uint16_t, uint16_t)
LOADER(u16_4, uint16_t, uint32_t)
LOADER(u16_8, uint16_t, uint64_t)
LOADER(s16_4, int16_t, int32_t)
LOADER(s16_8, int16_t, int64_t)
LOADER(u32_4, uint32_t, uint32_t)
LOADER(u32_8, uint32_t, uint64_t)
LOADER(s32_8, int32_t, int64_t)
LOADER(u64_8, uint64_t, uint64_t)
LOADER(b128, wide128, wide128)
STORER(b8_2, uint8_t, uint16_t)
STORER(b8_4, uint8_t, uint32_t)
STORER(b8_8, uint8_t, uint64_t)
STORER(b16_2, uint16_t, uint16_t)
STORER(b16_4, uint16_t, uint32_t)
STORER(b16_8, uint16_t, uint64_t)
STORER(b32_4, uint32_t, uint32_t)
STORER(b32_8, uint32_t, uint64_t)
STORER(b64_8, uint64_t, uint64_t)
STORER(b128, wide128, wide128)

/* by log2 of the element's bytes, log2 of the register lane's bytes; the unsigned ones */
static const move_fn loads[5][5] = {
    {0, load_u8_2, load_u8_4, load_u8_8, 0},
    {0, load_u16_2, load_u16_4, load_u16_8, 0},
    {0, 0, load_u32_4, load_u32_8, 0},
    {0, 0, 0, load_u64_8, 0},
    {0, 0, 0, 0, load_b128},
};
static const move_fn signed_loads[4][5] = {
    {0, load_s8_2, load_s8_4, load_s8_8, 0},
    {0, load_u16_2, load_s16_4, load_s16_8, 0},
    {0, 0, load_u32_4, load_s32_8, 0},
    {0, 0, 0, load_u64_8, 0},
};
static const move_fn stores[5][5] = {
    {0, store_b8_2, store_b8_4, store_b8_8, 0},
    {0, store_b16_2, store_b16_4, store_b16_8, 0},
    {0, 0, store_b32_4, store_b32_8, 0},
    {0, 0, 0, store_b64_8, 0},
    {0, 0, 0, 0, store_b128},
};

static unsigned log2_of(unsigned bytes) {
    return (unsigned)__builtin_ctz(bytes);
}

/* Lanes side by side in memory: one block copy instead of 32 small ones. */
static bool is_contiguous(const uint64_t address[SIM_LANES], unsigned bytes) {
    uint64_t differs = 0;
    SIM_EACH_LANE(l) differs |= address[l] - address[0] - l * bytes;
    return differs == 0;
}

/* ---- the elements of an access; an op has its move function's index in x (element) and y (lane) and, for vectors, the
 * registers' slots in the pool ---- */

static void move_elements(sim_warp *w, const sim_op *op, uint32_t active, uintptr_t base,
                          const uint64_t address[SIM_LANES], move_fn move) {
    unsigned element = 1u << op->x;
    if (op->count == 1) {
        move(SIM_SLOT(w, void, op->d), base, address, active);
        return;
    }
    const uint32_t *slots = w->sm->grid->program->pool + op->more;
    for (unsigned e = 0; e < op->count; e++)
        if (slots[e] != SIM_SLOT_SINK) move(SIM_SLOT(w, void, slots[e]), base + (uint64_t)e * element, address, active);
}

/* NULL: there is no such width. */
static move_fn loader(const sim_op *op) {
    const bool extends = op->imm2 != 0 && op->x < 4;
    return extends ? signed_loads[op->x][op->y] : loads[op->x][op->y];
}

static void load_elements(sim_warp *w, const sim_op *op, uint32_t active, uintptr_t base,
                          const uint64_t address[SIM_LANES]) {
    bool same_width = op->x == op->y && op->count == 1;
    if (same_width && active == SIM_ALL_LANES && is_contiguous(address, 1u << op->x)) {
        memcpy(SIM_SLOT(w, void, op->d), (const void *)(base + address[0]), (size_t)SIM_LANES << op->x);
        return;
    }
    move_elements(w, op, active, base, address, loader(op));
}

static void store_elements(sim_warp *w, const sim_op *op, uint32_t active, uintptr_t base,
                           const uint64_t address[SIM_LANES]) {
    w->sm->changes++;
    bool same_width = op->x == op->y && op->count == 1;
    if (same_width && active == SIM_ALL_LANES && is_contiguous(address, 1u << op->x)) {
        memcpy((void *)(base + address[0]), SIM_SLOT(w, void, op->d), (size_t)SIM_LANES << op->x);
        return;
    }
    move_elements(w, op, active, base, address, stores[op->x][op->y]);
}

typedef void (*elements_fn)(sim_warp *w, const sim_op *op, uint32_t active, uintptr_t base,
                            const uint64_t address[SIM_LANES]);

/* ---- spaces ---- */

/* A strong access may hand over, or take, what was written before. */
static void check_strong(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES],
                         bool is_store) {
    if (op->flags & SIM_OP_STRONG) sim_hazard_strong(w, op, active, address, !is_store, is_store);
}

static void check_global_access(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES]) {
    const bool is_store = op->memory_class == HAUL_CLASS_GLOBAL_STORE;
    sim_hazard_global(w, op, active, address, is_store ? HAUL_ACTION_WRITE : HAUL_ACTION_READ);
    check_strong(w, op, active, address, is_store);
}

static sim_step access_global(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES],
                              elements_fn move) {
    uintptr_t base;
    sim_step step;
    if ((op->flags & SIM_OP_ORDERED) && !sim_in_order(w, op, &step)) return step;
    if (!sim_check_global(w, op, active, address, op->bytes, op->bytes, &base)) return SIM_STOP;
    if (__builtin_expect(w->sm->hazards != NULL, 0)) check_global_access(w, op, active, address);
    const uint64_t *places = sim_places(w, address, &base);
    move(w, op, active, base, places);
    if (op->flags & SIM_OP_OBSERVES) sim_warp_observe(w, op, active, SIM_SLOT(w, void, op->d), 1u << op->y);
    sim_count_global(w->sm->counting, w, op, active, address);
    return SIM_NEXT;
}

/* Constant memory has a cache of its own. */
static sim_step access_constant(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES],
                                elements_fn move) {
    uintptr_t base;
    if (!sim_check_global(w, op, active, address, op->bytes, op->bytes, &base)) return SIM_STOP;
    const uint64_t *places = sim_places(w, address, &base);
    move(w, op, active, base, places);
    sim_count_constant(w->sm->counting, w, op, active, address);
    return SIM_NEXT;
}

static void check_block_access(sim_warp *w, const sim_op *op, uint32_t active, sim_block *b,
                               const uint32_t address[SIM_LANES]) {
    const bool is_store = op->memory_class == HAUL_CLASS_SHARED_STORE;
    if (b != w->block) sim_hazard_remote(w, op, active, b);
    uint64_t in_window[SIM_LANES];
    if (is_store)
        sim_hazard_store(w, op, active, b, address);
    else
        sim_hazard_load(w, op, active, b, address);
    if (!(op->flags & SIM_OP_STRONG)) return;
    SIM_EACH_LANE(l) in_window[l] = address[l] | SIM_SHARED_WINDOW;
    check_strong(w, op, active, in_window, is_store);
}

static sim_step access_block(sim_warp *w, const sim_op *op, uint32_t active, sim_block *b,
                             const uint32_t address[SIM_LANES], elements_fn move) {
    uint64_t wide[SIM_LANES];
    if (!sim_check_shared(w, op, active, address, op->bytes, op->bytes)) return SIM_STOP;
    SIM_EACH_LANE(l) wide[l] = address[l];
    if (__builtin_expect(w->sm->hazards != NULL, 0)) check_block_access(w, op, active, b, address);
    move(w, op, active, (uintptr_t)b->shared, wide);
    if (op->flags & SIM_OP_OBSERVES) sim_warp_observe(w, op, active, SIM_SLOT(w, void, op->d), 1u << op->y);
    if (b == w->block) sim_count_shared(w->sm->counting, w, op, active, address);
    return SIM_NEXT;
}

static sim_step access_cluster(sim_warp *w, const sim_op *op, uint32_t active, const uint32_t address[SIM_LANES],
                               elements_fn move) {
    while (active) {
        sim_block *owner;
        uint32_t local[SIM_LANES], lanes = sim_cluster_split(w, op, active, address, local, &owner);
        if (!lanes || access_block(w, op, lanes, owner, local, move) != SIM_NEXT) return SIM_STOP;
        active &= ~lanes;
    }
    return SIM_NEXT;
}

static sim_step access_shared(sim_warp *w, const sim_op *op, uint32_t active, const uint32_t address[SIM_LANES],
                              elements_fn move) {
    const bool own = sim_all_in_shared(address, active, w->sm->grid->shared_bytes, op->bytes, op->bytes);
    if (!own && sim_cluster_names_block(address, active)) return access_cluster(w, op, active, address, move);
    return access_block(w, op, active, w->block, address, move);
}

static sim_step access_local(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t offset[SIM_LANES],
                             elements_fn move) {
    uintptr_t base;
    uint64_t address[SIM_LANES];
    memcpy(address, offset, sizeof address);
    if (!sim_check_frame(w, op, active, address, op->bytes, op->bytes, &base)) return SIM_STOP;
    if (__builtin_expect(w->sm->hazards != NULL, 0)) sim_hazard_local(w, op, active, offset, move == store_elements);
    move(w, op, active, base, address);
    /* Calls that were inlined passed their parameters in registers: not memory traffic. */
    if (op->memory_class != HAUL_CLASS_NONE) sim_count_local(w->sm->counting, w, op, active, offset);
    return SIM_NEXT;
}

static uint32_t lanes_in_window(const uint64_t address[SIM_LANES], uint64_t window) {
    uint32_t in = 0;
    for (unsigned l = 0; l < SIM_LANES; l++) in |= (uint32_t)((address[l] & SIM_WINDOW_MASK) == window) << l;
    return in;
}

/* The kernel's parameters have their window; those of calls that were inlined lie in the thread's frame. */
static sim_step access_params(sim_warp *w, const sim_op *op, uint32_t active, uint64_t address[SIM_LANES],
                              elements_fn move) {
    uintptr_t base;
    if (!(lanes_in_window(address, SIM_PARAM_WINDOW) & active)) {
        sim_op uncounted = *op;
        uncounted.memory_class = HAUL_CLASS_NONE;
        return access_local(w, &uncounted, active, address, move);
    }
    SIM_EACH_LANE(l) address[l] -= SIM_PARAM_WINDOW;
    if (!sim_check_params(w, op, active, address, op->bytes, op->bytes, &base)) return SIM_STOP;
    move(w, op, active, base, address);
    if (op->memory_class == HAUL_CLASS_CONSTANT_LOAD) sim_count_constant(w->sm->counting, w, op, active, address);
    return SIM_NEXT;
}

/* The class of an access whose space only the address tells. */
static sim_op in_space(const sim_op *op, haul_memory_class load, haul_memory_class store) {
    sim_op copy = *op;
    copy.memory_class = (uint8_t)(op->memory_class == HAUL_CLASS_GLOBAL_LOAD ? load : store);
    return copy;
}

enum { USUAL_BYTES = 16 };

static sim_step access_generic(sim_warp *w, const sim_op *op, uint32_t active, uint64_t address[SIM_LANES],
                               elements_fn move) {
    uint32_t shared = lanes_in_window(address, SIM_SHARED_WINDOW) & active;
    uint32_t local = lanes_in_window(address, SIM_LOCAL_WINDOW) & active;
    uint32_t params = lanes_in_window(address, SIM_PARAM_WINDOW) & active;
    uint32_t global = active & ~(shared | local | params);
    sim_step step = SIM_NEXT;
    /* Global lanes first: they may have to wait, and then nothing must have been done yet. */
    if (op->bytes > USUAL_BYTES && shared)
        return sim_fault(w, op, HAUL_FINDING_ILLEGAL_ACCESS, shared, "accesses of 32 bytes are for global memory");
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

/* The slots of a vector's words. */
static void find_data(const sim_warp *w, const sim_op *op, uint32_t *data[4]) {
    const uint32_t *slots = w->sm->grid->program->pool + op->more;
    for (unsigned e = 0; e < op->count; e++) data[e] = SIM_SLOT(w, uint32_t, slots[e]);
}

/* ---- shared memory by patterns: the common case ---- */

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

/* Elements or registers of other than 4 bytes. */
static void move_any_by_pattern(sim_warp *w, const sim_op *op, uint32_t active, const uint32_t lanes[SIM_LANES],
                                bool is_store) {
    const uint32_t shift = (uint32_t)op->imm;
    uint64_t wide[SIM_LANES];
    SIM_EACH_LANE(l) wide[l] = lanes[l] + shift;
    move_elements(w, op, active, (uintptr_t)w->block->shared, wide, is_store ? stores[op->x][op->y] : loader(op));
}

static void check_by_pattern(sim_warp *w, const sim_op *op, uint32_t active, const uint32_t lanes[SIM_LANES]) {
    uint32_t address[SIM_LANES];
    if (op->flags & SIM_OP_WIDE) sim_hazard_narrow(w, op, active);
    SIM_EACH_LANE(l) address[l] = lanes[l] + (uint32_t)op->imm;
    check_block_access(w, op, active, w->block, address);
}

/* False, with nothing done, where the general way has to be gone. */
static bool access_by_pattern(sim_warp *w, const sim_op *op, uint32_t active, bool is_store) {
    uint32_t narrow[SIM_LANES];
    sim_pattern own;
    const uint32_t *lanes = sim_narrow_lanes(w, op, narrow);
    sim_pattern *p = sim_pattern_find(w, op, active, lanes, &own);
    if (!sim_pattern_fits(p, op->imm, w->sm->grid->shared_bytes, op->bytes)) return false;
    /* counted first: a load may write its own address register */
    if (!sim_count_pattern(w->sm->counting, op, p, lanes, is_store)) return false;
    if (__builtin_expect(w->sm->hazards != NULL, 0)) check_by_pattern(w, op, active, lanes);
    w->sm->changes += is_store;
    if (op->x == 2 && op->y == 2 && op->count <= 4)
        move_by_pattern(w, op, p, lanes, is_store);
    else
        move_any_by_pattern(w, op, active, lanes, is_store);
    return true;
}

/* ---- global memory, lanes at small constant distances: the common case ---- */

/* Vectors of words, side by side in each half warp. */
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

/* A size that is known is copied in place. */
static inline void move_words(unsigned char *lanes, unsigned char *const half[2], bool is_store) {
    for (unsigned h = 0; h < 2; h++, lanes += SIM_HALF * 4)
        memcpy(is_store ? half[h] : lanes, is_store ? lanes : half[h], SIM_HALF * 4);
}

/* base: of the address register's lanes. A load may overwrite the register. */
static void move_spread(sim_warp *w, const sim_op *op, uintptr_t base, const uint64_t lanes[SIM_LANES], bool is_store) {
    uint64_t kept[SIM_LANES];
    memcpy(kept, lanes, sizeof kept);
    move_elements(w, op, SIM_ALL_LANES, base, kept, is_store ? stores[op->x][op->y] : loader(op));
}

static void move_span(sim_warp *w, const sim_op *op, uintptr_t base, const uint64_t lanes[SIM_LANES], uint64_t stride,
                      bool is_store) {
    unsigned char *const half[2] = {(unsigned char *)(base + lanes[0]), (unsigned char *)(base + lanes[SIM_HALF])};
    const bool side_by_side = op->x == op->y && stride == op->bytes;
    if (side_by_side && op->count == 1 && op->x == 2) {
        move_words(SIM_SLOT(w, unsigned char, op->d), half, is_store);
    } else if (side_by_side && op->count == 1) {
        const size_t bytes = (size_t)SIM_HALF << op->x;
        unsigned char *data = SIM_SLOT(w, unsigned char, op->d);
        for (unsigned h = 0; h < 2; h++, data += bytes)
            memcpy(is_store ? half[h] : data, is_store ? data : half[h], bytes);
    } else if (side_by_side && op->x == 2 && (op->count == 2 || op->count == 4)) {
        move_vectors(w, op, half, is_store);
    } else {
        move_spread(w, op, base, lanes, is_store);
    }
}

static void check_span(sim_warp *w, const sim_op *op) {
    uint64_t address[SIM_LANES];
    sim_addresses(w, op, address);
    check_global_access(w, op, SIM_ALL_LANES, address);
}

/* False, with nothing done, where the general way has to be gone. What is asked of the lanes is asked of the register,
 * which lies as far apart as they do. */
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
    if (__builtin_expect(w->sm->hazards != NULL, 0)) check_span(w, op);
    w->sm->changes += is_store;
    sim_foresee(reach, first);
    move_span(w, op, range->host + offset, lanes, stride, is_store);
    sim_count_global_span(w->sm->counting, w, op, first, second, stride);
    return true;
}

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
ACCESS(load, load_elements, false)
ACCESS(store, store_elements, true)

/* A parameter at a fixed place is the same in all lanes. imm: its offset. */
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

/* A `.param` variable of a call that was inlined lies in the thread's frame; the kernel's own have their window. */
static sim_handler pick_param(const access_handlers *h, uint32_t base, int64_t offset) {
    return base == SIM_SLOT_ZERO && (uint64_t)offset < SIM_PARAM_WINDOW ? h->local : h->params;
}

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

/* Accesses that other threads may be waiting for, or that wait for other threads. */
static bool is_strong(const ptx_instruction *i) {
    switch (i->mods[PTX_SLOT_ORDER]) {
    case PTX_MOD_NONE:
    case PTX_MOD_WEAK: return i->mods[PTX_SLOT_CACHE] == PTX_MOD_CV;
    default: return true;
    }
}

/* ... of other blocks. */
static bool is_ordered(const ptx_instruction *i) {
    return is_strong(i) && i->mods[PTX_SLOT_SCOPE] != PTX_MOD_SCOPE_CTA;
}

/* The handler for an ordinary parameter load; NULL where the general one is needed. */
static sim_handler pick_parameter(const sim_op *op, unsigned limit) {
    uint64_t offset = (uint64_t)op->imm - SIM_PARAM_WINDOW;
    bool plain = op->run == load_params && op->count == 1 && op->x == op->y && op->a == SIM_SLOT_ZERO;
    if (!plain || offset + op->bytes > limit || offset % op->bytes) return NULL;
    return op->bytes == 4 ? parameter_32 : op->bytes == 8 ? parameter_64 : NULL;
}

static void simplify_parameter(const sim_lowering *l, sim_op *op) {
    sim_handler run = pick_parameter(op, l->program->param_bytes);
    if (!run) return;
    op->run = run;
    op->form = SIM_FORM_PARAMETER;
    op->imm -= (int64_t)SIM_PARAM_WINDOW;
}

/* A strong access is a matter of more than its addresses. */
static void use_pattern(sim_lowering *l, sim_op *op, const ptx_operand *memory, const access_handlers *h) {
    if (op->flags & SIM_OP_STRONG) return;
    if (op->run == h->global) op->run = h->span, op->form = SIM_FORM_GLOBAL;
    if (op->run != h->shared) return;
    op->run = h->own;
    op->form = h == &load_handlers ? SIM_FORM_SHARED_LOAD : SIM_FORM_SHARED_STORE;
    op->pattern = sim_pattern_of(l, memory);
}

static bool is_signed(unsigned type) {
    return ptx_types[type].kind == 'S';
}

/* The lane width of the data's registers, the same for all of a vector's; constants follow them. 0: they differ. */
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

static haul_status lower_access(sim_lowering *l, const ptx_instruction *i, const ptx_operand *memory,
                                const ptx_operand *data, bool is_load) {
    bool wide;
    int64_t offset;
    unsigned bytes = ptx_bits(i->type) / 8, count = data->kind == PTX_VECTOR ? data->part_count : 1;
    const ptx_operand *parts = data->kind == PTX_VECTOR ? data->parts : data;
    uint32_t slots[8], lane = data_lane_bytes(l, parts, count, bytes);
    if (!lane) return sim_lower_fail(l, "the elements' registers must all be as wide as each other");
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
    op->imm2 = is_load && is_signed(i->type);
    op->flags |= (uint8_t)((wide ? SIM_OP_WIDE : 0) | (is_ordered(i) ? SIM_OP_ORDERED : 0) |
                           (is_load && is_strong(i) ? SIM_OP_OBSERVES : 0) | (is_strong(i) ? SIM_OP_STRONG : 0) |
                           (i->mods[PTX_SLOT_ORDER] == PTX_MOD_RELEASE ? SIM_OP_RELEASES : 0));
    if (!(is_load ? loader(op) : stores[op->x][op->y]))
        return sim_lower_fail(l, "%u bits in a register of %u", 8 * bytes, 8 * lane);
    simplify_parameter(l, op);
    use_pattern(l, op, memory, is_load ? &load_handlers : &store_handlers);
    return HAUL_OK;
}

haul_status LOWER(LD)(sim_lowering *l, const ptx_instruction *i) {
    return lower_access(l, i, &i->operands[1], &i->operands[0], true);
}

haul_status LOWER(LDU)(sim_lowering *l, const ptx_instruction *i) {
    return LOWER(LD)(l, i);
}

/* An ordinary store, which releases. */
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

/* ---- hints and fences: nothing to do for the values ---- */

static sim_step nothing(sim_warp *w, const sim_op *op, uint32_t active) {
    (void)w, (void)op, (void)active;
    return SIM_NEXT;
}

/* x: the scope */
static sim_step fence(sim_warp *w, const sim_op *op, uint32_t active) {
    if (w->sm->hazards) sim_hazard_fence(w, active, (uint8_t)op->x);
    sim_count_barrier(w->sm->counting, w);
    if (op->x >= SIM_SCOPE_CLUSTER) sim_count_acquire(w->sm->counting);
    return SIM_NEXT;
}

haul_status LOWER(FENCE)(sim_lowering *l, const ptx_instruction *i) {
    sim_emit(l, fence)->x = sim_scope_of(i);
    return HAUL_OK;
}

haul_status LOWER(MEMBAR)(sim_lowering *l, const ptx_instruction *i) {
    return LOWER(FENCE)(l, i);
}

haul_status LOWER(FENCE_RESTRICTED)(sim_lowering *l, const ptx_instruction *i) {
    return LOWER(FENCE)(l, i);
}

/* x, y: for shared memory, for global memory */
static sim_step proxy_fence(sim_warp *w, const sim_op *op, uint32_t active) {
    if (w->sm->hazards) sim_hazard_proxy_fence(w, active, op->x, op->y);
    return SIM_NEXT;
}

static sim_step mbarrier_fence(sim_warp *w, const sim_op *op, uint32_t active) {
    (void)op;
    if (w->sm->hazards) sim_hazard_mbarrier_fence(w, active);
    return SIM_NEXT;
}

haul_status LOWER(FENCE_PROXY)(sim_lowering *l, const ptx_instruction *i) {
    const unsigned proxy = i->mods[PTX_SLOT_PROXY];
    sim_op *op = sim_emit(l, proxy_fence);
    op->x = proxy != PTX_MOD_PROXY_ALIAS && proxy != PTX_MOD_PROXY_ASYNC_GLOBAL;
    op->y = proxy == PTX_MOD_PROXY_ASYNC || proxy == PTX_MOD_PROXY_ASYNC_GLOBAL;
    return HAUL_OK;
}

haul_status LOWER(FENCE_PROXY_RESTRICTED)(sim_lowering *l, const ptx_instruction *i) {
    (void)i;
    sim_emit(l, proxy_fence)->x = 1;
    return HAUL_OK;
}

#define HAS_NO_EFFECT(id, run)                                          \
    haul_status LOWER(id)(sim_lowering * l, const ptx_instruction *i) { \
        (void)i;                                                        \
        sim_emit(l, run);                                               \
        return HAUL_OK;                                                 \
    }
HAS_NO_EFFECT(MEMBAR_PROXY, proxy_fence)
HAS_NO_EFFECT(PREFETCH, nothing)
HAS_NO_EFFECT(PREFETCHU, nothing)
HAS_NO_EFFECT(PREFETCH_TENSORMAP, nothing)
HAS_NO_EFFECT(DISCARD, nothing)
HAS_NO_EFFECT(APPLYPRIORITY, nothing)
HAS_NO_EFFECT(CP_TENSOR_PREFETCH, nothing)
HAS_NO_EFFECT(CP_TENSOR_PREFETCH_IM2COL, nothing)
HAS_NO_EFFECT(CP_TENSOR_PREFETCH_WIDE, nothing)
HAS_NO_EFFECT(WGMMA_FENCE, nothing)
HAS_NO_EFFECT(FENCE_MBARRIER_INIT, mbarrier_fence)

/* ---- cache policies ---- */

/* imm, imm2: both priorities; a: the fraction */
static sim_step fractional_policy(sim_warp *w, const sim_op *op, uint32_t active) {
    uint64_t *d = SIM_SLOT(w, uint64_t, op->d);
    const float *fraction = SIM_SLOT(w, float, op->a);
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        d[l] = sim_policy_fractional((sim_priority)op->imm, (sim_priority)op->imm2, (double)fraction[l]);
    }
    return SIM_NEXT;
}

static sim_priority second_priority(const ptx_instruction *i) {
    return i->mods[PTX_SLOT_EVICT_L2B] == PTX_MOD_L2B_EVICT_FIRST ? SIM_PRIORITY_FIRST : SIM_PRIORITY_UNCHANGED;
}

haul_status LOWER(CREATEPOLICY_FRACTIONAL)(sim_lowering *l, const ptx_instruction *i) {
    static const float whole = 1;
    uint32_t bits, d = sim_destination(l, &i->operands[0]);
    memcpy(&bits, &whole, sizeof bits);
    const uint32_t fraction =
        i->operand_count > 1 ? sim_source(l, &i->operands[1], PTX_F32) : sim_constant(l, bits, sizeof bits);
    sim_op *op = sim_emit(l, fractional_policy);
    op->d = d;
    op->a = fraction;
    op->imm = sim_priority_named(i);
    op->imm2 = second_priority(i);
    return HAUL_OK;
}

/* a: the address' register, x: that wide; b: bytes that get the first priority; imm: both priorities and the offset */
static sim_step range_policy(sim_warp *w, const sim_op *op, uint32_t active) {
    uint64_t *d = SIM_SLOT(w, uint64_t, op->d), address[SIM_LANES];
    const uint32_t *primary = SIM_SLOT(w, uint32_t, op->b);
    sim_addresses(w, op, address);
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        d[l] = sim_policy_range((sim_priority)op->x, (sim_priority)op->y, address[l], primary[l]);
    }
    return SIM_NEXT;
}

haul_status LOWER(CREATEPOLICY_RANGE)(sim_lowering *l, const ptx_instruction *i) {
    const uint32_t d = sim_destination(l, &i->operands[0]), primary = sim_source(l, &i->operands[2], PTX_U32);
    sim_op *op = sim_emit_at(l, range_policy, &i->operands[1]);
    op->d = d;
    op->b = primary;
    op->x = sim_priority_named(i);
    op->y = second_priority(i);
    return HAUL_OK;
}

/* An access property is taken for the policy that it becomes. */
static sim_step copy_policy(sim_warp *w, const sim_op *op, uint32_t active) {
    uint64_t *d = SIM_SLOT(w, uint64_t, op->d);
    const uint64_t *a = SIM_SLOT(w, uint64_t, op->a);
    SIM_STORE_LANES(d, active, a[l]);
    return SIM_NEXT;
}

haul_status LOWER(CREATEPOLICY_CVT)(sim_lowering *l, const ptx_instruction *i) {
    uint32_t a = sim_source(l, &i->operands[1], PTX_B64), d = sim_destination(l, &i->operands[0]);
    sim_op *op = sim_emit(l, copy_policy);
    op->a = a;
    op->d = d;
    return HAUL_OK;
}

/* ---- generic addresses ---- */

static uint64_t window_of(const ptx_instruction *i) {
    switch (i->mods[PTX_SLOT_SPACE]) {
    case PTX_MOD_SHARED:
    case PTX_MOD_SHARED_CTA:
    case PTX_MOD_SHARED_CLUSTER: return SIM_SHARED_WINDOW;
    case PTX_MOD_LOCAL: return SIM_LOCAL_WINDOW;
    default: return 0; /* global and constant addresses are generic ones; parameters' carry their window already */
    }
}

static sim_step add_window(sim_warp *w, const sim_op *op, uint32_t active) {
    uint64_t *d = SIM_SLOT(w, uint64_t, op->d), window = (uint64_t)op->imm;
    if (op->flags & SIM_OP_WIDE) {
        const uint64_t *a = SIM_SLOT(w, uint64_t, op->a);
        SIM_STORE_LANES(d, active, a[l] + window);
    } else {
        const uint32_t *a = SIM_SLOT(w, uint32_t, op->a);
        SIM_STORE_LANES(d, active, a[l] + window);
    }
    return SIM_NEXT;
}

static haul_status lower_cvta(sim_lowering *l, const ptx_instruction *i, uint64_t window) {
    if (ptx_bits(i->type) != 64) return sim_lower_fail(l, "only 64-bit generic addresses are supported");
    uint32_t a = sim_source(l, &i->operands[1], i->type), d = sim_destination(l, &i->operands[0]);
    sim_op *op = sim_emit(l, add_window);
    op->a = a;
    op->d = d;
    op->imm = (int64_t)window;
    op->flags |= SIM_OP_WIDE;
    op->form = SIM_FORM_ADD_WINDOW;
    return HAUL_OK;
}

haul_status LOWER(CVTA)(sim_lowering *l, const ptx_instruction *i) {
    return lower_cvta(l, i, window_of(i));
}

haul_status LOWER(CVTA_TO)(sim_lowering *l, const ptx_instruction *i) {
    return lower_cvta(l, i, 0 - window_of(i));
}

/* imm: the window; 0: what lies in none. x: its lanes are wanted. */
static sim_step test_space(sim_warp *w, const sim_op *op, uint32_t active) {
    const uint64_t *a = SIM_SLOT(w, uint64_t, op->a);
    uint32_t *d = SIM_SLOT(w, uint32_t, op->d), in = lanes_in_window(a, (uint64_t)op->imm);
    if (op->imm == 0)
        in = ~(lanes_in_window(a, SIM_SHARED_WINDOW) | lanes_in_window(a, SIM_LOCAL_WINDOW) |
               lanes_in_window(a, SIM_PARAM_WINDOW));
    *d = (*d & ~active) | (in & active);
    return SIM_NEXT;
}

haul_status LOWER(ISSPACEP)(sim_lowering *l, const ptx_instruction *i) {
    uint32_t a = sim_source(l, &i->operands[1], PTX_B64), d = sim_destination(l, &i->operands[0]);
    unsigned space = i->mods[PTX_SLOT_SPACE];
    bool param = space == PTX_MOD_PARAM || space == PTX_MOD_PARAM_ENTRY || space == PTX_MOD_PARAM_FUNC;
    sim_op *op = sim_emit(l, test_space);
    op->a = a;
    op->d = d;
    op->imm = (int64_t)(param ? SIM_PARAM_WINDOW : window_of(i));
    return HAUL_OK;
}
