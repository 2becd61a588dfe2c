/* mov: copies registers, packs vectors of registers into one register, and unpacks them.
 *
 * A vector's elements are equal parts of the register, the first one in the lowest bits. Elements of 8 bits live in
 * 16-bit registers, hence the masks. An operand that is a special register may be wider than the destination: the copy
 * takes its low part. cvta, which adds a window to an address, is in generic.c. */
#include "exec/ops/lanes.h"
#include "state/lanes.h"

/* A lane of a .b128 register. */
typedef struct lane_16_bytes {
    uint64_t word[2];
} lane_16_bytes;

SIM_UNARY(copy_16, uint16_t, uint16_t, a)
SIM_UNARY(copy_32, uint32_t, uint32_t, a)
SIM_UNARY(copy_64, uint64_t, uint64_t, a)

static sim_step copy_128(sim_warp *w, const sim_op *op, uint32_t active) {
    lane_16_bytes *d = SIM_SLOT(w, lane_16_bytes, op->d);
    const lane_16_bytes *a = SIM_SLOT(w, lane_16_bytes, op->a);
    for (unsigned l = 0; l < SIM_LANES; l++) {
        if (active >> l & 1) d[l] = a[l];
    }
    return SIM_NEXT;
}

/* x: all ones if the source is negated. */
static sim_step copy_pred(sim_warp *w, const sim_op *op, uint32_t active) {
    sim_set_predicate(w, op->d, SIM_PREDICATE(w, op->a) ^ op->x, active);
    return SIM_NEXT;
}

/* A predicate may be copied negated. */
static haul_status lower_copy_pred(sim_lowering *l, const ptx_instruction *i) {
    uint32_t flip;
    const uint32_t d = sim_destination(l, &i->operands[0]), a = sim_predicate(l, &i->operands[1], &flip);
    sim_op *op = sim_emit(l, copy_pred);
    op->d = d, op->a = a, op->x = flip;
    return HAUL_OK;
}

/* ---- unpacking: one operation for each element; op->x is the element's bit position, op->imm its mask ---- */

/* Takes an element out of a register of up to 64 bits. */
#define UNPACK(name, D, S)                                                 \
    static sim_step name(sim_warp *w, const sim_op *op, uint32_t active) { \
        D *d = SIM_SLOT(w, D, op->d);                                      \
        const S *a = SIM_SLOT(w, S, op->a);                                \
        const uint32_t at = op->x;                                         \
        const D mask = (D)op->imm;                                         \
        SIM_STORE_LANES(d, active, (D)((D)(a[l] >> at) & mask));           \
        return SIM_NEXT;                                                   \
    }

/* The same for 128 bits, whose elements lie within one of the two words. */
#define UNPACK_WIDE(name, D)                                               \
    static sim_step name(sim_warp *w, const sim_op *op, uint32_t active) { \
        D *d = SIM_SLOT(w, D, op->d);                                      \
        const lane_16_bytes *a = SIM_SLOT(w, lane_16_bytes, op->a);        \
        const uint32_t word = op->x / 64, at = op->x % 64;                 \
        SIM_STORE_LANES(d, active, (D)(a[l].word[word] >> at));            \
        return SIM_NEXT;                                                   \
    }

UNPACK(unpack_16_from_16, uint16_t, uint16_t)
UNPACK(unpack_16_from_32, uint16_t, uint32_t)
UNPACK(unpack_16_from_64, uint16_t, uint64_t)
UNPACK(unpack_32_from_64, uint32_t, uint64_t)
UNPACK_WIDE(unpack_16_from_128, uint16_t)
UNPACK_WIDE(unpack_32_from_128, uint32_t)
UNPACK_WIDE(unpack_64_from_128, uint64_t)

/* Indexed by log2 of the whole's width and of the element's, both from 16 bits on (8-bit elements are in 16-bit
 * registers). */
static sim_handler unpacker(unsigned whole, unsigned element) {
    static const sim_handler handlers[4][3] = {
        {unpack_16_from_16, NULL, NULL},
        {unpack_16_from_32, NULL, NULL},
        {unpack_16_from_64, unpack_32_from_64, NULL},
        {unpack_16_from_128, unpack_32_from_128, unpack_64_from_128},
    };
    const unsigned row = whole <= 16 ? 0 : whole == 32 ? 1 : whole == 64 ? 2 : 3;
    return handlers[row][element <= 16 ? 0 : element == 32 ? 1 : 2];
}

