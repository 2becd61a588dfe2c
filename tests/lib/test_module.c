/* Modules and launches through the public API: arguments, limits, and every way to fail. */
#include "../sim/kernel.h"

#include "base/memory.h"

#include <stdbool.h>

static haul_device *device;
static haul_module *module;

static const char ptx[] = HEAD ".visible .entry first(.param .u64 out, .param .u32 n) .maxntid 128 {\n"
                               ".reg .b64 %rd<4>; .reg .b32 %r<4>;\n"
                               "ld.param.u64 %rd0, [out]; ld.param.u32 %r0, [n];\n"
                               "mov.u32 %r1, %tid.x; mad.wide.u32 %rd1, %r1, 4, %rd0;\n"
                               "st.global.u32 [%rd1], %r0; ret; }\n"
                               ".func helper() { ret; }\n"
                               ".visible .entry second() .reqntid 8, 4 { ret; }\n";

/* A kernel of each kind of parameter, called as compilers call them but for `untyped`. */
static const char typed[] = HEAD ".visible .entry u8(.param .u8 u8_param_0) { ret; }\n"
                                 ".visible .entry u32(.param .u32 u32_param_0) { ret; }\n"
                                 ".visible .entry s32(.param .s32 s32_param_0) { ret; }\n"
                                 ".visible .entry u64(.param .u64 u64_param_0) { ret; }\n"
                                 ".visible .entry f32(.param .f32 f32_param_0) { ret; }\n"
                                 ".visible .entry f64(.param .f64 f64_param_0) { ret; }\n"
                                 ".visible .entry b32(.param .b32 untyped) { ret; }\n"
                                 ".visible .entry b64(.param .b64 untyped) { ret; }\n"
                                 ".visible .entry array(.param .align 4 .b8 untyped[4]) { ret; }\n"
                                 ".visible .entry structure(.param .align 4 .b8 untyped[12]) { ret; }\n";

static int set_up(void **state) {
    (void)state;
    return haul_device_open("sim:h100", NULL, &device) != HAUL_OK ||
           haul_module_load(device, "two.ptx", ptx, strlen(ptx), &module) != HAUL_OK;
}

static int tear_down(void **state) {
    (void)state;
    haul_device_close(device);
    return 0;
}

static void expect_message(haul_status got, haul_status want, const char *text) {
    if (got != want) fail_msg("status %d, not %d: %s", (int)got, (int)want, haul_message());
    if (!strstr(haul_message(), text)) fail_msg("'%s' has no '%s'", haul_message(), text);
}

/* ---- modules ---- */

static void a_module_lists_its_kernels_in_order(void **state) {
    (void)state;
    assert_int_equal(haul_module_kernel_count(module), 2);
    assert_string_equal(haul_module_kernel_name(module, 0), "first");
    assert_string_equal(haul_module_kernel_name(module, 1), "second");
    assert_null(haul_module_kernel_name(module, 2));
}

static void a_kernel_is_found_by_its_name_in_the_source(void **state) {
    (void)state;
    static const char mangled[] = HEAD ".visible .entry _Z5scalefPf() { ret; }\n.visible .entry _Z3addi() { ret; }\n"
                                       ".visible .entry _Z3addf() { ret; }\n";
    haul_module *m;
    const char *symbol;
    char name[8];
    assert_int_equal(haul_module_load(device, "cpp.ptx", mangled, strlen(mangled), &m), HAUL_OK);
    assert_int_equal(haul_module_find_kernel(m, "scale", &symbol), HAUL_OK);
    assert_string_equal(symbol, "_Z5scalefPf");
    assert_int_equal(haul_module_find_kernel(m, "add(int)", &symbol), HAUL_OK);
    assert_string_equal(symbol, "_Z3addi");
    expect_message(haul_module_find_kernel(m, "add", &symbol), HAUL_ERROR_ARGUMENT, "add(float)");
    expect_message(haul_module_find_kernel(m, "scales", &symbol), HAUL_ERROR_NOT_FOUND, "scale");
    haul_kernel_name("_Z5scalefPf", name, sizeof name);
    assert_string_equal(name, "scale");
    haul_kernel_name("unmangled", name, sizeof name);
    assert_string_equal(name, "unmangl");
    haul_module_unload(m);
}

