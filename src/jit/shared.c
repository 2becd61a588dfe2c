/* Plain accesses to shared memory. A segment's first access by an address register checks, with one comparison, whether
 * its lanes have the same shape as last time. If so, bounds, bank conflicts and each lane's address are known for all
 * accesses by that register. */
#include "assembler/assembler.h"
#include "jit/compiled.h"
#include "jit/write.h"
#include "state/block.h"
#include "state/lanes.h"
#include "state/pattern.h"

#include <stdio.h>

static unsigned stride_of(sim_lanes_kind kind) {
    static const uint8_t strides[SIM_LANES_KINDS] = {
        [SIM_LANES_STRIDE_1] = 1,       [SIM_LANES_STRIDE_1_SAME] = 1, [SIM_LANES_STRIDE_2] = 2,
        [SIM_LANES_STRIDE_2_SAME] = 2,  [SIM_LANES_STRIDE_4] = 4,      [SIM_LANES_STRIDE_4_SAME] = 4,
        [SIM_LANES_STRIDE_8] = 8,       [SIM_LANES_STRIDE_8_SAME] = 8, [SIM_LANES_STRIDE_16] = 16,
        [SIM_LANES_STRIDE_16_SAME] = 16};
    return strides[kind];
}

/* True if the kind's lanes are adjacent for this access. */
static bool is_side_by_side(const sim_op *op, sim_lanes_kind kind) {
    return stride_of(kind) == op->bytes;
}

static bool is_uniform(sim_lanes_kind kind) {
    return kind == SIM_LANES_STRIDE_0 || kind == SIM_LANES_STRIDE_0_SAME;
}

/* ---- cohorts and what they count ---- */

static bool is_shared(const sim_op *op) {
    return op->form == SIM_FORM_SHARED_LOAD || op->form == SIM_FORM_SHARED_STORE;
}

/* Returns the lanes' kind as the interpreter saw it; it looks where a pattern begins. In a block that lanes skip, it is
 * the kind of the register's last access before. */
static sim_lanes_kind find_kind(const sim_writer *w, const sim_op *op) {
    const sim_op *const first = w->program->ops + w->first_pc;
    if (w->skipped) {
        const uint32_t register_of_lanes = op->a;
        for (op = w->program->ops + w->branch_pc; op > first && !(is_shared(op) && op->a == register_of_lanes);) op--;
    }
    const uint32_t leader = op->pattern | SIM_PATTERN_LEADS;
    while (op > first && op->pattern != leader) op--;
    return op->pattern == leader ? sim_lanes_kind_of_all(w->kinds[op - first]) : SIM_LANES_ANY;
}

/* True if the elements are wide enough for the host's gathers, adjacent, or loaded from one address. */
static bool suits_kind(const sim_writer *w, const sim_op *op) {
    const sim_lanes_kind kind = find_kind(w, op);
    return op->x >= 2 || is_side_by_side(op, kind) || (is_uniform(kind) && op->form == SIM_FORM_SHARED_LOAD);
}

/* True if the access is aligned to its own width and lies whole words away from the register. */
static bool is_plain(const sim_writer *w, const sim_op *op) {
    const sim_assembled *a = &w->assembled[op->instruction];
    const int64_t shift = (int32_t)op->imm;
    if (op->guard != SIM_SLOT_TRUE || op->x > 3 || op->bytes > 16 || op->count > 4 || op->count == 3) return false;
    if (shift % op->bytes || shift % 4 || !suits_kind(w, op)) return false;
    for (unsigned k = 0; !a->plain && k < a->part_count; k++)
        if (a->parts[k].start & 3) return false;
    return true;
}

static void count_access(sim_writer *w, sim_cohort *g, const sim_op *op, unsigned bytes) {
    const sim_cohort_access access = {op->instruction, (uint8_t)bytes, op->form == SIM_FORM_SHARED_STORE};
    ARENA_PUSH(w->lasting, g->accesses, g->access_count, g->access_capacity, access);
}

static void count_accesses(sim_writer *w, sim_cohort *g, const sim_op *op) {
    const sim_assembled *a = &w->assembled[op->instruction];
    if (a->plain) count_access(w, g, op, op->bytes);
    for (unsigned k = 0; !a->plain && k < a->part_count; k++) count_access(w, g, op, a->parts[k].width);
}

