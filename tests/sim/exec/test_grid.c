/* Grids: which blocks run where, and the special registers of their threads. */
#include "kernel.h"

/* Runs `k`, which stores 8 words per thread, in the given shape. */
static void run_shape(const char *ptx, const uint32_t grid[3], const uint32_t block[3], uint32_t *out, size_t bytes) {
    haul_device *device;
    haul_module *module;
    haul_buffer *buffer;
    assert_int_equal(haul_device_open("sim:h100", NULL, &device), HAUL_OK);
    if (haul_module_load(device, "test.ptx", ptx, strlen(ptx), &module) != HAUL_OK) fail_msg("%s", haul_message());
    assert_int_equal(haul_buffer_create(device, bytes, &buffer), HAUL_OK);
    const haul_argument arguments[] = {{.kind = HAUL_ARGUMENT_BUFFER, .buffer = buffer},
                                       {.kind = HAUL_ARGUMENT_BUFFER, .buffer = buffer}};
    const haul_launch launch = {.kernel = "k",
                                .grid = {grid[0], grid[1], grid[2]},
                                .block = {block[0], block[1], block[2]},
                                .arguments = arguments,
                                .argument_count = 2};
    if (haul_launch_run(module, &launch, NULL) != HAUL_OK) fail_msg("%s", haul_message());
    assert_int_equal(haul_buffer_read(buffer, 0, out, bytes), HAUL_OK);
    haul_device_close(device);
}

/* %r20: the thread's number in the whole grid, x fastest */
#define NUMBER                                                                  \
    "mov.u32 %r10, %tid.x; mov.u32 %r11, %tid.y; mov.u32 %r12, %tid.z;\n"       \
    "mov.u32 %r13, %ntid.x; mov.u32 %r14, %ntid.y; mov.u32 %r15, %ntid.z;\n"    \
    "mov.u32 %r16, %ctaid.x; mov.u32 %r17, %ctaid.y; mov.u32 %r18, %ctaid.z;\n" \
    "mov.u32 %r21, %nctaid.x; mov.u32 %r22, %nctaid.y;\n"                       \
    "mad.lo.u32 %r19, %r18, %r22, %r17; mad.lo.u32 %r19, %r19, %r21, %r16;\n"   \
    "mad.lo.u32 %r20, %r19, %r15, %r12; mad.lo.u32 %r20, %r20, %r14, %r11; mad.lo.u32 %r20, %r20, %r13, %r10;\n"

static void threads_know_their_places_in_three_dimensions(void **state) {
    (void)state;
    static const uint32_t grid[3] = {3, 2, 4}, block[3] = {5, 3, 3};
    static uint32_t out[24 * 45];
    run_shape(KERNEL(NUMBER "mad.wide.u32 %rd3, %r20, 4, %rd0;\n"
                            "shl.b32 %r23, %r16, 20; shl.b32 %r24, %r17, 16; add.u32 %r23, %r23, %r24;\n"
                            "shl.b32 %r24, %r18, 12; add.u32 %r23, %r23, %r24;\n"
                            "shl.b32 %r24, %r12, 8; add.u32 %r23, %r23, %r24;\n"
                            "shl.b32 %r24, %r11, 4; add.u32 %r23, %r23, %r24; add.u32 %r23, %r23, %r10;\n"
                            "st.global.u32 [%rd3], %r23;\n"),
              grid, block, out, sizeof out);
    for (uint32_t b = 0; b < 24; b++)
        for (uint32_t t = 0; t < 45; t++) {
            const uint32_t want =
                (b % 3) << 20 | (b / 3 % 2) << 16 | (b / 6) << 12 | (t / 15) << 8 | (t / 5 % 3) << 4 | t % 5;
            if (out[b * 45 + t] != want) fail_msg("block %u thread %u: 0x%x, not 0x%x", b, t, out[b * 45 + t], want);
        }
}

static void warps_and_lanes_have_numbers_and_masks(void **state) {
    (void)state;
    uint32_t out[70 * 8] = {0};
    run_kernel(&(kernel_run){.ptx = KERNEL("mad.wide.u32 %rd3, %r0, 32, %rd0;\n"
                                           "mov.u32 %r3, %laneid; mov.u32 %r4, %warpid;\n"
                                           "mov.u32 %r5, %lanemask_eq; mov.u32 %r6, %lanemask_le;\n"
                                           "mov.u32 %r7, %lanemask_lt; mov.u32 %r8, %lanemask_ge;\n"
                                           "mov.u32 %r9, %lanemask_gt; mov.u32 %r10, %nwarpid;\n"
                                           "st.global.v4.u32 [%rd3], {%r3, %r4, %r5, %r6};\n"
                                           "st.global.v4.u32 [%rd3+16], {%r7, %r8, %r9, %r10};\n"),
                             .threads = 70,
                             INTO(out)});
    for (uint32_t t = 0; t < 70; t++) {
        const uint32_t l = t % 32, eq = 1u << l, lt = eq - 1;
        const uint32_t want[8] = {l, t / 32, eq, eq | lt, lt, ~lt, ~lt & ~eq, 64};
        for (unsigned k = 0; k < 8; k++)
            if (out[t * 8 + k] != want[k])
                fail_msg("thread %u, word %u: 0x%x, not 0x%x", t, k, out[t * 8 + k], want[k]);
    }
}

