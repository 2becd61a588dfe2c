#include <kernels/launch.h>
#include <kernels/tuned/sm_90.h>

#include "base/status.h"

#include <stdio.h>

const haul_kernel_form haul_stencil_forms[] = {
    {.name = "auto"},
#define HAUL_KERNEL_STENCIL(FORM, ...) {__VA_ARGS__},
#include <haul/kernels.def>
};

static const uint32_t buffers[HAUL_STENCIL_FORMS] = {
    [HAUL_STENCIL_BY_HAND] = 2,    [HAUL_STENCIL_SINGLE] = 1,     [HAUL_STENCIL_DOUBLE] = 2,
    [HAUL_STENCIL_SINGLE_DMA] = 1, [HAUL_STENCIL_DOUBLE_DMA] = 2, [HAUL_STENCIL_MANUAL_DMA] = 2,
    [HAUL_STENCIL_COLUMN] = 1,
};

uint64_t haul_volume_floats(const haul_volume *v) {
    if (!v->nx || !v->ny || !v->nz) return 0;
    return v->pitch * ((uint64_t)v->ny * v->nz - 1) + v->nx;
}

/* A stage is the tile with its ring, which has room for a sector on either side; kernels/stencil.cu has this layout. */
static uint32_t stage_bytes(const haul_kernel_form *f, uint32_t radius) {
    enum { SIDE = 8 };
    return (f->tile[0] + 2 * SIDE) * (f->tile[1] + 2 * radius) * (uint32_t)sizeof(float);
}

/* For the form WALK: a ring for each warp, of rows 128 floats wide and a sector on either side. */
static uint32_t ring_bytes(const haul_kernels *k, uint32_t radius) {
    const uint32_t steps = 1 + kernels_tuned(k, "STENCIL_WALK_AHEAD");
    return kernels_tuned(k, "STENCIL_WALK_WARPS") * (radius + steps * kernels_tuned(k, "STENCIL_WALK_ROWS")) * 576;
}

/* The fastest forms on an H100: for few neighbours cached loads, while other blocks compute; for more a tile loaded by
 * blocks that end; for many a warp that goes down and keeps those above and below in registers. On an H200 blocks must
 * end early, so that those that run together use one stretch of memory. */
static haul_stencil_form choose_form(const haul_kernels *k, const haul_volume *v, uint32_t radius) {
    if (v->pitch % 4) return HAUL_STENCIL_PLAIN;
    if (kernels_memory_outruns_pacing(k)) return radius > 2 || v->nx % 4 ? HAUL_STENCIL_COLUMN : HAUL_STENCIL_LANES;
    if (radius > 4) return HAUL_STENCIL_WALK;
    return radius > 2 || v->nx % 4 ? HAUL_STENCIL_SINGLE : HAUL_STENCIL_VECTOR;
}

/* For the form WALK: the number of blocks into which the rows are divided. All take equally long, so there should be
 * whole waves of them; each reads 2 * radius more rows than it has. */
static haul_status divide_rows(haul_kernels *k, const haul_volume *v, uint32_t radius, kernels_launch *launch) {
    const haul_kernel_form *f = &haul_stencil_forms[HAUL_STENCIL_WALK];
    const uint32_t warps = kernels_tuned(k, "STENCIL_WALK_WARPS");
    haul_module *module;
    uint32_t per_sm;
    uint64_t least = UINT64_MAX;
    HAUL_TRY(kernels_module(k, f->module, &module));
    HAUL_TRY(haul_module_blocks_per_sm(module, launch->kernel, 32 * warps, launch->extra_shared_bytes, &per_sm));
    const uint64_t resident = (uint64_t)(per_sm ? per_sm : 1) * kernels_sm_count(k);
    const uint64_t others = ((v->nx - 1) / (128 * warps) + 1) * (uint64_t)v->nz;
    for (uint64_t parts = 1; parts <= (v->ny - 1) / f->tile[1] + 1; parts++) {
        const uint64_t waves = (others * parts - 1) / resident + 1, rows = (v->ny - 1) / parts + 1 + 2 * radius;
        if (waves * rows >= least) continue;
        least = waves * rows;
        launch->blocks_in_y = parts;
    }
    return HAUL_OK;
}

