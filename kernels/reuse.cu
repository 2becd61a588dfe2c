/* What caches keep: data that kernel after kernel reads, and stores to the same place.
 *
 * L2 keeps what it has from one kernel to the next, until other data needs the room; an access-policy window keeps a
 * part of it longer. Stores are kept there, too: L2 is a write-back cache, which writes a sector to device memory when
 * it is given up. L1 is a write-through cache: every store goes on to L2 at once. */
#include <cuda_runtime.h>

/* Sums vectors around L1. in: count vectors; out: a float for each thread of the grid. */
extern "C" __global__ void reuse_sum(const float4 *in, float *out, unsigned count) {
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    float sum = 0;
    for (unsigned i = t; i < count; i += threads) {
        const float4 v = __ldcg(in + i);
        sum += (v.x + v.y) + (v.z + v.w);
    }
    out[t] = sum;
}

/* Stores to each of n words `rounds` times; the last round's number stays. Stores of a warp to a line leave L1 as one
 * unless there is a barrier between them. */
extern "C" __global__ void reuse_store(float *out, unsigned n, unsigned rounds) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned r = 1; r <= rounds; r++) {
        if (i < n) out[i] = (float)r;
        __syncthreads();
    }
}
