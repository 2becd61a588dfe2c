/* haul stream: moves data through a kernel in chunks, and shows what overlapped.
 *
 * The file drives a haul_mapper and publishes its report: a summary with a picture of the timeline as text, one line of
 * JSON, and the files of --timeline. stream_job.c turns the options into the map, src/lib/map runs it. Repeated runs
 * (--repeat) use one mapper, so that its buffers and threads exist already in the runs after the first; the last run is
 * shown. After a failure the command says which items are complete, for whoever continues there.
 *
 * Under an MPI launcher each rank streams its part (haul_map.ranks). Rank 0 prints the report, of its own engines and a
 * table of all ranks. */
#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "cli/progress.h"
#include "cli/publish.h"
#include "cli/ranks.h"
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

/* The figures of each rank that rank 0 shows. */
typedef struct rank_figures {
    uint64_t items, complete_items, bytes; /* bytes: over its devices' links */
    double elapsed_us;
    char device[64];
} rank_figures;

static uint64_t link_bytes(const haul_map_report *r) {
    return r->timeline.bytes[HAUL_ENGINE_TO_DEVICE] + r->timeline.bytes[HAUL_ENGINE_TO_HOST] + r->cufile_bytes;
}

static uint64_t complete_items(const haul_map_report *r) {
    uint64_t items = 0;
    for (size_t i = 0; i < r->complete_count; i++) items += r->complete[i].items;
    return items;
}

/* Collective. The caller frees the figures of all ranks. */
static haul_status gather_figures(const stream_job *job, const haul_map_report *r, rank_figures **all) {
    rank_figures own = {.items = r->items,
                        .complete_items = complete_items(r),
                        .bytes = link_bytes(r),
                        .elapsed_us = r->timeline.elapsed_us};
    snprintf(own.device, sizeof own.device, "%s", haul_device_name(job->session.device));
    *all = memory_zeroed(haul_ranks_count(job->ranks), sizeof **all);
    HAUL_TRY(haul_ranks_agree(job->ranks, *all ? HAUL_OK : haul_no_memory("the figures of all ranks")));
    return haul_ranks_gather(job->ranks, &own, sizeof own, *all);
}

static const report_column rank_columns[] = {
    {"rank", "Rank", REPORT_COUNT, "The number of the process"},
    {"device", "Device", REPORT_TEXT, "Its GPU"},
    {"items", "Items", REPORT_COUNT, "Items of its part"},
    {"elapsed_us", "Time", REPORT_MICROSECONDS, "From its first chunk to its last"},
    {"rate", "Rate", REPORT_RATE, "Bytes over its link, both ways together, in that time"},
};

static void add_ranks(report_section *s, const rank_figures *ranks, unsigned count) {
    if (count < 2) return;
    report_table *t = report_add_table(s, "ranks", NULL, rank_columns, sizeof rank_columns / sizeof *rank_columns);
    for (unsigned i = 0; i < count; i++) {
        report_add_row(t);
        report_add_number(t, i);
        report_add_text(t, "%s", ranks[i].device);
        report_add_number(t, (double)ranks[i].items);
        report_add_number(t, ranks[i].elapsed_us);
        report_add_number(t, report_ratio((double)ranks[i].bytes * 1e6, ranks[i].elapsed_us));
    }
}

static const report_column device_columns[] = {
    {"device", "Device", REPORT_TEXT, "A GPU"},
    {"chunks", "Chunks", REPORT_COUNT, "Chunks that it computed"},
    {"items", "Items", REPORT_COUNT, "Their items"},
};

static void add_devices(report_section *s, const stream_job *job, const haul_map_report *r) {
    if (r->devices < 2) return;
    report_table *t =
        report_add_table(s, "devices", NULL, device_columns, sizeof device_columns / sizeof *device_columns);
    for (unsigned i = 0; i < r->devices; i++) {
        report_add_row(t);
        report_add_text(t, "%u: %s", i, haul_device_name(job->session.devices[i]));
        report_add_number(t, (double)r->device[i].chunks);
        report_add_number(t, (double)r->device[i].items);
    }
}

