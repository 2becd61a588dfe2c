/* The second blind test: what a language model, a network of pixels and their matrix products are made of, forward and back.
 * Written before the model was looked at. Launches are in launches.py. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <stdint.h>

#define FULL 0xffffffffu
using namespace nvcuda;

/* 128 bits of any type, read and written at once */
template <typename T> struct alignas(16) Packed128 {
    static constexpr int size = 16 / sizeof(T);
    T payload[size];
    __device__ T &operator[](int i) { return payload[i]; }
    __device__ const T &operator[](int i) const { return payload[i]; }
};
template <typename T> __device__ Packed128<T> load128(const T *p) {
    int4 bits = *reinterpret_cast<const int4 *>(p);
    return *reinterpret_cast<Packed128<T> *>(&bits);
}
template <typename T> __device__ Packed128<T> load128cs(const T *p) {
    int4 bits = __ldcs(reinterpret_cast<const int4 *>(p));
    return *reinterpret_cast<Packed128<T> *>(&bits);
}
template <typename T> __device__ void store128(T *p, Packed128<T> v) { *reinterpret_cast<int4 *>(p) = *reinterpret_cast<int4 *>(&v); }
template <typename T> __device__ void store128cs(T *p, Packed128<T> v) { __stcs(reinterpret_cast<int4 *>(p), *reinterpret_cast<int4 *>(&v)); }

