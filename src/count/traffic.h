/* What one warp-level access adds to a haul_traffic: requests, sectors, wavefronts, without the effects of caches. Both
 * executed accesses (count.h) and predicted ones (haul_diagnose()) use it, so that both follow the same rules. */
#ifndef HAUL_COUNT_TRAFFIC_H
#define HAUL_COUNT_TRAFFIC_H

#include "count/banks.h"
#include "count/bypass.h"
#include "machine/tensor.h"

#include <haul/run.h>
#include <stdbool.h>

static inline uint32_t sim_lanes(uint32_t active) {
    return (uint32_t)__builtin_popcount(active);
}

/* Adds one pass through the tag stage, of `bytes` bytes per active lane. */
static inline void sim_traffic_pass(haul_traffic *t, uint32_t sectors, uint32_t wavefronts, uint32_t active,
                                    unsigned bytes) {
    const uint32_t ideal = sim_ideal_sectors(active, bytes);
    t->instructions++;
    t->requests++;
    t->sectors += sectors;
    t->ideal_sectors += ideal < sectors ? ideal : sectors;
    t->wavefronts += wavefronts;
    t->bytes += (uint64_t)sim_lanes(active) * bytes;
}

/* The same for `lines`, the result of sim_coalesce(). */
static inline void sim_traffic_tags(haul_traffic *t, const sim_lines *lines, uint32_t active, unsigned bytes) {
    sim_traffic_pass(t, lines->sectors, sim_tag_wavefronts(lines), active, bytes);
}

static inline void sim_traffic_shared(haul_traffic *t, sim_wavefronts wavefronts, uint32_t active, unsigned bytes) {
    t->instructions++;
    t->shared_wavefronts += wavefronts.total;
    t->ideal_shared_wavefronts += wavefronts.ideal;
    t->bytes += (uint64_t)sim_lanes(active) * bytes;
}

/* Returns the shared-memory wavefronts that bank conflicts add. Copies around L1 have none: each pair of lines between
 * which they copy takes a wavefront of its own, whatever its banks. */
static inline uint64_t sim_traffic_conflicts(haul_memory_class class, const haul_traffic *t) {
    return class == HAUL_CLASS_LDGSTS_BYPASS ? 0 : t->shared_wavefronts - t->ideal_shared_wavefronts;
}

/* Adds an LDGSTS through L1. Lanes in `filled` read nothing. `lines` gets the lines that the others read. */
static inline void sim_traffic_ldgsts_access(haul_traffic *t, uint32_t active, uint32_t filled,
                                             const uint64_t source[SIM_LANES], const uint32_t destination[SIM_LANES],
                                             unsigned bytes, sim_lines *lines) {
    lines->count = lines->sectors = 0;
    sim_traffic_shared(t, sim_bank_copy(source, destination, active, filled, bytes), active, bytes);
    if (!(active & ~filled)) return;
    sim_coalesce(source, active & ~filled, bytes, lines);
    sim_traffic_tags(t, lines, active & ~filled, bytes);
    t->instructions--; /* both halves of the copy have counted it */
    t->bytes -= (uint64_t)sim_lanes(active & ~filled) * bytes;
}

/* Adds an LDGSTS around L1 and fills in `bypass`. `sized`: a predicate selects the lanes in `filled`, which then count
 * no sectors, and write zeros as a store does, whatever their source. Returns the wavefronts. */
static inline uint32_t sim_traffic_ldgsts_bypass(haul_traffic *t, uint32_t active, uint32_t filled, bool sized,
                                                 const uint64_t source[SIM_LANES],
                                                 const uint32_t destination[SIM_LANES], unsigned bytes,
                                                 sim_bypass *bypass) {
    sim_bypass_groups(source, destination, active, filled, bypass);
    sim_wavefronts wavefronts = {bypass->wavefronts, sim_bank_store(destination, active, bytes).ideal};
    if (sized && (active & filled))
        wavefronts.total = bypass->requests.count + sim_bank_store(destination, active & filled, bytes).total;
    sim_traffic_shared(t, wavefronts, active, bytes);
    t->sectors += sized ? bypass->requests.sectors : bypass->sectors;
    t->ideal_sectors += sim_ideal_sectors(active & ~filled, bytes);
    t->wavefronts += bypass->tag_wavefronts;
    t->requests += (active & ~filled) != 0;
    return wavefronts.total;
}

/* Returns the first lane of each address among `lanes`. */
uint32_t sim_distinct_lanes(const uint64_t address[SIM_LANES], uint32_t lanes);

/* Receives the lines of an access. */
typedef void sim_lines_request(void *context, const sim_lines *lines);

/* Adds an atomic or a reduction. Lanes that update one address do so one after the other: each round is an access of
 * its own to the tags and to L2. */
void sim_traffic_update(haul_traffic *t, const uint64_t address[SIM_LANES], uint32_t active, unsigned bytes,
                        sim_lines_request *request, void *context);

/* Adds an update of single 16-bit halves: a load of the words that hold them, then compare-and-swaps of words until
 * each lane has had its turn. `load` receives the lines of the load, `swap` those of each round. */
void sim_traffic_half_update(haul_traffic *loads, haul_traffic *swaps, const uint64_t address[SIM_LANES],
                             uint32_t active, sim_lines_request *load, sim_lines_request *swap, void *context);

/* Receives each request of a bulk copy to L2: a line and its sectors. */
typedef void sim_bulk_request(void *context, uint64_t line, unsigned mask);

/* A bulk copy, or a row of a tensor copy. Of the shared address only the offset in its line matters. */
typedef struct sim_bulk_move {
    uint64_t global;
    uint32_t shared, bytes;
    bool loads;   /* global to shared */
    bool outside; /* outside the array: counts sectors, but no bytes */
} sim_bulk_move;

/* Adds the sectors and bytes of the move; the caller counts the instruction itself. */
void sim_traffic_bulk(haul_traffic *t, const sim_bulk_move *move, sim_bulk_request *request, void *context);

/* The line of a tensor copy's request for a part of its box outside the array; the actual line is not known. */
#define SIM_NO_LINE UINT64_MAX

/* Adds a row of a tensor copy whose box begins at `shared`. */
void sim_traffic_row(haul_traffic *t, const sim_tensor_row *row, uint32_t shared, bool loads, sim_bulk_request *request,
                     void *context);

#endif
