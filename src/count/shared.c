/* Counting accesses to shared memory. */
#include "count/access.h"
#include "count/samples.h"
#include "state/atomic_kind.h"

/* Returns the wavefronts of an atomic, which takes one pass. */
static sim_wavefronts one_pass(sim_bank_use use) {
    return (sim_wavefronts){use.wavefronts, 1};
}

static sim_wavefronts shared_wavefronts(uint8_t class, const uint32_t address[SIM_LANES], uint32_t active,
                                        unsigned bytes) {
    switch (class) {
    case HAUL_CLASS_SHARED_STORE:
    case HAUL_CLASS_GLOBAL_STORE: return sim_bank_store(address, active, bytes);
    case HAUL_CLASS_SHARED_ATOMIC: return one_pass(sim_bank_atomic(address, active, bytes));
    default: return sim_bank_load(address, active, bytes);
    }
}

static void count_plain(sim_counting *c, uint32_t instruction, sim_tally *t, uint32_t active,
                        const uint32_t address[SIM_LANES], unsigned bytes) {
    const sim_wavefronts wavefronts = shared_wavefronts(c->plan->assembled[instruction].class, address, active, bytes);
    sim_traffic_shared(&t->traffic, wavefronts, active, bytes);
    sim_sample_conflicts(c, instruction, active, bytes, address, wavefronts);
}

static void count_shared_part(sim_counting *c, uint32_t instruction, sim_tally *t, uint32_t active,
                              const uint32_t address[SIM_LANES], sim_part part) {
    uint32_t start[SIM_LANES];
    const uint32_t shift = (uint32_t)part.start;
    for (unsigned l = 0; l < SIM_LANES; l++) start[l] = address[l] + shift;
    count_plain(c, instruction, t, active, start, part.width);
}

/* Returns the lanes whose compare-and-swap succeeds: one for each bank and one for each address. With values of 8
 * bytes, each half of the warp has banks of its own. */
static uint32_t swapping_lanes(const uint32_t address[SIM_LANES], uint32_t active, unsigned bytes) {
    const unsigned unit = bytes > 4 ? 8 : 4, half = bytes > 4 ? SIM_LANES / 2 : SIM_LANES;
    uint64_t key[SIM_LANES];
    for (unsigned l = 0; l < SIM_LANES; l++) key[l] = address[l] % (1u << SIM_LINE_SHIFT) / unit + l / half * SIM_LANES;
    uint32_t winners = sim_distinct_lanes(key, active);
    for (unsigned l = 0; l < SIM_LANES; l++) key[l] = address[l];
    return sim_distinct_lanes(key, winners);
}

/* Removes lanes that have nothing to do: from the start, or because a winner's value beats theirs. */
static uint32_t contenders(const sim_contest *contest, uint32_t active, uint32_t winners) {
    uint32_t left = active & ~contest->idle;
    for (unsigned l = 0; l < SIM_LANES; l++)
        if (contest->beaten[l] & winners) left &= ~(1u << l);
    return left;
}

/* Counts a loop of load, compute and compare-and-swap, until all lanes have had their turn or nothing to do. A
 * compare-and-swap of 16 bits continues with the value that the last one returned. Returns the number of turns. */
static uint32_t count_loop(sim_tally *t, sim_tally *loads, uint32_t active, const uint32_t address[SIM_LANES],
                           unsigned bytes, bool loads_again, const sim_contest *contest) {
    uint32_t winners = 0, swapped, turns = 0;
    for (; active; active &= ~swapped, winners |= swapped, turns++) {
        if (turns == 0 || loads_again)
            sim_traffic_shared(&loads->traffic, sim_bank_load(address, active, bytes), active, bytes);
        if (contest) active = contenders(contest, active, winners);
        swapped = swapping_lanes(address, active, bytes);
        if (active) sim_traffic_shared(&t->traffic, one_pass(sim_bank_atomic(address, active, bytes)), active, bytes);
    }
    return turns;
}

static bool is_atomic(uint8_t class) {
    return class == HAUL_CLASS_SHARED_ATOMIC || class == HAUL_CLASS_GLOBAL_ATOMIC ||
           class == HAUL_CLASS_GLOBAL_REDUCTION;
}

