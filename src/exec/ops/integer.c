/* Integer arithmetic. If the sign does not affect the bits, one handler serves both types. */
#include "exec/ops/lanes.h"
#include "exec/ops/wide.h"

/* ---- addition and subtraction ---- */

static inline uint32_t pairwise(uint32_t low, uint32_t high) {
    return (low & 0xffff) | high << 16;
}

SIM_BINARY(add_16, uint16_t, uint16_t, a + b)
SIM_BINARY(add_32, uint32_t, uint32_t, a + b)
SIM_BINARY(add_64, uint64_t, uint64_t, a + b)
SIM_BINARY(add_16x2, uint32_t, uint32_t, pairwise(a + b, (a >> 16) + (b >> 16)))
SIM_BINARY(add_sat_s32, int32_t, int32_t, clamp_s32((int64_t)a + b))
SIM_BINARY(sub_16, uint16_t, uint16_t, a - b)
SIM_BINARY(sub_32, uint32_t, uint32_t, a - b)
SIM_BINARY(sub_64, uint64_t, uint64_t, a - b)
SIM_BINARY(sub_sat_s32, int32_t, int32_t, clamp_s32((int64_t)a - b))

haul_status LOWER(ADD)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers plain = {SIM_BY_WIDTH(add), [PTX_U16X2] = add_16x2, [PTX_S16X2] = add_16x2};
    static sim_handlers saturating = {[PTX_S32] = add_sat_s32};
    return sim_lower_binary(l, i, (i->mods[PTX_SLOT_SAT] ? saturating : plain)[i->type]);
}

haul_status LOWER(SUB)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers plain = {SIM_BY_WIDTH(sub)};
    static sim_handlers saturating = {[PTX_S32] = sub_sat_s32};
    return sim_lower_binary(l, i, (i->mods[PTX_SLOT_SAT] ? saturating : plain)[i->type]);
}

/* ---- products ---- */

SIM_BINARY(mul_lo_16, uint16_t, uint16_t, (uint32_t)a *b)
SIM_BINARY(mul_lo_32, uint32_t, uint32_t, a *b)
SIM_BINARY(mul_lo_64, uint64_t, uint64_t, a *b)
SIM_BINARY(mul_hi_u16, uint16_t, uint16_t, (uint32_t)a *b >> 16)
SIM_BINARY(mul_hi_s16, int16_t, int16_t, a *b >> 16)
SIM_BINARY(mul_hi_u32, uint32_t, uint32_t, (uint64_t)a *b >> 32)
SIM_BINARY(mul_hi_s32, int32_t, int32_t, (int64_t)a *b >> 32)
SIM_BINARY(mul_hi_u64, uint64_t, uint64_t, multiply_high_u64(a, b))
SIM_BINARY(mul_hi_s64, int64_t, int64_t, multiply_high_s64(a, b))
SIM_BINARY(mul_wide_u16, uint32_t, uint16_t, (uint32_t)a *b)
SIM_BINARY(mul_wide_s16, int32_t, int16_t, a *b)
SIM_BINARY(mul_wide_u32, uint64_t, uint32_t, (uint64_t)a *b)
SIM_BINARY(mul_wide_s32, int64_t, int32_t, (int64_t)a *b)

haul_status LOWER(MUL)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers low = {SIM_BY_WIDTH(mul_lo)}, high = {SIM_BY_SIGN(mul_hi)};
    return sim_lower_binary(l, i, (i->mods[PTX_SLOT_MODE] == PTX_MOD_LO ? low : high)[i->type]);
}

haul_status LOWER(MUL_WIDE)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers wide = {
        [PTX_U16] = mul_wide_u16, [PTX_S16] = mul_wide_s16, [PTX_U32] = mul_wide_u32, [PTX_S32] = mul_wide_s32};
    return sim_lower_binary(l, i, wide[i->type]);
}

