/* Exercise: N stages.
 *
 * The array consists of tiles of BLOCK floats; each tile is reversed: its first element becomes its last. A block
 * processes the tiles blockIdx.x, blockIdx.x + gridDim.x, and so on. The kernel below copies a tile asynchronously and
 * waits for it right away, so that nothing is in flight while it writes the result.
 *
 * Make it a ring of STAGES tiles in shared memory: while tile k is written, the copies of the tiles k + 1 to k + STAGES
 * - 1 are in flight. Note that a thread reads what another thread has copied: `__pipeline_wait_prior()` waits for the
 * copies of the calling thread only.
 *
 * The test allows at most 1.1 times the time of the shipped solution in the measured case; the kernel below takes twice
 * as long, and three stages 1.3 times.
 *
 * Keep: the function reverse_tiles(), and BLOCK and BLOCKS. out and in are device memory of tiles * BLOCK floats,
 * `tiles` is at least 1. A block may have no tile, or fewer than STAGES. */
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

enum { BLOCK = 128, BLOCKS = 264, STAGES = 4 };

__global__ void reverse_kernel(float *out, const float *in, int tiles) {
    __shared__ float stage[BLOCK];
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        __pipeline_memcpy_async(stage + threadIdx.x, in + tile * BLOCK + threadIdx.x, 4);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        out[tile * BLOCK + threadIdx.x] = stage[BLOCK - 1 - threadIdx.x];
        __syncthreads();
    }
}

void reverse_tiles(float *out, const float *in, int tiles) {
    reverse_kernel<<<BLOCKS, BLOCK>>>(out, in, tiles);
}
