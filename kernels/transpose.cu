/* Transposes: out (columns x rows) = in (rows x columns) transposed, both row-major.
 *
 * A thread that reads along a row writes along a column. The tiled forms transpose a square in shared memory (or, the
 * smallest, in registers), so that both sides move whole sectors. They differ in how many words an instruction moves,
 * and in bank conflicts. Blocks of 256 threads, one tile each, in a grid of one dimension; any rows and columns. */
#include <cuda_runtime.h>
#include <haul/device.h>

#define BLOCK 256

/* Tile `tile` of a row-major order, `side` wide: its first column and row. */
static __device__ __forceinline__ uint2 tile_origin(unsigned tile, unsigned columns, unsigned side) {
    unsigned across = (columns - 1) / side + 1;
    return make_uint2(tile % across * side, tile / across * side);
}

/* ---- tiles of 32 x 32 words; a thread moves four of them, eight rows apart ---- */

extern "C" __global__ void __launch_bounds__(BLOCK)
    transpose_plain(float *out, const float *in, unsigned rows, unsigned columns) {
    uint2 at = tile_origin(blockIdx.x, columns, 32);
    unsigned x = at.x + threadIdx.x % 32, y = at.y + threadIdx.x / 32;
    for (unsigned k = 0; k < 32; k += 8) {
        if (x < columns && y + k < rows) out[(size_t)x * rows + y + k] = in[(size_t)(y + k) * columns + x];
    }
}

/* A row is one word longer than the tile is wide: a column's words lie in 32 different banks. */
extern "C" __global__ void __launch_bounds__(BLOCK)
    transpose_padded(float *out, const float *in, unsigned rows, unsigned columns) {
    __shared__ float tile[32][33];
    uint2 at = tile_origin(blockIdx.x, columns, 32);
    unsigned lane = threadIdx.x % 32, first = threadIdx.x / 32;
#pragma unroll
    for (unsigned k = 0; k < 32; k += 8) {
        unsigned y = first + k;
        if (at.x + lane < columns && at.y + y < rows) tile[y][lane] = in[(size_t)(at.y + y) * columns + at.x + lane];
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < 32; k += 8) {
        unsigned y = first + k;
        if (at.y + lane < rows && at.x + y < columns) out[(size_t)(at.x + y) * rows + at.y + lane] = tile[lane][y];
    }
}

/* ---- 16-byte accesses ---- */

/* Rows of both matrices begin at multiples of 16 bytes: a vector lies in the matrix as a whole or not at all. */
static __device__ __forceinline__ bool in_vectors(const float *out, const float *in, unsigned rows, unsigned columns) {
    return (((size_t)out | (size_t)in) % 16 | rows % 4 | columns % 4) == 0;
}

/* Word k of four vectors: a column of the square that they are the rows of. */
static __device__ __forceinline__ float4 column(const float4 v[4], unsigned k) {
    const float *a = &v[0].x, *b = &v[1].x, *c = &v[2].x, *d = &v[3].x;
    return make_float4(a[k], b[k], c[k], d[k]);
}

/* Four rows of four words from `from` on. */
static __device__ __forceinline__ void load_square(float4 v[4], const float *from, size_t pitch) {
#pragma unroll
    for (unsigned k = 0; k < 4; k++) v[k] = *(const float4 *)(from + k * pitch);
}

/* Parts that do not form vectors: up to a square of 4 x 4, word by word. */
static __device__ __forceinline__ void transpose_square(float *out, const float *in, unsigned rows, unsigned columns,
                                                        unsigned x, unsigned y) {
    for (unsigned i = y; i < y + 4 && i < rows; i++) {
        for (unsigned j = x; j < x + 4 && j < columns; j++) out[(size_t)j * rows + i] = in[(size_t)i * columns + j];
    }
}

/* No shared memory: a thread transposes 4 x 4 words in registers. A warp's lanes are 8 along a row and 4 down, so a
 * load touches four whole lines, a store eight halves. Tiles of 64 x 64. */
extern "C" __global__ void __launch_bounds__(BLOCK)
    transpose_registers(float *out, const float *in, unsigned rows, unsigned columns) {
    uint2 at = tile_origin(blockIdx.x, columns, 64);
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned x = at.x + warp % 2 * 32 + lane % 8 * 4, y = at.y + warp / 2 * 16 + lane / 8 * 4;
    if (!in_vectors(out, in, rows, columns)) {
        transpose_square(out, in, rows, columns, x, y);
        return;
    }
    if (x >= columns || y >= rows) return;
    float4 v[4];
    load_square(v, in + (size_t)y * columns + x, columns);
#pragma unroll
    for (unsigned k = 0; k < 4; k++) *(float4 *)(out + (size_t)(x + k) * rows + y) = column(v, k);
}

/* The padded tile made larger: 64 x 64 words with 16-byte accesses to global memory. Shared memory is still accessed by
 * words, now four words apart, which padding by one does not free from conflicts. */
