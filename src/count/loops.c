/* Read off launches of an H100 and an H200 in which warps meet at the same words (`shared_add_f32` and its like in
 * tests/data/corpus/atomics.cu): four warps on eight words take 4 + 8 + 12 + 13 rounds. */
#include "count/loops.h"

#include "base/memory.h"
#include "count/traffic.h"

#include <stdlib.h>
#include <string.h>

/* Kept loops; words that warps take in one round. */
enum { MOST_LOOPS = 1024, WORDS = 2 * SIM_RESIDENT_WARPS * SIM_LANES };

/* A kept loop. Loops of one block and stage, which is the number of barriers that the warp has passed, meet. */
typedef struct kept {
    uint64_t block;
    uint32_t stage, warp, number; /* number: in the order in which they came */
    sim_loop loop;
} kept;

/* A word that was taken in a round. */
typedef struct taken {
    uint32_t address, round; /* round: its number + 1 */
} taken;

/* How many barriers a warp of a block has passed. */
typedef struct passed {
    uint64_t block; /* number + 1 */
    uint32_t stage;
} passed;

struct sim_kept_loops {
    passed passed[SIM_RESIDENT_WARPS];
    uint32_t count, round;
    kept *items;  /* NULL until needed */
    taken *words; /* a hash table of WORDS */
};

/* ---- one loop ---- */

/* Returns the lanes whose compare-and-swap goes ahead: one for each bank and one for each address. With values of 8
 * bytes, each half of the warp has banks of its own. */
static uint32_t swapping_lanes(const sim_loop *n, uint32_t active) {
    const unsigned unit = n->bytes > 4 ? 8 : 4, half = n->bytes > 4 ? SIM_LANES / 2 : SIM_LANES;
    uint64_t key[SIM_LANES];
    for (unsigned l = 0; l < SIM_LANES; l++)
        key[l] = n->address[l] % (1u << SIM_LINE_SHIFT) / unit + l / half * SIM_LANES;
    uint32_t winners = sim_distinct_lanes(key, active);
    for (unsigned l = 0; l < SIM_LANES; l++) key[l] = n->address[l];
    return sim_distinct_lanes(key, winners);
}

/* Removes lanes that have nothing to do: from the start, or because a winner's value beats theirs. */
static uint32_t contenders(const sim_contest *contest, uint32_t active, uint32_t winners) {
    uint32_t left = active & ~contest->idle;
    for (unsigned l = 0; l < SIM_LANES; l++)
        if (contest->beaten[l] & winners) left &= ~(1u << l);
    return left;
}

static void count_load(const sim_loop *n, uint32_t active) {
    sim_traffic_shared(&n->loads->traffic, sim_bank_load(n->address, active, n->bytes), active, n->bytes);
}

/* A loop's compare-and-swap (ATOMS.CAST.SPIN) tries one lane of each bank. It takes two wavefronts a pass, which has
 * half a warp at 8 bytes. */
static void count_swap(const sim_loop *n, uint32_t active) {
    const uint32_t wavefronts = 2 * sim_half_passes(active, n->bytes);
    sim_traffic_shared(&n->swaps->traffic, (sim_wavefronts){wavefronts, wavefronts}, active, n->bytes);
}

/* Goes through the rounds until all lanes have had their turn or nothing to do. */
static uint32_t go_through(const sim_loop *n, const sim_contest *contest, bool counts) {
    uint32_t active = n->active, winners = 0, swapped, rounds = 0;
    for (; active; active &= ~swapped, winners |= swapped, rounds++) {
        if (counts && (rounds == 0 || n->loads_again)) count_load(n, active);
        if (contest) active = contenders(contest, active, winners);
        swapped = swapping_lanes(n, active);
        if (counts && active) count_swap(n, active);
    }
    return rounds;
}

void sim_count_loop_alone(const sim_loop *loop, const sim_contest *contest) {
    go_through(loop, contest, true);
}

uint32_t sim_loop_rounds(const sim_loop *loop, const sim_contest *contest) {
    return go_through(loop, contest, false);
}

/* ---- loops that meet ---- */

/* Notes that the word is taken in this round. Returns false if it was. */
static bool take(struct sim_kept_loops *k, uint32_t address) {
    uint32_t at = (address >> 2) * 0x9e3779b1u >> 16;
    for (;; at++) {
        taken *t = &k->words[at % WORDS];
        if (t->round == k->round && t->address == address) return false;
        if (t->round == k->round) continue;
        *t = (taken){address, k->round};
        return true;
    }
}

