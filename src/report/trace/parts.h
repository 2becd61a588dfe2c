/* The parts of a kernel: code between barriers and waits for copies, and these, each with its share of a block's time.
 */
#ifndef HAUL_REPORT_TRACE_PARTS_H
#define HAUL_REPORT_TRACE_PARTS_H

#include "base/arena.h"

#include <haul/run.h>

typedef struct report_part {
    const char *name; /* "lines 12 to 16", "barrier, line 17", "wait for copies, line 18" */
    double share;     /* of the block's time; all shares add up to 1 */
} report_part;

/* Finds the parts, in the order of the code; those that were not executed are left out. The states of the launch's
 * warps are distributed over the instructions that cause them. The result lives in `memory`, which has a jump point. */
const report_part *report_find_parts(const haul_launch_record *record, arena *memory, size_t *count);

#endif
