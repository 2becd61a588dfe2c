/* The second blind test: pictures, bytes and bits, sorting, counting, random numbers, cache operators, volatile, atomics, local arrays.
 * Written before the model was looked at. Launches are in launches.py. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

#define FULL 0xffffffffu

struct __align__(4) Pixel {
    unsigned char b, g, r, a;
};
struct Bgr {
    unsigned char b, g, r;
};
struct Record {
    double key;
    int id;
    short kind;
    char flags[6];
};
struct Tree {
    int left, right;
    float split;
    int feature;
};

__constant__ unsigned c_crc[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                   0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
__constant__ float c_gauss[7] = {0.03f, 0.11f, 0.22f, 0.28f, 0.22f, 0.11f, 0.03f};
__constant__ double c_table64[64] = {1, 2, 3, 5, 7, 11};

__device__ __forceinline__ void exchange(float &a, float &b) {
    float t = fminf(a, b);
    b = fmaxf(a, b);
    a = t;
}
__device__ __forceinline__ unsigned rotl(unsigned x, int n) { return __funnelshift_l(x, x, n); }

extern "C" {

/* ---- pictures ---- */
__global__ void blur_rows(int w, int h, int pitch, const unsigned char *__restrict__ in, float *__restrict__ out) {
    __shared__ float row[4][64 + 6];
    int y = blockIdx.y * 4 + threadIdx.y, x0 = blockIdx.x * 64;
    for (int i = threadIdx.x; i < 70; i += 64) {
        int x = min(max(x0 + i - 3, 0), w - 1);
        row[threadIdx.y][i] = y < h ? in[y * pitch + x] : 0;
    }
    __syncthreads();
    int x = x0 + threadIdx.x;
    if (x >= w || y >= h) return;
    float s = 0;
#pragma unroll
    for (int k = 0; k < 7; k++) s += c_gauss[k] * row[threadIdx.y][threadIdx.x + k];
    out[y * w + x] = s;
}
__global__ void blur_columns(int w, int h, const float *__restrict__ in, unsigned char *__restrict__ out) {
    __shared__ float col[16 * 3][17];
    int x = blockIdx.x * 16 + threadIdx.x, y0 = blockIdx.y * 32 - 8;
    for (int k = 0; k < 3; k++) {
        int y = min(max(y0 + k * 16 + (int)threadIdx.y, 0), h - 1);
        col[k * 16 + threadIdx.y][threadIdx.x] = x < w ? in[y * w + x] : 0;
    }
    __syncthreads();
    if (x >= w) return;
#pragma unroll
    for (int k = 0; k < 2; k++) {
        int y = y0 + 8 + k * 16 + threadIdx.y;
        float s = 0;
#pragma unroll
        for (int j = -3; j <= 3; j++) s += c_gauss[j + 3] * col[8 + k * 16 + threadIdx.y + j][threadIdx.x];
        if (y < h) out[y * w + x] = (unsigned char)s;
    }
}
__global__ void median_3x3(int w, int h, const float *__restrict__ in, float *__restrict__ out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= w - 1 || y >= h - 1) return;
    float v[9];
    for (int k = 0; k < 9; k++) v[k] = in[(y + k / 3 - 1) * w + x + k % 3 - 1];
#pragma unroll
    for (int i = 0; i < 5; i++)
