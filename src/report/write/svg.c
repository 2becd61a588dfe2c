/* Writes charts as SVG. Colours are CSS variables with a fallback: a page sets them for light and dark, and a chart in
 * its own file still shows. */
#include "base/status.h"
#include "report/document.h"
#include "report/write/markup.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    PLOT_HEIGHT = 240,
    LEGEND_LINE = 20,
    AXIS_HEIGHT = 46,
    LEFT = 68,
    RIGHT = 20,
    BAR = 14,
    BAR_GAP = 10,
    COLOURS = 8,
    MOST_TICKS = 64,
    GOAL_TICKS = 8,
    TICK_GAP = 6 /* between labels of the x axis */
};
static const double CHARACTER = 6.6; /* average width at 12 px */

static const char *const colours[COLOURS] = {"#2563eb", "#d97706", "#059669", "#db2777",
                                             "#7c3aed", "#0891b2", "#65a30d", "#64748b"};

/* ---- axes ---- */

/* Maps values to pixels; low and high are in the scale's own space (logarithms on a logarithmic one). */
typedef struct axis_map {
    const report_axis *axis;
    double low, high, from, to;
    double step;
} axis_map;

/* Axes are linear in their own space: of values, or of their logarithms. */
static double to_space(report_scale scale, double value) {
    if (scale == REPORT_LOG2) return log2(value);
    if (scale == REPORT_LOG10) return log10(value);
    return value;
}

static double from_space(report_scale scale, double value) {
    if (scale == REPORT_LOG2) return exp2(value);
    if (scale == REPORT_LOG10) return pow(10, value);
    return value;
}

/* 1, 2 or 5 times a power of ten, such that about GOAL_TICKS of them span the range. */
static double nice_step(double range) {
    double raw = range / (GOAL_TICKS - 2), power = pow(10, floor(log10(raw)));
    double mantissa = raw / power;
    return power * (mantissa <= 1 ? 1 : mantissa <= 2 ? 2 : mantissa <= 5 ? 5 : 10);
}

/* Small counts on a GPU are often powers of two: strides, pitches, sectors of a warp. So are all numbers of bytes. */
static double count_step(report_unit unit, double range) {
    return unit == REPORT_COUNT && range > 512 ? nice_step(range) : fmax(1, exp2(ceil(log2(range / (GOAL_TICKS - 2)))));
}

/* A logarithmic axis has no place for zero. */
static bool can_show(report_scale scale, double value) {
    return isfinite(value) && (scale == REPORT_LINEAR || value > 0);
}

static void include_value(axis_map *m, double value) {
    if (!can_show(m->axis->scale, value)) return;
    double v = to_space(m->axis->scale, value);
    if (v < m->low) m->low = v;
    if (v > m->high) m->high = v;
}

/* Widens the range to whole steps. Call it after all values are included. */
static void settle(axis_map *m, bool whole_steps) {
    if (m->low > m->high) m->low = 0, m->high = 1;
    if (m->axis->scale != REPORT_LINEAR) {
        m->low = floor(m->low + 1e-9);
        m->high = ceil(m->high - 1e-9);
        if (m->low == m->high) m->high++;
        m->step = ceil((m->high - m->low) / GOAL_TICKS);
        return;
    }
    if (m->low == m->high) m->high = m->low + 1;
    double range = m->high - m->low;
    m->step = m->axis->unit == REPORT_COUNT || m->axis->unit == REPORT_BYTES ? count_step(m->axis->unit, range)
                                                                             : nice_step(range);
    if (whole_steps) m->high = m->step * ceil(m->high / m->step - 1e-9);
}

/* The position of a value on the axis. */
static double pixel(const axis_map *m, double value) {
    double v = to_space(m->axis->scale, value);
    return m->from + (m->to - m->from) * (v - m->low) / (m->high - m->low);
}

