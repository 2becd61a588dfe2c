/* Half precision, f16 and bf16, single and in pairs. Sums and products are those of lower/floating.def, whose words are
 * functions here that write IR. */
#include "jit/ops.h"

#include "lower/floating.h"

#include <stdio.h>

/* 32 lanes, or 64 for pairs, and their format. */
typedef struct halves {
    sim_writer *w;
    unsigned count;
    bool brain;
} halves;

/* False if the host lacks conversions of f16. */
static bool halves_of(sim_writer *w, unsigned type, halves *out) {
    const bool brain = type == PTX_BF16 || type == PTX_BF16X2;
    *out = (halves){w, ptx_bits(type) == 32 ? 2 * SIM_LANES : SIM_LANES, brain};
    return brain || w->has_f16;
}

/* ---- vectors of `count` elements, by their N ---- */

/* An operation on two vectors. */
static uint32_t write_two(const halves *h, const char *operation, const char *element, uint32_t a, uint32_t b) {
    return sim_write_id(h->w, "%s <%u x %s> %%v%u, %%v%u", operation, h->count, element, a, b);
}

static uint32_t write_as(const halves *h, const char *how, const char *from, uint32_t a, const char *to) {
    return sim_write_id(h->w, "%s <%u x %s> %%v%u to <%u x %s>", how, h->count, from, a, h->count, to);
}

static uint32_t write_choice(const halves *h, uint32_t bits, const char *element, uint32_t yes, uint32_t no) {
    return sim_write_id(h->w, "select <%u x i1> %%v%u, <%u x %s> %%v%u, <%u x %s> %%v%u", h->count, bits, h->count,
                        element, yes, h->count, element, no);
}

/* A vector with the same constant in all lanes. */
static uint32_t write_all(const halves *h, const char *element, const char *value) {
    const uint32_t one =
        sim_write_id(h->w, "insertelement <%u x %s> undef, %s %s, i32 0", h->count, element, element, value);
    return sim_write_id(h->w, "shufflevector <%u x %s> %%v%u, <%u x %s> undef, <%u x i32> zeroinitializer", h->count,
                        element, one, h->count, element, h->count);
}

/* An operation with a constant. */
static uint32_t write_with(const halves *h, const char *operation, const char *element, uint32_t a, const char *value) {
    return write_two(h, operation, element, a, write_all(h, element, value));
}

/* ---- registers ---- */

static sim_value_type lanes_of(const halves *h) {
    return h->count == SIM_LANES ? SIM_VALUE_I16 : SIM_VALUE_I32;
}

/* Turns subnormal numbers into zeros of their sign. */
static uint32_t write_flush(const halves *h, uint32_t bits) {
    const uint32_t exponent = write_with(h, "and", "i16", bits, h->brain ? "32640" : "31744");
    const uint32_t small = write_with(h, "icmp eq", "i16", exponent, "0");
    return write_choice(h, small, "i16", write_with(h, "and", "i16", bits, "-32768"), bits);
}

/* Reads a register as a vector of 16-bit elements. */
static uint32_t read_halves(const halves *h, uint32_t slot, bool flushes) {
    const sim_value_type type = lanes_of(h);
    const sim_value v = sim_read_slot(h->w, slot, type);
    const uint32_t bits =
        sim_write_id(h->w, "bitcast %s %s to <%u x i16>", sim_value_types[type], sim_operand(h->w, v), h->count);
    return flushes ? write_flush(h, bits) : bits;
}

static void write_result(const halves *h, uint32_t slot, uint32_t bits) {
    const sim_value_type type = lanes_of(h);
    sim_write_slot(
        h->w, slot,
        sim_write_value(h->w, type, "bitcast <%u x i16> %%v%u to %s", h->count, bits, sim_value_types[type]));
}

/* ---- to and from single precision ---- */

/* bf16 is the upper half of a single. */
static uint32_t write_singles(const halves *h, uint32_t bits) {
    if (!h->brain) return write_as(h, "fpext", "half", write_as(h, "bitcast", "i16", bits, "half"), "float");
    const uint32_t wide = write_as(h, "zext", "i16", bits, "i32");
    return write_as(h, "bitcast", "i32", write_with(h, "shl", "i32", wide, "16"), "float");
}

