/* Replays logged accesses to global memory against its shadow.
 *
 * While single lanes touch a line, each of its words only once, notes are taken of them: nothing is to be compared. A
 * line of 128 bytes otherwise has a few rows, which say which warp last wrote and read which of its bytes. An access is
 * compared with them as a whole. Rows may not show that it is ordered, or there would be too many. Then the line's
 * words get a shadow each, and the access is replayed lane by lane. Both give the same findings. Words also follow
 * notes from which rows would have little to join. */
#include "base/memory.h"
#include "base/pool.h"
#include "base/status.h"
#include "check/global.h"
#include "check/global_fetch.h"
#include "check/global_notes.h"
#include "check/global_order.h"
#include "check/global_play.h"
#include "check/global_shadow.h"
#include "check/lock.h"
#include "check/node.h"
#include "state/block.h"

/* True if the row's access is known to come before the current one. */
static bool follows(const sim_play *p, const sim_row *r, const sim_part *part) {
    const sim_logged *e = p->e;
    if (r->cluster != e->cluster)
        return r->epoch <= sim_order_floor(p->e, r->cluster, r->action) &&
               !(sim_part_lanes(r->bytes, r->owner) &
                 ~sim_order_lanes(p->watch, p->e, r->cluster, r->actor, r->time, r->action));
    const sim_known *n = &p->known[r->actor];
    if (n->all >= r->time) return true;
    if (r->actor == e->actor && sim_owner_is_single(part->owner) &&
        sim_same_lanes(sim_bytes_and(r->bytes, part->bytes), r->owner, part->owner))
        return true;
    return n->some >= r->time && (sim_part_lanes(r->bytes, r->owner) & ~n->lanes) == 0;
}

enum { MOST_ROWS = 12 };

/* True if a row may record the part: several lanes that write one byte may race with each other. */
static bool suits_row(const sim_play *p, const sim_part *part) {
    const uint16_t *uses = p->watch->grid->uses;
    if (sim_play_reads(p) || sim_owner_is_single(part->owner)) return true;
    return p->e->strong && !(uses && uses[p->e->instruction] & SIM_USE_STORES_VOLATILE);
}

/* True if the row shows that the access is ordered after the row's own. */
static bool is_after(const sim_play *p, const sim_row *r, const sim_part *part) {
    const sim_logged *e = p->e;
    if (!sim_bytes_overlap(r->bytes, part->bytes) || (r->role != SIM_ROW_WRITER && sim_play_reads(p))) return true;
    if (e->fenced && r->action == HAUL_ACTION_WRITE) return false;
    if (e->incoherent && r->role == SIM_ROW_WRITER) return false;
    if (!e->strong && !p->watch->grid->locked) return follows(p, r, part);
    const sim_touch touch = sim_touch_of_row(r);
    if (sim_lock_lacks_fence(p->watch->grid, e, &touch)) return false;
    if (!e->strong) return follows(p, r, part);
    if (r->role == SIM_ROW_WRITER && sim_order_hides(p->watch, p->e, &touch)) return false;
    return (sim_play_cannot_race(p, &touch) && !sim_order_was_told(p->watch, p->e, &touch)) || follows(p, r, part);
}

/* True if rows show that the access is ordered, and rows can record it. */
static bool in_order(const sim_play *p, uint32_t first, const sim_part *part) {
    unsigned count = 0;
    if (!suits_row(p, part)) return false;
    for (uint32_t i = first; i != SIM_NO_ROW; i = sim_slice_row(p->s, i)->next)
        if (++count == MOST_ROWS || !is_after(p, sim_slice_row(p->s, i), part)) return false;
    return true;
}

