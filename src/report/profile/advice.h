/* Advice on a source line's wasted traffic: how much of it is wasted, the ideal, and the likely cure. */
#ifndef HAUL_REPORT_PROFILE_ADVICE_H
#define HAUL_REPORT_PROFILE_ADVICE_H

#include "report/profile/launch_advice.h"

/* Advice for lines that have at least `share` percent of the launch's traffic, in the lines' order, then advice on the
 * launch if the lines have a machine. Lives in `memory`. */
haul_status report_advise(const report_hotspots *lines, double share, arena *memory, report_advice **advice,
                          size_t *count);

/* The kinds of advice, from index 0 on; NULL after the last. */
const char *report_advice_kind(size_t index);

#endif
