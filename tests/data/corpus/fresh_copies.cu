/* The second blind test: asynchronous copies as CUDA's guides, CUTLASS and their users write them: barriers, pipelines of two to four
 * stages, bulk copies both ways, tensors of one to five dimensions. Written before the model was looked at. Launches are in launches.py. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>
#include <cuda_pipeline.h>
#include <stdint.h>

namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;

struct __align__(64) TensorMap {
    unsigned long long opaque[16];
};

__device__ __forceinline__ uint32_t smem_u32(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
template <int BYTES> __device__ __forceinline__ void cp_async(void *to, const void *from, bool on) {
    uint32_t s = smem_u32(to);
    if (BYTES == 16)
        asm volatile("{ .reg .pred p; setp.ne.b32 p, %2, 0; @p cp.async.cg.shared.global [%0], [%1], 16; }" ::"r"(s), "l"(from), "r"((int)on) : "memory");
    else
        asm volatile("{ .reg .pred p; setp.ne.b32 p, %2, 0; @p cp.async.ca.shared.global [%0], [%1], %3; }" ::"r"(s), "l"(from), "r"((int)on), "n"(BYTES) : "memory");
}
__device__ __forceinline__ void cp_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> __device__ __forceinline__ void cp_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }

/* CUTLASS's ClusterTransactionBarrier, in short */
struct TransactionBarrier {
    uint64_t word;
    __device__ void init(int count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(smem_u32(&word)), "r"(count) : "memory"); }
    __device__ void arrive_and_expect(int bytes) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(smem_u32(&word)), "r"(bytes) : "memory"); }
    __device__ void arrive() { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(smem_u32(&word)) : "memory"); }
    __device__ void wait(int phase) {
        asm volatile("{\n.reg .pred P1;\nLAB_WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n@P1 bra DONE;\nbra LAB_WAIT;\nDONE:\n}" ::"r"(smem_u32(&word)), "r"(phase)
                     : "memory");
    }
};
__device__ __forceinline__ void fence_barrier_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ __forceinline__ void fence_view_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ __forceinline__ void store_arrive() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int N> __device__ __forceinline__ void store_wait() { asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory"); }
__device__ __forceinline__ void store_wait_all() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
template <int D> __device__ __forceinline__ void tma_load(void *to, const TensorMap *map, TransactionBarrier &b, const int (&c)[5]) {
    uint32_t s = smem_u32(to), m = smem_u32(&b);
    if (D == 1) asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3}], [%2];" ::"r"(s), "l"(map), "r"(m), "r"(c[0]) : "memory");
    if (D == 2) asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3,%4}], [%2];" ::"r"(s), "l"(map), "r"(m), "r"(c[0]), "r"(c[1]) : "memory");
    if (D == 3)
        asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3,%4,%5}], [%2];" ::"r"(s), "l"(map), "r"(m), "r"(c[0]), "r"(c[1]), "r"(c[2]) : "memory");
    if (D == 4)
        asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3,%4,%5,%6}], [%2];" ::"r"(s), "l"(map), "r"(m), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]) : "memory");
    if (D == 5)
        asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3,%4,%5,%6,%7}], [%2];" ::"r"(s), "l"(map), "r"(m), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]) : "memory");
}
__device__ __forceinline__ void tma_store_2d(const TensorMap *map, const void *from, int x, int y) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2,%3}], [%1];" ::"l"(map), "r"(smem_u32(from)), "r"(x), "r"(y) : "memory");
}

