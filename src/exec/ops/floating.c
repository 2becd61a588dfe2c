/* Single- and double-precision arithmetic: handlers made of floating.def, whose words are C here, and testp. Rounding
 * to nearest without further modifiers has handlers of two or three vector instructions; everything else takes one
 * general path. Approximate functions are in approximate.c and mufu.h, halves in half.c, conversions in convert.c.
 *
 * The host rounds as IEEE 754 says, so its instructions give the GPU's bits, with three exceptions. Single precision
 * has one NaN; double precision returns an operand's NaN, by the rules of floating.def (prefer_nan()). And hardware
 * decides whether a product is subnormal before it rounds to the subnormal's precision (flush_product()). */
#include "exec/half.h"
#include "exec/ops/lanes.h"
#include "state/lanes.h"

/* ---- words ---- */

#define SUM(a, b) ((a) + (b))
#define DIFFERENCE(a, b) ((a) - (b))
#define PRODUCT(a, b) ((a) * (b))
#define QUOTIENT(a, b) ((a) / (b))
#define FUSED(a, b, c) _Generic((a), float : __builtin_fmaf, double : __builtin_fma)(a, b, c)
#define ROOT(a) _Generic((a), float : __builtin_sqrtf, double : __builtin_sqrt)(a)
#define NEGATED(a) (-(a))
#define MAGNITUDE(a) _Generic((a), float : __builtin_fabsf, double : __builtin_fabs)(a)
#define ONE ((T)1)
#define LESS(a, b) ((a) < (b))
#define EQUAL(a, b) ((a) == (b))
#define IS_NAN(a) ((a) != (a))
#define IF(condition, yes, no) ((condition) ? (yes) : (no))
#define EITHER_BIT(a, b) _Generic((a), float : either_bit_f32, double : either_bit_f64)(a, b)
#define BOTH_BITS(a, b) _Generic((a), float : both_bits_f32, double : both_bits_f64)(a, b)

static inline float either_bit_f32(float a, float b) {
    return f32_of_bits(bits_of_f32(a) | bits_of_f32(b));
}
static inline double either_bit_f64(double a, double b) {
    return f64_of_bits(bits_of_f64(a) | bits_of_f64(b));
}
static inline float both_bits_f32(float a, float b) {
    return f32_of_bits(bits_of_f32(a) & bits_of_f32(b));
}
static inline double both_bits_f64(double a, double b) {
    return f64_of_bits(bits_of_f64(a) & bits_of_f64(b));
}

/* The column of NaNs. The host's instructions are not consistent about the choice. */
#define NAN_OF_f32(nans, result) (result)
#define NAN_OF_f64(nans, result) NAN_OF_##nans(result)
#define NAN_OF_A(result) prefer_nan(a, result)
#define NAN_OF_AB(result) prefer_nan(a, prefer_nan(b, result))
#define NAN_OF_BA(result) prefer_nan(b, prefer_nan(a, result))
#define NAN_OF_BCA(result) prefer_nan(b, prefer_nan(c, prefer_nan(a, result)))

/* ---- arithmetic ---- */

/* The general path: fetch and flush the operands, compute in rounding mode op->y, finish and store. `compute` is a
 * separate function that is never inlined, so that no operation moves across the change of mode. */
#define GENERAL(suffix, T)                                                                                      \
    typedef void compute_##suffix(T *d, const T *a, const T *b, const T *c);                                    \
    static void round_##suffix(T *d, const T *a, const T *b, const T *c, int mode, compute_##suffix *compute) { \
        if (mode != FE_TONEAREST) (void)fesetround(mode);                                                       \
        compute(d, a, b, c);                                                                                    \
        if (mode != FE_TONEAREST) (void)fesetround(FE_TONEAREST);                                               \
    }

GENERAL(f32, float)
GENERAL(f64, double)

/* A function of three operands, and whether it contains a product. */
typedef struct operation {
    compute_f32 *compute;
    bool is_product;
} operation;

