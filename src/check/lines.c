/* The fast shadow of shared memory: lines of 128 bytes, each with a few rows that say which warp wrote and read which
 * of its bytes. A row stands for a warp's access as a whole.
 *
 * Rows only prove that an access is ordered. If they cannot, or there would be too many, the line becomes detailed and
 * shared.c checks the cells of its words; both give the same findings. Rows of reads remain when a thread that knew of
 * them overwrites their bytes: whoever knows that writer knows the reads too. */
#include "base/memory.h"
#include "check/internal.h"

#include <string.h>

enum { LINE_WORDS = SIM_FOOTPRINT_LINE / 4 };

static sim_line *line_at(const sim_domain *d, sim_shadow *s, uint32_t index) {
    sim_line *l = &s->lines[index];
    if (l->start == d->start) return l;
    l->start = l->written_at = l->read_at = d->start;
    l->readers = l->sole = 0;
    l->written = l->in_rows = (sim_bytes){{0, 0}};
    l->writers = l->arriving = 0;
    l->detailed = false;
    l->tried = 0;
    return l;
}

bool sim_line_is_detailed(const sim_block *b, uint32_t address) {
    const sim_line *l = &sim_shadow_of(b)->lines[address / SIM_FOOTPRINT_LINE];
    return l->detailed && l->start == sim_domain_of(b)->start;
}

bool sim_line_is_written(const sim_block *b, uint32_t address) {
    const sim_shadow *s = sim_shadow_of(b);
    const sim_line *l = &s->lines[address / SIM_FOOTPRINT_LINE];
    const uint32_t start = sim_domain_of(b)->start;
    if (l->start != start) return false;
    if (!l->detailed) return sim_bytes_has(l->written, address % SIM_FOOTPRINT_LINE);
    const sim_cell *c = &s->cells[address / 4];
    return c->state & SIM_CELL_SPLIT ? s->bytes[address].time >= start
                                     : c->time >= start && c->written >> address % 4 & 1;
}

/* ---- cells ---- */

static bool has_memory(const sim_visit *k, const void *memory) {
    if (!memory) k->d->owner->failed = true;
    return memory != NULL;
}

sim_read *sim_reads_of(const sim_visit *k, uint32_t actor) {
    sim_read **plane = &k->s->reads[actor];
    if (!*plane) *plane = memory_zeroed(sim_shadow_words(k->w->sm->grid), sizeof **plane);
    return has_memory(k, *plane) ? *plane : NULL;
}

bool sim_has_byte_cells(const sim_visit *k) {
    sim_shadow *s = k->s;
    if (!s->bytes) s->bytes = memory_zeroed(4 * sim_shadow_words(k->w->sm->grid), sizeof *s->bytes);
    return has_memory(k, s->bytes);
}

static bool has_cells(const sim_visit *k) {
    sim_shadow *s = k->s;
    if (!s->cells) s->cells = memory_zeroed(sim_shadow_words(k->w->sm->grid), sizeof *s->cells);
    return has_memory(k, s->cells);
}

/* Returns row `i` of the line's writes. */
static inline sim_line_row *writer_of(const sim_shadow *s, const sim_line *l, unsigned i) {
    enum { FIRST = SIM_LINE_FIRST_WRITERS, MORE = SIM_LINE_WRITERS - FIRST };
    return (sim_line_row *)(i < FIRST ? &l->rows[i] : &s->more_rows[(size_t)(l - s->lines) * MORE + i - FIRST]);
}

static uint32_t find_settled(sim_domain *d) {
    uint32_t least = UINT32_MAX;
    for (uint32_t a = 0; a < d->actors; a++) {
        if (!d->first[a / d->warps].warps[a % d->warps].live) continue;
        for (uint32_t i = 0; i < d->views[a].count; i++)
            if (sim_view_at(&d->views[a], i)->least < least) least = sim_view_at(&d->views[a], i)->least;
    }
    d->settled_at = d->now;
    d->settled = least;
    return least;
}

/* Returns the time up to which all threads know all accesses: nothing can race with those any more. */
static inline uint32_t settled(sim_domain *d) {
    return d->settled_at == d->now ? d->settled : find_settled(d);
}

static uint16_t thread_of(const sim_line_row *r, unsigned byte) {
    const uint32_t last = 31u - (unsigned)__builtin_clz(sim_owner_lanes(r->owner, byte));
    return (uint16_t)(r->actor * SIM_LANES + last);
}

static bool has_whole_words(const sim_line_row *r) {
    const uint64_t ones = UINT64_C(0x1111111111111111), *b = r->bytes.half;
    const bool lanes_whole = r->owner.stride % 4 == 0 && (r->owner.stride <= 0 || r->owner.start % 4 == 0);
    return lanes_whole && (b[0] & ones) * 15 == b[0] && (b[1] & ones) * 15 == b[1];
}

/* Returns the bytes of words that the row holds only in part, or whose bytes belong to different lanes. */
static sim_bytes split_words(const sim_line_row *r) {
    sim_bytes split = {{0, 0}};
    if (has_whole_words(r)) return split;
    for (unsigned w = 0; w < LINE_WORDS; w++) {
        const unsigned bits = sim_bytes_of_word(r->bytes, w);
        const bool shared = sim_owner_lanes(r->owner, 4 * w) != sim_owner_lanes(r->owner, 4 * w + 3);
        if (bits != 0 && (bits != SIM_CELL_ALL || shared))
            split = sim_bytes_or(split, sim_bytes_range(4 * w, 4 * w + 4));
    }
    return split;
}

