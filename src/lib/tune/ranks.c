/* Sharing a search among ranks: all run the same search, each compiles and times a part of every batch, and all get the
 * results of all. The base, to which others are compared, is on every rank. */
#include "base/memory.h"
#include "base/status.h"
#include "lib/tune/internal.h"

#include <stdio.h>
#include <string.h>

/* Results of a variant, as ranks exchange them. */
typedef struct figures {
    tune_outcome outcome;
    double us, low, high, gain, least, rate;
    char why[512];
} figures;

bool tune_is_own(const tuner *t, size_t job) {
    const haul_ranks *ranks = t->options->ranks;
    return !t->has_base || job % haul_ranks_count(ranks) == haul_ranks_rank(ranks);
}

static figures figures_of(const tune_variant *v) {
    figures f = {v->outcome, v->us, v->low, v->high, v->gain, v->least, v->rate, ""};
    if (v->why) snprintf(f.why, sizeof f.why, "%s", v->why);
    return f;
}

static void take(tuner *t, tune_variant *v, const figures *f) {
    v->outcome = f->outcome;
    v->us = f->us, v->low = f->low, v->high = f->high;
    v->gain = f->gain, v->least = f->least, v->rate = f->rate;
    v->why = f->why[0] ? arena_copy(&t->result->memory, f->why, strnlen(f->why, sizeof f->why - 1)) : NULL;
}

/* Each rank gives the figures of all jobs, of which its own count. */
static haul_status exchange(tuner *t, tune_variant **variants, size_t count) {
    haul_ranks *ranks = t->options->ranks;
    figures *own = memory_zeroed(count + 1, sizeof *own);
    figures *all = memory_zeroed((count + 1) * haul_ranks_count(ranks), sizeof *all);
    haul_status status = own && all ? HAUL_OK : haul_no_memory("tune's variants");
    for (size_t i = 0; i < count && status == HAUL_OK; i++) own[i] = figures_of(variants[i]);
    status = haul_ranks_agree(ranks, status);
    if (status == HAUL_OK) status = haul_ranks_gather(ranks, own, count * sizeof *own, all);
    for (size_t i = 0; i < count && status == HAUL_OK; i++)
        take(t, variants[i], &all[i % haul_ranks_count(ranks) * count + i]);
    memory_free(own);
    memory_free(all);
    return status;
}

haul_status tune_share(tuner *t, tune_variant **variants, size_t count, bool had_base, haul_status status) {
    if (haul_ranks_count(t->options->ranks) == 1) return status;
    HAUL_TRY(haul_ranks_agree(t->options->ranks, status));
    return had_base && count ? exchange(t, variants, count) : HAUL_OK;
}

haul_status tune_agree_on_time(tuner *t, bool *is_up) {
    uint8_t up = *is_up;
    HAUL_TRY(haul_ranks_broadcast(t->options->ranks, 0, &up, sizeof up));
    *is_up = up;
    t->result->out_of_time |= *is_up;
    return HAUL_OK;
}
