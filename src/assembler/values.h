/* What the assembler knows of a function's registers: which are needed, which addresses differ by a constant, and by
 * what powers of two they divide. */
#ifndef HAUL_ASSEMBLER_VALUES_H
#define HAUL_ASSEMBLER_VALUES_H

#include "assembler/shared_layout.h"
#include "base/arena.h"
#include "ptx/ir.h"

typedef struct sim_values {
    bool *needed;         /* by register: some instruction with an effect depends on it */
    uint8_t *definitions; /* by register: 0, 1, 2 = more */
    uint8_t *alignment;   /* by register: log2 of a divisor of its value */
    uint32_t *definition; /* by register: the last instruction that writes it */
    bool *uniform; /* by register: the same in all lanes, plainly: made of parameters, constants and block indices */
    sim_shared_layout shared;
} sim_values;

/* An address as a base and a constant. Two places with equal bases differ by the difference of their offsets. */
typedef struct sim_place {
    uint64_t base; /* SIM_BASE_CONSTANT, or a number that stands for a register or a variable */
    int64_t offset;
    uint8_t alignment;            /* of the base, log2 */
    const ptx_variable *variable; /* the base is this one's address, not known before the launch; or NULL */
} sim_place;

#define SIM_BASE_CONSTANT 0ull

/* Arithmetic that machine code makes by calling a function: what is rounded of quotients, reciprocals and roots, and
 * divisions of integers but those of 32 bits. */
bool sim_is_call(const ptx_instruction *instruction);

/* Of loads and stores: neither volatile nor ordered, nor one (.cv) that is to come from memory each time. */
bool sim_is_ordinary(const ptx_instruction *instruction);

void sim_values_find(const ptx_function *function, arena *memory, sim_values *values);

/* The memory operand's address is plainly the same in all lanes. */
bool sim_is_uniform(const sim_values *values, const ptx_operand *memory);

/* Of a memory operand. */
sim_place sim_place_of(const ptx_function *function, const sim_values *values, const ptx_operand *memory);

#endif
