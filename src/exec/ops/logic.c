/* Bitwise logic, on registers and on predicates, and shifts. */
#include "exec/ops/lanes.h"
#include "state/lanes.h"

/* ---- and, or, xor, not ---- */

/* A predicate's lanes are the bits of one word. The sources' negations are op->x and op->y. */
#define PREDICATE_LOGIC(name, expression)                                         \
    static sim_step name##_pred(sim_warp *w, const sim_op *op, uint32_t active) { \
        const uint32_t a = SIM_PREDICATE(w, op->a) ^ op->x;                       \
        const uint32_t b = SIM_PREDICATE(w, op->b) ^ op->y;                       \
        (void)b;                                                                  \
        sim_set_predicate(w, op->d, expression, active);                          \
        return SIM_NEXT;                                                          \
    }

#define LOGIC(name, expression)                           \
    SIM_BINARY(name##_16, uint16_t, uint16_t, expression) \
    SIM_BINARY(name##_32, uint32_t, uint32_t, expression) \
    SIM_BINARY(name##_64, uint64_t, uint64_t, expression) \
    PREDICATE_LOGIC(name, expression)

LOGIC(and, a &b)
LOGIC(or, a | b)
LOGIC(xor, a ^ b)
SIM_UNARY(not_16, uint16_t, uint16_t, ~a)
SIM_UNARY(not_32, uint32_t, uint32_t, ~a)
SIM_UNARY(not_64, uint64_t, uint64_t, ~a)
PREDICATE_LOGIC(not, ~a)

static haul_status lower_predicate_logic(sim_lowering *l, const ptx_instruction *i, sim_handler run) {
    uint32_t flip_a, flip_b = 0, b = SIM_SLOT_FALSE;
    const uint32_t d = sim_destination(l, &i->operands[0]);
    const uint32_t a = sim_predicate(l, &i->operands[1], &flip_a);
    if (i->operand_count > 2) b = sim_predicate(l, &i->operands[2], &flip_b);
    sim_op *op = sim_emit(l, run);
    op->d = d, op->a = a, op->b = b, op->x = flip_a, op->y = flip_b;
    return HAUL_OK;
}

haul_status LOWER(AND)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers handlers = {SIM_BY_WIDTH(and)};
    if (i->type == PTX_PRED) return lower_predicate_logic(l, i, and_pred);
    return sim_lower_binary(l, i, handlers[i->type]);
}

haul_status LOWER(OR)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers handlers = {SIM_BY_WIDTH(or)};
    if (i->type == PTX_PRED) return lower_predicate_logic(l, i, or_pred);
    return sim_lower_binary(l, i, handlers[i->type]);
}

haul_status LOWER(XOR)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers handlers = {SIM_BY_WIDTH(xor)};
    if (i->type == PTX_PRED) return lower_predicate_logic(l, i, xor_pred);
    return sim_lower_binary(l, i, handlers[i->type]);
}

haul_status LOWER(NOT)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers handlers = {SIM_BY_WIDTH(not )};
    if (i->type == PTX_PRED) return lower_predicate_logic(l, i, not_pred);
    return sim_lower_unary(l, i, handlers[i->type]);
}

SIM_UNARY(cnot_16, uint16_t, uint16_t, a == 0)
SIM_UNARY(cnot_32, uint32_t, uint32_t, a == 0)
SIM_UNARY(cnot_64, uint64_t, uint64_t, a == 0)

haul_status LOWER(CNOT)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers handlers = {SIM_BY_WIDTH(cnot)};
    return sim_lower_unary(l, i, handlers[i->type]);
}

/* ---- lop3 ---- */

/* Bit n of `table` is the result for the operand bits a = n >> 2 & 1, b = n >> 1 & 1, c = n & 1. Spreads each table bit
 * to a mask, then selects in three levels. */
#define SPREAD(table, n) (0 - ((table) >> (n)&1u))
static inline uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
    const uint32_t if_00 = (c & SPREAD(table, 1)) | (~c & SPREAD(table, 0));
    const uint32_t if_01 = (c & SPREAD(table, 3)) | (~c & SPREAD(table, 2));
    const uint32_t if_10 = (c & SPREAD(table, 5)) | (~c & SPREAD(table, 4));
    const uint32_t if_11 = (c & SPREAD(table, 7)) | (~c & SPREAD(table, 6));
    return (a & ((b & if_11) | (~b & if_10))) | (~a & ((b & if_01) | (~b & if_00)));
}

static sim_step lop3_any(sim_warp *w, const sim_op *op, uint32_t active) {
    uint32_t *d = SIM_SLOT(w, uint32_t, op->d);
    const uint32_t *a = SIM_SLOT(w, uint32_t, op->a), *b = SIM_SLOT(w, uint32_t, op->b);
    const uint32_t *c = SIM_SLOT(w, uint32_t, op->c);
    const uint32_t table = (uint32_t)op->imm;
    SIM_STORE_LANES(d, active, lop3(a[l], b[l], c[l], table));
    return SIM_NEXT;
}

