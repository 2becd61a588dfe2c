/* Counting, finding and moving bits. */
#include "exec/ops/lanes.h"
#include "state/lanes.h"

/* Sums pairs, nibbles and bytes: few vector extensions have a population count. */
static inline uint32_t ones_in(uint32_t x) {
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    return x * 0x01010101u >> 24;
}

SIM_UNARY(popc_32, uint32_t, uint32_t, ones_in(a))
SIM_UNARY(popc_64, uint32_t, uint64_t, ones_in((uint32_t)a) + ones_in((uint32_t)(a >> 32)))
SIM_UNARY(clz_32, uint32_t, uint32_t, a ? __builtin_clz(a) : 32)
SIM_UNARY(clz_64, uint32_t, uint64_t, a ? __builtin_clzll(a) : 64)

haul_status LOWER(POPC)(sim_lowering *l, const ptx_instruction *i) {
    return sim_lower_unary(l, i, i->type == PTX_B32 ? popc_32 : popc_64);
}

haul_status LOWER(CLZ)(sim_lowering *l, const ptx_instruction *i) {
    return sim_lower_unary(l, i, i->type == PTX_B32 ? clz_32 : clz_64);
}

/* The highest one bit, or for a negative number the highest zero bit. All ones if there is none. */
#define HIGHEST_32(x) ((x) ? 31 - (uint32_t)__builtin_clz(x) : UINT32_MAX)
#define HIGHEST_64(x) ((x) ? 63 - (uint32_t)__builtin_clzll(x) : UINT32_MAX)
/* .shiftamt: the left shift that moves that bit to the top. */
#define SHIFT_32(x) ((x) ? (uint32_t)__builtin_clz(x) : UINT32_MAX)
#define SHIFT_64(x) ((x) ? (uint32_t)__builtin_clzll(x) : UINT32_MAX)
#define MAGNITUDE_32(x) ((x) >> 31 ? ~(x) : (x))
#define MAGNITUDE_64(x) ((x) >> 63 ? ~(x) : (x))

SIM_UNARY(bfind_u32, uint32_t, uint32_t, HIGHEST_32(a))
SIM_UNARY(bfind_s32, uint32_t, uint32_t, HIGHEST_32(MAGNITUDE_32(a)))
SIM_UNARY(bfind_u64, uint32_t, uint64_t, HIGHEST_64(a))
SIM_UNARY(bfind_s64, uint32_t, uint64_t, HIGHEST_64(MAGNITUDE_64(a)))
SIM_UNARY(bfind_shift_u32, uint32_t, uint32_t, SHIFT_32(a))
SIM_UNARY(bfind_shift_s32, uint32_t, uint32_t, SHIFT_32(MAGNITUDE_32(a)))
SIM_UNARY(bfind_shift_u64, uint32_t, uint64_t, SHIFT_64(a))
SIM_UNARY(bfind_shift_s64, uint32_t, uint64_t, SHIFT_64(MAGNITUDE_64(a)))

haul_status LOWER(BFIND)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers position = {
        [PTX_U32] = bfind_u32, [PTX_S32] = bfind_s32, [PTX_U64] = bfind_u64, [PTX_S64] = bfind_s64};
    static sim_handlers shift = {[PTX_U32] = bfind_shift_u32,
                                 [PTX_S32] = bfind_shift_s32,
                                 [PTX_U64] = bfind_shift_u64,
                                 [PTX_S64] = bfind_shift_s64};
    return sim_lower_unary(l, i, (i->mods[PTX_SLOT_SHIFTAMT] ? shift : position)[i->type]);
}

/* Returns the position of the |offset|-th set bit of mask from bit `base` on, upwards or downwards. Offset 0 tests bit
 * `base` itself. For INT32_MIN, whose magnitude overflows, hardware returns 0. */
static uint32_t find_nth_set(uint32_t mask, uint32_t base, int32_t offset) {
    if (offset == INT32_MIN) return 0;
    if (offset == 0) return base < 32 && mask >> base & 1 ? base : UINT32_MAX;
    uint32_t left = (uint32_t)(offset < 0 ? -offset : offset);
    for (uint32_t at = base; at < 32; at += offset < 0 ? UINT32_MAX : 1) {
        if (mask >> at & 1 && --left == 0) return at;
    }
    return UINT32_MAX;
}

SIM_TERNARY_OF(fns, uint32_t, uint32_t, uint32_t, int32_t, find_nth_set(a, b, c))

haul_status LOWER(FNS)(sim_lowering *l, const ptx_instruction *i) {
    return sim_emitted(sim_emit_with(l, i, fns, PTX_B32, PTX_U32, PTX_S32));
}

static inline uint32_t reverse_32(uint32_t x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}

SIM_UNARY(brev_32, uint32_t, uint32_t, reverse_32(a))
SIM_UNARY(brev_64, uint64_t, uint64_t, (uint64_t)reverse_32((uint32_t)a) << 32 | reverse_32((uint32_t)(a >> 32)))

haul_status LOWER(BREV)(sim_lowering *l, const ptx_instruction *i) {
    return sim_lower_unary(l, i, i->type == PTX_B32 ? brev_32 : brev_64);
}

/* ---- bit fields: beyond the top bit they read sign or zero. In 32 bits, positions and lengths count modulo 256; the
 * 64-bit forms, which hardware emulates, do not (an H100; constants stay below 256) ---- */

