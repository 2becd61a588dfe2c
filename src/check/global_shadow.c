#include "check/global_shadow.h"

#include "base/memory.h"
#include "base/status.h"
#include "check/adder_words.h"
#include "state/block.h"

#include <stdatomic.h>
#include <string.h>

/* At most 64 MiB of global memory have a shadow by words; further lines that need one are not checked. */
enum { MOST_DETAILED = (64 << 20) / SIM_FOOTPRINT_LINE / SIM_WATCH_SLICES };

/* In larger grids, published knowledge is not tracked. */
enum { MOST_CLUSTERS = 1 << 20 };

haul_status sim_watch_no_memory(void) {
    return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "launch: the host has not enough memory for checks");
}

/* Returns how many releases of each cluster are kept, so that all together need at most RELEASE_BYTES. */
static uint32_t releases_kept(const sim_grid *g) {
    enum { RELEASE_BYTES = 8 << 20, LEAST = 2 };
    const uint64_t bytes = g->clusters * g->warps * g->cluster_blocks * sizeof(sim_known);
    const uint64_t most = RELEASE_BYTES / bytes;
    return most < LEAST ? LEAST : most > SIM_MOST_RELEASES ? SIM_MOST_RELEASES : (uint32_t)most;
}

/* Takes the memory that an earlier launch has left. */
static haul_status find_memory(sim_watch *watch, sim_shadow_memory **kept) {
    watch->kept = kept;
    watch->memory = kept && *kept ? *kept : sim_shadow_memory_create();
    if (kept) *kept = NULL;
    return watch->memory ? HAUL_OK : sim_watch_no_memory();
}

/* Leaves the memory to the next launch, unless one that has run meanwhile has left its own. */
static void leave_memory(sim_watch *watch) {
    if (!watch->memory || !watch->kept || *watch->kept) {
        sim_shadow_memory_free(watch->memory);
        return;
    }
    sim_shadow_memory_end_launch(watch->memory);
    *watch->kept = watch->memory;
}

haul_status sim_watch_create(const sim_grid *g, sim_shadow_memory **kept, sim_watch **out) {
    *out = memory_zeroed(1, sizeof **out);
    if (!*out) return sim_watch_no_memory();
    (*out)->grid = g;
    HAUL_TRY(find_memory(*out, kept));
    (*out)->epoch = 1;
    sim_accessors_start(&(*out)->accessors, (*out)->memory, g->places);
    HAUL_TRY(sim_adders_find(g->program, &(*out)->results));
    HAUL_TRY(sim_map_news_create(g->program, &(*out)->maps));
    if (g->proxies.spaces > 1 && g->clusters <= MOST_CLUSTERS) {
        (*out)->fences = memory_zeroed(g->clusters, sizeof *(*out)->fences);
        if (!(*out)->fences) return sim_watch_no_memory();
    }
    for (unsigned kind = 0; kind < SIM_PUBLICATIONS && g->clusters <= MOST_CLUSTERS; kind++) {
        (*out)->histories[kind] = memory_zeroed(g->clusters, sizeof(sim_history));
        if (!(*out)->histories[kind]) return sim_watch_no_memory();
        (*out)->most[kind] = releases_kept(g);
    }
    for (unsigned i = 0; i < SIM_WATCH_SLICES; i++) {
        (*out)->slices[i].free_row = (*out)->slices[i].free_shared = (*out)->slices[i].last_shared = SIM_NO_ROW;
        (*out)->slices[i].free_note = SIM_NO_ROW;
        (*out)->slices[i].findings.places = g->places;
        (*out)->slices[i].memory = (*out)->memory;
        (*out)->slices[i].accessors = &(*out)->accessors;
    }
    return HAUL_OK;
}

