#include <kernels/launch.h>
#include <kernels/tuned/sm_90.h>

#include "base/status.h"

#include <stdio.h>

const haul_kernel_form haul_matvec_forms[] = {
    {.name = "auto"},
#define HAUL_KERNEL_MATVEC(FORM, ...) {__VA_ARGS__},
#include <haul/kernels.def>
};

/* Rows that a block of the form SPLIT takes: as many as leave a block for each SM. */
static uint32_t rows_of_block(const haul_kernels *k, uint32_t rows) {
    const uint32_t each = rows / kernels_sm_count(k);
    return each >= 4 ? 4 : each >= 2 ? 2 : 1;
}

/* Rows are divided if they are too few to give each SM 32 warps, and so long that each warp of a block has work. */
static haul_matvec_form choose_form(const haul_kernels *k, uint32_t rows, uint32_t columns) {
    enum { PIECE = 2048 }; /* as in matvec.cu */
    const uint32_t warps = kernels_tuned(k, "MATVEC_SPLIT_THREADS") / 32;
    return rows < 32 * kernels_sm_count(k) && columns > warps * (PIECE / 2) ? HAUL_MATVEC_SPLIT : HAUL_MATVEC_WARP;
}

haul_status haul_matvec(haul_kernels *kernels, haul_matvec_form form, uint32_t rows, uint32_t columns, haul_buffer *a,
                        haul_buffer *x, haul_buffer *y, haul_run *run) {
    if (!form) form = choose_form(kernels, rows, columns);
    const kernels_argument arguments[] = {KERNELS_OUT(y, rows, 4), KERNELS_IN(a, (uint64_t)rows * columns, 4),
                                          KERNELS_IN(x, columns, 4), KERNELS_U32(rows), KERNELS_U32(columns)};
    kernels_launch launch = {.function = "haul_matvec",
                             KERNELS_FORM(haul_matvec_forms, form),
                             .extent = {columns ? rows : 0},
                             KERNELS_ARGUMENTS(arguments)};
    char kernel[32];
    if (form == HAUL_MATVEC_SPLIT) {
        const uint32_t each = rows_of_block(kernels, rows);
        snprintf(kernel, sizeof kernel, "matvec_split_%u", each);
        launch.kernel = kernel;
        launch.extent[0] = columns ? (rows + each - 1) / each : 0;
    }
    if (columns > INT32_MAX)
        return haul_fail(HAUL_ERROR_ARGUMENT, "haul_matvec: %u columns: must be below 2^31", columns);
    return kernels_run(kernels, &launch, run);
}
