/* Atomic operations on memory, by kind and width, on values as 64-bit integers.
 *
 * Integer operations are exact. Floating-point additions flush and choose NaNs as an H100 does. That differs between
 * spaces: global memory has an atomic unit, but doubles in shared memory are added by machine code. Halves are added in
 * single precision and rounded once; pairs of halves are two operations.
 *
 * Handlers are in exec/ops/atomic.c; bulk reductions use sim_atomic_apply() as well (exec/bulk.c). */
#include "exec/atomic.h"

#include "exec/half.h"

#include <string.h>

/* Values travel as the low bits of a 64-bit integer, whatever their type. */
static float as_f32(uint64_t bits) {
    uint32_t narrow = (uint32_t)bits;
    float f;
    memcpy(&f, &narrow, 4);
    return f;
}

static double as_f64(uint64_t bits) {
    double d;
    memcpy(&d, &bits, 8);
    return d;
}

/* Returns the bits of a sum; any NaN becomes the only one that single precision has. */
static uint64_t bits_of_single(float f) {
    enum { ONLY_NAN = 0x7fffffff };
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return f == f ? bits : ONLY_NAN;
}

/* Adds as machine code does: a NaN becomes quiet, and the one in memory is preferred to b. */
static uint64_t add_quietly(uint64_t a, uint64_t b) {
    static const uint64_t quiet = UINT64_C(0x0008000000000000);
    const double x = as_f64(a), y = as_f64(b), sum = x + y;
    uint64_t bits;
    memcpy(&bits, &sum, 8);
    return x != x ? a | quiet : y != y ? b | quiet : bits;
}

/* Adds as memory does: a NaN stays as it is, even a signaling one, and b is preferred to a (an H100). */
static uint64_t add_doubles(uint64_t a, uint64_t b) {
    const double x = as_f64(a), y = as_f64(b), sum = x + y;
    uint64_t bits;
    memcpy(&bits, &sum, 8);
    return y != y ? b : x != x ? a : bits;
}

static uint64_t add_floats(unsigned bytes, uint64_t a, uint64_t b) {
    return bytes == 8 ? add_doubles(a, b) : bits_of_single(as_f32(a) + as_f32(b));
}

/* Returns a subnormal number as a zero of its sign. */
static float flushed(float f) {
    return __builtin_fabsf(f) < 0x1p-126f ? __builtin_copysignf(0.0f, f) : f;
}

/* Adds as the atomic unit of global memory does: it flushes operands and result. */
static uint64_t add_flushed(uint64_t a, uint64_t b) {
    return bits_of_single(flushed(flushed(as_f32(a)) + flushed(as_f32(b))));
}

/* The sum of two halves is exact in single precision or is rounded so that a second rounding is harmless: 24 bits are
 * more than twice 11. */
static uint64_t add_f16(uint64_t a, uint64_t b) {
    return f16_of_f32(f32_of_f16((uint16_t)a) + f32_of_f16((uint16_t)b));
}

static uint64_t add_bf16(uint64_t a, uint64_t b) {
    return bf16_of_f32(f32_of_bf16((uint16_t)a) + f32_of_bf16((uint16_t)b));
}

/* Applies f to the lower and the upper half of a word. */
static uint64_t both_halves(uint64_t (*f)(uint64_t, uint64_t), uint64_t a, uint64_t b) {
    return f(a & 0xffff, b & 0xffff) | f(a >> 16 & 0xffff, b >> 16 & 0xffff) << 16;
}

static uint64_t pick(bool first, uint64_t a, uint64_t b) {
    return first ? a : b;
}

/* A number wins over NaN; -0 is below +0. Two NaNs give the canonical one. Equal numbers may be zeros of different
 * sign, hence the `or` and `and` of their bits. */
static uint64_t pick_half(float x, float y, bool smaller, uint64_t a, uint64_t b) {
    if (x != x && y != y) return 0x7fff;
    if (x != x) return b;
    if (y != y) return a;
    if (x == y) return smaller ? a | b : a & b;
    return pick(smaller ? x < y : x > y, a, b);
}

static uint64_t min_f16(uint64_t a, uint64_t b) {
    return pick_half(f32_of_f16((uint16_t)a), f32_of_f16((uint16_t)b), true, a, b);
}

static uint64_t max_f16(uint64_t a, uint64_t b) {
    return pick_half(f32_of_f16((uint16_t)a), f32_of_f16((uint16_t)b), false, a, b);
}

static uint64_t min_bf16(uint64_t a, uint64_t b) {
    return pick_half(f32_of_bf16((uint16_t)a), f32_of_bf16((uint16_t)b), true, a, b);
}

