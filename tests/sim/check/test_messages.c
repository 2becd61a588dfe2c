/* Messages of findings: one finding per defect, whose text names what is wrong. */
#include "pairs.h"

#define WAIT_PARITY(label, parity) \
    label ": mbarrier.try_wait.parity.shared.b64 %p2, [%r5], " parity ";\n@!%p2 bra " label ";\n"
#define COPY "cp.async.ca.shared.global [%r4], [%rd3], 4;\n"

typedef void look_fn(const haul_launch_record *r, void *context);

/* Runs so many blocks, in clusters of that size, under each schedule; the launch may end with a fault. */
static void check_blocks(uint32_t blocks, uint32_t cluster, const char *body, look_fn *look, void *context) {
    static const haul_schedule schedules[] = {HAUL_SCHEDULE_IN_ORDER, HAUL_SCHEDULE_REVERSED, HAUL_SCHEDULE_RANDOM};
    for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++) {
        const pair p = {.name = "body", .blocks = blocks, .cluster = cluster, .threads = 64, .wrong = body};
        const haul_device_options options = {.check = true, .threads = 1, .schedule = schedules[i], .seed = 5};
        haul_device *device;
        haul_module *module;
        haul_run *run;
        char ptx[4096];
        whole(body, ptx, sizeof ptx);
        assert_int_equal(haul_device_open(PAIR_DEVICE, &options, &device), HAUL_OK);
        if (haul_module_load(device, "body", ptx, strlen(ptx), &module) != HAUL_OK) fail_msg("%s", haul_message());
        assert_int_equal(haul_run_create(device, &run), HAUL_OK);
        (void)launch_pair(&p, device, module, true, run);
        look(&run->launches[0], context);
        haul_run_free(run);
        haul_device_close(device);
    }
}

static void check_body(const char *body, look_fn *look, void *context) {
    check_blocks(1, 0, body, look, context);
}

typedef struct expected {
    haul_finding_kind kind;
    const char *words;
} expected;

static void look_at_only(const haul_launch_record *r, void *context) {
    const expected *e = context;
    for (size_t k = 0; k < r->finding_count; k++)
        if (r->finding_count != 1 || r->findings[k].kind != e->kind || !strstr(r->findings[k].what, e->words))
            print_error("%s: %s\n", haul_finding_kinds[r->findings[k].kind].key, r->findings[k].what);
    assert_int_equal(r->finding_count, 1);
    assert_int_equal(r->findings[0].kind, e->kind);
    assert_non_null(strstr(r->findings[0].what, e->words));
}

/* Expects exactly one finding, with these words. */
static void expect_only(const char *body, haul_finding_kind kind, const char *words) {
    expected e = {kind, words};
    check_body(body, look_at_only, &e);
}

/* The same for two blocks, in one cluster or none. */
static void expect_of_two_blocks(bool in_cluster, const char *body, haul_finding_kind kind, const char *words) {
    expected e = {kind, words};
    check_blocks(2, in_cluster ? 2 : 0, body, look_at_only, &e);
}

static void look_at_grade(const haul_launch_record *r, void *context) {
    haul_finding_grade worst = HAUL_GRADE_ADVICE;
    assert_in_range(r->finding_count, 1, 64);
    for (size_t k = 0; k < r->finding_count; k++)
        if (r->findings[k].grade < worst) worst = r->findings[k].grade;
    if (worst != *(haul_finding_grade *)context) print_error("%s\n", r->findings[0].what);
    assert_int_equal(worst, *(haul_finding_grade *)context);
}

/* Expects this worst grade among the findings. */
static void expect_grade(const char *body, haul_finding_grade grade) {
    check_body(body, look_at_grade, &grade);
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
                HAUL_FINDING_ASYNC_READ_BEFORE_WAIT, "or for an mbarrier that it arrives on");
}

static void a_stale_parity_is_named(void **state) {
    (void)state;
    expect_only(INIT("1") BULK WAIT_PARITY("A", "0") LOAD_OWN "bar.sync 0;\n" BULK WAIT_PARITY("B", "0") LOAD_OWN,
                HAUL_FINDING_MBARRIER_MISUSE, "names parity 0, a phase whose end this thread has already seen");
}

