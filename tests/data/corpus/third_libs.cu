// CUB's block and warp primitives by their algorithms, cooperative groups, libcu++. Third blind test.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cub/block/block_shuffle.cuh>
#include <cub/cub.cuh>
#include <cuda/atomic>
#include <cuda/std/complex>
#include <cuda/std/tuple>

#define KERNEL extern "C" __global__ void
namespace cg = cooperative_groups;

namespace {

__device__ __forceinline__ int thread_index() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

template <int Threads, cub::BlockReduceAlgorithm Algorithm, typename T>
__device__ __forceinline__ void reduce_block(int valid, const T *in, T *out) {
    using Reduce = cub::BlockReduce<T, Threads, Algorithm>;
    __shared__ typename Reduce::TempStorage temp;
    T sum = Reduce(temp).Sum(in[thread_index()], valid);
    if (threadIdx.x == 0) {
        out[blockIdx.x] = sum;
    }
}

template <int Threads, int Items, cub::BlockScanAlgorithm Algorithm>
__device__ __forceinline__ void scan_block(const int *in, int *out) {
    using Load = cub::BlockLoad<int, Threads, Items, cub::BLOCK_LOAD_TRANSPOSE>;
    using Scan = cub::BlockScan<int, Threads, Algorithm>;
    using Store = cub::BlockStore<int, Threads, Items, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Scan::TempStorage scan;
        typename Store::TempStorage store;
    } temp;
    int v[Items], total;
    Load(temp.load).Load(in + blockIdx.x * Threads * Items, v);
    __syncthreads();
    Scan(temp.scan).ExclusiveSum(v, v, total);
    __syncthreads();
    for (int k = 0; k < Items; k++) {
        v[k] += total & 1;
    }
    Store(temp.store).Store(out + blockIdx.x * Threads * Items, v);
}

}

KERNEL reduce_raking(int valid, const int *in, int *out) {
    reduce_block<96, cub::BLOCK_REDUCE_RAKING>(valid, in, out);
}

KERNEL reduce_commutative(int valid, const long long *in, long long *out) {
    reduce_block<128, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>(valid, in, out);
}

KERNEL reduce_warps(int valid, const float *in, float *out) {
    reduce_block<224, cub::BLOCK_REDUCE_WARP_REDUCTIONS>(valid, in, out);
}

KERNEL scan_raking(const int *in, int *out) {
    scan_block<128, 4, cub::BLOCK_SCAN_RAKING>(in, out);
}

KERNEL scan_memoize(const int *in, int *out) {
    scan_block<64, 7, cub::BLOCK_SCAN_RAKING_MEMOIZE>(in, out);
}

KERNEL scan_warps(const int *in, int *out) {
    scan_block<160, 3, cub::BLOCK_SCAN_WARP_SCANS>(in, out);
}

KERNEL scan_with_max(int n, const unsigned *in, unsigned *out) {
    using Scan = cub::BlockScan<unsigned, 128>;
    __shared__ typename Scan::TempStorage temp;
    unsigned v[2], most;
    for (int k = 0; k < 2; k++) {
        int i = blockIdx.x * 256 + threadIdx.x * 2 + k;
        v[k] = i < n ? in[i] >> (i & 15) : 0;
    }
    Scan(temp).InclusiveScan(v, v, cuda::maximum<>{}, most);
    for (int k = 0; k < 2; k++) {
        out[blockIdx.x * 256 + threadIdx.x * 2 + k] = v[k] ^ most;
    }
}

KERNEL load_striped_store_vector(int valid, const short *in, short *out) {
    using Load = cub::BlockLoad<short, 64, 8, cub::BLOCK_LOAD_STRIPED>;
    using Store = cub::BlockStore<short, 64, 8, cub::BLOCK_STORE_VECTORIZE>;
    short v[8];
    __shared__ typename Load::TempStorage load;
    __shared__ typename Store::TempStorage store;
    Load(load).Load(in + blockIdx.x * 512, v, valid, static_cast<short>(-1));
    Store(store).Store(out + blockIdx.x * 512, v);
}

