/* Implements cli/bench/report.h: the document of haul bench, made from the results of the rows. Sections: ratios to
 * each reference with the chart, times, and the verification. Ratios come first, because they are what the command is
 * for: times differ between machines and days, ratios of one run much less. */
#include "cli/bench/report.h"

#include "base/status.h"

#include <string.h>

enum { MOST_REFERENCES = 32 };

/* ---- references ---- */

/* The references of a row's ratios: the copy, wanted references, peers that were measured, the plain form. Each
 * once. */
typedef struct references {
    const char *names[MOST_REFERENCES];
    size_t count;
} references;

/* Names beyond the array's room are left out. */
static void add_reference(references *r, const char *name) {
    for (size_t i = 0; i < r->count; i++) {
        if (strcmp(r->names[i], name) == 0) return;
    }
    if (r->count < MOST_REFERENCES) r->names[r->count++] = name;
}

/* The order is that of the table's rows. */
static references references_of(const bench_result *result) {
    references r = {{"memcpy"}, 1};
    const char *wanted;
    for (size_t i = 0; (wanted = bench_wanted_reference(result->row->name, i)); i++) add_reference(&r, wanted);
    for (size_t i = 0; i < result->count; i++) {
        if (result->candidates[i].peer) add_reference(&r, result->candidates[i].who);
    }
    add_reference(&r, "plain");
    return r;
}

/* ---- ratios ---- */

static const report_column ratio_columns[] = {
    {"row", "Row", REPORT_TEXT, "what `haul bench` takes"},
    {"work", "Work", REPORT_TEXT, NULL},
    {"form", "haul's form", REPORT_TEXT, "the recommended one on this device"},
    {"against", "Against", REPORT_TEXT, NULL},
    {"ratio", "Ratio", REPORT_SPEEDUP, "of haul's rate to that one's, median over the rounds"},
    {"low", "25%", REPORT_SPEEDUP, "first quartile"},
    {"high", "75%", REPORT_SPEEDUP, "third quartile"},
    {"wanted", "Wanted", REPORT_SPEEDUP, "on an H100"},
    {"reached", "Reached", REPORT_TEXT, NULL},
};

/* A wanted reference that was not measured is shown by its name. */
static const char *reference_label(const bench_candidate *c, const char *name) {
    return c ? c->label : name;
}

/* Adds the wanted ratio and whether it was reached. That is judged only at the row's own size and on hardware;
 * elsewhere the cell stays empty. `ratio` is 0 if the reference was not measured. */
static void add_judgement(report_table *t, const bench *b, const bench_result *r, double wanted, double ratio) {
    const bool counts = r->whole && !haul_device_is_virtual(b->device);
    if (wanted > 0)
        report_add_number(t, wanted);
    else
        report_add_empty(t);
    if (wanted <= 0) return;
    if (ratio <= 0)
        report_add_text(t, "not measured");
    else if (counts)
        report_add_text(t, ratio >= wanted ? "yes" : "no");
    report_set_tone(t, ratio <= 0 || !counts ? REPORT_MUTED : ratio >= wanted ? REPORT_GOOD : REPORT_WARNING);
}

/* Adds a row of the table. Rows without a measurement are shown only if a ratio is wanted. */
static haul_status add_ratio(report_table *t, const bench *b, const bench_result *r, const char *name) {
    const bench_candidate *own = bench_find(r, "haul"), *reference = bench_find(r, name);
    double wanted = bench_wanted(r->row->name, name);
    timing_summary ratio = {0};
    if (!own || (!reference && wanted <= 0)) return HAUL_OK;
    if (reference) HAUL_TRY(bench_ratio(r, own, reference, &ratio));
    report_add_row(t);
    report_add_text(t, "%s", r->row->name);
    report_add_text(t, "%s", r->title);
    report_add_text(t, "%s", own->label);
    report_add_text(t, "%s", reference_label(reference, name));
    const double numbers[] = {ratio.median, ratio.low, ratio.high};
    for (size_t i = 0; i < 3; i++) {
        if (reference)
            report_add_number(t, numbers[i]);
        else
            report_add_empty(t);
    }
    add_judgement(t, b, r, wanted, ratio.median);
    return HAUL_OK;
}

/* A group of rows for each row of the bench. */
static haul_status add_ratios(report_document *d, const bench *b) {
    report_section *s = report_add_section(d, "ratios", "How haul compares");
    report_add_paragraph(s, "Ratios of rates, above 1 where haul is faster; each is taken within a round, in which all "
                            "candidates of a row run one behind the other.");
    report_table *t = report_add_table(s, "ratios", NULL, ratio_columns, sizeof ratio_columns / sizeof *ratio_columns);
    for (const bench_result *r = b->results; r; r = r->next) {
        const references names = references_of(r);
        for (size_t i = 0; i < names.count; i++) HAUL_TRY(add_ratio(t, b, r, names.names[i]));
    }
    return HAUL_OK;
}

/* ---- times ---- */

static const report_column time_columns[] = {
    {"row", "Row", REPORT_TEXT, NULL},
    {"who", "Who", REPORT_TEXT, "haul, plain, form: kernels that ship; memcpy; a peer"},
    {"label", "How", REPORT_TEXT, NULL},
    {"kernel", "Kernel", REPORT_TEXT, NULL},
    {"bytes", "Moves", REPORT_BYTES, "what has to be read and written, each byte once"},
    {"us", "Time", REPORT_MICROSECONDS, "median"},
    {"low_us", "25%", REPORT_MICROSECONDS, "first quartile"},
    {"high_us", "75%", REPORT_MICROSECONDS, "third quartile"},
    {"rate", "Rate", REPORT_RATE, NULL},
    {"of_ceiling", "Of ceiling", REPORT_PERCENT, "of the rate of a plain copy of 1 GiB in the same run"},
};

