/* Features of sm_100 that a case in tests/sim/exec/isa cannot show: rows of a tensor that are not adjacent, mbarriers
 * of the pair's other block, clusters that take over others' work. On a virtual B200. */
#include "kernel.h"

#define TARGET ".version 9.0\n.target sm_100a\n.address_size 64\n"

/* ---- four rows of a tensor ---- */

enum { COLUMNS = 32, ROWS = 64, WIDTH = 16, SENTINEL = 0x5e5e5e5e };

#define TENSOR_KERNEL(body)                                                                                      \
    TARGET ".shared .align 1024 .b8 rows[1024];\n.shared .align 8 .b64 bar;\n"                                   \
           ".visible .entry k(.param .u64 p_out, .param .align 64 .b8 p_map[128]) {\n"                           \
           ".reg .b32 %r<32>;\n.reg .b64 %rd<16>;\n.reg .pred %p<4>;\nld.param.u64 %rd0, [p_out];\n"             \
           "mov.b64 %rd1, p_map;\ncvta.param.u64 %rd1, %rd1;\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, rows;\n"        \
           "mov.u32 %r2, bar;\nmad.lo.u32 %r3, %r0, 4, %r1;\nmad.wide.u32 %rd2, %r0, 4, %rd0;\n"                 \
           "setp.eq.u32 %p0, %r0, 0;\n@%p0 mbarrier.init.shared::cta.b64 [%r2], 1;\nst.shared.b32 [%r3], %r0;\n" \
           "st.shared.b32 [%r3+256], 0x5e5e5e5e;\nfence.proxy.async;\nbar.sync 0;\n" body "ret;\n}\n"
#define WAIT "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r2], 0;\n@!%p1 bra WAIT;\n"
#define LOAD(at, rest)                                                                                          \
    TENSOR_KERNEL("@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 256;\n"                             \
                  "@%p0 cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes " \
                  "[%r1], [%rd1, " at "], [%r2];\n" WAIT rest                                                   \
                  "ld.shared.b32 %r4, [%r3];\nst.global.b32 [%rd2], %r4;\n")

/* 64 threads; `words` is the tensor before and after, or other data that the kernel stores. */
static haul_status run_rows(const char *ptx, haul_tensor tensor, uint32_t *words, bool check) {
    const haul_device_options options = {.threads = 1, .check = check};
    haul_device *device;
    haul_module *module;
    haul_buffer *in, *out;
    haul_tensor_map map;
    assert_int_equal(haul_device_open("sim:b200", &options, &device), HAUL_OK);
    assert_int_equal(haul_buffer_create(device, 4 * COLUMNS * ROWS, &in), HAUL_OK);
    assert_int_equal(haul_buffer_create(device, 4 * COLUMNS * ROWS, &out), HAUL_OK);
    assert_int_equal(haul_buffer_write(in, 0, words, 4 * COLUMNS * ROWS), HAUL_OK);
    assert_int_equal(haul_buffer_write(out, 0, words, 4 * COLUMNS * ROWS), HAUL_OK);
    tensor.buffer = in;
    if (haul_tensor_map_encode(&tensor, &map) != HAUL_OK) fail_msg("%s", haul_message());
    haul_status status = haul_module_load(device, "rows.ptx", ptx, strlen(ptx), &module);
    const bool stores = strstr(ptx, "scatter4") != NULL;
    const haul_argument arguments[] = {{.kind = HAUL_ARGUMENT_BUFFER, .buffer = out},
                                       {.kind = HAUL_ARGUMENT_BYTES, .bytes = &map, .size = sizeof map}};
    const haul_launch launch = {
        .kernel = "k", .grid = {1, 1, 1}, .block = {64, 1, 1}, .arguments = arguments, .argument_count = 2};
    if (status == HAUL_OK) status = haul_launch_run(module, &launch, NULL);
    if (status == HAUL_OK) status = haul_buffer_read(stores ? in : out, 0, words, 4 * COLUMNS * ROWS);
    haul_device_close(device);
    return status;
}

static haul_tensor rows_of(haul_tensor_swizzle swizzle) {
    return (haul_tensor){.type = HAUL_TENSOR_U32,
                         .rank = 2,
                         .extent = {COLUMNS, ROWS},
                         .pitch = {4 * COLUMNS},
                         .box = {WIDTH, 1},
                         .swizzle = swizzle};
}

static void number(uint32_t *words) {
    for (uint32_t i = 0; i < COLUMNS * ROWS; i++) words[i] = i;
}