static void split_word(const sim_visit *k, uint32_t word) {
    memset(&k->s->bytes[(size_t)4 * word], 0, 4 * sizeof *k->s->bytes);
    k->s->cells[word].state = SIM_CELL_SPLIT;
    k->s->cells[word].time = k->d->start;
}

static void spread_bytes(const sim_visit *k, uint32_t word, const sim_line_row *r, unsigned first, unsigned bits) {
    for (; bits; bits &= bits - 1) {
        const unsigned i = (unsigned)__builtin_ctz(bits);
        k->s->bytes[(size_t)4 * word + i] = (sim_byte_cell){
            .time = r->time, .instruction = r->instruction, .thread = thread_of(r, first + i), .state = r->state};
    }
}

/* Fills the cells of whole words that the same lanes have written. */
static void spread_alike(const sim_visit *k, uint32_t first, const sim_line_row *r) {
    const sim_cell cell = {.time = r->time,
                           .instruction = r->instruction,
                           .thread = thread_of(r, 0),
                           .state = r->state,
                           .written = SIM_CELL_ALL};
    for (unsigned w = 0; w < LINE_WORDS; w++)
        if (sim_bytes_of_word(r->bytes, w)) k->s->cells[first + w] = cell;
}

/* Fills the words' cells from a row of writes, when a line becomes detailed. */
static void spread_write(const sim_visit *k, uint32_t first, const sim_line_row *r, bool is_split) {
    if (!is_split && r->owner.stride == 0) {
        spread_alike(k, first, r);
        return;
    }
    for (unsigned w = 0; w < LINE_WORDS; w++) {
        const unsigned bits = sim_bytes_of_word(r->bytes, w);
        sim_cell *c = &k->s->cells[first + w];
        if (!bits) continue;
        c->time = r->time;
        if (c->state & SIM_CELL_SPLIT) {
            spread_bytes(k, first + w, r, 4 * w, bits);
            continue;
        }
        c->instruction = r->instruction;
        c->thread = thread_of(r, 4 * w);
        c->state = r->state;
        c->written = SIM_CELL_ALL;
    }
}

static void spread_byte_read(sim_byte_cell *b, const sim_line_row *r, unsigned byte) {
    const uint32_t lanes = sim_owner_lanes(r->owner, byte);
    if (r->time < b->time || !lanes) return;
    sim_byte_note_read(b, &(sim_byte_read){{r->time, lanes, r->instruction}, r->actor});
}

static void spread_word_read(sim_cell *c, sim_read *p, const sim_line_row *r, uint32_t lanes) {
    if (r->time < c->time || r->time < p->time) return; /* read before it was written, or before other reads */
    *p = (sim_read){
        .time = r->time, .lanes = p->time == r->time ? p->lanes | lanes : lanes, .instruction = r->instruction};
    c->readers |= 1u << r->actor % 32;
    if (c->read_time < r->time) c->read_time = r->time;
}

/* Fills the words' cells from a row of reads. */
static void spread_read(const sim_visit *k, uint32_t first, const sim_line_row *r, sim_read *plane) {
    for (unsigned w = 0; w < LINE_WORDS; w++) {
        unsigned bits = sim_bytes_of_word(r->bytes, w);
        sim_cell *c = &k->s->cells[first + w];
        if (!(c->state & SIM_CELL_SPLIT)) {
            if (bits) spread_word_read(c, &plane[first + w], r, sim_owner_lanes(r->owner, 4 * w));
            continue;
        }
        for (; bits; bits &= bits - 1) {
            const unsigned byte = 4 * w + (unsigned)__builtin_ctz(bits);
            spread_byte_read(&k->s->bytes[(size_t)4 * first + byte], r, byte);
        }
    }
}

static bool is_current(const sim_visit *k, const sim_read_row *r) {
    return r->time > settled(k->d) && sim_bytes_any(r->bytes);
}

static sim_line_row row_of_read(const sim_read_row *r, uint32_t actor) {
    return (sim_line_row){
        .bytes = r->bytes, .owner = r->owner, .time = r->time, .instruction = r->instruction, .actor = (uint16_t)actor};
}

/* Calls `visit` for the current rows of all actors that have read the line, until one call returns false. */
typedef bool row_fn(const sim_visit *k, uint32_t index, const sim_line_row *r, void *context);

static bool each_read(const sim_visit *k, const sim_line *l, row_fn *visit, void *context) {
    const uint32_t index = (uint32_t)(l - k->s->lines);
    for (uint32_t first = 0; first < k->d->actors; first += 32)
        for (uint32_t readers = l->readers; readers; readers &= readers - 1) {
            const uint32_t a = first + (uint32_t)__builtin_ctz(readers);
            if (a >= k->d->actors) break;
            for (unsigned i = 0; i < SIM_LINE_READERS; i++) {
                const sim_read_row *r = sim_read_row_of(&k->s->line_reads[a], index, i);
                if (!r) break;
                if (!is_current(k, r)) continue;
                const sim_line_row row = row_of_read(r, a);
                if (!visit(k, index, &row, context)) return false;
            }
        }
    return true;
}

