/* What a kernel moves over NVLink when it accesses the memory of other devices.
 *
 * Such requests leave this GPU: the peer's L2 answers them, and this one keeps nothing. So they are taken out of the
 * logs before L2 is replayed, and counted apart. */
#ifndef HAUL_COUNT_PEER_LINES_H
#define HAUL_COUNT_PEER_LINES_H

#include "count/l2_log.h"

#include <haul/run.h>

enum { SIM_MOST_PEERS = 16 };

typedef struct sim_peer_lines {
    unsigned count;
    struct {
        uint64_t first, end; /* as logs number lines within a slice */
    } peers[SIM_MOST_PEERS];
    uint64_t read_requests, read_sectors, write_requests, write_sectors;
    uint64_t reductions, reduced_sectors, atomic_sectors;
} sim_peer_lines;

/* Adds a peer, whose memory lies at `address` to `end` - 1. */
void sim_peer_lines_add(sim_peer_lines *lines, uint64_t address, uint64_t end);
/* Takes the requests to peers out of the log. */
void sim_peer_lines_take(sim_peer_lines *lines, sim_log *log);
/* Sectors received from peers and sent to them. An atomic with a result does both. */
uint64_t sim_peer_lines_read(const sim_peer_lines *lines);
uint64_t sim_peer_lines_written(const sim_peer_lines *lines);
/* Adds the bytes to the record's counters, and the requests to those of L2, through which they pass. */
void sim_peer_lines_record(const sim_peer_lines *lines, haul_launch_record *record);

#endif
