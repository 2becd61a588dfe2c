/* Operations that have an equal in LLVM's IR. Whatever is not here goes to its handler. */
#include "sim/compiled/write.h"
#include "sim/lower/internal.h"

#include <fenv.h>

/* Flags of floating-point operations: as ops/floats.h has them in sim_op.x. */
enum { FLUSHES = 1 };

static bool value_type(unsigned type, sim_value_type *out) {
    switch (ptx_bits(type)) {
    case 16: *out = SIM_VALUE_I16; return true;
    case 32: *out = SIM_VALUE_I32; return true;
    case 64: *out = SIM_VALUE_I64; return true;
    default: return false;
    }
}

static bool is_signed(unsigned type) {
    return ptx_types[type].kind == 'S';
}

static bool is_integer(unsigned type) {
    return ptx_types[type].kind == 'S' || ptx_types[type].kind == 'U' || ptx_types[type].kind == 'B';
}

static bool is_packed(unsigned type) {
    return type == PTX_U16X2 || type == PTX_S16X2;
}

static sim_value write_two(sim_writer *w, const char *operation, sim_value a, sim_value b) {
    return sim_write_value(w, (sim_value_type)a.type, "%s %s %s, %s", operation, sim_value_types[a.type],
                           sim_operand(w, a), sim_operand(w, b));
}

/* The lanes for which the relation holds, as a vector of bits: N. */
static uint32_t write_relation(sim_writer *w, const char *relation, sim_value a, sim_value b) {
    return sim_write_id(w, "%s %s %s, %s", relation, sim_value_types[a.type], sim_operand(w, a), sim_operand(w, b));
}

static sim_value write_choice(sim_writer *w, uint32_t bits, sim_value yes, sim_value no) {
    const char *type = sim_value_types[yes.type];
    return sim_write_value(w, (sim_value_type)yes.type, "select <32 x i1> %%v%u, %s %s, %s %s", bits, type,
                           sim_operand(w, yes), type, sim_operand(w, no));
}

static sim_value write_mask(sim_writer *w, uint32_t bits) {
    return sim_write_value(w, SIM_VALUE_MASK, "bitcast <32 x i1> %%v%u to i32", bits);
}

/* ---- integers ---- */

static sim_value write_cast(sim_writer *w, sim_value a, sim_value_type to, bool extends_sign) {
    if (a.type == to) return a;
    const char *how = to < a.type ? "trunc" : extends_sign ? "sext" : "zext";
    return sim_write_value(w, to, "%s %s %s to %s", how, sim_value_types[a.type], sim_operand(w, a),
                           sim_value_types[to]);
}

static bool write_binary(sim_writer *w, const sim_op *op, const ptx_instruction *i, const char *operation) {
    sim_value_type type;
    if (is_packed(i->type) || i->mods[PTX_SLOT_SAT] || !value_type(i->type, &type)) return false;
    const sim_value a = sim_read_slot(w, op->a, type), b = sim_read_slot(w, op->b, type);
    sim_write_slot(w, op->d, write_two(w, operation, a, b));
    return true;
}

/* The product as wide as its type says: the low half, or all of it. */
static bool write_product(sim_writer *w, const sim_op *op, const ptx_instruction *i, bool wide, bool adds) {
    sim_value_type from, to;
    if (!value_type(i->type, &from) || i->mods[PTX_SLOT_SAT]) return false;
    if (!wide && i->mods[PTX_SLOT_MODE] != PTX_MOD_LO) return false;
    to = wide ? (sim_value_type)(from + 1) : from;
    const sim_value a = write_cast(w, sim_read_slot(w, op->a, from), to, is_signed(i->type));
    const sim_value b = write_cast(w, sim_read_slot(w, op->b, from), to, is_signed(i->type));
    sim_value product = write_two(w, "mul", a, b);
    if (adds) product = write_two(w, "add", product, sim_read_slot(w, op->c, to));
    sim_write_slot(w, op->d, product);
    return true;
}

