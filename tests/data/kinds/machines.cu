// Kernels of kinds that no earlier set has: copies between blocks of a cluster, matrices of doubles, bits and sparse numbers, tables of jumps, stacks.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <stdint.h>

#define KERNEL extern "C" __global__ void
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)
namespace cg = cooperative_groups;

/* ---- clusters and copies ---- */

__device__ __forceinline__ uint32_t shared_address(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

__device__ __forceinline__ uint32_t of_block(uint32_t address, uint32_t rank) {
    uint32_t there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}

__device__ __forceinline__ void wait_for(uint32_t bar, uint32_t parity) {
    asm volatile("{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1;\n@!p bra again;\n}" ::"r"(bar), "r"(parity) : "memory");
}

__device__ __forceinline__ void first_expects(uint64_t *bar, uint32_t bytes) {
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(shared_address(bar)) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(bar)), "r"(bytes) : "memory");
    }
}

// Each block hands its row to the next of the cluster by a bulk copy from shared to shared memory, and mixes both.
KERNEL __cluster_dims__(4) hand_on(float *y, const float *x) {
    __shared__ alignas(128) float mine[1024], other[1024];
    __shared__ uint64_t bar;
    const uint32_t rank = cg::this_cluster().block_rank();
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) mine[i] = x[blockIdx.x * 1024 + i];
    first_expects(&bar, 4096);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    cg::this_cluster().sync();
    if (threadIdx.x == 0) {
        const uint32_t next = (rank + 1) % 4;
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 4096, [%2];" ::"r"(of_block(shared_address(other), next)),
                     "r"(shared_address(mine)), "r"(of_block(shared_address(&bar), next))
                     : "memory");
    }
    wait_for(shared_address(&bar), 0);
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) y[blockIdx.x * 1024 + i] = mine[i] * 0.75f + other[1023 - i] * 0.25f;
    cg::this_cluster().sync();
}

// One block's row for all blocks of a cluster; each multiplies it with its own column.
KERNEL __cluster_dims__(4) same_row(float *y, const float *row, const float *column) {
    __shared__ alignas(128) float room[2048];
    __shared__ uint64_t bar;
    const uint32_t rank = cg::this_cluster().block_rank();
    first_expects(&bar, 8192);
    cg::this_cluster().sync();
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 2048, [%2], %3;" ::"r"(shared_address(room + rank * 512)),
                     "l"(row + blockIdx.x / 4 * 2048 + rank * 512), "r"(shared_address(&bar)), "h"((short)15)
                     : "memory");
    const float c = column[THREAD];
    wait_for(shared_address(&bar), 0);
    float s = 0;
    for (int i = 0; i < 2048; i += 4) {
        const float4 v = *(const float4 *)(room + i);
        s = fmaf(fmaf(fmaf(fmaf(s, 0.999f, v.x), c, v.y), 0.5f, v.z), c, v.w);
    }
    y[THREAD] = s;
    cg::this_cluster().sync();
}

// Values sorted into the blocks of a cluster by their top bits, by asynchronous stores; each block sums what it got.
KERNEL __cluster_dims__(2) exchange_words(uint32_t *y, const uint32_t *x) {
    __shared__ alignas(16) uint32_t got[512];
    __shared__ uint64_t bar;
    const uint32_t rank = cg::this_cluster().block_rank(), t = threadIdx.x;
    first_expects(&bar, 2048);
    cg::this_cluster().sync();
    const uint2 v = ((const uint2 *)x)[blockIdx.x * 256 + t];
    const uint32_t to = (t + rank) % 2, slot = shared_address(got + 2 * (rank * 128 + t / 2));
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %2}, [%3];" ::"r"(of_block(slot, to)), "r"(v.x), "r"(v.y),
                 "r"(of_block(shared_address(&bar), to))
                 : "memory");
    wait_for(shared_address(&bar), 0);
    y[blockIdx.x * 256 + t] = got[t] ^ got[511 - t];
    cg::this_cluster().sync();
}

