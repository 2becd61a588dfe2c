/* The compiled form of kernels: what runs often, as native vector code.
 *
 * A basic block's operations are cut into segments: straight stretches that end where a warp may have to stop
 * (barriers, waits for memory), at branches, and at the block's end. A segment's code does what the interpreter would
 * do for a whole warp on one path, to the last bit and count, and keeps values in vector registers between its
 * operations; what it does not know itself it asks the operation's handler for. Another form does the same for some
 * lanes of a warp. Whenever something is unusual (lanes that part or meet, addresses that are out of bounds or lie in
 * another shape than they used to) it hands back to the interpreter in front of that operation.
 *
 * Results, counters and the order in which warps run do not depend on whether and when a block is compiled.
 *
 * Compiled code belongs to its program and is shared by all launches. Blocks that have run for a while are compiled by
 * a thread of their own; HAUL_COMPILE in the environment says otherwise (sim_compiling_mode()). */
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

/* How the lanes of an address register lie, of a whole warp: the same distance between neighbours within each half
 * warp. SAME: both halves alike. */
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

/* What one machine access of a cohort counts as. */
typedef struct sim_cohort_access {
    uint32_t instruction;
    uint8_t bytes;
    bool is_store;
} sim_cohort_access;

/* Accesses of a segment to shared memory that share an address register. */
typedef struct sim_cohort {
    sim_lanes_kind kind;        /* that the code is for */
    uint32_t alignment, widest; /* bytes; widest: of what the machine makes of its accesses */
    int32_t low, high; /* bytes from the register's lanes to the first byte accessed, and behind the last one */
    sim_cohort_access *accesses;
    size_t access_count, access_capacity;
} sim_cohort;

/* What one SM knows of a cohort: the shape of the lanes that came last, and how often they came in it. */
typedef struct sim_cohort_memo {
    uint32_t delta[SIM_LANES]; /* from lane 0 */
    uint32_t asked[SIM_LANES]; /* the lanes that sim_native.match is asked about */
    int64_t low, high;         /* as in the cohort, from lane 0 */
    uint64_t runs;             /* that have not been added to the tallies */
    uint32_t first;            /* lane 0 of the run that the shape was found in */
    sim_wavefronts wavefronts[2][3];
} sim_cohort_memo;

typedef uint64_t sim_segment_run(sim_native *n);

/* A segment's code returns how it ended, in one word. Beside what handlers return, as SIM_NEXT after a branch
 * backwards, at which another path of the warp may get its turn. */
enum { SIM_SEGMENT_STEP_SHIFT = 32, SIM_SEGMENT_OPS_SHIFT = 40, SIM_SEGMENT_TURN = 0xff };

/* Whom a segment's code is for, and whether it counts. */
typedef enum sim_code_form {
    SIM_CODE_WHOLE,           /* whole warps that wait for nobody */
    SIM_CODE_PART,            /* the lanes of the running path, whichever they are */
    SIM_CODE_UNCOUNTED_WHOLE, /* the same for launches that are not counted */
    SIM_CODE_UNCOUNTED_PART,
    SIM_CODE_FORMS,
} sim_code_form;

static inline bool sim_form_is_part(sim_code_form form) {
    return form == SIM_CODE_PART || form == SIM_CODE_UNCOUNTED_PART;
}

static inline bool sim_form_counts(sim_code_form form) {
    return form < SIM_CODE_UNCOUNTED_WHOLE;
}

typedef struct sim_segment {
    sim_segment_run *run;
    uint32_t pc, ops; /* the first operation, and how many there are */
    uint32_t block;   /* its basic block */
    sim_code_form form;
    uint32_t index; /* among those of its form with cohorts: of the segments that begin at `pc`, only one is in use */
    sim_cohort *cohorts;
    size_t cohort_count, cohort_capacity;
} sim_segment;

