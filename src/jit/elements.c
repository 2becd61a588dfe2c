/* Half warps' lanes, and the elements of memory that they load and store.
 *
 * Vectors of 16 lanes are what hosts move best, so accesses are written for each half of a warp. An access with several
 * elements in a lane loads them all as one vector and then picks every second or fourth, or interleaves them before it
 * stores. Pointers have types in LLVM 14 and none in later versions (w->opaque). */
#include "jit/write.h"

#include <stdio.h>

#define FIRST_HALF "0,i32 1,i32 2,i32 3,i32 4,i32 5,i32 6,i32 7,i32 8,i32 9,i32 10,i32 11,i32 12,i32 13,i32 14,i32 15"
#define SECOND_HALF \
    "16,i32 17,i32 18,i32 19,i32 20,i32 21,i32 22,i32 23,i32 24,i32 25,i32 26,i32 27,i32 28,i32 29,i32 30,i32 31"
static const char whole_warp[] = "<i32 " FIRST_HALF ",i32 " SECOND_HALF ">";
static const char *const half_warps[2] = {"<i32 " FIRST_HALF ">", "<i32 " SECOND_HALF ">"};

sim_element sim_element_of(const sim_op *op) {
    return (sim_element){8u << op->x, 8u << op->y, op->imm2 != 0};
}

sim_value_type sim_value_type_by(unsigned bits) {
    return bits == 16 ? SIM_VALUE_I16 : bits == 32 ? SIM_VALUE_I32 : SIM_VALUE_I64;
}

sim_value sim_write_joined(sim_writer *w, sim_value_type type, uint32_t low, uint32_t high) {
    const char *half = sim_value_halves[type];
    return sim_write_value(w, type, "shufflevector %s %%v%u, %s %%v%u, <32 x i32> %s", half, low, half, high,
                           whole_warp);
}

uint32_t sim_write_half(sim_writer *w, sim_value v, unsigned half) {
    return sim_write_id(w, "shufflevector %s %s, %s undef, <16 x i32> %s", sim_value_types[v.type], sim_operand(w, v),
                        sim_value_types[v.type], half_warps[half]);
}

enum { INTEGERS_TEXT = 32 };

/* LLVM's name of an integer or a vector of them. */
static void name_integers(char type[INTEGERS_TEXT], unsigned bits, unsigned count) {
    if (count == 1)
        snprintf(type, INTEGERS_TEXT, "i%u", bits);
    else
        snprintf(type, INTEGERS_TEXT, "<%u x i%u>", count, bits);
}

uint32_t sim_load_integers(sim_writer *w, uint32_t address, unsigned bits, unsigned count) {
    char type[INTEGERS_TEXT];
    name_integers(type, bits, count);
    return sim_write_load(w, address, type, bits / 8);
}

void sim_store_integers(sim_writer *w, uint32_t address, unsigned bits, unsigned count, uint32_t values) {
    char type[INTEGERS_TEXT];
    name_integers(type, bits, count);
    const uint32_t pointer = sim_write_pointer(w, address, type);
    sim_write_line(w, "  store %s %%v%u, %s %%v%u, align %u", type, values, sim_pointer_type(w, type), pointer,
                   bits / 8);
}

uint32_t sim_pick_element(sim_writer *w, uint32_t values, unsigned bits, unsigned count, unsigned e) {
    char places[160], type[INTEGERS_TEXT];
    size_t at = 0;
    if (count == 1) return values;
    name_integers(type, bits, SIM_HALF_WARP * count);
    for (unsigned l = 0; l < SIM_HALF_WARP; l++)
        at += (size_t)snprintf(places + at, sizeof places - at, "%si32 %u", l ? "," : "", l * count + e);
    return sim_write_id(w, "shufflevector %s %%v%u, %s undef, <16 x i32> <%s>", type, values, type, places);
}

/* Interleaves two vectors. */
static uint32_t write_interleaved(sim_writer *w, uint32_t a, uint32_t b, unsigned bits, unsigned length) {
    char places[600];
    size_t at = 0;
    for (unsigned l = 0; l < 2 * length; l++)
        at += (size_t)snprintf(places + at, sizeof places - at, "%si32 %u", l ? "," : "", l / 2 + l % 2 * length);
    return sim_write_id(w, "shufflevector <%u x i%u> %%v%u, <%u x i%u> %%v%u, <%u x i32> <%s>", length, bits, a, length,
                        bits, b, 2 * length, places);
}

