/* Lowering of PTX to operations: slots, constants, joins, places of variables. */
#include "exec/operations.h"
#include "lower/lower.h"
#include "state/program.h"

#include "ptx/inline.h"
#include "lower/internal.h"
#include "machine/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define HEAD ".version 8.3\n.target sm_90\n.address_size 64\n"

static ptx_module *module;
static arena memory;
static jmp_buf out_of_memory;

static uint64_t address_of(void *context, const ptx_variable *v) {
    (void)context;
    return SIM_GLOBAL_BASE + v->index * 4096;
}

static haul_status try_lower(const char *ptx, sim_program **program) {
    ptx_function *flat;
    haul_status status = ptx_module_parse("test.ptx", ptx, strlen(ptx), &module);
    if (status == HAUL_OK) status = ptx_inline_calls(module, ptx_find_entry(module, "k"), &flat);
    const sim_operations operations = sim_operations_best();
    if (status == HAUL_OK) status = sim_lower(&operations, module, flat, &memory, address_of, NULL, program);
    return status;
}

static sim_program *lower(const char *ptx) {
    sim_program *p = NULL;
    if (try_lower(ptx, &p) != HAUL_OK) fail_msg("%s", haul_message());
    return p;
}

static int set_up(void **state) {
    (void)state;
    module = NULL;
    if (setjmp(out_of_memory)) return -1;
    arena_init(&memory, &out_of_memory);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    arena_free(&memory);
    if (module) ptx_module_free(module);
    return 0;
}

static const sim_op *op_of(const sim_program *p, uint32_t instruction, unsigned nth) {
    for (size_t i = 0; i < p->op_count; i++) {
        const bool between = p->ops[i].form == SIM_FORM_ENTER || p->ops[i].form == SIM_FORM_ENTER_JOIN ||
                             p->ops[i].form == SIM_FORM_YIELD || p->ops[i].form == SIM_FORM_COUNT;
        if (!between && p->ops[i].instruction == instruction && nth-- == 0) return &p->ops[i];
    }
    fail_msg("instruction %u has no operation", instruction);
    return NULL;
}

static void registers_that_are_not_needed_together_share_a_slot(void **state) {
    (void)state;
    const sim_program *p =
        lower(HEAD ".visible .entry k() { .reg .b32 %r<4>; .shared .u32 s;\n"
                   "mov.b32 %r0, 1; add.u32 %r1, %r0, 1; add.u32 %r2, %r1, 1; add.u32 %r3, %r2, %r1;\n"
                   "st.shared.u32 [s], %r3; ret; }\n");
    assert_int_equal(op_of(p, 2, 0)->d, op_of(p, 0, 0)->d);     /* r2 takes r0's slot */
    assert_int_not_equal(op_of(p, 1, 0)->d, op_of(p, 2, 0)->d); /* r1 is still live */
}

static void values_of_other_widths_never_share(void **state) {
    (void)state;
    const sim_program *p = lower(HEAD ".visible .entry k() { .reg .b32 %r<2>; .reg .b64 %rd<2>;\n"
                                      "mov.b32 %r0, 1; cvt.u64.u32 %rd0, %r0; cvt.u32.u64 %r1, %rd0; ret; }\n");
    const uint32_t r0 = op_of(p, 0, 0)->d, rd0 = op_of(p, 1, 0)->d;
    assert_true(rd0 >= r0 + 4 * SIM_LANES || r0 >= rd0 + 8 * SIM_LANES);
}

static void equal_constants_share_a_slot_and_zero_has_one_already(void **state) {
    (void)state;
    const sim_program *p = lower(HEAD ".visible .entry k() { .reg .b32 %r<4>; .reg .f32 %f<2>;\n"
                                      "add.u32 %r0, %r1, 77; xor.b32 %r2, %r1, 77; add.u32 %r3, %r1, 0;\n"
                                      "add.f32 %f0, %f1, 0f3F800000; ret; }\n");
    uint32_t lanes[SIM_LANES];
    assert_int_equal(op_of(p, 0, 0)->b, op_of(p, 1, 0)->b);
    assert_int_equal(op_of(p, 2, 0)->b, SIM_SLOT_ZERO);
    memcpy(lanes, p->template + op_of(p, 0, 0)->b, sizeof lanes);
    for (unsigned l = 0; l < SIM_LANES; l++) assert_int_equal(lanes[l], 77);
    memcpy(lanes, p->template + op_of(p, 3, 0)->b, sizeof lanes);
    assert_int_equal(lanes[31], 0x3f800000);
}