static void parameters_are_told_with_size_and_kind(void **state) {
    (void)state;
    static const struct {
        const char *kernel;
        haul_parameter_kind kind;
        uint64_t bytes;
    } rows[] = {{"u8", HAUL_PARAMETER_INTEGER, 1},   {"s32", HAUL_PARAMETER_INTEGER, 4},
                {"u64", HAUL_PARAMETER_INTEGER, 8},  {"f32", HAUL_PARAMETER_FLOATING, 4},
                {"f64", HAUL_PARAMETER_FLOATING, 8}, {"b64", HAUL_PARAMETER_BYTES, 8},
                {"array", HAUL_PARAMETER_BYTES, 4},  {"structure", HAUL_PARAMETER_BYTES, 12}};
    haul_module *m;
    haul_parameter p[2];
    size_t count;
    assert_int_equal(haul_module_load(device, "typed.ptx", typed, strlen(typed), &m), HAUL_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(haul_module_parameters(m, rows[i].kernel, p, 2, &count), HAUL_OK);
        assert_int_equal(count, 1);
        assert_int_equal(p[0].kind, rows[i].kind);
        assert_int_equal(p[0].bytes, rows[i].bytes);
    }
    haul_module_unload(m);
    assert_int_equal(haul_module_parameters(module, "first", p, 1, &count), HAUL_OK);
    assert_int_equal(count, 2);
    assert_string_equal(p[0].name, "out");
    assert_int_equal(haul_module_parameters(module, "second", NULL, 0, &count), HAUL_OK);
    assert_int_equal(count, 0);
    expect_message(haul_module_parameters(module, "third", p, 2, &count), HAUL_ERROR_NOT_FOUND, "no kernel 'third'");
}

static void a_module_comes_from_a_file(void **state) {
    (void)state;
    haul_module *m;
    assert_int_equal(haul_module_load_file(device, TEST_DATA "/truth/memory_basics.ptx", &m), HAUL_OK);
    assert_string_equal(haul_module_kernel_name(m, 0), "copy_stride");
    haul_module_unload(m);
    expect_message(haul_module_load_file(device, TEST_DATA "/nothing.ptx", &m), HAUL_ERROR_FILE, "nothing.ptx: ");
    assert_null(m);
    expect_message(haul_module_load_file(device, TEST_DATA, &m), HAUL_ERROR_FILE, "is a directory");
    expect_message(haul_module_load_file(device, TEST_DATA "/truth/memory_basics.cu", &m), HAUL_ERROR_SYNTAX,
                   "memory_basics.cu:2:");
}

static void what_is_no_ptx_is_refused_with_its_place(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "bad.ptx"},
        {"\x7f"
         "ELF",
         "bad.ptx:1:1:"},
        {HEAD ".visible .entry k() { frobnicate.u32 %r1; }", "bad.ptx:4:"},
        {HEAD ".visible .entry k() { ret; ", "bad.ptx:4:"},
        {HEAD ".visible .entry k() { bra NOWHERE; }", "NOWHERE"},
        {".version 99.9\n.target sm_90\n.address_size 64\n", "bad.ptx"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        haul_module *bad;
        const haul_status status = haul_module_load(device, "bad.ptx", cases[c].text, strlen(cases[c].text), &bad);
        if (status == HAUL_OK && c == 0) { /* an empty file may be an empty module */
            haul_module_unload(bad);
            continue;
        }
        assert_null(bad);
        if (!strstr(haul_message(), cases[c].message)) fail_msg("'%s' has no '%s'", haul_message(), cases[c].message);
    }
}

