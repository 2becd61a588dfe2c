/* The profile of a launch: memory tables, occupancy, instruction mix, hot lines and advice. */
#ifndef HAUL_REPORT_PROFILE_PROFILE_H
#define HAUL_REPORT_PROFILE_PROFILE_H

#include "base/machine_code.h"
#include "report/document.h"
#include "report/profile/advice.h"

#include <haul/run.h>
#include <jansson.h>

/* Percent of the traffic below which lines get no advice. */
enum { REPORT_ADVICE_SHARE = 1 };

typedef struct report_profile_options {
    size_t lines;                       /* source lines to show */
    size_t mix;                         /* rows of the instruction mix */
    double share;                       /* lowest percentage of the traffic at which a line gets advice */
    report_sources *sources;            /* may be NULL */
    const haul_launch_record *measured; /* the same launch on hardware, shown beside, or NULL */
    const char *measured_on;            /* the hardware's name */
    const haul_bounds *orders;          /* of each counter over several orders of blocks, or NULL */
    size_t order_count;                 /* how many there were; 1: the kernel cannot depend on the order */
    bool outputs_differ;                /* outputs differ from the virtual GPU's */
    const char *simulated;              /* the virtual GPU: "h100"; or NULL */
    const machine_kernel *machine;      /* the kernel's machine code, or NULL */
    const char *no_machine;             /* why there is none, although there is a ptxas, or NULL */
    bool has_device;                    /* the program has several devices; the title names this one */
    unsigned device;                    /* the device's number */
} report_profile_options;

/* Adds the launch's section. `name` identifies it in the document. */
haul_status report_add_profile(report_document *d, const char *name, const haul_launch_record *record,
                               const report_profile_options *options);

/* The same as a JSON object; the caller owns `*json`. */
haul_status report_profile_json(const haul_launch_record *record, const report_profile_options *options, json_t **json);

/* Blocks of the launch's grid; of these, the counted ones. */
uint64_t report_blocks(const haul_launch_record *record);
uint64_t report_counted_blocks(const haul_launch_record *record);

/* Adds facts on the whole run's numbers: device, stamp, version. */
void report_add_run_facts(report_document *d, const haul_run *run);

#endif
