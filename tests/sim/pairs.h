/* Pairs of kernels, one wrong and one right, for what `haul check` finds: each test program has an array of them and
 * ends with `return run_pairs(pairs, count)`, which tries them under each schedule, with one host thread and with
 * several.
 *
 * On top of what kernel.h gives: %r3 is the address of `s` (1024 bytes of shared memory), %r4 that of the thread's own
 * word there, %r5 that of the mbarrier `bar`, %rd3 that of the thread's own word of `in`; `dynamic` is dynamic shared
 * memory. `out` and `in` are 256 words of zeros. */
#ifndef HAUL_TESTS_SIM_PAIRS_H
#define HAUL_TESTS_SIM_PAIRS_H

#include "kernel.h"

#ifndef PAIR_DEVICE
#define PAIR_DEVICE "sim:h100"
#endif
#define SHARED                                                      \
    ".shared .align 128 .b8 s[1024];\n.shared .align 8 .b64 bar;\n" \
    ".extern .shared .align 16 .b8 dynamic[];\n.const .u32 three[3] = {1, 2, 3};\n"
#define PAIR_KERNEL(body)                                                                    \
    KERNEL_WITH(SHARED, "mov.u32 %r3, s;\nmad.lo.u32 %r4, %r0, 4, %r3;\nmov.u32 %r5, bar;\n" \
                        "mad.wide.u32 %rd3, %r1, 4, %rd1;\n" body)

typedef struct pair {
    const char *name;
    haul_finding_kind kind; /* of the wrong one */
    uint32_t blocks, threads;
    const char *wrong, *right;
    haul_finding_kind or_kind;                                    /* that some schedules show instead; 0: none */
    uint32_t cluster, dynamic;                                    /* blocks; bytes */
    enum { IN_ZEROS, IN_UNWRITTEN, IN_FREED, BOTH_UNWRITTEN } in; /* of the wrong one, or of both */
    bool is_advice;                                               /* all findings of the wrong one */
    bool strict; /* needs strict checks; without them nothing must be found in either */
} pair;

#define PAIR_WITH(NAME, KIND, BLOCKS, THREADS, WRONG, RIGHT, ...)                                        \
    {                                                                                                    \
        .name = NAME, .kind = HAUL_FINDING_##KIND, .blocks = BLOCKS, .threads = THREADS, .wrong = WRONG, \
        .right = RIGHT, __VA_ARGS__                                                                      \
    }
#define PAIR(NAME, KIND, BLOCKS, THREADS, WRONG, RIGHT) \
    PAIR_WITH(NAME, KIND, BLOCKS, THREADS, WRONG, RIGHT, .in = IN_ZEROS)

/* ---- words of kernels ---- */

#define STORE "st.shared.u32 [%r4], %r0;\n"
#define NEIGHBOUR "xor.b32 %r6, %r0, 1;\nmad.lo.u32 %r6, %r6, 4, %r3;\nld.shared.u32 %r7, [%r6];\n" OUT("%r7")
#define MIRROR "sub.u32 %r6, %r2, %r0;\nmad.lo.u32 %r6, %r6, 4, %r3;\nld.shared.u32 %r7, [%r6+-4];\n" OUT("%r7")
#define INIT(count)                                                                \
    "setp.ne.u32 %p1, %r0, 0;\n@!%p1 mbarrier.init.shared.b64 [%r5], " count ";\n" \
    "@!%p1 fence.mbarrier_init.release.cluster;\nbar.sync 0;\n"
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

/* ---- trying them ---- */

/* The kernel around the body. */
static inline void whole(const char *body, char *out, size_t size) {
    const char *begin = PAIR_KERNEL("BODY"), *at = strstr(begin, "BODY");
    const int length = snprintf(out, size, "%.*s%s%s", (int)(at - begin), begin, body, at + 4);
    assert_in_range(length, 1, size - 1);
}

static inline haul_buffer *zeros_on(haul_device *device, bool written) {
    const uint32_t zeros[256] = {0};
    haul_buffer *buffer;
    assert_int_equal(haul_buffer_create(device, sizeof zeros, &buffer), HAUL_OK);
    if (written) assert_int_equal(haul_buffer_write(buffer, 0, zeros, sizeof zeros), HAUL_OK);
    return buffer;
}

