/* The table that haul bench finds, made from the works' tables. */
#include "candidates.h"

#define MOST 256

static const candidate *const tables[] = {copy_candidates, saxpy_candidates, maxpool_candidates, transpose_candidates,
                                          gather_candidates};

static unsigned multiprocessors(void) {
    static int count;
    int device = 0;
    if (count == 0 && cudaGetDevice(&device) == cudaSuccess) {
        cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
    }
    return (unsigned)count;
}

static unsigned blocks_of(const candidate *c, size_t n) {
    size_t blocks =
        c->per_block != 0 ? (n + c->per_block - 1) / c->per_block : (size_t)c->blocks_per_sm * multiprocessors();
    return (unsigned)((blocks + c->cluster - 1) / c->cluster * c->cluster);
}

int candidate_launch(const candidate *c, const haul_peer_job *job, void **arguments) {
    cudaLaunchAttribute cluster;
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = c->cluster;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks_of(c, job->n));
    config.blockDim = dim3(c->threads);
    config.dynamicSmemBytes = c->shared;
    config.stream = (cudaStream_t)job->stream;
    config.attrs = &cluster;
    config.numAttrs = c->cluster > 1;
    return cudaLaunchKernelExC(&config, c->kernel, arguments);
}

static int run(const haul_peer_job *job, const void *context) {
    const candidate *c = (const candidate *)context;
    return c->start(c, job);
}

static int allow_shared(const candidate *c) {
    int carveout = c->shared != 0 ? (int)cudaSharedmemCarveoutMaxShared : (int)cudaSharedmemCarveoutDefault;
    cudaError_t error = cudaFuncSetAttribute(c->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)c->shared);
    if (error != cudaSuccess) return error;
    return cudaFuncSetAttribute(c->kernel, cudaFuncAttributePreferredSharedMemoryCarveout, carveout);
}

static int open_device(int device) {
    cudaError_t error = cudaSetDevice(device);
    int failed = error != cudaSuccess ? error : cudaFree(nullptr); /* which makes the context current */
    for (const candidate *table : tables) {
        for (const candidate *c = table; c->work != nullptr && failed == 0; c++) failed = allow_shared(c);
    }
    return failed;
}

static const char *explain(int error) {
    return cudaGetErrorString((cudaError_t)error);
}

extern "C" const haul_peers_table *haul_peers(void) {
    static haul_peer peers[MOST];
    static haul_peers_table table = {HAUL_PEERS_VERSION, "nvcc", peers, 0, open_device, explain};
    if (table.count != 0) return &table;
    for (const candidate *from : tables) {
        for (const candidate *c = from; c->work != nullptr && table.count < MOST; c++) {
            peers[table.count++] = {c->work, "by_hand", c->name, "by hand", run, c, nullptr};
        }
    }
    return &table;
}
