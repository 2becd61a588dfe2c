/* Instructions that PTX has before a branch and machine code after it. Each case was read off ptxas 13.0's machine
 * code for sm_90 (docs/memory-model.md). */
#include "kernel.h"

#include "ptx/inline.h"
#include "assembler/sink.h"

/* %r10 is shared memory at tid * 4; %p0 and %p1 differ by lane; %f14 is needed to the end. */
#define SETUP                                                                                    \
    "mov.u32 %r9, s;\nshl.b32 %r8, %r0, 2;\nadd.u32 %r10, %r9, %r8;\nsetp.gt.u32 %p0, %r0, 5;\n" \
    "setp.gt.u32 %p1, %r0, 7;\nld.shared.f32 %f14, [%r10+2048];\n"                               \
    "st.shared.f32 [%r10+1024], %f14;\n" /* later instructions stay behind it */
#define STORES(reg) \
    STORE(reg, 0)   \
    STORE(reg, 4)   \
    STORE(reg, 8) STORE(reg, 12) STORE(reg, 16) STORE(reg, 20) STORE(reg, 24) STORE(reg, 28) STORE(reg, 32)
#define STORE(reg, at) "st.global.f32 [%rd2+" #at "], " reg ";\n"
#define LAST "bar.sync 0;\nst.global.f32 [%rd2+64], %f14;\n"

/* Returns the loads, additions, branches and stores after SETUP, one letter each, in order; `s` is a run of stores to
 * global memory. */
static const char *order(const char *body) {
    static char out[200];
    static char ptx[10000];
    ptx_module *module;
    ptx_function *flat, *sunk;
    size_t length = 0;
    bool begun = false;
    snprintf(ptx, sizeof ptx, "%s%s%s%s%s%s", HEAD, ".shared .align 4 .b8 s[8192];\n", BEGIN, SETUP, body, LAST END);
    if (ptx_module_parse("test.ptx", ptx, strlen(ptx), &module) != HAUL_OK) return haul_message();
    assert_int_equal(ptx_inline_calls(module, ptx_find_entry(module, "k"), &flat), HAUL_OK);
    assert_int_equal(sim_run_pass(sim_sink, module, flat, &sunk), HAUL_OK);
    for (size_t i = 0; i < sunk->instruction_count; i++) {
        const ptx_instruction *x = &sunk->instructions[i];
        const bool shared = x->mods[PTX_SLOT_SPACE] == PTX_MOD_SHARED;
        char c = 0;
        if (x->op == PTX_OP_LD) c = shared ? 'l' : 'g';
        if (x->op == PTX_OP_ST) c = shared ? 'S' : 's';
        if (x->op == PTX_OP_BRA) c = 'b';
        if (x->type == PTX_F32 && strcmp(ptx_ops[x->op].mnemonic, "add") == 0) c = '+';
        if (x->op == PTX_OP_BAR_SYNC) c = '|';
        if (begun && c && !(c == 's' && length && out[length - 1] == 's')) out[length++] = c;
        begun |= c == 'S';
    }
    out[length] = 0;
    ptx_module_free(module);
    return out;
}

static void a_load_that_one_way_needs_is_made_there(void **state) {
    (void)state;
    assert_string_equal(order("ld.shared.f32 %f0, [%r10];\n@%p0 bra L;\n" STORES("%f0") "L:\n"), "bls|s");
    assert_string_equal(order("ld.global.f32 %f0, [%rd2+96];\n@%p0 bra L;\n" STORES("%f0") "L:\n"), "bgs|s");
}

static void a_load_that_both_ways_need_stays(void **state) {
    (void)state;
    assert_string_equal(order("ld.shared.f32 %f0, [%r10];\n@%p0 bra L;\n" STORES("%f1") "L:\n" STORE("%f0", 80)),
                        "lbs|s");
}

static void a_short_way_is_predicated_and_nothing_moves(void **state) {
    (void)state;
    assert_string_equal(order("ld.shared.f32 %f0, [%r10];\n@%p0 bra L;\n" STORE("%f0", 0) "L:\n"), "lbs|s");
}

static void nothing_moves_across_a_store_or_a_barrier(void **state) {
    (void)state;
    assert_string_equal(
        order("ld.shared.f32 %f0, [%r10];\nst.shared.f32 [%r10+512], %f14;\n@%p0 bra L;\n" STORES("%f0") "L:\n"),
        "lSbs|s");
    assert_string_equal(
        order("ld.shared.f32 %f0, [%r10];\nst.global.f32 [%rd2+96], %f14;\n@%p0 bra L;\n" STORES("%f0") "L:\n"),
        "sbls|s");
    assert_string_equal(order("ld.shared.f32 %f0, [%r10];\nbar.sync 0;\n@%p0 bra L;\n" STORES("%f0") "L:\n"), "l|bs|s");
    assert_string_equal(order("ld.volatile.shared.f32 %f0, [%r10];\n@%p0 bra L;\n" STORES("%f0") "L:\n"), "lbs|s");
}

