/* Loops that machine code makes four rounds of at a time. */
#ifndef HAUL_ASSEMBLER_UNROLL_H
#define HAUL_ASSEMBLER_UNROLL_H

#include "assembler/pass.h"

/* Loops whose number of rounds may differ from lane to lane, where that decides which lanes share an access:
 *
 *     do { round } while (++k < n)     becomes     while (four rounds are left) { round; round; round; round }
 *                                                  if (two are left) { round; round }
 *                                                  if (one is left) { round }
 *
 * as the assembler does it. Results are the same. `*unrolled` is `flat` where there is no such loop; else a new
 * function in the module's arena. Errors: out of memory. */
sim_pass_fn sim_unroll;

#endif
