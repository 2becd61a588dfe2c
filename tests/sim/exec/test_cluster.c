/* Clusters of blocks. With HAUL_TEST_DEVICE=gpu:0 in the environment the correct ones run on a real GPU. */
#include "kernel.h"

/* Clusters of 4 blocks of 32 threads; each block's shared memory has `words` and an mbarrier for one arrival. %r3:
 * address of the thread's word, %r4: of the mbarrier, %r5: the block's rank, %r6: the next block's. */
#define CLUSTER(body)                                                                                         \
    HEAD ".shared .align 128 .b8 words[1024];\n.shared .align 8 .b64 bar;\n"                                  \
         ".visible .entry k(.param .u64 p_out, .param .u64 p_in) .reqnctapercluster 4, 1, 1 {\n"              \
         ".reg .b16 %h<16>;\n.reg .b32 %r<64>;\n.reg .b64 %rd<32>;\n.reg .pred %p<16>;\n"                     \
         "ld.param.u64 %rd0, [p_out];\nld.param.u64 %rd1, [p_in];\n"                                          \
         "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmad.lo.u32 %r1, %r1, 32, %r0;\n"                      \
         "mad.wide.u32 %rd2, %r1, 4, %rd0;\nmov.u32 %r3, words;\nmad.lo.u32 %r3, %r0, 4, %r3;\n"              \
         "mov.u32 %r4, bar;\nmov.u32 %r5, %cluster_ctarank;\nadd.u32 %r6, %r5, 1;\nand.b32 %r6, %r6, 3;\n"    \
         "setp.eq.u32 %p0, %r0, 0;\nsetp.eq.u32 %p1, %r5, 0;\n@%p0 mbarrier.init.shared::cta.b64 [%r4], 1;\n" \
         "fence.mbarrier_init.release.cluster;\nst.shared.u32 [%r3], %r1;\n" MEET body END
#define MEET "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n"
#define WAIT "WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [%r4], 0;\n@!%p3 bra WAIT;\n"

enum { BLOCKS = 8, WORDS = BLOCKS * 32 };

static const char *device_name(void) {
    const char *name = getenv("HAUL_TEST_DEVICE");
    return name ? name : "sim:h100";
}

static void run_cluster(const char *ptx, const void *in, size_t in_bytes, uint32_t *out) {
    memset(out, 0, WORDS * 4);
    run_kernel(&(kernel_run){.ptx = ptx,
                             .device = device_name(),
                             .blocks = BLOCKS,
                             .in = in,
                             .in_bytes = in_bytes,
                             .out = out,
                             .out_bytes = WORDS * 4});
}

static void blocks_know_their_place(void **state) {
    (void)state;
    uint32_t out[WORDS];
    run_cluster(CLUSTER("mov.u32 %r10, %clusterid.x;\nmov.u32 %r11, %nclusterid.x;\nmov.u32 %r12, %cluster_ctaid.x;\n"
                        "mov.u32 %r13, %cluster_nctaid.x;\nmov.u32 %r14, %cluster_nctarank;\n"
                        "mad.lo.u32 %r20, %r10, 10, %r11;\nmad.lo.u32 %r20, %r20, 10, %r12;\n"
                        "mad.lo.u32 %r20, %r20, 10, %r13;\nmad.lo.u32 %r20, %r20, 10, %r14;\n"
                        "mad.lo.u32 %r20, %r20, 10, %r5;\n" OUT("%r20")),
                NULL, 0, out);
    expect_words(out, WORDS, i / 128 * 100000 + 2 * 10000 + i / 32 % 4 * 1000 + 440 + i / 32 % 4);
}

static void a_grid_may_be_given_in_clusters(void **state) {
    (void)state;
    uint32_t out[WORDS] = {0};
    run_kernel(&(kernel_run){
        .ptx =
            ".version 9.0\n.target sm_90\n.address_size 64\n"
            ".visible .entry k(.param .u64 p_out, .param .u64 p_in) .reqntid 32 .reqnctapercluster 4 "
            ".blocksareclusters {\n.reg .b32 %r<8>;\n.reg .b64 %rd<4>;\n.reg .pred %p;\nld.param.u64 %rd0, [p_out];\n"
            "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmad.lo.u32 %r1, %r1, 32, %r0;\n"
            "mad.wide.u32 %rd1, %r1, 4, %rd0;\nmov.u32 %r2, %nctaid.x;\nmov.u32 %r3, %nclusterid.x;\n"
            "mov.pred %p, %is_explicit_cluster;\nselp.u32 %r4, 1000, 0, %p;\n"
            "mad.lo.u32 %r2, %r2, 10, %r3;\nadd.u32 %r2, %r2, %r4;\nst.global.u32 [%rd1], %r2;\nret;\n}\n",
        .blocks = 2,
        INTO(out)});
    expect_words(out, WORDS, 1082);
}

