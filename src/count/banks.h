/* Wavefronts of accesses to shared memory, which has 32 banks of 4 bytes. */
#ifndef HAUL_COUNT_BANKS_H
#define HAUL_COUNT_BANKS_H

#include "count/vectors.h"
#include "state/pattern.h"

/* A load or store of `bytes` (1 to 16) per lane. An access takes passes: one for up to 4 bytes per lane, one for each
 * active half warp at 8 bytes, one for each active quarter warp at 16 bytes. A pass takes as many wavefronts as the
 * most distinct words that one bank serves. Adjacent passes of a load merge if all pairs of lanes (i, i^1), or all
 * pairs (i, i^2), agree: both read the same address, or one is inactive. */
sim_wavefronts sim_bank_load(const uint32_t address[SIM_LANES], uint32_t active, unsigned bytes);
sim_wavefronts sim_bank_store(const uint32_t address[SIM_LANES], uint32_t active, unsigned bytes);

/* A copy through L1 (LDGSTS). L1's data lie in the same banks as shared memory, so a pass takes the larger of the
 * wavefronts of its two sides. Lanes in `filled` read nothing. */
sim_wavefronts sim_bank_copy(const uint64_t source[SIM_LANES], const uint32_t destination[SIM_LANES], uint32_t active,
                             uint32_t filled, unsigned bytes);

/* The distinct words, and the most that one bank serves. */
sim_bank_use sim_bank_atomic(const uint32_t address[SIM_LANES], uint32_t active, unsigned bytes);

/* An atomic on 4 or 8 bytes, which takes a pass for each active half warp at 8 bytes, else one. A bank serves one lane
 * at a time, also if several have one address. */
sim_wavefronts sim_bank_turns(const uint32_t address[SIM_LANES], uint32_t active, unsigned bytes);

/* Returns the passes of an atomic on up to 8 bytes. */
static inline uint32_t sim_half_passes(uint32_t active, unsigned bytes) {
    return bytes > 4 && (active & 0xffff) && active >> 16 ? 2 : 1;
}

#endif
