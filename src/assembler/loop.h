/* Loops that the assembler unrolls. */
#ifndef HAUL_ASSEMBLER_LOOP_H
#define HAUL_ASSEMBLER_LOOP_H

#include "assembler/values.h"
#include "ptx/edges.h"
#include "ptx/liveness.h"

/* A loop of the blocks `first` to `last` with one exit, at its end: a counter with a constant step is compared with a
 * bound. */
typedef struct sim_loop {
    uint32_t first, last; /* blocks */
    uint32_t begin, end;  /* instructions; the last two that count are the test and the backward branch */
    uint32_t test;        /* the comparison */
    uint32_t step_at;     /* the instruction that steps the counter */
    uint32_t counter;     /* register */
    int64_t step;
    const ptx_operand *bound;
    ptx_type type;    /* of the comparison */
    unsigned compare; /* the loop continues while `counter compare bound`: PTX_MOD_LT, _LE, _GT, _GE or _NE */
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
    bool copies;                /* addresses may move through a copy of a register */
} sim_loops;

const sim_writers *sim_find_writers(const ptx_function *function, arena *memory);

/* Returns whether the block ends a loop that the assembler unrolls, and describes the loop. */
bool sim_find_unrolled(const sim_loops *loops, uint32_t last, sim_loop *loop);

/* Returns whether the loop is only unrolled if addresses may move through copies. */
bool sim_moves_by_copies(const sim_loops *loops, const sim_loop *loop);

/* Returns whether all threads of a block provably make the same number of iterations. */
bool sim_is_uniform_loop(const sim_loops *loops, const sim_loop *loop);

/* Returns how often the loop of instructions begin .. end - 1 runs each time, if it ends by comparing a counter of
 * constant start, step and bound; 0 if that is not known, or more than a thousand times. */
unsigned sim_constant_trips(const ptx_function *function, const sim_writers *writers, uint32_t begin, uint32_t end);

/* Returns how many times instructions begin .. end - 1 write the register. */
unsigned sim_writes_between(const ptx_function *function, uint32_t begin, uint32_t end, uint32_t reg);

/* Returns the constant that the instruction adds to `reg`; 0 if it does anything else or is guarded. */
int64_t sim_step_of(const ptx_instruction *instruction, uint32_t reg);

#endif
