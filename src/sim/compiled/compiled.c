#include "sim/compiled/compiled.h"

#include "base/memory.h"
#include "ptx/liveness.h"
#include "ptx/matrix.h"
#include "sim/assembler/assembler.h"
#include "sim/compiled/code.h"
#include "sim/compiled/write.h"
#include "sim/lower/internal.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Operations of a block from which on it is compiled: what the interpreter takes about as long for. */
enum { HOT = 500000 };

sim_compiling_mode sim_compiling(void) {
    const char *chosen = getenv("HAUL_COMPILE");
    sim_compiling_mode mode = {SIM_COMPILING_HEAT, 0};
    char *end = NULL;
    const unsigned long runs = chosen ? strtoul(chosen, &end, 10) : 0;
    if (chosen && !strcmp(chosen, "off")) mode.when = SIM_COMPILING_OFF;
    if (runs && !*end) mode = (sim_compiling_mode){SIM_COMPILING_RUNS, runs};
    return mode;
}

/* ---- one block ---- */

static void name_of(uint32_t pc, char name[16]) {
    snprintf(name, 16, "s%u", pc);
}

/* Code that is complete is shown to those who run. */
static void publish(sim_compiled *c, const sim_written *written) {
    char name[16];
    for (size_t k = 0; k < written->count; k++) {
        sim_segment *s = written->segments[k];
        name_of(s->pc, name);
        const uintptr_t code = sim_code_find(c->code, name);
        memcpy(&s->run, &code, sizeof s->run);
        if (!s->run || c->count == c->limit) continue;
        s->index = c->count++;
        atomic_store_explicit(&c->entries[s->pc], s, memory_order_release);
    }
}

/* What is the same for all blocks of a function. */
static void know_function(sim_compiled *c) {
    const ptx_function *f = c->program->function;
    if (!c->assembled) c->assembled = sim_assemble(f, &c->memory);
    if (c->live) return;
    ptx_liveness *live = ARENA_NEW(&c->memory, ptx_liveness);
    ptx_liveness_compute(f, &c->memory, live);
    c->live = live;
}

static sim_writer *new_writer(sim_compiled *c, arena *memory, text *out) {
    sim_writer *w = ARENA_NEW(memory, sim_writer);
    w->program = c->program;
    w->compiled = c;
    w->memory = memory;
    w->kept = &c->memory;
    w->out = out;
    w->opaque = sim_compiler()->opaque;
    w->has_fma = sim_compiler()->has_fma;
    know_function(c);
    w->assembled = c->assembled;
    w->blocks_live = c->live;
    return w;
}

static atomic_uint refused;

unsigned sim_compiler_refused(void) {
    return atomic_load(&refused);
}

/* Several blocks are one module: most of what LLVM takes for a small one is the same for several. Blocks that cannot be
 * compiled, for whatever reason, stay interpreted. */
static void compile_blocks(sim_compiled *c, const uint32_t *blocks, size_t count) {
    jmp_buf out_of_memory;
    arena memory;
    text out = {0};
    arena_init(&memory, &out_of_memory);
    c->memory.out_of_memory = &out_of_memory;
    if (!setjmp(out_of_memory)) {
        sim_written written = {0};
        sim_writer *w = new_writer(c, &memory, &out);
        sim_write_begin(w);
        for (size_t k = 0; k < count; k++) sim_write_block(w, blocks[k], &written);
        sim_write_finish(w);
        if (!out.failed && sim_code_make(&out, &c->code))
            publish(c, &written);
        else
            atomic_fetch_add(&refused, 1);
    }
    c->memory.out_of_memory = NULL;
    text_free(&out);
    arena_free(&memory);
}

/* ---- the thread ---- */

typedef struct job {
    sim_compiled *program;
    uint32_t block;
    struct job *next;
} job;

enum { MOST_AT_ONCE = 16 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a job has come, or one is done */
    job *first, **last;
    sim_compiled *busy; /* whose block is being compiled */
    bool started, stopped;
} queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, &queue.first, NULL, false, false};

/* Takes up to `most` jobs for the program out of the queue. */
static size_t take_jobs(const sim_compiled *c, uint32_t *blocks, size_t most) {
    size_t count = 0;
    job **at = &queue.first;
    while (*at && count < most) {
        job *j = *at;
        if (j->program != c) {
            at = &j->next;
            continue;
        }
        blocks[count++] = j->block;
        *at = j->next;
        memory_free(j);
    }
    for (queue.last = &queue.first; *queue.last;) queue.last = &(*queue.last)->next;
    return count;
}

static void run_jobs(sim_compiled *c, const uint32_t *blocks, size_t count) {
    queue.busy = c;
    pthread_mutex_unlock(&queue.lock);
    if (sim_compiler()) compile_blocks(c, blocks, count);
    pthread_mutex_lock(&queue.lock);
    queue.busy = NULL;
    pthread_cond_broadcast(&queue.changed);
}