/* Turns all NaNs into the canonical one. */
static uint32_t write_one_nan(const halves *h, uint32_t bits) {
    const uint32_t magnitude = write_with(h, "and", "i16", bits, "32767");
    const uint32_t is_nan = write_with(h, "icmp sgt", "i16", magnitude, h->brain ? "32640" : "31744");
    return write_choice(h, is_nan, "i16", write_all(h, "i16", "32767"), bits);
}

/* Rounds singles to bf16, to nearest even. */
static uint32_t write_rounded_brain(const halves *h, uint32_t singles) {
    const uint32_t bits = write_as(h, "bitcast", "float", singles, "i32");
    const uint32_t odd = write_with(h, "and", "i32", write_with(h, "lshr", "i32", bits, "16"), "1");
    const uint32_t sum = write_two(h, "add", "i32", write_with(h, "add", "i32", bits, "32767"), odd);
    const uint32_t rounded = write_as(h, "trunc", "i32", write_with(h, "lshr", "i32", sum, "16"), "i16");
    const uint32_t is_nan = write_two(h, "fcmp uno", "float", singles, singles);
    return write_choice(h, is_nan, "i16", write_all(h, "i16", "32767"), rounded);
}

/* Rounds to nearest even. */
static uint32_t write_rounded(const halves *h, uint32_t singles) {
    if (h->brain) return write_rounded_brain(h, singles);
    const uint32_t rounded = write_as(h, "fptrunc", "float", singles, "half");
    return write_one_nan(h, write_as(h, "bitcast", "half", rounded, "i16"));
}

/* Saturation and ReLU, before rounding. */
static uint32_t write_clamped(const halves *h, uint32_t singles, uint32_t flags) {
    const uint32_t zero = write_all(h, "float", "0.0");
    if (flags & SIM_SATURATE) { /* a NaN becomes 0 */
        const uint32_t one = write_all(h, "float", "1.0");
        singles = write_choice(h, write_two(h, "fcmp ogt", "float", singles, zero), "float", singles, zero);
        singles = write_choice(h, write_two(h, "fcmp olt", "float", singles, one), "float", singles, one);
    }
    if (flags & SIM_RELU)
        singles = write_choice(h, write_two(h, "fcmp ole", "float", singles, zero), "float", zero, singles);
    return singles;
}

/* ---- inexact sums: the last bit is made odd, so that a second rounding is correct ---- */

typedef struct precision {
    const char *element, *bits, *last;
} precision;
static const precision single = {"float", "i32", "31"}, twice = {"double", "i64", "63"};

/* Makes the last bit of an inexact sum odd, towards its error (round to odd). */
static uint32_t write_sticky(const halves *h, const precision *p, uint32_t sum, uint32_t error) {
    const uint32_t bits = write_as(h, "bitcast", p->element, sum, p->bits);
    const uint32_t error_bits = write_as(h, "bitcast", p->element, error, p->bits);
    const uint32_t inexact = write_with(h, "fcmp one", p->element, error, "0.0"); /* false for NaNs */
    const uint32_t even = write_with(h, "xor", p->bits, write_with(h, "and", p->bits, bits, "1"), "1");
    const uint32_t unit = write_choice(h, inexact, p->bits, even, write_all(h, p->bits, "0"));
    const uint32_t differs = write_two(h, "xor", p->bits, bits, error_bits);
    const uint32_t inward = write_with(h, "ashr", p->bits, differs, p->last); /* 0 or all ones: negates the unit */
    const uint32_t step = write_two(h, "sub", p->bits, write_two(h, "xor", p->bits, unit, inward), inward);
    return write_as(h, "bitcast", p->bits, write_two(h, "add", p->bits, bits, step), p->element);
}

/* Returns a + b with a sticky last bit; the error of the sum is exact in the same format. */
static uint32_t write_sticky_sum(const halves *h, const precision *p, uint32_t a, uint32_t b) {
    const uint32_t sum = write_two(h, "fadd", p->element, a, b);
    const uint32_t back = write_two(h, "fsub", p->element, sum, a);
    const uint32_t left = write_two(h, "fsub", p->element, a, write_two(h, "fsub", p->element, sum, back));
    const uint32_t right = write_two(h, "fsub", p->element, b, back);
    return write_sticky(h, p, sum, write_two(h, "fadd", p->element, left, right));
}

