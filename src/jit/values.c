/* LLVM's textual IR: numbered values, constants, operands, and memory. */
#include "jit/write.h"

#include <inttypes.h>
#include <stdio.h>

const char *const sim_value_types[SIM_VALUE_TYPES] = {"<32 x i16>",    "<32 x i32>", "<32 x i64>", "<32 x float>",
                                                      "<32 x double>", "<64 x i16>", "i32"};
const char *const sim_value_halves[SIM_VALUE_TYPES] = {"<16 x i16>",    "<16 x i32>", "<16 x i64>", "<16 x float>",
                                                       "<16 x double>", NULL,         "i16"};

static uint32_t write_numbered(sim_writer *w, const char *format, va_list arguments) {
    const uint32_t id = ++w->next;
    text_printf(w->out, "  %%v%u = ", id);
    text_vprintf(w->out, format, arguments);
    text_put(w->out, "\n");
    return id;
}

uint32_t sim_write_id(sim_writer *w, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const uint32_t id = write_numbered(w, format, arguments);
    va_end(arguments);
    return id;
}

sim_value sim_write_value(sim_writer *w, sim_value_type type, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const uint32_t id = write_numbered(w, format, arguments);
    va_end(arguments);
    return (sim_value){.id = id, .type = (uint8_t)type};
}

void sim_write_line(sim_writer *w, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(w->out, format, arguments);
    va_end(arguments);
    text_put(w->out, "\n");
}

sim_value sim_value_constant(sim_value_type type, uint64_t bits) {
    return (sim_value){.type = (uint8_t)type, .bits = bits};
}

static char *next_operand(sim_writer *w) {
    return w->operands[w->operand++ % SIM_OPERAND_TEXTS];
}

/* Writes a constant for all lanes: 32 times at most 24 characters. */
static void spread_constant(char *out, const char *lane, uint64_t bits) {
    size_t at = 0;
    out[at++] = '<';
    for (unsigned l = 0; l < SIM_LANES; l++)
        at += (size_t)snprintf(out + at, SIM_OPERAND_TEXT - at, "%s%s %" PRIu64, l ? "," : "", lane, bits);
    out[at++] = '>';
    out[at] = 0;
}

const char *sim_operand(sim_writer *w, sim_value v) {
    static const char *const lanes[SIM_VALUE_TYPES] = {"i16", "i32", "i64", "float", "double", NULL, NULL};
    static const uint64_t masks[SIM_VALUE_TYPES] = {0xffff, UINT32_MAX, UINT64_MAX, 0, 0, 0, UINT32_MAX};
    char *out = next_operand(w);
    const uint64_t bits = v.bits & masks[v.type];
    if (v.id)
        snprintf(out, SIM_OPERAND_TEXT, "%%v%u", v.id);
    else if (v.type == SIM_VALUE_MASK)
        snprintf(out, SIM_OPERAND_TEXT, "%d", (int)(int32_t)bits);
    else if (!bits)
        snprintf(out, SIM_OPERAND_TEXT, "zeroinitializer");
    else
        spread_constant(out, lanes[v.type], bits);
    return out;
}

const char *sim_pointer_type(sim_writer *w, const char *type) {
    char *out = next_operand(w);
    snprintf(out, SIM_OPERAND_TEXT, w->opaque ? "ptr" : "%s*", type);
    return out;
}

uint32_t sim_write_pointer(sim_writer *w, uint32_t address, const char *type) {
    return sim_write_id(w, "inttoptr i64 %%v%u to %s", address, sim_pointer_type(w, type));
}

uint32_t sim_write_sum(sim_writer *w, uint32_t base, int64_t offset) {
    return offset ? sim_write_id(w, "add i64 %%v%u, %" PRId64, base, offset) : base;
}

/* Loads vectors into registers of their own. LLVM (14 to 19 at least) folds an operand's load into a guarded logic
 * operation of three operands (vpternlog), and then takes the operands in the wrong order. It does not fold volatile
 * loads. */
uint32_t sim_write_load(sim_writer *w, uint32_t address, const char *type, unsigned alignment) {
    const uint32_t pointer = sim_write_pointer(w, address, type);
    return sim_write_id(w, "load %s%s, %s %%v%u, align %u", *type == '<' ? "volatile " : "", type,
                        sim_pointer_type(w, type), pointer, alignment);
}

uint32_t sim_write_native(sim_writer *w, size_t offset) {
    const uint32_t at = sim_write_id(w, "add i64 %%n, %zu", offset);
    return sim_write_load(w, at, "i64", 8);
}

void sim_write_count(sim_writer *w, uint32_t address, const char *addend) {
    const uint32_t pointer = sim_write_pointer(w, address, "i64");
    const uint32_t old = sim_write_id(w, "load i64, %s %%v%u, align 8", sim_pointer_type(w, "i64"), pointer);
    const uint32_t sum = sim_write_id(w, "add i64 %%v%u, %s", old, addend);
    sim_write_line(w, "  store i64 %%v%u, %s %%v%u, align 8", sum, sim_pointer_type(w, "i64"), pointer);
}
