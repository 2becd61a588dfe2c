// Kernels that real code has, in variants, of other kinds than those of ../variants: layers of networks, numerical methods, texts, bits, codes. A
// kernel's name is what it does, two underscores, and its variant. launches.py has the launches.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <stdint.h>

#define KERNEL extern "C" __global__ void
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)

__device__ __forceinline__ float sum_of_warp(float v) {
    for (int k = 16; k; k /= 2) v += __shfl_down_sync(~0u, v, k);
    return __shfl_sync(~0u, v, 0);
}

__device__ __forceinline__ float sum_of_block(float v) {
    __shared__ float room[33];
    v = sum_of_warp(v);
    if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = sum_of_warp(threadIdx.x < blockDim.x / 32 ? room[threadIdx.x] : 0);
        if (threadIdx.x == 0) room[32] = v;
    }
    __syncthreads();
    v = room[32];
    __syncthreads();
    return v;
}

/* ---- layers ---- */

// Root mean square norm of x + r, in halves; a block has a row, each thread 8 halves at once.
KERNEL rms_residual__block(__half *y, const __half *x, __half *r, const __half *w, int columns) {
    const int4 *px = (const int4 *)(x + (size_t)blockIdx.x * columns), *pw = (const int4 *)w;
    int4 *pr = (int4 *)(r + (size_t)blockIdx.x * columns), *py = (int4 *)(y + (size_t)blockIdx.x * columns);
    float s = 0;
    for (int i = threadIdx.x; i < columns / 8; i += blockDim.x) {
        int4 a = px[i], b = pr[i];
        __half2 *ha = (__half2 *)&a, *hb = (__half2 *)&b;
        for (int k = 0; k < 4; k++) {
            hb[k] = __hadd2(ha[k], hb[k]);
            float2 f = __half22float2(hb[k]);
            s += f.x * f.x + f.y * f.y;
        }
        pr[i] = b;
    }
    s = rsqrtf(sum_of_block(s) / columns + 1e-5f);
    for (int i = threadIdx.x; i < columns / 8; i += blockDim.x) {
        int4 a = pr[i], b = pw[i];
        __half2 *ha = (__half2 *)&a, *hb = (__half2 *)&b;
        for (int k = 0; k < 4; k++) {
            float2 f = __half22float2(ha[k]), g = __half22float2(hb[k]);
            ha[k] = __floats2half2_rn(f.x * s * g.x, f.y * s * g.y);
        }
        py[i] = a;
    }
}

KERNEL rms_residual__warp(__half *y, const __half *x, __half *r, const __half *w, int columns) {
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    const __half2 *px = (const __half2 *)x + (size_t)row * columns / 2, *pw = (const __half2 *)w;
    __half2 *pr = (__half2 *)r + (size_t)row * columns / 2, *py = (__half2 *)y + (size_t)row * columns / 2;
    float s = 0;
    for (int i = lane; i < columns / 2; i += 32) {
        __half2 v = __hadd2(px[i], pr[i]);
        pr[i] = v;
        float2 f = __half22float2(v);
        s += f.x * f.x + f.y * f.y;
    }
    s = rsqrtf(sum_of_warp(s) / columns + 1e-5f);
    for (int i = lane; i < columns / 2; i += 32) {
        float2 f = __half22float2(pr[i]), g = __half22float2(pw[i]);
        py[i] = __floats2half2_rn(f.x * s * g.x, f.y * s * g.y);
    }
}

// Cross entropy of rows of logits, by running maximum and sum, in one pass.
template <int W> __device__ __forceinline__ void loss(float *out, const float *x, const int *label, int columns) {
    __shared__ float ms[32], ss[32];
    const float *row = x + (size_t)blockIdx.x * columns;
    float m = -3e38f, s = 0;
    for (int i = threadIdx.x * W; i < columns; i += blockDim.x * W) {
        float v[W];
        if (W == 4)
            *(float4 *)v = *(const float4 *)(row + i);
        else
            v[0] = row[i];
        for (int k = 0; k < W; k++) {
            const float n = fmaxf(m, v[k]);
            s = s * __expf(m - n) + __expf(v[k] - n);
            m = n;
        }
    }
    for (int k = 16; k; k /= 2) {
        const float om = __shfl_xor_sync(~0u, m, k), os = __shfl_xor_sync(~0u, s, k), n = fmaxf(m, om);
        s = s * __expf(m - n) + os * __expf(om - n);
        m = n;
    }
    if (threadIdx.x % 32 == 0) ms[threadIdx.x / 32] = m, ss[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < blockDim.x / 32; k++) {
            const float n = fmaxf(m, ms[k]);
            s = s * __expf(m - n) + ss[k] * __expf(ms[k] - n);
            m = n;
        }
        out[blockIdx.x] = logf(s) + m - row[label[blockIdx.x]];
    }
}
KERNEL loss__w1(float *out, const float *x, const int *label, int columns) { loss<1>(out, x, label, columns); }
KERNEL loss__w4(float *out, const float *x, const int *label, int columns) { loss<4>(out, x, label, columns); }

// The gradient of a softmax: (g - sum(g * y)) * y; a block a row.
KERNEL softmax_backward__twice(float *dx, const float *y, const float *g, int columns) {
    const size_t base = (size_t)blockIdx.x * columns;
    float s = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) s += y[base + i] * g[base + i];
    s = sum_of_block(s);
    for (int i = threadIdx.x; i < columns; i += blockDim.x) dx[base + i] = (g[base + i] - s) * y[base + i];
}

template <int EACH> __device__ __forceinline__ void softmax_backward(float *dx, const float *y, const float *g, int columns) {
    const size_t base = (size_t)blockIdx.x * columns;
    float vy[EACH], vg[EACH], s = 0;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const int i = threadIdx.x + k * blockDim.x;
        vy[k] = i < columns ? y[base + i] : 0;
        vg[k] = i < columns ? g[base + i] : 0;
        s += vy[k] * vg[k];
    }
    s = sum_of_block(s);
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const int i = threadIdx.x + k * blockDim.x;
        if (i < columns) dx[base + i] = (vg[k] - s) * vy[k];
    }
}
KERNEL softmax_backward__kept4(float *dx, const float *y, const float *g, int columns) { softmax_backward<4>(dx, y, g, columns); }
KERNEL softmax_backward__kept8(float *dx, const float *y, const float *g, int columns) { softmax_backward<8>(dx, y, g, columns); }

// The gradient of an embedding: rows are added where their words say.
KERNEL embedding_backward__atomic(float *table, const float *g, const int *word, int width, int words) {
    const int i = THREAD;
    if (i < words * width) atomicAdd(&table[(size_t)word[i / width] * width + i % width], g[i]);
}

KERNEL embedding_backward__atomic4(float4 *table, const float4 *g, const int *word, int width, int words) {
    const int i = THREAD, w = width / 4;
    if (i < words * w) atomicAdd(&table[(size_t)word[i / w] * w + i % w], g[i]);
}

