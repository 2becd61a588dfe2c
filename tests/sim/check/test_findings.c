/* What counts as one finding: a kind at a pair of places, with the number of threads it concerns and an example. */
#include "kernel.h"

#undef HEAD
#define HEAD ".version 8.3\n.target sm_90a\n.address_size 64\n"
#define CHECKED(body)                                                                                        \
    KERNEL_WITH(".shared .align 128 .b8 s[1024];\n", "mov.u32 %r3, s;\nmad.lo.u32 %r4, %r0, 4, %r3;\n" body) \
    ".file 1 \"k.cu\"\n"
#define LINE(number) ".loc 1 " number " 0\n"
#define COPY_TO_SECOND LINE("5") "ld.shared.u32 %r5, [%r4];\n" LINE("6") "st.shared.u32 [%r4+256], %r5;\n"
#define READ_SECOND LINE("7") "ld.shared.u32 %r6, [%r4+256];\n" LINE("8") "st.global.u32 [%rd0], %r6;\n"
#define FENCE_BELOW(thread) "setp.lt.u32 %p3, %r0, " thread ";\n@%p3 fence.proxy.async.shared::cta;\n"

enum { MOST = 8 };

typedef struct found {
    size_t count;
    haul_finding findings[MOST];
    char sentence[256]; /* of the first */
} found;

static void check_on(const char *ptx, uint32_t blocks, uint32_t threads, uint32_t host_threads, found *f) {
    const haul_device_options options = {.check = true, .threads = host_threads};
    haul_device *device;
    haul_module *module;
    haul_buffer *out;
    haul_run *run;
    const uint32_t zeros[256] = {0};
    assert_int_equal(haul_device_open("sim:h100", &options, &device), HAUL_OK);
    if (haul_module_load(device, "k.ptx", ptx, strlen(ptx), &module) != HAUL_OK) fail_msg("%s", haul_message());
    assert_int_equal(haul_buffer_create(device, sizeof zeros, &out), HAUL_OK);
    assert_int_equal(haul_buffer_write(out, 0, zeros, sizeof zeros), HAUL_OK);
    assert_int_equal(haul_run_create(device, &run), HAUL_OK);
    const haul_argument arguments[] = {{.kind = HAUL_ARGUMENT_BUFFER, .buffer = out},
                                       {.kind = HAUL_ARGUMENT_BUFFER, .buffer = out}};
    const haul_launch launch = {
        .kernel = "k", .grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .arguments = arguments, .argument_count = 2};
    if (haul_launch_run(module, &launch, run) != HAUL_OK) fail_msg("%s", haul_message());
    f->count = run->launches[0].finding_count;
    assert_in_range(f->count, 1, MOST);
    memcpy(f->findings, run->launches[0].findings, f->count * sizeof *f->findings);
    snprintf(f->sentence, sizeof f->sentence, "%s", f->findings[0].what ? f->findings[0].what : "");
    haul_run_free(run);
    haul_device_close(device);
}

/* Compares field by field, since padding is undefined. */
static void assert_same_access(const haul_finding_access *a, const haul_finding_access *b) {
    assert_int_equal(a->action, b->action);
    assert_int_equal(a->instruction, b->instruction);
    assert_memory_equal(a->block, b->block, sizeof a->block);
    assert_memory_equal(a->thread, b->thread, sizeof a->thread);
}

/* Expects the same findings with any number of host threads. */
static found check(const char *ptx, uint32_t blocks, uint32_t threads) {
    found one, four;
    check_on(ptx, blocks, threads, 1, &one);
    check_on(ptx, blocks, threads, 4, &four);
    assert_int_equal(one.count, four.count);
    for (size_t i = 0; i < one.count; i++) {
        assert_int_equal(one.findings[i].count, four.findings[i].count);
        assert_same_access(&one.findings[i].access, &four.findings[i].access);
        assert_same_access(&one.findings[i].other, &four.findings[i].other);
    }
    return one;
}

/* ---- tests ---- */

