/* Running compiled code: which segment comes next, and what its accesses count and are checked for.
 *
 * Accesses to shared memory with the same base form a cohort. As long as their lanes have the same shape, the
 * wavefronts are the same, so an SM keeps a memo for each cohort: the shape, its bounds, and its number of runs. Code
 * compares the base with the memo and calls match() when it differs; runs are added to the counters when the shape
 * changes or the launch ends. That makes counting nearly free in loops. */
#include "base/memory.h"
#include "check/bundle.h"
#include "check/follow.h"
#include "check/global.h"
#include "count/samples.h"
#include "jit/compiled.h"
#include "lower/internal.h"
#include "state/block.h"

#include <stdlib.h>
#include <string.h>

enum { HALF = SIM_LANES / 2 };

/* ---- the shape of lanes ---- */

sim_lanes_kind sim_lanes_kind_by(uint32_t stride, bool same) {
    switch (stride) {
    case 0: return same ? SIM_LANES_STRIDE_0_SAME : SIM_LANES_STRIDE_0;
    case 1: return same ? SIM_LANES_STRIDE_1_SAME : SIM_LANES_STRIDE_1;
    case 2: return same ? SIM_LANES_STRIDE_2_SAME : SIM_LANES_STRIDE_2;
    case 4: return same ? SIM_LANES_STRIDE_4_SAME : SIM_LANES_STRIDE_4;
    case 8: return same ? SIM_LANES_STRIDE_8_SAME : SIM_LANES_STRIDE_8;
    case 16: return same ? SIM_LANES_STRIDE_16_SAME : SIM_LANES_STRIDE_16;
    default: return SIM_LANES_ANY;
    }
}

/* Returns the kind of the lanes of an address register. */
static sim_lanes_kind kind_of(const uint32_t lanes[SIM_LANES]) {
    const uint32_t stride = lanes[1] - lanes[0];
    uint32_t differs = 0;
    for (uint32_t l = 0; l < HALF; l++)
        differs |= (lanes[l] - lanes[0] - l * stride) | (lanes[l + HALF] - lanes[HALF] - l * stride);
    return differs ? SIM_LANES_ANY : sim_lanes_kind_by(stride, lanes[0] == lanes[HALF]);
}

sim_lanes_kind sim_lanes_kind_of_all(uint32_t seen) {
    const uint32_t first = seen ? (uint32_t)__builtin_ctz(seen) : 0, others = seen & (seen - 1);
    const bool alike = first && !sim_lanes_are_same((sim_lanes_kind)first) && others == 2u << first;
    return others == 0 || alike ? (sim_lanes_kind)first : SIM_LANES_ANY;
}

/* Code for a kind whose halves may differ also fits lanes whose halves are equal. */
static bool kind_fits(sim_lanes_kind code, sim_lanes_kind lanes) {
    return code == SIM_LANES_ANY || code == lanes || (sim_lanes_are_same(lanes) && code == lanes - 1);
}

/* ---- memos ---- */

/* Widths of 4, 8 and 16 bytes as 0, 1 and 2. */
static unsigned width_of(unsigned bytes) {
    return bytes / 8;
}

/* Adds `runs` executions of an access to its tally. */
static void add_runs(sim_counting *c, const sim_cohort_memo *m, const sim_cohort_access *a, uint64_t runs) {
    const uint32_t tally = c->plan->tally_of[a->instruction];
    if (tally == SIM_NO_TALLY) return;
    haul_traffic *t = &c->tallies[tally].traffic;
    const sim_wavefronts wavefronts = m->wavefronts[a->is_store][width_of(a->bytes)];
    t->instructions += runs;
    t->shared_wavefronts += runs * wavefronts.total;
    t->ideal_shared_wavefronts += runs * wavefronts.ideal;
    t->bytes += runs * SIM_LANES * a->bytes;
}

/* Adds the memo's runs to the tallies of its cohort's accesses. */
static void settle(sim_counting *c, sim_cohort_memo *m, const sim_cohort *g) {
    if (!c) return;
    for (size_t k = 0; m->runs && k < g->access_count; k++) add_runs(c, m, &g->accesses[k], m->runs);
    m->runs = 0;
}

