/* Shared memory: every width at every degree of conflict, tiles padded and swizzled, what the assembler merges. */
#define T threadIdx.x
#define I (blockIdx.x * blockDim.x + threadIdx.x)

extern "C" {

/* ---- a stride, in elements, for each width; the array is as large as the launch says ---- */
#define STRIDED(name, type)                                                        \
    __global__ void bank_##name(const type *in, type *out, int stride, int mask) { \
        extern __shared__ double memory[];                                         \
        type *s = (type *)memory;                                                  \
        s[T * stride & mask] = in[T];                                              \
        __syncthreads();                                                           \
        out[T] = s[T * stride & mask];                                             \
    }
STRIDED(u8, unsigned char)
STRIDED(u16, unsigned short)
STRIDED(u32, unsigned)
STRIDED(u64, unsigned long long)
STRIDED(v2f32, float2)
STRIDED(v4f32, float4)
STRIDED(v2f64, double2)

/* Lane l takes element table[l]: any pattern. */
#define GATHERED(name, type)                                                                \
    __global__ void pick_##name(const type *in, const unsigned *table, type *out, int n) {  \
        extern __shared__ double memory[];                                                  \
        type *s = (type *)memory;                                                           \
        for (int k = T; k < n; k += blockDim.x) s[k] = in[k];                               \
        __syncthreads();                                                                    \
        out[T] = s[table[T] & (n - 1)];                                                     \
    }
GATHERED(u8, unsigned char)
GATHERED(u32, unsigned)
GATHERED(v2, float2)
GATHERED(v4, float4)

#define SCATTERED(name, type)                                                              \
    __global__ void put_##name(const type *in, const unsigned *table, type *out, int n) {  \
        extern __shared__ double memory[];                                                 \
        type *s = (type *)memory;                                                          \
        for (int k = T; k < n; k += blockDim.x) s[k] = in[k];                              \
        __syncthreads();                                                                   \
        s[table[T] & (n - 1)] = in[T];                                                     \
        __syncthreads();                                                                   \
        for (int k = T; k < n; k += blockDim.x) out[k] = s[k];                             \
    }
SCATTERED(u32, unsigned)
SCATTERED(v2, float2)
SCATTERED(v4, float4)

/* Pairs and groups of lanes at one address: what merges the halves of a wide load. */
__global__ void pairs_v2(const float2 *in, float2 *out, int divide, int step, int turn) {
    __shared__ float2 s[1024];
    for (int k = T; k < 1024; k += blockDim.x) s[k] = in[k];
    __syncthreads();
    out[T] = s[((T ^ turn) / divide * step) & 1023];
}
__global__ void pairs_v4(const float4 *in, float4 *out, int divide, int step, int turn) {
    __shared__ float4 s[1024];
    for (int k = T; k < 1024; k += blockDim.x) s[k] = in[k];
    __syncthreads();
    out[T] = s[((T ^ turn) / divide * step) & 1023];
}
__global__ void some_lanes_v4(const float4 *in, float4 *out, unsigned mask, int step) {
    __shared__ float4 s[1024];
    for (int k = T; k < 1024; k += blockDim.x) s[k] = in[k];
    __syncthreads();
    if (mask >> (T & 31) & 1) out[T] = s[T * step & 1023];
}
__global__ void some_lanes_v2(const float2 *in, float2 *out, unsigned mask, int step) {
    __shared__ float2 s[1024];
    for (int k = T; k < 1024; k += blockDim.x) s[k] = in[k];
    __syncthreads();
    if (mask >> (T & 31) & 1) out[T] = s[T * step & 1023];
}

/* ---- tiles ---- */
#define TILE(name, type, pad)                                                                    \
    __global__ void tile_##name(const type *in, type *out, int n) {                              \
        __shared__ type t[32][32 + pad];                                                         \
        int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;                \
        for (int k = 0; k < 32; k += 8) t[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];   \
        __syncthreads();                                                                         \
        x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;                    \
        for (int k = 0; k < 32; k += 8) out[(y + k) * n + x] = t[threadIdx.x][threadIdx.y + k];  \
    }
TILE(u32_0, unsigned, 0)
TILE(u32_1, unsigned, 1)
TILE(u32_2, unsigned, 2)
TILE(u8_0, unsigned char, 0)
TILE(u8_4, unsigned char, 4)
TILE(u16_0, unsigned short, 0)
TILE(u16_2, unsigned short, 2)
TILE(f64_0, double, 0)
TILE(f64_1, double, 1)
TILE(f32x2_1, float2, 1)
TILE(f32x4_0, float4, 0)

