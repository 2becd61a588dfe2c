/* The progress of a launch, as text. */
#ifndef HAUL_LIB_LAUNCH_PROGRESS_H
#define HAUL_LIB_LAUNCH_PROGRESS_H

#include "base/terminal_line.h"
#include "exec/progress.h"

/* The share of its blocks that have ended. */
double launch_share_done(const sim_progress *progress);

/* Writes "saxpy: 1,024 of 65,536 blocks, 310/s, 12 s left". The launch began `seconds` ago, as of `since` seconds
 * ago. */
void launch_put_progress(terminal_line *line, const sim_progress *progress, double seconds, double since);

#endif
