/* Functions that tensor-memory instructions share. */
#ifndef HAUL_EXEC_OPS_TMEM_H
#define HAUL_EXEC_OPS_TMEM_H

#include "exec/fault.h"
#include "exec/ops/lanes.h"
#include "exec/products.h"
#include "state/block.h"
#include "state/products.h"

/* Compiled once for each vector extension. */
#define sim_tmem_pair SIM_PASTE(sim_tmem_pair, SIM_VARIANT)
#define sim_tmem_check SIM_PASTE(sim_tmem_check, SIM_VARIANT)

/* Returns the first block of the warp's pair, for .cta_group::2. If there is no pair, records the fault and returns
 * NULL. */
sim_block *sim_tmem_pair(sim_warp *w, const sim_op *op, uint32_t lanes);
/* Checks that the block owns the columns; records the fault otherwise. */
bool sim_tmem_check(sim_warp *w, const sim_op *op, uint32_t lanes, const sim_block *b, uint32_t address,
                    uint32_t columns);

/* ---- descriptors of matrices in shared memory ---- */

/* The same as wgmma's, except for the bits of the swizzle. */
static inline sim_descriptor sim_tmem_descriptor_of(uint64_t bits, bool transposed) {
    static const uint8_t hopper[] = {[0] = 0, [1] = 1, [2] = 1, [4] = 2, [6] = 3, [7] = 0};
    const unsigned swizzle = (unsigned)(bits >> 61);
    sim_descriptor d = sim_descriptor_of((bits & ~(UINT64_C(7) << 61)) | (uint64_t)hopper[swizzle] << 62, transposed);
    d.coarse = swizzle == 1;
    return d;
}

static inline const char *sim_tmem_descriptor_fault(uint64_t bits) {
    const unsigned swizzle = (unsigned)(bits >> 61);
    if (swizzle == 3 || swizzle == 5 || swizzle == 7) return "no such swizzle";
    if (bits >> 52 & 1) return "absolute leading dimensions are for a depth of 48 bytes";
    return (bits >> 46 & 7) == 1 ? NULL : "bits 46 to 48 must be 1";
}

/* Checks that sixteen bytes at `address` are in shared memory; records the fault otherwise. */
static inline bool sim_tmem_check_chunk(sim_warp *w, const sim_op *op, uint32_t lane, uint32_t address) {
    if ((uint64_t)address + SIM_CHUNK <= w->sm->grid->shared_bytes) return true;
    sim_fault_concerns(w, HAUL_SPACE_SHARED, address, SIM_CHUNK);
    sim_fault(w, op, HAUL_FINDING_OUT_OF_BOUNDS, lane, "matrix outside the block's shared memory: 16 bytes at 0x%x",
              address);
    return false;
}

#endif
