/* Calls that cannot be inlined, as compilers write them: recursion, tables of functions, virtual functions. Each test
 * runs nvcc's and clang's PTX of tests/data/ptx/calls.cu, with and without checks, and compares the results with ones
 * computed here. */
#include "kernel.h"

#include "base/text.h"
#include "driver/driver.h"
#include "vgpu/driver.h"

enum { BLOCKS = 3, THREADS = 72, COUNT = BLOCKS * THREADS, STACK = 4096 };

static const char *const files[] = {TEST_DATA "/ptx/calls-nvcc.ptx", TEST_DATA "/ptx/calls-clang.ptx"};

/* A launch of one of calls.cu's kernels: the words of its buffers (the last is read back) and numbers in between. */
typedef struct trial {
    const char *kernel;
    const void *in, *more; /* NULL: no such buffer */
    size_t in_bytes, more_bytes;
    void *out; /* its contents before and after */
    size_t out_bytes;
    uint64_t number; /* an argument before the buffers; 0: none */
    int32_t last;    /* one after them; 0: none */
    uint32_t blocks, threads, host_threads;
    bool check;
    const char *finding; /* finding that checks must report; NULL: none */
} trial;

static haul_argument upload(haul_device *device, const void *from, size_t bytes) {
    haul_buffer *b;
    assert_int_equal(haul_buffer_create(device, bytes, &b), HAUL_OK);
    assert_int_equal(haul_buffer_write(b, 0, from, bytes), HAUL_OK);
    return (haul_argument){.kind = HAUL_ARGUMENT_BUFFER, .buffer = b};
}

static haul_status try_in(const trial *t, const char *file) {
    const haul_device_options options = {.threads = t->host_threads, .check = t->check};
    haul_argument arguments[5];
    uint32_t count = 0;
    haul_device *device;
    haul_module *module;
    haul_run *run;
    assert_int_equal(haul_device_open("sim:h100", &options, &device), HAUL_OK);
    assert_int_equal(sim_driver()->limit_set(DRIVER_LIMIT_STACK, STACK), CUDA_SUCCESS);
    if (haul_module_load_file(device, file, &module) != HAUL_OK) fail_msg("%s", haul_message());
    if (t->number) arguments[count++] = (haul_argument){.kind = HAUL_ARGUMENT_I64, .integer = (int64_t)t->number};
    if (t->in) arguments[count++] = upload(device, t->in, t->in_bytes);
    if (t->more) arguments[count++] = upload(device, t->more, t->more_bytes);
    haul_buffer *out = (arguments[count++] = upload(device, t->out, t->out_bytes)).buffer;
    if (t->last) arguments[count++] = (haul_argument){.kind = HAUL_ARGUMENT_I32, .integer = t->last};
    const haul_launch launch = {.kernel = t->kernel,
                                .grid = {t->blocks ? t->blocks : BLOCKS, 1, 1},
                                .block = {t->threads ? t->threads : THREADS, 1, 1},
                                .arguments = arguments,
                                .argument_count = count};
    assert_int_equal(haul_run_create(device, &run), HAUL_OK);
    const haul_status status = haul_launch_run(module, &launch, run);
    if (status == HAUL_OK) assert_int_equal(haul_buffer_read(out, 0, t->out, t->out_bytes), HAUL_OK);
    const haul_launch_record *record = run->launch_count ? &run->launches[0] : NULL;
    const char *found = record && record->finding_count ? haul_finding_kinds[record->findings[0].kind].key : NULL;
    if (t->check && status == HAUL_OK && (found || t->finding) &&
        strcmp(found ? found : "", t->finding ? t->finding : ""))
        fail_msg("%s of %s: found %s, not %s", t->kernel, file, found ? found : "nothing",
                 t->finding ? t->finding : "nothing");
    haul_run_free(run);
    haul_device_close(device);
    return status;
}

/* `out` must become `expected` for each compiler, with and without checks, on one host thread and on four. */
static void expect(const trial *base, const void *expected) {
    for (unsigned k = 0; k < 6; k++) {
        unsigned char *first = malloc(base->out_bytes);
        trial t = *base;
        t.out = first;
        t.check = k % 3 == 1;
        t.host_threads = k % 3 == 2 ? 4 : 1;
        memcpy(first, base->out, base->out_bytes);
        if (try_in(&t, files[k / 3]) != HAUL_OK) fail_msg("%s of %s: %s", t.kernel, files[k / 3], haul_message());
        for (size_t b = 0; b < t.out_bytes; b += 4)
            if (memcmp(first + b, (const unsigned char *)expected + b, 4))
                fail_msg("%s of %s: word %zu differs", t.kernel, files[k / 3], b / 4);
        free(first);
    }
}

