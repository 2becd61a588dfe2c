/* Strides: neighbouring lanes of a warp access words that lie `stride` elements apart.
 *
 * Memory moves in sectors of 32 bytes. At stride 1 the 32 floats of a warp lie in 4 sectors and every byte that moves
 * is used; from stride 8 on each lane has a sector of its own, 32 for the warp, and seven eighths of them are waste. */
#include <cuda_runtime.h>

/* in: (n - 1) * stride + 1 floats; out: n floats. */
extern "C" __global__ void load_stride(const float *in, float *out, unsigned n, unsigned stride) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[(size_t)i * stride];
}

/* in: n floats; out: (n - 1) * stride + 1 floats, those between the strides are left alone. */
extern "C" __global__ void store_stride(const float *in, float *out, unsigned n, unsigned stride) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[(size_t)i * stride] = in[i];
}
