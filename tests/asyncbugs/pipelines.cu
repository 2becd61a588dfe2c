/* The C++ forms: cuda::pipeline, cuda::barrier, cuda::memcpy_async, cooperative groups. sm_80, bulk copies sm_90. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>

#include "asyncbugs.cuh"

namespace cg = cooperative_groups;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

/* The stage is read without consumer_wait(). */
KERNEL(no_consumer_wait) {
    __shared__ float s[128];
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(s + T, in + T, sizeof(float), pipe);
    pipe.producer_commit();
    if (FIXED) pipe.consumer_wait();
    out[T] = s[T]; /* BUG */
    if (!FIXED) pipe.consumer_wait();
    pipe.consumer_release();
}

/* The wait leaves the newest stage in flight, which is the one that is read. */
KERNEL(wait_prior_too_loose) {
    __shared__ float s[2][128];
    auto pipe = cuda::make_pipeline();
    for (int k = 0; k < 2; k++) {
        pipe.producer_acquire();
        cuda::memcpy_async(&s[k][T], in + 128 * k + T, sizeof(float), pipe);
        pipe.producer_commit();
    }
    cuda::pipeline_consumer_wait_prior<FIXED ? 0 : 1>(pipe);
    out[T] = s[0][T] + s[1][T]; /* BUG */
    cuda::pipeline_consumer_wait_prior<0>(pipe);
    pipe.consumer_release();
}

/* A thread's own pipeline, then data of other threads. */
KERNEL(pipeline_of_thread_without_barrier) {
    __shared__ float s[128];
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(s + T, in + T, sizeof(float), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    if (FIXED) __syncthreads();
    out[T] = s[127 - T]; /* BUG */
    pipe.consumer_release();
}

/* The stage is given back before it is read. */
KERNEL(consumer_release_before_read) {
    __shared__ float s[128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    for (int k = 0; k < 4; k++) {
        pipe.producer_acquire();
        cuda::memcpy_async(s + T, in + 128 * k + T, sizeof(float), pipe);
        pipe.producer_commit();
        pipe.consumer_wait();
        if (!FIXED) pipe.consumer_release();
        out[128 * k + T] = s[127 - T]; /* BUG */
        if (FIXED) pipe.consumer_release();
    }
}

/* The stage is never given back: the next consumer_wait() is one for the same stage again. */
KERNEL(no_consumer_release) {
    __shared__ float s[2][128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    for (int k = 0; k < 4; k++) {
        pipe.producer_acquire();
        cuda::memcpy_async(&s[k % 2][T], in + 128 * k + T, sizeof(float), pipe);
        pipe.producer_commit();
        pipe.consumer_wait();
        out[128 * k + T] = s[k % 2][127 - T]; /* BUG */
        if (FIXED) pipe.consumer_release();
    }
}

/* Producers that never commit: the consumers wait for the stage. */
KERNEL(no_producer_commit) {
    __shared__ float s[64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
    auto block = cg::this_thread_block();
    const auto role = T < 64 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(block, &state, role);
    if (T < 64) {
        pipe.producer_acquire();
        cuda::memcpy_async(s + T, in + T, sizeof(float), pipe);
        if (FIXED) pipe.producer_commit();
    } else {
        pipe.consumer_wait(); /* BUG */
        out[T] = s[127 - T];
        pipe.consumer_release();
    }
}

/* The barrier's copy is used without a wait for the barrier. */
KERNEL(memcpy_async_not_waited_for) {
    __shared__ float s[128];
    __shared__ block_barrier bar;
    if (T == 0) init(&bar, 128);
    __syncthreads();
    cuda::memcpy_async(s + T, in + T, sizeof(float), bar);
    if (FIXED) bar.arrive_and_wait();
    out[T] = s[127 - T]; /* BUG */
    if (!FIXED) bar.arrive_and_wait();
}

/* The barrier counts the threads of the block, and one warp arrives. */
KERNEL(cuda_barrier_count_too_large) {
    __shared__ float s[32];
    __shared__ block_barrier bar;
    if (T == 0) init(&bar, FIXED ? 32 : 128);
    __syncthreads();
    if (WARP == 0) {
        cuda::memcpy_async(s + T, in + T, sizeof(float), bar);
        bar.arrive_and_wait(); /* BUG */
        out[T] = s[31 - T];
    }
}

/* A token of the first phase serves as the second's. */
KERNEL(token_of_an_earlier_phase) {
    __shared__ float s[2][128];
    __shared__ block_barrier bar;
    if (T == 0) init(&bar, 128);
    __syncthreads();
    cuda::memcpy_async(&s[0][T], in + T, sizeof(float), bar);
    auto first = bar.arrive();
    while (!cuda::ptx::mbarrier_test_wait(cuda::device::barrier_native_handle(bar), first)) {
    }
    cuda::memcpy_async(&s[1][T], in + 128 + T, sizeof(float), bar);
    auto second = bar.arrive();
    while (!cuda::ptx::mbarrier_test_wait(cuda::device::barrier_native_handle(bar), FIXED ? second : first)) { /* BUG */
    }
    out[T] = s[0][T] + s[1][127 - T];
}

/* Only the thread that announces the bytes waits for them. */
KERNEL(one_thread_waits_for_bulk_copy) {
    __shared__ alignas(16) float s[128];
    __shared__ block_barrier bar;
    if (T == 0) {
        init(&bar, 1);
        fence_barrier_init();
    }
    __syncthreads();
    if (T == 0) {
        cuda::device::memcpy_async_tx(s, in, cuda::aligned_size_t<16>(512), bar);
        bar.wait(cuda::device::barrier_arrive_tx(bar, 1, 512));
    }
    if (FIXED) __syncthreads();
    out[T] = s[127 - T]; /* BUG */
}

/* The arrival announces elements in place of bytes. */
KERNEL(arrive_tx_in_elements) {
    __shared__ alignas(16) float s[128];
    __shared__ block_barrier bar;
    if (T == 0) {
        init(&bar, 128);
        fence_barrier_init();
    }
    __syncthreads();
    if (T == 0) {
        cuda::device::memcpy_async_tx(s, in, cuda::aligned_size_t<16>(512), bar);
        bar.wait(cuda::device::barrier_arrive_tx(bar, 1, FIXED ? 512 : 128)); /* BUG */
    } else
        bar.arrive_and_wait();
    out[T] = s[127 - T];
}

/* The group's copy is used without cg::wait(). */
KERNEL(group_copy_not_waited_for) {
    __shared__ alignas(16) float s[128];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, in, 512);
    if (FIXED)
        cg::wait(block);
    else
        block.sync();
    out[T] = s[127 - T]; /* BUG */
    if (!FIXED) cg::wait(block);
}

/* wait_prior<1> leaves the second copy in flight. */
KERNEL(group_wait_prior_too_loose) {
    __shared__ alignas(16) float s[2][128];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s[0], in, 512);
    cg::memcpy_async(block, s[1], in + 128, 512);
    cg::wait_prior<FIXED ? 0 : 1>(block);
    out[T] = s[0][127 - T] + s[1][T]; /* BUG */
    cg::wait(block);
}

/* A warp's tile copies, and waits for itself; the block reads. */
KERNEL(tile_copy_read_by_block) {
    __shared__ alignas(16) float s[128];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    cg::memcpy_async(tile, s + 32 * WARP, in + 32 * WARP, 128);
    cg::wait(tile);
    if (FIXED) block.sync();
    out[T] = s[127 - T]; /* BUG */
}
