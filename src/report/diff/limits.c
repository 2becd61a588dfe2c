/* Limits on changes: reading them, and applying them to a comparison. */
#include "base/nearest.h"
#include "base/number.h"
#include "base/status.h"
#include "report/diff/diff.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- reading ---- */

static haul_status malformed(const char *given) {
    return haul_fail(
        HAUL_ERROR_ARGUMENT,
        "--fail-on `%s` is not understood: write METRIC>N, METRIC>N%%, or with < for one that may not fall, "
        "as 'sectors>2%%'",
        given);
}

static haul_status read_amount(const char *s, report_limit *limit) {
    char number[32];
    s += strspn(s, " ");
    size_t length = strcspn(s, "% ");
    const char *rest = s + length;
    if (!length || length >= sizeof number) return malformed(limit->text);
    memcpy(number, s, length);
    number[length] = '\0';
    rest += strspn(rest, " ");
    limit->is_percent = *rest == '%';
    rest += limit->is_percent;
    rest += strspn(rest, " ");
    if (*rest || !number_f64(number, &limit->amount) || !(limit->amount >= 0) || !isfinite(limit->amount))
        return malformed(limit->text);
    return HAUL_OK;
}

/* A name that haul does not know may be the column of a table. */
static haul_status find_metric(report_limit *limit) {
    const char *group = limit->group;
    if (strcmp(limit->name, "findings") == 0 || strcmp(limit->name, "outputs") == 0) {
        limit->kind = *limit->name == 'f' ? REPORT_LIMIT_FINDINGS : REPORT_LIMIT_OUTPUTS;
        return *group || limit->falls || limit->is_percent ? malformed(limit->text) : HAUL_OK;
    }
    const bool known = report_find_metric(limit->name, &limit->metric);
    limit->kind = known && !limit->metric.of_launch ? REPORT_LIMIT_METRIC : REPORT_LIMIT_VALUE;
    if (!*group) return HAUL_OK;
    const char *wrong = known ? report_limit_metric(&limit->metric, group) : "is no metric of instructions";
    if (!wrong) return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT, "--fail-on `%s`: %s %s: %s", limit->text, group, limit->name, wrong);
}

haul_status report_read_limit(const char *given, report_limit *limit) {
    const size_t length = strcspn(given, "<>");
    char words[sizeof limit->name], first[sizeof words], second[sizeof words], more[2];
    *limit = (report_limit){.text = given, .falls = given[length] == '<'};
    if (!given[length] || length >= sizeof words) return malformed(given);
    HAUL_TRY(read_amount(given + length + 1, limit));
    memcpy(words, given, length);
    words[length] = '\0';
    const int count = sscanf(words, "%95s %95s %1s", first, second, more);
    if (count != 1 && count != 2) return malformed(given);
    memcpy(limit->name, count == 1 ? first : second, sizeof words);
    if (count == 2) memcpy(limit->group, first, sizeof words);
    return find_metric(limit);
}

/* ---- blame ---- */

/* Bytes through L1, shared memory and the constant cache. */
static double moved_by(const report_snapshot_line *line) {
    double moved = 0;
    for (int i = 0; line && i < HAUL_CLASS_COUNT; i++) {
        const haul_traffic *t = &line->classes[i];
        moved += (double)t->sectors * 32 + (double)t->shared_wavefronts * 128;
        if (i == HAUL_CLASS_CONSTANT_LOAD) moved += (double)t->requests * 32;
    }
    return moved;
}

static double value_of_line(const report_limit *limit, const report_snapshot_line *line) {
    double value;
    if (limit->kind != REPORT_LIMIT_METRIC) return moved_by(line);
    return line && report_read_traffic(&limit->metric, line->classes, &value) == REPORT_READ ? value : 0;
}

