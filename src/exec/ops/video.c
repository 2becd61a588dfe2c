/* The video instructions.
 *
 * Those with a number in their name (vadd2, vset4) compute on two halves or four bytes of a register at once. The
 * others (vadd, vset, vshl, vmad) compute on one byte, half or word of each source, and combine the result with c a
 * second time. Both have operands with selectors, which name the parts to use.
 *
 * The second group follows the machine code that ptxas 13.0 makes of it for sm_90. Each group has one handler that
 * interprets the operation's flags: the instructions are too rare for handlers of their own.
 *
 * x: VIDEO_*; y: the operation; count: parts; more: the selected parts, in the pool */
#include "exec/ops/lanes.h"
#include "exec/ops/wide.h"
#include "state/block.h"
#include "state/lanes.h"

enum { VIDEO_SIGNED_A = 1, VIDEO_SIGNED_B = 2, VIDEO_SIGNED_D = 4, VIDEO_SATURATES = 8, VIDEO_SUMS = 16 };

/* Computes one part. Parts have at most 17 bits with their sign, so nothing overflows. */
typedef int32_t part_fn(int32_t a, int32_t b);

#define PART(name, expression)                  \
    static int32_t name(int32_t a, int32_t b) { \
        return (expression);                    \
    }
PART(part_add, a + b)
PART(part_sub, a - b)
PART(part_average, (a + b + (a + b >= 0)) >> 1) /* half away from zero */
PART(part_difference, a > b ? a - b : b - a)
PART(part_min, a < b ? a : b)
PART(part_max, a > b ? a : b)
PART(part_eq, a == b)
PART(part_ne, a != b)
PART(part_lt, a < b)
PART(part_le, a <= b)
PART(part_gt, a > b)
PART(part_ge, a >= b)

/* Returns part number `part` of the word, extended. */
static int32_t part_of(uint32_t word, unsigned bits, unsigned part, bool is_signed) {
    const uint32_t up = word << (32 - bits * (part + 1));
    return is_signed ? (int32_t)up >> (32 - bits) : (int32_t)(up >> (32 - bits));
}

/* .sat: clamps to the range of a part. */
static int32_t fit_part(int32_t x, unsigned bits, bool is_signed) {
    const int32_t most = (int32_t)(is_signed ? (1u << (bits - 1)) - 1 : (1u << bits) - 1);
    const int32_t least = is_signed ? -most - 1 : 0;
    return x < least ? least : x > most ? most : x;
}

static part_fn *const parts[] = {part_add, part_sub, part_average, part_difference, part_min, part_max,
                                 part_eq,  part_ne,  part_lt,      part_le,         part_gt,  part_ge};
enum { ADD, SUB, AVERAGE, DIFFERENCE, MIN, MAX, EQ, NE, LT, LE, GT, GE };

/* The selected parts of the sources (those of b come after those of a) and, one bit each, of the result. */
typedef struct choice {
    uint8_t a[4], b[4];
    uint32_t mask;
} choice;
enum { CHOICE_WORDS = sizeof(choice) / sizeof(uint32_t) };

/* The pool has words only, so the bytes are copied out of it. */
static choice choice_of(const sim_warp *w, const sim_op *op) {
    choice c;
    memcpy(&c, w->sm->grid->program->pool + op->more, sizeof c);
    return c;
}

/* A selector numbers the parts of both sources in one row, so a part may come from either. */
static int32_t chosen_part(uint32_t a, uint32_t b, unsigned bits, unsigned count, unsigned part, bool is_signed) {
    return part_of(part < count ? a : b, bits, part % count, is_signed);
}

/* Returns the selected parts of d with the other parts of c, or the sum of the selected parts with c. Parts that the
 * mask leaves out take no part in the sum. */
