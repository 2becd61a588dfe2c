#include "state/occupancy.h"

#include "base/number.h"
#include "machine/occupancy.h"
#include "state/program.h"

static uint32_t smallest(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static bool has_bounds(const ptx_function *f) {
    return f->max_registers || f->required_threads[0] || f->max_threads[0];
}

/* A limit for all kernels, as nvcc -maxrregcount sets it: bounds of a kernel override it. */
static uint32_t limit_of_all(const sim_program *program) {
    enum { LEAST = 24 }; /* ptxas raises lower ones */
    const uint32_t most = program->most_registers;
    if (!most || has_bounds(program->function)) return UINT32_MAX;
    return most < LEAST ? LEAST : most;
}

uint32_t sim_bounded_registers(const sim_machine *m, const ptx_function *f) {
    const uint64_t threads = ptx_bounded_threads(f), blocks = f->min_blocks ? f->min_blocks : 1;
    return threads ? (uint32_t)(m->registers_per_sm / (number_align(threads, 32) * blocks) / 8 * 8) : 0;
}

/* The register limit of a thread by .maxnreg, or by .maxntid together with .minnctapersm; or for all kernels. */
static uint32_t register_limit(const sim_program *program, const sim_machine *m) {
    const ptx_function *f = program->function;
    uint32_t limit = smallest(m->max_registers_per_thread, limit_of_all(program));
    if (f->max_registers && f->max_registers < limit) limit = f->max_registers;
    const uint32_t share = sim_bounded_registers(m, f);
    return share && share < limit ? share : limit;
}

/* Machine code takes an even number of registers as a rule. Parts before Hopper take one less. */
static uint32_t rounded(const sim_machine *m, double registers) {
    enum { HOPPER = 90 };
    return 2 * (uint32_t)((registers - (m->sm < HOPPER ? 0.75 : 0)) / 2 + 0.5);
}

/* The largest share that leaves room for all threads of an SM. */
static unsigned share_of(const sim_machine *m) {
    unsigned k = 0;
    while (k + 1 < SIM_SHARES && sim_register_shares[k + 1] * m->max_threads_per_sm <= m->registers_per_sm) k++;
    return k;
}

/* Machine code was made without the limit for all kernels. */
uint32_t sim_known_registers(const sim_program *program) {
    return limit_of_all(program) == UINT32_MAX ? program->known_registers : 0;
}

uint32_t sim_registers(const sim_machine *m, const sim_program *program) {
    if (sim_known_registers(program)) return sim_known_registers(program);
    const sim_register_need *need = &program->registers;
    const uint32_t limit = register_limit(program, m), usual = rounded(m, need->usual[share_of(m)]);
    if (!program->function->min_blocks || limit == m->max_registers_per_thread) return smallest(usual, limit);
    const uint32_t roomy = rounded(m, need->roomy);
    return smallest(roomy > usual ? roomy : usual, limit);
}

/* The assembler computes values again rather than spill a few. */
uint32_t sim_spilled_registers(const sim_machine *m, const sim_program *program) {
    enum { COMPUTED_AGAIN = 4 };
    const uint32_t limit = register_limit(program, m), least = rounded(m, program->registers.least);
    return least > limit + COMPUTED_AGAIN ? least - limit : 0;
}

/* Returns the estimate, lowered until `blocks` blocks fit. */
static uint32_t registers_for(const sim_machine *m, uint32_t registers, uint32_t threads, uint32_t blocks) {
    const uint32_t warps = (threads + 31) / 32, step = m->register_unit / 32;
    while (registers > step && sim_blocks_by_registers(m, warps, registers) < blocks)
        registers = (registers - 1) / step * step;
    return registers;
}

void sim_occupancy(const sim_machine *m, const sim_program *program, uint32_t threads, uint32_t dynamic_bytes,
                   uint32_t known_blocks, haul_occupancy *o) {
    const uint64_t shared = program->shared_bytes + dynamic_bytes;
    const uint32_t known = sim_known_registers(program), expected = sim_registers(m, program);
    sim_occupancy_of(m, expected, threads, shared, o);
    if (known) return;
    const uint32_t others = smallest(smallest(o->limit_blocks, o->limit_warps), o->limit_shared);
    const uint32_t registers = registers_for(m, expected, threads, smallest(known_blocks, others));
    if (registers != expected) sim_occupancy_of(m, registers, threads, shared, o);
    o->registers_estimated = true;
    o->registers_spilled = sim_spilled_registers(m, program);
}
