// Copies that go on by themselves: LDGSTS with tiles, halos and zero fill, pipelines, bulk copies of odd sizes, tensors, clusters.
// Kernels of a fourth blind test.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

#define KERNEL extern "C" __global__ void
namespace cg = cooperative_groups;

namespace {

__device__ __forceinline__ int tid() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ __forceinline__ unsigned in_shared(const void *p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// An mbarrier, by hand.
struct gate {
    uint64_t state;

    __device__ void open(int count) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"(in_shared(&state)), "r"(count) : "memory");
    }

    __device__ void expect(int bytes) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(in_shared(&state)), "r"(bytes) : "memory");
    }

    __device__ void pass(int phase) {
        asm volatile("{\n.reg .pred done;\nagain_%=:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra again_%=;\n}" ::"r"(in_shared(&state)),
                     "r"(phase)
                     : "memory");
    }
};

__device__ __forceinline__ void load_bulk(void *to, const void *from, int bytes, gate &full) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(in_shared(to)), "l"(from), "r"(bytes),
                 "r"(in_shared(&full.state))
                 : "memory");
}

__device__ __forceinline__ void store_bulk(void *to, const void *from, int bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(in_shared(from)), "r"(bytes) : "memory");
}

__device__ __forceinline__ void drain() {
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

__device__ __forceinline__ void publish() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

}

// ---- LDGSTS ----

