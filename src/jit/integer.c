/* Integer instructions that work lane by lane, written as IR. Words of lower/integer.def are functions here that write
 * an operation and return its value. Constants are computed at once. C leaves open in which order the operands of a
 * word are written; the value is the same. */
#include "lower/integer.h"
#include "jit/ops.h"

/* The row that is being written. */
typedef struct row {
    sim_writer *w;
    sim_value_type type;
    bool has_sign;
    uint32_t table;
} row;

/* ---- words of two operands ---- */

/* The bits of a lane. */
static uint64_t bits_of(sim_value_type type) {
    static const uint8_t bits[SIM_VALUE_TYPES] = {16, 32, 64, 32, 64, 16, 32};
    return bits[type];
}

static sim_value constant(const row *r, uint64_t bits) {
    return sim_value_constant(r->type, bits);
}

/* Gives a constant the type of its neighbour. */
static void match(sim_value *a, sim_value *b) {
    if (!b->id)
        b->type = a->type;
    else if (!a->id)
        a->type = b->type;
}

/* Writes nothing for constants, and for 0 or all ones in the logic of lop3's tables. */
typedef enum word { WORD_ADD, WORD_SUB, WORD_MUL, WORD_AND, WORD_OR, WORD_XOR } word;

static sim_value two(const row *r, word o, sim_value a, sim_value b) {
    static const char *const names[] = {"add", "sub", "mul", "and", "or", "xor"};
    const uint64_t results[] = {a.bits + b.bits, a.bits - b.bits, a.bits * b.bits,
                                a.bits & b.bits, a.bits | b.bits, a.bits ^ b.bits};
    match(&a, &b);
    if (!a.id && !b.id) return sim_value_constant((sim_value_type)a.type, results[o]);
    if (o == WORD_AND && !b.id && !b.bits) return b;
    if (o == WORD_AND && !b.id && !~b.bits) return a;
    if (o == WORD_OR && !a.id && !a.bits) return b;
    if (o == WORD_OR && !b.id && !b.bits) return a;
    return sim_write_two(r->w, names[o], a, b);
}

#define ADD(a, b) two(r, WORD_ADD, a, b)
#define SUB(a, b) two(r, WORD_SUB, a, b)
#define MUL(a, b) two(r, WORD_MUL, a, b)
#define AND(a, b) two(r, WORD_AND, a, b)
#define OR(a, b) two(r, WORD_OR, a, b)
#define XOR(a, b) two(r, WORD_XOR, a, b)
#define K(n) sim_value_constant(SIM_VALUE_I32, (uint64_t)(n))
#define ZERO constant(r, 0)
#define ONE constant(r, 1)
#define BITS K(bits_of(r->type))
#define TABLE(n) constant(r, 0 - (uint64_t)(r->table >> (n)&1))
#define NEG(a) SUB(ZERO, a)
#define NOT(a) XOR(a, constant(r, UINT64_MAX))

/* ---- shifts ---- */

/* how: "shl", "lshr" or "ashr". LLVM leaves distances of the width or more undefined. */
static sim_value shift(const row *r, const char *how, sim_value a, sim_value n) {
    const sim_value_type type = (sim_value_type)a.type;
    const uint64_t bits = bits_of(type), known = (uint32_t)n.bits;
    const sim_value zero = sim_value_constant(type, 0), last = sim_value_constant(SIM_VALUE_I32, bits - 1);
    const bool spreads = *how == 'a';
    if (!n.id && known == 0) return a;
    if (!n.id && known >= bits && !spreads) return zero;
    if (!n.id && !a.id && *how == 's') return sim_value_constant(type, a.bits << known);
    if (!n.id) return sim_write_two(r->w, how, a, sim_value_constant(type, known < bits ? known : bits - 1));
    const uint32_t inside = sim_write_relation(r->w, "icmp ult", n, sim_value_constant(SIM_VALUE_I32, bits));
    const sim_value by = sim_write_cast(r->w, sim_write_choice(r->w, inside, n, last), type, false);
    const sim_value shifted = sim_write_two(r->w, how, a, by);
    return spreads ? shifted : sim_write_choice(r->w, inside, shifted, zero);
}

/* LLVM's funnel shifts, whose distance wraps. */
static sim_value funnel(const row *r, const char *name, sim_value a, sim_value b, sim_value n) {
    return sim_write_function(r->w, name, (sim_value[]){b, a, n}, 3);
}

#define SHIFT_LEFT(a, n) shift(r, "shl", a, n)
#define SHIFT_RIGHT(a, n) shift(r, r->has_sign ? "ashr" : "lshr", a, n)
#define FUNNEL_LEFT(a, b, n) funnel(r, "fshl", a, b, n)
#define FUNNEL_RIGHT(a, b, n) funnel(r, "fshr", a, b, n)

/* ---- choices ---- */

/* A condition's id is that of its bits. */
static sim_value relation(const row *r, const char *how, sim_value a, sim_value b) {
    match(&a, &b);
    return (sim_value){.id = sim_write_relation(r->w, how, a, b)};
}

/* Constants take the type of the other value. */
static sim_value choice(const row *r, sim_value condition, sim_value yes, sim_value no) {
    match(&yes, &no);
    return sim_write_choice(r->w, condition.id, yes, no);
}

