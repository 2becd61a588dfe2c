/* Values that only the thread decides: its index, its block's, the sizes of the launch and the kernel's parameters. */
#ifndef HAUL_CHECK_THREAD_VALUE_H
#define HAUL_CHECK_THREAD_VALUE_H

#include "state/block.h"

typedef struct sim_thread_value {
    bool known;
    bool by_block; /* threads of other blocks with the same index may have another value */
    uint64_t bits; /* of a predicate: 0 or 1 */
} sim_thread_value;

/* Returns the instruction of the same basic block that has last written the register before `at`; PTX_NO_BLOCK if there
 * is none. */
uint32_t sim_last_writer(const ptx_function *f, uint32_t at, uint32_t reg);
/* Returns whether the instruction's operand is a number, or a register that a mov in the same basic block has set to
 * one. */
bool sim_is_constant(const ptx_function *f, const ptx_instruction *i, const ptx_operand *o, uint32_t *number);
/* Returns whether the instruction hands the first operand of one lane, always the same, to all lanes. */
bool sim_is_broadcast(const ptx_function *f, const ptx_instruction *i, uint32_t *lane);

/* Computes the lane's value of a register from the instructions that lead to it; it is not known if anything else has a
 * part in it. `writer`: by register, the index + 1 of the only instruction that writes it; 0: none, or several. */
sim_thread_value sim_thread_value_of(const sim_warp *w, const uint32_t *writer, unsigned lane, uint32_t reg);

#endif
