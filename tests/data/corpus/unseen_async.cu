/* Asynchronous copies by another hand: LDGSTS, bulk and tensor copies, pipelines with roles, clusters, the libraries' forms. Written
 * before the model was looked at. Launches are in launches.py. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
#include <stdint.h>

namespace cg = cooperative_groups;

static __device__ __forceinline__ uint32_t sptr(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
static __device__ __forceinline__ void bar_init(uint64_t *b, int n) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(sptr(b)), "r"(n) : "memory"); }
static __device__ __forceinline__ void bar_fence() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
static __device__ __forceinline__ void bar_expect(uint64_t *b, int n) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(sptr(b)), "r"(n) : "memory");
}
static __device__ __forceinline__ void bar_arrive(uint64_t *b) { asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(sptr(b)) : "memory"); }
static __device__ __forceinline__ void bar_wait(uint64_t *b, int phase) {
    uint32_t ok = 0;
    while (!ok)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(ok) : "r"(sptr(b)), "r"(phase) : "memory");
}
static __device__ __forceinline__ void bulk_get(void *to, const void *from, int n, uint64_t *b) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(sptr(to)), "l"(from), "r"(n), "r"(sptr(b)) : "memory");
}
static __device__ __forceinline__ void bulk_put(void *to, const void *from, int n) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(sptr(from)), "r"(n) : "memory");
}
static __device__ __forceinline__ void bulk_finish() { asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory"); }
static __device__ __forceinline__ void async_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

extern "C" {

/* ---- LDGSTS ---- */
__global__ void async_float3(const float *in, float *out, int n) {
    __shared__ float s[3 * 128];
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i < n)
        for (int k = 0; k < 3; k++) __pipeline_memcpy_async(s + 3 * threadIdx.x + k, in + 3 * i + k, 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    if (i < n) out[i] = s[3 * threadIdx.x] + s[3 * threadIdx.x + 1] * s[3 * threadIdx.x + 2];
}
__global__ void async_halves(const float2 *in, float2 *out, int n, int shift) {
    __shared__ float2 s[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) __pipeline_memcpy_async(s + threadIdx.x, in + i + shift, 8);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    if (i < n) out[i] = s[threadIdx.x];
}
__global__ void async_zfill(const float4 *in, float4 *out, int bytes) {
    __shared__ float4 s[192];
    int left = min(max(bytes - (int)threadIdx.x * 16, 0), 16);
    __pipeline_memcpy_async(s + threadIdx.x, in + threadIdx.x, 16, 16 - left);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = s[threadIdx.x];
}
__global__ void async_zfill_ca16(const float4 *in, float4 *out, int rows) {
    __shared__ float4 s[8][17];
    int x = threadIdx.x, y = threadIdx.y;
    int keep = y < rows ? 16 : 0;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(sptr(&s[y][x])), "l"(in + (keep ? y : 0) * 16 + x), "r"(keep) : "memory");
    asm volatile("cp.async.commit_group; cp.async.wait_all;" ::: "memory");
    __syncthreads();
    out[y * 16 + x] = s[y][15 - x];
}
__global__ void async_tile_halo(int w, int h, const float *in, float *out) {
    __shared__ float t[10][34];
    int x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 8 - 1;
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 340; k += 256) {
        int x = min(max(x0 + k % 34, 0), w - 1), y = min(max(y0 + k / 34, 0), h - 1);
        __pipeline_memcpy_async(&t[k / 34][k % 34], in + y * w + x, 4);
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < w && y < h)
        out[y * w + x] = t[threadIdx.y + 1][threadIdx.x + 1] + t[threadIdx.y][threadIdx.x + 1] + t[threadIdx.y + 2][threadIdx.x + 1] + t[threadIdx.y + 1][threadIdx.x] +
                         t[threadIdx.y + 1][threadIdx.x + 2];
}
__global__ void async_gather_rows(const int *rows, const float4 *in, float4 *out, int width) {
    __shared__ float4 s[16][12];
    int r = threadIdx.x / 12, c = threadIdx.x % 12;
    if (r < 16) __pipeline_memcpy_async(&s[r][c], in + rows[blockIdx.x * 16 + r] * width + c, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    if (r < 16) out[(blockIdx.x * 16 + r) * 12 + c] = s[15 - r][c];
}
__global__ void async_stage5(const float *in, float *out, int tiles) {
    __shared__ float s[5][160];
    const float *from = in + blockIdx.x * tiles * 160 + threadIdx.x;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (k < tiles) __pipeline_memcpy_async(&s[k][threadIdx.x], from + k * 160, 4);
        __pipeline_commit();
    }
    float sum = 0.0f;
    for (int k = 0; k < tiles; k++) {
        if (k + 4 < tiles) __pipeline_memcpy_async(&s[(k + 4) % 5][threadIdx.x], from + (k + 4) * 160, 4);
        __pipeline_commit();
        __pipeline_wait_prior(4);
        sum += s[k % 5][threadIdx.x];
    }
    out[blockIdx.x * 160 + threadIdx.x] = sum;
}
__global__ void async_double_buffer(const float4 *in, float4 *out, int tiles) {
    extern __shared__ float4 ring[];
    int b = blockDim.x;
    const float4 *from = in + blockIdx.x * tiles * b;
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(sptr(ring + threadIdx.x)), "l"(from + threadIdx.x) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    for (int k = 0; k < tiles; k++) {
        if (k + 1 < tiles)
            asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(sptr(ring + (k + 1) % 2 * b + threadIdx.x)), "l"(from + (k + 1) * b + threadIdx.x) : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        float4 v = ring[k % 2 * b + (threadIdx.x ^ 3)];
        out[(blockIdx.x * tiles + k) * b + threadIdx.x] = v;
        __syncthreads();
    }
}
__global__ void async_mbarrier_noinc(const float4 *in, float4 *out) {
    __shared__ float4 s[128];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) bar_init(&bar, blockDim.x);
    __syncthreads();
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(sptr(s + threadIdx.x)), "l"(in + blockIdx.x * blockDim.x + threadIdx.x) : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(sptr(&bar)) : "memory");
    bar_wait(&bar, 0);
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
__global__ void gemm_async(int n, const float *a, const float *b, float *c) {
    __shared__ __align__(16) float as[3][32][20], bs[3][16][32];
    int t = threadIdx.x, tx = t % 16, ty = t / 16;
    float acc[2][4] = {};
    auto load = [&](int k0, int st) {
        if (k0 < n) {
            __pipeline_memcpy_async(&as[st][t / 4][t % 4 * 4], a + (blockIdx.y * 32 + t / 4) * n + k0 + t % 4 * 4, 16);
            __pipeline_memcpy_async(&bs[st][t / 8][t % 8 * 4], b + (k0 + t / 8) * n + blockIdx.x * 32 + t % 8 * 4, 16);
        }
        __pipeline_commit();
    };
    load(0, 0);
    load(16, 1);
    for (int k0 = 0, st = 0; k0 < n; k0 += 16, st = (st + 1) % 3) {
        __pipeline_wait_prior(1);
        __syncthreads();
        load(k0 + 32, (st + 2) % 3);
#pragma unroll
        for (int k = 0; k < 16; k++)
#pragma unroll
            for (int i = 0; i < 4; i++) acc[i / 2 % 2][i % 2 + 0] = fmaf(as[st][ty * 4 + i / 2 % 2][k], bs[st][k][tx * 2 + i % 2], acc[i / 2 % 2][i % 2]);
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) c[(blockIdx.y * 32 + ty * 4 + i) * n + blockIdx.x * 32 + tx * 2 + j] = acc[i][j];
}
__global__ void async_im2col(int w, int c4, const float4 *in, float4 *out) {
    extern __shared__ float4 patch[];
    int taps = 9 * c4, ox = blockIdx.x, oy = blockIdx.y;
    for (int k = threadIdx.x; k < taps; k += blockDim.x) {
        int c = k % c4, u = k / c4 % 3, v = k / c4 / 3;
        __pipeline_memcpy_async(patch + k, in + ((oy + v) * w + ox + u) * c4 + c, 16);
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int k = threadIdx.x; k < taps; k += blockDim.x) out[(blockIdx.y * gridDim.x + blockIdx.x) * taps + k] = patch[k];
}

