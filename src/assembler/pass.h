/* Passes: what the assembler changes of a kernel before the virtual GPU lowers it. */
#ifndef HAUL_ASSEMBLER_PASS_H
#define HAUL_ASSEMBLER_PASS_H

#include "ptx/ir.h"

/* Returns `flat`, which is analysed, or a new function in the module's arena. `scratch` lasts until the pass ends.
 * Either arena leaves the pass when memory runs out. */
typedef ptx_function *sim_pass_fn(ptx_module *module, ptx_function *flat, arena *scratch);

/* Runs one pass. Errors: out of memory; `*made` is `flat` then. */
haul_status sim_run_pass(sim_pass_fn *pass, ptx_module *module, ptx_function *flat, ptx_function **made);

#endif
