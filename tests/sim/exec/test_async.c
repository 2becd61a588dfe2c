/* cp.async and its groups, bulk copies, mbarriers. Data arrives as late as the rules allow: a read before the wait
 * returns the old data. */
#include "kernel.h"

#define SHARED ".shared .align 128 .b8 words[8192];\n.shared .align 8 .b64 bar;\n.shared .align 8 .b64 bar2;\n"
/* %r3: address of the thread's 16 bytes of `words`, %rd3: of its 16 bytes of the input */
#define PLACES                        \
    "mov.u32 %r3, words;\n"           \
    "mad.lo.u32 %r3, %r0, 16, %r3;\n" \
    "mad.wide.u32 %rd3, %r0, 16, %rd1;\n"

static uint32_t numbers[2048];

static void fill_numbers(void) {
    for (unsigned k = 0; k < 2048; k++) numbers[k] = 1000 + k;
}

static void run_on_numbers(const char *ptx, uint32_t threads, uint32_t *out, size_t bytes) {
    fill_numbers();
    memset(out, 0, bytes);
    run_kernel(&(kernel_run){.ptx = ptx, .threads = threads, FROM(numbers), .out = out, .out_bytes = bytes});
}

/* ---- cp.async ---- */

static void a_copy_arrives_at_the_wait_and_not_before(void **state) {
    (void)state;
    uint32_t out[32];
    run_on_numbers(KERNEL_WITH(SHARED, PLACES "cp.async.ca.shared.global [%r3], [%rd3], 4;\n"
                                              "cp.async.commit_group;\n"
                                              "ld.shared.u32 %r4, [%r3];\n"
                                              "cp.async.wait_group 0;\n"
                                              "ld.shared.u32 %r5, [%r3];\n"
                                              "mad.lo.u32 %r5, %r4, 100000, %r5;\n" OUT("%r5")),
                   32, out, sizeof out);
    expect_words(out, 32, 1000 + 4 * i);
}

static void only_the_oldest_groups_are_waited_for(void **state) {
    (void)state;
    uint32_t out[32];
    run_on_numbers(KERNEL_WITH(SHARED, PLACES "cp.async.ca.shared.global [%r3], [%rd3], 4;\n"
                                              "cp.async.commit_group;\n"
                                              "cp.async.ca.shared.global [%r3+4], [%rd3+4], 4;\n"
                                              "cp.async.commit_group;\n"
                                              "cp.async.ca.shared.global [%r3+8], [%rd3+8], 4;\n" /* not committed */
                                              "cp.async.wait_group 1;\n"
                                              "ld.shared.v4.u32 {%r4, %r5, %r6, _}, [%r3];\n"
                                              "cp.async.wait_group 0;\n"
                                              "ld.shared.u32 %r7, [%r3+4];\n"
                                              "ld.shared.u32 %r8, [%r3+8];\n"
                                              "cp.async.wait_all;\n"
                                              "ld.shared.u32 %r9, [%r3+8];\n"
                                              "add.u32 %r10, %r5, %r6;\n" /* zero so far */
                                              "add.u32 %r10, %r10, %r8;\n"
                                              "mul.lo.u32 %r10, %r10, 1000000;\n"
                                              "add.u32 %r10, %r10, %r4;\n"
                                              "add.u32 %r10, %r10, %r7;\n"
                                              "add.u32 %r10, %r10, %r9;\n" OUT("%r10")),
                   32, out, sizeof out);
    expect_words(out, 32, 3 * (1000 + 4 * i) + 3);
}

static void groups_belong_to_threads(void **state) {
    (void)state;
    uint32_t out[32];
    run_on_numbers(KERNEL_WITH(SHARED, PLACES "cp.async.ca.shared.global [%r3], [%rd3], 4;\n"
                                              "cp.async.commit_group;\n"
                                              "setp.lt.u32 %p0, %r0, 16;\n"
                                              "@%p0 cp.async.commit_group;\n" /* an empty group */
                                              "cp.async.wait_group 1;\n"
                                              "ld.shared.u32 %r4, [%r3];\n" OUT("%r4")),
                   32, out, sizeof out);
    expect_words(out, 32, i < 16 ? 1000 + 4 * i : 0);
}

