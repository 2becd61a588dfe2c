/* Parses rules: of --expect and --suppress files, of --ignore, and of comments in sources.
 *
 * A line of a file is `KERNEL: WORDS` or `KERNEL at FILE:LINE: WORDS`; a comment has the words alone, because its scope
 * is where it stands. The words are `expect METRIC <= NUMBER, ...` or `ignore KIND reason`. A file's kind of rule may
 * be left out. Every error names the file and line; names that are close to a known one are suggested. */
#include "report/check/rules.h"

#include "base/file.h"
#include "base/nearest.h"
#include "base/number.h"
#include "base/status.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_WORD = 95 };

static const char *const operators[REPORT_OPERATOR_COUNT] = {
    [REPORT_AT_MOST] = "<=", [REPORT_AT_LEAST] = ">=", [REPORT_EQUAL] = "==",
    [REPORT_UNEQUAL] = "!=", [REPORT_LESS] = "<",      [REPORT_MORE] = ">",
};

void report_rules_free(report_rules *rules) {
    arena_free(&rules->memory);
    *rules = (report_rules){0};
}

static haul_status push(report_rules *rules, const report_rule *rule) {
    if (rules->count == rules->capacity) {
        report_rule *items =
            arena_grow(&rules->memory, rules->items, rules->count, &rules->capacity, sizeof *rules->items);
        if (!items) return haul_no_memory("the rules");
        rules->items = items;
    }
    rules->items[rules->count++] = *rule;
    return HAUL_OK;
}

/* ---- words ---- */

static const char *skip_blanks(const char *s) {
    return s + strspn(s, " \t\r");
}

/* A comment ends a rule. */
static bool ends(const char *s) {
    return !*s || *s == '#' || strncmp(s, "//", 2) == 0;
}

static size_t word_length(const char *s) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/.";
    return ends(s) ? 0 : strspn(s, letters);
}

/* Copies the word at *s, truncated if longer than any name, and moves past it and the following blanks. */
static void take_word(const char **s, char word[LONGEST_WORD + 1]) {
    size_t length = word_length(*s), kept = length < LONGEST_WORD ? length : LONGEST_WORD;
    memcpy(word, *s, kept);
    word[kept] = '\0';
    *s = skip_blanks(*s + length);
}

/* Moves past `word` if it comes next. */
static bool takes(const char **s, const char *word) {
    size_t length = strlen(word);
    if (word_length(*s) != length || strncmp(*s, word, length) != 0) return false;
    *s = skip_blanks(*s + length);
    return true;
}

/* ---- expectations ---- */

/* Known names, for suggestions. */
typedef struct name_list {
    const char *names[64];
    size_t count;
    bool groups;
} name_list;

static void collect(void *context, const char *name, report_unit unit, bool group, const char *help) {
    name_list *list = context;
    (void)unit, (void)help;
    if (group == list->groups && list->count < sizeof list->names / sizeof *list->names)
        list->names[list->count++] = name;
}

/* Fails with the name that is nearest to the unknown one. */
static haul_status unknown(const char *what, const char *word, bool groups) {
    name_list list = {.groups = groups};
    report_visit_metrics(collect, &list);
    const char *near = nearest_name(word, list.names, list.count);
    if (near) return haul_fail(HAUL_ERROR_SYNTAX, "no %s is called `%s`: did you mean `%s`?", what, word, near);
    return haul_fail(HAUL_ERROR_SYNTAX, "no %s is called `%s`: docs/check.md lists them", what, word);
}

/* Limits a metric to a group of instructions. The metric stays as it was if that is an error. */
static haul_status limit(report_metric *metric, const char *group, const char *name) {
    report_metric probe = *metric;
    const char *wrong = report_limit_metric(&probe, group);
    if (wrong && strcmp(wrong, "no such group of instructions") == 0)
        return unknown("group of instructions", group, true);
    if (wrong) return haul_fail(HAUL_ERROR_SYNTAX, "`%s %s`: `%s` %s", group, name, name, wrong);
    *metric = probe;
    return HAUL_OK;
}

/* `word`, or `group word`. */
static haul_status parse_metric(report_rules *rules, const char **s, report_rule *rule) {
    char first[LONGEST_WORD + 1], second[LONGEST_WORD + 1];
    take_word(s, first);
    if (!*first) return haul_fail(HAUL_ERROR_SYNTAX, "an expectation is `METRIC <= NUMBER` or `no findings`");
    take_word(s, second);
    const char *name = *second ? second : first;
    if (!report_find_metric(name, &rule->metric)) return unknown("metric", name, false);
    if (*second) HAUL_TRY(limit(&rule->metric, first, name));
    if (rule->metric.of_launch && rule->scope.first) {
        return haul_fail(HAUL_ERROR_SYNTAX, "`%s` is of a whole launch: put it above the kernel, not at a line of it",
                         name);
    }
    rule->text = arena_printf(&rules->memory, *second ? "%s %s" : "%s", first, second);
    return rule->text ? HAUL_OK : haul_no_memory("the rules");
}

