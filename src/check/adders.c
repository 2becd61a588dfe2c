/* Earlier atomic operations on a word. The shadow keeps the last one, and a thread that reads the sum may know of that
 * one only: of its own, say. For kernels that may read what they add up, an earlier one is kept too. */
#include "check/adder_words.h"
#include "check/global.h"
#include "check/global_order.h"
#include "check/global_play.h"

#include <stdio.h>

/* The lane of an actor accesses words. `by`: the number of the actor's operation among the slice's accessors; 0: not
 * known yet. */
typedef struct visit {
    const sim_play *play;
    uint32_t actor, by;
    unsigned lane;
} visit;

/* Keeps the word's last operation, with these lanes, as an earlier one too. */
static void keep_before(const visit *v, uint64_t address, const sim_accessor *last, uint32_t lanes) {
    sim_slice *s = v->play->s;
    sim_adder_word *w = sim_adder_word_at(&s->adders, address, true, &s->failed);
    if (w) w->before = (sim_adder){last->cluster, last->instruction, last->time, last->epoch, lanes, last->actor};
}

/* Returns the number of the visit's operation among the slice's accessors. */
static uint32_t accessor_of(const visit *v) {
    const sim_logged *e = v->play->e;
    if (e->by) return e->by;
    const sim_touch now = {.cluster = e->cluster,
                           .instruction = e->instruction,
                           .time = e->time,
                           .epoch = e->age,
                           .actor = (uint16_t)v->actor,
                           .action = e->action & 63u,
                           .strong = e->strong & 3u};
    return sim_slice_accessor(v->play->s, &now);
}

/* Returns the earlier operation that is kept of the word, or NULL. */
static const sim_adder *before_of(const visit *v, const sim_kept_adder *k, uint64_t address) {
    const sim_adder_word *w = k->more ? sim_adder_word_at(&v->play->s->adders, address, false, NULL) : NULL;
    return w ? &w->before : NULL;
}

static void add(visit *v, uint64_t address, sim_kept_adder *k) {
    const sim_logged *e = v->play->e;
    uint32_t lanes = 0;
    if (k->by) {
        const sim_accessor last = *sim_slice_accessor_at(v->play->s, k->by);
        const sim_adder *before = before_of(v, k, address);
        const bool is_same = last.cluster == e->cluster && last.actor == v->actor;
        const bool keeps = before && before->cluster != e->cluster && last.cluster == e->cluster;
        if (!is_same && !keeps) {
            keep_before(v, address, &last, k->lanes);
            k->more = true;
        }
        if (is_same && last.time == e->time) lanes = k->lanes;
    } else if (v->play->s->added == SIM_MOST_ADDER_WORDS)
        return;
    else
        v->play->s->added++;
    if (!v->by) v->by = accessor_of(v);
    k->by = v->by & SIM_MOST_ACCESSORS;
    k->lanes = lanes | 1u << v->lane;
}

/* Returns those lanes of an earlier operation that nothing orders before the access. */
static uint32_t unknown_lanes(const visit *v, uint64_t address, const sim_adder *a) {
    const sim_play *p = v->play;
    if (a->cluster == p->e->cluster) {
        const uint32_t own = a->actor == v->actor ? 1u << v->lane : 0;
        return a->lanes & ~sim_known_lanes(&p->known[a->actor], a->time) & ~own;
    }
    const sim_touch t = {.cluster = a->cluster,
                         .time = a->time,
                         .epoch = a->epoch,
                         .actor = a->actor,
                         .action = HAUL_ACTION_ATOMIC,
                         .strong = SIM_STRONG};
    const uint32_t left = a->lanes & ~sim_order_seen_lanes(p->watch, p->e, address, &t);
    if (a->epoch > sim_order_floor(p->e, a->cluster, HAUL_ACTION_ATOMIC)) return left;
    return left & ~sim_order_lanes(p->watch, p->e, a->cluster, a->actor, a->time, HAUL_ACTION_ATOMIC);
}

static void report(const visit *v, uint64_t address, const sim_adder *before, uint32_t lanes) {
    const sim_play *p = v->play;
    const sim_grid *g = p->watch->grid;
    const uint32_t thread = v->actor * SIM_LANES + v->lane;
    const uint32_t other = before->actor * SIM_LANES + (uint32_t)__builtin_ctz(lanes);
    const uint64_t actors = (uint64_t)g->warps * g->cluster_blocks;
    const haul_finding found = {
        .kind = HAUL_FINDING_RACE_GLOBAL,
        .grade = HAUL_GRADE_ERROR,
        .access = sim_watch_access(p->watch, p->e->cluster, thread, (haul_action)p->e->action, p->e->instruction),
        .other = sim_watch_access(p->watch, before->cluster, other, HAUL_ACTION_ATOMIC, before->instruction),
        .space = HAUL_SPACE_GLOBAL,
        .address = address,
        .bytes = 4};
    sim_finding *f = sim_findings_add(&p->s->findings, &found);
    sim_findings_concern(&p->s->findings, p->e->cluster * actors + v->actor, 1u << v->lane);
    sim_findings_concern(&p->s->findings, before->cluster * actors + before->actor, lanes);
    if (!f) return;
    sim_finding_locate(g, f);
    snprintf(f->what, sizeof f->what,
             "a later atomic operation on this word comes before the access, but nothing orders this earlier one");
}

