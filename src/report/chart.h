/* Charts: lines and bars, drawn as SVG by report/write/svg.c. The JSON contains their numbers too. */
#ifndef HAUL_REPORT_CHART_H
#define HAUL_REPORT_CHART_H

#include "report/table.h"

typedef enum report_chart_kind {
    REPORT_LINES, /* points (x, y) joined in the order given */
    REPORT_BARS   /* a group for each category; x of a point is the category's index */
} report_chart_kind;

typedef enum report_scale { REPORT_LINEAR, REPORT_LOG2, REPORT_LOG10 } report_scale;

typedef struct report_axis {
    const char *title; /* "stride, elements" */
    report_scale scale;
    report_unit unit; /* of its tick labels */
} report_axis;

typedef enum report_line { REPORT_SOLID, REPORT_DASHED } report_line; /* dashed: measured, ideal or expected values */

typedef struct report_point {
    struct report_point *next;
    double x, y;
} report_point;

typedef struct report_series {
    struct report_series *next;
    struct report_chart *chart;
    const char *label;
    report_line line;
    size_t colour; /* its number, or that of a series that it belongs to */
    report_point *points, *last;
    size_t point_count;
} report_series;

typedef struct report_category {
    struct report_category *next;
    const char *label;
} report_category;

typedef struct report_chart {
    report_document *document;
    const char *name, *title;
    report_chart_kind kind;
    report_axis x, y;
    bool small; /* pages may put two such charts side by side */
    report_series *series, *last;
    size_t series_count;
    report_category *categories, *last_category;
    size_t category_count;
} report_chart;

/* ---- filling; all accept NULL (after out of memory) ---- */

report_series *report_add_series(report_chart *c, const char *label, report_line line);
void report_add_point(report_series *s, double x, double y);
/* Bars: a group's label, from the left; series then add a point for each with x = 0, 1, ... */
void report_add_category(report_chart *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
