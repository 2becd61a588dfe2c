/* Lookups in a small table that all threads read: from global memory, from a constant bank, and from shared memory.
 *
 * Each thread adds up `rounds` elements. In each round the lanes of a warp read `distinct` different ones, `stride`
 * apart; a stride of 0 scatters them. From round to round all advance by one. */
#include <cuda_runtime.h>

enum { TABLE = 256 }; /* a power of two */

__constant__ float lookup_bank[TABLE];

static __device__ __forceinline__ unsigned first_place(unsigned distinct, unsigned stride) {
    unsigned lane = threadIdx.x % 32 % distinct;
    return stride ? lane * stride : lane * 2654435761u >> 16;
}

extern "C" __global__ void lookup_plain(const float *table, float *out, unsigned rounds, unsigned distinct,
                                        unsigned stride) {
    unsigned place = first_place(distinct, stride);
    float sum = 0.0f;
    for (unsigned r = 0; r < rounds; r++) sum += table[(place + r) % TABLE];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* Through the read-only path, which the kernel's stores cannot affect. */
extern "C" __global__ void lookup_ldg(const float *__restrict__ table, float *__restrict__ out, unsigned rounds,
                                      unsigned distinct, unsigned stride) {
    unsigned place = first_place(distinct, stride);
    float sum = 0.0f;
    for (unsigned r = 0; r < rounds; r++) sum += __ldg(&table[(place + r) % TABLE]);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* The bank is filled beforehand; `table` is not used. */
extern "C" __global__ void lookup_constant(const float *table, float *out, unsigned rounds, unsigned distinct,
                                           unsigned stride) {
    unsigned place = first_place(distinct, stride);
    float sum = 0.0f;
    for (unsigned r = 0; r < rounds; r++) sum += lookup_bank[(place + r) % TABLE];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* Blocks of at least TABLE threads. */
extern "C" __global__ void lookup_shared(const float *table, float *out, unsigned rounds, unsigned distinct,
                                         unsigned stride) {
    __shared__ float copy[TABLE];
    if (threadIdx.x < TABLE) copy[threadIdx.x] = table[threadIdx.x];
    __syncthreads();
    unsigned place = first_place(distinct, stride);
    float sum = 0.0f;
    for (unsigned r = 0; r < rounds; r++) sum += copy[(place + r) % TABLE];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
