/* Writes launches and expectations as JUnit test cases, which most CI services show.
 *
 * A launch is a test case that fails by its findings, or has an error if it could not run; each expectation is another.
 * The classname is the kernel, so services group by it. Cases are collected as text while launches run, and the totals,
 * which come first in the file, are added at the end. */
#include "base/status.h"
#include "report/check/check.h"
#include "report/write/markup.h"

#include <inttypes.h>
#include <stdio.h>

void report_junit_free(report_junit *j) {
    text_free(&j->cases);
    *j = (report_junit){0};
}

static void open_case(report_junit *j, const char *name, const char *kernel) {
    text_put(&j->cases, "  <testcase classname=\"");
    markup_put(&j->cases, kernel);
    text_put(&j->cases, "\" name=\"");
    markup_put(&j->cases, name);
    text_put(&j->cases, "\">\n");
    j->tests++;
}

/* The message is the line that a service shows; the body holds the rest. */
static void open_failure(report_junit *j, const char *type, const char *message) {
    text_printf(&j->cases, "    <failure type=\"%s\" message=\"", type);
    markup_put(&j->cases, message);
    text_put(&j->cases, "\">");
}

static void close_failure(report_junit *j, const text *body) {
    markup_put(&j->cases, text_string(body));
    text_put(&j->cases, "</failure>\n");
}

/* A finding in several lines, in the order of the text report. */
static void describe(const report_finding *f, text *out) {
    const haul_finding *first = f->first;
    const haul_finding_info *kind = &haul_finding_kinds[first->kind];
    if (f->access.file) text_printf(out, "%s:%" PRIu32 ": ", f->access.file, f->access.line);
    text_printf(out, "%s: %s: %s\n", haul_grade_names[first->grade], kind->key, report_finding_message(f));
    if (first->object) text_printf(out, "where: %s\n", first->object);
    if (first->access.action) report_put_access(out, first, &first->access), text_put(out, "\n");
    if (first->other.action) {
        text_put(out, "earlier: ");
        report_put_access(out, first, &first->other);
        if (f->other.file) text_printf(out, " at %s:%" PRIu32, f->other.file, f->other.line);
        text_put(out, "\n");
    }
    if (f->also_count) {
        text_put(out, "also: ");
        report_put_also(out, f);
        text_put(out, "\n");
    }
    text_printf(out, "why: %s\ncure: %s\n", kind->why, kind->cure);
    if (first->count > 1) {
        text_put(out, "concerns: ");
        report_put_concerned(out, first);
        text_put(out, "\n");
    }
    if (f->witness && f->witness->tried) {
        text_put(out, "witness: ");
        report_put_witness(out, f->witness);
        text_put(out, "\n");
    }
}

/* A test case has one failure: that of the first finding that counts, with the texts of all. */
static void add_findings(report_junit *j, const report_verdict *v) {
    text body = {0};
    const report_finding *first = NULL;
    for (size_t i = 0; i < v->finding_count; i++) {
        const report_finding *f = &v->findings[i];
        if (f->ignored_by) continue;
        if (f->counts && !first) first = f;
        describe(f, &body);
    }
    if (first) {
        j->failures++;
        open_failure(j, haul_finding_kinds[first->first->kind].key, report_finding_message(first));
        close_failure(j, &body);
    }
    if (body.failed) j->cases.failed = true;
    text_free(&body);
}

static void add_expectation(report_junit *j, const report_verdict *v, const report_outcome *o) {
    text name = {0}, body = {0};
    text_printf(&name, "launch %" PRId64 ": %s:%" PRIu32 ": expect %s", v->launch.id, o->rule->file, o->rule->line,
                o->rule->text);
    open_case(j, text_string(&name), v->kernel);
    if (!o->holds) {
        j->failures++;
        text_printf(&body, "%s:%" PRIu32 ": expected %s: %s", o->rule->file, o->rule->line, o->rule->text, o->measured);
        open_failure(j, "expectation", o->measured);
        close_failure(j, &body);
    }
    text_put(&j->cases, "  </testcase>\n");
    if (name.failed || body.failed) j->cases.failed = true;
    text_free(&name);
    text_free(&body);
}

static void open_launch(report_junit *j, int64_t id, const char *kernel) {
    char name[48];
    snprintf(name, sizeof name, "launch %" PRId64, id);
    open_case(j, name, kernel);
}

static haul_status end_cases(const report_junit *j) {
    return j->cases.failed ? haul_no_memory("the report") : HAUL_OK;
}

haul_status report_junit_add(report_junit *j, const report_verdict *v) {
    open_launch(j, v->launch.id, v->kernel);
    add_findings(j, v);
    text_put(&j->cases, "  </testcase>\n");
    for (size_t i = 0; i < v->outcome_count; i++) add_expectation(j, v, &v->outcomes[i]);
    return end_cases(j);
}

haul_status report_junit_add_unrun(report_junit *j, const report_unrun *u) {
    open_launch(j, u->id, u->kernel);
    text_put(&j->cases, "    <error type=\"cannot-run\" message=\"");
    markup_put(&j->cases, u->reason);
    text_put(&j->cases, "\"/>\n  </testcase>\n");
    j->errors++;
    return end_cases(j);
}

haul_status report_junit_write(const report_junit *j, text *out) {
    text_printf(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n"
        "<testsuite name=\"haul check\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"0\">\n",
        j->tests, j->failures, j->errors, j->tests, j->failures, j->errors);
    text_put(out, text_string(&j->cases));
    text_put(out, "</testsuite>\n</testsuites>\n");
    return out->failed ? haul_no_memory("the report") : end_cases(j);
}
