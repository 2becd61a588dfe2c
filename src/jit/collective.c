/* Operations across the lanes of a whole warp, which wait for no lane.
 *
 * A warp in registers is one vector, so shfl with known operands is one shuffle, and votes are tests of a mask. With
 * operands in registers, shfl takes a dozen instructions of AVX-512; other hosts call its handler. Only whole warps
 * come here: with lanes missing the handler does the work. */
#include "jit/ops.h"
#include "lower/internal.h"

#include <stdio.h>

enum { LANE_BITS = SIM_LANES - 1 };

/* A vector with the word in every lane. */
static sim_value write_broadcast(sim_writer *w, uint32_t word) {
    const uint32_t seed = sim_write_id(w, "insertelement <32 x i32> undef, i32 %%v%u, i32 0", word);
    return sim_write_value(w, SIM_VALUE_I32,
                           "shufflevector <32 x i32> %%v%u, <32 x i32> undef, <32 x i32> zeroinitializer", seed);
}

/* ---- shfl with constant operands ---- */

/* Returns the lane that a lane's value comes from, the lane itself if that is out of bounds; as in
 * exec/ops/collective.c. */
static unsigned source_of(unsigned mode, uint32_t lane, uint32_t b, uint32_t c, bool *inside) {
    const uint32_t segment = c >> 8 & LANE_BITS, distance = b & LANE_BITS;
    const uint32_t first = lane & segment, bound = first | (c & LANE_BITS & ~segment);
    uint32_t from = first | (distance & ~segment);
    if (mode == PTX_MOD_UP) from = lane - distance;
    if (mode == PTX_MOD_DOWN) from = lane + distance;
    if (mode == PTX_MOD_BFLY) from = lane ^ distance;
    *inside = mode == PTX_MOD_UP ? (int32_t)from >= (int32_t)bound : from <= bound;
    return *inside ? from & LANE_BITS : lane;
}

/* Computes each lane's source while the code is written; only constant operands allow that. */
static bool write_known_shuffle(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    char places[SIM_LANES * 8];
    sim_value b, c;
    size_t at = 0;
    uint32_t within = 0;
    if (!sim_slot_is_constant(w, op->b, SIM_VALUE_I32, &b) || !sim_slot_is_constant(w, op->c, SIM_VALUE_I32, &c))
        return false;
    for (unsigned l = 0; l < SIM_LANES; l++) {
        bool inside;
        const unsigned from = source_of(i->mods[PTX_SLOT_MODE], l, (uint32_t)b.bits, (uint32_t)c.bits, &inside);
        at += (size_t)snprintf(places + at, sizeof places - at, "%si32 %u", l ? "," : "", from);
        within |= (uint32_t)inside << l;
    }
    const sim_value a = sim_read_slot(w, op->a, SIM_VALUE_I32);
    sim_write_slot(w, op->d,
                   sim_write_value(w, SIM_VALUE_I32, "shufflevector <32 x i32> %s, <32 x i32> undef, <32 x i32> <%s>",
                                   sim_operand(w, a), places));
    if (op->x != SIM_SLOT_SINK) sim_write_slot(w, op->x, sim_value_constant(SIM_VALUE_MASK, within));
    return true;
}

/* ---- shfl with operands in registers ---- */

/* The numbers of the lanes. */
static sim_value write_lane_numbers(sim_writer *w) {
    char numbers[SIM_LANES * 8];
    size_t at = 0;
    for (unsigned l = 0; l < SIM_LANES; l++)
        at += (size_t)snprintf(numbers + at, sizeof numbers - at, "%si32 %u", l ? "," : "", l);
    return sim_write_value(w, SIM_VALUE_I32, "or <32 x i32> <%s>, zeroinitializer", numbers);
}

static sim_value write_with_bits(sim_writer *w, const char *operation, sim_value a, uint32_t bits) {
    return sim_write_two(w, operation, a, sim_value_constant(SIM_VALUE_I32, bits));
}

/* The lane that each lane names. first: of its segment. */
static sim_value write_wanted(sim_writer *w, unsigned mode, sim_value lanes, sim_value distance, sim_value first,
                              sim_value others) {
    if (mode == PTX_MOD_UP) return sim_write_two(w, "sub", lanes, distance);
    if (mode == PTX_MOD_DOWN) return sim_write_two(w, "add", lanes, distance);
    if (mode == PTX_MOD_BFLY) return sim_write_two(w, "xor", lanes, distance);
    return sim_write_two(w, "or", first, sim_write_two(w, "and", distance, others));
}

/* Picks the sources' words: AVX-512 picks 16 words of 32 by one instruction. */
static sim_value write_picked(sim_writer *w, sim_value a, sim_value sources) {
    uint32_t half[2], picked[2];
    for (unsigned h = 0; h < 2; h++) half[h] = sim_write_half(w, a, h);
    for (unsigned h = 0; h < 2; h++)
        picked[h] =
            sim_write_id(w,
                         "call <16 x i32> @llvm.x86.avx512.vpermi2var.d.512(<16 x i32> %%v%u, <16 x i32> %%v%u, "
                         "<16 x i32> %%v%u)",
                         half[0], sim_write_half(w, sources, h), half[1]);
    return sim_write_joined(w, SIM_VALUE_I32, picked[0], picked[1]);
}

