/* haul stream: moves data through a kernel in chunks, and shows what overlapped.
 *
 * The file drives a haul_mapper and publishes its report: a summary with a picture of the timeline as text, one line of
 * JSON, and the files of --timeline. stream_job.c turns the options into the map, src/lib/map runs it. Repeated runs
 * (--repeat) use one mapper, so that its buffers and threads exist already in the runs after the first; the last run is
 * shown. After a failure the command says which items are complete, for whoever continues there. */
#include "base/file.h"
#include "base/number.h"
#include "base/status.h"
#include "cli/progress.h"
#include "cli/publish.h"
#include "cli/stream_job.h"
#include "report/json.h"
#include "report/write/timeline.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- progress ---- */

/* Called by the map after each chunk. Returns true: the command never stops a run itself. */
static bool show_progress(void *context, const haul_map_progress *p) {
    const stream_job *job = context;
    const uint64_t item = job->map.output.item_bytes;
    progress_bytes(p->complete_items * item, p->items * item);
    return true;
}

/* ---- results ---- */

/* How the times were made: by the virtual clock, or by events on a GPU. */
static const char *stamp_of(const haul_timeline *t) {
    return t->stamp == HAUL_SIMULATED ? "simulated" : "measured";
}

/* The link carries the bytes of both directions, so the rate is their sum over the elapsed time. */
static void add_summary(report_section *s, const stream_job *job, const haul_map_report *r) {
    const haul_timeline *t = &r->timeline;
    char chunk[32], device[32], pinned[32];
    const double bytes = (double)t->bytes[HAUL_ENGINE_TO_DEVICE] + (double)t->bytes[HAUL_ENGINE_TO_HOST];
    char took[REPORT_NUMBER_SIZE], rate[REPORT_NUMBER_SIZE];
    report_add_paragraph(s, "%llu chunks of up to %s, %u at once, %u host threads; %s on the device, %s pinned.",
                         (unsigned long long)r->chunks,
                         number_format_bytes((double)r->chunk_items * (double)job->map.output.item_bytes, chunk),
                         r->depth, r->threads, number_format_bytes((double)r->device_bytes, device),
                         number_format_bytes((double)r->host_bytes, pinned));
    report_add_paragraph(s, "%s (%s), %s over the link; %s was busy %.1f%% of the time.",
                         report_format(REPORT_MICROSECONDS, t->elapsed_us, took), stamp_of(t),
                         report_format(REPORT_RATE, t->elapsed_us > 0 ? bytes / t->elapsed_us * 1e6 : 0, rate),
                         haul_engine_names[haul_timeline_busiest(t)], 100 * haul_timeline_efficiency(t));
}

static report_document *make_document(const stream_job *job, const haul_map_report *r) {
    report_document *d = report_document_new("stream", "Stream");
    report_section *s = report_add_section(d, "stream", "Stream");
    add_summary(s, job, r);
    report_add_timeline(s, &r->timeline);
    return d;
}

/* Prints the report if `to` is NULL, else writes it there as a page. */
static haul_status put_report(const stream_job *job, const haul_map_report *r, const char *to) {
    text out = {0};
    report_document *d = make_document(job, r);
    if (to) report_add_fact(d, "device", "Device", "%s", haul_device_name(job->session.device));
    if (to) report_add_fact(d, "numbers", "Numbers", "%s", stamp_of(&r->timeline));
    haul_status status =
        to ? report_write_html(d, &out) : report_write_text(d, report_terminal_of(STDOUT_FILENO), &out);
    report_document_free(d);
    if (status == HAUL_OK) status = to ? file_write(to, &out) : cli_print(&out);
    text_free(&out);
    return status;
}

/* Returns busy time and bytes of each engine that was busy at all. */
static json_t *engines_of(const haul_timeline *t) {
    json_t *engines = json_object();
    for (int e = 0; e < HAUL_ENGINE_COUNT; e++) {
        if (t->busy_us[e] <= 0) continue;
        json_object_set_new(engines, haul_engine_names[e],
                            json_pack("{s:f, s:I}", "busy_us", t->busy_us[e], "bytes", (json_int_t)t->bytes[e]));
    }
    return engines;
}

/* Returns the ranges of items whose results are in their place: all items after a success. */
static json_t *complete_of(const haul_map_report *r) {
    json_t *ranges = json_array();
    for (size_t i = 0; i < r->complete_count; i++)
        json_array_append_new(ranges, json_pack("{s:I, s:I}", "first", (json_int_t)r->complete[i].first, "items",
                                                (json_int_t)r->complete[i].items));
    return ranges;
}

/* `ran` is the status of the run, which may have failed. json_pack() returns NULL if any of its parts is NULL. */
static haul_status print_json(const stream_job *job, const haul_map_report *r, haul_status ran) {
    const haul_timeline *t = &r->timeline;
    json_t *line = json_pack(
        "{s:s, s:s, s:s, s:I, s:I, s:I, s:i, s:i, s:I, s:I, s:f, s:s, s:f, s:o, s:o}", "device",
        haul_device_name(job->session.device), "numbers", stamp_of(t), "status", haul_status_text(ran), "items",
        (json_int_t)r->items, "chunks", (json_int_t)r->chunks, "chunk_items", (json_int_t)r->chunk_items, "depth",
        (int)r->depth, "threads", (int)r->threads, "device_bytes", (json_int_t)r->device_bytes, "pinned_bytes",
        (json_int_t)r->host_bytes, "elapsed_us", t->elapsed_us, "busiest", haul_engine_names[haul_timeline_busiest(t)],
        "efficiency", haul_timeline_efficiency(t), "engines", engines_of(t), "complete", complete_of(r));
    text out = {0};
    haul_status status = line ? report_json_put(line, JSON_COMPACT, &out)
                              : haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the result");
    if (status == HAUL_OK) status = cli_print(&out);
    text_free(&out);
    return status;
}

