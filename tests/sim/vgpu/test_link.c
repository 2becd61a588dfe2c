/* Linking: PTX texts that need each other, through the CUDA driver API's linker and through haul_module_link(). */
#include "context.h"

#include <haul/haul.h>

#include <unistd.h>

#define HEADER ".version 8.3\n.target sm_80\n.address_size 64\n"

/* out[thread] = scale(thread) + table[thread % 4] + base */
static const char user[] =
    HEADER ".file 1 \"user.cu\"\n"
           ".extern .func (.param .b32 r) scale(.param .b32 x);\n"
           ".extern .global .align 4 .b8 table[16];\n.extern .const .align 4 .u32 base;\n"
           ".global .align 4 .u32 counter = 3;\n"
           ".func (.param .b32 r) own(.param .b32 x) {\n.reg .b32 %r<4>;\nld.param.u32 %r1, [x];\n"
           "add.u32 %r1, %r1, 1;\nst.param.u32 [r], %r1;\nret;\n}\n"
           ".visible .entry k(.param .u64 out) {\n.reg .b32 %r<16>;\n.reg .b64 %rd<8>;\nld.param.u64 %rd1, [out];\n"
           "mov.u32 %r1, %tid.x;\n.loc 1 7 3\n"
           "{ .param .b32 a; .param .b32 q; st.param.b32 [a], %r1; call.uni (q), scale, (a); ld.param.b32 %r2, [q]; }\n"
           "{ .param .b32 a; .param .b32 q; st.param.b32 [a], %r2; call.uni (q), own, (a); ld.param.b32 %r2, [q]; }\n"
           "and.b32 %r3, %r1, 3;\nmov.u64 %rd2, table;\nmad.wide.u32 %rd2, %r3, 4, %rd2;\nld.global.u32 %r4, [%rd2];\n"
           "ld.const.u32 %r5, [base];\nld.global.u32 %r6, [counter];\nadd.u32 %r2, %r2, %r4;\nadd.u32 %r2, %r2, %r5;\n"
           "add.u32 %r2, %r2, %r6;\nmad.wide.u32 %rd1, %r1, 4, %rd1;\nst.global.u32 [%rd1], %r2;\nret;\n}\n";

/* Some of its own names are the other's too, and it needs things that only the other has. */
static const char provider[] =
    HEADER ".file 1 \"provider.cu\"\n.global .align 4 .u32 counter = 100;\n"
           ".visible .global .align 4 .b8 table[16] = {10, 0, 0, 0, 20, 0, 0, 0, 30, 0, 0, 0, 40, 0, 0, 0};\n"
           ".visible .const .align 4 .u32 base = 1000;\n"
           ".func (.param .b32 r) own(.param .b32 x) {\n.reg .b32 %r<4>;\nld.param.u32 %r1, [x];\n"
           "mul.lo.u32 %r1, %r1, 5;\nst.param.u32 [r], %r1;\nret;\n}\n"
           ".visible .func (.param .b32 r) scale(.param .b32 x) {\n.reg .b32 %r<4>;\nld.param.u32 %r1, [x];\n"
           "{ .param .b32 a; .param .b32 q; st.param.b32 [a], %r1; call.uni (q), own, (a); ld.param.b32 %r1, [q]; }\n"
           "ld.global.u32 %r2, [counter];\nadd.u32 %r1, %r1, %r2;\nst.param.u32 [r], %r1;\nret;\n}\n";

/* own() of the user adds 1, its counter is 3; own() of the provider multiplies by 5, its counter is 100. */
static uint32_t expected(uint32_t t) {
    return 5 * t + 100 + 1 + 10 * (t % 4 + 1) + 1000 + 3;
}

static CUresult add(CUlinkState state, const char *name, const char *ptx) {
    return cu->link_add(state, DRIVER_LINK_PTX, (void *)(uintptr_t)ptx, strlen(ptx) + 1, name, 0, NULL, NULL);
}

static CUlinkState linker_of(const char *const *texts, size_t count) {
    static const char *const names[] = {"a.ptx", "b.ptx", "c.ptx"};
    CUlinkState state;
    assert_int_equal(cu->link_create(0, NULL, NULL, &state), CUDA_SUCCESS);
    for (size_t i = 0; i < count; i++)
        if (add(state, names[i], texts[i]) != CUDA_SUCCESS) fail_msg("%s", haul_message());
    return state;
}

