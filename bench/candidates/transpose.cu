/* Transpose of a square matrix of floats. Tiles go through shared memory; the forms differ in the tile, in the width
 * of the accesses and in the order in which blocks take the tiles: consecutive blocks run at the same time, and the
 * order decides how long the stretches of memory are that they read and write together. */
#include "candidates.h"
#include "primitives.h"

/* Tile of a block. The matrix is cut into strips `height` tiles high, and each is taken column by column; `turned`
 * exchanges the roles of the two matrices. Height 1 goes along the rows that are read. */
DEVICE uint2 tile_of(unsigned height, int turned, unsigned across) {
    unsigned strip = blockIdx.x / (height * across), inside = blockIdx.x % (height * across);
    unsigned major = inside / height, minor = strip * height + inside % height;
    return turned ? make_uint2(minor, major) : make_uint2(major, minor);
}

/* side x side tiles; each thread turns blocks of 4 x 4 in registers, so that all accesses are 16 bytes wide. The tile
 * lies turned in shared memory, its vectors XORed by their row / 4: eight lanes of a store have eight rows / 4, eight
 * lanes of a load have eight neighbouring vectors, so both hit all banks once. */
DEVICE void turn_vectors(unsigned side, unsigned threads, unsigned height, int turned, int load, int store,
                         unsigned rows, float *out, const float *in) {
    extern __shared__ __align__(128) float4 tile[];
    uint2 at = tile_of(height, turned, rows / side);
    unsigned across = side / 4, pitch = rows / 4, lanes = threads / across;
    unsigned c = threadIdx.x % across, r = threadIdx.x / across;
    const float4 *from = (const float4 *)in + (size_t)at.y * side * pitch + at.x * across;
    float4 *to = (float4 *)out + (size_t)at.x * side * pitch + at.y * across;
    float4 a[4][4];
#pragma unroll
    for (unsigned k = 0; k < across / lanes; k++) {
#pragma unroll
        for (unsigned j = 0; j < 4; j++) a[k][j] = load4(from + (size_t)((k * lanes + r) * 4 + j) * pitch + c, load);
    }
#pragma unroll
    for (unsigned k = 0; k < across / lanes; k++) {
        unsigned g = (k * lanes + r) ^ c;
        float4 *line = tile + c * 4 * across + g;
        line[0] = make_float4(a[k][0].x, a[k][1].x, a[k][2].x, a[k][3].x);
        line[across] = make_float4(a[k][0].y, a[k][1].y, a[k][2].y, a[k][3].y);
        line[across * 2] = make_float4(a[k][0].z, a[k][1].z, a[k][2].z, a[k][3].z);
        line[across * 3] = make_float4(a[k][0].w, a[k][1].w, a[k][2].w, a[k][3].w);
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < side / lanes; k++) {
        unsigned y = k * lanes + r;
        store4(to + (size_t)y * pitch + c, tile[y * across + (c ^ y / 4)], store);
    }
}

#define ARGUMENTS rows, out, in
#define VECTORS(K, name, side, threads, height, turned, ld, st, reserve) \
    K(name, threads, (side) * (side), 0, (side) * (side)*4 + (reserve),  \
      turn_vectors(side, threads, height, turned, ld, st, ARGUMENTS))
#define SIMPLE(K, side, threads, height)                                                      \
    VECTORS(K, vec##side##_t##threads##_h##height, side, threads, height, 0, USUAL, USUAL, 0) \
    VECTORS(K, vec##side##_t##threads##_h##height##_turned, side, threads, height, 1, USUAL, USUAL, 0)
#define TRANSPOSE_CANDIDATES(K)                                                      \
    SIMPLE(K, 64, 256, 1)                                                            \
    SIMPLE(K, 64, 256, 4)                                                            \
    SIMPLE(K, 64, 128, 1)                                                            \
    SIMPLE(K, 128, 1024, 1)                                                          \
    VECTORS(K, vec64_t256_h1_5, 64, 256, 1, 0, USUAL, USUAL, ROOM(5) - 16384)        \
    VECTORS(K, vec64_t256_h1_4, 64, 256, 1, 0, USUAL, USUAL, ROOM(4) - 16384)        \
    VECTORS(K, vec64_t256_h1_3, 64, 256, 1, 0, USUAL, USUAL, ROOM(3) - 16384)        \
    VECTORS(K, vec64_t256_h1_2, 64, 256, 1, 0, USUAL, USUAL, ROOM(2) - 16384)        \
    VECTORS(K, vec64_t256_h1_turned_3, 64, 256, 1, 1, USUAL, USUAL, ROOM(3) - 16384) \
    VECTORS(K, vec64_t128_h1_6, 64, 128, 1, 0, USUAL, USUAL, ROOM(6) - 16384)        \
    VECTORS(K, vec64_t128_h1_5, 64, 128, 1, 0, USUAL, USUAL, ROOM(5) - 16384)        \
    VECTORS(K, vec64_t128_h1_4, 64, 128, 1, 0, USUAL, USUAL, ROOM(4) - 16384)        \
    VECTORS(K, vec64_t256_h1_3_cs_st, 64, 256, 1, 0, USUAL, STREAM, ROOM(3) - 16384) \
    VECTORS(K, vec64_t256_h1_cs, 64, 256, 1, 0, STREAM, STREAM, 0)

#define KERNEL(name, threads, per_block, blocks, shared, body)                                   \
    extern "C" __global__ void __launch_bounds__(threads)                                        \
        transpose_##name(unsigned rows, float *__restrict__ out, const float *__restrict__ in) { \
        body;                                                                                    \
    }
TRANSPOSE_CANDIDATES(KERNEL)

static int start(const candidate *c, const haul_peer_job *job) {
    unsigned rows = (unsigned)job->rows;
    if (job->rows != job->columns) return cudaErrorInvalidValue; /* all of them turn squares */
    void *arguments[] = {&rows, (void *)&job->out, (void *)&job->in};
    return candidate_launch(c, job, arguments);
}

#define ROW(name, threads, per_block, blocks, shared, body) \
    {"transpose", #name, (const void *)transpose_##name, threads, per_block, blocks, 1, shared, start},
const candidate transpose_candidates[] = {TRANSPOSE_CANDIDATES(ROW){nullptr}};
