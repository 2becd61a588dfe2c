/* Block primitives of CUB as they come with CUDA 13.0 (CCCL 3.0). corpus README: the PTX is kept, so that nothing needs CCCL. */
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

#define T threadIdx.x

#define MOVE(name, threads, items, type, how, back)                                                        \
    extern "C" __global__ void move_##name(const type *in, type *out, int n) {                             \
        using load = cub::BlockLoad<type, threads, items, cub::how>;                                       \
        using store = cub::BlockStore<type, threads, items, cub::back>;                                    \
        __shared__ union { typename load::TempStorage l; typename store::TempStorage s; } t;               \
        type v[items];                                                                                     \
        int base = blockIdx.x * threads * items;                                                           \
        if (n < 0) load(t.l).Load(in + base, v);                                                           \
        else load(t.l).Load(in + base, v, n - base, (type)0);                                              \
        __syncthreads();                                                                                   \
        for (int k = 0; k < items; k++) v[k] = v[k] + (type)1;                                             \
        if (n < 0) store(t.s).Store(out + base, v);                                                        \
        else store(t.s).Store(out + base, v, n - base);                                                    \
    }
MOVE(direct, 128, 4, int, BLOCK_LOAD_DIRECT, BLOCK_STORE_DIRECT)
MOVE(striped, 128, 4, int, BLOCK_LOAD_STRIPED, BLOCK_STORE_STRIPED)
MOVE(vectorize, 128, 4, int, BLOCK_LOAD_VECTORIZE, BLOCK_STORE_VECTORIZE)
MOVE(transpose, 128, 4, int, BLOCK_LOAD_TRANSPOSE, BLOCK_STORE_TRANSPOSE)
MOVE(transpose_odd, 96, 7, int, BLOCK_LOAD_TRANSPOSE, BLOCK_STORE_TRANSPOSE)
MOVE(warp_transpose, 128, 4, int, BLOCK_LOAD_WARP_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE)
MOVE(warp_transpose_double, 64, 5, double, BLOCK_LOAD_WARP_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE)
MOVE(timesliced, 128, 4, float, BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED, BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED)
MOVE(bytes, 128, 8, unsigned char, BLOCK_LOAD_TRANSPOSE, BLOCK_STORE_TRANSPOSE)
MOVE(shorts, 256, 4, short, BLOCK_LOAD_WARP_TRANSPOSE, BLOCK_STORE_TRANSPOSE)

#define REDUCE(name, threads, items, type, how)                                            \
    extern "C" __global__ void reduce_##name(const type *in, type *out) {                  \
        using reduce = cub::BlockReduce<type, threads, cub::how>;                          \
        __shared__ typename reduce::TempStorage t;                                         \
        type v[items];                                                                     \
        cub::LoadDirectStriped<threads>(T, in + blockIdx.x * threads * items, v);          \
        type s = reduce(t).Sum(v);                                                         \
        if (T == 0) out[blockIdx.x] = s;                                                   \
    }
REDUCE(warps, 128, 4, int, BLOCK_REDUCE_WARP_REDUCTIONS)
REDUCE(raking, 128, 4, int, BLOCK_REDUCE_RAKING)
REDUCE(commutative, 160, 3, int, BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY)
REDUCE(double, 256, 2, double, BLOCK_REDUCE_WARP_REDUCTIONS)

#define SCAN(name, threads, items, type, how)                                              \
    extern "C" __global__ void scan_##name(const type *in, type *out) {                    \
        using scan = cub::BlockScan<type, threads, cub::how>;                              \
        using load = cub::BlockLoad<type, threads, items, cub::BLOCK_LOAD_TRANSPOSE>;      \
        using store = cub::BlockStore<type, threads, items, cub::BLOCK_STORE_TRANSPOSE>;   \
        __shared__ union { typename scan::TempStorage c; typename load::TempStorage l; typename store::TempStorage s; } t; \
        type v[items];                                                                     \
        int base = blockIdx.x * threads * items;                                           \
        load(t.l).Load(in + base, v);                                                      \
        __syncthreads();                                                                   \
        scan(t.c).ExclusiveSum(v, v);                                                      \
        __syncthreads();                                                                   \
        store(t.s).Store(out + base, v);                                                   \
    }
