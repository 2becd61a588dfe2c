/* Addresses of a warp's access: computed, checked, and turned into host memory. */
#ifndef HAUL_SIM_OPS_ACCESS_H
#define HAUL_SIM_OPS_ACCESS_H

#include "sim/block.h"
#include "sim/ops/lanes.h"

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

/* The same for shared memory, whose addresses have 32 bits whatever register they come in. */
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

/* Lanes of `active` that are not aligned to `bytes` (a power of two), or lie outside from..to. */
static inline uint32_t sim_bad_lanes(const uint64_t address[SIM_LANES], uint32_t active, uint64_t from, uint64_t to,
                                     unsigned bytes, unsigned alignment) {
    uint64_t span = to - from, need = bytes;
    uint32_t bad = 0;
    if (span < need) return active;
    span -= need;
    for (unsigned l = 0; l < SIM_LANES; l++)
        bad |= (uint32_t)((address[l] - from > span) | ((address[l] & (alignment - 1)) != 0)) << l;
    return bad & active;
}

/* Global memory: finds the allocation that all active lanes lie in, at first where the last access of this instruction
 * went. False when some lane lies in none, or is misaligned: the fault has been recorded. Lanes in different
 * allocations are checked one by one: all share one base. */
bool sim_check_global(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES], unsigned bytes,
                      unsigned alignment, uintptr_t *base);
/* Shared memory of the block. */
bool sim_check_shared(sim_warp *w, const sim_op *op, uint32_t active, const uint32_t address[SIM_LANES], unsigned bytes,
                      unsigned alignment);
/* Generic addresses in the shared window: no lane may be so far in that its address would wrap around. */
bool sim_check_window(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES]);
/* Offsets into the threads' frames; `address` becomes offsets from *base. */
bool sim_check_frame(sim_warp *w, const sim_op *op, uint32_t active, uint64_t address[SIM_LANES], unsigned bytes,
                     unsigned alignment, uintptr_t *base);
/* Offsets into the kernel's parameters. */
bool sim_check_params(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t offset[SIM_LANES], unsigned bytes,
                      unsigned alignment, uintptr_t *base);

#endif
