#include "ptx_test.h"

static const ptx_variable *variable_named(const ptx_module *module, const char *name) {
    for (size_t i = 0; i < module->variable_count; i++)
        if (strcmp(module->variables[i]->name, name) == 0) return module->variables[i];
    fail_msg("no variable '%s'", name);
    return NULL;
}

/* Expects these initial bytes of the variable that `text` declares. */
static void assert_initial(const char *text_, const void *bytes, size_t size) {
    char source[512];
    snprintf(source, sizeof source, HEADER "%s", text_);
    ptx_module *module = parse(source);
    const ptx_variable *v = module->variables[module->variable_count - 1];
    assert_int_equal(v->size, size);
    assert_non_null(v->initial);
    assert_memory_equal(v->initial, bytes, size);
    ptx_module_free(module);
}

static void reads_the_header(void **state) {
    (void)state;
    ptx_module *module = parse(".version 8.8\n.target sm_100f, debug\n.address_size 64\n.file 3 \"a b.cu\", 1, 2\n");
    assert_int_equal(module->version, 88);
    assert_int_equal(module->sm, 100);
    assert_int_equal(module->sm_suffix, 'f');
    assert_int_equal(module->address_bits, 64);
    assert_int_equal(module->file_count, 4);
    assert_null(module->files[1]);
    assert_string_equal(module->files[3], "a b.cu");
    ptx_module_free(module);
    module = parse(".version 9.0\n.target sm_90, sm_80\n"); /* the last one counts */
    assert_int_equal(module->sm, 80);
    ptx_module_free(module);
    module = parse(".version 9.0\n.target sm_80\n.target sm_90a\n");
    assert_int_equal(module->sm, 90);
    ptx_module_free(module);
}

static void sizes_and_aligns_variables(void **state) {
    (void)state;
    ptx_module *module = parse(HEADER ".visible .global .align 16 .b8 a[12][3];\n"
                                      ".global .v4 .f32 b[2], c;\n.extern .shared .align 128 .b8 d[];\n");
    const ptx_variable *a = variable_named(module, "a"), *b = variable_named(module, "b");
    const ptx_variable *c = variable_named(module, "c"), *d = variable_named(module, "d");
    assert_int_equal(a->size, 36);
    assert_int_equal(a->alignment, 16);
    assert_true(a->is_visible);
    assert_int_equal(b->size, 32);
    assert_int_equal(b->alignment, 16);
    assert_int_equal(c->size, 16);
    assert_int_equal(c->index, 2);
    assert_int_equal(d->size, 0);
    assert_true(d->is_extern);
    assert_int_equal(d->space, PTX_SPACE_SHARED);
    ptx_module_free(module);
}

static void fills_arrays_from_nested_braces(void **state) {
    (void)state;
    assert_initial(".global .u8 a[4] = {1, 0x7f, 017};", (uint8_t[]){1, 127, 15, 0}, 4);
    assert_initial(".global .s16 a[2][2] = {{-1}, {2, 3}};", (int16_t[]){-1, 0, 2, 3}, 8);
    assert_initial(".global .u16 a[][2] = {{1}, {2, 3}, {4}};", (uint16_t[]){1, 0, 2, 3, 4, 0}, 12);
    assert_initial(".global .f32 a[3] = {1.5, 0f40000000, 3.0};", (float[]){1.5f, 2, 3}, 12);
    assert_initial(".const .f64 a = 0.25;", (double[]){0.25}, 8);
    assert_initial(".global .b32 a[2] = {1.5, 0d4000000000000000};", (float[]){1.5f, 2}, 8);
    assert_initial(".global .b64 a[2] = {0.25, 0f40000000};", (uint64_t[]){0x3fd0000000000000, 0x40000000}, 16);
    assert_initial(".global .v2 .u32 a[2] = {{1, 2}, {3, 4}};", (uint32_t[]){1, 2, 3, 4}, 16);
}

static void computes_constant_expressions(void **state) {
    (void)state;
    assert_initial(".global .u64 a = 1 + 2 * 3 - -4;", (uint64_t[]){11}, 8);
    assert_initial(".global .u64 a = (1 + 2) * 3;", (uint64_t[]){9}, 8);
    assert_initial(".global .s64 a = -7 / 2;", (int64_t[]){-3}, 8);
    assert_initial(".global .s64 a = -7 % 4;", (int64_t[]){-3}, 8);
    assert_initial(".global .u64 a = (.u64) -1 >> 60;", (uint64_t[]){15}, 8);
    assert_initial(".global .s64 a = -16 >> 2;", (int64_t[]){-4}, 8);
    assert_initial(".global .u64 a = 6 & 3 | 8 ^ 1;", (uint64_t[]){11}, 8);
    assert_initial(".global .u64 a = 3 < 4 && 1 != 2 || 0;", (uint64_t[]){1}, 8);
    assert_initial(".global .u64 a = 0 ? 5 : 2 ? 6 : 7;", (uint64_t[]){6}, 8);
    assert_initial(".global .u64 a = WARP_SZ;", (uint64_t[]){32}, 8);
    assert_initial(".global .f32 a = 1.0 / 4.0 + 1.0;", (float[]){1.25f}, 4);
}

