#include "ptx_test.h"

#define NOT_A_PLACE 0xffffffffu

static const ptx_operand *operand(const ptx_module *module, size_t instruction, size_t number) {
    return &kernel_of(module)->instructions[instruction].operands[number];
}

static uint32_t target_of(const ptx_module *module, size_t instruction) {
    const ptx_function *k = kernel_of(module);
    const ptx_instruction *i = &k->instructions[instruction];
    return i->op == PTX_OP_BRA ? k->labels[i->operands[0].label].target : NOT_A_PLACE;
}

static void finds_registers_beyond_an_inner_range_in_the_outer_one(void **state) {
    (void)state;
    ptx_module *module =
        parse(HEADER ".entry k() { .reg .b32 %r<4>; { .reg .b64 %r<2>; mov.b64 %r1, 1; mov.b32 %r3, 1; } }");
    assert_int_equal(module->functions[0]->register_count, 2);
    ptx_module_free(module);
}

static void makes_registers_of_a_range_when_they_are_named(void **state) {
    (void)state;
    ptx_module *module =
        parse(HEADER ".entry k() { .reg .b32 %r<1000000>; .reg .u32 single; add.u32 %r7, %r999999, %r07; }");
    const ptx_function *k = kernel_of(module);
    assert_int_equal(k->register_count, 3);
    assert_string_equal(k->registers[0].name, "single");
    assert_string_equal(k->registers[1].name, "%r7");
    assert_int_equal(operand(module, 0, 0)->reg, operand(module, 0, 2)->reg);
    ptx_module_free(module);
}

static void keeps_scopes_apart(void **state) {
    (void)state;
    ptx_module *module = parse(KERNEL("{ .reg .b32 t; mov.u32 t, 1; L: bra L; }\n"
                                      "{ .reg .b32 t; mov.u32 t, 2; L: bra L; }\n"
                                      "{ .reg .b32 %r1; mov.u32 %r1, 3; { mov.u32 %r1, 4; } }\nmov.u32 %r1, 5;"));
    const ptx_function *k = kernel_of(module);
    assert_true(operand(module, 0, 0)->reg != operand(module, 2, 0)->reg);
    assert_int_equal(target_of(module, 1), 1);
    assert_int_equal(target_of(module, 3), 3);
    assert_int_equal(operand(module, 4, 0)->reg, operand(module, 5, 0)->reg);
    assert_true(operand(module, 5, 0)->reg != operand(module, 6, 0)->reg);
    assert_string_equal(k->registers[operand(module, 0, 0)->reg].name, "t");
    assert_string_equal(k->registers[operand(module, 2, 0)->reg].name, "t$1");
    assert_string_equal(k->registers[operand(module, 4, 0)->reg].name, "%r1$1");
    assert_string_equal(k->registers[operand(module, 6, 0)->reg].name, "%r1");
    ptx_module_free(module);
}

static void finds_labels_inside_before_outside(void **state) {
    (void)state;
    ptx_module *module = parse(KERNEL("W: bra W;\n{ bra W; bra out; W: }\nout: bra W;"));
    assert_int_equal(target_of(module, 0), 0);
    assert_int_equal(target_of(module, 1), 3); /* the inner W, which is declared later */
    assert_int_equal(target_of(module, 2), 3);
    assert_int_equal(target_of(module, 3), 0);
    ptx_module_free(module);
}

static void reads_guards(void **state) {
    (void)state;
    assert_prints("@%p1 add.s32 %r1, %r2, %r3;", "@%p1 add.s32 %r1, %r2, %r3;");
    assert_prints("@!%p1 ret;", "@!%p1 ret;");
}

static void reads_addresses(void **state) {
    (void)state;
    assert_prints("ld.global.u32 %r1, [%d1];", "ld.global.u32 %r1, [%d1];");
    assert_prints("ld.global.u32 %r1, [%d1+-4];", "ld.global.u32 %r1, [%d1+-4];");
    assert_prints("ld.global.u32 %r1, [ %d1 + - 4 ];", "ld.global.u32 %r1, [%d1+-4];");
    assert_prints("ld.global.u32 %r1, [%d1+4*2];", "ld.global.u32 %r1, [%d1+8];");
    assert_prints("ld.shared.u32 %r1, [tile+16];", "ld.shared.u32 %r1, [tile+16];");
    assert_prints("ld.param.u64 %d1, [p+0];", "ld.param.u64 %d1, [p];");
    assert_prints("ld.local.u32 %r1, [16];", "ld.local.u32 %r1, [16];");
    assert_prints("mov.u32 %r1, tile+8;", "mov.u32 %r1, tile+8;");
    assert_prints("mov.u64 %d1, k;", "mov.u64 %d1, k;");
}

static void reads_addresses_of_elements(void **state) {
    (void)state;
    ptx_module *module = parse(KERNEL(".shared .u32 a[8]; .shared .v2 .u16 b[4][3];\nmov.u32 %r1, a[5];\n"
                                      "mov.u32 %r1, a[5] + 2;\nmov.u32 %r1, b[1][2];\nmov.u32 %r1, b[1];"));
    assert_int_equal(operand(module, 0, 1)->offset, 20);
    assert_int_equal(operand(module, 1, 1)->offset, 22);
    assert_int_equal(operand(module, 2, 1)->offset, 20);
    assert_int_equal(operand(module, 3, 1)->offset, 12);
    ptx_module_free(module);
}

