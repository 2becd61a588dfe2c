/* Wrong uses of CudaDMA's classes. run_cudadma.sh compiles the parts of this file, which must fail, and looks for the
 * lines of cudadma_wrong.expected in what the compiler says. */
#include <haul/cudadma.h>

#define USE(type, ...)             \
    {                              \
        type dma(__VA_ARGS__);     \
        dma.execute_dma(from, to); \
    }

extern "C" __global__ void wrong(const char *from, char *to) {
#if PART == 1
    typedef CudaDMASequential<true, 16, 24, 4096, 64> part_of_an_access;
    USE(part_of_an_access, 1, 64, 64)
    typedef CudaDMASequential<true, 16, 8, 4096, 64> less_than_an_access;
    USE(less_than_an_access, 1, 64, 64)
    typedef CudaDMASequential<true, 12, 48, 4096, 64> no_alignment;
    USE(no_alignment, 1, 64, 64)
    typedef CudaDMASequential<true, 16, 512, 4096, 64> too_much;
    USE(too_much, 1, 64, 64)
#elif PART == 2
    typedef CudaDMASequential<true, 16, 64, 4096, 48> half_warps;
    USE(half_warps, 1, 64, 64)
    typedef CudaDMASequential<true, 16, 64, 4096, 64, HAUL_BY_BULK> bulk;
    USE(bulk, 1, 64, 64)
    typedef CudaDMASequential<true, 2, 8, 4096, 64, HAUL_BY_LDGSTS> narrow;
    USE(narrow, 1, 64, 64)
    typedef CudaDMASequential<true, 16, 64, 4096, 64, HAUL_BY_LDG | HAUL_THROUGH_L1> lacking;
    USE(lacking, 1, 64, 64)
    typedef CudaDMASequential<true, 16, 64, 4096, 64> right;
    right dma(1, 64, 64);
    dma.execute_dma<false, 5, STORE_WRITE_BACK>(from, to);
    dma.execute_dma<false, LOAD_CACHE_ALL, 4>(from, to);
    right one_more(1, 64, 64, 4096);
#elif PART == 3
    CudaDMASequential<true, 16, 64, 4096, 64, HAUL_BY_LDGSTS> asynchronous(1, 64, 64);
    asynchronous.start_xfer_async(from);
    asynchronous.execute_dma<false, LOAD_CACHE_STREAMING, STORE_WRITE_BACK>(from, to);
    CudaDMASequential<true, 16, 64, 4096, 64, HAUL_BY_LDG, HAUL_DIRECTION_STORE> store(1, 64, 64);
    store.execute_dma<true>(from, to);
    CudaDMASequential<false, 16, 64, 4096> alone;
    alone.start_async_dma();
    CudaDMAHalo<short, 1, true, 4, HAUL_BY_LDGSTS> narrow(1, 32, 32, 32, 8, 8, 64);
    narrow.execute_dma(from, to);
    CudaDMAHalo<float, 0, true, 4> none(1, 32, 32, 32, 8, 8, 64);
    none.execute_dma(from, to);
    CudaDMAHalo<float, 1, true, 4, HAUL_BY_TENSOR> tensor(1, 32, 32, 32, 8, 8, 64);
    tensor.execute_dma(from, to);
#endif
}
