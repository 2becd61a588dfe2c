/* Findings and expectations from records that are written down here: what is folded, ignored, held, and how each writer
 * puts it. No device takes part. */
#include "base/memory.h"
#include "checked.h"

/* ---- findings ---- */

static void a_clean_launch_passes(void **state) {
    report_verdict v = judge(*state);
    assert_true(report_verdict_passed(&v));
    assert_int_equal(v.finding_count, 0);
    assert_int_equal(v.outcome_count, 1);
    assert_string_equal(v.kernel, "ring");
    report_verdict_free(&v);
}

static void a_finding_stands_at_the_users_line(void **state) {
    fixture *f = *state;
    add(f, race);
    report_verdict v = judge(f);
    assert_false(report_verdict_passed(&v));
    assert_int_equal(v.findings[0].access.line, 5);
    assert_string_equal(v.findings[0].other.file, "ring.cu");
    assert_int_equal(v.findings[0].other.line, 4);
    report_verdict_free(&v);
}

static void without_line_information_the_ptx_is_the_place(void **state) {
    fixture *f = *state;
    f->instructions[1].place = (haul_source_place){0};
    add(f, race);
    report_verdict v = judge(f);
    assert_string_equal(v.findings[0].access.file, "ring.ptx");
    assert_int_equal(v.findings[0].access.line, 105);
    report_verdict_free(&v);
}

/* The bytes in common may be fewer than those of either access. */
static void an_access_is_as_wide_as_its_instruction(void **state) {
    const haul_finding_access wide = {.action = HAUL_ACTION_READ, .bytes = 16}, copy = {.action = HAUL_ACTION_WRITE};
    text out = {0};
    (void)state;
    report_put_access(&out, &race, &wide);
    text_put(&out, ", ");
    report_put_access(&out, &race, &copy);
    assert_string_equal(text_string(&out),
                        "read of 16 bytes by thread (0,0,0) of block (0,0,0), write of 4 bytes by thread (0,0,0) of "
                        "block (0,0,0)");
    text_free(&out);
}

static void advice_is_reported_and_does_not_count(void **state) {
    fixture *f = *state;
    add(f, same_value);
    f->findings[0].access.instruction = f->findings[0].other.instruction = 2;
    report_verdict v = judge(f);
    assert_true(report_verdict_passed(&v));
    assert_int_equal(v.grades[HAUL_GRADE_ADVICE], 1);
    report_verdict_free(&v);
}

static void the_grade_says_what_is_reported_and_counts(void **state) {
    fixture *f = *state;
    add(f, same_value);
    f->findings[0].access.instruction = f->findings[0].other.instruction = 2;
    f->checker.counted = HAUL_GRADE_ADVICE;
    report_verdict v = judge(f);
    assert_false(report_verdict_passed(&v));
    report_verdict_free(&v);
    f->checker.shown = f->checker.counted = HAUL_GRADE_ERROR;
    v = judge(f);
    assert_true(report_verdict_passed(&v));
    assert_int_equal(v.finding_count, 0);
    assert_int_equal(v.hidden, 1);
    report_verdict_free(&v);
}

/* ---- suppressions ---- */

static void a_comment_ignores_the_kind_at_its_line(void **state) {
    fixture *f = *state;
    f->checker.counted = HAUL_GRADE_ADVICE;
    add(f, same_value);
    report_verdict v = judge(f);
    assert_true(report_verdict_passed(&v));
    assert_int_equal(v.ignored, 1);
    assert_string_equal(v.findings[0].ignored_by->reason, "all write one");
    report_verdict_free(&v);
}

static bool is_ignored_by(fixture *f, const char *rules) {
    report_checker_free(&f->checker);
    report_checker_init(&f->checker, &f->sources, HAUL_GRADE_ADVICE, HAUL_GRADE_WARNING);
    add_rules(f, rules, REPORT_RULE_IGNORE);
    report_verdict v = judge(f);
    bool ignored = v.ignored == 1;
    report_verdict_free(&v);
    return ignored;
}

