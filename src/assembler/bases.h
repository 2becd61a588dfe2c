/* The places of a function's accesses, where address registers are written in several places. */
#ifndef HAUL_ASSEMBLER_BASES_H
#define HAUL_ASSEMBLER_BASES_H

#include "assembler/dominance.h"
#include "assembler/values.h"

/* Where such a register is written: in which block, and the number of the value that it has at the block's end. */
typedef struct sim_base_written {
    uint32_t reg, block;
    uint64_t value;
} sim_base_written;

/* Where an access finds such a register as the block before left it: in which block, and where the value is from
 * (sim_find_tops). */
typedef struct sim_base_entered {
    uint32_t reg, block, top;
} sim_base_entered;

typedef struct sim_bases {
    const ptx_function *function;
    const sim_values *values;
    const sim_dominance *dominance;
    arena *memory;
    bool *is_base;             /* by register: it is written in several places, and the base of an access */
    sim_base_written *written; /* by register and block */
    size_t written_count, written_capacity;
    sim_base_entered *entered; /* likewise */
    size_t entered_count, entered_capacity;
    uint64_t *value; /* by register that is a base: the number of its value in block value_in - 1 */
    uint32_t *value_in;
    uint64_t last_value;
} sim_bases;

/* `is_access` says which instructions are loads and stores that places are wanted of. Allocates in `memory`. */
void sim_bases_find(const ptx_function *function, const sim_values *values, const sim_dominance *dominance,
                    bool (*is_access)(const ptx_instruction *), arena *memory, sim_bases *bases);

/* The address of an access. Two of them have equal bases if they differ by a constant whatever registers hold: a
 * register that is written in several places has the same value in both. Blocks come in the dominance's order, each
 * instruction of them in turn is asked for, if it is an access, and then passed. */
sim_place sim_bases_place(sim_bases *bases, uint32_t instruction, uint32_t block);
void sim_bases_pass(sim_bases *bases, uint32_t instruction, uint32_t block);

#endif
