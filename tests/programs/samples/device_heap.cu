// malloc, free, new and delete in kernels: lists that one kernel builds, and the next one walks and frees.
#include "sample.h"

struct node {
    int value;
    node *next;
};

__global__ void build(node **heads, int *failed) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    node *head = nullptr;
    for (int i = 0; i <= t % 5; i++) {
        node *made = (node *)malloc(sizeof(node));
        if (!made) {
            atomicAdd(failed, 1);
            break;
        }
        made->value = 10 * t + i;
        made->next = head;
        head = made;
    }
    heads[t] = head;
}

__global__ void walk(node **heads, int *sums) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    sums[t] = 0;
    for (node *n = heads[t]; n;) {
        node *next = n->next;
        sums[t] += n->value;
        free(n);
        n = next;
    }
}

// An array for a block: one thread asks for it, all use it.
__global__ void share(int *out) {
    __shared__ int *scratch;
    const int t = threadIdx.x;
    if (t == 0) scratch = new int[blockDim.x];
    __syncthreads();
    scratch[t] = t * t;
    __syncthreads();
    out[blockIdx.x * blockDim.x + t] = scratch[blockDim.x - 1 - t];
    __syncthreads();
    if (t == 0) delete[] scratch;
}

int main() {
    const int threads = 128;
    int sums[threads], squares[threads], failures = 0;
    size_t heap = 0;
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
    CHECK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    expect("the heap's size", heap >= 16 << 20);
    node **heads = on_device<node *>(threads);
    int *out = on_device<int>(threads), *failed = on_device(1, &failures);
    build<<<2, threads / 2>>>(heads, failed);
    walk<<<2, threads / 2>>>(heads, out);
    to_host(sums, out, threads);
    to_host(&failures, failed, 1);
    printf("sum of the last list: %d, failures: %d\n", sums[threads - 1], failures);
    for (int t = 0; t < threads; t++) {
        const int n = t % 5 + 1;
        expect("a list", sums[t] == 10 * t * n + n * (n - 1) / 2);
    }
    share<<<4, threads / 4>>>(out);
    to_host(squares, out, threads);
    for (int t = 0; t < threads; t++) {
        const int other = threads / 4 - 1 - t % (threads / 4);
        expect("an array of the block", squares[t] == other * other);
    }
    CHECK(cudaFree(heads));
    CHECK(cudaFree(out));
    CHECK(cudaFree(failed));
    return finish();
}
