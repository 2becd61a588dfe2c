/* haul replay: runs described launches and prints each line back with what came out. */
#include "base/status.h"
#include "cli/session.h"
#include "report/json.h"

enum { READINGS = 2 }; /* so that counters that move can be told from those that do not */

static haul_status replay(cli_session *s, launch_description *launch, bool quiet, text *out) {
    const haul_launch_record *record;
    HAUL_TRY(cli_session_run(s, launch, &record));
    if (quiet) return HAUL_OK;
    HAUL_TRY(report_json_put(launch_to_json(launch, s->run->stamp, record), JSON_COMPACT, out));
    return cli_print(out);
}

int cli_run_replay(const cli_values *v) {
    cli_session s;
    text out = {0};
    haul_status status = cli_session_open(&s, v);
    if (status == HAUL_OK && v->counters && !v->once) status = cli_session_read_counters(&s, v, READINGS);
    for (size_t i = 0; status == HAUL_OK && i < s.launches.count; i++)
        status = replay(&s, &s.launches.items[i], v->quiet, &out);
    cli_session_close(&s);
    text_free(&out);
    return status == HAUL_OK ? CLI_FINE : cli_fail("replay");
}
