/* Contested words: words of shared memory to which threads have written different values without order. The value is
 * undefined, which is harmless as long as nobody uses it: some programs let all lanes store what they do not need to
 * one place (CUB's DeviceRunLengthEncode::NonTrivialRuns). Such a race is an error if a value read from the word
 * decides an address or a branch or is stored. Otherwise it becomes advice when the block ends. */
#include "base/memory.h"
#include "check/cells.h"

/* True if the entry's instruction has the same place as `instruction`: the rounds of an unrolled loop are one place. */
static bool is_of(const sim_warp *w, const sim_contest_entry *e, uint32_t instruction) {
    const uint64_t *places = w->sm->grid->places;
    return places[e->first.instruction] == places[instruction];
}

static sim_contest_entry *find(const sim_visit *k, uint32_t instruction, uint32_t other) {
    const uint64_t *places = k->w->sm->grid->places;
    sim_contest_entry *same = NULL;
    for (uint32_t i = 0; i < k->s->contest_count; i++) {
        sim_contest_entry *e = &k->s->contests[i];
        if (!is_of(k->w, e, instruction)) continue;
        if (places[e->first.other_instruction] == places[other]) return e;
        same = e;
    }
    return k->s->contest_count == SIM_CONTESTS
               ? same
               : NULL; /* the table is full: an entry with one of the two instructions will do */
}

static sim_contest_entry *add(const sim_visit *k, const sim_suspect *first) {
    sim_shadow *s = k->s;
    if (s->contest_count == SIM_CONTESTS) return NULL;
    if (!s->contests) s->contests = memory_zeroed(SIM_CONTESTS, sizeof *s->contests);
    if (!s->contests) {
        k->d->owner->failed = true;
        return NULL;
    }
    sim_contest_entry *e = &s->contests[s->contest_count++];
    *e = (sim_contest_entry){.first = *first, .warp = k->w};
    return e;
}

/* Adds threads to the entry; they are reported together with it. */
static void concern(const sim_visit *k, sim_contest_entry *e, uint32_t actor, uint32_t lanes) {
    const uint64_t warp = (uint64_t)k->d->cluster_index * k->d->actors + actor;
    k->d->owner->failed |= !sim_threads_add(&e->threads, warp, lanes);
}

bool sim_contest_note(const sim_visit *k, const sim_suspect *s) {
    sim_contest_entry *e = find(k, s->instruction, s->other_instruction);
    if (!e) e = add(k, s);
    if (!e || e->is_reported) return false;
    concern(k, e, k->actor, s->lanes);
    concern(k, e, s->thread / SIM_LANES, 1u << s->thread % SIM_LANES);
    return true;
}

static void report(sim_domain *d, sim_contest_entry *e, bool is_used) {
    sim_suspect s = e->first;
    s.is_advice = !is_used;
    e->is_reported = true;
    sim_finding *f = sim_hazard_report(e->warp, &s);
    sim_hazard_join(d, &e->threads);
    if (!f) return;
    if (!is_used)
        sim_hazard_say(f, "the threads write different values, but nobody uses the result: harmless as long as that "
                          "is so");
    else if (s.thread / SIM_LANES == sim_actor(e->warp))
        sim_hazard_say_lanes(f, s.thread % SIM_LANES, (unsigned)__builtin_ctz(s.lanes),
                             "not even that they run side by side");
}

uint8_t sim_contest_of(const sim_visit *k, const sim_cell *c) {
    for (uint32_t i = 0; i < k->s->contest_count; i++)
        if (!k->s->contests[i].is_reported && is_of(k->w, &k->s->contests[i], c->instruction)) return (uint8_t)(i + 1);
    return 0;
}

void sim_contest_used(const sim_block *b, uint8_t contest) {
    sim_shadow *s = sim_shadow_of(b);
    for (uint32_t i = contest ? contest - 1u : s->contest_count; i < s->contest_count; i++) {
        sim_contest_entry *e = &s->contests[i];
        if (!e->is_reported && is_of(e->warp, e, s->contests[contest - 1].first.instruction))
            report(sim_domain_of(b), e, true);
    }
}

/* True if no earlier entry has the same instruction: an unrolled loop has many such pairs, and one is enough for
 * advice. */
static bool is_first(const sim_shadow *s, uint32_t number) {
    const sim_contest_entry *e = &s->contests[number];
    for (uint32_t i = 0; i < number; i++)
        if (is_of(e->warp, &s->contests[i], e->first.instruction)) return false;
    return true;
}

void sim_contests_finish(const sim_block *b) {
    sim_shadow *s = sim_shadow_of(b);
    for (uint32_t i = 0; i < s->contest_count; i++)
        if (!s->contests[i].is_reported && is_first(s, i)) report(sim_domain_of(b), &s->contests[i], false);
    for (uint32_t i = 0; i < s->contest_count; i++) sim_threads_free(&s->contests[i].threads);
    s->contest_count = 0;
}
