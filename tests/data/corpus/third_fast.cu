// Kernels as older code bases build them: for compute_80, with fast mathematics, bounds on registers, little optimisation of
// the front end. Third blind test.
#include <cuda_fp16.h>

#define KERNEL extern "C" __global__ void

namespace {

__device__ __forceinline__ int thread_index() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

}

KERNEL fast_ratios(int n, const float *a, const float *b, float *out) {
    int i = thread_index();
    if (i < n) {
        out[i] = a[i] / b[i] + sqrtf(a[i]) * rsqrtf(b[i]);
    }
}

KERNEL fast_trig(int n, const float *a, float *out) {
    int i = thread_index();
    if (i < n) {
        float s, c;
        sincosf(a[i] * 6.2831853f, &s, &c);
        out[2 * i] = s;
        out[2 * i + 1] = c;
    }
}

KERNEL black_scholes_fast(int n, const float *spot, const float *strike, const float *years, float *call) {
    int i = thread_index();
    if (i < n) {
        float s = 5 + 30 * spot[i], x = 1 + 100 * strike[i], t = 0.25f + 10 * years[i], root = sqrtf(t);
        float d1 = (logf(s / x) + (0.02f + 0.5f * 0.09f) * t) / (0.3f * root), d2 = d1 - 0.3f * root;
        call[i] = s * normcdff(d1) - x * expf(-0.02f * t) * normcdff(d2);
    }
}

KERNEL gelu_half2(int n, const __half2 *in, __half2 *out) {
    int i = thread_index();
    if (i < n) {
        unsigned bits = *reinterpret_cast<const unsigned *>(in + i) & 0xbbffbbffu;
        __half2 v = *reinterpret_cast<__half2 *>(&bits);
        __half2 u = __hmul2(v, __hfma2(__hmul2(v, v), __float2half2_rn(0.0356774f), __float2half2_rn(0.7978846f)));
        float2 f = __half22float2(u);
        f.x = f.x / (1.f + fabsf(f.x));
        f.y = f.y / (1.f + fabsf(f.y));
        out[i] = __hmul2(__hmul2(v, __float2half2_rn(0.5f)), __hadd2(__float2half2_rn(1.f), __float22half2_rn(f)));
    }
}

template <int Block>
__device__ __forceinline__ void reduce_unrolled_body(int n, const int *in, int *out) {
    extern __shared__ int sums[];
    int t = threadIdx.x, i = blockIdx.x * Block * 2 + t, sum = 0;
    for (; i < n; i += Block * 2 * gridDim.x) {
        sum += in[i] + (i + Block < n ? in[i + Block] : 0);
    }
    sums[t] = sum;
    __syncthreads();
    if (Block >= 512) {
        if (t < 256) {
            sums[t] += sums[t + 256];
        }
        __syncthreads();
    }
    if (Block >= 256) {
        if (t < 128) {
            sums[t] += sums[t + 128];
        }
        __syncthreads();
    }
    if (Block >= 128) {
        if (t < 64) {
            sums[t] += sums[t + 64];
        }
        __syncthreads();
    }
    if (t < 32) {
        volatile int *v = sums;
        int w = v[t] + v[t + 32];
        for (int d = 16; d; d >>= 1) {
            w += __shfl_down_sync(0xffffffff, w, d);
        }
        if (t == 0) {
            out[blockIdx.x] = w;
        }
    }
}

KERNEL reduce_unrolled_512(int n, const int *in, int *out) {
    reduce_unrolled_body<512>(n, in, out);
}

KERNEL reduce_unrolled_128(int n, const int *in, int *out) {
    reduce_unrolled_body<128>(n, in, out);
}

extern "C" __global__ void __launch_bounds__(256, 4) matrix_bounded(int n, const float *a, const float *b, float *c) {
    __shared__ float as[32][32], bs[32][33];
    int tx = threadIdx.x, ty = threadIdx.y;
    float sum[4] = {};
    for (int k = 0; k < n; k += 32) {
        for (int r = 0; r < 4; r++) {
            as[ty + 8 * r][tx] = a[(blockIdx.y * 32 + ty + 8 * r) * n + k + tx];
            bs[ty + 8 * r][tx] = b[(k + ty + 8 * r) * n + blockIdx.x * 32 + tx];
        }
        __syncthreads();
#pragma unroll 8
        for (int i = 0; i < 32; i++) {
            for (int r = 0; r < 4; r++) {
                sum[r] += as[ty + 8 * r][i] * bs[i][tx];
            }
        }
        __syncthreads();
    }
    for (int r = 0; r < 4; r++) {
        c[(blockIdx.y * 32 + ty + 8 * r) * n + blockIdx.x * 32 + tx] = sum[r];
    }
}

KERNEL not_unrolled(int n, int each, const short *in, int *out) {
    int i = thread_index(), sum = 0;
#pragma unroll 1
    for (int k = 0; k < each; k++) {
        if (i + k * n < n * each) {
            sum += in[i + k * n] * (k + 1);
        }
    }
    if (i < n) {
        out[i] = sum;
    }
}

template <typename F>
__device__ void for_range(int n, F f) {
    for (int i = thread_index(); i < n; i += gridDim.x * blockDim.x) {
        f(i);
    }
}

KERNEL lambda_stencil(int n, const float *in, float *out) {
    for_range(n, [=](int i) { out[i] = 0.25f * (in[i == 0 ? n - 1 : i - 1] + 2 * in[i] + in[i == n - 1 ? 0 : i + 1]); });
}

struct view {
    float *data;
    int pitch, width, height;
    __device__ float &at(int x, int y) const {
        return data[y * pitch + x];
    }
};

KERNEL views_blend(int w, int h, float t, float *a, float *b, float *out) {
    view va = {a, w + 3, w, h}, vb = {b, w, w, h}, vo = {out, w, w, h};
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < vo.width && y < vo.height) {
        vo.at(x, y) = va.at(x, y) * t + vb.at(vb.width - 1 - x, y) * (1 - t);
    }
}

KERNEL histogram_per_warp(int n, const uchar4 *in, unsigned *out) {
    __shared__ unsigned bins[4][64];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        bins[i / 64][i % 64] = 0;
    }
    __syncthreads();
    unsigned *mine = bins[threadIdx.x / 32];
    for (int i = thread_index(); i < n; i += gridDim.x * blockDim.x) {
        uchar4 v = in[i];
        atomicAdd(mine + v.x / 4, 1u);
        atomicAdd(mine + v.y / 4, 1u);
        atomicAdd(mine + v.z / 4, 1u);
        atomicAdd(mine + v.w / 4, 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 64; i += blockDim.x) {
        atomicAdd(out + i, bins[0][i] + bins[1][i] + bins[2][i] + bins[3][i]);
    }
}

KERNEL dynamic_local(int n, const unsigned *in, int *out) {
    short deck[13];
    int i = thread_index();
    if (i >= n) {
        return;
    }
    for (int k = 0; k < 13; k++) {
        deck[k] = static_cast<short>(k);
    }
    unsigned v = in[i];
    for (int k = 12; k > 0; k--) {
        int j = v % (k + 1);
        v /= k + 1;
        short t = deck[k];
        deck[k] = deck[j];
        deck[j] = t;
    }
    out[i] = deck[0] | deck[6] << 8 | deck[12] << 16;
}