static bool add_split(const sim_visit *k, uint32_t index, const sim_line_row *r, void *split) {
    (void)k, (void)index;
    *(sim_bytes *)split = sim_bytes_or(*(sim_bytes *)split, split_words(r));
    return true;
}

static bool spread_reads(const sim_visit *k, uint32_t index, const sim_line_row *r, void *context) {
    (void)context;
    sim_read *plane = sim_reads_of(k, r->actor);
    if (plane) spread_read(k, index * LINE_WORDS, r, plane);
    return plane != NULL;
}

/* Returns a row for bytes written so long ago that no row says by whom. */
static sim_line_row old_writes(const sim_visit *k, const sim_line *l) {
    sim_line_row r = {.bytes = l->written, .owner = {{.lanes = 1}}, .time = k->d->start};
    for (unsigned i = 0; i < l->writers; i++) r.bytes = sim_bytes_without(r.bytes, writer_of(k->s, l, i)->bytes);
    return r;
}

static void record_late(const sim_visit *k, uint32_t from, uint32_t to);

static void change(const sim_visit *k) {
    k->s->version = ++k->d->owner->versions;
}

/* ---- what a block has written ---- */

/* Blocks of a grid mostly write the same bytes of shared memory, and then read the same. So it is remembered which
 * bytes were written when reads were proven, by a sum of hashes of the bytes that were new in each line: equal sums of
 * 64 bits are taken for equal sets. */
static uint64_t hash_of_bytes(uint32_t line, sim_bytes new) {
    uint64_t hash = (new.half[0] ^ (line + 1) * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ hash >> 32 ^ new.half[1]) * UINT64_C(0x94d049bb133111eb);
    return (hash ^ hash >> 29) * UINT64_C(0xff51afd7ed558ccd) ^ hash >> 32;
}

/* Starts over if another block has begun. */
static void begin_written(const sim_visit *k) {
    if (k->s->start == k->d->start) return;
    k->s->start = k->s->written_at = k->d->start;
    k->s->written = 0;
    k->s->is_plain = true;
}

/* Called before bytes become written. */
static inline void note_written(const sim_visit *k, sim_line *l, sim_bytes bytes) {
    const sim_bytes new = sim_bytes_without(bytes, l->written);
    begin_written(k);
    k->s->written_at = l->written_at = k->d->now;
    if (!sim_bytes_any(new)) return;
    l->written = sim_bytes_or(l->written, new);
    k->s->written += hash_of_bytes((uint32_t)(l - k->s->lines), new);
}

/* Returns the hash of all that the block has written; 0: nothing, or not by rows alone. */
static inline uint64_t written_by_rows(const sim_visit *k) {
    return k->s->is_plain && k->s->start == k->d->start ? k->s->written : 0;
}

/* Rows of a line are no longer all that describes the bytes. */
static void note_other(const sim_visit *k) {
    begin_written(k);
    k->s->is_plain = false;
}

/* Makes the line detailed. Words that a row covers only in part get cells by byte. Reads that are left in the actors'
 * planes are older than all rows, and known to all threads or of another block. */
static bool detail(const sim_visit *k, sim_line *l) {
    l->touched = k->d->now;
    const uint32_t first = (uint32_t)(l - k->s->lines) * LINE_WORDS;
    sim_bytes split = {{0, 0}};
    if (!l->detailed) record_late(k, (uint32_t)(l - k->s->lines), (uint32_t)(l - k->s->lines));
    if (l->detailed) return true;
    if (!has_cells(k)) return false;
    change(k);
    note_other(k);
    const sim_line_row gone = old_writes(k, l);
    split = split_words(&gone);
    for (unsigned i = 0; i < l->writers; i++) split = sim_bytes_or(split, split_words(writer_of(k->s, l, i)));
    each_read(k, l, add_split, &split);
    if (sim_bytes_any(split) && !sim_has_byte_cells(k)) return false;
    memset(&k->s->cells[first], 0, LINE_WORDS * sizeof *k->s->cells);
    for (unsigned w = 0; w < LINE_WORDS; w++)
        if (sim_bytes_of_word(split, w)) split_word(k, first + w);
    const bool is_split = sim_bytes_any(split);
    spread_write(k, first, &gone, is_split);
    for (unsigned i = 0; i < l->writers; i++) spread_write(k, first, writer_of(k->s, l, i), is_split);
    l->detailed = true;
    return each_read(k, l, spread_reads, NULL);
}

bool sim_lines_detail(const sim_visit *k, uint32_t address, uint32_t bytes) {
    for (uint32_t i = address / SIM_FOOTPRINT_LINE; i <= (address + bytes - 1) / SIM_FOOTPRINT_LINE; i++)
        if (!detail(k, line_at(k->d, k->s, i))) return false;
    return !k->d->owner->failed;
}

/* ---- rows that are known to be ordered ---- */

/* True if the row's access is known to come before the part's: by time, or because the same single lane made it. */
static bool is_known(const sim_visit *k, const sim_line_row *r, const sim_part *p) {
    const sim_known *n = &k->v->order[r->actor];
    if (n->all >= r->time) return true;
    if (r->actor == k->actor && sim_owner_is_single(p->owner) &&
        sim_same_lanes(sim_bytes_and(r->bytes, p->bytes), r->owner, p->owner))
        return true;
    return n->some >= r->time && (sim_part_lanes(r->bytes, r->owner) & ~n->lanes) == 0;
}

