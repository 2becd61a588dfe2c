/* The driver's codes: their names, meanings, and haul_status. */
#include "driver/driver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void codes_have_cuda_s_names_and_a_meaning(void **state) {
    (void)state;
    assert_string_equal(driver_result_name(CUDA_SUCCESS), "CUDA_SUCCESS");
    assert_string_equal(driver_result_name(CUDA_ILLEGAL_ADDRESS), "CUDA_ERROR_ILLEGAL_ADDRESS");
    assert_non_null(strstr(driver_result_text(CUDA_MISALIGNED_ADDRESS), "no multiple of the access's size"));
}

static void codes_become_haul_s_statuses(void **state) {
    (void)state;
    assert_int_equal(driver_result_status(CUDA_SUCCESS), HAUL_OK);
    assert_int_equal(driver_result_status(CUDA_OUT_OF_MEMORY), HAUL_ERROR_OUT_OF_MEMORY);
    assert_int_equal(driver_result_status(CUDA_INVALID_ADDRESS_SPACE), HAUL_ERROR_FAULT);
    assert_int_equal(driver_result_status(CUDA_ASSERT), HAUL_ERROR_TRAP);
    assert_int_equal(driver_result_status(CUDA_UNSUPPORTED_PTX_VERSION), HAUL_ERROR_UNSUPPORTED);
}

static void a_code_of_a_later_driver_is_no_trap(void **state) {
    (void)state;
    const CUresult later = (CUresult)54321;
    assert_string_equal(driver_result_name(later), "CUDA error");
    assert_non_null(driver_result_text(later));
    assert_int_equal(driver_result_status(later), HAUL_ERROR_DRIVER);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_have_cuda_s_names_and_a_meaning),
        cmocka_unit_test(codes_become_haul_s_statuses),
        cmocka_unit_test(a_code_of_a_later_driver_is_no_trap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
