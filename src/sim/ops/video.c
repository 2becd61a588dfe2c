/* The video instructions on two halves or four bytes of a register, without masks and selectors: what CUDA's functions
 * for packed integers come to. x: VIDEO_*; y: the operation; count: parts */
#include "sim/ops/lanes.h"

enum { VIDEO_SIGNED_A = 1, VIDEO_SIGNED_B = 2, VIDEO_SIGNED_D = 4, VIDEO_SATURATES = 8, VIDEO_SUMS = 16 };

typedef int32_t part_fn(int32_t a, int32_t b);

#define PART(name, expression)                  \
    static int32_t name(int32_t a, int32_t b) { \
        return (expression);                    \
    }
PART(part_add, a + b)
PART(part_sub, a - b)
PART(part_average, (a + b + (a + b >= 0)) >> 1)
PART(part_difference, a > b ? a - b : b - a)
PART(part_min, a < b ? a : b)
PART(part_max, a > b ? a : b)
PART(part_eq, a == b)
PART(part_ne, a != b)
PART(part_lt, a < b)
PART(part_le, a <= b)
PART(part_gt, a > b)
PART(part_ge, a >= b)

static int32_t part_of(uint32_t word, unsigned bits, unsigned part, bool is_signed) {
    const uint32_t up = word << (32 - bits * (part + 1));
    return is_signed ? (int32_t)up >> (32 - bits) : (int32_t)(up >> (32 - bits));
}

static int32_t fit_part(int32_t x, unsigned bits, bool is_signed) {
    const int32_t most = (int32_t)(is_signed ? (1u << (bits - 1)) - 1 : (1u << bits) - 1);
    const int32_t least = is_signed ? -most - 1 : 0;
    return x < least ? least : x > most ? most : x;
}

static part_fn *const parts[] = {part_add, part_sub, part_average, part_difference, part_min, part_max,
                                 part_eq,  part_ne,  part_lt,      part_le,         part_gt,  part_ge};
enum { ADD, SUB, AVERAGE, DIFFERENCE, MIN, MAX, EQ, NE, LT, LE, GT, GE };

/* The parts of d, or their sum with c. */
static uint32_t combine(const sim_op *op, uint32_t a, uint32_t b, uint32_t c) {
    const unsigned bits = 32u / op->count;
    uint32_t packed = 0, sum = c;
    for (unsigned p = 0; p < op->count; p++) {
        int32_t x =
            parts[op->y](part_of(a, bits, p, op->x & VIDEO_SIGNED_A), part_of(b, bits, p, op->x & VIDEO_SIGNED_B));
        if (op->x & VIDEO_SATURATES) x = fit_part(x, bits, op->x & VIDEO_SIGNED_D);
        packed |= ((uint32_t)x & ((1u << bits) - 1)) << bits * p;
        sum += (uint32_t)x;
    }
    return op->x & VIDEO_SUMS ? sum : packed;
}

static sim_step video(sim_warp *w, const sim_op *op, uint32_t active) {
    uint32_t *d = SIM_SLOT(w, uint32_t, op->d);
    const uint32_t *a = SIM_SLOT(w, uint32_t, op->a), *b = SIM_SLOT(w, uint32_t, op->b);
    const uint32_t *c = SIM_SLOT(w, uint32_t, op->c);
    SIM_STORE_LANES(d, active, combine(op, a[l], b[l], c[l]));
    return SIM_NEXT;
}

static bool is_signed(unsigned type) {
    return type == PTX_S32;
}

static haul_status lower_video(sim_lowering *l, const ptx_instruction *i, unsigned kind, unsigned count,
                               unsigned type_d, unsigned type_a, unsigned type_b) {
    sim_op *op = sim_emit_with(l, i, video, PTX_B32, PTX_B32, PTX_B32);
    op->y = kind;
    op->count = (uint8_t)count;
    op->x = (is_signed(type_a) ? VIDEO_SIGNED_A : 0u) | (is_signed(type_b) ? VIDEO_SIGNED_B : 0u) |
            (is_signed(type_d) ? VIDEO_SIGNED_D : 0u) | (i->mods[PTX_SLOT_SAT] ? VIDEO_SATURATES : 0u) |
            (i->mods[PTX_SLOT_SUM] ? VIDEO_SUMS : 0u);
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