void sim_watch_free(sim_watch *watch) {
    if (!watch) return;
    for (unsigned s = 0; s < SIM_WATCH_SLICES; s++) {
        sim_slice *x = &watch->slices[s];
        memory_free(x->pages);
        memory_free(x->rows);
        memory_free(x->shared);
        memory_free(x->notes);
        memory_free(x->words);
        sim_accessor_finder_free(&x->finder);
        sim_findings_free(&x->findings);
        sim_adders_free(x->adders);
    }
    for (unsigned kind = 0; kind < SIM_PUBLICATIONS; kind++) {
        for (uint64_t i = 0; watch->histories[kind] && i < watch->grid->clusters; i++)
            sim_history_free(&watch->histories[kind][i]);
        memory_free(watch->histories[kind]);
    }
    leave_memory(watch);
    pthread_mutex_destroy(&watch->accessors.lock);
    memory_free(watch->results);
    sim_map_news_free(watch->maps);
    memory_free(watch->flag_words);
    memory_free(watch->fences);
    memory_free(watch);
}

sim_accessors *sim_watch_accessors(sim_watch *watch) {
    return &watch->accessors;
}

/* ---- releases ---- */

uint32_t sim_watch_published(const sim_watch *watch, size_t place, sim_publication kind) {
    return atomic_load_explicit(&watch->published[place][kind], memory_order_relaxed);
}

uint32_t sim_watch_age(const sim_watch *watch) {
    return watch->releases + 1;
}

uint32_t sim_watch_sources(const sim_watch *watch, size_t place, sim_publication kind) {
    return atomic_load_explicit(&watch->sources[place][kind], memory_order_relaxed);
}

void sim_watch_publish(sim_watch *watch, size_t place, sim_publication kind, uint32_t from) {
    if (!atomic_load_explicit(&watch->has_released, memory_order_relaxed))
        atomic_store_explicit(&watch->has_released, true, memory_order_relaxed);
    if (from & ~sim_watch_sources(watch, place, kind))
        atomic_fetch_or_explicit(&watch->sources[place][kind], from, memory_order_relaxed);
    atomic_store_explicit(&watch->published[place][kind], sim_watch_age(watch), memory_order_relaxed);
}

void sim_watch_next(sim_watch *watch, bool serial) {
    if (serial) watch->releases++;
}

void sim_watch_end_phase(sim_watch *watch) {
    if (atomic_exchange_explicit(&watch->has_released, false, memory_order_relaxed)) watch->releases++;
}

bool sim_watch_release(sim_watch *watch, uint64_t cluster, const sim_known *known, sim_publication kind) {
    const sim_grid *g = watch->grid;
    bool added;
    if (!watch->histories[kind]) return true;
    atomic_store_explicit(&watch->has_released, true, memory_order_relaxed);
    return sim_history_add(&watch->histories[kind][cluster], sim_watch_age(watch), known, g->warps * g->cluster_blocks,
                           watch->most[kind], &added);
}

/* Only the SM that runs the cluster writes it, and no SM runs during a replay. */
void sim_watch_note_fence(sim_watch *watch, uint32_t cluster, uint32_t time) {
    if (watch && watch->fences) watch->fences[cluster] = time;
}

bool sim_watch_has_fenced(const sim_watch *watch, uint32_t cluster, uint32_t since) {
    return !watch->fences || watch->fences[cluster] >= since;
}

const sim_findings *sim_watch_findings(const sim_watch *watch, uint32_t s) {
    return &watch->slices[s].findings;
}

/* ---- memory ---- */

enum { FIRST_CHUNK = 1 << 14, MOST_CHUNK = 1 << 17 };

static bool next_chunk(sim_slice *s) {
    s->chunk_bytes = !s->chunk_bytes ? FIRST_CHUNK : s->chunk_bytes < MOST_CHUNK ? 2 * s->chunk_bytes : MOST_CHUNK;
    s->chunk = sim_shadow_memory_take(s->memory, s->chunk_bytes);
    s->chunk_left = s->chunk ? s->chunk_bytes : 0;
    return s->chunk != NULL;
}

void *sim_slice_take(sim_slice *s, size_t bytes) {
    const size_t whole = (bytes + 15) / 16 * 16;
    if (whole > s->chunk_left && !next_chunk(s)) {
        s->failed = true;
        return NULL;
    }
    void *taken = s->chunk;
    s->chunk += whole;
    s->chunk_left -= whole;
    return memset(taken, 0, whole);
}

