/* Approximate functions of single precision: those of lower/mufu.def, whose words are functions here that write IR.
 * Each function of the unit that a block uses becomes a function of lanes after its segments. Code that ptxas adds
 * around it is written in place. */
#include "jit/ops.h"
#include "lower/floating.h"
#include "machine/mufu.h"
#include "state/warp.h"

/* ---- words ---- */

typedef sim_value BITS;
typedef sim_value REAL;
typedef sim_value WIDE;
typedef uint32_t TRUTH; /* N of a vector of bits */

#define CALL(name, ...) mufu_##name(w, __VA_ARGS__)
#define UNIT(name, a) call(w, UNIT_##name, a)
#define K(n) sim_value_constant(SIM_VALUE_I32, (uint32_t)(n))
#define R(x) sim_write_number(w, SIM_VALUE_F32, x)
#define W(x) sim_write_number(w, SIM_VALUE_F64, x)
#define ADD(a, b) sim_write_two(w, "add", a, b)
#define SUB(a, b) sim_write_two(w, "sub", a, b)
#define MUL(a, b) sim_write_two(w, "mul", a, b)
#define AND(a, b) sim_write_two(w, "and", a, b)
#define OR(a, b) sim_write_two(w, "or", a, b)
#define XOR(a, b) sim_write_two(w, "xor", a, b)
#define SHL(a, n) sim_write_two(w, "shl", a, K(n))
#define SHR(a, n) sim_write_two(w, "lshr", a, K(n))
#define SAR(a, n) sim_write_two(w, "ashr", a, K(n))
#define SHIFTED(a, b) sim_write_two(w, "lshr", a, b)
#define BELOW(a, b) sim_write_relation(w, "icmp ult", a, b)
#define SIGNED_BELOW(a, b) sim_write_relation(w, "icmp slt", a, b)
#define SAME(a, b) sim_write_relation(w, "icmp eq", a, b)
#define R_BELOW(a, b) sim_write_relation(w, "fcmp olt", a, b)
#define W_BELOW(a, b) sim_write_relation(w, "fcmp olt", a, b)
#define EITHER(a, b) sim_write_id(w, "or <32 x i1> %%v%u, %%v%u", a, b)
#define MASK(condition) sim_write_choice(w, condition, K(UINT32_MAX), K(0))
#define IF(condition, yes, no) sim_write_choice(w, condition, yes, no)
#define R_ABS(a) AS_REAL(AND(AS_BITS(a), K(INT32_MAX)))
#define R_SUB(a, b) sim_write_two(w, "fsub", a, b)
#define R_MUL(a, b) sim_write_two(w, "fmul", a, b)
#define W_ADD(a, b) sim_write_two(w, "fadd", a, b)
#define W_SUB(a, b) sim_write_two(w, "fsub", a, b)
#define W_MUL(a, b) sim_write_two(w, "fmul", a, b)
#define ROW(table, slice) write_row(w, table, slice)
#define OCTAVE(n) write_words(w, &(column){SIM_MUFU_OCTAVES, offsetof(sim_mufu_columns, values), OCTAVE_ROWS}, n)
#define SHORT_PRODUCTS(a, b) write_short_products(w, a, b)
#define REAL_OF(a) sim_write_as(w, "sitofp", a, SIM_VALUE_F32)
#define WIDE_OF(a) sim_write_as(w, "sitofp", a, SIM_VALUE_F64)
#define WHOLE_OF(a) sim_write_as(w, "fptosi", a, SIM_VALUE_I32)
#define WIDENED(a) sim_write_as(w, "fpext", a, SIM_VALUE_F64)
#define NARROWED(a) sim_write_as(w, "fptrunc", a, SIM_VALUE_F32)
#define AS_BITS(a) sim_write_as(w, "bitcast", a, SIM_VALUE_I32)
#define AS_REAL(a) sim_write_as(w, "bitcast", a, SIM_VALUE_F32)
#define CUT(a) write_cut(w, a)
#define POWER(n) write_power(w, n)
#define FLUSHED(a) sim_write_flush(w, a)
#define FLUSHED_PRODUCT(a, b) sim_write_product_flushed(w, a, b)

/* ---- tables ---- */

typedef struct column {
    sim_mufu_table table;
    size_t offset; /* in sim_mufu_columns */
    uint32_t rows; /* a multiple of PERMUTED */
} column;

/* AVX-512 picks 16 words of 32 by one instruction. */
enum { PERMUTED = 32, OCTAVE_ROWS = PERMUTED };
#define WORDS "<16 x i32> %%v%u"

