/* Order and memory, also by way of cooperative groups and of the standard library for CUDA. */
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/atomic>
#include <stdint.h>
namespace cg = cooperative_groups;

#define ARGS const float *in, float *out, int n
#define T threadIdx.x

extern "C" {

/* async-read-before-wait, race-shared */
__global__ void bad_cuda_barrier(ARGS) {
    __shared__ alignas(16) float s[128];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    auto g = cg::this_thread_block();
    if (T == 0) init(&bar, blockDim.x);
    g.sync();
    cuda::memcpy_async(g, s, in, sizeof(float) * 128, bar);
    out[T] = s[T];
    bar.arrive_and_wait();
}
__global__ void ok_cuda_barrier(ARGS) {
    __shared__ alignas(16) float s[128];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    auto g = cg::this_thread_block();
    if (T == 0) init(&bar, blockDim.x);
    g.sync();
    cuda::memcpy_async(g, s, in, sizeof(float) * 128, bar);
    bar.arrive_and_wait();
    out[T] = s[127 - T];
}

/* async-read-before-wait, race-shared */
__global__ void bad_cuda_barrier_aligned(ARGS) {
    __shared__ alignas(16) float s[128];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    auto g = cg::this_thread_block();
    if (T == 0) init(&bar, blockDim.x);
    g.sync();
    cuda::memcpy_async(g, (float4 *)s, (const float4 *)in, cuda::aligned_size_t<16>(512), bar);
    auto t = bar.arrive();
    out[T] = s[T];
    bar.wait(std::move(t));
}
__global__ void ok_cuda_barrier_aligned(ARGS) {
    __shared__ alignas(16) float s[128];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    auto g = cg::this_thread_block();
    if (T == 0) init(&bar, blockDim.x);
    g.sync();
    cuda::memcpy_async(g, (float4 *)s, (const float4 *)in, cuda::aligned_size_t<16>(512), bar);
    auto t = bar.arrive();
    bar.wait(std::move(t));
    out[T] = s[127 - T];
}

/* race-shared, async-read-before-wait */
__global__ void bad_cuda_pipeline(ARGS) {
    __shared__ alignas(16) float s[2][128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> st;
    auto g = cg::this_thread_block();
    auto p = cuda::make_pipeline(g, &st);
    p.producer_acquire();
    cuda::memcpy_async(g, s[0], in, 512, p);
    p.producer_commit();
    for (int k = 0; k < 4; k++) {
        if (k < 3) {
            p.producer_acquire();
            cuda::memcpy_async(g, s[(k + 1) & 1], in + 128 * (k + 1), 512, p);
            p.producer_commit();
        }
        out[k * 128 + T] = s[k & 1][127 - T];
        p.consumer_wait();
        p.consumer_release();
    }
}
__global__ void ok_cuda_pipeline(ARGS) {
    __shared__ alignas(16) float s[2][128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> st;
    auto g = cg::this_thread_block();
    auto p = cuda::make_pipeline(g, &st);
    p.producer_acquire();
    cuda::memcpy_async(g, s[0], in, 512, p);
    p.producer_commit();
    for (int k = 0; k < 4; k++) {
        if (k < 3) {
            p.producer_acquire();
            cuda::memcpy_async(g, s[(k + 1) & 1], in + 128 * (k + 1), 512, p);
            p.producer_commit();
        }
        p.consumer_wait();
        out[k * 128 + T] = s[k & 1][127 - T];
        p.consumer_release();
    }
}

/* race-shared, async-read-before-wait */
__global__ void bad_cg_memcpy(ARGS) {
    __shared__ alignas(16) float s[128];
    auto g = cg::this_thread_block();
    cg::memcpy_async(g, s, in, 512);
    out[T] = s[127 - T];
    cg::wait(g);
}
__global__ void ok_cg_memcpy(ARGS) {
    __shared__ alignas(16) float s[128];
    auto g = cg::this_thread_block();
    cg::memcpy_async(g, s, in, 512);
    cg::wait(g);
    out[T] = s[127 - T];
}

/* race-shared */
__global__ void bad_cg_tile(ARGS) {
    __shared__ float s[128];
    auto t = cg::tiled_partition<16>(cg::this_thread_block());
    s[T] = in[T];
    out[T] = s[T ^ 15] + cg::reduce(t, in[T], cg::plus<float>());
}
__global__ void ok_cg_tile(ARGS) {
    __shared__ float s[128];
    auto t = cg::tiled_partition<16>(cg::this_thread_block());
    s[T] = in[T];
    t.sync();
    out[T] = s[T ^ 15] + cg::reduce(t, in[T], cg::plus<float>());
}

/* race-shared */
__global__ void bad_cg_coalesced(ARGS) {
    __shared__ float s[128];
    s[T] = 0;
    if (in[T] > 0.5f) {
        auto c = cg::coalesced_threads();
        s[T & 96] += c.thread_rank();
    }
    __syncwarp();
    out[T] = s[T & 96];
}
__global__ void ok_cg_coalesced(ARGS) {
    __shared__ float s[128];
    s[T] = 0;
    __syncwarp();
    if (in[T] > 0.5f) {
        auto c = cg::coalesced_threads();
        if (c.thread_rank() == 0) s[T & 96] += c.num_threads();
    }
    __syncwarp();
    out[T] = s[T & 96];
}

/* 4 blocks: race-global */
__global__ void bad_cuda_atomic(ARGS) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> f(*(unsigned *)(out + 2048));
    if (T == 0) {
        out[blockIdx.x] = in[blockIdx.x];
        if (f.fetch_add(1, cuda::memory_order_relaxed) == 3) {
            float v = 0;
            for (int k = 0; k < 4; k++) v += out[k];
            out[100] = v;
        }
    }
}
__global__ void ok_cuda_atomic(ARGS) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> f(*(unsigned *)(out + 2048));
    if (T == 0) {
        out[blockIdx.x] = in[blockIdx.x];
        if (f.fetch_add(1, cuda::memory_order_acq_rel) == 3) {
            float v = 0;
            for (int k = 0; k < 4; k++) v += out[k];
            out[100] = v;
        }
    }
}

/* 4 blocks: race-global */
__global__ void bad_cuda_atomic_scope(ARGS) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_block> f(*(unsigned *)(out + 2048));
    if (T == 0) {
        out[blockIdx.x] = in[blockIdx.x];
        if (f.fetch_add(1, cuda::memory_order_acq_rel) == 3) {
            float v = 0;
            for (int k = 0; k < 4; k++) v += out[k];
            out[100] = v;
        }
    }
}
__global__ void ok_cuda_atomic_scope(ARGS) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_system> f(*(unsigned *)(out + 2048));
    if (T == 0) {
        out[blockIdx.x] = in[blockIdx.x];
        if (f.fetch_add(1, cuda::memory_order_acq_rel) == 3) {
            float v = 0;
            for (int k = 0; k < 4; k++) v += out[k];
            out[100] = v;
        }
    }
}

