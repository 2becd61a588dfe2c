/* Implements cli/lab/workbench.h: launches described as data, on one side or two.
 *
 * A side is a device with its kernels and its run record. lab_measure() makes the launch's arguments from the
 * description, launches, compares results bit for bit with the expected ones, and frees the arguments. With a GPU it
 * does the same there, takes the counters that ncu has read for this launch, and times it. Both launches are remembered
 * as a pair, and the tables of pairs are made at the end, so that they stand behind the experiment's own. ncu counted
 * launches in another process, which makes the same ones: the n-th launch here has the n-th counters (lab.launched). */
#include "cli/lab/workbench.h"

#include "base/mangled.h"
#include "base/status.h"
#include "lib/timing.h"
#include "report/profile/measured.h"
#include "report/profile/memory_tables.h"

#include <kernels/launch.h>

#include <string.h>

enum { NOTED = 3 }; /* wrong launches of an experiment that are reported in detail */

static haul_status no_memory(const lab_launch *launch, const char *what) {
    return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "lab: %s: no memory for its %s", launch->kernel, what);
}

/* ---- sides ---- */

/* Call close_side() also after an error. */
static haul_status open_side(lab_side *side, haul_device *device) {
    HAUL_TRY(haul_kernels_open(device, &side->kernels));
    side->device = device;
    return haul_run_create(device, &side->run);
}

static void close_side(lab_side *side) {
    haul_kernels_close(side->kernels);
    haul_run_free(side->run);
}

/* The message of an error is for the experiment's section; nothing has to be ended then. */
haul_status lab_workbench_begin(lab_workbench *b, lab *l, report_section *section) {
    *b = (lab_workbench){.lab = l, .section = section};
    arena_init(&b->memory, NULL);
    haul_status status = open_side(&b->own, l->device);
    if (status == HAUL_OK && l->real) status = open_side(&b->real, l->real);
    if (status == HAUL_OK) return HAUL_OK;
    close_side(&b->own);
    close_side(&b->real);
    return status;
}

void lab_limit_blocks(lab_workbench *b, uint32_t blocks) {
    haul_kernels_limit_blocks(b->own.kernels, blocks);
    if (b->real.device) haul_kernels_limit_blocks(b->real.kernels, blocks);
}

/* Adds the tables of hardware beside the virtual GPU, launch by launch, and says how many counters agree of those that
 * the architecture fixes. */
static void show_pairs(lab_workbench *b) {
    report_agreement all = {0};
    const char *product = haul_device_product(b->real.device);
    report_table *t = report_add_measured_launches(b->section, product);
    for (size_t i = 0; i < b->pair_count; i++) {
        const haul_launch_record *own = &b->own.run->launches[b->pairs[i].own];
        const haul_launch_record *real = &b->real.run->launches[b->pairs[i].real];
        report_agreement some = report_agree(own, real);
        all.pairs += some.pairs;
        all.agreeing += some.agreeing;
        report_add_measured_launch(t, b->pairs[i].label, own, real);
    }
    if (all.pairs)
        report_add_note(b->section, all.agreeing == all.pairs ? REPORT_GOOD : REPORT_MUTED,
                        "%zu of %zu counters that the architecture fixes are what the %s counted.", all.agreeing,
                        all.pairs, product);
}

/* The note about results belongs to both sides: launches on the GPU are counted, too. */
haul_status lab_workbench_end(lab_workbench *b, haul_status status) {
    if (status == HAUL_OK && b->pair_count) show_pairs(b);
    if (status == HAUL_OK && b->launches) {
        report_check(b->section, b->wrong == 0, "%zu of %zu launches gave the host's results", b->launches - b->wrong,
                     b->launches);
    }
    close_side(&b->own);
    close_side(&b->real);
    arena_free(&b->memory);
    return status;
}

/* ---- host arrays ---- */

