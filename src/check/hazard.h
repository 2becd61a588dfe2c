/* Checks for races and misuse while a launch runs (`haul check`). The executor calls the hooks below only with checks
 * on; otherwise `sm->hazards` is NULL.
 *
 *  sim_hazards       one per SM: its findings
 *  └ sim_domain      one per resident cluster: the threads that share memory, barriers and mbarriers
 *    ├ views         per warp: what its lanes know of all others (known.h)
 *    ├ gates         per barrier and mbarrier: what the threads that arrived knew
 *    └ shadows       per block: who used each word of shared memory last
 *
 * An mbarrier is an actor like a warp. It counts as the writer of what copies that complete on it bring, and threads
 * that have waited for its phase know of those writes. */
#ifndef HAUL_CHECK_HAZARD_H
#define HAUL_CHECK_HAZARD_H

#include "base/arena.h"
#include "check/known.h"
#include "state/block.h"

/* mbarriers of a cluster that are tracked apart; further ones share. */
enum { SIM_HAZARD_MBARRIERS = 32, SIM_NO_THREAD = 0xffff };

typedef struct sim_hazards sim_hazards;
typedef struct sim_domain sim_domain;

/* proxy.c. Called once per launch, for sim_grid. */
sim_proxy_need sim_proxies_needed(const sim_program *p);
/* relaxed.c. True if the kernel has barriers that order no memory. */
bool sim_relaxes(const sim_program *p);
/* mbarrier.c. True if an instruction of the kernel may name an mbarrier; without, domains have no place for any. */
bool sim_has_mbarriers(const sim_program *p);
/* volatile_use.c. By instruction: a volatile store; a volatile load of data, on which no loop waits; an mbarrier wait
 * whose result is ignored; a load whose value a compare-and-swap checks; the strong load and the strong store of an
 * update in two steps, as `*sum = *sum + x` on a volatile word; a strong read that a loop waits for; a volatile or
 * atomic write for which such a loop may wait, in a kernel that also loads volatile data; an access that is left out of
 * sim_is_left_to_chance(), since a loop waits for the word or the thread computes its next value from the last one; a
 * load that only looks whether a maximum is worth raising, or a compare-and-swap worth a try. The caller frees the
 * table; it is NULL if the kernel has none of these. */
enum {
    SIM_USE_STORES_VOLATILE = 1,
    SIM_USE_LOADS_VOLATILE = 2,
    SIM_USE_UNSEEN = 4,
    SIM_USE_GUESSES = 8,
    SIM_USE_UPDATES = 16,
    SIM_USE_WAITS = 32,
    SIM_USE_TELLS = 64,
    SIM_USE_EXEMPT = 128,
    SIM_USE_LOOKS = 256,
    SIM_USE_TRIES = 512
};
haul_status sim_hazards_create(sim_sm *sm);
/* Gets the checks of an earlier launch of the same kernel ready for the SM's grid. Returns false if that is not
 * possible. */
bool sim_hazards_renew(sim_sm *sm);
/* Returns the most host memory that the SM's checks take, but for a few small tables. */
uint64_t sim_hazards_bytes(const sim_sm *sm);
void sim_hazards_free(sim_sm *sm);
/* A cluster starts; `first` is its first block. */
void sim_hazard_start(sim_block *first);

/* ---- shared memory ---- */

/* Called before the warp loads, stores or performs an atomic on shared memory of block b. */
void sim_hazard_load(sim_warp *w, const sim_op *op, uint32_t active, sim_block *b, const uint32_t address[SIM_LANES]);
void sim_hazard_store(sim_warp *w, const sim_op *op, uint32_t active, sim_block *b, const uint32_t address[SIM_LANES]);
void sim_hazard_atomic(sim_warp *w, const sim_op *op, uint32_t active, sim_block *b, const uint32_t address[SIM_LANES]);
/* stmatrix: stores the lane's SIM_MATRIX_ROW bytes of `rows`, which combine several lanes'
 * registers, at the address of each lane in `lanes`. */
