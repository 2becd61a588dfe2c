/* Estimate of the registers that the assembler gives a thread. */
#ifndef HAUL_ASSEMBLER_REGISTERS_H
#define HAUL_ASSEMBLER_REGISTERS_H

#include "base/arena.h"
#include "ptx/ir.h"

/* Returns the most 32-bit registers that are live at once, plus those that machine code needs in addition; exact to a
 * few registers. Ignores .maxnreg and .minnctapersm (sim_registers()). `flat` is analysed. Temporary data comes from
 * `memory`. */
uint32_t sim_estimate_registers(const ptx_function *flat, arena *memory);

#endif
