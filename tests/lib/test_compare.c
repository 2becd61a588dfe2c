/* When a counter agrees with a recorded one. */
#include "lib/launch/compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const haul_bounds UNBOUND = {0, 0};

static void exact_counters_agree_within_the_recorded_range_only(void **state) {
    (void)state;
    assert_true(compare_agrees(HAUL_COUNTER_INST_GLOBAL_LD, 8, 8, 8, UNBOUND));
    assert_false(compare_agrees(HAUL_COUNTER_INST_GLOBAL_LD, 8, 8, 9, UNBOUND));
    assert_true(compare_agrees(HAUL_COUNTER_INST_GLOBAL_LD, 8, 10, 9, UNBOUND));
    assert_false(compare_agrees(HAUL_COUNTER_INST_GLOBAL_LD, 8, 10, 11, (haul_bounds){0, 100}));
}

static void hits_and_store_sectors_agree_within_two_percent_or_two_counts(void **state) {
    (void)state;
    assert_true(compare_agrees(HAUL_COUNTER_L1_GLOBAL_LD_HIT, 1000, 1000, 1020, UNBOUND));
    assert_false(compare_agrees(HAUL_COUNTER_L1_GLOBAL_LD_HIT, 1000, 1000, 1021, UNBOUND));
    assert_true(compare_agrees(HAUL_COUNTER_L1_GLOBAL_LD_MISS, 4, 4, 6, UNBOUND));
    assert_false(compare_agrees(HAUL_COUNTER_L1_GLOBAL_LD_MISS, 4, 4, 7, UNBOUND));
    assert_true(compare_agrees(HAUL_COUNTER_L1_GLOBAL_ST_SECTORS, 1000, 2000, 980, UNBOUND));
    assert_false(compare_agrees(HAUL_COUNTER_L1_GLOBAL_ST_SECTORS, 1000, 2000, 979, UNBOUND));
    assert_true(compare_agrees(HAUL_COUNTER_L1_GLOBAL_ST_SECTORS, 1000, 2000, 2040, UNBOUND));
}

static void counters_that_timing_moves_agree_within_their_bounds(void **state) {
    (void)state;
    const haul_bounds bounds = {10, 20};
    assert_true(compare_agrees(HAUL_COUNTER_L2_READ_REQUESTS, 18, 18, 11, bounds));
    assert_true(compare_agrees(HAUL_COUNTER_L2_READ_REQUESTS, 18, 18, 22, bounds));
    assert_false(compare_agrees(HAUL_COUNTER_L2_READ_REQUESTS, 18, 18, 23, bounds));
    assert_false(compare_agrees(HAUL_COUNTER_L2_READ_REQUESTS, 18, 18, 7, bounds));
}

static void a_record_outside_the_bounds_shows_that_they_are_wrong(void **state) {
    (void)state;
    const haul_bounds bounds = {10, 20};
    assert_false(compare_agrees(HAUL_COUNTER_L2_READ_REQUESTS, 30, 40, 15, bounds));
    assert_true(compare_agrees(HAUL_COUNTER_L2_READ_REQUESTS, 22, 40, 15, bounds));
}

static void where_bounds_coincide_the_record_must_be_met(void **state) {
    (void)state;
    const haul_bounds bounds = {16, 16};
    assert_true(compare_agrees(HAUL_COUNTER_L2_WRITE_SECTORS, 16, 16, 16, bounds));
    assert_false(compare_agrees(HAUL_COUNTER_L2_WRITE_SECTORS, 17, 17, 16, bounds));
}

static void counters_to_look_at_always_agree(void **state) {
    (void)state;
    assert_true(compare_agrees(HAUL_COUNTER_DRAM_READ_SECTORS, 80, 96, 4, UNBOUND));
}

static void counters_to_look_at_and_no_others_have_a_reason(void **state) {
    (void)state;
    for (int i = 0; i < HAUL_COUNTER_COUNT; i++) {
        const bool is_info = haul_counters[i].grade == HAUL_COUNTER_INFO;
        if (is_info != (compare_reason((haul_counter)i) != NULL)) fail_msg("%s", haul_counters[i].key);
    }
}

static void an_error_is_a_share_of_the_nearer_end(void **state) {
    (void)state;
    assert_true(compare_error(&(compare_pair){.low = 8, .high = 10, .ours = 9, .equal = true}) == 0);
    assert_true(compare_error(&(compare_pair){.low = 8, .high = 10, .ours = 6}) == 0.25);
    assert_true(compare_error(&(compare_pair){.low = 8, .high = 10, .ours = 15}) == 0.5);
    assert_true(compare_error(&(compare_pair){.low = 0, .high = 0, .ours = 3}) == 3);
}