__device__ __forceinline__ float warp_sum(float v) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(FULL, v, o);
    return v;
}
__device__ __forceinline__ float warp_max(float v) {
    for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(FULL, v, o));
    return v;
}
template <float (*reduce)(float)> __device__ __forceinline__ float block_reduce(float v, float start) {
    __shared__ float shared_val[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    v = reduce(v);
    if (lane == 0) shared_val[warp] = v;
    __syncthreads();
    v = reduce(lane < warps ? shared_val[lane] : start);
    __syncthreads();
    return v;
}


extern "C" {

/* ---- normalisation ---- */
__global__ void layernorm_forward3(float *__restrict__ out, float *__restrict__ mean, float *__restrict__ rstd, const float *__restrict__ inp, const float *__restrict__ weight,
                                   const float *__restrict__ bias, int N, int C) {
    int idx = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (idx >= N) return;
    const float *x = inp + idx * C;
    float sum = 0;
    for (int i = lane; i < C; i += 32) sum += x[i];
    float m = warp_sum(sum) / C;
    if (lane == 0 && mean) __stcs(mean + idx, m);
    sum = 0;
    for (int i = lane; i < C; i += 32) {
        float diff = x[i] - m;
        sum += diff * diff;
    }
    float s = 1.0f / sqrtf(warp_sum(sum) / C + 1e-5f);
    if (lane == 0 && rstd) __stcs(rstd + idx, s);
    for (int c = lane; c < C; c += 32) __stcs(out + idx * C + c, s * (__ldcs(x + c) - m) * weight[c] + bias[c]);
}
__global__ void layernorm_cached(float *__restrict__ out, const float *__restrict__ inp, const float *__restrict__ weight, const float *__restrict__ bias, int N, int C) {
    extern __shared__ char params[];
    Packed128<float> *s_weight = reinterpret_cast<Packed128<float> *>(params), *s_bias = s_weight + C / 4, *s_in = s_weight + (2 + threadIdx.y) * (C / 4);
    for (int i = (threadIdx.x + 32 * threadIdx.y) * 4; i < C; i += 32 * blockDim.y * 4) s_weight[i / 4] = load128(weight + i), s_bias[i / 4] = load128(bias + i);
    __syncthreads();
    int idx = blockIdx.x * blockDim.y + threadIdx.y;
    if (idx >= N) return;
    inp += idx * C, out += idx * C;
    float sum = 0;
    for (int c = threadIdx.x * 4; c < C; c += 128) {
        Packed128<float> v = load128cs(inp + c);
        for (int k = 0; k < 4; k++) sum += v[k];
        s_in[c / 4] = v;
    }
    float m = warp_sum(sum) / C, v = 0;
    for (int c = threadIdx.x * 4; c < C; c += 128)
        for (int k = 0; k < 4; k++) v += (s_in[c / 4][k] - m) * (s_in[c / 4][k] - m);
    float s = 1.0f / sqrtf(warp_sum(v) / C + 1e-5f);
    for (int c = threadIdx.x * 4; c < C; c += 128) {
        Packed128<float> r;
        for (int k = 0; k < 4; k++) r[k] = s * (s_in[c / 4][k] - m) * s_weight[c / 4][k] + s_bias[c / 4][k];
        store128cs(out + c, r);
    }
}
__global__ void rmsnorm_half(const __half2 *__restrict__ in, const __half2 *__restrict__ weight, __half2 *__restrict__ out, int C2) {
    float s = 0;
    for (int c = threadIdx.x; c < C2; c += blockDim.x) {
        float2 v = __half22float2(in[blockIdx.x * C2 + c]);
        s += v.x * v.x + v.y * v.y;
    }
    s = block_reduce<warp_sum>(s, 0.0f);
    __half2 scale = __float2half2_rn(1.0f / sqrtf(s / (2 * C2) + 1e-5f));
    for (int c = threadIdx.x; c < C2; c += blockDim.x) out[blockIdx.x * C2 + c] = __hmul2(__hmul2(in[blockIdx.x * C2 + c], scale), weight[c]);
}
__global__ void batchnorm_stats(int N, int C, int HW, const float *__restrict__ x, float *__restrict__ mean, float *__restrict__ var) {
    int c = blockIdx.x;
    float s = 0, q = 0;
    for (int n = 0; n < N; n++)
        for (int i = threadIdx.x; i < HW; i += blockDim.x) {
            float v = x[(n * C + c) * HW + i];
            s += v, q += v * v;
        }
    s = block_reduce<warp_sum>(s, 0.0f);
    q = block_reduce<warp_sum>(q, 0.0f);
    if (threadIdx.x == 0) mean[c] = s / (N * HW), var[c] = q / (N * HW) - (s / (N * HW)) * (s / (N * HW));
}
__global__ void groupnorm_nhwc(int HW, int C, int groups, const float *__restrict__ x, float *__restrict__ y) {
    int per = C / groups, g = blockIdx.x;
    float s = 0, q = 0;
    for (int i = threadIdx.x; i < HW * per; i += blockDim.x) {
        float v = x[(i / per) * C + g * per + i % per];
        s += v, q += v * v;
    }
    s = block_reduce<warp_sum>(s, 0.0f), q = block_reduce<warp_sum>(q, 0.0f);
    float m = s / (HW * per), r = 1.0f / sqrtf(q / (HW * per) - m * m + 1e-5f);
    for (int i = threadIdx.x; i < HW * per; i += blockDim.x) {
        int at = (i / per) * C + g * per + i % per;
        y[at] = (x[at] - m) * r;
    }
}

/* ---- element by element ---- */
__global__ void residual_add(float *__restrict__ out, const float *__restrict__ a, const float *__restrict__ b, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i >= n) return;
    Packed128<float> p = load128cs(a + i), q = load128cs(b + i), r;
    for (int k = 0; k < 4; k++) r[k] = p[k] + q[k];
    store128(out + i, r);
}
__global__ void gelu_forward(__nv_bfloat16 *out, const __nv_bfloat16 *in, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * Packed128<__nv_bfloat16>::size;
    if (i >= n) return;
    Packed128<__nv_bfloat16> v = load128cs(in + i), r;
    for (int k = 0; k < v.size; k++) {
        float x = (float)v[k], cube = 0.044715f * x * x * x;
        r[k] = (__nv_bfloat16)(0.5f * x * (1.0f + tanhf(0.7978845608f * (x + cube))));
    }
    store128(out + i, r);
}
__global__ void silu_gate(float *__restrict__ out, const float *__restrict__ gate_up, int rows, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (i < width) {
        float g = gate_up[row * 2 * width + i], u = gate_up[row * 2 * width + width + i];
        out[row * width + i] = g / (1.0f + expf(-g)) * u;
    }
}
__global__ void dropout_bytes(int n, const float *__restrict__ in, float *__restrict__ out, unsigned char *__restrict__ mask, unsigned seed) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned h = (i ^ seed) * 0x85ebca6bu;
        h ^= h >> 13, h *= 0xc2b2ae35u, h ^= h >> 16;
        unsigned char keep = (h & 7) != 0;
        mask[i] = keep;
        out[i] = keep ? in[i] * (8.0f / 7) : 0.0f;
    }
}
__global__ void adamw_step(float *params, const float *grads, float *m_memory, float *v_memory, int n, float lr, float decay) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float grad = grads[i], m = m_memory[i], v = v_memory[i];
    m = fmaf(0.9f, m, 0.1f * grad), v = fmaf(0.999f, v, 0.001f * grad * grad);
    m_memory[i] = m, v_memory[i] = v;
    params[i] -= lr * (m / 0.1f / (sqrtf(v / 0.001f) + 1e-8f) + decay * params[i]);
}
__global__ void rope_pairs(float *q, const float2 *__restrict__ cos_sin, int heads, int dim2) {
    int t = blockIdx.x, h = threadIdx.y, d = threadIdx.x;
    float2 *p = reinterpret_cast<float2 *>(q) + (t * heads + h) * dim2 + d, v = *p, f = cos_sin[t * dim2 + d];
    *p = make_float2(v.x * f.x - v.y * f.y, v.x * f.y + v.y * f.x);
}
__global__ void rope_halves(__half *q, const float *__restrict__ cosine, const float *__restrict__ sine, int heads, int dim) {
    int t = blockIdx.x / heads, h = blockIdx.x % heads, d = threadIdx.x, half = dim / 2;
    if (d >= half) return;
    __half *p = q + (t * heads + h) * dim;
    float a = __half2float(p[d]), b = __half2float(p[d + half]), c = cosine[t * half + d], s = sine[t * half + d];
    p[d] = __float2half(a * c - b * s);
    p[d + half] = __float2half(b * c + a * s);
}
__global__ void encoder_forward(float *out, const unsigned *inp, const float *wte, const float *wpe, int B, int T, int C, int V) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i >= B * T * C) return;
    int bt = i / C, t = bt % T, c = i % C;
    Packed128<float> w = load128cs(wte + (inp[bt] % V) * C + c), p = load128cs(wpe + t * C + c), r;
    for (int k = 0; k < 4; k++) r[k] = w[k] + p[k];
    store128(out + i, r);
}
__global__ void encoder_backward(float *dwte, float *dwpe, const float *dout, const unsigned *inp, int B, int T, int C, int V) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= B * T * C) return;
    int bt = i / C, t = bt % T, c = i % C;
    float d = rintf(dout[i] * 256.0f);
    atomicAdd(dwte + (inp[bt] % V) * C + c, d);
    atomicAdd(dwpe + t * C + c, d);
}
__global__ void bias_backward(float *dbias, const float *dout, int rows, int cols) {
    __shared__ float sums[256];
    int col = blockIdx.x * 32 + threadIdx.x % 32, warp = threadIdx.x / 32;
    float s = 0;
    if (col < cols)
        for (int r = warp; r < rows; r += blockDim.x / 32) s += dout[r * cols + col];
    sums[threadIdx.x] = s;
    __syncthreads();
    if (warp == 0 && col < cols) {
        for (int w = 1; w < blockDim.x / 32; w++) s += sums[threadIdx.x + w * 32];
        dbias[col] += s;
    }
}