static void a_file_ignores_by_kind_kernel_and_place(void **state) {
    fixture *f = *state;
    add(f, race);
    assert_true(is_ignored_by(f, "*: race-shared"));
    assert_true(is_ignored_by(f, "r*: race-*"));
    assert_true(is_ignored_by(f, "ring at ring.cu: race-shared"));
    assert_true(is_ignored_by(f, "ring at *.cu:5: race-shared"));
    assert_true(is_ignored_by(f, "ring at ring.cu:3-4: race-shared"));
    assert_true(is_ignored_by(f, "ring at cuda_pipeline_primitives.h:40: race-shared"));
    assert_false(is_ignored_by(f, "*: race-global"));
    assert_false(is_ignored_by(f, "rings: race-shared"));
    assert_false(is_ignored_by(f, "ring at other.cu: race-shared"));
    assert_false(is_ignored_by(f, "ring at ring.cu:6: race-shared"));
}

/* ---- expectations ---- */

static const char *measured_of(fixture *f, const char *expectation, bool *holds) {
    static char measured[128];
    char rule[128];
    snprintf(rule, sizeof rule, "%s", expectation);
    report_checker_free(&f->checker);
    report_checker_init(&f->checker, &f->sources, HAUL_GRADE_ADVICE, HAUL_GRADE_WARNING);
    add_rules(f, rule, REPORT_RULE_EXPECT);
    report_verdict v = judge(f);
    strcpy(measured, "not held");
    for (size_t i = 0; i < v.outcome_count; i++) {
        if (v.outcomes[i].rule->in_source) continue;
        snprintf(measured, sizeof measured, "%s", v.outcomes[i].measured);
        *holds = v.outcomes[i].holds;
    }
    report_verdict_free(&v);
    return measured;
}

static void fails(fixture *f, const char *expectation, const char *measured) {
    bool holds = true;
    assert_string_equal(measured_of(f, expectation, &holds), measured);
    assert_false(holds);
}

static void passes(fixture *f, const char *expectation) {
    bool holds = false;
    measured_of(f, expectation, &holds);
    assert_true(holds);
}

static void expectations_are_held_against_the_traffic(void **state) {
    fixture *f = *state;
    passes(f, "ring: sectors/request == 3");
    passes(f, "ring: global_store sectors/request == 2.5");
    passes(f, "ring at ring.cu:6: sectors/request == 1");
    passes(f, "ring: bank_conflicts == 0");
    passes(f, "ring: lanes == 32");
    passes(f, "ring: no findings");
    fails(f, "ring: sectors/request <= 2", "3 measured, most at ring.cu:4");
    fails(f, "ring: global_store sectors/request > 3", "2.5 measured, least at ring.cu:6");
    fails(f, "ring at ring.cu:5: sectors < 16", "16 measured");
    fails(f, "ring: l1_hit >= 40%", "0% measured, least at ring.cu:4");
}

static void what_was_not_measured_does_not_hold(void **state) {
    fixture *f = *state;
    fails(f, "ring: local_load sectors/request <= 4", "not measured: no such access was executed there");
    fails(f, "ring at ring.cu:4-6: shared_atomic bank_conflicts == 0",
          "not measured: no such access was executed there");
    fails(f, "ring: inst_global_ld <= 4", "not measured: this run does not have it");
    f->record.ended_by = HAUL_ERROR_DEADLOCK;
    fails(f, "ring: sectors/request <= 4", "not measured: the launch did not end as it should");
}

static void other_kernels_and_places_are_not_held(void **state) {
    bool holds;
    assert_string_equal(measured_of(*state, "rings: sectors == 0", &holds), "not held");
    assert_string_equal(measured_of(*state, "* at other.cu: sectors == 0", &holds), "not held");
    assert_string_equal(measured_of(*state, "* at ring.cu:90: sectors == 0", &holds), "not held");
}

static void findings_fail_the_expectation_of_none(void **state) {
    fixture *f = *state;
    add(f, race);
    fails(f, "ring: no findings", "1 finding");
    passes(f, "ring at ring.cu:6: no findings");
}

