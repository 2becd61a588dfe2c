/* Pairs of kernels, one wrong and one right, for what `haul check` finds; under each schedule, with one host thread and
 * with several. */
#include "kernel.h"

#define SHARED ".shared .align 128 .b8 s[1024];\n.shared .align 8 .b64 bar;\n"
#define PAIR_KERNEL(body) KERNEL_WITH(SHARED, "mov.u32 %r3, s;\nmad.lo.u32 %r4, %r0, 4, %r3;\nmov.u32 %r5, bar;\n" body)

typedef struct pair {
    const char *name;
    haul_finding_kind kind; /* of the wrong one */
    uint32_t blocks, threads;
    const char *wrong, *right;
} pair;

#define STORE "st.shared.u32 [%r4], %r0;\n"
#define NEIGHBOUR "xor.b32 %r6, %r0, 1;\nmad.lo.u32 %r6, %r6, 4, %r3;\nld.shared.u32 %r7, [%r6];\n" OUT("%r7")
#define MIRROR "sub.u32 %r6, %r2, %r0;\nmad.lo.u32 %r6, %r6, 4, %r3;\nld.shared.u32 %r7, [%r6+-4];\n" OUT("%r7")
#define INIT(count) "setp.ne.u32 %p1, %r0, 0;\n@!%p1 mbarrier.init.shared.b64 [%r5], " count ";\nbar.sync 0;\n"
#define WAIT "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r5], 0;\n@!%p2 bra W;\n"
#define BULK                                                      \
    "@!%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r5], 256;\n" \
    "@!%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 256, [%r5];\n"
#define LOAD_OWN "ld.shared.u32 %r7, [%r4];\n" OUT("%r7")
#define STORE_BULK                                                            \
    "fence.proxy.async.shared::cta;\nbar.sync 0;\nsetp.ne.u32 %p1, %r0, 0;\n" \
    "@!%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r3], 256;\n@!%p1 cp.async.bulk.commit_group;\n"
#define LEAD "setp.ge.u32 %p3, %r0, 32;\n"
#define COUNT_BIN "mov.u32 %r8, 1;\nand.b32 %r9, %r0, 7;\nmad.lo.u32 %r9, %r9, 4, %r3;\n"
#define FLAG "add.u64 %rd4, %rd0, 128;\nsetp.ne.u32 %p1, %r1, 0;\n"

