/* The format of numbers in every report: 1,234; 4.00; 44.4%; 1.50 KiB; 60.45 us; 2.35 TB/s. */
#ifndef HAUL_REPORT_FORMAT_H
#define HAUL_REPORT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

/* The unit of a column or an axis; numbers of a unit have the same format everywhere. */
typedef enum report_unit {
    REPORT_TEXT,
    REPORT_COUNT,        /* integers: 1,234 (averages keep two decimals) */
    REPORT_RATIO,        /* 4.00 */
    REPORT_SPEEDUP,      /* 1.012: ratios close to 1 */
    REPORT_PERCENT,      /* 0..100: 44.4% */
    REPORT_BYTES,        /* 1.50 KiB */
    REPORT_MICROSECONDS, /* 60.45 us */
    REPORT_SECONDS,      /* 1.25 s */
    REPORT_RATE,         /* bytes a second, decimal: 2.35 TB/s */
    REPORT_UNIT_COUNT
} report_unit;

/* The unit's name in JSON: "count", "percent", ... */
extern const char *const report_unit_names[REPORT_UNIT_COUNT];

enum { REPORT_NUMBER_SIZE = 48 };

/* Returns `out`. NaN and infinities print as "-". */
const char *report_format(report_unit unit, double value, char out[REPORT_NUMBER_SIZE]);

/* 100 * part / whole; NaN (printed as "-") if the whole is 0. */
double report_percent(double part, double whole);
/* part / whole; NaN if the whole is 0. */
double report_ratio(double part, double whole);

#endif