static void zero_bytes_are_no_ptx(void **state) {
    (void)state;
    haul_module *bad;
    expect_message(haul_module_load(device, "zeros", ".version\0 8.3", 13, &bad), HAUL_ERROR_SYNTAX, "zero bytes");
}

/* ---- variables ---- */

static const char with_variables[] =
    HEAD ".const .align 4 .b8 table[16];\n.global .u32 _ZL5total = 7;\n"
         ".shared .u32 inside;\n" BEGIN "and.b32 %r3, %r0, 3;\nmov.u64 %rd3, table;\nmad.wide.u32 %rd3, %r3, 4, %rd3;\n"
         "ld.const.u32 %r4, [%rd3];\natom.global.add.u32 %r5, [_ZL5total], %r4;\n" OUT("%r4") END;

static void variables_are_buffers_of_their_module(void **state) {
    (void)state;
    haul_module *m;
    haul_buffer *table, *again, *total;
    const uint32_t values[] = {5, 6, 7, 8};
    uint32_t out[32] = {0}, sum = 0;
    assert_int_equal(haul_module_load(device, "v.ptx", with_variables, strlen(with_variables), &m), HAUL_OK);
    assert_int_equal(haul_module_variable(m, "table", &table), HAUL_OK);
    assert_int_equal(haul_module_variable(m, "table", &again), HAUL_OK);
    assert_ptr_equal(table, again);
    assert_int_equal(haul_buffer_bytes(table), 16);
    assert_int_equal(haul_buffer_write(table, 0, values, sizeof values), HAUL_OK);
    assert_int_equal(launch_on(device, m, &(kernel_run){.out = out, .out_bytes = sizeof out}), HAUL_OK);
    expect_words(out, 32, values[i % 4]);
    assert_int_equal(haul_module_variable(m, "total", &total), HAUL_OK); /* as the source calls it */
    assert_int_equal(haul_buffer_read(total, 0, &sum, sizeof sum), HAUL_OK);
    assert_int_equal(sum, 7 + 8 * (5 + 6 + 7 + 8));
    expect_message(haul_module_variable(m, "inside", &total), HAUL_ERROR_NOT_FOUND, "no variable `inside`");
    expect_message(haul_buffer_write(table, 8, values, sizeof values), HAUL_ERROR_ARGUMENT, "");
    haul_module_unload(m);
}

/* ---- launches ---- */

static haul_buffer *words;

static haul_launch first_launch(const haul_argument arguments[2]) {
    return (haul_launch){
        .kernel = "first", .grid = {1, 1, 1}, .block = {32, 1, 1}, .arguments = arguments, .argument_count = 2};
}

static void a_launch_runs_and_is_recorded(void **state) {
    (void)state;
    haul_run *run;
    uint32_t got[32];
    assert_int_equal(haul_buffer_create(device, sizeof got, &words), HAUL_OK);
    const haul_argument arguments[] = {{.kind = HAUL_ARGUMENT_BUFFER, .buffer = words},
                                       {.kind = HAUL_ARGUMENT_I32, .integer = 9}};
    const haul_launch launch = first_launch(arguments);
    assert_int_equal(haul_run_create(device, &run), HAUL_OK);
    assert_int_equal(haul_launch_run(module, &launch, run), HAUL_OK);
    assert_int_equal(haul_launch_run(module, &launch, run), HAUL_OK);
    assert_int_equal(run->launch_count, 2);
    assert_string_equal(run->launches[1].kernel, "first");
    assert_int_equal(run->launches[1].block[0], 32);
    assert_int_equal(run->launches[1].instruction_count, 6);
    assert_string_equal(run->launches[1].instructions[4].mnemonic, "st.global.u32");
    assert_int_equal(run->launches[1].instructions[4].traffic.threads, 32);
    assert_int_equal(haul_buffer_read(words, 0, got, sizeof got), HAUL_OK);
    for (unsigned k = 0; k < 32; k++) assert_int_equal(got[k], 9);
    haul_run_free(run);
    haul_buffer_free(words);
}

