/* Addresses of a warp's access: computes them, checks them and finds the host memory behind them. */
#ifndef HAUL_EXEC_ACCESS_H
#define HAUL_EXEC_ACCESS_H

#include "machine/memory.h"
#include "state/block.h"
#include "state/lanes.h"

/* Computes the addresses of all lanes: register plus constant. Those of inactive lanes mean nothing. */
static inline void sim_addresses(const sim_warp *w, const sim_op *op, uint64_t address[SIM_LANES]) {
    uint64_t offset = (uint64_t)op->imm;
    if (op->flags & SIM_OP_WIDE) {
        const uint64_t *a = SIM_SLOT(w, uint64_t, op->a);
        SIM_EACH_LANE(l) address[l] = a[l] + offset;
    } else {
        const uint32_t *a = SIM_SLOT(w, uint32_t, op->a);
        SIM_EACH_LANE(l) address[l] = a[l] + offset;
    }
}

/* The same for shared memory. Its addresses have 32 bits, whatever the width of their register. */
static inline void sim_shared_addresses(const sim_warp *w, uint32_t slot, int64_t imm, bool wide,
                                        uint32_t address[SIM_LANES]) {
    uint32_t offset = (uint32_t)imm;
    if (wide) {
        const uint64_t *a = SIM_SLOT(w, uint64_t, slot);
        SIM_EACH_LANE(l) address[l] = (uint32_t)a[l] + offset;
    } else {
        const uint32_t *a = SIM_SLOT(w, uint32_t, slot);
        SIM_EACH_LANE(l) address[l] = a[l] + offset;
    }
}

/* Returns the lanes whose generic address lies in a window (machine/memory.h). */
static inline uint32_t sim_lanes_in_window(const uint64_t address[SIM_LANES], uint64_t window) {
    uint32_t in = 0;
    for (unsigned l = 0; l < SIM_LANES; l++) in |= (uint32_t)((address[l] & SIM_WINDOW_MASK) == window) << l;
    return in;
}

/* Returns one lane of a register that holds an address or a part of one. */
static inline uint64_t sim_lane_address(const sim_warp *w, uint32_t slot, bool wide, unsigned lane) {
    return wide ? SIM_SLOT(w, uint64_t, slot)[lane] : SIM_SLOT(w, uint32_t, slot)[lane];
}

/* Returns whether all active lanes' accesses of `bytes` lie in from .. to-1 and are aligned to `alignment`, a power of
 * two. This runs for every access, hence no branch for each lane. */
static inline bool sim_all_inside(const uint64_t address[SIM_LANES], uint32_t active, uint64_t from, uint64_t to,
                                  unsigned bytes, unsigned alignment) {
    uint64_t furthest = 0, low_bits = 0;
    if (to - from < bytes) return false;
    if (active == SIM_ALL_LANES) {
        for (unsigned l = 0; l < SIM_LANES; l++) {
            uint64_t offset = address[l] - from;
            furthest = offset > furthest ? offset : furthest;
            low_bits |= address[l];
        }
    } else {
        for (unsigned l = 0; l < SIM_LANES; l++) {
            uint64_t in = 0 - (uint64_t)(active >> l & 1), offset = (address[l] - from) & in;
            furthest = offset > furthest ? offset : furthest;
            low_bits |= address[l] & in;
        }
    }
    return furthest <= to - from - bytes && (low_bits & (alignment - 1)) == 0;
}

/* The same for shared memory, whose first address is 0 and which ends at `limit`. */
static inline bool sim_all_in_shared(const uint32_t address[SIM_LANES], uint32_t active, uint32_t limit, unsigned bytes,
                                     unsigned alignment) {
    uint32_t furthest = 0, low_bits = 0;
    if (limit < bytes) return false;
    if (active == SIM_ALL_LANES) {
        for (unsigned l = 0; l < SIM_LANES; l++) {
            furthest = address[l] > furthest ? address[l] : furthest;
            low_bits |= address[l];
        }
    } else {
        for (unsigned l = 0; l < SIM_LANES; l++) {
            uint32_t in = 0 - (active >> l & 1);
            furthest = (address[l] & in) > furthest ? (address[l] & in) : furthest;
            low_bits |= address[l] & in;
        }
    }
    return furthest <= limit - bytes && (low_bits & (alignment - 1)) == 0;
}

/* Returns whether the lanes of each half warp have a constant stride. The stride is address[1] - address[0] and must be
 * below 2^28. */