static sim_value at_most(const row *r, sim_value n, sim_value most) {
    if (!n.id) return K((uint32_t)n.bits < most.bits ? (uint32_t)n.bits : most.bits);
    return sim_write_lesser(r->w, n, most, false, true);
}

#define LESS(a, b) relation(r, r->has_sign ? "icmp slt" : "icmp ult", a, b)
#define EQUAL(a, b) relation(r, "icmp eq", a, b)
#define SELECT(condition, yes, no) choice(r, condition, yes, no)
#define AT_MOST(n, most) at_most(r, n, most)

/* ---- widths ---- */

#define WIDE(a) sim_write_cast(r->w, a, (sim_value_type)(r->type + 1), r->has_sign)
#define LOW(wide) sim_write_cast(r->w, wide, r->type, false)
#define HIGH(wide) LOW(shift(r, "lshr", wide, BITS))
#define SATURATED(wide) saturated(r, wide)

/* Clamps a value of twice the width to the width's signed range. */
static sim_value saturated(const row *r, sim_value wide) {
    const uint64_t most = UINT64_MAX >> (65 - bits_of(r->type));
    const sim_value_type type = (sim_value_type)wide.type;
    wide = sim_write_lesser(r->w, wide, sim_value_constant(type, ~most), true, false);
    return LOW(sim_write_lesser(r->w, wide, sim_value_constant(type, most), true, true));
}

/* ---- counts and orders of bits ---- */

/* more: a further argument of LLVM's function. */
static sim_value counted(const row *r, const char *name, sim_value a, const char *more) {
    const char *lanes = sim_value_types[r->type];
    const sim_value count = sim_write_value(r->w, r->type, "call %s @llvm.%s.v32i%u(%s %s%s)", lanes, name,
                                            (unsigned)bits_of(r->type), lanes, sim_operand(r->w, a), more);
    return sim_write_cast(r->w, count, SIM_VALUE_I32, false);
}

#define ONES_IN(a) counted(r, "ctpop", a, "")
#define LEADING_ZEROS(a) counted(r, "ctlz", a, ", i1 false")
#define REVERSED(a) sim_write_function(r->w, "bitreverse", (sim_value[]){a}, 1)

/* ---- rows ---- */

typedef sim_value write_fn(const row *r, sim_value a, sim_value b, sim_value c, sim_value e);

#define INSTRUCTION(id)
#define BY_HAND(id)
#undef CALLED
#define CALLED(...)
#define ROW(name, mode, flag, types, shape, meaning)                                                  \
    static sim_value write_##name(const row *r, sim_value a, sim_value b, sim_value c, sim_value e) { \
        (void)a, (void)b, (void)c, (void)e;                                                           \
        return meaning;                                                                               \
    }
#include "lower/integer.def"
#undef ROW

static write_fn *const writers[SIM_INTEGERS] = {
#define ROW(name, mode, flag, types, shape, meaning) [SIM_INTEGER_##name] = write_##name,
#include "lower/integer.def"
};

static sim_value_type lanes_of(unsigned type) {
    if (type == PTX_PRED) return SIM_VALUE_MASK;
    return sim_type_is_packed(type) ? SIM_VALUE_PAIRS : sim_value_type_by(ptx_bits(type));
}

/* The lanes of pairs are halves of the register's. */
static sim_value read_operand(const row *r, unsigned role, uint32_t slot, uint32_t flip) {
    if (role == SIM_ROLE_P) return (sim_value){.id = sim_write_bits(r->w, sim_read_mask(r->w, slot, flip))};
    if (role == SIM_ROLE_N) return sim_read_slot(r->w, slot, SIM_VALUE_I32);
    if (role == SIM_ROLE_W) return sim_read_slot(r->w, slot, (sim_value_type)(r->type + 1));
    if (r->type == SIM_VALUE_MASK) return sim_read_mask(r->w, slot, flip);
    if (r->type != SIM_VALUE_PAIRS) return sim_read_slot(r->w, slot, r->type);
    return sim_write_as(r->w, "bitcast", sim_read_slot(r->w, slot, SIM_VALUE_I32), SIM_VALUE_PAIRS);
}

/* Reads the operands that the row names and writes its meaning. */
bool sim_write_integer(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    const row r = {w, lanes_of(i->type), ptx_is_signed(i->type), (uint32_t)op->imm};
    const sim_integer_row *shape = &sim_integer_rows[op->integer];
    const uint32_t slots[4] = {op->a, op->b, op->c, op->x};
    sim_value v[4] = {{0}};
    if (!writers[op->integer]) return false;
    for (unsigned k = 0; k < 4 && shape->sources[k]; k++)
        v[k] = read_operand(&r, shape->sources[k], slots[k], k == 1 ? op->y : op->x);
    sim_value d = writers[op->integer](&r, v[0], v[1], v[2], v[3]);
    if (!d.id) d.type = (uint8_t)(shape->result == SIM_ROLE_N ? SIM_VALUE_I32 : r.type);
    if (r.type == SIM_VALUE_PAIRS) d = sim_write_as(w, "bitcast", d, SIM_VALUE_I32);
    sim_write_slot(w, op->d, d);
    return true;
}
