/* Derivatives: first differences along the fast and along the slow dimension of an array of rows.
 *
 * Element (i0, i1) lies at lead + i1 * pitch + i0. The start of rows decides how many sectors a warp touches: a lead of
 * a cache line aligns the first row, a pitch that is a multiple of a line aligns all the others too. In the plain forms
 * i0 = blockIdx.x * blockDim.x + threadIdx.x, i1 likewise in y; the grid covers n0 x n1. The other forms describe their
 * blocks. All forms of a difference give the same bits. */
#include <cuda_runtime.h>

#define TILE 32 /* rows and columns of a tile: a lane for each */
#define WARPS 8 /* warps of a block that works on a tile */
#define STEPS 8 /* rows that a thread of derivative_slow_walked goes down */

/* The baseline: the cost of the layout if only the element itself is read. */
extern "C" __global__ void copy_rows(const float *in, float *out, unsigned n0, unsigned n1, unsigned pitch,
                                     unsigned lead) {
    unsigned i0 = blockIdx.x * blockDim.x + threadIdx.x, i1 = blockIdx.y * blockDim.y + threadIdx.y;
    if (i0 < n0 && i1 < n1) {
        size_t i = lead + (size_t)i1 * pitch + i0;
        out[i] = in[i];
    }
}

/* out = scale * (in[i0] - in[i0 - 1]); lead >= 1, and each row has one element before its first. The second load is
 * shifted by one word: it touches the same sectors and one more, so L1 serves four of every nine. */
extern "C" __global__ void derivative_fast(const float *in, float *out, unsigned n0, unsigned n1, unsigned pitch,
                                           unsigned lead, float scale) {
    unsigned i0 = blockIdx.x * blockDim.x + threadIdx.x, i1 = blockIdx.y * blockDim.y + threadIdx.y;
    if (i0 < n0 && i1 < n1) {
        size_t i = lead + (size_t)i1 * pitch + i0;
        out[i] = scale * (in[i] - in[i - 1]);
    }
}

/* The left neighbour comes from the next lane; only the first lane of a warp loads two elements. Blocks are a multiple
 * of 32 threads wide. */
extern "C" __global__ void derivative_fast_shuffled(const float *in, float *out, unsigned n0, unsigned n1,
                                                    unsigned pitch, unsigned lead, float scale) {
    unsigned i0 = blockIdx.x * blockDim.x + threadIdx.x, i1 = blockIdx.y * blockDim.y + threadIdx.y;
    size_t i = lead + (size_t)i1 * pitch + i0;
    bool mine = i0 < n0 && i1 < n1;
    float here = mine ? in[i] : 0.0f;
    float left = __shfl_up_sync(0xffffffffu, here, 1);
    if (threadIdx.x % 32 == 0 && mine) left = in[i - 1];
    if (mine) out[i] = scale * (here - left);
}

/* One tile by a block of TILE x WARPS threads. It is loaded and stored by rows, each lane a column; in between each
 * lane takes a row and goes along it, so that an element is read once for two differences. Lanes are then `width` words
 * apart: all in one bank at 32, each in its own at 33. */
static __device__ __forceinline__ void difference_tile(float *tile, unsigned width, const float *in, float *out,
                                                       unsigned n0, unsigned n1, unsigned pitch, unsigned lead,
                                                       float scale) {
    const unsigned columns = TILE / WARPS; /* columns that a warp goes along */
    unsigned lane = threadIdx.x, warp = threadIdx.y;
    unsigned i0 = blockIdx.x * TILE, i1 = blockIdx.y * TILE;
    size_t corner = lead + (size_t)i1 * pitch + i0;
    for (unsigned row = warp; row < TILE; row += WARPS) {
        if (i0 + lane < n0 && i1 + row < n1) tile[row * width + lane] = in[corner + (size_t)row * pitch + lane];
    }
    float left = 0.0f;
    if (warp == 0 && i1 + lane < n1) left = in[corner + (size_t)lane * pitch - 1];
    __syncthreads();
    unsigned first = warp * columns;
    if (warp > 0) left = tile[lane * width + first - 1];
    __syncthreads(); /* all have read their left neighbour before it is overwritten */
#pragma unroll
    for (unsigned k = 0; k < columns; k++) {
        float here = tile[lane * width + first + k];
        tile[lane * width + first + k] = scale * (here - left);
        left = here;
    }
    __syncthreads();
    for (unsigned row = warp; row < TILE; row += WARPS) {
        if (i0 + lane < n0 && i1 + row < n1) out[corner + (size_t)row * pitch + lane] = tile[row * width + lane];
    }
}

extern "C" __global__ void derivative_fast_tiled(const float *in, float *out, unsigned n0, unsigned n1, unsigned pitch,
                                                 unsigned lead, float scale) {
    __shared__ float tile[TILE * TILE];
    difference_tile(tile, TILE, in, out, n0, n1, pitch, lead, scale);
}

extern "C" __global__ void derivative_fast_padded(const float *in, float *out, unsigned n0, unsigned n1, unsigned pitch,
                                                  unsigned lead, float scale) {
    __shared__ float tile[TILE * (TILE + 1)];
    difference_tile(tile, TILE + 1, in, out, n0, n1, pitch, lead, scale);
}

/* out = scale * (in[i1] - in[i1 - 1]) for rows 1 to n1; row 0 is the halo. The second load is a row away: aligned like
 * the first, and in L1 only if a warp of the same SM has read that row. */
extern "C" __global__ void derivative_slow(const float *in, float *out, unsigned n0, unsigned n1, unsigned pitch,
                                           unsigned lead, float scale) {
    unsigned i0 = blockIdx.x * blockDim.x + threadIdx.x, i1 = blockIdx.y * blockDim.y + threadIdx.y;
    if (i0 < n0 && i1 < n1) {
        size_t i = lead + (size_t)(i1 + 1) * pitch + i0;
        out[i] = scale * (in[i] - in[i - pitch]);
    }
}

/* A thread goes down STEPS rows and keeps the element above in a register: nine loads for eight differences. Blocks of
 * any width and height; one covers blockDim.x x (blockDim.y * STEPS) elements. */
extern "C" __global__ void derivative_slow_walked(const float *in, float *out, unsigned n0, unsigned n1, unsigned pitch,
                                                  unsigned lead, float scale) {
    unsigned i0 = blockIdx.x * blockDim.x + threadIdx.x, i1 = (blockIdx.y * blockDim.y + threadIdx.y) * STEPS;
    if (i0 >= n0 || i1 >= n1) return;
    size_t i = lead + (size_t)i1 * pitch + i0;
    float above = in[i];
#pragma unroll
    for (unsigned k = 0; k < STEPS; k++) {
        if (i1 + k < n1) {
            i += pitch;
            float here = in[i];
            out[i] = scale * (here - above);
            above = here;
        }
    }
}
