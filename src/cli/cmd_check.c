/* haul check: reports misuse of memory and synchronisation by kernels, and expectations that do not hold.
 *
 * The virtual GPU finds the misuse (src/check) and leaves findings in the launch's record. src/report/check evaluates
 * the record: it applies suppressions and comments in the source, checks expectations, and makes text, JSON, SARIF and
 * JUnit of the verdict. This file decides what is run: each launch once, or, with --schedules or --witness, several
 * times (cli/trials.h). A kernel that fails is what the command is for, so its failure becomes a finding and the next
 * launch follows. A launch that cannot run at all is named in a line on standard error and in every report, and the
 * exit status is 2 then. A program behind `--` is checked by the stand-in. Ranks of an MPI program share the launches
 * (cli/shared.h): rank 0 judges their outcomes. */
#include "base/file.h"
#include "base/status.h"
#include "cli/program.h"
#include "cli/publish.h"
#include "cli/ranks.h"
#include "cli/shared.h"
#include "cli/sources.h"
#include "cli/trials.h"
#include "lib/device.h"
#include "lib/launch/pack.h"
#include "report/check/check.h"
#include "report/json.h"
#include "vgpu/driver.h"

#include <string.h>
#include <unistd.h>

typedef struct checking {
    const cli_values *values;
    cli_sources sources; /* for quoting lines, and for rules in comments */
    report_checker checker;
    report_sarif sarif; /* used if --sarif is given */
    report_junit junit; /* likewise, --junit */
    text out;           /* output that waits to be printed */
    cli_session *session;
    size_t left_out; /* launches that could not run */
    uint64_t place;  /* in the device's memory, where launches begin that depend on no other */
    cli_shared shared;
} checking;

/* The outcome of a launch. */
typedef struct outcome {
    haul_status status;               /* with haul_message() */
    const haul_launch_record *record; /* NULL: none */
    const report_witness *witnesses;  /* of trials, for each finding; NULL: nobody has looked */
    size_t schedules;
    bool differs;
} outcome;

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
    haul_device_options options = cli_shared_options(c->shared.ranks, v);
    const char *device;
    if (v->schedule) HAUL_TRY(device_read_schedule(v->schedule, &options));
    char own[256];
    HAUL_TRY(choose_device(v, &device));
    HAUL_TRY(cli_shared_device(c->shared.ranks, device, own));
    HAUL_TRY(report_checker_open(&c->checker, &c->sources.files, &rules));
    options.check = true;
    options.strict = v->strict;
    HAUL_TRY(cli_session_open_on(s, v, own, &options));
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

/* Takes the line over. */
static haul_status print_json(checking *c, json_t *line) {
    HAUL_TRY(report_json_put(line, JSON_COMPACT, &c->out));
    return cli_print(&c->out);
}

