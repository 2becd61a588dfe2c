/* The table that haul bench finds. */
#include <stdio.h>

#include "peers.h"

unsigned peer_multiprocessors(void) {
    static int count;
    int device = 0;
    if (count == 0 && cudaGetDevice(&device) == cudaSuccess) {
        cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
    }
    return (unsigned)count;
}

static int open_device(int device) {
    cudaError_t error = cudaSetDevice(device);
    return error != cudaSuccess ? error : cudaFree(nullptr); /* which makes the context current */
}

static const char *explain(int error) {
    return error < 0 ? "cuBLAS failed" : cudaGetErrorString((cudaError_t)error);
}

static const char *built_with(void) {
    static char text[64];
    snprintf(text, sizeof text, "nvcc %d.%d", __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__);
    return text;
}

const unsigned peer_blocks[5] = {0, 1, 2, 3, 4};

static const haul_peer peers[] = {
#define PEER(function, context, there, work, name, variant, text) {work, name, variant, text, function, context, there},
#include "peers.def"
#undef PEER
};

extern "C" const haul_peers_table *haul_peers(void) {
    static const haul_peers_table table = {HAUL_PEERS_VERSION,           built_with(), peers,
                                           sizeof peers / sizeof *peers, open_device,  explain};
    return &table;
}
