/* Integer instructions that work lane by lane: handlers made of integer.def, whose words are C here. The file is
 * compiled with -fwrapv: sums, differences and products wrap.
 *
 * integer.def is expanded several times: into the handlers, into their table by row and kind of lane, and into lowering
 * functions. A row names a shape, the roles of destination and sources: T is the instruction's type, W twice as wide, N
 * a 32-bit number, P a predicate. The words READ_, PICK_ and LANE_ have a form for each role. jit/integer.c expands the
 * same rows into compiled code, so both have one meaning.
 *
 * Below the table are the instructions that choose their row themselves: dp4a, dp2a and lop3. */
#include "lower/integer.h"
#include "exec/ops/lanes.h"
#include "exec/ops/wide.h"
#include "state/lanes.h"

/* ---- words ---- */

#define ADD(a, b) ((a) + (b))
#define SUB(a, b) ((a) - (b))
#define MUL(a, b) ((a) * (b))
#define AND(a, b) ((a) & (b))
#define OR(a, b) ((a) | (b))
#define XOR(a, b) ((a) ^ (b))
#define NOT(a) (~(a))
#define NEG(a) (0 - (a))
#define LESS(a, b) ((a) < (b))
#define EQUAL(a, b) ((a) == (b))
#define SELECT(condition, yes, no) ((condition) ? (yes) : (no))
#define AT_MOST(n, most) ((n) > (most) ? (most) : (n))
#define WIDE(a) ((W)(a))
#define LOW(w) ((T)(w))
#define HIGH(w) ((T)((w) >> BITS))
#define SATURATED(w) clamp_s32(w)
/* The distance is taken modulo 32; .clamp has rows of its own. */
#define FUNNEL_LEFT(a, b, n) ((uint32_t)(((uint64_t)(b) << 32 | (a)) << ((n)&31) >> 32))
#define FUNNEL_RIGHT(a, b, n) ((uint32_t)(((uint64_t)(b) << 32 | (a)) >> ((n)&31)))
#define FIELD_U(a, at, bits) ((a) << (32 - (at) - (bits)) >> (32 - (bits)))
#define FIELD_S(a, at, bits) ((uint32_t)((int32_t)((a) << (32 - (at) - (bits))) >> (32 - (bits))))
#define TABLE(n) (0 - (table >> (n)&1))
#define K(n) (n)
#define ZERO ((T)0)
#define ONE ((T)1)
#define BITS WIDTH(T)

#define WIDTH(a) (8 * (uint32_t)sizeof(a))
#define IS_INSIDE(a, n) ((uint32_t)(n) < WIDTH(a))
#define HAS_SIGN(a) ((__typeof__(a))-1 < (__typeof__(a))1)
/* PTX clamps distances to the width. C leaves these undefined, hence the masks, whose result is not chosen then. */
#define SHIFT_LEFT(a, n) ((__typeof__(a))(IS_INSIDE(a, n) ? (a) << ((n) & (WIDTH(a) - 1)) : 0))
#define SHIFT_RIGHT(a, n) ((__typeof__(a))(HAS_SIGN(a) ? SHIFT_SIGN(a, n) : SHIFT_ZEROS(a, n)))
#define SHIFT_SIGN(a, n) ((a) >> (IS_INSIDE(a, n) ? (uint32_t)(n) : WIDTH(a) - 1))
#define SHIFT_ZEROS(a, n) (IS_INSIDE(a, n) ? (a) >> ((n) & (WIDTH(a) - 1)) : 0)