static void the_end_of_an_mbarrier_is_named(void **state) {
    (void)state;
    expect_only(INIT("1") "@!%p1 mbarrier.arrive.shared.b64 _, [%r5];\n@!%p1 mbarrier.inval.shared.b64 [%r5];\n"
                          "bar.sync 0;\nmbarrier.test_wait.parity.shared.b64 %p2, [%r5], 0;\n",
                HAUL_FINDING_MBARRIER_MISUSE, "used after mbarrier.inval");
}

/* Four rounds all wait for the first phase; reads, arrivals and copies of later rounds are consequences of that. */
static void a_parity_that_never_flips_is_one_finding(void **state) {
    (void)state;
    expect_only(INIT("1") "mov.u32 %r8, 0;\nR: " BULK WAIT_PARITY("A", "0") LOAD_OWN
                "bar.sync 0;\nadd.u32 %r8, %r8, 1;\nsetp.lt.u32 %p3, %r8, 4;\n@%p3 bra R;\n",
                HAUL_FINDING_MBARRIER_MISUSE, "the next phase has parity 1");
}

static void a_reader_that_waits_for_the_phase_before_the_first_is_told(void **state) {
    (void)state;
    expect_only(INIT("1") BULK "bar.sync 0;\n" WAIT_PARITY("A", "1") LOAD_OWN WAIT_PARITY("B", "0"),
                HAUL_FINDING_MBARRIER_MISUSE, "names parity 1, which counts as over in a new mbarrier");
}

/* Warp 1 fills a stage twice, warp 0 reads it and says so at a second mbarrier. The refill waits for parity 1 of it. */
static void a_producer_whose_refill_does_not_wait_is_told(void **state) {
    (void)state;
    expect_only(
        "add.u32 %r8, %r3, 512;\nsetp.ne.u32 %p1, %r0, 0;\n@!%p1 mbarrier.init.shared.b64 [%r8], 32;\n" INIT("1") LEAD
        "@!%p3 bra C;\nsetp.ne.u32 %p1, %r0, 32;\n" BULK
        "P: mbarrier.try_wait.parity.shared.b64 %p2, [%r8], 1;\n@!%p2 bra P;\n" BULK "bra D;\n" WAIT_PARITY("C", "0")
            LOAD_OWN "mbarrier.arrive.shared.b64 _, [%r8];\n" WAIT_PARITY("E", "1") LOAD_OWN "D:\n",
        HAUL_FINDING_MBARRIER_MISUSE, "names parity 1, which counts as over in a new mbarrier");
}

static void arrivals_that_do_not_count_say_so(void **state) {
    (void)state;
    expect_only(INIT("64") COPY "cp.async.mbarrier.arrive.shared.b64 [%r5];\n" WAIT LOAD_OWN, HAUL_FINDING_DEADLOCK,
                "without .noinc do not count");
}

/* ---- two blocks ---- */

/* The first thread of block 0 stores and raises a flag; that of block 1 waits for the flag and loads. */
#define HAND_OVER(before, behind)                                                                                  \
    "add.u64 %rd4, %rd0, 900;\nmov.u32 %r9, %ctaid.x;\nsetp.ne.u32 %p1, %r9, 0;\nsetp.ne.u32 %p3, %r0, 0;\n"       \
    "@%p3 bra D;\n@%p1 bra T;\nst.global.u32 [%rd0], 5;\n" before "st.relaxed.gpu.global.u32 [%rd4], 1;\nbra D;\n" \
    "T: ld.relaxed.gpu.global.u32 %r7, [%rd4];\nsetp.ne.u32 %p2, %r7, 1;\n@%p2 bra T;\n" behind                    \
    "ld.global.u32 %r8, [%rd0];\nst.global.u32 [%rd0+64], %r8;\nD:\n"

