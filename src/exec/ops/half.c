/* Half-precision arithmetic, f16 and bf16, single and in pairs: sums, products and fma, by floating.def, whose words
 * are C here; ex2, tanh, signs, minima and maxima. Comparisons are in compare.c, conversions in convert.c.
 *
 * Values are computed in single or double precision and rounded once to the format. A sticky number has its last bit
 * set if it is not exact, so that a second rounding, to fewer bits, equals a single one. A pair is two halves of a
 * 32-bit register, so a slot of pairs is 64 halves in a row. One code serves both widths.
 *
 * NaNs become the canonical one. The registers' halves are bits; the handlers' arrays are singles, which hold all
 * halves. */
#include "exec/half.h"
#include "exec/ops/lanes.h"
#include "exec/ops/mufu.h"
#include "state/lanes.h"

/* ---- one value ---- */

/* Returns a double as a single whose last bit is set if it is not exact. Rounding it again, to a format of at most 22
 * bits, equals rounding the double. */
static inline float sticky_single(double x) {
    const float single = (float)x;
    const double error = x - (double)single;
    const uint32_t bits = bits_of_f32(single), inward = (uint32_t)((bits_of_f64(error) ^ bits_of_f64(x)) >> 63);
    const uint32_t unit = __builtin_fabs(error) > 0 ? ~bits & 1 : 0;
    return f32_of_bits(bits + unit - 2 * inward * unit);
}

/* The same for a sum, whose error is exactly a number of its format, too. This is the two-sum of Knuth: it gives the
 * rounding error of an addition whatever the order of the operands' sizes. */
#define STICKY(suffix, T, U)                                                      \
    static inline T sticky_sum_##suffix(T p, T c) {                               \
        const T sum = p + c, back = sum - p;                                      \
        const T error = (p - (sum - back)) + (c - back);                          \
        const U bits = bits_of_##suffix(sum);                                     \
        const U inward = (bits_of_##suffix(error) ^ bits) >> (8 * sizeof(U) - 1); \
        const U unit = ((error < 0) | (error > 0)) ? ~bits & 1 : 0;               \
        return suffix##_of_bits(bits + unit - 2 * inward * unit);                 \
    }
STICKY(f32, float, uint32_t)
STICKY(f64, double, uint64_t)

/* Return a subnormal half as a zero of its sign. */
static inline uint16_t flush_f16(uint16_t h) {
    return (h & 0x7c00) == 0 ? h & 0x8000 : h;
}
static inline uint16_t flush_bf16(uint16_t h) {
    return (h & 0x7f80) == 0 ? h & 0x8000 : h;
}

/* ---- handlers: the lanes' halves in one array, 32 for scalars and 64 for pairs ---- */

enum { MOST_HALVES = 2 * SIM_LANES };

/* d = function of a, b and c, each with `count` halves as singles; d may be sticky. */
typedef void compute_fn(float *d, const float *a, const float *b, const float *c, unsigned count);

/* .sat and .relu. NaN becomes +0 with .sat and stays with .relu. */
static void clamp_halves(float *x, unsigned count, uint32_t flags) {
    if (flags & SIM_SATURATE) {
        SIM_VECTORISE for (unsigned n = 0; n < count; n++) x[n] = saturate_f32(x[n]);
    }
    if (flags & SIM_RELU) {
        SIM_VECTORISE for (unsigned n = 0; n < count; n++) x[n] = x[n] <= 0.0f ? 0.0f : x[n];
    }
}

/* Element n belongs to lane n * 32 / count. */
static void store_halves(uint16_t *d, const uint16_t *made, unsigned count, uint32_t active) {
    const unsigned shift = count == SIM_LANES ? 0 : 1;
    if (active == SIM_ALL_LANES) {
        memcpy(d, made, count * sizeof *d);
        return;
    }
    SIM_VECTORISE for (unsigned n = 0; n < count; n++) {
        const uint16_t kept = d[n], fresh = made[n];
        d[n] = (active >> (n >> shift) & 1) != 0 ? fresh : kept;
    }
}

