/* Constant banks: the cost of a warp's load, and the counters of kernels that load constants and parameters. */
#include "kernel.h"

#include "count/constant.h"

static sim_constant_use load(sim_idc *idc, unsigned distinct, uint64_t stride) {
    uint64_t address[SIM_LANES];
    for (unsigned l = 0; l < SIM_LANES; l++) address[l] = l % distinct * stride;
    return sim_idc_load(idc, 0, SIM_ALL_LANES, address);
}

static void one_address_is_one_request(void **state) {
    (void)state;
    sim_idc idc = {0};
    assert_int_equal(load(&idc, 1, 4).requests, 1);
}

static void each_address_is_a_request_of_its_own(void **state) {
    (void)state;
    sim_idc idc = {0};
    for (unsigned n = 1; n <= 32; n++) assert_int_equal(load(&idc, n, 4).requests, n);
}

/* Bytes of one word are different addresses: an H100 counts 32 requests for 32 adjacent bytes. */
static void neighbouring_bytes_are_different_addresses(void **state) {
    (void)state;
    sim_idc idc = {0};
    assert_int_equal(load(&idc, 32, 1).requests, 32);
}

static void lanes_that_are_off_ask_for_nothing(void **state) {
    (void)state;
    sim_idc idc = {0};
    uint64_t address[SIM_LANES];
    for (unsigned l = 0; l < SIM_LANES; l++) address[l] = 4 * l;
    assert_int_equal(sim_idc_load(&idc, 0, 0x1f, address).requests, 5);
}

static void a_line_of_64_bytes_is_fetched_once(void **state) {
    (void)state;
    sim_idc idc = {0};
    assert_int_equal(load(&idc, 32, 4).hits, 30);
    assert_int_equal(load(&idc, 32, 4).hits, 32);
    sim_idc other = {0};
    assert_int_equal(load(&other, 32, 64).hits, 0);
}

static void two_kilobytes_stay(void **state) {
    (void)state;
    sim_idc idc = {0};
    load(&idc, 32, 64);
    assert_int_equal(load(&idc, 32, 64).hits, 32);
}

/* 4 KiB do not fit, but a line that one warp fetches serves the others at the same position. */
static void warps_side_by_side_share_what_they_fetch(void **state) {
    (void)state;
    sim_idc idc = {0};
    uint32_t misses = 0;
    for (unsigned warp = 0; warp < 8; warp++) {
        for (uint64_t at = 0; at < 4096; at += 64) {
            const uint64_t address[SIM_LANES] = {at};
            misses += 1 - sim_idc_load(&idc, warp, 1, address).hits;
        }
    }
    assert_int_equal(misses, 64);
}

/* ---- kernels ---- */

#define TABLE ".const .align 16 .b8 table[4096];\n"
#define AT(stride) "mov.u64 %rd4, table;\nmad.wide.u32 %rd3, %r0, " stride ", %rd4;\n"

static haul_launch_record counted(const char *ptx, uint32_t threads) {
    static haul_launch_record record;
    static uint32_t out[1024];
    run_kernel(&(kernel_run){.ptx = ptx, .blocks = 1, .threads = threads, INTO(out), .record = &record});
    return record;
}

/* Each warp loads two pointers, %ntid and the stack's end from the bank of parameters. */
enum { OF_A_WARP = 4 };

#define ASSERT_COUNT(record, id, expected) assert_int_equal((record).counters[HAUL_COUNTER_##id], (expected))

static void a_broadcast_and_a_table_lookup(void **state) {
    (void)state;
    haul_launch_record all = counted(KERNEL_WITH(TABLE, AT("0") "ld.const.u32 %r3, [%rd3];\n" OUT("%r3")), 32);
    ASSERT_COUNT(all, CONSTANT_REQUESTS, 1 + OF_A_WARP);
    ASSERT_COUNT(all, INST_LDC, 1 + OF_A_WARP);
    haul_launch_record own = counted(KERNEL_WITH(TABLE, AT("4") "ld.const.u32 %r3, [%rd3];\n" OUT("%r3")), 32);
    ASSERT_COUNT(own, CONSTANT_REQUESTS, 32 + OF_A_WARP);
    ASSERT_COUNT(own, INST_LDC, 1 + OF_A_WARP);
    ASSERT_COUNT(own, CONSTANT_HIT, 30);
    ASSERT_COUNT(own, INST_GLOBAL_LD, 0);
}

