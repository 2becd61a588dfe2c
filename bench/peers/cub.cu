/* The peers of CUB: DeviceTransform as its documentation shows it.
 *
 * CUB (13.0) chooses its tile at the first call, for that call's size, and keeps it: one with a handful of elements
 * would slow all later ones. Only large arrays are timed, so only those come here. */
#include <cub/device/device_transform.cuh>
#include <cuda/std/tuple>

#include "peers.h"

struct same {
    __device__ float operator()(float v) const {
        return v;
    }
};

struct axpy {
    float alpha;
    __device__ float operator()(float x, float y) const {
        return fmaf(alpha, x, y);
    }
};

int peer_cub_copy(const haul_peer_job *job, const void *) {
    return cub::DeviceTransform::Transform(cuda::std::make_tuple(job->in), job->out, (int)job->n, same{},
                                           peer_stream(job));
}

int peer_cub_saxpy(const haul_peer_job *job, const void *) {
    return cub::DeviceTransform::Transform(cuda::std::make_tuple(job->in, job->out), job->out, (int)job->n,
                                           axpy{job->alpha}, peer_stream(job));
}
