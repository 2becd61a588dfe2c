// What of the host's a graph may hold: copies between host addresses, launched twice, but no callbacks. And memory of a
// pool that cudaFree() takes back.
#include "sample.h"

static void called(cudaStream_t, cudaError_t, void *) {}

int main() {
    int *from, *to, *pooled;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    CHECK(cudaMallocHost((void **)&from, 64 * sizeof(int)));
    CHECK(cudaMallocHost((void **)&to, 64 * sizeof(int)));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    CHECK(cudaMemcpyAsync(to, from, 64 * sizeof(int), cudaMemcpyHostToHost, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    for (int round = 1; round <= 2; round++) {
        for (int i = 0; i < 64; i++) from[i] = round * i;
        CHECK(cudaGraphLaunch(executable, stream));
        CHECK(cudaStreamSynchronize(stream));
        printf("round %d: %d\n", round, to[63]);
        expect("the graph copies what is there now", to[63] == round * 63);
    }
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    const cudaError_t refused = cudaStreamAddCallback(stream, called, nullptr, 0);
    printf("a callback: %s\n", cudaGetErrorName(refused));
    expect("a callback is refused", refused == cudaErrorStreamCaptureUnsupported);
    (void)cudaStreamEndCapture(stream, &graph);
    (void)cudaGetLastError();
    for (int k = 0; k < 3; k++) {
        CHECK(cudaMallocAsync((void **)&pooled, 1 << 20, stream));
        CHECK(cudaStreamSynchronize(stream));
        CHECK(cudaFree(pooled));
    }
    cudaMemPool_t pool;
    unsigned long long reserved = 1;
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
    printf("reserved: %llu\n", reserved);
    expect("cudaFree() gives the pool's memory back", reserved == 0);
    return finish();
}
