/* Sets of a launch's threads: the warps by number, each with a mask of its lanes. */
#ifndef HAUL_CHECK_THREADS_H
#define HAUL_CHECK_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sim_warp_lanes {
    uint64_t warp;
    uint32_t lanes; /* 0: the place is free */
} sim_warp_lanes;

/* Open addressing. */
typedef struct sim_threads {
    sim_warp_lanes *items;
    size_t count, capacity; /* warps; places, a power of two */
    size_t last;            /* place that was used last: threads come warp by warp */
} sim_threads;

/* False when the host has no memory. */
bool sim_threads_add(sim_threads *set, uint64_t warp, uint32_t lanes);
bool sim_threads_join(sim_threads *to, const sim_threads *from);
void sim_threads_free(sim_threads *set);

uint64_t sim_threads_count(const sim_threads *set);
/* Of blocks of so many warps, numbered one block after the other: those with a thread in the set. */
bool sim_threads_count_blocks(const sim_threads *set, uint32_t warps, uint64_t *blocks);

#endif
