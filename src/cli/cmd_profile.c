/* haul profile: shows where a kernel's memory traffic comes from.
 *
 * Each launch runs on the virtual GPU, which records traffic by class, line and instruction; src/report/profile makes
 * the report. On a GPU two sessions run each launch: `real` for counters and times, and `simulated`, on a virtual GPU
 * of the same kind, for the rest, which hardware does not tell by line. If ptxas is installed, its machine code of the
 * kernel is added. Text and JSON are printed launch by launch; --html collects all launches in one document. A program
 * behind `--` is profiled by the stand-in. */
#include "base/file.h"
#include "base/machine_code.h"
#include "base/mangled.h"
#include "base/memory.h"
#include "base/status.h"
#include "cli/program.h"
#include "cli/publish.h"
#include "cli/session.h"
#include "cli/sources.h"
#include "lib/device.h"
#include "report/json.h"
#include "report/ncu/ncu.h"
#include "report/profile/profile.h"
#include "report/trace/trace.h"
#include "report/write/timeline.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

enum { LINES = 10, MIX = 12 }; /* defaults: source lines and kinds of instructions to show */

typedef struct profiler {
    const cli_values *values;
    cli_session simulated, real; /* `real` has a device if that is a GPU */
    report_document *document;   /* of the whole run, for --html */
    haul_timeline timeline;      /* of its launches, one after the other */
    /* what the report gets besides the record: sources, measured values, machine code */
    report_profile_options options;
    cli_sources sources;
    machine_code code;           /* of `assembled`, if there is ptxas */
    const cli_module *assembled; /* NULL: none yet */
    char refused[256];           /* why there is none */
    report_ncu_table *csv;       /* with --csv */
    report_trace *trace;         /* with --timeline */
    double traced_us;            /* the end of the last launch in it */
    text out;
} profiler;

/* ---- one launch ---- */

/* Counters and times of hardware, beside the simulated ones. */
static haul_status add_measured_json(const profiler *p, const haul_launch_record *r, json_t *line) {
    json_t *measured = json_pack("{s:s, s:b, s:o}", "device", p->options.measured_on, "outputs_identical",
                                 !p->options.outputs_differ, "counters", launch_counters_to_json(HAUL_MEASURED, r));
    if (r->measured_us >= 0) json_object_set_new(measured, "us", report_json_number(r->measured_us));
    return json_object_set_new(line, "measured", measured) == 0 ? HAUL_OK : haul_no_memory("the report");
}

/* Adds the report's fields to `line`, which stays the caller's. */
static haul_status make_json(profiler *p, const haul_launch_record *record, json_t *line) {
    json_t *profile = NULL;
    HAUL_TRY(line ? report_profile_json(record, &p->options, &profile) : haul_no_memory("the report"));
    haul_status status = json_object_update(line, profile) == 0 ? HAUL_OK : haul_no_memory("the report");
    json_decref(profile);
    if (status == HAUL_OK && p->options.measured) status = add_measured_json(p, p->options.measured, line);
    return status;
}

/* Prints the line of haul replay with the report's fields added. report_json_put() takes the line. */
static haul_status print_json(profiler *p, const launch_description *d, const haul_launch_record *record) {
    json_t *line = launch_to_json(d, HAUL_SIMULATED, record);
    haul_status status = make_json(p, record, line);
    if (status != HAUL_OK) {
        json_decref(line);
        return status;
    }
    HAUL_TRY(report_json_put(line, JSON_COMPACT, &p->out));
    return cli_print(&p->out);
}

/* Each launch is printed after it has run, as a document of its own. */
static haul_status print_text(profiler *p, const char *name, const haul_launch_record *record) {
    report_document *d = report_document_new(name, NULL);
    haul_status status = report_add_profile(d, name, record, &p->options);
    if (status == HAUL_OK) status = report_write_text(d, report_terminal_of(STDOUT_FILENO), &p->out);
    report_document_free(d);
    return status == HAUL_OK ? cli_print(&p->out) : status;
}

/* On a GPU, rows have the values that were measured, and no estimates. */
static haul_status print_csv(profiler *p, const haul_launch_record *record) {
    const report_ncu_launch launch = {.record = p->options.measured ? p->options.measured : record,
                                      .machine = sim_machine_find(p->options.simulated),
                                      .sources = p->options.sources};
    HAUL_TRY(report_ncu_put(p->csv, &launch, &p->out));
    return cli_print(&p->out);
}