static void diverged_lanes_have_groups_of_their_own(void **state) {
    (void)state;
    uint32_t out[32];
    run_on_numbers(KERNEL_WITH(SHARED, PLACES "mov.u32 %r5, 0;\n"
                                              "mov.u32 %r6, 0;\n"
                                              "LOOP: cp.async.ca.shared.global [%r3], [%rd3], 4;\n"
                                              "cp.async.commit_group;\n"
                                              "add.u64 %rd3, %rd3, 4;\n"
                                              "add.u32 %r5, %r5, 1;\n"
                                              "and.b32 %r7, %r0, 3;\n"
                                              "setp.le.u32 %p0, %r5, %r7;\n"
                                              "@%p0 bra LOOP;\n"
                                              "cp.async.wait_group 1;\n" /* all but the last of 1 to 4 groups */
                                              "ld.shared.u32 %r4, [%r3];\n" OUT("%r4")),
                   32, out, sizeof out);
    expect_words(out, 32, (i & 3) ? 1000 + 4 * i + (i & 3) - 1 : 0);
}

static void what_is_not_read_becomes_zero(void **state) {
    (void)state;
    uint32_t out[128];
    run_on_numbers(KERNEL_WITH(SHARED, PLACES "and.b32 %r4, %r0, 3;\n"
                                              "mul.lo.u32 %r4, %r4, 4;\n" /* 0, 4, 8, 12 bytes */
                                              "mov.u32 %r5, -1;\n"
                                              "st.shared.v4.u32 [%r3], {%r5, %r5, %r5, %r5};\n"
                                              "cp.async.cg.shared.global [%r3], [%rd3], 16, %r4;\n"
                                              "cp.async.wait_all;\n"
                                              "ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r3];\n"
                                              "mad.wide.u32 %rd2, %r0, 16, %rd0;\n"
                                              "st.global.v4.u32 [%rd2], {%r5, %r6, %r7, %r8};\n"),
                   32, out, sizeof out);
    expect_words(out, 128, i % 4 < (i / 4 & 3) ? 1000 + i : 0);
}

static void a_predicate_says_that_the_source_is_ignored(void **state) {
    (void)state;
    uint32_t out[32];
    run_on_numbers(KERNEL_WITH(SHARED, PLACES "setp.lt.u32 %p0, %r0, 16;\n"
                                              "selp.b64 %rd4, 0, %rd3, %p0;\n" /* a null pointer is not read */
                                              "st.shared.u32 [%r3], %r0;\n"
                                              "cp.async.ca.shared.global [%r3], [%rd4], 8, %p0;\n"
                                              "cp.async.wait_all;\n"
                                              "ld.shared.u32 %r4, [%r3];\n" OUT("%r4")),
                   32, out, sizeof out);
    expect_words(out, 32, i < 16 ? 0 : 1000 + 4 * i);
}

/* The branch around copies joins a block above them, as in loops that a compiler has rotated. The copies are
 * predicated, and the jump remains. */
static void copies_may_be_skipped_to_a_block_above(void **state) {
    (void)state;
    uint32_t out[32];
    run_on_numbers(KERNEL_WITH(SHARED, PLACES "setp.ge.u32 %p0, %r0, 16;\n"
                                              "st.shared.u32 [%r3], %r0;\n"
                                              "bra.uni COPY;\n"
                                              "DONE:\n"
                                              "cp.async.wait_all;\n"
                                              "ld.shared.u32 %r4, [%r3];\n"
                                              "bra.uni PUT;\n"
                                              "COPY:\n"
                                              "mov.u32 %r4, 7;\n"
                                              "@%p0 bra DONE;\n"
                                              "cp.async.cg.shared.global [%r3], [%rd3], 16;\n"
                                              "bra.uni DONE;\n"
                                              "trap;\n"
                                              "PUT:\n" OUT("%r4")),
                   32, out, sizeof out);
    expect_words(out, 32, i < 16 ? 1000 + 4 * i : i);
}

static void a_cache_policy_is_no_source_size(void **state) {
    (void)state;
    uint32_t out[32];
    run_on_numbers(KERNEL_WITH(SHARED, PLACES
                               "createpolicy.fractional.L2::evict_first.b64 %rd4, 1.0;\n"
                               "cp.async.cg.shared.global.L2::cache_hint [%r3], [%rd3], 16, %rd4;\n"
                               "cp.async.cg.shared.global.L2::cache_hint.L2::128B [%r3+512], [%rd3], 16, 4, %rd4;\n"
                               "cp.async.wait_all;\n"
                               "ld.shared.u32 %r4, [%r3+12];\n"
                               "ld.shared.u32 %r5, [%r3+512];\n"
                               "ld.shared.u32 %r6, [%r3+516];\n"
                               "mad.lo.u32 %r4, %r4, 10000, %r5;\n"
                               "add.u32 %r4, %r4, %r6;\n" OUT("%r4")),
                   32, out, sizeof out);
    expect_words(out, 32, (1003 + 4 * i) * 10000 + 1000 + 4 * i);
}

