/* A table that every round reads again, beside data that is read once.
 *
 * Each round reads all of `hot`, then the next part of `stream`. If both together exceed L2, the stream evicts the
 * table between two rounds. A persisting L2 window over `hot` keeps it: compare the L2 hit rates of
 *
 *   haul profile examples/hot.cu --kernel hot_stream --grid 264 --block 512 --arg buf:u32:4M --arg buf:u32:64M \
 *       --arg buf:poison:528K --arg i32:1048576 --arg i32:2097152 --arg i32:8
 *
 * with those of the same command and `--window 0 --set-aside 20M`. */
#include <cuda_runtime.h>

static __device__ __forceinline__ void add(uint4 *sum, uint4 v) {
    sum->x += v.x, sum->y += v.y, sum->z += v.z, sum->w += v.w;
}

/* hot: hot_count vectors; stream: rounds * stream_count vectors; out: a vector for each thread of the grid. */
extern "C" __global__ void hot_stream(const uint4 *__restrict__ hot, const uint4 *__restrict__ stream, uint4 *out,
                                      unsigned hot_count, unsigned stream_count, unsigned rounds) {
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    uint4 sum = make_uint4(0, 0, 0, 0);
    for (unsigned r = 0; r < rounds; r++) {
        for (unsigned i = t; i < hot_count; i += threads) add(&sum, __ldcg(hot + i));
        const uint4 *part = stream + (size_t)r * stream_count;
        for (unsigned i = t; i < stream_count; i += threads) add(&sum, __ldcg(part + i));
    }
    out[t] = sum;
}
