/* Exercise: a table that persists in L2.
 *
 * The kernel below goes `rounds` times over a table and a stream of data: out[t] is the sum of what thread t has read.
 * The table is 24 MiB in the measured case, a round's part of the stream 48 MiB. L2 of an H100 has 50 MiB: whenever the
 * table is needed again, the stream has just evicted it, though the stream itself is never needed again.
 *
 * Set a part of L2 aside for accesses that persist, and make the accesses to the table persist:
 *
 *   cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, bytes)        sets aside
 *   cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value)
 *       says which addresses persist for kernels of a stream. value.accessPolicyWindow has base_ptr, num_bytes,
 *       hitRatio (1: all accesses), hitProp (cudaAccessPropertyPersisting) and missProp
 *       (cudaAccessPropertyStreaming)
 *
 * The test allows at most 1.1 times the sectors of device memory that reading the table once, and the stream once,
 * would need. Afterwards L2 must be as it was: no window on a stream that is still used, and nothing set aside.
 *
 * Keep: the function sum_rounds() and the kernel. table: hot vectors; data: rounds * part vectors; out: THREADS floats.
 */
#include <cuda_runtime.h>

enum { BLOCK = 512, BLOCKS = 264, THREADS = BLOCK * BLOCKS };

static __device__ float sum_of(float4 v) {
    return v.x + v.y + v.z + v.w;
}

__global__ void sum_kernel(float *out, const float4 *table, const float4 *data, int hot, int part, int rounds) {
    const int t = blockIdx.x * BLOCK + threadIdx.x;
    float sum = 0;
    for (int r = 0; r < rounds; r++) {
        for (int i = t; i < hot; i += THREADS) sum += sum_of(__ldcg(table + i));
        for (int i = t; i < part; i += THREADS) sum += sum_of(__ldcg(data + (size_t)r * part + i));
    }
    out[t] = sum;
}

void sum_rounds(float *out, const float4 *table, const float4 *data, int hot, int part, int rounds) {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    sum_kernel<<<BLOCKS, BLOCK, 0, stream>>>(out, table, data, hot, part, rounds);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
}