#pragma unroll
        for (int j = i + 1; j < 9; j++) exchange(v[i], v[j]);
    out[y * w + x] = v[4];
}
__global__ void resize_bilinear(const Pixel *__restrict__ in, int w, int h, Pixel *__restrict__ out, int ow, int oh) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= ow || y >= oh) return;
    int fx = (int)(((2 * x + 1) * (long long)w << 7) / ow) - 128, fy = (int)(((2 * y + 1) * (long long)h << 7) / oh) - 128;
    fx = max(fx, 0), fy = max(fy, 0);
    int x0 = fx >> 8, y0 = fy >> 8, x1 = min(x0 + 1, w - 1), y1 = min(y0 + 1, h - 1), u = fx & 255, v = fy & 255;
    Pixel a = in[y0 * w + x0], b = in[y0 * w + x1], c = in[y1 * w + x0], d = in[y1 * w + x1], r;
    auto mix = [=](int p, int q, int s, int t) { return (unsigned char)(((p * (256 - u) + q * u) * (256 - v) + (s * (256 - u) + t * u) * v) >> 16); };
    r.b = mix(a.b, b.b, c.b, d.b), r.g = mix(a.g, b.g, c.g, d.g), r.r = mix(a.r, b.r, c.r, d.r), r.a = 255;
    out[y * ow + x] = r;
}
__global__ void bgr_to_planes(int n, const Bgr *__restrict__ in, unsigned char *__restrict__ b, unsigned char *__restrict__ g, unsigned char *__restrict__ r) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Bgr p = in[i];
    b[i] = p.b, g[i] = p.g, r[i] = p.r;
}
__global__ void bgr_to_planes_shared(int n, const unsigned *__restrict__ in, unsigned *__restrict__ planes, int stride) {
    __shared__ unsigned raw[192];
    const unsigned char *bytes = (const unsigned char *)raw;
    int base = blockIdx.x * 256, t = threadIdx.x; /* 64 threads, 256 pixels */
    for (int k = t; k < 192; k += 64) raw[k] = base * 3 / 4 + k < n * 3 / 4 ? in[base * 3 / 4 + k] : 0;
    __syncthreads();
    for (int c = 0; c < 3; c++) {
        uchar4 v = {bytes[12 * t + c], bytes[12 * t + 3 + c], bytes[12 * t + 6 + c], bytes[12 * t + 9 + c]};
        if (base + 4 * t < n) *(uchar4 *)&planes[c * stride + base / 4 + t] = v;
    }
}
__global__ void yuv420_to_rgb(int w, int h, const unsigned char *__restrict__ y, const uchar2 *__restrict__ uv, uchar4 *__restrict__ out) {
    int px = 2 * (blockIdx.x * blockDim.x + threadIdx.x), py = 2 * (blockIdx.y * blockDim.y + threadIdx.y);
    if (px >= w || py >= h) return;
    uchar2 c = uv[py / 2 * (w / 2) + px / 2];
    int u = c.x - 128, v = c.y - 128;
    for (int dy = 0; dy < 2; dy++)
        for (int dx = 0; dx < 2; dx++) {
            int l = y[(py + dy) * w + px + dx] * 298;
            out[(py + dy) * w + px + dx] = make_uchar4(min(max((l + 409 * v) >> 8, 0), 255), min(max((l - 100 * u - 208 * v) >> 8, 0), 255), min(max((l + 516 * u) >> 8, 0), 255), 255);
        }
}
__global__ void integral_rows(int w, const unsigned char *__restrict__ in, unsigned *__restrict__ out) {
    __shared__ unsigned totals[8];
    unsigned carry = 0;
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (int base = 0; base < w; base += 256) {
        int x = base + threadIdx.x;
        unsigned v = x < w ? in[blockIdx.x * w + x] : 0;
        for (int d = 1; d < 32; d <<= 1) {
            unsigned o = __shfl_up_sync(FULL, v, d);
            if (lane >= d) v += o;
        }
        if (lane == 31) totals[warp] = v;
        __syncthreads();
        unsigned before = 0, all = 0;
        for (int k = 0; k < 8; k++) before += k < warp ? totals[k] : 0, all += totals[k];
        if (x < w) out[blockIdx.x * w + x] = carry + before + v;
        carry += all;
        __syncthreads();
    }
}
__global__ void erode_bits(int words, int h, const unsigned *__restrict__ in, unsigned *__restrict__ out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= words || y >= h) return;
    unsigned r = ~0u;
    for (int dy = -1; dy <= 1; dy++) {
        int yy = y + dy;
        if (yy < 0 || yy >= h) continue;
        unsigned c = in[yy * words + x], l = x ? in[yy * words + x - 1] : ~0u, n = x < words - 1 ? in[yy * words + x + 1] : ~0u;
        r &= c & __funnelshift_l(l, c, 1) & __funnelshift_r(c, n, 1);
    }
    out[y * words + x] = r;
}
__global__ void life_packed(int words, int h, const unsigned *__restrict__ in, unsigned *__restrict__ out) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words * h; i += gridDim.x * blockDim.x) {
        int x = i % words, y = i / words, xl = (x + words - 1) % words, xr = (x + 1) % words;
        unsigned one = 0, two = 0, four = 0, me = in[i];
        for (int dy = -1; dy <= 1; dy++) {
            int row = (y + dy + h) % h * words;
            unsigned c = in[row + x], l = __funnelshift_l(in[row + xl], c, 1), r = __funnelshift_r(c, in[row + xr], 1);
            unsigned s[3] = {l, r, dy ? c : 0};
            for (int k = 0; k < 3; k++) {
                unsigned carry = one & s[k];
                one ^= s[k];
                four |= two & carry, two ^= carry;
            }
        }
        out[i] = (two & ~four) & (one | me);
    }
}
__global__ void mandelbrot(int w, int h, float x0, float y0, float step, uchar4 *out, int limit) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float cr = x0 + x * step, ci = y0 + y * step, zr = 0, zi = 0;
    int i = 0;
    for (; i < limit && zr * zr + zi * zi < 4.0f; i++) {
        float t = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci, zr = t;
    }
    out[y * w + x] = make_uchar4(i * 5, i * 3, i, 255);
}
__global__ void warp_affine_bytes(int w, int h, const unsigned char *__restrict__ in, unsigned char *__restrict__ out, float a, float b) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int sx = (int)(a * x - b * y + 3), sy = (int)(b * x + a * y - 2);
    out[y * w + x] = sx >= 0 && sx < w && sy >= 0 && sy < h ? in[sy * w + sx] : 7;
}