/* The first of two warps stores, the second loads, two words per thread, five times. */
#define HAND_OVER(stores_at, loads_at)                                                                    \
    "setp.ge.u32 %p1, %r0, 32;\nmov.u32 %r5, 0;\nROUND:\n@%p1 bra LOADS;\n" stores_at                     \
    "st.shared.u32 [%r4], %r5;\n" stores_at "st.shared.u32 [%r4+512], %r5;\nbra NEXT;\nLOADS:\n" loads_at \
    "ld.shared.u32 %r6, [%r4+-128];\n" loads_at "ld.shared.u32 %r7, [%r4+384];\n"                         \
    "NEXT: add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, 5;\n@%p2 bra ROUND;\n"

static const haul_finding *reading(const found *f) {
    for (size_t i = 0; i < f->count; i++)
        if (f->findings[i].access.action == HAUL_ACTION_READ) return &f->findings[i];
    fail_msg("no read was found");
    return NULL;
}

static void a_line_with_several_instructions_is_one_place(void **state) {
    (void)state;
    const found lines = check(CHECKED(HAND_OVER(LINE("5"), LINE("6"))), 3, 64);
    const found instructions = check(CHECKED(HAND_OVER("", "")), 3, 64);
    assert_int_equal(reading(&lines)->kind, HAUL_FINDING_RACE_SHARED);
    assert_int_equal(instructions.count, 2 * lines.count);
}

/* Each of block 0's threads loads two words, which block 1 stores. */
#define LOAD_TWO_WORDS(first_at, second_at)                                                           \
    "mad.wide.u32 %rd3, %r0, 8, %rd0;\nsetp.ge.u32 %p1, %r1, 32;\n@%p1 bra STORE;\n" first_at         \
    "ld.global.u32 %r5, [%rd3];\n" second_at "ld.global.u32 %r6, [%rd3+4];\nbra END;\nSTORE:\n" LINE( \
        "9") "st.global.u32 [%rd3], %r1;\nst.global.u32 [%rd3+4], %r1;\nEND:\n"

static void loads_of_two_lines_are_told_apart(void **state) {
    (void)state;
    const found one = check(CHECKED(LOAD_TWO_WORDS(LINE("5"), "")), 2, 32);
    const found two = check(CHECKED(LOAD_TWO_WORDS(LINE("5"), LINE("6"))), 2, 32);
    assert_int_equal(one.count, 1);
    assert_int_equal(one.findings[0].count, 64);
    assert_int_equal(two.count, 2);
    assert_int_not_equal(two.findings[0].other.instruction, two.findings[1].other.instruction);
}

static void a_thread_is_counted_once(void **state) {
    (void)state;
    const found shared = check(CHECKED(HAND_OVER(LINE("5"), LINE("6"))), 3, 64);
    assert_int_equal(reading(&shared)->count, 3 * 64);
    assert_int_equal(reading(&shared)->blocks, 3);
    const found global = check(CHECKED("mad.wide.u32 %rd3, %r0, 4, %rd0;\nst.global.u32 [%rd3], %r1;\n"), 4, 64);
    assert_int_equal(global.findings[0].kind, HAUL_FINDING_RACE_GLOBAL);
    assert_int_equal(global.findings[0].count, 4 * 64);
    assert_int_equal(global.findings[0].blocks, 4);
    const found one = check(CHECKED("setp.eq.u32 %p1, %r1, 70;\n@%p1 ld.shared.u32 %r5, [%r3];\n@%p1 "
                                    "st.global.u32 [%rd0], %r5;\n"),
                            2, 64);
    assert_int_equal(one.findings[0].kind, HAUL_FINDING_UNINITIALISED_READ);
    assert_int_equal(one.findings[0].count, 1);
    assert_int_equal(one.findings[0].blocks, 1);
}

/* Each lane copies its word of one array, which nobody has written, to a second one, and reads it there. */
static void a_copy_of_unwritten_bytes_has_the_line_of_its_store(void **state) {
    (void)state;
    const found never = check(CHECKED(READ_SECOND), 1, 32);
    const found copy = check(CHECKED(COPY_TO_SECOND READ_SECOND), 1, 32);
    assert_string_equal(never.sentence, "nobody has written these bytes, and the value is used (line 8)");
    assert_string_equal(copy.sentence,
                        "nobody has written these bytes, or only with values that nobody has written, as "
                        "at line 6; the value is used (line 8)");
}

