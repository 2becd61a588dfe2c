/* Numbers with units, as tables and charts show them.
 *
 * A value that is not finite was not measured, or is a share of nothing; it is shown as a dash. */
#include "report/format.h"

#include "base/number.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

const char *const report_unit_names[REPORT_UNIT_COUNT] = {
    [REPORT_TEXT] = "text",       [REPORT_COUNT] = "count",           [REPORT_RATIO] = "ratio",
    [REPORT_PERCENT] = "percent", [REPORT_BYTES] = "bytes",           [REPORT_MICROSECONDS] = "microseconds",
    [REPORT_SECONDS] = "seconds", [REPORT_RATE] = "bytes per second", [REPORT_SPEEDUP] = "ratio",
};

/* Above 2^53 a double does not hold every integer, so digits would be invented. */
enum { EXACT_INTEGERS_BITS = 53 };

/* Counts are whole and get separated thousands. Averages of counts have a fraction. */
static void format_count(double value, char *out) {
    double magnitude = fabs(value);
    if (magnitude != floor(magnitude) || magnitude >= ldexp(1, EXACT_INTEGERS_BITS)) {
        snprintf(out, REPORT_NUMBER_SIZE, magnitude < 1e6 ? "%.2f" : "%.4g", value);
        return;
    }
    char digits[32];
    snprintf(out, REPORT_NUMBER_SIZE, "%s%s", value < 0 ? "-" : "", number_format_count((uint64_t)magnitude, digits));
}

/* Two decimals, with thousands separated. */
static void format_decimal(double value, const char *unit, char *out) {
    double rounded = round(fabs(value) * 100) / 100;
    char digits[32];
    if (rounded >= ldexp(1, EXACT_INTEGERS_BITS)) {
        snprintf(out, REPORT_NUMBER_SIZE, "%.4g%s", value, unit);
        return;
    }
    uint64_t whole = (uint64_t)rounded;
    snprintf(out, REPORT_NUMBER_SIZE, "%s%s.%02d%s", value < 0 ? "-" : "", number_format_count(whole, digits),
             (int)lround((rounded - (double)whole) * 100), unit);
}

static void format_bytes(double value, char *out) {
    char bytes[32];
    snprintf(out, REPORT_NUMBER_SIZE, "%s%s", value < 0 ? "-" : "", number_format_bytes(fabs(value), bytes));
}

/* Decimal units, as vendors state bandwidth. The limit below 1000 keeps rounding from printing 1000.00. */
static void format_rate(double value, char *out) {
    static const char *const units[] = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s"};
    size_t unit = 0;
    while (fabs(value) >= 999.995 && unit < sizeof units / sizeof *units - 1) value /= 1000, unit++;
    snprintf(out, REPORT_NUMBER_SIZE, unit ? "%.2f %s" : "%.0f %s", value, units[unit]);
}

const char *report_format(report_unit unit, double value, char out[REPORT_NUMBER_SIZE]) {
    if (!isfinite(value)) return strcpy(out, "-");
    switch (unit) {
    case REPORT_BYTES: format_bytes(value, out); break;
    case REPORT_RATE: format_rate(value, out); break;
    case REPORT_PERCENT: snprintf(out, REPORT_NUMBER_SIZE, "%.1f%%", value); break;
    case REPORT_RATIO: format_decimal(value, "", out); break;
    case REPORT_SPEEDUP: snprintf(out, REPORT_NUMBER_SIZE, "%.3f", value); break;
    case REPORT_MICROSECONDS: format_decimal(value, " us", out); break;
    case REPORT_SECONDS: format_decimal(value, " s", out); break;
    default: format_count(value, out);
    }
    return out;
}

double report_percent(double part, double whole) {
    return whole != 0 ? 100 * part / whole : NAN;
}

double report_ratio(double part, double whole) {
    return whole != 0 ? part / whole : NAN;
}
