/* haul bench: the shipped kernels against peers, in one run, as ratios.
 *
 * The command measures the ceiling, a plain copy, and then row after row (measure.c), and makes one document of all
 * results (report.c). Rows are independent: one that fails, or whose results are wrong, makes the exit status 1 and is
 * reported with the others. */
#include "base/status.h"
#include "cli/bench/report.h"
#include "cli/progress.h"
#include "cli/publish.h"
#include "cli/session.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Limit for arrays on a virtual GPU, where a row runs for its estimate and should not take minutes. */
static const uint64_t small_bytes = 16 << 20;

static void list_rows(void) {
    for (size_t i = 0; i < bench_row_count; i++) {
        text title = {0};
        bench_rows[i].work->describe(&bench_rows[i].size, &title);
        printf("%-14s %s\n", bench_rows[i].name, text_string(&title));
        text_free(&title);
    }
}

/* ---- measuring ---- */

/* Whether the row was named, by its own name or its work's; all are without names. */
static bool wanted(const bench_row *row, const text_list *names) {
    for (size_t i = 0; i < names->count; i++) {
        if (bench_row_is(row, names->items[i])) return true;
    }
    return names->count == 0;
}

/* Checks the names before the device is opened. Call close_bench() also after an error. */
static haul_status open_bench(bench *b, const cli_values *v) {
    const haul_device_options options = cli_device_options(v);
    for (size_t i = 0; i < v->operands.count; i++) HAUL_TRY(bench_check_name(v->operands.items[i]));
    HAUL_TRY(haul_device_open(v->device ? v->device : "auto", &options, &b->device));
    b->options = (bench_options){
        .rounds = v->repeat > 100000 ? 100000 : (unsigned)v->repeat, .most_bytes = v->size, .forms = v->forms};
    if (!v->size && haul_device_is_virtual(b->device)) b->options.most_bytes = small_bytes;
    HAUL_TRY(haul_kernels_open(b->device, &b->kernels));
    return bench_peers_load(&b->peers, v->peers.items, v->peers.count, b->device, &b->memory);
}

/* Says on a terminal which row is measured: on a GPU one takes seconds. */
static haul_status measure(bench *b, const cli_values *v) {
    HAUL_TRY(bench_measure_ceiling(b));
    for (size_t i = 0; i < bench_row_count; i++) {
        const bench_row *row = &bench_rows[i];
        if (!wanted(row, &v->operands)) continue;
        progress_clear();
        if (!v->quiet && isatty(STDERR_FILENO)) fprintf(stderr, "haul bench: %s\n", row->name);
        HAUL_TRY(bench_measure_row(b, row));
    }
    return HAUL_OK;
}

static void close_bench(bench *b) {
    haul_kernels_close(b->kernels);
    haul_device_close(b->device);
    bench_peers_free(&b->peers);
    arena_free(&b->memory);
}

/* ---- publishing ---- */

static haul_status publish(const report_document *d, const report_chart *chart, const cli_values *v) {
    text out = {0};
    haul_status status = v->out ? cli_save_document(v->out, d) : HAUL_OK;
    if (status == HAUL_OK && v->out) status = cli_save_chart(v->out, "bench", chart);
    if (status == HAUL_OK) status = cli_put_document(d, v, &out);
    if (status == HAUL_OK) status = cli_print(&out);
    text_free(&out);
    return status;
}

static haul_status run(bench *b, const cli_values *v) {
    report_document *d = report_document_new("bench", "haul's kernels against peers");
    report_chart *chart = NULL;
    haul_status status = v->out ? cli_make_folder(v->out) : HAUL_OK;
    if (status == HAUL_OK) status = open_bench(b, v);
    if (status == HAUL_OK) status = measure(b, v);
    if (status == HAUL_OK) {
        bench_stamp(b, d, v->argc, v->argv);
        status = bench_report(b, d, &chart);
    }
    if (status == HAUL_OK) status = publish(d, chart, v);
    report_document_free(d);
    return status;
}

int cli_run_bench(const cli_values *v) {
    bench b = {0};
    if (v->list) {
        list_rows();
        return CLI_FINE;
    }
    b.last = &b.results;
    haul_status status = run(&b, v);
    int code = b.wrong ? CLI_FINDINGS : CLI_FINE;
    if (status != HAUL_OK) code = cli_fail("bench");
    close_bench(&b);
    return code;
}
