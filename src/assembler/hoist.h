/* Read-only loads that machine code issues before stores that precede them in PTX. */
#ifndef HAUL_ASSEMBLER_HOIST_H
#define HAUL_ASSEMBLER_HOIST_H

#include "assembler/pass.h"

/* ld.global.nc reads memory that no store of the kernel changes, as `const __restrict__` promises. The assembler
 * therefore issues such loads of a basic block together, ahead of the stores between them:
 *
 *     ld.nc a; st a; ld.nc b; st b     becomes     ld.nc a; ld.nc b; st a; st b
 *
 * This changes the time, since the loads wait together, and the traffic to L2, where adjacent stores of one line are
 * combined. Results are the same. A new function has the same blocks. */
sim_pass_fn sim_hoist;

#endif
