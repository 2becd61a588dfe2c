/* Operations across the lanes of a whole warp, which wait for no lane.
 *
 * A warp in registers is one vector, so shfl with known operands is one shuffle, and votes are tests of a mask. Only
 * whole warps come here: with lanes missing the handler does the work. */
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
static bool write_shuffle(sim_writer *w, const sim_op *op, const ptx_instruction *i) {
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