static void what_is_computed_moves_if_no_more_registers_are_live(void **state) {
    (void)state;
    assert_string_equal(
        order("ld.shared.f32 %f0, [%r10];\nadd.f32 %f1, %f0, %f14;\n@%p0 bra L;\n" STORES("%f1") "L:\n"), "bl+s|s");
    assert_string_equal(order("ld.shared.f32 %f0, [%r10];\nadd.f32 %f1, %f0, %f0;\n@%p0 bra L;\n" STORES("%f1") "L:\n"),
                        "l+bs|s");
}

#define FOUR                                                                                             \
    "ld.shared.f32 %f0, [%r10];\nld.shared.f32 %f1, [%r10+256];\nadd.f32 %f2, %f0, %f14;\nadd.f32 %f3, " \
    "%f2, %f1;\n"
#define TEST "setp.gt.u32 %p2, %r0, 9;\n"

static void four_instructions_before_the_branch_move_together(void **state) {
    (void)state;
    assert_string_equal(order(FOUR "@%p0 bra L;\n" STORES("%f3") "L:\n"), "bll++s|s");
    assert_string_equal(order(FOUR TEST "@%p2 bra L;\n" STORES("%f3") "L:\n"), "ll++bs|s");
}

static void a_load_goes_on_to_the_innermost_way(void **state) {
    (void)state;
    assert_string_equal(
        order("ld.shared.f32 %f0, [%r10];\n@%p0 bra L;\n" STORE("%f1", 80) "@%p1 bra L;\n" STORES("%f0") "L:\n"),
        "bsbls|s");
}

static void loads_move_past_what_does_not_touch_memory(void **state) {
    (void)state;
#define ACROSS(between) order("ld.shared.f32 %f0, [%r10];\n" between "@%p0 bra L;\n" STORES("%f0") "L:\n")
    assert_string_equal(ACROSS("shfl.sync.bfly.b32 %r20, %r0, 1, 31, -1;\n"), "bls|s");
    assert_string_equal(ACROSS("elect.sync %r20|%p5, -1;\n"), "bls|s");
    assert_string_equal(ACROSS("prefetch.global.L1 [%rd1];\n"), "bls|s");
    assert_string_equal(ACROSS("ldu.global.u32 %r20, [%rd1];\n"), "bls|s");
    assert_string_equal(ACROSS("createpolicy.fractional.L2::evict_last.b64 %rd9, 0.5;\n"), "bls|s");
    assert_string_equal(ACROSS("cp.async.bulk.commit_group;\n"), "bls|s");
    assert_string_equal(ACROSS("prefetch.L1 [%rd1];\n"), "lbs|s");
    assert_string_equal(ACROSS("bar.warp.sync -1;\n"), "lbs|s");
#undef ACROSS
}

#define THREE_STORES OUT("%r9") OUT("%r9") OUT("%r9")
#define NINE_STORES THREE_STORES THREE_STORES THREE_STORES

/* An alloca behind the saving of the stack pointer would else not be given back. */
static void the_stack_pointer_is_read_where_ptx_reads_it(void **state) {
    (void)state;
    uint32_t out[32] = {0};
    run_words(KERNEL(".reg .b64 saved, p, q;\nsetp.ge.u32 %p1, %r0, 16;\nstacksave.u64 saved;\nalloca.u64 p, 64;\n"
                     "st.local.b32 [p], %r0;\n@%p1 bra L;\nstackrestore.u64 saved;\nalloca.u64 q, 64;\n"
                     "setp.eq.u64 %p3, p, q;\nselp.b32 %r9, 1, 0, %p3;\n" NINE_STORES "L:\n"),
              1, 32, out);
    expect_words(out, 32, i < 16);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_that_one_way_needs_is_made_there),
        cmocka_unit_test(a_load_that_both_ways_need_stays),
        cmocka_unit_test(a_short_way_is_predicated_and_nothing_moves),
        cmocka_unit_test(nothing_moves_across_a_store_or_a_barrier),
        cmocka_unit_test(what_is_computed_moves_if_no_more_registers_are_live),
        cmocka_unit_test(four_instructions_before_the_branch_move_together),
        cmocka_unit_test(a_load_goes_on_to_the_innermost_way),
        cmocka_unit_test(loads_move_past_what_does_not_touch_memory),
        cmocka_unit_test(the_stack_pointer_is_read_where_ptx_reads_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
