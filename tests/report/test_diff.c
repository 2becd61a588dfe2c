/* The comparison of two snapshots: code without comments, matching of lines and launches, limits, baselines. */
#include "report/diff/align.h"
#include "report/diff/diff.h"
#include "synthetic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* ---- code ---- */

static void comments_and_blanks_are_no_code(void **state) {
    (void)state;
    arena memory = {0};
    const report_code code = report_code_of(&memory, "int  a; // one\n/* two\n three */ int b;\n\n"
                                                     "s = \"// no /* comment\"; c = '\"'; d = 1'000; // four\n");
    assert_int_equal(code.count, 6);
    assert_string_equal(code.lines[0], "int a;");
    assert_string_equal(code.lines[1], "");
    assert_string_equal(code.lines[2], "int b;");
    assert_string_equal(code.lines[3], "");
    assert_string_equal(code.lines[4], "s = \"// no /* comment\"; c = '\"'; d = 1'000;");
    assert_string_equal(report_code_of_ptx(&memory, "ld.global.f32 %f12, [%rd4+4];"), "ld.global.f32 %f, [%rd+4];");
    arena_free(&memory);
}

static void blanks_do_not_distinguish_lines(void **state) {
    (void)state;
    assert_true(report_code_equal("a = b+c;", "a=b + c;"));
    assert_false(report_code_equal("a = b+c;", "a = b+d;"));
    assert_false(report_code_equal("a = b", "a = b;"));
    assert_true(report_code_likeness("y[i] = x[i];", "y[i] = x[i + 1];") > 0.6);
    assert_true(report_code_likeness("y[i] = x[i];", "__syncthreads()") < 0.2);
}

/* ---- alignment ---- */

/* The length of a longest common subsequence, by the textbook's table. */
static size_t longest(const char *const *a, size_t n, const char *const *b, size_t m) {
    size_t table[33][33] = {0};
    for (size_t i = n; i-- > 0;)
        for (size_t k = m; k-- > 0;) {
            const size_t skip = table[i + 1][k] > table[i][k + 1] ? table[i + 1][k] : table[i][k + 1];
            table[i][k] = *a[i] == *b[k] ? table[i + 1][k + 1] + 1 : skip;
        }
    return table[0][0];
}

static void alignment_is_a_longest_common_subsequence(void **state) {
    (void)state;
    static const char *const words[] = {"a", "b", "c", "d"};
    unsigned seed = 1;
    for (int round = 0; round < 2000; round++) {
        const char *a[32], *b[32];
        size_t match[32], n = (size_t)rand_r(&seed) % 32, m = (size_t)rand_r(&seed) % 32, matched = 0, last = 0;
        arena scratch = {0};
        for (size_t i = 0; i < n; i++) a[i] = words[rand_r(&seed) % 4];
        for (size_t i = 0; i < m; i++) b[i] = words[rand_r(&seed) % 4];
        align_equal(a, n, b, m, match, &scratch);
        for (size_t i = 0; i < n; i++) {
            if (match[i] == ALIGN_NONE) continue;
            assert_true(match[i] < m && match[i] >= last && *a[i] == *b[match[i]]);
            last = match[i] + 1;
            matched++;
        }
        assert_int_equal(matched, longest(a, n, b, m));
        arena_free(&scratch);
    }
}

/* ---- snapshots ---- */

static report_snapshot read(const char *json) {
    report_snapshot s = {0};
    assert_true(report_is_snapshot(json, strlen(json)));
    assert_int_equal(report_snapshot_read(&s, "test", json, strlen(json)), HAUL_OK);
    return s;
}

/* A line of haul profile --json with `lines`, of which each is FILE:LINE, code, and sectors of 10 requests. */
typedef struct source_line {
    const char *code;
    int line, sectors;
} source_line;

static report_snapshot snapshot_of(const char *kernel, const source_line *lines, size_t count) {
    text json = {0};
    text_printf(&json, "{\"kernel\":\"%s\",\"counters\":{\"inst_executed\":100},\"lines\":[", kernel);
    for (size_t i = 0; i < count; i++)
        text_printf(&json,
                    "%s{\"file\":\"k.cu\",\"line\":%d,\"code\":\"%s\",\"class\":\"Global Load\",\"traffic\":"
                    "{\"instructions\":10,\"requests\":10,\"ideal_sectors\":40,\"threads\":320,\"sectors\":%d}}",
                    i ? "," : "", lines[i].line, lines[i].code, lines[i].sectors);
    text_put(&json, "]}\n");
    const report_snapshot s = read(text_string(&json));
    text_free(&json);
    return s;
}
#define LINES(...) (const source_line[]){__VA_ARGS__}, sizeof((source_line[]){__VA_ARGS__}) / sizeof(source_line)

