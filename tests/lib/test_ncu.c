/* Reads ncu's table, recorded on an H100 (tests/data/ncu), and malformed tables.
 */
#include "base/file.h"
#include "lib/ncu/ncu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static haul_status read_string(ncu_report *report, const char *csv) {
    return ncu_read_csv(report, csv, strlen(csv));
}

static void read_recorded(ncu_report *report, const char *path) {
    text csv = {0};
    assert_int_equal(file_read(path, &csv), HAUL_OK);
    haul_status status = ncu_read_csv(report, text_string(&csv), csv.length);
    if (status != HAUL_OK) fail_msg("%s: %s", path, haul_message());
    text_free(&csv);
}

static void a_recorded_table_has_its_launches_and_counters(void **state) {
    (void)state;
    ncu_report r = {0};
    read_recorded(&r, TEST_DATA "/ncu/three.csv");
    assert_int_equal(r.count, 3);
    const ncu_launch *l = &r.launches[1]; /* copy_stride with a stride of 2 */
    assert_string_equal(l->kernel, "copy_stride");
    assert_int_equal(l->grid[0], 1);
    assert_int_equal(l->block[0], 32);
    assert_int_equal(l->block[2], 1);
    assert_float_equal(l->counters[HAUL_COUNTER_INST_GLOBAL_LD], 1, 0);
    assert_float_equal(l->counters[HAUL_COUNTER_L1_GLOBAL_LD_SECTORS], 8, 0);
    assert_float_equal(l->counters[HAUL_COUNTER_THREAD_INST_EXECUTED], 512, 0);
    assert_int_equal(l->occupancy.registers_per_thread, 16);
    assert_int_equal(l->occupancy.blocks_per_sm, 32);
    assert_int_equal(l->occupancy.warps_per_sm, 32);
    assert_int_equal(l->occupancy.max_warps_per_sm, 64);
    ncu_report_free(&r);
}

/* The reading is older than the counters of textures, of constants and code, and of copies that are issued. */
static bool is_recorded(size_t c) {
    const bool constant = c >= HAUL_COUNTER_INST_LDC && c <= HAUL_COUNTER_CONSTANT_MISS;
    return !constant && c != HAUL_COUNTER_L2_CODE_SECTORS && c != HAUL_COUNTER_INST_LDGSTS &&
           !strstr(haul_counters[c].key, "texture") && !strstr(haul_counters[c].key, "surface") &&
           strncmp(haul_counters[c].key, "nvl", 3) != 0;
}

static void every_counter_of_the_list_is_read_on_an_h100(void **state) {
    (void)state;
    ncu_report r = {0};
    read_recorded(&r, TEST_DATA "/ncu/truth.csv");
    assert_int_equal(r.count, 154);
    for (size_t i = 0; i < r.count; i++) {
        for (size_t c = 0; c < HAUL_COUNTER_COUNT; c++) {
            if (is_recorded(c) && r.launches[i].counters[c] < 0)
                fail_msg("launch %zu: %s was not read", i, haul_counters[c].key);
        }
    }
    ncu_report_free(&r);
}

/* A table of one counter; `rows` are kernel and value. */
#define NAMES "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"dram__sectors_read.sum\"\n"
#define ROW(kernel, value) "\"0\",\"" kernel "\",\"(32, 1, 1)\",\"(4, 2, 1)\",\"" value "\"\n"
#define UNITS "\"\",\"\",\"\",\"\",\"sector\"\n"

static void a_second_reading_widens_the_range(void **state) {
    (void)state;
    ncu_report r = {0};
    haul_launch_record record = {.kernel = "k", .grid = {4, 2, 1}, .block = {32, 1, 1}};
    assert_int_equal(read_string(&r, NAMES UNITS ROW("k", "1,024")), HAUL_OK);
    assert_int_equal(read_string(&r, NAMES UNITS ROW("k", "1,000")), HAUL_OK);
    assert_int_equal(read_string(&r, NAMES UNITS ROW("k", "1,030")), HAUL_OK);
    assert_int_equal(ncu_fill(&r, 0, &record), HAUL_OK);
    assert_float_equal(record.counters[HAUL_COUNTER_DRAM_READ_SECTORS], 1024, 0);
    assert_float_equal(record.bounds[HAUL_COUNTER_DRAM_READ_SECTORS].low, 1000, 0);
    assert_float_equal(record.bounds[HAUL_COUNTER_DRAM_READ_SECTORS].high, 1030, 0);
    assert_true(record.counters[HAUL_COUNTER_INST_GLOBAL_LD] < 0);
    ncu_report_free(&r);
}

static void prefixes_of_units_are_multiplied_out(void **state) {
    (void)state;
    ncu_report r = {0};
    assert_int_equal(read_string(&r, NAMES "\"\",\"\",\"\",\"\",\"Ksector\"\n" ROW("k", "1.5")), HAUL_OK);
    assert_float_equal(r.launches[0].counters[HAUL_COUNTER_DRAM_READ_SECTORS], 1500, 0);
    ncu_report_free(&r);
}

