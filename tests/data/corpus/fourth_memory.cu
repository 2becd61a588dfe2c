// Structures of odd sizes, sparse rows, hashed gathers, shared memory, atomics, caches, constants, local arrays: the kernels of
// a fourth blind test that ask how memory is touched.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define KERNEL extern "C" __global__ void

namespace {

__device__ __forceinline__ int tid() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ __forceinline__ unsigned hash(unsigned x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

// Where row i of a ragged matrix begins: rows of one to seven elements.
__device__ __forceinline__ int row_begin(int i) {
    return 4 * i + (i * i & 3);
}

}

// ---- structures of 10 to 40 bytes ----

struct atom12 {
    float x, y, z;
};

struct cell20 {
    int key, left, right;
    short low, high;
    float weight;
};

struct spin24 {
    double x, y, z;
};

struct grain40 {
    double energy;
    float at[3];
    short cell[3];
    unsigned char kind, flags;
    int next;
};

struct pix10 {
    unsigned short r, g, b, a, depth;
};

KERNEL atoms_shift(int n, float dx, atom12 *atoms) {
    int i = tid();
    if (i < n) {
        atoms[i].x += dx;
        atoms[i].z -= dx;
    }
}

KERNEL atoms_reversed_length(int n, const atom12 *__restrict__ atoms, float *__restrict__ out) {
    int i = tid();
    if (i < n) {
        atom12 a = atoms[n - 1 - i];
        out[i] = a.x * a.x + a.y * a.y + a.z * a.z;
    }
}

KERNEL cells_balance(int n, cell20 *cells, int *out) {
    int i = tid();
    if (i < n) {
        int span = cells[i].high - cells[i].low;
        cells[i].weight = span * 0.5f;
        out[i] = cells[i].left ^ cells[i].key;
    }
}

KERNEL spins_cross(int n, const spin24 *a, const spin24 *b, spin24 *out) {
    int i = tid();
    if (i < n) {
        spin24 p = a[i], q = b[i];
        out[i] = {p.y * q.z - p.z * q.y, p.z * q.x - p.x * q.z, p.x * q.y - p.y * q.x};
    }
}

KERNEL spins_first_of_group(int n, int group, const spin24 *a, double *out) {
    int i = tid();
    if (i < n) {
        out[i] = a[i / group * group].z;
    }
}

KERNEL grains_filter(int n, const grain40 *grains, int *out) {
    int i = tid();
    if (i < n && (grains[i].flags & 1)) {
        out[i] = grains[i].next + grains[i].cell[1] + grains[i].kind;
    }
}

KERNEL pixels_fog(int n, pix10 *pixels) {
    int i = tid();
    if (i < n) {
        unsigned depth = pixels[i].depth;
        pixels[i].r = static_cast<unsigned short>(pixels[i].r * (depth & 255) >> 8);
        pixels[i].b = static_cast<unsigned short>(pixels[i].b + depth);
    }
}

// ---- strides, offsets, ends ----

template <typename T>
__device__ void stride_both(int n, int from, int to, int shift, const T *in, T *out) {
    int i = tid();
    if (i < n) {
        out[i * to + shift] = in[i * from + shift] + static_cast<T>(1);
    }
}

KERNEL stride_i16(int n, int from, int to, int shift, const short *in, short *out) {
    stride_both(n, from, to, shift, in, out);
}

KERNEL stride_i8(int n, int from, int to, int shift, const signed char *in, signed char *out) {
    stride_both(n, from, to, shift, in, out);
}

KERNEL stride_f64(int n, int from, int to, int shift, const double *in, double *out) {
    stride_both(n, from, to, shift, in, out);
}

// Bytes up to the first whole vector, vectors, bytes behind the last one.
KERNEL copy_peeled(int n, int shift, const unsigned char *in, unsigned char *out) {
    int head = (16 - shift) & 15, wide = (n - head) / 16, tail = n - head - wide * 16;
    const unsigned char *from = in + shift;
    unsigned char *to = out + shift;
    for (int i = tid(); i < wide; i += gridDim.x * blockDim.x) {
        reinterpret_cast<uint4 *>(to + head)[i] = reinterpret_cast<const uint4 *>(from + head)[i];
    }
    if (tid() < head) {
        to[tid()] = from[tid()];
    }
    if (tid() < tail) {
        to[n - tail + tid()] = from[n - tail + tid()];
    }
}

KERNEL block_3d_volume(int nx, int ny, int nz, const float *in, float *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < nx && y < ny && z < nz) {
        out[(z * ny + y) * nx + x] = 2.f * in[(x * ny + y) * nz + z];
    }
}

