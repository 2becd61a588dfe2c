/* Reads a launch's footprint out of the shadow of global memory, which keeps the last writer and the last readers of
 * each byte. Nothing is recorded for it while the launch runs. */
#include "check/use_list.h"

#include "base/memory.h"
#include "check/global_shadow.h"

#include <stdlib.h>

static bool belong_together(const sim_use *a, const sim_use *b) {
    return a->to == b->from && a->instruction == b->instruction && a->writes == b->writes && a->strong == b->strong;
}

void sim_use_list_add(sim_use_list *f, const sim_use *reach) {
    if (f->count && belong_together(&f->items[f->count - 1], reach)) {
        f->items[f->count - 1].to = reach->to;
        return;
    }
    sim_use *items = memory_grow(f->items, f->count, &f->capacity, sizeof *items);
    f->failed |= !items;
    if (!items) return;
    f->items = items;
    f->items[f->count++] = *reach;
}

void sim_use_list_free(sim_use_list *f) {
    memory_free(f->items);
    memory_free(f->unwaited);
    *f = (sim_use_list){0};
}

static int by_address(const void *a, const void *b) {
    const sim_use *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

void sim_use_list_sort(sim_use_list *f) {
    size_t kept = 0;
    if (!f->count) return;
    qsort(f->items, f->count, sizeof *f->items, by_address);
    for (size_t i = 1; i < f->count; i++)
        if (belong_together(&f->items[kept], &f->items[i]))
            f->items[kept].to = f->items[i].to;
        else
            f->items[++kept] = f->items[i];
    f->count = kept + 1;
}

/* ---- the shadow ---- */

/* Adds each run of bytes. */
static void add_bytes(sim_use_list *f, uint64_t line, sim_bytes bytes, sim_use like) {
    for (unsigned h = 0; h < 2; h++)
        for (uint64_t bits = bytes.half[h]; bits;) {
            const unsigned from = (unsigned)__builtin_ctzll(bits);
            const uint64_t behind = ~(bits >> from);
            const unsigned count = behind ? (unsigned)__builtin_ctzll(behind) : 64;
            like.from = line + 64 * h + from;
            like.to = like.from + count;
            sim_use_list_add(f, &like);
            if (from + count >= 64) break;
            bits &= ~UINT64_C(0) << (from + count);
        }
}

static sim_use reach_of(uint32_t instruction, uint8_t action, uint8_t strong) {
    return (sim_use){.instruction = instruction, .writes = !sim_only_reads(action), .strong = strong == SIM_STRONG};
}

static void add_row(sim_use_list *f, uint64_t line, const sim_row *r) {
    add_bytes(f, line, r->bytes, reach_of(r->instruction, r->action, r->strong));
}

static void add_rows(sim_use_list *f, const sim_slice *s, uint64_t line, uint32_t first) {
    for (uint32_t i = first; i != SIM_NO_ROW; i = sim_slice_row(s, i)->next) add_row(f, line, sim_slice_row(s, i));
}

static void add_shared(sim_use_list *f, const sim_slice *s, uint64_t line, const sim_page_line *at) {
    for (unsigned w = 0; w < sim_holder_warps(at->holder); w++) {
        const sim_row r = sim_slice_shared_row(s, at, w);
        add_row(f, line, &r);
    }
}

static void add_touch(sim_use_list *f, uint64_t word, const sim_touch *t) {
    const sim_use like = reach_of(t->instruction, t->action, t->strong);
    for (unsigned k = 0; t->epoch && k < 4;) {
        sim_use r = like;
        r.from = word + k;
        while (k < 4 && t->bytes >> k & 1) k++;
        r.to = word + k;
        if (r.to > r.from)
            sim_use_list_add(f, &r);
        else
            k++;
    }
}

static void add_kept(sim_use_list *f, const sim_slice *s, uint64_t word, const sim_kept_touch *k) {
    const sim_touch t = sim_slice_touch(s, k);
    add_touch(f, word, &t);
}

static void add_words(sim_use_list *f, const sim_slice *s, uint64_t line, const sim_line_words *words) {
    for (unsigned role = 0; role < SIM_ROLES; role++)
        for (unsigned w = 0; words->touches[role] && w < SIM_LINE_WORDS; w++)
            add_kept(f, s, line + 4 * w, &words->touches[role][w]);
}

static void add_notes(sim_use_list *f, const sim_slice *s, uint64_t line, uint32_t first) {
    for (uint32_t i = first; i != SIM_NO_ROW; i = sim_slice_note(s, i)->next) {
        const sim_note *n = sim_slice_note(s, i);
        const sim_accessor *a = sim_slice_accessor_at(s, n->by);
        sim_use like = reach_of(a->instruction, a->action, a->strong);
        for (uint32_t left = n->words; left; left &= left - 1) {
            like.from = line + 4 * (uint64_t)__builtin_ctz(left);
            like.to = like.from + 4;
            sim_use_list_add(f, &like);
        }
    }
}

static void add_page(sim_use_list *f, const sim_slice *s, const sim_page_slot *slot) {
    for (unsigned l = 0; l < SIM_PAGE_LINES; l++) {
        const sim_page_line *at = &slot->page->lines[l];
        const uint64_t line = (slot->number << SIM_WATCH_PAGE) + (uint64_t)l * SIM_FOOTPRINT_LINE;
        if (sim_link_is_detailed(at->link)) {
            add_words(f, s, line, sim_slice_words(s, at->link & ~SIM_LINE_DETAILED));
        } else if (sim_link_is_noted(at->link)) {
            add_notes(f, s, line, at->link);
        } else if (sim_link_has_rows(at->link)) {
            add_rows(f, s, line, at->link);
        } else if (sim_link_is_shared(at->link)) {
            add_shared(f, s, line, at);
        }
    }
}

void sim_watch_uses(const sim_watch *watch, sim_use_list *f) {
    for (unsigned i = 0; i < SIM_WATCH_SLICES; i++)
        for (size_t p = 0; p < watch->slices[i].capacity; p++)
            if (watch->slices[i].pages[p].page) add_page(f, &watch->slices[i], &watch->slices[i].pages[p]);
    sim_use_list_sort(f);
}
