/* Prints what the host functions of <haul/kernels.h> ask for when they launch, each form once on a machine of each
 * architecture, a line a launch:
 *
 *     sm_90 saxpy saxpy_roles 288 32768
 *
 * architecture, file of kernels/, kernel, and a block's threads and bytes of dynamic shared memory.
 * tools/device/budget.py reads it. */
#include <haul/kernels.h>
#include <stdio.h>

enum { ROWS = 64, COLUMNS = 128, FLOATS = 2 * ROWS * COLUMNS, ROW_BYTES = 2048 };

/* The content of every array: values do not matter, and index 0 is valid. */
static const float zeros[FLOATS];

typedef struct arrays {
    haul_buffer *in, *out, *small, *temporary;
} arrays;

typedef haul_status family_launch(haul_kernels *k, unsigned form, const arrays *a, haul_run *run);

static haul_status copy(haul_kernels *k, unsigned form, const arrays *a, haul_run *run) {
    return haul_copy(k, (haul_copy_form)form, FLOATS, a->in, a->out, run);
}

static haul_status saxpy(haul_kernels *k, unsigned form, const arrays *a, haul_run *run) {
    return haul_saxpy(k, (haul_saxpy_form)form, FLOATS, 1, a->in, a->out, run);
}

static haul_status maxpool15(haul_kernels *k, unsigned form, const arrays *a, haul_run *run) {
    return haul_maxpool15(k, (haul_maxpool15_form)form, FLOATS, a->in, a->out, run);
}

static haul_status stencil(haul_kernels *k, unsigned form, const arrays *a, haul_run *run) {
    static const float coefficients[HAUL_STENCIL_MOST_RADIUS + 1] = {1};
    const haul_volume plane = {COLUMNS, ROWS, 1, COLUMNS};
    haul_status status = haul_stencil(k, (haul_stencil_form)form, &plane, 2, coefficients, a->in, a->out, run);
    if (status != HAUL_OK) return status;
    return haul_stencil(k, (haul_stencil_form)form, &plane, 8, coefficients, a->in, a->out, run);
}

static haul_status copy_rows(haul_kernels *k, unsigned form, const arrays *a, haul_run *run) {
    const haul_rows rows = haul_rows_lay_out(COLUMNS, ROWS, HAUL_PADDING_PITCH);
    return haul_copy_rows(k, (haul_copy_rows_form)form, &rows, a->in, a->out, run);
}

static haul_status derivative_fast(haul_kernels *k, unsigned form, const arrays *a, haul_run *run) {
    const haul_rows rows = haul_rows_lay_out(COLUMNS, ROWS, HAUL_PADDING_PITCH);
    return haul_derivative_fast(k, (haul_derivative_fast_form)form, &rows, 1, a->in, a->out, run);
}

static haul_status derivative_slow(haul_kernels *k, unsigned form, const arrays *a, haul_run *run) {
    const haul_rows rows = haul_rows_lay_out(COLUMNS, ROWS, HAUL_PADDING_PITCH);
    return haul_derivative_slow(k, (haul_derivative_slow_form)form, &rows, 1, a->in, a->out, run);
}

static haul_status gather(haul_kernels *k, unsigned form, const arrays *a, haul_run *run) {
    return haul_gather(k, (haul_gather_form)form, 1, ROW_BYTES, 4, a->in, a->small, a->out, run);
}

static haul_status scatter(haul_kernels *k, unsigned form, const arrays *a, haul_run *run) {
    return haul_scatter(k, (haul_scatter_form)form, 1, ROW_BYTES, 4, a->in, a->small, a->out, run);
}

static haul_status transpose(haul_kernels *k, unsigned form, const arrays *a, haul_run *run) {
    return haul_transpose(k, (haul_transpose_form)form, ROWS, COLUMNS, a->in, a->out, run);
}

static haul_status matvec(haul_kernels *k, unsigned form, const arrays *a, haul_run *run) {
    return haul_matvec(k, (haul_matvec_form)form, ROWS, COLUMNS, a->in, a->small, a->out, run);
}