/* True if the lane makes the access because of what its block's last operation on the word returned. That has seen the
 * earlier ones, which thus come before the access: the last block sets its counter back. Lanes of one operation take
 * turns. A result that is an address may be any; a read may then still come too early. */
static bool was_decided_by(const visit *v, const sim_kept_adder *k) {
    const sim_play *p = v->play;
    const sim_accessor *last = sim_slice_accessor_at(p->s, k->by);
    const uint8_t uses = p->watch->results[last->instruction];
    if (last->cluster != p->e->cluster || !(uses & SIM_RESULT_DECIDES)) return false;
    if (uses & SIM_RESULT_ADDRESSES && sim_play_reads(p)) return false;
    const uint32_t own = last->actor == v->actor ? UINT32_MAX >> (31 - v->lane) : 0;
    return !(k->lanes & ~sim_known_lanes(&p->known[last->actor], last->time) & ~own);
}

static bool is_look(const visit *v, const sim_adder *before) {
    return sim_only_looks(v->play->watch->grid, v->play->e->instruction, before->instruction);
}

/* An ordinary access: reports it if nothing orders an earlier operation before it. A write ends what is known. */
static void meet(const visit *v, uint64_t address, sim_kept_adder *k) {
    const sim_adder *before = before_of(v, k, address);
    const uint32_t lanes = before ? unknown_lanes(v, address, before) : 0;
    if (lanes && !is_look(v, before) && !was_decided_by(v, k)) report(v, address, before, lanes);
    if (sim_play_reads(v->play)) return;
    *k = (sim_kept_adder){0};
    v->play->s->added--;
}

/* Reads matter only where an earlier operation is kept. */
static void visit_word(visit *v, sim_page *g, uint64_t address) {
    const bool adds = v->play->e->action == HAUL_ACTION_ATOMIC;
    if (sim_play_reads(v->play) && !(g && sim_page_has_earlier(g, address))) return;
    sim_kept_adder *k = g && adds ? sim_page_add_adder(v->play->s, g, address) : g ? sim_page_adder(g, address) : NULL;
    if (adds && !k) {
        v->play->s->failed = true;
    } else if (adds) {
        add(v, address, k);
        if (k->more) g->earlier |= sim_page_line_bit(address);
    } else if (k && k->by) {
        meet(v, address, k);
    }
}

/* Returns the page of the word; with `adds` it is created. */
static sim_page *page_of(const visit *v, uint64_t address) {
    sim_slice *s = v->play->s;
    const uint64_t number = address >> SIM_WATCH_PAGE;
    if (s->last && s->last->number == number) return s->last->page;
    return v->play->e->action == HAUL_ACTION_ATOMIC ? sim_slice_page(s, number) : sim_slice_peek(s, number);
}

static void visit_words(visit *v, uint64_t from, uint64_t to) {
    for (uint64_t at = from & ~UINT64_C(3); at < to; at += 4)
        if (sim_slice_of(at >> SIM_WATCH_PAGE) == v->play->number) visit_word(v, page_of(v, at), at);
}

/* The same for scattered lanes, whose pages were looked up. */
static void visit_list(const sim_play *p) {
    const bool adds = p->e->action == HAUL_ACTION_ATOMIC;
    const uint64_t *address = p->addresses;
    sim_page **page = p->pages;
    visit v = {.play = p, .actor = p->e->actor};
    for (uint32_t left = p->lanes; left; left &= left - 1, address++, page++) {
        if (!adds && *page && !(*page)->adders) continue;
        v.lane = (unsigned)__builtin_ctz(left);
        for (uint64_t at = *address & ~UINT64_C(3); at < *address + p->e->bytes; at += 4)
            visit_word(&v, *page ? *page : page_of(&v, at), at);
    }
}

/* True if the entry's bytes are in a few pages of which none has atomic operations. */
static bool is_far_from_all(const sim_play *p) {
    enum { FEW = 8 };
    const sim_logged *e = p->e;
    const uint64_t first = e->from >> SIM_WATCH_PAGE, last = (e->to - 1) >> SIM_WATCH_PAGE;
    if (last - first >= FEW) return false;
    for (uint64_t number = first; number <= last; number++) {
        const sim_page *g = sim_slice_of(number) == p->number ? sim_slice_peek(p->s, number) : NULL;
        if (g && g->adders) return false;
    }
    return true;
}

void sim_adders_play(const sim_play *p) {
    const sim_logged *e = p->e;
    if (e->action != HAUL_ACTION_ATOMIC && (e->strong || !p->s->added)) return;
    if (sim_is_scattered(e)) {
        visit_list(p);
        return;
    }
    if (e->action != HAUL_ACTION_ATOMIC && is_far_from_all(p)) return;
    for (unsigned k = 0; k < e->warps; k++) {
        visit v = {.play = p, .actor = e->actor + k};
        for (uint32_t left = e->has_list ? p->lanes : e->active; left; left &= left - 1) {
            v.lane = (unsigned)__builtin_ctz(left);
            const uint64_t from = sim_play_address(p, v.lane) + k * e->pitch;
            visit_words(&v, from, from + e->bytes);
        }
    }
}
