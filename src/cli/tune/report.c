/* The result of a search, as a section of a report and as a C header.
 *
 * The table has the best variants first. The chart shows times over the two parameters that matter most: for each
 * parameter the best time of each of its values is taken, over all other parameters, and the parameter whose values
 * differ most has the greatest weight. The header has an #ifndef for each constant, so that a -D of the user still
 * wins. */
#include "base/memory.h"
#include "cli/stamp.h"
#include "cli/tune/tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BEST = 15 }; /* variants in the table, without --all */

/* ---- the table ---- */

/* Sorts variants for the table: timed ones first, by gain, the fastest first. */
static int compare(const void *left, const void *right) {
    const tune_variant *a = *(const tune_variant *const *)left, *b = *(const tune_variant *const *)right;
    if (a->outcome != b->outcome) return a->outcome == TUNE_TIMED ? -1 : b->outcome == TUNE_TIMED ? 1 : 0;
    return a->gain > b->gain ? -1 : a->gain < b->gain;
}

/* A row: the values of all parameters, then times, or why there are none. */
static void add_variant(report_table *t, const tune_problem *p, const tune_result *r, const tune_variant *v) {
    report_add_row(t);
    for (size_t i = 0; i < p->parameter_count; i++) report_add_text(t, "%s", tune_value(p, v, i));
    if (v->outcome == TUNE_TIMED) {
        report_add_number(t, v->us);
        report_add_number(t, v->us > 0 ? 100 * (v->high - v->low) / v->us : 0);
        if (v->rate > 0)
            report_add_number(t, v->rate);
        else
            report_add_empty(t);
        report_add_number(t, v->gain);
    } else {
        for (int i = 0; i < 4; i++) report_add_empty(t);
    }
    report_add_text(t, "%s", v == r->best ? "best" : v == r->start ? "start" : "");
    if (v->outcome != TUNE_TIMED) report_add_text(t, "%s: %s", tune_outcome_names[v->outcome], v->why ? v->why : "");
    if (v == r->best) report_set_row_tone(t, REPORT_GOOD);
}

/* Adds the best variants and the start; with `all` every one. Without memory for the order the table stays empty. */
static void add_table(report_section *s, const tune_problem *p, const tune_result *r, bool all) {
    static const report_column fixed[] = {
        {"us", "Time", REPORT_MICROSECONDS, "median of a launch"},
        {"spread", "Spread", REPORT_PERCENT, "from the first to the third quartile, of the median"},
        {"rate", "Rate", REPORT_RATE, "bytes that a launch has to move at least, over its time"},
        {"gain", "Gain", REPORT_RATIO,
         "how many times faster than the constants that the search began with, in the same rounds"},
        {"mark", "", REPORT_TEXT, NULL},
        {"why", "Why not", REPORT_TEXT, NULL}};
    enum { FIXED = sizeof fixed / sizeof fixed[0] };
    report_column columns[TUNE_MOST_PARAMETERS + FIXED];
    size_t n = 0;
    for (size_t i = 0; i < p->parameter_count; i++)
        columns[n++] = (report_column){p->parameters[i].name, p->parameters[i].name, REPORT_TEXT, NULL};
    memcpy(columns + n, fixed, sizeof fixed);
    report_table *t = report_add_table(s, "variants", NULL, columns, n + FIXED);
    const tune_variant **sorted = memory_zeroed(r->count, sizeof *sorted);
    for (size_t i = 0; sorted && i < r->count; i++) sorted[i] = &r->variants[i];
    if (sorted) qsort(sorted, r->count, sizeof *sorted, compare);
    for (size_t i = 0; sorted && i < r->count; i++)
        if (all || (sorted[i]->outcome == TUNE_TIMED && (i < BEST || sorted[i] == r->start)))
            add_variant(t, p, r, sorted[i]);
    memory_free((void *)sorted);
}

/* ---- the chart: the surface over the two parameters that matter most ---- */

/* The best time of variants with this value of a parameter, and of a second one if `other` is one; NaN if there is
 * none. */
static double best_with(const tune_problem *p, const tune_result *r, size_t parameter, size_t value, size_t other,
                        size_t other_value) {
    double best = NAN;
    for (size_t i = 0; i < r->count; i++) {
        const tune_variant *v = &r->variants[i];
        if (v->outcome != TUNE_TIMED || v->choice[parameter] != value) continue;
        if (other < p->parameter_count && v->choice[other] != other_value) continue;
        if (!(v->us >= best)) best = v->us;
    }
    return best;
}

/* Returns how strongly the time depends on a parameter: the worst of its values' best times over the best one. */
static double weight_of(const tune_problem *p, const tune_result *r, size_t parameter) {
    double least = NAN, most = NAN;
    for (size_t i = 0; i < p->parameters[parameter].value_count; i++) {
        const double us = best_with(p, r, parameter, i, SIZE_MAX, 0);
        if (!(us >= least)) least = isnan(us) ? least : us;
        if (!(us <= most)) most = isnan(us) ? most : us;
    }
    return least > 0 ? most / least : 0;
}

