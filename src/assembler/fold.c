/* Simplifications of ptxas 13.0, read off machine code and checked against an H100 (tests/data/h100):
 *
 * - Approximate functions of a constant are rounded to nearest. A quotient by a constant is a product by its rounded
 *   reciprocal, which may be fused into a sum. With .ftz, the reciprocal of a reciprocal is the original, and a
 *   quotient by a reciprocal (div.approx) a product.
 * - A product by one that names no rounding becomes the other factor. The minimum or maximum of two equal values
 *   becomes either. NaNs therefore stay as they are.
 * - neg and abs of single precision are sums with -0, which turn every NaN into one, unless a selection uses the
 *   result: it changes the sign itself. Two neg cancel.
 * - Constants move after registers, which decides between two NaNs of double precision.
 * - Constants beyond the width: 16-bit shifts use their low half. Bit fields from bit 32 on are all ones if they have
 *   a sign. Widths of fields to insert count modulo 32, unless the field begins at a byte. slct.s32.s32 reads a
 *   constant as a float. */
#include "assembler/fold.h"

#include "assembler/rewrite.h"
#include "assembler/values.h"
#include "base/search.h"
#include "ptx/literal.h"
#include "ptx/liveness.h"
#include "ptx/traits.h"
#include "ptx/users.h"

#include <math.h>
#include <string.h>

enum { ONE_F32 = 0x3f800000, NAN_F32 = 0x7fffffff, SIGN_F32 = INT32_MIN };
#define ONE_F64 UINT64_C(0x3ff0000000000000)
#define QUIET_F64 UINT64_C(0x0008000000000000)
#define SIGN_F64 (UINT64_C(1) << 63)

/* Facts about a register within a basic block. */
typedef struct value {
    uint32_t block; /* + 1; in other blocks nothing is known */
    uint32_t id;    /* equal ids: equal values */
    bool constant;
    uint16_t made; /* PTX_OP_FNEG, PTX_OP_FABS or PTX_OP_RCP_APPROX with .ftz of register `of`, if that still has value
                    * of_id; otherwise 0 */
    uint64_t bits;
    uint32_t of, of_id;
} value;

typedef struct folding {
    sim_rewrite to;
    const ptx_function *from;
    arena *memory, *scratch;
    value *values;              /* by register */
    uint32_t *reads;            /* by register: number of operands that read it */
    ptx_users readers, writers; /* found on first use */
    uint32_t block, now, ids;
} folding;

/* ---- values ---- */

/* Facts hold within a block; at its start every register has a value of its own. */
static value *value_of(folding *f, uint32_t reg) {
    value *v = &f->values[reg];
    if (v->block != f->block + 1) *v = (value){.block = f->block + 1, .id = ++f->ids};
    return v;
}

/* A write gives the register a new value that nothing is known about. */
static void forget(void *context, uint32_t reg, bool writes) {
    folding *f = context;
    if (writes && reg < f->from->register_count) f->values[reg] = (value){.block = f->block + 1, .id = ++f->ids};
}

/* Whether the operand is a constant, written or in a register; sets its bits. */
static bool is_constant(folding *f, const ptx_operand *o, unsigned type, uint64_t *bits) {
    *bits = 0;
    if (o->kind == PTX_FLOATING) *bits = ptx_float_bits(o, ptx_bits(type) / 8);
    if (o->kind == PTX_INTEGER) *bits = o->bits;
    if (o->kind != PTX_REGISTER) return o->kind == PTX_FLOATING || o->kind == PTX_INTEGER;
    const value *v = value_of(f, o->reg);
    *bits = v->bits;
    return v->constant;
}

static bool are_equal(folding *f, const ptx_operand *a, const ptx_operand *b) {
    return a->kind == PTX_REGISTER && b->kind == PTX_REGISTER && value_of(f, a->reg)->id == value_of(f, b->reg)->id;
}

static float float_of(uint64_t bits) {
    const uint32_t low = (uint32_t)bits;
    float x;
    memcpy(&x, &low, sizeof x);
    return x;
}

