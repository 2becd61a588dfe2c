#include <kernels/launch.h>
#include <kernels/tuned/sm_90.h>

const haul_kernel_form haul_copy_forms[] = {
    {.name = "auto"},
#define HAUL_KERNEL_COPY(FORM, ...) {__VA_ARGS__},
#include <haul/kernels.def>
};

static haul_copy_form choose_form(const haul_kernels *kernels) {
    return kernels_memory_outruns_pacing(kernels) ? HAUL_COPY_VECTOR : HAUL_COPY_PACED;
}

haul_status haul_copy(haul_kernels *kernels, haul_copy_form form, uint32_t n, haul_buffer *in, haul_buffer *out,
                      haul_run *run) {
    const kernels_argument arguments[] = {KERNELS_IN(in, n, 4), KERNELS_OUT(out, n, 4), KERNELS_U32(n)};
    const kernels_launch launch = {.function = "haul_copy",
                                   KERNELS_FORM(haul_copy_forms, form ? form : choose_form(kernels)),
                                   .extent = {n},
                                   KERNELS_ARGUMENTS(arguments)};
    return kernels_run(kernels, &launch, run);
}
