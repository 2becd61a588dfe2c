/* SAXPY over libcu++'s cuda::pipeline, each thread its own copies and its own pipeline. */
#include <cuda/pipeline>

#include "peers.h"

#define THREADS 256
#define STAGES 4

static __global__ void over_pipeline(unsigned n, float alpha, const float4 *x, float4 *y) {
    __shared__ float4 stage_x[STAGES][THREADS], stage_y[STAGES][THREADS];
    unsigned count = n / 4, hop = gridDim.x * THREADS, t = threadIdx.x;
    unsigned i = blockIdx.x * THREADS + t, ahead = i, fill = 0, use = 0;
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    for (; i < count; i += hop, use = (use + 1) % STAGES) {
        for (; ahead < count && ahead - i < STAGES * hop; ahead += hop, fill = (fill + 1) % STAGES) {
            pipe.producer_acquire();
            cuda::memcpy_async(&stage_x[fill][t], x + ahead, cuda::aligned_size_t<16>(16), pipe);
            cuda::memcpy_async(&stage_y[fill][t], y + ahead, cuda::aligned_size_t<16>(16), pipe);
            pipe.producer_commit();
        }
        if (ahead - i == STAGES * hop) {
            cuda::pipeline_consumer_wait_prior<STAGES - 1>(pipe);
        } else {
            cuda::pipeline_consumer_wait_prior<0>(pipe);
        }
        float4 a = stage_x[use][t], b = stage_y[use][t];
        pipe.consumer_release();
        y[i] = make_float4(fmaf(alpha, a.x, b.x), fmaf(alpha, a.y, b.y), fmaf(alpha, a.z, b.z), fmaf(alpha, a.w, b.w));
    }
}

int peer_pipeline(const haul_peer_job *job, const void *) {
    over_pipeline<<<6 * peer_multiprocessors(), THREADS, 0, peer_stream(job)>>>(
        (unsigned)job->n, job->alpha, (const float4 *)job->in, (float4 *)job->out);
    return cudaGetLastError();
}