KERNEL rotate_90_bytes(int w, int h, const unsigned char *in, unsigned char *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) {
        out[x * h + (h - 1 - y)] = in[y * w + x];
    }
}

KERNEL morton_read(int n, const float *in, float *out) {
    int i = tid();
    if (i < n) {
        unsigned x = 0, y = 0;
        for (int b = 0; b < 6; b++) {
            x |= (i >> 2 * b & 1) << b;
            y |= (i >> (2 * b + 1) & 1) << b;
        }
        out[i] = in[y * 64 + x];
    }
}

KERNEL odd_lanes_only(int n, const double *in, double *out) {
    int i = tid();
    if (i < n && (threadIdx.x & 1)) {
        out[i] = in[i ^ 2] * 3.0;
    }
}

// Each thread takes `each` neighbours: a stride of `each` between lanes, and the lines are read over and over.
KERNEL blocked_items(int n, int each, const float *in, float *out) {
    int i = tid();
    float sum = 0;
    for (int k = 0; k < each; k++) {
        if (i * each + k < n) {
            sum += in[i * each + k];
        }
    }
    out[i] = sum;
}

// ---- gathers ----

KERNEL gather_hashed(int n, int mask, const float *table, float *out) {
    int i = tid();
    if (i < n) {
        out[i] = table[hash(i) & mask];
    }
}

KERNEL gather_hashed_float4(int n, int mask, const float4 *table, float4 *out) {
    int i = tid();
    if (i < n) {
        out[i] = __ldg(&table[hash(i) & mask]);
    }
}

KERNEL gather_hashed_bytes(int n, int mask, const unsigned char *table, unsigned *out) {
    int i = tid();
    if (i < n) {
        unsigned h = hash(i);
        out[i] = table[h & mask] | table[h >> 8 & mask] << 8 | table[h >> 16 & mask] << 16;
    }
}

KERNEL probe_linear(int n, int mask, const unsigned *table, const unsigned *keys, int *out) {
    int i = tid();
    if (i < n) {
        unsigned at = hash(keys[i]) & mask;
        int steps = 0;
        while (steps < 20) {
            unsigned held = table[at];
            if ((held & 7) == 0 || held == keys[i]) {
                break;
            }
            at = (at + 1) & mask;
            steps++;
        }
        out[i] = steps;
    }
}

KERNEL bloom_query(int n, int bits, const unsigned *filter, const unsigned *keys, unsigned char *out) {
    int i = tid();
    if (i < n) {
        bool there = true;
        for (int k = 0; k < 4; k++) {
            unsigned at = hash(keys[i] + k * 0x9e3779b9u) % bits;
            if (!(filter[at >> 5] >> (at & 31) & 1)) {
                there = false;
                break;
            }
        }
        out[i] = there;
    }
}

