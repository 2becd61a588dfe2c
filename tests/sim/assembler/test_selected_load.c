/* Loads whose value a selection takes: which lanes make them. */
#include "kernel.h"

#include "assembler/selected_load.h"
#include "ptx/inline.h"

/* Returns the guards of the loads of global memory, in order: `.` none, `p` the predicate, `!` its opposite. */
static const char *guards_of(const char *body) {
    static char ptx[4000], guards[16];
    ptx_module *module;
    ptx_function *flat, *made;
    size_t count = 0;
    snprintf(ptx, sizeof ptx, "%s%s%s%s", HEAD, BEGIN, body, END);
    assert_int_equal(ptx_module_parse("test.ptx", ptx, strlen(ptx), &module), HAUL_OK);
    assert_int_equal(ptx_inline_calls(module, ptx_find_entry(module, "k"), &flat), HAUL_OK);
    assert_int_equal(sim_run_pass(sim_guard_selected_loads, module, flat, &made), HAUL_OK);
    for (size_t i = 0; i < made->instruction_count && count < sizeof guards - 1; i++) {
        const ptx_instruction *at = &made->instructions[i];
        if (at->op != PTX_OP_LD || at->mods[PTX_SLOT_SPACE] != PTX_MOD_GLOBAL) continue;
        guards[count++] = at->guarded ? at->guard_negated ? '!' : 'p' : '.';
    }
    guards[count] = 0;
    ptx_module_free(module);
    return guards;
}

#define KNOWN "setp.gt.s32 %p1, %r1, 5;\n"
#define LOAD_A "ld.global.f32 %f0, [%rd1];\n"
#define LOAD_B "ld.global.f32 %f1, [%rd2];\n"
#define SELECT "selp.f32 %f2, %f0, %f1, %p1;\nst.global.f32 [%rd0], %f2;\n"

static void only_lanes_that_select_the_later_value_load_it(void **state) {
    (void)state;
    assert_string_equal(guards_of(KNOWN LOAD_A LOAD_B SELECT), ".!");
    assert_string_equal(guards_of(KNOWN LOAD_B LOAD_A SELECT), ".p");
    assert_string_equal(guards_of(KNOWN "cvt.rn.f32.u32 %f1, %r1;\n" LOAD_A SELECT), "p");
}

static void a_load_waits_for_the_predicate(void **state) {
    (void)state;
    assert_string_equal(guards_of(LOAD_A LOAD_B KNOWN SELECT), ".!");
    assert_string_equal(guards_of(LOAD_A LOAD_B "setp.gt.f32 %p1, %f0, 0f00000000;\n" SELECT), ".!");
}

static void a_value_with_another_use_is_loaded_by_all(void **state) {
    (void)state;
    assert_string_equal(guards_of(KNOWN LOAD_A LOAD_B SELECT "st.global.f32 [%rd0+4], %f1;\n"), "..");
    assert_string_equal(guards_of(KNOWN LOAD_A LOAD_B SELECT "st.global.f32 [%rd0+4], %f0;\n"), "..");
    assert_string_equal(guards_of(LOAD_A LOAD_B "setp.gt.f32 %p1, %f0, %f1;\n" SELECT), "..");
}

static void nothing_that_changes_memory_is_between(void **state) {
    (void)state;
    assert_string_equal(guards_of(KNOWN LOAD_A LOAD_B "bar.sync 0;\n" SELECT), "..");
    assert_string_equal(guards_of(KNOWN LOAD_A LOAD_B "st.global.u32 [%rd0+8], %r1;\n" SELECT), "..");
    assert_string_equal(guards_of(KNOWN LOAD_A LOAD_B "ld.acquire.gpu.global.u32 %r2, [%rd0];\n" SELECT), "...");
    assert_string_equal(guards_of(KNOWN "st.global.u32 [%rd0+8], %r1;\n" LOAD_A LOAD_B SELECT), ".!");
}

static void a_later_value_that_is_computed_needs_no_guard_on_loads(void **state) {
    (void)state;
    assert_string_equal(guards_of(KNOWN LOAD_A "cvt.rn.f32.u32 %f1, %r1;\n" SELECT), ".");
    assert_string_equal(guards_of(KNOWN "mov.f32 %f1, 0f3F800000;\n" LOAD_A SELECT), ".");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_lanes_that_select_the_later_value_load_it),
        cmocka_unit_test(a_load_waits_for_the_predicate),
        cmocka_unit_test(a_value_with_another_use_is_loaded_by_all),
        cmocka_unit_test(nothing_that_changes_memory_is_between),
        cmocka_unit_test(a_later_value_that_is_computed_needs_no_guard_on_loads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
