/* The peers of CUB: DeviceTransform as its documentation shows it. C++, for the benchmark only. */
#include <cub/device/device_transform.cuh>
#include <cuda/std/tuple>

#include "../device/bench.h"

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

void peer_cub_copy(const bench_case *c, const bench_buffers *b) {
    bench_cuda(cub::DeviceTransform::Transform(cuda::std::make_tuple(b->in), b->out, (int)c->n, same{}), "CUB copy");
}

void peer_cub_saxpy(const bench_case *c, const bench_buffers *b) {
    bench_cuda(
        cub::DeviceTransform::Transform(cuda::std::make_tuple(b->in, b->out), b->out, (int)c->n, axpy{BENCH_ALPHA}),
        "CUB saxpy");
}
