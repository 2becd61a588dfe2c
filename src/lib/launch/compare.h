/* Comparison of a launch's counters with recorded ones: pair by pair, by each counter's grade. */
#ifndef HAUL_LIB_LAUNCH_COMPARE_H
#define HAUL_LIB_LAUNCH_COMPARE_H

#include "lib/launch/launches.h"
#include "lib/launch/orders.h"

#include <stdbool.h>

/* One counter of one launch: recorded on hardware (low to high over its repeats), and ours. */
typedef struct compare_pair {
    haul_counter counter;
    double low, high;
    double ours;
    haul_bounds bounds; /* range in which the hardware's timing may move the counter */
    haul_bounds orders; /* values under several orders of blocks, if it depends on them */
    bool is_ordered;    /* it does: launch_orders_move() */
    bool equal;         /* ours lies in the recorded range */
    bool agrees; /* as far as the counter's grade asks: compare_agrees(); ordered: the recorded range is in `orders` */
} compare_pair;

typedef struct compare_tally {
    size_t pairs, agreeing;
    size_t nonzero_pairs, nonzero_agreeing; /* pairs with a side that is not zero: zeros agree easily */
} compare_tally;

typedef struct compare_sums {
    compare_tally exact, close; /* by grade */
    compare_tally ordered;      /* pairs of grade exact that depend on the order of blocks, which `exact` leaves out */
} compare_sums;

/* Whether a pair agrees. EXACT: it is within the recorded range. CLOSE: if timing matters (the bounds differ), it is
 * within the bounds plus or minus 2, and so is the recorded range; else it is within the recorded range. L1's hits,
 * misses and store sectors: within 2 % of the nearer end of the recorded range, or 2 counts. INFO: always. */
bool compare_agrees(haul_counter counter, double low, double high, double ours, haul_bounds bounds);

/* Zeros agree easily: a pair that is zero on both sides says little. */
bool compare_is_zero(const compare_pair *p);

/* Returns how far ours lies outside the recorded range, as a share of its nearer end (of 1, if that end is 0). */
double compare_error(const compare_pair *p);

/* "exact", "close" or "info". */
const char *compare_grade_name(haul_counter counter);

/* Why a counter of grade INFO is never compared; NULL for the others. */
const char *compare_reason(haul_counter counter);

/* Makes the pairs of all grades that the description's line records, and adds those of grade EXACT and CLOSE to `sums`.
 * `orders` may be NULL. Returns how many. */
size_t compare_launch(const launch_description *launch, const haul_launch_record *record, const launch_orders *orders,
                      compare_pair pairs[HAUL_COUNTER_COUNT], compare_sums *sums);

#endif