static bool ends_in(const char *path, const char *suffix) {
    const size_t length = strlen(path), end = strlen(suffix);
    return length >= end && strcmp(path + length - end, suffix) == 0;
}

/* Called before the run, which may take long: the ending decides the format. */
static haul_status check_timeline_paths(const cli_values *v) {
    for (size_t i = 0; i < v->timeline.count; i++)
        if (!ends_in(v->timeline.items[i], ".svg") && !ends_in(v->timeline.items[i], ".json"))
            return haul_fail(HAUL_ERROR_ARGUMENT,
                             "--timeline %s: the name must end in .svg (a picture) or .json (trace events)",
                             v->timeline.items[i]);
    return HAUL_OK;
}

/* Also with --quiet: the files were asked for. */
static haul_status write_timelines(const cli_values *v, const haul_timeline *t) {
    for (size_t i = 0; i < v->timeline.count; i++) {
        text out = {0};
        if (ends_in(v->timeline.items[i], ".svg"))
            report_put_timeline_svg(&out, t);
        else
            report_put_timeline_trace(&out, t);
        const haul_status status = file_write(v->timeline.items[i], &out);
        text_free(&out);
        HAUL_TRY(status);
    }
    return HAUL_OK;
}

static haul_status publish(const cli_values *v, const stream_job *job, const haul_map_report *r) {
    HAUL_TRY(write_timelines(v, &r->timeline));
    if (v->html) HAUL_TRY(put_report(job, r, v->html));
    if (v->quiet) return HAUL_OK;
    return v->json ? print_json(job, r, HAUL_OK) : put_report(job, r, NULL);
}

/* ---- the command ---- */

/* After a failure, says which items are complete, with a line for each range or as JSON. Printing may overwrite the
 * message of the failure, so it is saved and set again for cli_fail(). */
static void tell_complete(const cli_values *v, const stream_job *job, const haul_map_report *r, haul_status failed) {
    char message[1024];
    snprintf(message, sizeof message, "%s", haul_message());
    if (v->json && r->chunks) (void)print_json(job, r, failed);
    for (size_t i = 0; !v->quiet && i < r->complete_count; i++)
        fprintf(stderr, "haul stream: items %llu to %llu are complete%s\n", (unsigned long long)r->complete[i].first,
                (unsigned long long)(r->complete[i].first + r->complete[i].items - 1),
                v->stream_out && v->keep_partial ? " in the .partial file" : "");
    (void)haul_fail(failed, "%s", message);
}

/* Runs the map --repeat times and stops at the first failure; `r` has the last run's report. `partial`: file of the
 * incomplete output, which signals remove unless the user wants to keep it; NULL: the output goes to no file. */
static haul_status run_mapper(const cli_values *v, stream_job *job, const char *partial, haul_map_report *r) {
    haul_mapper *mapper;
    HAUL_TRY(haul_mapper_create(&job->map, &mapper));
    progress_bytes(0, job->map.items * job->map.output.item_bytes);
    stream_job_fill(job);
    if (partial && !v->keep_partial) progress_remove_on_signal(partial);
    haul_status status = haul_mapper_run(mapper, r);
    for (uint64_t i = 1; status == HAUL_OK && i < v->stream_repeat; i++) {
        haul_map_report_free(r);
        status = haul_mapper_run(mapper, r);
    }
    progress_remove_on_signal(NULL);
    progress_clear();
    haul_mapper_free(mapper);
    return status;
}

/* The map writes to PATH.partial and renames it at the end (<haul/map.h>). */
static haul_status run_all(const cli_values *v, stream_job *job, haul_map_report *r) {
    text partial = {0};
    if (v->stream_out) text_printf(&partial, "%s.partial", v->stream_out);
    const haul_status status = run_mapper(v, job, partial.failed || !v->stream_out ? NULL : text_string(&partial), r);
    text_free(&partial);
    return status;
}

static haul_status stream(const cli_values *v, stream_job *job, haul_map_report *r) {
    HAUL_TRY(check_timeline_paths(v));
    if (v->html) HAUL_TRY(file_check_output(v->html));
    HAUL_TRY(stream_job_open(job, v));
    job->map.progress = show_progress;
    job->map.progress_context = job;
    HAUL_TRY(stream_job_warm_up(job));
    const haul_status status = run_all(v, job, r);
    if (status == HAUL_OK) return publish(v, job, r);
    tell_complete(v, job, r, status);
    return status;
}

int cli_run_stream(const cli_values *v) {
    stream_job job = {0};
    haul_map_report report = {0};
    const haul_status status = stream(v, &job, &report);
    const int code = status == HAUL_OK ? CLI_FINE : cli_fail("stream");
    haul_map_report_free(&report);
    stream_job_close(&job);
    return code;
}