static haul_status fused(haul_kernels *k, unsigned form, const arrays *a, haul_run *run) {
    return haul_fused(k, (haul_fused_form)form, 32, 32, COLUMNS, a->small, a->in, a->temporary, a->out, run);
}

/* In the order of kernels.def. */
static const struct {
    const haul_kernel_form *forms;
    unsigned count;
    family_launch *launch;
} families[] = {
    {haul_copy_forms, HAUL_COPY_FORMS, copy},
    {haul_saxpy_forms, HAUL_SAXPY_FORMS, saxpy},
    {haul_maxpool15_forms, HAUL_MAXPOOL15_FORMS, maxpool15},
    {haul_stencil_forms, HAUL_STENCIL_FORMS, stencil},
    {haul_copy_rows_forms, HAUL_COPY_ROWS_FORMS, copy_rows},
    {haul_derivative_fast_forms, HAUL_DERIVATIVE_FAST_FORMS, derivative_fast},
    {haul_derivative_slow_forms, HAUL_DERIVATIVE_SLOW_FORMS, derivative_slow},
    {haul_gather_forms, HAUL_GATHER_FORMS, gather},
    {haul_scatter_forms, HAUL_SCATTER_FORMS, scatter},
    {haul_transpose_forms, HAUL_TRANSPOSE_FORMS, transpose},
    {haul_matvec_forms, HAUL_MATVEC_FORMS, matvec},
    {haul_fused_forms, HAUL_FUSED_FORMS, fused},
};

static void print(const haul_device *device, const char *module, const haul_run *run) {
    for (size_t i = 0; i < run->launch_count; i++) {
        const haul_launch_record *l = &run->launches[i];
        printf("sm_%u %s %s %u %u\n", haul_device_architecture(device), module, l->kernel,
               l->block[0] * l->block[1] * l->block[2], l->shared_bytes);
    }
}

/* Forms of a newer architecture are left out. */
static haul_status list_form(haul_device *device, haul_kernels *k, size_t family, unsigned form, const arrays *a) {
    const haul_kernel_form *f = &families[family].forms[form];
    haul_run *run = NULL;
    if (f->architecture > haul_device_architecture(device)) return HAUL_OK;
    haul_status status = haul_run_create(device, &run);
    if (status == HAUL_OK) status = families[family].launch(k, form, a, run);
    if (status == HAUL_OK) print(device, f->module, run);
    haul_run_free(run);
    return status;
}

static haul_status list_forms(haul_device *device, haul_kernels *k, const arrays *a) {
    haul_status status = HAUL_OK;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        for (unsigned form = 1; status == HAUL_OK && form < families[i].count; form++)
            status = list_form(device, k, i, form, a);
    return status;
}

static haul_status list_machine(const char *machine) {
    haul_device *device = NULL;
    haul_kernels *kernels = NULL;
    arrays a = {0};
    haul_buffer **const all[] = {&a.in, &a.out, &a.small, &a.temporary};
    haul_status status = haul_device_open(machine, NULL, &device);
    for (size_t i = 0; status == HAUL_OK && i < sizeof all / sizeof *all; i++) {
        status = haul_buffer_create(device, sizeof zeros, all[i]);
        if (status == HAUL_OK) status = haul_buffer_write(*all[i], 0, zeros, sizeof zeros);
    }
    if (status == HAUL_OK) status = haul_kernels_open(device, &kernels);
    if (status == HAUL_OK) status = list_forms(device, kernels, &a);
    haul_kernels_close(kernels);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) haul_buffer_free(*all[i]);
    haul_device_close(device);
    return status;
}

int main(void) {
    static const char *const machines[] = {"sim:h100", "sim:a100"};
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        if (list_machine(machines[i]) == HAUL_OK) continue;
        fprintf(stderr, "haul_list_launches: %s: %s\n", machines[i], haul_message());
        return 2;
    }
    return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
