/* The 8-bit floating-point formats: out[code] of all 256 codes as floats, and of floats near them back as codes. */
#include <cuda_fp8.h>
#include "results.cuh"

template <class T> __device__ void both_ways(unsigned int a, unsigned int *out, unsigned int threads) {
    const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int row = 0;
    T code;
    code.__x = (unsigned char)thread;
    PUT((float)code), PUT(__half2float((__half)code));
    const float value = (float)code, between = value + __uint_as_float(a);
    PUT((unsigned int)T(value).__x), PUT((unsigned int)T(value * 1.0625f).__x),
        PUT((unsigned int)T(value * 1.125f).__x);
    PUT((unsigned int)T(value * 0.97f).__x), PUT((unsigned int)T((double)value * 1.0625000001).__x);
    PUT((unsigned int)T(between).__x), PUT((unsigned int)T(__uint_as_float(a)).__x);
}
KERNEL(e4m3) {
    both_ways<__nv_fp8_e4m3>(in[3 * (blockIdx.x * blockDim.x + threadIdx.x)], out, gridDim.x * blockDim.x);
}
KERNEL(e5m2) {
    both_ways<__nv_fp8_e5m2>(in[3 * (blockIdx.x * blockDim.x + threadIdx.x)], out, gridDim.x * blockDim.x);
}
KERNEL(packed) {
    OPERANDS;
    const float2 two = make_float2(FA, FB);
    PUT((unsigned int)__nv_fp8x2_e4m3(two).__x), PUT((unsigned int)__nv_fp8x2_e5m2(two).__x);
    const float4 back = (float4)__nv_fp8x4_e4m3(make_float4(FA, FB, FC, 0.5f));
    PUT(back.x), PUT(back.y), PUT(back.z), PUT(back.w);
    PUT((unsigned int)__nv_cvt_float_to_fp8(FA, __NV_NOSAT, __NV_E4M3));
    PUT((unsigned int)__nv_cvt_float_to_fp8(FB, __NV_NOSAT, __NV_E5M2));
}