/* 4 blocks: race-global */
__global__ void bad_retirement(ARGS) {
    __shared__ bool last;
    __shared__ float s[128];
    s[T] = in[blockIdx.x * 128 + T];
    __syncthreads();
    for (int k = 64; k; k >>= 1) {
        if (T < k) s[T] += s[T + k];
        __syncthreads();
    }
    if (T == 0) {
        out[blockIdx.x] = s[0];
        unsigned t = atomicInc((unsigned *)(out + 2048), gridDim.x);
        last = t == gridDim.x - 1;
    }
    __syncthreads();
    if (last && T == 0) {
        float v = 0;
        for (int k = 0; k < gridDim.x; k++) v += out[k];
        out[1000] = v;
    }
}
__global__ void ok_retirement(ARGS) {
    __shared__ bool last;
    __shared__ float s[128];
    s[T] = in[blockIdx.x * 128 + T];
    __syncthreads();
    for (int k = 64; k; k >>= 1) {
        if (T < k) s[T] += s[T + k];
        __syncthreads();
    }
    if (T == 0) {
        out[blockIdx.x] = s[0];
        __threadfence();
        unsigned t = atomicInc((unsigned *)(out + 2048), gridDim.x);
        last = t == gridDim.x - 1;
    }
    __syncthreads();
    if (last && T == 0) {
        float v = 0;
        for (int k = 0; k < gridDim.x; k++) v += out[k];
        out[1000] = v;
    }
}

