/* Puts readings of a GPU beside the simulated values.
 *
 * A counter agrees if the simulated value lies within the range of the readings; equal readings have a range of one
 * value. Only counters of grade exact count as agreeing or not. */
#include "report/profile/measured.h"

#include <math.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* Counters that were not read are negative or NaN. */
static bool was_read(const haul_launch_record *r, haul_counter c) {
    return r->counters[c] >= 0;
}

/* A reading has a range if there were several and they differ. */
static bool agrees(haul_counter c, const haul_launch_record *simulated, const haul_launch_record *measured) {
    double value = simulated->counters[c];
    return value >= measured->bounds[c].low && value <= measured->bounds[c].high;
}

static bool is_exact(haul_counter c) {
    return haul_counters[c].grade == HAUL_COUNTER_EXACT;
}

report_agreement report_agree(const haul_launch_record *simulated, const haul_launch_record *measured) {
    report_agreement sum = {0};
    for (haul_counter c = 0; c < HAUL_COUNTER_COUNT; c++) {
        if (!is_exact(c) || !was_read(simulated, c) || !was_read(measured, c)) continue;
        sum.pairs++;
        sum.agreeing += agrees(c, simulated, measured);
    }
    return sum;
}

/* ---- one launch ---- */

static const report_column counter_columns[] = {
    {"counter", "Counter", REPORT_TEXT, NULL},
    {"simulated", "Simulated", REPORT_COUNT, "by the virtual GPU"},
    {"measured", "Measured", REPORT_COUNT, "by the GPU, read by Nsight Compute; of several readings the first"},
    {"lowest", "Lowest", REPORT_COUNT, "of several readings that differ"},
    {"highest", "Highest", REPORT_COUNT, NULL},
    {"off", "Off", REPORT_PERCENT, "by how much the simulated one is above or below the measured one"},
    {"name", "Nsight Compute", REPORT_TEXT, NULL},
};

/* Says by how much the counters differ only if they do. */
static void add_counter(report_table *t, haul_counter c, const haul_launch_record *simulated,
                        const haul_launch_record *measured) {
    double ours = simulated->counters[c], theirs = measured->counters[c];
    bool moved = measured->bounds[c].low < measured->bounds[c].high, agreed = agrees(c, simulated, measured);
    report_add_row(t);
    report_add_text(t, "%s", haul_counters[c].text);
    report_add_number(t, was_read(simulated, c) ? ours : NAN);
    report_add_number(t, theirs);
    report_set_tone(t, !is_exact(c) ? REPORT_PLAIN : agreed ? REPORT_GOOD : REPORT_WARNING);
    report_add_number(t, moved ? measured->bounds[c].low : NAN);
    report_add_number(t, moved ? measured->bounds[c].high : NAN);
    report_add_number(t, agreed || theirs <= 0 || !was_read(simulated, c) ? NAN : 100 * (ours - theirs) / theirs);
    report_add_text(t, "%s", haul_counters[c].ncu);
}

/* The measured time, its range, and the estimate. */
static void add_times(report_section *s, const char *device, const haul_launch_record *simulated,
                      const haul_launch_record *measured) {
    char time[REPORT_NUMBER_SIZE], low[REPORT_NUMBER_SIZE], high[REPORT_NUMBER_SIZE], estimate[REPORT_NUMBER_SIZE];
    if (measured->measured_us < 0) return;
    report_format(REPORT_MICROSECONDS, measured->measured_us, time);
    report_format(REPORT_MICROSECONDS, measured->measured_range_us.low, low);
    report_format(REPORT_MICROSECONDS, measured->measured_range_us.high, high);
    report_format(REPORT_MICROSECONDS, simulated->estimate_us, estimate);
    report_add_paragraph(s, "Measured on %s: %s (%s to %s), estimated %s.", device, time, low, high,
                         simulated->estimate_us >= 0 ? estimate : "not at all");
}

void report_add_measured(report_section *s, const char *device, const haul_launch_record *simulated,
                         const haul_launch_record *measured) {
    report_table *t = NULL;
    add_times(s, device, simulated, measured);
    for (haul_counter c = 0; c < HAUL_COUNTER_COUNT; c++) {
        if (!was_read(measured, c) || (measured->counters[c] <= 0 && simulated->counters[c] <= 0)) continue;
        if (!t) t = report_add_table(s, "measured", NULL, counter_columns, COUNT_OF(counter_columns));
        add_counter(t, c, simulated, measured);
    }
}

