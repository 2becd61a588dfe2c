/* Internal structures of counting, shared by sums.c (life cycle, sums) and the files behind access.h (each access). */
#ifndef HAUL_COUNT_COUNTING_H
#define HAUL_COUNT_COUNTING_H

#include "assembler/assembler.h"
#include "assembler/cost.h"
#include "count/coalesce.h"
#include "count/constant.h"
#include "count/count.h"
#include "count/l1.h"
#include "count/l2.h"
#include "count/l2_log.h"
#include "state/block.h"

#define SIM_NO_TALLY 0xffffffffu

/* Lives from sim_count_plan_create() to sim_count_plan_free(); SMs only read it. */
struct sim_count_plan {
    arena memory;
    jmp_buf out_of_memory;
    const ptx_function *function;
    const sim_assembled *assembled; /* by instruction */
    const sim_cost *costs;          /* by basic block */
    const uint32_t *issuing_blocks; /* by basic block; NULL: the kernel has no copies */
    const uint8_t *bank_uses;       /* by instruction */
    uint32_t *tally_of; /* by instruction: index of its first tally, or SIM_NO_TALLY if it accesses no memory */
    uint32_t tally_count;
    bool has_loops; /* some atomic on shared memory is a loop of compare-and-swaps */
    uint32_t l1_bytes;
    uint64_t local_bytes; /* per thread */
    sim_l2_window window;
};

/* What one instruction moved on one SM. traffic.instructions counts machine accesses here. */
typedef struct sim_tally {
    haul_traffic traffic;
    uint64_t tag_sectors;     /* differs from traffic.sectors for LDGSTS around L1 */
    uint64_t missed;          /* loads that found some of their sectors in L1 missing */
    uint64_t matrix_accesses; /* of traffic.instructions: those that move matrices (ldmatrix, stmatrix) */
} sim_tally;

/* An instruction has a tally for each space: a generic address may reach global, local and shared memory, and an atomic
 * on shared memory may need loads. */
typedef enum sim_tally_space {
    SIM_TALLY_OWN,    /* the instruction's own class */
    SIM_TALLY_SHARED, /* a global class's instruction that reached shared memory */
    SIM_TALLY_LOCAL,
    SIM_TALLY_LOOP_LOADS,
    SIM_TALLY_SHARED_LOOP_LOADS, /* those of a global class's atomic that reached shared memory */
    SIM_TALLY_SPACES,
} sim_tally_space;

/* Returns the number of tallies of an instruction: SIM_TALLY_SPACES or 1. */
unsigned sim_tally_spaces(const sim_count_plan *plan, size_t instruction);

/* Stores of one warp that may still be combined, by line: a small hash table with one line per slot. */
enum { SIM_PENDING = 64 };
typedef struct sim_pending_stores {
    const sim_warp *warp;
    uint32_t next; /* instruction behind the last store of parts of sectors; 0: none of the warp */
    uint32_t count;
    uint8_t used[SIM_PENDING];  /* slots in use, in the order of use */
    uint8_t mask[SIM_PENDING];  /* 0 = free */
    uint8_t bytes[SIM_PENDING]; /* average bytes written per sector */
    uint8_t priority[SIM_PENDING];
    uint64_t line[SIM_PENDING];
} sim_pending_stores;

/* The last read request. An immediately following miss in the same line joins it, once. */
typedef struct sim_last_read {
    uint64_t line;
    sim_log_entry *entry; /* NULL: none, or already joined; valid until the log grows or is drained */
} sim_last_read;

/* A warp's latest volatile loads that may still be in flight, by the warp's place on the SM. */
enum { SIM_RESIDENT_WARPS = 64 };
typedef struct sim_pending_volatile {
    const sim_warp *warp;
    uint32_t instruction;
    sim_lines lines;
    uint8_t served[SIM_LANES]; /* by line: the number of loads that its answer serves */
} sim_pending_volatile;

/* Accesses take turns at the L2 slice of their address. These count sectors that atomics update and requests of stores,
 * by hash of the 512 bytes that lie in one slice. */
enum { SIM_HOT_PLACES = 1024, SIM_HOT_LINES = 4 };

