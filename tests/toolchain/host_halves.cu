/* Operators and functions of halves and bfloat16 numbers give the same on the host and in a kernel. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdio>

__host__ __device__ unsigned bits_of(__half x) {
    return __half_as_ushort(x);
}
__host__ __device__ unsigned bits_of(__nv_bfloat16 x) {
    return __bfloat16_as_ushort(x);
}

/* Mixes the results of all operations on a and b into a sum. */
template <class number> __host__ __device__ unsigned calculate(number a, number b, unsigned sum) {
    auto add = [&](number x) { sum = sum * 31 + bits_of(x); };
    add(a + b), add(a - b), add(a * b), add(a / b);
    add(a += b), add(a++), add(--b), add(a * b), add(-a), add(+b);
    add(__hmax(a, b)), add(__hmin(a, b)), add(__habs(a)), add(__hadd_sat(a, b)), add(__hmul_rn(a, b));
    return sum * 31 + (a < b) + 2 * (a == b) + 4 * __hgeu(a, b) + 8 * __hisnan(a);
}

__host__ __device__ unsigned convert(__half a, unsigned sum) {
    sum = sum * 31 + __half2int_rz(a);
    sum = sum * 31 + __half2ushort_rz(a);
    sum = sum * 31 + (unsigned)__half2ll_rz(a);
    sum = sum * 31 + bits_of(__int2half_ru((int)sum));
    sum = sum * 31 + bits_of(__ull2half_rd(sum & 0xffff));
    return sum * 31 + bits_of(__short2half_rz((short)sum));
}

__host__ __device__ bool is_finite(unsigned bits, unsigned exponents) {
    return (bits & exponents) != exponents;
}

__host__ __device__ unsigned mix(unsigned seed) {
    unsigned sum = seed, x = seed * 2654435761u;
    for (int i = 0; i < 64; i++) {
        x = x * 1664525u + 1013904223u;
        const unsigned short a = x >> 16, b = i % 8 ? x * 7 >> 16 : a ^ 1;
        if (is_finite(a, 0x7c00) && is_finite(b, 0x7c00)) {
            sum = calculate(__ushort_as_half(a), __ushort_as_half(b), sum);
            sum = convert(__ushort_as_half(a), sum);
        }
        if (is_finite(a, 0x7f80) && is_finite(b, 0x7f80))
            sum = calculate(__ushort_as_bfloat16(a), __ushort_as_bfloat16(b), sum);
    }
    return sum;
}

__global__ void mix_all(unsigned *out) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = mix(i);
}

int main() {
    static unsigned sums[2048];
    unsigned *out, different = 0;
    cudaMalloc(&out, sizeof sums);
    mix_all<<<8, 256>>>(out);
    cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost);
    for (unsigned i = 0; i < 2048; i++) different += sums[i] != mix(i);
    printf("%u different\n", different);
    return different != 0;
}
