/* Constant folding and simplifications that change results: functions of constants, products by one, the minimum of two
 * equal values. Results differ from PTX's only if the instruction is approximate or if NaNs or out-of-range constants
 * are involved. */
#ifndef HAUL_ASSEMBLER_FOLD_H
#define HAUL_ASSEMBLER_FOLD_H

#include "assembler/pass.h"
#include "base/arena.h"

/* Replaces such instructions of a flat, analysed function. Blocks and labels keep their numbers. */
sim_pass_fn sim_fold;

#endif
