// Two streams of different priorities, chunks that are copied in, changed and copied out, and events between them.
#include "sample.h"

enum { CHUNKS = 6, CHUNK = 2048 };

__global__ void change(int *x, int by) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = x[i] * 3 + by;
}

__global__ void sum_all(const int *x, int count, unsigned long long *sum) {
    unsigned long long mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) mine += x[i];
    atomicAdd(sum, mine);
}

int main() {
    int least, greatest, *host, *device, wrong = 0;
    unsigned long long *sum, got = 0, want = 0;
    cudaStream_t streams[2];
    cudaEvent_t begin, end, done[CHUNKS];
    float milliseconds = -1;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    expect("priorities", greatest <= least);
    CHECK(cudaStreamCreateWithPriority(&streams[0], cudaStreamNonBlocking, greatest));
    CHECK(cudaStreamCreateWithPriority(&streams[1], cudaStreamNonBlocking, least));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    for (cudaEvent_t &event : done) CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    CHECK(cudaMallocHost((void **)&host, CHUNKS * CHUNK * sizeof *host));
    CHECK(cudaMalloc((void **)&device, CHUNKS * CHUNK * sizeof *device));
    CHECK(cudaMalloc((void **)&sum, sizeof *sum));
    for (int i = 0; i < CHUNKS * CHUNK; i++) host[i] = i % 1000;

    CHECK(cudaEventRecord(begin, streams[0]));
    CHECK(cudaMemsetAsync(sum, 0, sizeof *sum, streams[0]));
    for (int c = 0; c < CHUNKS; c++) {
        const cudaStream_t stream = streams[c % 2];
        int *from = host + c * CHUNK, *to = device + c * CHUNK;
        CHECK(cudaMemcpyAsync(to, from, CHUNK * sizeof *to, cudaMemcpyHostToDevice, stream));
        change<<<CHUNK / 256, 256, 0, stream>>>(to, c);
        CHECK(cudaMemcpyAsync(from, to, CHUNK * sizeof *to, cudaMemcpyDeviceToHost, stream));
        CHECK(cudaEventRecord(done[c], stream));
    }
    for (cudaEvent_t event : done) CHECK(cudaStreamWaitEvent(streams[0], event, 0));
    sum_all<<<4, 256, 0, streams[0]>>>(device, CHUNKS * CHUNK, sum);
    CHECK(cudaMemcpyAsync(&got, sum, sizeof got, cudaMemcpyDeviceToHost, streams[0]));
    CHECK(cudaEventRecord(end, streams[0]));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    expect("time goes by", milliseconds > 0);
    expect("all is done", cudaEventQuery(end) == cudaSuccess && cudaStreamQuery(streams[1]) == cudaSuccess);

    for (int i = 0; i < CHUNKS * CHUNK; i++) {
        const int value = i % 1000 * 3 + i / CHUNK;
        wrong += host[i] != value;
        want += value;
    }
    printf("sum %llu, %d wrong\n", got, wrong);
    expect("the values and their sum", wrong == 0 && got == want);
    for (cudaEvent_t event : done) CHECK(cudaEventDestroy(event));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    for (cudaStream_t stream : streams) CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(device));
    CHECK(cudaFree(sum));
    return finish();
}