/* ---- many launches ---- */

/* Columns for each launch: PAIR(key, title, unit, first counter, second or the first again, help). */
#define PAIRS(PAIR)                                                                                                   \
    PAIR("load_sectors", "Load sectors", L1_GLOBAL_LD_SECTORS, L1_GLOBAL_LD_SECTORS,                                  \
         "of global loads and LDGSTS at L1")                                                                          \
    PAIR("store_sectors", "Store sectors", L1_GLOBAL_ST_SECTORS, L1_GLOBAL_ST_SECTORS, "of global stores at L1")      \
    PAIR("bulk_sectors", "Bulk sectors", TMA_LD_SECTORS, TMA_ST_SECTORS, "that bulk copies read and write")           \
    PAIR("shared_wavefronts", "Shared wavefronts", SHARED_LD_WAVEFRONTS, SHARED_ST_WAVEFRONTS, "of loads and stores") \
    PAIR("conflicts", "Conflicts", SHARED_LD_CONFLICTS, SHARED_ST_CONFLICTS,                                          \
         "of these, those that bank conflicts add")                                                                   \
    PAIR("l2_read", "L2 read", L2_READ_SECTORS, L2_READ_SECTORS, "sectors read from L2")                              \
    PAIR("l2_written", "L2 written", L2_WRITE_SECTORS, L2_WRITE_SECTORS, "sectors written to L2")

static const struct {
    haul_counter first, second;
} pairs[] = {
#define PAIR(key, title, first, second, help) {HAUL_COUNTER_##first, HAUL_COUNTER_##second},
    PAIRS(PAIR)
#undef PAIR
};

static const report_column launch_columns[] = {
    {"launch", "Launch", REPORT_TEXT, "kernel and whole-number arguments"},
    {"estimate", "Estimated", REPORT_MICROSECONDS, "by the virtual GPU"},
    {"time", "Measured", REPORT_MICROSECONDS, "by events around the launch, nothing of its data in L2"},
#define PAIR(key, title, first, second, help) \
    {key, title, REPORT_COUNT, help}, {key "_measured", "Measured", REPORT_COUNT, help ", on the GPU"},
    PAIRS(PAIR)
#undef PAIR
        {"exact", "Exact", REPORT_TEXT, "counters that must be equal, and how many are"},
};

/* The value of a column: one counter, or the sum of two. */
static double sum_of(const haul_launch_record *r, size_t pair) {
    haul_counter a = pairs[pair].first, b = pairs[pair].second;
    if (!was_read(r, a) || !was_read(r, b)) return NAN;
    return a == b ? r->counters[a] : r->counters[a] + r->counters[b];
}

/* Values that are zero in both stay empty, and entirely empty columns are not shown. */
static void add_pair(report_table *t, double ours, double theirs) {
    bool nothing = !(ours > 0) && !(theirs > 0);
    report_add_number(t, nothing || isnan(theirs) ? NAN : ours);
    report_add_number(t, nothing ? NAN : theirs);
}

report_table *report_add_measured_launches(report_section *s, const char *device) {
    report_add_paragraph(s, "The same launches on %s, beside what the virtual GPU says:", device);
    return report_add_table(s, "measured", NULL, launch_columns, COUNT_OF(launch_columns));
}

void report_add_measured_launch(report_table *t, const char *label, const haul_launch_record *simulated,
                                const haul_launch_record *measured) {
    report_agreement agreement = report_agree(simulated, measured);
    report_add_row(t);
    report_add_text(t, "%s", label);
    report_add_number(t, simulated->estimate_us >= 0 ? simulated->estimate_us : NAN);
    report_add_number(t, measured->measured_us >= 0 ? measured->measured_us : NAN);
    for (size_t i = 0; i < COUNT_OF(pairs); i++) add_pair(t, sum_of(simulated, i), sum_of(measured, i));
    if (!agreement.pairs) return;
    report_add_text(t, "%zu of %zu", agreement.agreeing, agreement.pairs);
    report_set_tone(t, agreement.agreeing == agreement.pairs ? REPORT_GOOD : REPORT_WARNING);
}
