/* Findings beside an access out of bounds: other threads continue, and the launch's result stays the fault. `out` has
 * 256 words. */
#include "kernel.h"

#define BODY(body) KERNEL_WITH(".shared .align 8 .b64 bar;\n", body)
#define RACE "st.global.u32 [%rd0+512], %r1;\n"
#define OUTSIDE "ld.global.u32 %r7, [%rd2+1048576];\n"
#define ONE "setp.ne.u32 %p1, %r0, 5;\n"

enum { MOST = 8 };

typedef struct found {
    haul_status status;
    size_t count;
    haul_finding findings[MOST];
} found;

static found check_with(const char *ptx, uint32_t blocks, haul_schedule schedule) {
    const haul_device_options options = {.check = true, .threads = 2, .schedule = schedule, .seed = 3};
    const uint32_t zeros[256] = {0};
    haul_device *device;
    haul_module *module;
    haul_buffer *out;
    haul_run *run;
    assert_int_equal(haul_device_open("sim:h100", &options, &device), HAUL_OK);
    if (haul_module_load(device, "k.ptx", ptx, strlen(ptx), &module) != HAUL_OK) fail_msg("%s", haul_message());
    assert_int_equal(haul_buffer_create(device, sizeof zeros, &out), HAUL_OK);
    assert_int_equal(haul_buffer_write(out, 0, zeros, sizeof zeros), HAUL_OK);
    assert_int_equal(haul_run_create(device, &run), HAUL_OK);
    const haul_argument arguments[] = {{.kind = HAUL_ARGUMENT_BUFFER, .buffer = out},
                                       {.kind = HAUL_ARGUMENT_BUFFER, .buffer = out}};
    const haul_launch launch = {
        .kernel = "k", .grid = {blocks, 1, 1}, .block = {64, 1, 1}, .arguments = arguments, .argument_count = 2};
    found f = {.status = haul_launch_run(module, &launch, run)};
    f.count = run->launches[0].finding_count;
    assert_in_range(f.count, 1, MOST);
    memcpy(f.findings, run->launches[0].findings, f.count * sizeof *f.findings);
    haul_run_free(run);
    haul_device_close(device);
    return f;
}

static size_t count_of(const found *f, haul_finding_kind kind) {
    size_t count = 0;
    for (size_t i = 0; i < f->count; i++) count += f->findings[i].kind == kind;
    return count;
}

/* Expects a fault and these numbers of findings. */
static void expect(const char *ptx, uint32_t blocks, size_t outside, size_t races) {
    static const haul_schedule schedules[] = {HAUL_SCHEDULE_IN_ORDER, HAUL_SCHEDULE_REVERSED, HAUL_SCHEDULE_RANDOM};
    for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++) {
        const found f = check_with(ptx, blocks, schedules[i]);
        assert_int_equal(f.status, HAUL_ERROR_FAULT);
        assert_int_equal(count_of(&f, HAUL_FINDING_OUT_OF_BOUNDS), outside);
        assert_int_equal(count_of(&f, HAUL_FINDING_RACE_GLOBAL), races);
        assert_int_equal(f.count, outside + races);
    }
}

static void a_race_before_the_fault_is_told(void **state) {
    (void)state;
    expect(BODY(RACE ONE "@!%p1 " OUTSIDE), 1, 1, 1);
}

static void a_race_of_others_behind_the_fault_is_told(void **state) {
    (void)state;
    expect(BODY(ONE "@!%p1 " OUTSIDE "bar.sync 0;\n" RACE), 1, 1, 1);
    expect(BODY("setp.ne.u32 %p1, %r1, 0;\n@!%p1 " OUTSIDE RACE), 8, 1, 1);
}

static void a_fault_that_traps_loses_no_race_before_it(void **state) {
    (void)state;
    const found f = check_with(BODY(RACE "bar.sync 0;\ntrap;\n"), 1, HAUL_SCHEDULE_IN_ORDER);
    assert_int_equal(f.status, HAUL_ERROR_TRAP);
    assert_int_equal(count_of(&f, HAUL_FINDING_RACE_GLOBAL), 1);
}

static void what_is_read_outside_is_zero(void **state) {
    (void)state;
    expect(BODY("mov.u32 %r7, 9;\n" ONE "@!%p1 " OUTSIDE "@%p1 bra D;\nsetp.eq.u32 %p2, %r7, 0;\n@%p2 bra D;\n" RACE
                "D:\n"),
           2, 1, 0);
    expect(BODY("mov.u32 %r7, 9;\n" ONE "@!%p1 " OUTSIDE "@%p1 bra D;\nsetp.ne.u32 %p2, %r7, 0;\n@%p2 bra D;\n" RACE
                "D:\n"),
           2, 1, 1);
}

