/* What haul stream is asked to do, as a map: the kernel, where items come from and go to. */
#ifndef HAUL_CLI_STREAM_JOB_H
#define HAUL_CLI_STREAM_JOB_H

#include "cli/session.h"

#include <haul/kernels.h>
#include <haul/map.h>

enum { STREAM_ARGUMENTS = 16 };

/* An argument of a kernel that was given: a chunk's buffer or size, or a constant. */
typedef enum stream_argument_kind {
    STREAM_CONSTANT,
    STREAM_IN,
    STREAM_OUT,
    STREAM_SCRATCH,
    STREAM_N
} stream_argument_kind;

typedef struct stream_argument {
    stream_argument_kind kind;
    unsigned input;      /* IN: which */
    haul_argument value; /* CONSTANT; N: its kind */
} stream_argument;

typedef struct stream_job {
    cli_session session;
    haul_map map;
    haul_kernels *kernels; /* of a kernel that ships */
    haul_module *module;   /* or of one that was given */
    const char *symbol;
    stream_argument arguments[STREAM_ARGUMENTS];
    size_t argument_count;
    uint32_t block, items_a_block, shared_bytes;
    haul_host *pinned[HAUL_MAP_INPUTS + 1]; /* generated data, and what takes the results */
    void *pageable[HAUL_MAP_INPUTS + 1];
} stream_job;

/* From the options; ends with stream_job_close(), also after an error. */
haul_status stream_job_open(stream_job *job, const cli_values *values);
/* Generates the input that lies in memory, and has the pages of output there: once it is known that the map can run. */
void stream_job_fill(stream_job *job);
/* On a GPU: has the kernel that ships loaded before the first chunk needs it. */
haul_status stream_job_warm_up(stream_job *job);
void stream_job_close(stream_job *job);

#endif
