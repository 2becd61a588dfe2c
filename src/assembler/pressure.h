/* The registers that are live at once when instructions run in the assembler's order. */
#ifndef HAUL_ASSEMBLER_PRESSURE_H
#define HAUL_ASSEMBLER_PRESSURE_H

#include "base/arena.h"
#include "ptx/ir.h"

/* All return the most 32-bit registers live at once. The function has blocks (sim_compact()). Temporary data comes from
 * `memory`. */

/* Each block's loads go ahead as far as `budget` registers allow. */
uint32_t sim_pressure_scheduled(const ptx_function *function, uint32_t budget, arena *memory);

/* The same; also finds how many it would be if registers kept to the bank that the assembler prefers, and the emptier
 * bank counted like the other. */
uint32_t sim_pressure_with_banks(const ptx_function *function, uint32_t budget, uint32_t *of_banks, arena *memory);

/* Without a schedule: as the instructions are written, or each directly after those that it needs, whichever takes
 * fewer. The second order is not tried if the first takes no more than `enough`. */
uint32_t sim_pressure_least(const ptx_function *function, uint32_t enough, arena *memory);

#endif
