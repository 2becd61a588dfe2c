#include "report/diff/diff.h"

#include "base/status.h"
#include "report/diff/align.h"
#include "report/diff/lines.h"

#include <math.h>
#include <string.h>

/* ---- values ---- */

bool report_same_value(double a, double b) {
    const double larger = fmax(fabs(a), fabs(b));
    if (a == floor(a) && b == floor(b)) return a == b;
    return fabs(a - b) <= 1e-5 * larger;
}

const report_value *report_value_of(const report_snapshot_launch *launch, const char *name) {
    for (size_t i = 0; launch && i < launch->value_count; i++)
        if (strcmp(launch->values[i].name, name) == 0) return &launch->values[i];
    return NULL;
}

static bool is_measured(const report_value *v) {
    return strcmp(v->name, "us") == 0;
}

/* Measured values vary: they differ if their ranges do not touch. */
static bool differs(const report_value *a, const report_value *b) {
    if (a->low < a->high || b->low < b->high) return a->high < b->low || b->high < a->low;
    return !report_same_value(a->number, b->number);
}

static void add_change(report_launch_pair *pair, const report_value *a, const report_value *b) {
    static const report_value zero = {0};
    const report_value *one = a ? a : b;
    if (is_measured(one) && (!a || !b)) return;
    if (!a && pair->before->zeros_omitted) a = &zero;
    if (!b && pair->after->zeros_omitted) b = &zero;
    if (!a || !b || !differs(a, b)) return;
    pair->values[pair->value_count++] = (report_change){one->name, one->unit, a->number, b->number};
}

static void compare_values(report_diff *d, report_launch_pair *pair) {
    const report_snapshot_launch *before = pair->before, *after = pair->after;
    pair->values = ARENA_ARRAY(&d->memory, before->value_count + after->value_count, report_change);
    for (size_t i = 0; i < after->value_count; i++)
        add_change(pair, report_value_of(before, after->values[i].name), &after->values[i]);
    for (size_t i = 0; i < before->value_count; i++)
        if (!report_value_of(after, before->values[i].name)) add_change(pair, &before->values[i], NULL);
}

/* ---- lines ---- */

/* NaN on a side that has no such access. */
static double value_in_class(const report_metric *metric, const report_snapshot_line *line, haul_memory_class class) {
    double value;
    report_metric of_class = *metric;
    of_class.classes &= UINT32_C(1) << class;
    if (!line || report_read_traffic(&of_class, line->classes, &value) != REPORT_READ) return NAN;
    return value;
}

size_t report_line_changes(const report_line_pair *pair, haul_memory_class class, report_change *changes, size_t most) {
    size_t count = 0;
    report_metric metric;
    for (size_t i = 0; report_metric_at(i, &metric) && count < most; i++) {
        if (metric.of_launch || !(metric.classes >> class & 1)) continue;
        const double before = value_in_class(&metric, pair->before, class),
                     after = value_in_class(&metric, pair->after, class);
        if (isnan(before) && isnan(after)) continue;
        if (!isnan(before) && !isnan(after) && report_same_value(before, after)) continue;
        if ((isnan(before) || before == 0) && (isnan(after) || after == 0)) continue;
        changes[count++] = (report_change){metric.name, metric.unit, before, after};
    }
    return count;
}

/* Whether a metric of it differs; not every count of its traffic is one. */
static bool line_differs(const report_line_pair *pair) {
    report_change first;
    for (int class = 1; class < HAUL_CLASS_COUNT; class ++)
        if (report_line_changes(pair, (haul_memory_class) class, &first, 1)) return true;
    return false;
}

static void add_line(report_launch_pair *pair, const report_snapshot_line *before, const report_snapshot_line *after) {
    report_line_pair *line = &pair->lines[pair->line_count++];
    *line = (report_line_pair){.before = before, .after = after};
    line->changed = !before || !after || line_differs(line);
    pair->changed |= line->changed;
}

