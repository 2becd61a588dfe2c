// Asynchronous copies in every form, barriers, pipelines, clusters. Third blind test.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline_primitives.h>

#define KERNEL extern "C" __global__ void
namespace cg = cooperative_groups;

namespace {

__device__ __forceinline__ unsigned shared_address(const void *p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ __forceinline__ int thread_index() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

template <int Bytes>
__device__ __forceinline__ void copy_ca(void *to, const void *from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to)), "l"(from), "n"(Bytes) : "memory");
}

template <int Bytes>
__device__ __forceinline__ void copy_fill(void *to, const void *from, int valid) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(to)), "l"(from), "n"(Bytes), "r"(valid) : "memory");
}

__device__ __forceinline__ void copy_cg(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
}

__device__ __forceinline__ void commit() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int N>
__device__ __forceinline__ void wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

__device__ __forceinline__ void barrier_init(uint64_t *bar, int count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(bar)), "r"(count) : "memory");
}

__device__ __forceinline__ void barrier_expect(uint64_t *bar, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(bar)), "r"(bytes) : "memory");
}

__device__ __forceinline__ void barrier_arrive(uint64_t *bar) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(bar)) : "memory");
}

__device__ __forceinline__ void barrier_wait(uint64_t *bar, int phase) {
    asm volatile("{\n.reg .pred p;\nWAIT_%=:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra DONE_%=;\nbra WAIT_%=;\nDONE_%=:\n}" ::"r"(shared_address(bar)),
                 "r"(phase)
                 : "memory");
}

__device__ __forceinline__ void fence_init() {
    asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async.shared::cta;" ::: "memory");
}

__device__ __forceinline__ void bulk_in(void *to, const void *from, int bytes, uint64_t *bar) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(to)), "l"(from), "r"(bytes),
                 "r"(shared_address(bar))
                 : "memory");
}

__device__ __forceinline__ void bulk_out(void *to, const void *from, int bytes) {
    asm volatile("fence.proxy.async.shared::cta;\ncp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)), "r"(bytes)
                 : "memory");
}

__device__ __forceinline__ void bulk_finish() {
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

}

// ---- LDGSTS ----

template <typename T, int Stages>
__device__ __forceinline__ void ring(int tiles, const T *in, T *out) {
    extern __shared__ __align__(16) unsigned char raw[];
    T *stage = reinterpret_cast<T *>(raw);
    const T *mine = in + blockIdx.x * tiles * blockDim.x + threadIdx.x;
    T *to = out + blockIdx.x * tiles * blockDim.x;
#pragma unroll
    for (int s = 0; s < Stages - 1; s++) {
        if (s < tiles) {
            copy_ca<sizeof(T)>(stage + s * blockDim.x + threadIdx.x, mine + s * blockDim.x);
        }
        commit();
    }
    for (int t = 0; t < tiles; t++) {
        wait<Stages - 2>();
        __syncthreads();
        to[t * blockDim.x + threadIdx.x] = stage[t % Stages * blockDim.x + (threadIdx.x * 5 + 1) % blockDim.x];
        int next = t + Stages - 1;
        if (next < tiles) {
            copy_ca<sizeof(T)>(stage + next % Stages * blockDim.x + threadIdx.x, mine + next * blockDim.x);
        }
        commit();
    }
}

KERNEL ring3_f32(int tiles, const float *in, float *out) {
    ring<float, 3>(tiles, in, out);
}

KERNEL ring4_f64(int tiles, const double *in, double *out) {
    ring<double, 4>(tiles, in, out);
}

KERNEL ring5_f4(int tiles, const float4 *in, float4 *out) {
    ring<float4, 5>(tiles, in, out);
}

KERNEL tail_filled_16(int n, const float4 *in, float4 *out) {
    extern __shared__ float4 wide[];
    int at = thread_index() * 4, valid = min(max(n - at, 0), 4);
    copy_fill<16>(wide + threadIdx.x, valid ? in + thread_index() : in, valid * 4);
    commit();
    wait<0>();
    __syncthreads();
    out[thread_index()] = wide[blockDim.x - 1 - threadIdx.x];
}

