/* Writes a document as one self-contained page with style, charts and one short script, which links the panes of
 * annotated sources (report/profile/listing.h). Without it, all of the page can still be read. On narrow pages each row
 * of a table becomes a list of labelled values, so that nothing is cut off.
 *
 * The page is well-formed XML as well, which tests check. Every text goes through markup_put(), since names and source
 * lines may contain anything. Colours are CSS variables, so the page follows the reader's choice of light or dark. */
#include "base/status.h"
#include "report/document.h"
#include "report/write/markup.h"

#include <math.h>
#include <string.h>

#define STYLE(css) css,
#define SCRIPT(js)
static const char *const style[] = {
#include "report/write/page.def"
};
#undef STYLE
#undef SCRIPT
#define STYLE(css)
#define SCRIPT(js) js,
static const char *const script[] = {
#include "report/write/page.def"
};
#undef STYLE
#undef SCRIPT

static const char *const tone_classes[REPORT_TONE_COUNT] = {
    [REPORT_PLAIN] = "",    [REPORT_STRONG] = "strong",   [REPORT_MUTED] = "muted",
    [REPORT_GOOD] = "good", [REPORT_WARNING] = "warning", [REPORT_BAD] = "bad",
};

/* An element with text and nothing else. */
static void put_element(text *out, const char *element, const char *class, const char *s) {
    text_printf(out, *class ? "<%s class=\"%s\">" : "<%s>", element, class);
    markup_put(out, s);
    text_printf(out, "</%s>", element);
}

/* ---- tables ---- */

/* Explanations of columns appear when the pointer rests on them. */
static void put_header(text *out, const report_table *t) {
    text_put(out, "<thead><tr>");
    for (size_t i = 0; i < t->column_count; i++) {
        if (!report_column_shown(t, i)) continue;
        text_put(out, t->columns[i].unit == REPORT_TEXT ? "<th class=\"t\"" : "<th");
        if (t->columns[i].help) {
            text_put(out, " title=\"");
            markup_put(out, t->columns[i].help);
            text_put(out, "\"");
        }
        text_put(out, ">");
        markup_put(out, t->columns[i].title);
        text_put(out, "</th>");
    }
    text_put(out, "</tr></thead>\n");
}

/* Microseconds get the micro sign, which every browser shows. */
static void put_number(text *out, report_unit unit, double value) {
    char number[REPORT_NUMBER_SIZE];
    report_format(unit, value, number);
    size_t length = strlen(number);
    if (unit == REPORT_MICROSECONDS && length > 2)
        text_printf(out, "%.*s\u00b5s", (int)(length - 2), number);
    else
        markup_put(out, number);
}

/* Percentages get a bar after the number; `--w` is its width. */
static void put_cell(text *out, const report_column *c, const report_cell *cell, report_tone row_tone) {
    report_tone tone = cell->tone ? cell->tone : row_tone;
    bool share = c->unit == REPORT_PERCENT && cell->kind == REPORT_CELL_NUMBER && isfinite(cell->number);
    bool source = c->unit == REPORT_TEXT && strcmp(c->key, "source") == 0;
    text_printf(out, "<td class=\"%s%s%s %s\"", c->unit == REPORT_TEXT ? "t" : "", source ? " s" : "",
                share ? " p" : "", tone_classes[tone]);
    if (share) text_printf(out, " style=\"--w:%.1f%%\"", fmin(fmax(cell->number, 0), 100));
    text_put(out, " data-l=\"");
    markup_put(out, c->title);
    text_put(out, cell->kind == REPORT_CELL_EMPTY ? "\" data-e=\"\">" : "\">");
    if (cell->kind == REPORT_CELL_TEXT) markup_put(out, cell->text);
    if (cell->kind == REPORT_CELL_NUMBER) put_number(out, c->unit, cell->number);
    text_put(out, "</td>");
}

static void put_table(text *out, const report_table *t) {
    if (!t->rows) return;
    if (t->title) put_element(out, "h3", "", t->title);
    text_put(out, "\n<div class=\"scroll\"><table class=\"cells\">\n");
    put_header(out, t);
    text_put(out, "<tbody>\n");
    for (const report_row *row = t->rows; row; row = row->next) {
        text_put(out, "<tr>");
        for (size_t i = 0; i < t->column_count; i++) {
            if (report_column_shown(t, i)) put_cell(out, &t->columns[i], &row->cells[i], row->tone);
        }
        text_put(out, "</tr>\n");
    }
    text_put(out, "</tbody></table></div>\n");
}

/* ---- blocks ---- */

/* Draws the chart for wide pages and once more for narrow ones; the style shows one of them. */
static void put_chart(text *out, const report_chart *c) {
    if (c->small) {
        markup_put_chart(out, c, MARKUP_NARROW);
        return;
    }
    text_put(out, "<div class=\"on-wide\">");
    markup_put_chart(out, c, MARKUP_WIDE);
    text_put(out, "</div><div class=\"on-narrow\">");
    markup_put_chart(out, c, MARKUP_NARROW);
    text_put(out, "</div>");
}