// Adam's step: four streams in, three out.
template <int W> __device__ __forceinline__ void adam(float *p, float *m, float *v, const float *g, float rate, int n) {
    const int i = THREAD * W;
    if (i >= n) return;
    float vp[W], vm[W], vv[W], vg[W];
    if (W == 4) {
        *(float4 *)vp = *(float4 *)(p + i), *(float4 *)vm = *(float4 *)(m + i), *(float4 *)vv = *(float4 *)(v + i), *(float4 *)vg = *(const float4 *)(g + i);
    } else {
        vp[0] = p[i], vm[0] = m[i], vv[0] = v[i], vg[0] = g[i];
    }
    for (int k = 0; k < W; k++) {
        vm[k] = 0.9f * vm[k] + 0.1f * vg[k];
        vv[k] = 0.999f * fabsf(vv[k]) + 0.001f * vg[k] * vg[k];
        vp[k] -= rate * (vm[k] / (sqrtf(vv[k]) + 1e-8f) + 0.01f * vp[k]);
    }
    if (W == 4)
        *(float4 *)(p + i) = *(float4 *)vp, *(float4 *)(m + i) = *(float4 *)vm, *(float4 *)(v + i) = *(float4 *)vv;
    else
        p[i] = vp[0], m[i] = vm[0], v[i] = vv[0];
}
KERNEL adam__w1(float *p, float *m, float *v, const float *g, float rate, int n) { adam<1>(p, m, v, g, rate, n); }
KERNEL adam__w4(float *p, float *m, float *v, const float *g, float rate, int n) { adam<4>(p, m, v, g, rate, n); }

// x * sigmoid(x) * gate, of one matrix whose rows have both halves.
KERNEL gated__halves(__half *y, const __half *x, int width, int n) {
    const int i = THREAD;
    if (i >= n) return;
    const size_t at = (size_t)(i / width) * 2 * width + i % width;
    const float a = __half2float(x[at]), b = __half2float(x[at + width]);
    y[i] = __float2half(a / (1 + __expf(-a)) * b);
}

KERNEL gated__pairs(__half2 *y, const __half2 *x, int width, int n) {
    const int i = THREAD, w = width / 2;
    if (i >= n / 2) return;
    const size_t at = (size_t)(i / w) * 2 * w + i % w;
    const float2 a = __half22float2(x[at]), b = __half22float2(x[at + w]);
    y[i] = __floats2half2_rn(a.x / (1 + __expf(-a.x)) * b.x, a.y / (1 + __expf(-a.y)) * b.y);
}

// Statistics of the channels of a batch of images, by Welford's method: a block a channel.
KERNEL batch_moments__welford(float *mean, float *var, const float *x, int images, int channels, int pixels) {
    float m = 0, s = 0, n = 0;
    for (int b = 0; b < images; b++)
        for (int i = threadIdx.x; i < pixels; i += blockDim.x) {
            const float v = x[((size_t)b * channels + blockIdx.x) * pixels + i], d = v - m;
            n += 1;
            m += d / n;
            s += d * (v - m);
        }
    const float all = sum_of_block(m * n) / (images * pixels);
    s = sum_of_block(s + n * (m - all) * (m - all));
    if (threadIdx.x == 0) mean[blockIdx.x] = all, var[blockIdx.x] = s / (images * pixels);
}

KERNEL batch_moments__squares(float *mean, float *var, const float *x, int images, int channels, int pixels) {
    float m = 0, s = 0;
    for (int b = 0; b < images; b++)
        for (int i = threadIdx.x; i < pixels / 4; i += blockDim.x) {
            const float4 v = ((const float4 *)x)[((size_t)b * channels + blockIdx.x) * pixels / 4 + i];
            m += v.x + v.y + v.z + v.w;
            s += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
        }
    m = sum_of_block(m) / (images * pixels);
    s = sum_of_block(s) / (images * pixels) - m * m;
    if (threadIdx.x == 0) mean[blockIdx.x] = m, var[blockIdx.x] = s;
}

// A convolution of each channel by itself, 3 x 3.
KERNEL depthwise__plain(float *y, const float *x, const float *w, int height, int width) {
    const int c = blockIdx.z, j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= height || j >= width) return;
    float s = 0;
    for (int u = 0; u < 3; u++)
        for (int v = 0; v < 3; v++) {
            const int a = i + u - 1, b = j + v - 1;
            if (a >= 0 && a < height && b >= 0 && b < width) s += x[((size_t)c * height + a) * width + b] * w[c * 9 + u * 3 + v];
        }
    y[((size_t)c * height + i) * width + j] = s;
}

KERNEL depthwise__rows(float *y, const float *x, const float *w, int height, int width) {
    const int c = blockIdx.z, j = blockIdx.x * blockDim.x + threadIdx.x, from = (blockIdx.y * blockDim.y + threadIdx.y) * 8;
    if (j >= width) return;
    float k[9], r[3][3];
    for (int i = 0; i < 9; i++) k[i] = w[c * 9 + i];
    const float *p = x + (size_t)c * height * width;
    for (int u = 0; u < 2; u++)
        for (int v = 0; v < 3; v++) {
            const int a = from + u - 1, b = j + v - 1;
            r[u + 1][v] = a >= 0 && a < height && b >= 0 && b < width ? p[a * width + b] : 0;
        }
#pragma unroll
    for (int i = from; i < from + 8; i++) {
        for (int v = 0; v < 3; v++) {
            r[0][v] = r[1][v], r[1][v] = r[2][v];
            const int b = j + v - 1;
            r[2][v] = i + 1 < height && b >= 0 && b < width ? p[(i + 1) * width + b] : 0;
        }
        float s = 0;
        for (int u = 0; u < 3; u++)
            for (int v = 0; v < 3; v++) s += r[u][v] * k[u * 3 + v];
        if (i < height) y[((size_t)c * height + i) * width + j] = s;
    }
}

KERNEL depthwise__tile(float *y, const float *x, const float *w, int height, int width) {
    __shared__ float t[10][34];
    const int c = blockIdx.z, j0 = blockIdx.x * 32, i0 = blockIdx.y * 8;
    const float *p = x + (size_t)c * height * width;
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 340; k += 256) {
        const int a = i0 + k / 34 - 1, b = j0 + k % 34 - 1;
        t[k / 34][k % 34] = a >= 0 && a < height && b >= 0 && b < width ? p[a * width + b] : 0;
    }
    __syncthreads();
    float s = 0;
    for (int u = 0; u < 3; u++)
        for (int v = 0; v < 3; v++) s += t[threadIdx.y + u][threadIdx.x + v] * w[c * 9 + u * 3 + v];
    if (i0 + threadIdx.y < height && j0 + threadIdx.x < width) y[((size_t)c * height + i0 + threadIdx.y) * width + j0 + threadIdx.x] = s;
}

// A convolution of all channels; a thread makes F filters' results of a pixel.
template <int F> __device__ __forceinline__ void convolve_channels(float *y, const float *x, const float *w, int channels, int height, int width) {
    __shared__ float k[64 * 9 * F];
    const int f = blockIdx.y * F, p = THREAD, i = p / width, j = p % width;
    for (int q = threadIdx.x; q < channels * 9 * F; q += blockDim.x) k[q] = w[f * channels * 9 + q];
    __syncthreads();
    if (i < 1 || i >= height - 1 || j < 1 || j >= width - 1) return;
    float s[F] = {};
    for (int c = 0; c < channels; c++)
#pragma unroll
        for (int q = 0; q < 9; q++) {
            const float v = x[((size_t)c * height + i + q / 3 - 1) * width + j + q % 3 - 1];
            for (int n = 0; n < F; n++) s[n] += v * k[(n * channels + c) * 9 + q];
        }
    for (int n = 0; n < F; n++) y[((size_t)(f + n) * height + i) * width + j] = s[n];
}
#define CONVOLVE(F) KERNEL convolve_channels__f##F(float *y, const float *x, const float *w, int c, int h, int v) { convolve_channels<F>(y, x, w, c, h, v); }
CONVOLVE(1) CONVOLVE(4) CONVOLVE(8)