static bool knows_writers(const sim_visit *k, const sim_line *l, const sim_part *p) {
    if (!sim_bytes_overlap(l->in_rows, p->bytes)) return true;
    for (unsigned i = 0; i < l->writers; i++) {
        const sim_line_row *r = writer_of(k->s, l, i);
        if (!sim_bytes_overlap(r->bytes, p->bytes)) continue;
        if (sim_cannot_race(k, r->state, r->actor, r->instruction) &&
            !sim_was_told(k, r->actor, r->time, r->instruction))
            continue;
        if (!is_known(k, r, p)) return false;
    }
    return true;
}

static bool overlaps_arriving(const sim_visit *k, const sim_line *l, const sim_part *p) {
    for (unsigned i = 0; l->arriving && i < l->writers; i++) {
        const sim_line_row *r = writer_of(k->s, l, i);
        if (r->state & SIM_CELL_ARRIVING && sim_bytes_overlap(r->bytes, p->bytes)) return true;
    }
    return false;
}

static bool knows_reader(const sim_visit *k, uint32_t index, const sim_line_row *r, void *part) {
    (void)index;
    return !sim_bytes_overlap(r->bytes, ((const sim_part *)part)->bytes) || is_known(k, r, part);
}

/* Returns the number of the part's only thread + 1; 0: there are several. */
static inline uint32_t sole_of(const sim_visit *k, const sim_part *p) {
    return p->lanes & (p->lanes - 1) ? 0 : k->actor * SIM_LANES + (unsigned)__builtin_ctz(p->lanes) + 1;
}

/* Called before an access is recorded in the line's rows. */
static inline void note_sole(const sim_visit *k, sim_line *l, const sim_part *p) {
    const uint32_t thread = sole_of(k, p);
    if (thread == l->sole) return;
    l->sole = thread;
    l->sole_since = l->written_at > l->read_at ? l->written_at : l->read_at;
}

/* True if the part's thread knows all that others have done to the line, as where each lane has lines of its own. */
static inline bool is_alone(const sim_visit *k, const sim_line *l, const sim_part *p) {
    return l->sole && l->sole_since <= k->v->least && l->sole == sole_of(k, p);
}

/* True if rows show that the read is ordered after all writes, and all bytes were written. */
static bool may_read(const sim_visit *k, const sim_line *l, const sim_part *p) {
    if (sim_bytes_any(sim_bytes_without(p->bytes, l->written)) || overlaps_arriving(k, l, p)) return false;
    return l->written_at <= k->v->least || is_alone(k, l, p) || knows_writers(k, l, p);
}

/* True if the write is a strong one of what the warp wrote by an ordinary one, which others may not know of: the word's
 * cell keeps both (sim_cells_write). */
static bool hides_own(const sim_visit *k, const sim_line *l, const sim_part *p) {
    for (unsigned i = 0; k->strong && i < l->writers; i++) {
        const sim_line_row *r = writer_of(k->s, l, i);
        const bool is_own = r->actor == k->actor && !r->state && r->time > k->v->least;
        if (is_own && sim_bytes_overlap(r->bytes, p->bytes)) return true;
    }
    return false;
}

/* True if rows show that the write is ordered after all writes and reads, and an atomic operation's bytes were written.
 */
static bool may_write(const sim_visit *k, const sim_line *l, const sim_part *p) {
    sim_part part = *p;
    if (k->action == HAUL_ACTION_ATOMIC && sim_bytes_any(sim_bytes_without(p->bytes, l->written))) return false;
    if ((k->action != HAUL_ACTION_ATOMIC && !sim_owner_is_single(p->owner)) || overlaps_arriving(k, l, p)) return false;
    if (l->written_at > k->v->least && hides_own(k, l, p)) return false;
    if (is_alone(k, l, p)) return true;
    if (l->written_at > k->v->least && !knows_writers(k, l, p)) return false;
    return l->read_at <= k->v->least || each_read(k, l, knows_reader, &part);
}

/* ---- recording ---- */

static bool is_free(const sim_visit *k, const sim_read_row *r, const sim_part *p, uint32_t time) {
    if (r->time < k->d->start || r->time <= settled(k->d)) return true;
    return r->time <= time && r->owner.bits == p->owner.bits && !sim_bytes_any(sim_bytes_without(r->bytes, p->bytes));
}

static void take(const sim_visit *k, sim_line_row *r, const sim_part *p, uint8_t state) {
    *r = (sim_line_row){.bytes = p->bytes,
                        .owner = p->owner,
                        .time = k->d->now,
                        .instruction = k->instruction,
                        .actor = (uint16_t)k->actor,
                        .state = state};
}

static bool has_more_rows(const sim_visit *k, sim_line_reads *reads) {
    const size_t rows = sim_shadow_words(k->w->sm->grid) / LINE_WORDS * (SIM_LINE_READERS - SIM_LINE_FIRST_READERS);
    if (!reads->more) reads->more = memory_zeroed(rows, sizeof *reads->more);
    return has_memory(k, reads->more);
}

