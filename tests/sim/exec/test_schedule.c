/* Schedules: when asynchronous operations take effect, what the copy engine sees, how lanes run. Each kernel has a
 * defect that shows under some schedules only. */
#include "kernel.h"

enum { LANES = 32 };

#define SHARED ".shared .align 128 .b32 s[64];\n.shared .align 8 .b64 bar;\n"
/* %rd3: the lane's word of `in`; %r4: of s; s starts as ones. */
#define START                                                                                                    \
    "mad.wide.u32 %rd3, %r0, 4, %rd1;\nmov.u32 %r3, s;\nmad.lo.u32 %r4, %r0, 4, %r3;\nst.shared.u32 [%r4], 1;\n" \
    "bar.warp.sync -1;\n"
#define COPY "cp.async.ca.shared.global [%r4], [%rd3], 4;\ncp.async.commit_group;\n"
#define WAIT "cp.async.wait_group 0;\n"
#define LOAD "ld.shared.u32 %r5, [%r4];\n"
#define ELECT "setp.ne.u32 %p1, %r0, 0;\n@%p1 bra OVER;\n"
#define OVER "OVER: bar.warp.sync -1;\n"
#define STORE_BULK "cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r3], 128;\ncp.async.bulk.commit_group;\n"

/* Runs one warp with in[i] = 100 + i, and returns word 3 of `out`, which begins as zeros. */
static uint32_t word_under(const char *ptx, haul_device_options options) {
    uint32_t in[LANES], out[LANES] = {0};
    for (uint32_t i = 0; i < LANES; i++) in[i] = 100 + i;
    options.check = true;
    options.threads = 1;
    const kernel_run r = {.ptx = ptx, FROM(in), INTO(out), .options = &options};
    if (try_kernel(&r) != HAUL_OK) fail_msg("%s", haul_message());
    return out[3];
}

static uint32_t completed(const char *ptx, haul_completion completion) {
    return word_under(ptx, (haul_device_options){.completion = completion});
}

static void a_copy_arrives_at_its_wait_or_at_its_issue(void **state) {
    (void)state;
    static const char unwaited[] = KERNEL_WITH(SHARED, START COPY LOAD OUT("%r5") WAIT);
    assert_int_equal(completed(unwaited, HAUL_COMPLETION_AT_WAIT), 1);
    assert_int_equal(completed(unwaited, HAUL_COMPLETION_EARLY), 103);
    static const char waited[] = KERNEL_WITH(SHARED, START COPY WAIT LOAD OUT("%r5"));
    for (int c = HAUL_COMPLETION_AT_WAIT; c <= HAUL_COMPLETION_RANDOM; c++)
        assert_int_equal(completed(waited, (haul_completion)c), 103);
}

static void a_copy_reads_its_source_when_it_arrives(void **state) {
    (void)state;
    static const char overwritten[] = KERNEL_WITH(SHARED, START COPY "st.global.u32 [%rd3], 7;\n" WAIT LOAD OUT("%r5"));
    assert_int_equal(completed(overwritten, HAUL_COMPLETION_AT_WAIT), 7);
    assert_int_equal(completed(overwritten, HAUL_COMPLETION_EARLY), 103);
}

/* The first takes effect at the wait, the second at its issue. */
static void of_two_copies_in_flight_the_later_comes_first(void **state) {
    (void)state;
    static const char both[] = KERNEL_WITH(SHARED, START COPY "xor.b64 %rd3, %rd3, 4;\n" COPY WAIT LOAD OUT("%r5"));
    assert_int_equal(completed(both, HAUL_COMPLETION_AT_WAIT), 102);
    assert_int_equal(completed(both, HAUL_COMPLETION_SWAPPED), 103);
}

static void seeds_choose_when_copies_arrive(void **state) {
    (void)state;
    static const char unwaited[] = KERNEL_WITH(SHARED, START COPY LOAD OUT("%r5") WAIT);
    unsigned old = 0, new = 0;
    for (uint64_t seed = 0; seed < 16; seed++) {
        const haul_device_options options = {.completion = HAUL_COMPLETION_RANDOM, .seed = seed};
        const uint32_t word = word_under(unwaited, options);
        old += word == 1;
        new += word == 103;
        assert_int_equal(word_under(unwaited, options), word);
    }
    assert_int_equal(old + new, 16);
    assert_true(old > 2 && new > 2);
}