// Counts of a cluster, each block with a part of the bins, by reductions on the others' shared memory.
KERNEL __cluster_dims__(8) spread_bins(uint32_t *count, const uint32_t *x, int n) {
    __shared__ uint32_t bins[64];
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x < 64) bins[threadIdx.x] = 0;
    cluster.sync();
    for (int i = THREAD; i < n; i += gridDim.x * blockDim.x) {
        const uint32_t v = x[i] >> 23;
        atomicAdd(cluster.map_shared_rank(bins, v / 64) + v % 64, 1);
    }
    cluster.sync();
    if (threadIdx.x < 64) atomicAdd(count + cluster.block_rank() * 64 + threadIdx.x, bins[threadIdx.x]);
}

// A kernel that lets the next begin, and waits for the one before.
KERNEL dependent(float *y, const float *x, int n) {
    asm volatile("griddepcontrol.launch_dependents;");
    float s = threadIdx.x;
    for (int k = 0; k < 24; k++) s = s * 1.01f + 0.5f;
    asm volatile("griddepcontrol.wait;" ::: "memory");
    for (int i = THREAD; i < n; i += gridDim.x * blockDim.x) y[i] = x[i] + s;
}

/* ---- matrices ---- */

// C = A B of doubles by mma of 8 x 8 x 4: a warp has 16 x 16 of C. A: m x k in rows, B: n x k in rows.
KERNEL double_tiles(double *c, const double *a, const double *b, int n, int k) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = lane / 4, part = lane % 4;
    const int m0 = blockIdx.y * 32 + warp / 2 * 16, n0 = blockIdx.x * 32 + warp % 2 * 16;
    double sum[2][2][2] = {};
    for (int at = 0; at < k; at += 4) {
        double va[2], vb[2];
        for (int i = 0; i < 2; i++) va[i] = a[(m0 + 8 * i + row) * k + at + part], vb[i] = b[(n0 + 8 * i + row) * k + at + part];
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};" : "+d"(sum[i][j][0]), "+d"(sum[i][j][1]) : "d"(va[i]), "d"(vb[j]));
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) *(double2 *)(c + (m0 + 8 * i + row) * n + n0 + 8 * j + 2 * part) = make_double2(sum[i][j][0], sum[i][j][1]);
}

// The same with wmma, whose fragments come through shared memory.
KERNEL double_fragments(double *c, const double *a, const double *b, int n, int k) {
    using namespace nvcuda::wmma;
    __shared__ double sa[32][36], sb[32][36];
    const int warp = threadIdx.x / 32, m0 = blockIdx.y * 32, n0 = blockIdx.x * 32;
    fragment<accumulator, 8, 8, 4, double> sum[4];
    for (int j = 0; j < 4; j++) fill_fragment(sum[j], 0.0);
    for (int at = 0; at < k; at += 32) {
        for (int i = threadIdx.x; i < 1024; i += 128) sa[i / 32][i % 32] = a[(m0 + i / 32) * k + at + i % 32], sb[i / 32][i % 32] = b[(n0 + i / 32) * k + at + i % 32];
        __syncthreads();
        for (int s = 0; s < 32; s += 4) {
            fragment<matrix_a, 8, 8, 4, double, row_major> fa;
            fragment<matrix_b, 8, 8, 4, double, col_major> fb;
            load_matrix_sync(fa, &sa[warp * 8][s], 36);
            for (int j = 0; j < 4; j++) load_matrix_sync(fb, &sb[j * 8][s], 36), mma_sync(sum[j], fa, fb, sum[j]);
        }
        __syncthreads();
    }
    for (int j = 0; j < 4; j++) store_matrix_sync(c + (m0 + warp * 8) * n + n0 + j * 8, sum[j], n, mem_row_major);
}

