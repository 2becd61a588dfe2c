/* The second blind test: CUB, cooperative groups and libcu++ in the hands of users. Written before the model was looked at. Launches are in launches.py. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cub/cub.cuh>
#include <cuda/annotated_ptr>
#include <cuda/atomic>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/mdspan>
#include <cuda/std/span>

namespace cg = cooperative_groups;

struct Moments {
    float mean, count;
};
struct Widest {
    __device__ int2 operator()(int2 a, int2 b) const { return a.x > b.x || (a.x == b.x && a.y < b.y) ? a : b; }
};
struct KeyOf {
    unsigned key;
    __device__ bool operator()(const unsigned &a, const unsigned &b) const { return a < b; }
};

extern "C" {

/* ---- CUB ---- */
__global__ void cub_sum_37(const int *in, int *out) {
    using Reduce = cub::BlockReduce<int, 37>;
    __shared__ typename Reduce::TempStorage temp;
    int s = Reduce(temp).Sum(in[blockIdx.x * 37 + threadIdx.x]);
    if (threadIdx.x == 0) out[blockIdx.x] = s;
}
__global__ void cub_argmax_3d(const int *in, int2 *out) {
    using Reduce = cub::BlockReduce<int2, 13, cub::BLOCK_REDUCE_WARP_REDUCTIONS, 7, 3>;
    __shared__ typename Reduce::TempStorage temp;
    int t = (threadIdx.z * 7 + threadIdx.y) * 13 + threadIdx.x, i = blockIdx.x * 273 + t;
    int2 best = Reduce(temp).Reduce(make_int2(in[i], i), Widest());
    if (t == 0) out[blockIdx.x] = best;
}
__global__ void cub_scan_672(const int *in, int *out) {
    using Load = cub::BlockLoad<int, 672, 3, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
    using Store = cub::BlockStore<int, 672, 3, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    using Scan = cub::BlockScan<int, 672>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Scan::TempStorage scan;
        typename Store::TempStorage store;
    } temp;
    int v[3], total;
    Load(temp.load).Load(in + blockIdx.x * 2016, v);
    __syncthreads();
    Scan(temp.scan).ExclusiveSum(v, v, total);
    __syncthreads();
    Store(temp.store).Store(out + blockIdx.x * 2016, v);
    if (threadIdx.x == 0) out[gridDim.x * 2016 + blockIdx.x] = total;
}
__global__ void cub_sort_pairs_96(const unsigned *keys, const unsigned short *values, unsigned *out_keys, unsigned short *out_values, int begin, int end) {
    using Sort = cub::BlockRadixSort<unsigned, 96, 3, unsigned short>;
    __shared__ typename Sort::TempStorage temp;
    unsigned k[3];
    unsigned short v[3];
    int base = blockIdx.x * 288;
    cub::LoadDirectBlocked(threadIdx.x, keys + base, k);
    cub::LoadDirectBlocked(threadIdx.x, values + base, v);
    Sort(temp).Sort(k, v, begin, end);
    cub::StoreDirectBlocked(threadIdx.x, out_keys + base, k);
    cub::StoreDirectBlocked(threadIdx.x, out_values + base, v);
}
__global__ void cub_vector_copy(const double *in, double *out, int n) {
    using Load = cub::BlockLoad<double, 64, 4, cub::BLOCK_LOAD_VECTORIZE>;
    using Store = cub::BlockStore<double, 64, 4, cub::BLOCK_STORE_TRANSPOSE>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
    } temp;
    double v[4];
    int base = blockIdx.x * 256;
    if (base + 256 <= n)
        Load(temp.load).Load(const_cast<double *>(in) + base, v);
    else
        Load(temp.load).Load(const_cast<double *>(in) + base, v, n - base, 0.0);
    for (double &x : v) x = x * 0.5 + 1;
    __syncthreads();
    Store(temp.store).Store(out + base, v, n - base);
}
__global__ void cub_flags_and_runs(const unsigned *in, int *heads, unsigned *lengths) {
    using Flags = cub::BlockDiscontinuity<unsigned, 128>;
    using Decode = cub::BlockRunLengthDecode<unsigned, 128, 1, 4>;
    __shared__ union {
        typename Flags::TempStorage flags;
        typename Decode::TempStorage decode;
    } temp;
    unsigned v[1] = {in[blockIdx.x * 128 + threadIdx.x] >> 30};
    int h[1];
    Flags(temp.flags).FlagHeads(h, v, cuda::std::not_equal_to<>{});
    heads[blockIdx.x * 128 + threadIdx.x] = h[0];
    __syncthreads();
    unsigned runs[1] = {in[blockIdx.x * 128 + threadIdx.x] >> 3}, length[1] = {1 + v[0]}, total, items[4];
    Decode decode(temp.decode, runs, length, total);
    for (unsigned at = 0; at < total; at += 512) {
        decode.RunLengthDecode(items, at);
        for (int k = 0; k < 4; k++)
            if (at + threadIdx.x * 4 + k < total) lengths[blockIdx.x * 512 + at + threadIdx.x * 4 + k] = items[k];
    }
}
__global__ void cub_warp_scan_16(const float *in, float *out) {
    using Scan = cub::WarpScan<int, 16>;
    __shared__ typename Scan::TempStorage temp[10];
    int i = blockIdx.x * 160 + threadIdx.x, v = (int)(in[i] * 1000), s, total;
    Scan(temp[threadIdx.x / 16]).InclusiveSum(v, s, total);
    out[i] = (float)s / total;
}
__global__ void cub_warp_reduce_segments(const int *in, int *out) {
    using Reduce = cub::WarpReduce<int>;
    __shared__ typename Reduce::TempStorage temp[4];
    int i = blockIdx.x * 128 + threadIdx.x;
    int s = Reduce(temp[threadIdx.x / 32]).HeadSegmentedSum(in[i], in[i] % 7 == 0);
    out[i] = threadIdx.x % 32 == 0 || in[i] % 7 == 0 ? s : 0;
}
__global__ void cub_exchange_blocked(const short *in, short *out) {
    using Exchange = cub::BlockExchange<short, 96, 5>;
    __shared__ typename Exchange::TempStorage temp;
    short v[5];
    cub::LoadDirectStriped<96>(threadIdx.x, in + blockIdx.x * 480, v);
    Exchange(temp).StripedToBlocked(v, v);
    for (int k = 1; k < 5; k++) v[k] += v[k - 1];
    __syncthreads();
    Exchange(temp).BlockedToStriped(v, v);
    cub::StoreDirectStriped<96>(threadIdx.x, out + blockIdx.x * 480, v);
}
__global__ void cub_merge_sort_by_key(const unsigned *in, unsigned *out, int n) {
    using Sort = cub::BlockMergeSort<unsigned, 128, 3, unsigned char>;
    __shared__ typename Sort::TempStorage temp;
    unsigned k[3];
    unsigned char v[3];
    for (int j = 0; j < 3; j++) {
        int at = threadIdx.x * 3 + j;
        k[j] = at < n ? in[blockIdx.x * n + at] : ~0u;
        v[j] = at;
    }
    Sort(temp).StableSort(k, v, KeyOf(), n, ~0u);
    for (int j = 0; j < 3; j++)
        if (threadIdx.x * 3 + j < n) out[blockIdx.x * n + threadIdx.x * 3 + j] = k[j] ^ v[j];
}
__global__ void cub_histogram_bytes(const uchar4 *in, unsigned *bins) {
    using Histogram = cub::BlockHistogram<unsigned char, 128, 4, 256, cub::BLOCK_HISTO_ATOMIC>;
    __shared__ typename Histogram::TempStorage temp;
    __shared__ unsigned h[256];
    uchar4 p = in[blockIdx.x * 128 + threadIdx.x];
    unsigned char v[4] = {p.x, p.y, p.z, p.w};
    Histogram(temp).Histogram(v, h);
    __syncthreads();
    for (int k = threadIdx.x; k < 256; k += 128)
        if (h[k]) atomicAdd(bins + k, h[k]);
}