/* ---- attention and heads ---- */
__global__ void permute_qkv(float *q, float *k, float *v, const float *inp, int B, int N, int NH, int d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= B * NH * N * d) return;
    int b = i / (NH * N * d), rest = i % (NH * N * d), h = rest / (N * d);
    rest %= N * d;
    int n = rest / d, e = rest % d, from = (b * N + n) * 3 * NH * d + h * d + e;
    q[i] = __ldcs(&inp[from]);
    k[i] = __ldcs(&inp[from + NH * d]);
    v[i] = __ldcs(&inp[from + 2 * NH * d]);
}
__global__ void unpermute_heads(const float *inp, float *out, int B, int N, int NH, int d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= B * NH * N * d) return;
    int b = i / (NH * N * d), rest = i % (NH * N * d), h = rest / (N * d);
    rest %= N * d;
    out[(b * NH * N) * d + (rest / d) * NH * d + h * d + rest % d] = __ldcs(&inp[i]);
}
__global__ void softmax_online(const float *__restrict__ in, float *__restrict__ out, int rows, int cols) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const float *x = in + row * cols;
    float peak = -INFINITY, sum = 0;
    for (int i = threadIdx.x; i < cols; i += 32) {
        float v = x[i], before = peak;
        peak = fmaxf(peak, v);
        sum = sum * expf(before - peak) + expf(v - peak);
    }
    float all = warp_max(peak);
    sum = warp_sum(sum * expf(peak - all));
    for (int i = threadIdx.x; i < cols; i += 32) out[row * cols + i] = expf(x[i] - all) / sum;
}
__global__ void softmax_causal_inplace(float *att, int T) {
    int row = blockIdx.x, own = row % T + 1;
    float *x = att + row * T;
    float m = -INFINITY;
    for (int i = threadIdx.x; i < own; i += blockDim.x) m = fmaxf(m, x[i]);
    m = block_reduce<warp_max>(m, -INFINITY);
    float s = 0;
    for (int i = threadIdx.x; i < own; i += blockDim.x) s += x[i] = exp2f(rintf(4 * (x[i] - m)));
    s = block_reduce<warp_sum>(s, 0.0f);
    for (int i = threadIdx.x; i < T; i += blockDim.x) x[i] = i < own ? x[i] / s : 0.0f;
}
__global__ void attention_tile(const float *__restrict__ Q, const float *__restrict__ K, const float *__restrict__ V, float *__restrict__ O, int T) {
    constexpr int D = 32, TILE = 32;
    __shared__ float Ks[TILE][D], Vs[TILE][D], Ss[TILE][TILE + 1];
    const float *k = K + blockIdx.y * T * D, *v = V + blockIdx.y * T * D;
    int row = blockIdx.x * TILE + threadIdx.x;
    float q[D], o[D] = {}, peak = -1e30f, sum = 0;
#pragma unroll
    for (int d = 0; d < D; d++) q[d] = Q[(blockIdx.y * T + row) * D + d];
    for (int t = 0; t < T; t += TILE) {
#pragma unroll 4
        for (int d = 0; d < D; d++) Ks[d][threadIdx.x] = k[(t + d) * D + threadIdx.x], Vs[d][threadIdx.x] = v[(t + d) * D + threadIdx.x];
        __syncthreads();
        float tile_peak = -1e30f;
        for (int j = 0; j < TILE; j++) {
            float s = 0;
#pragma unroll
            for (int d = 0; d < D; d++) s += q[d] * Ks[j][d];
            Ss[threadIdx.x][j] = s, tile_peak = fmaxf(tile_peak, s);
        }
        float now = fmaxf(peak, tile_peak), scale = exp2f(rintf(peak - now));
        sum *= scale;
#pragma unroll
        for (int d = 0; d < D; d++) o[d] *= scale;
        for (int j = 0; j < TILE; j++) {
            float p = exp2f(rintf(Ss[threadIdx.x][j] - now));
            sum += p;
#pragma unroll
            for (int d = 0; d < D; d++) o[d] += p * Vs[j][d];
        }
        peak = now;
        __syncthreads();
    }
#pragma unroll
    for (int d = 0; d < D; d++) O[(blockIdx.y * T + row) * D + d] = o[d] / sum;
}
__global__ void paged_keys(const float4 *__restrict__ cache, const unsigned *__restrict__ table, float4 *__restrict__ out, int tokens, int pages) {
    int token = blockIdx.x * blockDim.y + threadIdx.y;
    if (token >= tokens) return;
    unsigned page = table[token / 16] % pages;
    out[token * 16 + threadIdx.x] = cache[(page * 16 + token % 16) * 16 + threadIdx.x];
}
__global__ void kv_append(const __half2 *__restrict__ k, const __half2 *__restrict__ v, __half2 *cache, const unsigned *__restrict__ slots, int dim2, int size) {
    unsigned slot = (slots[blockIdx.x] + 5 * blockIdx.x) % size;
    for (int i = threadIdx.x; i < dim2; i += blockDim.x) {
        __half2 a = k[blockIdx.x * dim2 + i], b = v[blockIdx.x * dim2 + i];
        cache[(2 * slot) * dim2 + i] = a;
        cache[(2 * slot + 1) * dim2 + i] = b;
    }
}
__global__ void cross_entropy(float *losses, const float *__restrict__ probs, const unsigned *__restrict__ targets, int BT, int V) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < BT) losses[i] = -logf(probs[i * V + targets[i] % V]);
}
__global__ void cross_entropy_backward(float *dlogits, const float *__restrict__ dlosses, const float *__restrict__ probs, const unsigned *__restrict__ targets, int V) {
    int bt = blockIdx.x, target = targets[bt] % V;
    float dloss = dlosses[bt];
    for (int v = threadIdx.x; v < V; v += blockDim.x) dlogits[bt * V + v] += (probs[bt * V + v] - (v == target ? 1.0f : 0.0f)) * dloss;
}
__global__ void argmax_rows(const float *__restrict__ x, int *__restrict__ out, int cols) {
    __shared__ float best_value[8];
    __shared__ int best_index[8];
    float best = -INFINITY;
    int which = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        float v = x[blockIdx.x * cols + c];
        if (v > best) best = v, which = c;
    }
    for (int o = 16; o; o >>= 1) {
        float v = __shfl_down_sync(FULL, best, o);
        int w = __shfl_down_sync(FULL, which, o);
        if (v > best || (v == best && w < which)) best = v, which = w;
    }
    if (threadIdx.x % 32 == 0) best_value[threadIdx.x / 32] = best, best_index[threadIdx.x / 32] = which;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < blockDim.x / 32; k++)
            if (best_value[k] > best || (best_value[k] == best && best_index[k] < which)) best = best_value[k], which = best_index[k];
        out[blockIdx.x] = which;
    }
}
__global__ void topk_insert(const float *__restrict__ x, float *__restrict__ values, int *__restrict__ indices, int cols, int k) {
    float v[8];
    int at[8];
    for (int j = 0; j < 8; j++) v[j] = -INFINITY, at[j] = -1;
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    for (int c = 0; c < cols; c++) {
        float now = x[row * cols + c];
        if (now <= v[k - 1]) continue;
        int j = k - 1;
        while (j > 0 && v[j - 1] < now) v[j] = v[j - 1], at[j] = at[j - 1], j--;
        v[j] = now, at[j] = c;
    }
    for (int j = 0; j < k; j++) values[row * k + j] = v[j], indices[row * k + j] = at[j];
}
__global__ void expert_counts(int tokens, const unsigned *__restrict__ logits, int *counts, unsigned char *choice) {
    __shared__ int local[8];
    if (threadIdx.x < 8) local[threadIdx.x] = 0;
    __syncthreads();
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < tokens) {
        uint4 a = reinterpret_cast<const uint4 *>(logits)[2 * t], b = reinterpret_cast<const uint4 *>(logits)[2 * t + 1];
        unsigned v[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
        int best = 0;
#pragma unroll
        for (int e = 1; e < 8; e++)
            if (v[e] > v[best]) best = e;
        choice[t] = best;
        atomicAdd(local + best, 1);
    }
    __syncthreads();
    if (threadIdx.x < 8 && local[threadIdx.x]) atomicAdd(counts + threadIdx.x, local[threadIdx.x]);
}

