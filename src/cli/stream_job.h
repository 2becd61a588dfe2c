/* The job of haul stream, as a map: the kernel, and where items come from and go to. */
#ifndef HAUL_CLI_STREAM_JOB_H
#define HAUL_CLI_STREAM_JOB_H

#include "cli/session.h"

#include <haul/kernels.h>
#include <haul/map.h>

enum { STREAM_ARGUMENTS = 16 }; /* most arguments of the user's kernel */

/* An argument of the user's kernel: a chunk's buffer or size, or a constant. */
typedef enum stream_argument_kind {
    STREAM_CONSTANT,
    STREAM_IN, /* a chunk's input number `input` */
    STREAM_OUT,
    STREAM_SCRATCH,
    STREAM_N /* the number of items that the kernel must process, with the halo */
} stream_argument_kind;

typedef struct stream_argument {
    stream_argument_kind kind;
    unsigned input;      /* IN: its number */
    haul_argument value; /* CONSTANT; N: its kind */
} stream_argument;

typedef struct stream_job {
    cli_session session;
    haul_ranks *ranks;
    haul_map map;
    haul_kernels *kernels[HAUL_MOST_DEVICES]; /* for a shipped kernel; on each device */
    haul_module *modules[HAUL_MOST_DEVICES];  /* for the user's kernel */
    const char *symbol;
    stream_argument arguments[STREAM_ARGUMENTS];
    size_t argument_count;
    /* of the user's kernel: threads a block, items that a block processes, bytes of dynamic shared memory */
    uint32_t block, items_a_block, shared_bytes;
    haul_host *pinned[HAUL_MAP_INPUTS + 1]; /* memory of generated data and of results */
    void *pageable[HAUL_MAP_INPUTS + 1];
} stream_job;

extern const char *const stream_files[]; /* the words of --files, by haul_map_files */

/* Sets up a job from the options, on this rank's devices. Call stream_job_close() also after an error. */
haul_status stream_job_open(stream_job *job, const cli_values *values, haul_ranks *ranks);
/* Generates input in memory and touches the pages of output; called once it is known that the map can run. */
void stream_job_fill(stream_job *job);
/* On GPUs: loads the shipped kernel before the first chunk needs it. */
haul_status stream_job_warm_up(stream_job *job);
void stream_job_close(stream_job *job);

#endif
