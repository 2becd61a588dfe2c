/* A thread block while it runs, and the SM that it runs on. */
#ifndef HAUL_SIM_BLOCK_H
#define HAUL_SIM_BLOCK_H

#include "sim/compiled/compiled.h"
#include "sim/copy/async.h"
#include "sim/count/count.h"
#include "sim/lower/lower.h"
#include "sim/memory.h"
#include "sim/print_log.h"
#include "sim/time/estimate.h"
#include "sim/tmem.h"
#include "sim/warp.h"

#include <haul/haul.h>

enum { SIM_BARRIERS = 16, SIM_MAX_WARPS = 32 };

/* Rounds without news after which a spinning path lets lanes of its warp leave their joins: many, since most such loops
 * wait for other warps and their lanes should stay together; few once the kernel has been seen to need it. */
enum { SIM_PATIENT = 1024, SIM_IMPATIENT = 4 };

/* A warp has arrived when all its live lanes have. */
typedef struct sim_barrier {
    uint32_t lanes[SIM_MAX_WARPS];        /* of each warp, that have come since it arrived last */
    uint32_t warps;                       /* that have arrived in this phase */
    uint32_t expected;                    /* warps that the arrivals asked for; 0: all live ones */
    uint32_t threads, popc;               /* of this phase: that came, and whose predicate was true */
    uint32_t result_threads, result_popc; /* of the phase that completed last */
} sim_barrier;

/* What a kernel asks of the checks of proxies. */
typedef struct sim_proxy_need {
    uint32_t spaces; /* 1: fences matter for shared memory; 2: for global memory too */
    bool engine;     /* it has copies or products that ask for proxy fences */
} sim_proxy_need;

/* What a launch is the same for all its blocks. */
typedef struct sim_grid {
    const sim_program *program;
    const sim_machine *machine;
    const sim_memory *memory;
    struct sim_heap *heap; /* of a kernel that uses it */
    uint32_t heap_user;
    const struct sim_textures *textures;
    const unsigned char *params;
    uint32_t grid[3], block[3];
    uint32_t threads, warps; /* of a block */
    uint32_t shared_bytes;   /* of a block: reserved, static and dynamic */
    uint32_t dynamic_bytes;
    uint64_t blocks;
    uint32_t cluster[3], cluster_blocks; /* 1 without clusters */
    uint64_t clusters;
    uint64_t first_cluster, end_cluster; /* the part of them that runs now; all, unless some are a sample */
    bool explicit_cluster;               /* kernel or launch say how large a cluster is */
    uint32_t resident;                   /* blocks at once on an SM */
    uint32_t used_sms;                   /* SMs that get any block */
    uint32_t host_threads;
    uint64_t instruction_limit;       /* warp-level, for the whole launch */
    bool check;                       /* look for findings */
    const struct sim_origin *origins; /* with checks: where accesses to shared memory have to stay; may be NULL */
    sim_proxy_need proxies;           /* with checks */
    bool relaxes;                     /* with checks: it has barriers that order no memory */
    const uint8_t *uses;              /* with checks, by instruction: SIM_USE_*; NULL: none */
    const uint64_t *places;           /* with checks, by instruction: where a user sees it (hazard/place.c) */
    haul_schedule schedule;
    uint64_t seed;
} sim_grid;

struct sim_block {
    sim_sm *sm;
    uint64_t index;            /* in the grid */
    uint64_t cluster_index;    /* its cluster's */
    uint32_t at[3];            /* ctaid */
    uint32_t rank;             /* in its cluster */
    sim_block *cluster;        /* its first block; the others follow */
    uint32_t cluster_arrivals; /* in the first block: at the cluster's barrier since it opened last */
    unsigned char *shared;
    unsigned char *frames; /* threads x frame_bytes */
    uint64_t frame_used;   /* bytes from the start of each frame, of which some thread's may not be zero */
    sim_warp *warps;
    uint32_t warp_count;
    uint32_t live_warps; /* that have a live lane */
    bool running, prepared;
    bool ends_in_order; /* all threads have ended; reductions in flight wait for the serial phase */
    sim_barrier barriers[SIM_BARRIERS];
    uint32_t used_barriers;    /* that have seen an arrival: a bit for each */
    sim_async async;           /* copies in flight */
    sim_tmem_queue tensor;     /* what goes on in tensor memory */
    struct sim_domain *domain; /* checks on: see hazard.h */
};