/* ---- quantised ---- */
__global__ void gemm_dp4a(int n, const int *__restrict__ a, const int *__restrict__ b, int *__restrict__ c) {
    __shared__ int as[16][16], bs[16][17];
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x, n4 = n / 4, acc = 0;
    for (int t = 0; t < n4; t += 16) {
        as[threadIdx.y][threadIdx.x] = a[row * n4 + t + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(blockIdx.x * 16 + threadIdx.y) * n4 + t + threadIdx.x];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) acc = __dp4a(as[threadIdx.y][k], bs[threadIdx.x][k], acc);
        __syncthreads();
    }
    c[row * n + col] = acc;
}
__global__ void gemv_int4(int rows, int cols, const unsigned *__restrict__ packed, const __half *__restrict__ scales, const float *__restrict__ x, float *__restrict__ y) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    float s = 0;
    for (int w = threadIdx.x; w < cols / 8; w += 32) {
        unsigned q = packed[row * (cols / 8) + w];
        float scale = __half2float(scales[row * (cols / 32) + w / 4]);
        const float4 u = reinterpret_cast<const float4 *>(x)[2 * w], v = reinterpret_cast<const float4 *>(x)[2 * w + 1];
        float part = ((int)(q & 15) - 8) * u.x + ((int)(q >> 4 & 15) - 8) * u.y + ((int)(q >> 8 & 15) - 8) * u.z + ((int)(q >> 12 & 15) - 8) * u.w;
        part += ((int)(q >> 16 & 15) - 8) * v.x + ((int)(q >> 20 & 15) - 8) * v.y + ((int)(q >> 24 & 15) - 8) * v.z + ((int)(q >> 28) - 8) * v.w;
        s += part * scale;
    }
    s = warp_sum(s);
    if (threadIdx.x == 0) y[row] = s;
}
__global__ void quantise_rows(const float *__restrict__ in, signed char *__restrict__ out, float *__restrict__ scales, int cols) {
    float m = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) m = fmaxf(m, fabsf(in[blockIdx.x * cols + c]));
    m = block_reduce<warp_max>(m, 0.0f);
    if (threadIdx.x == 0) scales[blockIdx.x] = m / 127;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) out[blockIdx.x * cols + c] = (signed char)rintf(in[blockIdx.x * cols + c] * (127 / m));
}
__global__ void gemv_bf16(int rows, int cols, const __nv_bfloat16 *__restrict__ w, const __nv_bfloat16 *__restrict__ x, float *__restrict__ y) {
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float s = 0;
    for (int c = lane * 8; c < cols; c += 256) {
        Packed128<__nv_bfloat16> a = load128cs(w + row * cols + c), b = load128(x + c);
        for (int k = 0; k < 8; k++) s += (float)a[k] * (float)b[k];
    }
    s = warp_sum(s);
    if (lane == 0) y[row] = s;
}

