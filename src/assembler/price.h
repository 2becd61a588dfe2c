/* What an instruction of PTX costs in machine code: its issue slots, its latency, and the units that it keeps busy. */
#ifndef HAUL_ASSEMBLER_PRICE_H
#define HAUL_ASSEMBLER_PRICE_H

#include "base/arena.h"
#include "ptx/ir.h"

struct sim_assembled;
struct sim_writers;

/* A scheduler's units of arithmetic, and what all schedulers share: shuffles and the like (MIO). */
typedef enum sim_pipe {
    SIM_PIPE_NONE,
    SIM_PIPE_FMA,
    SIM_PIPE_ALU,
    SIM_PIPE_XU,
    SIM_PIPE_FP64,
    SIM_PIPE_TENSOR,
    SIM_PIPE_MIO,
    SIM_PIPES
} sim_pipe;

/* Instructions without effect that precede the copies of a group (@!PT LDS RZ, [RZ] in machine code). */
enum { SIM_COPY_FILLERS = 3 };

typedef struct sim_price {
    float latency, slots; /* cycles */
    bool waits;           /* its result comes from beyond the SM */
    sim_pipe pipe;
    float busy; /* cycles of the pipe */
} sim_price;

/* Where prices of a function's instructions are looked up. */
typedef struct sim_prices sim_prices;

/* Returns the prices of a function's instructions, in `memory`. `assembled` is by instruction; NULL if it is not known.
 */
sim_prices *sim_prices_new(const ptx_function *function, const struct sim_writers *writers,
                           const struct sim_assembled *assembled, arena *memory);

/* Returns what the instruction costs if it has a machine instruction of its own. */
sim_price sim_price_of(sim_prices *prices, const ptx_instruction *instruction);

/* Returns what instruction `index` of the function costs in machine code. */
sim_price sim_price_at(sim_prices *prices, uint32_t index, const ptx_instruction *instruction);

/* Returns whether the instruction has no machine instruction of its own: another one does its work, or its result is
 * unused. */
bool sim_is_of_another(const sim_prices *prices, uint32_t index, const ptx_instruction *instruction);

/* Return the machine instructions: all, those of the address divergence unit that are neither loads of constants nor
 * barriers, and those of the load/store unit that are neither loads nor stores. */
float sim_issued_by(const ptx_instruction *instruction, const sim_price *price);
float sim_adu_of(const ptx_instruction *instruction);
float sim_lsu_of(const ptx_instruction *instruction);

/* Returns whether the instruction enters the queue of memory accesses. */
bool sim_is_queued(const ptx_instruction *instruction, const sim_price *price);

/* Returns whether the instruction converts between integers and floating-point numbers, or doubles. */
bool sim_converts(const ptx_instruction *instruction);

#endif
