/* Looks for races and misuse while a launch runs (`haul check`). All hooks are called with checks on only:
 * `sm->hazards` is NULL otherwise.
 *
 *   sim_hazards       of an SM: its findings
 *   └ sim_domain      of each resident cluster: threads that can meet in shared memory, at barriers and mbarriers
 *     ├ views         of each warp: what its lanes know of all others (known.h)
 *     ├ gates         of each barrier and mbarrier: what those who arrived knew
 *     └ shadows       of each block: who used each word of shared memory last
 *
 * An mbarrier is an actor like a warp: what copies bring is written by the mbarrier that they complete on, and known to
 * those who have waited for its phase. */
#ifndef HAUL_CHECK_HAZARD_H
#define HAUL_CHECK_HAZARD_H

#include "base/arena.h"
#include "check/known.h"
#include "state/block.h"

/* mbarriers that are told apart in a cluster; more share. */
enum { SIM_HAZARD_MBARRIERS = 32, SIM_NO_THREAD = 0xffff };

typedef struct sim_hazards sim_hazards;
typedef struct sim_domain sim_domain;

/* In proxy.c: once a launch, for sim_grid. */
sim_proxy_need sim_proxies_needed(const sim_program *p);
/* In relaxed.c: it has barriers that order no memory. */
bool sim_relaxes(const sim_program *p);
/* In use.c, by instruction: a volatile store; a volatile load of data, which no loop waits for; a wait for an mbarrier
 * whose result nobody looks at. The caller frees the table; NULL where the kernel has nothing of the kind. */
enum { SIM_USE_STORES_VOLATILE = 1, SIM_USE_LOADS_VOLATILE = 2, SIM_USE_UNSEEN = 4, SIM_USE_GUESSES = 8 };
haul_status sim_uses_find(const sim_program *p, uint8_t **table);
haul_status sim_hazards_create(sim_sm *sm);
void sim_hazards_free(sim_sm *sm);
/* A cluster starts; `first` is its first block. */
void sim_hazard_start(sim_block *first);

/* ---- shared memory ---- */

/* Before a load, a store or an atomic of `bytes` a lane by the warp in block b's shared memory. */
void sim_hazard_load(sim_warp *w, const sim_op *op, uint32_t active, sim_block *b, const uint32_t address[SIM_LANES]);
void sim_hazard_store(sim_warp *w, const sim_op *op, uint32_t active, sim_block *b, const uint32_t address[SIM_LANES]);
void sim_hazard_atomic(sim_warp *w, const sim_op *op, uint32_t active, sim_block *b, const uint32_t address[SIM_LANES]);

/* ... and that is not the warp's own. */
void sim_hazard_remote(sim_warp *w, const sim_op *op, uint32_t active, const sim_block *owner);
/* Before an access by a `.shared` form with 64-bit addresses: that they are no generic ones. */
void sim_hazard_narrow(sim_warp *w, const sim_op *op, uint32_t active);

/* ---- what was never written ---- */

/* Values that nobody wrote are followed through registers and shared memory: they are worth a finding when they decide
 * an address, a branch, or what comes out of the kernel. */

/* `lanes` load element `element` of the instruction's data, and nobody has written `bytes` at `address`, which are
 * those bits of it. */
void sim_hazard_doubt(sim_warp *w, uint32_t instruction, unsigned element, uint32_t lanes, uint64_t bits,
                      haul_space space, uint64_t address, uint32_t bytes);
/* Before an operation of a warp that is doubtful. */
void sim_hazard_doubt_step(sim_warp *w, const sim_op *op, uint32_t active);
/* The lanes have got another value in register `reg`, which was good when it was put aside. */
void sim_hazard_doubt_forget(sim_warp *w, uint32_t reg, uint32_t lanes);
/* The lanes for which that element of the store's data is in doubt. */
uint32_t sim_hazard_doubt_stored(sim_warp *w, uint32_t instruction, unsigned element);

/* A shuffle of `lanes`, each from its source lane. */
void sim_hazard_shuffled(sim_warp *w, uint32_t instruction, uint32_t lanes, const uint32_t source[SIM_LANES]);

/* ---- local memory ---- */

/* Before a load or store at `offset` of each lane's frame. */
void sim_hazard_local(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t offset[SIM_LANES], bool is_store);

/* ---- asynchronous copies ---- */

/* A cp.async has been issued; the lanes' copies complete because their thread waits, or (`barrier` not NULL) for those
 * who wait for an mbarrier of block b. */
void sim_hazard_copy(sim_warp *w, uint32_t active, sim_copy *c);
void sim_hazard_copied(sim_block *b, uint32_t warp, const sim_copy *c, uint32_t lanes, const uint32_t *barrier);
/* A bulk copy has been issued by the warp's lane, to or from block b; has been performed. */
void sim_hazard_bulk(sim_warp *w, unsigned lane, sim_block *b, const sim_bulk *bulk);
void sim_hazard_bulk_done(sim_block *b, const sim_bulk *bulk);
/* Before the lanes close a group of cp.async. */
void sim_hazard_commit(sim_warp *w, const sim_op *op, uint32_t lanes);
/* The block ends; what copies it has in flight has not been completed yet. */
void sim_hazard_finish(sim_block *b);
/* Lanes have waited for all but their newest `keep` bulk groups, or only (`read`) until those have read their sources.
 */
void sim_hazard_bulk_waited(sim_warp *w, uint32_t lanes, uint32_t keep, bool read);
/* fence.proxy.async, for these spaces */
void sim_hazard_proxy_fence(sim_warp *w, uint32_t active, bool shared, bool global);
/* fence.mbarrier_init */
void sim_hazard_mbarrier_fence(sim_warp *w, uint32_t active);

