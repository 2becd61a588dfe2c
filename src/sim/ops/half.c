/* Half-precision arithmetic, f16 and bf16, single and in pairs. Values are computed in double precision, in which sums
 * and products of halves are exact or made sticky, and rounded once to the format. */
#include "sim/ops/functions.h"
#include "sim/ops/half.h"

/* Flags of op->x besides SIM_FLUSH and SIM_SATURATE. */
enum { RELU = 4, KEEP_NAN = 8, XOR_SIGN = 16 };

/* ---- one value ---- */

/* a * b + c, where the rounded sum's last bit is made odd if it is not exact: rounding such a sum to a narrower format
 * gives what rounding the exact sum would. The product of two halves is exact. */
static inline double sticky_sum(double p, double c) {
    const double sum = p + c, back = sum - p;
    const double error = (p - (sum - back)) + (c - back);
    const uint64_t bits = bits_of_f64(sum);
    const bool outward = (error > 0) == (sum > 0);
    const bool adjusts = __builtin_fabs(error) > 0 && !(bits & 1);
    return f64_of_bits(adjusts ? (outward ? bits + 1 : bits - 1) : bits);
}

static inline double from_f16(uint16_t h) {
    return (double)f32_of_f16(h);
}
static inline double from_bf16(uint16_t h) {
    return (double)f32_of_bf16(h);
}
static inline uint16_t to_f16(double x) {
    return (uint16_t)encode(sim_f16, x, SIM_ROUND_EVEN, false);
}
static inline uint16_t to_bf16(double x) {
    return (uint16_t)encode(sim_bf16, x, SIM_ROUND_EVEN, false);
}

/* Flushes subnormals of f16; bf16 has no .ftz in arithmetic. */
static inline uint16_t flush_f16(uint16_t h) {
    return (h & 0x7c00) == 0 ? h & 0x8000 : h;
}
static inline uint16_t flush_bf16(uint16_t h) {
    return (h & 0x7f80) == 0 ? h & 0x8000 : h;
}

static inline double clamp_half(double x, uint32_t flags) {
    const double saturated = (flags & SIM_SATURATE) ? saturate_f64(x) : x;
    return (flags & RELU) && saturated <= 0.0 ? 0.0 : saturated;
}

/* ---- handlers: `halves` values in a row, 32 for scalars and 64 for pairs, whose lanes are side by side ---- */

/* Bit n of the lanes' mask spread over pairs: element n belongs to lane n / halves-per-lane. */
#define HALF_HANDLER(name, format, halves, expression)                                           \
    static sim_step name##_##format##_##halves(sim_warp *w, const sim_op *op, uint32_t active) { \
        uint16_t *d = SIM_SLOT(w, uint16_t, op->d);                                              \
        const uint16_t *pa = SIM_SLOT(w, uint16_t, op->a), *pb = SIM_SLOT(w, uint16_t, op->b);   \
        const uint16_t *pc = SIM_SLOT(w, uint16_t, op->c);                                       \
        const uint32_t flags = op->x;                                                            \
        SIM_VECTORISE for (unsigned n = 0; n < SIM_LANES * halves; n++) {                        \
            const bool flush = flags & SIM_FLUSH;                                                \
            const double a = from_##format(flush ? flush_##format(pa[n]) : pa[n]);               \
            const double b = from_##format(flush ? flush_##format(pb[n]) : pb[n]);               \
            const double c = from_##format(flush ? flush_##format(pc[n]) : pc[n]);               \
            const uint16_t made = to_##format(clamp_half(expression, flags)), kept = d[n];       \
            const uint16_t flushed = flush ? flush_##format(made) : made;                        \
            (void)a, (void)b, (void)c;                                                           \
            d[n] = (active & (1u << n / halves)) != 0 ? flushed : kept;                          \
        }                                                                                        \
        return SIM_NEXT;                                                                         \
    }

