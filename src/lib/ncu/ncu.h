/* Hardware counters, read by Nsight Compute's command line (ncu). It runs a command that launches kernels; its counters
 * are matched with the launches by order, kernel and shape. */
#ifndef HAUL_LIB_NCU_NCU_H
#define HAUL_LIB_NCU_NCU_H

#include "base/arena.h"
#include "base/text.h"

#include <haul/run.h>

/* A launch as ncu saw it. Counters are those of the first reading, with the lowest and the highest of all; negative =
 * not read. */
typedef struct ncu_launch {
    const char *kernel; /* symbol */
    uint32_t grid[3], block[3];
    double counters[HAUL_COUNTER_COUNT];
    haul_bounds bounds[HAUL_COUNTER_COUNT];
    haul_occupancy occupancy; /* without carve-out and L1 */
} ncu_launch;

/* Launches in the order in which they ran. All-zero is a valid empty report. */
typedef struct ncu_report {
    arena memory;
    ncu_launch *launches;
    size_t count, capacity;
    size_t readings; /* number of readings of each */
} ncu_report;

void ncu_report_free(ncu_report *report);

typedef struct ncu_options {
    unsigned readings; /* how often the command runs; 0: once */
    unsigned seconds;  /* time limit of one run; 0: NCU_SECONDS */
} ncu_options;
enum { NCU_SECONDS = 600 };

/* Finds ncu: named by HAUL_NCU, else in PATH, else in the CUDA toolkit. Errors: HAUL_ERROR_NOT_FOUND; the message says
 * how to get it. */
haul_status ncu_find(text *path);
/* Appends one line about ncu, "2025.3.1.0 /usr/local/cuda/bin/ncu". Errors: those of ncu_find(). */
haul_status ncu_describe(text *line);

/* Runs the command (a path and arguments, up to NULL) under ncu and reads all counters of counters.def that the GPU
 * has. Caches are flushed before each pass; clocks do not change. Errors: those of ncu_find(); HAUL_ERROR_DRIVER (no
 * permission to read counters, with what to set; or ncu failed, with its message); HAUL_ERROR_FAULT (a kernel failed);
 * HAUL_ERROR_TIMEOUT; HAUL_ERROR_SYNTAX (its output cannot be read, or the readings differ). */
haul_status ncu_read(const char *const *command, const ncu_options *options, ncu_report *report);

/* Parses the output of ncu --csv --page raw, messages and table. The first call makes the report's launches; each
 * further one adds a reading of the same launches. Errors: HAUL_ERROR_SYNTAX. */
haul_status ncu_read_csv(ncu_report *report, const char *csv, size_t length);

/* Copies the counters of launch `index` into the record of the same launch: values, their range as bounds, and
 * occupancy. Errors: HAUL_ERROR_SYNTAX if kernel or shape differ, or there is no such launch. */
haul_status ncu_fill(const ncu_report *report, size_t index, haul_launch_record *record);

#endif
