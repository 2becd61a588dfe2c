/* Reuse in caches: data that several kernels read, and repeated stores to the same place.
 *
 * L2 keeps its lines from one kernel to the next, until other data needs the room; an access-policy window keeps a part
 * of them longer. Stores are kept there, too: L2 is a write-back cache, which writes a sector to device memory when it
 * is evicted. L1 is a write-through cache: every store goes on to L2 at once. */
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

/* Stores to each of n words `rounds` times; the last round's number stays. A warp's stores to a line leave L1 together
 * unless there is a barrier between them. */
extern "C" __global__ void reuse_store(float *out, unsigned n, unsigned rounds) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned r = 1; r <= rounds; r++) {
        if (i < n) out[i] = (float)r;
        __syncthreads();
    }
}
