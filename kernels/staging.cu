/* Staging: how 4, 8 or 16 bytes a thread get from global into shared memory.
 *
 * The synchronous path goes through a register: a load, then a store. LDGSTS (cp.async) writes shared memory directly;
 * 4 and 8 bytes pass through L1 (.ca), 16 bytes may bypass it (.cg), which spares L1 but fetches whole sectors for each
 * side: if source or destination is not aligned to a sector, sectors are fetched twice.
 *
 * `shift` moves the source, `skew` the destination, both in elements of the width. Each thread reads back what it
 * copied itself, so no barrier is needed. in: n + shift elements. Shared memory: blockDim.x + skew elements. */
#include <cuda_runtime.h>
#include <cuda_pipeline_primitives.h>

extern "C" __global__ void stage4_sync(const float *in, float *out, unsigned n, unsigned shift, unsigned skew) {
    extern __shared__ float words[];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    words[skew + threadIdx.x] = in[i + shift];
    out[i] = words[skew + threadIdx.x];
}

extern "C" __global__ void stage8_sync(const float2 *in, float2 *out, unsigned n, unsigned shift, unsigned skew) {
    extern __shared__ float2 pairs[];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    pairs[skew + threadIdx.x] = in[i + shift];
    out[i] = pairs[skew + threadIdx.x];
}

extern "C" __global__ void stage16_sync(const float4 *in, float4 *out, unsigned n, unsigned shift, unsigned skew) {
    extern __shared__ float4 quads[];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    quads[skew + threadIdx.x] = in[i + shift];
    out[i] = quads[skew + threadIdx.x];
}

extern "C" __global__ void stage4_async(const float *in, float *out, unsigned n, unsigned shift, unsigned skew) {
    extern __shared__ float words[];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __pipeline_memcpy_async(words + skew + threadIdx.x, in + i + shift, 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[i] = words[skew + threadIdx.x];
}

extern "C" __global__ void stage8_async(const float2 *in, float2 *out, unsigned n, unsigned shift, unsigned skew) {
    extern __shared__ float2 pairs[];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __pipeline_memcpy_async(pairs + skew + threadIdx.x, in + i + shift, 8);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[i] = pairs[skew + threadIdx.x];
}

/* Around L1: the pipeline primitives choose .cg for 16 bytes. */
extern "C" __global__ void stage16_async(const float4 *in, float4 *out, unsigned n, unsigned shift, unsigned skew) {
    extern __shared__ float4 quads[];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __pipeline_memcpy_async(quads + skew + threadIdx.x, in + i + shift, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[i] = quads[skew + threadIdx.x];
}

/* Through L1: useful for a tile that other blocks of the SM also read. */
extern "C" __global__ void stage16_async_l1(const float4 *in, float4 *out, unsigned n, unsigned shift, unsigned skew) {
    extern __shared__ float4 quads[];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned to = (unsigned)__cvta_generic_to_shared(quads + skew + threadIdx.x);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + i + shift) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[i] = quads[skew + threadIdx.x];
}