/* Widens the cohort's bounds by an access. */
static void add_bounds(const sim_writer *w, sim_cohort *g, const sim_op *op) {
    const sim_assembled *a = &w->assembled[op->instruction];
    const int32_t shift = (int32_t)op->imm;
    if (op->bytes > g->alignment) g->alignment = op->bytes;
    if (g->widest < 4) g->widest = 4; /* banks are words wide */
    if (g->alignment > g->widest) g->widest = g->alignment;
    for (unsigned k = 0; !a->plain && k < a->part_count; k++)
        if (a->parts[k].width > g->widest) g->widest = a->parts[k].width;
    if (shift < g->low) g->low = shift;
    if (shift + op->bytes > g->high) g->high = shift + op->bytes;
}

/* Finds the bounds of all plain accesses by the same lanes, up to the segment's end or until another register takes
 * over the pattern. */
static void find_bounds(const sim_writer *w, const sim_op *first, sim_cohort *g) {
    const uint32_t pattern = first->pattern & ~(uint32_t)SIM_PATTERN_LEADS;
    const sim_op *const end = w->program->ops + w->segment_end;
    g->low = INT32_MAX, g->high = INT32_MIN;
    for (const sim_op *op = first; op < end; op++) {
        if (!is_shared(op) || (op->pattern & ~(uint32_t)SIM_PATTERN_LEADS) != pattern) continue;
        if (op != first && (op->pattern & SIM_PATTERN_LEADS)) return;
        if (is_plain(w, op)) add_bounds(w, g, op);
    }
}

/* ---- counting ---- */

/* Returns N of the address of the cohort's memo. */
static uint32_t memo_of(sim_writer *w, const sim_written_cohort *g) {
    const uint32_t memos = sim_write_native(w, offsetof(sim_native, memos));
    return sim_write_sum(w, memos, (int64_t)(g->index * sizeof(sim_cohort_memo)));
}

void sim_close_cohorts(sim_writer *w) {
    for (unsigned k = 0; k < SIM_MOST_COHORTS; k++) {
        if (!w->cohorts[k].pattern) continue;
        if (sim_counts(w))
            sim_write_count(w, sim_write_sum(w, memo_of(w, &w->cohorts[k]), offsetof(sim_cohort_memo, runs)), "1");
        w->cohorts[k].pattern = 0;
    }
}

void sim_write_partial_counts(sim_writer *w) {
    for (unsigned k = 0; k < SIM_MOST_COHORTS && sim_counts(w); k++) {
        const sim_written_cohort *g = &w->cohorts[k];
        if (!g->pattern || !w->segment->cohorts[g->index].access_count) continue;
        const uint32_t function =
            sim_write_pointer(w, sim_write_native(w, offsetof(sim_native, partial)), "void (i64, i32, i32)");
        sim_write_line(w, "  call void %%v%u(i64 %%n, i32 %u, i32 %zu)", function, g->index,
                       w->segment->cohorts[g->index].access_count);
    }
}

/* Leaves the segment before the operation, or before the branch around its block: the interpreter executes it. */
static void write_leave(sim_writer *w, const sim_op *op) {
    if (w->skipped) {
        const uint32_t executed = w->executed;
        w->executed = w->before_branch;
        sim_write_end(w, SIM_NEXT, w->branch_pc);
        w->executed = executed;
        return;
    }
    sim_write_back_aside(w, op->instruction);
    sim_write_partial_counts(w);
    sim_write_end(w, SIM_NEXT, w->pc);
}

/* ---- the check before a cohort ---- */

static sim_value read_lanes(sim_writer *w, const sim_op *op) {
    if (!(op->flags & SIM_OP_WIDE)) return sim_read_slot(w, op->a, SIM_VALUE_I32);
    const sim_value wide = sim_read_slot(w, op->a, SIM_VALUE_I64);
    return sim_write_value(w, SIM_VALUE_I32, "trunc <32 x i64> %s to <32 x i32>", sim_operand(w, wide));
}

static uint32_t load_memo(sim_writer *w, uint32_t memo, size_t offset, const char *type) {
    return sim_write_load(w, sim_write_sum(w, memo, (int64_t)offset), type, 4);
}

