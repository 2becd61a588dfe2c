/* Parses ncu's table: a row of names, a row of units, a row for each launch.
 *
 * ncu prints messages first, then CSV in which most cells are quoted. Columns are found by name, once, so that neither
 * their order nor additional ones matter. The first reading makes the report's launches; further readings are compared
 * launch by launch and widen the counters' ranges. A reading in which kernels, shapes or the number of launches differ
 * is an error, because then the counters cannot be matched with launches. */
#include "base/number.h"
#include "base/status.h"
#include "lib/ncu/ncu.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

void ncu_report_free(ncu_report *report) {
    arena_free(&report->memory);
    *report = (ncu_report){0};
}

/* ---- cells ---- */

typedef struct csv {
    ncu_report *report;
    const char *at, *end; /* not yet read */
    size_t line;          /* from 1 on, for messages */
    text cell;            /* the cell read last */
} csv;

/* Fails at the current line. */
static haul_status wrong(const csv *c, const char *what) {
    return haul_fail(HAUL_ERROR_SYNTAX, "ncu: line %zu of its output: %s", c->line, what);
}

/* Appends a quoted cell up to the closing quote; two quotes stand for one. False if the quote is not closed on its
 * line. */
static bool read_quoted(csv *c) {
    for (c->at++; c->at < c->end && *c->at != '\n'; c->at++) {
        if (*c->at == '"' && (c->at + 1 == c->end || c->at[1] != '"')) {
            c->at++;
            return true;
        }
        c->at += *c->at == '"';
        text_append(&c->cell, c->at, 1);
    }
    return false;
}

/* Reads the next cell of the line; `*last`: the line ended after it. */
/* The end of the text ends a line, too. */
static haul_status next_cell(csv *c, bool *last) {
    text_clear(&c->cell);
    if (c->at < c->end && *c->at == '"') {
        if (!read_quoted(c)) return wrong(c, "a quote is not closed");
    } else {
        const char *start = c->at;
        while (c->at < c->end && *c->at != ',' && *c->at != '\n') c->at++;
        text_append(&c->cell, start, (size_t)(c->at - start));
    }
    if (c->cell.failed) return haul_no_memory("ncu's table");
    if (c->at < c->end && *c->at == '\r') c->at++;
    *last = c->at == c->end || *c->at == '\n';
    if (!*last && *c->at != ',') return wrong(c, "a comma is missing");
    c->at += c->at < c->end;
    c->line += *last;
    return HAUL_OK;
}

/* ---- columns ---- */

typedef enum column_kind { SKIPPED, KERNEL, GRID, BLOCK, COUNTER_VALUE, OCCUPANCY_VALUE, WARP_THREADS } column_kind;

typedef struct column {
    column_kind kind;
    size_t which;  /* the counter, or the field's index in haul_occupancy */
    double factor; /* factor of its unit */
} column;

/* Besides counters: OCCUPANCY(field, metric). */
#define OCCUPANCIES(OCCUPANCY)                                            \
    OCCUPANCY(warps_per_sm, "sm__maximum_warps_avg_per_active_cycle")     \
    OCCUPANCY(limit_blocks, "launch__occupancy_limit_blocks")             \
    OCCUPANCY(limit_registers, "launch__occupancy_limit_registers")       \
    OCCUPANCY(limit_shared, "launch__occupancy_limit_shared_mem")         \
    OCCUPANCY(limit_warps, "launch__occupancy_limit_warps")               \
    OCCUPANCY(registers_per_thread, "launch__registers_per_thread")       \
    OCCUPANCY(shared_per_block, "launch__shared_mem_per_block_allocated") \
    OCCUPANCY(shared_carveout, "launch__shared_mem_config_size")

static const struct {
    const char *name;
    column_kind kind;
    size_t which;
} others[] = {{"Kernel Name", KERNEL, 0},
              {"Grid Size", GRID, 0},
              {"Block Size", BLOCK, 0},
              {"device__attribute_max_threads_per_multiprocessor", WARP_THREADS, 0},
#define OCCUPANCY(field, metric) {metric, OCCUPANCY_VALUE, offsetof(haul_occupancy, field)},
              OCCUPANCIES(OCCUPANCY)
#undef OCCUPANCY
};

/* Returns what a column holds, by its name: counters end in ".sum". */
static column column_of(const char *name) {
    static const char suffix[] = ".sum";
    size_t length = strlen(name), tail = strlen(suffix);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (strcmp(name, others[i].name) == 0) return (column){others[i].kind, others[i].which, 1};
    }
    if (length <= tail || strcmp(name + length - tail, suffix) != 0) return (column){.kind = SKIPPED};
    for (size_t i = 0; i < HAUL_COUNTER_COUNT; i++) {
        const char *ncu = haul_counters[i].ncu;
        if (strlen(ncu) == length - tail && strncmp(name, ncu, length - tail) == 0)
            return (column){COUNTER_VALUE, i, 1};
    }
    return (column){.kind = SKIPPED};
}

