/* Programs for CudaDMA: every class in its forms, in kernels that compare what arrives with what was sent and fail
 * otherwise. run_cudadma.sh launches each with blocks of 192 threads: 128 compute threads, behind them 64 DMA threads.
 * `in` has random words, `out` zeros; `index` numbers up to 63, each once. */
#include <haul/cudadma.h>

enum { COMPUTE = 128, DMA = 64, ELEMENTS = 24, SPACE = 8192 /* bytes */, CANARY = 0x5a };

HAUL_DEVICE void must(bool condition, const char *what) {
    if (!condition) haul_device_fail("cudadma", blockIdx.x, "compare", what);
}

/* Byte k of shared memory is byte `from` of global memory, or nothing wrote it. */
HAUL_DEVICE void must_have(const char *tile, unsigned k, const char *in, unsigned from) {
    must(tile[k] == in[from], "haul: wrong byte");
}

HAUL_DEVICE void must_be_free(const char *tile, unsigned k) {
    must(tile[k] == CANARY, "haul: a byte outside the transfer was written");
}

HAUL_DEVICE void clear(char *tile) {
    for (unsigned k = threadIdx.x; k < SPACE; k += blockDim.x) tile[k] = CANARY;
    __syncthreads();
}

/* Element e of `bytes` begins at the place that `to` says, from where `from` says; between elements nothing was
 * written. */
struct rows {
    unsigned count, bytes, to, from;
    const int *index;
    bool scattered;
};

HAUL_DEVICE void compare(const rows &r, const char *tile, const char *in, unsigned rank, unsigned size) {
    for (unsigned e = 0; e < r.count; e++) {
        const unsigned to = (r.scattered ? (unsigned)r.index[e] : e) * r.to;
        const unsigned from = (r.index && !r.scattered ? (unsigned)r.index[e] : e) * r.from;
        for (unsigned k = rank; k < r.bytes; k += size) must_have(tile, to + k, in, from + k);
        for (unsigned k = r.bytes + rank; k < r.to; k += size) must_be_free(tile, to + k);
    }
}

/* The compute threads' part of single buffering, twice. */
template <class OBJECT>
HAUL_DEVICE void compute(const OBJECT &dma, const rows &r, const char *tile, const char *in, unsigned step) {
    for (unsigned k = 0; k < 2; k++) {
        dma.start_async_dma();
        dma.wait_for_dma_finish();
        compare(r, tile, in + k * step, threadIdx.x, COMPUTE);
    }
}

#define KERNEL(name)                                                                                             \
    HAUL_DEVICE void name##_body(char *tile, const char *in, char *out, const int *index, int bytes, int count); \
    extern "C" __global__ void name(const char *in, char *out, const int *index, int bytes, int count) {         \
        __shared__ __align__(128) char tile[SPACE];                                                              \
        clear(tile);                                                                                             \
        name##_body(tile, in, out, index, bytes, count);                                                         \
    }                                                                                                            \
    HAUL_DEVICE void name##_body(char *tile, const char *in, char *out, const int *index, int bytes, int count)
#define UNUSED (void)out, (void)index, (void)bytes, (void)count

/* ---- sequential ---- */

template <class OBJECT> HAUL_DEVICE void run_sequential(OBJECT &dma, unsigned bytes, char *tile, const char *in) {
    const rows r = {1, bytes, 6000, 0, 0, false};
    if (!dma.owns_this_thread()) {
        compute(dma, r, tile, in, 4096);
        return;
    }
    dma.execute_dma(in, tile);
    dma.template start_xfer_async<true, LOAD_CACHE_STREAMING, STORE_CACHE_GLOBAL>(in + 4096);
    dma.template wait_xfer_finish<true, LOAD_CACHE_STREAMING, STORE_CACHE_GLOBAL>(tile);
}

/* 4100 bytes: what is left at the end is narrower than the accesses. */
KERNEL(sequential) {
    UNUSED;
    CudaDMASequential<true, 16, 64, 4100, DMA> dma(1, COMPUTE, COMPUTE);
    run_sequential(dma, 4100, tile, in);
}
KERNEL(sequential_threads_late) {
    UNUSED;
    CudaDMASequential<true, 4, 16, 1000> dma(2, DMA, COMPUTE, COMPUTE);
    run_sequential(dma, 1000, tile, in);
}
KERNEL(sequential_all_late) {
    UNUSED;
    CudaDMASequential<true, 8> dma(7, DMA, COMPUTE, COMPUTE, bytes);
    run_sequential(dma, (unsigned)bytes, tile, in);
}
KERNEL(sequential_version_1) {
    UNUSED;
    cudaDMASequential<true, 16, 5120, DMA> dma(3, COMPUTE, COMPUTE);
    run_sequential(dma, 5120, tile, in);
}
KERNEL(sequential_by_ldgsts) {
    UNUSED;
    CudaDMASequential<true, 16, 64, 4100, DMA, HAUL_BY_LDGSTS> dma(1, COMPUTE, COMPUTE);
    const rows r = {1, 4100, 6000, 0, 0, false};
    if (!dma.owns_this_thread()) {
        compute(dma, r, tile, in, 4096);
        return;
    }
    dma.execute_dma<true>(in, tile);
    dma.start_xfer_async(in + 4096, tile);
    dma.wait_xfer_finish(tile);
}