static void reads_vectors_pairs_and_sinks(void **state) {
    (void)state;
    assert_prints("ld.global.v4.f32 {%f1, %f2, _, %f4}, [%d1];", "ld.global.v4.f32 {%f1, %f2, _, %f4}, [%d1];");
    assert_prints("st.global.v2.u32 [%d1], {%r1, 7};", "st.global.v2.u32 [%d1], {%r1, 7};");
    assert_prints("mov.b64 {%r1, %r2}, %d1;", "mov.b64 {%r1, %r2}, %d1;");
    assert_prints("mov.b32 %r1, {%h1, %h2};", "mov.b32 %r1, {%h1, %h2};");
    assert_prints("setp.lt.s32 %p1|%p2, %r1, -1;", "setp.lt.s32 %p1|%p2, %r1, -1;");
    assert_prints("shfl.sync.down.b32 %r1|%p1, %r2, 16, 31, -1;", "shfl.sync.down.b32 %r1|%p1, %r2, 16, 31, -1;");
    assert_prints("elect.sync _|%p1, %r1;", "elect.sync _|%p1, %r1;");
    assert_prints("atom.global.add.u32 _, [%d1], 1;", "atom.global.add.u32 _, [%d1], 1;");
}

static void turns_vector_registers_into_plain_ones(void **state) {
    (void)state;
    assert_prints(".reg .v2 .f32 v; ld.global.v2.f32 v, [%d1];", "ld.global.v2.f32 {v$0, v$1}, [%d1];");
    assert_prints(".reg .v4 .f32 v; mov.f32 %f1, v.z;", "mov.f32 %f1, v$2;");
    assert_prints(".reg .v2 .f32 v; mov.f32 v.g, %f1;", "mov.f32 v$1, %f1;");
    assert_prints(".reg .v2 .f32 v<3>; mov.f32 v2.y, %f1;", "mov.f32 v2$1, %f1;");
}

static void adds_in_front_of_an_instruction_with_a_sum(void **state) {
    (void)state;
    ptx_module *module = parse(KERNEL("st.global.u64 [%d1], %d2+-1;"));
    const ptx_function *k = kernel_of(module);
    assert_int_equal(k->instructions[0].op, PTX_OP_ADD);
    assert_int_equal(k->instructions[0].operands[2].bits, (uint64_t)-1);
    assert_int_equal(k->instructions[1].op, PTX_OP_ST);
    assert_int_equal(k->instructions[1].operands[1].reg, k->instructions[0].operands[0].reg);
    ptx_module_free(module);
}

static void gives_immediates_the_instructions_width(void **state) {
    (void)state;
    assert_prints("add.f32 %f1, %f2, 1.0;", "add.f32 %f1, %f2, 0f3F800000;");
    assert_prints("add.f64 %g1, %g2, 0f3F800000;", "add.f64 %g1, %g2, 0d3FF0000000000000;");
    assert_prints("mov.b32 %r1, 0f3F800000;", "mov.b32 %r1, 0f3F800000;");
    assert_prints("mov.u32 %r1, (1 + 2) << 2;", "mov.u32 %r1, 12;");
    assert_prints("mov.u32 %r1, WARP_SZ;", "mov.u32 %r1, 32;");
    assert_prints("mov.pred %p1, !0;", "mov.pred %p1, 1;");
}

static void puts_optional_operands_into_their_places(void **state) {
    (void)state;
    ptx_module *module = parse(KERNEL("bar.red.popc.u32 %r1, 0, %p1;\nbar.red.popc.u32 %r1, 0, 64, !%p1;\n"
                                      "cp.async.ca.shared.global.L2::cache_hint [%r1], [%d1], 4, %d2;\n"
                                      "cp.async.ca.shared.global [%r1], [%d1], 4, %r2;\nbar.sync 1;"));
    const ptx_function *k = kernel_of(module);
    assert_int_equal(operand(module, 0, 2)->kind, PTX_ABSENT);
    assert_int_equal(operand(module, 0, 3)->kind, PTX_REGISTER);
    assert_int_equal(operand(module, 1, 2)->kind, PTX_INTEGER);
    assert_true(operand(module, 1, 3)->negated);
    assert_int_equal(k->instructions[2].operand_count, 5);
    assert_int_equal(operand(module, 2, 3)->kind, PTX_ABSENT);
    assert_int_equal(operand(module, 2, 4)->kind, PTX_REGISTER);
    assert_int_equal(k->instructions[3].operand_count, 4);
    assert_int_equal(k->instructions[4].operand_count, 1);
    ptx_module_free(module);
}

static void reads_statements_however_they_are_laid_out(void **state) {
    (void)state;
    assert_prints("ld .global\n  .v2 .u32 {%r1,\n%r2} , [ %d1 ] ; ret; ret;", "ld.global.v2.u32 {%r1, %r2}, [%d1];");
    assert_prints("/* a */ exit // b\n;", "exit;");
}

