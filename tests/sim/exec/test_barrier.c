/* Block barriers in all their forms. */
#include "kernel.h"

#define SHARED_WORDS ".shared .align 4 .b8 words[4096];\n"

static void a_barrier_orders_all_threads_of_the_block(void **state) {
    (void)state;
    uint32_t out[256];
    run_words(KERNEL_WITH(SHARED_WORDS, "mov.u32 %r3, words;\n"
                                        "mad.lo.u32 %r4, %r0, 4, %r3;\n"
                                        "st.shared.u32 [%r4], %r0;\n"
                                        "bar.sync 0;\n"
                                        "xor.b32 %r5, %r0, 255;\n"
                                        "mad.lo.u32 %r4, %r5, 4, %r3;\n"
                                        "ld.shared.u32 %r6, [%r4];\n" OUT("%r6")),
              1, 256, out);
    expect_words(out, 256, i ^ 255);
}

static void threads_that_have_ended_are_not_waited_for(void **state) {
    (void)state;
    uint32_t out[96];
    run_words(KERNEL("setp.lt.u32 %p0, %r0, 40;\n"
                     "@%p0 ret;\n"
                     "bar.sync 0;\n"
                     "bar.sync 0;\n"
                     "mov.u32 %r3, 1;\n" OUT("%r3")),
              1, 96, out);
    expect_words(out, 96, i >= 40);
}

static void threads_that_end_late_open_the_barrier(void **state) {
    (void)state;
    uint32_t out[64];
    run_words(KERNEL("mov.u32 %r3, 0;\n"
                     "setp.ge.u32 %p0, %r0, 32;\n"
                     "@%p0 bra WAIT;\n"
                     "LOOP: add.u32 %r3, %r3, 1;\n"
                     "setp.lt.u32 %p1, %r3, 20000;\n"
                     "@%p1 bra LOOP;\n"
                     "ret;\n"
                     "WAIT: bar.sync 0;\n"
                     "mov.u32 %r3, 1;\n" OUT("%r3")),
              1, 64, out);
    expect_words(out, 64, i >= 32);
}

static void a_block_that_ends_in_the_middle_of_a_warp_has_whole_warps_at_barriers(void **state) {
    (void)state;
    uint32_t out[40];
    run_words(KERNEL("bar.sync 3, 64;\n"
                     "mov.u32 %r3, 1;\n" OUT("%r3")),
              1, 40, out);
    expect_words(out, 40, 1);
}

/* Lane 3 of the second warp has ended, and the others arrive in two parts: the warp still counts as 32. */
static void a_warp_counts_whole_when_its_live_lanes_have_come(void **state) {
    (void)state;
    uint32_t out[64];
    run_words(KERNEL("setp.eq.u32 %p0, %r0, 35;\n"
                     "@%p0 ret;\n"
                     "setp.lt.u32 %p1, %r0, 48;\n"
                     "@%p1 bra FIRST;\n"
                     "barrier.sync 1, 64;\n"
                     "mov.u32 %r3, 1;\n"
                     "bra DONE;\n"
                     "FIRST: barrier.sync 1, 64;\n"
                     "mov.u32 %r3, 2;\n"
                     "DONE:\n" OUT("%r3")),
              1, 64, out);
    expect_words(out, 64, i == 35 ? 0 : i < 48 ? 2 : 1);
}

static void producers_arrive_and_consumers_wait(void **state) {
    (void)state;
    uint32_t out[64];
    run_words(KERNEL_WITH(SHARED_WORDS, "mov.u32 %r3, words;\n"
                                        "and.b32 %r4, %r0, 31;\n"
                                        "mad.lo.u32 %r4, %r4, 4, %r3;\n"
                                        "mov.u32 %r5, 0;\n"
                                        "setp.lt.u32 %p0, %r0, 32;\n"
                                        "@!%p0 bra PRODUCE;\n"
                                        "bar.sync 1, 64;\n"
                                        "ld.shared.u32 %r5, [%r4];\n"
                                        "bra DONE;\n"
                                        "PRODUCE: st.shared.u32 [%r4], %r0;\n"
                                        "bar.arrive 1, 64;\n"
                                        "DONE:\n" OUT("%r5")),
              1, 64, out);
    expect_words(out, 64, i < 32 ? i + 32 : 0);
}

