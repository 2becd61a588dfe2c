/* Products of matrices by the fifth generation's matrix units: c = a b, where a is m x k, b is n x k, both by rows, and c
 * m x n of 32-bit words. A block makes a tile of 128 x 128 (a pair of blocks one of 256 x 128): one thread brings tiles of
 * 128 bytes of k by tensor copies with a swizzle of 128 bytes, another issues the products, and four warps take the sums
 * out of tensor memory. `map_a` and `map_b` are of bytes; `kb` is k in bytes. */
#include <cuda.h>
#include <stdint.h>

enum { TILE = 128, DEPTH = 128, STAGES = 2, TILE_BYTES = TILE * DEPTH, COLUMNS = 128, STEP = 32 };

static __device__ __forceinline__ uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

static __device__ __forceinline__ void fetch(uint32_t to, const CUtensorMap *map, int x, int y, uint32_t bar)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
                 "[%4];" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(bar)
                 : "memory");
}

static __device__ __forceinline__ void expect(uint32_t bar, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}

static __device__ __forceinline__ void init(uint32_t bar, int count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(count) : "memory");
}

static __device__ __forceinline__ void wait_for(uint32_t bar, uint32_t parity)
{
    asm volatile("{\n.reg .pred p;\nWAIT:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra WAIT;\n}" ::"r"(bar),
                 "r"(parity)
                 : "memory");
}

/* Rows of 128 bytes, eight of which make a pattern; the constant 1 of the sm_100 layout. */
static __device__ __forceinline__ uint64_t describe(uint32_t at)
{
    return (uint64_t)((at & 0x3ffff) >> 4) | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 46 |
           (uint64_t)2 << 61;
}

/* Sums of m x n: types of a, b and d as the instruction descriptor has them. */
static __device__ __forceinline__ uint32_t instruction(uint32_t m, uint32_t n, uint32_t d, uint32_t a, uint32_t b)
{
    return d << 4 | a << 7 | b << 10 | n >> 3 << 17 | m >> 4 << 24;
}

static __device__ __forceinline__ void after_sync(void)
{
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

static __device__ __forceinline__ void before_sync(void)
{
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}

#define MULTIPLY(group, kind, d, a, b, i, keep)                                                        \
    asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %4, 0;\n"                                           \
                 "tcgen05.mma.cta_group::" group ".kind::" kind " [%0], %1, %2, %3, p;\n}" ::"r"(d), \
                 "l"(a), "l"(b), "r"(i), "r"(keep)                                                     \
                 : "memory")

static __device__ __forceinline__ void load_sums(uint32_t (&d)[32], uint32_t at)
{
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x32.b32 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, [%32];"
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]), "=r"(d[4]), "=r"(d[5]), "=r"(d[6]), "=r"(d[7]), "=r"(d[8]),
                   "=r"(d[9]), "=r"(d[10]), "=r"(d[11]), "=r"(d[12]), "=r"(d[13]), "=r"(d[14]), "=r"(d[15]), "=r"(d[16]),
                   "=r"(d[17]), "=r"(d[18]), "=r"(d[19]), "=r"(d[20]), "=r"(d[21]), "=r"(d[22]), "=r"(d[23]), "=r"(d[24]),
                   "=r"(d[25]), "=r"(d[26]), "=r"(d[27]), "=r"(d[28]), "=r"(d[29]), "=r"(d[30]), "=r"(d[31])
                 : "r"(at));
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
}

/* The warp's 32 rows of the tile. */
static __device__ __forceinline__ void store_sums(uint32_t tensor, uint32_t *c, int n, int row, int column)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int j = 0; j < TILE; j += 32) {
        uint32_t sums[32];
        load_sums(sums, tensor + ((uint32_t)(32 * warp) << 16) + j);
        for (int e = 0; e < 32; e++) c[(row + 32 * warp + lane) * n + column + j + e] = sums[e];
    }
}

typedef struct barriers {
    uint64_t full[STAGES], empty[STAGES], done;
    uint32_t tensor;
} barriers;

