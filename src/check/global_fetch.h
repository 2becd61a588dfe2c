/* Prefetching for the replay of scattered lanes. */
#ifndef HAUL_CHECK_GLOBAL_FETCH_H
#define HAUL_CHECK_GLOBAL_FETCH_H

#include "check/global_shadow.h"

enum { SIM_FETCH_LANES = 128 };

/* A slice's items in the logs of several SMs, one log after the other. */
typedef struct sim_log_walk {
    const sim_access_log *const *logs;
    uint32_t count;
    unsigned slice;
    uint32_t log;              /* the current one; `count`: the walk is over */
    size_t item;               /* the next one in it */
    const uint64_t *addresses; /* of that item, if it has a list, and of those behind it */
} sim_log_walk;

static inline const sim_log_share *sim_walk_share(const sim_log_walk *w) {
    return &w->logs[w->log]->shares[w->slice];
}

/* Goes to the first item. */
void sim_walk_begin(sim_log_walk *w);
/* Goes to the next log that has items if the current one has no more. */
void sim_walk_on(sim_log_walk *w);

/* Looks at the items from the walk's next one on until their scattered lanes are SIM_FETCH_LANES, and prefetches what
 * is known of their lines. `pages`: gets the page of each of these lanes, NULL if there is none yet. Returns the number
 * of items. */
size_t sim_fetch_lines(const sim_slice *s, sim_log_walk walk, sim_page *pages[SIM_FETCH_LANES]);

#endif
