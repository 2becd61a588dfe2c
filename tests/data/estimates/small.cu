/* Small launches whose time is latency, synchronisation, atomics or partial writes: what estimates are made from. */
#include <cuda_runtime.h>

extern "C" {

__global__ void empty(unsigned *out) {
    if (out == nullptr) asm volatile("trap;");
}
/* One thread of each block follows a chain through memory, `step` words long at each hop. */
__global__ void chase(const unsigned *in, unsigned *out, unsigned words, unsigned step, int hops) {
    if (threadIdx.x) return;
    unsigned at = blockIdx.x * 4096 & (words - 1);
    for (int k = 0; k < hops; k++) at = (at + step + in[at]) & (words - 1); /* of zeros */
    out[blockIdx.x] = at;
}
__global__ void chase_shared(unsigned *out, int hops) {
    __shared__ unsigned s[256];
    s[threadIdx.x] = (threadIdx.x * 5 + 3) & 255;
    __syncthreads();
    unsigned at = threadIdx.x;
    for (int k = 0; k < hops; k++) at = s[at];
    out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
__global__ void chain_fma(float *out, float a, int steps) {
    float v = threadIdx.x;
    for (int k = 0; k < steps; k++) v = fmaf(v, a, 1.0f);
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
__global__ void chain_eight(float *out, float a, int steps) {
    float v[8];
    for (int j = 0; j < 8; j++) v[j] = threadIdx.x + j;
    for (int k = 0; k < steps; k++)
        for (int j = 0; j < 8; j++) v[j] = fmaf(v[j], a, 1.0f);
    for (int j = 1; j < 8; j++) v[0] += v[j];
    out[blockIdx.x * blockDim.x + threadIdx.x] = v[0];
}
__global__ void chain_double(double *out, double a, int steps) {
    double v = threadIdx.x;
    for (int k = 0; k < steps; k++) v = fma(v, a, 1.0);
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
__global__ void chain_special(float *out, int steps) {
    float v = 1.0f + threadIdx.x;
    for (int k = 0; k < steps; k++) v = __fsqrt_rn(v) + __sinf(v);
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
__global__ void chain_integer(unsigned *out, unsigned m, int steps) {
    unsigned v = threadIdx.x;
    for (int k = 0; k < steps; k++) v = (v * 1664525u + 1013904223u) % m;
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
__global__ void shuffles(unsigned *out, int steps) {
    unsigned v = threadIdx.x;
    for (int k = 0; k < steps; k++) v += __shfl_xor_sync(0xffffffff, v, 1 + (k & 15));
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
__global__ void barriers(unsigned *out, int steps) {
    unsigned v = threadIdx.x;
    for (int k = 0; k < steps; k++) {
        __syncthreads();
        v = v * 3 + 1;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
__global__ void reduce_block(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[1024];
    s[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    for (unsigned half = blockDim.x / 2; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
    }
    if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
/* Address number (thread * a + block * b) & mask, `stride` words apart. */
__global__ void reductions(unsigned *out, int mask, int stride, int a, int b, int times) {
    unsigned at = (threadIdx.x * a + blockIdx.x * b) & mask;
    for (int k = 0; k < times; k++) atomicAdd(out + at * stride, threadIdx.x + 1);
}
__global__ void reductions_float(float *out, int mask, int stride, int a, int b, int times) {
    unsigned at = (threadIdx.x * a + blockIdx.x * b) & mask;
    for (int k = 0; k < times; k++) atomicAdd(out + at * stride, 1.0f);
}
__global__ void atomics(unsigned *out, unsigned *result, int mask, int stride, int a, int b, int times) {
    unsigned at = (threadIdx.x * a + blockIdx.x * b) & mask, sum = 0;
    for (int k = 0; k < times; k++) sum += atomicAdd(out + at * stride, sum + 1);
    if (sum == 0x12345) *result = sum;
}
__global__ void atomics_shared(unsigned *out, int mask, int times) {
    __shared__ unsigned s[1024];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < times; k++) atomicAdd(s + ((threadIdx.x + k) & mask), threadIdx.x);
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x];
}
/* Words `stride` apart, in order, or strewn. */
__global__ void write_stride(unsigned *out, int stride) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    out[i * stride] = (unsigned)i;
}
__global__ void write_strewn(unsigned *out, unsigned factor, unsigned mask) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[(i * factor) & mask] = i;
}
__global__ void read_strewn(const unsigned *in, unsigned *out, unsigned factor, unsigned mask) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[(i * factor) & mask];
}
__global__ void read_only(const uint4 *in, unsigned *out, int times) {
    size_t i = (size_t)blockIdx.x * blockDim.x * times + threadIdx.x;
    unsigned sum = 0;
    for (int k = 0; k < times; k++) {
        uint4 v = in[i + (size_t)k * blockDim.x];
        sum += v.x ^ v.y ^ v.z ^ v.w;
    }
    if (sum == 0x12345) *out = sum;
}
__global__ void write_only(uint4 *out) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = make_uint4((unsigned)i, 1, 2, 3);
}
__global__ void copy(const uint4 *in, uint4 *out) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}
__global__ void copy_words(const unsigned *in, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}
__global__ void reread_l2(const uint4 *in, unsigned *out, unsigned mask, int times) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int k = 0; k < times; k++) {
        uint4 v = __ldcg(in + ((i + (unsigned)k * 7919u * 32u) & mask));
        sum += v.x ^ v.w;
    }
    if (sum == 0x12345) *out = sum;
}
__global__ void scan_block(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[2][1024];
    unsigned t = threadIdx.x, now = 0, i = blockIdx.x * blockDim.x + t;
    s[0][t] = in[i];
    for (unsigned d = 1; d < blockDim.x; d *= 2, now ^= 1) {
        __syncthreads();
        s[now ^ 1][t] = s[now][t] + (t >= d ? s[now][t - d] : 0);
    }
    out[i] = s[now][t];
}
__global__ void dot_rows(const float *a, const float *b, float *out, int n) {
    float sum = 0.0f;
    for (int k = threadIdx.x; k < n; k += blockDim.x) sum += a[blockIdx.x * n + k] * b[k];
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (threadIdx.x % 32 == 0) atomicAdd(out + blockIdx.x, sum);
}
__global__ void stencil(const float *in, float *out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
    out[y * n + x] = 0.25f * (in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x]);
}
__global__ void product_naive(const float *a, const float *b, float *c, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

} /* extern "C" */