/* Returns N of a bit: the lanes have the memo's shape, that is, the same distances from lane 0 (first) and the same
 * alignment, and are in bounds. Lanes that all move by a multiple of the widest access have the same bank conflicts. */
static uint32_t write_hit(sim_writer *w, const sim_cohort *cohort, uint32_t memo, sim_value lanes, uint32_t first) {
    const uint32_t seed = sim_write_id(w, "insertelement <32 x i32> undef, i32 %%v%u, i32 0", first);
    const uint32_t all =
        sim_write_id(w, "shufflevector <32 x i32> %%v%u, <32 x i32> undef, <32 x i32> zeroinitializer", seed);
    const uint32_t delta = sim_write_id(w, "sub <32 x i32> %s, %%v%u", sim_operand(w, lanes), all);
    const uint32_t known = load_memo(w, memo, offsetof(sim_cohort_memo, delta), "<32 x i32>");
    const uint32_t differs = sim_write_id(w, "icmp ne <32 x i32> %%v%u, %%v%u", delta, known);
    const uint32_t bits = sim_write_id(w, "bitcast <32 x i1> %%v%u to i32", differs);
    const uint32_t before = load_memo(w, memo, offsetof(sim_cohort_memo, first), "i32");
    const uint32_t moved = sim_write_id(w, "xor i32 %%v%u, %%v%u", before, first);
    const uint32_t unit = sim_counts(w) ? cohort->widest : cohort->alignment;
    const uint32_t phase = sim_write_id(w, "and i32 %%v%u, %u", moved, unit - 1);
    const uint32_t other = sim_write_id(w, "or i32 %%v%u, %%v%u", phase, bits);
    const uint32_t same = sim_write_id(w, "icmp eq i32 %%v%u, 0", other);
    const uint32_t wide = sim_write_id(w, "zext i32 %%v%u to i64", first);
    const uint32_t low = load_memo(w, memo, offsetof(sim_cohort_memo, low), "i64");
    const uint32_t high = load_memo(w, memo, offsetof(sim_cohort_memo, high), "i64");
    const uint32_t from = sim_write_id(w, "add i64 %%v%u, %%v%u", wide, low);
    const uint32_t to = sim_write_id(w, "add i64 %%v%u, %%v%u", wide, high);
    const uint32_t limit = sim_write_native(w, offsetof(sim_native, shared_bytes));
    const uint32_t above = sim_write_id(w, "icmp sge i64 %%v%u, 0", from);
    const uint32_t below = sim_write_id(w, "icmp sle i64 %%v%u, %%v%u", to, limit);
    const uint32_t inside = sim_write_id(w, "and i1 %%v%u, %%v%u", above, below);
    return sim_write_id(w, "and i1 %%v%u, %%v%u", same, inside);
}

/* For another shape: calls match(), and leaves the segment before the operation if the code does not fit. */
static void write_miss(sim_writer *w, const sim_op *op, const sim_written_cohort *g, uint32_t on) {
    const uint32_t memo = memo_of(w, g);
    const uint32_t pointer =
        sim_write_pointer(w, sim_write_sum(w, memo, offsetof(sim_cohort_memo, asked)), "<32 x i32>");
    sim_write_line(w, "  store <32 x i32> %s, %s %%v%u, align 4", sim_operand(w, g->lanes),
                   sim_pointer_type(w, "<32 x i32>"), pointer);
    const uint32_t match = sim_write_native(w, offsetof(sim_native, match));
    const uint32_t function = sim_write_pointer(w, match, "i32 (i64, i64, i32)");
    const uint32_t fits = sim_write_id(w, "call i32 %%v%u(i64 %%n, i64 %%v%u, i32 %u)", function, memo, g->index);
    const uint32_t does = sim_write_id(w, "icmp ne i32 %%v%u, 0", fits);
    const uint32_t out = ++w->labels;
    sim_write_line(w, "  br i1 %%v%u, label %%l%u, label %%l%u", does, on, out);
    sim_write_line(w, "l%u:", out);
    write_leave(w, op);
}