static void a_thread_has_one_fault(void **state) {
    (void)state;
    expect(BODY(ONE "@!%p1 " OUTSIDE
                    "@!%p1 st.global.u32 [%rd2+2097152], %r0;\n@!%p1 red.global.add.u32 [%rd2+4194304], 1;\n"),
           1, 1, 0);
}

static void all_threads_that_fault_are_counted(void **state) {
    (void)state;
    const found f = check_with(BODY("st.global.u32 [%rd2+2097152], %r0;\n"), 4, HAUL_SCHEDULE_IN_ORDER);
    assert_int_equal(f.count, 1);
    assert_int_equal(f.findings[0].count, 4 * 64);
    assert_int_equal(f.findings[0].blocks, 4);
}

static void who_waits_for_it_is_no_deadlock(void **state) {
    (void)state;
    expect(BODY("mov.u32 %r5, bar;\nsetp.ne.u32 %p1, %r0, 0;\n@!%p1 mbarrier.init.shared.b64 [%r5], 1;\n"
                "@!%p1 fence.mbarrier_init.release.cluster;\nbar.sync 0;\n"
                "@!%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r5], 64;\n"
                "@!%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5+16], [%rd0+4096], 64, "
                "[%r5];\n"
                "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r5], 0;\n@!%p2 bra W;\n"),
           1, 1, 0);
}

static void a_list_that_leads_outside_has_an_end(void **state) {
    (void)state;
    expect(BODY(ONE "@%p1 bra D;\nadd.u64 %rd4, %rd0, 2097152;\nL: ld.global.u64 %rd4, [%rd4];\n"
                    "setp.ne.u64 %p2, %rd4, 1;\n@%p2 bra L;\nD:\n"),
           1, 1, 0);
}

/* Lanes of a vector atomic fault separately, as those of other atomics: lanes within bounds get the old value. */
static void lanes_beside_a_fault_do_their_atomic(void **state) {
    (void)state;
    expect(
        BODY("setp.eq.u32 %p3, %r0, 0;\n@%p3 st.global.f32 [%rd0], 0f3f800000;\nbar.sync 0;\nmov.f32 %f0, 0f00000000;\n"
             "mov.u64 %rd4, %rd0;\n" ONE "@!%p1 add.u64 %rd4, %rd4, 1048576;\n"
             "atom.global.add.v2.f32 {%f2, %f3}, [%rd4], {%f0, %f0};\n"
             "@!%p1 bra D;\nsetp.eq.f32 %p2, %f2, 0f3f800000;\n@%p2 bra D;\n" RACE "D:\n"),
        1, 1, 0);
}

static void expect_action(haul_action action, const char *ptx) {
    const found f = check_with(ptx, 1, HAUL_SCHEDULE_IN_ORDER);
    assert_int_equal(f.findings[0].kind, HAUL_FINDING_OUT_OF_BOUNDS);
    if (f.findings[0].access.action != action)
        fail_msg("is called '%s', not '%s': %s", haul_action_names[f.findings[0].access.action],
                 haul_action_names[action], ptx);
}

static void a_fault_is_called_by_what_the_instruction_does(void **state) {
    (void)state;
    expect_action(HAUL_ACTION_ATOMIC, BODY("red.global.add.v2.f32 [%rd0+1048576], {%f0, %f1};\n"));
    expect_action(HAUL_ACTION_ATOMIC, BODY("atom.global.add.v2.f32 {%f2, %f3}, [%rd0+1048576], {%f0, %f1};\n"));
    expect_action(HAUL_ACTION_READ,
                  BODY("mov.u32 %r5, bar;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r6}, [%r5+4096];\n"));
    expect_action(HAUL_ACTION_WRITE,
                  BODY("mov.u32 %r5, bar;\nstmatrix.sync.aligned.m8n8.x1.shared.b16 [%r5+4096], {%r6};\n"));
    expect_action(HAUL_ACTION_READ, BODY("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r6, %r7, %r8, %r9, %r10, "
                                         "%r11, %r12, %r13}, [%rd0+1048576];\n"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_race_before_the_fault_is_told),
        cmocka_unit_test(a_race_of_others_behind_the_fault_is_told),
        cmocka_unit_test(a_fault_that_traps_loses_no_race_before_it),
        cmocka_unit_test(what_is_read_outside_is_zero),
        cmocka_unit_test(a_thread_has_one_fault),
        cmocka_unit_test(all_threads_that_fault_are_counted),
        cmocka_unit_test(who_waits_for_it_is_no_deadlock),
        cmocka_unit_test(a_list_that_leads_outside_has_an_end),
        cmocka_unit_test(lanes_beside_a_fault_do_their_atomic),
        cmocka_unit_test(a_fault_is_called_by_what_the_instruction_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
