/* Limits on the memory that a module declares, as ptxas 13.0 counts it. Errors: HAUL_ERROR_SYNTAX, with the place and
 * what to do. */
#ifndef HAUL_PTX_LIMITS_H
#define HAUL_PTX_LIMITS_H

#include "ptx/ir.h"

/* Checks a kernel's parameters, which are packed. */
haul_status ptx_check_parameters(const ptx_module *module, const ptx_function *function);
/* Checks the module's constant variables, which share one bank. */
enum { PTX_CONSTANT_BYTES = 64 << 10 };
haul_status ptx_check_constants(const ptx_module *module);
/* Checks static shared memory of each kernel: its own variables, those of all functions that it may call, and the
 * module's variables that any of them names. `scratch` has a jump point. */
haul_status ptx_check_shared(const ptx_module *module, arena *scratch);

#endif