SIM_TERNARY(mad_lo_16, uint16_t, uint16_t, (uint32_t)a *b + c)
SIM_TERNARY(mad_lo_32, uint32_t, uint32_t, a *b + c)
SIM_TERNARY(mad_lo_64, uint64_t, uint64_t, a *b + c)
SIM_TERNARY(mad_hi_u16, uint16_t, uint16_t, ((uint32_t)a * b >> 16) + c)
SIM_TERNARY(mad_hi_s16, int16_t, int16_t, (a * b >> 16) + c)
SIM_TERNARY(mad_hi_u32, uint32_t, uint32_t, ((uint64_t)a * b >> 32) + c)
SIM_TERNARY(mad_hi_s32, int32_t, int32_t, ((int64_t)a * b >> 32) + c)
SIM_TERNARY(mad_hi_u64, uint64_t, uint64_t, multiply_high_u64(a, b) + c)
SIM_TERNARY(mad_hi_s64, int64_t, int64_t, (uint64_t)multiply_high_s64(a, b) + (uint64_t)c)
SIM_TERNARY(mad_hi_sat_s32, int32_t, int32_t, clamp_s32(((int64_t)a * b >> 32) + c))
SIM_TERNARY_OF(mad_wide_u16, uint32_t, uint16_t, uint16_t, uint32_t, (uint32_t)a *b + c)
SIM_TERNARY_OF(mad_wide_s16, uint32_t, int16_t, int16_t, uint32_t, (uint32_t)(a *b) + c)
SIM_TERNARY_OF(mad_wide_u32, uint64_t, uint32_t, uint32_t, uint64_t, (uint64_t)a *b + c)
SIM_TERNARY_OF(mad_wide_s32, uint64_t, int32_t, int32_t, uint64_t, (uint64_t)((int64_t)a *b) + c)

haul_status LOWER(MAD)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers low = {SIM_BY_WIDTH(mad_lo)}, high = {SIM_BY_SIGN(mad_hi)};
    static sim_handlers high_saturating = {[PTX_S32] = mad_hi_sat_s32}, none = {NULL};
    const bool saturates = i->mods[PTX_SLOT_SAT] != 0;
    if (i->mods[PTX_SLOT_MODE] == PTX_MOD_LO) return sim_lower_ternary(l, i, (saturates ? none : low)[i->type]);
    return sim_lower_ternary(l, i, (saturates ? high_saturating : high)[i->type]);
}

haul_status LOWER(MAD_WIDE)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers wide = {
        [PTX_U16] = mad_wide_u16, [PTX_S16] = mad_wide_s16, [PTX_U32] = mad_wide_u32, [PTX_S32] = mad_wide_s32};
    const unsigned type = i->type, sum = ptx_bits(type) == 16 ? PTX_U32 : PTX_U64;
    return sim_emitted(sim_emit_with(l, i, wide[type], type, type, sum));
}

/* Returns the 48-bit product of the operands' low 24 bits. */
static inline uint64_t product24_u32(uint32_t a, uint32_t b) {
    return (uint64_t)(a & 0xffffff) * (b & 0xffffff);
}
static inline int64_t product24_s32(uint32_t a, uint32_t b) {
    return (int64_t)((int32_t)(a << 8) >> 8) * ((int32_t)(b << 8) >> 8);
}

SIM_BINARY(mul24_lo_u32, uint32_t, uint32_t, product24_u32(a, b))
SIM_BINARY(mul24_lo_s32, uint32_t, uint32_t, product24_s32(a, b))
SIM_BINARY(mul24_hi_u32, uint32_t, uint32_t, product24_u32(a, b) >> 16)
SIM_BINARY(mul24_hi_s32, uint32_t, uint32_t, product24_s32(a, b) >> 16)
SIM_TERNARY(mad24_lo_u32, uint32_t, uint32_t, product24_u32(a, b) + c)
SIM_TERNARY(mad24_lo_s32, uint32_t, uint32_t, product24_s32(a, b) + c)
SIM_TERNARY(mad24_hi_u32, uint32_t, uint32_t, (product24_u32(a, b) >> 16) + c)
SIM_TERNARY(mad24_hi_s32, uint32_t, uint32_t, (product24_s32(a, b) >> 16) + c)
SIM_TERNARY(mad24_hi_sat_s32, int32_t, uint32_t, clamp_s32((product24_s32(a, b) >> 16) + (int32_t)c))

