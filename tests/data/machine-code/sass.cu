/* Kernels whose machine code says something that PTX does not. */
#include <cuda_pipeline.h>

static __device__ __forceinline__ float square(float x) {
    return x * x;
}

/* Four words that the assembler merges, and a function that it inlines. */
extern "C" __global__ void squares(float *out, const float *in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 v = reinterpret_cast<const float4 *>(in)[i];
    reinterpret_cast<float4 *>(out)[i] = make_float4(square(v.x), square(v.y), square(v.z), square(v.w));
}

/* A copy into shared memory, and the fillers in front of it. */
extern "C" __global__ void staged(float *out, const float *in) {
    __shared__ float tile[256];
    __pipeline_memcpy_async(tile + threadIdx.x, in + blockIdx.x * 256 + threadIdx.x, 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = tile[255 - threadIdx.x];
}
