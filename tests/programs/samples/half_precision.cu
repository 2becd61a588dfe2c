// Arithmetic in half precision and bfloat16: pairs, fused products, comparisons, conversions, and a dot product.
#include "sample.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void dot(const half2 *a, const half2 *b, int pairs, float *out) {
    half2 sum = __float2half2_rn(0);
    for (int i = threadIdx.x; i < pairs; i += 32) sum = __hfma2(a[i], b[i], sum);
    float both = __low2float(sum) + __high2float(sum);
    for (int distance = 16; distance > 0; distance /= 2) both += __shfl_xor_sync(~0u, both, distance);
    if (threadIdx.x == 0) *out = both;
}

__global__ void arithmetic(const float *x, float *out) {
    const half a = __float2half(x[0]), b = __float2half(x[1]);
    out[0] = __half2float(a + b);
    out[1] = __half2float(a * b);
    out[2] = __half2float(a / b);
    out[3] = __half2float(hsqrt(b));
    out[4] = __half2float(__hmax(a, __hneg(b)));
    out[5] = __half2float(__hadd_sat(a, b)); // cut to 1
    out[6] = __hgt(a, b) + 2 * __hlt(a, b) + 4 * __hisnan(__hdiv(__float2half(0), __float2half(0)));
    out[7] = (float)__half2int_rn(__float2half(2.5f)) + (float)__half2int_rz(__float2half(-7.75f)) / 16;
    out[8] = __half2float(__float2half(70000.f)) > 65504; // infinity
    const __nv_bfloat16 c = __float2bfloat16(x[0]), d = __float2bfloat16(x[1]);
    out[9] = __bfloat162float(c + d);
    out[10] = __bfloat162float(__hfma(c, d, c));
    out[11] = __bfloat162float(__float2bfloat16(257)); // 8 bits of fraction: rounded to 256
}

__global__ void add_all(half2 *sums) {
    atomicAdd(sums, __floats2half2_rn(1, 0.5f));
}

int main() {
    const int pairs = 100;
    half2 a[pairs], b[pairs], sums;
    float got = 0, want = 0, results[12];
    for (int i = 0; i < pairs; i++) {
        const float p = (float)draw(8), q = (float)draw(8) / 4, r = (float)draw(8), s = (float)draw(8) / 4;
        a[i] = __floats2half2_rn(p, q);
        b[i] = __floats2half2_rn(r, s);
        want += p * r + q * s; // exact, in half precision too
    }
    half2 *on_a = on_device(pairs, a), *on_b = on_device(pairs, b);
    float *out = on_device<float>(12);
    dot<<<1, 32>>>(on_a, on_b, pairs, out);
    to_host(&got, out, 1);
    printf("dot product: %g\n", got);
    expect("the dot product", got == want);

    const float x[] = {1.5f, 2.25f};
    const float expected[] = {3.75f, 3.375f, 0.66650390625f, 1.5f, 1.5f, 1, 6, 2 - 7 / 16.f, 1, 3.75f, 4.875f, 256};
    float *in = on_device(2, x);
    arithmetic<<<1, 1>>>(in, out);
    to_host(results, out, 12);
    for (int i = 0; i < 12; i++) {
        printf("%g%c", results[i], i < 11 ? ' ' : '\n');
        expect("arithmetic", results[i] == expected[i]);
    }
    CHECK(cudaMemset(on_a, 0, sizeof *on_a));
    add_all<<<4, 64>>>(on_a);
    to_host(&sums, on_a, 1);
    printf("added by atomics: %g %g\n", __low2float(sums), __high2float(sums));
    expect("atomics", __low2float(sums) == 256 && __high2float(sums) == 128);
    CHECK(cudaFree(on_a));
    CHECK(cudaFree(on_b));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return finish();
}