static void the_launch_may_say_how_large_clusters_are(void **state) {
    (void)state;
    uint32_t out[WORDS] = {0};
    run_kernel(&(kernel_run){.ptx = KERNEL("mov.u32 %r3, %cluster_nctarank;\nmov.u32 %r4, %cluster_ctarank;\n"
                                           "mad.lo.u32 %r3, %r3, 10, %r4;\n" OUT("%r3")),
                             .device = device_name(),
                             .blocks = BLOCKS,
                             .cluster = 2,
                             INTO(out)});
    expect_words(out, WORDS, 20 + i / 32 % 2);
    expect_failure(&(kernel_run){.ptx = CLUSTER(""), .blocks = BLOCKS, .cluster = 2}, HAUL_ERROR_ARGUMENT,
                   "requires clusters of 4 x 1 x 1 blocks");
}

/* Word i of a cluster's 128 was written by the next block's thread. */
#define NEXT(i) ((i) / 128 * 128 + ((i) + 32) % 128)

static void a_block_reads_the_next_ones_memory(void **state) {
    (void)state;
    uint32_t out[WORDS];
    run_cluster(
        CLUSTER("mapa.shared::cluster.u32 %r10, %r3, %r6;\nld.shared::cluster.u32 %r11, [%r10];\n" MEET OUT("%r11")),
        NULL, 0, out);
    expect_words(out, WORDS, NEXT(i));
}

static void generic_addresses_reach_other_blocks(void **state) {
    (void)state;
    uint32_t out[WORDS];
    run_cluster(CLUSTER("cvt.u64.u32 %rd5, %r3;\ncvta.shared.u64 %rd5, %rd5;\nmapa.u64 %rd6, %rd5, %r6;\n"
                        "ld.u32 %r11, [%rd6];\ngetctarank.u64 %r12, %rd6;\n"
                        "mad.lo.u32 %r11, %r12, 1000, %r11;\n" MEET OUT("%r11")),
                NULL, 0, out);
    expect_words(out, WORDS, NEXT(i) + (i / 32 + 1) % 4 * 1000);
}

static void lanes_may_reach_different_blocks(void **state) {
    (void)state;
    uint32_t out[WORDS];
    run_cluster(CLUSTER("and.b32 %r9, %r0, 3;\nmapa.shared::cluster.u32 %r10, %r3, %r9;\n"
                        "ld.shared::cluster.u32 %r11, [%r10];\n" MEET OUT("%r11")),
                NULL, 0, out);
    expect_words(out, WORDS, i / 128 * 128 + i % 4 * 32 + i % 32);
}

static void stores_and_atomics_go_to_other_blocks(void **state) {
    (void)state;
    uint32_t out[WORDS];
    run_cluster(CLUSTER("mapa.shared::cluster.u32 %r10, %r3, %r6;\nadd.u32 %r11, %r1, 5;\n"
                        "st.shared::cluster.u32 [%r10+512], %r11;\n"
                        "mov.u32 %r12, words;\nmapa.shared::cluster.u32 %r12, %r12, 0;\n"
                        "st.shared.u32 [%r3+256], 0;\n" MEET "red.shared::cluster.add.u32 [%r12+256], 1;\n" MEET
                        "ld.shared.u32 %r13, [%r3+512];\n"
                        "ld.shared.u32 %r14, [%r3+256];\nmad.lo.u32 %r13, %r14, 1000, %r13;\n" OUT("%r13")),
                NULL, 0, out);
    expect_words(out, WORDS, i / 128 * 128 + (i + 96) % 128 + 5 + (i % 128 ? 0 : 128000));
}

static void a_block_arrives_on_anothers_mbarrier(void **state) {
    (void)state;
    uint32_t out[WORDS];
    run_cluster(CLUSTER("mapa.shared::cluster.u32 %r10, %r3, %r6;\nmapa.shared::cluster.u32 %r11, %r4, %r6;\n"
                        "st.shared::cluster.u32 [%r10], 77;\nbar.sync 0;\n"
                        "@%p0 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r11];\n" WAIT
                        "ld.shared.u32 %r12, [%r3];\n" OUT("%r12") MEET),
                NULL, 0, out);
    expect_words(out, WORDS, 77);
}