// Attention of one query a head to a long cache: warps share the keys.
template <int WARPS> __device__ __forceinline__ void decode(float *out, const __half *q, const __half *k, const __half *v, int length) {
    __shared__ float most[WARPS], sums[WARPS], parts[WARPS][64];
    const int head = blockIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const float2 mine = __half22float2(((const __half2 *)q)[head * 32 + lane]);
    float m = -3e38f, s = 0;
    float2 o = {0, 0};
    for (int j = warp; j < length; j += WARPS) {
        const float2 key = __half22float2(((const __half2 *)k)[((size_t)head * length + j) * 32 + lane]);
        float d = mine.x * key.x + mine.y * key.y;
        for (int n = 16; n; n /= 2) d += __shfl_xor_sync(~0u, d, n);
        d *= 0.125f;
        const float most_now = fmaxf(m, d), old = __expf(m - most_now), e = __expf(d - most_now);
        const float2 value = __half22float2(((const __half2 *)v)[((size_t)head * length + j) * 32 + lane]);
        s = s * old + e;
        o.x = o.x * old + e * value.x;
        o.y = o.y * old + e * value.y;
        m = most_now;
    }
    if (lane == 0) most[warp] = m, sums[warp] = s;
    parts[warp][2 * lane] = o.x, parts[warp][2 * lane + 1] = o.y;
    __syncthreads();
    if (threadIdx.x < 64) {
        float all = -3e38f, t = 0, r = 0;
        for (int n = 0; n < WARPS; n++) all = fmaxf(all, most[n]);
        for (int n = 0; n < WARPS; n++) t += sums[n] * __expf(most[n] - all), r += parts[n][threadIdx.x] * __expf(most[n] - all);
        out[head * 64 + threadIdx.x] = r / t;
    }
}
KERNEL decode__4(float *o, const __half *q, const __half *k, const __half *v, int length) { decode<4>(o, q, k, v, length); }
KERNEL decode__16(float *o, const __half *q, const __half *k, const __half *v, int length) { decode<16>(o, q, k, v, length); }

/* ---- products by matrix units ---- */

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

/* ---- numbers of fewer bits ---- */

// Rows to int8 with the row's scale; a block a row.
KERNEL to_int8__bytes(signed char *y, float *scale, const float *x, int columns) {
    __shared__ float most;
    const float *row = x + (size_t)blockIdx.x * columns;
    float m = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) m = fmaxf(m, fabsf(row[i]));
    if (threadIdx.x == 0) most = 0;
    __syncthreads();
    atomicMax((int *)&most, __float_as_int(m));
    __syncthreads();
    m = 127 / most;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) y[(size_t)blockIdx.x * columns + i] = (signed char)rintf(row[i] * m);
    if (threadIdx.x == 0) scale[blockIdx.x] = 1 / m;
}

KERNEL to_int8__words(int *y, float *scale, const float4 *x, int columns) {
    __shared__ float most;
    const float4 *row = x + (size_t)blockIdx.x * columns / 4;
    float m = 0;
    for (int i = threadIdx.x; i < columns / 4; i += blockDim.x) m = fmaxf(fmaxf(fmaxf(m, fabsf(row[i].x)), fabsf(row[i].y)), fmaxf(fabsf(row[i].z), fabsf(row[i].w)));
    if (threadIdx.x == 0) most = 0;
    __syncthreads();
    for (int k = 16; k; k /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, k));
    if (threadIdx.x % 32 == 0) atomicMax((int *)&most, __float_as_int(m));
    __syncthreads();
    m = 127 / most;
    for (int i = threadIdx.x; i < columns / 4; i += blockDim.x) {
        const float4 v = row[i];
        const int a = __float2int_rn(v.x * m), b = __float2int_rn(v.y * m), c = __float2int_rn(v.z * m), d = __float2int_rn(v.w * m);
        y[(size_t)blockIdx.x * columns / 4 + i] = (a & 255) | (b & 255) << 8 | (c & 255) << 16 | d << 24;
    }
    if (threadIdx.x == 0) scale[blockIdx.x] = 1 / m;
}

// 4-bit weights in groups of 64 to halves.
KERNEL from_int4__one(__half *y, const unsigned *x, const __half *scale, int words) {
    const int i = THREAD;
    if (i >= words) return;
    const unsigned v = x[i];
    const float s = __half2float(scale[i / 8]);
    for (int k = 0; k < 8; k++) y[i * 8 + k] = __float2half(((int)(v >> 4 * k & 15) - 8) * s);
}

KERNEL from_int4__whole(int4 *y, const unsigned *x, const __half *scale, int words) {
    const int i = THREAD;
    if (i >= words) return;
    const unsigned v = x[i];
    const __half2 s = __half2half2(scale[i / 8]);
    __half2 o[4];
    for (int k = 0; k < 4; k++) o[k] = __hmul2(__halves2half2(__int2half_rn((int)(v >> 8 * k & 15) - 8), __int2half_rn((int)(v >> (8 * k + 4) & 15) - 8)), s);
    y[i] = *(int4 *)o;
}

KERNEL fp8__there(unsigned *y, const float4 *x, float scale, int n) {
    const int i = THREAD;
    if (i >= n) return;
    const float4 v = x[i];
    const __nv_fp8x2_storage_t a = __nv_cvt_float2_to_fp8x2(make_float2(v.x * scale, v.y * scale), __NV_SATFINITE, __NV_E4M3);
    const __nv_fp8x2_storage_t b = __nv_cvt_float2_to_fp8x2(make_float2(v.z * scale, v.w * scale), __NV_SATFINITE, __NV_E4M3);
    y[i] = a | (unsigned)b << 16;
}

KERNEL fp8__back(float4 *y, const unsigned *x, float scale, int n) {
    const int i = THREAD;
    if (i >= n) return;
    const unsigned v = x[i];
    const __half2_raw a = __nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)(v & 0x3f3f), __NV_E4M3), b = __nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)(v >> 16 & 0x3f3f), __NV_E4M3);
    const float2 f = __half22float2(__half2(a)), g = __half22float2(__half2(b));
    y[i] = make_float4(f.x * scale, f.y * scale, g.x * scale, g.y * scale);
}

/* ---- numerical methods ---- */

// 27 points in three dimensions.
KERNEL box27__points(float *y, const float *x, int w, int h, int d) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.z;
    if (i < 1 || i >= w - 1 || j < 1 || j >= h - 1 || k < 1 || k >= d - 1) return;
    float s = 0;
    for (int c = -1; c <= 1; c++)
        for (int b = -1; b <= 1; b++)
            for (int a = -1; a <= 1; a++) s += x[((k + c) * h + j + b) * w + i + a] * (a || b || c ? 0.03f : 0.22f);
    y[(k * h + j) * w + i] = s;
}

KERNEL box27__planes(float *y, const float *x, int w, int h, int d) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < 1 || i >= w - 1 || j < 1 || j >= h - 1) return;
    float under = 0, here = 0, centre = 0;
    for (int k = 0; k < d; k++) {
        float s = 0, c = 0;
        for (int b = -1; b <= 1; b++)
            for (int a = -1; a <= 1; a++) {
                const float v = x[(k * h + j + b) * w + i + a];
                s += v;
                if (!a && !b) c = v;
            }
        if (k > 1) y[((k - 1) * h + j) * w + i] = 0.03f * (under + here + s) + 0.19f * centre;
        under = here, here = s, centre = c;
    }
}

