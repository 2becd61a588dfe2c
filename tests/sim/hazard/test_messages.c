/* What findings say: one finding a defect, in words that name what is wrong. */
#include "pairs.h"

#define WAIT_PARITY(label, parity) \
    label ": mbarrier.try_wait.parity.shared.b64 %p2, [%r5], " parity ";\n@!%p2 bra " label ";\n"
#define COPY "cp.async.ca.shared.global [%r4], [%rd3], 4;\n"

/* The kernel's only finding; the launch may end with a fault. */
static void expect_only(const char *body, haul_finding_kind kind, const char *words) {
    static const haul_schedule schedules[] = {HAUL_SCHEDULE_IN_ORDER, HAUL_SCHEDULE_REVERSED, HAUL_SCHEDULE_RANDOM};
    for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++) {
        const pair p = {.name = words, .blocks = 1, .threads = 64, .wrong = body};
        const haul_device_options options = {.check = true, .threads = 1, .schedule = schedules[i], .seed = 5};
        haul_device *device;
        haul_module *module;
        haul_run *run;
        char ptx[4096];
        whole(body, ptx, sizeof ptx);
        assert_int_equal(haul_device_open(PAIR_DEVICE, &options, &device), HAUL_OK);
        if (haul_module_load(device, words, ptx, strlen(ptx), &module) != HAUL_OK) fail_msg("%s", haul_message());
        assert_int_equal(haul_run_create(device, &run), HAUL_OK);
        (void)launch_pair(&p, device, module, true, run);
        const haul_launch_record *r = &run->launches[0];
        for (size_t k = 0; k < r->finding_count; k++)
            if (r->finding_count != 1 || r->findings[k].kind != kind || !strstr(r->findings[k].what, words))
                print_error("%s: %s\n", haul_finding_kinds[r->findings[k].kind].key, r->findings[k].what);
        assert_int_equal(r->finding_count, 1);
        assert_int_equal(r->findings[0].kind, kind);
        assert_non_null(strstr(r->findings[0].what, words));
        haul_run_free(run);
        haul_device_close(device);
    }
}

static void a_bulk_load_is_waited_for_at_its_mbarrier(void **state) {
    (void)state;
    expect_only(INIT("1") BULK "bar.sync 0;\n" LOAD_OWN WAIT, HAUL_FINDING_ASYNC_READ_BEFORE_WAIT,
                "no wait for the mbarrier that the copy completes on has covered it");
}

static void a_copy_by_threads_is_waited_for_by_its_thread(void **state) {
    (void)state;
    expect_only(COPY "cp.async.commit_group;\n" LOAD_OWN "cp.async.wait_all;\n", HAUL_FINDING_ASYNC_READ_BEFORE_WAIT,
                "no wait of the thread that issued the copy has covered it");
}

static void a_copy_that_arrives_may_be_waited_for_at_its_mbarrier(void **state) {
    (void)state;
    expect_only(INIT("64") COPY "cp.async.mbarrier.arrive.noinc.shared.b64 [%r5];\n" LOAD_OWN WAIT,
                HAUL_FINDING_ASYNC_READ_BEFORE_WAIT, "nor for an mbarrier that it arrives on");
}

static void a_stale_parity_is_named(void **state) {
    (void)state;
    expect_only(INIT("1") BULK WAIT_PARITY("A", "0") LOAD_OWN "bar.sync 0;\n" BULK WAIT_PARITY("B", "0") LOAD_OWN,
                HAUL_FINDING_MBARRIER_MISUSE, "names parity 0, the phase that this thread has seen over before");
}

/* Four rounds, each of which waits for the first phase: reads, arrivals and copies of later ones are its consequences. */
static void a_parity_that_never_flips_is_one_finding(void **state) {
    (void)state;
    expect_only(INIT("1") "mov.u32 %r8, 0;\nR: " BULK WAIT_PARITY("A", "0") LOAD_OWN
                "bar.sync 0;\nadd.u32 %r8, %r8, 1;\nsetp.lt.u32 %p3, %r8, 4;\n@%p3 bra R;\n",
                HAUL_FINDING_MBARRIER_MISUSE, "the next phase has parity 1");
}

static void arrivals_that_do_not_count_say_so(void **state) {
    (void)state;
    expect_only(INIT("64") COPY "cp.async.mbarrier.arrive.shared.b64 [%r5];\n" WAIT LOAD_OWN, HAUL_FINDING_DEADLOCK,
                "without .noinc do not count");
}

static void a_barrier_that_is_waited_for_again_does_no_harm(void **state) {
    (void)state;
    const pair p = PAIR("again", RACE_SHARED, 1, 64, "", INIT("1") BULK WAIT_PARITY("A", "0") LOAD_OWN
                        "bar.sync 0;\n" WAIT_PARITY("B", "0") LOAD_OWN);
    const haul_device_options options = {.check = true, .threads = 1};
    assert_true(try_one(&p, &options, false, "in order"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bulk_load_is_waited_for_at_its_mbarrier),
        cmocka_unit_test(a_copy_by_threads_is_waited_for_by_its_thread),
        cmocka_unit_test(a_copy_that_arrives_may_be_waited_for_at_its_mbarrier),
        cmocka_unit_test(a_stale_parity_is_named),
        cmocka_unit_test(a_parity_that_never_flips_is_one_finding),
        cmocka_unit_test(arrivals_that_do_not_count_say_so),
        cmocka_unit_test(a_barrier_that_is_waited_for_again_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
