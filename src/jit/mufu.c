/* Approximate functions of single precision: those of lower/mufu.def, whose words are functions here that write IR.
 * Each function of the unit that a block uses becomes a function of lanes after its segments. What ptxas adds to it is
 * written in place. */
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
#define COLUMN(table, slice, name) \
    write_words(w, table, offsetof(sim_mufu_row, name), MUL(slice, K(sizeof(sim_mufu_row))))
#define OCTAVE(n) write_words(w, SIM_MUFU_OCTAVES, 0, SHL(n, 2))
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

/* Loads the words at these byte offsets of a table. */
static sim_value write_words(sim_writer *w, sim_mufu_table which, unsigned offset, sim_value bytes) {
    const uint32_t tables = sim_write_native(w, offsetof(sim_native, mufu) + which * sizeof(void *));
    const uint32_t base = sim_write_pointer(w, sim_write_sum(w, tables, offset), "i8");
    uint32_t half[2];
    for (unsigned h = 0; h < 2; h++)
        half[h] = sim_gather_integers(w, sim_write_places(w, base, sim_write_half(w, bytes, h), 32), 32);
    return sim_write_joined(w, SIM_VALUE_I32, half[0], half[1]);
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

#define FUNCTION(type, name, ...) static type mufu_##name(sim_writer *w, __VA_ARGS__)
#include "lower/mufu.def"

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
