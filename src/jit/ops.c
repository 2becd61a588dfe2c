/* Operations that LLVM's IR can express. All others go to their handlers.
 *
 * A function that writes an operation returns false, and writes nothing that matters, if it does not know the form.
 * Integers have a file of their own (integer.c), and so have floats, halves, votes and approximations. */
#include "jit/ops.h"

#include "lower/internal.h"

#include <stdio.h>

/* Gets integer lanes of the type's width. Returns false if there are none. */
static bool value_type_of(unsigned type, sim_value_type *out) {
    switch (ptx_bits(type)) {
    case 16: *out = SIM_VALUE_I16; return true;
    case 32: *out = SIM_VALUE_I32; return true;
    case 64: *out = SIM_VALUE_I64; return true;
    default: return false;
    }
}

/* ---- comparison ---- */

/* Combines a comparison's result with another predicate, if the instruction has one. */
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
    const bool integer = ptx_is_integer(i->type) && !sim_type_is_packed(i->type);
    if (!single && i->type != PTX_F64 && !(integer && value_type_of(i->type, &type))) return false;
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

/* ---- copies ---- */

/* Extracts one element of a register; x has its position. */
static bool write_unpack(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    const unsigned whole = ptx_bits(i->type), element = whole / i->operands[0].part_count;
    sim_value_type from, to = element == 32 ? SIM_VALUE_I32 : SIM_VALUE_I16;
    if (element < 16 || !value_type_of(i->type, &from)) return false;
    const sim_value a = sim_read_slot(w, op->a, from);
    const sim_value moved = op->x ? sim_write_two(w, "lshr", a, sim_value_constant(from, op->x)) : a;
    sim_write_slot(w, op->d, sim_write_cast(w, moved, to, false));
    return true;
}

/* Packs two elements into one register, each half as wide. */
static bool write_pack(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    const unsigned whole = ptx_bits(i->type);
    sim_value_type to;
    if (i->operands[1].part_count != 2 || whole < 32 || !value_type_of(i->type, &to)) return false;
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
    if (!value_type_of(i->type, &type)) return false;
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

/* Converts an address by adding the start of its state space's window. */
static bool write_window(sim_writer *w, const sim_op *op) {
    const sim_value a = sim_read_slot(w, op->a, SIM_VALUE_I64);
    const sim_value window = sim_value_constant(SIM_VALUE_I64, (uint64_t)op->imm);
    sim_write_slot(w, op->d, op->imm ? sim_write_two(w, "add", a, window) : a);
    return true;
}

/* ---- prmt with constant selectors that copy no signs ---- */

enum { BYTES = 4 * SIM_LANES };

/* Selectors that copy a sign are left to the handler. */
static bool find_selectors(const sim_writer *w, const sim_op *op, const ptx_instruction *i, uint32_t *out) {
    sim_value c;
    if (!sim_slot_is_constant(w, op->c, SIM_VALUE_I32, &c)) return false;
    *out = (uint32_t)(i->mods[PTX_SLOT_MODE] ? (uint64_t)op->imm >> 16 * (c.bits & 3) : c.bits) & 0xffff;
    return !(*out & 0x8888);
}

static uint32_t write_bytes(sim_writer *w, uint32_t slot) {
    const sim_value v = sim_read_slot(w, slot, SIM_VALUE_I32);
    return sim_write_id(w, "bitcast <32 x i32> %s to <%d x i8>", sim_operand(w, v), BYTES);
}

/* The bytes of two registers as one shuffle. */
static bool write_permuted(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    char places[BYTES * 8];
    uint32_t selectors;
    size_t at = 0;
    if (!find_selectors(w, op, i, &selectors)) return false;
    for (unsigned n = 0; n < BYTES; n++) {
        const uint32_t selector = selectors >> 4 * (n % 4) & 7;
        at += (size_t)snprintf(places + at, sizeof places - at, "%si32 %u", n ? "," : "",
                               n / 4 * 4 + selector % 4 + (selector & 4 ? BYTES : 0));
    }
    const uint32_t a = write_bytes(w, op->a), b = write_bytes(w, op->b);
    const uint32_t bytes = sim_write_id(w, "shufflevector <%d x i8> %%v%u, <%d x i8> %%v%u, <%d x i32> <%s>", BYTES, a,
                                        BYTES, b, BYTES, places);
    sim_write_slot(w, op->d, sim_write_value(w, SIM_VALUE_I32, "bitcast <%d x i8> %%v%u to <32 x i32>", BYTES, bytes));
    return true;
}

/* ---- dispatch ---- */

/* Returns false if the operation's handler must run. */
bool sim_write_op(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    if (op->form == SIM_FORM_PARAMETER) return write_parameter(w, op);
    if (op->form == SIM_FORM_ADD_WINDOW) return write_window(w, op);
    if (op->integer) return sim_write_integer(w, op, i);
    switch (i->op) {
    case PTX_OP_SETP:
    case PTX_OP_SETP_COMBINE: return write_setp(w, op, i);
    case PTX_OP_CVT: return sim_write_convert(w, op, i);
    case PTX_OP_CVT_PACK: return sim_write_pack_halves(w, op, i);
    case PTX_OP_MOV: return write_copy(w, op, i);
    case PTX_OP_PRMT: return write_permuted(w, op, i);
    default: return sim_write_halves(w, op, i) || sim_write_float(w, op, i);
    }
}