/* Defines reading, writing and the general handler for a format. .ftz flushes operands and result. */
#define HALVES(format)                                                                                          \
    static void widen_##format(float *out, const uint16_t *in, unsigned count, bool flush) {                    \
        if (flush) {                                                                                            \
            SIM_VECTORISE for (unsigned n = 0; n < count; n++) out[n] = f32_of_##format(flush_##format(in[n])); \
        } else {                                                                                                \
            SIM_VECTORISE for (unsigned n = 0; n < count; n++) out[n] = f32_of_##format(in[n]);                 \
        }                                                                                                       \
    }                                                                                                           \
    static void narrow_##format(uint16_t *out, const float *in, unsigned count, bool flush) {                   \
        SIM_VECTORISE for (unsigned n = 0; n < count; n++) out[n] = format##_of_f32(in[n]);                     \
        if (flush) {                                                                                            \
            SIM_VECTORISE for (unsigned n = 0; n < count; n++) out[n] = flush_##format(out[n]);                 \
        }                                                                                                       \
    }                                                                                                           \
    static sim_step compute_##format(sim_warp *w, const sim_op *op, uint32_t active, compute_fn *compute,       \
                                     unsigned count) {                                                          \
        float a[MOST_HALVES], b[MOST_HALVES], c[MOST_HALVES], result[MOST_HALVES];                              \
        uint16_t made[MOST_HALVES];                                                                             \
        const bool flush = op->x & SIM_FLUSH;                                                                   \
        widen_##format(a, SIM_SLOT(w, uint16_t, op->a), count, flush);                                          \
        widen_##format(b, SIM_SLOT(w, uint16_t, op->b), count, flush);                                          \
        widen_##format(c, SIM_SLOT(w, uint16_t, op->c), count, flush);                                          \
        compute(result, a, b, c, count);                                                                        \
        clamp_halves(result, count, op->x);                                                                     \
        narrow_##format(made, result, count, flush);                                                            \
        store_halves(SIM_SLOT(w, uint16_t, op->d), made, count, active);                                        \
        return SIM_NEXT;                                                                                        \
    }

HALVES(f16)
HALVES(bf16)

/* Defines the handlers of one format, for one and two halves a lane. */
#define HALF_HANDLERS(name, format) HALF_HANDLER(name, format, 1) HALF_HANDLER(name, format, 2)
#define HALF_HANDLER(name, format, halves)                                                       \
    static sim_step name##_##format##_##halves(sim_warp *w, const sim_op *op, uint32_t active) { \
        return compute_##format(w, op, active, name##_##format##_compute, SIM_LANES * (halves)); \
    }

/* Entries of a handler table indexed by ptx_type. */
#define BY_HALVES(name) \
    [PTX_F16] = name##_f16_1, [PTX_BF16] = name##_bf16_1, [PTX_F16X2] = name##_f16_2, [PTX_BF16X2] = name##_bf16_2

/* Lowers to the handler of the instruction's type, with its modifiers in x. */
static haul_status lower_half(sim_lowering *l, const ptx_instruction *i, sim_handlers handlers, unsigned sources) {
    const unsigned type = i->type;
    sim_op *op = sim_emit_with(l, i, handlers[type], type, sources > 1 ? type : 0, sources > 2 ? type : 0);
    if (!op) return HAUL_ERROR_UNSUPPORTED;
    op->x = sim_float_flags(i) | (i->mods[PTX_SLOT_RELU] ? SIM_RELU : 0u) |
            (i->mods[PTX_SLOT_NAN] ? SIM_KEEP_NAN : 0u) | (i->mods[PTX_SLOT_XORSIGN] ? SIM_XOR_SIGN : 0u);
    return HAUL_OK;
}

/* ---- sums and products ---- */

#define SUM(a, b) ((a) + (b))
#define DIFFERENCE(a, b) ((a) - (b))
#define PRODUCT(a, b) ((a) * (b))
#define STICKY_FUSED(a, b, c) _Generic((a), float : sticky_sum_f32, double : sticky_sum_f64)((a) * (b), c)

static inline float same_single(float x) {
    return x;
}
#define AS_SINGLE(x) _Generic((x), float : same_single, double : sticky_single)(x)

