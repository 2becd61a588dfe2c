/* Launches as Nsight Compute's command line prints them with --csv, so that scripts made for `ncu --csv` read them. */
#ifndef HAUL_REPORT_NCU_NCU_H
#define HAUL_REPORT_NCU_NCU_H

#include "base/arena.h"
#include "base/text.h"
#include "machine/machine.h"
#include "report/source.h"

#include <haul/run.h>

/* Strings are those of the command line and may be NULL. Commas separate thousands if
 * LC_ALL, else LC_NUMERIC, else LANG names a locale other than C and POSIX. */
typedef struct report_ncu_options {
    const char *page;        /* "details" (default): a row for each metric; "raw": a row for each launch */
    const char *kernel_base; /* names of kernels: "demangled" (default), "function" or "mangled" */
    const char *metrics;     /* names separated by commas, or regex:EXPRESSION; NULL: all of the page */
    const char *program;     /* its path */
} report_ncu_options;

/* Facts about a launch that its record lacks. */
typedef struct report_ncu_launch {
    const haul_launch_record *record;
    const sim_machine *machine;
    report_sources *sources; /* for advice; may be NULL */
    unsigned device;         /* its number */
    uint64_t stream;         /* its number, 0 for the default stream */
} report_ncu_launch;

typedef struct report_ncu_table report_ncu_table;

/* Errors: HAUL_ERROR_ARGUMENT for an unknown page or basis of names, or a wrong expression. */
haul_status report_ncu_open(const report_ncu_options *options, report_ncu_table **table);
void report_ncu_close(report_ncu_table *table);

/* Appends the metrics that were asked for and that haul does not have, separated by commas. */
void report_ncu_put_missing(const report_ncu_table *table, text *out);

/* Appends the rows of a launch; before the first one the header. */
haul_status report_ncu_put(report_ncu_table *table, const report_ncu_launch *launch, text *out);

#endif
