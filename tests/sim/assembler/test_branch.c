/* Guarded stores and atomics that machine code branches around, so that loads move behind the branch. Each case was
 * read off ptxas 13.0's machine code for sm_90 (docs/memory-model.md). */
#include "kernel.h"

#include "ptx/inline.h"
#include "assembler/branch.h"
#include "assembler/sink.h"

/* Returns the loads from shared memory, branches, stores and atomics, one letter each; a capital has a guard. */
static const char *order(const char *body) {
    static char out[200];
    static char ptx[4000];
    ptx_module *module;
    ptx_function *flat, *made;
    size_t length = 0;
    snprintf(ptx, sizeof ptx, "%s%s%s%s%s%s", HEAD, ".shared .align 4 .b8 s[256];\n", BEGIN, body,
             "bar.sync 0;\nst.global.f32 [%rd2], %f9;\n", END);
    if (ptx_module_parse("test.ptx", ptx, strlen(ptx), &module) != HAUL_OK) return haul_message();
    assert_int_equal(ptx_inline_calls(module, ptx_find_entry(module, "k"), &flat), HAUL_OK);
    assert_int_equal(sim_run_pass(sim_branch_around, module, flat, &made), HAUL_OK);
    assert_int_equal(sim_run_pass(sim_sink, module, made, &made), HAUL_OK);
    for (size_t i = 0; i < made->instruction_count && made->instructions[i].op != PTX_OP_BAR_SYNC; i++) {
        const ptx_instruction *x = &made->instructions[i];
        char c = 0;
        if (x->op == PTX_OP_LD && x->mods[PTX_SLOT_SPACE] == PTX_MOD_SHARED) c = 'l';
        if (x->op == PTX_OP_ST) c = 's';
        if (x->op == PTX_OP_RED) c = 'a';
        if (x->op == PTX_OP_BRA) c = 'b';
        if (c) out[length++] = x->guarded ? (char)(c - 'a' + 'A') : c;
    }
    out[length] = 0;
    ptx_module_free(module);
    return out;
}

#define LOAD(n) "ld.shared.f32 %f" #n ", [s+4*" #n "];\n"
#define STORE(guard, n) "@" guard " st.global.f32 [%rd2+4*" #n "], %f" #n ";\n"
#define ADD(guard, n) "@" guard " red.global.add.f32 [%rd2+4*" #n "], %f" #n ";\n"

static void an_atomic_is_branched_around(void **state) {
    (void)state;
    assert_string_equal(order(LOAD(0) ADD("%p0", 0)), "Bla");
    assert_string_equal(order(LOAD(0) ADD("!%p0", 0)), "Bla");
    assert_string_equal(order(LOAD(0) LOAD(1) ADD("%p0", 0) ADD("%p1", 1)), "lBlaBa");
}

static void a_single_store_is_predicated(void **state) {
    (void)state;
    assert_string_equal(order(LOAD(0) STORE("%p0", 0)), "lS");
    assert_string_equal(order(LOAD(0) LOAD(1) STORE("%p0", 0) STORE("%p1", 1)), "llSS");
    assert_string_equal(order(LOAD(0) STORE("%p0", 0) LOAD(1) STORE("%p0", 1)), "lSlS");
}

static void two_with_one_guard_share_a_branch(void **state) {
    (void)state;
    assert_string_equal(order(LOAD(0) LOAD(1) STORE("%p0", 0) STORE("%p0", 1)), "Bllss");
    assert_string_equal(order(LOAD(0) LOAD(1) STORE("%p0", 0) ADD("%p0", 1)), "Bllsa");
    assert_string_equal(order(LOAD(0) LOAD(1) ADD("%p0", 0) ADD("%p0", 1)), "Bllaa");
}

static void of_three_stores_the_last_two_share_it(void **state) {
    (void)state;
    assert_string_equal(order(LOAD(0) LOAD(1) LOAD(2) STORE("%p0", 0) STORE("%p0", 1) STORE("%p0", 2)), "lSBllss");
    assert_string_equal(order(LOAD(0) LOAD(1) LOAD(2) ADD("%p0", 0) ADD("%p0", 1) ADD("%p0", 2)), "lBllaaBa");
}

static void of_more_the_first_two_share_it(void **state) {
    (void)state;
    assert_string_equal(
        order(LOAD(0) LOAD(1) LOAD(2) LOAD(3) STORE("%p0", 0) STORE("%p0", 1) STORE("%p0", 2) STORE("%p0", 3)),
        "llBllssSS");
}

static void results_are_the_same(void **state) {
    (void)state;
    uint32_t out[32] = {0};
    run_words(KERNEL_WITH(".shared .align 4 .b8 s[256];\n",
                          "mov.u32 %r9, 7;\nst.shared.u32 [s], %r9;\nbar.sync 0;\nld.shared.u32 %r8, [s];\n"
                          "setp.lt.u32 %p0, %r0, 5;\n@%p0 red.global.add.u32 [%rd2], %r8;\n"
                          "@%p0 red.global.add.u32 [%rd2], %r8;\nbar.sync 0;\n"),
              1, 32, out);
    expect_words(out, 32, i < 5 ? 14 : 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_atomic_is_branched_around),      cmocka_unit_test(a_single_store_is_predicated),
        cmocka_unit_test(two_with_one_guard_share_a_branch), cmocka_unit_test(of_three_stores_the_last_two_share_it),
        cmocka_unit_test(of_more_the_first_two_share_it),    cmocka_unit_test(results_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
