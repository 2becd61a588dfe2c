/* Prints tables as `ncu --csv` does.
 *
 * The details page has a row for each metric: the launch's columns, then section, label, unit and value. Rows of
 * metrics end after one empty cell, as Nsight Compute's do; rows of rules have advice instead of a metric. With
 * --metrics there are no rules, and a metric has its name instead of a label. The raw page has a row for each launch, a
 * column for each metric in alphabetical order, and a row of units below the names.
 *
 * Values are in base units. Whole numbers have no decimals, others have two. */
#include "report/ncu/ncu.h"

#include "base/demangle.h"
#include "base/mangled.h"
#include "base/memory.h"
#include "base/status.h"
#include "report/ncu/metrics.h"
#include "report/profile/advice.h"
#include "report/profile/hotspots.h"
#include "report/profile/profile.h"

#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum name_base { DEMANGLED, FUNCTION, MANGLED } name_base;

/* A column of the raw page, or a metric that was asked for. */
typedef struct column {
    const char *name;
    const report_ncu_metric *metric; /* NULL: haul does not have it */
} column;

struct report_ncu_table {
    arena memory;
    bool raw, chosen; /* chosen: by --metrics */
    bool separates;   /* thousands */
    name_base base;
    const char *program;
    column *columns;
    size_t column_count, capacity;
    double *values; /* of the launch that is printed */
    uint64_t launches;
    text symbol, name; /* the last kernel and its printed name */
};

/* ---- options ---- */

static haul_status add_column(report_ncu_table *t, const char *name, const report_ncu_metric *metric) {
    for (size_t i = 0; i < t->column_count; i++)
        if (strcmp(t->columns[i].name, name) == 0) return HAUL_OK;
    if (t->column_count == t->capacity) {
        column *columns = arena_grow(&t->memory, t->columns, t->column_count, &t->capacity, sizeof *columns);
        if (!columns) return haul_no_memory("the table");
        t->columns = columns;
    }
    t->columns[t->column_count++] = (column){name, metric};
    return HAUL_OK;
}

/* Adds all metrics that an expression matches in part. */
static haul_status add_matching(report_ncu_table *t, const char *expression) {
    regex_t regex;
    haul_status status = HAUL_OK;
    if (regcomp(&regex, expression, REG_EXTENDED | REG_NOSUB) != 0)
        return haul_fail(HAUL_ERROR_ARGUMENT, "--metrics: `%s` is not a regular expression", expression);
    for (size_t i = 0; i < report_ncu_metric_count && status == HAUL_OK; i++) {
        const report_ncu_metric *m = &report_ncu_metrics[i];
        if (regexec(&regex, m->name, 0, NULL, 0) == 0) status = add_column(t, m->name, m);
    }
    regfree(&regex);
    return status;
}

/* A name without a suffix stands for all metrics with one: "dram__bytes" for "dram__bytes.sum" too. */
static haul_status add_named(report_ncu_table *t, const char *name) {
    static const char regex[] = "regex:";
    const size_t length = strlen(name), before = t->column_count;
    if (strncmp(name, regex, strlen(regex)) == 0) return add_matching(t, name + strlen(regex));
    for (size_t i = 0; i < report_ncu_metric_count; i++) {
        const report_ncu_metric *m = &report_ncu_metrics[i];
        if (strncmp(m->name, name, length) != 0 || (m->name[length] && m->name[length] != '.')) continue;
        const char *suffix = m->name + length;
        if (!*suffix || (!strchr(name, '.') && !strchr(suffix + 1, '.'))) HAUL_TRY(add_column(t, m->name, m));
    }
    return t->column_count > before ? HAUL_OK : add_column(t, name, NULL);
}

static haul_status add_chosen(report_ncu_table *t, const char *list) {
    while (*list) {
        const size_t length = strcspn(list, ",");
        char *name = arena_copy(&t->memory, list, length);
        if (!name) return haul_no_memory("the table");
        if (length) HAUL_TRY(add_named(t, name));
        list += length + (list[length] == ',');
    }
    return t->column_count ? HAUL_OK : haul_fail(HAUL_ERROR_ARGUMENT, "--metrics: this list has no metric");
}

