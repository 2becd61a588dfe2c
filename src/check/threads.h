/* Sets of a launch's threads: warps by number, each with a mask of its lanes. */
#ifndef HAUL_CHECK_THREADS_H
#define HAUL_CHECK_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sim_warp_lanes {
    uint64_t warp;
    uint32_t lanes; /* 0: the entry is free */
} sim_warp_lanes;

/* A hash table with open addressing. */
typedef struct sim_threads {
    sim_warp_lanes *items;
    size_t count, capacity; /* warps; entries, a power of two */
    size_t last;            /* entry used last: threads come warp by warp */
} sim_threads;

/* Return false if the host runs out of memory. */
bool sim_threads_add(sim_threads *set, uint64_t warp, uint32_t lanes);
bool sim_threads_join(sim_threads *to, const sim_threads *from);
void sim_threads_free(sim_threads *set);

uint64_t sim_threads_count(const sim_threads *set);
/* Counts blocks with a thread in the set. Blocks have `warps` warps, numbered one block after the other. */
bool sim_threads_count_blocks(const sim_threads *set, uint32_t warps, uint64_t *blocks);

#endif
