/* The shadow of global memory by words: the last writer and readers of each word of a line that rows cannot describe,
 * and the findings. */
#include "check/global.h"
#include "check/global_order.h"
#include "check/global_play.h"
#include "check/lock.h"
#include "check/origin.h"
#include "state/block.h"

#include <stdio.h>
#include <string.h>

/* Returns those of the touch's `lanes` that are not known to come before the current lane. */
static uint32_t unknown_lanes(const sim_play *p, const sim_touch *t, uint32_t lanes) {
    if (t->cluster != p->e->cluster) {
        const bool may_know = t->epoch <= sim_order_floor(p->e, t->cluster, t->action);
        if (may_know) lanes &= ~sim_order_lanes(p->watch, p->e, t->cluster, t->actor, t->time, t->action);
        return lanes ? lanes & ~sim_order_seen_lanes(p->watch, p->e, p->address, t) : 0;
    }
    const uint32_t own = t->actor == p->e->actor ? 1u << p->lane : 0;
    return lanes & ~sim_known_lanes(&p->known[t->actor], t->time) & ~own;
}

/* True if the two are lanes of one warp that rely on lockstep. */
static bool count_on_lockstep(const sim_play *p, uint32_t cluster, uint32_t actor, uint32_t instruction) {
    const sim_logged *e = p->e;
    if (e->cluster != cluster || e->actor != actor) return false;
    return sim_counts_on_lockstep(p->watch->grid, e->instruction, instruction);
}

static bool may_lose_update(const sim_play *p, uint32_t instruction) {
    return sim_may_lose_update(p->watch->grid, p->e->instruction, instruction);
}

/* True if both are strong enough for each other, so that none of them tears. */
static bool are_strong(const sim_play *p, const sim_touch *t) {
    const sim_logged *e = p->e;
    return e->cluster == t->cluster ? e->strong && t->strong : e->strong == SIM_STRONG && t->strong == SIM_STRONG;
}

bool sim_play_cannot_race(const sim_play *p, const sim_touch *t) {
    const sim_grid *g = p->watch->grid;
    if (!are_strong(p, t)) return false;
    if (!g->uses) return true;
    return !may_lose_update(p, t->instruction) && !count_on_lockstep(p, t->cluster, t->actor, t->instruction) &&
           !sim_is_left_to_chance(g, p->e->instruction, t->instruction);
}

/* True if the two are volatile data, and nothing worse is wrong with them. */
static bool is_left_to_chance(const sim_play *p, const sim_touch *t) {
    return are_strong(p, t) && sim_is_left_to_chance(p->watch->grid, p->e->instruction, t->instruction) &&
           !may_lose_update(p, t->instruction) && !count_on_lockstep(p, t->cluster, t->actor, t->instruction) &&
           !sim_order_was_told(p->watch, p->e, t);
}

static bool is_look(const sim_play *p, const sim_touch *t) {
    return sim_only_looks(p->watch->grid, p->e->instruction, t->instruction);
}

static haul_finding_access access_of(const sim_grid *g, uint32_t cluster, uint32_t thread, uint8_t action,
                                     uint32_t instruction) {
    sim_block b = {.rank = 0};
    const uint32_t warp = thread / SIM_LANES;
    sim_sm sm = {.grid = g};
    sim_place_block(g, cluster, warp / g->warps, &b);
    b.sm = &sm;
    return sim_finding_access((haul_action)action, instruction, &b, warp % g->warps * SIM_LANES + thread % SIM_LANES);
}

haul_finding_access sim_watch_access(const sim_watch *watch, uint32_t cluster, uint32_t thread, haul_action action,
                                     uint32_t instruction) {
    return access_of(watch->grid, cluster, thread, (uint8_t)action, instruction);
}

/* True if both are atomic or the like, but one of them not for the other's block. */
static bool have_narrow_scope(const sim_play *p, const sim_touch *t) {
    return t->cluster != p->e->cluster && p->e->strong && t->strong && !are_strong(p, t);
}

