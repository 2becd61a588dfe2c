/* Evaluates the formulas of a tuning problem: names, extents, and arguments with formulas in braces. Names come in
 * layers: SIZE and the device's figures always, the parameters for a variant, RESIDENT only for the grid, because it
 * needs the compiled kernel. */
#include "base/number.h"
#include "base/status.h"
#include "lib/device.h"
#include "lib/tune/internal.h"

#include <stdlib.h>
#include <string.h>

/* Values of parameters that choose an engine, as they stand in the source. */
static const struct {
    const char *name;
    int64_t value;
} engines[] = {{"HAUL_AUTO", HAUL_AUTO},
               {"HAUL_BY_LDG", HAUL_BY_LDG},
               {"HAUL_BY_LDGSTS", HAUL_BY_LDGSTS},
               {"HAUL_BY_BULK", HAUL_BY_BULK},
               {"HAUL_BY_TENSOR", HAUL_BY_TENSOR}};

/* Returns a parameter's value as a name for formulas. A value that is neither a number nor an engine is only for the
 * compiler. */
static formula_name name_of_value(const char *name, const char *value) {
    formula_name n = {.name = name};
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++) {
        n.value = engines[i].value;
        if (strcmp(engines[i].name, value) == 0) return n;
    }
    n.unknown = formula_evaluate("", value, NULL, 0, &n.value) != HAUL_OK;
    return n;
}

/* The array has room for all parameters and the names that shape.c adds. */
static void add_name(tune_names *names, const char *name, int64_t value) {
    names->items[names->count++] = (formula_name){name, value, false};
}

static int64_t attribute(const tuner *t, int which) {
    int value = 0;
    const haul_device *d = t->device;
    return d->driver->device_attribute(&value, which, d->handle) == CUDA_SUCCESS ? value : 0;
}

/* `v` may be NULL: then there are no parameters. check.c relies on the order of the first ones. */
tune_names tune_names_of(const tuner *t, const tune_variant *v, int64_t size) {
    tune_names names = {.count = 0};
    add_name(&names, "SIZE", size);
    add_name(&names, "SMS", haul_device_sm_count(t->device));
    add_name(&names, "SHARED_PER_SM", attribute(t, DRIVER_DEVICE_SHARED_PER_SM));
    add_name(&names, "SHARED_PER_BLOCK", attribute(t, DRIVER_DEVICE_SHARED_OPTIN));
    for (size_t i = 0; v && i < t->problem->parameter_count; i++)
        names.items[names.count++] = name_of_value(t->problem->parameters[i].name, tune_value(t->problem, v, i));
    return names;
}

/* A part of `formulas` up to a comma outside of parentheses; *rest points after it. */
/* Fails if the part is too long for `part`. */
static haul_status next_part(const char *what, const char **rest, char part[256]) {
    size_t length = 0;
    for (int depth = 0; (*rest)[length] && (depth > 0 || (*rest)[length] != ','); length++)
        depth += ((*rest)[length] == '(') - ((*rest)[length] == ')');
    if (length >= 256) return haul_fail(HAUL_ERROR_ARGUMENT, "%s: a formula is longer than 255 characters", what);
    memcpy(part, *rest, length);
    part[length] = '\0';
    *rest += length + ((*rest)[length] == ',');
    return HAUL_OK;
}

/* One to three formulas between commas; missing extents are 1. */
static haul_status read_extent(const char *what, const char *formulas, const tune_names *names, uint32_t extent[3]) {
    char part[256];
    const char *rest = formulas;
    extent[0] = extent[1] = extent[2] = 1;
    for (int d = 0; d == 0 || *rest; d++) {
        int64_t value;
        if (d == 3) return haul_fail(HAUL_ERROR_ARGUMENT, "%s: `%s`: more than three dimensions", what, formulas);
        HAUL_TRY(next_part(what, &rest, part));
        HAUL_TRY(formula_evaluate(what, part, names->items, names->count, &value));
        if (value < 1 || value > UINT32_MAX)
            return haul_fail(HAUL_ERROR_LIMIT, "%s: `%s` is %lld: must be 1 to 4294967295", what, part,
                             (long long)value);
        extent[d] = (uint32_t)value;
    }
    return HAUL_OK;
}

/* Fails with HAUL_ERROR_LIMIT if a number is out of range: then only this variant is rejected. */
haul_status tune_shape_block(const tune_launch *l, const tune_names *names, tune_shape *shape) {
    int64_t shared = 0;
    HAUL_TRY(read_extent("block", l->block ? l->block : "1", names, shape->block));
    if (l->shared) HAUL_TRY(formula_evaluate("smem", l->shared, names->items, names->count, &shared));
    if (shared < 0 || shared > INT32_MAX)
        return haul_fail(HAUL_ERROR_LIMIT, "smem: `%s` is %lld bytes", l->shared, (long long)shared);
    shape->shared = (uint32_t)shared;
    return HAUL_OK;
}

/* RESIDENT is the number of blocks that the whole device holds. */
haul_status tune_shape_grid(const tuner *t, const tune_job *job, const tune_launch *l, tune_names *names,
                            tune_shape *shape) {
    const char *grid = l->grid ? l->grid : "1";
    if (formula_has(grid, "RESIDENT")) {
        uint32_t blocks, threads = shape->block[0] * shape->block[1] * shape->block[2];
        HAUL_TRY(haul_module_blocks_per_sm(job->module, tune_symbol(t, job, l), threads, shape->shared, &blocks));
        add_name(names, "RESIDENT", (int64_t)blocks * haul_device_sm_count(t->device));
    }
    return read_extent("grid", grid, names, shape->grid);
}

/* The number of braces is not limited; they cannot be nested. */
haul_status tune_expand(arena *memory, const char *string, const tune_names *names, const char **expanded) {
    text out = {0};
    haul_status status = HAUL_OK;
    for (const char *open; status == HAUL_OK && (open = strchr(string, '{')) != NULL;) {
        const char *close = strchr(open, '}'), *formula;
        int64_t value = 0;
        if (!close) {
            status = haul_fail(HAUL_ERROR_ARGUMENT, "--arg %s: a `}` is missing", string);
            break;
        }
        text_append(&out, string, (size_t)(open - string));
        formula = arena_copy(memory, open + 1, (size_t)(close - open - 1));
        status = formula ? formula_evaluate("--arg", formula, names->items, names->count, &value)
                         : haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the arguments");
        text_printf(&out, "%lld", (long long)value);
        string = close + 1;
    }
    text_put(&out, string);
    *expanded = status == HAUL_OK && !out.failed ? arena_copy(memory, text_string(&out), out.length) : NULL;
    text_free(&out);
    if (status != HAUL_OK || *expanded) return status;
    return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the arguments");
}