/* The line whose value changed the most in the limit's direction; NULL if none did. */
static const report_line_pair *find_blame(const report_limit *limit, const report_launch_pair *pair) {
    const report_line_pair *worst = NULL;
    double most = 0;
    for (size_t i = 0; i < pair->line_count; i++) {
        const report_line_pair *line = &pair->lines[i];
        const double change = value_of_line(limit, line->after) - value_of_line(limit, line->before);
        const bool falls = limit->falls && limit->kind == REPORT_LIMIT_METRIC;
        if (!line->changed || (falls ? -change : change) <= most) continue;
        most = falls ? -change : change;
        worst = line;
    }
    return worst;
}

/* ---- one limit and one launch ---- */

typedef struct judge {
    report_breaches *breaches;
    const report_limit *limit;
    const report_launch_pair *pair;
    bool applied; /* a launch has the metric */
} judge;

static bool exceeds(const report_limit *limit, double before, double after) {
    const double change = limit->falls ? before - after : after - before;
    const double allowed = limit->is_percent ? limit->amount / 100 * fabs(before) : limit->amount;
    if (isnan(before) || isnan(after) || report_same_value(before, after)) return false;
    return change > allowed * (1 + 1e-9);
}

static void add(judge *j, report_breach breach) {
    breach.limit = j->limit;
    breach.launch = j->pair;
    report_breaches *b = j->breaches;
    ARENA_PUSH(&b->memory, b->items, b->count, b->capacity, breach);
}

/* A count of accesses that are not there is 0, and a ratio has no value. */
static double read_metric(const report_metric *metric, const haul_traffic classes[HAUL_CLASS_COUNT]) {
    double value;
    if (report_read_traffic(metric, classes, &value) == REPORT_READ) return value;
    return metric->unit == REPORT_COUNT ? 0 : NAN;
}

static double read_launch(const report_metric *metric, const report_snapshot_launch *launch) {
    haul_traffic classes[HAUL_CLASS_COUNT] = {0};
    for (size_t i = 0; i < launch->line_count; i++)
        for (int k = 0; k < HAUL_CLASS_COUNT; k++) haul_traffic_add(&classes[k], &launch->lines[i].classes[k]);
    return read_metric(metric, classes);
}

/* Lines that one side lacks count in the launch's sum alone: a line may have been split. */
static void judge_metric(judge *j) {
    const report_metric *metric = &j->limit->metric;
    const report_launch_pair *pair = j->pair;
    if (!pair->before->has_lines || !pair->after->has_lines) return;
    const size_t count = j->breaches->count;
    report_change change = {metric->name, metric->unit, 0, 0};
    j->applied = true;
    for (size_t i = 0; i < pair->line_count; i++) {
        const report_line_pair *line = &pair->lines[i];
        if (!line->before || !line->after) continue;
        change.before = read_metric(metric, line->before->classes);
        change.after = read_metric(metric, line->after->classes);
        if (exceeds(j->limit, change.before, change.after))
            add(j, (report_breach){.change = change, .line = line, .of_line = true});
    }
    change.before = read_launch(metric, pair->before);
    change.after = read_launch(metric, pair->after);
    if (j->breaches->count == count && exceeds(j->limit, change.before, change.after))
        add(j, (report_breach){.change = change, .line = find_blame(j->limit, pair)});
}

/* A value that did not change is not among the pair's changes. */
static void judge_value(judge *j) {
    const report_value *before = report_value_of(j->pair->before, j->limit->name),
                       *after = report_value_of(j->pair->after, j->limit->name);
    j->applied |= before || after;
    for (size_t i = 0; i < j->pair->value_count; i++) {
        const report_change *change = &j->pair->values[i];
        if (strcmp(change->name, j->limit->name) == 0 && exceeds(j->limit, change->before, change->after))
            add(j, (report_breach){.change = *change, .line = find_blame(j->limit, j->pair)});
    }
}

static void judge_findings(judge *j) {
    double news = 0;
    j->applied |= j->pair->before->checked && j->pair->after->checked;
    for (size_t i = 0; i < j->pair->finding_count; i++) news += !j->pair->findings[i].before;
    if (news <= j->limit->amount) return;
    for (size_t i = 0; i < j->pair->finding_count; i++)
        if (!j->pair->findings[i].before) add(j, (report_breach){.finding = j->pair->findings[i].after});
}