static inline uint32_t modulo(uint32_t n) {
    return n & 255;
}

/* Returns `length` ones. */
static inline uint64_t ones(uint32_t length) {
    return length >= 64 ? UINT64_MAX : (UINT64_C(1) << length) - 1;
}

static inline uint64_t extract(uint64_t a, uint32_t at, uint32_t length) {
    return (at >= 64 ? 0 : a >> at) & ones(length);
}

/* a is sign-extended to 64 bits, so its bits beyond the top are sign bits already. The field's own top bit is then
 * spread over the rest. */
static inline int64_t extract_signed(int64_t a, uint32_t at, uint32_t length) {
    const int64_t shifted = a >> (at >= 64 ? 63 : at);
    if (length == 0) return 0;
    const uint32_t spare = length >= 64 ? 0 : 64 - length;
    return (int64_t)((uint64_t)shifted << spare) >> spare;
}

SIM_TERNARY_OF(bfe_u32, uint32_t, uint32_t, uint32_t, uint32_t, extract(a, modulo(b), modulo(c)))
SIM_TERNARY_OF(bfe_s32, uint32_t, int32_t, uint32_t, uint32_t, extract_signed(a, modulo(b), modulo(c)))
SIM_TERNARY_OF(bfe_u64, uint64_t, uint64_t, uint32_t, uint32_t, extract(a, b, c))
SIM_TERNARY_OF(bfe_s64, uint64_t, int64_t, uint32_t, uint32_t, extract_signed(a, b, c))

haul_status LOWER(BFE)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers handlers = {[PTX_U32] = bfe_u32, [PTX_S32] = bfe_s32, [PTX_U64] = bfe_u64, [PTX_S64] = bfe_s64};
    return sim_emitted(sim_emit_with(l, i, handlers[i->type], i->type, PTX_U32, PTX_U32));
}

static inline uint64_t insert(uint64_t a, uint64_t b, uint32_t at, uint32_t length) {
    const uint64_t field = at >= 64 ? 0 : ones(length) << at;
    return (b & ~field) | ((at >= 64 ? 0 : a << at) & field);
}

/* op->x is the slot of the length. */
#define INSERT(name, T, place)                                                             \
    static sim_step name(sim_warp *w, const sim_op *op, uint32_t active) {                 \
        T *d = SIM_SLOT(w, T, op->d);                                                      \
        const T *a = SIM_SLOT(w, T, op->a), *b = SIM_SLOT(w, T, op->b);                    \
        const uint32_t *at = SIM_SLOT(w, uint32_t, op->c);                                 \
        const uint32_t *length = SIM_SLOT(w, uint32_t, op->x);                             \
        SIM_STORE_LANES(d, active, (T)insert(a[l], b[l], place(at[l]), place(length[l]))); \
        return SIM_NEXT;                                                                   \
    }

INSERT(bfi_32, uint32_t, modulo)
INSERT(bfi_64, uint64_t, )

haul_status LOWER(BFI)(sim_lowering *l, const ptx_instruction *i) {
    const uint32_t length = sim_source(l, &i->operands[4], PTX_U32);
    sim_op *op = sim_emit_with(l, i, i->type == PTX_B32 ? bfi_32 : bfi_64, i->type, i->type, PTX_U32);
    if (op) op->x = length;
    return sim_emitted(op);
}

/* ---- extension and masks: beyond 31 the count is clamped to 32 or wraps ---- */

static inline uint32_t wrap(uint32_t n) {
    return n & 31;
}
static inline uint32_t clamp(uint32_t n) {
    return n > 32 ? 32 : n;
}

SIM_BINARY(szext_clamp_u32, uint32_t, uint32_t, extract(a, 0, clamp(b)))
SIM_BINARY(szext_wrap_u32, uint32_t, uint32_t, extract(a, 0, wrap(b)))
SIM_BINARY(szext_clamp_s32, uint32_t, uint32_t, extract_signed((int32_t)a, 0, clamp(b)))
SIM_BINARY(szext_wrap_s32, uint32_t, uint32_t, extract_signed((int32_t)a, 0, wrap(b)))

haul_status LOWER(SZEXT)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers clamping = {[PTX_U32] = szext_clamp_u32, [PTX_S32] = szext_clamp_s32};
    static sim_handlers wrapping = {[PTX_U32] = szext_wrap_u32, [PTX_S32] = szext_wrap_s32};
    const bool clamps = i->mods[PTX_SLOT_MODE] == PTX_MOD_CLAMP;
    return sim_emitted(sim_emit_with(l, i, (clamps ? clamping : wrapping)[i->type], i->type, PTX_U32, 0));
}

SIM_BINARY(bmsk_clamp, uint32_t, uint32_t, ones(clamp(b)) << clamp(a))
SIM_BINARY(bmsk_wrap, uint32_t, uint32_t, ones(wrap(b)) << wrap(a))

haul_status LOWER(BMSK)(sim_lowering *l, const ptx_instruction *i) {
    const bool clamps = i->mods[PTX_SLOT_MODE] == PTX_MOD_CLAMP;
    return sim_emitted(sim_emit_with(l, i, clamps ? bmsk_clamp : bmsk_wrap, PTX_U32, PTX_U32, 0));
}
