/* Timing on a virtual GPU, whose times are estimates: what is rotated, in which order, and what comes of failures. */
#include "lib/timing.h"

#include "base/status.h"

#include <haul/kernels.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { FLOATS = 1 << 21 };

typedef struct copying {
    haul_kernels *kernels;
    haul_buffer *in, *out;
    uint32_t floats;
    unsigned launches, sets[4];
} copying;

static haul_status queue_copy(void *context, unsigned set) {
    copying *c = context;
    c->launches++;
    c->sets[set]++;
    return haul_copy(c->kernels, HAUL_COPY_AUTO, c->floats, c->in, c->out, NULL);
}

static haul_device *open_device(copying *c) {
    haul_device *device;
    *c = (copying){.floats = FLOATS};
    assert_int_equal(haul_device_open("sim:h100", NULL, &device), HAUL_OK);
    assert_int_equal(haul_kernels_open(device, &c->kernels), HAUL_OK);
    assert_int_equal(haul_buffer_create(device, FLOATS * sizeof(float), &c->in), HAUL_OK);
    assert_int_equal(haul_buffer_create(device, FLOATS * sizeof(float), &c->out), HAUL_OK);
    return device;
}

static void close_device(haul_device *device, copying *c) {
    haul_kernels_close(c->kernels);
    haul_device_close(device);
}

static void a_virtual_gpu_needs_one_round_over_one_set(void **state) {
    (void)state;
    copying c;
    haul_device *device = open_device(&c);
    timing_plan plan = timing_plan_for(device, 40);
    assert_int_equal(plan.rounds, 1);
    assert_int_equal(plan.warm_up, 0);
    assert_int_equal(timing_sets(device, 1 << 20), 1);
    close_device(device, &c);
}

static void more_bytes_take_longer(void **state) {
    (void)state;
    copying all, half;
    haul_device *device = open_device(&all);
    half = all;
    half.floats = FLOATS / 8;
    const timing_work works[] = {{queue_copy, &all}, {queue_copy, &half}};
    const timing_plan plan = timing_plan_for(device, 0);
    double samples[2];
    assert_int_equal(timing_measure(device, works, 2, &plan, samples), HAUL_OK);
    assert_true(samples[1] > 0.5);
    assert_true(samples[0] > samples[1] * 1.2);
    close_device(device, &all);
}

static void a_train_rotates_over_the_sets_and_counts_as_one_launch(void **state) {
    (void)state;
    copying c;
    haul_device *device = open_device(&c);
    const timing_work work = {queue_copy, &c};
    const timing_plan single = {.rounds = 1, .train = 1, .sets = 1},
                      train = {.rounds = 2, .warm_up = 1, .train = 4, .sets = 2};
    double one, four[2];
    assert_int_equal(timing_measure(device, &work, 1, &single, &one), HAUL_OK);
    c.launches = c.sets[0] = c.sets[1] = 0;
    assert_int_equal(timing_measure(device, &work, 1, &train, four), HAUL_OK);
    assert_int_equal(c.launches, 12);
    assert_int_equal(c.sets[0], 6);
    assert_int_equal(c.sets[1], 6);
    assert_true(fabs(four[1] - one) < 0.01 * one);
    close_device(device, &c);
}

static haul_status never_works(void *context, unsigned set) {
    (void)context, (void)set;
    return haul_fail(HAUL_ERROR_LIMIT, "this work never works");
}

static void a_work_that_fails_ends_the_measurement(void **state) {
    (void)state;
    copying c;
    haul_device *device = open_device(&c);
    const timing_work works[] = {{never_works, NULL}};
    const timing_plan plan = timing_plan_for(device, 0);
    double sample;
    assert_int_equal(timing_measure(device, works, 1, &plan, &sample), HAUL_ERROR_LIMIT);
    assert_string_equal(haul_message(), "this work never works");
    close_device(device, &c);
}

static void a_summary_has_median_quartiles_and_ends(void **state) {
    (void)state;
    const double samples[] = {9, 1, 5, 3, 7};
    timing_summary s;
    assert_int_equal(timing_summarise(samples, 5, &s), HAUL_OK);
    assert_true(s.median == 5 && s.low == 3 && s.high == 7 && s.least == 1 && s.most == 9);
    assert_int_equal(timing_summarise(samples, 2, &s), HAUL_OK);
    assert_true(s.median == 5 && s.low == 3 && s.high == 7);
}

/* Both get slower from round to round; their ratio does not change. */
static void drift_falls_out_of_ratios(void **state) {
    (void)state;
    const double own[] = {10, 20, 40}, reference[] = {15, 30, 60};
    timing_summary s;
    assert_int_equal(timing_compare(own, reference, 3, &s), HAUL_OK);
    assert_true(s.median == 1.5 && s.least == 1.5 && s.most == 1.5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_virtual_gpu_needs_one_round_over_one_set),
        cmocka_unit_test(more_bytes_take_longer),
        cmocka_unit_test(a_train_rotates_over_the_sets_and_counts_as_one_launch),
        cmocka_unit_test(a_work_that_fails_ends_the_measurement),
        cmocka_unit_test(a_summary_has_median_quartiles_and_ends),
        cmocka_unit_test(drift_falls_out_of_ratios),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
