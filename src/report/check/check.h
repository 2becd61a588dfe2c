/* Results of checking launches, evaluated by the user's rules: findings, ignored findings, expectations.
 *
 *     report_checker c;
 *     report_checker_init(&c, &sources, HAUL_GRADE_ADVICE, HAUL_GRADE_WARNING);
 *     report_read_rules(&c.rules, "expect.txt", REPORT_RULE_EXPECT);
 *     for each launch {
 *         report_verdict v;
 *         report_check_launch(&c, &launch, &v);
 *         report_put_check_text(&v, &sources, terminal, out);
 *         report_verdict_free(&v);
 *     }
 *     report_checker_free(&c);
 */
#ifndef HAUL_REPORT_CHECK_CHECK_H
#define HAUL_REPORT_CHECK_CHECK_H

#include "base/arena.h"
#include "base/text.h"
#include "report/check/rules.h"
#include "report/document.h"
#include "report/source.h"

#include <haul/run.h>
#include <haul/status.h>
#include <jansson.h>

/* How a launch's result differs between two schedules. */
typedef struct report_difference {
    const char *usual, *schedule; /* names that --schedule takes */
    const char *ending;   /* "a deadlock": how it ends under `schedule`; NULL: both end well, and memory differs */
    const char *variable; /* of the module; NULL: the buffer or surface of argument `argument`, from 0 */
    size_t argument;
    uint64_t word, words; /* the first word of four bytes that differs; how many do in all */
    uint32_t values[2];   /* in the usual schedule, in the other */
} report_difference;

/* The answer to: is there a schedule in which the finding changes the result? */
typedef struct report_witness {
    const report_difference *found; /* NULL: none */
    size_t tried;                   /* schedules; 0: none, since no order matters to such a finding */
} report_witness;

/* A checked launch, with facts that its record lacks. */
typedef struct report_checked_launch {
    int64_t id; /* negative: operations of a program, none of which is a launch of its own */
    const haul_launch_record *record;
    const char *module;              /* the file of its PTX, or NULL */
    bool has_device;                 /* the program has several devices */
    unsigned device;                 /* the device's number */
    const report_witness *witnesses; /* one for each finding of the record; NULL: nobody has looked */
    size_t schedules;                /* that were compared; 0: none */
    bool differs;                    /* its result differs between them */
} report_checked_launch;

/* A launch that could not run. */
typedef struct report_unrun {
    int64_t id;
    const char *kernel; /* as the launch names it */
    const char *reason;
} report_unrun;

/* One end of a finding, resolved. */
typedef struct report_finding_place {
    const haul_instruction_record *instruction; /* NULL: unknown */
    const haul_source_place *place;             /* the user's line; NULL: no line information */
    const char *file;                           /* file of the place, else of the PTX; may be NULL */
    uint32_t line;                              /* 0: unknown */
} report_finding_place;

typedef struct report_finding {
    const haul_finding *first;
    report_finding_place access, other;
    report_rule *ignored_by;           /* or NULL */
    bool again;                        /* an earlier launch of the kernel had it; text output shows it once */
    bool counts;                       /* it makes the check fail */
    const report_witness *witness;     /* NULL: nobody has looked */
    const struct report_finding *also; /* further pairs of places with the same cause */
    size_t also_count;
} report_finding;

/* One expectation, evaluated for one launch. */
typedef struct report_outcome {
    const report_rule *rule;
    bool holds;
    report_reading reading;
    double value;
    const char *measured; /* "32 measured", "no such access was executed" */
} report_outcome;

typedef struct report_verdict {
    arena memory;
    report_checked_launch launch;
    const char *kernel; /* its name without parameters */
    report_finding *findings;
    size_t finding_count;
    report_outcome *outcomes;
    size_t outcome_count;
    size_t grades[3]; /* findings of each grade, without ignored ones */
    size_t ignored;   /* findings that rules leave out */
    size_t hidden;    /* findings below the lowest reported grade; not in `findings` */
    size_t counting;  /* findings that make the check fail */
    size_t failed;    /* expectations that do not hold */
} report_verdict;

typedef struct report_totals {
    size_t launches, failing; /* failing: with a finding that counts or a failed expectation */
    size_t grades[3], ignored, hidden, counting;
    size_t expectations, failed;
    size_t schedules, compared,
        differing;            /* the most of a launch; launches that ran under several; with different results */
    size_t witnessed, looked; /* findings with a witness, of those with schedules tried */
} report_totals;

/* A finding that is not ignored, with the launches that have it. */
typedef struct report_defect {
    uint64_t key;
    const char *name; /* "a.cu:68: note: race-shared in k"; NULL until a second launch has it */
    size_t launches;
    int64_t last; /* launch */
} report_defect;

