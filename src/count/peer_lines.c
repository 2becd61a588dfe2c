#include "count/peer_lines.h"

enum { SECTOR = 32 };

void sim_peer_lines_add(sim_peer_lines *p, uint64_t address, uint64_t end) {
    p->peers[p->count].first = sim_log_local(address / 128);
    p->peers[p->count++].end = sim_log_local(end / 128);
}

static bool is_peer(const sim_peer_lines *p, uint64_t line) {
    for (unsigned i = 0; i < p->count; i++)
        if (line - p->peers[i].first < p->peers[i].end - p->peers[i].first) return true;
    return false;
}

static void count(sim_peer_lines *p, sim_log_entry entry) {
    const unsigned sectors = (unsigned)__builtin_popcount(sim_log_mask(entry));
    switch (sim_log_kind_of(entry)) {
    case SIM_LOG_READ:
        p->read_requests++;
        p->read_sectors += sectors;
        break;
    case SIM_LOG_WRITE:
        p->write_requests++;
        p->write_sectors += sectors;
        break;
    case SIM_LOG_REDUCTION:
        p->reductions++;
        p->reduced_sectors += sectors;
        break;
    case SIM_LOG_ATOMIC: p->atomic_sectors += sectors; break;
    }
}

void sim_peer_lines_take(sim_peer_lines *p, sim_log *log) {
    for (unsigned s = 0; s < SIM_SLICES; s++) {
        sim_log_slice *slice = &log->slices[s];
        size_t kept = 0;
        for (size_t i = 0; i < slice->count; i++) {
            const sim_log_entry entry = slice->entries[i];
            if (is_peer(p, sim_log_line(entry)))
                count(p, entry);
            else
                slice->entries[kept++] = entry;
        }
        slice->count = kept;
    }
}

uint64_t sim_peer_lines_read(const sim_peer_lines *p) {
    return p->read_sectors + p->atomic_sectors;
}

uint64_t sim_peer_lines_written(const sim_peer_lines *p) {
    return p->write_sectors + p->reduced_sectors + p->atomic_sectors;
}

static void add(haul_launch_record *r, haul_counter counter, uint64_t number) {
    r->counters[counter] += (double)number;
    r->bounds[counter].low += (double)number;
    r->bounds[counter].high += (double)number;
}

void sim_peer_lines_record(const sim_peer_lines *p, haul_launch_record *r) {
    add(r, HAUL_COUNTER_NVLINK_READ_BYTES, SECTOR * sim_peer_lines_read(p));
    add(r, HAUL_COUNTER_NVLINK_WRITE_BYTES, SECTOR * sim_peer_lines_written(p));
    add(r, HAUL_COUNTER_L2_READ_REQUESTS, p->read_requests);
    add(r, HAUL_COUNTER_L2_READ_SECTORS, p->read_sectors);
    add(r, HAUL_COUNTER_L2_READ_MISS, p->read_sectors);
    add(r, HAUL_COUNTER_L2_WRITE_REQUESTS, p->write_requests);
    add(r, HAUL_COUNTER_L2_WRITE_SECTORS, p->write_sectors);
    add(r, HAUL_COUNTER_L2_RED_REQUESTS, p->reductions);
    add(r, HAUL_COUNTER_L2_RED_SECTORS, p->reduced_sectors);
    add(r, HAUL_COUNTER_L2_ATOM_SECTORS, p->atomic_sectors);
}