haul_status LOWER(MUL24)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers low = {[PTX_U32] = mul24_lo_u32, [PTX_S32] = mul24_lo_s32};
    static sim_handlers high = {[PTX_U32] = mul24_hi_u32, [PTX_S32] = mul24_hi_s32};
    return sim_lower_binary(l, i, (i->mods[PTX_SLOT_MODE] == PTX_MOD_LO ? low : high)[i->type]);
}

haul_status LOWER(MAD24)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers low = {[PTX_U32] = mad24_lo_u32, [PTX_S32] = mad24_lo_s32};
    static sim_handlers high = {[PTX_U32] = mad24_hi_u32, [PTX_S32] = mad24_hi_s32};
    static sim_handlers high_saturating = {[PTX_S32] = mad24_hi_sat_s32}, none = {NULL};
    const bool saturates = i->mods[PTX_SLOT_SAT] != 0;
    if (i->mods[PTX_SLOT_MODE] == PTX_MOD_LO) return sim_lower_ternary(l, i, (saturates ? none : low)[i->type]);
    return sim_lower_ternary(l, i, (saturates ? high_saturating : high)[i->type]);
}

/* ---- dot products of packed bytes ---- */

#define BYTE(T, x, n) ((int32_t)(T)((x) >> 8 * (n)))
#define HALF(T, x, n) ((int32_t)(T)((x) >> 16 * (n)))
#define DOT4(A, B)                                                                                              \
    ((uint32_t)(BYTE(A, a, 0) * BYTE(B, b, 0) + BYTE(A, a, 1) * BYTE(B, b, 1) + BYTE(A, a, 2) * BYTE(B, b, 2) + \
                BYTE(A, a, 3) * BYTE(B, b, 3)) +                                                                \
     c)
#define DOT2(A, B, first) ((uint32_t)(HALF(A, a, 0) * BYTE(B, b, first) + HALF(A, a, 1) * BYTE(B, b, (first) + 1)) + c)

SIM_TERNARY(dp4a_uu, uint32_t, uint32_t, DOT4(uint8_t, uint8_t))
SIM_TERNARY(dp4a_us, uint32_t, uint32_t, DOT4(uint8_t, int8_t))
SIM_TERNARY(dp4a_su, uint32_t, uint32_t, DOT4(int8_t, uint8_t))
SIM_TERNARY(dp4a_ss, uint32_t, uint32_t, DOT4(int8_t, int8_t))
SIM_TERNARY(dp2a_lo_uu, uint32_t, uint32_t, DOT2(uint16_t, uint8_t, 0))
SIM_TERNARY(dp2a_lo_us, uint32_t, uint32_t, DOT2(uint16_t, int8_t, 0))
SIM_TERNARY(dp2a_lo_su, uint32_t, uint32_t, DOT2(int16_t, uint8_t, 0))
SIM_TERNARY(dp2a_lo_ss, uint32_t, uint32_t, DOT2(int16_t, int8_t, 0))
SIM_TERNARY(dp2a_hi_uu, uint32_t, uint32_t, DOT2(uint16_t, uint8_t, 2))
SIM_TERNARY(dp2a_hi_us, uint32_t, uint32_t, DOT2(uint16_t, int8_t, 2))
SIM_TERNARY(dp2a_hi_su, uint32_t, uint32_t, DOT2(int16_t, uint8_t, 2))
SIM_TERNARY(dp2a_hi_ss, uint32_t, uint32_t, DOT2(int16_t, int8_t, 2))

