/* The profile of a launch: memory tables, occupancy, instruction mix, hot lines and advice. */
#ifndef HAUL_REPORT_PROFILE_PROFILE_H
#define HAUL_REPORT_PROFILE_PROFILE_H

#include "base/machine_code.h"
#include "report/document.h"
#include "report/profile/advice.h"

#include <haul/run.h>
#include <jansson.h>

typedef struct report_profile_options {
    size_t lines;                       /* source lines to show */
    size_t mix;                         /* rows of the instruction mix */
    double share;                       /* percent of the traffic from which on a line gets advice */
    report_sources *sources;            /* may be NULL */
    const haul_launch_record *measured; /* the same launch on hardware, or NULL: its times and counters go beside */
    const char *measured_on;            /* the hardware's name */
    bool outputs_differ;                /* from what the virtual GPU gave */
    const machine_kernel *machine;      /* the kernel's machine code, or NULL */
    const char *no_machine;             /* why there is none although there is a ptxas, or NULL */
    bool has_device;                    /* the program has several; the title names it */
    unsigned device;                    /* its number */
} report_profile_options;

/* Adds the launch's section. `name` tells it apart in the document. */
haul_status report_add_profile(report_document *d, const char *name, const haul_launch_record *record,
                               const report_profile_options *options);

/* The same as a JSON object; `*json` is the caller's. */
haul_status report_profile_json(const haul_launch_record *record, const report_profile_options *options, json_t **json);

/* Of the launch's grid; of these, those that were counted. */
uint64_t report_blocks(const haul_launch_record *record);
uint64_t report_counted_blocks(const haul_launch_record *record);

/* What the whole run's numbers are: device, stamp, version. */
void report_add_run_facts(report_document *d, const haul_run *run);

#endif
