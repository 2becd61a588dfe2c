/* The experiment `stencil`: the forms of haul_stencil() for radii 1 to 8, on the planes of a small volume. The host's
 * result (`compute`) adds in the kernels' order, so that all bits agree. Bytes read from L2 for an output show the
 * price of the ring around each tile; L1 sectors show that of reading each neighbour again. */
#include "cli/lab/workbench.h"

#include "base/status.h"

#include <math.h>

/* BLOCKS: few enough that a block of the staged forms processes several planes. */
enum { BLOCKS = 8, MOST = HAUL_STENCIL_MOST_RADIUS };

static const haul_volume volume = {.nx = 256, .ny = 64, .nz = 8, .pitch = 256};
static const uint32_t radii[] = {1, 2, 4, 8}; /* HAUL_STENCIL_MOST_RADIUS is the largest */
static const float coefficients[MOST + 1] = {0.5f, 0.25f, 0.125f, 0.0625f, 0.05f, 0.04f, 0.03f, 0.02f, 0.01f};

static const report_column columns[] = {
    {"radius", "Radius", REPORT_COUNT, NULL},
    {"form", "Form", REPORT_TEXT, NULL},
    {"instructions", "Instructions", REPORT_COUNT, "executed by warps, all kinds"},
    {"loads", "Loads", REPORT_COUNT, "warps' loads from global memory, asynchronous copies too"},
    {"sectors", "L1 sectors", REPORT_COUNT, "sectors that these touch"},
    {"l2_sectors", "L2 sectors", REPORT_COUNT, "sectors read from L2"},
    {"per_output", "Bytes/output", REPORT_RATIO, "bytes of those for each output; 4 are needed"},
    {"shared_loads", "Shared loads", REPORT_COUNT, "warps' loads from shared memory"},
    {"conflicts", "Conflicts", REPORT_COUNT, "wavefronts that bank conflicts add to these"},
    {"blocks", "Blocks/SM", REPORT_COUNT, "that can reside on an SM at once"},
};

/* One form at one radius, from counters of the whole launch. */
static void add_row(report_table *t, uint32_t radius, const char *label, const haul_launch_record *r) {
    const double outputs = (double)volume.nx * volume.ny * volume.nz, *n = r->counters;
    report_add_row(t);
    report_add_number(t, radius);
    report_add_text(t, "%s", label);
    report_add_number(t, n[HAUL_COUNTER_INST_EXECUTED]);
    report_add_number(t, n[HAUL_COUNTER_INST_GLOBAL_LD] + n[HAUL_COUNTER_INST_LDGSTS]);
    report_add_number(t, n[HAUL_COUNTER_L1_GLOBAL_LD_SECTORS]);
    report_add_number(t, n[HAUL_COUNTER_L2_READ_SECTORS]);
    report_add_number(t, 32 * n[HAUL_COUNTER_L2_READ_SECTORS] / outputs);
    report_add_number(t, (double)r->classes[HAUL_CLASS_SHARED_LOAD].instructions);
    report_add_number(t, n[HAUL_COUNTER_SHARED_LD_CONFLICTS]);
    report_add_number(t, r->occupancy.blocks_per_sm);
}

/* Elements outside of the plane count as 0. */
static float at(const float *plane, uint32_t x, uint32_t y) {
    return x < volume.nx && y < volume.ny ? plane[y * volume.pitch + x] : 0.0f;
}

/* Left of 0, indices wrap around to far beyond the plane's end. */
static void compute(uint32_t radius, const float *in, float *out) {
    for (uint32_t row = 0; row < volume.ny * volume.nz; row++) {
        uint32_t y = row % volume.ny;
        const float *plane = in + (size_t)(row - y) * volume.pitch;
        for (uint32_t x = 0; x < volume.nx; x++) {
            float sum = coefficients[0] * at(plane, x, y);
            for (uint32_t k = 1; k <= radius; k++)
                sum = fmaf(coefficients[k],
                           (at(plane, x - k, y) + at(plane, x + k, y)) + (at(plane, x, y - k) + at(plane, x, y + k)),
                           sum);
            out[row * volume.pitch + x] = sum;
        }
    }
}

/* The host function's argument `with`. */
typedef struct variant {
    haul_stencil_form form;
    uint32_t radius;
} variant;

static haul_status call(haul_kernels *kernels, const haul_argument *a, const void *with, haul_run *run) {
    const variant *v = with;
    return haul_stencil(kernels, v->form, &volume, v->radius, coefficients, a[0].buffer, a[1].buffer, run);
}

/* All forms at one radius. `out` gets the expected result: those of earlier radii are no longer needed. */
static haul_status run_radius(lab_workbench *b, report_table *t, uint32_t radius, const float *in, float *out) {
    const size_t floats = haul_volume_floats(&volume);
    if (in && out) compute(radius, in, out);
    for (haul_stencil_form form = HAUL_STENCIL_PLAIN; form < HAUL_STENCIL_FORMS; form++) {
        if (form == HAUL_STENCIL_LANES && radius > 4) continue; /* which it refuses */
        const variant v = {form, radius};
        lab_launch launch = {.kernel = haul_stencil_forms[form].kernel,
                             .function = call,
                             .with = &v,
                             .parameter = radius,
                             .arguments = {lab_input(in, floats), lab_result(NULL, out, floats)}};
        haul_launch_record record;
        HAUL_TRY(lab_measure(b, &launch, &record));
        add_row(t, radius, haul_stencil_forms[form].label, &record);
    }
    return HAUL_OK;
}

haul_status lab_run_stencil(lab_workbench *b) {
    const size_t floats = haul_volume_floats(&volume);
    const float *in = lab_floats(b, floats, 1);
    float *out = lab_untouched(b, floats);
    report_table *t =
        report_add_table(b->section, "forms", "256 x 64 x 8 floats", columns, sizeof columns / sizeof columns[0]);
    lab_limit_blocks(b, BLOCKS);
    for (size_t k = 0; k < sizeof radii / sizeof radii[0]; k++) HAUL_TRY(run_radius(b, t, radii[k], in, out));
    return HAUL_OK;
}