static bool grow(sim_slice *s) {
    sim_slice larger = {.capacity = s->capacity ? 2 * s->capacity : 256};
    larger.pages = memory_zeroed(larger.capacity, sizeof *larger.pages);
    if (!larger.pages) return false;
    for (size_t i = 0; i < s->capacity; i++)
        if (s->pages[i].page) larger.pages[sim_slice_slot(&larger, s->pages[i].number)] = s->pages[i];
    memory_free(s->pages);
    s->pages = larger.pages;
    s->capacity = larger.capacity;
    s->last = NULL;
    return true;
}

sim_page *sim_slice_find_page(sim_slice *s, uint64_t number) {
    if (2 * s->count >= s->capacity && !grow(s)) return NULL;
    sim_page_slot *at = &s->pages[sim_slice_slot(s, number)];
    if (!at->page) {
        at->page = sim_slice_take(s, sizeof *at->page);
        if (!at->page) return NULL;
        for (unsigned l = 0; l < SIM_PAGE_LINES; l++) at->page->lines[l].link = SIM_NO_ROW;
        at->page->folds = s->count >= SIM_EXACT_PAGES;
        at->number = number;
        s->count++;
    }
    s->last = at;
    return at->page;
}

/* ---- rows ---- */

void *sim_slice_add_block(sim_slice *s, void ***blocks, uint32_t count, size_t bytes) {
    if ((count & (count - 1)) == 0) {
        void **list = memory_resize(*blocks, (count ? 2 * (size_t)count : 1) * sizeof *list);
        if (!list) return NULL;
        *blocks = list;
    }
    return (*blocks)[count] = sim_slice_take(s, bytes);
}

uint32_t sim_slice_take_row(sim_slice *s) {
    const uint32_t index = s->free_row;
    if (index != SIM_NO_ROW) {
        s->free_row = sim_slice_row(s, index)->next;
        return index;
    }
    if (s->row_count == s->row_blocks * SIM_BLOCK_ROWS) {
        s->failed |= !sim_slice_add_block(s, &s->rows, s->row_blocks, SIM_BLOCK_ROWS * sizeof(sim_row));
        if (s->failed) return SIM_NO_ROW;
        s->row_blocks++;
    }
    return s->row_count++;
}

void sim_slice_drop_row(sim_slice *s, uint32_t *link) {
    sim_row *r = sim_slice_row(s, *link);
    const uint32_t dropped = *link;
    *link = r->next;
    r->next = s->free_row;
    s->free_row = dropped;
}

void sim_slice_drop_rows(sim_slice *s, uint32_t *link) {
    while (*link != SIM_NO_ROW) sim_slice_drop_row(s, link);
}

/* ---- notes ---- */

/* Returns a link to a new note, or SIM_NO_ROW. */
static uint32_t take_note(sim_slice *s) {
    const uint32_t link = s->free_note;
    if (link != SIM_NO_ROW) {
        s->free_note = sim_slice_note(s, link)->next;
        return link;
    }
    if (s->note_count == s->note_blocks * SIM_BLOCK_NOTES) {
        s->failed |= !sim_slice_add_block(s, &s->notes, s->note_blocks, SIM_BLOCK_NOTES * sizeof(sim_note));
        if (s->failed) return SIM_NO_ROW;
        s->note_blocks++;
    }
    return SIM_LINE_NOTED | s->note_count++;
}

bool sim_slice_add_note(sim_slice *s, sim_page_line *l, uint32_t by, uint32_t lanes, uint32_t words) {
    const uint32_t link = take_note(s);
    if (link == SIM_NO_ROW) return false;
    *sim_slice_note(s, link) = (sim_note){by, lanes, words, l->link};
    l->link = link;
    return true;
}

sim_note sim_slice_drop_note(sim_slice *s, sim_page_line *l) {
    sim_note *n = sim_slice_note(s, l->link);
    const sim_note dropped = *n;
    *n = (sim_note){.next = s->free_note};
    s->free_note = l->link;
    l->link = dropped.next;
    return dropped;
}

