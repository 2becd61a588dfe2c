/* Products of small matrices, d = a b + c, as the matrix units make them.
 *
 * Integers and double precision are exact and as IEEE 754 has it: sums of integers wrap or saturate once at the end,
 * double precision is a chain of fused multiply-adds in the order of k.
 *
 * The other floating types are summed as published measurements of the hardware have found (docs/architecture.md):
 * `width` products at a time and the sum so far are aligned to the greatest exponent among them, cut off (towards zero)
 * behind `fraction` bits, and added exactly; the sum is cut to single precision, or to `fraction` bits where those are
 * fewer (an H100's products of 8-bit types by `wgmma`, bit by bit). A result in half precision is rounded to nearest at
 * the end, from what the last products made before it is cut. */
#ifndef HAUL_SIM_OPS_PRODUCT_H
#define HAUL_SIM_OPS_PRODUCT_H

#include "ptx/matrix.h"
#include "sim/block.h"
#include "sim/ops/half.h"
#include "sim/ops/matrix.h"

enum { SIM_PRODUCT_SATURATES = 1, SIM_PRODUCT_AND = 2, SIM_PRODUCT_SPARSE = 4 };

/* Lies in the program's pool. */
typedef struct sim_product {
    uint32_t m, n, k; /* k: elements, those of a that are left out too; of single bits, words of 32 */
    uint32_t type_a, type_b, type_c, type_d;
    uint32_t flags;
    uint32_t a, b, c, d; /* the fragments' slots in the pool */
    int32_t rounding;    /* fenv's */
    uint32_t metadata;   /* sparse: their slot */
    uint32_t selector;   /* which threads of four have them */
} sim_product;

enum { SIM_MOST_FACTOR = 16384, SIM_MOST_SUMS = 4096, SIM_MOST_WIDE = 256, SIM_MOST_COLUMNS = 256 };

/* Element (row, k) of a is number row * product.k + k, element (k, column) of b number k * product.n + column. */
typedef struct sim_factor {
    uint32_t raw[SIM_MOST_FACTOR];
    int32_t value[SIM_MOST_FACTOR]; /* integers; significands with their sign */
    int32_t exponent[SIM_MOST_FACTOR];
    uint32_t mantissa;          /* bits of the significands behind the point */
    bool is_near;               /* all exponents are so near to 0 that products are exact in single precision */
    double wide[SIM_MOST_WIDE]; /* .f64 */
} sim_factor;

/* Sums are by row. */
typedef struct sim_operands {
    sim_factor a, b;
    union {
        float single[SIM_MOST_SUMS];
        int32_t integer[SIM_MOST_SUMS];
        double wide[SIM_MOST_WIDE];
    } sum;
} sim_operands;

/* ---- the product of an instruction ---- */

enum { SIM_FIRST_AMPERE = 80, SIM_FIRST_HOPPER = 90, SIM_FIRST_BLACKWELL = 100, SIM_FIRST_RTX_BLACKWELL = 120 };

/* Products that are summed at once: 4 of f16 on Volta, 8 from Ampere on, 16 from Hopper on; of tf32 half as many, of
 * 8-bit types twice as many. */
static inline uint32_t sim_sum_width(unsigned type, unsigned sm) {
    const uint32_t halves = sm >= SIM_FIRST_HOPPER ? 16 : sm >= SIM_FIRST_AMPERE ? 8 : 4;
    return ptx_bits(type) == 8 ? 2 * halves : type == PTX_TF32 ? halves / 2 : halves;
}

/* Single precision's 23 bits and none, one or two more; 13 for 8-bit types before Blackwell (of warps: ops/mma.c). */
static inline uint32_t sim_sum_fraction(unsigned type, unsigned sm) {
    if (ptx_bits(type) == 8 && sm < SIM_FIRST_BLACKWELL) return 13;
    return 23 + (sm >= SIM_FIRST_HOPPER ? 2 : sm >= SIM_FIRST_AMPERE ? 1 : 0);
}

