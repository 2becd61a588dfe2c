/* Writes a comparison: as sections of a document, and as JSON. */
#include "base/status.h"
#include "report/diff/diff.h"
#include "report/json.h"

#include <math.h>
#include <string.h>

/* ---- names ---- */

/* "kernel.cu:12", or the name of the file and the code of a line whose number is not known. */
static void put_line_name(const report_line_pair *pair, text *out) {
    const report_snapshot_line *line = pair->after ? pair->after : pair->before;
    text_put(out, line->file);
    if (line->line) text_printf(out, ":%u", line->line);
}

static const char *code_of(const report_line_pair *pair) {
    return pair->after ? pair->after->code : pair->before->code;
}

static void put_number(text *out, report_unit unit, double value) {
    char number[REPORT_NUMBER_SIZE];
    text_put(out, report_format(unit, value, number));
}

/* "+25.0%", or the difference if there was nothing before. */
static void put_growth(text *out, report_unit unit, double before, double after) {
    const double change = after - before;
    if (isnan(before) || isnan(after)) return;
    if (before != 0) {
        text_printf(out, "%+.*f%%", fabs(change) < 0.001 * fabs(before) ? 4 : 1, 100 * change / fabs(before));
        return;
    }
    text_put(out, change > 0 ? "+" : "");
    put_number(out, unit, change);
}

static const char *name_of(const report_launch_pair *pair) {
    return pair->after ? pair->after->kernel : pair->before->kernel;
}

/* "256 x 4 blocks" */
static void put_extent(text *out, const uint32_t extent[3], const char *unit) {
    text_printf(out, "%u", extent[0]);
    if (extent[1] > 1 || extent[2] > 1) text_printf(out, " x %u", extent[1]);
    if (extent[2] > 1) text_printf(out, " x %u", extent[2]);
    const bool one = extent[0] == 1 && extent[1] == 1 && extent[2] == 1;
    text_printf(out, " %s%s", unit, one ? "" : "s");
}

/* "256 x 4 blocks of 128 threads" */
static void put_shape(text *out, const report_snapshot_launch *launch) {
    put_extent(out, launch->grid, "block");
    text_put(out, " of ");
    put_extent(out, launch->block, "thread");
    if (launch->shared_bytes) text_printf(out, " and %u bytes of shared memory", launch->shared_bytes);
}

/* A row of a table has no shape. */
static bool has_shape(const report_snapshot_launch *launch) {
    return launch->grid[0] > 0;
}

/* ---- breaches ---- */

static void put_place(const report_breach *b, text *out) {
    if (b->finding && b->finding->line) text_printf(out, "%s:%u: ", b->finding->file, b->finding->line);
    if (!b->line) return;
    put_line_name(b->line, out);
    text_put(out, ": ");
}

void report_put_breach(const report_breach *b, text *out) {
    const report_change *c = &b->change;
    put_place(b, out);
    text_printf(out, "%s: ", name_of(b->launch));
    if (!b->limit) {
        const bool is_new = b->launch->after != NULL;
        put_shape(out, is_new ? b->launch->after : b->launch->before);
        text_printf(out, ": %s: --update changes the baseline",
                    is_new ? "is not in the baseline" : "is in the baseline, but was not launched");
        return;
    }
    if (b->finding) {
        text_printf(out, "new finding %s (--fail-on '%s'): %s", b->finding->kind, b->limit->text,
                    *b->finding->what ? b->finding->what : b->finding->code);
        return;
    }
    if (*b->limit->group) text_printf(out, "%s ", b->limit->group);
    text_printf(out, "%s %s from ", b->limit->name, c->after > c->before ? "grew" : "fell");
    put_number(out, c->unit, c->before);
    text_put(out, " to ");
    put_number(out, c->unit, c->after);
    text_put(out, " (");
    put_growth(out, c->unit, c->before, c->after);
    text_printf(out, ")%s: more than --fail-on '%s' allows", b->of_line ? "" : " in the whole launch", b->limit->text);
    if (b->line && *code_of(b->line)) text_printf(out, ": `%s`", code_of(b->line));
}

/* ---- tables ---- */

