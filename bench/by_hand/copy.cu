/* The form of kernels/copy.cu that goes through stages, written by hand, for tools/device/budget.py. */
#include <cuda_runtime.h>

#define TILE 2048
#define STAGES 4

static __device__ __forceinline__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

#if __CUDA_ARCH__ >= 900
static __device__ __forceinline__ void fill(float *stage, const float *from, unsigned barrier) {
    asm volatile("{\n\t.reg .b64 state;\n\tmbarrier.arrive.expect_tx.shared.b64 state, [%0], %1;\n\t}" ::"r"(barrier),
                 "r"(TILE * 4)
                 : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(stage)),
                 "l"(from), "r"(TILE * 4), "r"(barrier)
                 : "memory");
}

static __device__ __forceinline__ void barrier_wait(unsigned barrier, unsigned parity) {
    unsigned done = 0;
    while (!done) {
        asm volatile("{\n\t"
                     ".reg .pred complete;\n\t"
                     "mbarrier.try_wait.parity.shared.b64 complete, [%1], %2;\n\t"
                     "selp.b32 %0, 1, 0, complete;\n\t"
                     "}"
                     : "=r"(done)
                     : "r"(barrier), "r"(parity)
                     : "memory");
    }
}
#else
static __device__ __forceinline__ void fill(float *stage, const float *from) {
#pragma unroll
    for (unsigned k = 0; k < TILE; k += 32 * 4)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(stage + k + threadIdx.x * 4)),
                     "l"(from + k + threadIdx.x * 4)
                     : "memory");
}
#endif

extern "C" __global__ void __launch_bounds__(32) copy_bulk(const float *in, float *out, unsigned n) {
    extern __shared__ __align__(128) float stages[];
    unsigned tiles = n / TILE, ahead = blockIdx.x, s = 0, lane = threadIdx.x;
#if __CUDA_ARCH__ >= 900
    __shared__ __align__(8) unsigned long long full[STAGES];
    unsigned phase = 0;
    if (lane == 0) {
        for (unsigned k = 0; k < STAGES; k++)
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&full[k])) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        for (unsigned k = 0; k < STAGES - 1; k++, ahead += gridDim.x)
            if (ahead < tiles) fill(stages + k * TILE, in + (size_t)ahead * TILE, shared_address(&full[k]));
        for (unsigned k = blockIdx.x; k < tiles; k += gridDim.x, ahead += gridDim.x) {
            const unsigned empty = (s + STAGES - 1) % STAGES;
            barrier_wait(shared_address(&full[s]), phase);
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + (size_t)k * TILE),
                         "r"(shared_address(stages + s * TILE)), "r"(TILE * 4)
                         : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
            if (ahead < tiles) fill(stages + empty * TILE, in + (size_t)ahead * TILE, shared_address(&full[empty]));
            s = (s + 1) % STAGES;
            phase ^= s == 0;
        }
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
#else
    for (unsigned k = 0; k < STAGES - 1; k++, ahead += gridDim.x) {
        if (ahead < tiles) fill(stages + k * TILE, in + (size_t)ahead * TILE);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    for (unsigned k = blockIdx.x; k < tiles; k += gridDim.x, ahead += gridDim.x, s = (s + 1) % STAGES) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncwarp();
        if (ahead < tiles) fill(stages + (s + STAGES - 1) % STAGES * TILE, in + (size_t)ahead * TILE);
        asm volatile("cp.async.commit_group;" ::: "memory");
#pragma unroll 4
        for (unsigned i = lane * 4; i < TILE; i += 32 * 4)
            *(float4 *)(out + (size_t)k * TILE + i) = *(const float4 *)(stages + s * TILE + i);
    }
#endif
    for (unsigned k = blockIdx.x * 32 + lane; k < n % TILE; k += gridDim.x * 32)
        out[(size_t)tiles * TILE + k] = in[(size_t)tiles * TILE + k];
}
