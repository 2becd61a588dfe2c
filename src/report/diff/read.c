/* Reads snapshots from what haul printed or saved. All forms are JSON: a baseline, a report with tables, or a launch a
 * line. Unknown members are skipped, since a record of another version of haul is worth comparing. */

#include "base/status.h"
#include "report/check/metrics.h"
#include "report/diff/snapshot.h"
#include "report/traffic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *string_of(const json_t *object, const char *key) {
    const char *s = json_string_value(json_object_get(object, key));
    return s ? s : "";
}

static uint64_t count_of(const json_t *value) {
    const json_int_t count = json_integer_value(value);
    return count > 0 ? (uint64_t)count : 0;
}

/* A record without a shape keeps zeros. */
static void read_extent(const json_t *array, uint32_t extent[3]) {
    for (size_t i = 0; i < 3 && array; i++) {
        const uint64_t n = count_of(json_array_get(array, i));
        extent[i] = n && n <= UINT32_MAX ? (uint32_t)n : 1;
    }
}

/* ---- a launch's members ---- */

static report_unit unit_of(const char *name) {
    for (int i = 0; i < REPORT_UNIT_COUNT; i++)
        if (strcmp(report_unit_names[i], name) == 0) return (report_unit)i;
    return REPORT_COUNT;
}

/* A metric of launches has its unit; every other name is a counter. */
static report_unit unit_of_value(const char *name) {
    report_metric metric;
    if (strcmp(name, "us") == 0) return REPORT_MICROSECONDS;
    return report_find_metric(name, &metric) ? metric.unit : REPORT_COUNT;
}

/* A counter that varied is [lowest, highest]. */
static void read_value(report_snapshot *s, report_snapshot_launch *launch, const char *name, const json_t *value) {
    const bool is_range = json_is_array(value) && json_array_size(value) == 2;
    const double low = json_number_value(is_range ? json_array_get(value, 0) : value);
    const double high = json_number_value(is_range ? json_array_get(value, 1) : value);
    if (!json_is_number(value) && !is_range) return;
    snapshot_add_value(s, launch, name, unit_of_value(name), (low + high) / 2);
    launch->values[launch->value_count - 1].low = low;
    launch->values[launch->value_count - 1].high = high;
}

static void read_values(report_snapshot *s, report_snapshot_launch *launch, json_t *values) {
    const char *name;
    json_t *value;
    json_object_foreach(values, name, value) read_value(s, launch, name, value);
}

/* `us`, `us_low` and `us_high` of haul replay. */
static void read_times(report_snapshot *s, report_snapshot_launch *launch, const json_t *object) {
    const json_t *us = json_object_get(object, "us"), *low = json_object_get(object, "us_low"),
                 *high = json_object_get(object, "us_high");
    read_value(s, launch, "estimate_us", json_object_get(object, "estimate_us"));
    if (!json_is_number(us)) return;
    read_value(s, launch, "us", us);
    if (json_is_number(low)) launch->values[launch->value_count - 1].low = json_number_value(low);
    if (json_is_number(high)) launch->values[launch->value_count - 1].high = json_number_value(high);
}

static void read_occupancy(report_snapshot *s, report_snapshot_launch *launch, const json_t *o) {
    const double warps = json_number_value(json_object_get(o, "warps_per_sm")),
                 most = json_number_value(json_object_get(o, "max_warps_per_sm"));
    if (most > 0) snapshot_add_value(s, launch, "occupancy", REPORT_PERCENT, 100 * warps / most);
    read_value(s, launch, "blocks_per_sm", json_object_get(o, "blocks_per_sm"));
    read_value(s, launch, "registers", json_object_get(o, "registers_per_thread"));
    read_value(s, launch, "shared_bytes", json_object_get(o, "shared_per_block"));
}

/* Without a number, lines of one file and code that follow each other with different classes are one line. */
static report_snapshot_line *line_of(report_snapshot *s, report_snapshot_launch *launch, const json_t *object,
                                     haul_memory_class class) {
    const uint64_t number = count_of(json_object_get(object, "line"));
    const char *file = report_local_name(string_of(object, "file")), *code = string_of(object, "code");
    report_snapshot_line *last = launch->line_count ? &launch->lines[launch->line_count - 1] : NULL;
    if (!number && last && strcmp(last->file, file) == 0 && strcmp(last->code, code) == 0 &&
        !last->classes[class].instructions)
        return last;
    return snapshot_line(s, launch, snapshot_copy(s, file), (uint32_t)number, snapshot_copy(s, code));
}