KERNEL tail_filled_8(int n, const float2 *in, float2 *out) {
    extern __shared__ float2 pairs[];
    int at = thread_index() * 2, valid = min(max(n - at, 0), 2);
    copy_fill<8>(pairs + threadIdx.x, valid ? in + thread_index() : in, valid * 4);
    commit();
    wait<0>();
    __syncthreads();
    out[thread_index()] = pairs[threadIdx.x ^ 1];
}

KERNEL gathered_rows(int rows, int width, const unsigned *which, const float4 *in, float4 *out) {
    extern __shared__ float4 wide[];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float4 *mine = wide + warp * width;
    int row = blockIdx.x * (blockDim.x / 32) + warp;
    const float4 *from = in + which[row] % rows * width;
    for (int i = lane; i < width; i += 32) {
        copy_cg(mine + i, from + i);
    }
    commit();
    wait<0>();
    __syncwarp();
    for (int i = lane; i < width; i += 32) {
        out[row * width + i] = mine[width - 1 - i];
    }
}

// Tiles of 32 by 32 words, padded or swizzled in shared memory, and read back transposed.
KERNEL tile_to_columns(int n, int form, const float *in, float *out) {
    __shared__ float tile[32 * 36];
    int x = threadIdx.x, pitch = form == 1 ? 33 : form == 2 ? 36 : 32;
    for (int y = threadIdx.y; y < 32; y += blockDim.y) {
        copy_ca<4>(tile + y * pitch + (form == 3 ? x ^ y : x), in + (blockIdx.y * 32 + y) * n + blockIdx.x * 32 + x);
    }
    commit();
    wait<0>();
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += blockDim.y) {
        out[(blockIdx.x * 32 + y) * n + blockIdx.y * 32 + x] = tile[x * pitch + (form == 3 ? x ^ y : y)];
    }
}

// 64x64 of a product, three stages of eight, rows of A by 16 bytes and of B by 16.
KERNEL sgemm_ldgsts(int n, int k, const float *a, const float *b, float *c) {
    __shared__ __align__(16) float as[3][64][12], bs[3][8][64];
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    float sum[4][4] = {};
    auto fetch = [&](int tile) {
        if (tile * 8 < k) {
            if (t < 128) {
                copy_cg(&as[tile % 3][t / 2][t % 2 * 4], a + (blockIdx.y * 64 + t / 2) * k + tile * 8 + t % 2 * 4);
            } else {
                int u = t - 128;
                copy_cg(&bs[tile % 3][u / 16][u % 16 * 4], b + (tile * 8 + u / 16) * n + blockIdx.x * 64 + u % 16 * 4);
            }
        }
        commit();
    };
    fetch(0);
    fetch(1);
    for (int tile = 0; tile * 8 < k; tile++) {
        wait<1>();
        __syncthreads();
        fetch(tile + 2);
#pragma unroll
        for (int i = 0; i < 8; i++) {
#pragma unroll
            for (int r = 0; r < 4; r++) {
#pragma unroll
                for (int q = 0; q < 4; q++) {
                    sum[r][q] += as[tile % 3][ty + 16 * r][i] * bs[tile % 3][i][tx + 16 * q];
                }
            }
        }
    }
    for (int r = 0; r < 4; r++) {
        for (int q = 0; q < 4; q++) {
            c[(blockIdx.y * 64 + ty + 16 * r) * n + blockIdx.x * 64 + tx + 16 * q] = sum[r][q];
        }
    }
}

// ---- libcu++ and cooperative groups ----

