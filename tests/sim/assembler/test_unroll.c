/* Loops that machine code unrolls into four, two and one iterations. Each case was read off ptxas 13.0's machine code
 * for sm_90 (docs/memory-model.md). */
#include "kernel.h"

#include "base/memory.h"
#include "ptx/inline.h"
#include "assembler/unroll.h"

/* %r5 is the bound, which differs by lane, %r4 the counter, %rd5 a pointer into `in`, %rd6 one into `out`. */
#define SETUP                                                                                                        \
    "mul.wide.u32 %rd4, %r1, 4;\nadd.u64 %rd5, %rd1, %rd4;\nadd.u64 %rd6, %rd0, %rd4;\nld.global.u32 %r5, [%rd5];\n" \
    "mov.u32 %r4, 0;\nmov.u32 %r6, 0;\nmov.f32 %f0, 0f00000000;\nmov.u32 %r7, 0;\n"
#define LOAD "ld.global.f32 %f1, [%rd5];\nadd.f32 %f0, %f0, %f1;\nadd.u64 %rd5, %rd5, 4;\n"
#define NEXT "add.s32 %r4, %r4, 1;\n"
#define WHILE(compare) "setp." compare " %p0, %r4, %r5;\n@%p0 bra LOOP;\n"
#define LOOP(body, compare) SETUP "LOOP:\n" body NEXT WHILE(compare) "st.global.f32 [%rd2], %f0;\n"

/* Returns the number of loads and stores of global memory after SETUP between branches and labels, with `*` after those
 * in a loop. */
static const char *rounds(const char *body) {
    static char out[200], ptx[10000];
    ptx_module *module;
    ptx_function *flat, *unrolled;
    size_t length = 0;
    snprintf(ptx, sizeof ptx, "%s%s%s%s%s", HEAD, ".shared .align 4 .b8 s[8192];\n", BEGIN, body, END);
    if (ptx_module_parse("test.ptx", ptx, strlen(ptx), &module) != HAUL_OK) return haul_message();
    assert_int_equal(ptx_inline_calls(module, ptx_find_entry(module, "k"), &flat), HAUL_OK);
    assert_int_equal(sim_run_pass(sim_unroll, module, flat, &unrolled), HAUL_OK);
    for (uint32_t b = 1; b < unrolled->block_count; b++) {
        const ptx_block *block = &unrolled->blocks[b];
        unsigned accesses = 0;
        for (uint32_t i = block->first; i < block->end; i++) {
            const ptx_instruction *x = &unrolled->instructions[i];
            accesses += (x->op == PTX_OP_LD || x->op == PTX_OP_ST) && x->mods[PTX_SLOT_SPACE] != PTX_MOD_PARAM;
        }
        if (accesses) length += (size_t)sprintf(out + length, "%u%s ", accesses, block->taken <= b ? "*" : "");
    }
    out[length ? length - 1 : 0] = 0;
    ptx_module_free(module);
    return out;
}

#define STAYS "1* 1"
#define UNROLLED "4* 2 1* 1"

static void a_loop_that_counts_to_a_bound_is_unrolled(void **state) {
    (void)state;
    assert_string_equal(rounds(LOOP(LOAD, "lt.s32")), UNROLLED);
    assert_string_equal(rounds(LOOP(LOAD, "le.s32")), UNROLLED);
    assert_string_equal(rounds(LOOP(LOAD, "ne.s32")), UNROLLED);
    assert_string_equal(rounds(SETUP "LOOP:\n" LOAD "sub.s32 %r5, %r5, 2;\nsetp.gt.s32 %p0, %r5, 0;\n@%p0 bra LOOP;\n"
                                     "st.global.f32 [%rd2], %f0;\n"),
                        UNROLLED);
}

static void a_count_without_sign_has_a_round_in_front(void **state) {
    (void)state;
    assert_string_equal(rounds(LOOP(LOAD, "lt.u32")), "1 " UNROLLED);
}

