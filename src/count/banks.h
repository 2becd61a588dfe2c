/* Shared memory: 32 banks of 4 bytes. How many wavefronts an access takes. */
#ifndef HAUL_COUNT_BANKS_H
#define HAUL_COUNT_BANKS_H

#include "count/vectors.h"
#include "state/pattern.h"

/* A load or store of `bytes` (1 to 16) a lane. An access is made in passes: one for up to 4 bytes a lane, one for each
 * active half warp at 8 bytes, one for each active quarter at 16 bytes; a pass takes as many wavefronts as the most
 * distinct words that one bank serves. A load's neighbouring passes are made as one where pairs of lanes (i, i^1), or
 * all pairs (i, i^2), read the same address or are inactive on one side. */
sim_wavefronts sim_bank_load(const uint32_t address[SIM_LANES], uint32_t active, unsigned bytes);
sim_wavefronts sim_bank_store(const uint32_t address[SIM_LANES], uint32_t active, unsigned bytes);

/* A copy through L1 (LDGSTS): L1's data lie in the same banks as shared memory, and a pass takes as many wavefronts as
 * the worse of its two sides does. Lanes in `filled` read nothing. */
sim_wavefronts sim_bank_copy(const uint64_t source[SIM_LANES], const uint32_t destination[SIM_LANES], uint32_t active,
                             uint32_t filled, unsigned bytes);

/* Lanes on one address are free. */
sim_bank_use sim_bank_atomic(const uint32_t address[SIM_LANES], uint32_t active, unsigned bytes);

#endif
