// Types, strides, structures, shared memory, atomics, caches, constants, local memory, lanes and bits: the kernels of a
// third blind test. Each is small and asks one thing.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define KERNEL extern "C" __global__ void

namespace {

__device__ __forceinline__ int thread_index() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ __forceinline__ int thread_count() {
    return gridDim.x * blockDim.x;
}

}

// ---- BLAS with increments, types of one to sixteen bytes ----

KERNEL axpy_inc(int n, float a, int incx, int incy, const float *x, float *y) {
    for (int i = thread_index(); i < n; i += thread_count()) {
        y[i * incy] += a * x[i * incx];
    }
}

KERNEL rot_inc(int n, float c, float s, int incx, int incy, float *__restrict__ x, float *__restrict__ y) {
    int i = thread_index();
    if (i < n) {
        float a = x[i * incx], b = y[i * incy];
        x[i * incx] = c * a + s * b;
        y[i * incy] = c * b - s * a;
    }
}

#define COPY_OF(name, type)                                                                                                                          \
    KERNEL copy_##name(int n, int from, int to, const type *in, type *out) {                                                                         \
        int i = thread_index();                                                                                                                      \
        if (i < n) {                                                                                                                                 \
            out[i + to] = in[i + from];                                                                                                              \
        }                                                                                                                                            \
    }

COPY_OF(char3, char3)
COPY_OF(uchar4, uchar4)
COPY_OF(short2, short2)
COPY_OF(short3, short3)
COPY_OF(float3, float3)
COPY_OF(double2, double2)
COPY_OF(int4, int4)
COPY_OF(longlong2, longlong2)
COPY_OF(half, __half)
COPY_OF(bool8, unsigned char)

// Sum of a row of bytes as 16-byte vectors, tail by bytes.
KERNEL sum_bytes_vector(int n, const unsigned char *in, unsigned *out) {
    unsigned sum = 0;
    const uint4 *wide = reinterpret_cast<const uint4 *>(in);
    for (int i = thread_index(); i < n / 16; i += thread_count()) {
        uint4 v = wide[i];
        sum = __dp4a(v.x, 0x01010101u, sum);
        sum = __dp4a(v.y, 0x01010101u, sum);
        sum = __dp4a(v.z, 0x01010101u, sum);
        sum = __dp4a(v.w, 0x01010101u, sum);
    }
    if (thread_index() < n % 16) {
        sum += in[n - n % 16 + thread_index()];
    }
    out[thread_index()] = sum;
}

// ---- structures ----

struct body {
    float3 place, speed;
    float mass;
    int id;
};

KERNEL aos_advance(int n, float dt, body *bodies) {
    int i = thread_index();
    if (i < n) {
        body b = bodies[i];
        b.place.x += dt * b.speed.x;
        b.place.y += dt * b.speed.y;
        b.place.z += dt * b.speed.z;
        bodies[i].place = b.place;
    }
}

KERNEL aos_energy(int n, const body *__restrict__ bodies, float *out) {
    int i = thread_index();
    if (i < n) {
        float3 s = bodies[i].speed;
        out[i] = 0.5f * bodies[i].mass * (s.x * s.x + s.y * s.y + s.z * s.z);
    }
}

struct odd_record {
    double value;
    int key;
    short kind;
    unsigned char flag;
};

KERNEL records_pick(int n, const odd_record *in, float *out, int kind) {
    int i = thread_index();
    if (i < n && (in[i].kind & 3) == kind) {
        out[i] = static_cast<float>(in[i].key & 1023) + in[i].flag;
    }
}

struct alignas(16) quad {
    float a, b, c;
    unsigned d;
};

KERNEL quads_permute(int n, const quad *in, quad *out) {
    int i = thread_index();
    if (i < n) {
        quad q = in[i];
        quad r = {q.b, q.c, q.a, q.d ^ i};
        out[n - 1 - i] = r;
    }
}

template <int Width>
__device__ void aosoa_body(int n, const float *in, float *out) {
    int i = thread_index();
    if (i < n) {
        int tile = i / Width, at = i % Width;
        const float *t = in + tile * 3 * Width + at;
        out[i] = t[0] * t[Width] - t[2 * Width];
    }
}

KERNEL aosoa_8(int n, const float *in, float *out) {
    aosoa_body<8>(n, in, out);
}

KERNEL aosoa_24(int n, const float *in, float *out) {
    aosoa_body<24>(n, in, out);
}