float *lab_floats(lab_workbench *b, size_t count, uint32_t seed) {
    float *floats = ARENA_ARRAY(&b->memory, count, float);
    for (size_t i = 0; floats && i < count; i++) {
        uint32_t hash = ((uint32_t)i + seed) * 2654435761u;
        floats[i] = (float)((hash >> 8) + 1) * (1.0f / 16777216.0f);
    }
    return floats;
}

float *lab_untouched(lab_workbench *b, size_t count) {
    float *floats = ARENA_ARRAY(&b->memory, count, float);
    const uint32_t pattern = 0xdeadbeef;
    for (size_t i = 0; floats && i < count; i++) memcpy(&floats[i], &pattern, sizeof pattern);
    return floats;
}

/* ---- a launch on one side ---- */

/* A launch with its arguments, ready to run. */
typedef struct prepared {
    const lab_launch *launch;
    const lab_side *side;
    haul_argument arguments[LAB_ARGUMENTS];
    haul_array *arrays[LAB_ARGUMENTS];
    haul_texture *textures[LAB_ARGUMENTS]; /* of images, with their arrays; NULL for other arguments */
    size_t count;
} prepared;

/* Makes argument `k`, a texture over an array. free_buffers() frees both, also after a failure. */
static haul_status make_image(prepared *p, size_t k) {
    const lab_argument *from = &p->launch->arguments[k];
    const haul_array_shape shape = {.width = from->width,
                                    .height = (uint32_t)(from->count / from->width),
                                    .format = HAUL_FORMAT_F32,
                                    .channels = 1};
    const haul_sampler points = {.address = {HAUL_ADDRESS_CLAMP, HAUL_ADDRESS_CLAMP}};
    if (!from->before) return no_memory(p->launch, "arrays");
    HAUL_TRY(haul_array_create(p->side->device, &shape, &p->arrays[k]));
    HAUL_TRY(haul_array_write(p->arrays[k], 0, from->before));
    const haul_texture_source source = {.array = p->arrays[k]};
    HAUL_TRY(haul_texture_create(p->side->device, &source, &points, &p->textures[k]));
    p->arguments[k] = haul_texture_argument(p->textures[k]);
    return HAUL_OK;
}

/* Makes the launch's arguments on its side. The caller frees those that are buffers, also after a failure. Arrays that
 * are NULL had no memory. */
static haul_status make_arguments(lab_workbench *b, prepared *p) {
    for (; p->count < LAB_ARGUMENTS && p->launch->arguments[p->count].kind != LAB_END; ++p->count) {
        const lab_argument *from = &p->launch->arguments[p->count];
        haul_argument *to = &p->arguments[p->count];
        const float *contents = from->before;
        switch (from->kind) {
        case LAB_U32: *to = (haul_argument){.kind = HAUL_ARGUMENT_I32, .integer = from->word}; continue;
        case LAB_F32: *to = (haul_argument){.kind = HAUL_ARGUMENT_F32, .real = (double)from->real}; continue;
        case LAB_IMAGE: HAUL_TRY(make_image(p, p->count)); continue;
        default: *to = (haul_argument){.kind = HAUL_ARGUMENT_BUFFER};
        }
        if (from->kind == LAB_RESULT && !contents) contents = lab_untouched(b, from->count);
        if (!contents || (from->kind == LAB_RESULT && !from->after)) return no_memory(p->launch, "arrays");
        HAUL_TRY(haul_buffer_create(p->side->device, from->count * sizeof(float), &to->buffer));
        HAUL_TRY(haul_buffer_write(to->buffer, 0, contents, from->count * sizeof(float)));
    }
    return HAUL_OK;
}

/* Compares each result with the expected one and sets `right` to false if one differs. Bits are compared, so a NaN
 * equals itself and -0 is not 0. The first wrong element is noted in the section, for the first NOTED launches. */
