/* Loads and stores of global memory: types, strides, offsets, structures, gathers, rows of odd lengths, blocks that are no
 * multiple of a warp. Launches are in launches.py. */
#include <stdint.h>

#define I (blockIdx.x * blockDim.x + threadIdx.x)

extern "C" {

/* ---- every type at a stride and an offset in elements ---- */
#define STRIDED(name, type)                                                                                \
    __global__ void load_##name(const type *in, type *out, int n, int stride, int shift) {                 \
        int i = I;                                                                                         \
        if (i < n) out[i] = in[i * stride + shift];                                                        \
    }                                                                                                      \
    __global__ void store_##name(const type *in, type *out, int n, int stride, int shift) {                \
        int i = I;                                                                                         \
        if (i < n) out[i * stride + shift] = in[i];                                                        \
    }
STRIDED(u8, unsigned char)
STRIDED(s8, signed char)
STRIDED(u16, unsigned short)
STRIDED(u32, unsigned)
STRIDED(u64, unsigned long long)
STRIDED(f64, double)
STRIDED(v2u8, uchar2)
STRIDED(v4u8, uchar4)
STRIDED(v2u16, ushort2)
STRIDED(v4u16, ushort4)
STRIDED(v2f32, float2)
STRIDED(v4f32, float4)
STRIDED(v2f64, double2)

/* ---- arrays of structures against structures of arrays ---- */
struct small { unsigned char kind, level; unsigned short count; float weight; };
struct particle { float x, y, z, mass; float u, v, w; int id; };
struct pixel { unsigned char r, g, b; };
struct odd { double position; float charge; int tag; short a, b; };

__global__ void aos_small(const small *in, float *out, int n) {
    int i = I;
    if (i < n) out[i] = in[i].weight * (float)(in[i].kind + in[i].count);
}
__global__ void aos_particle(particle *p, float dt, int n) {
    int i = I;
    if (i < n) {
        p[i].x += p[i].u * dt;
        p[i].y += p[i].v * dt;
        p[i].z += p[i].w * dt;
    }
}
__global__ void soa_particle(float *x, float *y, float *z, const float *u, const float *v, const float *w, float dt, int n) {
    int i = I;
    if (i < n) {
        x[i] += u[i] * dt;
        y[i] += v[i] * dt;
        z[i] += w[i] * dt;
    }
}
__global__ void soa_restrict(float *__restrict__ x, float *__restrict__ y, const float *__restrict__ u,
                             const float *__restrict__ v, float dt, int n) {
    int i = I;
    if (i < n) {
        x[i] += u[i] * dt;
        y[i] += v[i] * dt;
    }
}
__global__ void aos_pixel(const pixel *in, unsigned char *gray, int n) {
    int i = I;
    if (i < n) gray[i] = (unsigned char)((in[i].r * 77 + in[i].g * 151 + in[i].b * 28) >> 8);
}
__global__ void aos_odd(const odd *in, odd *out, int n) {
    int i = I;
    if (i < n) {
        out[i].position = in[i].position + in[i].charge;
        out[i].tag = in[i].tag + in[i].a;
    }
}
__global__ void aos_field(const particle *in, float *out, int n) {
    int i = I;
    if (i < n) out[i] = in[i].mass;
}
__global__ void planes_to_pixels(const unsigned char *r, const unsigned char *g, const unsigned char *b, pixel *out, int n) {
    int i = I;
    if (i < n) out[i] = pixel{r[i], g[i], b[i]};
}

