/* The forms of kernels with tuned constants, and the constants by name. Included once for each architecture of
 * kernels/tuned/, after that file. KERNELS_ARCHITECTURE: 80 for sm_80. */
#include <kernels/launch.h>

/* Makes constants keep the names of engines as values. */
#undef HAUL_AUTO
#undef HAUL_BY_LDG
#undef HAUL_BY_LDGSTS
#undef HAUL_BY_BULK
#undef HAUL_BY_TENSOR

#define KERNELS_JOIN_(a, b) a##b
#define KERNELS_JOIN(a, b) KERNELS_JOIN_(a, b)
#define KERNELS_TEXT_(a) #a
#define KERNELS_TEXT(a) KERNELS_TEXT_(a)

static const haul_kernel_form copy_forms[HAUL_COPY_FORMS] = {
    {.name = "auto"},
#define HAUL_KERNEL_COPY(FORM, ...) {__VA_ARGS__},
#include <haul/kernels.def>
};
static const haul_kernel_form saxpy_forms[HAUL_SAXPY_FORMS] = {
    {.name = "auto"},
#define HAUL_KERNEL_SAXPY(FORM, ...) {__VA_ARGS__},
#include <haul/kernels.def>
};
static const haul_kernel_form maxpool15_forms[HAUL_MAXPOOL15_FORMS] = {
    {.name = "auto"},
#define HAUL_KERNEL_MAXPOOL15(FORM, ...) {__VA_ARGS__},
#include <haul/kernels.def>
};
static const haul_kernel_form gather_forms[HAUL_GATHER_FORMS] = {
    {.name = "auto"},
#define HAUL_KERNEL_GATHER(FORM, ...) {__VA_ARGS__},
#include <haul/kernels.def>
};
static const haul_kernel_form scatter_forms[HAUL_SCATTER_FORMS] = {
    {.name = "auto"},
#define HAUL_KERNEL_SCATTER(FORM, ...) {__VA_ARGS__},
#include <haul/kernels.def>
};
static const haul_kernel_form matvec_forms[HAUL_MATVEC_FORMS] = {
    {.name = "auto"},
#define HAUL_KERNEL_MATVEC(FORM, ...) {__VA_ARGS__},
#include <haul/kernels.def>
};

static const haul_kernel_form fused_forms[HAUL_FUSED_FORMS] = {
    {.name = "auto"},
#define HAUL_KERNEL_FUSED(FORM, ...) {__VA_ARGS__},
#include <haul/kernels.def>
};
static const haul_kernel_form stencil_forms[HAUL_STENCIL_FORMS] = {
    {.name = "auto"},
#define HAUL_KERNEL_STENCIL(FORM, ...) {__VA_ARGS__},
#include <haul/kernels.def>
};

static const kernels_family families[] = {{haul_copy_forms, copy_forms},           {haul_saxpy_forms, saxpy_forms},
                                          {haul_maxpool15_forms, maxpool15_forms}, {haul_gather_forms, gather_forms},
                                          {haul_scatter_forms, scatter_forms},     {haul_matvec_forms, matvec_forms},
                                          {haul_fused_forms, fused_forms},         {haul_stencil_forms, stencil_forms}};

static const kernels_constant_row constants[] = {
#define PARAMETER(id, name, values) {#name, KERNELS_TEXT(name)},
#include <kernels/tunables.def>
};

const kernels_tables KERNELS_JOIN(kernels_tables_sm_, KERNELS_ARCHITECTURE) = {
    KERNELS_ARCHITECTURE, families, sizeof families / sizeof families[0], constants,
    sizeof constants / sizeof constants[0]};
