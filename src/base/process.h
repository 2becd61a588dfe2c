/* Other programs: started, waited for, stopped. */
#ifndef HAUL_BASE_PROCESS_H
#define HAUL_BASE_PROCESS_H

#include "base/text.h"

#include <haul/status.h>
#include <stdbool.h>

typedef struct process_options {
    unsigned seconds; /* that it may take; 0: as long as it likes */
    bool alone;       /* it and what it starts are a process group of their own, which is killed as a whole at the
                         time limit and when haul is told to end (Ctrl-C, SIGTERM) meanwhile */
} process_options;

/* How it ended. */
typedef struct process_end {
    int code;      /* its exit status; -1 when it did not end by itself */
    int signal;    /* that ended it, or 0 */
    bool too_slow; /* haul killed it at the time limit */
} process_end;

/* Runs arguments[0], a path, with the arguments up to NULL and no standard input; appends what it writes to `out` and
 * `errors`. Errors: HAUL_ERROR_FILE (it cannot be started, its output is lost, haul was told to end),
 * HAUL_ERROR_OUT_OF_MEMORY. How it ended is no error of this call. */
haul_status process_run(const char *const *arguments, const process_options *options, text *out, text *errors,
                        process_end *end);

/* The path of an executable: `name` itself when it has a slash, else its first place in PATH; false when there is none.
 */
bool process_find(const char *name, text *path);

#endif
