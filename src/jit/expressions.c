#include "jit/expressions.h"

/* ---- types ---- */

/* The width of the register, which may exceed that of the type. */
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

/* ---- values ---- */

sim_value sim_write_two(sim_writer *w, const char *operation, sim_value a, sim_value b) {
    return sim_write_value(w, (sim_value_type)a.type, "%s %s %s, %s", operation, sim_value_types[a.type],
                           sim_operand(w, a), sim_operand(w, b));
}

uint32_t sim_write_relation(sim_writer *w, const char *relation, sim_value a, sim_value b) {
    return sim_write_id(w, "%s %s %s, %s", relation, sim_value_types[a.type], sim_operand(w, a), sim_operand(w, b));
}

sim_value sim_write_choice(sim_writer *w, uint32_t bits, sim_value yes, sim_value no) {
    const char *type = sim_value_types[yes.type];
    return sim_write_value(w, (sim_value_type)yes.type, "select <%d x i1> %%v%u, %s %s, %s %s",
                           yes.type == SIM_VALUE_PAIRS ? 2 * SIM_LANES : SIM_LANES, bits, type, sim_operand(w, yes),
                           type, sim_operand(w, no));
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

static const char *const type_suffixes[SIM_VALUE_TYPES] = {"v32i16", "v32i32", "v32i64", "v32f32",
                                                           "v32f64", "v64i16", "i32"};

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

sim_value sim_write_lesser(sim_writer *w, sim_value a, sim_value b, bool is_signed, bool lesser) {
    const char *relation = is_signed ? (lesser ? "icmp slt" : "icmp sgt") : lesser ? "icmp ult" : "icmp ugt";
    return sim_write_choice(w, sim_write_relation(w, relation, a, b), a, b);
}

sim_value sim_read_mask(sim_writer *w, uint32_t slot, uint32_t flip) {
    const sim_value mask = sim_read_slot(w, slot, SIM_VALUE_MASK);
    if (!flip) return mask;
    return sim_write_value(w, SIM_VALUE_MASK, "xor i32 %s, -1", sim_operand(w, mask));
}

const char *sim_relation_of(const ptx_instruction *i, bool floating) {
    enum { WITHOUT_SIGN, WITH_SIGN, FLOATING, KINDS };
    static const char *const names[PTX_MOD_COUNT][KINDS] = {
#define INTEGERS(modifier, name, operation, without, with) \
    [PTX_MOD_##modifier][WITHOUT_SIGN] = "icmp " without, [PTX_MOD_##modifier][WITH_SIGN] = "icmp " with,
#define UNSIGNED(modifier, name, without) [PTX_MOD_##modifier][WITHOUT_SIGN] = "icmp " without,
#define FLOATS(modifier, name, condition, llvm) [PTX_MOD_##modifier][FLOATING] = "fcmp " llvm,
#include "lower/relations.def"
    };
    return names[i->mods[PTX_SLOT_COMPARE]][floating ? FLOATING : ptx_is_signed(i->type) ? WITH_SIGN : WITHOUT_SIGN];
}
