/* Fuses products and sums as machine code does. A fused operation rounds once, so results differ in their last bit from
 * a literal reading of PTX. PTX leaves this to the assembler if an instruction names no rounding. */
#ifndef HAUL_ASSEMBLER_CONTRACT_H
#define HAUL_ASSEMBLER_CONTRACT_H

#include "assembler/pass.h"
#include "base/arena.h"

/* Fuses such products and sums in a flat, analysed function. Blocks and labels keep their numbers. */
sim_pass_fn sim_contract;

#endif