/* ---- rows that lines share ---- */

bool sim_row_is_shareable(const sim_row *r) {
    const sim_owner o = r->owner;
    return sim_bytes_all(r->bytes) && o.stride > 0 && o.step == 1 && o.start == 0 && !o.run && sim_owner_is_single(o);
}

static sim_shared_row shared_of(const sim_row *r) {
    return (sim_shared_row){.cluster = r->cluster,
                            .time = r->time,
                            .epoch = r->epoch,
                            .instruction = r->instruction,
                            .action = r->action,
                            .role = r->role,
                            .strong = r->strong};
}

static bool is_shared_row(const sim_shared_row *s, const sim_shared_row *r) {
    return s->instruction == r->instruction && s->time == r->time && s->epoch == r->epoch && s->cluster == r->cluster &&
           s->action == r->action && s->role == r->role && s->strong == r->strong;
}

/* Returns the index of a new shared row, or SIM_NO_ROW. */
static uint32_t take_shared(sim_slice *s) {
    const uint32_t index = s->free_shared;
    if (index != SIM_NO_ROW) {
        s->free_shared = sim_slice_shared(s, index)->next;
        return index;
    }
    if (s->shared_count == s->shared_blocks * SIM_BLOCK_SHARED) {
        s->failed |= !sim_slice_add_block(s, &s->shared, s->shared_blocks, SIM_BLOCK_SHARED * sizeof(sim_shared_row));
        if (s->failed) return SIM_NO_ROW;
        s->shared_blocks++;
    }
    return s->shared_count++;
}

/* Adjacent lines mostly share the row that the last one got. */
static uint32_t find_shared(sim_slice *s, const sim_shared_row *r) {
    if (s->last_shared != SIM_NO_ROW && is_shared_row(sim_slice_shared(s, s->last_shared), r)) return s->last_shared;
    s->last_shared = take_shared(s);
    if (s->last_shared != SIM_NO_ROW) *sim_slice_shared(s, s->last_shared) = *r;
    return s->last_shared;
}

bool sim_slice_share_with(sim_slice *s, sim_page_line *l, const sim_shared_row *r, sim_line_holder holder) {
    const uint32_t index = find_shared(s, r);
    if (index == SIM_NO_ROW) return false;
    sim_slice_shared(s, index)->lines++;
    l->link = SIM_LINE_SHARED | index;
    l->holder = holder;
    return true;
}

bool sim_slice_share(sim_slice *s, sim_page_line *l, const sim_row *r) {
    const sim_shared_row like = shared_of(r);
    return sim_slice_share_with(
        s, l, &like, (sim_line_holder){r->actor, (uint8_t)__builtin_ctz(r->owner.lanes), (uint8_t)r->owner.stride});
}

sim_row sim_slice_shared_row(const sim_slice *s, const sim_page_line *l, unsigned warp) {
    const sim_shared_row *r = sim_slice_shared(s, l->link);
    const sim_line_holder h = l->holder;
    const unsigned each = SIM_FOOTPRINT_LINE / sim_holder_warps(h), start = warp * each;
    return (sim_row){.bytes = sim_bytes_range(start, start + each),
                     .owner = sim_owner_evenly(h.lane, start, h.bytes, h.bytes),
                     .cluster = r->cluster,
                     .time = r->time,
                     .epoch = r->epoch,
                     .instruction = r->instruction,
                     .next = SIM_NO_ROW,
                     .actor = (uint16_t)(h.actor + warp),
                     .action = r->action,
                     .role = r->role & 63u,
                     .strong = r->strong & 3u};
}

/* True if both are one access, by warps of the same cluster. */
static bool are_of_one_access(const sim_row *a, const sim_row *b) {
    return a->instruction == b->instruction && a->time == b->time && a->epoch == b->epoch && a->cluster == b->cluster &&
           a->action == b->action && a->role == b->role && a->strong == b->strong;
}

