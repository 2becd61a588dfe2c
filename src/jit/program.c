/* A program's compiled code: compiles blocks, or takes their code from the cache, and installs their segments.
 *
 * A job compiles one block in one of several forms: for whole warps or parts of them, counted or not. The writer turns
 * its operations into IR, which is looked up in the cache and compiled if it is not there. Installing a segment is one
 * atomic store, so running warps need no lock: they see either the old entry or complete code. Tables live as long as
 * the program. */
#include "base/memory.h"
#include "jit/compiled.h"
#include "jit/jobs.h"
#include "jit/code_cache.h"
#include "jit/write.h"
#include "lower/internal.h"
#include "ptx/liveness.h"
#include "ptx/matrix.h"
#include "state/program.h"

#include <stdio.h>
#include <string.h>

/* ---- one block ---- */

/* A segment's function is named by its first operation. */
static void name_of(uint32_t pc, char name[16]) {
    snprintf(name, 16, "s%u", pc);
}

/* SMs know a whole-warp segment's cohorts by its number. The segment takes over the number of the one that it
 * replaces. */
static bool number_segment(sim_compiled *c, sim_segment *s) {
    const sim_segment *before = atomic_load_explicit(&c->entries[s->form][s->pc], memory_order_relaxed);
    if (!s->cohort_count) return true;
    const bool takes_place = before && before->cohort_count;
    if (!takes_place && c->count[s->form] == c->limit) return false;
    s->index = takes_place ? before->index : c->count[s->form]++;
    return true;
}

/* Makes complete code visible to running warps. */
static void publish(sim_compiled *c, sim_code_form form, const sim_code *code, const sim_written *written) {
    char name[16];
    for (size_t k = 0; k < written->count; k++) {
        sim_segment *s = written->segments[k];
        name_of(s->pc, name);
        const uintptr_t place = sim_code_find(code, name);
        memcpy(&s->run, &place, sizeof s->run);
        if (!s->run || !number_segment(c, s)) continue;
        atomic_store_explicit(&c->entries[form][s->pc], s, memory_order_release);
    }
}

/* Computes liveness, which is the same for all blocks of a function. */
static void compute_liveness(sim_compiled *c) {
    const ptx_function *f = c->program->function;
    if (c->live) return;
    ptx_liveness *live = ARENA_NEW(&c->memory, ptx_liveness);
    ptx_liveness_compute(f, &c->memory, live);
    c->live = live;
}

/* Returns a writer for one block; `memory` is freed after the job, c->memory lives as long as the program. */
static sim_writer *new_writer(sim_compiled *c, const sim_compiler_info *info, arena *memory, text *out) {
    sim_writer *w = ARENA_NEW(memory, sim_writer);
    w->program = c->program;
    w->memory = memory;
    w->lasting = &c->memory;
    w->out = out;
    w->opaque = info->opaque;
    w->has_fma = info->has_fma;
    w->has_f16 = info->has_f16;
    w->has_avx512 = info->has_avx512;
    compute_liveness(c);
    w->assembled = c->program->assembled;
    w->blocks_live = c->live;
    return w;
}

static struct { atomic_uint made, refused, cached; } counts;

unsigned sim_compiler_made(void) {
    return atomic_load(&counts.made);
}

unsigned sim_compiler_refused(void) {
    return atomic_load(&counts.refused);
}

unsigned sim_compiler_cached(void) {
    return atomic_load(&counts.cached);
}

/* Gets the kinds that the writer uses: the current ones, or those that cached code was made for. */
static void copy_kinds(const sim_compiled *c, const sim_job *j, const sim_code_cache_block *cached, uint16_t *kinds) {
    const uint32_t first = c->program->block_ops[j->block];
    const size_t count = sim_compiled_size(c, j->block);
    for (size_t k = 0; !cached && k < count; k++)
        kinds[k] = atomic_load_explicit(&c->kinds[first + k], memory_order_relaxed);
    for (size_t k = 0; cached && k < cached->kind_count; k++)
        if (cached->kinds[k].pc - first < count) kinds[cached->kinds[k].pc - first] = (uint16_t)cached->kinds[k].kinds;
}

/* The kinds that the code was written for, to be stored with it. */
static sim_code_cache_kinds *list_kinds(const sim_writer *w, size_t size, size_t *count) {
    sim_code_cache_kinds *list = memory_alloc((size + 1) * sizeof *list);
    for (size_t k = 0; list && k < size; k++)
        if (w->kinds[k]) list[(*count)++] = (sim_code_cache_kinds){w->first_pc + (uint32_t)k, w->kinds[k]};
    return list;
}

/* Compiles the code with LLVM and caches it. */
static const sim_code *make(const sim_writer *w, const sim_job *j, const uint64_t hash[2]) {
    sim_code_cache_block made = {.hash = {hash[0], hash[1]}, .block = j->block, .form = j->form, .level = j->level};
    made.kinds = list_kinds(w, sim_compiled_size(j->program, j->block), &made.kind_count);
    const bool good = made.kinds && sim_code_make(w->out, j->level, &made.object);
    atomic_fetch_add(good ? &counts.made : &counts.refused, 1);
    if (good) return sim_code_cache_add(j->program->cache, &made);
    text_free(&made.object);
    memory_free(made.kinds);
    return NULL;
}

/* `cached`: only cached code will do. */
static const sim_code *find_code(const sim_writer *w, const sim_job *j, const sim_code_cache_block *cached) {
    uint64_t hash[2];
    if (w->out->failed) return NULL;
    sim_code_cache_hash(w->out, j->level, hash);
    const sim_code *code = sim_code_cache_find(j->program->cache, hash);
    atomic_fetch_add(&counts.cached, code != NULL);
    if (code) return code;
    if (!cached) return make(w, j, hash);
    sim_code_cache_drop(j->program->cache, cached->hash);
    return NULL;
}

