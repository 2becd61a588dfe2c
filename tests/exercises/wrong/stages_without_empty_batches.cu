// In front of the loop a batch is committed only where there is a tile.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

__global__ void reverse_kernel(float *out, const float *in, int tiles) {
    __shared__ float stages[4][128];
    const int t = threadIdx.x, step = gridDim.x;
    for (int k = 0; k < 3; k++) {
        const int tile = blockIdx.x + k * step;
        if (tile < tiles) {
            __pipeline_memcpy_async(&stages[k][t], in + tile * 128 + t, 4);
            __pipeline_commit();
        }
    }
    int stage = 0;
    for (int tile = blockIdx.x; tile < tiles; tile += step) {
        const int next = tile + 3 * step;
        __pipeline_wait_prior(2);
        __syncthreads();
        if (next < tiles) __pipeline_memcpy_async(&stages[(stage + 3) % 4][t], in + next * 128 + t, 4);
        __pipeline_commit();
        out[tile * 128 + t] = stages[stage][127 - t];
        stage = (stage + 1) % 4;
    }
}

void reverse_tiles(float *out, const float *in, int tiles) {
    reverse_kernel<<<264, 128>>>(out, in, tiles);
}
