/* Inside the library of peers. */
#ifndef HAUL_BENCH_PEERS_H
#define HAUL_BENCH_PEERS_H

#include <cuda_runtime.h>
#include <haul/peers.h>

#define PEER(function, ...) int function(const haul_peer_job *job, const void *context);
#include "peers.def"
#undef PEER

/* Whether cuBLAS's library was found. */
int peer_cublas_there(void);

/* Blocks an SM, 0 to 4, as contexts. */
extern const unsigned peer_blocks[5];

/* SMs of the current device. */
unsigned peer_multiprocessors(void);

static inline cudaStream_t peer_stream(const haul_peer_job *job) {
    return (cudaStream_t)job->stream;
}

#endif