/* A wait for the read leaves the store's write in flight. */
static void a_late_store_writes_after_the_wait_for_its_read(void **state) {
    (void)state;
    static const char read_back[] =
        KERNEL_WITH(SHARED, START "fence.proxy.async.shared::cta;\n"
                                  "bar.warp.sync -1;\n" ELECT STORE_BULK "cp.async.bulk.wait_group.read 0;\n"
                                  "st.shared.u32 [%r3+12], 9;\n"
                                  "ld.global.u32 %r6, [%rd0+12];\n"
                                  "cp.async.bulk.wait_group 0;\n"
                                  "add.u32 %r6, %r6, 50;\n"
                                  "st.global.u32 [%rd0+12], %r6;\n" OVER);
    assert_int_equal(completed(read_back, HAUL_COMPLETION_AT_WAIT), 51);
    assert_int_equal(completed(read_back, HAUL_COMPLETION_LATE), 50);
    static const char kept[] =
        KERNEL_WITH(SHARED, START "fence.proxy.async.shared::cta;\n"
                                  "bar.warp.sync -1;\n" ELECT STORE_BULK "cp.async.bulk.wait_group.read 0;\n"
                                  "st.shared.u32 [%r3+12], 9;\n" OVER);
    assert_int_equal(completed(kept, HAUL_COMPLETION_LATE), 1); /* the source had been read */
}

static void the_engine_sees_stores_at_a_fence(void **state) {
    (void)state;
    static const char unfenced[] =
        KERNEL_WITH(SHARED, START "st.shared.u32 [%r4], 5;\n"
                                  "bar.warp.sync -1;\n" ELECT STORE_BULK "cp.async.bulk.wait_group 0;\n" OVER);
    static const char fenced[] =
        KERNEL_WITH(SHARED, START "st.shared.u32 [%r4], 5;\n"
                                  "fence.proxy.async.shared::cta;\n"
                                  "bar.warp.sync -1;\n" ELECT STORE_BULK "cp.async.bulk.wait_group 0;\n" OVER);
    assert_int_equal(word_under(unfenced, (haul_device_options){0}), 5);
    assert_int_equal(word_under(unfenced, (haul_device_options){.unfenced = true}), 0);
    assert_int_equal(word_under(fenced, (haul_device_options){.unfenced = true}), 5);
}

/* Lane 3 reads the word of lane 12. */
static void lanes_run_apart_until_they_have_to_meet(void **state) {
    (void)state;
    static const char exchange[] = KERNEL_WITH(SHARED, START "st.shared.u32 [%r4], %r0;\n"
                                                             "xor.b32 %r6, %r0, 15;\n"
                                                             "mad.lo.u32 %r7, %r6, 4, %r3;\n"
                                                             "ld.shared.u32 %r5, [%r7];\n" OUT("%r5"));
    static const char together[] = KERNEL_WITH(SHARED, START "st.shared.u32 [%r4], %r0;\n"
                                                             "bar.warp.sync -1;\n"
                                                             "xor.b32 %r6, %r0, 15;\n"
                                                             "mad.lo.u32 %r7, %r6, 4, %r3;\n"
                                                             "ld.shared.u32 %r5, [%r7];\n" OUT("%r5"));
    const haul_device_options first = {.diverged = true, .schedule = HAUL_SCHEDULE_REVERSED};
    assert_int_equal(word_under(exchange, (haul_device_options){0}), 12);
    assert_int_equal(word_under(exchange, first), 1);
    assert_int_equal(word_under(together, first), 12);
}

static void shared_memory_may_begin_dirty(void **state) {
    (void)state;
    static const char unwritten[] = KERNEL_WITH(SHARED, "mov.u32 %r3, s;\nld.shared.u32 %r5, [%r3+128];\n" OUT("%r5"));
    assert_int_equal(word_under(unwritten, (haul_device_options){0}), 0);
    assert_int_not_equal(word_under(unwritten, (haul_device_options){.dirty = true}), 0);
}

/* Without checks, only the order of turns applies. */
static void unchecked_launches_complete_at_waits(void **state) {
    (void)state;
    uint32_t in[LANES] = {0}, out[LANES] = {0};
    const haul_device_options options = {.completion = HAUL_COMPLETION_EARLY, .threads = 1};
    run_kernel(&(kernel_run){
        .ptx = KERNEL_WITH(SHARED, START COPY LOAD OUT("%r5") WAIT), FROM(in), INTO(out), .options = &options});
    assert_int_equal(out[3], 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_arrives_at_its_wait_or_at_its_issue),
        cmocka_unit_test(a_copy_reads_its_source_when_it_arrives),
        cmocka_unit_test(of_two_copies_in_flight_the_later_comes_first),
        cmocka_unit_test(seeds_choose_when_copies_arrive),
        cmocka_unit_test(a_late_store_writes_after_the_wait_for_its_read),
        cmocka_unit_test(the_engine_sees_stores_at_a_fence),
        cmocka_unit_test(lanes_run_apart_until_they_have_to_meet),
        cmocka_unit_test(shared_memory_may_begin_dirty),
        cmocka_unit_test(unchecked_launches_complete_at_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
