/* Frees accessors of global memory. They are not counted: those that nothing names any more are found by going through
 * the words' shadows, the notes and the last atomic operations, once as many have been added as there are in use. */
#include "base/pool.h"
#include "check/global_shadow.h"

static void mark(const sim_slice *s, uint32_t number) {
    bool *is_used = number ? &sim_accessor_at(s->accessors, number)->is_used : NULL;
    if (is_used && !__atomic_load_n(is_used, __ATOMIC_RELAXED)) __atomic_store_n(is_used, true, __ATOMIC_RELAXED);
}

static void mark_words(const sim_slice *s, uint32_t index) {
    const sim_line_words *line = sim_slice_words(s, index);
    for (const sim_touches *t = line->roles; t < line->roles + SIM_ROLES; t++)
        for (uint32_t left = t->words; left; left &= left - 1)
            mark(s, t->list[sim_touches_place(t, (unsigned)__builtin_ctz(left))].by);
}

/* Marks the last atomic operations on the page's words. */
static void mark_adders(const sim_slice *s, const sim_page *g) {
    for (unsigned l = 0; l < SIM_PAGE_LINES; l++)
        for (int i = 0; g->adders[l] && i < __builtin_popcount(g->adders[l]->words); i++)
            mark(s, g->adders[l]->list[i].by);
}

static void mark_slice(void *context, size_t slice, unsigned worker) {
    const sim_slice *s = (const sim_slice *)context + slice;
    (void)worker;
    for (uint32_t i = 0; i < s->detailed; i++) mark_words(s, i);
    for (uint32_t i = 0; i < s->note_count; i++) mark(s, sim_slice_note(s, i)->by);
    for (size_t i = 0; s->added && i < s->capacity; i++)
        if (s->pages[i].page && s->pages[i].page->adders) mark_adders(s, s->pages[i].page);
}

/* Returns about how many places of the shadow name accessors. */
static uint64_t count_names(const sim_watch *watch) {
    uint64_t names = 0;
    for (const sim_slice *s = watch->slices; s < watch->slices + SIM_WATCH_SLICES; s++)
        names += (uint64_t)s->detailed * SIM_LINE_WORDS * 2 + s->note_count + s->added;
    return names;
}

/* To look at all names costs as much as to play some accesses for each, so few accessors may stay unused. */
static bool is_worthwhile(const sim_watch *watch) {
    enum { NAMES_EACH = 8 };
    const sim_accessors *all = &watch->accessors;
    return all->taken > all->limit && all->taken > count_names(watch) / NAMES_EACH;
}

void sim_watch_tidy_accessors(sim_watch *watch, sim_sm *sms, uint32_t count, int threads) {
    sim_accessors *all = &watch->accessors;
    if (!is_worthwhile(watch)) return;
    for (uint32_t i = 1; i < all->count; i++) sim_accessor_at(all, i)->is_used = false;
    pool_for(SIM_WATCH_SLICES, (unsigned)threads, mark_slice, watch->slices);
    for (unsigned s = 0; s < SIM_WATCH_SLICES; s++) sim_accessor_finder_clear(&watch->slices[s].finder);
    for (uint32_t i = 0; i < count; i++) sim_accessor_finder_clear(&sms[i].hazards->accessors);
    all->free = all->taken = 0;
    for (uint32_t i = all->count; i-- > 1;) {
        sim_accessor *a = sim_accessor_at(all, i);
        if (a->is_used) {
            all->taken++;
        } else {
            a->cluster = all->free;
            all->free = i;
        }
    }
    all->limit = all->taken > SIM_FEWEST_ACCESSORS / 2 ? 2 * all->taken : SIM_FEWEST_ACCESSORS;
}
