/* Scattered lanes miss the host's caches. So for many lanes at once, their lines are fetched, then the lines' rows,
 * then the next rows, before any of them is replayed. */
#include "check/global_fetch.h"

/* Rows or notes behind a line's first. */
enum { ROWS_AHEAD = 3, NOTES_AHEAD = 8 };

typedef struct fetched_lane {
    uint64_t address;
    const sim_page *page;
    const sim_page_line *line; /* NULL: the page is not there yet */
    bool stores, reads;
} fetched_lane;

/* A word of a line that has a shadow by words. */
typedef struct fetched_word {
    const sim_line_words *line;
    unsigned word;
    bool reads;
} fetched_word;

typedef struct fetched {
    fetched_lane lanes[SIM_FETCH_LANES];
    fetched_word words[SIM_FETCH_LANES];
    /* For each line that has some, the link to the last one fetched. */
    uint32_t rows[SIM_FETCH_LANES], notes[SIM_FETCH_LANES];
    size_t count, word_count, row_count, note_count;
} fetched;

/* True if the host's caches have room for all that is kept of the slice's scattered lanes. */
static bool is_small(const sim_slice *s) {
    enum {
        FEW_BYTES = 128 << 10,
        BYTES_OF_LINE = sizeof(sim_line_words) + SIM_LINE_WORDS * 2 * sizeof(sim_kept_touch)
    };
    return (size_t)s->detailed * BYTES_OF_LINE + s->row_count * sizeof(sim_row) + s->note_count * sizeof(sim_note) +
               s->added * sizeof(sim_kept_adder) <
           FEW_BYTES;
}

static void add_lanes(fetched *f, const sim_slice *s, const uint64_t *addresses, unsigned count,
                      const sim_log_item *item, sim_page **pages, bool small) {
    const bool needs_page = item->stores || s->added;
    for (unsigned i = 0; i < count; i++) {
        const uint64_t address = addresses[i];
        sim_page *g = sim_slice_peek(s, address >> SIM_WATCH_PAGE);
        pages[i] = g;
        if (small) continue;
        const sim_page_line *line = g ? &g->lines[sim_line_in_page(address)] : NULL;
        f->lanes[f->count++] = (fetched_lane){address, g, line, item->stores, item->reads};
        if (line) __builtin_prefetch(line);
        if (g && needs_page) __builtin_prefetch(&g->values);
    }
}

/* An entry lies in two or three of the host's lines. */
static void fetch_entry(const sim_logged *e) {
    enum { LINE = 64 };
    for (const char *at = (const char *)e; at < (const char *)(e + 1); at += LINE) __builtin_prefetch(at);
    __builtin_prefetch((const char *)(e + 1) - 1);
}

/* A row lies in one or two. */
static void fetch_row(const sim_row *r) {
    __builtin_prefetch(r);
    __builtin_prefetch(&r->next);
}

static void fetch_value(const sim_page *g, uint64_t address) {
    const size_t word = address / 4 % SIM_PAGE_WORDS;
    if (g->values) __builtin_prefetch((const char *)g->values + word * (g->folds ? 2 : 4));
}

static void fetch_words(fetched *f, const fetched_lane *l, const sim_line_words *line) {
    __builtin_prefetch(line);
    f->words[f->word_count++] = (fetched_word){line, l->address / 4 % SIM_LINE_WORDS, l->reads};
}

/* All of a line's notes are looked at if the lane's word is in one. */
static void fetch_notes(fetched *f, const sim_slice *s, const fetched_lane *l) {
    __builtin_prefetch(sim_slice_note(s, l->line->link));
    if (l->line->used >> l->address / 4 % SIM_LINE_WORDS & 1) f->notes[f->note_count++] = l->line->link;
}

