#include "check/threads.h"

#include "base/memory.h"

enum { LEAST_CAPACITY = 16 };

/* Returns the warp's entry, or the free one where it belongs. */
static size_t place_of(const sim_threads *s, uint64_t warp) {
    size_t at = (size_t)(warp * 0x9e3779b97f4a7c15ull >> 32) & (s->capacity - 1);
    while (s->items[at].lanes && s->items[at].warp != warp) at = (at + 1) & (s->capacity - 1);
    return at;
}

static bool grow(sim_threads *s) {
    sim_threads larger = {.count = s->count, .capacity = s->capacity ? 2 * s->capacity : LEAST_CAPACITY};
    larger.items = memory_zeroed(larger.capacity, sizeof *larger.items);
    if (!larger.items) return false;
    for (size_t i = 0; i < s->capacity; i++)
        if (s->items[i].lanes) larger.items[place_of(&larger, s->items[i].warp)] = s->items[i];
    memory_free(s->items);
    *s = larger;
    return true;
}

bool sim_threads_add(sim_threads *s, uint64_t warp, uint32_t lanes) {
    if (!lanes) return true;
    if (s->count && s->items[s->last].warp == warp && s->items[s->last].lanes) {
        s->items[s->last].lanes |= lanes;
        return true;
    }
    if (2 * s->count >= s->capacity && !grow(s)) return false;
    s->last = place_of(s, warp);
    sim_warp_lanes *at = &s->items[s->last];
    s->count += !at->lanes;
    *at = (sim_warp_lanes){warp, at->lanes | lanes};
    return true;
}

bool sim_threads_join(sim_threads *to, const sim_threads *from) {
    bool joined = true;
    for (size_t i = 0; i < from->capacity && joined; i++)
        joined = sim_threads_add(to, from->items[i].warp, from->items[i].lanes);
    return joined;
}

void sim_threads_free(sim_threads *s) {
    memory_free(s->items);
    *s = (sim_threads){0};
}

uint64_t sim_threads_count(const sim_threads *s) {
    uint64_t threads = 0;
    for (size_t i = 0; i < s->capacity; i++) threads += (uint64_t)__builtin_popcount(s->items[i].lanes);
    return threads;
}

bool sim_threads_count_blocks(const sim_threads *s, uint32_t warps, uint64_t *blocks) {
    sim_threads with = {0};
    bool counted = true;
    for (size_t i = 0; i < s->capacity && counted; i++)
        counted = sim_threads_add(&with, s->items[i].warp / warps, s->items[i].lanes);
    *blocks = with.count;
    sim_threads_free(&with);
    return counted;
}
