/* Device memory whose use the program restricts beyond allocations, by NVTX: heaps that it divides into regions itself,
 * and permissions of some bytes. Checks of kernels ask whether an access is allowed; nothing here ends a launch.
 *
 * sim_regions_judge() is for kernels' threads. Everything else is for serial phases. */
#ifndef HAUL_MACHINE_REGIONS_H
#define HAUL_MACHINE_REGIONS_H

#include "machine/range.h"

typedef struct sim_regions sim_regions;

enum { SIM_REGION_READ = 1, SIM_REGION_WRITE = 2, SIM_REGION_ATOMIC = 4, SIM_REGION_ALL = 7 };

typedef enum sim_region_verdict {
    SIM_REGION_GOOD,
    SIM_REGION_OUTSIDE,   /* in a heap, but in no region of it */
    SIM_REGION_GONE,      /* in a region of a heap that the program has given up */
    SIM_REGION_FORBIDDEN, /* the bytes' permissions do not allow it */
} sim_region_verdict;

/* Returns NULL if the host has no memory. NULL may be freed. */
sim_regions *sim_regions_create(void);
void sim_regions_free(sim_regions *r);

/* A heap from an address on. It has no regions at first; its removal also gives up its regions, and allows all of its
 * bytes again. Without memory of the host, what is added is not restricted. */
void sim_regions_add_heap(sim_regions *r, uint64_t from, uint64_t bytes);
void sim_regions_remove_heap(sim_regions *r, uint64_t from);
/* Gives up all regions of the heap. */
void sim_regions_reset_heap(sim_regions *r, uint64_t from);
/* Adds a region, or sets the size of the one that begins at the address. */
void sim_regions_add(sim_regions *r, uint64_t from, uint64_t bytes);
/* Gives up the region that begins at the address. */
void sim_regions_remove(sim_regions *r, uint64_t from);
/* Allows these uses (SIM_REGION_*) of the bytes, and no others. */
void sim_regions_permit(sim_regions *r, uint64_t from, uint64_t bytes, unsigned uses);
/* Lifts all restrictions that begin in these bytes. */
void sim_regions_forget(sim_regions *r, uint64_t from, uint64_t bytes);
/* Returns the size of the region that begins at the address; 0: none does. */
uint64_t sim_regions_size(const sim_regions *r, uint64_t from);

/* Judges an access. `near`: for GONE the region that was there, for OUTSIDE the last region of the heap that begins
 * before the access; empty if there is none. */
sim_region_verdict sim_regions_judge(const sim_regions *r, uint64_t address, uint64_t bytes, unsigned uses,
                                     sim_range *near);

#endif
