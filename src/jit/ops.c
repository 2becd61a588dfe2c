/* Operations that LLVM's IR can express. All others go to their handlers. */
#include "jit/ops.h"

#include "lower/internal.h"

bool sim_value_type_of(unsigned type, sim_value_type *out) {
    switch (ptx_bits(type)) {
    case 16: *out = SIM_VALUE_I16; return true;
    case 32: *out = SIM_VALUE_I32; return true;
    case 64: *out = SIM_VALUE_I64; return true;
    default: return false;
    }
}

sim_value sim_write_two(sim_writer *w, const char *operation, sim_value a, sim_value b) {
    return sim_write_value(w, (sim_value_type)a.type, "%s %s %s, %s", operation, sim_value_types[a.type],
                           sim_operand(w, a), sim_operand(w, b));
}

uint32_t sim_write_relation(sim_writer *w, const char *relation, sim_value a, sim_value b) {
    return sim_write_id(w, "%s %s %s, %s", relation, sim_value_types[a.type], sim_operand(w, a), sim_operand(w, b));
}

sim_value sim_write_choice(sim_writer *w, uint32_t bits, sim_value yes, sim_value no) {
    const char *type = sim_value_types[yes.type];
    return sim_write_value(w, (sim_value_type)yes.type, "select <32 x i1> %%v%u, %s %s, %s %s", bits, type,
                           sim_operand(w, yes), type, sim_operand(w, no));
}

sim_value sim_write_mask(sim_writer *w, uint32_t bits) {
    return sim_write_value(w, SIM_VALUE_MASK, "bitcast <32 x i1> %%v%u to i32", bits);
}

sim_value sim_write_as(sim_writer *w, const char *how, sim_value a, sim_value_type to) {
    return sim_write_value(w, to, "%s %s %s to %s", how, sim_value_types[a.type], sim_operand(w, a),
                           sim_value_types[to]);
}

sim_value sim_write_cast(sim_writer *w, sim_value a, sim_value_type to, bool extends_sign) {
    if (a.type == to) return a;
    return sim_write_as(w, to < a.type ? "trunc" : extends_sign ? "sext" : "zext", a, to);
}

static const char *const type_suffixes[SIM_VALUE_TYPES] = {"v32i16", "v32i32", "v32i64", "v32f32", "v32f64", "i32"};

sim_value sim_write_function(sim_writer *w, const char *name, const sim_value *values, unsigned count) {
    const uint8_t type = values[0].type;
    const char *lanes = sim_value_types[type], *operands[3] = {"", "", ""};
    for (unsigned k = 0; k < count; k++) operands[k] = sim_operand(w, values[k]);
    return sim_write_value(w, (sim_value_type)type, "call %s @llvm.%s.%s(%s %s%s%s %s%s%s %s)", lanes, name,
                           type_suffixes[type], lanes, operands[0], count > 1 ? ", " : "", count > 1 ? lanes : "",
                           operands[1], count > 2 ? ", " : "", count > 2 ? lanes : "", operands[2]);
}

sim_value sim_write_conversion(sim_writer *w, const char *name, sim_value a, sim_value_type to) {
    return sim_write_value(w, to, "call %s @llvm.%s.%s.%s(%s %s)", sim_value_types[to], name, type_suffixes[to],
                           type_suffixes[a.type], sim_value_types[a.type], sim_operand(w, a));
}

/* ---- integers ---- */

static bool write_binary(sim_writer *w, const sim_op *op, const ptx_instruction *i, const char *operation) {
    sim_value_type type;
    if (sim_type_is_packed(i->type) || i->mods[PTX_SLOT_SAT] || !sim_value_type_of(i->type, &type)) return false;
    const sim_value a = sim_read_slot(w, op->a, type), b = sim_read_slot(w, op->b, type);
    sim_write_slot(w, op->d, sim_write_two(w, operation, a, b));
    return true;
}

/* Writes the product, as wide as the type says: the low half, or all of it. */
static bool write_product(sim_writer *w, const sim_op *op, const ptx_instruction *i, bool wide, bool adds) {
    sim_value_type from, to;
    if (!sim_value_type_of(i->type, &from) || i->mods[PTX_SLOT_SAT]) return false;
    if (!wide && i->mods[PTX_SLOT_MODE] != PTX_MOD_LO) return false;
    to = wide ? (sim_value_type)(from + 1) : from;
    const sim_value a = sim_write_cast(w, sim_read_slot(w, op->a, from), to, ptx_is_signed(i->type));
    const sim_value b = sim_write_cast(w, sim_read_slot(w, op->b, from), to, ptx_is_signed(i->type));
    sim_value product = sim_write_two(w, "mul", a, b);
    if (adds) product = sim_write_two(w, "add", product, sim_read_slot(w, op->c, to));
    sim_write_slot(w, op->d, product);
    return true;
}