/* Lanes wait if they are not the first at their address. */
static void count_atomic(sim_counting *c, uint32_t instruction, sim_tally *t, const uint32_t address[SIM_LANES],
                         uint32_t active, unsigned bytes) {
    const sim_bank_use use = sim_bank_atomic(address, active, bytes);
    c->shared_turns += sim_lanes(active) - use.units;
    sim_traffic_shared(&t->traffic, one_pass(use), active, bytes);
    sim_sample_conflicts(c, instruction, active, bytes, address, one_pass(use));
}

/* One more iteration of a loop of load and compare-and-swap takes as long as so many lanes of a plain atomic: 24 to 48
 * ns against 0.34 on an H200, by how many warps there are. */
enum { TURNS_OF_A_LOOP = 70 };

static void count_looping(sim_counting *c, const sim_op *op, sim_tally *t, bool own, uint32_t active,
                          const uint32_t address[SIM_LANES], const sim_contest *contest) {
    const sim_tally_space loads = own ? SIM_TALLY_LOOP_LOADS : SIM_TALLY_SHARED_LOOP_LOADS;
    const uint32_t turns =
        count_loop(t, sim_tally_at(c, op, loads), active, address, op->bytes, op->x != SIM_ATOMIC_CAS, contest);
    if (turns > 1) {
        c->shared_turns += (turns - 1) * TURNS_OF_A_LOOP;
        sim_sample(c, op->instruction, active, op->bytes, NULL, address);
    }
}

void sim_count_shared(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active,
                      const uint32_t address[SIM_LANES]) {
    sim_count_contest(c, w, op, active, address, NULL);
}

void sim_count_contest(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active,
                       const uint32_t address[SIM_LANES], const sim_contest *contest) {
    (void)w;
    if (!sim_is_counted(c, op)) return;
    const sim_assembled *a = &c->plan->assembled[op->instruction];
    bool own = a->class >= HAUL_CLASS_SHARED_LOAD && a->class <= HAUL_CLASS_SHARED_ATOMIC;
    sim_tally *t = sim_tally_at(c, op, own ? SIM_TALLY_OWN : SIM_TALLY_SHARED);
    if (own ? a->loops : a->loops_in_shared) {
        count_looping(c, op, t, own, sim_aggregated_lanes(a, active), address, contest);
    } else if (is_atomic(a->class) && (a->plain || !own)) {
        count_atomic(c, op->instruction, t, address, sim_aggregated_lanes(a, active), op->bytes);
    } else if (a->plain || !own) {
        count_plain(c, op->instruction, t, active, address, op->bytes);
    } else {
        for (unsigned p = 0; p < a->part_count; p++)
            count_shared_part(c, op->instruction, t, active, address, a->parts[p]);
    }
}

void sim_count_words(sim_counting *c, const sim_op *op, unsigned loads, unsigned stores) {
    if (!c || op->uncounted) return;
    c->word_loads += loads;
    c->word_stores += stores;
}

/* The SMs that own the memory count the wavefronts; none of them counts an instruction on shared memory. */
void sim_count_as_remote(sim_counting *c, const sim_op *op) {
    if (!sim_is_counted(c, op)) return;
    const bool own = c->plan->assembled[op->instruction].class == HAUL_CLASS_SHARED_ATOMIC;
    sim_tally_at(c, op, own ? SIM_TALLY_OWN : SIM_TALLY_SHARED)->traffic.instructions--;
}

/* Each matrix of eight rows is a pass of its own; unlike a load's, these passes do not merge. Nsight Compute does not
 * count such instructions as shared loads and stores. */
void sim_count_matrices(sim_counting *c, const sim_op *op, uint32_t rows, const uint32_t address[SIM_LANES]) {
    if (!sim_is_counted(c, op) || !rows) return;
    sim_tally *t = sim_tally_at(c, op, SIM_TALLY_OWN);
    const sim_wavefronts wavefronts = sim_bank_store(address, rows, op->bytes);
    sim_traffic_shared(&t->traffic, wavefronts, rows, op->bytes);
    sim_sample_conflicts(c, op->instruction, rows, op->bytes, address, wavefronts);
    t->matrix_accesses++;
}