/* ---- gathers ---- */
/* Rows of 0 to 12 entries, scattered over x; a thread a row, and a warp or part of one a row. */
__device__ int row_first(int r) { return r * 6 + (r % 7) * (r & 1); }
__device__ int row_count(int r) { return (r * 5) % 13; }
__global__ void csr_thread(const unsigned *column, const float *value, const float *x, float *y, int rows, int n) {
    int r = I;
    if (r >= rows) return;
    float s = 0.0f;
    for (int k = row_first(r), end = k + row_count(r); k < end; k++) s += value[k] * x[column[k] % (unsigned)n];
    y[r] = s;
}
__global__ void csr_part(const unsigned *column, const float *value, const float *x, float *y, int rows, int n, int width) {
    int r = I / width, lane = threadIdx.x % width;
    float s = 0.0f;
    if (r < rows)
        for (int k = row_first(r) + lane, end = row_first(r) + row_count(r); k < end; k += width)
            s += value[k] * x[column[k] % (unsigned)n];
    for (int d = width / 2; d; d >>= 1) s += __shfl_down_sync(0xffffffffu, s, d, width);
    if (r < rows && lane == 0) y[r] = s;
}
__global__ void ell(const unsigned *column, const float *value, const float *x, float *y, int rows, int n) {
    int r = I;
    if (r >= rows) return;
    float s = 0.0f;
#pragma unroll
    for (int k = 0; k < 5; k++) s += value[k * rows + r] * x[column[k * rows + r] % (unsigned)n];
    y[r] = s;
}
__global__ void gather_wide(const double *in, const unsigned *index, double *out, int n, int mask) {
    int i = I;
    if (i < n) out[i] = in[index[i] & mask];
}
__global__ void gather_vectors(const float4 *in, const unsigned *index, float4 *out, int n, int mask) {
    int i = I;
    if (i < n) out[i] = in[index[i] & mask];
}
__global__ void gather_bytes(const unsigned char *table, const unsigned *index, unsigned char *out, int n, int mask) {
    int i = I;
    if (i < n) out[i] = table[index[i] & mask];
}
__global__ void scatter_wide(double *out, const unsigned *index, int n) {
    int i = I;
    if (i < n) out[index[i]] = (double)i;
}
__global__ void scatter_bytes(unsigned char *out, const unsigned *index, int n) {
    int i = I;
    if (i < n) out[index[i]] = (unsigned char)i;
}
__global__ void chase(const unsigned *next, unsigned *out, int n, int steps) {
    int i = I;
    if (i >= n) return;
    unsigned at = (unsigned)i;
    for (int k = 0; k < steps; k++) at = next[at];
    out[i] = at;
}
__global__ void binary_search(const unsigned *sorted, const unsigned *wanted, unsigned *out, int n, int count) {
    int i = I;
    if (i >= n) return;
    unsigned low = 0, high = (unsigned)count, w = wanted[i] % (unsigned)count;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (sorted[middle] < w) low = middle + 1;
        else high = middle;
    }
    out[i] = low;
}

/* ---- two and three dimensions ---- */
__global__ void copy_3d(const float *in, float *out, int nx, int ny, int nz, int px, int py) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < nx && y < ny && z < nz) out[(z * ny + y) * nx + x] = in[(z * py + y) * px + x];
}
__global__ void transpose_bytes(const unsigned char *in, unsigned char *out, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < nx && y < ny) out[x * ny + y] = in[y * nx + x];
}
__global__ void transpose_double(const double *in, double *out, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < nx && y < ny) out[x * ny + y] = in[y * nx + x];
}
__global__ void stencil_3d(const float *in, float *out, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1, z = blockIdx.z + 1;
    if (x < nx - 1 && y < ny - 1 && z < nz - 1) {
        const float *p = in + ((size_t)z * ny + y) * nx + x;
        out[((size_t)z * ny + y) * nx + x] = p[0] - 0.125f * (p[-1] + p[1] + p[-nx] + p[nx] + p[-nx * ny] + p[nx * ny]);
    }
}
__global__ void blur_bytes(const unsigned char *in, unsigned char *out, int nx, int ny) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;
    unsigned s = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) s += in[(y + j) * nx + x + i];
    out[y * nx + x] = (unsigned char)(s / 9);
}
__global__ void bilinear(const float *in, float *out, int nx, int ny, int mx, int my) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= mx || y >= my) return;
    float u = (float)x * (float)(nx - 1) / (float)mx, v = (float)y * (float)(ny - 1) / (float)my;
    int i = (int)u, j = (int)v;
    float a = u - (float)i, b = v - (float)j;
    const float *p = in + j * nx + i;
    out[y * mx + x] = (p[0] * (1 - a) + p[1] * a) * (1 - b) + (p[nx] * (1 - a) + p[nx + 1] * a) * b;
}

/* ---- parts of warps ---- */
__global__ void first_lanes(const float *in, float *out, int lanes) {
    int i = I;
    if ((int)(threadIdx.x & 31) < lanes) out[i] = in[i] * 2.0f;
}
__global__ void lanes_of(const float *in, float *out, unsigned mask) {
    int i = I;
    if (mask >> (threadIdx.x & 31) & 1) out[i] = in[i * 3 % 1024] + 1.0f;
}
__global__ void early_exit(const float *in, float *out, int n) {
    int i = I;
    if (threadIdx.x % 5 == 3) return;
    if (i < n) out[i] = in[i] + in[(i + 1) % n];
}
__global__ void both_ways(const float *a, const float *b, float *out, int n) {
    int i = I;
    if (i >= n) return;
    if (i % 3 == 0) out[i] = a[i] + 1.0f;
    else if (i % 3 == 1) out[n + i] = b[i] * 2.0f;
    else out[i] = a[n - 1 - i] - b[i];
}
__global__ void switch_four(const float *in, float *out, int n) {
    int i = I;
    if (i >= n) return;
    float v;
    switch (i & 3) {
    case 0: v = in[i]; break;
    case 1: v = in[i] * in[i + 1]; break;
    case 2: v = sqrtf(in[i ^ 2]); break;
    default: v = in[n - 1 - i];
    }
    out[i] = v;
}

