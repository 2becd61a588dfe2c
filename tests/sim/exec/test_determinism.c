/* Same input, same output: results, counters and messages depend neither on the number of host threads nor on the
 * run. */
#include "kernel.h"

enum { BLOCKS = 300, THREADS = 64, WORDS = BLOCKS * THREADS };

static uint32_t input[WORDS];

typedef struct outcome {
    haul_status status;
    uint32_t out[WORDS + 1024];
    haul_launch_record record;
    char message[600];
} outcome;

static outcome first, other;
static uint64_t sample; /* blocks of each launch; 0: all */

static void run_once(const char *ptx, uint32_t host_threads, bool uncounted, outcome *o) {
    memset(o, 0, sizeof *o);
    o->status = try_kernel(&(kernel_run){.ptx = ptx,
                                         .blocks = BLOCKS,
                                         .threads = THREADS,
                                         .host_threads = host_threads,
                                         .limit = 50000000,
                                         .uncounted = uncounted,
                                         .sample = sample,
                                         FROM(input),
                                         INTO(o->out),
                                         .record = &o->record});
    if (o->status != HAUL_OK) snprintf(o->message, sizeof o->message, "%s", haul_message());
}

static void expect_same_output(const char *what, uint32_t threads) {
    if (first.status != other.status || strcmp(first.message, other.message) != 0)
        fail_msg("%s, %u host threads: '%s', not '%s'", what, threads, other.message, first.message);
    for (unsigned w = 0; w < WORDS + 1024; w++)
        if (first.out[w] != other.out[w])
            fail_msg("%s, %u host threads: word %u is %u, not %u", what, threads, w, other.out[w], first.out[w]);
}

static void expect_same(const char *what, uint32_t threads) {
    expect_same_output(what, threads);
    for (unsigned c = 0; c < HAUL_COUNTER_COUNT; c++)
        if (memcmp(&first.record.counters[c], &other.record.counters[c], sizeof(double)) != 0)
            fail_msg("%s, %u host threads: %s is %g, not %g", what, threads, haul_counters[c].key,
                     other.record.counters[c], first.record.counters[c]);
}

/* Leaves the outcome in `first`. */
static void run_with_all_thread_counts(const char *what, const char *ptx, haul_status want) {
    for (unsigned w = 0; w < WORDS; w++) input[w] = (w * 2654435761u) >> 7;
    run_once(ptx, 1, false, &first);
    if (first.status != want) fail_msg("%s: status %d: %s", what, (int)first.status, first.message);
    for (uint32_t threads = 1; threads <= 4; threads++) {
        run_once(ptx, threads, false, &other);
        expect_same(what, threads);
        run_once(ptx, threads, true, &other);
        expect_same_output(what, threads);
    }
}

#define LOAD "mad.wide.u32 %rd3, %r1, 4, %rd1;\nld.global.u32 %r3, [%rd3];\n"
/* %rd4: address after the threads' own words */
#define BEHIND "add.u64 %rd4, %rd0, 76800;\n"

static void tickets_are_drawn_in_the_same_order(void **state) {
    (void)state;
    run_with_all_thread_counts("tickets", KERNEL(LOAD BEHIND "atom.global.add.u32 %r4, [%rd4], 1;\n" OUT("%r4")),
                               HAUL_OK);
    uint64_t sum = 0;
    for (unsigned w = 0; w < WORDS; w++) sum += first.out[w];
    assert_int_equal(sum, (uint64_t)WORDS * (WORDS - 1) / 2);
}

static void floats_are_added_in_the_same_order(void **state) {
    (void)state;
    run_with_all_thread_counts("float sums",
                               KERNEL(LOAD BEHIND "cvt.rn.f32.u32 %f0, %r3;\n"
                                                  "mul.f32 %f0, %f0, 0f3E99999A;\n"
                                                  "red.global.add.f32 [%rd4], %f0;\n"
                                                  "and.b32 %r4, %r3, 63;\n"
                                                  "mad.wide.u32 %rd5, %r4, 4, %rd4;\n"
                                                  "red.global.add.f32 [%rd5+256], %f0;\n"
                                                  "atom.global.exch.b32 %r5, [%rd4+8], %r1;\n" OUT("%r5")),
                               HAUL_OK);
}