/* The tables that compilers use most. */
SIM_TERNARY(lop3_and_and, uint32_t, uint32_t, a &b &c)
SIM_TERNARY(lop3_or_or, uint32_t, uint32_t, a | b | c)
SIM_TERNARY(lop3_xor_xor, uint32_t, uint32_t, a ^ b ^ c)
SIM_TERNARY(lop3_and_or, uint32_t, uint32_t, (a & b) | c)
SIM_TERNARY(lop3_or_and, uint32_t, uint32_t, (a | b) & c)
SIM_TERNARY(lop3_and_xor, uint32_t, uint32_t, (a & b) ^ c)
SIM_TERNARY(lop3_choose, uint32_t, uint32_t, (a & b) | (~a & c))
SIM_TERNARY(lop3_majority, uint32_t, uint32_t, (a & b) | (a & c) | (b & c))

/* PTX derives a table by applying the function to the three columns of the truth table. */
enum { COLUMN_A = 0xf0, COLUMN_B = 0xcc, COLUMN_C = 0xaa };

static sim_handler lop3_handler(uint64_t table) {
    static const struct {
        uint32_t table;
        sim_handler run;
    } common[] = {
        {COLUMN_A & COLUMN_B & COLUMN_C, lop3_and_and},
        {COLUMN_A | COLUMN_B | COLUMN_C, lop3_or_or},
        {COLUMN_A ^ COLUMN_B ^ COLUMN_C, lop3_xor_xor},
        {(COLUMN_A & COLUMN_B) | COLUMN_C, lop3_and_or},
        {(COLUMN_A | COLUMN_B) & COLUMN_C, lop3_or_and},
        {(COLUMN_A & COLUMN_B) ^ COLUMN_C, lop3_and_xor},
        {(COLUMN_A & COLUMN_B) | (~COLUMN_A & COLUMN_C), lop3_choose},
        {(COLUMN_A & COLUMN_B) | (COLUMN_A & COLUMN_C) | (COLUMN_B & COLUMN_C), lop3_majority},
    };
    for (size_t n = 0; n < sizeof common / sizeof common[0]; n++) {
        if (common[n].table == table) return common[n].run;
    }
    return lop3_any;
}

static haul_status lower_lop3(sim_lowering *l, const ptx_instruction *i, uint32_t d) {
    if (i->operands[4].kind != PTX_INTEGER || i->operands[4].bits > 255) {
        return sim_lower_fail(l, "the table must be a constant from 0 to 255");
    }
    const uint32_t a = sim_source(l, &i->operands[1], PTX_B32), b = sim_source(l, &i->operands[2], PTX_B32);
    const uint32_t c = sim_source(l, &i->operands[3], PTX_B32);
    sim_op *op = sim_emit(l, lop3_handler(i->operands[4].bits));
    op->d = d, op->a = a, op->b = b, op->c = c, op->imm = (int64_t)i->operands[4].bits;
    return HAUL_OK;
}

haul_status LOWER(LOP3)(sim_lowering *l, const ptx_instruction *i) {
    return lower_lop3(l, i, sim_destination(l, &i->operands[0]));
}

/* p = (d != 0) combined with q: d is op->a, q op->b with its negation in op->x. */
#define LOP3_COMBINE(name, operation)                                      \
    static sim_step name(sim_warp *w, const sim_op *op, uint32_t active) { \
        const uint32_t *a = SIM_SLOT(w, uint32_t, op->a);                  \
        uint32_t set;                                                      \
        SIM_GATHER_LANES(set, a[l] != 0);                                  \
        const uint32_t q = SIM_PREDICATE(w, op->b) ^ op->x;                \
        sim_set_predicate(w, op->d, set operation q, active);              \
        return SIM_NEXT;                                                   \
    }

LOP3_COMBINE(lop3_combine_and, &)
LOP3_COMBINE(lop3_combine_or, |)

/* Emits two operations. If d is `_`, its value goes to the sink, from which the second one reads it. */
haul_status LOWER(LOP3_COMBINE)(sim_lowering *l, const ptx_instruction *i) {
    const ptx_operand *first = &i->operands[0];
    if (first->kind != PTX_PAIR) return sim_lower_fail(l, "the destination must be d|p");
    const uint32_t d = sim_destination(l, &first->parts[0]), p = sim_destination(l, &first->parts[1]);
    HAUL_TRY(lower_lop3(l, i, d));
    uint32_t flip;
    const uint32_t q = sim_predicate(l, &i->operands[5], &flip);
    sim_op *op = sim_emit(l, i->mods[PTX_SLOT_COMBINE] == PTX_MOD_AND ? lop3_combine_and : lop3_combine_or);
    op->d = p, op->a = d, op->b = q, op->x = flip;
    return HAUL_OK;
}

