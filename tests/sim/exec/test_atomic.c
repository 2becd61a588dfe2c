/* Atomics between lanes, warps and blocks. tests/sim/exec/isa/atomic.isa tests each operation. */
#include "kernel.h"

static void lanes_that_hit_one_word_take_turns(void **state) {
    (void)state;
    uint32_t out[256];
    run_words(KERNEL_WITH(".shared .u32 tickets;\n", "setp.eq.u32 %p0, %r0, 0;\n"
                                                     "@%p0 st.shared.u32 [tickets], 0;\n"
                                                     "bar.sync 0;\n"
                                                     "atom.shared.add.u32 %r3, [tickets], 1;\n" OUT("%r3")),
              1, 256, out);
    uint32_t seen[8] = {0};
    for (unsigned t = 0; t < 256; t++) seen[out[t] / 32] |= 1u << out[t] % 32;
    for (unsigned k = 0; k < 8; k++) assert_int_equal(seen[k], 0xffffffff);
}

/* The usual way to build an atomic operation; lanes of a warp contend with each other. */
static void compare_and_swap_loops_come_to_an_end(void **state) {
    (void)state;
    uint32_t out[300] = {0};
    run_kernel(&(kernel_run){.ptx = KERNEL("ld.global.u32 %r3, [%rd0];\n"
                                           "AGAIN: mov.u32 %r4, %r3;\n"
                                           "mad.lo.u32 %r5, %r1, 2, 1;\n"
                                           "add.u32 %r5, %r5, %r4;\n"
                                           "atom.global.cas.b32 %r3, [%rd0], %r4, %r5;\n"
                                           "setp.ne.u32 %p0, %r3, %r4;\n"
                                           "@%p0 bra AGAIN;\n"),
                             .blocks = 3,
                             .threads = 100,
                             .host_threads = 2,
                             INTO(out)});
    assert_int_equal(out[0], 300 * 300); /* the sum of the first 300 odd numbers */
}

static void blocks_reduce_into_one_place_whatever_runs_first(void **state) {
    (void)state;
    uint64_t out[8] = {0, 0, UINT64_MAX, 0, 0, 0, 0, 0};
    const double one = 1;
    run_kernel(&(kernel_run){.ptx = KERNEL("cvt.u64.u32 %rd3, %r1;\n"
                                           "red.global.add.u64 [%rd0], %rd3;\n"
                                           "red.global.max.u64 [%rd0+8], %rd3;\n"
                                           "red.global.min.s64 [%rd0+16], %rd3;\n"
                                           "and.b32 %r4, %r1, 63;\n"
                                           "shl.b64 %rd4, 1, %r4;\n"
                                           "red.global.or.b64 [%rd0+24], %rd4;\n"
                                           "red.global.xor.b64 [%rd0+32], %rd4;\n"
                                           "red.global.add.f64 [%rd0+40], 0d3FF0000000000000;\n"
                                           "red.global.inc.u32 [%rd0+48], 999;\n"
                                           "red.global.dec.u32 [%rd0+52], 999;\n"
                                           "atom.global.add.u32 %r5, [%rd0+56], 2;\n"),
                             .blocks = 200,
                             .threads = 128,
                             .host_threads = 4,
                             INTO(out)});
    double sum;
    memcpy(&sum, &out[5], 8);
    assert_true(out[0] == 25600ull * 25599 / 2 && out[1] == 25599 && out[2] == UINT64_MAX);
    assert_true(out[3] == UINT64_MAX && out[4] == 0 && sum == 25600 * one);
    assert_int_equal(out[6], (25600 % 1000) | (uint64_t)(1000 - 25600 % 1000) << 32);
    assert_int_equal(out[7], 51200);
}

static void a_result_that_a_guard_leaves_out_is_kept(void **state) {
    (void)state;
    uint32_t out[32];
    run_words(KERNEL("mov.u32 %r3, 500;\n"
                     "and.b32 %r4, %r0, 1;\n"
                     "setp.ne.u32 %p0, %r4, 0;\n"
                     "@%p0 atom.global.add.u32 %r3, [%rd2], 5;\n"
                     "ld.global.u32 %r5, [%rd2];\n"
                     "add.u32 %r3, %r3, %r5;\n" OUT("%r3")),
              1, 32, out);
    expect_words(out, 32, i & 1 ? 5 : 500);
}