/* Implements sim_native.partial: a segment that leaves early has run only some accesses. */
static void partial(sim_native *n, uint32_t cohort, uint32_t accesses) {
    const sim_cohort *g = &n->segment->cohorts[cohort];
    for (uint32_t k = 0; k < accesses; k++) add_runs(n->counting, &n->memos[cohort], &g->accesses[k], 1);
}

/* Sets bounds that nothing satisfies, so that the segment calls match(). */
static void forget_memo(sim_cohort_memo *m) {
    m->high = INT64_MAX / 2;
}

/* Computes the wavefronts of each kind and width of access in the cohort, for the memo's shape. */
static void find_wavefronts(sim_cohort_memo *m, const sim_cohort *g) {
    memset(m->wavefronts, 0, sizeof m->wavefronts);
    for (size_t k = 0; k < g->access_count; k++) {
        const sim_cohort_access *a = &g->accesses[k];
        sim_wavefronts *w = &m->wavefronts[a->is_store][width_of(a->bytes)];
        if (w->total) continue;
        *w = a->is_store ? sim_bank_store(m->asked, SIM_ALL_LANES, a->bytes)
                         : sim_bank_load(m->asked, SIM_ALL_LANES, a->bytes);
    }
}

/* Keeps samples of the accesses, for advice. */
static void sample(sim_counting *c, const sim_cohort_memo *m, const sim_cohort *g) {
    for (size_t k = 0; k < g->access_count; k++) {
        const sim_cohort_access *a = &g->accesses[k];
        if (c->plan->tally_of[a->instruction] == SIM_NO_TALLY) continue;
        sim_sample_conflicts(c, a->instruction, SIM_ALL_LANES, a->bytes, m->asked,
                             m->wavefronts[a->is_store][width_of(a->bytes)]);
    }
}

/* Implements sim_native.match: settles the old shape and adopts the new one if the code fits it. */
static uint32_t match(sim_native *n, sim_cohort_memo *m, uint32_t cohort) {
    const sim_cohort *g = &n->segment->cohorts[cohort];
    const uint32_t *lanes = m->asked;
    int64_t nearest = 0, furthest = 0;
    uint32_t low_bits = 0, changed = 0;
    settle(n->counting, m, g);
    forget_memo(m);
    for (unsigned l = 0; l < SIM_LANES; l++) {
        const int64_t away = (int64_t)lanes[l] - lanes[0];
        nearest = away < nearest ? away : nearest;
        furthest = away > furthest ? away : furthest;
        low_bits |= lanes[l];
        changed |= m->delta[l] ^ (lanes[l] - lanes[0]);
        m->delta[l] = lanes[l] - lanes[0];
    }
    if (changed && m->bundles) sim_bundles_reshape(m->bundles, m->delta);
    const int64_t low = nearest + g->low, high = furthest + g->high;
    if (low_bits & (g->alignment - 1)) return 0;
    if (lanes[0] + low < 0 || lanes[0] + high > (int64_t)n->shared_bytes) return 0;
    if (!kind_fits(g->kind, kind_of(lanes))) {
        sim_compiled_missed(n->warp->compiled, n->segment);
        return 0;
    }
    if (n->counting) {
        find_wavefronts(m, g);
        sample(n->counting, m, g);
    }
    m->first = lanes[0];
    m->low = low;
    m->high = high;
    return 1;
}

/* Implements sim_native.check. */
static uint32_t check(sim_native *n, uint32_t cohort, uint32_t bundle, uint32_t first) {
    const sim_cohort *g = &n->segment->cohorts[cohort];
    sim_cohort_memo *m = &n->memos[cohort];
    const sim_bundled *b = &g->bundles[bundle];
    if (!m->bundles) m->bundles = sim_bundles_create((uint32_t)g->bundle_count, m->delta);
    return m->bundles && sim_bundle_check(n->warp, m->bundles, bundle, b->pcs, b->count, m->delta, first);
}

/* ---- global memory ---- */