static void read_lines(report_snapshot *s, report_snapshot_launch *launch, json_t *lines) {
    size_t i;
    json_t *object;
    launch->has_lines = json_is_array(lines);
    json_array_foreach(lines, i, object) {
        const haul_memory_class class = report_class_find(string_of(object, "class"));
        if (class != HAUL_CLASS_NONE)
            report_traffic_read(json_object_get(object, "traffic"), &line_of(s, launch, object, class)->classes[class]);
    }
}

static void read_findings(report_snapshot *s, report_snapshot_launch *launch, json_t *findings) {
    size_t i;
    json_t *object;
    launch->checked = json_is_array(findings);
    json_array_foreach(findings, i, object) {
        const report_snapshot_finding f = {.kind = snapshot_copy(s, string_of(object, "kind")),
                                           .file = snapshot_copy(s, report_local_name(string_of(object, "file"))),
                                           .code = snapshot_copy(s, string_of(object, "code")),
                                           .what = snapshot_copy(s, string_of(object, "what")),
                                           .line = (uint32_t)count_of(json_object_get(object, "line")),
                                           .count = count_of(json_object_get(object, "count"))};
        ARENA_PUSH(&s->memory, launch->findings, launch->finding_count, launch->finding_capacity, f);
    }
}

static void add_output(report_snapshot *s, report_snapshot_launch *launch, const char *hash) {
    if (!hash) return;
    const char *copy = snapshot_copy(s, hash);
    ARENA_PUSH(&s->memory, launch->outputs, launch->output_count, launch->output_capacity, copy);
}

/* A baseline has a list of hashes; a launch has them at its arguments. */
static void read_outputs(report_snapshot *s, report_snapshot_launch *launch, const json_t *object) {
    size_t i;
    json_t *item;
    const char *name;
    json_array_foreach(json_object_get(object, "outputs"), i, item) add_output(s, launch, json_string_value(item));
    json_array_foreach(json_object_get(object, "args"), i, item)
        add_output(s, launch, json_string_value(json_object_get(item, "after")));
    json_object_foreach(json_object_get(object, "globals"), name, item)
        add_output(s, launch, json_string_value(json_object_get(item, "after")));
}

static void read_launch(report_snapshot *s, json_t *object) {
    report_snapshot_launch *launch = snapshot_push(s, string_of(object, "kernel"));
    read_extent(json_object_get(object, "grid"), launch->grid);
    read_extent(json_object_get(object, "block"), launch->block);
    launch->shared_bytes = (uint32_t)count_of(json_object_get(object, "smem"));
    launch->zeros_omitted = json_object_get(object, "values") != NULL;
    read_values(s, launch, json_object_get(object, "values"));
    read_times(s, launch, object);
    read_occupancy(s, launch, json_object_get(object, "occupancy"));
    read_values(s, launch, json_object_get(object, "counters"));
    read_lines(s, launch, json_object_get(object, "lines"));
    read_findings(s, launch, json_object_get(object, "findings"));
    read_outputs(s, launch, object);
}

/* ---- tables of a report ---- */

/* A row is known by its first cell and its texts. */
static const char *name_of_row(report_snapshot *s, const json_t *section, const json_t *table, const json_t *row) {
    const char *name = arena_printf(&s->memory, "%s, %s:", string_of(section, "title"), string_of(table, "name"));
    size_t i;
    json_t *column;
    json_array_foreach(json_object_get(table, "columns"), i, column) {
        const json_t *cell = json_object_get(row, string_of(column, "key"));
        if (json_is_string(cell))
            name = arena_printf(&s->memory, "%s %s", name, json_string_value(cell));
        else if (i == 0 && json_is_number(cell))
            name = arena_printf(&s->memory, "%s %s %.10g", name, string_of(column, "key"), json_number_value(cell));
    }
    return name;
}

static void read_row(report_snapshot *s, const json_t *section, const json_t *table, const json_t *row) {
    report_snapshot_launch *launch = snapshot_push(s, name_of_row(s, section, table, row));
    size_t i;
    json_t *column;
    json_array_foreach(json_object_get(table, "columns"), i, column) {
        const char *key = string_of(column, "key");
        const json_t *cell = json_object_get(row, key);
        if (json_is_number(cell))
            snapshot_add_value(s, launch, key, unit_of(string_of(column, "unit")), json_number_value(cell));
    }
}

