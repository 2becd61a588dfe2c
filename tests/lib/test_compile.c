/* CUDA source through cu2ptx; skipped where there is no kernel compiler. */
#include "lib/compile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char path[] = "/tmp/haul-test-XXXXXX.cu";

static int make_file(void **state) {
    (void)state;
    int descriptor = mkstemps(path, 3);
    if (descriptor >= 0) close(descriptor);
    return descriptor < 0;
}

static int remove_file(void **state) {
    (void)state;
    return unlink(path);
}

static void write_source(const char *source) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(source, f);
    fclose(f);
}

static void need_compiler(void) {
    text line = {0};
    haul_status status = compile_find(NULL, &line);
    text_free(&line);
    if (status != HAUL_OK) skip();
}

static void source_is_told_by_its_name(void **state) {
    (void)state;
    assert_true(compile_is_source("a.cu"));
    assert_true(compile_is_source("dir/saxpy.cu"));
    assert_false(compile_is_source(".cu"));
    assert_false(compile_is_source("a.ptx"));
    assert_false(compile_is_source("a.cuh"));
}

static void a_kernel_becomes_ptx_for_the_architecture(void **state) {
    (void)state;
    need_compiler();
    write_source("extern \"C\" __global__ void k(int *p) { p[threadIdx.x] = VALUE; }\n");
    static const char *const flags[] = {"-D", "VALUE=42"};
    const compile_options options = {.architecture = "sm_80", .flags = flags, .flag_count = 2};
    text ptx = {0}, messages = {0};
    assert_int_equal(compile_source(path, &options, &ptx, &messages), HAUL_OK);
    assert_non_null(strstr(text_string(&ptx), ".entry k("));
    assert_non_null(strstr(text_string(&ptx), ".target sm_80"));
    assert_non_null(strstr(text_string(&ptx), "42"));
    text_free(&ptx);
    text_free(&messages);
}

static void what_does_not_compile_leaves_the_compilers_words_and_one_line(void **state) {
    (void)state;
    need_compiler();
    write_source("__global__ void k(int *p) { p[0] = undefined_name; }\n");
    text ptx = {0}, messages = {0};
    assert_int_equal(compile_source(path, NULL, &ptx, &messages), HAUL_ERROR_COMPILER);
    assert_non_null(strstr(text_string(&messages), "undefined_name"));
    assert_non_null(strstr(haul_message(), path));
    assert_null(strchr(haul_message(), '\n'));
    assert_null(strstr(text_string(&messages), "cu2ptx:")); /* its last line is the message */
    text_free(&ptx);
    text_free(&messages);
}

static void a_compiler_that_is_not_there_is_an_error(void **state) {
    (void)state;
    text line = {0};
    assert_int_equal(compile_find("/nonexistent/nvcc", &line), HAUL_ERROR_COMPILER);
    text_free(&line);
}

static void the_toolchain_can_be_named(void **state) {
    (void)state;
    text line = {0};
    setenv("HAUL_TOOLCHAIN", "/nonexistent", 1);
    assert_int_equal(compile_find(NULL, &line), HAUL_ERROR_COMPILER);
    assert_non_null(strstr(haul_message(), "HAUL_TOOLCHAIN: no cu2ptx in /nonexistent"));
    unsetenv("HAUL_TOOLCHAIN");
    text_free(&line);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(source_is_told_by_its_name),
        cmocka_unit_test(a_kernel_becomes_ptx_for_the_architecture),
        cmocka_unit_test(what_does_not_compile_leaves_the_compilers_words_and_one_line),
        cmocka_unit_test(a_compiler_that_is_not_there_is_an_error),
        cmocka_unit_test(the_toolchain_can_be_named),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