static bool write_high_product(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    if (i->mods[PTX_SLOT_MODE] == PTX_MOD_LO) return write_product(w, op, i, false, false);
    if (ptx_bits(i->type) != 32) return false;
    const bool sign = is_signed(i->type);
    const sim_value a = write_cast(w, sim_read_slot(w, op->a, SIM_VALUE_I32), SIM_VALUE_I64, sign);
    const sim_value b = write_cast(w, sim_read_slot(w, op->b, SIM_VALUE_I32), SIM_VALUE_I64, sign);
    const sim_value product = write_two(w, "mul", a, b);
    const sim_value high = write_two(w, "lshr", product, sim_value_constant(SIM_VALUE_I64, 32));
    sim_write_slot(w, op->d, write_cast(w, high, SIM_VALUE_I32, false));
    return true;
}

static bool write_lesser(sim_writer *w, const sim_op *op, const ptx_instruction *i, bool lesser) {
    sim_value_type type;
    if (is_packed(i->type) || i->mods[PTX_SLOT_RELU] || !value_type(i->type, &type)) return false;
    const sim_value a = sim_read_slot(w, op->a, type), b = sim_read_slot(w, op->b, type);
    const char *relation = is_signed(i->type) ? (lesser ? "icmp slt" : "icmp sgt") : lesser ? "icmp ult" : "icmp ugt";
    sim_write_slot(w, op->d, write_choice(w, write_relation(w, relation, a, b), a, b));
    return true;
}

static bool write_negation(sim_writer *w, const sim_op *op, const ptx_instruction *i, bool absolute) {
    sim_value_type type;
    if (!value_type(i->type, &type)) return false;
    const sim_value a = sim_read_slot(w, op->a, type), zero = sim_value_constant(type, 0);
    const sim_value negative = write_two(w, "sub", zero, a);
    if (absolute)
        sim_write_slot(w, op->d, write_choice(w, write_relation(w, "icmp slt", a, zero), negative, a));
    else
        sim_write_slot(w, op->d, negative);
    return true;
}

/* ---- logic ---- */

static sim_value read_mask(sim_writer *w, uint32_t slot, uint32_t flip) {
    const sim_value mask = sim_read_slot(w, slot, SIM_VALUE_MASK);
    if (!flip) return mask;
    return sim_write_value(w, SIM_VALUE_MASK, "xor i32 %s, -1", sim_operand(w, mask));
}

static bool write_logic(sim_writer *w, const sim_op *op, const ptx_instruction *i, const char *operation) {
    if (i->type != PTX_PRED) return write_binary(w, op, i, operation);
    const sim_value a = read_mask(w, op->a, op->x), b = read_mask(w, op->b, op->y);
    sim_write_slot(w, op->d, write_two(w, operation, a, b));
    return true;
}

static bool write_not(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    sim_value_type type = SIM_VALUE_MASK;
    if (i->type != PTX_PRED && !value_type(i->type, &type)) return false;
    const sim_value a = type == SIM_VALUE_MASK ? read_mask(w, op->a, op->x) : sim_read_slot(w, op->a, type);
    sim_write_slot(w, op->d, write_two(w, "xor", a, sim_value_constant(type, UINT64_MAX)));
    return true;
}

/* Everything is shifted out from the width on. */
static bool write_shift(sim_writer *w, const sim_op *op, const ptx_instruction *i, bool left) {
    sim_value_type type;
    if (!value_type(i->type, &type)) return false;
    const unsigned bits = ptx_bits(i->type);
    const bool sign = !left && is_signed(i->type);
    const char *operation = left ? "shl" : sign ? "ashr" : "lshr";
    const sim_value a = sim_read_slot(w, op->a, type), by = sim_read_slot(w, op->b, SIM_VALUE_I32);
    if (!by.id) {
        const uint64_t most = by.bits < bits ? by.bits : bits - 1;
        const bool out = by.bits >= bits && !sign;
        const sim_value zero = sim_value_constant(type, 0);
        sim_write_slot(w, op->d, out ? zero : write_two(w, operation, a, sim_value_constant(type, most)));
        return true;
    }
    const sim_value width = sim_value_constant(SIM_VALUE_I32, bits), last = sim_value_constant(SIM_VALUE_I32, bits - 1);
    const uint32_t inside = write_relation(w, "icmp ult", by, width);
    const sim_value within = write_choice(w, inside, by, last);
    const sim_value shifted = write_two(w, operation, a, write_cast(w, within, type, false));
    sim_write_slot(w, op->d, sign ? shifted : write_choice(w, inside, shifted, sim_value_constant(type, 0)));
    return true;
}

