/* Metrics of a launch under Nsight Compute's names. */
#ifndef HAUL_REPORT_NCU_METRICS_H
#define HAUL_REPORT_NCU_METRICS_H

#include "machine/machine.h"

#include <haul/run.h>
#include <stdbool.h>

/* Sections of the details page, in its order: SECTION(id, title). */
#define REPORT_NCU_SECTIONS(SECTION)                \
    SECTION(SPEED, "GPU Speed Of Light Throughput") \
    SECTION(COMPUTE, "Compute Workload Analysis")   \
    SECTION(MEMORY, "Memory Workload Analysis")     \
    SECTION(SCHEDULER, "Scheduler Statistics")      \
    SECTION(WARP, "Warp State Statistics")          \
    SECTION(INSTRUCTIONS, "Instruction Statistics") \
    SECTION(LAUNCH, "Launch Statistics")            \
    SECTION(OCCUPANCY, "Occupancy")                 \
    SECTION(SPREAD, "GPU and Memory Workload Distribution")

typedef enum report_ncu_section {
    REPORT_NCU_NONE, /* on no section of the details page */
#define SECTION(id, title) REPORT_NCU_##id,
    REPORT_NCU_SECTIONS(SECTION)
#undef SECTION
        REPORT_NCU_SECTION_COUNT
} report_ncu_section;
extern const char *const report_ncu_section_titles[REPORT_NCU_SECTION_COUNT];

typedef struct report_ncu_metric {
    const char *name, *unit; /* Nsight Compute's; base units (but see report_ncu_unit()) */
    const char *label;       /* on the details page; NULL if it is not there */
    report_ncu_section section;
} report_ncu_metric;

/* metrics.def, then the counters, then the warps' states. */
extern const report_ncu_metric report_ncu_metrics[];
extern const size_t report_ncu_metric_count;

/* Computes all metrics of a launch. `values` has room for each; one that is not known is NAN. */
void report_ncu_compute(const haul_launch_record *record, const sim_machine *machine, double *values);

/* The unit as Nsight Compute prints it. */
const char *report_ncu_unit(const report_ncu_metric *metric);

/* Whether each launch and device has it; the raw page shows it beside the metrics that were asked for. */
bool report_ncu_is_attribute(const report_ncu_metric *metric);

#endif
