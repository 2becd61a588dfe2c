/* A thread block while it runs, and the SM that it runs on. */
#ifndef HAUL_STATE_BLOCK_H
#define HAUL_STATE_BLOCK_H

#include "machine/machine.h"
#include "machine/memory.h"
#include "state/async.h"
#include "state/print_log.h"
#include "state/program.h"
#include "state/schedule.h"
#include "state/tmem.h"
#include "state/waits.h"
#include "state/warp.h"

#include <haul/haul.h>

enum { SIM_BARRIERS = 16, SIM_MAX_WARPS = 32 };

/* Rounds without progress after which a spinning path releases waiting lanes of its warp from their joins. Many at
 * first: most such loops wait for other warps, and lanes should stay together. Few once the kernel is known to need
 * it. */
enum { SIM_PATIENT = 1024, SIM_IMPATIENT = 4 };

/* A warp has arrived when all its live lanes have. */
typedef struct sim_barrier {
    uint32_t lanes[SIM_MAX_WARPS];        /* of each warp: lanes that came since its last arrival */
    uint32_t warps;                       /* arrived in this phase */
    uint32_t expected;                    /* warps that the arrivals ask for; 0: all live ones */
    uint32_t threads, popc;               /* of this phase: threads that came, and those with a true predicate */
    uint32_t result_threads, result_popc; /* of the phase that completed last */
} sim_barrier;

/* The parts of a kernel that the proxy checks must follow. */
typedef struct sim_proxy_need {
    uint32_t spaces; /* 1: fences matter for shared memory; 2: for global memory too */
    bool engine;     /* it has copies or products that need proxy fences */
} sim_proxy_need;

/* Launch-wide constants. */
typedef struct sim_grid {
    const sim_program *program;
    const sim_machine *machine;
    const sim_memory *memory;
    const struct sim_regions *regions; /* memory whose use the program restricts, for the checks; NULL: none */
    struct sim_heap *heap;             /* if the kernel uses it */
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
    uint64_t first_cluster, end_cluster; /* the ones that run now: all, or a sample */
    bool explicit_cluster;               /* kernel or launch set the cluster size */
    uint32_t resident;                   /* blocks that an SM holds at once */
    uint32_t used_sms;                   /* SMs that get any block */
    uint32_t host_threads;
    uint64_t instruction_limit;       /* warp-level, for the whole launch */
    bool check;                       /* look for findings */
    struct sim_node_launch *node;     /* with checks of several devices: check/node.h; NULL otherwise */
    sim_follower *follower;           /* sim_sm.follower */
    bool strict;                      /* with checks: look for fences between reads and copies too */
    const struct sim_origin *origins; /* with checks: the bounds of accesses to shared memory; may be NULL */
    sim_proxy_need proxies;           /* with checks */
    bool relaxes;                     /* with checks: it has barriers that do not order memory */
    bool has_mbarriers;               /* with checks: its instructions may name one */
    const uint16_t *uses;             /* with checks, by instruction: SIM_USE_*; NULL: none */
    uint8_t *locked;                  /* with checks, by instruction: check/lock.h; owned; NULL: no locks */
    struct sim_early_uses *early;     /* with checks: sim_use_list.early */
    const uint64_t *places;           /* with checks, by instruction: its place for the user (check/source_place.c) */
    sim_schedule schedule;
    /* With checks: check/wait_condition.h; NULL: no wait has a condition. */
    const struct sim_wait_conditions *conditions;
    /* With checks: check/peeks.h; NULL: there are no such waits. */
    const struct sim_peeks *peeks;
    /* With checks: check/unused_load.h; NULL: there are no such loads. */
    const struct sim_unused_loads *unused;
} sim_grid;

enum { SIM_UPDATED = 16 };

struct sim_block {
    sim_sm *sm;
    uint64_t index;            /* in the grid */
    uint64_t cluster_index;    /* its cluster's */
    uint32_t at[3];            /* ctaid */
    uint32_t rank;             /* in its cluster */
    sim_block *cluster;        /* the cluster's first block; the others follow it */
    uint32_t cluster_arrivals; /* in the first block: arrivals at the cluster's barrier since it opened last */
    uint32_t updated[SIM_UPDATED], update_count; /* sectors of shared memory that other blocks' atomics changed last */
    unsigned char *shared;
    unsigned char *engine_view; /* shared memory as the copy engine and products see it: mostly `shared` itself */
    unsigned char *frames;      /* threads x frame_bytes */
    uint64_t frame_used;        /* bytes from the start of each frame that may be nonzero */
    sim_warp *warps;
    uint32_t warp_count;
    uint32_t live_warps; /* with a live lane */
    bool running, prepared;
    bool ends_in_order; /* all threads have ended, but reductions in flight wait for the serial phase */
    sim_barrier barriers[SIM_BARRIERS];
    uint32_t used_barriers;        /* bit k: barrier k has seen an arrival */
    sim_async async;               /* copies in flight */
    sim_tmem_queue tensor;         /* operations on tensor memory */
    struct sim_domain *domain;     /* checks on; see check/hazard.h */
    struct sim_unfenced *unfenced; /* see exec/unfenced.h; NULL: nothing is hidden */
};

/* The warp's matrix products in flight. They live with its copies, since their lifetime is the same. */
static inline sim_product_queue *sim_products_of(const sim_warp *w) {
    return &w->block->async.queues[w->index].products;
}

/* The part of global memory that an instruction accessed last. */
typedef struct sim_reach {
    sim_range range;
    uint64_t latest; /* the first lane's address, for prefetches of spans */
} sim_reach;

