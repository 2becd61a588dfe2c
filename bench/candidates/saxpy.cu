/* SAXPY, y = alpha * x + y: 12 bytes an element. x and y are 16-byte aligned, any n. */
#include "candidates.h"
#include "primitives.h"

DEVICE float4 axpy4(float alpha, float4 x, float4 y) {
    return make_float4(fmaf(alpha, x.x, y.x), fmaf(alpha, x.y, y.y), fmaf(alpha, x.z, y.z), fmaf(alpha, x.w, y.w));
}

/* The up to three words after the last whole vector; by the first threads of the last block. */
DEVICE void axpy_rest(unsigned n, float alpha, const float *x, float *y) {
    unsigned i = n / 4 * 4 + threadIdx.x;
    if (blockIdx.x == gridDim.x - 1 && i < n) y[i] = fmaf(alpha, x[i], y[i]);
}

/* `vectors` a thread, a block's are contiguous; all loads before the first store. */
DEVICE void axpy_vectors(int vectors, int threads, int load_x, int load_y, int store, int pace, int whole, unsigned n,
                         float alpha, const float *x, float *y) {
    unsigned first = blockIdx.x * (threads * vectors) + threadIdx.x, count = n / 4;
    const float4 *x4 = (const float4 *)x;
    float4 *y4 = (float4 *)y;
    float4 a[8], b[8];
#pragma unroll
    for (int k = 0; k < vectors; k++) {
        unsigned i = first + k * threads;
        a[k] = b[k] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (whole || i < count) {
            a[k] = load4(x4 + i, load_x);
            b[k] = load4(y4 + i, load_y);
        }
    }
#pragma unroll
    for (int k = 0; k < vectors; k++) b[k] = axpy4(alpha, a[k], b[k]);
    all_arrived(pace, b, vectors);
#pragma unroll
    for (int k = 0; k < vectors; k++) {
        unsigned i = first + k * threads;
        if (whole || i < count) store4(y4 + i, b[k], store);
    }
}

/* One piece a block: a block that is full takes the path without guards. */
DEVICE void axpy_piece(int vectors, int threads, int load_x, int load_y, int store, int pace, unsigned n, float alpha,
                       const float *x, float *y) {
    if ((blockIdx.x + 1) * (threads * vectors) <= n / 4) {
        axpy_vectors(vectors, threads, load_x, load_y, store, pace, 1, n, alpha, x, y);
    } else {
        axpy_vectors(vectors, threads, load_x, load_y, store, pace, 0, n, alpha, x, y);
    }
    axpy_rest(n, alpha, x, y);
}

/* A grid that stays: each thread strides, `vectors` at a time. */
DEVICE void axpy_stride(int vectors, int threads, unsigned n, float alpha, const float *x, float *y) {
    unsigned hop = gridDim.x * threads, count = n / 4;
    const float4 *x4 = (const float4 *)x;
    float4 *y4 = (float4 *)y;
    for (unsigned i = blockIdx.x * threads + threadIdx.x; i < count; i += hop * vectors) {
        float4 a[8], b[8];
#pragma unroll
        for (int k = 0; k < vectors; k++) {
            if (i + k * hop < count) {
                a[k] = load4(x4 + i + k * hop, USUAL);
                b[k] = load4(y4 + i + k * hop, USUAL);
            }
        }
#pragma unroll
        for (int k = 0; k < vectors; k++) {
            if (i + k * hop < count) store4(y4 + i + k * hop, axpy4(alpha, a[k], b[k]), USUAL);
        }
    }
    axpy_rest(n, alpha, x, y);
}

/* Words at the end that fill no tile. */
DEVICE void axpy_words(unsigned from, unsigned n, float alpha, const float *x, float *y) {
    for (unsigned i = from + threadIdx.x; i < n; i += blockDim.x) y[i] = fmaf(alpha, x[i], y[i]);
}

/* One tile a block by two bulk loads, nothing overlapped inside a block: the other blocks of the SM do that. `out`:
 * USUAL stores from registers, or a bulk store out of the tile. */
DEVICE void axpy_tile(unsigned tile, int threads, int hint_x, int hint_y, int out_bulk, unsigned n, float alpha,
                      const float *x, float *y) {
    extern __shared__ __align__(128) float4 stage[];
    __shared__ __align__(8) unsigned long long full;
    size_t first = (size_t)blockIdx.x * tile;
    float4 *stage_x = stage, *stage_y = stage + tile / 4;
    if (first + tile > n) {
        axpy_words((unsigned)first, n, alpha, x, y);
        return;
    }
    unsigned barrier = shared_address(&full);
    if (threadIdx.x == 0) {
        barrier_init(barrier, 1);
        barrier_fence();
        barrier_expect(barrier, tile * 8);
        bulk_load_hint(stage_x, x + first, tile * 4, barrier, hint_x);
        bulk_load_hint(stage_y, y + first, tile * 4, barrier, hint_y);
    }
    __syncthreads();
    barrier_wait(barrier, 0);
    float4 *y4 = (float4 *)(y + first);
#pragma unroll
    for (unsigned k = 0; k < tile / 4 / threads; k++) {
        unsigned i = k * threads + threadIdx.x;
        float4 v = axpy4(alpha, stage_x[i], stage_y[i]);
        if (out_bulk) {
            stage_y[i] = v;
        } else {
            y4[i] = v;
        }
    }
    if (!out_bulk) return;
    bulk_store_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_store(y4, stage_y, tile * 4);
        bulk_store_wait(0);
    }
}

