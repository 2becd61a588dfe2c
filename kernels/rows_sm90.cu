/* Rows by index, for long rows: Hopper's bulk copy engine moves them through shared memory.
 *
 * A block is one warp with a ring of stages. A lane asks for a row with one instruction; no register holds any of it.
 * One side of a gather or a scatter is in order, so a stage of rows moves there with a single copy. Data is touched by
 * the copy engine alone, which is why no fence is needed between what arrives and what leaves. */
#include <cuda_runtime.h>

#define STAGES 4

static __device__ __forceinline__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

static __device__ __forceinline__ void barrier_init(unsigned barrier) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
}

static __device__ __forceinline__ void barrier_expect(unsigned barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

static __device__ __forceinline__ void barrier_wait(unsigned barrier, unsigned parity) {
    unsigned done = 0;
    while (!done) {
        asm volatile("{\n\t"
                     ".reg .pred complete;\n\t"
                     "mbarrier.try_wait.parity.shared::cta.b64 complete, [%1], %2;\n\t"
                     "selp.b32 %0, 1, 0, complete;\n\t"
                     "}"
                     : "=r"(done)
                     : "r"(barrier), "r"(parity)
                     : "memory");
    }
}

static __device__ __forceinline__ void bulk_load(unsigned to, const char *from, unsigned bytes, unsigned barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
}

static __device__ __forceinline__ void bulk_store(char *to, unsigned from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from), "r"(bytes)
                 : "memory");
}

static __device__ __forceinline__ void bulk_commit(void) {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* What a warp does: batches of up to `stage_rows` rows, the grid's number of blocks apart. */
typedef struct row_batches {
    char *to;
    const char *from;
    const void *index;
    unsigned count, row_bytes, stage_rows;
    bool wide, scatter;
    unsigned stages, full; /* shared addresses: the first stage, the first barrier */
} row_batches;

static __device__ __forceinline__ size_t first_row(const row_batches *b, unsigned round) {
    return ((size_t)round * gridDim.x + blockIdx.x) * b->stage_rows;
}

static __device__ __forceinline__ unsigned rows_in(const row_batches *b, unsigned round) {
    size_t first = first_row(b, round);
    return first >= b->count ? 0 : (unsigned)min((size_t)b->stage_rows, b->count - first);
}

/* Each lane's row of the batch; 0 for lanes that have none. */
static __device__ __forceinline__ size_t load_index(const row_batches *b, unsigned round) {
    if (threadIdx.x >= rows_in(b, round)) return 0;
    size_t i = first_row(b, round) + threadIdx.x;
    return b->wide ? ((const unsigned long long *)b->index)[i] : ((const unsigned *)b->index)[i];
}

/* Asks for a batch: rows one by one where `at` says, or all of them in a piece. */
static __device__ __forceinline__ void fill(const row_batches *b, unsigned round, size_t at) {
    unsigned rows = rows_in(b, round), lane = threadIdx.x, barrier = b->full + round % STAGES * 8;
    unsigned to = b->stages + round % STAGES * (b->stage_rows * b->row_bytes);
    if (rows == 0) return;
    if (lane == 0) barrier_expect(barrier, rows * b->row_bytes);
    __syncwarp();
    if (b->scatter && lane == 0)
        bulk_load(to, b->from + first_row(b, round) * b->row_bytes, rows * b->row_bytes, barrier);
    if (!b->scatter && lane < rows)
        bulk_load(to + lane * b->row_bytes, b->from + at * b->row_bytes, b->row_bytes, barrier);
}

/* Sends a batch that has arrived off; every lane closes a group, so that all can count them. */
static __device__ __forceinline__ void drain(const row_batches *b, unsigned round, size_t at) {
    unsigned rows = rows_in(b, round), lane = threadIdx.x;
    unsigned from = b->stages + round % STAGES * (b->stage_rows * b->row_bytes);
    barrier_wait(b->full + round % STAGES * 8, round / STAGES % 2);
    if (b->scatter && lane < rows) bulk_store(b->to + at * b->row_bytes, from + lane * b->row_bytes, b->row_bytes);
    if (!b->scatter && lane == 0) bulk_store(b->to + first_row(b, round) * b->row_bytes, from, rows * b->row_bytes);
    bulk_commit();
}

/* STAGES - 1 batches are asked for ahead of the one that leaves. Each lane holds the index of its row of the batch
 * that needs it next: the one to be filled for a gather, the one to be drained for a scatter. */
static __device__ __forceinline__ void move_batches(const row_batches *b) {
    unsigned lead = b->scatter ? 0 : STAGES - 1;
    for (unsigned s = 0; s < STAGES - 1; s++) fill(b, s, b->scatter ? 0 : load_index(b, s));
    size_t at = load_index(b, lead);
    for (unsigned round = 0; rows_in(b, round) > 0; round++) {
        size_t next = load_index(b, round + 1 + lead);
        drain(b, round, at);
        /* The stage filled next is the one drained the round before: all but the newest group have left it. */
        asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
        __syncwarp();
        fill(b, round + STAGES - 1, at);
        at = next;
    }
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

static __device__ __forceinline__ void move_rows(void *to, const void *from, const void *index, unsigned count,
                                                 unsigned row_bytes, unsigned index_bytes, unsigned stage_rows,
                                                 bool scatter) {
    extern __shared__ __align__(128) char stages[];
    __shared__ __align__(8) unsigned long long full[STAGES];
    row_batches b = {(char *)to,
                     (const char *)from,
                     index,
                     count,
                     row_bytes,
                     stage_rows,
                     index_bytes == 8,
                     scatter,
                     shared_address(stages),
                     shared_address(full)};
    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < STAGES; s++) barrier_init(shared_address(&full[s]));
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncwarp();
    move_batches(&b);
}

/* Rows of a multiple of 16 bytes, aligned to 16. Blocks of 32 threads, any grid; stage_rows: 1 to 32; shared memory:
 * STAGES * stage_rows * row_bytes. */
extern "C" __global__ void __launch_bounds__(32)
    gather_bulk(void *out, const void *table, const void *index, unsigned count, unsigned row_bytes,
                unsigned index_bytes, unsigned stage_rows) {
    move_rows(out, table, index, count, row_bytes, index_bytes, stage_rows, false);
}

extern "C" __global__ void __launch_bounds__(32)
    scatter_bulk(void *table, const void *in, const void *index, unsigned count, unsigned row_bytes,
                 unsigned index_bytes, unsigned stage_rows) {
    move_rows(table, in, index, count, row_bytes, index_bytes, stage_rows, true);
}
