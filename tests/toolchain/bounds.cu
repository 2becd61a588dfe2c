/* Minimum and maximum of three and of sums: out counts results that are not what the plain arithmetic gives. */
#include <cuda_runtime.h>

static __device__ int plain_relu(int x) {
    return x < 0 ? 0 : x;
}
static __device__ int low_half(unsigned int x) {
    return (short)x;
}
static __device__ int high_half(unsigned int x) {
    return (short)(x >> 16);
}
/* Whether the halves of `word` are what is wanted of each. */
static __device__ bool halves_are(unsigned int word, int low, int high) {
    return low_half(word) == low && high_half(word) == high;
}
extern "C" __global__ void words(const unsigned int *in, unsigned int *out) {
    const unsigned int x = in[3 * threadIdx.x], y = in[3 * threadIdx.x + 1], z = in[3 * threadIdx.x + 2];
    const int a = (int)x, b = (int)y, c = (int)z, sum = (int)(x + y);
    bool first;
    unsigned int wrong = 0;
    wrong += __vimax3_s32(a, b, c) != max(max(a, b), c);
    wrong += __vimin3_u32(x, y, z) != min(min(x, y), z);
    wrong += __vimax3_s32_relu(a, b, c) != plain_relu(max(max(a, b), c));
    wrong += __viaddmax_s32(a, b, c) != max(sum, c);
    wrong += __viaddmin_u32(x, y, z) != min(x + y, z);
    wrong += __viaddmin_s32_relu(a, b, c) != plain_relu(min(sum, c));
    wrong += __vimin_s32_relu(a, b) != plain_relu(min(a, b));
    wrong += __vibmax_s32(a, b, &first) != max(a, b) || first != (a >= b);
    wrong += __vibmin_u32(x, x, &first) != x || !first;
    out[threadIdx.x] = wrong;
}
extern "C" __global__ void halves(const unsigned int *in, unsigned int *out) {
    const unsigned int x = in[3 * threadIdx.x], y = in[3 * threadIdx.x + 1], z = in[3 * threadIdx.x + 2];
    const int low_sum = (short)(x + y), high_sum = (short)((x >> 16) + (y >> 16));
    const int low_c = low_half(z), high_c = high_half(z);
    const int low_max = max(low_half(x), low_half(y)), high_max = max(high_half(x), high_half(y));
    unsigned int wrong = 0;
    wrong += !halves_are(__vimax3_s16x2(x, y, z), max(low_max, low_c), max(high_max, high_c));
    wrong += !halves_are(__viaddmax_s16x2(x, y, z), max(low_sum, low_c), max(high_sum, high_c));
    wrong +=
        !halves_are(__viaddmin_s16x2_relu(x, y, z), plain_relu(min(low_sum, low_c)), plain_relu(min(high_sum, high_c)));
    wrong += __vimin3_u16x2(x & 0xffff, y & 0xffff, z & 0xffff) != min(min(x & 0xffff, y & 0xffff), z & 0xffff);
    out[threadIdx.x] = wrong;
}
/* Each warp waits at a barrier of its own, then all at the first. */
extern "C" __global__ void barriers(unsigned int *out) {
    __shared__ unsigned int turn[64];
    turn[threadIdx.x] = threadIdx.x;
    __barrier_sync_count(1 + threadIdx.x / 32, 32);
    const unsigned int other = turn[threadIdx.x ^ 1];
    __barrier_sync(0);
    out[threadIdx.x] = other + turn[63 - threadIdx.x] - (threadIdx.x ^ 1) - (63 - threadIdx.x);
}