enum { SIM_MATRIX_ROW = 16 };
void sim_hazard_store_rows(sim_warp *w, const sim_op *op, uint32_t lanes, const uint32_t address[SIM_LANES],
                           const unsigned char *rows);

/* As above, if b is another block of the cluster. */
void sim_hazard_remote(sim_warp *w, const sim_op *op, uint32_t active, const sim_block *owner, haul_action action);
/* The lanes write to memory of a block of the cluster that has ended. */
void sim_hazard_lost(sim_warp *w, const sim_op *op, uint32_t lanes, const sim_block *owner);
/* Returns those of the lanes whose elements of constant memory the SM has not loaded lately. */
uint32_t sim_hazard_new_constants(const sim_warp *w, const sim_op *op, uint32_t active,
                                  const uint64_t address[SIM_LANES]);
/* Called before an access by a `.shared` form with 64-bit addresses: reports generic addresses. */
void sim_hazard_narrow(sim_warp *w, const sim_op *op, uint32_t active);
/* The lanes access the kernel's parameters by generic addresses: reports stores. */
void sim_hazard_parameter(sim_warp *w, const sim_op *op, uint32_t lanes);
/* The lanes update local memory by an atomic operation on a generic address. */
void sim_hazard_atomic_at_local(sim_warp *w, const sim_op *op, uint32_t lanes);

/* ---- uninitialised values ---- */

/* Taint: uninitialised values are followed through registers and shared memory. They are reported when they decide an
 * address or a branch, or leave the kernel. */

/* `lanes` load element `element` of the instruction's data. Nobody has written `bytes` at `address`, which become
 * `bits` of the element. */
void sim_hazard_taint(sim_warp *w, uint32_t instruction, unsigned element, uint32_t lanes, uint64_t bits,
                      haul_space space, uint64_t address, uint32_t bytes);
/* Called before each operation of a tainted warp. */
void sim_hazard_taint_step(sim_warp *w, const sim_op *op, uint32_t active);
/* The lanes got another, untainted value in register `reg`. */
void sim_hazard_taint_forget(sim_warp *w, uint32_t reg, uint32_t lanes);
/* Returns the lanes for which that element of the store's data is tainted. */
uint32_t sim_hazard_taint_stored(sim_warp *w, uint32_t instruction, unsigned element);

/* A shuffle of `lanes`, each reading from its source lane. */
void sim_hazard_shuffled(sim_warp *w, uint32_t instruction, uint32_t lanes, const uint32_t source[SIM_LANES]);

/* ---- local memory ---- */

/* Called before a load or store at `offset` in each lane's frame. */
void sim_hazard_local(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t offset[SIM_LANES], bool is_store);

/* ---- asynchronous copies ---- */

/* sim_hazard_copy: a cp.async was issued. sim_hazard_copied: the lanes' copies complete, because their thread waits or,
 * if `barrier` is not NULL, on an mbarrier of block b. */
void sim_hazard_copy(sim_warp *w, uint32_t active, sim_copy *c);
void sim_hazard_copied(sim_block *b, uint32_t warp, const sim_copy *c, uint32_t lanes, const uint32_t *barrier);
/* The warp's lane issued a bulk copy to or from block b; the copy was performed. */
void sim_hazard_bulk(sim_warp *w, unsigned lane, sim_block *b, const sim_bulk *bulk);
void sim_hazard_bulk_done(sim_block *b, const sim_bulk *bulk);
/* Called before the lanes commit a group of cp.async. */
void sim_hazard_commit(sim_warp *w, const sim_op *op, uint32_t lanes);
/* The block ends; copies in flight have not been completed yet. */
void sim_hazard_finish(sim_block *b);
/* Lanes have waited for all but their newest `keep` bulk groups, or with `read` only until those have read their
 * sources. */
void sim_hazard_bulk_waited(sim_warp *w, uint32_t lanes, uint32_t keep, bool read);
/* fence.proxy.async, for these spaces */
void sim_hazard_proxy_fence(sim_warp *w, uint32_t active, bool shared, bool global);
/* fence.mbarrier_init */
void sim_hazard_mbarrier_fence(sim_warp *w, uint32_t active);

