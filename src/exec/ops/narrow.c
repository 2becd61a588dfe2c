/* The cvt forms new in sm_100: types of 4, 6 and 8 bits in groups of two and four, scales (ue8m0), fixed point (s2f6),
 * and stochastic rounding.
 *
 * Elements are decoded to doubles and encoded by encode() (half.h) with one rounding. Types of 4 and 6 bits have no
 * infinities and no NaNs, so conversions to them clamp: NaN becomes the greatest number. Other conversions are in
 * convert.c. */
#include "exec/half.h"
#include "exec/ops/lanes.h"
#include "state/block.h"

#include <math.h>

static const sim_format e2m1 = {1, 0, 7, 7, 7, 3};
static const sim_format e2m3 = {3, 0, 31, 31, 31, 5};
static const sim_format e3m2 = {2, -2, 31, 31, 31, 5};

/* A packed type: the format of its elements and the distance between them. */
typedef struct packing {
    const sim_format *format;
    unsigned bits;
} packing;

/* The elements of e2m1 are packed; those of 6 bits have a byte each. */
static packing packing_of(unsigned type) {
    switch (type) {
    case PTX_F16X2: return (packing){&sim_f16, 16};
    case PTX_BF16X2: return (packing){&sim_bf16, 16};
    case PTX_E4M3X2:
    case PTX_E4M3X4: return (packing){&sim_e4m3, 8};
    case PTX_E5M2X2:
    case PTX_E5M2X4: return (packing){&sim_e5m2, 8};
    case PTX_E2M1X2:
    case PTX_E2M1X4: return (packing){&e2m1, 4};
    case PTX_E2M3X2:
    case PTX_E2M3X4: return (packing){&e2m3, 8};
    default: return (packing){&e3m2, 8};
    }
}

/* Writes one lane of a destination of 16 or 32 bits; 8-bit results are in 16-bit registers. */
static void set_lane(sim_warp *w, const sim_op *op, unsigned lane, unsigned bits, uint32_t value) {
    if (bits <= 16)
        SIM_SLOT(w, uint16_t, op->d)[lane] = (uint16_t)value;
    else
        SIM_SLOT(w, uint32_t, op->d)[lane] = value;
}

/* op->x, y: types of destination and source; target: rounding modifier; imm: flags */
enum { RELU = 1, FINITE = 2 };

/* .relu: negative numbers and -0 become +0; NaN stays. */
static double clamped(double x, const sim_op *op) {
    return (op->imm & RELU) && x <= 0.0 ? 0.0 : x;
}

/* Lowers a conversion with sources of types a and b (0: one source). */
static haul_status lower_narrow(sim_lowering *l, const ptx_instruction *i, sim_handler run, unsigned a, unsigned b) {
    sim_op *op = sim_emit_with(l, i, run, a, b, 0);
    if (!op) return HAUL_ERROR_UNSUPPORTED;
    op->x = i->type, op->y = i->type2, op->target = i->mods[PTX_SLOT_ROUND];
    op->imm = (i->mods[PTX_SLOT_RELU] ? RELU : 0) | (i->mods[PTX_SLOT_SATFINITE] ? FINITE : 0);
    return HAUL_OK;
}

/* ---- to and from 4 and 6 bits ---- */

/* Returns two elements as halves of the result: rounded to nearest, clamped to the greatest number. */
static uint32_t pack_two(const sim_op *op, double high, double low) {
    const packing p = packing_of(op->x);
    return encode(*p.format, clamped(high, op), SIM_ROUND_EVEN, true) << p.bits |
           encode(*p.format, clamped(low, op), SIM_ROUND_EVEN, true);
}

/* a is the upper element. */
static sim_step from_singles(sim_warp *w, const sim_op *op, uint32_t active) {
    const float *a = SIM_SLOT(w, float, op->a), *b = SIM_SLOT(w, float, op->b);
    for (unsigned l = 0; l < SIM_LANES; l++)
        if (active >> l & 1) set_lane(w, op, l, ptx_bits(op->x), pack_two(op, (double)a[l], (double)b[l]));
    return SIM_NEXT;
}

/* Returns a half of `type`. */
static float half_of(unsigned type, uint32_t bits) {
    return type == PTX_BF16X2 ? f32_of_bf16((uint16_t)bits) : f32_of_f16((uint16_t)bits);
}

/* The upper half of a source becomes the upper element. */
static sim_step from_halves(sim_warp *w, const sim_op *op, uint32_t active) {
    const uint32_t *a = SIM_SLOT(w, uint32_t, op->a);
    for (unsigned l = 0; l < SIM_LANES; l++) {
        const float high = half_of(op->y, a[l] >> 16), low = half_of(op->y, a[l]);
        if (active >> l & 1) set_lane(w, op, l, ptx_bits(op->x), pack_two(op, (double)high, (double)low));
    }
    return SIM_NEXT;
}

