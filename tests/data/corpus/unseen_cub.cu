/* CUB's block and warp primitives in shapes that cub.cu does not have. Written before the model was looked at. */
#include <cub/cub.cuh>
#include <cub/block/block_shuffle.cuh>

extern "C" {

#define T threadIdx.x

__global__ void cub_merge_sort(const int *in, int *out) {
    using Sort = cub::BlockMergeSort<int, 64, 5>;
    __shared__ typename Sort::TempStorage temp;
    int v[5];
    for (int k = 0; k < 5; k++) v[k] = in[(blockIdx.x * 64 + T) * 5 + k];
    Sort(temp).Sort(v, [](int a, int b) { return a < b; });
    for (int k = 0; k < 5; k++) out[(blockIdx.x * 64 + T) * 5 + k] = v[k];
}
__global__ void cub_radix_descending(const unsigned *in, unsigned *out) {
    using Sort = cub::BlockRadixSort<unsigned, 64, 6>;
    __shared__ typename Sort::TempStorage temp;
    unsigned v[6];
    cub::LoadDirectStriped<64>(T, in + blockIdx.x * 384, v);
    Sort(temp).SortDescendingBlockedToStriped(v);
    cub::StoreDirectStriped<64>(T, out + blockIdx.x * 384, v);
}
__global__ void cub_radix_rank4(const unsigned char *in, unsigned char *out) {
    using Sort = cub::BlockRadixSort<unsigned char, 256, 2, cub::NullType, 4>;
    __shared__ typename Sort::TempStorage temp;
    unsigned char v[2] = {in[2 * T], in[2 * T + 1]};
    Sort(temp).Sort(v);
    out[2 * T] = v[0], out[2 * T + 1] = v[1];
}
__global__ void cub_load_transpose_odd(const short *in, short *out, int n) {
    using Load = cub::BlockLoad<short, 160, 3, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
    using Store = cub::BlockStore<short, 160, 3, cub::BLOCK_STORE_TRANSPOSE>;
    __shared__ union { typename Load::TempStorage load; typename Store::TempStorage store; } temp;
    short v[3];
    Load(temp.load).Load(in + blockIdx.x * 480, v, n - blockIdx.x * 480, 0);
    for (int k = 0; k < 3; k++) v[k] += 1;
    __syncthreads();
    Store(temp.store).Store(out + blockIdx.x * 480, v, n - blockIdx.x * 480);
}
__global__ void cub_reduce_double_max(const double *in, double *out) {
    using Reduce = cub::BlockReduce<double, 192, cub::BLOCK_REDUCE_RAKING>;
    __shared__ typename Reduce::TempStorage temp;
    double v[3];
    for (int k = 0; k < 3; k++) v[k] = in[blockIdx.x * 576 + T + 192 * k];
    double m = Reduce(temp).Reduce(v, [](double a, double b) { return a > b ? a : b; });
    if (T == 0) out[blockIdx.x] = m;
}
__global__ void cub_reduce_partial(const int *in, int *out, int n) {
    using Reduce = cub::BlockReduce<int, 128>;
    __shared__ typename Reduce::TempStorage temp;
    int s = Reduce(temp).Sum((int)T < n ? in[T] : 0, n);
    if (T == 0) out[0] = s;
}
__global__ void cub_scan_prefix(const int *in, int *out) {
    using Scan = cub::BlockScan<int, 224>;
    __shared__ typename Scan::TempStorage temp;
    int carry = 0;
    for (int tile = 0; tile < 4; tile++) {
        int total, v = in[(blockIdx.x * 4 + tile) * 224 + T];
        Scan(temp).ExclusiveSum(v, v, total);
        out[(blockIdx.x * 4 + tile) * 224 + T] = v + carry;
        carry += total;
        __syncthreads();
    }
}
__global__ void cub_scan_max_raking(const float *in, float *out) {
    using Scan = cub::BlockScan<float, 128, cub::BLOCK_SCAN_RAKING>;
    __shared__ typename Scan::TempStorage temp;
    float v[2] = {in[2 * (blockIdx.x * 128 + T)], in[2 * (blockIdx.x * 128 + T) + 1]};
    Scan(temp).InclusiveScan(v, v, [](float a, float b) { return a > b ? a : b; });
    reinterpret_cast<float2 *>(out)[blockIdx.x * 128 + T] = make_float2(v[0], v[1]);
}
__global__ void cub_histogram_sort(const unsigned char *in, unsigned *out) {
    using Histogram = cub::BlockHistogram<unsigned char, 128, 4, 64, cub::BLOCK_HISTO_SORT>;
    __shared__ typename Histogram::TempStorage temp;
    __shared__ unsigned bins[64];
    unsigned char v[4];
    for (int k = 0; k < 4; k++) v[k] = in[blockIdx.x * 512 + T * 4 + k] & 63;
    Histogram(temp).Histogram(v, bins);
    __syncthreads();
    if (T < 64) out[blockIdx.x * 64 + T] = bins[T];
}
__global__ void cub_differences(const int *in, int *out, int *heads) {
    using Difference = cub::BlockAdjacentDifference<int, 128>;
    using Flags = cub::BlockDiscontinuity<int, 128>;
    __shared__ union { typename Difference::TempStorage d; typename Flags::TempStorage f; } temp;
    int v[3], d[3], f[3];
    for (int k = 0; k < 3; k++) v[k] = in[(blockIdx.x * 128 + T) * 3 + k];
    Difference(temp.d).SubtractLeft(v, d, [](int a, int b) { return a - b; });
    __syncthreads();
    Flags(temp.f).FlagHeads(f, v, [](int a, int b) { return (a ^ b) & 8; });
    for (int k = 0; k < 3; k++) out[(blockIdx.x * 128 + T) * 3 + k] = d[k], heads[(blockIdx.x * 128 + T) * 3 + k] = f[k];
}
__global__ void cub_shuffle_up(const double *in, double *out) {
    using Shuffle = cub::BlockShuffle<double, 96>;
    __shared__ typename Shuffle::TempStorage temp;
    double v = in[blockIdx.x * 96 + T], o = 0.0;
    Shuffle(temp).Offset(v, o, -1);
    out[blockIdx.x * 96 + T] = o;
}
__global__ void cub_warp_merge(const unsigned *in, unsigned *out) {
    using Sort = cub::WarpMergeSort<unsigned, 4, 16>;
    __shared__ typename Sort::TempStorage temp[8];
    for (int k = T; k < (int)sizeof temp / 4; k += 128) reinterpret_cast<int *>(temp)[k] = 0;
    __syncthreads();
    unsigned v[4];
    for (int k = 0; k < 4; k++) v[k] = in[(blockIdx.x * 128 + T) * 4 + k];
    Sort(temp[T / 16]).Sort(v, [](unsigned a, unsigned b) { return a < b; });
    for (int k = 0; k < 4; k++) out[(blockIdx.x * 128 + T) * 4 + k] = v[k];
}
__global__ void cub_warp_exchange(const float *in, float *out) {
    using Exchange = cub::WarpExchange<float, 4>;
    __shared__ typename Exchange::TempStorage temp[4];
    float v[4];
    for (int k = 0; k < 4; k++) v[k] = in[(T / 32) * 128 + k * 32 + T % 32];
    Exchange(temp[T / 32]).StripedToBlocked(v, v);
    *reinterpret_cast<float4 *>(out + 4 * T) = make_float4(v[0], v[1], v[2], v[3]);
}
__global__ void cub_exchange_warp_striped(const double *in, double *out) {
    using Exchange = cub::BlockExchange<double, 64, 3>;
    __shared__ typename Exchange::TempStorage temp;
    double v[3];
    for (int k = 0; k < 3; k++) v[k] = in[T * 3 + k];
    Exchange(temp).BlockedToWarpStriped(v, v);
    for (int k = 0; k < 3; k++) out[T / 32 * 96 + k * 32 + T % 32] = v[k];
}

} /* extern "C" */
