/* Matrices for tests of products: numbers of all types, and which lane's registers hold which part of a matrix, as the
 * PTX manual draws it. */
#ifndef HAUL_TESTS_SIM_FRAGMENTS_H
#define HAUL_TESTS_SIM_FRAGMENTS_H

#include "kernel.h"

#include "base/text.h"

#include <math.h>

typedef enum element { F16, BF16, TF32, E4M3, E5M2, F32, F64, S8, U8, S4, U4, B1, S32, E2M3, E3M2, E2M1 } element;

static const struct {
    const char *name;
    unsigned bits, mantissa, exponent; /* of a floating type */
    int least, most;                   /* values that tests use */
} elements[] = {
    [F16] = {"f16", 16, 10, 5, -4, 4},  [BF16] = {"bf16", 16, 7, 8, -4, 4}, [TF32] = {"tf32", 32, 10, 8, -4, 4},
    [E4M3] = {"e4m3", 8, 3, 4, -4, 4},  [E5M2] = {"e5m2", 8, 2, 5, -4, 4},  [F32] = {"f32", 32, 23, 8, -90, 90},
    [F64] = {"f64", 64, 52, 11, -9, 9}, [S8] = {"s8", 8, 0, 0, -128, 127},  [U8] = {"u8", 8, 0, 0, 0, 255},
    [S4] = {"s4", 4, 0, 0, -8, 7},      [U4] = {"u4", 4, 0, 0, 0, 15},      [B1] = {"b1", 1, 0, 0, 0, 1},
    [S32] = {"s32", 32, 0, 0, -99, 99}, [E2M3] = {"e2m3", 8, 3, 2, -4, 4},  [E3M2] = {"e3m2", 8, 2, 3, -4, 4},
    [E2M1] = {"e2m1", 8, 1, 2, -4, 4},
};

typedef struct form {
    unsigned m, n, k;
    element a, b, c, d;
    const char *more; /* modifiers after the types */
} form;

enum { MOST = 16 * 256, REGISTERS = 8, LANES = 32 };

/* ---- numbers ---- */

static inline uint64_t encode(element e, double x) {
    if (e == F64) {
        uint64_t bits;
        memcpy(&bits, &x, sizeof bits);
        return bits;
    }
    if (!elements[e].exponent) return (uint64_t)(int64_t)x & ((UINT64_C(1) << elements[e].bits) - 1);
    int exponent;
    const double fraction = frexp(fabs(x), &exponent) * 2 - 1;
    const unsigned m = elements[e].mantissa, bias = (1u << (elements[e].exponent - 1)) - 1;
    uint64_t bits = x == 0 ? 0 : (uint64_t)(exponent - 1 + (int)bias) << m | (uint64_t)ldexp(fraction, (int)m);
    bits |= (uint64_t)(x < 0) << (m + elements[e].exponent);
    return e == TF32 ? bits << 13 : bits;
}

static inline double decode(element e, uint64_t bits) {
    double wide;
    memcpy(&wide, &bits, sizeof wide);
    if (e == F64) return wide;
    if (e == S32) return (double)(int32_t)(uint32_t)bits;
    const unsigned m = elements[e].mantissa, x = elements[e].exponent;
    const int exponent = (int)(bits >> m & ((1u << x) - 1)), bias = (1 << (x - 1)) - 1;
    const double fraction = ldexp((double)(bits & ((1u << m) - 1)), -(int)m);
    const double magnitude = exponent ? ldexp(1 + fraction, exponent - bias) : ldexp(fraction, 1 - bias);
    return bits >> (m + x) & 1 ? -magnitude : magnitude;
}

static inline uint32_t random_bits(void) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

static inline double random_value(element e) {
    return elements[e].least + (int)(random_bits() % (unsigned)(elements[e].most - elements[e].least + 1));
}

/* ---- fragments, as the manual has them: groupID is lane >> 2, threadID_in_group lane % 4 ---- */

static inline unsigned each(element e) {
    return elements[e].bits >= 32 ? 1 : 32 / elements[e].bits;
}

static inline unsigned index_a(const form *f, unsigned lane, unsigned i) {
    const unsigned per = each(f->a), r = i / per, row = (lane >> 2) + (f->m == 16 && r % 2 ? 8 : 0);
    return row * f->k + (lane % 4) * per + i % per + 4 * per * (f->m == 16 ? r / 2 : r);
}

static inline unsigned index_b(const form *f, unsigned lane, unsigned i) {
    const unsigned per = each(f->b);
    return ((lane % 4) * per + i % per + 4 * per * (i / per)) * f->n + (lane >> 2);
}

static inline unsigned index_c(const form *f, unsigned lane, unsigned i) {
    return ((lane >> 2) + (i >= 2 ? 8 : 0)) * f->n + (lane % 4) * 2 + i % 2;
}

typedef unsigned place(const form *f, unsigned lane, unsigned i);

static inline unsigned registers_of(element e, unsigned count) {
    return count / LANES / each(e);
}

/* Fragments are kept by register, by lane, in 64 bits each. */
static inline void pack(const form *f, element e, place *at, const double *matrix, unsigned count, uint64_t *fragment) {
    for (unsigned lane = 0; lane < LANES; lane++) {
        for (unsigned i = 0; i < count / LANES; i++) {
            const uint64_t bits = encode(e, matrix[at(f, lane, i)]);
            uint64_t *word = &fragment[i / each(e) * LANES + lane];
            *word = (i % each(e) ? *word : 0) | bits << (i % each(e) * elements[e].bits);
        }
    }
}

static inline void unpack(const form *f, element e, place *at, double *matrix, unsigned count,
                          const uint64_t *fragment) {
    for (unsigned lane = 0; lane < LANES; lane++) {
        for (unsigned i = 0; i < count / LANES; i++) {
            uint64_t bits = fragment[i / each(e) * LANES + lane] >> (i % each(e) * elements[e].bits);
            if (elements[e].bits < 64) bits &= (UINT64_C(1) << elements[e].bits) - 1;
            matrix[at(f, lane, i)] = decode(e, bits);
        }
    }
}

/* ---- kernels ---- */

static inline const char *register_type(element e) {
    return e == F64 ? "b64" : "b32";
}

static inline void put_fragment(text *t, char name, unsigned count) {
    for (unsigned r = 0; r < count; r++) text_printf(t, "%s%%%c%u", r ? "," : "{", name, r);
    text_put(t, "}");
}

static inline void put_loads(text *t, char name, element e, unsigned count, unsigned *at) {
    text_printf(t, ".reg .%s %%%c<%u>;\n", register_type(e), name, count);
    for (unsigned r = 0; r < count; r++, *at += LANES)
        text_printf(t, "ld.global.%s %%%c%u, [%%rd3+%u];\n", register_type(e), name, r, *at * 8);
}

static inline const char *device(void) {
    const char *wanted = getenv("HAUL_TEST_DEVICE");
    return wanted && strncmp(wanted, "gpu", 3) == 0 ? "gpu:0" : "sim:h100";
}

static inline void fill(element e, double *matrix, unsigned count) {
    for (unsigned n = 0; n < count; n++) matrix[n] = random_value(e);
}

static inline void fill_widely(element e, double *matrix, unsigned count) {
    const unsigned bits = elements[e].mantissa < 23 ? elements[e].mantissa : 23;
    for (unsigned n = 0; n < count; n++) {
        const double significand = 1 + ldexp((double)(random_bits() & ((1u << bits) - 1)), -(int)bits);
        matrix[n] = ldexp(random_bits() & 1 ? -significand : significand, (int)(random_bits() % 13) - 6);
    }
}

#endif
