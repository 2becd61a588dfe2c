/* Each block gathers 32 rows of 256 bytes into shared memory and writes their sum. */
#include <cuda_runtime.h>
#include <haul/device.h>

#define ROWS 32
#define WORDS 64
#define THREADS 128

extern "C" __global__ void gather_sum(float *out, const float *table, const unsigned *index) {
    __shared__ __align__(128) float stage[ROWS][WORDS];
    HAUL_INDIRECT_WITH(fetch, float, .rows = ROWS, .row = WORDS, .vector = 4, .threads = THREADS,
                       .engine = HAUL_BY_LDGSTS, .destination_free = 1);
    haul_block_gather(fetch, 0, stage, table, index + blockIdx.x * ROWS);
    if (threadIdx.x < WORDS) {
        float sum = 0;
        for (unsigned row = 0; row < ROWS; row++) sum += stage[row][threadIdx.x];
        out[blockIdx.x * WORDS + threadIdx.x] = sum;
    }
}
