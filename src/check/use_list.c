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

/* ---- a line's uses ---- */

/* Bytes of a line that one instruction has used in one way. */
typedef struct line_use {
    sim_bytes bytes;
    sim_use how; /* without a range */
} line_use;

/* If the uses of a line are more pieces than this, those of one kind are joined: fields of structures that lie side by
 * side are otherwise a piece for each field and thread. */
enum { MOST_USES = 16, MOST_PIECES = 8 };

typedef struct line_uses {
    uint64_t line;
    uint32_t count;
    bool are_joined; /* one for each kind */
    line_use uses[MOST_USES];
} line_uses;

static bool is_of_kind(const sim_use *a, const sim_use *b) {
    return a->writes == b->writes && a->strong == b->strong;
}

/* Returns the number of runs of ones. */
static unsigned count_runs(sim_bytes b) {
    const uint64_t low = b.half[0] & ~(b.half[0] << 1), high = b.half[1] & ~(b.half[1] << 1 | b.half[0] >> 63);
    return (unsigned)(__builtin_popcountll(low) + __builtin_popcountll(high));
}

/* Adds a use, to one of the same instruction or, once they are joined, of the same kind. Returns false if there is no
 * room. */
static bool add_use(line_uses *l, const line_use *use) {
    for (uint32_t i = 0; i < l->count; i++) {
        line_use *to = &l->uses[i];
        if (!is_of_kind(&to->how, &use->how)) continue;
        if (to->how.instruction != use->how.instruction && !l->are_joined) continue;
        to->bytes = sim_bytes_or(to->bytes, use->bytes);
        if (use->how.instruction > to->how.instruction) to->how.instruction = use->how.instruction;
        return true;
    }
    if (l->count == MOST_USES) return false;
    l->uses[l->count++] = *use;
    return true;
}

/* Joins all uses of a kind, and names the last of their instructions. If it named the first, a use behind
 * griddepcontrol.wait could pass for one before it. */
static void join_kinds(line_uses *l) {
    const uint32_t count = l->count;
    l->count = 0;
    l->are_joined = true;
    for (uint32_t i = 0; i < count; i++) {
        const line_use use = l->uses[i];
        add_use(l, &use);
    }
}

/* Notes that the bytes of the line were used. */
static void note(line_uses *l, sim_bytes bytes, uint32_t instruction, uint8_t action, uint8_t strong) {
    const line_use use = {
        bytes, {.instruction = instruction, .writes = !sim_only_reads(action), .strong = strong == SIM_STRONG}};
    if (add_use(l, &use)) return;
    join_kinds(l);
    add_use(l, &use);
}

/* Returns the first of the bytes; the number of a line's bytes if there is none. */
static unsigned first_byte(sim_bytes b) {
    if (b.half[0]) return (unsigned)__builtin_ctzll(b.half[0]);
    return b.half[1] ? 64 + (unsigned)__builtin_ctzll(b.half[1]) : SIM_FOOTPRINT_LINE;
}

/* Takes the first run of bytes away, and appends it. */
static void add_run(sim_use_list *f, uint64_t line, line_use *use) {
    const unsigned from = first_byte(use->bytes);
    const unsigned to = first_byte(sim_bytes_without(sim_bytes_range(from, SIM_FOOTPRINT_LINE), use->bytes));
    sim_use run = use->how;
    run.from = line + from;
    run.to = line + to;
    use->bytes = sim_bytes_without(use->bytes, sim_bytes_before(to));
    sim_use_list_add(f, &run);
}

/* Returns the use that has the first byte, or NULL if none has any left. */
static line_use *first_use(line_uses *l) {
    line_use *first = NULL;
    unsigned least = SIM_FOOTPRINT_LINE;
    for (line_use *use = l->uses; use < l->uses + l->count; use++) {
        const unsigned byte = first_byte(use->bytes);
        if (byte >= least) continue;
        least = byte;
        first = use;
    }
    return first;
}

/* Appends the line's uses to the list, in the order of addresses. */
static void add_line(sim_use_list *f, line_uses *l) {
    uint32_t pieces = 0;
    for (uint32_t i = 0; i < l->count; i++) pieces += count_runs(l->uses[i].bytes);
    if (pieces > MOST_PIECES) join_kinds(l);
    for (line_use *use = first_use(l); use; use = first_use(l)) add_run(f, l->line, use);
}