/* Adds the bytes to the row if it is one of the same lanes' reads at that time. */
static inline bool joins_read(const sim_visit *k, sim_read_row *r, const sim_part *p, uint32_t time) {
    if (r->time != time || r->owner.bits != p->owner.bits) return false;
    r->bytes = sim_bytes_or(r->bytes, p->bytes);
    r->instruction = k->instruction;
    return true;
}

static bool note_new_read(const sim_visit *k, sim_line_reads *reads, uint32_t index, const sim_part *p, uint32_t time) {
    for (unsigned i = SIM_LINE_FIRST_READERS; reads->more && i < SIM_LINE_READERS; i++)
        if (joins_read(k, sim_read_row_of(reads, index, i), p, time)) return true;
    for (unsigned i = 0; i < SIM_LINE_READERS; i++) {
        if (i == SIM_LINE_FIRST_READERS && !has_more_rows(k, reads)) return false;
        sim_read_row *r = sim_read_row_of(reads, index, i);
        if (!is_free(k, r, p, time)) continue;
        *r = (sim_read_row){p->bytes, p->owner, time, k->instruction};
        return true;
    }
    return false;
}

/* Records a read at that time in a row; false if there is none left. */
static inline bool note_read(const sim_visit *k, sim_line *l, sim_line_reads *reads, uint32_t index, const sim_part *p,
                             uint32_t time) {
    note_sole(k, l, p);
    if (l->read_at < time) l->read_at = time;
    l->readers |= 1u << k->actor % 32;
    for (unsigned i = 0; i < SIM_LINE_FIRST_READERS; i++)
        if (joins_read(k, &reads->first[(size_t)index * SIM_LINE_FIRST_READERS + i], p, time)) return true;
    return note_new_read(k, reads, index, p, time);
}

static void drop_overwritten(const sim_visit *k, sim_line *l, const sim_part *p) {
    if (!sim_bytes_overlap(l->in_rows, p->bytes)) return;
    for (unsigned i = l->writers; i-- > 0;) {
        sim_line_row *r = writer_of(k->s, l, i);
        r->bytes = sim_bytes_without(r->bytes, p->bytes);
        if (!sim_bytes_any(r->bytes)) *r = *writer_of(k->s, l, --l->writers);
    }
}

/* Drops the rows of writes that all threads know: they are old writes then. Not in kernels with proxy fences, where it
 * matters who wrote. */
static void drop_settled(const sim_visit *k, sim_line *l) {
    if (k->d->first->sm->grid->proxies.engine) return;
    if (l->written_at <= settled(k->d) && !l->arriving) {
        l->writers = 0;
        l->in_rows = (sim_bytes){{0, 0}};
        return;
    }
    for (unsigned i = l->writers; i-- > 0;) {
        sim_line_row *r = writer_of(k->s, l, i);
        if (r->time <= settled(k->d) && !(r->state & SIM_CELL_ARRIVING)) *r = *writer_of(k->s, l, --l->writers);
    }
}

/* Returns whether the line has a row for the write. The further rows are for lines that many warps write, a few bytes
 * each. Where single lanes write here and there, cells are faster. */
static bool has_writer_room(const sim_visit *k, const sim_line *l, const sim_part *p) {
    const size_t rows = sim_shadow_words(k->w->sm->grid) / LINE_WORDS * (SIM_LINE_WRITERS - SIM_LINE_FIRST_WRITERS);
    const bool is_one_lane = !(p->lanes & (p->lanes - 1));
    if (l->writers < SIM_LINE_FIRST_WRITERS) return true;
    if (l->writers == SIM_LINE_WRITERS || is_one_lane || k->action == HAUL_ACTION_ATOMIC) return false;
    if (!k->s->more_rows) k->s->more_rows = memory_zeroed(rows, sizeof *k->s->more_rows);
    return has_memory(k, k->s->more_rows);
}

/* True if the visitor's write may share a row with a write of that instruction. Copies of an unrolled store are alike.
 */
static bool is_alike(const sim_visit *k, uint32_t instruction, uint8_t state) {
    const sim_grid *g = k->w->sm->grid;
    if (instruction == k->instruction) return true;
    return !state && g->places[instruction] == g->places[k->instruction] &&
           (!g->uses || g->uses[instruction] == g->uses[k->instruction]);
}

/* Records a write in a row; false if there is none left. */
static bool note_write(const sim_visit *k, sim_line *l, const sim_part *p, uint8_t state) {
    change(k);
    note_sole(k, l, p);
    if (l->writers && l->written_at <= k->v->least) drop_settled(k, l);
    drop_overwritten(k, l, p);
    note_written(k, l, p->bytes);
    if (state & SIM_CELL_ARRIVING) note_other(k);
    l->in_rows = sim_bytes_or(l->in_rows, p->bytes);
    for (unsigned i = 0; i < l->writers; i++) {
        sim_line_row *r = writer_of(k->s, l, i);
        if (r->time != k->d->now || r->owner.bits != p->owner.bits || r->actor != k->actor || r->state != state ||
            !is_alike(k, r->instruction, state))
            continue;
        r->bytes = sim_bytes_or(r->bytes, p->bytes);
        return true;
    }
    if (l->writers == SIM_LINE_FIRST_WRITERS || l->writers == SIM_LINE_WRITERS) drop_settled(k, l);
    if (!has_writer_room(k, l, p)) return false;
    take(k, writer_of(k->s, l, l->writers++), p, state);
    if (state & SIM_CELL_ARRIVING) l->arriving++;
    return true;
}