/* Every NaN has the one pattern that hardware computes. */
static uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return x != x ? (uint32_t)NAN_F32 : bits;
}

static float flushed(float x) {
    return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

static bool is_nan_f64(uint64_t bits) {
    return (bits << 1) > UINT64_C(0xffe0000000000000);
}

/* ---- replacement of instructions ---- */

/* Gives the instruction operands of its own before they are changed. */
static ptx_operand *own_operands(folding *f, ptx_instruction *i) {
    ptx_operand *own = ARENA_ARRAY(f->memory, i->operand_count, ptx_operand);
    memcpy(own, i->operands, i->operand_count * sizeof *own);
    i->operands = own;
    return own;
}

static ptx_operand constant_operand(uint64_t bits, unsigned type) {
    const bool floating = type == PTX_F32 || type == PTX_F64;
    return (ptx_operand){
        .kind = floating ? PTX_FLOATING : PTX_INTEGER, .width = type == PTX_F32 ? 32 : 64, .bits = bits};
}

static void become_copy(folding *f, ptx_instruction *i, ptx_operand source) {
    ptx_operand *own = own_operands(f, i);
    own[1] = source;
    i->op = PTX_OP_MOV;
    i->type = i->type == PTX_F16 ? PTX_B16 : i->type;
    i->operand_count = 2;
    memset(i->mods, 0, sizeof i->mods);
}

static void become_constant(folding *f, ptx_instruction *i, uint64_t bits) {
    become_copy(f, i, constant_operand(bits, i->type));
}

static void become_product(folding *f, ptx_instruction *i, float by) {
    const uint16_t ftz = i->mods[PTX_SLOT_FTZ];
    own_operands(f, i)[2] = constant_operand(bits_of(by), PTX_F32);
    i->op = PTX_OP_FMUL;
    memset(i->mods, 0, sizeof i->mods);
    i->mods[PTX_SLOT_FTZ] = ftz;
}

/* Changes only the sign bit, of NaNs, too. */
static void become_bit_operation(folding *f, ptx_instruction *i) {
    ptx_operand *own = ARENA_ARRAY(f->memory, 3, ptx_operand);
    own[0] = i->operands[0];
    own[1] = i->operands[1];
    own[2] = constant_operand(i->op == PTX_OP_FNEG ? UINT64_C(0x80000000) : UINT64_C(0x7fffffff), PTX_B32);
    i->op = i->op == PTX_OP_FNEG ? PTX_OP_XOR : PTX_OP_AND;
    i->type = PTX_B32;
    i->operands = own;
    i->operand_count = 3;
}

static void swap(folding *f, ptx_instruction *i) {
    ptx_operand *own = own_operands(f, i), first = own[1];
    own[1] = own[2];
    own[2] = first;
}

/* ---- functions of constants ---- */

/* Subnormal arguments and results are scaled, as in machine code. */
static bool compute(unsigned op, float x, bool ftz, float *result) {
    const float lifted = !ftz && fabsf(x) < 0x1p-126f ? 0x1p24f : 1, wide = (float)(lifted != 1);
    const double argument = (double)(x * lifted);
    const bool halved = !ftz && x < -126;
    const float power = (float)exp2((double)(halved ? x * 0.5f : x));
    switch (op) {
    case PTX_OP_RCP_APPROX: *result = (float)(1 / argument) * lifted; return true;
    case PTX_OP_SQRT_APPROX: *result = (float)sqrt(argument) * (wide != 0 ? 0x1p-12f : 1); return true;
    case PTX_OP_RSQRT: *result = (float)(1 / sqrt(argument)) * (wide != 0 ? 0x1p12f : 1); return true;
    case PTX_OP_SIN: *result = (float)sin((double)flushed(x)); return true;
    case PTX_OP_COS: *result = (float)cos((double)flushed(x)); return true;
    case PTX_OP_LG2: *result = (float)log2(argument) - 24 * wide; return true;
    case PTX_OP_EX2: *result = halved ? power * power : power; return true;
    default: return false;
    }
}

/* Whether the register that the value was made of has not changed since. */
static bool still_has(folding *f, const value *v) {
    return v->made && value_of(f, v->of)->id == v->of_id;
}

/* The reciprocal of a reciprocal, both flushed, is the original. */
static bool fold_reciprocal(folding *f, ptx_instruction *i) {
    ptx_operand original = i->operands[1];
    if (!i->mods[PTX_SLOT_FTZ] || i->type != PTX_F32 || original.kind != PTX_REGISTER) return false;
    const value *v = value_of(f, original.reg);
    if (v->made != PTX_OP_RCP_APPROX || !still_has(f, v)) return false;
    original.reg = v->of;
    become_copy(f, i, original);
    return true;
}

/* Evaluates an approximate function of a constant. */
static bool fold_function(folding *f, ptx_instruction *i) {
    uint64_t bits;
    float result;
    if (i->type != PTX_F32 || !is_constant(f, &i->operands[1], PTX_F32, &bits)) return false;
    const bool ftz = i->mods[PTX_SLOT_FTZ];
    const float x = float_of(bits);
    if (!compute(i->op, ftz ? flushed(x) : x, ftz, &result)) return false;
    become_constant(f, i, bits_of(ftz ? flushed(result) : result));
    return true;
}

/* A quotient by a reciprocal is a product. */
static bool fold_division_by_reciprocal(folding *f, ptx_instruction *i) {
    if (!i->mods[PTX_SLOT_FTZ] || i->mods[PTX_SLOT_PRECISION] != PTX_MOD_APPROX) return false;
    if (i->operands[2].kind != PTX_REGISTER) return false;
    const value *v = value_of(f, i->operands[2].reg);
    if (v->made != PTX_OP_RCP_APPROX || !still_has(f, v)) return false;
    ptx_operand original = i->operands[2];
    original.reg = v->of;
    become_product(f, i, 1);
    i->operands[2] = original;
    return true;
}

/* Multiplies by the reciprocal. Both are scaled first if its argument or the reciprocal itself would be subnormal. */
static bool fold_quotient(folding *f, ptx_instruction *i) {
    uint64_t bits;
    if (!is_constant(f, &i->operands[2], PTX_F32, &bits)) return false;
    const bool ftz = i->mods[PTX_SLOT_FTZ], full = i->mods[PTX_SLOT_PRECISION] != PTX_MOD_APPROX;
    const float divisor = ftz ? flushed(float_of(bits)) : float_of(bits), magnitude = fabsf(divisor);
    const float by = full && magnitude > 0x1p126f ? 0.25f : !ftz && magnitude < 0x1p-126f ? 0x1p24f : 1.0f;
    const float reciprocal = flushed(1 / (divisor * by));
    if (by != 1) {
        ptx_instruction scaled = *i;
        become_product(f, &scaled, by);
        scaled.operands[0].reg = sim_rewrite_register(&f->to, f->to.to->registers[i->operands[0].reg].type, "%scaled");
        sim_rewrite_add(&f->to, scaled);
        own_operands(f, i)[1] = scaled.operands[0];
    }
    if (by == 1 && reciprocal == 1 && !ftz)
        become_copy(f, i, i->operands[1]);
    else
        become_product(f, i, reciprocal);
    return true;
}

/* ---- arithmetic ---- */

static bool is_one(folding *f, const ptx_instruction *i, unsigned operand) {
    uint64_t bits;
    if (!is_constant(f, &i->operands[operand], i->type, &bits)) return false;
    return bits == (i->type == PTX_F64 ? ONE_F64 : ONE_F32);
}

static bool fold_product(folding *f, ptx_instruction *i) {
    if (i->mods[PTX_SLOT_ROUND] || i->mods[PTX_SLOT_FTZ] || i->mods[PTX_SLOT_SAT]) return false;
    for (unsigned k = 1; k <= 2; k++) {
        if (!is_one(f, i, k)) continue;
        become_copy(f, i, i->operands[3 - k]);
        return true;
    }
    return false;
}

/* The minimum or maximum of a value with itself. */
static bool fold_choice(folding *f, ptx_instruction *i) {
    const bool plain = !i->mods[PTX_SLOT_FTZ] && !i->mods[PTX_SLOT_NAN] && !i->mods[PTX_SLOT_XORSIGN];
    if (!plain || i->operand_count != 3 || !are_equal(f, &i->operands[1], &i->operands[2])) return false;
    if (i->type != PTX_F16 && i->type != PTX_F32 && i->type != PTX_F64) return false;
    become_copy(f, i, i->operands[1]);
    return true;
}

/* A difference with a constant NaN is that NaN, made quiet. */
static bool order_difference(folding *f, ptx_instruction *i) {
    uint64_t first, second;
    const bool is_first = is_constant(f, &i->operands[1], PTX_F64, &first) && is_nan_f64(first);
    const bool is_second = is_constant(f, &i->operands[2], PTX_F64, &second) && is_nan_f64(second);
    if (is_first)
        become_constant(f, i, first | QUIET_F64);
    else if (is_second)
        become_constant(f, i, (second | QUIET_F64) ^ SIGN_F64);
    return is_first || is_second;
}

/* Zero, which is a register, comes before the others. Of two constants, the one that fits into an instruction comes
 * last. */
static bool order_factors(folding *f, ptx_instruction *i) {
    uint64_t first = 0, second = 0;
    const bool is_first = is_constant(f, &i->operands[1], PTX_F64, &first);
    const bool is_second = is_constant(f, &i->operands[2], PTX_F64, &second);
    const bool fits = is_second && !(uint32_t)second && (uint32_t)first;
    bool swaps = is_first && first << 1 != 0 && !(is_second && fits);
    if (is_second && second << 1 == 0) swaps = true;
    if (swaps) swap(f, i);
    return swaps;
}

/* Only double precision shows the order, by which of two NaNs it returns. */
static bool order_operands(folding *f, ptx_instruction *i) {
    uint64_t bits;
    if (i->type != PTX_F64) return false;
    if (i->op == PTX_OP_FSUB) return order_difference(f, i);
    if (i->op == PTX_OP_FMA || i->op == PTX_OP_FMAD) return order_factors(f, i);
    if (!is_constant(f, &i->operands[1], PTX_F64, &bits) || is_constant(f, &i->operands[2], PTX_F64, &bits))
        return false;
    swap(f, i);
    return true;
}

/* ---- signs ---- */

/* Instructions that pass a value on unchanged, sign and NaN included. */
static bool is_selection(const ptx_instruction *i) {
    switch (i->op) {
    case PTX_OP_SELP:
    case PTX_OP_SLCT: return i->type == PTX_F32;
    case PTX_OP_MOV: return i->type == PTX_F32 && i->guarded;
    case PTX_OP_CVT: return i->type == PTX_F64 && i->type2 == PTX_F32 && !i->mods[PTX_SLOT_FTZ];
    default: return false;
    }
}

/* How many operands a selection chooses from, beginning with operand 1. */
static unsigned choices_of(const ptx_instruction *i) {
    return i->op == PTX_OP_SELP || i->op == PTX_OP_SLCT ? 2 : 1;
}

/* How often a selection may choose the register. */
static unsigned times_chosen(const ptx_instruction *i, uint32_t reg) {
    unsigned times = 0;
    for (unsigned k = 1; is_selection(i) && k <= choices_of(i); k++)
        times += i->operands[k].kind == PTX_REGISTER && i->operands[k].reg == reg;
    return times;
}

/* Returns the first instruction of the list after this one, or the block's end if the block has none. */
static uint32_t next_user(const folding *f, const ptx_users *users, uint32_t reg, uint32_t behind) {
    const uint32_t first = users->first[reg], end = f->from->blocks[f->block].end;
    size_t at;
    SEARCH_FIRST(at, users->first[reg + 1] - first, k, users->instructions[first + k] <= behind);
    at += first;
    return at < users->first[reg + 1] && users->instructions[at] < end ? users->instructions[at] : end;
}

/* Returns whether all readers of the value written now are selections in this block. */
static bool is_only_selected(folding *f, uint32_t reg) {
    if (!f->readers.first) ptx_users_find(f->from, f->scratch, &f->readers, &f->writers);
    const uint32_t end = f->from->blocks[f->block].end, written = next_user(f, &f->writers, reg, f->now);
    unsigned chosen = 0;
    for (uint32_t k = next_user(f, &f->readers, reg, f->now); k < end && k <= written;
         k = next_user(f, &f->readers, reg, k)) {
        const unsigned times = times_chosen(&f->from->instructions[k], reg);
        if (!times) return false;
        chosen += times;
    }
    if (written < end) return !f->from->instructions[written].guarded && chosen;
    return chosen && chosen == f->reads[reg];
}

/* NaNs become quiet, and subnormal numbers are flushed if the instruction says so. */
static bool fold_sign_of_constant(folding *f, ptx_instruction *i, uint64_t bits) {
    const uint64_t sign = i->type == PTX_F64 ? SIGN_F64 : UINT64_C(0x80000000);
    if (i->type == PTX_F32 && (bits & 0x7fffffff) > 0x7f800000) bits |= 0x00400000;
    if (i->mods[PTX_SLOT_FTZ] && !(bits & 0x7f800000)) bits &= 0x80000000;
    become_constant(f, i, i->op == PTX_OP_FNEG ? bits ^ sign : bits & ~sign);
    return true;
}

/* neg and abs: of a constant, of another neg, or for selections only. */
static bool fold_sign(folding *f, ptx_instruction *i) {
    uint64_t bits;
    if (is_constant(f, &i->operands[1], i->type, &bits)) return fold_sign_of_constant(f, i, bits);
    if (i->mods[PTX_SLOT_FTZ]) return false;
    if (i->type != PTX_F32 || i->operands[1].kind != PTX_REGISTER || i->operands[0].kind != PTX_REGISTER) return false;
    const value *v = value_of(f, i->operands[1].reg);
    if (i->op == PTX_OP_FNEG && v->made == PTX_OP_FNEG && still_has(f, v) && !i->guarded) {
        ptx_operand original = i->operands[1];
        original.reg = v->of;
        become_copy(f, i, original);
        return true;
    }
    if (!i->guarded && !is_only_selected(f, i->operands[0].reg)) return false;
    become_bit_operation(f, i);
    return true;
}

/* Inserts before i a copy of the original with its sign changed. */
static void add_sign(folding *f, const ptx_instruction *i, const value *v, ptx_operand like, uint32_t to) {
    ptx_operand parts[2] = {like, like};
    ptx_instruction sign = *i;
    parts[0].reg = to;
    parts[1].reg = v->of;
    sign.op = v->made;
    sign.guarded = false;
    sign.operands = parts;
    memset(sign.mods, 0, sizeof sign.mods);
    become_bit_operation(f, &sign);
    sim_rewrite_add(&f->to, sign);
}

/* A selection of a negated value that has other uses selects the original and changes its sign. */
static bool fold_selection(folding *f, ptx_instruction *i) {
    bool changed = false;
    for (unsigned k = 1; is_selection(i) && k <= choices_of(i); k++) {
        const ptx_operand *o = &i->operands[k];
        if (o->kind != PTX_REGISTER) continue;
        const value *v = value_of(f, o->reg);
        if (v->made == PTX_OP_RCP_APPROX || !still_has(f, v)) continue;
        ptx_operand selected = *o;
        selected.reg = sim_rewrite_register(&f->to, f->to.to->registers[v->of].type, "%sign");
        add_sign(f, i, v, selected, selected.reg);
        own_operands(f, i)[k] = selected;
        changed = true;
    }
    return changed;
}

/* The same holds for the value that a guarded instruction keeps if its guard is false. */
static bool fold_kept_sign(folding *f, const ptx_instruction *i) {
    const ptx_operand *d = &i->operands[0];
    if (!i->guarded || i->type != PTX_F32 || !ptx_is_pure(i->op) || !i->operand_count || d->kind != PTX_REGISTER)
        return false;
    const value *v = value_of(f, d->reg);
    if (v->made == PTX_OP_RCP_APPROX || !still_has(f, v)) return false;
    add_sign(f, i, v, *d, d->reg);
    return true;
}

/* ---- constants beyond the width ---- */

static bool fold_field(folding *f, ptx_instruction *i) {
    uint64_t first, width;
    const unsigned at = i->op == PTX_OP_BFE ? 2 : 3;
    if (ptx_bits(i->type) != 32 || !is_constant(f, &i->operands[at], PTX_U32, &first) ||
        !is_constant(f, &i->operands[at + 1], PTX_U32, &width))
        return false;
    first &= 0xff, width &= 0xff;
    if (i->op == PTX_OP_BFE) {
        if (i->type != PTX_S32 || first < 32 || !width || i->operands[1].kind != PTX_REGISTER) return false;
        become_constant(f, i, UINT32_MAX);
        return true;
    }
    if (first % 8 == 0 || first >= 32 || width < 32 || i->operands[2].kind != PTX_REGISTER) return false;
    own_operands(f, i)[at + 1] = constant_operand(width % 32, PTX_U32);
    return true;
}

static bool fold_shift(folding *f, ptx_instruction *i) {
    const ptx_operand *by = &i->operands[2];
    if (ptx_bits(i->type) != 16 || by->kind != PTX_INTEGER || by->bits <= UINT16_MAX) return false;
    own_operands(f, i)[2] = constant_operand(by->bits & UINT16_MAX, PTX_U32);
    return true;
}

static bool fold_slct(folding *f, ptx_instruction *i) {
    const ptx_operand *by = &i->operands[3];
    if (i->type != PTX_S32 || i->type2 != PTX_S32 || by->kind != PTX_INTEGER) return fold_selection(f, i);
    own_operands(f, i)[3] = constant_operand(float_of(by->bits) >= 0 ? 0 : UINT32_MAX, PTX_S32);
    fold_selection(f, i);
    return true;
}

/* ---- the pass ---- */

/* Tries the simplifications of an instruction; returns whether one applied. */
static bool fold(folding *f, ptx_instruction *i) {
    switch (i->op) {
    case PTX_OP_FMUL: return fold_product(f, i) || order_operands(f, i);
    case PTX_OP_FADD:
    case PTX_OP_FSUB:
    case PTX_OP_FMA:
    case PTX_OP_FMAD: return order_operands(f, i);
    case PTX_OP_FMIN:
    case PTX_OP_FMAX: return fold_choice(f, i) || order_operands(f, i);
    case PTX_OP_HMIN:
    case PTX_OP_HMAX: return fold_choice(f, i);
    case PTX_OP_FDIV_APPROX: return fold_quotient(f, i) || fold_division_by_reciprocal(f, i);
    case PTX_OP_FNEG:
    case PTX_OP_FABS: return fold_sign(f, i);
    case PTX_OP_BFE:
    case PTX_OP_BFI: return fold_field(f, i);
    case PTX_OP_SHL:
    case PTX_OP_SHR: return fold_shift(f, i);
    case PTX_OP_SLCT: return fold_slct(f, i);
    case PTX_OP_SELP:
    case PTX_OP_MOV:
    case PTX_OP_CVT: return fold_selection(f, i);
    case PTX_OP_RCP_APPROX: return fold_function(f, i) || fold_reciprocal(f, i);
    default: return fold_function(f, i);
    }
}

/* Returns whether the operand can be recovered from the result. */
static bool can_be_undone(const ptx_instruction *i) {
    const bool ftz = i->mods[PTX_SLOT_FTZ];
    if (i->type != PTX_F32 || i->operands[0].reg == i->operands[1].reg) return false;
    return i->op == PTX_OP_RCP_APPROX ? ftz : (i->op == PTX_OP_FNEG || i->op == PTX_OP_FABS) && !ftz;
}

/* Notes what an instruction writes to its register. */
static void note_result(folding *f, const ptx_instruction *i) {
    const ptx_operand *d = &i->operands[0], *a = &i->operands[1];
    if (i->operand_count != 2 || d->kind != PTX_REGISTER || i->guarded) {
        ptx_visit_registers(i, forget, f);
        return;
    }
    const bool copies = i->op == PTX_OP_MOV;
    value source = {0}, *v;
    if (a->kind == PTX_REGISTER && a->reg < f->from->register_count) source = *value_of(f, a->reg);
    ptx_visit_registers(i, forget, f);
    v = value_of(f, d->reg);
    if (copies && a->kind == PTX_FLOATING) {
        v->constant = true;
        v->bits = ptx_float_bits(a, ptx_bits(i->type) / 8);
    } else if (!source.block) {
        return;
    } else if (copies && f->to.to->registers[d->reg].type == f->to.to->registers[a->reg].type) {
        *v = source;
    } else if (can_be_undone(i)) {
        v->made = i->op;
        v->of = a->reg;
        v->of_id = source.id;
    }
}

static void count_read(void *context, uint32_t reg, bool writes) {
    folding *f = context;
    if (!writes) f->reads[reg]++;
}

/* Returns whether the operands alone allow that there is something to fold. */
static bool may_fold(const ptx_instruction *i) {
    switch (i->op) {
    case PTX_OP_FNEG:
    case PTX_OP_FABS: return i->type == PTX_F32 || i->operands[1].kind != PTX_REGISTER;
    case PTX_OP_HMIN:
    case PTX_OP_HMAX:
    case PTX_OP_FMIN:
    case PTX_OP_FMAX: return true;
    case PTX_OP_RCP_APPROX: return i->mods[PTX_SLOT_FTZ] || i->operands[1].kind == PTX_FLOATING;
    case PTX_OP_BFE:
    case PTX_OP_BFI:
    case PTX_OP_SHL:
    case PTX_OP_SHR:
    case PTX_OP_SLCT: return i->operands[i->operand_count - 1].kind == PTX_INTEGER;
    default: break;
    }
    for (unsigned k = 1; k < i->operand_count; k++)
        if (i->operands[k].kind == PTX_FLOATING) return true;
    return false;
}

static bool has_any(const ptx_function *f) {
    for (size_t i = 0; i < f->instruction_count; i++)
        if (may_fold(&f->instructions[i])) return true;
    return false;
}

/* Facts are taken from the instruction as it was rewritten. */
static bool fold_block(folding *f) {
    const ptx_block *b = &f->from->blocks[f->block];
    bool changed = false;
    for (f->now = b->first; f->now < b->end; f->now++) {
        ptx_instruction i = f->from->instructions[f->now];
        sim_rewrite_at(&f->to, f->now);
        changed |= fold(f, &i);
        changed |= fold_kept_sign(f, &i);
        sim_rewrite_add(&f->to, i);
        note_result(f, &i);
    }
    return changed;
}

ptx_function *sim_fold(ptx_module *module, ptx_function *flat, arena *scratch) {
    if (!has_any(flat)) return flat;
    folding f = {.from = flat,
                 .memory = &module->memory,
                 .scratch = scratch,
                 .values = ARENA_ARRAY(scratch, flat->register_count + 1, value),
                 .reads = ARENA_ARRAY(scratch, flat->register_count + 1, uint32_t)};
    bool changed = false;
    for (size_t i = 0; i < flat->instruction_count; i++) ptx_visit_registers(&flat->instructions[i], count_read, &f);
    sim_rewrite_begin(&f.to, flat, &module->memory);
    for (f.block = 0; f.block < flat->block_count; f.block++) changed |= fold_block(&f);
    sim_rewrite_end(&f.to);
    return changed ? f.to.to : flat;
}
