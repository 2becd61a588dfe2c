/* What the memory system would have done: requests, sectors, wavefronts, bank conflicts, cache hits.
 *
 * The functional half of the virtual GPU (ops/memory.c, ops/async.c) moves the bytes and tells this half the addresses
 * of each warp-level access. A sim_counting belongs to one SM and is used by one thread at a time: it counts by
 * instruction, models the SM's L1, and logs what L1 sends on. Between epochs sim_counting_drain() plays the logs of all
 * SMs into the one L2 in an order that does not depend on host threads.
 */
#ifndef HAUL_COUNT_COUNT_H
#define HAUL_COUNT_COUNT_H

#include "count/l2.h"
#include "count/link.h"
#include "machine/machine.h"
#include "state/program.h"
#include "state/waits.h"

#include <haul/run.h>
#include <haul/status.h>
#include <stdbool.h>

typedef struct sim_counting sim_counting;
typedef struct sim_bulk sim_bulk;

/* What one launch's counting needs to know once: which shared accesses the assembler merges, the L1's size, classes. */
typedef struct sim_count_plan sim_count_plan;

/* `occupancy` says what of the SM's memory is left for L1. The plan refers to `program` until it is freed. */
haul_status sim_count_plan_create(const sim_machine *machine, const sim_program *program,
                                  const haul_occupancy *occupancy, sim_count_plan **plan);
void sim_count_plan_free(sim_count_plan *plan);
/* The window of the launch's accesses; there is none before. */
void sim_count_plan_set_window(sim_count_plan *plan, const sim_l2_window *window);

/* How the machine's assembler sees an instruction: an `atom` whose result nobody uses is a reduction, say. */
haul_memory_class sim_count_plan_class(const sim_count_plan *plan, size_t instruction);

/* One SM's counting for one launch; L1 starts empty. */
haul_status sim_counting_create(const sim_count_plan *plan, sim_counting **counting);
void sim_counting_free(sim_counting *counting);

/* Plays the logs since the last drain into L2 and empties them, on `threads` host threads; the result does not depend
 * on how many. `countings` by SM; entries may be NULL. `link` (NULL: no host memory is mapped) gets what goes there. */
haul_status sim_counting_drain(sim_l2 *l2, sim_counting *const *countings, size_t count, int threads, sim_link *link);

/* Requests that wait for the next drain. */
size_t sim_counting_waiting(const sim_counting *counting);

/* Adds everything up: launch counters, classes and per-instruction traffic (`instructions` has one element for each
 * instruction of the flat function). Call once, after the last drain. */
void sim_counting_finish(sim_l2 *l2, sim_counting *const *countings, size_t count, haul_launch_record *record,
                         haul_traffic *instructions);

/* Fills in the instructions' samples, of the first SMs that have some. Lives in `memory`, which has a jump point. */
void sim_counting_record_samples(sim_counting *const *countings, size_t count, arena *memory,
                                 haul_launch_record *record);

/* Adds what the counters do not say to `waits`. After the last drain. */
void sim_counting_work(const sim_l2 *l2, sim_counting *const *countings, size_t count, sim_waits *waits);

/* ---- called by memory handlers, with NULL where the launch is not counted; lanes outside `active` are ignored;
 * op->memory_class and op->instruction say what and where ---- */

/* ld, st, atom, red on global memory: byte addresses in the device's space. */
void sim_count_global(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active,
                      const uint64_t address[SIM_LANES]);
/* The same for a load or store of a whole warp of which both halves have lanes at the same distance from each other, of
 * at most SIM_MOST_SPAN_STRIDE bytes; first, second: where each half's begin. */
enum { SIM_MOST_SPAN_STRIDE = 32 };
void sim_count_global_span(sim_counting *c, const sim_warp *w, const sim_op *op, uint64_t first, uint64_t second,
                           uint64_t stride);
/* The same on local memory: offsets into each thread's frame; the model interleaves lanes as hardware does. */
void sim_count_local(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active,
                     const uint64_t offset[SIM_LANES]);
/* ld on constant memory, or of parameters at a computed place. */
void sim_count_constant(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active,
                        const uint64_t address[SIM_LANES]);
/* ld, st, atom, red on shared memory: shared addresses. */
void sim_count_shared(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active,
                      const uint32_t address[SIM_LANES]);
/* A minimum or maximum of 8 bytes there: machine code leaves its loop as soon as what a lane finds is not beaten by
 * what it has. `idle`: lanes that change nothing as it was before; beaten[l]: those whose values leave lane l nothing
 * to do. */
typedef struct sim_contest {
    uint32_t idle, beaten[SIM_LANES];
} sim_contest;
void sim_count_contest(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active,
                       const uint32_t address[SIM_LANES], const sim_contest *contest);
/* The atomic that was counted last named shared memories of other blocks alone. */
void sim_count_as_remote(sim_counting *c, const sim_op *op);
/* ldmatrix, stmatrix: 16 bytes of shared memory from the address of each lane in `rows`. */
void sim_count_matrices(sim_counting *c, const sim_op *op, uint32_t rows, const uint32_t address[SIM_LANES]);
/* cp.async of op->bytes a lane; lanes in `filled` read nothing (source size 0). */
void sim_count_ldgsts(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active, uint32_t filled,
                      const uint64_t source[SIM_LANES], const uint32_t destination[SIM_LANES]);
/* A guarded cp.async.cg that `reached` lanes come to, of which those in `active` copy: Nsight Compute's own code, which
 * counts wavefronts and sectors, looks at all of them. */
void sim_count_guarded_ldgsts(sim_counting *c, const sim_op *op, uint32_t reached, uint32_t active,
                              const uint64_t source[SIM_LANES], const uint32_t destination[SIM_LANES]);
/* A bulk or tensor copy between global and shared memory by one lane, which so many blocks receive. */
void sim_count_bulk(sim_counting *c, const sim_warp *w, const sim_op *op, unsigned lane, const sim_bulk *bulk,
                    unsigned receivers);
/* The warp passed a barrier or fence: stores before it can no longer be combined with later ones. */
void sim_count_barrier(sim_counting *c, const sim_warp *w);
/* The warp may see from now on what other SMs wrote: machine code has L1 forget everything (CCTL.IVALL). */
void sim_count_acquire(sim_counting *c);
/* Between the first two, atomics on global memory are left to be counted by the third, which is to come before anything
 * else is counted. */
void sim_count_begin_later(sim_counting *c);
void sim_count_end_later(sim_counting *c);
void sim_count_later(sim_counting *c);
/* A basic block ran once for the lanes in `active`, unguarded instructions only; guarded ones come singly. */
void sim_count_block(sim_counting *c, uint32_t block, uint32_t active);
void sim_count_instruction(sim_counting *c, uint32_t instruction, uint32_t active);

#endif
