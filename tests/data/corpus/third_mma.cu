// Tensor cores: ldmatrix and stmatrix, mma of all types, wgmma from shared memory and registers. Third blind test.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <stdint.h>

#define KERNEL extern "C" __global__ void

namespace {

__device__ __forceinline__ unsigned shared_address(const void *p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// Any bits as two half-precision numbers below 2.
__device__ __forceinline__ unsigned tame(unsigned v) {
    return v & 0xbbffbbffu;
}

__device__ __forceinline__ uint4 tame(uint4 v) {
    return make_uint4(tame(v.x), tame(v.y), tame(v.z), tame(v.w));
}

}

// ---- matrices in shared memory ----

template <bool Transposed>
__device__ void ldmatrix_pitch(int pitch, const uint4 *in, uint4 *out) {
    extern __shared__ __align__(16) unsigned char rows[];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned char *mine = rows + warp * 32 * pitch;
    *reinterpret_cast<uint4 *>(mine + lane * pitch) = in[blockIdx.x * blockDim.x + threadIdx.x];
    __syncwarp();
    uint4 r;
    unsigned at = shared_address(mine + lane * pitch);
    if (Transposed) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w) : "r"(at));
    } else {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w) : "r"(at));
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = r;
}

KERNEL ldmatrix_x4(int pitch, const uint4 *in, uint4 *out) {
    ldmatrix_pitch<false>(pitch, in, out);
}

KERNEL ldmatrix_x4_trans(int pitch, const uint4 *in, uint4 *out) {
    ldmatrix_pitch<true>(pitch, in, out);
}

KERNEL ldmatrix_few(int swizzled, const uint4 *in, unsigned *out) {
    __shared__ uint4 rows[64];
    int lane = threadIdx.x;
    for (int i = lane; i < 64; i += 32) {
        rows[swizzled ? i ^ (i / 8 & 7) : i] = in[blockIdx.x * 64 + i];
    }
    __syncwarp();
    unsigned a, b, c, at = lane % 8 * 8 + lane / 8;
    at = swizzled ? at ^ (at / 8 & 7) : at;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(shared_address(rows + at)));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(b), "=r"(c) : "r"(shared_address(rows + at)));
    out[blockIdx.x * 32 + lane] = a ^ b * 3 ^ c * 5;
}

KERNEL stmatrix_forms(int pitch, const uint4 *in, uint4 *out) {
    extern __shared__ __align__(16) unsigned char rows[];
    int lane = threadIdx.x;
    uint4 r = in[blockIdx.x * 32 + lane];
    unsigned at = shared_address(rows + lane * pitch);
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%4], {%0, %1, %2, %3};" ::"r"(r.x), "r"(r.y), "r"(r.z), "r"(r.w), "r"(at) : "memory");
    __syncwarp();
    uint4 first = *reinterpret_cast<uint4 *>(rows + lane * pitch);
    __syncwarp();
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%2], {%0, %1};" ::"r"(r.w), "r"(r.y), "r"(at) : "memory");
    __syncwarp();
    uint4 second = *reinterpret_cast<uint4 *>(rows + (31 - lane) * pitch);
    out[blockIdx.x * 32 + lane] = make_uint4(first.x ^ second.y, first.y + second.x, first.z ^ second.w, first.w + second.z);
}

// ---- mma.sync, a warp each, operands straight from memory ----