/* These types have neither infinities nor NaNs. */
static double decode(const sim_format *f, uint32_t bits) {
    const uint32_t magnitude = bits & ((1u << f->sign) - 1), fraction = magnitude & ((1u << f->mantissa) - 1);
    const int exponent = (int)(magnitude >> f->mantissa);
    const double significand = (double)(exponent ? fraction + (1u << f->mantissa) : fraction);
    const double value = __builtin_ldexp(significand, (exponent ? exponent - 1 : 0) + f->lowest - f->mantissa);
    return bits >> f->sign & 1 ? -value : value;
}

/* All values of these types are halves, so nothing is rounded. */
static sim_step to_halves(sim_warp *w, const sim_op *op, uint32_t active) {
    const packing p = packing_of(op->y);
    const uint16_t *a = SIM_SLOT(w, uint16_t, op->a);
    for (unsigned l = 0; l < SIM_LANES; l++) {
        const double high = clamped(decode(p.format, (uint32_t)a[l] >> p.bits), op);
        const double low = clamped(decode(p.format, a[l]), op);
        const uint32_t pair = (uint32_t)f16_of_f32((float)high) << 16 | f16_of_f32((float)low);
        if (active >> l & 1) set_lane(w, op, l, 32, pair);
    }
    return SIM_NEXT;
}

haul_status LOWER(CVT_PACK_NARROW)(sim_lowering *l, const ptx_instruction *i) {
    return lower_narrow(l, i, from_singles, PTX_F32, PTX_F32);
}

haul_status LOWER(CVT_NARROW_HALVES)(sim_lowering *l, const ptx_instruction *i) {
    return lower_narrow(l, i, from_halves, PTX_B32, 0);
}

haul_status LOWER(CVT_NARROW)(sim_lowering *l, const ptx_instruction *i) {
    return lower_narrow(l, i, to_halves, PTX_B16, 0);
}

/* ---- scales: the exponent of a single, without its sign; 255 is NaN ---- */

/* Returns the exponent, rounded up with .rp if there is a fraction; otherwise the fraction is cut off. */
static uint32_t scale_of(uint32_t single, const sim_op *op) {
    const uint32_t magnitude = single & 0x7fffffffu, half_of_least = 0x00400000u;
    const bool is_nan = magnitude > 0x7f800000u, is_finite = magnitude < 0x7f800000u;
    const bool between = magnitude & 0x7fffffu && magnitude > half_of_least && is_finite;
    uint32_t exponent = magnitude >> 23;
    if (op->target == PTX_MOD_RP && between) exponent++;
    return (op->imm & FINITE) && !is_nan && exponent == 255 ? 254 : exponent;
}

static sim_step scales_of_singles(sim_warp *w, const sim_op *op, uint32_t active) {
    const uint32_t *a = SIM_SLOT(w, uint32_t, op->a), *b = SIM_SLOT(w, uint32_t, op->b);
    for (unsigned l = 0; l < SIM_LANES; l++)
        if (active >> l & 1) set_lane(w, op, l, 16, scale_of(a[l], op) << 8 | scale_of(b[l], op));
    return SIM_NEXT;
}

/* A bf16 is the upper half of a single. */
static sim_step scales_of_halves(sim_warp *w, const sim_op *op, uint32_t active) {
    const uint32_t *a = SIM_SLOT(w, uint32_t, op->a);
    for (unsigned l = 0; l < SIM_LANES; l++)
        if (active >> l & 1) set_lane(w, op, l, 16, scale_of(a[l] & 0xffff0000u, op) << 8 | scale_of(a[l] << 16, op));
    return SIM_NEXT;
}

/* Returns 2^(scale - 127). The least scale is subnormal in bf16. */
static uint32_t bf16_of_scale(uint32_t scale) {
    return scale == 255 ? 0x7fff : scale == 0 ? 0x0040 : scale << 7;
}

static sim_step halves_of_scales(sim_warp *w, const sim_op *op, uint32_t active) {
    const uint16_t *a = SIM_SLOT(w, uint16_t, op->a);
    for (unsigned l = 0; l < SIM_LANES; l++) {
        const uint32_t high = (uint32_t)a[l] >> 8, low = (uint32_t)a[l] & 255;
        if (active >> l & 1) set_lane(w, op, l, 32, bf16_of_scale(high) << 16 | bf16_of_scale(low));
    }
    return SIM_NEXT;
}

haul_status LOWER(CVT_PACK_SCALE)(sim_lowering *l, const ptx_instruction *i) {
    return lower_narrow(l, i, scales_of_singles, PTX_B32, PTX_B32);
}