/* ---- pixels ---- */
__global__ void conv3x3_direct(int C, int H, int W, const float *__restrict__ x, const float *__restrict__ w, float *__restrict__ y) {
    __shared__ float t[10][18];
    int ox = blockIdx.x * 16, oy = blockIdx.y * 8, k = blockIdx.z, tid = threadIdx.y * 16 + threadIdx.x;
    float acc = 0;
    for (int c = 0; c < C; c++) {
        for (int i = tid; i < 180; i += 128) {
            int yy = oy + i / 18 - 1, xx = ox + i % 18 - 1;
            t[i / 18][i % 18] = yy >= 0 && yy < H && xx >= 0 && xx < W ? x[(c * H + yy) * W + xx] : 0;
        }
        __syncthreads();
        const float *f = w + (k * C + c) * 9;
#pragma unroll
        for (int dy = 0; dy < 3; dy++)
#pragma unroll
            for (int dx = 0; dx < 3; dx++) acc += f[dy * 3 + dx] * t[threadIdx.y + dy][threadIdx.x + dx];
        __syncthreads();
    }
    if (ox + threadIdx.x < W && oy + threadIdx.y < H) y[(k * H + oy + threadIdx.y) * W + ox + threadIdx.x] = fmaxf(acc, 0.0f);
}
__global__ void im2col_float(int n, const float *__restrict__ im, int H, int W, int K, int pad, int stride, int OH, int OW, float *__restrict__ col) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        int w_out = i % OW, h_out = i / OW % OH, c = i / OW / OH, h_in = h_out * stride - pad, w_in = w_out * stride - pad;
        float *to = col + ((c * K * K) * OH + h_out) * OW + w_out;
        const float *from = im + (c * H + h_in) * W + w_in;
        for (int a = 0; a < K; a++)
            for (int b = 0; b < K; b++) {
                int h = h_in + a, w = w_in + b;
                *to = h >= 0 && w >= 0 && h < H && w < W ? from[a * W + b] : 0;
                to += OH * OW;
            }
    }
}
__global__ void depthwise_nhwc4(int H, int W, int C4, const float4 *__restrict__ x, const float4 *__restrict__ w, float4 *__restrict__ y) {
    int c = threadIdx.x, px = blockIdx.x * blockDim.y + threadIdx.y, py = blockIdx.y;
    if (c >= C4 || px >= W) return;
    float4 s = {0, 0, 0, 0};
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int yy = py + dy, xx = px + dx;
            if (yy < 0 || yy >= H || xx < 0 || xx >= W) continue;
            float4 v = x[(yy * W + xx) * C4 + c], f = w[((dy + 1) * 3 + dx + 1) * C4 + c];
            s.x += v.x * f.x, s.y += v.y * f.y, s.z += v.z * f.z, s.w += v.w * f.w;
        }
    y[(py * W + px) * C4 + c] = s;
}
__global__ void avgpool_3s2(int W, int OW, int OH, const __half *__restrict__ x, __half *__restrict__ y) {
    int ox = blockIdx.x * blockDim.x + threadIdx.x, oy = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.z;
    if (ox >= OW || oy >= OH) return;
    float s = 0;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++) s += __half2float(x[(c * (2 * OH + 1) + 2 * oy + dy) * W + 2 * ox + dx]);
    y[(c * OH + oy) * OW + ox] = __float2half(s / 9);
}