static int by_name(const void *a, const void *b) {
    const column *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* The raw page shows attributes of launch and device beside any choice. */
static haul_status choose_columns(report_ncu_table *t, const char *metrics) {
    if (metrics) HAUL_TRY(add_chosen(t, metrics));
    for (size_t i = 0; t->raw && i < report_ncu_metric_count; i++) {
        const report_ncu_metric *m = &report_ncu_metrics[i];
        if (!t->chosen || report_ncu_is_attribute(m)) HAUL_TRY(add_column(t, m->name, m));
    }
    if (t->raw && t->column_count) qsort(t->columns, t->column_count, sizeof *t->columns, by_name);
    return HAUL_OK;
}

static haul_status read_page(report_ncu_table *t, const char *page) {
    t->raw = page && strcmp(page, "raw") == 0;
    if (!page || t->raw || strcmp(page, "details") == 0) return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT, "--page: `%s` is not a page of haul: use details or raw", page);
}

static haul_status read_base(report_ncu_table *t, const char *base) {
    static const char *const names[] = {[DEMANGLED] = "demangled", [FUNCTION] = "function", [MANGLED] = "mangled"};
    for (size_t i = 0; base && i < sizeof names / sizeof *names; i++)
        if (strcmp(base, names[i]) == 0) {
            t->base = (name_base)i;
            return HAUL_OK;
        }
    if (!base) return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT, "--print-kernel-base: `%s` is not one of demangled, function and mangled",
                     base);
}

/* The program's name without its folder. */
static const char *last_part(const char *path) {
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "haul";
}

/* As Nsight Compute does: numbers have commas unless the environment's locale is C, C.UTF-8 or POSIX, or there is none.
 */
static bool separates_thousands(void) {
    static const char *const variables[] = {"LC_ALL", "LC_NUMERIC", "LANG"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *locale = getenv(variables[i]);
        if (!locale || !*locale) continue;
        return strcmp(locale, "POSIX") != 0 && (locale[0] != 'C' || (locale[1] && locale[1] != '.'));
    }
    return false;
}

static haul_status open_table(report_ncu_table *t, const report_ncu_options *o) {
    HAUL_TRY(read_page(t, o->page));
    HAUL_TRY(read_base(t, o->kernel_base));
    t->chosen = o->metrics != NULL;
    t->separates = separates_thousands();
    const char *program = last_part(o->program);
    t->program = arena_copy(&t->memory, program, strlen(program));
    t->values = arena_array(&t->memory, report_ncu_metric_count, sizeof *t->values);
    if (!t->program || !t->values) return haul_no_memory("the table");
    return choose_columns(t, o->metrics);
}

haul_status report_ncu_open(const report_ncu_options *options, report_ncu_table **table) {
    report_ncu_table *t = memory_zeroed(1, sizeof *t);
    if (!t) return haul_no_memory("the table");
    const haul_status status = open_table(t, options);
    *table = status == HAUL_OK ? t : NULL;
    if (status != HAUL_OK) report_ncu_close(t);
    return status;
}

void report_ncu_close(report_ncu_table *t) {
    if (!t) return;
    arena_free(&t->memory);
    text_free(&t->symbol);
    text_free(&t->name);
    memory_free(t);
}

void report_ncu_put_missing(const report_ncu_table *t, text *out) {
    const size_t start = out->length;
    for (size_t i = 0; i < t->column_count; i++)
        if (!t->columns[i].metric) text_printf(out, "%s%s", out->length > start ? ", " : "", t->columns[i].name);
}

/* ---- cells ---- */

/* Quotes are doubled; a line end would end the row for readers that go by lines. */
static void put_cell(text *out, const char *s) {
    text_put(out, "\"");
    for (; *s; s++) {
        if (*s == '"') text_put(out, "\"");
        text_append(out, *s == '\n' || *s == '\r' ? " " : s, 1);
    }
    text_put(out, "\"");
}

static void put_next(text *out, const char *s) {
    text_put(out, ",");
    put_cell(out, s);
}

/* Two decimals, unless the number is whole. */
static void put_number(const report_ncu_table *t, text *out, double value) {
    char digits[400];
    if (!isfinite(value)) {
        text_put(out, "n/a");
        return;
    }
    const bool is_whole = value == floor(value);
    const double hundredths = is_whole ? 0 : round(100 * (value - floor(value)));
    const int length = snprintf(digits, sizeof digits, "%.0f", floor(value) + floor(hundredths / 100));
    for (int i = 0; i < length; i++) {
        if (t->separates && i && (length - i) % 3 == 0 && digits[i - 1] != '-') text_put(out, ",");
        text_append(out, &digits[i], 1);
    }
    if (!is_whole) text_printf(out, ".%02d", (int)hundredths % 100);
}