/* Implements sim_native.span. */
static uint64_t span(sim_native *n, const sim_op *op, uint64_t first, uint64_t second) {
    sim_sm *sm = n->warp->sm;
    sim_reach *reach = &sm->reaches[op->instruction];
    const sim_range *range = &reach->range;
    const uint64_t bytes = (uint64_t)op->bytes * HALF;
    if (!sim_is_span_inside(range, first, bytes) || !sim_is_span_inside(range, second, bytes)) return 0;
    if ((first | second) & (op->bytes - 1u)) return 0;
    if (sm->hazards) sim_hazard_global_span(n->warp, op, first, second);
    if (sm->follower) sim_follow_span(sm->follower, op, first, second);
    sim_prefetch_next(reach, first);
    sm->changes += op->memory_class == HAUL_CLASS_GLOBAL_STORE;
    if (n->counting) sim_count_global_span(n->counting, n->warp, op, first, second, op->bytes);
    return range->host;
}

/* ---- lanes that meet again ---- */

/* Implements sim_native.meet. The joined lanes have the first path, as a new one. */
static void meet(sim_native *n) {
    sim_warp *w = n->warp;
    const uint16_t depth = w->path->depth;
    w->path->state = SIM_PATH_FREE;
    w->path = &w->paths[0];
    *w->path = (sim_path){.mask = w->active, .join = SIM_NO_JOIN, .state = SIM_PATH_READY, .depth = depth};
    w->used_paths = w->ready_paths = 1;
    w->rounds = w->unchanged = 0;
}

/* ---- an SM's memos ---- */

/* Settles all memos of a segment. */
static void settle_segment(sim_native *n, uint32_t index) {
    sim_cohort_memo *memos = n->all_memos[index];
    const sim_segment *s = n->seen[index];
    for (size_t g = 0; memos && g < s->cohort_count; g++) settle(n->counting, &memos[g], &s->cohorts[g]);
}

static void free_memos(sim_native *n, uint32_t index) {
    sim_cohort_memo *memos = n->all_memos[index];
    const sim_segment *s = n->seen[index];
    for (size_t g = 0; memos && g < s->cohort_count; g++) sim_bundles_free(memos[g].bundles);
    memory_free(memos);
}

/* Each launch samples shapes anew. */
static void forget_memos(sim_native *n) {
    for (uint32_t s = 0; s < n->segment_limit; s++)
        for (size_t g = 0; n->all_memos[s] && g < n->seen[s]->cohort_count; g++) forget_memo(&n->all_memos[s][g]);
}

/* Makes the memos of a segment that has not run yet, or has replaced another. */
static bool make_memos(sim_native *n, const sim_segment *s) {
    settle_segment(n, s->index);
    free_memos(n, s->index);
    sim_cohort_memo *memos = memory_zeroed(s->cohort_count + 1, sizeof *memos);
    for (size_t g = 0; memos && g < s->cohort_count; g++) forget_memo(&memos[g]);
    n->all_memos[s->index] = memos;
    n->seen[s->index] = memos ? s : NULL;
    return memos != NULL;
}

/* Returns false if there is no memory for the segment's memos: the interpreter then runs it. */
static bool has_memos(sim_native *n, const sim_segment *s) {
    if (n->seen[s->index] != s && !make_memos(n, s)) return false;
    n->memos = n->all_memos[s->index];
    n->segment = s;
    return true;
}

/* ---- an SM's sim_native ---- */

/* Tables of approximate functions, which compiled code reads. */
static void set_tables(sim_native *n) {
    for (unsigned t = 0; t < SIM_MUFU_TABLES; t++) n->mufu[t] = sim_mufu_columns_of((sim_mufu_table)t);
}

/* Without counting, runs go to a table of the SM's own. */
static void count_in(sim_native *n, sim_counting *c) {
    n->counting = c;
    n->block_runs = n->own_runs;
    if (!c) return;
    n->block_runs = c->block_runs;
    n->block_threads = c->block_threads;
    n->instruction_runs = c->instruction_runs;
    n->instruction_threads = c->instruction_threads;
}

