/* haul/compile.h: CUDA source becomes PTX and modules, from files and from texts, by each kind of compiler. */
#include "lib/compile.h"

#include <haul/compile.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static const char mock[] = TEST_BUILD "/tests/lib/libnvrtc_mock.so";
static const char fill[] = "extern \"C\" __global__ void fill(int *p) { p[threadIdx.x] = VALUE; }\n";
static const char *const value_42[] = {"-D", "VALUE=42"};

static void need(const char *compiler) {
    text line = {0};
    haul_status status = compile_find(compiler, &line);
    text_free(&line);
    if (status != HAUL_OK) skip();
}

static void assert_in(const char *words, const char *part) {
    if (!words || !strstr(words, part)) fail_msg("no '%s' in: %s", part, words ? words : "nothing");
}

/* Compiles the text, launches it, and compares the buffer. */
static void fills_with_42(const char *compiler) {
    haul_device *device;
    haul_module *module;
    haul_argument argument = {.kind = HAUL_ARGUMENT_BUFFER};
    int32_t values[32];
    need(compiler);
    const haul_compile_options options = {.compiler = compiler, .flags = value_42, .flag_count = 2};
    assert_int_equal(haul_device_open("sim:a100", NULL, &device), HAUL_OK);
    assert_int_equal(haul_module_compile(device, "fill.cu", fill, &options, &module), HAUL_OK);
    assert_int_equal(haul_buffer_create(device, sizeof values, &argument.buffer), HAUL_OK);
    const haul_launch launch = {
        .kernel = "fill", .grid = {1, 1, 1}, .block = {32, 1, 1}, .arguments = &argument, .argument_count = 1};
    assert_int_equal(haul_launch_run(module, &launch, NULL), HAUL_OK);
    assert_int_equal(haul_buffer_read(argument.buffer, 0, values, sizeof values), HAUL_OK);
    for (size_t i = 0; i < 32; i++) assert_int_equal(values[i], 42);
    haul_device_close(device);
}

static void a_text_runs_when_any_compiler_is_chosen(void **state) {
    (void)state;
    fills_with_42(NULL);
}

static void a_text_runs_when_nvrtc_compiled_it(void **state) {
    (void)state;
    fills_with_42("nvrtc");
}

static void nvrtc_compiles_the_device_library(void **state) {
    (void)state;
    need("nvrtc");
    const haul_compile_options options = {.compiler = "nvrtc", .architecture = "sm_90"};
    text path = {0};
    haul_compilation c;
    assert_int_equal(compile_find_own("kernels/copy.cu", &path), HAUL_OK);
    if (haul_compile(text_string(&path), NULL, &options, &c) != HAUL_OK) fail_msg("%s", c.messages);
    assert_in(c.ptx, "cp.async.bulk");
    haul_compilation_free(&c);
    text_free(&path);
}

static void line_information_has_the_name_of_a_text(void **state) {
    (void)state;
    need(NULL);
    haul_compilation c;
    const haul_compile_options options = {.flags = value_42, .flag_count = 2};
    assert_int_equal(haul_compile("src/fill.cu", fill, &options, &c), HAUL_OK);
    assert_in(c.ptx, "fill.cu\"");
    assert_null(strstr(c.ptx, "haul-"));
    assert_int_equal(c.ptx_length, strlen(c.ptx));
    haul_compilation_free(&c);
}

static void an_error_names_the_text_and_its_line(void **state) {
    (void)state;
    need(NULL);
    haul_device *device;
    haul_module *module;
    assert_int_equal(haul_device_open("sim:h100", NULL, &device), HAUL_OK);
    assert_int_equal(haul_module_compile(device, "k.cu", "\n__global__ void k() { nothing(); }\n", NULL, &module),
                     HAUL_ERROR_COMPILER);
    assert_in(haul_message(), "k.cu");
    assert_in(haul_message(), "2");
    assert_in(haul_message(), "nothing");
    assert_null(strchr(haul_message(), '\n'));
    haul_device_close(device);
}