/* The parameter with the greatest weight, except `but`; SIZE_MAX if there is none. */
static size_t heaviest(const tune_problem *p, const tune_result *r, size_t but) {
    size_t found = SIZE_MAX;
    double most = 0;
    for (size_t i = 0; i < p->parameter_count; i++) {
        const double weight = i == but ? 0 : weight_of(p, r, i);
        if (weight > most) most = weight, found = i;
    }
    return found;
}

/* A series over the values of `along`, for one value of `other` (SIZE_MAX: none). Values without a timed variant have
 * no bar. */
static void add_bars(report_chart *c, const tune_problem *p, const tune_result *r, size_t along, size_t other,
                     size_t value) {
    const bool alone = other == SIZE_MAX;
    report_series *s = report_add_series(c, alone ? "best time" : p->parameters[other].values[value], REPORT_SOLID);
    for (size_t i = 0; i < p->parameters[along].value_count; i++) {
        const double us = best_with(p, r, along, i, other, value);
        if (!isnan(us)) report_add_point(s, (double)i, us);
    }
}

/* NULL if no parameter has a weight, because nothing was timed. */
static report_chart *add_chart(report_section *s, const tune_problem *p, const tune_result *r) {
    const size_t along = heaviest(p, r, SIZE_MAX), other = along == SIZE_MAX ? along : heaviest(p, r, along);
    if (along == SIZE_MAX) return NULL;
    const report_axis x = {.title = p->parameters[along].name, .unit = REPORT_COUNT};
    const report_axis y = {.title = "time of a launch", .unit = REPORT_MICROSECONDS};
    char title[256] = "Best time by value";
    if (other != SIZE_MAX) {
        strcpy(title, "Best time by value; a bar for each ");
        strncat(title, p->parameters[other].name, sizeof title - strlen(title) - 1);
    }
    report_chart *c = report_add_chart(s, "surface", title, REPORT_BARS, x, y);
    for (size_t i = 0; i < p->parameters[along].value_count; i++)
        report_add_category(c, "%s", p->parameters[along].values[i]);
    if (other == SIZE_MAX) add_bars(c, p, r, along, other, 0);
    for (size_t i = 0; other != SIZE_MAX && i < p->parameters[other].value_count; i++)
        add_bars(c, p, r, along, other, i);
    return c;
}

/* ---- the section ---- */

/* "THREADS = 256, STAGES = 4". */
static void put_values(text *out, const tune_problem *p, const tune_variant *v) {
    for (size_t i = 0; i < p->parameter_count; i++)
        text_printf(out, "%s%s = %s", i ? ", " : "", p->parameters[i].name, tune_value(p, v, i));
}

/* Says how many combinations were tried, and what became of them. */
static void say_how(report_section *s, const tune_result *r) {
    size_t counts[TUNE_OUTCOMES] = {0};
    text out = {0};
    for (size_t i = 0; i < r->count; i++) counts[r->variants[i].outcome]++;
    text_printf(&out, "%zu of %zu combinations looked at, %zu timed", r->count, r->combinations, counts[TUNE_TIMED]);
    for (int k = 0; k < TUNE_OUTCOMES; k++)
        if (counts[k] && k != TUNE_TIMED) text_printf(&out, ", %zu %s", counts[k], tune_outcome_names[k]);
    text_printf(&out, "; %.0f s%s.", r->seconds, r->out_of_time ? ", when time was up" : "");
    report_add_paragraph(s, "%s", text_string(&out));
    text_free(&out);
    if (counts[TUNE_WRONG])
        report_add_note(s, REPORT_BAD, "%zu variants give other results than the reference: --all names them.",
                        counts[TUNE_WRONG]);
}

void tune_report(report_document *d, const tune_problem *p, const tune_result *r, bool all, report_chart **chart) {
    report_section *s = report_add_section(d, p->name, p->name);
    text values = {0};
    put_values(&values, p, r->best);
    report_add_paragraph(s, "%s: %s%s", r->best == r->start ? "Nothing is better than the start" : "Best",
                         text_string(&values), r->best == r->start ? "" : ".");
    text_free(&values);
    say_how(s, r);
    add_table(s, p, r, all);
    report_chart *c = add_chart(s, p, r);
    if (chart) *chart = c;
}

/* ---- the header ---- */

void tune_start_header(text *out, const haul_device *device, int argc, char **argv) {
    char date[16] = "";
    const time_t now = time(NULL);
    struct tm day;
    if (gmtime_r(&now, &day)) strftime(date, sizeof date, "%Y-%m-%d", &day);
    text_printf(out, "/* %s on %s by haul %s, on %s:\n *\n *     ",
                haul_device_is_virtual(device) ? "Estimated" : "Measured", date, HAUL_VERSION,
                haul_device_product(device));
    cli_put_command(out, argc, argv);
    text_put(out, "\n *\n * A definition that is there already wins. */\n");
}

/* Constants with only one value are not part of the search and stay out of the header. */
void tune_put_header(text *out, const tune_problem *p, const tune_result *r) {
    text_printf(out, "\n/* %s: %.2f us, %.3f times as fast as with what the search began with */\n", p->name,
                r->best->us, r->best->gain);
    for (size_t i = 0; i < p->parameter_count; i++) {
        const char *name = p->parameters[i].name;
        if (p->parameters[i].value_count == 1) continue;
        text_printf(out, "#ifndef %s\n#define %s %s\n#endif\n", name, name, tune_value(p, r->best, i));
    }
}
