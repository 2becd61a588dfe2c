/* Peers: other implementations against which `haul bench` measures haul's kernels. A peer is a shared library, so that
 * haul itself needs only the driver. libhaul_peers.so, built from bench/peers/ if there is nvcc, is one; any library
 * with haul_peers() works.
 *
 * Work is queued on the current device's primary context, without waiting. A peer must do all of the work that
 * <haul/kernels.h> describes: its result is verified before it is timed. */
#ifndef HAUL_PEERS_H
#define HAUL_PEERS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HAUL_PEERS_VERSION 1

/* One launch. Arrays are in device memory, 256-byte aligned, of floats unless said otherwise. Fields that a work does
 * not use are NULL or 0.
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
    float *temporary; /* fused: scratch memory, as many floats as `in` */
    void *stream;     /* CUstream, cudaStream_t */
} haul_peer_job;

typedef struct haul_peer {
    const char *work;    /* "saxpy" */
    const char *name;    /* "cub": as in haul bench's wanted ratios */
    const char *variant; /* "2 blocks an SM": tells apart peers of one name, of which the fastest counts; else "" */
    const char *text;    /* description: "CUB DeviceTransform" */
    /* Queues the work. Returns 0, or an error that haul_peers_table.explain() describes. */
    int (*run)(const haul_peer_job *job, const void *context);
    const void *context;
    /* Whether the peer can run, because its library was found, say; NULL: always. */
    int (*there)(void);
} haul_peer;

typedef struct haul_peers_table {
    unsigned version; /* HAUL_PEERS_VERSION */
    const char *built_with;
    const haul_peer *peers;
    size_t count;
    int (*open)(int device); /* makes this device current for the calling thread; 0 or an error */
    const char *(*explain)(int error);
} haul_peers_table;

/* The one symbol that the library exports. */
typedef const haul_peers_table *haul_peers_function(void);
__attribute__((visibility("default"))) const haul_peers_table *haul_peers(void);

#ifdef __cplusplus
}
#endif
#endif