static void histograms_add_up(void **state) {
    (void)state;
    run_with_all_thread_counts("histogram",
                               KERNEL(LOAD BEHIND "and.b32 %r4, %r3, 255;\n"
                                                  "mad.wide.u32 %rd5, %r4, 4, %rd4;\n"
                                                  "red.global.add.u32 [%rd5], 1;\n"
                                                  "red.global.max.u32 [%rd5+1024], %r3;\n" OUT("%r4")),
                               HAUL_OK);
    uint32_t sum = 0;
    for (unsigned k = 0; k < 256; k++) sum += first.out[WORDS + k];
    assert_int_equal(sum, WORDS);
}

/* The block that draws the last ticket sums the other blocks' results (threadFenceReduction). */
static void the_last_block_sees_what_all_others_wrote(void **state) {
    (void)state;
    run_with_all_thread_counts("last block",
                               KERNEL_WITH(".shared .u32 last;\n.shared .u32 sum;\n",
                                           LOAD BEHIND OUT("%r3") "membar.gl;\n"
                                                                  "bar.sync 0;\n"
                                                                  "setp.ne.u32 %p0, %r0, 0;\n"
                                                                  "@%p0 bra TICKET;\n"
                                                                  "atom.global.inc.u32 %r4, [%rd4], 299;\n"
                                                                  "st.shared.u32 [last], %r4;\n"
                                                                  "st.shared.u32 [sum], 0;\n"
                                                                  "TICKET: bar.sync 0;\n"
                                                                  "ld.shared.u32 %r4, [last];\n"
                                                                  "setp.ne.u32 %p1, %r4, 299;\n"
                                                                  "@%p1 ret;\n"
                                                                  "mov.u32 %r5, %r0;\n"
                                                                  "mov.u32 %r6, 0;\n"
                                                                  "LOOP: mad.wide.u32 %rd5, %r5, 4, %rd0;\n"
                                                                  "ld.global.u32 %r7, [%rd5];\n"
                                                                  "add.u32 %r6, %r6, %r7;\n"
                                                                  "add.u32 %r5, %r5, 64;\n"
                                                                  "setp.lt.u32 %p2, %r5, 19200;\n"
                                                                  "@%p2 bra LOOP;\n"
                                                                  "atom.shared.add.u32 %r8, [sum], %r6;\n"
                                                                  "bar.sync 0;\n"
                                                                  "ld.shared.u32 %r9, [sum];\n"
                                                                  "st.global.u32 [%rd4+4], %r9;\n"),
                               HAUL_OK);
    uint32_t sum = 0;
    for (unsigned w = 0; w < WORDS; w++) sum += input[w];
    assert_int_equal(first.out[WORDS + 1], sum);
    assert_int_equal(first.out[WORDS], 0);
}

/* All blocks are resident: each waits for all others, three times. */
static void a_barrier_over_the_grid_opens(void **state) {
    (void)state;
    run_with_all_thread_counts("grid barrier",
                               KERNEL(BEHIND "mov.u32 %r5, 1;\n"
                                             "ROUND: bar.sync 0;\n"
                                             "setp.ne.u32 %p0, %r0, 0;\n"
                                             "@%p0 bra TOGETHER;\n"
                                             "membar.gl;\n"
                                             "red.global.add.u32 [%rd4], 1;\n"
                                             "mul.lo.u32 %r6, %r5, 300;\n"
                                             "WAIT: ld.acquire.gpu.global.u32 %r7, [%rd4];\n"
                                             "setp.lt.u32 %p1, %r7, %r6;\n"
                                             "@%p1 bra WAIT;\n"
                                             "TOGETHER: bar.sync 0;\n"
                                             "ld.volatile.global.u32 %r8, [%rd4];\n"
                                             "add.u32 %r5, %r5, 1;\n"
                                             "setp.le.u32 %p2, %r5, 3;\n"
                                             "@%p2 bra ROUND;\n" OUT("%r8")),
                               HAUL_OK);
    for (unsigned w = 0; w < WORDS; w++) assert_int_equal(first.out[w], 900);
}