static void other_ends_keep_the_loop(void **state) {
    (void)state;
    assert_string_equal(rounds(LOOP(LOAD, "ge.s32")), STAYS);
    assert_string_equal(rounds(LOOP(LOAD, "eq.s32")), STAYS);
    /* the bound changes; the step is not constant; a sum of the counter and something else is compared */
    assert_string_equal(rounds(LOOP(LOAD "add.s32 %r5, %r5, %r7;\n", "lt.s32")), STAYS);
    assert_string_equal(rounds(SETUP "LOOP:\n" LOAD "add.s32 %r4, %r4, %r1;\n" WHILE("lt.s32") OUT("%r4")), STAYS);
    assert_string_equal(rounds(SETUP "LOOP:\n" LOAD NEXT "add.s32 %r8, %r4, %r1;\nsetp.ne.s32 %p0, %r8, %r5;\n@%p0 bra "
                                     "LOOP;\n" OUT("%r4")),
                        STAYS);
}

static void a_bound_that_all_lanes_share_leaves_nothing_to_tell(void **state) {
    (void)state;
    assert_string_equal(rounds(SETUP "mov.u32 %r9, %nctaid.x;\nLOOP:\n" LOAD NEXT
                                     "setp.lt.s32 %p0, %r4, %r9;\n@%p0 bra "
                                     "LOOP;\n" OUT("%r4")),
                        STAYS);
}

static void a_pragma_keeps_the_loop(void **state) {
    (void)state;
    assert_string_equal(rounds(LOOP(".pragma \"nounroll\";\n" LOAD, "lt.s32")), STAYS);
    assert_string_equal(rounds(LOOP(".pragma \"frequency 3\";\n" LOAD, "lt.s32")), UNROLLED);
}

#define FMA4                                                                                           \
    "fma.rn.f32 %f0, %f0, %f2, %f3;\nfma.rn.f32 %f0, %f0, %f2, %f3;\nfma.rn.f32 %f0, %f0, %f2, %f3;\n" \
    "fma.rn.f32 %f0, %f0, %f2, %f3;\n"
#define FMA40 FMA4 FMA4 FMA4 FMA4 FMA4 FMA4 FMA4 FMA4 FMA4 FMA4
#define FMA "fma.rn.f32 %f0, %f0, %f2, %f3;\n"

static void a_round_of_up_to_49_machine_instructions_is_unrolled(void **state) {
    (void)state;
    assert_string_equal(rounds(LOOP(LOAD FMA40 FMA FMA FMA, "lt.s32")), UNROLLED);
    assert_string_equal(rounds(LOOP(LOAD FMA40 FMA4, "lt.s32")), STAYS);
    assert_string_equal(rounds(LOOP(LOAD "div.rn.f32 %f0, %f0, %f2;\n", "lt.s32")), STAYS);
}

static void what_binds_the_lanes_together_keeps_the_loop(void **state) {
    (void)state;
    assert_string_equal(rounds(LOOP(LOAD "bar.warp.sync -1;\n", "lt.s32")), STAYS);
    assert_string_equal(rounds(LOOP(LOAD "red.global.add.f32 [%rd2], %f0;\n", "lt.s32")), STAYS);
    assert_string_equal(rounds(LOOP(LOAD "shfl.sync.bfly.b32 %r8, %r4, 1, 31, -1;\n", "lt.s32")), STAYS);
}

#define STORE(at) "st.global.f32 [" at "], %f0;\n"
static void a_store_that_loads_may_read_keeps_the_loop_unless_it_steps(void **state) {
    (void)state;
    assert_string_equal(rounds(LOOP(LOAD STORE("%rd2"), "lt.s32")), "2* 1");
    assert_string_equal(rounds(LOOP(LOAD STORE("%rd5+400"), "lt.s32")), "8* 4 2* 1");
    assert_string_equal(rounds(LOOP(LOAD STORE("%rd6") "add.u64 %rd6, %rd6, 8;\n", "lt.s32")), "8* 4 2* 1");
    assert_string_equal(rounds(LOOP(LOAD STORE("%rd6") "add.u64 %rd6, %rd6, %rd4;\n", "lt.s32")), "2* 1");
    assert_string_equal(rounds(LOOP(LOAD "st.shared.f32 [s], %f0;\n", "lt.s32")), "8* 4 2* 1");
    assert_string_equal(
        rounds(LOOP("ld.shared.f32 %f0, [%r8];\nadd.u32 %r8, %r8, 4;\nst.shared.f32 [s], %f0;\n", "lt.s32")), "2* 1");
}

