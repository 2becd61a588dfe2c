/* A pool of host threads that work on jobs in parts. */
#ifndef HAUL_LIB_WORKERS_H
#define HAUL_LIB_WORKERS_H

#include <haul/status.h>
#include <stdbool.h>

typedef struct workers workers;

/* A job: threads call `part` once for each of `parts`. The caller fills in the fields up to `parts`. */
typedef struct workers_job {
    haul_status (*part)(void *context, unsigned part, unsigned parts);
    void *context;
    unsigned parts;
    unsigned given, done; /* parts that were taken, and that are finished */
    bool submitted;
    haul_status status; /* of the first part that failed, and its message */
    char message[512];
    double start, end; /* of clock_seconds() */
    struct workers_job *next;
} workers_job;

haul_status workers_create(unsigned threads, workers **pool);
/* All jobs must have been waited for. NULL is allowed. */
void workers_free(workers *pool);
void workers_submit(workers *pool, workers_job *job);
/* Whether a wait for the job would return at once. */
bool workers_is_done(workers *pool, const workers_job *job);
/* Blocks until the job is done; returns its status and sets its message. A job that was not submitted succeeds. */
haul_status workers_wait(workers *pool, workers_job *job);

#endif