static void a_short_source_may_end_where_its_allocation_ends(void **state) {
    (void)state;
    uint32_t out[32] = {0};
    fill_numbers();
    const char *ptx = KERNEL_WITH(SHARED, PLACES "sub.u32 %r4, 500, %r0;\n" /* bytes left of 500 from 16 t on */
                                                 "mad.lo.u32 %r4, %r0, -15, %r4;\n"
                                                 "min.u32 %r4, %r4, 16;\n"
                                                 "cp.async.cg.shared.global [%r3], [%rd3], 16, %r4;\n"
                                                 "cp.async.wait_all;\n"
                                                 "ld.shared.v2.u32 {%r4, %r5}, [%r3];\n"
                                                 "add.u32 %r4, %r4, %r5;\n" OUT("%r4"));
    run_kernel(&(kernel_run){.ptx = ptx, .in = numbers, .in_bytes = 500, INTO(out)});
    expect_words(out, 32, i == 31 ? 1124 : 2 * (1000 + 4 * i) + 1);
    expect_failure(&(kernel_run){.ptx = KERNEL_WITH(SHARED, PLACES "cp.async.cg.shared.global [%r3], [%rd3], 16, 8;\n"),
                                 .in = numbers,
                                 .in_bytes = 500},
                   HAUL_ERROR_FAULT, "thread 31,0,0");
}

static void copies_that_nobody_waits_for_arrive_in_the_end(void **state) {
    (void)state;
    uint32_t out[32];
    run_on_numbers(KERNEL_WITH(SHARED, PLACES "mov.u32 %r5, 0;\n"
                                              "LOOP: cp.async.ca.shared.global [%r3], [%rd3], 16;\n"
                                              "add.u32 %r5, %r5, 1;\n"
                                              "setp.lt.u32 %p0, %r5, 3000;\n"
                                              "@%p0 bra LOOP;\n" OUT("%r5")),
                   32, out, sizeof out);
    expect_words(out, 32, 3000);
}

/* ---- mbarriers ---- */

#define INIT(count)                                 \
    "setp.ne.u32 %p0, %r0, 0;\n"                    \
    "@%p0 bra READY;\n"                             \
    "mbarrier.init.shared.b64 [bar], " count ";\n"  \
    "mbarrier.init.shared.b64 [bar2], " count ";\n" \
    "READY: bar.sync 0;\n"

static void a_phase_completes_when_all_have_arrived(void **state) {
    (void)state;
    uint32_t out[64];
    run_on_numbers(KERNEL_WITH(SHARED, INIT("64") PLACES "st.shared.u32 [%r3], %r0;\n"
                                                         "mbarrier.arrive.shared.b64 %rd4, [bar];\n"
                                                         "WAIT: mbarrier.try_wait.shared.b64 %p1, [bar], %rd4;\n"
                                                         "@!%p1 bra WAIT;\n"
                                                         "mov.u32 %r4, words;\n"
                                                         "xor.b32 %r5, %r0, 63;\n"
                                                         "mad.lo.u32 %r4, %r5, 16, %r4;\n"
                                                         "ld.shared.u32 %r4, [%r4];\n" OUT("%r4")),
                   64, out, sizeof out);
    expect_words(out, 64, i ^ 63);
}

static void the_parity_tells_phases_apart(void **state) {
    (void)state;
    uint32_t out[32];
    run_on_numbers(KERNEL_WITH(SHARED, INIT("32") "mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;\n" /* running */
                                                  "mbarrier.test_wait.parity.shared.b64 %p2, [bar], 1;\n" /* before */
                                                  "bar.sync 0;\n"
                                                  "mbarrier.arrive.shared.b64 _, [bar];\n"
                                                  "bar.sync 0;\n"
                                                  "mbarrier.test_wait.parity.shared.b64 %p3, [bar], 0;\n"
                                                  "mbarrier.test_wait.parity.shared.b64 %p4, [bar], 1;\n"
                                                  "selp.u32 %r4, 1, 0, %p1;\n"
                                                  "selp.u32 %r5, 2, 0, %p2;\n"
                                                  "add.u32 %r4, %r4, %r5;\n"
                                                  "selp.u32 %r5, 4, 0, %p3;\n"
                                                  "add.u32 %r4, %r4, %r5;\n"
                                                  "selp.u32 %r5, 8, 0, %p4;\n"
                                                  "add.u32 %r4, %r4, %r5;\n" OUT("%r4")),
                   32, out, sizeof out);
    expect_words(out, 32, 6);
}