/* A table's bit n is the result for bits a = n >> 2 & 1, b = n >> 1 & 1, c = n & 1. */
static bool write_lop3(sim_writer *w, const sim_op *op) {
    const uint64_t table = (uint64_t)op->imm;
    const sim_value in[3] = {sim_read_slot(w, op->a, SIM_VALUE_I32), sim_read_slot(w, op->b, SIM_VALUE_I32),
                             sim_read_slot(w, op->c, SIM_VALUE_I32)};
    const sim_value ones = sim_value_constant(SIM_VALUE_I32, UINT64_MAX);
    sim_value not_in[3], sum = sim_value_constant(SIM_VALUE_I32, 0);
    for (unsigned k = 0; k < 3; k++) not_in[k] = write_two(w, "xor", in[k], ones);
    for (unsigned n = 0; n < 8; n++) {
        if (!(table >> n & 1)) continue;
        sim_value term = write_two(w, "and", n & 4 ? in[0] : not_in[0], n & 2 ? in[1] : not_in[1]);
        term = write_two(w, "and", term, n & 1 ? in[2] : not_in[2]);
        sum = write_two(w, "or", sum, term);
    }
    sim_write_slot(w, op->d, sum);
    return true;
}

/* ---- floating point ---- */

/* Subnormal numbers become zeros of their sign. */
static sim_value write_flush(sim_writer *w, sim_value a) {
    const sim_value bits =
        sim_write_value(w, SIM_VALUE_I32, "bitcast <32 x float> %s to <32 x i32>", sim_operand(w, a));
    const sim_value exponent = write_two(w, "and", bits, sim_value_constant(SIM_VALUE_I32, 0x7f800000));
    const uint32_t small = write_relation(w, "icmp eq", exponent, sim_value_constant(SIM_VALUE_I32, 0));
    const sim_value zero = write_two(w, "and", bits, sim_value_constant(SIM_VALUE_I32, 0x80000000));
    const sim_value chosen = write_choice(w, small, zero, bits);
    sim_value out = sim_write_value(w, SIM_VALUE_F32, "bitcast <32 x i32> %s to <32 x float>", sim_operand(w, chosen));
    out.raw = a.raw;
    return out;
}

static sim_value read_float(sim_writer *w, const sim_op *op, uint32_t slot) {
    const sim_value a = sim_read_raw(w, slot);
    return op->x & FLUSHES ? write_flush(w, a) : a;
}

static void write_float(sim_writer *w, const sim_op *op, sim_value result) {
    result.raw = true;
    sim_write_slot(w, op->d, op->x & FLUSHES ? write_flush(w, result) : result);
}

/* Single precision, to nearest; flushing or not. */
static bool is_plain_float(const sim_op *op, const ptx_instruction *i) {
    return i->type == PTX_F32 && op->y == FE_TONEAREST && (op->x & ~(uint32_t)FLUSHES) == 0;
}

static bool write_float_binary(sim_writer *w, const sim_op *op, const ptx_instruction *i, const char *operation) {
    if (!is_plain_float(op, i)) return false;
    const sim_value a = read_float(w, op, op->a), b = read_float(w, op, op->b);
    write_float(w, op, write_two(w, operation, a, b));
    return true;
}

