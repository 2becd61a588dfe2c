/* Plain accesses to global memory with adjacent lanes in each half warp: counted by one call, and moved as vectors. For
 * other shapes, and out of bounds, the handler does the access.
 *
 * The code tests the lanes' addresses at run time, because the same instruction may have adjacent lanes in one warp and
 * others in the next. The test and the call together decide; nothing is moved before both have succeeded, so the
 * handler starts from the beginning. */
#include "jit/write.h"
#include "state/lanes.h"
#include "state/warp.h"

#include <stdio.h>

/* True for unguarded accesses with 64-bit addresses and one, two or four elements. */
static bool is_plain(const sim_op *op) {
    return op->guard == SIM_SLOT_TRUE && op->x <= 3 && (op->flags & SIM_OP_WIDE) && op->bytes <= 16 &&
           (op->count == 1 || op->count == 2 || op->count == 4);
}

/* Returns N of lane `lane` of the addresses, plus the access's offset. */
static uint32_t write_lane(sim_writer *w, const sim_op *op, sim_value lanes, unsigned lane) {
    const uint32_t base = sim_write_id(w, "extractelement <32 x i64> %s, i32 %u", sim_operand(w, lanes), lane);
    return sim_write_sum(w, base, op->imm);
}

/* Returns N of a bit for each lane of the half that does not lie `stride` bytes after the lane before it. */
static uint32_t write_misplaced(sim_writer *w, sim_value lanes, unsigned half, unsigned stride) {
    char distances[400];
    size_t at = 0;
    for (unsigned l = 0; l < SIM_HALF_WARP; l++)
        at += (size_t)snprintf(distances + at, sizeof distances - at, "%si64 %u", l ? "," : "", l * stride);
    const uint32_t own = sim_write_half(w, lanes, half);
    const uint32_t back = sim_write_id(w, "sub <16 x i64> %%v%u, <%s>", own, distances);
    const uint32_t first = sim_write_id(w, "extractelement <16 x i64> %%v%u, i32 0", own);
    const uint32_t seed = sim_write_id(w, "insertelement <16 x i64> undef, i64 %%v%u, i32 0", first);
    const uint32_t all =
        sim_write_id(w, "shufflevector <16 x i64> %%v%u, <16 x i64> undef, <16 x i32> zeroinitializer", seed);
    return sim_write_id(w, "icmp ne <16 x i64> %%v%u, %%v%u", back, all);
}

/* Branches to label `yes` if all lanes are adjacent, else to `no`. */
static void write_test(sim_writer *w, const sim_op *op, sim_value lanes, uint32_t yes, uint32_t no) {
    const uint32_t low = write_misplaced(w, lanes, 0, op->bytes), high = write_misplaced(w, lanes, 1, op->bytes);
    const uint32_t misplaced = sim_write_id(w, "or <16 x i1> %%v%u, %%v%u", low, high);
    const uint32_t bits = sim_write_id(w, "bitcast <16 x i1> %%v%u to i16", misplaced);
    const uint32_t none = sim_write_id(w, "icmp eq i16 %%v%u, 0", bits);
    sim_write_line(w, "  br i1 %%v%u, label %%l%u, label %%l%u, !prof !0", none, yes, no);
}

/* Prefetches for the next warp, as sim_prefetch_next() does. reach: N of the reach's address. */
static void write_prefetch(sim_writer *w, uint32_t reach, uint32_t from, uint32_t size, uint32_t host, uint32_t first) {
    const uint32_t at = sim_write_sum(w, reach, offsetof(sim_reach, latest));
    const uint32_t moved = sim_write_id(w, "sub i64 %%v%u, %%v%u", first, sim_write_load(w, at, "i64", 8));
    const uint32_t ahead = sim_write_id(w, "add i64 %%v%u, %%v%u", first, moved);
    const uint32_t offset = sim_write_id(w, "sub i64 %%v%u, %%v%u", ahead, from);
    const uint32_t inside = sim_write_id(w, "icmp ult i64 %%v%u, %%v%u", offset, size);
    const uint32_t chosen = sim_write_id(w, "select i1 %%v%u, i64 %%v%u, i64 %%v%u", inside, ahead, first);
    const uint32_t place = sim_write_id(w, "add i64 %%v%u, %%v%u", chosen, host);
    sim_write_line(w, "  store i64 %%v%u, %s %%v%u, align 8", first, sim_pointer_type(w, "i64"),
                   sim_write_pointer(w, at, "i64"));
    for (unsigned line = 0; line < 2; line++)
        sim_write_line(w, "  call void @llvm.prefetch.p0%s(%s %%v%u, i32 0, i32 3, i32 1)", w->opaque ? "" : "i8",
                       sim_pointer_type(w, "i8"), sim_write_pointer(w, sim_write_sum(w, place, 64 * line), "i8"));
}

