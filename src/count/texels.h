/* Counting texture fetches and surface accesses. */
#ifndef HAUL_COUNT_TEXELS_H
#define HAUL_COUNT_TEXELS_H

#include "count/count.h"
#include "state/texels.h"

/* tex, tld4; suld, sust, sured by the instruction's class. */
void sim_count_texels(sim_counting *c, const sim_op *op, uint32_t active, const sim_texel_access *access);

#endif
