#include "machine/regions.h"

#include "base/memory.h"
#include "base/search.h"

#include <stddef.h>
#include <string.h>

/* The number of regions that are remembered after the program has given them up: the last ones. */
enum { GONE = 256 };

typedef struct stretch {
    uint64_t from, to;
    unsigned uses; /* of permissions only */
} stretch;

typedef struct stretches {
    stretch *items; /* sorted by address */
    size_t count, capacity;
} stretches;

struct sim_regions {
    stretches heaps, live, permissions;
    stretch gone[GONE];
    size_t gone_count; /* ever given up */
};

sim_regions *sim_regions_create(void) {
    return memory_zeroed(1, sizeof(sim_regions));
}

void sim_regions_free(sim_regions *r) {
    if (!r) return;
    memory_free(r->heaps.items);
    memory_free(r->live.items);
    memory_free(r->permissions.items);
    memory_free(r);
}

/* ---- sorted lists ---- */

/* Returns the number of items that begin at or before the address. */
static size_t count_until(const stretches *s, uint64_t address) {
    size_t until;
    SEARCH_FIRST(until, s->count, k, s->items[k].from <= address);
    return until;
}

/* Returns the item that begins at the address, or before it if `inside`; NULL: there is none. */
static stretch *find(const stretches *s, uint64_t address, bool inside) {
    const size_t count = count_until(s, address);
    stretch *last = count ? &s->items[count - 1] : NULL;
    return last && (last->from == address || (inside && address < last->to)) ? last : NULL;
}

static void put(stretches *s, stretch item) {
    stretch *same = find(s, item.from, false);
    if (same) {
        *same = item;
        return;
    }
    stretch *items = memory_grow(s->items, s->count, &s->capacity, sizeof *items);
    if (!items) return;
    s->items = items;
    const size_t at = count_until(s, item.from);
    memmove(items + at + 1, items + at, (s->count - at) * sizeof *items);
    items[at] = item;
    s->count++;
}

static void take_out(stretches *s, const stretch *item) {
    const size_t at = (size_t)(item - s->items);
    memmove(s->items + at, s->items + at + 1, (s->count - at - 1) * sizeof *s->items);
    s->count--;
}

/* ---- what the program says ---- */

void sim_regions_add_heap(sim_regions *r, uint64_t from, uint64_t bytes) {
    put(&r->heaps, (stretch){.from = from, .to = from + bytes});
}

static void give_up(sim_regions *r, const stretch *region) {
    r->gone[r->gone_count++ % GONE] = *region;
    take_out(&r->live, region);
}

void sim_regions_reset_heap(sim_regions *r, uint64_t from) {
    const stretch *heap = find(&r->heaps, from, false);
    for (size_t i = r->live.count; heap && i-- > 0;)
        if (r->live.items[i].from >= heap->from && r->live.items[i].from < heap->to) give_up(r, &r->live.items[i]);
}

void sim_regions_remove_heap(sim_regions *r, uint64_t from) {
    sim_regions_reset_heap(r, from);
    const stretch *heap = find(&r->heaps, from, false);
    if (heap) take_out(&r->heaps, heap);
}

void sim_regions_add(sim_regions *r, uint64_t from, uint64_t bytes) {
    put(&r->live, (stretch){.from = from, .to = from + bytes});
}

void sim_regions_remove(sim_regions *r, uint64_t from) {
    const stretch *region = find(&r->live, from, false);
    if (region) give_up(r, region);
}

void sim_regions_permit(sim_regions *r, uint64_t from, uint64_t bytes, unsigned uses) {
    put(&r->permissions, (stretch){.from = from, .to = from + bytes, .uses = uses});
}

static void forget(stretches *s, uint64_t from, uint64_t to) {
    for (size_t i = s->count; i-- > 0;)
        if (s->items[i].from >= from && s->items[i].from < to) take_out(s, &s->items[i]);
}

void sim_regions_forget(sim_regions *r, uint64_t from, uint64_t bytes) {
    forget(&r->heaps, from, from + bytes);
    forget(&r->live, from, from + bytes);
    forget(&r->permissions, from, from + bytes);
}

uint64_t sim_regions_size(const sim_regions *r, uint64_t from) {
    const stretch *region = find(&r->live, from, false);
    return region ? region->to - region->from : 0;
}

/* ---- what kernels do ---- */

static void describe(sim_range *near, const stretch *s) {
    *near = (sim_range){.from = s->from, .to = s->to};
}

static bool find_gone(const sim_regions *r, uint64_t address, sim_range *near) {
    const size_t kept = r->gone_count < GONE ? r->gone_count : GONE;
    for (size_t i = r->gone_count; i-- > r->gone_count - kept;) {
        const stretch *s = &r->gone[i % GONE];
        if (address < s->from || address >= s->to) continue;
        describe(near, s);
        return true;
    }
    return false;
}

static sim_region_verdict judge_in_heap(const sim_regions *r, const stretch *heap, uint64_t address, uint64_t bytes,
                                        sim_range *near) {
    const size_t before = count_until(&r->live, address);
    const stretch *last = before ? &r->live.items[before - 1] : NULL;
    if (last && address < last->to && bytes <= last->to - address) return SIM_REGION_GOOD;
    if (!(last && address < last->to) && find_gone(r, address, near)) return SIM_REGION_GONE;
    if (last && last->from >= heap->from) describe(near, last);
    return SIM_REGION_OUTSIDE;
}

sim_region_verdict sim_regions_judge(const sim_regions *r, uint64_t address, uint64_t bytes, unsigned uses,
                                     sim_range *near) {
    const stretch *heap = find(&r->heaps, address, true), *permitted = find(&r->permissions, address, true);
    *near = (sim_range){0};
    if (permitted && (uses & ~permitted->uses)) return SIM_REGION_FORBIDDEN;
    return heap ? judge_in_heap(r, heap, address, bytes, near) : SIM_REGION_GOOD;
}
