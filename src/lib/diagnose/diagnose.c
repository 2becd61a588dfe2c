/* haul_diagnose(): fills in the defaults and puts the parts together. */
#include "lib/diagnose/diagnose.h"

#include "base/status.h"

#include <string.h>

enum { DEFAULT_THREADS = 256, DEFAULT_REGISTERS = 24, DEFAULT_ROWS = 1 << 20, DEFAULT_EXTENT = 4096 };

/* A place well inside an array with rows of 4096 elements. */
static void place_inside(const haul_transfer *t, haul_place *place) {
    enum { INSIDE = 1024 };
    long long pitch = (long long)t->element * DEFAULT_EXTENT;
    for (unsigned d = 0; d < 5; d++) {
        place->at[d] = INSIDE;
        place->extent[d] = d == 0 ? DEFAULT_EXTENT : 2 * INSIDE + t->box[d] + t->radius;
        if (d == 0) continue;
        if (place->pitch[d - 1] == 0) place->pitch[d - 1] = pitch;
        if (__builtin_mul_overflow(place->pitch[d - 1], place->extent[d], &pitch))
            pitch = INT64_MAX; /* refused later */
    }
    const uint64_t needed = 2 * INSIDE + (uint64_t)t->box[0] + t->radius;
    if (needed > place->extent[0] && needed <= INT32_MAX) place->extent[0] = (unsigned)needed;
}

/* Addresses begin well above zero, so that none becomes negative; no counting rule uses that bit. */
#define ORIGIN (1ull << 44)

/* Zero fields of the circumstances get their defaults, so that the other files need not know them. */
static void fill_in(diagnose_case *k) {
    haul_circumstances *c = &k->c;
    if (c->global < 1ull << 60) c->global += ORIGIN;
    if (c->block_threads == 0) c->block_threads = k->t.threads ? k->t.threads : DEFAULT_THREADS;
    if (c->teams == 0) c->teams = 1;
    if (c->stages == 0) c->stages = 1;
    if (c->registers == 0) c->registers = DEFAULT_REGISTERS;
    if (c->rows == 0) c->rows = DEFAULT_ROWS;
    if (k->t.shape == HAUL_SHAPE_BOX && c->place.extent[0] == 0) place_inside(&k->t, &c->place);
}

static haul_status check_enumerations(const haul_transfer *t, const haul_circumstances *c) {
    if ((unsigned)t->shape > HAUL_SHAPE_BOX || (unsigned)c->direction > HAUL_DIRECTION_ADD ||
        (unsigned)c->team > HAUL_TEAM_BLOCK)
        return haul_fail(HAUL_ERROR_ARGUMENT, "no such shape, direction or team");
    return HAUL_OK;
}

haul_status haul_diagnose(const haul_transfer *transfer, const haul_circumstances *circumstances,
                          haul_diagnosis *diagnosis) {
    diagnose_case k = {.t = *transfer, .c = *circumstances};
    const char *name = k.c.machine ? k.c.machine : "h100";
    k.machine = sim_machine_find(name);
    if (!k.machine)
        return haul_fail(HAUL_ERROR_NO_DEVICE, "no description of a machine `%s`: `haul info` lists them", name);
    HAUL_TRY(check_enumerations(&k.t, &k.c));
    fill_in(&k);
    HAUL_TRY(diagnose_examine(&k, diagnosis));
    diagnose_advise(&k, diagnosis);
    return HAUL_OK;
}