/* The link carries the bytes of both directions, so the rate is their sum over the elapsed time. */
static void add_summary(report_section *s, const stream_job *job, const haul_map_report *r) {
    const haul_timeline *t = &r->timeline;
    char chunk[32], device[32], pinned[32];
    const double bytes = (double)link_bytes(r);
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
    if (r->resumed_chunks)
        report_add_paragraph(s, "%llu of the chunks were complete from an earlier run.",
                             (unsigned long long)r->resumed_chunks);
    if (r->halo_bytes)
        report_add_paragraph(s, "%s of halo came from neighbouring chunks on the devices, not from the host again.",
                             number_format_bytes((double)r->halo_bytes, chunk));
}

/* Adds a sentence for each file: how it was moved, and why. */
static void add_path(report_section *s, const char *file, const char *done, const haul_map_path *path) {
    static const char *const how[] = {[HAUL_MAP_FILES_CACHED] = "through the page cache and pinned memory",
                                      [HAUL_MAP_FILES_DIRECT] = "directly (O_DIRECT), through pinned memory",
                                      [HAUL_MAP_FILES_CUFILE] = "by cuFile, without pinned memory"};
    if (path->files == HAUL_MAP_FILES_AUTO) return;
    report_add_paragraph(s, "%s was %s %s: %s.", file, done, how[path->files], path->reason);
}

static void add_paths(report_section *s, const stream_job *job, const haul_map_report *r) {
    for (size_t i = 0; i < job->map.input_count; i++) add_path(s, job->map.inputs[i].path, "read", &r->inputs[i]);
    add_path(s, job->map.output.path, "written", &r->output);
}

static report_document *make_document(const stream_job *job, const haul_map_report *r, const rank_figures *ranks) {
    report_document *d = report_document_new("stream", "Stream");
    report_section *s = report_add_section(d, "stream", "Stream");
    add_summary(s, job, r);
    add_paths(s, job, r);
    add_devices(s, job, r);
    add_ranks(s, ranks, haul_ranks_count(job->ranks));
    report_add_timeline(s, &r->timeline);
    return d;
}