static uint64_t max_bf16(uint64_t a, uint64_t b) {
    return pick_half(f32_of_bf16((uint16_t)a), f32_of_bf16((uint16_t)b), false, a, b);
}

static int64_t sign_extend(uint64_t v, unsigned bytes) {
    unsigned shift = 64 - 8 * bytes;
    return (int64_t)(v << shift) >> shift;
}

/* Returns the new value. `b` and `swap` have been cut to the width, `old` is extended with zeros; the caller cuts the
 * result. Increment and decrement wrap at `b` (the ISA's atom.inc and atom.dec). */
static uint64_t combine(sim_atomic_kind kind, unsigned bytes, uint64_t old, uint64_t b, uint64_t swap) {
    switch (kind) {
    case SIM_ATOMIC_AND: return old & b;
    case SIM_ATOMIC_OR: return old | b;
    case SIM_ATOMIC_XOR: return old ^ b;
    case SIM_ATOMIC_EXCH: return b;
    case SIM_ATOMIC_CAS: return old == b ? swap : old;
    case SIM_ATOMIC_ADD: return old + b;
    case SIM_ATOMIC_INC: return old >= b ? 0 : old + 1;
    case SIM_ATOMIC_DEC: return old == 0 || old > b ? b : old - 1;
    case SIM_ATOMIC_MIN_U: return pick(old < b, old, b);
    case SIM_ATOMIC_MAX_U: return pick(old > b, old, b);
    case SIM_ATOMIC_MIN_S: return pick(sign_extend(old, bytes) < sign_extend(b, bytes), old, b);
    case SIM_ATOMIC_MAX_S: return pick(sign_extend(old, bytes) > sign_extend(b, bytes), old, b);
    case SIM_ATOMIC_ADD_F: return add_floats(bytes, old, b);
    case SIM_ATOMIC_ADD_FTZ: return add_flushed(old, b);
    case SIM_ATOMIC_ADD_QUIET: return add_quietly(old, b);
    case SIM_ATOMIC_ADD_F16: return add_f16(old, b);
    case SIM_ATOMIC_ADD_F16X2: return both_halves(add_f16, old, b);
    case SIM_ATOMIC_ADD_BF16: return add_bf16(old, b);
    case SIM_ATOMIC_ADD_BF16X2: return both_halves(add_bf16, old, b);
    case SIM_ATOMIC_MIN_F16: return min_f16(old, b);
    case SIM_ATOMIC_MAX_F16: return max_f16(old, b);
    case SIM_ATOMIC_MIN_BF16: return min_bf16(old, b);
    case SIM_ATOMIC_MAX_BF16: return max_bf16(old, b);
    case SIM_ATOMIC_MIN_F16X2: return both_halves(min_f16, old, b);
    case SIM_ATOMIC_MAX_F16X2: return both_halves(max_f16, old, b);
    case SIM_ATOMIC_MIN_BF16X2: return both_halves(min_bf16, old, b);
    case SIM_ATOMIC_MAX_BF16X2: return both_halves(max_bf16, old, b);
    case SIM_ATOMIC_KINDS: break;
    }
    return old;
}

/* Keeps the low `bytes` bytes. */
static uint64_t cut(uint64_t v, unsigned bytes) {
    return bytes < 8 ? v & ((1ull << 8 * bytes) - 1) : v;
}

/* Read and write naturally aligned memory of 2, 4 or 8 bytes. */
static uint64_t fetch(const void *memory, unsigned bytes) {
    switch (bytes) {
    case 2: return *(const uint16_t *)memory;
    case 4: return *(const uint32_t *)memory;
    default: return *(const uint64_t *)memory;
    }
}

static void put(void *memory, unsigned bytes, uint64_t value) {
    switch (bytes) {
    case 2: *(uint16_t *)memory = (uint16_t)value; return;
    case 4: *(uint32_t *)memory = (uint32_t)value; return;
    default: *(uint64_t *)memory = value;
    }
}

uint64_t sim_atomic_apply(sim_atomic_kind kind, unsigned bytes, void *memory, uint64_t operand, uint64_t swap,
                          bool *changed) {
    const uint64_t old = fetch(memory, bytes);
    const uint64_t now = cut(combine(kind, bytes, old, cut(operand, bytes), cut(swap, bytes)), bytes);
    *changed = now != old;
    put(memory, bytes, now);
    return old;
}

/* Exchange, compare-and-swap, and the wrapping increment and decrement depend on the order; so do the roundings of
 * floating point. */