SCAN(warps, 128, 4, int, BLOCK_SCAN_WARP_SCANS)
SCAN(raking, 128, 4, int, BLOCK_SCAN_RAKING)
SCAN(memoize, 128, 3, unsigned, BLOCK_SCAN_RAKING_MEMOIZE)
SCAN(long, 64, 4, long long, BLOCK_SCAN_WARP_SCANS)

#define SORT(name, threads, items, key)                                                    \
    extern "C" __global__ void sort_##name(const key *in, key *out, int end) {             \
        using sort = cub::BlockRadixSort<key, threads, items>;                             \
        __shared__ typename sort::TempStorage t;                                           \
        key v[items];                                                                      \
        cub::LoadDirectBlocked(T, in + blockIdx.x * threads * items, v);                   \
        sort(t).SortBlockedToStriped(v, 0, end);                                           \
        cub::StoreDirectStriped<threads>(T, out + blockIdx.x * threads * items, v);        \
    }
SORT(u32, 128, 4, unsigned)
SORT(u16, 64, 3, unsigned short)
SORT(u64, 128, 2, unsigned long long)
extern "C" __global__ void sort_pairs(const unsigned *in, unsigned *out, unsigned *places) {
    using sort = cub::BlockRadixSort<unsigned, 128, 2, unsigned>;
    __shared__ typename sort::TempStorage t;
    unsigned k[2], v[2] = {T * 2, T * 2 + 1};
    cub::LoadDirectBlocked(T, in, k);
    sort(t).Sort(k, v, 0, 16);
    cub::StoreDirectBlocked(T, out, k);
    cub::StoreDirectBlocked(T, places, v);
}

extern "C" __global__ void exchange_striped(const float *in, float *out) {
    using exchange = cub::BlockExchange<float, 128, 5>;
    __shared__ typename exchange::TempStorage t;
    float v[5];
    cub::LoadDirectStriped<128>(T, in, v);
    exchange(t).StripedToBlocked(v, v);
    for (int k = 0; k < 5; k++) v[k] *= (float)(T + k);
    __syncthreads();
    exchange(t).BlockedToStriped(v, v);
    cub::StoreDirectStriped<128>(T, out, v);
}
extern "C" __global__ void exchange_scatter(const int *in, const int *rank, int *out) {
    using exchange = cub::BlockExchange<int, 128, 2>;
    __shared__ typename exchange::TempStorage t;
    int v[2], r[2];
    cub::LoadDirectBlocked(T, in, v);
    cub::LoadDirectBlocked(T, rank, r);
    exchange(t).ScatterToStriped(v, v, r);
    cub::StoreDirectStriped<128>(T, out, v);
}
extern "C" __global__ void histogram_atomic(const unsigned char *in, unsigned *out) {
    using histogram = cub::BlockHistogram<unsigned char, 128, 4, 256, cub::BLOCK_HISTO_ATOMIC>;
    __shared__ typename histogram::TempStorage t;
    __shared__ unsigned h[256];
    unsigned char v[4];
    cub::LoadDirectStriped<128>(T, in + blockIdx.x * 512, v);
    histogram(t).Histogram(v, h);
    __syncthreads();
    for (int k = T; k < 256; k += 128) out[blockIdx.x * 256 + k] = h[k];
}
extern "C" __global__ void warp_sums(const int *in, int *out) {
    using reduce = cub::WarpReduce<int, 16>;
    __shared__ typename reduce::TempStorage t[8];
    int i = blockIdx.x * 128 + T, s = reduce(t[T / 16]).Sum(in[i]);
    if (T % 16 == 0) out[i / 16] = s;
}
extern "C" __global__ void warp_scans(const int *in, int *out) {
    using scan = cub::WarpScan<int>;
    __shared__ typename scan::TempStorage t[4];
    int i = blockIdx.x * 128 + T, s;
    scan(t[T / 32]).InclusiveSum(in[i], s);
    out[i] = s;
}
