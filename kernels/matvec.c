#include <kernels/launch.h>
#include <kernels/tuned/sm_90.h>

#include "base/status.h"

const haul_kernel_form haul_matvec_forms[] = {
    {.name = "auto"},
#define HAUL_KERNEL_MATVEC(FORM, ...) {__VA_ARGS__},
#include <haul/kernels.def>
};

haul_status haul_matvec(haul_kernels *kernels, haul_matvec_form form, uint32_t rows, uint32_t columns, haul_buffer *a,
                        haul_buffer *x, haul_buffer *y, haul_run *run) {
    if (!form) form = HAUL_MATVEC_WARP;
    const kernels_argument arguments[] = {KERNELS_OUT(y, rows, 4), KERNELS_IN(a, (uint64_t)rows * columns, 4),
                                          KERNELS_IN(x, columns, 4), KERNELS_U32(rows), KERNELS_U32(columns)};
    const kernels_launch launch = {.function = "haul_matvec",
                                   KERNELS_FORM(haul_matvec_forms, form),
                                   .extent = {columns ? rows : 0},
                                   KERNELS_ARGUMENTS(arguments)};
    if (columns > INT32_MAX)
        return haul_fail(HAUL_ERROR_ARGUMENT, "haul_matvec: %u columns: must be below 2^31", columns);
    return kernels_run(kernels, &launch, run);
}