/* ---- the shadow ---- */

static void note_row(line_uses *l, const sim_row *r) {
    note(l, r->bytes, r->instruction, r->action, r->strong);
}

static void note_rows(line_uses *l, const sim_slice *s, uint32_t first) {
    for (uint32_t i = first; i != SIM_NO_ROW; i = sim_slice_row(s, i)->next) note_row(l, sim_slice_row(s, i));
}

static void note_shared(line_uses *l, const sim_slice *s, const sim_page_line *at) {
    for (unsigned w = 0; w < sim_holder_warps(at->holder); w++) {
        const sim_row r = sim_slice_shared_row(s, at, w);
        note_row(l, &r);
    }
}

/* Returns the bytes of one word of the line, of which `bits` has four bits. */
static sim_bytes bytes_of_word(unsigned word, uint64_t bits) {
    sim_bytes b = {{0, 0}};
    b.half[word / 16] = bits << 4 * (word % 16);
    return b;
}

static void note_words(line_uses *l, const sim_slice *s, const sim_line_words *words) {
    for (const sim_touches *of = words->roles; of < words->roles + SIM_ROLES; of++) {
        for (uint32_t left = of->words; left; left &= left - 1) {
            const unsigned word = (unsigned)__builtin_ctz(left);
            const sim_touch t = sim_slice_touch(s, &of->list[sim_touches_place(of, word)]);
            if (t.epoch && t.bytes) note(l, bytes_of_word(word, t.bytes), t.instruction, t.action, t.strong);
        }
    }
}

static void note_notes(line_uses *l, const sim_slice *s, uint32_t first) {
    for (uint32_t i = first; i != SIM_NO_ROW; i = sim_slice_note(s, i)->next) {
        const sim_note *n = sim_slice_note(s, i);
        const sim_accessor *a = sim_slice_accessor_at(s, n->by);
        note(l, sim_bytes_of_words(n->words), a->instruction, a->action, a->strong);
    }
}

static void note_line(line_uses *l, const sim_slice *s, const sim_page_line *at) {
    if (sim_link_is_detailed(at->link))
        note_words(l, s, sim_slice_words(s, at->link & ~SIM_LINE_DETAILED));
    else if (sim_link_is_noted(at->link))
        note_notes(l, s, at->link);
    else if (sim_link_has_rows(at->link))
        note_rows(l, s, at->link);
    else if (sim_link_is_shared(at->link))
        note_shared(l, s, at);
}

static void add_page(sim_use_list *f, const sim_slice *s, const sim_page_slot *slot) {
    for (unsigned i = 0; i < SIM_PAGE_LINES; i++) {
        const sim_page_line *at = &slot->page->lines[i];
        if (at->link == SIM_NO_ROW) continue;
        line_uses l;
        l.line = (slot->number << SIM_WATCH_PAGE) + (uint64_t)i * SIM_FOOTPRINT_LINE;
        l.count = 0;
        l.are_joined = false;
        note_line(&l, s, at);
        add_line(f, &l);
    }
}

/* A page that a launch has used, and its slice. */
typedef struct used_page {
    sim_page_slot slot;
    const sim_slice *slice;
} used_page;

static int by_number(const void *a, const void *b) {
    const uint64_t x = ((const used_page *)a)->slot.number, y = ((const used_page *)b)->slot.number;
    return x < y ? -1 : x > y;
}

/* Goes through the pages in the order of addresses, so that the list needs no sorting. */
void sim_watch_uses(const sim_watch *watch, sim_use_list *f) {
    size_t pages = 0, count = 0;
    for (unsigned i = 0; i < SIM_WATCH_SLICES; i++) pages += watch->slices[i].capacity;
    used_page *used = memory_alloc((pages + 1) * sizeof *used);
    f->failed |= !used;
    for (unsigned i = 0; used && i < SIM_WATCH_SLICES; i++)
        for (size_t p = 0; p < watch->slices[i].capacity; p++)
            if (watch->slices[i].pages[p].page)
                used[count++] = (used_page){watch->slices[i].pages[p], &watch->slices[i]};
    if (used) qsort(used, count, sizeof *used, by_number);
    for (size_t p = 0; p < count; p++) add_page(f, used[p].slice, &used[p].slot);
    memory_free(used);
}