static void branches_know_where_their_lanes_meet(void **state) {
    (void)state;
    const sim_program *p =
        lower(HEAD ".visible .entry k() { .reg .pred %p; .reg .b32 %r<2>;\n"
                   "@%p bra A; mov.b32 %r0, 1; bra B; A: mov.b32 %r0, 2; B: mov.b32 %r1, 3; ret; }\n");
    const sim_op *branch = op_of(p, 0, 0);
    assert_int_equal(branch->flags & SIM_OP_BRANCHES, SIM_OP_BRANCHES);
    assert_true(p->ops[branch->y].form == SIM_FORM_ENTER_JOIN);
    assert_int_equal(branch->target, p->block_ops[2]);
    assert_int_equal(branch->x, p->block_ops[1]);
    assert_int_equal(branch->y, p->block_ops[3]);
}

static void a_guard_becomes_the_operations_guard(void **state) {
    (void)state;
    const sim_program *p = lower(HEAD ".visible .entry k() { .reg .pred %p; .reg .b32 %r<2>;\n"
                                      "setp.eq.u32 %p, %r1, 0; @!%p mov.b32 %r0, 1; mov.b32 %r0, 2; ret; }\n");
    const sim_op *guarded = op_of(p, 1, 0);
    assert_int_equal(guarded->guard, op_of(p, 0, 0)->d);
    assert_int_equal(guarded->guard_flip, SIM_ALL_LANES);
    assert_int_equal(op_of(p, 2, 0)->guard, SIM_SLOT_TRUE);
}

static void variables_have_their_places(void **state) {
    (void)state;
    const sim_program *p =
        lower(HEAD ".shared .align 4 .b8 unused[100];\n.shared .b8 one;\n"
                   ".extern .shared .align 64 .b8 dynamic[];\n"
                   ".visible .entry k(.param .u32 a, .param .align 16 .b8 b[24], .param .u8 c) {\n"
                   ".shared .align 8 .b64 two[2]; .local .b8 three[5]; .local .align 16 .b64 four;\n"
                   ".reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
                   "mov.u32 %r0, one; mov.u32 %r1, two; mov.u32 %r2, dynamic; mov.u64 %rd0, four;\n"
                   "st.shared.u32 [%r0], %r1; st.shared.u32 [%r2], %r1; st.local.u64 [%rd0], 1; ret; }\n");
    assert_int_equal(p->shared_bytes, 16 + 1); /* two, then one: the module's follow; `unused` is never named */
    assert_int_equal(p->dynamic_shared_at, SIM_SHARED_START + 64);
    assert_int_equal(p->param_bytes, 41);
    assert_int_equal(p->local_bytes, 24);
    assert_int_equal(p->frame_bytes, 32);
    uint32_t address;
    memcpy(&address, p->template + op_of(p, 1, 0)->a, 4);
    assert_int_equal(address, SIM_SHARED_START);
}

static uint64_t dynamic_memory_of(const char *arrays) {
    char ptx[600];
    snprintf(ptx, sizeof ptx,
             HEAD "%s.visible .entry k() { .shared .align 8 .b64 five[5]; .reg .b32 %%r<2>;\n"
                  "mov.u32 %%r0, own; st.shared.u32 [%%r0], 1; ret; }\n",
             arrays);
    const uint64_t at = lower(ptx)->dynamic_shared_at - SIM_SHARED_START;
    ptx_module_free(module);
    module = NULL;
    return at;
}

#define OWN_ARRAY ".extern .shared .align 16 .b8 own[];\n"
#define OTHER_ARRAY ".extern .shared .align 1024 .b8 other[];\n"

static void arrays_declared_before_a_kernel_s_align_its_dynamic_memory_though_it_does_not_name_them(void **state) {
    (void)state;
    assert_int_equal(dynamic_memory_of(OWN_ARRAY), 48);
    assert_int_equal(dynamic_memory_of(OTHER_ARRAY OWN_ARRAY), 1024);
    assert_int_equal(dynamic_memory_of(OWN_ARRAY OTHER_ARRAY), 48);
}

static void what_cannot_be_run_is_told_with_its_place(void **state) {
    (void)state;
    sim_program *p;
    const char *ptx = HEAD ".extern .func f();\n.visible .entry k() {\ncall f;\nret; }\n";
    assert_int_equal(try_lower(ptx, &p), HAUL_ERROR_UNSUPPORTED);
    assert_non_null(strstr(haul_message(), "test.ptx:6:1: 'call"));
}

static void a_function_without_instructions_ends_at_once(void **state) {
    (void)state;
    const sim_program *p = lower(HEAD ".visible .entry k() { }\n");
    assert_int_equal(p->op_count, 1);
    assert_true(p->ops[0].form == SIM_FORM_END);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(registers_that_are_not_needed_together_share_a_slot),
        TEST(values_of_other_widths_never_share),
        TEST(equal_constants_share_a_slot_and_zero_has_one_already),
        TEST(branches_know_where_their_lanes_meet),
        TEST(a_guard_becomes_the_operations_guard),
        TEST(variables_have_their_places),
        TEST(arrays_declared_before_a_kernel_s_align_its_dynamic_memory_though_it_does_not_name_them),
        TEST(what_cannot_be_run_is_told_with_its_place),
        TEST(a_function_without_instructions_ends_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