/* One block writes byte 13, the other one bytes 12 and 13. */
static void a_race_names_the_bytes_that_both_use(void **state) {
    (void)state;
    const found f = check(CHECKED("setp.ne.u32 %p1, %r0, 0;\n@%p1 bra D;\ncvt.u16.u32 %h1, %r1;\n"
                                  "setp.eq.u32 %p2, %r1, 0;\n@%p2 st.global.u8 [%rd0+13], %h1;\n"
                                  "@!%p2 st.global.u16 [%rd0+12], %h1;\nD:\n"),
                          2, 32);
    assert_int_equal(f.count, 1);
    assert_int_equal(f.findings[0].kind, HAUL_FINDING_RACE_GLOBAL);
    assert_int_equal(f.findings[0].address % 4, 1);
    assert_int_equal(f.findings[0].bytes, 1);
}

/* Threads 0 to 7 fence their stores; 32 threads' words are copied. */
static void a_missing_fence_is_shown_by_a_thread_whose_bytes_are_copied(void **state) {
    (void)state;
    const found f = check(CHECKED("st.shared.u32 [%r4], %r0;\n" FENCE_BELOW(
                              "8") "bar.sync 0;\nsetp.ne.u32 %p1, %r0, 40;\n"
                                   "@!%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r3], 128;\n"
                                   "@!%p1 cp.async.bulk.commit_group;\n@!%p1 cp.async.bulk.wait_group 0;\n"),
                          1, 64);
    const haul_finding *first = &f.findings[0];
    assert_int_equal(f.count, 1);
    assert_int_equal(first->kind, HAUL_FINDING_MISSING_PROXY_FENCE);
    assert_int_equal(first->access.thread[0], 40);
    assert_int_equal(first->other.thread[0], 8);
    assert_int_equal(first->address % 128, 8 * 4);
    assert_int_equal(first->count, 32 - 8 + 1);
}

/* Threads 0 to 15 fence their copies; b is what 64 threads copied. */
static void a_missing_fence_is_shown_by_a_thread_whose_bytes_are_multiplied(void **state) {
    (void)state;
    const found f = check(
        CHECKED("mul.wide.u32 %rd3, %r0, 4;\nadd.u64 %rd3, %rd3, %rd1;\n" LINE(
            "7") "cp.async.ca.shared.global [%r4], [%rd3], 4;\ncp.async.commit_group;\n"
                 "cp.async.wait_group 0;\n" FENCE_BELOW(
                     "16") "bar.sync 0;\n"
                           "shr.u32 %r6, %r3, 4;\ncvt.u64.u32 %rd4, %r6;\nor.b64 %rd4, %rd4, 0x0000001000080000;\n"
                           "mov.u32 %r10, 0;\nmov.u32 %r11, 0;\nmov.u32 %r12, 0;\nmov.u32 %r13, 0;\n"
                           "wgmma.fence.sync.aligned;\n" LINE(
                               "9") "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%r10, "
                                    "%r11, %r12, "
                                    "%r13}, %rd4, 0, 1, 1, 0;\n" LINE(
                                        "9") "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, "
                                             "{%r10, %r11, %r12, "
                                             "%r13}, %rd4, 1, 1, 1, 0;\n"
                                             "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"),
        2, 128);
    const haul_finding *first = &f.findings[0];
    assert_int_equal(f.count, 1);
    assert_int_equal(first->kind, HAUL_FINDING_MISSING_PROXY_FENCE);
    assert_in_range(first->other.thread[0], 16, 63);
    assert_int_equal(first->address % 128, first->other.thread[0] * 4 % 128);
    assert_int_equal(first->count, 2 * 128);
    assert_int_equal(first->blocks, 2);
}

/* Block 0's threads but each third one, which begins with thread 0, append to a queue; a thread of block 1 loads what
 * the thread with that number has appended. */
