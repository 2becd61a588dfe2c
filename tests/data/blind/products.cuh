// Products of matrices, most by matrix units; small matrices.

__device__ __forceinline__ uint32_t shared_address(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

// bf16: a block of 4 warps makes 64 x BN by mma.m16n8k16 and ldmatrix; STAGES tiles of k = 32 are on their way.
template <int BN, int STAGES>
__device__ __forceinline__ void bf16_product(__nv_bfloat16 *c, const __nv_bfloat16 *a, const __nv_bfloat16 *b, int n, int k) {
    extern __shared__ __align__(16) char room[];
    __nv_bfloat16(*ta)[64][40] = (__nv_bfloat16(*)[64][40])room;
    __nv_bfloat16(*tb)[BN][40] = (__nv_bfloat16(*)[BN][40])(room + STAGES * 64 * 40 * 2);
    const int t = threadIdx.x, warp = t / 32, lane = t % 32, i0 = blockIdx.y * 64, j0 = blockIdx.x * BN, steps = k / 32;
    float sum[BN / 8][4] = {};
    auto load = [&](int s) {
        for (int q = t; q < 64 * 4; q += 128)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&ta[s % STAGES][q / 4][q % 4 * 8])),
                         "l"(a + (size_t)(i0 + q / 4) * k + s * 32 + q % 4 * 8));
        for (int q = t; q < BN * 4; q += 128)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&tb[s % STAGES][q / 4][q % 4 * 8])),
                         "l"(b + (size_t)(j0 + q / 4) * k + s * 32 + q % 4 * 8));
    };
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < steps) load(s);
        asm volatile("cp.async.commit_group;");
    }
    for (int s = 0; s < steps; s++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));
        __syncthreads();
        if (s + STAGES - 1 < steps) load(s + STAGES - 1);
        asm volatile("cp.async.commit_group;");
#pragma unroll
        for (int kk = 0; kk < 32; kk += 16) {
            uint32_t fa[4], fb[2];
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                         : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
                         : "r"(shared_address(&ta[s % STAGES][warp * 16 + lane % 16][kk + lane / 16 * 8])));
#pragma unroll
            for (int j = 0; j < BN / 8; j++) {
                asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                             : "=r"(fb[0]), "=r"(fb[1])
                             : "r"(shared_address(&tb[s % STAGES][j * 8 + lane % 8][kk + lane / 8 % 2 * 8])));
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                             : "+f"(sum[j][0]), "+f"(sum[j][1]), "+f"(sum[j][2]), "+f"(sum[j][3])
                             : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
            }
        }
    }
    for (int j = 0; j < BN / 8; j++)
        for (int h = 0; h < 2; h++)
            *(__nv_bfloat162 *)(c + (size_t)(i0 + warp * 16 + lane / 4 + h * 8) * n + j0 + j * 8 + lane % 4 * 2) =
                __floats2bfloat162_rn(sum[j][2 * h], sum[j][2 * h + 1]);
}
#define BF16(BN, S) \
    KERNEL bf16_product__64x##BN##s##S(__nv_bfloat16 *c, const __nv_bfloat16 *a, const __nv_bfloat16 *b, int n, int k) { bf16_product<BN, S>(c, a, b, n, k); }
BF16(32, 2) BF16(32, 4) BF16(64, 2) BF16(64, 3) BF16(128, 3)