typedef struct table {
    column *columns;
    size_t count;
    bool has_kernel, has_counters;
} table;

/* Reads the row of names. Fails if the table cannot be one of counters. */
static haul_status read_names(csv *c, table *t) {
    size_t capacity = 0;
    bool last = false;
    while (!last) {
        HAUL_TRY(next_cell(c, &last));
        if (t->count == capacity) {
            t->columns = arena_grow(&c->report->memory, t->columns, t->count, &capacity, sizeof *t->columns);
            if (!t->columns) return haul_no_memory("ncu's table");
        }
        column found = column_of(text_string(&c->cell));
        t->has_kernel |= found.kind == KERNEL;
        t->has_counters |= found.kind == COUNTER_VALUE;
        t->columns[t->count++] = found;
    }
    if (!t->has_kernel) return wrong(c, "the table has no column `Kernel Name`");
    return t->has_counters ? HAUL_OK : wrong(c, "the table has none of the counters that were asked for");
}

/* "Ksector" is a thousand sectors. haul requests base units, but other versions may still use prefixes. */
static double factor_of(const char *unit) {
    static const struct {
        char prefix;
        double factor;
    } prefixes[] = {{'K', 1e3}, {'M', 1e6}, {'G', 1e9}};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        if (unit[0] == prefixes[i].prefix && unit[1]) return prefixes[i].factor;
    }
    return 1;
}

/* Reads the row of units, and sets each column's factor. */
static haul_status read_units(csv *c, table *t) {
    bool last = false;
    for (size_t i = 0; !last; i++) {
        HAUL_TRY(next_cell(c, &last));
        if (i < t->count) t->columns[i].factor = factor_of(text_string(&c->cell));
        if (last && i + 1 != t->count) return wrong(c, "the row of units has another length than the row of names");
    }
    return HAUL_OK;
}

/* ---- rows ---- */

/* Sets the cell's number in base units; -1 if the GPU does not count it. ncu separates thousands by commas. */
static haul_status read_number(csv *c, const column *k, double *value) {
    char digits[64];
    size_t length = 0;
    const char *s = text_string(&c->cell);
    *value = -1;
    if (!*s || strcmp(s, "n/a") == 0) return HAUL_OK; /* this GPU does not count it */
    for (; *s && length < sizeof digits - 1; s++) {
        if (*s != ',') digits[length++] = *s;
    }
    digits[length] = '\0';
    if (*s || !number_f64(digits, value) || *value < 0) return wrong(c, "a value is not a number");
    *value *= k->factor;
    return HAUL_OK;
}

static haul_status read_extent(csv *c, uint32_t extent[3]) {
    char rest;
    if (sscanf(text_string(&c->cell), "(%u, %u, %u)%c", &extent[0], &extent[1], &extent[2], &rest) == 3) return HAUL_OK;
    return wrong(c, "a grid or block is not of the form (1, 2, 3)");
}

/* Stores a cell in the launch. Occupancy fields are 32-bit numbers, found by their offset. */
static haul_status take_cell(csv *c, const column *k, ncu_launch *l) {
    double value;
    switch (k->kind) {
    case SKIPPED: return HAUL_OK;
    case KERNEL:
        l->kernel = arena_copy(&c->report->memory, text_string(&c->cell), c->cell.length);
        return l->kernel ? HAUL_OK : haul_no_memory("ncu's table");
    case GRID: return read_extent(c, l->grid);
    case BLOCK: return read_extent(c, l->block);
    default: break;
    }
    HAUL_TRY(read_number(c, k, &value));
    if (k->kind == COUNTER_VALUE) l->counters[k->which] = value;
    if (k->kind == COUNTER_VALUE) l->bounds[k->which] = (haul_bounds){value, value};
    if (value > UINT32_MAX || value < 0) return HAUL_OK;
    if (k->kind == OCCUPANCY_VALUE) *(uint32_t *)(void *)((char *)&l->occupancy + k->which) = (uint32_t)value;
    if (k->kind == WARP_THREADS) l->occupancy.max_warps_per_sm = (uint32_t)value / 32;
    return HAUL_OK;
}

/* 0 stands for no limit. */
static uint32_t smaller(uint32_t a, uint32_t b) {
    return b && (b < a || !a) ? b : a;
}

/* Reads a launch. Counters without a column stay -1. The number of blocks on an SM is the least of the limits. */
static haul_status read_row(csv *c, const table *t, ncu_launch *l) {
    bool last = false;
    for (size_t i = 0; i < HAUL_COUNTER_COUNT; i++) l->counters[i] = l->bounds[i].low = l->bounds[i].high = -1;
    for (size_t i = 0; !last; i++) {
        HAUL_TRY(next_cell(c, &last));
        if (i < t->count) HAUL_TRY(take_cell(c, &t->columns[i], l));
        if (last && i + 1 != t->count) return wrong(c, "the row has another length than the row of names");
    }
    haul_occupancy *o = &l->occupancy;
    o->blocks_per_sm = smaller(smaller(smaller(o->limit_blocks, o->limit_registers), o->limit_shared), o->limit_warps);
    return HAUL_OK;
}

