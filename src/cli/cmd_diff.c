/* haul diff: compares two versions of a kernel, by launch and source line.
 *
 * Each side becomes a snapshot (report/diff/snapshot.h): read from a file of results, or made by running launches.
 * src/report/diff compares the two. This file sorts the operands into sides. A side that is run is a copy of the
 * command line's values with its own files, so that sessions need not know of sides; those of a revision are in a
 * temporary folder (cli/revision.h). The default device is a virtual GPU, because its numbers are the same everywhere.
 */
#include "base/file.h"
#include "base/status.h"
#include "cli/publish.h"
#include "cli/revision.h"
#include "cli/session.h"
#include "cli/sources.h"
#include "lib/compile.h"
#include "lib/device.h"
#include "report/diff/diff.h"
#include "report/json.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* More than these in a baseline's launch is a failure if the user sets no limits. */
static const char *const usual_limits[] = {"sectors>0", "shared_wavefronts>0", "findings>0"};
enum { USUAL = sizeof usual_limits / sizeof *usual_limits, USUAL_UNCHECKED = USUAL - 1 };

typedef struct differ {
    const cli_values *values;
    arena memory; /* copies of values, names */
    report_snapshot before, after;
    cli_revision revision;
    const char *device; /* of both sides; NULL: sim */
    bool checks;        /* launches are checked for findings */
    report_limit *limits;
    size_t limit_count;
    report_diff diff;
    report_breaches breaches;
    text out;
} differ;

/* ---- running a side ---- */

/* A side's sessions: `real` has a device if that is a GPU. */
typedef struct side {
    differ *d;
    const cli_values *values;
    cli_session simulated, real;
    cli_sources sources;
    report_checker checker;
    report_snapshot *snapshot;
} side;

/* Without ncu, or without permission to read counters, there are still times. */
static haul_status open_real(side *s, const char *device, const haul_device_options *options) {
    HAUL_TRY(cli_session_open_on(&s->real, s->values, device, options));
    const haul_status status = cli_session_read_counters(&s->real, s->values, 1);
    return status == HAUL_ERROR_NOT_FOUND || status == HAUL_ERROR_DRIVER ? HAUL_OK : status;
}

/* Lines come from a virtual GPU, also if a GPU measures times and counters. */
static haul_status open_side(side *s) {
    const char *device = s->d->device ? s->d->device : "sim";
    haul_device_options options = cli_device_options(s->values);
    char twin[32];
    if (strncmp(device, "gpu", 3) == 0) {
        HAUL_TRY(open_real(s, device, &options));
        device_name_twin(s->real.device, twin);
        device = twin;
    }
    options.check = s->d->checks;
    HAUL_TRY(cli_session_open_on(&s->simulated, s->values, device, &options));
    return cli_sources_open(&s->sources, s->values, &s->simulated);
}

/* A kernel's fault is a finding if launches are checked; else it ends the command. */
static haul_status run_launch(side *s, size_t index, const haul_launch_record **record) {
    const haul_status status = cli_session_run(&s->simulated, &s->simulated.launches.items[index], record);
    const bool is_finding = *record && (*record)->checked && (*record)->finding_count;
    return is_finding ? HAUL_OK : status;
}

static haul_status measure(side *s, size_t index, const haul_launch_record **record) {
    if (!s->real.device) return HAUL_OK;
    HAUL_TRY(cli_session_run(&s->real, &s->real.launches.items[index], record));
    return cli_session_time(&s->real, s->values, &s->real.launches.items[index]);
}

/* Hashes of the buffers, textures and variables that the kernel may have written. */
static size_t take_outputs(const launch_description *d, uint64_t *outputs) {
    size_t count = 0;
    for (size_t i = 0; i < launch_value_count(d); i++)
        if (d->arguments[i].hash) outputs[count++] = d->arguments[i].hash;
    return count;
}

static haul_status add_launch(side *s, const launch_description *launch, const haul_launch_record *record,
                              report_snapshot_facts *facts) {
    uint64_t *outputs = ARENA_ARRAY(&s->d->memory, launch_value_count(launch), uint64_t);
    const report_checked_launch checked = {.id = launch->id, .record = record, .module = s->simulated.used->path};
    report_verdict verdict;
    if (!outputs) return haul_no_memory("the comparison");
    facts->outputs = outputs;
    facts->output_count = take_outputs(launch, outputs);
    if (!s->d->checks) return report_snapshot_add(s->snapshot, record, facts);
    haul_status status = report_check_launch(&s->checker, &checked, &verdict);
    facts->verdict = &verdict;
    if (status == HAUL_OK) status = report_snapshot_add(s->snapshot, record, facts);
    report_verdict_free(&verdict);
    return status;
}