static inline bool sim_halves_progress(const uint64_t address[SIM_LANES]) {
    enum { HALF = SIM_LANES / 2 };
    const uint64_t first = address[0], second = address[HALF];
    const uint32_t stride = (uint32_t)(address[1] - first);
    uint64_t differs = 0;
    for (uint32_t l = 0; l < HALF; l++)
        differs |= (address[l] - first - l * stride) | (address[l + HALF] - second - l * stride);
    return differs == 0;
}

/* The checks below call these if their fast test fails. sim_search_global() finds the allocation, or records the fault
 * and returns false; the others record the fault. They are in exec/access.c. */
bool sim_search_global(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES],
                       unsigned bytes, unsigned alignment, uintptr_t *base);
bool sim_fault_shared(sim_warp *w, const sim_op *op, uint32_t active, const uint32_t address[SIM_LANES], unsigned bytes,
                      unsigned alignment);
bool sim_fault_frame(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES], unsigned bytes,
                     unsigned alignment);

/* Returns host memory for a range of global memory that a copy reads or writes, or NULL if that access is not
 * allowed. */
void *sim_reach_stretch(sim_sm *sm, uint64_t address, uint64_t bytes, bool is_write);

/* The value of *base if lanes access several allocations: their host addresses are in w->sm->places. No other base is
 * odd. */
enum { SIM_SCATTERED = 1 };

/* Checks an access to global memory. Tries the allocation that this instruction accessed last, then searches the
 * others. Records the fault and returns false if a lane is outside of all allocations or misaligned. */
static inline bool sim_check_global(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES],
                                    unsigned bytes, unsigned alignment, uintptr_t *base) {
    const sim_range *range = &w->sm->reaches[op->instruction].range;
    *base = range->host;
    return sim_all_inside(address, active, range->from, range->to, bytes, alignment) ||
           sim_search_global(w, op, active, address, bytes, alignment, base);
}

/* Returns the offsets that a handler adds to the base that sim_check_global() gave. Sets a scattered base to 0. */
static inline const uint64_t *sim_places(const sim_warp *w, const uint64_t address[SIM_LANES], uintptr_t *base) {
    if (__builtin_expect(*base != SIM_SCATTERED, 1)) return address;
    *base = 0;
    return w->sm->places;
}

/* Prefetch scattered lanes so that their misses overlap each other and the counting. */
static inline void sim_fetch_lanes(uint32_t active, uintptr_t base, const uint64_t places[SIM_LANES]) {
    for (unsigned l = 0; l < SIM_LANES; l++)
        if (active >> l & 1) __builtin_prefetch((const void *)(base + places[l]));
}

/* Checks an access to the block's shared memory; records the fault and returns false if it is not allowed. */
static inline bool sim_check_shared(sim_warp *w, const sim_op *op, uint32_t active, const uint32_t address[SIM_LANES],
                                    unsigned bytes, unsigned alignment) {
    return sim_all_in_shared(address, active, w->sm->grid->shared_bytes, bytes, alignment) ||
           sim_fault_shared(w, op, active, address, bytes, alignment);
}

/* Checks generic addresses in the shared window: no lane may be so far in that its address would wrap around. */
bool sim_check_window(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES]);
/* Checks offsets into the threads' frames and turns `address` into offsets from *base. */
static inline bool sim_check_frame(sim_warp *w, const sim_op *op, uint32_t active, uint64_t address[SIM_LANES],
                                   unsigned bytes, unsigned alignment, uintptr_t *base) {
    const uint64_t frame = w->sm->grid->program->frame_bytes;
    uint64_t furthest = 0, *used = &w->block->frame_used;
    *base = (uintptr_t)w->block->frames + (uint64_t)w->index * SIM_LANES * frame;
    if (!sim_all_inside(address, active, 0, frame, bytes, alignment))
        return sim_fault_frame(w, op, active, address, bytes, alignment);
    for (unsigned l = 0; l < SIM_LANES; l++) {
        const uint64_t offset = address[l] & (0 - (uint64_t)(active >> l & 1));
        furthest = offset > furthest ? offset : furthest;
        address[l] += l * frame;
    }
    if (furthest + bytes > *used) *used = furthest + bytes;
    return true;
}

/* Checks offsets into the kernel's parameters. */
bool sim_check_params(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t offset[SIM_LANES], unsigned bytes,
                      unsigned alignment, uintptr_t *base);

/* Returns the memory that lane `lane` reads at generic address `address`, or NULL if there is none. *reach: the bytes
 * from there to the end of that range of memory, at least 1. */
const unsigned char *sim_lane_view(const sim_warp *w, unsigned lane, uint64_t address, uint64_t *reach);

#endif
