/* The L2 priority that an access requests. */
#include "access.h"

#include "count/policy.h"

static unsigned lines_with(const sim_l2_window *window, uint64_t policy, sim_priority priority) {
    unsigned count = 0;
    for (uint64_t line = 0; line < 65536; line++) count += sim_priority_of(window, policy, line) == priority;
    return count;
}

static const sim_l2_window none;

/* The shares that persisted on an H100 with these ratios. */
static void ratios_are_rounded_up_to_sixteenths(void **state) {
    (void)state;
    assert_int_equal(sim_policy_sixteenths(0), 0);
    assert_int_equal(sim_policy_sixteenths(0.1), 2);
    assert_int_equal(sim_policy_sixteenths(0.25), 5);
    assert_int_equal(sim_policy_sixteenths(0.5), 9);
    assert_int_equal(sim_policy_sixteenths(0.75), 13);
    assert_int_equal(sim_policy_sixteenths(1), 16);
}

static void a_window_is_for_its_own_bytes(void **state) {
    (void)state;
    const sim_l2_window w = {.base = 1000 * 128, .bytes = 500 * 128, .sixteenths = 16, .hit = SIM_PRIORITY_LAST};
    assert_int_equal(lines_with(&w, 0, SIM_PRIORITY_LAST), 500);
    assert_int_equal(sim_priority_of(&w, 0, 999), SIM_PRIORITY_NORMAL);
    assert_int_equal(sim_priority_of(&w, 0, 1000), SIM_PRIORITY_LAST);
    assert_int_equal(sim_priority_of(&w, 0, 1499), SIM_PRIORITY_LAST);
    assert_int_equal(sim_priority_of(&w, 0, 1500), SIM_PRIORITY_NORMAL);
}

static void a_ratio_chooses_lines_and_leaves_the_rest_the_other_priority(void **state) {
    (void)state;
    const sim_l2_window w = {
        .base = 0, .bytes = 65536 * 128, .sixteenths = 9, .hit = SIM_PRIORITY_LAST, .miss = SIM_PRIORITY_FIRST};
    const unsigned hit = lines_with(&w, 0, SIM_PRIORITY_LAST);
    assert_in_range(hit, 65536 * 9 / 16 - 600, 65536 * 9 / 16 + 600);
    assert_int_equal(lines_with(&w, 0, SIM_PRIORITY_FIRST), 65536 - hit);
}

static void a_policy_comes_before_the_window(void **state) {
    (void)state;
    const sim_l2_window w = {.bytes = 65536 * 128, .sixteenths = 16, .hit = SIM_PRIORITY_LAST};
    const uint64_t policy = sim_policy_fractional(SIM_PRIORITY_FIRST, SIM_PRIORITY_UNCHANGED, 1);
    assert_int_equal(lines_with(&w, policy, SIM_PRIORITY_FIRST), 65536);
}

static void a_fraction_leaves_the_rest_to_the_second_priority(void **state) {
    (void)state;
    const uint64_t policy = sim_policy_fractional(SIM_PRIORITY_LAST, SIM_PRIORITY_FIRST, 0.25);
    const unsigned last = lines_with(&none, policy, SIM_PRIORITY_LAST);
    assert_in_range(last, 65536 * 4 / 16 - 600, 65536 * 4 / 16 + 600);
    assert_int_equal(lines_with(&none, policy, SIM_PRIORITY_FIRST), 65536 - last);
}

/* Constants that programs pass instead of creating a policy. */
static void known_encodings_mean_what_they_mean_on_hardware(void **state) {
    (void)state;
    assert_int_equal(sim_policy_fractional(SIM_PRIORITY_FIRST, SIM_PRIORITY_UNCHANGED, 1), 0x12f0000000000000);
    assert_int_equal(sim_policy_fractional(SIM_PRIORITY_LAST, SIM_PRIORITY_UNCHANGED, 1), 0x14f0000000000000);
    assert_int_equal(lines_with(&none, 0x12f0000000000000, SIM_PRIORITY_FIRST), 65536);
    assert_int_equal(lines_with(&none, 0x14f0000000000000, SIM_PRIORITY_LAST), 65536);
    assert_int_equal(lines_with(&none, 0x1000000000000000, SIM_PRIORITY_FIRST), 0);
    assert_int_equal(lines_with(&none, 0x1000000000000000, SIM_PRIORITY_LAST), 0);
}

static void a_range_has_two_parts(void **state) {
    (void)state;
    const uint64_t policy = sim_policy_range(SIM_PRIORITY_LAST, SIM_PRIORITY_FIRST, 4096 * 10, 4096 * 5);
    assert_int_equal(lines_with(&none, policy, SIM_PRIORITY_LAST), 5 * 32);
    assert_int_equal(sim_priority_of(&none, policy, 10 * 32), SIM_PRIORITY_LAST);
    assert_int_equal(sim_priority_of(&none, policy, 15 * 32), SIM_PRIORITY_FIRST);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ratios_are_rounded_up_to_sixteenths),
        cmocka_unit_test(a_window_is_for_its_own_bytes),
        cmocka_unit_test(a_ratio_chooses_lines_and_leaves_the_rest_the_other_priority),
        cmocka_unit_test(a_policy_comes_before_the_window),
        cmocka_unit_test(a_fraction_leaves_the_rest_to_the_second_priority),
        cmocka_unit_test(known_encodings_mean_what_they_mean_on_hardware),
        cmocka_unit_test(a_range_has_two_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