/* In code that checks: leaves the segment if an address has more than 32 bits, which is a finding. */
static void write_narrow(sim_writer *w, const sim_op *op) {
    if (!sim_checks(w) || !(op->flags & SIM_OP_WIDE)) return;
    const uint32_t on = ++w->labels, out = ++w->labels;
    const sim_value wide = sim_read_slot(w, op->a, SIM_VALUE_I64);
    const sim_value limit = sim_value_constant(SIM_VALUE_I64, UINT32_MAX);
    const uint32_t above = sim_write_id(w, "icmp ugt <32 x i64> %s, %s", sim_operand(w, wide), sim_operand(w, limit));
    const uint32_t bits = sim_write_id(w, "bitcast <32 x i1> %%v%u to i32", above);
    const uint32_t none = sim_write_id(w, "icmp eq i32 %%v%u, 0", bits);
    sim_write_line(w, "  br i1 %%v%u, label %%l%u, label %%l%u, !prof !0", none, on, out);
    sim_write_line(w, "l%u:", out);
    write_leave(w, op);
    sim_write_line(w, "l%u:", on);
}

static void write_half_addresses(sim_writer *w, sim_written_cohort *g) {
    const uint32_t shared = sim_write_native(w, offsetof(sim_native, shared));
    for (unsigned h = 0; h < 2; h++) {
        const uint32_t lane =
            sim_write_id(w, "extractelement <32 x i32> %s, i32 %u", sim_operand(w, g->lanes), h * SIM_HALF_WARP);
        const uint32_t wide = sim_write_id(w, "zext i32 %%v%u to i64", lane);
        g->half[h] = sim_write_id(w, "add i64 %%v%u, %%v%u", shared, wide);
    }
}

/* Invalidates the interpreter's pattern of these lanes. */
static void write_drop_pattern(sim_writer *w, uint32_t pattern) {
    const uint32_t at = sim_write_id(w, "add i64 %%regs, %zu", pattern + offsetof(sim_pattern, active));
    const uint32_t pointer = sim_write_pointer(w, at, "i32");
    sim_write_line(w, "  store i32 0, %s %%v%u, align 4", sim_pointer_type(w, "i32"), pointer);
}

/* Writes the check of a new cohort's lanes, with a call of match() if they have changed. */
static void write_check(sim_writer *w, const sim_op *op, sim_written_cohort *g) {
    write_narrow(w, op);
    g->lanes = read_lanes(w, op);
    const uint32_t first = sim_write_id(w, "extractelement <32 x i32> %s, i32 0", sim_operand(w, g->lanes));
    const uint32_t hit = write_hit(w, &w->segment->cohorts[g->index], memo_of(w, g), g->lanes, first);
    const uint32_t on = ++w->labels, ask = ++w->labels;
    sim_write_line(w, "  br i1 %%v%u, label %%l%u, label %%l%u, !prof !0", hit, on, ask);
    sim_write_line(w, "l%u:", ask);
    write_miss(w, op, g, on);
    sim_write_line(w, "l%u:", on);
    if (op->pattern & SIM_PATTERN_LEADS) write_drop_pattern(w, g->pattern);
    write_half_addresses(w, g);
}

/* Returns the access's cohort, or NULL if it begins a new one. */
static sim_written_cohort *find_cohort(sim_writer *w, const sim_op *op) {
    const uint32_t pattern = op->pattern & ~(uint32_t)SIM_PATTERN_LEADS;
    if (op->pattern & SIM_PATTERN_LEADS) return NULL;
    for (unsigned k = 0; k < SIM_MOST_COHORTS; k++)
        if (w->cohorts[k].pattern == pattern) return &w->cohorts[k];
    return NULL;
}

/* Begins a cohort with the check of its lanes. */
static sim_written_cohort *new_cohort(sim_writer *w, const sim_op *op) {
    const uint32_t pattern = op->pattern & ~(uint32_t)SIM_PATTERN_LEADS;
    sim_segment *s = w->segment;
    sim_written_cohort *g = &w->cohorts[0];
    if (w->cohorts[SIM_MOST_COHORTS - 1].pattern) sim_close_cohorts(w);
    while (g->pattern) g++;
    sim_cohort cohort = {.kind = find_kind(w, op)};
    find_bounds(w, op, &cohort);
    ARENA_PUSH(w->lasting, s->cohorts, s->cohort_count, s->cohort_capacity, cohort);
    *g = (sim_written_cohort){.pattern = pattern, .index = (uint32_t)s->cohort_count - 1};
    write_check(w, op, g);
    return g;
}

