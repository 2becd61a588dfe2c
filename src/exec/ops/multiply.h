/* Products of small matrices, d = a b + c, as the matrix units compute them.
 *
 * Integers and double precision are exact and follow IEEE 754. Sums of integers wrap or saturate once at the end.
 * Double precision is a chain of fused multiply-adds in the order of k.
 *
 * The other floating-point types are summed as published measurements of the hardware have found
 * (docs/architecture.md). `width` products at a time and the sum so far are aligned to the greatest exponent among
 * them, truncated (towards zero) after `fraction` bits, and added exactly. The sum is truncated to single precision, or
 * to `fraction` bits if those are fewer (an H100's products of 8-bit types by `wgmma`, bit by bit). A half-precision
 * result is rounded to nearest at the end, from the last sum before its truncation. A zero is positive, even after
 * truncation or rounding. `tests/data/h100/products.txt` holds an H100's results for 22 kinds of products. */
#ifndef HAUL_EXEC_OPS_MULTIPLY_H
#define HAUL_EXEC_OPS_MULTIPLY_H

#include "exec/ops/product.h"
#include "state/lanes.h"

enum { SIM_FIRST_AMPERE = 80, SIM_FIRST_HOPPER = 90, SIM_FIRST_BLACKWELL = 100, SIM_FIRST_RTX_BLACKWELL = 120 };

/* Returns the number of products summed at once: 4 of f16 on Volta, 8 since Ampere, 16 since Hopper. tf32 has half as
 * many, 8-bit types twice as many. */
static inline uint32_t sim_sum_width(unsigned type, unsigned sm) {
    const uint32_t halves = sm >= SIM_FIRST_HOPPER ? 16 : sm >= SIM_FIRST_AMPERE ? 8 : 4;
    return ptx_bits(type) == 8 ? 2 * halves : type == PTX_TF32 ? halves / 2 : halves;
}

/* Returns the fraction bits: single precision's 23 plus none, one or two; 13 for 8-bit types before Blackwell (for the
 * warp's: ops/mma.c). */
static inline uint32_t sim_sum_fraction(unsigned type, unsigned sm) {
    if (ptx_bits(type) == 8 && sm < SIM_FIRST_BLACKWELL) return 13;
    return 23 + (sm >= SIM_FIRST_HOPPER ? 2 : sm >= SIM_FIRST_AMPERE ? 1 : 0);
}

/* ---- sums of floating types ---- */

/* Columns are processed eight at a time, and n is a multiple of that. At most SIM_MOST_TOGETHER products are summed at
 * once. */
enum { SIM_COLUMNS = 8, SIM_MOST_TOGETHER = 64, SIM_NO_EXPONENT = -100000, SIM_LEAST_EXPONENT = -900 };

/* Compilers unroll loops this short instead of vectorising them. Comparisons give all ones where they hold. */
typedef double sim_eight_reals __attribute__((vector_size(64)));
typedef int64_t sim_eight_longs __attribute__((vector_size(64)));
typedef float sim_eight_singles __attribute__((vector_size(32)));
typedef int32_t sim_eight_integers __attribute__((vector_size(32)));

/* Eight columns of b, with as many elements of each as are summed at once. Zeros have no exponent. */
typedef struct sim_columns {
    sim_eight_reals real[SIM_MOST_TOGETHER];
    sim_eight_integers exponent[SIM_MOST_TOGETHER];
} sim_columns;

static inline double sim_power_of_two(int32_t exponent) {
    return f64_of_bits((uint64_t)(exponent + 1023) << 52);
}

/* Selects `yes` where `where` holds, otherwise `no`. */
static inline void sim_choose_eight(sim_eight_integers *out, const sim_eight_integers *where,
                                    const sim_eight_integers *yes, const sim_eight_integers *no) {
    *out = (*yes & *where) | (*no & ~*where);
}

static inline void sim_powers_of_two(sim_eight_reals *out, const sim_eight_integers *exponent) {
    const sim_eight_longs wide = __builtin_convertvector(*exponent, sim_eight_longs);
    *out = (sim_eight_reals)((wide + 1023) << 52);
}