static void expect_fault(const trial *base, const char *what) {
    uint32_t out[64] = {0};
    for (unsigned k = 0; k < 4; k++) {
        trial t = *base;
        t.check = k % 2;
        if (!t.out) t.out = out, t.out_bytes = sizeof out;
        const haul_status status = try_in(&t, files[k / 2]);
        if (status == HAUL_OK) fail_msg("%s of %s: nothing went wrong", t.kernel, files[k / 2]);
        if (!strstr(haul_message(), what)) fail_msg("'%s' has no '%s'", haul_message(), what);
    }
}

/* ---- recursion ---- */

static uint32_t fibonacci_of(uint32_t n) {
    return n < 2 ? n : fibonacci_of(n - 1) + fibonacci_of(n - 2);
}

static void lanes_recurse_to_different_depths(void **state) {
    (void)state;
    uint32_t n[COUNT], out[COUNT] = {0}, expected[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) expected[i] = fibonacci_of(n[i] = i * 7 % 13);
    expect(&(trial){"fibonacci", FROM(n), INTO(out)}, expected);
}

static int by_value(const void *a, const void *b) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void each_lane_sorts_its_part(void **state) {
    (void)state;
    enum { EACH = 37 };
    static int32_t data[COUNT * EACH], expected[COUNT * EACH];
    for (uint32_t i = 0; i < COUNT * EACH; i++) expected[i] = data[i] = (int32_t)(i * 2654435761u >> 8) % 1000;
    for (uint32_t i = 0; i < COUNT; i++) qsort(expected + i * EACH, EACH, sizeof *expected, by_value);
    expect(&(trial){"quicksort", INTO(data), .last = EACH}, expected);
}

typedef struct node {
    int32_t left, right, value;
} node;

static int32_t sum_of(const node *tree, int32_t at, int32_t depth) {
    if (at < 0) return 0;
    return depth * tree[at].value + sum_of(tree, tree[at].left, depth + 1) + sum_of(tree, tree[at].right, depth + 1);
}

static void walks_a_tree(void **state) {
    (void)state;
    node tree[COUNT];
    int32_t roots[COUNT], out[COUNT] = {0}, expected[COUNT];
    for (int32_t i = 0; i < COUNT; i++) {
        tree[i] = (node){2 * i + 1 < COUNT && i % 5 ? 2 * i + 1 : -1, 2 * i + 2 < COUNT ? 2 * i + 2 : -1, i * i % 97};
        roots[i] = i * 5 % COUNT;
    }
    for (int32_t i = 0; i < COUNT; i++) expected[i] = sum_of(tree, roots[i], 1);
    expect(&(trial){"tree_sum", tree, roots, sizeof tree, sizeof roots, INTO(out)}, expected);
}

static int32_t collatz_steps(uint32_t n) {
    int32_t steps = 0;
    for (; n > 1; n = n % 2 ? 3 * n + 1 : n / 2) steps++;
    return steps;
}

static void two_functions_call_each_other(void **state) {
    (void)state;
    int32_t out[COUNT] = {0}, expected[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) expected[i] = collatz_steps(i);
    expect(&(trial){"collatz", INTO(out)}, expected);
}

static int32_t nested_of(uint32_t *outer, int32_t n) {
    uint32_t own[4], sum = 0;
    for (int k = 0; k < 4; k++) own[k] = outer[k] + (uint32_t)(n * k);
    if (n > 0) outer[n & 3] += (uint32_t)nested_of(own, n - 1);
    for (int k = 0; k < 4; k++) sum = 31 * sum + own[k];
    return (int32_t)sum;
}

static void frames_are_alive_side_by_side(void **state) {
    (void)state;
    uint32_t out[COUNT] = {0}, expected[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t top[4] = {1, 2, 3, 4};
        expected[i] = (uint32_t)nested_of(top, (int32_t)(i % 7));
        for (int k = 0; k < 4; k++) expected[i] += top[k];
    }
    expect(&(trial){"nested", INTO(out)}, expected);
}