/* ---- the libraries' forms ---- */
__global__ void group_odd_bytes(const char *in, char *out, int bytes) {
    extern __shared__ __align__(16) char raw[];
    cg::thread_block g = cg::this_thread_block();
    cg::memcpy_async(g, raw, in + blockIdx.x * bytes, bytes);
    cg::wait(g);
    for (int k = threadIdx.x; k < bytes; k += blockDim.x) out[blockIdx.x * bytes + k] = raw[k];
}
__global__ void group_aligned4(const int *in, int *out, int count) {
    extern __shared__ __align__(16) int ints[];
    cg::thread_block g = cg::this_thread_block();
    cg::memcpy_async(g, ints, in + blockIdx.x * count, cuda::aligned_size_t<4>(count * 4));
    cg::wait(g);
    for (int k = g.thread_rank(); k < count; k += g.size()) out[blockIdx.x * count + k] = ints[count - 1 - k];
}
__global__ void tiles8_memcpy(const float4 *in, float4 *out) {
    __shared__ float4 s[16][8];
    auto t = cg::tiled_partition<8>(cg::this_thread_block());
    int m = t.meta_group_rank();
    cg::memcpy_async(t, s[m], in + (blockIdx.x * 16 + m) * 8, cuda::aligned_size_t<16>(128));
    cg::wait(t);
    out[(blockIdx.x * 16 + m) * 8 + t.thread_rank()] = s[m][7 - t.thread_rank()];
}
__global__ void barrier_two_arrays(const float *a, const float *b, float *out, int n) {
    __shared__ __align__(16) float sa[320], sb[320];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    auto g = cg::this_thread_block();
    cuda::memcpy_async(g, sa, a + blockIdx.x * n, sizeof(float) * n, bar);
    cuda::memcpy_async(g, sb, b + blockIdx.x * n, sizeof(float) * n, bar);
    bar.arrive_and_wait();
    for (int k = threadIdx.x; k < n; k += blockDim.x) out[blockIdx.x * n + k] = sa[k] * sb[n - 1 - k];
}
__global__ void barrier_thread_copies(const int4 *in, int4 *out) {
    __shared__ int4 s[96];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(s + threadIdx.x, in + blockIdx.x * 96 + threadIdx.x, cuda::aligned_size_t<16>(16), bar);
    bar.wait(bar.arrive());
    out[blockIdx.x * 96 + threadIdx.x] = s[95 - threadIdx.x];
}
__global__ void pipeline_odd(const float *in, float *out, int tiles, int each) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 3> state;
    __shared__ float s[3][200];
    auto g = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(g, &state);
    float sum = 0.0f;
    for (int k = 0, f = 0; k < tiles; k++) {
        for (; f < tiles && f < k + 3; f++) {
            pipe.producer_acquire();
            cuda::memcpy_async(g, s[f % 3], in + (blockIdx.x * tiles + f) * each, sizeof(float) * each, pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        if ((int)threadIdx.x < each) sum += s[k % 3][threadIdx.x];
        pipe.consumer_release();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void group_reduce(int n, const int *in, int *out) {
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int s = cg::reduce(tile, i < n ? in[i] : 0, cg::plus<int>());
    if (tile.thread_rank() == 0) out[i / 16] = s;
}
__global__ void coalesced_add(int n, const unsigned *in, int *counter, int *place) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 4 == 1) {
        auto g = cg::coalesced_threads();
        if (g.thread_rank() == 0) atomicAdd(counter, (int)g.size());
        place[i] = g.thread_rank();
    }
}

/* ---- bulk copies ---- */
__global__ void bulk_one(const char *in, char *out, int bytes, int from, int to) {
    extern __shared__ __align__(128) char area[];
    __shared__ uint64_t bar;
    char *s = area + to;
    if (threadIdx.x == 0) {
        bar_init(&bar, 1);
        bar_fence();
        bar_expect(&bar, bytes);
        bulk_get(s, in + from + (size_t)blockIdx.x * bytes, bytes, &bar);
    }
    __syncthreads();
    bar_wait(&bar, 0);
    for (int k = threadIdx.x; k < bytes / 16; k += blockDim.x) reinterpret_cast<int4 *>(out)[blockIdx.x * (bytes / 16) + k] = reinterpret_cast<int4 *>(s)[k];
}
__global__ void bulk_in_out(const float4 *in, float4 *out, int bytes) {
    extern __shared__ __align__(128) float4 stage4[];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        bar_init(&bar, 1);
        bar_fence();
    }
    __syncthreads();
    int n = bytes / 16;
    if (threadIdx.x == 0) {
        bar_expect(&bar, bytes);
        bulk_get(stage4, in + (size_t)blockIdx.x * n, bytes, &bar);
    }
    bar_wait(&bar, 0);
    for (int k = threadIdx.x; k < n; k += blockDim.x) stage4[k].x += 1.0f;
    async_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_put(out + (size_t)blockIdx.x * n, stage4, bytes);
        bulk_finish();
    }
}
__global__ void bulk_warps_own(const char *in, char *out, int bytes) {
    extern __shared__ __align__(128) char mine[];
    __shared__ uint64_t bar[8];
    int w = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (lane == 0) {
        bar_init(bar + w, 1);
        bar_fence();
        bar_expect(bar + w, bytes);
        bulk_get(mine + w * bytes, in + (size_t)(blockIdx.x * 8 + w) * bytes, bytes, bar + w);
    }
    __syncwarp();
    bar_wait(bar + w, 0);
    for (int k = lane; k < bytes / 4; k += 32) reinterpret_cast<int *>(out)[(blockIdx.x * 8 + w) * (bytes / 4) + k] = reinterpret_cast<int *>(mine + w * bytes)[k];
}
__global__ void bulk_reduce_f32(float *out, int n) {
    extern __shared__ __align__(128) float part[];
    for (int k = threadIdx.x; k < n; k += blockDim.x) part[k] = (float)k;
    async_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(out), "r"(sptr(part)), "r"(4 * n) : "memory");
        bulk_finish();
    }
}
__global__ void bulk_reduce_max(int *out, int n, int skew) {
    extern __shared__ __align__(128) int partial[];
    for (int k = threadIdx.x; k < n; k += blockDim.x) partial[k] = k * 7 - (int)blockIdx.x;
    async_fence();
    __syncthreads();
    if (threadIdx.x < 4) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 [%0], [%1], %2;" ::"l"(out + skew + threadIdx.x * (n / 4)), "r"(sptr(partial + threadIdx.x * (n / 4))), "r"(n) : "memory");
        bulk_finish();
    }
}
__global__ void specialised_copy(const float4 *in, float4 *out, int tiles) {
    __shared__ __align__(128) float4 s[4][96];
    __shared__ uint64_t full[4], empty[4];
    if (threadIdx.x == 0) {
        for (int k = 0; k < 4; k++) bar_init(full + k, 1), bar_init(empty + k, 96);
        bar_fence();
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0)
            for (int k = 0; k < tiles; k++) {
                if (k >= 4) bar_wait(empty + k % 4, (k / 4 - 1) & 1);
                bar_expect(full + k % 4, 1536);
                bulk_get(s[k % 4], in + (size_t)(blockIdx.x * tiles + k) * 96, 1536, full + k % 4);
            }
    } else {
        int t = threadIdx.x - 32;
        for (int k = 0; k < tiles; k++) {
            bar_wait(full + k % 4, k / 4 & 1);
            float4 v = s[k % 4][t];
            bar_arrive(empty + k % 4);
            out[(size_t)(blockIdx.x * tiles + k) * 96 + t] = make_float4(v.x * 2, v.y * 2, v.z * 2, v.w * 2);
        }
    }
}
__global__ void __cluster_dims__(2, 1, 1) multicast_rows(const float4 *in, float4 *out) {
    __shared__ __align__(128) float4 s[2][64];
    __shared__ uint64_t bar;
    cg::cluster_group c = cg::this_cluster();
    unsigned rank = c.block_rank();
    if (threadIdx.x == 0) {
        bar_init(&bar, 1);
        bar_fence();
        bar_expect(&bar, 2048);
    }
    c.sync();
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 1024, [%2], %3;" ::"r"(sptr(s[rank])),
                     "l"(in + (blockIdx.x / 2 * 2 + rank) * 64), "r"(sptr(&bar)), "h"((unsigned short)3) : "memory");
    bar_wait(&bar, 0);
    out[blockIdx.x * 64 + threadIdx.x] = rank ? s[0][threadIdx.x] : s[1][threadIdx.x];
    c.sync();
}

