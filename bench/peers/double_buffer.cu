/* SAXPY as CudaDMA's example does it, reconstructed from its description: warps that only move data and warps that only
 * compute, two buffers with a set of moving warps each, plain loads through registers, a full and an empty named
 * barrier a buffer. */
#include "peers.h"

#define WORKERS 256 /* threads that compute */
#define MOVERS 128  /* threads that fill one buffer; two sets */
#define VECTORS 256 /* of x, and of y, in a buffer */
#define EACH (VECTORS / MOVERS)

/* Barriers 1 and 2: buffer 0 and 1 is full; 3 and 4: it is empty. The movers of the buffer and all workers meet. */
static __device__ __forceinline__ void meet(int barrier) {
    asm volatile("barrier.cta.sync %0, %1;" ::"r"(barrier), "n"(WORKERS + MOVERS) : "memory");
}

static __device__ __forceinline__ void tell(int barrier) {
    asm volatile("barrier.cta.arrive %0, %1;" ::"r"(barrier), "n"(WORKERS + MOVERS) : "memory");
}

/* The movers of a buffer take every second tile of the block. Loads are on their way before the buffer is empty. */
static __device__ __forceinline__ void move(float4 (*to)[VECTORS], int buffer, unsigned tiles, const float4 *x,
                                            const float4 *y) {
    unsigned lane = threadIdx.x % MOVERS;
    for (unsigned t = blockIdx.x + buffer * gridDim.x; t < tiles; t += 2 * gridDim.x) {
        float4 a[EACH], b[EACH];
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            a[k] = x[t * VECTORS + k * MOVERS + lane];
            b[k] = y[t * VECTORS + k * MOVERS + lane];
        }
        meet(3 + buffer);
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            to[0][k * MOVERS + lane] = a[k];
            to[1][k * MOVERS + lane] = b[k];
        }
        tell(1 + buffer);
    }
}

static __global__ void double_buffer(unsigned n, float alpha, const float4 *x, float4 *y) {
    __shared__ float4 buffers[2][2][VECTORS];
    unsigned tiles = n / 4 / VECTORS; /* the benchmark's sizes are multiples */
    if (threadIdx.x >= WORKERS) {
        int buffer = (threadIdx.x - WORKERS) / MOVERS;
        move(buffers[buffer], buffer, tiles, x, y);
        return;
    }
    for (int i = 0; i < 2; i++) {
        if (blockIdx.x + i * gridDim.x < tiles) tell(3 + i);
    }
    int now = 0;
    for (unsigned t = blockIdx.x; t < tiles; t += gridDim.x, now ^= 1) {
        meet(1 + now);
        float4 a = buffers[now][0][threadIdx.x], b = buffers[now][1][threadIdx.x];
        if (t + 2 * gridDim.x < tiles) tell(3 + now);
        y[t * VECTORS + threadIdx.x] =
            make_float4(fmaf(alpha, a.x, b.x), fmaf(alpha, a.y, b.y), fmaf(alpha, a.z, b.z), fmaf(alpha, a.w, b.w));
    }
}

/* `context`: blocks an SM. */
int peer_double_buffer(const haul_peer_job *job, const void *context) {
    unsigned blocks = *(const unsigned *)context * peer_multiprocessors();
    double_buffer<<<blocks, WORKERS + 2 * MOVERS, 0, peer_stream(job)>>>((unsigned)job->n, job->alpha,
                                                                         (const float4 *)job->in, (float4 *)job->out);
    return cudaGetLastError();
}
