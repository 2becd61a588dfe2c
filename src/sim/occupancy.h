/* How many blocks of a kernel an SM holds at once, what limits it, and what that leaves of the SM's memory for L1. */
#ifndef HAUL_SIM_OCCUPANCY_H
#define HAUL_SIM_OCCUPANCY_H

#include "base/arena.h"
#include "ptx/ir.h"
#include "sim/machine.h"

#include <haul/run.h>
#include <haul/status.h>

/* Registers a thread that the assembler would give the kernel: the most 32-bit registers that are live at once, with
 * what machine code needs besides, within .maxnreg and what .maxntid with .minnctapersm leaves. `flat` is analysed. An
 * estimate: exact to a few registers. */
haul_status sim_estimate_registers(const ptx_function *flat, const sim_machine *machine, uint32_t *registers);

/* For a launch with `threads` a block and `shared` bytes of static and dynamic shared memory a block.
 * HAUL_ERROR_LIMIT when not even one block fits. */
haul_status sim_occupancy(const sim_machine *machine, uint32_t threads, uint32_t registers, uint64_t shared,
                          haul_occupancy *occupancy);

#endif
