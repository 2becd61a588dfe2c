/* Forms by hand from which the shipped kernels were chosen, as peers of haul bench. */
#ifndef HAUL_BENCH_CANDIDATES_H
#define HAUL_BENCH_CANDIDATES_H

#include <cuda_runtime.h>
#include <haul/peers.h>

typedef struct candidate candidate;
struct candidate {
    const char *work, *name;
    const void *kernel;
    unsigned threads;
    unsigned per_block;     /* elements of the result that a block handles; 0: a grid that stays */
    unsigned blocks_per_sm; /* of a grid that stays */
    unsigned cluster;       /* blocks a cluster, which the grid is a multiple of */
    unsigned shared;        /* dynamic shared memory in bytes */
    int (*start)(const candidate *c, const haul_peer_job *job);
};

/* Each ends with one that has no work. */
extern const candidate copy_candidates[], saxpy_candidates[], maxpool_candidates[], transpose_candidates[],
    gather_candidates[];

/* Launches the candidate's kernel on the job's stream. */
int candidate_launch(const candidate *c, const haul_peer_job *job, void **arguments);

#endif
