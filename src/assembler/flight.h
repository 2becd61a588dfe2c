/* Loads that a warp has not waited for yet when a basic block begins. */
#ifndef HAUL_ASSEMBLER_FLIGHT_H
#define HAUL_ASSEMBLER_FLIGHT_H

#include "base/arena.h"
#include "ptx/ir.h"

typedef struct sim_flight {
    const uint32_t *column; /* by register, + 1; 0: no load that outlives its block writes it */
    size_t words;
    const uint64_t *in; /* by block: the columns in flight when it begins */
    const bool *owes;   /* by block: a loop behind it needs what it leaves in flight, at the first iteration only */
} sim_flight;

/* Returns whether a block that reads the register waits for a load of an earlier block. */
static inline bool sim_is_in_flight(const sim_flight *f, uint32_t block, uint32_t reg) {
    const uint32_t column = f->column[reg];
    return column && f->in[block * f->words + (column - 1) / 64] >> (column - 1) % 64 & 1;
}

/* `waits`: by block, whether it waits for a load of its own. `loads`: by instruction, whether it is a load whose
 * result comes from beyond the SM. The result is in `memory`. */
void sim_flight_find(const ptx_function *function, const bool *waits, const bool *loads, arena *memory,
                     sim_flight *flight);

#endif