// How many bits two rows have in common, by mma on single bits.
KERNEL common_bits(int *c, const uint32_t *a, const uint32_t *b, int n, int words) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = lane / 4, part = lane % 4;
    const int m0 = blockIdx.y * 16, n0 = blockIdx.x * 32 + warp * 8;
    int sum[4] = {};
    for (int at = 0; at < words; at += 8) {
        const uint32_t *pa = a + (m0 + row) * words + at + part, *pb = b + (n0 + row) * words + at + part;
        asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
            : "r"(pa[0]), "r"(pa[8 * words]), "r"(pa[4]), "r"(pa[8 * words + 4]), "r"(pb[0]), "r"(pb[4]));
    }
    int *p = c + (m0 + row) * n + n0 + 2 * part;
    *(int2 *)p = make_int2(sum[0], sum[1]), *(int2 *)(p + 8 * n) = make_int2(sum[2], sum[3]);
}

// A has two of four numbers; `which` says which. C is 16 x 8 a warp.
KERNEL two_of_four(float *c, const __half *a, const uint32_t *which, const __half *b, int n, int k) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = lane / 4, part = lane % 4;
    const int m0 = blockIdx.y * 16, n0 = (blockIdx.x * 4 + warp) * 8;
    float sum[4] = {};
    for (int at = 0; at < k; at += 32) {
        uint32_t va[4], vb[4];
        for (int i = 0; i < 4; i++) va[i] = *(const uint32_t *)(a + (m0 + row + i % 2 * 8) * (k / 2) + at / 2 + 2 * part + i / 2 * 8);
        for (int i = 0; i < 4; i++) vb[i] = *(const uint32_t *)(b + (n0 + row) * k + at + 2 * part + 8 * i);
        const uint32_t bits = which[(blockIdx.y * (k / 32) + at / 32) * 8 + row];
        const uint32_t places = 0xCCCCCCCC ^ (bits & 0x55555555);
        asm("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, {%0, %1, %2, %3}, %12, 0x0;"
            : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
            : "r"(va[0]), "r"(va[1]), "r"(va[2]), "r"(va[3]), "r"(vb[0]), "r"(vb[1]), "r"(vb[2]), "r"(vb[3]), "r"(places));
    }
    float *p = c + (m0 + row) * n + n0 + 2 * part;
    *(float2 *)p = make_float2(sum[0], sum[1]), *(float2 *)(p + 8 * n) = make_float2(sum[2], sum[3]);
}

// 8 x 8 halves turned in registers, tile by tile.
KERNEL turned_tiles(__half *y, const __half *x, int w, int h) {
    const int lane = threadIdx.x % 32, row = lane / 4, part = lane % 4, tiles = w / 8;
    for (int t = THREAD / 32; t < tiles * (h / 8); t += gridDim.x * blockDim.x / 32) {
        const int tx = t % tiles * 8, ty = t / tiles * 8;
        uint32_t v = *(const uint32_t *)(x + (ty + row) * w + tx + 2 * part);
        asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(v));
        *(uint32_t *)(y + (tx + row) * h + ty + 2 * part) = v;
    }
}

/* ---- bits and whole numbers ---- */

// Products of 256 by 256 bits, with carries from word to word.
KERNEL big_products(uint32_t *y, const uint32_t *x, int n) {
    const int i = THREAD;
    if (i >= n) return;
    uint32_t a[8], b[8], r[16] = {};
    for (int k = 0; k < 8; k++) a[k] = x[k * n + i], b[k] = x[(8 + k) * n + i];
#pragma unroll
    for (int j = 0; j < 8; j++) {
        asm("mad.lo.cc.u32 %0, %1, %2, %0;" : "+r"(r[j]) : "r"(a[0]), "r"(b[j]));
#pragma unroll
        for (int k = 1; k < 8; k++) asm("madc.lo.cc.u32 %0, %1, %2, %0;" : "+r"(r[j + k]) : "r"(a[k]), "r"(b[j]));
        asm("addc.u32 %0, %0, 0;" : "+r"(r[j + 8]));
        asm("mad.hi.cc.u32 %0, %1, %2, %0;" : "+r"(r[j + 1]) : "r"(a[0]), "r"(b[j]));
#pragma unroll
        for (int k = 1; k < 7; k++) asm("madc.hi.cc.u32 %0, %1, %2, %0;" : "+r"(r[j + k + 1]) : "r"(a[k]), "r"(b[j]));
        asm("madc.hi.u32 %0, %1, %2, %0;" : "+r"(r[j + 8]) : "r"(a[7]), "r"(b[j]));
    }
    for (int k = 0; k < 16; k++) y[k * n + i] = r[k];
}

