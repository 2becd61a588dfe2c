/* The staged forms of kernels/saxpy.cu written by hand, for tools/device/budget.py to hold registers and shared memory
 * against. Same blocks, same stages, same tails. */
#include <cuda_runtime.h>

#define BLOCK 256
#define TILE 1024
#define STAGES 4

static __device__ __forceinline__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

static __device__ __forceinline__ float4 axpy4(float alpha, float4 x, float4 y) {
    return make_float4(fmaf(alpha, x.x, y.x), fmaf(alpha, x.y, y.y), fmaf(alpha, x.z, y.z), fmaf(alpha, x.w, y.w));
}

static __device__ __forceinline__ void axpy_tail(unsigned unit, unsigned n, float alpha, const float *x, float *y) {
    unsigned first = n / unit * unit;
    for (unsigned k = blockIdx.x * blockDim.x + threadIdx.x; k < n - first; k += gridDim.x * blockDim.x)
        y[first + k] = fmaf(alpha, x[first + k], y[first + k]);
}

static __device__ __forceinline__ void copy16(float4 *to, const float4 *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
}

static __device__ __forceinline__ void commit(void) {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

#define WAIT_PRIOR(n) asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory")

/* ---- a thread uses what it has copied itself ---- */

static __device__ __forceinline__ void fetch(float4 *to_x, float4 *to_y, const float *x, const float *y, unsigned i,
                                             unsigned vectors) {
    if (i < vectors) {
        copy16(to_x, (const float4 *)x + i);
        copy16(to_y, (const float4 *)y + i);
    }
    commit();
}

extern "C" __global__ void saxpy_two_stages(unsigned n, float alpha, const float *x, float *y) {
    __shared__ float4 stage_x[2][BLOCK], stage_y[2][BLOCK];
    unsigned vectors = n / 4, hop = gridDim.x * BLOCK, t = threadIdx.x, now = 0;
    unsigned i = blockIdx.x * BLOCK + t;
    fetch(&stage_x[0][t], &stage_y[0][t], x, y, i, vectors);
    for (; i < vectors; i += hop, now ^= 1) {
        fetch(&stage_x[now ^ 1][t], &stage_y[now ^ 1][t], x, y, i + hop, vectors);
        WAIT_PRIOR(1);
        ((float4 *)y)[i] = axpy4(alpha, stage_x[now][t], stage_y[now][t]);
    }
    axpy_tail(4, n, alpha, x, y);
}

extern "C" __global__ void saxpy_stages(unsigned n, float alpha, const float *x, float *y) {
    __shared__ float4 stage_x[STAGES][BLOCK], stage_y[STAGES][BLOCK];
    unsigned vectors = n / 4, hop = gridDim.x * BLOCK, t = threadIdx.x;
    unsigned i = blockIdx.x * BLOCK + t, ahead = i, now = 0;
    for (unsigned s = 0; s < STAGES - 1; s++, ahead += hop) fetch(&stage_x[s][t], &stage_y[s][t], x, y, ahead, vectors);
    for (; i < vectors; i += hop, ahead += hop, now = (now + 1) % STAGES) {
        unsigned empty = (now + STAGES - 1) % STAGES;
        fetch(&stage_x[empty][t], &stage_y[empty][t], x, y, ahead, vectors);
        WAIT_PRIOR(STAGES - 1);
        ((float4 *)y)[i] = axpy4(alpha, stage_x[now][t], stage_y[now][t]);
    }
    axpy_tail(4, n, alpha, x, y);
}

/* ---- mbarriers ---- */

static __device__ __forceinline__ void barrier_init(unsigned barrier, unsigned arrivals) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

static __device__ __forceinline__ void barrier_arrive(unsigned barrier) {
    asm volatile("{\n\t.reg .b64 state;\n\tmbarrier.arrive.shared.b64 state, [%0];\n\t}" ::"r"(barrier) : "memory");
}

static __device__ __forceinline__ void barrier_wait(unsigned barrier, unsigned parity) {
    unsigned done = 0;
    while (!done) {
        asm volatile("{\n\t"
                     ".reg .pred complete;\n\t"
#if __CUDA_ARCH__ >= 900
                     "mbarrier.try_wait.parity.shared.b64 complete, [%1], %2;\n\t"
#else
                     "mbarrier.test_wait.parity.shared.b64 complete, [%1], %2;\n\t"
#endif
                     "selp.b32 %0, 1, 0, complete;\n\t"
                     "}"
                     : "=r"(done)
                     : "r"(barrier), "r"(parity)
                     : "memory");
    }
}

#if __CUDA_ARCH__ >= 900
static __device__ __forceinline__ void bulk_load(unsigned to, const void *from, unsigned bytes, unsigned barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
}

/* One thread: asks for tile `tile` of x and y, both counted on `barrier`. */
static __device__ __forceinline__ void fill(float4 *to_x, float4 *to_y, const float *x, const float *y, unsigned tile,
                                            unsigned barrier) {
    asm volatile("{\n\t.reg .b64 state;\n\tmbarrier.arrive.expect_tx.shared.b64 state, [%0], %1;\n\t}" ::"r"(barrier),
                 "r"(2 * TILE * 4)
                 : "memory");
    bulk_load(shared_address(to_x), x + (size_t)tile * TILE, TILE * 4, barrier);
    bulk_load(shared_address(to_y), y + (size_t)tile * TILE, TILE * 4, barrier);
}
#endif

/* ---- the block stages together ---- */

extern "C" __global__ void __launch_bounds__(BLOCK) saxpy_bulk(unsigned n, float alpha, const float *x, float *y) {
    __shared__ __align__(128) float4 stage_x[STAGES][BLOCK], stage_y[STAGES][BLOCK];
    unsigned tiles = n / TILE, t = threadIdx.x;
#if __CUDA_ARCH__ >= 900
    __shared__ __align__(8) unsigned long long full[STAGES];
    if (t == 0) {
        for (unsigned s = 0; s < STAGES; s++) barrier_init(shared_address(&full[s]), 1);
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
        ((float4 *)y)[(size_t)tile * BLOCK + t] = axpy4(alpha, a, b);
    }
#else
    unsigned ahead = blockIdx.x, now = 0;
    for (unsigned s = 0; s < STAGES - 1; s++, ahead += gridDim.x)
        fetch(&stage_x[s][t], &stage_y[s][t], x, y, ahead * BLOCK + t, tiles * BLOCK);
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x, ahead += gridDim.x, now = (now + 1) % STAGES) {
        unsigned empty = (now + STAGES - 1) % STAGES;
        WAIT_PRIOR(STAGES - 2);
        __syncthreads();
        fetch(&stage_x[empty][t], &stage_y[empty][t], x, y, ahead * BLOCK + t, tiles * BLOCK);
        ((float4 *)y)[(size_t)tile * BLOCK + t] = axpy4(alpha, stage_x[now][t], stage_y[now][t]);
    }
#endif
    axpy_tail(TILE, n, alpha, x, y);
}

