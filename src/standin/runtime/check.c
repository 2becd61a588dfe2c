/* haul check -- PROGRAM: findings in its launches, and calls that failed.
 *
 * The rules (expectations, suppressions) are read when the first launch or failed call comes, and each launch is
 * judged by the checker of src/report/check. Findings are printed as they come, so that a program that crashes has
 * shown them. SARIF and JUnit are collected and written at the end. A failed call is found by the error that it
 * returns; it counts as a failure of the check, unless correct programs get that error, too. */
#include "base/memory.h"
#include "base/status.h"
#include "lib/device.h"
#include "report/check/check.h"
#include "report/json.h"
#include "standin/report.h"
#include "standin/runtime/caller.h"

#include <stdio.h>

/* A failed call, identified by its place. */
typedef struct failed_call {
    standin_caller caller;
    CUresult result;
    uint64_t count;
    bool is_launch, is_asked; /* of a kernel<<<...>>>, which returns nothing; whether the program asked for the error */
    struct failed_call *next;
} failed_call;

/* A call that got the error of an earlier one. */
typedef struct late_call {
    const void *asking, *failed;
    struct late_call *next;
} late_call;

static struct {
    bool open, checks; /* checks: the rules could be read */
    int64_t launches;  /* checked so far */
    report_sources sources;
    report_checker checker;
    report_sarif sarif;
    report_junit junit;
    failed_call *calls; /* never freed */
    late_call *late;    /* never freed */
    uint64_t call_count;
    text out;
} state;

/* Does nothing from the second call on. */
static void open_checker(void) {
    const report_check_options options = {standin_asked.expect, standin_asked.suppress, standin_asked.ignore,
                                          standin_asked.grade};
    if (state.open) return;
    state.open = true;
    report_sources_init(&state.sources, standin_asked.source.items, standin_asked.source.count);
    state.checks = report_checker_open(&state.checker, &state.sources, &options) == HAUL_OK &&
                   (!standin_asked.sarif || report_sarif_init(&state.sarif, &state.sources) == HAUL_OK);
    if (!state.checks) fprintf(stderr, "haul: %s\n", haul_message());
}

/* ---- launches ---- */

/* Adds the verdict to the files that were asked for, and to the report. */
static haul_status put_verdict(const report_verdict *v) {
    json_t *line = NULL;
    if (standin_asked.sarif) HAUL_TRY(report_sarif_add(&state.sarif, v));
    if (standin_asked.junit) HAUL_TRY(report_junit_add(&state.junit, v));
    if (standin_asked.quiet) return HAUL_OK;
    if (!standin_asked.json)
        return report_put_check_text(v, &state.sources, report_terminal_of(standin_report_descriptor()), &state.out);
    HAUL_TRY(report_check_json(v, &line));
    return report_json_put(line, JSON_COMPACT, &state.out);
}

static void judge(const report_checked_launch *launch) {
    report_verdict verdict;
    haul_status status = report_check_launch(&state.checker, launch, &verdict);
    if (status == HAUL_OK) status = put_verdict(&verdict);
    if (status != HAUL_OK) fprintf(stderr, "haul: %s\n", haul_message());
    report_verdict_free(&verdict);
    standin_print(&state.out);
}

/* The finding of a launch that has failed names lines of the kernel. This adds the line of the host code. */
static void put_launch_place(const report_checked_launch *launch, const void *place) {
    text at = {0};
    standin_put_place(place, &at);
    text_printf(&state.out, "note: launch %lld, which failed, is made at %s\n\n", (long long)launch->id,
                text_string(&at));
    text_free(&at);
    standin_print(&state.out);
}

void standin_check_launch(unsigned device, const haul_launch_record *r, const void *place) {
    open_checker();
    if (!state.checks) return;
    const report_checked_launch launch = {
        .id = state.launches++, .record = r, .has_device = standin_device_count() > 1, .device = device};
    judge(&launch);
    if (r->ended_by != HAUL_OK && place && !standin_asked.quiet && !standin_asked.json)
        put_launch_place(&launch, place);
}

void standin_check_program(const haul_launch_record *r) {
    open_checker();
    if (state.checks) judge(&(report_checked_launch){.id = -1, .record = r});
}

/* ---- calls ---- */

/* Errors that a correct program may get. A launch asks no question: none of its errors is an answer. */
static bool is_an_answer(CUresult result, bool of_launch) {
    if (of_launch) return result == CUDA_SUCCESS;
    switch (result) {
    case CUDA_SUCCESS:
    case CUDA_NOT_READY:
    case CUDA_NOT_FOUND:
    case CUDA_NOT_SUPPORTED:
    case CUDA_OUT_OF_MEMORY:
    case CUDA_HOST_MEMORY_ALREADY_REGISTERED:
    case CUDA_HOST_MEMORY_NOT_REGISTERED: return true;
    default: return false;
    }
}

/* The same place may fail with several errors: each is one entry. NULL without memory. */
static failed_call *find_call(const standin_caller *caller, CUresult result) {
    for (failed_call *c = state.calls; c; c = c->next)
        if (c->caller.address == caller->address && c->result == result) return c;
    failed_call *c = memory_zeroed(1, sizeof *c);
    if (!c) return NULL;
    *c = (failed_call){.caller = *caller, .result = result, .is_launch = standin_launching(), .next = state.calls};
    return state.calls = c;
}

