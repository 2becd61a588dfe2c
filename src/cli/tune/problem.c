/* Tuning problems: rows of kernels/tunables.def, or a kernel that the options describe.
 *
 * A problem consists of formulas and values as texts; they are parsed by src/lib/tune. Texts of the tables and of argv
 * are not copied; others live in the case's arena, which has to outlive the search. A parameter's start is the value in
 * use, kernels/tuned/ for shipped kernels, so that every gain is a gain over today's kernel. */
#include "base/nearest.h"
#include "base/status.h"
#include "cli/tune/tune.h"
#include "lib/compile.h"

#include <kernels/tunables.h>

#include <stdio.h>
#include <string.h>

void tune_case_free(tune_case *c) {
    arena_free(&c->memory);
    *c = (tune_case){0};
}

/* ---- values of --try and --require ---- */

/* Suggests the nearest constant of the kernel. */
static haul_status unknown_parameter(const tune_problem *p, const char *name) {
    const char *names[TUNE_MOST_PARAMETERS];
    for (size_t i = 0; i < p->parameter_count; i++) names[i] = p->parameters[i].name;
    const char *near = nearest_name(name, names, p->parameter_count);
    return haul_fail(HAUL_ERROR_ARGUMENT, "--try %s: %s has no such constant: did you mean %s?", name, p->name,
                     near ? near : names[0]);
}

/* Makes `value` the start, and adds it, first in the list, if it is missing. The last value goes if the list is
 * full. */
static void start_with(tune_parameter *p, const char *value) {
    for (p->start = 0; p->start < p->value_count; p->start++)
        if (strcmp(p->values[p->start], value) == 0) return;
    p->start = 0;
    if (p->value_count == TUNE_MOST_VALUES) p->value_count--;
    memmove(p->values + 1, p->values, p->value_count++ * sizeof *p->values);
    p->values[0] = value;
}

/* Replaces the values of a shipped kernel's parameter; the current one stays among them. */
static haul_status replace_values(tune_case *c, const char *given) {
    tune_parameter p;
    tune_problem *q = &c->problem;
    HAUL_TRY(tune_parse_parameter(&c->memory, given, &p));
    for (size_t i = 0; i < q->parameter_count; i++) {
        if (strcmp(q->parameters[i].name, p.name) != 0) continue;
        const char *today = q->parameters[i].values[q->parameters[i].start];
        q->parameters[i] = p;
        start_with(&q->parameters[i], today);
        return HAUL_OK;
    }
    return unknown_parameter(q, p.name);
}

static haul_status add_requirement(tune_case *c, const char *formula) {
    if (c->problem.requirement_count == TUNE_MOST_REQUIREMENTS)
        return haul_fail(HAUL_ERROR_LIMIT, "--require: give at most %d", TUNE_MOST_REQUIREMENTS);
    c->requirements[c->problem.requirement_count++] = formula;
    return HAUL_OK;
}

static haul_status add_required(tune_case *c, const cli_values *v) {
    c->problem.requirements = c->requirements;
    for (size_t i = 0; i < v->require.count; i++) HAUL_TRY(add_requirement(c, v->require.items[i]));
    return HAUL_OK;
}

/* ---- shipped kernels ---- */

/* Adds a row's parameter. "-" stands for the value in use alone: the constant is set but not searched. */
static haul_status add_parameter(tune_case *c, const kernels_tunable_row *row, uint32_t architecture) {
    char given[512];
    tune_parameter *p = &c->problem.parameters[c->problem.parameter_count++];
    const char *today = kernels_constant(row->name, architecture);
    snprintf(given, sizeof given, "%s=%s", row->name, strcmp(row->text, "-") == 0 ? today : row->text);
    HAUL_TRY(tune_parse_parameter(&c->memory, given, p));
    start_with(p, today);
    return HAUL_OK;
}

