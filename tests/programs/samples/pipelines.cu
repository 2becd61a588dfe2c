// cuda::pipeline: a block that copies and computes in two stages, and one whose last warp copies for the others.
#include "sample.h"
#include <cooperative_groups.h>
#include <cuda/pipeline>

#pragma nv_diag_suppress static_var_with_dynamic_init // a pipeline's state: make_pipeline() initialises it

namespace cg = cooperative_groups;
enum { THREADS = 128, STAGES = 2 };

__global__ void scale(const float *in, float *out, int tiles) {
    __shared__ float tile[STAGES][THREADS];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    const cg::thread_block block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    for (int next = 0, k = 0; k < tiles; k++) {
        for (; next < tiles && next < k + STAGES; next++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tile[next % STAGES], in + next * THREADS, sizeof tile[0], pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        out[k * THREADS + threadIdx.x] = 2 * tile[k % STAGES][(threadIdx.x + 1) % THREADS];
        pipe.consumer_release();
    }
}

// Warps have roles: the last one fills stages, the others empty them.
__global__ void scale_by_roles(const float *in, float *out, int tiles) {
    enum { USERS = THREADS - 32 };
    __shared__ float tile[STAGES][USERS];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    const cg::thread_block block = cg::this_thread_block();
    const bool copies = threadIdx.x >= USERS;
    auto pipe =
        cuda::make_pipeline(block, &state, copies ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    for (int k = 0; k < tiles; k++) {
        float *stage = tile[k % STAGES];
        if (copies) {
            pipe.producer_acquire();
            for (int i = threadIdx.x - USERS; i < USERS; i += 32)
                cuda::memcpy_async(&stage[i], &in[k * USERS + i], sizeof(float), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            out[k * USERS + threadIdx.x] = stage[USERS - 1 - threadIdx.x] + 1;
            pipe.consumer_release();
        }
    }
}

int main() {
    const int tiles = 9, count = tiles * THREADS, users = THREADS - 32;
    static float values[count], got[count];
    int wrong = 0;
    for (float &v : values) v = (float)draw(1000);
    float *in = on_device(count, values), *out = on_device<float>(count);
    scale<<<1, THREADS>>>(in, out, tiles);
    to_host(got, out, count);
    for (int i = 0; i < count; i++) wrong += got[i] != 2 * values[i / THREADS * THREADS + (i + 1) % THREADS];
    printf("unified: %d wrong\n", wrong);
    scale_by_roles<<<1, THREADS>>>(in, out, tiles);
    to_host(got, out, count);
    for (int i = 0; i < tiles * users; i++) wrong += got[i] != values[i / users * users + users - 1 - i % users] + 1;
    printf("with roles: %d wrong\n", wrong);
    expect("pipelines", wrong == 0);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return finish();
}
