/* Three ways of multiplying matrices with the matrix units, c (m x n, float) = a (m x k, half) b (half): what programs
 * for them are made of. Sizes are multiples of the tiles. */
#include <cuda.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <stdint.h>

/* ---- wmma: each warp makes a tile of 16 x 16; b is k x n ---- */

extern "C" __global__ void gemm_wmma(const half *a, const half *b, float *c, int n, int k)
{
    using namespace nvcuda;
    const int row = 16 * blockIdx.y, column = 16 * (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32);
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> part_a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> part_b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int i = 0; i < k; i += 16) {
        wmma::load_matrix_sync(part_a, a + row * k + i, k);
        wmma::load_matrix_sync(part_b, b + i * n + column, n);
        wmma::mma_sync(sum, part_a, part_b, sum);
    }
    wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

/* ---- mma: 4 warps make a tile of 64 x 64 from two stages of 32 in shared memory, whose rows are padded; b is k x n ---- */

enum { TILE = 64, DEPTH = 32, STAGES = 2, PITCH_A = DEPTH + 8, PITCH_B = TILE + 8 };

static __device__ __forceinline__ uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

static __device__ __forceinline__ void copy16(void *to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
}

static __device__ __forceinline__ void fetch_stage(half (*to_a)[PITCH_A], half (*to_b)[PITCH_B], const half *a,
                                                   const half *b, int n, int k)
{
    for (int i = threadIdx.x; i < TILE * DEPTH / 8; i += 128)
        copy16(&to_a[i / 4][i % 4 * 8], a + i / 4 * k + i % 4 * 8);
    for (int i = threadIdx.x; i < DEPTH * TILE / 8; i += 128)
        copy16(&to_b[i / 8][i % 8 * 8], b + i / 8 * n + i % 8 * 8);
    asm volatile("cp.async.commit_group;" ::: "memory");
}

static __device__ __forceinline__ void load_a(uint32_t (&r)[4], const half *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(row))
                 : "memory");
}

static __device__ __forceinline__ void load_b(uint32_t (&r)[4], const half *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(row))
                 : "memory");
}

static __device__ __forceinline__ void multiply(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

extern "C" __global__ void __launch_bounds__(128) gemm_mma(const half *a, const half *b, float *c, int n, int k)
{
    __shared__ __align__(16) half tile_a[STAGES][TILE][PITCH_A], tile_b[STAGES][DEPTH][PITCH_B];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, top = 32 * (warp / 2), left = 32 * (warp % 2);
    float sum[2][4][4] = {};
    a += (size_t)TILE * blockIdx.y * k;
    b += TILE * blockIdx.x;
    fetch_stage(tile_a[0], tile_b[0], a, b, n, k);
    for (int i = 0; i < k; i += DEPTH) {
        const int stage = i / DEPTH % STAGES;
        if (i + DEPTH < k)
            fetch_stage(tile_a[stage ^ 1], tile_b[stage ^ 1], a + i + DEPTH, b + (size_t)(i + DEPTH) * n, n, k);
        else
            asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        for (int part = 0; part < DEPTH; part += 16) {
            uint32_t part_a[2][4], part_b[2][4];
            for (int y = 0; y < 2; y++)
                load_a(part_a[y], &tile_a[stage][top + 16 * y + lane % 16][part + lane / 16 * 8]);
            for (int x = 0; x < 2; x++)
                load_b(part_b[x], &tile_b[stage][part + lane % 16][left + 16 * x + lane / 16 * 8]);
            for (int y = 0; y < 2; y++)
                for (int x = 0; x < 4; x++)
                    multiply(sum[y][x], part_a[y], part_b[x / 2][x % 2 * 2], part_b[x / 2][x % 2 * 2 + 1]);
        }
        __syncthreads();
    }
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 4; x++)
            for (int e = 0; e < 4; e++) {
                const int row = TILE * blockIdx.y + top + 16 * y + lane / 4 + e / 2 * 8;
                const int column = TILE * blockIdx.x + left + 8 * x + lane % 4 * 2 + e % 2;
                c[row * n + column] = sum[y][x][e];
            }
}

/* ---- wgmma: a warpgroup makes a tile of 64 x 64 from two stages of 64, which tensor copies bring with a swizzle of 128
 * bytes; b is n x k ---- */

enum { GROUP_DEPTH = 64, STAGE_BYTES = 2 * TILE * GROUP_DEPTH * 2 };

static __device__ __forceinline__ void fetch(uint32_t to, const CUtensorMap *map, int x, int y, uint32_t bar)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
                 "[%4];" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(bar)
                 : "memory");
}

static __device__ __forceinline__ void fetch_tiles(uint32_t to, const CUtensorMap *a, const CUtensorMap *b, int i, uint32_t bar)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"((int)STAGE_BYTES) : "memory");
    fetch(to, a, i, TILE * blockIdx.y, bar);
    fetch(to + STAGE_BYTES / 2, b, i, TILE * blockIdx.x, bar);
}

static __device__ __forceinline__ void wait_for(uint32_t bar, uint32_t parity)
{
    asm volatile("{\n.reg .pred p;\nWAIT:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra WAIT;\n}" ::"r"(bar),
                 "r"(parity)
                 : "memory");
}

/* Rows of 128 bytes, eight of which make a pattern. */
static __device__ __forceinline__ uint64_t describe(uint32_t at)
{
    return (uint64_t)((at & 0x3ffff) >> 4) | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}

static __device__ __forceinline__ void group_multiply(float (&d)[32], uint64_t a, uint64_t b)
{
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, "
        "%14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, 1, 1, 1, 0, "
        "0;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
          "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),
          "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]),
          "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
        : "l"(a), "l"(b));
}

extern "C" __global__ void __launch_bounds__(128)
    gemm_wgmma(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c, int n, int k)
{
    __shared__ __align__(1024) unsigned char tiles[STAGES][STAGE_BYTES];
    __shared__ uint64_t full[STAGES];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float sum[32] = {};
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&full[s])) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        for (int s = 0; s < STAGES && s * GROUP_DEPTH < k; s++)
            fetch_tiles(shared_address(tiles[s]), &a, &b, s * GROUP_DEPTH, shared_address(&full[s]));
    }
    __syncthreads();
    for (int i = 0; i < k / GROUP_DEPTH; i++) {
        const int s = i % STAGES;
        const uint32_t at = shared_address(tiles[s]);
        wait_for(shared_address(&full[s]), i / STAGES % 2);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int part = 0; part < GROUP_DEPTH; part += 16)
            group_multiply(sum, describe(at + 2 * part), describe(at + STAGE_BYTES / 2 + 2 * part));
        asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
        __syncthreads();
        if (threadIdx.x == 0 && (i + STAGES) * GROUP_DEPTH < k)
            fetch_tiles(at, &a, &b, (i + STAGES) * GROUP_DEPTH, shared_address(&full[s]));
    }
    for (int e = 0; e < 32; e++) {
        const int row = TILE * blockIdx.y + 16 * warp + lane / 4 + e / 2 % 2 * 8;
        const int column = TILE * blockIdx.x + e / 4 * 8 + lane % 4 * 2 + e % 2;
        c[row * n + column] = sum[e];
    }
}
