/* Description of a launch on the virtual GPU, for the functions of grid.h. It owns nothing: all data that it points to
 * must live until the launch has ended. */
#ifndef HAUL_EXEC_LAUNCH_H
#define HAUL_EXEC_LAUNCH_H

#include "count/policy.h"
#include "lower/lower.h"
#include "machine/machine.h"
#include "machine/memory.h"
#include "state/block.h"
#include "state/print_log.h"
#include "state/program.h"
#include "state/schedule.h"
#include "time/estimate.h"

#include <haul/haul.h>

/* Estimated time of uncounted launches of one shape. Estimated again only if the number of operations changes. */
typedef struct sim_rough_time {
    uint64_t operations;  /* 0: no launch has run */
    double us;            /* its estimated time */
    sim_kernel_load load; /* its share of the machine while it runs alone */
} sim_rough_time;

/* Cause of HAUL_ERROR_FAULT or _TRAP, where CUDA has a separate error for it. */
typedef enum sim_cause { SIM_CAUSE_OTHER, SIM_CAUSE_MISALIGNED, SIM_CAUSE_ASSERTION } sim_cause;

typedef struct sim_launch {
    const sim_program *program; /* the lowered kernel */
    const sim_machine *machine;
    sim_memory *memory;                  /* the device's allocations */
    struct sim_heap *heap;               /* if program->uses_heap */
    uint32_t heap_user;                  /* the allocator's identity: see sim_heap_origin() */
    const struct sim_textures *textures; /* NULL: there are none */
    const unsigned char *params;         /* program->param_bytes of them */
    uint32_t grid[3], block[3];          /* blocks, threads; each at least 1 */
    uint32_t cluster[3];                 /* blocks; 0: as the kernel says */
    uint32_t dynamic_bytes;              /* of shared memory */
    uint32_t threads;                    /* host threads; 0: all */
    uint64_t instruction_limit;          /* 0: the default */
    bool check;                          /* look for findings */
    sim_follower *follower; /* finds out what it reads and writes (check/follow.h); NULL with `check`, or not wanted */
    bool strict;            /* with checks: look for fences between reads and copies too */
    bool uncounted;         /* counts nothing; counters in the record are negative; not with `check` */
    uint64_t sample;        /* blocks to count in larger launches; 0: all. See sample.h */
    sim_schedule schedule;  /* unchecked launches heed only the order of warps */
    sim_print_sink print;   /* gets the kernel's printed text */
    sim_l2_window window;   /* L2 access policy window of the launch */
    uint64_t set_aside;     /* bytes of L2 reserved for persisting lines */
    struct sim_l2 **l2;     /* the L2 that the last launch has left, or NULL; gets this one's. May be NULL */
    bool keeps_l2;          /* L2 begins as the last launch has left it; otherwise empty */
    sim_kernel_load *load;  /* gets the machine resources that the kernel uses; may be NULL */
    sim_rough_time *rough;  /* gets the estimated time of an uncounted launch; may be NULL */
    struct sim_spares *spares;         /* may be NULL */
    struct sim_shadow_memory **shadow; /* with `check`: memory from launch to launch (check/shadow_memory.h); or NULL */
    bool *wrote_host;             /* set if the kernel wrote, or may have written, mapped host memory; may be NULL */
    struct sim_node_launch *node; /* with checks of several devices: its place among them; NULL otherwise */
    struct sim_use_list *uses;    /* with `check` or `follower`: gets what was read and written; may be NULL */
    sim_cause *cause;             /* cause of a failure; may be NULL */
    sim_overrun *overrun; /* gets the kernel's accesses beyond allocations, where those are allowed; may be NULL */
} sim_launch;

#endif