// Powers modulo numbers of 64 bits: products of 128 bits and their rests.
KERNEL modular_powers(uint64_t *y, const uint64_t *x, int n, uint32_t power) {
    const int i = THREAD;
    if (i >= n) return;
    const uint64_t m = x[i] >> 8 | 1;
    uint64_t base = x[n - 1 - i] % m, r = 1;
    for (uint32_t p = power; p; p >>= 1) {
        if (p & 1) r = (uint64_t)((unsigned __int128)r * base % m);
        base = (uint64_t)((unsigned __int128)base * base % m);
    }
    y[i] = r;
}

// Numbers in the order of a curve through a cube, and back.
KERNEL morton(uint32_t *y, const uint32_t *x, int n) {
    const int i = THREAD;
    if (i >= n) return;
    uint32_t v = x[i] & 1023, r = 0;
    v = (v | v << 16) & 0x030000FF, v = (v | v << 8) & 0x0300F00F, v = (v | v << 4) & 0x030C30C3, v = (v | v << 2) & 0x09249249;
    r = v | __brev(v) >> 1 | __byte_perm(v, x[i], 0x2461) << __clz(x[i] | 1) % 7;
    y[i] = r ^ __funnelshift_l(r, v, x[i] & 31) ^ __popc(r) << 8 ^ __ffs(v);
}

// A filter of bits: words are set by three hashes, then asked.
KERNEL bloom_set(uint32_t *bits, const uint32_t *key, int n, int mask) {
    for (int i = THREAD; i < n; i += gridDim.x * blockDim.x) {
        uint32_t h = key[i] * 0x9E3779B1u;
        for (int k = 0; k < 3; k++, h = (h ^ h >> 15) * 0x85EBCA6Bu) atomicOr(bits + (h >> 5 & mask), 1u << (h & 31));
    }
}

// Sums, least and most of warps, by the instructions that reduce whole numbers; one lane writes.
KERNEL reduced(int *y, const int *x, int n) {
    const int i = THREAD;
    if (i >= n) return;
    const int v = x[i];
    const int s = __reduce_add_sync(~0u, v & 4095), low = __reduce_min_sync(~0u, v), high = __reduce_max_sync(~0u, v);
    const uint32_t odd = __reduce_xor_sync(~0u, (uint32_t)v), all = __reduce_and_sync(~0u, (uint32_t)v | 7);
    if (threadIdx.x % 32 == 0) ((int4 *)y)[i / 32] = make_int4(s, low, high, odd ^ all);
}

// Filters of 16-bit samples by dp2a, eight taps, four results a thread.
KERNEL short_taps(int *y, const int *x, const uint32_t *tap, int n) {
    const int i = THREAD;
    if (4 * i >= n) return;
    int v[8], s[4] = {};
    const int4 a = ((const int4 *)x)[i], b = ((const int4 *)x)[i + 1];
    v[0] = a.x, v[1] = a.y, v[2] = a.z, v[3] = a.w, v[4] = b.x, v[5] = b.y, v[6] = b.z, v[7] = b.w;
    for (int k = 0; k < 4; k++)
        for (int j = 0; j < 4; j++) s[j] = k & 1 ? __dp2a_hi(v[j + k], (int)tap[k / 2], s[j]) : __dp2a_lo(v[j + k], (int)tap[k / 2], s[j]);
    ((int4 *)y)[i] = make_int4(s[0], s[1], s[2], s[3]);
}