/* Indexed by: a is signed, b is signed. */
static haul_status lower_dot(sim_lowering *l, const ptx_instruction *i, const sim_handler by_sign[2][2]) {
    return sim_lower_ternary(l, i, by_sign[i->type == PTX_S32][i->type2 == PTX_S32]);
}

haul_status LOWER(DP4A)(sim_lowering *l, const ptx_instruction *i) {
    static const sim_handler by_sign[2][2] = {{dp4a_uu, dp4a_us}, {dp4a_su, dp4a_ss}};
    return lower_dot(l, i, by_sign);
}

haul_status LOWER(DP2A)(sim_lowering *l, const ptx_instruction *i) {
    static const sim_handler low[2][2] = {{dp2a_lo_uu, dp2a_lo_us}, {dp2a_lo_su, dp2a_lo_ss}};
    static const sim_handler high[2][2] = {{dp2a_hi_uu, dp2a_hi_us}, {dp2a_hi_su, dp2a_hi_ss}};
    return lower_dot(l, i, i->mods[PTX_SLOT_MODE] == PTX_MOD_LO ? low : high);
}

/* ---- division ---- */

/* If b is 0, the result is all ones, as in NVIDIA's division routines. */
SIM_BINARY(div_u16, uint16_t, uint16_t, quotient_u32(a, b))
SIM_BINARY(div_s16, int16_t, int16_t, quotient_s32(a, b))
SIM_BINARY(div_u32, uint32_t, uint32_t, quotient_u32(a, b))
SIM_BINARY(div_s32, int32_t, int32_t, quotient_s32(a, b))
SIM_BINARY(div_u64, uint64_t, uint64_t, quotient_u64(a, b))
SIM_BINARY(div_s64, int64_t, int64_t, quotient_s64(a, b))
SIM_BINARY(rem_u16, uint16_t, uint16_t, remainder_u32(a, b))
SIM_BINARY(rem_s16, int16_t, int16_t, remainder_s32(a, b))
SIM_BINARY(rem_u32, uint32_t, uint32_t, remainder_u32(a, b))
SIM_BINARY(rem_s32, int32_t, int32_t, remainder_s32(a, b))
SIM_BINARY(rem_u64, uint64_t, uint64_t, remainder_u64(a, b))
SIM_BINARY(rem_s64, int64_t, int64_t, remainder_s64(a, b))

haul_status LOWER(DIV)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers handlers = {SIM_BY_SIGN(div)};
    return sim_lower_binary(l, i, handlers[i->type]);
}

haul_status LOWER(REM)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers handlers = {SIM_BY_SIGN(rem)};
    return sim_lower_binary(l, i, handlers[i->type]);
}

/* ---- signs and order ---- */

SIM_UNARY(abs_s16, int16_t, int16_t, a < 0 ? -a : a)
SIM_UNARY(abs_s32, uint32_t, int32_t, a < 0 ? 0 - (uint32_t)a : (uint32_t)a)
SIM_UNARY(abs_s64, uint64_t, int64_t, a < 0 ? 0 - (uint64_t)a : (uint64_t)a)
SIM_UNARY(neg_s16, int16_t, int16_t, -a)
SIM_UNARY(neg_s32, uint32_t, uint32_t, 0 - a)
SIM_UNARY(neg_s64, uint64_t, uint64_t, 0 - a)

haul_status LOWER(ABS)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers handlers = {[PTX_S16] = abs_s16, [PTX_S32] = abs_s32, [PTX_S64] = abs_s64};
    return sim_lower_unary(l, i, handlers[i->type]);
}

haul_status LOWER(NEG)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers handlers = {[PTX_S16] = neg_s16, [PTX_S32] = neg_s32, [PTX_S64] = neg_s64};
    return sim_lower_unary(l, i, handlers[i->type]);
}

