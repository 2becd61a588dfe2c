/* cvt, and its packed forms. Frequent pairs of types have handlers of their own. All others take one general path: read
 * the source as a 64-bit integer or a double, which hold every narrower value, then write the destination with one
 * rounding.
 *
 * Registers may be wider than the types; the result is extended to its register. The frequent pairs are for registers
 * of just the types' widths; the general path handles any.
 *
 * NaNs come out as an H100 makes them. Single precision has one NaN; conversions from and to other formats keep a
 * payload in a few cases (find_nan()). Conversions of 4 and 6 bits, and of scale factors, are in narrow.c. */
#include "exec/half.h"
#include "exec/ops/lanes.h"
#include "state/lanes.h"

/* ---- frequent pairs, between registers of the types' widths ---- */

#define PLAIN(name, D, S) SIM_UNARY(name, D, S, a)
/* 8-bit values live in 16-bit registers. */
#define FROM_8(name, D, S, T) SIM_UNARY(name, D, S, (T)a)

PLAIN(u16_from_32, uint16_t, uint32_t)
PLAIN(u16_from_64, uint16_t, uint64_t)
PLAIN(u32_from_u16, uint32_t, uint16_t)
PLAIN(s32_from_s16, int32_t, int16_t)
PLAIN(u32_from_64, uint32_t, uint64_t)
PLAIN(u64_from_u16, uint64_t, uint16_t)
PLAIN(s64_from_s16, int64_t, int16_t)
PLAIN(u64_from_u32, uint64_t, uint32_t)
PLAIN(s64_from_s32, int64_t, int32_t)
FROM_8(u16_from_u8, uint16_t, uint16_t, uint8_t)
FROM_8(u32_from_u8, uint32_t, uint16_t, uint8_t)
FROM_8(s16_from_s8, int16_t, uint16_t, int8_t)
FROM_8(s32_from_s8, int32_t, uint16_t, int8_t)
FROM_8(u8_from_32, uint16_t, uint32_t, uint8_t)
PLAIN(f32_from_s32, float, int32_t)
PLAIN(f32_from_u32, float, uint32_t)
PLAIN(f64_from_s32, double, int32_t)
PLAIN(f64_from_u32, double, uint32_t)
PLAIN(f64_from_f32, double, float)
SIM_UNARY(f32_from_f64, float, double, (float)a)
SIM_UNARY(f32_from_f16, float, uint16_t, canonical_f32(f32_of_f16(a)))
SIM_UNARY(f16_from_f32, uint16_t, float, f16_of_f32(a))
SIM_UNARY(f32_from_bf16, uint32_t, uint16_t, (uint32_t)a << 16) /* a NaN stays as it is, too */
SIM_UNARY(bf16_from_f32, uint16_t, float, bf16_of_f32(a))

/* Round towards zero and clamp, with NaN as 0. The casts see only values in range: out of it they are undefined in C,
 * and handlers evaluate inactive lanes, too. */
static inline int32_t truncate_s32(float a) {
    const float low = a < -0x1p31f ? -0x1p31f : a != a ? 0.0f : a;
    return low >= 0x1p31f ? INT32_MAX : (int32_t)low;
}
static inline uint32_t truncate_u32(float a) {
    const float low = a > 0.0f ? a : 0.0f;
    return low >= 0x1p32f ? UINT32_MAX : (uint32_t)(int64_t)low;
}
SIM_UNARY(s32_from_f32, int32_t, float, truncate_s32(a))
SIM_UNARY(u32_from_f32, uint32_t, float, truncate_u32(a))

/* A handler for a conversion with this rounding modifier and no other. */
typedef struct frequent_pair {
    uint8_t to, from, rounding;
    sim_handler run;
} frequent_pair;

