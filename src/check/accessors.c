#include "check/accessors.h"

#include "base/memory.h"
#include "check/global.h"
#include "check/shadow_memory.h"

#include <string.h>

/* Accessors that a finder knows, in groups of a line of the host's memory. */
enum { RECENT = 1024, GROUP = 64 / sizeof(sim_recent_accessor) };
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

static uint32_t hash_of(const sim_accessors *all, const sim_accessor *b) {
    const uint64_t who = (uint64_t)b->cluster << 32 | (uint64_t)b->actor << 16 | b->action * 4u | b->strong;
    const uint64_t when = (uint64_t)b->epoch << 32 | b->time;
    uint64_t hash = (who ^ all->places[b->instruction] * 0x9e3779b97f4a7c15ull) * 0xff51afd7ed558ccdull;
    hash = ((hash ^ hash >> 32) + when) * 0x9e3779b97f4a7c15ull;
    return (uint32_t)(hash >> 32);
}

/* Returns such an accessor's number among those of one group; 0: it is not there. */
static uint32_t find(const sim_accessors *all, const sim_recent_accessor *group, uint32_t hash, const sim_accessor *b) {
    for (unsigned i = 0; i < GROUP; i++)
        if (group[i].hash == hash && group[i].number && is_like(all, sim_accessor_at(all, group[i].number), b))
            return group[i].number;
    return 0;
}

static sim_recent_accessor *group_of(const sim_accessor_finder *f, uint32_t hash) {
    return &f->recent[hash % (RECENT / GROUP) * GROUP];
}

void sim_accessor_fetch(const sim_accessors *all, const sim_accessor_finder *f, const sim_accessor *like) {
    const sim_recent_accessor *group = f->recent ? group_of(f, hash_of(all, like)) : NULL;
    if (!group) return;
    __builtin_prefetch(group);
    __builtin_prefetch(group + GROUP - 1); /* it need not begin with a line of the host's memory */
}

uint32_t sim_accessor_find(sim_accessors *all, sim_accessor_finder *f, const sim_accessor *like, bool *is_new) {
    if (!f->recent) f->recent = memory_zeroed(RECENT, sizeof *f->recent);
    if (!f->recent) return 0;
    const uint32_t hash = hash_of(all, like);
    sim_recent_accessor *group = group_of(f, hash);
    const uint32_t found = find(all, group, hash, like), number = found ? found : take(all, f);
    *is_new = !found;
    if (found || !number) return number;
    memmove(group + 1, group, (GROUP - 1) * sizeof *group);
    *group = (sim_recent_accessor){hash, number};
    *sim_accessor_at(all, number) = *like;
    return number;
}

void sim_accessor_finder_free(sim_accessor_finder *f) {
    memory_free(f->recent);
}

void sim_accessor_finder_clear(sim_accessor_finder *f) {
    f->free = 0;
    if (f->recent) memset(f->recent, 0, RECENT * sizeof *f->recent);
}
