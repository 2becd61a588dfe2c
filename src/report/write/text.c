/* Writes a document for the terminal. libsmartcols lays out tables. A table wider than the terminal is printed in
 * parts, each with the first column, so that no number is cut or wrapped. */
#include "base/status.h"
#include "report/document.h"

#include <libsmartcols.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { GAP = 2, PROSE_WIDTH = 100, LONGEST_TEXT = 60, NARROWEST = 40 };

static const char *const tone_sequences[REPORT_TONE_COUNT] = {
    [REPORT_STRONG] = "\033[1m",   [REPORT_MUTED] = "\033[2m",  [REPORT_GOOD] = "\033[32m",
    [REPORT_WARNING] = "\033[33m", [REPORT_BAD] = "\033[1;31m",
};

/* Files and pipes get neither a width nor colours; NO_COLOR is respected. */
report_terminal report_terminal_of(int descriptor) {
    report_terminal terminal = {0};
    if (!isatty(descriptor)) return terminal;
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size) == 0) terminal.width = size.ws_col;
    if (terminal.width && terminal.width < NARROWEST) terminal.width = NARROWEST;
    const char *term = getenv("TERM"), *plain = getenv("NO_COLOR");
    terminal.colour = term && strcmp(term, "dumb") != 0 && !(plain && *plain);
    return terminal;
}

/* ---- prose ---- */

/* Columns that UTF-8 text takes on a terminal; wide characters are not considered. */
static size_t display_width(const char *s, size_t length) {
    size_t width = 0;
    for (size_t i = 0; i < length; i++) width += ((unsigned char)s[i] & 0xc0) != 0x80;
    return width;
}

void report_put_toned(text *out, report_terminal terminal, report_tone tone, const char *s) {
    const char *sequence = terminal.colour ? tone_sequences[tone] : NULL;
    if (sequence) text_put(out, sequence);
    text_put(out, s);
    if (sequence) text_put(out, "\033[0m");
}

/* Joins words with single blanks and breaks lines before the width is exceeded. */
void report_put_wrapped(text *out, report_terminal terminal, size_t indent, const char *s) {
    size_t limit = terminal.width && terminal.width < PROSE_WIDTH ? terminal.width : PROSE_WIDTH, column = indent;
    while (*s) {
        size_t length = strcspn(s, " \n"), width = display_width(s, length);
        if (column > indent && column + 1 + width > limit) {
            text_printf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            text_put(out, " ");
            column++;
        }
        text_append(out, s, length);
        column += width;
        s += length;
        s += strspn(s, " \n");
    }
    text_put(out, "\n");
}

/* ---- tables ---- */

static const char *cell_text(const report_table *t, const report_row *row, size_t column,
                             char number[REPORT_NUMBER_SIZE]) {
    const report_cell *cell = &row->cells[column];
    switch (cell->kind) {
    case REPORT_CELL_TEXT: return cell->text;
    case REPORT_CELL_NUMBER: return report_format(t->columns[column].unit, cell->number, number);
    default: return "";
    }
}

/* The widest cell of a column, its title included. */
static size_t column_width(const report_table *t, size_t column) {
    const char *title = t->columns[column].title;
    size_t width = display_width(title, strlen(title));
    char number[REPORT_NUMBER_SIZE];
    for (const report_row *row = t->rows; row; row = row->next) {
        const char *s = cell_text(t, row, column, number);
        size_t w = display_width(s, strlen(s));
        if (w > width) width = w;
    }
    return width;
}

static int add_cell(struct libscols_line *line, size_t at, const char *s, const char *sequence) {
    struct libscols_cell *cell = scols_line_get_cell(line, at);
    if (!cell || scols_cell_set_data(cell, s)) return -1;
    return sequence ? scols_cell_set_color(cell, sequence) : 0;
}

