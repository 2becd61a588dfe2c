/* haul replay: runs described launches and prints each line with its results.
 *
 * A printed line is the launch as read, with hashes, counters and time of this run: a file of them is a recording for
 * haul compare. haul also starts this command under ncu, for its own commands that need counters
 * (cli_session_read_counters()). Recording the launches of a program is the stand-in's. */
#include "base/status.h"
#include "cli/program.h"
#include "cli/publish.h"
#include "cli/session.h"
#include "report/json.h"

enum { READINGS = 2 }; /* two readings show which counters vary */

/* Prints `file` even if the launch did not name one: the stem of the file in which its kernel was found. */
static haul_status replay(cli_session *s, const cli_values *v, launch_description *launch, text *out) {
    const haul_launch_record *record;
    HAUL_TRY(cli_session_run(s, launch, &record));
    if (!v->once) HAUL_TRY(cli_session_time(s, v, launch));
    if (v->quiet) return HAUL_OK;
    if (!launch->file) launch->file = s->used->stem;
    HAUL_TRY(report_json_put(launch_to_json(launch, s->run->stamp, record), JSON_COMPACT, out));
    return cli_print(out);
}

static haul_status replay_all(cli_session *s, const cli_values *v, text *out) {
    HAUL_TRY(cli_session_open(s, v));
    if (v->counters && !v->once) HAUL_TRY(cli_session_read_counters(s, v, READINGS));
    for (size_t i = 0; i < s->launches.count; i++) HAUL_TRY(replay(s, v, &s->launches.items[i], out));
    return HAUL_OK;
}

int cli_run_replay(const cli_values *v) {
    if (v->program) return cli_become_program(v, STANDIN_RECORD);
    cli_session s;
    text out = {0};
    haul_status status = replay_all(&s, v, &out);
    cli_session_close(&s);
    text_free(&out);
    return status == HAUL_OK ? CLI_FINE : cli_fail("replay");
}
