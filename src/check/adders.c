/* Earlier atomic operations on a word. The shadow keeps the last one, and a thread that reads the sum may know of that
 * one only: of its own, say. For kernels that may read what they add up, an earlier one is kept too. */
#include "check/adder_words.h"
#include "check/global.h"
#include "check/global_notes.h"
#include "check/global_order.h"
#include "check/global_play.h"

#include <stdio.h>

/* The lane of an actor accesses words. `by`: the number of the actor's operation among the slice's accessors; 0: not
 * known yet. `beside`: earlier lanes of the entry that access the same words. `is_scattered`: its other lanes mostly
 * access other words, whole ones. */
typedef struct visit {
    const sim_play *play;
    uint32_t actor, by, beside;
    unsigned lane;
    bool is_scattered;
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

/* ---- operations that only the line's shadow tells of ---- */

/* The last write of a word, if it was an atomic operation on all of it. number: of its accessor; 0: it was none. */
typedef struct last_adder {
    uint32_t number, lanes;
} last_adder;

static last_adder last_in_row(sim_slice *s, const sim_row *r, unsigned word) {
    if (r->role != SIM_ROW_WRITER || r->action != HAUL_ACTION_ATOMIC) return (last_adder){0, 0};
    if (sim_bytes_of_word(r->bytes, word) != 15) return (last_adder){0, 0};
    const sim_touch touch = sim_touch_of_row(r);
    return (last_adder){sim_slice_accessor(s, &touch), sim_owner_lanes(r->owner, 4 * word)};
}

static last_adder last_in_rows(sim_slice *s, uint32_t link, unsigned word) {
    last_adder last = {0, 0};
    for (; link != SIM_NO_ROW && !last.number; link = sim_slice_row(s, link)->next)
        last = last_in_row(s, sim_slice_row(s, link), word);
    return last;
}

static last_adder last_in_shared(sim_slice *s, const sim_page_line *l, unsigned word) {
    last_adder last = {0, 0};
    for (unsigned w = 0; w < sim_holder_warps(l->holder) && !last.number; w++) {
        const sim_row r = sim_slice_shared_row(s, l, w);
        last = last_in_row(s, &r, word);
    }
    return last;
}

static bool is_adder(const sim_slice *s, uint32_t number) {
    return sim_slice_accessor_at(s, number)->action == HAUL_ACTION_ATOMIC;
}

static last_adder last_in_notes(const sim_slice *s, const sim_page_line *l, unsigned word) {
    uint32_t link = l->used >> word & 1 ? l->link : SIM_NO_ROW;
    for (; link != SIM_NO_ROW; link = sim_slice_note(s, link)->next) {
        const sim_note *n = sim_slice_note(s, link);
        if (!(n->words >> word & 1)) continue;
        return is_adder(s, n->by) ? (last_adder){n->by, sim_note_lane(n, word)} : (last_adder){0, 0};
    }
    return (last_adder){0, 0};
}

static last_adder last_in_words(const sim_slice *s, const sim_line_words *line, unsigned word) {
    const sim_kept_touch *writer = sim_word_kept(line, word, SIM_ROW_WRITER);
    if (!writer || !writer->by || writer->bytes != 15 || !is_adder(s, writer->by)) return (last_adder){0, 0};
    return (last_adder){writer->by, 1u << writer->lane[0]};
}

static last_adder find_last(sim_slice *s, const sim_page *g, uint64_t address) {
    const sim_page_line *l = &g->lines[sim_line_in_page(address)];
    const unsigned word = address / 4 % SIM_LINE_WORDS;
    if (sim_link_is_detailed(l->link)) return last_in_words(s, sim_slice_words(s, l->link & ~SIM_LINE_DETAILED), word);
    if (sim_link_is_noted(l->link)) return last_in_notes(s, l, word);
    if (sim_link_is_shared(l->link)) return last_in_shared(s, l, word);
    return sim_link_has_rows(l->link) ? last_in_rows(s, l->link, word) : (last_adder){0, 0};
}

/* Returns a place for the word's last operation, for which there is none yet. NULL: there are too many, or the host
 * runs out of memory. */
static sim_kept_adder *make_place(sim_slice *s, sim_page *g, uint64_t address) {
    if (s->added == SIM_MOST_ADDER_WORDS) return NULL;
    sim_kept_adder *k = sim_page_add_adder(s, g, address);
    s->failed |= !k;
    s->added += k != NULL;
    return k;
}

/* The first operation on a word, as far as is kept. The line's shadow will tell of a scattered lane's, as long as it is
 * the only one of its access and of those at the same time: so most words need no more than that. */
static void add_first(visit *v, sim_page *g, uint64_t address) {
    sim_slice *s = v->play->s;
    const last_adder before = find_last(s, g, address);
    const sim_accessor last = before.number ? *sim_slice_accessor_at(s, before.number) : (sim_accessor){0};
    const bool is_same = last.cluster == v->play->e->cluster && last.actor == v->actor;
    uint32_t lanes = v->beside | 1u << v->lane;
    if (before.number && is_same && last.time == v->play->e->time) lanes |= before.lanes;
    const bool is_told = v->is_scattered && g->lines[sim_line_in_page(address)].link != SIM_LINE_UNWATCHED &&
                         (!before.number || is_same) && lanes == 1u << v->lane;
    sim_kept_adder *k = is_told ? NULL : make_place(s, g, address);
    if (!k) return;
    if (before.number && !is_same) {
        keep_before(v, address, &last, before.lanes);
        k->more = true;
        g->earlier |= sim_page_line_bit(address);
    }
    if (!v->by) v->by = accessor_of(v);
    k->by = v->by & SIM_MOST_ACCESSORS;
    k->lanes = lanes;
}

/* A strong store to the word: its shadow will not tell of the last operation any more. */
static void keep_last(const visit *v, sim_page *g, uint64_t address) {
    const last_adder last = find_last(v->play->s, g, address);
    sim_kept_adder *k = last.number ? make_place(v->play->s, g, address) : NULL;
    if (k) *k = (sim_kept_adder){.by = last.number & SIM_MOST_ACCESSORS, .lanes = last.lanes};
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
    const sim_logged *e = v->play->e;
    if (!g || (sim_play_reads(v->play) && !sim_page_has_earlier(g, address))) return;
    sim_kept_adder *k = sim_page_adder(g, address);
    if (e->action == HAUL_ACTION_ATOMIC) {
        if (!k)
            add_first(v, g, address);
        else
            add(v, address, k);
        if (k && k->more) g->earlier |= sim_page_line_bit(address);
    } else if (e->strong) {
        if (!k) keep_last(v, g, address);
    } else if (k && k->by) {
        meet(v, address, k);
    }
}

/* Returns the page of the word; with `adds` it is created. */
static sim_page *page_of(const visit *v, uint64_t address) {
    sim_slice *s = v->play->s;
    const uint64_t number = address >> SIM_WATCH_PAGE;
    if (s->last && s->last->number == number) return s->last->page;
    if (v->play->e->action != HAUL_ACTION_ATOMIC) return sim_slice_peek(s, number);
    sim_page *g = sim_slice_page(s, number);
    s->failed |= !g;
    return g;
}

static void visit_words(visit *v, uint64_t from, uint64_t to) {
    for (uint64_t at = from & ~UINT64_C(3); at < to; at += 4)
        if (sim_slice_of(at >> SIM_WATCH_PAGE) == v->play->number) visit_word(v, page_of(v, at), at);
}

/* Returns those lanes of the list before the place `at` that access the same bytes. */
static uint32_t lanes_beside(const sim_play *p, const uint64_t *at) {
    uint32_t lanes = 0, left = p->lanes;
    for (const uint64_t *address = p->addresses; address < at; address++, left &= left - 1)
        if (*address == *at) lanes |= left & -left;
    return lanes;
}

/* The same for scattered lanes, whose pages were looked up. `met`: a bit for what is left of each address so far, so
 * that few lanes have to be compared. */
static void visit_list(const sim_play *p) {
    const bool adds = p->e->action == HAUL_ACTION_ATOMIC;
    const uint64_t *address = p->addresses;
    sim_page **page = p->pages;
    uint64_t met = 0;
    visit v = {.play = p, .actor = p->e->actor, .is_scattered = p->e->bytes % 4 == 0};
    for (uint32_t left = p->lanes; left; left &= left - 1, address++, page++) {
        const uint64_t bit = UINT64_C(1) << (*address / 4 * 0x9e3779b97f4a7c15ull >> 58);
        if (!adds && !p->e->strong && *page && !(*page)->adders) continue;
        v.lane = (unsigned)__builtin_ctz(left);
        v.beside = adds && met & bit ? lanes_beside(p, address) : 0;
        met |= bit;
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
    const bool adds = e->action == HAUL_ACTION_ATOMIC, stores = e->strong && !sim_play_reads(p);
    if (!adds && !stores && (e->strong || !p->s->added)) return;
    if (sim_is_scattered(e)) {
        visit_list(p);
        return;
    }
    if (!adds && !stores && is_far_from_all(p)) return;
    for (unsigned k = 0; k < e->warps; k++) {
        visit v = {.play = p, .actor = e->actor + k};
        for (uint32_t left = e->has_list ? p->lanes : e->active; left; left &= left - 1) {
            v.lane = (unsigned)__builtin_ctz(left);
            const uint64_t from = sim_play_address(p, v.lane) + k * e->pitch;
            visit_words(&v, from, from + e->bytes);
        }
    }
}