static void bytes_go_from_block_to_block(void **state) {
    (void)state;
    uint32_t out[WORDS];
    run_cluster(CLUSTER("mov.u32 %r12, words;\nadd.u32 %r13, %r12, 512;\nmapa.shared::cluster.u32 %r13, %r13, %r6;\n"
                        "mapa.shared::cluster.u32 %r11, %r4, %r6;\n"
                        "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], 128;\nfence.proxy.async;\n" MEET
                        "@%p0 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r13], [%r12], "
                        "128, [%r11];\n" WAIT "ld.shared.u32 %r14, [%r3+512];\n" OUT("%r14") MEET),
                NULL, 0, out);
    expect_words(out, WORDS, i / 128 * 128 + (i + 96) % 128);
}

static void one_load_feeds_several_blocks(void **state) {
    (void)state;
    uint32_t out[WORDS], in[32];
    for (unsigned i = 0; i < 32; i++) in[i] = 500 + i;
    run_cluster(CLUSTER("mov.u32 %r12, words;\nmov.u16 %h0, 13;\n"
                        "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], 128;\n" MEET
                        "setp.eq.and.u32 %p2, %r5, 0, %p0;\n"
                        "@%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                        "[%r12], [%rd1], 128, [%r4], %h0;\n"
                        "setp.eq.u32 %p4, %r5, 1;\n@%p4 bra DONE;\n" WAIT
                        "DONE: ld.shared.u32 %r14, [%r3];\n" OUT("%r14") MEET),
                in, sizeof in, out);
    expect_words(out, WORDS, i / 32 % 4 == 1 ? i : 500 + i % 32);
}

static void a_store_is_counted_on_the_other_blocks_mbarrier(void **state) {
    (void)state;
    uint32_t out[WORDS];
    run_cluster(
        CLUSTER("mad.lo.u32 %r12, %r0, 12, %r3;\nmapa.shared::cluster.u32 %r10, %r12, %r6;\n" /* 16 bytes each */
                "mapa.shared::cluster.u32 %r11, %r4, %r6;\n"
                "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], 512;\n" MEET
                "st.async.weak.mbarrier::complete_tx::bytes.shared::cluster.v4.b32 [%r10+128], "
                "{%r1, %r0, %r5, %r1}, [%r11];\n" WAIT
                "ld.shared.v4.u32 {%r14, %r15, %r16, %r17}, [%r12+128];\nadd.u32 %r14, %r14, %r15;\n"
                "add.u32 %r14, %r14, %r16;\nadd.u32 %r14, %r14, %r17;\n" OUT("%r14") MEET),
        NULL, 0, out);
    expect_words(out, WORDS, 2 * (i / 128 * 128 + (i + 96) % 128) + i % 32 + (i / 32 + 3) % 4);
}

static void a_reduction_is_counted_on_the_other_blocks_mbarrier(void **state) {
    (void)state;
    uint32_t out[WORDS];
    run_cluster(CLUSTER("mov.u32 %r12, words;\nmapa.shared::cluster.u32 %r10, %r12, %r6;\n"
                        "mapa.shared::cluster.u32 %r11, %r4, %r6;\n@%p0 st.shared.u32 [%r12], 1000;\n"
                        "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], 128;\n" MEET
                        "red.async.relaxed.cluster.mbarrier::complete_tx::bytes.shared::cluster.add.u32 [%r10], %r0, "
                        "[%r11];\n" WAIT "ld.shared.u32 %r14, [%r12];\n" OUT("%r14") MEET),
                NULL, 0, out);
    expect_words(out, WORDS, 1000 + 31 * 16);
}

static void threads_that_have_ended_hold_nobody_up(void **state) {
    (void)state;
    uint32_t out[WORDS];
    run_cluster(CLUSTER("setp.gt.u32 %p2, %r5, 1;\n@%p2 exit;\nsetp.lt.u32 %p2, %r0, 3;\n@%p2 exit;\n"
                        "barrier.cluster.arrive;\nbarrier.cluster.wait;\n" OUT("1")),
                NULL, 0, out);
    expect_words(out, WORDS, i / 32 % 4 < 2 && i % 32 >= 3);
}

