/* Start and end of operations on the simulated machine; kernels are compared with an H100. */
#include "time/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static sim_clock clock_of(void) {
    return (sim_clock){.machine = sim_machine_find("h100")};
}

static sim_span kernel_at(sim_clock *c, double ready, double us, sim_kernel_load load) {
    sim_span span;
    assert_int_equal(sim_clock_place_kernel(c, &load, ready, us, &span), HAUL_OK);
    return span;
}

static void assert_about(double value, double goal) {
    assert_true(value > 0.98 * goal && value < 1.02 * goal);
}

/* Computing blocks of 1024 threads, two of which fit on an SM. */
static sim_kernel_load computing(double blocks) {
    return (sim_kernel_load){.slots = blocks < 264 ? blocks / 264 : 1,
                             .sms = blocks < 132 ? blocks / 132 : 1,
                             .issue = 1,
                             .waves = blocks > 264};
}

static void one_kernel_takes_its_time(void **state) {
    (void)state;
    sim_clock c = clock_of();
    const sim_span s = kernel_at(&c, 10, 100, computing(264));
    assert_true(s.from == 10 && s.to == 110);
    sim_clock_free(&c);
}

/* 66 blocks and 66 blocks: 363 us on an H100, where each launch alone takes 361. */
static void kernels_on_different_sms_run_side_by_side(void **state) {
    (void)state;
    sim_clock c = clock_of();
    kernel_at(&c, 0, 361, computing(66));
    const sim_span second = kernel_at(&c, 0, 361, computing(66));
    assert_true(second.from == 0);
    assert_about(second.to, 363);
    sim_clock_free(&c);
}

/* 132 and 132 blocks: 713 us, the sum. */
static void kernels_that_share_sms_share_what_these_do(void **state) {
    (void)state;
    sim_clock c = clock_of();
    kernel_at(&c, 0, 360, computing(132));
    assert_about(kernel_at(&c, 0, 360, computing(132)).to, 713);
    sim_clock_free(&c);
}

/* 66 and 132 blocks: 713 us, since some SMs have both. */
static void the_slowest_block_decides(void **state) {
    (void)state;
    sim_clock c = clock_of();
    kernel_at(&c, 0, 361, computing(66));
    assert_about(kernel_at(&c, 0, 360, computing(132)).to, 713);
    sim_clock_free(&c);
}

/* 264 blocks fill the machine: 1416 us. */
static void a_full_machine_takes_no_more(void **state) {
    (void)state;
    sim_clock c = clock_of();
    kernel_at(&c, 0, 713, computing(264));
    const sim_span second = kernel_at(&c, 0, 713, computing(264));
    assert_true(second.from == 713);
    assert_about(second.to, 1416);
    sim_clock_free(&c);
}

/* 66 blocks, then 2640 short ones, which go wherever there is room: 888 us. */
static void waves_of_blocks_go_around_what_is_busy(void **state) {
    (void)state;
    sim_clock c = clock_of();
    kernel_at(&c, 0, 361, computing(66));
    assert_about(kernel_at(&c, 0, 713, computing(2640)).to, 890);
    sim_clock_free(&c);
}

/* In the reverse order: 1076 us. */
static void a_small_kernel_waits_for_the_waves_before_it(void **state) {
    (void)state;
    sim_clock c = clock_of();
    kernel_at(&c, 0, 713, computing(2640));
    assert_about(kernel_at(&c, 0, 361, computing(66)).to, 1076);
    sim_clock_free(&c);
}

/* A copy and a computation, an eighth of the machine each: 326 us; the copy alone takes 313. */
static void what_needs_different_things_goes_on_at_full_speed(void **state) {
    (void)state;
    sim_clock c = clock_of();
    kernel_at(&c, 0, 97, (sim_kernel_load){.slots = 0.125, .sms = 1, .issue = 0.9});
    const sim_span copy =
        kernel_at(&c, 0, 313, (sim_kernel_load){.slots = 0.125, .sms = 1, .issue = 0.1, .memory = 0.55});
    assert_about(copy.to, 313);
    sim_clock_free(&c);
}