/* Prints the report if `to` is NULL, else writes it there as a page. */
static haul_status put_report(const stream_job *job, const haul_map_report *r, const rank_figures *ranks,
                              const char *to) {
    text out = {0};
    report_document *d = make_document(job, r, ranks);
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

/* Returns what each device computed, and what each rank did. */
static json_t *devices_of(const stream_job *job, const haul_map_report *r) {
    json_t *devices = json_array();
    for (unsigned i = 0; i < r->devices; i++)
        json_array_append_new(devices, json_pack("{s:s, s:I, s:I}", "device", haul_device_name(job->session.devices[i]),
                                                 "chunks", (json_int_t)r->device[i].chunks, "items",
                                                 (json_int_t)r->device[i].items));
    return devices;
}

static void put_path(json_t *list, const char *file, const haul_map_path *path) {
    if (path->files == HAUL_MAP_FILES_AUTO) return;
    json_array_append_new(
        list, json_pack("{s:s, s:s, s:s}", "file", file, "how", stream_files[path->files], "reason", path->reason));
}

/* Returns how each file was moved. */
static json_t *files_of(const stream_job *job, const haul_map_report *r) {
    json_t *list = json_array();
    for (size_t i = 0; i < job->map.input_count; i++) put_path(list, job->map.inputs[i].path, &r->inputs[i]);
    put_path(list, job->map.output.path, &r->output);
    return list;
}

static json_t *ranks_of(const rank_figures *ranks, unsigned count) {
    json_t *list = json_array();
    for (unsigned i = 0; i < count; i++)
        json_array_append_new(list,
                              json_pack("{s:s, s:I, s:I, s:I, s:f}", "device", ranks[i].device, "items",
                                        (json_int_t)ranks[i].items, "complete", (json_int_t)ranks[i].complete_items,
                                        "bytes", (json_int_t)ranks[i].bytes, "elapsed_us", ranks[i].elapsed_us));
    return list;
}

/* `ran` is the status of the run, which may have failed; ranks: NULL if it has. json_pack() returns NULL if any of its
 * parts is NULL. */
static haul_status print_json(const stream_job *job, const haul_map_report *r, const rank_figures *ranks,
                              haul_status ran) {
    const haul_timeline *t = &r->timeline;
    json_t *line =
        json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:i, s:i, s:I, s:I, s:f, s:s, s:f, s:o, s:o, s:o}", "device",
                  haul_device_name(job->session.device), "numbers", stamp_of(t), "status", haul_status_text(ran),
                  "items", (json_int_t)r->items, "chunks", (json_int_t)r->chunks, "chunk_items",
                  (json_int_t)r->chunk_items, "depth", (int)r->depth, "threads", (int)r->threads, "device_bytes",
                  (json_int_t)r->device_bytes, "pinned_bytes", (json_int_t)r->host_bytes, "elapsed_us", t->elapsed_us,
                  "busiest", haul_engine_names[haul_timeline_busiest(t)], "efficiency", haul_timeline_efficiency(t),
                  "engines", engines_of(t), "complete", complete_of(r), "devices", devices_of(job, r));
    text out = {0};
    if (line) json_object_set_new(line, "resumed_chunks", json_integer((json_int_t)r->resumed_chunks));
    if (line) json_object_set_new(line, "halo_bytes", json_integer((json_int_t)r->halo_bytes));
    if (line) json_object_set_new(line, "cufile_bytes", json_integer((json_int_t)r->cufile_bytes));
    if (line) json_object_set_new(line, "files", files_of(job, r));
    if (line && ranks && haul_ranks_count(job->ranks) > 1)
        json_object_set_new(line, "ranks", ranks_of(ranks, haul_ranks_count(job->ranks)));
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

/* Rank 0 speaks for all, and files of reports are its own. */
static haul_status put_all(const cli_values *v, const stream_job *job, const haul_map_report *r,
                           const rank_figures *ranks) {
    if (!cli_ranks_speaks(job->ranks)) return HAUL_OK;
    HAUL_TRY(write_timelines(v, &r->timeline));
    if (v->html) HAUL_TRY(put_report(job, r, ranks, v->html));
    if (v->quiet) return HAUL_OK;
    return v->json ? print_json(job, r, ranks, HAUL_OK) : put_report(job, r, ranks, NULL);
}

static haul_status publish(const cli_values *v, const stream_job *job, const haul_map_report *r) {
    rank_figures *ranks = NULL;
    haul_status status = gather_figures(job, r, &ranks);
    if (status == HAUL_OK) status = put_all(v, job, r, ranks);
    memory_free(ranks);
    return status;
}

/* ---- the command ---- */

static bool keeps_partial(const cli_values *v, const stream_job *job) {
    return v->stream_out && (v->keep_partial || v->resume || haul_ranks_count(job->ranks) > 1);
}

/* Names the rank if there are several. */
static void put_who(const stream_job *job, text *out) {
    text_put(out, "haul stream: ");
    if (haul_ranks_count(job->ranks) > 1) text_printf(out, "rank %u: ", haul_ranks_rank(job->ranks));
}

/* After a failure, says which items are complete, with a line for each range or as JSON. Printing may overwrite the
 * message of the failure, so it is saved and set again for cli_fail(). */
