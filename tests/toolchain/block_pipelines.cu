/* Pipelines of a block's threads by <cuda/pipeline>: unified, by a number of producers, by roles; and without any. */
#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
enum { TILE = 64 };

/* Each gives twice each tile, back to front; blocks of 128 threads where threads have roles, else of 64. */
extern "C" __global__ void plain(float *out, const float *in, unsigned tiles) {
    for (unsigned k = 0; k < tiles; k++) out[k * TILE + threadIdx.x] = 2 * in[(k + 1) * TILE - 1 - threadIdx.x];
}

template <class Pipeline> static __device__ void produce(Pipeline &pipe, float *stage, const float *in, unsigned i) {
    pipe.producer_acquire();
    cuda::memcpy_async(stage + i, in + i, sizeof(float), pipe);
    pipe.producer_commit();
}
template <class Pipeline> static __device__ void consume(Pipeline &pipe, const float *stage, float *out, unsigned i) {
    pipe.consumer_wait();
    out[i] = 2 * stage[TILE - 1 - i];
    pipe.consumer_release();
}
extern "C" __global__ void unified(float *out, const float *in, unsigned tiles) {
    __shared__ float stages[2][TILE];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    for (unsigned k = 0, ahead = 0; k < tiles; k++) {
        for (; ahead < tiles && ahead < k + 2; ahead++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, stages[ahead % 2], in + ahead * TILE, sizeof stages[0], pipe);
            pipe.producer_commit();
        }
        consume(pipe, stages[k % 2], out + k * TILE, threadIdx.x);
    }
}
extern "C" __global__ void by_role(float *out, const float *in, unsigned tiles) {
    __shared__ float stages[3][TILE];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 3> state;
    const auto role = threadIdx.x / 32 % 2 ? cuda::pipeline_role::consumer : cuda::pipeline_role::producer;
    const unsigned i = threadIdx.x / 64 * 32 + threadIdx.x % 32;
    auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state, role);
    for (unsigned k = 0; k < tiles; k++)
        if (role == cuda::pipeline_role::producer)
            produce(pipe, stages[k % 3], in + k * TILE, i);
        else
            consume(pipe, stages[k % 3], out + k * TILE, i);
}
extern "C" __global__ void by_count(float *out, const float *in, unsigned tiles) {
    __shared__ float stages[2][TILE];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state, (size_t)TILE);
    for (unsigned k = 0; k < tiles; k++)
        if (threadIdx.x < TILE)
            produce(pipe, stages[k % 2], in + k * TILE, threadIdx.x);
        else
            consume(pipe, stages[k % 2], out + k * TILE, threadIdx.x - TILE);
}
