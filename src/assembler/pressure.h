/* The registers that are live at once when instructions run in the assembler's order. */
#ifndef HAUL_ASSEMBLER_PRESSURE_H
#define HAUL_ASSEMBLER_PRESSURE_H

#include "base/arena.h"
#include "ptx/ir.h"

/* Returns the most 32-bit registers live at once if each block's loads go ahead as far as `budget` registers allow;
 * with a budget of 0, if the instructions keep their order. The function has blocks (sim_compact()). Temporary data
 * comes from `memory`. */
uint32_t sim_pressure_find(const ptx_function *function, uint32_t budget, arena *memory);

uint32_t sim_pressure_deep(const ptx_function *f, arena *memory);

#endif
