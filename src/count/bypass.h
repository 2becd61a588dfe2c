/* LDGSTS around L1 (cp.async.cg): how 16-byte copies from global to shared memory are grouped. */
#ifndef HAUL_COUNT_BYPASS_H
#define HAUL_COUNT_BYPASS_H

#include "count/coalesce.h"

/* Lanes form a group if they have the same source line, the same destination line, the same parity of the distance
 * between their sectors, and move the same halves. (Halves: whole sectors, lower, upper, or from one to the other.) A
 * group is one L2 request, one wavefront into shared memory, and a sector of traffic for each distinct source sector.
 * So a copy whose two sides are aligned alike makes one group per line; any skew splits lines and fetches sectors
 * twice. */
typedef struct sim_bypass {
    uint32_t wavefronts;     /* into shared memory: groups, including zero-filled lanes */
    uint32_t sectors;        /* of all groups, including zero-filled lanes */
    uint32_t tag_sectors;    /* distinct destination sectors of the pairs of lines, without zero-filled lanes */
    uint32_t tag_wavefronts; /* without zero-filled lanes */
    sim_lines requests;      /* to L2, one per group, without zero-filled lanes; a line may appear more than once */
} sim_bypass;

/* Lanes in `filled` have a source size of 0: they write zeros and read nothing. */
void sim_bypass_groups(const uint64_t source[SIM_LANES], const uint32_t destination[SIM_LANES], uint32_t active,
                       uint32_t filled, sim_bypass *bypass);

#endif