static haul_status run_all(side *s) {
    HAUL_TRY(open_side(s));
    s->sources.files.folders_first = s->snapshot->root != NULL;
    report_checker_init(&s->checker, &s->sources.files, HAUL_GRADE_ADVICE, HAUL_GRADE_WARNING);
    s->snapshot->device =
        arena_printf(&s->snapshot->memory, "%s", s->real.device ? s->real.device->name : s->simulated.device->name);
    for (size_t i = 0; i < s->simulated.launches.count; i++) {
        const haul_launch_record *record = NULL, *measured = NULL;
        HAUL_TRY(run_launch(s, i, &record));
        HAUL_TRY(measure(s, i, &measured));
        report_snapshot_facts facts = {.sources = &s->sources.files, .measured = measured};
        HAUL_TRY(add_launch(s, &s->simulated.launches.items[i], record, &facts));
    }
    return HAUL_OK;
}

static haul_status run_side(differ *d, const cli_values *values, report_snapshot *snapshot) {
    side s = {.d = d, .values = values, .snapshot = snapshot};
    const haul_status status = run_all(&s);
    report_checker_free(&s.checker);
    cli_sources_close(&s.sources);
    cli_session_close(&s.real);
    cli_session_close(&s.simulated);
    return status;
}

/* ---- operands ---- */

static bool is_kernels(const char *path) {
    const size_t length = strlen(path);
    return compile_is_source(path) || (length > 4 && strcmp(path + length - 4, ".ptx") == 0);
}

/* The command line of a side: the first kernel of --kernel is A's, the last one B's. */
static cli_values values_of(const differ *d, bool is_after) {
    cli_values v = *d->values;
    const text_list *kernels = &d->values->kernels;
    if (kernels->count) v.kernel = kernels->items[is_after ? kernels->count - 1 : 0];
    return v;
}

/* Reads the file if it has results; *is_there: it has. A file of launches, or of kernels, has none. */
static haul_status read_results(report_snapshot *s, const char *path, bool *is_there) {
    text content = {0};
    *is_there = false;
    if (is_kernels(path)) return HAUL_OK;
    haul_status status = file_read(path, &content);
    if (status == HAUL_OK) *is_there = report_is_snapshot(text_string(&content), content.length);
    if (status == HAUL_OK && *is_there) status = report_snapshot_read(s, path, text_string(&content), content.length);
    text_free(&content);
    return status;
}

static haul_status read_or_run(differ *d, const cli_values *values, const char *path, report_snapshot *snapshot) {
    bool is_there;
    snapshot->label = path;
    HAUL_TRY(read_results(snapshot, path, &is_there));
    return is_there ? HAUL_OK : run_side(d, values, snapshot);
}

/* ---- A and B ---- */

static size_t count_kernels(const text_list *operands) {
    size_t count = 0;
    for (size_t i = 0; i < operands->count; i++) count += is_kernels(operands->items[i]);
    return count;
}

/* The index of the first or the last operand that is a file of kernels, or is none. */
static size_t find_operand(const text_list *operands, bool kernels, bool last) {
    size_t found = operands->count;
    for (size_t i = 0; i < operands->count; i++)
        if (is_kernels(operands->items[i]) == kernels && (last || found == operands->count)) found = i;
    return found;
}

static haul_status take_side(differ *d, bool is_after, size_t own, size_t other) {
    const text_list *operands = &d->values->operands;
    cli_values v = values_of(d, is_after);
    v.operands = (text_list){.items = ARENA_ARRAY(&d->memory, operands->count + 1, const char *)};
    if (!v.operands.items) return haul_no_memory("the command line");
    for (size_t i = 0; i < operands->count; i++)
        if (i == own || i != other) v.operands.items[v.operands.count++] = operands->items[i];
    return read_or_run(d, &v, operands->items[own], is_after ? &d->after : &d->before);
}

/* A launch file beside a single source leaves nothing to compare. */
static haul_status check_results(const char *path) {
    text content = {0};
    haul_status status = file_read(path, &content);
    if (status == HAUL_OK && !report_is_snapshot(text_string(&content), content.length))
        status = haul_fail(HAUL_ERROR_ARGUMENT,
                           "%s: has no results to compare with: name a second source, or --rev REVISION", path);
    text_free(&content);
    return status;
}

