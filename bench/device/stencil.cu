/* A cross of radius 1, 4 and 8 on each plane of a volume of 1024 x 1024 x 256 floats. The floor is each byte once: a
 * plain copy. */
#include "bench.h"
#include "primitives.cuh"
#include "shipped.h"

#define SIDE 1024u
#define PLANES 256u

/* Of k: 1 for the middle, the others smaller with the distance. */
static __host__ __device__ float coefficient(int k) {
    return 1.0f / (float)(1 + 2 * k);
}

static const bench_candidate candidates[] = {
#define HAUL_KERNEL_STENCIL(FORM, name, ...) SHIPPED(HAUL_STENCIL_##FORM, name)
#include <haul/kernels.def>
    PEER("memcpy", bench_memcpy, 1)};

static void ship(const bench_case *c, const bench_candidate *k, const bench_buffers *b) {
    const haul_volume volume = {SIDE, SIDE, PLANES, SIDE};
    float coefficients[HAUL_STENCIL_MOST_RADIUS + 1];
    haul_buffer in = {b->in}, out = {b->out};
    for (int i = 0; i <= HAUL_STENCIL_MOST_RADIUS; i++) coefficients[i] = coefficient(i);
    shipped_must(haul_stencil(k->shipped->kernels, (haul_stencil_form)k->form, &volume, c->row, coefficients, &in, &out,
                              nullptr));
}

static void prepare(const bench_case *c, const bench_buffers *b) {
    bench_fill(c, b, c->n);
}

DEVICE float value_at(size_t plane, int x, int y) {
    return (unsigned)x < SIDE && (unsigned)y < SIDE ? bench_value((plane * SIDE + y) * SIDE + x) : 0.0f;
}

static __global__ void check(const float *out, size_t n, int radius, unsigned long long *errors) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x, plane = i / (SIDE * SIDE);
    int x = (int)(i % SIDE), y = (int)(i / SIDE % SIDE);
    if (i >= n + BENCH_GUARD) return;
    float want = coefficient(0) * value_at(plane, x, y);
    for (int k = 1; k <= radius; k++) {
        float row = value_at(plane, x - k, y) + value_at(plane, x + k, y);
        float column = value_at(plane, x, y - k) + value_at(plane, x, y + k);
        want = fmaf(coefficient(k), row + column, want);
    }
    if (i < n ? out[i] != want : __float_as_uint(out[i]) != BENCH_POISON) atomicAdd(errors, 1ull);
}

static unsigned long long wrong(const bench_case *c, const bench_buffers *b) {
    check<<<(unsigned)((c->n + BENCH_GUARD + 255) / 256), 256>>>(b->out, c->n, (int)c->row, bench_errors());
    return bench_errors_read();
}

#define CASE(radius, name) \
    { 1u << 28, SIDE, radius, 8.0 * (1u << 28), 1, name, 0, 0, 0, 0 }
static const bench_case cases[] = {CASE(1, "stencil of radius 1"), CASE(4, "stencil of radius 4"),
                                   CASE(8, "stencil of radius 8")};

const bench_work bench_stencil = {"stencil",
                                  candidates,
                                  BENCH_COUNT(candidates),
                                  {"memcpy", "haul plain", nullptr},
                                  nullptr,
                                  ship,
                                  prepare,
                                  wrong,
                                  cases,
                                  BENCH_COUNT(cases),
                                  0};