KERNEL spmv_block_row(int rows, int cols, const int *col, const float *value, const float *x, float *y) {
    __shared__ float part[3];
    int row = blockIdx.x;
    int begin = row * 150 + (row & 7) * 5, end = (row + 1) * 150 + (row + 1 & 7) * 5;
    float sum = 0;
    for (int j = begin + threadIdx.x; j < end; j += blockDim.x) {
        sum += value[j] * x[static_cast<unsigned>(col[j]) % cols];
    }
    for (int k = 16; k > 0; k >>= 1) {
        sum += __shfl_down_sync(0xffffffffu, sum, k);
    }
    if (threadIdx.x % 32 == 0) {
        part[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0 && row < rows) {
        y[row] = part[0] + part[1] + part[2];
    }
}

KERNEL spmv_sliced_ell(int rows, int cols, const int *col, const double *value, const double *x, double *y) {
    int row = tid(), slice = row / 32, lane = row % 32;
    if (row < rows) {
        int width = 3 + slice % 4, base = 32 * (3 * slice + (slice % 4) * (slice % 4 - 1) / 2 + slice / 4 * 6);
        double sum = 0;
        for (int k = 0; k < width; k++) {
            sum += value[base + k * 32 + lane] * x[static_cast<unsigned>(col[base + k * 32 + lane]) % cols];
        }
        y[row] = sum;
    }
}

KERNEL spmv_ragged(int rows, int cols, const int *col, const float *value, const float *x, float *y) {
    int row = tid();
    if (row < rows) {
        float sum = 0;
        for (int j = row_begin(row); j < row_begin(row + 1); j++) {
            sum += value[j] * x[static_cast<unsigned>(col[j]) % cols];
        }
        y[row] = sum;
    }
}

KERNEL spmv_transposed(int rows, int cols, const int *col, const int *value, const int *x, int *y) {
    int row = tid();
    if (row < rows) {
        int a = x[row];
        for (int j = row_begin(row); j < row_begin(row + 1); j++) {
            atomicAdd(&y[static_cast<unsigned>(col[j]) % cols], a * value[j]);
        }
    }
}

KERNEL coo_by_segment(int n, const int *row, const float *value, float *y) {
    int i = tid(), lane = threadIdx.x & 31;
    int r = i < n ? row[i] / 5 : -1;
    float v = i < n ? value[i] : 0.f;
    for (int k = 1; k < 32; k <<= 1) {
        float other = __shfl_up_sync(0xffffffffu, v, k);
        int his = __shfl_up_sync(0xffffffffu, r, k);
        if (lane >= k && his == r) {
            v += other;
        }
    }
    int next = __shfl_down_sync(0xffffffffu, r, 1);
    if (r >= 0 && (lane == 31 || next != r)) {
        atomicAdd(&y[r], v);
    }
}

// ---- shared memory ----

KERNEL shared_v4_step(int step, const float4 *in, float4 *out) {
    extern __shared__ float4 quads[];
    quads[threadIdx.x] = in[tid()];
    __syncthreads();
    float4 v = quads[threadIdx.x * step % blockDim.x];
    v.x += v.w;
    out[tid()] = v;
}

KERNEL shared_v4_gather(int mode, const float4 *in, const int *index, float4 *out) {
    __shared__ float4 quads[160];
    int at = index[tid()] % 160;
    quads[threadIdx.x] = in[tid()];
    __syncthreads();
    out[tid()] = quads[mode ? at & ~3 : at];
}

KERNEL shared_v2_gather(int mode, const double *in, const int *index, double *out) {
    __shared__ double held[224];
    int at = index[tid()] % 224;
    held[mode ? at : threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[tid()] = held[mode ? threadIdx.x : at] + in[tid()];
}

KERNEL shared_v4_scatter(int step, const float4 *in, float *out) {
    extern __shared__ float4 quads[];
    float *words = reinterpret_cast<float *>(quads);
    quads[threadIdx.x * step % blockDim.x] = in[tid()];
    __syncthreads();
    out[tid()] = words[threadIdx.x] + words[threadIdx.x + blockDim.x] + words[4 * threadIdx.x + 3];
}

KERNEL shared_short4_rows(int pitch, const short4 *in, short *out) {
    extern __shared__ short rows[];
    short4 v = in[tid()];
    int row = threadIdx.x / 8, at = threadIdx.x % 8 * 4;
    *reinterpret_cast<short4 *>(&rows[row * pitch + at]) = v;
    __syncthreads();
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    short sum = 0;
    for (int k = 0; k < 4; k++) {
        sum = static_cast<short>(sum + rows[(lane % (blockDim.x / 8)) * pitch + warp * 4 + k]);
    }
    out[tid()] = sum;
}

KERNEL shared_aos12(const float *in, float *out) {
    __shared__ atom12 atoms[96];
    atom12 a;
    a.x = in[tid()];
    a.y = a.x * 2.f;
    a.z = a.x + 1.f;
    atoms[threadIdx.x] = a;
    __syncthreads();
    atom12 b = atoms[(threadIdx.x + 5) % 96];
    out[tid()] = b.x - b.y * b.z;
}

KERNEL shared_aos20_field(const int *in, int *out) {
    __shared__ cell20 cells[128];
    cells[threadIdx.x].key = in[tid()];
    cells[threadIdx.x].low = static_cast<short>(threadIdx.x);
    cells[threadIdx.x].weight = 1.f;
    __syncthreads();
    int other = 127 - threadIdx.x;
    out[tid()] = cells[other].key + cells[other].low + static_cast<int>(cells[other].weight);
}

template <int Pitch, typename T>
__device__ void transpose_any(int w, int h, const T *in, T *out) {
    __shared__ T tile[24 * Pitch];
    int x = blockIdx.x * 24 + threadIdx.x, y0 = blockIdx.y * 24;
    for (int j = threadIdx.y; j < 24; j += blockDim.y) {
        if (x < w && y0 + j < h) {
            tile[j * Pitch + threadIdx.x] = in[(y0 + j) * w + x];
        }
    }
    __syncthreads();
    int tx = y0 + threadIdx.x, ty0 = blockIdx.x * 24;
    for (int j = threadIdx.y; j < 24; j += blockDim.y) {
        if (tx < h && ty0 + j < w) {
            out[(ty0 + j) * h + tx] = tile[threadIdx.x * Pitch + j];
        }
    }
}

KERNEL transpose24_f32(int w, int h, const float *in, float *out) {
    transpose_any<24>(w, h, in, out);
}

KERNEL transpose24_f32_padded(int w, int h, const float *in, float *out) {
    transpose_any<25>(w, h, in, out);
}

KERNEL transpose24_i16(int w, int h, const short *in, short *out) {
    transpose_any<26>(w, h, in, out);
}

KERNEL transpose24_f64(int w, int h, const double *in, double *out) {
    transpose_any<25>(w, h, in, out);
}

KERNEL swizzle_double2(const double2 *in, double2 *out) {
    __shared__ double2 tile[16 * 16];
    int x = threadIdx.x % 16, y = threadIdx.x / 16;
    tile[y * 16 + (x ^ y)] = in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = tile[x * 16 + (y ^ x)];
}

KERNEL bit_reversed(const float2 *in, float2 *out) {
    __shared__ float2 held[256];
    held[__brev(threadIdx.x) >> 24] = in[tid()];
    __syncthreads();
    float2 v = held[threadIdx.x];
    out[tid()] = make_float2(v.y, v.x);
}

// ---- atomics ----

KERNEL bins_returning(int n, int bins, const unsigned *in, unsigned *rank, unsigned *counts) {
    extern __shared__ unsigned bin[];
    for (int k = threadIdx.x; k < bins; k += blockDim.x) {
        bin[k] = 0;
    }
    __syncthreads();
    int i = tid();
    if (i < n) {
        atomicAdd(&bin[in[i] % bins], 1u);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < bins; k += blockDim.x) {
        if (bin[k]) {
            atomicAdd(&counts[k], bin[k]);
        }
    }
    if (i < n) {
        rank[i] = bin[in[i] % bins];
    }
}

KERNEL shared_ops_64(const unsigned *in, unsigned long long *out) {
    __shared__ unsigned long long best[8];
    if (threadIdx.x < 8) {
        best[threadIdx.x] = 0;
    }
    __syncthreads();
    atomicMax(&best[threadIdx.x / 32 % 8], static_cast<unsigned long long>(in[tid()]) << 32 | threadIdx.x);
    __syncthreads();
    if (threadIdx.x < 8) {
        out[blockIdx.x * 8 + threadIdx.x] = best[threadIdx.x];
    }
}

KERNEL exchange_strided(int stride, unsigned *words, unsigned *out) {
    int i = tid();
    out[i] = atomicExch(&words[i * stride], i + 7u);
}

KERNEL cas_once(int stride, unsigned *words, unsigned *out) {
    int i = tid();
    out[i] = atomicCAS(&words[i * stride], 0u, i + 1u) + atomicSub(&words[i * stride + 1], 2u);
}

KERNEL add_double_group(int group, double *sums) {
    atomicAdd(&sums[tid() / group], 0.5);
}

KERNEL add_half2_step(int step, __half2 *sums) {
    atomicAdd(&sums[threadIdx.x * step], __float2half2_rn(1.f));
}

KERNEL add_float_hashed(int n, int mask, float *sums) {
    int i = tid();
    if (i < n) {
        atomicAdd(&sums[hash(i) & mask], 1.f);
    }
}

KERNEL aggregated_by_match(int n, int keys, const unsigned *in, unsigned *counts) {
    int i = tid();
    if (i < n) {
        unsigned key = in[i] % keys;
        unsigned peers = __match_any_sync(__activemask(), key);
        if (static_cast<int>(threadIdx.x & 31) == __ffs(peers) - 1) {
            atomicAdd(&counts[key], __popc(peers));
        }
    }
}

KERNEL count_positive(int n, const int *in, int *count) {
    for (int i = tid(); i < n; i += gridDim.x * blockDim.x) {
        if (in[i] > 0) {
            atomicAdd(count, 1);
        }
    }
}

// ---- caches ----

template <int Way>
__device__ __forceinline__ float hinted(const float *p) {
    return Way == 0 ? __ldca(p) : Way == 1 ? __ldcg(p) : Way == 2 ? __ldcs(p) : Way == 3 ? __ldlu(p) : __ldcv(p);
}

template <int Way>
__device__ void twice_hinted(const float *in, float *out) {
    int i = tid();
    float a = hinted<Way>(in + i);
    __syncthreads();
    float b = hinted<Way>(in + (i ^ 33));
    __syncthreads();
    out[i] = a + b + in[i ^ 1];
}

#define TWICE(name, way)                                                                                                                             \
    KERNEL twice_##name(const float *in, float *out) {                                                                                               \
        twice_hinted<way>(in, out);                                                                                                                  \
    }

TWICE(ca, 0)
TWICE(cg, 1)
TWICE(cs, 2)
TWICE(lu, 3)
TWICE(cv, 4)

KERNEL stores_hinted(int n, const float *in, float *wb, float *cg, float *cs, float *wt) {
    int i = tid();
    if (i < n) {
        float v = in[i];
        __stwb(wb + i, v);
        __stcg(cg + i, v + 1.f);
        __stcs(cs + i, v + 2.f);
        __stwt(wt + i, v + 3.f);
    }
}

KERNEL evict_hints(const float4 *in, float4 *out) {
    int i = tid();
    float4 a, b;
    asm volatile("ld.global.L1::evict_last.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(a.x), "=f"(a.y), "=f"(a.z), "=f"(a.w) : "l"(in + i));
    asm volatile("ld.global.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(b.x), "=f"(b.y), "=f"(b.z), "=f"(b.w) : "l"(in + (i ^ 64)));
    a.x += b.x;
    asm volatile("st.global.L1::evict_first.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(out + i), "f"(a.x), "f"(a.y), "f"(a.z), "f"(b.w) : "memory");
}

// A line is stored to and read back, each thread its own words and another's.
KERNEL store_load_same_line(int stride, float *data) {
    int i = tid() * stride;
    data[i] = static_cast<float>(i);
    float mine = *static_cast<volatile float *>(&data[i]);
    __syncthreads();
    float other = data[(blockIdx.x * blockDim.x + (threadIdx.x ^ 1)) * stride];
    __syncthreads();
    data[i] = mine + other;
}

KERNEL bytes_then_words(unsigned char *bytes, unsigned *words, unsigned *out) {
    int i = tid();
    if (threadIdx.x % 3) {
        bytes[i] = static_cast<unsigned char>(i);
    }
    __syncthreads();
    if (threadIdx.x < blockDim.x / 4) {
        out[blockIdx.x * blockDim.x / 4 + threadIdx.x] = words[blockIdx.x * blockDim.x / 4 + threadIdx.x];
    }
}

KERNEL in_place_three_times(int n, int rounds, float *data) {
    int i = tid();
    if (i < n) {
        for (int k = 0; k < rounds; k++) {
            data[i] = data[i] * 0.5f + 1.f;
            __syncwarp(__activemask());
        }
    }
}

KERNEL table_in_l1(int words, int rounds, const int *table, int *out) {
    int at = threadIdx.x, sum = 0;
    for (int k = 0; k < rounds; k++) {
        sum += __ldg(&table[at]);
        at = (at + 97) % words;
    }
    out[tid()] = sum;
}

KERNEL stream_again(int n4, int passes, const float4 *in, float *out) {
    float sum = 0;
    for (int p = 0; p < passes; p++) {
        for (int i = tid(); i < n4; i += gridDim.x * blockDim.x) {
            float4 v = in[i];
            sum += v.x + v.y + v.z + v.w;
        }
    }
    out[tid()] = sum;
}

KERNEL triad(int n, float s, const float *a, const float *b, float *c) {
    for (int i = tid(); i < n; i += gridDim.x * blockDim.x) {
        c[i] = a[i] + s * b[i];
    }
}

KERNEL columns_strided(int rows, int cols, const float *in, float *out) {
    int c = tid();
    float sum = 0;
    if (c < cols) {
        for (int r = 0; r < rows; r++) {
            sum += in[r * cols + c];
        }
        out[c] = sum;
    }
}

KERNEL rows_strided(int rows, int cols, const float *in, float *out) {
    int r = tid();
    if (r < rows) {
        float sum = 0;
        for (int c = 0; c < cols; c++) {
            sum += in[r * cols + c];
        }
        out[r] = sum;
    }
}

// ---- constants ----

__constant__ float4 colours[64] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
__constant__ unsigned char digits[256] = {1, 2, 3, 4, 5, 6, 7, 8};
__constant__ short taps[5][7] = {{1, 2, 3, 2, 1, 0, 1}, {4, 5, 6, 5, 4, 3, 2}};

KERNEL constant_float4(int n, int mask, const int *in, float4 *out) {
    int i = tid();
    if (i < n) {
        out[i] = colours[in[i] & mask];
    }
}

KERNEL constant_bytes(int n, const unsigned char *in, unsigned char *out) {
    int i = tid();
    if (i < n) {
        out[i] = digits[in[i]];
    }
}

KERNEL constant_rows(int n, const int *in, int *out) {
    int i = tid(), sum = 0;
    if (i < n) {
        const short *row = taps[threadIdx.x / 32 % 5];
        for (int k = 0; k < 7; k++) {
            sum += row[k] * in[i + k];
        }
        out[i] = sum;
    }
}

// ---- local memory ----

KERNEL local_bytes_count(int n, int each, const unsigned char *in, int *out) {
    unsigned char seen[64];
    for (int k = 0; k < 64; k++) {
        seen[k] = 0;
    }
    int i = tid();
    if (i < n) {
        for (int k = 0; k < each; k++) {
            seen[in[i * each + k] & 63]++;
        }
        int most = 0;
        for (int k = 0; k < 64; k++) {
            most = max(most, static_cast<int>(seen[k]));
        }
        out[i] = most;
    }
}

KERNEL local_sort_24(int n, const float *in, float *out) {
    float v[24];
    int i = tid();
    if (i < n) {
        for (int k = 0; k < 24; k++) {
            v[k] = in[k * n + i];
        }
        for (int k = 1; k < 24; k++) {
            float x = v[k];
            int j = k;
            while (j > 0 && v[j - 1] > x) {
                v[j] = v[j - 1];
                j--;
            }
            v[j] = x;
        }
        for (int k = 0; k < 24; k++) {
            out[k * n + i] = v[k];
        }
    }
}

KERNEL local_doubles_permuted(int n, const double *in, const int *order, double *out) {
    double held[16];
    int i = tid();
    if (i < n) {
        for (int k = 0; k < 16; k++) {
            held[k] = in[i] * k;
        }
        double sum = 0;
        for (int k = 0; k < 16; k++) {
            sum += held[order[k] & 15] * k;
        }
        out[i] = sum;
    }
}

extern "C" __global__ void __launch_bounds__(992, 2) spilled_window(int n, const float *in, float *out) {
    float w[40];
    int i = tid();
    if (i < n) {
#pragma unroll
        for (int k = 0; k < 40; k++) {
            w[k] = in[i + k];
        }
#pragma unroll
        for (int r = 1; r < 4; r++) {
#pragma unroll
            for (int k = 0; k < 40; k++) {
                w[k] = w[k] * w[(k + 7 * r) % 40] + w[(k + 11) % 40];
            }
        }
        float sum = 0;
#pragma unroll
        for (int k = 0; k < 40; k++) {
            sum += w[k] * k;
        }
        out[i] = sum;
    }
}

__device__ __noinline__ int ackermann_like(int m, int n) {
    if (m == 0) {
        return n + 1;
    }
    return n == 0 ? ackermann_like(m - 1, 1) + 1 : ackermann_like(m - 1, n - 1) ^ n;
}

KERNEL recursion_uniform(int n, int m, int *out) {
    int i = tid();
    if (i < n) {
        out[i] = ackermann_like(m, m + 2);
    }
}
