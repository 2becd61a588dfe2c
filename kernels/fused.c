#include <kernels/launch.h>
#include <kernels/tuned/sm_90.h>

#include "base/status.h"

#include <stdio.h>

const haul_kernel_form haul_fused_forms[] = {
    {.name = "auto"},
#define HAUL_KERNEL_FUSED(FORM, ...) {__VA_ARGS__},
#include <haul/kernels.def>
};

/* The first of the two kernels. */
static const haul_kernel_form pointwise_forms[] = {
    {.name = "auto"},
    {"pointwise", "fused", "pointwise", "f alone", 80, {256, 1}, {1024, 1}, HAUL_GRID_COVERS, 0, 16},
};

enum { STAGES = 4, STAGES_OF_ROLES = 5, SLAB = 8, MOST_ROWS = 128, MOST_K = 128 }; /* must match fused.cu */

enum { TENSOR_DEPTH = 64, TENSOR_RING = 8 * 2 * 32 }; /* must match fused_sm90a.cu; words of the rings for each k */

/* Hopper alone has the instructions of the form TENSOR. */
static haul_fused_form choose_form(const haul_kernels *kernels, uint32_t m, uint32_t k) {
    const uint32_t architecture = kernels_architecture(kernels);
    const bool hopper = architecture >= 90 && architecture < 100;
    return hopper && m <= MOST_ROWS && k <= TENSOR_DEPTH ? HAUL_FUSED_TENSOR : HAUL_FUSED_STRIPS;
}

static haul_status check_sizes(haul_fused_form form, uint32_t m, uint32_t k, uint32_t n) {
    if (n > INT32_MAX) return haul_fail(HAUL_ERROR_ARGUMENT, "haul_fused: n is %u: must be below 2^31", n);
    if (form == HAUL_FUSED_TENSOR && k > TENSOR_DEPTH)
        return haul_fail(HAUL_ERROR_ARGUMENT, "haul_fused: A is %u x %u: form tensor takes up to %u x %u", m, k,
                         (unsigned)MOST_ROWS, (unsigned)TENSOR_DEPTH);
    if (form == HAUL_FUSED_PLAIN || (m <= MOST_ROWS && k <= MOST_K)) return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT, "haul_fused: A is %u x %u: all forms but plain take up to %u x %u", m, k,
                     (unsigned)MOST_ROWS, (unsigned)MOST_K);
}

/* Rows of the tiles for m. */
static uint32_t tile_rows(uint32_t m) {
    return m > 64 ? 128 : m > 32 ? 64 : 32;
}

/* k of the kernel of form TENSOR. */
static uint32_t tensor_depth(uint32_t k) {
    return k > 32 ? 64 : 32;
}

/* Shared memory of A, and of two slabs of its strip for each warp; or of the rings of the forms with tiles. */
static uint32_t shared_bytes(const haul_kernels *kernels, haul_fused_form form, uint32_t rows, uint32_t k) {
    const char *slab = rows == 32 ? "FUSED_STRIP_SLAB_32" : "FUSED_STRIP_SLAB";
    uint32_t slabs = 2 * kernels_tuned(kernels, "FUSED_STRIP_WARPS") * kernels_tuned(kernels, slab);
    if (form == HAUL_FUSED_TENSOR) return (2 * rows + TENSOR_RING) * tensor_depth(k) * 4;
    if (form == HAUL_FUSED_STRIPS) return (k * rows + slabs * (64 * 32 / rows)) * 4;
    uint32_t stages = form == HAUL_FUSED_ROLES ? STAGES_OF_ROLES : STAGES;
    return (k * rows + stages * SLAB * (128 * 128 / rows)) * 4;
}

static haul_status apply_f(haul_kernels *kernels, uint64_t count, haul_buffer *b, haul_buffer *temporary,
                           haul_run *run) {
    const kernels_argument arguments[] = {KERNELS_OUT(temporary, count, 4),
                                          KERNELS_IN(b, count, 4),
                                          {.value = {.kind = HAUL_ARGUMENT_I64, .integer = (int64_t)count}}};
    const kernels_launch launch = {
        .function = "haul_fused", KERNELS_FORM(pointwise_forms, 1), .extent = {count}, KERNELS_ARGUMENTS(arguments)};
    return kernels_run(kernels, &launch, run);
}

haul_status haul_fused(haul_kernels *kernels, haul_fused_form form, uint32_t m, uint32_t k, uint32_t n, haul_buffer *a,
                       haul_buffer *b, haul_buffer *temporary, haul_buffer *c, haul_run *run) {
    if (!form) form = choose_form(kernels, m, k);
    uint64_t count = (uint64_t)k * n;
    HAUL_TRY(check_sizes(form, m, k, n));
    if (form == HAUL_FUSED_TWO_KERNELS) {
        HAUL_TRY(apply_f(kernels, count, b, temporary, run));
        b = temporary;
    }
    const kernels_argument arguments[] = {KERNELS_OUT(c, (uint64_t)m * n, 4),
                                          KERNELS_IN(a, (uint64_t)m * k, 4),
                                          KERNELS_IN(b, count, 4),
                                          KERNELS_U32(m),
                                          KERNELS_U32(k),
                                          KERNELS_U32(n)};
    kernels_launch launch = {.function = "haul_fused",
                             KERNELS_FORM(haul_fused_forms, form),
                             .extent = {m && k ? n : 0, m},
                             KERNELS_ARGUMENTS(arguments)};
    char kernel[32];
    if (form != HAUL_FUSED_PLAIN && form < HAUL_FUSED_FORMS) {
        const int length = snprintf(kernel, sizeof kernel, "%s_%u", haul_fused_forms[form].kernel, tile_rows(m));
        if (form == HAUL_FUSED_TENSOR)
            snprintf(kernel + length, sizeof kernel - (size_t)length, "x%u", tensor_depth(k));
        launch.kernel = kernel;
        launch.extent[1] = 0; /* tiles lie in one dimension, along which the grid strides */
        launch.extra_shared_bytes = shared_bytes(kernels, form, tile_rows(m), k);
    }
    return kernels_run(kernels, &launch, run);
}
