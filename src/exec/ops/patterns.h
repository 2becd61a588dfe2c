/* Patterns of shared addresses (state/pattern.h): finds them, moves words with them and counts them. */
#ifndef HAUL_EXEC_OPS_PATTERNS_H
#define HAUL_EXEC_OPS_PATTERNS_H

#include "count/samples.h"
#include "exec/ops/words.h"
#include "jit/compiled.h"
#include "state/block.h"
#include "state/lanes.h"
#include "state/pattern.h"

enum { SIM_HALF = SIM_LANES / 2 };

/* Returns the address register's lanes as 32 bits, the width of shared addresses. */
static inline const uint32_t *sim_narrow_lanes(const sim_warp *w, const sim_op *op, uint32_t narrow[SIM_LANES]) {
    if (!(op->flags & SIM_OP_WIDE)) return SIM_SLOT(w, uint32_t, op->a);
    const uint64_t *a = SIM_SLOT(w, uint64_t, op->a);
    SIM_EACH_LANE(l) narrow[l] = (uint32_t)a[l];
    return narrow;
}

/* Finds the pattern of a whole warp: stride, bounds and alignment. Both halves are visited in one loop, without
 * branches. */
static inline void sim_find_whole_pattern(sim_pattern *p, const uint32_t a[SIM_LANES]) {
    const uint32_t stride = a[1] - a[0], first = a[0], second = a[SIM_HALF];
    uint32_t differs = 0, nearest = UINT32_MAX, furthest = 0, low_bits = 0;
    for (uint32_t l = 0; l < SIM_HALF; l++) {
        const uint32_t x = a[l], y = a[l + SIM_HALF];
        const uint32_t least = x < y ? x : y, most = x < y ? y : x;
        differs |= (x - first - l * stride) | (y - second - l * stride);
        nearest = least < nearest ? least : nearest;
        furthest = most > furthest ? most : furthest;
        low_bits |= x | y;
    }
    p->first[0] = first, p->first[1] = second;
    p->stride = differs ? SIM_NO_STRIDE : stride;
    p->nearest = nearest, p->furthest = furthest, p->low_bits = low_bits;
}

/* The same for some of the lanes, which get no stride. */
static inline void sim_find_partial_pattern(sim_pattern *p, const uint32_t a[SIM_LANES], uint32_t active) {
    uint32_t nearest = UINT32_MAX, furthest = 0, low_bits = 0;
    for (uint32_t l = 0; l < SIM_LANES; l++) {
        const uint32_t in = 0 - (active >> l & 1), low = a[l] | ~in, high = a[l] & in;
        nearest = low < nearest ? low : nearest;
        furthest = high > furthest ? high : furthest;
        low_bits |= high;
    }
    p->stride = SIM_NO_STRIDE;
    p->nearest = nearest, p->furthest = furthest, p->low_bits = low_bits;
}

/* Returns the pattern of the operation's address register: the cached one, or *own. The first operation that uses a
 * register in a block (SIM_PATTERN_LEADS) finds the pattern for those after it. They take it if their lanes are the
 * same. */
static inline sim_pattern *sim_pattern_find(const sim_warp *w, const sim_op *op, uint32_t active,
                                            const uint32_t lanes[SIM_LANES], sim_pattern *own) {
    sim_pattern *p = own;
    if (op->pattern) {
        sim_pattern *kept = SIM_SLOT(w, sim_pattern, op->pattern & ~(uint32_t)SIM_PATTERN_LEADS);
        const bool leads = op->pattern & SIM_PATTERN_LEADS;
        if (!leads && kept->active == active) return kept;
        if (leads) p = kept;
    }
    p->active = active;
    memset(p->wavefronts, 0, sizeof p->wavefronts);
    if (active != SIM_ALL_LANES) {
        sim_find_partial_pattern(p, lanes, active);
        return p;
    }
    sim_find_whole_pattern(p, lanes);
    if (w->compiled)
        sim_compiled_note_kind(w->compiled, sim_pc(w, op), sim_lanes_kind_by(p->stride, p->first[0] == p->first[1]));
    return p;
}

/* Returns whether accesses of `bytes` at the pattern's lanes plus imm lie within `limit` and are aligned, and whether
 * the pattern's counts apply: imm must move the lanes by whole words. The lanes alone are then positive as signed
 * numbers, too, as gathers need. */
