/* Loads of matrix instructions: ldmatrix and stmatrix at pitches and swizzles, wmma fragments from shared and global memory. */
#include <cuda_fp16.h>
#include <mma.h>

#define T threadIdx.x
#define SMEM(p) ((unsigned)__cvta_generic_to_shared(p))

using namespace nvcuda;

extern "C" {

/* Rows of 16 bytes, `pitch` halves apart; row r is moved by r & turn chunks. */
#define ROW(r) (s + (r) * pitch + ((c ^ ((r) & turn)) * 8))
#define FILL()                                                         \
    extern __shared__ __align__(128) __half s[];                       \
    for (int k = T; k < halves; k += blockDim.x) s[k] = in[k];         \
    __syncthreads();                                                   \
    const int c = chunk
__global__ void ldmatrix_x1(const __half *in, unsigned *out, int halves, int pitch, int turn, int chunk) {
    FILL();
    unsigned a;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(SMEM(ROW(T & 7))));
    out[T] = a;
}
__global__ void ldmatrix_x2(const __half *in, unsigned *out, int halves, int pitch, int turn, int chunk) {
    FILL();
    unsigned a, b;
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(SMEM(ROW(T & 15))));
    out[T] = a ^ b;
}
__global__ void ldmatrix_x4(const __half *in, unsigned *out, int halves, int pitch, int turn, int chunk) {
    FILL();
    unsigned a, b, d, e;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(d), "=r"(e)
                 : "r"(SMEM(ROW(T & 31))));
    out[T] = a ^ b ^ d ^ e;
}
__global__ void ldmatrix_x4_halves(const __half *in, unsigned *out, int halves, int pitch, int turn, int chunk) {
    FILL();
    unsigned a, b, d, e;
    int r = T & 15;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(d), "=r"(e)
                 : "r"(SMEM(s + r * pitch + (((c + ((T >> 4) & 1)) ^ (r & turn)) * 8))));
    out[T] = a ^ b ^ d ^ e;
}
__global__ void stmatrix_x4(const __half *in, unsigned *out, int halves, int pitch, int turn, int chunk) {
    FILL();
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(SMEM(ROW(T & 31))), "r"(T), "r"(T * 2), "r"(T * 3),
                 "r"(T * 4) : "memory");
    __syncthreads();
    for (int k = T; k < halves / 2; k += blockDim.x) out[k] = ((unsigned *)s)[k];
}
__global__ void stmatrix_x1(const __half *in, unsigned *out, int halves, int pitch, int turn, int chunk) {
    FILL();
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(SMEM(ROW(T & 7))), "r"(T) : "memory");
    __syncthreads();
    for (int k = T; k < halves / 2; k += blockDim.x) out[k] = ((unsigned *)s)[k];
}

/* Fragments of 16 x 16 x 16, factors in shared memory at a pitch. */
#define WMMA_SHARED(name, la, lb)                                                                  \
    __global__ void wmma_shared_##name(const __half *a, const __half *b, float *out, int pitch) {  \
        extern __shared__ __align__(128) __half s[];                                               \
        __half *p = s, *q = s + 16 * pitch;                                                        \
        for (int k = T; k < 256; k += blockDim.x) {                                                \
            p[k / 16 * pitch + k % 16] = __float2half((float)(k % 7));                             \
            q[k / 16 * pitch + k % 16] = __float2half((float)(k % 5));                             \
        }                                                                                          \
        __syncthreads();                                                                           \
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, la> x;                                  \
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, lb> y;                                  \
        wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;                                    \
        wmma::fill_fragment(z, 0.0f);                                                              \
        wmma::load_matrix_sync(x, p, pitch);                                                       \
        wmma::load_matrix_sync(y, q, pitch);                                                       \
        wmma::mma_sync(z, x, y, z);                                                                \
        wmma::store_matrix_sync(out + T / 32 * 256, z, 16, wmma::mem_row_major);                   \
    }
WMMA_SHARED(row_row, wmma::row_major, wmma::row_major)
WMMA_SHARED(row_col, wmma::row_major, wmma::col_major)
WMMA_SHARED(col_row, wmma::col_major, wmma::row_major)
WMMA_SHARED(col_col, wmma::col_major, wmma::col_major)

#define WMMA_GLOBAL(name, la, lb, out_layout)                                                          \
    __global__ void wmma_global_##name(const __half *a, const __half *b, float *out, int pitch) {      \
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, la> x;                                      \
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, lb> y;                                      \
        wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;                                        \
        wmma::load_matrix_sync(z, out, pitch, out_layout);                                             \
        for (int k = 0; k < 2; k++) {                                                                  \
            wmma::load_matrix_sync(x, a + k * 16, pitch);                                              \
            wmma::load_matrix_sync(y, b + k * 16, pitch);                                              \
            wmma::mma_sync(z, x, y, z);                                                                \
        }                                                                                              \
        wmma::store_matrix_sync(out, z, pitch, out_layout);                                            \
    }