KERNEL load_warp_transpose_timesliced(const double *in, double *out) {
    using Load = cub::BlockLoad<double, 96, 3, cub::BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED>;
    using Store = cub::BlockStore<double, 96, 3, cub::BLOCK_STORE_TRANSPOSE>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
    } temp;
    double v[3];
    Load(temp.load).Load(in + blockIdx.x * 288, v);
    __syncthreads();
    double t = v[0];
    v[0] = v[2];
    v[2] = t;
    Store(temp.store).Store(out + blockIdx.x * 288, v);
}

KERNEL radix_sort_u16(const unsigned short *in, unsigned short *out) {
    using Sort = cub::BlockRadixSort<unsigned short, 128, 6>;
    __shared__ typename Sort::TempStorage temp;
    unsigned short v[6];
    cub::LoadDirectBlocked(threadIdx.x, in + blockIdx.x * 768, v);
    Sort(temp).SortDescendingBlockedToStriped(v);
    cub::StoreDirectStriped<128>(threadIdx.x, out + blockIdx.x * 768, v);
}

KERNEL radix_sort_f64(const double *in, double *out, int begin, int end) {
    using Sort = cub::BlockRadixSort<double, 64, 2, int, 5>;
    __shared__ typename Sort::TempStorage temp;
    double v[2];
    int at[2];
    for (int k = 0; k < 2; k++) {
        v[k] = in[blockIdx.x * 128 + threadIdx.x * 2 + k];
        at[k] = threadIdx.x * 2 + k;
    }
    Sort(temp).Sort(v, at, begin, end);
    for (int k = 0; k < 2; k++) {
        out[blockIdx.x * 128 + threadIdx.x * 2 + k] = v[k] + at[k];
    }
}

struct less_low {
    __device__ bool operator()(unsigned a, unsigned b) const {
        return (a & 0xffff) < (b & 0xffff);
    }
};

KERNEL merge_sort_low(const unsigned *in, unsigned *out) {
    using Sort = cub::BlockMergeSort<unsigned, 64, 5>;
    __shared__ typename Sort::TempStorage temp;
    unsigned v[5];
    cub::LoadDirectStriped<64>(threadIdx.x, in + blockIdx.x * 320, v);
    Sort(temp).StableSort(v, less_low{});
    cub::StoreDirectBlocked(threadIdx.x, out + blockIdx.x * 320, v);
}

KERNEL warp_merge_sort(const unsigned *in, unsigned *out) {
    using Sort = cub::WarpMergeSort<unsigned, 4, 16>;
    __shared__ typename Sort::TempStorage temp[6];
    unsigned v[4];
    for (int k = 0; k < 4; k++) {
        v[k] = in[thread_index() * 4 + k];
    }
    Sort(temp[threadIdx.x / 16]).Sort(v, less_low{});
    for (int k = 0; k < 4; k++) {
        out[thread_index() * 4 + k] = v[k];
    }
}

template <cub::BlockHistogramAlgorithm Algorithm>
__device__ void histogram_block(const unsigned char *in, unsigned *out) {
    using Histogram = cub::BlockHistogram<unsigned char, 128, 4, 64, Algorithm>;
    __shared__ typename Histogram::TempStorage temp;
    __shared__ unsigned bins[64];
    unsigned char v[4];
    for (int k = 0; k < 4; k++) {
        v[k] = in[(blockIdx.x * 128 + threadIdx.x) * 4 + k] & 63;
    }
    Histogram(temp).Histogram(v, bins);
    __syncthreads();
    if (threadIdx.x < 64) {
        out[blockIdx.x * 64 + threadIdx.x] = bins[threadIdx.x];
    }
}

KERNEL histogram_sort(const unsigned char *in, unsigned *out) {
    histogram_block<cub::BLOCK_HISTO_SORT>(in, out);
}

KERNEL histogram_atomic(const unsigned char *in, unsigned *out) {
    histogram_block<cub::BLOCK_HISTO_ATOMIC>(in, out);
}