/* Two barriers back and forth, many times. */
static void named_barriers_hand_over_again_and_again(void **state) {
    (void)state;
    uint32_t out[64];
    run_words(KERNEL_WITH(SHARED_WORDS, "mov.u32 %r3, words;\n"
                                        "and.b32 %r4, %r0, 31;\n"
                                        "mad.lo.u32 %r4, %r4, 4, %r3;\n"
                                        "mov.u32 %r5, 0;\n"
                                        "mov.u32 %r6, 0;\n"
                                        "setp.lt.u32 %p0, %r0, 32;\n"
                                        "LOOP: @%p0 bra CONSUME;\n"
                                        "add.u32 %r7, %r5, %r0;\n"
                                        "st.shared.u32 [%r4], %r7;\n"
                                        "barrier.arrive 1, 64;\n"
                                        "barrier.sync 2, 64;\n"
                                        "bra NEXT;\n"
                                        "CONSUME: barrier.sync 1, 64;\n"
                                        "ld.shared.u32 %r7, [%r4];\n"
                                        "add.u32 %r6, %r6, %r7;\n"
                                        "barrier.arrive 2, 64;\n"
                                        "NEXT: add.u32 %r5, %r5, 1;\n"
                                        "setp.lt.u32 %p1, %r5, 100;\n"
                                        "@%p1 bra LOOP;\n" OUT("%r6")),
              1, 64, out);
    expect_words(out, 64, i < 32 ? 100 * (i + 32) + 4950 : 0);
}

static void the_barriers_number_may_come_from_a_register(void **state) {
    (void)state;
    uint32_t out[128];
    run_words(KERNEL("shr.u32 %r3, %r0, 6;\n" /* warps 0 and 1 synchronise at 1, warps 2 and 3 at 2 */
                     "add.u32 %r3, %r3, 1;\n"
                     "mov.u32 %r4, 64;\n"
                     "barrier.sync %r3, %r4;\n" OUT("%r3")),
              1, 128, out);
    expect_words(out, 128, i / 64 + 1);
}

static void a_guarded_barrier_is_for_the_warps_whose_lanes_it_lets_through(void **state) {
    (void)state;
    uint32_t out[64];
    run_words(KERNEL("setp.lt.u32 %p0, %r0, 32;\n"
                     "@%p0 bar.sync 1, 32;\n"
                     "mov.u32 %r3, 1;\n" OUT("%r3")),
              1, 64, out);
    expect_words(out, 64, 1);
}

static void lanes_that_the_guard_leaves_out_go_on(void **state) {
    (void)state;
    uint32_t out[64];
    run_words(KERNEL("setp.lt.u32 %p0, %r0, 16;\n"
                     "@%p0 barrier.sync 1;\n"
                     "@!%p0 barrier.sync 1;\n"
                     "mov.u32 %r3, 1;\n" OUT("%r3")),
              1, 64, out);
    expect_words(out, 64, 1);
}

static void a_barrier_in_one_half_of_a_warp_opens_when_the_other_has_ended(void **state) {
    (void)state;
    uint32_t out[64];
    run_words(KERNEL("setp.lt.u32 %p0, %r0, 48;\n"
                     "@!%p0 bra OVER;\n"
                     "barrier.sync 0;\n"
                     "OVER: mov.u32 %r3, 1;\n" OUT("%r3")),
              1, 64, out);
    expect_words(out, 64, 1);
}

