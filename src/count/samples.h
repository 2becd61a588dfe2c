/* Samples of accesses that cost more than their bytes need: a few per instruction and SM. Reports describe the lanes'
 * pattern from them. */
#ifndef HAUL_COUNT_SAMPLES_H
#define HAUL_COUNT_SAMPLES_H

#include "count/banks.h"
#include "count/counting.h"

enum { SIM_SAMPLES_OF_SM = 4, SIM_MOST_SAMPLES = 16 };

/* Keeps accesses number 1, 2, 4, 8, ... of an instruction: each replaces the one four before it. */
struct sim_samples {
    uint64_t unwanted; /* accesses until the next one to keep */
    uint32_t kept;
    haul_access *access; /* SIM_SAMPLES_OF_SM; NULL: none yet */
};

/* Keeps the access as a sample, after sim_samples_want() returned true. `global` and `shared` may be NULL. */
__attribute__((cold, noinline)) void sim_samples_keep(sim_counting *c, uint32_t instruction, uint32_t active,
                                                      unsigned bytes, const uint64_t *global, const uint32_t *shared);

/* Counts an access that could be a sample. Returns true if the caller should keep it. */
static inline bool sim_samples_want(sim_counting *c, uint32_t instruction) {
    return __builtin_expect(c->samples[instruction].unwanted-- == 0, 0);
}

static inline void sim_sample(sim_counting *c, uint32_t instruction, uint32_t active, unsigned bytes,
                              const uint64_t *global, const uint32_t *shared) {
    if (sim_samples_want(c, instruction)) sim_samples_keep(c, instruction, active, bytes, global, shared);
}

/* Samples an access to shared memory if it has bank conflicts. */
static inline void sim_sample_conflicts(sim_counting *c, uint32_t instruction, uint32_t active, unsigned bytes,
                                        const uint32_t address[SIM_LANES], sim_wavefronts wavefronts) {
    if (__builtin_expect(wavefronts.total > wavefronts.ideal, 0))
        sim_sample(c, instruction, active, bytes, NULL, address);
}

/* Forgets the samples of an earlier launch. */
void sim_samples_renew(sim_counting *c);
void sim_samples_free(sim_counting *c);

#endif