/* Without a handover: all threads, or some, and __syncthreads(). */
KERNEL(sequential_by_the_block) {
    UNUSED;
    CudaDMASequential<false, 16, 32, 4096> dma;
    const rows r = {1, 4096, 6000, 0, 0, false};
    dma.start_xfer_async<true>(in);
    dma.wait_xfer_finish<true>(tile);
    __syncthreads();
    compare(r, tile, in, threadIdx.x, blockDim.x);
}
KERNEL(sequential_by_some) {
    UNUSED;
    CudaDMASequential<false, 4> dma(bytes, DMA, COMPUTE);
    const rows r = {1, (unsigned)bytes, 6000, 0, 0, false};
    if (dma.owns_this_thread()) dma.execute_dma<true, LOAD_CACHE_VOLATILE, STORE_WRITE_BACK>(in, tile);
    __syncthreads();
    compare(r, tile, in, threadIdx.x, blockDim.x);
}

/* DMA threads take out what compute threads have made. */
KERNEL(sequential_store) {
    (void)index, (void)bytes, (void)count;
    CudaDMASequential<true, 16, 64, 4096, DMA, HAUL_BY_LDG, HAUL_DIRECTION_STORE> dma(1, COMPUTE, COMPUTE);
    if (dma.owns_this_thread()) {
        dma.execute_dma<false, LOAD_CACHE_ALL, STORE_CACHE_STREAMING>(tile, out);
        return;
    }
    for (unsigned k = threadIdx.x; k < 4096; k += COMPUTE) tile[k] = in[k];
    dma.start_async_dma();
    dma.wait_for_dma_finish();
    for (unsigned k = threadIdx.x; k < 4096; k += COMPUTE) must_have(out, k, in, k);
}

/* ---- strided ---- */

template <class OBJECT>
HAUL_DEVICE void run_strided(const OBJECT &dma, unsigned bytes, unsigned from, unsigned to, char *tile,
                             const char *in) {
    const rows r = {ELEMENTS, bytes, to, from, 0, false};
    if (!dma.owns_this_thread()) {
        compute(dma, r, tile, in, 64);
        return;
    }
    dma.execute_dma(in, tile);
    dma.template execute_dma<true>(in + 64, tile);
}

KERNEL(strided) {
    UNUSED;
    CudaDMAStrided<true, 16, 64, 200, DMA, ELEMENTS> dma(1, COMPUTE, COMPUTE, 512, 224);
    run_strided(dma, 200, 512, 224, tile, in);
}
KERNEL(strided_alike) {
    UNUSED;
    CudaDMAStrided<true, 16, 64, 192> dma(1, DMA, COMPUTE, COMPUTE, ELEMENTS, 256);
    run_strided(dma, 192, 256, 256, tile, in);
}
/* Version 1: elements lie side by side in shared memory if it is not told otherwise. */
KERNEL(strided_version_1) {
    UNUSED;
    cudaDMAStrided<true, 16, 192, DMA, ELEMENTS> dma(1, COMPUTE, COMPUTE, 256);
    const rows r = {ELEMENTS, 192, 192, 256, 0, false};
    if (dma.owns_this_thread())
        dma.execute_dma(in, tile), dma.execute_dma(in + 64, tile);
    else
        compute(dma, r, tile, in, 64);
}
KERNEL(strided_all_late) {
    UNUSED;
    CudaDMAStrided<true, 4, 16> dma(1, DMA, COMPUTE, COMPUTE, 100, count, 300, 120);
    run_strided(dma, 100, 300, 120, tile, in);
}
KERNEL(strided_by_ldgsts) {
    UNUSED;
    CudaDMAStrided<true, 8, 32, 200, DMA, ELEMENTS, HAUL_AUTO> dma(1, COMPUTE, COMPUTE, 512, 224);
    run_strided(dma, 200, 512, 224, tile, in);
}
KERNEL(strided_by_the_block) {
    UNUSED;
    CudaDMAStrided<false, 16, 64, 160, 0, ELEMENTS> dma(480, 176);
    const rows r = {ELEMENTS, 160, 176, 480, 0, false};
    dma.start_xfer_async(in);
    dma.wait_xfer_finish(tile);
    __syncthreads();
    compare(r, tile, in, threadIdx.x, blockDim.x);
}
KERNEL(strided_store) {
    (void)index, (void)bytes, (void)count;
    CudaDMAStrided<false, 8, 32, 100, 0, ELEMENTS, HAUL_BY_LDG, HAUL_DIRECTION_STORE> dma(104, 200);
    for (unsigned k = threadIdx.x; k < 104 * ELEMENTS; k += blockDim.x) tile[k] = in[k];
    __syncthreads();
    dma.start_xfer_async(tile);
    dma.wait_xfer_finish(out);
    __syncthreads();
    for (unsigned e = 0; e < ELEMENTS; e++)
        for (unsigned k = threadIdx.x; k < 200; k += blockDim.x)
            must(out[200 * e + k] == (k < 100 ? in[104 * e + k] : 0), "haul: wrong byte");
}