static const frequent_pair frequent[] = {
    {PTX_U16, PTX_U32, 0, u16_from_32},
    {PTX_U16, PTX_S32, 0, u16_from_32},
    {PTX_S16, PTX_U32, 0, u16_from_32},
    {PTX_S16, PTX_S32, 0, u16_from_32},
    {PTX_U16, PTX_U64, 0, u16_from_64},
    {PTX_U32, PTX_U16, 0, u32_from_u16},
    {PTX_S32, PTX_S16, 0, s32_from_s16},
    {PTX_U32, PTX_U64, 0, u32_from_64},
    {PTX_U32, PTX_S64, 0, u32_from_64},
    {PTX_S32, PTX_U64, 0, u32_from_64},
    {PTX_S32, PTX_S64, 0, u32_from_64},
    {PTX_U64, PTX_U16, 0, u64_from_u16},
    {PTX_S64, PTX_S16, 0, s64_from_s16},
    {PTX_U64, PTX_U32, 0, u64_from_u32},
    {PTX_S64, PTX_U32, 0, u64_from_u32},
    {PTX_S64, PTX_S32, 0, s64_from_s32},
    {PTX_U64, PTX_S32, 0, s64_from_s32},
    {PTX_U16, PTX_U8, 0, u16_from_u8},
    {PTX_U32, PTX_U8, 0, u32_from_u8},
    {PTX_S16, PTX_S8, 0, s16_from_s8},
    {PTX_S32, PTX_S8, 0, s32_from_s8},
    {PTX_U8, PTX_U32, 0, u8_from_32},
    {PTX_F32, PTX_S32, PTX_MOD_RN, f32_from_s32},
    {PTX_F32, PTX_U32, PTX_MOD_RN, f32_from_u32},
    {PTX_F64, PTX_S32, PTX_MOD_RN, f64_from_s32},
    {PTX_F64, PTX_U32, PTX_MOD_RN, f64_from_u32},
    {PTX_F64, PTX_F32, 0, f64_from_f32},
    {PTX_F32, PTX_F64, PTX_MOD_RN, f32_from_f64},
    {PTX_F32, PTX_F16, 0, f32_from_f16},
    {PTX_F16, PTX_F32, PTX_MOD_RN, f16_from_f32},
    {PTX_F32, PTX_BF16, 0, f32_from_bf16},
    {PTX_BF16, PTX_F32, PTX_MOD_RN, bf16_from_f32},
    {PTX_S32, PTX_F32, PTX_MOD_RZI, s32_from_f32},
    {PTX_U32, PTX_F32, PTX_MOD_RZI, u32_from_f32},
};

/* Returns NULL if the conversion is not frequent. */
static sim_handler find_frequent(const ptx_instruction *i) {
    for (size_t n = 0; n < sizeof frequent / sizeof frequent[0]; n++) {
        const frequent_pair *pair = &frequent[n];
        if (pair->to == i->type && pair->from == i->type2 && pair->rounding == i->mods[PTX_SLOT_ROUND])
            return pair->run;
    }
    return NULL;
}

/* ---- the general path: reading ---- */

/* A warp's values on the general path: raw bits or integers first, then reals, if the types have any. */
typedef struct values {
    uint64_t integer[SIM_LANES]; /* sign-extended if the type is signed */
    double real[SIM_LANES];
} values;

/* Reads lanes of 2, 4 or 8 bytes, zero-extended. */
static void read_lanes(uint64_t *out, const void *slot, unsigned bytes) {
    const uint16_t *narrow = slot;
    const uint32_t *middle = slot;
    const uint64_t *wide = slot;
    if (bytes <= 2) {
        SIM_EACH_LANE(l) out[l] = narrow[l];
    } else if (bytes == 4) {
        SIM_EACH_LANE(l) out[l] = middle[l];
    } else {
        SIM_EACH_LANE(l) out[l] = wide[l];
    }
}

/* Keeps the low `bits` bits, sign-extended if the type is signed. */
static void extend(uint64_t *lanes, unsigned type) {
    const unsigned spare = 64 - ptx_bits(type);
    if (ptx_is_signed(type)) {
        SIM_EACH_LANE(l) lanes[l] = (uint64_t)((int64_t)(lanes[l] << spare) >> spare);
    } else {
        SIM_EACH_LANE(l) lanes[l] = lanes[l] << spare >> spare;
    }
}

