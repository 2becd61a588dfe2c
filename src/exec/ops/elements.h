/* Elements of an access: ld and st move one per lane, or a vector of them, between memory and registers. In the
 * operation, x and y are log2 of the bytes of an element and of a register's lane. d is the register's slot; if count
 * is more than 1, `more` is the position of the slots in the pool. imm2: loads extend the sign.
 *
 * The functions know nothing of spaces: base + address[l] is host memory, which the caller has checked. A register may
 * be wider than the element (ld.u8 into 32 bits), so there is a function for each pair of widths. */
#ifndef HAUL_EXEC_OPS_ELEMENTS_H
#define HAUL_EXEC_OPS_ELEMENTS_H

#include "exec/ops/lanes.h"
#include "state/block.h"
#include "state/lanes.h"

/* Moves the active lanes' elements between base + address[l] and the register's lanes. The address is a multiple of the
 * element's size. A lane may be wider than the element. `turn`: the order of stores (sim_store_turn()). */
typedef void (*sim_element_fn)(void *lanes, uintptr_t base, const uint64_t address[SIM_LANES], uint32_t active,
                               unsigned turn);

/* Loads elements of type M into lanes of type R. A whole warp is one loop without branches, which vectorises. */
#define LOADER(name, M, R)                                                                                   \
    static void load_##name(void *lanes, uintptr_t base, const uint64_t address[SIM_LANES], uint32_t active, \
                            unsigned turn) {                                                                 \
        R *d = lanes;                                                                                        \
        (void)turn;                                                                                          \
        if (active == SIM_ALL_LANES) {                                                                       \
            SIM_EACH_LANE(l) d[l] = (R) * (const M *)(base + address[l]);                                    \
            return;                                                                                          \
        }                                                                                                    \
        for (uint32_t left = active; left; left &= left - 1) {                                               \
            unsigned l = (unsigned)__builtin_ctz(left);                                                      \
            d[l] = (R) * (const M *)(base + address[l]);                                                     \
        }                                                                                                    \
    }

/* Stores the lower bits, in the order of `turn`. */
#define STORER(name, M, R)                                                                                    \
    static void store_##name(void *lanes, uintptr_t base, const uint64_t address[SIM_LANES], uint32_t active, \
                             unsigned turn) {                                                                 \
        const R *s = lanes;                                                                                   \
        for (uint32_t left = sim_turn_lanes(active, turn); left; left &= left - 1) {                          \
            unsigned l = (unsigned)__builtin_ctz(left) ^ turn;                                                \
            *(M *)(base + address[l]) = (M)s[l];                                                              \
        }                                                                                                     \
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

#undef LOADER
#undef STORER

/* Returns NULL if there is no such width. */
static inline sim_element_fn sim_loader(const sim_op *op) {
    static const sim_element_fn loads[5][5] = {
        {0, load_u8_2, load_u8_4, load_u8_8, 0},
        {0, load_u16_2, load_u16_4, load_u16_8, 0},
        {0, 0, load_u32_4, load_u32_8, 0},
        {0, 0, 0, load_u64_8, 0},
        {0, 0, 0, 0, load_b128},
    };
    static const sim_element_fn signed_loads[4][5] = {
        {0, load_s8_2, load_s8_4, load_s8_8, 0},
        {0, load_u16_2, load_s16_4, load_s16_8, 0},
        {0, 0, load_u32_4, load_s32_8, 0},
        {0, 0, 0, load_u64_8, 0},
    };
    const bool extends = op->imm2 != 0 && op->x < 4;
    return extends ? signed_loads[op->x][op->y] : loads[op->x][op->y];
}

static inline sim_element_fn sim_storer(const sim_op *op) {
    static const sim_element_fn stores[5][5] = {
        {0, store_b8_2, store_b8_4, store_b8_8, 0},
        {0, store_b16_2, store_b16_4, store_b16_8, 0},
        {0, 0, store_b32_4, store_b32_8, 0},
        {0, 0, 0, store_b64_8, 0},
        {0, 0, 0, 0, store_b128},
    };
    return stores[op->x][op->y];
}

/* If lanes are adjacent in memory, one block copy replaces 32 small ones. */
static inline bool sim_is_contiguous(const uint64_t address[SIM_LANES], unsigned bytes) {
    uint64_t differs = 0;
    SIM_EACH_LANE(l) differs |= address[l] - address[0] - l * bytes;
    return differs == 0;
}

/* Moves element after element. A load's `_` is skipped: it has no register. */
static inline void sim_move_elements(sim_warp *w, const sim_op *op, uint32_t active, uintptr_t base,
                                     const uint64_t address[SIM_LANES], sim_element_fn move) {
    const unsigned element = 1u << op->x, turn = sim_store_turn(op->bytes);
    if (op->count == 1) {
        move(SIM_SLOT(w, void, op->d), base, address, active, turn);
        return;
    }
    const uint32_t *slots = w->sm->grid->program->pool + op->more;
    for (unsigned e = 0; e < op->count; e++) {
        if (slots[e] == SIM_SLOT_SINK) continue;
        move(SIM_SLOT(w, void, slots[e]), base + (uint64_t)e * element, address, active, turn);
    }
}

/* Load and store any access. Handlers pass these to the functions of the spaces. */
static inline void sim_load_elements(sim_warp *w, const sim_op *op, uint32_t active, uintptr_t base,
                                     const uint64_t address[SIM_LANES]) {
    bool same_width = op->x == op->y && op->count == 1;
    if (same_width && active == SIM_ALL_LANES && sim_is_contiguous(address, 1u << op->x)) {
        memcpy(SIM_SLOT(w, void, op->d), (const void *)(base + address[0]), (size_t)SIM_LANES << op->x);
        return;
    }
    sim_move_elements(w, op, active, base, address, sim_loader(op));
}

/* Returns whether the store gives memory other values than it has. Vectors and narrowed values count as others. */
static inline bool sim_stores_news(const sim_warp *w, const sim_op *op, uint32_t active, uintptr_t base,
                                   const uint64_t address[SIM_LANES]) {
    const size_t size = (size_t)1 << op->x;
    if (op->x != op->y || op->count > 1) return true;
    for (; active; active &= active - 1) {
        const unsigned l = (unsigned)__builtin_ctz(active);
        if (memcmp((const void *)(base + address[l]), SIM_SLOT(w, unsigned char, op->d) + l * size, size)) return true;
    }
    return false;
}

/* A store counts as a change, whatever it stores. But a warp that polls may pass on what it reads, in each round: that
 * is a change only if it stores something new. */
static inline void sim_store_elements(sim_warp *w, const sim_op *op, uint32_t active, uintptr_t base,
                                      const uint64_t address[SIM_LANES]) {
    w->sm->changes += !w->polls || sim_stores_news(w, op, active, base, address);
    bool same_width = op->x == op->y && op->count == 1;
    if (same_width && active == SIM_ALL_LANES && sim_is_contiguous(address, 1u << op->x)) {
        memcpy((void *)(base + address[0]), SIM_SLOT(w, void, op->d), (size_t)SIM_LANES << op->x);
        return;
    }
    sim_move_elements(w, op, active, base, address, sim_storer(op));
}

#endif