static void the_side_without_a_fence_is_named(void **state) {
    (void)state;
    expect_of_two_blocks(false, HAND_OVER("", ""), HAUL_FINDING_RACE_GLOBAL, "but the writer has no fence");
    expect_of_two_blocks(false, HAND_OVER("", "membar.gl;\n"), HAUL_FINDING_RACE_GLOBAL, "but the writer has no fence");
    expect_of_two_blocks(false, HAND_OVER("membar.cta;\n", "membar.gl;\n"), HAUL_FINDING_RACE_GLOBAL,
                         "or one for its own block only (__threadfence() before");
    expect_of_two_blocks(false, HAND_OVER("membar.gl;\n", ""), HAUL_FINDING_RACE_GLOBAL,
                         "but has no fence behind that");
}

static void an_atomic_of_the_block_is_too_narrow_for_two(void **state) {
    (void)state;
    expect_of_two_blocks(false, "red.relaxed.cta.global.add.u32 [%rd0], 1;\n", HAUL_FINDING_RACE_GLOBAL,
                         "the scope of one of the operations ends at its block or cluster");
}

/* The wait is over when the engine has read the source; its writes may come later. */
static void a_bulk_store_is_handed_over_when_it_is_written(void **state) {
    (void)state;
    expect_of_two_blocks(
        false,
        "add.u64 %rd4, %rd0, 900;\nmov.u32 %r9, %ctaid.x;\nsetp.ne.u32 %p3, %r9, 0;\n@%p3 bra T;\n" STORE STORE_BULK
        "@!%p1 cp.async.bulk.wait_group.read 0;\n@!%p1 st.release.gpu.global.u32 [%rd4], 1;\n"
        "@!%p1 cp.async.bulk.wait_group 0;\nbra D;\nT: setp.ne.u32 %p1, %r0, 0;\n@%p1 bra D;\n"
        "L: ld.acquire.gpu.global.u32 %r7, [%rd4];\nsetp.ne.u32 %p2, %r7, 1;\n@%p2 bra L;\n"
        "ld.global.u32 %r8, [%rd0];\nst.global.u32 [%rd0+512], %r8;\nD:\n",
        HAUL_FINDING_RACE_GLOBAL, "by cp.async.bulk.wait_group without .read");
}

#define MEET "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"

/* The first thread of block 0 stores again what that of block 1 loads. */
static void two_blocks_of_a_cluster_need_its_scope(void **state) {
    (void)state;
    expect_of_two_blocks(true,
                         STORE MEET "mov.u32 %r9, %cluster_ctarank;\nsetp.ne.u32 %p1, %r9, 0;\n"
                                    "setp.ne.u32 %p2, %r0, 0;\n@%p2 bra E;\n@%p1 bra R;\n"
                                    "st.shared.u32 [%r4], 7;\nbra E;\nR: mov.u32 %r9, 0;\n"
                                    "mapa.shared::cluster.u32 %r6, %r4, %r9;\nld.shared::cluster.u32 %r7, [%r6];\n"
                                    "st.global.u32 [%rd2], %r7;\nE: " MEET,
                         HAUL_FINDING_RACE_SHARED, "an mbarrier on which one arrives with .release.cluster");
}

#define FILL_BOTH                                                                                        \
    "@!%p4 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r3], " \
    "[%rd1], 256, [%r5], %h1;\n"
#define EXPECT "@!%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r5], 256;\n"

/* Two rounds fill both blocks. Before the second, the thread of block 0 has waited for the copy into its own only. */
static void a_copy_into_another_block_names_it(void **state) {
    (void)state;
    expect_of_two_blocks(true,
                         INIT("1") "mov.u16 %h1, 3;\nmov.u32 %r9, %cluster_ctarank;\nor.b32 %r9, %r9, %r0;\n"
                                   "setp.ne.u32 %p4, %r9, 0;\n" EXPECT MEET FILL_BOTH WAIT
                                   "bar.sync 0;\n" EXPECT FILL_BOTH WAIT_PARITY("X", "1") MEET,
                         HAUL_FINDING_ASYNC_READ_BEFORE_WAIT, "the bytes are those of block (1,0,0) of the cluster");
}

/* ---- grades ---- */

/* Each thread's value goes to the first word; all but thread 0, under a guard, copy that word to one of their own. */
#define DISCARD "st.shared.u32 [%r3], %r0;\nbar.sync 0;\nld.shared.u32 %r7, [%r3];\n"
#define ONE_STORES "setp.ne.u32 %p1, %r0, 0;\n@!%p1 st.global.u32 [%rd2], %r7;\n"