/* Turns bits into doubles, which is exact. Flushes subnormals of single precision; the product keeps their sign. */
static void read_reals(values *v, unsigned type, bool flush) {
    switch (type) {
    case PTX_F16: SIM_EACH_LANE(l) v->real[l] = (double)f32_of_f16((uint16_t)v->integer[l]); break;
    case PTX_BF16: SIM_EACH_LANE(l) v->real[l] = (double)f32_of_bf16((uint16_t)v->integer[l]); break;
    case PTX_F32: SIM_EACH_LANE(l) v->real[l] = (double)f32_of_bits((uint32_t)v->integer[l]); break;
    default: SIM_EACH_LANE(l) v->real[l] = f64_of_bits(v->integer[l]); break;
    }
    if (flush && type == PTX_F32) {
        SIM_EACH_LANE(l) v->real[l] = __builtin_fabs(v->real[l]) < 0x1p-126 ? v->real[l] * 0.0 : v->real[l];
    }
}

/* ---- rounding to integers, and integers from integers and reals ---- */

/* Rounds reals to whole numbers, in their own type or on the way to an integer. The host rounds to nearest even. */
static void round_to_integers(double *x, unsigned modifier) {
    switch (modifier) {
    case PTX_MOD_RNI: SIM_EACH_LANE(l) x[l] = __builtin_rint(x[l]); break;
    case PTX_MOD_RMI: SIM_EACH_LANE(l) x[l] = __builtin_floor(x[l]); break;
    case PTX_MOD_RPI: SIM_EACH_LANE(l) x[l] = __builtin_ceil(x[l]); break;
    default: SIM_EACH_LANE(l) x[l] = __builtin_trunc(x[l]); break;
    }
}

/* The range of an integer type. */
static int64_t least(unsigned type) {
    return ptx_is_signed(type) ? INT64_MIN >> (64 - ptx_bits(type)) : 0;
}

static uint64_t greatest(unsigned type) {
    return (ptx_is_signed(type) ? INT64_MAX : UINT64_MAX) >> (64 - ptx_bits(type));
}

/* .sat between integers: clamps to the destination's range. `from` says how the 64 bits are to be read. */
static void saturate_integers(values *v, unsigned to, unsigned from) {
    const int64_t low = least(to);
    const uint64_t high = greatest(to);
    for (unsigned l = 0; l < SIM_LANES; l++) {
        const bool negative = ptx_is_signed(from) && (int64_t)v->integer[l] < 0;
        if (negative && (int64_t)v->integer[l] < low) v->integer[l] = (uint64_t)low;
        if (!negative && v->integer[l] > high) v->integer[l] = high;
    }
}

/* Clamps to the destination's range. NaN becomes 0; if either side has 64 bits, it sets the top bit instead. The reals
 * are whole. */
static void integers_from_reals(values *v, unsigned to, unsigned from) {
    const bool top = from == PTX_F64 || ptx_bits(to) == 64;
    const uint64_t nan = top ? UINT64_C(1) << (ptx_bits(to) - 1) : 0;
    const double limit = (double)(greatest(to) / 2 + 1) * 2; /* greatest + 1, exactly */
    const double low = (double)least(to);
    for (unsigned l = 0; l < SIM_LANES; l++) {
        const double x = v->real[l];
        if (x != x) {
            v->integer[l] = nan;
        } else if (x >= limit) {
            v->integer[l] = greatest(to);
        } else if (x <= low) {
            v->integer[l] = (uint64_t)least(to);
        } else {
            v->integer[l] = x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x;
        }
    }
}

/* ---- reals ---- */