// A wave equation of eighth order in two dimensions.
KERNEL wave__plain(float *next, const float *now, const float *speed, int w, int h) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, at = j * w + i;
    if (i < 4 || i >= w - 4 || j < 4 || j >= h - 4) return;
    const float c[5] = {-2.847f, 1.6f, -0.2f, 0.0254f, -0.00179f};
    float s = 2 * c[0] * now[at];
    for (int k = 1; k <= 4; k++) s += c[k] * (now[at - k] + now[at + k] + now[at - k * w] + now[at + k * w]);
    next[at] = 2 * now[at] - next[at] + speed[at] * s;
}

KERNEL wave__tile(float *next, const float *now, const float *speed, int w, int h) {
    __shared__ float t[16][40];
    const int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y, at = j * w + i;
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 640; k += 256) {
        const int a = blockIdx.x * 32 + k % 40 - 4, b = blockIdx.y * 8 + k / 40 - 4;
        t[k / 40][k % 40] = a >= 0 && a < w && b >= 0 && b < h ? now[b * w + a] : 0;
    }
    __syncthreads();
    if (i < 4 || i >= w - 4 || j < 4 || j >= h - 4) return;
    const float c[5] = {-2.847f, 1.6f, -0.2f, 0.0254f, -0.00179f};
    const int a = threadIdx.x + 4, b = threadIdx.y + 4;
    float s = 2 * c[0] * t[b][a];
    for (int k = 1; k <= 4; k++) s += c[k] * (t[b][a - k] + t[b][a + k] + t[b - k][a] + t[b + k][a]);
    next[at] = 2 * t[b][a] - next[at] + speed[at] * s;
}

// Lattice Boltzmann, D2Q9: nine numbers of a cell one after the other, or nine planes.
template <bool PLANES> __device__ __forceinline__ void lattice(float *out, const float *in, int w, int h) {
    const int i = THREAD, x = i % w, y = i / w, cells = w * h;
    if (i >= cells) return;
    const int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    float f[9], rho = 0, u = 0, v = 0;
#pragma unroll
    for (int q = 0; q < 9; q++) {
        const int a = (x - ex[q] + w) % w, b = (y - ey[q] + h) % h, from = b * w + a;
        f[q] = in[PLANES ? q * cells + from : from * 9 + q];
        rho += f[q], u += ex[q] * f[q], v += ey[q] * f[q];
    }
    rho += 10, u /= rho, v /= rho;
#pragma unroll
    for (int q = 0; q < 9; q++) {
        const float e = 3 * (ex[q] * u + ey[q] * v), weight = q == 0 ? 4.f / 9 : q < 5 ? 1.f / 9 : 1.f / 36;
        out[PLANES ? q * cells + i : i * 9 + q] = f[q] + 0.6f * (weight * rho * (1 + e + 0.5f * e * e - 1.5f * (u * u + v * v)) - f[q]);
    }
}
KERNEL lattice__planes(float *out, const float *in, int w, int h) { lattice<true>(out, in, w, h); }
KERNEL lattice__cells(float *out, const float *in, int w, int h) { lattice<false>(out, in, w, h); }

// Fourier transforms of 1024 points in shared memory, by steps of two or of four.
KERNEL fourier__2(float2 *out, const float2 *in) {
    __shared__ float2 s[1024];
    const int t = threadIdx.x;
    in += blockIdx.x * 1024, out += blockIdx.x * 1024;
    for (int k = t; k < 1024; k += 512) s[__brev(k) >> 22] = in[k];
    for (int half = 1; half < 1024; half *= 2) {
        __syncthreads();
        const int j = t % half, a = t / half * 2 * half + j, b = a + half;
        float sine, cosine;
        __sincosf(-3.14159265f * j / half, &sine, &cosine);
        const float2 p = s[a], q = s[b], r = {q.x * cosine - q.y * sine, q.x * sine + q.y * cosine};
        s[a] = make_float2(p.x + r.x, p.y + r.y);
        s[b] = make_float2(p.x - r.x, p.y - r.y);
    }
    __syncthreads();
    for (int k = t; k < 1024; k += 512) out[k] = s[k];
}

KERNEL fourier__4(float2 *out, const float2 *in) {
    __shared__ float2 s[2][1024];
    const int t = threadIdx.x;
    in += blockIdx.x * 1024, out += blockIdx.x * 1024;
    for (int k = 0; k < 4; k++) s[0][t + 256 * k] = in[t + 256 * k];
    int now = 0;
    for (int n = 1; n < 1024; n *= 4, now ^= 1) {
        __syncthreads();
        const int j = t % n;
        float2 v[4];
        for (int k = 0; k < 4; k++) {
            float sine, cosine;
            __sincosf(-6.2831853f * j * k / (4 * n), &sine, &cosine);
            const float2 q = s[now][t + 256 * k];
            v[k] = make_float2(q.x * cosine - q.y * sine, q.x * sine + q.y * cosine);
        }
        const float2 a = {v[0].x + v[2].x, v[0].y + v[2].y}, b = {v[0].x - v[2].x, v[0].y - v[2].y};
        const float2 c = {v[1].x + v[3].x, v[1].y + v[3].y}, d = {v[1].y - v[3].y, v[3].x - v[1].x};
        float2 *o = &s[now ^ 1][t / n * 4 * n + j];
        o[0] = make_float2(a.x + c.x, a.y + c.y);
        o[n] = make_float2(b.x + d.x, b.y + d.y);
        o[2 * n] = make_float2(a.x - c.x, a.y - c.y);
        o[3 * n] = make_float2(b.x - d.x, b.y - d.y);
    }
    __syncthreads();
    for (int k = 0; k < 4; k++) out[t + 256 * k] = s[now][t + 256 * k];
}

// Tridiagonal systems: a thread has one, whose rows lie apart; or a block halves one again and again.
KERNEL tridiagonal__threads(float *x, float *c, const float *a, const float *b, int systems, int n) {
    const int t = THREAD;
    if (t >= systems) return;
    float cp = 0, xp = 0;
    for (int i = 0; i < n; i++) {
        const int at = i * systems + t;
        const float low = i ? a[at] : 0, m = 1 / (8 + fabsf(b[at]) - low * cp);
        cp = c[at] * m;
        xp = (b[at] - low * xp) * m;
        c[at] = cp, x[at] = xp;
    }
    for (int i = n - 2; i >= 0; i--) {
        const int at = i * systems + t;
        xp = x[at] - c[at] * xp;
        x[at] = xp;
    }
}

KERNEL tridiagonal__block(float *x, const float *c, const float *a, const float *b, int n) {
    extern __shared__ float f[];
    float *sa = f, *sb = f + n, *sc = f + 2 * n, *sd = f + 3 * n;
    const int t = threadIdx.x, at = blockIdx.x * n + t;
    sa[t] = t ? a[at] : 0, sb[t] = 8 + fabsf(b[at]), sc[t] = t < n - 1 ? c[at] : 0, sd[t] = b[at];
    for (int step = 1; step < n; step *= 2) {
        __syncthreads();
        float na = 0, nb = sb[t], nc = 0, nd = sd[t];
        if (t >= step) {
            const float k = sa[t] / sb[t - step];
            nb -= k * sc[t - step], nd -= k * sd[t - step], na = -k * sa[t - step];
        }
        if (t + step < n) {
            const float k = sc[t] / sb[t + step];
            nb -= k * sa[t + step], nd -= k * sd[t + step], nc = -k * sc[t + step];
        }
        __syncthreads();
        sa[t] = na, sb[t] = nb, sc[t] = nc, sd[t] = nd;
    }
    x[at] = sd[t] / sb[t];
}