#define APPEND(bytes, store, place)                                                                                 \
    "mov.u32 %r9, %ctaid.x;\nsetp.ne.u32 %p1, %r9, 0;\n@%p1 bra LOAD;\nrem.u32 %r6, %r0, 3;\n"                      \
    "setp.eq.u32 %p2, %r6, 0;\n@%p2 bra END;\ndiv.u32 %r7, %r0, 3;\nsub.u32 %r7, %r0, %r7;\nsub.u32 %r7, %r7, 1;\n" \
    "mad.wide.u32 %rd3, %r7, " bytes ", %rd0;\n" store                                                              \
    "bra END;\nLOAD: setp.ne.u32 %p2, %r0, 0;\n@%p2 bra END;\nld.global.u32 %r5, [%rd0+" place                      \
    "];\nst.global.u32 [%rd0+512], %r5;\nEND:\n"

static void a_race_names_the_thread_that_has_appended(void **state) {
    (void)state;
    const found words = check(CHECKED(APPEND("4", "st.global.u32 [%rd3], %r0;\n", "16")), 2, 32);
    const found pairs = check(CHECKED(APPEND("8", "st.global.v2.u32 [%rd3], {%r0, %r0};\n", "44")), 2, 32);
    assert_int_equal(words.findings[0].kind, HAUL_FINDING_RACE_GLOBAL);
    assert_int_equal(words.findings[0].other.thread[0], 7);
    assert_int_equal(words.findings[0].count, 2);
    assert_int_equal(pairs.findings[0].kind, HAUL_FINDING_RACE_GLOBAL);
    assert_int_equal(pairs.findings[0].other.thread[0], 8);
    assert_int_equal(pairs.findings[0].count, 2);
}

/* Each block stores words, and loads those of others. There are so many accesses that the log is replayed before all of
 * them have been made; the other operations only take their time. */
#define STORE_AND_LOAD                                                                                               \
    "mov.u32 %r2, %ctaid.x;\nmov.u32 %r5, 0;\nROUND: mul.lo.u32 %r6, %r0, 0;\nmad.lo.u32 %r6, %r2, 1, %r6;\n"        \
    "mad.lo.u32 %r6, %r5, 3, %r6;\nmul.lo.u32 %r7, %r6, %r6;\nadd.u32 %r6, %r6, 0;\nand.b32 %r6, %r6, 255;\n"        \
    "mad.wide.u32 %rd3, %r6, 4, %rd0;\n" LINE(                                                                       \
        "5") "st.global.u32 [%rd3], %r5;\nsetp.lt.u32 %p1, %r2, 1;\n"                                                \
             "@%p1 bra NEXT;\nmul.lo.u32 %r6, %r0, 0;\nmad.lo.u32 %r6, %r2, 5, %r6;\nmad.lo.u32 %r6, %r5, 1, %r6;\n" \
             "mul.lo.u32 %r7, %r6, %r6;\nadd.u32 %r6, %r6, 0;\nand.b32 %r6, %r6, 255;\nmad.wide.u32 %rd3, %r6, 4, "  \
             "%rd0;\n" LINE("6") "ld.global.u32 %r7, [%rd3];\nst.shared.u32 [%r4], %r7;\n"                           \
                                 "NEXT: add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 24;\n@%p1 bra ROUND;\n"

static void long_logs_are_replayed_alike_with_any_number_of_threads(void **state) {
    (void)state;
    const found f = check(CHECKED(STORE_AND_LOAD), 40, 256);
    assert_int_equal(f.findings[0].kind, HAUL_FINDING_RACE_GLOBAL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_with_several_instructions_is_one_place),
        cmocka_unit_test(loads_of_two_lines_are_told_apart),
        cmocka_unit_test(a_thread_is_counted_once),
        cmocka_unit_test(a_copy_of_unwritten_bytes_has_the_line_of_its_store),
        cmocka_unit_test(a_race_names_the_bytes_that_both_use),
        cmocka_unit_test(a_missing_fence_is_shown_by_a_thread_whose_bytes_are_copied),
        cmocka_unit_test(a_missing_fence_is_shown_by_a_thread_whose_bytes_are_multiplied),
        cmocka_unit_test(a_race_names_the_thread_that_has_appended),
        cmocka_unit_test(long_logs_are_replayed_alike_with_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