static uint32_t combine(const sim_op *op, const choice *s, uint32_t a, uint32_t b, uint32_t c) {
    const unsigned bits = 32u / op->count;
    const uint32_t part_mask = (1u << bits) - 1;
    uint32_t packed = c, sum = c;
    for (unsigned p = 0; p < op->count; p++) {
        if (!(s->mask >> p & 1)) continue;
        int32_t x = parts[op->y](chosen_part(a, b, bits, op->count, s->a[p], op->x & VIDEO_SIGNED_A),
                                 chosen_part(a, b, bits, op->count, s->b[p], op->x & VIDEO_SIGNED_B));
        if (op->x & VIDEO_SATURATES) x = fit_part(x, bits, op->x & VIDEO_SIGNED_D);
        packed = (packed & ~(part_mask << bits * p)) | ((uint32_t)x & part_mask) << bits * p;
        sum += (uint32_t)x;
    }
    return op->x & VIDEO_SUMS ? sum : packed;
}

static sim_step video(sim_warp *w, const sim_op *op, uint32_t active) {
    uint32_t *d = SIM_SLOT(w, uint32_t, op->d);
    const uint32_t *a = SIM_SLOT(w, uint32_t, op->a), *b = SIM_SLOT(w, uint32_t, op->b);
    const uint32_t *c = SIM_SLOT(w, uint32_t, op->c);
    const choice s = choice_of(w, op);
    SIM_STORE_LANES(d, active, combine(op, &s, a[l], b[l], c[l]));
    return SIM_NEXT;
}

/* Returns VIDEO_* for the operands' types and the modifiers. */
static uint32_t flags_of(const ptx_instruction *i, unsigned type_d, unsigned type_a, unsigned type_b) {
    return (ptx_is_signed(type_a) ? VIDEO_SIGNED_A : 0u) | (ptx_is_signed(type_b) ? VIDEO_SIGNED_B : 0u) |
           (ptx_is_signed(type_d) ? VIDEO_SIGNED_D : 0u) | (i->mods[PTX_SLOT_SAT] ? VIDEO_SATURATES : 0u) |
           (i->mods[PTX_SLOT_SUM] ? VIDEO_SUMS : 0u);
}

/* Puts the selectors into the pool. Without one, the result has all parts, and each source its own parts in order. */
static uint32_t lower_choice(sim_lowering *l, const ptx_instruction *i, unsigned count) {
    const ptx_selector *d = &i->operands[0].selector, *a = &i->operands[1].selector, *b = &i->operands[2].selector;
    choice c = {.mask = d->count ? 0 : (1u << count) - 1};
    uint32_t words[CHOICE_WORDS];
    for (unsigned n = 0; n < d->count; n++) c.mask |= 1u << d->part[n];
    for (unsigned n = 0; n < count; n++) {
        c.a[n] = a->count ? a->part[n] : (uint8_t)n;
        c.b[n] = b->count ? b->part[n] : (uint8_t)(count + n);
    }
    memcpy(words, &c, sizeof words);
    return sim_pool(l, words, CHOICE_WORDS);
}

/* `kind`: the operation; `count`: two halves or four bytes. */
static haul_status lower_video(sim_lowering *l, const ptx_instruction *i, unsigned kind, unsigned count,
                               unsigned type_d, unsigned type_a, unsigned type_b) {
    const uint32_t more = lower_choice(l, i, count);
    sim_op *op = sim_emit_with(l, i, video, PTX_B32, PTX_B32, PTX_B32);
    op->y = kind;
    op->count = (uint8_t)count;
    op->more = more;
    op->x = flags_of(i, type_d, type_a, type_b);
    return HAUL_OK;
}

#define VIDEO(id, kind, count)                                              \
    haul_status LOWER(id)(sim_lowering * l, const ptx_instruction *i) {     \
        return lower_video(l, i, kind, count, i->type, i->type2, i->type3); \
    }
