// Threads of the host, each with a default stream of its own: they share the device, kernels and an atomic counter.
#include "sample.h"
#include <thread>

enum { THREADS = 4, COUNT = 3000, ROUNDS = 5 };

__device__ unsigned launches;

__global__ void add(int *x, int value) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < COUNT) x[i] += value;
    if (i == 0) atomicAdd(&launches, 1);
}

static int wrong[THREADS];

static void work(int number) {
    int *values = (int *)malloc(COUNT * sizeof *values), *x, want = 0;
    cudaStream_t stream;
    CHECK(cudaSetDevice(0));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMalloc((void **)&x, COUNT * sizeof *x));
    CHECK(cudaMemsetAsync(x, 0, COUNT * sizeof *x, cudaStreamPerThread));
    for (int round = 0; round < ROUNDS; round++) {
        add<<<(COUNT + 255) / 256, 256>>>(x, number + round); // into this thread's default stream
        want += number + round;
    }
    CHECK(cudaStreamSynchronize(0));
    add<<<(COUNT + 255) / 256, 256, 0, stream>>>(x, 100);
    CHECK(cudaMemcpyAsync(values, x, COUNT * sizeof *x, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < COUNT; i++) wrong[number] += values[i] != want + 100;
    // Errors are each thread's own.
    CHECK(cudaGetLastError());
    CHECK(cudaFree(x));
    CHECK(cudaStreamDestroy(stream));
    free(values);
}

int main() {
    std::thread threads[THREADS];
    unsigned count = 0;
    for (int t = 0; t < THREADS; t++) threads[t] = std::thread(work, t);
    for (std::thread &t : threads) t.join();
    CHECK(cudaMemcpyFromSymbol(&count, launches, sizeof count));
    for (int t = 0; t < THREADS; t++) {
        printf("thread %d: %d wrong\n", t, wrong[t]);
        expect("the values of a thread", wrong[t] == 0);
    }
    printf("%u launches\n", count);
    expect("launches", count == THREADS * (ROUNDS + 1));
    return finish();
}
