/* The same as gather_haul.cu, written by hand. */
#include <cuda_runtime.h>

#define ROWS 32
#define WORDS 64
#define THREADS 128

extern "C" __global__ void gather_sum(float *out, const float *table, const unsigned *index) {
    __shared__ __align__(128) float stage[ROWS][WORDS];
#pragma unroll
    for (unsigned step = 0; step < ROWS * WORDS / 4 / THREADS; step++) {
        const unsigned k = threadIdx.x + step * THREADS;
        const unsigned row = k / (WORDS / 4), column = k % (WORDS / 4) * 4;
        const float *from = table + (size_t)index[blockIdx.x * ROWS + row] * WORDS + column;
        asm volatile(
            "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(&stage[row][column])),
            "l"(from)
            : "memory");
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    if (threadIdx.x < WORDS) {
        float sum = 0;
        for (unsigned row = 0; row < ROWS; row++) sum += stage[row][threadIdx.x];
        out[blockIdx.x * WORDS + threadIdx.x] = sum;
    }
}