VIDEO(VADD2, ADD, 2)
VIDEO(VADD4, ADD, 4)
VIDEO(VSUB2, SUB, 2)
VIDEO(VSUB4, SUB, 4)
VIDEO(VAVRG2, AVERAGE, 2)
VIDEO(VAVRG4, AVERAGE, 4)
VIDEO(VABSDIFF2, DIFFERENCE, 2)
VIDEO(VABSDIFF4, DIFFERENCE, 4)
VIDEO(VMIN2, MIN, 2)
VIDEO(VMIN4, MIN, 4)
VIDEO(VMAX2, MAX, 2)
VIDEO(VMAX4, MAX, 4)

/* Returns the operation for vset's modifier. */
static unsigned comparison_of(const ptx_instruction *i) {
    switch (i->mods[PTX_SLOT_COMPARE]) {
    case PTX_MOD_EQ: return EQ;
    case PTX_MOD_NE: return NE;
    case PTX_MOD_LT: return LT;
    case PTX_MOD_LE: return LE;
    case PTX_MOD_GT: return GT;
    default: return GE;
    }
}

haul_status LOWER(VSET2)(sim_lowering *l, const ptx_instruction *i) {
    return lower_video(l, i, comparison_of(i), 2, PTX_U32, i->type, i->type2);
}

haul_status LOWER(VSET4)(sim_lowering *l, const ptx_instruction *i) {
    return lower_video(l, i, comparison_of(i), 4, PTX_U32, i->type, i->type2);
}

/* ---- one part of each register: as in ptxas 13.0's code for sm_90, in 64 bits ---- */

/* Position of a part: its lowest bit and its number of bits. */
typedef struct part_place {
    uint32_t at, bits;
} part_place;
typedef struct places {
    part_place d, a, b;
    uint32_t second;           /* how result and c are combined: a modifier, or none */
    uint32_t scale, negations; /* vmad: bits to shift by; VMAD_* */
} places;
enum { PLACES_WORDS = sizeof(places) / sizeof(uint32_t) };
enum { VMAD_PRODUCT = 1, VMAD_C = 2, VMAD_PLUS_ONE = 4 };

/* The pool has words only, so the structure is copied out of it. */
static places places_of(const sim_warp *w, const sim_op *op) {
    places p;
    memcpy(&p, w->sm->grid->program->pool + op->more, sizeof p);
    return p;
}

/* Returns the part as a signed number of 64 bits, in which nothing overflows. */
static int64_t take_part(uint32_t word, part_place p, bool is_signed_part) {
    const uint32_t up = word << (32 - p.at - p.bits);
    return is_signed_part ? (int64_t)((int32_t)up >> (32 - p.bits)) : (int64_t)(up >> (32 - p.bits));
}

/* Clamps to the range of a type of that many bits. */
static int64_t fit(int64_t x, unsigned bits, bool is_signed_type) {
    const int64_t most = (int64_t)(((uint64_t)1 << (bits - is_signed_type)) - 1),
                  least = is_signed_type ? -most - 1 : 0;
    return x < least ? least : x > most ? most : x;
}

enum { SHIFT_LEFT = GE + 1, SHIFT_RIGHT };
enum { VIDEO_WRAPS = 32 };

/* Sums for an unsigned result are not clamped at the top. Only the lowest 34 bits of shifted values are compared. */
static int64_t saturate_one(const sim_op *op, const places *p, int64_t x) {
    const bool is_signed_type = op->x & VIDEO_SIGNED_D;
    const bool sums = op->y == ADD || op->y == SUB || op->y == DIFFERENCE;
    if (op->y == SHIFT_LEFT || op->y == SHIFT_RIGHT) x = (int64_t)((uint64_t)x << 30) >> 30;
    if (sums && !is_signed_type && p->d.bits == 32) return x < 0 ? 0 : x;
    return fit(x, p->d.bits, is_signed_type);
}

/* Compares the result with c in 64 bits; sums have been truncated to 32. */
static bool is_less(const sim_op *op, int64_t x, uint32_t c) {
    if (op->y == ADD || op->y == SUB) x = (int32_t)(uint32_t)(uint64_t)x;
    return op->x & VIDEO_SIGNED_D ? x < (int64_t)(int32_t)c : (uint64_t)x < (uint64_t)c;
}