/* ---- clusters ---- */
__global__ void __cluster_dims__(4, 1, 1) cluster_ring_sum(const float *in, float *out) {
    __shared__ float s[128];
    cg::cluster_group c = cg::this_cluster();
    int i = blockIdx.x * 128 + threadIdx.x;
    s[threadIdx.x] = in[i];
    c.sync();
    float v = 0.0f;
    for (int k = 0; k < 4; k++) v += *c.map_shared_rank(s + threadIdx.x, (c.block_rank() + k) % 4);
    out[i] = v;
    c.sync();
}
__global__ void __cluster_dims__(2, 1, 1) cluster_push(const float *in, float *out) {
    __shared__ float s[192];
    cg::cluster_group c = cg::this_cluster();
    c.sync();
    float *there = c.map_shared_rank(s, c.block_rank() ^ 1);
    int i = blockIdx.x * 192 + threadIdx.x;
    there[191 - threadIdx.x] = in[i];
    c.sync();
    out[i] = s[threadIdx.x];
}
__global__ void __cluster_dims__(2, 1, 1) cluster_histogram(int n, const unsigned *in, unsigned *out) {
    __shared__ unsigned bins[64];
    cg::cluster_group c = cg::this_cluster();
    if (threadIdx.x < 64) bins[threadIdx.x] = 0;
    c.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned b = in[i] & 127;
        atomicAdd(c.map_shared_rank(bins + b % 64, b / 64), 1u);
    }
    c.sync();
    if (threadIdx.x < 64) atomicAdd(out + c.block_rank() * 64 + threadIdx.x, bins[threadIdx.x]);
}
__global__ void __cluster_dims__(2, 2, 1) cluster_halo(int w, const float *in, float *out) {
    __shared__ float t[16][16];
    cg::cluster_group c = cg::this_cluster();
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    t[threadIdx.y][threadIdx.x] = in[y * w + x];
    c.sync();
    unsigned other = c.block_rank() ^ 1;
    float (*o)[16] = c.map_shared_rank(t, other);
    float side = threadIdx.x == 15 ? o[threadIdx.y][0] : t[threadIdx.y][threadIdx.x + 1];
    out[y * w + x] = side + t[threadIdx.y][threadIdx.x];
    c.sync();
}

