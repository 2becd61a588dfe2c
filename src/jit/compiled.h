/* Kernels compiled to native vector code, for blocks that run often.
 *
 * A basic block's operations are divided into segments. A segment ends where a warp may have to stop (barriers, waits
 * for memory), at branches, and at the end of the block. A segment's code does what the interpreter does for a whole
 * warp on one path, with the same bits and counts. It keeps values in vector registers between operations and calls the
 * handler of operations that it does not implement. Another form does the same for some lanes of a warp. If anything
 * unusual happens (lanes diverge or reconverge, addresses are out of bounds or have another shape than before), it
 * returns to the interpreter before that operation.
 *
 * Results, counters and the order in which warps run do not depend on whether and when a block is compiled.
 *
 * Compiled code belongs to its program; all launches share it. A thread compiles blocks that have run for a while. The
 * environment variable HAUL_COMPILE can change that (sim_compiling_mode). */
#ifndef HAUL_JIT_COMPILED_H
#define HAUL_JIT_COMPILED_H

#include "count/banks.h"
#include "jit/code.h"
#include "machine/mufu.h"
#include "state/block.h"

#include <stdatomic.h>
#include <stdbool.h>

typedef struct sim_compiled sim_compiled;
typedef struct sim_native sim_native;

/* The shape of a whole warp's address register: within each half warp, adjacent lanes have the same distance. SAME:
 * both halves are equal. */
typedef enum sim_lanes_kind {
    SIM_LANES_ANY,
    SIM_LANES_STRIDE_0,
    SIM_LANES_STRIDE_0_SAME,
    SIM_LANES_STRIDE_1,
    SIM_LANES_STRIDE_1_SAME,
    SIM_LANES_STRIDE_2,
    SIM_LANES_STRIDE_2_SAME,
    SIM_LANES_STRIDE_4,
    SIM_LANES_STRIDE_4_SAME,
    SIM_LANES_STRIDE_8,
    SIM_LANES_STRIDE_8_SAME,
    SIM_LANES_STRIDE_16,
    SIM_LANES_STRIDE_16_SAME,
    SIM_LANES_KINDS,
} sim_lanes_kind;

/* A machine access of a cohort, for counting. */
typedef struct sim_cohort_access {
    uint32_t instruction;
    uint8_t bytes;
    bool is_store;
} sim_cohort_access;

/* A bundle, in code that checks: loads of a cohort with no store and no handler between them, or one store. They are
 * checked together, before the first. */
typedef struct sim_bundled {
    uint32_t *pcs; /* of their operations */
    size_t count, capacity;
} sim_bundled;

/* A cohort: accesses of a segment to shared memory that share an address register. */
typedef struct sim_cohort {
    sim_lanes_kind kind;        /* the shape that the code is for */
    uint32_t alignment, widest; /* bytes; widest: the widest machine access */
    /* Bytes from the register's lanes to the first byte accessed, and to the byte after the last one. */
    int32_t low, high;
    sim_cohort_access *accesses;
    size_t access_count, access_capacity;
    sim_bundled *bundles;
    size_t bundle_count, bundle_capacity;
} sim_cohort;

/* A cohort's state on one SM: the lanes' last shape, and how often it occurred. */
typedef struct sim_cohort_memo {
    uint32_t delta[SIM_LANES]; /* from lane 0 */
    uint32_t asked[SIM_LANES]; /* the lanes passed to sim_native.match */
    int64_t low, high;         /* as in the cohort, but from lane 0 */
    uint64_t runs;             /* runs not yet added to the tallies */
    uint32_t first;            /* lane 0 of the run that set the shape */
    sim_wavefronts wavefronts[2][3];
    struct sim_bundle_cache *bundles; /* of the cohort's bundles; NULL until needed */
} sim_cohort_memo;

typedef uint64_t sim_segment_run(sim_native *n);

/* A segment's code returns one word: the next operation, the step (from bit 32) and the number of executed operations
 * (from bit 40). The step is that of a handler, or SIM_SEGMENT_TURN after a backward branch, where another path of the
 * warp may get its turn. */
enum { SIM_SEGMENT_STEP_SHIFT = 32, SIM_SEGMENT_OPS_SHIFT = 40, SIM_SEGMENT_TURN = 0xff };

/* Forms of a segment's code: for which warps, and whether it counts and checks. */
typedef enum sim_code_form {
    SIM_CODE_WHOLE,           /* whole warps that wait for nobody */
    SIM_CODE_PART,            /* the lanes of the running path, whichever they are */
    SIM_CODE_UNCOUNTED_WHOLE, /* the same for launches that are not counted */
    SIM_CODE_UNCOUNTED_PART,
    SIM_CODE_CHECKED_WHOLE, /* the same for launches that are counted and checked */
    SIM_CODE_CHECKED_PART,
    SIM_CODE_FOLLOWED_WHOLE, /* the same for launches that are only followed: check/follow.h */
    SIM_CODE_FOLLOWED_PART,
    SIM_CODE_FORMS,
} sim_code_form;