/* Saturates, then combines with c: their sum, minimum or maximum, or c with the part replaced by the result. */
static uint32_t finish_one(const sim_op *op, const places *p, int64_t x, uint32_t c) {
    const uint32_t mask = (uint32_t)(((uint64_t)1 << p->d.bits) - 1);
    if (op->x & VIDEO_SATURATES) x = saturate_one(op, p, x);
    const uint32_t low = (uint32_t)x;
    switch (p->second) {
    case PTX_MOD_SUM_ADD: return low + c;
    case PTX_MOD_SUM_MIN: return is_less(op, x, c) ? low : c;
    case PTX_MOD_SUM_MAX: return is_less(op, x, c) ? c : low;
    default: return p->d.bits == 32 ? low : (c & ~(mask << p->d.at)) | (low & mask) << p->d.at;
    }
}

/* Computes on the extended parts. Shifts by more than 32 count as 32, or with .wrap by the lowest five bits. */
static int64_t compute_one(const sim_op *op, int64_t a, int64_t b) {
    const unsigned by = op->x & VIDEO_WRAPS ? (unsigned)b & 31 : b > 32 ? 32 : (unsigned)b;
    switch (op->y) {
    case ADD: return a + b;
    case SUB: return a - b;
    case DIFFERENCE: return a > b ? a - b : b - a;
    case MIN: return a < b ? a : b;
    case MAX: return a > b ? a : b;
    case EQ: return a == b;
    case NE: return a != b;
    case LT: return a < b;
    case LE: return a <= b;
    case GT: return a > b;
    case GE: return a >= b;
    case SHIFT_LEFT: return (int64_t)((uint64_t)a << by);
    default: return a >> by;
    }
}

static sim_step one_part(sim_warp *w, const sim_op *op, uint32_t active) {
    uint32_t *d = SIM_SLOT(w, uint32_t, op->d);
    const uint32_t *a = SIM_SLOT(w, uint32_t, op->a), *b = SIM_SLOT(w, uint32_t, op->b);
    const uint32_t *c = SIM_SLOT(w, uint32_t, op->c);
    const places p = places_of(w, op);
    for (; active; active &= active - 1) {
        const unsigned l = (unsigned)__builtin_ctz(active);
        const int64_t x = take_part(a[l], p.a, op->x & VIDEO_SIGNED_A),
                      y = take_part(b[l], p.b, op->x & VIDEO_SIGNED_B);
        d[l] = finish_one(op, &p, compute_one(op, x, y), c[l]);
    }
    return SIM_NEXT;
}

/* Factors and c count as signed, whatever their types. A negated product or c is complemented, and one is added to the
 * sum; .po adds the one alone. */
static uint32_t multiply_add(const sim_op *op, const places *p, uint32_t a, uint32_t b, uint32_t c) {
    const int32_t factor_a = (int32_t)take_part(a, p->a, op->x & VIDEO_SIGNED_A),
                  factor_b = (int32_t)take_part(b, p->b, op->x & VIDEO_SIGNED_B);
    const int64_t third = (int32_t)(p->negations & VMAD_C ? ~c : c);
    const bool is_signed_sum = op->x & VIDEO_SIGNED_D;
    int64_t product = (int64_t)factor_a * factor_b;
    if (p->negations & VMAD_PRODUCT) product = ~product;
    const uint64_t sum = (uint64_t)product + (uint64_t)third + (p->negations != 0);
    const int64_t scaled = is_signed_sum ? (int64_t)sum >> p->scale : (int64_t)(sum >> p->scale);
    return (uint32_t)(op->x & VIDEO_SATURATES ? fit(scaled, 32, is_signed_sum) : scaled);
}