/* ---- from cells to rows ---- */

/* True if all threads know who wrote and read the word, and nothing is in flight. */
static bool is_settled(const sim_visit *k, const sim_cell *c) {
    if (c->written & SIM_CELL_CONTESTED) return false;
    return !(c->state & ~(SIM_CELL_ATOMIC | SIM_CELL_ASYNC)) && c->thread / SIM_LANES < k->d->actors;
}

/* Turns a line that nobody touched since all threads synchronised back into rows: only what was written is kept. */
static void gather_line(const sim_visit *k, sim_line *l) {
    sim_bytes written = {{0, 0}};
    const sim_cell *cells = &k->s->cells[(size_t)(l - k->s->lines) * LINE_WORDS];
    l->tried = k->d->settled;
    for (unsigned w = 0; w < LINE_WORDS; w++) {
        if (!is_settled(k, &cells[w])) return;
        if (cells[w].time >= k->d->start) written.half[w / 16] |= (uint64_t)cells[w].written << 4 * (w % 16);
    }
    l->written = written;
    l->in_rows = (sim_bytes){{0, 0}};
    l->written_at = l->read_at = k->d->start;
    l->writers = l->arriving = 0;
    l->readers = l->sole = 0;
    l->detailed = false;
}

/* Tries that once after all threads have synchronised. Not in kernels with proxy fences, where it matters who wrote. */
static inline void gather(const sim_visit *k, sim_line *l) {
    if (l->touched > settled(k->d) || l->tried == k->d->settled) return;
    if (!k->d->first->sm->grid->proxies.engine) gather_line(k, l);
}

/* ---- reads that get rows late ---- */

static sim_line_reads *line_reads_of(const sim_visit *k) {
    sim_line_reads *reads = &k->s->line_reads[k->actor];
    const size_t lines = sim_shadow_words(k->w->sm->grid) / LINE_WORDS;
    if (!reads->first) reads->first = memory_zeroed(lines * SIM_LINE_FIRST_READERS, sizeof *reads->first);
    return has_memory(k, reads->first) ? reads : NULL;
}

/* Records a read of an actor in the line's rows or, if there is none left, in its cells. */
static void record_part(const sim_visit *k, const sim_late_read *r, const sim_line_part *part) {
    const uint32_t index = r->line + (uint32_t)part->part.line;
    sim_line *l = line_at(k->d, k->s, index);
    sim_line_reads *reads = line_reads_of(k);
    if (!reads || (!l->detailed && note_read(k, l, reads, index, &part->part, r->time)) || !detail(k, l)) return;
    const sim_line_row row = {.bytes = part->part.bytes,
                              .owner = part->part.owner,
                              .time = r->time,
                              .instruction = part->instruction,
                              .actor = (uint16_t)k->actor};
    spread_reads(k, index, &row, NULL);
}

/* Nobody can race with reads that all threads know. */
static bool is_needed(const sim_visit *k, const sim_late_read *r) {
    return r->time >= k->d->start && r->time > settled(k->d);
}

static bool is_between(const sim_late_read *r, uint32_t from, uint32_t to) {
    return r->line + (uint32_t)r->list->low <= to && r->line + (uint32_t)r->list->high >= from;
}

/* Puts a read into rows and forgets it. */
static void record_read(const sim_visit *k, uint32_t actor, uint32_t i) {
    sim_line_reads *reads = &k->s->line_reads[actor];
    sim_visit visit = {.w = k->w, .d = k->d, .s = k->s, .v = k->v, .b = k->b, .actor = actor};
    const sim_late_read r = reads->late[i];
    reads->late[i] = reads->late[--reads->late_count];
    for (uint32_t p = 0; p < r.list->count && r.time >= k->d->start; p++) {
        visit.instruction = r.list->parts[p].instruction;
        record_part(&visit, &r, &r.list->parts[p]);
    }
    sim_part_list_drop(r.list);
}

/* Puts the actor's reads of the lines into rows if they are later than `known`. Each may change the list. */
static void record_actor(const sim_visit *k, uint32_t actor, uint32_t from, uint32_t to, uint32_t known) {
    const sim_line_reads *reads = &k->s->line_reads[actor];
    for (uint32_t i = 0; i < reads->late_count;) {
        const sim_late_read *r = &reads->late[i];
        if (r->time > known && is_between(r, from, to)) {
            r->list->is_early = true;
            record_read(k, actor, i);
            i = 0;
        } else {
            i++;
        }
    }
}

static void record_late(const sim_visit *k, uint32_t from, uint32_t to) {
    for (uint32_t a = 0; k->s->late_at && a < k->d->actors; a++) record_actor(k, a, from, to, 0);
}

/* The same for those of which the current lanes do not know: they may race with a write. */
static void record_unknown(const sim_visit *k, uint32_t from, uint32_t to) {
    for (uint32_t a = 0; a < k->d->actors; a++) record_actor(k, a, from, to, k->v->order[a].all);
}