/* Runs and times the launch on the GPU. The hashes of its buffers are compared with the simulated launch's, which has
 * run before. */
static haul_status measure(profiler *p, size_t index) {
    launch_description *d = &p->real.launches.items[index];
    const launch_description *same = &p->simulated.launches.items[index];
    HAUL_TRY(cli_session_run(&p->real, d, &p->options.measured));
    p->options.outputs_differ = false;
    for (size_t i = 0; i < launch_value_count(d); i++)
        p->options.outputs_differ |= d->arguments[i].hash != same->arguments[i].hash;
    return cli_session_time(&p->real, p->values, d);
}

/* Sets the machine code of the launch's kernel. ptxas assembles a file once, and again only when a launch uses another
 * file. PTX that ptxas refuses is profiled all the same, and the report says why there is no machine code. Linked
 * modules consist of several files, none of which ptxas takes alone. */
static void find_machine_code(profiler *p, const haul_launch_record *record) {
    const cli_module *m = p->simulated.used;
    if (p->values->link && p->simulated.module_count > 1) return;
    if (m != p->assembled) {
        machine_code_free(&p->code);
        p->assembled = m;
        p->refused[0] = '\0';
        if (machine_code_make(text_string(&m->ptx), haul_device_architecture(p->simulated.device),
                              cli_u32(p->values->most_registers), &p->code) != HAUL_OK)
            snprintf(p->refused, sizeof p->refused, "%s", haul_message());
    }
    p->options.machine = machine_code_find(&p->code, record->kernel);
    p->options.no_machine = p->options.machine || !p->refused[0] ? NULL : p->refused;
}

/* Adds a launch to the timeline, measured or estimated. */
static haul_status add_operation(profiler *p, size_t index, const haul_launch_record *record) {
    haul_timeline *t = &p->timeline;
    const haul_launch_record *r = p->options.measured ? p->options.measured : record;
    const double us = fmax(0, r->measured_us >= 0 ? r->measured_us : r->estimate_us);
    if (!t->operations) t->operations = memory_zeroed(p->simulated.launches.count, sizeof *t->operations);
    if (!t->operations) return haul_no_memory("the report");
    t->operations[t->count++] = (haul_operation){
        .engine = HAUL_ENGINE_KERNEL, .chunk = index, .start_us = t->elapsed_us, .end_us = t->elapsed_us + us};
    t->elapsed_us += us;
    t->busy_us[HAUL_ENGINE_KERNEL] += us;
    return HAUL_OK;
}

/* Launches of a file come one after the other. */
static void add_to_trace(profiler *p, const haul_launch_record *record) {
    char name[256];
    const report_trace_span span = {.from = p->traced_us, .to = p->traced_us + fmax(0, record->estimate_us)};
    report_trace_add_launch(p->trace, &span, mangled_copy(record->kernel, name, sizeof name), record,
                            sim_machine_find(p->options.simulated));
    p->traced_us = span.to;
}

/* Runs one launch and reports it. The facts about the run are the same for all launches, so the document gets them
 * once. */
static haul_status profile(profiler *p, size_t index) {
    const haul_launch_record *record;
    launch_orders orders;
    cli_session *s = &p->simulated;
    launch_description *d = &s->launches.items[index];
    HAUL_TRY(cli_session_run_orders(s, p->values, d, &orders, &record));
    p->options.orders = orders.runs ? orders.counters : NULL;
    p->options.order_count = orders.runs;
    if (p->real.device) HAUL_TRY(measure(p, index));
    find_machine_code(p, record);
    p->options.simulated = s->run->machine;
    char name[32];
    snprintf(name, sizeof name, "launch-%zu", index);
    if (!p->document->facts) report_add_run_facts(p->document, s->run);
    if (p->values->html) HAUL_TRY(report_add_profile(p->document, name, record, &p->options));
    if (p->values->html) HAUL_TRY(add_operation(p, index, record));
    if (p->trace) add_to_trace(p, record);
    if (p->values->quiet) return HAUL_OK;
    if (p->csv) return print_csv(p, record);
    return p->values->json ? print_json(p, d, record) : print_text(p, name, record);
}

