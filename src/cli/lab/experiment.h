/* The interface of a lab experiment: it launches kernels on the lab's device and fills a section of the report. */
#ifndef HAUL_CLI_LAB_EXPERIMENT_H
#define HAUL_CLI_LAB_EXPERIMENT_H

#include "lib/ncu/ncu.h"
#include "report/document.h"

#include <haul/haul.h>

/* The context of an experiment. */
typedef struct lab {
    haul_device *device; /* source of the experiments' numbers */
    haul_device *real;   /* the GPU whose times and counters are shown beside, or NULL */
    ncu_report counters; /* of the launches there, in order; empty if they could not be read */
    size_t launched;     /* launches there so far */
    bool once;           /* for a profiler: each launch happens once, and launches only for timing are left out */
    unsigned rounds;     /* timed rounds of each launch there; 0: the default */
    report_document *document;
} lab;

typedef struct lab_workbench lab_workbench; /* cli/lab/workbench.h: one for each experiment */

typedef struct lab_experiment {
    const char *name;  /* as on the command line: "strides" */
    const char *title; /* "Strides: how many sectors a warp requests" */
    const char *text;  /* what to look at */
    haul_status (*run)(lab_workbench *b);
} lab_experiment;

/* In the order of the report; defined in src/cli/lab/experiments.c. */
extern const lab_experiment lab_experiments[];
extern const size_t lab_experiment_count;

#endif