/* Copies a warp's operand; .ftz flushes it. */
static void fetch_f32(float *d, const float *a, bool flush) {
    if (flush) {
        SIM_EACH_LANE(l) d[l] = flush_f32(a[l]);
    } else {
        memcpy(d, a, SIM_LANES * sizeof *d);
    }
}

/* Scales operands before the mode changes: some modes have numbers instead of infinities. */
static void flush_products(float *d, const float *a, const float *b, const float *c, int mode, compute_f32 *compute) {
    float lifted[SIM_LANES], lifted_a[SIM_LANES], lifted_c[SIM_LANES];
    SIM_EACH_LANE(l) lifted_a[l] = a[l] * SIM_LIFT;
    SIM_EACH_LANE(l) lifted_c[l] = c[l] * SIM_LIFT;
    round_f32(lifted, lifted_a, b, lifted_c, mode, compute);
    SIM_EACH_LANE(l) d[l] = flush_product(d[l], lifted[l]);
}

/* op->x and y: flags and rounding mode. Order: round, one NaN, flush, saturate. */
static void evaluate(float *d, const float *a, const float *b, const float *c, const sim_op *op, operation how) {
    const int mode = (int)op->y;
    round_f32(d, a, b, c, mode, how.compute);
    SIM_EACH_LANE(l) d[l] = canonical_f32(d[l]);
    if ((op->x & SIM_FLUSH) && how.is_product)
        flush_products(d, a, b, c, mode, how.compute);
    else if (op->x & SIM_FLUSH)
        SIM_EACH_LANE(l) d[l] = flush_f32(d[l]);
    if (op->x & SIM_SATURATE) SIM_EACH_LANE(l) d[l] = saturate_f32(d[l]);
}

/* Reads the operands from lane `from` of their slots on: pairs of floats have twice as many. */
static void fetch_and_evaluate(float *d, const sim_warp *w, const sim_op *op, unsigned from, operation how) {
    float a[SIM_LANES], b[SIM_LANES], c[SIM_LANES];
    const bool flush = op->x & SIM_FLUSH;
    fetch_f32(a, SIM_SLOT(w, float, op->a) + from, flush);
    fetch_f32(b, SIM_SLOT(w, float, op->b) + from, flush);
    fetch_f32(c, SIM_SLOT(w, float, op->c) + from, flush);
    evaluate(d, a, b, c, op, how);
}

/* The general handlers. Double precision has no flushing and no saturation. */
static sim_step general_f32(sim_warp *w, const sim_op *op, uint32_t active, operation how) {
    float result[SIM_LANES];
    fetch_and_evaluate(result, w, op, 0, how);
    float *d = SIM_SLOT(w, float, op->d);
    SIM_STORE_LANES(d, active, result[l]);
    return SIM_NEXT;
}

/* Its NaN is chosen by the expression itself. */
static sim_step general_f64(sim_warp *w, const sim_op *op, uint32_t active, compute_f64 *compute) {
    double result[SIM_LANES];
    round_f64(result, SIM_SLOT(w, double, op->a), SIM_SLOT(w, double, op->b), SIM_SLOT(w, double, op->c), (int)op->y,
              compute);
    double *d = SIM_SLOT(w, double, op->d);
    SIM_STORE_LANES(d, active, result[l]);
    return SIM_NEXT;
}