void sim_slice_share_by_warps(sim_slice *s, sim_page_line *l, const sim_row *r) {
    const unsigned bytes = (unsigned)r->owner.stride;
    if ((bytes != 1 && bytes != 2) || !sim_bytes_has(r->bytes, SIM_FOOTPRINT_LINE - 1)) return;
    const unsigned each = SIM_LANES * bytes, warps = SIM_FOOTPRINT_LINE / each;
    uint32_t link = l->link;
    for (unsigned behind = 0; behind < warps; behind++) {
        const sim_row *of = link != SIM_NO_ROW ? sim_slice_row(s, link) : NULL;
        const unsigned start = SIM_FOOTPRINT_LINE - (behind + 1) * each;
        if (!of || !are_of_one_access(of, r) || of->actor + behind != r->actor ||
            of->owner.bits != sim_owner_evenly(0, start, bytes, bytes).bits ||
            !sim_bytes_equal(of->bytes, sim_bytes_range(start, start + each)))
            return;
        link = of->next;
    }
    const sim_shared_row like = shared_of(r);
    const uint32_t index = link == SIM_NO_ROW ? find_shared(s, &like) : SIM_NO_ROW;
    if (index == SIM_NO_ROW) return;
    sim_slice_drop_rows(s, &l->link);
    sim_slice_shared(s, index)->lines++;
    l->link = SIM_LINE_SHARED | index;
    l->holder = (sim_line_holder){(uint16_t)(r->actor + 1 - warps), 0, (uint8_t)bytes};
}

void sim_slice_unshare(sim_slice *s, sim_page_line *l) {
    const uint32_t index = l->link & ~SIM_LINE_SHARED;
    sim_shared_row *r = sim_slice_shared(s, index);
    l->link = SIM_NO_ROW;
    l->used = UINT32_MAX;
    if (--r->lines) return;
    r->next = s->free_shared;
    s->free_shared = index;
    if (s->last_shared == index) s->last_shared = SIM_NO_ROW;
}

bool sim_slice_has_spare_words(const sim_slice *s) {
    return s->detailed < MOST_DETAILED / 2;
}

sim_line_words *sim_slice_add_words(sim_slice *s, uint32_t *index) {
    if (s->detailed == MOST_DETAILED) return NULL;
    if (s->detailed % SIM_BLOCK_LINES == 0)
        s->failed |=
            !sim_slice_add_block(s, &s->words, s->detailed / SIM_BLOCK_LINES, SIM_BLOCK_LINES * sizeof(sim_line_words));
    if (s->failed) return NULL;
    *index = s->detailed++;
    return sim_slice_words(s, *index);
}

/* ---- lists of words ---- */

/* Lines of one array mostly fill up together, and lists that have become too short then find no use. So there are few
 * sizes. */
static const uint8_t list_sizes[SIM_LIST_SIZES] = {4, 16, SIM_LINE_WORDS};

static size_t bytes_of_list(unsigned kind, uint32_t capacity) {
    if (kind == SIM_LIST_READERS) return capacity * sizeof(sim_kept_touch);
    if (kind == SIM_LIST_WRITERS) return capacity * (sizeof(sim_kept_touch) + sizeof(uint32_t));
    return sizeof(sim_line_adders) + capacity * sizeof(sim_kept_adder);
}

/* Returns the number of the least size with room for so many words. */
static unsigned size_of(unsigned count) {
    unsigned size = 0;
    while (list_sizes[size] < count) size++;
    return size;
}

/* Returns a list of that kind with room for so many words, and sets *capacity. Returns NULL if the host runs out of
 * memory. */
static void *take_list(sim_slice *s, unsigned kind, unsigned count, uint32_t *capacity) {
    const unsigned size = size_of(count);
    *capacity = list_sizes[size];
    void **spare = &s->spare[kind][size], *taken = *spare;
    if (!taken) return sim_slice_take(s, bytes_of_list(kind, *capacity));
    memcpy(spare, taken, sizeof *spare);
    return taken;
}

static void leave_list(sim_slice *s, unsigned kind, uint32_t capacity, void *list) {
    void **spare = &s->spare[kind][size_of(capacity)];
    memcpy(list, spare, sizeof *spare);
    *spare = list;
}