static void blocks_go_round_the_sms(void **state) {
    (void)state;
    static uint32_t out[1000];
    run_words(KERNEL("mov.u32 %r3, %smid;\nmov.u32 %r4, %nsmid;\nmad.lo.u32 %r3, %r4, 1000, %r3;\n" OUT("%r3")), 1000,
              1, out);
    expect_words(out, 1000, 132000 + i % 132);
}

static void a_block_without_a_cluster_is_one(void **state) {
    (void)state;
    uint32_t out[3] = {0};
    run_words(KERNEL("mov.u32 %r3, %clusterid.x;\nmov.u32 %r4, %nclusterid.x;\nmov.u32 %r5, %cluster_nctaid.x;\n"
                     "mov.u32 %r6, %cluster_ctarank;\nmov.u32 %r7, %cluster_nctarank;\n"
                     "mad.lo.u32 %r3, %r4, 10, %r3;\nmad.lo.u32 %r3, %r5, 100, %r3;\n"
                     "mad.lo.u32 %r3, %r6, 1000, %r3;\nmad.lo.u32 %r3, %r7, 10000, %r3;\n" OUT("%r3")),
              3, 1, out);
    expect_words(out, 3, 10130 + i);
}

static void clusters_make_up_the_grid(void **state) {
    (void)state;
    const char *ptx = HEAD ".visible .entry k(.param .u64 a, .param .u64 b) .reqnctapercluster 2, 2 { ret; }\n";
    expect_failure(&(kernel_run){.ptx = ptx, .blocks = 4}, HAUL_ERROR_LIMIT, "clusters of 2 x 2 x 1 blocks");
    expect_failure(&(kernel_run){.ptx = ptx, .blocks = 4, .device = "sim:a100"}, HAUL_ERROR_UNSUPPORTED, "need sm_90");
    expect_failure(
        &(kernel_run){.ptx = HEAD ".visible .entry k(.param .u64 a, .param .u64 b) .reqnctapercluster 16 { ret; }\n",
                      .blocks = 16},
        HAUL_ERROR_LIMIT, "blocks per cluster 16");
}

static void wide_grids_reach_their_last_block(void **state) {
    (void)state;
    static const uint32_t grid[3] = {7, 65535, 1}, block[3] = {1, 1, 1};
    uint32_t out[2];
    run_shape(KERNEL(NUMBER "red.global.add.u32 [%rd0], 1;\nred.global.max.u32 [%rd0+4], %r20;\n"), grid, block, out,
              sizeof out);
    assert_int_equal(out[0], 7 * 65535);
    assert_int_equal(out[1], 7 * 65535 - 1);
}

static void registers_start_as_zero_in_each_block(void **state) {
    (void)state;
    static uint32_t out[500];
    run_words(KERNEL("{ .reg .b32 %never<2>;\nadd.u32 %r3, %never1, 5;\nmov.u32 %never1, 77;\n"
                     "add.u32 %r3, %r3, %never0; }\n" OUT("%r3")),
              500, 1, out);
    expect_words(out, 500, 5);
}

static void all_machines_run_the_same_kernel(void **state) {
    (void)state;
    static const char *const machines[] = {"sim:a100", "sim:h100", "sim:h200", "sim:b200"};
    for (unsigned m = 0; m < 4; m++) {
        uint32_t out[256] = {0};
        run_kernel(&(kernel_run){
            .ptx = HEAD BEGIN OUT("%r1") END, .device = machines[m], .blocks = 4, .threads = 64, INTO(out)});
        expect_words(out, 256, i);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_know_their_places_in_three_dimensions),
        cmocka_unit_test(warps_and_lanes_have_numbers_and_masks),
        cmocka_unit_test(blocks_go_round_the_sms),
        cmocka_unit_test(a_block_without_a_cluster_is_one),
        cmocka_unit_test(clusters_make_up_the_grid),
        cmocka_unit_test(wide_grids_reach_their_last_block),
        cmocka_unit_test(registers_start_as_zero_in_each_block),
        cmocka_unit_test(all_machines_run_the_same_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