static const pair pairs[] = {
    {"lanes", HAUL_FINDING_RACE_SHARED, 1, 32, STORE NEIGHBOUR, STORE "bar.warp.sync 0xffffffff;\n" NEIGHBOUR},
    {"warps", HAUL_FINDING_RACE_SHARED, 1, 64, STORE "bar.warp.sync 0xffffffff;\n" MIRROR,
     STORE "bar.sync 0;\n" MIRROR},
    {"overwritten too early", HAUL_FINDING_RACE_SHARED, 1, 64, STORE "bar.sync 0;\n" MIRROR STORE,
     STORE "bar.sync 0;\n" MIRROR "bar.sync 0;\n" STORE},
    {"bytes", HAUL_FINDING_RACE_SHARED, 1, 64,
     "cvt.u16.u32 %h1, %r0;\nshr.u32 %r6, %r0, 1;\nadd.u32 %r6, %r6, %r3;\nst.shared.u8 [%r6], %h1;\n",
     "cvt.u16.u32 %h1, %r0;\nadd.u32 %r6, %r0, %r3;\nst.shared.u8 [%r6], %h1;\n"},
    {"named barriers mixed up", HAUL_FINDING_RACE_SHARED, 1, 64,
     STORE LEAD "@%p3 bra T;\nbar.sync 1, 32;\nbra D;\nT: bar.sync 2, 32;\nD:\n" MIRROR,
     STORE LEAD "@%p3 bra T;\nbar.sync 1, 64;\nbra D;\nT: bar.sync 1, 64;\nD:\n" MIRROR},
    {"one lane arrives for its warp", HAUL_FINDING_RACE_SHARED, 1, 64,
     INIT("2") STORE
     "and.b32 %r8, %r0, 31;\nsetp.ne.u32 %p3, %r8, 0;\n@!%p3 mbarrier.arrive.shared.b64 _, [%r5];\n" WAIT MIRROR,
     INIT("2") STORE "bar.warp.sync 0xffffffff;\nand.b32 %r8, %r0, 31;\nsetp.ne.u32 %p3, %r8, 0;\n"
                     "@!%p3 mbarrier.arrive.shared.b64 _, [%r5];\n" WAIT MIRROR},
    {"histogram", HAUL_FINDING_RACE_SHARED, 1, 64,
     "st.shared.u32 [%r4], 0;\nbar.sync 0;\n" COUNT_BIN "red.shared.add.u32 [%r9], %r8;\n" LOAD_OWN,
     "st.shared.u32 [%r4], 0;\nbar.sync 0;\n" COUNT_BIN "red.shared.add.u32 [%r9], %r8;\nbar.sync 0;\n" LOAD_OWN},
    {"the same value", HAUL_FINDING_RACE_SAME_VALUE, 1, 64, "mov.u32 %r8, 7;\nst.shared.u32 [%r3], %r8;\n",
     "setp.ne.u32 %p1, %r0, 0;\nmov.u32 %r8, 7;\n@!%p1 st.shared.u32 [%r3], %r8;\n"},
    {"bulk load not waited for", HAUL_FINDING_ASYNC_READ_BEFORE_WAIT, 1, 64,
     INIT("1") BULK "bar.sync 0;\n" LOAD_OWN WAIT, INIT("1") BULK WAIT LOAD_OWN},
    {"one thread waits for all", HAUL_FINDING_ASYNC_READ_BEFORE_WAIT, 1, 64,
     INIT("1") BULK "@%p1 bra D;\n" WAIT "D:\n" LOAD_OWN,
     INIT("1") BULK "@%p1 bra D;\n" WAIT "D:\nbar.sync 0;\n" LOAD_OWN},
    {"wrong parity", HAUL_FINDING_ASYNC_READ_BEFORE_WAIT, 1, 64,
     INIT("1") BULK "bar.sync 0;\nW: mbarrier.try_wait.parity.shared.b64 %p2, [%r5], 1;\n@!%p2 bra W;\n" LOAD_OWN,
     INIT("1") BULK "bar.sync 0;\n" WAIT LOAD_OWN},
    {"bulk store's source", HAUL_FINDING_ASYNC_SOURCE_OVERWRITTEN, 1, 64, STORE STORE_BULK STORE,
     STORE STORE_BULK "@!%p1 cp.async.bulk.wait_group.read 0;\nbar.sync 0;\n" STORE},
    {"proxy fence by another thread only", HAUL_FINDING_MISSING_PROXY_FENCE, 1, 64,
     STORE "setp.ne.u32 %p1, %r0, 0;\n@!%p1 fence.proxy.async.shared::cta;\nbar.sync 0;\n"
           "@!%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r3], 256;\n@!%p1 cp.async.bulk.commit_group;\n"
           "@!%p1 cp.async.bulk.wait_group 0;\n",
     STORE STORE_BULK "@!%p1 cp.async.bulk.wait_group 0;\n"},
    {"mbarrier without init", HAUL_FINDING_MBARRIER_MISUSE, 1, 32, "mbarrier.arrive.shared.b64 _, [%r5];\n",
     INIT("32") "mbarrier.arrive.shared.b64 _, [%r5];\n"},
    {"init that others do not know of", HAUL_FINDING_MBARRIER_MISUSE, 1, 32,
     "setp.ne.u32 %p1, %r0, 0;\n@!%p1 mbarrier.init.shared.b64 [%r5], 32;\nmbarrier.arrive.shared.b64 _, [%r5];\n",
     "setp.ne.u32 %p1, %r0, 0;\n@!%p1 mbarrier.init.shared.b64 [%r5], 32;\nbar.warp.sync 0xffffffff;\n"
     "mbarrier.arrive.shared.b64 _, [%r5];\n"},
    {"block, through global memory", HAUL_FINDING_RACE_GLOBAL, 1, 64,
     OUT("%r0") "ld.global.u32 %r7, [%rd0];\nst.shared.u32 [%r4], %r7;\n",
     OUT("%r0") "bar.sync 0;\nld.global.u32 %r7, [%rd0];\nst.shared.u32 [%r4], %r7;\n"},
    {"flag without a fence", HAUL_FINDING_RACE_GLOBAL, 2, 1,
     FLAG "@%p1 bra T;\nst.global.u32 [%rd0], 5;\nst.volatile.global.u32 [%rd4], 1;\nbra D;\n"
          "T: ld.volatile.global.u32 %r7, [%rd4];\nsetp.ne.u32 %p2, %r7, 1;\n@%p2 bra T;\nmembar.gl;\n"
          "ld.global.u32 %r8, [%rd0];\nst.global.u32 [%rd0+64], %r8;\nD:\n",
     FLAG "@%p1 bra T;\nst.global.u32 [%rd0], 5;\nmembar.gl;\nst.volatile.global.u32 [%rd4], 1;\nbra D;\n"
          "T: ld.volatile.global.u32 %r7, [%rd4];\nsetp.ne.u32 %p2, %r7, 1;\n@%p2 bra T;\nmembar.gl;\n"
          "ld.global.u32 %r8, [%rd0];\nst.global.u32 [%rd0+64], %r8;\nD:\n"},
    {"nobody wrote it, and it comes out", HAUL_FINDING_UNINITIALISED_READ, 1, 32,
     "ld.shared.u32 %r7, [%r4];\nadd.u32 %r7, %r7, 1;\n" OUT("%r7"),
     "ld.shared.u32 %r7, [%r4];\nadd.u32 %r7, %r7, 1;\nst.shared.u32 [%r4], %r7;\n" OUT("%r0")},
};

