/* Arrays of a thread that PTX has in local memory and machine code keeps in registers. */
#ifndef HAUL_ASSEMBLER_LOCAL_H
#define HAUL_ASSEMBLER_LOCAL_H

#include "assembler/values.h"

/* Returns whether all of the function's local memory is such arrays, so that no local access remains. */
bool sim_local_in_registers(const ptx_function *function, const sim_values *values, arena *memory);

#endif
