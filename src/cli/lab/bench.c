#include "cli/lab/bench.h"

#include "base/status.h"
#include "report/memory_tables.h"

#include <kernels/launch.h>

#include <string.h>

enum { NOTED = 3 }; /* wrong launches of an experiment that are told in detail */

haul_status lab_bench_begin(lab_bench *b, lab *l, report_section *section) {
    *b = (lab_bench){.lab = l, .section = section};
    arena_init(&b->memory, NULL);
    HAUL_TRY(haul_kernels_open(l->device, &b->kernels));
    haul_status status = haul_run_create(l->device, &b->run);
    if (status != HAUL_OK) haul_kernels_close(b->kernels);
    return status;
}

haul_status lab_bench_end(lab_bench *b, haul_status status) {
    if (status == HAUL_OK) {
        report_check(b->section, b->wrong == 0, "%zu of %zu launches gave what the host computes",
                     b->launches - b->wrong, b->launches);
    }
    haul_kernels_close(b->kernels);
    haul_run_free(b->run);
    arena_free(&b->memory);
    return status;
}

float *lab_floats(lab_bench *b, size_t count, uint32_t seed) {
    float *floats = ARENA_ARRAY(&b->memory, count, float);
    for (size_t i = 0; floats && i < count; i++) {
        uint32_t hash = ((uint32_t)i + seed) * 2654435761u;
        floats[i] = (float)((hash >> 8) + 1) * (1.0f / 16777216.0f);
    }
    return floats;
}

float *lab_untouched(lab_bench *b, size_t count) {
    float *floats = ARENA_ARRAY(&b->memory, count, float);
    const uint32_t pattern = 0xdeadbeef;
    for (size_t i = 0; floats && i < count; i++) memcpy(&floats[i], &pattern, sizeof pattern);
    return floats;
}

/* Makes the launch's arguments; those that are buffers are the caller's to free, also after a failure. */
static haul_status make_arguments(lab_bench *b, const lab_launch *launch, haul_argument *arguments, size_t *count) {
    for (; *count < LAB_ARGUMENTS && launch->arguments[*count].kind != LAB_END; ++*count) {
        const lab_argument *from = &launch->arguments[*count];
        haul_argument *to = &arguments[*count];
        const float *contents = from->before;
        switch (from->kind) {
        case LAB_U32: *to = (haul_argument){.kind = HAUL_ARGUMENT_I32, .integer = from->word}; continue;
        case LAB_F32: *to = (haul_argument){.kind = HAUL_ARGUMENT_F32, .real = (double)from->real}; continue;
        default: *to = (haul_argument){.kind = HAUL_ARGUMENT_BUFFER};
        }
        if (from->kind == LAB_RESULT && !contents) contents = lab_untouched(b, from->count);
        if (!contents || (from->kind == LAB_RESULT && !from->after)) {
            return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "lab: %s: no memory for its arrays", launch->kernel);
        }
        HAUL_TRY(haul_buffer_create(b->lab->device, from->count * sizeof(float), &to->buffer));
        HAUL_TRY(haul_buffer_write(to->buffer, 0, contents, from->count * sizeof(float)));
    }
    return HAUL_OK;
}

static haul_status verify(lab_bench *b, const lab_launch *launch, const haul_argument *arguments, size_t count,
                          bool *right) {
    for (size_t k = 0; k < count; k++) {
        const lab_argument *a = &launch->arguments[k];
        if (a->kind != LAB_RESULT) continue;
        float *got = ARENA_ARRAY(&b->memory, a->count, float);
        if (!got) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "lab: %s: no memory for its results", launch->kernel);
        HAUL_TRY(haul_buffer_read(arguments[k].buffer, 0, got, a->count * sizeof(float)));
        size_t i = 0;
        while (i < a->count && memcmp(&got[i], &a->after[i], sizeof(float)) == 0) i++;
        if (i == a->count) continue;
        *right = false;
        if (b->wrong < NOTED)
            report_add_note(b->section, REPORT_BAD, "%s: element %zu is %.9g, it has to be %.9g", launch->kernel, i,
                            (double)got[i], (double)a->after[i]);
    }
    return HAUL_OK;
}

static haul_status run_described(lab_bench *b, const lab_launch *launch, const haul_argument *arguments, size_t count) {
    haul_module *module = NULL;
    HAUL_TRY(kernels_module(b->kernels, launch->module, &module));
    haul_launch l = {.kernel = launch->kernel,
                     .shared_bytes = launch->shared_bytes,
                     .arguments = arguments,
                     .argument_count = count};
    for (int k = 0; k < 3; k++) {
        l.grid[k] = launch->grid[k] ? launch->grid[k] : 1;
        l.block[k] = launch->block[k] ? launch->block[k] : 1;
    }
    return haul_launch_run(module, &l, b->run);
}

static haul_status launch_and_verify(lab_bench *b, const lab_launch *launch, haul_argument *arguments, size_t *count) {
    HAUL_TRY(make_arguments(b, launch, arguments, count));
    if (launch->function)
        HAUL_TRY(launch->function(b->kernels, arguments, launch->with, b->run));
    else
        HAUL_TRY(run_described(b, launch, arguments, *count));
    bool right = true;
    HAUL_TRY(verify(b, launch, arguments, *count, &right));
    b->launches++;
    if (!right) b->wrong++;
    return HAUL_OK;
}

haul_status lab_measure(lab_bench *b, const lab_launch *launch, haul_launch_record *record) {
    haul_argument arguments[LAB_ARGUMENTS] = {0};
    size_t count = 0;
    haul_status status = launch_and_verify(b, launch, arguments, &count);
    for (size_t k = 0; k < LAB_ARGUMENTS; k++) haul_buffer_free(arguments[k].buffer);
    if (status != HAUL_OK) return status;
    *record = b->run->launches[b->run->launch_count - 1];
    return HAUL_OK;
}

void lab_show_memory(lab_bench *b, const char *title, const haul_launch_record *record) {
    report_add_paragraph(b->section, "%s, in the tables of Nsight Compute's memory analysis:", title);
    report_add_memory_tables(b->section, record);
}
