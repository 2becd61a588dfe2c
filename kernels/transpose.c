#include <kernels/launch.h>

#include "base/status.h"

const haul_kernel_form haul_transpose_forms[] = {
    {.name = "auto"},
#define HAUL_KERNEL_TRANSPOSE(FORM, ...) {__VA_ARGS__},
#include <haul/kernels.def>
};

enum {
    RESERVE_STEP = 8192, /* bytes */
    MOST_RESERVED = 1 << 16
};

/* The smallest dynamic shared memory, in steps, that limits an SM to the best number of blocks; kernels/transpose.cu
 * says why. The kernel does not use it. */
static haul_status reserve(haul_kernels *k, uint32_t *bytes) {
    const haul_kernel_form *f = &haul_transpose_forms[HAUL_TRANSPOSE_SWIZZLED];
    haul_module *module;
    HAUL_TRY(kernels_module(k, f->module, &module));
    for (*bytes = 0; *bytes < MOST_RESERVED; *bytes += RESERVE_STEP) {
        uint32_t blocks;
        HAUL_TRY(haul_module_blocks_per_sm(module, f->kernel, f->block[0], *bytes, &blocks));
        if (blocks <= kernels_tuned(k, "TRANSPOSE_BLOCKS_PER_SM")) break;
    }
    return HAUL_OK;
}

static haul_transpose_form choose_form(const haul_kernels *kernels) {
    return kernels_memory_outruns_pacing(kernels) ? HAUL_TRANSPOSE_TURNED : HAUL_TRANSPOSE_SWIZZLED;
}

haul_status haul_transpose(haul_kernels *kernels, haul_transpose_form form, uint32_t rows, uint32_t columns,
                           haul_buffer *in, haul_buffer *out, haul_run *run) {
    if (!form) form = choose_form(kernels);
    uint64_t side = form <= HAUL_TRANSPOSE_PADDED ? 32 : 64, count = (uint64_t)rows * columns;
    uint64_t tiles = (columns + side - 1) / side * ((rows + side - 1) / side);
    const kernels_argument arguments[] = {KERNELS_OUT(out, count, 4), KERNELS_IN(in, count, 4), KERNELS_U32(rows),
                                          KERNELS_U32(columns)};
    kernels_launch launch = {.function = "haul_transpose",
                             KERNELS_FORM(haul_transpose_forms, form),
                             .extent = {tiles * side * side}, /* blocks are in one dimension, a tile each */
                             KERNELS_ARGUMENTS(arguments)};
    if (form == HAUL_TRANSPOSE_SWIZZLED) HAUL_TRY(reserve(kernels, &launch.extra_shared_bytes));
    return kernels_run(kernels, &launch, run);
}