/* What segments' code is given; belongs to an SM. */
struct sim_native {
    unsigned char *regs, *shared;
    const unsigned char *params;
    const sim_op *ops;
    sim_warp *warp;
    uint64_t shared_bytes;
    uint64_t *block_runs, *block_threads, *instruction_runs, *instruction_threads, *changes;
    sim_cohort_memo *memos; /* of the segment's cohorts */
    /* Whether memo->asked lies in a shape that the segment's code for the cohort can do; then the memo is its. */
    uint32_t (*match)(sim_native *n, sim_cohort_memo *memo, uint32_t cohort);
    /* The cohort's first `accesses` were made, the others will not be. */
    void (*partial)(sim_native *n, uint32_t cohort, uint32_t accesses);
    /* Counts an access to global memory whose lanes lie side by side in each half warp, which begin at `first` and
     * `second`; what is to be added to these for the host's address. 0: it is the handler's, and nothing was done. */
    uint64_t (*span)(sim_native *n, const sim_op *op, uint64_t first, uint64_t second);
    /* At a branch backwards to operation `pc`: sim_warp_turn(). */
    sim_step (*turn)(sim_warp *w, uint32_t pc);
    const void *mufu[SIM_MUFU_TABLES]; /* of approximate functions */
    const sim_segment *segment;
    struct sim_counting *counting; /* NULL: nothing is counted */
    uint64_t *own_runs;            /* by block, where nothing is counted: block_runs */
    uint64_t *part_runs;           /* by block: interpreted runs of some of a warp's lanes */
    sim_cohort_memo **all_memos;   /* by segment; NULL: not run yet */
    const sim_segment **seen;      /* by segment: whose memos they are */
    uint32_t segment_limit;
};

/* A block is compiled when it has run so often that ... */
typedef enum sim_compiling_when {
    SIM_COMPILING_OFF,
    SIM_COMPILING_HEAT, /* it pays */
    SIM_COMPILING_RUNS, /* an SM is about to run it the `runs`th time; it waits for that */
} sim_compiling_when;

typedef struct sim_compiling_mode {
    sim_compiling_when when;
    uint64_t runs;
    sim_code_level level; /* of SIM_COMPILING_RUNS */
} sim_compiling_mode;

/* HAUL_COMPILE: "off"; a number, or one with ":more" behind it for the compiler's higher level (SIM_COMPILING_RUNS);
 * anything else, or nothing: SIM_COMPILING_HEAT. */
sim_compiling_mode sim_compiling(void);

/* Blocks that the compiler has made code of; those that it would not have: the host was out of memory, or haul has a
 * defect; and those whose code was kept from before. */
unsigned sim_compiler_made(void);
unsigned sim_compiler_refused(void);
unsigned sim_compiler_kept(void);

typedef _Atomic(const sim_segment *) sim_segment_entry;

/* What is done about a block, and why. */
typedef struct sim_compiled_block {
    atomic_uint_least8_t asked[SIM_CODE_FORMS][SIM_CODE_LEVELS]; /* it is being compiled, or was */
    atomic_uint_least8_t again;           /* times that it was compiled anew since lanes lay otherwise */
    atomic_uint misses;                   /* times that its lanes did, since */
    _Atomic uint64_t ran[SIM_CODE_FORMS]; /* operations, in launches that have ended */
} sim_compiled_block;

/* A program's compiled form. Lives from sim_compiled_create() to sim_compiled_free(). */
struct sim_compiled {
    const sim_program *program;
    sim_compiling_mode mode;
    sim_segment_entry *entries[SIM_CODE_FORMS]; /* by operation: the segment that begins there; NULL: none */
    sim_compiled_block *blocks;                 /* by basic block */
    _Atomic uint16_t *kinds;                    /* by operation: a bit for each sim_lanes_kind that its lanes were of */
    uint32_t limit, count[SIM_CODE_FORMS];      /* segments with cohorts, by form: most, and how many there are */
    arena memory;                               /* segments, tables */
    struct ptx_liveness *live;                  /* the same */
    struct sim_kept *kept;
};

