/* Loads and stores with cache operators, state spaces, the C library of the device. */
#include <cuda_runtime.h>
#include <assert.h>
#include <stdio.h>
#include "results.cuh"

#define ROUND_TRIP(type)                                         \
    {                                                            \
        const type *from = (const type *)in + thread;            \
        type *to = (type *)(out + 400u * threads + 4 * thread);  \
        PUT(__ldg(from)), PUT(__ldca(from)), PUT(__ldcg(from));  \
        PUT(__ldcs(from)), PUT(__ldlu(from)), PUT(__ldcv(from)); \
        __stwb(to, *from), PUT(*to);                             \
        __stcg(to, from[1]), PUT(*to);                           \
        __stcs(to, from[2]), PUT(*to);                           \
        __stwt(to, from[3]), PUT(*to);                           \
    }
/* The operand buffer has to hold 128 bytes more than the operands. */
KERNEL(scalars) {
    OPERANDS;
    ROUND_TRIP(char)
    ROUND_TRIP(signed char)
    ROUND_TRIP(unsigned char)
    ROUND_TRIP(short)
    ROUND_TRIP(unsigned short)
    ROUND_TRIP(int)
    ROUND_TRIP(unsigned int)
    PUT(a + b + c);
}
KERNEL(doublewords) {
    OPERANDS;
    ROUND_TRIP(long)
    ROUND_TRIP(unsigned long)
    ROUND_TRIP(long long)
    ROUND_TRIP(unsigned long long)
    ROUND_TRIP(float)
    ROUND_TRIP(double)
    PUT(a + b + c);
}
#undef ROUND_TRIP
/* Vectors start at the front of the block's operands, so that they are aligned and stay inside. */
#define ROUND_TRIP(type)                                                                     \
    {                                                                                        \
        const type *from = (const type *)in + thread % (3 * 4 * threads / sizeof(type) - 1); \
        type *to = (type *)(out + 400u * threads + 4 * thread);                              \
        PUT(__ldg(from)), PUT(__ldca(from)), PUT(__ldcg(from));                              \
        PUT(__ldcs(from)), PUT(__ldlu(from)), PUT(__ldcv(from));                             \
        __stwb(to, *from), PUT(*to);                                                         \
        __stcg(to, from[1]), PUT(*to);                                                       \
        __stcs(to, *from), PUT(*to);                                                         \
        __stwt(to, from[1]), PUT(*to);                                                       \
    }
KERNEL(pairs) {
    OPERANDS;
    ROUND_TRIP(char2)
    ROUND_TRIP(uchar2)
    ROUND_TRIP(short2)
    ROUND_TRIP(ushort2)
    ROUND_TRIP(int2)
    ROUND_TRIP(uint2)
    ROUND_TRIP(float2)
    PUT(a + b + c);
}
KERNEL(long_pairs) {
    OPERANDS;
    ROUND_TRIP(longlong2)
    ROUND_TRIP(ulonglong2)
    ROUND_TRIP(double2)
    PUT(a + b + c);
}
KERNEL(quads) {
    OPERANDS;
    ROUND_TRIP(char4)
    ROUND_TRIP(uchar4)
    ROUND_TRIP(short4)
    ROUND_TRIP(ushort4)
    ROUND_TRIP(int4)
    ROUND_TRIP(uint4)
    ROUND_TRIP(float4)
    PUT(a + b + c);
}

__constant__ unsigned int table[4] = {1, 2, 3, 4};
__device__ unsigned int counter = 5;
KERNEL(spaces) {
    OPERANDS;
    __shared__ unsigned int tile[128];
    unsigned int local[4] = {a, b, c, 4};
    tile[threadIdx.x] = local[a & 3];
    unsigned int *shared = (unsigned int *)__cvta_shared_to_generic(__cvta_generic_to_shared(&tile[threadIdx.x]));
    unsigned int *global = (unsigned int *)__cvta_global_to_generic(__cvta_generic_to_global(out));
    unsigned int *near = (unsigned int *)__cvta_local_to_generic(__cvta_generic_to_local(&local[b & 3]));
    const unsigned int *fixed = (const unsigned int *)__cvta_constant_to_generic(__cvta_generic_to_constant(&table[1]));
    PUT(*shared), PUT(*near), PUT(*fixed), PUT(global == out ? 1 : 0);
    PUT(__isShared(shared)), PUT(__isGlobal(shared)), PUT(__isGlobal(out)), PUT(__isLocal(near)),
        PUT(__isConstant(fixed));
    PUT(__isShared(out)), PUT(__isLocal(out)), PUT(__isConstant(out)), PUT(__isGlobal(&counter)), PUT(counter);
#if __CUDA_ARCH__ >= 900
    PUT(__isClusterShared(shared));
#endif
}
struct parameters {
    unsigned int values[4];
};
extern "C" __global__ void grid_constant(const __grid_constant__ parameters p, unsigned int *out) {
    out[threadIdx.x] = p.values[threadIdx.x & 3];
}
extern "C" __global__ void grid_constant_space(const __grid_constant__ parameters p, unsigned int *out) {
    const void *back = __cvta_grid_constant_to_generic(__cvta_generic_to_grid_constant(&p));
    out[threadIdx.x] = __isGridConstant(&p) + (back == (const void *)&p);
}

KERNEL(library) {
    OPERANDS;
    unsigned char bytes[8], copy[8];
    memset(bytes, (int)(a & 0x7f), sizeof(bytes));
    bytes[b & 7] = (unsigned char)c;
    memcpy(copy, bytes, sizeof(copy));
    PUT(copy[a & 7]), PUT(copy[b & 7]);
    unsigned int *heap = (unsigned int *)malloc(16);
    if (heap) heap[0] = a;
    PUT(heap ? heap[0] : a);
    free(heap);
    assert(threads != 0);
    if (a == 0xffffffffu && b == a) printf("%u %f %s\n", a, (double)FB, "text");
}
