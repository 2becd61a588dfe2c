/* haul check: reports misuse of memory and synchronisation by kernels, and expectations that do not hold.
 *
 * The virtual GPU finds the misuse (src/check) and leaves findings in the launch's record. src/report/check evaluates
 * the record: it applies suppressions and comments in the source, checks expectations, and makes text, JSON, SARIF and
 * JUnit of the verdict. This file decides what is run: each launch once, or, with --schedules or --witness, several
 * times (cli/trials.h). A kernel that fails is what the command is for, so its failure becomes a finding and the next
 * launch follows; only errors that keep a launch from running end the command. A program behind `--` is checked by the
 * stand-in. */
#include "base/file.h"
#include "base/status.h"
#include "cli/program.h"
#include "cli/publish.h"
#include "cli/session.h"
#include "cli/sources.h"
#include "cli/trials.h"
#include "lib/device.h"
#include "report/check/check.h"
#include "report/json.h"

#include <string.h>
#include <unistd.h>

typedef struct checking {
    const cli_values *values;
    cli_sources sources; /* for quoting lines, and for rules in comments */
    report_checker checker;
    report_sarif sarif; /* used if --sarif is given */
    report_junit junit; /* likewise, --junit */
    text out;           /* output that waits to be printed */
} checking;

/* ---- options ---- */

/* Sets the device's name. Only the virtual GPU sees what threads do to each other, so `auto` means it, and a GPU is
 * refused. */
static haul_status choose_device(const cli_values *v, const char **name) {
    *name = v->device && strcmp(v->device, "auto") != 0 ? v->device : "sim";
    if (strncmp(*name, "gpu", 3) != 0) return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT, "--device %s: kernels are checked on the virtual GPU: give a sim:MACHINE",
                     *name);
}

/* Rules are read first: that is cheap, and errors in them should show before anything is compiled. */
static haul_status open_checking(checking *c, cli_session *s) {
    const cli_values *v = c->values;
    const report_check_options rules = {v->expect, v->suppress, v->ignore, v->grade};
    haul_device_options options = cli_device_options(v);
    const char *device;
    if (v->schedule) HAUL_TRY(device_read_schedule(v->schedule, &options));
    HAUL_TRY(choose_device(v, &device));
    HAUL_TRY(report_checker_open(&c->checker, &c->sources.files, &rules));
    options.check = true;
    options.strict = v->strict;
    HAUL_TRY(cli_session_open_on(s, v, device, &options));
    HAUL_TRY(cli_sources_open(&c->sources, v, s));
    if (v->sarif) HAUL_TRY(file_check_output(v->sarif));
    if (v->junit) HAUL_TRY(file_check_output(v->junit));
    return v->sarif ? report_sarif_init(&c->sarif, &c->sources.files) : HAUL_OK;
}

/* ---- launches that never began or have no description ---- */

/* Whether a launch failed by the kernel's own doing, which is a finding. Other errors keep the kernel from running at
 * all. */
static bool is_kernels_fault(haul_status status) {
    switch (status) {
    case HAUL_ERROR_LIMIT:
    case HAUL_ERROR_FAULT:
    case HAUL_ERROR_TRAP:
    case HAUL_ERROR_TIMEOUT:
    case HAUL_ERROR_DEADLOCK: return true;
    default: return false;
    }
}

/* A launch that reaches the limit of operations counts as a deadlock: it is endless, as far as can be seen. */
static haul_finding_kind kind_of(haul_status status) {
    switch (status) {
    case HAUL_ERROR_LIMIT: return HAUL_FINDING_LAUNCH_LIMIT;
    case HAUL_ERROR_TRAP: return HAUL_FINDING_TRAP;
    case HAUL_ERROR_TIMEOUT:
    case HAUL_ERROR_DEADLOCK: return HAUL_FINDING_DEADLOCK;
    default: return HAUL_FINDING_ILLEGAL_ACCESS;
    }
}

