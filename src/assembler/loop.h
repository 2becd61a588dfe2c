/* Loops that machine code has several rounds of behind each other. */
#ifndef HAUL_ASSEMBLER_LOOP_H
#define HAUL_ASSEMBLER_LOOP_H

#include "assembler/values.h"
#include "ptx/edges.h"
#include "ptx/liveness.h"

/* A loop of the blocks `first` to `last`, which is left at its end alone, as a counter that constant steps move
 * compares with a bound. */
typedef struct sim_loop {
    uint32_t first, last; /* blocks */
    uint32_t begin, end;  /* instructions; the last two that count are the test and the branch back */
    uint32_t test;        /* the instruction that compares */
    uint32_t step_at;     /* the instruction that moves the counter */
    uint32_t counter;     /* register */
    int64_t step;
    const ptx_operand *bound;
    ptx_type type;    /* of the comparison */
    unsigned compare; /* the loop goes on while `counter compare bound`: PTX_MOD_LT, _LE, _GT, _GE or _NE */
    bool is_unsigned;
} sim_loop;

/* The instructions that write a register. */
typedef struct sim_writers {
    uint32_t count, first, last;
} sim_writers;

typedef struct sim_loops {
    const ptx_function *function;
    const sim_values *values;
    const ptx_liveness *live;
    const ptx_predecessors *above;
    const sim_writers *writers; /* by register */
} sim_loops;

const sim_writers *sim_find_writers(const ptx_function *function, arena *memory);

/* Whether the block ends a loop that the assembler unrolls. */
bool sim_find_unrolled(const sim_loops *loops, uint32_t last, sim_loop *loop);

/* All threads of a block plainly make the same number of rounds. */
bool sim_is_uniform_loop(const sim_loops *loops, const sim_loop *loop);

/* How often instructions begin .. end - 1 name the register as a result. */
unsigned sim_writes_between(const ptx_function *function, uint32_t begin, uint32_t end, uint32_t reg);

/* The constant that the instruction, which is unguarded, adds to `reg`, and to nothing else; 0: it does not. */
int64_t sim_step_of(const ptx_instruction *instruction, uint32_t reg);

#endif