/* The position of tick number `index` on the axis; false after the end. */
static bool tick(const axis_map *m, int index, double *value) {
    double v = m->step * ceil(m->low / m->step - 1e-9) + m->step * index;
    if (v > m->high + m->step * 1e-6 || index > MOST_TICKS) return false;
    *value = from_space(m->axis->scale, fabs(v) < m->step * 1e-9 ? 0 : v);
    return true;
}

/* Tick labels are short: no ".00" for integers. */
static const char *tick_label(report_unit unit, double value, char label[REPORT_NUMBER_SIZE]) {
    static const char zeros[] = ".00 ";
    if (unit == REPORT_PERCENT && value == floor(value))
        snprintf(label, REPORT_NUMBER_SIZE, "%.0f%%", value);
    else if (unit == REPORT_RATIO && value == floor(value))
        snprintf(label, REPORT_NUMBER_SIZE, "%.0f", value);
    else if (unit == REPORT_RATIO)
        snprintf(label, REPORT_NUMBER_SIZE, "%.3g", value);
    else
        report_format(unit, value, label);
    char *end = unit == REPORT_BYTES ? strstr(label, zeros) : NULL;
    if (end) memmove(end, end + sizeof zeros - 2, strlen(end + sizeof zeros - 2) + 1);
    return label;
}

/* ---- pieces ---- */

/* A line of text in one of the page's two text colours. */
static void put_text(text *out, double x, double y, const char *anchor, const char *class, const char *s) {
    text_printf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" style=\"fill:var(--%s,%s)\">", x, y, anchor, class,
                strcmp(class, "muted") == 0 ? "#64748b" : "#0f172a");
    markup_put(out, s);
    text_put(out, "</text>\n");
}

static void put_grid_line(text *out, double x1, double y1, double x2, double y2) {
    text_printf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" style=\"stroke:var(--grid,#e2e8f0)\"/>\n",
                x1, y1, x2, y2);
}

/* Series take turns with the colours. */
static void put_colour(text *out, const char *property, size_t series) {
    text_printf(out, "%s:var(--c%zu,%s)", property, series % COLOURS, colours[series % COLOURS]);
}

/* Not everyone can distinguish series by colour, so each has its own marker. */
static void put_marker(text *out, size_t shape, size_t series, double x, double y) {
    switch (shape % 4) {
    case 0: text_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\"", x, y); break;
    case 1: text_printf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"7\" height=\"7\"", x - 3.5, y - 3.5); break;
    case 2: text_printf(out, "<path d=\"M%.1f %.1fl5 9h-10z\"", x, y - 5.5); break;
    default: text_printf(out, "<path d=\"M%.1f %.1fl5 5l-5 5l-5-5z\"", x, y - 5);
    }
    text_put(out, " style=\"");
    put_colour(out, "fill", series);
    text_put(out, "\">");
}

/* The element stays open in between, for a title. */
static void end_marker(text *out, size_t shape) {
    text_put(out, shape % 4 == 0 ? "</circle>\n" : shape % 4 == 1 ? "</rect>\n" : "</path>\n");
}

/* An estimate: the font is the reader's. */
static double label_width(const char *s) {
    size_t characters = 0;
    for (; *s; s++) characters += ((unsigned char)*s & 0xc0) != 0x80;
    return CHARACTER * (double)characters;
}

/* Lays out the legend in lines from `top` down, or only measures it if `out` is NULL. Returns its height. */
static double put_legend(text *out, const report_chart *c, double top, double width) {
    if (c->series_count < 2) return 0;
    double x = LEFT, y = top + 12;
    size_t index = 0;
    for (const report_series *s = c->series; s; s = s->next, index++) {
        double taken = 36 + label_width(s->label);
        if (x > LEFT && x + taken > width - RIGHT) x = LEFT, y += LEGEND_LINE;
        if (out) {
            size_t shape = c->kind == REPORT_BARS ? 1 : index; /* bars only have squares */
            put_marker(out, shape, s->colour, x + 6, y - 4);
            end_marker(out, shape);
            put_text(out, x + 16, y, "start", "ink", s->label);
        }
        x += taken;
    }
    return y + LEGEND_LINE - 12 - top;
}

