/* SAXPY, y = alpha * x + y, on a ladder of techniques to keep bytes in flight.
 *
 * Every rung moves the same 12 bytes an element. Rungs differ in how many instructions that takes, how many registers
 * hold data in flight, and how early the next data is requested. x and y are 16-byte aligned from the second rung on.
 * Any n works: elements that do not fill a vector, or a tile, move by single words. */
#include <haul/device.h>
#include "tuned.cuh"

#define BLOCK 256 /* threads a block of the rungs that stage in shared memory */
#define TILE 1024 /* floats that a block stages at a time: one vector a thread */
#define STAGES 4
#define WIDE 3                    /* vectors of x a thread and stage, if a stage has several */
#define PACED SAXPY_PACED_THREADS /* threads of the last rung: with 704, two blocks an SM, whose loads are 44 KiB */
#define USERS SAXPY_ROLES_THREADS /* consumers of a block with roles, beside the warp that fills */

static __device__ __forceinline__ float4 axpy4(float alpha, float4 x, float4 y) {
    return make_float4(fmaf(alpha, x.x, y.x), fmaf(alpha, x.y, y.y), fmaf(alpha, x.z, y.z), fmaf(alpha, x.w, y.w));
}

/* The n % (unit) words after the last whole unit, by the whole grid. */
static __device__ __forceinline__ void axpy_tail(unsigned unit, unsigned n, float alpha, const float *x, float *y) {
    unsigned first = n / unit * unit;
    for (unsigned k = blockIdx.x * blockDim.x + threadIdx.x; k < n - first; k += gridDim.x * blockDim.x)
        y[first + k] = fmaf(alpha, x[first + k], y[first + k]);
}

/* Rung 1: one word a thread; the grid covers n. */
extern "C" __global__ void saxpy_scalar(unsigned n, float alpha, const float *x, float *y) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaf(alpha, x[i], y[i]);
}

/* Rung 2: one 16-byte vector a thread; a quarter of the instructions. The grid covers n / 4. */
extern "C" __global__ void saxpy_vector(unsigned n, float alpha, const float *x, float *y) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) ((float4 *)y)[i] = axpy4(alpha, ((const float4 *)x)[i], ((const float4 *)y)[i]);
    axpy_tail(4, n, alpha, x, y);
}

/* Rung 3: a thread strides through the array and loads the next vectors into registers before it uses these. */
extern "C" __global__ void saxpy_registers(unsigned n, float alpha, const float *__restrict__ x, float *y) {
    const float4 *x4 = (const float4 *)x;
    float4 *y4 = (float4 *)y;
    unsigned vectors = n / 4, hop = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 a = make_float4(0.0f, 0.0f, 0.0f, 0.0f), b = a;
    if (i < vectors) {
        a = x4[i];
        b = y4[i];
    }
    while (i < vectors) {
        float4 next_a = a, next_b = b;
        if (i + hop < vectors) {
            next_a = x4[i + hop];
            next_b = y4[i + hop];
        }
        y4[i] = axpy4(alpha, a, b);
        a = next_a;
        b = next_b;
        i += hop;
    }
    axpy_tail(4, n, alpha, x, y);
}

/* ---- with haul's pipelines. A stage holds a tile of x and, after it, one of y ---- */

/* Starts the copy of vector i of x and y into this thread's place in the next stage, if there is such a vector. */
static __device__ __forceinline__ void fetch_vector(haul_pipeline *p, float4 *stages, const float *x, const float *y,
                                                    unsigned i, unsigned vectors) {
    HAUL_SEQUENTIAL(vector, 16, 16, 1, HAUL_BY_LDGSTS);
    float4 *stage = stages + haul_thread_pipeline_acquire(p) * 2 * BLOCK + threadIdx.x;
    if (i < vectors) {
        haul_thread_pipeline_load(p, vector, stage, (const float4 *)x + i);
        haul_thread_pipeline_load(p, vector, stage + BLOCK, (const float4 *)y + i);
    }
    haul_thread_pipeline_commit(p);
}

/* A thread uses only what it has copied itself, so no barrier is needed. The next stages' copies are issued before the
 * wait for this one's, so that bytes are always in flight. */
