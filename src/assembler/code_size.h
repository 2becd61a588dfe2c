/* The size of a kernel's machine code. */
#ifndef HAUL_ASSEMBLER_CODE_SIZE_H
#define HAUL_ASSEMBLER_CODE_SIZE_H

#include "assembler/cost.h"

/* Returns the machine instructions of the function's code, an estimate. `assembled` and `blocks` are of the function.
 */
double sim_code_instructions(const ptx_function *function, const struct sim_assembled *assembled,
                             const sim_cost *blocks);

#endif
