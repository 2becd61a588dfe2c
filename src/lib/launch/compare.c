/* Implements lib/launch/compare.h. counters.def has each counter's grade. Exact counters follow from the kernel and the
 * architecture alone. Close ones depend on timing: the model has bounds for them, and agreement means that recorded and
 * simulated values are consistent with the bounds. docs/accuracy.md has the results, docs/memory-differences.md the
 * causes of differences. */
#include "lib/launch/compare.h"

#include <math.h>

static const double SLACK = 2;        /* counts, for an instruction fetch or a stray request */
static const double TOLERANCE = 0.02; /* for L1's hits, misses and store sectors */

/* Whether the value lies in the range, widened by `slack` on both sides. */
static bool within(double value, double low, double high, double slack) {
    return value >= low - slack && value <= high + slack;
}

/* Whether the recorded range and the bounds have a value in common. */
static bool overlap(double low, double high, haul_bounds b) {
    return high >= b.low - SLACK && low <= b.high + SLACK;
}

/* Counters that depend on retries and on what is still in flight: their bounds are unknown. */
static bool has_tolerance(haul_counter counter) {
    switch (counter) {
    case HAUL_COUNTER_L1_GLOBAL_LD_HIT:
    case HAUL_COUNTER_L1_GLOBAL_LD_MISS:
    case HAUL_COUNTER_L1_GLOBAL_ST_SECTORS: return true;
    default: return false;
    }
}

/* For counters of grade close whose value lies outside the recorded range. */
static bool agrees_closely(haul_counter counter, double low, double high, double ours, haul_bounds bounds) {
    if (has_tolerance(counter)) {
        double end = ours < low ? low : high, slack = end * TOLERANCE;
        return within(ours, low, high, slack > SLACK ? slack : SLACK);
    }
    return bounds.low < bounds.high && within(ours, bounds.low, bounds.high, SLACK) && overlap(low, high, bounds);
}

/* A value in the recorded range agrees whatever the grade. */
bool compare_agrees(haul_counter counter, double low, double high, double ours, haul_bounds bounds) {
    if (within(ours, low, high, 0)) return true;
    switch (haul_counters[counter].grade) {
    case HAUL_COUNTER_EXACT: return false;
    case HAUL_COUNTER_CLOSE: return agrees_closely(counter, low, high, ours, bounds);
    default: return true;
    }
}

bool compare_is_zero(const compare_pair *p) {
    return p->low == 0 && p->high == 0 && p->ours == 0;
}

/* Relative to the nearer end of the range. */
double compare_error(const compare_pair *p) {
    if (p->equal) return 0;
    const double end = p->ours < p->low ? p->low : p->high;
    return fabs(p->ours - end) / fmax(end, 1);
}

const char *compare_grade_name(haul_counter counter) {
    static const char *const names[] = {
        [HAUL_COUNTER_EXACT] = "exact", [HAUL_COUNTER_CLOSE] = "close", [HAUL_COUNTER_INFO] = "info"};
    return names[haul_counters[counter].grade];
}

