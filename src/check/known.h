/* What threads know of each other's accesses: happens-before, as compressed vector clocks.
 *
 * Time counts the synchronisations in a cluster. Each access is stamped with its time. An earlier access is ordered
 * before a later one if the later one's thread knows the earlier one's up to that time. Lanes of one warp that know the
 * same share one vector. Rounding is always upwards: a race may be missed, none is invented. */
#ifndef HAUL_CHECK_KNOWN_H
#define HAUL_CHECK_KNOWN_H

#include "state/op.h"

/* What is known of one warp: all lanes up to time `all`, and those in `lanes` up to the later time `some`. */
typedef struct sim_known {
    uint32_t all, some, lanes;
} sim_known;

/* Returns the lanes that are known up to `time`. */
static inline uint32_t sim_known_lanes(const sim_known *k, uint32_t time) {
    if (k->all >= time) return SIM_ALL_LANES;
    return k->some >= time ? k->lanes : 0;
}

/* True if the thread's lane is known up to `time` in these vectors. */
static inline bool sim_knows_thread(const sim_known *by_warp, uint32_t thread, uint32_t time) {
    return sim_known_lanes(&by_warp[thread / SIM_LANES], time) >> thread % SIM_LANES & 1;
}

static inline void sim_known_add(sim_known *to, sim_known more) {
    if (!(more.lanes | to->lanes)) {
        to->all = more.all > to->all ? more.all : to->all;
        return;
    }
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

/* Returns what both know, rounded upwards. */
static inline sim_known sim_known_meet(sim_known a, sim_known b) {
    const uint32_t in_a = a.lanes && a.some > a.all ? a.lanes : 0, in_b = b.lanes && b.some > b.all ? b.lanes : 0;
    const uint32_t most_a = in_a ? a.some : a.all, most_b = in_b ? b.some : b.all;
    sim_known both = {.all = a.all < b.all ? a.all : b.all, .some = most_a < most_b ? most_a : most_b};
    both.lanes = (a.all > both.all ? SIM_ALL_LANES : in_a) & (b.all > both.all ? SIM_ALL_LANES : in_b);
    if (both.some <= both.all) both.lanes = 0;
    return both;
}

static inline void sim_known_join(sim_known *to, const sim_known *from, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) sim_known_add(&to[i], from[i]);
}

#endif
