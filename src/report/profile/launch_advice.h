/* Advice on a launch as a whole: its grid, and the bytes that it keeps in flight. */
#ifndef HAUL_REPORT_PROFILE_LAUNCH_ADVICE_H
#define HAUL_REPORT_PROFILE_LAUNCH_ADVICE_H

#include "report/profile/advice.h"

enum { REPORT_LAUNCH_ADVICE = 1 }; /* the most that one launch gets */

/* Appends the advice, if there is any; `advice` has room. */
haul_status report_advise_launch(const report_hotspots *lines, arena *memory, report_advice *advice, size_t *count);

/* The kinds, from index 0 on; NULL after the last. */
const char *report_launch_advice_kind(size_t index);

#endif