// tf32: operands straight from shared memory in the layout of mma.m16n8k8, one stage.
template <int WARPS> __device__ __forceinline__ void tf32_product(float *c, const float *a, const float *b, int n, int k) {
    __shared__ float ta[WARPS * 16][20], tb[16][72];
    const int t = threadIdx.x, warp = t / 32, lane = t % 32, i0 = blockIdx.y * WARPS * 16, j0 = blockIdx.x * 64;
    float sum[8][4] = {};
    for (int at = 0; at < k; at += 16) {
        for (int q = t; q < WARPS * 16 * 4; q += WARPS * 32) *(float4 *)&ta[q / 4][q % 4 * 4] = *(const float4 *)(a + (size_t)(i0 + q / 4) * k + at + q % 4 * 4);
        for (int q = t; q < 16 * 16; q += WARPS * 32) *(float4 *)&tb[q / 16][q % 16 * 4] = *(const float4 *)(b + (size_t)(at + q / 16) * n + j0 + q % 16 * 4);
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 16; kk += 8) {
            uint32_t fa[4];
            for (int q = 0; q < 4; q++)
                asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(fa[q]) : "f"(ta[warp * 16 + lane / 4 + q % 2 * 8][kk + lane % 4 + q / 2 * 4]));
#pragma unroll
            for (int j = 0; j < 8; j++) {
                uint32_t fb[2];
                for (int q = 0; q < 2; q++) asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(fb[q]) : "f"(tb[kk + lane % 4 + q * 4][j * 8 + lane / 4]));
                asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                             : "+f"(sum[j][0]), "+f"(sum[j][1]), "+f"(sum[j][2]), "+f"(sum[j][3])
                             : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
            }
        }
        __syncthreads();
    }
    for (int j = 0; j < 8; j++)
        for (int h = 0; h < 2; h++)
            *(float2 *)(c + (size_t)(i0 + warp * 16 + lane / 4 + h * 8) * n + j0 + j * 8 + lane % 4 * 2) = make_float2(sum[j][2 * h], sum[j][2 * h + 1]);
}
KERNEL tf32_product__2(float *c, const float *a, const float *b, int n, int k) { tf32_product<2>(c, a, b, n, k); }
KERNEL tf32_product__4(float *c, const float *a, const float *b, int n, int k) { tf32_product<4>(c, a, b, n, k); }
KERNEL tf32_product__8(float *c, const float *a, const float *b, int n, int k) { tf32_product<8>(c, a, b, n, k); }

// int8 straight from global memory by mma.m16n8k32: a warp makes 16 x (8 * COLUMNS).
template <int COLUMNS> __device__ __forceinline__ void int8_product(int *c, const int *a, const int *b, int n, int k) {
    const int lane = threadIdx.x % 32, i0 = blockIdx.y * 16, j0 = (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 8 * COLUMNS, words = k / 4;
    int sum[COLUMNS][4] = {};
    for (int at = 0; at < words; at += 8) {
        int fa[4];
        for (int q = 0; q < 4; q++) fa[q] = a[(size_t)(i0 + lane / 4 + q % 2 * 8) * words + at + lane % 4 + q / 2 * 4];
#pragma unroll
        for (int j = 0; j < COLUMNS; j++) {
            const int *p = b + (size_t)(j0 + j * 8 + lane / 4) * words + at + lane % 4;
            asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                         : "+r"(sum[j][0]), "+r"(sum[j][1]), "+r"(sum[j][2]), "+r"(sum[j][3])
                         : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(p[0]), "r"(p[4]));
        }
    }
    for (int j = 0; j < COLUMNS; j++)
        for (int h = 0; h < 2; h++) *(int2 *)(c + (size_t)(i0 + lane / 4 + h * 8) * n + j0 + j * 8 + lane % 4 * 2) = make_int2(sum[j][2 * h], sum[j][2 * h + 1]);
}
KERNEL int8_product__1(int *c, const int *a, const int *b, int n, int k) { int8_product<1>(c, a, b, n, k); }
KERNEL int8_product__4(int *c, const int *a, const int *b, int n, int k) { int8_product<4>(c, a, b, n, k); }

// Many small matrices: a thread has one, or a warp's lanes share one.
KERNEL small_products__thread4(float *c, const float *a, const float *b, int count) {
    const int i = THREAD;
    if (i >= count) return;
    float x[16], y[16];
    for (int k = 0; k < 4; k++) *(float4 *)(x + 4 * k) = ((const float4 *)a)[i * 4 + k], *(float4 *)(y + 4 * k) = ((const float4 *)b)[i * 4 + k];
    for (int r = 0; r < 4; r++) {
        float4 s = {0, 0, 0, 0};
        for (int k = 0; k < 4; k++) s.x += x[4 * r + k] * y[4 * k], s.y += x[4 * r + k] * y[4 * k + 1], s.z += x[4 * r + k] * y[4 * k + 2], s.w += x[4 * r + k] * y[4 * k + 3];
        ((float4 *)c)[i * 4 + r] = s;
    }
}

