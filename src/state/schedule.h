/* The order of what a launch leaves open. Hardware may choose any of these orders, so correct kernels cannot tell them
 * apart. Only checked launches have others than the default. */
#ifndef HAUL_STATE_SCHEDULE_H
#define HAUL_STATE_SCHEDULE_H

#include <haul/haul.h>

enum { SIM_DIRT = 0x5d };

typedef struct sim_schedule {
    haul_schedule turns; /* of warps and blocks */
    haul_completion completion;
    bool is_unfenced; /* ordinary stores reach the copy engine at a proxy fence, not before */
    bool is_diverged; /* lanes of a warp run apart until they have to meet */
    bool is_dirty;    /* shared memory begins with SIM_DIRT instead of zeros */
    uint64_t seed;
} sim_schedule;

/* Returns well mixed bits of the seed and a number. */
static inline uint64_t sim_schedule_bits(const sim_schedule *s, uint64_t number) {
    uint64_t x = (s->seed + 1) * 0x9e3779b97f4a7c15ull + number * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

/* Returns whether the block's asynchronous operation of that number moves its data when it is issued; otherwise it does
 * so at the wait. This is the only place that decides it, for all engines. */
static inline bool sim_takes_effect_at_issue(const sim_schedule *s, uint64_t number) {
    switch (s->completion) {
    case HAUL_COMPLETION_EARLY: return true;
    case HAUL_COMPLETION_SWAPPED: return number & 1; /* of each two in flight, the later one first */
    case HAUL_COMPLETION_RANDOM: return sim_schedule_bits(s, number) & 1;
    default: return false;
    }
}

/* Returns whether operation `number` in flight takes effect before turn `turn` of a warp, between its issue and its
 * wait. */
static inline bool sim_takes_effect_meanwhile(const sim_schedule *s, uint64_t turn, uint64_t number) {
    return s->completion == HAUL_COMPLETION_RANDOM && sim_schedule_bits(s, turn << 20 ^ number) % 8 == 0;
}

/* Returns whether copies complete for a thread that waits for their mbarrier only when no other warp of the SM can
 * run. */
static inline bool sim_keeps_waiters_waiting(const sim_schedule *s) {
    return s->completion == HAUL_COMPLETION_LATE;
}

/* Returns whether a bulk store's bytes reach global memory only when a thread waits for that, not already when one
 * waits until the store has read its source. */
static inline bool sim_arrives_after_read(const sim_schedule *s, uint64_t number) {
    switch (s->completion) {
    case HAUL_COMPLETION_LATE: return true;
    case HAUL_COMPLETION_RANDOM: return sim_schedule_bits(s, number) & 2;
    default: return false;
    }
}

#endif
