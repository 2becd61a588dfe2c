// Kernels of CUB's blocks and of copies by groups, for the set `kinds`.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cub/cub.cuh>
#include <cuda/pipeline>
#include <stdint.h>

#define KERNEL extern "C" __global__ void
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)
namespace cg = cooperative_groups;

// Runs of equal bytes written out again.
KERNEL runs_out(int *y, const int *length) {
    using Decode = cub::BlockRunLengthDecode<int, 128, 2, 4>;
    __shared__ typename Decode::TempStorage room;
    int value[2], run[2], all = 0, out[4];
    for (int k = 0; k < 2; k++) value[k] = THREAD * 2 + k, run[k] = 1 + length[THREAD * 2 + k];
    Decode decode(room, value, run, all);
    for (int from = 0; from < all; from += 512) {
        decode.RunLengthDecode(out, from);
        for (int k = 0; k < 4; k++)
            if (from + threadIdx.x * 4 + k < all) y[blockIdx.x * 2048 + from + threadIdx.x * 4 + k] = out[k];
    }
}

// Sorts keys of 64 bits with their values, in falling order.
KERNEL long_keys(unsigned long long *key, int *value) {
    using Sort = cub::BlockRadixSort<unsigned long long, 128, 5, int>;
    __shared__ typename Sort::TempStorage room;
    unsigned long long k[5];
    int v[5];
    for (int i = 0; i < 5; i++) k[i] = key[blockIdx.x * 640 + threadIdx.x * 5 + i], v[i] = value[blockIdx.x * 640 + threadIdx.x * 5 + i];
    Sort(room).SortDescendingBlockedToStriped(k, v, 12, 40);
    for (int i = 0; i < 5; i++) key[blockIdx.x * 640 + i * 128 + threadIdx.x] = k[i], value[blockIdx.x * 640 + i * 128 + threadIdx.x] = v[i];
}

struct Line {
    float slope, start;
};
struct After {
    __device__ Line operator()(const Line &a, const Line &b) const { return {a.slope * b.slope, b.slope * a.start + b.start}; }
};

// Lines one after the other: a scan of pairs by an operator that does not commute.
KERNEL chained_lines(float *y, const float2 *x) {
    using Scan = cub::BlockScan<Line, 192, cub::BLOCK_SCAN_WARP_SCANS>;
    __shared__ typename Scan::TempStorage room;
    Line v[3];
    for (int i = 0; i < 3; i++) {
        const float2 p = x[blockIdx.x * 576 + threadIdx.x * 3 + i];
        v[i] = {p.x * 0.5f, p.y};
    }
    Scan(room).InclusiveScan(v, v, After());
    for (int i = 0; i < 3; i++) y[blockIdx.x * 576 + threadIdx.x * 3 + i] = v[i].start;
}

// Selected numbers of a block moved together.
KERNEL kept_together(int *y, int *count, const int *x) {
    using Load = cub::BlockLoad<int, 256, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
    using Scan = cub::BlockScan<int, 256>;
    __shared__ union { typename Load::TempStorage load; typename Scan::TempStorage scan; int out[1024]; } room;
    int v[4], keep[4], at[4], all;
    Load(room.load).Load(x + blockIdx.x * 1024, v);
    for (int i = 0; i < 4; i++) keep[i] = v[i] % 3 == 0;
    __syncthreads();
    Scan(room.scan).ExclusiveSum(keep, at, all);
    __syncthreads();
    for (int i = 0; i < 4; i++)
        if (keep[i]) room.out[at[i]] = v[i];
    __syncthreads();
    for (int i = threadIdx.x; i < all; i += 256) y[blockIdx.x * 1024 + i] = room.out[i];
    if (threadIdx.x == 0) count[blockIdx.x] = all;
}

// Rows of odd lengths, copied by all threads of a block together, two stages ahead.
KERNEL odd_rows_ahead(float *y, const float *x, int columns, int rows) {
    extern __shared__ float stage[];
    auto block = cg::this_thread_block();
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 3> state;
    auto pipe = cuda::make_pipeline(block, &state);
    int next = blockIdx.x;
    for (int s = 0; s < 2; s++, next += gridDim.x) {
        pipe.producer_acquire();
        if (next < rows) cuda::memcpy_async(block, stage + s * columns, x + (size_t)next * columns, cuda::aligned_size_t<4>(columns * 4), pipe);
        pipe.producer_commit();
    }
    for (int row = blockIdx.x, s = 0; row < rows; row += gridDim.x, s = (s + 1) % 3, next += gridDim.x) {
        pipe.producer_acquire();
        if (next < rows) cuda::memcpy_async(block, stage + (s + 2) % 3 * columns, x + (size_t)next * columns, cuda::aligned_size_t<4>(columns * 4), pipe);
        pipe.producer_commit();
        pipe.consumer_wait();
        for (int i = threadIdx.x; i < columns; i += blockDim.x) y[(size_t)row * columns + i] = stage[s * columns + i] + stage[s * columns + columns - 1 - i];
        pipe.consumer_release();
    }
}