static inline haul_status launch_pair(const pair *p, haul_device *device, haul_module *module, bool wrong,
                                      haul_run *run) {
    const bool written = p->in != BOTH_UNWRITTEN && (!wrong || p->in != IN_UNWRITTEN);
    haul_buffer *out = zeros_on(device, true), *in = zeros_on(device, written);
    const int64_t addresses[] = {(int64_t)haul_buffer_address(out), (int64_t)haul_buffer_address(in)};
    const haul_argument arguments[] = {{.kind = HAUL_ARGUMENT_I64, .integer = addresses[0]},
                                       {.kind = HAUL_ARGUMENT_I64, .integer = addresses[1]}};
    const haul_launch launch = {.kernel = "k",
                                .grid = {p->blocks, 1, 1},
                                .block = {p->threads, 1, 1},
                                .shared_bytes = p->dynamic,
                                .arguments = arguments,
                                .argument_count = 2,
                                .cluster = {p->cluster, 0, 0}};
    if (wrong && p->in == IN_FREED) haul_buffer_free(in);
    return haul_launch_run(module, &launch, run);
}

static inline bool has(const haul_launch_record *r, haul_finding_kind kind) {
    for (size_t i = 0; i < r->finding_count; i++)
        if (r->findings[i].kind == kind) return true;
    return false;
}

static inline bool is_graded(const pair *p, const haul_launch_record *r) {
    for (size_t i = 0; p->is_advice && i < r->finding_count; i++)
        if (r->findings[i].grade != HAUL_GRADE_ADVICE) return false;
    return true;
}

static inline bool is_told(const pair *p, const haul_launch_record *r, bool wrong, const char *how) {
    const haul_finding *first = r->finding_count ? r->findings : NULL;
    const bool found = has(r, p->kind) || (p->or_kind && has(r, p->or_kind));
    if (wrong ? found && is_graded(p, r) : !first) return true;
    print_error("%s, %s: the %s one has %zu findings: %s: %s\n", p->name, how, wrong ? "wrong" : "right",
                r->finding_count, first ? haul_finding_kinds[first->kind].key : "none", first ? first->what : "");
    return false;
}

static inline bool try_one(const pair *p, const haul_device_options *asked, bool strict, bool second, const char *how) {
    const bool wrong = !second && p->strict == strict;
    haul_device_options options = *asked;
    haul_device *device;
    haul_module *module;
    haul_run *run;
    char ptx[4096];
    options.strict = strict;
    whole(second ? p->right : p->wrong, ptx, sizeof ptx);
    assert_int_equal(haul_device_open(PAIR_DEVICE, &options, &device), HAUL_OK);
    if (haul_module_load(device, p->name, ptx, strlen(ptx), &module) != HAUL_OK)
        fail_msg("%s: %s", p->name, haul_message());
    assert_int_equal(haul_run_create(device, &run), HAUL_OK);
    const haul_status ran = launch_pair(p, device, module, wrong, run);
    if (!wrong && ran != HAUL_OK) print_error("%s, %s: %s\n", p->name, how, haul_message());
    assert_int_equal(run->launch_count, 1);
    const bool told = is_told(p, &run->launches[0], wrong, how) && (wrong || ran == HAUL_OK);
    haul_run_free(run);
    haul_device_close(device);
    return told;
}

static const pair *tried;
static size_t tried_count;

static inline void try_with(const haul_device_options *options, const char *how) {
    size_t not_told = 0;
    for (size_t i = 0; i < tried_count; i++) {
        for (int strict = 0; strict <= tried[i].strict; strict++) {
            not_told += !try_one(&tried[i], options, strict, false, how);
            not_told += !try_one(&tried[i], options, strict, true, how);
        }
    }
    assert_int_equal(not_told, 0);
}

static inline void try_all(haul_schedule schedule, uint64_t seed, uint32_t threads, const char *how) {
    try_with(&(haul_device_options){.check = true, .schedule = schedule, .seed = seed, .threads = threads}, how);
}

static inline void pairs_are_told_apart_in_order(void **state) {
    (void)state;
    try_all(HAUL_SCHEDULE_IN_ORDER, 0, 1, "in order");
    try_all(HAUL_SCHEDULE_IN_ORDER, 0, 4, "in order on four host threads");
}

static inline void pairs_are_told_apart_in_reverse(void **state) {
    (void)state;
    try_all(HAUL_SCHEDULE_REVERSED, 0, 1, "reversed");
}

static inline void pairs_are_told_apart_whenever_copies_complete(void **state) {
    (void)state;
    for (int c = HAUL_COMPLETION_LATE; c <= HAUL_COMPLETION_RANDOM; c++) {
        const haul_device_options options = {
            .check = true, .completion = (haul_completion)c, .unfenced = c % 2, .threads = 1};
        try_with(&options, "other completion");
    }
}

static inline void pairs_are_told_apart_at_random(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) try_all(HAUL_SCHEDULE_RANDOM, seed, 1, "at random");
}

static inline int run_pairs(const pair *pairs, size_t count) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_told_apart_in_order),
        cmocka_unit_test(pairs_are_told_apart_in_reverse),
        cmocka_unit_test(pairs_are_told_apart_whenever_copies_complete),
        cmocka_unit_test(pairs_are_told_apart_at_random),
    };
    tried = pairs;
    tried_count = count;
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