static inline sim_product sim_product_of(const ptx_instruction *i) {
    const ptx_shape s = ptx_shape_of(i);
    const ptx_type a = ptx_element_type(i, 'a');
    return (sim_product){
        .m = s.m,
        .n = s.n,
        .k = a == PTX_B1 ? s.k / 32u : s.k,
        .type_a = a,
        .type_b = ptx_element_type(i, 'b'),
        .type_c = ptx_element_type(i, 'c'),
        .type_d = ptx_element_type(i, 'd'),
        .flags = (i->mods[PTX_SLOT_SATFINITE] ? SIM_PRODUCT_SATURATES : 0u) |
                 (i->mods[PTX_SLOT_BITS] == PTX_MOD_BITS_AND ? SIM_PRODUCT_AND : 0u) |
                 (ptx_is_sparse(i) ? SIM_PRODUCT_SPARSE : 0u),
        .rounding = sim_host_rounding(i->mods[PTX_SLOT_ROUND]),
    };
}

/* Appends it to the program's pool, for sim_op.more; that of the operation. */
static inline uint32_t sim_pool_product(sim_lowering *l, const sim_product *p) {
    return sim_pool(l, (const uint32_t *)(const void *)p, sizeof *p / sizeof(uint32_t));
}

static inline const sim_product *sim_product_at(const sim_warp *w, const sim_op *op) {
    return (const sim_product *)(const void *)(w->sm->grid->program->pool + op->more);
}

/* ---- formats ---- */

typedef struct sim_small_float {
    unsigned mantissa, exponent; /* bits */
    unsigned shift;              /* bits below that are not looked at */
    bool infinite;               /* the greatest exponent is for infinities and NaNs */
    bool finite;                 /* ... and there are none in another way */
} sim_small_float;

static inline sim_small_float sim_small_float_of(unsigned type) {
    switch (type) {
    case PTX_BF16: return (sim_small_float){7, 8, 0, true, false};
    case PTX_TF32: return (sim_small_float){10, 8, 13, true, false};
    case PTX_E4M3: return (sim_small_float){3, 4, 0, false, false};
    case PTX_E5M2: return (sim_small_float){2, 5, 0, true, false};
    case PTX_E2M3: return (sim_small_float){3, 2, 0, false, true};
    case PTX_E3M2: return (sim_small_float){2, 3, 0, false, true};
    case PTX_E2M1: return (sim_small_float){1, 2, 0, false, true};
    case PTX_F32: return (sim_small_float){23, 8, 0, true, false};
    default: return (sim_small_float){10, 5, 0, true, false};
    }
}

/* Exponents whose sum is some way from the least and the greatest one of single precision. */
enum { SIM_NEAR = 40 };

/* Fills in significands and exponents; false when some element is an infinity or a NaN. */
static inline bool sim_decode_floats(sim_factor *f, unsigned count, unsigned type) {
    const sim_small_float s = sim_small_float_of(type);
    const uint32_t top = (1u << s.exponent) - 1, fractions = (1u << s.mantissa) - 1;
    const int32_t bias = (int32_t)(top >> 1);
    uint32_t special = 0, far = 0;
    f->mantissa = s.mantissa;
    for (unsigned n = 0; n < count; n++) {
        const uint32_t bits = f->raw[n] >> s.shift, fraction = bits & fractions, e = bits >> s.mantissa & top;
        const int32_t significand = (int32_t)(e ? fraction | (fractions + 1) : fraction);
        f->value[n] = bits >> (s.mantissa + s.exponent) & 1 ? -significand : significand;
        f->exponent[n] = (int32_t)(e ? e : 1) - bias;
        special |= e == top && !s.finite && (s.infinite || fraction == fractions);
        far |= significand && (uint32_t)(f->exponent[n] + SIM_NEAR) > 2 * SIM_NEAR;
    }
    f->is_near = !far;
    return !special;
}

static inline void sim_decode_integers(sim_factor *f, unsigned count, unsigned type) {
    const unsigned unused = 32 - ptx_bits(type);
    const bool has_sign = ptx_types[type].kind == 'S';
    for (unsigned n = 0; n < count; n++) {
        const uint32_t up = f->raw[n] << unused;
        f->value[n] = has_sign ? (int32_t)up >> unused : (int32_t)(up >> unused);
    }
}

/* Any of the types, infinities and NaNs too. */
static inline double sim_decode_one(uint32_t raw, unsigned type) {
    const sim_small_float s = sim_small_float_of(type);
    const uint32_t bits = raw >> s.shift, top = (1u << s.exponent) - 1, e = bits >> s.mantissa & top;
    const uint32_t fraction = bits & ((1u << s.mantissa) - 1);
    const double sign = bits >> (s.mantissa + s.exponent) & 1 ? -1 : 1;
    const double significand = (double)(e ? fraction | 1u << s.mantissa : fraction);
    const int exponent = (int)(e ? e : 1) - (int)(top >> 1) - (int)s.mantissa;
    if (e == top && s.infinite) return fraction ? f64_of_bits(SIM_NAN_F64) : sign * __builtin_inf();
    if (e == top && !s.finite && fraction == (1u << s.mantissa) - 1) return f64_of_bits(SIM_NAN_F64);
    return sign * significand * f64_of_bits((uint64_t)(exponent + 1023) << 52);
}

