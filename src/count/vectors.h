/* The hot paths of counting. The files vector_*.c are compiled once for each vector extension, as exec/ops/ is, and the
 * best variant that the host supports is chosen at run time. */
#ifndef HAUL_COUNT_VECTORS_H
#define HAUL_COUNT_VECTORS_H

#include "count/lines.h"
#include "count/l2_log.h"

#include <stdatomic.h>

struct sim_l2;

/* One pass over at least one lane: its wavefronts, and the number of distinct units it touches. A unit is a word, or as
 * wide as a lane's bytes if that is more. */
typedef struct sim_bank_use {
    uint32_t wavefronts, units;
} sim_bank_use;

/* Without counts_units, `units` may be left at 0. */
typedef sim_bank_use sim_bank_pass_fn(const uint32_t address[SIM_LANES], uint32_t lanes, unsigned bytes,
                                      bool counts_units);

/* Where the log puts requests for lines: the slice, and the part of the entry that depends only on the line. */
typedef struct sim_log_places {
    uint32_t slice[SIM_LANES];
    sim_log_entry entry[SIM_LANES];
} sim_log_places;

typedef struct sim_vectors {
    sim_bank_pass_fn *bank_pass;
    void (*coalesce)(const uint64_t address[SIM_LANES], uint32_t active,
                     sim_lines *lines); /* requires an active lane */
    uint32_t (*tag_wavefronts)(const sim_lines *lines);
    void (*find_log_places)(const sim_lines *lines, sim_log_places *places);
    void (*l2_play)(struct sim_l2 *l2, unsigned slice, sim_log *const *logs, size_t count);
} sim_vectors;

extern _Atomic(const sim_vectors *) sim_vectors_chosen;
const sim_vectors *sim_vectors_choose(void);

static inline const sim_vectors *sim_vectors_best(void) {
    const sim_vectors *best = atomic_load_explicit(&sim_vectors_chosen, memory_order_relaxed);
    return best ? best : sim_vectors_choose();
}

#endif