static bool same_extent(const uint32_t a[3], const uint32_t b[3]) {
    return memcmp(a, b, 3 * sizeof *a) == 0;
}

/* Whether kernel and shape are those of the launch. */
static bool same_launch(const ncu_launch *a, const char *kernel, const uint32_t grid[3], const uint32_t block[3]) {
    return strcmp(a->kernel, kernel) == 0 && same_extent(a->grid, grid) && same_extent(a->block, block);
}

/* Fails because the launch at `index` is not the expected one. */
static haul_status other_launch(const ncu_report *report, size_t index, const char *kernel) {
    if (index >= report->count)
        return haul_fail(HAUL_ERROR_SYNTAX, "ncu: saw %zu launches; kernel %s is one more", report->count, kernel);
    return haul_fail(HAUL_ERROR_SYNTAX, "ncu: launch %zu was of kernel %s; here it is of %s%s", index,
                     report->launches[index].kernel, kernel,
                     strcmp(report->launches[index].kernel, kernel) == 0 ? ", in another shape" : "");
}

/* The launch's texts are in the report's memory already. */
static haul_status add_launch(ncu_report *report, const ncu_launch *l) {
    if (report->count == report->capacity) {
        ncu_launch *launches =
            arena_grow(&report->memory, report->launches, report->count, &report->capacity, sizeof *launches);
        if (!launches) return haul_no_memory("ncu's table");
        report->launches = launches;
    }
    report->launches[report->count++] = *l;
    return HAUL_OK;
}

/* Widens the ranges with another reading. Counters that one of the readings lacks stay as they are. */
static void merge(ncu_launch *into, const ncu_launch *l) {
    for (size_t i = 0; i < HAUL_COUNTER_COUNT; i++) {
        haul_bounds *b = &into->bounds[i];
        if (l->counters[i] < 0 || into->counters[i] < 0) continue;
        if (l->counters[i] < b->low) b->low = l->counters[i];
        if (l->counters[i] > b->high) b->high = l->counters[i];
    }
}

/* Adds a launch in the first reading; compares it in later ones. */
static haul_status take_launch(ncu_report *report, size_t index, const ncu_launch *l) {
    if (!l->kernel) return haul_fail(HAUL_ERROR_SYNTAX, "ncu: launch %zu has no kernel", index);
    if (!report->readings) return add_launch(report, l);
    if (index >= report->count || !same_launch(&report->launches[index], l->kernel, l->grid, l->block))
        return other_launch(report, index, l->kernel);
    merge(&report->launches[index], l);
    return HAUL_OK;
}

/* ---- the table ---- */

/* Moves to the table, which begins at the first line with a cell "ID"; earlier lines are messages. False if there is
 * none. */
static bool find_table(csv *c) {
    static const char start[] = "\"ID\",";
    for (; c->at < c->end; c->line++) {
        if ((size_t)(c->end - c->at) > strlen(start) && memcmp(c->at, start, strlen(start)) == 0) return true;
        const char *newline = memchr(c->at, '\n', (size_t)(c->end - c->at));
        c->at = newline ? newline + 1 : c->end;
    }
    return false;
}

/* Rows begin with a quote; the first line that does not ends the table. */
static haul_status read_table(csv *c) {
    table t = {0};
    size_t index = 0;
    if (!find_table(c)) return haul_fail(HAUL_ERROR_SYNTAX, "ncu: printed no table");
    HAUL_TRY(read_names(c, &t));
    if (c->at < c->end) HAUL_TRY(read_units(c, &t));
    while (c->at < c->end && *c->at == '"') {
        ncu_launch l = {0};
        HAUL_TRY(read_row(c, &t, &l));
        HAUL_TRY(take_launch(c->report, index++, &l));
    }
    if (c->report->readings && index != c->report->count)
        return haul_fail(HAUL_ERROR_SYNTAX, "ncu: saw %zu launches at first and then %zu", c->report->count, index);
    c->report->readings++;
    return HAUL_OK;
}

haul_status ncu_read_csv(ncu_report *report, const char *bytes, size_t length) {
    csv c = {.report = report, .at = bytes, .end = bytes + length, .line = 1};
    haul_status status = read_table(&c);
    text_free(&c.cell);
    return status;
}

/* Carve-out and L1 are not in ncu's table. */
haul_status ncu_fill(const ncu_report *report, size_t index, haul_launch_record *record) {
    if (index >= report->count || !same_launch(&report->launches[index], record->kernel, record->grid, record->block))
        return other_launch(report, index, record->kernel);
    const ncu_launch *l = &report->launches[index];
    memcpy(record->counters, l->counters, sizeof record->counters);
    memcpy(record->bounds, l->bounds, sizeof record->bounds);
    record->occupancy = l->occupancy;
    return HAUL_OK;
}
