/* A cluster's history is a list of its releases. Each entry has all accesses that this release and earlier ones have
 * published. A thread that knows of releases up to some number knows the accesses of the last entry up to there. If the
 * list becomes too long, neighbouring entries are joined, and an access may then seem to be published too early. */
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
