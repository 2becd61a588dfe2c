/* Instructions that exchange values between the lanes of a warp: shfl, vote, match, redux, activemask, elect. The .sync
 * forms execute for all lanes that have reached them (sim_warp_gather); the old forms for the active lanes.
 *
 * Lanes of one execution may name different members. Each such set has a result of its own, so most handlers are a
 * function for one set (EACH_SET). A shuffle needs no sets: it reads every lane's register, whether or not that lane
 * takes part. The value of a lane that does not is undefined in PTX; here it is the register's value, and the checks
 * look for such reads. */
#include "check/hazard.h"
#include "exec/floats.h"
#include "exec/ops/lanes.h"
#include "exec/paths.h"
#include "state/lanes.h"

#include <string.h>

/* Returns the lanes to execute for, or 0 with *step set if the path has to wait. op->y is the slot of the members'
 * mask, SIM_SLOT_TRUE for the forms without one. */
static uint32_t assemble(sim_warp *w, const sim_op *op, uint32_t active, sim_step *step) {
    *step = SIM_NEXT;
    if (op->y == SIM_SLOT_TRUE) return active;
    const uint32_t *members = SIM_SLOT(w, uint32_t, op->y);
    return sim_warp_gather(w, op, active, members, step);
}

/* Returns the lanes of `lanes` in one set with the first. Lanes that name other members have a separate result. */
static uint32_t next_set(const sim_warp *w, const sim_op *op, uint32_t lanes) {
    return op->y == SIM_SLOT_TRUE ? lanes : sim_warp_same_members(SIM_SLOT(w, uint32_t, op->y), lanes);
}

/* Handler `name` runs name##_set for each set of lanes. */
typedef void set_fn(sim_warp *w, const sim_op *op, uint32_t lanes);

static inline sim_step each_set(sim_warp *w, const sim_op *op, uint32_t active, set_fn *run) {
    sim_step step;
    uint32_t left = assemble(w, op, active, &step);
    while (left) {
        const uint32_t lanes = next_set(w, op, left);
        left &= ~lanes;
        run(w, op, lanes);
    }
    return step;
}

#define EACH_SET(name)                                                     \
    static sim_step name(sim_warp *w, const sim_op *op, uint32_t active) { \
        return each_set(w, op, active, name##_set);                        \
    }

/* Returns the slot of the mask operand, or SIM_SLOT_TRUE without .sync. */
static uint32_t members_slot(sim_lowering *l, const ptx_instruction *i, unsigned operand) {
    return i->mods[PTX_SLOT_SYNC] ? sim_source(l, &i->operands[operand], PTX_U32) : SIM_SLOT_TRUE;
}

/* d|p; p is optional. */
static void destinations(sim_lowering *l, const ptx_operand *first, uint32_t *d, uint32_t *p) {
    const bool pair = first->kind == PTX_PAIR;
    *d = sim_destination(l, pair ? &first->parts[0] : first);
    *p = pair ? sim_destination(l, &first->parts[1]) : SIM_SLOT_SINK;
}

/* ---- shfl: a the value, b the lane or distance, c the segment mask (bits 8 to 12) and clamp (bits 0 to 4) ---- */

enum { LANE_BITS = SIM_LANES - 1 };

/* Computes each lane's source lane, its own if the named one is out of bounds. Returns the lanes within bounds. */
#define SHUFFLE(mode, wanted, within)                                                          \
    static uint32_t sources_##mode(uint32_t *source, const uint32_t *b, const uint32_t *c) {   \
        SIM_EACH_LANE(l) {                                                                     \
            const uint32_t segment = c[l] >> 8 & LANE_BITS, distance = b[l] & LANE_BITS;       \
            const uint32_t first = l & segment, bound = first | (c[l] & LANE_BITS & ~segment); \
            const uint32_t j = (wanted);                                                       \
            (void)first, (void)distance;                                                       \
            source[l] = (within) ? j : l | SIM_LANES;                                          \
        }                                                                                      \
        uint32_t inside;                                                                       \
        SIM_GATHER_LANES(inside, (source[l] & SIM_LANES) == 0);                                \
        return inside;                                                                         \
    }                                                                                          \
    static sim_step shfl_##mode(sim_warp *w, const sim_op *op, uint32_t active) {              \
        return shuffle(w, op, active, sources_##mode);                                         \
    }

/* Finds the sources of all lanes; returns which are within bounds. */
typedef uint32_t sources_fn(uint32_t *source, const uint32_t *b, const uint32_t *c);

