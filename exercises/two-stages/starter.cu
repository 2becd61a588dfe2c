/* Exercise: two stages.
 *
 * The kernel below computes out[i] = 2 * in[i] + 1. The next element arrives in shared memory by an asynchronous copy.
 * But as there is only one buffer, its copy cannot begin before the previous element was read: the copy waits for the
 * thread, and then the thread for the copy.
 *
 * Give each thread two places, so that the copy of element k + 1 is already in flight when the thread waits for element
 * k. `__pipeline_wait_prior(k)` waits until all but the last k committed batches have arrived.
 *
 * The test allows at most 1.15 times the time of the shipped solution in the measured case; one buffer takes 1.5 times
 * as long.
 *
 * Keep: the function scale(), and BLOCK and BLOCKS. out and in are device memory of n floats, n is at least 1 and may
 * be any number. */
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

enum { BLOCK = 128, BLOCKS = 264 };

__global__ void scale_kernel(float *out, const float *in, int n) {
    __shared__ float next[BLOCK];
    const int start = blockIdx.x * BLOCK + threadIdx.x, grid = gridDim.x * BLOCK;
    float *mine = next + threadIdx.x;
    if (start < n) __pipeline_memcpy_async(mine, in + start, 4);
    __pipeline_commit();
    for (int i = start; i < n; i += grid) {
        __pipeline_wait_prior(0);
        const float x = *mine;
        if (i + grid < n) __pipeline_memcpy_async(mine, in + i + grid, 4);
        __pipeline_commit();
        out[i] = 2 * x + 1;
    }
}

void scale(float *out, const float *in, int n) {
    scale_kernel<<<BLOCKS, BLOCK>>>(out, in, n);
}