static void start(text *out, const report_chart *c, double width, double height) {
    text_printf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" class=\"chart\" "
                "font-family=\"system-ui,sans-serif\" font-size=\"12\" style=\"background:var(--card,#fff)\"><title>",
                width, height);
    markup_put(out, c->title ? c->title : c->name);
    text_put(out, "</title>\n");
}

/* ---- lines ---- */

/* Horizontal lines with their values, and the title turned by 90 degrees. */
static void put_y_axis(text *out, const axis_map *y, double right) {
    char label[REPORT_NUMBER_SIZE];
    double value;
    for (int i = 0; tick(y, i, &value); i++) {
        double at = pixel(y, value);
        put_grid_line(out, LEFT, at, right, at);
        text_printf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" style=\"fill:var(--muted,#64748b)\">", LEFT - 8,
                    at + 4);
        markup_put(out, tick_label(y->axis->unit, value, label));
        text_put(out, "</text>\n");
    }
    if (!y->axis->title) return;
    double middle = (y->from + y->to) / 2;
    text_printf(out, "<g transform=\"rotate(-90 14 %.1f)\">", middle);
    put_text(out, 14, middle, "middle", "muted", y->axis->title);
    text_put(out, "</g>\n");
}

static void put_x_axis(text *out, const axis_map *x, double top, double bottom) {
    char label[REPORT_NUMBER_SIZE];
    double value, used = -INFINITY; /* the end of the last label */
    for (int i = 0; tick(x, i, &value); i++) {
        double at = pixel(x, value);
        put_grid_line(out, at, top, at, bottom);
        const double half = label_width(tick_label(x->axis->unit, value, label)) / 2;
        if (at - half < used) continue;
        used = at + half + TICK_GAP;
        text_printf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" style=\"fill:var(--muted,#64748b)\">", at,
                    bottom + 18);
        markup_put(out, label);
        text_put(out, "</text>\n");
    }
    if (x->axis->title) put_text(out, (x->from + x->to) / 2, bottom + 38, "middle", "muted", x->axis->title);
}

static bool shown(const axis_map *x, const axis_map *y, const report_point *p) {
    return can_show(x->axis->scale, p->x) && can_show(y->axis->scale, p->y);
}

static void put_line(text *out, const report_series *s, const axis_map *x, const axis_map *y) {
    text_put(out, "<polyline points=\"");
    for (const report_point *p = s->points; p; p = p->next) {
        if (shown(x, y, p)) text_printf(out, "%.1f,%.1f ", pixel(x, p->x), pixel(y, p->y));
    }
    text_printf(out, "\" fill=\"none\" stroke-width=\"2\"%s style=\"",
                s->line == REPORT_DASHED ? " stroke-dasharray=\"6 4\"" : "");
    put_colour(out, "stroke", s->colour);
    text_put(out, "\"/>\n");
}

static void put_points(text *out, const report_series *s, size_t index, const axis_map *x, const axis_map *y) {
    char xs[REPORT_NUMBER_SIZE], ys[REPORT_NUMBER_SIZE];
    for (const report_point *p = s->points; p; p = p->next) {
        if (!shown(x, y, p)) continue;
        put_marker(out, index, s->colour, pixel(x, p->x), pixel(y, p->y));
        text_put(out, "<title>");
        markup_put(out, s->label);
        text_printf(out, ": %s at %s</title>", report_format(y->axis->unit, p->y, ys),
                    report_format(x->axis->unit, p->x, xs));
        end_marker(out, index);
    }
}

static axis_map measure_x(const report_chart *c, double width) {
    axis_map m = {.axis = &c->x, .low = INFINITY, .high = -INFINITY, .from = LEFT + 10, .to = width - RIGHT - 10};
    for (const report_series *s = c->series; s; s = s->next) {
        for (const report_point *p = s->points; p; p = p->next) include_value(&m, p->x);
    }
    settle(&m, false);
    return m;
}