/* Emits an operation for each element. */
static haul_status lower_unpack(sim_lowering *l, const ptx_instruction *i) {
    const ptx_operand *elements = &i->operands[0];
    const unsigned whole = ptx_bits(i->type), element = whole / elements->part_count;
    const sim_handler run = unpacker(whole, element);
    if (!run) return sim_lower_fail(l, "a register of %u bits cannot be unpacked into %u", whole, elements->part_count);
    const uint32_t a = sim_source(l, &i->operands[1], i->type);
    for (uint32_t n = 0; n < elements->part_count; n++) {
        const uint32_t d = sim_destination(l, &elements->parts[n]);
        sim_op *op = sim_emit(l, run);
        op->d = d, op->a = a, op->x = n * element;
        op->imm = element == 8 ? 0xff : -1;
    }
    return HAUL_OK;
}

/* ---- copies; special registers may be wider than the destination ---- */

/* Returns the handler that copies `bits` from a register of `from` bits. */
static sim_handler copier(unsigned bits, unsigned from) {
    if (from > bits && from == 32) return unpack_16_from_32;
    if (from > bits) return unpack_32_from_64;
    return bits <= 16 ? copy_16 : bits == 32 ? copy_32 : bits == 64 ? copy_64 : copy_128;
}

/* Emits a copy of one register, constant or special register. All ones as the mask: the whole value is copied. */
static void emit_copy(sim_lowering *l, const ptx_operand *to, const ptx_operand *from, unsigned type) {
    const unsigned bits = ptx_bits(type) < 16 ? 16 : ptx_bits(type);
    const bool special = from->kind == PTX_SPECIAL_REGISTER;
    const uint32_t d = sim_destination(l, to), a = sim_source(l, from, type);
    sim_op *op = sim_emit(l, copier(bits, special ? ptx_bits(ptx_special_types[from->special]) : bits));
    op->d = d, op->a = a, op->imm = -1;
}

static haul_status lower_copy(sim_lowering *l, const ptx_instruction *i) {
    emit_copy(l, &i->operands[0], &i->operands[1], i->type);
    return HAUL_OK;
}

/* First saves elements that come from other elements of the destination. Only then does it write any. */
haul_status LOWER(MOV_VECTOR)(sim_lowering *l, const ptx_instruction *i) {
    const ptx_operand *to = &i->operands[0], *from = &i->operands[1];
    const unsigned bytes = ptx_bits(i->type) / 8;
    uint32_t aside[4];
    for (uint32_t n = 0; n < to->part_count; n++) {
        emit_copy(l, &(ptx_operand){.kind = PTX_SINK}, &from->parts[n], i->type);
        sim_last_op(l)->d = aside[n] = sim_scratch(l, bytes);
    }
    for (uint32_t n = 0; n < to->part_count; n++) {
        const uint32_t d = sim_destination(l, &to->parts[n]);
        sim_op *op = sim_emit(l, copier(bytes * 8, bytes * 8));
        op->d = d, op->a = aside[n];
    }
    return HAUL_OK;
}

/* ---- packing: two or four elements (op->a, b, c, x), each op->y bits wide; op->imm is an element's mask ---- */

/* The highest element needs no mask: its upper bits are shifted out. */
#define PACK_2(name, D, S)                                                     \
    static sim_step name(sim_warp *w, const sim_op *op, uint32_t active) {     \
        D *d = SIM_SLOT(w, D, op->d);                                          \
        const S *a = SIM_SLOT(w, S, op->a), *b = SIM_SLOT(w, S, op->b);        \
        const uint32_t bits = op->y;                                           \
        const D mask = (D)op->imm;                                             \
        SIM_STORE_LANES(d, active, (D)((a[l] & mask) | (D)((D)b[l] << bits))); \
        return SIM_NEXT;                                                       \
    }

#define PACK_4(name, D, S)                                                                                             \
    static sim_step name(sim_warp *w, const sim_op *op, uint32_t active) {                                             \
        D *d = SIM_SLOT(w, D, op->d);                                                                                  \
        const S *a = SIM_SLOT(w, S, op->a), *b = SIM_SLOT(w, S, op->b);                                                \
        const S *c = SIM_SLOT(w, S, op->c), *e = SIM_SLOT(w, S, op->x);                                                \
        const uint32_t bits = op->y;                                                                                   \
        const D mask = (D)op->imm;                                                                                     \
        SIM_STORE_LANES(d, active,                                                                                     \
                        (D)((a[l] & mask) | (b[l] & mask) << bits | (c[l] & mask) << 2 * bits | (D)e[l] << 3 * bits)); \
        return SIM_NEXT;                                                                                               \
    }