KERNEL soa_five(int n, const float *__restrict__ a, const double *__restrict__ b, const short *__restrict__ c, const unsigned char *__restrict__ d,
                const long long *__restrict__ e, double *__restrict__ out) {
    int i = thread_index();
    if (i < n) {
        out[i] = a[i] + b[i] + c[i] + d[i] + static_cast<double>(e[i] & 255);
    }
}

KERNEL rgb_to_gray(int w, int h, int pitch, const uchar3 *in, unsigned char *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) {
        uchar3 p = in[y * pitch + x];
        out[y * w + x] = static_cast<unsigned char>((77 * p.x + 150 * p.y + 29 * p.z) >> 8);
    }
}

// ---- sparse forms ----

KERNEL csr_by_part(int rows, int per, int cols, int width, const int *columns, const float *values, const float *x, float *y) {
    int part = thread_index() / width, lane = threadIdx.x % width;
    float sum = 0;
    if (part < rows) {
        int begin = part * per - part % 3, end = begin + per - (part & 1) * 2;
        begin = max(begin, 0);
        for (int k = begin + lane; k < end; k += width) {
            sum += values[k] * x[static_cast<unsigned>(columns[k]) % cols];
        }
    }
    for (int d = width / 2; d > 0; d /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, d, 32);
    }
    if (part < rows && lane == 0) {
        y[part] = sum;
    }
}

KERNEL ell_columns(int rows, int width, int cols, const unsigned *__restrict__ columns, const float *__restrict__ values, const float *__restrict__ x,
                   float *y) {
    int row = thread_index();
    if (row >= rows) {
        return;
    }
    float sum = 0;
#pragma unroll 4
    for (int k = 0; k < width; k++) {
        unsigned c = columns[k * rows + row];
        if (c & 7) {
            sum = fmaf(values[k * rows + row], __ldg(x + c % cols), sum);
        }
    }
    y[row] = sum;
}

KERNEL coo_integer(int entries, int rows, int cols, const unsigned *row, const unsigned *col, const int *x, int *y) {
    for (int i = thread_index(); i < entries; i += thread_count()) {
        atomicAdd(y + row[i] % rows, x[col[i] % cols] & 0xff);
    }
}

KERNEL gather_doubles(int n, unsigned range, const double *in, const unsigned *at, double *out) {
    int i = thread_index();
    if (i < n) {
        out[i] = in[at[i] % range] * 2.0;
    }
}

KERNEL scatter_shorts(int n, const short *in, const int *to, short *out) {
    int i = thread_index();
    if (i < n) {
        out[to[i]] = in[i];
    }
}

KERNEL gather_pairs(int n, unsigned range, const float2 *in, const uint2 *at, float4 *out) {
    int i = thread_index();
    if (i < n) {
        uint2 k = at[i];
        float2 p = in[k.x % range], q = in[k.y % range];
        out[i] = make_float4(p.x, q.x, p.y, q.y);
    }
}

// ---- shared memory ----

template <typename T>
__device__ void shared_steps(int step, const T *in, T *out) {
    extern __shared__ __align__(16) unsigned char raw[];
    T *tile = reinterpret_cast<T *>(raw);
    int n = blockDim.x;
    for (int i = threadIdx.x; i < n * step; i += n) {
        tile[i] = in[i];
    }
    __syncthreads();
    out[blockIdx.x * n + threadIdx.x] = tile[threadIdx.x * step];
}

KERNEL shared_step_f4(int step, const float4 *in, float4 *out) {
    shared_steps(step, in, out);
}

KERNEL shared_step_f2(int step, const float2 *in, float2 *out) {
    shared_steps(step, in, out);
}

KERNEL shared_step_f64(int step, const double *in, double *out) {
    shared_steps(step, in, out);
}

KERNEL shared_step_u8(int step, const unsigned char *in, unsigned char *out) {
    shared_steps(step, in, out);
}

KERNEL shared_step_u16(int step, const unsigned short *in, unsigned short *out) {
    shared_steps(step, in, out);
}

KERNEL shared_step_f3(int step, const float3 *in, float3 *out) {
    shared_steps(step, in, out);
}

KERNEL shared_broadcast(int group, const float *in, float *out) {
    __shared__ float tile[1024];
    tile[threadIdx.x] = in[thread_index()];
    __syncthreads();
    out[thread_index()] = tile[threadIdx.x / group] + tile[(threadIdx.x * 33) % blockDim.x];
}