/* A plain load, which LLVM may repeat or fold into the instruction that uses it. */
static uint32_t load_words(sim_writer *w, uint32_t base, uint32_t first) {
    const uint32_t at = sim_write_sum(w, base, (int64_t)(first * sizeof(uint32_t)));
    const uint32_t pointer = sim_write_pointer(w, at, "<16 x i32>");
    return sim_write_id(w, "load <16 x i32>, %s %%v%u, align 64", sim_pointer_type(w, "<16 x i32>"), pointer);
}

/* Picks from each PERMUTED rows of the column at `base`, then among these by the upper bits of the rows. Returns N of
 * 16 words. */
static uint32_t write_picked(sim_writer *w, const column *c, uint32_t base, sim_value rows, unsigned half) {
    uint32_t picked[SIM_MUFU_ROWS / PERMUTED];
    const uint32_t own = sim_write_half(w, rows, half);
    for (uint32_t k = 0; k < c->rows / PERMUTED; k++) {
        const uint32_t low = load_words(w, base, k * PERMUTED), high = load_words(w, base, k * PERMUTED + PERMUTED / 2);
        picked[k] = sim_write_id(
            w, "call <16 x i32> @llvm.x86.avx512.vpermi2var.d.512(" WORDS ", " WORDS ", " WORDS ")", low, own, high);
    }
    for (uint32_t bit = PERMUTED; bit < c->rows; bit *= 2) {
        const uint32_t upper = sim_write_half(w, AND(rows, K(bit)), half);
        const uint32_t is_upper = sim_write_id(w, "icmp ne " WORDS ", zeroinitializer", upper);
        for (uint32_t k = 0; k < c->rows / bit / 2; k++)
            picked[k] = sim_write_id(w, "select <16 x i1> %%v%u, " WORDS ", " WORDS, is_upper, picked[2 * k + 1],
                                     picked[2 * k]);
    }
    return picked[0];
}

static uint32_t gather_words(sim_writer *w, uint32_t base, sim_value rows, unsigned half) {
    const uint32_t bytes = sim_write_half(w, SHL(rows, 2), half);
    return sim_gather_integers(w, sim_write_places(w, sim_write_pointer(w, base, "i8"), bytes, 32), 32);
}

/* Looks up the column's words in these rows. */
static sim_value write_words(sim_writer *w, const column *c, sim_value rows) {
    const uint32_t table = sim_write_native(w, offsetof(sim_native, mufu) + c->table * sizeof(void *));
    const uint32_t base = sim_write_sum(w, table, (int64_t)c->offset);
    uint32_t half[2];
    for (unsigned h = 0; h < 2; h++)
        half[h] = w->has_avx512 ? write_picked(w, c, base, rows, h) : gather_words(w, base, rows, h);
    return sim_write_joined(w, SIM_VALUE_I32, half[0], half[1]);
}

typedef struct mufu_row {
    BITS value, slope, bend;
} mufu_row;

static mufu_row write_row(sim_writer *w, sim_mufu_table table, sim_value slice) {
    const uint32_t rows = (sim_mufu_parabolas[table].count + PERMUTED - 1) / PERMUTED * PERMUTED;
    const sim_value value = write_words(w, &(column){table, offsetof(sim_mufu_columns, values), rows}, slice);
    const sim_value line = write_words(w, &(column){table, offsetof(sim_mufu_columns, lines), rows}, slice);
    const sim_value bend = SUB(AND(line, K((1 << SIM_MUFU_BEND_BITS) - 1)), K(SIM_MUFU_BEND_BIAS));
    return (mufu_row){value, SAR(line, SIM_MUFU_BEND_BITS), bend};
}

static sim_value write_cut(sim_writer *w, sim_value a) {
    const sim_value bits = sim_write_as(w, "bitcast", a, SIM_VALUE_I64);
    const sim_value kept = AND(bits, sim_value_constant(SIM_VALUE_I64, ~UINT64_C(0x1fffffff)));
    return sim_write_as(w, "bitcast", kept, SIM_VALUE_F64);
}

static sim_value write_power(sim_writer *w, sim_value n) {
    const sim_value exponent = sim_write_cast(w, SUB(K(1023), n), SIM_VALUE_I64, false);
    return sim_write_as(w, "bitcast", sim_write_two(w, "shl", exponent, sim_value_constant(SIM_VALUE_I64, 52)),
                        SIM_VALUE_F64);
}

/* ---- calls ---- */

typedef enum unit {
#define UNIT_FUNCTION(name) UNIT_##name,
#include "lower/mufu.def"
    UNITS
} unit;