/* Returns 16 lanes of singles. */
static uint32_t write_sixteen(const halves *h, uint32_t singles, unsigned first) {
    char places[16 * 8];
    size_t at = 0;
    for (unsigned l = 0; l < 16; l++)
        at += (size_t)snprintf(places + at, sizeof places - at, "%si32 %u", l ? "," : "", first + l);
    return sim_write_id(h->w, "shufflevector <%u x float> %%v%u, <%u x float> undef, <16 x i32> <%s>", h->count,
                        singles, h->count, places);
}

/* Joins two vectors of `count` singles. */
static uint32_t write_together(const halves *h, uint32_t a, uint32_t b, unsigned count) {
    char places[2 * SIM_LANES * 8];
    size_t at = 0;
    for (unsigned l = 0; l < 2 * count; l++)
        at += (size_t)snprintf(places + at, sizeof places - at, "%si32 %u", l ? "," : "", l);
    return sim_write_id(h->w, "shufflevector <%u x float> %%v%u, <%u x float> %%v%u, <%u x i32> <%s>", count, a, count,
                        b, 2 * count, places);
}

/* A sum rounded down and up is exact if both are equal, else one of them is odd. If both are zero, the one rounded up
 * has the sign that rounding to nearest gives. */
static uint32_t write_directed(const halves *h, const uint32_t operands[3]) {
    const unsigned parts = h->count / 16;
    uint32_t part[2][4];
    for (unsigned k = 0; k < parts; k++) {
        uint32_t v[3];
        for (unsigned o = 0; o < 3; o++) v[o] = write_sixteen(h, operands[o], 16 * k);
        for (unsigned up = 0; up < 2; up++)
            part[up][k] = sim_write_id(h->w,
                                       "call <16 x float> @llvm.x86.avx512.vfmadd.ps.512(<16 x float> %%v%u, <16 x "
                                       "float> %%v%u, <16 x float> %%v%u, i32 %d)",
                                       v[0], v[1], v[2], up ? SIM_ROUND_UP : SIM_ROUND_DOWN);
    }
    uint32_t whole[2];
    for (unsigned up = 0; up < 2; up++) {
        whole[up] = write_together(h, part[up][0], part[up][1], 16);
        if (parts == 4) whole[up] = write_together(h, whole[up], write_together(h, part[up][2], part[up][3], 16), 32);
    }
    const uint32_t last = write_with(h, "and", "i32", write_as(h, "bitcast", "float", whole[0], "i32"), "1");
    return write_choice(h, write_with(h, "icmp ne", "i32", last, "0"), "float", whole[0], whole[1]);
}

/* Returns a * b + c with a sticky last bit. The product is exact. */
static uint32_t write_sticky_fused(const halves *h, const precision *p, uint32_t a, uint32_t b, uint32_t c) {
    if (h->w->has_avx512) return write_directed(h, (uint32_t[]){a, b, c});
    return write_sticky_sum(h, p, write_two(h, "fmul", p->element, a, b), c);
}

/* Rounds doubles to singles, to odd. */
static uint32_t write_sticky_single(const halves *h, uint32_t doubles) {
    const uint32_t singles = write_as(h, "fptrunc", "double", doubles, "float");
    const uint32_t back = write_as(h, "fpext", "float", singles, "double");
    const uint32_t error = write_two(h, "fsub", "double", doubles, back);
    /* only the error's sign, and whether it is zero, matter */
    const uint32_t bits = write_as(h, "bitcast", "double", error, "i64");
    const uint32_t sign = write_as(h, "trunc", "i64", write_with(h, "lshr", "i64", bits, "63"), "i32");
    const uint32_t inexact = write_with(h, "fcmp one", "double", error, "0.0");
    const uint32_t one = write_choice(h, inexact, "i32", write_all(h, "i32", "1065353216"), write_all(h, "i32", "0"));
    const uint32_t signed_one = write_two(h, "or", "i32", one, write_with(h, "shl", "i32", sign, "31"));
    return write_sticky(h, &single, singles, write_as(h, "bitcast", "i32", signed_one, "float"));
}

/* ---- sums and products ---- */