/* A candidate's rate counts each byte that must move once, so a kernel that moves more is slower, not faster. */
static void add_time(report_table *t, const bench *b, const bench_result *r, const bench_candidate *c) {
    report_add_row(t);
    report_add_text(t, "%s", r->row->name);
    report_add_text(t, "%s", c->who);
    report_add_text(t, "%s", c->label);
    report_add_text(t, "%s", c->kernel ? c->kernel : "");
    report_add_number(t, c->bytes);
    report_add_number(t, c->time.median);
    report_add_number(t, c->time.low);
    report_add_number(t, c->time.high);
    report_add_number(t, c->bytes / c->time.median * 1e6);
    report_add_number(t, report_percent(c->bytes / c->time.median * 1e6, b->ceiling));
    if (strcmp(c->who, "haul") == 0) report_set_row_tone(t, REPORT_STRONG);
}

/* Only candidates that were timed: others are in the checks. */
static void add_times(report_document *d, const bench *b) {
    report_section *s = report_add_section(d, "times", "Times");
    if (b->ceiling > 0) {
        char rate[REPORT_NUMBER_SIZE];
        report_add_paragraph(s, "The ceiling: a plain copy on the device, %s read and written.",
                             report_format(REPORT_RATE, b->ceiling, rate));
    }
    report_table *t = report_add_table(s, "times", NULL, time_columns, sizeof time_columns / sizeof *time_columns);
    for (const bench_result *r = b->results; r; r = r->next) {
        for (size_t i = 0; i < r->count && !r->failure; i++) {
            if (r->candidates[i].right) add_time(t, b, r, &r->candidates[i]);
        }
    }
}

/* ---- results that were wrong ---- */

/* Checks that fail make the exit status 1 (bench.wrong). One line stands for all that is right. */
static void add_checks(report_document *d, const bench *b) {
    size_t right = 0;
    report_section *s = report_add_section(d, "results", "What they computed");
    for (const bench_result *r = b->results; r; r = r->next) {
        if (r->failure) report_check(s, false, "%s: could not be measured: %s", r->title, r->failure);
        for (size_t i = 0; i < r->count && !r->failure; i++) {
            const bench_candidate *c = &r->candidates[i];
            right += c->right;
            if (c->failure)
                report_check(s, false, "%s: %s: could not be run: %s", r->title, c->label, c->failure);
            else if (!c->right)
                report_check(s, false, "%s: %s: %llu elements are wrong: it was not timed", r->title, c->label,
                             c->wrong);
        }
    }
    if (b->wrong == 0) report_check(s, true, "%zu results, all elements verified", right);
}

/* ---- the chart ---- */

/* The best peer; NULL if there is none. */
static const bench_candidate *best_peer(const bench_result *r) {
    const bench_candidate *best = NULL;
    for (size_t i = 0; i < r->count && !r->failure; i++) {
        const bench_candidate *c = &r->candidates[i];
        if (c->peer && c->right && (!best || c->time.median < best->time.median)) best = c;
    }
    return best;
}

/* Adds a candidate's rate as a share of the copy's; none if either was not measured. */
static haul_status add_bar(report_series *s, const bench_result *r, size_t at, const bench_candidate *c) {
    const bench_candidate *copy = bench_find(r, "memcpy");
    timing_summary ratio;
    if (!c || !copy) return HAUL_OK;
    HAUL_TRY(bench_ratio(r, c, copy, &ratio));
    report_add_point(s, (double)at, ratio.median);
    return HAUL_OK;
}

/* A group of bars for each row. Without peers there is no series for them: `peers` is NULL, and the report's functions
 * accept that. */
static haul_status add_chart(report_document *d, const bench *b, report_chart **chart) {
    const report_axis rows = {.unit = REPORT_TEXT},
                      ratios = {.title = "of a plain copy's rate", .unit = REPORT_SPEEDUP};
    report_chart *c = report_add_chart(d->last, "rates", "Rates, as shares of a plain copy of as many bytes",
                                       REPORT_BARS, rows, ratios);
    report_series *own = report_add_series(c, "haul", REPORT_SOLID);
    report_series *plain = report_add_series(c, "plain form", REPORT_SOLID);
    report_series *peers = b->peers.count ? report_add_series(c, "best peer", REPORT_SOLID) : NULL;
    size_t at = 0;
    for (const bench_result *r = b->results; r; r = r->next, at++) {
        report_add_category(c, "%s", r->title);
        HAUL_TRY(add_bar(own, r, at, bench_find(r, "haul")));
        HAUL_TRY(add_bar(plain, r, at, bench_find(r, "plain")));
        HAUL_TRY(add_bar(peers, r, at, best_peer(r)));
    }
    *chart = c;
    return HAUL_OK;
}

/* The chart belongs to the section of ratios, which is the last one at that time. */
haul_status bench_report(const bench *b, report_document *d, report_chart **chart) {
    HAUL_TRY(add_ratios(d, b));
    HAUL_TRY(add_chart(d, b, chart));
    add_times(d, b);
    add_checks(d, b);
    return HAUL_OK;
}
