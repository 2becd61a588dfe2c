/* A table as CSV (RFC 4180): the columns' keys, then the numbers at full precision. */
#include "base/status.h"
#include "report/document.h"

#include <math.h>
#include <string.h>

/* Fields with commas, quotes or line ends are quoted, and quotes doubled. */
static void put_field(text *out, const char *s) {
    if (!s[strcspn(s, ",\"\r\n")]) {
        text_put(out, s);
        return;
    }
    text_put(out, "\"");
    for (; *s; s++) {
        if (*s == '"') text_put(out, "\"");
        text_append(out, s, 1);
    }
    text_put(out, "\"");
}

static void put_cell(text *out, const report_cell *cell) {
    if (cell->kind == REPORT_CELL_TEXT) put_field(out, cell->text);
    if (cell->kind == REPORT_CELL_NUMBER && isfinite(cell->number)) text_printf(out, "%.15g", cell->number);
}

haul_status report_write_csv(const report_table *t, text *out) {
    if (!t || t->document->failed) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the report");
    for (size_t i = 0; i < t->column_count; i++) {
        if (i) text_put(out, ",");
        put_field(out, t->columns[i].key);
    }
    text_put(out, "\r\n");
    for (const report_row *row = t->rows; row; row = row->next) {
        for (size_t i = 0; i < t->column_count; i++) {
            if (i) text_put(out, ",");
            put_cell(out, &row->cells[i]);
        }
        text_put(out, "\r\n");
    }
    return out->failed ? haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the report") : HAUL_OK;
}
