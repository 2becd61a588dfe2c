/* A kernel with a typical mistake, to profile:
 *
 *     haul profile row_sums.cu --kernel row_sums --grid 4 --block 256 \
 *         --arg buf:f01:65536 --arg buf:zero:1024 --arg i32:1024 --arg i32:64
 *
 * Each thread sums one row, so in each step of the loop the 32 lanes of a warp read 32 words that are a whole row
 * apart: 32 sectors for 128 bytes. row_sums_by_warp does the same work with a warp a row: four sectors. Run both and
 * compare the sectors a request and the line that the advice names. The second kernel needs 32 times as many threads:
 * --kernel row_sums_by_warp --grid 128. */
#include <cuda_runtime.h>

extern "C" __global__ void row_sums(const float *in, float *out, int rows, int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int k = 0; k < columns; k++) sum += in[row * columns + k];
    out[row] = sum;
}

extern "C" __global__ void row_sums_by_warp(const float *in, float *out, int rows, int columns) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int k = lane; k < columns; k += 32) sum += in[row * columns + k];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (lane == 0) out[row] = sum;
}
