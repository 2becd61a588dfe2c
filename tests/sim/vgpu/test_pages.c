/* Kernels that access memory mapped behind allocations, as on hardware. */
#include "context.h"

enum { WORDS = 25, BYTES = 4 * WORDS, UNIT = 512, PAGE = 2 << 20 };

#define BEGIN(name)                                                                                           \
    ".visible .entry " name "(.param .u64 to, .param .u64 from) {\n  .reg .b64 %rd<3>;\n  .reg .b32 %r<3>;\n" \
    "  .shared .align 16 .b8 room[16];\n  ld.param.u64 %rd1, [to];\n  ld.param.u64 %rd2, [from];\n"
#define END "  st.global.u32 [%rd1], %r1;\n  ret;\n}\n"

static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
    /* a plain load, an atomic, an asynchronous copy */
    BEGIN("load") "  ld.global.u32 %r1, [%rd2];\n" END BEGIN("add") "  atom.global.add.u32 %r1, [%rd2], 1;\n" END BEGIN(
        "copy") "  mov.u32 %r2, room;\n  cp.async.ca.shared.global [%r2], [%rd2], 4;\n  cp.async.wait_all;\n"
                "  ld.shared.u32 %r1, [%r2];\n" END;

static CUmodule module;
static CUdeviceptr first, second, result;

static sim_overrun noted;
static const char *by;

static void note(const char *kernel, const sim_overrun *overrun) {
    by = kernel;
    noted = *overrun;
}

/* Three adjacent allocations. */
static int set_up(void **state) {
    by = NULL;
    noted = (sim_overrun){0};
    return open_context(state) || cu->module_load(&module, ptx, 0, NULL, NULL) || cu->allocate(&first, BYTES) ||
           cu->allocate(&second, BYTES) || cu->allocate(&result, 4) || cu->fill_words(first, 1, WORDS) ||
           cu->fill_words(second, 2, WORDS);
}

static CUresult run(const char *name, CUdeviceptr from) {
    CUfunction kernel;
    void *parameters[] = {&result, &from};
    OK(cu->module_function(&kernel, module, name));
    return cu->launch(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL);
}

static void expect_result(uint32_t want) {
    uint32_t got;
    OK(cu->copy_to_host(&got, result, 4));
    assert_int_equal(got, want);
}

static void a_device_is_strict_unless_it_is_told(void **state) {
    (void)state;
    assert_int_equal(run("load", first + BYTES), CUDA_ILLEGAL_ADDRESS);
}

static void a_kernel_reads_what_lies_behind(void **state) {
    (void)state;
    sim_driver_map_pages(note);
    OK(run("load", first + BYTES - 4));
    expect_result(1);
    assert_null(by);
    OK(run("load", first + BYTES + 8));
    expect_result(0);
    assert_string_equal(by, "load");
    assert_int_equal(noted.furthest.side, SIM_BEHIND);
    assert_int_equal(noted.furthest.away, 12);
    assert_int_equal(noted.furthest.size, BYTES);
    assert_false(noted.wrote);
    OK(run("copy", first + BYTES + 8));
    expect_result(0);
    assert_string_equal(by, "copy");
}

/* Accesses to an adjacent allocation are not noted. */
static void behind_the_padding_is_the_neighbour(void **state) {
    (void)state;
    sim_driver_map_pages(note);
    assert_int_equal(second - first, UNIT);
    OK(run("load", first + UNIT));
    expect_result(2);
    assert_null(by);
}

static void what_is_written_behind_stays(void **state) {
    (void)state;
    sim_driver_map_pages(note);
    OK(run("add", first + BYTES));
    assert_true(noted.wrote);
    OK(run("add", first + BYTES));
    expect_result(1);
    OK(run("load", first + BYTES));
    expect_result(2);
}

static void freed_memory_is_there_as_long_as_its_page(void **state) {
    (void)state;
    sim_driver_map_pages(note);
    OK(cu->release(second));
    OK(run("load", second + 8));
    assert_int_equal(noted.furthest.side, SIM_FREED);
    assert_int_equal(noted.furthest.away, 12);
}

static void other_pages_are_not_there(void **state) {
    (void)state;
    sim_driver_map_pages(note);
    assert_int_equal(run("load", first + PAGE), CUDA_ILLEGAL_ADDRESS);
    assert_int_equal(run("copy", first + PAGE), CUDA_ILLEGAL_ADDRESS);
    assert_null(by);
    assert_int_equal(cu->copy_to_host(&(uint32_t){0}, first + BYTES, 4), CUDA_INVALID_VALUE);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, close_context)
    const struct CMUnitTest tests[] = {
        TEST(a_device_is_strict_unless_it_is_told),      TEST(a_kernel_reads_what_lies_behind),
        TEST(behind_the_padding_is_the_neighbour),       TEST(what_is_written_behind_stays),
        TEST(freed_memory_is_there_as_long_as_its_page), TEST(other_pages_are_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