/* ---- all of them ---- */

/* Without ncu, or without permission to read counters, there are still times. */
static haul_status read_counters(profiler *p) {
    haul_status status = cli_session_read_counters(&p->real, p->values, 1);
    if (status != HAUL_ERROR_NOT_FOUND && status != HAUL_ERROR_DRIVER) return status;
    if (!p->values->quiet)
        fprintf(stderr, "haul profile: no counters of %s: %s\n", p->options.measured_on, haul_message());
    return HAUL_OK;
}

/* Opens one session on a virtual GPU, or two for a GPU: tables of lines and classes come from the simulation. Counters
 * are read once for all launches. */
static haul_status open_sessions(profiler *p) {
    char twin[32];
    haul_device_options options = cli_device_options(p->values);
    HAUL_TRY(cli_session_open(&p->real, p->values));
    /* the only session is the simulated one; it is moved, so that it is closed once */
    if (haul_device_is_virtual(p->real.device)) {
        p->simulated = p->real;
        p->real = (cli_session){0};
        return HAUL_OK;
    }
    device_name_twin(p->real.device, twin);
    p->options.measured_on = haul_device_product(p->real.device);
    HAUL_TRY(read_counters(p));
    return cli_session_open_on(&p->simulated, p->values, twin, &options);
}

/* Opens the table of --csv. */
static haul_status open_csv(profiler *p) {
    const cli_values *v = p->values;
    HAUL_TRY(cli_check_csv(v));
    if (!v->csv) return HAUL_OK;
    return report_ncu_open(&(report_ncu_options){v->page, v->kernel_base, v->metrics, NULL}, &p->csv);
}

/* Files are checked before anything runs, and written after all launches. */
static haul_status check_files(profiler *p) {
    if (p->values->html) HAUL_TRY(file_check_output(p->values->html));
    if (!p->values->trace) return HAUL_OK;
    p->trace = report_trace_new();
    return p->trace ? file_check_output(p->values->trace) : haul_no_memory("the trace");
}

static haul_status write_trace(profiler *p) {
    if (!p->trace) return HAUL_OK;
    HAUL_TRY(report_trace_put(p->trace, &p->out));
    return file_write(p->values->trace, &p->out);
}

static haul_status profile_all(profiler *p) {
    HAUL_TRY(check_files(p));
    HAUL_TRY(open_csv(p));
    HAUL_TRY(open_sessions(p));
    HAUL_TRY(cli_sources_open(&p->sources, p->values, &p->simulated));
    p->document = report_document_new("profile", "Memory profile");
    if (!p->document) return haul_no_memory("the report");
    p->options.lines = p->values->lines ? (size_t)p->values->lines : LINES;
    p->options.mix = MIX;
    p->options.share = REPORT_ADVICE_SHARE;
    p->options.sources = &p->sources.files;
    for (size_t i = 0; i < p->simulated.launches.count; i++) HAUL_TRY(profile(p, i));
    HAUL_TRY(write_trace(p));
    if (!p->values->html) return HAUL_OK;
    if (p->timeline.count > 1)
        report_add_timeline(report_add_section(p->document, "timeline", "Timeline"), &p->timeline);
    HAUL_TRY(report_write_html(p->document, &p->out));
    return file_write(p->values->html, &p->out);
}

/* A program's launches depend on what it did before. */
static int refuse_schedules(void) {
    (void)haul_fail(HAUL_ERROR_ARGUMENT,
                    "--schedules repeats launches, and cannot repeat a program's: record them with `haul "
                    "replay --record FILE.jsonl -- PROGRAM`, then profile FILE.jsonl");
    return cli_fail("profile");
}

int cli_run_profile(const cli_values *v) {
    if (v->program && v->schedules) return refuse_schedules();
    if (v->program) return cli_become_program(v, STANDIN_PROFILE);
    profiler p = {.values = v};
    haul_status status = profile_all(&p);
    cli_session_close(&p.real);
    cli_session_close(&p.simulated);
    report_document_free(p.document);
    cli_sources_close(&p.sources);
    machine_code_free(&p.code);
    report_ncu_close(p.csv);
    report_trace_free(p.trace);
    memory_free(p.timeline.operations);
    text_free(&p.out);
    return status == HAUL_OK ? CLI_FINE : cli_fail("profile");
}