#define SUM(a, b) write_two(h, "fadd", p->element, a, b)
#define DIFFERENCE(a, b) write_two(h, "fsub", p->element, a, b)
#define PRODUCT(a, b) write_two(h, "fmul", p->element, a, b)
#define STICKY_FUSED(a, b, c) write_sticky_fused(h, p, a, b, c)

#define HALF(id, name, sources, brain, meaning)                                                             \
    static uint32_t write_##name(const halves *h, const precision *p, uint32_t a, uint32_t b, uint32_t c) { \
        (void)c;                                                                                            \
        return meaning;                                                                                     \
    }
#include "lower/floating.def"

/* A row of floating.def; `write` is NULL for other instructions. */
typedef struct arithmetic {
    uint32_t (*write)(const halves *h, const precision *p, uint32_t a, uint32_t b, uint32_t c);
    unsigned sources;
    bool brain_in_double;
} arithmetic;

enum { SINGLE, DOUBLE };
static const arithmetic arithmetics[PTX_OP_COUNT] = {
#define HALF(id, name, sources, brain, meaning) [PTX_OP_##id] = {write_##name, sources, brain},
#include "lower/floating.def"
};

static bool write_arithmetic(sim_writer *w, const sim_op *op, const ptx_instruction *i, const arithmetic *how) {
    const uint32_t slots[3] = {op->a, op->b, op->c};
    uint32_t v[3] = {0};
    halves h;
    const bool flushes = op->x & SIM_FLUSH;
    if (!halves_of(w, i->type, &h)) return false;
    const bool doubles = h.brain && how->brain_in_double && !w->has_avx512; /* see write_directed() */
    for (unsigned k = 0; k < how->sources; k++) {
        v[k] = write_singles(&h, read_halves(&h, slots[k], flushes));
        if (doubles) v[k] = write_as(&h, "fpext", "float", v[k], "double");
    }
    uint32_t wide = how->write(&h, doubles ? &twice : &single, v[0], v[1], v[2]);
    if (doubles) wide = write_sticky_single(&h, wide);
    const uint32_t bits = write_rounded(&h, write_clamped(&h, wide, op->x));
    write_result(&h, op->d, flushes ? write_flush(&h, bits) : bits);
    return true;
}

/* ---- signs: one bit, in either format ---- */

/* Whether a half is NaN, as bits. */
static uint32_t write_is_nan(const halves *h, uint32_t bits) {
    return write_with(h, "icmp sgt", "i16", write_with(h, "and", "i16", bits, "32767"), h->brain ? "32640" : "31744");
}

static bool write_sign(sim_writer *w, const sim_op *op, const ptx_instruction *i, bool clears) {
    halves h;
    if (i->mods[PTX_SLOT_FTZ] || !halves_of(w, i->type, &h)) return false;
    const uint32_t a = read_halves(&h, op->a, false);
    const uint32_t bits = write_with(&h, clears ? "and" : "xor", "i16", a, clears ? "32767" : "-32768");
    write_result(&h, op->d, write_choice(&h, write_is_nan(&h, a), "i16", write_all(&h, "i16", "32767"), bits));
    return true;
}

/* ---- minimum and maximum: by the order of their bits, in which -0 is below +0 ---- */

/* Maps bits to integers that have the order of the numbers. */
static uint32_t write_order(const halves *h, uint32_t bits) {
    const uint32_t negative = write_with(h, "ashr", "i16", bits, "15");
    return write_two(h, "xor", "i16", bits, write_with(h, "and", "i16", negative, "32767"));
}

/* `relation`: which of two integers is chosen. */
static bool write_half_choice(sim_writer *w, const sim_op *op, const ptx_instruction *i, const char *relation) {
    halves h;
    if ((op->x & ~(uint32_t)(SIM_FLUSH | SIM_KEEP_NAN)) || !halves_of(w, i->type, &h)) return false;
    const bool flushes = op->x & SIM_FLUSH;
    const uint32_t a = read_halves(&h, op->a, flushes), b = read_halves(&h, op->b, flushes);
    const uint32_t nan_a = write_is_nan(&h, a), nan_b = write_is_nan(&h, b);
    const uint32_t first = write_two(&h, relation, "i16", write_order(&h, a), write_order(&h, b));
    uint32_t bits = write_choice(&h, first, "i16", a, b);
    bits = write_choice(&h, nan_a, "i16", b, bits);
    bits = write_choice(&h, nan_b, "i16", a, bits);
    const uint32_t makes_nan = write_two(&h, op->x & SIM_KEEP_NAN ? "or" : "and", "i1", nan_a, nan_b);
    write_result(&h, op->d, write_choice(&h, makes_nan, "i16", write_all(&h, "i16", "32767"), bits));
    return true;
}

