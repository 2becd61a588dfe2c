// The starter after each of the hints was followed, and nothing else was done.
#include <cuda/barrier>
#include <cuda_runtime.h>

enum { WARP = 32, CONSUMERS = 128, STAGES = 4, TILE = 128 };

__global__ void scale_kernel(float *out, const float *in, int tiles) {
    __shared__ alignas(16) float stages[STAGES][TILE];
    __shared__ cuda::barrier<cuda::thread_scope_block> filled[STAGES], empty[STAGES];
    if (threadIdx.x < STAGES) {
        init(&filled[threadIdx.x], CONSUMERS + WARP);
        init(&empty[threadIdx.x], CONSUMERS + WARP);
    }
    __syncthreads();
    int s = 0;
    if (threadIdx.x >= CONSUMERS) {
        const int lane = threadIdx.x % 32;
        for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            empty[s].arrive_and_wait();
            cuda::memcpy_async(stages[s] + lane * 4, in + tile * TILE + lane * 4, cuda::aligned_size_t<16>(16),
                               filled[s]);
            filled[s].arrive();
            s = (s + 1) % STAGES;
        }
    } else {
        for (int k = 0; k < STAGES; k++) empty[k].arrive();
        for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            filled[s].arrive_and_wait();
            out[tile * TILE + threadIdx.x] = 2 * stages[s][threadIdx.x] + 1;
            empty[s].arrive();
            s = (s + 1) % STAGES;
        }
    }
}

void scale_tiles(float *out, const float *in, int tiles, int blocks) {
    scale_kernel<<<blocks, CONSUMERS + WARP>>>(out, in, tiles);
}