static void compare_lines(report_diff *d, report_launch_pair *pair, arena *scratch) {
    const report_snapshot_launch *before = pair->before, *after = pair->after;
    if (!before->has_lines || !after->has_lines) return;
    size_t *match = ARENA_ARRAY(scratch, before->line_count, size_t);
    const report_snapshot_line **partners = ARENA_ARRAY(scratch, after->line_count, const report_snapshot_line *);
    pair->lines = ARENA_ARRAY(&d->memory, before->line_count + after->line_count, report_line_pair);
    diff_match_lines((diff_side){d->before, before}, (diff_side){d->after, after}, match, scratch);
    for (size_t i = 0; i < before->line_count; i++)
        if (match[i] != ALIGN_NONE) partners[match[i]] = &before->lines[i];
    for (size_t i = 0; i < after->line_count; i++) add_line(pair, partners[i], &after->lines[i]);
    for (size_t i = 0; i < before->line_count; i++)
        if (match[i] == ALIGN_NONE) add_line(pair, &before->lines[i], NULL);
}

/* ---- findings ---- */

static bool is_at(const report_snapshot_finding *f, const report_snapshot_line *line) {
    return line && f->line == line->line && strcmp(f->file, line->file) == 0;
}

static bool at_same_line(const report_launch_pair *pair, const report_snapshot_finding *a,
                         const report_snapshot_finding *b) {
    for (size_t i = 0; i < pair->line_count; i++)
        if (is_at(a, pair->lines[i].before) && is_at(b, pair->lines[i].after)) return true;
    return false;
}

/* Records of findings have no code; they are compared by their lines' numbers, or by kind if a side has none. */
static bool same_finding(const report_launch_pair *pair, const report_snapshot_finding *a,
                         const report_snapshot_finding *b) {
    if (strcmp(a->kind, b->kind) != 0) return false;
    if (*a->code && *b->code) return report_code_equal(a->code, b->code) || at_same_line(pair, a, b);
    return a->line == b->line || !a->line || !b->line;
}

static void add_finding(report_launch_pair *pair, const report_snapshot_finding *before,
                        const report_snapshot_finding *after) {
    const bool changed = !before || !after || before->count != after->count;
    pair->findings[pair->finding_count++] = (report_finding_pair){before, after, changed};
    pair->changed |= changed;
}

static void compare_findings(report_diff *d, report_launch_pair *pair, arena *scratch) {
    const report_snapshot_launch *before = pair->before, *after = pair->after;
    if (!before->checked || !after->checked) return;
    bool *taken = ARENA_ARRAY(scratch, before->finding_count, bool);
    pair->findings = ARENA_ARRAY(&d->memory, before->finding_count + after->finding_count, report_finding_pair);
    for (size_t i = 0; i < after->finding_count; i++) {
        size_t k = 0;
        while (k < before->finding_count &&
               (taken[k] || !same_finding(pair, &before->findings[k], &after->findings[i])))
            k++;
        const bool known = k < before->finding_count;
        if (known) taken[k] = true;
        add_finding(pair, known ? &before->findings[k] : NULL, &after->findings[i]);
    }
    for (size_t k = 0; k < before->finding_count; k++)
        if (!taken[k]) add_finding(pair, &before->findings[k], NULL);
}

/* ---- launches ---- */

static size_t count_outputs(const report_snapshot_launch *a, const report_snapshot_launch *b) {
    size_t count = 0;
    if (a->output_count != b->output_count) return 0;
    for (size_t i = 0; i < a->output_count; i++) count += strcmp(a->outputs[i], b->outputs[i]) != 0;
    return count;
}

static bool same_kernel(const report_snapshot_launch *a, const report_snapshot_launch *b) {
    return strcmp(a->kernel, b->kernel) == 0;
}

static bool same_shape(const report_snapshot_launch *a, const report_snapshot_launch *b) {
    return same_kernel(a, b) && memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           memcmp(a->block, b->block, sizeof a->block) == 0 && a->shared_bytes == b->shared_bytes;
}

