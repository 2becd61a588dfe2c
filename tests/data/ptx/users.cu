/* What users' programs do that went wrong once, in results or in findings: see tests/sim/vgpu/test_libraries.c. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cub/block/block_merge_sort.cuh>
#include <cuda/atomic>

namespace cg = cooperative_groups;

/* Division of 128-bit integers is inline assembly of nvcc's, with the carry flag of subtractions added up. */
extern "C" __global__ void divide_128(const unsigned __int128 *in, unsigned __int128 *out) {
    const unsigned i = threadIdx.x;
    out[2 * i] = in[2 * i] / in[2 * i + 1];
    out[2 * i + 1] = in[2 * i] % in[2 * i + 1];
}

/* rsqrt() of doubles is good to an ulp: the difference from 1 is a few of them. */
extern "C" __global__ void inverse_roots(const double *in, double *out) {
    const double x = in[threadIdx.x], y = rsqrt(x);
    out[threadIdx.x] = fabs(fma(y * x, y, -1.0)) < 1e-15;
}

struct before {
    __device__ bool operator()(int a, int b) const {
        return a < b;
    }
};

/* A merge sort reads a key behind the last one, and does not look at it. */
extern "C" __global__ void merge_sort(const int *in, int *out, int count) {
    using sort = cub::BlockMergeSort<int, 64, 3>;
    __shared__ sort::TempStorage storage;
    int keys[3];
    for (int k = 0; k < 3; k++) keys[k] = threadIdx.x * 3 + k < count ? in[threadIdx.x * 3 + k] : 0;
    sort(storage).Sort(keys, before(), count, 0x7fffffff);
    for (int k = 0; k < 3; k++)
        if (threadIdx.x * 3 + k < count) out[threadIdx.x * 3 + k] = keys[k];
}

struct pair {
    int key;
    char value; /* and three bytes of padding */
};

/* The padding goes along in a word, through a shuffle, and is dropped. */
extern "C" __global__ void padded(int *out) {
    __shared__ pair pairs[32];
    pairs[threadIdx.x].key = 100 - (int)threadIdx.x;
    pairs[threadIdx.x].value = (char)threadIdx.x;
    __syncwarp();
    union {
        pair as_pair;
        int as_words[2];
    } mine;
    for (int w = 0; w < 2; w++) mine.as_words[w] = __shfl_xor_sync(~0u, ((const int *)&pairs[threadIdx.x])[w], 1);
    out[threadIdx.x] = mine.as_pair.key * 1000 + mine.as_pair.value;
}

/* More threads than there is to copy: those beyond it bring the last one. */
extern "C" __global__ void copy_13(const int *in, int *out) {
    __shared__ int s[13];
    const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    cg::memcpy_async(tile, s, in, sizeof s);
    cg::wait(tile);
    if (threadIdx.x < 13) out[threadIdx.x] = s[12 - threadIdx.x];
}

/* Lanes of a warp take a lock in turn, and meet at a barrier; the counter is half of a word. */
extern "C" __global__ void in_turn(int *out) {
    __shared__ int lock, sum;
    __shared__ unsigned short count;
    if (threadIdx.x == 0) lock = sum = count = 0;
    __syncthreads();
    while (atomicCAS(&lock, 0, 1)) {}
    __threadfence_block();
    sum = 2 * sum % 1009 + 1;
    __threadfence_block();
    atomicExch(&lock, 0);
    cuda::atomic_ref<unsigned short, cuda::thread_scope_block>(count).fetch_add(3);
    __syncthreads();
    out[threadIdx.x] = sum * 1000 + count;
}