/* Calls the function of lanes and notes that the module needs it. */
static sim_value call(sim_writer *w, unit which, sim_value a) {
    w->mufu_used |= 1u << which;
    return AS_REAL(sim_write_value(w, SIM_VALUE_I32, "call <32 x i32> @m%u(i64 %%n, <32 x i32> %s)", (unsigned)which,
                                   sim_operand(w, AS_BITS(a))));
}

static sim_value write_short_products(sim_writer *w, sim_value low, sim_value high);

#define FUNCTION(type, name, ...) static type mufu_##name(sim_writer *w, __VA_ARGS__)
#include "lower/mufu.def"

/* ---- short products ---- */

/* Returns N of the sums of four products in each of 16 lanes, of bytes below 128. */
static uint32_t write_dot(sim_writer *w, const sim_value a[2], const sim_value b[2], unsigned half) {
    uint32_t pairs[2];
    for (unsigned k = 0; k < 2; k++) {
        const uint32_t left = sim_write_id(w, "bitcast " WORDS " to <64 x i8>", sim_write_half(w, a[k], half));
        const uint32_t right = sim_write_id(w, "bitcast " WORDS " to <64 x i8>", sim_write_half(w, b[k], half));
        pairs[k] = sim_write_id(w, "call <32 x i16> @llvm.x86.avx512.pmaddubs.w.512(<64 x i8> %%v%u, <64 x i8> %%v%u)",
                                left, right);
    }
    const uint32_t both = sim_write_id(w, "add <32 x i16> %%v%u, %%v%u", pairs[0], pairs[1]);
    return sim_write_id(w, "call <16 x i32> @llvm.x86.avx512.pmaddw.d.512(<32 x i16> %%v%u, <32 x i16> %s)", both,
                        sim_operand(w, sim_value_constant(SIM_VALUE_I16, 1)));
}

/* With AVX-512, each bit of `high` becomes a byte of two words, and so does what it adds: `low`, shifted. */
static sim_value write_short_products(sim_writer *w, sim_value low, sim_value high) {
    if (!w->has_avx512) return CALL(short_products, low, high);
    const sim_value shifted = MUL(low, K(0x08040201)), spread = K(0x00204081), last = K(0x01010101);
    const sim_value parts[2] = {AND(shifted, K(0x787c7e7f)), AND(SHL(shifted, 4), K(0x00406070))};
    const sim_value bits[2] = {AND(MUL(AND(high, K(15)), spread), last), AND(MUL(SHR(high, 4), spread), last)};
    const uint32_t first = write_dot(w, parts, bits, 0), second = write_dot(w, parts, bits, 1);
    return sim_write_joined(w, SIM_VALUE_I32, first, second);
}

void sim_write_mufu_functions(sim_writer *w) {
    static sim_value (*const writers[UNITS])(sim_writer *, sim_value) = {
#define UNIT_FUNCTION(name) [UNIT_##name] = mufu_##name,
#include "lower/mufu.def"
    };
    for (unsigned f = 0; f < UNITS; f++) {
        if (!(w->mufu_used >> f & 1)) continue;
        sim_write_line(w, "define internal <32 x i32> @m%u(i64 %%n, <32 x i32> %%a) #0 {", f);
        const sim_value a = sim_write_value(w, SIM_VALUE_I32, "or <32 x i32> %%a, zeroinitializer");
        sim_write_line(w, "  ret <32 x i32> %s", sim_operand(w, writers[f](w, a)));
        sim_write_line(w, "}");
    }
}

/* ---- instructions ---- */

#define APPROXIMATE(id, name, plain, ftz)                                     \
    static sim_value write_##name(sim_writer *w, sim_value a, bool flushes) { \
        return flushes ? ftz : plain;                                         \
    }
#include "lower/mufu.def"

static sim_value (*const approximates[PTX_OP_COUNT])(sim_writer *, sim_value, bool) = {
#define APPROXIMATE(id, name, plain, ftz) [PTX_OP_##id] = write_##name,
#include "lower/mufu.def"
};

/* Returns false for an instruction that is not approximate, and for double precision. */
bool sim_write_approximate(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    const bool flushes = i->mods[PTX_SLOT_FTZ], divides = i->op == PTX_OP_FDIV_APPROX;
    const bool is_full = i->mods[PTX_SLOT_PRECISION] != PTX_MOD_APPROX;
    if (i->type != PTX_F32 || (!divides && !approximates[i->op])) return false;
    const sim_value a = sim_read_raw(w, op->a);
    sim_value result =
        divides ? CALL(quotient, a, sim_read_raw(w, op->b), flushes, is_full) : approximates[i->op](w, a, flushes);
    result.raw = true;
    sim_write_slot(w, op->d, result);
    return true;
}