extern "C" {

/* ---- cp.async ---- */
__global__ void copy_tail_4(int n, const float *__restrict__ in, float *__restrict__ out) {
    __shared__ float buffer[672];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cp_async<4>(buffer + threadIdx.x, in + i, i < n);
    cp_commit();
    cp_wait<0>();
    __syncthreads();
    if (i < n) out[i] = buffer[(threadIdx.x ^ 1) < blockDim.x && threadIdx.x + 1 < n - blockIdx.x * blockDim.x ? threadIdx.x ^ 1 : threadIdx.x];
}
__global__ void copy_tail_8(int n, const double *__restrict__ in, double *__restrict__ out) {
    __shared__ double buffer[160];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) cp_async<8>(buffer + threadIdx.x, in + i, true);
    cp_commit();
    cp_wait<0>();
    if (i < n) out[i] = 2 * buffer[threadIdx.x];
}
__global__ void copy_rows_16(int rows, int pitch, const char *__restrict__ in, char *__restrict__ out) {
    extern __shared__ __align__(16) char smem[];
    in += blockIdx.x * rows * pitch, out += blockIdx.x * rows * pitch;
    const int chunks = pitch / 16;
    for (int k = threadIdx.x; k < rows * chunks; k += blockDim.x) __pipeline_memcpy_async(smem + (k / chunks) * (pitch + 16) + k % chunks * 16, in + k * 16, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int k = threadIdx.x; k < rows * chunks; k += blockDim.x)
        *(int4 *)(out + k * 16) = *(int4 *)(smem + (k % rows) * (pitch + 16) + k / rows * 16);
}
extern "C++" template <int STAGES> __device__ void staged_sum(int tiles, const float4 *in, float4 *out) {
    __shared__ float4 ring[STAGES][128];
    const float4 *from = in + blockIdx.x * tiles * 128 + threadIdx.x;
    float4 s = {0, 0, 0, 0};
#pragma unroll
    for (int k = 0; k < STAGES - 1; k++) {
        if (k < tiles) __pipeline_memcpy_async(&ring[k][threadIdx.x], from + k * 128, 16);
        __pipeline_commit();
    }
    for (int t = 0; t < tiles; t++) {
        if (t + STAGES - 1 < tiles) __pipeline_memcpy_async(&ring[(t + STAGES - 1) % STAGES][threadIdx.x], from + (t + STAGES - 1) * 128, 16);
        __pipeline_commit();
        __pipeline_wait_prior(STAGES - 1);
        __syncthreads();
        float4 v = ring[t % STAGES][127 - threadIdx.x];
        s.x += v.x, s.y += v.y, s.z += v.z, s.w += v.w;
        __syncthreads();
    }
    out[blockIdx.x * 128 + threadIdx.x] = s;
}
__global__ void staged_sum2(int tiles, const float4 *in, float4 *out) { staged_sum<2>(tiles, in, out); }
__global__ void staged_sum4(int tiles, const float4 *in, float4 *out) { staged_sum<4>(tiles, in, out); }
__global__ void __launch_bounds__(256) sgemm_cp_async(int n, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c) {
    __shared__ __align__(16) float as[3][64][16], bs[3][16][64];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16;
    const float *ga = a + (blockIdx.y * 64 + t / 4) * n + t % 4 * 4, *gb = b + (t / 16) * n + blockIdx.x * 64 + t % 16 * 4;
    auto fetch = [&](int s, int p) {
        __pipeline_memcpy_async(&as[s][t / 4][t % 4 * 4], ga + p, 16);
        __pipeline_memcpy_async(&bs[s][t / 16][t % 16 * 4], gb + p * n, 16);
    };
    fetch(0, 0), cp_commit(), fetch(1, 16), cp_commit();
    float acc[4][4] = {};
    for (int p = 0, s = 0; p < n; p += 16, s = (s + 1) % 3) {
        if (p + 32 < n) fetch((s + 2) % 3, p + 32);
        cp_commit();
        cp_wait<2>();
        __syncthreads();
#pragma unroll
        for (int q = 0; q < 16; q++) {
            float4 v = *(float4 *)&bs[s][q][tx * 4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                float u = as[s][ty * 4 + i][q];
                acc[i][0] += u * v.x, acc[i][1] += u * v.y, acc[i][2] += u * v.z, acc[i][3] += u * v.w;
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++) *(float4 *)&c[(blockIdx.y * 64 + ty * 4 + i) * n + blockIdx.x * 64 + tx * 4] = *(float4 *)acc[i];
}
__global__ void attention_scores_async(const __grid_constant__ int T, const float4 *__restrict__ Q, const float4 *__restrict__ K, float *__restrict__ S) {
    __shared__ float4 ks[2][32][9]; /* 32 keys of 32 floats, padded */
    const int lane = threadIdx.x, q = blockIdx.x * 4 + threadIdx.y;
    auto fetch = [&](int stage, int tile) {
        for (int i = threadIdx.y * 32 + lane; i < 256; i += 128) __pipeline_memcpy_async(&ks[stage][i / 8][i % 8], K + (tile * 32 + i / 8) * 8 + i % 8, 16);
    };
    fetch(0, 0), __pipeline_commit();
    for (int tile = 0; tile < T / 32; tile++) {
        if (tile + 1 < T / 32) fetch((tile + 1) & 1, tile + 1);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        float s = 0;
        for (int d = 0; d < 8; d++) {
            float4 u = Q[q * 8 + d], v = ks[tile & 1][lane][d];
            s += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
        }
        S[q * T + tile * 32 + lane] = s;
        __syncthreads();
    }
}
__global__ void halo_zfill(int w, int h, const float4 *__restrict__ in, float *__restrict__ out) {
    __shared__ float4 t[6][18];
    const float *f = (const float *)t;
    int tid = threadIdx.y * 16 + threadIdx.x;
    for (int k = tid; k < 108; k += 64) {
        int x = blockIdx.x * 16 + k % 18 - 1, y = blockIdx.y * 4 + k / 18 - 1;
        bool inside = x >= 0 && x < w && y >= 0 && y < h;
        __pipeline_memcpy_async(&t[k / 18][k % 18], inside ? in + y * w + x : in, 16, inside ? 0 : 16);
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (x >= w || y >= h) return;
    for (int e = 0; e < 4; e++) {
        int c = (threadIdx.y + 1) * 72 + (threadIdx.x + 1) * 4 + e;
        out[(y * w + x) * 4 + e] = f[c - 1] + f[c + 1] + f[c - 72] + f[c + 72] - 4 * f[c];
    }
}
__global__ void gather_embedding_async(int dim, const unsigned *__restrict__ ids, const float *__restrict__ table, float *__restrict__ out, int vocabulary) {
    extern __shared__ __align__(16) float rows[];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, token = blockIdx.x * (blockDim.x / 32) + warp;
    float *mine = rows + warp * dim;
    const float *from = table + (size_t)(ids[token] % vocabulary) * dim;
    for (int k = lane; k < dim; k += 32) cp_async<4>(mine + k, from + k, true);
    cp_commit();
    cp_wait<0>();
    __syncwarp();
    float s = 0;
    for (int k = lane; k < dim; k += 32) s += mine[dim - 1 - k];
    out[token * 32 + lane] = s;
}

/* ---- the libraries' ---- */
__global__ void compute_staging(int *global_out, const int *global_in, int batches) {
    extern __shared__ int shared[];
    auto block = cg::this_thread_block();
    __shared__ barrier bar;
    if (block.thread_rank() == 0) init(&bar, block.size());
    block.sync();
    for (int b = 0; b < batches; b++) {
        int at = (blockIdx.x * batches + b) * block.size();
        cuda::memcpy_async(block, shared, global_in + at, cuda::aligned_size_t<4>(sizeof(int) * block.size()), bar);
        bar.arrive_and_wait();
        global_out[at + block.thread_rank()] = shared[block.size() - 1 - block.thread_rank()] * 3;
        bar.arrive_and_wait();
    }
}
extern "C++" template <int STAGES> __device__ void with_pipeline(int *out, const int *in, int batches) {
    extern __shared__ int shared[];
    auto block = cg::this_thread_block();
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto pipe = cuda::make_pipeline(block, &state);
    int n = block.size(), base = blockIdx.x * batches * n, sum = 0;
    for (int compute = 0, fetch = 0; compute < batches; compute++) {
        for (; fetch < batches && fetch < compute + STAGES; fetch++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, shared + fetch % STAGES * n, in + base + fetch * n, cuda::aligned_size_t<16>(sizeof(int) * n), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += shared[compute % STAGES * n + (block.thread_rank() * 5) % n];
        pipe.consumer_release();
    }
    out[blockIdx.x * n + block.thread_rank()] = sum;
}
__global__ void with_pipeline2(int *out, const int *in, int batches) { with_pipeline<2>(out, in, batches); }
__global__ void with_pipeline3(int *out, const int *in, int batches) { with_pipeline<3>(out, in, batches); }
__global__ void pipeline_by_roles(const float *__restrict__ in, float *__restrict__ out, int tiles) {
    __shared__ float buffer[2][96];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    const auto role = block.thread_rank() < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(block, &state, role);
    if (role == cuda::pipeline_role::producer) {
        for (int t = 0; t < tiles; t++) {
            pipe.producer_acquire();
            for (int k = block.thread_rank(); k < 96; k += 32) cuda::memcpy_async(&buffer[t & 1][k], in + (blockIdx.x * tiles + t) * 96 + k, sizeof(float), pipe);
            pipe.producer_commit();
        }
    } else {
        int me = block.thread_rank() - 32;
        for (int t = 0; t < tiles; t++) {
            pipe.consumer_wait();
            out[(blockIdx.x * tiles + t) * 96 + me] = buffer[t & 1][95 - me] + 1.0f;
            pipe.consumer_release();
        }
    }
}
__global__ void thread_pipeline_double2(const double2 *__restrict__ in, double2 *__restrict__ out, int rounds) {
    __shared__ double2 stage[2][64];
    auto pipe = cuda::make_pipeline();
    const int t = threadIdx.x, base = blockIdx.x * rounds * 64 + t;
    pipe.producer_acquire();
    cuda::memcpy_async(&stage[0][t], in + base, sizeof(double2), pipe);
    pipe.producer_commit();
    double2 acc = {0, 0};
    for (int r = 0; r < rounds; r++) {
        if (r + 1 < rounds) {
            pipe.producer_acquire();
            cuda::memcpy_async(&stage[(r + 1) & 1][t], in + base + (r + 1) * 64, sizeof(double2), pipe);
            pipe.producer_commit();
            cuda::pipeline_consumer_wait_prior<1>(pipe);
        } else
            cuda::pipeline_consumer_wait_prior<0>(pipe);
        double2 v = stage[r & 1][t];
        acc.x += v.x, acc.y -= v.y;
        pipe.consumer_release();
    }
    out[blockIdx.x * 64 + t] = acc;
}
__global__ void warp_memcpy(const float *__restrict__ in, float *__restrict__ out, int each) {
    extern __shared__ float space[];
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    float *mine = space + warp.meta_group_rank() * each;
    const float *from = in + (blockIdx.x * warp.meta_group_size() + warp.meta_group_rank()) * each;
    cg::memcpy_async(warp, mine, from, sizeof(float) * each);
    cg::wait(warp);
    float s = 0;
    for (int k = warp.thread_rank(); k < each; k += 32) s += mine[k] * k;
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
__global__ void barrier_tokens(const float *__restrict__ in, float *__restrict__ out, int rounds) {
    __shared__ float s[2][128];
    __shared__ barrier ready;
    if (threadIdx.x == 0) init(&ready, blockDim.x);
    __syncthreads();
    float v = 0;
    for (int r = 0; r < rounds; r++) {
        s[r & 1][threadIdx.x] = in[(blockIdx.x * rounds + r) * 128 + threadIdx.x] + v;
        auto token = ready.arrive();
        v *= 0.5f;
        ready.wait(std::move(token));
        v += s[r & 1][(threadIdx.x + 33) % 128];
    }
    out[blockIdx.x * 128 + threadIdx.x] = v;
}

/* ---- bulk ---- */
__global__ void add_one_bulk(int *data, int n) {
    __shared__ alignas(16) int smem_data[1024];
    __shared__ barrier bar;
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::memcpy_async(smem_data, data + blockIdx.x * 1024, cuda::aligned_size_t<16>(sizeof(smem_data)), bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, 0);
    } else
        token = bar.arrive();
    bar.wait(std::move(token));
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) smem_data[i] += 1;
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, data + blockIdx.x * 1024, smem_data, sizeof(smem_data));
        cuda::ptx::cp_async_bulk_commit_group();
        cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>());
    }
    __syncthreads();
}
__global__ void bulk_ring(const float4 *__restrict__ in, float4 *__restrict__ out, int tiles, int bytes) {
    extern __shared__ __align__(128) unsigned char ring[];
    __shared__ TransactionBarrier full[3], empty[3];
    const int warp = threadIdx.x / 32, vectors = bytes / 16;
    if (threadIdx.x == 0) {
        for (int s = 0; s < 3; s++) full[s].init(1), empty[s].init(blockDim.x / 32 - 1);
        fence_barrier_init();
    }
    __syncthreads();
    if (warp == 0) {
        if (threadIdx.x == 0)
            for (int t = 0; t < tiles; t++) {
                int s = t % 3;
                empty[s].wait((t / 3 & 1) ^ 1);
                full[s].arrive_and_expect(bytes);
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(smem_u32(ring + s * bytes)),
                             "l"((const char *)in + (size_t)(blockIdx.x * tiles + t) * bytes), "r"(bytes), "r"(smem_u32(&full[s].word))
                             : "memory");
            }
    } else {
        for (int t = 0; t < tiles; t++) {
            int s = t % 3;
            full[s].wait(t / 3 & 1);
            for (int k = threadIdx.x - 32; k < vectors; k += blockDim.x - 32) {
                float4 v = ((const float4 *)(ring + s * bytes))[k];
                v.x += v.w;
                out[(blockIdx.x * tiles + t) * vectors + k] = v;
            }
            __syncwarp();
            if (threadIdx.x % 32 == 0) empty[s].arrive();
        }
    }
}
__global__ void bulk_scatter_rows(const float *__restrict__ in, float *__restrict__ out, const unsigned *__restrict__ to, int width) {
    extern __shared__ __align__(128) float row[];
    for (int k = threadIdx.x; k < width; k += blockDim.x) row[k] = 2 * in[blockIdx.x * width + k];
    fence_view_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + (size_t)to[blockIdx.x] * width), "r"(smem_u32(row)), "r"(width * 4) : "memory");
        store_arrive();
        store_wait_all();
    }
}
__global__ void bulk_reduce_integers(const int *__restrict__ in, int *__restrict__ sums, int n) {
    extern __shared__ __align__(128) int part[];
    for (int k = threadIdx.x; k < n; k += blockDim.x) part[k] = in[blockIdx.x * n + k] >> 8;
    fence_view_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], %2;" ::"l"(sums), "r"(smem_u32(part)), "r"(n * 4) : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 [%0], [%1], %2;" ::"l"(sums + n), "r"(smem_u32(part)), "r"(n * 2) : "memory");
        store_arrive();
        store_wait_all();
    }
}
__global__ void __cluster_dims__(2, 1, 1) bulk_to_neighbour(const float *__restrict__ in, float *__restrict__ out) {
    __shared__ alignas(128) float mine[256], theirs[256];
    __shared__ TransactionBarrier bar;
    auto cluster = cg::this_cluster();
    mine[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    if (threadIdx.x == 0) bar.init(1), fence_barrier_init(), bar.arrive_and_expect(1024);
    fence_view_async();
    cluster.sync();
    if (threadIdx.x == 0) {
        unsigned to, there, other = cluster.block_rank() ^ 1;
        asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(smem_u32(theirs)), "r"(other));
        asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(smem_u32(&bar.word)), "r"(other));
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "r"(smem_u32(mine)), "r"(1024), "r"(there) : "memory");
    }
    bar.wait(0);
    out[blockIdx.x * 256 + threadIdx.x] = mine[threadIdx.x] - theirs[255 - threadIdx.x];
    cluster.sync();
}