static void lanes_that_throw_values_away_do_no_harm(void **state) {
    (void)state;
    expect_only(DISCARD, HAUL_FINDING_RACE_SHARED, "nobody uses the result");
    expect_grade(DISCARD, HAUL_GRADE_ADVICE);
    expect_grade("st.shared.u32 [%r3], %r0;\nbar.sync 0;\n" STORE, HAUL_GRADE_ADVICE);
}

/* Between a volatile store and the load of another warp a barrier is missing, as it is within a warp. Two stores may be
 * meant. */
static void a_volatile_load_beside_a_store_is_a_warning(void **state) {
    (void)state;
    expect_grade(STORE "bar.sync 0;\nst.volatile.shared.u32 [%r4], %r0;\nxor.b32 %r6, %r0, 32;\n"
                       "mad.lo.u32 %r6, %r6, 4, %r3;\nld.volatile.shared.u32 %r7, [%r6];\nst.global.u32 [%rd2], %r7;\n",
                 HAUL_GRADE_WARNING);
    expect_grade("st.volatile.shared.u32 [%r3], %r0;\n", HAUL_GRADE_ADVICE);
}

static void lanes_that_use_one_of_several_values_do(void **state) {
    (void)state;
    expect_grade(DISCARD ONE_STORES, HAUL_GRADE_ERROR);
    expect_grade(DISCARD "setp.eq.u32 %p1, %r7, 5;\n@%p1 bra D;\nst.global.u32 [%rd2], %r0;\nD:\n", HAUL_GRADE_ERROR);
    expect_grade("st.shared.u32 [%r3], %r0;\nbar.sync 0;\natom.shared.add.u32 %r7, [%r3], 1;\n", HAUL_GRADE_ERROR);
    expect_grade("setp.ne.u32 %p1, %r0, 0;\nst.shared.u32 [%r3], %r0;\nfence.proxy.async;\nbar.sync 0;\n"
                 "@!%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r3], 16;\n"
                 "@!%p1 cp.async.bulk.commit_group;\n@!%p1 cp.async.bulk.wait_group 0;\n",
                 HAUL_GRADE_ERROR);
}

/* 32 words are written; each thread's loop looks for a larger one and runs past the end. */
#define SEARCH(behind)                                                                                             \
    "setp.lt.u32 %p1, %r0, 32;\n@%p1 st.shared.u32 [%r4], %r0;\nbar.sync 0;\nmov.u32 %r6, %r3;\nmov.u32 %r8, 0;\n" \
    "L: ld.shared.u32 %r7, [%r6];\nsetp.gt.u32 %p2, %r7, 40;\n@%p2 bra D;\nadd.u32 %r6, %r6, 4;\n"                 \
    "add.u32 %r8, %r8, 1;\nsetp.le.u32 %p2, %r8, 32;\n@%p2 bra L;\nD: " behind

/* The same for 64 numbers of 16 bits in two warps. Each thread looks from its own number on, and the last number has
 * one byte that was stored on its own. */
#define SEARCH_HALVES                                                                                                \
    "mad.lo.u32 %r6, %r0, 2, %r3;\ncvt.u16.u32 %h1, %r0;\nst.shared.u16 [%r6], %h1;\nbar.sync 0;\n"                  \
    "setp.eq.u32 %p1, %r0, 0;\n@%p1 st.shared.u8 [%r3+126], %h1;\nbar.sync 0;\n"                                     \
    "mov.u32 %r8, 0;\nL: ld.shared.u16 %h1, [%r6];\nsetp.gt.u16 %p2, %h1, 100;\n@%p2 bra D;\nadd.u32 %r6, %r6, 2;\n" \
    "add.u32 %r8, %r8, 1;\nsetp.le.u32 %p2, %r8, 20;\n@%p2 bra L;\nD: st.global.u32 [%rd2], %r0;\n"

