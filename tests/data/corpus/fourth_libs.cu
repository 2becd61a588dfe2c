// CUB's block and warp primitives with odd counts, cooperative groups, libcu++: kernels of a fourth blind test.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cub/cub.cuh>
#include <cuda/atomic>
#include <cuda/std/array>

#define KERNEL extern "C" __global__ void
namespace cg = cooperative_groups;

namespace {

__device__ __forceinline__ int tid() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

template <typename T, int Threads, int Items, cub::BlockLoadAlgorithm In, cub::BlockStoreAlgorithm Out>
__device__ __forceinline__ void load_store(int valid, const T *in, T *out) {
    using Load = cub::BlockLoad<T, Threads, Items, In>;
    using Store = cub::BlockStore<T, Threads, Items, Out>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
    } temp;
    T v[Items];
    int base = blockIdx.x * Threads * Items;
    Load(temp.load).Load(in + base, v, valid, T());
    __syncthreads();
    for (int k = 0; k < Items; k++) {
        v[k] = static_cast<T>(v[k] + static_cast<T>(k));
    }
    Store(temp.store).Store(out + base, v, valid);
}

}

KERNEL move_transpose_3(int valid, const int *in, int *out) {
    load_store<int, 96, 3, cub::BLOCK_LOAD_TRANSPOSE, cub::BLOCK_STORE_TRANSPOSE>(valid, in, out);
}

KERNEL move_transpose_8_bytes(int valid, const unsigned char *in, unsigned char *out) {
    load_store<unsigned char, 64, 8, cub::BLOCK_LOAD_TRANSPOSE, cub::BLOCK_STORE_WARP_TRANSPOSE>(valid, in, out);
}

KERNEL move_direct_5_doubles(int valid, const double *in, double *out) {
    load_store<double, 160, 5, cub::BLOCK_LOAD_DIRECT, cub::BLOCK_STORE_TRANSPOSE>(valid, in, out);
}

KERNEL move_warp_transpose_9(int valid, const float *in, float *out) {
    load_store<float, 128, 9, cub::BLOCK_LOAD_WARP_TRANSPOSE, cub::BLOCK_STORE_DIRECT>(valid, in, out);
}

KERNEL sort_keys_96_5(const unsigned *in, unsigned *out) {
    using Sort = cub::BlockRadixSort<unsigned, 96, 5>;
    __shared__ typename Sort::TempStorage temp;
    unsigned v[5];
    cub::LoadDirectBlocked(threadIdx.x, in + blockIdx.x * 480, v);
    Sort(temp).Sort(v, 4, 20);
    cub::StoreDirectBlocked(threadIdx.x, out + blockIdx.x * 480, v);
}

KERNEL sort_bytes_striped(const unsigned char *in, unsigned char *out) {
    using Sort = cub::BlockRadixSort<unsigned char, 128, 4>;
    __shared__ typename Sort::TempStorage temp;
    unsigned char v[4];
    cub::LoadDirectStriped<128>(threadIdx.x, in + blockIdx.x * 512, v);
    Sort(temp).SortBlockedToStriped(v);
    cub::StoreDirectStriped<128>(threadIdx.x, out + blockIdx.x * 512, v);
}

KERNEL sort_doubles_pairs(const double *keys, const int *values, double *out, int *places) {
    using Sort = cub::BlockRadixSort<double, 64, 3, int>;
    __shared__ typename Sort::TempStorage temp;
    double k[3];
    int v[3];
    cub::LoadDirectBlocked(threadIdx.x, keys + blockIdx.x * 192, k);
    cub::LoadDirectBlocked(threadIdx.x, values + blockIdx.x * 192, v);
    Sort(temp).SortDescending(k, v, 40, 64);
    cub::StoreDirectBlocked(threadIdx.x, out + blockIdx.x * 192, k);
    cub::StoreDirectBlocked(threadIdx.x, places + blockIdx.x * 192, v);
}

KERNEL scan_inclusive_7(const int *in, int *out) {
    using Scan = cub::BlockScan<int, 224>;
    __shared__ typename Scan::TempStorage temp;
    int v[7];
    cub::LoadDirectStriped<224>(threadIdx.x, in + blockIdx.x * 1568, v);
    Scan(temp).InclusiveSum(v, v);
    cub::StoreDirectStriped<224>(threadIdx.x, out + blockIdx.x * 1568, v);
}

KERNEL scan_2d_raking(const float *in, float *out) {
    using Scan = cub::BlockScan<float, 12, cub::BLOCK_SCAN_RAKING, 9>;
    __shared__ typename Scan::TempStorage temp;
    int t = threadIdx.y * 12 + threadIdx.x;
    float v = in[blockIdx.x * 108 + t], sum;
    Scan(temp).ExclusiveSum(v, v, sum);
    out[blockIdx.x * 108 + t] = v + sum;
}

KERNEL reduce_pairs_416(const int *in, int *out) {
    using Pair = cub::KeyValuePair<int, int>;
    using Reduce = cub::BlockReduce<Pair, 416>;
    __shared__ typename Reduce::TempStorage temp;
    Pair best = Reduce(temp).Reduce(Pair(threadIdx.x, in[tid()]), cub::ArgMax());
    if (threadIdx.x == 0) {
        out[2 * blockIdx.x] = best.key;
        out[2 * blockIdx.x + 1] = best.value;
    }
}