static void loads_of_16_bytes_are_two(void **state) {
    (void)state;
    haul_launch_record r =
        counted(KERNEL_WITH(TABLE, AT("16") "ld.const.v4.u32 {%r3, %r4, %r5, %r6}, [%rd3];\nadd.u32 %r3, %r3, %r4;\n"
                                            "add.u32 %r5, %r5, %r6;\nadd.u32 %r3, %r3, %r5;\n" OUT("%r3")),
                32);
    ASSERT_COUNT(r, CONSTANT_REQUESTS, 64 + OF_A_WARP);
    ASSERT_COUNT(r, INST_LDC, 2 + OF_A_WARP);
}

static void a_load_that_nobody_uses_is_none(void **state) {
    (void)state;
    haul_launch_record r = counted(KERNEL_WITH(TABLE, AT("4") "ld.const.u32 %r3, [%rd3];\n" OUT("%r0")), 32);
    ASSERT_COUNT(r, CONSTANT_REQUESTS, OF_A_WARP);
}

static void parameters_at_a_computed_place_are_constant_loads(void **state) {
    (void)state;
    haul_launch_record r =
        counted(KERNEL("mov.b64 %rd4, p_out;\nand.b32 %r3, %r0, 3;\nmad.wide.u32 %rd3, %r3, 4, %rd4;\n"
                       "ld.param.u32 %r3, [%rd3];\n" OUT("%r3")),
                32);
    ASSERT_COUNT(r, CONSTANT_REQUESTS, 4 + OF_A_WARP);
}

static void parameters_may_be_loaded_again_behind_a_call(void **state) {
    (void)state;
    const haul_launch_record near =
        counted(KERNEL("st.global.u32 [%rd0], %r0;\ncvt.rn.f32.u32 %f1, %r0;\nst.global.f32 [%rd0+4], %f1;\n"), 32);
    const haul_launch_record apart =
        counted(KERNEL("st.global.u32 [%rd0], %r0;\ncvt.rn.f32.u32 %f1, %r0;\ndiv.rn.f32 %f1, %f1, %f1;\n"
                       "st.global.f32 [%rd0+4], %f1;\n"),
                32);
    assert_int_equal(apart.bounds[HAUL_COUNTER_INST_LDC].high, near.bounds[HAUL_COUNTER_INST_LDC].high + 1);
}

static void ldu_is_a_global_load(void **state) {
    (void)state;
    haul_launch_record r = counted(KERNEL("ldu.global.u32 %r3, [%rd0];\n" OUT("%r3")), 32);
    ASSERT_COUNT(r, INST_GLOBAL_LD, 1);
    ASSERT_COUNT(r, L1_GLOBAL_LD_SECTORS, 1);
    ASSERT_COUNT(r, CONSTANT_REQUESTS, OF_A_WARP);
}

static void a_bank_holds_64_kilobytes(void **state) {
    (void)state;
    expect_failure(&(kernel_run){.ptx = KERNEL_WITH(".const .b8 a[65536];\n.const .b8 b[1];\n", "")}, HAUL_ERROR_SYNTAX,
                   "more than 64 KiB from 'b' on");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_address_is_one_request),
        cmocka_unit_test(each_address_is_a_request_of_its_own),
        cmocka_unit_test(neighbouring_bytes_are_different_addresses),
        cmocka_unit_test(lanes_that_are_off_ask_for_nothing),
        cmocka_unit_test(a_line_of_64_bytes_is_fetched_once),
        cmocka_unit_test(two_kilobytes_stay),
        cmocka_unit_test(warps_side_by_side_share_what_they_fetch),
        cmocka_unit_test(a_broadcast_and_a_table_lookup),
        cmocka_unit_test(loads_of_16_bytes_are_two),
        cmocka_unit_test(a_load_that_nobody_uses_is_none),
        cmocka_unit_test(parameters_at_a_computed_place_are_constant_loads),
        cmocka_unit_test(parameters_may_be_loaded_again_behind_a_call),
        cmocka_unit_test(ldu_is_a_global_load),
        cmocka_unit_test(a_bank_holds_64_kilobytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