/* ---- transposes ---- */
__global__ void transpose_bytes_tile(int w, int h, const unsigned char *__restrict__ in, unsigned char *__restrict__ out) {
    __shared__ unsigned char tile[32][32 + 4];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < w && y + j < h) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < h && y + j < w) out[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}
__global__ void transpose_half_swizzled(int n, const __half *__restrict__ in, __half *__restrict__ out) {
    __shared__ __half tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += blockDim.y) tile[threadIdx.y + j][threadIdx.x ^ (threadIdx.y + j)] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += blockDim.y) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.x ^ (threadIdx.y + j)];
}
__global__ void transpose_half2_pairs(int n, const __half2 *__restrict__ in, __half2 *__restrict__ out) {
    __shared__ __half2 tile[64][33];
    int n2 = n / 2;
    for (int j = threadIdx.y; j < 64; j += blockDim.y) tile[j][threadIdx.x] = in[(blockIdx.y * 64 + j) * n2 + blockIdx.x * 32 + threadIdx.x];
    __syncthreads();
    for (int j = threadIdx.y; j < 32; j += blockDim.y) {
        __half2 a = tile[2 * threadIdx.x][j], b = tile[2 * threadIdx.x + 1][j];
        out[(blockIdx.x * 64 + 2 * j) * n2 + blockIdx.y * 32 + threadIdx.x] = __lows2half2(a, b);
        out[(blockIdx.x * 64 + 2 * j + 1) * n2 + blockIdx.y * 32 + threadIdx.x] = __highs2half2(a, b);
    }
}
__global__ void transpose_double_xor(int n, const double *__restrict__ in, double *__restrict__ out) {
    __shared__ double tile[16][16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x ^ threadIdx.y] = in[y * n + x];
    __syncthreads();
    out[(blockIdx.x * 16 + threadIdx.y) * n + blockIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.x ^ threadIdx.y];
}
__global__ void permute_3d(int nx, int ny, int nz, const float *__restrict__ in, float *__restrict__ out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < nx && y < ny && z < nz) out[(x * nz + z) * ny + y] = in[(z * ny + y) * nx + x];
}

/* ---- sorting and counting ---- */
__global__ void bitonic_step(unsigned *v, int j, int k) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
    if (other > i) {
        unsigned a = v[i], b = v[other];
        if (((i & k) == 0) == (a > b)) v[i] = b, v[other] = a;
    }
}
__global__ void bitonic_pairs_shared(const unsigned *keys, const float *vals, unsigned *out_keys, float *out_vals) {
    __shared__ unsigned k[512];
    __shared__ float v[512];
    int t = threadIdx.x, base = blockIdx.x * 512;
    k[t] = keys[base + t], v[t] = vals[base + t], k[t + 256] = keys[base + t + 256], v[t + 256] = vals[base + t + 256];
    for (unsigned size = 2; size <= 512; size <<= 1)
        for (unsigned stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            unsigned pos = 2 * t - (t & (stride - 1));
            bool up = (t & (size / 2)) == 0;
            if ((k[pos] > k[pos + stride]) == up) {
                unsigned a = k[pos];
                k[pos] = k[pos + stride], k[pos + stride] = a;
                float b = v[pos];
                v[pos] = v[pos + stride], v[pos + stride] = b;
            }
        }
    __syncthreads();
    out_keys[base + t] = k[t], out_vals[base + t] = v[t], out_keys[base + t + 256] = k[t + 256], out_vals[base + t + 256] = v[t + 256];
}
__global__ void radix_count(int n, const unsigned *__restrict__ keys, unsigned *__restrict__ counts, int shift) {
    __shared__ unsigned bins[16];
    if (threadIdx.x < 16) bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 1024 + threadIdx.x; i < min(n, (int)(blockIdx.x + 1) * 1024); i += blockDim.x) atomicAdd(&bins[keys[i] >> shift & 15], 1);
    __syncthreads();
    if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}
