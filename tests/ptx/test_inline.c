#include "ptx_test.h"

/* Prints the flat form of the module's kernel, verified, without its header and declarations. */
static void assert_flat(const char *source, const char *expected) {
    ptx_module *module = parse(source);
    ptx_function *flat;
    text out = {0};
    if (ptx_inline_calls(module, kernel_of(module), &flat) != HAUL_OK) fail_msg("%s", haul_message());
    assert_int_equal(ptx_verify(module, flat), HAUL_OK);
    for (size_t i = 0, label = 0; i <= flat->instruction_count; i++) {
        for (; label < flat->label_count && flat->labels[label].target == i; label++)
            text_printf(&out, "%s: ", flat->labels[label].name);
        if (i < flat->instruction_count) ptx_print_instruction(module, flat, &flat->instructions[i], &out);
        if (i < flat->instruction_count) text_put(&out, "\n");
    }
    assert_string_equal(text_string(&out), expected);
    text_free(&out);
    ptx_module_free(module);
}

#define REFUSED(source, status, message)                                                 \
    do {                                                                                 \
        ptx_module *module_ = parse(source);                                             \
        ptx_function *flat_;                                                             \
        assert_int_equal(ptx_inline_calls(module_, kernel_of(module_), &flat_), status); \
        assert_string_equal(haul_message(), message);                                    \
        ptx_module_free(module_);                                                        \
    } while (0)

static void leaves_a_kernel_without_calls_alone(void **state) {
    (void)state;
    ptx_module *module = parse(HEADER ".extern .func vprintf();\n.entry k() { call vprintf; ret; }");
    ptx_function *flat;
    assert_int_equal(ptx_inline_calls(module, kernel_of(module), &flat), HAUL_OK);
    assert_ptr_equal(flat, kernel_of(module));
    ptx_module_free(module);
}

static void passes_param_variables_by_name(void **state) {
    (void)state;
    assert_flat(HEADER ".func (.param .b32 r) half(.param .b32 x) { .reg .u32 %v; ld.param.u32 %v, [x];\n"
                       "shr.u32 %v, %v, 1; st.param.u32 [r], %v; ret; }\n"
                       ".entry k() { .reg .u32 %v; { .param .b32 in; .param .b32 out; st.param.u32 [in], %v;\n"
                       "call (out), half, (in); ld.param.u32 %v, [out]; } ret; }",
                "st.param.u32 [in], %v;\n"
                "ld.param.u32 %v$i1, [in];\n"
                "shr.u32 %v$i1, %v$i1, 1;\n"
                "st.param.u32 [out], %v$i1;\n"
                "$L__return$1: ld.param.u32 %v, [out];\n"
                "ret;\n");
}

static void moves_register_parameters(void **state) {
    (void)state;
    assert_flat(HEADER ".func (.reg .u32 r) next(.reg .u32 x) { add.u32 r, x, 1; ret; }\n"
                       ".entry k() { .reg .u32 a; call (a), next, (7); ret; }",
                "mov.b32 x$i1, 7;\n"
                "add.u32 r$i1, x$i1, 1;\n"
                "$L__return$1: mov.b32 a, r$i1;\n"
                "ret;\n");
}

static void stores_registers_into_param_formals(void **state) {
    (void)state;
    assert_flat(HEADER ".func (.param .b32 r) same(.param .b32 x) { .reg .u32 v; ld.param.u32 v, [x];\n"
                       "st.param.u32 [r], v; ret; }\n.entry k() { .reg .u32 a; call (a), same, (a); ret; }",
                "st.param.b32 [x$i1], a;\n"
                "ld.param.u32 v$i1, [x$i1];\n"
                "st.param.u32 [r$i1], v$i1;\n"
                "$L__return$1: ld.param.b32 a, [r$i1];\n"
                "ret;\n");
}

static void turns_returns_into_jumps_behind_the_call(void **state) {
    (void)state;
    assert_flat(HEADER ".func f() { .reg .pred p; L: @p ret; @!p bra L; ret; bra L; }\n"
                       ".entry k() { call f; trap; }",
                "$L__1$0: @p$i1 bra $L__return$1;\n"
                "@!p$i1 bra $L__1$0;\n"
                "bra.uni $L__return$1;\n"
                "bra $L__1$0;\n"
                "$L__return$1: trap;\n");
}

