#include "sim/count/samples.h"

#include "base/memory.h"

#include <string.h>

static sim_samples *first_of(sim_counting *c) {
    sim_samples *s = memory_zeroed(1, sizeof *s);
    if (s)
        s->seen = 1;
    else
        c->log.failed = true; /* as without memory for requests: the launch ends at the next drain */
    return s;
}

void sim_samples_keep(sim_counting *c, uint32_t instruction, uint32_t active, unsigned bytes, const uint64_t *global,
                      const uint32_t *shared) {
    sim_samples **s = &c->samples[instruction];
    if (!*s && !(*s = first_of(c))) return;
    haul_access *a = &(*s)->access[(unsigned)__builtin_ctzll((*s)->seen) % SIM_SAMPLES_OF_SM];
    *a = (haul_access){.active = active, .bytes = bytes};
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        if (global) a->global[l] = global[l];
        if (shared) a->shared[l] = shared[l];
    }
}

static size_t gather(sim_counting *const *countings, size_t count, size_t instruction,
                     haul_access found[SIM_MOST_SAMPLES]) {
    size_t samples = 0;
    for (size_t sm = 0; sm < count; sm++) {
        const sim_samples *s = countings[sm] ? countings[sm]->samples[instruction] : NULL;
        for (size_t k = 0; s && k < SIM_SAMPLES_OF_SM && samples < SIM_MOST_SAMPLES; k++)
            if (s->access[k].active) found[samples++] = s->access[k];
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

void sim_samples_free(sim_counting *c) {
    for (size_t i = 0; c->samples && i < c->plan->function->instruction_count; i++) memory_free(c->samples[i]);
    memory_free(c->samples);
}