/* Code that was made of the kernel before is put in place at once, by the thread that compiles. NULL: compiling is
 * switched off, there is no compiler for this host, or no memory. */
sim_compiled *sim_compiled_create(const sim_program *program);
/* Waits for the thread that compiles, if it is at this program. */
void sim_compiled_free(sim_compiled *c);

/* ---- for the interpreter ---- */

enum { SIM_HEAT_STEP = 64 };

/* A block has been entered, which the SM has now run `runs` times in such a form. Called for all small counts, and for
 * multiples of SIM_HEAT_STEP. */
void sim_compiled_heat(sim_compiled *c, const sim_sm *sm, uint32_t block, sim_code_form form, uint64_t runs);
/* In the segment's block lanes lay in a shape that there is no code for. */
void sim_compiled_missed(sim_compiled *c, const sim_segment *s);
/* In a launch that has ended the block ran so often. */
void sim_compiled_ran(sim_compiled *c, uint32_t block, sim_code_form form, uint64_t runs);
/* The same for all blocks, from what its SMs have counted. */
void sim_compiled_ended(sim_compiled *c, const sim_sm *sms, uint32_t count);
/* Operations of the block, as far as they are worth anything. */
uint64_t sim_compiled_size(const sim_compiled *c, uint32_t block);

/* A whole warp's address register was seen to lie so, by the operation that leads its pattern. */
static inline void sim_compiled_note_kind(sim_compiled *c, uint32_t pc, sim_lanes_kind kind) {
    const uint16_t seen = atomic_load_explicit(&c->kinds[pc], memory_order_relaxed);
    if (!(seen >> kind & 1)) atomic_fetch_or_explicit(&c->kinds[pc], (uint16_t)(1u << kind), memory_order_relaxed);
}
/* Both halves are alike. */
static inline bool sim_lanes_are_same(sim_lanes_kind kind) {
    return kind != SIM_LANES_ANY && (kind - SIM_LANES_STRIDE_0) % 2 == 1;
}
/* By the distance between neighbours, and whether both halves are alike. */
sim_lanes_kind sim_lanes_kind_by(uint32_t stride, bool same);
/* The kind that they all were of, by a bit for each; SIM_LANES_ANY if there were several, or none. */
sim_lanes_kind sim_lanes_kind_of_all(uint32_t seen);

/* Runs compiled segments from *pc on for as long as there are any for the running path, at most *left operations, which
 * are taken from *left. SIM_NEXT: the interpreter goes on at *pc. SIM_JUMP, SIM_STOP: as of a handler. SIM_YIELD: the
 * stretch ends, to go on at *pc. Always gets on by one operation at least. */
sim_step sim_compiled_run(sim_warp *w, uint32_t *pc, uint64_t *left);

/* The form of code that the running path takes. */
static inline sim_code_form sim_compiled_form(const sim_warp *w) {
    const unsigned part = w->active != SIM_ALL_LANES || w->path->join != SIM_NO_JOIN;
    return (sim_code_form)(w->first_form + part);
}

/* The segment that the running path has at operation `pc`; NULL: it is the interpreter's, as is coming to a join.
 * w->compiled is not NULL. */
static inline const sim_segment *sim_compiled_takes(const sim_warp *w, uint32_t pc) {
    const sim_segment_entry *entries = w->compiled->entries[sim_compiled_form(w)];
    const sim_segment *s = atomic_load_explicit(&entries[pc], memory_order_acquire);
    return s && !sim_warp_meets_at(w, w->path, pc) ? s : NULL;
}

/* An SM's part, NULL without memory; and the runs that its counters do not know of yet, added to them. */
sim_native *sim_native_create(sim_sm *sm, sim_step (*turn)(sim_warp *w, uint32_t pc));
/* The SM begins another launch of the program, which is not counted either. */
void sim_native_renew(const sim_sm *sm);
void sim_native_settle(sim_native *n);
void sim_native_free(sim_native *n);

#endif
