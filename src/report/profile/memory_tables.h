/* Nsight Compute's memory tables, from a launch record. */
#ifndef HAUL_REPORT_PROFILE_MEMORY_TABLES_H
#define HAUL_REPORT_PROFILE_MEMORY_TABLES_H

#include "report/document.h"

#include <haul/run.h>
#include <stdbool.h>

/* Reads of the launch's code. */
typedef struct report_fetches {
    haul_code_fetch fetch;
    bool assembled; /* the size of the code is ptxas's */
} report_fetches;

/* Adds the tables "shared", "l1tex", "l2" and "device"; rows and tables without traffic are left out. `code`: NULL for
 * the record's own estimate. */
void report_add_memory_tables(report_section *s, const haul_launch_record *record, const report_fetches *code);

/* Adds the tables "speed" and "warp_state": the estimate of time, shares of the machine's peaks, and warp states. Adds
 * nothing if the launch has no estimate. `measured`: the same launch on a GPU, shown in a row of its own, or NULL. */
void report_add_time(report_section *s, const haul_launch_record *record, const haul_launch_record *measured);

/* The warp states by their share, the largest first. */
void report_sort_stalls(const haul_estimate *estimate, haul_stall order[HAUL_STALL_COUNT]);

/* Adds a picture of the launch's traffic, for pages: see report_add_figure(). */
void report_add_memory_chart(report_section *s, const haul_launch_record *record);

/* Whether accesses of the class can hit in L1: stores, reductions, copies around L1 and bulk copies cannot. */
bool report_is_cached(haul_memory_class class);

/* Adds the table "instructions": executed instructions by mnemonic, the most frequent first, at most `most` rows. */
void report_add_instruction_mix(report_section *s, const haul_launch_record *record, size_t most);

/* Adds the table "occupancy": the limit that each resource sets on an SM. */
void report_add_occupancy(report_section *s, const haul_launch_record *record);

#endif