/* ---- tensor copies ---- */
struct __align__(64) tensor_map { unsigned long long opaque[16]; };

#define TENSOR_GET(dims, list, ...)                                                                                                     \
    asm volatile("cp.async.bulk.tensor." dims ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, " list "], [%2];" ::"r"(sptr(tile)), \
                 "l"(&m), "r"(sptr(&bar)), __VA_ARGS__ : "memory")
__global__ void tensor_sum(const __grid_constant__ tensor_map m, const float *whole, float *out, int rank, int c0, int c1, int c2, int c3, int c4, int held, int bytes) {
    extern __shared__ __align__(1024) float tile[];
    __shared__ uint64_t bar;
    for (int k = threadIdx.x; k < held / 4; k += blockDim.x) tile[k] = -1.0f;
    if (threadIdx.x == 0) {
        bar_init(&bar, 1);
        bar_fence();
    }
    async_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        bar_expect(&bar, bytes);
        switch (rank) {
        case 1: TENSOR_GET("1d", "{%3}", "r"(c0)); break;
        case 2: TENSOR_GET("2d", "{%3, %4}", "r"(c0), "r"(c1)); break;
        case 3: TENSOR_GET("3d", "{%3, %4, %5}", "r"(c0), "r"(c1), "r"(c2)); break;
        case 4: TENSOR_GET("4d", "{%3, %4, %5, %6}", "r"(c0), "r"(c1), "r"(c2), "r"(c3)); break;
        case 5: TENSOR_GET("5d", "{%3, %4, %5, %6, %7}", "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4)); break;
        }
    }
    bar_wait(&bar, 0);
    for (int k = threadIdx.x; k < held / 4; k += blockDim.x) out[k] = tile[k];
}
__global__ void tensor_pipeline(const __grid_constant__ tensor_map m, const __grid_constant__ tensor_map o, const float *a, float *b, int tiles, int height, int bytes) {
    extern __shared__ __align__(1024) float buffers[];
    __shared__ uint64_t full[2];
    if (threadIdx.x == 0) {
        bar_init(full, 1), bar_init(full + 1, 1);
        bar_fence();
    }
    __syncthreads();
    for (int k = 0; k < tiles; k++) {
        float *tile = buffers + k % 2 * (bytes / 4);
        uint64_t &bar = full[k % 2];
        if (threadIdx.x == 0) {
            asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
            bar_expect(&bar, bytes);
            TENSOR_GET("2d", "{%3, %4}", "r"((int)blockIdx.x * 32), "r"(k * height));
        }
        bar_wait(&bar, k / 2 & 1);
        for (int e = threadIdx.x; e < bytes / 4; e += blockDim.x) tile[e] = tile[e] * 0.5f;
        async_fence();
        __syncthreads();
        if (threadIdx.x == 0) {
            asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&o), "r"(sptr(tile)), "r"((int)blockIdx.x * 32), "r"(k * height) : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
    }
    if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
__global__ void __cluster_dims__(4, 1, 1) tensor_multicast4(const __grid_constant__ tensor_map m, const float *whole, float *out, int held) {
    extern __shared__ __align__(1024) float tile[];
    __shared__ uint64_t bar;
    cg::cluster_group c = cg::this_cluster();
    if (threadIdx.x == 0) {
        bar_init(&bar, 1);
        bar_fence();
        bar_expect(&bar, held);
    }
    c.sync();
    if (threadIdx.x == 0 && c.block_rank() == 2)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(sptr(tile)),
                     "l"(&m), "r"(sptr(&bar)), "r"(0), "r"((int)blockIdx.x / 4 * 8), "h"((unsigned short)13) : "memory");
    if (c.block_rank() != 1) bar_wait(&bar, 0);
    float v = c.block_rank() != 1 ? tile[threadIdx.x] : 0.0f;
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
    c.sync();
}

} /* extern "C" */
