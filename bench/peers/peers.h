/* Inside the library of peers. */
#ifndef HAUL_BENCH_PEERS_H
#define HAUL_BENCH_PEERS_H

#include <cuda_runtime.h>
#include <haul/peers.h>

#define PEER(function, there, work, name, variant, text) int function(const haul_peer_job *job);
#include "peers.def"
#undef PEER

/* Whether cuBLAS's library was found. */
int peer_cublas_there(void);

/* SMs of the current device. */
unsigned peer_multiprocessors(void);

static inline cudaStream_t peer_stream(const haul_peer_job *job) {
    return (cudaStream_t)job->stream;
}

#endif
