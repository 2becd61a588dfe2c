/* Hardware's counts beside simulated ones, from two records of one launch. */
#include "report/profile/measured.h"

#include "synthetic.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static haul_launch_record simulated, measured;

static void set(haul_launch_record *r, haul_counter c, double value, double low, double high) {
    r->counters[c] = value;
    r->bounds[c] = (haul_bounds){low, high};
}

/* Loads agree, store wavefronts do not, L2's reads moved between readings, and nobody read conflicts. */
static int make_records(void **state) {
    (void)state;
    simulated = synthetic_launch(NULL, 0);
    measured = synthetic_launch(NULL, 0);
    measured.estimate_us = -1;
    set(&simulated, HAUL_COUNTER_INST_GLOBAL_LD, 64, 64, 64);
    set(&measured, HAUL_COUNTER_INST_GLOBAL_LD, 64, 64, 64);
    set(&simulated, HAUL_COUNTER_SHARED_ST_WAVEFRONTS, 90, 90, 90);
    set(&measured, HAUL_COUNTER_SHARED_ST_WAVEFRONTS, 100, 100, 100);
    set(&simulated, HAUL_COUNTER_L2_READ_SECTORS, 250, 240, 260);
    set(&measured, HAUL_COUNTER_L2_READ_SECTORS, 256, 248, 256);
    set(&simulated, HAUL_COUNTER_SHARED_LD_CONFLICTS, 7, 7, 7);
    set(&simulated, HAUL_COUNTER_INST_TMA_LD, 0, 0, 0);
    set(&measured, HAUL_COUNTER_INST_TMA_LD, 0, 0, 0);
    return 0;
}

static report_section *section_of(report_document **d) {
    *d = report_document_new("test", "A test");
    return report_add_section(*d, "launch", "A launch");
}

static const report_table *table_of(const report_section *s) {
    for (const report_block *b = s->blocks; b; b = b->next) {
        if (b->kind == REPORT_BLOCK_TABLE) return b->table;
    }
    return NULL;
}

static void exact_counters_that_both_have_are_held_together(void **state) {
    (void)state;
    report_agreement a = report_agree(&simulated, &measured);
    assert_int_equal(a.pairs, 3);
    assert_int_equal(a.agreeing, 2);
}

static void one_launch_has_a_row_for_each_counter_that_is_not_zero(void **state) {
    (void)state;
    report_document *d;
    report_section *s = section_of(&d);
    measured.measured_us = 12.5;
    measured.measured_range_us = (haul_bounds){12, 14};
    report_add_measured(s, "a GPU", &simulated, &measured);
    assert_string_equal(s->blocks->text, "Measured on a GPU: 12.50 us (12.00 us to 14.00 us), estimated 10.00 us.");
    const report_table *t = table_of(s);
    assert_int_equal(t->row_count, 3);
    const report_row *row = t->rows;
    assert_string_equal(row->cells[0].text, haul_counters[HAUL_COUNTER_INST_GLOBAL_LD].text);
    assert_int_equal(row->cells[2].tone, REPORT_GOOD);
    assert_true(isnan(row->cells[5].number)); /* nothing to say where they agree */
    row = row->next;
    assert_int_equal(row->cells[2].tone, REPORT_WARNING);
    assert_float_equal(row->cells[5].number, -10, 1e-9);
    row = row->next;
    assert_float_equal(row->cells[3].number, 248, 0);
    assert_float_equal(row->cells[4].number, 256, 0);
    assert_int_equal(row->cells[2].tone, REPORT_PLAIN);
    report_document_free(d);
}

static void times_alone_are_told_without_a_table(void **state) {
    (void)state;
    report_document *d;
    report_section *s = section_of(&d);
    for (size_t i = 0; i < HAUL_COUNTER_COUNT; i++) measured.counters[i] = -1;
    measured.measured_us = 3;
    report_add_measured(s, "a GPU", &simulated, &measured);
    assert_non_null(s->blocks);
    assert_null(table_of(s));
    assert_int_equal(report_agree(&simulated, &measured).pairs, 0);
    report_document_free(d);
}

static void many_launches_have_a_row_each_with_columns_in_pairs(void **state) {
    (void)state;
    report_document *d;
    report_section *s = section_of(&d);
    report_table *t = report_add_measured_launches(s, "a GPU");
    report_add_measured_launch(t, "k(8)", &simulated, &measured);
    size_t read = 0;
    while (read < t->column_count && strcmp(t->columns[read].key, "l2_read") != 0) read++;
    const report_row *row = t->rows;
    assert_string_equal(row->cells[0].text, "k(8)");
    assert_float_equal(row->cells[read].number, 250, 0);
    assert_string_equal(t->columns[read + 1].key, "l2_read_measured");
    assert_float_equal(row->cells[read + 1].number, 256, 0);
    assert_string_equal(row->cells[t->column_count - 1].text, "2 of 3");
    assert_int_equal(row->cells[t->column_count - 1].tone, REPORT_WARNING);
    assert_false(report_column_shown(t, read + 2)); /* of writes nothing is known */
    report_document_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(exact_counters_that_both_have_are_held_together, make_records),
        cmocka_unit_test_setup(one_launch_has_a_row_for_each_counter_that_is_not_zero, make_records),
        cmocka_unit_test_setup(times_alone_are_told_without_a_table, make_records),
        cmocka_unit_test_setup(many_launches_have_a_row_each_with_columns_in_pairs, make_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