PACK_2(pack_16_into_32, uint32_t, uint16_t)
PACK_2(pack_32_into_64, uint64_t, uint32_t)
PACK_4(pack_8_into_32, uint32_t, uint16_t)
PACK_4(pack_16_into_64, uint64_t, uint16_t)

/* The forms that the macros do not cover. */
static sim_step pack_8_into_16(sim_warp *w, const sim_op *op, uint32_t active) {
    uint16_t *d = SIM_SLOT(w, uint16_t, op->d);
    const uint16_t *a = SIM_SLOT(w, uint16_t, op->a), *b = SIM_SLOT(w, uint16_t, op->b);
    SIM_STORE_LANES(d, active, (uint16_t)((a[l] & 0xff) | (uint32_t)b[l] << 8));
    return SIM_NEXT;
}

/* Inactive lanes are skipped, not written again. */
static sim_step pack_64_into_128(sim_warp *w, const sim_op *op, uint32_t active) {
    lane_16_bytes *d = SIM_SLOT(w, lane_16_bytes, op->d);
    const uint64_t *a = SIM_SLOT(w, uint64_t, op->a), *b = SIM_SLOT(w, uint64_t, op->b);
    for (unsigned l = 0; l < SIM_LANES; l++) {
        if (active >> l & 1) d[l] = (lane_16_bytes){{a[l], b[l]}};
    }
    return SIM_NEXT;
}

static sim_step pack_32_into_128(sim_warp *w, const sim_op *op, uint32_t active) {
    lane_16_bytes *d = SIM_SLOT(w, lane_16_bytes, op->d);
    const uint32_t *a = SIM_SLOT(w, uint32_t, op->a), *b = SIM_SLOT(w, uint32_t, op->b);
    const uint32_t *c = SIM_SLOT(w, uint32_t, op->c), *e = SIM_SLOT(w, uint32_t, op->x);
    for (unsigned l = 0; l < SIM_LANES; l++) {
        const lane_16_bytes made = {{a[l] | (uint64_t)b[l] << 32, c[l] | (uint64_t)e[l] << 32}};
        if (active >> l & 1) d[l] = made;
    }
    return SIM_NEXT;
}

/* Returns NULL if a register of that width has no such elements. The sums of width and number are all different. */
static sim_handler packer(unsigned whole, uint32_t count) {
    switch (whole + count) {
    case 16 + 2: return pack_8_into_16;
    case 32 + 2: return pack_16_into_32;
    case 32 + 4: return pack_8_into_32;
    case 64 + 2: return pack_32_into_64;
    case 64 + 4: return pack_16_into_64;
    case 128 + 2: return pack_64_into_128;
    case 128 + 4: return pack_32_into_128;
    default: return NULL;
    }
}

/* Missing elements read zeros from a slot that all programs have. */
static haul_status lower_pack(sim_lowering *l, const ptx_instruction *i) {
    const ptx_operand *elements = &i->operands[1];
    const unsigned whole = ptx_bits(i->type), count = elements->part_count, element = whole / count;
    const sim_handler run = packer(whole, count);
    if (!run) return sim_lower_fail(l, "%u elements cannot be packed into a register of %u bits", count, whole);
    const unsigned type = element <= 16 ? PTX_B16 : element == 32 ? PTX_B32 : PTX_B64;
    uint32_t slots[4] = {SIM_SLOT_ZERO, SIM_SLOT_ZERO, SIM_SLOT_ZERO, SIM_SLOT_ZERO};
    for (unsigned n = 0; n < count; n++) slots[n] = sim_source(l, &elements->parts[n], type);
    const uint32_t d = sim_destination(l, &i->operands[0]);
    sim_op *op = sim_emit(l, run);
    op->d = d, op->a = slots[0], op->b = slots[1], op->c = slots[2], op->x = slots[3], op->y = element;
    op->imm = element >= 64 ? -1 : (int64_t)((UINT64_C(1) << element) - 1);
    return HAUL_OK;
}

/* The operands' kinds select the form. */
haul_status LOWER(MOV)(sim_lowering *l, const ptx_instruction *i) {
    if (i->operands[0].kind == PTX_VECTOR) return lower_unpack(l, i);
    if (i->operands[1].kind == PTX_VECTOR) return lower_pack(l, i);
    return i->type == PTX_PRED ? lower_copy_pred(l, i) : lower_copy(l, i);
}
