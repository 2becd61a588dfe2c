/* Printed text parses to the same module, for every PTX file in the project. */
#include "ptx_test.h"

#include <glob.h>

static void assert_prints_itself(const char *name, const char *source, size_t length) {
    ptx_module *module, *again;
    text first = {0}, second = {0};
    if (ptx_module_parse(name, source, length, &module) != HAUL_OK) fail_msg("%s", haul_message());
    ptx_print_module(module, &first);
    if (ptx_module_parse(name, first.bytes, first.length, &again) != HAUL_OK) fail_msg("printed: %s", haul_message());
    ptx_print_module(again, &second);
    assert_string_equal(text_string(&first), text_string(&second));
    text_free(&first);
    text_free(&second);
    ptx_module_free(module);
    ptx_module_free(again);
}

static void check_file(const char *path) {
    text source = read_file(path);
    assert_prints_itself(path, source.bytes, source.length);
    text_free(&source);
}

static void check_files(const char *pattern, size_t least) {
    glob_t files;
    assert_int_equal(glob(pattern, 0, NULL, &files), 0);
    assert_true(files.gl_pathc >= least);
    for (size_t i = 0; i < files.gl_pathc; i++) check_file(files.gl_pathv[i]);
    globfree(&files);
}

static void prints_what_compilers_emit(void **state) {
    (void)state;
    check_files(TEST_DATA "/truth/*.ptx", 2);
    check_files(TEST_DATA "/hazards/*.ptx", 1);
    check_files(TEST_DATA "/ptx/*.ptx", 7);
}

static void prints_flat_kernels_that_verify(void **state) {
    (void)state;
    text source = read_file(TEST_DATA "/ptx/nvcc-debug.ptx"), printed = {0};
    ptx_module *module = parse(text_string(&source));
    ptx_function *flat;
    assert_int_equal(ptx_inline_calls(module, ptx_find_entry(module, "calls"), &flat), HAUL_OK);
    assert_int_equal(ptx_verify(module, flat), HAUL_OK);
    text_put(&printed, HEADER ".const .u64 names[3]; .global .u64 record[4];\n");
    ptx_print_function(module, flat, &printed);
    assert_prints_itself("flat", printed.bytes, printed.length);
    text_free(&source);
    text_free(&printed);
    ptx_module_free(module);
}

static void assert_module_prints(const char *source, const char *expected) {
    ptx_module *module = parse(source);
    text out = {0};
    ptx_print_module(module, &out);
    assert_string_equal(text_string(&out), expected);
    text_free(&out);
    ptx_module_free(module);
}

static void prints_a_module_in_one_order(void **state) {
    (void)state;
    assert_module_prints(HEADER
                         ".file 1 \"a.cu\"\n.visible .func f();\n"
                         ".entry k(.param .u64 p) { .loc 1 2 3\n .reg .b32 %r<3>; add.u32 %r2, %r1, %r1; call f; }\n"
                         ".global .align 8 .u32 g[3] = {5, -1};\n.visible .func f() { L: bra L; }\n",
                         ".version 8.6\n.target sm_90\n.address_size 64\n\n"
                         ".file 1 \"a.cu\"\n"
                         ".visible .func f();\n"
                         ".global .align 8 .u32 g[3] = {5, 4294967295};\n"
                         "\n.visible .func f()\n{\nL:\n\tbra L;\n}\n"
                         "\n.entry k(.param .u64 p)\n{\n\t.reg .b32 %r2, %r1;\n"
                         "\t.loc 1 2 3\n\tadd.u32 %r2, %r1, %r1;\n\tcall f;\n}\n");
}

static void declares_entries_whose_address_is_used(void **state) {
    (void)state;
    assert_module_prints(HEADER ".entry k() { }\n.global .u64 a = k;\n",
                         ".version 8.6\n.target sm_90\n.address_size 64\n\n.entry k();\n.global .u64 a = k;\n"
                         "\n.entry k()\n{\n}\n");
}

static void prints_inner_names_apart_from_module_names_in_use(void **state) {
    (void)state;
    const char *source = HEADER ".global .u32 g;\n.entry k() { .reg .u32 %r<2>; { .reg .u32 g; mov.u32 g, 1; }\n"
                                " ld.global.u32 %r1, [g]; }\n";
    ptx_module *module = parse(source);
    assert_string_equal(kernel_of(module)->registers[0].name, "g$1");
    ptx_module_free(module);
    assert_prints_itself("t.ptx", source, strlen(source));
}

static void prints_variables_that_refer_to_each_other(void **state) {
    (void)state;
    static const char source[] = HEADER ".extern .global .u64 b;\n.global .u64 a = b;\n.visible .global .u64 b = a;\n";
    assert_prints_itself("t.ptx", source, sizeof source - 1);
}

static void forgets_places_without_instructions(void **state) {
    (void)state;
    assert_module_prints(HEADER ".entry k() { .loc 1 2 3\n.loc 2 3 4, function_name g, inlined_at 1 2 3\n}\n",
                         ".version 8.6\n.target sm_90\n.address_size 64\n\n\n.entry k()\n{\n}\n");
}

static void keeps_what_keeps_loops(void **state) {
    (void)state;
    assert_module_prints(HEADER ".entry k() .pragma \"nounroll\"; { ret; }\n"
                                ".visible .func f() { L: .pragma \"nounroll\"; bra L; .pragma \"novel\"; ret; }\n",
                         ".version 8.6\n.target sm_90\n.address_size 64\n\n.visible .func f();\n"
                         "\n.visible .func f()\n{\nL:\n\t.pragma \"nounroll\";\n\tbra L;\n\tret;\n}\n"
                         "\n.entry k()\n.pragma \"nounroll\";\n{\n\tret;\n}\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_what_compilers_emit),
        cmocka_unit_test(prints_flat_kernels_that_verify),
        cmocka_unit_test(prints_a_module_in_one_order),
        cmocka_unit_test(declares_entries_whose_address_is_used),
        cmocka_unit_test(prints_inner_names_apart_from_module_names_in_use),
        cmocka_unit_test(prints_variables_that_refer_to_each_other),
        cmocka_unit_test(forgets_places_without_instructions),
        cmocka_unit_test(keeps_what_keeps_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
