#include <kernels/launch.h>
#include <kernels/tuned/sm_90.h>

#include "base/status.h"

const haul_kernel_form haul_maxpool15_forms[] = {
    {.name = "auto"},
#define HAUL_KERNEL_MAXPOOL15(FORM, ...) {__VA_ARGS__},
#include <haul/kernels.def>
};

static haul_maxpool15_form choose_form(const haul_kernels *kernels) {
    return kernels_memory_outruns_pacing(kernels) ? HAUL_MAXPOOL15_LINES : HAUL_MAXPOOL15_VECTOR;
}

haul_status haul_maxpool15(haul_kernels *kernels, haul_maxpool15_form form, uint32_t n, haul_buffer *in,
                           haul_buffer *out, haul_run *run) {
    const kernels_argument arguments[] = {KERNELS_OUT(out, n, 4), KERNELS_IN(in, n, 4), KERNELS_U32(n)};
    const kernels_launch launch = {.function = "haul_maxpool15",
                                   KERNELS_FORM(haul_maxpool15_forms, form ? form : choose_form(kernels)),
                                   .extent = {n},
                                   KERNELS_ARGUMENTS(arguments)};
    if (n > INT32_MAX) return haul_fail(HAUL_ERROR_ARGUMENT, "haul_maxpool15: %u elements: must be below 2^31", n);
    return kernels_run(kernels, &launch, run);
}
