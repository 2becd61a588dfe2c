/* The virtual GPU through the CUDA driver API. */
#include "context.h"

static void devices_tell_what_they_are(void **state) {
    (void)state;
    int count = 0, value = 0;
    CUdevice device;
    char name[64];
    size_t bytes;
    assert_int_equal(cu->device_count(&count), CUDA_SUCCESS);
    assert_int_equal(count, (int)sim_machine_count);
    for (int d = 0; d < count; d++) {
        assert_int_equal(cu->device_get(&device, d), CUDA_SUCCESS);
        assert_int_equal(cu->device_name(name, sizeof name, device), CUDA_SUCCESS);
        assert_non_null(strstr(name, "(virtual)"));
        assert_int_equal(cu->device_attribute(&value, DRIVER_DEVICE_WARP_SIZE, device), CUDA_SUCCESS);
        assert_int_equal(value, 32);
        assert_int_equal(cu->device_attribute(&value, DRIVER_DEVICE_SM_COUNT, device), CUDA_SUCCESS);
        assert_int_equal(value, (int)sim_machines[d].sms);
        assert_int_equal(cu->device_memory(&bytes, device), CUDA_SUCCESS);
        assert_true(bytes == sim_machines[d].memory_bytes);
    }
    assert_int_equal(cu->device_get(&device, count), CUDA_INVALID_DEVICE);
    assert_int_equal(cu->device_get(&device, -1), CUDA_INVALID_DEVICE);
    assert_int_equal(cu->device_attribute(&value, 12345, 0), CUDA_INVALID_VALUE);
    assert_int_equal(cu->init(1), CUDA_INVALID_VALUE);
}

static void memory_is_filled_and_copied(void **state) {
    (void)state;
    CUdeviceptr a, b;
    unsigned char got[16];
    assert_int_equal(cu->allocate(&a, 64), CUDA_SUCCESS);
    assert_int_equal(cu->allocate(&b, 64), CUDA_SUCCESS);
    assert_int_equal(cu->fill_bytes(a, 0xab, 64), CUDA_SUCCESS);
    assert_int_equal(cu->fill_words(a + 4, 0x01020304, 2), CUDA_SUCCESS);
    assert_int_equal(cu->copy_on_device(b + 1, a, 15), CUDA_SUCCESS);
    assert_int_equal(cu->copy_to_host(got, b + 1, 15), CUDA_SUCCESS);
    assert_memory_equal(got, "\xab\xab\xab\xab\4\3\2\1\4\3\2\1\xab\xab\xab", 15);
    assert_int_equal(cu->fill_words(a + 2, 0, 1), CUDA_INVALID_VALUE);
    assert_int_equal(cu->fill_words(a, 0, SIZE_MAX / 2), CUDA_INVALID_VALUE);
    assert_int_equal(cu->fill_bytes(a, 0, 65), CUDA_INVALID_VALUE);
    assert_int_equal(cu->copy_to_host(got, a + 60, 8), CUDA_INVALID_VALUE);
    assert_int_equal(sim_driver_last_status(), HAUL_ERROR_ARGUMENT);
    assert_int_equal(cu->copy_to_device(a - 1, got, 1), CUDA_INVALID_VALUE);
    assert_int_equal(cu->copy_to_device(0, got, 0), CUDA_SUCCESS);
    assert_int_equal(cu->release(a + 4), CUDA_INVALID_VALUE);
    assert_int_equal(cu->release(a), CUDA_SUCCESS);
    assert_int_equal(cu->release(a), CUDA_INVALID_VALUE);
    assert_int_equal(cu->release(b), CUDA_SUCCESS);
}

static void free_memory_is_told(void **state) {
    (void)state;
    size_t before, after, total;
    CUdeviceptr a;
    assert_int_equal(cu->memory_info(&before, &total), CUDA_SUCCESS);
    assert_int_equal(cu->allocate(&a, 1000), CUDA_SUCCESS);
    assert_int_equal(cu->memory_info(&after, &total), CUDA_SUCCESS);
    assert_int_equal(before - after, 1024);
    assert_int_equal(cu->release(a), CUDA_SUCCESS);
    assert_int_equal(cu->allocate(&a, total + 1), CUDA_OUT_OF_MEMORY);
}

