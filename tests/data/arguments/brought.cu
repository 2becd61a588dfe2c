/* Twenty kernels as users bring them: every kind of parameter by value. Each writes its results to the last buffer. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define I (blockIdx.x * blockDim.x + threadIdx.x)

extern "C" {
__global__ void narrow(signed char a, unsigned char b, short c, unsigned short d, int *out) {
    out[I] = a + b + c + d;
}
__global__ void wide(long long a, unsigned long long b, unsigned c, unsigned long long *out) {
    out[I] = b + c - a;
}
__global__ void truth(bool yes, bool no, int *out) {
    out[I] = (yes ? 10 : 20) + (no ? 1 : 2);
}
__global__ void half_scale(__half a, const __half *in, float *out) {
    out[I] = __half2float(a) * __half2float(in[I]);
}
__global__ void bfloat_scale(__nv_bfloat16 a, const __nv_bfloat16 *in, float *out) {
    out[I] = __bfloat162float(a) * __bfloat162float(in[I]);
}
__global__ void doubles(double a, const double *in, double *out) {
    out[I] = a * in[I];
}
__global__ void offset(float2 by, const float2 *in, float2 *out) {
    out[I] = make_float2(in[I].x + by.x, in[I].y + by.y);
}
__global__ void colour(uchar4 add, float4 scale, float4 *out) {
    out[I] = make_float4(add.x * scale.x, add.y * scale.y, add.z * scale.z, add.w * scale.w);
}
__global__ void short_vector(short3 v, int3 w, int *out) {
    out[I] = v.x + v.y * 10 + v.z * 100 + w.z * 1000;
}

struct view {
    const float *data;
    int rows, columns;
    long long pitch;
};
__global__ void sum_row(view v, float *out) {
    float sum = 0;
    for (int k = 0; k < v.columns; k++) sum += v.data[I * v.pitch + k];
    out[I] = sum;
}

struct pair {
    char tag;
    double weight;
    bool flip;
    short shift;
};
__global__ void mixed(pair p, double *out) {
    out[I] = (p.flip ? -p.weight : p.weight) + p.shift + p.tag;
}

struct filter {
    float weights[5];
    int taps;
};
__global__ void smooth(filter f, const float *in, float *out) {
    float sum = 0;
    for (int k = 0; k < f.taps; k++) sum += f.weights[k] * in[I + k];
    out[I] = sum;
}

/* As libraries of products have them: structures in structures, pointers among them. */
struct product {
    struct {
        int m, n, k;
    } shape;
    struct operand {
        const __half *data;
        long long stride;
    } a, b;
    struct {
        float alpha, beta;
        float *d;
    } end;
    int split[3];
};
__global__ void multiply(product p) {
    const int row = blockIdx.x, column = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < p.shape.k; k++)
        sum += __half2float(p.a.data[row * p.a.stride + k]) * __half2float(p.b.data[k * p.b.stride + column]);
    p.end.d[row * p.shape.n + column] = p.end.alpha * sum + p.end.beta + p.split[2];
}

struct __align__(16) padded {
    int a, b, c;
};
__global__ void aligned(padded p, int *out) {
    out[I] = p.a + 10 * p.b + 100 * p.c;
}

union word {
    unsigned bits;
    float value;
};
__global__ void bits(word w, float *out) {
    out[I] = w.value;
}

struct list {
    int *rows[3];
    int count;
};
__global__ void gather(list l, int *out) {
    int sum = 0;
    for (int k = 0; k < l.count; k++) sum += l.rows[k][I];
    out[I] = sum;
}

}

struct empty {};
__global__ void nothing(empty, int *out) {
    out[I] = 7;
}

template <class T, int N> __global__ void times(T value, T *out) {
    out[I] = value * N;
}
template __global__ void times<unsigned char, 3>(unsigned char, unsigned char *);

namespace shop {
struct price {
    float amount;
    unsigned char currency;
};
template <class... T> __global__ void sum(float *out, T... prices) {
    out[I] = (prices.amount + ... + 0);
}
template __global__ void sum<price, price>(float *, price, price);

template <class F> __global__ void apply(F f, const float *in, float *out) {
    out[I] = f(in[I]);
}
struct axpy {
    float a, b;
    __device__ float operator()(float x) const {
        return a * x + b;
    }
};
template __global__ void apply<axpy>(axpy, const float *, float *);
}