typedef struct comparison {
    report_limit limit;
    report_snapshot before, after;
    report_diff diff;
    report_breaches breaches;
} comparison;

static comparison compare(report_snapshot before, report_snapshot after) {
    return (comparison){.before = before, .after = after};
}

static void end(comparison *c) {
    report_breaches_free(&c->breaches);
    report_diff_free(&c->diff);
    report_snapshot_free(&c->before);
    report_snapshot_free(&c->after);
}

static void run(comparison *c) {
    assert_int_equal(report_diff_make(&c->diff, &c->before, &c->after), HAUL_OK);
}

/* Runs with one limit and returns how often it is exceeded. */
static size_t breaches_of(comparison *c, const char *limit) {
    run(c);
    assert_int_equal(report_read_limit(limit, &c->limit), HAUL_OK);
    assert_int_equal(report_judge(&c->diff, &c->limit, 1, false, &c->breaches), HAUL_OK);
    return c->breaches.count;
}

static void lines_that_moved_are_the_same(void **state) {
    (void)state;
    comparison c = compare(snapshot_of("k", LINES({"a = x[i];", 3, 40}, {"b = y[i];", 4, 80})),
                           snapshot_of("k", LINES({"a = x[i];", 13, 40}, {"b = y[i];", 24, 80})));
    run(&c);
    assert_int_equal(c.diff.changed, 0);
    end(&c);
}

static void functions_that_changed_places_are_the_same(void **state) {
    (void)state;
    comparison c = compare(snapshot_of("k", LINES({"a = x[i];", 3, 40}, {"b = y[i];", 14, 80})),
                           snapshot_of("k", LINES({"b = y[i];", 3, 80}, {"a = x[i];", 14, 40})));
    run(&c);
    assert_int_equal(c.diff.changed, 0);
    end(&c);
}

static void an_edited_line_is_compared_with_itself(void **state) {
    (void)state;
    comparison c =
        compare(snapshot_of("k", LINES({"a = x[i];", 3, 40}, {"b = y[i];", 4, 40}, {"c = z[i];", 5, 40})),
                snapshot_of("k", LINES({"a = x[i];", 3, 40}, {"b = y[i + 1];", 6, 50}, {"c = z[i];", 7, 40})));
    assert_int_equal(breaches_of(&c, "sectors/request>0"), 1);
    const report_breach *b = &c.breaches.items[0];
    assert_int_equal(b->line->before->line, 4);
    assert_int_equal(b->line->after->line, 6);
    assert_true(b->of_line && b->change.before == 4 && b->change.after == 5);
    text line = {0};
    report_put_breach(b, &line);
    assert_string_equal(text_string(&line), "k.cu:6: k: sectors/request grew from 4.00 to 5.00 (+25.0%): more than "
                                            "--fail-on 'sectors/request>0' allows: `b = y[i + 1];`");
    text_free(&line);
    end(&c);
}

static void a_line_that_was_split_is_judged_by_the_sum(void **state) {
    (void)state;
    comparison c = compare(snapshot_of("k", LINES({"a = x[i] + y[i];", 3, 80})),
                           snapshot_of("k", LINES({"a = x[i];", 3, 40}, {"a += y[i];", 4, 40})));
    assert_int_equal(breaches_of(&c, "sectors>0"), 0);
    end(&c);
    c = compare(snapshot_of("k", LINES({"a = x[i] + y[i];", 3, 80})),
                snapshot_of("k", LINES({"a = x[i];", 3, 40}, {"a += y[i];", 4, 50})));
    assert_int_equal(breaches_of(&c, "sectors>2%"), 1);
    assert_int_equal(c.breaches.items[0].line->after->line, 4);
    assert_false(c.breaches.items[0].of_line);
    end(&c);
}

static void limits_are_absolute_or_of_the_value_before(void **state) {
    (void)state;
    static const struct {
        const char *limit;
        size_t breaches;
    } cases[] = {
        {"sectors>2%", 1},
        {"sectors>25%", 0},
        {"sectors > 24.9 %", 1},
        {"sectors>10", 0},
        {"sectors>9", 1},
        {"sectors<0", 0},
        {"global_load sectors>0", 1},
        {"sector_use<10", 1},
        {"sector_use<20", 0},
        {"inst_executed>0", 0},
        {"global_load sectors/request>0", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        comparison c =
            compare(snapshot_of("k", LINES({"a = x[i];", 3, 40})), snapshot_of("k", LINES({"a = x[i];", 3, 50})));
        assert_int_equal(breaches_of(&c, cases[i].limit), cases[i].breaches);
        end(&c);
    }
}

static void malformed_limits_are_refused(void **state) {
    (void)state;
    static const char *const wrong[] = {"",
                                        "sectors",
                                        "sectors>",
                                        "sectors>x",
                                        "sectors>-1",
                                        "sectors>1%%",
                                        "sectors>1 2",
                                        ">1",
                                        "a b c>1",
                                        "nothing sectors>1",
                                        "global_load occupancy>1",
                                        "findings>1%",
                                        "outputs<1",
                                        "sectors>inf",
                                        "sectors>nan",
                                        "sectors=1"};
    report_limit limit;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(report_read_limit(wrong[i], &limit), HAUL_ERROR_ARGUMENT);
}

static void a_limit_on_what_no_launch_has_is_refused(void **state) {
    (void)state;
    static const char *const wrong[] = {"findings>0", "outputs>0", "sektors>0", "us>0"};
    comparison c = compare(snapshot_of("k", LINES({"a", 1, 1})), snapshot_of("k", LINES({"a", 1, 1})));
    report_limit limit;
    run(&c);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(report_read_limit(wrong[i], &limit), HAUL_OK);
        assert_int_equal(report_judge(&c.diff, &limit, 1, false, &c.breaches), HAUL_ERROR_ARGUMENT);
        report_breaches_free(&c.breaches);
    }
    end(&c);
}

