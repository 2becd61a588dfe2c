/* Life cycle of the counting half, and the sums that become counters. */
#include "base/memory.h"
#include "base/pool.h"
#include "base/status.h"
#include "count/loops.h"
#include "count/samples.h"
#include "count/traffic.h"
#include "machine/code_fetch.h"
#include "ptx/traits.h"
#include "state/program.h"
#include "state/waits.h"

#include <math.h>
#include <string.h>

/* ---- the plan ---- */

unsigned sim_tally_spaces(const sim_count_plan *plan, size_t i) {
    bool generic = plan->function->instructions[i].mods[PTX_SLOT_SPACE] == PTX_MOD_NONE;
    return generic || plan->assembled[i].loops ? SIM_TALLY_SPACES : 1;
}

/* Numbers the tallies of instructions that access memory. */
static void number_tallies(sim_count_plan *plan) {
    size_t count = plan->function->instruction_count;
    plan->tally_of = ARENA_ARRAY(&plan->memory, count + 1, uint32_t);
    for (size_t i = 0; i < count; i++) {
        plan->tally_of[i] = SIM_NO_TALLY;
        if (plan->assembled[i].class == HAUL_CLASS_NONE) continue;
        plan->has_loops |= plan->assembled[i].loops || plan->assembled[i].loops_in_shared;
        plan->tally_of[i] = plan->tally_count;
        plan->tally_count += sim_tally_spaces(plan, i);
    }
}

static bool build(sim_count_plan *plan) {
    if (setjmp(plan->out_of_memory)) return false;
    arena_init(&plan->memory, &plan->out_of_memory);
    plan->bank_uses = sim_bank_uses_find(plan->function, &plan->memory);
    number_tallies(plan);
    return true;
}

haul_status sim_count_plan_create(const sim_machine *machine, const sim_program *program,
                                  const haul_occupancy *occupancy, sim_count_plan **out) {
    (void)machine;
    sim_count_plan *plan = memory_zeroed(1, sizeof *plan);
    *out = NULL;
    if (!plan) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "launch: no memory for counters");
    plan->function = program->function;
    plan->assembled = program->assembled;
    plan->costs = program->costs;
    plan->issuing_blocks = program->issuing_blocks;
    plan->l1_bytes = occupancy->l1_bytes;
    plan->local_bytes = program->local_bytes;
    if (!build(plan)) {
        sim_count_plan_free(plan);
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "launch: no memory for counters");
    }
    *out = plan;
    return HAUL_OK;
}

void sim_count_plan_free(sim_count_plan *plan) {
    if (!plan) return;
    arena_free(&plan->memory);
    memory_free(plan);
}

void sim_count_plan_set_window(sim_count_plan *plan, const sim_l2_window *window) {
    plan->window = *window;
}

haul_memory_class sim_count_plan_class(const sim_count_plan *plan, size_t instruction) {
    return (haul_memory_class)plan->assembled[instruction].class;
}

/* ---- one SM ---- */

/* Returns the number of entries of block_runs and the three tables behind it. */
static size_t run_entries(const ptx_function *f) {
    return 2 * (f->instruction_count + 1 + f->block_count + 1);
}

haul_status sim_counting_create(const sim_count_plan *plan, sim_counting **out) {
    size_t instructions = plan->function->instruction_count + 1, blocks = plan->function->block_count + 1;
    sim_counting *c = memory_zeroed(1, sizeof *c);
    *out = NULL;
    if (!c) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "launch: no memory for counters");
    c->plan = plan;
    c->function = plan->function;
    c->tally_count = plan->tally_count;
    c->tallies = memory_zeroed(c->tally_count + 1, sizeof *c->tallies);
    c->samples = memory_zeroed(instructions, sizeof *c->samples);
    c->block_runs = memory_zeroed(run_entries(plan->function), sizeof *c->block_runs);
    const bool ready = c->tallies && c->samples && c->block_runs && sim_loops_create(c);
    if (!ready || sim_l1_create(plan->l1_bytes, &c->l1) != HAUL_OK) {
        sim_counting_free(c);
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "launch: no memory for counters");
    }
    c->block_threads = c->block_runs + blocks;
    c->instruction_runs = c->block_threads + blocks;
    c->instruction_threads = c->instruction_runs + instructions;
    *out = c;
    return HAUL_OK;
}