/* A block that cannot be compiled, for whatever reason, stays interpreted. */
static bool compile_block(const sim_job *j, const sim_compiler_info *info, const sim_code_cache_block *cached) {
    sim_compiled *const c = j->program;
    jmp_buf out_of_memory;
    arena memory;
    text out = {0};
    volatile bool found = false;
    arena_init(&memory, &out_of_memory);
    c->memory.out_of_memory = &out_of_memory;
    if (!setjmp(out_of_memory)) {
        sim_written written = {0};
        uint16_t *kinds = ARENA_ARRAY(&memory, sim_compiled_size(c, j->block) + 1, uint16_t);
        copy_kinds(c, j, cached, kinds);
        sim_writer *w = new_writer(c, info, &memory, &out);
        sim_write_begin(w);
        sim_write_block(w, j->block, j->form, kinds, &written);
        sim_write_finish(w);
        const sim_code *code = find_code(w, j, cached);
        if (code) publish(c, j->form, code, &written);
        found = code != NULL;
    }
    c->memory.out_of_memory = NULL;
    atomic_store(&c->blocks[j->block].misses, 0);
    text_free(&out);
    arena_free(&memory);
    return found;
}

/* Records the kinds as if they had been seen here: if lanes have another shape this time, code is made for both. */
static void note_kinds(sim_compiled *c, const sim_code_cache_block *b) {
    for (size_t k = 0; k < b->kind_count; k++)
        if (b->kinds[k].pc < c->program->op_count)
            atomic_fetch_or_explicit(&c->kinds[b->kinds[k].pc], (uint16_t)b->kinds[k].kinds, memory_order_relaxed);
}

/* Installs all cached code of the program; blocks that were compiled meanwhile are skipped. */
static void install_cached(sim_compiled *c) {
    sim_compiler_info info;
    if (!sim_code_cache_compiler(c->cache, &info)) return;
    for (const sim_code_cache_block *b = NULL; (b = sim_code_cache_after(c->cache, b));) {
        if (b->block >= c->program->function->block_count || b->form >= SIM_CODE_FORMS) continue;
        const sim_job j = {c, b->block, (sim_code_form)b->form, b->level, 0};
        atomic_uint_least8_t *asked = c->blocks[b->block].asked[b->form];
        if (atomic_exchange(&asked[SIM_CODE_LESS], 1)) continue; /* compiled meanwhile */
        if (compile_block(&j, &info, b)) {
            note_kinds(c, b);
            atomic_store(&asked[b->level], 1);
        } else {
            atomic_store(&asked[SIM_CODE_LESS], 0);
        }
    }
}

void sim_compile(const sim_job *j) {
    if (j->block == SIM_JOB_CACHED)
        install_cached(j->program);
    else if (sim_compiler())
        (void)compile_block(j, sim_compiler(), NULL);
}

/* ---- a program ---- */

/* False if the kernel has wgmma products: they read and write registers at any time. */
static bool may_compile(const sim_program *p) {
    for (size_t i = 0; i < p->function->instruction_count; i++)
        if (ptx_is_warpgroup_product(&p->function->instructions[i])) return false;
    return p->function->block_count > 0;
}

static sim_compiled *create(const sim_program *p, sim_compiling_mode mode) {
    sim_compiled *c = memory_zeroed(1, sizeof *c);
    if (!c) return NULL;
    c->program = p;
    c->mode = mode;
    c->limit = sim_most_segments(p);
    return c;
}

/* Allocates tables in the arena. Returns false if there is no memory. */
static bool add_tables(sim_compiled *c) {
    jmp_buf out_of_memory;
    const sim_program *p = c->program;
    c->memory.out_of_memory = &out_of_memory;
    const bool failed = setjmp(out_of_memory) != 0;
    if (!failed) {
        for (unsigned f = 0; f < SIM_CODE_FORMS; f++)
            c->entries[f] = ARENA_ARRAY(&c->memory, p->op_count, sim_segment_entry);
        c->kinds = ARENA_ARRAY(&c->memory, p->op_count, _Atomic uint16_t);
        c->blocks = ARENA_ARRAY(&c->memory, p->function->block_count, sim_compiled_block);
    }
    c->memory.out_of_memory = NULL;
    return !failed;
}

/* Queues installing blocks that were hot before. Tests that compile by run count are excluded. */
static void queue_cached(sim_compiled *c) {
    if (c->mode.when == SIM_COMPILING_HEAT && sim_code_cache_after(c->cache, NULL))
        sim_jobs_add(&(sim_job){c, SIM_JOB_CACHED, SIM_CODE_WHOLE, SIM_CODE_LESS, UINT64_MAX});
}

/* NULL if nothing is compiled: everything is then interpreted. */
sim_compiled *sim_compiled_create(const sim_program *program) {
    const sim_compiling_mode mode = sim_compiling();
    if (mode.when == SIM_COMPILING_OFF || !sim_compiler_is_possible() || !may_compile(program)) return NULL;
    sim_compiled *c = create(program, mode);
    if (c) c->cache = sim_code_cache_hold(program);
    if (!c || !c->cache || !add_tables(c)) {
        sim_compiled_free(c);
        return NULL;
    }
    queue_cached(c);
    return c;
}

void sim_compiled_free(sim_compiled *c) {
    if (!c) return;
    sim_jobs_drop(c);
    sim_code_cache_release(c->cache);
    arena_free(&c->memory);
    memory_free(c);
}