static void four_rows_are_gathered(void **state) {
    (void)state;
    uint32_t words[COLUMNS * ROWS];
    static const int32_t rows[] = {3, 60, -1, 3};
    for (unsigned check = 0; check < 2; check++) {
        number(words);
        if (run_rows(LOAD("{8, 3, 60, -1, 3}", ""), rows_of(HAUL_TENSOR_SWIZZLE_NONE), words, check) != HAUL_OK)
            fail_msg("%s", haul_message());
        for (uint32_t i = 0; i < 4 * WIDTH; i++) {
            const int32_t row = rows[i / WIDTH];
            assert_int_equal(words[i], row < 0 ? 0 : (uint32_t)row * COLUMNS + 8 + i % WIDTH);
        }
    }
}

/* Chunks of 16 bytes: bits 7 and 8 of the address flip bits 4 and 5. */
static void gathered_rows_are_swizzled(void **state) {
    (void)state;
    uint32_t words[COLUMNS * ROWS];
    static const uint32_t rows[] = {1, 2, 5, 7};
    number(words);
    assert_int_equal(run_rows(LOAD("{0, 1, 2, 5, 7}", ""), rows_of(HAUL_TENSOR_SWIZZLE_64B), words, false), HAUL_OK);
    for (uint32_t i = 0; i < 4 * WIDTH; i++) {
        const uint32_t from = i ^ (i / 32 << 2);
        assert_int_equal(words[i], rows[from / WIDTH] * COLUMNS + from % WIDTH);
    }
}

static void four_rows_are_scattered(void **state) {
    (void)state;
    uint32_t words[COLUMNS * ROWS];
    static const uint32_t rows[] = {9, 0, 63, 20};
    number(words);
    const char *ptx = TENSOR_KERNEL(
        "@%p0 cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%rd1, {16, 9, 0, 63, 20}], [%r1];\n"
        "@%p0 cp.async.bulk.commit_group;\n@%p0 cp.async.bulk.wait_group 0;\n");
    assert_int_equal(run_rows(ptx, rows_of(HAUL_TENSOR_SWIZZLE_NONE), words, false), HAUL_OK);
    for (uint32_t i = 0; i < COLUMNS * ROWS; i++) {
        uint32_t expected = i;
        for (uint32_t r = 0; r < 4; r++)
            if (i / COLUMNS == rows[r] && i % COLUMNS >= 16) expected = r * WIDTH + i % COLUMNS - 16;
        assert_int_equal(words[i], expected);
    }
}

static void a_map_of_larger_boxes_is_refused(void **state) {
    (void)state;
    uint32_t words[COLUMNS * ROWS] = {0};
    haul_tensor tensor = rows_of(HAUL_TENSOR_SWIZZLE_NONE);
    tensor.box[1] = 4;
    assert_int_equal(run_rows(LOAD("{0, 1, 2, 5, 7}", ""), tensor, words, false), HAUL_ERROR_FAULT);
    assert_non_null(strstr(haul_message(), "in a copy of four rows: must be 2 and 1"));
}

/* ---- mbarriers of a pair ---- */

/* Both blocks load their half of a row; the mbarrier is the even block's. */
static void a_pair_of_blocks_waits_at_one_mbarrier(void **state) {
    (void)state;
    const char *ptx =
        TARGET ".shared .align 128 .b8 box[128];\n.shared .align 8 .b64 bar;\n"
               ".visible .entry k(.param .u64 p_out, .param .align 64 .b8 p_map[128]) .reqnctapercluster 2, 1, 1 {\n"
               ".reg .b32 %r<32>;\n.reg .b64 %rd<16>;\n.reg .pred %p<4>;\nld.param.u64 %rd0, [p_out];\n"
               "mov.b64 %rd1, p_map;\ncvta.param.u64 %rd1, %rd1;\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, box;\n"
               "mov.u32 %r2, bar;\nmov.u32 %r4, %cluster_ctarank;\nsetp.eq.u32 %p0, %r0, 0;\n"
               "setp.eq.u32 %p2, %r4, 0;\n@%p0 mbarrier.init.shared::cta.b64 [%r2], 1;\n"
               "fence.mbarrier_init.release.cluster;\nmapa.shared::cluster.u32 %r5, %r2, 0;\n"
               "mapa.shared::cluster.u32 %r6, %r1, %r4;\nmul.lo.u32 %r7, %r4, 16;\n"
               "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
               "and.pred %p2, %p2, %p0;\n@%p2 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 128;\n"
               "@%p0 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2 "
               "[%r6], [%rd1, {%r7, 5}], [%r5];\n"
               "setp.eq.u32 %p2, %r4, 0;\n@!%p2 bra MEET;\n" WAIT
               "MEET: barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
               "mad.lo.u32 %r3, %r0, 4, %r1;\nld.shared.b32 %r8, [%r3];\nmad.lo.u32 %r9, %r4, 16, %r0;\n"
               "mad.wide.u32 %rd2, %r9, 4, %rd0;\nst.global.b32 [%rd2], %r8;\nret;\n}\n";
    const haul_device_options options = {.threads = 1};
    haul_device *device;
    haul_module *module;
    haul_buffer *in, *out;
    haul_tensor_map map;
    uint32_t words[COLUMNS * ROWS];
    number(words);
    assert_int_equal(haul_device_open("sim:b200", &options, &device), HAUL_OK);
    assert_int_equal(haul_buffer_create(device, sizeof words, &in), HAUL_OK);
    assert_int_equal(haul_buffer_create(device, 128, &out), HAUL_OK);
    assert_int_equal(haul_buffer_write(in, 0, words, sizeof words), HAUL_OK);
    haul_tensor tensor = rows_of(HAUL_TENSOR_SWIZZLE_NONE);
    tensor.buffer = in;
    assert_int_equal(haul_tensor_map_encode(&tensor, &map), HAUL_OK);
    if (haul_module_load(device, "pair.ptx", ptx, strlen(ptx), &module) != HAUL_OK) fail_msg("%s", haul_message());
    const haul_argument arguments[] = {{.kind = HAUL_ARGUMENT_BUFFER, .buffer = out},
                                       {.kind = HAUL_ARGUMENT_BYTES, .bytes = &map, .size = sizeof map}};
    const haul_launch launch = {
        .kernel = "k", .grid = {2, 1, 1}, .block = {16, 1, 1}, .arguments = arguments, .argument_count = 2};
    if (haul_launch_run(module, &launch, NULL) != HAUL_OK) fail_msg("%s", haul_message());
    assert_int_equal(haul_buffer_read(out, 0, words, 128), HAUL_OK);
    for (uint32_t i = 0; i < 2 * WIDTH; i++) assert_int_equal(words[i], 5 * COLUMNS + i);
    haul_device_close(device);
}