KERNEL shared_write_columns(int pitch, const float2 *in, float2 *out) {
    extern __shared__ float2 pairs[];
    int lane = threadIdx.x % 32, row = threadIdx.x / 32;
    pairs[lane * pitch + row] = in[thread_index()];
    __syncthreads();
    out[thread_index()] = pairs[(lane / 4) * pitch + row];
}

KERNEL transpose_f64_padded(int n, const double *in, double *out) {
    __shared__ double tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < n && y < n) {
        tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    }
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
    if (x < n && y < n) {
        out[y * n + x] = tile[threadIdx.x][threadIdx.y];
    }
}

KERNEL transpose_xor(int n, const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[32 * 32];
    int lane = threadIdx.x;
    for (int y = threadIdx.y; y < 32; y += blockDim.y) {
        tile[y * 32 + (lane ^ y)] = in[(blockIdx.y * 32 + y) * n + blockIdx.x * 32 + lane];
    }
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += blockDim.y) {
        out[(blockIdx.x * 32 + y) * n + blockIdx.y * 32 + lane] = tile[lane * 32 + (y ^ lane)];
    }
}

// Bytes, four by four in registers.
KERNEL transpose_bytes_prmt(int n, const unsigned *in, unsigned *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int words = n / 4;
    if (x >= words || y >= words) {
        return;
    }
    unsigned r[4], t[4];
    for (int k = 0; k < 4; k++) {
        r[k] = in[(4 * y + k) * words + x];
    }
    t[0] = __byte_perm(r[0], r[1], 0x5140);
    t[1] = __byte_perm(r[2], r[3], 0x5140);
    t[2] = __byte_perm(r[0], r[1], 0x7362);
    t[3] = __byte_perm(r[2], r[3], 0x7362);
    out[(4 * x + 0) * words + y] = __byte_perm(t[0], t[1], 0x5410);
    out[(4 * x + 1) * words + y] = __byte_perm(t[0], t[1], 0x7632);
    out[(4 * x + 2) * words + y] = __byte_perm(t[2], t[3], 0x5410);
    out[(4 * x + 3) * words + y] = __byte_perm(t[2], t[3], 0x7632);
}

KERNEL tile_half_vectors(const uint4 *in, uint4 *out, int swizzled) {
    __shared__ uint4 tile[64 * 8];
    for (int i = threadIdx.x; i < 512; i += blockDim.x) {
        int row = i / 8, col = i % 8;
        tile[row * 8 + (swizzled ? col ^ (row & 7) : col)] = in[blockIdx.x * 512 + i];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 512; i += blockDim.x) {
        int row = i % 64, col = i / 64;
        out[blockIdx.x * 512 + i] = tile[row * 8 + (swizzled ? col ^ (row & 7) : col)];
    }
}

// ---- atomics ----

KERNEL atomics_by_group(int n, int group, int spread, int *counts) {
    int i = thread_index();
    if (i < n) {
        atomicAdd(counts + (i / group) * spread, i);
    }
}

KERNEL atomics_returning(int n, int group, int spread, unsigned *counts, unsigned *out) {
    int i = thread_index();
    if (i < n) {
        out[i] = atomicMax(counts + (i / group) * spread, 5u) > 0x7fffffffu;
    }
}

KERNEL atomics_wide(int n, int group, unsigned long long *sums, long long *least, const unsigned *in) {
    int i = thread_index();
    if (i < n) {
        atomicAdd(sums + i % group, static_cast<unsigned long long>(in[i]) << 8);
        atomicMin(least + i / group, static_cast<long long>(in[i]) - 0x80000000ll);
    }
}

KERNEL atomics_f64(int n, int group, double *sums, const unsigned *in) {
    int i = thread_index();
    if (i < n) {
        atomicAdd(sums + in[i] % group, static_cast<double>(i & 63));
    }
}

KERNEL atomics_half2(int n, int group, __half2 *sums, __nv_bfloat162 *brain) {
    int i = thread_index();
    if (i < n) {
        atomicAdd(sums + i % group, __floats2half2_rn(1.0f, 0.5f));
        atomicAdd(brain + i / group, __floats2bfloat162_rn(1.0f, 2.0f));
    }
}

