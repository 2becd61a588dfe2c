/* How far a launch has come, for a program that shows it while it runs. */
#ifndef HAUL_EXEC_PROGRESS_H
#define HAUL_EXEC_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sim_progress {
    const char *kernel;
    uint64_t blocks, done; /* of the grid; those that have ended */
    uint64_t operations;   /* that warps have executed */
    bool ended;            /* the launch, however it ended */
    bool prints;           /* what the kernel has printed is about to be written, before the launch ends */
} sim_progress;

/* `show` is called by the thread that launches, whenever an SM has run some ten thousand operations, before what
 * it printed is written, and once when the launch has ended. NULL: nobody wants it. */
typedef struct sim_progress_sink {
    void (*show)(void *context, const sim_progress *progress);
    void *context;
} sim_progress_sink;

/* For all launches of the process. Not while one runs. */
void sim_set_progress(sim_progress_sink sink);

bool sim_progress_is_wanted(void);
void sim_show_progress(const sim_progress *progress);

#endif
