/* The syntax of expectations and suppressions, and the message for each mistake. */
#include "report/check/rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const report_rule anywhere = {.file = "a.cu", .line = 7};

static void says(const char *words, const char *expected) {
    report_rules rules = {0};
    assert_int_equal(report_parse_rule(&rules, words, &anywhere), HAUL_OK);
    assert_int_equal(rules.count, 1);
    assert_string_equal(rules.items[0].text, expected);
    report_rules_free(&rules);
}

static void refuses(const char *words, const char *message) {
    report_rules rules = {0};
    assert_int_equal(report_parse_rule(&rules, words, &anywhere), HAUL_ERROR_SYNTAX);
    assert_string_equal(haul_message(), message);
    report_rules_free(&rules);
}

static void an_expectation_is_a_metric_an_operator_and_a_number(void **state) {
    (void)state;
    says("expect sectors/request <= 4", "sectors/request <= 4");
    says("  expect bank_conflicts==0", "bank_conflicts == 0");
    says("expect l1_hit >= 40%", "l1_hit >= 40%");
    says("expect l1_hit >= 40 % // warm from the second tile on", "l1_hit >= 40%");
    says("expect global_load sectors/request < 4.5 # one that straddles", "global_load sectors/request < 4.5");
    says("expect inst_global_ld != 1e3", "inst_global_ld != 1e3");
    says("expect no findings", "no findings");
}

static void commas_separate_expectations(void **state) {
    (void)state;
    report_rules rules = {0};
    assert_int_equal(report_parse_rule(&rules, "expect sectors <= 64, no findings,occupancy > 50%", &anywhere),
                     HAUL_OK);
    assert_int_equal(rules.count, 3);
    assert_true(rules.items[1].no_findings);
    assert_true(rules.items[2].metric.of_launch);
    report_rules_free(&rules);
}

static void what_to_ignore_is_a_kind_and_a_reason(void **state) {
    (void)state;
    report_rules rules = {0};
    assert_int_equal(report_parse_rule(&rules, "ignore race-* the count is only a hint", &anywhere), HAUL_OK);
    assert_string_equal(rules.items[0].text, "race-*");
    assert_string_equal(rules.items[0].reason, "the count is only a hint");
    assert_true(report_kind_matches("race-*", HAUL_FINDING_RACE_GLOBAL));
    assert_false(report_kind_matches("race-*", HAUL_FINDING_DEADLOCK));
    report_rules_free(&rules);
}

static void nonsense_gets_one_clear_line(void **state) {
    (void)state;
    refuses("", "a.cu:7: ``: a rule begins with `expect` or `ignore`");
    refuses("exepct x", "a.cu:7: `exepct x`: a rule begins with `expect` or `ignore`");
    refuses("expect", "a.cu:7: an expectation is `METRIC <= NUMBER` or `no findings`");
    refuses("expect no", "a.cu:7: expected `findings` after `no`");
    refuses("expect sector/request <= 4",
            "a.cu:7: no metric is called `sector/request`: did you mean `sectors/request`?");
    refuses("expect zzzzzzzz <= 4", "a.cu:7: no metric is called `zzzzzzzz`: docs/check.md lists them");
    refuses("expect sectors", "a.cu:7: expected one of <= < >= > == != after `sectors`");
    refuses("expect sectors =< 4", "a.cu:7: expected one of <= < >= > == != after `sectors`");
    refuses("expect sectors <= four", "a.cu:7: expected a number after `sectors <=`");
    refuses("expect sectors <= inf", "a.cu:7: expected a number after `sectors <=`");
    refuses("expect sectors <= 4%", "a.cu:7: `sectors` is not a percentage: leave out the %");
    refuses("expect l1_hit >= 0.4", "a.cu:7: `l1_hit` is a percentage: write % after the number");
    refuses("expect sectors <= 4 5", "a.cu:7: expected a comma or the end after `sectors <= 4`, not `5`");
    refuses("expect gloabl_load sectors <= 4",
            "a.cu:7: no group of instructions is called `gloabl_load`: did you mean `global_load`?");
    refuses("expect shared_load sectors <= 4",
            "a.cu:7: `shared_load sectors`: `sectors` is not counted for these instructions");
    refuses("expect global occupancy > 50%",
            "a.cu:7: `global occupancy`: `occupancy` is of the whole launch, not of some instructions");
    refuses("ignore", "a.cu:7: expected a kind of finding and a reason after `ignore`");
    refuses("ignore race-shraed x", "a.cu:7: no finding is called `race-shraed`: did you mean `race-shared`?");
}

static void what_is_of_a_launch_cannot_stand_at_a_line(void **state) {
    (void)state;
    report_rules rules = {0};
    report_rule at_line = anywhere;
    at_line.scope.first = at_line.scope.last = 7;
    assert_int_equal(report_parse_rule(&rules, "expect occupancy > 50%", &at_line), HAUL_ERROR_SYNTAX);
    assert_string_equal(haul_message(),
                        "a.cu:7: `occupancy` is of a whole launch: put it above the kernel, not at a line of it");
    report_rules_free(&rules);
}