/* ---- sums of floating types ---- */

/* Columns are taken eight at a time, of which n is a multiple; products that are summed at once are no more than that.
 */
enum { SIM_COLUMNS = 8, SIM_MOST_TOGETHER = 64, SIM_NO_EXPONENT = -100000, SIM_LEAST_EXPONENT = -900 };

/* Compilers unroll loops that short instead of making vectors of them. Relations give all ones where they hold. */
typedef double sim_eight_reals __attribute__((vector_size(64)));
typedef int64_t sim_eight_longs __attribute__((vector_size(64)));
typedef float sim_eight_singles __attribute__((vector_size(32)));
typedef int32_t sim_eight_integers __attribute__((vector_size(32)));

/* Eight columns of b, as many elements of each as are summed at once. Zeros have no exponent. */
typedef struct sim_columns {
    sim_eight_reals real[SIM_MOST_TOGETHER];
    sim_eight_integers exponent[SIM_MOST_TOGETHER];
} sim_columns;

static inline double sim_power_of_two(int32_t exponent) {
    return f64_of_bits((uint64_t)(exponent + 1023) << 52);
}

/* Lane by lane where they hold, else the other. */
static inline void sim_choose_eight(sim_eight_integers *out, const sim_eight_integers *where,
                                    const sim_eight_integers *yes, const sim_eight_integers *no) {
    *out = (*yes & *where) | (*no & ~*where);
}

static inline void sim_powers_of_two(sim_eight_reals *out, const sim_eight_integers *exponent) {
    const sim_eight_longs wide = __builtin_convertvector(*exponent, sim_eight_longs);
    *out = (sim_eight_reals)((wide + 1023) << 52);
}

/* Cut to single precision; what is beyond its range is infinite. */
static inline float sim_cut_to_single(double x) {
    const double magnitude = __builtin_fabs(x);
    float f = (float)magnitude;
    if ((double)f > magnitude && magnitude < 0x1p128) f = f32_of_bits(bits_of_f32(f) - 1);
    return x < 0 ? -f : f;
}

/* The same of eight. With `odd`, the last bit is set where something was cut off: rounding to half precision gives what
 * it would give of x itself. */
static inline void sim_cut_eight(const sim_eight_reals *x, bool odd, float *out) {
    const sim_eight_longs bits = (sim_eight_longs)*x & INT64_MAX;
    const sim_eight_reals magnitude = (sim_eight_reals)bits;
    sim_eight_integers f = (sim_eight_integers) __builtin_convertvector(magnitude, sim_eight_singles);
    const sim_eight_reals back = __builtin_convertvector((sim_eight_singles)f, sim_eight_reals);
    const sim_eight_longs above = (back > magnitude) & (magnitude < 0x1p128);
    f += __builtin_convertvector(above, sim_eight_integers);
    if (odd) {
        const sim_eight_reals cut = __builtin_convertvector((sim_eight_singles)f, sim_eight_reals);
        f |= __builtin_convertvector(cut != magnitude, sim_eight_integers) & (f < 0x7f800000) & 1;
    }
    f |= __builtin_convertvector(*x < 0.0, sim_eight_integers) & INT32_MIN;
    memcpy(out, &f, sizeof f);
}

/* Cut off behind so many bits, none of the values being subnormal, if single precision has more. */
static inline void sim_keep_fraction(sim_eight_reals *x, unsigned fraction) {
    const int64_t kept = -(INT64_C(1) << (52 - fraction));
    if (fraction < 23) *x = (sim_eight_reals)((sim_eight_longs)*x & kept);
}

static inline void sim_spread_columns(const sim_product *p, const sim_factor *b, unsigned first, unsigned k,
                                      unsigned end, sim_columns *c) {
    const sim_eight_integers none = (sim_eight_integers){0} + SIM_NO_EXPONENT;
    for (unsigned at = k; at < end; at++) {
        sim_eight_integers value, exponent;
        sim_eight_reals power;
        memcpy(&value, b->value + at * p->n + first, sizeof value);
        memcpy(&exponent, b->exponent + at * p->n + first, sizeof exponent);
        const sim_eight_integers some = value != 0, below = exponent - (int32_t)b->mantissa;
        sim_powers_of_two(&power, &below);
        c->real[at - k] = __builtin_convertvector(value, sim_eight_reals) * power;
        sim_choose_eight(&c->exponent[at - k], &some, &exponent, &none);
    }
}