static void what_is_done_between_arriving_and_waiting_is_not_waited_for(void **state) {
    (void)state;
    uint32_t out[WORDS];
    run_cluster(CLUSTER("barrier.cluster.arrive.relaxed;\nst.shared.u32 [%r3], 3;\nbarrier.cluster.wait;\n"
                        "barrier.cluster.arrive;\nbarrier.cluster.wait;\nld.shared.u32 %r10, [%r3];\n" OUT("%r10")),
                NULL, 0, out);
    expect_words(out, WORDS, 3);
}

static void many_clusters_take_turns_on_an_sm(void **state) {
    (void)state;
    enum { MANY = 132 * 4 * 5 };
    static uint32_t out[MANY * 32];
    memset(out, 0, sizeof out);
    run_kernel(&(kernel_run){
        .ptx = CLUSTER(
            "mapa.shared::cluster.u32 %r10, %r3, %r6;\nld.shared::cluster.u32 %r11, [%r10];\n" MEET OUT("%r11")),
        .device = device_name(),
        .blocks = MANY,
        .shared = 40000,
        .host_threads = 3,
        INTO(out)});
    expect_words(out, MANY * 32, NEXT(i));
}

/* ---- misuse ---- */

static void expect_fault(const char *ptx, const char *text) {
    expect_failure(&(kernel_run){.ptx = ptx, .blocks = 4}, HAUL_ERROR_FAULT, text);
}

/* Returns the estimate of 16 blocks that go round a loop, in clusters of that many blocks. */
static double estimate_in_clusters(uint32_t cluster) {
    uint32_t out[16 * 128] = {0};
    haul_launch_record record = {0};
    run_kernel(&(kernel_run){.ptx = KERNEL("mov.u32 %r5, 0;\nmov.u32 %r6, %r0;\n"
                                           "L: mad.lo.u32 %r6, %r6, %r6, %r5;\nadd.u32 %r5, %r5, 1;\n"
                                           "setp.lt.u32 %p1, %r5, 4000;\n@%p1 bra L;\n" OUT("%r6")),
                             .blocks = 16,
                             .threads = 128,
                             .cluster = cluster,
                             INTO(out),
                             .record = &record});
    return record.estimate_us;
}

/* Hardware gives each of a cluster's blocks an SM while there are some. */
static void blocks_of_a_cluster_run_side_by_side(void **state) {
    (void)state;
    const double alone = estimate_in_clusters(1);
    assert_true(alone > 5);
    assert_true(estimate_in_clusters(4) < 1.05 * alone);
    assert_true(estimate_in_clusters(8) < 1.05 * alone);
}

static void a_rank_that_the_cluster_does_not_have_is_a_fault(void **state) {
    (void)state;
    expect_fault(CLUSTER("mapa.shared::cluster.u32 %r10, %r3, 4;\nld.shared::cluster.u32 %r11, [%r10];\n"),
                 "of the block and its cluster");
    expect_fault(CLUSTER("mapa.shared::cluster.u32 %r10, %r3, 0x1000000;\nld.shared::cluster.u32 %r11, [%r10];\n"),
                 "of the block and its cluster");
    expect_fault(CLUSTER("or.b32 %r10, %r3, 0x7000000;\nld.shared::cluster.u32 %r11, [%r10];\n"),
                 "of the block and its cluster");
    expect_fault(CLUSTER("or.b32 %r10, %r3, 0x2100000;\nld.shared::cluster.u32 %r11, [%r10];\n"), "outside");
    expect_fault(
        CLUSTER("or.b32 %r10, %r4, 0xff000000;\nmbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r10];\n"),
        "of the block and its cluster");
    expect_fault(CLUSTER("mov.u16 %h0, 0x30;\n"
                         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                         "[%r3], [%rd0], 0, [%r4], %h0;\n"),
                 "multicast to blocks 0x30 of a cluster of 4");
}

/* As on an H200. Libraries map addresses for lanes whose guarded access does not happen. */
static void an_address_of_a_block_that_is_not_there_may_be_computed(void **state) {
    (void)state;
    uint32_t out[WORDS];
    run_cluster(CLUSTER("mapa.shared::cluster.u32 %r10, %r3, 9;\nsetp.ge.u32 %p2, %r5, 4;\n"
                        "@%p2 ld.shared::cluster.u32 %r1, [%r10];\n" OUT("%r1")),
                NULL, 0, out);
    expect_words(out, WORDS, i);
}

