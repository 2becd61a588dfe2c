/* Implements cli/lab/time.h. Times, cycles and stalls come from the launch's estimate (src/time/estimate.c), not from
 * measurements. */
#include "cli/lab/time.h"

#include <math.h>

static const report_column columns[] = {
    {"form", "Form", REPORT_TEXT, NULL},
    {"registers", "Registers", REPORT_COUNT, "a thread, an estimate"},
    {"instructions", "Instructions", REPORT_COUNT, "of machine code that warps issue, an estimate"},
    {"ldgsts", "LDGSTS", REPORT_COUNT, "asynchronous copies that warps issue, also with all lanes off"},
    {"device_read", "Read", REPORT_BYTES, "from device memory"},
    {"device_written", "Written", REPORT_BYTES, "to device memory, while the kernel runs; L2 keeps the rest"},
    {"l2_stores", "L2 stores", REPORT_COUNT, "requests that write to L2"},
    {"cycles", "Cycles", REPORT_COUNT, "of an SM's clock, an estimate"},
    {"time_us", "Time", REPORT_MICROSECONDS, "of the kernel alone, an estimate"},
    {"memory_share", "Memory", REPORT_PERCENT, "of the peak rate of device memory"},
    {"sm_share", "SM", REPORT_PERCENT,
     "of the time that the busiest part of an SM is busy, L1 and shared memory aside"},
    {"long_scoreboard", "Waits for data", REPORT_PERCENT, "of warps' cycles: Stall Long Scoreboard"},
};

report_table *lab_add_time_table(report_section *section, const char *title) {
    return report_add_table(section, "time", title, columns, sizeof columns / sizeof *columns);
}

/* The last column relates one reason to wait to the sum over all reasons. */
void lab_add_time_row(report_table *t, const char *form, const haul_launch_record *r) {
    const haul_estimate *e = &r->estimate;
    double sum = 0;
    for (unsigned k = 0; k < HAUL_STALL_COUNT; k++) sum += e->stalls[k];
    report_add_row(t);
    report_add_text(t, "%s", form);
    report_add_number(t, r->occupancy.registers_per_thread);
    report_add_number(t, round(e->instructions));
    report_add_number(t, r->counters[HAUL_COUNTER_INST_LDGSTS]);
    report_add_number(t, 32 * r->counters[HAUL_COUNTER_DRAM_READ_SECTORS]);
    report_add_number(t, 32 * r->counters[HAUL_COUNTER_DRAM_WRITE_SECTORS]);
    report_add_number(t, r->counters[HAUL_COUNTER_L2_WRITE_REQUESTS]);
    report_add_number(t, round(e->cycles));
    report_add_number(t, e->cycles / e->sm_mhz);
    report_add_number(t, 100 * e->memory_share);
    report_add_number(t, 100 * e->sm_share);
    report_add_number(t, report_percent(e->stalls[HAUL_STALL_LONG_SCOREBOARD], sum));
}