WMMA_GLOBAL(row_row, wmma::row_major, wmma::row_major, wmma::mem_row_major)
WMMA_GLOBAL(row_col, wmma::row_major, wmma::col_major, wmma::mem_row_major)
WMMA_GLOBAL(col_row, wmma::col_major, wmma::row_major, wmma::mem_col_major)

__global__ void wmma_half_store(const __half *a, __half *out, int pitch) {
    extern __shared__ __align__(128) __half s[];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, __half> z;
    wmma::fill_fragment(z, __float2half(0.0f));
    wmma::load_matrix_sync(x, a, 16);
    wmma::load_matrix_sync(y, a, 16);
    wmma::mma_sync(z, x, y, z);
    wmma::store_matrix_sync(s, z, pitch, wmma::mem_row_major);
    __syncthreads();
    for (int k = T; k < 256; k += 32) out[k] = s[k / 16 * pitch + k % 16];
}
__global__ void mma_fragments(const unsigned *a, const unsigned *b, float *out) {
    int lane = T & 31, g = lane >> 2, t = lane & 3;
    const unsigned *p = a + blockIdx.x * 128, *q = b + blockIdx.x * 64;
    unsigned a0 = p[g * 8 + t], a1 = p[(g + 8) * 8 + t], a2 = p[g * 8 + t + 4], a3 = p[(g + 8) * 8 + t + 4];
    unsigned b0 = q[g * 8 + t], b1 = q[g * 8 + t + 4];
    a0 &= 0x3c003c00, a1 &= 0x3c003c00, a2 &= 0x3c003c00, a3 &= 0x3c003c00, b0 &= 0x3c003c00, b1 &= 0x3c003c00;
    float c0 = 0, c1 = 0, c2 = 0, c3 = 0;
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
    float2 *o = (float2 *)(out + blockIdx.x * 128);
    o[g * 4 + t] = make_float2(c0, c1);
    o[(g + 8) * 4 + t] = make_float2(c2, c3);
}
/* A tiled product: ldmatrix from padded or swizzled tiles that LDGSTS fills, two stages. */
__global__ void product_ldmatrix(const __half *a, const __half *b, float *c, int n) {
    __shared__ __align__(128) __half ta[2][32][32], tb[2][32][32];
    int warp = T / 32, lane = T & 31, wy = warp / 2, wx = warp & 1;
    float z[2][4] = {};
    auto fetch = [&](int k, int stage) {
        int r = T / 4, chunk = T & 3, to = (chunk ^ ((r >> 1) & 3)) * 8;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(SMEM(&ta[stage][r][to])), "l"(a + (blockIdx.y * 32 + r) * n + k + chunk * 8) : "memory");
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(SMEM(&tb[stage][r][to])), "l"(b + (k + r) * n + blockIdx.x * 32 + chunk * 8) : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    fetch(0, 0);
    for (int k = 0, stage = 0; k < n; k += 32, stage ^= 1) {
        if (k + 32 < n) fetch(k + 32, stage ^ 1);
        else asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        for (int j = 0; j < 32; j += 16) {
            unsigned x[4], y[4];
            int r = wy * 16 + (lane & 15), ch = j / 8 + (lane >> 4);
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                         : "r"(SMEM(&ta[stage][r][(ch ^ ((r >> 1) & 3)) * 8])));
            r = j + (lane & 15), ch = wx * 2 + (lane >> 4);
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(y[0]), "=r"(y[1]), "=r"(y[2]), "=r"(y[3])
                         : "r"(SMEM(&tb[stage][r][(ch ^ ((r >> 1) & 3)) * 8])));
            for (int h = 0; h < 2; h++)
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                             : "+f"(z[h][0]), "+f"(z[h][1]), "+f"(z[h][2]), "+f"(z[h][3])
                             : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[2 * h]), "r"(y[2 * h + 1]));
        }
        __syncthreads();
    }
    for (int h = 0; h < 2; h++) {
        float2 *o = (float2 *)(c + (blockIdx.y * 32 + wy * 16 + (lane >> 2)) * n + blockIdx.x * 32 + wx * 16 + h * 8 + (lane & 3) * 2);
        o[0] = make_float2(z[h][0], z[h][1]);
        o[4 * n] = make_float2(z[h][2], z[h][3]);
    }
}

} /* extern "C" */