static haul_status parse_operator(const char **s, report_rule *rule) {
    for (int i = 0; i < REPORT_OPERATOR_COUNT; i++) {
        size_t length = strlen(operators[i]);
        if (strncmp(*s, operators[i], length) != 0) continue;
        rule->comparison = (report_operator)i;
        *s = skip_blanks(*s + length);
        return HAUL_OK;
    }
    return haul_fail(HAUL_ERROR_SYNTAX, "expected one of <= < >= > == != after `%s`", rule->text);
}

/* Percentages must be written with a percent sign, others without: so `<= 5` of a share cannot mean 500 %. */
static haul_status parse_value(report_rules *rules, const char **s, report_rule *rule) {
    char number[LONGEST_WORD + 1];
    size_t length = strspn(*s, "0123456789.eE+-");
    const char *comparison = operators[rule->comparison];
    memcpy(number, *s, length <= LONGEST_WORD ? length : 0);
    number[length <= LONGEST_WORD ? length : 0] = '\0';
    if (!number_f64(number, &rule->value) || !isfinite(rule->value))
        return haul_fail(HAUL_ERROR_SYNTAX, "expected a number after `%s %s`", rule->text, comparison);
    *s = skip_blanks(*s + length);
    bool percent = **s == '%';
    if (percent) *s = skip_blanks(*s + 1);
    if (percent != (rule->metric.unit == REPORT_PERCENT)) {
        return haul_fail(HAUL_ERROR_SYNTAX,
                         percent ? "`%s` is not a percentage: leave out the %%"
                                 : "`%s` is a percentage: write %% after the number",
                         rule->text);
    }
    rule->text = arena_printf(&rules->memory, "%s %s %s%s", rule->text, comparison, number, percent ? "%" : "");
    return rule->text ? HAUL_OK : haul_no_memory("the rules");
}

static haul_status parse_expectation(report_rules *rules, const char **s, report_rule *rule) {
    if (takes(s, "no")) {
        rule->no_findings = true;
        rule->text = "no findings";
        return takes(s, "findings") ? HAUL_OK : haul_fail(HAUL_ERROR_SYNTAX, "expected `findings` after `no`");
    }
    HAUL_TRY(parse_metric(rules, s, rule));
    HAUL_TRY(parse_operator(s, rule));
    return parse_value(rules, s, rule);
}

/* Reads expectations separated by commas; each becomes a rule of its own. */
static haul_status parse_expectations(report_rules *rules, const char *s, const report_rule *where) {
    for (;;) {
        report_rule rule = *where;
        rule.kind = REPORT_RULE_EXPECT;
        HAUL_TRY(parse_expectation(rules, &s, &rule));
        HAUL_TRY(push(rules, &rule));
        if (ends(s)) return HAUL_OK;
        if (*s != ',')
            return haul_fail(HAUL_ERROR_SYNTAX, "expected a comma or the end after `%s`, not `%.20s`", rule.text, s);
        s = skip_blanks(s + 1);
    }
}

/* ---- ignored findings ---- */

bool report_kind_matches(const char *pattern, haul_finding_kind kind) {
    return fnmatch(pattern, haul_finding_kinds[kind].key, 0) == 0;
}

/* A pattern must match some kind, so that a misspelt one is noticed. */
static haul_status check_kind(const char *pattern) {
    const char *names[HAUL_FINDING_COUNT];
    for (int i = 0; i < HAUL_FINDING_COUNT; i++) {
        names[i] = haul_finding_kinds[i].key;
        if (report_kind_matches(pattern, (haul_finding_kind)i)) return HAUL_OK;
    }
    const char *near = nearest_name(pattern, names, HAUL_FINDING_COUNT);
    if (near) return haul_fail(HAUL_ERROR_SYNTAX, "no finding is called `%s`: did you mean `%s`?", pattern, near);
    return haul_fail(HAUL_ERROR_SYNTAX, "no finding is called `%s`: docs/check.md lists them", pattern);
}

/* Reads a kind of finding and the reason, which is shown in SARIF. */
static haul_status parse_ignored(report_rules *rules, const char *s, const report_rule *where) {
    report_rule rule = *where;
    size_t length = strcspn(s, " \t\r");
    if (ends(s)) return haul_fail(HAUL_ERROR_SYNTAX, "expected a kind of finding and a reason after `ignore`");
    rule.kind = REPORT_RULE_IGNORE;
    rule.text = arena_copy(&rules->memory, s, length);
    if (!rule.text) return haul_no_memory("the rules");
    HAUL_TRY(check_kind(rule.text));
    const char *reason = skip_blanks(s + length);
    reason += strspn(reason, "#/: -\t");
    if (*reason) rule.reason = arena_copy(&rules->memory, reason, strlen(reason));
    return *reason && !rule.reason ? haul_no_memory("the rules") : push(rules, &rule);
}