/* Loops of compare-and-swaps on one word of shared memory take turns: as many places count them. */
enum { SIM_LOOP_PLACES = 1024 };

typedef struct sim_samples sim_samples; /* samples.h */

/* The warp's place among those that are resident on its SM. */
static inline uint64_t sim_warp_place(const sim_warp *w) {
    return (uint64_t)(w->block - w->sm->blocks) * w->block->warp_count + w->index;
}

struct sim_counting {
    const sim_count_plan *plan;   /* dies with the launch, while a spare SM keeps this */
    const ptx_function *function; /* the plan's */
    sim_l1 *l1;
    sim_tally *tallies;
    uint32_t tally_count;
    sim_samples *samples;                             /* by instruction */
    uint64_t *block_runs, *block_threads;             /* by basic block */
    uint64_t *instruction_runs, *instruction_threads; /* by instruction: guarded ones */
    struct sim_kept_loops *loops;                     /* loops.h; NULL: the kernel has none */
    sim_pending_volatile in_flight[SIM_RESIDENT_WARPS];
    sim_log log;
    /* From here on all is zero when a launch begins. */
    sim_idc constants;
    uint64_t policy; /* of the access being counted; 0: none */
    uint64_t store_hits;
    uint64_t store_requests_issued, store_sectors_issued; /* before they are combined */
    sim_pending_stores pending;
    sim_last_read last_read;
    uint64_t read_requests_issued; /* before they are joined */
    uint64_t shared_sectors;       /* sectors that volatile loads took from an answer in flight */
    uint32_t *local_written;       /* by line of local memory: lanes whose word was stored; NULL until needed */
    /* Bulk stores that reduce: the counters `..._tma_st` leave them out. */
    uint64_t reduced_bulks, reduced_bulk_sectors;
    /* Copies by lanes that are predicated off: the profiler counts them, too. */
    uint64_t unmasked_wavefronts, unmasked_sectors;
    uint64_t fewer_wavefronts, more_wavefronts; /* that it may count, as it misreads a predicate register */
    uint64_t word_loads, word_stores;           /* of tensor maps in shared memory */
    uint64_t partial_sectors;                   /* of stores that do not fill them */
    uint64_t partial_requests, partial_writes;  /* the same if only neighbouring stores are combined: lines, sectors */
    uint64_t data_wavefronts;                   /* of loads from global memory, in L1's data stage */
    uint64_t shared_turns;                      /* lanes that an atomic on shared memory makes wait for others */
    uint64_t loop_rounds;             /* rounds of compare-and-swaps in shared memory after each one's first */
    uint32_t looped[SIM_LOOP_PLACES]; /* lanes that swap, by hash of the word */
    uint32_t hot[SIM_HOT_PLACES], stored[SIM_HOT_PLACES];
    uint32_t added[SIM_HOT_PLACES];       /* additions of floats, by hash of the sector */
    struct sim_deferred_update *deferred; /* atomics still to be counted; NULL until needed */
    uint32_t deferred_count;
    bool is_deferring;
};

/* Machine code also loads parameters and the launch's extents from a constant bank. The assembler chooses between an
 * operand, the uniform pipe and LDC, which PTX does not show. Most kernels compiled for sm_90 load the stack's end,
 * each pointer, and each extent of a block once by LDC. `uses`, `executed`: by instruction. */
typedef struct sim_bank_loads {
    uint64_t least, usual, most;
} sim_bank_loads;
sim_bank_loads sim_bank_loads_of(const ptx_function *function, const uint8_t *uses, const haul_traffic *executed);

/* Returns a table by instruction: how many parameters and extents it is the first in its basic block to use. Allocates
 * in `memory`. */
const uint8_t *sim_bank_uses_find(const ptx_function *function, arena *memory);

/* Counts an atomic on global memory; c->policy is its own. */
void sim_count_update(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active,
                      const uint64_t address[SIM_LANES]);
/* Defers counting an atomic. If the table is full, counts all deferred ones and returns false. */
bool sim_count_defer(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active,
                     const uint64_t address[SIM_LANES]);

/* Sends the stores that wait to be combined to L2. */
void sim_counting_flush(sim_counting *c);

#endif