KERNEL pipeline_primitives(int tiles, const int2 *in, int2 *out) {
    extern __shared__ int2 stage2[];
    int base = blockIdx.x * tiles * blockDim.x + threadIdx.x;
    __pipeline_memcpy_async(stage2 + threadIdx.x, in + base, 8);
    __pipeline_commit();
    for (int t = 0; t < tiles; t++) {
        if (t + 1 < tiles) {
            __pipeline_memcpy_async(stage2 + (t + 1) % 2 * blockDim.x + threadIdx.x, in + base + (t + 1) * blockDim.x, 8);
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        int2 v = stage2[t % 2 * blockDim.x + threadIdx.x];
        out[base + t * blockDim.x] = make_int2(v.y, v.x + t);
    }
}

KERNEL unified_pipeline(int tiles, const float *in, float *out) {
    extern __shared__ __align__(16) float stages[];
    auto block = cg::this_thread_block();
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 3> state;
    auto pipe = cuda::make_pipeline(block, &state);
    int n = blockDim.x;
    const float *mine = in + blockIdx.x * tiles * n;
    int fetched = 0;
    float sum = 0;
    for (int t = 0; t < tiles; t++) {
        for (; fetched < tiles && fetched < t + 3; fetched++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, stages + fetched % 3 * n, mine + fetched * n, cuda::aligned_size_t<16>(sizeof(float) * n), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += stages[t % 3 * n + (threadIdx.x + t) % n];
        pipe.consumer_release();
    }
    out[thread_index()] = sum;
}

KERNEL pipeline_roles(int tiles, const int *in, int *out) {
    __shared__ __align__(16) int stage[2][96];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto role = threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(block, &state, role);
    if (threadIdx.x < 32) {
        for (int t = 0; t < tiles; t++) {
            pipe.producer_acquire();
            for (int k = 0; k < 3; k++) {
                cuda::memcpy_async(&stage[t % 2][threadIdx.x * 3 + k], in + (blockIdx.x * tiles + t) * 96 + threadIdx.x * 3 + k, sizeof(int), pipe);
            }
            pipe.producer_commit();
        }
    } else {
        int at = threadIdx.x - 32, sum = 0;
        for (int t = 0; t < tiles; t++) {
            pipe.consumer_wait();
            sum = sum * 3 + stage[t % 2][95 - at];
            pipe.consumer_release();
        }
        out[blockIdx.x * 96 + at] = sum;
    }
}

KERNEL group_memcpy(int n, int bytes, const unsigned char *in, unsigned *out) {
    extern __shared__ __align__(16) unsigned char raw_bytes[];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, raw_bytes, in + blockIdx.x * n, bytes);
    cg::wait(block);
    unsigned sum = 0;
    for (int i = threadIdx.x; i < bytes; i += blockDim.x) {
        sum += raw_bytes[i] * (i & 15);
    }
    out[thread_index()] = sum;
}

KERNEL tile_memcpy_staged(int tiles, const float4 *in, float4 *out) {
    __shared__ float4 wide[2][8][16];
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int group = tile.meta_group_rank();
    const float4 *mine = in + (blockIdx.x * tile.meta_group_size() + group) * tiles * 16;
    cg::memcpy_async(tile, wide[0][group], mine, sizeof(float4) * 16);
    float4 sum = {0, 0, 0, 0};
    for (int t = 0; t < tiles; t++) {
        if (t + 1 < tiles) {
            cg::memcpy_async(tile, wide[(t + 1) % 2][group], mine + (t + 1) * 16, sizeof(float4) * 16);
            cg::wait_prior<1>(tile);
        } else {
            cg::wait(tile);
        }
        float4 v = wide[t % 2][group][15 - tile.thread_rank()];
        sum = make_float4(sum.x + v.x, sum.y + v.y, sum.z + v.z, sum.w + v.w);
        tile.sync();
    }
    out[thread_index()] = sum;
}

KERNEL barrier_memcpy(int rounds, const int4 *in, int4 *out) {
    extern __shared__ int4 quads[];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
    }
    __syncthreads();
    int4 sum = {0, 0, 0, 0};
    for (int r = 0; r < rounds; r++) {
        cuda::memcpy_async(quads + threadIdx.x, in + (blockIdx.x * rounds + r) * blockDim.x + threadIdx.x, sizeof(int4), bar);
        bar.arrive_and_wait();
        int4 v = quads[(threadIdx.x + 8) % blockDim.x];
        sum = make_int4(sum.x + v.x, sum.y ^ v.y, sum.z + v.z, sum.w ^ v.w);
        bar.arrive_and_wait();
    }
    out[thread_index()] = sum;
}

