/* A pattern: what a warp's shared addresses have in common, found once for all accesses of a basic block that share an
 * address register.
 *
 * An access adds a constant to its register. That moves all lanes alike, so neither strides nor bank conflicts change.
 * The first unguarded access of a block analyses the lanes and leaves the pattern in the register file; later ones use
 * it as long as they run for the same lanes. Other paths of the warp may have used the same place meanwhile, which does
 * no harm: paths have no lane in common, and within a block a place belongs to one register at a time. */
#ifndef HAUL_STATE_PATTERN_H
#define HAUL_STATE_PATTERN_H

#include "state/op.h"

typedef struct sim_wavefronts {
    uint32_t total;
    uint32_t ideal; /* without bank conflicts: one for each pass */
} sim_wavefronts;

/* No single stride fits both halves of the warp. */
#define SIM_NO_STRIDE 0x80000001u

enum { SIM_PATTERN_WIDTHS = 3 /* up to 4 bytes a lane, 8, 16 */ };

typedef struct sim_pattern {
    uint32_t active;            /* the lanes it was found for */
    uint32_t first[2];          /* lane 0's and lane 16's register; only if all lanes are active */
    uint32_t stride;            /* from lane to lane within a half warp, or SIM_NO_STRIDE */
    uint32_t nearest, furthest; /* of the active lanes */
    uint32_t low_bits;          /* bits set in any active lane's register */
    sim_wavefronts wavefronts[2][SIM_PATTERN_WIDTHS]; /* of loads, of stores; total 0: not counted yet */
} sim_pattern;

/* Fields of sim_op.pattern: a slot, which is a multiple of 64, and whether the operation is the first of its block to
 * use it; 0: none. */
enum { SIM_PATTERN_LEADS = 1, SIM_PATTERN_BYTES = 128, SIM_PATTERNS = 16 };

_Static_assert(sizeof(sim_pattern) <= SIM_PATTERN_BYTES, "a pattern fits into its place in the register file");

#endif