/* The greatest exponent of each column's products and sum. */
static inline void sim_find_most(const sim_factor *a, unsigned first, unsigned count, const sim_columns *c,
                                 const float *sum, sim_eight_integers *most) {
    const sim_eight_integers none = (sim_eight_integers){0} + SIM_NO_EXPONENT;
    sim_eight_integers bits;
    memcpy(&bits, sum, sizeof bits);
    bits &= INT32_MAX;
    const sim_eight_integers e = bits >> 23, own = e - (e == 0) - 127, some = bits != 0;
    sim_choose_eight(most, &some, &own, &none);
    for (unsigned n = 0; n < count; n++) {
        const int32_t of_a = a->value[first + n] ? a->exponent[first + n] : SIM_NO_EXPONENT;
        const sim_eight_integers of_both = of_a + c->exponent[n], greater = of_both > *most;
        sim_choose_eight(most, &greater, &of_both, most);
    }
}

/* sum[j] += `count` products of a's elements from `first` on, of eight columns. In units of the last bit that is kept,
 * what is cut off is behind the point: conversion to integers does that. Doubles have room for the sum. */
static inline void sim_add_eight(const sim_factor *a, unsigned first, unsigned count, const sim_columns *c,
                                 unsigned fraction, bool is_half, float *sum) {
    sim_eight_integers most;
    sim_eight_singles before;
    sim_eight_reals units, power;
    sim_find_most(a, first, count, c, sum, &most);
    most &= most > SIM_LEAST_EXPONENT;
    const sim_eight_integers up = (int32_t)fraction - most, down = most - (int32_t)fraction;
    sim_powers_of_two(&units, &up);
    memcpy(&before, sum, sizeof before);
    const sim_eight_reals scaled = __builtin_convertvector(before, sim_eight_reals) * units;
    sim_eight_reals total =
        __builtin_convertvector(__builtin_convertvector(scaled, sim_eight_integers), sim_eight_reals);
    for (unsigned n = 0; n < count; n++) {
        const double own =
            (double)a->value[first + n] * sim_power_of_two(a->exponent[first + n] - (int32_t)a->mantissa);
        const sim_eight_reals product = own * c->real[n] * units;
        total += __builtin_convertvector(__builtin_convertvector(product, sim_eight_integers), sim_eight_reals);
    }
    sim_powers_of_two(&power, &down);
    total *= power;
    if (!is_half) sim_keep_fraction(&total, fraction);
    sim_cut_eight(&total, is_half, sum);
}

/* ---- the same where all exponents are near to 0: in single precision, in which products are exact ---- */

/* Elements, and two to the power of their exponents; zeros have none. */
typedef struct sim_near_columns {
    sim_eight_singles real[SIM_MOST_TOGETHER], power[SIM_MOST_TOGETHER];
} sim_near_columns;

static inline void sim_near_eight(const sim_factor *f, uint32_t at, sim_eight_singles *real, sim_eight_singles *power) {
    sim_eight_integers value, exponent;
    memcpy(&value, f->value + at, sizeof value);
    memcpy(&exponent, f->exponent + at, sizeof exponent);
    const sim_eight_integers some = value != 0, below = (exponent + (127 - (int32_t)f->mantissa)) << 23;
    *real = __builtin_convertvector(value, sim_eight_singles) * (sim_eight_singles)below;
    *power = (sim_eight_singles)((exponent + 127) << 23 & some);
}

/* Elements of a row of a, as many as are summed at once. */
typedef struct sim_near_row {
    float real[SIM_MOST_TOGETHER], power[SIM_MOST_TOGETHER];
} sim_near_row;

static inline void sim_near_row_of(const sim_factor *a, unsigned first, unsigned count, sim_near_row *out) {
    for (unsigned n = 0; n < count; n += SIM_COLUMNS) {
        sim_eight_singles real, power;
        sim_near_eight(a, first + n, &real, &power);
        memcpy(out->real + n, &real, sizeof real);
        memcpy(out->power + n, &power, sizeof power);
    }
}

