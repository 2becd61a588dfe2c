/* What an experiment of the lab is: it launches kernels on the lab's device and fills a section of the report. */
#ifndef HAUL_CLI_LAB_EXPERIMENT_H
#define HAUL_CLI_LAB_EXPERIMENT_H

#include "lib/ncu/ncu.h"
#include "report/document.h"

#include <haul/haul.h>

/* What an experiment gets to work with. */
typedef struct lab {
    haul_device *device; /* where the experiments' numbers come from */
    haul_device *real;   /* the GPU whose times and counters go beside, or NULL */
    ncu_report counters; /* of what is launched there, in order; empty when they could not be read */
    size_t launched;     /* there so far */
    bool once;       /* for a profiler: each launch happens once, and what is there for its time alone is left out */
    unsigned rounds; /* that each launch there is timed; 0: as many as usual */
    report_document *document;
} lab;

typedef struct lab_workbench lab_workbench; /* cli/lab/workbench.h: an experiment's own */

typedef struct lab_experiment {
    const char *name;  /* as on the command line: "strides" */
    const char *title; /* "Strides: how many sectors a warp asks for" */
    const char *text;  /* two sentences: what to look at */
    haul_status (*run)(lab_workbench *b);
} lab_experiment;

/* In the order of the report; defined in src/cli/lab/experiments.c. */
extern const lab_experiment lab_experiments[];
extern const size_t lab_experiment_count;

#endif
