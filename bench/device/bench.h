/* What the device benchmark is made of: works (saxpy, maxpool15, ...), each with candidates that do the same thing in
 * different ways, measured side by side in one run. A work's file holds its kernels, their table and its check. */
#ifndef HAUL_BENCH_DEVICE_BENCH_H
#define HAUL_BENCH_DEVICE_BENCH_H

#include <stddef.h>

#define BENCH_GUARD 1024 /* floats before and after every array that nobody may touch */

/* One set of arrays. Timed launches rotate over several sets, so that none finds its data in L2. */
typedef struct {
    float *in;        /* x, the pooled array, the matrix, the table, the volume, B */
    float *out;       /* y, the result */
    float *small;     /* the vector of a matrix-vector product, A; null where there is none */
    float *temporary; /* f(B), for those who write it; likewise */
    unsigned *index;  /* rows to gather; likewise */
} bench_buffers;

/* What one launch has to do. */
typedef struct {
    size_t n;         /* floats of the result */
    size_t rows;      /* rows of a matrix, of a table, of C; 0 for flat arrays */
    unsigned row;     /* floats a row; a stencil's radius; rows of B */
    double bytes;     /* each needed byte once: the reads and the writes */
    unsigned train;   /* launches a sample, one behind the other */
    const char *name; /* "saxpy 2^25" */
    size_t in;        /* floats of the input, 0: n */
    size_t copied;    /* floats of a copy that moves as many bytes, or about; 0: n */
    size_t small, temporary;
} bench_case;

typedef struct bench_candidate bench_candidate;
typedef struct shipped_build shipped_build; /* shipped.h */
struct bench_candidate {
    const char *name;
    const void *kernel; /* null: `run` does it */
    unsigned threads;
    unsigned per_block;     /* units of `bench_work.unit` floats a block handles; 0: as many blocks as fit, below */
    unsigned blocks_per_sm; /* of a grid that stays */
    unsigned cluster;       /* blocks a cluster, which the grid is a multiple of */
    unsigned shared;        /* dynamic shared memory in bytes */
    void (*run)(const bench_case *c, const bench_buffers *b);
    int unchecked;                /* it does something else, as a measure: a plain copy */
    int form;                     /* of a kernel that ships, from <haul/kernels.def>: `bench_work.ship` does it */
    const shipped_build *shipped; /* who compiled that */
};

typedef struct {
    const char *name;
    const bench_candidate *candidates;
    unsigned count;
    const char *references[3]; /* candidates to hold the others against; null ends the list */
    void (*launch)(const bench_case *c, const bench_candidate *k, const bench_buffers *b);
    void (*ship)(const bench_case *c, const bench_candidate *k, const bench_buffers *b);
    void (*prepare)(const bench_case *c, const bench_buffers *b);             /* fills inputs, poisons the result */
    unsigned long long (*wrong)(const bench_case *c, const bench_buffers *b); /* wrong or overrun floats */
    const bench_case *cases;
    unsigned case_count;
    size_t odd_sizes; /* sizes that only get checked: 1 to this, and around the tiles; 0 for none */
} bench_work;

extern const bench_work bench_copy, bench_saxpy, bench_maxpool, bench_transpose, bench_gather, bench_stencil,
    bench_fused, bench_matvec;

/* Stops the program with a line when a CUDA call has failed. */
void bench_cuda(int status, const char *what);

int bench_multiprocessors(void);

/* The grid of candidate `k` for `units` units of work, and its launch. */
void bench_start(const bench_candidate *k, size_t units, void **arguments);

/* in = the stream of positive values that bench_value() names, out = NaN, guards = a value that wins every maximum. */
void bench_fill(const bench_case *c, const bench_buffers *b, size_t in_floats);

/* A counter in device memory for the checks: zero it, let kernels add, read it. */
unsigned long long *bench_errors(void);
unsigned long long bench_errors_read(void);

/* The plain device-to-device copy of c->copied floats from in to out. */
void bench_memcpy(const bench_case *c, const bench_buffers *b);

/* Peers (bench/peers/). */
void peer_cub_copy(const bench_case *c, const bench_buffers *b);
void peer_cub_saxpy(const bench_case *c, const bench_buffers *b);
void peer_double_buffer_1(const bench_case *c, const bench_buffers *b); /* with 1 to 4 blocks an SM */
void peer_double_buffer_2(const bench_case *c, const bench_buffers *b);
void peer_double_buffer_3(const bench_case *c, const bench_buffers *b);
void peer_double_buffer_4(const bench_case *c, const bench_buffers *b);
void peer_pipeline(const bench_case *c, const bench_buffers *b);
/* By cuBLAS, where its library is found at run time: C = A * temporary, and y = A x. */
int peer_cublas_there(void);
void peer_cublas_product(const bench_case *c, const bench_buffers *b);
void peer_cublas_matvec(const bench_case *c, const bench_buffers *b);

#define BENCH_ALPHA 0.25f
#define BENCH_COUNT(array) (sizeof(array) / sizeof *(array))

#endif
