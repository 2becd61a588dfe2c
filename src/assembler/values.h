/* Facts about a function's registers: which are needed, which addresses differ by a constant, and which powers of two
 * divide them. */
#ifndef HAUL_ASSEMBLER_VALUES_H
#define HAUL_ASSEMBLER_VALUES_H

#include "assembler/frame_layout.h"
#include "assembler/shared_layout.h"
#include "base/arena.h"
#include "ptx/ir.h"

typedef struct sim_values {
    bool *needed;         /* by register: some instruction with an effect depends on it */
    uint8_t *definitions; /* by register: 0, 1, or 2 for more */
    uint8_t *alignment;   /* by register: log2 of a divisor of its value */
    uint32_t *definition; /* by register: the last instruction that writes it */
    bool *uniform; /* by register: provably the same in all lanes: made of parameters, constants and block indices */
    sim_shared_layout shared;
    sim_frame_layout frame;
} sim_values;

/* An address as a base plus a constant. If two places have equal bases, they differ by their offsets. */
typedef struct sim_place {
    uint64_t base; /* SIM_BASE_CONSTANT, SIM_BASE_FRAME, or a number that identifies a register or a variable */
    int64_t offset;
    uint8_t alignment;            /* of the base, log2 */
    const ptx_variable *variable; /* the variable whose address is the base, unknown before the launch; or NULL */
} sim_place;

#define SIM_BASE_CONSTANT 0ull
#define SIM_BASE_FRAME 2ull /* of local variables; no register's number and no pointer */

/* Returns the base that stands for a register: an odd number, unlike every pointer to a variable. */
static inline uint64_t sim_register_base(uint32_t reg) {
    return 2 * (uint64_t)reg + 1;
}
/* Returns whether the base is a register; sets which. */
static inline bool sim_place_register(const sim_place *place, uint32_t *reg) {
    *reg = (uint32_t)(place->base / 2);
    return place->base % 2 != 0;
}

/* Returns whether machine code calls a function for it: rounded quotients, reciprocals and roots, and integer divisions
 * other than 32-bit ones. */
bool sim_is_call(const ptx_instruction *instruction);

/* Returns whether machine code predicates a part of it: approximations that scale subnormal numbers, and signed
 * divisions. Such an instruction does not move, and stores before and after it stay apart. */
bool sim_is_predicated(const ptx_instruction *instruction);

/* Returns whether accesses on both sides of it are combined, and loads move past it. A prefetch that names no state
 * space stands in the way, because its address may be of any. */
bool sim_is_crossed(const ptx_instruction *instruction);

/* Returns whether a load or store is neither volatile nor ordered, nor (.cv) read from memory each time. */
bool sim_is_ordinary(const ptx_instruction *instruction);

void sim_values_find(const ptx_function *function, arena *memory, sim_values *values);

/* Returns whether the memory operand's address is provably the same in all lanes. */
bool sim_is_uniform(const sim_values *values, const ptx_operand *memory);

/* Returns the place of a memory operand. */
sim_place sim_place_of(const ptx_function *function, const sim_values *values, const ptx_operand *memory);

#endif