static void arguments_must_fit_the_parameters(void **state) {
    (void)state;
    assert_int_equal(haul_buffer_create(device, 128, &words), HAUL_OK);
    haul_argument arguments[] = {{.kind = HAUL_ARGUMENT_BUFFER, .buffer = words},
                                 {.kind = HAUL_ARGUMENT_I32, .integer = 9}};
    haul_launch launch = first_launch(arguments);
    launch.argument_count = 1;
    expect_message(haul_launch_run(module, &launch, NULL), HAUL_ERROR_ARGUMENT, "takes 2 arguments, 1 given");
    launch.argument_count = 2;
    arguments[1].kind = HAUL_ARGUMENT_I64;
    expect_message(haul_launch_run(module, &launch, NULL), HAUL_ERROR_ARGUMENT,
                   "argument 2 is 8 bytes, but parameter `n` is 4 bytes; pass it as `u32:9`");
    arguments[0].buffer = NULL;
    expect_message(haul_launch_run(module, &launch, NULL), HAUL_ERROR_ARGUMENT, "argument 1 is not a buffer");
    launch.kernel = "third";
    expect_message(haul_launch_run(module, &launch, NULL), HAUL_ERROR_NOT_FOUND, "two.ptx has no kernel 'third'");
    launch.kernel = "helper";
    expect_message(haul_launch_run(module, &launch, NULL), HAUL_ERROR_NOT_FOUND, "helper");
    haul_buffer_free(words);
}

static void scalars_must_be_of_the_parameters_kind(void **state) {
    (void)state;
    static const struct {
        const char *kernel;
        haul_argument argument;
        const char *message; /* NULL: it fits */
    } cases[] = {
        {"u8", {.kind = HAUL_ARGUMENT_I8, .integer = 255}, NULL},
        {"u8",
         {.kind = HAUL_ARGUMENT_I32, .integer = 1},
         "is 4 bytes, but the kernel's parameter 1 is 1 byte; pass it as `u8:1`"},
        {"u32", {.kind = HAUL_ARGUMENT_I32, .integer = -1}, NULL},
        {"u32",
         {.kind = HAUL_ARGUMENT_F32, .real = 3},
         "is a floating-point number, but the kernel's parameter 1 is a whole number (.u32); pass it as `u32:3`"},
        {"s32", {.kind = HAUL_ARGUMENT_F32, .real = -3}, "a whole number (.s32); pass it as `i32:-3`"},
        {"s32", {.kind = HAUL_ARGUMENT_I16, .integer = 3}, "is 2 bytes, but the kernel's parameter 1 is 4 bytes"},
        {"f32", {.kind = HAUL_ARGUMENT_F32, .real = 3}, NULL},
        {"f32",
         {.kind = HAUL_ARGUMENT_I32, .integer = 3},
         "is a whole number, but the kernel's parameter 1 is a floating-point number (.f32); pass it as `f32:3`"},
        {"f64", {.kind = HAUL_ARGUMENT_I64, .integer = 3}, "pass it as `f64:3`"},
        {"f64", {.kind = HAUL_ARGUMENT_F32, .real = 0.5}, "pass it as `f64:0.5`"},
        {"u64", {.kind = HAUL_ARGUMENT_I64, .integer = 3}, NULL},
        {"u64", {.kind = HAUL_ARGUMENT_F64, .real = 3}, "pass it as `u64:3`"},
        {"b32", {.kind = HAUL_ARGUMENT_I32, .integer = 3}, NULL},
        {"b32", {.kind = HAUL_ARGUMENT_F32, .real = 3}, NULL},
        {"b32", {.kind = HAUL_ARGUMENT_F64, .real = 3}, "but parameter `untyped` is 4 bytes; pass it as `f32:3`"},
        {"b64", {.kind = HAUL_ARGUMENT_F64, .real = 3}, NULL},
        {"array", {.kind = HAUL_ARGUMENT_F32, .real = 3}, NULL},
        {"structure", {.kind = HAUL_ARGUMENT_I32}, "is 12 bytes; pass a structure as"},
    };
    haul_module *m;
    assert_int_equal(haul_module_load(device, "typed.ptx", typed, strlen(typed), &m), HAUL_OK);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const haul_launch launch = {.kernel = cases[c].kernel,
                                    .grid = {1, 1, 1},
                                    .block = {1, 1, 1},
                                    .arguments = &cases[c].argument,
                                    .argument_count = 1};
        const haul_status status = haul_launch_run(m, &launch, NULL);
        if (!cases[c].message && status != HAUL_OK) fail_msg("%s: %s", cases[c].kernel, haul_message());
        if (cases[c].message) expect_message(status, HAUL_ERROR_ARGUMENT, cases[c].message);
    }
    haul_module_unload(m);
}