static __device__ __forceinline__ void by_threads(haul_pipeline *p, float4 *stages, unsigned n, float alpha,
                                                  const float *x, float *y) {
    unsigned vectors = n / 4, hop = gridDim.x * BLOCK, i = blockIdx.x * BLOCK + threadIdx.x, ahead = i;
    for (unsigned s = 1; s < p->ring.stages; s++, ahead += hop) fetch_vector(p, stages, x, y, ahead, vectors);
    for (; i < vectors; i += hop, ahead += hop) {
        fetch_vector(p, stages, x, y, ahead, vectors);
        const float4 *stage = stages + haul_thread_pipeline_wait(p) * 2 * BLOCK + threadIdx.x;
        ((float4 *)y)[i] = axpy4(alpha, stage[0], stage[BLOCK]);
        haul_thread_pipeline_release(p);
    }
    axpy_tail(4, n, alpha, x, y);
}

/* Rung 4: two stages in shared memory. Blocks of BLOCK threads, here and below. */
extern "C" __global__ void saxpy_two_stages(unsigned n, float alpha, const float *x, float *y) {
    __shared__ __align__(16) float4 stages[2 * 2 * BLOCK];
    HAUL_THREAD_PIPELINE(p, 2, HAUL_BY_LDGSTS);
    by_threads(&p, stages, n, alpha, x, y);
}

/* Puts WIDE vectors of x and of y into the next stage, a block's width apart. */
static __device__ __forceinline__ void fetch_vectors(haul_pipeline *p, float4 *stages, const float *x, const float *y,
                                                     unsigned first, unsigned vectors) {
    HAUL_SEQUENTIAL(vector, 16, 16, 1, HAUL_BY_LDGSTS);
    float4 *stage = stages + haul_thread_pipeline_acquire(p) * 2 * WIDE * BLOCK + threadIdx.x;
#pragma unroll
    for (unsigned k = 0; k < WIDE; k++) {
        unsigned i = first + k * BLOCK;
        if (i < vectors) {
            haul_thread_pipeline_load(p, vector, stage + k * BLOCK, (const float4 *)x + i);
            haul_thread_pipeline_load(p, vector, stage + (WIDE + k) * BLOCK, (const float4 *)y + i);
        }
    }
    haul_thread_pipeline_commit(p);
}

/* Rung 5: two stages of WIDE vectors: 48 KiB a block, which is all that a kernel may declare. */
extern "C" __global__ void __launch_bounds__(BLOCK, 4)
    saxpy_wide_stages(unsigned n, float alpha, const float *__restrict__ x, float *y) {
    __shared__ __align__(16) float4 stages[2 * 2 * WIDE * BLOCK];
    HAUL_THREAD_PIPELINE(p, 2, HAUL_BY_LDGSTS);
    unsigned vectors = n / 4, hop = gridDim.x * WIDE * BLOCK, first = blockIdx.x * WIDE * BLOCK;
    fetch_vectors(&p, stages, x, y, first + threadIdx.x, vectors);
    for (; first < vectors; first += hop) {
        fetch_vectors(&p, stages, x, y, first + hop + threadIdx.x, vectors);
        const float4 *stage = stages + haul_thread_pipeline_wait(&p) * 2 * WIDE * BLOCK + threadIdx.x;
#pragma unroll
        for (unsigned k = 0; k < WIDE; k++) {
            unsigned i = first + k * BLOCK + threadIdx.x;
            if (i < vectors) ((float4 *)y)[i] = axpy4(alpha, stage[k * BLOCK], stage[(WIDE + k) * BLOCK]);
        }
        haul_thread_pipeline_release(&p);
    }
    axpy_tail(4, n, alpha, x, y);
}

/* Rung 6: STAGES stages: more bytes in flight for the same registers, at the cost of shared memory. */
extern "C" __global__ void saxpy_stages(unsigned n, float alpha, const float *x, float *y) {
    __shared__ __align__(16) float4 stages[STAGES * 2 * BLOCK];
    HAUL_THREAD_PIPELINE(p, STAGES, HAUL_BY_LDGSTS);
    by_threads(&p, stages, n, alpha, x, y);
}

/* Puts tile k of x and y into the next stage. */
static __device__ __forceinline__ void fetch_tile(haul_pipeline *p, float4 *stages, const float *x, const float *y,
                                                  unsigned k, unsigned tiles) {
    HAUL_SEQUENTIAL_WITH(tile, float, .count = TILE, .vector = 4, .threads = BLOCK);
    float4 *stage = stages + haul_block_pipeline_acquire(p) * 2 * BLOCK;
    if (k < tiles) {
        haul_block_pipeline_load(p, tile, stage, x + (size_t)k * TILE);
        haul_block_pipeline_load(p, tile, stage + BLOCK, y + (size_t)k * TILE);
    }
    haul_block_pipeline_commit(p);
}

