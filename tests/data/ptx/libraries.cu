// What libcu++ and cooperative groups compile to: atomics of all types, barriers, pipelines, semaphores, groups.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>

namespace cg = cooperative_groups;

// One thread: every operation once; `p[1]` is what they gave back.
template <class T, cuda::thread_scope Scope> __device__ T atomics_of(T *p) {
    cuda::atomic_ref<T, Scope> a(*p);
    T sum = a.load(cuda::std::memory_order_acquire), expected = T(3);
    a.store(T(10), cuda::std::memory_order_release);
    sum += a.exchange(T(12));
    a.compare_exchange_strong(expected, T(4));
    sum += expected;
    a.compare_exchange_strong(expected, T(20), cuda::std::memory_order_acq_rel, cuda::std::memory_order_relaxed);
    sum += a.fetch_add(T(7)) + a.fetch_sub(T(2), cuda::std::memory_order_relaxed);
    sum += a.fetch_min(T(24)) + a.fetch_max(T(30));
    if constexpr (cuda::std::is_integral_v<T>) sum += a.fetch_and(T(0x1c)) + a.fetch_or(T(3)) + a.fetch_xor(T(6));
    return sum;
}

#define ATOMICS(name, T)                                                                                        \
    extern "C" __global__ void atomics_##name(T *p) {                                                           \
        p[1] = atomics_of<T, cuda::thread_scope_device>(p) + atomics_of<T, cuda::thread_scope_block>(p) +       \
               atomics_of<T, cuda::thread_scope_system>(p);                                                     \
    }
ATOMICS(i32, int)
ATOMICS(u32, unsigned)
ATOMICS(i64, long long)
ATOMICS(u64, unsigned long long)
ATOMICS(i16, short)
ATOMICS(u8, unsigned char)
ATOMICS(f32, float)
ATOMICS(f64, double)

// Blocks hand a number on, one after the other.
extern "C" __global__ void relay(cuda::atomic<int, cuda::thread_scope_device> *turn, int *out) {
    if (threadIdx.x) return;
    for (int now; (now = turn->load(cuda::std::memory_order_acquire)) != (int)blockIdx.x;) turn->wait(now);
    out[blockIdx.x] = (blockIdx.x ? out[blockIdx.x - 1] : 0) + 3 * blockIdx.x;
    turn->store(blockIdx.x + 1, cuda::std::memory_order_release);
    turn->notify_all();
}

// At most two threads at a time are in between; the last one out finds all of them counted.
extern "C" __global__ void semaphores(int *out) {
    using semaphore = cuda::counting_semaphore<cuda::thread_scope_block, 2>;
    using latch = cuda::latch<cuda::thread_scope_block>;
    __shared__ alignas(semaphore) char semaphore_bytes[sizeof(semaphore)];
    __shared__ alignas(latch) char latch_bytes[sizeof(latch)];
    __shared__ int inside;
    semaphore &places = *reinterpret_cast<semaphore *>(semaphore_bytes);
    latch &all = *reinterpret_cast<latch *>(latch_bytes);
    if (threadIdx.x == 0) {
        new (&places) semaphore(2);
        new (&all) latch(blockDim.x);
        inside = 0;
    }
    __syncthreads();
    places.acquire();
    atomicAdd(&inside, 1);
    places.release();
    all.arrive_and_wait();
    out[threadIdx.x] = inside;
}

extern "C" __global__ void barriers(const int *in, int *out) {
    __shared__ alignas(16) int s[256];
    __shared__ cuda::barrier<cuda::thread_scope_block> b;
    if (threadIdx.x == 0) init(&b, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(&s[threadIdx.x], &in[threadIdx.x], sizeof(int), b);
    b.arrive_and_wait();
    const int before = s[255 - threadIdx.x];
    b.wait(b.arrive());
    s[threadIdx.x] = before + 1;
    auto token = b.arrive();
    b.wait(std::move(token));
    out[threadIdx.x] = s[threadIdx.x ^ 1];
}

// Each thread its own pipeline.
extern "C" __global__ void thread_pipeline(const int *in, int *out) {
    __shared__ int s[2][256];
    auto p = cuda::make_pipeline();
    for (int k = 0; k < 2; k++) {
        p.producer_acquire();
        cuda::memcpy_async(&s[k][threadIdx.x], in + 256 * k + threadIdx.x, sizeof(int), p);
        p.producer_commit();
    }
    int sum = 0;
    cuda::pipeline_consumer_wait_prior<1>(p);
    sum += s[0][threadIdx.x];
    p.consumer_release();
    cuda::pipeline_consumer_wait_prior<0>(p);
    out[threadIdx.x] = sum + s[1][threadIdx.x];
    p.consumer_release();
}

// The block's: two stages, the first warp produces.
extern "C" __global__ void block_pipeline(const int4 *in, int4 *out, int batches) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int4 s[2][96];
    auto block = cg::this_thread_block();
    const bool produces = threadIdx.x < 32;
    auto p = cuda::make_pipeline(block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    auto warp = cg::tiled_partition<32>(block);
    for (int i = 0; i < batches; i++) {
        if (produces) {
            p.producer_acquire();
            cuda::memcpy_async(warp, s[i % 2], in + i * 96, cuda::aligned_size_t<16>(sizeof s[0]), p);
            p.producer_commit();
        } else {
            p.consumer_wait();
            out[i * 96 + threadIdx.x - 32] = s[i % 2][threadIdx.x - 32];
            p.consumer_release();
        }
    }
    p.quit();
}

extern "C" __global__ void groups(const int *in, int *out) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    auto warp = cg::tiled_partition<32>(block);
    const int x = in[block.thread_rank()];
    int sum = cg::reduce(tile, x, cg::plus<int>()) + cg::reduce(warp, x, cg::less<int>());
    sum += cg::inclusive_scan(tile, x) + cg::exclusive_scan(warp, x) + tile.shfl_down(x, 1) + warp.shfl_xor(x, 3);
    if (x & 1) {
        auto odd = cg::coalesced_threads();
        sum += odd.size() + odd.shfl(x, 0) + cg::reduce(odd, x, cg::greater<int>());
    }
    auto same = cg::labeled_partition(warp, x & 3);
    sum += cg::reduce(same, x, cg::bit_xor<int>()) + cg::invoke_one_broadcast(warp, [&] { return 4; });
    block.sync();
    out[block.thread_rank()] = sum;
}

extern "C" __global__ void large_tiles(const double *in, double *out) {
    __shared__ cg::block_tile_memory<256> memory;
    auto block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<128>(block);
    const double sum = cg::reduce(tile, in[block.thread_rank()], cg::plus<double>());
    out[block.thread_rank()] = sum + cg::inclusive_scan(cg::tiled_partition<16>(block), 1.0);
}

extern "C" __global__ void group_copy(const float4 *in, float4 *out) {
    __shared__ float4 s[128];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, in, sizeof s);
    cg::wait(block);
    out[threadIdx.x] = s[127 - threadIdx.x];
}

// Each warp copies `bytes` of its own, from a place that leaves it 16, 4, 8 and 4 bytes at a time.
extern "C" __global__ void tile_copy(const char *in, char *out, int bytes) {
    __shared__ alignas(16) char s[4][272];
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int k = warp.meta_group_rank();
    cg::memcpy_async(warp, s[k], in + 256 * k + 4 * k, bytes);
    cg::wait(warp);
    for (int i = warp.thread_rank(); i < bytes; i += warp.size()) out[256 * k + i] = s[k][bytes - 1 - i];
}
