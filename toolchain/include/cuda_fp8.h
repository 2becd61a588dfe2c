/* The 8-bit formats E4M3 (4 exponent bits, no infinity, largest number 448) and E5M2 (a half's upper byte). */
#ifndef HAUL_TOOLCHAIN_CUDA_FP8_H
#define HAUL_TOOLCHAIN_CUDA_FP8_H
#define __CUDA_FP8_H__ /* programs ask for it */

#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

/* Rounds to nearest, ties to even. A value that is too large becomes the largest number if it saturates, otherwise
 * E5M2's infinity or E4M3's NaN. */
HAUL_TC_BOTH __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturation,
                                                      __nv_fp8_interpretation_t format) {
    const int e4m3 = format == __NV_E4M3, fraction = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15;
    const unsigned int bits = haul_tc_bits<unsigned int>(x), magnitude = bits & 0x7fffffffu, sign = bits >> 24 & 0x80u;
    const unsigned int largest = e4m3 ? 0x7eu : 0x7bu, beyond = e4m3 ? 0x7fu : 0x7cu;
    if (magnitude > 0x7f800000u) return 0x7f;
    unsigned int code = largest + 1;
    if (magnitude < 0x7f800000u) {
        int exponent = (int)(magnitude >> 23) - 127 + bias, drop = 23 - fraction;
        if (exponent < 1) {
            drop = 1 - exponent > 26 - drop ? 26 : drop + 1 - exponent;
            exponent = 1;
        }
        const unsigned int significand = (magnitude & 0x7fffffu) | (magnitude >> 23 ? 0x800000u : 0u);
        const unsigned int kept = significand >> drop, rest = significand & ((1u << drop) - 1), half = 1u << (drop - 1);
        code = kept + (rest > half || (rest == half && (kept & 1))) + ((unsigned int)(exponent - 1) << fraction);
    }
    if (code > largest) code = saturation == __NV_SATFINITE ? largest : beyond;
    return (__nv_fp8_storage_t)(code | sign);
}
HAUL_TC_BOTH __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturation,
                                                       __nv_fp8_interpretation_t format) {
    return __nv_cvt_float_to_fp8(haul_tc_odd_float(x), saturation, format);
}
/* Every number of both formats is a float and a half. */
HAUL_TC_BOTH float haul_tc_fp8_float(__nv_fp8_storage_t x, __nv_fp8_interpretation_t format) {
    const int e4m3 = format == __NV_E4M3, fraction = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15;
    const unsigned int magnitude = x & 0x7fu, sign = (unsigned int)(x & 0x80u) << 24;
    unsigned int bits = (magnitude << (23 - fraction)) + ((127u - (unsigned int)bias) << 23);
    if (magnitude >> fraction == 0) {
        const float step = haul_tc_bits<float>((unsigned int)(128 - bias - fraction) << 23);
        bits = haul_tc_bits<unsigned int>((float)magnitude * step);
    } else if (e4m3 ? magnitude == 0x7f : magnitude > 0x7c) {
        bits = 0x7fffffffu;
    } else if (!e4m3 && magnitude == 0x7c) {
        bits = 0x7f800000u;
    }
    return haul_tc_bits<float>(bits | sign);
}
HAUL_TC_BOTH __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t format) {
    return __half_raw(__float2half(haul_tc_fp8_float(x, format)));
}
HAUL_TC_BOTH __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturation,
                                                        __nv_fp8_interpretation_t format) {
    return __nv_cvt_float_to_fp8(__half2float(__half(x)), saturation, format);
}
HAUL_TC_BOTH __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturation,
                                                            __nv_fp8_interpretation_t format) {
    return __nv_cvt_float_to_fp8(__bfloat162float(__nv_bfloat16(x)), saturation, format);
}
HAUL_TC_BOTH __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturation,
                                                           __nv_fp8_interpretation_t format) {
    return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_fp8(x.x, saturation, format) |
                                  __nv_cvt_float_to_fp8(x.y, saturation, format) << 8);
}
HAUL_TC_BOTH __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t format) {
    return __half2_raw(__half2(__half(__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, format)),
                               __half(__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), format))));
}