// Forces between neighbours by a list of 32 for each particle.
KERNEL neighbours__thread(float4 *force, const float4 *at, const int *list, int n) {
    const int i = THREAD;
    if (i >= n) return;
    const float4 p = at[i];
    float4 f = {0, 0, 0, 0};
    for (int k = 0; k < 32; k++) {
        const float4 q = at[list[k * n + i]];
        const float x = q.x - p.x, y = q.y - p.y, z = q.z - p.z, r = 1 / (x * x + y * y + z * z + 0.1f), r3 = r * r * r, s = r3 * (r3 - 0.5f) * r;
        f.x += x * s, f.y += y * s, f.z += z * s, f.w += r3;
    }
    force[i] = f;
}

KERNEL neighbours__warp(float4 *force, const float4 *at, const int *list, int n) {
    const int i = THREAD / 32, lane = threadIdx.x % 32;
    if (i >= n) return;
    const float4 p = at[i], q = at[list[i * 32 + lane]];
    const float x = q.x - p.x, y = q.y - p.y, z = q.z - p.z, r = 1 / (x * x + y * y + z * z + 0.1f), r3 = r * r * r, s = r3 * (r3 - 0.5f) * r;
    float4 f = {x * s, y * s, z * s, r3};
    for (int k = 16; k; k /= 2)
        f.x += __shfl_xor_sync(~0u, f.x, k), f.y += __shfl_xor_sync(~0u, f.y, k), f.z += __shfl_xor_sync(~0u, f.z, k), f.w += __shfl_xor_sync(~0u, f.w, k);
    if (lane == 0) force[i] = f;
}

// Prices of options, by the closed form and by paths.
KERNEL options__closed(float *call, float *put, const float *price, const float *strike, const float *years, int n) {
    const int i = THREAD;
    if (i >= n) return;
    const float s = 5 + 25 * fabsf(price[i]), x = 1 + 50 * fabsf(strike[i]), t = 0.25f + fabsf(years[i]), root = sqrtf(t);
    const float d1 = (logf(s / x) + (0.02f + 0.045f) * t) / (0.3f * root), d2 = d1 - 0.3f * root, e = expf(-0.02f * t);
    const float c1 = normcdff(d1), c2 = normcdff(d2);
    call[i] = s * c1 - x * e * c2;
    put[i] = x * e * (1 - c2) - s * (1 - c1);
}

KERNEL options__paths(float *out, int steps) {
    unsigned a = THREAD * 747796405u + 1, b = THREAD ^ 0x9e3779b9u;
    float logs = 0, sum = 0;
    for (int k = 0; k < steps; k++) {
        a ^= a << 13, a ^= a >> 17, a ^= a << 5;
        b = b * 1664525u + 1013904223u;
        const float r = sqrtf(-2 * __logf((a >> 8) * 5.9604645e-8f + 1e-7f));
        float sine, cosine;
        __sincosf(6.2831853f * (b >> 8) * 5.9604645e-8f, &sine, &cosine);
        logs += 0.001f + 0.02f * r * cosine;
        sum += __expf(logs);
        logs += 0.001f + 0.02f * r * sine;
        sum += __expf(logs);
    }
    out[THREAD] = fmaxf(sum / (2 * steps) - 1, 0);
}

// Random numbers by ten rounds of Philox.
KERNEL philox__store(uint4 *out, unsigned k0, unsigned k1) {
    uint4 c = {THREAD, 0, 7, 9};
#pragma unroll
    for (int r = 0; r < 10; r++) {
        const unsigned h0 = __umulhi(0xD2511F53u, c.x), h1 = __umulhi(0xCD9E8D57u, c.z);
        c = make_uint4(h1 ^ c.y ^ k0, c.z * 0xCD9E8D57u, h0 ^ c.w ^ k1, c.x * 0xD2511F53u);
        k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
    }
    out[THREAD] = c;
}

// Rays against boxes and against triangles.
KERNEL boxes__all(int *hits, const float *rays, const float4 *boxes, int n) {
    const int i = THREAD;
    const float ox = rays[i * 6], oy = rays[i * 6 + 1], oz = rays[i * 6 + 2], ix = 1 / rays[i * 6 + 3], iy = 1 / rays[i * 6 + 4], iz = 1 / rays[i * 6 + 5];
    int count = 0;
    for (int k = 0; k < n; k++) {
        const float4 lo = boxes[2 * k], hi = boxes[2 * k + 1];
        const float ax = (lo.x - ox) * ix, bx = (hi.x - ox) * ix, ay = (lo.y - oy) * iy, by = (hi.y - oy) * iy, az = (lo.z - oz) * iz, bz = (hi.z - oz) * iz;
        const float near = fmaxf(fmaxf(fminf(ax, bx), fminf(ay, by)), fminf(az, bz)), far = fminf(fminf(fmaxf(ax, bx), fmaxf(ay, by)), fmaxf(az, bz));
        count += near <= far && far > 0;
    }
    hits[i] = count;
}

KERNEL boxes__tiles(int *hits, const float *rays, const float4 *boxes, int n) {
    __shared__ float4 tile[256];
    const int i = THREAD;
    const float ox = rays[i * 6], oy = rays[i * 6 + 1], oz = rays[i * 6 + 2], ix = 1 / rays[i * 6 + 3], iy = 1 / rays[i * 6 + 4], iz = 1 / rays[i * 6 + 5];
    int count = 0;
    for (int at = 0; at < n; at += 128) {
        for (int k = threadIdx.x; k < 256; k += blockDim.x) tile[k] = boxes[2 * at + k];
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < 128; k++) {
            const float4 lo = tile[2 * k], hi = tile[2 * k + 1];
            const float ax = (lo.x - ox) * ix, bx = (hi.x - ox) * ix, ay = (lo.y - oy) * iy, by = (hi.y - oy) * iy, az = (lo.z - oz) * iz, bz = (hi.z - oz) * iz;
            const float near = fmaxf(fmaxf(fminf(ax, bx), fminf(ay, by)), fminf(az, bz)), far = fminf(fminf(fmaxf(ax, bx), fmaxf(ay, by)), fmaxf(az, bz));
            count += near <= far && far > 0;
        }
        __syncthreads();
    }
    hits[i] = count;
}

// The nearest of some centres for each point of four coordinates.
KERNEL nearest__shared(int *best, const float4 *points, const float4 *centres, int n, int k) {
    extern __shared__ float4 c[];
    for (int j = threadIdx.x; j < k; j += blockDim.x) c[j] = centres[j];
    __syncthreads();
    for (int i = THREAD; i < n; i += gridDim.x * blockDim.x) {
        const float4 p = points[i];
        float least = 3e38f;
        int at = 0;
        for (int j = 0; j < k; j++) {
            const float x = p.x - c[j].x, y = p.y - c[j].y, z = p.z - c[j].z, w = p.w - c[j].w, d = x * x + y * y + z * z + w * w;
            if (d < least) least = d, at = j;
        }
        best[i] = at;
    }
}

KERNEL nearest__global(int *best, const float4 *points, const float4 *centres, int n, int k) {
    for (int i = THREAD; i < n; i += gridDim.x * blockDim.x) {
        const float4 p = points[i];
        float least = 3e38f;
        int at = 0;
        for (int j = 0; j < k; j++) {
            const float4 q = __ldg(centres + j);
            const float x = p.x - q.x, y = p.y - q.y, z = p.z - q.z, w = p.w - q.w, d = x * x + y * y + z * z + w * w;
            if (d < least) least = d, at = j;
        }
        best[i] = at;
    }
}

/* ---- sparse and irregular ---- */

