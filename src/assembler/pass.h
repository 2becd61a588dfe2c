/* A pass over a kernel before it is lowered: what has to be made beside its result lives until it ends. */
#ifndef HAUL_ASSEMBLER_PASS_H
#define HAUL_ASSEMBLER_PASS_H

#include "ptx/ir.h"

/* Gives `flat`, or a new function in the module's arena. Either arena leaves the pass when memory runs out. */
typedef ptx_function *sim_pass(ptx_module *module, ptx_function *flat, arena *scratch);

/* Errors: out of memory; `*made` is `flat` then. */
haul_status sim_run_pass(sim_pass *pass, ptx_module *module, ptx_function *flat, ptx_function **made);

#endif
