/* The approximate functions of single precision. They are computed in double precision and rounded: more accurate than
 * hardware, whose bit patterns PTX leaves open, with the special values that PTX lists. */
#include "sim/ops/functions.h"

#define APPROXIMATE(name, expression)                                         \
    SIM_UNARY(name##_plain, float, float, canonical_f32((float)(expression))) \
    static inline float name##_flushed(float unflushed) {                     \
        const float a = flush_f32(unflushed);                                 \
        return flush_f32(canonical_f32((float)(expression)));                 \
    }                                                                         \
    SIM_UNARY(name##_ftz, float, float, name##_flushed(a))

APPROXIMATE(rcp, 1.0 / (double)a)
APPROXIMATE(sqrt, __builtin_sqrt((double)a))
APPROXIMATE(rsqrt, 1.0 / __builtin_sqrt((double)a))
APPROXIMATE(sin, sim_sin((double)a))
APPROXIMATE(cos, sim_cos((double)a))
APPROXIMATE(lg2, sim_log2((double)a))
APPROXIMATE(ex2, sim_exp2((double)a))
APPROXIMATE(tanh, sim_tanh((double)a))

/* Double precision with .ftz gives the upper 32 bits of the result, the lower ones are zero; subnormals are flushed. */
static inline double upper_half(double x) {
    const uint64_t bits = bits_of_f64(x);
    return f64_of_bits(x != x ? UINT64_C(0x7fffffff00000000) : bits & UINT64_C(0xffffffff00000000));
}
SIM_UNARY(rcp_f64, double, double, upper_half(flush_f64(1.0 / flush_f64(a))))

/* Without .ftz it is the function of CUDA's library, within 1 ulp: machine code refines what .ftz gives. */
static inline double refined_rsqrt(double a) {
    const double first = 1.0 / __builtin_sqrt(a);
    const double error = __builtin_fma(-(a * first), first, 1.0);
    return error - error == 0.0 ? __builtin_fma(0.5 * first, error, first) : canonical_f64(first);
}
SIM_UNARY(rsqrt_f64, double, double, refined_rsqrt(a))
SIM_UNARY(rsqrt_ftz_f64, double, double, upper_half(1.0 / __builtin_sqrt(flush_f64(a))))

static haul_status lower_approximate(sim_lowering *l, const ptx_instruction *i, sim_handler plain, sim_handler ftz) {
    return sim_lower_unary(l, i, i->mods[PTX_SLOT_FTZ] ? ftz : plain);
}

haul_status LOWER(RCP_APPROX)(sim_lowering *l, const ptx_instruction *i) {
    if (i->type == PTX_F64) return sim_lower_unary(l, i, rcp_f64);
    return lower_approximate(l, i, rcp_plain, rcp_ftz);
}
haul_status LOWER(SQRT_APPROX)(sim_lowering *l, const ptx_instruction *i) {
    return lower_approximate(l, i, sqrt_plain, sqrt_ftz);
}
haul_status LOWER(RSQRT)(sim_lowering *l, const ptx_instruction *i) {
    if (i->type == PTX_F64) return lower_approximate(l, i, rsqrt_f64, rsqrt_ftz_f64);
    return lower_approximate(l, i, rsqrt_plain, rsqrt_ftz);
}
haul_status LOWER(SIN)(sim_lowering *l, const ptx_instruction *i) {
    return lower_approximate(l, i, sin_plain, sin_ftz);
}
haul_status LOWER(COS)(sim_lowering *l, const ptx_instruction *i) {
    return lower_approximate(l, i, cos_plain, cos_ftz);
}
haul_status LOWER(LG2)(sim_lowering *l, const ptx_instruction *i) {
    return lower_approximate(l, i, lg2_plain, lg2_ftz);
}
haul_status LOWER(EX2)(sim_lowering *l, const ptx_instruction *i) {
    return lower_approximate(l, i, ex2_plain, ex2_ftz);
}
haul_status LOWER(TANH)(sim_lowering *l, const ptx_instruction *i) {
    return lower_approximate(l, i, tanh_plain, tanh_ftz);
}

/* ---- division ---- */

/* .approx is a times the reciprocal of b, which is flushed when b is above 2^126: the quotient is then 0, or NaN for an
 * infinite a. .full is good over the whole range. */
static inline float divide_approximately(float a, float b) {
    const float reciprocal = 1.0f / b;
    return canonical_f32(__builtin_fabsf(b) > 0x1p126f ? a * (reciprocal * 0.0f) : (float)((double)a / (double)b));
}
static inline float divide_approximately_ftz(float a, float b) {
    return flush_f32(divide_approximately(flush_f32(a), flush_f32(b)));
}
static inline float divide_fully_ftz(float a, float b) {
    return flush_f32(canonical_f32(flush_f32(a) / flush_f32(b)));
}
SIM_BINARY(div_approx, float, float, divide_approximately(a, b))
SIM_BINARY(div_approx_ftz, float, float, divide_approximately_ftz(a, b))
SIM_BINARY(div_full, float, float, canonical_f32(a / b))
SIM_BINARY(div_full_ftz, float, float, divide_fully_ftz(a, b))

haul_status LOWER(FDIV_APPROX)(sim_lowering *l, const ptx_instruction *i) {
    static const sim_handler handlers[2][2] = {{div_full, div_full_ftz}, {div_approx, div_approx_ftz}};
    const bool approximate = i->mods[PTX_SLOT_PRECISION] == PTX_MOD_APPROX;
    return sim_lower_binary(l, i, handlers[approximate][i->mods[PTX_SLOT_FTZ] != 0]);
}
