/* Loads that both paths after a branch make. */
#ifndef HAUL_ASSEMBLER_COMMON_LOAD_H
#define HAUL_ASSEMBLER_COMMON_LOAD_H

#include "assembler/pass.h"

/* If both paths after a branch load the same address, the load runs once before the branch:
 *
 *     @p bra T; ld a, [x]; ...; T: ld b, [x]; ...     becomes     ld t, [x]; @p bra T; mov a, t; ...; T: mov b, t; ...
 *
 * A path is the block after the branch, also behind a mere jump, if no other block leads there. Both are so short that
 * machine code predicates them, only compute and load, and end in one place. The address is the same as before the
 * branch. Warps whose lanes take both paths have half the loads. Results are the same. A new function has the same
 * blocks. */
sim_pass_fn sim_share_loads;

#endif