/* ---- writers ---- */

static void the_text_shows_both_lines_of_the_source(void **state) {
    fixture *f = *state;
    text out = {0};
    add(f, race);
    report_verdict v = judge(f);
    assert_int_equal(report_put_check_text(&v, &f->sources, (report_terminal){0}, &out), HAUL_OK);
    assert_string_equal(
        text_string(&out),
        "ring.cu:5: error: race-shared in ring, launch 7\n"
        "  Thread (32,0,0) reads what thread (95,0,0) copies, with no barrier between\n"
        "  where: s + 380, in 512 bytes of shared memory\n"
        "  read of 4 bytes by thread (32,0,0) of block (0,0,0), ld.shared.f32 at ring.cu:5\n"
        "         4 |     copy(s + threadIdx.x, in + threadIdx.x);\n"
        "  >      5 |     out[threadIdx.x] = s[127 - threadIdx.x];\n"
        "           |                        ^\n"
        "  earlier: asynchronous write of 4 bytes by thread (95,0,0) of block (0,0,0), cp.async.ca.shared.global at "
        "ring.cu:4\n"
        "         3 |     __shared__ float s[128];\n"
        "  >      4 |     copy(s + threadIdx.x, in + threadIdx.x);\n"
        "    in toolchain/include/cuda_pipeline_primitives.h:40\n"
        "  why: Two threads use the same bytes of shared memory, at least one of them writes, and nothing\n"
        "       orders the two: their order differs from run to run.\n"
        "  cure: Put a barrier that includes both threads between the two accesses: __syncthreads(),\n"
        "        __syncwarp() within a warp, or an mbarrier that one arrives on and the other waits for.\n"
        "  concerns: 64 threads of 2 thread blocks\n"
        "\n");
    text_free(&out);
    report_verdict_free(&v);
}

/* The finding shows the first of three launches and names the others at the end. */
static void the_text_tells_of_a_finding_of_several_launches_once(void **state) {
    fixture *f = *state;
    text first = {0}, later = {0}, totals = {0};
    add(f, race);
    for (int64_t id = 7; id < 10; id++) {
        report_verdict v;
        const report_checked_launch launch = {.id = id, .record = &f->record, .module = "ring.ptx"};
        assert_int_equal(report_check_launch(&f->checker, &launch, &v), HAUL_OK);
        assert_int_equal(report_put_check_text(&v, &f->sources, (report_terminal){0}, id == 7 ? &first : &later),
                         HAUL_OK);
        assert_false(report_verdict_passed(&v));
        report_verdict_free(&v);
    }
    assert_int_equal(report_put_check_totals(&f->checker, &totals), HAUL_OK);
    assert_non_null(strstr(text_string(&first), "ring.cu:5: error: race-shared in ring, launch 7\n"));
    assert_int_equal(later.length, 0);
    assert_ptr_equal(strstr(text_string(&totals), "ring.cu:5: note: race-shared in ring: 2 more launches have it, "
                                                  "the last is launch 9\n"),
                     text_string(&totals));
    text_free(&first);
    text_free(&later);
    text_free(&totals);
}

static void the_text_of_a_failed_expectation_has_the_measured_value(void **state) {
    fixture *f = *state;
    text out = {0};
    add_rules(f, "ring at ring.cu:5: sectors <= 8\nnone: no findings\n", REPORT_RULE_EXPECT);
    report_verdict v = judge(f);
    assert_int_equal(report_put_check_text(&v, &f->sources, (report_terminal){0}, &out), HAUL_OK);
    assert_int_equal(report_put_check_totals(&f->checker, &out), HAUL_OK);
    assert_string_equal(text_string(&out),
                        "rules.txt:1: failed: expected sectors <= 8: 16 measured in ring, launch 7\n"
                        "\n"
                        "rules.txt:2: note: `expect no findings` was not checked: nothing that was launched is there\n"
                        "ring.cu:6: note: `ignore race-same-value` had nothing to ignore\n"
                        "1 launch: 0 errors, 0 warnings, 0 of advice; 1 of 2 expectations hold\n");
    text_free(&out);
    report_verdict_free(&v);
}

