/* The same as saxpy_haul.cu, written by hand. */
#include <cuda_runtime.h>

#define THREADS 256
#define STAGES 4
#define TILE 1024

static __device__ __forceinline__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

#if __CUDA_ARCH__ >= 900
static __device__ __forceinline__ void barrier_wait(unsigned barrier, unsigned parity) {
    unsigned done = 0;
    while (!done) {
        asm volatile("{\n\t"
                     ".reg .pred complete;\n\t"
                     "mbarrier.try_wait.parity.shared::cta.b64 complete, [%1], %2;\n\t"
                     "selp.b32 %0, 1, 0, complete;\n\t"
                     "}"
                     : "=r"(done)
                     : "r"(barrier), "r"(parity)
                     : "memory");
    }
}

static __device__ __forceinline__ void bulk_load(unsigned to, const void *from, unsigned bytes, unsigned barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
}

static __device__ __forceinline__ void fill(float4 *to_x, float4 *to_y, const float *x, const float *y, unsigned tile,
                                            unsigned barrier) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(2 * TILE * 4) : "memory");
    bulk_load(shared_address(to_x), x + (size_t)tile * TILE, TILE * 4, barrier);
    bulk_load(shared_address(to_y), y + (size_t)tile * TILE, TILE * 4, barrier);
}
#else
static __device__ __forceinline__ void fetch(float4 *to, const float4 *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
}

static __device__ __forceinline__ void fill(float4 *to_x, float4 *to_y, const float *x, const float *y, unsigned tile) {
    fetch(to_x + threadIdx.x, (const float4 *)x + (size_t)tile * THREADS + threadIdx.x);
    fetch(to_y + threadIdx.x, (const float4 *)y + (size_t)tile * THREADS + threadIdx.x);
}
#endif

static __device__ __forceinline__ float4 saxpy4(float alpha, float4 a, float4 b) {
    return make_float4(fmaf(alpha, a.x, b.x), fmaf(alpha, a.y, b.y), fmaf(alpha, a.z, b.z), fmaf(alpha, a.w, b.w));
}

extern "C" __global__ void saxpy(unsigned n, float alpha, const float *x, float *y) {
    __shared__ __align__(128) float4 stage_x[STAGES][THREADS], stage_y[STAGES][THREADS];
    const unsigned tiles = n / TILE, t = threadIdx.x;
#if __CUDA_ARCH__ >= 900
    __shared__ __align__(8) unsigned long long full[STAGES];
    if (t == 0) {
        for (unsigned s = 0; s < STAGES; s++)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&full[s])) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        for (unsigned s = 0; s < STAGES; s++) {
            unsigned tile = blockIdx.x + s * gridDim.x;
            if (tile < tiles) fill(stage_x[s], stage_y[s], x, y, tile, shared_address(&full[s]));
        }
    }
    __syncthreads();
    for (unsigned tile = blockIdx.x, round = 0; tile < tiles; tile += gridDim.x, round++) {
        unsigned s = round % STAGES, next = tile + STAGES * gridDim.x;
        barrier_wait(shared_address(&full[s]), round / STAGES & 1);
        float4 a = stage_x[s][t], b = stage_y[s][t];
        __syncthreads(); /* all have read the stage before it is filled again */
        if (t == 0 && next < tiles) fill(stage_x[s], stage_y[s], x, y, next, shared_address(&full[s]));
        ((float4 *)y)[(size_t)tile * THREADS + t] = saxpy4(alpha, a, b);
    }
#else
    for (unsigned s = 0; s < STAGES - 1; s++) {
        unsigned tile = blockIdx.x + s * gridDim.x;
        if (tile < tiles) fill(stage_x[s], stage_y[s], x, y, tile);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    for (unsigned tile = blockIdx.x, round = 0; tile < tiles; tile += gridDim.x, round++) {
        unsigned s = round % STAGES, empty = (round + STAGES - 1) % STAGES, next = tile + (STAGES - 1) * gridDim.x;
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
        if (next < tiles) fill(stage_x[empty], stage_y[empty], x, y, next);
        asm volatile("cp.async.commit_group;" ::: "memory");
        ((float4 *)y)[(size_t)tile * THREADS + t] = saxpy4(alpha, stage_x[s][t], stage_y[s][t]);
    }
#endif
}
