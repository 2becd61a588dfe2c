/* Exercise: producer and consumers by warps.
 *
 * out[i] = 2 * in[i] + 1, in tiles of TILE floats; block b of `blocks` processes the tiles b, b + blocks, and so on. In
 * the kernel below all threads copy a tile, wait, and compute.
 *
 * Give the block two roles instead. An additional warp, the last one, is the producer: it only starts copies, for up to
 * STAGES tiles ahead. The other four are consumers: they compute. Each stage has two barriers:
 *
 *   filled[s]   ends a phase when stage s holds a tile: the producer's lanes arrive when their copies have
 *   empty[s]    ends a phase when all consumers have read their elements of stage s
 *
 * <cuda/barrier> has them: a cuda::barrier<cuda::thread_scope_block> waits, in each phase, for as many arrivals as
 * init() sets. b.arrive() arrives, b.arrive_and_wait() also waits for the others. cuda::memcpy_async(to, from, bytes,
 * b) starts a copy; the current phase of b then waits for the copy as well as for the thread's arrival.
 *
 * A thread that waits by arrive_and_wait() counts as an arrival: initialise each barrier with the producer's lanes and
 * the consumers' threads together.
 *
 * The test requires that there are no global loads, and asynchronous copies by one warp only, of 16 bytes a lane.
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
