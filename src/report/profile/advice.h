/* What is wasteful about a line's traffic, how much of it, what would be ideal, and the likely cure. */
#ifndef HAUL_REPORT_PROFILE_ADVICE_H
#define HAUL_REPORT_PROFILE_ADVICE_H

#include "report/profile/hotspots.h"

typedef struct report_advice {
    const char *kind; /* "misaligned", ...: see advice.c */
    const report_hotspot *line;
    double wasted;    /* bytes through L1 or shared memory that need not be, of line->moved */
    const char *text; /* one sentence, without the place */
} report_advice;

/* Advice for lines that have at least `share` percent of the launch's traffic, in the lines' order. Lives in
 * `memory`. */
haul_status report_advise(const report_hotspots *lines, double share, arena *memory, report_advice **advice,
                          size_t *count);

/* The kinds that there are, from 0 on; NULL behind the last. */
const char *report_advice_kind(size_t index);

#endif