static void put_value(const report_ncu_table *t, text *out, double value) {
    text_put(out, ",\"");
    put_number(t, out, value);
    text_put(out, "\"");
}

/* ---- columns that both pages have ---- */

static const char *const launch_columns[] = {"ID",      "Process ID", "Process Name", "Host Name", "Kernel Name",
                                             "Context", "Stream",     "Block Size",   "Grid Size", "Device",
                                             "CC"};
enum { LAUNCH_COLUMNS = sizeof launch_columns / sizeof *launch_columns };

static void put_names(text *out) {
    for (size_t i = 0; i < LAUNCH_COLUMNS; i++) {
        if (i) text_put(out, ",");
        put_cell(out, launch_columns[i]);
    }
}

/* The beginning of the type that ends at `at`: after a comma or a bracket that is not closed before it. */
static size_t start_of_type(const char *s, size_t at) {
    for (int depth = 0; at > 0; at--) {
        const char c = s[at - 1];
        depth += (c == '>' || c == ')') - (c == '<' || c == '(');
        if (depth < 0 || (depth == 0 && c == ',')) break;
    }
    return at + (s[at] == ' ');
}

/* Turns "k(float const*, int*)" into "k(const float *, int *)", as Nsight Compute prints declarations. */
static void arrange_types(text *name) {
    static const char word[] = " const";
    char *s = name->bytes;
    text out = {0};
    for (char *at = s; (at = strstr(at, word)); at++) {
        const size_t length = strlen(word), start = start_of_type(s, (size_t)(at - s));
        if (!strchr("*&,)", at[length]) || (at > s && strchr("*&", at[-1]))) continue; /* a constant pointer */
        memmove(s + start + length, s + start, (size_t)(at - s) - start);
        memcpy(s + start, "const ", length);
    }
    for (size_t i = 0; s[i]; i++) {
        if (strchr("*&", s[i]) && i && !strchr("*&( ", s[i - 1])) text_put(&out, " ");
        text_append(&out, s + i, 1);
    }
    text_free(name);
    *name = out;
}

/* Sets the printed name of a kernel, unless it is the last one's. Symbols that are not mangled stay. */
static void find_name(report_ncu_table *t, const char *symbol) {
    size_t length;
    if (t->name.length && strcmp(text_string(&t->symbol), symbol) == 0) return;
    text_clear(&t->symbol);
    text_clear(&t->name);
    text_put(&t->symbol, symbol);
    if (t->base == DEMANGLED) demangle_all(&symbol, 1, &t->name);
    if (t->name.length) t->name.bytes[--t->name.length] = '\0'; /* the line end */
    if (t->name.length) {
        arrange_types(&t->name);
        return;
    }
    const char *plain = t->base == FUNCTION ? mangled_name(symbol, &length) : symbol;
    text_append(&t->name, plain, t->base == FUNCTION ? length : strlen(symbol));
}

/* Nsight Compute numbers the default stream 7. */
enum { DEFAULT_STREAM = 7 };

static void put_extent(text *out, const uint32_t extent[3]) {
    text_printf(out, ",\"(%u, %u, %u)\"", extent[0], extent[1], extent[2]);
}

static void put_launch(report_ncu_table *t, const report_ncu_launch *l, text *out) {
    find_name(t, l->record->kernel);
    text_printf(out, "\"%llu\",\"%ld\"", (unsigned long long)t->launches, (long)getpid());
    put_next(out, t->program);
    put_next(out, "127.0.0.1");
    put_next(out, text_string(&t->name));
    text_printf(out, ",\"1\",\"%llu\"", (unsigned long long)(l->stream ? l->stream + DEFAULT_STREAM : DEFAULT_STREAM));
    put_extent(out, l->record->block);
    put_extent(out, l->record->grid);
    text_printf(out, ",\"%u\",\"%u.%u\"", l->device, l->machine->sm / 10, l->machine->sm % 10);
}

/* ---- the raw page ---- */

static const char *unit_of(const column *c) {
    return c->metric ? report_ncu_unit(c->metric) : "";
}

static double value_of(const report_ncu_table *t, const column *c) {
    return c->metric ? t->values[c->metric - report_ncu_metrics] : NAN;
}

static void put_raw_header(const report_ncu_table *t, text *out) {
    put_names(out);
    for (size_t i = 0; i < t->column_count; i++) put_next(out, t->columns[i].name);
    text_put(out, "\n\"\"");
    for (size_t i = 1; i < LAUNCH_COLUMNS; i++) put_next(out, "");
    for (size_t i = 0; i < t->column_count; i++) put_next(out, unit_of(&t->columns[i]));
    text_put(out, "\n");
}