static bool write_high_product(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    if (i->mods[PTX_SLOT_MODE] == PTX_MOD_LO) return write_product(w, op, i, false, false);
    if (ptx_bits(i->type) != 32) return false;
    const bool sign = ptx_is_signed(i->type);
    const sim_value a = sim_write_cast(w, sim_read_slot(w, op->a, SIM_VALUE_I32), SIM_VALUE_I64, sign);
    const sim_value b = sim_write_cast(w, sim_read_slot(w, op->b, SIM_VALUE_I32), SIM_VALUE_I64, sign);
    const sim_value product = sim_write_two(w, "mul", a, b);
    const sim_value high = sim_write_two(w, "lshr", product, sim_value_constant(SIM_VALUE_I64, 32));
    sim_write_slot(w, op->d, sim_write_cast(w, high, SIM_VALUE_I32, false));
    return true;
}

sim_value sim_write_lesser(sim_writer *w, sim_value a, sim_value b, bool is_signed, bool lesser) {
    const char *relation = is_signed ? (lesser ? "icmp slt" : "icmp sgt") : lesser ? "icmp ult" : "icmp ugt";
    return sim_write_choice(w, sim_write_relation(w, relation, a, b), a, b);
}

static bool write_lesser(sim_writer *w, const sim_op *op, const ptx_instruction *i, bool lesser) {
    sim_value_type type;
    if (sim_type_is_packed(i->type) || i->mods[PTX_SLOT_RELU] || !sim_value_type_of(i->type, &type)) return false;
    const sim_value a = sim_read_slot(w, op->a, type), b = sim_read_slot(w, op->b, type);
    sim_write_slot(w, op->d, sim_write_lesser(w, a, b, ptx_is_signed(i->type), lesser));
    return true;
}

static bool write_negation(sim_writer *w, const sim_op *op, const ptx_instruction *i, bool absolute) {
    sim_value_type type;
    if (!sim_value_type_of(i->type, &type)) return false;
    const sim_value a = sim_read_slot(w, op->a, type), zero = sim_value_constant(type, 0);
    const sim_value negative = sim_write_two(w, "sub", zero, a);
    if (absolute)
        sim_write_slot(w, op->d, sim_write_choice(w, sim_write_relation(w, "icmp slt", a, zero), negative, a));
    else
        sim_write_slot(w, op->d, negative);
    return true;
}

/* ---- logic ---- */

sim_value sim_read_mask(sim_writer *w, uint32_t slot, uint32_t flip) {
    const sim_value mask = sim_read_slot(w, slot, SIM_VALUE_MASK);
    if (!flip) return mask;
    return sim_write_value(w, SIM_VALUE_MASK, "xor i32 %s, -1", sim_operand(w, mask));
}

static bool write_logic(sim_writer *w, const sim_op *op, const ptx_instruction *i, const char *operation) {
    if (i->type != PTX_PRED) return write_binary(w, op, i, operation);
    const sim_value a = sim_read_mask(w, op->a, op->x), b = sim_read_mask(w, op->b, op->y);
    sim_write_slot(w, op->d, sim_write_two(w, operation, a, b));
    return true;
}

static bool write_not(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    sim_value_type type = SIM_VALUE_MASK;
    if (i->type != PTX_PRED && !sim_value_type_of(i->type, &type)) return false;
    const sim_value a = type == SIM_VALUE_MASK ? sim_read_mask(w, op->a, op->x) : sim_read_slot(w, op->a, type);
    sim_write_slot(w, op->d, sim_write_two(w, "xor", a, sim_value_constant(type, UINT64_MAX)));
    return true;
}

/* A shift by the width or more shifts everything out. */
static bool write_shift(sim_writer *w, const sim_op *op, const ptx_instruction *i, bool left) {
    sim_value_type type;
    if (!sim_value_type_of(i->type, &type)) return false;
    const unsigned bits = ptx_bits(i->type);
    const bool sign = !left && ptx_is_signed(i->type);
    const char *operation = left ? "shl" : sign ? "ashr" : "lshr";
    const sim_value a = sim_read_slot(w, op->a, type), by = sim_read_slot(w, op->b, SIM_VALUE_I32);
    if (!by.id) {
        const uint64_t most = by.bits < bits ? by.bits : bits - 1;
        const bool out = by.bits >= bits && !sign;
        const sim_value zero = sim_value_constant(type, 0);
        sim_write_slot(w, op->d, out ? zero : sim_write_two(w, operation, a, sim_value_constant(type, most)));
        return true;
    }
    const sim_value width = sim_value_constant(SIM_VALUE_I32, bits), last = sim_value_constant(SIM_VALUE_I32, bits - 1);
    const uint32_t inside = sim_write_relation(w, "icmp ult", by, width);
    const sim_value within = sim_write_choice(w, inside, by, last);
    const sim_value shifted = sim_write_two(w, operation, a, sim_write_cast(w, within, type, false));
    sim_write_slot(w, op->d, sign ? shifted : sim_write_choice(w, inside, shifted, sim_value_constant(type, 0)));
    return true;
}