static void numbers_the_variables_of_a_range(void **state) {
    (void)state;
    ptx_module *module = parse(HEADER ".global .align 8 .u32 x<3>, y;\n");
    assert_int_equal(module->variable_count, 4);
    assert_string_equal(module->variables[0]->name, "x0");
    assert_string_equal(module->variables[2]->name, "x2");
    assert_int_equal(module->variables[2]->alignment, 8);
    assert_string_equal(module->variables[3]->name, "y");
    ptx_module_free(module);
}

static void keeps_no_bytes_of_zeros(void **state) {
    (void)state;
    ptx_module *module = parse(HEADER ".global .b8 a[1000000] = {0, 0};");
    assert_null(module->variables[0]->initial);
    assert_int_equal(module->variables[0]->size, 1000000);
    ptx_module_free(module);
}

static void records_addresses_in_initial_values(void **state) {
    (void)state;
    ptx_module *module = parse(HEADER ".global .b8 s[4];\n.visible .func f() { ret; }\n"
                                      ".global .u64 a[4] = {7, generic(s)+2, s, f};\n"
                                      ".global .u8 b[2] = {0xff00(s), 0xff(generic(s))};\n");
    const ptx_variable *s = variable_named(module, "s"), *a = variable_named(module, "a"),
                       *b = variable_named(module, "b");
    assert_int_equal(a->initial[0], 7);
    assert_int_equal(a->relocation_count, 3);
    assert_int_equal(a->relocations[0].at, 8);
    assert_int_equal(a->relocations[0].bytes, 8);
    assert_int_equal(a->relocations[0].addend, 2);
    assert_true(a->relocations[0].generic);
    assert_ptr_equal(a->relocations[0].variable, s);
    assert_false(a->relocations[1].generic);
    assert_ptr_equal(a->relocations[2].function, module->functions[0]);
    assert_int_equal(b->relocations[0].shift, 8);
    assert_int_equal(b->relocations[0].bytes, 1);
    assert_true(b->relocations[1].generic);
    assert_int_equal(b->relocations[1].shift, 0);
    ptx_module_free(module);
}

static void completes_extern_declarations(void **state) {
    (void)state;
    ptx_module *module =
        parse(HEADER ".extern .global .u32 a[2];\n.global .u64 b = a;\n.visible .global .u32 a[2] = {1, 2};\n"
                     ".extern .global .u32 a[2];\n");
    assert_int_equal(module->variable_count, 2);
    assert_false(module->variables[0]->is_extern);
    assert_int_equal(module->variables[0]->initial[4], 2);
    assert_ptr_equal(module->variables[1]->relocations[0].variable, module->variables[0]);
    ptx_module_free(module);
}

static void variables_of_a_function_that_live_on_are_the_modules(void **state) {
    (void)state;
    ptx_module *module = parse(HEADER ".entry k { .global .u32 count = 3; { .const .u32 count = 4; } ret; }\n"
                                      ".entry j { .global .u32 count; ret; }\n");
    assert_int_equal(module->variable_count, 3);
    assert_string_equal(module->variables[0]->name, "count$0");
    assert_int_equal(module->variables[0]->initial[0], 3);
    assert_int_equal(module->variables[1]->space, PTX_SPACE_CONST);
    assert_string_equal(module->variables[2]->name, "count$2");
    ptx_module_free(module);
}

static void reads_attributes_and_what_calls_preserve(void **state) {
    (void)state;
    ptx_module *module = parse(".version 9.0\n.target sm_90\n.global .attribute(.unified(19, 0x5f)) .u32 a;\n.global "
                               ".attribute(.managed) .u32 b;\n"
                               ".func .attribute(.unified(1, 2)) f() .abi_preserve 8 { ret; }\n"
                               ".entry k .reqntid 32 .reqnctapercluster 2 .blocksareclusters { call f; ret; }\n");
    assert_false(module->variables[0]->is_managed);
    assert_true(module->variables[1]->is_managed);
    assert_true(ptx_find_entry(module, "k")->blocks_are_clusters);
    ptx_module_free(module);
}

static void reads_versions_with_more_digits(void **state) {
    (void)state;
    static const struct {
        const char *source;
        uint32_t version;
    } cases[] = {{".version 9.00\n", 90}, {".version 8.10\n", 90}, {".version 08.5\n", 85}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char source[64];
        snprintf(source, sizeof source, "%s.target sm_90\n", cases[k].source);
        ptx_module *module = parse(source);
        assert_int_equal(module->version, cases[k].version);
        ptx_module_free(module);
    }
}

static void accepts_hidden_parameters_of_kernels(void **state) {
    (void)state;
    ptx_module *module =
        parse(".version 8.8\n.target sm_90\n.visible .entry k(.param .u64 a, .hidden .param .u32 b) { ret; }\n");
    assert_int_equal(ptx_find_entry(module, "k")->param_count, 2);
    ptx_module_free(module);
}