static void expect_results(CUmodule module) {
    CUfunction kernel;
    CUdeviceptr out;
    uint32_t got[32];
    void *parameters[] = {&out};
    assert_int_equal(cu->module_function(&kernel, module, "k"), CUDA_SUCCESS);
    assert_int_equal(cu->allocate(&out, sizeof got), CUDA_SUCCESS);
    if (cu->launch(kernel, 1, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL) != CUDA_SUCCESS)
        fail_msg("%s", haul_message());
    assert_int_equal(cu->copy_to_host(got, out, sizeof got), CUDA_SUCCESS);
    for (uint32_t t = 0; t < 32; t++) assert_int_equal(got[t], expected(t));
    assert_int_equal(cu->release(out), CUDA_SUCCESS);
}

static void texts_give_each_other_what_they_need(void **state) {
    (void)state;
    const char *const orders[2][2] = {{user, provider}, {provider, user}};
    for (unsigned i = 0; i < 2; i++) {
        CUlinkState linker = linker_of(orders[i], 2);
        CUmodule module;
        void *image;
        size_t bytes;
        if (cu->link_complete(linker, &image, &bytes) != CUDA_SUCCESS) fail_msg("%s", haul_message());
        if (cu->module_load(&module, image, 0, NULL, NULL) != CUDA_SUCCESS) fail_msg("%s", haul_message());
        assert_int_equal(cu->link_destroy(linker), CUDA_SUCCESS); /* the module no longer needs it */
        expect_results(module);
        assert_int_equal(cu->module_unload(module), CUDA_SUCCESS);
    }
}

/* Each block stores a number, waits for the grid, and gets the next block's. */
static const char meeting[] = HEADER
    ".extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 scope);\n"
    ".extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 handle, .param .b32 flags);\n"
    ".visible .entry k(.param .u64 out) {\n.reg .pred %p;\n.reg .b32 %r<16>;\n.reg .b64 %rd<8>;\n"
    "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %nctaid.x;\nmov.u32 %r3, %tid.x;\n"
    "setp.ne.u32 %p, %r3, 63;\nmad.wide.u32 %rd2, %r1, 4, %rd1;\nadd.u32 %r4, %r1, 100;\n"
    "@!%p st.global.u32 [%rd2], %r4;\n"
    "{ .param .b32 a; .param .b64 q; st.param.b32 [a], 1; call.uni (q), cudaCGGetIntrinsicHandle, (a);\n"
    "ld.param.b64 %rd3, [q]; }\n"
    "{ .param .b64 a; .param .b32 b; .param .b32 q; st.param.b64 [a], %rd3; st.param.b32 [b], 0;\n"
    "call.uni (q), cudaCGSynchronize, (a, b); ld.param.b32 %r5, [q]; }\n"
    "add.u32 %r6, %r1, 1;\nrem.u32 %r6, %r6, %r2;\nmad.wide.u32 %rd4, %r6, 4, %rd1;\n"
    "ld.global.u32 %r7, [%rd4];\nadd.u32 %r7, %r7, %r5;\nadd.u32 %r8, %r1, %r2;\nmad.wide.u32 %rd5, %r8, 4, %rd1;\n"
    "setp.ne.u32 %p, %r3, 0;\n@!%p st.global.u32 [%rd5], %r7;\nret;\n}\n";

static void the_barrier_of_the_grid_is_there(void **state) {
    (void)state;
    enum { BLOCKS = 20, LAUNCHES = 3 };
    const char *const texts[] = {meeting};
    CUlinkState linker = linker_of(texts, 1);
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr out;
    void *image, *parameters[] = {&out};
    uint32_t got[2 * BLOCKS];
    OK(cu->link_complete(linker, &image, NULL));
    OK(cu->module_load(&module, image, 0, NULL, NULL));
    OK(cu->module_function(&kernel, module, "k"));
    OK(cu->allocate(&out, sizeof got));
    for (unsigned i = 0; i < LAUNCHES; i++) { /* the barrier is used again */
        OK(cu->launch(kernel, BLOCKS, 1, 1, 64, 1, 1, 0, NULL, parameters, NULL));
        OK(cu->copy_to_host(got, out, sizeof got));
        for (uint32_t b = 0; b < BLOCKS; b++) assert_int_equal(got[BLOCKS + b], 100 + (b + 1) % BLOCKS);
    }
    OK(cu->release(out));
}

