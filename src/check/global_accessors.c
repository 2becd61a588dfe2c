/* Accessors of words in global memory, in the words' shadows, in notes, and among their last atomic operations. Their
 * numbers are not counted; those that nothing names any more are found by going through all words and notes, once as
 * many have been added as there are in use. */
#include "check/global_shadow.h"

#include <string.h>

enum { FEWEST = 1 << 13 };

static bool is_like(const sim_accessor *a, const sim_touch *t) {
    return a->time == t->time && a->epoch == t->epoch && a->cluster == t->cluster && a->instruction == t->instruction &&
           a->actor == t->actor && a->action == t->action && a->strong == t->strong;
}

/* Returns a number that no accessor has had yet; 0: the host runs out of memory. */
static uint32_t take_new(sim_slice *s) {
    sim_accessors *all = &s->accessors;
    if (all->count == SIM_MOST_ACCESSORS) return 0;
    if (all->count == all->block_count * SIM_BLOCK_ACCESSORS) {
        if (!sim_slice_add_block(s, &all->blocks, all->block_count, SIM_BLOCK_ACCESSORS * sizeof(sim_accessor)))
            return 0;
        all->block_count++;
    }
    if (!all->count) {
        all->count = 1;
        all->limit = FEWEST;
    }
    return all->count++;
}

static uint32_t take(sim_slice *s) {
    sim_accessors *all = &s->accessors;
    const uint32_t number = all->free ? all->free : take_new(s);
    if (!number) {
        s->failed = true;
        return 0;
    }
    if (all->free) all->free = sim_slice_accessor_at(s, number)->cluster;
    all->taken++;
    all->made++;
    return number;
}

static uint32_t *recent_of(sim_accessors *all, const sim_touch *t) {
    const uint32_t mixed = (t->cluster * 0x9e3779b1u ^ t->actor * 0x85ebca6bu ^ t->instruction * 0xc2b2ae35u) >> 12;
    return &all->recent[mixed % SIM_RECENT_ACCESSORS];
}

uint32_t sim_slice_accessor(sim_slice *s, const sim_touch *t) {
    sim_accessors *all = &s->accessors;
    uint32_t *recent = recent_of(all, t);
    if (*recent && is_like(sim_slice_accessor_at(s, *recent), t)) return *recent;
    const uint32_t number = take(s);
    if (!number) return 0;
    *sim_slice_accessor_at(s, number) = (sim_accessor){.cluster = t->cluster,
                                                       .instruction = t->instruction,
                                                       .time = t->time,
                                                       .epoch = t->epoch,
                                                       .actor = t->actor,
                                                       .action = t->action & 63u,
                                                       .strong = t->strong & 3u};
    *recent = number;
    return number;
}

static void mark_words(const sim_slice *s, uint32_t index) {
    const sim_line_words *line = sim_slice_words(s, index);
    for (unsigned role = 0; role < SIM_ROLES; role++)
        for (unsigned w = 0; line->touches[role] && w < SIM_LINE_WORDS; w++)
            sim_slice_accessor_at(s, line->touches[role][w].by)->is_used = true;
}

static void mark_notes(const sim_slice *s) {
    for (uint32_t i = 0; i < s->note_count; i++) sim_slice_accessor_at(s, sim_slice_note(s, i)->by)->is_used = true;
}

/* Marks the last atomic operations on the page's words. */
static void mark_adders(const sim_slice *s, const sim_page *g) {
    for (unsigned l = 0; l < SIM_PAGE_LINES; l++)
        for (unsigned w = 0; g->adders[l] && w < SIM_LINE_WORDS; w++)
            sim_slice_accessor_at(s, g->adders[l]->words[w].by)->is_used = true;
}

void sim_slice_free_accessors(sim_slice *s) {
    sim_accessors *all = &s->accessors;
    for (uint32_t i = 0; i < all->count; i++) sim_slice_accessor_at(s, i)->is_used = false;
    for (uint32_t i = 0; i < s->detailed; i++) mark_words(s, i);
    mark_notes(s);
    for (size_t i = 0; s->added && i < s->capacity; i++)
        if (s->pages[i].page && s->pages[i].page->adders) mark_adders(s, s->pages[i].page);
    all->free = all->taken = 0;
    for (uint32_t i = all->count; i-- > 1;) {
        sim_accessor *a = sim_slice_accessor_at(s, i);
        if (a->is_used) {
            all->taken++;
        } else {
            *a = (sim_accessor){.cluster = all->free};
            all->free = i;
        }
    }
    all->limit = all->taken > FEWEST / 2 ? 2 * all->taken : FEWEST;
    memset(all->recent, 0, sizeof all->recent);
}