/* Adds the chosen cells of a row. */
static int add_line(struct libscols_table *scols, const report_table *t, const report_row *row, const size_t *columns,
                    size_t count) {
    struct libscols_line *line = scols_table_new_line(scols, NULL);
    if (!line) return -1;
    char number[REPORT_NUMBER_SIZE];
    for (size_t i = 0; i < count; i++) {
        report_tone tone = row->cells[columns[i]].tone ? row->cells[columns[i]].tone : row->tone;
        if (add_cell(line, i, cell_text(t, row, columns[i], number), tone_sequences[tone])) return -1;
    }
    return 0;
}

static int add_column(struct libscols_table *scols, const report_table *t, size_t column) {
    const report_column *c = &t->columns[column];
    int flags = c->unit == REPORT_TEXT ? SCOLS_FL_TRUNC : SCOLS_FL_RIGHT;
    return scols_table_new_column(scols, c->title, 1, flags) ? 0 : -1;
}

/* Empty cells at the end of a line would leave trailing blanks. */
static void put_trimmed(text *out, const char *lines) {
    while (*lines) {
        size_t length = strcspn(lines, "\n"), kept = length;
        while (kept && lines[kept - 1] == ' ') kept--;
        text_append(out, lines, kept);
        text_put(out, "\n");
        lines += length + (lines[length] == '\n');
    }
}

/* The header's line is as long as the widest line; a rule under it marks it without colour. */
static void put_with_rule(text *out, report_terminal terminal, const char *table) {
    size_t widest = 0;
    for (const char *line = table; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t width = display_width(line, strcspn(line, "\n"));
        if (line == table || !strchr(table, '\033')) widest = width > widest ? width : widest;
    }
    size_t header = strcspn(table, "\n");
    text_put(out, terminal.colour ? "\033[1m" : "");
    text_append(out, table, header);
    text_put(out, terminal.colour ? "\033[0m\n\033[2m" : "\n");
    for (size_t i = 0; i < widest; i++) text_put(out, "-");
    text_put(out, terminal.colour ? "\033[0m" : "");
    text_put(out, "\n");
    put_trimmed(out, table[header] ? table + header + 1 : "");
}

/* Returns nonzero for want of memory, as libsmartcols does. */
static int fill_table(struct libscols_table *scols, const report_table *t, const size_t *columns, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (add_column(scols, t, columns[i])) return -1;
    }
    for (const report_row *row = t->rows; row; row = row->next) {
        if (add_line(scols, t, row, columns, count)) return -1;
    }
    return 0;
}

/* Prints some of the columns: they fit the terminal together, or there are only two. */
static haul_status put_columns(const report_table *t, report_terminal terminal, const size_t *columns, size_t count,
                               text *out) {
    struct libscols_table *scols = scols_new_table();
    if (!scols) return haul_no_memory("the report");
    scols_table_enable_colors(scols, terminal.colour);
    scols_table_set_column_separator(scols, "  ");
    scols_table_set_termforce(scols, SCOLS_TERMFORCE_ALWAYS);
    scols_table_set_termwidth(scols, terminal.width ? terminal.width : 10000);
    scols_table_enable_maxout(scols, 0);
    char *printed = NULL;
    int failed = fill_table(scols, t, columns, count) || scols_print_table_to_string(scols, &printed) || !printed;
    if (!failed) put_with_rule(out, terminal, printed);
    free(printed);
    scols_unref_table(scols);
    return failed || out->failed ? haul_no_memory("the report") : HAUL_OK;
}

/* Takes columns from `next` on while they fit beside the first; at least one. Returns how many of `chosen` are used. */
static size_t choose_columns(const report_table *t, const size_t *widths, size_t limit, size_t *next, size_t *chosen) {
    size_t count = 0, used = widths[0];
    chosen[count++] = 0;
    if (*next == 0) *next = 1;
    for (; *next < t->column_count; ++*next) {
        if (!report_column_shown(t, *next)) continue;
        bool long_text = t->columns[*next].unit == REPORT_TEXT && widths[*next] > LONGEST_TEXT;
        size_t width = long_text ? LONGEST_TEXT : widths[*next];
        if (count > 1 && used + GAP + width > limit) break;
        used += GAP + width;
        chosen[count++] = *next;
    }
    return count;
}

