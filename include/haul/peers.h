/* Peers: what `haul bench` holds haul's kernels against, from a shared library of its own, so that haul itself needs
 * the driver only. libhaul_peers.so, built from bench/peers/ where nvcc is, is one; any library with haul_peers() will
 * do.
 *
 * Work is queued on the current device's primary context and not waited for. A peer must do the whole work as
 * <haul/kernels.h> describes it: its result is verified before it is timed. */
#ifndef HAUL_PEERS_H
#define HAUL_PEERS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HAUL_PEERS_VERSION 1

/* One launch: arrays in device memory, 256-byte aligned, each floats unless said otherwise. What a work has no use for
 * is NULL or 0.
 *
 *   work       does                                    in        out     small  rows     columns       radius
 *   copy       out = in                                n         n
 *   saxpy      out = alpha * in + out                  n         n
 *   maxpool    out[i] = max of in[i - 15 .. i + 15]    n         n
 *   gather     row i of out = row index[i] of in       n         n              of in    floats a row
 *   transpose  out = transposed in                     n         n              of in    of in
 *   stencil    crosses on planes of columns * rows     n         n              a plane  a row         1 to 8
 *   fused      out = small * f(in)                     k * cols  n       A      of A     of in, out
 *   matvec     out = in * small                        r * cols  n       x      of in    of in */
typedef struct haul_peer_job {
    size_t n; /* floats of the result */
    size_t rows, columns;
    unsigned inner;  /* fused: columns of A, rows of in */
    unsigned radius; /* stencil */
    float alpha;
    const float *in, *small;
    const unsigned *index;
    float *out;
    float *temporary; /* fused: as many floats as `in`, for whoever needs them */
    void *stream;     /* CUstream, cudaStream_t */
} haul_peer_job;

typedef struct haul_peer {
    const char *work;    /* "saxpy" */
    const char *name;    /* "cub": as haul bench's wanted ratios call it */
    const char *variant; /* of several that go by one name, of which the fastest counts: "2 blocks an SM"; else "" */
    const char *text;    /* what it is: "CUB DeviceTransform" */
    /* Queues the work. 0, or an error that haul_peers_table.explain() has words for. */
    int (*run)(const haul_peer_job *job, const void *context);
    const void *context;
    /* Whether what it is made of is there, a library say; NULL: always. */
    int (*there)(void);
} haul_peer;

typedef struct haul_peers_table {
    unsigned version; /* HAUL_PEERS_VERSION */
    const char *built_with;
    const haul_peer *peers;
    size_t count;
    int (*open)(int device); /* makes the device with that number the calling thread's; 0 or an error */
    const char *(*explain)(int error);
} haul_peers_table;

/* The one symbol that the library exports. */
typedef const haul_peers_table *haul_peers_function(void);
__attribute__((visibility("default"))) const haul_peers_table *haul_peers(void);

#ifdef __cplusplus
}
#endif
#endif
