/* Every atomic function on global and on shared memory. Launched with one thread a result word: see run order in
 * each kernel; only results that do not depend on the order of threads are put. */
#include <cuda_runtime.h>
#include "results.cuh"

#define SCOPES(name, type, value)                          \
    {                                                      \
        type *own = (type *)cell;                          \
        *own = (type)start;                                \
        PUT(name(own, (type)(value))), PUT(*own);          \
        PUT(name##_block(own, (type)(value))), PUT(*own);  \
        PUT(name##_system(own, (type)(value))), PUT(*own); \
        type *mine = (type *)&shared[2 * threadIdx.x];     \
        *mine = (type)start;                               \
        PUT(name(mine, (type)(value))), PUT(*mine);        \
    }
#define CAS(type)                                                   \
    {                                                               \
        type *own = (type *)cell;                                   \
        *own = (type)start;                                         \
        PUT(atomicCAS(own, (type)start, (type)b)), PUT(*own);       \
        PUT(atomicCAS_block(own, (type)start, (type)c)), PUT(*own); \
        PUT(atomicCAS_system(own, (type)b, (type)a)), PUT(*own);    \
    }
/* Each thread has 16 bytes of its own behind the rows of results. */
KERNEL(own_words) {
    OPERANDS;
    __shared__ unsigned int shared[2 * 128];
    unsigned int *cell = out + 400u * threads + 4 * thread;
    const unsigned int start = c;
    SCOPES(atomicAdd, int, a)
    SCOPES(atomicAdd, unsigned int, a)
    SCOPES(atomicAdd, float, a & 0xff)
    SCOPES(atomicSub, int, a)
    SCOPES(atomicSub, unsigned int, a)
    SCOPES(atomicExch, int, a)
    SCOPES(atomicExch, unsigned int, a)
    SCOPES(atomicExch, float, a & 0xff)
    SCOPES(atomicMin, int, a)
    SCOPES(atomicMin, unsigned int, a)
    SCOPES(atomicMax, int, a)
    SCOPES(atomicMax, unsigned int, a)
    SCOPES(atomicInc, unsigned int, a)
    SCOPES(atomicDec, unsigned int, a)
    SCOPES(atomicAnd, int, a)
    SCOPES(atomicAnd, unsigned int, a)
    SCOPES(atomicOr, int, a)
    SCOPES(atomicOr, unsigned int, a)
    SCOPES(atomicXor, int, a)
    SCOPES(atomicXor, unsigned int, a)
    CAS(int)
    CAS(unsigned int)
    unsigned short *half = (unsigned short *)cell;
    *half = (unsigned short)start;
    PUT(atomicCAS(half, (unsigned short)start, (unsigned short)b)), PUT(*half);
}
KERNEL(own_doublewords) {
    OPERANDS;
    __shared__ alignas(8) unsigned int shared[2 * 128];
    unsigned int *cell = out + 400u * threads + 4 * thread;
    const unsigned long long start = LB;
    SCOPES(atomicAdd, unsigned long long, LA)
    SCOPES(atomicAdd, double, a)
    SCOPES(atomicExch, unsigned long long, LA)
    SCOPES(atomicMin, long long, LA)
    SCOPES(atomicMin, unsigned long long, LA)
    SCOPES(atomicMax, long long, LA)
    SCOPES(atomicMax, unsigned long long, LA)
    SCOPES(atomicAnd, unsigned long long, LA)
    SCOPES(atomicOr, unsigned long long, LA)
    SCOPES(atomicXor, unsigned long long, LA)
    CAS(unsigned long long)
}
#if __CUDA_ARCH__ >= 900
KERNEL(own_vectors) {
    OPERANDS;
    float4 *cell = (float4 *)(out + 400u * threads) + thread;
    *cell = make_float4(1, 2, 3, 4);
    PUT(atomicAdd((float2 *)cell, make_float2(a & 7, b & 7)));
    PUT(atomicAdd(cell, make_float4(a & 7, b & 7, c & 7, 1)));
    PUT(*cell);
}
#endif
KERNEL(all_to_one) {
    OPERANDS;
    __shared__ unsigned int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, a);
    atomicMax(out + 400u * threads, b);
    __syncthreads();
    PUT(sum);
}