void sim_counting_renew(const sim_count_plan *plan, sim_counting *c) {
    c->plan = plan;
    memset(c->tallies, 0, c->tally_count * sizeof *c->tallies);
    memset(c->block_runs, 0, run_entries(plan->function) * sizeof *c->block_runs);
    sim_samples_renew(c);
    sim_loops_renew(c);
    for (uint32_t w = 0; w < SIM_RESIDENT_WARPS; w++) c->in_flight[w].warp = NULL;
    sim_log_clear(&c->log);
    memory_free(c->local_written);
    memory_free(c->deferred);
    memset(&c->constants, 0, sizeof *c - offsetof(sim_counting, constants));
    sim_l1_renew(c->l1, plan->l1_bytes);
}

uint64_t sim_counting_bytes(const sim_counting *c) {
    uint64_t entries = 0;
    for (unsigned s = 0; s < SIM_SLICES; s++) entries += c->log.slices[s].capacity;
    return sizeof *c + sim_l1_size() + entries * sizeof(sim_log_entry) + c->tally_count * sizeof *c->tallies +
           run_entries(c->function) * sizeof *c->block_runs;
}

void sim_counting_free(sim_counting *c) {
    if (!c) return;
    sim_samples_free(c);
    memory_free(c->tallies);
    memory_free(c->block_runs);
    memory_free(c->local_written);
    memory_free(c->deferred);
    sim_loops_free(c);
    sim_l1_free(c->l1);
    sim_log_free(&c->log);
    memory_free(c);
}

size_t sim_counting_waiting(const sim_counting *c) {
    size_t sum = 0;
    for (unsigned s = 0; s < SIM_SLICES; s++) sum += c->log.slices[s].count;
    return sum;
}

/* The requests that L2 gets in one turn. */
typedef struct l2_turn {
    sim_l2 *l2;
    sim_log *const *logs;
    size_t count;
} l2_turn;

static void play_slice(void *context, size_t slice, unsigned worker) {
    const l2_turn *t = context;
    (void)worker;
    sim_l2_play(t->l2, (unsigned)slice, t->logs, t->count);
}

haul_status sim_counting_drain(sim_l2 *l2, sim_counting *const *countings, size_t count, int threads, sim_link *link,
                               sim_peer_lines *peers) {
    sim_log **logs = memory_zeroed(count + 1, sizeof *logs);
    if (!logs) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "launch: no memory for counters");
    bool failed = false;
    for (size_t sm = 0; sm < count; sm++) {
        if (!countings[sm]) continue;
        sim_counting_flush(countings[sm]);
        countings[sm]->last_read.entry = NULL;
        logs[sm] = &countings[sm]->log;
        failed |= logs[sm]->failed;
        if (peers) sim_peer_lines_take(peers, logs[sm]);
        if (link) sim_link_count(link, logs[sm]);
    }
    l2_turn turn = {l2, logs, count};
    pool_for(SIM_SLICES, (unsigned)threads, play_slice, &turn);
    for (size_t sm = 0; sm < count; sm++)
        if (logs[sm]) sim_log_clear(logs[sm]);
    memory_free(logs);
    return failed ? haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "launch: no memory for the log of L2 requests") : HAUL_OK;
}

/* ---- sums ---- */

/* Adds the threads and executions of each instruction: counted with its block, or singly if it is guarded. */
static void add_executions(const sim_counting *c, haul_traffic *instructions) {
    const ptx_function *f = c->plan->function;
    for (size_t b = 0; b < f->block_count; b++) {
        for (size_t i = f->blocks[b].first; i < f->blocks[b].end; i++) {
            bool singly = sim_counts_singly(&f->instructions[i]);
            instructions[i].instructions += singly ? c->instruction_runs[i] : c->block_runs[b];
            instructions[i].threads += singly ? c->instruction_threads[i] : c->block_threads[b];
        }
    }
}

