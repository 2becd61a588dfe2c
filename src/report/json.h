/* What the JSON that haul prints is made with. */
#ifndef HAUL_REPORT_JSON_H
#define HAUL_REPORT_JSON_H

#include "base/text.h"
#include "report/table.h"

#include <haul/status.h>
#include <jansson.h>
#include <stdint.h>

/* An integer where it is one, null where it is not finite. */
json_t *report_json_number(double value);
/* Any bytes: what is not UTF-8 loses its bytes beyond ASCII. */
json_t *report_json_string(const char *s);
/* A grid or a block. */
json_t *report_json_extent(const uint32_t extent[3]);
/* The rows as an array of objects by column key; empty cells are left out. */
json_t *report_json_rows(const report_table *t);

/* Appends `value` and a line end to `out` and drops the reference. NULL is out of memory. */
haul_status report_json_put(json_t *value, size_t flags, text *out);

#endif