/* Returns how encode() has to round; to nearest even if the instruction does not say. */
static sim_rounding format_rounding(unsigned modifier) {
    switch (modifier) {
    case PTX_MOD_RZ: return SIM_ROUND_ZERO;
    case PTX_MOD_RM: return SIM_ROUND_DOWN;
    case PTX_MOD_RP: return SIM_ROUND_UP;
    case PTX_MOD_RNA: return SIM_ROUND_AWAY;
    default: return SIM_ROUND_EVEN;
    }
}

/* Returns an integer as a double with a sticky last bit. Rounding it again to a narrower format equals rounding the
 * integer itself. A double keeps the upper 53 bits; if any of the 11 below is set, so is the last one. */
static double sticky_real(uint64_t bits, bool signed_type) {
    const bool negative = signed_type && bits >> 63;
    const uint64_t magnitude = negative ? 0 - bits : bits;
    const uint64_t cut = magnitude & 0x7ff;
    const uint64_t kept = magnitude >> 53 ? (magnitude ^ cut) | (cut ? 0x800 : 0) : magnitude;
    return negative ? -(double)kept : (double)kept;
}

/* Sets the host's rounding mode, or sets it back to nearest, which it is at first. Most conversions round to nearest.
 */
static void begin_rounding(int mode) {
    if (mode != FE_TONEAREST) (void)fesetround(mode);
}

static void end_rounding(int mode) {
    if (mode != FE_TONEAREST) (void)fesetround(FE_TONEAREST);
}

/* Converts in the current rounding mode. Not inlined, so that no operation moves across the change of mode. Zero stays
 * +0 in all modes. */
__attribute__((noinline)) static void doubles_from_integers(values *v, bool signed_type) {
    for (unsigned l = 0; l < SIM_LANES; l++) {
        const uint64_t x = v->integer[l];
        v->real[l] = x == 0 ? 0.0 : signed_type ? (double)(int64_t)x : (double)x;
    }
}

/* A double gets its one rounding here; narrower formats get theirs when they are written. */
static void reals_from_integers(values *v, unsigned to, unsigned from, unsigned modifier) {
    if (to == PTX_F64) {
        begin_rounding(sim_host_rounding(modifier));
        doubles_from_integers(v, ptx_is_signed(from));
        end_rounding(sim_host_rounding(modifier));
    } else {
        for (unsigned l = 0; l < SIM_LANES; l++) v->real[l] = sticky_real(v->integer[l], ptx_is_signed(from));
    }
}

/* Rounds in the current mode; not inlined for the same reason. */
__attribute__((noinline)) static void singles_from_doubles(float *out, const double *in) {
    SIM_EACH_LANE(l) out[l] = (float)in[l];
}

/* Scales the numbers by SIM_LIFT before the rounding mode changes: see flush_product. */
static void flush_singles(float *single, const double *real, int mode) {
    double large[SIM_LANES];
    float lifted[SIM_LANES];
    SIM_EACH_LANE(l) large[l] = real[l] * (double)SIM_LIFT;
    begin_rounding(mode);
    singles_from_doubles(lifted, large);
    end_rounding(mode);
    SIM_EACH_LANE(l) single[l] = flush_product(single[l], lifted[l]);
}

/* A double's NaN keeps the part of its payload that fits, as on hardware; others become the canonical NaN. */
static void write_singles(values *v, unsigned from, unsigned modifier, bool flush) {
    float single[SIM_LANES];
    begin_rounding(sim_host_rounding(modifier));
    singles_from_doubles(single, v->real);
    end_rounding(sim_host_rounding(modifier));
    if (flush) flush_singles(single, v->real, sim_host_rounding(modifier));
    if (from != PTX_F64) SIM_EACH_LANE(l) single[l] = canonical_f32(single[l]);
    SIM_EACH_LANE(l) v->integer[l] = bits_of_f32(single[l]);
}

/* Encodes in a format without instructions on the host. `left`: where its bits begin in the register; tf32 is kept in
 * the upper bits of a single. */
static void write_format(values *v, const sim_format *format, unsigned modifier, bool finite, int left) {
    const sim_format f = *format;
    const sim_rounding rounding = format_rounding(modifier);
    SIM_EACH_LANE(l) v->integer[l] = (uint64_t)encode(f, v->real[l], rounding, finite) << left;
}