/* SARIF and JUnit are collected also with --quiet: they are files that were asked for. */
static haul_status print_verdict(checking *c, const report_verdict *v) {
    if (c->values->sarif) HAUL_TRY(report_sarif_add(&c->sarif, v));
    if (c->values->junit) HAUL_TRY(report_junit_add(&c->junit, v));
    if (c->values->quiet) return HAUL_OK;
    if (c->values->json) {
        json_t *line = NULL;
        HAUL_TRY(report_check_json(v, &line));
        return print_json(c, line);
    }
    HAUL_TRY(report_put_check_text(v, &c->sources.files, report_terminal_of(STDOUT_FILENO), &c->out));
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

/* A launch that cannot run is named in a line on standard error and in the reports, and the others go on. The thread's
 * message is its. */
static haul_status leave_out(checking *c, const launch_description *d) {
    char reason[1024];
    snprintf(reason, sizeof reason, "%s", haul_message());
    const report_unrun unrun = {d->id, d->kernel, reason};
    c->left_out++;
    (void)cli_fail("check");
    if (c->values->sarif) HAUL_TRY(report_sarif_add_unrun(&c->sarif, &unrun));
    if (c->values->junit) HAUL_TRY(report_junit_add_unrun(&c->junit, &unrun));
    if (c->values->quiet || !c->values->json) return HAUL_OK;
    json_t *line = NULL;
    HAUL_TRY(report_unrun_json(&unrun, &line));
    return print_json(c, line);
}

/* Judges a launch that has run, or has failed by its own doing. */
static haul_status judge_outcome(checking *c, cli_session *s, const launch_description *d, const outcome *o) {
    const report_checked_launch launch = {.id = d->id,
                                          .record = o->record,
                                          .module = s->used ? s->used->path : NULL,
                                          .witnesses = o->witnesses,
                                          .schedules = o->schedules,
                                          .differs = o->differs};
    if (o->status == HAUL_OK) return judge_launch(c, &launch);
    if (!is_kernels_fault(o->status)) return leave_out(c, d);
    if (o->record && o->record->checked && o->record->finding_count) return judge_launch(c, &launch);
    char message[1024];
    haul_finding finding;
    haul_launch_record described = o->record ? *o->record : (haul_launch_record){0};
    describe_failure(d, o->status, message, &finding, &described);
    return judge(c, s, d, &described);
}

/* Runs the launch several times; one that cannot begin has nothing to compare. */
static void run_trials(const checking *c, cli_session *s, launch_description *d, cli_trials *trials, outcome *o) {
    o->status = cli_trials_begin(trials, s, c->values, d);
    if (o->status == HAUL_OK && !is_kernels_fault(trials->items[0].run.status)) o->status = trials->items[0].run.status;
    if (o->status == HAUL_OK) o->status = cli_trials_compare(trials);
    if (o->status != HAUL_OK) return;
    o->record = &trials->record;
    o->witnesses = trials->witnesses;
    o->schedules = c->values->schedules ? trials->compared : 0;
    o->differs = trials->differs;
}

/* A launch that depends on no other begins at one place in memory, and leaves the place of the others as it was. So
 * addresses in findings do not depend on which launches this rank ran before. Returns that place. */
static uint64_t begin_apart(checking *c, launch_description *d) {
    const haul_device *device = c->session->device;
    const bool is_bound = cli_shared_is_bound(c->session, d);
    if (device_enter(device) != HAUL_OK) return c->place;
    const uint64_t place = device->extras->memory_place();
    if (!is_bound) device->extras->memory_go_back(c->place);
    return is_bound ? UINT64_MAX : place;
}

static void end_apart(const checking *c, uint64_t place) {
    const haul_device *device = c->session->device;
    if (place != UINT64_MAX && device_enter(device) == HAUL_OK) device->extras->memory_go_back(place);
}

/* Calls `take` with the launch's outcome. */
static haul_status run(checking *c, launch_description *d,
                       haul_status (*take)(checking *, launch_description *, const outcome *, text *), text *packed) {
    outcome o = {0};
    cli_trials trials = {0};
    const uint64_t place = begin_apart(c, d);
    if (c->values->witness || c->values->schedules)
        run_trials(c, c->session, d, &trials, &o);
    else
        o.status = cli_session_run(c->session, d, &o.record);
    const haul_status status = take(c, d, &o, packed);
    const haul_status ended = cli_trials_end(&trials);
    end_apart(c, place);
    return status == HAUL_OK ? ended : status;
}

static haul_status take_here(checking *c, launch_description *d, const outcome *o, text *packed) {
    (void)packed;
    return judge_outcome(c, c->session, d, o);
}

/* ---- outcomes of other ranks ---- */

static void pack_witness(text *out, const report_witness *w) {
    pack_number(out, w->tried);
    pack_number(out, w->found != NULL);
    if (!w->found) return;
    pack_bytes(out, w->found, sizeof *w->found);
    pack_string(out, w->found->usual);
    pack_string(out, w->found->schedule);
    pack_string(out, w->found->ending);
    pack_string(out, w->found->variable);
}

static void unpack_witness(pack_reader *r, arena *memory, report_witness *w) {
    w->tried = unpack_number(r);
    report_difference *found = unpack_number(r) ? ARENA_NEW(memory, report_difference) : NULL;
    w->found = found;
    if (!found) return;
    unpack_bytes(r, found, sizeof *found);
    found->usual = unpack_string(r, memory);
    found->schedule = unpack_string(r, memory);
    found->ending = unpack_string(r, memory);
    found->variable = unpack_string(r, memory);
}

static haul_status pack_outcome(checking *c, launch_description *d, const outcome *o, text *out) {
    (void)c, (void)d;
    cli_pack_status(out, o->status);
    pack_number(out, o->record != NULL);
    if (o->record) launch_pack_record(out, o->record);
    pack_number(out, o->witnesses != NULL);
    for (size_t i = 0; o->witnesses && i < o->record->finding_count; i++) pack_witness(out, &o->witnesses[i]);
    pack_number(out, o->schedules);
    pack_number(out, o->differs);
    return HAUL_OK;
}

static haul_status run_and_pack(void *context, launch_description *d, text *packed) {
    return run(context, d, pack_outcome, packed);
}

static haul_status unpack_outcome(pack_reader *r, arena *memory, outcome *o) {
    *o = (outcome){.status = cli_unpack_status(r, memory)};
    if (unpack_number(r)) {
        haul_launch_record *record = ARENA_NEW(memory, haul_launch_record);
        if (!record) return haul_no_memory("the launches of all ranks");
        launch_unpack_record(r, memory, record);
        o->record = record;
    }
    if (unpack_number(r) && o->record) {
        report_witness *witnesses = ARENA_ARRAY(memory, o->record->finding_count + 1, report_witness);
        if (!witnesses) return haul_no_memory("the launches of all ranks");
        for (size_t i = 0; i < o->record->finding_count; i++) unpack_witness(r, memory, &witnesses[i]);
        o->witnesses = witnesses;
    }
    o->schedules = unpack_number(r);
    o->differs = unpack_number(r);
    return r->failed ? haul_no_memory("the launches of all ranks") : HAUL_OK;
}

/* A failed launch's message is the thread's again when it is judged. */
static haul_status take_from_rank(checking *c, launch_description *d) {
    pack_reader *r;
    outcome o;
    arena_clear(&c->shared.memory);
    const haul_status found = cli_session_find(c->session, d);
    HAUL_TRY(cli_shared_take(&c->shared, (size_t)(d - c->session->launches.items), &r));
    HAUL_TRY(unpack_outcome(r, &c->shared.memory, &o));
    if (o.status == HAUL_OK) HAUL_TRY(found);
    return judge_outcome(c, c->session, d, &o);
}

static haul_status check(checking *c, launch_description *d) {
    return cli_shared_is_needed(&c->shared) ? take_from_rank(c, d) : run(c, d, take_here, NULL);
}

/* ---- all of them ---- */

static haul_status write_file(checking *c, const char *path) {
    haul_status status = file_write(path, &c->out);
    text_clear(&c->out);
    return status;
}

/* After all launches: the files, and the line of totals, if any launch has run. */
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
    if (v->quiet || v->json || c->left_out == c->session->launches.count) return HAUL_OK;
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

static haul_status open_all(checking *c, cli_session *s, haul_ranks *ranks) {
    c->session = s;
    c->shared.ranks = ranks;
    HAUL_TRY(open_checking(c, s));
    HAUL_TRY(device_enter(s->device));
    c->place = s->device->extras->memory_place();
    return HAUL_OK;
}

/* Leaks come last: the heap lives on from launch to launch. Kernels that use it run on rank 0. */
static haul_status check_all(checking *c, cli_session *s, haul_ranks *ranks) {
    HAUL_TRY(cli_shared_open(&c->shared, ranks, s, run_and_pack, c, open_all(c, s, ranks)));
    if (!cli_ranks_speaks(ranks)) return cli_shared_serve(&c->shared);
    for (size_t i = 0; i < s->launches.count; i++) HAUL_TRY(check(c, &s->launches.items[i]));
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

static int end(const checking *c, const haul_ranks *ranks, haul_status status) {
    if (status != HAUL_OK) return cli_ranks_speaks(ranks) ? cli_fail("check") : CLI_ERROR;
    if (c->left_out) return CLI_ERROR;
    return c->checker.totals.failing > 0 ? CLI_FINDINGS : CLI_FINE;
}

int cli_run_check(const cli_values *v) {
    if (v->program) return check_program(v);
    checking c = {.values = v};
    cli_session s = {0};
    haul_ranks *ranks = NULL;
    haul_status status = cli_ranks_open(&ranks);
    if (status == HAUL_OK) status = check_all(&c, &s, ranks);
    const int code = end(&c, ranks, status);
    cli_shared_close(&c.shared);
    cli_session_close(&s);
    report_checker_free(&c.checker);
    report_sarif_free(&c.sarif);
    report_junit_free(&c.junit);
    cli_sources_close(&c.sources);
    text_free(&c.out);
    haul_ranks_close(ranks);
    return code;
}