/* Forms for parts follow those for whole warps. */
static inline bool sim_form_is_part(sim_code_form form) {
    return form % 2;
}

static inline bool sim_form_counts(sim_code_form form) {
    return form <= SIM_CODE_PART || form == SIM_CODE_CHECKED_WHOLE || form == SIM_CODE_CHECKED_PART;
}

static inline bool sim_form_follows(sim_code_form form) {
    return form == SIM_CODE_FOLLOWED_WHOLE || form == SIM_CODE_FOLLOWED_PART;
}

static inline bool sim_form_checks(sim_code_form form) {
    return form == SIM_CODE_CHECKED_WHOLE || form == SIM_CODE_CHECKED_PART;
}

/* Returns the form for whole warps on the SM; the one for parts follows it. */
static inline sim_code_form sim_first_form(const sim_sm *sm) {
    if (sm->hazards) return SIM_CODE_CHECKED_WHOLE;
    if (sm->follower) return SIM_CODE_FOLLOWED_WHOLE;
    return sm->counting ? SIM_CODE_WHOLE : SIM_CODE_UNCOUNTED_WHOLE;
}

typedef struct sim_segment {
    sim_segment_run *run;
    uint32_t pc, ops; /* the first operation, and the number of operations */
    uint32_t block;   /* its basic block */
    sim_code_form form;
    uint32_t index; /* number among the segments of its form with cohorts; of the segments that begin at `pc`, only one
                       is in use */
    sim_cohort *cohorts;
    size_t cohort_count, cohort_capacity;
} sim_segment;

/* The argument of segments' code; belongs to an SM. */
struct sim_native {
    unsigned char *regs, *shared;
    const unsigned char *params;
    const sim_op *ops;
    sim_warp *warp;
    uint64_t shared_bytes;
    sim_reach *reaches; /* the SM's */
    uint64_t *block_runs, *block_threads, *instruction_runs, *instruction_threads, *changes;
    sim_cohort_memo *memos; /* of the segment's cohorts */
    /* Returns nonzero if memo->asked has a shape that the cohort's code handles; the memo is then updated to it. */
    uint32_t (*match)(sim_native *n, sim_cohort_memo *memo, uint32_t cohort);
    /* Checks accesses to shared memory, with lane 0 of their register at `first`. Returns 0, without effect on
     * findings, if their handlers must do that. */
    uint32_t (*check)(sim_native *n, uint32_t cohort, uint32_t bundle, uint32_t first);
    /* Counts the cohort's first `accesses` accesses; the others will not be made. */
    void (*partial)(sim_native *n, uint32_t cohort, uint32_t accesses);
    /* Counts, and in checked launches checks, or follows an access to global memory with adjacent lanes in each half
     * warp; the halves begin at `first` and `second`. Returns what to add to these for the host's address. Returns 0,
     * without effect, if the handler must do the access. */
    uint64_t (*span)(sim_native *n, const sim_op *op, uint64_t first, uint64_t second);
    /* Lanes of a whole warp have diverged and met again: leaves the warp's paths as that does. */
    void (*meet)(sim_native *n);
    /* At a branch backwards to operation `pc`: sim_warp_turn(). */
    sim_step (*turn)(sim_warp *w, uint32_t pc);
    const sim_mufu_columns *mufu[SIM_MUFU_TABLES]; /* tables of the approximate functions */
    const sim_segment *segment;
    struct sim_counting *counting; /* NULL: nothing is counted */
    uint64_t *own_runs;            /* by block; block_runs points here if nothing is counted */
    uint64_t *part_runs;           /* by block: interpreted runs with some of a warp's lanes */
    sim_cohort_memo **all_memos;   /* by segment; NULL: not run yet */
    const sim_segment **seen;      /* by segment: the segment that owns the memos */
    uint32_t segment_limit;
};

/* When a block is compiled. */
typedef enum sim_compiling_when {
    SIM_COMPILING_OFF,
    SIM_COMPILING_HEAT, /* when it pays */
    SIM_COMPILING_RUNS, /* when an SM is about to run it the `runs`th time; the SM waits for the code */
} sim_compiling_when;

typedef struct sim_compiling_mode {
    sim_compiling_when when;
    uint64_t runs;
    sim_code_level level; /* of SIM_COMPILING_RUNS */
} sim_compiling_mode;

/* Parses HAUL_COMPILE. "off": SIM_COMPILING_OFF. A number, optionally with ":more" for the compiler's higher level:
 * SIM_COMPILING_RUNS. Anything else, or unset: SIM_COMPILING_HEAT. */
sim_compiling_mode sim_compiling(void);

/* Blocks that were compiled; blocks that failed to compile, because the host ran out of memory or haul has a defect;
 * and blocks whose code came from the cache. */
unsigned sim_compiler_made(void);
unsigned sim_compiler_refused(void);
unsigned sim_compiler_cached(void);

typedef _Atomic(const sim_segment *) sim_segment_entry;