/* Four handlers, and their table by type. */
#define HALF(name, expression)                                         \
    HALF_HANDLER(name, f16, 1, expression)                             \
    HALF_HANDLER(name, f16, 2, expression)                             \
    HALF_HANDLER(name, bf16, 1, expression)                            \
    HALF_HANDLER(name, bf16, 2, expression)                            \
    static sim_handlers name##_handlers = {[PTX_F16] = name##_f16_1,   \
                                           [PTX_F16X2] = name##_f16_2, \
                                           [PTX_BF16] = name##_bf16_1, \
                                           [PTX_BF16X2] = name##_bf16_2};

HALF(add, sticky_sum(a, b))
HALF(sub, sticky_sum(a, -b))
HALF(mul, a *b)
HALF(fma, sticky_sum(a *b, c))

static haul_status lower_half(sim_lowering *l, const ptx_instruction *i, sim_handlers handlers, unsigned sources) {
    const unsigned type = i->type;
    sim_op *op = sim_emit_with(l, i, handlers[type], type, sources > 1 ? type : 0, sources > 2 ? type : 0);
    if (!op) return HAUL_ERROR_UNSUPPORTED;
    op->x = sim_float_flags(i) | (i->mods[PTX_SLOT_RELU] ? RELU : 0u) | (i->mods[PTX_SLOT_NAN] ? KEEP_NAN : 0u) |
            (i->mods[PTX_SLOT_XORSIGN] ? XOR_SIGN : 0u);
    return HAUL_OK;
}

haul_status LOWER(HADD)(sim_lowering *l, const ptx_instruction *i) {
    return lower_half(l, i, add_handlers, 2);
}
haul_status LOWER(HSUB)(sim_lowering *l, const ptx_instruction *i) {
    return lower_half(l, i, sub_handlers, 2);
}
haul_status LOWER(HMUL)(sim_lowering *l, const ptx_instruction *i) {
    return lower_half(l, i, mul_handlers, 2);
}
haul_status LOWER(HFMA)(sim_lowering *l, const ptx_instruction *i) {
    return lower_half(l, i, fma_handlers, 3);
}

/* ---- approximate functions, which are better than asked ---- */

HALF(ex2, sim_exp2(a))
HALF(tanh, sim_tanh(a))

haul_status LOWER(HEX2)(sim_lowering *l, const ptx_instruction *i) {
    return lower_half(l, i, ex2_handlers, 1);
}
haul_status LOWER(HTANH)(sim_lowering *l, const ptx_instruction *i) {
    return lower_half(l, i, tanh_handlers, 1);
}

/* ---- signs: bit operations, whatever the format ---- */

SIM_UNARY(abs_1, uint16_t, uint16_t, a & 0x7fff)
SIM_UNARY(abs_2, uint32_t, uint32_t, a & 0x7fff7fffu)
SIM_UNARY(neg_1, uint16_t, uint16_t, a ^ 0x8000)
SIM_UNARY(neg_2, uint32_t, uint32_t, a ^ 0x80008000u)

static inline uint32_t flush_pair(uint32_t pair) {
    return flush_f16((uint16_t)pair) | (uint32_t)flush_f16((uint16_t)(pair >> 16)) << 16;
}
SIM_UNARY(abs_flush_1, uint16_t, uint16_t, flush_f16(a) & 0x7fff)
SIM_UNARY(abs_flush_2, uint32_t, uint32_t, flush_pair(a) & 0x7fff7fffu)
SIM_UNARY(neg_flush_1, uint16_t, uint16_t, flush_f16(a) ^ 0x8000)
SIM_UNARY(neg_flush_2, uint32_t, uint32_t, flush_pair(a) ^ 0x80008000u)

#define BY_HALVES(name) [PTX_F16] = name##_1, [PTX_BF16] = name##_1, [PTX_F16X2] = name##_2, [PTX_BF16X2] = name##_2
#define BY_F16(name) [PTX_F16] = name##_1, [PTX_F16X2] = name##_2