/* Sources are read before any destination is written: these may be the same register. */
static sim_step shuffle(sim_warp *w, const sim_op *op, uint32_t active, sources_fn *find_sources) {
    sim_step step;
    const uint32_t lanes = assemble(w, op, active, &step);
    if (!lanes) return step;
    uint32_t source[SIM_LANES], value[SIM_LANES];
    const uint32_t inside = find_sources(source, SIM_SLOT(w, uint32_t, op->b), SIM_SLOT(w, uint32_t, op->c));
    memcpy(value, SIM_SLOT(w, uint32_t, op->a), sizeof value);
    if (w->sm->hazards && (w->tainted || lanes != SIM_ALL_LANES))
        sim_hazard_shuffled(w, op->instruction, lanes, source);
    uint32_t *d = SIM_SLOT(w, uint32_t, op->d);
    SIM_STORE_LANES(d, lanes, value[source[l] & LANE_BITS]);
    sim_set_predicate(w, op->x, inside, lanes);
    return SIM_NEXT;
}

/* Going up, lanes before the first are negative, hence the comparison with a sign. */
SHUFFLE(up, l - distance, (int32_t)j >= (int32_t)bound)
SHUFFLE(down, l + distance, j <= bound)
SHUFFLE(bfly, l ^ distance, j <= bound)
SHUFFLE(idx, first | (distance & ~segment), j <= bound)

/* Without the destination p, the bits go to the sink. */
haul_status LOWER(SHFL)(sim_lowering *l, const ptx_instruction *i) {
    static const sim_handler handlers[PTX_MOD_COUNT] = {
        [PTX_MOD_UP] = shfl_up, [PTX_MOD_DOWN] = shfl_down, [PTX_MOD_BFLY] = shfl_bfly, [PTX_MOD_IDX] = shfl_idx};
    uint32_t d, p;
    destinations(l, &i->operands[0], &d, &p);
    const uint32_t a = sim_source(l, &i->operands[1], PTX_B32), b = sim_source(l, &i->operands[2], PTX_U32);
    const uint32_t c = sim_source(l, &i->operands[3], PTX_U32), members = members_slot(l, i, 4);
    sim_op *op = sim_emit(l, handlers[i->mods[PTX_SLOT_MODE]]);
    op->d = d, op->x = p, op->a = a, op->b = b, op->c = c, op->y = members;
    return HAUL_OK;
}

/* ---- vote: the predicate is op->a, its negation op->x ---- */