static void tokens_say_how_many_were_pending_and_drops_lower_the_count(void **state) {
    (void)state;
    uint32_t out[8];
    run_on_numbers(
        KERNEL_WITH(SHARED,
                    "setp.ne.u32 %p0, %r0, 0;\n"
                    "@%p0 ret;\n"
                    "mbarrier.init.shared.b64 [bar], 10;\n"
                    "mbarrier.arrive.shared.b64 %rd3, [bar];\n"
                    "mbarrier.arrive.noComplete.shared.b64 %rd4, [bar], 3;\n"
                    "mbarrier.arrive_drop.shared.b64 %rd5, [bar], 4;\n" /* 2 pending, 6 from the next phase on */
                    "mbarrier.arrive.shared::cta.b64 %rd6, [bar], 2;\n" /* the phase completes */
                    "mbarrier.arrive.shared.b64 %rd7, [bar];\n"
                    "mbarrier.test_wait.shared.b64 %p1, [bar], %rd6;\n"
                    "mbarrier.test_wait.shared.b64 %p2, [bar], %rd7;\n"
                    "mbarrier.pending_count.b64 %r3, %rd3;\n"
                    "mbarrier.pending_count.b64 %r4, %rd4;\n"
                    "mbarrier.pending_count.b64 %r5, %rd5;\n"
                    "mbarrier.pending_count.b64 %r6, %rd6;\n"
                    "mbarrier.pending_count.b64 %r7, %rd7;\n"
                    "selp.u32 %r8, 1, 0, %p1;\n"
                    "selp.u32 %r9, 1, 0, %p2;\n"
                    "mbarrier.inval.shared.b64 [bar];\n"
                    "st.global.v4.u32 [%rd0], {%r3, %r4, %r5, %r6};\n"
                    "st.global.v2.u32 [%rd0+16], {%r7, %r8};\n"
                    "st.global.u32 [%rd0+24], %r9;\n"),
        32, out, sizeof out);
    static const uint32_t want[8] = {10, 9, 6, 2, 6, 1, 0, 0};
    expect_words(out, 8, want[i]);
}

/* Warp 1 sleeps in its wait when thread 0 ends the phase and, at once, the mbarrier; then warp 1 arrives again. An H200
 * does so, too: the object stays where it is until the program writes there. */
static void a_wait_outlives_the_end_of_its_mbarrier(void **state) {
    (void)state;
    uint32_t out[64];
    run_on_numbers(KERNEL_WITH(SHARED, "setp.ne.u32 %p0, %r0, 0;\n"
                                       "setp.ge.u32 %p1, %r0, 32;\n"
                                       "mov.u32 %r4, 1;\n"
                                       "@!%p0 mbarrier.init.shared.b64 [bar], 1;\n"
                                       "bar.sync 0;\n"
                                       "@%p1 bra W;\n"
                                       "@!%p0 mbarrier.arrive.shared.b64 _, [bar];\n"
                                       "@!%p0 mbarrier.inval.shared.b64 [bar];\n"
                                       "bra D;\n"
                                       "W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n"
                                       "@!%p2 bra W;\n"
                                       "setp.eq.u32 %p3, %r0, 32;\n"
                                       "@%p3 mbarrier.arrive.shared.b64 _, [bar];\n"
                                       "mov.u32 %r4, 2;\n"
                                       "D:\n" OUT("%r4")),
                   64, out, sizeof out);
    expect_words(out, 32, 1);
    expect_words(out + 32, 32, 2);
}

static void bytes_that_are_expected_keep_a_phase_open(void **state) {
    (void)state;
    uint32_t out[4];
    run_on_numbers(KERNEL_WITH(SHARED, "setp.ne.u32 %p0, %r0, 0;\n"
                                       "@%p0 ret;\n"
                                       "mbarrier.init.shared.b64 [bar], 1;\n"
                                       "mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 100;\n"
                                       "mbarrier.arrive.expect_tx.shared.b64 %rd3, [bar], 28;\n"
                                       "mbarrier.test_wait.shared.b64 %p1, [bar], %rd3;\n"
                                       "mbarrier.complete_tx.shared.b64 [bar], 100;\n"
                                       "mbarrier.test_wait.shared.b64 %p2, [bar], %rd3;\n"
                                       "mbarrier.complete_tx.shared.b64 [bar], 28;\n"
                                       "mbarrier.test_wait.shared.b64 %p3, [bar], %rd3;\n"
                                       "selp.u32 %r3, 1, 0, %p1;\n"
                                       "selp.u32 %r4, 1, 0, %p2;\n"
                                       "selp.u32 %r5, 1, 0, %p3;\n"
                                       "st.global.v4.u32 [%rd0], {%r3, %r4, %r5, %r5};\n"),
                   32, out, sizeof out);
    expect_words(out, 4, i >= 2);
}