/* The kernel around the body. */
static void whole(const char *body, char *out, size_t size) {
    const char *begin = PAIR_KERNEL("BODY"), *at = strstr(begin, "BODY");
    snprintf(out, size, "%.*s%s%s", (int)(at - begin), begin, body, at + 4);
}

static haul_status check(const pair *p, const char *body, const haul_device_options *options, haul_run **run,
                         haul_device **device) {
    haul_module *module;
    haul_buffer *out, *in;
    uint32_t zeros[256] = {0};
    char ptx[4096];
    whole(body, ptx, sizeof ptx);
    assert_int_equal(haul_device_open("sim:h100", options, device), HAUL_OK);
    if (haul_module_load(*device, p->name, ptx, strlen(ptx), &module) != HAUL_OK)
        fail_msg("%s: %s", p->name, haul_message());
    assert_int_equal(haul_buffer_create(*device, sizeof zeros, &out), HAUL_OK);
    assert_int_equal(haul_buffer_create(*device, sizeof zeros, &in), HAUL_OK);
    assert_int_equal(haul_buffer_write(out, 0, zeros, sizeof zeros), HAUL_OK);
    assert_int_equal(haul_buffer_write(in, 0, zeros, sizeof zeros), HAUL_OK);
    assert_int_equal(haul_run_create(*device, run), HAUL_OK);
    const haul_argument arguments[] = {{.kind = HAUL_ARGUMENT_BUFFER, .buffer = out},
                                       {.kind = HAUL_ARGUMENT_BUFFER, .buffer = in}};
    const haul_launch launch = {.kernel = "k",
                                .grid = {p->blocks, 1, 1},
                                .block = {p->threads, 1, 1},
                                .arguments = arguments,
                                .argument_count = 2};
    return haul_launch_run(module, &launch, *run);
}

static bool has(const haul_launch_record *r, haul_finding_kind kind) {
    for (size_t i = 0; i < r->finding_count; i++)
        if (r->findings[i].kind == kind) return true;
    return false;
}

static void check_pair(const pair *p, const haul_device_options *options) {
    haul_device *device;
    haul_run *run;
    (void)check(p, p->wrong, options, &run, &device);
    assert_int_equal(run->launch_count, 1);
    if (!has(&run->launches[0], p->kind))
        fail_msg("%s, schedule %d: no %s, but %zu other findings", p->name, (int)options->schedule,
                 haul_finding_kinds[p->kind].key, run->launches[0].finding_count);
    haul_run_free(run);
    haul_device_close(device);
    if (check(p, p->right, options, &run, &device) != HAUL_OK) fail_msg("%s: %s", p->name, haul_message());
    if (run->launches[0].finding_count)
        fail_msg("%s, schedule %d: the right one has %s: %s", p->name, (int)options->schedule,
                 haul_finding_kinds[run->launches[0].findings[0].kind].key, run->launches[0].findings[0].what);
    haul_run_free(run);
    haul_device_close(device);
}

static void all_pairs(haul_schedule schedule, uint64_t seed, uint32_t threads) {
    const haul_device_options options = {.check = true, .schedule = schedule, .seed = seed, .threads = threads};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) check_pair(&pairs[i], &options);
}

static void pairs_are_told_apart_in_order(void **state) {
    (void)state;
    all_pairs(HAUL_SCHEDULE_IN_ORDER, 0, 1);
    all_pairs(HAUL_SCHEDULE_IN_ORDER, 0, 4);
}

static void pairs_are_told_apart_in_reverse(void **state) {
    (void)state;
    all_pairs(HAUL_SCHEDULE_REVERSED, 0, 1);
}

static void pairs_are_told_apart_at_random(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) all_pairs(HAUL_SCHEDULE_RANDOM, seed, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_told_apart_in_order),
        cmocka_unit_test(pairs_are_told_apart_in_reverse),
        cmocka_unit_test(pairs_are_told_apart_at_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