/* Makes a record with one finding of a launch that failed without findings of its own, or before it began. The text is
 * the error's message, which has details that the record lacks. `message` and `finding` must live as long as the
 * record. */
static void describe_failure(const launch_description *d, haul_status status, char message[1024], haul_finding *finding,
                             haul_launch_record *record) {
    strncpy(message, haul_message(), 1023);
    message[1023] = '\0';
    *finding = (haul_finding){.kind = kind_of(status), .what = message};
    finding->grade = haul_finding_kinds[finding->kind].grade;
    if (!record->kernel) *record = (haul_launch_record){.kernel = d->kernel, .estimate_us = -1, .measured_us = -1};
    record->ended_by = status;
    record->checked = true;
    record->findings = finding;
    record->finding_count = 1;
}

/* ---- one launch ---- */

/* SARIF and JUnit are collected also with --quiet: they are files that were asked for. */
static haul_status print_verdict(checking *c, const report_verdict *v) {
    if (c->values->sarif) HAUL_TRY(report_sarif_add(&c->sarif, v));
    if (c->values->junit) HAUL_TRY(report_junit_add(&c->junit, v));
    if (c->values->quiet) return HAUL_OK;
    if (c->values->json) {
        json_t *line = NULL;
        HAUL_TRY(report_check_json(v, &line));
        HAUL_TRY(report_json_put(line, JSON_COMPACT, &c->out));
    } else {
        HAUL_TRY(report_put_check_text(v, &c->sources.files, report_terminal_of(STDOUT_FILENO), &c->out));
    }
    return cli_print(&c->out);
}

/* Evaluates a launch and adds it to the totals, which decide the exit status. */
static haul_status judge_launch(checking *c, const report_checked_launch *launch) {
    report_verdict verdict;
    haul_status status = report_check_launch(&c->checker, launch, &verdict);
    if (status == HAUL_OK) status = print_verdict(c, &verdict);
    report_verdict_free(&verdict);
    return status;
}

static haul_status judge(checking *c, cli_session *s, const launch_description *d, const haul_launch_record *record) {
    const report_checked_launch launch = {.id = d->id, .record = record, .module = s->used->path};
    return judge_launch(c, &launch);
}

/* Judges a launch that has run, or has failed with `status`. */
static haul_status judge_run(checking *c, cli_session *s, const launch_description *d, haul_status status,
                             const haul_launch_record *record) {
    if (status == HAUL_OK) return judge(c, s, d, record);
    if (!is_kernels_fault(status)) return status;
    if (record && record->checked && record->finding_count) return judge(c, s, d, record);
    char message[1024];
    haul_finding finding;
    haul_launch_record described = record ? *record : (haul_launch_record){0};
    describe_failure(d, status, message, &finding, &described);
    return judge(c, s, d, &described);
}

static haul_status check_once(checking *c, cli_session *s, launch_description *d) {
    const haul_launch_record *record;
    const haul_status status = cli_session_run(s, d, &record);
    return judge_run(c, s, d, status, record);
}

/* Runs the launch several times; one that cannot begin has nothing to compare. */
static haul_status check_by_trials(checking *c, cli_session *s, launch_description *d) {
    cli_trials trials = {0};
    haul_status status = cli_trials_begin(&trials, s, c->values, d);
    if (status == HAUL_OK && !is_kernels_fault(trials.items[0].run.status)) status = trials.items[0].run.status;
    if (status == HAUL_OK) status = cli_trials_compare(&trials);
    if (status == HAUL_OK) {
        const report_checked_launch launch = {.id = d->id,
                                              .record = &trials.record,
                                              .module = s->used->path,
                                              .witnesses = trials.witnesses,
                                              .schedules = c->values->schedules ? trials.compared : 0,
                                              .differs = trials.differs};
        status = judge_launch(c, &launch);
    } else if (is_kernels_fault(status)) {
        status = judge_run(c, s, d, status, NULL);
    }
    const haul_status ended = cli_trials_end(&trials);
    return status == HAUL_OK ? ended : status;
}