static void pairs_are_counted_by_grade(void **state) {
    (void)state;
    launch_counter counters[] = {{HAUL_COUNTER_INST_GLOBAL_LD, 2, 2},
                                 {HAUL_COUNTER_INST_GLOBAL_ST, 3, 3},
                                 {HAUL_COUNTER_L2_READ_SECTORS, 4, 4},
                                 {HAUL_COUNTER_DRAM_READ_SECTORS, 5, 5}};
    const launch_description launch = {.counters = counters, .counter_count = 4};
    static haul_launch_record record;
    record.counters[HAUL_COUNTER_INST_GLOBAL_LD] = 2;
    record.counters[HAUL_COUNTER_INST_GLOBAL_ST] = 1;
    record.counters[HAUL_COUNTER_L2_READ_SECTORS] = 5;
    record.bounds[HAUL_COUNTER_L2_READ_SECTORS] = (haul_bounds){4, 8};
    compare_pair pairs[HAUL_COUNTER_COUNT];
    compare_sums sums = {0};
    assert_int_equal(compare_launch(&launch, &record, NULL, pairs, &sums), 4);
    assert_int_equal(sums.exact.pairs, 2);
    assert_int_equal(sums.exact.agreeing, 1);
    assert_int_equal(sums.close.pairs, 1);
    assert_int_equal(sums.close.agreeing, 1);
    assert_true(pairs[0].agrees && !pairs[1].agrees && pairs[1].ours == 1);
}

static void pairs_of_two_zeros_are_counted_apart(void **state) {
    (void)state;
    launch_counter counters[] = {
        {HAUL_COUNTER_INST_GLOBAL_LD, 0, 0}, {HAUL_COUNTER_INST_GLOBAL_ST, 3, 3}, {HAUL_COUNTER_INST_SHARED_LD, 0, 0}};
    const launch_description launch = {.counters = counters, .counter_count = 3};
    static haul_launch_record record;
    record.counters[HAUL_COUNTER_INST_GLOBAL_LD] = 0;
    record.counters[HAUL_COUNTER_INST_GLOBAL_ST] = 3;
    record.counters[HAUL_COUNTER_INST_SHARED_LD] = 1;
    compare_pair pairs[HAUL_COUNTER_COUNT];
    compare_sums sums = {0};
    compare_launch(&launch, &record, NULL, pairs, &sums);
    assert_int_equal(sums.exact.agreeing, 2);
    assert_int_equal(sums.exact.nonzero_pairs, 2);
    assert_int_equal(sums.exact.nonzero_agreeing, 1);
}

/* The first and the second pair depend on the order, and leave the exact ones, agreeing or not. */
static void pairs_that_depend_on_the_order_of_blocks_are_counted_apart(void **state) {
    (void)state;
    launch_counter counters[] = {
        {HAUL_COUNTER_INST_GLOBAL_LD, 4, 6}, {HAUL_COUNTER_INST_GLOBAL_ST, 4, 9}, {HAUL_COUNTER_INST_SHARED_LD, 2, 2}};
    const launch_description launch = {.counters = counters, .counter_count = 3};
    static haul_launch_record record;
    static launch_orders orders = {.runs = 3};
    record.counters[HAUL_COUNTER_INST_GLOBAL_LD] = record.counters[HAUL_COUNTER_INST_GLOBAL_ST] = 3;
    record.counters[HAUL_COUNTER_INST_SHARED_LD] = 2;
    orders.counters[HAUL_COUNTER_INST_GLOBAL_LD] = orders.counters[HAUL_COUNTER_INST_GLOBAL_ST] = (haul_bounds){3, 8};
    orders.counters[HAUL_COUNTER_INST_SHARED_LD] = (haul_bounds){2, 2};
    compare_pair pairs[HAUL_COUNTER_COUNT];
    compare_sums sums = {0};
    compare_launch(&launch, &record, &orders, pairs, &sums);
    assert_int_equal(sums.exact.pairs, 1);
    assert_int_equal(sums.exact.agreeing, 1);
    assert_int_equal(sums.ordered.pairs, 2);
    assert_int_equal(sums.ordered.agreeing, 1);
    assert_true(pairs[0].agrees && !pairs[1].agrees && pairs[1].is_ordered && !pairs[2].is_ordered);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_counters_agree_within_the_recorded_range_only),
        cmocka_unit_test(hits_and_store_sectors_agree_within_two_percent_or_two_counts),
        cmocka_unit_test(counters_that_timing_moves_agree_within_their_bounds),
        cmocka_unit_test(a_record_outside_the_bounds_shows_that_they_are_wrong),
        cmocka_unit_test(where_bounds_coincide_the_record_must_be_met),
        cmocka_unit_test(counters_to_look_at_always_agree),
        cmocka_unit_test(counters_to_look_at_and_no_others_have_a_reason),
        cmocka_unit_test(an_error_is_a_share_of_the_nearer_end),
        cmocka_unit_test(pairs_are_counted_by_grade),
        cmocka_unit_test(pairs_that_depend_on_the_order_of_blocks_are_counted_apart),
        cmocka_unit_test(pairs_of_two_zeros_are_counted_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