/* Defines the function of one lane, and handlers `name`_`suffix` (to nearest, plain) and `name`_general_`suffix`. */
#define ARITHMETIC(name, suffix, type, nans, meaning)                                                           \
    static inline type name##_lane_##suffix(type a, type b, type c) {                                           \
        typedef type T __attribute__((unused));                                                                 \
        (void)a, (void)b, (void)c;                                                                              \
        return NAN_OF_##suffix(nans, meaning);                                                                  \
    }                                                                                                           \
    static sim_step name##_##suffix(sim_warp *w, const sim_op *op, uint32_t active) {                           \
        type *d = SIM_SLOT(w, type, op->d);                                                                     \
        const type *a = SIM_SLOT(w, type, op->a), *b = SIM_SLOT(w, type, op->b), *c = SIM_SLOT(w, type, op->c); \
        SIM_STORE_LANES(d, active, canonical_##suffix(name##_lane_##suffix(a[l], b[l], c[l])));                 \
        return SIM_NEXT;                                                                                        \
    }                                                                                                           \
    __attribute__((noinline)) static void name##_compute_##suffix(type *d, const type *a, const type *b,        \
                                                                  const type *c) {                              \
        SIM_EACH_LANE(l) d[l] = name##_lane_##suffix(a[l], b[l], c[l]);                                         \
    }