/* Writes reals as a type's bits. This is the only rounding of a conversion between floating-point types. */
static void write_reals(values *v, unsigned type, unsigned from, unsigned modifier, bool flush, bool finite) {
    switch (type) {
    case PTX_F16: write_format(v, &sim_f16, modifier, finite, 0); break;
    case PTX_BF16: write_format(v, &sim_bf16, modifier, finite, 0); break;
    case PTX_TF32: write_format(v, &sim_tf32, modifier, finite, 13); break;
    case PTX_F32: write_singles(v, from, modifier, flush); break;
    default: SIM_EACH_LANE(l) v->integer[l] = bits_of_f64(v->real[l]); break;
    }
}

/* ---- the general handler ---- */

enum { CVT_FLUSH = 1, CVT_SATURATE = 2, CVT_RELU = 4, CVT_FINITE = 8 };

/* sim_op.x: destination type and register bytes; y: source type and register bytes; target: rounding modifier; imm:
 * CVT_*. */
static uint32_t place(unsigned type, unsigned bytes) {
    return type | bytes << 8;
}

/* .sat clamps to [0, 1] with NaN as +0; .relu turns negative numbers and -0 into +0 and keeps NaN. */
static void clamp_reals(double *x, unsigned flags) {
    if (flags & CVT_SATURATE) SIM_EACH_LANE(l) x[l] = saturate_f64(x[l]);
    if (flags & CVT_RELU) SIM_EACH_LANE(l) x[l] = x[l] <= 0.0 ? 0.0 : x[l];
}

/* From an integer type: to a floating-point one, or with .sat to another integer type. Without, the width alone
 * changes. */
static void convert_integers(values *v, unsigned to, unsigned from, unsigned modifier, unsigned flags) {
    extend(v->integer, from);
    if (ptx_types[to].kind == 'F') {
        reals_from_integers(v, to, from, modifier);
        clamp_reals(v->real, flags);
        write_reals(v, to, from, modifier, false, false);
    } else if (flags & CVT_SATURATE) {
        saturate_integers(v, to, from);
    }
}

static bool rounds_to_integer(unsigned modifier) {
    return modifier == PTX_MOD_RNI || modifier == PTX_MOD_RZI || modifier == PTX_MOD_RMI || modifier == PTX_MOD_RPI;
}

/* Finds the NaN of an H100 where it differs from IEEE 754's conversion. Returns whether it differs; *nan is made from
 * the source's bits. */
static bool find_nan(unsigned to, unsigned from, unsigned modifier, unsigned flags, uint64_t bits, uint64_t *nan) {
    if (to == PTX_TF32 && from == PTX_F32 && modifier == PTX_MOD_RNA)
        *nan = bits & 0xffffe000u;
    else if (to == PTX_F16 && from == PTX_F64)
        *nan = (bits >> 48 & 0x8000) | 0x7e00 | (bits >> 42 & 0x3ff);
    else if (to == PTX_F32 && from == PTX_BF16)
        *nan = bits << 16;
    else if (to == PTX_F64 && from == PTX_F32 && flags == CVT_FLUSH)
        *nan = UINT64_C(0x7fffffffe0000000);
    else
        return false;
    return flags == 0 || to == PTX_F64;
}

/* Replaces the results of NaNs where hardware's differ. `bits`: the source as it was. */
static void keep_nans(values *v, const uint64_t *bits, unsigned to, unsigned from, unsigned modifier, unsigned flags) {
    for (unsigned l = 0; l < SIM_LANES; l++) {
        uint64_t nan;
        if (v->real[l] != v->real[l] && find_nan(to, from, modifier, flags, bits[l], &nan)) v->integer[l] = nan;
    }
}