typedef struct sim_fault_record {
    haul_status status;     /* HAUL_OK: none */
    haul_finding_kind kind; /* of FAULT and TRAP */
    bool is_assertion;
    char message[1024];
    haul_space space; /* of an access: the space it was to */
    uint64_t address;
    uint32_t bytes;
    uint32_t lanes;
} sim_fault_record;

struct sim_sm {
    const sim_grid *grid;
    uint32_t index;
    sim_block *blocks;             /* grid->resident of them */
    uint32_t room;                 /* blocks that `memory` and `frames` hold; at most grid->resident */
    unsigned char *memory;         /* registers and shared memory of the resident blocks */
    unsigned char *frames;         /* their threads' frames */
    uint64_t next_cluster;         /* the next one that this SM runs */
    struct sim_counting *counting; /* NULL: the launch is not counted */
    uint64_t releases;             /* releases of heap blocks that `reaches` accounts for */
    struct sim_native *native;     /* jit/compiled.h; NULL: everything is interpreted */
    sim_reach *reaches;            /* by instruction */
    bool serial;                   /* no other SM runs: accesses that other blocks see may proceed */
    bool stuck;                    /* nothing could run when it stopped last */
    bool gave_way;                 /* until the epoch's end: everything that runs only polls */
    bool hands_over;               /* a warp that polls runs for one round only */
    uint32_t vain, vain_rounds;    /* rounds of this epoch in which all warps only polled; their limit */
    uint32_t pollers;              /* warps that polled in vain in the serial phase */
    uint32_t running;              /* blocks */
    uint32_t ordered;              /* paths that wait for the serial phase */
    uint32_t patience;             /* see SIM_PATIENT */
    uint64_t turns;                /* of warps, in random schedules */
    bool delivers;                 /* schedules that keep waiters waiting: nothing else could run, so copies complete */
    uint64_t delivered;            /* `changes` when that was so last */
    uint64_t progress;             /* barriers opened, phases completed, lanes ended: events that others may wait for */
    uint64_t changes;              /* of memory, barriers, copies in flight */
    sim_waits waits;               /* of its warps, for the time estimate */
    uint64_t executed;             /* warp-level operations since the launch began; with `waited`, the SM's clock */
    uint64_t waited;               /* how much the clock was advanced while waiting, see exec/interpreter.c */
    uint64_t clock_changes;        /* `changes` after the last read of the clock */
    uint32_t clock_reads;          /* consecutive reads of the clock, with nothing else between */
    uint64_t ticks;                /* the part of `changes` that are reads of the clock */
    uint64_t epoch_end;            /* the value of `executed` that ends this epoch */
    struct sim_hazards *hazards;   /* NULL: checks are off */
    sim_follower *follower;        /* of a launch that a checked program leaves out (check/follow.h); NULL otherwise */
    sim_tmem *tensor_memory;       /* by rank in the cluster; NULL: not used yet */
    sim_print_log printed;
    sim_fault_record fault;
    sim_fault_record passed;    /* checks on: the first fault that the SM continued after; see sim_fault_pass() */
    uint64_t passes_until;      /* how far it continues, by `executed` */
    sim_overrun overrun;        /* of memory that is mapped as on hardware: the farthest one */
    uint64_t places[SIM_LANES]; /* of an access whose lanes lie in several allocations; see SIM_SCATTERED */
};

/* The first cluster that this SM runs; it runs every used_sms-th one. */
static inline uint64_t sim_sm_first_cluster(const sim_grid *g, uint32_t index) {
    return g->first_cluster + (index + g->used_sms - g->first_cluster % g->used_sms) % g->used_sms;
}

/* The fault that ends the SM's part of the launch; NULL if there is none. */
static inline const sim_fault_record *sim_fault_of(const sim_sm *sm) {
    if (sm->passed.status != HAUL_OK) return &sm->passed;
    return sm->fault.status != HAUL_OK ? &sm->fault : NULL;
}
/* Prefetches for an instruction that has come to `address` in its range: the next access may be as far from there as
 * this one is from the last. Hardware prefetchers miss that pattern. */
static inline void sim_prefetch_next(sim_reach *reach, uint64_t address) {
    enum { HOST_LINE = 64 };
    const uint64_t ahead = address + (address - reach->latest);
    reach->latest = address;
    if (ahead - reach->range.from >= reach->range.to - reach->range.from) return;
    __builtin_prefetch((const void *)(reach->range.host + ahead));
    __builtin_prefetch((const void *)(reach->range.host + ahead + HOST_LINE));
}

/* Divides *number by `by`, which mostly is 1, and returns the remainder. */
static inline uint32_t sim_take_digit(uint64_t *number, uint32_t by) {
    if (by == 1) return 0;
    const uint64_t whole = *number;
    if (whole <= UINT32_MAX) {
        *number = (uint32_t)whole / by;
        return (uint32_t)whole % by;
    }
    *number = whole / by;
    return (uint32_t)(whole % by);
}

/* Computes at and index of the block with that rank in that cluster. Clusters, and the blocks in them, are numbered
 * with x running fastest. */
static inline void sim_place_block(const sim_grid *g, uint64_t cluster, uint32_t rank, sim_block *b) {
    uint64_t in_cluster = rank;
    for (unsigned k = 0; k < 3; k++) {
        const uint32_t wide = g->cluster[k], clusters = wide == 1 ? g->grid[k] : g->grid[k] / wide;
        b->at[k] = sim_take_digit(&cluster, clusters) * wide + sim_take_digit(&in_cluster, wide);
    }
    b->index = b->at[0] + g->grid[0] * (b->at[1] + (uint64_t)g->grid[1] * b->at[2]);
}

#endif