static void a_device_has_the_memory_of_its_context(void **state) {
    (void)state;
    const CUdevice device = device_named("h100"), closed = device_named("a100");
    CUcontext smaller;
    size_t all, left, total;
    sim_driver_set_memory(1 << 20);
    assert_int_equal(cu->context_retain(&smaller, device), CUDA_SUCCESS);
    assert_int_equal(cu->context_set(smaller), CUDA_SUCCESS);
    assert_int_equal(cu->memory_info(&left, &total), CUDA_SUCCESS);
    assert_int_equal(cu->device_memory(&all, device), CUDA_SUCCESS);
    assert_int_equal(total, 1 << 20);
    assert_int_equal(all, total);
    assert_int_equal(cu->device_memory(&all, closed), CUDA_SUCCESS);
    assert_int_equal(all, sim_driver_machine(closed)->memory_bytes);
    assert_int_equal(cu->context_release(device), CUDA_SUCCESS);
    assert_int_equal(cu->context_set(context), CUDA_SUCCESS);
}

static const char ptx[] = ".version 8.3\n.target sm_90\n.address_size 64\n"
                          ".global .u32 start = 40;\n"
                          ".visible .entry add(.param .u64 out, .param .u32 n) {\n"
                          ".shared .b64 s[4]; .reg .b64 %rd<2>; .reg .b32 %r<3>;\n"
                          "ld.param.u64 %rd0, [out]; ld.param.u32 %r0, [n]; ld.global.u32 %r1, [start];\n"
                          "add.u32 %r0, %r0, %r1; st.shared.u32 [s], %r0; ld.shared.u32 %r2, [s];\n"
                          "st.global.u32 [%rd0], %r2; ret; }\n";

static void kernels_say_how_many_threads_they_may_have(void **state) {
    (void)state;
    static const char bounds[] = ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry any() { ret; }\n"
                                 ".visible .entry most() .maxntid 64, 4 { ret; }\n"
                                 ".visible .entry all() .reqntid 8, 8, 3 { ret; }\n";
    static const char *const names[] = {"any", "most", "all"};
    static const int expected[] = {1024, 256, 192};
    CUmodule module;
    CUfunction function;
    int value;
    assert_int_equal(cu->module_load(&module, bounds, 0, NULL, NULL), CUDA_SUCCESS);
    for (unsigned k = 0; k < 3; k++) {
        assert_int_equal(cu->module_function(&function, module, names[k]), CUDA_SUCCESS);
        assert_int_equal(cu->function_attribute(&value, DRIVER_FUNCTION_MAX_THREADS, function), CUDA_SUCCESS);
        assert_int_equal(value, expected[k]);
    }
    assert_int_equal(cu->occupancy(&value, function, 1024, 0), CUDA_SUCCESS);
    assert_int_equal(value, 2);
    assert_int_equal(cu->occupancy(&value, function, 1056, 0), CUDA_SUCCESS);
    assert_int_equal(value, 0); /* more than a block can have */
    assert_int_equal(cu->occupancy(&value, function, 32, 228 << 10), CUDA_SUCCESS);
    assert_int_equal(value, 0);
    assert_int_equal(cu->module_unload(module), CUDA_SUCCESS);
}

static void kernels_are_loaded_and_launched(void **state) {
    (void)state;
    CUmodule module;
    CUfunction function, again;
    CUdeviceptr out;
    unsigned n = 2, got = 0;
    int value;
    assert_int_equal(cu->module_load(&module, ptx, 0, NULL, NULL), CUDA_SUCCESS);
    assert_int_equal(cu->module_function(&function, module, "add"), CUDA_SUCCESS);
    assert_int_equal(cu->module_function(&again, module, "add"), CUDA_SUCCESS);
    assert_ptr_equal(function, again);
    assert_int_equal(cu->module_function(&again, module, "subtract"), CUDA_NOT_FOUND);
    assert_int_equal(cu->function_attribute(&value, DRIVER_FUNCTION_SHARED_BYTES, function), CUDA_SUCCESS);
    assert_int_equal(value, 32);
    assert_int_equal(cu->function_attribute(&value, DRIVER_FUNCTION_REGISTERS, function), CUDA_SUCCESS);
    assert_int_equal(cu->allocate(&out, 4), CUDA_SUCCESS);
    void *parameters[] = {&out, &n};
    /* 48 KiB less its own 32 bytes, until the attribute is set */
    assert_int_equal(cu->launch(function, 1, 1, 1, 32, 1, 1, (48 << 10) - 31, NULL, parameters, NULL),
                     CUDA_INVALID_VALUE);
    assert_int_equal(cu->function_set(function, DRIVER_FUNCTION_MAX_DYNAMIC_SHARED, 1 << 16), CUDA_SUCCESS);
    assert_int_equal(cu->launch(function, 1, 1, 1, 32, 1, 1, 1 << 16, NULL, parameters, NULL), CUDA_SUCCESS);
    assert_int_equal(cu->launch(function, 1, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL), CUDA_SUCCESS);
    assert_int_equal(cu->synchronize(), CUDA_SUCCESS);
    assert_int_equal(cu->copy_to_host(&got, out, 4), CUDA_SUCCESS);
    assert_int_equal(got, 42);
    assert_int_equal(cu->launch(function, 1, 1, 1, 2048, 1, 1, 0, NULL, parameters, NULL),
                     CUDA_LAUNCH_OUT_OF_RESOURCES);
    assert_int_equal(cu->release(out), CUDA_SUCCESS);
    assert_int_equal(cu->launch(function, 1, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL), CUDA_ILLEGAL_ADDRESS);
    assert_int_equal(cu->module_unload(module), CUDA_SUCCESS);
    assert_int_equal(cu->module_load(&module, "no PTX", 0, NULL, NULL), CUDA_INVALID_PTX);
    assert_null(module);
}

