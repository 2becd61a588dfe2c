/* Fills arrays for benchmarks, and counts wrong elements in a kernel's result. Every element is recomputed from its
 * index, without the kernels that are verified and without a stored reference, so that a result of gigabytes is
 * verified in milliseconds and on any device.
 *
 * Every verify_WORK takes the result, its n elements, two numbers with the work's shape, and a counter to which wrong
 * elements are added; elements of the guard after the result count too. */
#include "verify.h"

typedef unsigned long long count_t;

#define DEVICE static __device__ __forceinline__

/* Mixes all bits of the index, so that neighbours are unrelated. */
DEVICE unsigned hash_of(unsigned i) {
    i = (i ^ i >> 16) * 0x7feb352du;
    i = (i ^ i >> 15) * 0x846ca68bu;
    return i ^ i >> 16;
}

/* From 0.5 to 2. */
DEVICE float value_of(count_t i) {
    return __uint_as_float(0x3f000000u + (hash_of((unsigned)i) & 0x00ffffffu));
}

DEVICE float second_of(count_t i) {
    return value_of(i + VERIFY_SECOND) - VERIFY_MIDDLE;
}

DEVICE unsigned row_of(unsigned i, unsigned rows) {
    return hash_of(i + 0x51ed270bu) % rows;
}

DEVICE count_t element(void) {
    return (count_t)blockIdx.x * blockDim.x + threadIdx.x;
}

/* ---- before a launch ---- */

/* n values of the stream `first`, less `middle`; the guard after them would win every maximum. */
extern "C" __global__ void verify_fill(float *out, count_t n, count_t first, float middle) {
    count_t i = element();
    if (i < n + VERIFY_GUARD) out[i] = i < n ? value_of(i + first) - middle : 1e30f;
}

extern "C" __global__ void verify_poison(unsigned *out, count_t n) {
    count_t i = element();
    if (i < n + VERIFY_GUARD) out[i] = VERIFY_POISON;
}

/* The destination of each of a table's `rows` rows. */
extern "C" __global__ void verify_index(unsigned *out, count_t n, unsigned rows) {
    count_t i = element();
    if (i < n) out[i] = row_of((unsigned)i, rows);
}

/* ---- after a launch ---- */

DEVICE void count(bool right, count_t *errors) {
    if (!right) atomicAdd(errors, (count_t)1);
}

DEVICE bool is_poison(float v) {
    return __float_as_uint(v) == VERIFY_POISON;
}

/* The kernel of a work whose element i must be exactly `want`. */
#define VERIFY(work, want)                                                                                           \
    extern "C" __global__ void verify_##work(const float *out, count_t n, unsigned a, unsigned b, count_t *errors) { \
        count_t i = element();                                                                                       \
        if (i < n + VERIFY_GUARD) count(i < n ? out[i] == (want) : is_poison(out[i]), errors);                       \
    }

VERIFY(copy, value_of(i))
VERIFY(saxpy, fmaf(VERIFY_ALPHA, value_of(i), value_of(i + VERIFY_SECOND)))

/* a: rows of the table, b: floats a row. */
VERIFY(gather, value_of((count_t)row_of((unsigned)(i / b), a) * b + i % b))

/* a, b: rows and columns of the input. */
VERIFY(transpose, value_of(i % a * b + i / a))

DEVICE float largest_around(count_t i, count_t n) {
    count_t last = i + 15 < n ? i + 15 : n - 1;
    float largest = 0.0f;
    for (count_t k = i < 15 ? 0 : i - 15; k <= last; k++) largest = fmaxf(largest, value_of(k));
    return largest;
}
VERIFY(maxpool, largest_around(i, n))

DEVICE float value_at(count_t plane, int x, int y, unsigned side) {
    bool inside = (unsigned)x < side && (unsigned)y < side;
    return inside ? value_of((plane * side + (unsigned)y) * side + (unsigned)x) : 0.0f;
}

/* In the order that <haul/kernels.h> gives. */
DEVICE float cross_at(count_t i, unsigned side, unsigned radius) {
    count_t plane = i / ((count_t)side * side);
    int x = (int)(i % side), y = (int)(i / side % side);
    float sum = VERIFY_COEFFICIENT(0) * value_at(plane, x, y, side);
    for (int k = 1; k <= (int)radius; k++) {
        float row = value_at(plane, x - k, y, side) + value_at(plane, x + k, y, side);
        float column = value_at(plane, x, y - k, side) + value_at(plane, x, y + k, side);
        sum = fmaf(VERIFY_COEFFICIENT(k), row + column, sum);
    }
    return sum;
}

/* a: the side of a plane, b: the radius. */
VERIFY(stencil, cross_at(i, a, b))

DEVICE float f(float x) {
    return fmaf(x, fabsf(x), 0.5f * x);
}

/* a: columns of A, b: columns of B. The order of additions does not matter here. */
extern "C" __global__ void verify_fused(const float *out, count_t n, unsigned a, unsigned b, count_t *errors) {
    count_t i = element(), row = i / b, column = i % b;
    float want = 0.0f, size = 0.0f;
    if (i >= n + VERIFY_GUARD) return;
    for (unsigned l = 0; l < a && i < n; l++) {
        float product = second_of(row * a + l) * f(value_of((count_t)l * b + column));
        want += product;
        size += fabsf(product);
    }
    count(i < n ? fabsf(out[i] - want) <= VERIFY_TOLERANCE * size : is_poison(out[i]), errors);
}

/* a: columns. A warp an element. */
extern "C" __global__ void verify_matvec(const float *out, count_t n, unsigned a, unsigned b, count_t *errors) {
    count_t row = element() / 32;
    unsigned lane = threadIdx.x % 32;
    double sums[2] = {0.0, 0.0};
    if (row >= n + VERIFY_GUARD) return;
    for (unsigned j = lane; j < a && row < n; j += 32) {
        double product = (double)value_of(row * a + j) * second_of(j);
        sums[0] += product;
        sums[1] += fabs(product);
    }
    for (int step = 16; step > 0; step /= 2) {
        for (int k = 0; k < 2; k++) sums[k] += __shfl_xor_sync(~0u, sums[k], step);
    }
    bool right = row < n ? fabs(out[row] - sums[0]) <= VERIFY_TOLERANCE * sums[1] : is_poison(out[row]);
    if (lane == 0) count(right, errors);
}
