/* Matching of the source lines of one launch. */
#ifndef HAUL_REPORT_DIFF_LINES_H
#define HAUL_REPORT_DIFF_LINES_H

#include "report/diff/snapshot.h"

/* A launch, and the snapshot that has its files. */
typedef struct diff_side {
    const report_snapshot *snapshot;
    const report_snapshot_launch *launch;
} diff_side;

/* Sets match[i] to the index of the line after that is line i before, or ALIGN_NONE. `scratch` has a jump point. */
void diff_match_lines(diff_side before, diff_side after, size_t *match, arena *scratch);

#endif