/* Two files of kernels share the launch files behind them. Else there are two operands, whatever they are. */
static haul_status compare_operands(differ *d) {
    const text_list *operands = &d->values->operands;
    const size_t kernels = count_kernels(operands);
    if (kernels == 2 || (kernels == 1 && operands->count == 1 && d->values->kernels.count == 2)) {
        const size_t a = find_operand(operands, true, false), b = find_operand(operands, true, true);
        HAUL_TRY(take_side(d, false, a, b));
        return take_side(d, true, b, a);
    }
    if (operands->count == 2 && kernels < 2) {
        if (kernels) HAUL_TRY(check_results(operands->items[find_operand(operands, false, false)]));
        HAUL_TRY(take_side(d, false, 0, 1));
        return take_side(d, true, 1, 0);
    }
    return haul_fail(HAUL_ERROR_ARGUMENT,
                     "give two files to compare, or --rev REVISION, or --baseline FILE: `haul diff "
                     "--help` shows how");
}

/* ---- a revision ---- */

static haul_status move_list(differ *d, text_list *list, bool must_be_there) {
    const text_list given = *list;
    list->items = ARENA_ARRAY(&d->memory, given.count + 1, const char *);
    if (!list->items) return haul_no_memory("the command line");
    for (size_t i = 0; i < given.count; i++) {
        const char *path = cli_revision_path(&d->revision, given.items[i], &d->memory);
        if (!path && (must_be_there || is_kernels(given.items[i])))
            return haul_fail(HAUL_ERROR_ARGUMENT, "%s: is not in %s", given.items[i], d->revision.name);
        list->items[i] = path ? path : given.items[i];
    }
    return HAUL_OK;
}

/* Launch files and folders that the revision lacks are those of the working tree. */
static haul_status run_revision(differ *d, const char *path) {
    cli_values v = values_of(d, false);
    HAUL_TRY(cli_revision_open(&d->revision, d->values->revision, path));
    HAUL_TRY(move_list(d, &v.operands, false));
    HAUL_TRY(move_list(d, &v.ptx, true));
    HAUL_TRY(move_list(d, &v.include, false));
    HAUL_TRY(move_list(d, &v.source, false));
    d->before.label = arena_printf(&d->memory, "%s at %s", path, d->revision.name);
    d->before.root = text_string(&d->revision.tree);
    d->before.stands_for = text_string(&d->revision.top);
    HAUL_TRY(run_side(d, &v, &d->before));
    d->before.root = d->before.stands_for = NULL;
    cli_revision_close(&d->revision);
    return HAUL_OK;
}

static haul_status compare_revision(differ *d) {
    const cli_values *v = d->values;
    const cli_values after = values_of(d, true);
    if (!v->operands.count && !v->ptx.count)
        return haul_fail(HAUL_ERROR_ARGUMENT, "--rev %s: name the sources or launch files to compare", v->revision);
    const char *path = v->operands.count ? v->operands.items[0] : v->ptx.items[0];
    HAUL_TRY(run_revision(d, path));
    d->after.label = path;
    return run_side(d, &after, &d->after);
}

/* ---- a baseline ---- */

static haul_status read_baseline(differ *d) {
    const char *path = d->values->baseline;
    bool is_there;
    d->before.label = path;
    if (access(path, F_OK) != 0)
        return haul_fail(HAUL_ERROR_FILE, "%s: there is no such baseline: add --update to write it", path);
    HAUL_TRY(read_results(&d->before, path, &is_there));
    if (!is_there) return haul_fail(HAUL_ERROR_SYNTAX, "%s: is not a baseline: --update writes one", path);
    if (d->values->device && d->before.device && strcmp(d->values->device, d->before.device) != 0)
        return haul_fail(HAUL_ERROR_ARGUMENT, "%s: is a baseline of %s, not of --device %s", path, d->before.device,
                         d->values->device);
    if (!d->device) d->device = d->before.device;
    bool checked = false;
    for (size_t i = 0; i < d->before.launch_count; i++) checked |= d->before.launches[i].checked;
    if (d->checks && !checked)
        return haul_fail(HAUL_ERROR_ARGUMENT, "%s: has no findings: write it with --update --check", path);
    d->checks = checked;
    return HAUL_OK;
}

static haul_status run_for_baseline(differ *d) {
    const cli_values *v = d->values, after = values_of(d, true);
    if (!v->operands.count && !v->ptx.count)
        return haul_fail(HAUL_ERROR_ARGUMENT, "--baseline %s: name the launches to compare with it", v->baseline);
    const char *path = v->operands.count ? v->operands.items[0] : v->ptx.items[0];
    return read_or_run(d, &after, path, &d->after);
}

