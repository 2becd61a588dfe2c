/* The display of a running launch: one sink for the process, which a program sets before its launches. epochs.c decides
 * when to show the progress. */
#include "exec/progress.h"

#include <stddef.h>

static sim_progress_sink sink;

void sim_set_progress(sim_progress_sink wanted) {
    sink = wanted;
}

bool sim_progress_is_wanted(void) {
    return sink.show != NULL;
}

void sim_show_progress(const sim_progress *p) {
    if (sink.show) sink.show(sink.context, p);
}
