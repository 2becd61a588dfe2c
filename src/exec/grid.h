/* Runs a grid on the virtual GPU. */
#ifndef HAUL_EXEC_GRID_H
#define HAUL_EXEC_GRID_H

#include "count/policy.h"
#include "lower/lower.h"
#include "machine/machine.h"
#include "machine/memory.h"
#include "state/block.h"
#include "state/print_log.h"
#include "state/program.h"
#include "time/estimate.h"

#include <haul/haul.h>

struct sim_grid;

/* The time of launches of one shape that are not counted. Found again only when the number of operations changes. */
typedef struct sim_rough_time {
    uint64_t operations; /* 0: none has run */
    double us;
    sim_kernel_load load;
} sim_rough_time;

/* Why a launch ended with HAUL_ERROR_FAULT or _TRAP, where CUDA has an error of its own for it. */
typedef enum sim_cause { SIM_CAUSE_OTHER, SIM_CAUSE_MISALIGNED, SIM_CAUSE_ASSERTION } sim_cause;

typedef struct sim_launch {
    const sim_program *program;
    const sim_machine *machine;
    const sim_memory *memory;
    struct sim_heap *heap;               /* where program->uses_heap */
    uint32_t heap_user;                  /* who allocates there: see sim_heap_origin() */
    const struct sim_textures *textures; /* NULL: there are none */
    const unsigned char *params;         /* program->param_bytes of them */
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; /* blocks; 0: as the kernel says */
    uint32_t dynamic_bytes;
    uint32_t threads;           /* host threads; 0: all */
    uint64_t instruction_limit; /* 0: the default */
    bool check;                 /* look for findings */
    bool uncounted;             /* nothing is counted, and counters are negative in the record; not with `check` */
    uint64_t sample;            /* blocks to count, where a launch has more; 0: all. See sample.h */
    haul_schedule schedule;
    uint64_t seed; /* of HAUL_SCHEDULE_RANDOM */
    sim_print_sink print;
    sim_l2_window window;      /* of the launch's accesses */
    uint64_t set_aside;        /* bytes of L2 that may persist */
    struct sim_l2 **l2;        /* what earlier launches left, and this one leaves; NULL: L2 is empty at the beginning */
    sim_kernel_load *load;     /* gets what it takes of the machine; may be NULL */
    sim_rough_time *rough;     /* of an uncounted launch: gets its time, roughly; may be NULL */
    struct sim_spares *spares; /* for uncounted launches; may be NULL */
    bool *wrote_host;          /* set when the kernel wrote mapped host memory, or may have; may be NULL */
    sim_cause *cause;          /* of a failure; may be NULL */
    sim_overrun *overrun;      /* gets what the kernel did behind allocations, where that goes on; may be NULL */
} sim_launch;

/* Runs all blocks and fills the record's shape, counters, classes, occupancy and instructions, allocated in `memory`.
 * `record` may be NULL. A sample's counts are scaled to
 * the whole launch. Results and counters do not depend on the number of host threads: SMs run in parallel in
 * epochs; what one block may see of another (atomics with a result, volatile and ordered accesses) is done between
 * epochs, in SM order. What the kernel printed is written when it has ended, however it ended. Errors:
 * HAUL_ERROR_LIMIT, _FAULT, _TRAP, _TIMEOUT, _DEADLOCK, _OUT_OF_MEMORY. */
haul_status sim_launch_run(const sim_launch *launch, arena *memory, haul_launch_record *record);

/* A launch that may pause: all that runs of it only goes round in loops in which nothing changes, and somebody else may
 * make the change. What `launch` points to lives until its end.
 * sim_launch_go_on() runs it until it ends (*run NULL), or, if `may_pause`, pauses (*run stays, and HAUL_OK is
 * returned). Memory may be allocated and freed meanwhile. Errors as above; they end it. */
typedef struct sim_run sim_run;
haul_status sim_launch_begin(const sim_launch *launch, arena *memory, haul_launch_record *record, sim_run **run);
haul_status sim_launch_go_on(sim_run **run, bool may_pause);
/* How often a launch that has paused has changed memory, or anything else that others may see. */
uint64_t sim_launch_changes(const sim_run *run);
/* Ends a launch in its middle. NULL is allowed. */
void sim_launch_drop(sim_run *run);

/* Checks grid, block, cluster and shared memory against the machine's limits and fills in the occupancy. Errors:
 * HAUL_ERROR_LIMIT, HAUL_ERROR_ARGUMENT, HAUL_ERROR_UNSUPPORTED (no clusters there). In limits.c. */
haul_status sim_launch_check(const sim_launch *launch, haul_occupancy *occupancy);
/* Threads that a block of the kernel may have: as many as its .reqntid or .maxntid says, or as the machine allows. */
uint32_t sim_most_threads(const sim_machine *machine, const sim_program *program);
/* The shape of a cluster, which kernel or launch may say: 1 in each direction without. */
void sim_launch_cluster(const sim_launch *launch, uint32_t cluster[3]);
/* Blocks that wait for each other must all be there at once. Errors: HAUL_ERROR_LIMIT. */
haul_status sim_check_residency(const struct sim_grid *grid);

#endif