__global__ void radix_split_bits(const unsigned *__restrict__ in, unsigned *__restrict__ out, int bits) {
    __shared__ unsigned s[256], warp_zeros[8];
    unsigned t = threadIdx.x, lane = t & 31, w = t >> 5, v = in[blockIdx.x * 256 + t];
    for (int bit = 0; bit < bits; bit++) {
        bool one = v >> bit & 1;
        unsigned m = __ballot_sync(FULL, !one);
        if (lane == 0) warp_zeros[w] = __popc(m);
        __syncthreads();
        unsigned before = 0, all = 0;
        for (int k = 0; k < 8; k++) {
            if (k < w) before += warp_zeros[k];
            all += warp_zeros[k];
        }
        unsigned rank = before + __popc(m & ((1u << lane) - 1));
        s[one ? all + t - rank : rank] = v;
        __syncthreads();
        v = s[t];
    }
    out[blockIdx.x * 256 + t] = v;
}
__global__ void rank_sort(int n, const float *__restrict__ in, float *__restrict__ out) {
    __shared__ float tile[96];
    int i = blockIdx.x * 96 + threadIdx.x, rank = 0;
    float me = i < n ? in[i] : 0;
    for (int base = 0; base < n; base += 96) {
        __syncthreads();
        tile[threadIdx.x] = base + threadIdx.x < n ? in[base + threadIdx.x] : INFINITY;
        __syncthreads();
        for (int k = 0; k < 96; k++) rank += tile[k] < me || (tile[k] == me && base + k < i);
    }
    if (i < n) out[rank] = me;
}
__global__ void histogram64_bytes(int n, const unsigned *__restrict__ data, unsigned *__restrict__ partial) {
    __shared__ unsigned char bins[64 * 64];
    const int t = threadIdx.x, pos = (t & ~63) | ((t & 15) << 2) | ((t & 0x30) >> 4);
    for (int k = 0; k < 16; k++) ((unsigned *)bins)[t + 64 * k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 64 + t; i < n; i += 64 * gridDim.x) {
        unsigned d = data[i];
        bins[pos + (d >> 2 & 63) * 64]++, bins[pos + (d >> 10 & 63) * 64]++, bins[pos + (d >> 18 & 63) * 64]++, bins[pos + (d >> 26 & 63) * 64]++;
    }
    __syncthreads();
    unsigned sum = 0;
    for (int k = 0, a = t & 15; k < 16; k++, a = (a + 1) & 15) {
        unsigned four = ((unsigned *)bins)[t * 16 + a];
        sum += (four & 255) + (four >> 8 & 255) + (four >> 16 & 255) + (four >> 24);
    }
    partial[blockIdx.x * 64 + t] = sum;
}
__global__ void histogram_replicated(int n, const uchar4 *__restrict__ in, unsigned *bins, int copies) {
    extern __shared__ unsigned h[];
    for (int k = threadIdx.x; k < 256 * copies; k += blockDim.x) h[k] = 0;
    __syncthreads();
    int mine = threadIdx.x % copies;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uchar4 v = in[i];
        atomicAdd(&h[v.x * copies + mine], 1), atomicAdd(&h[v.y * copies + mine], 1), atomicAdd(&h[v.z * copies + mine], 1), atomicAdd(&h[v.w * copies + mine], 1);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 256; k += blockDim.x) {
        unsigned s = 0;
        for (int c = 0; c < copies; c++) s += h[k * copies + c];
        atomicAdd(bins + k, s);
    }
}
__global__ void histogram_match(int n, const unsigned *__restrict__ in, unsigned *bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned b = i < n ? in[i] >> 27 : 99;
    unsigned same = __match_any_sync(FULL, b);
    if (b != 99 && (threadIdx.x & 31) == __ffs(same) - 1) atomicAdd(bins + b, __popc(same));
}
__global__ void run_heads(int n, const unsigned *__restrict__ in, int *__restrict__ at, int *total) {
    __shared__ int counts[33];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    bool head = i < n && (i == 0 || (in[i] >> 29) != (in[i - 1] >> 29));
    unsigned m = __ballot_sync(FULL, head);
    if (lane == 0) counts[warp] = __popc(m);
    __syncthreads();
    int before = 0;
    for (int k = 0; k < warp; k++) before += counts[k];
    if (head) at[blockIdx.x * blockDim.x + before + __popc(m & ((1u << lane) - 1))] = i;
    if (threadIdx.x == blockDim.x - 1) atomicAdd(total, before + __popc(m));
}

