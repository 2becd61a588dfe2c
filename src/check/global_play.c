/* Replays logged accesses to global memory against its shadow.
 *
 * A line of 128 bytes has a few rows, which say which warp last wrote and read which of its bytes. An access is
 * compared with them as a whole. Rows may not show that it is ordered, or there would be too many. Then the line's
 * words get a shadow each, and the access is replayed lane by lane. Both give the same findings. */
#include "base/memory.h"
#include "base/pool.h"
#include "base/status.h"
#include "check/global.h"
#include "check/global_fetch.h"
#include "check/global_shadow.h"
#include "check/node.h"
#include "state/block.h"

#include <stdio.h>
#include <string.h>

typedef struct play {
    const sim_watch *watch;
    sim_slice *s;
    unsigned number; /* of the slice */
    const sim_logged *e;
    const uint64_t *lists;
    const uint32_t *values;          /* of the lanes; NULL: not known */
    bool folds;                      /* of the page */
    const sim_known *known, *fenced; /* fenced: of reads by the copy engine; NULL: there was no fence */
    uint64_t address;                /* of the word */
    uint32_t value;
    uint32_t lanes; /* of the entry's list that touch the slice */
    unsigned lane;
    uint8_t bytes;        /* of the word */
    const sim_part *part; /* of the line */
    sim_page **pages;     /* of scattered lanes from the next one on */
} play;

/* Returns the last release of which the current thread knows; it knows other clusters' accesses of this kind. */
static uint32_t floor_of(const play *p, unsigned action) {
    return action == HAUL_ACTION_READ ? p->e->floor.reads : p->e->floor.all;
}

/* Returns the lanes of another cluster's actor whose accesses up to that time have been published up to a release. */
static uint32_t lanes_published(const play *p, uint32_t cluster, uint32_t actor, uint32_t time, sim_publication kind,
                                uint32_t release) {
    const sim_history *histories = p->watch->histories[kind];
    const sim_grid *g = p->watch->grid;
    if (!histories || time == 0) return SIM_ALL_LANES;
    const sim_known *known = sim_history_at(&histories[cluster], release, g->warps * g->cluster_blocks);
    return known ? sim_known_lanes(&known[actor], time) : 0;
}

/* The same for accesses of one kind, up to the last release of which the current thread knows. */
static uint32_t published_lanes(const play *p, uint32_t cluster, uint32_t actor, uint32_t time, unsigned action) {
    const sim_publication kind = action == HAUL_ACTION_READ ? SIM_PUBLISHED_READS : SIM_PUBLISHED_ALL;
    return lanes_published(p, cluster, actor, time, kind, floor_of(p, action));
}

/* Returns those of the touch's `lanes` that are not known to come before the current lane. */
static uint32_t unknown_lanes(const play *p, const sim_touch *t, uint32_t lanes) {
    if (t->cluster != p->e->cluster)
        return t->epoch <= floor_of(p, t->action)
                   ? lanes & ~published_lanes(p, t->cluster, t->actor, t->time, t->action)
                   : lanes;
    const uint32_t own = t->actor == p->e->actor ? 1u << p->lane : 0;
    return lanes & ~sim_known_lanes(&p->known[t->actor], t->time) & ~own;
}

/* True if the two are lanes of one warp that rely on lockstep. */
static bool count_on_lockstep(const play *p, uint32_t cluster, uint32_t actor, uint32_t instruction) {
    const sim_logged *e = p->e;
    if (e->cluster != cluster || e->actor != actor) return false;
    return sim_counts_on_lockstep(p->watch->grid, e->instruction, instruction);
}

static bool may_lose_update(const play *p, uint32_t instruction) {
    return sim_may_lose_update(p->watch->grid, p->e->instruction, instruction);
}

/* True if both accesses are strong and the scope of each reaches the other: then they do not race, unless both are part
 * of updates. */
static bool are_strong(const play *p, uint8_t strength, uint32_t cluster, uint32_t actor, uint32_t instruction) {
    const sim_logged *e = p->e;
    const bool is_far = e->cluster != cluster;
    if (is_far ? e->strong != SIM_STRONG || strength != SIM_STRONG : !e->strong || !strength) return false;
    return !may_lose_update(p, instruction) && (is_far || !count_on_lockstep(p, cluster, actor, instruction));
}

static bool cannot_race(const play *p, const sim_touch *t) {
    return are_strong(p, t->strong, t->cluster, t->actor, t->instruction);
}

/* True if the current thread has waited for a flag, and now loads data that the flag's thread stored before. If both
 * data and flag are volatile, the two accesses do not race, but without fences the data may be old. */
