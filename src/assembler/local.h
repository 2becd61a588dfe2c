/* Arrays of a thread that machine code keeps in registers, although PTX has them in local memory. */
#ifndef HAUL_ASSEMBLER_LOCAL_H
#define HAUL_ASSEMBLER_LOCAL_H

#include "assembler/values.h"

/* Whether the function's local memory is such arrays, so that no access to it is left. */
bool sim_local_in_registers(const ptx_function *function, const sim_values *values, arena *memory);

#endif
