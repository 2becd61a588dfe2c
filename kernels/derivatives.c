#include <kernels/launch.h>

#include "base/status.h"

const haul_kernel_form haul_copy_rows_forms[] = {
    {.name = "auto"},
#define HAUL_KERNEL_COPY_ROWS(FORM, ...) {__VA_ARGS__},
#include <haul/kernels.def>
};

const haul_kernel_form haul_derivative_fast_forms[] = {
    {.name = "auto"},
#define HAUL_KERNEL_DERIVATIVE_FAST(FORM, ...) {__VA_ARGS__},
#include <haul/kernels.def>
};

const haul_kernel_form haul_derivative_slow_forms[] = {
    {.name = "auto"},
#define HAUL_KERNEL_DERIVATIVE_SLOW(FORM, ...) {__VA_ARGS__},
#include <haul/kernels.def>
};

haul_rows haul_rows_lay_out(uint32_t n0, uint32_t n1, haul_padding padding) {
    enum { LINE = 32 }; /* floats of a cache line */
    haul_rows rows = {.n0 = n0, .n1 = n1, .pitch = n0 + 2, .lead = padding == HAUL_PADDING_NONE ? 1 : LINE};
    if (padding == HAUL_PADDING_PITCH) rows.pitch = (rows.pitch + LINE - 1) / LINE * LINE;
    return rows;
}

uint64_t haul_rows_floats(const haul_rows *rows) {
    return rows->lead + (uint64_t)rows->pitch * rows->n1 + rows->n0;
}

/* All three take the same arguments, but that a copy has no scale. */
static haul_status run_rows(haul_kernels *k, kernels_launch *launch, const haul_rows *rows, float scale,
                            haul_buffer *in, haul_buffer *out, haul_run *run) {
    if (rows->lead < 1 || rows->pitch < rows->n0)
        return haul_fail(HAUL_ERROR_ARGUMENT, "%s: lead %u, pitch %u: must be at least 1 and the row's %u elements",
                         launch->function, rows->lead, rows->pitch, rows->n0);
    const uint64_t floats = haul_rows_floats(rows);
    const kernels_argument arguments[] = {
        KERNELS_IN(in, floats, 4), KERNELS_OUT(out, floats, 4), KERNELS_U32(rows->n0), KERNELS_U32(rows->n1),
        KERNELS_U32(rows->pitch),  KERNELS_U32(rows->lead),     KERNELS_F32(scale)};
    launch->extent[0] = rows->n1 ? rows->n0 : 0;
    launch->extent[1] = rows->n1;
    launch->arguments = arguments;
    launch->argument_count += sizeof arguments / sizeof arguments[0] - 1;
    return kernels_run(k, launch, run);
}

haul_status haul_copy_rows(haul_kernels *kernels, haul_copy_rows_form form, const haul_rows *rows, haul_buffer *in,
                           haul_buffer *out, haul_run *run) {
    kernels_launch launch = {.function = "haul_copy_rows",
                             KERNELS_FORM(haul_copy_rows_forms, form ? form : HAUL_COPY_ROWS_PLAIN)};
    return run_rows(kernels, &launch, rows, 0, in, out, run);
}

haul_status haul_derivative_fast(haul_kernels *kernels, haul_derivative_fast_form form, const haul_rows *rows,
                                 float scale, haul_buffer *in, haul_buffer *out, haul_run *run) {
    kernels_launch launch = {.function = "haul_derivative_fast",
                             KERNELS_FORM(haul_derivative_fast_forms, form ? form : HAUL_DERIVATIVE_FAST_SHUFFLED),
                             .argument_count = 1};
    return run_rows(kernels, &launch, rows, scale, in, out, run);
}

haul_status haul_derivative_slow(haul_kernels *kernels, haul_derivative_slow_form form, const haul_rows *rows,
                                 float scale, haul_buffer *in, haul_buffer *out, haul_run *run) {
    kernels_launch launch = {.function = "haul_derivative_slow",
                             KERNELS_FORM(haul_derivative_slow_forms, form ? form : HAUL_DERIVATIVE_SLOW_WALKED),
                             .argument_count = 1};
    return run_rows(kernels, &launch, rows, scale, in, out, run);
}
