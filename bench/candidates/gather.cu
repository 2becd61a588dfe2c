/* Random row gather: row i of the result is row index[i] of the table. Rows of 32 bytes to 2 KiB. */
#include "candidates.h"
#include "primitives.h"

/* A vector a lane; a thread takes `vectors` of them, its block's are contiguous. The lanes of a row read the same
 * index, out of the same line. */
DEVICE void gather_vectors(int vectors, int threads, int load, int store, int pace, unsigned row4, unsigned n4,
                           float4 *out, const float4 *table, const unsigned *index) {
    unsigned first = blockIdx.x * (threads * vectors) + threadIdx.x, shift = 31 - __clz(row4), source[8];
    float4 a[8];
    if (first + (vectors - 1) * threads >= n4) return; /* the benchmark's sizes are multiples */
#pragma unroll
    for (int k = 0; k < vectors; k++) source[k] = index[(first + k * threads) >> shift];
#pragma unroll
    for (int k = 0; k < vectors; k++) {
        a[k] = load4(table + ((size_t)source[k] << shift) + ((first + k * threads) & (row4 - 1)), load);
    }
    all_arrived(pace, a, vectors);
#pragma unroll
    for (int k = 0; k < vectors; k++) store4(out + first + k * threads, a[k], store);
}

/* A tile of rows a block: each lane of one warp has the bulk engine fetch rows, one bulk store takes all away. */
DEVICE void gather_bulk(unsigned tile4, unsigned row4, unsigned n4, float4 *out, const float4 *table,
                        const unsigned *index) {
    extern __shared__ __align__(128) float4 stage[];
    __shared__ __align__(8) unsigned long long full;
    unsigned rows = tile4 / row4, first = blockIdx.x * rows, barrier = shared_address(&full);
    if ((blockIdx.x + 1) * tile4 > n4) return;
    if (threadIdx.x == 0) {
        barrier_init(barrier, 1);
        barrier_fence();
        barrier_expect(barrier, tile4 * 16);
    }
    __syncwarp();
    for (unsigned r = threadIdx.x; r < rows; r += 32) {
        bulk_load(stage + r * row4, table + (size_t)index[first + r] * row4, row4 * 16, barrier);
    }
    if (threadIdx.x != 0) return;
    barrier_wait(barrier, 0);
    bulk_store(out + (size_t)first * row4, stage, tile4 * 16);
    bulk_store_wait(0);
}

#define ARGUMENTS row4, n4, out, table, index
#define VECTORS(K, name, vectors, threads, ld, st) \
    K(name, threads, (vectors)*4 * (threads), 0, 0, gather_vectors(vectors, threads, ld, st, FREE, ARGUMENTS))
#define PACED(K, name, vectors, threads, ld, reserve) \
    K(name, threads, (vectors)*4 * (threads), 0, reserve, gather_vectors(vectors, threads, ld, USUAL, BLOCK, ARGUMENTS))
#define BULK(K, kib) K(bulk##kib##k, 32, (kib)*256, 0, (kib)*1024, gather_bulk((kib)*64, ARGUMENTS))
#define GATHER_CANDIDATES(K)                                      \
    VECTORS(K, vec1_t128, 1, 128, USUAL, USUAL)                   \
    VECTORS(K, vec1_t256, 1, 256, USUAL, USUAL)                   \
    VECTORS(K, vec2_t128, 2, 128, USUAL, USUAL)                   \
    VECTORS(K, vec2_t256, 2, 256, USUAL, USUAL)                   \
    VECTORS(K, vec4_t128, 4, 128, USUAL, USUAL)                   \
    VECTORS(K, vec4_t256, 4, 256, USUAL, USUAL)                   \
    VECTORS(K, vec2_t256_cs, 2, 256, STREAM, STREAM)              \
    VECTORS(K, vec2_t256_nol1, 2, 256, NO_L1, USUAL)              \
    VECTORS(K, vec2_t256_first, 2, 256, FIRST_OUT, FIRST_OUT)     \
    VECTORS(K, vec2_t256_last_usual, 2, 256, LAST_OUT, USUAL)     \
    VECTORS(K, vec1_t128_last_first, 1, 128, LAST_OUT, FIRST_OUT) \
    VECTORS(K, vec2_t128_last_first, 2, 128, LAST_OUT, FIRST_OUT) \
    PACED(K, paced1_t128, 1, 128, USUAL, 0)                       \
    PACED(K, paced1_t256, 1, 256, USUAL, 0)                       \
    PACED(K, paced1_t512, 1, 512, USUAL, 0)                       \
    PACED(K, paced2_t256, 2, 256, USUAL, 0)                       \
    PACED(K, paced2_t512, 2, 512, USUAL, 0)                       \
    PACED(K, paced2_t256_5, 2, 256, USUAL, ROOM(5))               \
    PACED(K, paced2_t256_4, 2, 256, USUAL, ROOM(4))               \
    PACED(K, paced1_t512_3, 1, 512, USUAL, ROOM(3))               \
    PACED(K, paced4_t256_3, 4, 256, USUAL, ROOM(3))               \
    PACED(K, paced1_t512_last, 1, 512, LAST_OUT, 0)               \
    PACED(K, paced2_t256_5_last, 2, 256, LAST_OUT, ROOM(5))       \
    BULK(K, 2)                                                    \
    BULK(K, 4)                                                    \
    BULK(K, 8)

#define KERNEL(name, threads, per_block, blocks, shared, body)                                                \
    extern "C" __global__ void __launch_bounds__(threads)                                                     \
        gather_##name(unsigned row4, unsigned n4, float4 *__restrict__ out, const float4 *__restrict__ table, \
                      const unsigned *__restrict__ index) {                                                   \
        body;                                                                                                 \
    }
GATHER_CANDIDATES(KERNEL)

static int start(const candidate *c, const haul_peer_job *job) {
    unsigned row4 = (unsigned)job->columns / 4, n4 = (unsigned)(job->n / 4);
    void *arguments[] = {&row4, &n4, (void *)&job->out, (void *)&job->in, (void *)&job->index};
    return candidate_launch(c, job, arguments);
}

#define ROW(name, threads, per_block, blocks, shared, body) \
    {"gather", #name, (const void *)gather_##name, threads, per_block, blocks, 1, shared, start},
const candidate gather_candidates[] = {GATHER_CANDIDATES(ROW){nullptr}};