/* From a floating-point type to any. */
static void convert_reals(values *v, unsigned to, unsigned from, unsigned modifier, unsigned flags) {
    const bool to_real = ptx_types[to].kind == 'F', flush = flags & CVT_FLUSH;
    uint64_t bits[SIM_LANES];
    memcpy(bits, v->integer, sizeof bits);
    read_reals(v, from, flush);
    if (!to_real || rounds_to_integer(modifier)) round_to_integers(v->real, modifier);
    if (to_real) {
        clamp_reals(v->real, flags);
        write_reals(v, to, from, modifier, flush, flags & CVT_FINITE);
        keep_nans(v, bits, to, from, modifier, flags);
    } else {
        integers_from_reals(v, to, from);
    }
}

/* Writes the low bytes of the active lanes' values to lanes of that width. */
static void write_lanes(void *slot, unsigned bytes, const uint64_t *lanes, uint32_t active) {
    uint16_t *narrow = slot;
    uint32_t *middle = slot;
    uint64_t *wide = slot;
    if (bytes <= 2) {
        SIM_STORE_LANES(narrow, active, (uint16_t)lanes[l]);
    } else if (bytes == 4) {
        SIM_STORE_LANES(middle, active, (uint32_t)lanes[l]);
    } else {
        SIM_STORE_LANES(wide, active, lanes[l]);
    }
}

/* The general handler. It computes all lanes and stores the active ones. */
static sim_step convert(sim_warp *w, const sim_op *op, uint32_t active) {
    const unsigned to = op->x & 255, from = op->y & 255, flags = (unsigned)op->imm;
    values v;
    read_lanes(v.integer, w->regs + op->a, op->y >> 8);
    if (ptx_types[from].kind == 'F') {
        convert_reals(&v, to, from, op->target, flags);
    } else {
        convert_integers(&v, to, from, op->target, flags);
    }
    extend(v.integer, to);
    write_lanes(w->regs + op->d, op->x >> 8, v.integer, active);
    return SIM_NEXT;
}

/* ---- lowering ---- */

/* Returns the bytes of a register that just holds the type; 8-bit types live in 16 bits. */
static unsigned natural_bytes(unsigned type) {
    return ptx_bits(type) <= 16 ? 2 : ptx_bits(type) / 8;
}

/* 8-bit operands are read as the 16-bit registers that hold them. */
static unsigned readable(unsigned type) {
    return ptx_bits(type) == 8 ? PTX_B16 : type;
}

/* Returns the width of a lane of the operand's slot. */
static unsigned lane_bytes(sim_lowering *l, const ptx_operand *operand, unsigned type) {
    if (operand->kind == PTX_SINK) return 8;
    if (operand->kind == PTX_SPECIAL_REGISTER) return ptx_bits(ptx_special_types[operand->special]) / 8;
    if (operand->kind != PTX_REGISTER) return natural_bytes(type);
    const unsigned bytes = sim_register_bytes(l, operand);
    return bytes < 2 ? 2 : bytes;
}

SIM_UNARY(same_32, uint32_t, uint32_t, a)
SIM_UNARY(same_64, uint64_t, uint64_t, a)

/* A conversion between equal types is a copy, of a NaN, too. */
static bool is_copy(const ptx_instruction *i) {
    return i->type == i->type2 && (i->type == PTX_F32 || i->type == PTX_F64) && !i->mods[PTX_SLOT_ROUND] &&
           !i->mods[PTX_SLOT_FTZ] && !i->mods[PTX_SLOT_SAT];
}