static bool write_fma(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    if (!is_plain_float(op, i) || !w->has_fma) return false;
    const sim_value a = read_float(w, op, op->a), b = read_float(w, op, op->b), c = read_float(w, op, op->c);
    write_float(w, op,
                sim_write_value(w, SIM_VALUE_F32,
                                "call <32 x float> @llvm.fma.v32f32(<32 x float> %s, <32 x float> %s, <32 x float> %s)",
                                sim_operand(w, a), sim_operand(w, b), sim_operand(w, c)));
    return true;
}

static bool write_square_root(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    if (!is_plain_float(op, i)) return false;
    const sim_value a = read_float(w, op, op->a);
    write_float(
        w, op,
        sim_write_value(w, SIM_VALUE_F32, "call <32 x float> @llvm.sqrt.v32f32(<32 x float> %s)", sim_operand(w, a)));
    return true;
}

static bool write_reciprocal(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    if (!is_plain_float(op, i)) return false;
    const sim_value a = read_float(w, op, op->a);
    const sim_value ones = sim_value_constant(SIM_VALUE_I32, 0x3f800000);
    const sim_value one =
        sim_write_value(w, SIM_VALUE_F32, "bitcast <32 x i32> %s to <32 x float>", sim_operand(w, ones));
    write_float(w, op, write_two(w, "fdiv", one, a));
    return true;
}

/* A sign is a bit, of a NaN too. */
static bool write_sign(sim_writer *w, const sim_op *op, const ptx_instruction *i, const char *operation,
                       uint64_t mask) {
    if (i->type != PTX_F32 || i->mods[PTX_SLOT_FTZ]) return false;
    const sim_value a = sim_read_slot(w, op->a, SIM_VALUE_I32);
    sim_write_slot(w, op->d, write_two(w, operation, a, sim_value_constant(SIM_VALUE_I32, mask)));
    return true;
}

/* Of equal numbers, which may be zeros of both signs, the one that `of_equals` makes of their bits; a number rather
 * than a NaN. */
static bool write_float_choice(sim_writer *w, const sim_op *op, const ptx_instruction *i, const char *relation,
                               const char *of_equals) {
    if (i->type != PTX_F32 || op->x || i->operand_count > 3) return false;
    const sim_value a = sim_read_slot(w, op->a, SIM_VALUE_F32), b = sim_read_slot(w, op->b, SIM_VALUE_F32);
    const sim_value a_bits = sim_read_slot(w, op->a, SIM_VALUE_I32), b_bits = sim_read_slot(w, op->b, SIM_VALUE_I32);
    const sim_value equal = write_two(w, of_equals, a_bits, b_bits);
    const sim_value number = write_choice(w, write_relation(w, "fcmp uno", b, b), a_bits, b_bits);
    sim_value chosen = write_choice(w, write_relation(w, "fcmp oeq", a, b), equal, number);
    chosen = write_choice(w, write_relation(w, relation, b, a), b_bits, chosen);
    chosen = write_choice(w, write_relation(w, relation, a, b), a_bits, chosen);
    sim_value out = sim_write_value(w, SIM_VALUE_F32, "bitcast <32 x i32> %s to <32 x float>", sim_operand(w, chosen));
    out.raw = true;
    sim_write_slot(w, op->d, out);
    return true;
}

/* ---- comparison and choice ---- */