/* Collects the parameters, arguments and requirements of the kernel from the tables. */
static haul_status add_rows(tune_case *c, kernels_tunable_id id, uint32_t architecture) {
    tune_problem *p = &c->problem;
    for (size_t i = 0; i < kernels_tunable_parameter_count; i++)
        if (kernels_tunable_parameters[i].kernel == id)
            HAUL_TRY(add_parameter(c, &kernels_tunable_parameters[i], architecture));
    p->arguments = c->arguments;
    for (size_t i = 0; i < kernels_tunable_argument_count; i++)
        if (kernels_tunable_arguments[i].kernel == id)
            c->arguments[p->argument_count++] = kernels_tunable_arguments[i].text;
    for (size_t i = 0; i < kernels_tunable_requirement_count; i++)
        if (kernels_tunable_requirements[i].kernel == id)
            c->requirements[p->requirement_count++] = kernels_tunable_requirements[i].text;
    return HAUL_OK;
}

/* Sets the path of the kernel's source, which a build and an installation have in different places. */
static haul_status find_source(tune_case *c, const char *file) {
    char name[64];
    text path = {0};
    snprintf(name, sizeof name, "kernels/%s.cu", file);
    haul_status status = compile_find_own(name, &path);
    c->problem.source = status == HAUL_OK ? arena_copy(&c->memory, text_string(&path), path.length) : NULL;
    text_free(&path);
    return status != HAUL_OK || c->problem.source ? status : haul_no_memory("the problem");
}

/* Sizes for a virtual GPU are smaller: each variant runs there, and its time is an estimate. */
haul_status tune_case_shipped(tune_case *c, const kernels_tunable *k, const cli_values *v, haul_device *device) {
    const uint32_t architecture = haul_device_architecture(device);
    *c = (tune_case){0};
    c->problem =
        (tune_problem){.name = k->name,
                       .launch = {k->kernel, k->grid, k->block, k->shared, 0},
                       .reference = {k->reference, k->reference_grid, k->reference_block, NULL, k->reference_arguments},
                       .bytes = k->bytes,
                       .size = haul_device_is_virtual(device) ? k->virtual_size : k->size,
                       .check_size = k->check_size};
    if (architecture < k->architecture)
        return haul_fail(HAUL_ERROR_UNSUPPORTED, "%s: needs sm_%u; %s is older", k->name, k->architecture,
                         haul_device_name(device));
    if (v->problem_size > INT64_MAX / 1024) return haul_fail(HAUL_ERROR_ARGUMENT, "--size: too large");
    if (v->problem_size) c->problem.size = (int64_t)v->problem_size;
    HAUL_TRY(find_source(c, k->file));
    HAUL_TRY(add_rows(c, (kernels_tunable_id)(k - kernels_tunables), architecture));
    for (size_t i = 0; i < v->try_values.count; i++) HAUL_TRY(replace_values(c, v->try_values.items[i]));
    return add_required(c, v);
}

/* ---- the user's kernels ---- */

/* The grid, block and shared memory of the reference are the kernel's, since the options describe one launch. */
haul_status tune_case_own(tune_case *c, const char *path, const cli_values *v) {
    *c = (tune_case){0};
    tune_problem *p = &c->problem;
    if (!v->kernel) return haul_fail(HAUL_ERROR_ARGUMENT, "%s: which kernel? add --kernel NAME", path);
    if (v->problem_size) return haul_fail(HAUL_ERROR_ARGUMENT, "--size is for shipped kernels: write sizes into --arg");
    *p = (tune_problem){.name = v->kernel,
                        .source = path,
                        .launch = {v->kernel, v->grid, v->block, v->formula_smem, 0},
                        .reference = {v->reference, v->grid, v->block, v->formula_smem, 0},
                        .arguments = v->arg.items,
                        .argument_count = v->arg.count};
    if (v->try_values.count > TUNE_MOST_PARAMETERS)
        return haul_fail(HAUL_ERROR_LIMIT, "--try: give at most %d constants", TUNE_MOST_PARAMETERS);
    for (size_t i = 0; i < v->try_values.count; i++)
        HAUL_TRY(tune_parse_parameter(&c->memory, v->try_values.items[i], &p->parameters[p->parameter_count++]));
    return add_required(c, v);
}