static const char *function_of(const standin_caller *caller) {
    return caller->function ? caller->function : "a call";
}

static void put_call(const standin_caller *caller, CUresult result, const char *grade, const char *what) {
    text place = {0};
    standin_put_place(caller->address, &place);
    if (standin_asked.json)
        (void)report_json_put(json_pack("{s:s, s:s, s:i, s:s, s:s}", "call", function_of(caller), "place",
                                        text_string(&place), "result", (int)result, "name", driver_result_name(result),
                                        "what", what),
                              JSON_COMPACT, &state.out);
    else
        text_printf(&state.out, "%s: %s() gave %s\n  at %s\n  %s\n\n", grade, function_of(caller),
                    driver_result_name(result), text_string(&place), what);
    text_free(&place);
    standin_print(&state.out);
}

/* Each is reported once, because a loop may repeat it. The driver's message, if there is one, says more than CUDA's
 * text for the error. */
void standin_check_call(CUresult result, bool of_launch) {
    if (is_an_answer(result, of_launch)) return;
    const standin_caller caller = standin_caller_now();
    failed_call *c = find_call(&caller, result);
    open_checker();
    state.call_count++;
    if (!c || c->count++ || standin_asked.quiet) return;
    put_call(&caller, result, "error", *haul_message() ? haul_message() : driver_result_text(result));
}

/* ---- errors that the program sees late ---- */

static bool is_told(const void *asking, const void *failed) {
    for (const late_call *l = state.late; l; l = l->next)
        if (l->asking == asking && l->failed == failed) return true;
    late_call *l = memory_zeroed(1, sizeof *l);
    if (!l) return true;
    *l = (late_call){asking, failed, state.late};
    state.late = l;
    return false;
}

/* An error that is no answer was reported at its call, so this only says where it shows. A program that goes on after
 * an answer and leaves it behind takes it for the error of a later launch. */
void standin_check_asked(const standin_caller *failed, CUresult result, bool is_late, bool for_launch) {
    text what = {0}, place = {0};
    bool answer = is_an_answer(result, false);
    const standin_caller asking = standin_caller_now();
    for (failed_call *c = state.calls; c; c = c->next)
        if (c->caller.address == failed->address && c->result == result) c->is_asked = true, answer = false;
    if (!is_late || (answer && !for_launch) || is_told(asking.address, failed->address)) return;
    open_checker();
    state.call_count += answer;
    if (standin_asked.quiet) return;
    standin_put_place(failed->address, &place);
    text_printf(&what, "this is the error of %s() at %s; other calls came between", function_of(failed),
                text_string(&place));
    put_call(&asking, result, answer ? "error" : "note", text_string(&what));
    text_free(&what);
    text_free(&place);
}

/* kernel<<<...>>> returns nothing, so that its error is lost if nobody asks for it. */
static void put_unasked(void) {
    for (const failed_call *c = state.calls; c; c = c->next) {
        if (!c->is_launch || c->is_asked) continue;
        text_put(&state.out, "note: the program never asks for the error of the launch at ");
        standin_put_place(c->caller.address, &state.out);
        text_put(&state.out, "\n");
    }
}

/* ---- the end ---- */

/* Memory that kernels have left allocated on the device's heap comes as records of launches, with findings. */
static haul_status check_leaks_of(unsigned device) {
    haul_run *run;
    HAUL_TRY(haul_run_create(standin_device_at(device), &run));
    const haul_status status = haul_device_leaks(standin_device_at(device), run);
    for (size_t i = 0; i < run->launch_count && status == HAUL_OK; i++)
        standin_check_launch(device, &run->launches[i], NULL);
    haul_run_free(run);
    return status;
}

static haul_status check_leaks(void) {
    for (unsigned i = 0; i < standin_device_count(); i++) HAUL_TRY(check_leaks_of(i));
    return HAUL_OK;
}

static haul_status write_files(void) {
    if (standin_asked.sarif) {
        HAUL_TRY(report_sarif_write(&state.sarif, &state.out));
        HAUL_TRY(standin_write(standin_asked.sarif, &state.out));
    }
    if (standin_asked.junit) {
        HAUL_TRY(report_junit_write(&state.junit, &state.out));
        HAUL_TRY(standin_write(standin_asked.junit, &state.out));
    }
    return HAUL_OK;
}

/* Nothing with --json, as the lines have all that the totals are made of. */
static haul_status put_totals(void) {
    if (standin_asked.quiet || standin_asked.json) return HAUL_OK;
    put_unasked();
    if (state.call_count)
        text_printf(&state.out, "%llu call%s of the program's failed\n", (unsigned long long)state.call_count,
                    state.call_count == 1 ? "" : "s");
    return report_put_check_totals(&state.checker, &state.out);
}

/* A check without rules has failed. After an interruption, leaks say nothing. */
haul_status standin_put_check(bool interrupted, bool *failed) {
    open_checker();
    *failed = !state.checks;
    if (!state.checks) return HAUL_OK;
    if (!interrupted) HAUL_TRY(check_leaks());
    if (!interrupted) standin_report_resources();
    HAUL_TRY(write_files());
    *failed = state.checker.totals.failing > 0 || state.call_count > 0;
    const haul_status status = put_totals();
    standin_print(&state.out);
    return status;
}
