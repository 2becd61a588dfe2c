/* Builds documents of sections, tables and charts, which the writers turn into text, HTML, JSON or SVG.
 *
 * Everything is kept in the document's arena and freed with it. No function returns an error: when memory runs out,
 * `failed` is set, and every later call accepts the NULL that it got and does nothing. The writers check `failed` once.
 * Lists are chained, each with its first and last item. */
#include "report/document.h"

#include "base/memory.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* ---- the document's memory ---- */

/* Returns `p`, and notes that memory ran out if it is NULL. */
static void *keep(report_document *d, void *p) {
    if (!p) d->failed = true;
    return p;
}

static const char *copy(report_document *d, const char *string) {
    return string ? keep(d, arena_copy(&d->memory, string, strlen(string))) : NULL;
}

/* Formats to a buffer of the heap first, since the length is unknown, and copies the result to the arena. */
static const char *vformat(report_document *d, const char *format, va_list arguments) {
    text t = {0};
    text_vprintf(&t, format, arguments);
    const char *string = t.failed ? keep(d, NULL) : copy(d, text_string(&t));
    text_free(&t);
    return string;
}

/* Formats the variable arguments after `format` into the document's memory. */
#define FORMAT_INTO(target, document)                     \
    do {                                                  \
        va_list arguments_;                               \
        va_start(arguments_, format);                     \
        (target) = vformat(document, format, arguments_); \
        va_end(arguments_);                               \
    } while (0)

/* Chains an item after the last one; the caller sets the first. */
#define APPEND(list, item)                             \
    do {                                               \
        if ((list)->last) (list)->last->next = (item); \
        (list)->last = (item);                         \
    } while (0)

report_document *report_document_new(const char *name, const char *title) {
    report_document *d = memory_zeroed(1, sizeof *d);
    if (!d) return NULL;
    arena_init(&d->memory, NULL);
    d->name = copy(d, name);
    d->title = copy(d, title);
    return d;
}

void report_document_free(report_document *d) {
    if (!d) return;
    arena_free(&d->memory);
    memory_free(d);
}

void report_set_introduction(report_document *d, const char *format, ...) {
    if (d) FORMAT_INTO(d->introduction, d);
}

void report_add_fact(report_document *d, const char *key, const char *label, const char *format, ...) {
    report_fact *fact = d ? keep(d, ARENA_NEW(&d->memory, report_fact)) : NULL;
    if (!fact) return;
    fact->key = copy(d, key);
    fact->label = copy(d, label);
    FORMAT_INTO(fact->text, d);
    if (d->last_fact)
        d->last_fact->next = fact;
    else
        d->facts = fact;
    d->last_fact = fact;
}

report_section *report_add_section(report_document *d, const char *name, const char *title) {
    report_section *s = d ? keep(d, ARENA_NEW(&d->memory, report_section)) : NULL;
    if (!s) return NULL;
    s->document = d;
    s->name = copy(d, name);
    s->title = copy(d, title);
    if (!d->sections) d->sections = s;
    APPEND(d, s);
    return s;
}

/* ---- blocks ---- */

/* Adds an empty block at the end of the section. */
static report_block *add_block(report_section *s, report_block_kind kind, report_tone tone) {
    report_block *b = s ? keep(s->document, ARENA_NEW(&s->document->memory, report_block)) : NULL;
    if (!b) return NULL;
    b->kind = kind;
    b->tone = tone;
    if (!s->blocks) s->blocks = b;
    APPEND(s, b);
    return b;
}

void report_add_paragraph(report_section *s, const char *format, ...) {
    report_block *b = add_block(s, REPORT_BLOCK_PARAGRAPH, REPORT_PLAIN);
    if (b) FORMAT_INTO(b->text, s->document);
}

void report_add_note(report_section *s, report_tone tone, const char *format, ...) {
    report_block *b = add_block(s, REPORT_BLOCK_NOTE, tone);
    if (b) FORMAT_INTO(b->text, s->document);
}

void report_add_code(report_section *s, const char *code) {
    report_block *b = add_block(s, REPORT_BLOCK_CODE, REPORT_PLAIN);
    if (b) b->text = copy(s->document, code);
}

void report_add_drawing(report_section *s, const char *drawing) {
    report_block *b = add_block(s, REPORT_BLOCK_CODE, REPORT_MUTED);
    if (b) b->text = copy(s->document, drawing);
}

void report_add_figure(report_section *s, const char *title, const text *markup) {
    report_block *b = add_block(s, REPORT_BLOCK_FIGURE, REPORT_PLAIN);
    if (!b) return;
    b->title = copy(s->document, title);
    b->text = markup->failed ? keep(s->document, NULL) : copy(s->document, text_string(markup));
}

void report_check(report_section *s, bool passed, const char *format, ...) {
    report_block *b = add_block(s, REPORT_BLOCK_CHECK, passed ? REPORT_GOOD : REPORT_BAD);
    if (!b) return;
    FORMAT_INTO(b->text, s->document);
    s->document->checks++;
    s->document->failed_checks += !passed;
}

