/* The parts of `haul tune`: problems from the table of shipped kernels or from options; results as a report, and as a
 * header. */
#ifndef HAUL_CLI_TUNE_TUNE_H
#define HAUL_CLI_TUNE_TUNE_H

#include "cli/options.h"
#include "lib/tune/tune.h"
#include "report/document.h"

typedef struct kernels_tunable kernels_tunable; /* kernels/tunables.h */

enum { TUNE_MOST_ARGUMENTS = 24, TUNE_MOST_REQUIREMENTS = 24 };

/* A problem and the memory that it points to. Free it with tune_case_free(). */
typedef struct tune_case {
    tune_problem problem;
    arena memory;
    const char *arguments[TUNE_MOST_ARGUMENTS];
    const char *requirements[TUNE_MOST_REQUIREMENTS];
} tune_case;

/* The problem of a shipped kernel. */
haul_status tune_case_shipped(tune_case *c, const kernels_tunable *kernel, const cli_values *v, haul_device *device);
/* The problem that the options describe, for a .cu file. */
haul_status tune_case_own(tune_case *c, const char *path, const cli_values *v);
void tune_case_free(tune_case *c);

/* One section: the best variant, the table, a chart. `chart` may be NULL. */
void tune_report(report_document *d, const tune_problem *p, const tune_result *r, bool all, report_chart **chart);

/* Starts a header with date, device and command; the best values follow, problem by problem. */
void tune_start_header(text *out, const haul_device *device, int argc, char **argv);
void tune_put_header(text *out, const tune_problem *p, const tune_result *r);

#endif