static void recursion_without_an_end_overflows_the_stack(void **state) {
    (void)state;
    expect_fault(&(trial){"endless", .blocks = 1, .threads = 32},
                 "stack overflow: the call is 257 deep and its frames need more than the stack's 4096 bytes");
}

/* ---- calls through registers ---- */

static float power(float x, const float *from) {
    return x < 2 ? 1 : x * power(x - 1, from);
}

static void lanes_call_what_a_table_says(void **state) {
    (void)state;
    uint32_t which[COUNT];
    float from[9], out[COUNT] = {0}, expected[COUNT];
    for (uint32_t i = 0; i < 9; i++) from[i] = (float)i * 1.5f;
    for (uint32_t i = 0; i < COUNT; i++) {
        const float x = (float)(i % 9), results[] = {2 * x, x * x, from[i % 9], power(x, from)};
        expected[i] = results[which[i] = i / 3 % 4];
    }
    expect(&(trial){"by_table", which, from, sizeof which, sizeof from, INTO(out)}, expected);
}

static void objects_have_virtual_functions(void **state) {
    (void)state;
    float sides[COUNT], out[COUNT] = {0}, expected[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        sides[i] = (float)i / 4;
        expected[i] = i % 3 ? 0.5f * (sides[i] * sides[i]) : sides[i] * 3 + 0.5f;
    }
    expect(&(trial){"shapes", FROM(sides), INTO(out)}, expected);
}

static void a_call_of_what_is_no_function_faults(void **state) {
    (void)state;
    static const uint64_t wild[] = {8,          0x00004b0000000000u, 0x00004b0000000008u, 0x00004b000000fff0u,
                                    ~0ull - 15, 0x0000200000000000u};
    for (size_t i = 0; i < sizeof wild / sizeof *wild; i++)
        expect_fault(&(trial){"wild", .number = wild[i], .blocks = 1, .threads = 32}, "there is no function");
}

#define PROTOTYPE "P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
#define CALL_RD3                                                                                                 \
    "{ .param .b32 a;\n.param .b32 r;\nst.param.b32 [a], %r0;\ncall (r), %rd3, (a), P;\nld.param.b32 %r3, [r]; " \
    "}\n" OUT("%r3")

static void a_call_in_a_module_without_functions_faults(void **state) {
    (void)state;
    static const char *const bodies[] = {
        PROTOTYPE "mov.u64 %rd3, 0;\n" CALL_RD3,
        PROTOTYPE "mov.u64 %rd3, 0x4b0000000010;\n" CALL_RD3,
        PROTOTYPE CALL_RD3, /* of an uninitialised register */
        PROTOTYPE "mov.u32 %r4, 0;\nmov.u64 %rd3, k;\nL: add.u32 %r4, %r4, 1;\n" CALL_RD3
                  "setp.lt.u32 %p0, %r4, 8;\n@%p0 bra L;\n",
        "P: .callprototype _ ();\nmov.u64 %rd3, 0;\nsetp.eq.u32 %p0, %r0, 9;\n@%p0 call %rd3, P;\n",
        "P: .callprototype _ (.param .b8 _[]);\nmov.u64 %rd3, 0;\n{ .param .b8 z[8];\ncall %rd3, (z), P; }\n",
        PROTOTYPE "alloca.u64 %rd4, 64;\nmov.u64 %rd3, 0;\n" CALL_RD3,
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        char ptx[4096];
        snprintf(ptx, sizeof ptx, "%s%s%s", HEAD BEGIN, bodies[i], END);
        expect_failure(&(kernel_run){.ptx = ptx}, HAUL_ERROR_FAULT, "there is no function");
    }
}

static void functions_whose_address_nobody_takes_are_not_called(void **state) {
    (void)state;
    static const char *const functions[] = {
        ".func (.param .b32 r) f(.param .b32 a) { ret; }\n",
        ".extern .func (.param .b32 r) f(.param .b32 a);\n",
        (".func (.param .b32 r) f(.param .b32 a) {\n.local .b32 v[4];\n.reg .b32 %x;\nld.param.b32 %x, [a];\n"
         "st.local.b32 [v], %x;\n{ .param .b32 b;\n.param .b32 c;\nst.param.b32 [b], %x;\ncall (c), f, (b); }\nret; "
         "}\n"),
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        char ptx[4096];
        snprintf(ptx, sizeof ptx, "%s%s%s", HEAD, functions[i],
                 BEGIN PROTOTYPE "mov.u64 %rd3, 0x4b0000000010;\n" CALL_RD3 END);
        expect_failure(&(kernel_run){.ptx = ptx}, HAUL_ERROR_FAULT, "there is no function");
    }
}