// How far 4 x 4 blocks of bytes are from each other, for 16 places.
KERNEL byte_distances(uint32_t *y, const uint32_t *now, const uint32_t *before, int w, int n) {
    const int i = THREAD;
    if (i >= n) return;
    uint32_t mine[4], best = ~0u;
    for (int r = 0; r < 4; r++) mine[r] = now[r * w + i];
    for (int d = 0; d < 16; d++) {
        uint32_t s = 0;
#pragma unroll
        for (int r = 0; r < 4; r++) s += __vsadu4(mine[r], __funnelshift_r(before[(r + d / 4) * w + i], before[(r + d / 4) * w + i + 1], d % 4 * 8));
        best = min(best, s << 4 | d);
    }
    y[i] = best;
}

/* ---- control ---- */

// A machine of ten instructions; all lanes of a warp run one program, or each its own.
KERNEL interpreter(int *y, const int *x, const unsigned char *code, int n, int length, int apart) {
    const int i = THREAD;
    if (i >= n) return;
    const unsigned char *p = code + (apart ? i % 64 : i / 32 % 64) * length;
    int a = x[i], b = i, c = 1;
    for (int at = 0; at < length; at++)
        switch (p[at] % 10) {
        case 0: a += b; break;
        case 1: a -= c; break;
        case 2: a ^= b << 3; break;
        case 3: b = a * 5 + 1; break;
        case 4: c += a & 15; break;
        case 5: { const int t = a; a = b, b = t; break; }
        case 6: a = __popc(a) + b; break;
        case 7: c = max(b, c) >> 1; break;
        case 8: b = __brev(a ^ c); break;
        default: a = (a >> 3) * 7 - c;
        }
    y[i] = a ^ b ^ c;
}

// A heap of the least `many` numbers of a column, in local memory.
KERNEL least_of_column(float *y, const float *x, int n, int rows) {
    const int i = THREAD;
    if (i >= n) return;
    float heap[16];
    for (int k = 0; k < 16; k++) heap[k] = 1e30f;
    for (int r = 0; r < rows; r++) {
        const float v = x[r * n + i];
        if (v >= heap[0]) continue;
        int at = 0;
        for (;;) {
            int child = 2 * at + 1;
            if (child >= 16) break;
            if (child + 1 < 16 && heap[child + 1] > heap[child]) child++;
            if (heap[child] <= v) break;
            heap[at] = heap[child], at = child;
        }
        heap[at] = v;
    }
    float s = 0;
    for (int k = 0; k < 16; k++) s += heap[k] * (k + 1);
    y[i] = s;
}

// Room on the stack whose size a thread chooses.
KERNEL chosen_room(int *y, const int *x, int n) {
    const int i = THREAD;
    if (i >= n) return;
    const int size = 8 + x[i] % 8;
    int *room = (int *)__builtin_alloca(size * sizeof(int));
    for (int k = 0; k < size; k++) room[k] = x[(i + k) % n] * (k + 1);
    int s = 0;
    for (int k = 0; k < size; k++) s = s * 3 + room[(k * 5 + x[i]) % size];
    y[i] = s;
}

// Reads through pointers that may be to shared, local or global memory.
KERNEL any_memory(float *y, const float *x, const int *which, int n) {
    __shared__ float room[256];
    const int i = THREAD;
    float own[4];
    room[threadIdx.x] = x[i] * 2;
    for (int k = 0; k < 4; k++) own[k] = x[(i + k * 31) % n] + k;
    __syncthreads();
    const int w = which[i] & 3;
    const float *p = w == 0 ? room + (threadIdx.x ^ 5) : w == 1 ? own + (which[i] >> 2 & 3) : x + (i ^ 9);
    y[i] = *p + room[255 - threadIdx.x];
}

// Lanes that have the same key add their numbers up; groups of eight lanes count theirs up to each.
KERNEL group_scans(int *y, const int *x, int n) {
    const int i = THREAD;
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    const int v = x[i], upto = cg::exclusive_scan(tile, v & 255), most = cg::reduce(tile, v, cg::greater<int>());
    int more = 0;
    if (v & 1) {
        auto some = cg::coalesced_threads();
        more = cg::inclusive_scan(some, v & 15) + some.thread_rank();
    }
    const auto half = cg::binary_partition(tile, (v & 2) != 0);
    y[i] = upto ^ most ^ more << 8 ^ half.thread_rank() << 20;
}

