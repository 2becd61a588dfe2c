/* The pipeline and mbarrier primitives. */
#include <cuda_pipeline.h>
#include "results.cuh"

KERNEL(copies) {
    OPERANDS;
    __shared__ alignas(16) unsigned int tile[4 * 128];
    const unsigned int t = 4 * threadIdx.x, from = 4 * (thread % (threads / 2));
    __pipeline_memcpy_async(&tile[t], in + from, 4);
    __pipeline_memcpy_async(&tile[t + 2], in + from, 8);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    PUT(tile[t]), PUT(tile[t + 2]), PUT(tile[t + 3]);
    __pipeline_memcpy_async(&tile[t], in + from, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    PUT(tile[t]), PUT(tile[t + 1]), PUT(tile[t + 2]), PUT(tile[t + 3]);
    __pipeline_memcpy_async(&tile[t], in + from, 16, (a & 1) ? 0 : 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    PUT(tile[t]), PUT(tile[t + 3]);
    __pipeline_memcpy_async(&tile[t], in + from, 16, b & 12);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __pipeline_wait_prior(0);
    PUT(tile[t]), PUT(tile[t + 1]), PUT(tile[t + 2]), PUT(tile[t + 3]);
    __pipeline_memcpy_async(&tile[t], in + from, 8, 4);
    __pipeline_memcpy_async(&tile[t + 2], in + from, 4, 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    PUT(tile[t]), PUT(tile[t + 1]), PUT(tile[t + 2]);
}
KERNEL(many_groups) {
    OPERANDS;
    __shared__ unsigned int tile[10][128];
#pragma unroll
    for (int i = 0; i < 10; i++) {
        __pipeline_memcpy_async(&tile[i][threadIdx.x], in + thread + i, 4);
        __pipeline_commit();
    }
#define WAIT(n) __pipeline_wait_prior(n), PUT(tile[9 - n][threadIdx.x])
    WAIT(8), WAIT(7), WAIT(6), WAIT(5), WAIT(4), WAIT(3), WAIT(2), WAIT(1), WAIT(0);
    PUT(a + b + c);
}
KERNEL(barrier_copy) {
    OPERANDS;
    __shared__ unsigned int tile[128];
    __shared__ __mbarrier_t barrier;
    if (threadIdx.x == 0) __mbarrier_init(&barrier, blockDim.x);
    __syncthreads();
    __pipeline_memcpy_async(&tile[threadIdx.x], in + thread, 4);
    __pipeline_arrive_on(&barrier);
    const __mbarrier_token_t token = __mbarrier_arrive(&barrier);
    while (!__mbarrier_test_wait(&barrier, token)) {
    }
    PUT(tile[127 - threadIdx.x]);
    PUT(__mbarrier_maximum_count() + a + b + c);
    __syncthreads();
    if (threadIdx.x == 0) __mbarrier_inval(&barrier);
}
KERNEL(barrier_tokens) {
    OPERANDS;
    __shared__ __mbarrier_t barrier, lone;
    if (threadIdx.x == 0) {
        __mbarrier_init(&barrier, blockDim.x);
        __mbarrier_init(&lone, 5);
        PUT(__mbarrier_token_pending_count(__mbarrier_arrive(&lone)));
        PUT(__mbarrier_token_pending_count(__mbarrier_arrive(&lone)));
    } else {
        PUT(a), PUT(b);
    }
    __syncthreads();
    const __mbarrier_token_t first = __mbarrier_arrive(&barrier);
    while (!__mbarrier_test_wait(&barrier, first)) {
    }
    __syncthreads();
    if (threadIdx.x >= 64) {
        __mbarrier_arrive_and_drop(&barrier);
    } else {
        const __mbarrier_token_t second = __mbarrier_arrive(&barrier);
        while (!__mbarrier_test_wait(&barrier, second)) {
        }
    }
    PUT(a + b + c);
}
#if __CUDA_ARCH__ >= 900
KERNEL(barrier_parity) {
    OPERANDS;
    __shared__ __mbarrier_t barrier;
    if (threadIdx.x == 0) __mbarrier_init(&barrier, blockDim.x);
    __syncthreads();
    for (unsigned int i = 0; i < 4; i++) {
        const __mbarrier_token_t token = __mbarrier_arrive(&barrier);
        if (i & 2) {
            while (!__mbarrier_try_wait_parity(&barrier, i & 1, 100)) {
            }
            while (!__mbarrier_test_wait_parity(&barrier, i & 1)) {
            }
        } else {
            while (!__mbarrier_try_wait(&barrier, token, 100)) {
            }
        }
        __syncthreads();
    }
    PUT(a + b + c);
}
#endif