/* One round of a loop: the lanes left in `active` have to go on. */
static void play_round(struct sim_kept_loops *k, const sim_loop *n, uint32_t *active) {
    const bool first = *active == n->active;
    if (first || n->loads_again) count_load(n, *active);
    count_swap(n, *active);
    for (uint32_t left = swapping_lanes(n, *active); left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (take(k, n->address[lane])) *active &= ~(1u << lane);
    }
}

/* A warp's loops, of which it goes through one after the other. */
typedef struct player {
    kept *next, *end;
    uint32_t active;
} player;

static bool play_warp(struct sim_kept_loops *k, player *p) {
    if (p->next == p->end) return false;
    play_round(k, &p->next->loop, &p->active);
    if (p->active) return true;
    p->next++;
    if (p->next < p->end) p->active = p->next->loop.active;
    return true;
}

/* Goes through the loops that meet: those from `first` on, which are sorted by warp. */
static void play(struct sim_kept_loops *k, kept *first, kept *end) {
    player players[SIM_RESIDENT_WARPS];
    uint32_t count = 0;
    for (kept *i = first; i < end && count < SIM_RESIDENT_WARPS; count++) {
        player *p = &players[count];
        *p = (player){.next = i, .active = i->loop.active};
        while (i < end && i->warp == p->next->warp) i++;
        p->end = i;
    }
    for (bool goes_on = true; goes_on;) {
        goes_on = false;
        k->round++;
        for (uint32_t n = 0; n < count; n++) goes_on |= play_warp(k, &players[n]);
    }
}

static int compare(const void *left, const void *right) {
    const kept *a = left, *b = right;
    if (a->block != b->block) return a->block < b->block ? -1 : 1;
    if (a->stage != b->stage) return a->stage < b->stage ? -1 : 1;
    if (a->warp != b->warp) return a->warp < b->warp ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

void sim_count_loops(sim_counting *c) {
    struct sim_kept_loops *k = c->loops;
    if (!k || !k->count) return;
    qsort(k->items, k->count, sizeof *k->items, compare);
    for (kept *first = k->items, *end = first + k->count, *next; first < end; first = next) {
        next = first;
        while (next < end && next->block == first->block && next->stage == first->stage) next++;
        play(k, first, next);
    }
    k->count = 0;
}

/* Returns the warp's stage, which starts anew with a block. */
static uint32_t *stage_of(struct sim_kept_loops *k, const sim_warp *w) {
    passed *p = &k->passed[sim_warp_place(w) % SIM_RESIDENT_WARPS];
    if (p->block != w->block->index + 1) *p = (passed){.block = w->block->index + 1};
    return &p->stage;
}

void sim_loops_barrier(sim_counting *c, const sim_warp *w) {
    if (c->loops) ++*stage_of(c->loops, w);
}

/* Returns whether there is memory to keep loops. */
static bool prepare(struct sim_kept_loops *k) {
    if (!k->words) k->words = memory_zeroed(WORDS, sizeof *k->words);
    if (!k->items) k->items = memory_alloc(MOST_LOOPS * sizeof *k->items);
    return k->words && k->items;
}

void sim_count_loop_among(sim_counting *c, const sim_warp *w, const sim_loop *loop) {
    struct sim_kept_loops *k = c->loops;
    if (!k || w->block->warp_count < 2 || !prepare(k)) {
        sim_count_loop_alone(loop, NULL);
        return;
    }
    if (k->count == MOST_LOOPS) sim_count_loops(c);
    k->items[k->count] = (kept){w->block->index, *stage_of(k, w), w->index, k->count, *loop};
    k->count++;
}

bool sim_loops_create(sim_counting *c) {
    if (c->plan->has_loops) c->loops = memory_zeroed(1, sizeof *c->loops);
    return !c->plan->has_loops || c->loops;
}

void sim_loops_renew(sim_counting *c) {
    if (!c->loops) return;
    memset(c->loops->passed, 0, sizeof c->loops->passed);
    c->loops->count = 0;
}

void sim_loops_free(sim_counting *c) {
    if (!c->loops) return;
    memory_free(c->loops->items);
    memory_free(c->loops->words);
    memory_free(c->loops);
}