static void put_raw(report_ncu_table *t, const report_ncu_launch *l, text *out) {
    put_launch(t, l, out);
    for (size_t i = 0; i < t->column_count; i++) put_value(t, out, value_of(t, &t->columns[i]));
    text_put(out, "\n");
}

/* ---- the details page ---- */

static void put_details_header(const report_ncu_table *t, text *out) {
    static const char *const names[] = {"Section Name", "Metric Name", "Metric Unit", "Metric Value"};
    static const char *const rules[] = {"Rule Name", "Rule Type", "Rule Description", "Estimated Speedup Type",
                                        "Estimated Speedup"};
    put_names(out);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) put_next(out, names[i]);
    for (size_t i = 0; !t->chosen && i < sizeof rules / sizeof *rules; i++) put_next(out, rules[i]);
    text_put(out, "\n");
}

static void put_metric(const report_ncu_table *t, const char *start, report_ncu_section section, const column *c,
                       text *out) {
    const double value = value_of(t, c);
    text_put(out, start);
    put_next(out, report_ncu_section_titles[section]);
    put_next(out, c->name);
    put_next(out, isnan(value) ? "" : unit_of(c));
    put_value(t, out, value);
    text_put(out, t->chosen ? "\n" : ",\n");
}

/* Metrics that are not known are left out: sections of Nsight Compute have those of the GPU at hand, too. */
static void put_sections(const report_ncu_table *t, const char *start, text *out) {
    for (size_t i = 0; i < report_ncu_metric_count; i++) {
        const report_ncu_metric *m = &report_ncu_metrics[i];
        if (m->section != REPORT_NCU_NONE && !isnan(t->values[i]))
            put_metric(t, start, m->section, &(column){m->label, m}, out);
    }
}

/* A rule of Nsight Compute names its section's file, a kind, and says what to do. */
static void put_rule(const char *start, const report_advice *advice, text *out) {
    text what = {0};
    if (advice->of_launch)
        text_put(&what, advice->text);
    else
        text_printf(&what, "%s:%u: %s: %s", advice->line->name, advice->line->line,
                    haul_class_names[advice->line->class], advice->text);
    text_put(out, start);
    put_next(out, advice->of_launch ? "LaunchStats" : "SourceCounters");
    text_put(out, ",\"\",\"\",\"\"");
    put_next(out, advice->kind);
    put_next(out, "OPT");
    put_next(out, text_string(&what));
    text_put(out, ",\"\",\"\"\n");
    text_free(&what);
}

static haul_status put_rules(const report_ncu_launch *l, const char *start, text *out) {
    arena memory = {0};
    report_hotspots lines;
    report_advice *advice = NULL;
    size_t count = 0;
    haul_status status = report_find_hotspots(l->record, l->sources, &memory, &lines);
    lines.machine = l->machine;
    if (status == HAUL_OK) status = report_advise(&lines, REPORT_ADVICE_SHARE, &memory, &advice, &count);
    for (size_t i = 0; status == HAUL_OK && i < count; i++) put_rule(start, &advice[i], out);
    arena_free(&memory);
    return status;
}

static haul_status put_details(report_ncu_table *t, const report_ncu_launch *l, text *out) {
    text start = {0};
    haul_status status = HAUL_OK;
    put_launch(t, l, &start);
    for (size_t i = 0; i < t->column_count; i++)
        put_metric(t, text_string(&start), REPORT_NCU_NONE, &t->columns[i], out);
    if (!t->chosen) put_sections(t, text_string(&start), out);
    if (!t->chosen && l->record->instruction_count) status = put_rules(l, text_string(&start), out);
    out->failed |= start.failed;
    text_free(&start);
    return status;
}

/* ---- both ---- */

haul_status report_ncu_put(report_ncu_table *t, const report_ncu_launch *l, text *out) {
    haul_status status = HAUL_OK;
    report_ncu_compute(l->record, l->machine, t->values);
    if (!t->launches && t->raw) put_raw_header(t, out);
    if (!t->launches && !t->raw) put_details_header(t, out);
    if (t->raw)
        put_raw(t, l, out);
    else
        status = put_details(t, l, out);
    t->launches++;
    if (status == HAUL_OK && (out->failed || t->name.failed)) return haul_no_memory("the table");
    return status;
}