/* The first row or note of each line, or its words. */
static void fetch_links(fetched *f, const sim_slice *s) {
    for (const fetched_lane *l = f->lanes; l < f->lanes + f->count; l++) {
        if (!l->line) continue;
        const uint32_t link = l->line->link;
        if (sim_link_is_detailed(link)) {
            fetch_words(f, l, sim_slice_words(s, link & ~SIM_LINE_DETAILED));
            continue;
        }
        if (l->stores) fetch_value(l->page, l->address);
        if (sim_link_has_rows(link))
            fetch_row(sim_slice_row(s, f->rows[f->row_count++] = link));
        else if (sim_link_is_noted(link))
            fetch_notes(f, s, l);
    }
}

/* The end of a list to which a touch of the word will be added: those behind it make room. */
static void fetch_end(const sim_touches *t, unsigned word) {
    const unsigned count = (unsigned)__builtin_popcount(t->words);
    if (t->words >> word & 1 || !t->words || t->capacity == SIM_LINE_WORDS) return;
    __builtin_prefetch(t->list + count);
}

/* The last touches of the words, and the hashes of what was stored last. */
static void fetch_touches(const fetched *f) {
    for (const fetched_word *w = f->words; w < f->words + f->word_count; w++) {
        const sim_touches *writers = &w->line->roles[SIM_ROW_WRITER];
        for (const sim_touches *t = w->line->roles; t < w->line->roles + SIM_ROLES; t++)
            if (t->words) __builtin_prefetch(t->list + sim_touches_place(t, w->word));
        fetch_end(w->reads ? &w->line->roles[SIM_ROW_READER] : writers, w->word);
        if (!w->reads && writers->words) __builtin_prefetch(sim_word_value(w->line, w->word));
    }
}

/* True if the lane's access looks at the word's last atomic operation. */
static bool meets_adder(const fetched_lane *l) {
    return l->page && l->page->adders && (!l->reads || sim_page_has_earlier(l->page, l->address));
}

/* Returns where the last atomic operations on that lane's line are kept. */
static sim_line_adders **adders_of(const fetched_lane *l) {
    return &l->page->adders[sim_line_in_page(l->address)];
}

/* Where the words' last atomic operations are kept, then these. */
static void fetch_adders(const fetched *f) {
    const fetched_lane *end = f->lanes + f->count;
    for (const fetched_lane *l = f->lanes; l < end; l++)
        if (meets_adder(l)) __builtin_prefetch(adders_of(l));
    for (const fetched_lane *l = f->lanes; l < end; l++)
        if (meets_adder(l)) __builtin_prefetch(*adders_of(l));
}

/* Their places, and the end of a list to which one will be added. */
static void fetch_adder_places(const fetched *f) {
    for (const fetched_lane *l = f->lanes; l < f->lanes + f->count; l++) {
        const sim_line_adders *of = meets_adder(l) ? *adders_of(l) : NULL;
        if (!of) continue;
        __builtin_prefetch(of->list + sim_place_among(of->words, l->address / 4 % SIM_LINE_WORDS));
        __builtin_prefetch(of->list + __builtin_popcount(of->words));
    }
}

/* The accessors of the touches, which were fetched before. A read is compared with the last reader and the writer. */
static void fetch_accessors(const fetched *f, const sim_slice *s) {
    for (const fetched_word *w = f->words; w < f->words + f->word_count; w++)
        for (unsigned role = 0; role < SIM_ROLES; role++) {
            if (w->reads && role != SIM_ROW_READER && role != SIM_ROW_WRITER) continue;
            const sim_kept_touch *kept = sim_word_kept(w->line, w->word, (sim_row_role)role);
            if (kept) __builtin_prefetch(sim_slice_accessor_at(s, kept->by));
        }
}

/* The same of the last atomic operations. */
static void fetch_adders_accessors(const fetched *f, const sim_slice *s) {
    for (const fetched_lane *l = f->lanes; l < f->lanes + f->count; l++) {
        const sim_kept_adder *k = meets_adder(l) ? sim_page_adder(l->page, l->address) : NULL;
        if (k && k->by) __builtin_prefetch(sim_slice_accessor_at(s, k->by));
    }
}