/* Each block adds to the sum that its predecessor publishes with a flag: a running sum in one pass. */
static void look_back_hands_sums_from_block_to_block(void **state) {
    (void)state;
    run_with_all_thread_counts("look-back",
                               KERNEL("setp.ne.u32 %p0, %r0, 0;\n"
                                      "@%p0 ret;\n"
                                      "mov.u32 %r9, %ctaid.x;\n"
                                      "mad.wide.u32 %rd4, %r9, 8, %rd0;\n"
                                      "mad.wide.u32 %rd5, %r9, 4, %rd1;\n"
                                      "ld.global.u32 %r3, [%rd5];\n"
                                      "setp.eq.u32 %p1, %r9, 0;\n"
                                      "@%p1 bra PUBLISH;\n"
                                      "WAIT: ld.volatile.global.u32 %r4, [%rd4+-4];\n"
                                      "setp.eq.u32 %p2, %r4, 0;\n"
                                      "@%p2 bra WAIT;\n"
                                      "ld.volatile.global.u32 %r5, [%rd4+-8];\n"
                                      "add.u32 %r3, %r3, %r5;\n"
                                      "PUBLISH: st.global.u32 [%rd4], %r3;\n"
                                      "membar.gl;\n"
                                      "st.volatile.global.u32 [%rd4+4], 1;\n"),
                               HAUL_OK);
    uint32_t sum = 0;
    for (unsigned b = 0; b < BLOCKS; b++) {
        sum += input[b];
        assert_int_equal(first.out[2 * b], sum);
    }
}

/* Warp 0 waits for the next block's flag. Warp 1 waits for warp 0's flag in shared memory and sets the block's own. The
 * chain has 300 links: with an epoch of 65,536 operations for each, spinning SMs would execute billions. */
static void a_spinning_block_does_not_wait_an_epoch(void **state) {
    (void)state;
    run_with_all_thread_counts("chain",
                               KERNEL(".shared .align 4 .b32 flag;\n"
                                      "and.b32 %r10, %r0, 31;\n"
                                      "setp.ne.u32 %p0, %r10, 0;\n"
                                      "mov.u32 %r9, %ctaid.x;\n"
                                      "mad.wide.u32 %rd4, %r9, 4, %rd0;\n"
                                      "setp.gt.u32 %p3, %r0, 0;\n"
                                      "@%p3 bra READY;\n"
                                      "st.volatile.shared.u32 [flag], 0;\n"
                                      "READY: bar.sync 0;\n"
                                      "@%p0 ret;\n"
                                      "@%p3 bra SECOND;\n"
                                      "setp.eq.u32 %p1, %r9, 299;\n"
                                      "@%p1 bra TELL;\n"
                                      "WAIT: ld.volatile.global.u32 %r4, [%rd4+4];\n"
                                      "setp.eq.u32 %p2, %r4, 0;\n"
                                      "@%p2 bra WAIT;\n"
                                      "TELL: st.volatile.shared.u32 [flag], 1;\n"
                                      "ret;\n"
                                      "SECOND: ld.volatile.shared.u32 %r5, [flag];\n"
                                      "setp.eq.u32 %p2, %r5, 0;\n"
                                      "@%p2 bra SECOND;\n"
                                      "st.volatile.global.u32 [%rd4], 1;\n"),
                               HAUL_OK);
    for (unsigned b = 0; b < BLOCKS; b++) assert_int_equal(first.out[b], 1);
    assert_true(first.record.counters[HAUL_COUNTER_INST_EXECUTED] < 5e6);
}

/* Each of 300 blocks polls a few times, not once for each block before it. */
static void a_scan_hands_over_within_a_serial_phase(void **state) {
    look_back_hands_sums_from_block_to_block(state);
    assert_true(first.record.counters[HAUL_COUNTER_INST_EXECUTED] < 150 * BLOCKS);
}

