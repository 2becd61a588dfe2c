/* The order in which machine code issues the instructions of a chain of basic blocks, and how long a warp that runs
 * alone waits between them. ptxas lists instructions by the longest path behind them, and writes into each one how many
 * cycles a warp waits after it: the profiler's state Wait. */
#ifndef HAUL_ASSEMBLER_SCHEDULE_H
#define HAUL_ASSEMBLER_SCHEDULE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Issue ports. A port accepts one instruction at a time. */
typedef enum sim_port {
    SIM_PORT_NONE,
    SIM_PORT_FMA,
    SIM_PORT_ALU,
    SIM_PORT_XU,
    SIM_PORT_FP64,
    SIM_PORT_TENSOR,
    SIM_PORT_MEMORY, /* the queue of memory accesses and shuffles */
    SIM_PORTS
} sim_port;

/* How the result of an instruction becomes known. */
typedef enum sim_result {
    SIM_RESULT_FIXED, /* after a number of cycles, which the instructions behind it count: Wait */
    SIM_RESULT_NEAR,  /* by a scoreboard, from units of the SM: Short Scoreboard */
    SIM_RESULT_FAR    /* by a scoreboard, from memory: Long Scoreboard, which is not counted here */
} sim_result;

/* A PTX instruction in machine code. */
typedef struct sim_step {
    uint32_t block;
    sim_port port;
    sim_result result;
    float issued;   /* machine instructions */
    float interval; /* cycles to the next instruction of the port */
    float latency;  /* until the result can be used */
    float serial;   /* cycles after its issue in which nothing else is issued, by stall counts */
    float near;     /* the same, by a scoreboard */
} sim_step;

/* Cycles of a block's instructions, for a warp that runs alone. */
typedef struct sim_timing {
    float fixed; /* to issue them, with stall counts */
    float near;  /* waits for units of the SM */
} sim_timing;

typedef struct sim_schedule sim_schedule;

/* Returns an empty schedule in `memory`, which has a jump point. */
sim_schedule *sim_schedule_new(arena *memory);

/* Forgets all instructions. */
void sim_schedule_clear(sim_schedule *schedule);

/* Appends an instruction and returns its number. */
uint32_t sim_schedule_add(sim_schedule *schedule, const sim_step *step);

/* The newest instruction needs the result of an earlier one, and this many cycles more than its latency. */
void sim_schedule_need(sim_schedule *schedule, uint32_t producer, float more);

/* The newest instruction is issued after an earlier one. */
void sim_schedule_follow(sim_schedule *schedule, uint32_t other);

/* Issues what was added since the last call; the clock goes on. Adds the cycles to `timings`, by block, from the
 * block `first` on; NULL: to nothing. */
void sim_schedule_issue(sim_schedule *schedule, sim_timing *timings, uint32_t first);

#endif
