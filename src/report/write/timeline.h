/* Timelines as charts for terminals, as SVG, as trace events for Perfetto and Chrome, and as parts of reports. */
#ifndef HAUL_REPORT_WRITE_TIMELINE_H
#define HAUL_REPORT_WRITE_TIMELINE_H

#include "report/document.h"

#include <haul/timeline.h>

/* Writes a line for each engine that was busy, `columns` wide beside the names. Each column shows the last digit of the
 * chunk that kept the engine busy longest in that time, or a dot. */
void report_put_timeline(text *out, const haul_timeline *timeline, size_t columns);
/* Writes an <svg> element: a lane for each engine, a box for each operation with its numbers as a tooltip. */
void report_put_timeline_svg(text *out, const haul_timeline *timeline);
/* Writes trace events in JSON, as ui.perfetto.dev and chrome://tracing read them: a thread for each engine. */
void report_put_timeline_trace(text *out, const haul_timeline *timeline);

/* Adds the engines' busy time, bytes and rates as a table, the chart for terminals, and the picture for pages. */
void report_add_timeline(report_section *section, const haul_timeline *timeline);

#endif
