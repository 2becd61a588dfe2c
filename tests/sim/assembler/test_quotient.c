/* Approximate quotients that are fused into sums, and their bits. An H200's results of Triton's layer_norm show them.
 */
#include "kernel.h"

#include "ptx/inline.h"
#include "assembler/quotient.h"

#include <math.h>

static bool is_expanded(const char *body) {
    static char ptx[4000];
    ptx_module *module;
    ptx_function *flat, *made;
    snprintf(ptx, sizeof ptx, "%s%s%s%s", HEAD, BEGIN, body, END);
    assert_int_equal(ptx_module_parse("test.ptx", ptx, strlen(ptx), &module), HAUL_OK);
    assert_int_equal(ptx_inline_calls(module, ptx_find_entry(module, "k"), &flat), HAUL_OK);
    assert_int_equal(sim_run_pass(sim_expand_quotients, module, flat, &made), HAUL_OK);
    bool divides = false;
    for (size_t i = 0; i < made->instruction_count; i++) divides |= made->instructions[i].op == PTX_OP_FDIV_APPROX;
    ptx_module_free(module);
    return !divides;
}

#define DIVIDE "div.full.f32 %f2, %f0, %f1;\n"

static void a_quotient_that_is_only_added_becomes_a_product(void **state) {
    (void)state;
    assert_true(is_expanded(DIVIDE "add.f32 %f3, %f2, %f4;\nst.global.f32 [%rd2], %f3;\n"));
    assert_true(is_expanded("div.approx.ftz.f32 %f2, %f0, %f1;\nsub.ftz.f32 %f3, %f4, %f2;\n"));
    assert_true(is_expanded(DIVIDE "neg.f32 %f5, %f2;\nadd.f32 %f3, %f5, %f4;\nst.global.f32 [%rd2], %f3;\n"));
    assert_false(is_expanded(DIVIDE "neg.f32 %f5, %f2;\nst.global.f32 [%rd2], %f5;\n"));
    assert_false(is_expanded(DIVIDE "st.global.f32 [%rd2], %f2;\n"));
    assert_false(is_expanded(DIVIDE "add.f32 %f3, %f2, %f4;\nst.global.f32 [%rd2], %f2;\n"));
    assert_false(is_expanded(DIVIDE "add.rn.f32 %f3, %f2, %f4;\nst.global.f32 [%rd2], %f3;\n"));
}

/* Divides in[2 * i] by in[2 * i + 1]: once alone, and once as the operand of a sum with zero. Fused or not, that sum
 * changes no bit but the sign of zero, which an add.rn of zero drops for both. */
static void compare(const char *precision) {
    static const float numbers[] = {1,        3, -7.5f, 1e-39f, 2e38f,  1e38f,   5,      0,      0,     0,
                                    INFINITY, 2, NAN,   1,      1e-38f, 1.5e38f, 3e-40f, 2e-40f, 1e30f, 3.3e38f};
    static char ptx[4000];
    float in[64] = {0};
    uint32_t out[64] = {0};
    memcpy(in, numbers, sizeof numbers);
    snprintf(ptx, sizeof ptx,
             "%s%smad.wide.u32 %%rd3, %%r1, 8, %%rd1;\nmad.wide.u32 %%rd4, %%r1, 8, %%rd0;\n"
             "ld.global.f32 %%f0, [%%rd3];\nld.global.f32 %%f1, [%%rd3+4];\ndiv.%s.f32 %%f2, %%f0, %%f1;\n"
             "add.rn.f32 %%f2, %%f2, 0f00000000;\ndiv.%s.f32 %%f3, %%f0, %%f1;\nadd.f32 %%f4, %%f3, 0f00000000;\n"
             "st.global.f32 [%%rd4], %%f2;\nst.global.f32 [%%rd4+4], %%f4;\n%s",
             HEAD, BEGIN, precision, precision, END);
    run_kernel(&(kernel_run){.ptx = ptx, FROM(in), INTO(out)});
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers / 2; i++) assert_int_equal(out[2 * i], out[2 * i + 1]);
}

static void the_product_has_the_quotients_bits(void **state) {
    (void)state;
    compare("full");
    compare("approx");
}

static void the_sum_is_rounded_once(void **state) {
    (void)state;
    float out[32];
    run_kernel(&(kernel_run){.ptx = KERNEL("mov.f32 %f0, 0f40000000;\ncvt.rn.f32.u32 %f1, %r0;\n"
                                           "add.f32 %f1, %f1, 0f40400000;\ndiv.full.f32 %f2, %f0, %f1;\n"
                                           "add.f32 %f3, %f2, 0f3e800000;\nst.global.f32 [%rd2], %f3;\n"),
                             INTO(out)});
    assert_true(out[0] == fmaf(2.0f, 1.0f / 3.0f, 0.25f));
    assert_true(out[4] == fmaf(2.0f, 1.0f / 7.0f, 0.25f));
}

/* 1 / b without scales is a reciprocal: the sum fuses the other product, whichever side that is on. */
static void a_flushed_reciprocal_is_no_product(void **state) {
    (void)state;
    float out[32];
    run_kernel(&(kernel_run){.ptx = KERNEL("cvt.rn.f32.u32 %f1, %r0;\nadd.ftz.f32 %f1, %f1, 0f40400000;\n"
                                           "div.approx.ftz.f32 %f2, 0f3f800000, %f1;\nmul.ftz.f32 %f3, %f1, "
                                           "0f3dcccccd;\nadd.ftz.f32 %f6, %f2, %f3;\nrcp.approx.ftz.f32 %f4, %f1;\n"
                                           "fma.rn.ftz.f32 %f5, %f1, 0f3dcccccd, %f4;\nsub.ftz.f32 %f7, %f6, %f5;\n"
                                           "st.global.f32 [%rd2], %f7;\n"),
                             INTO(out)});
    for (unsigned lane = 0; lane < 32; lane++) assert_true(out[lane] == 0);
}

/* Machine code has no reciprocal then: 3 / (1 / x) is exactly 3 * x. */
static void a_quotient_by_a_reciprocal_is_a_product(void **state) {
    (void)state;
    float out[32];
    run_kernel(&(kernel_run){.ptx = KERNEL("cvt.rn.f32.u32 %f0, %r0;\nadd.ftz.f32 %f0, %f0, 0f42280000;\n"
                                           "rcp.approx.ftz.f32 %f1, %f0;\nmov.f32 %f3, 0f40400000;\n"
                                           "div.approx.ftz.f32 %f2, %f3, %f1;\nst.global.f32 [%rd2], %f2;\n"),
                             INTO(out)});
    for (unsigned lane = 0; lane < 32; lane++) assert_true(out[lane] == 3 * (42 + (float)lane));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quotient_that_is_only_added_becomes_a_product),
        cmocka_unit_test(the_product_has_the_quotients_bits),
        cmocka_unit_test(the_sum_is_rounded_once),
        cmocka_unit_test(a_flushed_reciprocal_is_no_product),
        cmocka_unit_test(a_quotient_by_a_reciprocal_is_a_product),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