static void a_call_that_no_lane_makes_does_nothing(void **state) {
    (void)state;
    uint32_t out[32] = {0};
    run_words(KERNEL(PROTOTYPE "mov.u64 %rd3, 0;\nmov.u32 %r3, 7;\nsetp.eq.u32 %p0, %r0, 99;\n"
                               "@!%p0 bra J;\n" CALL_RD3 "J:\n" OUT("%r3")),
              1, 32, out);
    expect_words(out, 32, 7);
}

/* ---- functions that are too large to inline ---- */

/* `level` calls the one below it, and once more with its result if its number equals the argument: inlining would give
 * 2^levels bodies. */
static uint32_t level(uint32_t number, uint32_t a) {
    uint32_t t = a;
    if (number == 0) return a + 1;
    t = level(number - 1, a);
    if (a == number) t = level(number - 1, t);
    return t + a;
}

static void write_level(text *out, uint32_t number) {
    text_printf(out, ".func (.reg .b32 r) f%u(.reg .b32 a) {\n", number);
    text_put(out, ".reg .pred p;\n.reg .b32 t;\n.local .b32 own;\nst.local.u32 [own], a;\n");
    text_printf(out, "setp.eq.u32 p, a, %u;\ncall (t), f%u, (a);\n", number, number - 1);
    text_printf(out, "@p call (t), f%u, (t);\n", number - 1);
    text_put(out, "ld.local.u32 r, [own];\nadd.u32 r, r, t;\nret;\n}\n");
}

static void functions_too_many_to_be_in_line_give_the_same(void **state) {
    (void)state;
    enum { LEVELS = 1000, LANES = 32 };
    text source = {0};
    uint32_t out[LANES];
    text_put(&source, HEAD ".func (.reg .b32 r) f0(.reg .b32 a) {\nadd.u32 r, a, 1;\nret;\n}\n");
    for (uint32_t k = 1; k < LEVELS; k++) write_level(&source, k);
    text_printf(&source, "%scall (%%r3), f%d, (%%r0);\n%s", BEGIN, LEVELS - 1, OUT("%r3") END);
    run_words(text_string(&source), 1, LANES, out);
    expect_words(out, LANES, level(LEVELS - 1, i));
    text_free(&source);
}

/* PTX before 2.0 passes vectors in registers. */
static void vectors_of_registers_are_passed_and_returned(void **state) {
    (void)state;
    uint32_t out[32];
    run_words(HEAD ".func (.reg .v2 .b32 r) turn(.reg .v4 .b32 a, .reg .b32 b) {\n"
                   "mad.lo.u32 r.x, a.w, 10, a.z;\nmad.lo.u32 r.y, a.y, 10, b;\nret;\n}\n" BEGIN
                   ".reg .v4 .b32 v<2>;\n.reg .v2 .b32 got;\n"
                   "mov.v4.b32 v1, {%r0, 2, 3, 4};\nmov.b32 v0.x, 7;\ncall (got), turn, (v1, v0.x);\n"
                   "mad.lo.u32 %r3, got.x, 100, got.y;\n" OUT("%r3") END,
              1, 32, out);
    expect_words(out, 32, 4327);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_recurse_to_different_depths),
        cmocka_unit_test(each_lane_sorts_its_part),
        cmocka_unit_test(walks_a_tree),
        cmocka_unit_test(two_functions_call_each_other),
        cmocka_unit_test(frames_are_alive_side_by_side),
        cmocka_unit_test(recursion_without_an_end_overflows_the_stack),
        cmocka_unit_test(lanes_call_what_a_table_says),
        cmocka_unit_test(objects_have_virtual_functions),
        cmocka_unit_test(a_call_of_what_is_no_function_faults),
        cmocka_unit_test(a_call_in_a_module_without_functions_faults),
        cmocka_unit_test(functions_whose_address_nobody_takes_are_not_called),
        cmocka_unit_test(a_call_that_no_lane_makes_does_nothing),
        cmocka_unit_test(functions_too_many_to_be_in_line_give_the_same),
        cmocka_unit_test(vectors_of_registers_are_passed_and_returned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
