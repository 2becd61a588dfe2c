/* Which bits of a result are tainted if only some bits of the operands are. Structures have padding, which is copied
 * along in words and dropped later. */
#include "check/internal.h"
#include "check/wait_condition.h"
#include "state/program.h"

static uint64_t low_bits(unsigned width) {
    return width >= 64 ? UINT64_MAX : (1ull << width) - 1;
}

static bool is_whole_number(unsigned type) {
    return ptx_is_signed(type) || type == PTX_U8 || type == PTX_U16 || type == PTX_U32 || type == PTX_U64;
}

uint64_t sim_tainted_bits(const sim_taint *taints, const ptx_operand *o, unsigned type) {
    const bool is_tainted = o->kind == PTX_REGISTER && taints[o->reg].lanes;
    return is_tainted ? taints[o->reg].bits & low_bits(ptx_bits(type)) : 0;
}

/* Carries go upwards only. */
static uint64_t upwards(uint64_t bits) {
    return bits ? ~((bits & -bits) - 1) : 0;
}

/* cvt between integers keeps taint bit by bit; any other conversion spreads it. */
static uint64_t converted(const ptx_instruction *i, uint64_t bits) {
    const unsigned from = ptx_bits(i->type2);
    if (!bits || !is_whole_number(i->type) || !is_whole_number(i->type2) || i->mods[PTX_SLOT_SAT])
        return bits ? UINT64_MAX : 0;
    if (ptx_is_signed(i->type2) && bits >> (from - 1)) bits |= ~low_bits(from);
    return bits & low_bits(ptx_bits(i->type));
}

/* A shift by a constant moves taint; one by a register spreads it. */
static uint64_t shifted(const ptx_instruction *i, uint64_t bits) {
    const ptx_operand *by = &i->operands[2];
    const unsigned width = ptx_bits(i->type);
    if (!bits || by->kind != PTX_INTEGER || by->bits >= width) return bits ? UINT64_MAX : 0;
    if (i->op == PTX_OP_SHL) return bits << by->bits & low_bits(width);
    if (ptx_is_signed(i->type) && bits >> (width - 1)) bits |= ~low_bits(width);
    return bits >> by->bits & low_bits(width);
}

/* prmt with a constant selector moves taint by bytes. */
static uint64_t permuted(const ptx_instruction *i, const uint64_t bits[2]) {
    const ptx_operand *selector = &i->operands[3];
    const uint64_t both = bits[0] | bits[1] << 32;
    uint64_t result = 0;
    if (selector->kind != PTX_INTEGER || i->mods[PTX_SLOT_MODE]) return both ? UINT64_MAX : 0;
    for (unsigned k = 0; k < 4; k++) {
        const unsigned from = (unsigned)(selector->bits >> (4 * k)) & 15;
        const uint64_t byte = both >> (8 * (from & 7)) & 255;
        result |= (from & 8 ? (byte & 128 ? 255u : 0u) : byte) << (8 * k);
    }
    return result;
}

/* bfe with constant operands keeps only the field's taint. */
static uint64_t of_field(const ptx_instruction *i, uint64_t bits) {
    const ptx_operand *at = &i->operands[2], *count = &i->operands[3];
    if (!bits || at->kind != PTX_INTEGER || count->kind != PTX_INTEGER || ptx_is_signed(i->type) || at->bits >= 64)
        return bits ? UINT64_MAX : 0;
    return bits >> at->bits & low_bits((unsigned)(count->bits & 255));
}

/* selp of two constants under a tainted predicate taints the bits in which they differ. */
static uint64_t chosen(const ptx_instruction *i, uint64_t bits) {
    const ptx_operand *a = &i->operands[1], *b = &i->operands[2];
    return a->kind == PTX_INTEGER && b->kind == PTX_INTEGER ? a->bits ^ b->bits : bits;
}

/* A mov that packs a vector places each part's taint. */
static uint64_t packed(const sim_taint *taints, const ptx_instruction *i) {
    const ptx_operand *parts = &i->operands[1];
    const unsigned width = ptx_bits(i->type) / parts->part_count;
    uint64_t bits = 0;
    for (uint32_t k = 0; k < parts->part_count && k * width < 64; k++) {
        const ptx_operand *part = &parts->parts[k];
        if (part->kind == PTX_REGISTER && taints[part->reg].lanes)
            bits |= (taints[part->reg].bits & low_bits(width)) << (k * width);
    }
    return bits;
}