/* ---- clusters that take over others' work ---- */

/* Each block does its own item and then those that it takes over. `out` counts how often an item was done, and in the
 * upper half that it was taken over. */
#define STEALING                                                                                          \
    TARGET ".shared .align 16 .b8 answer[16];\n.shared .align 8 .b64 bar;\n"                              \
           ".visible .entry k(.param .u64 p_out, .param .u64 p_in) {\n"                                   \
           ".reg .b32 %r<32>;\n.reg .b64 %rd<16>;\n.reg .pred %p<4>;\n.reg .b128 %q;\n"                   \
           ".shared .align 16 .b8 fill[100000];\n"                                                        \
           "ld.param.u64 %rd0, [p_out];\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, answer;\nmov.u32 %r2, bar;\n" \
           "mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, 1;\nmov.u32 %r5, 0;\nsetp.eq.u32 %p0, %r0, 0;\n"         \
           "mov.u32 %r9, fill;\nst.shared.b32 [%r9], 0;\n"                                                \
           "@%p0 mbarrier.init.shared::cta.b64 [%r2], 1;\nbar.sync 0;\n"                                  \
           "AGAIN: mad.wide.u32 %rd1, %r3, 4, %rd0;\n@%p0 red.global.add.u32 [%rd1], %r4;\n"              \
           "fence.proxy.async.shared::cta;\nbar.sync 0;\n"                                                \
           "@%p0 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 "    \
           "[%r1], [%r2];\n@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 16;\n"                \
           "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r2], %r5;\n@!%p1 bra WAIT;\n"           \
           "xor.b32 %r5, %r5, 1;\nld.shared.b128 %q, [%r1];\n"                                            \
           "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %q;\n"                           \
           "@%p2 clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r3, %q;\n"                \
           "mov.u32 %r4, 0x10001;\n@%p2 bra AGAIN;\nret;\n}\n"

static void every_place_is_done_once(void **state) {
    (void)state;
    enum { BLOCKS = 2000 };
    static uint32_t out[BLOCKS];
    for (uint32_t threads = 1; threads <= 4; threads += 3) {
        uint32_t taken_over = 0;
        memset(out, 0, sizeof out);
        run_kernel(
            &(kernel_run){.ptx = STEALING, .device = "sim:b200", .blocks = BLOCKS, .host_threads = threads, INTO(out)});
        for (uint32_t i = 0; i < BLOCKS; i++) {
            assert_int_equal(out[i] & 0xffff, 1);
            taken_over += out[i] >> 16;
        }
        assert_true(taken_over > BLOCKS / 2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_rows_are_gathered),
        cmocka_unit_test(gathered_rows_are_swizzled),
        cmocka_unit_test(four_rows_are_scattered),
        cmocka_unit_test(a_map_of_larger_boxes_is_refused),
        cmocka_unit_test(a_pair_of_blocks_waits_at_one_mbarrier),
        cmocka_unit_test(every_place_is_done_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