static inline bool sim_pattern_fits(const sim_pattern *p, int64_t imm, uint32_t limit, unsigned bytes) {
    const int64_t shift = (int32_t)imm;
    return ((p->low_bits | (uint32_t)shift) & (bytes - 1)) == 0 && (shift & 3) == 0 && p->nearest + shift >= 0 &&
           p->furthest + shift + bytes <= limit && p->furthest <= INT32_MAX;
}

/* ---- wavefronts ---- */

/* Returns the wavefronts of an access of that width. They are computed once for a pattern: moving all lanes by whole
 * words turns the banks but keeps the conflicts. */
static inline sim_wavefronts sim_pattern_wavefronts(sim_pattern *p, const uint32_t lanes[SIM_LANES], unsigned bytes,
                                                    bool is_store) {
    sim_wavefronts *known = &p->wavefronts[is_store][bytes / 8];
    if (!known->total)
        *known = is_store ? sim_bank_store(lanes, p->active, bytes) : sim_bank_load(lanes, p->active, bytes);
    return *known;
}

/* Counts one machine access. */
static inline void sim_count_pattern_part(sim_counting *c, const sim_op *op, sim_pattern *p,
                                          const uint32_t lanes[SIM_LANES], unsigned bytes, bool is_store) {
    const sim_wavefronts wavefronts = sim_pattern_wavefronts(p, lanes, bytes, is_store);
    sim_tally *t = &c->tallies[c->plan->tally_of[op->instruction]];
    sim_sample_conflicts(c, op->instruction, p->active, bytes, lanes, wavefronts);
    t->traffic.instructions++;
    t->traffic.shared_wavefronts += wavefronts.total;
    t->traffic.ideal_shared_wavefronts += wavefronts.ideal;
    t->traffic.bytes += (uint64_t)(uint32_t)__builtin_popcount(p->active) * bytes;
}

/* The same as sim_count_shared(), for the cached pattern's register plus a multiple of 4 bytes. `is_store` follows the
 * class that the assembler gives the instruction. Returns false, and counts nothing, if its parts do not begin at whole
 * words. */
static inline bool sim_count_pattern(sim_counting *c, const sim_op *op, sim_pattern *p, const uint32_t lanes[SIM_LANES],
                                     bool is_store) {
    const sim_assembled *a = &c->plan->assembled[op->instruction];
    if (c->plan->tally_of[op->instruction] == SIM_NO_TALLY) return true;
    if (a->plain) {
        sim_count_pattern_part(c, op, p, lanes, op->bytes, is_store);
        return true;
    }
    for (unsigned k = 0; k < a->part_count; k++)
        if (a->parts[k].start & 3) return false;
    for (unsigned k = 0; k < a->part_count; k++) sim_count_pattern_part(c, op, p, lanes, a->parts[k].width, is_store);
    return true;
}

/* ---- words ---- */

/* Four words, and a transposition of four by four: compilers do not vectorise that loop. */
typedef uint32_t sim_quad __attribute__((vector_size(16), aligned(4), may_alias));