/* ---- tensor cores ---- */
__global__ void wmma_half_tiles(int n, const half *__restrict__ a, const half *__restrict__ b, float *__restrict__ c) {
    __shared__ half as[32][24], bs[16][40];
    int warp = threadIdx.x / 32, wr = warp / 2, wc = warp % 2, t = threadIdx.x;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
    wmma::fill_fragment(acc, 0.0f);
    for (int p = 0; p < n; p += 16) {
        for (int i = t; i < 256; i += 128) *(half2 *)&as[i / 8][i % 8 * 2] = *(const half2 *)&a[(blockIdx.y * 32 + i / 8) * n + p + i % 8 * 2];
        for (int i = t; i < 256; i += 128) *(half2 *)&bs[i / 16][i % 16 * 2] = *(const half2 *)&b[(p + i / 16) * n + blockIdx.x * 32 + i % 16 * 2];
        __syncthreads();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
        wmma::load_matrix_sync(fa, &as[wr * 16][0], 24);
        wmma::load_matrix_sync(fb, &bs[0][wc * 16], 40);
        wmma::mma_sync(acc, fa, fb, acc);
        __syncthreads();
    }
    wmma::store_matrix_sync(c + (blockIdx.y * 32 + wr * 16) * n + blockIdx.x * 32 + wc * 16, acc, n, wmma::mem_row_major);
}
__global__ void mma_ldmatrix_gemm(int n, const half *__restrict__ a, const half *__restrict__ bt, float *__restrict__ c) {
    __shared__ __align__(16) half as[32][32], bs[32][32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, wr = warp / 2 * 16, wc = warp % 2 * 16;
    float acc[2][4] = {};
    for (int p = 0; p < n; p += 32) {
        int r = t / 4, q = t % 4, sq = (q ^ (r / 2 % 4)) * 8;
        *(int4 *)&as[r][sq] = *(const int4 *)&a[(blockIdx.y * 32 + r) * n + p + q * 8];
        *(int4 *)&bs[r][sq] = *(const int4 *)&bt[(blockIdx.x * 32 + r) * n + p + q * 8];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; k += 16) {
            unsigned fa[4], fb[4];
            int ar = wr + lane % 16, aq = (k / 8 + lane / 16) ^ (ar / 2 % 4), br = wc + lane % 8 + (lane / 16) * 8, bq = (k / 8 + lane / 8 % 2) ^ (br / 2 % 4);
            unsigned pa = (unsigned)__cvta_generic_to_shared(&as[ar][aq * 8]), pb = (unsigned)__cvta_generic_to_shared(&bs[br][bq * 8]);
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3]) : "r"(pa));
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(fb[0]), "=r"(fb[1]), "=r"(fb[2]), "=r"(fb[3]) : "r"(pb));
            for (int j = 0; j < 2; j++)
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                             : "+f"(acc[j][0]), "+f"(acc[j][1]), "+f"(acc[j][2]), "+f"(acc[j][3])
                             : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[2 * j]), "r"(fb[2 * j + 1]));
        }
        __syncthreads();
    }
    float *to = c + (blockIdx.y * 32 + wr + lane / 4) * n + blockIdx.x * 32 + wc + lane % 4 * 2;
    for (int j = 0; j < 2; j++) {
        *(float2 *)&to[j * 8] = make_float2(acc[j][0], acc[j][1]);
        *(float2 *)&to[8 * n + j * 8] = make_float2(acc[j][2], acc[j][3]);
    }
}
__global__ void mma_tf32_tile(int k, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c) {
    int lane = threadIdx.x, g = lane / 4, q = lane % 4;
    float acc[4] = {};
    for (int p = 0; p < k; p += 8) {
        unsigned ra[4], rb[2];
        float va[4] = {a[g * k + p + q], a[(g + 8) * k + p + q], a[g * k + p + q + 4], a[(g + 8) * k + p + q + 4]};
        float vb[2] = {b[(p + q) * 8 + g], b[(p + q + 4) * 8 + g]};
        for (int i = 0; i < 4; i++) asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(ra[i]) : "f"(rintf(va[i] * 16)));
        for (int i = 0; i < 2; i++) asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rb[i]) : "f"(rintf(vb[i] * 16)));
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
                     : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
    }
    *(float2 *)&c[g * 8 + 2 * q] = make_float2(acc[0], acc[1]);
    *(float2 *)&c[(g + 8) * 8 + 2 * q] = make_float2(acc[2], acc[3]);
}
__global__ void mma_int8_tile(int k, const int *__restrict__ a, const int *__restrict__ b, int *__restrict__ c) {
    int lane = threadIdx.x % 32, g = lane / 4, q = lane % 4, tile = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, k4 = k / 4;
    a += tile * 16 * k4;
    int acc[4] = {};
    for (int p = 0; p < k4; p += 8) {
        int ra[4] = {a[g * k4 + p + q], a[(g + 8) * k4 + p + q], a[g * k4 + p + q + 4], a[(g + 8) * k4 + p + q + 4]}, rb[2] = {b[g * k4 + p + q], b[g * k4 + p + q + 4]};
        asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+r"(acc[0]), "+r"(acc[1]), "+r"(acc[2]), "+r"(acc[3])
                     : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
    }
    int2 *to = (int2 *)(c + tile * 128);
    to[g * 4 + q] = make_int2(acc[0], acc[1]);
    to[(g + 8) * 4 + q] = make_int2(acc[2], acc[3]);
}
}