/* ---- files ---- */

static haul_status read(report_rules *rules, const char *content, report_rule_kind usual) {
    *rules = (report_rules){0};
    return report_read_rules_text(rules, "rules.txt", content, strlen(content), usual);
}

static void a_file_has_a_rule_a_line(void **state) {
    (void)state;
    report_rules rules;
    assert_int_equal(read(&rules,
                          "# of every commit\n"
                          "\n"
                          "saxpy: sectors/request <= 4, no findings\n"
                          "row_* at src/*.cu:10-20: expect l1_hit > 0%\r\n"
                          "*: ignore race-same-value\n",
                          REPORT_RULE_EXPECT),
                     HAUL_OK);
    assert_int_equal(rules.count, 4);
    assert_string_equal(rules.items[0].scope.kernel, "saxpy");
    assert_int_equal(rules.items[0].line, 3);
    assert_string_equal(rules.items[2].scope.file, "src/*.cu");
    assert_int_equal(rules.items[2].scope.first, 10);
    assert_int_equal(rules.items[2].scope.last, 20);
    assert_int_equal(rules.items[3].kind, REPORT_RULE_IGNORE);
    report_rules_free(&rules);
}

static void a_file_of_suppressions_need_not_say_ignore(void **state) {
    (void)state;
    report_rules rules;
    assert_int_equal(read(&rules, "* at third_party/*: race-*  # theirs", REPORT_RULE_IGNORE), HAUL_OK);
    assert_string_equal(rules.items[0].text, "race-*");
    assert_string_equal(rules.items[0].reason, "theirs");
    assert_string_equal(rules.items[0].scope.file, "third_party/*");
    report_rules_free(&rules);
}

static void refuses_file(const char *content, const char *message) {
    report_rules rules;
    assert_int_equal(read(&rules, content, REPORT_RULE_EXPECT), HAUL_ERROR_SYNTAX);
    assert_string_equal(haul_message(), message);
    report_rules_free(&rules);
}

static void a_bad_line_of_a_file_is_named(void **state) {
    (void)state;
    refuses_file("\nno findings", "rules.txt:2: a rule is `KERNEL: expect ...` or `KERNEL at FILE:LINE: ignore ...`");
    refuses_file("a b: no findings",
                 "rules.txt:1: a rule is `KERNEL: expect ...` or `KERNEL at FILE:LINE: ignore ...`");
    refuses_file("k at f.cu:x: no findings", "rules.txt:1: expected a line, as 12, or lines, as 12-20, after `f.cu:`");
    refuses_file("k at f.cu:9-3: no findings",
                 "rules.txt:1: expected a line, as 12, or lines, as 12-20, after `f.cu:`");
    refuses_file("k: sectors", "rules.txt:1: expected one of <= < >= > == != after `sectors`");
}

/* ---- holding ---- */

static bool holds(const char *words, double value) {
    report_rules rules = {0};
    assert_int_equal(report_parse_rule(&rules, words, &anywhere), HAUL_OK);
    bool result = report_rule_holds(&rules.items[0], value);
    report_rules_free(&rules);
    return result;
}

static void operators_mean_what_they_say(void **state) {
    (void)state;
    assert_true(holds("expect sectors <= 4", 4) && !holds("expect sectors <= 4", 4.01));
    assert_true(holds("expect sectors >= 4", 4) && !holds("expect sectors >= 4", 3.99));
    assert_true(holds("expect sectors < 4", 3.99) && !holds("expect sectors < 4", 4));
    assert_true(holds("expect sectors > 4", 4.01) && !holds("expect sectors > 4", 4));
    assert_true(holds("expect sectors == 4", 4) && !holds("expect sectors == 4", 5));
    assert_true(holds("expect sectors != 4", 5) && !holds("expect sectors != 4", 4));
}

static void rounding_is_no_difference(void **state) {
    (void)state;
    assert_true(holds("expect sectors/request == 0.3", 0.1 + 0.2));
    assert_false(holds("expect sectors/request < 0.3", 0.1 * 3 - 1e-12));
    assert_true(holds("expect bank_conflicts == 0", 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_expectation_is_a_metric_an_operator_and_a_number),
        cmocka_unit_test(commas_separate_expectations),
        cmocka_unit_test(what_to_ignore_is_a_kind_and_a_reason),
        cmocka_unit_test(nonsense_gets_one_clear_line),
        cmocka_unit_test(what_is_of_a_launch_cannot_stand_at_a_line),
        cmocka_unit_test(a_file_has_a_rule_a_line),
        cmocka_unit_test(a_file_of_suppressions_need_not_say_ignore),
        cmocka_unit_test(a_bad_line_of_a_file_is_named),
        cmocka_unit_test(operators_mean_what_they_say),
        cmocka_unit_test(rounding_is_no_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