// ---- bulk copies ----

KERNEL bulk_stages(int tiles, int bytes, const unsigned *in, unsigned *out) {
    extern __shared__ __align__(128) unsigned held[];
    __shared__ uint64_t full[2], empty[2];
    int words = bytes / 4;
    if (threadIdx.x == 0) {
        for (int k = 0; k < 2; k++) {
            barrier_init(full + k, 1);
            barrier_init(empty + k, blockDim.x - 32);
        }
        fence_init();
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0) {
            for (int t = 0; t < tiles; t++) {
                if (t >= 2) {
                    barrier_wait(empty + t % 2, (t / 2 - 1) & 1);
                }
                barrier_expect(full + t % 2, bytes);
                bulk_in(held + t % 2 * words, in + (blockIdx.x * tiles + t) * words, bytes, full + t % 2);
            }
        }
    } else {
        unsigned sum = 0;
        for (int t = 0; t < tiles; t++) {
            barrier_wait(full + t % 2, t / 2 & 1);
            for (int i = threadIdx.x - 32; i < words; i += blockDim.x - 32) {
                sum = sum * 5 + held[t % 2 * words + i];
            }
            barrier_arrive(empty + t % 2);
        }
        out[blockIdx.x * (blockDim.x - 32) + threadIdx.x - 32] = sum;
    }
}

KERNEL bulk_both_ways(int bytes, int skew, const unsigned *in, unsigned *out) {
    extern __shared__ __align__(128) unsigned held[];
    __shared__ uint64_t full;
    int words = bytes / 4;
    if (threadIdx.x == 0) {
        barrier_init(&full, 1);
        fence_init();
        barrier_expect(&full, bytes);
        bulk_in(held + skew, in + blockIdx.x * words, bytes, &full);
    }
    __syncthreads();
    barrier_wait(&full, 0);
    for (int i = threadIdx.x; i < words; i += blockDim.x) {
        held[skew + i] += i;
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_out(out + blockIdx.x * words, held + skew, bytes);
        bulk_finish();
    }
}

KERNEL bulk_reduce_max(int n, const unsigned *in, unsigned *out) {
    extern __shared__ __align__(128) unsigned held[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        held[i] = in[blockIdx.x * n + i] >> 1;
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.max.u32 [%0], [%1], %2;" ::"l"(out), "r"(shared_address(held)), "r"(n * 4) : "memory");
        bulk_finish();
    }
}

KERNEL bulk_prefetch_then_read(int n, const float *in, float *out) {
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(in + blockIdx.x * n), "r"(n * 4) : "memory");
    }
    __syncthreads();
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        sum += in[blockIdx.x * n + i];
    }
    out[thread_index()] = sum;
}

// ---- tensors ----

#define LOAD_TENSOR(dims, list, ...)                                                                                                                       \
    asm volatile("cp.async.bulk.tensor." dims ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, " list "], [%2];" ::"r"(               \
                     shared_address(held)),                                                                                                              \
                 "l"(&map), "r"(shared_address(&full)), __VA_ARGS__                                                                                        \
                 : "memory")