// Sparse matrices whose rows have the same room: elements of a row lie apart, or together.
KERNEL ell__apart(float *y, const float *value, const int *column, const float *x, int rows, int each) {
    const int i = THREAD;
    if (i >= rows) return;
    float s = 0;
    for (int k = 0; k < each; k++) s += value[k * rows + i] * x[column[k * rows + i]];
    y[i] = s;
}

KERNEL ell__together(float *y, const float *value, const int *column, const float *x, int rows, int each) {
    const int i = THREAD;
    if (i >= rows) return;
    float s = 0;
    for (int k = 0; k < each; k++) s += value[i * each + k] * x[column[i * each + k]];
    y[i] = s;
}

KERNEL coordinates__atomic(float *y, const float *value, const int *row, const int *column, const float *x, int n) {
    const int i = THREAD;
    if (i < n) atomicAdd(&y[row[i]], value[i] * x[column[i]]);
}

// Sums of segments of unlike lengths (the hash of their number below `most`).
__device__ __forceinline__ int length_of(int s, int most) { return (int)((unsigned)s * 2654435761u >> 16) % most; }

KERNEL segments__thread(float *y, const float *x, int segments, int room, int most) {
    const int s = THREAD;
    if (s >= segments) return;
    float v = 0;
    for (int i = 0, n = length_of(s, most); i < n; i++) v += x[s * room + i];
    y[s] = v;
}

KERNEL segments__warp(float *y, const float *x, int segments, int room, int most) {
    const int s = THREAD / 32;
    if (s >= segments) return;
    float v = 0;
    for (int i = threadIdx.x % 32, n = length_of(s, most); i < n; i += 32) v += x[s * room + i];
    v = sum_of_warp(v);
    if (threadIdx.x % 32 == 0) y[s] = v;
}

KERNEL segments__eight(float *y, const float *x, int segments, int room, int most) {
    const int s = THREAD / 8;
    float v = 0;
    if (s < segments)
        for (int i = threadIdx.x % 8, n = length_of(s, most); i < n; i += 8) v += x[s * room + i];
    for (int k = 4; k; k /= 2) v += __shfl_xor_sync(~0u, v, k);
    if (s < segments && threadIdx.x % 8 == 0) y[s] = v;
}

// A graph's ranks pulled along 16 edges of each node, whose degrees are looked up, too.
KERNEL ranks__pull(float *next, const float *rank, const int *edge, const int *degree, int nodes) {
    const int i = THREAD;
    if (i >= nodes) return;
    float s = 0;
    for (int k = 0; k < 16; k++) {
        const int j = edge[i * 16 + k];
        s += rank[j] / (1 + degree[j]);
    }
    next[i] = 0.15f + 0.85f * s;
}

KERNEL ranks__push(float *next, const float *rank, const int *edge, const int *degree, int nodes) {
    const int i = THREAD / 16;
    if (i < nodes) atomicAdd(&next[edge[THREAD]], 0.85f * rank[i] / (1 + degree[i]));
}

// A table of keys: filled by compare-and-swap, then asked.
KERNEL table__fill(int *table, const int *key, int n, int mask) {
    const int i = THREAD;
    if (i >= n) return;
    unsigned at = (unsigned)key[i] * 2654435761u;
    for (int tries = 0; tries < 64; tries++, at++) {
        const int was = atomicCAS(&table[at >> 8 & mask], 0, key[i] + 1);
        if (was == 0 || was == key[i] + 1) return;
    }
}

KERNEL table__ask(int *found, const int *table, const int *key, int n, int mask) {
    const int i = THREAD;
    if (i >= n) return;
    unsigned at = (unsigned)key[i] * 2654435761u;
    int r = -1;
    for (int tries = 0; tries < 8; tries++, at++)
        if (table[at >> 8 & mask] == key[i]) {
            r = tries;
            break;
        }
    found[i] = r;
}

/* ---- order ---- */

// The counting pass of a radix sort by 4 bits: atomics in shared memory, or a warp's votes.
KERNEL digits__atomic(int *counts, const int *key, int each, int shift) {
    __shared__ int mine[16];
    if (threadIdx.x < 16) mine[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < each; k++) atomicAdd(&mine[key[(blockIdx.x * each + k) * blockDim.x + threadIdx.x] >> shift & 15], 1);
    __syncthreads();
    if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = mine[threadIdx.x];
}

KERNEL digits__votes(int *counts, const int *key, int each, int shift) {
    __shared__ int mine[16];
    const int lane = threadIdx.x % 32;
    if (threadIdx.x < 16) mine[threadIdx.x] = 0;
    __syncthreads();
    int n = 0;
    for (int k = 0; k < each; k++) {
        const int d = key[(blockIdx.x * each + k) * blockDim.x + threadIdx.x] >> shift & 15;
        unsigned same = ~0u;
        for (int b = 0; b < 4; b++) {
            const unsigned v = __ballot_sync(~0u, d >> b & 1);
            same &= lane >> b & 1 ? v : ~v;
        }
        n += __popc(same);
    }
    if (lane < 16) atomicAdd(&mine[lane], n);
    __syncthreads();
    if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = mine[threadIdx.x];
}

KERNEL digits__match(int *counts, const int *key, int each, int shift) {
    __shared__ int mine[16];
    if (threadIdx.x < 16) mine[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < each; k++) {
        const int d = key[(blockIdx.x * each + k) * blockDim.x + threadIdx.x] >> shift & 15;
        const unsigned same = __match_any_sync(~0u, d);
        if ((same & ((1u << threadIdx.x % 32) - 1)) == 0) atomicAdd(&mine[d], __popc(same));
    }
    __syncthreads();
    if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = mine[threadIdx.x];
}

// Two ordered lists into one: each thread finds its place on the merge's path, then merges EACH numbers.
template <int EACH> __device__ __forceinline__ void merge(int *out, const int *a, const int *b, int n) {
    const int diagonal = THREAD * EACH;
    if (diagonal >= 2 * n) return;
    int lo = max(0, diagonal - n), hi = min(diagonal, n);
    while (lo < hi) {
        const int m = (lo + hi) / 2;
        if (a[m] <= b[diagonal - 1 - m])
            lo = m + 1;
        else
            hi = m;
    }
    int i = lo, j = diagonal - lo;
    for (int k = 0; k < EACH; k++) out[diagonal + k] = j >= n || (i < n && a[i] <= b[j]) ? a[i++] : b[j++];
}
KERNEL merge__4(int *out, const int *a, const int *b, int n) { merge<4>(out, a, b, n); }
KERNEL merge__16(int *out, const int *a, const int *b, int n) { merge<16>(out, a, b, n); }

// Batcher's odd-even merge sort of 1024 keys in shared memory.
KERNEL odd_even__1024(unsigned *keys) {
    __shared__ unsigned s[1024];
    unsigned *mine = keys + blockIdx.x * 1024;
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) s[k] = mine[k];
    for (int p = 1; p < 1024; p *= 2)
        for (int k = p; k >= 1; k /= 2) {
            __syncthreads();
            for (int q = threadIdx.x; q < 512; q += blockDim.x) {
                const int j = k % p + q / k * 2 * k + q % k;
                if (j + k < 1024 && j / (2 * p) == (j + k) / (2 * p) && s[j] > s[j + k]) {
                    const unsigned v = s[j];
                    s[j] = s[j + k], s[j + k] = v;
                }
            }
        }
    __syncthreads();
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) mine[k] = s[k];
}

