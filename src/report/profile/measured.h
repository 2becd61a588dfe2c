/* What hardware counted beside what the virtual GPU counted, from records of the same launch. */
#ifndef HAUL_REPORT_PROFILE_MEASURED_H
#define HAUL_REPORT_PROFILE_MEASURED_H

#include "report/document.h"

#include <haul/run.h>

/* Counters that a right model gives exactly (HAUL_COUNTER_EXACT) and that both have: how many, and how many agree. */
typedef struct report_agreement {
    size_t pairs, agreeing;
} report_agreement;
report_agreement report_agree(const haul_launch_record *simulated, const haul_launch_record *measured);

/* One launch: a sentence with its times, and, where counters were read, the table "measured" with a row for each that
 * is not zero in both. `device` names the hardware. */
void report_add_measured(report_section *s, const char *device, const haul_launch_record *simulated,
                         const haul_launch_record *measured);

/* Many launches: the table "measured" with a row for each; of what moves data, columns in pairs. */
report_table *report_add_measured_launches(report_section *s, const char *device);
void report_add_measured_launch(report_table *t, const char *label, const haul_launch_record *simulated,
                                const haul_launch_record *measured);

#endif