static void jumps_around_a_guarded_call(void **state) {
    (void)state;
    assert_flat(HEADER ".func (.reg .u32 r) f() { mov.u32 r, 1; ret; }\n"
                       ".entry k() { .reg .pred p; .reg .u32 a; @!p call (a), f; exit; }",
                "@p bra $L__around$1;\n"
                "mov.u32 r$i1, 1;\n"
                "$L__return$1: mov.b32 a, r$i1;\n"
                "$L__around$1: exit;\n");
}

static void shares_registers_and_variables_between_the_calls_of_a_function(void **state) {
    (void)state;
    ptx_module *module = parse(HEADER ".func f() { .reg .u32 a; .local .b8 l[64]; .shared .u32 s; mov.u32 a, l;\n"
                                      "st.shared.u32 [s], a; ret; }\n.func g() { call f; ret; }\n"
                                      ".entry k() { call f; call g; call f; ret; }");
    ptx_function *flat;
    assert_int_equal(ptx_inline_calls(module, kernel_of(module), &flat), HAUL_OK);
    assert_int_equal(flat->instruction_count, 7);
    assert_int_equal(flat->register_count, 1);
    assert_int_equal(flat->variable_count, 2);
    assert_ptr_equal(flat->variables[0]->owner, flat);
    assert_ptr_equal(flat->instructions[0].operands[1].variable, flat->variables[0]);
    assert_ptr_equal(flat->instructions[4].operands[1].variable, flat->variables[0]);
    ptx_module_free(module);
}

static void copies_branch_tables(void **state) {
    (void)state;
    ptx_module *module =
        parse(HEADER ".func f() { .reg .u32 a; T: .branchtargets A, B; brx.idx a, T; A: trap; B: ret; }\n"
                     ".entry k() { call f; call f; ret; }");
    ptx_function *flat;
    assert_int_equal(ptx_inline_calls(module, kernel_of(module), &flat), HAUL_OK);
    assert_int_equal(flat->block_count, 5);
    assert_int_equal(flat->blocks[0].table[0], 1);
    assert_int_equal(flat->blocks[0].table[1], 2);
    assert_int_equal(flat->blocks[2].table[1], 4);
    ptx_module_free(module);
}

static void chains_places_to_the_call(void **state) {
    (void)state;
    ptx_module *module =
        parse(HEADER ".func f() { .loc 2 20 1\ntrap;\n.loc 3 30 1, function_name g, inlined_at 2 20 1\ntrap; }\n"
                     ".entry k() { .loc 1 10 1\ncall f; .loc 1 11 1\ncall f; }");
    ptx_function *flat;
    assert_int_equal(ptx_inline_calls(module, kernel_of(module), &flat), HAUL_OK);
    const ptx_place *places = module->places;
    const ptx_place *inner = &places[flat->instructions[3].place - 1];
    assert_int_equal(inner->line, 30);
    assert_int_equal(places[inner->inlined_at - 1].line, 20);
    assert_int_equal(places[places[inner->inlined_at - 1].inlined_at - 1].line, 11);
    assert_int_equal(places[places[flat->instructions[0].place - 1].inlined_at - 1].line, 10);
    ptx_module_free(module);
}

static void follows_an_alias(void **state) {
    (void)state;
    assert_flat(HEADER ".func f();\n.func g() { trap; }\n.alias f, g;\n.entry k() { call f; ret; }",
                "trap;\n$L__return$1: ret;\n");
}

static void keeps_calls_of_functions_without_a_body(void **state) {
    (void)state;
    assert_flat(HEADER ".extern .func free(.param .b64 p);\n.func f() { .param .b64 x; call free, (x); ret; }\n"
                       ".entry k() { call f; ret; }",
                "call free, (x$i1);\n$L__return$1: ret;\n");
}

