/* The table of the times of a kernel's forms, and their causes, from the time model. */
#ifndef HAUL_CLI_LAB_TIME_H
#define HAUL_CLI_LAB_TIME_H

#include "report/document.h"

#include <haul/run.h>

/* Adds a table "time" with a row for each form. */
report_table *lab_add_time_table(report_section *section, const char *title);
void lab_add_time_row(report_table *table, const char *form, const haul_launch_record *record);

#endif
