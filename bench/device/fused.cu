/* C = A * f(B) with f(x) = x |x| + x / 2, A small and B wide: 4 bytes for each element of B and of C. The measure is
 * two kernels, f alone and then a product, which is cuBLAS's in single precision where it is found. */
#include "bench.h"
#include "primitives.cuh"
#include "shipped.h"

static void two_kernels_with_cublas(const bench_case *c, const bench_buffers *b);

static const bench_candidate candidates[] = {
#define HAUL_KERNEL_FUSED(FORM, name, ...) SHIPPED(HAUL_FUSED_##FORM, name)
#include <haul/kernels.def>
    PEER("memcpy", bench_memcpy, 1), PEER("f, then cublas", two_kernels_with_cublas, 0)};

/* c->rows x k of A, k x `wide` of B. */
static unsigned wide(const bench_case *c) {
    return (unsigned)(c->n / c->rows);
}

static void ship(const bench_case *c, const bench_candidate *k, const bench_buffers *b) {
    haul_buffer in = {b->in}, out = {b->out}, a = {b->small}, temporary = {b->temporary};
    shipped_must(haul_fused(k->shipped->kernels, (haul_fused_form)k->form, (uint32_t)c->rows, c->row, wide(c), &a, &in,
                            &temporary, &out, nullptr));
}

DEVICE float f(float x) {
    return fmaf(x, fabsf(x), 0.5f * x);
}

static __global__ void __launch_bounds__(256) apply(float4 *to, const float4 *from) {
    size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
    float4 v = from[i];
    to[i] = make_float4(f(v.x), f(v.y), f(v.z), f(v.w));
}

static void two_kernels_with_cublas(const bench_case *c, const bench_buffers *b) {
    apply<<<(unsigned)((size_t)c->row * wide(c) / 1024), 256>>>((float4 *)b->temporary, (const float4 *)b->in);
    peer_cublas_product(c, b);
}

DEVICE float a_at(size_t i) {
    return bench_value(i + 0x40000000u) - 1.25f;
}

static __global__ void fill_a(float *a, unsigned count) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) a[i] = a_at(i);
}

static void prepare(const bench_case *c, const bench_buffers *b) {
    bench_fill(c, b, c->in);
    fill_a<<<(unsigned)(c->small + 255) / 256, 256>>>(b->small, (unsigned)c->small);
}

/* To the rounding of `inner` additions: not everybody adds in the same order. */
static __global__ void check(const float *out, size_t n, unsigned inner, unsigned columns, unsigned long long *errors) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x, row = i / columns, column = i % columns;
    if (i >= n + BENCH_GUARD) return;
    float want = 0.0f, size = 0.0f;
    for (unsigned l = 0; l < inner && i < n; l++) {
        float product = a_at(row * inner + l) * f(bench_value((size_t)l * columns + column));
        want += product;
        size += fabsf(product);
    }
    bool right = i < n ? fabsf(out[i] - want) <= 1e-5f * size : __float_as_uint(out[i]) == BENCH_POISON;
    if (!right) atomicAdd(errors, 1ull);
}

static unsigned long long wrong(const bench_case *c, const bench_buffers *b) {
    check<<<(unsigned)((c->n + BENCH_GUARD + 255) / 256), 256>>>(b->out, c->n, c->row, wide(c), bench_errors());
    return bench_errors_read();
}

/* m x k times k x columns. */
#define CASE(m, k, columns, name)                                                                       \
    {                                                                                                   \
        (size_t)(m) * (columns), m, k, 4.0 * ((m) + (k)) * (columns), 1, name, (size_t)(k) * (columns), \
            (size_t)((m) < (k) ? (m) : (k)) * (columns), (size_t)(m) * (k), (size_t)(k) * (columns)     \
    }
static const bench_case cases[] = {
    CASE(32, 32, 1u << 22, "fused, A 32 x 32"), CASE(64, 32, 1u << 22, "fused, A 64 x 32"),
    CASE(64, 64, 1u << 22, "fused, A 64 x 64"), CASE(128, 64, 1u << 21, "fused, A 128 x 64")};

const bench_work bench_fused = {"fused",
                                candidates,
                                BENCH_COUNT(candidates),
                                {"f, then cublas", "haul two_kernels", "memcpy"},
                                nullptr,
                                ship,
                                prepare,
                                wrong,
                                cases,
                                BENCH_COUNT(cases),
                                0};