/* ---- a warp fills, the others use ---- */

extern "C" __global__ void __launch_bounds__(BLOCK + 32)
    saxpy_roles(unsigned n, float alpha, const float *x, float *y) {
    __shared__ __align__(128) float4 stage_x[STAGES][BLOCK], stage_y[STAGES][BLOCK];
    __shared__ __align__(8) unsigned long long full[STAGES], empty[STAGES];
    unsigned tiles = n / TILE, t = threadIdx.x, s = 0, phase = 0;
    if (t == 0) {
        for (unsigned k = 0; k < STAGES; k++) {
            barrier_init(shared_address(&full[k]), __CUDA_ARCH__ >= 900 ? 1 : 32);
            barrier_init(shared_address(&empty[k]), BLOCK / 32);
        }
#if __CUDA_ARCH__ >= 900
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
    }
    __syncthreads();
    if (t >= BLOCK) {
        for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            barrier_wait(shared_address(&empty[s]), phase ^ 1);
#if __CUDA_ARCH__ >= 900
            if (t == BLOCK) fill(stage_x[s], stage_y[s], x, y, tile, shared_address(&full[s]));
#else
#pragma unroll
            for (unsigned k = 0; k < BLOCK; k += 32) {
                copy16(&stage_x[s][k + t - BLOCK], (const float4 *)x + (size_t)tile * BLOCK + k + t - BLOCK);
                copy16(&stage_y[s][k + t - BLOCK], (const float4 *)y + (size_t)tile * BLOCK + k + t - BLOCK);
            }
            asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(&full[s])) : "memory");
#endif
            s = (s + 1) % STAGES;
            phase ^= s == 0;
        }
    } else {
        for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            barrier_wait(shared_address(&full[s]), phase);
            float4 a = stage_x[s][t], b = stage_y[s][t];
            __syncwarp();
            if (t % 32 == 0) barrier_arrive(shared_address(&empty[s]));
            ((float4 *)y)[(size_t)tile * BLOCK + t] = axpy4(alpha, a, b);
            s = (s + 1) % STAGES;
            phase ^= s == 0;
        }
    }
    axpy_tail(TILE, n, alpha, x, y);
}
