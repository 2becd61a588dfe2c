/* Matching of the source lines of one launch. */
#ifndef HAUL_REPORT_DIFF_LINES_H
#define HAUL_REPORT_DIFF_LINES_H

#include "report/diff/diff.h"

/* Sets match[i] to the index of the line after that is line i before, or ALIGN_NONE. `scratch` has a jump point. */
void diff_match_lines(const report_diff *d, const report_snapshot_launch *before, const report_snapshot_launch *after,
                      size_t *match, arena *scratch);

#endif
