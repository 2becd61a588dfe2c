/* Read-only loads that machine code issues before stores, where PTX has them behind. */
#ifndef HAUL_ASSEMBLER_HOIST_H
#define HAUL_ASSEMBLER_HOIST_H

#include "assembler/pass.h"

/* ld.global.nc reads what no store of the kernel changes, as `const __restrict__` promises. So the assembler issues
 * such loads of a basic block together, ahead of the stores between them:
 *
 *     ld.nc a; st a; ld.nc b; st b     becomes     ld.nc a; ld.nc b; st a; st b
 *
 * which shows in the time (the loads wait together) and in what reaches L2 (stores of one line follow each other, and
 * are combined). Results are the same. `*hoisted` is `flat` where there is nothing to move; else a new function in the
 * module's arena, with the same blocks. `flat` is analysed. Errors: out of memory. */
sim_pass_fn sim_hoist;

#endif
