/* SAXPY, y = alpha * x + y, up a ladder of ways to keep bytes in flight. saxpy_sm90.cu has the last rung.
 *
 * Every rung moves the same 12 bytes an element. What changes is how many instructions that takes, how many registers
 * hold data that is under way, and how early the next data is asked for. x and y are 16-byte aligned from the second
 * rung on; any n is right: what does not fill a vector goes by single words. */
#include <cuda_runtime.h>
#include <cuda_pipeline_primitives.h>

#define BLOCK 256 /* threads a block of the rungs that stage in shared memory */
#define STAGES 4  /* of saxpy_stages */

static __device__ __forceinline__ float4 axpy4(float alpha, float4 x, float4 y) {
    return make_float4(fmaf(alpha, x.x, y.x), fmaf(alpha, x.y, y.y), fmaf(alpha, x.z, y.z), fmaf(alpha, x.w, y.w));
}

/* The up to three words after the last whole vector; by the grid's first threads. */
static __device__ __forceinline__ void axpy_tail(unsigned n, float alpha, const float *x, float *y) {
    unsigned i = n / 4 * 4, k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n % 4) y[i + k] = fmaf(alpha, x[i + k], y[i + k]);
}

/* Rung 1: one word a thread; the grid covers n. */
extern "C" __global__ void saxpy_scalar(unsigned n, float alpha, const float *x, float *y) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaf(alpha, x[i], y[i]);
}

/* Rung 2: one 16-byte vector a thread; a quarter of the instructions. The grid covers n / 4. */
extern "C" __global__ void saxpy_vector(unsigned n, float alpha, const float *x, float *y) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) ((float4 *)y)[i] = axpy4(alpha, ((const float4 *)x)[i], ((const float4 *)y)[i]);
    axpy_tail(n, alpha, x, y);
}

/* Rung 3: a thread strides through the array and loads the next vectors into registers before it uses these. */
extern "C" __global__ void saxpy_registers(unsigned n, float alpha, const float *__restrict__ x, float *y) {
    const float4 *x4 = (const float4 *)x;
    float4 *y4 = (float4 *)y;
    unsigned vectors = n / 4, hop = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 a = make_float4(0.0f, 0.0f, 0.0f, 0.0f), b = a;
    if (i < vectors) {
        a = x4[i];
        b = y4[i];
    }
    while (i < vectors) {
        float4 next_a = a, next_b = b;
        if (i + hop < vectors) {
            next_a = x4[i + hop];
            next_b = y4[i + hop];
        }
        y4[i] = axpy4(alpha, a, b);
        a = next_a;
        b = next_b;
        i += hop;
    }
    axpy_tail(n, alpha, x, y);
}

/* Starts the copy of vector i of x and y into a thread's slots, and closes the group even where there is no vector:
 * the waits count groups. */
static __device__ __forceinline__ void fetch(float4 *to_x, float4 *to_y, const float *x, const float *y, unsigned i,
                                             unsigned vectors) {
    if (i < vectors) {
        __pipeline_memcpy_async(to_x, (const float4 *)x + i, 16);
        __pipeline_memcpy_async(to_y, (const float4 *)y + i, 16);
    }
    __pipeline_commit();
}

/* Rung 4: two stages in shared memory. The next stage's copies are issued before the wait for this one's, so that
 * bytes are in flight all the time. Blocks of BLOCK threads. */
extern "C" __global__ void saxpy_two_stages(unsigned n, float alpha, const float *x, float *y) {
    __shared__ float4 stage_x[2][BLOCK], stage_y[2][BLOCK];
    unsigned vectors = n / 4, hop = gridDim.x * BLOCK, t = threadIdx.x, now = 0;
    unsigned i = blockIdx.x * BLOCK + t;
    fetch(&stage_x[0][t], &stage_y[0][t], x, y, i, vectors);
    for (; i < vectors; i += hop, now ^= 1) {
        fetch(&stage_x[now ^ 1][t], &stage_y[now ^ 1][t], x, y, i + hop, vectors);
        __pipeline_wait_prior(1);
        ((float4 *)y)[i] = axpy4(alpha, stage_x[now][t], stage_y[now][t]);
    }
    axpy_tail(n, alpha, x, y);
}

/* Rung 5: STAGES stages, STAGES - 1 of them in flight while one is used: more bytes under way for the same registers,
 * paid in shared memory. Blocks of BLOCK threads. */
extern "C" __global__ void saxpy_stages(unsigned n, float alpha, const float *x, float *y) {
    __shared__ float4 stage_x[STAGES][BLOCK], stage_y[STAGES][BLOCK];
    unsigned vectors = n / 4, hop = gridDim.x * BLOCK, t = threadIdx.x;
    unsigned i = blockIdx.x * BLOCK + t, ahead = i, now = 0;
    for (unsigned s = 0; s < STAGES - 1; s++, ahead += hop) {
        fetch(&stage_x[s][t], &stage_y[s][t], x, y, ahead, vectors);
    }
    for (; i < vectors; i += hop, ahead += hop, now = (now + 1) % STAGES) {
        unsigned free = (now + STAGES - 1) % STAGES;
        fetch(&stage_x[free][t], &stage_y[free][t], x, y, ahead, vectors);
        __pipeline_wait_prior(STAGES - 1);
        ((float4 *)y)[i] = axpy4(alpha, stage_x[now][t], stage_y[now][t]);
    }
    axpy_tail(n, alpha, x, y);
}