template <typename T>
__device__ void double_buffered(int tiles, const T *in, T *out) {
    extern __shared__ __align__(16) unsigned char raw[];
    T *buffer = reinterpret_cast<T *>(raw);
    int t = threadIdx.x, n = blockDim.x;
    const T *from = in + static_cast<size_t>(blockIdx.x) * tiles * n;
    __pipeline_memcpy_async(buffer + t, from + t, sizeof(T));
    __pipeline_commit();
    for (int k = 0; k < tiles; k++) {
        if (k + 1 < tiles) {
            __pipeline_memcpy_async(buffer + (k + 1) % 2 * n + t, from + (k + 1) * n + t, sizeof(T));
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        out[static_cast<size_t>(blockIdx.x) * tiles * n + k * n + t] = buffer[k % 2 * n + n - 1 - t];
        __syncthreads();
    }
}

KERNEL flip_tiles_4(int tiles, const int *in, int *out) {
    double_buffered(tiles, in, out);
}

KERNEL flip_tiles_8(int tiles, const int2 *in, int2 *out) {
    double_buffered(tiles, in, out);
}

KERNEL flip_tiles_16(int tiles, const int4 *in, int4 *out) {
    double_buffered(tiles, in, out);
}

// A tile with its halo, word by word; what lies outside is filled with zeros.
KERNEL halo_tile_4(int w, int h, const float *in, float *out) {
    __shared__ float tile[10][20];
    int x0 = blockIdx.x * 16 - 2, y0 = blockIdx.y * 8 - 1, t = threadIdx.y * 16 + threadIdx.x;
    for (int i = t; i < 200; i += 128) {
        int x = x0 + i % 20, y = y0 + i / 20;
        bool inside = x >= 0 && x < w && y >= 0 && y < h;
        __pipeline_memcpy_async(&tile[i / 20][i % 20], in + (inside ? y * w + x : 0), 4, inside ? 0 : 4);
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    int x = x0 + 2 + threadIdx.x, y = y0 + 1 + threadIdx.y;
    if (x < w && y < h) {
        out[y * w + x] = tile[threadIdx.y][threadIdx.x + 2] + tile[threadIdx.y + 2][threadIdx.x + 2] + tile[threadIdx.y + 1][threadIdx.x] +
                         tile[threadIdx.y + 1][threadIdx.x + 4];
    }
}

KERNEL rows_zfill_16(int rows, int pitch, int valid, const float4 *in, float4 *out) {
    extern __shared__ float4 row[];
    for (int r = blockIdx.x; r < rows; r += gridDim.x) {
        int t = threadIdx.x;
        bool there = t < valid;
        __pipeline_memcpy_async(&row[t], in + r * pitch + (there ? t : 0), 16, there ? 0 : 16);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        out[r * blockDim.x + t] = row[blockDim.x - 1 - t];
        __syncthreads();
    }
}

KERNEL aos24_in_eights(const double *in, double *out) {
    __shared__ double held[96 * 3];
    for (int k = 0; k < 3; k++) {
        __pipeline_memcpy_async(&held[threadIdx.x * 3 + k], in + tid() * 3 + k, 8);
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[tid()] = held[threadIdx.x] + held[threadIdx.x + 96] * held[threadIdx.x + 192];
}

KERNEL gather_rows_16(int width, const int *which, const float4 *table, float4 *out) {
    extern __shared__ float4 rows[];
    int each = blockDim.x / width, r = threadIdx.x / width, c = threadIdx.x % width;
    if (r < each) {
        __pipeline_memcpy_async(&rows[r * (width + 1) + c], table + (which[blockIdx.x * each + r] & 63) * width + c, 16);
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    if (r < each) {
        out[(blockIdx.x * each + r) * width + c] = rows[r * (width + 1) + width - 1 - c];
    }
}

KERNEL gemm_three_stages(int n, int k, const float *a, const float *b, float *c) {
    __shared__ __align__(16) float as[3][32][8], bs[3][8][32];
    int t = threadIdx.x, row0 = blockIdx.y * 32, col0 = blockIdx.x * 32, tiles = k / 8;
    auto fetch = [&](int s) {
        if (s < tiles) {
            if (t < 64) {
                __pipeline_memcpy_async(&as[s % 3][t / 2][t % 2 * 4], a + (row0 + t / 2) * k + s * 8 + t % 2 * 4, 16);
            } else {
                int u = t - 64;
                __pipeline_memcpy_async(&bs[s % 3][u / 8][u % 8 * 4], b + (s * 8 + u / 8) * n + col0 + u % 8 * 4, 16);
            }
        }
        __pipeline_commit();
    };
    fetch(0);
    fetch(1);
    float sum[8] = {};
    for (int s = 0; s < tiles; s++) {
        __pipeline_wait_prior(1);
        __syncthreads();
        fetch(s + 2);
#pragma unroll
        for (int q = 0; q < 8; q++) {
            float v = bs[s % 3][q][t % 32];
#pragma unroll
            for (int r = 0; r < 8; r++) {
                sum[r] += as[s % 3][t / 32 * 8 + r][q] * v;
            }
        }
    }
    for (int r = 0; r < 8; r++) {
        c[(row0 + t / 32 * 8 + r) * n + col0 + t % 32] = sum[r];
    }
}

// ---- the libraries' forms ----

KERNEL pipeline_of_thread(int tiles, const float2 *in, float *out) {
    extern __shared__ float2 mine[];
    auto pipe = cuda::make_pipeline();
    int t = threadIdx.x, n = blockDim.x, base = blockIdx.x * tiles * n + t;
    float sum = 0;
    for (int k = 0, next = 0; k < tiles; k++) {
        for (; next < tiles && next < k + 3; next++) {
            pipe.producer_acquire();
            cuda::memcpy_async(&mine[next % 3 * n + t], &in[base + next * n], cuda::aligned_size_t<8>(8), pipe);
            pipe.producer_commit();
        }
        if (k + 3 <= tiles) {
            cuda::pipeline_consumer_wait_prior<2>(pipe);
        } else {
            cuda::pipeline_consumer_wait_prior<0>(pipe);
        }
        sum += mine[k % 3 * n + t].x - mine[k % 3 * n + t].y;
        pipe.consumer_release();
    }
    out[tid()] = sum;
}

KERNEL pipeline_of_block(int tiles, const int4 *in, int *out) {
    constexpr int stages = 2;
    extern __shared__ int4 quads[];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int n = blockDim.x, sum = 0;
    for (int k = 0, next = 0; k < tiles; k++) {
        for (; next < tiles && next < k + stages; next++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, quads + next % stages * n, in + (blockIdx.x * tiles + next) * n, cuda::aligned_size_t<16>(sizeof(int4) * n), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        int4 v = quads[k % stages * n + (threadIdx.x + 1) % n];
        sum += v.x ^ v.w;
        pipe.consumer_release();
    }
    out[tid()] = sum;
}

KERNEL pipeline_one_producer_warp(int tiles, const float *in, float *out) {
    __shared__ float held[2][96];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    bool producer = threadIdx.x < 32;
    auto pipe = cuda::make_pipeline(block, &state, producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    float sum = 0;
    for (int k = 0; k < tiles; k++) {
        if (producer) {
            pipe.producer_acquire();
            for (int i = threadIdx.x; i < 96; i += 32) {
                cuda::memcpy_async(&held[k % 2][i], &in[(blockIdx.x * tiles + k) * 96 + i], sizeof(float), pipe);
            }
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            sum += held[k % 2][(threadIdx.x - 32) * 7 % 96];
            pipe.consumer_release();
        }
    }
    if (!producer) {
        out[blockIdx.x * 96 + threadIdx.x - 32] = sum;
    }
}

KERNEL group_copy_odd(int bytes, int from, const char *in, char *out) {
    extern __shared__ __align__(16) char odd[];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, odd, in + blockIdx.x * 2048 + from, bytes);
    cg::wait(block);
    for (int i = threadIdx.x; i < bytes; i += blockDim.x) {
        out[blockIdx.x * 2048 + i] = odd[bytes - 1 - i];
    }
}

KERNEL group_copy_elements(int count, const float3 *in, float *out) {
    extern __shared__ float3 vectors[];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, vectors, blockDim.x, in + blockIdx.x * blockDim.x, count);
    cg::wait(block);
    if (static_cast<int>(threadIdx.x) < count) {
        out[tid()] = vectors[threadIdx.x].x + vectors[threadIdx.x].z;
    }
}

KERNEL tile16_copy(const short *in, short *out) {
    __shared__ __align__(16) short held[128 * 4];
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int base = tile.meta_group_rank() * 64;
    cg::memcpy_async(tile, held + base, in + blockIdx.x * 512 + base, cuda::aligned_size_t<4>(128));
    cg::wait(tile);
    for (int k = tile.thread_rank(); k < 64; k += 16) {
        out[blockIdx.x * 512 + base + k] = static_cast<short>(held[base + (k * 3 & 63)] + 1);
    }
}

KERNEL barrier_copy_threads(int rounds, const int *in, int *out) {
    extern __shared__ int words[];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0) {
        init(&bar, block.size());
    }
    block.sync();
    int sum = 0, n = blockDim.x;
    for (int k = 0; k < rounds; k++) {
        cuda::memcpy_async(&words[threadIdx.x], &in[(blockIdx.x * rounds + k) * n + threadIdx.x], sizeof(int), bar);
        bar.arrive_and_wait();
        sum += words[n - 1 - threadIdx.x];
        bar.arrive_and_wait();
    }
    out[tid()] = sum;
}

// ---- bulk copies ----

KERNEL bulk_load_at(int bytes, int from, int to, const unsigned char *in, unsigned *out) {
    extern __shared__ __align__(128) unsigned char piece[];
    __shared__ gate full;
    if (threadIdx.x == 0) {
        full.open(1);
        full.expect(bytes);
        load_bulk(piece + to, in + blockIdx.x * 4096 + from, bytes, full);
    }
    __syncthreads();
    full.pass(0);
    const unsigned *words = reinterpret_cast<const unsigned *>(piece + to);
    for (int i = threadIdx.x; i < bytes / 4; i += blockDim.x) {
        out[blockIdx.x * 1024 + i] = words[i] + i;
    }
}

KERNEL bulk_store_at(int bytes, int from, int to, unsigned char *out) {
    extern __shared__ __align__(128) unsigned char piece[];
    unsigned *words = reinterpret_cast<unsigned *>(piece + from);
    for (int i = threadIdx.x; i < bytes / 4; i += blockDim.x) {
        words[i] = i * 3 + blockIdx.x;
    }
    publish();
    __syncthreads();
    if (threadIdx.x == 0) {
        store_bulk(out + blockIdx.x * 4096 + to, piece + from, bytes);
        drain();
    }
}

// A row for each warp, as long as the warp's number says.
KERNEL bulk_ragged_rows(const float *in, float *out) {
    __shared__ __align__(16) float rows[4][256];
    __shared__ gate full[4];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, bytes = 16 * (7 + 13 * warp);
    if (lane == 0) {
        full[warp].open(1);
        full[warp].expect(bytes);
        load_bulk(rows[warp], in + (blockIdx.x * 4 + warp) * 256 + warp * 4, bytes, full[warp]);
    }
    __syncwarp();
    full[warp].pass(0);
    for (int i = lane; i < bytes / 4; i += 32) {
        rows[warp][i] *= 2.f;
    }
    publish();
    __syncwarp();
    if (lane == 0) {
        store_bulk(out + (blockIdx.x * 4 + warp) * 256, rows[warp], bytes);
        drain();
    }
}

template <typename T>
__device__ void reduce_tile(int n, T value, T *out, int op) {
    extern __shared__ __align__(128) unsigned char terms[];
    T *held = reinterpret_cast<T *>(terms);
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        held[i] = value + static_cast<T>(i & 7);
    }
    publish();
    __syncthreads();
    if (threadIdx.x == 0) {
        int bytes = n * static_cast<int>(sizeof(T));
        if (op == 0) {
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [%0], [%1], %2;" ::"l"(out), "r"(in_shared(held)), "r"(bytes) : "memory");
        } else if (op == 1) {
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s32 [%0], [%1], %2;" ::"l"(out), "r"(in_shared(held)), "r"(bytes) : "memory");
        } else {
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.or.b32 [%0], [%1], %2;" ::"l"(out), "r"(in_shared(held)), "r"(bytes) : "memory");
        }
        drain();
    }
}

KERNEL bulk_add_u64(int n, unsigned long long *out) {
    reduce_tile<unsigned long long>(n, 5, out, 0);
}

KERNEL bulk_min_s32(int n, int *out) {
    reduce_tile<int>(n, -100, out, 1);
}

KERNEL bulk_or_b32(int n, int *out) {
    reduce_tile<int>(n, 64, out, 2);
}

// ---- tensors ----

#define BOX_IN(dims, list, ...)                                                                                                                            \
    asm volatile("cp.async.bulk.tensor." dims ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, " list "], [%2];" ::"r"(in_shared(held)), \
                 "l"(&map), "r"(in_shared(&full.state)), __VA_ARGS__                                                                                       \
                 : "memory")
#define BOX_OUT(dims, list, ...)                                                                                                                           \
    asm volatile("cp.async.bulk.tensor." dims ".global.shared::cta.tile.bulk_group [%0, " list "], [%1];" ::"l"(&map), "r"(in_shared(held)), __VA_ARGS__ : "memory")

KERNEL box_in(const __grid_constant__ CUtensorMap map, const unsigned *, unsigned *out, int dims, int a, int b, int c, int d, int e, int bytes, int box) {
    extern __shared__ __align__(1024) unsigned held[];
    __shared__ gate full;
    for (int i = threadIdx.x; i < bytes / 4; i += blockDim.x) {
        held[i] = 0;
    }
    publish();
    if (threadIdx.x == 0) {
        full.open(1);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        full.expect(box);
        switch (dims) {
        case 1: BOX_IN("1d", "{%3}", "r"(a)); break;
        case 2: BOX_IN("2d", "{%3, %4}", "r"(a), "r"(b)); break;
        case 3: BOX_IN("3d", "{%3, %4, %5}", "r"(a), "r"(b), "r"(c)); break;
        case 4: BOX_IN("4d", "{%3, %4, %5, %6}", "r"(a), "r"(b), "r"(c), "r"(d)); break;
        default: BOX_IN("5d", "{%3, %4, %5, %6, %7}", "r"(a), "r"(b), "r"(c), "r"(d), "r"(e));
        }
    }
    full.pass(0);
    for (int i = threadIdx.x; i < bytes / 4; i += blockDim.x) {
        out[blockIdx.x * bytes / 4 + i] = held[i];
    }
}

KERNEL box_out(const __grid_constant__ CUtensorMap map, unsigned *, int dims, int a, int b, int c, int d, int e, int bytes) {
    extern __shared__ __align__(1024) unsigned held[];
    for (int i = threadIdx.x; i < bytes / 4; i += blockDim.x) {
        held[i] = i;
    }
    publish();
    __syncthreads();
    if (threadIdx.x == 0) {
        switch (dims) {
        case 1: BOX_OUT("1d", "{%2}", "r"(a)); break;
        case 2: BOX_OUT("2d", "{%2, %3}", "r"(a), "r"(b)); break;
        case 3: BOX_OUT("3d", "{%2, %3, %4}", "r"(a), "r"(b), "r"(c)); break;
        case 4: BOX_OUT("4d", "{%2, %3, %4, %5}", "r"(a), "r"(b), "r"(c), "r"(d)); break;
        default: BOX_OUT("5d", "{%2, %3, %4, %5, %6}", "r"(a), "r"(b), "r"(c), "r"(d), "r"(e));
        }
        drain();
    }
}

// Boxes in two buffers, one ahead; swizzled rows are summed by column.
KERNEL boxes_ahead(const __grid_constant__ CUtensorMap map, const float *, float *out, int w, int h, int count) {
    extern __shared__ __align__(1024) float buffers[];
    __shared__ gate full2[2];
    int bytes = w * h * 4;
    auto fetch = [&](int k) {
        float *held = buffers + k % 2 * w * h;
        gate &full = full2[k % 2];
        full.expect(bytes);
        BOX_IN("2d", "{%3, %4}", "r"(static_cast<int>(blockIdx.x) * w), "r"(k * h));
    };
    if (threadIdx.x == 0) {
        full2[0].open(1);
        full2[1].open(1);
        publish();
        fetch(0);
    }
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < count; k++) {
        if (threadIdx.x == 0 && k + 1 < count) {
            fetch(k + 1);
        }
        full2[k % 2].pass(k / 2 & 1);
        for (int r = 0; r < h; r++) {
            sum += buffers[k % 2 * w * h + r * w + (threadIdx.x ^ (r & 7) * 4) % w];
        }
        __syncthreads();
    }
    out[tid()] = sum;
}

KERNEL pixels_in(const __grid_constant__ CUtensorMap map, const unsigned *, unsigned *out, int c, int w, int h, int n, int across, int down, int bytes, int box) {
    extern __shared__ __align__(1024) unsigned held[];
    __shared__ gate full;
    if (threadIdx.x == 0) {
        full.open(1);
        publish();
        full.expect(box);
        asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6}], [%2], {%7, %8};" ::"r"(
                         in_shared(held)),
                     "l"(&map), "r"(in_shared(&full.state)), "r"(c), "r"(w), "r"(h), "r"(n), "h"(static_cast<short>(across)), "h"(static_cast<short>(down))
                     : "memory");
    }
    __syncthreads();
    full.pass(0);
    for (int i = threadIdx.x; i < bytes / 4; i += blockDim.x) {
        out[i] = held[i];
    }
}

