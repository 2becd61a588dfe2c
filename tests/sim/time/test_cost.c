/* What a basic block costs a warp and the SM. */
#include "kernel.h"

#include "ptx/inline.h"
#include "sim/time/cost.h"

/* The dearest block of a kernel: loops here have one block. */
static sim_cost dearest(const char *ptx) {
    ptx_module *module;
    ptx_function *flat;
    arena memory;
    jmp_buf out_of_memory;
    sim_cost most = {0};
    assert_int_equal(ptx_module_parse("test.ptx", ptx, strlen(ptx), &module), HAUL_OK);
    assert_int_equal(ptx_inline_calls(module, ptx_find_entry(module, "k"), &flat), HAUL_OK);
    arena_init(&memory, &out_of_memory);
    assert_int_equal(setjmp(out_of_memory), 0);
    const sim_cost *costs = sim_block_costs(flat, &memory, &memory);
    for (size_t b = 0; b < flat->block_count; b++)
        if (costs[b].path + costs[b].waits > most.path + most.waits) most = costs[b];
    arena_free(&memory);
    ptx_module_free(module);
    return most;
}

#define FMA "fma.rn.f32 %f1, %f1, %f2, %f3;\n"
#define STORE "st.global.f32 [%rd2], %f1;\n"

static void dependent_arithmetic_is_as_long_as_its_chain(void **state) {
    (void)state;
    const float five = dearest(KERNEL(FMA FMA FMA FMA FMA STORE)).path;
    const float nine = dearest(KERNEL(FMA FMA FMA FMA FMA FMA FMA FMA FMA STORE)).path;
    assert_float_equal(nine - five, 4 * 4, 0.1);
}

static void independent_arithmetic_takes_its_slots_only(void **state) {
    (void)state;
    const sim_cost eight = dearest(KERNEL(
        "add.f32 %f1, %f8, %f9;\nadd.f32 %f2, %f8, %f9;\nadd.f32 %f3, %f8, %f9;\nadd.f32 %f4, %f8, %f9;\n"
        "add.f32 %f5, %f8, %f9;\nadd.f32 %f6, %f8, %f9;\nadd.f32 %f7, %f8, %f9;\nadd.f32 %f10, %f8, %f9;\n" STORE));
    assert_true(eight.path < eight.slots + 6);
}

static void loads_that_do_not_depend_on_each_other_wait_together(void **state) {
    (void)state;
    const sim_cost together = dearest(KERNEL("ld.global.f32 %f1, [%rd1];\nld.global.f32 %f2, [%rd1+4];\n"
                                             "add.f32 %f1, %f1, %f2;\n" STORE));
    const sim_cost chased = dearest(KERNEL("ld.global.u64 %rd3, [%rd1];\nld.global.u64 %rd4, [%rd3];\n"
                                           "ld.global.f32 %f1, [%rd4];\n" STORE));
    assert_float_equal(together.waits, 1, 0.01);
    assert_float_equal(chased.waits, 3, 0.01);
}

static void a_load_is_waited_for_where_it_is_used(void **state) {
    (void)state;
    const char *ptx = KERNEL("ld.global.f32 %f1, [%rd1];\nsetp.eq.u32 %p1, %r0, 0;\n@%p1 bra L;\n"
                             "add.f32 %f1, %f1, %f1;\nadd.f32 %f1, %f1, %f1;\nadd.f32 %f1, %f1, %f1;\n"
                             "add.f32 %f1, %f1, %f1;\nadd.f32 %f1, %f1, %f1;\nadd.f32 %f1, %f1, %f1;\n"
                             "add.f32 %f1, %f1, %f1;\nadd.f32 %f1, %f1, %f1;\nadd.f32 %f1, %f1, %f1;\n"
                             "add.f32 %f1, %f1, %f1;\nadd.f32 %f1, %f1, %f1;\nadd.f32 %f1, %f1, %f1;\n"
                             "L: " STORE);
    assert_float_equal(dearest(ptx).waits, 1, 0.01);
}

static void parameters_and_copies_are_free(void **state) {
    (void)state;
    const sim_cost plain = dearest(KERNEL(FMA STORE)), copied = dearest(KERNEL("mov.f32 %f2, %f3;\n" FMA STORE));
    assert_float_equal(plain.path, copied.path, 0.01);
    assert_float_equal(plain.slots, copied.slots, 0.01);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dependent_arithmetic_is_as_long_as_its_chain),
        cmocka_unit_test(independent_arithmetic_takes_its_slots_only),
        cmocka_unit_test(loads_that_do_not_depend_on_each_other_wait_together),
        cmocka_unit_test(a_load_is_waited_for_where_it_is_used),
        cmocka_unit_test(parameters_and_copies_are_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