/* ---- hashes, generators, text ---- */
__global__ void crc_nibbles(int n, int each, const unsigned char *__restrict__ data, unsigned *__restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned crc = ~0u;
    for (int k = 0; k < each; k++) {
        crc ^= data[i * each + k];
        crc = crc >> 4 ^ c_crc[crc & 15];
        crc = crc >> 4 ^ c_crc[crc & 15];
    }
    out[i] = ~crc;
}
__global__ void chacha_rounds(const uint4 *__restrict__ key, uint4 *__restrict__ out, int rounds) {
    unsigned s[16], t = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 a = key[0], b = key[1], c = key[2];
    s[0] = a.x, s[1] = a.y, s[2] = a.z, s[3] = a.w, s[4] = b.x, s[5] = b.y, s[6] = b.z, s[7] = b.w;
    s[8] = c.x, s[9] = c.y, s[10] = c.z, s[11] = c.w, s[12] = t, s[13] = 7, s[14] = 11, s[15] = 13;
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int q = 0; q < 8; q++) {
            int i = q % 4, d = q < 4 ? 0 : 1, A = i, B = 4 + (i + d) % 4, C = 8 + (i + 2 * d) % 4, D = 12 + (i + 3 * d) % 4;
            s[A] += s[B], s[D] = rotl(s[D] ^ s[A], 16), s[C] += s[D], s[B] = rotl(s[B] ^ s[C], 12);
            s[A] += s[B], s[D] = rotl(s[D] ^ s[A], 8), s[C] += s[D], s[B] = rotl(s[B] ^ s[C], 7);
        }
    for (int k = 0; k < 4; k++) out[4 * t + k] = make_uint4(s[4 * k], s[4 * k + 1], s[4 * k + 2], s[4 * k + 3]);
}
__global__ void monte_carlo_pi(int each, unsigned long long *inside) {
    __shared__ unsigned total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    unsigned s = 12345u + 747796405u * (blockIdx.x * blockDim.x + threadIdx.x), count = 0;
    for (int k = 0; k < each; k++) {
        s ^= s << 13, s ^= s >> 17, s ^= s << 5;
        float x = (s >> 8) * (1.0f / 16777216);
        s ^= s << 13, s ^= s >> 17, s ^= s << 5;
        float y = (s >> 8) * (1.0f / 16777216);
        count += x * x + y * y < 1.0f;
    }
    count = __reduce_add_sync(FULL, count);
    if (threadIdx.x % 32 == 0) atomicAdd(&total, count);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(inside, (unsigned long long)total);
}
__global__ void count_words(int n, const char *__restrict__ text, int *total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool start = i < n && (unsigned char)text[i] > 96 && (i == 0 || (unsigned char)text[i - 1] <= 96);
    int c = __syncthreads_count(start);
    if (threadIdx.x == 0) atomicAdd(total, c);
}
__global__ void edit_distance_tile(int n, const unsigned char *__restrict__ a, const unsigned char *__restrict__ b, int *__restrict__ out) {
    __shared__ int diag[3][65];
    __shared__ unsigned char sa[64], sb[64];
    int t = threadIdx.x; /* 65 threads */
    if (t < 64) sa[t] = a[blockIdx.x * 64 + t] & 3, sb[t] = b[blockIdx.x * 64 + t] & 3;
    __syncthreads();
    for (int d = 0; d <= 2 * n; d++) {
        int i = t, j = d - t;
        if (i <= n && j >= 0 && j <= n) {
            int v = i == 0 ? j : j == 0 ? i : min(min(diag[(d + 2) % 3][i], diag[(d + 2) % 3][i - 1]) + 1, diag[(d + 1) % 3][i - 1] + (sa[i - 1] != sb[j - 1]));
            diag[d % 3][i] = v;
        }
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = diag[(2 * n) % 3][n];
}
__global__ void forest_walk(int n, int trees, int nodes, const Tree *__restrict__ forest, const float *__restrict__ features, int width, float *__restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0;
    for (int t = 0; t < trees; t++) {
        int at = 0;
        for (int depth = 0; depth < 6; depth++) {
            Tree node = forest[t * nodes + at];
            float f = features[i * width + (unsigned)node.feature % width];
            at = ((unsigned)(f < 0.5f ? node.left : node.right)) % nodes;
        }
        s += at;
    }
    out[i] = s;
}
__global__ void records_filter(int n, const Record *__restrict__ in, Record *__restrict__ out, int *__restrict__ kept) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool keep = i < n && (in[i].kind & 3) == 1;
    unsigned m = __ballot_sync(FULL, keep);
    if (keep) {
        Record r = in[i];
        r.flags[2] = 1;
        out[(i & ~31) + __popc(m & ((1u << (threadIdx.x & 31)) - 1))] = r;
    }
    if (m && (threadIdx.x & 31) == 0) atomicAdd(kept, __popc(m));
}