/* Applies T to each half. */
#define LESSER(a, b) ((a) < (b) ? (a) : (b))
#define GREATER(a, b) ((a) > (b) ? (a) : (b))
#define PAIRWISE(T, choose) \
    pairwise((uint32_t)choose(HALF(T, a, 0), HALF(T, b, 0)), (uint32_t)choose(HALF(T, a, 1), HALF(T, b, 1)))
/* .relu: negative results become 0. */
#define RELU_LESSER(a, b) GREATER(LESSER(a, b), 0)
#define RELU_GREATER(a, b) GREATER(GREATER(a, b), 0)

#define ORDER(name, choose)                                                  \
    SIM_BINARY(name##_u16, uint16_t, uint16_t, choose(a, b))                 \
    SIM_BINARY(name##_s16, int16_t, int16_t, choose(a, b))                   \
    SIM_BINARY(name##_u32, uint32_t, uint32_t, choose(a, b))                 \
    SIM_BINARY(name##_s32, int32_t, int32_t, choose(a, b))                   \
    SIM_BINARY(name##_u64, uint64_t, uint64_t, choose(a, b))                 \
    SIM_BINARY(name##_s64, int64_t, int64_t, choose(a, b))                   \
    SIM_BINARY(name##_u16x2, uint32_t, uint32_t, PAIRWISE(uint16_t, choose)) \
    SIM_BINARY(name##_s16x2, uint32_t, uint32_t, PAIRWISE(int16_t, choose))

ORDER(min, LESSER)
ORDER(max, GREATER)
SIM_BINARY(min_relu_s32, int32_t, int32_t, RELU_LESSER(a, b))
SIM_BINARY(max_relu_s32, int32_t, int32_t, RELU_GREATER(a, b))
SIM_BINARY(min_relu_s16x2, uint32_t, uint32_t, PAIRWISE(int16_t, RELU_LESSER))
SIM_BINARY(max_relu_s16x2, uint32_t, uint32_t, PAIRWISE(int16_t, RELU_GREATER))

haul_status LOWER(MIN)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers plain = {SIM_BY_SIGN(min), [PTX_U16X2] = min_u16x2, [PTX_S16X2] = min_s16x2};
    static sim_handlers relu = {[PTX_S32] = min_relu_s32, [PTX_S16X2] = min_relu_s16x2};
    return sim_lower_binary(l, i, (i->mods[PTX_SLOT_RELU] ? relu : plain)[i->type]);
}

haul_status LOWER(MAX)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers plain = {SIM_BY_SIGN(max), [PTX_U16X2] = max_u16x2, [PTX_S16X2] = max_s16x2};
    static sim_handlers relu = {[PTX_S32] = max_relu_s32, [PTX_S16X2] = max_relu_s16x2};
    return sim_lower_binary(l, i, (i->mods[PTX_SLOT_RELU] ? relu : plain)[i->type]);
}

#define DISTANCE(U, a, b) ((a) < (b) ? (U)((U)(b) - (U)(a)) : (U)((U)(a) - (U)(b)))

SIM_TERNARY(sad_u16, uint16_t, uint16_t, c + DISTANCE(uint16_t, a, b))
SIM_TERNARY(sad_s16, uint16_t, int16_t, (uint16_t)c + DISTANCE(uint16_t, a, b))
SIM_TERNARY(sad_u32, uint32_t, uint32_t, c + DISTANCE(uint32_t, a, b))
SIM_TERNARY(sad_s32, uint32_t, int32_t, (uint32_t)c + DISTANCE(uint32_t, a, b))
SIM_TERNARY(sad_u64, uint64_t, uint64_t, c + DISTANCE(uint64_t, a, b))
SIM_TERNARY(sad_s64, uint64_t, int64_t, (uint64_t)c + DISTANCE(uint64_t, a, b))

haul_status LOWER(SAD)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers handlers = {SIM_BY_SIGN(sad)};
    return sim_lower_ternary(l, i, handlers[i->type]);
}