static const char *string_at(const json_t *object, const char *key) {
    return json_string_value(json_object_get(object, key));
}

static json_int_t integer_at(const json_t *object, const char *key) {
    return json_integer_value(json_object_get(object, key));
}

static void the_json_has_all_of_a_finding(void **state) {
    fixture *f = *state;
    json_t *line;
    add(f, race);
    report_verdict v = judge(f);
    assert_int_equal(report_check_json(&v, &line), HAUL_OK);
    assert_int_equal(integer_at(line, "id"), 7);
    assert_string_equal(string_at(line, "kernel"), "ring");
    json_t *finding = json_array_get(json_object_get(line, "findings"), 0);
    json_t *other = json_object_get(finding, "other");
    assert_string_equal(string_at(finding, "kind"), "race-shared");
    assert_string_equal(string_at(finding, "grade"), "error");
    assert_string_equal(string_at(finding, "file"), "ring.cu");
    assert_int_equal(integer_at(finding, "line"), 5);
    assert_int_equal(integer_at(finding, "count"), 64);
    assert_int_equal(integer_at(finding, "blocks"), 2);
    assert_string_equal(string_at(finding, "address"), "0x17c");
    assert_string_equal(string_at(other, "action"), "asynchronous write");
    assert_int_equal(integer_at(other, "line"), 4);
    assert_int_equal(json_array_size(json_object_get(other, "chain")), 2);
    assert_int_equal(json_array_size(json_object_get(line, "expectations")), 1);
    json_decref(line);
    report_verdict_free(&v);
}

static void the_json_has_nulls_where_nothing_is_known(void **state) {
    fixture *f = *state;
    json_t *line;
    add(f, (haul_finding){.kind = HAUL_FINDING_LAUNCH_LIMIT, .count = 1, .what = "1025 threads"});
    report_verdict v = judge(f);
    assert_int_equal(report_check_json(&v, &line), HAUL_OK);
    json_t *finding = json_array_get(json_object_get(line, "findings"), 0);
    assert_true(json_is_null(json_object_get(finding, "file")));
    assert_true(json_is_null(json_object_get(finding, "line")));
    assert_true(json_is_null(json_object_get(finding, "thread")));
    assert_null(json_object_get(finding, "other"));
    json_decref(line);
    report_verdict_free(&v);
}

static void junit_has_a_case_for_each_launch_and_expectation(void **state) {
    fixture *f = *state;
    report_junit junit = {0};
    text out = {0};
    add_rules(f, "ring: sectors < 9 // \"<few>\"\n", REPORT_RULE_EXPECT);
    add(f, same_value);
    f->findings[0].kind = HAUL_FINDING_TRAP;
    f->findings[0].grade = HAUL_GRADE_ERROR;
    f->findings[0].other.action = HAUL_ACTION_NONE;
    report_verdict v = judge(f);
    assert_int_equal(report_junit_add(&junit, &v), HAUL_OK);
    assert_int_equal(report_junit_write(&junit, &out), HAUL_OK);
    assert_string_equal(
        text_string(&out),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites tests=\"3\" failures=\"2\" errors=\"0\">\n"
        "<testsuite name=\"haul check\" tests=\"3\" failures=\"2\" errors=\"0\" skipped=\"0\">\n"
        "  <testcase classname=\"ring\" name=\"launch 7\">\n"
        "    <failure type=\"trap\" message=\"The kernel executed a trap, as a failed assertion does.\">"
        "ring.cu:6: error: trap: The kernel executed a trap, as a failed assertion does.\n"
        "write of 4 bytes by thread (1,0,0) of block (0,0,0)\n"
        "why: The kernel executed a trap, as a failed assertion does.\n"
        "cure: Check what the kernel printed before.\n"
        "concerns: 127 threads of 1 thread block\n"
        "</failure>\n"
        "  </testcase>\n"
        "  <testcase classname=\"ring\" name=\"launch 7: rules.txt:1: expect sectors &lt; 9\">\n"
        "    <failure type=\"expectation\" message=\"36 measured, most at ring.cu:4\">"
        "rules.txt:1: expected sectors &lt; 9: 36 measured, most at ring.cu:4</failure>\n"
        "  </testcase>\n"
        "  <testcase classname=\"ring\" name=\"launch 7: ring.cu:1: expect sectors/request &lt;= 4\">\n"
        "  </testcase>\n"
        "</testsuite>\n</testsuites>\n");
    text_free(&out);
    report_junit_free(&junit);
    report_verdict_free(&v);
}