void sim_lines_record_late(const sim_warp *w, uint32_t address) {
    const sim_visit visit = {
        .w = (sim_warp *)(uintptr_t)w, .d = sim_domain_of(w->block), .s = sim_shadow_of(w->block), .b = w->block};
    record_late(&visit, address / SIM_FOOTPRINT_LINE, address / SIM_FOOTPRINT_LINE);
}

static void drop_needless(const sim_visit *k, sim_line_reads *reads) {
    for (uint32_t i = reads->late_count; i-- > 0;) {
        if (is_needed(k, &reads->late[i])) continue;
        sim_part_list_drop(reads->late[i].list);
        reads->late[i] = reads->late[--reads->late_count];
    }
}

/* Keeps a bundle's reads. Mostly all threads know them before anybody writes there, and they never need rows. */
static void add_late(const sim_visit *k, uint32_t line, sim_part_list *list) {
    sim_line_reads *reads = &k->s->line_reads[k->actor];
    k->s->late_at = k->d->now;
    for (uint32_t i = 0; i < reads->late_count; i++) {
        if (reads->late[i].list != list || reads->late[i].line != line) continue;
        reads->late[i].time = k->d->now;
        return;
    }
    if (reads->late_count == SIM_LATE_READS) drop_needless(k, reads);
    if (reads->late_count == SIM_LATE_READS) record_actor(k, k->actor, 0, UINT32_MAX, 0);
    list->uses++;
    reads->late[reads->late_count++] = (sim_late_read){list, line, k->d->now};
}

/* ---- accesses ---- */

/* Makes the line detailed and returns the part's lanes, which the cells must check. */
static uint32_t use_cells(const sim_visit *k, sim_line *l, const sim_part *p) {
    return detail(k, l) ? p->lanes : 0;
}

static const sim_footprint *footprint_of(const sim_visit *k, const uint32_t address[SIM_LANES], unsigned bytes,
                                         uint32_t lanes) {
    const sim_footprint *f = sim_footprint_of(&k->d->owner->footprints, k->instruction, bytes, lanes, address);
    return has_memory(k, f) ? f : NULL;
}

/* True if all lanes' lines stay detailed: the cells check all lanes, and parts need not be found. Scattered lanes
 * mostly come to such lines. */
static bool are_detailed(const sim_visit *k, const uint32_t address[SIM_LANES], uint32_t lanes) {
    for (uint32_t left = lanes; left; left &= left - 1) {
        sim_line *l = &k->s->lines[address[__builtin_ctz(left)] / SIM_FOOTPRINT_LINE];
        if (l->start != k->d->start || !l->detailed) return false;
        gather(k, l);
        if (!l->detailed) return false;
        l->touched = k->d->now;
    }
    return true;
}

uint32_t sim_lines_read(const sim_visit *k, const uint32_t address[SIM_LANES], unsigned bytes, uint32_t lanes) {
    if (lanes && are_detailed(k, address, lanes)) return lanes;
    const sim_footprint *f = lanes ? footprint_of(k, address, bytes, lanes) : NULL;
    sim_line_reads *reads = f ? line_reads_of(k) : NULL;
    uint32_t slow = 0;
    if (!reads) return 0;
    const uint32_t first = address[__builtin_ctz(lanes)] / SIM_FOOTPRINT_LINE;
    for (unsigned i = 0; i < f->count; i++) {
        const sim_part *p = &f->parts[i];
        const uint32_t index = first + (uint32_t)p->line;
        sim_line *l = line_at(k->d, k->s, index);
        if (l->detailed) gather(k, l);
        if (l->detailed || !may_read(k, l, p) || !note_read(k, l, reads, index, p, k->d->now))
            slow |= use_cells(k, l, p);
    }
    return slow;
}

static uint32_t lowest_line(const sim_footprint *f, uint32_t first) {
    int32_t line = f->parts[0].line;
    for (unsigned i = 1; i < f->count; i++) line = f->parts[i].line < line ? f->parts[i].line : line;
    return first + (uint32_t)line;
}

static uint32_t highest_line(const sim_footprint *f, uint32_t first) {
    int32_t line = f->parts[0].line;
    for (unsigned i = 1; i < f->count; i++) line = f->parts[i].line > line ? f->parts[i].line : line;
    return first + (uint32_t)line;
}

uint32_t sim_lines_write(const sim_visit *k, const uint32_t address[SIM_LANES], unsigned bytes, uint32_t lanes,
                         uint8_t state) {
    if (lanes && are_detailed(k, address, lanes)) return lanes;
    const sim_footprint *f = lanes ? footprint_of(k, address, bytes, lanes) : NULL;
    uint32_t slow = 0;
    if (!f) return 0;
    const uint32_t first = address[__builtin_ctz(lanes)] / SIM_FOOTPRINT_LINE;
    if (k->s->late_at > k->v->least) record_unknown(k, lowest_line(f, first), highest_line(f, first));
    for (unsigned i = 0; i < f->count; i++) {
        const sim_part *p = &f->parts[i];
        sim_line *l = line_at(k->d, k->s, first + (uint32_t)p->line);
        if (l->detailed) gather(k, l);
        if (l->detailed || !may_write(k, l, p) || !note_write(k, l, p, state)) slow |= use_cells(k, l, p);
    }
    return slow;
}

/* ---- copies that arrive ---- */