// Prefix sums by Blelloch's sweeps, with and without a free word after each 32.
template <int PAD> __device__ __forceinline__ void sweeps(int *data) {
    __shared__ int s[1024 + 32];
#define AT(i) s[PAD ? (i) + (i) / 32 : (i)]
    const int t = threadIdx.x, base = blockIdx.x * 1024;
    AT(t) = data[base + t];
    AT(t + 512) = data[base + t + 512];
    for (int d = 1; d < 1024; d *= 2) {
        __syncthreads();
        if (t < 512 / d) AT((2 * t + 2) * d - 1) += AT((2 * t + 1) * d - 1);
    }
    if (t == 0) AT(1023) = 0;
    for (int d = 512; d >= 1; d /= 2) {
        __syncthreads();
        if (t < 512 / d) {
            const int a = (2 * t + 1) * d - 1, b = (2 * t + 2) * d - 1, v = AT(a);
            AT(a) = AT(b);
            AT(b) += v;
        }
    }
    __syncthreads();
    data[base + t] = AT(t);
    data[base + t + 512] = AT(t + 512);
#undef AT
}
KERNEL sweeps__plain(int *data) { sweeps<0>(data); }
KERNEL sweeps__padded(int *data) { sweeps<1>(data); }

// The largest of each row and where it is.
KERNEL largest_at__warp(int *at, const float *x, int rows, int columns) {
    const int row = THREAD / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float m = -3e38f;
    int where = 0;
    for (int i = lane; i < columns; i += 32) {
        const float v = x[(size_t)row * columns + i];
        if (v > m) m = v, where = i;
    }
    for (int k = 16; k; k /= 2) {
        const float v = __shfl_down_sync(~0u, m, k);
        const int w = __shfl_down_sync(~0u, where, k);
        if (v > m) m = v, where = w;
    }
    if (lane == 0) at[row] = where;
}

KERNEL largest_at__packed(int *at, const float *x, int rows, int columns) {
    __shared__ unsigned long long best;
    if (threadIdx.x == 0) best = 0;
    __syncthreads();
    unsigned long long b = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) {
        const unsigned u = __float_as_uint(x[(size_t)blockIdx.x * columns + i]), ordered = u >> 31 ? ~u : u | 0x80000000u;
        b = max(b, (unsigned long long)ordered << 32 | (unsigned)i);
    }
    atomicMax(&best, b);
    __syncthreads();
    if (threadIdx.x == 0) at[blockIdx.x] = (int)(best & 0xffffffffu);
}

/* ---- texts and bits ---- */

// Where a pattern of 8 letters occurs.
KERNEL pattern__bytes(int *count, const unsigned char *text, const unsigned char *pattern, int n) {
    __shared__ unsigned char p[8];
    if (threadIdx.x < 8) p[threadIdx.x] = pattern[threadIdx.x] & 3;
    __syncthreads();
    int found = 0;
    for (int i = THREAD; i < n - 8; i += gridDim.x * blockDim.x) {
        int k = 0;
        while (k < 8 && (text[i + k] & 3) == p[k]) k++;
        found += k == 8;
    }
    found = __reduce_add_sync(~0u, found);
    if (threadIdx.x % 32 == 0 && found) atomicAdd(count, found);
}

KERNEL pattern__words(int *count, const uint4 *text, const uint2 *pattern, int n) {
    const uint2 p = {pattern->x & 0x03030303u, pattern->y & 0x03030303u};
    int found = 0;
    for (int i = THREAD; i < n / 16 - 1; i += gridDim.x * blockDim.x) {
        const uint4 a = text[i];
        const uint2 b = *(const uint2 *)(text + i + 1);
        const unsigned w[6] = {a.x, a.y, a.z, a.w, b.x, b.y};
#pragma unroll
        for (int k = 0; k < 16; k++) {
            const unsigned lo = __funnelshift_r(w[k / 4], w[k / 4 + 1], k % 4 * 8), hi = __funnelshift_r(w[k / 4 + 1], w[k / 4 + 2 < 6 ? k / 4 + 2 : 5], k % 4 * 8);
            found += (lo & 0x03030303u) == p.x && (hi & 0x03030303u) == p.y;
        }
    }
    found = __reduce_add_sync(~0u, found);
    if (threadIdx.x % 32 == 0 && found) atomicAdd(count, found);
}

// Checks of rows of bytes by a table, which lies in shared or in constant memory.
__constant__ unsigned crc_constant[256];

KERNEL crc__shared(unsigned *out, const unsigned *data, int words, int rows) {
    __shared__ unsigned table[256];
    for (int k = threadIdx.x; k < 256; k += blockDim.x) {
        unsigned v = k;
        for (int b = 0; b < 8; b++) v = v >> 1 ^ (v & 1 ? 0xEDB88320u : 0);
        table[k] = v;
    }
    __syncthreads();
    const int row = THREAD;
    if (row >= rows) return;
    unsigned c = ~0u;
    for (int i = 0; i < words; i++) {
        unsigned w = data[i * rows + row];
        for (int b = 0; b < 4; b++, w >>= 8) c = c >> 8 ^ table[(c ^ w) & 255];
    }
    out[row] = ~c;
}

KERNEL crc__constant(unsigned *out, const unsigned *data, int words, int rows) {
    const int row = THREAD;
    if (row >= rows) return;
    unsigned c = ~0u;
    for (int i = 0; i < words; i++) {
        unsigned w = data[i * rows + row];
        for (int b = 0; b < 4; b++, w >>= 8) c = c >> 8 ^ (crc_constant[(c ^ w) & 255] + (c & 0xff) * 0x01010101u);
    }
    out[row] = ~c;
}

KERNEL crc__bits(unsigned *out, const unsigned *data, int words, int rows) {
    const int row = THREAD;
    if (row >= rows) return;
    unsigned c = ~0u;
    for (int i = 0; i < words; i++) {
        c ^= data[i * rows + row];
#pragma unroll
        for (int b = 0; b < 32; b++) c = c >> 1 ^ (0xEDB88320u & -(c & 1));
    }
    out[row] = ~c;
}

// Distances between strings of bits.
KERNEL hamming__words(int *out, const unsigned *a, const unsigned *b, int n, int words) {
    const int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    int s = 0;
    for (int k = 0; k < words; k++) s += __popc(a[i * words + k] ^ b[k * n + j]);
    out[i * n + j] = s;
}

KERNEL hamming__tiles(int *out, const unsigned *a, const unsigned *b, int n, int words) {
    __shared__ unsigned ta[32][17], tb[16][32];
    const int i0 = blockIdx.y * 32, j0 = blockIdx.x * 32, t = threadIdx.y * 32 + threadIdx.x;
    int s[4] = {};
    for (int at = 0; at < words; at += 16) {
        for (int q = t; q < 512; q += 256) ta[q / 16][q % 16] = a[(i0 + q / 16) * words + at + q % 16], tb[q / 32][q % 32] = b[(at + q / 32) * n + j0 + q % 32];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++)
            for (int u = 0; u < 4; u++) s[u] += __popc(ta[threadIdx.y + 8 * u][k] ^ tb[k][threadIdx.x]);
        __syncthreads();
    }
    for (int u = 0; u < 4; u++) out[(i0 + threadIdx.y + 8 * u) * n + j0 + threadIdx.x] = s[u];
}

// Conway's game, a word of 32 cells at once; a byte a cell.
KERNEL life__bits(unsigned *next, const unsigned *now, int w, int h) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < 1 || i >= w - 1 || j < 1 || j >= h - 1) return;
    unsigned ones = 0, twos = 0, fours = 0;
    for (int b = -1; b <= 1; b++) {
        const unsigned l = now[(j + b) * w + i - 1], m = now[(j + b) * w + i], r = now[(j + b) * w + i + 1];
        const unsigned v[3] = {__funnelshift_l(l, m, 1), m, __funnelshift_r(m, r, 1)};
        for (int k = 0; k < 3; k++)
            if (b || k != 1) {
                const unsigned c1 = ones & v[k], c2 = twos & c1;
                ones ^= v[k], twos ^= c1, fours |= c2;
            }
    }
    next[j * w + i] = twos & ~fours & (ones | now[j * w + i]);
}