/* Truncates to single precision; beyond its range the result is infinite. */
static inline float sim_cut_to_single(double x) {
    const double magnitude = __builtin_fabs(x);
    float f = (float)magnitude;
    if ((double)f > magnitude && magnitude < 0x1p128) f = f32_of_bits(bits_of_f32(f) - 1);
    return x < 0 ? -f : f;
}

/* The same for eight numbers. With `odd`, the last bit is set if something was truncated. Rounding that to half
 * precision gives the same as rounding x itself. */
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
    f |= __builtin_convertvector(*x < 0.0, sim_eight_integers) & (f != 0) & INT32_MIN;
    memcpy(out, &f, sizeof f);
}

/* Truncates after `fraction` bits if single precision has more. The values are not subnormal. */
static inline void sim_keep_fraction(sim_eight_reals *x, unsigned fraction) {
    const int64_t kept = -(INT64_C(1) << (52 - fraction));
    if (fraction < 23) *x = (sim_eight_reals)((sim_eight_longs)*x & kept);
}

/* Turns elements k to end - 1 of eight columns into reals with their exponents. */
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

/* Finds the greatest exponent among each column's products and sum. */
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

/* sum[j] += `count` products of a's elements from `first` on, for eight columns. In units of the last kept bit, the
 * part to drop is the fraction, so conversion to integers truncates. Doubles have room for the sum. */
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

/* Adds products from k to end - 1 to the sums of `rows` rows. */
static inline void sim_add_products(const sim_product *p, const sim_operands *o, unsigned row, unsigned rows,
                                    unsigned k, unsigned end, unsigned fraction, float *sum) {
    const bool is_half = p->type_d == PTX_F16 && end == p->k;
    sim_columns c;
    for (unsigned first = 0; first < p->n; first += SIM_COLUMNS) {
        sim_spread_columns(p, &o->b, first, k, end, &c);
        for (unsigned i = 0; i < rows; i++)
            sim_add_eight(&o->a, (row + i) * p->k + k, end - k, &c, fraction, is_half, sum + i * p->n + first);
    }
}

/* Returns a sum whose terms include infinities or NaNs, as IEEE 754 defines it for any order. */
static inline float sim_add_specials(const sim_product *p, const sim_operands *o, unsigned i, unsigned j, float sum) {
    double total = (double)sum;
    for (unsigned k = 0; k < p->k; k++)
        total += sim_decode_one(o->a.raw[i * p->k + k], p->type_a) * sim_decode_one(o->b.raw[k * p->n + j], p->type_b);
    return canonical_f32(sim_cut_to_single(total));
}

static inline bool sim_is_finite(float x) {
    return (bits_of_f32(x) & 0x7f800000) != 0x7f800000;
}

/* Tests a whole array without a branch. */
static inline bool sim_are_finite(const float *sum, unsigned count) {
    uint32_t beyond = 0; /* its top bit: an exponent of all ones carries into it */
    for (unsigned n = 0; n < count; n++) beyond |= (bits_of_f32(sum[n]) & INT32_MAX) + (1u << 23);
    return !(beyond >> 31);
}

/* Adds all products, as many at a time as the machine does. */
static inline void sim_add_finite(const sim_product *p, sim_operands *o, unsigned unit, unsigned sm) {
    const uint32_t width = sim_sum_width(unit, sm), fraction = sim_sum_fraction(unit, sm);
    for (unsigned k = 0; k < p->k; k += width)
        sim_add_products(p, o, 0, p->m, k, k + width < p->k ? k + width : p->k, fraction, o->sum.single);
}