/* Makes those bytes of the row that are the part's written now. The rest stays, in a row of its own. */
static bool arrive(const sim_visit *k, sim_line *l, sim_line_row *r, const sim_part *p) {
    const sim_bytes arrived = sim_bytes_and(r->bytes, p->bytes), rest = sim_bytes_without(r->bytes, p->bytes);
    if (!sim_same_lanes(arrived, r->owner, p->owner)) return false;
    change(k);
    if (sim_bytes_any(rest)) {
        if (!has_writer_room(k, l, p)) return false;
        sim_line_row *added = writer_of(k->s, l, l->writers++);
        *added = *r;
        added->bytes = rest;
        l->arriving++;
    }
    r->bytes = arrived;
    r->time = k->d->now;
    r->state = SIM_CELL_ASYNC;
    l->arriving--;
    l->written_at = k->d->now;
    return true;
}

/* Returns false if the rows cannot say what has arrived. */
static bool arrive_in_rows(const sim_visit *k, sim_line *l, const sim_part *p) {
    for (unsigned i = 0; i < l->writers; i++) {
        sim_line_row *r = writer_of(k->s, l, i);
        const bool is_copy = r->state & SIM_CELL_ARRIVING && r->instruction == k->instruction && r->actor == k->actor;
        if (is_copy && sim_bytes_overlap(r->bytes, p->bytes) && !arrive(k, l, r, p)) return false;
    }
    return true;
}

uint32_t sim_lines_arrived(const sim_visit *k, const uint32_t address[SIM_LANES], unsigned bytes, uint32_t lanes,
                           bool by_rows) {
    const sim_footprint *f = lanes ? footprint_of(k, address, bytes, lanes) : NULL;
    uint32_t slow = 0;
    if (!f) return 0;
    const uint32_t first = address[__builtin_ctz(lanes)] / SIM_FOOTPRINT_LINE;
    for (unsigned i = 0; i < f->count; i++) {
        sim_line *l = line_at(k->d, k->s, first + (uint32_t)f->parts[i].line);
        if (!l->detailed && (!l->arriving || (by_rows && arrive_in_rows(k, l, &f->parts[i])))) continue;
        slow |= use_cells(k, l, &f->parts[i]);
    }
    return slow;
}

/* ---- several accesses at once ---- */

/* Returns the line if rows show that the part is ordered, else NULL. */
static sim_line *line_in_order(const sim_visit *k, uint32_t index, const sim_part *p) {
    sim_line *l = line_at(k->d, k->s, index);
    if (l->detailed) gather(k, l);
    if (l->detailed) return NULL;
    return (k->action == HAUL_ACTION_READ ? may_read(k, l, p) : may_write(k, l, p)) ? l : NULL;
}

/* True if it is known already that reads of the parts from `line` on are in order: nothing has changed since, or the
 * thread knows all writes, and as much is written as then. */
static bool is_proven(const sim_visit *k, uint32_t line, const sim_part_list *list) {
    const sim_shadow *s = k->s;
    if (!list->version || list->proven_line != line) return false;
    if (list->version == s->version && list->start == k->d->start && list->written_at <= k->v->least) return true;
    return list->written && list->written == written_by_rows(k) && s->written_at <= k->v->least;
}

static bool prove(const sim_visit *k, uint32_t line, sim_part_list *list) {
    uint32_t written_at = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const sim_line *l = line_in_order(k, line + (uint32_t)list->parts[i].part.line, &list->parts[i].part);
        if (!l) return false;
        if (l->written_at > written_at) written_at = l->written_at;
    }
    list->version = k->s->version;
    list->written = written_by_rows(k);
    list->proven_line = line;
    list->start = k->d->start;
    list->written_at = written_at;
    return true;
}

/* Each part is recorded before the next is checked. If one fails, accesses are made by themselves; recording parts
 * again then changes nothing. */
static bool read_early(sim_visit *k, uint32_t line, const sim_part_list *list) {
    sim_line_reads *reads = line_reads_of(k);
    for (uint32_t i = 0; reads && i < list->count; i++) {
        const sim_line_part *part = &list->parts[i];
        const uint32_t index = line + (uint32_t)part->part.line;
        k->instruction = part->instruction;
        sim_line *l = line_in_order(k, index, &part->part);
        if (!l || !note_read(k, l, reads, index, &part->part, k->d->now)) return false;
    }
    return true;
}

bool sim_lines_read_parts(sim_visit *k, uint32_t line, sim_part_list *list) {
    if (list->is_early) return read_early(k, line, list);
    if (!is_proven(k, line, list) && !prove(k, line, list)) return false;
    add_late(k, line, list);
    return true;
}

/* As read_early(): several lanes may store to one place. */
bool sim_lines_write_parts(sim_visit *k, uint32_t line, const sim_part_list *list) {
    if (k->s->late_at > k->v->least) record_unknown(k, line + (uint32_t)list->low, line + (uint32_t)list->high);
    for (uint32_t i = 0; i < list->count; i++) {
        const sim_line_part *part = &list->parts[i];
        k->instruction = part->instruction;
        sim_line *l = line_in_order(k, line + (uint32_t)part->part.line, &part->part);
        if (!l || !note_write(k, l, &part->part, 0)) return false;
    }
    return true;
}
