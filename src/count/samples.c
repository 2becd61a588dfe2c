#include "count/samples.h"

#include "base/memory.h"

#include <string.h>

void sim_samples_keep(sim_counting *c, uint32_t instruction, uint32_t active, unsigned bytes, const uint64_t *global,
                      const uint32_t *shared) {
    sim_samples *s = &c->samples[instruction];
    if (!s->access) s->access = memory_zeroed(SIM_SAMPLES_OF_SM, sizeof *s->access);
    if (!s->access) {
        c->log.failed = true; /* as if requests ran out of memory: the launch ends at the next drain */
        s->unwanted = UINT64_MAX;
        return;
    }
    haul_access *a = &s->access[s->kept % SIM_SAMPLES_OF_SM];
    s->unwanted = s->kept < 63 ? (UINT64_C(1) << s->kept) - 1 : UINT64_MAX;
    s->kept++;
    *a = (haul_access){.active = active, .bytes = bytes};
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        if (global) a->global[l] = global[l];
        if (shared) a->shared[l] = shared[l];
    }
}

/* Collects an instruction's samples from the SMs, in order. */
static size_t gather(sim_counting *const *countings, size_t count, size_t instruction,
                     haul_access found[SIM_MOST_SAMPLES]) {
    size_t samples = 0;
    for (size_t sm = 0; sm < count; sm++) {
        const sim_samples *s = countings[sm] ? &countings[sm]->samples[instruction] : NULL;
        for (size_t k = 0; s && k < s->kept && k < SIM_SAMPLES_OF_SM && samples < SIM_MOST_SAMPLES; k++)
            found[samples++] = s->access[k];
    }
    return samples;
}

void sim_counting_record_samples(sim_counting *const *countings, size_t count, arena *memory,
                                 haul_launch_record *record) {
    haul_access found[SIM_MOST_SAMPLES];
    for (size_t i = 0; i < record->instruction_count; i++) {
        const size_t samples = gather(countings, count, i, found);
        if (!samples) continue;
        haul_access *kept = ARENA_ARRAY(memory, samples, haul_access);
        memcpy(kept, found, samples * sizeof *kept);
        record->instructions[i].samples = kept;
        record->instructions[i].sample_count = samples;
    }
}

void sim_samples_renew(sim_counting *c) {
    for (size_t i = 0; i < c->function->instruction_count; i++) c->samples[i].unwanted = c->samples[i].kept = 0;
}

void sim_samples_free(sim_counting *c) {
    for (size_t i = 0; c->samples && i < c->function->instruction_count; i++) memory_free(c->samples[i].access);
    memory_free(c->samples);
}
