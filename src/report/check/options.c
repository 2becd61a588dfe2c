/* Opens a checker from command-line options. */
#include "base/arena.h"
#include "base/status.h"
#include "report/check/check.h"

#include <string.h>

static haul_status read_grade(const char *name, haul_finding_grade *grade) {
    for (int i = 0; i < 3; i++) {
        if (strcmp(name, haul_grade_names[i]) != 0) continue;
        *grade = (haul_finding_grade)i;
        return HAUL_OK;
    }
    return haul_fail(HAUL_ERROR_ARGUMENT, "--grade: `%s` is none of error, warning, advice", name);
}

static haul_status ignore(report_rules *rules, const char *kind, uint32_t number) {
    const report_rule all = {.file = "--ignore", .line = number};
    const char *words = arena_printf(&rules->memory, "ignore %s", kind);
    if (!words) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the rules");
    return report_parse_rule(rules, words, &all);
}

haul_status report_checker_open(report_checker *c, report_sources *sources, const report_check_options *o) {
    haul_finding_grade shown = HAUL_GRADE_ADVICE;
    const haul_status graded = o->grade ? read_grade(o->grade, &shown) : HAUL_OK;
    report_checker_init(c, sources, shown, o->grade ? shown : HAUL_GRADE_WARNING);
    HAUL_TRY(graded);
    for (size_t i = 0; i < o->expect.count; i++)
        HAUL_TRY(report_read_rules(&c->rules, o->expect.items[i], REPORT_RULE_EXPECT));
    for (size_t i = 0; i < o->suppress.count; i++)
        HAUL_TRY(report_read_rules(&c->rules, o->suppress.items[i], REPORT_RULE_IGNORE));
    for (size_t i = 0; i < o->ignore.count; i++) HAUL_TRY(ignore(&c->rules, o->ignore.items[i], (uint32_t)i + 1));
    return HAUL_OK;
}
