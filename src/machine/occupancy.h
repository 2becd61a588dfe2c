/* Occupancy: how many blocks an SM holds at once, the limit, and how much of the SM's memory remains for L1. */
#ifndef HAUL_MACHINE_OCCUPANCY_H
#define HAUL_MACHINE_OCCUPANCY_H

#include "machine/machine.h"

#include <haul/run.h>

/* The blocks that registers allow, by warps of a block and registers of a thread. Whole warps get registers, and each
 * of an SM's four quarters has a quarter of them. */
uint32_t sim_blocks_by_registers(const sim_machine *machine, uint32_t warps, uint32_t registers);
/* Computes occupancy from registers of a thread and all shared memory of a block. */
void sim_occupancy_of(const sim_machine *machine, uint32_t registers, uint32_t threads, uint64_t shared_bytes,
                      haul_occupancy *occupancy);

#endif