static const report_column value_columns[] = {
    {"name", "Launch", REPORT_TEXT, NULL},
    {"before", "Before", REPORT_TEXT, NULL},
    {"after", "After", REPORT_TEXT, NULL},
    {"change", "Change", REPORT_TEXT, NULL},
};

static const report_column line_columns[] = {
    {"line", "Line", REPORT_TEXT, NULL},     {"class", "Class", REPORT_TEXT, NULL},
    {"name", "Metric", REPORT_TEXT, NULL},   {"before", "Before", REPORT_TEXT, NULL},
    {"after", "After", REPORT_TEXT, NULL},   {"change", "Change", REPORT_TEXT, NULL},
    {"source", "Source", REPORT_TEXT, NULL},
};

static const report_column finding_columns[] = {
    {"line", "Line", REPORT_TEXT, NULL},
    {"change", "Finding", REPORT_TEXT, "new, gone, or with another number of threads"},
    {"kind", "Kind", REPORT_TEXT, NULL},
    {"what", "What", REPORT_TEXT, NULL},
};

#define COLUMNS(columns) columns, sizeof(columns) / sizeof *(columns)

static void add_number(report_table *t, report_unit unit, double value) {
    char number[REPORT_NUMBER_SIZE];
    if (isnan(value))
        report_add_empty(t);
    else
        report_add_text(t, "%s", report_format(unit, value, number));
}

static void add_change(report_table *t, const report_change *c) {
    text growth = {0};
    report_add_text(t, "%s", c->name);
    add_number(t, c->unit, c->before);
    add_number(t, c->unit, c->after);
    put_growth(&growth, c->unit, c->before, c->after);
    report_add_text(t, "%s", text_string(&growth));
    text_free(&growth);
}

static void add_values(report_section *s, const report_launch_pair *pair) {
    if (!pair->value_count) return;
    report_table *t = report_add_table(s, "values", NULL, COLUMNS(value_columns));
    for (size_t i = 0; i < pair->value_count; i++) report_add_row(t), add_change(t, &pair->values[i]);
}

enum { MOST_CHANGES = 32 };

/* If an access is new or gone, every metric changed; the table shows the main ones. */
static bool is_listed(const report_change *c) {
    static const char *const main_metrics[] = {"sectors/request", "sectors", "shared_wavefronts", "bank_conflicts",
                                               "bytes"};
    for (size_t i = 0; i < sizeof main_metrics / sizeof *main_metrics; i++)
        if (strcmp(main_metrics[i], c->name) == 0) return true;
    return !isnan(c->before) && !isnan(c->after);
}

static void add_line_changes(report_table *t, const report_line_pair *line, haul_memory_class class) {
    report_change changes[MOST_CHANGES];
    text name = {0};
    const size_t count = report_line_changes(line, class, changes, MOST_CHANGES);
    put_line_name(line, &name);
    for (size_t i = 0; i < count; i++) {
        if (!is_listed(&changes[i])) continue;
        report_add_row(t);
        report_add_text(t, "%s", text_string(&name));
        report_add_text(t, "%s", haul_class_names[class]);
        add_change(t, &changes[i]);
        report_add_text(t, "%s", code_of(line));
    }
    text_free(&name);
}

static void add_lines(report_section *s, const report_launch_pair *pair) {
    report_table *t = NULL;
    for (size_t i = 0; i < pair->line_count; i++) {
        if (!pair->lines[i].changed) continue;
        if (!t) t = report_add_table(s, "lines", NULL, COLUMNS(line_columns));
        for (int class = 1; class < HAUL_CLASS_COUNT; class ++)
            add_line_changes(t, &pair->lines[i], (haul_memory_class) class);
    }
}

static const char *change_of(const report_finding_pair *pair) {
    return !pair->before ? "new" : !pair->after ? "gone" : "changed";
}

