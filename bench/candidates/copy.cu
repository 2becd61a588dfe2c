/* Copies: what memory gives a kernel that only moves data. 16-byte aligned, any n. */
#include "candidates.h"
#include "primitives.h"

/* The words after the last whole piece of `unit` floats; by the last block. */
DEVICE void copy_words(size_t from, size_t n, float *out, const float *in) {
    for (size_t i = from + threadIdx.x; i < n; i += blockDim.x) out[i] = in[i];
}

DEVICE void copy_vectors(int vectors, int threads, int load, int store, int pace, int whole, size_t n, float *out,
                         const float *in) {
    unsigned first = blockIdx.x * (threads * vectors) + threadIdx.x, count = (unsigned)(n / 4);
    float4 a[8];
#pragma unroll
    for (int k = 0; k < vectors; k++) {
        unsigned i = first + k * threads;
        a[k] = whole || i < count ? load4((const float4 *)in + i, load) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
    all_arrived(pace, a, vectors);
#pragma unroll
    for (int k = 0; k < vectors; k++) {
        unsigned i = first + k * threads;
        if (whole || i < count) store4((float4 *)out + i, a[k], store);
    }
}

/* One contiguous piece a block. */
DEVICE void copy_piece(int vectors, int threads, int load, int store, int pace, size_t n, float *out, const float *in) {
    if ((blockIdx.x + 1) * (threads * vectors) <= n / 4) {
        copy_vectors(vectors, threads, load, store, pace, 1, n, out, in);
    } else {
        copy_vectors(vectors, threads, load, store, pace, 0, n, out, in);
        copy_words(n / 4 * 4, n, out, in);
    }
}

/* One tile a block, in by the bulk engine, out by all threads. */
DEVICE void copy_tile_threads(unsigned tile, int threads, size_t n, float *out, const float *in) {
    extern __shared__ __align__(128) float4 vectors[];
    __shared__ __align__(8) unsigned long long full;
    size_t first = (size_t)blockIdx.x * tile;
    if (first + tile > n) {
        copy_words(first, n, out, in);
        return;
    }
    unsigned barrier = shared_address(&full);
    if (threadIdx.x == 0) {
        barrier_init(barrier, 1);
        barrier_fence();
        barrier_expect(barrier, tile * 4);
        bulk_load(vectors, in + first, tile * 4, barrier);
    }
    __syncthreads();
    barrier_wait(barrier, 0);
    float4 *to = (float4 *)(out + first);
#pragma unroll
    for (unsigned k = 0; k < tile / 4 / threads; k++)
        to[k * threads + threadIdx.x] = vectors[k * threads + threadIdx.x];
}

/* One tile a block, in and out by the bulk engine: no thread touches the data. */
DEVICE void copy_tile(unsigned tile, size_t n, float *out, const float *in) {
    extern __shared__ __align__(128) float stage[];
    __shared__ __align__(8) unsigned long long full;
    size_t first = (size_t)blockIdx.x * tile;
    if (first + tile > n) {
        copy_words(first, n, out, in);
        return;
    }
    if (threadIdx.x != 0) return;
    unsigned barrier = shared_address(&full);
    barrier_init(barrier, 1);
    barrier_fence();
    barrier_expect(barrier, tile * 4);
    bulk_load(stage, in + first, tile * 4, barrier);
    barrier_wait(barrier, 0);
    bulk_store(out + first, stage, tile * 4);
    bulk_store_wait(0);
}

/* One thread a block runs a ring of `stages` tiles, `ahead` of them being loaded. */
DEVICE void copy_ring(unsigned tile, unsigned stages, unsigned ahead, size_t n, float *out, const float *in) {
    extern __shared__ __align__(128) float stage[];
    __shared__ __align__(8) unsigned long long full[16];
    size_t tiles = n / tile, hop = gridDim.x;
    if (blockIdx.x == gridDim.x - 1) copy_words(tiles * tile, n, out, in);
    if (threadIdx.x != 0) return;
    for (unsigned s = 0; s < stages; s++) barrier_init(shared_address(&full[s]), 1);
    barrier_fence();
    unsigned round = 0;
    for (size_t t = blockIdx.x; t < tiles + ahead * hop; t += hop, round++) {
        if (t < tiles) { /* load tile `round`; the store that last read its stage is `stages` rounds back */
            unsigned s = round % stages, barrier = shared_address(&full[s]);
            if (round >= stages) bulk_store_wait(1);
            barrier_expect(barrier, tile * 4);
            bulk_load(stage + s * tile, in + t * tile, tile * 4, barrier);
        }
        if (round < ahead || t - ahead * hop >= tiles) continue;
        unsigned done = round - ahead, s = done % stages;
        barrier_wait(shared_address(&full[s]), done / stages & 1);
        bulk_store(out + (t - ahead * hop) * tile, stage + s * tile, tile * 4);
    }
    bulk_store_wait(0);
}

#define ARGUMENTS n, out, in
/* K(name, threads, floats a block or 0, blocks per SM, blocks a cluster, dynamic shared bytes, body) */
#define PIECE(K, name, vectors, threads, ld, st) \
    K(name, threads, (vectors)*4 * (threads), 0, 1, 0, copy_piece(vectors, threads, ld, st, FREE, ARGUMENTS))
#define PACED(K, name, vectors, threads, cluster, reserve)         \
    K(name, threads, (vectors)*4 * (threads), 0, cluster, reserve, \
      copy_piece(vectors, threads, USUAL, USUAL, (cluster) > 1 ? CLUSTER : BLOCK, ARGUMENTS))
#define TILE(K, name, tile) K(name, 32, tile, 0, 1, (tile)*4, copy_tile(tile, ARGUMENTS))
#define TILE_THREADS(K, name, tile, threads) \
    K(name, threads, tile, 0, 1, (tile)*4, copy_tile_threads(tile, threads, ARGUMENTS))
#define RING(K, name, tile, stages, blocks) \
    K(name, 32, 0, blocks, 1, (tile)*4 * (stages), copy_ring(tile, stages, (stages)-2, ARGUMENTS))
#define COPY_CANDIDATES(K)                                  \
    PIECE(K, vec1_t256, 1, 256, USUAL, USUAL)               \
    PIECE(K, vec1_t384, 1, 384, USUAL, USUAL)               \
    PIECE(K, vec1_t512, 1, 512, USUAL, USUAL)               \
    PIECE(K, vec1_t704, 1, 704, USUAL, USUAL)               \
    PIECE(K, vec1_t1024, 1, 1024, USUAL, USUAL)             \
    PIECE(K, vec2_t256, 2, 256, USUAL, USUAL)               \
    PIECE(K, vec4_t256, 4, 256, USUAL, USUAL)               \
    PIECE(K, vec1_t256_cs, 1, 256, STREAM, STREAM)          \
    PIECE(K, vec1_t256_nol1_256, 1, 256, NO_L1_256, NO_L1)  \
    PIECE(K, vec1_t256_first, 1, 256, FIRST_OUT, FIRST_OUT) \
    PACED(K, paced1_t256, 1, 256, 1, 0)                     \
    PACED(K, paced1_t384, 1, 384, 1, 0)                     \
    PACED(K, paced1_t512, 1, 512, 1, 0)                     \
    PACED(K, paced1_t640, 1, 640, 1, 0)                     \
    PACED(K, paced1_t1024, 1, 1024, 1, 0)                   \
    PACED(K, paced2_t256, 2, 256, 1, 0)                     \
    PACED(K, paced2_t512, 2, 512, 1, 0)                     \
    PACED(K, paced2_t256_5, 2, 256, 1, ROOM(5))             \
    PACED(K, paced2_t256_4, 2, 256, 1, ROOM(4))             \
    PACED(K, paced4_t256_3, 4, 256, 1, ROOM(3))             \
    PACED(K, paced4_t128_6, 4, 128, 1, ROOM(6))             \
    PACED(K, paced3_t256_4, 3, 256, 1, ROOM(4))             \
    PACED(K, paced3_t512_2, 3, 512, 1, ROOM(2))             \
    PACED(K, paced1_t512_c2, 1, 512, 2, 0)                  \
    TILE_THREADS(K, tile1024_t128, 1024, 128)               \
    TILE_THREADS(K, tile1024_t256, 1024, 256)               \
    TILE_THREADS(K, tile2048_t256, 2048, 256)               \
    TILE_THREADS(K, tile4096_t512, 4096, 512)               \
    TILE(K, bulk1024, 1024)                                 \
    TILE(K, bulk4096, 4096)                                 \
    TILE(K, bulk8192, 8192)                                 \
    RING(K, ring4096x8_b1, 4096, 8, 1)

#define KERNEL(name, threads, per_block, blocks, cluster, shared, body)                \
    extern "C" __global__ void __launch_bounds__(threads)                              \
        copy_##name(size_t n, float *__restrict__ out, const float *__restrict__ in) { \
        body;                                                                          \
    }
COPY_CANDIDATES(KERNEL)

static int start(const candidate *c, const haul_peer_job *job) {
    size_t n = job->n;
    void *arguments[] = {&n, (void *)&job->out, (void *)&job->in};
    return candidate_launch(c, job, arguments);
}

#define ROW(name, threads, per_block, blocks, cluster, shared, body) \
    {"copy", #name, (const void *)copy_##name, threads, per_block, blocks, cluster, shared, start},
const candidate copy_candidates[] = {COPY_CANDIDATES(ROW){nullptr}};
