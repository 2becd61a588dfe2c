/* The approximate functions of single and double precision, bit for bit as in hardware: handlers of the functions in
 * lower/mufu.def. */
#include "exec/ops/lanes.h"
#include "exec/ops/mufu.h"

#define APPROXIMATE(id, name, plain, ftz)                       \
    SIM_UNARY(name##_plain, float, float, canonical_f32(plain)) \
    SIM_UNARY(name##_ftz, float, float, ftz)
#include "lower/mufu.def"

/* ---- double precision ---- */

/* Without .ftz, ptxas adds one step of refinement: within 1 ulp. */
static SIM_INLINED double refined_rsqrt(double a) {
    const bool subnormal = __builtin_fabs(a) < 0x1p-1022;
    const double lifted = subnormal ? a * 0x1p54 : a;
    const double first = mufu_inverse_root_f64(lifted);
    const double error = __builtin_fma(lifted, -(first * first), 1.0);
    const double result = __builtin_fma(__builtin_fma(error, 0.375, 0.5), first * error, first);
    const double scaled = subnormal ? result * 0x1p27 : result;
    return a > 0.0 && a < __builtin_inf() ? scaled : canonical_f64(1.0 / __builtin_sqrt(a));
}
SIM_UNARY(rcp_f64, double, double, mufu_reciprocal_f64(a))
SIM_UNARY(rsqrt_f64, double, double, refined_rsqrt(a))
SIM_UNARY(rsqrt_ftz_f64, double, double, mufu_inverse_root_f64(a))

/* rcp, or rsqrt. */
static haul_status lower_double(sim_lowering *l, const ptx_instruction *i) {
    if (i->op == PTX_OP_RCP_APPROX) return sim_lower_unary(l, i, rcp_f64);
    return sim_lower_unary(l, i, i->mods[PTX_SLOT_FTZ] ? rsqrt_ftz_f64 : rsqrt_f64);
}

#define APPROXIMATE(id, name, plain, ftz)                                                \
    haul_status LOWER(id)(sim_lowering * l, const ptx_instruction *i) {                  \
        if (i->type == PTX_F64) return lower_double(l, i);                               \
        return sim_lower_unary(l, i, i->mods[PTX_SLOT_FTZ] ? name##_ftz : name##_plain); \
    }
#include "lower/mufu.def"

/* ---- division ---- */

#define QUOTIENT(flushes, is_full) canonical_f32(CALL(quotient, a, b, flushes, is_full))
SIM_BINARY(div_full, float, float, QUOTIENT(false, true))
SIM_BINARY(div_full_ftz, float, float, QUOTIENT(true, true))
SIM_BINARY(div_approx, float, float, QUOTIENT(false, false))
SIM_BINARY(div_approx_ftz, float, float, QUOTIENT(true, false))

haul_status LOWER(FDIV_APPROX)(sim_lowering *l, const ptx_instruction *i) {
    static const sim_handler handlers[2][2] = {{div_full, div_full_ftz}, {div_approx, div_approx_ftz}};
    const bool approximate = i->mods[PTX_SLOT_PRECISION] == PTX_MOD_APPROX;
    return sim_lower_binary(l, i, handlers[approximate][i->mods[PTX_SLOT_FTZ] != 0]);
}
