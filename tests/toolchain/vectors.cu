/* Every vector type: size, alignment, maker, members; dim3; the launch variables. */
#include <cuda_runtime.h>
#include "results.cuh"

#define LAYOUT(type, bytes, alignment)           \
    static_assert(sizeof(type) == bytes, #type); \
    static_assert(alignof(type) == alignment, #type);
#define FAMILY(name, scalar, size, align2, align4)                                     \
    LAYOUT(name##1, size, size)                                                        \
    LAYOUT(name##2, 2 * size, align2)                                                  \
    LAYOUT(name##3, 3 * size, size)                                                    \
    LAYOUT(name##4, 4 * size, align4)                                                  \
    KERNEL(make_##name) {                                                              \
        OPERANDS;                                                                      \
        const scalar x = (scalar)a, y = (scalar)b, z = (scalar)c, w = (scalar)(a ^ b); \
        PUT(make_##name##1(x));                                                        \
        PUT(make_##name##2(x, y));                                                     \
        PUT(make_##name##3(x, y, z));                                                  \
        PUT(make_##name##4(x, y, z, w));                                               \
        name##4 v = {x, y, z, w}, u;                                                   \
        u = v;                                                                         \
        u.x = v.w;                                                                     \
        name##4 t = u;                                                                 \
        t.y = v.x;                                                                     \
        PUT(u);                                                                        \
        PUT(t);                                                                        \
    }
FAMILY(char, signed char, 1, 2, 4)
FAMILY(uchar, unsigned char, 1, 2, 4)
FAMILY(short, short, 2, 4, 8)
FAMILY(ushort, unsigned short, 2, 4, 8)
FAMILY(int, int, 4, 8, 16)
FAMILY(uint, unsigned int, 4, 8, 16)
FAMILY(longlong, long long, 8, 16, 16)
FAMILY(ulonglong, unsigned long long, 8, 16, 16)
FAMILY(long, long, 8, 16, 16)
FAMILY(ulong, unsigned long, 8, 16, 16)
FAMILY(float, float, 4, 8, 16)
FAMILY(double, double, 8, 16, 16)

#if CUDART_VERSION >= 13000 || defined(HAUL_TOOLCHAIN_VECTOR_TYPES_H)
LAYOUT(double4_16a, 32, 16)
LAYOUT(double4_32a, 32, 32)
LAYOUT(long4_16a, 32, 16)
LAYOUT(ulonglong4_32a, 32, 32)
KERNEL(make_wide) {
    OPERANDS;
    PUT(make_double4_16a(a, b, c, 1.0));
    PUT(make_double4_32a(a, b, c, 1.0));
    PUT(make_long4_16a(a, b, c, 1));
    PUT(make_long4_32a(a, b, c, 1));
    PUT(make_ulong4_16a(a, b, c, 1));
    PUT(make_ulong4_32a(a, b, c, 1));
    PUT(make_longlong4_16a(a, b, c, 1));
    PUT(make_longlong4_32a(a, b, c, 1));
    PUT(make_ulonglong4_16a(a, b, c, 1));
    PUT(make_ulonglong4_32a(a, b, c, 1));
}
#endif

KERNEL(launch_variables) {
    OPERANDS;
    const uint3 t = threadIdx, g = blockIdx;
    const dim3 n = blockDim, m(gridDim), one, two(b & 7, c & 7), from(t);
    PUT(t);
    PUT(g);
    PUT(n.x + 100 * n.y + 10000 * n.z);
    PUT(m.x + 100 * m.y + 10000 * m.z);
    PUT(one.x + one.y + one.z + two.x + 10 * two.y + two.z + from.x);
    PUT(threadIdx.x + threadIdx.y + threadIdx.z + blockIdx.x + blockIdx.y + blockIdx.z);
    PUT(blockDim.x + blockDim.y + blockDim.z + gridDim.x + gridDim.y + gridDim.z);
    PUT(warpSize + a);
}

/* A copy from memory to memory has to move 16 bytes at a time: run.sh looks for it in the PTX. */
extern "C" __global__ void copy_float4(const float4 *in, float4 *out) {
    out[threadIdx.x] = in[threadIdx.x];
}
extern "C" __global__ void copy_double2(const double2 *__restrict__ in, double2 *out) {
    out[threadIdx.x] = in[threadIdx.x];
}
extern "C" __global__ void __launch_bounds__(128, 2) copy_shared(const int4 *in, int4 *out) {
    __shared__ alignas(128) int4 tile[128];
    extern __shared__ __align__(16) int4 more[];
    tile[threadIdx.x] = in[threadIdx.x];
    more[threadIdx.x] = in[threadIdx.x + 128];
    __syncthreads();
    out[threadIdx.x] = tile[127 - threadIdx.x];
    out[threadIdx.x + 128] = more[127 - threadIdx.x];
}