static void read_report(report_snapshot *s, json_t *report) {
    size_t i, k, r;
    json_t *section, *table, *row;
    const char *device = json_string_value(json_object_get(json_object_get(report, "facts"), "name"));
    if (device) s->device = snapshot_copy(s, device);
    json_array_foreach(json_object_get(report, "sections"), i, section)
        json_array_foreach(json_object_get(section, "tables"), k, table)
            json_array_foreach(json_object_get(table, "rows"), r, row) read_row(s, section, table, row);
}

/* ---- files ---- */

static void read_baseline(report_snapshot *s, json_t *baseline) {
    size_t i;
    json_t *launch;
    const char *device = json_string_value(json_object_get(baseline, "device"));
    if (device) s->device = snapshot_copy(s, device);
    json_array_foreach(json_object_get(baseline, "launches"), i, launch) read_launch(s, launch);
}

/* A launch of which a run's results are known, rather than one to run. */
static bool is_result(const json_t *object) {
    return json_object_get(object, "kernel") &&
           (json_object_get(object, "counters") || json_object_get(object, "findings"));
}

/* One JSON value over several lines: a baseline or a report. NULL if the text is something else. */
static json_t *load_whole(const char *bytes, size_t length) {
    json_error_t error;
    json_t *whole = json_loadb(bytes, length, 0, &error);
    if (json_is_array(json_object_get(whole, "sections")) || json_is_array(json_object_get(whole, "launches")))
        return whole;
    json_decref(whole);
    return NULL;
}

/* The first line that is not empty. */
static size_t find_line(const char *bytes, size_t length, size_t *at) {
    while (*at < length && strchr("\r\n\t ", bytes[*at])) ++*at;
    const char *end = memchr(bytes + *at, '\n', length - *at);
    return end ? (size_t)(end - bytes) - *at : length - *at;
}

/* The first line tells, so that a record that was cut short is called one. */
bool report_is_snapshot(const char *bytes, size_t length) {
    size_t at = 0;
    json_error_t error;
    json_t *whole = load_whole(bytes, length);
    json_decref(whole);
    if (whole) return true;
    const size_t size = find_line(bytes, length, &at);
    json_t *line = size ? json_loadb(bytes + at, size, 0, &error) : NULL;
    const bool is_first = is_result(line);
    json_decref(line);
    return is_first;
}

/* Values are kept here, so that they are dropped also if memory runs out. */
typedef struct reading {
    const char *name, *bytes;
    size_t length;
    json_t *whole, *line;
} reading;

static bool read_line(report_snapshot *s, reading *r, size_t at, size_t size) {
    json_error_t error;
    r->line = json_loadb(r->bytes + at, size, 0, &error);
    /* the last line of a program's record has sums */
    const bool is_other = json_is_object(r->line) && !json_object_get(r->line, "kernel");
    const bool is_good = is_other || is_result(r->line);
    if (is_good && !is_other) read_launch(s, r->line);
    json_decref(r->line);
    r->line = NULL;
    return is_good;
}

static haul_status read_by_lines(report_snapshot *s, reading *r) {
    size_t at = 0, number = 0;
    for (size_t size; (size = find_line(r->bytes, r->length, &at)) > 0; at += size) {
        number++;
        if (!read_line(s, r, at, size))
            return haul_fail(HAUL_ERROR_SYNTAX,
                             "%s: launch %zu has no results: give what `haul replay`, `haul profile --json` or `haul "
                             "check --json` printed, a baseline, or a report's JSON",
                             r->name, number);
    }
    return number ? HAUL_OK : haul_fail(HAUL_ERROR_SYNTAX, "%s: has no launches", r->name);
}

static haul_status read_all(report_snapshot *s, reading *r) {
    if (!r->whole) return read_by_lines(s, r);
    if (json_object_get(r->whole, "launches"))
        read_baseline(s, r->whole);
    else
        read_report(s, r->whole);
    return s->launch_count ? HAUL_OK : haul_fail(HAUL_ERROR_SYNTAX, "%s: has no launches and no tables", r->name);
}

static haul_status read_guarded(report_snapshot *s, reading *r) {
    jmp_buf out_of_memory;
    haul_status status;
    s->memory.out_of_memory = &out_of_memory;
    if (setjmp(out_of_memory))
        status = haul_no_memory("the comparison");
    else
        status = read_all(s, r);
    s->memory.out_of_memory = NULL;
    return status;
}

haul_status report_snapshot_read(report_snapshot *s, const char *name, const char *bytes, size_t length) {
    reading r = {name, bytes, length, load_whole(bytes, length), NULL};
    const haul_status status = read_guarded(s, &r);
    json_decref(r.whole);
    json_decref(r.line);
    return status;
}
