/* The one L2 of the device: what of the SMs' requests it has, and what it asks of device memory. */
#ifndef HAUL_COUNT_L2_H
#define HAUL_COUNT_L2_H

#include "count/log.h"
#include "count/seen.h"
#include "machine/machine.h"

#include <haul/status.h>

typedef struct sim_l2 sim_l2;

/* What reached L2, and what came of it. */
typedef struct sim_l2_counts {
    uint64_t read_requests, read_sectors, read_hits, read_misses;
    uint64_t write_requests, write_sectors;
    uint64_t reduction_requests, reduction_sectors, atomic_requests, atomic_sectors;
    uint64_t dram_read_sectors, dram_write_sectors;
    uint64_t issued_sectors; /* read, before equal requests of neighbouring SMs were merged */
    uint64_t filled_sectors; /* read only because a sector to be written back was written in part */
} sim_l2_counts;

/* Empty. It lives for one launch, as Nsight Compute flushes caches before each, or for a program's. Host memory is
 * cleared by so many threads. */
haul_status sim_l2_create(const sim_machine *machine, int threads, sim_l2 **l2);
void sim_l2_free(sim_l2 *l2);

/* Another launch begins: counts start anew, lines stay. What L2 fetches at once is the machine's from now on. */
void sim_l2_begin_launch(sim_l2 *l2);

/* What persists is ordinary again. */
void sim_l2_reset_persisting(sim_l2 *l2);

/* How much of it may persist; nothing before. Where that is less than before, nothing persists any more. */
void sim_l2_set_aside(sim_l2 *l2, uint64_t bytes);

/* Plays one slice of the SMs' logs, a request of each SM in turn; entries of `logs` may be NULL. Different slices may
 * be played at the same time. */
void sim_l2_play(sim_l2 *l2, unsigned slice, sim_log *const *logs, size_t count);

/* What was read at all; what was written, counted once for each SM that wrote it. */
typedef struct sim_l2_touched {
    sim_seen_size read, written;
    bool read_known, written_known;
    bool warm; /* earlier launches may have left what was read */
} sim_l2_touched;

/* Sectors of this launch that are still to be written back, and those of them that were written in part. */
typedef struct sim_l2_dirty {
    uint64_t sectors, partial;
} sim_l2_dirty;

sim_l2_dirty sim_l2_measure_dirty(const sim_l2 *l2);

/* Sums over the slices. `touched` may be NULL. */
void sim_l2_sum(const sim_l2 *l2, sim_l2_counts *counts, sim_l2_touched *touched);

#endif
