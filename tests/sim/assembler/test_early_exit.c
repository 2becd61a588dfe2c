/* Lanes that skip a kernel's last stores return early. An H200's counters of kernels by Triton show it
 * (tests/data/generators). */
#include "kernel.h"

#include "ptx/inline.h"
#include "ptx/traits.h"
#include "assembler/early_exit.h"

/* Returns the loads, stores, atomics, products and returns of the kernel, one letter each; a capital has a
 * guard. */
static const char *order(const char *body) {
    static char out[200];
    static char ptx[4000];
    ptx_module *module;
    ptx_function *flat, *made;
    size_t length = 0;
    snprintf(ptx, sizeof ptx, "%s%s%s%s%s", HEAD, ".shared .align 4 .b8 s[256];\n", BEGIN, body, END);
    if (ptx_module_parse("test.ptx", ptx, strlen(ptx), &module) != HAUL_OK) return haul_message();
    assert_int_equal(ptx_inline_calls(module, ptx_find_entry(module, "k"), &flat), HAUL_OK);
    assert_int_equal(sim_run_pass(sim_exit_early, module, flat, &made), HAUL_OK);
    for (size_t i = 0; i < made->instruction_count; i++) {
        const ptx_instruction *x = &made->instructions[i];
        char c = 0;
        if (x->op == PTX_OP_LD && x->mods[PTX_SLOT_SPACE] == PTX_MOD_SHARED) c = 'l';
        if (x->op == PTX_OP_ST) c = 's';
        if (x->op == PTX_OP_ATOM) c = 'a';
        if (x->op == PTX_OP_FMUL) c = 'm';
        if (x->op == PTX_OP_BAR_SYNC) c = 'b';
        if (ptx_is(x->op, PTX_KIND_END)) c = 'r';
        if (c) out[length++] = x->guarded ? (char)(c - 'a' + 'A') : c;
    }
    out[length] = 0;
    ptx_module_free(module);
    return out;
}

#define LOAD "ld.shared.f32 %f0, [s];\n"
#define STORE(guard, reg) "@" guard " st.global.f32 [%rd2], " reg ";\n"

static void other_lanes_return_before_the_last_store(void **state) {
    (void)state;
    assert_string_equal(order(LOAD STORE("%p0", "%f0")), "lRSr");
    assert_string_equal(order(LOAD STORE("!%p0", "%f0")), "lRSr");
    assert_string_equal(order(LOAD "@%p0 atom.global.add.f32 %f1, [%rd2], %f0;\n"), "lRAr");
}

static void earlier_stores_stay_before_the_return(void **state) {
    (void)state;
    assert_string_equal(order(STORE("%p0", "%f0") "mul.f32 %f1, %f0, %f0;\n" STORE("%p0", "%f1")), "SmRSr");
    assert_string_equal(order(STORE("%p0", "%f0") STORE("%p0", "%f0")), "SRSr");
    assert_string_equal(order(STORE("!%p0", "%f0") STORE("%p0", "%f0")), "SRSr");
}

static void what_all_lanes_execute_stays_before_the_return(void **state) {
    (void)state;
    assert_string_equal(order(STORE("%p0", "%f0") "bar.sync 0;\n" STORE("%p0", "%f0")), "SbRSr");
    assert_string_equal(order(STORE("%p0", "%f0") "st.global.f32 [%rd2], %f0;\n"), "Ssr");
    assert_string_equal(order(STORE("%p0", "%f0") "setp.eq.u32 %p0, %r0, 1;\n" STORE("%p0", "%f0")), "SRSr");
}

static void results_are_the_same(void **state) {
    (void)state;
    uint32_t out[32] = {0};
    run_words(KERNEL_WITH(".shared .align 4 .b8 s[256];\n",
                          "mov.u32 %r9, 7;\nst.shared.u32 [s], %r9;\nbar.sync 0;\nld.shared.u32 %r8, [s];\n"
                          "setp.lt.u32 %p0, %r0, 5;\n@%p0 st.global.u32 [%rd2], %r8;\n"),
              1, 32, out);
    expect_words(out, 32, i < 5 ? 7 : 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_lanes_return_before_the_last_store),
        cmocka_unit_test(earlier_stores_stay_before_the_return),
        cmocka_unit_test(what_all_lanes_execute_stays_before_the_return),
        cmocka_unit_test(results_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
