/* Atomics and reductions: every type and operation, global and shared, one address to one for each lane. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define T threadIdx.x
#define I (blockIdx.x * blockDim.x + threadIdx.x)

extern "C" {

/* ---- without a result: lane l works on element (l / divide * stride) & mask ---- */
#define AT(divide, stride, mask) (((T / (divide)) * (stride)) & (mask))
#define RED(name, type, operation)                                                           \
    __global__ void red_##name(type *out, const type *in, int divide, int stride, int mask) { \
        operation(out + AT(divide, stride, mask), in[T]);                                    \
    }
#define ATOM(name, type, operation)                                                                     \
    __global__ void atom_##name(type *out, const type *in, type *old, int divide, int stride, int mask) { \
        old[I] = operation(out + AT(divide, stride, mask), in[T]) == (type)77 ? (type)1 : (type)2;      \
    }
RED(add_u32, unsigned, atomicAdd)
RED(add_s32, int, atomicAdd)
RED(add_u64, unsigned long long, atomicAdd)
RED(min_s32, int, atomicMin)
RED(max_u32, unsigned, atomicMax)
RED(max_u64, unsigned long long, atomicMax)
RED(and_u32, unsigned, atomicAnd)
RED(or_u32, unsigned, atomicOr)
RED(xor_u32, unsigned, atomicXor)
RED(inc_u32, unsigned, atomicInc)
ATOM(add_u32, unsigned, atomicAdd)
ATOM(add_u64, unsigned long long, atomicAdd)
ATOM(max_s32, int, atomicMax)
ATOM(min_u64, unsigned long long, atomicMin)
ATOM(or_u32, unsigned, atomicOr)
ATOM(exch_u32, unsigned, atomicExch)

/* Ones only: sums of floats do not depend on the order then. */
__global__ void red_add_f32(float *out, int divide, int stride, int mask) { atomicAdd(out + AT(divide, stride, mask), 1.0f); }
__global__ void red_add_f64(double *out, int divide, int stride, int mask) { atomicAdd(out + AT(divide, stride, mask), 1.0); }
__global__ void red_add_f16x2(__half2 *out, int divide, int stride, int mask) {
    atomicAdd(out + AT(divide, stride, mask), __floats2half2_rn(1.0f, 2.0f));
}
__global__ void red_add_bf16(__nv_bfloat16 *out, int divide, int stride, int mask) {
    atomicAdd(out + AT(divide, stride, mask), __float2bfloat16(1.0f));
}
__global__ void red_add_v4(float4 *out, int divide, int stride, int mask) {
    atomicAdd(out + AT(divide, stride, mask), make_float4(1, 2, 3, 4));
}
__global__ void red_add_v2(float2 *out, int divide, int stride, int mask) {
    atomicAdd(out + AT(divide, stride, mask), make_float2(1, 2));
}
__global__ void atom_add_f32(float *out, float *old, int divide, int stride, int mask) {
    old[I] = atomicAdd(out + AT(divide, stride, mask), 1.0f) < 0.0f ? 1.0f : 2.0f;
}
__global__ void atom_cas_u32(unsigned *out, unsigned *old, int divide, int stride, int mask) {
    old[I] = atomicCAS(out + AT(divide, stride, mask), 0u, 5u) > 5u;
}
__global__ void atom_cas_u64(unsigned long long *out, unsigned *old, int divide, int stride, int mask) {
    old[I] = atomicCAS(out + AT(divide, stride, mask), 0ull, 5ull) > 5ull;
}
__global__ void red_system(unsigned *out, int mask) { atomicAdd_system(out + (T & mask), 1u); }
__global__ void red_block(unsigned *out, int mask) { atomicAdd_block(out + blockIdx.x * 32 + (T & mask), 1u); }
__global__ void red_some_lanes(unsigned *out, unsigned lanes, int stride) {
    if (lanes >> (T & 31) & 1) atomicAdd(out + (T & 31) * stride, T);
}
__global__ void red_uniform_some(unsigned *out, unsigned lanes) {
    if (lanes >> (T & 31) & 1) atomicAdd(out + blockIdx.x, T);
}
__global__ void red_random(unsigned *out, const unsigned *in, int n, int mask) {
    int i = I;
    if (i < n) atomicAdd(out + (in[i] & mask), 1u);
}
__global__ void red_random_f32(float *out, const unsigned *in, int n, int mask) {
    int i = I;
    if (i < n) atomicAdd(out + (in[i] & mask), 1.0f);
}
__global__ void cas_maximum(unsigned *out, const unsigned *in, int n) {
    int i = I;
    if (i >= n) return;
    unsigned v = in[i] >> 8, old = 0, seen;
    while (v > old && (seen = atomicCAS(out + (i & 63), old, v)) != old) old = seen;
}
__global__ void ticket(unsigned *counter, unsigned *out) {
    __shared__ unsigned mine;
    if (T == 0) mine = atomicAdd(counter, 1u);
    __syncthreads();
    out[I] = mine < gridDim.x;
}
__global__ void last_block(const float *in, float *part, float *out, unsigned *counter) {
    __shared__ bool last;
    float v = in[I];
    for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
    if ((T & 31) == 0) part[I / 32] = v;
    __threadfence();
    __syncthreads();
    if (T == 0) last = atomicAdd(counter, 1u) == gridDim.x - 1;
    __syncthreads();
    if (last && T == 0) {
        float s = 0.0f;
        for (unsigned k = 0; k < gridDim.x * blockDim.x / 32; k++) s += ((volatile float *)part)[k];
        *out = s;
    }
}
__global__ void aggregated(const unsigned *in, unsigned *out, int n) {
    int i = I;
    bool keep = i < n && (in[i] & 7) < 3;
    unsigned mask = __ballot_sync(0xffffffffu, keep);
    if (mask && (T & 31) == (unsigned)__ffs((int)mask) - 1) atomicAdd(out, (unsigned)__popc(mask));
}

