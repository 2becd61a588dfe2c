/* The texels that a fetch through a texture, or an access to a surface, touches. */
#ifndef HAUL_STATE_TEXELS_H
#define HAUL_STATE_TEXELS_H

#include "state/op.h"

enum { SIM_MOST_TEXELS = 16 }; /* of a fetch: 2 x 2 x 2 in two levels */

/* A texel in memory and in L1, where a tag stands for four sectors: a line of memory for arrays and linear memory, four
 * rows of 32 bytes for pitched memory. */
typedef struct sim_texel {
    uint64_t address; /* the device's */
    uint64_t tag;
    uint8_t sector, bank; /* in the tag: which sector, and which of the four tag banks */
} sim_texel;

/* The texels that a lane touches. */
typedef struct sim_footprint_texels {
    uint32_t count;
    sim_texel texels[SIM_MOST_TEXELS];
} sim_footprint_texels;

/* The texels that a warp's lanes touch. Lanes form groups of four, or of eight for surfaces and linear memory. Each
 * group makes one request for each pass that it needs. */
typedef struct sim_texel_access {
    unsigned bytes;                        /* of each texel */
    bool filtered;                         /* linear filtering: wide texels take more passes */
    bool linear;                           /* memory without rows */
    bool volume;                           /* three dimensions */
    sim_footprint_texels lanes[SIM_LANES]; /* unused for inactive lanes */
} sim_texel_access;

#endif