static void a_buffer_needs_a_parameter_for_an_address(void **state) {
    (void)state;
    haul_module *m;
    static const char *const wrong[] = {"u32", "f64"};
    static const char *const messages[] = {"is a buffer, whose address is 8 bytes, but the kernel's parameter 1 is 4",
                                           "is a buffer, but the kernel's parameter 1 is a floating-point number"};
    assert_int_equal(haul_buffer_create(device, 128, &words), HAUL_OK);
    const haul_argument argument = {.kind = HAUL_ARGUMENT_BUFFER, .buffer = words};
    haul_launch launch = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .arguments = &argument, .argument_count = 1};
    assert_int_equal(haul_module_load(device, "typed.ptx", typed, strlen(typed), &m), HAUL_OK);
    for (int k = 0; k < 2; k++) {
        launch.kernel = wrong[k];
        expect_message(haul_launch_run(m, &launch, NULL), HAUL_ERROR_ARGUMENT, messages[k]);
    }
    launch.kernel = "b64";
    assert_int_equal(haul_launch_run(m, &launch, NULL), HAUL_OK);
    haul_module_unload(m);
    haul_buffer_free(words);
}

typedef struct shape {
    uint32_t grid[3], block[3], shared;
    const char *kernel, *message;
} shape;

static void launches_beyond_the_limits_are_refused(void **state) {
    (void)state;
    static const shape cases[] = {
        {{0, 1, 1}, {32, 1, 1}, 0, "first", "has no blocks"},
        {{1, 1, 1}, {0, 1, 1}, 0, "first", "has no threads"},
        {{0x80000000u, 1, 1}, {32, 1, 1}, 0, "first", "grid x 2147483648"},
        {{1, 65536, 1}, {32, 1, 1}, 0, "first", "grid y 65536"},
        {{1, 1, 65536}, {32, 1, 1}, 0, "first", "grid z 65536"},
        {{1, 1, 1}, {1025, 1, 1}, 0, "first", "block x 1025"},
        {{1, 1, 1}, {1, 1, 65}, 0, "first", "block z 65"},
        {{1, 1, 1}, {33, 32, 1}, 0, "first", "threads per block 1056"},
        {{1, 1, 1}, {0xffffffff, 0xffffffff, 0xffffffff}, 0, "first", "block x"},
        {{1, 1, 1}, {129, 1, 1}, 0, "first", "the kernel's launch bound allows 128"},
        {{1, 1, 1}, {32, 1, 1}, 0, "second", "requires a block of 8 x 4 x 1"},
        {{1, 1, 1}, {32, 1, 1}, 232449, "first", "bytes of shared memory per block 232449"},
        {{1, 1, 1}, {32, 1, 1}, 0xffffffff, "first", "bytes of shared memory per block 4294967295"},
    };
    assert_int_equal(haul_buffer_create(device, 128, &words), HAUL_OK);
    const haul_argument arguments[] = {{.kind = HAUL_ARGUMENT_BUFFER, .buffer = words},
                                       {.kind = HAUL_ARGUMENT_I32, .integer = 9}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        haul_launch launch = first_launch(arguments);
        launch.kernel = cases[c].kernel;
        if (cases[c].kernel[0] == 's') launch.argument_count = 0;
        memcpy(launch.grid, cases[c].grid, sizeof launch.grid);
        memcpy(launch.block, cases[c].block, sizeof launch.block);
        launch.shared_bytes = cases[c].shared;
        expect_message(haul_launch_run(module, &launch, NULL), HAUL_ERROR_LIMIT, cases[c].message);
    }
    haul_buffer_free(words);
}