__global__ void swizzle_columns(const float *in, float *out) {
    __shared__ float t[32 * 32];
    for (int k = threadIdx.y; k < 32; k += blockDim.y) t[k * 32 + (threadIdx.x ^ k)] = in[blockIdx.x * 1024 + k * 32 + threadIdx.x];
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += blockDim.y) out[blockIdx.x * 1024 + k * 32 + threadIdx.x] = t[threadIdx.x * 32 + (threadIdx.x ^ k)];
}
__global__ void swizzle_vectors(const float4 *in, float4 *out) {
    __shared__ float4 t[64 * 8];
    int row = T / 8, column = T % 8;
    for (int k = 0; k < 64; k += 32) t[(row + k) * 8 + (column ^ ((row + k) & 7))] = in[(row + k) * 8 + column];
    __syncthreads();
    for (int k = 0; k < 64; k += 32) {
        int r = T % 32 + k, c = T / 32;
        out[c * 64 + r] = t[r * 8 + (c ^ (r & 7))];
    }
}
__global__ void plain_vectors(const float4 *in, float4 *out) {
    __shared__ float4 t[64 * 8];
    int row = T / 8, column = T % 8;
    for (int k = 0; k < 64; k += 32) t[(row + k) * 8 + column] = in[(row + k) * 8 + column];
    __syncthreads();
    for (int k = 0; k < 64; k += 32) {
        int r = T % 32 + k, c = T / 32;
        out[c * 64 + r] = t[r * 8 + c];
    }
}