KERNEL atomics_cas16(int n, int group, unsigned short *words) {
    int i = thread_index();
    if (i < n) {
        unsigned short old = words[i % group], seen;
        do {
            seen = old;
            old = atomicCAS(words + i % group, seen, static_cast<unsigned short>(seen + 3));
        } while (old != seen);
    }
}

KERNEL atomics_float_max(int n, int bins, const float *in, int *most) {
    __shared__ int local[64];
    for (int i = threadIdx.x; i < bins; i += blockDim.x) {
        local[i] = 0;
    }
    __syncthreads();
    for (int i = thread_index(); i < n; i += thread_count()) {
        atomicMax(local + __float_as_int(in[i]) % bins, __float_as_int(in[i]));
    }
    __syncthreads();
    for (int i = threadIdx.x; i < bins; i += blockDim.x) {
        atomicMax(most + i, local[i]);
    }
}

KERNEL atomics_logic(int n, const unsigned *in, unsigned *all, unsigned *any, unsigned *odd) {
    int i = thread_index();
    if (i < n) {
        atomicAnd(all + (i & 7), in[i] | 0xffu);
        atomicOr(any + (i >> 5), in[i] & 0x0f0f0f0fu);
        atomicXor(odd + (i * 7 & 31), in[i]);
    }
}

KERNEL atomics_inc_exch(int n, unsigned *wrap, int *last, int *flags) {
    int i = thread_index();
    if (i < n) {
        atomicInc(wrap + i % 3, 96);
        atomicDec(wrap + 8 + i % 5, 1000);
        atomicExch(last + i, i * 3);
        flags[i] = atomicSub(last + i, 1) == i * 3;
    }
}

KERNEL atomics_shared_wide(int group, const unsigned *in, unsigned long long *out) {
    __shared__ unsigned long long sums[32];
    __shared__ unsigned counts[32];
    if (threadIdx.x < 32) {
        sums[threadIdx.x] = 0;
        counts[threadIdx.x] = 0;
    }
    __syncthreads();
    unsigned v = in[thread_index()];
    atomicAdd(&sums[threadIdx.x / group % 32], static_cast<unsigned long long>(v));
    atomicAdd(&counts[v % 32], 1u);
    __syncthreads();
    if (threadIdx.x < 32) {
        out[blockIdx.x * 32 + threadIdx.x] = sums[threadIdx.x] * 3 + counts[threadIdx.x];
    }
}

KERNEL aggregated_filter(int n, unsigned limit, const unsigned *in, unsigned *count, unsigned *sum) {
    int i = thread_index();
    bool keep = i < n && in[i] < limit;
    unsigned mask = __ballot_sync(0xffffffff, keep);
    int lane = threadIdx.x & 31;
    if (keep) {
        int leader = __ffs(mask) - 1;
        unsigned base = 0;
        if (lane == leader) {
            base = atomicAdd(count, __popc(mask));
        }
        base = __shfl_sync(mask, base, leader);
        unsigned place = base + __popc(mask & ((1u << lane) - 1));
        atomicAdd(sum, place);
    }
}

KERNEL system_scopes(int n, unsigned *counts, unsigned *blocks) {
    int i = thread_index();
    if (i < n) {
        atomicAdd_system(counts + i % 16, 1u);
        atomicAdd_block(blocks + blockIdx.x, 2u);
    }
}

// ---- caches ----

KERNEL l1_window(int window, int passes, const float *in, float *out) {
    const float *mine = in + blockIdx.x * window;
    float sum = 0;
    for (int p = 0; p < passes; p++) {
        for (int i = threadIdx.x; i < window; i += blockDim.x) {
            sum += mine[i] * (p + 1);
        }
    }
    out[thread_index()] = sum;
}

KERNEL l2_sweep(int n, int passes, const float4 *in, float *out) {
    float sum = 0;
    for (int p = 0; p < passes; p++) {
        for (int i = thread_index(); i < n; i += thread_count()) {
            float4 v = in[i];
            sum += v.x + v.y + v.z + v.w;
        }
    }
    out[thread_index()] = sum;
}

KERNEL cache_loads(int n, int which, const int *in, int *out) {
    int i = thread_index();
    if (i >= n) {
        return;
    }
    int v;
    switch (which) {
    case 0: v = __ldcs(in + i) + __ldcs(in + (i ^ 1)); break;
    case 1: v = __ldcg(in + i) + __ldcg(in + (i ^ 1)); break;
    case 2: v = __ldca(in + i) + __ldca(in + (i ^ 1)); break;
    case 3: v = __ldlu(in + i) + __ldlu(in + (i ^ 1)); break;
    case 4: v = __ldcv(in + i) + __ldcv(in + (i ^ 1)); break;
    default: v = __ldg(in + i) + __ldg(in + (i ^ 1)); break;
    }
    out[i] = v;
}