/* What sim_native.span() does if nothing counts or checks: finds out whether the last allocation contains both halves.
 * Returns N of its host offset; branches to label `no` if the handler has to do the access. */
static uint32_t write_own_span(sim_writer *w, const sim_op *op, const uint32_t half[2], uint32_t no) {
    const uint32_t reaches = sim_write_native(w, offsetof(sim_native, reaches));
    const uint32_t reach = sim_write_sum(w, reaches, (int64_t)(op->instruction * sizeof(sim_reach)));
    const uint32_t from = sim_write_load(w, sim_write_sum(w, reach, offsetof(sim_reach, range.from)), "i64", 8);
    const uint32_t to = sim_write_load(w, sim_write_sum(w, reach, offsetof(sim_reach, range.to)), "i64", 8);
    const uint32_t host = sim_write_load(w, sim_write_sum(w, reach, offsetof(sim_reach, range.host)), "i64", 8);
    const uint32_t size = sim_write_id(w, "sub i64 %%v%u, %%v%u", to, from);
    const uint32_t last = sim_write_id(w, "sub i64 %%v%u, %u", size, op->bytes * SIM_HALF_WARP);
    uint32_t fits = sim_write_id(w, "icmp uge i64 %%v%u, %u", size, op->bytes * SIM_HALF_WARP);
    for (unsigned h = 0; h < 2; h++) {
        const uint32_t offset = sim_write_id(w, "sub i64 %%v%u, %%v%u", half[h], from);
        fits = sim_write_id(w, "and i1 %%v%u, %%v%u", fits, sim_write_id(w, "icmp ule i64 %%v%u, %%v%u", offset, last));
    }
    const uint32_t both = sim_write_id(w, "or i64 %%v%u, %%v%u", half[0], half[1]);
    const uint32_t low = sim_write_id(w, "and i64 %%v%u, %u", both, op->bytes - 1u);
    fits = sim_write_id(w, "and i1 %%v%u, %%v%u", fits, sim_write_id(w, "icmp eq i64 %%v%u, 0", low));
    fits = sim_write_id(w, "and i1 %%v%u, %%v%u", fits, sim_write_id(w, "icmp ne i64 %%v%u, 0", host));
    const uint32_t yes = ++w->labels;
    sim_write_line(w, "  br i1 %%v%u, label %%l%u, label %%l%u, !prof !0", fits, yes, no);
    sim_write_line(w, "l%u:", yes);
    write_prefetch(w, reach, from, size, host, half[0]);
    if (op->memory_class == HAUL_CLASS_GLOBAL_STORE)
        sim_write_count(w, sim_write_native(w, offsetof(sim_native, changes)), "1");
    return host;
}

/* Returns N of the offset to the host's addresses; branches to label `no` if the handler has to do the access. */
static uint32_t write_span(sim_writer *w, const sim_op *op, const uint32_t half[2], uint32_t no) {
    const uint32_t function =
        sim_write_pointer(w, sim_write_native(w, offsetof(sim_native, span)), "i64 (i64, i64, i64, i64)");
    const uint32_t ops = sim_write_native(w, offsetof(sim_native, ops));
    const uint32_t at = sim_write_sum(w, ops, (int64_t)(w->pc * sizeof *op));
    const uint32_t host =
        sim_write_id(w, "call i64 %%v%u(i64 %%n, i64 %%v%u, i64 %%v%u, i64 %%v%u)", function, at, half[0], half[1]);
    const uint32_t does = sim_write_id(w, "icmp ne i64 %%v%u, 0", host);
    const uint32_t yes = ++w->labels;
    sim_write_line(w, "  br i1 %%v%u, label %%l%u, label %%l%u, !prof !0", does, yes, no);
    sim_write_line(w, "l%u:", yes);
    return host;
}

