/* Counting asynchronous copies: LDGSTS, bulk and tensor copies. */
#include "count/access.h"
#include "count/samples.h"

/* Counts a copy that goes through L1 (LDGSTS.ACCESS). */
static void count_access_copy(sim_counting *c, const sim_op *op, uint32_t active, uint32_t filled,
                              const uint64_t source[SIM_LANES], const uint32_t destination[SIM_LANES]) {
    sim_tally *t = sim_tally_at(c, op, SIM_TALLY_OWN);
    sim_lines lines;
    sim_traffic_ldgsts_access(&t->traffic, active, filled, source, destination, op->bytes, &lines);
    t->tag_sectors += lines.sectors;
    sim_load_cached(c, t, &lines);
}

/* The profiler counts wavefronts of copies by code that it adds, and this code misreads the predicate register P0. If a
 * copy's sizes are in P0, it counts them all as 0, or none; if its guard is, none of its lanes. Which register the
 * assembler takes PTX does not tell. */
static void note_predicate(sim_counting *c, uint32_t wavefronts, uint32_t if_filled, uint32_t if_copied) {
    if (if_filled < wavefronts) c->fewer_wavefronts += wavefronts - if_filled;
    if (if_copied > wavefronts) c->more_wavefronts += if_copied - wavefronts;
}

/* Counts a copy that bypasses L1 (LDGSTS.BYPASS): all its sectors are requested from L2. */
static void count_bypass_copy(sim_counting *c, const sim_op *op, uint32_t active, uint32_t filled,
                              const uint64_t source[SIM_LANES], const uint32_t destination[SIM_LANES]) {
    sim_tally *t = sim_tally_at(c, op, SIM_TALLY_OWN);
    sim_bypass b;
    const bool sized = c->plan->assembled[op->instruction].sized;
    const uint32_t wavefronts =
        sim_traffic_ldgsts_bypass(&t->traffic, active, filled, sized, source, destination, op->bytes, &b);
    if (c->plan->function->instructions[op->instruction].guarded)
        note_predicate(c, wavefronts, 0, b.wavefronts);
    else if (sized)
        note_predicate(c, wavefronts, sim_bank_store(destination, active, op->bytes).total, b.wavefronts);
    t->tag_sectors += b.tag_sectors;
    for (uint32_t i = 0; i < b.requests.count; i++) sim_request_read(c, t, b.requests.line[i], b.requests.mask[i]);
}

void sim_count_ldgsts(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active, uint32_t filled,
                      const uint64_t source[SIM_LANES], const uint32_t destination[SIM_LANES]) {
    if (!sim_is_counted(c, op)) return;
    sim_take_policy(c, w, op, active);
    if (active & ~filled) sim_sample(c, op->instruction, active & ~filled, op->bytes, source, destination);
    if (c->plan->assembled[op->instruction].class == HAUL_CLASS_LDGSTS_BYPASS)
        count_bypass_copy(c, op, active, filled, source, destination);
    else
        count_access_copy(c, op, active, filled, source, destination);
}

void sim_count_guarded_ldgsts(sim_counting *c, const sim_op *op, uint32_t reached, uint32_t active,
                              const uint64_t source[SIM_LANES], const uint32_t destination[SIM_LANES]) {
    sim_bypass all, some = {0};
    if (!sim_is_counted(c, op) || reached == active) return;
    sim_bypass_groups(source, destination, reached, 0, &all);
    if (active) sim_bypass_groups(source, destination, active, 0, &some);
    /* Halves of sectors that the others complete are fewer groups together: a difference can be negative. */
    c->unmasked_wavefronts += (uint64_t)all.wavefronts - some.wavefronts;
    c->unmasked_sectors += (uint64_t)all.sectors - some.sectors;
    c->fewer_wavefronts += (uint64_t)all.wavefronts - some.wavefronts;
}

typedef struct bulk_count {
    sim_counting *counting;
    sim_tally *tally;
    const sim_bulk *bulk;
} bulk_count;

/* Counts a read request. Outside the array hardware also requests something from L2; the model takes the array's first
 * line. */
static void bulk_read(void *context, uint64_t line, unsigned mask) {
    const bulk_count *b = context;
    if (line == SIM_NO_LINE) line = b->bulk->tensor.address >> SIM_LINE_SHIFT;
    sim_request_read(b->counting, b->tally, line, mask);
}

/* Counts a write request, or the request of a bulk reduction. */
static void bulk_write(void *context, uint64_t line, unsigned mask) {
    const bulk_count *b = context;
    sim_counting *c = b->counting;
    const uint32_t sectors = (uint32_t)__builtin_popcount(mask);
    b->tally->traffic.l2_requests++;
    b->tally->traffic.l2_sectors += sectors;
    if (b->bulk->kind == SIM_BULK_REDUCE) {
        sim_log_change(c, line, mask, SIM_LOG_REDUCTION, 0, sim_line_priority(c, line));
        c->reduced_bulk_sectors += sectors;
        return;
    }
    sim_log_change(c, line, mask, SIM_LOG_WRITE, 32, sim_line_priority(c, line));
    c->store_requests_issued++;
    c->store_sectors_issued += sectors;
}

/* Counts a tensor copy row by row. */
static void count_box(bulk_count *b, bool loads, sim_bulk_request *request) {
    sim_tensor_walk walk;
    sim_tensor_row row;
    sim_tensor_walk_start(&walk, &b->bulk->tensor, b->bulk->at, !loads);
    while (sim_tensor_walk_next(&walk, &row))
        sim_traffic_row(&b->tally->traffic, &row, b->bulk->shared, loads, request, b);
}

void sim_count_bulk(sim_counting *c, const sim_warp *w, const sim_op *op, unsigned lane, const sim_bulk *bulk,
                    unsigned receivers) {
    if (!sim_is_counted(c, op) || !bulk->bytes) return;
    sim_take_policy(c, w, op, 1u << lane);
    bulk_count b = {.counting = c, .tally = sim_tally_at(c, op, SIM_TALLY_OWN), .bulk = bulk};
    const sim_bulk_move move = {bulk->global, bulk->shared, bulk->bytes, bulk->kind == SIM_BULK_LOAD, false};
    sim_bulk_request *request = move.loads ? bulk_read : bulk_write;
    haul_traffic *t = &b.tally->traffic;
    const uint64_t before = t->sectors;
    t->instructions++;
    t->requests++;
    c->reduced_bulks += bulk->kind == SIM_BULK_REDUCE;
    if (bulk->tensor.rank)
        count_box(&b, move.loads, request);
    else
        sim_traffic_bulk(t, &move, request, &b);
    t->sectors = before + (t->sectors - before) * receivers; /* each receiving SM counts them */
}