#define MMA_FLOAT(name, shape, types, masks)                                                                                                                  \
    KERNEL name(int steps, const unsigned *a, const unsigned *b, float4 *out) {                                                                               \
        int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;                                                                     \
        float4 d = {0, 0, 0, 0};                                                                                                                              \
        for (int s = 0; s < steps; s++) {                                                                                                                     \
            const unsigned *x = a + (warp * steps + s) * 128 + lane, *y = b + s * 64 + lane;                                                                  \
            asm volatile("mma.sync.aligned." shape ".row.col.f32." types ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"               \
                         : "+f"(d.x), "+f"(d.y), "+f"(d.z), "+f"(d.w)                                                                                         \
                         : "r"(x[0] & masks), "r"(x[32] & masks), "r"(x[64] & masks), "r"(x[96] & masks), "r"(y[0] & masks), "r"(y[32] & masks));             \
        }                                                                                                                                                     \
        out[warp * 32 + lane] = d;                                                                                                                            \
    }

MMA_FLOAT(mma_f16, "m16n8k16", "f16.f16", 0xbbffbbffu)
MMA_FLOAT(mma_bf16, "m16n8k16", "bf16.bf16", 0xbfffbfffu)
MMA_FLOAT(mma_tf32, "m16n8k8", "tf32.tf32", 0xbfffe000u)
MMA_FLOAT(mma_e4m3, "m16n8k32", "e4m3.e4m3", 0xbfbfbfbfu)
MMA_FLOAT(mma_e5m2, "m16n8k32", "e5m2.e4m3", 0xb7b7b7b7u)

KERNEL mma_s8(int steps, const unsigned *a, const unsigned *b, int4 *out) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    int4 d = {0, 0, 0, 0};
    for (int s = 0; s < steps; s++) {
        const unsigned *x = a + (warp * steps + s) * 128 + lane, *y = b + s * 64 + lane;
        asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+r"(d.x), "+r"(d.y), "+r"(d.z), "+r"(d.w)
                     : "r"(x[0]), "r"(x[32]), "r"(x[64]), "r"(x[96]), "r"(y[0]), "r"(y[32]));
    }
    out[warp * 32 + lane] = d;
}

KERNEL mma_f64(int steps, const double *a, const double *b, double2 *out) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    double2 d = {0, 0};
    for (int s = 0; s < steps; s++) {
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                     : "+d"(d.x), "+d"(d.y)
                     : "d"(a[(warp * steps + s) * 32 + lane]), "d"(b[s * 32 + lane]));
    }
    out[warp * 32 + lane] = d;
}

KERNEL mma_half_sum(int steps, const unsigned *a, const unsigned *b, uint2 *out) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    uint2 d = {0, 0};
    for (int s = 0; s < steps; s++) {
        const unsigned *x = a + (warp * steps + s) * 128 + lane, *y = b + s * 64 + lane;
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%0, %1};"
                     : "+r"(d.x), "+r"(d.y)
                     : "r"(tame(x[0])), "r"(tame(x[32])), "r"(tame(y[0])));
    }
    out[warp * 32 + lane] = d;
}

// 32x32 of a product, four warps, tiles by ldmatrix out of swizzled rows of 64 bytes.
KERNEL hgemm_ldmatrix(int n, int k, const uint4 *a, const uint4 *b, float2 *c) {
    __shared__ uint4 as[32 * 4], bs[32 * 4];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, wr = warp / 2 * 16, wc = warp % 2 * 16;
    float d[2][4] = {};
    for (int k0 = 0; k0 < k; k0 += 32) {
        int row = t / 4, part = t % 4, to = row * 4 + (part ^ (row / 2 & 3));
        as[to] = tame(a[((blockIdx.y * 32 + row) * k + k0) / 8 + part]);
        bs[to] = tame(b[((k0 + row) * n + blockIdx.x * 32) / 8 + part]);
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 32; kk += 16) {
            unsigned x[4], y[4];
            int ar = wr + lane % 16, ap = kk / 8 + lane / 16, br = kk + lane % 16, bp = wc / 8 + lane / 16;
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                         : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                         : "r"(shared_address(as + ar * 4 + (ap ^ (ar / 2 & 3)))));
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                         : "=r"(y[0]), "=r"(y[1]), "=r"(y[2]), "=r"(y[3])
                         : "r"(shared_address(bs + br * 4 + (bp ^ (br / 2 & 3)))));
#pragma unroll
            for (int j = 0; j < 2; j++) {
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                             : "+f"(d[j][0]), "+f"(d[j][1]), "+f"(d[j][2]), "+f"(d[j][3])
                             : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[2 * j]), "r"(y[2 * j + 1]));
            }
        }
        __syncthreads();
    }
    for (int j = 0; j < 2; j++) {
        int row = blockIdx.y * 32 + wr + lane / 4, col = blockIdx.x * 32 + wc + j * 8 + lane % 4 * 2;
        c[(row * n + col) / 2] = make_float2(d[j][0], d[j][1]);
        c[((row + 8) * n + col) / 2] = make_float2(d[j][2], d[j][3]);
    }
}

// ---- wmma ----