KERNEL differences_and_heads(const unsigned *in, unsigned *out) {
    using Difference = cub::BlockAdjacentDifference<unsigned, 128>;
    using Heads = cub::BlockDiscontinuity<unsigned, 128>;
    __shared__ union {
        typename Difference::TempStorage difference;
        typename Heads::TempStorage heads;
    } temp;
    unsigned v[3], d[3];
    int head[3];
    for (int k = 0; k < 3; k++) {
        v[k] = in[blockIdx.x * 384 + threadIdx.x * 3 + k] & 7;
    }
    Difference(temp.difference).SubtractLeft(v, d, cuda::std::minus<>{});
    __syncthreads();
    Heads(temp.heads).FlagHeads(head, v, cuda::std::not_equal_to<>{});
    for (int k = 0; k < 3; k++) {
        out[blockIdx.x * 384 + threadIdx.x * 3 + k] = d[k] * 2 + head[k];
    }
}

KERNEL run_length_decode(const unsigned *in, unsigned *out) {
    using Decode = cub::BlockRunLengthDecode<unsigned, 64, 2, 4>;
    __shared__ typename Decode::TempStorage temp;
    unsigned values[2], lengths[2], total;
    for (int k = 0; k < 2; k++) {
        values[k] = in[blockIdx.x * 128 + threadIdx.x * 2 + k] >> 8;
        lengths[k] = in[blockIdx.x * 128 + threadIdx.x * 2 + k] % 5;
    }
    Decode decode(temp, values, lengths, total);
    unsigned sum = 0;
    for (unsigned first = 0; first < total; first += 256) {
        unsigned item[4];
        decode.RunLengthDecode(item, first);
        for (int k = 0; k < 4; k++) {
            sum = sum * 7 + (first + threadIdx.x * 4 + k < total ? item[k] : 0);
        }
        __syncthreads();
    }
    out[thread_index()] = sum;
}

KERNEL warp_exchange_and_load(const float *in, float *out) {
    using Load = cub::WarpLoad<float, 4, cub::WARP_LOAD_TRANSPOSE, 16>;
    using Exchange = cub::WarpExchange<float, 4, 16>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Exchange::TempStorage exchange;
    } temp[8];
    float v[4];
    int group = threadIdx.x / 16;
    Load(temp[group].load).Load(in + (blockIdx.x * 8 + group) * 64, v);
    __syncwarp();
    Exchange(temp[group].exchange).StripedToBlocked(v, v);
    for (int k = 0; k < 4; k++) {
        out[thread_index() * 4 + k] = v[k];
    }
}

KERNEL warp_scans(const int *in, int *out) {
    using Scan = cub::WarpScan<int>;
    using Small = cub::WarpReduce<int, 8>;
    __shared__ typename Scan::TempStorage scan[4];
    __shared__ typename Small::TempStorage small[16];
    int v = in[thread_index()] & 0xfff, total, inclusive;
    Scan(scan[threadIdx.x / 32]).InclusiveSum(v, inclusive, total);
    int most = Small(small[threadIdx.x / 8]).Reduce(v, cuda::maximum<>{});
    out[thread_index()] = inclusive * 3 + total + (threadIdx.x % 8 == 0 ? most : 0);
}

KERNEL block_shuffle(const int *in, int *out) {
    using Shuffle = cub::BlockShuffle<int, 160>;
    __shared__ typename Shuffle::TempStorage temp;
    int v[2] = {in[thread_index() * 2], in[thread_index() * 2 + 1]}, up[2] = {7, 7}, last;
    Shuffle(temp).Up(v, up, last);
    __syncthreads();
    int rotated;
    Shuffle(temp).Rotate(v[0], rotated, 5);
    out[thread_index()] = up[0] + 3 * up[1] + 5 * last + 7 * rotated;
}

// ---- cooperative groups ----

KERNEL tiles_scan_and_reduce(const int *in, int *out) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    auto half = cg::tiled_partition<4>(tile);
    int v = in[thread_index()] & 0xffff;
    int before = cg::exclusive_scan(tile, v);
    int most = cg::reduce(half, v, cg::greater<int>());
    out[thread_index()] = before * 2 + most + tile.meta_group_rank() + half.shfl(v, 1);
}

KERNEL coalesced_votes(int n, const unsigned *in, unsigned *out, unsigned *count) {
    int i = thread_index();
    if (i < n && in[i] % 3) {
        auto active = cg::coalesced_threads();
        unsigned rank = active.thread_rank(), base = 0;
        if (rank == 0) {
            base = atomicAdd(count, active.size());
        }
        base = active.shfl(base, 0);
        out[i] = rank + active.size() * 64 + (active.any(in[i] & 8) ? 4096 : 0) + (base > 1000000000u);
    }
}

