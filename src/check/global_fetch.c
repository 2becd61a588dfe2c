/* Scattered lanes miss the host's caches. So for many lanes at once, their lines are fetched, then the lines' rows,
 * then the next rows, before any of them is replayed. */
#include "check/global_fetch.h"

enum { ROWS_AHEAD = 3 };

typedef struct fetched {
    uint64_t address[SIM_FETCH_LANES];
    const sim_page *page[SIM_FETCH_LANES];
    bool stores[SIM_FETCH_LANES], reads[SIM_FETCH_LANES];
    uint32_t row[SIM_FETCH_LANES];                /* the last row that was fetched, or SIM_NO_ROW */
    const sim_line_words *words[SIM_FETCH_LANES]; /* NULL: the line has none */
    size_t count;
} fetched;

static const sim_page_line *line_of(const fetched *f, size_t i) {
    return &f->page[i]->lines[f->address[i] / SIM_FOOTPRINT_LINE % SIM_PAGE_LINES];
}

static void add_lanes(fetched *f, const sim_slice *s, const uint64_t *addresses, unsigned count,
                      const sim_log_item *item, sim_page **pages) {
    for (unsigned i = 0; i < count; i++) {
        const uint64_t address = addresses[i];
        sim_page *g = sim_slice_peek(s, address / SIM_FOOTPRINT_LINE / SIM_PAGE_LINES);
        pages[f->count] = g;
        f->page[f->count] = g;
        f->address[f->count] = address;
        f->stores[f->count] = item->stores;
        f->reads[f->count] = item->reads;
        if (g) __builtin_prefetch(line_of(f, f->count));
        if (g && (item->stores || s->added)) __builtin_prefetch(&g->values);
        f->count++;
    }
}

/* An entry lies in two or three of the host's lines. */
static void fetch_entry(const sim_logged *e) {
    __builtin_prefetch(e);
    __builtin_prefetch(&e->known);
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

static void fetch_rows(fetched *f, const sim_slice *s) {
    for (size_t i = 0; i < f->count; i++) {
        f->row[i] = SIM_NO_ROW;
        f->words[i] = NULL;
        if (!f->page[i]) continue;
        const uint32_t link = line_of(f, i)->link;
        if (f->stores[i]) fetch_value(f->page[i], f->address[i]);
        if (sim_link_has_rows(link))
            fetch_row(sim_slice_row(s, f->row[i] = link));
        else if (sim_link_is_noted(link))
            __builtin_prefetch(sim_slice_note(s, link));
        else if (sim_link_is_detailed(link))
            __builtin_prefetch(f->words[i] = sim_slice_words(s, link & ~SIM_LINE_DETAILED));
    }
}

/* The last touches of the words, and for stores the values. */
static void fetch_touches(const fetched *f) {
    for (size_t i = 0; i < f->count; i++) {
        const unsigned word = f->address[i] / 4 % SIM_LINE_WORDS;
        const sim_line_words *w = f->words[i];
        for (unsigned role = 0; w && role < SIM_ROLES; role++)
            if (w->roles[role].list)
                __builtin_prefetch(w->roles[role].list + sim_place_among(w->roles[role].words, word));
        if (w && w->roles[SIM_ROW_WRITER].list && f->stores[i]) __builtin_prefetch(sim_word_value(w, word));
    }
}

/* True if the lane's access looks at the word's last atomic operation. */
static bool meets_adder(const fetched *f, size_t i) {
    const sim_page *g = f->page[i];
    return g && g->adders && (!f->reads[i] || sim_page_has_earlier(g, f->address[i]));
}

/* Where the words' last atomic operations are kept, then these. */
static void fetch_adders(const fetched *f) {
    for (size_t i = 0; i < f->count; i++)
        if (meets_adder(f, i))
            __builtin_prefetch(&f->page[i]->adders[f->address[i] / SIM_FOOTPRINT_LINE % SIM_PAGE_LINES]);
    for (size_t i = 0; i < f->count; i++)
        if (meets_adder(f, i))
            __builtin_prefetch(f->page[i]->adders[f->address[i] / SIM_FOOTPRINT_LINE % SIM_PAGE_LINES]);
}

/* The accessors of the touches and of the last atomic operations, which were fetched before. */
static void fetch_accessors(const fetched *f, const sim_slice *s) {
    for (size_t i = 0; i < f->count; i++) {
        const unsigned word = f->address[i] / 4 % SIM_LINE_WORDS;
        const sim_line_words *w = f->words[i];
        for (unsigned role = 0; w && role < SIM_ROLES; role++) {
            const sim_kept_touch *kept = sim_word_kept(w, word, (sim_row_role)role);
            if (kept) __builtin_prefetch(sim_slice_accessor_at(s, kept->by));
        }
        const sim_kept_adder *k = s->added && meets_adder(f, i) ? sim_page_adder(f->page[i], f->address[i]) : NULL;
        if (k && k->by) __builtin_prefetch(sim_slice_accessor_at(s, k->by));
    }
}

/* Returns whether there may be more rows behind these. */
static bool fetch_next_rows(fetched *f, const sim_slice *s) {
    bool more = false;
    for (size_t i = 0; i < f->count; i++) {
        if (f->row[i] == SIM_NO_ROW) continue;
        f->row[i] = sim_slice_row(s, f->row[i])->next;
        if (f->row[i] == SIM_NO_ROW) continue;
        fetch_row(sim_slice_row(s, f->row[i]));
        more = true;
    }
    return more;
}

size_t sim_fetch_lines(const sim_slice *s, const sim_access_log *log, const sim_log_share *share, size_t first,
                       const uint64_t *addresses, sim_page *pages[SIM_FETCH_LANES]) {
    fetched f;
    f.count = 0;
    size_t i = first;
    for (; i < share->count && i - first < SIM_FETCH_LANES && f.count <= SIM_FETCH_LANES - SIM_LANES; i++) {
        const sim_log_item *item = &share->entries[i];
        const unsigned count = item->has_list ? (unsigned)__builtin_popcount(item->lanes) : 0;
        fetch_entry(&log->entries[item->entry]);
        if (item->is_scattered) add_lanes(&f, s, addresses, count, item, pages);
        addresses += count;
    }
    if (s->added) fetch_adders(&f);
    fetch_rows(&f, s);
    fetch_touches(&f);
    for (unsigned k = 0; k < ROWS_AHEAD && fetch_next_rows(&f, s); k++) {
    }
    fetch_accessors(&f, s);
    return i;
}