static void reads_a_kernels_parameters_and_limits(void **state) {
    (void)state;
    ptx_module *module =
        parse(HEADER ".visible .entry k(.param .u64 .ptr .global .align 16 a, .param .align 8 .b8 b[24])\n"
                     ".maxntid 128, 2\n.minnctapersm 3\n.maxnreg 64\n.reqnctapercluster 2, 1, 1\n"
                     ".explicitcluster\n{ ret; }\n.entry bare .maxclusterrank 8 { ret; }\n");
    const ptx_function *k = ptx_find_entry(module, "k");
    assert_non_null(k);
    assert_int_equal(k->param_count, 2);
    assert_int_equal(k->params[0]->size, 8);
    assert_int_equal(k->params[1]->size, 24);
    assert_int_equal(k->params[1]->alignment, 8);
    assert_int_equal(k->params[1]->index, 1);
    assert_int_equal(k->max_threads[0], 128);
    assert_int_equal(k->max_threads[1], 2);
    assert_int_equal(k->max_threads[2], 1);
    assert_int_equal(k->required_threads[0], 0);
    assert_int_equal(k->min_blocks, 3);
    assert_int_equal(k->max_registers, 64);
    assert_int_equal(k->cluster[0], 2);
    assert_int_equal(k->explicit_cluster, 1);
    assert_int_equal(ptx_find_entry(module, "bare")->max_cluster_rank, 8);
    assert_int_equal(ptx_find_entry(module, "bare")->param_count, 0);
    assert_null(ptx_find_entry(module, "other"));
    ptx_module_free(module);
}

static void joins_prototypes_with_their_bodies(void **state) {
    (void)state;
    ptx_module *module =
        parse(HEADER ".visible .func (.param .b32 r) f (.param .b32 a);\n.entry k() { .param .b32 x; .param .b32 y;"
                     " call (y), f, (x); ret; }\n.visible .func (.param .b32 r2) f(.param .b32 a2) { ret; }\n"
                     ".extern .func g;\n.func h() .noreturn { trap; }\n");
    const ptx_function *f = module->functions[0];
    assert_int_equal(module->function_count, 4);
    assert_true(f->has_body);
    assert_true(f->is_visible);
    assert_string_equal(f->params[0]->name, "a2");
    assert_ptr_equal(f->params[0]->owner, f);
    assert_ptr_equal(module->functions[1]->instructions[0].operands[1].function, f);
    assert_false(module->functions[2]->has_body);
    assert_true(module->functions[3]->is_noreturn);
    ptx_module_free(module);
}

static void follows_an_alias(void **state) {
    (void)state;
    ptx_module *module = parse(HEADER ".func f();\n.func g() { ret; }\n.alias f, g;\n");
    assert_ptr_equal(module->functions[0]->alias_of, module->functions[1]);
    ptx_module_free(module);
}

static void skips_debug_sections(void **state) {
    (void)state;
    ptx_module *module =
        parse(HEADER ".section .debug_info\n{\n$L__x: .b8 1, 2 // }\n.b32 .debug_str+4\n{ .b64 $L__x }\n}\n"
                     ".section .debug_loc { }\n.global .u32 a;\n");
    assert_int_equal(module->variable_count, 1);
    ptx_module_free(module);
    module = parse(".version 1.4\n.target sm_13\n@@DWARF .section .debug_info, \"\",@progbits\n.global .u32 a;\n"
                   "@@DWARF .byte 1, 2");
    assert_int_equal(module->variable_count, 1);
    ptx_module_free(module);
}

static void reads_text_that_has_no_terminator(void **state) {
    (void)state;
    static const char source[] = {'.', 'v', 'e', 'r', 's', 'i', 'o', 'n', ' ', '8', '.', '0', ' ', '.',
                                  't', 'a', 'r', 'g', 'e', 't', ' ', 's', 'm', '_', '8', '0', 0,   0};
    ptx_module *module;
    assert_int_equal(ptx_module_parse("t.ptx", source, sizeof source, &module), HAUL_OK);
    assert_int_equal(module->sm, 80);
    ptx_module_free(module);
    assert_int_equal(ptx_module_parse("t.ptx", source, sizeof source - 2, &module), HAUL_OK);
    ptx_module_free(module);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_header),
        cmocka_unit_test(sizes_and_aligns_variables),
        cmocka_unit_test(fills_arrays_from_nested_braces),
        cmocka_unit_test(computes_constant_expressions),
        cmocka_unit_test(numbers_the_variables_of_a_range),
        cmocka_unit_test(keeps_no_bytes_of_zeros),
        cmocka_unit_test(records_addresses_in_initial_values),
        cmocka_unit_test(completes_extern_declarations),
        cmocka_unit_test(variables_of_a_function_that_live_on_are_the_modules),
        cmocka_unit_test(reads_attributes_and_what_calls_preserve),
        cmocka_unit_test(reads_versions_with_more_digits),
        cmocka_unit_test(accepts_hidden_parameters_of_kernels),
        cmocka_unit_test(reads_a_kernels_parameters_and_limits),
        cmocka_unit_test(joins_prototypes_with_their_bodies),
        cmocka_unit_test(follows_an_alias),
        cmocka_unit_test(skips_debug_sections),
        cmocka_unit_test(reads_text_that_has_no_terminator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