static sim_step product_of_parts(sim_warp *w, const sim_op *op, uint32_t active) {
    uint32_t *d = SIM_SLOT(w, uint32_t, op->d);
    const uint32_t *a = SIM_SLOT(w, uint32_t, op->a), *b = SIM_SLOT(w, uint32_t, op->b);
    const uint32_t *c = SIM_SLOT(w, uint32_t, op->c);
    const places p = places_of(w, op);
    for (; active; active &= active - 1) {
        const unsigned l = (unsigned)__builtin_ctz(active);
        d[l] = multiply_add(op, &p, a[l], b[l], c[l]);
    }
    return SIM_NEXT;
}

/* Returns the part that the operand's selector names; without one, the whole register. */
static part_place place_of(const ptx_operand *o) {
    const ptx_selector *s = &o->selector;
    return s->count ? (part_place){(uint32_t)s->part[0] * s->bits, s->bits} : (part_place){0, 32};
}

/* Returns VMAD_*: whether the product, c, or neither is negated, and whether one is added. */
static uint32_t negations_of(const ptx_instruction *i) {
    const bool product = i->operands[1].negated != i->operands[2].negated;
    if (i->mods[PTX_SLOT_PO]) return VMAD_PLUS_ONE;
    return product ? VMAD_PRODUCT : i->operands[3].negated ? VMAD_C : 0;
}

/* Lowers an instruction on one part of each register. The places of the parts go to the pool. */
static haul_status lower_one(sim_lowering *l, const ptx_instruction *i, sim_handler run, unsigned kind,
                             uint32_t flags) {
    const ptx_operand *o = i->operands;
    const unsigned scale = i->mods[PTX_SLOT_SCALE];
    const places p = {.d = place_of(&o[0]),
                      .a = place_of(&o[1]),
                      .b = place_of(&o[2]),
                      .second = i->mods[PTX_SLOT_SUM],
                      .scale = scale == PTX_MOD_SHR7    ? 7
                               : scale == PTX_MOD_SHR15 ? 15
                                                        : 0,
                      .negations = i->op == PTX_OP_VMAD ? negations_of(i) : 0};
    uint32_t words[PLACES_WORDS];
    memcpy(words, &p, sizeof words);
    const uint32_t more = sim_pool(l, words, PLACES_WORDS);
    sim_op *op = sim_emit_with(l, i, run, PTX_B32, PTX_B32, i->operand_count > 3 ? PTX_B32 : 0);
    op->y = kind;
    op->more = more;
    op->x = flags;
    return HAUL_OK;
}

#define ONE_PART(id, kind)                                                                        \
    haul_status LOWER(id)(sim_lowering * l, const ptx_instruction *i) {                           \
        const uint32_t wraps = i->mods[PTX_SLOT_MODE] == PTX_MOD_WRAP ? VIDEO_WRAPS : 0;          \
        return lower_one(l, i, one_part, kind, flags_of(i, i->type, i->type2, i->type3) | wraps); \
    }
ONE_PART(VADD, ADD)
ONE_PART(VSUB, SUB)
ONE_PART(VABSDIFF, DIFFERENCE)
ONE_PART(VMIN, MIN)
ONE_PART(VMAX, MAX)
ONE_PART(VSHL, SHIFT_LEFT)
ONE_PART(VSHR, SHIFT_RIGHT)

haul_status LOWER(VSET)(sim_lowering *l, const ptx_instruction *i) {
    return lower_one(l, i, one_part, comparison_of(i), flags_of(i, i->type, i->type, i->type2));
}

/* The sum is signed, whatever the type of d, if the product is signed or any operand is negated. */
haul_status LOWER(VMAD)(sim_lowering *l, const ptx_instruction *i) {
    const bool is_signed_sum = ptx_is_signed(i->type2) || ptx_is_signed(i->type3) || i->operands[3].negated ||
                               i->operands[1].negated != i->operands[2].negated;
    return lower_one(l, i, product_of_parts, 0, flags_of(i, is_signed_sum ? PTX_S32 : PTX_U32, i->type2, i->type3));
}
