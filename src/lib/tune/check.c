/* Checks that reject a variant before anything is compiled: requirements, limits of a block, and the estimated share of
 * memory bandwidth if the problem describes its transfer. Limits on registers are unknown before compiling. */
#include "base/status.h"
#include "lib/tune/internal.h"
#include "machine/machine.h"

/* The machine that describes the device, or one of its architecture; NULL if none does. */
static const char *machine_of(const tuner *t) {
    const uint32_t architecture = haul_device_architecture(t->device);
    for (size_t i = 0; i < sim_machine_count; i++)
        if (sim_machines[i].sm == architecture) return sim_machines[i].name;
    return NULL;
}

/* ---- limits ---- */

static int64_t value_of(const tune_names *names, size_t which) {
    return names->items[which].value;
}

enum { NAME_SHARED_PER_BLOCK = 3, MOST_THREADS = 1024 };

/* Refuses shapes that the device would refuse. */
static haul_status check_limits(const tune_names *names, const tune_shape *shape) {
    const uint64_t threads = (uint64_t)shape->block[0] * shape->block[1] * shape->block[2];
    if (shape->block[0] > MOST_THREADS || shape->block[1] > MOST_THREADS || threads > MOST_THREADS)
        return haul_fail(HAUL_ERROR_LIMIT, "a block has at most %d threads", MOST_THREADS);
    if (shape->shared > value_of(names, NAME_SHARED_PER_BLOCK))
        return haul_fail(HAUL_ERROR_LIMIT, "%u bytes of shared memory: a block has at most %lld", shape->shared,
                         (long long)value_of(names, NAME_SHARED_PER_BLOCK));
    return HAUL_OK;
}

/* ---- the transfer ---- */

/* Evaluates a formula of the transfer; `otherwise` if there is none. */
static haul_status number(const char *formula, const tune_names *names, int64_t otherwise, uint32_t *value) {
    int64_t v = otherwise;
    if (formula) HAUL_TRY(formula_evaluate("transfer", formula, names->items, names->count, &v));
    if (v < 0 || v > INT32_MAX) return haul_fail(HAUL_ERROR_LIMIT, "transfer: `%s` is out of range", formula);
    *value = (uint32_t)v;
    return HAUL_OK;
}

/* The transfer as the kernel will make it: aligned elements without gaps in shared memory. */
static haul_status describe(const tune_transfer *d, const tune_names *names, haul_transfer *t, haul_circumstances *c) {
    uint32_t bytes = 0, count = 0, pitch = 0, threads = 0, engine = 0;
    HAUL_TRY(number(d->bytes, names, 16, &bytes));
    HAUL_TRY(number(d->count, names, 1, &count));
    HAUL_TRY(number(d->pitch, names, bytes, &pitch));
    HAUL_TRY(number(d->threads, names, 0, &threads));
    HAUL_TRY(number(d->engine, names, HAUL_AUTO, &engine));
    HAUL_TRY(number(d->teams, names, 1, &c->teams));
    HAUL_TRY(number(d->stages, names, 1, &c->stages));
    *t = haul_strided(count, bytes, bytes, pitch, 16, d->team == HAUL_TEAM_THREAD ? 1 : threads, engine);
    c->team = d->team;
    return HAUL_OK;
}

/* Sets the share; it stays 1 without a transfer, or if no described machine resembles the device. */
static haul_status diagnose(const tuner *t, const tune_names *names, const tune_shape *shape, double *share) {
    haul_transfer transfer;
    haul_diagnosis d;
    haul_circumstances c = {.machine = machine_of(t), .block_threads = shape->block[0] * shape->block[1]};
    if (!t->problem->transfer || !c.machine) return HAUL_OK;
    HAUL_TRY(describe(t->problem->transfer, names, &transfer, &c));
    HAUL_TRY(haul_diagnose(&transfer, &c, &d));
    *share = d.share;
    return HAUL_OK;
}

/* ---- all checks ---- */

static haul_status check_requirements(const tuner *t, const tune_names *names) {
    for (size_t i = 0; i < t->problem->requirement_count; i++) {
        int64_t value;
        const char *formula = t->problem->requirements[i];
        HAUL_TRY(formula_evaluate("require", formula, names->items, names->count, &value));
        if (value) continue;
        return haul_fail(HAUL_ERROR_LIMIT, "does not hold: %s", formula);
    }
    return HAUL_OK;
}

/* A share above 0 says that the variant was checked before. */
haul_status tune_check(tuner *t, tune_variant *v) {
    tune_shape shape;
    if (v->share > 0) return HAUL_OK;
    tune_names names = tune_names_of(t, v, t->problem->size);
    v->share = 1;
    haul_status status = check_requirements(t, &names);
    if (status == HAUL_OK) status = tune_shape_block(&t->problem->launch, &names, &shape);
    if (status == HAUL_ERROR_ARGUMENT) return status; /* invalid formulas: no variant can work */
    if (status == HAUL_OK) status = check_limits(&names, &shape);
    if (status == HAUL_OK) status = diagnose(t, &names, &shape, &v->share);
    if (status != HAUL_OK) tune_reject(t, v, TUNE_REFUSED, haul_message());
    return HAUL_OK;
}