static const char *relation_of(const ptx_instruction *i) {
    const bool sign = is_signed(i->type);
    const bool floating = i->type == PTX_F32;
    switch (i->mods[PTX_SLOT_COMPARE]) {
    case PTX_MOD_EQ: return floating ? "fcmp oeq" : "icmp eq";
    case PTX_MOD_NE: return floating ? "fcmp one" : "icmp ne";
    case PTX_MOD_LT: return floating ? "fcmp olt" : sign ? "icmp slt" : "icmp ult";
    case PTX_MOD_LE: return floating ? "fcmp ole" : sign ? "icmp sle" : "icmp ule";
    case PTX_MOD_GT: return floating ? "fcmp ogt" : sign ? "icmp sgt" : "icmp ugt";
    case PTX_MOD_GE: return floating ? "fcmp oge" : sign ? "icmp sge" : "icmp uge";
    case PTX_MOD_CMP_LO: return "icmp ult";
    case PTX_MOD_LS: return "icmp ule";
    case PTX_MOD_CMP_HI: return "icmp ugt";
    case PTX_MOD_HS: return "icmp uge";
    case PTX_MOD_EQU: return "fcmp ueq";
    case PTX_MOD_NEU: return "fcmp une";
    case PTX_MOD_LTU: return "fcmp ult";
    case PTX_MOD_LEU: return "fcmp ule";
    case PTX_MOD_GTU: return "fcmp ugt";
    case PTX_MOD_GEU: return "fcmp uge";
    case PTX_MOD_NUM: return "fcmp ord";
    case PTX_MOD_CMP_NAN: return "fcmp uno";
    default: return NULL;
    }
}

static sim_value write_combined(sim_writer *w, const sim_op *op, sim_value set) {
    if (!op->target) return set;
    const sim_value with = read_mask(w, op->c, op->y);
    const char *operation = op->target == PTX_MOD_AND ? "and" : op->target == PTX_MOD_OR ? "or" : "xor";
    return write_two(w, operation, set, with);
}

static bool write_setp(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    sim_value_type type = SIM_VALUE_F32;
    const char *relation = relation_of(i);
    const bool integer = is_integer(i->type) && !is_packed(i->type);
    if (!relation || i->mods[PTX_SLOT_FTZ] || (i->type != PTX_F32 && !(integer && value_type(i->type, &type))))
        return false;
    const bool pair = i->operands[0].kind == PTX_PAIR;
    const sim_value a = i->type == PTX_F32 ? sim_read_raw(w, op->a) : sim_read_slot(w, op->a, type);
    const sim_value b = i->type == PTX_F32 ? sim_read_raw(w, op->b) : sim_read_slot(w, op->b, type);
    const sim_value set = write_mask(w, write_relation(w, relation, a, b));
    const sim_value p = write_combined(w, op, set);
    sim_value q = p;
    if (pair) q = write_combined(w, op, write_two(w, "xor", set, sim_value_constant(SIM_VALUE_MASK, UINT64_MAX)));
    sim_write_slot(w, op->d, p);
    if (pair) sim_write_slot(w, op->x, q);
    return true;
}

static bool write_selp(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    sim_value_type type;
    if (!value_type(i->type, &type)) return false;
    const sim_value a = sim_read_slot(w, op->a, type), b = sim_read_slot(w, op->b, type);
    sim_write_slot(w, op->d, write_choice(w, sim_write_bits(w, read_mask(w, op->c, op->x)), a, b));
    return true;
}

/* ---- conversion and copies ---- */

static bool has_own_width(const sim_writer *w, const ptx_operand *o, unsigned type) {
    if (o->kind == PTX_SPECIAL_REGISTER) return ptx_bits(ptx_special_types[o->special]) == ptx_bits(type);
    return o->kind != PTX_REGISTER || ptx_bits(w->program->function->registers[o->reg].type) == ptx_bits(type);
}

static bool write_convert(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    sim_value_type from, to;
    if (i->mods[PTX_SLOT_SAT] || i->mods[PTX_SLOT_FTZ] || i->mods[PTX_SLOT_RELU] || i->mods[PTX_SLOT_SATFINITE])
        return false;
    if (!has_own_width(w, &i->operands[0], i->type) || !has_own_width(w, &i->operands[1], i->type2)) return false;
    if (!is_integer(i->type2) || !value_type(i->type2, &from)) return false;
    if (i->type == PTX_F32 && i->mods[PTX_SLOT_ROUND] == PTX_MOD_RN && from == SIM_VALUE_I32) {
        const sim_value a = sim_read_slot(w, op->a, from);
        sim_write_slot(w, op->d,
                       sim_write_value(w, SIM_VALUE_F32, "%s <32 x i32> %s to <32 x float>",
                                       is_signed(i->type2) ? "sitofp" : "uitofp", sim_operand(w, a)));
        return true;
    }
    if (!is_integer(i->type) || !value_type(i->type, &to)) return false;
    sim_write_slot(w, op->d, write_cast(w, sim_read_slot(w, op->a, from), to, is_signed(i->type2)));
    return true;
}

