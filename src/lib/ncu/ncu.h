/* Hardware counters, read by Nsight Compute's command line (ncu): it runs a command that launches kernels, and what it
 * counted of each launch is matched with the launch by order, kernel and shape. */
#ifndef HAUL_LIB_NCU_NCU_H
#define HAUL_LIB_NCU_NCU_H

#include "base/arena.h"
#include "base/text.h"

#include <haul/run.h>

/* A launch as ncu saw it. Counters are of the first reading, with the lowest and the highest of all; negative = not
 * read. */
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
    size_t readings; /* how often each was read */
} ncu_report;

void ncu_report_free(ncu_report *report);

typedef struct ncu_options {
    unsigned readings; /* how often the command runs; 0 means once */
    unsigned seconds;  /* that one run may take; 0 = NCU_SECONDS */
} ncu_options;
enum { NCU_SECONDS = 600 };

/* The path of ncu: what HAUL_NCU names, else the one in PATH, else the CUDA toolkit's. Errors: HAUL_ERROR_NOT_FOUND
 * with how to get it. */
haul_status ncu_find(text *path);
/* One line about it, "2025.3.1.0 /usr/local/cuda/bin/ncu", appended to `line`. Errors: those of ncu_find(). */
haul_status ncu_describe(text *line);

/* Runs the command (a path and arguments, up to NULL) under ncu and reads all counters of counters.def that the GPU
 * has. Caches are flushed before each pass, clocks are left as they are. Errors: those of ncu_find(); HAUL_ERROR_DRIVER
 * (counters are not permitted, with what to set; ncu failed, with its words); HAUL_ERROR_FAULT (a kernel failed);
 * HAUL_ERROR_TIMEOUT; HAUL_ERROR_SYNTAX (what it printed cannot be read; the readings differ). */
haul_status ncu_read(const char *const *command, const ncu_options *options, ncu_report *report);

/* What a report is made from: the text that ncu --csv --page raw prints, messages and table. The first makes the
 * report's launches, each further one is another reading of the same. Errors: HAUL_ERROR_SYNTAX. */
haul_status ncu_read_csv(ncu_report *report, const char *csv, size_t length);

/* Puts what was counted of launch `index` into the record of the same launch: counters, their range as bounds, and
 * occupancy. Errors: HAUL_ERROR_SYNTAX when it is of another kernel or shape, or there is no such launch. */
haul_status ncu_fill(const ncu_report *report, size_t index, haul_launch_record *record);

#endif
