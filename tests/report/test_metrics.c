/* The table of metrics: every one is found by its name and has a value where it was measured. */
#include "report/check/metrics.h"
#include "synthetic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const report_scope everywhere;

/* One instruction of each kind; a load of four sectors a request, half of them hits, and two-way conflicts. */
static haul_launch_record launch_of_everything(haul_instruction_record *instructions) {
    for (int i = 0; i < HAUL_CLASS_COUNT; i++) {
        haul_traffic traffic = synthetic_global(10, 4);
        traffic.hits = 20, traffic.shared_wavefronts = 20, traffic.ideal_shared_wavefronts = 10,
        traffic.bank_conflicts = 10;
        instructions[i] = synthetic_instruction("x", (haul_memory_class)i, "a.cu", (uint32_t)i + 1, traffic);
    }
    haul_launch_record r = synthetic_launch(instructions, HAUL_CLASS_COUNT);
    r.counters[HAUL_COUNTER_INST_GLOBAL_LD] = 10;
    r.occupancy = (haul_occupancy){.blocks_per_sm = 2,
                                   .warps_per_sm = 32,
                                   .max_warps_per_sm = 64,
                                   .registers_per_thread = 40,
                                   .shared_per_block = 1024};
    return r;
}

static double value_of(const char *group, const char *name) {
    haul_instruction_record instructions[HAUL_CLASS_COUNT];
    const haul_launch_record r = launch_of_everything(instructions);
    report_metric metric;
    double value = -1;
    assert_true(report_find_metric(name, &metric));
    if (group) assert_null(report_limit_metric(&metric, group));
    assert_int_equal(report_read_metric(&metric, &everywhere, NULL, &r, &value), REPORT_READ);
    return value;
}

static void read_one(void *context, const char *name, report_unit unit, bool group, const char *help) {
    size_t *count = context;
    ++*count;
    assert_true(*help && unit < REPORT_UNIT_COUNT);
    if (group)
        assert_int_equal(value_of(name, "lanes"), 32);
    else
        assert_true(value_of(NULL, name) > 0);
}

static void every_metric_and_group_has_a_value(void **state) {
    (void)state;
    size_t count = 0;
    report_visit_metrics(read_one, &count);
    assert_true(count > 20);
}

static void values_are_of_the_instructions_that_are_meant(void **state) {
    (void)state;
    assert_int_equal(value_of("global_load", "sectors"), 40);
    assert_int_equal(value_of("global", "sectors"), 160);
    assert_int_equal(value_of("bulk", "sectors"), 80);
    assert_int_equal(value_of(NULL, "sectors"), 8 * 40);
    assert_int_equal(value_of(NULL, "sectors/request"), 4);
    assert_int_equal(value_of(NULL, "l1_hit"), 50);
    assert_int_equal(value_of("shared_load", "bank_conflicts"), 10);
    assert_int_equal(value_of(NULL, "bank_ways"), 2);
    assert_int_equal(value_of(NULL, "occupancy"), 50);
    assert_int_equal(value_of(NULL, "inst_global_ld"), 10);
}

static void the_worst_instruction_is_the_one_with_the_most(void **state) {
    (void)state;
    haul_instruction_record two[] = {
        synthetic_instruction("ld", HAUL_CLASS_GLOBAL_LOAD, "a.cu", 3, synthetic_global(100, 4)),
        synthetic_instruction("ld", HAUL_CLASS_GLOBAL_LOAD, "a.cu", 5, synthetic_global(1, 32)),
    };
    const haul_launch_record r = synthetic_launch(two, 2);
    report_metric sectors, ratio;
    assert_true(report_find_metric("sectors", &sectors) && report_find_metric("sectors/request", &ratio));
    assert_ptr_equal(report_worst_instruction(&sectors, &r, true), &two[0]);
    assert_ptr_equal(report_worst_instruction(&ratio, &r, true), &two[1]);
    assert_ptr_equal(report_worst_instruction(&ratio, &r, false), &two[0]);
    assert_null(report_limit_metric(&ratio, "local"));
    assert_null(report_worst_instruction(&ratio, &r, true));
}

static void a_record_without_instructions_was_not_measured(void **state) {
    (void)state;
    const haul_launch_record measured = synthetic_launch(NULL, 0);
    report_metric metric;
    double value;
    assert_true(report_find_metric("sectors", &metric));
    assert_int_equal(report_read_metric(&metric, &everywhere, NULL, &measured, &value), REPORT_UNKNOWN);
    assert_true(report_find_metric("occupancy", &metric));
    assert_int_equal(report_read_metric(&metric, &everywhere, NULL, &measured, &value), REPORT_UNKNOWN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_metric_and_group_has_a_value),
        cmocka_unit_test(values_are_of_the_instructions_that_are_meant),
        cmocka_unit_test(the_worst_instruction_is_the_one_with_the_most),
        cmocka_unit_test(a_record_without_instructions_was_not_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