static void copies_arrive_on_an_mbarrier(void **state) {
    (void)state;
    uint32_t out[32];
    const char *ptx =
        KERNEL_WITH(SHARED, INIT("32") PLACES "cp.async.ca.shared.global [%r3], [%rd3], 4;\n"
                                              "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n"
                                              "ld.shared.u32 %r4, [%r3];\n"
                                              "WAIT: mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;\n"
                                              "@!%p1 bra WAIT;\n"
                                              "xor.b32 %r6, %r0, 31;\n"
                                              "mov.u32 %r5, words;\n"
                                              "mad.lo.u32 %r5, %r6, 16, %r5;\n"
                                              "ld.shared.u32 %r5, [%r5];\n"
                                              "mad.lo.u32 %r5, %r4, 10000, %r5;\n" OUT("%r5"));
    run_on_numbers(ptx, 32, out, sizeof out);
    expect_words(out, 32, 1000 + 4 * (31 - i));
}

/* Without .noinc the copies' arrivals come on top of the count: the threads still arrive themselves. */
static void arrivals_of_copies_may_come_on_top(void **state) {
    (void)state;
    uint32_t out[32];
    run_on_numbers(KERNEL_WITH(SHARED, INIT("32") PLACES "cp.async.ca.shared.global [%r3], [%rd3], 4;\n"
                                                         "cp.async.mbarrier.arrive.shared.b64 [bar];\n"
                                                         "mbarrier.arrive.shared.b64 %rd4, [bar];\n"
                                                         "WAIT: mbarrier.try_wait.shared.b64 %p1, [bar], %rd4;\n"
                                                         "@!%p1 bra WAIT;\n"
                                                         "ld.shared.u32 %r5, [%r3];\n" OUT("%r5")),
                   32, out, sizeof out);
    expect_words(out, 32, 1000 + 4 * i);
}

/* Two warps and a ring of one stage: the consumer mostly waits first. */
static void a_producer_and_a_consumer_hand_over_thousands_of_times(void **state) {
    (void)state;
    uint32_t out[64];
    run_on_numbers(
        KERNEL_WITH(SHARED,
                    INIT("1") "mov.u32 %r4, 0;\n"
                              "mov.u32 %r5, 0;\n"
                              "setp.lt.u32 %p2, %r0, 32;\n"
                              "setp.ne.u32 %p3, %r0, 32;\n"
                              "mov.u32 %r8, words;\n"
                              "@%p2 bra CONSUMER;\n"
                              "@%p3 ret;\n"
                              "PRODUCER: and.b32 %r6, %r4, 1;\n"
                              "xor.b32 %r6, %r6, 1;\n"
                              "FREE: mbarrier.try_wait.parity.shared.b64 %p1, [bar2], %r6;\n"
                              "@!%p1 bra FREE;\n"
                              "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;\n"
                              "and.b32 %r7, %r4, 255;\n"
                              "mad.wide.u32 %rd4, %r7, 16, %rd1;\n"
                              "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r8], [%rd4], 16, "
                              "[bar];\n"
                              "add.u32 %r4, %r4, 1;\n"
                              "setp.lt.u32 %p4, %r4, 5000;\n"
                              "@%p4 bra PRODUCER;\n"
                              "ret;\n"
                              "CONSUMER: and.b32 %r6, %r4, 1;\n"
                              "FULL: mbarrier.try_wait.parity.shared.b64 %p1, [bar], %r6;\n"
                              "@!%p1 bra FULL;\n"
                              "ld.shared.u32 %r7, [%r8];\n"
                              "add.u32 %r5, %r5, %r7;\n"
                              "bar.warp.sync -1;\n"
                              "setp.eq.u32 %p5, %r0, 0;\n"
                              "@%p5 mbarrier.arrive.shared.b64 _, [bar2];\n"
                              "add.u32 %r4, %r4, 1;\n"
                              "setp.lt.u32 %p4, %r4, 5000;\n"
                              "@%p4 bra CONSUMER;\n" OUT("%r5")),
        64, out, sizeof out);
    uint32_t sum = 0;
    for (unsigned k = 0; k < 5000; k++) sum += 1000 + 4 * (k & 255);
    expect_words(out, 64, i < 32 ? sum : 0);
}

