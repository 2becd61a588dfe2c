/* haul compare --summary: agreement by counter, and estimated times against recorded ones. */
#ifndef HAUL_CLI_COMPARE_SUMMARY_H
#define HAUL_CLI_COMPARE_SUMMARY_H

#include "lib/launch/compare.h"

/* The pairs of one counter that are not zero on both sides. */
typedef struct compare_counts {
    size_t pairs, equal, agreeing; /* equal: in the recorded range; agreeing: as far as the grade asks */
    size_t ordered, inside;        /* pairs that depend on the order of blocks, which the others leave out */
    size_t zeros;                  /* the other pairs: they say little about the model */
} compare_counts;

/* A pair that lies outside the recorded range, or depends on the order of blocks. */
typedef struct compare_difference {
    const launch_description *launch;
    compare_pair pair;
} compare_difference;

/* A launch whose time was recorded. */
typedef struct compare_time {
    const launch_description *launch;
    double estimate_us; /* launch->us has the recorded time */
} compare_time;

/* All-zero is a valid empty summary. The launches have to outlive it. */
typedef struct compare_summary {
    compare_counts counters[HAUL_COUNTER_COUNT];
    compare_difference *differences; /* grow with memory_grow(); in the order of the launches */
    compare_time *times;
    size_t difference_count, difference_capacity, time_count, time_capacity;
} compare_summary;

void compare_summary_free(compare_summary *s);

/* Adds a launch and its pairs. Errors: HAUL_ERROR_OUT_OF_MEMORY. */
haul_status compare_summary_add(compare_summary *s, const launch_description *launch, const haul_launch_record *record,
                                const compare_pair *pairs, size_t count);

/* Appends tables of counters and times for people. Errors: HAUL_ERROR_OUT_OF_MEMORY. */
haul_status compare_summary_put_text(compare_summary *s, text *out);

/* [least, most] over orders of blocks. */
json_t *compare_orders_json(const compare_pair *pair);

/* Adds `counters`, each with its differences, and `times` to the object. */
void compare_summary_put_json(const compare_summary *s, json_t *object);

#endif
