/* Text and charts inside HTML and SVG. */
#ifndef HAUL_REPORT_WRITE_MARKUP_H
#define HAUL_REPORT_WRITE_MARKUP_H

#include "base/text.h"
#include "report/chart.h"

/* Escapes markup characters, in text and in quoted attributes. Characters that XML cannot hold (control characters,
 * invalid UTF-8) become question marks. */
void markup_put(text *out, const char *s);

/* Widths of charts, in units of the picture: for wide pages, and for columns and telephones. */
enum { MARKUP_WIDE = 720, MARKUP_NARROW = 420 };

/* Writes the chart as an <svg> element, for a page or after an XML declaration. */
void markup_put_chart(text *out, const report_chart *c, double width);

#endif