/* Prints as many parts as it takes to show all columns. */
haul_status report_write_table(const report_table *t, report_terminal terminal, text *out) {
    if (!t || t->document->failed) return haul_no_memory("the report");
    size_t *widths = calloc(2 * t->column_count, sizeof *widths);
    if (!widths) return haul_no_memory("the report");
    size_t *chosen = widths + t->column_count, next = 0, limit = terminal.width ? terminal.width : SIZE_MAX;
    for (size_t i = 0; i < t->column_count; i++) widths[i] = column_width(t, i);
    haul_status status = HAUL_OK;
    do {
        if (next) text_put(out, "\n");
        size_t count = choose_columns(t, widths, limit, &next, chosen);
        status = put_columns(t, terminal, chosen, count, out);
    } while (status == HAUL_OK && next < t->column_count);
    free(widths);
    return status;
}

/* ---- blocks ---- */

/* Without rows no header is printed; a text beside it says why there are none. */
static haul_status put_table_block(const report_table *t, report_terminal terminal, text *out) {
    if (!t->rows) return HAUL_OK;
    if (t->title) {
        report_put_toned(out, terminal, REPORT_STRONG, t->title);
        text_put(out, "\n");
    }
    HAUL_TRY(report_write_table(t, terminal, out));
    text_put(out, "\n");
    return HAUL_OK;
}

static void put_labelled(text *out, report_terminal terminal, report_tone tone, const char *label, const char *s) {
    report_put_toned(out, terminal, tone, label);
    report_put_wrapped(out, terminal, strlen(label), s);
}

/* Lists of notes and checks end with an empty line; paragraphs have one each. */
static haul_status put_block(const report_block *b, report_terminal terminal, text *out) {
    switch (b->kind) {
    case REPORT_BLOCK_PARAGRAPH:
        report_put_wrapped(out, terminal, 0, b->text);
        text_put(out, "\n");
        return HAUL_OK;
    case REPORT_BLOCK_NOTE: put_labelled(out, terminal, b->tone, "  * ", b->text); break;
    case REPORT_BLOCK_CHECK:
        put_labelled(out, terminal, b->tone, b->tone == REPORT_GOOD ? "  ok      " : "  FAILED  ", b->text);
        break;
    case REPORT_BLOCK_CODE: text_printf(out, "%s\n", b->text); break;
    case REPORT_BLOCK_TABLE: return put_table_block(b->table, terminal, out);
    case REPORT_BLOCK_FIGURE:
    case REPORT_BLOCK_CHART: return HAUL_OK; /* its numbers are in a table beside it */
    }
    bool last_of_list = !b->next || b->next->kind != b->kind;
    if (last_of_list) text_put(out, "\n");
    return HAUL_OK;
}

static void put_head(const report_document *d, report_terminal terminal, text *out) {
    if (d->title) {
        report_put_toned(out, terminal, REPORT_STRONG, d->title);
        text_put(out, "\n");
    }
    for (const report_fact *f = d->facts; f; f = f->next) {
        text_printf(out, "  %-*s", 12, f->label);
        report_put_wrapped(out, terminal, 14, f->text);
    }
    text_put(out, "\n");
    if (!d->introduction) return;
    report_put_wrapped(out, terminal, 0, d->introduction);
    text_put(out, "\n");
}

haul_status report_write_text(const report_document *d, report_terminal terminal, text *out) {
    if (!d || d->failed) return haul_no_memory("the report");
    put_head(d, terminal, out);
    for (const report_section *s = d->sections; s; s = s->next) {
        report_put_toned(out, terminal, REPORT_STRONG, "== ");
        report_put_toned(out, terminal, REPORT_STRONG, s->title);
        text_put(out, "\n\n");
        for (const report_block *b = s->blocks; b; b = b->next) HAUL_TRY(put_block(b, terminal, out));
    }
    return out->failed ? haul_no_memory("the report") : HAUL_OK;
}
