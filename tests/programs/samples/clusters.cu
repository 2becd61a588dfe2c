// Clusters of sm_90: blocks that read and count in each other's shared memory, launched by cudaLaunchKernelEx.
#include "sample.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;
enum { THREADS = 128, BINS = 64, SIZE = 4 };

// The bins are spread over the cluster's blocks; each value is counted where its bin lives.
__global__ void count(const unsigned char *data, int bytes, unsigned *out) {
    __shared__ unsigned bins[BINS / SIZE];
    cg::cluster_group cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < BINS / SIZE; i += THREADS) bins[i] = 0;
    cluster.sync();
    for (int i = (int)(blockIdx.x * THREADS + threadIdx.x); i < bytes; i += (int)(gridDim.x * THREADS)) {
        const int bin = data[i] % BINS;
        atomicAdd(cluster.map_shared_rank(bins, bin / (BINS / SIZE)) + bin % (BINS / SIZE), 1);
    }
    cluster.sync();
    for (int i = threadIdx.x; i < BINS / SIZE; i += THREADS)
        atomicAdd(&out[cluster.block_rank() * (BINS / SIZE) + i], bins[i]);
}

// A cluster whose size the kernel itself says; each block takes its neighbour's number.
__global__ void __cluster_dims__(2, 1, 1) exchange(int *out) {
    __shared__ int mine;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) mine = 100 + (int)blockIdx.x;
    cluster.sync();
    if (threadIdx.x == 0) out[blockIdx.x] = *cluster.map_shared_rank(&mine, cluster.block_rank() ^ 1);
    cluster.sync(); // nobody ends while the other one reads
}

int main() {
    const int bytes = 20000;
    static unsigned char data[bytes];
    unsigned want[BINS] = {}, got[BINS];
    int neighbours[6], wrong = 0, clusters = 0;
    for (unsigned char &d : data) want[(d = (unsigned char)draw(256)) % BINS]++;
    unsigned char *in = on_device(bytes, data);
    unsigned *out = on_device<unsigned>(BINS);
    CHECK(cudaMemset(out, 0, sizeof got));

    cudaLaunchAttribute attribute[1] = {};
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = SIZE;
    attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(2 * SIZE);
    config.blockDim = dim3(THREADS);
    config.attrs = attribute;
    config.numAttrs = 1;
    CHECK(cudaOccupancyMaxActiveClusters(&clusters, count, &config));
    expect("clusters fit", clusters > 0);
    CHECK(cudaLaunchKernelEx(&config, count, (const unsigned char *)in, bytes, out));
    to_host(got, out, BINS);
    for (int b = 0; b < BINS; b++) wrong += got[b] != want[b];
    printf("first bin %u, last bin %u, %d wrong\n", got[0], got[BINS - 1], wrong);
    expect("the histogram", wrong == 0);

    int *numbers = on_device<int>(6);
    exchange<<<6, 32>>>(numbers);
    to_host(neighbours, numbers, 6);
    for (int i = 0; i < 6; i++) {
        printf("%d%c", neighbours[i], i < 5 ? ' ' : '\n');
        expect("a neighbour", neighbours[i] == 100 + (i ^ 1));
    }
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(numbers));
    return finish();
}