KERNEL cache_stores(int n, const double *in, double *a, double *b, double *c, double *d) {
    int i = thread_index();
    if (i < n) {
        double v = in[i];
        __stcs(a + i, v);
        __stwt(b + i, v + 1);
        __stcg(c + i, v + 2);
        __stwb(d + i, v + 3);
    }
}

KERNEL write_then_read_back(int n, float *data, float *out) {
    int i = thread_index();
    if (i < n) {
        data[i] = i * 0.5f;
    }
    __syncthreads();
    int k = blockIdx.x * blockDim.x + (blockDim.x - 1 - threadIdx.x);
    if (k < n && i < n) {
        out[i] = data[k];
    }
}

KERNEL partial_sectors(int n, int step, unsigned char *out) {
    int i = thread_index();
    if (i < n) {
        out[i * step] = static_cast<unsigned char>(i);
    }
}

KERNEL stride_up_and_down(int n, int stride, const float *__restrict__ in, float *__restrict__ out) {
    int i = thread_index();
    if (i < n) {
        out[i] = in[(n - 1 - i) * stride] + in[i * stride];
    }
}

// ---- constants ----

__constant__ float c_poly[12] = {1.f, 0.5f, -0.25f, 0.125f, 2.f, -1.f, 0.75f, 3.f, -2.5f, 0.0625f, 1.5f, -0.5f};
__constant__ short2 c_moves[8] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
__constant__ double c_table[64] = {1.0, 0.5, 0.25, 0.125, 3.0, 5.0, 7.0, 9.0};

KERNEL constant_poly(int n, int degree, const float *x, float *y) {
    int i = thread_index();
    if (i < n) {
        float v = c_poly[degree];
        for (int k = degree - 1; k >= 0; k--) {
            v = v * x[i] + c_poly[k];
        }
        y[i] = v;
    }
}

KERNEL constant_moves(int n, const unsigned *in, int2 *out) {
    int i = thread_index();
    if (i < n) {
        int2 at = {0, 0};
        for (unsigned v = in[i]; v; v >>= 3) {
            short2 m = c_moves[v & 7];
            at.x += m.x;
            at.y += m.y;
        }
        out[i] = at;
    }
}

KERNEL constant_doubles(int n, int step, double *out) {
    int i = thread_index();
    if (i < n) {
        out[i] = c_table[i * step & 63] + c_table[blockIdx.x & 63];
    }
}

// ---- local memory, calls ----

KERNEL local_histogram(int n, const unsigned *in, unsigned *out) {
    unsigned counts[16];
    for (int k = 0; k < 16; k++) {
        counts[k] = 0;
    }
    int i = thread_index();
    if (i >= n) {
        return;
    }
    for (unsigned v = in[i], k = 0; k < 8; k++, v >>= 4) {
        counts[v & 15] += k + 1;
    }
    unsigned hash = 17;
    for (int k = 0; k < 16; k++) {
        hash = hash * 31 + counts[k];
    }
    out[i] = hash;
}

KERNEL local_bytes_sort(int n, const unsigned *in, unsigned *out) {
    int i = thread_index();
    if (i >= n) {
        return;
    }
    unsigned char b[20];
    unsigned v = in[i];
    for (int k = 0; k < 20; k++) {
        b[k] = static_cast<unsigned char>(v >> (k & 24));
        v = v * 1664525u + 1013904223u;
    }
    for (int k = 1; k < 20; k++) {
        unsigned char x = b[k];
        int j = k - 1;
        for (; j >= 0 && b[j] > x; j--) {
            b[j + 1] = b[j];
        }
        b[j + 1] = x;
    }
    out[i] = b[0] | b[7] << 8 | b[13] << 16 | b[19] << 24;
}

__device__ __noinline__ unsigned binomial(unsigned n, unsigned k) {
    if (k == 0 || k == n) {
        return 1;
    }
    return binomial(n - 1, k - 1) + binomial(n - 1, k);
}