bool sim_atomic_commutes(sim_atomic_kind kind) {
    switch (kind) {
    case SIM_ATOMIC_AND:
    case SIM_ATOMIC_OR:
    case SIM_ATOMIC_XOR:
    case SIM_ATOMIC_ADD:
    case SIM_ATOMIC_MIN_U:
    case SIM_ATOMIC_MAX_U:
    case SIM_ATOMIC_MIN_S:
    case SIM_ATOMIC_MAX_S: return true;
    default: return false;
    }
}

/* The parser's kinds do not say where the memory is. These two are the only places that do. */
sim_atomic_kind sim_atomic_at_global(sim_atomic_kind kind, unsigned bytes) {
    return kind == SIM_ATOMIC_ADD_F && bytes == 4 ? SIM_ATOMIC_ADD_FTZ : kind;
}

sim_atomic_kind sim_atomic_at_shared(sim_atomic_kind kind, unsigned bytes) {
    return kind == SIM_ATOMIC_ADD_F && bytes == 8 ? SIM_ATOMIC_ADD_QUIET : kind;
}

/* A vector's elements, and the pairs, have kinds of their own. The default is f32 and f64, which only add. */
static sim_atomic_kind floating_kind(unsigned modifier, unsigned type) {
    bool least = modifier == PTX_MOD_ATOM_MIN, most = modifier == PTX_MOD_ATOM_MAX;
    switch (type) {
    case PTX_F16: return least ? SIM_ATOMIC_MIN_F16 : most ? SIM_ATOMIC_MAX_F16 : SIM_ATOMIC_ADD_F16;
    case PTX_BF16: return least ? SIM_ATOMIC_MIN_BF16 : most ? SIM_ATOMIC_MAX_BF16 : SIM_ATOMIC_ADD_BF16;
    case PTX_F16X2: return least ? SIM_ATOMIC_MIN_F16X2 : most ? SIM_ATOMIC_MAX_F16X2 : SIM_ATOMIC_ADD_F16X2;
    case PTX_BF16X2: return least ? SIM_ATOMIC_MIN_BF16X2 : most ? SIM_ATOMIC_MAX_BF16X2 : SIM_ATOMIC_ADD_BF16X2;
    default: return SIM_ATOMIC_ADD_F;
    }
}

/* Exchanges and compare-and-swaps move bits, even of floating types. */
sim_atomic_kind sim_atomic_kind_of(const ptx_instruction *i) {
    unsigned modifier = i->mods[PTX_SLOT_ATOMIC];
    const bool is_signed = ptx_is_signed(i->type);
    if (ptx_types[i->type].kind == 'F' && modifier != PTX_MOD_ATOM_EXCH && modifier != PTX_MOD_ATOM_CAS)
        return floating_kind(modifier, i->type);
    switch (modifier) {
    case PTX_MOD_ATOM_AND: return SIM_ATOMIC_AND;
    case PTX_MOD_ATOM_OR: return SIM_ATOMIC_OR;
    case PTX_MOD_ATOM_XOR: return SIM_ATOMIC_XOR;
    case PTX_MOD_ATOM_EXCH: return SIM_ATOMIC_EXCH;
    case PTX_MOD_ATOM_CAS: return SIM_ATOMIC_CAS;
    case PTX_MOD_ATOM_INC: return SIM_ATOMIC_INC;
    case PTX_MOD_ATOM_DEC: return SIM_ATOMIC_DEC;
    case PTX_MOD_ATOM_MIN: return is_signed ? SIM_ATOMIC_MIN_S : SIM_ATOMIC_MIN_U;
    case PTX_MOD_ATOM_MAX: return is_signed ? SIM_ATOMIC_MAX_S : SIM_ATOMIC_MAX_U;
    default: return SIM_ATOMIC_ADD;
    }
}

/* Repeats until no other host thread has changed the word in between. Relaxed: epochs order everything else. */
static void reduce_32(sim_atomic_kind kind, uint32_t *memory, uint32_t operand) {
    uint32_t old = __atomic_load_n(memory, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(memory, &old, (uint32_t)combine(kind, 4, old, operand, 0), true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

static void reduce_64(sim_atomic_kind kind, uint64_t *memory, uint64_t operand) {
    uint64_t old = __atomic_load_n(memory, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(memory, &old, combine(kind, 8, old, operand, 0), true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
    }
}

/* Addition of words, by far the most common, is one host instruction. */
void sim_atomic_reduce(sim_atomic_kind kind, unsigned bytes, void *memory, uint64_t operand) {
    if (kind == SIM_ATOMIC_ADD && bytes == 4)
        __atomic_fetch_add((uint32_t *)memory, (uint32_t)operand, __ATOMIC_RELAXED);
    else if (bytes == 4)
        reduce_32(kind, memory, (uint32_t)operand);
    else
        reduce_64(kind, memory, operand);
}
