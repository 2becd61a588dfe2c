/* Implements cli/publish.h. Formats are made by src/report/write; this file names the files and writes them. Files are
 * written through file_write(), which also writes to standard output as "-". */
#include "cli/publish.h"

#include "base/file.h"
#include "base/status.h"
#include "cli/progress.h"
#include "report/ncu/ncu.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Parent folders must exist. */
haul_status cli_make_folder(const char *folder) {
    struct stat about;
    if (mkdir(folder, 0777) == 0) return HAUL_OK;
    if (errno != EEXIST) return haul_fail(HAUL_ERROR_FILE, "%s: cannot be made: %s", folder, strerror(errno));
    if (stat(folder, &about) == 0 && !S_ISDIR(about.st_mode))
        return haul_fail(HAUL_ERROR_FILE, "%s: is a file, not a folder", folder);
    if (access(folder, W_OK | X_OK) == 0) return HAUL_OK;
    return haul_fail(HAUL_ERROR_FILE, "%s: cannot be written to: %s", folder, strerror(errno));
}

haul_status cli_save(const char *folder, const char *name, const text *content) {
    text path = {0};
    text_printf(&path, "%s/%s", folder, name);
    haul_status status = path.failed ? haul_no_memory("a file's name") : file_write(text_string(&path), content);
    text_free(&path);
    return status;
}

/* Saves the content, if it could be made, as NAME plus ending. */
static haul_status save_as(const char *folder, const char *name, const char *ending, haul_status made,
                           const text *content) {
    text file = {0};
    if (made != HAUL_OK) return made;
    text_printf(&file, "%s%s", name, ending);
    haul_status status = file.failed ? haul_no_memory("a file's name") : cli_save(folder, text_string(&file), content);
    text_free(&file);
    return status;
}

/* ---- tables ---- */

/* Returns how many tables of that name the section has before this one: a section may have several with one name. */
static size_t count_namesakes(const report_section *s, const report_table *t) {
    size_t count = 0;
    for (const report_block *b = s->blocks; b && b->table != t; b = b->next)
        count += b->kind == REPORT_BLOCK_TABLE && strcmp(b->table->name, t->name) == 0;
    return count;
}

/* Writes SECTION-TABLE.csv; a second table of one name becomes SECTION-TABLE-2.csv. */
static haul_status save_table(const char *folder, const report_section *s, const report_table *t) {
    text name = {0}, out = {0};
    const size_t namesakes = count_namesakes(s, t);
    text_printf(&name, "%s-%s", s->name, t->name);
    if (namesakes) text_printf(&name, "-%zu", namesakes + 1);
    haul_status status = name.failed ? haul_no_memory("a file's name") : report_write_csv(t, &out);
    status = save_as(folder, text_string(&name), ".csv", status, &out);
    text_free(&name);
    text_free(&out);
    return status;
}

static haul_status save_tables(const char *folder, const report_document *d) {
    HAUL_TRY(cli_make_folder(folder));
    for (const report_section *s = d->sections; s; s = s->next)
        for (const report_block *b = s->blocks; b; b = b->next)
            if (b->kind == REPORT_BLOCK_TABLE) HAUL_TRY(save_table(folder, s, b->table));
    return HAUL_OK;
}

/* ---- documents ---- */

/* Writes the JSON and the web page; `out` is reused for both. */
static haul_status save_pages(const char *folder, const report_document *d, text *out) {
    HAUL_TRY(save_as(folder, d->name, ".json", report_write_json(d, out), out));
    text_clear(out);
    return save_as(folder, "report", ".html", report_write_html(d, out), out);
}

/* Makes the folder, and in it tables/. A failure leaves what was written before. */
haul_status cli_save_document(const char *folder, const report_document *d) {
    text out = {0}, tables = {0};
    text_printf(&tables, "%s/tables", folder);
    haul_status status = tables.failed ? haul_no_memory("a file's name") : cli_make_folder(folder);
    if (status == HAUL_OK) status = save_pages(folder, d, &out);
    if (status == HAUL_OK) status = save_tables(text_string(&tables), d);
    text_free(&out);
    text_free(&tables);
    return status;
}

haul_status cli_save_chart(const char *folder, const char *name, const report_chart *chart) {
    text svg = {0};
    haul_status status = save_as(folder, name, ".svg", report_write_svg(chart, &svg), &svg);
    text_free(&svg);
    return status;
}

haul_status cli_put_document(const report_document *d, const cli_values *v, text *out) {
    if (v->json) return report_write_json(d, out);
    return v->quiet ? HAUL_OK : report_write_text(d, report_terminal_of(STDOUT_FILENO), out);
}

/* The line of progress goes first, or text and line would mix. */
haul_status cli_print(text *out) {
    progress_clear();
    haul_status status = file_write("-", out);
    text_clear(out);
    return status;
}

static void note_missing(const report_ncu_table *t) {
    text names = {0};
    report_ncu_put_missing(t, &names);
    if (names.length)
        fprintf(stderr, "haul profile: haul does not have these metrics, so they are n/a: %s\n", text_string(&names));
    text_free(&names);
}

haul_status cli_check_csv(const cli_values *v) {
    report_ncu_table *t = NULL;
    if (!v->csv && (v->page || v->metrics || v->kernel_base))
        return haul_fail(HAUL_ERROR_ARGUMENT, "--%s: is for --csv, which is not given",
                         v->page      ? "page"
                         : v->metrics ? "metrics"
                                      : "print-kernel-base");
    if (!v->csv) return HAUL_OK;
    if (v->json) return haul_fail(HAUL_ERROR_ARGUMENT, "--csv and --json: give one of them");
    HAUL_TRY(report_ncu_open(&(report_ncu_options){v->page, v->kernel_base, v->metrics, NULL}, &t));
    if (!v->quiet) note_missing(t);
    report_ncu_close(t);
    return HAUL_OK;
}
