/* The producer waits until a stage is empty and fills it. The consumers wait until it is filled, use it and arrive at
 * `empty`, also once before they begin, because at first all stages are empty. */
#include <cuda/barrier>
#include <cuda_runtime.h>

enum { WARP = 32, CONSUMERS = 128, STAGES = 4, TILE = 128 };

typedef cuda::barrier<cuda::thread_scope_block> barrier;

static __device__ void produce(float (*stages)[TILE], barrier *filled, barrier *empty, const float *in, int tiles) {
    const int first = threadIdx.x % WARP * 4; // each lane copies 16 bytes
    int s = 0;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        empty[s].arrive_and_wait();
        cuda::memcpy_async(stages[s] + first, in + tile * TILE + first, cuda::aligned_size_t<16>(16), filled[s]);
        (void)filled[s].arrive();
        s = (s + 1) % STAGES;
    }
}

static __device__ void consume(float (*stages)[TILE], barrier *filled, barrier *empty, float *out, int tiles) {
    int s = 0;
    for (int k = 0; k < STAGES; k++) (void)empty[k].arrive();
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        filled[s].arrive_and_wait();
        out[tile * TILE + threadIdx.x] = 2 * stages[s][threadIdx.x] + 1;
        (void)empty[s].arrive();
        s = (s + 1) % STAGES;
    }
}

__global__ void scale_kernel(float *out, const float *in, int tiles) {
    __shared__ alignas(16) float stages[STAGES][TILE];
    __shared__ barrier filled[STAGES], empty[STAGES];
    if (threadIdx.x < STAGES) {
        init(&filled[threadIdx.x], CONSUMERS + WARP);
        init(&empty[threadIdx.x], CONSUMERS + WARP);
    }
    __syncthreads();
    if (threadIdx.x >= CONSUMERS)
        produce(stages, filled, empty, in, tiles);
    else
        consume(stages, filled, empty, out, tiles);
}

void scale_tiles(float *out, const float *in, int tiles, int blocks) {
    scale_kernel<<<blocks, CONSUMERS + WARP>>>(out, in, tiles);
}