/* ---- cooperative groups ---- */
__global__ void cg_tile16_softsum(const int *in, int *out, int n) {
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = i < n ? in[i] : 0;
    int s = cg::reduce(tile, v, cg::plus<int>()), m = cg::reduce(tile, v, cg::greater<int>()), x = cg::exclusive_scan(tile, v);
    if (i < n) out[i] = s - m + x;
    if (tile.thread_rank() == 0 && i < n) out[n + i / 16] = m;
}
__global__ void cg_labels(const unsigned *in, unsigned *counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    auto active = cg::coalesced_threads();
    auto group = cg::labeled_partition(active, in[i] >> 28);
    if (group.thread_rank() == 0) atomicAdd(&counts[in[i] >> 28], group.size());
}
__global__ void cg_block_sum(const int *in, int *out, int n) {
    extern __shared__ int sums[];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    int s = 0;
    for (int i = blockIdx.x * block.size() + block.thread_rank(); i < n; i += gridDim.x * block.size()) s += in[i];
    s = cg::reduce(tile, s, cg::plus<int>());
    if (tile.thread_rank() == 0) sums[tile.meta_group_rank()] = s;
    cg::sync(block);
    if (tile.meta_group_rank() == 0) {
        s = tile.thread_rank() < tile.meta_group_size() ? sums[tile.thread_rank()] : 0;
        s = cg::reduce(tile, s, cg::plus<int>());
        cg::invoke_one(tile, [&] { atomicAdd(out, s); });
    }
}
__global__ void __cluster_dims__(4, 1, 1) cg_cluster_scan(const int *in, int *out) {
    __shared__ int total;
    auto cluster = cg::this_cluster();
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    if (block.thread_rank() == 0) total = 0;
    block.sync();
    int v = in[blockIdx.x * blockDim.x + threadIdx.x];
    int s = cg::reduce(tile, v, cg::plus<int>());
    if (tile.thread_rank() == 0) atomicAdd(&total, s);
    cluster.sync();
    int before = 0;
    for (unsigned r = 0; r < cluster.block_rank(); r++) before += *cluster.map_shared_rank(&total, r);
    out[blockIdx.x * blockDim.x + threadIdx.x] = before + v;
    cluster.sync();
}
__global__ void __cluster_dims__(2, 1, 1) cg_cluster_histogram(int n, const unsigned *in, unsigned *bins) {
    extern __shared__ unsigned part[];
    auto cluster = cg::this_cluster();
    for (int k = threadIdx.x; k < 128; k += blockDim.x) part[k] = 0;
    cluster.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned b = in[i] >> 24;
        atomicAdd(cluster.map_shared_rank(part, b / 128) + b % 128, 1);
    }
    cluster.sync();
    for (int k = threadIdx.x; k < 128; k += blockDim.x)
        if (part[k]) atomicAdd(&bins[cluster.block_rank() * 128 + k], part[k]);
}