static void a_search_that_looks_behind_its_tile_is_advice(void **state) {
    (void)state;
    expect_grade(SEARCH("st.global.u32 [%rd2], %r0;\n"), HAUL_GRADE_ADVICE);
    expect_grade(SEARCH_HALVES, HAUL_GRADE_ADVICE);
    expect_grade(SEARCH("st.global.u32 [%rd2], %r7;\n"), HAUL_GRADE_ERROR);
}

static void a_flag_that_nobody_sets_is_an_error(void **state) {
    (void)state;
    expect_grade(
        "ld.shared.u32 %r7, [%r3+512];\nsetp.gt.u32 %p2, %r7, 40;\n@%p2 bra D;\nst.global.u32 [%rd2], %r0;\nD:\n",
        HAUL_GRADE_ERROR);
}

/* Warps arrive at two mbarriers, one after the other, and then wait for the first alone. */
#define ARRIVE_AT_TWO "@%p4 mbarrier.arrive.shared.b64 _, [%r5];\n@%p4 mbarrier.arrive.shared.b64 _, [%r8];\n"
static void an_arrival_after_a_wait_for_another_mbarrier_is_an_error(void **state) {
    (void)state;
    expect_grade("add.u32 %r8, %r3, 512;\nsetp.ne.u32 %p1, %r0, 0;\n@!%p1 mbarrier.init.shared.b64 [%r8], 2;\n" INIT(
                     "2") "and.b32 %r9, %r0, 31;\nsetp.eq.u32 %p4, %r9, 0;\n" ARRIVE_AT_TWO WAIT_PARITY("A", "0")
                     ARRIVE_AT_TWO WAIT_PARITY("B", "1"),
                 HAUL_GRADE_ERROR);
}

static void an_atomic_on_local_memory_is_advice(void **state) {
    (void)state;
    static const char *const body = ".local .align 8 .b8 own[8];\nmov.u64 %rd4, own;\ncvta.local.u64 %rd4, %rd4;\n"
                                    "st.u32 [%rd4], %r0;\natom.add.u32 %r7, [%rd4], 1;\nst.global.u32 [%rd2], %r7;\n";
    expect_only(body, HAUL_FINDING_ILLEGAL_ACCESS, "global and shared memory only");
    expect_grade(body, HAUL_GRADE_ADVICE);
}

/* A thread looks at a word before it changes it. */
#define LOOK_FIRST(space, word, change) \
    "ld." space ".u32 %r7, [" word "];\nsetp.ge.u32 %p1, %r7, %r0;\n@%p1 bra D;\n" change "D:\n"
#define RAISE "red.global.max.u32 [%rd0], %r0;\n"

static void a_look_at_a_maximum_is_advice(void **state) {
    (void)state;
    expect_grade(LOOK_FIRST("global", "%rd0", RAISE), HAUL_GRADE_ADVICE);
    expect_grade("setp.ne.u32 %p2, %r0, 0;\n@!%p2 st.shared.u32 [%r3], %r0;\nbar.sync 0;\n" LOOK_FIRST(
                     "shared", "%r3", "atom.shared.max.u32 %r8, [%r3], %r0;\n"),
                 HAUL_GRADE_ADVICE);
    /* the address is computed again, and the branch has become a guard */
    expect_grade("add.s64 %rd4, %rd0, 128;\nld.global.u32 %r7, [%rd0+128];\nsetp.lt.u32 %p1, %r7, %r0;\n"
                 "@%p1 red.global.max.u32 [%rd4], %r0;\n",
                 HAUL_GRADE_ADVICE);
}

/* `if (*word == 0 && atomicCAS(word, 0, 1) == 0)` */
#define TRY_FIRST(space, word, failed)                                                                  \
    "ld." space ".u32 %r7, [" word "];\nsetp.ne.s32 %p1, %r7, 0;\n@%p1 bra D;\nmov.u32 %r9, 0;\n"       \
    "atom." space ".cas.b32 %r8, [" word "], %r9, 1;\nsetp.ne.s32 %p2, %r8, 0;\n@%p2 bra " failed ";\n" \
    "red.global.add.u32 [%rd0], 1;\n"

