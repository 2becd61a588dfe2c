/* What the memory system would do: requests, sectors, wavefronts, bank conflicts, cache hits.
 *
 * The functional half of the virtual GPU (exec/ops/) moves the bytes and passes the addresses of each warp-level access
 * to this half. A sim_counting belongs to one SM and is used by one thread at a time. It counts by instruction, models
 * the SM's L1, and logs L1's requests to L2. Between epochs sim_counting_drain() replays the logs of all SMs into the
 * one L2, in an order that does not depend on host threads. */
#ifndef HAUL_COUNT_COUNT_H
#define HAUL_COUNT_COUNT_H

#include "count/l2.h"
#include "count/host_link.h"
#include "count/peer_lines.h"
#include "machine/machine.h"
#include "state/program.h"
#include "state/waits.h"

#include <haul/run.h>
#include <haul/status.h>
#include <stdbool.h>

typedef struct sim_counting sim_counting;
typedef struct sim_bulk sim_bulk;

/* Launch-wide constants: which shared accesses the assembler merges, the size of L1, classes. */
typedef struct sim_count_plan sim_count_plan;

/* `occupancy` gives the part of the SM's memory left for L1. The plan refers to `program` until it is freed. */
haul_status sim_count_plan_create(const sim_machine *machine, const sim_program *program,
                                  const haul_occupancy *occupancy, sim_count_plan **plan);
void sim_count_plan_free(sim_count_plan *plan);
/* Sets the access window of the launch; until then there is none. */
void sim_count_plan_set_window(sim_count_plan *plan, const sim_l2_window *window);

/* Returns the class that the machine's assembler gives an instruction: an `atom` whose result is unused is a reduction,
 * for instance. */
haul_memory_class sim_count_plan_class(const sim_count_plan *plan, size_t instruction);

/* One SM's counting for one launch; L1 starts empty. */
haul_status sim_counting_create(const sim_count_plan *plan, sim_counting **counting);
/* Empties the counting of an earlier launch of the same kernel for this one, whose plan may be another. */
void sim_counting_renew(const sim_count_plan *plan, sim_counting *counting);
/* Returns the host memory that it takes, but for a few small tables. */
uint64_t sim_counting_bytes(const sim_counting *counting);
void sim_counting_free(sim_counting *counting);

/* Replays the logs since the last drain into L2 on `threads` host threads, and empties them. The result does not depend
 * on the number of threads. `countings`: by SM; entries may be NULL. `link`: counts traffic to host memory; NULL if
 * none is mapped. */
haul_status sim_counting_drain(sim_l2 *l2, sim_counting *const *countings, size_t count, int threads, sim_link *link,
                               sim_peer_lines *peers);

/* Returns the number of requests waiting for the next drain. */
size_t sim_counting_waiting(const sim_counting *counting);

/* Sums up launch counters, classes and per-instruction traffic. `instructions` has one element for each instruction of
 * the flat function. Call once, after the last drain. */
void sim_counting_finish(sim_l2 *l2, sim_counting *const *countings, size_t count, haul_launch_record *record,
                         haul_traffic *instructions);

/* Records the instructions' samples, from the first SMs that have any. Allocates in `memory`, which must have a jump
 * point. */
void sim_counting_record_samples(sim_counting *const *countings, size_t count, arena *memory,
                                 haul_launch_record *record);

/* Adds what the time estimate needs beyond the counters to `waits`. Call after the last drain. */
void sim_counting_work(const sim_l2 *l2, sim_counting *const *countings, size_t count, const haul_traffic *traffic,
                       sim_waits *waits);

/* ---- called by memory handlers, with NULL if the launch is not counted; lanes outside `active` are ignored;
 * op->memory_class and op->instruction identify the access ---- */

/* ld, st, atom, red on global memory: byte addresses in the device's space. */
void sim_count_global(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active,
                      const uint64_t address[SIM_LANES]);
/* The same for a load or store of a whole warp. The lanes of both halves lie `stride` bytes apart, at most
 * SIM_MOST_SPAN_STRIDE; the halves begin at `first` and `second`. */
enum { SIM_MOST_SPAN_STRIDE = 32 };
void sim_count_global_span(sim_counting *c, const sim_warp *w, const sim_op *op, uint64_t first, uint64_t second,
                           uint64_t stride);
/* The same on local memory: offsets into each thread's frame; the model interleaves lanes as hardware does. */
void sim_count_local(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active,
                     const uint64_t offset[SIM_LANES]);
/* ld on constant memory, or of parameters at a computed address. */
void sim_count_constant(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active,
                        const uint64_t address[SIM_LANES]);
/* ld, st, atom, red on shared memory: shared addresses. */
void sim_count_shared(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active,
                      const uint32_t address[SIM_LANES]);
/* A minimum or maximum of 8 bytes in shared memory. In machine code a lane leaves the loop as soon as its value does
 * not beat the stored one. `idle`: lanes whose value does not beat the initial one; beaten[l]: lanes whose values leave
 * lane l nothing to do. */
typedef struct sim_contest {
    uint32_t idle, beaten[SIM_LANES];
} sim_contest;
void sim_count_contest(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active,
                       const uint32_t address[SIM_LANES], const sim_contest *contest);
/* The atomic counted last addressed only shared memory of other blocks. */
void sim_count_as_remote(sim_counting *c, const sim_op *op);
/* ldmatrix, stmatrix: 16 bytes of shared memory at the address of each lane in `rows`. */
void sim_count_matrices(sim_counting *c, const sim_op *op, uint32_t rows, const uint32_t address[SIM_LANES]);
/* An operation on a tensor map in shared memory: loads and stores of a word each. */
void sim_count_words(sim_counting *c, const sim_op *op, unsigned loads, unsigned stores);
/* cp.async of op->bytes per lane; lanes in `filled` read nothing (source size 0). */
void sim_count_ldgsts(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active, uint32_t filled,
                      const uint64_t source[SIM_LANES], const uint32_t destination[SIM_LANES]);
/* A guarded cp.async.cg that the lanes in `reached` execute and those in `active` perform. Nsight Compute's own code,
 * which counts wavefronts and sectors, looks at all of them. */
void sim_count_guarded_ldgsts(sim_counting *c, const sim_op *op, uint32_t reached, uint32_t active,
                              const uint64_t source[SIM_LANES], const uint32_t destination[SIM_LANES]);
/* A bulk or tensor copy between global and shared memory by one lane, received by `receivers` blocks. */
void sim_count_bulk(sim_counting *c, const sim_warp *w, const sim_op *op, unsigned lane, const sim_bulk *bulk,
                    unsigned receivers);
/* The warp passed a barrier or fence: earlier stores can no longer be combined with later ones. */
void sim_count_barrier(sim_counting *c, const sim_warp *w);
/* From now on the warp may see what other SMs wrote: machine code invalidates L1 (CCTL.IVALL). */
void sim_count_acquire(sim_counting *c);
/* Between begin and end, atomics on global memory are deferred. sim_count_deferred() counts them, and must come before
 * anything else is counted. */
void sim_count_begin_deferring(sim_counting *c);
void sim_count_end_deferring(sim_counting *c);
void sim_count_deferred(sim_counting *c);
/* A basic block ran once for the lanes in `active`. This counts its unguarded instructions; guarded ones are counted
 * one by one. */
void sim_count_block(sim_counting *c, uint32_t block, uint32_t active);
void sim_count_instruction(sim_counting *c, uint32_t instruction, uint32_t active);

#endif
