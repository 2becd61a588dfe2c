/* How a result differs between schedules, in words. */
#include "report/check/check.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The bits, and the number that they most likely are: a kernel's parameters do not tell the type of its buffers. */
static void put_value(text *out, uint32_t bits) {
    static const double SMALLEST = 1e-12, LARGEST = 1e12;
    float real;
    memcpy(&real, &bits, sizeof real);
    const double size = fabs((double)real);
    text_printf(out, "0x%08" PRIx32, bits);
    if (size > SMALLEST && size < LARGEST)
        text_printf(out, " (%.9g)", (double)real);
    else
        text_printf(out, " (%" PRId32 ")", (int32_t)bits);
}

/* Names the first word that differs, under the schedule that changes it and under the usual one. */
void report_put_difference(text *out, const report_difference *d) {
    if (d->ending) {
        text_printf(out, "the launch ends with %s under %s, and as it should under %s", d->ending, d->schedule,
                    d->usual);
        return;
    }
    text_printf(out, "word %" PRIu64 " of ", d->word);
    if (d->variable)
        text_printf(out, "variable %s", d->variable);
    else
        text_printf(out, "argument %zu", d->argument);
    text_put(out, " is ");
    put_value(out, d->values[1]);
    text_printf(out, " under %s, and ", d->schedule);
    put_value(out, d->values[0]);
    text_printf(out, " under %s", d->usual);
    if (d->words > 1) text_printf(out, "; %" PRIu64 " words differ", d->words);
}

/* Prints nothing if no schedule was tried. */
void report_put_witness(text *out, const report_witness *w) {
    if (!w || !w->tried) return;
    if (w->found) {
        text_printf(out, "--schedule %s: ", w->found->schedule);
        report_put_difference(out, w->found);
    } else {
        text_printf(out, "no schedule of the %zu tried changes the result", w->tried);
    }
}
