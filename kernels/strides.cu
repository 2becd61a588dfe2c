/* Strides: adjacent lanes of a warp access words that lie `stride` elements apart.
 *
 * Memory moves in sectors of 32 bytes. At stride 1 the 32 floats of a warp lie in 4 sectors and every byte that moves
 * is used. From stride 8 on each lane has its own sector, 32 for the warp, and seven eighths of them are wasted. */
#include <cuda_runtime.h>

/* in: (n - 1) * stride + 1 floats; out: n floats. */
extern "C" __global__ void load_stride(const float *in, float *out, unsigned n, unsigned stride) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[(size_t)i * stride];
}

/* in: n floats; out: (n - 1) * stride + 1 floats, the gaps between them do not change. */
extern "C" __global__ void store_stride(const float *in, float *out, unsigned n, unsigned stride) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[(size_t)i * stride] = in[i];
}