KERNEL tensor_load(const __grid_constant__ CUtensorMap map, const unsigned *, unsigned *out, int dims, int a, int b, int c, int d, int e, int bytes, int box) {
    extern __shared__ __align__(1024) unsigned held[];
    __shared__ uint64_t full;
    for (int i = threadIdx.x; i < bytes / 4; i += blockDim.x) {
        held[i] = 0x11111111u;
    }
    if (threadIdx.x == 0) {
        barrier_init(&full, 1);
        fence_init();
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        barrier_expect(&full, box);
        switch (dims) {
        case 1: LOAD_TENSOR("1d", "{%3}", "r"(a)); break;
        case 2: LOAD_TENSOR("2d", "{%3, %4}", "r"(a), "r"(b)); break;
        case 3: LOAD_TENSOR("3d", "{%3, %4, %5}", "r"(a), "r"(b), "r"(c)); break;
        case 4: LOAD_TENSOR("4d", "{%3, %4, %5, %6}", "r"(a), "r"(b), "r"(c), "r"(d)); break;
        default: LOAD_TENSOR("5d", "{%3, %4, %5, %6, %7}", "r"(a), "r"(b), "r"(c), "r"(d), "r"(e));
        }
    }
    barrier_wait(&full, 0);
    for (int i = threadIdx.x; i < bytes / 4; i += blockDim.x) {
        out[blockIdx.x * bytes / 4 + i] = held[i];
    }
}

// A box of the first array to where the second's is, twice what it was.
KERNEL tensor_scale(const __grid_constant__ CUtensorMap map, const __grid_constant__ CUtensorMap to, const float *, float *, int w, int h, int bytes) {
    extern __shared__ __align__(1024) unsigned held[];
    __shared__ uint64_t full;
    int a = blockIdx.x * w, b = blockIdx.y * h;
    if (threadIdx.x == 0) {
        barrier_init(&full, 1);
        fence_init();
        asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
        barrier_expect(&full, bytes);
        LOAD_TENSOR("2d", "{%3, %4}", "r"(a), "r"(b));
    }
    __syncthreads();
    barrier_wait(&full, 0);
    for (int i = threadIdx.x; i < bytes / 4; i += blockDim.x) {
        held[i] = __float_as_uint(__uint_as_float(held[i]) * 2.f);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&to), "r"(shared_address(held)), "r"(a), "r"(b)
                     : "memory");
        bulk_finish();
    }
}

KERNEL tensor_reduce_3d(const __grid_constant__ CUtensorMap map, unsigned *, int a, int b, int c, int words, int least) {
    extern __shared__ __align__(1024) unsigned held[];
    for (int i = threadIdx.x; i < words; i += blockDim.x) {
        held[i] = i + blockIdx.x;
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        if (least) {
            asm volatile("cp.reduce.async.bulk.tensor.3d.global.shared::cta.max.tile.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(&map), "r"(shared_address(held)),
                         "r"(a), "r"(b), "r"(c)
                         : "memory");
        } else {
            asm volatile("cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.tile.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(&map), "r"(shared_address(held)),
                         "r"(a), "r"(b), "r"(c)
                         : "memory");
        }
        bulk_finish();
    }
}

// ---- clusters ----

extern "C" __global__ void __cluster_dims__(2, 1, 1)
    tensor_multicast(const __grid_constant__ CUtensorMap map, const unsigned *, unsigned *out, int w, int h, int bytes) {
    extern __shared__ __align__(1024) unsigned held[];
    __shared__ uint64_t full;
    auto cluster = cg::this_cluster();
    int rank = cluster.block_rank();
    if (threadIdx.x == 0) {
        barrier_init(&full, 1);
        fence_init();
        barrier_expect(&full, 2 * bytes);
    }
    cluster.sync();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(
                         shared_address(held + rank * bytes / 4)),
                     "l"(&map), "r"(shared_address(&full)), "r"(static_cast<int>(blockIdx.x) / 2 * w), "r"(rank * h), "h"(static_cast<short>(3))
                     : "memory");
    }
    barrier_wait(&full, 0);
    for (int i = threadIdx.x; i < bytes / 2; i += blockDim.x) {
        out[blockIdx.x * bytes / 2 + i] = held[i] + rank;
    }
    cluster.sync();
}