/* Why the accesses of two clusters are not in order. */
static const char *explain_clusters(const sim_play *p, const sim_touch *t) {
    if (have_narrow_scope(p, t))
        return "threads of different blocks, and the scope of one of the operations ends at its block or cluster: use "
               "one that reaches the GPU (atomicAdd() for atomicAdd_block(), .gpu for .cta)";
    if (t->action == HAUL_ACTION_ASYNC_WRITE)
        return "threads of different blocks: before anything tells the other block, the thread that issued the copy "
               "has to wait for its writes, by cp.async.bulk.wait_group without .read";
    switch (sim_order_missing_fence(p->watch, p->e, t)) {
    case SIM_FENCE_OF_WRITER:
        return "the thread has read a word that the other block wrote after the earlier access, but the writer has no "
               "fence between the two, or one for its own block only (__threadfence() before the word is written, or a "
               "release)";
    case SIM_FENCE_OF_READER:
        return "the thread has read a word that the other block wrote after the earlier access, but has no fence "
               "behind that, or one for its own block only (__threadfence() after the word is read, or an acquire)";
    default: break;
    }
    if (t->epoch > sim_order_floor(p->e, t->cluster, t->action))
        return "threads of different blocks, which nothing orders within a launch";
    return "the other block has published its work by a flag, but the thread that wrote the flag did not know of this "
           "access";
}

static const char *explanation_of(const sim_play *p, const sim_touch *t, bool lockstep) {
    if (lockstep) return "lanes of one warp: volatile does not order them, and they need not run in lockstep";
    if (sim_order_was_told(p->watch, p->e, t)) return sim_old_data;
    if (may_lose_update(p, t->instruction)) return sim_lost_update;
    if (is_left_to_chance(p, t)) return sim_left_to_chance;
    if (is_look(p, t)) return sim_look_first;
    if (t->cluster == p->e->cluster) return "threads of one block, with no barrier between the two";
    return explain_clusters(p, t);
}

static void concern(const sim_play *p, uint64_t cluster, uint32_t thread) {
    const sim_grid *g = p->watch->grid;
    const uint64_t actors = (uint64_t)g->warps * g->cluster_blocks;
    sim_findings_concern(&p->s->findings, cluster * actors + thread / SIM_LANES, 1u << thread % SIM_LANES);
}

/* Returns the bytes of the current word that both accesses use, as a mask; never none. */
static unsigned bytes_of_both(const sim_play *p, const sim_touch *t) {
    const unsigned own = p->bytes & 15u, both = own & t->bytes;
    return both ? both : own ? own : 15u;
}

/* Adds the finding. `lanes`: of the touch. Returns NULL if it is known already: only a new one needs its threads. */
static sim_finding *add_finding(const sim_play *p, const sim_touch *t, uint32_t lanes, haul_finding_kind kind,
                                haul_finding_grade grade) {
    const sim_grid *g = p->watch->grid;
    const sim_logged *e = p->e;
    const uint32_t own = e->actor * SIM_LANES + p->lane, other = t->actor * SIM_LANES + (uint32_t)__builtin_ctz(lanes);
    const unsigned bytes = bytes_of_both(p, t);
    const haul_finding found = {.kind = kind,
                                .grade = grade,
                                .access = {.action = (haul_action)e->action, .instruction = e->instruction},
                                .other = {.action = (haul_action)t->action, .instruction = t->instruction},
                                .space = HAUL_SPACE_GLOBAL,
                                .address = p->address + (unsigned)__builtin_ctz(bytes),
                                .bytes = (unsigned)__builtin_popcount(bytes)};
    sim_finding *f = sim_findings_add(&p->s->findings, &found);
    concern(p, e->cluster, own);
    concern(p, t->cluster, other);
    if (!f) return NULL;
    f->finding.access = access_of(g, e->cluster, own, e->action, e->instruction);
    f->finding.other = access_of(g, t->cluster, other, t->action, t->instruction);
    sim_finding_locate(g, f);
    return f;
}

