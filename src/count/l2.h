/* The model of the device's one L2: which of the SMs' requests hit, and what it requests from device memory. */
#ifndef HAUL_COUNT_L2_H
#define HAUL_COUNT_L2_H

#include "count/l2_log.h"
#include "count/sector_set.h"
#include "machine/machine.h"

#include <haul/status.h>

typedef struct sim_l2 sim_l2;

/* Requests that reached L2, and their results. */
typedef struct sim_l2_counts {
    uint64_t read_requests, read_sectors, read_hits, read_misses;
    uint64_t write_requests, write_sectors;
    uint64_t reduction_requests, reduction_sectors, atomic_requests, atomic_sectors;
    uint64_t dram_read_sectors, dram_write_sectors;
    uint64_t issued_sectors; /* read, before equal requests of adjacent SMs were merged */
    uint64_t filled_sectors; /* read only because a partly written sector had to be written back */
} sim_l2_counts;

/* Creates an empty L2, for one launch or for a whole program. `threads` host threads clear its memory. */
haul_status sim_l2_create(const sim_machine *machine, int threads, sim_l2 **l2);
void sim_l2_free(sim_l2 *l2);

const sim_machine *sim_l2_machine(const sim_l2 *l2);

/* Begins another launch: resets counts and keeps lines. Takes over the machine's current fetch granularity. */
void sim_l2_begin_launch(sim_l2 *l2);

/* Empties it for another launch, as Nsight Compute does before each: it is like one that has just been created. */
void sim_l2_empty(sim_l2 *l2);

/* Makes all persisting lines ordinary. */
void sim_l2_reset_persisting(sim_l2 *l2);

/* Sets how much of L2 may persist; initially nothing. If that shrinks, all persisting lines become ordinary. */
void sim_l2_set_aside(sim_l2 *l2, uint64_t bytes);

/* Replays one slice of the SMs' logs, one request of each SM in turn; entries of `logs` may be NULL. Different slices
 * may be replayed at the same time. */
void sim_l2_play(sim_l2 *l2, unsigned slice, sim_log *const *logs, size_t count);

/* The sectors read at all, and the sectors written, once for each SM that wrote them. */
typedef struct sim_l2_touched {
    sim_sector_set_size read, written;
    bool read_known, written_known;
    bool warm; /* earlier launches may have left data that was read */
} sim_l2_touched;

/* Sectors of this launch that are still to be written back, and how many of them were written only in part. */
typedef struct sim_l2_dirty {
    uint64_t sectors, partial;
} sim_l2_dirty;

sim_l2_dirty sim_l2_measure_dirty(const sim_l2 *l2);

/* Sums over the slices. `touched` may be NULL. */
void sim_l2_sum(const sim_l2 *l2, sim_l2_counts *counts, sim_l2_touched *touched);

#endif
