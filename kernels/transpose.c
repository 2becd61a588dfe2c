#include <kernels/launch.h>

const haul_kernel_form haul_transpose_forms[] = {
    {.name = "auto"},
#define HAUL_KERNEL_TRANSPOSE(FORM, ...) {__VA_ARGS__},
#include <haul/kernels.def>
};

enum { BAND = 16 }; /* tiles that the swizzled form goes down before it goes on to the right */

haul_status haul_transpose(haul_kernels *kernels, haul_transpose_form form, uint32_t rows, uint32_t columns,
                           haul_buffer *in, haul_buffer *out, haul_run *run) {
    if (!form) form = HAUL_TRANSPOSE_SWIZZLED;
    uint64_t side = form <= HAUL_TRANSPOSE_PADDED ? 32 : 64, count = (uint64_t)rows * columns;
    uint64_t tiles = (columns + side - 1) / side * ((rows + side - 1) / side);
    const kernels_argument arguments[] = {KERNELS_OUT(out, count, 4), KERNELS_IN(in, count, 4), KERNELS_U32(rows),
                                          KERNELS_U32(columns), KERNELS_U32(BAND)};
    const kernels_launch launch = {.function = "haul_transpose",
                                   KERNELS_FORM(haul_transpose_forms, form),
                                   .extent = {tiles * side * side}, /* blocks lie in one dimension, a tile each */
                                   .arguments = arguments,
                                   .argument_count = form == HAUL_TRANSPOSE_SWIZZLED ? 5 : 4};
    return kernels_run(kernels, &launch, run);
}
