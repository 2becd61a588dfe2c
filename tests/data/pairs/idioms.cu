/* What kernels do all the time: scans, queues, reductions, tiles, structures. */
#include <cuda_runtime.h>

#define ARGS const float *in, float *out, int n
#define T threadIdx.x

struct Node {
    float v;
    short a;
    char b;
};
struct Vec3 {
    float x, y, z;
};
static __device__ Vec3 load3(const float *p, int i) {
    Vec3 r;
    r.x = p[3 * i];
    r.y = p[3 * i + 1];
    r.z = p[3 * i + 2];
    return r;
}
static __device__ __noinline__ float poly(const float *c, float x, int k) {
    float a[8];
    for (int i = 0; i < k; i++) a[i] = c[i] * x;
    float v = 0;
    for (int i = 0; i < k; i++) v += a[i];
    return v;
}
static __device__ __noinline__ void bump(float *p, float v) {
    *p += v;
}

extern "C" {

/* uninitialised-read */
__global__ void bad_noinline_local(ARGS) {
    float c[8];
    for (int i = 0; i < 7; i++) c[i] = in[i + T];
    out[T] = poly(c, in[T], n > 100 ? 8 : 4);
}
__global__ void ok_noinline_local(ARGS) {
    float c[8];
    for (int i = 0; i < 8; i++) c[i] = in[i + T];
    out[T] = poly(c, in[T], n > 100 ? 8 : 4);
}

/* uninitialised-read */
__global__ void bad_struct_array(ARGS) {
    Node a[4];
    for (int i = 0; i < 4; i++) {
        a[i].v = in[i];
        a[i].a = i;
        if (i != 2) a[i].b = 1;
    }
    out[T] = a[((int)(in[T]) + 2 + n) & 3].b;
}
__global__ void ok_struct_array(ARGS) {
    Node a[4];
    for (int i = 0; i < 4; i++) {
        a[i].v = in[i];
        a[i].a = i;
        a[i].b = 1;
    }
    out[T] = a[((int)(in[T]) + 2 + n) & 3].b;
}

/* race-global */
__global__ void bad_noinline_race(ARGS) {
    bump(out + (T >> 1), in[T]);
}
__global__ void ok_noinline_race(ARGS) {
    bump(out + T, in[T]);
}

/* out-of-bounds */
__global__ void bad_vec3(ARGS) {
    Vec3 v = load3(in, 1300 + T);
    out[T] = v.x + v.y + v.z;
}
__global__ void ok_vec3(ARGS) {
    Vec3 v = load3(in, 1200 + T);
    out[T] = v.x + v.y + v.z;
}

/* race-shared */
__global__ void bad_stack_shared(ARGS) {
    __shared__ float st[16];
    __shared__ int top;
    if (T == 0) top = 0;
    __syncthreads();
    if (in[T] > 0.95f) {
        int k = top;
        top = k + 1;
        st[k & 15] = in[T];
    }
    __syncthreads();
    if (T < 16) out[T] = top;
}
__global__ void ok_stack_shared(ARGS) {
    __shared__ float st[128];
    __shared__ int top;
    if (T == 0) top = 0;
    __syncthreads();
    if (in[T] > 0.95f) {
        int k = atomicAdd(&top, 1);
        st[k] = in[T];
    }
    __syncthreads();
    if (T < top) out[T] = st[T];
}

/* uninitialised-read */
__global__ void bad_compact(ARGS) {
    __shared__ float st[128];
    __shared__ int top;
    if (T == 0) top = 0;
    __syncthreads();
    if (in[T] > 0.5f) {
        int k = atomicAdd(&top, 1);
        st[k] = in[T];
    }
    __syncthreads();
    if (T <= top) out[T] = st[T];
}
__global__ void ok_compact(ARGS) {
    __shared__ float st[128];
    __shared__ int top;
    if (T == 0) top = 0;
    __syncthreads();
    if (in[T] > 0.5f) {
        int k = atomicAdd(&top, 1);
        st[k] = in[T];
    }
    __syncthreads();
    if (T < top) out[T] = st[T];
}

/* race-shared */
__global__ void bad_bool_flag(ARGS) {
    __shared__ int any;
    any = 0;
    if (in[T] > 0.99f) any = 1;
    __syncthreads();
    out[T] = any;
}
__global__ void ok_bool_flag(ARGS) {
    out[T] = __syncthreads_or(in[T] > 0.99f);
}

/* barrier-divergence */
__global__ void bad_syncthreads_count(ARGS) {
    int c = 0;
    if (in[T] >= 0 && T < 40) c = __syncthreads_count(in[T] > 0.5f);
    out[T] = c;
}
__global__ void ok_syncthreads_count(ARGS) {
    int c = __syncthreads_count(T < 40 && in[T] > 0.5f);
    out[T] = c;
}

/* race-shared */
__global__ void bad_bitonic(ARGS) {
    __shared__ float s[128];
    s[T] = in[T];
    __syncthreads();
    for (int k = 2; k <= 128; k *= 2)
        for (int j = k / 2; j; j /= 2) {
            int p = T ^ j;
            if (p > T) {
                float a = s[T], b = s[p];
                if ((a > b) == ((T & k) == 0)) {
                    s[T] = b;
                    s[p] = a;
                }
            }
            if (j > 16) __syncthreads();
        }
    __syncthreads();
    out[T] = s[T];
}
__global__ void ok_bitonic(ARGS) {
    __shared__ float s[128];
    s[T] = in[T];
    __syncthreads();
    for (int k = 2; k <= 128; k *= 2)
        for (int j = k / 2; j; j /= 2) {
            int p = T ^ j;
            if (p > T) {
                float a = s[T], b = s[p];
                if ((a > b) == ((T & k) == 0)) {
                    s[T] = b;
                    s[p] = a;
                }
            }
            __syncthreads();
        }
    out[T] = s[T];
}

/* race-shared */
__global__ void bad_matmul(ARGS) {
    __shared__ float a[8][16], b[16][8];
    int x = T & 7, y = T >> 3;
    float v = 0;
    for (int t = 0; t < 4; t++) {
        if (y < 8) a[y][x] = in[t * 64 + y * 8 + x];
        if (y >= 8) b[y - 8][x] = in[512 + t * 64 + (y - 8) * 8 + x];
        __syncthreads();
        for (int k = 0; k < 8; k++) v += a[y & 7][k] * b[k][x];
    }
    out[T] = v;
}
__global__ void ok_matmul(ARGS) {
    __shared__ float a[8][16], b[16][8];
    int x = T & 7, y = T >> 3;
    float v = 0;
    for (int t = 0; t < 4; t++) {
        if (y < 8) a[y][x] = in[t * 64 + y * 8 + x];
        if (y >= 8) b[y - 8][x] = in[512 + t * 64 + (y - 8) * 8 + x];
        __syncthreads();
        for (int k = 0; k < 8; k++) v += a[y & 7][k] * b[k][x];
        __syncthreads();
    }
    out[T] = v;
}

/* 2 blocks: race-global */
__global__ void bad_prev_block_tail(ARGS) {
    int i = blockIdx.x * 128 + T;
    out[i] = in[i] + (i ? out[i - 1] : 0);
}
__global__ void ok_prev_block_tail(ARGS) {
    int i = blockIdx.x * 128 + T;
    out[i] = in[i] + (i ? in[i - 1] : 0);
}

/* 4 blocks: race-global */
__global__ void bad_max(ARGS) {
    if (in[blockIdx.x * 128 + T] > out[0]) atomicMax((int *)out, __float_as_int(in[blockIdx.x * 128 + T]));
}
__global__ void ok_max(ARGS) {
    atomicMax((int *)out, __float_as_int(in[blockIdx.x * 128 + T]));
}

/* 4 blocks: race-global */
__global__ void bad_work_queue(ARGS) {
    __shared__ int job;
    unsigned *q = (unsigned *)(out + 3000);
    for (;;) {
        if (T == 0) job = (int)q[0]++;
        __syncthreads();
        if (job >= 8) break;
        out[job * 128 + T] = in[job * 128 + T];
        __syncthreads();
    }
}
__global__ void ok_work_queue(ARGS) {
    __shared__ int job;
    unsigned *q = (unsigned *)(out + 3000);
    for (;;) {
        if (T == 0) job = (int)atomicAdd(q, 1);
        __syncthreads();
        if (job >= 8) break;
        out[job * 128 + T] = in[job * 128 + T];
        __syncthreads();
    }
}

/* 4 blocks: race-shared */
__global__ void bad_work_queue_sync(ARGS) {
    __shared__ int job;
    unsigned *q = (unsigned *)(out + 3000);
    for (;;) {
        if (T == 0) job = (int)atomicAdd(q, 1);
        __syncthreads();
        int j = job;
        if (j >= 8) break;
        out[j * 128 + T] = in[j * 128 + T];
    }
}
__global__ void ok_work_queue_sync(ARGS) {
    __shared__ int job;
    unsigned *q = (unsigned *)(out + 3000);
    for (;;) {
        if (T == 0) job = (int)atomicAdd(q, 1);
        __syncthreads();
        int j = job;
        __syncthreads();
        if (j >= 8) break;
        out[j * 128 + T] = in[j * 128 + T];
    }
}

/* shuffle-mask */
__global__ void bad_loop_shuffle(ARGS) {
    float v = in[T];
    for (int k = 0; k < (int)(T & 7); k++) v += __shfl_sync(0xffffffffu, v, 0);
    out[T] = v;
}
__global__ void ok_loop_shuffle(ARGS) {
    float v = in[T];
    for (int k = 0; k < 8; k++) {
        float w = __shfl_sync(0xffffffffu, v, 0);
        if (k < (T & 7)) v += w;
    }
    out[T] = v;
}

/* shuffle-mask */
__global__ void bad_tail_warp(ARGS) {
    float v = 0;
    for (int i = T; i < 200; i += 128) v += __shfl_xor_sync(0xffffffffu, in[i], 1);
    out[T] = v;
}
__global__ void ok_tail_warp(ARGS) {
    float v = 0;
    for (int i = T; i < 256; i += 128) v += __shfl_xor_sync(0xffffffffu, i < 200 ? in[i] : 0, 1);
    out[T] = v;
}
}