/* ---- tables ---- */

static bool copy_columns(report_table *t, const report_column *columns, size_t count) {
    t->columns = keep(t->document, ARENA_ARRAY(&t->document->memory, count, report_column));
    if (!t->columns) return false;
    t->column_count = count;
    for (size_t i = 0; i < count; i++) {
        t->columns[i] = (report_column){copy(t->document, columns[i].key), copy(t->document, columns[i].title),
                                        columns[i].unit, copy(t->document, columns[i].help)};
    }
    return !t->document->failed;
}

/* The caller's columns may be temporary: their strings are copied. */
report_table *report_add_table(report_section *s, const char *name, const char *title, const report_column *columns,
                               size_t count) {
    report_table *t = s ? keep(s->document, ARENA_NEW(&s->document->memory, report_table)) : NULL;
    if (!t) return NULL;
    t->document = s->document;
    t->name = copy(s->document, name);
    t->title = copy(s->document, title);
    if (!copy_columns(t, columns, count)) return NULL;
    report_block *b = add_block(s, REPORT_BLOCK_TABLE, REPORT_PLAIN);
    if (!b) return NULL;
    b->table = t;
    return t;
}

void report_add_row(report_table *t) {
    report_row *row = t ? keep(t->document, ARENA_NEW(&t->document->memory, report_row)) : NULL;
    if (!row) return;
    row->cells = keep(t->document, ARENA_ARRAY(&t->document->memory, t->column_count, report_cell));
    if (!row->cells) return;
    if (!t->rows) t->rows = row;
    APPEND(t, row);
    t->row_count++;
}

/* Columns without any value are left out by the writers; the first one names the rows and always stays. */
bool report_column_shown(const report_table *t, size_t column) {
    if (column == 0 || !t->rows) return true;
    for (const report_row *row = t->rows; row; row = row->next) {
        const report_cell *cell = &row->cells[column];
        if (cell->kind == REPORT_CELL_TEXT || (cell->kind == REPORT_CELL_NUMBER && isfinite(cell->number))) return true;
    }
    return false;
}

/* The next free cell of the last row; NULL after the last column. */
static report_cell *next_cell(report_table *t) {
    if (!t || !t->last || t->last->filled >= t->column_count) return NULL;
    return &t->last->cells[t->last->filled++];
}

void report_add_number(report_table *t, double value) {
    report_cell *cell = next_cell(t);
    if (cell) *cell = (report_cell){.kind = REPORT_CELL_NUMBER, .number = value};
}

void report_add_text(report_table *t, const char *format, ...) {
    report_cell *cell = next_cell(t);
    if (!cell) return;
    FORMAT_INTO(cell->text, t->document);
    if (cell->text) cell->kind = REPORT_CELL_TEXT;
}

void report_add_empty(report_table *t) {
    next_cell(t);
}

void report_set_tone(report_table *t, report_tone tone) {
    if (t && t->last && t->last->filled) t->last->cells[t->last->filled - 1].tone = tone;
}

void report_set_row_tone(report_table *t, report_tone tone) {
    if (t && t->last) t->last->tone = tone;
}

/* ---- charts ---- */

report_chart *report_add_chart(report_section *s, const char *name, const char *title, report_chart_kind kind,
                               report_axis x, report_axis y) {
    report_chart *c = s ? keep(s->document, ARENA_NEW(&s->document->memory, report_chart)) : NULL;
    report_block *b = c ? add_block(s, REPORT_BLOCK_CHART, REPORT_PLAIN) : NULL;
    if (!b) return NULL;
    report_document *d = s->document;
    *c = (report_chart){.document = d, .name = copy(d, name), .title = copy(d, title), .kind = kind, .x = x, .y = y};
    c->x.title = copy(d, x.title);
    c->y.title = copy(d, y.title);
    b->chart = c;
    return c;
}

report_series *report_add_series(report_chart *c, const char *label, report_line line) {
    report_series *s = c ? keep(c->document, ARENA_NEW(&c->document->memory, report_series)) : NULL;
    if (!s) return NULL;
    *s = (report_series){.chart = c, .label = copy(c->document, label), .line = line, .colour = c->series_count};
    if (!c->series) c->series = s;
    APPEND(c, s);
    c->series_count++;
    return s;
}

void report_add_point(report_series *s, double x, double y) {
    report_point *p = s ? keep(s->chart->document, ARENA_NEW(&s->chart->document->memory, report_point)) : NULL;
    if (!p) return;
    *p = (report_point){.x = x, .y = y};
    if (!s->points) s->points = p;
    APPEND(s, p);
    s->point_count++;
}

void report_add_category(report_chart *c, const char *format, ...) {
    report_category *category = c ? keep(c->document, ARENA_NEW(&c->document->memory, report_category)) : NULL;
    if (!category) return;
    FORMAT_INTO(category->label, c->document);
    if (c->last_category)
        c->last_category->next = category;
    else
        c->categories = category;
    c->last_category = category;
    c->category_count++;
}
