/* Reports a launch's time, the utilisation of the machine and the states of its warps, from the time model. */
#include "report/profile/memory_tables.h"

#include <math.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
enum { SECTOR = 32 };

static const report_column speed_columns[] = {
    {"what", "Speed", REPORT_TEXT, NULL},
    {"duration_us", "Duration", REPORT_MICROSECONDS, "of the kernel alone, without the time to launch it"},
    {"cycles", "Cycles", REPORT_COUNT, "of an SM's clock"},
    {"sm_mhz", "SM MHz", REPORT_COUNT, "the clock as it is under load; Nsight Compute locks it to a lower one"},
    {"machine_instructions", "Instructions", REPORT_COUNT, "of machine code, that warps issue"},
    {"device_share", "Device Memory", REPORT_PERCENT, "bytes read and written, as a share of the peak rate"},
    {"l2_share", "L2", REPORT_PERCENT, "of the time that it is busy"},
    {"sm_share", "Compute (SM)", REPORT_PERCENT,
     "of the time that the busiest part of an SM is busy, L1 and shared memory aside"},
    {"issue_share", "Issue Slots", REPORT_PERCENT, "of the schedulers' cycles"},
    {"l1_share", "L1/Shared", REPORT_PERCENT,
     "of the time that the busiest part of L1 and shared memory is busy: wavefronts, atomics, textures, the path to "
     "L2"},
    {"warps_per_sm", "Active Warps/SM", REPORT_RATIO, "resident on average"},
};

/* The row of the virtual GPU. */
static void add_estimate(report_table *t, const haul_estimate *e) {
    report_add_row(t);
    report_add_text(t, "Estimate");
    report_add_number(t, e->cycles / e->sm_mhz);
    report_add_number(t, round(e->cycles));
    report_add_number(t, round(e->sm_mhz));
    report_add_number(t, round(e->instructions));
    report_add_number(t, 100 * e->memory_share);
    report_add_number(t, 100 * e->l2_share);
    report_add_number(t, 100 * e->sm_share);
    report_add_number(t, 100 * e->issue_share);
    report_add_number(t, 100 * e->l1_share);
    report_add_number(t, e->warps_per_sm);
}

/* The measured value, or else the estimate. */
static double counter(const haul_launch_record *measured, const haul_launch_record *r, haul_counter c) {
    return measured->counters[c] >= 0 ? measured->counters[c] : fmax(0, r->counters[c]);
}

/* The same launch on a GPU: its time, and the counters that were read. */
static void add_measured(report_table *t, const haul_launch_record *measured, const haul_launch_record *r) {
    const double sectors =
        counter(measured, r, HAUL_COUNTER_DRAM_READ_SECTORS) + counter(measured, r, HAUL_COUNTER_DRAM_WRITE_SECTORS);
    report_add_row(t);
    report_add_text(t, "Measured");
    report_add_number(t, measured->measured_us);
    report_add_empty(t), report_add_empty(t);
    if (measured->counters[HAUL_COUNTER_INST_EXECUTED] >= 0)
        report_add_number(t, measured->counters[HAUL_COUNTER_INST_EXECUTED]);
    else
        report_add_empty(t);
    report_add_number(t, 100 * sectors * SECTOR / (r->estimate.memory_gbps * 1e3 * measured->measured_us));
}

static const report_column warp_columns[] = {
    {"stall", "Warp State", REPORT_TEXT, NULL},
    {"cycles_per_instruction", "Cycles/Inst", REPORT_RATIO, "of a warp, for each instruction that it issues"},
    {"share", "Share", REPORT_PERCENT, "of the cycles in which warps are resident"},
    {"what", "What The Warp Does", REPORT_TEXT, NULL},
};

void report_sort_stalls(const haul_estimate *e, haul_stall order[HAUL_STALL_COUNT]) {
    for (unsigned k = 0; k < HAUL_STALL_COUNT; k++) {
        unsigned at = k;
        for (; at && e->stalls[order[at - 1]] < e->stalls[k]; at--) order[at] = order[at - 1];
        order[at] = (haul_stall)k;
    }
}

/* States below a twentieth of a percent are left out. */
static void add_warp_states(report_section *s, const haul_estimate *e) {
    static const double LEAST = 0.0005; /* smallest share that is shown */
    haul_stall order[HAUL_STALL_COUNT];
    double sum = 0;
    for (unsigned k = 0; k < HAUL_STALL_COUNT; k++) sum += e->stalls[k];
    if (sum <= 0) return;
    report_table *t = report_add_table(s, "warp_state", NULL, warp_columns, COUNT_OF(warp_columns));
    report_sort_stalls(e, order);
    for (unsigned k = 0; k < HAUL_STALL_COUNT && e->stalls[order[k]] >= LEAST * sum; k++) {
        report_add_row(t);
        report_add_text(t, "%s", haul_stalls[order[k]].title);
        report_add_number(t, report_ratio(e->stalls[order[k]], e->instructions));
        report_add_number(t, report_percent(e->stalls[order[k]], sum));
        report_add_text(t, "%s", haul_stalls[order[k]].text);
    }
    report_add_row(t);
    report_add_text(t, "Total");
    report_add_number(t, report_ratio(sum, e->instructions));
    report_add_number(t, 100);
    report_set_row_tone(t, REPORT_STRONG);
}

void report_add_time(report_section *s, const haul_launch_record *record, const haul_launch_record *measured) {
    if (record->estimate.cycles <= 0) return;
    report_table *t = report_add_table(s, "speed", NULL, speed_columns, COUNT_OF(speed_columns));
    add_estimate(t, &record->estimate);
    if (measured && measured->measured_us > 0) add_measured(t, measured, record);
    add_warp_states(s, &record->estimate);
    report_add_note(s, REPORT_MUTED,
                    "Speed and warp states follow from the counts by a model of time, not from a GPU's counters. They "
                    "leave out the launch itself, which takes the rest of the time above.");
}
