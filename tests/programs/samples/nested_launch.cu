// A launch whose arguments launch a kernel themselves: each keeps its own grid and shared memory.
#include "sample.h"

__global__ void fill(int *out, int value) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__global__ void add_lanes(int *out, const int *in) {
    extern __shared__ int lanes[];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    lanes[t] = in[i] + t;
    __syncthreads();
    out[i] = lanes[blockDim.x - 1 - t];
}

static int *filled(int *memory, int blocks, int value) {
    fill<<<blocks, 64>>>(memory, value);
    return memory;
}

int main() {
    enum { BLOCKS = 5, THREADS = 128, COUNT = BLOCKS * THREADS };
    int got[COUNT], wrong = 0;
    int *in = on_device<int>(COUNT), *out = on_device<int>(COUNT);
    add_lanes<<<BLOCKS, THREADS, THREADS * sizeof(int)>>>(out, filled(in, COUNT / 64, 1000));
    CHECK(cudaGetLastError());
    to_host(got, out, COUNT);
    for (int i = 0; i < COUNT; i++) wrong += got[i] != 1000 + THREADS - 1 - i % THREADS;
    printf("%d wrong\n", wrong);
    expect("both launches have their shapes", wrong == 0);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return finish();
}