KERNEL recursion_binomial(int n, unsigned *out) {
    int i = thread_index();
    if (i < n) {
        out[i] = binomial(5 + i % 4, i % 5);
    }
}

__device__ __noinline__ int hanoi(int disks, int from, int to, int *heights) {
    if (disks == 0) {
        return 0;
    }
    int other = 3 - from - to;
    int moves = hanoi(disks - 1, from, other, heights);
    heights[from]--;
    heights[to]++;
    return moves + 1 + hanoi(disks - 1, other, to, heights);
}

KERNEL recursion_hanoi(int n, int *out) {
    int i = thread_index();
    if (i < n) {
        int heights[3] = {i % 4 + 1, 0, 0};
        int moves = hanoi(i % 4 + 1, 0, 2, heights);
        out[i] = moves * 100 + heights[2] * 10 + heights[0];
    }
}

typedef float (*unary)(float);
__device__ __noinline__ float op_square(float x) {
    return x * x;
}
__device__ __noinline__ float op_half(float x) {
    return 0.5f * x;
}
__device__ __noinline__ float op_flip(float x) {
    return 1.0f - x;
}
__device__ unary table_of_ops[3] = {op_square, op_half, op_flip};

KERNEL calls_by_table(int n, int by_lane, const float *in, float *out) {
    int i = thread_index();
    if (i < n) {
        out[i] = table_of_ops[(by_lane ? i : blockIdx.x) % 3](in[i]);
    }
}

struct matrix4 {
    float m[16];
};

__device__ __noinline__ matrix4 times(matrix4 a, matrix4 b) {
    matrix4 c;
    for (int i = 0; i < 16; i++) {
        float sum = 0;
        for (int k = 0; k < 4; k++) {
            sum += a.m[i / 4 * 4 + k] * b.m[k * 4 + i % 4];
        }
        c.m[i] = sum;
    }
    return c;
}

KERNEL matrices_by_value(int n, const matrix4 *a, matrix4 *out) {
    int i = thread_index();
    if (i < n) {
        out[i] = times(a[i], a[(i + 1) % n]);
    }
}

extern "C" __global__ void __launch_bounds__(1024, 2) spilled_sums(int n, const float *in, float *out) {
    float v[40];
    int i = thread_index();
#pragma unroll
    for (int k = 0; k < 40; k++) {
        v[k] = in[(i + k * 64) % n];
    }
#pragma unroll
    for (int r = 0; r < 3; r++) {
#pragma unroll
        for (int k = 0; k < 40; k++) {
            v[k] += v[(k * 7 + 11) % 40] * 0.5f;
        }
    }
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 40; k++) {
        sum += v[k] * (k + 1);
    }
    out[i] = sum;
}

// ---- divergence ----

KERNEL collatz(int n, int *out) {
    int i = thread_index();
    if (i >= n) {
        return;
    }
    unsigned v = i + 1;
    int steps = 0;
    while (v != 1) {
        v = v & 1 ? 3 * v + 1 : v / 2;
        steps++;
    }
    out[i] = steps;
}

KERNEL gcd_pairs(int n, const uint2 *in, unsigned *out) {
    int i = thread_index();
    if (i < n) {
        unsigned a = in[i].x | 1, b = in[i].y >> 8;
        while (b) {
            unsigned t = a % b;
            a = b;
            b = t;
        }
        out[i] = a;
    }
}

KERNEL ragged_loads(int n, const unsigned *in, unsigned *out) {
    int i = thread_index();
    if (i >= n) {
        return;
    }
    unsigned sum = 0;
    int length = i % 7;
    for (int k = 0; k < length; k++) {
        if (in[i * 7 + k] & 1) {
            continue;
        }
        sum += in[i * 7 + k] >> 3;
        if (sum > 0xc0000000u) {
            break;
        }
    }
    out[i] = sum;
}

KERNEL switch_by_lane(int n, const float *in, float *out) {
    int i = thread_index();
    if (i >= n) {
        return;
    }
    float v = in[i];
    switch (threadIdx.x % 9) {
    case 0: v = v * 2; break;
    case 1: v = in[n - 1 - i]; break;
    case 2: v = v + in[i / 2]; break;
    case 3: v = 1 / v; break;
    case 4: v = sqrtf(v); break;
    case 5: return;
    case 6: v = in[i / 4] - v; [[fallthrough]];
    case 7: v = v * v; break;
    default: v = 7;
    }
    out[i] = v;
}

