// Kernels that real code has, in variants, of other kinds than those of ../variants; each header has those of one kind. A
// kernel's name is what it does, two underscores, and its variant. launches.py has the launches.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <stdint.h>

#define KERNEL extern "C" __global__ void
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)

__device__ __forceinline__ float sum_of_warp(float v) {
    for (int k = 16; k; k /= 2) v += __shfl_down_sync(~0u, v, k);
    return __shfl_sync(~0u, v, 0);
}

__device__ __forceinline__ float sum_of_block(float v) {
    __shared__ float room[33];
    v = sum_of_warp(v);
    if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = sum_of_warp(threadIdx.x < blockDim.x / 32 ? room[threadIdx.x] : 0);
        if (threadIdx.x == 0) room[32] = v;
    }
    __syncthreads();
    v = room[32];
    __syncthreads();
    return v;
}

#include "layers.cuh"
#include "products.cuh"
#include "fewer_bits.cuh"
#include "methods.cuh"
#include "sparse.cuh"
#include "order.cuh"
#include "texts.cuh"
#include "images.cuh"