static void launches_are_matched_by_kernel_and_shape(void **state) {
    (void)state;
    comparison c =
        compare(read("{\"kernel\":\"a\",\"grid\":[1,1,1],\"block\":[32,1,1],\"counters\":{\"inst_executed\":1}}\n"
                     "{\"kernel\":\"a\",\"grid\":[2,1,1],\"block\":[32,1,1],\"counters\":{\"inst_executed\":2}}\n"
                     "{\"kernel\":\"gone\",\"grid\":[2,1,1],\"block\":[32,1,1],\"counters\":{\"inst_executed\":3}}\n"),
                read("{\"kernel\":\"a\",\"grid\":[2,1,1],\"block\":[32,1,1],\"counters\":{\"inst_executed\":2}}\n"
                     "{\"kernel\":\"new\",\"grid\":[2,1,1],\"block\":[32,1,1],\"counters\":{\"inst_executed\":3}}\n"
                     "{\"kernel\":\"a\",\"grid\":[1,1,1],\"block\":[32,1,1],\"counters\":{\"inst_executed\":9}}\n"));
    run(&c);
    assert_int_equal(c.diff.launch_count, 4);
    assert_false(c.diff.launches[0].changed);
    assert_null(c.diff.launches[1].before);
    assert_true(c.diff.launches[2].values[0].before == 1 && c.diff.launches[2].values[0].after == 9);
    assert_null(c.diff.launches[3].after);
    assert_int_equal(report_judge(&c.diff, NULL, 0, true, &c.breaches), HAUL_OK);
    assert_int_equal(c.breaches.count, 2);
    end(&c);
}

static void instances_of_a_template_are_told_apart(void **state) {
    (void)state;
    comparison c = compare(read("{\"kernel\":\"_Z4copyIfEvPT_\",\"counters\":{\"inst_executed\":1}}\n"
                                "{\"kernel\":\"_Z4copyIdEvPT_\",\"counters\":{\"inst_executed\":2}}\n"),
                           read("{\"kernel\":\"_Z4copyIdEvPT_\",\"counters\":{\"inst_executed\":2}}\n"
                                "{\"kernel\":\"_Z4copyIfEvPT_\",\"counters\":{\"inst_executed\":1}}\n"));
    run(&c);
    assert_int_equal(c.diff.changed, 0);
    assert_string_equal(c.after.launches[0].kernel, "copy");
    end(&c);
}

static void measured_times_differ_if_their_ranges_do(void **state) {
    (void)state;
    static const char form[] = "{\"kernel\":\"k\",\"counters\":{},\"us\":%g,\"us_low\":%g,\"us_high\":%g}\n";
    static const double cases[][3] = {{
                                          10.5,
                                          10.2,
                                          11,
                                      },
                                      {12, 11.5, 13}};
    for (size_t i = 0; i < 2; i++) {
        char before[128], after[128];
        snprintf(before, sizeof before, form, 10.0, 9.5, 10.4);
        snprintf(after, sizeof after, form, cases[i][0], cases[i][1], cases[i][2]);
        comparison c = compare(read(before), read(after));
        assert_int_equal(breaches_of(&c, "us>1%"), i);
        end(&c);
    }
}

static void findings_follow_their_code(void **state) {
    (void)state;
    static const char form[] =
        "{\"kernel\":\"k\",\"findings\":[{\"kind\":\"race-shared\",\"file\":\"k.cu\",\"line\":%d,"
        "\"code\":\"%s\",\"count\":4,\"what\":\"\"}]}\n";
    char before[256], moved[256], other[256];
    snprintf(before, sizeof before, form, 3, "s[t] = x;");
    snprintf(moved, sizeof moved, form, 9, "s[t] = x;");
    snprintf(other, sizeof other, form, 3, "y = s[t + 1];");
    comparison c = compare(read(before), read(moved));
    assert_int_equal(breaches_of(&c, "findings>0"), 0);
    end(&c);
    c = compare(read(before), read(other));
    assert_int_equal(breaches_of(&c, "findings>0"), 1);
    end(&c);
}

