/* Draws a timeline: as text with a column for each slice of time, as SVG, as a trace for browsers, and as a table.
 *
 * Each engine is a row, those of several devices one each, and an operation is shown by its chunk's last digit or
 * colour, so that it can be followed from engine to engine. */
#include "report/write/timeline.h"

#include "report/write/markup.h"

#include <haul/haul.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Engines that did nothing are left out. */
static bool is_used(const haul_timeline *t, int engine) {
    return t->busy_us[engine] > 0 || t->bytes[engine] > 0;
}

enum { MOST_ROWS = HAUL_ENGINE_COUNT * HAUL_MOST_DEVICES, NAME_SIZE = 24 };

typedef struct row {
    haul_engine engine;
    unsigned device;
    char name[NAME_SIZE]; /* "to device", or "to device 1" of several */
} row;

/* Returns the number of rows. The engines of a device lie below each other. */
static size_t list_rows(const haul_timeline *t, row rows[MOST_ROWS]) {
    size_t count = 0;
    for (int e = 0; e < HAUL_ENGINE_COUNT; e++) {
        const bool several = haul_engine_is_of_device((haul_engine)e) && t->devices > 1;
        const unsigned devices = several && t->devices < HAUL_MOST_DEVICES ? t->devices
                                 : several                                 ? HAUL_MOST_DEVICES
                                                                           : 1;
        for (unsigned d = 0; is_used(t, e) && d < devices; d++) {
            row *r = &rows[count++];
            *r = (row){.engine = (haul_engine)e, .device = d};
            snprintf(r->name, sizeof r->name, several ? "%s %u" : "%s", haul_engine_names[e], d);
        }
    }
    return count;
}

static bool is_in(const haul_operation *o, const row *r) {
    return o->engine == r->engine && o->device == r->device;
}

/* The end of the last operation; never zero, since it is divided by. */
static double length_of(const haul_timeline *t) {
    double end = t->elapsed_us;
    for (size_t i = 0; i < t->count; i++) end = fmax(end, t->operations[i].end_us);
    return end > 0 ? end : 1;
}

/* ---- for terminals ---- */

enum { MOST_COLUMNS = 400 };

typedef struct column {
    double busy; /* time of the chunk that was busy longest */
    char shown;
} column;

/* A column shows the chunk that was busy for most of its slice. */
static void fill_columns(const haul_timeline *t, const row *r, column *columns, size_t count) {
    const double each = length_of(t) / (double)count;
    for (size_t i = 0; i < count; i++) columns[i] = (column){0, '.'};
    for (size_t i = 0; i < t->count; i++) {
        const haul_operation *o = &t->operations[i];
        if (!is_in(o, r)) continue;
        for (size_t c = (size_t)(o->start_us / each); c < count && (double)c * each < o->end_us; c++) {
            const double from = fmax(o->start_us, (double)c * each), to = fmin(o->end_us, (double)(c + 1) * each);
            if (to - from <= columns[c].busy) continue;
            columns[c] = (column){to - from, (char)('0' + o->chunk % 10)};
        }
    }
}

void report_put_timeline(text *out, const haul_timeline *t, size_t columns) {
    column line[MOST_COLUMNS];
    char length[REPORT_NUMBER_SIZE];
    if (columns > MOST_COLUMNS) columns = MOST_COLUMNS;
    if (columns == 0) return;
    row rows[MOST_ROWS];
    const size_t count = list_rows(t, rows);
    const int width = t->devices > 1 ? 12 : 10; /* of the names */
    for (size_t i = 0; i < count; i++) {
        fill_columns(t, &rows[i], line, columns);
        text_printf(out, "%-*s ", width, rows[i].name);
        for (size_t c = 0; c < columns; c++) text_append(out, &line[c].shown, 1);
        text_put(out, "\n");
    }
    report_format(REPORT_MICROSECONDS, length_of(t), length);
    text_printf(out, "%-*s 0%*s\n", width, "", (int)columns - 1, length);
}

/* ---- SVG ---- */

enum {
    WIDE = 960,
    NARROW = 420,
    LEFT = 90,
    RIGHT = 20,
    TOP = 12,
    LANE = 30,
    BOX = 22,
    AXIS = 34,
    COLOURS = 6,
    TICKS = 8,
    TICK_WIDTH = 70
};

static const char *const colours[COLOURS] = {"#2563eb", "#d97706", "#059669", "#db2777", "#7c3aed", "#0891b2"};

/* 1, 2 or 5 times a power of ten, about `count` times in `length`. */
static double tick_of(double length, int count) {
    const double raw = length / count, power = pow(10, floor(log10(raw))), mantissa = raw / power;
    return power * (mantissa <= 1 ? 1 : mantissa <= 2 ? 2 : mantissa <= 5 ? 5 : 10);
}

static void put_axis(text *out, double length, double scale, int bottom) {
    const int room = (int)(length * scale / TICK_WIDTH);
    const double tick = tick_of(length, room < TICKS ? room : TICKS);
    for (int k = 0; k * tick <= length; k++) {
        char label[REPORT_NUMBER_SIZE];
        const double x = LEFT + k * tick * scale;
        report_format(REPORT_MICROSECONDS, k * tick, label);
        text_printf(out,
                    "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"currentColor\" "
                    "stroke-opacity=\"0.15\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
                    x, x, TOP, bottom, x, bottom + 18, label);
    }
}