/* Whole numbers of up to 28 bits, eight of which 32 bits have room for. */
static inline void sim_add_near_products(const sim_near_row *a, unsigned count, const sim_near_columns *c,
                                         const sim_eight_singles *units, sim_eight_reals *total) {
    for (unsigned n = 0; n < count; n += SIM_COLUMNS) {
        sim_eight_integers part = {0};
        for (unsigned k = n; k < n + SIM_COLUMNS; k++)
            part += __builtin_convertvector(a->real[k] * c->real[k] * *units, sim_eight_integers);
        *total += __builtin_convertvector(part, sim_eight_reals);
    }
}

/* Where all products are zero a sum is cut at its own exponent. */
static inline void sim_keep_sums(const sim_eight_integers *kept, const sim_eight_integers *before, unsigned fraction,
                                 float *sum) {
    sim_eight_integers now, old = *before;
    memcpy(&now, sum, sizeof now);
    if (fraction < 23) old &= INT32_MIN >> (8 + fraction);
    old &= (old & INT32_MAX) != 0;
    sim_choose_eight(&now, kept, &old, &now);
    memcpy(sum, &now, sizeof now);
}

static inline void sim_choose_greater(sim_eight_integers *most, const sim_eight_integers *other) {
    const sim_eight_integers greater = *other > *most;
    sim_choose_eight(most, &greater, other, most);
}

/* The greatest products of powers; by four ways, since each step waits for the one before it. */
static inline void sim_find_near_most(const sim_near_row *a, unsigned count, const sim_near_columns *c,
                                      sim_eight_integers *most) {
    sim_eight_integers ways[4] = {{0}};
    for (unsigned n = 0; n < count; n += 4) {
        for (unsigned k = 0; k < 4; k++) {
            const sim_eight_integers power = (sim_eight_integers)(a->power[n + k] * c->power[n + k]);
            sim_choose_greater(&ways[k], &power);
        }
    }
    sim_choose_greater(&ways[0], &ways[1]);
    sim_choose_greater(&ways[2], &ways[3]);
    sim_choose_greater(&ways[0], &ways[2]);
    *most = ways[0];
}

/* As sim_add_eight(). */
static inline void sim_add_near_eight(const sim_near_row *a, unsigned count, const sim_near_columns *c,
                                      unsigned fraction, bool is_half, float *sum) {
    sim_eight_integers before, most;
    memcpy(&before, sum, sizeof before);
    sim_find_near_most(a, count, c, &most);
    const sim_eight_integers none = most == 0, own = before & 0x7f800000;
    sim_choose_greater(&most, &own);
    const sim_eight_integers one = (sim_eight_integers){0} + 0x3f800000;
    sim_choose_eight(&most, &none, &one, &most);
    const sim_eight_singles units = (sim_eight_singles)((int32_t)(127 + fraction) * (1 << 23) - (most - one));
    sim_eight_reals total = __builtin_convertvector(
        __builtin_convertvector((sim_eight_singles)before * units, sim_eight_integers), sim_eight_reals);
    sim_add_near_products(a, count, c, &units, &total);
    total *= __builtin_convertvector((sim_eight_singles)most, sim_eight_reals) * sim_power_of_two(-(int32_t)fraction);
    if (!is_half) sim_keep_fraction(&total, fraction);
    sim_cut_eight(&total, is_half, sum);
    sim_keep_sums(&none, &before, fraction, sum);
}

static inline void sim_add_near_columns(const sim_product *p, const sim_operands *o, unsigned first, unsigned row,
                                        unsigned rows, unsigned k, unsigned end, unsigned fraction, float *sum) {
    const bool is_half = p->type_d == PTX_F16 && end == p->k;
    sim_near_columns c;
    sim_near_row a;
    for (unsigned at = k; at < end; at++) sim_near_eight(&o->b, at * p->n + first, &c.real[at - k], &c.power[at - k]);
    for (unsigned i = 0; i < rows; i++) {
        sim_near_row_of(&o->a, (row + i) * p->k + k, end - k, &a);
        sim_add_near_eight(&a, end - k, &c, fraction, is_half, sum + i * p->n + first);
    }
}

