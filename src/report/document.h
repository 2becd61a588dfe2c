/* Reports: sections of text, tables, charts, notes and checks, and the writers that turn them into text for a terminal,
 * JSON, CSV or a self-contained HTML page.
 *
 * A document owns everything added to it until report_document_free(); all strings are copied. Adding never reports an
 * error. If memory runs out, the document remembers it, the adders return NULL, everything accepts NULL, and the
 * writers return HAUL_ERROR_OUT_OF_MEMORY.
 *
 *     report_document *d = report_document_new("lab", "The memory lab");
 *     report_section *s = report_add_section(d, "strides", "Strides");
 *     report_add_paragraph(s, "A warp reads 32 floats ...");
 *     static const report_column columns[] = {{"stride", "Stride", REPORT_COUNT, NULL}, ...};
 *     report_table *t = report_add_table(s, "loads", "Loads", columns, 2);
 *     report_add_row(t), report_add_number(t, 1), report_add_number(t, 4);
 *     report_check(s, sectors == 4, "stride 1 takes 4 sectors");
 */
#ifndef HAUL_REPORT_DOCUMENT_H
#define HAUL_REPORT_DOCUMENT_H

#include "base/arena.h"
#include "base/text.h"
#include "report/chart.h"
#include "report/table.h"

#include <haul/status.h>
#include <stdbool.h>

typedef enum report_block_kind {
    REPORT_BLOCK_PARAGRAPH,
    REPORT_BLOCK_NOTE,   /* tone and text: advice, a warning */
    REPORT_BLOCK_CHECK,  /* tone is REPORT_GOOD or REPORT_BAD */
    REPORT_BLOCK_CODE,   /* shown unchanged, in a fixed-width font; muted: not on pages */
    REPORT_BLOCK_FIGURE, /* text is markup, `title` its caption */
    REPORT_BLOCK_TABLE,
    REPORT_BLOCK_CHART
} report_block_kind;

typedef struct report_block {
    struct report_block *next;
    report_block_kind kind;
    report_tone tone;
    const char *text, *title;
    report_table *table;
    report_chart *chart;
} report_block;

typedef struct report_section {
    struct report_section *next;
    report_document *document;
    const char *name, *title;
    report_block *blocks, *last;
} report_section;

/* A fact about the whole report: machine, version, whether simulated or measured. */
typedef struct report_fact {
    struct report_fact *next;
    const char *key, *label, *text;
} report_fact;

struct report_document {
    arena memory;
    bool failed; /* out of memory at some point */
    const char *name, *title;
    const char *introduction; /* may be NULL */
    report_fact *facts, *last_fact;
    report_section *sections, *last;
    size_t checks, failed_checks;
};

/* NULL if there is no memory. */
report_document *report_document_new(const char *name, const char *title);
void report_document_free(report_document *d);

/* ---- filling; all accept NULL ---- */

void report_set_introduction(report_document *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
void report_add_fact(report_document *d, const char *key, const char *label, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
report_section *report_add_section(report_document *d, const char *name, const char *title);
void report_add_paragraph(report_section *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void report_add_note(report_section *s, report_tone tone, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void report_add_code(report_section *s, const char *text);
/* Adds a drawing of characters. Pages leave it out: they have pictures. */
void report_add_drawing(report_section *s, const char *text);
/* Adds a picture that haul drew: `markup` is an <svg> element, or HTML. Only pages show it. */
void report_add_figure(report_section *s, const char *title, const text *markup);
/* Adds a result compared with its required value; the document counts failed ones. */
void report_check(report_section *s, bool passed, const char *format, ...) __attribute__((format(printf, 3, 4)));
report_table *report_add_table(report_section *s, const char *name, const char *title, const report_column *columns,
                               size_t count);
report_chart *report_add_chart(report_section *s, const char *name, const char *title, report_chart_kind kind,
                               report_axis x, report_axis y);

/* ---- writing; all append to `out` ---- */

typedef struct report_terminal {
    size_t width; /* columns; 0 = unlimited */
    bool colour;
} report_terminal;

/* A terminal's width, and whether it shows colour (a tty, TERM not dumb, NO_COLOR unset); unlimited and without colour
 * for anything else. */
report_terminal report_terminal_of(int descriptor);

/* Appends `s`, in the tone's colour if the terminal has colours. */
void report_put_toned(text *out, report_terminal terminal, report_tone tone, const char *s);
/* Appends the words of `s`, filled into lines. The first line continues at column `indent`, where the others start. */
void report_put_wrapped(text *out, report_terminal terminal, size_t indent, const char *s);

haul_status report_write_text(const report_document *d, report_terminal terminal, text *out);
haul_status report_write_json(const report_document *d, text *out);
/* Writes one self-contained page with style and charts, in light and dark, and printable. */
haul_status report_write_html(const report_document *d, text *out);
haul_status report_write_csv(const report_table *t, text *out);
haul_status report_write_svg(const report_chart *c, text *out);

/* Writes one table like report_write_text(), without its title. */
haul_status report_write_table(const report_table *t, report_terminal terminal, text *out);

#endif