KERNEL wmma_8x32(int steps, const __half *a, const __half *b, float *out) {
    using namespace nvcuda;
    __shared__ __half held[8 * 16 + 16 * 32];
    const unsigned *from[2] = {reinterpret_cast<const unsigned *>(a), reinterpret_cast<const unsigned *>(b)};
    unsigned *to = reinterpret_cast<unsigned *>(held);
    wmma::fragment<wmma::matrix_a, 8, 32, 16, __half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 8, 32, 16, __half, wmma::col_major> y;
    wmma::fragment<wmma::accumulator, 8, 32, 16, float> d;
    wmma::fill_fragment(d, 0.5f);
    for (int s = 0; s < steps; s++) {
        for (int i = threadIdx.x; i < 64; i += 32) {
            to[i] = tame(from[0][(blockIdx.x * steps + s) * 64 + i]);
        }
        for (int i = threadIdx.x; i < 256; i += 32) {
            to[64 + i] = tame(from[1][s * 256 + i]);
        }
        __syncwarp();
        wmma::load_matrix_sync(x, held, 16);
        wmma::load_matrix_sync(y, held + 128, 16);
        wmma::mma_sync(d, x, y, d);
        __syncwarp();
    }
    wmma::store_matrix_sync(out + blockIdx.x * 256, d, 32, wmma::mem_row_major);
}

KERNEL wmma_int8(const signed char *a, const signed char *b, int *out) {
    using namespace nvcuda;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::col_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::row_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> d;
    wmma::fill_fragment(d, 0);
    for (int s = 0; s < 4; s++) {
        wmma::load_matrix_sync(x, a + (blockIdx.x * 4 + s) * 256, 16);
        wmma::load_matrix_sync(y, b + s * 256, 16);
        wmma::mma_sync(d, x, y, d);
    }
    wmma::store_matrix_sync(out + blockIdx.x * 256, d, 16, wmma::mem_col_major);
}

// ---- wgmma ----

namespace {

__device__ __forceinline__ uint64_t descriptor(const void *p, int leading, int stride, int swizzle) {
    uint64_t d = (shared_address(p) & 0x3ffff) >> 4;
    d |= static_cast<uint64_t>(leading >> 4) << 16;
    d |= static_cast<uint64_t>(stride >> 4) << 32;
    return d | static_cast<uint64_t>(swizzle) << 62;
}

__device__ __forceinline__ void fence_operands() {
    asm volatile("fence.proxy.async.shared::cta;\nwgmma.fence.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void finish_products() {
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
}

}

#define SUMS_16(d)                                                                                                                                            \
    "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),         \
        "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
#define LIST_16 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}"

// 64x32 of a product of depth 64: rows of 128 bytes, swizzled, both operands by depth.
KERNEL wgmma_f16_swizzled(const uint4 *a, const uint4 *b, float *out) {
    __shared__ __align__(1024) uint4 as[64 * 8], bs[32 * 8];
    int t = threadIdx.x;
    for (int i = t; i < 512; i += 128) {
        as[i ^ (i / 8 & 7)] = tame(a[blockIdx.x * 512 + i]);
    }
    for (int i = t; i < 256; i += 128) {
        bs[i ^ (i / 8 & 7)] = tame(b[i]);
    }
    __syncthreads();
    float d[16] = {};
    fence_operands();
#pragma unroll
    for (int k = 0; k < 4; k++) {
        asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 " LIST_16 ", %16, %17, 1, 1, 1, 0, 0;"
                     : SUMS_16(d)
                     : "l"(descriptor(as, 16, 1024, 1) + k * 2), "l"(descriptor(bs, 16, 1024, 1) + k * 2));
    }
    finish_products();
    for (int i = 0; i < 16; i++) {
        out[(blockIdx.x * 16 + i) * 128 + t] = d[i];
    }
}

KERNEL wgmma_bf16_registers(const unsigned *a, const uint4 *b, float *out) {
    __shared__ __align__(1024) uint4 bs[32 * 2];
    int t = threadIdx.x;
    if (t < 64) {
        uint4 v = b[t];
        bs[t] = make_uint4(v.x & 0xbfffbfffu, v.y & 0xbfffbfffu, v.z & 0xbfffbfffu, v.w & 0xbfffbfffu);
    }
    __syncthreads();
    unsigned x[4];
    for (int k = 0; k < 4; k++) {
        x[k] = a[(blockIdx.x * 4 + k) * 128 + t] & 0xbfffbfffu;
    }
    float d[16] = {};
    fence_operands();
    asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 " LIST_16 ", {%16, %17, %18, %19}, %20, 1, 1, -1, 0;"
                 : SUMS_16(d)
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "l"(descriptor(bs, 128, 256, 0)));
    finish_products();
    for (int i = 0; i < 16; i++) {
        out[(blockIdx.x * 16 + i) * 128 + t] = d[i];
    }
}