/* One element of a register: the operation has its place in x. */
static bool write_unpack(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    const unsigned whole = ptx_bits(i->type), element = whole / i->operands[0].part_count;
    sim_value_type from, to = element == 32 ? SIM_VALUE_I32 : SIM_VALUE_I16;
    if (element < 16 || !value_type(i->type, &from)) return false;
    const sim_value a = sim_read_slot(w, op->a, from);
    const sim_value moved = op->x ? write_two(w, "lshr", a, sim_value_constant(from, op->x)) : a;
    sim_write_slot(w, op->d, write_cast(w, moved, to, false));
    return true;
}

/* Two elements into one register, each half as wide. */
static bool write_pack(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    const unsigned whole = ptx_bits(i->type);
    sim_value_type to;
    if (i->operands[1].part_count != 2 || whole < 32 || !value_type(i->type, &to)) return false;
    const sim_value_type from = (sim_value_type)(to - 1);
    const sim_value low = write_cast(w, sim_read_slot(w, op->a, from), to, false);
    const sim_value high = write_cast(w, sim_read_slot(w, op->b, from), to, false);
    const sim_value moved = write_two(w, "shl", high, sim_value_constant(to, whole / 2));
    sim_write_slot(w, op->d, write_two(w, "or", low, moved));
    return true;
}

/* Floating-point lanes are copied as such where they are known as such. */
static bool write_copy(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    sim_value_type type;
    if (i->operands[0].kind == PTX_VECTOR) return write_unpack(w, op, i);
    if (i->operands[1].kind == PTX_VECTOR) return write_pack(w, op, i);
    if (!has_own_width(w, &i->operands[1], i->type)) return false;
    if (i->type == PTX_PRED) {
        sim_write_slot(w, op->d, read_mask(w, op->a, op->x));
        return true;
    }
    if (!value_type(i->type, &type)) return false;
    sim_write_slot(w, op->d, i->type == PTX_F32 ? sim_read_raw(w, op->a) : sim_read_slot(w, op->a, type));
    return true;
}

/* The word at imm of the kernel's parameters, in all lanes. */
static bool write_parameter(sim_writer *w, const sim_op *op) {
    const sim_value_type type = op->bytes == 4 ? SIM_VALUE_I32 : SIM_VALUE_I64;
    const char *lane = op->bytes == 4 ? "i32" : "i64", *lanes = sim_value_types[type];
    const uint32_t params = sim_write_native(w, offsetof(sim_native, params));
    const uint32_t pointer = sim_write_pointer(w, sim_write_sum(w, params, op->imm), lane);
    const uint32_t word = sim_write_id(w, "load %s, %s %%v%u, align 1", lane, sim_pointer_type(w, lane), pointer);
    const uint32_t first = sim_write_id(w, "insertelement %s undef, %s %%v%u, i32 0", lanes, lane, word);
    sim_write_slot(
        w, op->d,
        sim_write_value(w, type, "shufflevector %s %%v%u, %s undef, <32 x i32> zeroinitializer", lanes, first, lanes));
    return true;
}

static bool write_window(sim_writer *w, const sim_op *op) {
    const sim_value a = sim_read_slot(w, op->a, SIM_VALUE_I64);
    const sim_value window = sim_value_constant(SIM_VALUE_I64, (uint64_t)op->imm);
    sim_write_slot(w, op->d, op->imm ? write_two(w, "add", a, window) : a);
    return true;
}

/* ---- what handlers do ---- */

