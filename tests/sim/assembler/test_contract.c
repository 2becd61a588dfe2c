/* Products that the assembler fuses with sums. Each case was read off ptxas 13.0's machine code for sm_90. */
#include "kernel.h"

#include "ptx/inline.h"
#include "ptx/print.h"
#include "assembler/contract.h"

#define DECLARED                                                                                                   \
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 to) {\n.reg .f32 %a, %b, %c, "   \
    "%d, %t, %u, %v, %w;\n.reg .b32 %k, %n;\n.reg .f64 %da, %db, %dt;\n.reg .b16 %ha, %ht;\n.reg .pred %p;\n.reg " \
    ".b64 "                                                                                                        \
    "%o;\n"
#define TAIL "st.global.f32 [%o], %v;\nret;\n}\n"

/* Returns the kernel's arithmetic after the assembler, one word per instruction. */
static const char *contracted(const char *body) {
    static char source[4000], out[1000];
    ptx_module *module;
    ptx_function *flat;
    out[0] = 0;
    snprintf(source, sizeof source, "%s%s%s", DECLARED, body, TAIL);
    if (ptx_module_parse("test.ptx", source, strlen(source), &module) != HAUL_OK) return haul_message();
    assert_int_equal(ptx_inline_calls(module, ptx_find_entry(module, "k"), &flat), HAUL_OK);
    ptx_function *f;
    assert_int_equal(sim_run_pass(sim_contract, module, flat, &f), HAUL_OK);
    for (size_t i = 0; i + 2 < f->instruction_count; i++) {
        size_t at = strlen(out);
        snprintf(out + at, sizeof out - at, "%s%s", at ? " " : "", ptx_ops[f->instructions[i].op].mnemonic);
    }
    ptx_module_free(module);
    return out;
}

#define CASE(name, body, expected)                       \
    static void name(void **state) {                     \
        (void)state;                                     \
        assert_string_equal(contracted(body), expected); \
    }

CASE(a_product_and_a_sum_are_one, "mul.f32 %t, %a, %b;\nadd.f32 %v, %t, %c;\n", "fma")
CASE(a_difference_changes_a_sign, "mul.f32 %t, %a, %b;\nsub.f32 %v, %c, %t;\n", "neg fma")
CASE(a_constant_changes_its_own, "mul.f32 %t, %a, %b;\nsub.f32 %v, %t, 0f40400000;\n", "fma")
CASE(every_sum_takes_it_in, "mul.f32 %t, %a, %b;\nadd.f32 %v, %t, %c;\nadd.f32 %w, %t, %d;\n", "fma fma")
CASE(doubles_and_halves_too,
     "mul.f64 %dt, %da, %da;\nadd.f64 %da, %da, %dt;\nmul.f16 %ht, %ha, %ha;\nsub.f16 %ha, %ht, %ha;\n", "fma neg fma")
CASE(of_two_products_the_first, "mul.f32 %u, %c, %d;\nmul.f32 %t, %a, %b;\nsub.f32 %v, %t, %u;\n", "mul neg fma")
CASE(or_the_one_without_other_uses,
     "mul.f32 %t, %a, %b;\nmul.f32 %u, %c, %d;\nadd.f32 %v, %t, %u;\nst.global.f32 [%o], %t;\n", "mul fma st")
CASE(a_product_that_one_sum_leaves_stays,
     "mul.f32 %t, %a, %b;\nmul.f32 %u, %c, %d;\nsub.f32 %v, %t, %u;\nsub.f32 %w, %c, %u;\n", "mul neg fma sub")
CASE(of_two_products_the_one_with_fewer_uses,
     "mul.f32 %t, %a, %b;\nadd.f32 %v, %t, %c;\nmul.f32 %u, %c, %d;\nsub.f32 %w, %t, %u;\n", "mul add neg fma")
CASE(sums_before_the_one_that_leaves_a_product_take_it_in,
     "mul.f32 %t, %a, %b;\nmul.f32 %u, %c, %d;\nadd.f32 %v, %t, %a;\nadd.f32 %w, %u, %a;\nadd.f32 %v, %t, %u;\n",
     "mul fma fma fma")
CASE(another_use_keeps_it, "mul.f32 %t, %a, %b;\nadd.f32 %v, %t, %c;\nst.global.f32 [%o], %t;\n", "mul add st")
CASE(a_rounding_that_is_named_keeps_it, "mul.rn.f32 %t, %a, %b;\nadd.f32 %v, %t, %c;\n", "mul add")
CASE(flushing_must_agree, "mul.ftz.f32 %t, %a, %b;\nadd.f32 %v, %t, %c;\n", "mul add")
CASE(twice_in_one_sum_is_none, "mul.f32 %t, %a, %b;\nadd.f32 %v, %t, %t;\n", "mul add")
CASE(a_factor_that_changed_keeps_it, "mul.f32 %t, %a, %b;\nadd.f32 %a, %a, %c;\nadd.f32 %v, %t, %c;\n", "mul add add")
CASE(a_division_between_keeps_it, "mul.f32 %t, %a, %b;\ndiv.rn.f32 %w, %c, %d;\nsub.f32 %v, %c, %t;\n", "mul div sub")
CASE(an_approximate_one_does_not, "mul.f32 %t, %a, %b;\ndiv.full.f32 %w, %c, %d;\nadd.f32 %v, %c, %t;\n", "div fma")
CASE(a_guarded_sum_takes_it_in, "mul.f32 %t, %a, %b;\n@%p add.f32 %v, %c, %t;\n", "fma")
CASE(a_guarded_store_between_keeps_it, "mul.f32 %t, %a, %b;\n@%p st.global.f32 [%o], %c;\nadd.f32 %v, %c, %t;\n",
     "mul st add")
CASE(another_block_keeps_it, "mul.f32 %t, %a, %b;\n@%p bra X;\nst.global.f32 [%o], %c;\nX:\nadd.f32 %v, %c, %t;\n",
     "mul bra st add")

CASE(a_product_by_a_constant_goes_to_other_blocks_too,
     "mul.f32 %t, %a, 0f3D4CCCCD;\n@%p bra X;\nst.global.f32 [%o], %c;\nX:\nadd.f32 %v, %c, %t;\n", "bra st fma")
CASE(so_does_one_by_a_constant_in_a_register_and_behind_divisions,
     "mov.f32 %u, 0f3D4CCCCD;\nmul.f32 %t, %u, %a;\ndiv.rn.f32 %w, %c, %d;\nsub.f32 %v, %c, %t;\n", "mov div neg fma")
CASE(unless_the_other_factor_changes,
     "mul.f32 %t, %a, 0f3D4CCCCD;\n@%p bra X;\nadd.f32 %a, %a, %c;\nX:\nadd.f32 %v, %c, %t;\n", "mul bra add add")

/* Copies and negations are no instructions of machine code. */
CASE(a_negated_product_goes_into_a_sum, "mul.f32 %t, %a, %b;\nneg.f32 %u, %t;\nadd.f32 %v, %u, %c;\n", "neg fma")
CASE(so_does_a_copied_one_with_all_uses,
     "mul.f32 %t, %a, %b;\nmov.b32 %u, %t;\nadd.f32 %v, %u, %c;\nsub.f32 %w, %t, %d;\n", "fma neg fma")
CASE(two_negations_are_none, "mul.f32 %t, %a, %b;\nneg.f32 %u, %t;\nneg.f32 %w, %u;\nadd.f32 %v, %w, %c;\n", "fma")
CASE(a_negated_product_of_doubles, "mul.f64 %dt, %da, %da;\nneg.f64 %db, %dt;\nadd.f64 %da, %db, %da;\n", "neg fma")
CASE(a_negation_that_flushes_keeps_it, "mul.f32 %t, %a, %b;\nneg.ftz.f32 %u, %t;\nadd.f32 %v, %u, %c;\n", "mul neg add")
CASE(a_copy_with_another_use_keeps_it,
     "mul.f32 %t, %a, %b;\nneg.f32 %u, %t;\nadd.f32 %v, %u, %c;\nst.global.f32 [%o], %u;\n", "mul neg add st")

/* It is one product with its scale, so the sum needs the other one's value. */
CASE(a_reciprocal_leaves_the_product_on_the_right, "rcp.approx.f32 %t, %a;\nmul.f32 %u, %b, %c;\nadd.f32 %v, %t, %u;\n",
     "rcp mul add")
CASE(the_product_on_the_left_leaves_the_reciprocal,
     "rcp.approx.f32 %t, %a;\nmul.f32 %u, %b, %c;\nadd.f32 %v, %u, %t;\n", "rcp fma")
CASE(a_flushed_reciprocal_is_no_product,
     "rcp.approx.ftz.f32 %t, %a;\nmul.ftz.f32 %u, %b, %c;\nadd.ftz.f32 %v, %t, %u;\n", "rcp fma")

CASE(the_sum_of_equal_products_is_twice_one, "mul.f32 %t, %a, %b;\nmul.f32 %u, %b, %a;\nadd.f32 %v, %t, %u;\n",
     "mul mul add")
CASE(their_difference_is_not_zero, "mul.f32 %t, %a, %b;\nmul.f32 %u, %a, %b;\nsub.f32 %v, %t, %u;\n", "mul neg fma")
CASE(nor_are_flushed_ones_twice_one, "mul.ftz.f32 %t, %a, %b;\nmul.ftz.f32 %u, %a, %b;\nadd.ftz.f32 %v, %t, %u;\n",
     "mul fma")

/* The first sum takes in a product whose value a later one needs. Of pairs it keeps it, of single halves it does not.
 */
#define SHARED(type)                                                                          \
    "mul." type " %ht, %ha, %hb;\nadd." type " %hc, %ht, %hb;\nmul." type " %hu, %hb, %hb;\n" \
    "add." type " %hd, %ht, %hu;\n"
CASE(pairs_are_fused_sum_by_sum, "{\n.reg .b32 %ha, %hb, %hc, %hd, %ht, %hu;\n" SHARED("f16x2") "}\n", "mul fma fma")
CASE(single_halves_are_not, "{\n.reg .b16 %ha, %ht, %hb, %hc, %hd, %hu;\n" SHARED("f16") "}\n", "mul add fma")

/* ptxas unrolls a loop of seven rounds whole. In each, the product of the counter is a constant. */
#define ROUNDS(bound)                                                                                \
    "mov.u32 %k, 0;\nX:\nmul.f32 %u, %a, %b;\ncvt.rn.f32.s32 %t, %k;\nmul.f32 %w, %t, 0f3DCCCCCD;\n" \
    "add.f32 %v, %w, %u;\nadd.s32 %k, %k, 1;\nsetp.ne.s32 %p, %k, " bound ";\n@%p bra X;\n"
CASE(a_product_of_the_counter_of_an_unrolled_loop_is_a_constant, ROUNDS("7"), "mov cvt mul fma add setp bra")
CASE(that_of_any_other_counter_is_a_product, ROUNDS("%n"), "mov mul cvt fma add setp bra")

/* A loop whose counter is a copy of its sum, as Inductor writes it, runs its four rounds. */
static void a_counter_that_is_a_copy_still_counts(void **state) {
    (void)state;
    uint32_t out[32];
    run_words(KERNEL("mov.b32 %r3, 0;\nmov.b32 %r4, %r3;\nmov.f32 %f0, 0f3F800000;\nX:\nmul.f32 %f1, %f0, %f0;\n"
                     "add.f32 %f0, %f1, %f0;\nadd.s32 %r5, %r4, 2048;\nsetp.lt.u32 %p0, %r4, 6134;\n"
                     "mov.b32 %r4, %r5;\n@%p0 bra X;\nst.global.u32 [%rd2], %r4;\n"),
              1, 32, out);
    expect_words(out, 32, 8192);
}

/* 1 + 2^-23 squared minus (1 + 2^-22) is 2^-46; a product rounded separately loses it. */
static void labels_and_results_follow(void **state) {
    (void)state;
    uint32_t out[32];
    run_words(KERNEL("mov.f32 %f0, 0f3F800001;\nmov.f32 %f1, 0f3F800002;\nmov.f32 %f4, 0f00000000;\nX:\n"
                     "mul.f32 %f2, %f0, %f0;\nsub.f32 %f3, %f2, %f1;\nadd.f32 %f4, %f4, %f3;\n"
                     "setp.lt.f32 %p0, %f4, 0f29000000;\n@%p0 bra X;\nst.global.f32 [%rd2], %f4;\n"),
              1, 32, out);
    expect_words(out, 32, 0x29000000); /* 2^-45: two iterations */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_product_and_a_sum_are_one),
        cmocka_unit_test(a_difference_changes_a_sign),
        cmocka_unit_test(a_constant_changes_its_own),
        cmocka_unit_test(every_sum_takes_it_in),
        cmocka_unit_test(doubles_and_halves_too),
        cmocka_unit_test(of_two_products_the_first),
        cmocka_unit_test(or_the_one_without_other_uses),
        cmocka_unit_test(a_product_that_one_sum_leaves_stays),
        cmocka_unit_test(of_two_products_the_one_with_fewer_uses),
        cmocka_unit_test(sums_before_the_one_that_leaves_a_product_take_it_in),
        cmocka_unit_test(another_use_keeps_it),
        cmocka_unit_test(a_rounding_that_is_named_keeps_it),
        cmocka_unit_test(flushing_must_agree),
        cmocka_unit_test(twice_in_one_sum_is_none),
        cmocka_unit_test(a_factor_that_changed_keeps_it),
        cmocka_unit_test(a_division_between_keeps_it),
        cmocka_unit_test(an_approximate_one_does_not),
        cmocka_unit_test(a_guarded_sum_takes_it_in),
        cmocka_unit_test(a_guarded_store_between_keeps_it),
        cmocka_unit_test(another_block_keeps_it),
        cmocka_unit_test(a_product_by_a_constant_goes_to_other_blocks_too),
        cmocka_unit_test(so_does_one_by_a_constant_in_a_register_and_behind_divisions),
        cmocka_unit_test(unless_the_other_factor_changes),
        cmocka_unit_test(a_negated_product_goes_into_a_sum),
        cmocka_unit_test(so_does_a_copied_one_with_all_uses),
        cmocka_unit_test(two_negations_are_none),
        cmocka_unit_test(a_negated_product_of_doubles),
        cmocka_unit_test(a_negation_that_flushes_keeps_it),
        cmocka_unit_test(a_copy_with_another_use_keeps_it),
        cmocka_unit_test(a_reciprocal_leaves_the_product_on_the_right),
        cmocka_unit_test(the_product_on_the_left_leaves_the_reciprocal),
        cmocka_unit_test(a_flushed_reciprocal_is_no_product),
        cmocka_unit_test(the_sum_of_equal_products_is_twice_one),
        cmocka_unit_test(their_difference_is_not_zero),
        cmocka_unit_test(nor_are_flushed_ones_twice_one),
        cmocka_unit_test(pairs_are_fused_sum_by_sum),
        cmocka_unit_test(single_halves_are_not),
        cmocka_unit_test(a_product_of_the_counter_of_an_unrolled_loop_is_a_constant),
        cmocka_unit_test(that_of_any_other_counter_is_a_product),
        cmocka_unit_test(a_counter_that_is_a_copy_still_counts),
        cmocka_unit_test(labels_and_results_follow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