static haul_status check(checking *c, cli_session *s, launch_description *d) {
    const bool several = c->values->witness || c->values->schedules;
    return several ? check_by_trials(c, s, d) : check_once(c, s, d);
}

/* ---- all of them ---- */

static haul_status write_file(checking *c, const char *path) {
    haul_status status = file_write(path, &c->out);
    text_clear(&c->out);
    return status;
}

/* After all launches: the files, and the line of totals. */
static haul_status write_reports(checking *c) {
    const cli_values *v = c->values;
    if (v->sarif) {
        HAUL_TRY(report_sarif_write(&c->sarif, &c->out));
        HAUL_TRY(write_file(c, v->sarif));
    }
    if (v->junit) {
        HAUL_TRY(report_junit_write(&c->junit, &c->out));
        HAUL_TRY(write_file(c, v->junit));
    }
    if (v->quiet || v->json) return HAUL_OK;
    HAUL_TRY(report_put_check_totals(&c->checker, &c->out));
    return cli_print(&c->out);
}

/* The last launch of the kernel with this name. */
static const launch_description *last_launch_of(const cli_session *s, const char *kernel) {
    const launch_description *last = &s->launches.items[0];
    for (size_t i = 0; i < s->launches.count; i++)
        if (strcmp(s->launches.items[i].kernel, kernel) == 0) last = &s->launches.items[i];
    return last;
}

/* Blocks left on the heap, after the last launch that could free them. */
static haul_status check_leaks(checking *c, cli_session *s) {
    haul_run *run;
    HAUL_TRY(haul_run_create(s->device, &run));
    haul_status status = haul_device_leaks(s->device, run);
    for (size_t i = 0; i < run->launch_count && status == HAUL_OK; i++)
        status = judge(c, s, last_launch_of(s, run->launches[i].kernel), &run->launches[i]);
    haul_run_free(run);
    return status;
}

/* Leaks come last: the heap lives on from launch to launch. */
static haul_status check_all(checking *c, cli_session *s) {
    HAUL_TRY(open_checking(c, s));
    for (size_t i = 0; i < s->launches.count; i++) HAUL_TRY(check(c, s, &s->launches.items[i]));
    HAUL_TRY(check_leaks(c, s));
    return write_reports(c);
}

/* A program's launches depend on what it did before, so only recorded ones can be repeated. Its blocks are all checked,
 * and its counters are in no report. */
static haul_status refuse_for_programs(const cli_values *v) {
    if (v->sample)
        return haul_fail(HAUL_ERROR_ARGUMENT,
                         "option --sample is for launches of a file: a program's blocks are all checked");
    if (!v->witness && !v->schedules) return HAUL_OK;
    return haul_fail(
        HAUL_ERROR_ARGUMENT,
        "%s repeats launches, and cannot repeat a program's: record them with `haul replay --record FILE.jsonl -- "
        "PROGRAM`, then check FILE.jsonl",
        v->witness ? "--witness" : "--schedules");
}

/* Becomes the program and does not return, unless it cannot be started. */
static int check_program(const cli_values *v) {
    return refuse_for_programs(v) == HAUL_OK ? cli_become_program(v, STANDIN_CHECK) : cli_fail("check");
}

int cli_run_check(const cli_values *v) {
    if (v->program) return check_program(v);
    checking c = {.values = v};
    cli_session s = {0};
    haul_status status = check_all(&c, &s);
    bool failed = c.checker.totals.failing > 0;
    cli_session_close(&s);
    report_checker_free(&c.checker);
    report_sarif_free(&c.sarif);
    report_junit_free(&c.junit);
    cli_sources_close(&c.sources);
    text_free(&c.out);
    if (status != HAUL_OK) return cli_fail("check");
    return failed ? CLI_FINDINGS : CLI_FINE;
}