/* A number, and two and four of them packed, lowest byte first. */
#define HAUL_FP8(name, format)                                                                           \
    struct name {                                                                                        \
        __nv_fp8_storage_t __x;                                                                          \
        name() = default;                                                                                \
        __host__ __device__ HAUL_TC_INLINE explicit name(float x)                                        \
            : __x(__nv_cvt_float_to_fp8(x, __NV_SATFINITE, format)) {}                                   \
        __host__ __device__ HAUL_TC_INLINE explicit name(double x)                                       \
            : __x(__nv_cvt_double_to_fp8(x, __NV_SATFINITE, format)) {}                                  \
        __host__ __device__ HAUL_TC_INLINE explicit name(int x) : name((double)x) {}                     \
        __host__ __device__ HAUL_TC_INLINE explicit name(__half x) : name(__half2float(x)) {}            \
        __host__ __device__ HAUL_TC_INLINE explicit name(__nv_bfloat16 x) : name(__bfloat162float(x)) {} \
        __host__ __device__ HAUL_TC_INLINE explicit operator float() const {                             \
            return haul_tc_fp8_float(__x, format);                                                       \
        }                                                                                                \
        __host__ __device__ HAUL_TC_INLINE explicit operator double() const {                            \
            return haul_tc_fp8_float(__x, format);                                                       \
        }                                                                                                \
        __host__ __device__ HAUL_TC_INLINE explicit operator __half() const {                            \
            return __float2half(haul_tc_fp8_float(__x, format));                                         \
        }                                                                                                \
        __host__ __device__ HAUL_TC_INLINE explicit operator __nv_bfloat16() const {                     \
            return __float2bfloat16(haul_tc_fp8_float(__x, format));                                     \
        }                                                                                                \
    };
#define HAUL_FP8_PACKED(name, format, storage, vector)                       \
    struct __align__(sizeof(storage)) name {                                 \
        storage __x;                                                         \
        name() = default;                                                    \
        __host__ __device__ HAUL_TC_INLINE explicit name(vector x);          \
        __host__ __device__ HAUL_TC_INLINE explicit operator vector() const; \
    };
#define HAUL_FP8_BYTE(format, at) haul_tc_fp8_float((__nv_fp8_storage_t)(__x >> (8 * (at))), format)
#define HAUL_FP8_FORMAT(name, format)                                                                         \
    HAUL_FP8(__nv_fp8_##name, format)                                                                         \
    HAUL_FP8_PACKED(__nv_fp8x2_##name, format, __nv_fp8x2_storage_t, float2)                                  \
    HAUL_FP8_PACKED(__nv_fp8x4_##name, format, __nv_fp8x4_storage_t, float4)                                  \
    __host__ __device__ HAUL_TC_INLINE __nv_fp8x2_##name::__nv_fp8x2_##name(float2 x)                         \
        : __x(__nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, format)) {}                                         \
    __host__ __device__ HAUL_TC_INLINE __nv_fp8x2_##name::operator float2() const {                           \
        return make_float2(HAUL_FP8_BYTE(format, 0), HAUL_FP8_BYTE(format, 1));                               \
    }                                                                                                         \
    __host__ __device__ HAUL_TC_INLINE __nv_fp8x4_##name::__nv_fp8x4_##name(float4 x)                         \
        : __x(__nv_cvt_float2_to_fp8x2(make_float2(x.x, x.y), __NV_SATFINITE, format) |                       \
              (unsigned int)__nv_cvt_float2_to_fp8x2(make_float2(x.z, x.w), __NV_SATFINITE, format) << 16) {} \
    __host__ __device__ HAUL_TC_INLINE __nv_fp8x4_##name::operator float4() const {                           \
        return make_float4(HAUL_FP8_BYTE(format, 0), HAUL_FP8_BYTE(format, 1), HAUL_FP8_BYTE(format, 2),      \
                           HAUL_FP8_BYTE(format, 3));                                                         \
    }
HAUL_FP8_FORMAT(e4m3, __NV_E4M3)
HAUL_FP8_FORMAT(e5m2, __NV_E5M2)
#undef HAUL_FP8_FORMAT
#undef HAUL_FP8_BYTE
#undef HAUL_FP8_PACKED
#undef HAUL_FP8

#endif
