// Numbers of fewer bits: conversion to int8, from int4, to and from fp8.

// Rows to int8 with the row's scale; a block a row.
KERNEL to_int8__bytes(signed char *y, float *scale, const float *x, int columns) {
    __shared__ float most;
    const float *row = x + (size_t)blockIdx.x * columns;
    float m = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) m = fmaxf(m, fabsf(row[i]));
    if (threadIdx.x == 0) most = 0;
    __syncthreads();
    atomicMax((int *)&most, __float_as_int(m));
    __syncthreads();
    m = 127 / most;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) y[(size_t)blockIdx.x * columns + i] = (signed char)rintf(row[i] * m);
    if (threadIdx.x == 0) scale[blockIdx.x] = 1 / m;
}

KERNEL to_int8__words(int *y, float *scale, const float4 *x, int columns) {
    __shared__ float most;
    const float4 *row = x + (size_t)blockIdx.x * columns / 4;
    float m = 0;
    for (int i = threadIdx.x; i < columns / 4; i += blockDim.x) m = fmaxf(fmaxf(fmaxf(m, fabsf(row[i].x)), fabsf(row[i].y)), fmaxf(fabsf(row[i].z), fabsf(row[i].w)));
    if (threadIdx.x == 0) most = 0;
    __syncthreads();
    for (int k = 16; k; k /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, k));
    if (threadIdx.x % 32 == 0) atomicMax((int *)&most, __float_as_int(m));
    __syncthreads();
    m = 127 / most;
    for (int i = threadIdx.x; i < columns / 4; i += blockDim.x) {
        const float4 v = row[i];
        const int a = __float2int_rn(v.x * m), b = __float2int_rn(v.y * m), c = __float2int_rn(v.z * m), d = __float2int_rn(v.w * m);
        y[(size_t)blockIdx.x * columns / 4 + i] = (a & 255) | (b & 255) << 8 | (c & 255) << 16 | d << 24;
    }
    if (threadIdx.x == 0) scale[blockIdx.x] = 1 / m;
}

// 4-bit weights in groups of 64 to halves.
KERNEL from_int4__one(__half *y, const unsigned *x, const __half *scale, int words) {
    const int i = THREAD;
    if (i >= words) return;
    const unsigned v = x[i];
    const float s = __half2float(scale[i / 8]);
    for (int k = 0; k < 8; k++) y[i * 8 + k] = __float2half(((int)(v >> 4 * k & 15) - 8) * s);
}

KERNEL from_int4__whole(int4 *y, const unsigned *x, const __half *scale, int words) {
    const int i = THREAD;
    if (i >= words) return;
    const unsigned v = x[i];
    const __half2 s = __half2half2(scale[i / 8]);
    __half2 o[4];
    for (int k = 0; k < 4; k++) o[k] = __hmul2(__halves2half2(__int2half_rn((int)(v >> 8 * k & 15) - 8), __int2half_rn((int)(v >> (8 * k + 4) & 15) - 8)), s);
    y[i] = *(int4 *)o;
}

KERNEL fp8__there(unsigned *y, const float4 *x, float scale, int n) {
    const int i = THREAD;
    if (i >= n) return;
    const float4 v = x[i];
    const __nv_fp8x2_storage_t a = __nv_cvt_float2_to_fp8x2(make_float2(v.x * scale, v.y * scale), __NV_SATFINITE, __NV_E4M3);
    const __nv_fp8x2_storage_t b = __nv_cvt_float2_to_fp8x2(make_float2(v.z * scale, v.w * scale), __NV_SATFINITE, __NV_E4M3);
    y[i] = a | (unsigned)b << 16;
}

KERNEL fp8__back(float4 *y, const unsigned *x, float scale, int n) {
    const int i = THREAD;
    if (i >= n) return;
    const unsigned v = x[i];
    const __half2_raw a = __nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)(v & 0x3f3f), __NV_E4M3), b = __nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)(v >> 16 & 0x3f3f), __NV_E4M3);
    const float2 f = __half22float2(__half2(a)), g = __half22float2(__half2(b));
    y[i] = make_float4(f.x * scale, f.y * scale, g.x * scale, g.y * scale);
}