/* Thread 0: asks for a tile of x and y. */
DEVICE void axpy_fill(float4 *to_x, unsigned tile, size_t first, const float *x, const float *y, unsigned barrier) {
    barrier_expect(barrier, tile * 8);
    bulk_load(to_x, x + first, tile * 4, barrier);
    bulk_load(to_x + tile / 4, y + first, tile * 4, barrier);
}

/* A grid that stays, `stages` tiles in flight, results leave from the stage by bulk stores; a stage is filled again
 * one round later, when its store has been read. */
DEVICE void axpy_ring(unsigned tile, unsigned stages, int threads, int out_bulk, unsigned n, float alpha,
                      const float *x, float *y) {
    extern __shared__ __align__(128) float4 stage[];
    __shared__ __align__(8) unsigned long long full[16];
    unsigned tiles = n / tile, round = 0, span = tile / 2; /* vectors a stage */
    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < stages; s++) barrier_init(shared_address(&full[s]), 1);
        barrier_fence();
        for (unsigned s = 0; s < stages; s++) {
            size_t t = blockIdx.x + (size_t)s * gridDim.x;
            if (t < tiles) axpy_fill(stage + s * span, tile, t * tile, x, y, shared_address(&full[s]));
        }
    }
    __syncthreads();
    for (unsigned t = blockIdx.x; t < tiles; t += gridDim.x, round++) {
        unsigned s = round % stages;
        float4 *stage_x = stage + s * span, *stage_y = stage_x + tile / 4, *y4 = (float4 *)(y + (size_t)t * tile);
        barrier_wait(shared_address(&full[s]), round / stages & 1);
#pragma unroll
        for (unsigned k = 0; k < tile / 4 / threads; k++) {
            unsigned i = k * threads + threadIdx.x;
            float4 v = axpy4(alpha, stage_x[i], stage_y[i]);
            if (out_bulk) {
                stage_y[i] = v;
            } else {
                y4[i] = v;
            }
        }
        if (out_bulk) bulk_store_fence();
        __syncthreads();
        if (threadIdx.x != 0) continue;
        if (out_bulk) {
            bulk_store(y4, stage_y, tile * 4);
            bulk_store_wait(1);
            s = (round + stages - 1) % stages;
        }
        /* With bulk stores the stage of the round before is free, else this round's. */
        size_t next = t + (size_t)gridDim.x * (out_bulk ? stages - 1 : stages);
        if (next < tiles && (round > 0 || !out_bulk)) {
            axpy_fill(stage + s * span, tile, next * tile, x, y, shared_address(&full[s]));
        }
    }
    if (blockIdx.x == gridDim.x - 1) axpy_words(tiles * tile, n, alpha, x, y);
    if (out_bulk && threadIdx.x == 0) bulk_store_wait(0);
}

/* K(name, threads, floats a block or 0, blocks per SM, blocks a cluster, dynamic shared bytes, body) */
#define ARGUMENTS n, alpha, x, y
#define PIECE(K, name, vectors, threads, lx, ly, st) \
    K(name, threads, (vectors)*4 * (threads), 0, 1, 0, axpy_piece(vectors, threads, lx, ly, st, FREE, ARGUMENTS))
#define PACED(K, name, vectors, threads, st, cluster, reserve)     \
    K(name, threads, (vectors)*4 * (threads), 0, cluster, reserve, \
      axpy_piece(vectors, threads, USUAL, USUAL, st, (cluster) > 1 ? CLUSTER : BLOCK, ARGUMENTS))
#define TILE(K, name, tile, threads, hx, hy, bulk, reserve) \
    K(name, threads, tile, 0, 1, (tile)*8 + (reserve), axpy_tile(tile, threads, hx, hy, bulk, ARGUMENTS))
#define RING(K, name, tile, stages, threads, blocks, bulk) \
    K(name, threads, 0, blocks, 1, (tile)*8 * (stages), axpy_ring(tile, stages, threads, bulk, ARGUMENTS))