#define KERNEL(name, kind, type_d, type)                                                                            \
    extern "C" __global__ void __launch_bounds__(128)                                                               \
        name(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b, uint32_t *c, int n, int kb) \
    {                                                                                                                \
        __shared__ __align__(1024) unsigned char tiles[STAGES][2 * TILE_BYTES];                                      \
        __shared__ barriers b;                                                                                       \
        const int warp = threadIdx.x / 32, rounds = kb / DEPTH, i0 = TILE * blockIdx.y, j0 = TILE * blockIdx.x;      \
        if (threadIdx.x == 0) {                                                                                      \
            for (int s = 0; s < STAGES; s++) init(shared_address(&b.full[s]), 1), init(shared_address(&b.empty[s]), 1); \
            init(shared_address(&b.done), 1);                                                                        \
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");                                       \
        }                                                                                                            \
        if (warp == 2) {                                                                                             \
            asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(                  \
                             shared_address(&b.tensor)),                                                             \
                         "r"((int)COLUMNS)                                                                                \
                         : "memory");                                                                                \
            asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");                              \
        }                                                                                                            \
        before_sync();                                                                                               \
        __syncthreads();                                                                                             \
        after_sync();                                                                                                \
        const uint32_t tensor = b.tensor;                                                                            \
        if (threadIdx.x == 0) {                                                                                      \
            for (int r = 0; r < rounds; r++) {                                                                       \
                const int s = r % STAGES;                                                                            \
                const uint32_t at = shared_address(tiles[s]), full = shared_address(&b.full[s]);                     \
                wait_for(shared_address(&b.empty[s]), (r / STAGES & 1) ^ 1);                                         \
                expect(full, 2 * TILE_BYTES);                                                                        \
                fetch(at, &map_a, r * DEPTH, i0, full);                                                              \
                fetch(at + TILE_BYTES, &map_b, r * DEPTH, j0, full);                                                 \
            }                                                                                                        \
        } else if (threadIdx.x == 32) {                                                                              \
            for (int r = 0; r < rounds; r++) {                                                                       \
                const int s = r % STAGES;                                                                            \
                const uint32_t at = shared_address(tiles[s]);                                                        \
                wait_for(shared_address(&b.full[s]), r / STAGES & 1);                                                \
                after_sync();                                                                                        \
                for (int part = 0; part < DEPTH; part += STEP)                                                       \
                    MULTIPLY("1", kind, tensor, describe(at + part), describe(at + TILE_BYTES + part),               \
                             instruction(TILE, TILE, type_d, type, type), r + part);                                 \
                asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(    \
                                 shared_address(&b.empty[s]))                                                        \
                             : "memory");                                                                            \
            }                                                                                                        \
            asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(        \
                             shared_address(&b.done))                                                                \
                         : "memory");                                                                                \
        }                                                                                                            \
        __syncwarp();                                                                                                \
        wait_for(shared_address(&b.done), 0);                                                                        \
        after_sync();                                                                                                \
        store_sums(tensor, c, n, i0, j0);                                                                            \
        before_sync();                                                                                               \
        __syncthreads();                                                                                             \
        if (warp == 2)                                                                                               \
            asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(tensor), "r"((int)COLUMNS));       \
    }

KERNEL(gemm_f16, "f16", 1, 0)
KERNEL(gemm_bf16, "f16", 1, 1)
KERNEL(gemm_tf32, "tf32", 1, 2)
KERNEL(gemm_e4m3, "f8f6f4", 1, 0)
KERNEL(gemm_s8, "i8", 2, 1)

/* ---- a pair of blocks: each brings half of a's rows and half of b's columns of a tile of 256 x 128 ---- */

enum { PAIR_BYTES = TILE_BYTES + TILE_BYTES / 2 };

/* The mbarrier may be the other block's. */
static __device__ __forceinline__ void fetch_for_pair(uint32_t to, const CUtensorMap *map, int x, int y, uint32_t bar)
{
    asm volatile("cp.async.bulk.tensor.2d.cta_group::2.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "
                 "[%1, {%2, %3}], [%4];" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(bar)
                 : "memory");
}

static __device__ __forceinline__ void pair_sync(void)
{
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(128)
    gemm_pair(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b, uint32_t *c, int n, int kb)
{
    __shared__ __align__(1024) unsigned char tiles[STAGES][PAIR_BYTES];
    __shared__ barriers b;
    const int warp = threadIdx.x / 32, rounds = kb / DEPTH, rank = blockIdx.x % 2;
    const int i0 = TILE * blockIdx.x, j0 = TILE * blockIdx.y;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) init(shared_address(&b.full[s]), 1), init(shared_address(&b.empty[s]), 1);
        init(shared_address(&b.done), 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    if (warp == 2) {
        asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(shared_address(&b.tensor)),
                     "r"((int)COLUMNS)
                     : "memory");
        asm volatile("tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;");
    }
    before_sync();
    pair_sync();
    __syncthreads();
    after_sync();
    const uint32_t tensor = b.tensor;
    if (threadIdx.x == 0) {
        for (int r = 0; r < rounds; r++) {
            const int s = r % STAGES;
            const uint32_t at = shared_address(tiles[s]);
            uint32_t full; /* the first block's: it counts what both bring */
            asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(full) : "r"(shared_address(&b.full[s])));
            wait_for(shared_address(&b.empty[s]), (r / STAGES & 1) ^ 1);
            if (rank == 0) expect(shared_address(&b.full[s]), 2 * PAIR_BYTES);
            fetch_for_pair(at, &map_a, r * DEPTH, i0, full);
            fetch_for_pair(at + TILE_BYTES, &map_b, r * DEPTH, j0 + TILE / 2 * rank, full);
        }
    } else if (threadIdx.x == 32 && rank == 0) {
        const uint16_t both = 3;
        for (int r = 0; r < rounds; r++) {
            const int s = r % STAGES;
            const uint32_t at = shared_address(tiles[s]);
            wait_for(shared_address(&b.full[s]), r / STAGES & 1);
            after_sync();
            for (int part = 0; part < DEPTH; part += STEP)
                MULTIPLY("2", "f16", tensor, describe(at + part), describe(at + TILE_BYTES + part),
                         instruction(2 * TILE, TILE, 1, 0, 0), r + part);
            asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;" ::"r"(
                             shared_address(&b.empty[s])),
                         "h"(both)
                         : "memory");
        }
        asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;" ::"r"(
                         shared_address(&b.done)),
                     "h"(both)
                     : "memory");
    }
    __syncwarp();
    wait_for(shared_address(&b.done), 0);
    after_sync();
    store_sums(tensor, c, n, i0, j0);
    before_sync();
    pair_sync();
    if (warp == 2) asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;" ::"r"(tensor), "r"((int)COLUMNS));
}
