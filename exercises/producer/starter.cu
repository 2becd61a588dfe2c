/* Exercise: producer and consumers by warps.
 *
 * out[i] = 2 * in[i] + 1, in tiles of TILE floats; block b of `blocks` does the tiles b, b + blocks, and so on. In the
 * kernel below all threads copy a tile, wait, and compute.
 *
 * Give the block two roles instead. One warp more than before, the last one, is the producer: it does nothing but start
 * copies, for up to STAGES tiles ahead. The other four are consumers: they compute. For each stage there are two
 * barriers:
 *
 *   filled[s]   ends a phase when stage s holds a tile: the producer's lanes arrive when their copies have
 *   empty[s]    ends a phase when all consumers have taken what they want from stage s
 *
 * <cuda/barrier> has them: a cuda::barrier<cuda::thread_scope_block> waits, in each phase, for as many arrivals as
 * init() told it. b.arrive() arrives, b.arrive_and_wait() does and waits for the others. cuda::memcpy_async(to, from,
 * bytes, b) starts a copy that the current phase of b waits for, too, besides an arrival of the thread.
 *
 * A thread that waits by arrive_and_wait() counts as an arrival: initialise each barrier with the producer's lanes and
 * the consumers' threads together.
 *
 * The test wants no global loads, and asynchronous copies by one warp only, of 16 bytes a lane.
 *
 * Keep: the function scale_tiles(), and TILE. */
#include <cuda/barrier>
#include <cuda_runtime.h>

enum { WARP = 32, CONSUMERS = 128, STAGES = 4, TILE = 128 };

__global__ void scale_kernel(float *out, const float *in, int tiles) {
    __shared__ float stage[TILE];
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        stage[threadIdx.x] = in[tile * TILE + threadIdx.x];
        __syncthreads();
        out[tile * TILE + threadIdx.x] = 2 * stage[threadIdx.x] + 1;
        __syncthreads();
    }
}

void scale_tiles(float *out, const float *in, int tiles, int blocks) {
    scale_kernel<<<blocks, CONSUMERS>>>(out, in, tiles);
}
