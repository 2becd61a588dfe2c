/* Messages of a debug build for common mistakes. Each kernel makes one; compile with HAUL_DEBUG, run, and the launch
 * ends with a message instead of hanging or computing nonsense:
 *
 *     haul profile mistakes.cu -D HAUL_DEBUG -D HAUL_DEBUG_SPINS=1000 --kernel five_tiles --grid 1 --block 64 \
 *         --arg buf:f01:8192
 *
 * Blocks have 64 threads. The compiler refuses mistakes that it can see, as in the last kernel. */
#include <cuda_runtime.h>
#include <haul/device.h>

#define TILE 256 /* floats */
#define STAGES 4

/* Five tiles are put into four stages. */
extern "C" __global__ void five_tiles(const float *in) {
    __shared__ __align__(128) float tile[STAGES][TILE];
    HAUL_SEQUENTIAL(fetch, TILE * 4, 16, 64, HAUL_AUTO);
    HAUL_BLOCK_PIPELINE(ring, STAGES, 64, HAUL_AUTO);
    for (unsigned k = 0; k < 5; k++) {
        const unsigned stage = haul_block_pipeline_acquire(&ring);
        haul_block_pipeline_load(&ring, fetch, tile[stage], in + k * TILE);
        haul_block_pipeline_commit(&ring);
    }
}

/* A wait for a stage that nobody has committed. */
extern "C" __global__ void no_commit(const float *in) {
    __shared__ __align__(128) float tile[STAGES][TILE];
    HAUL_SEQUENTIAL(fetch, TILE * 4, 16, 64, HAUL_AUTO);
    HAUL_BLOCK_PIPELINE(ring, STAGES, 64, HAUL_AUTO);
    haul_block_pipeline_load(&ring, fetch, tile[haul_block_pipeline_acquire(&ring)], in);
    haul_block_pipeline_wait(&ring);
}

/* All warps run the producer's code. */
extern "C" __global__ void wrong_role(const float *in) {
    __shared__ __align__(128) float tile[STAGES][TILE];
    HAUL_SEQUENTIAL(fetch, TILE * 4, 16, 32, HAUL_AUTO);
    HAUL_SPLIT_PIPELINE(ring, STAGES, 0, 32, 1, 32, HAUL_AUTO);
    haul_producer producer = haul_producer_of(&ring);
    const unsigned stage = haul_producer_acquire(&producer);
    haul_producer_load(&producer, fetch, tile[stage], in);
    haul_producer_commit(&producer);
}

/* The consumer makes one round more than the producer. */
extern "C" __global__ void a_round_more(const float *in) {
    __shared__ __align__(128) float tile[STAGES][TILE];
    HAUL_SEQUENTIAL(fetch, TILE * 4, 16, 32, HAUL_AUTO);
    HAUL_SPLIT_PIPELINE(ring, STAGES, 0, 32, 1, 32, HAUL_AUTO);
    if (haul_is_producer(&ring)) {
        haul_producer producer = haul_producer_of(&ring);
        for (unsigned k = 0; k < 6; k++) {
            const unsigned stage = haul_producer_acquire(&producer);
            haul_producer_load(&producer, fetch, tile[stage], in + k * TILE);
            haul_producer_commit(&producer);
        }
    } else {
        haul_consumer consumer = haul_consumer_of(&ring);
        for (unsigned k = 0; k < 7; k++) {
            haul_consumer_wait(&consumer);
            haul_consumer_release(&consumer);
        }
    }
}

/* The source is 4 bytes off the alignment that the descriptor promises. */
extern "C" __global__ void misaligned(const float *in) {
    __shared__ __align__(128) float tile[TILE];
    HAUL_SEQUENTIAL(fetch, TILE * 4, 16, 64, HAUL_BY_LDGSTS);
    haul_block_load(fetch, 0, tile, in + 1);
}

/* The descriptor says 128 threads. */
extern "C" __global__ void fewer_threads(const float *in) {
    __shared__ __align__(128) float tile[TILE];
    HAUL_SEQUENTIAL(fetch, TILE * 4, 16, 128, HAUL_BY_LDGSTS);
    haul_block_load(fetch, 0, tile, in);
}

#ifdef REFUSED
/* The compiler refuses this one. */
extern "C" __global__ void refused(const float *in) {
    __shared__ __align__(128) float tile[TILE];
    HAUL_SEQUENTIAL(fetch, TILE * 4, 2, 64, HAUL_BY_LDGSTS);
    haul_block_load(fetch, 0, tile, in);
}
#endif
