/* The approximate functions of single and double precision, bit for bit as in hardware: the results of its unit
 * (ops/mufu.h), plus the code that ptxas adds to instructions that keep subnormals.
 *
 * With .ftz an instruction is the unit alone. Without, machine code scales an argument or a result that the unit would
 * flush, by powers of two, so that no other rounding enters. That code was read off ptxas's output. */
#include "exec/ops/lanes.h"
#include "exec/ops/mufu.h"

#define SMALLEST 0x1p-126f /* the smallest normal number */

/* Scales a subnormal argument by 2^24. */
static SIM_INLINED float lift(float a) {
    return __builtin_fabsf(a) < SMALLEST ? 0x1p24f : 1.0f;
}

/* Each of these scales where the unit would flush: here the argument, or a result that would be subnormal. */
static SIM_INLINED float reciprocal(float a) {
    const float by = __builtin_fabsf(a) > 0x1p126f ? 0.25f : lift(a);
    return canonical_f32(by * sim_mufu_reciprocal(a * by));
}
static SIM_INLINED float inverse_root(float a) {
    const float by = lift(a);
    return canonical_f32(sim_mufu_inverse_root(a * by) * (by > 1.0f ? 0x1p12f : 1.0f));
}
static SIM_INLINED float root(float a) {
    const float by = lift(a);
    return canonical_f32(sim_mufu_root(a * by) * (by > 1.0f ? 0x1p-12f : 1.0f));
}
static SIM_INLINED float logarithm(float a) {
    const float by = lift(a);
    return canonical_f32(sim_mufu_logarithm(a * by) - (by > 1.0f ? 24.0f : 0.0f));
}
/* A subnormal result is the square of the result for half the argument. */
static SIM_INLINED float exponential(float a) {
    const bool halved = a < -126.0f;
    const float result = sim_mufu_exponential(halved ? a * 0.5f : a);
    return canonical_f32(halved ? result * result : result);
}

/* Turns of 2 pi, rounded towards zero. The product of two floats is exact in double precision. */
static SIM_INLINED float turns_of(float a) {
    const double exact = (double)a * (double)0x1.45f306p-3f;
    const uint64_t bits = bits_of_f64(exact);
    return flush_f32((float)f64_of_bits(bits & ~((UINT64_C(1) << 29) - 1)));
}

SIM_UNARY(rcp_plain, float, float, reciprocal(a))
SIM_UNARY(rcp_ftz, float, float, sim_mufu_reciprocal(a))
SIM_UNARY(rsqrt_plain, float, float, inverse_root(a))
SIM_UNARY(rsqrt_ftz, float, float, sim_mufu_inverse_root(a))
SIM_UNARY(sqrt_plain, float, float, root(a))
SIM_UNARY(sqrt_ftz, float, float, sim_mufu_root(a))
SIM_UNARY(lg2_plain, float, float, logarithm(a))
SIM_UNARY(lg2_ftz, float, float, sim_mufu_logarithm(a))
SIM_UNARY(ex2_plain, float, float, exponential(a))
SIM_UNARY(ex2_ftz, float, float, sim_mufu_exponential(a))
SIM_UNARY(sine, float, float, sim_mufu_sine_from(turns_of(a), 0))
SIM_UNARY(cosine, float, float, sim_mufu_sine_from(turns_of(a), 1))
SIM_UNARY(tangent, float, float, sim_mufu_tangent(a))

/* ---- double precision ---- */

/* Without .ftz, ptxas adds one step of refinement: within 1 ulp. */
static SIM_INLINED double refined_rsqrt(double a) {
    const bool subnormal = __builtin_fabs(a) < 0x1p-1022;
    const double lifted = subnormal ? a * 0x1p54 : a;
    const double first = sim_mufu_inverse_root_f64(lifted);
    const double error = __builtin_fma(lifted, -(first * first), 1.0);
    const double result = __builtin_fma(__builtin_fma(error, 0.375, 0.5), first * error, first);
    const double scaled = subnormal ? result * 0x1p27 : result;
    return a > 0.0 && a < __builtin_inf() ? scaled : canonical_f64(1.0 / __builtin_sqrt(a));
}
SIM_UNARY(rcp_f64, double, double, sim_mufu_reciprocal_f64(a))
SIM_UNARY(rsqrt_f64, double, double, refined_rsqrt(a))
SIM_UNARY(rsqrt_ftz_f64, double, double, sim_mufu_inverse_root_f64(a))

/* Lowers to one of two handlers of the instruction's type. */
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
    return sim_lower_unary(l, i, sine);
}
haul_status LOWER(COS)(sim_lowering *l, const ptx_instruction *i) {
    return sim_lower_unary(l, i, cosine);
}
haul_status LOWER(LG2)(sim_lowering *l, const ptx_instruction *i) {
    return lower_approximate(l, i, lg2_plain, lg2_ftz);
}
haul_status LOWER(EX2)(sim_lowering *l, const ptx_instruction *i) {
    return lower_approximate(l, i, ex2_plain, ex2_ftz);
}
haul_status LOWER(TANH)(sim_lowering *l, const ptx_instruction *i) {
    return sim_lower_unary(l, i, tangent);
}

/* ---- division ---- */

/* Multiplies a by the unit's reciprocal of b. If that would be subnormal, .full divides both by 4; if b is subnormal,
 * both are scaled by 2^24. */
static SIM_INLINED float divide(float a, float b) {
    const float by = lift(b);
    return canonical_f32(sim_mufu_reciprocal(b * by) * (a * by));
}
static SIM_INLINED float divide_ftz(float a, float b) {
    return canonical_f32(multiply_flushing(flush_f32(a), sim_mufu_reciprocal(b)));
}
static SIM_INLINED float divide_fully(float a, float b) {
    const float by = __builtin_fabsf(b) > 0x1p126f ? 0.25f : lift(b);
    return canonical_f32(sim_mufu_reciprocal(b * by) * (a * by));
}
static SIM_INLINED float divide_fully_ftz(float a, float b) {
    const float by = __builtin_fabsf(b) > 0x1p126f ? 0.25f : 1.0f;
    return divide_ftz(flush_f32(a) * by, b * by);
}
SIM_BINARY(div_approx, float, float, divide(a, b))
SIM_BINARY(div_approx_ftz, float, float, divide_ftz(a, b))
SIM_BINARY(div_full, float, float, divide_fully(a, b))
SIM_BINARY(div_full_ftz, float, float, divide_fully_ftz(a, b))

haul_status LOWER(FDIV_APPROX)(sim_lowering *l, const ptx_instruction *i) {
    static const sim_handler handlers[2][2] = {{div_full, div_full_ftz}, {div_approx, div_approx_ftz}};
    const bool approximate = i->mods[PTX_SLOT_PRECISION] == PTX_MOD_APPROX;
    return sim_lower_binary(l, i, handlers[approximate][i->mods[PTX_SLOT_FTZ] != 0]);
}