/* Sums pairs, nibbles and bytes: few vector extensions have a population count. */
static inline uint32_t ones_in_32(uint32_t x) {
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    return x * 0x01010101u >> 24;
}
static inline uint32_t ones_in_64(uint64_t x) {
    return ones_in_32((uint32_t)x) + ones_in_32((uint32_t)(x >> 32));
}
/* The builtin is undefined for 0. */
static inline uint32_t leading_zeros_32(uint32_t x) {
    return x ? (uint32_t)__builtin_clz(x) : 32;
}
static inline uint32_t leading_zeros_64(uint64_t x) {
    return x ? (uint32_t)__builtin_clzll(x) : 64;
}
/* Exchanges neighbouring bits, pairs, nibbles, then bytes. */
static inline uint32_t reversed_32(uint32_t x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
static inline uint64_t reversed_64(uint64_t x) {
    return (uint64_t)reversed_32((uint32_t)x) << 32 | reversed_32((uint32_t)(x >> 32));
}
#define ONES_IN(a) (BITS == 64 ? ones_in_64((uint64_t)(a)) : ones_in_32((uint32_t)(a)))
#define LEADING_ZEROS(a) (BITS == 64 ? leading_zeros_64((uint64_t)(a)) : leading_zeros_32((uint32_t)(a)))
#define REVERSED(a) ((T)(BITS == 64 ? reversed_64(a) : reversed_32((uint32_t)(a))))

/* Adds up shifted copies of `a` without carries, without a branch for a bit of `b`. */
static inline sim_u128 carryless(uint64_t a, uint64_t b) {
    sim_u128 product = 0;
    for (unsigned n = 0; n < 64; n++) product ^= (sim_u128)(a & (0 - (b >> n & 1))) << n;
    return product;
}
#define CARRYLESS(a, b) carryless(a, b)

/* ---- lanes, by kind and role ---- */

/* A kind is a width and a sign; pairs are halves of 32 bits; predicates have a kind, too. */
enum { KIND_16, KIND_32, KIND_64, KIND_x2, KIND_s16, KIND_s32, KIND_s64, KIND_sx2, KIND_pred, KINDS };
typedef uint16_t lane_16, lane_x2;
typedef uint32_t lane_32, lane_pred, wide_16, wide_x2;
typedef uint64_t lane_64, wide_32, wide_pred;
typedef int16_t lane_s16, lane_sx2;
typedef int32_t lane_s32, wide_s16, wide_sx2;
typedef int64_t lane_s64, wide_s32;
typedef sim_u128 wide_64;
typedef sim_s128 wide_s64;

#define LANE_T(kind) lane_##kind
#define LANE_W(kind) wide_##kind
#define LANE_N(kind) uint32_t
#define LANE_P(kind) uint32_t
#define LANE__(kind) uint32_t

/* A predicate's lanes are the bits of one word. */
#define READ_T(kind, name, slot) const lane_##kind *name = SIM_SLOT(w, const lane_##kind, slot)
#define READ_W(kind, name, slot) const wide_##kind *name = SIM_SLOT(w, const wide_##kind, slot)
#define READ_N(kind, name, slot) const uint32_t *name = SIM_SLOT(w, const uint32_t, slot)
#define READ_P(kind, name, slot) const uint32_t name = SIM_PREDICATE(w, slot) ^ op->x
#define READ__(kind, name, slot) (void)0
#define PICK_T(name) name[l]
#define PICK_W(name) name[l]
#define PICK_N(name) name[l]
#define PICK_P(name) (name & 1u << l)
#define PICK__(name) 0

/* ---- handlers ---- */

/* Defines the function of one lane and the handler around it. T and W are the types that the row's words use. */
#define HANDLER(kind, name, D, A, B, C, E, meaning)                                                                  \
    static inline LANE_##D(kind)                                                                                     \
        name##_lane_##kind(LANE_##A(kind) a, LANE_##B(kind) b, LANE_##C(kind) c, LANE_##E(kind) e, uint32_t table) { \
        typedef lane_##kind T __attribute__((unused));                                                               \
        typedef wide_##kind W __attribute__((unused));                                                               \
        (void)a, (void)b, (void)c, (void)e, (void)table;                                                             \
        return (LANE_##D(kind))(meaning);                                                                            \
    }                                                                                                                \
    static sim_step name##_##kind(sim_warp *w, const sim_op *op, uint32_t active) {                                  \
        LOOP_##kind(kind, name, D, A, B, C, E);                                                                      \
        return SIM_NEXT;                                                                                             \
    }