/* ---- comparison ---- */

static bool write_compared(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    const char *relation = sim_relation_of(i, true);
    halves h;
    if (ptx_bits(i->type) != 16 || !relation || i->mods[PTX_SLOT_FTZ] || i->operands[0].kind == PTX_PAIR) return false;
    if (!halves_of(w, i->type, &h)) return false;
    const uint32_t a = write_singles(&h, read_halves(&h, op->a, false));
    const uint32_t b = write_singles(&h, read_halves(&h, op->b, false));
    sim_write_slot(w, op->d, sim_write_mask(w, write_two(&h, relation, "float", a, b)));
    return true;
}

bool sim_write_halves(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    if (arithmetics[i->op].write) return write_arithmetic(w, op, i, &arithmetics[i->op]);
    switch (i->op) {
    case PTX_OP_HNEG: return write_sign(w, op, i, false);
    case PTX_OP_HABS: return write_sign(w, op, i, true);
    case PTX_OP_HMIN: return write_half_choice(w, op, i, "icmp slt");
    case PTX_OP_HMAX: return write_half_choice(w, op, i, "icmp sgt");
    case PTX_OP_HSETP: return write_compared(w, op, i);
    default: return false;
    }
}

/* ---- conversion ---- */

static bool write_widened(sim_writer *w, const sim_op *op, const halves *h) {
    const uint32_t singles = write_singles(h, read_halves(h, op->a, false));
    sim_write_slot(w, op->d, (sim_value){.id = singles, .type = SIM_VALUE_F32, .raw = !h->brain});
    return true;
}

/* Singles to halves, with or without ReLU. */
static uint32_t write_narrowed(const halves *h, uint32_t slot, bool relu) {
    return write_rounded(h, write_clamped(h, sim_read_raw(h->w, slot).id, relu ? SIM_RELU : 0));
}

bool sim_write_convert_half(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    const bool widens = i->type == PTX_F32;
    halves h;
    if (i->mods[PTX_SLOT_SAT] || i->mods[PTX_SLOT_FTZ] || i->mods[PTX_SLOT_SATFINITE]) return false;
    if (!sim_has_own_width(w, &i->operands[0], i->type) || !sim_has_own_width(w, &i->operands[1], i->type2))
        return false;
    if (!halves_of(w, widens ? i->type2 : i->type, &h)) return false;
    if (widens) return !i->mods[PTX_SLOT_ROUND] && !i->mods[PTX_SLOT_RELU] && write_widened(w, op, &h);
    if (i->type2 != PTX_F32 || i->mods[PTX_SLOT_ROUND] != PTX_MOD_RN) return false;
    write_result(&h, op->d, write_narrowed(&h, op->a, i->mods[PTX_SLOT_RELU]));
    return true;
}

/* Packs two singles into a pair, the first one in the upper half. */
bool sim_write_pack_halves(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    const bool known = i->type == PTX_F16X2 || i->type == PTX_BF16X2;
    halves h;
    if (!known || i->mods[PTX_SLOT_ROUND] != PTX_MOD_RN || i->mods[PTX_SLOT_SATFINITE]) return false;
    if (!halves_of(w, i->type == PTX_F16X2 ? PTX_F16 : PTX_BF16, &h)) return false;
    const uint32_t high = write_narrowed(&h, op->a, i->mods[PTX_SLOT_RELU]);
    const uint32_t low = write_narrowed(&h, op->b, i->mods[PTX_SLOT_RELU]);
    const uint32_t above = write_with(&h, "shl", "i32", write_as(&h, "zext", "i16", high, "i32"), "16");
    const uint32_t both = write_two(&h, "or", "i32", above, write_as(&h, "zext", "i16", low, "i32"));
    sim_write_slot(w, op->d, (sim_value){.id = both, .type = SIM_VALUE_I32});
    return true;
}