/* Frequent pairs need registers of the types' own widths, and no modifier but the rounding. */
haul_status LOWER(CVT)(sim_lowering *l, const ptx_instruction *i) {
    if (is_copy(i)) return sim_lower_unary(l, i, i->type == PTX_F32 ? same_32 : same_64);
    const unsigned to = i->type, from = i->type2;
    const unsigned to_bytes = lane_bytes(l, &i->operands[0], to), from_bytes = lane_bytes(l, &i->operands[1], from);
    const int64_t flags = (i->mods[PTX_SLOT_FTZ] ? CVT_FLUSH : 0) | (i->mods[PTX_SLOT_SAT] ? CVT_SATURATE : 0) |
                          (i->mods[PTX_SLOT_RELU] ? CVT_RELU : 0) | (i->mods[PTX_SLOT_SATFINITE] ? CVT_FINITE : 0);
    const bool natural = to_bytes == natural_bytes(to) && from_bytes == natural_bytes(from);
    sim_handler run = natural && flags == 0 ? find_frequent(i) : NULL;
    const uint32_t d = sim_destination(l, &i->operands[0]), a = sim_source(l, &i->operands[1], readable(from));
    sim_op *op = sim_emit(l, run ? run : convert);
    op->d = d, op->a = a, op->x = place(to, to_bytes), op->y = place(from, from_bytes);
    op->target = i->mods[PTX_SLOT_ROUND], op->imm = flags;
    return HAUL_OK;
}

/* ---- packed conversions ---- */

/* Encodes one of two values in a register of 16- or 8-bit halves. op->x: destination type; target: rounding; imm:
 * CVT_*. */
static uint32_t encode_half(unsigned type, double x, sim_rounding rounding, unsigned flags) {
    const bool finite = flags & CVT_FINITE;
    const double value = (flags & CVT_RELU) && x <= 0.0 ? 0.0 : x;
    switch (type) {
    case PTX_F16X2: return encode(sim_f16, value, rounding, finite);
    case PTX_BF16X2: return encode(sim_bf16, value, rounding, finite);
    case PTX_E4M3X2: return encode(sim_e4m3, value, rounding, finite);
    default: return encode(sim_e5m2, value, rounding, finite);
    }
}

/* Encodes two values and stores them as halves of a register; the first source is the upper half. */
static void store_pairs(sim_warp *w, const sim_op *op, uint32_t active, const double *high, const double *low) {
    const unsigned type = op->x, flags = (unsigned)op->imm;
    const sim_rounding rounding = format_rounding(op->target);
    uint64_t pairs[SIM_LANES];
    const unsigned shift = ptx_bits(type) / 2;
    for (unsigned l = 0; l < SIM_LANES; l++) {
        pairs[l] = encode_half(type, high[l], rounding, flags) << shift | encode_half(type, low[l], rounding, flags);
    }
    write_lanes(w->regs + op->d, ptx_bits(type) / 8, pairs, active);
}

/* cvt to f16x2, bf16x2 and pairs of 8 bits from two singles. */
static sim_step pack_singles(sim_warp *w, const sim_op *op, uint32_t active) {
    const float *a = SIM_SLOT(w, float, op->a), *b = SIM_SLOT(w, float, op->b);
    double high[SIM_LANES], low[SIM_LANES];
    SIM_EACH_LANE(l) high[l] = (double)a[l];
    SIM_EACH_LANE(l) low[l] = (double)b[l];
    store_pairs(w, op, active, high, low);
    return SIM_NEXT;
}

/* Decodes pairs of halves (f16x2, bf16x2, e4m3x2, e5m2x2); op->y is the source type. e5m2 is the upper half of an f16.
 * e4m3 has no infinities and one NaN for each sign. */
static double decode_half(unsigned type, uint32_t bits) {
    const double sign = bits & 0x80 ? -1.0 : 1.0;
    const uint32_t magnitude = bits & 0x7f;
    switch (type) {
    case PTX_F16X2: return (double)f32_of_f16((uint16_t)bits);
    case PTX_BF16X2: return (double)f32_of_bf16((uint16_t)bits);
    case PTX_E5M2X2: return (double)f32_of_f16((uint16_t)(bits << 8));
    default: break;
    }
    if (magnitude == sim_e4m3.nan) return f64_of_bits(SIM_NAN_F64);
    const double significand = magnitude < 8 ? (double)magnitude : (double)(8 + (magnitude & 7));
    const uint32_t exponent = magnitude < 8 ? 1 : magnitude >> 3;
    return sign * significand * f64_of_bits((uint64_t)(1023 + exponent - 7 - 3) << 52);
}

