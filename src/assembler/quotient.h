/* Approximate quotients as the instructions that machine code has for them. */
#ifndef HAUL_ASSEMBLER_QUOTIENT_H
#define HAUL_ASSEMBLER_QUOTIENT_H

#include "assembler/pass.h"

/* Writes a quotient that is only added as the product that it is in machine code, so that sim_contract() can fuse it:
 *
 *     d = a / b;     becomes     s = scale of b; d = a * s * (1 / (b * s));
 *
 * It applies to div.approx and div.full. The product has the bits of the quotient (exec/ops/approximate.c). */
sim_pass_fn sim_expand_quotients;

#endif
