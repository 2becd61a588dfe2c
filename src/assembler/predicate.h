/* Copies that PTX branches around and machine code predicates. */
#ifndef HAUL_ASSEMBLER_PREDICATE_H
#define HAUL_ASSEMBLER_PREDICATE_H

#include "assembler/pass.h"

/* Turns a branch around nothing but copies that bypass L1 into their guard:
 *
 *     if (p) cp.async.cg(to, from);     becomes     @p cp.async.cg(to, from);
 *
 * Inactive lanes then have their addresses in registers, too, where tools that count copies find them. Computations
 * after the branch stay there, since their registers are undefined on the other path. Results are the same. */
sim_pass_fn sim_predicate_copies;

#endif