haul_status LOWER(HABS)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers plain = {BY_HALVES(abs)}, flushing = {BY_F16(abs_flush)};
    return sim_lower_unary(l, i, (i->mods[PTX_SLOT_FTZ] ? flushing : plain)[i->type]);
}

haul_status LOWER(HNEG)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers plain = {BY_HALVES(neg)}, flushing = {BY_F16(neg_flush)};
    return sim_lower_unary(l, i, (i->mods[PTX_SLOT_FTZ] ? flushing : plain)[i->type]);
}

/* ---- minimum and maximum ---- */

/* The values' order as integers: sign and magnitude become two's complement, with -0 below +0. */
static inline int32_t order_of(uint16_t h) {
    return h & 0x8000 ? -(int32_t)(h & 0x7fff) - 1 : (int32_t)h;
}

static inline bool is_nan(uint16_t h, uint16_t infinity) {
    return (h & 0x7fff) > infinity;
}

static inline uint16_t choose(uint16_t a, uint16_t b, uint16_t infinity, uint32_t flags, bool greater) {
    const uint16_t sign = (a ^ b) & 0x8000;
    if (flags & XOR_SIGN) a &= 0x7fff, b &= 0x7fff;
    const bool nan_a = is_nan(a, infinity), nan_b = is_nan(b, infinity);
    const bool takes_a = nan_b || (!nan_a && (order_of(a) < order_of(b)) != greater);
    const bool makes_nan = (nan_a && nan_b) || ((flags & KEEP_NAN) && (nan_a || nan_b));
    const uint16_t chosen = makes_nan ? 0x7fff : takes_a ? a : b;
    return (flags & XOR_SIGN) ? chosen | sign : chosen;
}

#define CHOICE_HANDLER(name, format, infinity, halves, greater)                                  \
    static sim_step name##_##format##_##halves(sim_warp *w, const sim_op *op, uint32_t active) { \
        uint16_t *d = SIM_SLOT(w, uint16_t, op->d);                                              \
        const uint16_t *pa = SIM_SLOT(w, uint16_t, op->a), *pb = SIM_SLOT(w, uint16_t, op->b);   \
        const uint32_t flags = op->x;                                                            \
        SIM_VECTORISE for (unsigned n = 0; n < SIM_LANES * halves; n++) {                        \
            const bool flush = flags & SIM_FLUSH;                                                \
            const uint16_t a = flush ? flush_##format(pa[n]) : pa[n];                            \
            const uint16_t b = flush ? flush_##format(pb[n]) : pb[n], kept = d[n];               \
            const uint16_t made = choose(a, b, infinity, flags, greater);                        \
            d[n] = (active & (1u << n / halves)) != 0 ? made : kept;                             \
        }                                                                                        \
        return SIM_NEXT;                                                                         \
    }

#define CHOICE(name, greater)                                          \
    CHOICE_HANDLER(name, f16, 0x7c00, 1, greater)                      \
    CHOICE_HANDLER(name, f16, 0x7c00, 2, greater)                      \
    CHOICE_HANDLER(name, bf16, 0x7f80, 1, greater)                     \
    CHOICE_HANDLER(name, bf16, 0x7f80, 2, greater)                     \
    static sim_handlers name##_handlers = {[PTX_F16] = name##_f16_1,   \
                                           [PTX_F16X2] = name##_f16_2, \
                                           [PTX_BF16] = name##_bf16_1, \
                                           [PTX_BF16X2] = name##_bf16_2};

CHOICE(min, false)
CHOICE(max, true)

haul_status LOWER(HMIN)(sim_lowering *l, const ptx_instruction *i) {
    return lower_half(l, i, min_handlers, 2);
}
haul_status LOWER(HMAX)(sim_lowering *l, const ptx_instruction *i) {
    return lower_half(l, i, max_handlers, 2);
}