enum { MOST_OF_LANES = 4 }; /* radius: a lane asks its two neighbours for a vector each */

static haul_status check(haul_stencil_form form, const haul_volume *v, uint32_t radius) {
    if (radius < 1 || radius > HAUL_STENCIL_MOST_RADIUS)
        return haul_fail(HAUL_ERROR_ARGUMENT, "haul_stencil: radius %u: must be 1 to %d", radius,
                         HAUL_STENCIL_MOST_RADIUS);
    if (v->pitch < v->nx)
        return haul_fail(HAUL_ERROR_ARGUMENT, "haul_stencil: pitch %u: must be at least the row's %u", v->pitch, v->nx);
    if (v->nx % 4 && (form == HAUL_STENCIL_VECTOR || form == HAUL_STENCIL_LANES))
        return haul_fail(HAUL_ERROR_ARGUMENT, "haul_stencil: nx %u: must be a multiple of 4 for form %s", v->nx,
                         haul_stencil_forms[form].name);
    if (radius > MOST_OF_LANES && form == HAUL_STENCIL_LANES)
        return haul_fail(HAUL_ERROR_ARGUMENT, "haul_stencil: radius %u: must be 1 to %d for form lanes", radius,
                         MOST_OF_LANES);
    if (v->pitch % 4 && form != HAUL_STENCIL_PLAIN)
        return haul_fail(HAUL_ERROR_ARGUMENT, "haul_stencil: pitch %u: must be a multiple of 4, but for form plain",
                         v->pitch);
    if ((uint64_t)v->pitch * v->ny > INT32_MAX)
        return haul_fail(HAUL_ERROR_ARGUMENT, "haul_stencil: a plane must be smaller than 2^31 floats");
    return HAUL_OK;
}

haul_status haul_stencil(haul_kernels *kernels, haul_stencil_form form, const haul_volume *volume, uint32_t radius,
                         const float *coefficients, haul_buffer *in, haul_buffer *out, haul_run *run) {
    char kernel[64];
    float c[HAUL_STENCIL_MOST_RADIUS + 1] = {0};
    if (form == HAUL_STENCIL_AUTO) form = choose_form(kernels, volume, radius);
    HAUL_TRY(check(form, volume, radius));
    for (uint32_t k = 0; k <= radius; k++) c[k] = coefficients[k];
    const uint64_t floats = haul_volume_floats(volume);
    const kernels_argument arguments[] = {
        KERNELS_IN(in, floats, 4), KERNELS_OUT(out, floats, 4), KERNELS_U32(volume->nx), KERNELS_U32(volume->ny),
        KERNELS_U32(volume->nz),   KERNELS_U32(volume->pitch),  KERNELS_F32(c[0]),       KERNELS_F32(c[1]),
        KERNELS_F32(c[2]),         KERNELS_F32(c[3]),           KERNELS_F32(c[4]),       KERNELS_F32(c[5]),
        KERNELS_F32(c[6]),         KERNELS_F32(c[7]),           KERNELS_F32(c[8])};
    kernels_launch launch = {.function = "haul_stencil",
                             KERNELS_FORM(haul_stencil_forms, form),
                             .kernel = kernel,
                             .extent = {floats ? volume->nx : 0, volume->ny, volume->nz},
                             KERNELS_ARGUMENTS(arguments)};
    if ((unsigned)form < HAUL_STENCIL_FORMS) {
        launch.extra_shared_bytes = form == HAUL_STENCIL_WALK
                                        ? ring_bytes(kernels, radius)
                                        : buffers[form] * stage_bytes(&haul_stencil_forms[form], radius);
        snprintf(kernel, sizeof kernel, "%s_r%u", haul_stencil_forms[form].kernel, radius);
        if (form == HAUL_STENCIL_WALK && floats) HAUL_TRY(divide_rows(kernels, volume, radius, &launch));
    }
    return kernels_run(kernels, &launch, run);
}