static haul_status verify(lab_workbench *b, const prepared *p, bool *right) {
    for (size_t k = 0; k < p->count; k++) {
        const lab_argument *a = &p->launch->arguments[k];
        if (a->kind != LAB_RESULT) continue;
        float *got = ARENA_ARRAY(&b->memory, a->count, float);
        if (!got) return no_memory(p->launch, "results");
        HAUL_TRY(haul_buffer_read(p->arguments[k].buffer, 0, got, a->count * sizeof(float)));
        size_t i = 0;
        while (i < a->count && memcmp(&got[i], &a->after[i], sizeof(float)) == 0) i++;
        if (i == a->count) continue;
        *right = false;
        if (b->wrong < NOTED)
            report_add_note(b->section, REPORT_BAD, "%s%s%s: element %zu is %.9g, but must be %.9g", p->launch->kernel,
                            p->side == &b->real ? " on " : "",
                            p->side == &b->real ? haul_device_name(b->lab->real) : "", i, (double)got[i],
                            (double)a->after[i]);
    }
    return HAUL_OK;
}

/* Sets the module's variable that the launch names, if it names one. */
static haul_status fill_variable(const lab_launch *launch, haul_module *module) {
    haul_buffer *variable;
    if (!launch->variable) return HAUL_OK;
    if (!launch->contents) return no_memory(launch, "arrays");
    HAUL_TRY(haul_module_variable(module, launch->variable, &variable));
    return haul_buffer_write(variable, 0, launch->contents, launch->variable_count * sizeof *launch->contents);
}

/* Launches a kernel of a module. `run` is NULL while timing. */
static haul_status run_described(const prepared *p, haul_run *run) {
    haul_module *module = NULL;
    HAUL_TRY(kernels_module(p->side->kernels, p->launch->module, &module));
    if (run) HAUL_TRY(fill_variable(p->launch, module)); /* not while timing */
    haul_launch l = {.kernel = p->launch->kernel,
                     .shared_bytes = p->launch->shared_bytes,
                     .arguments = p->arguments,
                     .argument_count = p->count};
    for (int k = 0; k < 3; k++) {
        l.grid[k] = p->launch->grid[k] ? p->launch->grid[k] : 1;
        l.block[k] = p->launch->block[k] ? p->launch->block[k] : 1;
    }
    HAUL_TRY(haul_module_allow_shared(module, l.kernel, l.shared_bytes));
    return haul_launch_run(module, &l, run);
}

/* Launches through the kernel's host function, if it has one. */
static haul_status start(const prepared *p, haul_run *run) {
    return p->launch->function ? p->launch->function(p->side->kernels, p->arguments, p->launch->with, run)
                               : run_described(p, run);
}

static haul_status launch_and_verify(lab_workbench *b, prepared *p) {
    bool right = true;
    HAUL_TRY(make_arguments(b, p));
    HAUL_TRY(start(p, p->side->run));
    HAUL_TRY(verify(b, p, &right));
    b->launches++;
    if (!right) b->wrong++;
    return HAUL_OK;
}

/* Scalars have no buffer, and freeing NULL is allowed. */
static void free_buffers(prepared *p) {
    for (size_t k = 0; k < LAB_ARGUMENTS; k++) {
        haul_texture_free(p->textures[k]);
        haul_array_free(p->arrays[k]);
        haul_buffer_free(p->arguments[k].buffer);
    }
}

static haul_status measure_own(lab_workbench *b, const lab_launch *launch) {
    prepared p = {.launch = launch, .side = &b->own};
    haul_status status = launch_and_verify(b, &p);
    free_buffers(&p);
    return status;
}

/* ---- launches on hardware ---- */

/* The launch as lib/timing.h calls it. There is one set of buffers, whose contents no longer matter. */
static haul_status queue(void *context, unsigned set) {
    (void)set;
    return start(context, NULL);
}