/* 48 KiB as they are, 227 KiB for kernels that opted in. */
static void large_dynamic_shared_memory_is_opted_in_to(void **state) {
    (void)state;
    haul_buffer *buffer;
    uint32_t blocks;
    assert_int_equal(haul_buffer_create(device, 128, &buffer), HAUL_OK);
    const haul_argument arguments[] = {{.kind = HAUL_ARGUMENT_BUFFER, .buffer = buffer},
                                       {.kind = HAUL_ARGUMENT_I32, .integer = 9}};
    haul_launch launch = first_launch(arguments);
    launch.shared_bytes = 48 * 1024;
    assert_int_equal(haul_launch_run(module, &launch, NULL), HAUL_OK);
    launch.shared_bytes = 232448;
    assert_int_equal(haul_module_blocks_per_sm(module, "first", 32, launch.shared_bytes, &blocks), HAUL_OK);
    assert_int_equal(blocks, 1); /* to ask is not to opt in */
    expect_message(haul_launch_run(module, &launch, NULL), HAUL_ERROR_LIMIT,
                   "kernel first: 232448 bytes of dynamic shared memory, but 49152 are allowed until it opts in");
    expect_message(haul_module_allow_shared(module, "first", 232449), HAUL_ERROR_LIMIT, "allows 232448");
    expect_message(haul_module_allow_shared(module, "none", 1), HAUL_ERROR_NOT_FOUND, "none");
    assert_int_equal(haul_module_allow_shared(module, "first", launch.shared_bytes), HAUL_OK);
    assert_int_equal(haul_launch_run(module, &launch, NULL), HAUL_OK);
    haul_buffer_free(buffer);
}

static void a_failed_launch_leaves_the_device_usable(void **state) {
    (void)state;
    uint32_t out[32];
    const char *bad = KERNEL("trap;\n");
    haul_module *trapping;
    assert_int_equal(haul_module_load(device, "bad.ptx", bad, strlen(bad), &trapping), HAUL_OK);
    const kernel_run r = {.out = out, .out_bytes = sizeof out};
    assert_int_equal(launch_on(device, trapping, &r), HAUL_ERROR_TRAP);
    haul_module_unload(trapping);
    a_launch_runs_and_is_recorded(NULL);
}

/* ---- kernels that go wrong ---- */

static void a_trap_is_told(void **state) {
    (void)state;
    expect_failure(&(kernel_run){.ptx = KERNEL("setp.eq.u32 %p0, %r1, 70;\n@%p0 trap;\n"), .blocks = 3},
                   HAUL_ERROR_TRAP, "block 2,0,0, thread 6,0,0");
}

static void a_kernel_that_never_ends_is_stopped(void **state) {
    (void)state;
    const char *const forever[] = {KERNEL("AGAIN: add.u32 %r3, %r3, 1;\nbra AGAIN;\n"),
                                   KERNEL("AGAIN: atom.global.add.u32 %r3, [%rd0], 1;\nbra AGAIN;\n"),
                                   KERNEL("AGAIN: bar.sync 0;\nbra AGAIN;\n")};
    for (int k = 0; k < 3; k++)
        for (uint32_t blocks = 1; blocks < 5; blocks += 3)
            expect_failure(&(kernel_run){.ptx = forever[k], .blocks = blocks, .limit = 1000000}, HAUL_ERROR_TIMEOUT,
                           "has not ended after");
}

