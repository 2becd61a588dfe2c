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

/* ---- without shared memory: a thread computes `rows` rows of four outputs, whose column it keeps in registers ---- */

DEVICE float4 vector_at(const float *plane, int v, int y) {
    bool inside = (unsigned)v < SIDE / 4 && (unsigned)y < SIDE;
    return inside ? ((const float4 *)plane)[y * (SIDE / 4) + v] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

/* Four outputs out of their row, `ring` vectors on either side, and their column. */
DEVICE float4 cross(int radius, const float4 *row, int ring, const float4 *column) {
    const float *middle = &row[ring].x;
    float4 sum = make_float4(coefficient(0) * middle[0], coefficient(0) * middle[1], coefficient(0) * middle[2],
                             coefficient(0) * middle[3]);
#pragma unroll
    for (int k = 1; k <= radius; k++) {
        float4 above = column[-k], below = column[k];
        sum.x = fmaf(coefficient(k), (middle[0 - k] + middle[0 + k]) + (above.x + below.x), sum.x);
        sum.y = fmaf(coefficient(k), (middle[1 - k] + middle[1 + k]) + (above.y + below.y), sum.y);
        sum.z = fmaf(coefficient(k), (middle[2 - k] + middle[2 + k]) + (above.z + below.z), sum.z);
        sum.w = fmaf(coefficient(k), (middle[3 - k] + middle[3 + k]) + (above.w + below.w), sum.w);
    }
    return sum;
}

DEVICE void cross_rows(int radius, int rows, int warps, int pace, const float *in, float *out) {
    const int ring = (radius + 3) / 4, v = blockIdx.x * 32 + threadIdx.x % 32;
    const int y = (blockIdx.y * warps + threadIdx.x / 32) * rows;
    const float *plane = in + (size_t)blockIdx.z * SIDE * SIDE;
    float4 column[32], row[8], sum[16];
#pragma unroll
    for (int k = 0; k < rows + 2 * radius; k++) column[k] = vector_at(plane, v, y + k - radius);
#pragma unroll
    for (int j = 0; j < rows; j++) {
#pragma unroll
        for (int k = -ring; k <= ring; k++) {
            row[ring + k] = k == 0 ? column[radius + j] : vector_at(plane, v + k, y + j);
        }
        sum[j] = cross(radius, row, ring, column + radius + j);
        if (pace == FREE) ((float4 *)(out + ((size_t)blockIdx.z * SIDE + y + j) * SIDE))[v] = sum[j];
    }
    if (pace == FREE) return;
    all_arrived(pace, sum, rows);
#pragma unroll
    for (int j = 0; j < rows; j++) ((float4 *)(out + ((size_t)blockIdx.z * SIDE + y + j) * SIDE))[v] = sum[j];
}

/* D(name, rows, warps, pace, blocks an SM that registers are kept few enough for) */
#define DIRECT_CANDIDATES(D)       \
    D(direct2_w8, 2, 8, FREE, 3)   \
    D(direct4_w8, 4, 8, FREE, 2)   \
    D(direct4_w4, 4, 4, FREE, 4)   \
    D(direct8_w8, 8, 8, FREE, 1)   \
    D(direct8_w4, 8, 4, FREE, 2)   \
    D(direct4_w16, 4, 16, FREE, 1) \
    D(paced2_w8, 2, 8, BLOCK, 3)   \
    D(paced4_w8, 4, 8, BLOCK, 2)   \
    D(paced4_w4, 4, 4, BLOCK, 4)   \
    D(paced8_w4, 8, 4, BLOCK, 2)

#define KERNEL(name, rows, warps, pace, blocks, radius)                                     \
    static __global__ void __launch_bounds__((warps)*32, blocks)                            \
        stencil_##name##_r##radius(const float *__restrict__ in, float *__restrict__ out) { \
        cross_rows(radius, rows, warps, pace, in, out);                                     \
    }
#define RUN(name, rows, warps, pace, blocks)                                       \
    KERNEL(name, rows, warps, pace, blocks, 1)                                     \
    KERNEL(name, rows, warps, pace, blocks, 4)                                     \
    KERNEL(name, rows, warps, pace, blocks, 8)                                     \
    static void name(const bench_case *c, const bench_buffers *b) {                \
        dim3 grid(SIDE / 128, SIDE / ((warps) * (rows)), PLANES);                  \
        if (c->row == 1) stencil_##name##_r1<<<grid, (warps)*32>>>(b->in, b->out); \
        if (c->row == 4) stencil_##name##_r4<<<grid, (warps)*32>>>(b->in, b->out); \
        if (c->row == 8) stencil_##name##_r8<<<grid, (warps)*32>>>(b->in, b->out); \
    }
DIRECT_CANDIDATES(RUN)
#define ROW(name, rows, warps, pace, blocks) PEER(#name, name, 0),

static const bench_candidate candidates[] = {
#define HAUL_KERNEL_STENCIL(FORM, name, ...) SHIPPED(HAUL_STENCIL_##FORM, name)
#include <haul/kernels.def>
    DIRECT_CANDIDATES(ROW) PEER("memcpy", bench_memcpy, 1)};

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
