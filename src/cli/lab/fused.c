/* The experiment `fused`: C = A f(B), with a small A and a wide B, by shipped forms of haul_fused(). One of them
 * launches two kernels with f(B) in memory between them, so numbers are summed over all launches of a form. The host
 * computes in the order that kernels/fused.cu promises, so results agree bit for bit. */
#include "cli/lab/workbench.h"

#include "base/status.h"

#include <math.h>

enum { M = 32, K = 32, N = 1 << 14 }; /* A is M x K, B is K x N */

static const report_column columns[] = {
    {"form", "Form", REPORT_TEXT, NULL},
    {"instructions", "Instructions", REPORT_COUNT, "executed by warps, all kinds"},
    {"l2_read", "L2 read", REPORT_BYTES, "B has 2 MiB"},
    {"l2_written", "L2 written", REPORT_BYTES, "C has 2 MiB"},
    {"loads", "Loads", REPORT_COUNT, "warps' loads from global memory into registers"},
    {"ldgsts", "LDGSTS", REPORT_COUNT, "warps' asynchronous copies"},
    {"bulk", "Bulk", REPORT_COUNT, "bulk copies"},
    {"shared_loads", "Shared loads", REPORT_COUNT, "warps' loads from shared memory"},
    {"products", "Products/load", REPORT_RATIO, "warps' multiply-adds for each of these"},
    {"conflicts", "Conflicts", REPORT_COUNT, "wavefronts that bank conflicts add to these"},
};

/* Returns the sum of a counter over a form's launches: those of the run from `first` on. */
static double total(const lab_workbench *b, size_t first, haul_counter counter) {
    double sum = 0;
    for (size_t i = first; i < b->own.run->launch_count; i++) sum += b->own.run->launches[i].counters[counter];
    return sum;
}

/* A warp's multiply-add makes 32 products. Products for each shared load show how well registers are reused. */
static void add_row(report_table *t, const lab_workbench *b, size_t first, const char *label) {
    double shared = total(b, first, HAUL_COUNTER_INST_SHARED_LD), products = (double)(M * K * N / 32);
    report_add_row(t);
    report_add_text(t, "%s", label);
    report_add_number(t, total(b, first, HAUL_COUNTER_INST_EXECUTED));
    report_add_number(t, 32 * total(b, first, HAUL_COUNTER_L2_READ_SECTORS));
    report_add_number(t, 32 * total(b, first, HAUL_COUNTER_L2_WRITE_SECTORS));
    report_add_number(t, total(b, first, HAUL_COUNTER_INST_GLOBAL_LD));
    report_add_number(t, total(b, first, HAUL_COUNTER_INST_LDGSTS));
    report_add_number(t, total(b, first, HAUL_COUNTER_INST_TMA_LD));
    report_add_number(t, shared);
    report_add_number(t, report_ratio(products, shared));
    report_add_number(t, total(b, first, HAUL_COUNTER_SHARED_LD_CONFLICTS));
}

/* f(B) and C, in the order that kernels/fused.cu states. */
static void compute(const float *a, const float *b, float *fb, float *c) {
    for (size_t i = 0; i < (size_t)K * N; i++) fb[i] = fmaf(b[i], fabsf(b[i]), 0.5f * b[i]);
    for (size_t i = 0; i < M; i++) {
        for (size_t j = 0; j < N; j++) c[i * N + j] = 0.0f;
        for (size_t l = 0; l < K; l++) {
            for (size_t j = 0; j < N; j++) c[i * N + j] = fmaf(a[i * K + l], fb[l * N + j], c[i * N + j]);
        }
    }
}

/* a[]: A, B, memory for f(B), C. */
static haul_status call(haul_kernels *kernels, const haul_argument *a, const void *with, haul_run *run) {
    const haul_fused_form *form = with;
    return haul_fused(kernels, *form, M, K, N, a[0].buffer, a[1].buffer, a[2].buffer, a[3].buffer, run);
}

haul_status lab_run_fused(lab_workbench *b) {
    const float *a = lab_floats(b, M * K, 1), *right = lab_floats(b, (size_t)K * N, 7);
    float *fb = lab_untouched(b, (size_t)K * N), *c = lab_untouched(b, (size_t)M * N);
    if (a && right && fb && c) compute(a, right, fb, c);
    report_table *t =
        report_add_table(b->section, "forms", "A 32 x 32, B 32 x 16384", columns, sizeof columns / sizeof columns[0]);
    for (unsigned i = HAUL_FUSED_PLAIN; i < HAUL_FUSED_FORMS; i++) {
        haul_fused_form form = (haul_fused_form)i;
        if (form == HAUL_FUSED_TENSOR) continue; /* for Hopper alone, and with bits of its own */
        size_t first = b->own.run->launch_count;
        lab_launch launch = {.kernel = haul_fused_forms[form].kernel,
                             .function = call,
                             .with = &form,
                             .arguments = {lab_input(a, M * K), lab_input(right, (size_t)K * N),
                                           lab_input(right, (size_t)K * N), lab_result(NULL, c, (size_t)M * N)}};
        haul_launch_record record;
        HAUL_TRY(lab_measure(b, &launch, &record));
        add_row(t, b, first, haul_fused_forms[form].label);
        if (form == HAUL_FUSED_ROLES) lab_show_memory(b, "Producers and consumers", &record);
    }
    return HAUL_OK;
}