/* ---- shared memory ---- */
#define SHARED(name, type, operation, value)                                                  \
    __global__ void shared_##name(type *out, int divide, int stride, int mask) {              \
        __shared__ type s[1024];                                                              \
        for (int k = T; k < 1024; k += blockDim.x) s[k] = (type)0;                            \
        __syncthreads();                                                                      \
        operation(s + AT(divide, stride, mask), value);                                       \
        __syncthreads();                                                                      \
        out[T] = s[T];                                                                        \
    }
SHARED(add_u32, unsigned, atomicAdd, 1u)
SHARED(max_s32, int, atomicMax, (int)T)
SHARED(xor_u32, unsigned, atomicXor, T)
SHARED(inc_u32, unsigned, atomicInc, 100u)
SHARED(add_f32, float, atomicAdd, 1.0f)
SHARED(add_f64, double, atomicAdd, 1.0)
SHARED(add_u64, unsigned long long, atomicAdd, 1ull)
SHARED(max_u64, unsigned long long, atomicMax, (unsigned long long)T)
__global__ void shared_exch_u32(unsigned *out, int divide, int stride, int mask) {
    __shared__ unsigned s[1024];
    for (int k = T; k < 1024; k += blockDim.x) s[k] = 7;
    __syncthreads();
    unsigned old = atomicExch(s + AT(divide, stride, mask), 7u);
    __syncthreads();
    out[T] = s[T] + old;
}
__global__ void shared_cas_u32(unsigned *out, int divide, int stride, int mask) {
    __shared__ unsigned s[1024];
    for (int k = T; k < 1024; k += blockDim.x) s[k] = 0;
    __syncthreads();
    atomicCAS(s + AT(divide, stride, mask), 0u, 3u);
    __syncthreads();
    out[T] = s[T];
}
__global__ void shared_histogram(const unsigned *in, unsigned *out, int n, int shift) {
    __shared__ unsigned h[256];
    for (int k = T; k < 256; k += blockDim.x) h[k] = 0;
    __syncthreads();
    for (int i = I; i < n; i += gridDim.x * blockDim.x) atomicAdd(&h[in[i] >> shift & 255], 1u);
    __syncthreads();
    for (int k = T; k < 256; k += blockDim.x)
        if (h[k]) atomicAdd(out + k, h[k]);
}
__global__ void shared_returned(const unsigned *in, unsigned *out) {
    __shared__ unsigned next;
    if (T == 0) next = 0;
    __syncthreads();
    unsigned at = 0;
    if (in[I] & 1) at = atomicAdd(&next, 1u) + 1;
    __syncthreads();
    out[I] = (at != 0) + next * 2;
}

} /* extern "C" */