/* ---- tensor maps in global memory that kernels change ---- */

/* The lane has changed the map at the address; with `released` it has also published the change. */
void sim_hazard_map_changed(sim_warp *w, const sim_op *op, unsigned lane, uint64_t address, bool released);
/* fence.proxy.tensormap, of either kind */
void sim_hazard_map_release(sim_warp *w, uint32_t active);
void sim_hazard_map_acquire(sim_warp *w, uint64_t address);
/* A lane copies with the map. */
void sim_hazard_map_used(sim_warp *w, const sim_op *op, unsigned lane, uint64_t address);

/* ---- background products of matrices ---- */

/* sim_hazard_factors: a product was issued for `lanes`; it reads 16 bytes of shared memory at each address. Returns its
 * time, and in `unwritten`, by address, which of the bytes nobody has written: a bit for each byte, beside those that
 * are set already. NULL: these are reported at once. sim_hazard_factors_read: the product has read them. */
uint32_t sim_hazard_factors(sim_warp *w, const sim_op *op, uint32_t lanes, const uint32_t *address, uint32_t count,
                            uint16_t *unwritten);
void sim_hazard_factors_read(sim_warp *w, const sim_op *op, uint32_t lanes, const uint32_t *address, uint32_t count,
                             uint32_t issued);
/* Rows of a and columns of b, in bits, that hold bytes which nobody has written. */
typedef struct sim_unwritten_factors {
    uint32_t rows; /* of the warp's 16 */
    uint64_t columns[4];
    uint32_t address; /* one of the bytes */
} sim_unwritten_factors;
/* A warpgroup's product was issued with them: its sums in these rows and columns are uninitialised values. */
void sim_hazard_sums(sim_warp *w, const sim_op *op, const sim_unwritten_factors *factors);
/* A group of products of the warpgroup is made: returns the time. A warp has waited for one that was made then. */
uint32_t sim_hazard_products_made(const sim_warp *w);
void sim_hazard_products_waited(sim_warp *w, uint32_t made);
/* The warp's queue of products has changed. */
void sim_hazard_products(sim_warp *w);
/* Called before each operation of a warp with products in flight. */
void sim_hazard_products_step(sim_warp *w, const sim_op *op, uint32_t active);

/* ---- warpgroups ---- */

/* Steps that all warps of a warpgroup must execute equally often: setmaxnreg, with a synchronisation between one and
 * the next, and products. */
typedef enum sim_step_kind { SIM_STEP_REGISTERS, SIM_STEP_PRODUCT, SIM_STEP_KINDS } sim_step_kind;
/* The warp's lanes execute such a step. */
void sim_hazard_warpgroup(sim_warp *w, const sim_op *op, uint32_t lanes, sim_step_kind kind);

/* ---- tensor memory ---- */

/* Called before lanes of a warp use columns of their block, or deallocate them. */
void sim_hazard_tmem(sim_warp *w, const sim_op *op, uint32_t lanes, haul_action action, sim_tmem_area area);
/* The warp has waited for its loads or stores of tensor memory. */
void sim_hazard_tmem_waited(sim_warp *w, bool stores);
/* A commit is issued: returns its time. Later it arrives at an mbarrier of block b. */
uint32_t sim_hazard_tmem_commit(const sim_warp *w);
void sim_hazard_tmem_committed(const sim_warp *w, uint32_t issued, const sim_block *b, uint32_t barrier);
/* tcgen05.fence, of either kind */
void sim_hazard_tmem_fence(sim_warp *w, uint32_t active);
/* The block ends and still owns its columns. */
void sim_hazard_tmem_finish(sim_block *b);

/* ---- synchronisation ---- */

/* Lanes have reconverged at a warp-collective instruction; `orders`: it orders their own accesses, too. */
void sim_hazard_warp_sync(sim_warp *w, uint32_t lanes, bool orders);
/* Lanes arrive at block barrier `id`, of `expected` threads (0: all), and with `waits` wait for it; the barrier opens;
 * lanes leave it. Lanes that wait do nothing until it opens, so one time stands for all their arrivals. */
