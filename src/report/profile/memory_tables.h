/* Nsight Compute's memory tables, from a launch record. */
#ifndef HAUL_REPORT_PROFILE_MEMORY_TABLES_H
#define HAUL_REPORT_PROFILE_MEMORY_TABLES_H

#include "report/document.h"

#include <haul/run.h>
#include <stdbool.h>

/* Adds the tables "shared", "l1tex", "l2" and "device"; rows and tables without traffic are left out. */
void report_add_memory_tables(report_section *s, const haul_launch_record *record);

/* The tables "speed" and "warp_state": the estimate of time, shares of the machine's peaks, what warps wait for. None
 * where the launch has no estimate. `measured`: the same launch on a GPU, which gets a row of its own, or NULL. */
void report_add_time(report_section *s, const haul_launch_record *record, const haul_launch_record *measured);

/* A picture of the launch's traffic, for pages: see report_add_figure(). */
void report_add_memory_chart(report_section *s, const haul_launch_record *record);

/* Whether accesses of the class look for their sectors in L1: stores, reductions, copies around L1 and bulk copies do
 * not. */
bool report_is_cached(haul_memory_class class);

/* The table "instructions": executed instructions by mnemonic, the most frequent first, at most `most` rows. */
void report_add_instruction_mix(report_section *s, const haul_launch_record *record, size_t most);

/* The table "occupancy": what each resource allows on an SM. */
void report_add_occupancy(report_section *s, const haul_launch_record *record);

#endif