/* Waits for another block with every suitable kind of access. */
static void flags_of_other_blocks_are_seen(void **state) {
    (void)state;
    static const char *const loads[] = {
        "ld.volatile.global.u32 %r3, [%rd0];\n", "ld.relaxed.gpu.global.u32 %r3, [%rd0];\n",
        "ld.acquire.sys.u32 %r3, [%rd0];\n",     "ld.global.cv.u32 %r3, [%rd0];\n",
        "atom.global.or.b32 %r3, [%rd0], 0;\n",  "atom.acquire.gpu.global.cas.b32 %r3, [%rd0], 7, 7;\n"};
    static const char *const stores[] = {"st.volatile.global.u32 [%rd0], 1;\n",
                                         "st.relaxed.gpu.global.u32 [%rd0], 1;\n",
                                         "st.release.sys.u32 [%rd0], 1;\n",
                                         "membar.gl;\nst.global.u32 [%rd0], 1;\n",
                                         "red.release.gpu.global.or.b32 [%rd0], 1;\n",
                                         "atom.global.exch.b32 %r4, [%rd0], 1;\n"};
    for (unsigned k = 0; k < 6; k++) {
        char ptx[2048];
        uint32_t out[2] = {0, 0};
        /* Block 0 waits for block 1. */
        snprintf(ptx, sizeof ptx, "%s%s%s%s%s%s", HEAD BEGIN,
                 "mov.u32 %r9, %ctaid.x;\nsetp.ne.u32 %p0, %r9, 0;\n@%p0 bra SET;\nWAIT: ", loads[k],
                 "setp.eq.u32 %p1, %r3, 0;\n@%p1 bra WAIT;\nst.global.u32 [%rd0+4], 5;\nret;\nSET: ", stores[k], END);
        run_kernel(&(kernel_run){.ptx = ptx, .blocks = 2, .threads = 1, .host_threads = 2, INTO(out)});
        assert_int_equal(out[1], 5);
    }
}

/* Outside of what PTX defines, but as on an H200: compilers make this of an atomic variable on the stack. Odd lanes use
 * shared memory. */
static void a_generic_address_may_lie_in_the_threads_own_memory(void **state) {
    (void)state;
    uint32_t out[64];
    run_words(KERNEL_WITH(".shared .align 8 .b8 both[512];\n",
                          ".local .align 8 .b8 own[8];\nmov.u64 %rd3, own;\ncvta.local.u64 %rd3, %rd3;\n"
                          "mov.u64 %rd4, both;\ncvta.shared.u64 %rd4, %rd4;\nmad.wide.u32 %rd4, %r0, 8, %rd4;\n"
                          "and.b32 %r3, %r0, 1;\nsetp.ne.u32 %p0, %r3, 0;\nselp.b64 %rd3, %rd4, %rd3, %p0;\n"
                          "cvt.u64.u32 %rd5, %r0;\nst.u64 [%rd3], %rd5;\n"
                          "atom.add.acq_rel.sys.u32 %r4, [%rd3], 100;\nred.add.u32 [%rd3], 1000;\n"
                          "add.u64 %rd6, %rd5, 1100;\natom.cas.b64 %rd7, [%rd3], %rd6, 5;\n"
                          "ld.u32 %r5, [%rd3];\nmad.lo.u32 %r5, %r5, 1000, %r4;\n" OUT("%r5")),
              1, 64, out);
    expect_words(out, 64, 5000 + i);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_that_hit_one_word_take_turns),
        cmocka_unit_test(compare_and_swap_loops_come_to_an_end),
        cmocka_unit_test(blocks_reduce_into_one_place_whatever_runs_first),
        cmocka_unit_test(a_result_that_a_guard_leaves_out_is_kept),
        cmocka_unit_test(flags_of_other_blocks_are_seen),
        cmocka_unit_test(a_generic_address_may_lie_in_the_threads_own_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
