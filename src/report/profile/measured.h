/* Hardware counters beside those of the virtual GPU, from records of the same launch. */
#ifndef HAUL_REPORT_PROFILE_MEASURED_H
#define HAUL_REPORT_PROFILE_MEASURED_H

#include "report/document.h"

#include <haul/run.h>

/* The counters that a correct model gives exactly (HAUL_COUNTER_EXACT) and that both have: how many, and how many
 * agree. */
typedef struct report_agreement {
    size_t pairs, agreeing;
} report_agreement;
report_agreement report_agree(const haul_launch_record *simulated, const haul_launch_record *measured);

/* Adds one launch: a sentence with its times and, if counters were read, the table "measured" with a row for each that
 * is not zero in both. `device` names the hardware. */
void report_add_measured(report_section *s, const char *device, const haul_launch_record *simulated,
                         const haul_launch_record *measured);

/* Adds the table "measured" for many launches, with a row for each, and pairs of columns for the memory counters. */
report_table *report_add_measured_launches(report_section *s, const char *device);
void report_add_measured_launch(report_table *t, const char *label, const haul_launch_record *simulated,
                                const haul_launch_record *measured);

#endif