/* ---- loops ---- */
__global__ void rows_reduce(const float *in, float *out, int rows, int length) {
    int r = I;
    if (r >= rows) return;
    float s = 0.0f;
    for (int k = 0; k < length; k++) s += in[r * length + k];
    out[r] = s;
}
__global__ void columns_reduce(const float *in, float *out, int rows, int length) {
    int c = I;
    if (c >= length) return;
    float s = 0.0f;
    for (int r = 0; r < rows; r++) s += in[r * length + c];
    out[c] = s;
}
__global__ void block_stride(const float *in, float *out, int n) {
    float s = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) s += in[i];
    out[I] = s;
}
__global__ void grid_stride_vectors(const float4 *in, float4 *out, int n) {
    for (int i = I; i < n; i += gridDim.x * blockDim.x) {
        float4 v = in[i];
        out[i] = make_float4(v.w, v.z, v.y, v.x);
    }
}
__global__ void polynomial(const double *c, const double *x, double *y, int n, int degree) {
    int i = I;
    if (i >= n) return;
    double v = 0.0;
    for (int k = degree; k >= 0; k--) v = fma(v, x[i], c[k]);
    y[i] = v;
}
__global__ void prefetch_next(const float *in, float *out, int n, int steps) {
    int i = I;
    float now = in[i];
    for (int k = 1; k <= steps; k++) {
        float next = in[(i + k * 97) % n];
        out[i + (k - 1) * gridDim.x * blockDim.x] = now * 3.0f;
        now = next;
    }
}

/* ---- hints and orders ---- */
__global__ void hints_wide(const float4 *in, float4 *out, int which) {
    int i = I;
    float4 v = which == 0 ? __ldg(in + i) : which == 1 ? __ldcg(in + i) : which == 2 ? __ldcs(in + i) : in[i];
    if (which & 1) __stcs(out + i, v);
    else __stcg(out + i, v);
}
__global__ void no_allocate(const float *in, float *out, int n) {
    int i = I;
    float v, w;
    asm volatile("ld.global.L1::no_allocate.f32 %0, [%1];" : "=f"(v) : "l"(in + i));
    __syncthreads();
    asm volatile("ld.global.L1::evict_last.f32 %0, [%1];" : "=f"(w) : "l"(in + (i ^ 1) % n));
    out[i] = v + w;
}
__global__ void prefetch_l2(const float *in, float *out) {
    int i = I;
    asm volatile("prefetch.global.L2 [%0];" ::"l"(in + i));
    __syncthreads();
    out[i] = in[i];
}
__global__ void prefetch_l1(const float *in, float *out) {
    int i = I;
    asm volatile("prefetch.global.L1 [%0];" ::"l"(in + i));
    __syncthreads();
    out[i] = in[i];
}
__global__ void volatile_both(const volatile float *in, volatile float *out) {
    int i = I;
    out[i] = in[i] + in[i ^ 1];
}
__global__ void relaxed_acquire(const unsigned *in, unsigned *out) {
    int i = I;
    unsigned a, b;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(a) : "l"(in + i) : "memory");
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(b) : "l"(in + (i ^ 3)) : "memory");
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(out + i), "r"(a + b) : "memory");
}
__global__ void store_twice(float *out, const float *in) {
    int i = I;
    out[i] = in[i];
    __syncthreads();
    out[i ^ 1] = in[i] + 1.0f;
}
__global__ void store_then_read(float *data, float *out) {
    int i = I;
    data[i] = (float)i;
    __syncthreads();
    out[i] = data[i ^ 5] + data[i];
}
__global__ void words_of_one_line(float *out) {
    int i = I;
#pragma unroll
    for (int k = 0; k < 4; k++) out[(i / 8) * 32 + k * 8 + (i & 7)] = (float)k;
}
__global__ void shifted_copies(const float *in, float *out, int n, int shift) {
    int i = I;
    if (i < n) out[i] = in[i] + in[i + shift] + in[i + 2 * shift] + in[i + 3 * shift];
}

} /* extern "C" */
