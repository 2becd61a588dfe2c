/* A launch as it is asked of the virtual GPU. */
#ifndef HAUL_EXEC_LAUNCH_H
#define HAUL_EXEC_LAUNCH_H

#include "count/policy.h"
#include "lower/lower.h"
#include "machine/machine.h"
#include "machine/memory.h"
#include "state/block.h"
#include "state/print_log.h"
#include "state/program.h"
#include "time/estimate.h"

#include <haul/haul.h>

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

#endif
