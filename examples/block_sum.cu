/* The sum of a block's elements, three times: with a race, with a barrier that half of the threads miss, and right.
 * docs/tutorial-race.md goes through it:
 *
 *     haul check block_sum.cu --kernel block_sum_racy --grid 2 --block 256 --arg buf:f01:512 --arg buf:zero:2 */
#include <cuda_runtime.h>

enum { BLOCK = 256 };

/* In each round the lower half of the threads adds what the upper half had in the round before. */
extern "C" __global__ void block_sum_racy(const float *in, float *out) {
    __shared__ float s[BLOCK];
    s[threadIdx.x] = in[blockIdx.x * BLOCK + threadIdx.x];
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
    }
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

extern "C" __global__ void block_sum_stuck(const float *in, float *out) {
    __shared__ float s[BLOCK];
    s[threadIdx.x] = in[blockIdx.x * BLOCK + threadIdx.x];
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            s[threadIdx.x] += s[threadIdx.x + half];
            __syncthreads();
        }
    }
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// haul: expect no findings, bank_conflicts == 0
extern "C" __global__ void block_sum(const float *in, float *out) {
    __shared__ float s[BLOCK];
    s[threadIdx.x] = in[blockIdx.x * BLOCK + threadIdx.x]; // haul: expect sectors/request <= 4
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
