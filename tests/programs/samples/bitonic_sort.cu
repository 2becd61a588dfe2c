// Pairs of key and value sorted by a bitonic network: within tiles in shared memory, across them in global memory.
#include "sample.h"

enum { COUNT = 8192, TILE = 1024 };

__device__ void order(unsigned *key, unsigned *value, unsigned i, unsigned k, bool ascends) {
    if ((key[i] > key[k]) != ascends) return;
    const unsigned old_key = key[i], old_value = value[i];
    key[i] = key[k];
    value[i] = value[k];
    key[k] = old_key;
    value[k] = old_value;
}

// All steps whose distances lie within a tile: of the first sizes, or the last ones of `size`.
__global__ void sort_tile(unsigned *key, unsigned *value, unsigned from_size, unsigned to_size) {
    __shared__ unsigned keys[TILE], values[TILE];
    const unsigned base = blockIdx.x * TILE, t = threadIdx.x;
    for (unsigned i = t; i < TILE; i += TILE / 2) {
        keys[i] = key[base + i];
        values[i] = value[base + i];
    }
    for (unsigned size = from_size; size <= to_size; size *= 2)
        for (unsigned distance = min(size / 2, TILE / 2u); distance > 0; distance /= 2) {
            __syncthreads();
            const unsigned i = 2 * t - (t & (distance - 1));
            order(keys, values, i, i + distance, !((base + i) & size));
        }
    __syncthreads();
    for (unsigned i = t; i < TILE; i += TILE / 2) {
        key[base + i] = keys[i];
        value[base + i] = values[i];
    }
}

__global__ void sort_across(unsigned *key, unsigned *value, unsigned size, unsigned distance) {
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, i = 2 * t - (t & (distance - 1));
    order(key, value, i, i + distance, !(i & size));
}

int main() {
    static unsigned keys[COUNT], sorted[COUNT], values[COUNT];
    unsigned long long sum = 0, sum_sorted = 0;
    int wrong = 0;
    for (unsigned i = 0; i < COUNT; i++) {
        sum += keys[i] = draw(100000);
        values[i] = i;
    }
    unsigned *key = on_device(COUNT, keys), *value = on_device(COUNT, values);
    sort_tile<<<COUNT / TILE, TILE / 2>>>(key, value, 2, TILE);
    for (unsigned size = 2 * TILE; size <= COUNT; size *= 2) {
        for (unsigned distance = size / 2; distance >= TILE; distance /= 2)
            sort_across<<<COUNT / 512, 256>>>(key, value, size, distance);
        sort_tile<<<COUNT / TILE, TILE / 2>>>(key, value, size, size);
    }
    to_host(sorted, key, COUNT);
    to_host(values, value, COUNT);
    for (unsigned i = 0; i < COUNT; i++) {
        sum_sorted += sorted[i];
        wrong += (i > 0 && sorted[i - 1] > sorted[i]) || keys[values[i]] != sorted[i];
    }
    printf("least %u, median %u, greatest %u, %d wrong\n", sorted[0], sorted[COUNT / 2], sorted[COUNT - 1], wrong);
    expect("the order", wrong == 0 && sum == sum_sorted);
    CHECK(cudaFree(key));
    CHECK(cudaFree(value));
    return finish();
}
