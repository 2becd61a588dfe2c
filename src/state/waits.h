#ifndef HAUL_STATE_WAITS_H
#define HAUL_STATE_WAITS_H

/* What the counters do not say: how often warps stood still for memory, and for each other. */
typedef struct sim_waits {
    double memory;        /* warps' waits for loads or copies; one that leaves n groups in flight counts 1 / (n + 1) */
    double path, fixed;   /* cycles of all warps, each on its own; without those for shared memory (cost.h) */
    double slots, issued; /* cycles of schedulers; machine instructions */
    double dirty_sectors; /* still to be written back at the end */
    double partly_dirty;  /* sectors to be written back, at the end or before, that were written in part */
    double partial_sectors;         /* sectors written in part only */
    double shared_turns;            /* lanes of atomics on shared memory that had to wait for another one */
    double hottest;                 /* sectors of atomics at the busiest 512 bytes */
    double barriers;                /* warps' waits at block barriers */
    double link_read, link_written; /* sectors of mapped host memory, which go over the host link */
} sim_waits;

#endif