KERNEL reduce_commutative_raking(const long long *in, long long *out) {
    using Reduce = cub::BlockReduce<long long, 160, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>;
    __shared__ typename Reduce::TempStorage temp;
    long long sum = Reduce(temp).Sum(in[tid()]);
    if (threadIdx.x == 0) {
        out[blockIdx.x] = sum;
    }
}

KERNEL exchange_scatter(const short *in, const int *, short *out) {
    using Exchange = cub::BlockExchange<short, 128, 3>;
    __shared__ typename Exchange::TempStorage temp;
    short v[3];
    int rank[3];
    cub::LoadDirectStriped<128>(threadIdx.x, in + blockIdx.x * 384, v);
    for (int k = 0; k < 3; k++) {
        rank[k] = (threadIdx.x * 3 + k) * 5 % 384;
    }
    Exchange(temp).ScatterToStriped(v, v, rank);
    cub::StoreDirectStriped<128>(threadIdx.x, out + blockIdx.x * 384, v);
}

KERNEL adjacent_differences(const int *in, int *out) {
    using Difference = cub::BlockAdjacentDifference<int, 96>;
    __shared__ typename Difference::TempStorage temp;
    int v[6];
    cub::LoadDirectBlockedVectorized(threadIdx.x, const_cast<int *>(in) + blockIdx.x * 576, v);
    Difference(temp).SubtractLeft(v, v, cuda::std::minus<int>());
    cub::StoreDirectBlockedVectorized(threadIdx.x, out + blockIdx.x * 576, v);
}

KERNEL merge_sort_128_3(const unsigned *in, unsigned *out) {
    using Sort = cub::BlockMergeSort<unsigned, 128, 3>;
    __shared__ typename Sort::TempStorage temp;
    unsigned v[3];
    cub::LoadDirectBlocked(threadIdx.x, in + blockIdx.x * 384, v);
    Sort(temp).Sort(v, cuda::std::less<unsigned>());
    cub::StoreDirectBlocked(threadIdx.x, out + blockIdx.x * 384, v);
}

KERNEL histogram_atomic_5(const unsigned char *in, int *out) {
    using Histogram = cub::BlockHistogram<unsigned char, 96, 5, 100, cub::BLOCK_HISTO_ATOMIC>;
    __shared__ typename Histogram::TempStorage temp;
    __shared__ int bins[100];
    unsigned char v[5];
    cub::LoadDirectBlocked(threadIdx.x, in + blockIdx.x * 480, v);
    for (int k = 0; k < 5; k++) {
        v[k] %= 100;
    }
    Histogram(temp).Histogram(v, bins);
    __syncthreads();
    for (int k = threadIdx.x; k < 100; k += 96) {
        out[blockIdx.x * 100 + k] = bins[k];
    }
}

KERNEL warp_sum_8(const float *in, float *out) {
    using Reduce = cub::WarpReduce<float, 8>;
    __shared__ typename Reduce::TempStorage temp[20];
    float sum = Reduce(temp[threadIdx.x / 8]).Sum(in[tid()]);
    if (threadIdx.x % 8 == 0) {
        out[tid() / 8] = sum;
    }
}

KERNEL warp_scan_lowest(const int *in, int *out) {
    using Scan = cub::WarpScan<int, 16>;
    __shared__ typename Scan::TempStorage temp[8];
    int v = in[tid()], all;
    Scan(temp[threadIdx.x / 16]).ExclusiveScan(v, v, 1 << 30, cuda::minimum<int>(), all);
    out[tid()] = v ^ all;
}

KERNEL tile4_reduce(const int *in, int *out) {
    auto tile = cg::tiled_partition<4>(cg::this_thread_block());
    int v = cg::reduce(tile, in[tid()], cg::greater<int>());
    out[tid()] = cg::inclusive_scan(tile, v & 255);
}

KERNEL group_leaders(int n, const int *in, int *out, int *count) {
    int i = tid();
    if (i < n && in[i] % 3 == 0) {
        auto active = cg::coalesced_threads();
        int at = 0;
        if (active.thread_rank() == 0) {
            at = atomicAdd(count, active.size());
        }
        at = active.shfl(at, 0);
        out[i] = static_cast<int>(active.size()) + (at < 0);
    }
}

KERNEL atomic_block_scope(int n, const int *in, int *out) {
    __shared__ cuda::atomic<int, cuda::thread_scope_block> most;
    if (threadIdx.x == 0) {
        most.store(0);
    }
    __syncthreads();
    int i = tid();
    if (i < n) {
        most.fetch_max(in[i] & 0xfffff, cuda::memory_order_relaxed);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        out[blockIdx.x] = most.load();
    }
}

KERNEL array_of_twelve(int n, const float *in, float *out) {
    int i = tid();
    if (i < n) {
        cuda::std::array<float, 12> v;
        for (int k = 0; k < 12; k++) {
            v[k] = in[i * 12 + k];
        }
        int at = i % 12;
        out[i] = v[at] + v[(at + 5) % 12];
    }
}