/* Two copies by 33 blocks each take 378 us; alone 316 us. */
static void copies_share_the_memory(void **state) {
    (void)state;
    sim_clock c = clock_of();
    const sim_kernel_load copy = {.slots = 0.125, .sms = 0.25, .issue = 0.1, .memory = 0.56};
    kernel_at(&c, 0, 316, copy);
    const double end = kernel_at(&c, 0, 316, copy).to;
    assert_true(end > 340 && end < 400);
    sim_clock_free(&c);
}

static void a_gap_is_used_by_what_comes_later(void **state) {
    (void)state;
    sim_clock c = clock_of();
    kernel_at(&c, 100, 50, computing(264));
    assert_true(kernel_at(&c, 0, 60, computing(264)).to == 60);
    const sim_span around = kernel_at(&c, 60, 60, computing(264));
    assert_true(around.from == 60 && around.to == 170);
    sim_clock_free(&c);
}

static void thousands_of_kernels_leave_a_short_list(void **state) {
    (void)state;
    sim_clock c = clock_of();
    double end = 0;
    for (unsigned i = 0; i < 10000; i++) end = kernel_at(&c, end, 5, computing(2640)).to;
    assert_true(c.kernels.count <= 2);
    sim_clock_free(&c);
}

/* ---- several devices ---- */

static sim_span transfer_at(sim_clock *c, sim_engine engine, uint64_t bytes) {
    sim_span span;
    assert_int_equal(sim_clock_place(c, engine, 0, sim_link_us(c->machine, bytes), &span), HAUL_OK);
    return span;
}

/* 1 GiB to each of two H200 at once: 88 GB/s together were measured. */
static void neighbours_share_the_rate_of_the_host(void **state) {
    (void)state;
    sim_clock a = {.machine = sim_machine_find("h200")}, b = a;
    a.neighbour = &b, b.neighbour = &a;
    const double bytes = 1 << 30;
    transfer_at(&a, SIM_ENGINE_IN, 1 << 30);
    const sim_span second = transfer_at(&b, SIM_ENGINE_IN, 1 << 30);
    assert_about(2 * bytes / second.to * 1e-3, 88);
    sim_clock_free(&a);
    sim_clock_free(&b);
}

static sim_span between(sim_clock *from, sim_clock *to, double us) {
    sim_span span;
    assert_int_equal(sim_clock_place_between(from, to, 0, us, &span), HAUL_OK);
    return span;
}

/* Both directions at once take no longer, since NVLink has links for each; a second copy in one direction waits, and so
 * does one from a third device. */
static void a_copy_between_devices_needs_the_links_of_both(void **state) {
    (void)state;
    sim_clock a = {.machine = sim_machine_find("h200")}, b = a, c = a;
    const double us = sim_peer_copy_us(a.machine, 1 << 30);
    assert_about((1 << 30) / us * 1e-3, 395);
    assert_true(between(&a, &b, us).to == us);
    assert_true(between(&b, &a, us).to == us);
    assert_true(between(&a, &c, us).from == us);
    assert_true(between(&c, &b, us).from == us);
    assert_true(transfer_at(&a, SIM_ENGINE_IN, 1 << 20).from == 0);
    sim_clock_free(&a);
    sim_clock_free(&b);
    sim_clock_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_share_the_rate_of_the_host),
        cmocka_unit_test(a_copy_between_devices_needs_the_links_of_both),
        cmocka_unit_test(one_kernel_takes_its_time),
        cmocka_unit_test(kernels_on_different_sms_run_side_by_side),
        cmocka_unit_test(kernels_that_share_sms_share_what_these_do),
        cmocka_unit_test(the_slowest_block_decides),
        cmocka_unit_test(a_full_machine_takes_no_more),
        cmocka_unit_test(waves_of_blocks_go_around_what_is_busy),
        cmocka_unit_test(a_small_kernel_waits_for_the_waves_before_it),
        cmocka_unit_test(what_needs_different_things_goes_on_at_full_speed),
        cmocka_unit_test(copies_share_the_memory),
        cmocka_unit_test(a_gap_is_used_by_what_comes_later),
        cmocka_unit_test(thousands_of_kernels_leave_a_short_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
