/* The user's rules: requirements on a kernel's memory behaviour, and findings to leave out. They are in comments of the
 * source (report/check/annotations.h) or in files.
 *
 *     expect LIST           LIST: expectations, separated by commas
 *     ignore KIND REASON    KIND: a kind of finding, a pattern with * and ?; REASON: any words, optional
 *
 * An expectation is `no findings`, or
 *
 *     [GROUP] METRIC OPERATOR NUMBER[%]
 *
 * with OPERATOR one of <= < >= > == !=, and a percent sign exactly if the metric is a percentage. Metrics and groups
 * are listed in metrics.def. Text after // or # is a comment.
 *
 * A file has one rule per line; empty lines and lines that begin with # are skipped:
 *
 *     KERNEL[ at FILE[:LINE[-LINE]]]: RULE
 *
 * KERNEL and FILE are patterns with * and ?. */
#ifndef HAUL_REPORT_CHECK_RULES_H
#define HAUL_REPORT_CHECK_RULES_H

#include "base/arena.h"
#include "report/check/metrics.h"
#include "report/check/scope.h"

#include <haul/status.h>

typedef enum report_rule_kind { REPORT_RULE_EXPECT, REPORT_RULE_IGNORE } report_rule_kind;

typedef enum report_operator {
    REPORT_AT_MOST,
    REPORT_AT_LEAST,
    REPORT_EQUAL,
    REPORT_UNEQUAL,
    REPORT_LESS,
    REPORT_MORE,
    REPORT_OPERATOR_COUNT
} report_operator;

/* One expectation, or one kind to ignore. */
typedef struct report_rule {
    report_rule_kind kind;
    report_scope scope;
    const char *file; /* the file that contains the rule */
    uint32_t line;
    bool in_source;
    const char *within; /* for a rule on lines: the kernel whose text contains it; or NULL */
    const char *text;   /* EXPECT: "sectors/request <= 4"; IGNORE: the kind's pattern */
    bool no_findings;
    report_metric metric;
    report_operator comparison;
    double value;
    const char *reason; /* reason of IGNORE, or NULL */
    size_t used;        /* launches that it was applied to, or findings that it left out */
} report_rule;

/* All-zero is a valid empty list. */
typedef struct report_rules {
    arena memory;
    report_rule *items;
    size_t count, capacity;
} report_rules;

void report_rules_free(report_rules *rules);

/* Appends the rule in `words` ("expect ..." or "ignore ..."), with the place and scope of `where`. Its strings must
 * live as long as the rules. Errors: HAUL_ERROR_SYNTAX as "file:line: what". */
haul_status report_parse_rule(report_rules *rules, const char *words, const report_rule *where);

/* Appends a file's rules. Rules of the `usual` kind may omit the verb. Errors: HAUL_ERROR_FILE; HAUL_ERROR_SYNTAX. */
haul_status report_read_rules(report_rules *rules, const char *path, report_rule_kind usual);
/* The same from memory; `name` stands for the path. */
haul_status report_read_rules_text(report_rules *rules, const char *name, const char *text, size_t length,
                                   report_rule_kind usual);

/* Whether the kind's key matches the pattern. */
bool report_kind_matches(const char *pattern, haul_finding_kind kind);

/* Whether `value` satisfies the expectation. */
bool report_rule_holds(const report_rule *rule, double value);

#endif