/* Instances of a template have one name and different symbols. */
static bool same_symbol(const report_snapshot_launch *a, const report_snapshot_launch *b) {
    return strcmp(a->symbol, b->symbol) == 0 && same_shape(a, b);
}

/* If a kernel has several launches of one shape, those with the same results are most likely the same launch. */
static bool same_results(const report_snapshot_launch *a, const report_snapshot_launch *b) {
    return same_shape(a, b) && a->output_count && a->output_count == b->output_count && !count_outputs(a, b);
}

static void compare_launches(report_diff *d, report_launch_pair *pair, arena *scratch) {
    compare_values(d, pair);
    compare_lines(d, pair, scratch);
    compare_findings(d, pair, scratch);
    pair->outputs = count_outputs(pair->before, pair->after);
    pair->changed |= pair->value_count || pair->outputs || !same_shape(pair->before, pair->after);
}

/* Matches what is left, in order: partners[i] is launch i after's. */
static void match_launches(const report_diff *d, const report_snapshot_launch **partners, bool *taken,
                           bool (*same)(const report_snapshot_launch *, const report_snapshot_launch *)) {
    const report_snapshot *before = d->before, *after = d->after;
    for (size_t i = 0; i < after->launch_count; i++) {
        for (size_t k = 0; k < before->launch_count && !partners[i]; k++) {
            if (taken[k] || !same(&before->launches[k], &after->launches[i])) continue;
            partners[i] = &before->launches[k];
            taken[k] = true;
        }
    }
}

static bool same_symbol_and_results(const report_snapshot_launch *a, const report_snapshot_launch *b) {
    return same_symbol(a, b) && same_results(a, b);
}

/* A single launch on either side is compared whatever its kernel is called. */
static void match_all(const report_diff *d, const report_snapshot_launch **partners, bool *taken) {
    match_launches(d, partners, taken, same_symbol_and_results);
    match_launches(d, partners, taken, same_symbol);
    match_launches(d, partners, taken, same_results);
    match_launches(d, partners, taken, same_shape);
    match_launches(d, partners, taken, same_kernel);
    if (d->before->launch_count != 1 || d->after->launch_count != 1 || taken[0]) return;
    partners[0] = &d->before->launches[0];
    taken[0] = true;
}

static void make(report_diff *d, arena *scratch) {
    const report_snapshot *before = d->before, *after = d->after;
    const report_snapshot_launch **partners = ARENA_ARRAY(scratch, after->launch_count, const report_snapshot_launch *);
    bool *taken = ARENA_ARRAY(scratch, before->launch_count, bool);
    d->launches = ARENA_ARRAY(&d->memory, before->launch_count + after->launch_count, report_launch_pair);
    match_all(d, partners, taken);
    for (size_t i = 0; i < after->launch_count; i++) {
        report_launch_pair *pair = &d->launches[d->launch_count++];
        *pair = (report_launch_pair){.before = partners[i], .after = &after->launches[i], .changed = !partners[i]};
        if (partners[i]) compare_launches(d, pair, scratch);
    }
    for (size_t k = 0; k < before->launch_count; k++)
        if (!taken[k])
            d->launches[d->launch_count++] = (report_launch_pair){.before = &before->launches[k], .changed = true};
    for (size_t i = 0; i < d->launch_count; i++) d->changed += d->launches[i].changed;
}

static void make_with_scratch(void *context, arena *scratch) {
    make(context, scratch);
}

haul_status report_diff_make(report_diff *d, const report_snapshot *before, const report_snapshot *after) {
    jmp_buf out_of_memory;
    *d = (report_diff){.before = before, .after = after};
    d->memory.out_of_memory = &out_of_memory;
    const bool failed = setjmp(out_of_memory) != 0;
    if (!failed) arena_with_scratch(&d->memory, make_with_scratch, d);
    d->memory.out_of_memory = NULL;
    return failed ? haul_no_memory("the comparison") : HAUL_OK;
}

void report_diff_free(report_diff *d) {
    arena_free(&d->memory);
    *d = (report_diff){0};
}
