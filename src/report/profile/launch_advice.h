/* Advice on a launch as a whole: its grid, and the bytes that it keeps in flight. */
#ifndef HAUL_REPORT_PROFILE_LAUNCH_ADVICE_H
#define HAUL_REPORT_PROFILE_LAUNCH_ADVICE_H

#include "report/profile/hotspots.h"

/* A piece of advice, on a line or on the launch. */
typedef struct report_advice {
    const char *kind;           /* "misaligned", ...: see advice.c */
    const report_hotspot *line; /* of advice on the whole launch: the one with the most traffic */
    bool of_launch;
    double wasted;    /* bytes through L1 or shared memory wasted, of line->moved */
    const char *text; /* one sentence, without the place */
} report_advice;

enum { REPORT_LAUNCH_ADVICE = 1 }; /* the most that one launch gets */

/* Appends the advice, if there is any; `advice` has room. */
haul_status report_advise_launch(const report_hotspots *lines, arena *memory, report_advice *advice, size_t *count);

/* The kinds, from index 0 on; NULL after the last. */
const char *report_launch_advice_kind(size_t index);

#endif