static void misused_mbarriers_are_errors(void **state) {
    (void)state;
    expect_failure(&(kernel_run){.ptx = KERNEL_WITH(SHARED, "mbarrier.init.shared.b64 [bar], 0;\n")}, HAUL_ERROR_FAULT,
                   "mbarrier.init: count 0");
    expect_failure(&(kernel_run){.ptx = KERNEL_WITH(SHARED, "mbarrier.init.shared.b64 [bar], 4;\n"
                                                            "mbarrier.arrive.shared.b64 _, [bar], 5;\n")},
                   HAUL_ERROR_FAULT, "too many arrivals");
    expect_failure(&(kernel_run){.ptx = KERNEL_WITH(SHARED, "mbarrier.init.shared.b64 [bar], 4;\n"
                                                            "mbarrier.arrive.noComplete.shared.b64 _, [bar], 4;\n")},
                   HAUL_ERROR_FAULT, "4 of 4 arrivals pending");
    expect_failure(&(kernel_run){.ptx = KERNEL_WITH(SHARED, "mov.u32 %r3, bar;\n"
                                                            "mbarrier.init.shared.b64 [%r3+4], 1;\n")},
                   HAUL_ERROR_FAULT, "8-byte aligned");
    expect_failure(&(kernel_run){.ptx = KERNEL_WITH(SHARED, "mov.u32 %r3, 0x100000;\n"
                                                            "mbarrier.arrive.shared.b64 _, [%r3];\n")},
                   HAUL_ERROR_FAULT, "inside shared memory");
}

static void a_phase_that_never_completes_is_a_deadlock(void **state) {
    (void)state;
    expect_failure(
        &(kernel_run){.ptx = KERNEL_WITH(SHARED, INIT("33") "mbarrier.arrive.shared.b64 %rd4, [bar];\n"
                                                            "WAIT: mbarrier.try_wait.shared.b64 %p1, [bar], %rd4;\n"
                                                            "@!%p1 bra WAIT;\n")},
        HAUL_ERROR_DEADLOCK,
        "32 threads (warp 0) wait at PTX line 27 for the mbarrier bar + 0 to end its phase of parity 0, the present "
        "one: 32 of 33 arrivals");
}

/* A wait with a time limit returns false eventually; the kernel may then do anything. */
static void try_wait_gives_up_after_a_while(void **state) {
    (void)state;
    uint32_t out[32];
    run_on_numbers(KERNEL_WITH(SHARED, INIT("33") "mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0, 1000;\n"
                                                  "selp.u32 %r4, 1, 2, %p1;\n" OUT("%r4")),
                   32, out, sizeof out);
    expect_words(out, 32, 2);
}

/* ---- bulk copies ---- */

#define ONE_THREAD "setp.ne.u32 %p0, %r0, 0;\n@%p0 ret;\n"
#define BULK_LOAD "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "

static void bulk_copies_complete_on_their_own_mbarriers(void **state) {
    (void)state;
    uint32_t out[4];
    run_on_numbers(KERNEL_WITH(SHARED, ONE_THREAD "mbarrier.init.shared.b64 [bar], 1;\n"
                                                  "mbarrier.init.shared.b64 [bar2], 1;\n"
                                                  "mov.u32 %r3, words;\n"
                                                  "mbarrier.arrive.expect_tx.shared.b64 %rd3, [bar], 48;\n"
                                                  "mbarrier.arrive.expect_tx.shared.b64 %rd4, [bar2], 1024;\n" BULK_LOAD
                                                  "[%r3], [%rd1], 16, [bar];\n" BULK_LOAD
                                                  "[%r3+1024], [%rd1+1024], 1024, [bar2];\n" BULK_LOAD
                                                  "[%r3+32], [%rd1+32], 32, [bar];\n"
                                                  "WAIT: mbarrier.try_wait.shared.b64 %p1, [bar], %rd3;\n"
                                                  "@!%p1 bra WAIT;\n"
                                                  "ld.shared.u32 %r4, [%r3+12];\n"
                                                  "ld.shared.u32 %r5, [%r3+60];\n"
                                                  "ld.shared.u32 %r6, [%r3+1024];\n" /* not waited for */
                                                  "WAIT2: mbarrier.try_wait.shared.b64 %p1, [bar2], %rd4;\n"
                                                  "@!%p1 bra WAIT2;\n"
                                                  "ld.shared.u32 %r7, [%r3+2044];\n"
                                                  "st.global.v4.u32 [%rd0], {%r4, %r5, %r6, %r7};\n"),
                   32, out, sizeof out);
    static const uint32_t want[4] = {1003, 1015, 0, 1511};
    expect_words(out, 4, want[i]);
}