/* 4 blocks: race-global */
__global__ void bad_lock(ARGS) {
    int *lock = (int *)(out + 2048);
    if (T == 0) {
        while (atomicCAS(lock, 0, 1))
            ;
        out[0] += 1;
        *(volatile int *)lock = 0;
    }
}
__global__ void ok_lock(ARGS) {
    int *lock = (int *)(out + 2048);
    if (T == 0) {
        while (atomicCAS(lock, 0, 1))
            ;
        __threadfence();
        out[0] += 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}

/* race-shared */
__global__ void bad_reduce_unrolled(ARGS) {
    __shared__ float s[128];
    s[T] = in[T];
    __syncthreads();
    if (T < 64) s[T] += s[T + 64];
    __syncthreads();
    if (T < 32) {
        s[T] += s[T + 32];
        s[T] += s[T + 16];
        s[T] += s[T + 8];
        s[T] += s[T + 4];
        s[T] += s[T + 2];
        s[T] += s[T + 1];
    }
    if (T == 0) out[0] = s[0];
}
__global__ void ok_reduce_unrolled(ARGS) {
    __shared__ float s[128];
    s[T] = in[T];
    __syncthreads();
    if (T < 64) s[T] += s[T + 64];
    __syncthreads();
    if (T < 32) {
        float v = s[T] + s[T + 32];
        for (int k = 16; k; k >>= 1) v += __shfl_down_sync(0xffffffffu, v, k);
        if (T == 0) out[0] = v;
    }
}

/* race-shared */
__global__ void bad_scan(ARGS) {
    __shared__ float s[128];
    s[T] = in[T];
    __syncthreads();
    for (int k = 1; k < 128; k *= 2) {
        float v = T >= k ? s[T - k] : 0;
        s[T] += v;
        __syncthreads();
    }
    out[T] = s[T];
}
__global__ void ok_scan(ARGS) {
    __shared__ float s[128];
    s[T] = in[T];
    __syncthreads();
    for (int k = 1; k < 128; k *= 2) {
        float v = T >= k ? s[T - k] : 0;
        __syncthreads();
        s[T] += v;
        __syncthreads();
    }
    out[T] = s[T];
}

/* race-shared */
__global__ void bad_transpose(ARGS) {
    __shared__ float s[32][33];
    int x = T & 31, y = T >> 5;
    for (int k = 0; k < 32; k += 4) s[y + k][x] = in[(y + k) * 32 + x];
    for (int k = 0; k < 32; k += 4) out[(y + k) * 32 + x] = s[x][y + k];
}
__global__ void ok_transpose(ARGS) {
    __shared__ float s[32][33];
    int x = T & 31, y = T >> 5;
    for (int k = 0; k < 32; k += 4) s[y + k][x] = in[(y + k) * 32 + x];
    __syncthreads();
    for (int k = 0; k < 32; k += 4) out[(y + k) * 32 + x] = s[x][y + k];
}

/* out-of-bounds */
__global__ void bad_stencil(ARGS) {
    int i = 3968 + T;
    out[i] = in[i - 1] + in[i] + in[i + 1];
}
__global__ void ok_stencil(ARGS) {
    int i = 3968 + T;
    out[i] = in[i - 1] + in[i] + (i + 1 < n ? in[i + 1] : 0);
}

/* out-of-bounds, uninitialised-read */
__global__ void bad_shared_index(ARGS) {
    __shared__ float s[128];
    s[T + 1] = in[T];
    __syncthreads();
    out[T] = s[T + 1];
}
__global__ void ok_shared_index(ARGS) {
    __shared__ float s[129];
    s[T + 1] = in[T];
    __syncthreads();
    out[T] = s[T + 1];
}

/* out-of-bounds, stack-overflow */
__global__ void bad_local_index(ARGS) {
    int a[8];
    for (int k = 0; k <= n / 512; k++) a[k] = k + T;
    out[T] = a[(int)in[0]];
}
__global__ void ok_local_index(ARGS) {
    int a[8];
    for (int k = 0; k < n / 512; k++) a[k] = k + T;
    out[T] = a[(int)in[0]];
}

/* barrier-divergence */
__global__ void bad_barrier_in_loop(ARGS) {
    __shared__ float s[128];
    s[T] = 0;
    for (int k = 0; k < (int)(T & 3) + 1; k++) {
        s[T] += in[T];
        __syncthreads();
    }
    out[T] = s[T];
}
__global__ void ok_barrier_in_loop(ARGS) {
    __shared__ float s[128];
    s[T] = 0;
    for (int k = 0; k < 4; k++) {
        if (k <= (T & 3)) s[T] += in[T];
        __syncthreads();
    }
    out[T] = s[T];
}

/* barrier-divergence, race-shared */
__global__ void bad_barrier_loop_warps(ARGS) {
    __shared__ float s[128];
    s[T] = 0;
    for (int k = 0; k < (int)(T >> 5) + 1; k++) {
        s[T] += in[T];
        __syncthreads();
    }
    out[T] = s[T];
}
__global__ void ok_barrier_loop_warps(ARGS) {
    __shared__ float s[128];
    s[T] = 0;
    for (int k = 0; k < 4; k++) {
        if (k <= (T >> 5)) s[T] += in[T];
        __syncthreads();
    }
    out[T] = s[T];
}

/* barrier-divergence */
__global__ void bad_both_branches(ARGS) {
    __shared__ float s[128];
    s[T] = in[T];
    if (T & 1) {
        __syncthreads();
        out[T] = s[T ^ 1];
    } else {
        __syncthreads();
        out[T] = s[T ^ 2];
    }
}
__global__ void ok_both_branches(ARGS) {
    __shared__ float s[128];
    s[T] = in[T];
    __syncthreads();
    if (T & 1) {
        out[T] = s[T ^ 1];
    } else {
        out[T] = s[T ^ 2];
    }
}

/* race-shared */
__global__ void bad_hist(ARGS) {
    __shared__ unsigned h[32];
    if (T < 32) h[T] = 0;
    __syncthreads();
    h[(int)(in[T] * 31)]++;
    __syncthreads();
    if (T < 32) out[T] = h[T];
}
__global__ void ok_hist(ARGS) {
    __shared__ unsigned h[32];
    if (T < 32) h[T] = 0;
    __syncthreads();
    atomicAdd(&h[(int)(in[T] * 31)], 1);
    __syncthreads();
    if (T < 32) out[T] = h[T];
}

/* race-shared */
__global__ void bad_hist_zero(ARGS) {
    __shared__ unsigned h[32];
    if (T < 32) h[T] = 0;
    atomicAdd(&h[(int)(in[T] * 31)], 1);
    __syncthreads();
    if (T < 32) out[T] = h[T];
}
__global__ void ok_hist_zero(ARGS) {
    __shared__ unsigned h[32];
    if (T < 32) h[T] = 0;
    __syncthreads();
    atomicAdd(&h[(int)(in[T] * 31)], 1);
    __syncthreads();
    if (T < 32) out[T] = h[T];
}

/* race-shared */
__global__ void bad_broadcast(ARGS) {
    __shared__ float b;
    for (int k = 0; k < 3; k++) {
        if (T == 0) b = in[k];
        __syncthreads();
        out[k * 128 + T] = b;
    }
}
__global__ void ok_broadcast(ARGS) {
    __shared__ float b;
    for (int k = 0; k < 3; k++) {
        if (T == 0) b = in[k];
        __syncthreads();
        out[k * 128 + T] = b;
        __syncthreads();
    }
}

/* race-shared */
__global__ void bad_double_buffer(ARGS) {
    __shared__ float s[2][128];
    for (int k = 0; k < 4; k++) {
        s[0][T] = in[k * 128 + T];
        __syncthreads();
        out[k * 128 + T] = s[0][127 - T];
    }
    (void)s;
}
__global__ void ok_double_buffer(ARGS) {
    __shared__ float s[2][128];
    for (int k = 0; k < 4; k++) {
        s[k & 1][T] = in[k * 128 + T];
        __syncthreads();
        out[k * 128 + T] = s[k & 1][127 - T];
    }
}

/* race-shared, shuffle-mask */
__global__ void bad_syncwarp_mask(ARGS) {
    __shared__ float s[128];
    s[T] = in[T];
    if ((T & 31) < 16)
        __syncwarp(0xffff);
    else
        __syncwarp(0xffff0000);
    out[T] = s[T ^ 16];
}
__global__ void ok_syncwarp_mask(ARGS) {
    __shared__ float s[128];
    s[T] = in[T];
    if ((T & 31) < 16)
        __syncwarp(0xffff);
    else
        __syncwarp(0xffff0000);
    out[T] = s[T ^ 8];
}

/* 2 blocks: race-global */
__global__ void bad_neighbour_block(ARGS) {
    int i = blockIdx.x * 128 + T;
    out[i] = in[i];
    __syncthreads();
    out[1024 + i] = out[255 - i];
}
__global__ void ok_neighbour_block(ARGS) {
    int i = blockIdx.x * 128 + T;
    out[i] = in[i];
    __syncthreads();
    out[1024 + i] = out[blockIdx.x * 128 + 127 - T];
}

/* 2 blocks: race-same-value, race-global */
__global__ void bad_same_value(ARGS) {
    out[T] = 1.0f;
}
__global__ void ok_same_value(ARGS) {
    if (blockIdx.x == 0) out[T] = 1.0f;
}

/* uninitialised-read */
__global__ void bad_halo(ARGS) {
    __shared__ float s[18][34];
    int x = T & 31, y = T >> 5;
    for (int k = 0; k < 16; k += 4) s[y + k + 1][x + 1] = in[(y + k) * 32 + x];
    __syncthreads();
    for (int k = 0; k < 16; k += 4)
        out[(y + k) * 32 + x] = s[y + k][x + 1] + s[y + k + 2][x + 1] + s[y + k + 1][x] + s[y + k + 1][x + 2];
}
__global__ void ok_halo(ARGS) {
    __shared__ float s[18][34];
    int x = T & 31, y = T >> 5;
    for (int k = T; k < 18 * 34; k += 128) (&s[0][0])[k] = 0;
    __syncthreads();
    for (int k = 0; k < 16; k += 4) s[y + k + 1][x + 1] = in[(y + k) * 32 + x];
    __syncthreads();
    for (int k = 0; k < 16; k += 4)
        out[(y + k) * 32 + x] = s[y + k][x + 1] + s[y + k + 2][x + 1] + s[y + k + 1][x] + s[y + k + 1][x + 2];
}

/* shuffle-mask */
__global__ void bad_ragged_reduce(ARGS) {
    if (T >= 100) return;
    float v = in[T];
    for (int k = 16; k; k >>= 1) v += __shfl_xor_sync(0xffffffffu, v, k);
    if ((T & 31) == 0) out[T >> 5] = v;
}
__global__ void ok_ragged_reduce(ARGS) {
    float v = T < 100 ? in[T] : 0;
    for (int k = 16; k; k >>= 1) v += __shfl_xor_sync(0xffffffffu, v, k);
    if ((T & 31) == 0) out[T >> 5] = v;
}

/* shuffle-mask */
__global__ void bad_activemask(ARGS) {
    float v = in[T];
    if (T & 1) {
        v += 1;
    } else {
        v = __shfl_sync(0xffffffffu, v, 0);
    }
    out[T] = v;
}
__global__ void ok_activemask(ARGS) {
    float v = in[T];
    unsigned m = __ballot_sync(0xffffffffu, !(T & 1));
    if (T & 1) {
        v += 1;
    } else {
        v = __shfl_sync(m, v, 0);
    }
    out[T] = v;
}

/* trap */
__global__ void bad_trap(ARGS) {
    if (in[T] >= 0) __trap();
    out[T] = 1;
}
__global__ void ok_trap(ARGS) {
    if (in[T] < 0) __trap();
    out[T] = 1;
}
}