/* Adds products from k to end - 1 to the sums of so many rows. */
static inline void sim_add_products(const sim_product *p, const sim_operands *o, unsigned row, unsigned rows,
                                    unsigned k, unsigned end, unsigned fraction, float *sum) {
    const bool is_half = p->type_d == PTX_F16 && end == p->k;
    sim_columns c;
    const bool is_near = o->a.is_near && o->b.is_near && (end - k) % SIM_COLUMNS == 0;
    for (unsigned first = 0; first < p->n; first += SIM_COLUMNS) {
        if (is_near) {
            sim_add_near_columns(p, o, first, row, rows, k, end, fraction, sum);
            continue;
        }
        sim_spread_columns(p, &o->b, first, k, end, &c);
        for (unsigned i = 0; i < rows; i++)
            sim_add_eight(&o->a, (row + i) * p->k + k, end - k, &c, fraction, is_half, sum + i * p->n + first);
    }
}

/* With infinities or NaNs among the elements: what IEEE 754 makes of them; the order of the sum is no matter then. */
static inline void sim_add_specials(const sim_product *p, const sim_operands *o, unsigned i, float *sum) {
    for (unsigned j = 0; j < p->n; j++) {
        double total = (double)sum[j];
        for (unsigned k = 0; k < p->k; k++)
            total +=
                sim_decode_one(o->a.raw[i * p->k + k], p->type_a) * sim_decode_one(o->b.raw[k * p->n + j], p->type_b);
        sum[j] = canonical_f32(sim_cut_to_single(total));
    }
}

static inline bool sim_are_finite(const float *sum, unsigned count) {
    uint32_t beyond = 0; /* the top bit: an exponent of ones is carried into it */
    for (unsigned n = 0; n < count; n++) beyond |= (bits_of_f32(sum[n]) & INT32_MAX) + (1u << 23);
    return !(beyond >> 31);
}

/* `unit`: the type that the machine sums them as. */
static inline void sim_multiply_floats(const sim_product *p, sim_operands *o, unsigned unit, unsigned sm) {
    const uint32_t width = sim_sum_width(unit, sm), fraction = sim_sum_fraction(unit, sm);
    const bool finite_a = sim_decode_floats(&o->a, p->m * p->k, p->type_a);
    const bool finite_b = sim_decode_floats(&o->b, p->k * p->n, p->type_b);
    const bool finite = sim_are_finite(o->sum.single, p->m * p->n) && finite_a && finite_b;
    for (unsigned i = 0; !finite && i < p->m; i++) sim_add_specials(p, o, i, o->sum.single + i * p->n);
    for (unsigned k = 0; finite && k < p->k; k += width)
        sim_add_products(p, o, 0, p->m, k, k + width < p->k ? k + width : p->k, fraction, o->sum.single);
}

/* ---- the others ---- */

static inline int32_t sim_fit_sum(int64_t sum, bool saturates) {
    if (saturates && sum > INT32_MAX) return INT32_MAX;
    if (saturates && sum < INT32_MIN) return INT32_MIN;
    return (int32_t)(uint32_t)(uint64_t)sum;
}

static inline void sim_multiply_integers(const sim_product *p, sim_operands *o) {
    sim_decode_integers(&o->a, p->m * p->k, p->type_a);
    sim_decode_integers(&o->b, p->k * p->n, p->type_b);
    for (unsigned i = 0; i < p->m; i++) {
        int32_t total[SIM_MOST_COLUMNS] = {0}, *sum = o->sum.integer + i * p->n;
        for (unsigned k = 0; k < p->k; k++) {
            const int32_t value = o->a.value[i * p->k + k], *values = o->b.value + k * p->n;
            SIM_VECTORISE for (unsigned j = 0; j < p->n; j++) total[j] += value * values[j];
        }
        for (unsigned j = 0; j < p->n; j++)
            sum[j] = sim_fit_sum((int64_t)sum[j] + total[j], p->flags & SIM_PRODUCT_SATURATES);
    }
}

static inline void sim_multiply_bits(const sim_product *p, sim_operands *o) {
    for (unsigned i = 0; i < p->m; i++) {
        for (unsigned j = 0; j < p->n; j++) {
            uint32_t ones = 0;
            for (unsigned k = 0; k < p->k; k++) {
                const uint32_t a = o->a.raw[i * p->k + k], b = o->b.raw[k * p->n + j];
                ones += (uint32_t)__builtin_popcount(p->flags & SIM_PRODUCT_AND ? a & b : a ^ b);
            }
            o->sum.integer[i * p->n + j] = sim_fit_sum((int64_t)o->sum.integer[i * p->n + j] + ones, false);
        }
    }
}