/* Each block adds the size of the grid to its word, through shared memory that begins as zero. */
static const char sizes_ptx[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry sizes(.param .u64 out) {\n  .reg .b32 %r<4>;\n  .reg .b64 %rd<3>;\n  .shared .b32 word;\n"
    "  ld.param.u64 %rd1, [out];\n  mov.u32 %r1, %ctaid.x;\n  mul.wide.u32 %rd2, %r1, 4;\n"
    "  add.u64 %rd1, %rd1, %rd2;\n  mov.u32 %r2, %nctaid.x;\n  ld.shared.u32 %r3, [word];\n"
    "  add.u32 %r3, %r3, %r2;\n  st.shared.u32 [word], %r3;\n  ld.global.u32 %r2, [%rd1];\n"
    "  add.u32 %r2, %r2, %r3;\n  st.global.u32 [%rd1], %r2;\n  ret;\n}\n";

/* Launches may use the SMs of earlier launches, whose grids were of other sizes. */
static void grids_of_one_kernel_shrink_and_grow(void **state) {
    (void)state;
    enum { MOST = 6000 };
    static const unsigned blocks[] = {1, 131, 132, 133, 300, MOST, 140, 5, MOST, 299, 133, 4000, 1};
    static unsigned got[MOST], want[MOST];
    CUmodule module;
    CUfunction function;
    CUdeviceptr out;
    assert_int_equal(cu->module_load(&module, sizes_ptx, 0, NULL, NULL), CUDA_SUCCESS);
    assert_int_equal(cu->module_function(&function, module, "sizes"), CUDA_SUCCESS);
    assert_int_equal(cu->allocate(&out, sizeof got), CUDA_SUCCESS);
    assert_int_equal(cu->fill_bytes(out, 0, sizeof got), CUDA_SUCCESS);
    void *parameters[] = {&out};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        for (unsigned b = 0; b < blocks[i]; b++) want[b] += blocks[i];
        assert_int_equal(cu->launch(function, blocks[i], 1, 1, 1, 1, 1, 0, NULL, parameters, NULL), CUDA_SUCCESS);
    }
    assert_int_equal(cu->copy_to_host(got, out, sizeof got), CUDA_SUCCESS);
    assert_memory_equal(got, want, sizeof got);
    assert_int_equal(cu->release(out), CUDA_SUCCESS);
    assert_int_equal(cu->module_unload(module), CUDA_SUCCESS);
}

static void without_a_context_nothing_works(void **state) {
    (void)state;
    CUmodule module;
    CUdeviceptr a;
    size_t bytes;
    assert_int_equal(cu->context_set(NULL), CUDA_SUCCESS);
    assert_int_equal(cu->module_load(&module, ptx, 0, NULL, NULL), CUDA_INVALID_CONTEXT);
    assert_int_equal(cu->allocate(&a, 4), CUDA_INVALID_CONTEXT);
    assert_int_equal(cu->release(4), CUDA_INVALID_CONTEXT);
    assert_int_equal(cu->memory_info(&bytes, &bytes), CUDA_INVALID_CONTEXT);
    assert_int_equal(cu->fill_bytes(4, 0, 4), CUDA_INVALID_CONTEXT);
    assert_int_equal(cu->context_release(0), CUDA_INVALID_CONTEXT);
    assert_int_equal(cu->context_set(context), CUDA_SUCCESS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_tell_what_they_are),
        cmocka_unit_test(memory_is_filled_and_copied),
        cmocka_unit_test(free_memory_is_told),
        cmocka_unit_test(a_device_has_the_memory_of_its_context),
        cmocka_unit_test(kernels_say_how_many_threads_they_may_have),
        cmocka_unit_test(kernels_are_loaded_and_launched),
        cmocka_unit_test(grids_of_one_kernel_shrink_and_grow),
        cmocka_unit_test(without_a_context_nothing_works),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
