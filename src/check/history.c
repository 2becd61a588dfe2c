#include "check/history.h"

#include "base/memory.h"
#include "base/search.h"

#include <string.h>

/* Joins each release at an even place with the next one. What it publishes then counts from the earlier number on. */
static void thin_out(sim_history *h, uint32_t actors) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < h->count; i += 2, kept++) {
        const uint32_t last = i + 1 < h->count ? i + 1 : i;
        h->numbers[kept] = h->numbers[i];
        memmove(h->known + (size_t)kept * actors, h->known + (size_t)last * actors, actors * sizeof *h->known);
    }
    h->count = kept;
}

static bool has_room(sim_history *h, uint32_t actors, uint32_t most) {
    if (h->count == most) thin_out(h, actors);
    if (h->count < h->capacity) return true;
    const uint32_t more = h->capacity ? 2 * h->capacity : 1;
    uint32_t *numbers = memory_resize(h->numbers, more * sizeof *numbers);
    if (numbers) h->numbers = numbers;
    sim_known *known = numbers ? memory_resize(h->known, (size_t)more * actors * sizeof *known) : NULL;
    if (!known) return false;
    h->known = known;
    h->capacity = more;
    return true;
}

bool sim_history_add(sim_history *h, uint32_t number, const sim_known *known, uint32_t actors, uint32_t most,
                     bool *added) {
    *added = false;
    if (!has_room(h, actors, most)) return false;
    sim_known *next = h->known + (size_t)h->count * actors;
    const sim_known *last = next - actors;
    if (h->count)
        memcpy(next, last, actors * sizeof *next);
    else
        memset(next, 0, actors * sizeof *next);
    sim_known_join(next, known, actors);
    if (h->count && !memcmp(next, last, actors * sizeof *next)) return true;
    h->numbers[h->count++] = number;
    *added = true;
    return true;
}

const sim_known *sim_history_at(const sim_history *h, uint32_t number, uint32_t actors) {
    size_t behind;
    SEARCH_FIRST(behind, h->count, k, h->numbers[k] <= number);
    return behind ? h->known + (behind - 1) * actors : NULL;
}

void sim_history_clear(sim_history *h) {
    h->count = 0;
}

void sim_history_free(sim_history *h) {
    memory_free(h->numbers);
    memory_free(h->known);
    *h = (sim_history){0};
}