static json_t *sarif_of(fixture *f, int times) {
    report_sarif sarif;
    text out = {0};
    assert_int_equal(report_sarif_init(&sarif, &f->sources), HAUL_OK);
    for (int i = 0; i < times; i++) {
        report_verdict v = judge(f);
        assert_int_equal(report_sarif_add(&sarif, &v), HAUL_OK);
        report_verdict_free(&v);
    }
    assert_int_equal(report_sarif_write(&sarif, &out), HAUL_OK);
    json_t *log = json_loads(text_string(&out), 0, NULL);
    assert_non_null(log);
    report_sarif_free(&sarif);
    text_free(&out);
    return log;
}

static void sarif_names_places_relative_to_the_folder(void **state) {
    fixture *f = *state;
    char *before = getcwd(NULL, 0);
    add(f, race);
    assert_int_equal(chdir(f->folder), 0);
    json_t *log = sarif_of(f, 1), *run = json_array_get(json_object_get(log, "runs"), 0);
    json_t *result = json_array_get(json_object_get(run, "results"), 0), *location, *related;
    const char *uri = NULL, *level = NULL, *related_uri = NULL;
    json_int_t line = 0, column = 0, related_line = 0;
    assert_int_equal(json_unpack(result, "{s:s, s:[o!], s:[o]}", "level", &level, "locations", &location,
                                 "relatedLocations", &related),
                     0);
    assert_int_equal(json_unpack(location, "{s:{s:{s:s}, s:{s:I, s:I}}}", "physicalLocation", "artifactLocation", "uri",
                                 &uri, "region", "startLine", &line, "startColumn", &column),
                     0);
    assert_int_equal(json_unpack(related, "{s:{s:{s:s}, s:{s:I}}}", "physicalLocation", "artifactLocation", "uri",
                                 &related_uri, "region", "startLine", &related_line),
                     0);
    assert_string_equal(level, "error");
    assert_string_equal(uri, "ring.cu");
    assert_int_equal(line, 5);
    assert_int_equal(column, 21);
    assert_string_equal(related_uri, "ring.cu");
    assert_int_equal(related_line, 4);
    assert_int_equal(chdir(before), 0);
    free(before);
    json_decref(log);
}

static void sarif_has_one_result_for_findings_that_are_alike(void **state) {
    fixture *f = *state;
    add(f, race);
    json_t *log = sarif_of(f, 3), *run = json_array_get(json_object_get(log, "runs"), 0);
    json_t *results = json_object_get(run, "results");
    assert_int_equal(json_array_size(results), 1);
    assert_int_equal(integer_at(json_array_get(results, 0), "occurrenceCount"), 3 * 64);
    json_decref(log);
}

static void sarif_keeps_what_was_ignored_as_suppressed(void **state) {
    fixture *f = *state;
    const char *kind = NULL, *why = NULL;
    add(f, same_value);
    json_t *log = sarif_of(f, 1);
    assert_int_equal(json_unpack(log, "{s:[{s:[{s:[{s:s, s:s}]}]}]}", "runs", "results", "suppressions", "kind", &kind,
                                 "justification", &why),
                     0);
    assert_string_equal(kind, "inSource");
    assert_string_equal(why, "all write one");
    json_decref(log);
}