#define SAXPY_CANDIDATES(K)                                             \
    PIECE(K, vec1_t256, 1, 256, USUAL, USUAL, USUAL)                    \
    PIECE(K, vec1_t512, 1, 512, USUAL, USUAL, USUAL)                    \
    PIECE(K, vec1_t704, 1, 704, USUAL, USUAL, USUAL)                    \
    PIECE(K, vec1_t768, 1, 768, USUAL, USUAL, USUAL)                    \
    PIECE(K, vec1_t1024, 1, 1024, USUAL, USUAL, USUAL)                  \
    PIECE(K, vec2_t256, 2, 256, USUAL, USUAL, USUAL)                    \
    PIECE(K, vec4_t256, 4, 256, USUAL, USUAL, USUAL)                    \
    PIECE(K, vec1_t256_cs, 1, 256, STREAM, STREAM, STREAM)              \
    PIECE(K, vec1_t256_nol1_256, 1, 256, NO_L1_256, NO_L1_256, USUAL)   \
    PIECE(K, vec1_t256_first, 1, 256, FIRST_OUT, FIRST_OUT, FIRST_OUT)  \
    PACED(K, paced1_t256, 1, 256, USUAL, 1, 0)                          \
    PACED(K, paced1_t512, 1, 512, USUAL, 1, 0)                          \
    PACED(K, paced1_t640, 1, 640, USUAL, 1, 0)                          \
    PACED(K, paced1_t704, 1, 704, USUAL, 1, 0)                          \
    PACED(K, paced1_t736, 1, 736, USUAL, 1, 0)                          \
    PACED(K, paced1_t768, 1, 768, USUAL, 1, 0)                          \
    PACED(K, paced1_t800, 1, 800, USUAL, 1, 0)                          \
    PACED(K, paced1_t832, 1, 832, USUAL, 1, 0)                          \
    PACED(K, paced1_t896, 1, 896, USUAL, 1, 0)                          \
    PACED(K, paced1_t1024, 1, 1024, USUAL, 1, 0)                        \
    PACED(K, paced1_t736_cs, 1, 736, STREAM, 1, 0)                      \
    PACED(K, paced1_t768_cs, 1, 768, STREAM, 1, 0)                      \
    PACED(K, paced1_t800_cs, 1, 800, STREAM, 1, 0)                      \
    PACED(K, paced1_t832_cs, 1, 832, STREAM, 1, 0)                      \
    PACED(K, paced1_t256_7, 1, 256, USUAL, 1, ROOM(7))                  \
    PACED(K, paced1_t256_6, 1, 256, USUAL, 1, ROOM(6))                  \
    PACED(K, paced1_t128_12, 1, 128, USUAL, 1, ROOM(12))                \
    PACED(K, paced1_t384_4, 1, 384, USUAL, 1, ROOM(4))                  \
    PACED(K, paced2_t256_3, 2, 256, USUAL, 1, ROOM(3))                  \
    PACED(K, paced1_t256_6_cs, 1, 256, STREAM, 1, ROOM(6))              \
    PACED(K, paced1_t512_c2, 1, 512, USUAL, 2, 0)                       \
    K(stride1_t256, 256, 0, 8, 1, 0, axpy_stride(1, 256, ARGUMENTS))    \
    K(stride4_t256, 256, 0, 4, 1, 0, axpy_stride(4, 256, ARGUMENTS))    \
    TILE(K, tile512_t128, 512, 128, USUAL, USUAL, 0, 0)                 \
    TILE(K, tile1024_t128, 1024, 128, USUAL, USUAL, 0, 0)               \
    TILE(K, tile1024_t256, 1024, 256, USUAL, USUAL, 0, 0)               \
    TILE(K, tile2048_t512, 2048, 512, USUAL, USUAL, 0, 0)               \
    TILE(K, tile4096_t1024, 4096, 1024, USUAL, USUAL, 0, 0)             \
    TILE(K, tile768_t192_8, 768, 192, USUAL, USUAL, 0, ROOM(8) - 6144)  \
    TILE(K, tile2048_t512_bulk, 2048, 512, USUAL, USUAL, 1, 0)          \
    TILE(K, tile2048_t256_first, 2048, 256, FIRST_OUT, FIRST_OUT, 0, 0) \
    RING(K, ring1024x4_t256_b4, 1024, 4, 256, 4, 0)                     \
    RING(K, ring4096x4_t512_b1_bulk, 4096, 4, 512, 1, 1)

#define KERNEL(name, threads, per_block, blocks, cluster, shared, body)                \
    extern "C" __global__ void __launch_bounds__(threads)                              \
        saxpy_##name(unsigned n, float alpha, const float *__restrict__ x, float *y) { \
        body;                                                                          \
    }
SAXPY_CANDIDATES(KERNEL)

static int start(const candidate *c, const haul_peer_job *job) {
    unsigned n = (unsigned)job->n;
    float alpha = job->alpha;
    void *arguments[] = {&n, &alpha, (void *)&job->in, (void *)&job->out};
    return candidate_launch(c, job, arguments);
}

#define ROW(name, threads, per_block, blocks, cluster, shared, body) \
    {"saxpy", #name, (const void *)saxpy_##name, threads, per_block, blocks, cluster, shared, start},
const candidate saxpy_candidates[] = {SAXPY_CANDIDATES(ROW){nullptr}};