static void report(const sim_play *p, const sim_touch *t, uint32_t lanes, haul_finding_kind kind) {
    const bool lockstep = count_on_lockstep(p, t->cluster, t->actor, t->instruction);
    sim_finding *f = add_finding(p, t, lanes, kind,
                                 lockstep                  ? HAUL_GRADE_WARNING
                                 : is_left_to_chance(p, t) ? HAUL_GRADE_ADVICE
                                 : is_look(p, t)           ? HAUL_GRADE_ADVICE
                                                           : haul_finding_kinds[kind].grade);
    if (!f) return;
    if (kind == HAUL_FINDING_MISSING_PROXY_FENCE && p->e->is_map)
        snprintf(f->what, sizeof f->what,
                 "the tensor map was changed by ordinary stores, and the block has not executed "
                 "fence.proxy.tensormap::generic.acquire since, so the copy engine may use the old one");
    else if (kind == HAUL_FINDING_MISSING_PROXY_FENCE)
        snprintf(f->what, sizeof f->what, "no fence.proxy.async for global memory between the store and the copy");
    else if (kind == HAUL_FINDING_TEXTURE_STALE)
        snprintf(f->what, sizeof f->what, "the launch has written there, and this path need not see it");
    else
        snprintf(f->what, sizeof f->what, "%s", explanation_of(p, t, lockstep));
}

/* Reports two accesses that are in order, if only a lock without a fence orders them. Flags are no data. */
static void check_lock(const sim_play *p, const sim_touch *t, uint32_t lanes) {
    const sim_grid *g = p->watch->grid;
    if (!lanes || !sim_lock_lacks_fence(g, p->e, t)) return;
    if (are_strong(p, t) && !sim_is_left_to_chance(g, p->e->instruction, t->instruction)) return;
    sim_finding *f = add_finding(p, t, lanes, HAUL_FINDING_RACE_GLOBAL, HAUL_GRADE_ADVICE);
    if (!f) return;
    snprintf(f->what, sizeof f->what,
             "both hold a lock, but one of them has no fence after taking it (%s): it may load old data from L1",
             p->e->cluster == t->cluster ? "__threadfence_block()" : "__threadfence()");
}

static sim_touch touch_of(const sim_play *p) {
    const sim_logged *e = p->e;
    return (sim_touch){.cluster = e->cluster,
                       .instruction = e->instruction,
                       .time = e->time,
                       .epoch = e->age,
                       .actor = e->actor,
                       .bytes = p->bytes,
                       .action = e->action & 63u,
                       .strong = e->strong & 3u};
}

/* True if both belong to one access of a warp, or to accesses at the same time. */
static bool are_together(const sim_touch *a, const sim_touch *b) {
    return a->cluster == b->cluster && a->actor == b->actor && a->time == b->time && a->epoch == b->epoch;
}

/* Returns the lanes that last wrote the current bytes. */
static uint32_t writing_lanes(const sim_play *p, const sim_touch *writer) {
    uint32_t lanes = 0;
    for (unsigned i = 0; writer->epoch && i < 4; i++)
        if (writer->bytes & p->bytes & 1u << i) lanes |= 1u << writer->lane[i];
    return lanes;
}

/* Returns the lanes whose ordinary write has not passed a proxy fence that the current thread knows of. Of other
 * clusters' writes it is only known whether there was any fence on the way: in their own cluster since, or in this one
 * after it could know of them. */
static uint32_t unfenced_lanes(const sim_play *p, const sim_touch *t, uint32_t lanes) {
    if (t->action != HAUL_ACTION_WRITE) return 0;
    if (!p->fenced) return lanes;
    if (t->cluster == p->e->cluster) return lanes & ~sim_known_lanes(&p->fenced[t->actor], t->time);
    return p->e->has_fenced || sim_watch_has_fenced(p->watch, t->cluster, t->time) ? 0 : lanes;
}

/* Such a store has been reported (sim_hazard_constant). */
static bool names_constant(const sim_play *p, const sim_touch *writer) {
    const sim_origin *o = p->watch->grid->origins;
    const ptx_variable *v = o ? o[writer->instruction].variable : NULL;
    return v && v->space == PTX_SPACE_CONST;
}

/* Checks a read of a word against its last writer. */
static void check_read(const sim_play *p, const sim_touch *writer) {
    const sim_logged *e = p->e;
    if (!writer->epoch) return;
    const uint32_t lanes = writing_lanes(p, writer);
    const uint32_t raced = sim_play_cannot_race(p, writer) && !sim_order_was_told(p->watch, p->e, writer)
                               ? 0
                               : unknown_lanes(p, writer, lanes);
    const uint32_t unfenced = e->fenced ? unfenced_lanes(p, writer, lanes) : 0;
    if (raced)
        report(p, writer, raced, HAUL_FINDING_RACE_GLOBAL);
    else if (e->incoherent && lanes && !names_constant(p, writer))
        report(p, writer, lanes, HAUL_FINDING_TEXTURE_STALE);
    else if (unfenced)
        report(p, writer, unfenced, HAUL_FINDING_MISSING_PROXY_FENCE);
    else
        check_lock(p, writer, lanes);
}