/* ---- numbers ---- */

// A coarse grid of a fine one, 27 doubles each.
KERNEL coarser(double *y, const double *x, int w, int h, int d) {
    const int i = THREAD, cw = w / 2, ch = h / 2, cx = i % cw, cy = i / cw % ch, cz = i / cw / ch;
    if (cz >= d / 2 || cx == 0 || cy == 0 || cz == 0) return;
    double s = 0;
    for (int c = -1; c <= 1; c++)
        for (int b = -1; b <= 1; b++)
            for (int a = -1; a <= 1; a++) s += x[((2 * cz + c) * h + 2 * cy + b) * w + 2 * cx + a] / ((1 << (a != 0)) * (1 << (b != 0)) * (1 << (c != 0)));
    y[i] = s * 0.125;
}

// Functions that only doubles have in good measure.
KERNEL double_functions(double *y, const double *x, int n) {
    const int i = THREAD;
    if (i >= n) return;
    const double v = fabs(x[i]) + 0.125;
    y[i] = lgamma(v) + erfcx(v) * cospi(v) + cyl_bessel_i0(v * 0.5) + j0(v) - cbrt(v) + rsqrt(v);
}

// Scores of rows of halves, two at a time: the largest, powers, and their sum.
KERNEL half_scores(__half2 *y, const __half2 *x, int pairs) {
    const int row = THREAD / 32, lane = threadIdx.x % 32;
    __half2 v[4], most = __half2half2(__ushort_as_half(0xFC00)), sum = __float2half2_rn(0);
    for (int k = 0; k < 4; k++) v[k] = x[row * pairs + k * 32 + lane], most = __hmax2(most, v[k]);
    for (int k = 16; k; k /= 2) most = __hmax2(most, __shfl_xor_sync(~0u, most, k));
    most = __half2half2(__hmax(__low2half(most), __high2half(most)));
    for (int k = 0; k < 4; k++) v[k] = h2exp(__hsub2(v[k], most)), sum = __hadd2(sum, v[k]);
    for (int k = 16; k; k /= 2) sum = __hadd2(sum, __shfl_xor_sync(~0u, sum, k));
    const __half2 scale = h2rcp(__half2half2(__hadd(__low2half(sum), __high2half(sum))));
    for (int k = 0; k < 4; k++) y[row * pairs + k * 32 + lane] = __hmul2(v[k], scale);
}

// Rows of small matrices in shared memory whose shape the launch chooses: R = Q^T A by turns in a plane.
KERNEL turns_in_plane(float *y, const float *x, int size) {
    extern __shared__ float room[];
    float *a = room, *turn = room + size * (size + 1);
    for (int i = threadIdx.x; i < size * size; i += blockDim.x) a[i / size * (size + 1) + i % size] = x[blockIdx.x * size * size + i];
    __syncthreads();
    for (int k = 0; k < size - 1; k++)
        for (int r = k + 1; r < size; r++) {
            if (threadIdx.x == 0) {
                const float p = a[k * (size + 1) + k], q = a[r * (size + 1) + k], s = rsqrtf(p * p + q * q + 1e-20f);
                turn[0] = p * s, turn[1] = q * s;
            }
            __syncthreads();
            const float c = turn[0], s = turn[1];
            for (int j = threadIdx.x + k; j < size; j += blockDim.x) {
                const float p = a[k * (size + 1) + j], q = a[r * (size + 1) + j];
                a[k * (size + 1) + j] = c * p + s * q, a[r * (size + 1) + j] = c * q - s * p;
            }
            __syncthreads();
        }
    for (int i = threadIdx.x; i < size * size; i += blockDim.x) y[blockIdx.x * size * size + i] = a[i / size * (size + 1) + i % size];
}
