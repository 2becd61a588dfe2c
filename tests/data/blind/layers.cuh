// Layers of networks, with their gradients.

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
