/* Waits and work of a launch that no counter shows; the time estimate needs them. */
#ifndef HAUL_STATE_WAITS_H
#define HAUL_STATE_WAITS_H

#include "assembler/cost.h"

typedef struct sim_waits {
    double memory;                  /* warps' waits for loads or copies, without the staged ones */
    double placed, far;             /* of these, waits in blocks with loads; those of them that go beyond L1 */
    double path, fixed;             /* cycles of each warp alone, summed; without those for shared memory (cost.h) */
    double slots, issued;           /* cycles in which schedulers issue; machine instructions */
    double busy[SIM_PIPES];         /* sim_cost's, summed */
    double adu, lsu;                /* sim_cost's, summed */
    double branches, conversions;   /* likewise */
    double fences;                  /* likewise; they are among the waits for memory */
    double dirty_sectors;           /* still dirty at the end */
    double partly_dirty;            /* partly written sectors that are written back, at the end or before */
    double partial_sectors;         /* partly written sectors */
    double partial_requests;        /* stores of parts of sectors, as a busy SM sends them: lines, */
    double partial_writes;          /* and sectors */
    double data_wavefronts;         /* cycles that L1's data stage takes for loads */
    double loop_rounds;             /* rounds of compare-and-swaps in shared memory after each one's first */
    double most_looped;             /* compare-and-swaps of the busiest word of shared memory, over an SM's blocks */
    double shared_turns;            /* lanes of shared atomics that had to wait for another lane */
    double hottest;                 /* sectors of atomics in the busiest 512 bytes */
    double most_added;              /* additions of floats to the busiest sector */
    double uneven_stores;           /* requests of stores beyond an even spread over places, as a standard deviation */
    double busiest;                 /* the share of the warps' work that the busiest SM does; 0: not known */
    double longest, operations;     /* of the warp that has the most; of all warps */
    double barriers;                /* warps' waits at barriers of blocks and clusters */
    double clusters;                /* those at barriers of clusters */
    double releases;                /* arrivals there that release what the warp wrote */
    double cluster_cycles;          /* in which the way to other SMs of a cluster is busy, summed over all SMs */
    double link_read, link_written; /* sectors of mapped host memory, which cross the host link */
    double peer_read, peer_written; /* sectors of peers' memory, which cross NVLink */
    double staged, staged_groups;   /* waits for copies that leave groups in flight; the sum of these groups */
} sim_waits;

#endif