uint32_t sim_interleave_elements(sim_writer *w, const uint32_t elements[4], unsigned bits, unsigned count) {
    if (count == 1) return elements[0];
    if (count == 2) return write_interleaved(w, elements[0], elements[1], bits, SIM_HALF_WARP);
    const uint32_t even = write_interleaved(w, elements[0], elements[2], bits, SIM_HALF_WARP);
    const uint32_t odd = write_interleaved(w, elements[1], elements[3], bits, SIM_HALF_WARP);
    return write_interleaved(w, even, odd, bits, 2 * SIM_HALF_WARP);
}

/* Converts lanes between the width of an element and that of its register. */
static uint32_t write_resized(sim_writer *w, uint32_t values, const char *how, unsigned from, unsigned to) {
    return from == to ? values : sim_write_id(w, "%s <16 x i%u> %%v%u to <16 x i%u>", how, from, values, to);
}

uint32_t sim_write_as_lanes(sim_writer *w, uint32_t elements, const sim_element *e) {
    return write_resized(w, elements, e->extends_sign ? "sext" : "zext", e->bits, e->lane_bits);
}

uint32_t sim_write_as_elements(sim_writer *w, uint32_t lanes, const sim_element *e) {
    return write_resized(w, lanes, "trunc", e->lane_bits, e->bits);
}

/* ---- gather and scatter ---- */

uint32_t sim_write_places(sim_writer *w, uint32_t base, uint32_t bytes, unsigned bits) {
    const uint32_t wide = sim_write_id(w, "sext <16 x i32> %%v%u to <16 x i64>", bytes);
    const uint32_t places =
        sim_write_id(w, "getelementptr i8, %s %%v%u, <16 x i64> %%v%u", sim_pointer_type(w, "i8"), base, wide);
    if (w->opaque) return places;
    return sim_write_id(w, "bitcast <16 x i8*> %%v%u to <16 x i%u*>", places, bits);
}

#define ALL_16 "<16 x i1> <i1 1,i1 1,i1 1,i1 1,i1 1,i1 1,i1 1,i1 1,i1 1,i1 1,i1 1,i1 1,i1 1,i1 1,i1 1,i1 1>"

/* Returns the suffix of LLVM's name for pointers to such integers; empty if pointers have no type. */
static const char *places_name(const sim_writer *w, unsigned bits) {
    return w->opaque ? "" : bits == 32 ? "i32" : "i64";
}

uint32_t sim_gather_integers(sim_writer *w, uint32_t places, unsigned bits) {
    const char *type = sim_pointer_type(w, bits == 32 ? "i32" : "i64");
    return sim_write_id(
        w, "call <16 x i%u> @llvm.masked.gather.v16i%u.v16p0%s(<16 x %s> %%v%u, i32 %u, " ALL_16 ", <16 x i%u> undef)",
        bits, bits, places_name(w, bits), type, places, bits / 8, bits);
}

/* Returns a vector of 16 in the order in which the lanes of a half warp store (sim_store_turn()). */
static uint32_t write_turned(sim_writer *w, uint32_t values, const char *type, unsigned turn) {
    char order[160];
    size_t at = 0;
    for (unsigned l = 0; l < SIM_HALF_WARP; l++)
        at += (size_t)snprintf(order + at, sizeof order - at, "%si32 %u", l ? "," : "", l ^ (turn % SIM_HALF_WARP));
    return sim_write_id(w, "shufflevector <16 x %s> %%v%u, <16 x %s> undef, <16 x i32> <%s>", type, values, type,
                        order);
}

void sim_scatter_integers(sim_writer *w, uint32_t places, unsigned bits, uint32_t values, unsigned turn,
                          uint32_t where) {
    const char *type = sim_pointer_type(w, bits == 32 ? "i32" : "i64");
    char lanes[sizeof ALL_16] = ALL_16;
    values = write_turned(w, values, bits == 32 ? "i32" : "i64", turn);
    places = write_turned(w, places, type, turn);
    if (where) snprintf(lanes, sizeof lanes, "<16 x i1> %%v%u", write_turned(w, where, "i1", turn));
    sim_write_line(w, "  call void @llvm.masked.scatter.v16i%u.v16p0%s(<16 x i%u> %%v%u, <16 x %s> %%v%u, i32 %u, %s)",
                   bits, places_name(w, bits), bits, values, type, places, bits / 8, lanes);
}

void sim_store_some_integers(sim_writer *w, uint32_t address, unsigned bits, uint32_t values, uint32_t where) {
    char type[INTEGERS_TEXT];
    name_integers(type, bits, SIM_HALF_WARP);
    const uint32_t pointer = sim_write_pointer(w, address, type);
    sim_write_line(w, "  call void @llvm.masked.store.v16i%u.p0%s%s(%s %%v%u, %s %%v%u, i32 %u, <16 x i1> %%v%u)", bits,
                   w->opaque ? "" : "v16", places_name(w, bits), type, values, sim_pointer_type(w, type), pointer,
                   bits / 8, where);
}
