/* Copies: the plainest memory-bound kernel, by words and by 16-byte vectors. */
#include <cuda_runtime.h>

extern "C" __global__ void copy_scalar(const float *in, float *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}

/* in and out: 16-byte aligned. One thread for each four floats, the last up to three by single words. */
extern "C" __global__ void copy_vector(const float *in, float *out, unsigned n) {
    unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i + 3 < n) {
        *(float4 *)(out + i) = *(const float4 *)(in + i);
        return;
    }
    for (; i < n; i++) out[i] = in[i];
}
