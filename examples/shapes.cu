/* Rows gathered and added by an index list, beside the same in plain CUDA.
 *
 *     haul profile shapes.cu --kernel gather_rows --grid 32 --block 128 \
 *         --arg buf:u32:65536 --arg buf:perm:256:7 --arg buf:zero:65536 */
#define HAUL_BLOCK_IS_1D
#include <cuda_runtime.h>
#include <haul/device.h>

#define WORDS 256 /* words of a row */
#define ROWS 8    /* rows of a block */
#define THREADS 128

/* out[i] = table[index[i]] */
extern "C" __global__ void gather_plain(const unsigned *table, const unsigned *index, unsigned *out) {
    for (unsigned k = threadIdx.x; k < ROWS * WORDS; k += THREADS) {
        const unsigned i = blockIdx.x * ROWS + k / WORDS;
        out[i * WORDS + k % WORDS] = table[index[i] * WORDS + k % WORDS];
    }
}

extern "C" __global__ void gather_rows(const unsigned *table, const unsigned *index, unsigned *out) {
    __shared__ __align__(128) unsigned rows[ROWS][WORDS];
    __shared__ haul_channel_memory memory;
    HAUL_INDIRECT_WITH(some, unsigned, .rows = ROWS, .row = WORDS, .vector = 4, .threads = THREADS,
                       .destination_free = 1);
    HAUL_SEQUENTIAL_WITH(all, unsigned, .count = ROWS * WORDS, .vector = 4, .threads = THREADS);
    haul_channel channel = haul_block_channel(&memory);
    haul_block_gather(some, &channel, rows, table, index + blockIdx.x * ROWS);
    haul_block_store(all, out + blockIdx.x * ROWS * WORDS, rows);
}

/* table[index[i]] += in[i]; an index may occur more than once */
extern "C" __global__ void add_plain(unsigned *table, const unsigned *index, const unsigned *in) {
    for (unsigned k = threadIdx.x; k < ROWS * WORDS; k += THREADS) {
        const unsigned i = blockIdx.x * ROWS + k / WORDS;
        atomicAdd(&table[index[i] * WORDS + k % WORDS], in[i * WORDS + k % WORDS]);
    }
}

extern "C" __global__ void add_rows(unsigned *table, const unsigned *index, const unsigned *in) {
    __shared__ __align__(128) unsigned rows[ROWS][WORDS];
    __shared__ haul_channel_memory memory;
    HAUL_SEQUENTIAL_WITH(all, unsigned, .count = ROWS * WORDS, .vector = 4, .threads = THREADS, .destination_free = 1);
    HAUL_INDIRECT_WITH(some, unsigned, .rows = ROWS, .row = WORDS, .vector = 4, .threads = THREADS,
                       .add = HAUL_ADD_U32);
    haul_channel channel = haul_block_channel(&memory);
    haul_block_load(all, &channel, rows, in + blockIdx.x * ROWS * WORDS);
    haul_block_scatter_add(some, table, rows, index + blockIdx.x * ROWS);
}