static inline void sim_multiply_wide(const sim_product *p, sim_operands *o) {
    fesetround(p->rounding);
    for (unsigned i = 0; i < p->m; i++) {
        for (unsigned j = 0; j < p->n; j++) {
            double sum = o->sum.wide[i * p->n + j];
            for (unsigned k = 0; k < p->k; k++)
                sum = __builtin_fma(o->a.wide[i * p->k + k], o->b.wide[k * p->n + j], sum);
            o->sum.wide[i * p->n + j] = sum;
        }
    }
    fesetround(FE_TONEAREST);
}

/* All but .f64. sm: the machine's, whose way of summing it is. */
static inline void sim_multiply(const sim_product *p, sim_operands *o, unsigned sm) {
    switch (p->type_a) {
    case PTX_B1: sim_multiply_bits(p, o); return;
    case PTX_U8:
    case PTX_S8:
    case PTX_U4:
    case PTX_S4: sim_multiply_integers(p, o); return;
    default: sim_multiply_floats(p, o, p->type_a, sm); return;
    }
}

/* ---- fragments ---- */

/* Bits of an element as it lies in registers. */
static inline unsigned sim_element_bits(unsigned type) {
    return type == PTX_B1 ? 32 : ptx_bits(type);
}

typedef struct sim_element_place {
    unsigned row, column; /* of b: k, column */
} sim_element_place;

/* Where element e of the lane's register r lies in a, of `blocks` blocks of eight rows. */
static inline sim_element_place sim_place_a(unsigned blocks, unsigned each, unsigned r, unsigned e, unsigned lane) {
    return (sim_element_place){sim_group(lane) + SIM_GROUPS * (r % blocks),
                               (sim_in_group(lane) + SIM_GROUP_LANES * (r / blocks)) * each + e};
}

/* In b, with `chunks` registers for each block of eight columns. */
static inline sim_element_place sim_place_b(unsigned chunks, unsigned each, unsigned r, unsigned e, unsigned lane) {
    return (sim_element_place){(sim_in_group(lane) + SIM_GROUP_LANES * (r % chunks)) * each + e,
                               sim_group(lane) + SIM_GROUPS * (r / chunks)};
}

/* In c and d, element q of the lane: pairs of neighbours in a row, by blocks of eight rows, then of eight columns. */
static inline sim_element_place sim_place_c(unsigned blocks, unsigned q, unsigned lane) {
    return (sim_element_place){sim_group(lane) + SIM_GROUPS * (q / 2 % blocks),
                               2 * sim_in_group(lane) + q % 2 + SIM_GROUPS * (q / 2 / blocks)};
}

static inline uint32_t sim_element(uint32_t word, unsigned bits, unsigned e) {
    return bits == 32 ? word : word >> bits * e & ((1u << bits) - 1);
}

/* Columns of a as it is stored: a sparse one has half of them. */
static inline uint32_t sim_depth_of_a(const sim_product *p) {
    return p->flags & SIM_PRODUCT_SPARSE ? p->k / 2 : p->k;
}

/* A register of all lanes is eight rows of 16 bytes, of `bits` an element. */
static inline void sim_unpack_row(const unsigned char *from, unsigned bits, uint32_t *to) {
    uint16_t halves[8];
    uint32_t words[4];
    memcpy(halves, from, sizeof halves);
    memcpy(words, from, sizeof words);
    if (bits == 16) {
        for (unsigned n = 0; n < 8; n++) to[n] = halves[n];
    } else if (bits == 8) {
        for (unsigned n = 0; n < 16; n++) to[n] = from[n];
    } else {
        const unsigned each = 32 / bits;
        for (unsigned n = 0; n < 4 * each; n++) to[n] = sim_element(words[n / each], bits, n % each);
    }
}

static inline void sim_gather_a(const sim_warp *w, const sim_product *p, const uint32_t *slots, sim_factor *f) {
    const unsigned bits = sim_element_bits(p->type_a), each = bits > 32 ? 1 : 32 / bits, blocks = p->m / SIM_GROUPS;
    const uint32_t depth = sim_depth_of_a(p), registers = p->m * depth / (SIM_LANES * each);
    for (unsigned r = 0; r < registers; r++) {
        for (unsigned g = 0; g < SIM_GROUPS; g++) {
            const unsigned lane = g * SIM_GROUP_LANES;
            const sim_element_place at = sim_place_a(blocks, each, r, 0, lane);
            if (bits > 32)
                memcpy(&f->wide[at.row * depth + at.column], SIM_SLOT(w, double, slots[r]) + lane, 4 * sizeof(double));
            else
                sim_unpack_row(SIM_SLOT(w, unsigned char, slots[r]) + 4 * lane, bits,
                               &f->raw[at.row * depth + at.column]);
        }
    }
}