/* Defines a vote. `set`: the lanes of the set whose predicate is true. */
#define VOTE(mode, condition)                                                      \
    static void vote_##mode##_set(sim_warp *w, const sim_op *op, uint32_t lanes) { \
        const uint32_t set = (SIM_PREDICATE(w, op->a) ^ op->x) & lanes;            \
        sim_set_predicate(w, op->d, (condition) ? SIM_ALL_LANES : 0, lanes);       \
    }                                                                              \
    EACH_SET(vote_##mode)

/* all: every predicate is true; any: some is; uni: all are equal. */
VOTE(all, set == lanes)
VOTE(any, set != 0)
VOTE(uni, set == 0 || set == lanes)

/* Returns the set's true predicates as bits. */
static void vote_ballot_set(sim_warp *w, const sim_op *op, uint32_t lanes) {
    const uint32_t set = (SIM_PREDICATE(w, op->a) ^ op->x) & lanes;
    uint32_t *d = SIM_SLOT(w, uint32_t, op->d);
    SIM_STORE_LANES(d, lanes, set);
}
EACH_SET(vote_ballot)

/* d is a predicate, or for a ballot a register. */
static haul_status lower_vote(sim_lowering *l, const ptx_instruction *i, sim_handler run) {
    uint32_t flip;
    const uint32_t a = sim_predicate(l, &i->operands[1], &flip), members = members_slot(l, i, 2);
    const uint32_t d = sim_destination(l, &i->operands[0]);
    sim_op *op = sim_emit(l, run);
    op->d = d, op->a = a, op->x = flip, op->y = members;
    return HAUL_OK;
}

haul_status LOWER(VOTE)(sim_lowering *l, const ptx_instruction *i) {
    const unsigned mode = i->mods[PTX_SLOT_MODE];
    return lower_vote(l, i, mode == PTX_MOD_ALL ? vote_all : mode == PTX_MOD_ANY ? vote_any : vote_uni);
}

haul_status LOWER(VOTE_BALLOT)(sim_lowering *l, const ptx_instruction *i) {
    return lower_vote(l, i, vote_ballot);
}

/* ---- match ---- */

/* Returns the lanes among `lanes` with the same value as lane `l`. */
#define MATCH(width, T)                                                                  \
    static uint32_t same_##width(const T *a, T value, uint32_t lanes) {                  \
        uint32_t same;                                                                   \
        SIM_GATHER_LANES(same, a[l] == value);                                           \
        return same & lanes;                                                             \
    }                                                                                    \
    static void match_any_##width##_set(sim_warp *w, const sim_op *op, uint32_t lanes) { \
        T a[SIM_LANES];                                                                  \
        memcpy(a, SIM_SLOT(w, T, op->a), sizeof a);                                      \
        uint32_t *d = SIM_SLOT(w, uint32_t, op->d);                                      \
        for (unsigned l = 0; l < SIM_LANES; l++) {                                       \
            if (lanes >> l & 1) d[l] = same_##width(a, a[l], lanes);                     \
        }                                                                                \
    }                                                                                    \
    static void match_all_##width##_set(sim_warp *w, const sim_op *op, uint32_t lanes) { \
        const T *a = SIM_SLOT(w, T, op->a);                                              \
        const bool all = same_##width(a, a[__builtin_ctz(lanes)], lanes) == lanes;       \
        uint32_t *d = SIM_SLOT(w, uint32_t, op->d);                                      \
        SIM_STORE_LANES(d, lanes, all ? lanes : 0);                                      \
        sim_set_predicate(w, op->x, all ? SIM_ALL_LANES : 0, lanes);                     \
    }                                                                                    \
    EACH_SET(match_any_##width)                                                          \
    EACH_SET(match_all_##width)

MATCH(32, uint32_t)
MATCH(64, uint64_t)

/* match.any: the lanes with the same value. match.all: all lanes of the set if they have one value, otherwise 0; p says
 * which. */
haul_status LOWER(MATCH)(sim_lowering *l, const ptx_instruction *i) {
    static const sim_handler handlers[2][2] = {{match_any_32, match_any_64}, {match_all_32, match_all_64}};
    uint32_t d, p;
    destinations(l, &i->operands[0], &d, &p);
    const uint32_t a = sim_source(l, &i->operands[1], i->type), members = members_slot(l, i, 2);
    sim_op *op = sim_emit(l, handlers[i->mods[PTX_SLOT_MODE] == PTX_MOD_ALL][i->type == PTX_B64]);
    op->d = d, op->x = p, op->a = a, op->y = members;
    return HAUL_OK;
}

/* ---- redux ---- */

/* Combines the set's values in lane order; integers give the same in any order. */
#define REDUCE(name, T, combined)                                                   \
    static void redux_##name##_set(sim_warp *w, const sim_op *op, uint32_t lanes) { \
        const T *a = SIM_SLOT(w, T, op->a);                                         \
        T sum = a[__builtin_ctz(lanes)];                                            \
        for (uint32_t left = lanes & (lanes - 1); left; left &= left - 1) {         \
            const T next = a[__builtin_ctz(left)];                                  \
            sum = (combined);                                                       \
        }                                                                           \
        T *d = SIM_SLOT(w, T, op->d);                                               \
        SIM_STORE_LANES(d, lanes, sum);                                             \
    }                                                                               \
    EACH_SET(redux_##name)

REDUCE(add, uint32_t, sum + next)
REDUCE(and, uint32_t, sum &next)
REDUCE(or, uint32_t, sum | next)
REDUCE(xor, uint32_t, sum ^ next)
REDUCE(min_u32, uint32_t, next < sum ? next : sum)
REDUCE(max_u32, uint32_t, next > sum ? next : sum)
REDUCE(min_s32, int32_t, next < sum ? next : sum)
REDUCE(max_s32, int32_t, next > sum ? next : sum)

/* op->x: CHOICE_*. A number wins over NaN, with .NaN the NaN wins; -0 is below +0. */
enum { CHOICE_GREATER = 1, CHOICE_KEEP_NAN = 2, CHOICE_ABS = 4 };

static float choose_single(float a, float b, uint32_t flags) {
    const bool greater = flags & CHOICE_GREATER;
    const uint32_t x = bits_of_f32(a), y = bits_of_f32(b);
    if (a != a || b != b)
        return (flags & CHOICE_KEEP_NAN) || (a != a && b != b) ? f32_of_bits(SIM_NAN_F32) : a != a ? b : a;
    if (a == b) return f32_of_bits(greater ? x & y : x | y);
    return (a < b) != greater ? a : b;
}

/* Begins with the first lane's value, which is then combined with itself: that makes a lone NaN the canonical one. */
static void redux_single_set(sim_warp *w, const sim_op *op, uint32_t lanes) {
    const uint32_t *a = SIM_SLOT(w, uint32_t, op->a), kept = op->x & CHOICE_ABS ? 0x7fffffffu : UINT32_MAX;
    float chosen = f32_of_bits(a[__builtin_ctz(lanes)] & kept);
    for (uint32_t left = lanes; left; left &= left - 1)
        chosen = choose_single(chosen, f32_of_bits(a[__builtin_ctz(left)] & kept), op->x);
    float *d = SIM_SLOT(w, float, op->d);
    SIM_STORE_LANES(d, lanes, chosen);
}
EACH_SET(redux_single)

/* redux of .f32: minimum and maximum only, whose order does not matter either. */
haul_status LOWER(REDUX_FLOAT)(sim_lowering *l, const ptx_instruction *i) {
    const uint32_t members = members_slot(l, i, 2);
    sim_op *op = sim_emit_with(l, i, redux_single, PTX_F32, 0, 0);
    op->y = members;
    op->x = (i->mods[PTX_SLOT_ATOMIC] == PTX_MOD_ATOM_MAX ? CHOICE_GREATER : 0u) |
            (i->mods[PTX_SLOT_NAN] ? CHOICE_KEEP_NAN : 0u) | (i->mods[PTX_SLOT_ABS] ? CHOICE_ABS : 0u);
    return HAUL_OK;
}

/* Only minimum and maximum depend on the sign. */
static sim_handler reducer(const ptx_instruction *i) {
    const bool is_signed = i->type == PTX_S32;
    switch (i->mods[PTX_SLOT_ATOMIC]) {
    case PTX_MOD_ATOM_ADD: return redux_add;
    case PTX_MOD_ATOM_AND: return redux_and;
    case PTX_MOD_ATOM_OR: return redux_or;
    case PTX_MOD_ATOM_XOR: return redux_xor;
    case PTX_MOD_ATOM_MIN: return is_signed ? redux_min_s32 : redux_min_u32;
    default: return is_signed ? redux_max_s32 : redux_max_u32;
    }
}

haul_status LOWER(REDUX)(sim_lowering *l, const ptx_instruction *i) {
    const bool bits = i->type == PTX_B32, logic = i->mods[PTX_SLOT_ATOMIC] <= PTX_MOD_ATOM_XOR;
    if (bits != logic) return sim_lower_fail(l, "and, or and xor reduce .b32, the others .u32 and .s32");
    const uint32_t members = members_slot(l, i, 2);
    sim_op *op = sim_emit_with(l, i, reducer(i), i->type, 0, 0);
    op->y = members;
    return HAUL_OK;
}

/* ---- activemask, elect ---- */

/* Returns the lanes that execute the instruction, so a program sees which ones have diverged. */
static sim_step activemask(sim_warp *w, const sim_op *op, uint32_t active) {
    uint32_t *d = SIM_SLOT(w, uint32_t, op->d);
    SIM_STORE_LANES(d, active, active);
    return SIM_NEXT;
}

haul_status LOWER(ACTIVEMASK)(sim_lowering *l, const ptx_instruction *i) {
    const uint32_t d = sim_destination(l, &i->operands[0]);
    sim_emit(l, activemask)->d = d;
    return HAUL_OK;
}

/* The lowest lane is elected. */
static void elect_set(sim_warp *w, const sim_op *op, uint32_t lanes) {
    const uint32_t leader = (uint32_t)__builtin_ctz(lanes);
    uint32_t *d = SIM_SLOT(w, uint32_t, op->d);
    SIM_STORE_LANES(d, lanes, leader);
    sim_set_predicate(w, op->x, 1u << leader, lanes);
}
EACH_SET(elect)

/* elect.sync: d is the elected lane, p is true in it alone. */
haul_status LOWER(ELECT)(sim_lowering *l, const ptx_instruction *i) {
    uint32_t d, p;
    destinations(l, &i->operands[0], &d, &p);
    const uint32_t members = members_slot(l, i, 1);
    sim_op *op = sim_emit(l, elect);
    op->d = d, op->x = p, op->y = members;
    return HAUL_OK;
}
