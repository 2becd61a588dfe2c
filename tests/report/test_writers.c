/* One small document through every writer. */
#include "base/memory.h"
#include "report/document.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const report_column columns[] = {
    {"stride", "Stride", REPORT_COUNT, NULL},
    {"kernel", "Kernel", REPORT_TEXT, "the \"kernel\""},
    {"sectors", "Sectors", REPORT_COUNT, NULL},
    {"hit", "Hit Rate", REPORT_PERCENT, NULL},
};

static report_table *last_table;
static report_chart *last_chart;

static void add_chart(report_section *s) {
    last_chart = report_add_chart(s, "curve", "Sectors < wavefronts", REPORT_LINES,
                                  (report_axis){"stride", REPORT_LOG2, REPORT_COUNT},
                                  (report_axis){"sectors", REPORT_LINEAR, REPORT_COUNT});
    report_series *series = report_add_series(last_chart, "sectors & more", REPORT_SOLID);
    report_add_point(series, 1, 4);
    report_add_point(series, 8, 32);
    report_series *ideal = report_add_series(last_chart, "ideal", REPORT_DASHED);
    report_add_point(ideal, 0, 4); /* zero has no place on a logarithmic axis */
    report_add_point(ideal, 8, 4);
}

static report_document *make(void) {
    report_document *d = report_document_new("lab", "A <lab>");
    report_add_fact(d, "device", "Device", "sim:%s", "h100");
    report_section *s = report_add_section(d, "strides", "Strides & more");
    report_add_paragraph(s, "Look at %s.", "sectors");
    report_table *t = last_table = report_add_table(s, "loads", "Loads", columns, 4);
    report_add_row(t);
    report_add_number(t, 1), report_add_text(t, "copy, \"plain\""), report_add_number(t, 4096),
        report_add_number(t, 50);
    report_add_row(t);
    report_add_empty(t), report_add_text(t, "Total"), report_add_number(t, 1234567), report_add_number(t, NAN);
    report_set_row_tone(t, REPORT_STRONG);
    add_chart(s);
    report_add_note(s, REPORT_WARNING, "wasteful");
    report_check(s, true, "right");
    report_check(s, false, "wrong");
    return d;
}

static void text_has_aligned_tables(void **state) {
    (void)state;
    report_document *d = make();
    text out = {0};
    assert_int_equal(report_write_text(d, (report_terminal){0}, &out), HAUL_OK);
    assert_string_equal(text_string(&out), "A <lab>\n"
                                           "  Device      sim:h100\n"
                                           "\n"
                                           "== Strides & more\n"
                                           "\n"
                                           "Look at sectors.\n"
                                           "\n"
                                           "Loads\n"
                                           "Stride  Kernel           Sectors  Hit Rate\n"
                                           "------------------------------------------\n"
                                           "     1  copy, \"plain\"      4,096     50.0%\n"
                                           "        Total          1,234,567         -\n"
                                           "\n"
                                           "  * wasteful\n"
                                           "\n"
                                           "  ok      right\n"
                                           "  FAILED  wrong\n"
                                           "\n");
    text_free(&out);
    report_document_free(d);
}

static void a_table_wider_than_the_terminal_comes_in_parts(void **state) {
    (void)state;
    report_document *d = make();
    text out = {0};
    assert_int_equal(report_write_table(last_table, (report_terminal){.width = 30}, &out), HAUL_OK);
    assert_string_equal(text_string(&out), "Stride  Kernel\n"
                                           "---------------------\n"
                                           "     1  copy, \"plain\"\n"
                                           "        Total\n"
                                           "\n"
                                           "Stride    Sectors  Hit Rate\n"
                                           "---------------------------\n"
                                           "     1      4,096     50.0%\n"
                                           "        1,234,567         -\n");
    text_free(&out);
    report_document_free(d);
}

static void columns_that_hold_nothing_are_left_out(void **state) {
    (void)state;
    report_document *d = report_document_new("d", "d");
    report_table *t = report_add_table(report_add_section(d, "s", "S"), "t", NULL, columns, 4);
    report_add_row(t);
    report_add_number(t, 1), report_add_empty(t), report_add_number(t, 2), report_add_number(t, NAN);
    text out = {0};
    assert_int_equal(report_write_table(t, (report_terminal){0}, &out), HAUL_OK);
    assert_string_equal(text_string(&out), "Stride  Sectors\n"
                                           "---------------\n"
                                           "     1        2\n");
    text_clear(&out);
    assert_int_equal(report_write_html(d, &out), HAUL_OK);
    assert_null(strstr(text_string(&out), "Hit Rate"));
    text_free(&out);
    report_document_free(d);
}

static void csv_quotes_and_keeps_full_numbers(void **state) {
    (void)state;
    report_document *d = make();
    text out = {0};
    assert_int_equal(report_write_csv(last_table, &out), HAUL_OK);
    assert_string_equal(text_string(&out), "stride,kernel,sectors,hit\r\n"
                                           "1,\"copy, \"\"plain\"\"\",4096,50\r\n"
                                           ",Total,1234567,\r\n");
    text_free(&out);
    report_document_free(d);
}

