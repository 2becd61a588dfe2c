/* Extended-precision arithmetic: the carry flag CC.CF is a predicate with a bit for each lane. A difference is computed
 * as the sum with the complement, so the flag is 0 after a borrow. PTX does not specify this, but nvcc's 128-bit
 * division adds the flag after a subtraction. */
#include "exec/ops/lanes.h"
#include "exec/ops/wide.h"
#include "state/lanes.h"

/* handler `name`: d = expression of a, b, c and the carry in, which is 0 or 1; `carry` is the carry out. The carry out
 * goes to predicate op->x. */
#define CARRYING(name, U, expression, carry)                                   \
    static inline U name##_sum(U a, U b, U c, U in) {                          \
        (void)c;                                                               \
        return (U)(expression);                                                \
    }                                                                          \
    static inline bool name##_out(U a, U b, U c, U in) {                       \
        (void)c;                                                               \
        return (carry);                                                        \
    }                                                                          \
    static sim_step name(sim_warp *w, const sim_op *op, uint32_t active) {     \
        U *d = SIM_SLOT(w, U, op->d);                                          \
        const U *a = SIM_SLOT(w, U, op->a);                                    \
        const U *b = SIM_SLOT(w, U, op->b);                                    \
        const U *c = SIM_SLOT(w, U, op->c);                                    \
        const uint32_t in = SIM_PREDICATE(w, op->y);                           \
        uint32_t out;                                                          \
        SIM_GATHER_LANES(out, name##_out(a[l], b[l], c[l], in >> l & 1));      \
        SIM_STORE_LANES(d, active, name##_sum(a[l], b[l], c[l], in >> l & 1)); \
        sim_set_predicate(w, op->x, out, active);                              \
        return SIM_NEXT;                                                       \
    }

/* Whether x + y + in overflows. */
#define CARRIES(U, x, y) ((U)((U)(x) + (y)) < (U)(x) || ((U)((U)(x) + (y) + in) < (U)in))

/* The low or the high half of a product. */
#define LOW_32(a, b) ((a) * (b))
#define LOW_64(a, b) ((a) * (b))
#define HIGH_u32(a, b) ((uint32_t)((uint64_t)(a) * (b) >> 32))
#define HIGH_s32(a, b) ((uint32_t)((int64_t)(int32_t)(a) * (int32_t)(b) >> 32))
#define HIGH_u64(a, b) ((uint64_t)((sim_u128)(a) * (b) >> 64))
#define HIGH_s64(a, b) ((uint64_t)((sim_s128)(int64_t)(a) * (int64_t)(b) >> 64))

CARRYING(add_32, uint32_t, a + b + in, CARRIES(uint32_t, a, b))
CARRYING(add_64, uint64_t, a + b + in, CARRIES(uint64_t, a, b))
CARRYING(sub_32, uint32_t, a + ~b + in, CARRIES(uint32_t, a, ~b))
CARRYING(sub_64, uint64_t, a + ~b + in, CARRIES(uint64_t, a, ~b))
CARRYING(mad_lo_32, uint32_t, LOW_32(a, b) + c + in, CARRIES(uint32_t, LOW_32(a, b), c))
CARRYING(mad_lo_64, uint64_t, LOW_64(a, b) + c + in, CARRIES(uint64_t, LOW_64(a, b), c))
CARRYING(mad_hi_u32, uint32_t, HIGH_u32(a, b) + c + in, CARRIES(uint32_t, HIGH_u32(a, b), c))
CARRYING(mad_hi_s32, uint32_t, HIGH_s32(a, b) + c + in, CARRIES(uint32_t, HIGH_s32(a, b), c))
CARRYING(mad_hi_u64, uint64_t, HIGH_u64(a, b) + c + in, CARRIES(uint64_t, HIGH_u64(a, b), c))
CARRYING(mad_hi_s64, uint64_t, HIGH_s64(a, b) + c + in, CARRIES(uint64_t, HIGH_s64(a, b), c))

/* `in`: the slot of the carry in. .cc writes the flag; otherwise the carry out is discarded. */
static haul_status lower_carrying(sim_lowering *l, const ptx_instruction *i, sim_handlers handlers, uint32_t in) {
    const unsigned third = i->operand_count > 3 ? i->type : PTX_TYPE_NONE;
    sim_op *op = sim_emit_with(l, i, handlers[i->type], i->type, i->type, third);
    if (!op) return HAUL_ERROR_UNSUPPORTED;
    op->x = i->mods[PTX_SLOT_CARRY] ? SIM_SLOT_CARRY : SIM_SLOT_SINK;
    op->y = in;
    return HAUL_OK;
}

/* Low halves of products and sums are the same with and without a sign. */
#define SIGNLESS(name) [PTX_U32] = name##_32, [PTX_S32] = name##_32, [PTX_U64] = name##_64, [PTX_S64] = name##_64
static sim_handlers adding = {SIGNLESS(add)};
static sim_handlers subtracting = {SIGNLESS(sub)};
static sim_handlers multiplying_low = {SIGNLESS(mad_lo)};
static sim_handlers multiplying_high = {
    [PTX_U32] = mad_hi_u32, [PTX_S32] = mad_hi_s32, [PTX_U64] = mad_hi_u64, [PTX_S64] = mad_hi_s64};

/* The carry in: none, the flag, or for a difference one more, since it adds the complement. */
haul_status LOWER(ADD_CC)(sim_lowering *l, const ptx_instruction *i) {
    return lower_carrying(l, i, adding, SIM_SLOT_FALSE);
}

haul_status LOWER(SUB_CC)(sim_lowering *l, const ptx_instruction *i) {
    return lower_carrying(l, i, subtracting, SIM_SLOT_TRUE);
}

haul_status LOWER(ADDC)(sim_lowering *l, const ptx_instruction *i) {
    return lower_carrying(l, i, adding, SIM_SLOT_CARRY);
}

haul_status LOWER(SUBC)(sim_lowering *l, const ptx_instruction *i) {
    return lower_carrying(l, i, subtracting, SIM_SLOT_CARRY);
}

haul_status LOWER(MAD_CC)(sim_lowering *l, const ptx_instruction *i) {
    const bool low = i->mods[PTX_SLOT_MODE] == PTX_MOD_LO;
    return lower_carrying(l, i, low ? multiplying_low : multiplying_high, SIM_SLOT_FALSE);
}

haul_status LOWER(MADC)(sim_lowering *l, const ptx_instruction *i) {
    const bool low = i->mods[PTX_SLOT_MODE] == PTX_MOD_LO;
    return lower_carrying(l, i, low ? multiplying_low : multiplying_high, SIM_SLOT_CARRY);
}