/* The lanes of a handler: fetches the pointers that the row's roles need and computes all lanes. */
#define LOOP(kind, name, D, A, B, C, E)                     \
    LANE_##D(kind) *d = SIM_SLOT(w, LANE_##D(kind), op->d); \
    const uint32_t table = (uint32_t)op->imm;               \
    READ_##A(kind, a, op->a);                               \
    READ_##B(kind, b, op->b);                               \
    READ_##C(kind, c, op->c);                               \
    READ_##E(kind, e, op->x);                               \
    SIM_STORE_LANES(d, active, name##_lane_##kind(PICK_##A(a), PICK_##B(b), PICK_##C(c), PICK_##E(e), table))

/* 64 lanes of 16 bits. */
#define EACH_OF_PAIRS(l) SIM_VECTORISE for (unsigned l = 0; l < 2 * SIM_LANES; l++)
#define LOOP_PAIRS(kind, name, D, A, B, C, E)                                 \
    lane_##kind *d = SIM_SLOT(w, lane_##kind, op->d);                         \
    READ_##A(kind, a, op->a);                                                 \
    READ_##B(kind, b, op->b);                                                 \
    if (active == SIM_ALL_LANES) {                                            \
        EACH_OF_PAIRS(l) d[l] = name##_lane_##kind(a[l], b[l], 0, 0, 0);      \
    } else {                                                                  \
        EACH_OF_PAIRS(l) {                                                    \
            const lane_##kind made = name##_lane_##kind(a[l], b[l], 0, 0, 0); \
            d[l] = active & 1u << l / 2 ? made : d[l];                        \
        }                                                                     \
    }

/* A predicate instruction computes 32 lanes at once, as bits. */
#define LOOP_pred(kind, name, D, A, B, C, E)                                                 \
    const uint32_t a = SIM_PREDICATE(w, op->a) ^ op->x, b = SIM_PREDICATE(w, op->b) ^ op->y; \
    sim_set_predicate(w, op->d, name##_lane_##kind(a, b, 0, 0, 0), active)

#define LOOP_16 LOOP
#define LOOP_32 LOOP
#define LOOP_64 LOOP
#define LOOP_s16 LOOP
#define LOOP_s32 LOOP
#define LOOP_s64 LOOP
#define LOOP_x2 LOOP_PAIRS
#define LOOP_sx2 LOOP_PAIRS

#define INSTRUCTION(id)
#define BY_HAND(id)
#define ROW(name, mode, flag, types, shape, meaning) SIM_TYPES_##types(HANDLER, name, SIM_SHAPE_##shape, meaning)
#include "lower/integer.def"
#undef ROW

static const sim_handler handlers[SIM_INTEGERS][KINDS] = {
#define ENTRY(kind, name) [KIND_##kind] = name##_##kind,
#define ROW(name, mode, flag, types, shape, meaning) [SIM_INTEGER_##name] = {SIM_TYPES_##types(ENTRY, name)},
#include "lower/integer.def"
#undef INSTRUCTION
#undef BY_HAND
#undef ROW
};

/* ---- lowering ---- */

/* Lanes without sign serve signed types, too. */
static sim_handler handler_of(unsigned row, unsigned type) {
    const bool packed = type == PTX_U16X2 || type == PTX_S16X2;
    const unsigned width = packed ? KIND_x2 : ptx_bits(type) == 16 ? KIND_16 : ptx_bits(type) == 32 ? KIND_32 : KIND_64;
    if (type == PTX_PRED) return handlers[row][KIND_pred];
    const sim_handler with_sign = handlers[row][width + KIND_s16];
    return ptx_is_signed(type) && with_sign ? with_sign : handlers[row][width];
}

/* Returns the type as which a source of that role is read. */
static unsigned type_of(unsigned role, unsigned type) {
    if (role == SIM_ROLE_T) return type;
    return role == SIM_ROLE_W && ptx_bits(type) == 32 ? PTX_U64 : PTX_U32;
}

/* Negations of predicates are in op->x and op->y, in this order. */
static haul_status emit_row(sim_lowering *l, const ptx_instruction *i, unsigned row) {
    const sim_handler run = handler_of(row, i->type);
    const uint32_t d = sim_destination(l, &i->operands[0]);
    uint32_t slots[4] = {SIM_SLOT_ZERO, SIM_SLOT_ZERO, SIM_SLOT_ZERO}, flips[2] = {0}, flipped = 0;
    for (unsigned k = 0; k < 4 && sim_integer_rows[row].sources[k]; k++) {
        const ptx_operand *o = &i->operands[k + 1];
        const unsigned role = sim_integer_rows[row].sources[k], type = type_of(role, i->type);
        const bool predicate = role == SIM_ROLE_P || type == PTX_PRED;
        slots[k] = predicate ? sim_predicate(l, o, &flips[flipped++]) : sim_source(l, o, type);
    }
    sim_op *op = sim_emit(l, run);
    op->d = d, op->a = slots[0], op->b = slots[1], op->c = slots[2];
    op->x = slots[3] | flips[0], op->y = flips[1];
    op->integer = (uint16_t)row;
    return HAUL_OK;
}

/* Lowers by the first row of the instruction `begin` that has its modifiers and type. */
static haul_status lower_by_row(sim_lowering *l, const ptx_instruction *i, unsigned begin) {
    const unsigned mode = i->mods[PTX_SLOT_MODE];
    const unsigned flag =
        i->mods[PTX_SLOT_MODE2] | i->mods[PTX_SLOT_SAT] | i->mods[PTX_SLOT_RELU] | i->mods[PTX_SLOT_SHIFTAMT];
    for (unsigned row = begin + 1; row < SIM_INTEGERS && !sim_integer_rows[row].begins; row++) {
        const sim_integer_row *r = &sim_integer_rows[row];
        if (r->mode == mode && r->flag == flag && handler_of(row, i->type)) return emit_row(l, i, row);
    }
    return sim_lower_fail(l, "the virtual GPU does not support this combination of type and modifiers");
}

#define INSTRUCTION(id)                                                 \
    haul_status LOWER(id)(sim_lowering * l, const ptx_instruction *i) { \
        return lower_by_row(l, i, SIM_INTEGERS_##id);                   \
    }
#define BY_HAND(id)
#define ROW(name, mode, flag, types, shape, meaning)
#include "lower/integer.def"

/* Rows follow in the order of the signs of a and b. */
static haul_status emit_dot(sim_lowering *l, const ptx_instruction *i, unsigned row) {
    return emit_row(l, i, row + (i->type == PTX_S32 ? 2 : 0) + (i->type2 == PTX_S32));
}
haul_status LOWER(DP4A)(sim_lowering *l, const ptx_instruction *i) {
    return emit_dot(l, i, SIM_INTEGER_dp4a_uu);
}
/* .lo and .hi name the half of b that is multiplied. */
haul_status LOWER(DP2A)(sim_lowering *l, const ptx_instruction *i) {
    const bool low = i->mods[PTX_SLOT_MODE] == PTX_MOD_LO;
    return emit_dot(l, i, low ? SIM_INTEGER_dp2a_lo_uu : SIM_INTEGER_dp2a_hi_uu);
}

/* ---- lop3: bit n of the table is the result for the bits a = n >> 2 & 1, b = n >> 1 & 1, c = n & 1 ---- */

/* A table is the function of the three columns of all bits. Frequent tables have rows of their own. */
static unsigned row_of_table(uint64_t table) {
    enum { a = 0xf0, b = 0xcc, c = 0xaa };
    static const struct {
        uint8_t table;
        uint16_t row;
    } frequent[] = {
#undef INSTRUCTION
#undef LOGIC
#define INSTRUCTION(id)
#define LOGIC(name, meaning) {(meaning)&0xff, SIM_INTEGER_##name},
#include "lower/integer.def"
    };
    for (size_t n = 0; n < sizeof frequent / sizeof *frequent; n++)
        if (frequent[n].table == table) return frequent[n].row;
    return SIM_INTEGER_lop3;
}

haul_status LOWER(LOP3)(sim_lowering *l, const ptx_instruction *i) {
    const ptx_operand *table = &i->operands[4];
    if (table->kind != PTX_INTEGER || table->bits > 255)
        return sim_lower_fail(l, "the table must be a constant from 0 to 255");
    HAUL_TRY(emit_row(l, i, row_of_table(table->bits)));
    sim_last_op(l)->imm = (int64_t)table->bits;
    return HAUL_OK;
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
    const uint32_t p = sim_destination(l, &first->parts[1]);
    HAUL_TRY(LOWER(LOP3)(l, i));
    const uint32_t d = sim_last_op(l)->d = sim_destination(l, &first->parts[0]);
    uint32_t flip;
    const uint32_t q = sim_predicate(l, &i->operands[5], &flip);
    sim_op *op = sim_emit(l, i->mods[PTX_SLOT_COMBINE] == PTX_MOD_AND ? lop3_combine_and : lop3_combine_or);
    op->d = p, op->a = d, op->b = q, op->x = flip;
    return HAUL_OK;
}
