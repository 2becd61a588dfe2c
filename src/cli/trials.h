/* haul check under several schedules: --schedules compares their results, --witness looks for one in which an error
 * changes the result. */
#ifndef HAUL_CLI_TRIALS_H
#define HAUL_CLI_TRIALS_H

#include "cli/session.h"
#include "lib/launch/trials.h"
#include "report/check/check.h"

typedef struct cli_trial {
    const char *schedule; /* its name */
    launch_trial run;
    bool is_inconclusive;  /* it reached the limit of operations */
    bool has_own_findings; /* lanes that run apart, or dirty memory, may cause findings that hardware has no defect for
                            */
    bool differs;          /* from the first one */
    report_difference difference;
} cli_trial;

typedef struct cli_trials {
    arena memory;
    cli_session *session;
    const cli_values *values;
    launch_trials launches;
    cli_trial *items; /* the usual schedule first */
    size_t count, capacity;
    size_t compared; /* of them, for --schedules */
    /* The outcome, valid until cli_trials_end(). The record is the first run's, with the findings of all. */
    haul_launch_record record;
    report_witness *witnesses; /* NULL: not asked for */
    bool differs;
} cli_trials;

/* Runs the launch under the usual schedule. `t` must be all zeros; call cli_trials_end() also after an error. Errors:
 * those of cli_session_run(). A kernel that fails is an error only if it has no record. */
haul_status cli_trials_begin(cli_trials *t, cli_session *s, const cli_values *values, launch_description *launch);
/* Runs it under others, as the options ask, and fills in the outcome. */
haul_status cli_trials_compare(cli_trials *t);
/* Leaves the device as the first run did. */
haul_status cli_trials_end(cli_trials *t);

#endif