/* Transposes four by four words in two steps of pairs. */
static inline void sim_turn_quads(sim_quad q[4]) {
    const sim_quad a = __builtin_shufflevector(q[0], q[1], 0, 4, 1, 5),
                   b = __builtin_shufflevector(q[0], q[1], 2, 6, 3, 7);
    const sim_quad c = __builtin_shufflevector(q[2], q[3], 0, 4, 1, 5),
                   d = __builtin_shufflevector(q[2], q[3], 2, 6, 3, 7);
    q[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5), q[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    q[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5), q[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

/* Loads several words per lane without a gather if the lanes are adjacent within each half warp. */
static inline void sim_take_apart(uint32_t *const d[4], const unsigned char *from, unsigned count) {
    const sim_quad *s = (const sim_quad *)(const void *)from;
    for (unsigned l = 0; l < SIM_HALF; l += 4, s += count) {
        if (count == 2) {
            *(sim_quad *)(d[0] + l) = __builtin_shufflevector(s[0], s[1], 0, 2, 4, 6);
            *(sim_quad *)(d[1] + l) = __builtin_shufflevector(s[0], s[1], 1, 3, 5, 7);
            continue;
        }
        sim_quad q[4] = {s[0], s[1], s[2], s[3]};
        sim_turn_quads(q);
        for (unsigned e = 0; e < 4; e++) *(sim_quad *)(d[e] + l) = q[e];
    }
}

/* Stores them in the same layout. */
static inline void sim_put_together(unsigned char *to, uint32_t *const s[4], unsigned count) {
    sim_quad *d = (sim_quad *)(void *)to;
    for (unsigned l = 0; l < SIM_HALF; l += 4, d += count) {
        const sim_quad *first = (const sim_quad *)(s[0] + l), *second = (const sim_quad *)(s[1] + l);
        if (count == 2) {
            d[0] = __builtin_shufflevector(*first, *second, 0, 4, 1, 5);
            d[1] = __builtin_shufflevector(*first, *second, 2, 6, 3, 7);
            continue;
        }
        sim_quad q[4] = {*first, *second, *(const sim_quad *)(s[2] + l), *(const sim_quad *)(s[3] + l)};
        sim_turn_quads(q);
        for (unsigned e = 0; e < 4; e++) d[e] = q[e];
    }
}

/* Loads a word for each lane at the pattern's lanes plus `shift`, for a whole warp with a stride of 0 or 4. */
static inline void sim_load_regular(const sim_pattern *p, const unsigned char *shared, uint32_t shift, uint32_t *d) {
    for (unsigned h = 0; h < 2; h++) {
        const unsigned char *from = shared + (uint32_t)(p->first[h] + shift);
        uint32_t *to = d + h * SIM_HALF, word;
        memcpy(&word, from, sizeof word);
        if (p->stride)
            memcpy(to, from, SIM_HALF * sizeof *to);
        else
            for (unsigned l = 0; l < SIM_HALF; l++) to[l] = word;
    }
}

/* If several lanes have one address, the first lane's word stays. */
static inline void sim_store_regular(const sim_pattern *p, unsigned char *shared, uint32_t shift, const uint32_t *s) {
    for (unsigned h = 2; h-- > 0;) {
        unsigned char *to = shared + (uint32_t)(p->first[h] + shift);
        const uint32_t *from = s + h * SIM_HALF;
        if (p->stride)
            memcpy(to, from, SIM_HALF * sizeof *from);
        else
            memcpy(to, from, sizeof *from);
    }
}

/* Loads `count` words for each lane: broadcasts, copies and transpositions if the lanes have a suitable stride, gathers
 * otherwise. */
static inline void sim_load_pattern(const sim_pattern *p, const uint32_t lanes[SIM_LANES], const unsigned char *shared,
                                    uint32_t shift, uint32_t *const *d, unsigned count) {
    if ((p->stride & ~4u) == 0) {
        for (unsigned e = 0; e < count; e++) sim_load_regular(p, shared, shift + 4 * e, d[e]);
        return;
    }
    if (p->stride == 4 * count && (count == 2 || count == 4)) {
        for (unsigned h = 0; h < 2; h++) {
            uint32_t *half[4] = {0};
            for (unsigned e = 0; e < count; e++) half[e] = d[e] + h * SIM_HALF;
            sim_take_apart(half, shared + (uint32_t)(p->first[h] + shift), count);
        }
        return;
    }
    uint32_t kept[SIM_LANES];
    for (unsigned e = 0; e + 1 < count; e++) {
        if (d[e] != lanes) continue;
        memcpy(kept, lanes, sizeof kept); /* loading may overwrite the address register before the last word */
        lanes = kept;
        break;
    }
    const unsigned char *base = shared + (int32_t)shift;
    for (unsigned e = 0; e < count; e++) sim_gather_words(d[e], base + 4 * e, lanes, p->active);
}

/* Stores them. */
static inline void sim_store_pattern(const sim_pattern *p, const uint32_t lanes[SIM_LANES], unsigned char *shared,
                                     uint32_t shift, uint32_t *const *s, unsigned count) {
    if (count == 1 && (p->stride & ~4u) == 0) {
        sim_store_regular(p, shared, shift, s[0]);
        return;
    }
    unsigned char *base = shared + (int32_t)shift;
    for (unsigned e = 0; e < count; e++)
        sim_scatter_words(base + 4 * e, lanes, s[e], p->active, sim_store_turn(4 * count));
}

#endif
