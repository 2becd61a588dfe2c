/* Chains: consecutive basic blocks that machine code issues as one, because branches within them are predicates there.
 * And what ptxas does with loops that consist of one chain. */
#ifndef HAUL_ASSEMBLER_CHAIN_H
#define HAUL_ASSEMBLER_CHAIN_H

#include "assembler/loop.h"
#include "assembler/values.h"
#include "ptx/edges.h"
#include "ptx/ir.h"

typedef struct sim_chain {
    uint32_t first, end;  /* blocks */
    uint32_t begin, stop; /* instructions */
    bool loops;           /* its last block branches to its first */
} sim_chain;

/* Returns the chain of the blocks first .. end - 1. */
sim_chain sim_chain_of(const ptx_function *function, uint32_t first, uint32_t end);

/* Returns the end of the chain that begins with block `first`. Nothing jumps into a chain, and it ends with a barrier,
 * across which nothing moves. `predicated` is sim_predicated_blocks()'s. */
uint32_t sim_end_of_chain(const ptx_function *function, const bool *predicated, const ptx_predecessors *above,
                          uint32_t first);

/* Returns whether the loop ends by comparing a counter that has a constant step. ptxas unrolls no others. */
bool sim_chain_counts(const ptx_function *function, const sim_chain *loop);

/* Returns whether lanes may leave the loop at different times. */
bool sim_chain_diverges(const ptx_function *function, const sim_chain *loop, const sim_writers *writers,
                        const sim_values *values);

/* Returns whether ptxas unrolls the loop only if its number of iterations is constant. */
bool sim_chain_stays_rolled(const ptx_function *function, const sim_chain *loop);

/* Returns how many of a loop's `trips` iterations ptxas 13.0 puts one after the other: all, or as many as fit if
 * `partly`. `size` is that of one iteration in machine instructions, in which accesses to memory count twice. */
unsigned sim_unrolled_rounds(float size, unsigned trips, bool partly);

#endif
