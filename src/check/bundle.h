/* Bundles: accesses of compiled code to shared memory that are checked together (jit/compiled.h). Only rows check them
 * (lines.c): where rows do not suffice, the accesses' handlers check one by one. */
#ifndef HAUL_CHECK_BUNDLE_H
#define HAUL_CHECK_BUNDLE_H

#include "state/block.h"

/* The bundles of one address register that an SM has met. */
typedef struct sim_bundle_cache sim_bundle_cache;

/* `apart`: the lanes' distances from lane 0. Returns NULL if the host has no memory. */
sim_bundle_cache *sim_bundles_create(uint32_t bundles, const uint32_t apart[SIM_LANES]);
void sim_bundles_free(sim_bundle_cache *cache);
/* The lanes' distances have changed. */
void sim_bundles_reshape(sim_bundle_cache *cache, const uint32_t apart[SIM_LANES]);

/* Checks and records the bundle's accesses: the operations `pcs`, loads or one store, by a whole warp. Lane l of their
 * register is at first + apart[l]; all bytes are within the block's shared memory. Returns false, with no finding, if
 * the handlers must check them. */
bool sim_bundle_check(sim_warp *w, sim_bundle_cache *cache, uint32_t bundle, const uint32_t *pcs, size_t count,
                      const uint32_t apart[SIM_LANES], uint32_t first);

#endif
