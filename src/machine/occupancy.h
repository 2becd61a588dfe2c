/* How many blocks an SM holds at once, what limits it, and how much of the SM's memory that leaves for L1. */
#ifndef HAUL_MACHINE_OCCUPANCY_H
#define HAUL_MACHINE_OCCUPANCY_H

#include "machine/machine.h"

#include <haul/run.h>

/* Of blocks with so many warps and registers a thread. Registers are given to whole warps, and each of an SM's four
 * quarters has a quarter of them. */
uint32_t sim_blocks_by_registers(const sim_machine *machine, uint32_t warps, uint32_t registers);
/* For a kernel that needs so many registers a thread and so much shared memory a block in all. */
void sim_occupancy_of(const sim_machine *machine, uint32_t registers, uint32_t threads, uint64_t shared_bytes,
                      haul_occupancy *occupancy);

#endif
