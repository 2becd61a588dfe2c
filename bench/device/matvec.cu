/* y = A x, A row-major, 1 GiB, each word of which is wanted once. */
#include "bench.h"
#include "primitives.cuh"
#include "shipped.h"

static const bench_candidate candidates[] = {
#define HAUL_KERNEL_MATVEC(FORM, name, ...) SHIPPED(HAUL_MATVEC_##FORM, name)
#include <haul/kernels.def>
    PEER("memcpy", bench_memcpy, 1), PEER("cublas", peer_cublas_matvec, 0)};

static void ship(const bench_case *c, const bench_candidate *k, const bench_buffers *b) {
    haul_buffer in = {b->in}, out = {b->out}, x = {b->small};
    shipped_must(
        haul_matvec(k->shipped->kernels, (haul_matvec_form)k->form, (uint32_t)c->rows, c->row, &in, &x, &out, nullptr));
}

DEVICE float x_at(size_t i) {
    return bench_value(i + 0x40000000u) - 1.25f;
}

static __global__ void fill_x(float *x, unsigned count) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) x[i] = x_at(i);
}

static void prepare(const bench_case *c, const bench_buffers *b) {
    bench_fill(c, b, c->in);
    fill_x<<<(unsigned)(c->small + 255) / 256, 256>>>(b->small, (unsigned)c->small);
}

/* A warp a row, in double precision, to the rounding of single precision. Guards lie behind the result. */
static __global__ void check(const float *y, unsigned rows, unsigned columns, unsigned long long *errors) {
    size_t row = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    double want = 0.0, size = 0.0;
    if (row >= rows + BENCH_GUARD) return;
    for (unsigned j = threadIdx.x % 32; j < columns && row < rows; j += 32) {
        double product = (double)bench_value(row * columns + j) * x_at(j);
        want += product;
        size += fabs(product);
    }
    for (int step = 16; step > 0; step /= 2) {
        want += __shfl_xor_sync(~0u, want, step);
        size += __shfl_xor_sync(~0u, size, step);
    }
    bool right = row < rows ? fabs(y[row] - want) <= 1e-5 * size : __float_as_uint(y[row]) == BENCH_POISON;
    if (!right && threadIdx.x % 32 == 0) atomicAdd(errors, 1ull);
}

static unsigned long long wrong(const bench_case *c, const bench_buffers *b) {
    check<<<(unsigned)((c->rows + BENCH_GUARD + 7) / 8), 256>>>(b->out, (unsigned)c->rows, c->row, bench_errors());
    return bench_errors_read();
}

#define CASE(rows, columns, name)                                                           \
    {                                                                                       \
        rows, rows, columns, 4.0 * (rows) * (columns), 1, name, (size_t)(rows) * (columns), \
            (size_t)(rows) * (columns) / 2, columns, 0                                      \
    }
static const bench_case cases[] = {CASE(16384, 16384, "matvec 16384 x 16384"),
                                   CASE(262144, 1024, "matvec 262144 x 1024"),
                                   CASE(1024, 262144, "matvec 1024 x 262144")};

const bench_work bench_matvec = {"matvec",
                                 candidates,
                                 BENCH_COUNT(candidates),
                                 {"cublas", "memcpy", nullptr},
                                 nullptr,
                                 ship,
                                 prepare,
                                 wrong,
                                 cases,
                                 BENCH_COUNT(cases),
                                 0};