static sim_row row_of(const sim_play *p, const sim_part *part, sim_row_role role) {
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

static void fill_row(const sim_play *p, sim_row *r, const sim_part *part, sim_row_role role) {
    const uint32_t next = r->next;
    *r = row_of(p, part, role);
    r->next = next;
}

/* True if one instruction made both rows, or both are ordinary reads of one place, as in an unrolled loop. */
static bool are_of_one_place(const sim_play *p, const sim_row *a, const sim_row *b) {
    const uint64_t *places = p->watch->grid->places;
    if (a->instruction == b->instruction) return true;
    return a->action == HAUL_ACTION_READ && a->strong == SIM_WEAK && places[a->instruction] == places[b->instruction];
}

/* True if one access made both rows, and they have the same role and owners. */
static bool are_alike(const sim_play *p, const sim_row *a, const sim_row *b) {
    return a->owner.bits == b->owner.bits && a->time == b->time && a->epoch == b->epoch && a->cluster == b->cluster &&
           a->actor == b->actor && a->action == b->action && a->role == b->role && a->strong == b->strong &&
           are_of_one_place(p, a, b);
}

/* Returns a row like that among the newest: the first, or one of a few where lanes read a line in turns. Others would
 * have to be fetched. */
static sim_row *find_like(const sim_play *p, uint32_t first, const sim_row *r) {
    enum { NEWEST = 4 };
    for (unsigned n = r->role == SIM_ROW_WRITER ? 1 : NEWEST; n && first != SIM_NO_ROW; n--) {
        sim_row *like = sim_slice_row(p->s, first);
        if (are_alike(p, like, r)) return like;
        first = like->next;
    }
    return NULL;
}

/* Records bytes that no row of that role has. What an access does in several steps, as a lane that goes through a line,
 * is one row. */
static bool add_row(const sim_play *p, uint32_t *link, const sim_row *r) {
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
typedef bool meant_fn(const sim_play *p, const sim_row *r);

static void cut(const sim_play *p, uint32_t *link, sim_bytes bytes, meant_fn *is_meant) {
    while (*link != SIM_NO_ROW) {
        sim_row *r = sim_slice_row(p->s, *link);
        if (is_meant(p, r)) r->bytes = sim_bytes_without(r->bytes, bytes);
        if (sim_bytes_any(r->bytes))
            link = &r->next;
        else
            sim_slice_drop_row(p->s, link);
    }
}

/* True if the row is an ordinary read by the warp that now makes a strong access: it may still race with others'. */
static bool outlasts(const sim_play *p, const sim_row *r) {
    return p->e->strong && r->role != SIM_ROW_WRITER && r->strong == SIM_WEAK && r->cluster == p->e->cluster &&
           r->actor == p->e->actor;
}

static bool is_overwritten(const sim_play *p, const sim_row *r) {
    return !outlasts(p, r);
}

static bool is_before(const sim_play *p, const sim_row *r) {
    (void)p;
    return r->role == SIM_ROW_READER_BEFORE;
}

static bool is_beside(const sim_play *p, const sim_row *r) {
    (void)p;
    return r->role == SIM_ROW_READER_BESIDE;
}

static bool is_own_reader(const sim_play *p, const sim_row *r) {
    return r->role == SIM_ROW_READER && r->cluster == p->e->cluster;
}

static bool is_others_reader(const sim_play *p, const sim_row *r) {
    return r->role == SIM_ROW_READER && r->cluster != p->e->cluster;
}

/* True if the row's read is known to come before the current access, or is by the same lanes. */
static bool is_done_reader(const sim_play *p, const sim_row *r) {
    if (!is_own_reader(p, r)) return false;
    return (r->actor == p->e->actor && r->owner.bits == p->part->owner.bits) || follows(p, r, p->part);
}

/* True if another warp's read is kept beside the warp's own. */
static bool is_accompanied(const sim_play *p, uint32_t first) {
    for (uint32_t i = first; i != SIM_NO_ROW; i = sim_slice_row(p->s, i)->next) {
        const sim_row *r = sim_slice_row(p->s, i);
        const bool is_own = r->cluster == p->e->cluster && r->actor == p->e->actor;
        if (r->role == SIM_ROW_READER_BESIDE && !is_own && sim_bytes_overlap(r->bytes, p->part->bytes)) return true;
    }
    return false;
}

static bool is_own_warps(const sim_play *p, const sim_row *r) {
    return is_own_reader(p, r) && r->actor == p->e->actor;
}

/* Gives some of a row's bytes another role. */
static void move_bytes(const sim_play *p, uint32_t *link, sim_row *r, sim_bytes bytes, sim_row_role role) {
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
static void move_role(const sim_play *p, uint32_t *link, meant_fn *is_meant, sim_row_role role, meant_fn *is_dropped) {
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
static bool stays_last(const sim_play *p, const sim_row *last, const sim_row *beside) {
    if (last->actor == p->e->actor)
        return last->owner.bits == p->part->owner.bits || (beside && beside->actor != last->actor);
    return !beside && follows(p, last, p->part);
}

/* Handles bytes that are read in turn or repeatedly in the same pieces: rows only change roles. Sets `overlaps` if
 * others have read some of the bytes. */
static bool read_in_turn(const sim_play *p, uint32_t first, bool *overlaps) {
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
static void note_read(const sim_play *p, uint32_t *link) {
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

/* Records the access in a row: a shared one if the line has no other and it suits. */
static void add_access(const sim_play *p, sim_page *g, unsigned line, const sim_part *part) {
    sim_page_line *l = &g->lines[line];
    const bool is_read = sim_play_reads(p);
    const sim_row now = row_of(p, part, is_read ? SIM_ROW_READER : SIM_ROW_WRITER);
    const bool shares = l->link == SIM_NO_ROW && sim_row_is_shareable(&now);
    const bool added = shares ? sim_slice_share(p->s, l, &now) : add_row(p, &l->link, &now);
    if (added && !is_read) sim_play_note_values(p, g, line, part);
    if (added && !shares) sim_slice_share_by_warps(p->s, l, &now);
}

/* True if the access's row takes the place of the line's shared one. */
static bool replaces(const sim_play *p, const sim_row *r, const sim_row *now) {
    if (!sim_row_is_shareable(now) || !suits_row(p, p->part) || !is_after(p, r, p->part) || outlasts(p, r))
        return false;
    return !sim_play_reads(p) || (is_own_reader(p, r) && stays_last(p, r, NULL));
}

/* Gives the warps that share a row rows of their own. */
static void spread_shared(const sim_play *p, sim_page_line *l, unsigned warps) {
    sim_row rows[SIM_FOOTPRINT_LINE / SIM_LANES];
    for (unsigned w = 0; w < warps; w++) rows[w] = sim_slice_shared_row(p->s, l, w);
    sim_slice_unshare(p->s, l);
    for (unsigned w = 0; w < warps; w++)
        if (!add_row(p, &l->link, &rows[w])) return;
}

/* Replays the access to a line with a shared row. Returns false if the line has a row of its own now, or no memory. */
static bool play_shared(const sim_play *p, sim_page *g, unsigned line) {
    sim_page_line *l = &g->lines[line];
    const unsigned warps = sim_holder_warps(l->holder);
    if (warps > 1) {
        spread_shared(p, l, warps);
        return false;
    }
    const sim_row r = sim_slice_shared_row(p->s, l, 0);
    const sim_row now = row_of(p, p->part, sim_play_reads(p) ? SIM_ROW_READER : SIM_ROW_WRITER);
    if (sim_play_reads(p) && are_alike(p, &r, &now)) return true;
    const bool stays = replaces(p, &r, &now);
    sim_slice_unshare(p->s, l);
    if (stays)
        add_access(p, g, line, p->part);
    else
        add_row(p, &l->link, &r);
    return stays;
}

/* ---- notes ---- */

/* Gives a line such notes as rows. */
static void spread_notes(const sim_play *p, sim_page_line *l, const sim_note *notes, unsigned count) {
    while (count) {
        sim_row r;
        count -= sim_notes_join(p->s, notes, count, &r);
        if (!add_row(p, &l->link, &r)) return;
    }
}

/* Replaces the line's notes by rows. */
static void make_rows(const sim_play *p, sim_page_line *l) {
    sim_note notes[SIM_LINE_WORDS];
    const unsigned count = sim_notes_take(p->s, l, notes);
    spread_notes(p, l, notes, count);
}

/* True if rows would have so few words each that the words themselves take less memory. */
static bool suit_words(const sim_slice *s, const sim_note *notes, unsigned count, uint32_t words) {
    enum { WORDS_OF_ROW = 4 };
    unsigned rows = 0;
    for (sim_row r; count; rows++) count -= sim_notes_join(s, notes, count, &r);
    return (unsigned)__builtin_popcount(words) < rows * WORDS_OF_ROW;
}

/* Replaces the line's notes by words or rows, as suits them. */
static void replace_notes(sim_play *p, sim_page *g, unsigned line) {
    sim_page_line *l = &g->lines[line];
    sim_note notes[SIM_LINE_WORDS];
    const unsigned count = sim_notes_take(p->s, l, notes);
    if (sim_slice_has_spare_words(p->s) && suit_words(p->s, notes, count, l->used))
        sim_play_detail_notes(p, g, line, notes, count);
    else
        spread_notes(p, l, notes, count);
}

/* Returns the current access's note among the newest. Others would have to be fetched. */
static sim_note *find_note(const sim_play *p, uint32_t link, uint32_t lanes) {
    enum { NEWEST = 4 };
    for (unsigned n = NEWEST; n && link != SIM_NO_ROW; n--) {
        sim_note *note = sim_slice_note(p->s, link);
        if (note->lanes == lanes && note->by == p->by) return note;
        link = note->next;
    }
    return NULL;
}

/* True if the line has notes, or nothing. */
static bool may_note(const sim_page_line *l) {
    return sim_link_is_noted(l->link) || (l->link == SIM_NO_ROW && !l->used);
}

/* Takes a note of an access by lanes to whole words of the line, as many each. Returns false if that is not all that
 * would be known of them. */
static bool take_note(sim_play *p, sim_page_line *l, uint32_t lanes, uint32_t words) {
    const bool is_one = !(lanes & (lanes - 1));
    if (!may_note(l) || !sim_play_accessor(p)) return false;
    sim_note *own = sim_link_is_noted(l->link) && !p->is_first ? find_note(p, l->link, lanes) : NULL;
    if (l->used & words) return own && sim_play_reads(p) && (is_one ? !(words & ~own->words) : words == own->words);
    if (own && is_one)
        own->words |= words;
    else if (!sim_slice_add_note(p->s, l, p->by, lanes, words))
        return true;
    l->used |= words;
    return true;
}

/* The same; of a store, keeps what it stores. */
static bool note_lanes(sim_play *p, sim_page *g, unsigned line, uint32_t lanes, uint32_t words) {
    sim_page_line *l = &g->lines[line];
    const bool are_new = !(l->used & words);
    if (!take_note(p, l, lanes, words)) return false;
    if (sim_play_reads(p) || !are_new) return true;
    p->folds = p->values && g->folds;
    sim_play_note_lanes_values(p, g, line, lanes, words);
    return true;
}

/* True if the same access has read the bytes last, as in a loop. */
static bool is_read_again(const sim_play *p, uint32_t first, const sim_part *part) {
    const sim_row now = row_of(p, part, SIM_ROW_READER), *like = sim_play_reads(p) ? find_like(p, first, &now) : NULL;
    return like && !sim_bytes_any(sim_bytes_without(part->bytes, like->bytes));
}

/* Replays an access of `lanes` to a line of the page; `part` names the bytes. */
static void play_line(sim_play *p, sim_page *g, unsigned line, const sim_part *part, uint32_t lanes, uint64_t number) {
    uint32_t *link = &g->lines[line].link, *used = &g->lines[line].used;
    if (*link == SIM_LINE_UNWATCHED) return;
    p->folds = p->values && g->folds;
    p->part = part;
    if (sim_link_is_noted(*link)) make_rows(p, &g->lines[line]);
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
        sim_line_words *words =
            is_detailed ? sim_slice_words(p->s, *link & ~SIM_LINE_DETAILED) : sim_play_detail(p, g, line);
        if (words) sim_play_lanes(p, words, number, lanes);
    } else if (sim_play_reads(p)) {
        note_read(p, link);
    } else {
        if (*link != SIM_NO_ROW) cut(p, link, part->bytes, is_overwritten);
        add_access(p, g, line, part);
    }
}

/* The same for line `number` of memory. */
static void play_part(sim_play *p, uint64_t number, const sim_part *part, uint32_t lanes) {
    sim_page *g = sim_slice_page(p->s, number / SIM_PAGE_LINES);
    if (g)
        play_line(p, g, (unsigned)(number % SIM_PAGE_LINES), part, lanes, number);
    else
        p->s->failed = true;
}

static bool is_mine(const sim_play *p, uint64_t line) {
    return sim_slice_of(line / SIM_PAGE_LINES) == p->number;
}

/* The same. are_words: of one lane, whose bytes are whole words. */
static void play_single(sim_play *p, uint64_t number, const sim_part *part, uint32_t lanes, bool are_words) {
    sim_page *g = sim_slice_page(p->s, number / SIM_PAGE_LINES);
    const unsigned line = (unsigned)(number % SIM_PAGE_LINES);
    if (!g || !are_words || !note_lanes(p, g, line, lanes, sim_bytes_words(part->bytes)))
        play_part(p, number, part, lanes);
}

/* Replays an access of `lanes` to the same bytes, in one line or several. */
static void play_range(sim_play *p, uint64_t from, uint32_t lanes) {
    const uint64_t to = from + p->e->bytes;
    const bool are_words = !((from | to) % 4) && !(lanes & (lanes - 1));
    for (uint64_t line = from / SIM_FOOTPRINT_LINE; line <= (to - 1) / SIM_FOOTPRINT_LINE; line++) {
        const uint64_t start = line * SIM_FOOTPRINT_LINE;
        const sim_part part = {
            .bytes = sim_bytes_range(from > start ? (unsigned)(from - start) : 0,
                                     to < start + SIM_FOOTPRINT_LINE ? (unsigned)(to - start) : SIM_FOOTPRINT_LINE),
            .owner = {{.lanes = lanes}}};
        if (is_mine(p, line)) play_single(p, line, &part, lanes, are_words);
    }
}

/* Replays a lane's access to a line that has words. */
static void play_words(sim_play *p, unsigned lane, uint64_t from, const sim_page *g) {
    const uint32_t link = g->lines[sim_line_in_page(from)].link;
    sim_line_words *words = sim_slice_words(p->s, link & ~SIM_LINE_DETAILED);
    if (p->e->bytes == 4 && sim_play_reads(p) && sim_play_read_again(p, words, from / 4 % SIM_LINE_WORDS, lane)) return;
    p->lane = lane;
    p->folds = p->values && g->folds;
    p->value = sim_play_value(p, lane);
    sim_play_words(p, words, from, from + p->e->bytes);
}

/* Replays a lane's access by itself; its bytes are aligned to their number, so they are in one line. `g`: the page,
 * NULL if there was none yet. */
static void play_lane(sim_play *p, unsigned lane, uint64_t from, sim_page *g) {
    const uint64_t number = from / SIM_FOOTPRINT_LINE;
    const unsigned line = (unsigned)(number % SIM_PAGE_LINES);
    if (!g) g = sim_slice_page(p->s, number / SIM_PAGE_LINES);
    if (!g) {
        p->s->failed = true;
        return;
    }
    const uint32_t *link = &g->lines[line].link;
    const sim_part part = {.bytes = sim_bytes_aligned((unsigned)(from % SIM_FOOTPRINT_LINE), p->e->bytes),
                           .owner = {{.lanes = 1u << lane}}};
    if (!sim_link_is_detailed(*link) && p->e->bytes % 4 == 0) {
        if (note_lanes(p, g, line, 1u << lane, sim_bytes_words(part.bytes))) return;
        if (sim_link_is_noted(*link)) replace_notes(p, g, line);
    }
    if (sim_link_is_detailed(*link))
        play_words(p, lane, from, g);
    else
        play_line(p, g, line, &part, 1u << lane, number);
}

static uint32_t lanes_between(unsigned first, unsigned end) {
    return (end >= SIM_LANES ? SIM_ALL_LANES : (1u << end) - 1) & ~((1u << first) - 1);
}

/* Counts the list's lanes from `lane` on, whose addresses begin there, that lie side by side in one line. */
static unsigned count_run(const sim_play *p, unsigned lane, const uint64_t *addresses) {
    const uint64_t end = (addresses[0] | (SIM_FOOTPRINT_LINE - 1)) + 1;
    const unsigned most = (unsigned)__builtin_ctzll(~((uint64_t)p->lanes >> lane));
    uint64_t next = addresses[0] + p->e->bytes;
    unsigned count = 1;
    for (; next < end && count < most && addresses[count] == next; count++) next += p->e->bytes;
    return count;
}

/* Replays `count` such lanes at once. */
static void play_run(sim_play *p, unsigned lane, unsigned count, uint64_t from, sim_page *g) {
    const uint64_t number = from / SIM_FOOTPRINT_LINE;
    const unsigned start = (unsigned)(from % SIM_FOOTPRINT_LINE), bytes = p->e->bytes;
    const sim_part part = {.bytes = sim_bytes_range(start, start + count * bytes),
                           .owner = sim_owner_evenly(lane, start, bytes, bytes)};
    if (!g) g = sim_slice_page(p->s, number / SIM_PAGE_LINES);
    if (g)
        play_line(p, g, (unsigned)(number % SIM_PAGE_LINES), &part, lanes_between(lane, lane + count), number);
    else
        p->s->failed = true;
}

/* Lanes of a list, from one on, whose elements lie in one line in the lanes' order. */
typedef struct line_lanes {
    uint32_t lanes, words;
} line_lanes;

static line_lanes find_line_lanes(const sim_play *p, uint32_t left, const uint64_t *addresses) {
    const uint64_t start = addresses[0] / SIM_FOOTPRINT_LINE * SIM_FOOTPRINT_LINE;
    const uint32_t element = (uint32_t)((UINT64_C(1) << p->e->bytes / 4) - 1);
    line_lanes of = {0, 0};
    for (uint64_t next = start; left; left &= left - 1, addresses++) {
        if (*addresses < next || *addresses >= start + SIM_FOOTPRINT_LINE) break;
        of.lanes |= left & -left;
        of.words |= element << (*addresses - start) / 4;
        next = *addresses + p->e->bytes;
    }
    return of;
}

/* Takes a note of lanes that store or read several words of one line in their order, as when they append to a queue.
 * Returns them; 0: they must be replayed in another way. */
static uint32_t note_together(sim_play *p, uint32_t left, const uint64_t *addresses, sim_page *g) {
    const uint64_t number = addresses[0] / SIM_FOOTPRINT_LINE;
    const unsigned line = (unsigned)(number % SIM_PAGE_LINES);
    if (!(left & (left - 1)) || addresses[1] - addresses[0] >= SIM_FOOTPRINT_LINE) return 0;
    if (p->e->bytes % 4 || (g && !may_note(&g->lines[line]))) return 0;
    const line_lanes of = find_line_lanes(p, left, addresses);
    if (!(of.lanes & (of.lanes - 1))) return 0;
    if (!g) g = sim_slice_page(p->s, number / SIM_PAGE_LINES);
    return g && note_lanes(p, g, line, of.lanes, of.words) ? of.lanes : 0;
}

/* Replays the list's next lane, or with it some that lie beside it in its line. Returns them. */
static uint32_t play_next(sim_play *p, uint32_t left, const uint64_t *addresses) {
    const unsigned lane = (unsigned)__builtin_ctz(left);
    const sim_page *g = *p->pages;
    if (g && sim_link_is_detailed(g->lines[sim_line_in_page(*addresses)].link)) {
        play_words(p, lane, *addresses, g);
        return 1u << lane;
    }
    const uint32_t together = note_together(p, left, addresses, *p->pages);
    if (together) return together;
    const unsigned count = count_run(p, lane, addresses);
    if (count > 1)
        play_run(p, lane, count, *addresses, *p->pages);
    else
        play_lane(p, lane, *addresses, *p->pages);
    return lanes_between(lane, lane + count);
}

static void play_list(sim_play *p) {
    const uint64_t *addresses = p->addresses;
    for (uint32_t left = p->lanes; left;) {
        const uint32_t played = play_next(p, left, addresses);
        const int count = __builtin_popcount(played);
        p->pages += count;
        addresses += count;
        left &= ~played;
    }
}

/* ---- whole lines ---- */

/* True if the same lanes have made the line's only access, and the current one takes its place: of ordinary accesses,
 * nothing else counts. */
static bool is_by_same_lanes(const sim_play *p, const sim_page_line *l, sim_line_holder now) {
    const sim_logged *e = p->e;
    const sim_line_holder h = l->holder;
    if (!sim_link_is_shared(l->link) || e->strong || e->fenced || e->incoherent || p->watch->grid->locked) return false;
    if (h.actor != now.actor || h.bytes != now.bytes || h.lane != now.lane) return false;
    const sim_shared_row *r = sim_slice_shared(p->s, l->link);
    if (r->cluster != e->cluster) return false;
    return !sim_play_reads(p) || (r->role == SIM_ROW_READER && (r->time != e->time || r->epoch != e->age));
}

static sim_shared_row shared_row_of(const sim_play *p) {
    const sim_logged *e = p->e;
    return (sim_shared_row){.cluster = e->cluster,
                            .time = e->time,
                            .epoch = e->age,
                            .instruction = e->instruction,
                            .action = e->action,
                            .role = sim_play_reads(p) ? SIM_ROW_READER : SIM_ROW_WRITER,
                            .strong = e->strong};
}

/* Gives a line to lanes that fill it. Returns false if something has to be compared, or the host has no memory. */
static bool take_line(const sim_play *p, sim_page_line *l, const sim_shared_row *r, sim_line_holder holder) {
    const bool is_new = l->link == SIM_NO_ROW && !l->used;
    if (!is_new && !is_by_same_lanes(p, l, holder)) return false;
    if (!is_new) sim_slice_unshare(p->s, l);
    return sim_slice_share_with(p->s, l, r, holder);
}

static sim_part whole_line(unsigned lane, unsigned bytes) {
    const sim_owner owner = {{.lanes = 1u << lane, .stride = (int8_t)bytes, .step = 1}};
    return (sim_part){.bytes = {{UINT64_MAX, UINT64_MAX}}, .owner = owner};
}

/* Replays the current warp's access to a line that its lanes from one on fill. */
static void play_whole(sim_play *p, const sim_shared_row *r, uint64_t number, sim_line_holder holder) {
    sim_page *g = sim_slice_page(p->s, number / SIM_PAGE_LINES);
    const unsigned line = (unsigned)(number % SIM_PAGE_LINES), lane = holder.lane;
    const bool taken = g && take_line(p, &g->lines[line], r, holder);
    if (taken && sim_play_reads(p)) return;
    const sim_part part = whole_line(lane, holder.bytes);
    if (taken) {
        p->folds = p->values && g->folds;
        sim_play_note_values(p, g, line, &part);
        return;
    }
    const sim_logged *e = p->e;
    sim_logged one = *e;
    one.base = number * SIM_FOOTPRINT_LINE - (uint64_t)lane * holder.bytes;
    one.actor = holder.actor;
    p->e = &one;
    play_part(p, number, &part, lanes_between(lane, lane + SIM_FOOTPRINT_LINE / holder.bytes));
    p->e = e;
}

/* Replays the access of some of the entry's warps to lines that they fill. */
static void play_lines(sim_play *p, uint32_t warps) {
    const sim_logged *e = p->e;
    const uint32_t *values = p->values;
    const unsigned each = SIM_FOOTPRINT_LINE / e->bytes;
    const sim_shared_row r = shared_row_of(p);
    for (; warps; warps &= warps - 1) {
        const unsigned w = (unsigned)__builtin_ctz(warps);
        uint64_t number = (e->base + e->pitch * w) / SIM_FOOTPRINT_LINE;
        p->by = 0;
        p->is_first = false;
        if (values) p->values = values + (size_t)w * e->value_step * SIM_LANES;
        for (unsigned lane = 0; lane < SIM_LANES; lane += each, number++)
            if (is_mine(p, number))
                play_whole(p, &r, number,
                           (sim_line_holder){(uint16_t)(e->actor + w), (uint8_t)lane, (uint8_t)e->bytes});
    }
}

/* True if each warp of the entry fills lines of its own. */
static bool fills_lines(const sim_logged *e) {
    return !e->has_list && e->bytes >= 4 && e->stride == e->bytes && e->active == SIM_ALL_LANES &&
           (e->base | e->pitch) % SIM_FOOTPRINT_LINE == 0;
}

/* Returns how many warps fill the line where the current one begins, if the entry has `left` and those are among them.
 */
static unsigned warps_of_line(const sim_logged *e, unsigned left) {
    const unsigned each = SIM_LANES * e->bytes, warps = SIM_FOOTPRINT_LINE / each;
    const bool are_adjacent = e->stride == e->bytes && e->pitch == each && e->active == SIM_ALL_LANES;
    return warps > 1 && warps <= left && are_adjacent && e->base % SIM_FOOTPRINT_LINE == 0 ? warps : 1;
}

/* Replays the access of warps that fill a line together. Returns false if they must be replayed one by one. */
static bool play_together(sim_play *p, unsigned warps) {
    const sim_logged *e = p->e;
    const uint64_t number = e->base / SIM_FOOTPRINT_LINE;
    const unsigned line = (unsigned)(number % SIM_PAGE_LINES), each = SIM_LANES * e->bytes;
    const uint32_t *values = p->values;
    if (!is_mine(p, number)) return true;
    sim_page *g = sim_slice_page(p->s, number / SIM_PAGE_LINES);
    sim_part part = whole_line(0, e->bytes);
    const sim_shared_row r = shared_row_of(p);
    if (!g || !take_line(p, &g->lines[line], &r, (sim_line_holder){e->actor, 0, (uint8_t)e->bytes})) return false;
    p->folds = p->values && g->folds;
    for (unsigned w = 0; w < warps && !sim_play_reads(p); w++) {
        part.owner.start = (uint8_t)(w * each);
        part.bytes = sim_bytes_range(w * each, (w + 1) * each);
        if (values) p->values = values + (size_t)w * e->value_step * SIM_LANES;
        sim_play_note_values(p, g, line, &part);
    }
    return true;
}

/* ---- accesses ---- */

/* Replays lanes at an even stride, several to a line. */
static void play_evenly(sim_play *p) {
    const sim_logged *e = p->e;
    const unsigned stride = (unsigned)e->stride;
    const bool are_whole = stride >= 4 && SIM_FOOTPRINT_LINE % stride == 0 && e->base % SIM_FOOTPRINT_LINE == 0;
    if (are_whole && stride == e->bytes && e->active == SIM_ALL_LANES) {
        play_lines(p, 1);
        return;
    }
    for (uint32_t left = e->active; left;) {
        const unsigned first = (unsigned)__builtin_ctz(left);
        const uint64_t from = e->base + (uint64_t)e->stride * first, line = from / SIM_FOOTPRINT_LINE;
        const unsigned start = (unsigned)(from % SIM_FOOTPRINT_LINE);
        const unsigned end = first + (SIM_FOOTPRINT_LINE - start + stride - 1) / stride;
        const uint32_t lanes = lanes_between(first, end) & left, run = lanes >> first;
        left &= ~lanes;
        if (!is_mine(p, line)) continue;
        sim_part part = {.owner = sim_owner_evenly(first, start, stride, e->bytes)};
        if (stride == e->bytes && (run & (run + 1)) == 0)
            part.bytes = sim_bytes_range(start, start + stride * (unsigned)__builtin_popcount(run));
        else
            for (uint32_t l = lanes; l; l &= l - 1) {
                const unsigned at = start + stride * ((unsigned)__builtin_ctz(l) - first);
                part.bytes = sim_bytes_or(part.bytes, sim_bytes_range(at, at + e->bytes));
            }
        play_part(p, line, &part, lanes);
    }
}

/* Replays an access of several warps, one after the other: those that touch the slice. */
static void play_warps(sim_play *p) {
    const sim_logged *all = p->e;
    const uint32_t *values = p->values;
    sim_logged one = *all;
    p->e = &one;
    for (uint32_t left = p->lanes; left;) {
        const unsigned w = (unsigned)__builtin_ctz(left);
        p->by = 0;
        p->is_first = false;
        if (values) p->values = values + (size_t)w * one.value_step * SIM_LANES;
        one.base = all->base + all->pitch * w;
        one.actor = (uint16_t)(all->actor + w);
        unsigned warps = warps_of_line(&one, all->warps - w);
        if (warps == 1 || !play_together(p, warps)) {
            warps = 1;
            play_evenly(p);
        }
        left &= ~lanes_between(w, w + warps);
    }
    p->e = all;
}

static void play_entry(sim_play *p) {
    const sim_logged *e = p->e;
    if (fills_lines(e))
        play_lines(p, p->lanes);
    else if (e->warps > 1)
        play_warps(p);
    else if (!e->has_list && e->stride == 0)
        play_range(p, e->base, e->active);
    else if (sim_is_dense(e))
        play_evenly(p);
    else if (sim_is_scattered(e))
        play_list(p);
    else
        for (uint32_t left = p->lanes; left; left &= left - 1)
            play_range(p, sim_play_address(p, (unsigned)__builtin_ctz(left)), left & -left);
}

/* Replays the walk's next item. */
static void play_item(sim_play *p, const sim_log_walk *walk) {
    const sim_access_log *log = walk->logs[walk->log];
    const sim_log_item *item = &sim_walk_share(walk)->entries[walk->item];
    const sim_logged *e = &log->entries[item->entry];
    p->e = e;
    p->by = e->by;
    p->is_first = e->is_first;
    p->lanes = item->lanes;
    p->addresses = walk->addresses;
    p->known = log->known + e->known;
    p->fenced = e->fenced && e->fenced != SIM_NEVER_FENCED ? log->known + e->fenced - 1 : NULL;
    p->values = e->values ? log->values + (size_t)(e->values - 1) * SIM_LANES : NULL;
    if (p->watch->results) sim_adders_play(p);
    play_entry(p);
}

/* Replays the logs, as far as they touch the slice. */
static void play_logs(const sim_watch *watch, sim_slice *s, sim_log_walk walk) {
    sim_play p = {.watch = watch, .s = s, .number = walk.slice};
    sim_page *pages[SIM_FETCH_LANES];
    size_t fetched = 0;
    for (sim_walk_begin(&walk); walk.log < walk.count; sim_walk_on(&walk)) {
        if (!fetched--) {
            fetched = sim_fetch_lines(s, walk, pages) - 1;
            p.pages = pages;
        }
        play_item(&p, &walk);
        const sim_log_item *item = &sim_walk_share(&walk)->entries[walk.item++];
        if (item->has_list) walk.addresses += __builtin_popcount(item->lanes);
    }
}

/* The accesses of one epoch: the logs that have any. */
typedef struct watch_turn {
    sim_watch *watch;
    const sim_access_log **logs;
    uint32_t count;
} watch_turn;

static void play_slice(void *context, size_t slice, unsigned worker) {
    const watch_turn *t = context;
    (void)worker;
    play_logs(t->watch, &t->watch->slices[slice],
              (sim_log_walk){.logs = t->logs, .count = t->count, .slice = (unsigned)slice});
}

static haul_status play_all(sim_watch *watch, const sim_sm *sms, uint32_t count, int threads) {
    watch_turn turn = {watch, memory_zeroed(count, sizeof *turn.logs), 0};
    if (!turn.logs) return sim_watch_no_memory();
    for (uint32_t i = 0; i < count; i++)
        if (sms[i].hazards->log.count) turn.logs[turn.count++] = &sms[i].hazards->log;
    if (turn.count) pool_for(SIM_WATCH_SLICES, (unsigned)threads, play_slice, &turn);
    memory_free(turn.logs);
    return HAUL_OK;
}

haul_status sim_watch_play(sim_watch *watch, sim_sm *sms, uint32_t count, int threads) {
    bool failed = false;
    HAUL_TRY(play_all(watch, sms, count, threads));
    for (unsigned s = 0; s < SIM_WATCH_SLICES; s++)
        failed |= watch->slices[s].failed || watch->slices[s].findings.failed;
    for (uint32_t i = 0; watch->grid->node && i < count; i++) failed |= !sim_node_play(watch, &sms[i].hazards->log);
    sim_watch_tidy_accessors(watch, sms, count, threads);
    watch->epoch++;
    sim_watch_end_phase(watch);
    for (uint32_t i = 0; i < count; i++) {
        failed |= sms[i].hazards->log.failed;
        sim_access_log_empty(&sms[i].hazards->log, watch->epoch);
    }
    sim_memory_settle_written(watch->grid->memory);
    return failed ? sim_watch_no_memory() : HAUL_OK;
}