/* ---- libcu++ ---- */
__global__ void atomic_refs(int n, const unsigned *in, unsigned *device_bins, unsigned *block_bins, int *least) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    cuda::atomic_ref<unsigned, cuda::thread_scope_device>(device_bins[in[i] >> 26]).fetch_add(1, cuda::memory_order_relaxed);
    cuda::atomic_ref<unsigned, cuda::thread_scope_block>(block_bins[blockIdx.x * 16 + (in[i] >> 12 & 15)]).fetch_or(in[i], cuda::memory_order_relaxed);
    cuda::atomic_ref<int, cuda::thread_scope_system>(*least).fetch_min((int)in[i], cuda::memory_order_relaxed);
}
__global__ void atomic_double_cas(int n, const int *in, double *slots) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    cuda::atomic_ref<double, cuda::thread_scope_device> slot(slots[i]);
    double old = slot.load(cuda::memory_order_relaxed);
    while (!slot.compare_exchange_weak(old, old * 0.5 + in[i], cuda::memory_order_relaxed)) {}
}
__global__ void ordered_atomics(int n, unsigned *flags, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> f(flags[i]);
    f.store(i + 1, cuda::memory_order_release);
    unsigned v = f.load(cuda::memory_order_acquire);
    out[i] = v + f.exchange(3, cuda::memory_order_acq_rel) + f.fetch_add(1);
}
__global__ void latch_phases(const float *in, float *out) {
    __shared__ float s[192];
    __shared__ alignas(cuda::latch<cuda::thread_scope_block>) char room[sizeof(cuda::latch<cuda::thread_scope_block>)];
    auto *latch = reinterpret_cast<cuda::latch<cuda::thread_scope_block> *>(room);
    if (threadIdx.x == 0) new (latch) cuda::latch<cuda::thread_scope_block>(6);
    __syncthreads();
    s[threadIdx.x] = in[blockIdx.x * 192 + threadIdx.x];
    __syncwarp();
    if (threadIdx.x % 32 == 0) latch->count_down();
    latch->wait();
    out[blockIdx.x * 192 + threadIdx.x] = s[191 - threadIdx.x];
}
__global__ void complex_products(int n, const cuda::std::complex<float> *a, const cuda::std::complex<float> *b, cuda::std::complex<float> *c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] * b[n - 1 - i] + c[i];
}
__global__ void mdspan_stencil(float *out, const float *in, int w, int h) {
    cuda::std::mdspan<const float, cuda::std::dextents<int, 2>> from(in, h, w);
    cuda::std::mdspan<float, cuda::std::dextents<int, 2>> to(out, h, w);
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x + 1 < w && y + 1 < h) to(y, x) = 0.25f * (from(y, x - 1) + from(y, x + 1) + from(y - 1, x) + from(y + 1, x));
}
__global__ void span_windows(const int *in, int *out, int n, int each) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if ((t + 1) * each > n) return;
    cuda::std::span<const int> mine(in + t * each, each);
    int low = mine.front(), s = 0;
    for (int v : mine) low = min(low, v), s ^= v;
    out[t] = s - low;
}
__global__ void array_rotate(const float *in, float *out, int by) {
    cuda::std::array<float, 12> v;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 12; k++) v[k] = in[k * gridDim.x * blockDim.x + t];
    for (int k = 0; k < 12; k++) out[k * gridDim.x * blockDim.x + t] = v[(k + by) % 12];
}
__global__ void persisting_lookup(int n, const unsigned *keys, float *table, float *out) {
    cuda::annotated_ptr<float, cuda::access_property::persisting> hot{table};
    cuda::annotated_ptr<float, cuda::access_property::streaming> cold{out};
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) cold[i] = hot[keys[i] & 255] + 1.0f;
}
}