#define PRECISION_SINGLE float
#define PRECISION_DOUBLE double

/* Defines the function of both widths of a format, whose values are of type T. */
#define HALF_COMPUTE(name, format, T, meaning)                                                                       \
    static void name##_##format##_compute(float *d, const float *pa, const float *pb, const float *pc, unsigned n) { \
        SIM_VECTORISE for (unsigned l = 0; l < n; l++) {                                                             \
            const T a = (T)pa[l], b = (T)pb[l], c = (T)pc[l];                                                        \
            (void)a, (void)b, (void)c;                                                                               \
            d[l] = AS_SINGLE(meaning);                                                                               \
        }                                                                                                            \
    }                                                                                                                \
    HALF_HANDLERS(name, format)

#define HALF(id, name, sources, brain, meaning)                         \
    HALF_COMPUTE(name, f16, float, meaning)                             \
    HALF_COMPUTE(name, bf16, PRECISION_##brain, meaning)                \
    haul_status LOWER(id)(sim_lowering * l, const ptx_instruction *i) { \
        static sim_handlers handlers = {BY_HALVES(name)};               \
        return lower_half(l, i, handlers, sources);                     \
    }
#include "lower/floating.def"

/* ---- fma.oob: the NaN with which tensor copies fill makes the result zero if it is a factor ---- */

enum { FILLED = 0x7ff7 };

static bool is_filled(uint16_t h) {
    return (h & 0x7fff) == FILLED;
}

/* Runs the fma and then zeroes the results with such a factor. `beyond` is found first: d may be a or b. */
static sim_step run_oob(sim_warp *w, const sim_op *op, uint32_t active, sim_handler run, unsigned count) {
    uint16_t *d = SIM_SLOT(w, uint16_t, op->d);
    const uint16_t *a = SIM_SLOT(w, uint16_t, op->a), *b = SIM_SLOT(w, uint16_t, op->b);
    bool beyond[MOST_HALVES];
    for (unsigned n = 0; n < count; n++) beyond[n] = is_filled(a[n]) || is_filled(b[n]);
    const sim_step step = run(w, op, active);
    for (unsigned n = 0; n < count; n++)
        if (beyond[n] && active >> (count == SIM_LANES ? n : n / 2) & 1) d[n] = 0;
    return step;
}

#define OOB(format, halves)                                                                   \
    static sim_step oob_##format##_##halves(sim_warp *w, const sim_op *op, uint32_t active) { \
        return run_oob(w, op, active, fma_##format##_##halves, SIM_LANES * (halves));         \
    }
OOB(f16, 1)
OOB(f16, 2)
OOB(bf16, 1)
OOB(bf16, 2)

haul_status LOWER(HFMA_OOB)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers handlers = {BY_HALVES(oob)};
    return lower_half(l, i, handlers, 3);
}

/* ---- approximate functions ---- */

/* Hardware truncates the single-precision result. Normal numbers lose their low 13 bits; below 2^-14 the last place is
 * 2^-24. */
static inline float cut_f16(float x) {
    const uint32_t bits = bits_of_f32(x), sign = bits & UINT32_C(0x80000000);
    const float size = __builtin_fabsf(x), within = size < 0x1p-14f ? size : 0.0f;
    const float subnormal = (float)(int32_t)(within * 0x1p24f) * 0x1p-24f;
    return f32_of_bits(size < 0x1p-14f ? bits_of_f32(subnormal) | sign : bits & ~UINT32_C(0x1fff));
}
static inline float cut_bf16(float x) {
    return f32_of_bits(bits_of_f32(x) & ~UINT32_C(0xffff));
}

/* Approximate functions: the unit's single-precision result, cut. */
#define CUT_HALF(name, format, function)                                                                             \
    static void name##_##format##_compute(float *d, const float *pa, const float *pb, const float *pc, unsigned n) { \
        (void)pb, (void)pc;                                                                                          \
        SIM_VECTORISE for (unsigned l = 0; l < n; l++) d[l] = cut_##format(UNIT(function, pa[l]));                   \
    }                                                                                                                \
    HALF_HANDLERS(name, format)