static void the_memory_of_a_block_that_has_ended_is_gone(void **state) {
    (void)state;
    expect_fault(CLUSTER("@!%p1 exit;\nmov.u32 %r9, 100;\n"
                         "SPIN: sub.u32 %r9, %r9, 1;\nnanosleep.u32 20;\nsetp.ne.u32 %p2, %r9, 0;\n@%p2 bra SPIN;\n"
                         "mapa.shared::cluster.u32 %r10, %r3, 1;\nld.shared::cluster.u32 %r11, [%r10];\n"),
                 "block 1 of the cluster has ended");
}

#define LATE_IN_BLOCK_0(body)                                                                                          \
    "@!%p1 exit;\nmov.u32 %r9, 100;\nmapa.shared::cluster.u32 %r10, %r3, 1;\nmapa.shared::cluster.u32 %r11, %r4, 1;\n" \
    "SPIN: sub.u32 %r9, %r9, 1;\nnanosleep.u32 20;\nsetp.ne.u32 %p2, %r9, 0;\n@%p2 bra SPIN;\n" body                   \
    "st.global.u32 [%rd2], %r1;\n"

/* As on an H200: nobody waits for an answer. */
static void writes_to_a_block_that_has_ended_are_lost(void **state) {
    (void)state;
    static const char *const writes[] = {
        CLUSTER(LATE_IN_BLOCK_0("st.shared::cluster.u32 [%r10], %r1;\n")),
        CLUSTER(LATE_IN_BLOCK_0("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r11];\n")),
    };
    for (size_t k = 0; k < sizeof writes / sizeof *writes; k++) {
        uint32_t out[4 * 32] = {0};
        run_kernel(&(kernel_run){.ptx = writes[k], .blocks = 4, INTO(out)});
        expect_words(out, 32, i);
    }
}

static void a_barrier_in_another_block_cannot_be_waited_for(void **state) {
    (void)state;
    expect_fault(CLUSTER("mapa.shared::cluster.u32 %r10, %r4, %r6;\n"
                         "mbarrier.test_wait.parity.shared::cta.b64 %p2, [%r10], 0;\n"),
                 "mbarrier of another block");
}

static void a_block_that_never_comes_is_a_deadlock(void **state) {
    (void)state;
    expect_failure(&(kernel_run){.ptx = CLUSTER("@%p1 bra STAY;\n" MEET "ret;\nSTAY: bar.sync 1, 64;\n"), .blocks = 4},
                   HAUL_ERROR_DEADLOCK, "the cluster's barrier");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_know_their_place),
        cmocka_unit_test(a_grid_may_be_given_in_clusters),
        cmocka_unit_test(the_launch_may_say_how_large_clusters_are),
        cmocka_unit_test(a_block_reads_the_next_ones_memory),
        cmocka_unit_test(generic_addresses_reach_other_blocks),
        cmocka_unit_test(lanes_may_reach_different_blocks),
        cmocka_unit_test(stores_and_atomics_go_to_other_blocks),
        cmocka_unit_test(a_block_arrives_on_anothers_mbarrier),
        cmocka_unit_test(bytes_go_from_block_to_block),
        cmocka_unit_test(one_load_feeds_several_blocks),
        cmocka_unit_test(a_store_is_counted_on_the_other_blocks_mbarrier),
        cmocka_unit_test(a_reduction_is_counted_on_the_other_blocks_mbarrier),
        cmocka_unit_test(threads_that_have_ended_hold_nobody_up),
        cmocka_unit_test(what_is_done_between_arriving_and_waiting_is_not_waited_for),
        cmocka_unit_test(many_clusters_take_turns_on_an_sm),
        cmocka_unit_test(blocks_of_a_cluster_run_side_by_side),
        cmocka_unit_test(a_rank_that_the_cluster_does_not_have_is_a_fault),
        cmocka_unit_test(an_address_of_a_block_that_is_not_there_may_be_computed),
        cmocka_unit_test(the_memory_of_a_block_that_has_ended_is_gone),
        cmocka_unit_test(writes_to_a_block_that_has_ended_are_lost),
        cmocka_unit_test(a_barrier_in_another_block_cannot_be_waited_for),
        cmocka_unit_test(a_block_that_never_comes_is_a_deadlock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