static void has_a_recursive_function_once_behind_the_kernel(void **state) {
    (void)state;
    assert_flat(HEADER ".func (.param .b32 r) f(.param .b32 x) { .reg .u32 %v; .reg .pred %p; ld.param.u32 %v, [x];\n"
                       "{ .param .b32 a; st.param.b32 [a], %v; @%p call (r), f, (a); } ret; }\n"
                       ".entry k() { .reg .u32 %v; .param .b32 o; call (o), f, (3); ret; }",
                "st.param.b32 [$arguments], 3;\n"
                "call f;\n"
                "ld.param.b32 %piece$1, [$results];\n"
                "st.param.b32 [o], %piece$1;\n"
                "ret;\n"
                "ld.param.b32 %piece$4, [$arguments];\n"
                "st.param.b32 [x$i1], %piece$4;\n"
                "ld.param.u32 %v$i1, [x$i1];\n"
                "st.param.b32 [a$i1], %v$i1;\n"
                "@!%p$i1 bra $L__around$3;\n"
                "ld.param.b32 %piece$5, [a$i1];\n"
                "st.param.b32 [$arguments], %piece$5;\n"
                "call f;\n"
                "ld.param.b32 %piece$6, [$results];\n"
                "st.param.b32 [r$i1], %piece$6;\n"
                "$L__return$2: $L__around$3: ld.param.b32 %piece$7, [r$i1];\n"
                "st.param.b32 [$results], %piece$7;\n"
                "ret;\n");
}

static void keeps_local_variables_of_a_recursive_function_in_a_stack(void **state) {
    (void)state;
    assert_flat(HEADER ".func f() { .local .align 8 .b8 l[24]; .reg .b64 %a; mov.u64 %a, l; st.local.u32 [l+4], 1;\n"
                       "call f; ret; }\n.entry k() { call f; ret; }",
                "mov.b64 %stack$0, $stack;\n"
                "st.param.b64 [$arguments], %stack$0;\n"
                "call f;\n"
                "ret;\n"
                "ld.param.b64 %frame$2, [$arguments];\n"
                "add.u64 %next$3, %frame$2, 32;\n"
                "add.u64 %address$4, %frame$2, 0;\n"
                "mov.u64 %a$i1, %address$4;\n"
                "st.local.u32 [%frame$2+4], 1;\n"
                "st.param.b64 [$arguments], %next$3;\n"
                "call f;\n"
                "$L__return$2: ret;\n");
}

static void a_call_through_a_register_brings_all_functions_with_an_address(void **state) {
    (void)state;
    ptx_module *module = parse(HEADER ".func f() { ret; }\n.func g() { ret; }\n.func h() { ret; }\n"
                                      ".global .u64 table[2] = {f, g};\n"
                                      ".entry k() { .reg .b64 a; ld.global.u64 a, [table];\n"
                                      "P: .callprototype _ ();\ncall a, P; ret; }");
    ptx_function *flat;
    assert_int_equal(ptx_inline_calls(module, kernel_of(module), &flat), HAUL_OK);
    assert_int_equal(flat->callee_count, 2);
    assert_string_equal(flat->callees[0].function->name, "f");
    assert_string_equal(flat->callees[1].function->name, "g");
    assert_int_equal(flat->callees[0].block, 2);
    assert_int_equal(flat->blocks[0].next, 1);
    ptx_module_free(module);
}

static void refuses_what_cannot_be_passed_to_such_functions(void **state) {
    (void)state;
    REFUSED(HEADER ".func f(.param .b8 p[70000]) { .param .b8 q[70000]; call f, (q); ret; }\n"
                   ".entry k() { .param .b8 p[70000]; call f, (p); }",
            HAUL_ERROR_LIMIT, "t.ptx:5:35: the parameters of 'f' are too large (in 'k')");
    REFUSED(HEADER ".func f() { .local .b8 l[2000000]; call f; ret; }\n.entry k() { call f; }", HAUL_ERROR_LIMIT,
            "t.ptx:4:7: the .local variables of 'f' are too large (in 'k')");
}