static void files_are_linked(void **state) {
    (void)state;
    char path[] = "/tmp/haul-link-XXXXXX";
    CUlinkState linker;
    CUmodule module;
    void *image;
    const int file = mkstemp(path);
    assert_true(file >= 0 && write(file, provider, strlen(provider)) == (ssize_t)strlen(provider));
    close(file);
    assert_int_equal(cu->link_create(0, NULL, NULL, &linker), CUDA_SUCCESS);
    assert_int_equal(cu->link_add_file(linker, DRIVER_LINK_PTX, path, 0, NULL, NULL), CUDA_SUCCESS);
    assert_int_equal(cu->link_add_file(linker, DRIVER_LINK_PTX, "/no/such.ptx", 0, NULL, NULL), CUDA_INVALID_VALUE);
    assert_int_equal(add(linker, "user.ptx", user), CUDA_SUCCESS);
    assert_int_equal(cu->link_complete(linker, &image, NULL), CUDA_SUCCESS);
    assert_int_equal(cu->module_load(&module, image, 0, NULL, NULL), CUDA_SUCCESS);
    expect_results(module);
    unlink(path);
}

/* A kernel that launches kernels compiles to calls of a function that is undefined here. It fails at its launch; the
 * module's other kernels run. */
static void kernels_that_launch_kernels_fail_alone(void **state) {
    (void)state;
    static const char both[] =
        HEADER ".extern .func (.param .b32 result) cudaLaunchDeviceV2(.param .b64 buffer, .param .b64 stream);\n"
               ".visible .entry plain(.param .u64 out) {\n  .reg .b64 %rd<2>;\n  ld.param.u64 %rd1, [out];\n"
               "  st.global.u32 [%rd1], 7;\n  ret;\n}\n"
               ".visible .entry parent() {\n  .reg .b64 %rd<2>;\n  mov.u64 %rd1, plain;\n"
               "  { .param .b64 a; .param .b64 b; .param .b32 r;\n  st.param.b64 [a], %rd1;\n"
               "  st.param.b64 [b], %rd1;\n  call.uni (r), cudaLaunchDeviceV2, (a, b);\n  }\n  ret;\n}\n";
    const char *const texts[] = {both};
    CUlinkState linker = linker_of(texts, 1);
    CUmodule module;
    CUfunction plain, parent;
    CUdeviceptr out;
    void *image, *parameters[] = {&out};
    uint32_t got = 0;
    OK(cu->link_complete(linker, &image, NULL));
    OK(cu->module_load(&module, image, 0, NULL, NULL));
    OK(cu->module_function(&plain, module, "plain"));
    OK(cu->module_function(&parent, module, "parent"));
    OK(cu->allocate(&out, sizeof got));
    assert_int_equal(cu->launch(parent, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), CUDA_NOT_SUPPORTED);
    assert_non_null(strstr(haul_message(), "kernel 'parent' launches kernels: dynamic parallelism"));
    OK(cu->launch(plain, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    OK(cu->copy_to_host(&got, out, sizeof got));
    assert_int_equal(got, 7);
    OK(cu->release(out));
    OK(cu->link_destroy(linker));
}

/* NVIDIA's device library, which nvcc may add as PTX, calls functions of the driver. */
static void functions_that_no_kernel_reaches_may_call_undefined_ones(void **state) {
    (void)state;
    static const char library[] = HEADER ".extern .func cnpSomething();\n"
                                         ".visible .func unused() {\n  call.uni cnpSomething, ();\n  ret;\n}\n";
    CUlinkState linker;
    CUmodule module;
    void *image;
    assert_int_equal(cu->link_create(0, NULL, NULL, &linker), CUDA_SUCCESS);
    assert_int_equal(add(linker, "library.ptx", library), CUDA_SUCCESS);
    assert_int_equal(add(linker, "user.ptx", user), CUDA_SUCCESS);
    assert_int_equal(add(linker, "provider.ptx", provider), CUDA_SUCCESS);
    assert_int_equal(cu->link_complete(linker, &image, NULL), CUDA_SUCCESS);
    assert_int_equal(cu->module_load(&module, image, 0, NULL, NULL), CUDA_SUCCESS);
    expect_results(module);
    assert_int_equal(cu->link_destroy(linker), CUDA_SUCCESS);
}

/* Tables of functions and pointers to variables across texts. A weak function gives way to a strong one, and one of two
 * weak ones stays. Dynamic shared memory has one name. */
static void addresses_weak_names_and_shared_memory_are_one(void **state) {
    (void)state;
    static const char one[] = HEADER
        ".extern .shared .align 4 .b8 pool[];\n.extern .func (.param .b32 r) f(.param .b32 x);\n"
        ".extern .global .align 8 .u64 where;\n"
        ".weak .func (.param .b32 r) g(.param .b32 x) {\n.reg .b32 %r<2>;\nmov.u32 %r1, 1;\n"
        "st.param.u32 [r], %r1;\nret;\n}\n"
        ".weak .global .align 4 .u32 w = 7;\n.global .align 8 .u64 table[2] = {f, g};\n"
        ".visible .entry k(.param .u64 out) {\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\nld.param.u64 %rd1, [out];\n"
        "mov.u32 %r1, %tid.x;\nst.shared.u32 [pool], %r1;\nand.b32 %r2, %r1, 1;\nmov.u64 %rd2, table;\n"
        "mad.wide.u32 %rd2, %r2, 8, %rd2;\nld.global.u64 %rd3, [%rd2];\n"
        "{ .param .b32 a; .param .b32 q; st.param.b32 [a], %r1;\n"
        "P: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (q), %rd3, (a), P; ld.param.b32 %r3, [q]; }\n"
        "ld.global.u64 %rd4, [where];\nld.global.u32 %r4, [%rd4];\nadd.u32 %r3, %r3, %r4;\n"
        "mad.wide.u32 %rd1, %r1, 4, %rd1;\nst.global.u32 [%rd1], %r3;\nret;\n}\n";
    static const char two[] =
        HEADER ".extern .shared .align 16 .b8 pool[];\n"
               ".visible .func (.param .b32 r) f(.param .b32 x) {\n.reg .b32 %r<2>;\nld.shared.u32 %r1, [pool];\n"
               "mov.u32 %r1, 50;\nst.param.u32 [r], %r1;\nret;\n}\n"
               ".visible .func (.param .b32 r) g(.param .b32 x) {\n.reg .b32 %r<2>;\nld.param.u32 %r1, [x];\n"
               "st.param.u32 [r], %r1;\nret;\n}\n"
               ".weak .global .align 4 .u32 w = 8;\n.visible .global .align 8 .u64 where = w;\n";
    const char *const texts[] = {one, two};
    CUlinkState linker = linker_of(texts, 2);
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr out;
    void *image, *parameters[] = {&out};
    uint32_t got[2];
    if (cu->link_complete(linker, &image, NULL) != CUDA_SUCCESS) fail_msg("%s", haul_message());
    assert_int_equal(cu->module_load(&module, image, 0, NULL, NULL), CUDA_SUCCESS);
    assert_int_equal(cu->module_function(&kernel, module, "k"), CUDA_SUCCESS);
    assert_int_equal(cu->allocate(&out, 8), CUDA_SUCCESS);
    if (cu->launch(kernel, 1, 1, 1, 2, 1, 1, 64, NULL, parameters, NULL) != CUDA_SUCCESS)
        fail_msg("%s", haul_message());
    assert_int_equal(cu->copy_to_host(got, out, 8), CUDA_SUCCESS);
    assert_int_equal(got[0], 50 + 7);
    assert_int_equal(got[1], 1 + 7);
}

static void expect_refusal(const char *const *texts, size_t count, const char *what) {
    CUlinkState linker = linker_of(texts, count);
    void *image;
    assert_int_equal(cu->link_complete(linker, &image, NULL), CUDA_INVALID_SOURCE);
    if (!strstr(haul_message(), what)) fail_msg("'%s' has no '%s'", haul_message(), what);
    assert_int_equal(cu->link_destroy(linker), CUDA_SUCCESS);
}

static void what_cannot_be_linked_is_named(void **state) {
    (void)state;
    static const char narrow[] = HEADER ".visible .func (.param .b32 r) scale(.param .b64 x) { ret; }\n";
    static const char bytes[] = HEADER ".visible .global .align 4 .b8 table[32];\n";
    const char *const alone[] = {user}, *const twice[] = {user, provider, provider};
    const char *const others[] = {user, narrow}, *const larger[] = {user, bytes};
    CUlinkState linker;
    void *image;
    expect_refusal(alone, 1, "a.ptx: variable 'table', declared in line 6, is not defined");
    expect_refusal(twice, 3, "c.ptx:6:31: 'table' is declared twice");
    expect_refusal(others, 2, "b.ptx:4:32: 'scale' was declared with different parameters");
    expect_refusal(larger, 2, "b.ptx:4:31: 'table' was declared with a different type at 6:30");
    assert_int_equal(cu->link_create(0, NULL, NULL, &linker), CUDA_SUCCESS);
    assert_int_equal(cu->link_complete(linker, &image, NULL), CUDA_INVALID_VALUE);
    assert_int_equal(add(linker, "x.ptx", "nonsense"), CUDA_INVALID_PTX);
    assert_non_null(strstr(haul_message(), "x.ptx:1:1"));
    assert_int_equal(cu->link_add(linker, 4, &image, 8, "l.a", 0, NULL, NULL), CUDA_NOT_SUPPORTED);
    assert_non_null(strstr(haul_message(), "links PTX (1), not a library (4)"));
    assert_int_equal(cu->link_add(linker, 9, &image, 8, "l.a", 0, NULL, NULL), CUDA_INVALID_VALUE);
    assert_int_equal(cu->link_destroy((CUlinkState)(void *)&linker), CUDA_INVALID_HANDLE);
}

/* As with ptxas, a variable that nothing defines is 0, but a function that nothing defines cannot be called. */
static void a_module_alone_says_what_it_misses(void **state) {
    (void)state;
    static const char open[] = HEADER ".extern .global .b8 names[];\n.visible .entry k() { ret; }\n";
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr out;
    void *parameters[] = {&out};
    assert_int_equal(cu->module_load(&module, open, 0, NULL, NULL), CUDA_INVALID_PTX);
    assert_non_null(strstr(haul_message(), "variable names is extern, and its size is not known; link the module"));
    assert_int_equal(cu->module_load(&module, user, 0, NULL, NULL), CUDA_SUCCESS);
    assert_int_equal(cu->module_function(&kernel, module, "k"), CUDA_SUCCESS);
    assert_int_equal(cu->allocate(&out, 4), CUDA_SUCCESS);
    assert_int_not_equal(cu->launch(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL), CUDA_SUCCESS);
    assert_non_null(strstr(haul_message(), "'scale' has no body"));
}

static void a_variable_that_nothing_defines_is_zero(void **state) {
    (void)state;
    static const char alone[] =
        HEADER ".extern .global .u32 count;\n.extern .const .u32 base[2];\n.global .u64 place = generic(count);\n"
               ".visible .entry k(.param .u64 out) {\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n"
               "ld.param.u64 %rd1, [out];\natom.global.add.u32 %r1, [count], 5;\nld.global.u64 %rd2, [place];\n"
               "ld.u32 %r2, [%rd2];\nld.const.u32 %r3, [base+4];\nadd.u32 %r1, %r1, %r2;\nadd.u32 %r1, %r1, %r3;\n"
               "st.global.u32 [%rd1], %r1;\nret;\n}\n";
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr out;
    void *parameters[] = {&out};
    uint32_t got = 0;
    assert_int_equal(cu->module_load(&module, alone, 0, NULL, NULL), CUDA_SUCCESS);
    assert_int_equal(cu->module_function(&kernel, module, "k"), CUDA_SUCCESS);
    assert_int_equal(cu->allocate(&out, 4), CUDA_SUCCESS);
    assert_int_equal(cu->launch(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL), CUDA_SUCCESS);
    assert_int_equal(cu->copy_to_host(&got, out, 4), CUDA_SUCCESS);
    assert_int_equal(got, 5);
}

static void images_are_read_within_their_bounds(void **state) {
    (void)state;
    static const char *const damaged[] = {
        "haul linked PTX\n",
        "haul linked PTX\n0\n",
        "haul linked PTX\n-1\n",
        "haul linked PTX\n7\nnothing",
        "haul linked PTX\n168260318",
        "haul linked PTX\n168260318\n0 0\n",
        "haul linked PTX\n1\n5 1000\na.ptx.version 8.0",
        "haul linked PTX\n1\n1000 5\na.ptx.version 8.0",
        "haul linked PTX\n1\n18446744073709551615 18446744073709551615\na.ptx",
    };
    CUmodule module;
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        assert_int_equal(cu->module_load(&module, damaged[i], 0, NULL, NULL), CUDA_INVALID_PTX);
        assert_non_null(strstr(haul_message(), "the image is damaged"));
    }
}

static void names_and_texts_may_begin_with_spaces(void **state) {
    (void)state;
    char spaced[4096];
    CUlinkState linker;
    CUmodule module;
    void *image;
    (void)snprintf(spaced, sizeof spaced, "\n  %s", user);
    assert_int_equal(cu->link_create(0, NULL, NULL, &linker), CUDA_SUCCESS);
    assert_int_equal(add(linker, "", spaced), CUDA_SUCCESS);
    assert_int_equal(add(linker, " provider.ptx", provider), CUDA_SUCCESS);
    assert_int_equal(cu->link_complete(linker, &image, NULL), CUDA_SUCCESS);
    assert_int_equal(cu->module_load(&module, image, 0, NULL, NULL), CUDA_SUCCESS);
    expect_results(module);
    assert_int_equal(cu->link_destroy(linker), CUDA_SUCCESS);
}

static void haul_links_modules(void **state) {
    (void)state;
    const haul_ptx parts[] = {{"user.ptx", user, strlen(user)}, {"provider.ptx", provider, strlen(provider)}};
    haul_device *device;
    haul_module *module;
    haul_buffer *out, *table;
    uint32_t got[32];
    assert_int_equal(haul_device_open("sim:a100", NULL, &device), HAUL_OK);
    if (haul_module_link(device, "both", parts, 2, &module) != HAUL_OK) fail_msg("%s", haul_message());
    assert_int_equal(haul_module_kernel_count(module), 1);
    assert_int_equal(haul_module_variable(module, "table", &table), HAUL_OK);
    assert_int_equal(haul_buffer_create(device, sizeof got, &out), HAUL_OK);
    const haul_argument argument = {.kind = HAUL_ARGUMENT_BUFFER, .buffer = out};
    const haul_launch launch = {
        .kernel = "k", .grid = {1, 1, 1}, .block = {32, 1, 1}, .arguments = &argument, .argument_count = 1};
    if (haul_launch_run(module, &launch, NULL) != HAUL_OK) fail_msg("%s", haul_message());
    assert_int_equal(haul_buffer_read(out, 0, got, sizeof got), HAUL_OK);
    for (uint32_t t = 0; t < 32; t++) assert_int_equal(got[t], expected(t));
    assert_int_equal(haul_module_link(device, "one", parts, 1, &module), HAUL_OK); /* but k cannot be launched */
    assert_int_not_equal(haul_launch_run(module, &launch, NULL), HAUL_OK);
    assert_int_equal(haul_module_link(device, "none", parts, 0, &module), HAUL_ERROR_ARGUMENT);
    haul_device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(texts_give_each_other_what_they_need, open_context, close_context),
        cmocka_unit_test_setup_teardown(the_barrier_of_the_grid_is_there, open_context, close_context),
        cmocka_unit_test_setup_teardown(files_are_linked, open_context, close_context),
        cmocka_unit_test_setup_teardown(kernels_that_launch_kernels_fail_alone, open_context, close_context),
        cmocka_unit_test_setup_teardown(functions_that_no_kernel_reaches_may_call_undefined_ones, open_context,
                                        close_context),
        cmocka_unit_test_setup_teardown(addresses_weak_names_and_shared_memory_are_one, open_context, close_context),
        cmocka_unit_test_setup_teardown(what_cannot_be_linked_is_named, open_context, close_context),
        cmocka_unit_test_setup_teardown(a_module_alone_says_what_it_misses, open_context, close_context),
        cmocka_unit_test_setup_teardown(a_variable_that_nothing_defines_is_zero, open_context, close_context),
        cmocka_unit_test_setup_teardown(images_are_read_within_their_bounds, open_context, close_context),
        cmocka_unit_test_setup_teardown(names_and_texts_may_begin_with_spaces, open_context, close_context),
        cmocka_unit_test(haul_links_modules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
