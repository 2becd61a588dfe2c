/* Products of small matrices, d = a b + c: the fields that an instruction sets, and the elements. ops/multiply.h
 * computes them; ops/fragments.h maps elements to lanes. */
#ifndef HAUL_EXEC_OPS_PRODUCT_H
#define HAUL_EXEC_OPS_PRODUCT_H

#include "exec/half.h"
#include "exec/ops/lanes.h"
#include "exec/ops/matrix.h"
#include "ptx/matrix.h"
#include "state/block.h"

enum { SIM_PRODUCT_SATURATES = 1, SIM_PRODUCT_AND = 2, SIM_PRODUCT_SPARSE = 4 };

/* A product as stored in the program's pool. */
typedef struct sim_product {
    uint32_t m, n, k; /* k: elements, including those that a sparse a omits; for single bits, words of 32 */
    uint32_t type_a, type_b, type_c, type_d;
    uint32_t flags;      /* SIM_PRODUCT_* */
    uint32_t a, b, c, d; /* the fragments' slots in the pool */
    int32_t rounding;    /* a constant of fenv */
    uint32_t metadata;   /* sparse: slot of the metadata */
    uint32_t selector;   /* which threads of four hold the metadata */
} sim_product;

enum {
    SIM_MOST_FACTOR = 16384,
    SIM_MOST_SUMS = 4096,
    SIM_MOST_WIDE = 256,
    SIM_MOST_ROWS = 128,
    SIM_MOST_COLUMNS = 256
};

/* Element (row, k) of a is number row * product.k + k; element (k, column) of b is number k * product.n + column. */
typedef struct sim_factor {
    uint32_t raw[SIM_MOST_FACTOR];
    int32_t value[SIM_MOST_FACTOR]; /* integers; significands with their sign */
    int32_t exponent[SIM_MOST_FACTOR];
    uint32_t mantissa;          /* fraction bits of the significands */
    double wide[SIM_MOST_WIDE]; /* .f64 */
} sim_factor;

/* Sums are stored by row. */
typedef struct sim_operands {
    sim_factor a, b;
    union {
        float single[SIM_MOST_SUMS];
        int32_t integer[SIM_MOST_SUMS];
        double wide[SIM_MOST_WIDE];
    } sum;
} sim_operands;

/* ---- the product of an instruction ---- */

/* Reads shape, types and modifiers of an instruction. The caller fills in the fragments. */
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

/* Appends the product to the program's pool and returns its position for sim_op.more. sim_product_at() reads it
 * back. */
static inline uint32_t sim_pool_product(sim_lowering *l, const sim_product *p) {
    return sim_pool(l, (const uint32_t *)(const void *)p, sizeof *p / sizeof(uint32_t));
}

static inline const sim_product *sim_product_at(const sim_warp *w, const sim_op *op) {
    return (const sim_product *)(const void *)(w->sm->grid->program->pool + op->more);
}

/* Returns the stored columns of a; a sparse a has half as many. */
static inline uint32_t sim_depth_of_a(const sim_product *p) {
    return p->flags & SIM_PRODUCT_SPARSE ? p->k / 2 : p->k;
}

/* ---- formats ---- */

typedef struct sim_small_float {
    unsigned mantissa, exponent; /* bits */
    unsigned shift;              /* ignored low bits */
    bool infinite;               /* the greatest exponent is for infinities and NaNs */
    bool finite;                 /* has no infinities or NaNs at all */
} sim_small_float;

/* Returns the layout of a floating type; f16 is the default. */
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

/* Returns whether it is an infinity or a NaN. */
static inline bool sim_is_special(uint32_t raw, const sim_small_float *s) {
    const uint32_t bits = raw >> s->shift, top = (1u << s->exponent) - 1, fractions = (1u << s->mantissa) - 1;
    return (bits >> s->mantissa & top) == top && !s->finite && (s->infinite || (bits & fractions) == fractions);
}

/* Fills in significands and exponents. Returns false if some element is an infinity or a NaN. */
static inline bool sim_decode_floats(sim_factor *f, unsigned count, unsigned type) {
    const sim_small_float s = sim_small_float_of(type);
    const uint32_t top = (1u << s.exponent) - 1, fractions = (1u << s.mantissa) - 1;
    const int32_t bias = (int32_t)(top >> 1);
    uint32_t special = 0;
    f->mantissa = s.mantissa;
    for (unsigned n = 0; n < count; n++) {
        const uint32_t bits = f->raw[n] >> s.shift, fraction = bits & fractions, e = bits >> s.mantissa & top;
        const int32_t significand = (int32_t)(e ? fraction | (fractions + 1) : fraction);
        f->value[n] = bits >> (s.mantissa + s.exponent) & 1 ? -significand : significand;
        f->exponent[n] = (int32_t)(e ? e : 1) - bias;
        special |= e == top && !s.finite && (s.infinite || fraction == fractions);
    }
    return !special;
}

/* Extends integers of up to 32 bits by their sign, if they have one, or by zeros. */
static inline void sim_decode_integers(sim_factor *f, unsigned count, unsigned type) {
    const unsigned unused = 32 - ptx_bits(type);
    const bool has_sign = ptx_is_signed(type);
    for (unsigned n = 0; n < count; n++) {
        const uint32_t up = f->raw[n] << unused;
        f->value[n] = has_sign ? (int32_t)up >> unused : (int32_t)(up >> unused);
    }
}

/* Decodes any of the types, including infinities and NaNs. */
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

#endif