/* %r9 is an address in shared memory that the data decide. */
static void a_load_that_no_store_may_change_lets_the_others_be(void **state) {
    (void)state;
#define COUNT \
    "cvt.rzi.u32.f32 %r9, %f1;\nld.shared.u32 %r10, [%r9];\nadd.u32 %r10, %r10, 1;\nst.shared.u32 [%r9], %r10;\n"
#define SHARED_LOAD "ld.shared.f32 %f2, [%r8];\nadd.u32 %r8, %r8, 4;\nadd.f32 %f0, %f0, %f2;\n"
    assert_string_equal(rounds(LOOP(LOAD COUNT, "lt.s32")), "12* 6 3* 1");
    assert_string_equal(rounds(LOOP(LOAD COUNT COUNT, "lt.s32")), "20* 10 5* 1");
    assert_string_equal(rounds(LOOP(LOAD STORE("%rd2") SHARED_LOAD, "lt.s32")), "12* 6 3* 1");
    assert_string_equal(rounds(LOOP(LOAD STORE("%rd2") SHARED_LOAD "st.shared.f32 [s], %f0;\n", "lt.s32")), "4* 1");
}

static void a_round_with_a_branch_in_it_is_unrolled(void **state) {
    (void)state;
    assert_string_equal(rounds(LOOP("setp.lt.f32 %p1, %f0, %f2;\n@%p1 bra SKIP;\n" LOAD "SKIP:\n", "lt.s32")),
                        "1 1 1 1 1 1 1 1");
    assert_string_equal(rounds(LOOP("setp.lt.f32 %p1, %f0, %f2;\n@%p1 bra OUT;\n" LOAD, "lt.s32") "OUT:\n"), "1* 1");
}

/* ---- execution ---- */

/* Computes sums of the first `bound` words of `in`; each lane's bound is its own word. Returns the loads of the
 * loop. */
static uint64_t sum(const char *ptx, const uint32_t *in, uint32_t *out) {
    haul_launch_record record;
    run_kernel(&(kernel_run){.ptx = ptx, .in = in, .in_bytes = 400, .out = out, .out_bytes = 128, .record = &record});
    return (uint64_t)record.counters[HAUL_COUNTER_INST_GLOBAL_LD] - 1;
}

#define SUM(compare)                                                                                              \
    KERNEL("mul.wide.u32 %rd4, %r1, 4;\nadd.u64 %rd5, %rd1, %rd4;\nld.global.u32 %r5, [%rd5];\nmov.u32 %r4, 0;\n" \
           "mov.u32 %r6, 0;\nsetp." compare " %p0, %r4, %r5;\n@!%p0 bra DONE;\nmov.u64 %rd6, %rd1;\nLOOP:\n"      \
           "ld.global.u32 %r7, [%rd6];\nadd.u32 %r6, %r6, %r7;\nadd.u64 %rd6, %rd6, 4;\nadd.s32 %r4, %r4, 1;\n"   \
           "setp." compare " %p0, %r4, %r5;\n@%p0 bra LOOP;\nDONE:\n" OUT("%r6"))

static void expect_sums(const char *ptx, const uint32_t *bounds, uint64_t loads) {
    uint32_t in[100], out[32] = {0};
    for (uint32_t i = 0; i < 100; i++) in[i] = i < 32 ? bounds[i] : i;
    assert_int_equal(sum(ptx, in, out), loads);
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t want = 0;
        for (uint32_t k = 0; k < bounds[lane]; k++) want += in[k];
        assert_int_equal(out[lane], want);
    }
}

