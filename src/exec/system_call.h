/* Calls of functions without a body, which the system provides (system_call.def). */
#ifndef HAUL_EXEC_SYSTEM_CALL_H
#define HAUL_EXEC_SYSTEM_CALL_H

#include "lower/lower.h"

/* Returns whether the system provides a function of that name. */
bool sim_is_system_call(const char *name);

/* Returns whether it is a function of the device runtime, by which kernels launch kernels. The system lacks these. */
bool sim_launches_kernels(const char *name);
haul_status sim_lower_system_call(sim_lowering *l, const ptx_instruction *call);

#endif