/* No limit is needed where nothing changes any more. */
static void a_kernel_that_waits_for_nothing_is_a_deadlock(void **state) {
    (void)state;
    const char *const forever[] = {
        KERNEL("AGAIN: bra AGAIN;\n"),
        KERNEL("AGAIN: ld.volatile.global.u32 %r3, [%rd0];\nsetp.eq.u32 %p0, %r3, 0;\n@%p0 bra AGAIN;\n"),
        KERNEL("AGAIN: atom.global.cas.b32 %r3, [%rd0], 1, 2;\nsetp.eq.u32 %p0, %r3, 0;\n@%p0 bra AGAIN;\n"),
        KERNEL("setp.ne.u32 %p0, %r0, 0;\n@%p0 bra OVER;\n"
               "AGAIN: ld.volatile.global.u32 %r3, [%rd0];\nsetp.eq.u32 %p0, %r3, 0;\n@%p0 bra AGAIN;\n"
               "OVER: bar.sync 0;\n")};
    for (int k = 0; k < 4; k++)
        for (uint32_t blocks = 1; blocks < 5; blocks += 3)
            expect_failure(&(kernel_run){.ptx = forever[k], .blocks = blocks}, HAUL_ERROR_DEADLOCK,
                           blocks == 1 ? "in which nothing changes: block (0,0,0): "
                                       : "in which nothing changes: block (0,0,0) and 3 more blocks: ");
}

static void waiting_for_a_time_is_no_deadlock(void **state) {
    (void)state;
    uint32_t out[64];
    run_words(KERNEL("mov.u64 %rd3, %clock64;\n"
                     "AGAIN: mov.u64 %rd4, %clock64;\n"
                     "sub.u64 %rd4, %rd4, %rd3;\n"
                     "setp.lt.u64 %p0, %rd4, 20000000;\n"
                     "@%p0 bra AGAIN;\n"
                     "mov.u32 %r3, 1;\n" OUT("%r3")),
              1, 64, out);
    expect_words(out, 64, 1);
}

static void calls_that_cannot_be_run_are_told(void **state) {
    (void)state;
    const char *missing = HEAD ".extern .func (.param .b32 r) malloc(.param .b64 a, .param .b64 b);\n" BEGIN
                               "{.param .b64 a; .param .b64 b; .param .b32 r;\n"
                               "call.uni (r), malloc, (a, b);}\n" END;
    expect_failure(&(kernel_run){.ptx = missing}, HAUL_ERROR_UNSUPPORTED, "test.ptx:");
}

/* ---- no memory ---- */

static void device_memory_runs_out_with_a_message(void **state) {
    (void)state;
    const haul_device_options options = {.memory_bytes = 1 << 20};
    haul_device *small;
    haul_buffer *buffers[3];
    assert_int_equal(haul_device_open("sim:h100", &options, &small), HAUL_OK);
    assert_int_equal(haul_buffer_create(small, 700 << 10, &buffers[0]), HAUL_OK);
    expect_message(haul_buffer_create(small, 700 << 10, &buffers[1]), HAUL_ERROR_OUT_OF_MEMORY, "asked for");
    assert_null(buffers[1]);
    expect_message(haul_buffer_create(small, UINT64_MAX, &buffers[1]), HAUL_ERROR_OUT_OF_MEMORY, "asked for");
    haul_buffer_free(buffers[0]);
    assert_int_equal(haul_buffer_create(small, 700 << 10, &buffers[2]), HAUL_OK);
    const char *big = HEAD ".global .b8 big[900000];\n";
    haul_module *m;
    expect_message(haul_module_load(small, "big.ptx", big, strlen(big), &m), HAUL_ERROR_OUT_OF_MEMORY, "asked for");
    haul_device_close(small);
}

