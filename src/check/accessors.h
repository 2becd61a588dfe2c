/* Who makes accesses to global memory, when and how: what the touches of one access have in common. Words, notes and
 * last atomic operations name accessors by number, in all slices of the shadow. */
#ifndef HAUL_CHECK_ACCESSORS_H
#define HAUL_CHECK_ACCESSORS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sim_accessor {
    uint32_t cluster, instruction, time, epoch; /* instruction: the first one of the same place, of ordinary reads */
    uint16_t actor;
    uint8_t action : 6, strong : 2;
    bool is_used; /* while unused ones are being found */
} sim_accessor;

/* Numbers begin at 1. Blocks of accessors never move. */
#define SIM_MOST_ACCESSORS ((1u << 28) - 1)
enum {
    SIM_BLOCK_ACCESSORS = 512,
    SIM_GROUP_BLOCKS = 512,
    SIM_ACCESSOR_GROUPS = (SIM_MOST_ACCESSORS + 1) / (SIM_BLOCK_ACCESSORS * SIM_GROUP_BLOCKS)
};

/* Unused ones are looked for if there are more. */
enum { SIM_FEWEST_ACCESSORS = 1 << 16 };

/* Of all slices. */
typedef struct sim_accessors {
    pthread_mutex_t lock;
    struct sim_shadow_memory *memory;
    const uint64_t *places; /* by instruction */
    sim_accessor **groups[SIM_ACCESSOR_GROUPS];
    uint32_t count;        /* numbers so far */
    uint32_t free;         /* the first number that is free again; `cluster` of each has the next one */
    uint32_t taken, limit; /* numbers in use; how many there may be before unused ones are looked for */
} sim_accessors;

/* Finds accessors for one host thread at a time: for an SM, or for a slice. It knows the last ones only: an access is
 * much like those a little before. The table is small, so that it stays in the host's caches, and an accessor is
 * fetched only if all of its hash suits. */
typedef struct sim_recent_accessor {
    uint32_t hash, number; /* number 0: none */
} sim_recent_accessor;

typedef struct sim_accessor_finder {
    uint32_t free;               /* as above; numbers of its own */
    sim_recent_accessor *recent; /* in groups by hash; of each, the newest is the first. NULL until needed */
} sim_accessor_finder;

static inline sim_accessor *sim_accessor_at(const sim_accessors *all, uint32_t number) {
    const uint32_t block = number / SIM_BLOCK_ACCESSORS;
    return all->groups[block / SIM_GROUP_BLOCKS][block % SIM_GROUP_BLOCKS] + number % SIM_BLOCK_ACCESSORS;
}

void sim_accessors_start(sim_accessors *all, struct sim_shadow_memory *memory, const uint64_t *places);
/* Fetches what sim_accessor_find() looks at, for a later call. */
void sim_accessor_fetch(const sim_accessors *all, const sim_accessor_finder *f, const sim_accessor *like);
/* Returns the number of such an accessor, to be kept in words or notes, and whether it is new: nothing can name it yet.
 * 0: the host runs out of memory. */
uint32_t sim_accessor_find(sim_accessors *all, sim_accessor_finder *f, const sim_accessor *like, bool *is_new);
/* Forgets all accessors, and gives up the numbers of its own. */
void sim_accessor_finder_clear(sim_accessor_finder *f);
void sim_accessor_finder_free(sim_accessor_finder *f);

#endif