/* ---- tensor maps that kernels change, in global memory ---- */

/* The lane has changed the map at the address, and published the change (`released`) or not yet. */
void sim_hazard_map_changed(sim_warp *w, const sim_op *op, unsigned lane, uint64_t address, bool released);
/* fence.proxy.tensormap, of either kind */
void sim_hazard_map_release(sim_warp *w, uint32_t active);
void sim_hazard_map_acquire(sim_warp *w, uint64_t address);
/* A lane copies with the map. */
void sim_hazard_map_used(sim_warp *w, const sim_op *op, unsigned lane, uint64_t address);

/* ---- products of matrices in the background ---- */

/* A product has been issued, for `lanes`, that reads 16 bytes of shared memory at each address; returns its time. It is
 * made: it has read them. */
uint32_t sim_hazard_factors(sim_warp *w, const sim_op *op, uint32_t lanes, const uint32_t *address, uint32_t count);
void sim_hazard_factors_read(sim_warp *w, const sim_op *op, uint32_t lanes, const uint32_t *address, uint32_t count,
                             uint32_t issued);
/* The warp's queue of products has changed. */
void sim_hazard_products(sim_warp *w);
/* Before an operation of a warp that has products in flight. */
void sim_hazard_products_step(sim_warp *w, const sim_op *op, uint32_t active);

/* ---- warpgroups ---- */

/* What all warps of a warpgroup execute, as often: setmaxnreg, and between one and the next they meet; products. */
typedef enum sim_step_kind { SIM_STEP_REGISTERS, SIM_STEP_PRODUCT, SIM_STEP_KINDS } sim_step_kind;
/* The warp's lanes execute it. */
void sim_hazard_warpgroup(sim_warp *w, const sim_op *op, uint32_t lanes, sim_step_kind kind);

/* ---- tensor memory ---- */

/* Before a warp uses columns of its block's, or gives them back. */
void sim_hazard_tmem(sim_warp *w, const sim_op *op, haul_action action, uint32_t column, uint32_t columns);
/* The block ends; it still has its columns. */
void sim_hazard_tmem_finish(sim_block *b);

/* ---- synchronisation ---- */

/* Lanes have met at a warp-collective instruction. */
void sim_hazard_warp_sync(sim_warp *w, uint32_t lanes);
/* Lanes arrive at block barrier `id`, of `expected` threads (0: all), and wait for it or not; it opens; lanes go on
 * behind it. Those who wait do nothing until it opens, so that one time can stand for all their arrivals. */
void sim_hazard_barrier_arrive(sim_warp *w, const sim_op *op, uint32_t id, uint32_t expected, uint32_t lanes,
                               bool waits);
void sim_hazard_barrier_open(sim_block *b, uint32_t id);
void sim_hazard_barrier_pass(sim_warp *w, uint32_t id, uint32_t lanes);
/* Lanes have come to a block that only those come to who have gone round, or passed, a barrier of the whole block. */
void sim_hazard_past(sim_warp *w, uint32_t block, uint32_t lanes);
/* The same for the cluster's barrier. */
void sim_hazard_cluster_arrive(sim_warp *w, const sim_op *op, uint32_t lanes);
void sim_hazard_cluster_open(sim_block *cluster);
void sim_hazard_cluster_pass(sim_warp *w, uint32_t lanes);
/* Lanes that wait at joins are about to go on without those that wait elsewhere. */
void sim_hazard_joins_released(sim_warp *w);

/* ---- mbarriers, of block b at `address` ---- */

void sim_hazard_mbarrier_init(sim_warp *w, const sim_op *op, unsigned lane, uint32_t address);
void sim_hazard_mbarrier_end(sim_warp *w, const sim_op *op, unsigned lane, uint32_t address);
/* A lane uses it: arrives, tells it bytes, or waits. */
void sim_hazard_mbarrier_use(sim_warp *w, const sim_op *op, unsigned lane, sim_block *b, uint32_t address);
/* It is told arrivals or bytes. */
void sim_hazard_mbarrier_told(sim_warp *w, const sim_op *op, unsigned lane, sim_block *b, uint32_t address);
/* cp.async.mbarrier.arrive without .noinc has raised its pending count. */
void sim_hazard_mbarrier_raised(const sim_warp *w, uint32_t address);
void sim_hazard_mbarrier_arrive(sim_warp *w, const sim_op *op, unsigned lane, sim_block *b, uint32_t address);
void sim_hazard_mbarrier_phase(sim_block *b, uint32_t address);
/* A copy of the lane will tell another block's mbarrier its bytes. */
void sim_hazard_mbarrier_signals(const sim_warp *w, unsigned lane);
void sim_hazard_mbarrier_pass(sim_warp *w, const sim_op *op, uint32_t lanes, uint32_t address);

/* ---- what stops a launch ---- */

/* The fault in w->sm->fault, of some of `lanes`, with that message. */
void sim_hazard_fault(sim_warp *w, const sim_op *op, uint32_t lanes, const char *message);
/* All those lanes have had faults before that they have gone on behind. */
bool sim_hazard_have_strayed(const sim_warp *w, uint32_t lanes);
/* Nothing can run any more: what each path of the SM's warps waits for. */
void sim_hazard_deadlock(sim_sm *sm);

/* ---- other findings ---- */

/* A warp instruction names lanes that never come to it. */
void sim_hazard_mask(sim_warp *w, const sim_op *op, uint32_t lanes, uint32_t members);

#endif
