#include "lib/launch/compare.h"

static const double SLACK = 2;        /* counts: an instruction fetch or a stray request */
static const double TOLERANCE = 0.02; /* of L1's hits, misses and store sectors */

static bool within(double value, double low, double high, double slack) {
    return value >= low - slack && value <= high + slack;
}

static bool overlap(double low, double high, haul_bounds b) {
    return high >= b.low - SLACK && low <= b.high + SLACK;
}

/* Counters that timing moves by retries and by what is still in flight: no bounds are known for them. */
static bool has_tolerance(haul_counter counter) {
    switch (counter) {
    case HAUL_COUNTER_L1_GLOBAL_LD_HIT:
    case HAUL_COUNTER_L1_GLOBAL_LD_MISS:
    case HAUL_COUNTER_L1_GLOBAL_ST_SECTORS: return true;
    default: return false;
    }
}

static bool agrees_closely(haul_counter counter, double low, double high, double ours, haul_bounds bounds) {
    if (has_tolerance(counter)) {
        double end = ours < low ? low : high, slack = end * TOLERANCE;
        return within(ours, low, high, slack > SLACK ? slack : SLACK);
    }
    return bounds.low < bounds.high && within(ours, bounds.low, bounds.high, SLACK) && overlap(low, high, bounds);
}

bool compare_agrees(haul_counter counter, double low, double high, double ours, haul_bounds bounds) {
    if (within(ours, low, high, 0)) return true;
    switch (haul_counters[counter].grade) {
    case HAUL_COUNTER_EXACT: return false;
    case HAUL_COUNTER_CLOSE: return agrees_closely(counter, low, high, ours, bounds);
    default: return true;
    }
}

static void add_pair(compare_tally *t, const compare_pair *p) {
    const bool nonzero = p->low != 0 || p->high != 0 || p->ours != 0;
    t->pairs++;
    t->agreeing += p->agrees;
    t->nonzero_pairs += nonzero;
    t->nonzero_agreeing += nonzero && p->agrees;
}

size_t compare_launch(const launch_description *launch, const haul_launch_record *record,
                      compare_pair pairs[HAUL_COUNTER_COUNT], compare_sums *sums) {
    size_t count = 0;
    for (size_t i = 0; i < launch->counter_count; i++) {
        const launch_counter *c = &launch->counters[i];
        haul_counter_grade grade = haul_counters[c->counter].grade;
        bool was_read = record->counters[c->counter] >= 0;
        if (grade == HAUL_COUNTER_INFO || !was_read) continue;
        compare_pair *p = &pairs[count++];
        *p = (compare_pair){.counter = c->counter,
                            .low = c->low,
                            .high = c->high,
                            .ours = record->counters[c->counter],
                            .bounds = record->bounds[c->counter]};
        p->agrees = compare_agrees(p->counter, p->low, p->high, p->ours, p->bounds);
        add_pair(grade == HAUL_COUNTER_EXACT ? &sums->exact : &sums->close, p);
    }
    return count;
}