/* Bit n of the table is the result for bits a = n >> 2 & 1, b = n >> 1 & 1, c = n & 1. */
static bool write_lop3(sim_writer *w, const sim_op *op) {
    const uint64_t table = (uint64_t)op->imm;
    const sim_value in[3] = {sim_read_slot(w, op->a, SIM_VALUE_I32), sim_read_slot(w, op->b, SIM_VALUE_I32),
                             sim_read_slot(w, op->c, SIM_VALUE_I32)};
    const sim_value ones = sim_value_constant(SIM_VALUE_I32, UINT64_MAX);
    sim_value not_in[3], sum = sim_value_constant(SIM_VALUE_I32, 0);
    for (unsigned k = 0; k < 3; k++) not_in[k] = sim_write_two(w, "xor", in[k], ones);
    for (unsigned n = 0; n < 8; n++) {
        if (!(table >> n & 1)) continue;
        sim_value term = sim_write_two(w, "and", n & 4 ? in[0] : not_in[0], n & 2 ? in[1] : not_in[1]);
        term = sim_write_two(w, "and", term, n & 1 ? in[2] : not_in[2]);
        sum = sim_write_two(w, "or", sum, term);
    }
    sim_write_slot(w, op->d, sum);
    return true;
}

/* ---- comparison and choice ---- */

const char *sim_relation_of(const ptx_instruction *i, bool floating) {
    const bool sign = ptx_is_signed(i->type);
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
    const sim_value with = sim_read_mask(w, op->c, op->y);
    const char *operation = op->target == PTX_MOD_AND ? "and" : op->target == PTX_MOD_OR ? "or" : "xor";
    return sim_write_two(w, operation, set, with);
}

/* Flushes singles with .ftz. Returns false for types that it does not support. */
static bool read_compared(sim_writer *w, const sim_op *op, const ptx_instruction *i, sim_value out[2]) {
    const uint32_t slots[2] = {op->a, op->b};
    sim_value_type type = SIM_VALUE_F64;
    const bool single = i->type == PTX_F32;
    const bool integer = sim_type_is_integer(i->type) && !sim_type_is_packed(i->type);
    if (!single && i->type != PTX_F64 && !(integer && sim_value_type_of(i->type, &type))) return false;
    for (unsigned k = 0; k < 2; k++) {
        out[k] = single ? sim_read_raw(w, slots[k]) : sim_read_slot(w, slots[k], type);
        if (i->mods[PTX_SLOT_FTZ]) out[k] = sim_write_flush(w, out[k]);
    }
    return true;
}

static bool write_setp(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    sim_value v[2];
    const char *relation = sim_relation_of(i, i->type == PTX_F32 || i->type == PTX_F64);
    if (!relation || !read_compared(w, op, i, v)) return false;
    const bool pair = i->operands[0].kind == PTX_PAIR;
    const sim_value set = sim_write_mask(w, sim_write_relation(w, relation, v[0], v[1]));
    const sim_value p = write_combined(w, op, set);
    sim_value q = p;
    if (pair) q = write_combined(w, op, sim_write_two(w, "xor", set, sim_value_constant(SIM_VALUE_MASK, UINT64_MAX)));
    sim_write_slot(w, op->d, p);
    if (pair) sim_write_slot(w, op->x, q);
    return true;
}

static bool write_selp(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    sim_value_type type;
    if (!sim_value_type_of(i->type, &type)) return false;
    const sim_value a = sim_read_slot(w, op->a, type), b = sim_read_slot(w, op->b, type);
    sim_write_slot(w, op->d, sim_write_choice(w, sim_write_bits(w, sim_read_mask(w, op->c, op->x)), a, b));
    return true;
}

/* ---- copies ---- */

static unsigned register_bits(const sim_writer *w, const ptx_operand *o, unsigned type) {
    if (o->kind == PTX_SPECIAL_REGISTER) return ptx_bits(ptx_special_types[o->special]);
    if (o->kind == PTX_REGISTER) return ptx_bits(w->program->function->registers[o->reg].type);
    return ptx_bits(type);
}