/* To nearest with .ftz: all arithmetic compiled with -use_fast_math. */
#define ARITHMETIC_FLUSHING(name, is_product)                                                                          \
    static inline float name##_flushing(float a, float b, float c) {                                                   \
        a = flush_f32(a), b = flush_f32(b), c = flush_f32(c);                                                          \
        const float result = canonical_f32(name##_lane_f32(a, b, c));                                                  \
        return is_product ? flush_product(result, name##_lane_f32(a * SIM_LIFT, b, c * SIM_LIFT)) : flush_f32(result); \
    }                                                                                                                  \
    static sim_step name##_flushing_f32(sim_warp *w, const sim_op *op, uint32_t active) {                              \
        float *d = SIM_SLOT(w, float, op->d);                                                                          \
        const float *a = SIM_SLOT(w, float, op->a), *b = SIM_SLOT(w, float, op->b), *c = SIM_SLOT(w, float, op->c);    \
        SIM_STORE_LANES(d, active, name##_flushing(a[l], b[l], c[l]));                                                 \
        return SIM_NEXT;                                                                                               \
    }

/* The handlers of an instruction, by type. `flushing` rounds to nearest and flushes. */
typedef struct arithmetic {
    sim_handlers plain, flushing, general;
} arithmetic;

/* Picks the cheapest handler that suits the modifiers. */
static haul_status lower_arithmetic(sim_lowering *l, const ptx_instruction *i, const arithmetic *handlers,
                                    unsigned sources) {
    const uint32_t flags = sim_float_flags(i);
    const int rounding = sim_host_rounding(i->mods[PTX_SLOT_ROUND]);
    const unsigned type = i->type, second = sources > 1 ? type : 0, third = sources > 2 ? type : 0;
    sim_handler run = handlers->general[type];
    if (rounding == FE_TONEAREST && flags == 0) run = handlers->plain[type];
    if (rounding == FE_TONEAREST && flags == SIM_FLUSH && type == PTX_F32) run = handlers->flushing[type];
    sim_op *op = sim_emit_with(l, i, run, type, second, third);
    if (op) op->x = flags, op->y = (uint32_t)rounding;
    return sim_emitted(op);
}

/* Both widths, and the function that lowers the instruction to them. */
#define FLOAT(id, name, sources, nans, is_product, meaning)                                           \
    ARITHMETIC(name, f32, float, nans, meaning)                                                       \
    ARITHMETIC_FLUSHING(name, is_product)                                                             \
    ARITHMETIC(name, f64, double, nans, meaning)                                                      \
    static const operation name##_operation = {name##_compute_f32, is_product};                       \
    static sim_step name##_general_f32(sim_warp *w, const sim_op *op, uint32_t active) {              \
        return general_f32(w, op, active, name##_operation);                                          \
    }                                                                                                 \
    static sim_step name##_general_f64(sim_warp *w, const sim_op *op, uint32_t active) {              \
        return general_f64(w, op, active, name##_compute_f64);                                        \
    }                                                                                                 \
    haul_status LOWER(id)(sim_lowering * l, const ptx_instruction *i) {                               \
        static const arithmetic handlers = {                                                          \
            {SIM_BY_FLOAT(name)}, {[PTX_F32] = name##_flushing_f32}, {SIM_BY_FLOAT(name##_general)}}; \
        return lower_arithmetic(l, i, &handlers, sources);                                            \
    }
#include "lower/floating.def"

/* ---- pairs: 64 floats in a row, float n belongs to lane n / 2 ---- */

/* Computes half of the lanes at a time. */
static sim_step pairs(sim_warp *w, const sim_op *op, uint32_t active, operation how) {
    float result[2 * SIM_LANES];
    float *d = SIM_SLOT(w, float, op->d);
    fetch_and_evaluate(result, w, op, 0, how);
    fetch_and_evaluate(result + SIM_LANES, w, op, SIM_LANES, how);
    for (unsigned n = 0; n < 2 * SIM_LANES; n++)
        if (active >> n / 2 & 1) d[n] = result[n];
    return SIM_NEXT;
}

/* ---- mixed precision: a (in a product also b) in half precision ---- */

/* Returns halves as singles, which hold all of them. `brain`: bf16. */
static void widen(float *d, const uint16_t *a, bool brain) {
    if (brain)
        SIM_EACH_LANE(l) d[l] = f32_of_bf16(a[l]);
    else
        SIM_EACH_LANE(l) d[l] = f32_of_f16(a[l]);
}

/* op->count: number of operands in half precision; op->imm: they are bf16 */
static sim_step mixed(sim_warp *w, const sim_op *op, uint32_t active, operation how) {
    float a[SIM_LANES], b[SIM_LANES], c[SIM_LANES], result[SIM_LANES];
    float *d = SIM_SLOT(w, float, op->d);
    widen(a, SIM_SLOT(w, uint16_t, op->a), op->imm);
    if (op->count > 1)
        widen(b, SIM_SLOT(w, uint16_t, op->b), op->imm);
    else
        memcpy(b, SIM_SLOT(w, float, op->b), sizeof b);
    memcpy(c, SIM_SLOT(w, float, op->c), sizeof c);
    evaluate(result, a, b, c, op, how);
    SIM_STORE_LANES(d, active, result[l]);
    return SIM_NEXT;
}

/* Lowers the pairs and the mixed forms, which always take the general path. `halves`: sources in half precision. */
static haul_status lower_special_width(sim_lowering *l, const ptx_instruction *i, sim_handler run, unsigned halves,
                                       unsigned sources) {
    const unsigned half = i->type2, type = i->type;
    sim_op *op = sim_emit_with(l, i, run, halves ? half : type, halves > 1 ? half : type, sources > 2 ? type : 0);
    if (!op) return HAUL_ERROR_UNSUPPORTED;
    op->x = sim_float_flags(i);
    op->y = (uint32_t)sim_host_rounding(i->mods[PTX_SLOT_ROUND]);
    op->count = (uint8_t)halves;
    op->imm = half == PTX_BF16;
    return HAUL_OK;
}

#define OTHER_WIDTH(id, how, name, halves, sources)                            \
    static sim_step id##_run(sim_warp *w, const sim_op *op, uint32_t active) { \
        return how(w, op, active, name##_operation);                           \
    }                                                                          \
    haul_status LOWER(id)(sim_lowering * l, const ptx_instruction *i) {        \
        return lower_special_width(l, i, id##_run, halves, sources);           \
    }
OTHER_WIDTH(FADD2, pairs, add, 0, 2)
OTHER_WIDTH(FSUB2, pairs, sub, 0, 2)
OTHER_WIDTH(FMUL2, pairs, mul, 0, 2)
OTHER_WIDTH(FMA2, pairs, fma, 0, 3)
OTHER_WIDTH(FADD_MIXED, mixed, add, 1, 2)
OTHER_WIDTH(FSUB_MIXED, mixed, sub, 1, 2)
OTHER_WIDTH(FMA_MIXED, mixed, fma, 2, 3)

/* ---- minimum and maximum ---- */

/* Chooses one of two singles: the meaning of min or of max. */
typedef float choose_fn(float a, float b);

/* With .NaN the NaN wins. */
static inline float canonical_choice(float chosen, bool make_nan) {
    return make_nan || chosen != chosen ? f32_of_bits(SIM_NAN_F32) : chosen;
}

/* If both operands are NaN in double precision, the second one is returned, made quiet. */
static inline double quiet_choice(double chosen, double b) {
    return chosen != chosen ? prefer_nan(b, chosen) : chosen;
}

/* Order: flush, take magnitudes (.xorsign), choose, set the sign. .xorsign leaves a NaN without a sign. */
static inline float choose_general(float a, float b, uint32_t flags, choose_fn *choose) {
    if (flags & SIM_FLUSH) a = flush_f32(a), b = flush_f32(b);
    const uint32_t sign = (bits_of_f32(a) ^ bits_of_f32(b)) & 0x80000000u;
    if (flags & SIM_XOR_SIGN) a = __builtin_fabsf(a), b = __builtin_fabsf(b);
    const bool make_nan = (flags & SIM_KEEP_NAN) && (a != a || b != b);
    const float chosen = canonical_choice(choose(a, b), make_nan);
    return (flags & SIM_XOR_SIGN) && chosen == chosen ? f32_of_bits(bits_of_f32(chosen) | sign) : chosen;
}

/* Chooses in turn; .abs compares magnitudes. */
static inline float choose_of_three(float a, float b, float c, uint32_t flags, choose_fn *choose) {
    if (flags & SIM_MAGNITUDES) a = __builtin_fabsf(a), b = __builtin_fabsf(b), c = __builtin_fabsf(c);
    return choose_general(choose_general(a, b, flags, choose), c, flags, choose);
}

/* Three operands, a form of sm_100, have a handler of their own; of two, the plain handlers do without flags. */
static haul_status lower_choice(sim_lowering *l, const ptx_instruction *i, sim_handlers plain, sim_handler general,
                                sim_handler of_three) {
    const uint32_t flags = sim_float_flags(i) | (i->mods[PTX_SLOT_NAN] ? SIM_KEEP_NAN : 0u) |
                           (i->mods[PTX_SLOT_XORSIGN] ? SIM_XOR_SIGN : 0u) |
                           (i->mods[PTX_SLOT_ABS] ? SIM_MAGNITUDES : 0u);
    const bool three = i->operand_count > 3;
    const sim_handler modified = i->type == PTX_F32 ? general : NULL; /* double precision has no modifiers */
    sim_op *op = sim_emit_with(l, i,
                               three   ? of_three
                               : flags ? modified
                                       : plain[i->type],
                               i->type, i->type, three ? i->type : 0);
    if (op) op->x = flags;
    return sim_emitted(op);
}

#define CHOICE(id, name, meaning)                                                                                   \
    static inline float name##_chosen_f32(float a, float b) {                                                       \
        return meaning;                                                                                             \
    }                                                                                                               \
    static inline double name##_chosen_f64(double a, double b) {                                                    \
        return meaning;                                                                                             \
    }                                                                                                               \
    SIM_BINARY(name##_f32, float, float, canonical_choice(name##_chosen_f32(a, b), false))                          \
    SIM_BINARY(name##_f64, double, double, quiet_choice(name##_chosen_f64(a, b), b))                                \
    static sim_step name##_general(sim_warp *w, const sim_op *op, uint32_t active) {                                \
        float *d = SIM_SLOT(w, float, op->d);                                                                       \
        const float *a = SIM_SLOT(w, float, op->a), *b = SIM_SLOT(w, float, op->b);                                 \
        const uint32_t flags = op->x;                                                                               \
        SIM_STORE_LANES(d, active, choose_general(a[l], b[l], flags, name##_chosen_f32));                           \
        return SIM_NEXT;                                                                                            \
    }                                                                                                               \
    static sim_step name##_of_three(sim_warp *w, const sim_op *op, uint32_t active) {                               \
        float *d = SIM_SLOT(w, float, op->d);                                                                       \
        const float *a = SIM_SLOT(w, float, op->a), *b = SIM_SLOT(w, float, op->b), *c = SIM_SLOT(w, float, op->c); \
        const uint32_t flags = op->x;                                                                               \
        SIM_STORE_LANES(d, active, choose_of_three(a[l], b[l], c[l], flags, name##_chosen_f32));                    \
        return SIM_NEXT;                                                                                            \
    }                                                                                                               \
    haul_status LOWER(id)(sim_lowering * l, const ptx_instruction *i) {                                             \
        static sim_handlers plain = {SIM_BY_FLOAT(name)};                                                           \
        return lower_choice(l, i, plain, name##_general, name##_of_three);                                          \
    }
#include "lower/floating.def"

/* ---- testp ---- */

/* Tests the bits of the magnitude, as integers. */
#define CLASS(name, suffix, U, T, condition)                                          \
    static sim_step name##_##suffix(sim_warp *w, const sim_op *op, uint32_t active) { \
        const U *a = SIM_SLOT(w, U, op->a);                                           \
        uint32_t set;                                                                 \
        SIM_GATHER_LANES(set, condition(a[l] & T##_MAGNITUDE, T));                    \
        sim_set_predicate(w, op->d, set, active);                                     \
        return SIM_NEXT;                                                              \
    }

/* The bits of infinity, and of the least normal number. */
#define F32_MAGNITUDE 0x7fffffffu
#define F32_INFINITY 0x7f800000u
#define F32_NORMAL 0x00800000u
#define F64_MAGNITUDE UINT64_C(0x7fffffffffffffff)
#define F64_INFINITY UINT64_C(0x7ff0000000000000)
#define F64_NORMAL UINT64_C(0x0010000000000000)

#define IS_FINITE(x, T) ((x) < T##_INFINITY)
#define IS_INFINITE(x, T) ((x) == T##_INFINITY)
#define IS_NUMBER(x, T) ((x) <= T##_INFINITY)
#define IS_NOT_A_NUMBER(x, T) ((x) > T##_INFINITY)
#define IS_NORMAL(x, T) (((x) >= T##_NORMAL && (x) < T##_INFINITY) || (x) == 0) /* zero counts as normal */
#define IS_SUBNORMAL(x, T) ((x) < T##_NORMAL && (x) != 0)

#define CLASSES(name, condition)               \
    CLASS(name, f32, uint32_t, F32, condition) \
    CLASS(name, f64, uint64_t, F64, condition)

CLASSES(finite, IS_FINITE)
CLASSES(infinite, IS_INFINITE)
CLASSES(number, IS_NUMBER)
CLASSES(notanumber, IS_NOT_A_NUMBER)
CLASSES(normal, IS_NORMAL)
CLASSES(subnormal, IS_SUBNORMAL)

/* testp: asks for the class of a number. */
haul_status LOWER(TESTP)(sim_lowering *l, const ptx_instruction *i) {
    static const sim_handler handlers[PTX_MOD_COUNT][2] = {
        [PTX_MOD_FINITE] = {finite_f32, finite_f64}, [PTX_MOD_INFINITE] = {infinite_f32, infinite_f64},
        [PTX_MOD_NUMBER] = {number_f32, number_f64}, [PTX_MOD_NOTANUMBER] = {notanumber_f32, notanumber_f64},
        [PTX_MOD_NORMAL] = {normal_f32, normal_f64}, [PTX_MOD_SUBNORMAL] = {subnormal_f32, subnormal_f64},
    };
    return sim_lower_unary(l, i, handlers[i->mods[PTX_SLOT_CLASS]][i->type == PTX_F64]);
}