/* ---- indirect ---- */

template <class OBJECT>
HAUL_DEVICE void run_indirect(const OBJECT &dma, const rows &r, char *tile, const char *in, const int *index) {
    if (!dma.owns_this_thread()) {
        compute(dma, r, tile, in, 256);
        return;
    }
    dma.execute_dma(index, in, tile);
    dma.template execute_dma<true>(index, in + 256, tile);
}

KERNEL(gather) {
    UNUSED;
    CudaDMAIndirect<true, true, 16, 64, 64, DMA, ELEMENTS> dma(1, COMPUTE, COMPUTE, 80);
    const rows r = {ELEMENTS, 64, 80, 64, index, false};
    run_indirect(dma, r, tile, in, index);
}
KERNEL(gather_all_late) {
    UNUSED;
    CudaDMAIndirect<true, true, 4, 16> dma(1, DMA, COMPUTE, COMPUTE, 36, count);
    const rows r = {ELEMENTS, 36, 36, 36, index, false};
    run_indirect(dma, r, tile, in, index);
}
KERNEL(gather_by_ldgsts) {
    UNUSED;
    CudaDMAIndirect<true, true, 4, 16, 4, DMA, ELEMENTS, HAUL_BY_LDGSTS> dma(1, COMPUTE, COMPUTE);
    const rows r = {ELEMENTS, 4, 4, 4, index, false};
    run_indirect(dma, r, tile, in, index);
}
/* An element of 68 bytes aligned to 16 goes by words. */
KERNEL(scatter) {
    UNUSED;
    CudaDMAIndirect<false, true, 16, 64, 68, DMA, ELEMENTS> dma(1, COMPUTE, COMPUTE);
    const rows r = {ELEMENTS, 68, 68, 68, index, true};
    run_indirect(dma, r, tile, in, index);
}
KERNEL(scatter_by_ldgsts) {
    UNUSED;
    CudaDMAIndirect<false, true, 16, 64, 64, DMA, ELEMENTS, HAUL_BY_LDGSTS> dma(1, COMPUTE, COMPUTE, 96);
    const rows r = {ELEMENTS, 64, 64, 96, index, true};
    run_indirect(dma, r, tile, in, index);
}
KERNEL(gather_by_the_block) {
    UNUSED;
    CudaDMAIndirect<true, false, 16, 64, 64, 0, ELEMENTS> dma;
    const rows r = {ELEMENTS, 64, 64, 64, index, false};
    dma.start_xfer_async(index, in);
    dma.wait_xfer_finish(tile);
    __syncthreads();
    compare(r, tile, in, threadIdx.x, blockDim.x);
}
KERNEL(indirect_stores) {
    (void)bytes, (void)count;
    CudaDMAIndirect<false, false, 16, 64, 32, 0, ELEMENTS, HAUL_BY_LDG, HAUL_DIRECTION_STORE> spread;
    CudaDMAIndirect<true, false, 16, 64, 32, 0, ELEMENTS, HAUL_BY_LDG, HAUL_DIRECTION_STORE> pick(48);
    for (unsigned k = threadIdx.x; k < 64 * 32; k += blockDim.x) tile[k] = in[k];
    __syncthreads();
    spread.execute_dma(index, tile, out);
    pick.execute_dma(index, tile, out + 4096);
    __syncthreads();
    for (unsigned e = 0; e < ELEMENTS; e++)
        for (unsigned k = threadIdx.x; k < 32; k += blockDim.x) {
            must_have(out, 32 * (unsigned)index[e] + k, in, 32 * e + k);
            must_have(out, 4096 + 48 * e + k, in, 32 * (unsigned)index[e] + k);
        }
}

/* ---- halo: 20 x 6 words with a ring of 2, out of rows of 64 ---- */