/* Where in global memory an instruction has gone last. */
typedef struct sim_reach {
    sim_range range;
    uint64_t latest; /* the first lane's address, of spans */
} sim_reach;

typedef struct sim_fault_record {
    haul_status status;     /* HAUL_OK: none */
    haul_finding_kind kind; /* of FAULT and TRAP */
    bool is_assertion;
    char message[1024];
    haul_space space; /* of an access: what it was to */
    uint64_t address;
    uint32_t bytes;
    uint32_t lanes;
} sim_fault_record;

struct sim_sm {
    const sim_grid *grid;
    uint32_t index;
    sim_block *blocks;           /* grid->resident of them */
    unsigned char *memory;       /* registers and shared memory of the resident blocks */
    unsigned char *frames;       /* their threads' frames */
    uint64_t next_cluster;       /* the next one of this SM's share */
    sim_counting *counting;      /* NULL: the launch is not counted */
    uint64_t releases;           /* of the heap's blocks that `reaches` knows of */
    struct sim_native *native;   /* compiled.h; NULL: all is interpreted */
    sim_reach *reaches;          /* by instruction */
    bool serial;                 /* no other SM runs: accesses that other blocks see may go ahead */
    bool stuck;                  /* nothing could run when it stopped last */
    bool gave_way;               /* until the epoch's end: all that runs only polls */
    bool hands_over;             /* a warp that polls goes on for one round only */
    uint32_t vain, vain_rounds;  /* rounds of all warps that only polled, in this epoch; how many there may be */
    uint32_t pollers;            /* warps that polled in vain in the serial phase */
    uint32_t running;            /* blocks */
    uint32_t ordered;            /* paths that wait for the serial phase */
    uint32_t patience;           /* see SIM_PATIENT */
    uint64_t progress;           /* barriers opened, phases completed, lanes ended: what others may have waited for */
    uint64_t changes;            /* of memory, barriers, copies in flight */
    sim_waits waits;             /* of its warps, for the estimate of the time */
    uint64_t executed;           /* warp-level operations since the launch began: the SM's clock, with `waited` */
    uint64_t waited;             /* what the clock was put forward by, see sim_run_clock() */
    uint64_t clock_changes;      /* `changes` after the clock was read last */
    uint32_t clock_reads;        /* since something else happened */
    uint64_t ticks;              /* of `changes`, those that are looks at the clock */
    uint64_t epoch_end;          /* of `executed`, for this epoch */
    struct sim_hazards *hazards; /* NULL: checks are off */
    sim_tmem *tensor_memory;     /* by rank in the cluster; NULL: nobody has used it yet */
    sim_print_log printed;
    sim_fault_record fault;
    sim_fault_record passed;    /* checks on: the first fault that the SM has gone on behind; see sim_fault_pass() */
    uint64_t passes_until;      /* how far it goes on, by `executed` */
    sim_overrun overrun;        /* of memory that is mapped as on hardware: the furthest */
    uint64_t places[SIM_LANES]; /* of an access whose lanes lie in several allocations: see SIM_SCATTERED */
};

/* The first cluster of this SM's share: every used_sms-th one is. */
static inline uint64_t sim_sm_first_cluster(const sim_grid *g, uint32_t index) {
    return g->first_cluster + (index + g->used_sms - g->first_cluster % g->used_sms) % g->used_sms;
}

/* plan NULL: nothing is counted. */
haul_status sim_sm_create(const sim_grid *grid, const sim_count_plan *plan, uint32_t index, sim_sm *sm);
void sim_sm_free(sim_sm *sm);
/* Host memory that an SM takes, at most. */
uint64_t sim_sm_bytes(const sim_grid *grid);
/* An SM that is not counted, and whose blocks have all ended, begins another grid of the same kernel and shape. */
void sim_sm_renew(const sim_grid *grid, sim_sm *sm);
/* Runs warps until sm->executed has reached `end` or nothing can run without the serial phase. What runs is the same
 * whether it is called once or for one end after the other. Returns false when the SM has no block left. */
bool sim_sm_run(sim_sm *sm, uint64_t end);
/* Takes the next cluster of this SM's share, before it starts; false when there is none. first: its first block's place
 */
bool sim_sm_cancel_cluster(sim_sm *sm, uint32_t first[3]);
/* What the SM remembers of allocations may not hold any more: in any case; if a kernel has freed memory. */
void sim_sm_forget_places(sim_sm *sm);
void sim_sm_forget_freed(sim_sm *sm);
/* The serial phase: executes the operation that each waiting path has come to. A warp that has polled until then, and
 * finds something new, goes on at once, and what it then does for other SMs' warps is done in this phase. Returns
 * whether there was such a warp; never with checks on. */