CUT_HALF(ex2, f16, exponential)
CUT_HALF(ex2, bf16, exponential)
CUT_HALF(tanh, f16, tangent)
CUT_HALF(tanh, bf16, tangent)

haul_status LOWER(HEX2)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers handlers = {BY_HALVES(ex2)};
    return lower_half(l, i, handlers, 1);
}
haul_status LOWER(HTANH)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers handlers = {BY_HALVES(tanh)};
    return lower_half(l, i, handlers, 1);
}

/* ---- signs: one bit, but a NaN becomes the one that arithmetic produces ---- */

enum { CLEARS = 1, FLUSHES = 2 };

/* Returns whether a half is NaN; `infinity` tells the format. */
static inline bool is_nan(uint16_t h, uint16_t infinity) {
    return (h & 0x7fff) > infinity;
}

static inline uint16_t sign_of(uint16_t a, uint16_t infinity, unsigned what) {
    if (what & FLUSHES) a = flush_f16(a);
    const uint16_t changed = what & CLEARS ? a & 0x7fff : a ^ 0x8000;
    return is_nan(a, infinity) ? SIM_NAN_HALF : changed;
}

#define SIGN(name, infinity, what)                                      \
    SIM_UNARY(name##_1, uint16_t, uint16_t, sign_of(a, infinity, what)) \
    SIM_UNARY(name##_2, uint32_t, uint32_t,                             \
              sign_of((uint16_t)a, infinity, what) | (uint32_t)sign_of((uint16_t)(a >> 16), infinity, what) << 16)

SIGN(abs_f16, 0x7c00, CLEARS)
SIGN(abs_bf16, 0x7f80, CLEARS)
SIGN(neg_f16, 0x7c00, 0)
SIGN(neg_bf16, 0x7f80, 0)
SIGN(abs_flush, 0x7c00, CLEARS | FLUSHES)
SIGN(neg_flush, 0x7c00, FLUSHES)

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

/* Returns the order of values as integers: sign and magnitude become two's complement, with -0 below +0. */
static inline int32_t order_of(uint16_t h) {
    return h & 0x8000 ? -(int32_t)(h & 0x7fff) - 1 : (int32_t)h;
}

/* The rules of single precision (floating.c), on bits: a number wins over NaN unless .NaN asks for it. */
static inline uint16_t choose(uint16_t a, uint16_t b, uint16_t infinity, uint32_t flags, bool greater) {
    const uint16_t sign = (a ^ b) & 0x8000;
    if (flags & SIM_XOR_SIGN) a &= 0x7fff, b &= 0x7fff;
    const bool nan_a = is_nan(a, infinity), nan_b = is_nan(b, infinity);
    const bool less = greater ? order_of(a) > order_of(b) : order_of(a) < order_of(b);
    const bool takes_a = nan_b | (!nan_a & less);
    const bool keeps_nan = flags & SIM_KEEP_NAN, makes_nan = (nan_a & nan_b) | (keeps_nan & (nan_a | nan_b));
    const uint16_t chosen = makes_nan ? SIM_NAN_HALF : takes_a ? a : b;
    return (flags & SIM_XOR_SIGN) && !makes_nan ? chosen | sign : chosen;
}

/* Defines the handler of one format; all modifiers are tested for each half, without branches. */
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

#define CHOICE(name, greater)                      \
    CHOICE_HANDLER(name, f16, 0x7c00, 1, greater)  \
    CHOICE_HANDLER(name, f16, 0x7c00, 2, greater)  \
    CHOICE_HANDLER(name, bf16, 0x7f80, 1, greater) \
    CHOICE_HANDLER(name, bf16, 0x7f80, 2, greater)

CHOICE(min, false)
CHOICE(max, true)

haul_status LOWER(HMIN)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers handlers = {BY_HALVES(min)};
    return lower_half(l, i, handlers, 2);
}
haul_status LOWER(HMAX)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers handlers = {BY_HALVES(max)};
    return lower_half(l, i, handlers, 2);
}
