/* Helpers for the JSON that haul prints. */
#ifndef HAUL_REPORT_JSON_H
#define HAUL_REPORT_JSON_H

#include "base/text.h"
#include "report/table.h"

#include <haul/status.h>
#include <jansson.h>
#include <stdint.h>

/* An integer if the value is one, null if it is not finite. */
json_t *report_json_number(double value);
/* A string from any bytes: if they are not valid UTF-8, non-ASCII ones are replaced. */
json_t *report_json_string(const char *s);
/* The three extents of a grid or a block. */
json_t *report_json_extent(const uint32_t extent[3]);
/* The rows as an array of objects by column key, without empty cells. */
json_t *report_json_rows(const report_table *t);

/* Appends `value` and a line end to `out`, and drops the reference. NULL means out of memory. */
haul_status report_json_put(json_t *value, size_t flags, text *out);

#endif
