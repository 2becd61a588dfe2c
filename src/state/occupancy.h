/* Occupancy: how many blocks of a kernel an SM holds at once. */
#ifndef HAUL_STATE_OCCUPANCY_H
#define HAUL_STATE_OCCUPANCY_H

#include "machine/machine.h"
#include "state/program.h"

#include <haul/run.h>

/* Registers a thread: those of the program's machine code, if it has some for the machine; else the estimate
 * (assembler/registers.h), within the limits that .maxnreg, .maxntid and .minnctapersm set. */
uint32_t sim_registers(const sim_machine *machine, const sim_program *program);
/* The former; 0: they are estimated. */
uint32_t sim_known_registers(const sim_program *program);

/* Returns how many registers each thread has at most so that an SM holds .minnctapersm blocks, or one, of the threads
 * that .reqntid or .maxntid names. 0: neither is given, or not even one register is left. */
uint32_t sim_bounded_registers(const sim_machine *machine, const ptx_function *function);

/* Returns how many registers more than those limits allow the kernel needs: that many spill, as far as PTX tells. */
uint32_t sim_spilled_registers(const sim_machine *machine, const sim_program *program);

/* Computes occupancy for blocks of `threads` threads, with `dynamic_bytes` of shared memory beside the kernel's own.
 * Registers are known to allow `known_blocks` on an SM, so the estimate is lowered until they do; an estimate alone
 * never makes a launch fail. blocks_per_sm is 0 if not even one block fits for another reason. */
void sim_occupancy(const sim_machine *machine, const sim_program *program, uint32_t threads, uint32_t dynamic_bytes,
                   uint32_t known_blocks, haul_occupancy *occupancy);

#endif
