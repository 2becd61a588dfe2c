/* Operations that count, find and move bits. */
#include "jit/ops.h"
#include "lower/internal.h"

#include <stdio.h>

/* ---- functions of one register with a 32-bit result ---- */

/* more: a further argument of LLVM's function. */
static bool write_counted(sim_writer *w, const sim_op *op, const ptx_instruction *i, const char *name,
                          const char *more) {
    const sim_value_type type = sim_value_type_by(ptx_bits(i->type));
    const sim_value a = sim_read_slot(w, op->a, type);
    const sim_value count = sim_write_value(w, type, "call %s @llvm.%s.v32i%u(%s %s%s)", sim_value_types[type], name,
                                            ptx_bits(i->type), sim_value_types[type], sim_operand(w, a), more);
    sim_write_slot(w, op->d, sim_write_cast(w, count, SIM_VALUE_I32, false));
    return true;
}

static bool write_reversed(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    const sim_value a = sim_read_slot(w, op->a, sim_value_type_by(ptx_bits(i->type)));
    sim_write_slot(w, op->d, sim_write_function(w, "bitreverse", &a, 1));
    return true;
}

static bool write_is_zero(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    const sim_value_type type = sim_value_type_by(ptx_bits(i->type));
    const sim_value zero = sim_value_constant(type, 0), one = sim_value_constant(type, 1);
    const uint32_t is_zero = sim_write_relation(w, "icmp eq", sim_read_slot(w, op->a, type), zero);
    sim_write_slot(w, op->d, sim_write_choice(w, is_zero, one, zero));
    return true;
}

/* ---- fields at constant positions ---- */

static bool read_place(const sim_writer *w, uint32_t slot, uint32_t *out) {
    sim_value v;
    if (!sim_slot_is_constant(w, slot, SIM_VALUE_I32, &v) || v.bits > 255) return false;
    *out = (uint32_t)v.bits;
    return true;
}

static uint64_t ones(uint32_t length) {
    return length >= 64 ? UINT64_MAX : (UINT64_C(1) << length) - 1;
}

static bool write_extracted(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    const uint32_t bits = ptx_bits(i->type);
    const sim_value_type type = sim_value_type_by(bits);
    const bool sign = ptx_is_signed(i->type);
    uint32_t at, length;
    if (!read_place(w, op->b, &at) || !read_place(w, op->c, &length)) return false;
    if (length == 0 || (at >= bits && !sign)) {
        sim_write_slot(w, op->d, sim_value_constant(type, 0));
        return true;
    }
    const sim_value from = sim_value_constant(type, at < bits ? at : bits - 1);
    sim_value v = sim_write_two(w, sign ? "ashr" : "lshr", sim_read_slot(w, op->a, type), from);
    const sim_value spare = sim_value_constant(type, length < bits ? bits - length : 0);
    if (length < bits && sign)
        v = sim_write_two(w, "ashr", sim_write_two(w, "shl", v, spare), spare);
    else if (length < bits)
        v = sim_write_two(w, "and", v, sim_value_constant(type, ones(length)));
    sim_write_slot(w, op->d, v);
    return true;
}

/* sim_op.x: the length. */
static bool write_inserted(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    const uint32_t bits = ptx_bits(i->type);
    const sim_value_type type = sim_value_type_by(bits);
    uint32_t at, length;
    if (!read_place(w, op->c, &at) || !read_place(w, op->x, &length)) return false;
    const uint64_t field = at >= bits ? 0 : ones(length) << at;
    const sim_value by = sim_value_constant(type, at < bits ? at : 0);
    const sim_value moved = sim_write_two(w, "shl", sim_read_slot(w, op->a, type), by);
    const sim_value inside = sim_write_two(w, "and", moved, sim_value_constant(type, field));
    const sim_value outside = sim_write_two(w, "and", sim_read_slot(w, op->b, type), sim_value_constant(type, ~field));
    sim_write_slot(w, op->d, sim_write_two(w, "or", inside, outside));
    return true;
}

/* ---- funnel shifts: b above a ---- */

static bool write_funnel(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    const bool left = i->mods[PTX_SLOT_MODE] == PTX_MOD_L;
    const bool clamps = i->mods[PTX_SLOT_MODE2] == PTX_MOD_SHIFT_CLAMP;
    const sim_value a = sim_read_slot(w, op->a, SIM_VALUE_I32), b = sim_read_slot(w, op->b, SIM_VALUE_I32);
    const sim_value by = sim_read_slot(w, op->c, SIM_VALUE_I32), in[3] = {b, a, by};
    sim_value v = sim_write_function(w, left ? "fshl" : "fshr", in, 3);
    if (clamps) {
        const uint32_t all = sim_write_relation(w, "icmp ugt", by, sim_value_constant(SIM_VALUE_I32, 31));
        v = sim_write_choice(w, all, left ? a : b, v);
    }
    sim_write_slot(w, op->d, v);
    return true;
}

/* ---- prmt with constant selectors that copy no signs ---- */

enum { BYTES = 4 * SIM_LANES };

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

bool sim_write_bit_field(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    switch (i->op) {
    case PTX_OP_POPC: return write_counted(w, op, i, "ctpop", "");
    case PTX_OP_CLZ: return write_counted(w, op, i, "ctlz", ", i1 false");
    case PTX_OP_BREV: return write_reversed(w, op, i);
    case PTX_OP_CNOT: return write_is_zero(w, op, i);
    case PTX_OP_BFE: return write_extracted(w, op, i);
    case PTX_OP_BFI: return write_inserted(w, op, i);
    case PTX_OP_SHF: return write_funnel(w, op, i);
    case PTX_OP_PRMT: return write_permuted(w, op, i);
    default: return false;
    }
}
