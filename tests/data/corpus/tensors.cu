/* Tensor copies: boxes of 1 to 5 dimensions, every swizzle, both directions, reductions, prefetches, multicast, pixels. */
#define T threadIdx.x
#define SMEM(p) ((unsigned)__cvta_generic_to_shared(p))

struct __align__(64) map { unsigned long long opaque[16]; };

#define BARRIER(bytes)                                                                                                      \
    __shared__ __align__(8) unsigned long long bar;                                                                         \
    if (T == 0) {                                                                                                           \
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(SMEM(&bar)) : "memory");                                \
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");                                                  \
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(SMEM(&bar)), "r"(bytes) : "memory");    \
    }
#define WAIT_BARRIER()                                                                                                      \
    __syncthreads();                                                                                                        \
    asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @p bra D; bra W; D: }" ::"r"(SMEM(&bar)) : "memory")
#define LOAD(rank, coordinates)                                                                                              \
    asm volatile("cp.async.bulk.tensor." rank ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, " coordinates "], [%7];" \
                 ::"r"(SMEM(box)), "l"(&m), "r"(x), "r"(y), "r"(z), "r"(u), "r"(v), "r"(SMEM(&bar)) : "memory")
#define STORE(rank, coordinates)                                                                                             \
    asm volatile("cp.async.bulk.tensor." rank ".global.shared::cta.tile.bulk_group [%1, " coordinates "], [%0];" ::"r"(SMEM(box)), "l"(&m), \
                 "r"(x), "r"(y), "r"(z), "r"(u), "r"(v) : "memory")
#define ADD(rank, coordinates)                                                                                               \
    asm volatile("cp.reduce.async.bulk.tensor." rank ".global.shared::cta.add.tile.bulk_group [%1, " coordinates "], [%0];" ::"r"(SMEM(box)), \
                 "l"(&m), "r"(x), "r"(y), "r"(z), "r"(u), "r"(v) : "memory")
#define ONE "{%2}"
#define TWO "{%2, %3}"
#define THREE "{%2, %3, %4}"
#define FOUR "{%2, %3, %4, %5}"
#define FIVE "{%2, %3, %4, %5, %6}"
#define EACH_RANK(does)                  \
    if (rank == 1) does("1d", ONE);      \
    else if (rank == 2) does("2d", TWO); \
    else if (rank == 3) does("3d", THREE); \
    else if (rank == 4) does("4d", FOUR); \
    else does("5d", FIVE)
#define FINISH() asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory")

extern "C" {

/* A box to shared memory, and what is there to `out`. `bytes`: of the box in shared memory; `expected`: what is counted. */
__global__ void box_load(const __grid_constant__ map m, const float *array, float *out, int rank, int x, int y, int z, int u, int v, int bytes, int expected) {
    extern __shared__ __align__(1024) float box[];
    for (int k = T; k < bytes / 4; k += blockDim.x) box[k] = 0.0f;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    BARRIER(expected)
    __syncthreads();
    if (T == 0) { EACH_RANK(LOAD); }
    WAIT_BARRIER();
    for (int k = T; k < bytes / 4; k += blockDim.x) out[k] = box[k];
}
__global__ void box_store(const __grid_constant__ map m, float *array, int rank, int x, int y, int z, int u, int v, int bytes) {
    extern __shared__ __align__(1024) float box[];
    for (int k = T; k < bytes / 4; k += blockDim.x) box[k] = (float)k;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (T == 0) {
        EACH_RANK(STORE);
        FINISH();
    }
}
__global__ void box_add(const __grid_constant__ map m, unsigned *array, int rank, int x, int y, int z, int u, int v, int bytes) {
    extern __shared__ __align__(1024) float box[];
    for (int k = T; k < bytes / 4; k += blockDim.x) box[k] = __uint_as_float((unsigned)k);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (T == 0) {
        EACH_RANK(ADD);
        FINISH();
    }
}
/* A grid of tiles through shared memory: 2D loads and stores, one box a block. */
__global__ void tiles_copy(const __grid_constant__ map from, const __grid_constant__ map to, const float *array, float *copy, int width, int height, int bytes) {
    extern __shared__ __align__(1024) float box[];
    BARRIER(bytes)
    int x = blockIdx.x * width, y = blockIdx.y * height;
    if (T == 0)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(SMEM(box)),
                     "l"(&from), "r"(x), "r"(y), "r"(SMEM(&bar)) : "memory");
    WAIT_BARRIER();
    for (int k = T; k < bytes / 4; k += blockDim.x) box[k] += 1.0f;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (T == 0) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%1, {%2, %3}], [%0];" ::"r"(SMEM(box)), "l"(&to), "r"(x), "r"(y) : "memory");
        FINISH();
    }
}
__global__ void tile_transpose(const __grid_constant__ map m, const float *array, float *out, int n, int swizzled) {
    __shared__ __align__(1024) float box[32 * 32];
    BARRIER(4096)
    if (T == 0)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(SMEM(box)),
                     "l"(&m), "r"((int)blockIdx.x * 32), "r"((int)blockIdx.y * 32), "r"(SMEM(&bar)) : "memory");
    WAIT_BARRIER();
    int x = T & 31;
    for (int y = T / 32; y < 32; y += blockDim.x / 32) {
        int column = swizzled ? y ^ (x & 7) << 2 : y;
        out[(blockIdx.x * 32 + y) * n + blockIdx.y * 32 + x] = box[x * 32 + column];
    }
}
__global__ void box_prefetch(const __grid_constant__ map m, const float *array, float *out, int x, int y) {
    if (T == 0) asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(&m), "r"(x), "r"(y) : "memory");
    __syncthreads();
    out[T] = array[T];
}
__global__ void __cluster_dims__(2, 1, 1) box_multicast(const __grid_constant__ map m, const float *array, float *out, int x, int y, int bytes) {
    extern __shared__ __align__(1024) float box[];
    BARRIER(bytes)
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    if (T == 0 && (blockIdx.x & 1) == 0)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;"
                     ::"r"(SMEM(box)), "l"(&m), "r"(x), "r"(y), "r"(SMEM(&bar)), "h"((unsigned short)3) : "memory");
    WAIT_BARRIER();
    for (int k = T; k < bytes / 4; k += blockDim.x) out[blockIdx.x * (bytes / 4) + k] = box[k];
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}
__global__ void pixels_load(const __grid_constant__ map m, const float *array, float *out, int c, int w, int h, int n, int s, int r, int bytes) {
    extern __shared__ __align__(1024) float box[];
    BARRIER(bytes)
    if (T == 0)
        asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};"
                     ::"r"(SMEM(box)), "l"(&m), "r"(c), "r"(w), "r"(h), "r"(n), "r"(SMEM(&bar)), "h"((unsigned short)s), "h"((unsigned short)r) : "memory");
    WAIT_BARRIER();
    for (int k = T; k < bytes / 4; k += blockDim.x) out[k] = box[k];
}

} /* extern "C" */
