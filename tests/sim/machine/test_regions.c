/* Heaps that a program divides itself, and permissions: which accesses are allowed. */
#include "machine/regions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { HEAP = 0x1000, HEAP_BYTES = 0x1000, REGION = 0x1010, BYTES = 63 };

static int begin(void **state) {
    sim_regions *r = sim_regions_create();
    sim_regions_add_heap(r, HEAP, HEAP_BYTES);
    sim_regions_add(r, REGION, BYTES);
    *state = r;
    return 0;
}

static int end(void **state) {
    sim_regions_free(*state);
    return 0;
}

static sim_region_verdict judge(const sim_regions *r, uint64_t address, uint64_t bytes) {
    sim_range near;
    return sim_regions_judge(r, address, bytes, SIM_REGION_WRITE, &near);
}

static void only_regions_of_a_heap_may_be_used(void **state) {
    assert_int_equal(judge(*state, REGION, 1), SIM_REGION_GOOD);
    assert_int_equal(judge(*state, REGION + BYTES - 4, 4), SIM_REGION_GOOD);
    assert_int_equal(judge(*state, REGION + BYTES - 3, 4), SIM_REGION_OUTSIDE);
    assert_int_equal(judge(*state, REGION - 1, 1), SIM_REGION_OUTSIDE);
    assert_int_equal(judge(*state, HEAP - 1, 1), SIM_REGION_GOOD);
    assert_int_equal(judge(*state, HEAP + HEAP_BYTES, 1), SIM_REGION_GOOD);
}

static void the_region_before_the_access_is_named(void **state) {
    sim_range near;
    assert_int_equal(sim_regions_judge(*state, REGION + BYTES, 1, SIM_REGION_READ, &near), SIM_REGION_OUTSIDE);
    assert_int_equal(near.from, REGION);
    assert_int_equal(near.to, REGION + BYTES);
    assert_int_equal(sim_regions_judge(*state, HEAP, 1, SIM_REGION_READ, &near), SIM_REGION_OUTSIDE);
    assert_int_equal(near.to - near.from, 0);
}

static void a_region_may_grow_and_be_given_up(void **state) {
    sim_regions_add(*state, REGION, BYTES + 1);
    assert_int_equal(judge(*state, REGION + BYTES, 1), SIM_REGION_GOOD);
    sim_regions_remove(*state, REGION);
    assert_int_equal(judge(*state, REGION, 1), SIM_REGION_GONE);
    sim_regions_add(*state, REGION, 4);
    assert_int_equal(judge(*state, REGION, 1), SIM_REGION_GOOD);
    assert_int_equal(judge(*state, REGION + 8, 1), SIM_REGION_GONE);
}

static void a_reset_heap_has_no_regions_and_a_removed_one_no_rules(void **state) {
    sim_regions_reset_heap(*state, HEAP);
    assert_int_equal(judge(*state, REGION, 1), SIM_REGION_GONE);
    sim_regions_remove_heap(*state, HEAP);
    assert_int_equal(judge(*state, REGION, 1), SIM_REGION_GOOD);
}

static void permissions_name_the_uses(void **state) {
    sim_range near;
    sim_regions_permit(*state, REGION, BYTES, SIM_REGION_READ);
    assert_int_equal(judge(*state, REGION, 1), SIM_REGION_FORBIDDEN);
    assert_int_equal(sim_regions_judge(*state, REGION, 1, SIM_REGION_READ, &near), SIM_REGION_GOOD);
    assert_int_equal(sim_regions_judge(*state, REGION, 1, SIM_REGION_ATOMIC, &near), SIM_REGION_FORBIDDEN);
    sim_regions_permit(*state, REGION, BYTES, SIM_REGION_ALL);
    assert_int_equal(judge(*state, REGION, 1), SIM_REGION_GOOD);
}

static void freed_memory_has_no_rules(void **state) {
    sim_regions_permit(*state, HEAP, HEAP_BYTES, 0);
    sim_regions_forget(*state, HEAP, HEAP_BYTES);
    assert_int_equal(judge(*state, HEAP, 1), SIM_REGION_GOOD);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(only_regions_of_a_heap_may_be_used), TEST(the_region_before_the_access_is_named),
        TEST(a_region_may_grow_and_be_given_up),  TEST(a_reset_heap_has_no_regions_and_a_removed_one_no_rules),
        TEST(permissions_name_the_uses),          TEST(freed_memory_has_no_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