bool sim_sm_run_ordered(sim_sm *sm);
/* Later in the same phase: warps that polled in vain look again. Returns whether one has found something new. */
bool sim_sm_poll_again(sim_sm *sm);
/* A new epoch begins. */
void sim_sm_begin_epoch(sim_sm *sm, uint64_t end);
/* Until the serial phase the SM can do nothing, or nothing of use. */
static inline bool sim_sm_rests(const sim_sm *sm) {
    return sm->stuck || sm->gave_way;
}
/* Nothing on the GPU can run: lets waits that have a time limit end. False when there is none to end. */
bool sim_sm_time_out_waits(sim_sm *sm);
/* Nothing on the GPU can run: lanes that wait at joins go on without the others. False when there are none. */
bool sim_sm_release_joins(sim_sm *sm);
/* Whether all that runs only polls, perhaps for a time: warps have seen what they saw before. */
bool sim_sm_polls(const sim_sm *sm);
/* Appends what the stuck warps wait for to `message`. */
void sim_sm_describe_stuck(const sim_sm *sm, char *message, size_t size);

/* start.c: the next cluster of the SM's share takes the place of one whose blocks have all ended, which `first` is the
 * first of. False: there is none, or they have not, or it is not the first. */
bool sim_start_cluster(sim_sm *sm, sim_block *first);
/* The numbers below `count` in an order drawn by chance: the one at place `number`. */
uint64_t sim_shuffled(uint64_t number, uint64_t count, uint64_t seed);
/* Where the block of that rank in that cluster lies in the grid: sets at and index. */
void sim_place_block(const sim_grid *g, uint64_t cluster, uint32_t rank, sim_block *b);

/* Lanes of the warp have ended: barriers that waited for them may open. */
void sim_block_lanes_ended(sim_warp *w);
/* Paths in try_wait look again. */
void sim_block_wake_mbarrier_waiters(sim_block *b);

/* fault.c: what memory the fault that follows is about. */
void sim_fault_concerns(sim_warp *w, haul_space space, uint64_t address, uint32_t bytes);
/* Records the launch's first fault on this SM and ends its work: a defect of that kind, by some of `lanes`. The message
 * gets the source place in front and block and thread behind. */
sim_step sim_fault(sim_warp *w, const sim_op *op, haul_finding_kind kind, uint32_t lanes, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* With checks on an access out of bounds does not end what other threads do, so that more is found: its lanes go on
 * without it. Takes back the fault at hand, if it is such a one, and returns its lanes; the launch's result will be the
 * first one all the same. 0: the SM's work ends. */
uint32_t sim_fault_pass(sim_warp *w);
/* The fault that the SM's part of the launch ends with; NULL: none. */
static inline const sim_fault_record *sim_fault_of(const sim_sm *sm) {
    if (sm->passed.status != HAUL_OK) return &sm->passed;
    return sm->fault.status != HAUL_OK ? &sm->fault : NULL;
}
/* The same for an assertion, with `place` ("file:line: ") in front: the kernel says itself where it is. */
sim_step sim_fail_assertion(sim_warp *w, const char *place, uint32_t lanes, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same for what is no defect of the kernel: the host, or the virtual GPU, cannot go on. */
sim_step sim_give_up(sim_warp *w, const sim_op *op, haul_status status, uint32_t lanes, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

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

/* An instruction has come to `address` in its range. The next time it will be as far from there as this is from the
 * time before, perhaps: so the host is asked for that in good time, which no prefetcher of its own sees coming. */
static inline void sim_foresee(sim_reach *reach, uint64_t address) {
    enum { HOST_LINE = 64 };
    const uint64_t ahead = address + (address - reach->latest);
    reach->latest = address;
    if (ahead - reach->range.from >= reach->range.to - reach->range.from) return;
    __builtin_prefetch((const void *)(reach->range.host + ahead));
    __builtin_prefetch((const void *)(reach->range.host + ahead + HOST_LINE));
}

/* True when the access may go ahead; else the path is parked and *step says how to go on. */
static inline bool sim_in_order(sim_warp *w, const sim_op *op, sim_step *step) {
    if (w->sm->serial) return true;
    *step = sim_warp_park(w, sim_pc(w, op), SIM_PATH_AT_ORDER);
    w->sm->ordered++;
    return false;
}

#endif