/* As source_of(), at run time. */
static bool write_shuffle(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    if (write_known_shuffle(w, op, i)) return true;
    if (!w->has_avx512) return false;
    const unsigned mode = i->mods[PTX_SLOT_MODE];
    const sim_value a = sim_read_slot(w, op->a, SIM_VALUE_I32), b = sim_read_slot(w, op->b, SIM_VALUE_I32);
    const sim_value c = sim_read_slot(w, op->c, SIM_VALUE_I32), lanes = write_lane_numbers(w);
    const sim_value segment = write_with_bits(w, "and", write_with_bits(w, "lshr", c, 8), LANE_BITS);
    const sim_value others = write_with_bits(w, "xor", segment, UINT32_MAX);
    const sim_value first = sim_write_two(w, "and", lanes, segment);
    const sim_value last = sim_write_two(w, "and", write_with_bits(w, "and", c, LANE_BITS), others);
    const sim_value bound = sim_write_two(w, "or", first, last);
    const sim_value wanted = write_wanted(w, mode, lanes, write_with_bits(w, "and", b, LANE_BITS), first, others);
    const uint32_t inside = sim_write_relation(w, mode == PTX_MOD_UP ? "icmp sge" : "icmp ule", wanted, bound);
    const sim_value sources = sim_write_choice(w, inside, write_with_bits(w, "and", wanted, LANE_BITS), lanes);
    sim_write_slot(w, op->d, write_picked(w, a, sources));
    if (op->x != SIM_SLOT_SINK) sim_write_slot(w, op->x, sim_write_mask(w, inside));
    return true;
}

/* ---- vote ---- */

static uint32_t write_mask_test(sim_writer *w, const char *relation, sim_value mask, int with) {
    return sim_write_id(w, "icmp %s i32 %s, %d", relation, sim_operand(w, mask), with);
}

/* all, any and uni as tests of the mask; .uni holds if all lanes or none have the predicate set. */
static bool write_vote(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    const sim_value mask = sim_read_mask(w, op->a, op->x);
    const unsigned mode = i->mods[PTX_SLOT_MODE];
    uint32_t holds = write_mask_test(w, mode == PTX_MOD_ANY ? "ne" : "eq", mask, mode == PTX_MOD_ANY ? 0 : -1);
    if (mode != PTX_MOD_ANY && mode != PTX_MOD_ALL)
        holds = sim_write_id(w, "or i1 %%v%u, %%v%u", holds, write_mask_test(w, "eq", mask, 0));
    sim_write_slot(w, op->d, sim_write_value(w, SIM_VALUE_MASK, "sext i1 %%v%u to i32", holds));
    return true;
}

static bool write_ballot(sim_writer *w, const sim_op *op) {
    const sim_value mask = sim_read_mask(w, op->a, op->x);
    const uint32_t word = sim_write_id(w, "or i32 %s, 0", sim_operand(w, mask));
    sim_write_slot(w, op->d, write_broadcast(w, word));
    return true;
}

/* ---- redux ---- */

/* LLVM reduces a vector to a word, which every lane gets. */
static bool write_reduction(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    const bool is_signed = i->type == PTX_S32;
    const char *how = is_signed ? "smax" : "umax";
    switch (i->mods[PTX_SLOT_ATOMIC]) {
    case PTX_MOD_ATOM_ADD: how = "add"; break;
    case PTX_MOD_ATOM_AND: how = "and"; break;
    case PTX_MOD_ATOM_OR: how = "or"; break;
    case PTX_MOD_ATOM_XOR: how = "xor"; break;
    case PTX_MOD_ATOM_MIN: how = is_signed ? "smin" : "umin"; break;
    default: break;
    }
    const sim_value a = sim_read_slot(w, op->a, SIM_VALUE_I32);
    const uint32_t word =
        sim_write_id(w, "call i32 @llvm.vector.reduce.%s.v32i32(<32 x i32> %s)", how, sim_operand(w, a));
    sim_write_slot(w, op->d, write_broadcast(w, word));
    return true;
}

bool sim_write_collective(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
    switch (i->op) {
    case PTX_OP_SHFL: return write_shuffle(w, op, i);
    case PTX_OP_VOTE: return write_vote(w, op, i);
    case PTX_OP_VOTE_BALLOT: return write_ballot(w, op);
    case PTX_OP_REDUX: return write_reduction(w, op, i);
    case PTX_OP_ACTIVEMASK: sim_write_slot(w, op->d, sim_value_constant(SIM_VALUE_I32, SIM_ALL_LANES)); return true;
    default: return false;
    }
}
