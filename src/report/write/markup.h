/* Text inside HTML and SVG. */
#ifndef HAUL_REPORT_WRITE_MARKUP_H
#define HAUL_REPORT_WRITE_MARKUP_H

#include "base/text.h"
#include "report/chart.h"

/* Escapes what markup gives a meaning, in text and in quoted attributes; what XML cannot hold (control characters,
 * bytes that are no UTF-8) becomes a question mark. */
void markup_put(text *out, const char *s);

/* The chart as an <svg> element, for a page or after an XML declaration. */
void markup_put_chart(text *out, const report_chart *c);

#endif