KERNEL index_3d(int nx, int ny, int nz, const short *in, int *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < nx && y < ny && z < nz) {
        out[(x * ny + y) * nz + z] = in[(z * ny + y) * nx + x];
    }
}

// ---- lanes ----

KERNEL butterfly_f64(const double *in, double *out) {
    double v = in[thread_index()];
    for (int d = 16; d; d >>= 1) {
        double o = __shfl_xor_sync(0xffffffff, v, d);
        v = (threadIdx.x & d) ? o - v : v + o;
    }
    out[thread_index()] = v;
}

KERNEL segmented_lane_scan(int width, const int *in, int *out) {
    int v = in[thread_index()] & 0xff, lane = threadIdx.x % width;
    for (int d = 1; d < width; d *= 2) {
        int o = __shfl_up_sync(0xffffffff, v, d, width);
        if (lane >= d) {
            v += o;
        }
    }
    out[thread_index()] = v;
}

KERNEL match_and_redux(int n, const unsigned *in, unsigned *out) {
    int i = thread_index();
    if (i < n) {
        unsigned mask = __activemask();
        unsigned key = in[i] % 5;
        unsigned peers = __match_any_sync(mask, key);
        unsigned most = __reduce_max_sync(peers, in[i]);
        int same;
        __match_all_sync(mask, key & 0, &same);
        out[i] = most ^ __popc(peers) ^ same << 20 ^ __reduce_add_sync(mask, key) << 8;
    }
}

KERNEL compact_block(int n, const unsigned *in, unsigned *out, unsigned *counts) {
    __shared__ unsigned totals[32];
    int i = thread_index(), warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    bool keep = i < n && in[i] % 3 == 0;
    unsigned mask = __ballot_sync(0xffffffff, keep);
    if (lane == 0) {
        totals[warp] = __popc(mask);
    }
    __syncthreads();
    unsigned base = 0;
    for (int w = 0; w < warp; w++) {
        base += totals[w];
    }
    if (keep) {
        out[blockIdx.x * blockDim.x + base + __popc(mask & ((1u << lane) - 1))] = in[i];
    }
    int kept = __syncthreads_count(keep);
    if (threadIdx.x == 0) {
        counts[blockIdx.x] = kept;
    }
}

// ---- bits ----

KERNEL morton_codes(int n, const unsigned *in, unsigned *out) {
    int i = thread_index();
    if (i < n) {
        unsigned x = in[i] & 0xffff, y = in[i] >> 16;
        for (int s = 8; s; s >>= 1) {
            const unsigned masks[9] = {0, 0x55555555u, 0x33333333u, 0, 0x0f0f0f0fu, 0, 0, 0, 0x00ff00ffu};
            x = (x | x << s) & masks[s];
            y = (y | y << s) & masks[s];
        }
        out[i] = x | y << 1;
    }
}

KERNEL video_bytes(int n, const unsigned *a, const unsigned *b, unsigned *out) {
    int i = thread_index();
    if (i < n) {
        unsigned r = __vabsdiffu4(a[i], b[i]);
        r = __vaddus4(r, __vminu4(a[i], b[i]));
        r ^= __vcmpgtu2(a[i], b[i]);
        out[i] = __vsadu4(r, b[i]) + __vavgu4(a[i], r);
    }
}

KERNEL bits_of_everything(int n, const unsigned *in, unsigned long long *out) {
    int i = thread_index();
    if (i < n) {
        unsigned v = in[i];
        unsigned long long w = static_cast<unsigned long long>(v) * 0x9e3779b97f4a7c15ull;
        unsigned r = __brev(v) ^ __funnelshift_l(v, v >> 7, v & 31) ^ __clz(v) << 5 ^ __ffs(v) << 10 ^ __popcll(w) << 16;
        w ^= __umul64hi(w, v * 77ull) ^ __brevll(w >> 5);
        out[i] = w + r + __clzll(w) + __mul24(v, 1234) + __usad(v, r, 3) + __dp2a_lo(static_cast<int>(v), static_cast<int>(r), 9);
    }
}

KERNEL divide_many(int n, int d, unsigned e, long long f, const int *in, long long *out) {
    int i = thread_index();
    if (i < n) {
        long long wide = static_cast<long long>(in[i]) * in[n - 1 - i];
        out[i] = in[i] / d + static_cast<unsigned>(in[i]) % e + wide / f + wide % 1000003;
    }
}