/* Returns the class that an instruction counts as in the space that its generic address reached. */
static haul_memory_class class_in(haul_memory_class class, sim_tally_space space) {
    static const uint8_t shared[HAUL_CLASS_COUNT] = {[HAUL_CLASS_GLOBAL_LOAD] = HAUL_CLASS_SHARED_LOAD,
                                                     [HAUL_CLASS_GLOBAL_STORE] = HAUL_CLASS_SHARED_STORE,
                                                     [HAUL_CLASS_GLOBAL_ATOMIC] = HAUL_CLASS_SHARED_ATOMIC,
                                                     [HAUL_CLASS_GLOBAL_REDUCTION] = HAUL_CLASS_SHARED_ATOMIC};
    static const uint8_t local[HAUL_CLASS_COUNT] = {
        [HAUL_CLASS_GLOBAL_LOAD] = HAUL_CLASS_LOCAL_LOAD, [HAUL_CLASS_GLOBAL_STORE] = HAUL_CLASS_LOCAL_STORE};
    if (space == SIM_TALLY_SHARED) return (haul_memory_class)shared[class];
    if (space == SIM_TALLY_LOCAL) return (haul_memory_class)local[class];
    if (space == SIM_TALLY_SHARED_LOOP_LOADS) return HAUL_CLASS_SHARED_LOAD;
    if (space == SIM_TALLY_LOOP_LOADS)
        return class == HAUL_CLASS_SHARED_ATOMIC ? HAUL_CLASS_SHARED_LOAD : HAUL_CLASS_GLOBAL_LOAD;
    return class;
}

typedef struct class_sums {
    haul_traffic traffic[HAUL_CLASS_COUNT];
    uint64_t tag_sectors[HAUL_CLASS_COUNT], matrix_accesses[HAUL_CLASS_COUNT];
    uint64_t fixed_loads;   /* of constants at addresses that the assembler knows */
    uint64_t copies_issued; /* LDGSTS, including those with no active lane */
} class_sums;

/* Adds the tally to its class, and everything but the executions, which the caller has, to its instruction. */
static void add_tally(const sim_tally *tally, haul_memory_class class, haul_traffic *instruction, class_sums *sums) {
    haul_traffic t = tally->traffic;
    t.bank_conflicts = sim_traffic_conflicts(class, &t);
    haul_traffic_add(&sums->traffic[class], &t);
    sums->tag_sectors[class] += tally->tag_sectors;
    sums->matrix_accesses[class] += tally->matrix_accesses;
    t.instructions = 0;
    haul_traffic_add(instruction, &t);
}

static void add_tallies(const sim_counting *c, haul_traffic *instructions, class_sums *sums) {
    const sim_count_plan *plan = c->plan;
    for (size_t i = 0; i < plan->function->instruction_count; i++) {
        if (plan->tally_of[i] == SIM_NO_TALLY) continue;
        if (plan->assembled[i].fixed) sums->fixed_loads += c->tallies[plan->tally_of[i]].traffic.requests;
        for (unsigned space = 0; space < sim_tally_spaces(plan, i); space++)
            add_tally(&c->tallies[plan->tally_of[i] + space],
                      class_in(sim_count_plan_class(plan, i), (sim_tally_space)space), &instructions[i], sums);
    }
}

/* Adds the copies that a block issues, with an active lane or without. */
static void add_copies_of(const sim_counting *c, uint32_t block, class_sums *sums) {
    const sim_count_plan *plan = c->plan;
    const ptx_block *b = &plan->function->blocks[block];
    const uint64_t runs = c->block_runs[plan->issuing_blocks[block]];
    for (uint32_t i = b->first; i < b->end; i++)
        if (plan->function->instructions[i].op == PTX_OP_CP_ASYNC) sums->copies_issued += runs;
}

static void add_copies(const sim_counting *c, class_sums *sums) {
    for (uint32_t b = 0; c->plan->issuing_blocks && b < c->plan->function->block_count; b++) add_copies_of(c, b, sums);
}