sim_native *sim_native_create(sim_sm *sm, sim_step (*turn)(sim_warp *w, uint32_t pc)) {
    sim_native *n = memory_zeroed(1, sizeof *n);
    const uint32_t segments = sm->grid->program->compiled->limit;
    const size_t blocks = sm->grid->program->function->block_count + 1;
    if (!n) return NULL;
    n->all_memos = memory_zeroed(segments + 1, sizeof(sim_cohort_memo *));
    n->seen = memory_zeroed(segments + 1, sizeof(const sim_segment *));
    n->part_runs = memory_zeroed(2 * blocks, sizeof *n->part_runs);
    if (!n->all_memos || !n->seen || !n->part_runs) {
        sim_native_free(n);
        return NULL;
    }
    n->own_runs = n->part_runs + blocks;
    n->segment_limit = segments;
    n->turn = turn;
    n->params = sm->grid->params;
    n->ops = sm->grid->program->ops;
    n->shared_bytes = sm->grid->shared_bytes;
    n->reaches = sm->reaches;
    n->changes = &sm->changes;
    n->match = match;
    n->check = check;
    n->partial = partial;
    n->span = span;
    n->meet = meet;
    set_tables(n);
    count_in(n, sm->counting);
    return n;
}

void sim_native_renew(const sim_sm *sm) {
    sim_native *n = sm->native;
    const size_t blocks = sm->grid->program->function->block_count + 1;
    n->params = sm->grid->params;
    memset(n->part_runs, 0, 2 * blocks * sizeof *n->part_runs);
    if (sm->counting) forget_memos(n);
}

void sim_native_settle(sim_native *n) {
    for (uint32_t s = 0; n && s < n->segment_limit; s++) settle_segment(n, s);
}

void sim_compiled_ended(sim_compiled *c, const sim_sm *sms, uint32_t count) {
    const sim_code_form form = count ? sim_first_form(&sms[0]) : SIM_CODE_WHOLE;
    for (uint32_t b = 0; b < c->program->function->block_count; b++) {
        uint64_t runs = 0, parts = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (!sms[i].native) continue;
            runs += sms[i].native->block_runs[b];
            parts += sms[i].native->part_runs[b];
        }
        sim_compiled_ran(c, b, form, runs);
        sim_compiled_ran(c, b, (sim_code_form)(form + 1), parts);
    }
}

void sim_native_free(sim_native *n) {
    if (!n) return;
    for (uint32_t s = 0; n->all_memos && n->seen && s < n->segment_limit; s++) free_memos(n, s);
    memory_free(n->all_memos);
    memory_free(n->part_runs);
    memory_free(n->seen);
    memory_free(n);
}

/* ---- running ---- */

/* A segment that would exceed the operations left is not entered. */
static const sim_segment *segment_at(const sim_warp *w, uint32_t pc, uint64_t left) {
    const sim_segment *s = sim_compiled_takes(w, pc);
    return s && s->ops <= left ? s : NULL;
}

/* Enters a block for the interpreter, which would otherwise come back here. */
static void enter_interpreted(sim_warp *w, uint32_t *pc, uint64_t *left) {
    const sim_op *op = &w->ops[*pc];
    if (!sim_enters_block(op)) return;
    if (!sim_compiled_takes(w, *pc)) return;
    if (w->sm->counting) sim_count_block(w->sm->counting, op->x, w->active);
    ++*pc;
    --*left;
}

/* Runs a segment and unpacks how it ended. */
static sim_step run_segment(sim_native *n, const sim_segment *s, uint32_t *pc, uint64_t *left) {
    const uint64_t ended = s->run(n);
    const unsigned step = ended >> SIM_SEGMENT_STEP_SHIFT & 0xff;
    *pc = (uint32_t)ended;
    *left -= ended >> SIM_SEGMENT_OPS_SHIFT;
    return step == SIM_SEGMENT_TURN ? n->turn(n->warp, *pc) : (sim_step)step;
}

/* Runs segments until the interpreter must take over. */
sim_step sim_compiled_run(sim_warp *w, uint32_t *pc, uint64_t *left) {
    sim_native *n = w->sm->native;
    n->warp = w;
    n->regs = w->regs;
    n->shared = w->block->shared;
    for (;;) {
        const sim_segment *s = segment_at(w, *pc, *left);
        if (!s || (s->cohort_count && !has_memos(n, s))) break;
        const uint64_t before = *left;
        const sim_step step = run_segment(n, s, pc, left);
        if (*left == before) break; /* the interpreter has to execute its first operation */
        if (step == SIM_JUMP)
            *pc = w->pc;
        else if (step != SIM_NEXT)
            return step;
    }
    if (*left) enter_interpreted(w, pc, left);
    return SIM_NEXT;
}