extern "C" __global__ void __cluster_dims__(4, 1, 1) bulk_multicast(int bytes, const unsigned *in, unsigned *out) {
    extern __shared__ __align__(128) unsigned held[];
    __shared__ uint64_t full;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        barrier_init(&full, 1);
        fence_init();
        barrier_expect(&full, bytes);
    }
    cluster.sync();
    if (threadIdx.x == 0 && cluster.block_rank() == 1) {
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(shared_address(held)),
                     "l"(in + blockIdx.x / 4 * bytes / 4), "r"(bytes), "r"(shared_address(&full)), "h"(static_cast<short>(15))
                     : "memory");
    }
    barrier_wait(&full, 0);
    for (int i = threadIdx.x; i < bytes / 4; i += blockDim.x) {
        out[blockIdx.x * bytes / 4 + i] = held[i] * (cluster.block_rank() + 1);
    }
    cluster.sync();
}

extern "C" __global__ void __cluster_dims__(4, 1, 1) cluster_ring_sum(const int *in, int *out) {
    __shared__ int mine[256];
    auto cluster = cg::this_cluster();
    mine[threadIdx.x] = in[thread_index()];
    cluster.sync();
    int sum = 0;
    for (int k = 0; k < 4; k++) {
        sum = sum * 3 + cluster.map_shared_rank(mine, (cluster.block_rank() + k) % 4)[threadIdx.x ^ k];
    }
    cluster.sync();
    out[thread_index()] = sum;
}

extern "C" __global__ void __cluster_dims__(2, 2, 1) cluster_transpose(int n, const float *in, float *out) {
    __shared__ float tile[16][17];
    auto cluster = cg::this_cluster();
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    dim3 at = cluster.block_index();
    float *there = cluster.map_shared_rank(&tile[0][0], at.x * 2 + at.y);
    cluster.sync();
    there[threadIdx.x * 17 + threadIdx.y] = in[y * n + x];
    cluster.sync();
    out[y * n + x] = tile[threadIdx.y][threadIdx.x];
}

extern "C" __global__ void __cluster_dims__(8, 1, 1) cluster_histogram(int n, const unsigned *in, unsigned *out) {
    __shared__ unsigned bins[32];
    auto cluster = cg::this_cluster();
    if (threadIdx.x < 32) {
        bins[threadIdx.x] = 0;
    }
    cluster.sync();
    for (int i = thread_index(); i < n; i += gridDim.x * blockDim.x) {
        unsigned bin = in[i] & 255;
        atomicAdd(cluster.map_shared_rank(bins, bin / 32) + bin % 32, 1u);
    }
    cluster.sync();
    if (threadIdx.x < 32) {
        out[blockIdx.x * 32 + threadIdx.x] = bins[threadIdx.x];
    }
}

// Blocks hand their half to the neighbour by a bulk copy between shared memories.
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_bulk_swap(const float *in, float *out) {
    __shared__ __align__(128) float mine[512], theirs[512];
    __shared__ uint64_t full;
    auto cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < 512; i += blockDim.x) {
        mine[i] = in[blockIdx.x * 512 + i] + 1;
    }
    if (threadIdx.x == 0) {
        barrier_init(&full, 1);
        fence_init();
        barrier_expect(&full, 2048);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    cluster.sync();
    if (threadIdx.x == 0) {
        unsigned to, bar, peer = cluster.block_rank() ^ 1;
        asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(shared_address(theirs)), "r"(peer));
        asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(bar) : "r"(shared_address(&full)), "r"(peer));
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 2048, [%2];" ::"r"(to), "r"(shared_address(mine)), "r"(bar)
                     : "memory");
    }
    barrier_wait(&full, 0);
    for (int i = threadIdx.x; i < 512; i += blockDim.x) {
        out[blockIdx.x * 512 + i] = theirs[511 - i];
    }
    cluster.sync();
}