typedef struct issue_sums {
    uint64_t hits, requests_issued, sectors_issued, read_requests_issued, shared_sectors;
    uint64_t reduced_bulks, reduced_bulk_sectors;
    uint64_t unmasked_wavefronts, unmasked_sectors;
    uint64_t fewer_wavefronts, more_wavefronts;
    uint64_t word_loads, word_stores;
} issue_sums;

static void add_issued(const sim_counting *c, issue_sums *sums) {
    sums->hits += c->store_hits;
    sums->requests_issued += c->store_requests_issued;
    sums->sectors_issued += c->store_sectors_issued;
    sums->read_requests_issued += c->read_requests_issued;
    sums->shared_sectors += c->shared_sectors;
    sums->unmasked_wavefronts += c->unmasked_wavefronts;
    sums->unmasked_sectors += c->unmasked_sectors;
    sums->fewer_wavefronts += c->fewer_wavefronts;
    sums->more_wavefronts += c->more_wavefronts;
    sums->word_loads += c->word_loads;
    sums->word_stores += c->word_stores;
    sums->reduced_bulks += c->reduced_bulks;
    sums->reduced_bulk_sectors += c->reduced_bulk_sectors;
}

/* Of a launch. */
typedef struct launch_sums {
    class_sums classes;
    issue_sums issued;
    sim_l2_counts l2;
    sim_bank_loads bank; /* of parameters, by LDC */
    uint64_t sms, warps, threads;
} launch_sums;

/* Each SM fetches the lines with its parameters once; loops may fetch them again. */
enum { PARAMETER_LINES = 2 };

