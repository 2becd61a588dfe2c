/* The registers that are live at once when instructions run in the assembler's order. */
#ifndef HAUL_ASSEMBLER_PRESSURE_H
#define HAUL_ASSEMBLER_PRESSURE_H

#include "base/arena.h"
#include "ptx/ir.h"

/* The most 32-bit registers live at once. */
typedef struct sim_pressure {
    uint32_t written;   /* in the order of the PTX */
    uint32_t scheduled; /* with each block's loads ahead, as far as `budget` allows */
} sim_pressure;

/* `function` has blocks (sim_compact()). Temporary data comes from `memory`. */
sim_pressure sim_pressure_find(const ptx_function *function, uint32_t budget, arena *memory);

#endif