static void a_look_at_a_word_to_swap_is_advice(void **state) {
    (void)state;
    expect_grade(TRY_FIRST("global", "%rd0+128", "D") "D:\n", HAUL_GRADE_ADVICE);
    expect_grade(
        "setp.ne.u32 %p2, %r0, 0;\n@!%p2 st.shared.u32 [%r3], 0;\nbar.sync 0;\n" TRY_FIRST("shared", "%r3", "D") "D:\n",
        HAUL_GRADE_ADVICE);
    /* a thread that fails does something that one that turns away does not */
    expect_grade(TRY_FIRST("global", "%rd0+128", "F") "bra D;\nF: red.global.add.u32 [%rd0+4], 1;\nD:\n",
                 HAUL_GRADE_ERROR);
    /* the result is needed by both */
    expect_grade("mov.u32 %r8, 5;\n" TRY_FIRST("global", "%rd0+128", "D") "D: red.global.add.u32 [%rd0+4], %r8;\n",
                 HAUL_GRADE_ERROR);
}

static void a_look_that_decides_more_is_an_error(void **state) {
    (void)state;
    expect_grade(LOOK_FIRST("global", "%rd0", RAISE "st.global.u32 [%rd2+4], %r0;\n"), HAUL_GRADE_ERROR);
    expect_grade(
        LOOK_FIRST("global", "%rd0",
                   "atom.global.max.u32 %r8, [%rd0], %r0;\nmov.u32 %r9, 1;\n") "st.global.u32 [%rd2+4], %r9;\n",
        HAUL_GRADE_ERROR);
    expect_grade(LOOK_FIRST("global", "%rd0", "red.global.add.u32 [%rd0], 1;\n"), HAUL_GRADE_ERROR);
    expect_grade("L: " LOOK_FIRST("global", "%rd0", RAISE "bra L;\n"), HAUL_GRADE_ERROR);
}

static void a_barrier_that_is_waited_for_again_does_no_harm(void **state) {
    (void)state;
    const pair p = PAIR("again", RACE_SHARED, 1, 64, "",
                        INIT("1") BULK WAIT_PARITY("A", "0") LOAD_OWN "bar.sync 0;\n" WAIT_PARITY("B", "0") LOAD_OWN);
    const haul_device_options options = {.check = true, .threads = 1};
    assert_true(try_one(&p, &options, false, true, "in order"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bulk_load_is_waited_for_at_its_mbarrier),
        cmocka_unit_test(a_copy_by_threads_is_waited_for_by_its_thread),
        cmocka_unit_test(a_copy_that_arrives_may_be_waited_for_at_its_mbarrier),
        cmocka_unit_test(a_stale_parity_is_named),
        cmocka_unit_test(a_reader_that_waits_for_the_phase_before_the_first_is_told),
        cmocka_unit_test(a_producer_whose_refill_does_not_wait_is_told),
        cmocka_unit_test(the_end_of_an_mbarrier_is_named),
        cmocka_unit_test(a_parity_that_never_flips_is_one_finding),
        cmocka_unit_test(arrivals_that_do_not_count_say_so),
        cmocka_unit_test(an_arrival_after_a_wait_for_another_mbarrier_is_an_error),
        cmocka_unit_test(an_atomic_on_local_memory_is_advice),
        cmocka_unit_test(the_side_without_a_fence_is_named),
        cmocka_unit_test(an_atomic_of_the_block_is_too_narrow_for_two),
        cmocka_unit_test(a_bulk_store_is_handed_over_when_it_is_written),
        cmocka_unit_test(two_blocks_of_a_cluster_need_its_scope),
        cmocka_unit_test(a_copy_into_another_block_names_it),
        cmocka_unit_test(a_look_at_a_maximum_is_advice),
        cmocka_unit_test(a_look_at_a_word_to_swap_is_advice),
        cmocka_unit_test(a_look_that_decides_more_is_an_error),
        cmocka_unit_test(a_barrier_that_is_waited_for_again_does_no_harm),
        cmocka_unit_test(lanes_that_throw_values_away_do_no_harm),
        cmocka_unit_test(a_volatile_load_beside_a_store_is_a_warning),
        cmocka_unit_test(lanes_that_use_one_of_several_values_do),
        cmocka_unit_test(a_search_that_looks_behind_its_tile_is_advice),
        cmocka_unit_test(a_flag_that_nobody_sets_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
