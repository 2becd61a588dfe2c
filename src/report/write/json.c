/* Writes a document as JSON: the same sections, tables and charts, with numbers instead of formatted texts. */
#include "base/status.h"
#include "report/document.h"
#include "report/json.h"

#include <math.h>
#include <stdlib.h>

static const char *const tone_names[REPORT_TONE_COUNT] = {
    [REPORT_PLAIN] = "plain", [REPORT_STRONG] = "strong",   [REPORT_MUTED] = "muted",
    [REPORT_GOOD] = "good",   [REPORT_WARNING] = "warning", [REPORT_BAD] = "bad",
};

/* Whole numbers stay whole; what is not finite becomes null. */
json_t *report_json_number(double value) {
    if (!isfinite(value)) return json_null();
    if (value == floor(value) && fabs(value) < 9e15) return json_integer((json_int_t)value);
    return json_real(value);
}

/* Text of unknown origin (source lines) may not be valid UTF-8, which JSON requires. Its non-ASCII bytes then become
 * question marks. */
json_t *report_json_string(const char *s) {
    json_t *valid = json_string(s);
    if (valid) return valid;
    text t = {0};
    for (; *s; s++) text_append(&t, (unsigned char)*s < 0x80 ? s : "?", 1);
    valid = t.failed ? NULL : json_string(text_string(&t));
    text_free(&t);
    return valid;
}

static json_t *cell_to_json(const report_cell *cell) {
    switch (cell->kind) {
    case REPORT_CELL_NUMBER: return report_json_number(cell->number);
    case REPORT_CELL_TEXT: return report_json_string(cell->text);
    default: return json_null();
    }
}

json_t *report_json_extent(const uint32_t extent[3]) {
    return json_pack("[I,I,I]", (json_int_t)extent[0], (json_int_t)extent[1], (json_int_t)extent[2]);
}

/* Each row is an object by the columns' keys; empty cells are left out. */
json_t *report_json_rows(const report_table *t) {
    json_t *rows = json_array();
    for (const report_row *row = t ? t->rows : NULL; row; row = row->next) {
        json_t *object = json_object();
        for (size_t i = 0; i < t->column_count; i++) {
            if (row->cells[i].kind != REPORT_CELL_EMPTY)
                json_object_set_new(object, t->columns[i].key, cell_to_json(&row->cells[i]));
        }
        json_array_append_new(rows, object);
    }
    return rows;
}

static json_t *table_to_json(const report_table *t) {
    json_t *columns = json_array();
    for (size_t i = 0; i < t->column_count; i++) {
        const report_column *c = &t->columns[i];
        json_array_append_new(columns, json_pack("{s:s, s:s, s:s}", "key", c->key, "title", c->title, "unit",
                                                 report_unit_names[c->unit]));
    }
    return json_pack("{s:s, s:s?, s:o, s:o}", "name", t->name, "title", t->title, "columns", columns, "rows",
                     report_json_rows(t));
}

static json_t *axis_to_json(const report_axis *a) {
    static const char *const scales[] = {"linear", "log2", "log10"};
    return json_pack("{s:s?, s:s, s:s}", "title", a->title, "scale", scales[a->scale], "unit",
                     report_unit_names[a->unit]);
}

/* Charts keep all points, so that others can draw them. */
static json_t *chart_to_json(const report_chart *c) {
    json_t *all = json_array(), *categories = json_array();
    for (const report_series *s = c->series; s; s = s->next) {
        json_t *points = json_array();
        for (const report_point *p = s->points; p; p = p->next)
            json_array_append_new(points, json_pack("[o, o]", report_json_number(p->x), report_json_number(p->y)));
        json_array_append_new(all, json_pack("{s:s, s:o}", "label", s->label, "points", points));
    }
    for (const report_category *k = c->categories; k; k = k->next)
        json_array_append_new(categories, json_string(k->label));
    return json_pack("{s:s, s:s?, s:s, s:o, s:o, s:o, s:o}", "name", c->name, "title", c->title, "kind",
                     c->kind == REPORT_BARS ? "bars" : "lines", "x", axis_to_json(&c->x), "y", axis_to_json(&c->y),
                     "categories", categories, "series", all);
}

typedef struct section_parts {
    json_t *paragraphs, *notes, *checks, *tables, *charts;
} section_parts;

static void add_block(section_parts *parts, const report_block *b) {
    switch (b->kind) {
    case REPORT_BLOCK_PARAGRAPH:
    case REPORT_BLOCK_CODE: json_array_append_new(parts->paragraphs, report_json_string(b->text)); break;
    case REPORT_BLOCK_NOTE:
        json_array_append_new(
            parts->notes, json_pack("{s:s, s:o}", "tone", tone_names[b->tone], "text", report_json_string(b->text)));
        break;
    case REPORT_BLOCK_CHECK:
        json_array_append_new(parts->checks, json_pack("{s:b, s:o}", "passed", b->tone == REPORT_GOOD, "text",
                                                       report_json_string(b->text)));
        break;
    case REPORT_BLOCK_FIGURE: break;
    case REPORT_BLOCK_TABLE: json_array_append_new(parts->tables, table_to_json(b->table)); break;
    case REPORT_BLOCK_CHART: json_array_append_new(parts->charts, chart_to_json(b->chart)); break;
    }
}

static json_t *section_to_json(const report_section *s) {
    section_parts parts = {json_array(), json_array(), json_array(), json_array(), json_array()};
    for (const report_block *b = s->blocks; b; b = b->next) add_block(&parts, b);
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "name", s->name, "title", s->title, "text",
                     parts.paragraphs, "tables", parts.tables, "charts", parts.charts, "notes", parts.notes, "checks",
                     parts.checks);
}

static json_t *document_to_json(const report_document *d) {
    json_t *facts = json_object(), *sections = json_array();
    for (const report_fact *f = d->facts; f; f = f->next)
        json_object_set_new(facts, f->key, report_json_string(f->text));
    for (const report_section *s = d->sections; s; s = s->next) json_array_append_new(sections, section_to_json(s));
    json_t *checks = json_pack("{s:I, s:I}", "passed", (json_int_t)(d->checks - d->failed_checks), "failed",
                               (json_int_t)d->failed_checks);
    return json_pack("{s:s, s:s, s:s?, s:o, s:o, s:o}", "report", d->name, "title", d->title, "introduction",
                     d->introduction, "facts", facts, "sections", sections, "checks", checks);
}

/* Takes the value, which may be NULL for want of memory, and frees it. */
haul_status report_json_put(json_t *value, size_t flags, text *out) {
    char *dump = value ? json_dumps(value, flags | JSON_REAL_PRECISION(15)) : NULL;
    json_decref(value);
    if (dump) text_put(out, dump), text_put(out, "\n");
    free(dump);
    return dump && !out->failed ? HAUL_OK : haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the report");
}

haul_status report_write_json(const report_document *d, text *out) {
    if (!d || d->failed) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the report");
    return report_json_put(document_to_json(d), JSON_INDENT(1), out);
}