static void *work(void *unused) {
    uint32_t blocks[MOST_AT_ONCE];
    (void)unused;
    pthread_mutex_lock(&queue.lock);
    while (!queue.stopped) {
        sim_compiled *c = queue.first ? queue.first->program : NULL;
        if (c && !queue.busy)
            run_jobs(c, blocks, take_jobs(c, blocks, MOST_AT_ONCE));
        else
            pthread_cond_wait(&queue.changed, &queue.lock);
    }
    pthread_mutex_unlock(&queue.lock);
    return NULL;
}

/* The library's own end must not come while the thread is in it. */
static void stop(void) {
    pthread_mutex_lock(&queue.lock);
    queue.stopped = true;
    pthread_cond_broadcast(&queue.changed);
    while (queue.busy) pthread_cond_wait(&queue.changed, &queue.lock);
    pthread_mutex_unlock(&queue.lock);
}

/* A child has no such thread, and the library in whatever state it was: it interprets. */
static void forget_thread(void) {
    pthread_mutex_init(&queue.lock, NULL);
    pthread_cond_init(&queue.changed, NULL);
    queue.busy = NULL;
    queue.stopped = true;
}

static void start(void) {
    pthread_t thread;
    sigset_t all, before;
    (void)pthread_atfork(NULL, NULL, forget_thread);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    queue.started = pthread_create(&thread, NULL, work, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (queue.started) pthread_detach(thread);
}

static void add_job(sim_compiled *c, uint32_t block) {
    job *j = memory_alloc(sizeof *j);
    if (!j) return;
    *j = (job){c, block, NULL};
    pthread_mutex_lock(&queue.lock);
    *queue.last = j;
    queue.last = &j->next;
    if (!queue.started && !queue.stopped) start();
    pthread_cond_broadcast(&queue.changed);
    pthread_mutex_unlock(&queue.lock);
}

static void compile_now(sim_compiled *c, uint32_t block) {
    pthread_mutex_lock(&queue.lock);
    while (queue.busy) pthread_cond_wait(&queue.changed, &queue.lock);
    if (!queue.stopped) run_jobs(c, &block, 1);
    pthread_mutex_unlock(&queue.lock);
}

static void drop_jobs(const sim_compiled *c) {
    uint32_t blocks[MOST_AT_ONCE];
    while (take_jobs(c, blocks, MOST_AT_ONCE)) continue;
}

/* ---- when ---- */

static bool ask_once(sim_compiled *c, uint32_t block) {
    return atomic_exchange_explicit(&c->asked[block], 1, memory_order_relaxed) == 0;
}

static uint64_t ops_of(const sim_program *p, uint32_t block) {
    const uint32_t end = block + 1 < p->function->block_count ? p->block_ops[block + 1] : (uint32_t)p->op_count;
    return end - p->block_ops[block];
}

void sim_compiled_heat(sim_compiled *c, uint32_t block, uint64_t runs) {
    if (atomic_load_explicit(&c->asked[block], memory_order_relaxed)) return;
    if (c->mode.when == SIM_COMPILING_RUNS) {
        if (runs >= c->mode.runs && ask_once(c, block)) compile_now(c, block);
        return;
    }
    if (runs % SIM_HEAT_STEP) return;
    const uint64_t more = SIM_HEAT_STEP * ops_of(c->program, block);
    const uint64_t heat = atomic_fetch_add_explicit(&c->heat[block], more, memory_order_relaxed);
    if (heat + more >= HOT && ask_once(c, block)) add_job(c, block);
}

/* ---- a program's ---- */

/* A product in the background reads and writes registers whenever it likes. */
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

/* Tables that the arena holds; false without memory. */
static bool add_tables(sim_compiled *c) {
    jmp_buf out_of_memory;
    const sim_program *p = c->program;
    c->memory.out_of_memory = &out_of_memory;
    const bool failed = setjmp(out_of_memory) != 0;
    if (!failed) {
        c->entries = ARENA_ARRAY(&c->memory, p->op_count, sim_segment_entry);
        c->kinds = ARENA_ARRAY(&c->memory, p->op_count, _Atomic uint16_t);
        c->heat = ARENA_ARRAY(&c->memory, p->function->block_count, _Atomic uint64_t);
        c->asked = ARENA_ARRAY(&c->memory, p->function->block_count, _Atomic uint8_t);
    }
    c->memory.out_of_memory = NULL;
    return !failed;
}

sim_compiled *sim_compiled_create(const sim_program *program) {
    const sim_compiling_mode mode = sim_compiling();
    if (mode.when == SIM_COMPILING_OFF || !sim_compiler_is_possible() || !may_compile(program)) return NULL;
    sim_compiled *c = create(program, mode);
    if (c && add_tables(c)) return c;
    sim_compiled_free(c);
    return NULL;
}

void sim_compiled_free(sim_compiled *c) {
    if (!c) return;
    pthread_mutex_lock(&queue.lock);
    drop_jobs(c);
    while (queue.busy == c) pthread_cond_wait(&queue.changed, &queue.lock);
    pthread_mutex_unlock(&queue.lock);
    sim_code_free(c->code);
    arena_free(&c->memory);
    memory_free(c);
}

void sim_compiler_at_exit(void) {
    (void)atexit(stop);
}
