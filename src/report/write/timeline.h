/* Timelines as a chart for terminals, as SVG, as trace events for Perfetto and Chrome, and as a part of reports. */
#ifndef HAUL_REPORT_WRITE_TIMELINE_H
#define HAUL_REPORT_WRITE_TIMELINE_H

#include "report/document.h"

#include <haul/timeline.h>

/* A line for each engine that did something, `columns` wide beside the names; each column shows the last digit of the
 * chunk that the engine was busy with longest in that time, or a dot. */
void report_put_timeline(text *out, const haul_timeline *timeline, size_t columns);
/* An <svg> element: a lane for each engine, a box for each operation with its numbers as a tooltip. */
void report_put_timeline_svg(text *out, const haul_timeline *timeline);
/* Trace events in JSON, as ui.perfetto.dev and chrome://tracing read them: a thread for each engine. */
void report_put_timeline_trace(text *out, const haul_timeline *timeline);

/* The engines' busy time, bytes and rates as a table, the chart for terminals, and the picture for pages. */
void report_add_timeline(report_section *section, const haul_timeline *timeline);

#endif