static void a_baseline_is_read_as_it_was_written(void **state) {
    (void)state;
    report_snapshot s =
        read("{\"kernel\":\"b\",\"grid\":[4,1,1],\"block\":[32,1,1],\"counters\":{\"inst_executed\":7,"
             "\"inst_global_ld\":0},\"estimate_us\":3.14159265,\"args\":[{\"buf\":\"f01\",\"after\":\"12\"}],"
             "\"lines\":[{\"file\":\"k.cu\",\"line\":7,\"code\":\"a = \\\"\\u00e9\\\";\",\"class\":"
             "\"Global Load\",\"traffic\":{\"instructions\":1,\"sectors\":4}},{\"file\":\"k.cu\",\"line\":7,"
             "\"code\":\"a = \\\"\\u00e9\\\";\",\"class\":\"Global Store\",\"traffic\":{\"instructions\":1}}]}\n"
             "{\"kernel\":\"a\",\"grid\":[1,1,1],\"block\":[32,1,1],\"counters\":{\"inst_executed\":1}}\n");
    text first = {0}, second = {0};
    assert_int_equal(report_snapshot_write(&s, &first), HAUL_OK);
    comparison c = compare(read(text_string(&first)), s);
    run(&c);
    assert_string_equal(c.before.launches[0].kernel, "a");
    assert_int_equal(c.before.launches[1].line_count, 1);
    assert_int_equal(c.diff.changed, 0);
    assert_int_equal(report_snapshot_write(&c.before, &second), HAUL_OK);
    assert_string_equal(text_string(&first), text_string(&second));
    assert_null(strstr(text_string(&first), "\"line\""));
    text_free(&first);
    text_free(&second);
    end(&c);
}

static void rows_of_reports_are_compared_by_their_names(void **state) {
    (void)state;
    static const char form[] = "{\"report\":\"lab\",\"facts\":{\"name\":\"sim:h100\"},\"sections\":[{\"title\":"
                               "\"Strides\",\"tables\":[{\"name\":"
                               "\"loads\",\"columns\":[{\"key\":\"stride\",\"unit\":\"count\"},{\"key\":\"used\","
                               "\"unit\":\"percent\"}],\"rows\":["
                               "{\"stride\":1,\"used\":100},{\"stride\":2,\"used\":%d}]}]}]}";
    char before[512], after[512];
    snprintf(before, sizeof before, form, 50);
    snprintf(after, sizeof after, form, 25);
    comparison c = compare(read(before), read(after));
    assert_int_equal(breaches_of(&c, "used<10"), 1);
    assert_string_equal(c.breaches.items[0].launch->after->kernel, "Strides, loads: stride 2");
    end(&c);
}

static void sums_behind_the_launches_are_skipped(void **state) {
    (void)state;
    report_snapshot s = read("{\"kernel\":\"k\",\"counters\":{}}\n{\"kernels\":1,\"launches\":4}\n");
    assert_int_equal(s.launch_count, 1);
    report_snapshot_free(&s);
}

static void launches_to_run_are_no_results(void **state) {
    (void)state;
    static const char *const others[] = {"", "{}", "[1]", "nonsense", "{\"kernel\":\"k\",\"grid\":[1,1,1]}"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(report_is_snapshot(others[i], strlen(others[i])));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comments_and_blanks_are_no_code),
        cmocka_unit_test(blanks_do_not_distinguish_lines),
        cmocka_unit_test(alignment_is_a_longest_common_subsequence),
        cmocka_unit_test(lines_that_moved_are_the_same),
        cmocka_unit_test(functions_that_changed_places_are_the_same),
        cmocka_unit_test(an_edited_line_is_compared_with_itself),
        cmocka_unit_test(a_line_that_was_split_is_judged_by_the_sum),
        cmocka_unit_test(limits_are_absolute_or_of_the_value_before),
        cmocka_unit_test(malformed_limits_are_refused),
        cmocka_unit_test(a_limit_on_what_no_launch_has_is_refused),
        cmocka_unit_test(launches_are_matched_by_kernel_and_shape),
        cmocka_unit_test(instances_of_a_template_are_told_apart),
        cmocka_unit_test(measured_times_differ_if_their_ranges_do),
        cmocka_unit_test(findings_follow_their_code),
        cmocka_unit_test(a_baseline_is_read_as_it_was_written),
        cmocka_unit_test(rows_of_reports_are_compared_by_their_names),
        cmocka_unit_test(sums_behind_the_launches_are_skipped),
        cmocka_unit_test(launches_to_run_are_no_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