void sim_hazard_barrier_arrive(sim_warp *w, const sim_op *op, uint32_t id, uint32_t expected, uint32_t lanes,
                               bool waits);
void sim_hazard_barrier_open(sim_block *b, uint32_t id);
void sim_hazard_barrier_pass(sim_warp *w, uint32_t id, uint32_t lanes);
/* Lanes have reached a basic block that can be reached only by skipping or passing a barrier of the whole block. */
void sim_hazard_skipped(sim_warp *w, uint32_t block, uint32_t lanes);
/* The same for the cluster's barrier. */
void sim_hazard_cluster_arrive(sim_warp *w, const sim_op *op, uint32_t lanes);
void sim_hazard_cluster_open(sim_block *cluster);
void sim_hazard_cluster_pass(sim_warp *w, uint32_t lanes);
/* Lanes that wait at joins are about to continue without lanes that wait elsewhere. */
void sim_hazard_joins_released(sim_warp *w);

/* ---- mbarriers, of block b at `address` ---- */

void sim_hazard_mbarrier_init(sim_warp *w, const sim_op *op, unsigned lane, uint32_t address);
void sim_hazard_mbarrier_end(sim_warp *w, const sim_op *op, unsigned lane, uint32_t address);
/* A lane uses the mbarrier: it arrives, expects bytes or waits. */
void sim_hazard_mbarrier_use(sim_warp *w, const sim_op *op, unsigned lane, sim_block *b, uint32_t address);
/* An instruction begins to signal mbarriers, lane by lane. */
void sim_hazard_mbarrier_begin(const sim_warp *w);
/* The mbarrier receives arrivals or expected bytes. */
void sim_hazard_mbarrier_signalled(sim_warp *w, const sim_op *op, unsigned lane, sim_block *b, uint32_t address);
/* cp.async.mbarrier.arrive without .noinc has raised the pending count. */
void sim_hazard_mbarrier_raised(const sim_warp *w, uint32_t address);
void sim_hazard_mbarrier_arrive(sim_warp *w, const sim_op *op, unsigned lane, sim_block *b, uint32_t address);
/* Transaction bytes are expected (positive) or have arrived (negative). */
void sim_hazard_mbarrier_bytes(sim_block *b, uint32_t address, int64_t bytes);
void sim_hazard_mbarrier_phase(sim_block *b, uint32_t address);
/* A copy of the lane will signal its bytes to another block's mbarrier. */
void sim_hazard_mbarrier_signals(const sim_warp *w, unsigned lane);
void sim_hazard_mbarrier_pass(sim_warp *w, const sim_op *op, uint32_t lanes, uint32_t address);

/* ---- faults and deadlocks ---- */

/* Reports w->sm->fault, caused by some of `lanes`, with that message. */
void sim_hazard_fault(sim_warp *w, const sim_op *op, uint32_t lanes, const char *message);
/* True if all those lanes have faulted before and continued. */
bool sim_hazard_have_faulted(const sim_warp *w, uint32_t lanes);
/* Nothing can run any more: reports what each path of the SM's warps waits for. */
void sim_hazard_deadlock(sim_sm *sm);

/* ---- other findings ---- */

/* A warp instruction names lanes that never reach it. */
void sim_hazard_mask(sim_warp *w, const sim_op *op, uint32_t lanes, uint32_t members);
/* An instruction of the whole warp is executed by these lanes only. */
void sim_hazard_part_of_warp(sim_warp *w, const sim_op *op, uint32_t lanes);
/* cp.async of these lanes is given `size` bytes to read, more than it writes. */
void sim_hazard_source_size(sim_warp *w, const sim_op *op, uint32_t lanes, uint32_t size);
/* wmma.load or wmma.store of a matrix that begins at this address, and whose rows or columns lie `stride` bytes apart.
 * Alignments: `asked` by CUDA's guide; `needed` by machine code's accesses. */
void sim_hazard_fragment(sim_warp *w, const sim_op *op, uint32_t lanes, uint64_t address, uint64_t stride,
                         unsigned asked, unsigned needed);

#endif