static void what_a_gpu_does_not_count_is_not_read(void **state) {
    (void)state;
    ncu_report r = {0};
    assert_int_equal(read_string(&r, NAMES UNITS ROW("k", "n/a") ROW("k", "")), HAUL_OK);
    assert_int_equal(r.count, 2);
    assert_true(r.launches[0].counters[HAUL_COUNTER_DRAM_READ_SECTORS] < 0);
    assert_true(r.launches[1].counters[HAUL_COUNTER_DRAM_READ_SECTORS] < 0);
    ncu_report_free(&r);
}

static void messages_around_the_table_and_cells_with_quotes_are_read_over(void **state) {
    (void)state;
    ncu_report r = {0};
    assert_int_equal(read_string(&r, "==PROF== Connected\n" NAMES UNITS ROW("a \"\"b\"\", c", "7") "==PROF== Bye\n"),
                     HAUL_OK);
    assert_string_equal(r.launches[0].kernel, "a \"b\", c");
    ncu_report_free(&r);
}

static void refuse(const char *csv, const char *words) {
    ncu_report r = {0};
    assert_int_equal(read_string(&r, csv), HAUL_ERROR_SYNTAX);
    if (!strstr(haul_message(), words)) fail_msg("'%s' has no '%s'", haul_message(), words);
    ncu_report_free(&r);
}

static void bad_tables_are_refused_with_their_line(void **state) {
    (void)state;
    refuse("", "printed no table");
    refuse("==ERROR== nothing\n", "printed no table");
    refuse("\"ID\",\"Name\"\n", "no column `Kernel Name`");
    refuse("\"ID\",\"Kernel Name\"\n\"\",\"\"\n", "none of the counters");
    refuse(NAMES UNITS ROW("k", "many"), "line 4 of its output: a value is not a number");
    refuse(NAMES UNITS ROW("k", "-1"), "a value is not a number");
    refuse(NAMES UNITS "\"0\",\"k\",\"(32, 1)\",\"(4, 2, 1)\",\"1\"\n", "not of the form (1, 2, 3)");
    refuse(NAMES UNITS "\"0\",\"k\"\n", "the row has another length");
    refuse(NAMES UNITS "\"0\",\"k\",\"(32, 1, 1)\",\"(4, 2, 1)\",\"1\",\"2\"\n", "the row has another length");
    refuse(NAMES "\"\"\n", "the row of units has another length");
    refuse(NAMES UNITS "\"0\",\"k", "a quote is not closed");
    refuse(NAMES UNITS "\"0\" \"k\"\n", "a comma is missing");
}

static void readings_that_differ_in_their_launches_are_refused(void **state) {
    (void)state;
    ncu_report r = {0};
    assert_int_equal(read_string(&r, NAMES UNITS ROW("k", "1") ROW("l", "2")), HAUL_OK);
    assert_int_equal(read_string(&r, NAMES UNITS ROW("k", "1") ROW("m", "2")), HAUL_ERROR_SYNTAX);
    assert_non_null(strstr(haul_message(), "launch 1 was of kernel l; here it is of m"));
    assert_int_equal(read_string(&r, NAMES UNITS ROW("k", "1")), HAUL_ERROR_SYNTAX);
    assert_non_null(strstr(haul_message(), "2 launches at first and then 1"));
    ncu_report_free(&r);
}

static void a_record_of_another_launch_is_refused(void **state) {
    (void)state;
    ncu_report r = {0};
    haul_launch_record record = {.kernel = "k", .grid = {4, 4, 1}, .block = {32, 1, 1}};
    assert_int_equal(read_string(&r, NAMES UNITS ROW("k", "1")), HAUL_OK);
    assert_int_equal(ncu_fill(&r, 0, &record), HAUL_ERROR_SYNTAX);
    assert_non_null(strstr(haul_message(), "in another shape"));
    assert_int_equal(ncu_fill(&r, 1, &record), HAUL_ERROR_SYNTAX);
    assert_non_null(strstr(haul_message(), "one more"));
    ncu_report_free(&r);
}

static void a_named_ncu_that_is_not_there_is_told(void **state) {
    (void)state;
    text path = {0};
    setenv("HAUL_NCU", "/nonexistent/ncu", 1);
    assert_int_equal(ncu_find(&path), HAUL_ERROR_NOT_FOUND);
    assert_non_null(strstr(haul_message(), "HAUL_NCU: /nonexistent/ncu is not a program"));
    unsetenv("HAUL_NCU");
    text_free(&path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recorded_table_has_its_launches_and_counters),
        cmocka_unit_test(every_counter_of_the_list_is_read_on_an_h100),
        cmocka_unit_test(a_second_reading_widens_the_range),
        cmocka_unit_test(prefixes_of_units_are_multiplied_out),
        cmocka_unit_test(what_a_gpu_does_not_count_is_not_read),
        cmocka_unit_test(messages_around_the_table_and_cells_with_quotes_are_read_over),
        cmocka_unit_test(bad_tables_are_refused_with_their_line),
        cmocka_unit_test(readings_that_differ_in_their_launches_are_refused),
        cmocka_unit_test(a_record_of_another_launch_is_refused),
        cmocka_unit_test(a_named_ncu_that_is_not_there_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