uint64_t sim_tainted_result(const sim_taint *taints, const ptx_instruction *i) {
    uint64_t bits[3] = {0};
    for (unsigned k = 1; k < i->operand_count && k <= 3; k++)
        bits[k - 1] = sim_tainted_bits(taints, &i->operands[k], i->op == PTX_OP_CVT ? i->type2 : i->type);
    const uint64_t all = bits[0] | bits[1] | bits[2];
    switch (i->op) {
    case PTX_OP_MOV:
        if (i->operands[1].kind == PTX_VECTOR && i->operands[0].kind == PTX_REGISTER) return packed(taints, i);
        return i->operands[1].kind == PTX_REGISTER ? bits[0] : UINT64_MAX;
    case PTX_OP_CVT: return converted(i, bits[0]);
    case PTX_OP_SHL:
    case PTX_OP_SHR: return bits[1] ? UINT64_MAX : shifted(i, bits[0]);
    case PTX_OP_PRMT: return bits[2] ? UINT64_MAX : permuted(i, bits);
    case PTX_OP_BFE: return of_field(i, bits[0]);
    case PTX_OP_SELP: return chosen(i, bits[0] | bits[1]);
    case PTX_OP_AND: return i->operands[2].kind == PTX_INTEGER ? all & i->operands[2].bits : all;
    case PTX_OP_OR: return i->operands[2].kind == PTX_INTEGER ? all & ~i->operands[2].bits : all;
    case PTX_OP_XOR:
    case PTX_OP_NOT: return all;
    case PTX_OP_ADD:
    case PTX_OP_SUB: return upwards(all) & low_bits(ptx_bits(i->type));
    case PTX_OP_SETP: return all ? UINT64_MAX : 0;
    default: return UINT64_MAX;
    }
}

/* ---- lanes in which an untainted operand decides ---- */

static uint64_t value_of(const sim_warp *w, const ptx_operand *o, unsigned type, unsigned lane) {
    const uint32_t slot = w->sm->grid->program->register_slots[o->reg];
    const uint64_t flip = o->negated ? 1 : 0;
    if (type == PTX_PRED) return (SIM_PREDICATE(w, slot) >> lane & 1) ^ flip;
    if (ptx_bits(type) == 16) return SIM_SLOT(w, uint16_t, slot)[lane];
    return sim_integer_in(w, o, ptx_bits(type), lane);
}

/* Returns the lanes in which the operand's value decides all of the other one's tainted `bits`. */
static uint32_t decides(const sim_warp *w, const sim_taint *taints, const ptx_operand *o, unsigned type, bool is_and,
                        uint64_t bits, uint32_t lanes) {
    uint32_t decided = 0;
    if (o->kind != PTX_REGISTER) return 0;
    for (uint32_t left = lanes & ~taints[o->reg].lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const uint64_t value = value_of(w, o, type, lane);
        if (!(bits & (is_and ? value : ~value))) decided |= 1u << lane;
    }
    return decided;
}

uint32_t sim_taint_decided(const sim_warp *w, const sim_taint *taints, const ptx_instruction *i, uint32_t lanes) {
    const ptx_operand *o = i->operands;
    const bool is_and = i->op == PTX_OP_AND || i->mods[PTX_SLOT_COMBINE] == PTX_MOD_AND;
    if (i->op == PTX_OP_SETP_COMBINE && i->mods[PTX_SLOT_COMBINE] != PTX_MOD_XOR)
        return decides(w, taints, &o[3], PTX_PRED, is_and, 1, lanes);
    if ((i->op != PTX_OP_AND && i->op != PTX_OP_OR) || i->operand_count < 3) return 0;
    const uint64_t one = i->type == PTX_PRED ? 1 : UINT64_MAX;
    return decides(w, taints, &o[1], i->type, is_and, sim_tainted_bits(taints, &o[2], i->type) & one, lanes) |
           decides(w, taints, &o[2], i->type, is_and, sim_tainted_bits(taints, &o[1], i->type) & one, lanes);
}