/* Compilation state of a block. */
typedef struct sim_compiled_block {
    atomic_uint_least8_t asked[SIM_CODE_FORMS][SIM_CODE_LEVELS]; /* it is being compiled, or was */
    atomic_uint_least8_t again;           /* number of recompilations for other shapes of lanes */
    atomic_uint misses;                   /* accesses with another shape since the last compilation */
    _Atomic uint64_t ran[SIM_CODE_FORMS]; /* operations, in launches that have ended */
} sim_compiled_block;

/* A program's compiled code. Lives from sim_compiled_create() to sim_compiled_free(). */
struct sim_compiled {
    const sim_program *program;
    sim_compiling_mode mode;
    sim_segment_entry *entries[SIM_CODE_FORMS]; /* by operation: the segment that begins there; NULL: none */
    sim_compiled_block *blocks;                 /* by basic block */
    _Atomic uint16_t *kinds;               /* by operation: a bit for each sim_lanes_kind that its lanes have had */
    uint32_t limit, count[SIM_CODE_FORMS]; /* segments with cohorts, by form: the maximum and the current number */
    arena memory;                          /* segments and tables */
    struct ptx_liveness *live;             /* in the same arena */
    struct sim_code_cache *cache;
};

/* Creates the compiled code of a program; cached code is installed at once by the compiling thread. Returns NULL if
 * compiling is off, there is no compiler for this host, or no memory. */
sim_compiled *sim_compiled_create(const sim_program *program);
/* Waits for the compiling thread if it works on this program. */
void sim_compiled_free(sim_compiled *c);

/* ---- for the interpreter ---- */

enum { SIM_HEAT_STEP = 64 };

/* The SM has entered the block for the `runs`th time in this form. Called for all small counts, and for multiples of
 * SIM_HEAT_STEP. */
void sim_compiled_heat(sim_compiled *c, const sim_sm *sm, uint32_t block, sim_code_form form, uint64_t runs);
/* Lanes in the segment's block had a shape that there is no code for. */
void sim_compiled_missed(sim_compiled *c, const sim_segment *s);
/* The block ran `runs` times in a launch that has ended. */
void sim_compiled_ran(sim_compiled *c, uint32_t block, sim_code_form form, uint64_t runs);
/* The same for all blocks, from the counts of the launch's SMs. */
void sim_compiled_ended(sim_compiled *c, const sim_sm *sms, uint32_t count);
/* Returns the number of the block's operations. */
uint64_t sim_compiled_size(const sim_compiled *c, uint32_t block);

/* Records the shape of a whole warp's address register, seen by the operation that leads its pattern. */
static inline void sim_compiled_note_kind(sim_compiled *c, uint32_t pc, sim_lanes_kind kind) {
    const uint16_t seen = atomic_load_explicit(&c->kinds[pc], memory_order_relaxed);
    if (!(seen >> kind & 1)) atomic_fetch_or_explicit(&c->kinds[pc], (uint16_t)(1u << kind), memory_order_relaxed);
}
/* True if both halves are equal. */
static inline bool sim_lanes_are_same(sim_lanes_kind kind) {
    return kind != SIM_LANES_ANY && (kind - SIM_LANES_STRIDE_0) % 2 == 1;
}
/* Returns the kind by the distance between adjacent lanes, and whether both halves are equal. */
sim_lanes_kind sim_lanes_kind_by(uint32_t stride, bool same);
/* Returns the one kind in `seen`, a bit for each; SIM_LANES_ANY if there are several or none. */
sim_lanes_kind sim_lanes_kind_of_all(uint32_t seen);

/* Runs compiled segments from *pc on as long as the running path has any, at most *left operations, which are
 * subtracted from *left. SIM_NEXT: the interpreter continues at *pc. SIM_JUMP, SIM_STOP: as from a handler. SIM_YIELD:
 * the warp's turn ends, to continue at *pc. Always executes at least one operation. */
sim_step sim_compiled_run(sim_warp *w, uint32_t *pc, uint64_t *left);

/* Returns the form of code for the running path. */
static inline sim_code_form sim_compiled_form(const sim_warp *w) {
    const unsigned part = w->active != SIM_ALL_LANES || w->path->join != SIM_NO_JOIN;
    return (sim_code_form)(w->first_form + part);
}

/* Returns the running path's segment at operation `pc`, or NULL if the interpreter has to execute it, as at a join, or
 * in a warp with tainted registers.
 * w->compiled must not be NULL. */
static inline const sim_segment *sim_compiled_takes(const sim_warp *w, uint32_t pc) {
    const sim_segment_entry *entries = w->compiled->entries[sim_compiled_form(w)];
    const sim_segment *s = atomic_load_explicit(&entries[pc], memory_order_acquire);
    return s && !w->tainted && !sim_warp_reconverges_at(w, w->path, pc) ? s : NULL;
}

/* An SM's part; NULL if there is no memory. sim_native_settle() adds the runs that its counters do not include yet. */
sim_native *sim_native_create(sim_sm *sm, sim_step (*turn)(sim_warp *w, uint32_t pc));
/* The SM begins another launch of the program; neither launch is counted. */
void sim_native_renew(const sim_sm *sm);
void sim_native_settle(sim_native *n);
void sim_native_free(sim_native *n);

#endif