/* ---- bundles ---- */

/* Writes the check of a bundle that begins with the operation; leaves the segment if the handlers have to check. */
static void write_bundle(sim_writer *w, const sim_op *op, sim_written_cohort *g) {
    const uint32_t on = ++w->labels, out = ++w->labels;
    const uint32_t function =
        sim_write_pointer(w, sim_write_native(w, offsetof(sim_native, check)), "i32 (i64, i32, i32, i32)");
    const uint32_t first = sim_write_id(w, "extractelement <32 x i32> %s, i32 0", sim_operand(w, g->lanes));
    const uint32_t fine =
        sim_write_id(w, "call i32 %%v%u(i64 %%n, i32 %u, i32 %u, i32 %%v%u)", function, g->index, g->bundle - 1, first);
    const uint32_t is = sim_write_id(w, "icmp ne i32 %%v%u, 0", fine);
    sim_write_line(w, "  br i1 %%v%u, label %%l%u, label %%l%u, !prof !0", is, on, out);
    sim_write_line(w, "l%u:", out);
    write_leave(w, op);
    sim_write_line(w, "l%u:", on);
}

/* Adds the access to the cohort's bundle, or begins a new one. After a store all cohorts begin new ones. */
static void bundle_access(sim_writer *w, const sim_op *op, sim_written_cohort *g) {
    sim_cohort *cohort = &w->segment->cohorts[g->index];
    const bool is_store = op->form == SIM_FORM_SHARED_STORE, begins = is_store || !g->bundle;
    if (!sim_checks(w)) return;
    if (begins) {
        ARENA_PUSH(w->lasting, cohort->bundles, cohort->bundle_count, cohort->bundle_capacity, (sim_bundled){0});
        g->bundle = (uint32_t)cohort->bundle_count;
    }
    sim_bundled *b = &cohort->bundles[g->bundle - 1];
    ARENA_PUSH(w->lasting, b->pcs, b->count, b->capacity, w->pc);
    if (begins) write_bundle(w, op, g);
    for (unsigned k = 0; is_store && k < SIM_MOST_COHORTS; k++) w->cohorts[k].bundle = 0;
}

/* ---- elements ---- */

static uint32_t write_broadcast(sim_writer *w, uint32_t value, unsigned bits) {
    const uint32_t seed = sim_write_id(w, "insertelement <16 x i%u> undef, i%u %%v%u, i32 0", bits, bits, value);
    return sim_write_id(w, "shufflevector <16 x i%u> %%v%u, <16 x i%u> undef, <16 x i32> zeroinitializer", bits, seed,
                        bits);
}

/* Returns N of 16 pointers, one for each lane of a half warp, to integers of `bits` bits. */
static uint32_t write_places(sim_writer *w, const sim_written_cohort *g, unsigned half, int64_t shift, unsigned bits) {
    const uint32_t shared = sim_write_native(w, offsetof(sim_native, shared));
    const uint32_t base = sim_write_pointer(w, sim_write_sum(w, shared, shift), "i8");
    return sim_write_places(w, base, sim_write_half(w, g->lanes, half), bits);
}

typedef struct half_elements {
    uint32_t element[4]; /* N of 16 each */
} half_elements;

/* Loads the elements of half a warp: as one vector, one broadcast, or by gathering. */
static half_elements load_half(sim_writer *w, const sim_written_cohort *g, sim_lanes_kind kind, unsigned half,
                               const sim_op *op) {
    half_elements out = {{0}};
    const unsigned bits = sim_element_of(op).bits;
    const int64_t shift = (int32_t)op->imm;
    const uint32_t at = sim_write_sum(w, g->half[half], shift);
    const bool side_by_side = is_side_by_side(op, kind);
    const uint32_t values = side_by_side ? sim_load_integers(w, at, bits, SIM_HALF_WARP * op->count) : 0;
    for (unsigned k = 0; k < op->count; k++) {
        const int64_t place = k * bits / 8;
        if (side_by_side)
            out.element[k] = sim_pick_element(w, values, bits, op->count, k);
        else if (is_uniform(kind))
            out.element[k] = write_broadcast(w, sim_load_integers(w, sim_write_sum(w, at, place), bits, 1), bits);
        else
            out.element[k] = sim_gather_integers(w, write_places(w, g, half, shift + place, bits), bits);
    }
    return out;
}