/* True if the last reader need not be kept: it comes before the current lane, whose access covers all its bytes. */
static bool is_covered(const sim_play *p, const sim_touch *last) {
    const bool by_self = last->actor == p->e->actor && !(last->lanes & ~p->e->active);
    return !(last->bytes & ~p->bytes) && (by_self || !unknown_lanes(p, last, last->lanes));
}

static uint32_t find_accessor(sim_play *p) {
    const sim_touch now = touch_of(p);
    return p->by = sim_slice_accessor(p->s, &now);
}

uint32_t sim_play_accessor(sim_play *p) {
    return p->by ? p->by : find_accessor(p);
}

/* Joins a read to the last one if both are one access, or accesses at the same time. */
static bool joins_reader(sim_play *p, const sim_touch *before, const sim_touch *now, sim_kept_touch *last) {
    if (!are_together(before, now) || before->bytes != now->bytes || before->strong != now->strong) return false;
    sim_touch joined = *before;
    joined.instruction = now->instruction;
    last->by = sim_slice_accessor(p->s, &joined) & SIM_MOST_ACCESSORS;
    last->lanes |= 1u << p->lane;
    return true;
}

static bool is_by_others(const sim_play *p, const sim_kept_touch *k) {
    const sim_touch t = sim_slice_touch(p->s, k);
    return t.epoch && (t.cluster != p->e->cluster || t.actor != p->e->actor);
}

/* Records another read by the last reader's cluster. */
static void keep_reader_of_cluster(sim_play *p, sim_line_words *line, unsigned word, sim_kept_touch kept) {
    sim_kept_touch *last = sim_slice_touch_at(p->s, line, word, SIM_ROW_READER);
    const sim_kept_touch beside = sim_word_touch(line, word, SIM_ROW_READER_BESIDE);
    const sim_touch before = sim_slice_touch(p->s, last), now = touch_of(p);
    if (joins_reader(p, &before, &now, last)) return;
    if (!is_covered(p, &before) && !(before.actor == now.actor && is_by_others(p, &beside))) {
        sim_kept_touch *to = sim_slice_touch_at(p->s, line, word, SIM_ROW_READER_BESIDE);
        if (to) *to = *last;
    }
    *last = kept;
}

/* Records a read of a word in the reader roles (sim_row_role). */
static void keep_reader(sim_play *p, sim_line_words *line, unsigned word) {
    const sim_kept_touch kept = {
        .by = sim_play_accessor(p) & SIM_MOST_ACCESSORS, .bytes = p->bytes & 15u, .lanes = 1u << p->lane};
    sim_kept_touch *last = sim_slice_touch_at(p->s, line, word, SIM_ROW_READER);
    if (!last) return;
    if (last->by == kept.by && last->bytes == kept.bytes) {
        last->lanes |= kept.lanes;
        return;
    }
    if (last->by && sim_slice_accessor_at(p->s, last->by)->cluster == p->e->cluster) {
        keep_reader_of_cluster(p, line, word, kept);
        return;
    }
    sim_kept_touch *before = last->by ? sim_slice_touch_at(p->s, line, word, SIM_ROW_READER_BEFORE) : NULL;
    if (before) *before = *last;
    *last = kept;
}

static void read_word(sim_play *p, sim_line_words *line, unsigned word) {
    const sim_kept_touch last = sim_word_touch(line, word, SIM_ROW_WRITER);
    if (last.by) {
        const sim_touch writer = sim_slice_touch(p->s, &last);
        check_read(p, &writer);
    }
    keep_reader(p, line, word);
}

