/* Parts of launch records that describe the kernel: its shape, and its instructions with their source lines. All of it
 * is allocated in `memory`, which has a jump point. */
#ifndef HAUL_EXEC_RECORD_H
#define HAUL_EXEC_RECORD_H

#include "exec/launch.h"
#include "state/program.h"

/* Fills in kernel, grid, block and dynamic shared memory. */
void sim_record_shape(const sim_launch *launch, arena *memory, haul_launch_record *record);
/* Fills in the instructions. traffic: one entry for each instruction; NULL: none was counted. */
void sim_record_instructions(const sim_program *program, const haul_traffic *traffic, arena *memory,
                             haul_launch_record *record);
/* Makes a record of a kernel without a launch: its name and instructions. */
haul_status sim_record_program(const sim_program *program, arena *memory, haul_launch_record *record);

#endif
