/* Implements lib/launch/progress.h. Until the first block has ended there is no rate, so the operations show that the
 * kernel lives. */
#include "lib/launch/progress.h"

#include "base/mangled.h"
#include "base/number.h"

enum { NAME = 40 }; /* longest name that is shown */

double launch_share_done(const sim_progress *p) {
    return p->blocks ? (double)p->done / (double)p->blocks : 0;
}

void launch_put_progress(terminal_line *l, const sim_progress *p, double seconds, double since) {
    char done[32], all[32], rate[32], operations[32];
    size_t length;
    const char *name = mangled_name(p->kernel, &length);
    terminal_line_put(l, "%.*s: %s of %s blocks", length < NAME ? (int)length : NAME, name,
                      number_format_count(p->done, done), number_format_count(p->blocks, all));
    if (p->done && seconds > 0)
        terminal_line_put(l, ", %s/s", number_format_count((uint64_t)((double)p->done / seconds), rate));
    else
        terminal_line_put(l, ", %s warp instructions", number_format_count(p->operations, operations));
    terminal_line_put_left(l, launch_share_done(p), seconds, since);
}