static void check_reader(const sim_play *p, const sim_kept_touch *k) {
    if (!k->by || !(k->bytes & p->bytes)) return;
    const sim_touch t = sim_slice_touch(p->s, k);
    const uint32_t unknown = sim_play_cannot_race(p, &t) ? 0 : unknown_lanes(p, &t, t.lanes);
    if (unknown)
        report(p, &t, unknown, HAUL_FINDING_RACE_GLOBAL);
    else
        check_lock(p, &t, t.lanes);
}

/* Records a write of a word; bytes that the same access writes are joined. */
static void keep_writer(sim_play *p, const sim_touch *before, sim_kept_touch *writer) {
    const sim_touch now = touch_of(p);
    const bool more =
        are_together(before, &now) && before->instruction == now.instruction && !(before->bytes & p->bytes);
    const unsigned kept = more ? before->bytes : 0u;
    *writer = (sim_kept_touch){.by = sim_play_accessor(p) & SIM_MOST_ACCESSORS, .bytes = p->bytes & 15u};
    for (unsigned i = 0; i < 4; i++) writer->lane[i] = kept >> i & 1 ? before->lane[i] : (uint8_t)p->lane;
    writer->bytes |= kept & 15u;
}

/* Keeps such a write among the word's readers, which a write is compared with. */
static void keep_hidden(const sim_play *p, const sim_touch *before, uint32_t by, sim_line_words *line, unsigned word) {
    const sim_kept_touch hidden = {
        .by = by & SIM_MOST_ACCESSORS, .bytes = before->bytes & p->bytes & 15u, .lanes = writing_lanes(p, before)};
    sim_kept_touch *to = hidden.bytes ? sim_slice_touch_at(p->s, line, word, SIM_ROW_READER) : NULL;
    if (to) *to = hidden;
}

/* Returns another lane of the access that uses the current word, or the current one if there is none. */
static unsigned lane_beside(const sim_play *p) {
    const uint32_t lanes = p->e->has_list ? p->lanes : p->e->active;
    for (uint32_t left = lanes & ~(1u << p->lane); left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        if (sim_play_address(p, lane) / 4 == p->address / 4) return lane;
    }
    return p->lane;
}

/* True if the lane has read the word since its last write: it has seen the value that it overwrites. */
static bool has_read(const sim_play *p, const sim_line_words *line, unsigned word) {
    for (unsigned r = 0; r < SIM_READERS; r++) {
        const sim_kept_touch *kept = sim_word_kept(line, word, (sim_row_role)r);
        if (!kept) continue;
        const sim_touch t = sim_slice_touch(p->s, kept);
        if (t.epoch && t.cluster == p->e->cluster && t.actor == p->e->actor && t.lanes >> p->lane & 1) return true;
    }
    return false;
}

/* Reports the write if the last one is not ordered before it. An atomic operation of several lanes comes after a store
 * of one of them for that lane only. */
static void check_write(sim_play *p, const sim_touch *before, const sim_line_words *line, unsigned word) {
    const uint32_t lanes = writing_lanes(p, before);
    const unsigned lane = p->lane;
    if (!lanes || sim_play_cannot_race(p, before)) return;
    const bool is_own = before->cluster == p->e->cluster && before->actor == p->e->actor && lanes == 1u << lane;
    if (is_own && p->e->action == HAUL_ACTION_ATOMIC && p->e->warps == 1) p->lane = lane_beside(p);
    const bool same = p->value && p->value == *sim_word_value(line, word);
    const bool is_harmless = is_left_to_chance(p, before) && (same || has_read(p, line, word));
    const uint32_t raced = unknown_lanes(p, before, lanes);
    const uint32_t unfenced = !raced && p->e->fenced ? unfenced_lanes(p, before, lanes) : 0;
    if (raced && !is_harmless)
        report(p, before, raced, same ? HAUL_FINDING_RACE_SAME_VALUE : HAUL_FINDING_RACE_GLOBAL);
    else if (unfenced)
        report(p, before, unfenced, HAUL_FINDING_MISSING_PROXY_FENCE);
    else if (!raced)
        check_lock(p, before, lanes);
    p->lane = lane;
}

static void check_readers(const sim_play *p, sim_line_words *line, unsigned word) {
    for (unsigned r = 0; r < SIM_READERS; r++) {
        const sim_kept_touch *reader = sim_word_kept(line, word, (sim_row_role)r);
        if (reader) check_reader(p, reader);
    }
}