/* ---- tensors ---- */
extern "C++" template <int D> __device__ void tile_of(const TensorMap *map, float *out, int bytes, int transaction, const int (&at)[5]) {
    extern __shared__ __align__(1024) unsigned char box[];
    __shared__ TransactionBarrier bar;
    if (threadIdx.x == 0) {
        bar.init(1);
        fence_barrier_init();
        bar.arrive_and_expect(transaction);
        tma_load<D>(box, map, bar, at);
    }
    __syncthreads();
    bar.wait(0);
    for (int k = threadIdx.x; k < bytes / 4; k += blockDim.x) out[blockIdx.x * (bytes / 4) + k] = ((float *)box)[k];
}
__global__ void tma_tile_1d(const __grid_constant__ TensorMap map, const float *, float *out, int x, int bytes, int tx) { tile_of<1>(&map, out, bytes, tx, {x + (int)blockIdx.x * 8, 0, 0, 0, 0}); }
__global__ void tma_tile_2d(const __grid_constant__ TensorMap map, const float *, float *out, int x, int y, int bytes, int tx) { tile_of<2>(&map, out, bytes, tx, {x, y + (int)blockIdx.x, 0, 0, 0}); }
__global__ void tma_tile_3d(const __grid_constant__ TensorMap map, const float *, float *out, int x, int y, int z, int bytes, int tx) {
    tile_of<3>(&map, out, bytes, tx, {x, y, z + (int)blockIdx.x, 0, 0});
}
__global__ void tma_tile_4d(const __grid_constant__ TensorMap map, const float *, float *out, int x, int y, int z, int w, int bytes, int tx) {
    tile_of<4>(&map, out, bytes, tx, {x, y, z, w + (int)blockIdx.x, 0});
}
__global__ void tma_tile_5d(const __grid_constant__ TensorMap map, const float *, float *out, int x, int y, int z, int w, int v, int bytes, int tx) {
    tile_of<5>(&map, out, bytes, tx, {x, y, z, w, v + (int)blockIdx.x});
}
__global__ void tma_copy_scale(const __grid_constant__ TensorMap from, const __grid_constant__ TensorMap to, const float *, float *, int w, int h, int bytes) {
    extern __shared__ __align__(1024) unsigned char box[];
    __shared__ TransactionBarrier bar;
    int x = blockIdx.x * w, y = blockIdx.y * h, at[5] = {x, y, 0, 0, 0};
    if (threadIdx.x == 0) {
        bar.init(1);
        fence_barrier_init();
        bar.arrive_and_expect(bytes);
        tma_load<2>(box, &from, bar, at);
    }
    __syncthreads();
    bar.wait(0);
    for (int k = threadIdx.x; k < bytes / 16; k += blockDim.x) {
        float4 v = ((float4 *)box)[k];
        ((float4 *)box)[k] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
    }
    fence_view_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        tma_store_2d(&to, box, x, y);
        store_arrive();
        store_wait<0>();
    }
}
__global__ void tma_reduce_add(const __grid_constant__ TensorMap to, int *, int x, int y, int elements) {
    extern __shared__ __align__(1024) unsigned char box[];
    for (int k = threadIdx.x; k < elements; k += blockDim.x) ((int *)box)[k] = k + blockIdx.x;
    fence_view_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%2,%3}], [%1];" ::"l"(&to), "r"(smem_u32(box)), "r"(x + (int)blockIdx.x * 4), "r"(y) : "memory");
        store_arrive();
        store_wait_all();
    }
}
__global__ void tma_im2col_nhwc(const __grid_constant__ TensorMap map, const float *, float *out, int c, int w, int h, int n, int ow, int oh, int bytes) {
    extern __shared__ __align__(1024) unsigned char box[];
    __shared__ TransactionBarrier bar;
    if (threadIdx.x == 0) {
        bar.init(1);
        fence_barrier_init();
        bar.arrive_and_expect(bytes);
        asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%3,%4,%5,%6}], [%2], {%7,%8};" ::"r"(smem_u32(box)), "l"(&map),
                     "r"(smem_u32(&bar.word)), "r"(c), "r"(w), "r"(h), "r"(n), "h"((unsigned short)ow), "h"((unsigned short)oh)
                     : "memory");
    }
    __syncthreads();
    bar.wait(0);
    for (int k = threadIdx.x; k < bytes / 4; k += blockDim.x) out[k] = ((float *)box)[k];
}
__global__ void tma_gemm_tiles(const __grid_constant__ TensorMap ma, const __grid_constant__ TensorMap mb, const float *, const float *, float *c, int n) {
    extern __shared__ __align__(1024) float tiles[];
    __shared__ TransactionBarrier full[2];
    float *as = tiles, *bs = tiles + 2 * 32 * 32;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const bool leader = tx == 0 && ty == 0;
    if (leader) full[0].init(1), full[1].init(1), fence_barrier_init();
    __syncthreads();
    auto fetch = [&](int t) {
        int ca[5] = {t * 32, (int)blockIdx.y * 32}, cb[5] = {(int)blockIdx.x * 32, t * 32};
        full[t & 1].arrive_and_expect(8192);
        tma_load<2>(as + (t & 1) * 1024, &ma, full[t & 1], ca);
        tma_load<2>(bs + (t & 1) * 1024, &mb, full[t & 1], cb);
    };
    if (leader) fetch(0);
    float acc[4] = {};
    for (int t = 0; t < n / 32; t++) {
        if (leader && t + 1 < n / 32) fetch(t + 1);
        full[t & 1].wait(t / 2 & 1);
        const float *a = as + (t & 1) * 1024, *b = bs + (t & 1) * 1024;
        for (int k = 0; k < 32; k++) {
            float v = b[k * 32 + tx];
            for (int i = 0; i < 4; i++) acc[i] += a[(ty * 4 + i) * 32 + k] * v;
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++) c[(blockIdx.y * 32 + ty * 4 + i) * n + blockIdx.x * 32 + tx] = acc[i];
}
__global__ void tma_swizzled_transpose(const __grid_constant__ TensorMap map, const float *, float *out, int n) {
    extern __shared__ __align__(1024) unsigned char box[];
    __shared__ TransactionBarrier bar;
    int at[5] = {(int)blockIdx.x * 32, (int)blockIdx.y * 32};
    if (threadIdx.x == 0) {
        bar.init(1);
        fence_barrier_init();
        bar.arrive_and_expect(4096);
        tma_load<2>(box, &map, bar, at);
    }
    __syncthreads();
    bar.wait(0);
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) {
        int row = k % 32, col = k / 32, chunk = (col / 4) ^ (row % 8);
        out[(blockIdx.x * 32 + col) * n + blockIdx.y * 32 + row] = ((float *)box)[row * 32 + chunk * 4 + col % 4];
    }
}
}
