/* Counting accesses to shared memory. */
#include "count/access.h"
#include "count/loops.h"
#include "count/samples.h"
#include "ptx/traits.h"
#include "state/atomic_kind.h"

#include <string.h>

static sim_wavefronts shared_wavefronts(uint8_t class, const uint32_t address[SIM_LANES], uint32_t active,
                                        unsigned bytes) {
    switch (class) {
    case HAUL_CLASS_SHARED_STORE:
    case HAUL_CLASS_GLOBAL_STORE: return sim_bank_store(address, active, bytes);
    case HAUL_CLASS_SHARED_ATOMIC: return sim_bank_turns(address, active, bytes);
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

static bool is_atomic(uint8_t class) {
    return class == HAUL_CLASS_SHARED_ATOMIC || class == HAUL_CLASS_GLOBAL_ATOMIC ||
           class == HAUL_CLASS_GLOBAL_REDUCTION;
}

/* Lanes wait if they are not the first at their address. A compare-and-swap takes each wavefront twice, and that is no
 * conflict. */
static void count_atomic(sim_counting *c, const sim_op *op, sim_tally *t, const uint32_t address[SIM_LANES],
                         uint32_t active) {
    const sim_bank_use use = sim_bank_atomic(address, active, op->bytes);
    sim_wavefronts wavefronts = sim_bank_turns(address, active, op->bytes);
    if (c->plan->assembled[op->instruction].counts_up) wavefronts.total = use.wavefronts;
    if (op->x == SIM_ATOMIC_CAS) {
        wavefronts.ideal += wavefronts.total;
        wavefronts.total *= 2;
    }
    c->shared_turns += sim_lanes(active) - use.units;
    sim_traffic_shared(&t->traffic, wavefronts, active, op->bytes);
    sim_sample_conflicts(c, op->instruction, active, op->bytes, address, wavefronts);
}

void sim_count_passing_atomics(sim_counting *c, const sim_op *op, uint32_t active, uint32_t atomics) {
    const bool swaps = op->x == SIM_ATOMIC_CAS || c->plan->assembled[op->instruction].loops;
    const uint32_t wavefronts = atomics * sim_half_passes(active, op->bytes) * (swaps ? 2 : 1);
    haul_traffic *t = &sim_tally_at(c, op, SIM_TALLY_SHARED)->traffic;
    t->shared_wavefronts += wavefronts;
    t->ideal_shared_wavefronts += wavefronts;
}

static uint32_t loop_place(uint32_t address) {
    return ((address >> 2) * 0x9e3779b1u >> 16) % SIM_LOOP_PLACES;
}

static void note_loop(sim_counting *c, const sim_loop *loop, uint32_t rounds) {
    c->loop_rounds += rounds - 1;
    for (uint32_t left = loop->active; left; left &= left - 1)
        c->looped[loop_place(loop->address[__builtin_ctz(left)])]++;
}

/* Warps that release wait for a fence first, each as long as its own stores take, and were not seen to meet. */
static void count_looping(sim_counting *c, const sim_warp *w, const sim_op *op, bool own, uint32_t active,
                          const uint32_t address[SIM_LANES], const sim_contest *contest) {
    sim_loop loop = {
        .swaps = sim_tally_at(c, op, own ? SIM_TALLY_OWN : SIM_TALLY_SHARED),
        .loads = sim_tally_at(c, op, own ? SIM_TALLY_LOOP_LOADS : SIM_TALLY_SHARED_LOOP_LOADS),
        .active = active,
        .bytes = op->bytes,
        .loads_again = op->x != SIM_ATOMIC_CAS,
    };
    memcpy(loop.address, address, sizeof loop.address);
    const uint32_t rounds = sim_loop_rounds(&loop, contest);
    if (contest || ptx_releases(&c->plan->function->instructions[op->instruction]))
        sim_count_loop_alone(&loop, contest);
    else
        sim_count_loop_among(c, w, &loop);
    if (rounds > 0) note_loop(c, &loop, rounds);
    if (rounds > 1) sim_sample(c, op->instruction, active, op->bytes, NULL, address);
}

void sim_count_shared(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active,
                      const uint32_t address[SIM_LANES]) {
    sim_count_contest(c, w, op, active, address, NULL);
}

void sim_count_contest(sim_counting *c, const sim_warp *w, const sim_op *op, uint32_t active,
                       const uint32_t address[SIM_LANES], const sim_contest *contest) {
    if (!sim_is_counted(c, op)) return;
    const sim_assembled *a = &c->plan->assembled[op->instruction];
    bool own = a->class >= HAUL_CLASS_SHARED_LOAD && a->class <= HAUL_CLASS_SHARED_ATOMIC;
    sim_tally *t = sim_tally_at(c, op, own ? SIM_TALLY_OWN : SIM_TALLY_SHARED);
    if (own ? a->loops : a->loops_in_shared) {
        count_looping(c, w, op, own, sim_aggregated_lanes(a, active), address, contest);
    } else if (is_atomic(a->class) && (a->plain || !own)) {
        count_atomic(c, op, t, address, sim_aggregated_lanes(a, active));
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
