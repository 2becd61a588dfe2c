#include "check/accessors.h"

#include "base/memory.h"
#include "check/global.h"
#include "check/shadow_memory.h"

enum { FIRST_NUMBERS = 64 };
/* Numbers that a finder takes at a time. */
enum { BATCH = 64 };

void sim_accessors_start(sim_accessors *all, sim_shadow_memory *memory, const uint64_t *places) {
    pthread_mutex_init(&all->lock, NULL);
    all->memory = memory;
    all->places = places;
    all->limit = SIM_FEWEST_ACCESSORS;
}

/* ---- numbers ---- */

static bool add_block(sim_accessors *all) {
    const uint32_t block = all->count / SIM_BLOCK_ACCESSORS;
    sim_accessor ***group = &all->groups[block / SIM_GROUP_BLOCKS];
    if (!*group) *group = sim_shadow_memory_take(all->memory, SIM_GROUP_BLOCKS * sizeof **group);
    if (!*group) return false;
    sim_accessor *added = sim_shadow_memory_take(all->memory, SIM_BLOCK_ACCESSORS * sizeof *added);
    if (added) (*group)[block % SIM_GROUP_BLOCKS] = added;
    return added != NULL;
}

/* Returns the first of a chain of numbers that no accessor has had yet; 0: the host runs out of memory. */
static uint32_t take_new(sim_accessors *all) {
    const uint32_t first = all->count;
    if (first > SIM_MOST_ACCESSORS - BATCH || (first % SIM_BLOCK_ACCESSORS == 0 && !add_block(all))) return 0;
    all->count += BATCH;
    all->taken += BATCH;
    for (uint32_t n = first; n < all->count; n++) sim_accessor_at(all, n)->cluster = n + 1 < all->count ? n + 1 : 0;
    return first ? first : 1;
}

/* Returns the first of a chain of numbers that are free again. */
static uint32_t take_free(sim_accessors *all) {
    const uint32_t first = all->free;
    sim_accessor *last = sim_accessor_at(all, first);
    unsigned count = 1;
    for (; count < BATCH && last->cluster; count++) last = sim_accessor_at(all, last->cluster);
    all->free = last->cluster;
    all->taken += count;
    last->cluster = 0;
    return first;
}

static uint32_t take(sim_accessors *all, sim_accessor_finder *f) {
    if (!f->free) {
        pthread_mutex_lock(&all->lock);
        f->free = all->free ? take_free(all) : take_new(all);
        pthread_mutex_unlock(&all->lock);
    }
    const uint32_t number = f->free;
    if (number) f->free = sim_accessor_at(all, number)->cluster;
    return number;
}

/* ---- finding ---- */

static bool is_ordinary_read(unsigned action, unsigned strong) {
    return action == HAUL_ACTION_READ && strong == SIM_WEAK;
}

/* Ordinary reads of one place, as in an unrolled loop, have one accessor. */
static bool is_like(const sim_accessors *all, const sim_accessor *a, const sim_accessor *b) {
    return a->time == b->time && a->epoch == b->epoch && a->cluster == b->cluster && a->actor == b->actor &&
           a->action == b->action && a->strong == b->strong &&
           (a->instruction == b->instruction ||
            (is_ordinary_read(b->action, b->strong) && all->places[a->instruction] == all->places[b->instruction]));
}

static size_t hash_of(const sim_accessors *all, const sim_accessor *b) {
    const uint64_t who = (uint64_t)b->cluster << 32 | (uint64_t)b->actor << 16 | (b->time & UINT16_MAX);
    const uint64_t hash = (who ^ all->places[b->instruction] * 0x9e3779b97f4a7c15ull) * 0xff51afd7ed558ccdull;
    return (size_t)(hash >> 32);
}

/* Returns the place of such an accessor's number, or where it belongs. */
static uint32_t *slot_of(const sim_accessors *all, const sim_accessor_finder *f, const sim_accessor *b) {
    size_t at = hash_of(all, b) & (f->capacity - 1);
    while (f->numbers[at] && !is_like(all, sim_accessor_at(all, f->numbers[at]), b)) at = (at + 1) & (f->capacity - 1);
    return &f->numbers[at];
}

/* Rebuilds the table with another capacity, of those accessors that are used, or of all. */
static bool rebuild(const sim_accessors *all, sim_accessor_finder *f, size_t capacity, bool only_used) {
    sim_accessor_finder other = {.free = f->free, .capacity = capacity};
    other.numbers = memory_zeroed(capacity, sizeof *other.numbers);
    if (!other.numbers) return false;
    for (size_t i = 0; i < f->capacity; i++) {
        const sim_accessor *a = f->numbers[i] ? sim_accessor_at(all, f->numbers[i]) : NULL;
        if (!a || (only_used && !a->is_used)) continue;
        *slot_of(all, &other, a) = f->numbers[i];
        other.count++;
    }
    memory_free(f->numbers);
    *f = other;
    return true;
}

uint32_t sim_accessor_find(sim_accessors *all, sim_accessor_finder *f, const sim_accessor *like, bool *is_new) {
    if (2 * f->count >= f->capacity && !rebuild(all, f, f->capacity ? 2 * f->capacity : FIRST_NUMBERS, false)) return 0;
    uint32_t *number = slot_of(all, f, like);
    *is_new = !*number;
    if (*number) return *number;
    *number = take(all, f);
    if (!*number) return 0;
    f->count++;
    *sim_accessor_at(all, *number) = *like;
    return *number;
}

void sim_accessor_finder_free(sim_accessor_finder *f) {
    memory_free(f->numbers);
}

bool sim_accessor_finder_tidy(const sim_accessors *all, sim_accessor_finder *f) {
    f->free = 0;
    return !f->capacity || rebuild(all, f, f->capacity, true);
}