static void a_missing_file_is_named(void **state) {
    (void)state;
    haul_compilation c;
    assert_int_not_equal(haul_compile("/nowhere/k.cu", NULL, NULL, &c), HAUL_OK);
    assert_null(c.ptx);
    haul_compilation_free(&c);
    const haul_compile_options options = {.compiler = mock};
    assert_int_equal(haul_compile("/nowhere/k.cu", NULL, &options, &c), HAUL_ERROR_FILE);
    assert_in(haul_message(), "/nowhere/k.cu");
    haul_compilation_free(&c);
}

static void nvrtc_gets_options_in_its_own_words(void **state) {
    (void)state;
    static const char *const flags[] = {"-D", "VALUE=42", "-Ifolder", "-include", "first.h"};
    const haul_compile_options options = {
        .compiler = mock, .architecture = "sm_90a", .flags = flags, .flag_count = 5, .separate = true};
    haul_compilation c;
    assert_int_equal(haul_compile("src/k.cu", "__global__ void k();\n", &options, &c), HAUL_OK);
    static const char *const wanted[] = {"--gpu-architecture=compute_90a\n",
                                         "-lineinfo\n",
                                         "-rdc=true\n",
                                         "-DVALUE=42\n",
                                         "-Ifolder\n",
                                         "-include=first.h\n",
                                         "-Isrc/\n",
                                         "/include\n",
                                         "__global__ void k();\n",
                                         "#line 1 \"src/k.cu\"\n"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) assert_in(c.ptx, wanted[i]);
    assert_null(c.messages);
    haul_compilation_free(&c);
}

static void what_nvrtc_refuses_has_its_messages(void **state) {
    (void)state;
    const haul_compile_options options = {.compiler = mock, .architecture = "sm_80"};
    haul_compilation c;
    assert_int_equal(haul_compile("k.cu", "wrong\n", &options, &c), HAUL_ERROR_COMPILER);
    assert_in(haul_message(), "compute_80");
    assert_ptr_equal(strstr(haul_message(), "k.cu: "), haul_message());
    assert_in(c.messages, "this is wrong");
    haul_compilation_free(&c);
}

static void options_that_nvrtc_cannot_have_are_refused(void **state) {
    (void)state;
    static const char *const flags[] = {"-D"};
    haul_compile_options options = {.compiler = mock, .flags = flags, .flag_count = 1};
    haul_compilation c;
    assert_int_equal(haul_compile("k.cu", "", &options, &c), HAUL_ERROR_COMPILER);
    assert_in(haul_message(), "-D needs a value");
    haul_compilation_free(&c);
    options = (haul_compile_options){.compiler = mock, .architecture = "hopper"};
    assert_int_equal(haul_compile("k.cu", "", &options, &c), HAUL_ERROR_COMPILER);
    assert_in(haul_message(), "not an architecture: hopper");
    haul_compilation_free(&c);
    options = (haul_compile_options){.compiler = "/nowhere/libnvrtc.so.13"};
    assert_int_equal(haul_compile("k.cu", "", &options, &c), HAUL_ERROR_COMPILER);
    assert_in(haul_message(), "/nowhere/libnvrtc.so.13");
    haul_compilation_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_runs_when_any_compiler_is_chosen),
        cmocka_unit_test(a_text_runs_when_nvrtc_compiled_it),
        cmocka_unit_test(nvrtc_compiles_the_device_library),
        cmocka_unit_test(line_information_has_the_name_of_a_text),
        cmocka_unit_test(an_error_names_the_text_and_its_line),
        cmocka_unit_test(a_missing_file_is_named),
        cmocka_unit_test(nvrtc_gets_options_in_its_own_words),
        cmocka_unit_test(what_nvrtc_refuses_has_its_messages),
        cmocka_unit_test(options_that_nvrtc_cannot_have_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