typedef struct report_checker {
    report_sources *sources;
    report_rules rules;
    haul_finding_grade shown, counted; /* the lowest grades to report, and to make a check fail */
    report_totals totals;
    const char **read; /* files whose comments have been read */
    size_t read_count, read_capacity;
    report_defect *defects;
    size_t defect_count, defect_capacity;
} report_checker;

void report_checker_init(report_checker *c, report_sources *sources, haul_finding_grade shown,
                         haul_finding_grade counted);

/* The user's options of a check. */
typedef struct report_check_options {
    text_list expect, suppress; /* files of rules */
    text_list ignore;           /* patterns of kinds */
    const char *grade;          /* the lowest one to report and to count; NULL: all are reported, errors and warnings
                                   count */
} report_check_options;

/* Opens a checker with the options' rules; call report_checker_free() also after an error. Errors: HAUL_ERROR_FILE,
 * HAUL_ERROR_SYNTAX, HAUL_ERROR_ARGUMENT. */
haul_status report_checker_open(report_checker *c, report_sources *sources, const report_check_options *options);
void report_checker_free(report_checker *c);

/* Reads the comments in the sources of the launch's instructions, merges its findings and applies the rules. `v` is
 * valid as long as the record; call report_verdict_free() also after an error. Errors: HAUL_ERROR_SYNTAX in a comment,
 * HAUL_ERROR_OUT_OF_MEMORY. */
haul_status report_check_launch(report_checker *c, const report_checked_launch *launch, report_verdict *v);
void report_verdict_free(report_verdict *v);

/* Joins findings of one cause: the verdict keeps the first of each, which lists the others. report_check_launch() does
 * it, after ignored findings are marked. */
haul_status report_join_causes(report_verdict *v);

/* True if both places are the same line of the same file. */
bool report_is_same_line(const report_finding_place *a, const report_finding_place *b);
/* True for a read of bytes that nobody has written. Such a finding has no earlier access. */
bool report_lacks_write(const report_finding *f);

bool report_verdict_passed(const report_verdict *v);

/* ---- writing; all append to `out` ---- */

/* Writes findings that no earlier launch had, and failed expectations, if there are any. */
haul_status report_put_check_text(const report_verdict *v, report_sources *sources, report_terminal terminal,
                                  text *out);
/* Writes findings of more than one launch, rules that had no effect, and one line of totals. */
haul_status report_put_check_totals(const report_checker *c, text *out);
/* {"id":...,"kernel":...,"findings":[...],"expectations":[...]}; the caller owns `*json`. */
haul_status report_check_json(const report_verdict *v, json_t **json);

/* {"id":...,"kernel":...,"error":...}; the caller owns `*json`. */
haul_status report_unrun_json(const report_unrun *u, json_t **json);

/* A SARIF 2.1.0 log that grows launch by launch; equal findings of several launches become one result. */
typedef struct report_sarif {
    json_t *results;
    json_t *keys;  /* of results: their index */
    json_t *unrun; /* notifications about launches that could not run */
    report_sources *sources;
} report_sarif;

haul_status report_sarif_init(report_sarif *s, report_sources *sources);
void report_sarif_free(report_sarif *s);
haul_status report_sarif_add(report_sarif *s, const report_verdict *v);
haul_status report_sarif_add_unrun(report_sarif *s, const report_unrun *u);
haul_status report_sarif_write(const report_sarif *s, text *out);

/* A JUnit report: a test case for each launch, and for each of its expectations. */
typedef struct report_junit {
    text cases;
    size_t tests, failures;
    size_t errors; /* launches that could not run */
} report_junit;

void report_junit_free(report_junit *j);
haul_status report_junit_add(report_junit *j, const report_verdict *v);
haul_status report_junit_add_unrun(report_junit *j, const report_unrun *u);
haul_status report_junit_write(const report_junit *j, text *out);

/* ---- for the writers ---- */

/* The finding in one sentence: its details, or the meaning of its kind. */
const char *report_finding_message(const report_finding *finding);
/* "128 threads of 4 thread blocks"; nothing if the finding concerns one thread, or none. */
void report_put_concerned(text *out, const haul_finding *finding);
/* "3 more pairs of places lack this order: also with the later access at line 15, 17"; nothing if there are none. */
void report_put_also(text *out, const report_finding *finding);
/* "word 5 of argument 1 is 0x00000000 (0) in-order, 0x3f000000 (0.5) early; 128 words differ" */
void report_put_difference(text *out, const report_difference *difference);
/* "--schedule early: " with the difference, or that there is none; nothing if none was looked for. */
void report_put_witness(text *out, const report_witness *witness);
/* "read of 4 bytes by thread (3,0,0) of block (0,0,0)" */
void report_put_access(text *out, const haul_finding *finding, const haul_finding_access *access);

#endif
