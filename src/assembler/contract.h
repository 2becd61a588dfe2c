/* Products and sums that machine code makes as one fused operation: it is rounded once, so results differ in their last
 * bit from what PTX says when read literally. PTX leaves that to the assembler where an instruction names no rounding.
 */
#ifndef HAUL_ASSEMBLER_CONTRACT_H
#define HAUL_ASSEMBLER_CONTRACT_H

#include "assembler/pass.h"
#include "base/arena.h"

/* The flat, analysed function with such products and sums made one; the function itself where there are none. What is
 * new lies in `memory`; `scratch` is for the work. Both have jump points. Blocks and labels keep their numbers. */
sim_pass_fn sim_contract;

#endif