static void write_load(sim_writer *w, const sim_op *op, const sim_written_cohort *g, sim_lanes_kind kind) {
    const uint32_t *slots = op->count > 1 ? w->program->pool + op->more : &op->d;
    const sim_element e = sim_element_of(op);
    const half_elements low = load_half(w, g, kind, 0, op);
    const half_elements high = sim_lanes_are_same(kind) ? low : load_half(w, g, kind, 1, op);
    for (unsigned k = 0; k < op->count; k++) {
        const uint32_t first = sim_write_as_lanes(w, low.element[k], &e);
        const uint32_t second = sim_lanes_are_same(kind) ? first : sim_write_as_lanes(w, high.element[k], &e);
        sim_write_slot(w, slots[k], sim_write_joined(w, sim_value_type_by(e.lane_bits), first, second));
    }
}

/* Returns N of 16 bits: the lanes of a half warp that do not skip the block. */
static uint32_t write_half_lanes(sim_writer *w, unsigned half) {
    const uint32_t shifted = sim_write_id(w, "lshr i32 %%v%u, %u", w->lanes, half * SIM_HALF_WARP);
    const uint32_t own = sim_write_id(w, "trunc i32 %%v%u to i16", shifted);
    return sim_write_id(w, "bitcast i16 %%v%u to <16 x i1>", own);
}

/* Lanes with different addresses lie whole accesses apart, so elements may be stored one after the other. */
static void write_store_half(sim_writer *w, const sim_op *op, const sim_written_cohort *g, sim_lanes_kind kind,
                             unsigned half) {
    const uint32_t *slots = op->count > 1 ? w->program->pool + op->more : &op->d;
    const sim_element e = sim_element_of(op);
    const int64_t shift = (int32_t)op->imm;
    const uint32_t where = w->skipped ? write_half_lanes(w, half) : 0;
    uint32_t values[4] = {0};
    for (unsigned k = 0; k < op->count; k++) {
        const sim_value v = sim_read_slot(w, slots[k], sim_value_type_by(e.lane_bits));
        values[k] = sim_write_as_elements(w, sim_write_half(w, v, half), &e);
    }
    if (where && is_side_by_side(op, kind) && op->count == 1)
        sim_store_some_integers(w, sim_write_sum(w, g->half[half], shift), e.bits, values[0], where);
    else if (!where && is_side_by_side(op, kind))
        sim_store_integers(w, sim_write_sum(w, g->half[half], shift), e.bits, SIM_HALF_WARP * op->count,
                           sim_interleave_elements(w, values, e.bits, op->count));
    else
        for (unsigned k = 0; k < op->count; k++)
            sim_scatter_integers(w, write_places(w, g, half, shift + k * e.bits / 8, e.bits), e.bits, values[k],
                                 sim_store_turn(op->bytes), where);
}

static void write_store(sim_writer *w, const sim_op *op, const sim_written_cohort *g, sim_lanes_kind kind) {
    const unsigned second_first = sim_store_turn(op->bytes) / SIM_HALF_WARP;
    for (unsigned k = 0; k < 2; k++) write_store_half(w, op, g, kind, k ^ second_first);
    sim_write_count(w, sim_write_native(w, offsetof(sim_native, changes)), "1");
}

/* A block that lanes skip is left before it has stored anything, or not at all. Its elements are whole words. */
static bool suits_skipped(sim_writer *w, const sim_op *op) {
    if (w->stored && !find_cohort(w, op)) return false;
    w->stored |= op->form == SIM_FORM_SHARED_STORE;
    return op->x >= 2;
}

bool sim_write_shared(sim_writer *w, const sim_op *op) {
    if (!is_plain(w, op) || (w->skipped && !suits_skipped(w, op))) return false;
    sim_written_cohort *g = find_cohort(w, op);
    if (!g) g = new_cohort(w, op);
    const sim_lanes_kind kind = w->segment->cohorts[g->index].kind;
    bundle_access(w, op, g);
    count_accesses(w, &w->segment->cohorts[g->index], op);
    if (op->form == SIM_FORM_SHARED_STORE)
        write_store(w, op, g, kind);
    else
        write_load(w, op, g, kind);
    w->executed++;
    return true;
}