static void judge_outputs(judge *j) {
    j->applied |= j->pair->before->output_count && j->pair->after->output_count;
    if ((double)j->pair->outputs > j->limit->amount)
        add(j, (report_breach){.change = {"outputs", REPORT_COUNT, 0, (double)j->pair->outputs}});
}

static void judge_launch(judge *j) {
    switch (j->limit->kind) {
    case REPORT_LIMIT_METRIC: judge_metric(j); break;
    case REPORT_LIMIT_VALUE: judge_value(j); break;
    case REPORT_LIMIT_FINDINGS: judge_findings(j); break;
    case REPORT_LIMIT_OUTPUTS: judge_outputs(j); break;
    }
}

/* ---- all of them ---- */

enum { MOST_METRICS = 64 };

static haul_status no_such_value(const report_limit *limit) {
    const char *names[HAUL_COUNTER_COUNT + MOST_METRICS];
    report_metric metric;
    size_t count = 0;
    for (size_t i = 0; report_metric_at(i, &metric) && count < MOST_METRICS; i++) names[count++] = metric.name;
    for (size_t i = 0; i < HAUL_COUNTER_COUNT; i++) names[count++] = haul_counters[i].key;
    const char *near = nearest_name(limit->name, names, count);
    if (near)
        return haul_fail(HAUL_ERROR_ARGUMENT, "--fail-on `%s`: no launch has `%s`: did you mean %s?", limit->text,
                         limit->name, near);
    return haul_fail(
        HAUL_ERROR_ARGUMENT,
        "--fail-on `%s`: no launch has `%s`: docs/check.md lists the metrics, and counters have their names "
        "in `haul replay`",
        limit->text, limit->name);
}

/* A limit that nothing can exceed would be a check that never fails. */
static haul_status cannot_apply(const report_limit *limit) {
    switch (limit->kind) {
    case REPORT_LIMIT_METRIC:
        return haul_fail(HAUL_ERROR_ARGUMENT,
                         "--fail-on `%s`: needs the traffic of source lines on both sides: make records with `haul "
                         "profile --json`",
                         limit->text);
    case REPORT_LIMIT_FINDINGS:
        return haul_fail(HAUL_ERROR_ARGUMENT, "--fail-on `%s`: the launches of both sides must be checked: add --check",
                         limit->text);
    case REPORT_LIMIT_OUTPUTS:
        return haul_fail(HAUL_ERROR_ARGUMENT, "--fail-on `%s`: no launch has results on both sides", limit->text);
    default: return no_such_value(limit);
    }
}

static haul_status judge_limit(const report_diff *d, judge *j) {
    size_t pairs = 0;
    for (size_t i = 0; i < d->launch_count; i++) {
        j->pair = &d->launches[i];
        if (!j->pair->before || !j->pair->after) continue;
        pairs++;
        judge_launch(j);
    }
    return j->applied || !pairs ? HAUL_OK : cannot_apply(j->limit);
}

static haul_status judge_all(const report_diff *d, const report_limit *limits, size_t count, bool strict,
                             report_breaches *breaches) {
    judge j = {.breaches = breaches};
    for (size_t i = 0; strict && i < d->launch_count; i++) {
        j.pair = &d->launches[i];
        if (!j.pair->before || !j.pair->after) add(&j, (report_breach){0});
    }
    for (size_t i = 0; i < count; i++) {
        j.limit = &limits[i];
        j.applied = false;
        HAUL_TRY(judge_limit(d, &j));
    }
    return HAUL_OK;
}

haul_status report_judge(const report_diff *d, const report_limit *limits, size_t count, bool strict,
                         report_breaches *breaches) {
    jmp_buf out_of_memory;
    *breaches = (report_breaches){.memory.out_of_memory = &out_of_memory};
    haul_status status;
    if (setjmp(out_of_memory))
        status = haul_no_memory("the comparison");
    else
        status = judge_all(d, limits, count, strict, breaches);
    breaches->memory.out_of_memory = NULL;
    return status;
}

void report_breaches_free(report_breaches *breaches) {
    arena_free(&breaches->memory);
    *breaches = (report_breaches){0};
}
