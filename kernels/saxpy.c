#include <kernels/launch.h>
#include <kernels/tuned/sm_90.h>

const haul_kernel_form haul_saxpy_forms[] = {
    {.name = "auto"},
#define HAUL_KERNEL_SAXPY(FORM, ...) {__VA_ARGS__},
#include <haul/kernels.def>
};

static haul_saxpy_form choose_form(const haul_kernels *kernels) {
    return kernels_memory_outruns_pacing(kernels) ? HAUL_SAXPY_VECTOR : HAUL_SAXPY_PACED;
}

haul_status haul_saxpy(haul_kernels *kernels, haul_saxpy_form form, uint32_t n, float alpha, haul_buffer *x,
                       haul_buffer *y, haul_run *run) {
    const kernels_argument arguments[] = {KERNELS_U32(n), KERNELS_F32(alpha), KERNELS_IN(x, n, 4),
                                          KERNELS_OUT(y, n, 4)};
    const kernels_launch launch = {.function = "haul_saxpy",
                                   KERNELS_FORM(haul_saxpy_forms, form ? form : choose_form(kernels)),
                                   .extent = {n},
                                   .blocks_per_sm =
                                       form == HAUL_SAXPY_ROLES ? kernels_tuned(kernels, "SAXPY_ROLES_BLOCKS") : 0,
                                   KERNELS_ARGUMENTS(arguments)};
    return kernels_run(kernels, &launch, run);
}