/* True if the reader is the lane that now makes a strong access. Others' strong accesses do not race with that, but
 * they do with the ordinary read before it. */
static bool outlasts(const sim_play *p, const sim_kept_touch *reader) {
    if (!p->e->strong || !reader->by || !(reader->lanes >> p->lane & 1)) return false;
    const sim_touch t = sim_slice_touch(p->s, reader);
    return !t.strong && t.cluster == p->e->cluster && t.actor == p->e->actor;
}

/* Takes the bytes that are written from the word's readers. */
static void drop_readers(const sim_play *p, sim_line_words *line, unsigned word) {
    for (unsigned r = 0; r < SIM_READERS; r++) {
        sim_kept_touch *reader = sim_word_kept(line, word, (sim_row_role)r);
        if (!reader || outlasts(p, reader)) continue;
        reader->bytes &= ~(unsigned)p->bytes & 15u;
        if (!reader->bytes) reader->by = 0;
    }
}

static void write_word(sim_play *p, sim_line_words *line, unsigned word) {
    sim_kept_touch *writer = sim_slice_touch_at(p->s, line, word, SIM_ROW_WRITER);
    if (!writer) return;
    const sim_touch before = sim_slice_touch(p->s, writer);
    const uint32_t by = writer->by;
    check_write(p, &before, line, word);
    check_readers(p, line, word);
    keep_writer(p, &before, writer);
    *sim_word_value(line, word) = p->value;
    drop_readers(p, line, word);
    if (sim_order_hides(p->watch, p->e, &before)) keep_hidden(p, &before, by, line, word);
}

bool sim_play_read_again(sim_play *p, sim_line_words *line, unsigned word, unsigned lane) {
    const sim_touches *readers = &line->roles[SIM_ROW_READER], *before = &line->roles[SIM_ROW_READER_BEFORE];
    if (!(readers->words & before->words & ~line->roles[SIM_ROW_WRITER].words & 1u << word)) return false;
    sim_kept_touch *last = &readers->list[sim_touches_place(readers, word)];
    if (!p->by || !last->by || sim_slice_accessor_at(p->s, last->by)->cluster == p->e->cluster) return false;
    before->list[sim_touches_place(before, word)] = *last;
    *last = (sim_kept_touch){.by = p->by & SIM_MOST_ACCESSORS, .bytes = 15, .lanes = 1u << lane};
    return true;
}

void sim_play_words(sim_play *p, sim_line_words *line, uint64_t from, uint64_t to) {
    for (uint64_t word = from / 4 * 4; word < to; word += 4) {
        const unsigned first = word < from ? (unsigned)(from - word) : 0;
        const unsigned end = word + 4 > to ? (unsigned)(to - word) : 4;
        p->address = word;
        p->bytes = (uint8_t)((1u << end) - (1u << first));
        const unsigned at = word / 4 % SIM_LINE_WORDS;
        if (sim_play_reads(p))
            read_word(p, line, at);
        else
            write_word(p, line, at);
    }
}

void sim_play_lanes(sim_play *p, sim_line_words *words, uint64_t line, uint32_t lanes) {
    const uint64_t start = line * SIM_FOOTPRINT_LINE, end = start + SIM_FOOTPRINT_LINE;
    for (; lanes; lanes &= lanes - 1) {
        p->lane = (unsigned)__builtin_ctz(lanes);
        const uint64_t from = sim_play_address(p, p->lane), to = from + p->e->bytes;
        p->value = sim_play_value(p, p->lane);
        sim_play_words(p, words, from > start ? from : start, to < end ? to : end);
    }
}

sim_touch sim_touch_of_row(const sim_row *r) {
    return (sim_touch){.cluster = r->cluster,
                       .instruction = r->instruction,
                       .time = r->time,
                       .epoch = r->epoch,
                       .actor = r->actor,
                       .action = r->action & 63u,
                       .strong = r->strong & 3u};
}

/* Fills a word's writer from a row, when a line gets words. */
static void spread_writer(const sim_row *r, unsigned word, unsigned bits, sim_kept_touch *t) {
    for (unsigned i = 0; i < 4; i++)
        if (bits >> i & 1) t->lane[i] = (uint8_t)(31 - __builtin_clz(sim_owner_lanes(r->owner, 4 * word + i)));
    t->bytes = bits & 15u;
}

