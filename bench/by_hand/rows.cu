/* The forms of kernels/rows.cu that go through shared memory, written by hand, for tools/device/budget.py. */
#include <cuda_runtime.h>

static __device__ __forceinline__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

static __device__ __forceinline__ size_t index_at(const char *index, unsigned i, bool wide) {
    return wide ? ((const unsigned long long *)index)[i] : ((const unsigned *)index)[i];
}

#if __CUDA_ARCH__ >= 900
static __device__ __forceinline__ void bulk_load(unsigned to, const char *from, unsigned bytes, unsigned barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
}

static __device__ __forceinline__ void bulk_store(char *to, unsigned from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from), "r"(bytes)
                 : "memory");
}

/* Lane 0 prepares a barrier that counts `bytes`; all return when it may be used. */
static __device__ __forceinline__ void expect(unsigned barrier, unsigned bytes) {
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile(
            "{\n\t.reg .b64 state;\n\tmbarrier.arrive.expect_tx.shared.b64 state, [%0], %1;\n\t}" ::"r"(barrier),
            "r"(bytes)
            : "memory");
    }
    __syncwarp();
}

static __device__ __forceinline__ void arrive(unsigned barrier) {
    unsigned done = 0;
    while (!done) {
        asm volatile("{\n\t"
                     ".reg .pred complete;\n\t"
                     "mbarrier.try_wait.parity.shared.b64 complete, [%1], 0;\n\t"
                     "selp.b32 %0, 1, 0, complete;\n\t"
                     "}"
                     : "=r"(done)
                     : "r"(barrier)
                     : "memory");
    }
}

static __device__ __forceinline__ void leave(void) {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
#endif

static __device__ __forceinline__ void copy16(unsigned to, const char *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

static __device__ __forceinline__ void arrive_copies(void) {
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncwarp();
}

static __device__ __forceinline__ void store_row(char *to, const char *from, unsigned bytes) {
    for (unsigned at = threadIdx.x * 16; at < bytes; at += 32 * 16) *(float4 *)(to + at) = *(const float4 *)(from + at);
}

/* Rows from 512 bytes on go by bulk copies where there are any. */
extern "C" __global__ void __launch_bounds__(32)
    gather_transfer(char *out, const char *table, const char *index, unsigned count, unsigned row_bytes,
                    unsigned index_bytes, unsigned stage_rows) {
    extern __shared__ __align__(128) char stage[];
    unsigned first = blockIdx.x * stage_rows, rows = min(stage_rows, count - first);
    char *to = out + (size_t)first * row_bytes;
    index += (size_t)first * index_bytes;
#if __CUDA_ARCH__ >= 900
    __shared__ __align__(8) unsigned long long memory;
    if (row_bytes >= 512) {
        expect(shared_address(&memory), rows * row_bytes);
        for (unsigned r = threadIdx.x; r < rows; r += 32)
            bulk_load(shared_address(stage + r * row_bytes), table + index_at(index, r, index_bytes == 8) * row_bytes,
                      row_bytes, shared_address(&memory));
        arrive(shared_address(&memory));
        if (threadIdx.x == 0) bulk_store(to, shared_address(stage), rows * row_bytes);
        leave();
        return;
    }
#endif
    for (unsigned at = threadIdx.x * 16; at < rows * row_bytes; at += 32 * 16) {
        unsigned r = at / row_bytes;
        const char *row = table + index_at(index, r, index_bytes == 8) * row_bytes;
        copy16(shared_address(stage + at), row + (at - r * row_bytes));
    }
    arrive_copies();
    store_row(to, stage, rows * row_bytes);
}

extern "C" __global__ void __launch_bounds__(32)
    scatter_transfer(char *table, const char *in, const char *index, unsigned count, unsigned row_bytes,
                     unsigned index_bytes, unsigned stage_rows) {
    extern __shared__ __align__(128) char stage[];
    unsigned first = blockIdx.x * stage_rows, rows = min(stage_rows, count - first);
    const char *from = in + (size_t)first * row_bytes;
    index += (size_t)first * index_bytes;
#if __CUDA_ARCH__ >= 900
    __shared__ __align__(8) unsigned long long memory;
    if (row_bytes >= 512) {
        expect(shared_address(&memory), rows * row_bytes);
        if (threadIdx.x == 0) bulk_load(shared_address(stage), from, rows * row_bytes, shared_address(&memory));
        arrive(shared_address(&memory));
        for (unsigned r = threadIdx.x; r < rows; r += 32)
            bulk_store(table + index_at(index, r, index_bytes == 8) * row_bytes, shared_address(stage + r * row_bytes),
                       row_bytes);
        leave();
        return;
    }
#endif
    for (unsigned at = threadIdx.x * 16; at < rows * row_bytes; at += 32 * 16)
        copy16(shared_address(stage + at), from + at);
    arrive_copies();
    for (unsigned at = threadIdx.x * 16; at < rows * row_bytes; at += 32 * 16) {
        unsigned r = at / row_bytes;
        char *row = table + index_at(index, r, index_bytes == 8) * row_bytes;
        *(float4 *)(row + (at - r * row_bytes)) = *(const float4 *)(stage + at);
    }
}