/* ---- what is merged, dropped, moved ---- */
struct body { float x, y, z, m; };
__global__ void bodies(const float4 *in, float4 *out, int n) {
    __shared__ body s[128];
    int i = I;
    float4 me = in[i % n];
    float ax = 0, ay = 0, az = 0;
    for (int base = 0; base < n; base += blockDim.x) {
        float4 v = in[(base + T) % n];
        s[T] = body{v.x, v.y, v.z, v.w};
        __syncthreads();
        for (int k = 0; k < (int)blockDim.x; k++) {
            float dx = s[k].x - me.x, dy = s[k].y - me.y, dz = s[k].z - me.z;
            float f = s[k].m / (dx * dx + dy * dy + dz * dz + 0.01f);
            ax = fmaf(dx, f, ax), ay = fmaf(dy, f, ay), az = fmaf(dz, f, az);
        }
        __syncthreads();
    }
    out[i] = make_float4(ax, ay, az, 0.0f);
}
__global__ void window_rows(const float *in, float *out, int n) {
    __shared__ float s[256 + 8];
    int i = blockIdx.x * 256 + T;
    s[T] = i < n ? in[i] : 0.0f;
    if (T < 8) s[256 + T] = i + 256 < n ? in[i + 256] : 0.0f;
    __syncthreads();
    float v = 0.0f;
#pragma unroll
    for (int k = 0; k < 9; k++) v += s[T + k];
    if (i < n) out[i] = v;
}
__global__ void window_vectors(const float *in, float *out, int n) {
    __shared__ __align__(16) float s[512 + 8];
    int i = blockIdx.x * 512 + T * 4;
    for (int k = T; k < 520; k += 128) s[k] = blockIdx.x * 512 + k < n ? in[blockIdx.x * 512 + k] : 0.0f;
    __syncthreads();
    for (int j = 0; j < 4; j++) {
        float v = 0.0f;
#pragma unroll
        for (int k = 0; k < 5; k++) v += s[T * 4 + j + k];
        if (i + j < n) out[i + j] = v;
    }
}
__global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float ta[16][16], tb[16][16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float s = 0.0f;
    for (int k = 0; k < n; k += 16) {
        ta[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
        tb[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 16; j++) s = fmaf(ta[threadIdx.y][j], tb[j][threadIdx.x], s);
        __syncthreads();
    }
    c[y * n + x] = s;
}
__global__ void product_wide(const float *a, const float *b, float *c, int n) {
    __shared__ __align__(16) float ta[8][64], tb[8][64];
    int tx = T % 16, ty = T / 16;
    float s[4][4] = {};
    for (int k = 0; k < n; k += 8) {
        for (int i = T; i < 512; i += 256) ta[i % 8][i / 8] = a[(blockIdx.y * 64 + i / 8) * n + k + i % 8];
        for (int i = T; i < 512; i += 256) tb[i / 64][i % 64] = b[(k + i / 64) * n + blockIdx.x * 64 + i % 64];
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 8; j++) {
            float4 u = *(const float4 *)&ta[j][ty * 4], v = *(const float4 *)&tb[j][tx * 4];
            const float p[4] = {u.x, u.y, u.z, u.w}, q[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int g = 0; g < 4; g++)
#pragma unroll
                for (int h = 0; h < 4; h++) s[g][h] = fmaf(p[g], q[h], s[g][h]);
        }
        __syncthreads();
    }
    for (int g = 0; g < 4; g++)
        *(float4 *)&c[(blockIdx.y * 64 + ty * 4 + g) * n + blockIdx.x * 64 + tx * 4] = make_float4(s[g][0], s[g][1], s[g][2], s[g][3]);
}
__global__ void product_double(const double *a, const double *b, double *c, int n) {
    __shared__ double ta[16][17], tb[16][16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    double s = 0.0;
    for (int k = 0; k < n; k += 16) {
        ta[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
        tb[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
        __syncthreads();
        for (int j = 0; j < 16; j++) s = fma(ta[threadIdx.y][j], tb[j][threadIdx.x], s);
        __syncthreads();
    }
    c[y * n + x] = s;
}
__global__ void reduce_tree(const float *in, float *out, int n) {
    __shared__ float s[1024];
    int i = I;
    s[T] = i < n ? in[i] : 0.0f;
    for (int d = 512; d; d >>= 1) {
        __syncthreads();
        if (T < d && T + d < blockDim.x) s[T] += s[T + d];
    }
    if (T == 0) out[blockIdx.x] = s[0];
}
__global__ void reduce_interleaved(const float *in, float *out) {
    __shared__ float s[512];
    s[T] = in[I];
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        __syncthreads();
        unsigned k = 2 * d * T;
        if (k + d < blockDim.x) s[k] += s[k + d];
    }
    if (T == 0) out[blockIdx.x] = s[0];
}
__global__ void reduce_warps(const int *in, int *out) {
    __shared__ int s[32];
    int v = __reduce_add_sync(0xffffffffu, in[I]);
    if ((T & 31) == 0) s[T / 32] = v;
    __syncthreads();
    if (T < 32) {
        v = T < (blockDim.x + 31) / 32 ? s[T] : 0;
        v = __reduce_add_sync(0xffffffffu, v);
        if (T == 0) out[blockIdx.x] = v;
    }
}
__global__ void scan_hillis(const unsigned *in, unsigned *out) {
    __shared__ unsigned s[2][1024];
    int side = 0;
    s[0][T] = in[I];
    __syncthreads();
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        s[side ^ 1][T] = s[side][T] + (T >= d ? s[side][T - d] : 0);
        side ^= 1;
        __syncthreads();
    }
    out[I] = s[side][T];
}
__global__ void scan_blelloch(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned s[1024];
    unsigned d, offset = 1;
    s[2 * T] = in[2 * T];
    s[2 * T + 1] = in[2 * T + 1];
    for (d = n >> 1; d; d >>= 1, offset *= 2) {
        __syncthreads();
        if (T < d) s[offset * (2 * T + 2) - 1] += s[offset * (2 * T + 1) - 1];
    }
    if (T == 0) s[n - 1] = 0;
    for (d = 1; d < (unsigned)n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (T < d) {
            unsigned i = offset * (2 * T + 1) - 1, j = offset * (2 * T + 2) - 1, v = s[i];
            s[i] = s[j];
            s[j] += v;
        }
    }
    __syncthreads();
    out[2 * T] = s[2 * T];
    out[2 * T + 1] = s[2 * T + 1];
}
__global__ void stack_of_bytes(const unsigned char *in, unsigned char *out) {
    __shared__ unsigned char s[64][132];
    for (int k = 0; k < 64; k++) s[k][T] = in[k * 128 + T];
    __syncthreads();
    unsigned v = 0;
    for (int k = 0; k < 128; k++) v += s[T % 64][k];
    out[T] = (unsigned char)v;
}
__global__ void struct_rows(const float *in, float *out) {
    struct row { float a, b, c; };
    __shared__ row s[256];
    s[T] = row{in[3 * T], in[3 * T + 1], in[3 * T + 2]};
    __syncthreads();
    int k = (T * 7) & 255;
    out[T] = s[k].a + s[k].b * s[k].c;
}
__global__ void struct_five(const float *in, float *out) {
    __shared__ float s[256][5];
    for (int k = 0; k < 5; k++) s[T][k] = in[k * 256 + T];
    __syncthreads();
    float v = 0.0f;
    for (int k = 0; k < 5; k++) v += s[255 - T][k];
    out[T] = v;
}
__global__ void same_words(const unsigned *in, unsigned *out, int shift) {
    __shared__ unsigned s[256];
    s[T & 255] = in[T & 255];
    __syncthreads();
    out[T] = s[T >> shift] + s[0] + s[31 - (T & 31)];
}
__global__ void warp_private(const float *in, float *out) {
    __shared__ float s[8][33];
    int warp = T / 32, lane = T % 32;
    s[warp][lane] = in[I];
    __syncwarp();
    out[I] = s[warp][31 - lane] + s[warp][lane ^ 16];
}
__global__ void two_arrays(const float *in, float *out, int n) {
    extern __shared__ float d[];
    __shared__ double e[128];
    float *f = d, *g = d + n;
    e[T] = in[T];
    f[T] = in[T] + 1.0f;
    g[T] = in[T] + 2.0f;
    __syncthreads();
    out[T] = (float)e[127 - T] + f[T ^ 1] + g[T ^ 2];
}
__global__ void histogram_private(const unsigned *in, unsigned *out, int n) {
    __shared__ unsigned char h[32][128];
    for (int k = 0; k < 32; k++) h[k][T] = 0;
    for (int i = T; i < n; i += 128) h[in[i] >> 27][T]++;
    __syncthreads();
    if (T < 32) {
        unsigned v = 0;
        for (int k = 0; k < 128; k++) v += h[T][(k + T * 4) & 127];
        out[T] = v;
    }
}

} /* extern "C" */