static void faults_of_many_blocks_give_one_message(void **state) {
    (void)state;
    run_with_all_thread_counts("fault",
                               KERNEL(LOAD "setp.gt.u32 %p0, %r1, 5000;\n"
                                           "@%p0 st.global.u32 [%rd0+-4], %r3;\n" OUT("%r3")),
                               HAUL_ERROR_FAULT);
    run_with_all_thread_counts("trap",
                               KERNEL("mov.u32 %r9, %ctaid.x;\n"
                                      "rem.u32 %r9, %r9, 7;\n"
                                      "setp.eq.u32 %p0, %r9, 3;\n"
                                      "@%p0 trap;\n"),
                               HAUL_ERROR_TRAP);
}

static void deadlocks_give_one_message(void **state) {
    (void)state;
    run_with_all_thread_counts("deadlock",
                               KERNEL("mov.u32 %r9, %ctaid.x;\n"
                                      "setp.gt.u32 %p0, %r9, 200;\n"
                                      "@%p0 bar.sync 1, 128;\n"),
                               HAUL_ERROR_DEADLOCK);
}

static void the_limit_strikes_at_the_same_operation(void **state) {
    (void)state;
    run_with_all_thread_counts("endless",
                               KERNEL("AGAIN: add.u32 %r3, %r3, 1;\n"
                                      "setp.ne.u32 %p0, %r0, 99;\n"
                                      "@%p0 bra AGAIN;\n"),
                               HAUL_ERROR_TIMEOUT);
}

static void clocks_tick_the_same(void **state) {
    (void)state;
    run_with_all_thread_counts("clock",
                               KERNEL("mov.u64 %rd5, %clock64;\n"
                                      "mov.u32 %r3, 0;\n"
                                      "LOOP: add.u32 %r3, %r3, 1;\n"
                                      "setp.lt.u32 %p0, %r3, 50;\n"
                                      "@%p0 bra LOOP;\n"
                                      "mov.u64 %rd6, %clock64;\n"
                                      "sub.u64 %rd6, %rd6, %rd5;\n"
                                      "cvt.u32.u64 %r4, %rd6;\n" OUT("%r4")),
                               HAUL_OK);
    for (unsigned w = 0; w < WORDS; w++) assert_true(first.out[w] >= 50);
}

static void uncounted_launches_write_the_same(void **state) {
    (void)state;
    static const char *const modes[] = {"off", "1", "2:more"};
    const char *const kernel = KERNEL(".shared .align 4 .b8 s[256];\n" LOAD "mov.u32 %r5, s;\n"
                                      "and.b32 %r6, %r3, 63;\n"
                                      "mad.lo.u32 %r7, %r6, 4, %r5;\n"
                                      "mad.lo.u32 %r8, %r0, 4, %r5;\n"
                                      "mov.u32 %r9, 0;\n"
                                      "LOOP: st.shared.u32 [%r8], %r3;\n"
                                      "bar.sync 0;\n"
                                      "ld.shared.u32 %r10, [%r7];\n"
                                      "bar.sync 0;\n"
                                      "and.b32 %r11, %r10, 16383;\n"
                                      "mad.wide.u32 %rd4, %r11, 4, %rd1;\n"
                                      "ld.global.u32 %r12, [%rd4];\n"
                                      "and.b32 %r13, %r12, 7;\n"
                                      "setp.eq.u32 %p0, %r13, 3;\n"
                                      "@%p0 bra SKIP;\n"
                                      "add.u32 %r3, %r3, %r12;\n"
                                      "SKIP: add.u32 %r9, %r9, 1;\n"
                                      "setp.lt.u32 %p1, %r9, 40;\n"
                                      "@%p1 bra LOOP;\n" OUT("%r3"));
    for (unsigned m = 0; m < sizeof modes / sizeof *modes; m++) {
        setenv("HAUL_COMPILE", modes[m], 1);
        run_with_all_thread_counts(modes[m], kernel, HAUL_OK);
        unsetenv("HAUL_COMPILE");
        assert_true(other.record.counters[HAUL_COUNTER_INST_EXECUTED] < 0);
    }
}