static void reductions_count_and_combine_over_the_block(void **state) {
    (void)state;
    uint32_t out[96];
    run_words(KERNEL("setp.lt.u32 %p0, %r0, 50;\n"
                     "bar.red.popc.u32 %r3, 0, %p0;\n"
                     "barrier.red.popc.u32 %r4, 0, 96, !%p0;\n"
                     "mad.lo.u32 %r3, %r4, 1000, %r3;\n"
                     "setp.lt.u32 %p1, %r0, 200;\n"
                     "bar.red.and.pred %p2, 0, %p1;\n"
                     "bar.red.and.pred %p3, 0, %p0;\n"
                     "barrier.red.or.pred %p4, 0, %p0;\n"
                     "barrier.red.or.pred %p5, 0, !%p1;\n"
                     "selp.u32 %r5, 1, 0, %p2;\n"
                     "selp.u32 %r6, 2, 0, %p3;\n"
                     "or.b32 %r5, %r5, %r6;\n"
                     "selp.u32 %r6, 4, 0, %p4;\n"
                     "or.b32 %r5, %r5, %r6;\n"
                     "selp.u32 %r6, 8, 0, %p5;\n"
                     "or.b32 %r5, %r5, %r6;\n"
                     "mad.lo.u32 %r3, %r5, 1000000, %r3;\n" OUT("%r3")),
              1, 96, out);
    expect_words(out, 96, 5 * 1000000 + 46 * 1000 + 50);
}

static void a_reduction_counts_threads_of_diverged_warps(void **state) {
    (void)state;
    uint32_t out[64];
    run_words(KERNEL("and.b32 %r4, %r0, 1;\n"
                     "setp.ne.u32 %p0, %r4, 0;\n"
                     "@%p0 bra ODD;\n"
                     "barrier.red.popc.u32 %r3, 0, %p0;\n"
                     "bra DONE;\n"
                     "ODD: barrier.red.popc.u32 %r3, 0, %p0;\n"
                     "DONE:\n" OUT("%r3")),
              1, 64, out);
    expect_words(out, 64, 32);
}

static void wrong_operands_are_errors(void **state) {
    (void)state;
    expect_failure(&(kernel_run){.ptx = KERNEL("mov.u32 %r3, 16;\nbar.sync %r3;\n")}, HAUL_ERROR_FAULT,
                   "a block has barriers 0 to 15");
    expect_failure(&(kernel_run){.ptx = KERNEL("mov.u32 %r7, 33;\nbar.sync 1, %r7;\n")}, HAUL_ERROR_FAULT,
                   "not a multiple of 32");
    expect_failure(&(kernel_run){.ptx = KERNEL("bar.sync 16;\n")}, HAUL_ERROR_SYNTAX, "test.ptx:");
}

static void threads_that_never_come_are_a_deadlock(void **state) {
    (void)state;
    expect_failure(&(kernel_run){.ptx = KERNEL("bar.sync 1, 64;\n")}, HAUL_ERROR_DEADLOCK,
                   "barrier 1: 32 of 64 threads have arrived");
    expect_failure(&(kernel_run){.ptx = KERNEL("setp.lt.u32 %p0, %r0, 32;\n"
                                               "@%p0 bra A;\n"
                                               "bar.sync 1;\n"
                                               "A: bar.sync 0;\n"),
                                 .threads = 64},
                   HAUL_ERROR_DEADLOCK, "32 threads (warp 0) wait at PTX line ");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_barrier_orders_all_threads_of_the_block),
        cmocka_unit_test(threads_that_have_ended_are_not_waited_for),
        cmocka_unit_test(threads_that_end_late_open_the_barrier),
        cmocka_unit_test(a_block_that_ends_in_the_middle_of_a_warp_has_whole_warps_at_barriers),
        cmocka_unit_test(a_warp_counts_whole_when_its_live_lanes_have_come),
        cmocka_unit_test(producers_arrive_and_consumers_wait),
        cmocka_unit_test(named_barriers_hand_over_again_and_again),
        cmocka_unit_test(the_barriers_number_may_come_from_a_register),
        cmocka_unit_test(a_guarded_barrier_is_for_the_warps_whose_lanes_it_lets_through),
        cmocka_unit_test(lanes_that_the_guard_leaves_out_go_on),
        cmocka_unit_test(a_barrier_in_one_half_of_a_warp_opens_when_the_other_has_ended),
        cmocka_unit_test(reductions_count_and_combine_over_the_block),
        cmocka_unit_test(a_reduction_counts_threads_of_diverged_warps),
        cmocka_unit_test(wrong_operands_are_errors),
        cmocka_unit_test(threads_that_never_come_are_a_deadlock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
