/* What the assembler works out itself, and computes otherwise than the instruction would: functions of constants,
 * products by one, a lesser of two equals. It can be told by results only where the instruction is approximate, or
 * where NaNs and constants beyond a type are concerned. */
#ifndef HAUL_ASSEMBLER_FOLD_H
#define HAUL_ASSEMBLER_FOLD_H

#include "assembler/pass.h"
#include "base/arena.h"

/* The flat, analysed function with such instructions as the assembler has them; the function itself where there are
 * none. What is new lies in `memory`; `scratch` is for the work. Both have jump points. Blocks and labels keep their
 * numbers. */
sim_pass_fn sim_fold;

#endif