/* A hundred million ticks, in fewer operations than a million. */
static void who_only_waits_for_a_time_does_not_wait_long(void **state) {
    (void)state;
    static uint32_t out[32];
    const kernel_run run = {.ptx = KERNEL("mov.u64 %rd5, %clock64;\n"
                                          "WAIT: mov.u64 %rd6, %clock64;\n"
                                          "sub.s64 %rd6, %rd6, %rd5;\n"
                                          "setp.lt.s64 %p0, %rd6, 100000000;\n"
                                          "@%p0 bra WAIT;\n"
                                          "mov.u32 %r3, 1;\n" OUT("%r3")),
                            .uncounted = true,
                            .limit = 1000000,
                            INTO(out)};
    run_kernel(&run);
    assert_int_equal(out[0], 1);
}

/* Polls a word that nobody writes, and reads the clock. Ends by `limit`, in %p1, if that says so. */
#define POLL_UNTIL(limit)                                  \
    KERNEL("mov.u64 %rd5, %clock64;\n"                     \
           "WAIT: ld.volatile.global.u32 %r3, [%rd0+4];\n" \
           "mov.u64 %rd6, %clock64;\n"                     \
           "sub.s64 %rd6, %rd6, %rd5;\n"                   \
           "setp.eq.u32 %p0, %r3, 7;\n"                    \
           "@%p0 bra DONE;\n"                              \
           "setp.lt.s64 %p1, %rd6, " limit ";\n"           \
           "@%p1 bra WAIT;\n"                              \
           "DONE: mov.u32 %r3, 1;\n"                       \
           "st.global.u32 [%rd0], %r3;\n")

/* Days of the kernel's time pass in a few million operations, counted or not. */
static void clocks_hide_no_deadlock(void **state) {
    (void)state;
    static uint32_t out[2];
    run_kernel(&(kernel_run){.ptx = POLL_UNTIL("200000000000"), .threads = 1, INTO(out)});
    assert_int_equal(out[0], 1);
    expect_failure(&(kernel_run){.ptx = POLL_UNTIL("0x7fffffffffffffff"), .threads = 1, INTO(out)}, HAUL_ERROR_DEADLOCK,
                   "only goes round in loops");
}

static void samples_are_the_same_too(void **state) {
    (void)state;
    static uint32_t whole[WORDS + 1024];
    static const double whole_stores = BLOCKS * (THREADS / 32);
    const char *const histogram = KERNEL(LOAD BEHIND "and.b32 %r4, %r3, 255;\n"
                                                     "mad.wide.u32 %rd5, %r4, 4, %rd4;\n"
                                                     "red.global.add.u32 [%rd5], 1;\n" OUT("%r4"));
    run_with_all_thread_counts("histogram", histogram, HAUL_OK);
    memcpy(whole, first.out, sizeof whole);
    sample = 40;
    run_with_all_thread_counts("sampled histogram", histogram, HAUL_OK);
    sample = 0;
    assert_memory_equal(first.out, whole, sizeof whole);
    assert_true(first.record.counters[HAUL_COUNTER_INST_GLOBAL_ST] == whole_stores);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tickets_are_drawn_in_the_same_order),
        cmocka_unit_test(floats_are_added_in_the_same_order),
        cmocka_unit_test(histograms_add_up),
        cmocka_unit_test(the_last_block_sees_what_all_others_wrote),
        cmocka_unit_test(a_barrier_over_the_grid_opens),
        cmocka_unit_test(look_back_hands_sums_from_block_to_block),
        cmocka_unit_test(a_scan_hands_over_within_a_serial_phase),
        cmocka_unit_test(a_spinning_block_does_not_wait_an_epoch),
        cmocka_unit_test(faults_of_many_blocks_give_one_message),
        cmocka_unit_test(deadlocks_give_one_message),
        cmocka_unit_test(the_limit_strikes_at_the_same_operation),
        cmocka_unit_test(clocks_tick_the_same),
        cmocka_unit_test(uncounted_launches_write_the_same),
        cmocka_unit_test(who_only_waits_for_a_time_does_not_wait_long),
        cmocka_unit_test(clocks_hide_no_deadlock),
        cmocka_unit_test(samples_are_the_same_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