static unsigned count_of(uint32_t words) {
    return (unsigned)__builtin_popcount(words);
}

/* Moves all touches to a longer list. */
static void move_touches(const sim_touches *from, sim_touches *to, bool have_values) {
    const uint32_t *values = sim_touches_values(from);
    uint32_t *moved = sim_touches_values(to);
    for (uint32_t left = from->words; left; left &= left - 1) {
        const unsigned word = (unsigned)__builtin_ctz(left);
        const unsigned at = sim_touches_place(from, word), place = sim_touches_place(to, word);
        to->list[place] = from->list[at];
        if (have_values) moved[place] = values[at];
    }
}

bool sim_slice_reserve_touches(sim_slice *s, sim_line_words *line, uint32_t words, sim_row_role role) {
    sim_touches *t = &line->roles[role], grown = {.words = t->words};
    const unsigned kind = role == SIM_ROW_WRITER ? SIM_LIST_WRITERS : SIM_LIST_READERS;
    const unsigned wanted = count_of(t->words | words);
    if (wanted <= t->capacity) return true;
    grown.list = take_list(s, kind, wanted, &grown.capacity);
    if (!grown.list) return false;
    if (t->list) {
        move_touches(t, &grown, role == SIM_ROW_WRITER);
        leave_list(s, kind, t->capacity, t->list);
    }
    *t = grown;
    return true;
}

/* Makes room for a touch in front of those from `at` on. */
static void open_list(const sim_touches *t, unsigned at, bool have_values) {
    const unsigned behind = count_of(t->words) - at;
    uint32_t *values = sim_touches_values(t);
    memmove(t->list + at + 1, t->list + at, behind * sizeof *t->list);
    if (have_values) memmove(values + at + 1, values + at, behind * sizeof *values);
}

sim_kept_touch *sim_slice_add_touch(sim_slice *s, sim_line_words *line, unsigned word, sim_row_role role) {
    sim_touches *t = &line->roles[role];
    if (!sim_slice_reserve_touches(s, line, 1u << word, role)) return NULL;
    const unsigned at = sim_touches_place(t, word);
    if (t->capacity < SIM_LINE_WORDS) open_list(t, at, role == SIM_ROW_WRITER);
    t->list[at] = (sim_kept_touch){0};
    if (role == SIM_ROW_WRITER) sim_touches_values(t)[at] = 0;
    t->words |= 1u << word;
    return &t->list[at];
}

/* Returns the line's list with room for another word. Returns NULL if the host runs out of memory. */
static sim_line_adders *reserve_adder(sim_slice *s, sim_line_adders **line) {
    sim_line_adders *old = *line;
    const unsigned count = old ? count_of(old->words) : 0;
    uint32_t capacity;
    if (old && count < old->capacity) return old;
    sim_line_adders *grown = take_list(s, SIM_LIST_ADDERS, count + 1, &capacity);
    if (!grown) return NULL;
    grown->words = old ? old->words : 0;
    grown->capacity = capacity;
    if (old) {
        memcpy(grown->list, old->list, count * sizeof *old->list);
        leave_list(s, SIM_LIST_ADDERS, old->capacity, old);
    }
    return *line = grown;
}

sim_kept_adder *sim_page_add_adder(sim_slice *s, sim_page *g, uint64_t address) {
    const unsigned line = sim_line_in_page(address), word = address / 4 % SIM_LINE_WORDS;
    sim_kept_adder *kept = sim_page_adder(g, address);
    if (kept) return kept;
    if (!g->adders) g->adders = sim_slice_take(s, SIM_PAGE_LINES * sizeof *g->adders);
    sim_line_adders *of = g->adders ? reserve_adder(s, &g->adders[line]) : NULL;
    if (!of) return NULL;
    const unsigned at = sim_place_among(of->words, word);
    for (unsigned i = count_of(of->words); i > at; i--) of->list[i] = of->list[i - 1];
    of->list[at] = (sim_kept_adder){0};
    of->words |= 1u << word;
    return &of->list[at];
}