/* Fetches what comes behind the row or note, and returns its link; SIM_NO_ROW: there is nothing. */
typedef uint32_t fetch_next_fn(const sim_slice *s, uint32_t link);

static uint32_t fetch_next_row(const sim_slice *s, uint32_t link) {
    const uint32_t next = sim_slice_row(s, link)->next;
    if (next != SIM_NO_ROW) fetch_row(sim_slice_row(s, next));
    return next;
}

static uint32_t fetch_next_note(const sim_slice *s, uint32_t link) {
    const sim_note *note = sim_slice_note(s, link);
    const uint32_t next = note->next;
    __builtin_prefetch(sim_slice_accessor_at(s, note->by));
    if (next != SIM_NO_ROW) __builtin_prefetch(sim_slice_note(s, next));
    return next;
}

/* Goes some steps along the lines' rows or notes, with all lines in each step. */
static inline void fetch_behind(const sim_slice *s, uint32_t *links, size_t count, unsigned ahead,
                                fetch_next_fn *fetch_next) {
    for (unsigned k = 0; k < ahead && count; k++) {
        size_t left = 0;
        for (size_t i = 0; i < count; i++) {
            const uint32_t next = fetch_next(s, links[i]);
            if (next != SIM_NO_ROW) links[left++] = next;
        }
        count = left;
    }
}

/* All that is known of the lanes' lines, from step to step: what one step fetches the next one reads. */
static void fetch_lanes(fetched *f, const sim_slice *s) {
    if (s->added) fetch_adders(f);
    fetch_links(f, s);
    fetch_touches(f);
    if (s->added) fetch_adder_places(f);
    fetch_behind(s, f->rows, f->row_count, ROWS_AHEAD, fetch_next_row);
    fetch_behind(s, f->notes, f->note_count, NOTES_AHEAD, fetch_next_note);
    fetch_accessors(f, s);
    if (s->added) fetch_adders_accessors(f, s);
}

/* ---- the walk ---- */

/* An SM has few items for a slice. So those of the next SMs are fetched while this one's are played. */
static void fetch_share(const sim_log_walk *w) {
    enum { NEXT = 2, BEHIND = 4 };
    if (w->log + BEHIND < w->count) __builtin_prefetch(&w->logs[w->log + BEHIND]->shares[w->slice]);
    if (w->log + NEXT >= w->count) return;
    const sim_log_share *next = &w->logs[w->log + NEXT]->shares[w->slice];
    __builtin_prefetch(next->entries);
    __builtin_prefetch(next->addresses);
}

static void enter_log(sim_log_walk *w) {
    for (; w->log < w->count; w->log++) {
        fetch_share(w);
        if (sim_walk_share(w)->count) break;
    }
    w->item = 0;
    w->addresses = w->log < w->count ? sim_walk_share(w)->addresses : NULL;
}

void sim_walk_begin(sim_log_walk *w) {
    w->log = 0;
    enter_log(w);
}

void sim_walk_on(sim_log_walk *w) {
    if (w->item < sim_walk_share(w)->count) return;
    w->log++;
    enter_log(w);
}

size_t sim_fetch_lines(const sim_slice *s, sim_log_walk walk, sim_page *pages[SIM_FETCH_LANES]) {
    fetched f;
    const bool small = is_small(s);
    size_t items = 0, lanes = 0;
    f.count = f.word_count = f.row_count = f.note_count = 0;
    for (; walk.log < walk.count && items < SIM_FETCH_LANES && lanes <= SIM_FETCH_LANES - SIM_LANES; items++) {
        const sim_log_item *item = &sim_walk_share(&walk)->entries[walk.item++];
        const unsigned count = item->has_list ? (unsigned)__builtin_popcount(item->lanes) : 0;
        fetch_entry(&walk.logs[walk.log]->entries[item->entry]);
        if (item->is_scattered) {
            add_lanes(&f, s, walk.addresses, count, item, pages + lanes, small);
            lanes += count;
        }
        walk.addresses += count;
        sim_walk_on(&walk);
    }
    if (!small) fetch_lanes(&f, s);
    return items;
}