static void bulk_stores_leave_in_groups(void **state) {
    (void)state;
    uint32_t out[12];
    run_on_numbers(KERNEL_WITH(SHARED, ONE_THREAD "mov.u32 %r3, words;\n"
                                                  "mov.u32 %r4, 7;\n"
                                                  "st.shared.v4.u32 [%r3], {%r4, %r4, %r4, %r4};\n"
                                                  "fence.proxy.async.shared::cta;\n"
                                                  "cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r3], 16;\n"
                                                  "cp.async.bulk.commit_group;\n"
                                                  "cp.async.bulk.global.shared::cta.bulk_group [%rd0+16], [%r3], 16;\n"
                                                  "cp.async.bulk.commit_group;\n"
                                                  "cp.async.bulk.wait_group 1;\n"
                                                  "ld.global.u32 %r5, [%rd0];\n"
                                                  "ld.global.u32 %r6, [%rd0+16];\n"
                                                  "cp.async.bulk.wait_group.read 0;\n"
                                                  "st.shared.u32 [%r3], 8;\n"
                                                  "st.global.v2.u32 [%rd0+32], {%r5, %r6};\n"),
                   32, out, sizeof out);
    static const uint32_t want[12] = {7, 7, 7, 7, 7, 7, 7, 7, 7, 0, 0, 0};
    expect_words(out, 12, want[i]);
}

/* Each block adds 1 to each of 64 words, and in single precision to the next 64; the last copy stays in flight until
 * the end. */
static const char reducing[] =
    KERNEL_WITH(SHARED, "mov.u32 %r3, words;\n"
                        "mad.lo.u32 %r4, %r0, 4, %r3;\n"
                        "st.shared.u32 [%r4], 1;\n"
                        "st.shared.f32 [%r4+256], 0f3F800000;\n"
                        "bar.sync 0;\n" ONE_THREAD
                        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd0], [%r3], 256;\n"
                        "cp.async.bulk.commit_group;\n"
                        "add.u32 %r5, %r3, 256;\n"
                        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd0+256], [%r5], 256;\n"
                        "cp.async.bulk.commit_group;\n"
                        "cp.async.bulk.wait_group 1;\n");

static void bulk_reductions_of_all_blocks_add_up(void **state) {
    (void)state;
    uint32_t out[128] = {0};
    const float sum = 600;
    uint32_t bits;
    memcpy(&bits, &sum, 4);
    run_kernel(&(kernel_run){.ptx = reducing, .blocks = 600, .threads = 64, .host_threads = 4, INTO(out)});
    expect_words(out, 128, i < 64 ? 600 : bits);
}

static void bulk_reductions_know_all_operations(void **state) {
    (void)state;
    static const struct {
        const char *operation;
        uint32_t memory, value, want;
    } cases[] = {
        {"and.b32", 0xff00ff00, 0x0ff00ff0, 0x0f000f00},
        {"or.b32", 0xff00ff00, 0x0ff00ff0, 0xfff0fff0},
        {"xor.b32", 0xff00ff00, 0x0ff00ff0, 0xf0f0f0f0},
        {"add.s32", 5, 0xfffffff6, 0xfffffffb},
        {"inc.u32", 9, 9, 0},
        {"dec.u32", 0, 7, 7},
        {"min.u32", 5, 0xffffffff, 5},
        {"min.s32", 5, 0xffffffff, 0xffffffff},
        {"max.u32", 5, 0xffffffff, 0xffffffff},
        {"max.s32", 5, 0xffffffff, 5},
        {"add.noftz.f16", 0x3c003c00, 0x3c004000, 0x40004200}, /* 1 + 1, 1 + 2 */
        {"min.f16", 0xbc003c00, 0x3c00c000, 0xbc00c000},       /* -1 with 1, 1 with -2 */
        {"add.noftz.bf16", 0x3f803f80, 0x3f804000, 0x40004040},
        {"max.bf16", 0xbf803f80, 0x3f80c000, 0x3f803f80},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char ptx[2048];
        uint32_t out[4], in = cases[c].value;
        for (unsigned k = 0; k < 4; k++) out[k] = cases[c].memory;
        snprintf(ptx, sizeof ptx, "%s%s%s%s%s%s%s", HEAD SHARED BEGIN ONE_THREAD,
                 "ld.global.u32 %r4, [%rd1];\nmov.u32 %r3, words;\nst.shared.v4.u32 [%r3], {%r4, %r4, %r4, %r4};\n",
                 "cp.reduce.async.bulk.global.shared::cta.bulk_group.", cases[c].operation, " [%rd0], [%r3], 16;\n",
                 "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n", END);
        run_kernel(&(kernel_run){.ptx = ptx, .in = &in, .in_bytes = 4, INTO(out)});
        for (unsigned k = 0; k < 4; k++)
            if (out[k] != cases[c].want) fail_msg("%s: 0x%x, not 0x%x", cases[c].operation, out[k], cases[c].want);
    }
}