/* The same reasons stand in docs/accuracy.md for readers. */
const char *compare_reason(haul_counter counter) {
    switch (counter) {
    case HAUL_COUNTER_INST_EXECUTED:
    case HAUL_COUNTER_THREAD_INST_EXECUTED:
        return "haul counts PTX instructions; hardware counts machine instructions, which the assembler chooses";
    case HAUL_COUNTER_INST_GLOBAL_ATOM:
    case HAUL_COUNTER_L1_GLOBAL_ATOM_REQUESTS:
    case HAUL_COUNTER_L1_GLOBAL_ATOM_SECTORS:
    case HAUL_COUNTER_L2_ATOM_SECTORS: return "some types are loops whose rounds depend on the order of warps";
    case HAUL_COUNTER_INST_LOCAL_LD:
    case HAUL_COUNTER_INST_LOCAL_ST:
    case HAUL_COUNTER_L1_LOCAL_LD_REQUESTS:
    case HAUL_COUNTER_L1_LOCAL_LD_SECTORS:
    case HAUL_COUNTER_L1_LOCAL_LD_HIT:
    case HAUL_COUNTER_L1_LOCAL_ST_REQUESTS:
    case HAUL_COUNTER_L1_LOCAL_ST_SECTORS:
        return "PTX does not show spilled registers, nor which arrays the assembler keeps in registers";
    case HAUL_COUNTER_INST_TMA_ST:
    case HAUL_COUNTER_TMA_ST_SECTORS: return "the first recordings had too few bulk stores to grade it";
    case HAUL_COUNTER_L1_GLOBAL_ST_HIT:
    case HAUL_COUNTER_L1_GLOBAL_ST_MISS: return "the rule by which hardware counts stores as hits is not known";
    case HAUL_COUNTER_L1_GLOBAL_RED_WAVEFRONTS:
    case HAUL_COUNTER_L2_RED_REQUESTS: return "it is not known which lanes on scattered words take turns";
    case HAUL_COUNTER_SHARED_ATOM_WAVEFRONTS:
    case HAUL_COUNTER_SHARED_ATOM_CONFLICTS:
        return "some are loops whose rounds depend on the order of warps, and hardware counts replays here too";
    case HAUL_COUNTER_SHARED_LDGSTS_CONFLICTS:
        return "hardware counts replays here too, which depend on how busy the pipes are";
    case HAUL_COUNTER_CONSTANT_HIT:
    case HAUL_COUNTER_CONSTANT_MISS: return "the assembler decides which parameters go through the constant cache";
    case HAUL_COUNTER_L2_READ_HIT: return "timing decides which SM's read misses first; the misses are compared";
    case HAUL_COUNTER_DRAM_READ_SECTORS: return "hardware counts reads of the kernel's code too";
    case HAUL_COUNTER_DRAM_WRITE_SECTORS: return "hardware writes some dirty sectors back before the kernel ends";
    case HAUL_COUNTER_NVLINK_READ_BYTES:
    case HAUL_COUNTER_NVLINK_WRITE_BYTES: return "no launch was recorded that uses a peer's memory";
    default: return NULL;
    }
}

/* Counts a pair in its grade's tally. */
static void add_pair(compare_tally *t, const compare_pair *p) {
    const bool nonzero = !compare_is_zero(p);
    t->pairs++;
    t->agreeing += p->agrees;
    t->nonzero_pairs += nonzero;
    t->nonzero_agreeing += nonzero && p->agrees;
}

/* A pair that depends on the order of blocks agrees if some order may give each reading. */
static void note_orders(compare_pair *p, const launch_orders *orders) {
    p->is_ordered = launch_orders_move(orders, p->counter);
    if (!p->is_ordered) return;
    p->orders = orders->counters[p->counter];
    p->agrees = p->low >= p->orders.low && p->high <= p->orders.high;
}

/* Counters that were not read here make no pair. */
size_t compare_launch(const launch_description *launch, const haul_launch_record *record, const launch_orders *orders,
                      compare_pair pairs[HAUL_COUNTER_COUNT], compare_sums *sums) {
    size_t count = 0;
    for (size_t i = 0; i < launch->counter_count; i++) {
        const launch_counter *c = &launch->counters[i];
        haul_counter_grade grade = haul_counters[c->counter].grade;
        bool was_read = record->counters[c->counter] >= 0;
        if (!was_read) continue;
        compare_pair *p = &pairs[count++];
        *p = (compare_pair){.counter = c->counter,
                            .low = c->low,
                            .high = c->high,
                            .ours = record->counters[c->counter],
                            .bounds = record->bounds[c->counter]};
        p->equal = within(p->ours, p->low, p->high, 0);
        p->agrees = compare_agrees(p->counter, p->low, p->high, p->ours, p->bounds);
        note_orders(p, orders);
        if (grade == HAUL_COUNTER_EXACT) add_pair(p->is_ordered ? &sums->ordered : &sums->exact, p);
        if (grade == HAUL_COUNTER_CLOSE) add_pair(&sums->close, p);
    }
    return count;
}