static bool was_told(const play *p, const sim_touch *t) {
    const sim_logged *e = p->e;
    const uint8_t *uses = p->watch->grid->uses;
    if (!uses || (t->cluster == e->cluster && t->actor == e->actor) || t->epoch > e->floor.told) return false;
    if (!(uses[e->instruction] & SIM_USE_LOADS_VOLATILE) || !(uses[t->instruction] & SIM_USE_STORES_VOLATILE))
        return false;
    const uint32_t behind = t->time + 1; /* the flag itself is no data */
    return lanes_published(p, t->cluster, t->actor, behind, SIM_PUBLISHED_READS, e->floor.told) != 0;
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

static const char *explanation_of(const play *p, const sim_touch *t, bool lockstep) {
    if (lockstep) return "lanes of one warp: volatile does not order them, and they need not run in lockstep";
    if (was_told(p, t)) return sim_old_data;
    if (may_lose_update(p, t->instruction)) return sim_lost_update;
    if (t->cluster == p->e->cluster) return "threads of one block, with no barrier between the two";
    if (t->epoch > floor_of(p, t->action)) return "threads of different blocks, which nothing orders within a launch";
    return "the other block has published its work by a flag, but the thread that wrote the flag did not know of this "
           "access";
}

static void concern(const play *p, uint64_t cluster, uint32_t thread) {
    const sim_grid *g = p->watch->grid;
    const uint64_t actors = (uint64_t)g->warps * g->cluster_blocks;
    sim_findings_concern(&p->s->findings, cluster * actors + thread / SIM_LANES, 1u << thread % SIM_LANES);
}

/* `lanes`: of the touch. */
static void report(const play *p, const sim_touch *t, uint32_t lanes, haul_finding_kind kind) {
    const sim_grid *g = p->watch->grid;
    const sim_logged *e = p->e;
    const uint32_t thread = t->actor * SIM_LANES + (uint32_t)__builtin_ctz(lanes);
    const bool lockstep = count_on_lockstep(p, t->cluster, t->actor, t->instruction);
    const haul_finding found = {.kind = kind,
                                .grade = lockstep ? HAUL_GRADE_WARNING : haul_finding_kinds[kind].grade,
                                .access =
                                    access_of(g, e->cluster, e->actor * SIM_LANES + p->lane, e->action, e->instruction),
                                .other = access_of(g, t->cluster, thread, t->action, t->instruction),
                                .space = HAUL_SPACE_GLOBAL,
                                .address = p->address,
                                .bytes = 4};
    sim_finding *f = sim_findings_add(&p->s->findings, &found);
    concern(p, e->cluster, e->actor * SIM_LANES + p->lane);
    concern(p, t->cluster, thread);
    if (!f) return;
    sim_finding_locate(g, f);
    if (kind == HAUL_FINDING_MISSING_PROXY_FENCE) {
        snprintf(f->what, sizeof f->what, "no fence.proxy.async for global memory between the store and the copy");
        return;
    }
    if (kind == HAUL_FINDING_TEXTURE_STALE) {
        snprintf(f->what, sizeof f->what, "the launch has written there, and this path need not see it");
        return;
    }
    snprintf(f->what, sizeof f->what, "%s", explanation_of(p, t, lockstep));
}

static sim_touch touch_of(const play *p) {
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
static uint32_t writing_lanes(const play *p, const sim_touch *writer) {
    uint32_t lanes = 0;
    for (unsigned i = 0; writer->epoch && i < 4; i++)
        if (writer->bytes & p->bytes & 1u << i) lanes |= 1u << writer->lane[i];
    return lanes;
}

/* Returns the lanes whose ordinary write has not passed a proxy fence that the current thread knows of. Fences of other
 * clusters are not tracked, but if there was no fence at all, no write has passed one. */
static uint32_t unfenced_lanes(const play *p, const sim_touch *t, uint32_t lanes) {
    if (t->action != HAUL_ACTION_WRITE) return 0;
    if (!p->fenced) return lanes;
    return t->cluster == p->e->cluster ? lanes & ~sim_known_lanes(&p->fenced[t->actor], t->time) : 0;
}

/* Checks a read of a word against its last writer. */
static void check_read(const play *p, const sim_touch *writer) {
    const sim_logged *e = p->e;
    if (!writer->epoch) return;
    const uint32_t lanes = writing_lanes(p, writer);
    const uint32_t raced = cannot_race(p, writer) && !was_told(p, writer) ? 0 : unknown_lanes(p, writer, lanes);
    const uint32_t unfenced = e->fenced ? unfenced_lanes(p, writer, lanes) : 0;
    if (raced)
        report(p, writer, raced, HAUL_FINDING_RACE_GLOBAL);
    else if (e->incoherent && lanes)
        report(p, writer, lanes, HAUL_FINDING_TEXTURE_STALE);
    else if (unfenced)
        report(p, writer, unfenced, HAUL_FINDING_MISSING_PROXY_FENCE);
}

/* True if the last reader need not be kept: it comes before the current lane, whose access covers all its bytes. */
static bool is_covered(const play *p, const sim_touch *last) {
    const bool by_self = last->actor == p->e->actor && !(last->lanes & ~p->e->active);
    return !(last->bytes & ~p->bytes) && (by_self || !unknown_lanes(p, last, last->lanes));
}

/* Records a read of a word in the reader roles (sim_row_role). */
static void keep_reader(const play *p, sim_word_shadow *w) {
    sim_touch *last = &w->readers[SIM_ROW_READER], *beside = &w->readers[SIM_ROW_READER_BESIDE];
    sim_touch now = touch_of(p);
    now.lanes = 1u << p->lane;
    if (last->epoch && are_together(last, &now) && last->bytes == now.bytes && last->strong == now.strong) {
        last->lanes |= now.lanes;
        last->instruction = now.instruction;
        return;
    }
    const bool other_warp = beside->epoch && (beside->cluster != now.cluster || beside->actor != now.actor);
    if (last->epoch && last->cluster != now.cluster)
        w->readers[SIM_ROW_READER_BEFORE] = *last;
    else if (last->epoch && !is_covered(p, last) && !(last->actor == now.actor && other_warp))
        *beside = *last;
    *last = now;
}

static void read_word(const play *p, sim_word_shadow *w) {
    check_read(p, &w->writer);
    keep_reader(p, w);
}

static void check_reader(const play *p, const sim_touch *t) {
    if (!t->epoch || !(t->bytes & p->bytes) || cannot_race(p, t)) return;
    const uint32_t unknown = unknown_lanes(p, t, t->lanes);
    if (unknown) report(p, t, unknown, HAUL_FINDING_RACE_GLOBAL);
}

/* Records a write of a word; bytes that the same access writes are joined. */
static void keep_writer(const play *p, sim_touch *writer) {
    const sim_touch now = touch_of(p);
    const bool more =
        are_together(writer, &now) && writer->instruction == now.instruction && !(writer->bytes & p->bytes);
    const uint8_t before = more ? writer->bytes : 0;
    uint8_t lane[4];
    memcpy(lane, writer->lane, sizeof lane);
    for (unsigned i = 0; i < 4; i++)
        if (!(before >> i & 1)) lane[i] = (uint8_t)p->lane;
    *writer = now;
    memcpy(writer->lane, lane, sizeof lane);
    writer->bytes |= before;
}

/* True if the current access is a thread's strong write of what it wrote by an ordinary one, and nothing has published
 * that: other threads' strong accesses do not race with the later write, but they do with the earlier one. */
static bool hides(const play *p, const sim_touch *t) {
    const sim_logged *e = p->e;
    if (!e->strong || t->strong || !t->epoch || t->action != HAUL_ACTION_WRITE) return false;
    return t->cluster == e->cluster && t->actor == e->actor &&
           !lanes_published(p, t->cluster, t->actor, t->time, SIM_PUBLISHED_ALL, UINT32_MAX);
}

/* Keeps such a write among the word's readers, which a write is compared with. */
static void keep_hidden(const play *p, const sim_touch *writer, sim_word_shadow *w) {
    sim_touch hidden = *writer;
    hidden.lanes = writing_lanes(p, writer);
    hidden.bytes &= p->bytes;
    if (hidden.bytes) w->readers[SIM_ROW_READER] = hidden;
}

static void write_word(const play *p, sim_word_shadow *w) {
    const sim_touch before = w->writer;
    const uint32_t raced = cannot_race(p, &w->writer) ? 0 : unknown_lanes(p, &w->writer, writing_lanes(p, &w->writer));
    if (raced)
        report(p, &w->writer, raced,
               p->value && p->value == w->value ? HAUL_FINDING_RACE_SAME_VALUE : HAUL_FINDING_RACE_GLOBAL);
    for (unsigned r = 0; r < SIM_READERS; r++) check_reader(p, &w->readers[r]);
    keep_writer(p, &w->writer);
    w->value = p->value;
    for (unsigned r = 0; r < SIM_READERS; r++) {
        w->readers[r].bytes &= (uint8_t)~p->bytes;
        if (!w->readers[r].bytes) w->readers[r].epoch = 0;
    }
    if (hides(p, &before)) keep_hidden(p, &before, w);
}

static bool reads(const sim_logged *e) {
    return e->action == HAUL_ACTION_READ || e->action == HAUL_ACTION_ASYNC_READ;
}

/* ---- stored values ---- */

static uint32_t fold(uint32_t hash) {
    const uint16_t folded = (uint16_t)(hash >> 16 ^ hash);
    return folded ? folded : 1;
}

/* Returns the hash of what the lane stores, as wide as the page's; 0 if it is not known. */
static uint32_t value_of(const play *p, unsigned lane) {
    if (!p->values) return 0;
    return p->folds ? fold(p->values[lane]) : p->values[lane];
}

static uint32_t value_at(const sim_page *g, unsigned word) {
    if (!g->values) return 0;
    return g->folds ? ((const uint16_t *)g->values)[word] : ((const uint32_t *)g->values)[word];
}

static void set_value_at(sim_page *g, unsigned word, uint32_t value) {
    if (g->folds)
        ((uint16_t *)g->values)[word] = (uint16_t)value;
    else
        ((uint32_t *)g->values)[word] = value;
}

/* ---- words ---- */

/* Replays the lane's access to `from` .. `to`-1 in the line that has these words. */
static void play_words(play *p, sim_word_shadow *words, uint64_t from, uint64_t to) {
    for (uint64_t word = from / 4 * 4; word < to; word += 4) {
        const unsigned first = word < from ? (unsigned)(from - word) : 0;
        const unsigned end = word + 4 > to ? (unsigned)(to - word) : 4;
        p->address = word;
        p->bytes = (uint8_t)((1u << end) - (1u << first));
        sim_word_shadow *w = &words[word / 4 % SIM_LINE_WORDS];
        if (reads(p->e))
            read_word(p, w);
        else
            write_word(p, w);
    }
}

static uint64_t address_of(const play *p, unsigned lane) {
    return p->e->list ? p->lists[(p->e->list - 1) * SIM_LANES + lane] : p->e->base + (uint64_t)(p->e->stride * lane);
}

static void play_lanes(play *p, sim_word_shadow *words, uint64_t line, uint32_t lanes) {
    const uint64_t start = line * SIM_FOOTPRINT_LINE, end = start + SIM_FOOTPRINT_LINE;
    for (; lanes; lanes &= lanes - 1) {
        p->lane = (unsigned)__builtin_ctz(lanes);
        const uint64_t from = address_of(p, p->lane), to = from + p->e->bytes;
        p->value = value_of(p, p->lane);
        play_words(p, words, from > start ? from : start, to < end ? to : end);
    }
}

static sim_touch touch_of_row(const sim_row *r) {
    return (sim_touch){.cluster = r->cluster,
                       .instruction = r->instruction,
                       .time = r->time,
                       .epoch = r->epoch,
                       .actor = r->actor,
                       .action = r->action & 63u,
                       .strong = r->strong & 3u};
}

/* Fills a word's writer from a row, when a line gets words. */
static void spread_writer(const sim_row *r, unsigned word, unsigned bits, sim_touch *t) {
    *t = touch_of_row(r);
    t->bytes = (uint8_t)bits;
    for (unsigned i = 0; i < 4; i++)
        if (bits >> i & 1) t->lane[i] = (uint8_t)(31 - __builtin_clz(sim_owner_lanes(r->owner, 4 * word + i)));
}

/* If different lanes have read the word's bytes, keeps the last ones only. */
static void spread_reader(const sim_row *r, unsigned word, unsigned bits, sim_touch *t) {
    const unsigned last = 31u - (unsigned)__builtin_clz(bits);
    *t = touch_of_row(r);
    t->lanes = sim_owner_lanes(r->owner, 4 * word + last);
    for (unsigned i = 0; i < 4; i++)
        if (bits >> i & 1 && sim_owner_lanes(r->owner, 4 * word + i) == t->lanes) t->bytes |= (uint8_t)(1u << i);
}

static void spread_word(const sim_row *r, unsigned word, sim_word_shadow *w, uint32_t value) {
    const unsigned bits = sim_bytes_of_word(r->bytes, word);
    if (!bits) return;
    if (r->role != SIM_ROW_WRITER) {
        spread_reader(r, word, bits, &w->readers[r->role]);
        return;
    }
    spread_writer(r, word, bits, &w->writer);
    w->value = value;
}

/* Replaces the line's rows by words. Returns NULL if there are too many, or the host runs out of memory. */
static sim_word_shadow *detail(play *p, sim_page *g, unsigned line) {
    sim_slice *s = p->s;
    uint32_t *link = &g->lines[line].link, index;
    sim_word_shadow *words = sim_slice_add_words(s, &index);
    if (!words) {
        sim_slice_drop_rows(s, link);
        *link = SIM_LINE_UNWATCHED;
        return NULL;
    }
    for (uint32_t i = *link; i != SIM_NO_ROW; i = sim_slice_row(s, i)->next)
        for (unsigned w = 0; w < SIM_LINE_WORDS; w++)
            spread_word(sim_slice_row(s, i), w, &words[w], value_at(g, line * SIM_LINE_WORDS + w));
    sim_slice_drop_rows(s, link);
    *link = SIM_LINE_DETAILED | index;
    return words;
}

/* ---- lines ---- */

/* True if the row's access is known to come before the current one. */
static bool follows(const play *p, const sim_row *r, const sim_part *part) {
    const sim_logged *e = p->e;
    if (r->cluster != e->cluster)
        return r->epoch <= floor_of(p, r->action) &&
               !(sim_part_lanes(r->bytes, r->owner) & ~published_lanes(p, r->cluster, r->actor, r->time, r->action));
    const sim_known *n = &p->known[r->actor];
    if (n->all >= r->time) return true;
    if (r->actor == e->actor && sim_owner_is_single(part->owner) &&
        sim_same_lanes(sim_bytes_and(r->bytes, part->bytes), r->owner, part->owner))
        return true;
    return n->some >= r->time && (sim_part_lanes(r->bytes, r->owner) & ~n->lanes) == 0;
}

enum { MOST_ROWS = 12 };

/* True if a row may record the part: several lanes that write one byte may race with each other. */
static bool suits_row(const play *p, const sim_part *part) {
    return reads(p->e) || p->e->strong || sim_owner_is_single(part->owner);
}

/* True if the row shows that the access is ordered after the row's own. */
static bool is_after(const play *p, const sim_row *r, const sim_part *part) {
    const sim_logged *e = p->e;
    if (!sim_bytes_overlap(r->bytes, part->bytes) || (r->role != SIM_ROW_WRITER && reads(e))) return true;
    if (e->fenced && r->action == HAUL_ACTION_WRITE) return false;
    if (e->incoherent && r->role == SIM_ROW_WRITER) return false;
    const sim_touch touch = touch_of_row(r);
    if (r->role == SIM_ROW_WRITER && hides(p, &touch)) return false;
    return (cannot_race(p, &touch) && !was_told(p, &touch)) || follows(p, r, part);
}

/* True if rows show that the access is ordered, and rows can record it. */
static bool in_order(const play *p, uint32_t first, const sim_part *part) {
    unsigned count = 0;
    if (!suits_row(p, part)) return false;
    for (uint32_t i = first; i != SIM_NO_ROW; i = sim_slice_row(p->s, i)->next)
        if (++count == MOST_ROWS || !is_after(p, sim_slice_row(p->s, i), part)) return false;
    return true;
}

static sim_row row_of(const play *p, const sim_part *part, sim_row_role role) {
    const sim_logged *e = p->e;
    return (sim_row){.bytes = part->bytes,
                     .owner = part->owner,
                     .cluster = e->cluster,
                     .time = e->time,
                     .epoch = e->age,
                     .instruction = e->instruction,
                     .next = SIM_NO_ROW,
                     .actor = e->actor,
                     .action = e->action,
                     .role = role & 63u,
                     .strong = e->strong & 3u};
}

static void fill_row(const play *p, sim_row *r, const sim_part *part, sim_row_role role) {
    const uint32_t next = r->next;
    *r = row_of(p, part, role);
    r->next = next;
}

/* True if one access made both rows, and they have the same role and owners. */
static bool are_alike(const sim_row *a, const sim_row *b) {
    return a->owner.bits == b->owner.bits && a->instruction == b->instruction && a->time == b->time &&
           a->epoch == b->epoch && a->cluster == b->cluster && a->actor == b->actor && a->action == b->action &&
           a->role == b->role && a->strong == b->strong;
}

/* Finds a row like that among the first few. */
enum { MOST_LIKE = 4 };
static sim_row *find_like(const play *p, uint32_t first, const sim_row *r) {
    unsigned left = MOST_LIKE;
    for (uint32_t i = first; i != SIM_NO_ROW && left--; i = sim_slice_row(p->s, i)->next)
        if (are_alike(sim_slice_row(p->s, i), r)) return sim_slice_row(p->s, i);
    return NULL;
}

/* Records bytes that no row of that role has. What an access does in several steps, as a lane that goes through a line,
 * is one row. */
static bool add_row(const play *p, uint32_t *link, const sim_row *r) {
    sim_row *like = sim_bytes_all(r->bytes) ? NULL : find_like(p, *link, r);
    if (like) {
        like->bytes = sim_bytes_or(like->bytes, r->bytes);
        return true;
    }
    const uint32_t index = sim_slice_take_row(p->s);
    if (index == SIM_NO_ROW) return false;
    sim_row *added = sim_slice_row(p->s, index);
    *added = *r;
    added->next = *link;
    *link = index;
    return true;
}

/* Removes `bytes` from the rows that `is_meant` selects, and frees rows left empty. */
typedef bool meant_fn(const play *p, const sim_row *r);

static void cut(const play *p, uint32_t *link, sim_bytes bytes, meant_fn *is_meant) {
    while (*link != SIM_NO_ROW) {
        sim_row *r = sim_slice_row(p->s, *link);
        if (is_meant(p, r)) r->bytes = sim_bytes_without(r->bytes, bytes);
        if (sim_bytes_any(r->bytes))
            link = &r->next;
        else
            sim_slice_drop_row(p->s, link);
    }
}

static bool is_any(const play *p, const sim_row *r) {
    (void)p, (void)r;
    return true;
}

static bool is_before(const play *p, const sim_row *r) {
    (void)p;
    return r->role == SIM_ROW_READER_BEFORE;
}

static bool is_beside(const play *p, const sim_row *r) {
    (void)p;
    return r->role == SIM_ROW_READER_BESIDE;
}

static bool is_own_reader(const play *p, const sim_row *r) {
    return r->role == SIM_ROW_READER && r->cluster == p->e->cluster;
}

static bool is_others_reader(const play *p, const sim_row *r) {
    return r->role == SIM_ROW_READER && r->cluster != p->e->cluster;
}

/* True if the row's read is known to come before the current access, or is by the same lanes. */
static bool is_done_reader(const play *p, const sim_row *r) {
    if (!is_own_reader(p, r)) return false;
    return (r->actor == p->e->actor && r->owner.bits == p->part->owner.bits) || follows(p, r, p->part);
}

/* True if another warp's read is kept beside the warp's own. */
static bool is_accompanied(const play *p, uint32_t first) {
    for (uint32_t i = first; i != SIM_NO_ROW; i = sim_slice_row(p->s, i)->next) {
        const sim_row *r = sim_slice_row(p->s, i);
        const bool is_own = r->cluster == p->e->cluster && r->actor == p->e->actor;
        if (r->role == SIM_ROW_READER_BESIDE && !is_own && sim_bytes_overlap(r->bytes, p->part->bytes)) return true;
    }
    return false;
}

static bool is_own_warps(const play *p, const sim_row *r) {
    return is_own_reader(p, r) && r->actor == p->e->actor;
}

/* Gives some of a row's bytes another role. */
static void move_bytes(const play *p, uint32_t *link, sim_row *r, sim_bytes bytes, sim_row_role role) {
    const sim_bytes kept = sim_bytes_without(r->bytes, bytes);
    sim_row moved = *r;
    moved.role = (uint8_t)role & 63u;
    moved.bytes = sim_bytes_and(r->bytes, bytes);
    if (!sim_bytes_any(kept))
        r->role = moved.role;
    else if (add_row(p, link, &moved))
        r->bytes = kept;
}

/* Moves the current bytes of rows that `is_meant` selects to another role, and drops those that role had. */
static void move_role(const play *p, uint32_t *link, meant_fn *is_meant, sim_row_role role, meant_fn *is_dropped) {
    const sim_bytes bytes = p->part->bytes;
    sim_bytes pushed = {{0, 0}};
    for (uint32_t i = *link; i != SIM_NO_ROW; i = sim_slice_row(p->s, i)->next)
        if (is_meant(p, sim_slice_row(p->s, i))) pushed = sim_bytes_or(pushed, sim_slice_row(p->s, i)->bytes);
    pushed = sim_bytes_and(pushed, bytes);
    if (!sim_bytes_any(pushed)) return;
    cut(p, link, pushed, is_dropped);
    for (uint32_t i = *link; i != SIM_NO_ROW; i = sim_slice_row(p->s, i)->next) {
        sim_row *r = sim_slice_row(p->s, i);
        if (is_meant(p, r) && sim_bytes_overlap(r->bytes, bytes)) move_bytes(p, link, r, bytes, role);
    }
}

/* True if the cluster's last read need not be kept beside the current one. */
static bool stays_last(const play *p, const sim_row *last, const sim_row *beside) {
    if (last->actor == p->e->actor)
        return last->owner.bits == p->part->owner.bits || (beside && beside->actor != last->actor);
    return !beside && follows(p, last, p->part);
}

/* Handles bytes that are read in turn or repeatedly in the same pieces: rows only change roles. Sets `overlaps` if
 * others have read some of the bytes. */
static bool read_in_turn(const play *p, uint32_t first, bool *overlaps) {
    sim_row *rows[SIM_READERS] = {NULL};
    *overlaps = false;
    for (uint32_t i = first; i != SIM_NO_ROW; i = sim_slice_row(p->s, i)->next) {
        sim_row *r = sim_slice_row(p->s, i);
        if (r->role == SIM_ROW_WRITER || !sim_bytes_overlap(r->bytes, p->part->bytes)) continue;
        *overlaps = true;
        if (!sim_bytes_equal(r->bytes, p->part->bytes)) return false;
        rows[r->role] = r;
    }
    sim_row *last = rows[SIM_ROW_READER];
    if (!last) return false;
    const sim_row_role role = last->cluster == p->e->cluster ? SIM_ROW_READER_BESIDE : SIM_ROW_READER_BEFORE;
    sim_row *free = rows[role];
    if (role == SIM_ROW_READER_BESIDE && stays_last(p, last, free))
        free = last;
    else if (!free)
        return false;
    else
        last->role = (uint8_t)role & 63u;
    fill_row(p, free, p->part, SIM_ROW_READER);
    return true;
}

/* Records a read in the line's rows. */
static void note_read(const play *p, uint32_t *link) {
    bool overlaps;
    if (read_in_turn(p, *link, &overlaps)) return;
    if (overlaps) {
        cut(p, link, p->part->bytes, is_done_reader);
        if (is_accompanied(p, *link)) cut(p, link, p->part->bytes, is_own_warps);
        move_role(p, link, is_own_reader, SIM_ROW_READER_BESIDE, is_beside);
        move_role(p, link, is_others_reader, SIM_ROW_READER_BEFORE, is_before);
    }
    const sim_row now = row_of(p, p->part, SIM_ROW_READER);
    add_row(p, link, &now);
}

static unsigned lane_of_word(const sim_part *part, unsigned word) {
    const sim_owner o = part->owner;
    const unsigned byte = 4 * word + (unsigned)__builtin_ctz(sim_bytes_of_word(part->bytes, word));
    if (o.step == 1 && o.stride > 0 && !o.run && sim_owner_is_single(o) && (o.stride & (o.stride - 1)) == 0)
        return (unsigned)__builtin_ctz(o.lanes) + ((byte - o.start) >> __builtin_ctz((unsigned)o.stride));
    return 31u - (unsigned)__builtin_clz(sim_owner_lanes(o, byte));
}

/* Saves the hashes of lanes from `lane` on, a word each, for a line that they fill. */
static void note_line(const play *p, sim_page *g, unsigned line, unsigned lane) {
    const unsigned word = line * SIM_LINE_WORDS;
    const uint32_t *from = p->values + lane;
    if (!g->folds) {
        memcpy((uint32_t *)g->values + word, from, SIM_LINE_WORDS * sizeof *from);
        return;
    }
    for (unsigned w = 0; w < SIM_LINE_WORDS; w++) ((uint16_t *)g->values)[word + w] = (uint16_t)fold(from[w]);
}

/* True if the part is a whole line, with a lane for each word. */
static bool is_line_of_words(const sim_part *part) {
    const sim_owner o = part->owner;
    return o.stride == 4 && o.step == 1 && o.start == 0 && !o.run && o.lanes == 1 &&
           sim_bytes_all(part->bytes);
}

/* Saves hashes of the stored values, to tell races of equal values from others. */
static void note_values(const play *p, sim_page *g, unsigned line, const sim_part *part) {
    if (!g->values && !p->values) return;
    if (!g->values) g->values = memory_zeroed(SIM_PAGE_WORDS, g->folds ? sizeof(uint16_t) : sizeof(uint32_t));
    p->s->failed |= !g->values;
    if (g->values && p->values && is_line_of_words(part)) {
        note_line(p, g, line, 0);
        return;
    }
    for (unsigned w = 0; g->values && w < SIM_LINE_WORDS; w++)
        if (sim_bytes_of_word(part->bytes, w))
            set_value_at(g, line * SIM_LINE_WORDS + w, p->values ? value_of(p, lane_of_word(part, w)) : 0);
}

/* Records the access in a row: a shared one if the line has no other and it suits. */
static void add_access(const play *p, sim_page *g, unsigned line, const sim_part *part) {
    sim_page_line *l = &g->lines[line];
    const bool is_read = reads(p->e);
    const sim_row now = row_of(p, part, is_read ? SIM_ROW_READER : SIM_ROW_WRITER);
    const bool shares = l->link == SIM_NO_ROW && sim_row_is_shareable(&now);
    const bool added = shares ? sim_slice_share(p->s, l, &now) : add_row(p, &l->link, &now);
    if (added && !is_read) note_values(p, g, line, part);
}

/* True if the access's row takes the place of the line's shared one. */
static bool replaces(const play *p, const sim_row *r, const sim_row *now) {
    if (!sim_row_is_shareable(now) || !suits_row(p, p->part) || !is_after(p, r, p->part)) return false;
    return !reads(p->e) || (is_own_reader(p, r) && stays_last(p, r, NULL));
}

/* Replays the access to a line with a shared row. Returns false if the line has a row of its own now, or no memory. */
static bool play_shared(const play *p, sim_page *g, unsigned line) {
    sim_page_line *l = &g->lines[line];
    const sim_row r = sim_slice_shared_row(p->s, l);
    const sim_row now = row_of(p, p->part, reads(p->e) ? SIM_ROW_READER : SIM_ROW_WRITER);
    if (reads(p->e) && are_alike(&r, &now)) return true;
    const bool stays = replaces(p, &r, &now);
    sim_slice_unshare(p->s, l);
    if (stays)
        add_access(p, g, line, p->part);
    else
        add_row(p, &l->link, &r);
    return stays;
}

/* True if the same access has read the bytes last, as in a loop. */
static bool is_read_again(const play *p, uint32_t first, const sim_part *part) {
    const sim_row now = row_of(p, part, SIM_ROW_READER), *like = reads(p->e) ? find_like(p, first, &now) : NULL;
    return like && !sim_bytes_any(sim_bytes_without(part->bytes, like->bytes));
}

/* Replays an access of `lanes` to a line of the page; `part` names the bytes. */
static void play_line(play *p, sim_page *g, unsigned line, const sim_part *part, uint32_t lanes, uint64_t number) {
    uint32_t *link = &g->lines[line].link, *used = &g->lines[line].used;
    if (*link == SIM_LINE_UNWATCHED) return;
    p->folds = p->values && g->folds;
    p->part = part;
    if (sim_link_is_shared(*link) && play_shared(p, g, line)) return;
    const bool is_detailed = sim_link_is_detailed(*link);
    const uint32_t words_used = sim_bytes_words(part->bytes);
    const bool is_new = !(*used & words_used);
    *used |= words_used;
    if (!is_detailed && is_new && suits_row(p, part)) {
        add_access(p, g, line, part);
    } else if (!is_detailed && is_read_again(p, *link, part)) {
        return;
    } else if (is_detailed || !in_order(p, *link, part)) {
        sim_word_shadow *words = is_detailed ? sim_slice_words(p->s, *link & ~SIM_LINE_DETAILED) : detail(p, g, line);
        if (words) play_lanes(p, words, number, lanes);
    } else if (reads(p->e)) {
        note_read(p, link);
    } else {
        if (*link != SIM_NO_ROW) cut(p, link, part->bytes, is_any);
        add_access(p, g, line, part);
    }
}

/* The same for line `number` of memory. */
static void play_part(play *p, uint64_t number, const sim_part *part, uint32_t lanes) {
    sim_page *g = sim_slice_page(p->s, number / SIM_PAGE_LINES);
    if (g)
        play_line(p, g, (unsigned)(number % SIM_PAGE_LINES), part, lanes, number);
    else
        p->s->failed = true;
}

static bool is_mine(const play *p, uint64_t line) {
    return line / SIM_PAGE_LINES % SIM_WATCH_SLICES == p->number;
}

/* Replays an access of `lanes` to the same bytes, in one line or several. */
static void play_range(play *p, uint64_t from, uint32_t lanes) {
    const uint64_t to = from + p->e->bytes;
    for (uint64_t line = from / SIM_FOOTPRINT_LINE; line <= (to - 1) / SIM_FOOTPRINT_LINE; line++) {
        const uint64_t start = line * SIM_FOOTPRINT_LINE;
        const sim_part part = {
            .bytes = sim_bytes_range(from > start ? (unsigned)(from - start) : 0,
                                     to < start + SIM_FOOTPRINT_LINE ? (unsigned)(to - start) : SIM_FOOTPRINT_LINE),
            .owner = {{.lanes = lanes}}};
        if (is_mine(p, line)) play_part(p, line, &part, lanes);
    }
}

/* Replays a lane's access by itself; its bytes are aligned to their number, so they are in one line. `g`: the page,
 * NULL if there was none yet. */
static void play_lane(play *p, unsigned lane, sim_page *g) {
    const uint64_t from = address_of(p, lane), number = from / SIM_FOOTPRINT_LINE;
    const unsigned line = (unsigned)(number % SIM_PAGE_LINES);
    if (!g) g = sim_slice_page(p->s, number / SIM_PAGE_LINES);
    if (!g) {
        p->s->failed = true;
        return;
    }
    const uint32_t link = g->lines[line].link;
    if (sim_link_is_detailed(link)) {
        p->lane = lane;
        p->folds = p->values && g->folds;
        p->value = value_of(p, lane);
        play_words(p, sim_slice_words(p->s, link & ~SIM_LINE_DETAILED), from, from + p->e->bytes);
        return;
    }
    const sim_part part = {.bytes = sim_bytes_aligned((unsigned)(from % SIM_FOOTPRINT_LINE), p->e->bytes),
                           .owner = {{.lanes = 1u << lane}}};
    play_line(p, g, line, &part, 1u << lane, number);
}

static uint32_t lanes_between(unsigned first, unsigned end) {
    return (end >= SIM_LANES ? SIM_ALL_LANES : (1u << end) - 1) & ~((1u << first) - 1);
}

/* Counts the list's lanes from `lane` on that lie side by side in one line. */
static unsigned count_run(const play *p, unsigned lane) {
    const uint64_t from = address_of(p, lane),
                   end = from / SIM_FOOTPRINT_LINE * SIM_FOOTPRINT_LINE + SIM_FOOTPRINT_LINE;
    uint64_t next = from + p->e->bytes;
    unsigned count = 1;
    for (; next < end && lane + count < SIM_LANES && p->lanes >> (lane + count) & 1; count++, next += p->e->bytes)
        if (address_of(p, lane + count) != next) break;
    return count;
}

/* Replays `count` such lanes at once. */
static void play_run(play *p, unsigned lane, unsigned count, sim_page *g) {
    const uint64_t from = address_of(p, lane), number = from / SIM_FOOTPRINT_LINE;
    const unsigned start = (unsigned)(from % SIM_FOOTPRINT_LINE), bytes = p->e->bytes;
    const sim_part part = {.bytes = sim_bytes_range(start, start + count * bytes),
                           .owner = sim_owner_evenly(lane, start, bytes, bytes)};
    if (!g) g = sim_slice_page(p->s, number / SIM_PAGE_LINES);
    if (g)
        play_line(p, g, (unsigned)(number % SIM_PAGE_LINES), &part, lanes_between(lane, lane + count), number);
    else
        p->s->failed = true;
}

static void play_list(play *p) {
    for (uint32_t left = p->lanes; left;) {
        const unsigned lane = (unsigned)__builtin_ctz(left), count = count_run(p, lane);
        if (count > 1)
            play_run(p, lane, count, *p->pages);
        else
            play_lane(p, lane, *p->pages);
        p->pages += count;
        left &= ~lanes_between(lane, lane + count);
    }
}

/* Replays lanes at an even stride, several to a line. */
static void play_evenly(play *p) {
    const sim_logged *e = p->e;
    const unsigned stride = (unsigned)e->stride;
    for (uint32_t left = e->active; left;) {
        const unsigned first = (unsigned)__builtin_ctz(left);
        const uint64_t from = e->base + (uint64_t)e->stride * first, line = from / SIM_FOOTPRINT_LINE;
        const unsigned start = (unsigned)(from % SIM_FOOTPRINT_LINE);
        const unsigned end = first + (SIM_FOOTPRINT_LINE - start + stride - 1) / stride;
        const uint32_t all = lanes_between(first, end), lanes = all & left;
        left &= ~lanes;
        if (!is_mine(p, line)) continue;
        sim_part part = {.owner = sim_owner_evenly(first, start, stride, e->bytes)};
        if (stride == e->bytes && lanes == all)
            part.bytes = sim_bytes_range(start, start + stride * (unsigned)__builtin_popcount(all));
        else
            for (uint32_t l = lanes; l; l &= l - 1) {
                const unsigned at = start + stride * ((unsigned)__builtin_ctz(l) - first);
                part.bytes = sim_bytes_or(part.bytes, sim_bytes_range(at, at + e->bytes));
            }
        play_part(p, line, &part, lanes);
    }
}

/* Replays an access of several warps, one after the other. */
static void play_warps(play *p) {
    const sim_logged *all = p->e;
    const uint32_t *values = p->values;
    sim_logged one = *all;
    p->e = &one;
    for (unsigned w = 0; w < all->warps; w++, one.base += one.pitch, one.actor++) {
        if (values) p->values = values + (size_t)w * one.value_step * SIM_LANES;
        play_evenly(p);
    }
    p->e = all;
}

static void play_entry(play *p) {
    const sim_logged *e = p->e;
    if (e->warps > 1)
        play_warps(p);
    else if (!e->list && e->stride == 0)
        play_range(p, e->base, e->active);
    else if (!e->list && e->stride >= e->bytes && e->stride < SIM_FOOTPRINT_LINE)
        play_evenly(p);
    else if (sim_is_scattered(e))
        play_list(p);
    else
        for (uint32_t left = e->active; left; left &= left - 1)
            play_range(p, address_of(p, (unsigned)__builtin_ctz(left)), left & -left);
}

/* Replays one SM's log, as far as it touches the slice. */
static void play_log(const sim_watch *watch, sim_slice *s, unsigned number, const sim_access_log *log) {
    play p = {.watch = watch, .s = s, .number = number, .lists = log->lists};
    const sim_log_share *share = &log->shares[number];
    sim_page *pages[SIM_FETCH_LANES];
    for (size_t i = 0, fetched = 0; i < share->count; i++) {
        const sim_logged *e = &log->entries[share->entries[i].entry];
        if (i == fetched) {
            fetched = sim_fetch_lines(s, log, share, i, pages);
            p.pages = pages;
        }
        p.e = e;
        p.lanes = share->entries[i].lanes;
        p.known = log->known + e->known;
        p.fenced = e->fenced && e->fenced != SIM_NEVER_FENCED ? log->known + e->fenced - 1 : NULL;
        p.values = e->values ? log->values + (size_t)(e->values - 1) * SIM_LANES : NULL;
        play_entry(&p);
    }
}

/* The accesses of one epoch. */
typedef struct watch_turn {
    sim_watch *watch;
    const sim_sm *sms;
    uint32_t count;
} watch_turn;

static void play_slice(void *context, size_t slice, unsigned worker) {
    const watch_turn *t = context;
    (void)worker;
    for (uint32_t i = 0; i < t->count; i++)
        play_log(t->watch, &t->watch->slices[slice], (unsigned)slice, &t->sms[i].hazards->log);
}

haul_status sim_watch_play(sim_watch *watch, sim_sm *sms, uint32_t count, int threads) {
    bool failed = false;
    watch_turn turn = {watch, sms, count};
    pool_for(SIM_WATCH_SLICES, (unsigned)threads, play_slice, &turn);
    for (unsigned s = 0; s < SIM_WATCH_SLICES; s++)
        failed |= watch->slices[s].failed || watch->slices[s].findings.failed;
    for (uint32_t i = 0; watch->grid->node && i < count; i++) failed |= !sim_node_play(watch, &sms[i].hazards->log);
    watch->epoch++;
    watch->releases++;
    for (uint32_t i = 0; i < count; i++) {
        failed |= sms[i].hazards->log.failed;
        sim_access_log_empty(&sms[i].hazards->log, watch->epoch);
    }
    return failed ? sim_watch_no_memory() : HAUL_OK;
}
