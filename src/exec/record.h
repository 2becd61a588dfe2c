/* What launch records say of a kernel: its shape and its instructions with their source places. All of it is allocated
 * in `memory`, which has a jump point. */
#ifndef HAUL_EXEC_RECORD_H
#define HAUL_EXEC_RECORD_H

#include "exec/launch.h"
#include "state/program.h"

/* Kernel, grid, block, dynamic shared memory; not measured. */
void sim_record_shape(const sim_launch *launch, arena *memory, haul_launch_record *record);
/* traffic: by instruction; NULL: there was none. */
void sim_record_instructions(const sim_program *program, const haul_traffic *traffic, arena *memory,
                             haul_launch_record *record);
/* A record of a kernel that says nothing of a launch: its name and instructions. */
haul_status sim_record_program(const sim_program *program, arena *memory, haul_launch_record *record);

#endif