static void put_figure(text *out, const report_block *b) {
    const char *title = b->chart ? b->chart->title : b->title;
    text_put(out, b->chart && b->chart->small ? "<figure class=\"small\">" : "<figure>");
    if (title) put_element(out, "figcaption", "", title);
    text_put(out, "\n");
    if (b->chart)
        put_chart(out, b->chart);
    else
        text_put(out, b->text);
    text_put(out, "</figure>\n");
}

/* `before` is the kind of the block before, -1 for none: checks that follow one another make one list. */
static void put_check(text *out, const report_block *b, int before) {
    if (before != REPORT_BLOCK_CHECK) text_put(out, "<ul class=\"checks\">\n");
    put_element(out, "li", b->tone == REPORT_GOOD ? "pass" : "fail", b->text);
    text_put(out, "\n");
    if (!b->next || b->next->kind != REPORT_BLOCK_CHECK) text_put(out, "</ul>\n");
}

static void put_note(text *out, const report_block *b) {
    text_printf(out, "<p class=\"note %s\">", tone_classes[b->tone]);
    markup_put(out, b->text);
    text_put(out, "</p>\n");
}

static void put_section(text *out, const report_section *s) {
    text_put(out, "<section id=\"");
    markup_put(out, s->name);
    text_put(out, "\">\n");
    put_element(out, "h2", "", s->title);
    text_put(out, "\n");
    int before = -1;
    for (const report_block *b = s->blocks; b; b = b->next) {
        switch (b->kind) {
        case REPORT_BLOCK_PARAGRAPH: put_element(out, "p", "", b->text), text_put(out, "\n"); break;
        case REPORT_BLOCK_NOTE: put_note(out, b); break;
        case REPORT_BLOCK_CHECK: put_check(out, b, before); break;
        case REPORT_BLOCK_CODE:
            if (b->tone != REPORT_MUTED) put_element(out, "pre", "", b->text), text_put(out, "\n");
            break;
        case REPORT_BLOCK_TABLE: put_table(out, b->table); break;
        case REPORT_BLOCK_FIGURE:
        case REPORT_BLOCK_CHART: put_figure(out, b); break;
        }
        before = (int)b->kind;
    }
    text_put(out, "</section>\n");
}

/* ---- the page ---- */

static void put_head(text *out, const report_document *d) {
    text_put(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n");
    put_element(out, "title", "", d->title);
    text_put(out, "\n<style>\n");
    for (size_t i = 0; i < sizeof style / sizeof *style; i++) text_put(out, style[i]);
    text_put(out, "</style>\n</head>\n<body>\n<div class=\"page\">\n");
}

/* Whether all checks passed, at the top of the page. */
static void put_badge(text *out, const report_document *d) {
    if (d->failed_checks)
        text_printf(out, "<p><span class=\"badge bad\">%zu of %zu checks failed</span></p>\n", d->failed_checks,
                    d->checks);
    else if (d->checks)
        text_printf(out, "<p><span class=\"badge good\">all %zu checks passed</span></p>\n", d->checks);
}

static void put_title(text *out, const report_document *d) {
    text_put(out, "<header>\n");
    put_element(out, "h1", "", d->title);
    if (d->facts) text_put(out, "\n<dl>\n");
    for (const report_fact *f = d->facts; f; f = f->next) {
        text_put(out, "<div>");
        put_element(out, "dt", "", f->label);
        put_element(out, "dd", "", f->text);
        text_put(out, "</div>\n");
    }
    if (d->facts) text_put(out, "</dl>\n");
    put_badge(out, d);
    if (d->introduction) put_element(out, "p", "", d->introduction);
    text_put(out, "</header>\n");
}

static void put_navigation(text *out, const report_document *d) {
    text_put(out, "<nav><ol>\n");
    for (const report_section *s = d->sections; s; s = s->next) {
        text_put(out, "<li><a href=\"#");
        markup_put(out, s->name);
        text_put(out, "\">");
        markup_put(out, s->title);
        text_put(out, "</a></li>\n");
    }
    text_put(out, "</ol></nav>\n");
}

haul_status report_write_html(const report_document *d, text *out) {
    if (!d || d->failed) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the report");
    put_head(out, d);
    put_title(out, d);
    put_navigation(out, d);
    text_put(out, "<main>\n");
    for (const report_section *s = d->sections; s; s = s->next) put_section(out, s);
    text_put(out, "</main>\n<footer>Made by haul " HAUL_VERSION ".</footer>\n</div>\n<script>/*<![CDATA[*/\n");
    for (size_t i = 0; i < sizeof script / sizeof *script; i++) text_put(out, script[i]);
    text_put(out, "/*]]>*/</script>\n</body>\n</html>\n");
    return out->failed ? haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the report") : HAUL_OK;
}