static void reads_calls_of_all_forms(void **state) {
    (void)state;
    ptx_module *module =
        parse(HEADER ".extern .func (.param .b32 r) f(.param .b32 a);\n.extern .func g();\n"
                     ".entry k() { .reg .b64 %d1; .param .b32 x; .param .b32 y; .reg .b32 %r1;\n"
                     "P: .callprototype (.param .b32 _) _ (.param .b32 _);\nQ: .calltargets f;\n"
                     "call g;\ncall.uni (x), f, (y);\ncall (x), %d1, (y), P;\ncall (%r1), %d1, (3), Q;\n}\n");
    const ptx_function *k = kernel_of(module);
    assert_int_equal(k->instruction_count, 4);
    assert_int_equal(operand(module, 0, 0)->part_count, 0);
    assert_int_equal(operand(module, 0, 1)->kind, PTX_FUNCTION_ADDRESS);
    assert_int_equal(operand(module, 1, 0)->parts[0].kind, PTX_VARIABLE_ADDRESS);
    assert_int_equal(operand(module, 1, 2)->part_count, 1);
    assert_int_equal(operand(module, 2, 1)->kind, PTX_REGISTER);
    assert_non_null(k->labels[operand(module, 2, 3)->label].prototype);
    assert_ptr_equal(k->labels[operand(module, 3, 3)->label].call_targets[0], module->functions[0]);
    ptx_module_free(module);
}

static void reads_branch_tables(void **state) {
    (void)state;
    ptx_module *module = parse(KERNEL("T: .branchtargets A, B, A;\nbrx.idx %r1, T;\nA: ret;\nB: ret;"));
    const ptx_function *k = kernel_of(module);
    const ptx_label *table = &k->labels[operand(module, 0, 1)->label];
    assert_int_equal(table->branch_target_count, 3);
    assert_int_equal(k->labels[table->branch_targets[1]].target, 2);
    assert_int_equal(table->branch_targets[0], table->branch_targets[2]);
    ptx_module_free(module);
}

static void chains_places_of_inlined_code(void **state) {
    (void)state;
    ptx_module *module = parse(KERNEL("ret;\n.loc 1 10 3\nret;\n.loc 2 5 1, function_name $n, inlined_at 1 10 3\nret;\n"
                                      ".loc 3 7 2, function_name $m+4, inlined_at 2 5 1\nret;\n.loc 1 10 3\nret;\n"));
    const ptx_function *k = kernel_of(module);
    const ptx_place *inner = &module->places[k->instructions[3].place - 1];
    assert_int_equal(k->instructions[0].place, 0);
    assert_int_equal(inner->file, 3);
    assert_int_equal(inner->line, 7);
    assert_int_equal(inner->inlined_at, k->instructions[2].place);
    assert_int_equal(module->places[inner->inlined_at - 1].inlined_at, k->instructions[1].place);
    assert_int_equal(k->instructions[4].place, k->instructions[1].place);
    assert_int_equal(module->place_count, 3);
    ptx_module_free(module);
}

static void starts_each_function_without_a_place(void **state) {
    (void)state;
    ptx_module *module = parse(HEADER ".func f() { .loc 1 2 3\nret; }\n.entry k() { ret; }\n");
    assert_int_equal(kernel_of(module)->instructions[0].place, 0);
    ptx_module_free(module);
}

static void keeps_positions(void **state) {
    (void)state;
    ptx_module *module = parse(KERNEL("ret;\n  @%p1 add.s32 %r1,\n\t%r2, %r3;"));
    const ptx_instruction *add = &kernel_of(module)->instructions[1];
    assert_int_equal(add->position.line, 5);
    assert_int_equal(add->position.column, 8);
    assert_int_equal(add->operands[1].position.line, 6);
    assert_int_equal(add->operands[1].position.column, 2);
    ptx_module_free(module);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_registers_of_a_range_when_they_are_named),
        cmocka_unit_test(finds_registers_beyond_an_inner_range_in_the_outer_one),
        cmocka_unit_test(keeps_scopes_apart),
        cmocka_unit_test(finds_labels_inside_before_outside),
        cmocka_unit_test(reads_guards),
        cmocka_unit_test(reads_addresses),
        cmocka_unit_test(reads_addresses_of_elements),
        cmocka_unit_test(reads_vectors_pairs_and_sinks),
        cmocka_unit_test(turns_vector_registers_into_plain_ones),
        cmocka_unit_test(adds_in_front_of_an_instruction_with_a_sum),
        cmocka_unit_test(gives_immediates_the_instructions_width),
        cmocka_unit_test(puts_optional_operands_into_their_places),
        cmocka_unit_test(reads_statements_however_they_are_laid_out),
        cmocka_unit_test(reads_calls_of_all_forms),
        cmocka_unit_test(reads_branch_tables),
        cmocka_unit_test(chains_places_of_inlined_code),
        cmocka_unit_test(starts_each_function_without_a_place),
        cmocka_unit_test(keeps_positions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
