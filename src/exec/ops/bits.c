/* Finding bits, and moving bytes. */
#include "exec/ops/lanes.h"
#include "state/lanes.h"

/* ---- fns ---- */

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

/* fns: the n-th set bit from a base on. */
haul_status LOWER(FNS)(sim_lowering *l, const ptx_instruction *i) {
    return sim_emitted(sim_emit_with(l, i, fns, PTX_B32, PTX_U32, PTX_S32));
}

/* ---- prmt ---- */

/* Returns byte `selector & 7` of b:a, or with bit 3 of the selector eight copies of its sign. */
static inline uint32_t permuted_byte(uint32_t a, uint32_t b, uint32_t selector) {
    const uint32_t word = (selector & 4) ? b : a;
    const uint32_t byte = word >> 8 * (selector & 3) & 0xff;
    const uint32_t sign = (0 - (byte >> 7)) & 0xff;
    return (selector & 8) ? sign : byte;
}

static inline uint32_t permuted(uint32_t a, uint32_t b, uint32_t selectors) {
    return permuted_byte(a, b, selectors) | permuted_byte(a, b, selectors >> 4) << 8 |
           permuted_byte(a, b, selectors >> 8) << 16 | permuted_byte(a, b, selectors >> 12) << 24;
}

/* The special modes' selectors for the two low bits of c, as generic selectors of 16 bits each. */
#define MODE_SELECTORS(n0, n1, n2, n3) (UINT64_C(n0) | UINT64_C(n1) << 16 | UINT64_C(n2) << 32 | UINT64_C(n3) << 48)
static const uint64_t prmt_modes[PTX_MOD_COUNT] = {
    [PTX_MOD_F4E] = MODE_SELECTORS(0x3210, 0x4321, 0x5432, 0x6543),
    [PTX_MOD_B4E] = MODE_SELECTORS(0x5670, 0x6701, 0x7012, 0x0123),
    [PTX_MOD_RC8] = MODE_SELECTORS(0x0000, 0x1111, 0x2222, 0x3333),
    [PTX_MOD_ECL] = MODE_SELECTORS(0x3210, 0x3211, 0x3222, 0x3333),
    [PTX_MOD_ECR] = MODE_SELECTORS(0x0000, 0x1110, 0x2210, 0x3210),
    [PTX_MOD_RC16] = MODE_SELECTORS(0x1010, 0x3232, 0x1010, 0x3232),
};

SIM_TERNARY(prmt_generic, uint32_t, uint32_t, permuted(a, b, c))

/* Looks up the mode's selectors by the low bits of c; imm has those of all four. */
static sim_step prmt_mode(sim_warp *w, const sim_op *op, uint32_t active) {
    uint32_t *d = SIM_SLOT(w, uint32_t, op->d);
    const uint32_t *a = SIM_SLOT(w, uint32_t, op->a), *b = SIM_SLOT(w, uint32_t, op->b);
    const uint32_t *c = SIM_SLOT(w, uint32_t, op->c);
    const uint64_t selectors = (uint64_t)op->imm;
    SIM_STORE_LANES(d, active, permuted(a[l], b[l], (uint32_t)(selectors >> 16 * (c[l] & 3))));
    return SIM_NEXT;
}

/* prmt: picks four of eight bytes, by selectors in c or by a mode. */
haul_status LOWER(PRMT)(sim_lowering *l, const ptx_instruction *i) {
    const unsigned mode = i->mods[PTX_SLOT_MODE];
    sim_op *op = sim_emit_with(l, i, mode ? prmt_mode : prmt_generic, PTX_B32, PTX_B32, PTX_B32);
    if (op) op->imm = (int64_t)prmt_modes[mode];
    return sim_emitted(op);
}