template <class OBJECT> HAUL_DEVICE void run_halo(const OBJECT &dma, bool corners, char *tile, const char *in) {
    enum { WIDTH = 20, HEIGHT = 6, RADIUS = 2, ROW = WIDTH + 2 * RADIUS, PITCH = 64 };
    const unsigned origin = 4 * (RADIUS * ROW + RADIUS), from = 4 * (RADIUS * PITCH + RADIUS);
    if (dma.owns_this_thread()) {
        dma.execute_dma(in + from, tile + origin);
        return;
    }
    dma.start_async_dma();
    dma.wait_for_dma_finish();
    for (unsigned k = threadIdx.x; k < 4 * ROW * (HEIGHT + 2 * RADIUS); k += COMPUTE) {
        const unsigned x = k / 4 % ROW, y = k / 4 / ROW;
        const bool side = x - RADIUS >= WIDTH, above = y - RADIUS >= HEIGHT;
        if ((side || above) && (corners || side != above))
            must_have(tile, k, in, 4 * (y * PITCH + x) + k % 4);
        else
            must_be_free(tile, k);
    }
}

KERNEL(halo) {
    UNUSED;
    CudaDMAHalo<float, 2, true, 8> dma(1, DMA, COMPUTE, COMPUTE, 20, 6, 64);
    run_halo(dma, true, tile, in);
}
KERNEL(halo_without_corners) {
    UNUSED;
    cudaDMAHalo<float, 2, false, 4> dma(1, DMA, COMPUTE, COMPUTE, 20, 6, 64);
    run_halo(dma, false, tile, in);
}
/* Elements of 8 bytes are aligned to 8, whatever ALIGNMENT says. */
KERNEL(halo_of_pairs) {
    UNUSED;
    CudaDMAHalo<float2, 1, true, 4> dma(1, DMA, COMPUTE, COMPUTE, 4, 2, 16);
    if (dma.owns_this_thread()) {
        dma.execute_dma(in + 8 * (16 + 1), tile + 8 * (6 + 1));
        return;
    }
    dma.start_async_dma();
    dma.wait_for_dma_finish();
    for (unsigned k = threadIdx.x; k < 8 * 6 * 4; k += COMPUTE) {
        const unsigned x = k / 8 % 6, y = k / 8 / 6;
        if (x - 1 < 4 && y - 1 < 2)
            must_be_free(tile, k);
        else
            must_have(tile, k, in, 8 * (y * 16 + x) + k % 8);
    }
}
KERNEL(halo_by_ldgsts) {
    UNUSED;
    CudaDMAHalo<float, 2, true, 8, HAUL_BY_LDGSTS> dma(1, DMA, COMPUTE, COMPUTE, 20, 6, 64);
    run_halo(dma, true, tile, in);
}

/* ---- a transfer of one's own ---- */

class reversed : public cudaDMACustom {
  public:
    HAUL_MEMBER reversed(int id) : cudaDMACustom(id, DMA, COMPUTE, COMPUTE) {}
    HAUL_MEMBER void execute_dma(const char *from, char *to) const {
        wait_for_dma_start();
        for (unsigned k = threadIdx.x - COMPUTE; k < 512; k += DMA) to[511 - k] = from[k];
        finish_async_dma();
    }
};

KERNEL(custom) {
    UNUSED;
    reversed dma(1);
    if (dma.owns_this_thread()) {
        dma.execute_dma(in, tile);
        return;
    }
    dma.start_async_dma();
    dma.wait_for_dma_finish();
    for (unsigned k = threadIdx.x; k < 512; k += COMPUTE) must_have(tile, k, in, 511 - k);
}

/* ---- kernels that fail: bytes are compared, and the compute threads' wait is missed ---- */

KERNEL(wrong_transfer) {
    UNUSED;
    CudaDMASequential<true, 16, 64, 4096, DMA> dma(1, COMPUTE, COMPUTE);
    const rows r = {1, 4100, 6000, 0, 0, false};
    if (dma.owns_this_thread())
        dma.execute_dma(in, tile);
    else
        dma.start_async_dma(), dma.wait_for_dma_finish(), compare(r, tile, in, threadIdx.x, COMPUTE);
}
KERNEL(wrong_wait) {
    UNUSED;
    CudaDMASequential<true, 16, 64, 4096, DMA> dma(1, COMPUTE, COMPUTE);
    if (dma.owns_this_thread())
        dma.execute_dma(in, tile);
    else
        dma.start_async_dma(), out[threadIdx.x] = tile[threadIdx.x];
}
KERNEL(wrong_id) {
    UNUSED;
    CudaDMASequential<true, 16, 64, 4096, DMA> dma(bytes, COMPUTE, COMPUTE);
    run_sequential(dma, 4096, tile, in);
}