bool sim_has_own_width(const sim_writer *w, const ptx_operand *o, unsigned type) {
    return register_bits(w, o, type) == ptx_bits(type);
}

bool sim_register_type(const sim_writer *w, const ptx_operand *o, unsigned type, sim_value_type *out) {
    switch (register_bits(w, o, type)) {
    case 8:
    case 16: *out = SIM_VALUE_I16; break;
    case 32: *out = SIM_VALUE_I32; break;
    case 64: *out = SIM_VALUE_I64; break;
    default: return false;
    }
    return o->kind != PTX_SINK;
}

/* Extracts one element of a register; x has its position. */
static bool write_unpack(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    const unsigned whole = ptx_bits(i->type), element = whole / i->operands[0].part_count;
    sim_value_type from, to = element == 32 ? SIM_VALUE_I32 : SIM_VALUE_I16;
    if (element < 16 || !sim_value_type_of(i->type, &from)) return false;
    const sim_value a = sim_read_slot(w, op->a, from);
    const sim_value moved = op->x ? sim_write_two(w, "lshr", a, sim_value_constant(from, op->x)) : a;
    sim_write_slot(w, op->d, sim_write_cast(w, moved, to, false));
    return true;
}

/* Packs two elements into one register, each half as wide. */
static bool write_pack(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    const unsigned whole = ptx_bits(i->type);
    sim_value_type to;
    if (i->operands[1].part_count != 2 || whole < 32 || !sim_value_type_of(i->type, &to)) return false;
    const sim_value_type from = (sim_value_type)(to - 1);
    const sim_value low = sim_write_cast(w, sim_read_slot(w, op->a, from), to, false);
    const sim_value high = sim_write_cast(w, sim_read_slot(w, op->b, from), to, false);
    const sim_value moved = sim_write_two(w, "shl", high, sim_value_constant(to, whole / 2));
    sim_write_slot(w, op->d, sim_write_two(w, "or", low, moved));
    return true;
}

/* Copies lanes as floating point if they are known as such. */
static bool write_copy(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    sim_value_type type;
    if (i->operands[0].kind == PTX_VECTOR) return write_unpack(w, op, i);
    if (i->operands[1].kind == PTX_VECTOR) return write_pack(w, op, i);
    if (!sim_has_own_width(w, &i->operands[1], i->type)) return false;
    if (i->type == PTX_PRED) {
        sim_write_slot(w, op->d, sim_read_mask(w, op->a, op->x));
        return true;
    }
    if (!sim_value_type_of(i->type, &type)) return false;
    sim_write_slot(w, op->d, i->type == PTX_F32 ? sim_read_raw(w, op->a) : sim_read_slot(w, op->a, type));
    return true;
}

/* Reads the word at imm of the kernel's parameters into all lanes. */
static bool write_parameter(sim_writer *w, const sim_op *op) {
    const sim_value_type type = op->bytes == 4 ? SIM_VALUE_I32 : SIM_VALUE_I64;
    const char *lane = op->bytes == 4 ? "i32" : "i64", *lanes = sim_value_types[type];
    const uint32_t params = sim_write_native(w, offsetof(sim_native, params));
    const uint32_t word = sim_write_load(w, sim_write_sum(w, params, op->imm), lane, 1);
    const uint32_t first = sim_write_id(w, "insertelement %s undef, %s %%v%u, i32 0", lanes, lane, word);
    sim_write_slot(
        w, op->d,
        sim_write_value(w, type, "shufflevector %s %%v%u, %s undef, <32 x i32> zeroinitializer", lanes, first, lanes));
    return true;
}

static bool write_window(sim_writer *w, const sim_op *op) {
    const sim_value a = sim_read_slot(w, op->a, SIM_VALUE_I64);
    const sim_value window = sim_value_constant(SIM_VALUE_I64, (uint64_t)op->imm);
    sim_write_slot(w, op->d, op->imm ? sim_write_two(w, "add", a, window) : a);
    return true;
}

/* ---- dispatch ---- */

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
    case PTX_OP_SETP:
    case PTX_OP_SETP_COMBINE: return write_setp(w, op, i);
    case PTX_OP_SELP: return write_selp(w, op, i);
    case PTX_OP_CVT: return sim_write_convert(w, op, i);
    case PTX_OP_CVT_PACK: return sim_write_pack_halves(w, op, i);
    case PTX_OP_MOV: return write_copy(w, op, i);
    default: return sim_write_bit_field(w, op, i) || sim_write_halves(w, op, i) || sim_write_float(w, op, i);
    }
}