static haul_status parse(report_rules *rules, const char *words, const report_rule *where) {
    const char *s = skip_blanks(words);
    if (takes(&s, "expect")) return parse_expectations(rules, s, where);
    if (takes(&s, "ignore")) return parse_ignored(rules, s, where);
    return haul_fail(HAUL_ERROR_SYNTAX, "`%.30s`: a rule begins with `expect` or `ignore`", s);
}

haul_status report_parse_rule(report_rules *rules, const char *words, const report_rule *where) {
    haul_status status = parse(rules, words, where);
    return status == HAUL_OK ? HAUL_OK : haul_fail_in(status, "%s:%u", where->file, where->line);
}

/* ---- files ---- */

/* Splits "FILE", "FILE:LINE" or "FILE:LINE-LINE" in place. */
static haul_status parse_place(char *place, report_scope *scope) {
    char *colon = strrchr(place, ':');
    scope->file = place;
    if (!*place) return haul_fail(HAUL_ERROR_SYNTAX, "expected a file after `at`");
    if (!colon) return HAUL_OK;
    *colon = '\0';
    char *dash = strchr(colon + 1, '-');
    if (dash) *dash = '\0';
    uint64_t first, last;
    if (!number_u64(colon + 1, &first) || !number_u64(dash ? dash + 1 : colon + 1, &last) || first < 1 ||
        last < first || last > UINT32_MAX)
        return haul_fail(HAUL_ERROR_SYNTAX, "expected a line, as 12, or lines, as 12-20, after `%s:`", place);
    scope->first = (uint32_t)first;
    scope->last = (uint32_t)last;
    return HAUL_OK;
}

static void trim_end(char *s) {
    size_t length = strlen(s);
    while (length && strchr(" \t\r", s[length - 1])) s[--length] = '\0';
}

/* Reads `KERNEL` or `KERNEL at PLACE`. Kernel and file may be patterns of the shell. */
static haul_status parse_scope(char *head, report_scope *scope) {
    char *at = strstr(head, " at ");
    if (at) *at = '\0';
    trim_end(head);
    if (!*head || strpbrk(head, " \t"))
        return haul_fail(HAUL_ERROR_SYNTAX, "a rule is `KERNEL: expect ...` or `KERNEL at FILE:LINE: ignore ...`");
    scope->kernel = head;
    if (!at) return HAUL_OK;
    char *place = at + 4 + strspn(at + 4, " \t");
    trim_end(place);
    return parse_place(place, scope);
}

/* The colon that ends the scope has a blank after it; those in C++ names and in FILE:LINE have none. */
static haul_status parse_line(report_rules *rules, char *line, report_rule *rule, report_rule_kind usual) {
    char *colon = strchr(line, ':');
    while (colon && !strchr(" \t", colon[1])) colon = strchr(colon + 1, ':');
    if (!colon || !colon[1])
        return haul_fail(HAUL_ERROR_SYNTAX, "a rule is `KERNEL: expect ...` or `KERNEL at FILE:LINE: ignore ...`");
    *colon = '\0';
    HAUL_TRY(parse_scope(line, &rule->scope));
    const char *words = skip_blanks(colon + 1), *s = words;
    if (takes(&s, "expect")) return parse_expectations(rules, s, rule);
    if (takes(&s, "ignore")) return parse_ignored(rules, s, rule);
    return usual == REPORT_RULE_EXPECT ? parse_expectations(rules, words, rule) : parse_ignored(rules, words, rule);
}

haul_status report_read_rules_text(report_rules *rules, const char *name, const char *bytes, size_t length,
                                   report_rule_kind usual) {
    char *line = arena_copy(&rules->memory, bytes, length);
    const char *file = arena_copy(&rules->memory, name, strlen(name));
    if (!line || !file) return haul_no_memory("the rules");
    for (uint32_t number = 1; line; number++) {
        char *next = strchr(line, '\n');
        if (next) *next++ = '\0';
        line += strspn(line, " \t\r");
        report_rule rule = {.file = file, .line = number};
        haul_status status = *line && *line != '#' ? parse_line(rules, line, &rule, usual) : HAUL_OK;
        if (status != HAUL_OK) return haul_fail_in(status, "%s:%u", name, number);
        line = next;
    }
    return HAUL_OK;
}

haul_status report_read_rules(report_rules *rules, const char *path, report_rule_kind usual) {
    text content = {0};
    haul_status status = file_read(path, &content);
    if (status == HAUL_OK) status = report_read_rules_text(rules, path, text_string(&content), content.length, usual);
    text_free(&content);
    return status;
}

/* ---- evaluation ---- */

/* Ratios of counts have rounding errors in the last digits. */
static bool same(double a, double b) {
    return fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b));
}

bool report_rule_holds(const report_rule *rule, double value) {
    bool equal = same(value, rule->value);
    switch (rule->comparison) {
    case REPORT_AT_MOST: return equal || value < rule->value;
    case REPORT_AT_LEAST: return equal || value > rule->value;
    case REPORT_EQUAL: return equal;
    case REPORT_UNEQUAL: return !equal;
    case REPORT_LESS: return !equal && value < rule->value;
    default: return !equal && value > rule->value;
    }
}
