/* How many blocks of a kernel an SM holds at once, what limits it, and what that leaves of the SM's memory for L1. */
#ifndef HAUL_SIM_OCCUPANCY_H
#define HAUL_SIM_OCCUPANCY_H

#include "base/arena.h"
#include "ptx/ir.h"
#include "sim/lower/lower.h"
#include "sim/machine.h"

#include <haul/run.h>

/* Registers a thread that the assembler would give the kernel: the most 32-bit registers that are live at once, with
 * what machine code needs besides. `flat` is analysed. An estimate, exact to a few registers; what .maxnreg and
 * .minnctapersm allow is sim_occupancy()'s business. Scratch space comes from `memory`. */
uint32_t sim_estimate_registers(const ptx_function *flat, arena *memory);

/* The estimate, within what the kernel's .maxnreg, .maxntid and .minnctapersm leave. */
uint32_t sim_registers(const sim_machine *machine, const sim_program *program);

/* For a launch with `threads` a block and `dynamic_bytes` of shared memory a block beside the kernel's own. It is known
 * that registers allow `known_blocks` on an SM: where the estimate says otherwise, it is lowered. So an estimate never
 * says that a launch does not fit. blocks_per_sm is 0 where not even one block fits for another reason. */
void sim_occupancy(const sim_machine *machine, const sim_program *program, uint32_t threads, uint32_t dynamic_bytes,
                   uint32_t known_blocks, haul_occupancy *occupancy);

/* The same for a kernel that needs so many registers a thread and so much shared memory a block in all. */
void sim_occupancy_of(const sim_machine *machine, uint32_t registers, uint32_t threads, uint64_t shared_bytes,
                      haul_occupancy *occupancy);

#endif
