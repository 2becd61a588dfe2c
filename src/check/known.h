/* What threads know of each other: happens-before, compressed.
 *
 * Time is a count of synchronisations in a cluster. Each access is stamped with the time it was made at; an earlier
 * access is ordered before a later one when the later one's thread knows the earlier one's up to that time. What lanes
 * of one warp know alike is kept once. Where it must be rounded, it is rounded up: a race may be missed, none is made
 * up. */
#ifndef HAUL_CHECK_KNOWN_H
#define HAUL_CHECK_KNOWN_H

#include "state/op.h"

/* Of one warp's lanes: all are known up to time `all`, and those in `lanes` up to the later time `some`. */
typedef struct sim_known {
    uint32_t all, some, lanes;
} sim_known;

/* The lanes that are known up to `time`. */
static inline uint32_t sim_known_lanes(const sim_known *k, uint32_t time) {
    if (k->all >= time) return SIM_ALL_LANES;
    return k->some >= time ? k->lanes : 0;
}

/* Whether, of vectors by warp, the thread's lane is known up to `time`. */
static inline bool sim_knows_thread(const sim_known *by_warp, uint32_t thread, uint32_t time) {
    return sim_known_lanes(&by_warp[thread / SIM_LANES], time) >> thread % SIM_LANES & 1;
}

static inline void sim_known_add(sim_known *to, sim_known more) {
    if (more.all > to->all) to->all = more.all;
    if (more.lanes && more.some > to->all) {
        const bool none = !to->lanes || to->some <= to->all;
        const bool covered = (more.lanes & ~to->lanes) == 0 && more.some <= to->some;
        const bool covers = (to->lanes & ~more.lanes) == 0 && to->some <= more.some;
        if (none || covers)
            to->some = more.some, to->lanes = more.lanes;
        else if (!covered)
            to->some = more.some > to->some ? more.some : to->some, to->lanes |= more.lanes;
    }
    if (to->lanes == SIM_ALL_LANES && to->some > to->all) to->all = to->some;
    if (to->some <= to->all) to->lanes = 0;
}

static inline void sim_known_join(sim_known *to, const sim_known *from, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) sim_known_add(&to[i], from[i]);
}

#endif