static const char everything[] =
    KERNEL_WITH(".global .u32 table[4] = {1, 2, 3, 4};\n.shared .align 16 .b8 words[1024];\n"
                ".file 1 \"source.cu\"\n"
                ".func (.reg .b32 r) twice(.reg .b32 x) { add.u32 r, x, x; ret; }\n",
                ".local .u32 own[4];\n.shared .align 8 .b64 bar;\n.loc 1 7 0\n"
                "mov.u32 %r3, words;\nmad.lo.u32 %r3, %r0, 16, %r3;\nand.b32 %r3, %r3, 0x5ff;\n"
                "cp.async.ca.shared.global [words], [%rd1], 16;\ncp.async.commit_group;\ncp.async.wait_group 0;\n"
                "setp.eq.u32 %p0, %r0, 0;\n@!%p0 bra ON;\n"
                "mbarrier.init.shared.b64 [bar], 1;\nmbarrier.arrive.expect_tx.shared.b64 %rd3, [bar], 16;\n"
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [words], [%rd1], 16, [bar];\n"
                "ON: call (%r4), twice, (%r0);\nst.local.u32 [own], %r4;\nbar.sync 0;\n"
                "ld.global.u32 %r5, [table];\nadd.u32 %r5, %r5, %r4;\n" OUT("%r5"));

/* Opens, loads, launches with a record, closes, while allocation number `n` fails. */
static haul_status do_everything(size_t n) {
    uint32_t out[64] = {0}, in[4] = {0};
    haul_launch_record record;
    memory_fail_after(n);
    const haul_status status = try_kernel(&(kernel_run){.ptx = everything,
                                                        .blocks = 2,
                                                        .in = in,
                                                        .in_bytes = sizeof in,
                                                        .out = out,
                                                        .out_bytes = sizeof out,
                                                        .record = &record});
    memory_fail_after(0);
    return status;
}

/* Some allocations are for comfort only and may fail unnoticed: a long row of successes is the end. */
static void each_failing_allocation_is_an_error_and_nothing_leaks(void **state) {
    (void)state;
    unsigned failed = 0, passed = 0;
    for (size_t n = 1; passed < 100; n++) {
        const haul_status status = do_everything(n);
        if (status != HAUL_OK && status != HAUL_ERROR_OUT_OF_MEMORY)
            fail_msg("allocation %zu: status %d: %s", n, (int)status, haul_message());
        failed += status != HAUL_OK;
        passed = status == HAUL_OK ? passed + 1 : 0;
    }
    assert_in_range(failed, 50, 99999);
    assert_int_equal(do_everything(0), HAUL_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_module_lists_its_kernels_in_order),
        cmocka_unit_test(a_kernel_is_found_by_its_name_in_the_source),
        cmocka_unit_test(parameters_are_told_with_size_and_kind),
        cmocka_unit_test(a_module_comes_from_a_file),
        cmocka_unit_test(what_is_no_ptx_is_refused_with_its_place),
        cmocka_unit_test(zero_bytes_are_no_ptx),
        cmocka_unit_test(variables_are_buffers_of_their_module),
        cmocka_unit_test(a_launch_runs_and_is_recorded),
        cmocka_unit_test(arguments_must_fit_the_parameters),
        cmocka_unit_test(scalars_must_be_of_the_parameters_kind),
        cmocka_unit_test(a_buffer_needs_a_parameter_for_an_address),
        cmocka_unit_test(launches_beyond_the_limits_are_refused),
        cmocka_unit_test(large_dynamic_shared_memory_is_opted_in_to),
        cmocka_unit_test(a_failed_launch_leaves_the_device_usable),
        cmocka_unit_test(a_trap_is_told),
        cmocka_unit_test(a_kernel_that_never_ends_is_stopped),
        cmocka_unit_test(a_kernel_that_waits_for_nothing_is_a_deadlock),
        cmocka_unit_test(waiting_for_a_time_is_no_deadlock),
        cmocka_unit_test(calls_that_cannot_be_run_are_told),
        cmocka_unit_test(device_memory_runs_out_with_a_message),
        cmocka_unit_test(each_failing_allocation_is_an_error_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
