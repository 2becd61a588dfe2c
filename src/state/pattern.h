/* What a warp's addresses in shared memory have in common, found once for all accesses of a basic block that share an
 * address register.
 *
 * An access adds a constant to its register: that moves all lanes alike, so that neither strides nor bank conflicts
 * change. The first such access of a block (never a guarded one) looks at the lanes and leaves what it found in the
 * register file; the following ones use it as long as they run for the same lanes. That is safe although other paths of
 * the warp, in this block or in others, may have used the same place meanwhile: paths have no lane in common, and
 * within a block one place belongs to one register at a time. */
#ifndef HAUL_STATE_PATTERN_H
#define HAUL_STATE_PATTERN_H

#include "state/op.h"

typedef struct sim_wavefronts {
    uint32_t total;
    uint32_t ideal; /* without bank conflicts: one for each pass */
} sim_wavefronts;

/* Of both halves of the warp, when they have one. */
#define SIM_NO_STRIDE 0x80000001u

enum { SIM_PATTERN_WIDTHS = 3 /* up to 4 bytes a lane, 8, 16 */ };

typedef struct sim_pattern {
    uint32_t active;                                  /* the lanes it was found for */
    uint32_t first[2];                                /* lane 0's and lane 16's register; of a whole warp only */
    uint32_t stride;                                  /* from lane to lane within a half warp, or SIM_NO_STRIDE */
    uint32_t nearest, furthest;                       /* of the active lanes */
    uint32_t low_bits;                                /* set in any active lane's register */
    sim_wavefronts wavefronts[2][SIM_PATTERN_WIDTHS]; /* of loads, of stores; total 0: not counted yet */
} sim_pattern;

/* sim_op.pattern: a slot, a multiple of 64, and whether the operation is the first of its block to use it; 0: none. */
enum { SIM_PATTERN_LEADS = 1, SIM_PATTERN_BYTES = 128, SIM_PATTERNS = 16 };

_Static_assert(sizeof(sim_pattern) <= SIM_PATTERN_BYTES, "a pattern's place in the register file");

#endif
