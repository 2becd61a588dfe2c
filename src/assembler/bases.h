/* The addresses of a function's accesses, for address registers that are written more than once. */
#ifndef HAUL_ASSEMBLER_BASES_H
#define HAUL_ASSEMBLER_BASES_H

#include "assembler/dominance.h"
#include "assembler/values.h"

/* A write of such a register: its block, and the number of the value that it has at the block's end. */
typedef struct sim_base_written {
    uint32_t reg, block;
    uint64_t value;
} sim_base_written;

/* An access that reads such a register as it was on entry to the block: the block, and the block that its value comes
 * from (sim_find_tops). */
typedef struct sim_base_entered {
    uint32_t reg, block, top;
} sim_base_entered;

typedef struct sim_bases {
    const ptx_function *function;
    const sim_values *values;
    const sim_dominance *dominance;
    arena *memory;
    bool *is_base;             /* by register: written more than once and the base of an access */
    sim_base_written *written; /* by register and block */
    size_t written_count, written_capacity;
    sim_base_entered *entered; /* likewise */
    size_t entered_count, entered_capacity;
    uint64_t *value; /* by base register: the number of its value in block value_in - 1 */
    uint32_t *value_in;
    uint64_t last_value;
} sim_bases;

/* Finds the bases. `is_access` selects the loads and stores. Allocates in `memory`. */
void sim_bases_find(const ptx_function *function, const sim_values *values, const sim_dominance *dominance,
                    bool (*is_access)(const ptx_instruction *), arena *memory, sim_bases *bases);

/* sim_bases_place() returns the address of an access. If two have equal bases, they differ by a constant for all
 * register contents: a register that is written more than once has the same value in both. Visit blocks in the
 * dominance's order. For each instruction of a block, ask for its place if it is an access, then pass it. */
sim_place sim_bases_place(sim_bases *bases, uint32_t instruction, uint32_t block);
void sim_bases_pass(sim_bases *bases, uint32_t instruction, uint32_t block);

#endif
