/* What a cluster has published, and when: a list of releases, each with all accesses of the cluster that it and those
 * before it passed on. A thread that has heard of releases up to some number knows what the last of those lists. If the
 * list becomes too long, neighbours are joined, so that an access may seem to be published earlier than it was. */
#ifndef HAUL_CHECK_HISTORY_H
#define HAUL_CHECK_HISTORY_H

#include "check/known.h"

typedef struct sim_history {
    uint32_t *numbers; /* of the releases, rising */
    sim_known *known;  /* by release, by actor */
    uint32_t count, capacity;
} sim_history;

/* The most releases that a list keeps; at least two. */
enum { SIM_MOST_RELEASES = 64 };

/* Adds release `number`, after which `known` of `actors` actors is published, if that is more than before; at most
 * `most` are kept. *added says whether it is. Returns false if the host runs out of memory. */
bool sim_history_add(sim_history *h, uint32_t number, const sim_known *known, uint32_t actors, uint32_t most,
                     bool *added);
/* Returns what had been published up to release `number`, or NULL: nothing. */
const sim_known *sim_history_at(const sim_history *h, uint32_t number, uint32_t actors);
void sim_history_clear(sim_history *h);
void sim_history_free(sim_history *h);

#endif