/* ---- hints, volatile ---- */
__global__ void copy_ldcg_stcs(int n, const float4 *__restrict__ in, float4 *__restrict__ out) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) __stcs(&out[i], __ldcg(&in[i]));
}
__global__ void copy_ldcs_stcg(int n, const double *__restrict__ in, double *__restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) __stcg(&out[i], __ldcs(&in[i]));
}
__global__ void stencil_ldg_twice(int n, const short *__restrict__ in, short *__restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) out[i] = __ldg(in + i - 1) + 2 * __ldg(in + i) + __ldg(in + i + 1);
}
__global__ void column_sums_stwt(int rows, int cols, const unsigned char *__restrict__ in, unsigned *out) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    unsigned s = 0;
    for (int r = 0; r < rows; r++) s += in[r * cols + c];
    __stwt(&out[c], s);
}
__global__ void volatile_shared_warp(const float *in, float *out) {
    __shared__ volatile float s[4][64];
    int w = threadIdx.x / 32, l = threadIdx.x % 32;
    s[w][l] = in[blockIdx.x * blockDim.x + threadIdx.x];
    s[w][l + 32] = 0;
    __syncwarp();
    for (int d = 16; d > 0; d >>= 1) {
        float v = s[w][l] + s[w][l + d];
        __syncwarp();
        s[w][l] = v;
        __syncwarp();
    }
    if (l == 0) out[blockIdx.x * 4 + w] = s[w][0];
}
__global__ void volatile_flags(volatile int *flags, const int *in, int *out, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
    for (int r = 0; r < rounds; r++) {
        flags[i] = in[i] + r;
        s += flags[i];
    }
    out[i] = s;
}
__global__ void read_only_broadcast(int n, const float *__restrict__ table, float *__restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < 24; k += 3) s += table[k] * table[k + 1] + table[k + 2];
    if (i < n) out[i] = s * i;
}

/* ---- local arrays, constant memory ---- */
__global__ void local_histogram_nibbles(const unsigned *__restrict__ in, unsigned *__restrict__ out, int each) {
    unsigned char bins[16] = {};
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < each; k++) {
        unsigned v = in[k * gridDim.x * blockDim.x + t];
        for (int q = 0; q < 8; q++) bins[v >> 4 * q & 15]++;
    }
    for (int k = 0; k < 4; k++) out[4 * t + k] = bins[4 * k] | bins[4 * k + 1] << 8 | bins[4 * k + 2] << 16 | (unsigned)bins[4 * k + 3] << 24;
}
__global__ void local_stack_dfs(int n, const unsigned *__restrict__ children, int *__restrict__ out) {
    int stack[24], top = 0, visited = 0, i = blockIdx.x * blockDim.x + threadIdx.x;
    stack[top++] = i % n;
    while (top && visited < 20) {
        int v = stack[--top];
        visited++;
        unsigned c = children[v];
        if (c & 1) stack[top++] = (c >> 8) % n;
        if (c & 2 && top < 24) stack[top++] = (c >> 16) % n;
    }
    out[i] = visited * 32 + top;
}
__global__ void local_matrix_power(const float *__restrict__ in, float *__restrict__ out, int which) {
    float m[4][4], r[4][4];
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 16; k++) m[k / 4][k % 4] = in[t * 16 + k], r[k / 4][k % 4] = k % 5 == 0;
    for (int p = 0; p < 3; p++) {
        float x[4][4];
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                x[i][j] = 0;
                for (int k = 0; k < 4; k++) x[i][j] += r[i][k] * m[k][j];
            }
        memcpy(r, x, sizeof r);
    }
    out[t] = r[which & 3][(which + t) & 3];
}
__global__ void constant_divergent(int n, const unsigned *__restrict__ in, double *__restrict__ out, int spread) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = c_table64[(in[i] >> 20) % spread] + c_table64[63 - (i & 1)];
}

