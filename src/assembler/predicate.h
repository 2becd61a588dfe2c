/* Copies that machine code predicates, where PTX branches round them. */
#ifndef HAUL_ASSEMBLER_PREDICATE_H
#define HAUL_ASSEMBLER_PREDICATE_H

#include "assembler/pass.h"

/* A branch round nothing but copies around L1 becomes their guard:
 *
 *     if (p) cp.async.cg(to, from);     becomes     @p cp.async.cg(to, from);
 *
 * so that lanes that are off have their addresses in registers all the same, as tools that count copies find them. What
 * is computed behind the branch stays there: its registers are not known where it is not computed. Results are the
 * same. `*predicated` is `flat` where there is none; else a new function in the module's arena. Errors: out of memory.
 */
sim_pass_fn sim_predicate_copies;

#endif
