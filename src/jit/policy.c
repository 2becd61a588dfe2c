/* When a block is compiled: when the rest of the launch is likely to pay for it, or earlier launches would have.
 *
 * The figures are rough, from a host of about 2023. Only speed depends on them. */
#include "jit/compiled.h"
#include "jit/jobs.h"
#include "state/block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nanoseconds. SAVED: per operation that is not interpreted. BETTER: per operation compiled at the higher level.
 * LOADING: to load the compiler's library. */
enum { SAVED = 8, BETTER = 1, LOADING = 15000000 };
static const struct {
    uint64_t always, an_operation;
} costs[SIM_CODE_LEVELS] = {[SIM_CODE_LESS] = {2000000, 90000}, [SIM_CODE_MORE] = {4000000, 250000}};

/* A block is recompiled after MISSES accesses with another shape of lanes, at most MOST_AGAIN times. */
enum { MISSES = 64, MOST_AGAIN = 3 };

/* Reads HAUL_COMPILE: `off`, or after how many runs a block is compiled, which tests use. */
sim_compiling_mode sim_compiling(void) {
    const char *chosen = getenv("HAUL_COMPILE");
    sim_compiling_mode mode = {SIM_COMPILING_HEAT, 0, SIM_CODE_LESS};
    char *end = NULL;
    const unsigned long runs = chosen ? strtoul(chosen, &end, 10) : 0;
    if (chosen && !strcmp(chosen, "off")) mode.when = SIM_COMPILING_OFF;
    if (runs && !*end) mode = (sim_compiling_mode){SIM_COMPILING_RUNS, runs, SIM_CODE_LESS};
    if (runs && !strcmp(end, ":more")) mode = (sim_compiling_mode){SIM_COMPILING_RUNS, runs, SIM_CODE_MORE};
    return mode;
}

uint64_t sim_compiled_size(const sim_compiled *c, uint32_t block) {
    const sim_program *p = c->program;
    const uint32_t end = block + 1 < p->function->block_count ? p->block_ops[block + 1] : (uint32_t)p->op_count;
    return end - p->block_ops[block];
}

/* Returns the time to compile the block, in nanoseconds. */
static uint64_t cost_of(const sim_compiled *c, uint32_t block, sim_code_level level) {
    const uint64_t loading = sim_compiler_is_loaded() ? 0 : LOADING;
    return loading + costs[level].always + costs[level].an_operation * sim_compiled_size(c, block);
}

/* Marks the code as requested. Returns false if it was already. */
static bool ask_once(sim_compiled *c, uint32_t block, sim_code_form form, sim_code_level level) {
    return atomic_exchange_explicit(&c->blocks[block].asked[form][level], 1, memory_order_relaxed) == 0;
}

/* Whether code of this form and level was requested. */
static bool is_asked(const sim_compiled *c, uint32_t block, sim_code_form form, sim_code_level level) {
    return atomic_load_explicit(&c->blocks[block].asked[form][level], memory_order_relaxed) != 0;
}

/* ---- while a launch runs ---- */

/* Estimates the block's operations still to come in the launch, if this SM is like the others and its blocks are alike.
 * Running blocks count as half done; if all have started, as much is left as was done. */
static double operations_left(const sim_compiled *c, const sim_sm *sm, uint32_t block, uint64_t runs) {
    const sim_grid *g = sm->grid;
    const uint64_t first = sim_sm_first_cluster(g, sm->index);
    const uint64_t clusters = g->end_cluster > first ? (g->end_cluster - first + g->used_sms - 1) / g->used_sms : 0;
    const uint64_t share = clusters * g->cluster_blocks;
    const uint64_t started = (sm->next_cluster - first) / g->used_sms * g->cluster_blocks;
    const double done = (double)(started < share ? started : share) - sm->running / 2.0;
    const double ran = (double)(runs * sim_compiled_size(c, block)) * g->used_sms;
    return done > 0 ? ran * ((double)share - done) / done : ran;
}

/* Better code waits behind first code of other blocks. */
static void request(sim_compiled *c, uint32_t block, sim_code_form form, sim_code_level level, double left) {
    const uint64_t weight = (uint64_t)left >> (level == SIM_CODE_MORE ? 8 : 0);
    if (ask_once(c, block, form, level)) sim_jobs_add(&(sim_job){c, block, form, level, weight});
}

/* The compiler runs beside the launch's own threads, perhaps on their cores, so it should save twice what it costs. */
void sim_compiled_heat(sim_compiled *c, const sim_sm *sm, uint32_t block, sim_code_form form, uint64_t runs) {
    if (is_asked(c, block, form, SIM_CODE_LESS)) return;
    if (c->mode.when == SIM_COMPILING_RUNS) {
        const sim_job j = {c, block, form, c->mode.level, 0};
        if (runs >= c->mode.runs && ask_once(c, block, form, SIM_CODE_LESS)) sim_jobs_do(&j);
        return;
    }
    if (runs % SIM_HEAT_STEP) return;
    const double left = operations_left(c, sm, block, runs), share = left / sm->grid->host_threads;
    if (share * SAVED < 2.0 * (double)cost_of(c, block, SIM_CODE_LESS)) return;
    request(c, block, form, SIM_CODE_LESS, left);
    if (share * BETTER >= 2.0 * (double)cost_of(c, block, SIM_CODE_MORE)) request(c, block, form, SIM_CODE_MORE, left);
}

/* By now the interpreter has also seen the new shape. */
void sim_compiled_missed(sim_compiled *c, const sim_segment *s) {
    sim_compiled_block *b = &c->blocks[s->block];
    const bool waits = c->mode.when == SIM_COMPILING_RUNS;
    const unsigned misses = atomic_fetch_add_explicit(&b->misses, 1, memory_order_relaxed) + 1;
    if (misses != (waits ? 2 : MISSES) || atomic_fetch_add(&b->again, 1) >= MOST_AGAIN) return;
    const sim_code_level level = is_asked(c, s->block, s->form, SIM_CODE_MORE) ? SIM_CODE_MORE : SIM_CODE_LESS;
    const sim_job j = {c, s->block, s->form, waits ? c->mode.level : level, UINT64_MAX / 2};
    if (waits)
        sim_jobs_do(&j);
    else
        sim_jobs_add(&j);
}

/* ---- when a launch has ended ---- */

/* Later launches may gain what earlier ones would have. */
void sim_compiled_ran(sim_compiled *c, uint32_t block, sim_code_form form, uint64_t runs) {
    const uint64_t operations = runs * sim_compiled_size(c, block);
    if (c->mode.when != SIM_COMPILING_HEAT || !operations) return;
    const uint64_t ran = atomic_fetch_add(&c->blocks[block].ran[form], operations) + operations;
    if (ran * SAVED >= cost_of(c, block, SIM_CODE_LESS)) request(c, block, form, SIM_CODE_LESS, (double)ran);
    if (ran * BETTER >= cost_of(c, block, SIM_CODE_MORE)) request(c, block, form, SIM_CODE_MORE, (double)ran);
}
