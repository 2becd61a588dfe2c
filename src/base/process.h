/* Running other programs: start, wait, time limit. */
#ifndef HAUL_BASE_PROCESS_H
#define HAUL_BASE_PROCESS_H

#include "base/text.h"

#include <haul/status.h>
#include <stdbool.h>

typedef struct process_options {
    unsigned seconds; /* time limit; 0: none */
    bool alone;       /* it and its children form a process group, killed at the time limit and when haul is told to end
                         (Ctrl-C, SIGTERM) */
} process_options;

/* How a process ended. */
typedef struct process_end {
    int code;      /* exit status; -1 if it did not exit by itself */
    int signal;    /* the signal that ended it, or 0 */
    bool too_slow; /* haul killed it at the time limit */
} process_end;

/* Runs arguments[0], a path, with arguments up to NULL and no standard input; appends its output to `out` and `errors`.
 * Errors: HAUL_ERROR_FILE (it cannot be started, its output is lost, or haul was told to end),
 * HAUL_ERROR_OUT_OF_MEMORY. The process's own failure is no error of this call. */
haul_status process_run(const char *const *arguments, const process_options *options, text *out, text *errors,
                        process_end *end);

/* Finds an executable: `name` itself if it contains a slash, else its first match in PATH. Returns false if there is
 * none. */
bool process_find(const char *name, text *path);

#endif
