/* Writes docs/check.md: copies docs/check.md.in and puts the tables of findings, metrics and groups, the only lists
 * there are, in the place of the lines @KINDS@, @METRICS@ and @GROUPS@.
 *
 *   haul_gen_check_docs TEMPLATE >docs/check.md */
#include "report/check/metrics.h"

#include <stdio.h>
#include <string.h>

/* Underscores of names are not emphasis. */
static void put_escaped(const char *cell) {
    for (; *cell; cell++) printf(strchr("_*|<", *cell) ? "\\%c" : "%c", *cell);
}

static void put_kinds(void) {
    puts("| kind | grade | what goes wrong | what to do |\n|---|---|---|---|");
    for (int i = 0; i < HAUL_FINDING_COUNT; i++) {
        const haul_finding_info *kind = &haul_finding_kinds[i];
        printf("| `%s` | %s | ", kind->key, haul_grade_names[kind->grade]);
        put_escaped(kind->why);
        printf(" | ");
        put_escaped(kind->cure);
        printf(" |\n");
    }
}

static const char *value_of(report_unit unit) {
    switch (unit) {
    case REPORT_PERCENT: return "percentage";
    case REPORT_COUNT: return "count";
    default: return "number";
    }
}

static void put_metric(void *context, const char *name, report_unit unit, bool group, const char *help) {
    (void)context;
    report_metric metric;
    if (group || !report_find_metric(name, &metric)) return;
    printf("| `%s` | %s | %s | %s |\n", name, value_of(unit), metric.of_launch ? "a launch" : "instructions", help);
}

static void put_group(void *context, const char *name, report_unit unit, bool group, const char *help) {
    (void)context, (void)unit;
    if (group) printf("| `%s` | %s |\n", name, help);
}

static void put_line(const char *line) {
    if (strcmp(line, "@KINDS@\n") == 0) {
        put_kinds();
    } else if (strcmp(line, "@METRICS@\n") == 0) {
        puts("| metric | is a | of | what it counts |\n|---|---|---|---|");
        report_visit_metrics(put_metric, NULL);
    } else if (strcmp(line, "@GROUPS@\n") == 0) {
        puts("| group | instructions |\n|---|---|");
        report_visit_metrics(put_group, NULL);
    } else {
        fputs(line, stdout);
    }
}

int main(int count, char **words) {
    FILE *template = count == 2 ? fopen(words[1], "r") : NULL;
    if (!template) {
        fprintf(stderr, "usage: haul_gen_check_docs TEMPLATE\n");
        return 2;
    }
    char line[1024];
    while (fgets(line, sizeof line, template)) put_line(line);
    fclose(template);
    return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