extern "C" __global__ void __launch_bounds__(BLOCK)
    transpose_wide(float *out, const float *in, unsigned rows, unsigned columns) {
    __shared__ float tile[64][65];
    uint2 at = tile_origin(blockIdx.x, columns, 64);
    unsigned x = threadIdx.x % 16 * 4, first = threadIdx.x / 16;
    if (!in_vectors(out, in, rows, columns)) {
        transpose_square(out, in, rows, columns, at.x + x, at.y + first * 4);
        return;
    }
#pragma unroll
    for (unsigned k = 0; k < 64; k += 16) {
        unsigned y = first + k;
        if (at.x + x >= columns || at.y + y >= rows) continue;
        float4 v = *(const float4 *)(in + (size_t)(at.y + y) * columns + at.x + x);
        tile[y][x] = v.x, tile[y][x + 1] = v.y, tile[y][x + 2] = v.z, tile[y][x + 3] = v.w;
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < 64; k += 16) {
        unsigned y = first + k;
        if (at.y + x >= rows || at.x + y >= columns) continue;
        float4 v = make_float4(tile[x][y], tile[x + 1][y], tile[x + 2][y], tile[x + 3][y]);
        /* Not an assignment, which nvcc turns into four stores here. */
        __stwb((float4 *)(out + (size_t)(at.x + y) * rows + at.y + x), v);
    }
}

/* ---- the fast form: 64 x 64 words, 16-byte accesses everywhere ----
 *
 * The tile is stored as it will leave: row r holds column r of the input, in 16 vectors. A thread transposes 4 x 4
 * words in registers and stores four vectors, one into each of four rows; vector c of row r is stored at c ^ (r / 4 %
 * 8). Eight lanes that store (rows 4 apart, the same vector) and eight lanes that load (neighbours of one row) then use
 * eight different sets of four banks: the minimum for 16-byte accesses. */

#define SIDE 64
typedef float4 swizzled_tile[SIDE][SIDE / 4];

static __device__ __forceinline__ unsigned swizzle(unsigned row, unsigned vector) {
    return haul_swizzle(row / 4, vector, SIDE / 4, 16);
}

/* `turned`: L1 keeps nothing, and what is written leaves L2 first. (To keep in L2 what is read gains another 1 % on an
 * H200, but the kernels that follow find those lines in their way.) */
static __device__ __forceinline__ void move_vectors(swizzled_tile tile, float *out, const float *in, unsigned rows,
                                                    unsigned columns, uint2 at, bool turned) {
    const haul_how load = turned ? HAUL_LOAD_NO_ALLOCATE : HAUL_AUTO;
    const haul_how store = turned ? HAUL_L2_EVICT_FIRST : HAUL_AUTO;
    unsigned x = threadIdx.x % 16, first = threadIdx.x / 16;
    if (at.x + 4 * x < columns && at.y + 4 * first < rows) {
        float4 v[4];
        const float *from = in + (size_t)(at.y + 4 * first) * columns + at.x + 4 * x;
#pragma unroll
        for (unsigned k = 0; k < 4; k++)
            haul_load_global((uint4 *)&v[k], haul_global_address(from + (size_t)k * columns), 16, load);
#pragma unroll
        for (unsigned k = 0; k < 4; k++) tile[4 * x + k][swizzle(4 * x, first)] = column(v, k);
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < SIDE; k += 16) {
        unsigned r = first + k;
        if (at.y + 4 * x < rows && at.x + r < columns)
            haul_store_global(haul_global_address(out + (size_t)(at.x + r) * rows + at.y + 4 * x),
                              (const uint4 *)&tile[r][swizzle(r, x)], 16, store);
    }
}

/* The same tile by words, for rows that begin anywhere. */
static __device__ __forceinline__ void move_words(swizzled_tile tile, float *out, const float *in, unsigned rows,
                                                  unsigned columns, uint2 at) {
    float *words = &tile[0][0].x;
    unsigned x = threadIdx.x % SIDE, first = threadIdx.x / SIDE;
#pragma unroll
    for (unsigned k = 0; k < SIDE; k += BLOCK / SIDE) {
        unsigned y = first + k;
        if (at.x + x < columns && at.y + y < rows)
            words[x * SIDE + swizzle(x, y / 4) * 4 + y % 4] = in[(size_t)(at.y + y) * columns + at.x + x];
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < SIDE; k += BLOCK / SIDE) {
        unsigned y = first + k;
        if (at.y + x < rows && at.x + y < columns)
            out[(size_t)(at.x + y) * rows + at.y + x] = words[y * SIDE + swizzle(y, x / 4) * 4 + x % 4];
    }
}

/* On an H100 three blocks an SM are better than the seven that fit (0.975 of a device-to-device memcpy instead of
 * 0.970): 48 KiB in flight are enough, and more makes memory switch more often between reads and writes. The host
 * function limits the blocks, and orders tiles by the rows that are read, so that blocks that run together write 256
 * bytes of each row that they write. */
extern "C" __global__ void __launch_bounds__(BLOCK)
    transpose_swizzled(float *out, const float *in, unsigned rows, unsigned columns) {
    __shared__ swizzled_tile tile;
    uint2 at = tile_origin(blockIdx.x, columns, SIDE);
    if (in_vectors(out, in, rows, columns))
        move_vectors(tile, out, in, rows, columns, at, false);
    else
        move_words(tile, out, in, rows, columns, at);
}

/* Tiles in the order of the rows that are written, as many blocks as fit. For an H200, whose memory has 1.43 times an
 * H100's rate for the same SMs: 0.97 of a memcpy instead of 0.95. */
extern "C" __global__ void __launch_bounds__(BLOCK)
    transpose_turned(float *out, const float *in, unsigned rows, unsigned columns) {
    __shared__ swizzled_tile tile;
    uint2 to = tile_origin(blockIdx.x, rows, SIDE), at = make_uint2(to.y, to.x);
    if (in_vectors(out, in, rows, columns))
        move_vectors(tile, out, in, rows, columns, at, true);
    else
        move_words(tile, out, in, rows, columns, at);
}