haul_status LOWER(CVT_SCALE_HALVES)(sim_lowering *l, const ptx_instruction *i) {
    return lower_narrow(l, i, scales_of_halves, PTX_B32, 0);
}

haul_status LOWER(CVT_SCALE)(sim_lowering *l, const ptx_instruction *i) {
    return lower_narrow(l, i, halves_of_scales, PTX_B16, 0);
}

/* ---- to bf16, and to and from fixed point, with a scale for each element ---- */

/* Without .scaled, both scales are 1. */
enum { UNIT_SCALES = 0x7f7f };

static double power_of_scale(uint32_t scale) {
    return scale == 255 ? (double)NAN : __builtin_ldexp(1.0, (int)scale - 127);
}

static double decode_element(unsigned type, uint32_t bits) {
    switch (type) {
    case PTX_S2F6X2: return (double)(int8_t)bits / 64;
    case PTX_E5M2X2: return (double)f32_of_f16((uint16_t)(bits << 8));
    case PTX_E4M3X2: return (bits & 0x7f) == sim_e4m3.nan ? (double)NAN : decode(&sim_e4m3, bits & 0xff);
    default: return decode(packing_of(type).format, bits);
    }
}

/* The product is exact; it is rounded once. */
static uint32_t scaled_up(const sim_op *op, uint32_t bits, uint32_t scale) {
    const double x = decode_element(op->y, bits) * power_of_scale(scale);
    return encode(sim_bf16, clamped(x, op), SIM_ROUND_EVEN, op->imm & FINITE);
}

static sim_step to_brain(sim_warp *w, const sim_op *op, uint32_t active) {
    const uint16_t *a = SIM_SLOT(w, uint16_t, op->a), *scales = SIM_SLOT(w, uint16_t, op->c);
    const unsigned shift = op->y == PTX_S2F6X2 ? 8 : packing_of(op->y).bits;
    const uint32_t mask = (1u << shift) - 1;
    for (unsigned l = 0; l < SIM_LANES; l++) {
        const uint32_t high = scaled_up(op, a[l] >> shift & mask, scales[l] >> 8);
        const uint32_t low = scaled_up(op, a[l] & mask, scales[l] & 255);
        if (active >> l & 1) set_lane(w, op, l, 32, high << 16 | low);
    }
    return SIM_NEXT;
}

/* Returns x over the scale in 64ths, rounded to nearest even. NaN becomes the greatest number. */
static uint32_t fixed_of(const sim_op *op, double x, uint32_t scale) {
    const double wanted = clamped(x / power_of_scale(scale), op) * 64;
    if (!(wanted < INT8_MAX)) return INT8_MAX;
    return (uint32_t)(uint8_t)(int8_t)(wanted < INT8_MIN ? INT8_MIN : __builtin_rint(wanted));
}

static sim_step fixed_of_singles(sim_warp *w, const sim_op *op, uint32_t active) {
    const float *a = SIM_SLOT(w, float, op->a), *b = SIM_SLOT(w, float, op->b);
    const uint16_t *scales = SIM_SLOT(w, uint16_t, op->c);
    for (unsigned l = 0; l < SIM_LANES; l++) {
        const uint32_t high = fixed_of(op, (double)a[l], scales[l] >> 8);
        if (active >> l & 1) set_lane(w, op, l, 16, high << 8 | fixed_of(op, (double)b[l], scales[l] & 255));
    }
    return SIM_NEXT;
}

static sim_step fixed_of_halves(sim_warp *w, const sim_op *op, uint32_t active) {
    const uint32_t *a = SIM_SLOT(w, uint32_t, op->a);
    const uint16_t *scales = SIM_SLOT(w, uint16_t, op->c);
    for (unsigned l = 0; l < SIM_LANES; l++) {
        const uint32_t high = fixed_of(op, (double)half_of(op->y, a[l] >> 16), scales[l] >> 8);
        const uint32_t low = fixed_of(op, (double)half_of(op->y, a[l]), scales[l] & 255);
        if (active >> l & 1) set_lane(w, op, l, 16, high << 8 | low);
    }
    return SIM_NEXT;
}

/* The scales are the last operand. */
static haul_status lower_scaled(sim_lowering *l, const ptx_instruction *i, sim_handler run, unsigned a, unsigned b) {
    const ptx_operand unit = {.kind = PTX_INTEGER, .bits = UNIT_SCALES};
    const ptx_operand *last = i->mods[PTX_SLOT_SCALED] ? &i->operands[b ? 3 : 2] : &unit;
    const uint32_t scales = sim_source(l, last, PTX_U16);
    HAUL_TRY(lower_narrow(l, i, run, a, b));
    sim_last_op(l)->c = scales;
    return HAUL_OK;
}

