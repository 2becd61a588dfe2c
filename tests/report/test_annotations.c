/* The lines and kernels that a comment in the source is for. */
#include "report/check/annotations.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static report_rules rules;

static const report_scope *only_scope(const char *source) {
    report_rules_free(&rules);
    assert_int_equal(report_read_annotations(&rules, "a.cu", "/src/a.cu", source), HAUL_OK);
    assert_int_equal(rules.count, 1);
    assert_string_equal(rules.items[0].scope.file, "/src/a.cu");
    assert_true(rules.items[0].scope.exact && rules.items[0].in_source);
    return &rules.items[0].scope;
}

static void is_for_kernel(const char *kernel, const char *source) {
    const report_scope *scope = only_scope(source);
    assert_non_null(scope->kernel);
    assert_string_equal(scope->kernel, kernel);
    assert_int_equal(scope->first, 0);
}

static void is_for_lines(uint32_t first, uint32_t last, const char *source) {
    const report_scope *scope = only_scope(source);
    assert_null(scope->kernel);
    assert_int_equal(scope->first, first);
    assert_int_equal(scope->last, last);
}

static void above_a_kernel_it_is_for_the_kernel(void **state) {
    (void)state;
    is_for_kernel("k", "// haul: expect no findings\n__global__ void k(int *p) {\n}\n");
    is_for_kernel("k",
                  "//haul: expect no findings\n\n/* more */ // text\nextern \"C\" __global__ void\nk(int *p) { }\n");
    is_for_kernel("k", "/* haul: expect no findings */\ntemplate <int N>\n"
                       "__global__ void __launch_bounds__(256, 2) k(int *p) { }");
    is_for_kernel("k", "/*\n * haul: expect no findings\n */\n__global__ void k(void);\n");
    is_for_kernel("k", "// haul: expect no findings\n#define A {\n#define B \\\n  ;\n__global__ void k(int *p) { }\n");
}

static void behind_a_kernels_brace_it_is_for_the_kernel(void **state) {
    (void)state;
    is_for_kernel("k", "__global__ void k(int *p)\n{\n    // haul: expect no findings\n    p[0] = 1;\n}\n");
    is_for_kernel("k", "int f(int x);\n__global__ void k(int *p) { // haul: expect no findings\n    p[0] = 1;\n}\n");
}

static void behind_code_it_is_for_that_line(void **state) {
    (void)state;
    is_for_lines(2, 2, "__global__ void k(int *p) {\n    p[0] = 1; // haul: expect no findings\n    p[1] = 2;\n}\n");
    assert_string_equal(rules.items[0].within, "k");
    is_for_lines(2, 2, "__global__ void k(int *p) {\n    /* haul: expect no findings */ p[0] = 1;\n}\n");
}

static void above_a_statement_it_is_for_all_its_lines(void **state) {
    (void)state;
    is_for_lines(4, 5,
                 "__global__ void k(int *p) {\n    int i = 0;\n    // haul: expect no findings\n    p[i] =\n"
                 "        1;\n}\n");
    is_for_lines(4, 4,
                 "__global__ void k(int *p) {\n    int i;\n    // haul: expect no findings\n"
                 "    for (i = 0; i < 3; i++) {\n        p[i] = 1;\n    }\n}\n");
}

static void above_a_device_function_it_is_for_its_body(void **state) {
    (void)state;
    is_for_lines(2, 6,
                 "// haul: expect no findings\nstatic __device__ int f(int *p) {\n    if (p) {\n        p[0] = 1;\n"
                 "    }\n}\nint g;\n");
    assert_null(rules.items[0].within);
}

static void strings_and_other_comments_are_not_read(void **state) {
    (void)state;
    report_rules_free(&rules);
    assert_int_equal(report_read_annotations(&rules, "a.cu", "a.cu",
                                             "const char *s = \"// haul: expect nonsense\";\n"
                                             "// see haul: expect nonsense\nchar q = '\"'; int n = 1'000;\n"),
                     HAUL_OK);
    assert_int_equal(rules.count, 0);
}

static void refuses(const char *source, const char *message) {
    report_rules_free(&rules);
    assert_int_equal(report_read_annotations(&rules, "a.cu", "a.cu", source), HAUL_ERROR_SYNTAX);
    assert_string_equal(haul_message(), message);
}

static void what_cannot_be_read_is_named_with_its_line(void **state) {
    (void)state;
    refuses("\n// haul: expct no findings\nint x;\n",
            "a.cu:2: `expct no findings`: a rule begins with `expect` or `ignore`");
    refuses("int x;\n// haul: expect no findings\n", "a.cu:2: nothing follows that it could apply to");
    refuses("__device__ void f() {\n int x;\n // haul: ignore race-*\n}\n",
            "a.cu:3: nothing follows that it could apply to");
    refuses("// haul: expect no findings\n__global__ void { }\n", "a.cu:1: the kernel that follows has no plain name");
}

static void unfinished_source_is_read_to_its_end(void **state) {
    (void)state;
    is_for_lines(1, 1, "int x; // haul: expect no findings");
    is_for_lines(1, 1, "int x; /* haul: expect no findings");
    is_for_kernel("k", "// haul: expect no findings\n__global__ void k(int *p) { \"");
}

static int end(void **state) {
    (void)state;
    report_rules_free(&rules);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(above_a_kernel_it_is_for_the_kernel),
        cmocka_unit_test(behind_a_kernels_brace_it_is_for_the_kernel),
        cmocka_unit_test(behind_code_it_is_for_that_line),
        cmocka_unit_test(above_a_statement_it_is_for_all_its_lines),
        cmocka_unit_test(above_a_device_function_it_is_for_its_body),
        cmocka_unit_test(strings_and_other_comments_are_not_read),
        cmocka_unit_test(what_cannot_be_read_is_named_with_its_line),
        cmocka_unit_test(unfinished_source_is_read_to_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, end);
}
