/* SAXPY, the last rung: Hopper's bulk copy engine fills the stages.
 *
 * One thread asks for 4 KiB of x and of y at a time; no register and no load slot is held meanwhile, and all threads
 * wait on an mbarrier that counts the bytes as they arrive. */
#include <cuda_runtime.h>

#define BLOCK 256
#define STAGES 4
#define TILE 1024 /* floats a stage: one vector a thread */

static __device__ __forceinline__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

static __device__ __forceinline__ void barrier_init(unsigned barrier) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
}

static __device__ __forceinline__ void barrier_expect(unsigned barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

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

/* One thread: asks for tile `tile` of x and y, both counted on `barrier`. */
static __device__ __forceinline__ void fill(float4 *to_x, float4 *to_y, const float *x, const float *y, unsigned tile,
                                            unsigned barrier) {
    barrier_expect(barrier, 2 * TILE * 4);
    bulk_load(shared_address(to_x), x + (size_t)tile * TILE, TILE * 4, barrier);
    bulk_load(shared_address(to_y), y + (size_t)tile * TILE, TILE * 4, barrier);
}

/* x and y: 16-byte aligned. Blocks of BLOCK threads; any grid. What does not fill a tile goes by single words. */
extern "C" __global__ void saxpy_bulk(unsigned n, float alpha, const float *x, float *y) {
    __shared__ __align__(128) float4 stage_x[STAGES][BLOCK];
    __shared__ __align__(128) float4 stage_y[STAGES][BLOCK];
    __shared__ __align__(8) unsigned long long full[STAGES];
    unsigned tiles = n / TILE, t = threadIdx.x;
    if (t == 0) {
        for (unsigned s = 0; s < STAGES; s++) barrier_init(shared_address(&full[s]));
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
        ((float4 *)y)[(size_t)tile * BLOCK + t] =
            make_float4(fmaf(alpha, a.x, b.x), fmaf(alpha, a.y, b.y), fmaf(alpha, a.z, b.z), fmaf(alpha, a.w, b.w));
    }
    unsigned i = tiles * TILE;
    for (unsigned k = blockIdx.x * BLOCK + t; k < n % TILE; k += gridDim.x * BLOCK)
        y[i + k] = fmaf(alpha, x[i + k], y[i + k]);
}
