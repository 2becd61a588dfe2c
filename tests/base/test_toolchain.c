#include "base/toolchain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void headers_of_the_toolkit_belong_to_the_toolchain(void **state) {
    static const char *const files[] = {
        "/usr/local/cuda/include/cooperative_groups.h",
        "/usr/local/cuda-13.0/include/cccl/cub/block/block_scan.cuh",
        "/opt/nvidia/bin/../targets/x86_64-linux/include/cccl/thrust/copy.h",
        "/usr/include/c++/12/cmath",
        "/code/cccl/libcudacxx/include/cuda/std/__atomic/scopes.h",
        "/code/cccl/libcudacxx/include/cuda/__barrier/barrier.h",
        "/code/cccl/libcudacxx/include/cuda/pipeline",
        "sm_30_intrinsics.hpp",
    };
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!is_toolchain_file(files[i])) fail_msg("%s", files[i]);
}

static void a_project_may_have_a_folder_cuda(void **state) {
    static const char *const files[] = {
        "/code/solver/src/cuda/reduce.cuh",
        "/code/solver/cuda/kernels.cu",
        "/code/solver/targets/gpu/step.cu",
        "sm_copy.cuh",
        "main.cu",
    };
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (is_toolchain_file(files[i])) fail_msg("%s", files[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_of_the_toolkit_belong_to_the_toolchain),
        cmocka_unit_test(a_project_may_have_a_folder_cuda),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