KERNEL wgmma_tf32(const uint4 *a, const uint4 *b, float *out) {
    __shared__ __align__(1024) uint4 as[64 * 2], bs[32 * 2];
    int t = threadIdx.x;
    as[t] = a[blockIdx.x * 128 + t];
    if (t < 64) {
        bs[t] = b[t];
    }
    __syncthreads();
    float d[16] = {};
    fence_operands();
    asm volatile("wgmma.mma_async.sync.aligned.m64n32k8.f32.tf32.tf32 " LIST_16 ", %16, %17, 1, 1, 1;"
                 : SUMS_16(d)
                 : "l"(descriptor(as, 128, 256, 0)), "l"(descriptor(bs, 128, 256, 0)));
    finish_products();
    for (int i = 0; i < 16; i++) {
        out[(blockIdx.x * 16 + i) * 128 + t] = d[i];
    }
}

KERNEL wgmma_e4m3(const uint4 *a, const uint4 *b, float *out) {
    __shared__ __align__(1024) uint4 as[64 * 4], bs[32 * 4];
    int t = threadIdx.x;
    for (int i = t; i < 256; i += 128) {
        uint4 v = a[blockIdx.x * 256 + i];
        as[i ^ (i / 8 & 3)] = make_uint4(v.x & 0xbfbfbfbfu, v.y & 0xbfbfbfbfu, v.z & 0xbfbfbfbfu, v.w & 0xbfbfbfbfu);
    }
    uint4 w = b[t];
    bs[t ^ (t / 8 & 3)] = make_uint4(w.x & 0xbfbfbfbfu, w.y & 0xbfbfbfbfu, w.z & 0xbfbfbfbfu, w.w & 0xbfbfbfbfu);
    __syncthreads();
    float d[16] = {};
    fence_operands();
#pragma unroll
    for (int k = 0; k < 2; k++) {
        asm volatile("wgmma.mma_async.sync.aligned.m64n32k32.f32.e4m3.e4m3 " LIST_16 ", %16, %17, 1, 1, 1;"
                     : SUMS_16(d)
                     : "l"(descriptor(as, 16, 512, 2) + k * 2), "l"(descriptor(bs, 16, 512, 2) + k * 2));
    }
    finish_products();
    for (int i = 0; i < 16; i++) {
        out[(blockIdx.x * 16 + i) * 128 + t] = d[i];
    }
}

KERNEL wgmma_s8(const uint4 *a, const uint4 *b, int *out) {
    __shared__ __align__(1024) uint4 as[64 * 2], bs[16 * 2];
    int t = threadIdx.x;
    as[t] = a[blockIdx.x * 128 + t];
    if (t < 32) {
        bs[t] = b[t];
    }
    __syncthreads();
    int d[8] = {};
    fence_operands();
    asm volatile("wgmma.mma_async.sync.aligned.m64n16k32.s32.s8.s8 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, 1;"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7])
                 : "l"(descriptor(as, 128, 256, 0)), "l"(descriptor(bs, 128, 256, 0)));
    finish_products();
    for (int i = 0; i < 8; i++) {
        out[(blockIdx.x * 8 + i) * 128 + t] = d[i];
    }
}

// The second operand with its columns next to each other (transposed), 64 of them swizzled.
KERNEL wgmma_columns(const uint4 *a, const uint4 *b, float *out) {
    __shared__ __align__(1024) uint4 as[64 * 2], bs[16 * 8];
    int t = threadIdx.x;
    as[t] = tame(a[blockIdx.x * 128 + t]);
    bs[t ^ (t / 8 & 7)] = tame(b[t]);
    __syncthreads();
    float d[16] = {};
    fence_operands();
    asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 " LIST_16 ", %16, %17, 1, 1, 1, 0, 1;"
                 : SUMS_16(d)
                 : "l"(descriptor(as, 128, 256, 0)), "l"(descriptor(bs, 1024, 1024, 1)));
    finish_products();
    for (int i = 0; i < 16; i++) {
        out[(blockIdx.x * 16 + i) * 128 + t] = d[i];
    }
}
