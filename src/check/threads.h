/* Sets of a launch's threads: warps by number, in groups, each with a mask of its lanes. */
#ifndef HAUL_CHECK_THREADS_H
#define HAUL_CHECK_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Warps that follow each other: where threads race, their neighbours mostly do too. */
enum { SIM_GROUP_WARPS = 8 };
typedef struct sim_warp_group {
    uint64_t number; /* of the group, from 1 on; 0: the entry is free */
    uint32_t lanes[SIM_GROUP_WARPS];
} sim_warp_group;

/* A hash table with open addressing. */
typedef struct sim_threads {
    sim_warp_group *items;
    size_t count, capacity; /* groups; entries, a power of two */
    size_t last, before;    /* entries used last: threads come warp by warp, or in turn with those of another access */
} sim_threads;

/* Return false if the host runs out of memory. */
bool sim_threads_add(sim_threads *set, uint64_t warp, uint32_t lanes);
bool sim_threads_join(sim_threads *to, const sim_threads *from);
void sim_threads_free(sim_threads *set);

uint64_t sim_threads_count(const sim_threads *set);
/* Counts blocks with a thread in the set. Blocks have `warps` warps, numbered one block after the other. */
bool sim_threads_count_blocks(const sim_threads *set, uint32_t warps, uint64_t *blocks);

#endif
