/* Prefetching for the replay of scattered lanes. */
#ifndef HAUL_CHECK_GLOBAL_FETCH_H
#define HAUL_CHECK_GLOBAL_FETCH_H

#include "check/global_shadow.h"

enum { SIM_FETCH_LANES = 128 };

/* Looks at the share's items from `first` on, whose addresses begin at `addresses`, until their scattered lanes are
 * SIM_FETCH_LANES, and prefetches what is known of their lines. `pages`: gets the page of each of these lanes, NULL if
 * there is none yet. Returns the first item that was left out. */
size_t sim_fetch_lines(const sim_slice *s, const sim_access_log *log, const sim_log_share *share, size_t first,
                       const uint64_t *addresses, sim_page *pages[SIM_FETCH_LANES]);

#endif