KERNEL small_products__element4(float *c, const float *a, const float *b, int count) {
    const int i = THREAD, m = i / 16, r = i / 4 % 4, j = i % 4;
    if (m >= count) return;
    float s = 0;
    for (int k = 0; k < 4; k++) s += a[m * 16 + r * 4 + k] * b[m * 16 + k * 4 + j];
    c[i] = s;
}

KERNEL small_products__shared16(float *c, const float *a, const float *b, int count) {
    __shared__ float ta[16][17], tb[16][17];
    const int i = threadIdx.x / 16, j = threadIdx.x % 16;
    for (int m = blockIdx.x; m < count; m += gridDim.x) {
        ta[i][j] = a[m * 256 + threadIdx.x];
        tb[i][j] = b[m * 256 + threadIdx.x];
        __syncthreads();
        float s = 0;
        for (int k = 0; k < 16; k++) s += ta[i][k] * tb[k][j];
        c[m * 256 + threadIdx.x] = s;
        __syncthreads();
    }
}

// Cholesky's factors of 8 x 8 matrices, a thread each; row by row in local registers, or one element of all matrices after the other in memory.
template <bool APART> __device__ __forceinline__ void cholesky(float *out, const float *in, int count) {
    const int t = THREAD;
    if (t >= count) return;
    float l[8][8];
    for (int i = 0; i < 8; i++)
        for (int j = 0; j <= i; j++) {
            const int at = i * 8 + j;
            l[i][j] = in[APART ? at * count + t : t * 64 + at] + (i == j ? 40.f : 0.f);
        }
#pragma unroll
    for (int j = 0; j < 8; j++) {
        for (int k = 0; k < j; k++) l[j][j] -= l[j][k] * l[j][k];
        l[j][j] = sqrtf(l[j][j]);
        for (int i = j + 1; i < 8; i++) {
            for (int k = 0; k < j; k++) l[i][j] -= l[i][k] * l[j][k];
            l[i][j] /= l[j][j];
        }
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j <= i; j++) {
            const int at = i * 8 + j;
            out[APART ? at * count + t : t * 64 + at] = l[i][j];
        }
}
KERNEL cholesky__together(float *out, const float *in, int count) { cholesky<false>(out, in, count); }
KERNEL cholesky__apart(float *out, const float *in, int count) { cholesky<true>(out, in, count); }

KERNEL dgemm__16(double *c, const double *a, const double *b, int n) {
    __shared__ double ta[16][17], tb[16][17];
    const int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
    double s = 0;
    for (int at = 0; at < n; at += 16) {
        ta[threadIdx.y][threadIdx.x] = a[i * n + at + threadIdx.x];
        tb[threadIdx.y][threadIdx.x] = b[(at + threadIdx.y) * n + j];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) s += ta[threadIdx.y][k] * tb[k][threadIdx.x];
        __syncthreads();
    }
    c[i * n + j] = s;
}

KERNEL dgemm__32(double *c, const double *a, const double *b, int n) {
    __shared__ double ta[32][17], tb[16][33];
    const int t = threadIdx.y * 16 + threadIdx.x, i0 = blockIdx.y * 32, j0 = blockIdx.x * 32;
    double s[2][2] = {};
    for (int at = 0; at < n; at += 16) {
        for (int q = t; q < 512; q += 256) {
            ta[q / 16][q % 16] = a[(i0 + q / 16) * n + at + q % 16];
            tb[q / 32][q % 32] = b[(at + q / 32) * n + j0 + q % 32];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++)
            for (int u = 0; u < 2; u++)
                for (int v = 0; v < 2; v++) s[u][v] += ta[threadIdx.y + 16 * u][k] * tb[k][threadIdx.x + 16 * v];
        __syncthreads();
    }
    for (int u = 0; u < 2; u++)
        for (int v = 0; v < 2; v++) c[(i0 + threadIdx.y + 16 * u) * n + j0 + threadIdx.x + 16 * v] = s[u][v];
}