haul_status LOWER(CVT_TO_BRAIN)(sim_lowering *l, const ptx_instruction *i) {
    return lower_scaled(l, i, to_brain, PTX_B16, 0);
}

haul_status LOWER(CVT_PACK_FIXED)(sim_lowering *l, const ptx_instruction *i) {
    return lower_scaled(l, i, fixed_of_singles, PTX_F32, PTX_F32);
}

haul_status LOWER(CVT_FIXED_HALVES)(sim_lowering *l, const ptx_instruction *i) {
    return lower_scaled(l, i, fixed_of_halves, PTX_B32, 0);
}

/* ---- stochastic rounding: adds random bits to the truncated part, aligned at its highest bit ---- */

/* Rounds away from zero if random bits and the cut part carry. `width`: the number of random bits. */
static uint32_t encode_random(const sim_format *f, double x, uint64_t random, int width, bool finite) {
    const uint64_t bits = bits_of_f64(x), magnitude = bits & INT64_MAX;
    const int exponent = (int)(magnitude >> 52) - 1023 - f->lowest;
    const uint64_t significand = (magnitude & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    const int wanted = 52 - f->mantissa + (exponent < 0 ? -exponent : 0), cut = wanted > 62 ? 62 : wanted;
    const uint64_t scaled = exponent > 0 ? (uint64_t)exponent << f->mantissa : 0;
    uint64_t result = magnitude ? scaled + ((significand + (random << (cut - width))) >> cut) : 0;
    if (magnitude > UINT64_C(0x7ff0000000000000)) return f->nan;
    if (result > f->greatest) result = finite ? f->greatest : f->infinity;
    return (uint32_t)(result | (bits >> 63) << f->sign);
}

/* Returns the random bits of element n, counted from the highest of d, and their number. */
static uint32_t random_of(unsigned type, uint32_t random, unsigned n, int *width) {
    const uint32_t halves[2] = {random >> 16, random & 0xffff};
    switch (type) {
    case PTX_F16X2: *width = 13; return halves[n] & 0x1fff;
    case PTX_BF16X2: *width = 16; return halves[n];
    case PTX_E2M1X4: *width = 8; return n < 2 ? halves[n] >> 8 : halves[n - 2] & 0xff;
    default: *width = 16; return halves[n / 2];
    }
}

/* Converts op->count elements, the highest first: a, b, c, then the pool from `more` on. y: the random bits. */
static sim_step round_randomly(sim_warp *w, const sim_op *op, uint32_t active) {
    const uint32_t *slots = w->sm->grid->program->pool + op->more, *random = SIM_SLOT(w, uint32_t, op->y);
    const packing p = packing_of(op->x);
    for (; active; active &= active - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(active);
        uint32_t packed = 0;
        for (unsigned n = 0; n < op->count; n++) {
            int width;
            const uint32_t bits = random_of(op->x, random[lane], n, &width);
            const double x = clamped((double)SIM_SLOT(w, float, slots[n])[lane], op);
            packed = packed << p.bits | encode_random(p.format, x, bits, width, op->imm & FINITE);
        }
        set_lane(w, op, lane, ptx_bits(op->x), packed);
    }
    return SIM_NEXT;
}

/* `elements`: the sources, the highest first. The random bits are the last operand. */
static haul_status lower_random(sim_lowering *l, const ptx_instruction *i, const ptx_operand *const *elements,
                                unsigned count) {
    uint32_t slots[4];
    for (unsigned n = 0; n < count; n++) slots[n] = sim_source(l, elements[n], PTX_F32);
    const uint32_t random = sim_source(l, &i->operands[i->operand_count - 1], PTX_B32);
    const uint32_t d = sim_destination(l, &i->operands[0]), pool = sim_pool(l, slots, count);
    sim_op *op = sim_emit(l, round_randomly);
    op->d = d, op->x = i->type, op->y = random, op->more = pool, op->count = (uint8_t)count;
    op->imm = (i->mods[PTX_SLOT_RELU] ? RELU : 0) | (i->mods[PTX_SLOT_SATFINITE] ? FINITE : 0);
    return HAUL_OK;
}

haul_status LOWER(CVT_RANDOM)(sim_lowering *l, const ptx_instruction *i) {
    return lower_random(l, i, (const ptx_operand *const[]){&i->operands[1], &i->operands[2]}, 2);
}

haul_status LOWER(CVT_RANDOM_4)(sim_lowering *l, const ptx_instruction *i) {
    const ptx_operand *v = i->operands[1].parts;
    return lower_random(l, i, (const ptx_operand *const[]){&v[0], &v[1], &v[2], &v[3]}, 4);
}
