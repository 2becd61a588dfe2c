/* Estimate of the registers that the assembler gives a thread. */
#ifndef HAUL_ASSEMBLER_REGISTERS_H
#define HAUL_ASSEMBLER_REGISTERS_H

#include "base/arena.h"
#include "ptx/ir.h"

/* The registers of a thread if an SM holds all the threads that it can: 2,048, 1,536 or 1,024. */
enum { SIM_SHARES = 3 };
extern const uint32_t sim_register_shares[SIM_SHARES];

/* Registers of a thread, before limits and before they are rounded (sim_registers()). */
typedef struct sim_register_need {
    double usual[SIM_SHARES]; /* the assembler's choice without bounds, by share */
    double roomy; /* its choice if .minnctapersm asks for fewer blocks than `usual` allows: more loads go ahead */
    double least; /* with fewer, registers spill */
} sim_register_need;

/* `flat` is analysed. Temporary data comes from `memory`. Near-linear in the function's size. */
sim_register_need sim_estimate_registers(const ptx_function *flat, arena *memory);

#endif