static void add_findings(report_section *s, const report_launch_pair *pair) {
    report_table *t = NULL;
    for (size_t i = 0; i < pair->finding_count; i++) {
        const report_finding_pair *finding = &pair->findings[i];
        const report_snapshot_finding *f = finding->after ? finding->after : finding->before;
        if (!finding->changed) continue;
        if (!t) t = report_add_table(s, "findings", NULL, COLUMNS(finding_columns));
        report_add_row(t);
        if (f->line)
            report_add_text(t, "%s:%u", f->file, f->line);
        else
            report_add_text(t, "%s", f->file);
        report_add_text(t, "%s", change_of(finding));
        report_add_text(t, "%s", f->kind);
        if (finding->before && finding->after)
            report_add_text(t, "%llu threads, before %llu", (unsigned long long)f->count,
                            (unsigned long long)finding->before->count);
        else
            report_add_text(t, "%s", *f->what ? f->what : f->code);
    }
}

/* ---- the document ---- */

static void add_presence(report_section *s, const report_launch_pair *pair) {
    const report_snapshot_launch *launch = pair->after;
    text shape = {0};
    if (!launch) launch = pair->before;
    if (has_shape(launch)) {
        text_put(&shape, ": ");
        put_shape(&shape, launch);
    }
    report_add_paragraph(s, pair->after ? "New%s." : "Gone%s.", text_string(&shape));
    text_free(&shape);
}

/* The shape, also the one before if that was another. */
static void add_shape(report_section *s, const report_launch_pair *pair) {
    text before = {0}, after = {0};
    if (has_shape(pair->after)) {
        put_shape(&before, pair->before);
        put_shape(&after, pair->after);
        if (strcmp(text_string(&before), text_string(&after)) == 0)
            report_add_paragraph(s, "%s.", text_string(&after));
        else
            report_add_paragraph(s, "%s; before %s.", text_string(&after), text_string(&before));
    }
    text_free(&before);
    text_free(&after);
}

static void add_launch(report_document *d, const report_launch_pair *pair, size_t index) {
    char name[32];
    snprintf(name, sizeof name, "launch-%zu", index);
    report_section *s = report_add_section(d, name, name_of(pair));
    if (!pair->before || !pair->after) {
        add_presence(s, pair);
        return;
    }
    add_shape(s, pair);
    if (strcmp(pair->before->kernel, pair->after->kernel) != 0)
        report_add_paragraph(s, "Compared with %s.", pair->before->kernel);
    if (pair->outputs)
        report_add_note(s, REPORT_WARNING, "Buffers with other contents after the kernel: %zu of %zu.", pair->outputs,
                        pair->after->output_count);
    add_values(s, pair);
    add_lines(s, pair);
    add_findings(s, pair);
}

static void add_breaches(report_document *d, const report_breaches *breaches) {
    if (!breaches->count) return;
    report_section *s = report_add_section(d, "limits", "Limits that were exceeded");
    for (size_t i = 0; i < breaches->count; i++) {
        text line = {0};
        report_put_breach(&breaches->items[i], &line);
        report_add_note(s, REPORT_BAD, "%s", text_string(&line));
        text_free(&line);
    }
}

static void add_side(report_document *d, const char *key, const char *title, const report_snapshot *s) {
    const char *label = s->label ? s->label : "";
    if (s->device)
        report_add_fact(d, key, title, "%s, %s", label, s->device);
    else
        report_add_fact(d, key, title, "%s", label);
}

void report_add_diff(report_document *d, const report_diff *diff, const report_breaches *breaches) {
    add_side(d, "before", "Before", diff->before);
    add_side(d, "after", "After", diff->after);
    if (!diff->changed)
        report_add_paragraph(report_add_section(d, "launches", "Nothing changed"), "Launches that were compared: %zu.",
                             diff->launch_count);
    for (size_t i = 0; i < diff->launch_count; i++)
        if (diff->launches[i].changed) add_launch(d, &diff->launches[i], i);
    add_breaches(d, breaches);
}

/* ---- JSON ---- */

static json_t *change_json(const report_change *c) {
    return json_pack("{s:s, s:s, s:o, s:o}", "name", c->name, "unit", report_unit_names[c->unit], "before",
                     report_json_number(c->before), "after", report_json_number(c->after));
}

static json_t *number_of_line(const report_snapshot_line *line) {
    return line && line->line ? json_integer(line->line) : json_null();
}