/* The address of half a register. */
static uint32_t slot_of(sim_writer *w, uint32_t slot, unsigned half, const sim_element *e) {
    return sim_write_id(w, "add i64 %%regs, %u", slot + half * SIM_HALF_WARP * e->lane_bits / 8);
}

/* Loads the elements of 16 lanes and puts each into its register. */
static void write_load_half(sim_writer *w, const sim_op *op, uint32_t from, unsigned half) {
    const uint32_t *slots = op->count > 1 ? w->program->pool + op->more : &op->d;
    const sim_element e = sim_element_of(op);
    const uint32_t values = sim_load_integers(w, from, e.bits, SIM_HALF_WARP * op->count);
    for (unsigned k = 0; k < op->count; k++) {
        const uint32_t picked = sim_pick_element(w, values, e.bits, op->count, k);
        sim_store_integers(w, slot_of(w, slots[k], half, &e), e.lane_bits, SIM_HALF_WARP,
                           sim_write_as_lanes(w, picked, &e));
    }
}

/* Interleaves the elements of 16 lanes and stores them. */
static void write_store_half(sim_writer *w, const sim_op *op, uint32_t to, unsigned half) {
    const uint32_t *slots = op->count > 1 ? w->program->pool + op->more : &op->d;
    const sim_element e = sim_element_of(op);
    uint32_t values[4] = {0};
    for (unsigned k = 0; k < op->count; k++) {
        const uint32_t lanes = sim_load_integers(w, slot_of(w, slots[k], half, &e), e.lane_bits, SIM_HALF_WARP);
        values[k] = sim_write_as_elements(w, lanes, &e);
    }
    sim_store_integers(w, to, e.bits, SIM_HALF_WARP * op->count, sim_interleave_elements(w, values, e.bits, op->count));
}

/* Continues at label `on`; leaves the segment if a load that was checked has tainted a register. */
static void write_done(sim_writer *w, bool is_store, uint32_t on) {
    if (is_store || !sim_checks(w)) {
        sim_write_line(w, "  br label %%l%u", on);
        return;
    }
    const uint32_t none = sim_write_id(w, "icmp eq i32 %%v%u, 0", sim_write_tainted(w)), out = ++w->labels;
    sim_write_line(w, "  br i1 %%v%u, label %%l%u, label %%l%u, !prof !0", none, on, out);
    sim_write_line(w, "l%u:", out);
    sim_write_partial_counts(w);
    sim_write_end(w, SIM_NEXT, w->pc + 1);
}

/* Both ways write registers to memory first, because the handler needs them there. Cohorts of shared memory go on, as
 * the access is not one of theirs. */
bool sim_write_global(sim_writer *w, const sim_op *op) {
    if (!is_plain(op)) return false;
    const uint32_t fast = ++w->labels, slow = ++w->labels, on = ++w->labels;
    const bool is_store = op->memory_class == HAUL_CLASS_GLOBAL_STORE;
    const sim_value lanes = sim_read_slot(w, op->a, SIM_VALUE_I64);
    const uint32_t half[2] = {write_lane(w, op, lanes, 0), write_lane(w, op, lanes, SIM_HALF_WARP)};
    sim_write_back(w, op->instruction, op->instruction + 1);
    sim_forget_all(w);
    write_test(w, op, lanes, fast, slow);
    sim_write_line(w, "l%u:", fast);
    const bool calls = sim_counts(w) || sim_form_follows(w->form);
    const uint32_t host = calls ? write_span(w, op, half, slow) : write_own_span(w, op, half, slow);
    const unsigned second_first = sim_store_turn(op->bytes) / SIM_HALF_WARP;
    for (unsigned k = 0; k < 2; k++) {
        const unsigned h = k ^ second_first;
        const uint32_t at = sim_write_id(w, "add i64 %%v%u, %%v%u", host, half[h]);
        if (is_store)
            write_store_half(w, op, at, h);
        else
            write_load_half(w, op, at, h);
    }
    w->executed++;
    write_done(w, is_store, on);
    sim_write_line(w, "l%u:", slow);
    sim_write_handler_call(w, op, on);
    sim_forget_all(w);
    sim_write_line(w, "l%u:", on);
    return true;
}
