/* alloca and its kin: where a thread's stack is. */
#include "kernel.h"

/* Lane l allocates 16 * (1 + l % 4) bytes: how far the memory is from that of lane 0. */
static void a_larger_allocation_begins_further_down(void **state) {
    (void)state;
    uint32_t out[32] = {0};
    run_words(KERNEL(".reg .b64 p, n;\nand.b32 %r5, %r0, 3;\nadd.u32 %r5, %r5, 1;\nmul.wide.u32 n, %r5, 16;\n"
                     "alloca.u64 p, n, 16;\ncvt.u32.u64 %r6, p;\nshfl.sync.idx.b32 %r7, %r6, 0, 31, -1;\n"
                     "sub.u32 %r8, %r7, %r6;\n" OUT("%r8")),
              1, 32, out);
    for (uint32_t lane = 0; lane < 32; lane++) assert_int_equal(out[lane], 16 * (lane % 4));
}

static void allocations_follow_each_other_and_are_aligned(void **state) {
    (void)state;
    uint32_t out[32] = {0};
    run_words(
        KERNEL(".reg .b64 p, q, d;\nalloca.u64 p, 64, 128;\nalloca.u64 q, 40, 64;\nsub.u64 d, p, q;\n"
               "cvt.u32.u64 %r5, d;\ncvt.u32.u64 %r6, p;\nand.b32 %r6, %r6, 127;\nadd.u32 %r5, %r5, %r6;\n" OUT("%r5")),
        1, 32, out);
    for (uint32_t lane = 0; lane < 32; lane++) assert_int_equal(out[lane], 64);
}

static void what_was_given_back_is_allocated_again(void **state) {
    (void)state;
    uint32_t out[32] = {0};
    run_words(KERNEL(".reg .b64 s, p, q;\nstacksave.u64 s;\nalloca.u64 p, 64;\nst.local.u32 [p], %r0;\n"
                     "stackrestore.u64 s;\nalloca.u64 q, 64;\nld.local.u32 %r5, [q];\n" OUT("%r5")),
              1, 32, out);
    for (uint32_t lane = 0; lane < 32; lane++) assert_int_equal(out[lane], lane);
}

static void more_than_the_stack_holds_is_a_fault(void **state) {
    (void)state;
    expect_failure(&(kernel_run){.ptx = KERNEL(".reg .b64 p;\nalloca.u64 p, 1000;\nalloca.u64 p, 25;\n")},
                   HAUL_ERROR_FAULT, "stack overflow: alloca of 25 bytes, but 1000 of the stack's 1024 are in use");
    expect_failure(&(kernel_run){.ptx = KERNEL(".reg .b64 p;\nmov.u64 %rd4, -16;\nalloca.u64 p, %rd4;\n")},
                   HAUL_ERROR_FAULT, "stack overflow");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_larger_allocation_begins_further_down),
        cmocka_unit_test(allocations_follow_each_other_and_are_aligned),
        cmocka_unit_test(what_was_given_back_is_allocated_again),
        cmocka_unit_test(more_than_the_stack_holds_is_a_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
