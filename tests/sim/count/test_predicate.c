/* Copies around L1 whose guard is off for some lanes: which of them Nsight Compute counts (`guard_*` of
 * tests/data/corpus/rules.cu, counted on an H100). */
#include "kernel.h"

/* Eight lanes copy a whole line; %p0 is set in lanes below `lanes`. */
#define COPY "cp.async.cg.shared.global [%r10], [%rd4], 16;\n"
#define BEHIND "cp.async.wait_all;\n" OUT("%r0")
#define AT(lanes, computed, guarded)                 \
    KERNEL_WITH(".shared .align 128 .b8 s[4096];\n", \
                "mov.u32 %r9, s;\nsetp.lt.u32 %p0, %r0, " #lanes ";\n" computed guarded BEHIND)
#define ADDRESSES "mad.lo.u32 %r10, %r0, 16, %r9;\nmad.wide.u32 %rd4, %r0, 16, %rd1;\n"
#define BRANCHED(body) "@!%p0 bra SKIP;\n" body "SKIP:\n"

static haul_launch_record counted(const char *ptx) {
    static uint32_t in[128], out[32];
    haul_launch_record record;
    run_kernel(&(kernel_run){
        .ptx = ptx, .in = in, .in_bytes = sizeof in, .out = out, .out_bytes = sizeof out, .record = &record});
    return record;
}

#define ASSERT_COPIED(ptx, sectors, wavefronts, read)                                                 \
    do {                                                                                              \
        const haul_launch_record r_ = counted(ptx);                                                   \
        assert_int_equal((uint64_t)r_.counters[HAUL_COUNTER_LDGSTS_BYPASS_SECTORS], (sectors));       \
        assert_int_equal((uint64_t)r_.counters[HAUL_COUNTER_SHARED_LDGSTS_WAVEFRONTS], (wavefronts)); \
        assert_int_equal((uint64_t)r_.counters[HAUL_COUNTER_L2_READ_SECTORS], (read));                \
    } while (0)

static void lanes_that_are_off_count_where_their_addresses_are_known(void **state) {
    (void)state;
    ASSERT_COPIED(AT(32, ADDRESSES, "@%p0 " COPY), 16, 4, 16);
    ASSERT_COPIED(AT(8, ADDRESSES, "@%p0 " COPY), 16, 4, 4);
    ASSERT_COPIED(AT(0, ADDRESSES, "@%p0 " COPY), 16, 4, 0);
}

static void a_branch_round_nothing_but_copies_is_a_guard(void **state) {
    (void)state;
    ASSERT_COPIED(AT(8, ADDRESSES, BRANCHED(COPY)), 16, 4, 4);
    ASSERT_COPIED(AT(0, ADDRESSES, BRANCHED(COPY)), 16, 4, 0);
}

/* As __pipeline_memcpy_async() writes it. */
static void a_source_size_that_is_all_changes_nothing(void **state) {
    (void)state;
#define SIZED_COPY "cp.async.cg.shared.global [%r10], [%rd4], 16, 16;\n"
    ASSERT_COPIED(AT(8, ADDRESSES, BRANCHED(SIZED_COPY)), 16, 4, 4);
    ASSERT_COPIED(AT(8, ADDRESSES, "@%p0 " SIZED_COPY), 16, 4, 4);
}

/* Lanes below 8 copy, and the others write zeros. */
static void lanes_that_write_zeros_take_the_wavefronts_of_a_store(void **state) {
    (void)state;
    const haul_launch_record r =
        counted(AT(8, "mad.lo.u32 %r10, %r0, 16, %r9;\nmad.wide.u32 %rd4, %r0, 0, %rd1;\nselp.b32 %r11, 16, 0, %p0;\n",
                   "cp.async.cg.shared.global [%r10], [%rd4], 16, %r11;\n"));
    const haul_counter counter = HAUL_COUNTER_SHARED_LDGSTS_WAVEFRONTS;
    assert_true(r.bounds[counter].low == 4); /* all of them zeros, if the profiler misreads the predicate */
    assert_true(r.bounds[counter].low < r.counters[counter] && r.counters[counter] <= r.bounds[counter].high);
}

static void copies_without_a_predicate_have_no_bounds(void **state) {
    (void)state;
    const haul_launch_record r = counted(AT(32, ADDRESSES, COPY));
    const haul_bounds bounds = r.bounds[HAUL_COUNTER_SHARED_LDGSTS_WAVEFRONTS];
    assert_true(bounds.low == 4 && bounds.high == 4);
}

static void lanes_whose_addresses_are_computed_behind_the_branch_do_not_count(void **state) {
    (void)state;
    ASSERT_COPIED(AT(8, "", BRANCHED(ADDRESSES COPY)), 4, 1, 4);
}

static void copies_through_l1_count_lanes_that_copy(void **state) {
    (void)state;
    const haul_launch_record r = counted(AT(8, ADDRESSES, "@%p0 cp.async.ca.shared.global [%r10], [%rd4], 16;\n"));
    assert_int_equal((uint64_t)r.counters[HAUL_COUNTER_LDGSTS_ACCESS_SECTORS], 4);
    assert_int_equal((uint64_t)r.counters[HAUL_COUNTER_SHARED_LDGSTS_WAVEFRONTS], 1);
}

static void the_copies_arrive(void **state) {
    (void)state;
    uint32_t in[128], out[32] = {0};
    for (uint32_t i = 0; i < 128; i++) in[i] = i;
    run_kernel(&(kernel_run){
        .ptx = KERNEL_WITH(".shared .align 128 .b8 s[4096];\n",
                           "mov.u32 %r9, s;\nsetp.lt.u32 %p0, %r0, 8;\n" ADDRESSES "mov.u32 %r11, 7;\n"
                           "st.shared.u32 [%r10], %r11;\n" BRANCHED(COPY) "cp.async.wait_all;\n"
                                                                          "ld.shared.u32 %r12, [%r10];\n" OUT("%r12")),
        .in = in,
        .in_bytes = sizeof in,
        .out = out,
        .out_bytes = sizeof out});
    expect_words(out, 32, i < 8 ? 4 * i : 7);
}

/* Expects the numbers of copies issued, and of copies with an active lane, after a branch that `lanes` lanes of the
 * only warp do not take. */
#define ASSERT_ISSUED(ptx, issued, copying)                                                                          \
    do {                                                                                                             \
        const haul_launch_record r_ = counted(ptx);                                                                  \
        assert_int_equal((uint64_t)r_.counters[HAUL_COUNTER_INST_LDGSTS], (issued));                                 \
        assert_int_equal(                                                                                            \
            (uint64_t)(r_.counters[HAUL_COUNTER_INST_LDGSTS_ACCESS] + r_.counters[HAUL_COUNTER_INST_LDGSTS_BYPASS]), \
            (copying));                                                                                              \
    } while (0)
#define COPY_L1 "cp.async.ca.shared.global [%r10], [%rd4], 4;\n"
#define MUL "mul.lo.u32 %r10, %r10, 1;\n"

static void a_predicated_copy_is_issued_for_no_lane_too(void **state) {
    (void)state;
    ASSERT_ISSUED(AT(8, "", BRANCHED(ADDRESSES COPY)), 1, 1);
    ASSERT_ISSUED(AT(0, "", BRANCHED(ADDRESSES COPY)), 1, 0);
    ASSERT_ISSUED(AT(0, "", BRANCHED(ADDRESSES COPY_L1)), 1, 0);
    ASSERT_ISSUED(AT(0, ADDRESSES, "@%p0 " COPY), 1, 0);
}

static void what_is_long_stays_behind_its_branch(void **state) {
    (void)state;
#define EIGHT MUL MUL MUL MUL MUL MUL MUL MUL
    ASSERT_ISSUED(AT(0, "", BRANCHED(ADDRESSES EIGHT COPY)), 1, 0);
    ASSERT_ISSUED(AT(0, "", BRANCHED(ADDRESSES EIGHT EIGHT EIGHT COPY)), 0, 0);
    ASSERT_ISSUED(AT(8, "", BRANCHED(ADDRESSES EIGHT EIGHT EIGHT COPY)), 1, 1);
}

/* A copy weighs four: five copies and their addresses fit, six do not. */
static void copies_have_fillers_in_front(void **state) {
    (void)state;
    ASSERT_ISSUED(AT(0, "", BRANCHED(ADDRESSES COPY COPY COPY COPY COPY)), 5, 0);
    ASSERT_ISSUED(AT(0, "", BRANCHED(ADDRESSES COPY COPY COPY COPY COPY COPY)), 0, 0);
}

static void both_ways_round_a_branch_are_predicated(void **state) {
    (void)state;
#define EITHER "@!%p0 bra OTHER;\n" COPY "bra BOTH;\nOTHER:\n" COPY_L1 "BOTH:\n"
    ASSERT_ISSUED(AT(32, ADDRESSES, EITHER), 2, 1);
    ASSERT_ISSUED(AT(8, ADDRESSES, EITHER), 2, 2);
}

static void a_barrier_keeps_the_branch(void **state) {
    (void)state;
    ASSERT_ISSUED(AT(0, "", BRANCHED(ADDRESSES COPY "cp.async.commit_group;\n")), 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_that_are_off_count_where_their_addresses_are_known),
        cmocka_unit_test(a_branch_round_nothing_but_copies_is_a_guard),
        cmocka_unit_test(a_source_size_that_is_all_changes_nothing),
        cmocka_unit_test(lanes_that_write_zeros_take_the_wavefronts_of_a_store),
        cmocka_unit_test(copies_without_a_predicate_have_no_bounds),
        cmocka_unit_test(lanes_whose_addresses_are_computed_behind_the_branch_do_not_count),
        cmocka_unit_test(copies_through_l1_count_lanes_that_copy),
        cmocka_unit_test(the_copies_arrive),
        cmocka_unit_test(a_predicated_copy_is_issued_for_no_lane_too),
        cmocka_unit_test(what_is_long_stays_behind_its_branch),
        cmocka_unit_test(copies_have_fillers_in_front),
        cmocka_unit_test(both_ways_round_a_branch_are_predicated),
        cmocka_unit_test(a_barrier_keeps_the_branch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