static inline void sim_gather_b(const sim_warp *w, const sim_product *p, const uint32_t *slots, sim_factor *f) {
    const unsigned bits = sim_element_bits(p->type_b), each = bits > 32 ? 1 : 32 / bits;
    const unsigned registers = p->n * p->k / (SIM_LANES * each), chunks = p->k / (SIM_GROUP_LANES * each);
    uint32_t column[SIM_GROUP_LANES * 32];
    for (unsigned r = 0; r < registers; r++) {
        for (unsigned g = 0; g < SIM_GROUPS; g++) {
            const unsigned lane = g * SIM_GROUP_LANES;
            const sim_element_place at = sim_place_b(chunks, each, r, 0, lane);
            const unsigned first = at.row * p->n + at.column;
            if (bits <= 32) sim_unpack_row(SIM_SLOT(w, unsigned char, slots[r]) + 4 * lane, bits, column);
            for (unsigned n = 0; bits <= 32 && n < SIM_GROUP_LANES * each; n++) f->raw[first + n * p->n] = column[n];
            for (unsigned n = 0; bits > 32 && n < SIM_GROUP_LANES; n++)
                f->wide[first + n * p->n] = SIM_SLOT(w, double, slots[r])[lane + n];
        }
    }
}

/* Eight neighbours in a row, of registers q and q + 1 of four lanes. */
static inline void sim_gather_sum_row(const sim_warp *w, unsigned type, const uint32_t *slots, unsigned q,
                                      unsigned lane, sim_operands *o, unsigned n) {
    if (type == PTX_F16) {
        const uint16_t *halves = SIM_SLOT(w, uint16_t, slots[q / 2]) + 2 * lane;
        for (unsigned j = 0; j < SIM_GROUPS; j++) o->sum.single[n + j] = f32_of_f16(halves[j]);
    } else if (type == PTX_F64) {
        for (unsigned j = 0; j < SIM_GROUPS; j++)
            o->sum.wide[n + j] = SIM_SLOT(w, double, slots[q + j % 2])[lane + j / 2];
    } else {
        const int32_t *even = SIM_SLOT(w, int32_t, slots[q]) + lane, *odd = SIM_SLOT(w, int32_t, slots[q + 1]) + lane;
        for (unsigned j = 0; j < SIM_GROUPS; j++) o->sum.integer[n + j] = (j % 2 ? odd : even)[j / 2];
    }
}

static inline void sim_gather_sums(const sim_warp *w, const sim_product *p, const uint32_t *slots, sim_operands *o) {
    for (unsigned q = 0; q < p->m * p->n / SIM_LANES; q += 2) {
        for (unsigned g = 0; g < SIM_GROUPS; g++) {
            const unsigned lane = g * SIM_GROUP_LANES;
            const sim_element_place at = sim_place_c(p->m / SIM_GROUPS, q, lane);
            sim_gather_sum_row(w, p->type_c, slots, q, lane, o, at.row * p->n + at.column);
        }
    }
}

static inline void sim_scatter_sum(sim_warp *w, unsigned type, const uint32_t *slots, unsigned q, unsigned lane,
                                   const sim_operands *o, unsigned n) {
    if (type == PTX_F64)
        SIM_SLOT(w, double, slots[q])[lane] = o->sum.wide[n];
    else if (type == PTX_F16)
        SIM_SLOT(w, uint16_t, slots[q / 2])[2 * lane + q % 2] = f16_of_f32(o->sum.single[n]);
    else
        SIM_SLOT(w, int32_t, slots[q])[lane] = o->sum.integer[n];
}

static inline void sim_scatter_sums(sim_warp *w, const sim_product *p, const uint32_t *slots, uint32_t lanes,
                                    const sim_operands *o) {
    for (unsigned q = 0; q < p->m * p->n / SIM_LANES; q++) {
        for (unsigned g = 0; g < SIM_GROUPS; g++) {
            const sim_element_place at = sim_place_c(p->m / SIM_GROUPS, q, g * SIM_GROUP_LANES);
            const unsigned n = at.row * p->n + at.column;
            for (unsigned j = 0; j < SIM_GROUP_LANES; j++)
                if (lanes >> (g * SIM_GROUP_LANES + j) & 1)
                    sim_scatter_sum(w, p->type_d, slots, q, g * SIM_GROUP_LANES + j, o, n + 2 * j);
        }
    }
}

#endif