/* Infinities and NaNs do not affect sums without them: those are computed with zeros instead. */
static inline void sim_add_with_specials(const sim_product *p, sim_operands *o, unsigned unit, unsigned sm) {
    const sim_small_float of_a = sim_small_float_of(p->type_a), of_b = sim_small_float_of(p->type_b);
    bool rows[SIM_MOST_ROWS] = {false}, columns[SIM_MOST_COLUMNS] = {false};
    float before[SIM_MOST_SUMS];
    memcpy(before, o->sum.single, p->m * p->n * sizeof(float));
    for (unsigned n = 0; n < p->m * p->n; n++)
        if (!sim_is_finite(before[n])) o->sum.single[n] = 0;
    for (unsigned n = 0; n < p->m * p->k; n++)
        if (sim_is_special(o->a.raw[n], &of_a)) o->a.value[n] = 0, rows[n / p->k] = true;
    for (unsigned n = 0; n < p->k * p->n; n++)
        if (sim_is_special(o->b.raw[n], &of_b)) o->b.value[n] = 0, columns[n % p->n] = true;
    sim_add_finite(p, o, unit, sm);
    for (unsigned n = 0; n < p->m * p->n; n++)
        if (rows[n / p->n] || columns[n % p->n] || !sim_is_finite(before[n]))
            o->sum.single[n] = sim_add_specials(p, o, n / p->n, n % p->n, before[n]);
}

/* `unit`: the type as which the machine sums them. */
static inline void sim_multiply_floats(const sim_product *p, sim_operands *o, unsigned unit, unsigned sm) {
    const bool finite_a = sim_decode_floats(&o->a, p->m * p->k, p->type_a);
    const bool finite_b = sim_decode_floats(&o->b, p->k * p->n, p->type_b);
    if (finite_a && finite_b && sim_are_finite(o->sum.single, p->m * p->n))
        sim_add_finite(p, o, unit, sm);
    else
        sim_add_with_specials(p, o, unit, sm);
}

/* ---- other types ---- */

/* Wraps or saturates a sum, once, at the end. */
static inline int32_t sim_fit_sum(int64_t sum, bool saturates) {
    if (saturates && sum > INT32_MAX) return INT32_MAX;
    if (saturates && sum < INT32_MIN) return INT32_MIN;
    return (int32_t)(uint32_t)(uint64_t)sum;
}

/* A sum of products fits in 32 bits at these depths, so only the addition of c may overflow. */
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

/* Counts the ones of each row and column combined, 32 elements at a time. */
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

/* A chain of fused multiply-adds along k, for one sum. If several are NaN, the result is b's, else the sum's, else
 * a's. */
static inline double sim_chain(const sim_product *p, const sim_operands *o, unsigned i, unsigned j) {
    double sum = o->sum.wide[i * p->n + j];
    for (unsigned k = 0; k < p->k; k++) {
        const double a = o->a.wide[i * p->k + k], b = o->b.wide[k * p->n + j];
        sum = prefer_nan(b, prefer_nan(sum, __builtin_fma(a, b, sum)));
    }
    return sum;
}

/* Computes eight chains side by side. A NaN among the terms shows in the sum, which is then computed again. */
static inline void sim_chain_eight(const sim_product *p, sim_operands *o, unsigned i, unsigned first) {
    double sum[SIM_COLUMNS], *out = o->sum.wide + i * p->n + first;
    memcpy(sum, out, sizeof sum);
    for (unsigned k = 0; k < p->k; k++) {
        const double a = o->a.wide[i * p->k + k], *b = o->b.wide + k * p->n + first;
        for (unsigned j = 0; j < SIM_COLUMNS; j++) sum[j] = __builtin_fma(a, b[j], sum[j]);
    }
    for (unsigned j = 0; j < SIM_COLUMNS; j++) out[j] = sum[j] == sum[j] ? sum[j] : sim_chain(p, o, i, first + j);
}

static inline void sim_multiply_wide(const sim_product *p, sim_operands *o) {
    fesetround(p->rounding);
    for (unsigned i = 0; i < p->m; i++)
        for (unsigned j = 0; j < p->n; j += SIM_COLUMNS) sim_chain_eight(p, o, i, j);
    fesetround(FE_TONEAREST);
}

/* All types except .f64. sm: the architecture, which determines the order of summing. */
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

#endif