static void tell_complete(const cli_values *v, const stream_job *job, const haul_map_report *r, haul_status failed) {
    char message[1024];
    text out = {0};
    snprintf(message, sizeof message, "%s", haul_message());
    if (v->json && r->chunks && cli_ranks_speaks(job->ranks)) (void)print_json(job, r, NULL, failed);
    for (size_t i = 0; i < r->complete_count; i++) {
        put_who(job, &out);
        text_printf(&out, "items %llu to %llu are complete%s\n", (unsigned long long)r->complete[i].first,
                    (unsigned long long)(r->complete[i].first + r->complete[i].items - 1),
                    keeps_partial(v, job) ? " in the .partial file" : "");
    }
    if (r->complete_count && keeps_partial(v, job) && cli_ranks_speaks(job->ranks))
        text_printf(&out, "haul stream: to continue there, give the same command with --resume\n");
    if (!v->quiet && !out.failed) fputs(text_string(&out), stderr);
    text_free(&out);
    (void)haul_fail(failed, "%s", message);
}

/* A signal removes an incomplete output, or says where it stays. */
static void prepare_for_signals(const cli_values *v, const stream_job *job) {
    text partial = {0}, line = {0};
    if (!v->stream_out) return;
    text_printf(&partial, "%s.partial", v->stream_out);
    put_who(job, &line);
    text_printf(&line, "stopped; what is complete stays in %s: give the same command with --resume to continue",
                text_string(&partial));
    if (!keeps_partial(v, job))
        progress_remove_on_signal(partial.failed ? NULL : text_string(&partial));
    else if (!line.failed)
        progress_say_on_signal(text_string(&line));
    text_free(&partial);
    text_free(&line);
}

/* Runs the map --repeat times and stops at the first failure; `r` has the last run's report. */
static haul_status run_all(const cli_values *v, stream_job *job, haul_map_report *r) {
    haul_mapper *mapper;
    HAUL_TRY(haul_mapper_create(&job->map, &mapper));
    progress_bytes(0, job->map.items * job->map.output.item_bytes);
    stream_job_fill(job);
    prepare_for_signals(v, job);
    haul_status status = haul_mapper_run(mapper, r);
    for (uint64_t i = 1; status == HAUL_OK && i < v->stream_repeat; i++) {
        haul_map_report_free(r);
        status = haul_mapper_run(mapper, r);
    }
    progress_remove_on_signal(NULL);
    progress_say_on_signal(NULL);
    progress_clear();
    haul_mapper_free(mapper);
    return status;
}

static haul_status check_files(const cli_values *v) {
    HAUL_TRY(check_timeline_paths(v));
    if (v->resume && !v->stream_out)
        return haul_fail(HAUL_ERROR_ARGUMENT, "--resume continues an output file: add --out FILE");
    return v->html ? file_check_output(v->html) : HAUL_OK;
}

/* A rank that cannot open its job tells the others, which would wait for it. */
static haul_status open_job(const cli_values *v, stream_job *job) {
    HAUL_TRY(cli_ranks_open(&job->ranks));
    haul_status status = check_files(v);
    if (status == HAUL_OK) status = stream_job_open(job, v, job->ranks);
    if (status == HAUL_OK) status = stream_job_warm_up(job);
    return haul_ranks_agree(job->ranks, status);
}

static haul_status stream(const cli_values *v, stream_job *job, haul_map_report *r) {
    HAUL_TRY(open_job(v, job));
    job->map.progress = show_progress;
    job->map.progress_context = job;
    const haul_status status = run_all(v, job, r);
    if (status == HAUL_OK) return publish(v, job, r);
    tell_complete(v, job, r, status);
    return status;
}

/* The ranks agree on a failure, so that one line of it is enough. */
static int end(const stream_job *job, haul_status status) {
    if (status == HAUL_OK) return CLI_FINE;
    return cli_ranks_speaks(job->ranks) ? cli_fail("stream") : CLI_ERROR;
}

int cli_run_stream(const cli_values *v) {
    stream_job job = {0};
    haul_map_report report = {0};
    const int code = end(&job, stream(v, &job, &report));
    haul_map_report_free(&report);
    stream_job_close(&job);
    haul_ranks_close(job.ranks);
    return code;
}