/* A formula for each counter, in the order of counters.def. */
enum {
#define FORMULA(id, expression) FORMULA_##id,
#include "count/formulas.def"
#undef FORMULA
    FORMULA_COUNT
};
#define FORMULA(id, expression) \
    _Static_assert((int)FORMULA_##id == (int)HAUL_COUNTER_##id, "in the order of counters.def");
#include "count/formulas.def"
#undef FORMULA
_Static_assert((int)FORMULA_COUNT == (int)HAUL_COUNTER_COUNT, "each counter has a formula");

static void set_counters(haul_launch_record *r, const launch_sums *sums) {
#define OF(class, field) sums->classes.traffic[HAUL_CLASS_##class].field
#define OF_COPIES(field) (OF(LDGSTS_ACCESS, field) + OF(LDGSTS_BYPASS, field))
#define TAGS(class) sums->classes.tag_sectors[HAUL_CLASS_##class]
#define MATRIX_ACCESSES(class) sums->classes.matrix_accesses[HAUL_CLASS_##class]
#define FORMULA(id, expression) r->counters[HAUL_COUNTER_##id] = (double)(expression);
#include "count/formulas.def"
#undef FORMULA
}

/* Sets bounds for counters that depend on timing: they may vary within these (docs/memory-model.md). */
static void set_bound(haul_launch_record *r, haul_counter counter, bool known, uint64_t low, uint64_t high) {
    r->bounds[counter] = (haul_bounds){known ? (double)low : 0, (double)high};
}

static void set_bounds(haul_launch_record *r, const sim_l2_counts *l2, const sim_l2_touched *touched,
                       const issue_sums *issued) {
    const sim_sector_set_size *read = &touched->read, *written = &touched->written;
    set_bound(r, HAUL_COUNTER_L2_READ_REQUESTS, touched->read_known, read->lines, issued->read_requests_issued);
    set_bound(r, HAUL_COUNTER_L2_READ_SECTORS, touched->read_known, read->sectors,
              l2->issued_sectors + issued->shared_sectors);
    set_bound(r, HAUL_COUNTER_L2_READ_MISS, touched->read_known, touched->warm ? 0 : 2 * read->pairs, 4 * read->pairs);
    set_bound(r, HAUL_COUNTER_L2_WRITE_REQUESTS, touched->written_known, written->lines, issued->requests_issued);
    set_bound(r, HAUL_COUNTER_L2_WRITE_SECTORS, touched->written_known, written->sectors, issued->sectors_issued);
}

/* Sets bounds for issued copies. Copies with an active lane are certain. The others come from branches that the
 * assembler turns into predicates; which ones is an estimate. Wavefronts vary only with predicates in P0 (copies.c). */
static void set_copy_bounds(haul_launch_record *r, const class_sums *s, const issue_sums *issued) {
    const uint64_t copying =
        s->traffic[HAUL_CLASS_LDGSTS_ACCESS].instructions + s->traffic[HAUL_CLASS_LDGSTS_BYPASS].instructions;
    set_bound(r, HAUL_COUNTER_INST_LDGSTS, true, copying, s->copies_issued);
    const uint64_t written = (uint64_t)r->counters[HAUL_COUNTER_SHARED_LDGSTS_WAVEFRONTS];
    set_bound(r, HAUL_COUNTER_SHARED_LDGSTS_WAVEFRONTS, true, written - issued->fewer_wavefronts,
              written + issued->more_wavefronts);
}

/* Sets bounds for constant loads. A load from a fixed address may be an operand instead; adjacent loads may be one. */
static void set_constant_bounds(haul_launch_record *r, const class_sums *s, const sim_bank_loads *bank) {
    const haul_traffic *constant = &s->traffic[HAUL_CLASS_CONSTANT_LOAD];
    set_bound(r, HAUL_COUNTER_INST_LDC, true, constant->instructions - s->fixed_loads + bank->least,
              constant->instructions + bank->most);
    set_bound(r, HAUL_COUNTER_CONSTANT_REQUESTS, true, constant->requests - s->fixed_loads + bank->least,
              constant->requests + bank->most);
}

/* The size of the code is an estimate: mostly within a third of the real one (docs/memory-evidence.md). */
static void set_code_bounds(haul_launch_record *r, const sim_machine *m, size_t used_sms) {
    const haul_code_fetch *code = &r->code;
    const haul_code_fetch less = sim_code_fetch_of(m, code->bytes * 2 / 3, code->parameter_bytes, (uint32_t)used_sms);
    const haul_code_fetch more = sim_code_fetch_of(m, code->bytes * 3 / 2, code->parameter_bytes, (uint32_t)used_sms);
    set_bound(r, HAUL_COUNTER_L2_CODE_SECTORS, true, less.sectors, more.sectors);
}

static void sum_executions(launch_sums *sums, const haul_traffic *instructions, size_t count) {
    for (size_t i = 0; i < count; i++) {
        sums->warps += instructions[i].instructions;
        sums->threads += instructions[i].threads;
    }
}

void sim_counting_finish(sim_l2 *l2, sim_counting *const *countings, size_t count, haul_launch_record *record,
                         haul_traffic *instructions) {
    launch_sums sums = {0};
    sim_l2_touched touched;
    const sim_count_plan *plan = NULL;
    for (size_t sm = 0; sm < count; sm++) {
        if (!countings[sm]) continue;
        plan = countings[sm]->plan;
        sums.sms++;
        add_executions(countings[sm], instructions);
        sim_count_loops(countings[sm]);
        add_tallies(countings[sm], instructions, &sums.classes);
        add_copies(countings[sm], &sums.classes);
        add_issued(countings[sm], &sums.issued);
    }
    sim_l2_sum(l2, &sums.l2, &touched);
    if (plan) sums.bank = sim_bank_loads_of(plan->function, plan->bank_uses, instructions);
    memcpy(record->classes, sums.classes.traffic, sizeof record->classes);
    sum_executions(&sums, instructions, plan ? plan->function->instruction_count : 0);
    set_counters(record, &sums);
    for (size_t i = 0; i < HAUL_COUNTER_COUNT; i++)
        record->bounds[i] = (haul_bounds){record->counters[i], record->counters[i]};
    set_bounds(record, &sums.l2, &touched, &sums.issued);
    set_copy_bounds(record, &sums.classes, &sums.issued);
    set_constant_bounds(record, &sums.classes, &sums.bank);
    set_code_bounds(record, sim_l2_machine(l2), count);
}

/* Returns the block whose runs issue this one's instructions: predicated code is issued even with no active lane. */
static size_t issuing_block(const sim_count_plan *plan, size_t block) {
    return plan->issuing_blocks ? plan->issuing_blocks[block] : block;
}

/* Loads that a warp waits for. */
#define WAITED_FOR (PTX_KIND_LOAD | PTX_KIND_ATOMIC | PTX_KIND_TEXTURE | PTX_KIND_SURFACE_LOAD)

/* What each further round of a compare-and-swap loop issues, as ptxas makes it (LDS, FADD, ATOMS.CAS, ISETP, BRA), and
 * the stall counts of these five. */
enum { ROUND_ISSUED = 5, ROUND_FIXED = 26 };

static void add_loops(const sim_counting *c, sim_waits *waits) {
    const double rounds = (double)c->loop_rounds;
    waits->loop_rounds += rounds;
    waits->issued += ROUND_ISSUED * rounds;
    waits->slots += ROUND_ISSUED * rounds;
    waits->fixed += ROUND_FIXED * rounds;
    waits->path += ROUND_FIXED * rounds;
    waits->branches += rounds;
    for (size_t place = 0; place < SIM_LOOP_PLACES; place++)
        waits->most_looped = fmax(waits->most_looped, (double)c->looped[place]);
}

static void add_work(const sim_counting *c, sim_waits *waits) {
    for (size_t b = 0; b < c->plan->function->block_count; b++) {
        const double runs = (double)c->block_runs[b];
        waits->path += runs * c->plan->costs[b].path;
        waits->fixed += runs * c->plan->costs[b].fixed;
        waits->issued += (double)c->block_runs[issuing_block(c->plan, b)] * c->plan->costs[b].issued;
        waits->slots += runs * c->plan->costs[b].slots;
        waits->adu += runs * c->plan->costs[b].adu;
        waits->lsu += runs * c->plan->costs[b].lsu;
        waits->branches += runs * c->plan->costs[b].branches;
        waits->conversions += runs * c->plan->costs[b].conversions;
        waits->fences += runs * c->plan->costs[b].fences;
        waits->memory += runs * c->plan->costs[b].waits;
        for (unsigned k = 0; k < SIM_PIPES; k++) waits->busy[k] += runs * c->plan->costs[b].busy[k];
    }
    waits->partial_sectors += (double)c->partial_sectors;
    waits->partial_requests += (double)c->partial_requests;
    waits->partial_writes += (double)c->partial_writes;
    waits->data_wavefronts += (double)c->data_wavefronts;
    add_loops(c, waits);
    waits->shared_turns += (double)c->shared_turns;
}

/* What all SMs did to the places of the tables of hot lines. */
typedef struct hot_places {
    uint64_t updated[SIM_HOT_PLACES], stored[SIM_HOT_PLACES], added[SIM_HOT_PLACES];
} hot_places;

static void add_hot_places(const sim_counting *c, hot_places *sum) {
    for (size_t place = 0; place < SIM_HOT_PLACES; place++) {
        sum->updated[place] += c->hot[place];
        sum->stored[place] += c->stored[place];
        sum->added[place] += c->added[place];
    }
}

/* Finds the most updates of any place, the most additions to any sector, and how unevenly stores are spread: the root
 * of the summed squares of what each place has beyond the average. */
static void find_hot_places(sim_counting *const *countings, size_t count, sim_waits *waits) {
    hot_places sum = {0};
    double stored = 0, squares = 0;
    for (size_t sm = 0; sm < count; sm++)
        if (countings[sm]) add_hot_places(countings[sm], &sum);
    for (size_t place = 0; place < SIM_HOT_PLACES; place++) {
        waits->hottest = fmax(waits->hottest, (double)sum.updated[place]);
        waits->most_added = fmax(waits->most_added, (double)sum.added[place]);
        stored += (double)sum.stored[place];
    }
    for (size_t place = 0; place < SIM_HOT_PLACES; place++) {
        const double beyond = (double)sum.stored[place] - stored / SIM_HOT_PLACES;
        squares += beyond * beyond;
    }
    waits->uneven_stores = sqrt(squares);
}

/* The accesses of an instruction on all SMs, and those that did not find all they wanted in L1. */
typedef struct misses {
    double accesses, missed;
} misses;

static misses misses_of(sim_counting *const *countings, size_t count, size_t instruction) {
    misses sum = {0};
    for (size_t sm = 0; sm < count; sm++) {
        const sim_counting *c = countings[sm];
        if (!c || c->plan->tally_of[instruction] == SIM_NO_TALLY) continue;
        for (unsigned space = 0; space < sim_tally_spaces(c->plan, instruction); space++) {
            const sim_tally *t = &c->tallies[c->plan->tally_of[instruction] + space];
            sum.accesses += (double)t->traffic.instructions;
            sum.missed += (double)t->missed;
        }
    }
    return sum;
}

/* Loads are counted one by one, other accesses by their hit rates. */
static misses misses_or_rates(sim_counting *const *countings, size_t count, const haul_traffic *t, ptx_op op,
                              size_t instruction) {
    const misses m = misses_of(countings, count, instruction);
    if (ptx_is(op, PTX_KIND_LOAD) && m.accesses > 0) return m;
    const double hit = fmin(1, (double)t->hits / (double)t->sectors), all = (double)t->wavefronts;
    return (misses){all, all * (1 - hit)};
}

/* Returns the share of a block's waits for loads that go beyond L1: a wait is for several loads, and as long as the
 * farthest, but no more waits go there than loads do. Negative if the block has no loads. `waits`: of all warps. */
static double share_beyond_l1(sim_counting *const *countings, size_t count, const sim_count_plan *plan,
                              const haul_traffic *traffic, size_t block, double waits) {
    const ptx_block *b = &plan->function->blocks[block];
    double hit = 1, missed = 0;
    bool loads = false;
    for (uint32_t i = b->first; i < b->end; i++) {
        const ptx_op op = plan->function->instructions[i].op;
        if (!ptx_is(op, WAITED_FOR) || traffic[i].sectors == 0) continue;
        const misses m = misses_or_rates(countings, count, &traffic[i], op, i);
        loads = true;
        missed += m.missed;
        if (m.accesses > 0) hit *= pow(fmax(0, 1 - m.missed / m.accesses), m.accesses / waits);
    }
    return loads ? fmin(1 - hit, missed / waits) : -1;
}

/* Adds the waits of blocks that have loads, and those of them that go beyond L1. */
static void find_far_waits(sim_counting *const *countings, size_t count, const haul_traffic *traffic,
                           sim_waits *waits) {
    const sim_count_plan *plan = NULL;
    for (size_t sm = 0; sm < count; sm++)
        if (countings[sm]) plan = countings[sm]->plan;
    for (size_t b = 0; plan && b < plan->function->block_count; b++) {
        double runs = 0;
        for (size_t sm = 0; sm < count; sm++) runs += countings[sm] ? (double)countings[sm]->block_runs[b] : 0;
        const double waited = runs * plan->costs[b].waits;
        const double share = waited > 0 ? share_beyond_l1(countings, count, plan, traffic, b, waited) : -1;
        if (share < 0) continue;
        waits->placed += waited;
        waits->far += waited * share;
    }
}

void sim_counting_work(const sim_l2 *l2, sim_counting *const *countings, size_t count, const haul_traffic *traffic,
                       sim_waits *waits) {
    const sim_l2_dirty dirty = sim_l2_measure_dirty(l2);
    sim_l2_counts counts;
    double busiest = 0;
    sim_l2_sum(l2, &counts, NULL);
    waits->dirty_sectors = (double)dirty.sectors;
    waits->partly_dirty = (double)(dirty.partial + counts.filled_sectors);
    for (size_t sm = 0; sm < count; sm++) {
        const double before = waits->path;
        if (countings[sm]) add_work(countings[sm], waits);
        busiest = fmax(busiest, waits->path - before);
    }
    if (waits->path > 0) waits->busiest = busiest / waits->path;
    find_hot_places(countings, count, waits);
    find_far_waits(countings, count, traffic, waits);
}