static void json_has_numbers_and_checks(void **state) {
    (void)state;
    report_document *d = make();
    text out = {0};
    assert_int_equal(report_write_json(d, &out), HAUL_OK);
    json_t *root = json_loads(text_string(&out), 0, NULL);
    assert_non_null(root);
    json_t *section = json_array_get(json_object_get(root, "sections"), 0);
    json_t *table = json_array_get(json_object_get(section, "tables"), 0);
    json_t *row = json_array_get(json_object_get(table, "rows"), 1);
    assert_int_equal(json_integer_value(json_object_get(row, "sectors")), 1234567);
    assert_null(json_object_get(row, "stride"));
    assert_true(json_is_null(json_object_get(row, "hit")));
    assert_int_equal(json_integer_value(json_object_get(json_object_get(root, "checks"), "failed")), 1);
    json_t *chart = json_array_get(json_object_get(section, "charts"), 0);
    assert_int_equal(json_array_size(json_object_get(chart, "series")), 2);
    json_decref(root);
    text_free(&out);
    report_document_free(d);
}

static void html_escapes_and_fetches_nothing(void **state) {
    (void)state;
    report_document *d = make();
    text out = {0};
    assert_int_equal(report_write_html(d, &out), HAUL_OK);
    const char *page = text_string(&out);
    assert_non_null(strstr(page, "<title>A &lt;lab&gt;</title>"));
    assert_non_null(strstr(page, "copy, &quot;plain&quot;"));
    assert_non_null(strstr(page, "1 of 2 checks failed"));
    assert_non_null(strstr(page, "<svg "));
    assert_null(strstr(page, "fetch(")); /* the script needs nothing */
    assert_null(strstr(page, "src="));
    assert_null(strstr(page, "url("));
    text_free(&out);
    report_document_free(d);
}

static void svg_leaves_out_what_an_axis_cannot_show(void **state) {
    (void)state;
    report_document *d = make();
    text out = {0};
    assert_int_equal(report_write_svg(last_chart, &out), HAUL_OK);
    assert_non_null(strstr(text_string(&out), "sectors &amp; more: 32 at 8"));
    assert_non_null(strstr(text_string(&out), "ideal: 4 at 8"));
    assert_null(strstr(text_string(&out), "ideal: 4 at 0"));
    assert_null(strstr(text_string(&out), "nan"));
    assert_null(strstr(text_string(&out), "inf"));
    text_free(&out);
    report_document_free(d);
}

static void empty_documents_tables_and_charts_are_fine(void **state) {
    (void)state;
    report_document *d = report_document_new("empty", "Empty");
    report_section *s = report_add_section(d, "none", "Nothing");
    report_table *t = report_add_table(s, "none", NULL, columns, 1);
    report_chart *lines = report_add_chart(s, "lines", NULL, REPORT_LINES, (report_axis){0}, (report_axis){0});
    report_chart *bars = report_add_chart(s, "bars", NULL, REPORT_BARS, (report_axis){0}, (report_axis){0});
    report_add_number(t, 1); /* no row to put it in */
    text out = {0};
    assert_int_equal(report_write_text(d, (report_terminal){.width = 80, .colour = true}, &out), HAUL_OK);
    assert_null(strstr(text_string(&out), "\n\n\n")); /* nothing of the table without rows */
    assert_int_equal(report_write_json(d, &out), HAUL_OK);
    assert_int_equal(report_write_html(d, &out), HAUL_OK);
    assert_int_equal(report_write_svg(lines, &out), HAUL_OK);
    assert_int_equal(report_write_svg(bars, &out), HAUL_OK);
    text_free(&out);
    report_document_free(d);
}

static void bytes_that_are_no_utf8_do_not_break_anything(void **state) {
    (void)state;
    report_document *d = report_document_new("bytes", "caf\xe9 \xc3\xa9 \x01");
    report_section *s = report_add_section(d, "s", "\xff\xfe");
    report_add_note(s, REPORT_BAD, "%s", "\xed\xa0\x80 surrogate");
    text out = {0};
    assert_int_equal(report_write_html(d, &out), HAUL_OK);
    assert_non_null(strstr(text_string(&out), "caf? \xc3\xa9 ?"));
    text_clear(&out);
    assert_int_equal(report_write_text(d, (report_terminal){0}, &out), HAUL_OK);
    text_free(&out);
    report_document_free(d);
}

/* Every allocation fails once: the writers say so, and nothing leaks or crashes. */
static void out_of_memory_is_reported(void **state) {
    (void)state;
    size_t failures = 0;
    for (size_t n = 1; n < 60; n++) {
        memory_fail_after(n);
        report_document *d = make();
        text out = {0};
        haul_status status = report_write_html(d, &out);
        memory_fail_after(0);
        assert_true(status == HAUL_OK || status == HAUL_ERROR_OUT_OF_MEMORY);
        failures += status != HAUL_OK;
        text_free(&out);
        report_document_free(d);
    }
    assert_true(failures > 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_has_aligned_tables),
        cmocka_unit_test(a_table_wider_than_the_terminal_comes_in_parts),
        cmocka_unit_test(columns_that_hold_nothing_are_left_out),
        cmocka_unit_test(csv_quotes_and_keeps_full_numbers),
        cmocka_unit_test(json_has_numbers_and_checks),
        cmocka_unit_test(html_escapes_and_fetches_nothing),
        cmocka_unit_test(svg_leaves_out_what_an_axis_cannot_show),
        cmocka_unit_test(empty_documents_tables_and_charts_are_fine),
        cmocka_unit_test(bytes_that_are_no_utf8_do_not_break_anything),
        cmocka_unit_test(out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