/* Linear axes begin at zero, so that lengths can be compared. */
static axis_map measure_y(const report_chart *c, double from, double to, bool whole_steps) {
    axis_map m = {.axis = &c->y, .low = INFINITY, .high = -INFINITY, .from = from, .to = to};
    if (c->y.scale == REPORT_LINEAR) include_value(&m, 0);
    for (const report_series *s = c->series; s; s = s->next) {
        for (const report_point *p = s->points; p; p = p->next) include_value(&m, p->y);
    }
    settle(&m, whole_steps);
    return m;
}

static void put_lines(text *out, const report_chart *c, double width) {
    double top = put_legend(NULL, c, 4, width) + 12, bottom = top + PLOT_HEIGHT;
    axis_map x = measure_x(c, width), y = measure_y(c, bottom, top, true);
    start(out, c, width, bottom + AXIS_HEIGHT);
    put_legend(out, c, 4, width);
    put_y_axis(out, &y, width - RIGHT);
    put_x_axis(out, &x, top, bottom);
    size_t index = 0;
    for (const report_series *s = c->series; s; s = s->next) put_line(out, s, &x, &y);
    index = 0;
    for (const report_series *s = c->series; s; s = s->next) put_points(out, s, index++, &x, &y);
    text_put(out, "</svg>\n");
}

/* ---- horizontal bars, since names of kernels are long ---- */

/* Long names are cut at two fifths of the width. */
static double widest_category(const report_chart *c, double width) {
    double widest = 40;
    for (const report_category *k = c->categories; k; k = k->next) widest = fmax(widest, label_width(k->label));
    return fmin(widest, width / 2.5);
}

static void put_bar(text *out, const axis_map *m, size_t series, double top, double value) {
    if (!can_show(m->axis->scale, value)) return;
    double end = fmax(pixel(m, value), m->from);
    text_printf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" rx=\"2\" style=\"", m->from, top,
                end - m->from, BAR - 2);
    put_colour(out, "fill", series);
    text_put(out, "\"/>\n");
    char number[REPORT_NUMBER_SIZE];
    put_text(out, end + 5, top + BAR - 4, "start", "ink", report_format(m->axis->unit, value, number));
}

static void put_bar_series(text *out, const report_chart *c, const axis_map *m, double top, double group) {
    size_t index = 0;
    for (const report_series *s = c->series; s; s = s->next, index++) {
        for (const report_point *p = s->points; p; p = p->next) {
            if (p->x >= 0 && p->x < (double)c->category_count)
                put_bar(out, m, index, top + BAR_GAP / 2.0 + p->x * group + BAR * (double)index, p->y);
        }
    }
}

static void put_bars(text *out, const report_chart *c, double width) {
    double group = BAR * (double)c->series_count + BAR_GAP, legend = put_legend(NULL, c, 4, width), top = legend + 8;
    double bottom = top + group * (double)c->category_count, left = widest_category(c, width) + 16;
    axis_map m = measure_y(c, left, width - RIGHT - 60, false);
    start(out, c, width, bottom + AXIS_HEIGHT);
    if (legend > 0) put_legend(out, c, 4, width);
    put_x_axis(out, &m, top, bottom);
    double y = top + group / 2 + 4;
    for (const report_category *k = c->categories; k; k = k->next, y += group)
        put_text(out, left - 8, y, "end", "ink", k->label);
    put_bar_series(out, c, &m, top, group);
    text_put(out, "</svg>\n");
}

void markup_put_chart(text *out, const report_chart *c, double width) {
    if (c->kind == REPORT_BARS)
        put_bars(out, c, width);
    else
        put_lines(out, c, width);
}

haul_status report_write_svg(const report_chart *c, text *out) {
    if (!c || c->document->failed) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the report");
    text_put(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    markup_put_chart(out, c, MARKUP_WIDE);
    return out->failed ? haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the report") : HAUL_OK;
}