static void wrong_bulk_copies_are_errors(void **state) {
    (void)state;
    const char *const misaligned = "all three must be multiples of 16";
    expect_failure(&(kernel_run){.ptx = KERNEL_WITH(SHARED, ONE_THREAD "mov.u32 %r3, words;\n" BULK_LOAD
                                                                       "[%r3], [%rd1], 8, [bar];\n")},
                   HAUL_ERROR_FAULT, misaligned);
    expect_failure(&(kernel_run){.ptx = KERNEL_WITH(SHARED, ONE_THREAD "mov.u32 %r3, words;\n" BULK_LOAD
                                                                       "[%r3+8], [%rd0], 16, [bar];\n")},
                   HAUL_ERROR_FAULT, misaligned);
    expect_failure(&(kernel_run){.ptx = KERNEL_WITH(SHARED, ONE_THREAD "mov.u32 %r3, words;\n" BULK_LOAD
                                                                       "[%r3], [%rd0+4], 16, [bar];\n")},
                   HAUL_ERROR_FAULT, misaligned);
    expect_failure(&(kernel_run){.ptx = KERNEL_WITH(SHARED, ONE_THREAD "mov.u32 %r3, words;\n" BULK_LOAD
                                                                       "[%r3], [%rd0], 512, [bar];\n")},
                   HAUL_ERROR_FAULT, "outside any allocation: 512 bytes");
    expect_failure(&(kernel_run){.ptx = KERNEL_WITH(SHARED, ONE_THREAD "mov.u32 %r3, words;\n" BULK_LOAD
                                                                       "[%r3+8192], [%rd0], 128, [bar];\n")},
                   HAUL_ERROR_FAULT, "outside the block's shared memory");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_arrives_at_the_wait_and_not_before),
        cmocka_unit_test(only_the_oldest_groups_are_waited_for),
        cmocka_unit_test(groups_belong_to_threads),
        cmocka_unit_test(diverged_lanes_have_groups_of_their_own),
        cmocka_unit_test(what_is_not_read_becomes_zero),
        cmocka_unit_test(a_predicate_says_that_the_source_is_ignored),
        cmocka_unit_test(copies_may_be_skipped_to_a_block_above),
        cmocka_unit_test(a_cache_policy_is_no_source_size),
        cmocka_unit_test(a_short_source_may_end_where_its_allocation_ends),
        cmocka_unit_test(copies_that_nobody_waits_for_arrive_in_the_end),
        cmocka_unit_test(a_phase_completes_when_all_have_arrived),
        cmocka_unit_test(the_parity_tells_phases_apart),
        cmocka_unit_test(tokens_say_how_many_were_pending_and_drops_lower_the_count),
        cmocka_unit_test(a_wait_outlives_the_end_of_its_mbarrier),
        cmocka_unit_test(bytes_that_are_expected_keep_a_phase_open),
        cmocka_unit_test(copies_arrive_on_an_mbarrier),
        cmocka_unit_test(arrivals_of_copies_may_come_on_top),
        cmocka_unit_test(a_producer_and_a_consumer_hand_over_thousands_of_times),
        cmocka_unit_test(misused_mbarriers_are_errors),
        cmocka_unit_test(a_phase_that_never_completes_is_a_deadlock),
        cmocka_unit_test(try_wait_gives_up_after_a_while),
        cmocka_unit_test(bulk_copies_complete_on_their_own_mbarriers),
        cmocka_unit_test(bulk_stores_leave_in_groups),
        cmocka_unit_test(bulk_reductions_of_all_blocks_add_up),
        cmocka_unit_test(bulk_reductions_know_all_operations),
        cmocka_unit_test(wrong_bulk_copies_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
