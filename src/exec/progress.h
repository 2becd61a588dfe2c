/* Progress of a running launch, for programs that display it. */
#ifndef HAUL_EXEC_PROGRESS_H
#define HAUL_EXEC_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sim_progress {
    const char *kernel;
    uint64_t blocks, done; /* of the grid; those that have ended */
    uint64_t operations;   /* operations that warps have executed */
    bool ended;            /* the launch has ended, well or not */
    bool prints;           /* the kernel's printed text is about to be written, before the launch ends */
} sim_progress;

/* `show` runs on the launching thread: after every ten thousand or so operations of an SM, before the kernel's printed
 * text is written, and once at the end of the launch. NULL: no display. */
typedef struct sim_progress_sink {
    void (*show)(void *context, const sim_progress *progress);
    void *context;
} sim_progress_sink;

/* Sets the sink for all launches of the process. Do not call while a launch runs. */
void sim_set_progress(sim_progress_sink sink);

/* Returns whether there is a sink; sim_show_progress() calls it. */
bool sim_progress_is_wanted(void);
void sim_show_progress(const sim_progress *progress);

#endif