static void add_line_json(json_t *lines, const report_line_pair *line) {
    const report_snapshot_line *one = line->after ? line->after : line->before;
    for (int class = 1; class < HAUL_CLASS_COUNT; class ++) {
        report_change changes[MOST_CHANGES];
        const size_t count = report_line_changes(line, (haul_memory_class) class, changes, MOST_CHANGES);
        json_t *array = json_array();
        for (size_t i = 0; i < count; i++) json_array_append_new(array, change_json(&changes[i]));
        if (count)
            json_array_append_new(
                lines, json_pack("{s:o, s:o, s:o, s:o, s:s, s:O}", "file", report_json_string(one->file), "before",
                                 number_of_line(line->before), "after", number_of_line(line->after), "code",
                                 report_json_string(one->code), "class", haul_class_names[class], "changes", array));
        json_decref(array);
    }
}

static json_t *finding_json(const report_finding_pair *pair) {
    const report_snapshot_finding *f = pair->after ? pair->after : pair->before;
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:I, s:I}", "change", change_of(pair), "kind", f->kind, "file",
                     report_json_string(f->file), "line", f->line ? json_integer(f->line) : json_null(), "what",
                     report_json_string(f->what), "threads_before",
                     (json_int_t)(pair->before ? pair->before->count : 0), "threads_after",
                     (json_int_t)(pair->after ? pair->after->count : 0));
}

static json_t *launch_json(const report_launch_pair *pair) {
    json_t *values = json_array(), *lines = json_array(), *findings = json_array();
    for (size_t i = 0; i < pair->value_count; i++) json_array_append_new(values, change_json(&pair->values[i]));
    for (size_t i = 0; i < pair->line_count; i++)
        if (pair->lines[i].changed) add_line_json(lines, &pair->lines[i]);
    for (size_t i = 0; i < pair->finding_count; i++)
        if (pair->findings[i].changed) json_array_append_new(findings, finding_json(&pair->findings[i]));
    const report_snapshot_launch *one = pair->after ? pair->after : pair->before;
    return json_pack("{s:o, s:o, s:o, s:s, s:I, s:o, s:o, s:o}", "kernel", report_json_string(one->kernel), "grid",
                     report_json_extent(one->grid), "block", report_json_extent(one->block), "change",
                     !pair->after    ? "gone"
                     : !pair->before ? "new"
                                     : "changed",
                     "outputs_differing", (json_int_t)pair->outputs, "values", values, "lines", lines, "findings",
                     findings);
}

static json_t *breach_json(const report_breach *b) {
    text line = {0};
    report_put_breach(b, &line);
    const report_snapshot_line *at = !b->line ? NULL : b->line->after ? b->line->after : b->line->before;
    const char *file = b->finding ? b->finding->file : at ? at->file : NULL;
    const uint32_t number = b->finding ? b->finding->line : at ? at->line : 0;
    json_t *object =
        json_pack("{s:s?, s:o, s:o, s:o, s:o}", "limit", b->limit ? b->limit->text : NULL, "kernel",
                  report_json_string(name_of(b->launch)), "file", file ? report_json_string(file) : json_null(), "line",
                  number ? json_integer(number) : json_null(), "text", report_json_string(text_string(&line)));
    text_free(&line);
    return object;
}

static json_t *side_json(const report_snapshot *s) {
    return json_pack("{s:s?, s:s?}", "label", s->label, "device", s->device);
}

haul_status report_diff_json(const report_diff *diff, const report_breaches *breaches, json_t **json) {
    json_t *launches = json_array(), *failed = json_array();
    for (size_t i = 0; i < diff->launch_count; i++)
        if (diff->launches[i].changed) json_array_append_new(launches, launch_json(&diff->launches[i]));
    for (size_t i = 0; i < breaches->count; i++) json_array_append_new(failed, breach_json(&breaches->items[i]));
    *json = json_pack("{s:o, s:o, s:I, s:I, s:o, s:o}", "before", side_json(diff->before), "after",
                      side_json(diff->after), "compared", (json_int_t)diff->launch_count, "changed",
                      (json_int_t)diff->changed, "launches", launches, "failed", failed);
    return *json ? HAUL_OK : haul_no_memory("the report");
}