/* The details appear when the pointer rests on the box. */
static void put_box(text *out, const haul_operation *o, double scale, int y) {
    char start[REPORT_NUMBER_SIZE], took[REPORT_NUMBER_SIZE], bytes[REPORT_NUMBER_SIZE];
    report_format(REPORT_MICROSECONDS, o->start_us, start);
    report_format(REPORT_MICROSECONDS, o->end_us - o->start_us, took);
    report_format(REPORT_BYTES, (double)o->bytes, bytes);
    text_printf(out,
                "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" rx=\"1.5\" fill=\"%s\"><title>%s, chunk %llu: "
                "%s from %s on, %s</title></rect>\n",
                LEFT + o->start_us * scale, y, fmax(0.5, (o->end_us - o->start_us) * scale), BOX,
                colours[o->chunk % COLOURS], haul_engine_names[o->engine], (unsigned long long)o->chunk, took, start,
                bytes);
}

static void put_svg(text *out, const haul_timeline *t, int width) {
    const double length = length_of(t), scale = (width - LEFT - RIGHT) / length;
    row rows[MOST_ROWS];
    const int lanes = (int)list_rows(t, rows), bottom = TOP + lanes * LANE;
    text_printf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
                "font-size=\"12\" fill=\"currentColor\">\n",
                width, bottom + AXIS);
    put_axis(out, length, scale, bottom);
    for (int k = 0; k < lanes; k++)
        text_printf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", LEFT - 8, TOP + k * LANE + 16,
                    rows[k].name);
    for (size_t i = 0; i < t->count; i++)
        for (int k = 0; k < lanes; k++)
            if (is_in(&t->operations[i], &rows[k])) put_box(out, &t->operations[i], scale, TOP + k * LANE);
    text_put(out, "</svg>\n");
}

void report_put_timeline_svg(text *out, const haul_timeline *t) {
    put_svg(out, t, WIDE);
}

/* ---- trace events ---- */

/* The thread of an operation: engines in their order, those of further devices behind them. */
static int thread_of(haul_engine engine, unsigned device) {
    return (int)device * HAUL_ENGINE_COUNT + (int)engine + 1;
}

/* Chrome's and Perfetto's trace format: one process, and a thread for each engine. */
void report_put_timeline_trace(text *out, const haul_timeline *t) {
    text_printf(out, "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"stamp\":\"%s\"},\"traceEvents\":[",
                t->stamp == HAUL_SIMULATED ? "simulated" : "measured");
    text_put(out, "\n{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"haul stream\"}}");
    row rows[MOST_ROWS];
    const size_t count = list_rows(t, rows);
    for (size_t i = 0; i < count; i++) {
        const int thread = thread_of(rows[i].engine, rows[i].device);
        text_printf(out, ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"name\":\"thread_name\",\"args\":{\"name\":\"%s\"}}",
                    thread, rows[i].name);
        text_printf(
            out, ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%d}}",
            thread, (int)i + 1);
    }
    for (size_t i = 0; i < t->count; i++) {
        const haul_operation *o = &t->operations[i];
        text_printf(out,
                    ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"name\":\"chunk %llu\",\"cat\":\"%s\",\"ts\":%.3f,"
                    "\"dur\":%.3f,\"args\":{\"chunk\":%llu,\"bytes\":%llu}}",
                    thread_of(o->engine, o->device), (unsigned long long)o->chunk, haul_engine_names[o->engine],
                    o->start_us, o->end_us - o->start_us, (unsigned long long)o->chunk, (unsigned long long)o->bytes);
    }
    text_put(out, "\n]}\n");
}

/* ---- in reports ---- */

enum { CHART_COLUMNS = 72 };

static const report_column columns[] = {
    {"engine", "Engine", REPORT_TEXT, "A part of the GPU that works at the same time as the others"},
    {"busy_us", "Busy", REPORT_MICROSECONDS, "The time that it had something to do, of all devices together"},
    {"share", "Share", REPORT_PERCENT, "Its busy time, of the elapsed time, on average over the devices"},
    {"bytes", "Bytes", REPORT_BYTES, "Bytes that it moved"},
    {"rate", "Rate", REPORT_RATE, "Bytes over busy time"},
};

void report_add_timeline(report_section *section, const haul_timeline *t) {
    text chart = {0}, picture = {0};
    report_table *table = report_add_table(section, "engines", NULL, columns, sizeof columns / sizeof columns[0]);
    for (int e = 0; e < HAUL_ENGINE_COUNT; e++) {
        if (!is_used(t, e)) continue;
        report_add_row(table);
        report_add_text(table, "%s", haul_engine_names[e]);
        report_add_number(table, t->busy_us[e]);
        report_add_number(table, report_percent(haul_timeline_share(t, (haul_engine)e), 1));
        if (e == HAUL_ENGINE_KERNEL) continue;
        report_add_number(table, (double)t->bytes[e]);
        report_add_number(table, report_ratio((double)t->bytes[e] * 1e6, t->busy_us[e]));
    }
    report_put_timeline(&chart, t, CHART_COLUMNS);
    text_put(&picture, "<div class=\"on-wide\">");
    put_svg(&picture, t, WIDE);
    text_put(&picture, "</div><div class=\"on-narrow\">");
    put_svg(&picture, t, NARROW);
    text_put(&picture, "</div>\n");
    if (!chart.failed) report_add_drawing(section, text_string(&chart));
    report_add_figure(section, "Timeline", &picture);
    text_free(&chart);
    text_free(&picture);
}