/* Functions that each call the one before them twice. */
static void write_levels(text *out, int levels) {
    text_put(out, HEADER ".func f0() { ret; }\n");
    for (int i = 1; i < levels; i++) text_printf(out, ".func f%d() { call f%d; call f%d; }\n", i, i - 1, i - 1);
}

static void functions_that_would_be_too_many_in_line_are_called(void **state) {
    (void)state;
    text source = {0};
    ptx_function *flat;
    write_levels(&source, 60);
    text_put(&source, ".entry k() { call f59; }");
    ptx_module *module = parse(text_string(&source));
    assert_int_equal(ptx_inline_calls(module, kernel_of(module), &flat), HAUL_OK);
    assert_true(flat->callee_count > 0);
    assert_true(flat->instruction_count < 100000);
    assert_true(module->memory.total < 64 << 20);
    ptx_module_free(module);
    text_free(&source);
}

static void functions_that_would_be_too_deep_in_each_other_are_called(void **state) {
    (void)state;
    text source = {0};
    ptx_function *flat;
    text_put(&source, HEADER ".func f0() { ret; }\n");
    for (int i = 1; i < 2000; i++) text_printf(&source, ".func f%d() { call f%d; }\n", i, i - 1);
    text_put(&source, ".entry k() { call f1999; }");
    ptx_module *module = parse(text_string(&source));
    assert_int_equal(ptx_inline_calls(module, kernel_of(module), &flat), HAUL_OK);
    assert_in_range(flat->callee_count, 2000 / 128, 2000 / 16);
    ptx_module_free(module);
    text_free(&source);
}

static void write_branches(text *out, char name, int branches, int targets) {
    text_printf(out, ".func %c() { .reg .u32 r; t: .branchtargets L", name);
    for (int i = 1; i < targets; i++) text_put(out, ", L");
    text_put(out, ";\n");
    for (int i = 0; i < branches; i++) text_put(out, "brx.idx r, t;\n");
    text_put(out, "L: ret; }\n");
}

/* Each indirect branch counts with its table. */
static void a_kernel_that_is_too_large_is_refused_before_it_has_grown(void **state) {
    (void)state;
    text source = {0};
    ptx_function *flat;
    text_put(&source, HEADER);
    for (char name = 'a'; name <= 'c'; name++) write_branches(&source, name, 1000, 4000);
    text_put(&source, ".entry k() { call a; call b; call c; }");
    ptx_module *module = parse(text_string(&source));
    const size_t before = module->memory.total;
    assert_int_equal(ptx_inline_calls(module, kernel_of(module), &flat), HAUL_ERROR_LIMIT);
    assert_string_equal(haul_message(),
                        "t.ptx:3010:8: 'k' is too large together with the functions that it calls: split it");
    assert_true(module->memory.total < before + (1 << 20));
    ptx_module_free(module);
    text_free(&source);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_a_kernel_without_calls_alone),
        cmocka_unit_test(passes_param_variables_by_name),
        cmocka_unit_test(moves_register_parameters),
        cmocka_unit_test(stores_registers_into_param_formals),
        cmocka_unit_test(turns_returns_into_jumps_behind_the_call),
        cmocka_unit_test(jumps_around_a_guarded_call),
        cmocka_unit_test(shares_registers_and_variables_between_the_calls_of_a_function),
        cmocka_unit_test(copies_branch_tables),
        cmocka_unit_test(chains_places_to_the_call),
        cmocka_unit_test(follows_an_alias),
        cmocka_unit_test(keeps_calls_of_functions_without_a_body),
        cmocka_unit_test(has_a_recursive_function_once_behind_the_kernel),
        cmocka_unit_test(keeps_local_variables_of_a_recursive_function_in_a_stack),
        cmocka_unit_test(a_call_through_a_register_brings_all_functions_with_an_address),
        cmocka_unit_test(refuses_what_cannot_be_passed_to_such_functions),
        cmocka_unit_test(functions_that_would_be_too_many_in_line_are_called),
        cmocka_unit_test(functions_that_would_be_too_deep_in_each_other_are_called),
        cmocka_unit_test(a_kernel_that_is_too_large_is_refused_before_it_has_grown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