KERNEL life__bytes(unsigned char *next, const unsigned char *now, int w, int h) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < 1 || i >= w - 1 || j < 1 || j >= h - 1) return;
    int n = 0;
    for (int b = -1; b <= 1; b++)
        for (int a = -1; a <= 1; a++) n += a || b ? now[(j + b) * w + i + a] & 1 : 0;
    next[j * w + i] = n == 3 || (n == 2 && (now[j * w + i] & 1));
}

// Distances of edits of two strings of 256 letters; a block walks the diagonals of a pair.
KERNEL edits__shared(int *out, const unsigned char *a, const unsigned char *b) {
    __shared__ int d[3][257];
    __shared__ unsigned char sa[256], sb[256];
    const int t = threadIdx.x;
    sa[t] = a[blockIdx.x * 256 + t] & 3, sb[t] = b[blockIdx.x * 256 + t] & 3;
    if (t == 0) d[0][0] = 0, d[1][0] = 1, d[2][0] = 2;
    d[0][t + 1] = d[1][t + 1] = d[2][t + 1] = t + 1;
    __syncthreads();
    for (int k = 2; k <= 512; k++) {
        int *now = d[k % 3], *last = d[(k + 2) % 3], *before = d[(k + 1) % 3];
        const int i = t + 1, j = k - i;
        if (j >= 1 && j <= 256) now[i] = min(min(last[i - 1], last[i]) + 1, before[i - 1] + (sa[i - 1] != sb[j - 1]));
        if (t == 0) now[0] = k;
        if (j == 0) now[i] = i;
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = d[512 % 3][256];
}

/* ---- images ---- */

// Colours to grey, three bytes a pixel.
KERNEL grey__pixel(unsigned char *y, const unsigned char *x, int n) {
    const int i = THREAD;
    if (i < n) y[i] = (77 * x[3 * i] + 150 * x[3 * i + 1] + 29 * x[3 * i + 2]) >> 8;
}

KERNEL grey__four(unsigned *y, const unsigned *x, int n) {
    const int i = THREAD;
    if (i >= n / 4) return;
    const unsigned a = x[3 * i], b = x[3 * i + 1], c = x[3 * i + 2];
    const unsigned p[12] = {a & 255, a >> 8 & 255, a >> 16 & 255, a >> 24, b & 255, b >> 8 & 255, b >> 16 & 255, b >> 24, c & 255, c >> 8 & 255, c >> 16 & 255, c >> 24};
    unsigned o = 0;
    for (int k = 0; k < 4; k++) o |= (77 * p[3 * k] + 150 * p[3 * k + 1] + 29 * p[3 * k + 2]) >> 8 << 8 * k;
    y[i] = o;
}

// A filter that keeps edges: 49 neighbours, weights by distance and by difference.
KERNEL bilateral__plain(float *y, const float *x, int w, int h) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < 3 || i >= w - 3 || j < 3 || j >= h - 3) return;
    const float m = x[j * w + i];
    float s = 0, n = 0;
    for (int b = -3; b <= 3; b++)
        for (int a = -3; a <= 3; a++) {
            const float v = x[(j + b) * w + i + a], k = __expf(-0.1f * (a * a + b * b) - 2 * (v - m) * (v - m));
            s += k * v, n += k;
        }
    y[j * w + i] = s / n;
}

KERNEL bilateral__tile(float *y, const float *x, int w, int h) {
    __shared__ float t[14][38];
    const int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 8 + threadIdx.y;
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 14 * 38; k += 256) {
        const int a = min(max((int)blockIdx.x * 32 + k % 38 - 3, 0), w - 1), b = min(max((int)blockIdx.y * 8 + k / 38 - 3, 0), h - 1);
        t[k / 38][k % 38] = x[b * w + a];
    }
    __syncthreads();
    if (i < 3 || i >= w - 3 || j < 3 || j >= h - 3) return;
    const float m = t[threadIdx.y + 3][threadIdx.x + 3];
    float s = 0, n = 0;
    for (int b = 0; b < 7; b++)
        for (int a = 0; a < 7; a++) {
            const float v = t[threadIdx.y + b][threadIdx.x + a], k = __expf(-0.1f * ((a - 3) * (a - 3) + (b - 3) * (b - 3)) - 2 * (v - m) * (v - m));
            s += k * v, n += k;
        }
    y[j * w + i] = s / n;
}

// Channels of images from planes to pixels.
KERNEL channels_last__plain(float *y, const float *x, int channels, int pixels) {
    const int i = THREAD;
    if (i < channels * pixels) y[i] = x[i % channels * pixels + i / channels];
}

KERNEL channels_last__tile(float *y, const float *x, int channels, int pixels) {
    __shared__ float t[32][33];
    const int p0 = blockIdx.x * 32, c0 = blockIdx.y * 32;
    for (int k = threadIdx.y; k < 32; k += blockDim.y)
        if (c0 + k < channels && p0 + threadIdx.x < pixels) t[k][threadIdx.x] = x[(c0 + k) * pixels + p0 + threadIdx.x];
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += blockDim.y)
        if (p0 + k < pixels && c0 + threadIdx.x < channels) y[(p0 + k) * channels + c0 + threadIdx.x] = t[threadIdx.x][k];
}

// Sums of the middle one of three axes.
KERNEL middle_sum__thread(float *y, const float *x, int middle, int inner) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= inner) return;
    float s = 0;
    for (int k = 0; k < middle; k++) s += x[((size_t)blockIdx.y * middle + k) * inner + i];
    y[blockIdx.y * inner + i] = s;
}

KERNEL middle_sum__split(float *y, const float *x, int middle, int inner) {
    __shared__ float part[8][33];
    const int i = blockIdx.x * 32 + threadIdx.x;
    float s = 0;
    if (i < inner)
        for (int k = threadIdx.y; k < middle; k += 8) s += x[((size_t)blockIdx.y * middle + k) * inner + i];
    part[threadIdx.y][threadIdx.x] = s;
    __syncthreads();
    if (threadIdx.y == 0 && i < inner) {
        for (int k = 1; k < 8; k++) s += part[k][threadIdx.x];
        y[blockIdx.y * inner + i] = s;
    }
}

KERNEL middle_sum__atomic(float *y, const float *x, int middle, int inner) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= inner) return;
    float s = 0;
    for (int k = blockIdx.z * 16; k < min(middle, (int)blockIdx.z * 16 + 16); k++) s += x[((size_t)blockIdx.y * middle + k) * inner + i];
    atomicAdd(&y[blockIdx.y * inner + i], s);
}

// Two numbers' joint distribution, with weights: atomics in global memory, or in a block's own table.
KERNEL joint__global(float *bins, const int *a, const int *b, const float *weight, int n) {
    for (int i = THREAD; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[(a[i] & 31) * 32 + (b[i] & 31)], weight[i]);
}

KERNEL joint__shared(float *bins, const int *a, const int *b, const float *weight, int n) {
    __shared__ float mine[1024];
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) mine[k] = 0;
    __syncthreads();
    for (int i = THREAD; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[(a[i] & 31) * 32 + (b[i] & 31)], weight[i]);
    __syncthreads();
    for (int k = threadIdx.x; k < 1024; k += blockDim.x) atomicAdd(&bins[k], mine[k]);
}
