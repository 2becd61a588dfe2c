/* The table of rows and of wanted ratios, expanded from rows.def. The same file is included twice, each time with one
 * of its two macros defined. */
#include "base/nearest.h"
#include "base/status.h"
#include "cli/bench/bench.h"

#include <string.h>

const bench_row bench_rows[] = {
#define ROW(name, work, x, y, z) {name, &bench_##work, {x, y, z}},
#include "cli/bench/rows.def"
};
const size_t bench_row_count = sizeof bench_rows / sizeof *bench_rows;

/* A ratio that a row must reach, against one reference. */
typedef struct want {
    const char *row, *reference;
    double ratio;
} want;

static const want wants[] = {
#define WANT(row, reference, ratio) {row, reference, ratio},
#include "cli/bench/rows.def"
};
enum { WANTS = sizeof wants / sizeof *wants };

double bench_wanted(const char *row, const char *reference) {
    for (size_t i = 0; i < WANTS; i++) {
        if (strcmp(wants[i].row, row) == 0 && strcmp(wants[i].reference, reference) == 0) return wants[i].ratio;
    }
    return 0;
}

/* Callers count `index` up from 0 until NULL. */
const char *bench_wanted_reference(const char *row, size_t index) {
    for (size_t i = 0; i < WANTS; i++) {
        if (strcmp(wants[i].row, row) == 0 && index-- == 0) return wants[i].reference;
    }
    return NULL;
}

bool bench_row_is(const bench_row *row, const char *name) {
    return strcmp(row->name, name) == 0 || strcmp(row->work->name, name) == 0;
}

/* Checks against the names of rows, and of works that are not rows. */
haul_status bench_check_name(const char *name) {
    const char *names[2 * sizeof bench_rows / sizeof *bench_rows];
    size_t count = 0;
    for (size_t i = 0; i < bench_row_count; i++) {
        if (bench_row_is(&bench_rows[i], name)) return HAUL_OK;
        names[count++] = bench_rows[i].name;
        names[count++] = bench_rows[i].work->name;
    }
    const char *near = nearest_name(name, names, count);
    if (near) return haul_fail(HAUL_ERROR_NOT_FOUND, "unknown row %s: did you mean %s?", name, near);
    return haul_fail(HAUL_ERROR_NOT_FOUND, "unknown row %s: `haul bench --list` lists them", name);
}