/* ---- atomics ---- */
__global__ void atomic_double_sum(int n, const int *__restrict__ in, double *total, int slots) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&total[i % slots], (double)(in[i] & 1023));
}
__global__ void atomic_float_warp(int n, const int *__restrict__ in, float *total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? in[i] & 15 : 0;
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(FULL, v, o);
    if ((threadIdx.x & 31) == 0) atomicAdd(total, v);
}
__global__ void atomic_min_max_64(int n, const unsigned *__restrict__ in, unsigned long long *low, long long *high) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicMin(low + i % 4, (unsigned long long)in[i] << 8 | 1);
    atomicMax(high + i % 3, (long long)in[i] - 5);
}
__global__ void atomic_scopes(int n, const unsigned *__restrict__ in, unsigned *a, unsigned *b, unsigned *c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAdd_block(a + blockIdx.x * 8 + in[i] % 8, 1u);
    atomicXor_system(b + (in[i] >> 8) % 64, in[i]);
    atomicAnd(c + (in[i] >> 16) % 64, in[i] | 0xff00ff00u);
}
__global__ void cas_multiply(int n, const unsigned *__restrict__ in, unsigned *slots) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || i % 32 >= 8) return;
    unsigned *p = slots + i / 32 * 8 + i % 8, old = *p, seen;
    do {
        seen = old;
        old = atomicCAS(p, seen, (seen | 1) * (in[i] | 1));
    } while (old != seen);
}
__global__ void spin_lock_update(int rounds, int *lock, volatile int *value) {
    if (threadIdx.x == 0)
        for (int k = 0; k < rounds; k++) {
            while (atomicExch(lock + blockIdx.x, 1) != 0) {}
            value[blockIdx.x] = value[blockIdx.x] + k;
            __threadfence();
            atomicExch(lock + blockIdx.x, 0);
        }
}
__global__ void shared_votes_half2(int n, const unsigned *__restrict__ in, __half2 *out) {
    __shared__ __half2 s[16];
    if (threadIdx.x < 16) s[threadIdx.x] = __float2half2_rn(0);
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && threadIdx.x < 16) atomicAdd(&s[in[i] % 16], __floats2half2_rn(1, 2));
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(out + threadIdx.x, s[threadIdx.x]);
}
__global__ void shared_tickets(int n, const unsigned *__restrict__ in, unsigned *__restrict__ out) {
    __shared__ unsigned long long sum;
    __shared__ unsigned least, most, bits;
    if (threadIdx.x == 0) sum = 0, least = ~0u, most = 0, bits = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        unsigned v = in[blockIdx.x * n + i];
        atomicAdd(&sum, (unsigned long long)v), atomicMin(&least, v), atomicMax(&most, v), atomicOr(&bits, 1u << (v & 31));
    }
    __syncthreads();
    if (threadIdx.x == 0) out[4 * blockIdx.x] = (unsigned)(sum >> 8), out[4 * blockIdx.x + 1] = least, out[4 * blockIdx.x + 2] = most, out[4 * blockIdx.x + 3] = bits;
}
__global__ void hash_insert(int n, const unsigned *__restrict__ keys, unsigned *table, unsigned mask) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned key = keys[i] | 1, slot = i & mask;
    while (true) {
        unsigned before = atomicCAS(&table[slot], 0, key);
        if (before == 0 || before == key) break;
        slot = (slot + 1) & mask;
    }
}
__global__ void float4_atomics(int n, float4 *sums, const int *__restrict__ in, int slots) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#if __CUDA_ARCH__ >= 900
    if (i < n) atomicAdd(&sums[i % slots], make_float4(in[i] & 7, 1, 2, 3));
#endif
}
}
