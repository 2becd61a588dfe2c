/* What fetches through textures, and surface accesses, count. */
#ifndef HAUL_SIM_COUNT_TEXTURE_H
#define HAUL_SIM_COUNT_TEXTURE_H

#include "sim/count/count.h"
#include "sim/texture/texture.h"

/* The texels that a warp's lanes touch. Lanes are taken in groups of four, or eight for surfaces and linear memory;
 * each group is a request, or as many as it needs passes. */
typedef struct sim_texel_access {
    unsigned bytes;                        /* of each texel */
    bool filtered;                         /* linear filtering: wide texels take more passes */
    bool linear;                           /* memory without rows */
    bool volume;                           /* three dimensions */
    sim_footprint_texels lanes[SIM_LANES]; /* those of lanes that take no part are not looked at */
} sim_texel_access;

/* tex, tld4; suld, sust, sured by the instruction's class. */
void sim_count_texels(sim_counting *c, const sim_op *op, uint32_t active, const sim_texel_access *access);

#endif