KERNEL partitions_by_key(const unsigned *in, unsigned *out) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    unsigned v = in[thread_index()];
    auto two = cg::binary_partition(warp, (v & 4) != 0);
    auto many = cg::labeled_partition(warp, static_cast<int>(v % 6));
    out[thread_index()] = cg::reduce(two, v & 255, cg::plus<unsigned>()) * 8 + many.thread_rank() + many.size() * 3;
}

KERNEL block_tile_64(const int *in, int *out) {
    __shared__ cg::block_tile_memory<256> memory;
    auto block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<64>(block);
    int v = in[thread_index()] & 0xffff;
    int sum = cg::reduce(tile, v, cg::plus<int>());
    tile.sync();
    out[thread_index()] = sum + tile.thread_rank() + cg::inclusive_scan(tile, v);
}

extern "C" __global__ void __cluster_dims__(4, 1, 1) cluster_softcount(const unsigned *in, unsigned *out) {
    __shared__ unsigned total;
    auto cluster = cg::this_cluster();
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    if (block.thread_rank() == 0) {
        total = 0;
    }
    cluster.sync();
    unsigned sum = cg::reduce(warp, in[thread_index()] & 1023, cg::plus<unsigned>());
    if (warp.thread_rank() == 0) {
        atomicAdd(cluster.map_shared_rank(&total, 0), sum);
    }
    cluster.sync();
    if (block.thread_rank() == 0) {
        out[blockIdx.x] = *cluster.map_shared_rank(&total, 0) + cluster.block_rank();
    }
    cluster.sync();
}

// ---- libcu++ ----

KERNEL atomic_ref_orders(int n, int *counts, unsigned long long *wide) {
    int i = thread_index();
    if (i < n) {
        cuda::atomic_ref<int, cuda::thread_scope_device> a(counts[i % 7]);
        a.fetch_add(2, cuda::memory_order_acq_rel);
        cuda::atomic_ref<unsigned long long, cuda::thread_scope_block> b(wide[blockIdx.x]);
        b.fetch_max(i, cuda::memory_order_relaxed);
    }
}

KERNEL complex_mandel(int n, const cuda::std::complex<float> *in, int *out) {
    int i = thread_index();
    if (i < n) {
        cuda::std::complex<float> c = in[i] - cuda::std::complex<float>(0.5f, 0.25f), z = 0;
        int k = 0;
        while (k < 20 && z.real() * z.real() + z.imag() * z.imag() < 4.f) {
            z = z * z + c;
            k++;
        }
        out[i] = k;
    }
}

KERNEL spin_ticket(int rounds, int *shared_sum, unsigned *tickets) {
    if (threadIdx.x == 0) {
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> now(tickets[0]);
        for (int r = 0; r < rounds; r++) {
            now.fetch_add(1, cuda::memory_order_release);
        }
        cuda::atomic_ref<int, cuda::thread_scope_device>(shared_sum[0]).fetch_add(blockIdx.x);
    }
}

// Decoupled look-back as device-wide scans do it: each block waits for the one before it.
KERNEL look_back_scan(const int *in, int *out, unsigned *flags) {
    using Scan = cub::BlockScan<int, 128>;
    __shared__ typename Scan::TempStorage temp;
    __shared__ int before;
    int v = in[thread_index()] & 255, total;
    Scan(temp).ExclusiveSum(v, v, total);
    if (threadIdx.x == 0) {
        int base = 0;
        if (blockIdx.x > 0) {
            cuda::atomic_ref<unsigned, cuda::thread_scope_device> flag(flags[blockIdx.x - 1]);
            unsigned seen;
            do {
                seen = flag.load(cuda::memory_order_acquire);
            } while (seen == 0);
            base = static_cast<int>(seen - 1);
        }
        cuda::atomic_ref<unsigned, cuda::thread_scope_device>(flags[blockIdx.x]).store(base + total + 1, cuda::memory_order_release);
        before = base;
    }
    __syncthreads();
    out[thread_index()] = v + before;
}
