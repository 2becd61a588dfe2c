/* A pipeline of a sweep: what test_pipelines.c draws and pipelines.cu runs; its transfer is a point. */
#ifndef HAUL_DEVICE_PIPE_H
#define HAUL_DEVICE_PIPE_H

#include "point.h"

/* Wrong uses, which a debug build tells. */
typedef enum pipe_mistake {
    PIPE_RIGHT,
    PIPE_TOO_FEW_ROUNDS,  /* consumers leave the last ones out */
    PIPE_NOTHING_MADE,    /* producers do */
    PIPE_PRODUCES,        /* consumers run the producer's code */
    PIPE_CONSUMES,        /* producers run the consumer's code */
    PIPE_NEVER_COMMITTED, /* unified: a stage is waited for and never filled */
    PIPE_MANY_TILES       /* unified: more tiles than stages */
} pipe_mistake;

typedef struct pipe_case {
    haul_how how;
    unsigned base;   /* where its stages begin in shared memory, shared_bytes apart */
    unsigned stages; /* 1 to 16 */
    unsigned ahead;  /* unified: fills before the first use */
    unsigned late;   /* unified: a stage is released before the next is filled; then `ahead` may be all stages */
    unsigned empty;  /* bit k % 32: round k brings nothing */
    unsigned last_bytes, last_count;                               /* of the last round: rows only */
    unsigned first_producer, producers, first_consumer, consumers; /* split: first warps, threads */
    unsigned wrong;                                                /* a pipe_mistake */
} pipe_case;

#endif
