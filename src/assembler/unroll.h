/* Loops that machine code unrolls by four. */
#ifndef HAUL_ASSEMBLER_UNROLL_H
#define HAUL_ASSEMBLER_UNROLL_H

#include "assembler/pass.h"

/* Unrolls loops whose number of iterations may differ between lanes, if that decides which lanes share an access:
 *
 *     do { body } while (++k < n)      becomes     while (four are left) { body; body; body; body }
 *                                                  if (two are left) { body; body }
 *                                                  if (one is left) { body }
 *
 * Results are the same. */
sim_pass_fn sim_unroll;

/* Unrolls the others, in which all lanes make the same number of iterations: counters do not depend on it, but the
 * registers do. The result is in `memory`. */
const ptx_function *sim_unroll_uniform(const ptx_function *flat, arena *memory);

#endif