/* Times the launch repeatedly, after its results have been verified. */
static haul_status take_time(lab_workbench *b, prepared *p, haul_launch_record *record) {
    enum { ROUNDS = 15 };
    const timing_work work = {.queue = queue, .context = p};
    timing_plan plan = timing_plan_for(p->side->device, b->lab->rounds ? b->lab->rounds : ROUNDS);
    timing_summary summary;
    plan.sets = 1;
    double *samples = ARENA_ARRAY(&b->memory, plan.rounds, double);
    if (!samples) return no_memory(p->launch, "times");
    HAUL_TRY(timing_measure(p->side->device, &work, 1, &plan, samples));
    HAUL_TRY(timing_summarise(samples, plan.rounds, &summary));
    record->measured_us = summary.median;
    record->measured_range_us = (haul_bounds){summary.least, summary.most};
    return HAUL_OK;
}

/* Returns "load_stride(32, 8)": the kernel's name and its numbers, which distinguish launches of one kernel. NULL
 * without memory. */
static const char *label_of(lab_workbench *b, const lab_launch *launch, const char *kernel) {
    size_t length;
    const char *name = mangled_name(kernel, &length), *separator = "(";
    const char *label = arena_copy(&b->memory, name, length);
    if (label && launch->parameter) return arena_printf(&b->memory, "%s(%u)", label, launch->parameter);
    for (size_t k = 0; label && k < LAB_ARGUMENTS; k++) {
        if (launch->arguments[k].kind != LAB_U32) continue;
        label = arena_printf(&b->memory, "%s%s%u", label, separator, launch->arguments[k].word);
        separator = ", ";
    }
    return label && *separator == ',' ? arena_printf(&b->memory, "%s)", label) : label;
}

/* The label is made from the kernel that ran, which a function may have chosen. */
static haul_status add_pair(lab_workbench *b, const lab_launch *launch, size_t own, size_t real) {
    if (b->pair_count == b->pair_capacity) {
        lab_pair *pairs = arena_grow(&b->memory, b->pairs, b->pair_count, &b->pair_capacity, sizeof *pairs);
        if (!pairs) return no_memory(launch, "measurements");
        b->pairs = pairs;
    }
    const char *label = label_of(b, launch, b->real.run->launches[real].kernel);
    if (!label) return no_memory(launch, "measurements");
    b->pairs[b->pair_count++] = (lab_pair){label, own, real};
    return HAUL_OK;
}

/* Runs the launch on the GPU, gives its records the counters that ncu read, and times it. A function may launch several
 * kernels; then its time is not that of one of them, and none is taken. */
static haul_status run_real(lab_workbench *b, prepared *p) {
    haul_run *run = p->side->run;
    size_t first = run->launch_count;
    HAUL_TRY(launch_and_verify(b, p));
    for (size_t i = first; i < run->launch_count && b->lab->counters.count; i++)
        HAUL_TRY(ncu_fill(&b->lab->counters, b->lab->launched++, &run->launches[i]));
    return run->launch_count == first + 1 ? take_time(b, p, &run->launches[first]) : HAUL_OK;
}

/* Pairs launch `own` and those after it, up to `own_end`, with the GPU's launches in the same order. */
static haul_status measure_real(lab_workbench *b, const lab_launch *launch, size_t own, size_t own_end) {
    prepared p = {.launch = launch, .side = &b->real};
    size_t real = b->real.run->launch_count;
    haul_status status = run_real(b, &p);
    free_buffers(&p);
    for (; status == HAUL_OK && own < own_end && real < b->real.run->launch_count; own++, real++)
        status = add_pair(b, launch, own, real);
    return status;
}

/* A function that launches several kernels gives the record of its last one. */
haul_status lab_measure(lab_workbench *b, const lab_launch *launch, haul_launch_record *record) {
    size_t first = b->own.run->launch_count;
    haul_status status = measure_own(b, launch);
    if (status != HAUL_OK) return status;
    if (b->real.device && !b->only_simulates) HAUL_TRY(measure_real(b, launch, first, b->own.run->launch_count));
    *record = b->own.run->launches[b->own.run->launch_count - 1];
    return HAUL_OK;
}

void lab_show_memory(lab_workbench *b, const char *title, const haul_launch_record *record) {
    report_add_paragraph(b->section, "%s, in the tables of Nsight Compute's memory analysis:", title);
    report_add_memory_tables(b->section, record, NULL);
}