bool sim_op_is_arithmetic(const ptx_instruction *i) {
    static const uint16_t groups[][2] = {{PTX_OP_ADD, PTX_OP_VSET4},  {PTX_OP_FADD, PTX_OP_COPYSIGN},
                                         {PTX_OP_HADD, PTX_OP_HTANH}, {PTX_OP_SETP, PTX_OP_SLCT},
                                         {PTX_OP_AND, PTX_OP_PRMT},   {PTX_OP_MOV, PTX_OP_CVT_PACK_MORE}};
    for (size_t k = 0; k < sizeof groups / sizeof *groups; k++)
        if (i->op >= groups[k][0] && i->op <= groups[k][1]) return true;
    return false;
}

bool sim_op_is_collective(const ptx_instruction *i) {
    switch (i->op) {
    case PTX_OP_SHFL:
    case PTX_OP_VOTE:
    case PTX_OP_VOTE_BALLOT:
    case PTX_OP_MATCH:
    case PTX_OP_REDUX:
    case PTX_OP_REDUX_FLOAT:
    case PTX_OP_ACTIVEMASK:
    case PTX_OP_ELECT: return true;
    default: return false;
    }
}

/* ---- rows ---- */

bool sim_write_op(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    if (op->form == SIM_FORM_PARAMETER) return write_parameter(w, op);
    if (op->form == SIM_FORM_ADD_WINDOW) return write_window(w, op);
    switch (i->op) {
    case PTX_OP_ADD: return write_binary(w, op, i, "add");
    case PTX_OP_SUB: return write_binary(w, op, i, "sub");
    case PTX_OP_MUL: return write_high_product(w, op, i);
    case PTX_OP_MUL_WIDE: return write_product(w, op, i, true, false);
    case PTX_OP_MAD: return write_product(w, op, i, false, true);
    case PTX_OP_MAD_WIDE: return write_product(w, op, i, true, true);
    case PTX_OP_MIN: return write_lesser(w, op, i, true);
    case PTX_OP_MAX: return write_lesser(w, op, i, false);
    case PTX_OP_NEG: return write_negation(w, op, i, false);
    case PTX_OP_ABS: return write_negation(w, op, i, true);
    case PTX_OP_AND: return write_logic(w, op, i, "and");
    case PTX_OP_OR: return write_logic(w, op, i, "or");
    case PTX_OP_XOR: return write_logic(w, op, i, "xor");
    case PTX_OP_NOT: return write_not(w, op, i);
    case PTX_OP_SHL: return write_shift(w, op, i, true);
    case PTX_OP_SHR: return write_shift(w, op, i, false);
    case PTX_OP_LOP3: return write_lop3(w, op);
    case PTX_OP_FADD: return write_float_binary(w, op, i, "fadd");
    case PTX_OP_FSUB: return write_float_binary(w, op, i, "fsub");
    case PTX_OP_FMUL: return write_float_binary(w, op, i, "fmul");
    case PTX_OP_FDIV: return write_float_binary(w, op, i, "fdiv");
    case PTX_OP_FMA:
    case PTX_OP_FMAD: return write_fma(w, op, i);
    case PTX_OP_SQRT: return write_square_root(w, op, i);
    case PTX_OP_RCP: return write_reciprocal(w, op, i);
    case PTX_OP_FNEG: return write_sign(w, op, i, "xor", 0x80000000);
    case PTX_OP_FABS: return write_sign(w, op, i, "and", 0x7fffffff);
    case PTX_OP_FMIN: return write_float_choice(w, op, i, "fcmp olt", "or");
    case PTX_OP_FMAX: return write_float_choice(w, op, i, "fcmp ogt", "and");
    case PTX_OP_SETP:
    case PTX_OP_SETP_COMBINE: return write_setp(w, op, i);
    case PTX_OP_SELP: return write_selp(w, op, i);
    case PTX_OP_CVT: return write_convert(w, op, i);
    case PTX_OP_MOV: return write_copy(w, op, i);
    default: return false;
    }
}