static haul_status update_baseline(differ *d) {
    text file = {0};
    HAUL_TRY(file_check_output(d->values->baseline));
    HAUL_TRY(run_for_baseline(d));
    haul_status status = report_snapshot_write(&d->after, &file);
    if (status == HAUL_OK) status = file_write(d->values->baseline, &file);
    text_free(&file);
    HAUL_TRY(status);
    if (!d->values->quiet)
        text_printf(&d->out, "%s: written, %zu launch%s\n", d->values->baseline, d->after.launch_count,
                    d->after.launch_count == 1 ? "" : "es");
    return cli_print(&d->out);
}

/* ---- the result ---- */

static haul_status read_limits(differ *d) {
    const text_list *given = &d->values->fail_on;
    const bool usual = d->values->baseline && !given->count;
    d->limit_count = !usual ? given->count : d->checks ? USUAL : USUAL_UNCHECKED;
    d->limits = ARENA_ARRAY(&d->memory, d->limit_count, report_limit);
    if (!d->limits) return haul_no_memory("the limits");
    for (size_t i = 0; i < d->limit_count; i++)
        HAUL_TRY(report_read_limit(usual ? usual_limits[i] : given->items[i], &d->limits[i]));
    return HAUL_OK;
}

static haul_status write_page(differ *d) {
    text page = {0};
    report_document *document = report_document_new("diff", "What changed");
    report_add_diff(document, &d->diff, &d->breaches);
    haul_status status = report_write_html(document, &page);
    if (status == HAUL_OK) status = file_write(d->values->html, &page);
    report_document_free(document);
    text_free(&page);
    return status;
}

/* Limits stand on lines of their own at the end, for logs of builds. */
static haul_status print_text(differ *d) {
    const report_breaches none = {0};
    report_document *document = report_document_new("diff", NULL);
    report_add_diff(document, &d->diff, &none);
    haul_status status =
        d->diff.changed ? report_write_text(document, report_terminal_of(STDOUT_FILENO), &d->out) : HAUL_OK;
    report_document_free(document);
    if (d->diff.changed && d->breaches.count) text_put(&d->out, "\n");
    for (size_t i = 0; i < d->breaches.count; i++) {
        report_put_breach(&d->breaches.items[i], &d->out);
        text_put(&d->out, "\n");
    }
    return status == HAUL_OK ? cli_print(&d->out) : status;
}

static haul_status print(differ *d) {
    if (d->values->html) HAUL_TRY(write_page(d));
    if (d->values->quiet) return HAUL_OK;
    if (!d->values->json) return print_text(d);
    json_t *json = NULL;
    HAUL_TRY(report_diff_json(&d->diff, &d->breaches, &json));
    HAUL_TRY(report_json_put(json, JSON_COMPACT, &d->out));
    return cli_print(&d->out);
}

/* ---- all of it ---- */

static haul_status check_options(const cli_values *v) {
    if (v->update && !v->baseline) return haul_fail(HAUL_ERROR_ARGUMENT, "--update: needs --baseline FILE");
    if (v->revision && v->baseline)
        return haul_fail(HAUL_ERROR_ARGUMENT, "--rev and --baseline: give one of them, each is side A");
    if (v->kernels.count > 2)
        return haul_fail(HAUL_ERROR_ARGUMENT, "--kernel: there are two sides, so at most two kernels");
    return v->html ? file_check_output(v->html) : HAUL_OK;
}

static haul_status make_sides(differ *d) {
    if (d->values->revision) return compare_revision(d);
    if (!d->values->baseline) return compare_operands(d);
    HAUL_TRY(read_baseline(d));
    return run_for_baseline(d);
}

static haul_status compare(differ *d) {
    const cli_values *v = d->values;
    HAUL_TRY(check_options(v));
    d->checks = v->with_check;
    d->device = v->device && strcmp(v->device, "auto") != 0 ? v->device : NULL;
    HAUL_TRY(read_limits(d)); /* errors in them show before anything runs */
    if (v->update) return update_baseline(d);
    HAUL_TRY(make_sides(d));
    HAUL_TRY(read_limits(d)); /* a baseline may have decided that launches are checked */
    HAUL_TRY(report_diff_make(&d->diff, &d->before, &d->after));
    HAUL_TRY(report_judge(&d->diff, d->limits, d->limit_count, v->baseline != NULL, &d->breaches));
    return print(d);
}

int cli_run_diff(const cli_values *v) {
    differ d = {.values = v};
    const haul_status status = compare(&d);
    const bool failed = d.breaches.count > 0;
    report_breaches_free(&d.breaches);
    report_diff_free(&d.diff);
    report_snapshot_free(&d.before);
    report_snapshot_free(&d.after);
    cli_revision_close(&d.revision);
    arena_free(&d.memory);
    text_free(&d.out);
    if (status != HAUL_OK) return cli_fail("diff");
    return failed ? CLI_FINDINGS : CLI_FINE;
}
