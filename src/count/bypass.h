/* LDGSTS around L1 (cp.async.cg): how 16-byte copies from global to shared memory fall into groups that travel
 * together. */
#ifndef HAUL_COUNT_BYPASS_H
#define HAUL_COUNT_BYPASS_H

#include "count/coalesce.h"

/* Lanes that share source line, destination line, the parity of the distance between their sectors within the lines,
 * and which halves they take (whole sectors, lower, upper, or from one to the other) form a group: one L2 request, one
 * wavefront into shared memory, and a sector of traffic for each distinct source sector. A copy whose two sides are
 * aligned alike thus makes one group a line; any skew splits lines and fetches sectors twice. */
typedef struct sim_bypass {
    uint32_t wavefronts;     /* into shared memory: groups, zero-filled lanes included */
    uint32_t sectors;        /* over the groups, zero-filled lanes included */
    uint32_t tag_sectors;    /* distinct destination sectors over the pairs of lines; without zero-filled lanes */
    uint32_t tag_wavefronts; /* without zero-filled lanes */
    sim_lines requests;      /* to L2, one for each group; without zero-filled lanes. A line may come up again */
} sim_bypass;

/* Lanes in `filled` have a source size of 0: they write zeros and read nothing. */
void sim_bypass_groups(const uint64_t source[SIM_LANES], const uint32_t destination[SIM_LANES], uint32_t active,
                       uint32_t filled, sim_bypass *bypass);

#endif