/* Rung 7: the block stages together. On sm_90 one thread issues copies of 4 KiB of x and of y, and no register and no
 * load slot is occupied meanwhile; older machines copy by LDGSTS, all threads a part. */
extern "C" __global__ void __launch_bounds__(BLOCK) saxpy_bulk(unsigned n, float alpha, const float *x, float *y) {
    __shared__ __align__(128) float4 stages[STAGES * 2 * BLOCK];
    HAUL_BLOCK_PIPELINE_WITH(p, .stages = STAGES, .threads = BLOCK);
    unsigned tiles = n / TILE, ahead = blockIdx.x;
    for (unsigned s = 1; s < STAGES; s++, ahead += gridDim.x) fetch_tile(&p, stages, x, y, ahead, tiles);
    for (unsigned k = blockIdx.x; k < tiles; k += gridDim.x, ahead += gridDim.x) {
        const float4 *stage = stages + haul_block_pipeline_wait(&p) * 2 * BLOCK + threadIdx.x;
        fetch_tile(&p, stages, x, y, ahead, tiles);
        ((float4 *)y)[(size_t)k * BLOCK + threadIdx.x] = axpy4(alpha, stage[0], stage[BLOCK]);
        haul_block_pipeline_release(&p);
    }
    axpy_tail(TILE, n, alpha, x, y);
}

/* Rung 8: a dedicated warp fills the stages, USERS threads use them, a vector of x and of y each. Blocks of USERS + 32
 * threads; dynamic shared memory: SAXPY_ROLES_STAGES stages of 32 bytes for each user. */
extern "C" __global__ void __launch_bounds__(USERS + 32)
    saxpy_roles(unsigned n, float alpha, const float *x, float *y) {
    extern __shared__ __align__(128) float4 rings[];
    const unsigned floats = USERS * 4, tiles = n / floats;
    HAUL_SEQUENTIAL_WITH(tile, float4, .count = USERS, .threads = 32, .engine = SAXPY_ROLES_ENGINE);
    HAUL_SPLIT_PIPELINE_WITH(p, .stages = SAXPY_ROLES_STAGES, .consumer_warps = USERS / 32, .producer_warps = 1,
                             .first_producer_warp = USERS / 32, .engine = SAXPY_ROLES_ENGINE);
    if (haul_is_producer(&p)) {
        haul_producer producer = haul_producer_of(&p);
        for (unsigned k = blockIdx.x; k < tiles; k += gridDim.x) {
            float4 *stage = rings + haul_producer_acquire(&producer) * 2 * USERS;
            haul_producer_load(&producer, tile, stage, x + (size_t)k * floats);
            haul_producer_load(&producer, tile, stage + USERS, y + (size_t)k * floats);
            haul_producer_commit(&producer);
        }
    } else {
        haul_consumer consumer = haul_consumer_of(&p);
        for (unsigned k = blockIdx.x; k < tiles; k += gridDim.x) {
            const float4 *stage = rings + haul_consumer_wait(&consumer) * 2 * USERS + threadIdx.x;
            float4 a = stage[0], b = stage[USERS];
            haul_consumer_release(&consumer);
            ((float4 *)y)[(size_t)k * USERS + threadIdx.x] = axpy4(alpha, a, b);
        }
    }
    axpy_tail(floats, n, alpha, x, y);
}

/* ---- no stages at all ---- */

/* Rung 9: a vector a thread again, but no thread stores before all the block's loads have arrived: memory switches less
 * often between reading and writing. Blocks of PACED threads; the grid covers n / 4. */
extern "C" __global__ void __launch_bounds__(PACED)
    saxpy_paced(unsigned n, float alpha, const float *__restrict__ x, float *y) {
    const float4 *x4 = (const float4 *)x;
    float4 *y4 = (float4 *)y;
    unsigned i = blockIdx.x * PACED + threadIdx.x, vectors = n / 4;
    if ((blockIdx.x + 1) * PACED <= vectors) {
        float4 result = axpy4(alpha, x4[i], y4[i]);
        haul_block_loaded(__float_as_uint(result.x)); /* all words of a vector arrive with its first */
        y4[i] = result;
    } else if (i < vectors) {
        y4[i] = axpy4(alpha, x4[i], y4[i]);
    }
    axpy_tail(4, n, alpha, x, y);
}