/* ---- shifts: a distance of the width or more shifts everything out ---- */

#define SHIFTED_LEFT(T, a, b, bits) ((b) >= (bits) ? (T)0 : (T)((a) << ((b) & ((bits)-1))))
#define SHIFTED_RIGHT(T, a, b, bits) ((b) >= (bits) ? (T)0 : (T)((a) >> ((b) & ((bits)-1))))
#define SHIFTED_SIGN(a, b, bits) ((a) >> ((b) >= (bits) ? (bits)-1 : (b)))

SIM_BINARY_OF(shl_16, uint16_t, uint16_t, uint32_t, SHIFTED_LEFT(uint16_t, (uint32_t)a, b, 16))
SIM_BINARY_OF(shl_32, uint32_t, uint32_t, uint32_t, SHIFTED_LEFT(uint32_t, a, b, 32))
SIM_BINARY_OF(shl_64, uint64_t, uint64_t, uint32_t, SHIFTED_LEFT(uint64_t, a, b, 64))
SIM_BINARY_OF(shr_u16, uint16_t, uint16_t, uint32_t, SHIFTED_RIGHT(uint16_t, a, b, 16))
SIM_BINARY_OF(shr_u32, uint32_t, uint32_t, uint32_t, SHIFTED_RIGHT(uint32_t, a, b, 32))
SIM_BINARY_OF(shr_u64, uint64_t, uint64_t, uint32_t, SHIFTED_RIGHT(uint64_t, a, b, 64))
SIM_BINARY_OF(shr_s16, int16_t, int16_t, uint32_t, SHIFTED_SIGN(a, b, 16))
SIM_BINARY_OF(shr_s32, int32_t, int32_t, uint32_t, SHIFTED_SIGN(a, b, 32))
SIM_BINARY_OF(shr_s64, int64_t, int64_t, uint32_t, SHIFTED_SIGN(a, b, 64))

haul_status LOWER(SHL)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers handlers = {SIM_BY_WIDTH(shl)};
    return sim_emitted(sim_emit_with(l, i, handlers[i->type], i->type, PTX_U32, 0));
}

haul_status LOWER(SHR)(sim_lowering *l, const ptx_instruction *i) {
    static sim_handlers handlers = {SIM_BY_SIGN(shr), [PTX_B16] = shr_u16, [PTX_B32] = shr_u32, [PTX_B64] = shr_u64};
    return sim_emitted(sim_emit_with(l, i, handlers[i->type], i->type, PTX_U32, 0));
}

/* Funnel shifts: b:a is one number of 64 bits; the result is its upper (left) or lower (right) word. */
#define BOTH(a, b) ((uint64_t)(b) << 32 | (a))
#define CLAMPED(c) ((c) > 32 ? 32 : (c))

SIM_TERNARY(shf_l_clamp, uint32_t, uint32_t, (BOTH(a, b) << CLAMPED(c)) >> 32)
SIM_TERNARY(shf_l_wrap, uint32_t, uint32_t, (BOTH(a, b) << (c & 31)) >> 32)
SIM_TERNARY(shf_r_clamp, uint32_t, uint32_t, BOTH(a, b) >> CLAMPED(c))
SIM_TERNARY(shf_r_wrap, uint32_t, uint32_t, BOTH(a, b) >> (c & 31))

haul_status LOWER(SHF)(sim_lowering *l, const ptx_instruction *i) {
    static const sim_handler handlers[2][2] = {{shf_r_wrap, shf_r_clamp}, {shf_l_wrap, shf_l_clamp}};
    const bool left = i->mods[PTX_SLOT_MODE] == PTX_MOD_L, clamps = i->mods[PTX_SLOT_MODE2] == PTX_MOD_SHIFT_CLAMP;
    return sim_emitted(sim_emit_with(l, i, handlers[left][clamps], PTX_B32, PTX_B32, PTX_U32));
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

static sim_step prmt_mode(sim_warp *w, const sim_op *op, uint32_t active) {
    uint32_t *d = SIM_SLOT(w, uint32_t, op->d);
    const uint32_t *a = SIM_SLOT(w, uint32_t, op->a), *b = SIM_SLOT(w, uint32_t, op->b);
    const uint32_t *c = SIM_SLOT(w, uint32_t, op->c);
    const uint64_t selectors = (uint64_t)op->imm;
    SIM_STORE_LANES(d, active, permuted(a[l], b[l], (uint32_t)(selectors >> 16 * (c[l] & 3))));
    return SIM_NEXT;
}

haul_status LOWER(PRMT)(sim_lowering *l, const ptx_instruction *i) {
    const unsigned mode = i->mods[PTX_SLOT_MODE];
    sim_op *op = sim_emit_with(l, i, mode ? prmt_mode : prmt_generic, PTX_B32, PTX_B32, PTX_B32);
    if (op) op->imm = (int64_t)prmt_modes[mode];
    return sim_emitted(op);
}
