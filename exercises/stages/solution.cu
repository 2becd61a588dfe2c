/* A ring of STAGES tiles. Copies are started STAGES - 1 tiles ahead; a stage is filled again only when the whole block
 * has read it. */
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

enum { BLOCK = 128, BLOCKS = 264, STAGES = 4 };

/* Starts the copy of a tile, if there is one, and commits in any case: waits count batches. */
static __device__ void fetch(float *stage, const float *in, int tile, int tiles) {
    if (tile < tiles) __pipeline_memcpy_async(stage + threadIdx.x, in + tile * BLOCK + threadIdx.x, 4);
    __pipeline_commit();
}

__global__ void reverse_kernel(float *out, const float *in, int tiles) {
    __shared__ float stages[STAGES][BLOCK];
    const int step = gridDim.x;
    for (int k = 0; k < STAGES - 1; k++) fetch(stages[k], in, blockIdx.x + k * step, tiles);
    int stage = 0;
    for (int tile = blockIdx.x; tile < tiles; tile += step) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads(); // all copies have arrived, and all threads have read the next stage to fill
        fetch(stages[(stage + STAGES - 1) % STAGES], in, tile + (STAGES - 1) * step, tiles);
        out[tile * BLOCK + threadIdx.x] = stages[stage][BLOCK - 1 - threadIdx.x];
        stage = (stage + 1) % STAGES;
    }
}

void reverse_tiles(float *out, const float *in, int tiles) {
    reverse_kernel<<<BLOCKS, BLOCK>>>(out, in, tiles);
}
