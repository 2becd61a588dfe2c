/* How long L2 should keep a line, as given by a cache policy (createpolicy), a modifier (L2::evict_first), or the
 * access window of the stream or launch. */
#ifndef HAUL_COUNT_POLICY_H
#define HAUL_COUNT_POLICY_H

#include <stdbool.h>
#include <stdint.h>

typedef enum sim_priority {
    SIM_PRIORITY_NORMAL,    /* nothing given: a persisting line stays persisting */
    SIM_PRIORITY_FIRST,     /* streaming: evicted first */
    SIM_PRIORITY_LAST,      /* persisting: kept as long as the set-aside has room */
    SIM_PRIORITY_DEMOTE,    /* normal, even if the line persisted */
    SIM_PRIORITY_UNCHANGED, /* a cached line keeps its priority */
} sim_priority;

/* Of the accesses under a policy, a share in sixteenths gets one priority, the rest another. Hardware chooses by
 * address, always the same lines. A window's ratio is rounded up: 0.5 is 9 sixteenths, 1 is 16. A policy's fraction is
 * rounded to the nearest. (Both measured on an H100, by what persisted.) */
unsigned sim_policy_sixteenths(double ratio);

/* The access window of a stream or launch. */
typedef struct sim_l2_window {
    uint64_t base, bytes; /* 0 bytes: there is none */
    uint8_t sixteenths, hit, miss;
} sim_l2_window;

/* A cache policy as a register holds it; 0 is no policy. The fractional form is encoded as on hardware, as far as that
 * is known, so that constants embedded in programs keep their meaning. */
uint64_t sim_policy_fractional(sim_priority first, sim_priority second, double fraction);
/* `first` for `primary` bytes from `base` on, `second` for the rest; in units of 4 KiB. */
uint64_t sim_policy_range(sim_priority first, sim_priority second, uint64_t base, uint64_t primary);

/* Returns the priority of an access to the line (address / 128): by its policy, if it has one, else by the window. */
sim_priority sim_priority_of(const sim_l2_window *window, uint64_t policy, uint64_t line);

#endif
