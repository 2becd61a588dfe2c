/* Batches: four words a thread, loaded in four ways.
 *
 * All four move the same bytes. They differ in how many loads are in flight at the first wait, and in how many sectors
 * each request touches. At a stride of four words a scalar request touches 16 sectors to use a quarter of each, and
 * only L1 saves the other three quarters; the 16-byte request uses all that it touches. */
#include <cuda_runtime.h>

/* One load, one store, next: a loop that is not unrolled never has more than one load in flight. */
extern "C" __global__ void batch_looped(const int *in, int *out, unsigned n) {
    unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
#pragma unroll 1
    for (unsigned k = 0; k < 4; k++) {
        if (i + k < n) out[i + k] = in[i + k];
    }
}

/* Unrolled, but a store may change what the next load reads, so the order stays load, store, load, store. */
extern "C" __global__ void batch_unrolled(const int *in, int *out, unsigned n) {
    unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i + 3 < n) {
#pragma unroll
        for (unsigned k = 0; k < 4; k++) out[i + k] = in[i + k];
        return;
    }
    for (; i < n; i++) out[i] = in[i];
}

/* __restrict__ promises that in and out do not overlap: ptxas issues the four loads before the first store. */
extern "C" __global__ void batch_restrict(const int *__restrict__ in, int *__restrict__ out, unsigned n) {
    unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i + 3 < n) {
#pragma unroll
        for (unsigned k = 0; k < 4; k++) out[i + k] = in[i + k];
        return;
    }
    for (; i < n; i++) out[i] = in[i];
}

/* One 16-byte load and one 16-byte store; in and out are 16-byte aligned. */
extern "C" __global__ void batch_vector(const int *in, int *out, unsigned n) {
    unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i + 3 < n) {
        *(int4 *)(out + i) = *(const int4 *)(in + i);
        return;
    }
    for (; i < n; i++) out[i] = in[i];
}
