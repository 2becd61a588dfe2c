/* How long L2 is to keep a line: what accesses ask for by a cache policy (createpolicy), by a modifier
 * (L2::evict_first), or by lying in the access window of their stream or launch. */
#ifndef HAUL_COUNT_POLICY_H
#define HAUL_COUNT_POLICY_H

#include <stdbool.h>
#include <stdint.h>

typedef enum sim_priority {
    SIM_PRIORITY_NORMAL,    /* nothing said: a line that persists goes on persisting */
    SIM_PRIORITY_FIRST,     /* streaming: the first to be given up */
    SIM_PRIORITY_LAST,      /* persisting: kept as long as the set-aside has room */
    SIM_PRIORITY_DEMOTE,    /* normal, also if the line persisted */
    SIM_PRIORITY_UNCHANGED, /* a line that is there keeps what it has */
} sim_priority;

/* Of the accesses that a policy is for, a share of sixteenths gets one priority, the rest another. Hardware chooses by
 * address, the same lines each time. A window's ratio is rounded up: 0.5 is 9 sixteenths, 1 is 16; a policy's fraction
 * to the nearest (both measured on an H100, by what persisted). */
unsigned sim_policy_sixteenths(double ratio);

/* Of a stream's or a launch's accesses to these bytes. */
typedef struct sim_l2_window {
    uint64_t base, bytes; /* 0 bytes: there is none */
    uint8_t sixteenths, hit, miss;
} sim_l2_window;

/* A cache policy as a register holds it. Of the two forms, the fractional one is encoded as hardware does it as far as
 * that is known, so that constants that programs bring along mean what they mean there. 0 is no policy. */
uint64_t sim_policy_fractional(sim_priority first, sim_priority second, double fraction);
/* `first` for `primary` bytes from `base` on, `second` beyond; in units of 4 KiB. */
uint64_t sim_policy_range(sim_priority first, sim_priority second, uint64_t base, uint64_t primary);

/* What an access to the line (address / 128) gets: by its policy, if it has one, else by the window. */
sim_priority sim_priority_of(const sim_l2_window *window, uint64_t policy, uint64_t line);

#endif