/* Each rule that a result names is described, at the index that it says. */
static void sarif_describes_its_rules(void **state) {
    fixture *f = *state;
    add(f, race);
    add_rules(f, "ring: sectors < 9\n", REPORT_RULE_EXPECT);
    json_t *log = sarif_of(f, 1), *run = json_array_get(json_object_get(log, "runs"), 0), *result;
    json_t *rules = json_object_get(json_object_get(json_object_get(run, "tool"), "driver"), "rules");
    size_t i;
    assert_int_equal(json_array_size(rules), HAUL_FINDING_COUNT + 1);
    assert_int_equal(json_array_size(json_object_get(run, "results")), 2);
    json_array_foreach(json_object_get(run, "results"), i, result) {
        json_t *rule = json_array_get(rules, (size_t)integer_at(result, "ruleIndex"));
        assert_string_equal(string_at(rule, "id"), string_at(result, "ruleId"));
    }
    json_decref(log);
}

/* ---- without memory ---- */

static haul_status check_and_write(fixture *f, text *out) {
    report_verdict v;
    report_junit junit = {0};
    json_t *line = NULL;
    const report_checked_launch launch = {.id = 7, .record = &f->record, .module = "ring.ptx"};
    haul_status status = report_check_launch(&f->checker, &launch, &v);
    if (status == HAUL_OK) status = report_put_check_text(&v, &f->sources, (report_terminal){0}, out);
    if (status == HAUL_OK) status = report_put_check_totals(&f->checker, out);
    if (status == HAUL_OK) status = report_check_json(&v, &line);
    if (status == HAUL_OK) status = report_junit_add(&junit, &v);
    if (status == HAUL_OK) status = report_junit_write(&junit, out);
    json_decref(line);
    report_junit_free(&junit);
    report_verdict_free(&v);
    return status;
}

/* A source that could not be kept counts as one that is not there; anything else is said. */
static void each_missing_allocation_is_survived(void **state) {
    fixture *f = *state;
    haul_status status = HAUL_ERROR_OUT_OF_MEMORY;
    size_t failures = 0;
    add(f, race);
    add(f, same_value);
    for (size_t n = 1; n < 200; n++) {
        text out = {0};
        report_checker_free(&f->checker);
        report_sources_free(&f->sources);
        report_sources_init(&f->sources, f->folders, 1);
        report_checker_init(&f->checker, &f->sources, HAUL_GRADE_ADVICE, HAUL_GRADE_WARNING);
        memory_fail_after(n);
        status = check_and_write(f, &out);
        memory_fail_after(0);
        text_free(&out);
        assert_true(status == HAUL_OK || status == HAUL_ERROR_OUT_OF_MEMORY);
        failures += status != HAUL_OK;
    }
    assert_int_equal(status, HAUL_OK);
    assert_true(failures > 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_clean_launch_passes),
        TEST(a_finding_stands_at_the_users_line),
        TEST(without_line_information_the_ptx_is_the_place),
        TEST(an_access_is_as_wide_as_its_instruction),
        TEST(advice_is_reported_and_does_not_count),
        TEST(the_grade_says_what_is_reported_and_counts),
        TEST(a_comment_ignores_the_kind_at_its_line),
        TEST(a_file_ignores_by_kind_kernel_and_place),
        TEST(expectations_are_held_against_the_traffic),
        TEST(what_was_not_measured_does_not_hold),
        TEST(other_kernels_and_places_are_not_held),
        TEST(findings_fail_the_expectation_of_none),
        TEST(the_text_shows_both_lines_of_the_source),
        TEST(the_text_tells_of_a_finding_of_several_launches_once),
        TEST(the_text_of_a_failed_expectation_has_the_measured_value),
        TEST(the_json_has_all_of_a_finding),
        TEST(the_json_has_nulls_where_nothing_is_known),
        TEST(junit_has_a_case_for_each_launch_and_expectation),
        TEST(sarif_names_places_relative_to_the_folder),
        TEST(sarif_has_one_result_for_findings_that_are_alike),
        TEST(sarif_keeps_what_was_ignored_as_suppressed),
        TEST(sarif_describes_its_rules),
        TEST(each_missing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