static void lanes_with_other_rounds_left_share_the_last_ones(void **state) {
    (void)state;
    uint32_t bounds[32];
    for (uint32_t lane = 0; lane < 32; lane++) bounds[lane] = lane % 2 ? 4 : 3;
    expect_sums(SUM("lt.s32"), bounds, 4 + 2 + 1); /* not 4, as in PTX */
    expect_sums(SUM("lt.u32"), bounds, 4 + 2 + 1);
    expect_sums(SUM("ne.s32"), bounds, 4 + 2 + 1);
    for (uint32_t lane = 0; lane < 32; lane++) bounds[lane] = lane;
    expect_sums(SUM("lt.s32"), bounds, 28 + 2 + 1);
    for (uint32_t lane = 0; lane < 32; lane++) bounds[lane] = 8;
    expect_sums(SUM("ne.s32"), bounds, 8);
}

/* An unsigned counter that starts at -1: all lanes execute the first iteration before the others. */
static void a_count_from_minus_one_makes_its_first_round_alone(void **state) {
    (void)state;
    static const char ptx[] =
        KERNEL("mul.wide.u32 %rd4, %r1, 4;\nadd.u64 %rd5, %rd1, %rd4;\nld.global.u32 %r5, [%rd5];\nmov.u32 %r4, -1;\n"
               "mov.u32 %r6, 0;\nmov.u64 %rd6, %rd1;\nLOOP:\nld.global.u32 %r7, [%rd6];\nadd.u32 %r6, %r6, %r7;\n"
               "add.u64 %rd6, %rd6, 4;\nadd.s32 %r4, %r4, 1;\nsetp.lt.u32 %p0, %r4, %r5;\n@%p0 bra LOOP;\n" OUT("%r6"));
    uint32_t in[100], out[32] = {0};
    for (uint32_t i = 0; i < 100; i++) in[i] = i % 8;
    assert_int_equal(sum(ptx, in, out), 1 + 4 + 2 + 1);
    expect_words(out, 32, (i % 8) * (i % 8 + 1) / 2);
}

/* Unrolls with allocation number `n` failing; returns false if there are fewer allocations. */
static bool fails_at(size_t n) {
    static const char ptx[] = KERNEL(LOOP(LOAD, "lt.s32"));
    ptx_module *module;
    ptx_function *flat, *unrolled;
    assert_int_equal(ptx_module_parse("test.ptx", ptx, strlen(ptx), &module), HAUL_OK);
    assert_int_equal(ptx_inline_calls(module, ptx_find_entry(module, "k"), &flat), HAUL_OK);
    memory_fail_after(n);
    const haul_status status = sim_run_pass(sim_unroll, module, flat, &unrolled);
    memory_fail_after(0);
    if (status != HAUL_OK) {
        assert_int_equal(status, HAUL_ERROR_OUT_OF_MEMORY);
        assert_ptr_equal(unrolled, flat);
    }
    ptx_module_free(module);
    return status != HAUL_OK;
}

static void without_memory_the_function_stays_as_it_is(void **state) {
    (void)state;
    size_t n = 1;
    while (fails_at(n)) n++;
    assert_true(n > 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_that_counts_to_a_bound_is_unrolled),
        cmocka_unit_test(a_count_without_sign_has_a_round_in_front),
        cmocka_unit_test(other_ends_keep_the_loop),
        cmocka_unit_test(a_bound_that_all_lanes_share_leaves_nothing_to_tell),
        cmocka_unit_test(a_pragma_keeps_the_loop),
        cmocka_unit_test(a_round_of_up_to_49_machine_instructions_is_unrolled),
        cmocka_unit_test(what_binds_the_lanes_together_keeps_the_loop),
        cmocka_unit_test(a_store_that_loads_may_read_keeps_the_loop_unless_it_steps),
        cmocka_unit_test(a_load_that_no_store_may_change_lets_the_others_be),
        cmocka_unit_test(a_round_with_a_branch_in_it_is_unrolled),
        cmocka_unit_test(lanes_with_other_rounds_left_share_the_last_ones),
        cmocka_unit_test(a_count_from_minus_one_makes_its_first_round_alone),
        cmocka_unit_test(without_memory_the_function_stays_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
