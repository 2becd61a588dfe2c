/* Tables: one layout for the terminal, JSON, CSV and HTML. */
#ifndef HAUL_REPORT_TABLE_H
#define HAUL_REPORT_TABLE_H

#include "report/format.h"

#include <stddef.h>

/* The meaning of a cell, note or check, shown by its colour. */
typedef enum report_tone {
    REPORT_PLAIN,
    REPORT_STRONG, /* totals */
    REPORT_MUTED,  /* there for completeness */
    REPORT_GOOD,
    REPORT_WARNING, /* wasteful */
    REPORT_BAD,     /* wrong */
    REPORT_TONE_COUNT
} report_tone;

typedef struct report_column {
    const char *key;   /* in JSON and CSV: "sectors_per_request" */
    const char *title; /* for people: "Sectors/Req" */
    report_unit unit;  /* REPORT_TEXT columns are aligned left, all others right */
    const char *help;  /* one sentence, shown as a tooltip in HTML; may be NULL */
} report_column;

typedef enum report_cell_kind { REPORT_CELL_EMPTY, REPORT_CELL_NUMBER, REPORT_CELL_TEXT } report_cell_kind;

typedef struct report_cell {
    report_cell_kind kind;
    report_tone tone;
    double number;
    const char *text;
} report_cell;

/* A row has a cell for each column; unset ones are empty. */
typedef struct report_row {
    struct report_row *next;
    report_tone tone;
    size_t filled;
    report_cell *cells;
} report_row;

typedef struct report_document report_document;

typedef struct report_table {
    report_document *document;
    const char *name, *title; /* name: the key in JSON and the file name in CSV; title may be NULL */
    report_column *columns;
    size_t column_count;
    report_row *rows, *last;
    size_t row_count;
} report_table;

/* ---- filling: row by row, cell by cell from the left. All accept a NULL table (after out of memory) ---- */

void report_add_row(report_table *t);
void report_add_number(report_table *t, double value);
void report_add_text(report_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void report_add_empty(report_table *t);
/* Set the tone of the cell, or of the row, that was added last. */
void report_set_tone(report_table *t, report_tone tone);
void report_set_row_tone(report_table *t, report_tone tone);

/* False for an empty column, which output for people omits. The first one is always shown. */
bool report_column_shown(const report_table *t, size_t column);

#endif