/* Conversions between pairs, such as e4m3x2 to f16x2. */
static sim_step pack_halves(sim_warp *w, const sim_op *op, uint32_t active) {
    const unsigned from = op->y, shift = ptx_bits(from) / 2;
    uint64_t pairs[SIM_LANES];
    double high[SIM_LANES], low[SIM_LANES];
    read_lanes(pairs, w->regs + op->a, ptx_bits(from) / 8);
    const uint32_t mask = (1u << shift) - 1;
    for (unsigned l = 0; l < SIM_LANES; l++) {
        high[l] = decode_half(from, (uint32_t)(pairs[l] >> shift) & mask);
        low[l] = decode_half(from, (uint32_t)pairs[l] & mask);
    }
    store_pairs(w, op, active, high, low);
    return SIM_NEXT;
}

static void fill_packing(sim_op *op, const ptx_instruction *i) {
    op->x = i->type, op->y = i->type2, op->target = i->mods[PTX_SLOT_ROUND];
    op->imm = (i->mods[PTX_SLOT_RELU] ? CVT_RELU : 0) | (i->mods[PTX_SLOT_SATFINITE] ? CVT_FINITE : 0);
}

haul_status LOWER(CVT_PACK)(sim_lowering *l, const ptx_instruction *i) {
    sim_op *op = sim_emit_with(l, i, pack_singles, PTX_F32, PTX_F32, 0);
    if (op) fill_packing(op, i);
    return sim_emitted(op);
}

haul_status LOWER(CVT_PACK_FP8)(sim_lowering *l, const ptx_instruction *i) {
    return LOWER(CVT_PACK)(l, i);
}

/* From e4m3x2 or e5m2x2 to f16x2, or from f16x2 or bf16x2 to one of these. */
haul_status LOWER(CVT_FP8)(sim_lowering *l, const ptx_instruction *i) {
    sim_op *op = sim_emit_with(l, i, pack_halves, ptx_bits(i->type2) == 16 ? PTX_B16 : PTX_B32, 0, 0);
    if (op) fill_packing(op, i);
    return sim_emitted(op);
}

/* cvt.pack: saturates a and b to half a register each; with c, to a byte each, below c's low half. */
static int64_t saturated(int64_t x, unsigned type) {
    const int64_t low = least(type), high = (int64_t)greatest(type);
    return x < low ? low : x > high ? high : x;
}

/* The shift is in 64 bits: for 16-bit types, which have no c, it is by 32. */
static sim_step pack_integers(sim_warp *w, const sim_op *op, uint32_t active) {
    const int32_t *a = SIM_SLOT(w, int32_t, op->a), *b = SIM_SLOT(w, int32_t, op->b);
    const uint32_t *c = SIM_SLOT(w, uint32_t, op->c);
    uint32_t *d = SIM_SLOT(w, uint32_t, op->d);
    const unsigned type = op->x, bits = ptx_bits(type);
    const uint32_t mask = (1u << bits) - 1;
    for (unsigned l = 0; l < SIM_LANES; l++) {
        const uint32_t high = (uint32_t)saturated(a[l], type) & mask, low = (uint32_t)saturated(b[l], type) & mask;
        const uint64_t above = (uint64_t)c[l] << 2 * bits;
        if (active >> l & 1) d[l] = (uint32_t)above | high << bits | low;
    }
    return SIM_NEXT;
}

/* With a third source, the two results are bytes and c moves up. */
haul_status LOWER(CVT_PACK_INTEGERS)(sim_lowering *l, const ptx_instruction *i) {
    sim_op *op = sim_emit_with(l, i, pack_integers, PTX_S32, PTX_S32, i->operand_count > 3 ? PTX_B32 : 0);
    if (op) op->x = i->type;
    return sim_emitted(op);
}

haul_status LOWER(CVT_PACK_MORE)(sim_lowering *l, const ptx_instruction *i) {
    return LOWER(CVT_PACK_INTEGERS)(l, i);
}