/* If different lanes have read the word's bytes, keeps the last ones only. */
static void spread_reader(const sim_row *r, unsigned word, unsigned bits, sim_kept_touch *t) {
    const unsigned last = 31u - (unsigned)__builtin_clz(bits);
    t->lanes = sim_owner_lanes(r->owner, 4 * word + last);
    for (unsigned i = 0; i < 4; i++)
        if (bits >> i & 1 && sim_owner_lanes(r->owner, 4 * word + i) == t->lanes) t->bytes = (t->bytes | 1u << i) & 15u;
}

/* Fills the words of a line from a row. */
static void spread_row(sim_slice *s, const sim_row *r, sim_line_words *line) {
    const sim_touch touch = sim_touch_of_row(r);
    const uint32_t by = sim_slice_accessor(s, &touch), words = sim_bytes_words(r->bytes);
    if (!sim_slice_reserve_touches(s, line, words, (sim_row_role)r->role)) return;
    for (uint32_t left = words; left; left &= left - 1) {
        const unsigned word = (unsigned)__builtin_ctz(left), bits = sim_bytes_of_word(r->bytes, word);
        sim_kept_touch *t = sim_slice_touch_at(s, line, word, (sim_row_role)r->role);
        if (!t) return;
        *t = (sim_kept_touch){.by = by & SIM_MOST_ACCESSORS};
        if (r->role == SIM_ROW_WRITER)
            spread_writer(r, word, bits, t);
        else
            spread_reader(r, word, bits, t);
    }
}

static void spread_values(const sim_page *g, unsigned first, sim_line_words *line) {
    for (uint32_t left = line->roles[SIM_ROW_WRITER].words; left; left &= left - 1) {
        const unsigned word = (unsigned)__builtin_ctz(left);
        *sim_word_value(line, word) = sim_page_value(g, first + word);
    }
}

/* Gives the line words, for which it has nothing yet. Returns NULL if there are too many, or the host runs out of
 * memory. */
static sim_line_words *add_words(sim_slice *s, uint32_t *link) {
    uint32_t index;
    sim_line_words *words = sim_slice_add_words(s, &index);
    *link = words ? SIM_LINE_DETAILED | index : SIM_LINE_UNWATCHED;
    return words;
}

sim_line_words *sim_play_detail(sim_play *p, sim_page *g, unsigned line) {
    sim_slice *s = p->s;
    uint32_t *link = &g->lines[line].link, rows = *link;
    sim_line_words *words = add_words(s, link);
    for (uint32_t i = words ? rows : SIM_NO_ROW; i != SIM_NO_ROW; i = sim_slice_row(s, i)->next)
        spread_row(s, sim_slice_row(s, i), words);
    if (words) spread_values(g, line * SIM_LINE_WORDS, words);
    sim_slice_drop_rows(s, &rows);
    return words;
}

/* The same from a lane's note. */
static void spread_note(sim_slice *s, const sim_note *n, sim_line_words *line) {
    const bool reads = sim_only_reads(sim_slice_accessor_at(s, n->by)->action);
    const sim_row_role role = reads ? SIM_ROW_READER : SIM_ROW_WRITER;
    if (!sim_slice_reserve_touches(s, line, n->words, role)) return;
    sim_kept_touch kept = {.by = n->by & SIM_MOST_ACCESSORS, .bytes = 15};
    if (reads)
        kept.lanes = n->lanes;
    else
        memset(kept.lane, __builtin_ctz(n->lanes), sizeof kept.lane);
    for (uint32_t left = n->words; left; left &= left - 1) {
        sim_kept_touch *t = sim_slice_touch_at(s, line, (unsigned)__builtin_ctz(left), role);
        if (t) *t = kept;
    }
}

void sim_play_detail_notes(sim_play *p, sim_page *g, unsigned line, const sim_note *notes, unsigned count) {
    sim_line_words *words = add_words(p->s, &g->lines[line].link);
    for (unsigned i = 0; words && i < count; i++) spread_note(p->s, &notes[i], words);
    if (words) spread_values(g, line * SIM_LINE_WORDS, words);
}
