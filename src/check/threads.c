#include "check/threads.h"

#include "base/memory.h"

enum { LEAST_CAPACITY = 8 };

/* Returns the group's entry, or the free one where it belongs. */
static size_t place_of(const sim_threads *s, uint64_t group) {
    size_t at = (size_t)(group * 0x9e3779b97f4a7c15ull >> 32) & (s->capacity - 1);
    while (s->items[at].number && s->items[at].number != group) at = (at + 1) & (s->capacity - 1);
    return at;
}

static bool grow(sim_threads *s) {
    sim_threads larger = {.count = s->count, .capacity = s->capacity ? 2 * s->capacity : LEAST_CAPACITY};
    larger.items = memory_zeroed(larger.capacity, sizeof *larger.items);
    if (!larger.items) return false;
    for (size_t i = 0; i < s->capacity; i++)
        if (s->items[i].number) larger.items[place_of(&larger, s->items[i].number)] = s->items[i];
    memory_free(s->items);
    *s = larger;
    return true;
}

/* Returns the group's entry if it is one of those used last, or NULL. */
static sim_warp_group *find_recent(const sim_threads *s, uint64_t group) {
    sim_warp_group *last = &s->items[s->last], *before = &s->items[s->before];
    return last->number == group ? last : before->number == group ? before : NULL;
}

bool sim_threads_add(sim_threads *s, uint64_t warp, uint32_t lanes) {
    const uint64_t group = warp / SIM_GROUP_WARPS + 1;
    if (!lanes) return true;
    sim_warp_group *at = s->count ? find_recent(s, group) : NULL;
    if (!at) {
        if (2 * s->count >= s->capacity && !grow(s)) return false;
        s->before = s->last;
        s->last = place_of(s, group);
        at = &s->items[s->last];
        s->count += !at->number;
        at->number = group;
    }
    at->lanes[warp % SIM_GROUP_WARPS] |= lanes;
    return true;
}

/* Calls `visit` for each warp of the set, until one call returns false. */
typedef bool warp_fn(void *context, uint64_t warp, uint32_t lanes);

static bool each_warp(const sim_threads *s, warp_fn *visit, void *context) {
    for (const sim_warp_group *g = s->items; g < s->items + s->capacity; g++)
        for (unsigned w = 0; g->number && w < SIM_GROUP_WARPS; w++)
            if (g->lanes[w] && !visit(context, (g->number - 1) * SIM_GROUP_WARPS + w, g->lanes[w])) return false;
    return true;
}

static bool add_warp(void *to, uint64_t warp, uint32_t lanes) {
    return sim_threads_add(to, warp, lanes);
}

bool sim_threads_join(sim_threads *to, const sim_threads *from) {
    return each_warp(from, add_warp, to);
}

void sim_threads_free(sim_threads *s) {
    memory_free(s->items);
    *s = (sim_threads){0};
}

static bool count_lanes(void *threads, uint64_t warp, uint32_t lanes) {
    (void)warp;
    *(uint64_t *)threads += (uint64_t)__builtin_popcount(lanes);
    return true;
}

uint64_t sim_threads_count(const sim_threads *s) {
    uint64_t threads = 0;
    each_warp(s, count_lanes, &threads);
    return threads;
}

static bool count_warp(void *warps, uint64_t warp, uint32_t lanes) {
    (void)warp, (void)lanes;
    ++*(uint64_t *)warps;
    return true;
}

/* The blocks of a set of warps, as if they were warps. */
typedef struct blocks_of {
    sim_threads blocks;
    uint32_t warps; /* of a block */
} blocks_of;

static bool add_block(void *context, uint64_t warp, uint32_t lanes) {
    blocks_of *of = context;
    return sim_threads_add(&of->blocks, warp / of->warps, lanes);
}

bool sim_threads_count_blocks(const sim_threads *s, uint32_t warps, uint64_t *blocks) {
    blocks_of of = {.warps = warps};
    const bool counted = each_warp(s, add_block, &of);
    *blocks = 0;
    each_warp(&of.blocks, count_warp, blocks);
    sim_threads_free(&of.blocks);
    return counted;
}
