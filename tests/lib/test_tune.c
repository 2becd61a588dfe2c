/* Searches on a virtual GPU; skipped where there is no kernel compiler. */
#include "lib/compile.h"
#include "lib/tune/tune.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* Twice the sectors a load with STRIDE 2; with 3 the last element is forgotten, with 4 nothing compiles. */
static const char source[] =
    "extern \"C\" __global__ void twice(int n, const float *in, float *out) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "#if STRIDE == 4\n"
    "#error no such stride\n"
    "#endif\n"
    "    if (i < n - (STRIDE == 3)) out[i] = in[i * (STRIDE == 2 ? 2 : 1) / (STRIDE == 2 ? 2 : 1)] * 2;\n"
    "    if (STRIDE == 2 && i < n) out[i] += 0 * in[(i * 32) % n];\n"
    "}\n"
    "extern \"C\" __global__ void plain(int n, const float *in, float *out) {\n"
    "    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = in[i] * 2;\n"
    "}\n";
static char path[] = "/tmp/haul-test-XXXXXX.cu";
static const char *const arguments[] = {"i32:{SIZE}", "buf:f01:{SIZE}", "buf:poison:{SIZE}"};
static haul_device *device;

static int start(void **state) {
    (void)state;
    const haul_device_options options = {.threads = 2, .memory_bytes = 64 << 20};
    int descriptor = mkstemps(path, 3);
    FILE *f = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (!f) return 1;
    fputs(source, f);
    fclose(f);
    return haul_device_open("sim:h100", &options, &device) != HAUL_OK;
}

static int end(void **state) {
    (void)state;
    haul_device_close(device);
    return unlink(path);
}

static void need_compiler(void) {
    text line = {0};
    haul_status status = compile_find(NULL, &line);
    text_free(&line);
    if (status != HAUL_OK) skip();
}

static tune_problem problem_with(const char *strides) {
    static arena memory;
    char given[64];
    tune_problem p = {.name = "twice",
                      .source = path,
                      .launch = {"twice", "ceil(SIZE, THREADS)", "THREADS", NULL, 0},
                      .reference = {"plain", NULL, "32", NULL, 0},
                      .arguments = arguments,
                      .argument_count = 3,
                      .bytes = "8 * SIZE",
                      .size = 1 << 20,
                      .check_size = 1001};
    snprintf(given, sizeof given, "STRIDE=%s", strides);
    assert_int_equal(tune_parse_parameter(&memory, given, &p.parameters[0]), HAUL_OK);
    assert_int_equal(tune_parse_parameter(&memory, "THREADS=128,4096", &p.parameters[1]), HAUL_OK);
    p.parameter_count = 2;
    return p;
}

static const tune_variant *variant(const tune_problem *p, const tune_result *r, const char *stride,
                                   const char *threads) {
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(tune_value(p, &r->variants[i], 0), stride) == 0 &&
            strcmp(tune_value(p, &r->variants[i], 1), threads) == 0)
            return &r->variants[i];
    fail_msg("no variant %s, %s", stride, threads);
    return NULL;
}

static void the_fastest_right_variant_wins(void **state) {
    (void)state;
    need_compiler();
    const tune_options options = {.seconds = 300};
    const tune_problem p = problem_with("2,1,3,4");
    tune_result r;
    assert_int_equal(tune_search(device, &p, &options, &r), HAUL_OK);
    assert_int_equal(r.combinations, 8);
    assert_true(r.exhaustive);
    assert_ptr_equal(r.best, variant(&p, &r, "1", "128"));
    assert_ptr_equal(r.start, variant(&p, &r, "2", "128"));
    assert_true(r.best->gain > 1.01);
    assert_int_equal(variant(&p, &r, "3", "128")->outcome, TUNE_WRONG);
    assert_int_equal(variant(&p, &r, "4", "128")->outcome, TUNE_UNCOMPILED);
    assert_non_null(strstr(variant(&p, &r, "4", "128")->why, "no such stride"));
    assert_int_equal(variant(&p, &r, "1", "4096")->outcome, TUNE_REFUSED);
    tune_result_free(&r);
}

static void requirements_leave_variants_out(void **state) {
    (void)state;
    need_compiler();
    static const char *const requirements[] = {"STRIDE * THREADS < 256"};
    const tune_options options = {.seconds = 300};
    tune_problem p = problem_with("1,2");
    p.requirements = requirements;
    p.requirement_count = 1;
    tune_result r;
    assert_int_equal(tune_search(device, &p, &options, &r), HAUL_OK);
    assert_string_equal(variant(&p, &r, "2", "128")->why, "does not hold: STRIDE * THREADS < 256");
    tune_result_free(&r);
}

static void a_search_without_a_winner_says_why(void **state) {
    (void)state;
    need_compiler();
    const tune_options options = {.seconds = 300};
    const tune_problem p = problem_with("3,4");
    tune_result r;
    assert_int_equal(tune_search(device, &p, &options, &r), HAUL_ERROR_NOT_FOUND);
    assert_string_equal(haul_message(),
                        "twice: none of 4 variants could be timed; the first: wrong: its results differ "
                        "from the reference's");
    tune_result_free(&r);
}

static void one_value_is_nothing_to_tune(void **state) {
    (void)state;
    const tune_options options = {0};
    tune_problem p = problem_with("1");
    p.parameter_count = 1;
    tune_result r;
    assert_int_equal(tune_search(device, &p, &options, &r), HAUL_ERROR_ARGUMENT);
    tune_result_free(&r);
}

static void a_transfer_that_cannot_be_is_not_compiled(void **state) {
    (void)state;
    need_compiler();
    const tune_transfer transfer = {
        .bytes = "16 * THREADS", .threads = "THREADS", .stages = "STRIDE", .team = HAUL_TEAM_BLOCK};
    const tune_options options = {.seconds = 300};
    tune_problem p = problem_with("1,99");
    p.transfer = &transfer;
    tune_result r;
    assert_int_equal(tune_search(device, &p, &options, &r), HAUL_OK);
    assert_int_equal(variant(&p, &r, "99", "128")->outcome, TUNE_REFUSED);
    tune_result_free(&r);
}

static void values_are_taken_apart(void **state) {
    (void)state;
    arena memory = {0};
    tune_parameter p;
    assert_int_equal(tune_parse_parameter(&memory, "ENGINE=HAUL_AUTO,HAUL_BY_LDG", &p), HAUL_OK);
    assert_string_equal(p.name, "ENGINE");
    assert_int_equal(p.value_count, 2);
    assert_string_equal(p.values[1], "HAUL_BY_LDG");
    assert_int_equal(tune_parse_parameter(&memory, "ENGINE", &p), HAUL_ERROR_ARGUMENT);
    assert_int_equal(tune_parse_parameter(&memory, "=1", &p), HAUL_ERROR_ARGUMENT);
    assert_int_equal(tune_parse_parameter(&memory, "A=1,,2", &p), HAUL_ERROR_ARGUMENT);
    arena_free(&memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fastest_right_variant_wins),
        cmocka_unit_test(requirements_leave_variants_out),
        cmocka_unit_test(a_search_without_a_winner_says_why),
        cmocka_unit_test(one_value_is_nothing_to_tune),
        cmocka_unit_test(a_transfer_that_cannot_be_is_not_compiled),
        cmocka_unit_test(values_are_taken_apart),
    };
    return cmocka_run_group_tests(tests, start, end);
}