KERNEL box_reduce_2d(const __grid_constant__ CUtensorMap map, unsigned *, int a, int b, int words, int op) {
    extern __shared__ __align__(1024) unsigned held[];
    for (int i = threadIdx.x; i < words; i += blockDim.x) {
        held[i] = i * 7 + blockIdx.x;
    }
    publish();
    __syncthreads();
    if (threadIdx.x == 0) {
        if (op == 0) {
            asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&map), "r"(in_shared(held)), "r"(a), "r"(b)
                         : "memory");
        } else {
            asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.xor.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&map), "r"(in_shared(held)), "r"(a), "r"(b)
                         : "memory");
        }
        drain();
    }
}

// ---- clusters ----

extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_halo_rows(const float *in, float *out) {
    __shared__ float row[160];
    auto cluster = cg::this_cluster();
    int t = threadIdx.x, n = blockDim.x;
    row[t] = in[tid()];
    cluster.sync();
    float left = t > 0 ? row[t - 1] : cluster.map_shared_rank(row, cluster.block_rank() ^ 1)[n - 1];
    float right = t < n - 1 ? row[t + 1] : cluster.map_shared_rank(row, cluster.block_rank() ^ 1)[0];
    out[tid()] = left + right;
    cluster.sync();
}

extern "C" __global__ void __cluster_dims__(4, 1, 1) cluster_max(const int *in, int *out) {
    __shared__ int best;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        best = 0;
    }
    cluster.sync();
    int v = __reduce_max_sync(0xffffffffu, in[tid()] & 0xffff);
    if ((threadIdx.x & 31) == 0) {
        atomicMax(cluster.map_shared_rank(&best, 0), v);
    }
    cluster.sync();
    if (threadIdx.x == 0 && cluster.block_rank() == 0) {
        out[blockIdx.x / 4] = best;
    }
}
