/* Reports of unordered accesses to shared memory: their kind, their grade and their text. */
#include "assembler/engine.h"
#include "check/cells.h"

#include <string.h>

const char sim_lost_update[] =
    "both threads read, change and write this word by volatile or relaxed accesses; a lock orders them only with "
    "fences (__threadfence() after it is taken and before it is given back), or one update is lost";
const char sim_old_data[] =
    "a flag that the reader waited for came after this store, but a fence is missing on one side: volatile does not "
    "order the two words, and the data may be old (__threadfence() before the flag is written and after it is read)";
static const char two_blocks[] = "threads of two blocks of a cluster: put a barrier of the cluster between the two, or "
                                 "an mbarrier on which one arrives with .release.cluster and for which the other waits "
                                 "with .acquire.cluster; without a scope both reach .cta only";
const char sim_left_to_chance[] = "both accesses are volatile or atomic, so that none of them tears, but nothing "
                                  "orders the two: chance decides which "
                                  "comes last";
const char sim_look_first[] = "the load only looks whether the atomic operation is worth it: an "
                              "older value costs time, no more, but C++ and PTX call it a race "
                              "(cuda::atomic_ref::load(cuda::memory_order_relaxed) is none, and as fast)";

/* True if the thread is of another block of the cluster. */
static bool is_elsewhere(const sim_visit *k, uint32_t thread) {
    return thread / SIM_LANES / k->d->warps != k->actor / k->d->warps;
}

/* True if the two accesses rely on lockstep, as all warp code did before lanes were scheduled independently. */
static bool counts_on_lockstep(const sim_visit *k, uint32_t thread, uint32_t other) {
    return thread / SIM_LANES == k->actor && sim_counts_on_lockstep(k->w->sm->grid, k->instruction, other);
}

/* True if the two are volatile data, and nothing worse is wrong with them. `state` describes the other access. */
static bool is_left_to_chance(const sim_visit *k, uint8_t state, uint32_t thread, uint32_t other) {
    const sim_grid *g = k->w->sm->grid;
    return k->strong && state & SIM_CELL_ATOMIC && sim_is_left_to_chance(g, k->instruction, other) &&
           !sim_may_lose_update(g, k->instruction, other) && !counts_on_lockstep(k, thread, other);
}

/* A volatile load of what an unordered volatile store leaves lacks a barrier: nothing but a loop that waits, or a
 * branch, makes use of such a load, and neither counts. What a kernel does by atomic operations or two stores may be
 * meant. */
static void grade_chance(const sim_visit *k, sim_suspect *s) {
    const uint16_t *uses = k->w->sm->grid->uses, all = uses[s->instruction] | uses[s->other_instruction];
    const bool reads = s->action == HAUL_ACTION_READ || s->other_action == HAUL_ACTION_READ;
    s->is_warning = reads && all & SIM_USE_LOADS_VOLATILE && all & SIM_USE_STORES_VOLATILE;
    s->is_advice = !s->is_warning;
}

uint32_t sim_lanes_beside(const sim_visit *k, uint32_t writer, uint32_t lanes) {
    const uint32_t others = writer / SIM_LANES == k->actor ? lanes & ~(1u << writer % SIM_LANES) : lanes;
    return others ? others : lanes;
}

static sim_suspect suspect_of(const sim_visit *k, haul_finding_kind kind, uint32_t address, uint32_t bytes,
                              haul_action other_action, uint32_t other, uint32_t thread) {
    return (sim_suspect){.kind = kind,
                         .action = k->action,
                         .other_action = other_action,
                         .instruction = k->instruction,
                         .other_instruction = other,
                         .lanes = k->lanes ? sim_lanes_beside(k, thread, k->lanes) : 1u << k->lane,
                         .thread = thread,
                         .space = HAUL_SPACE_SHARED,
                         .address = address,
                         .bytes = bytes,
                         .is_warning = counts_on_lockstep(k, thread, other)};
}

sim_finding *sim_visit_report(const sim_visit *k, haul_finding_kind kind, uint32_t address, uint32_t bytes,
                              haul_action other_action, uint32_t other, uint32_t thread) {
    const sim_suspect s = suspect_of(k, kind, address, bytes, other_action, other, thread);
    return sim_hazard_report(k->w, &s);
}

/* Returns the kind of a write. Volatile stores and the like have the atomics' state. */
haul_action sim_cell_writer(const sim_visit *k, uint8_t state, uint32_t instruction) {
    if (state & SIM_CELL_ASYNC) return HAUL_ACTION_ASYNC_WRITE;
    const bool stores = sim_instruction_of(k->w, instruction)->op == PTX_OP_ST;
    return state & SIM_CELL_ATOMIC && !stores ? HAUL_ACTION_ATOMIC : HAUL_ACTION_WRITE;
}

/* Returns the text for a wait that completes a copy into shared memory. */
static const char *wait_for(const sim_visit *k, uint32_t instruction) {
    const ptx_function *f = k->w->sm->grid->program->function;
    if (sim_engine_use_of(&f->instructions[instruction]) != SIM_ENGINE_NONE)
        return "wait for the mbarrier that the copy completes on";
    for (size_t i = 0; i < f->instruction_count; i++)
        if (f->instructions[i].op == PTX_OP_CP_ASYNC_MBARRIER)
            return "wait of the thread that issued the copy, or for an mbarrier that it arrives on,";
    return "wait of the thread that issued the copy";
}

void sim_cell_report_arriving(const sim_visit *k, uint32_t address, uint32_t bytes, uint32_t instruction,
                              uint32_t thread) {
    sim_finding *f = sim_visit_report(k, HAUL_FINDING_ASYNC_READ_BEFORE_WAIT, address, bytes, HAUL_ACTION_ASYNC_WRITE,
                                      instruction, thread);
    if (f)
        sim_hazard_say(f, "no %s has covered it yet, so it may still be %s", wait_for(k, instruction),
                       k->action == HAUL_ACTION_READ ? "in flight" : "in flight and arrive later");
}

static void say_lockstep(const sim_visit *k, sim_finding *f, uint32_t thread) {
    sim_hazard_say(f, "lanes %u and %u of one warp: volatile does not order them, and they need not run in lockstep",
                   thread % SIM_LANES, k->lane);
}

/* True if the kernel has waits for mbarriers that may fail without its notice. */
static bool has_unseen_wait(const sim_visit *k) {
    const sim_grid *g = k->w->sm->grid;
    for (size_t i = 0; g->uses && i < g->program->function->instruction_count; i++)
        if (g->uses[i] & SIM_USE_UNSEEN) return true;
    return false;
}

/* A product is one operation of its warpgroup. PTX makes its executing threads meet by warps only, so the stores of
 * others need a barrier. */
void sim_visit_report_own_store(const sim_visit *k, uint32_t address, uint32_t bytes, const sim_cell *c) {
    const haul_action by = sim_cell_writer(k, c->state, c->instruction);
    sim_suspect s = suspect_of(k, HAUL_FINDING_RACE_SHARED, address, bytes, by, c->instruction, c->thread);
    s.is_advice = true;
    sim_finding *f = sim_hazard_report(k->w, &s);
    if (f)
        sim_hazard_say(f, "the thread has stored before its own warp issued the product, but only hardware promises "
                          "that no part of a product begins before all four warps have issued it: put a barrier of "
                          "the warpgroup between the two");
}

void sim_cell_report_writer(const sim_visit *k, uint32_t address, uint32_t bytes, const sim_cell *c, bool told) {
    const uint32_t instruction = c->instruction, thread = c->thread;
    const uint8_t state = c->state;
    const bool unwaited = sim_visit_is_engine(k, thread);
    if (sim_comes_before_product(k, c, k->d->now)) {
        sim_visit_report_own_store(k, address, bytes, c);
        return;
    }
    const haul_finding_kind kind = unwaited ? HAUL_FINDING_ASYNC_READ_BEFORE_WAIT : HAUL_FINDING_RACE_SHARED;
    sim_suspect s = suspect_of(k, kind, address, bytes, sim_cell_writer(k, state, instruction), instruction, thread);
    const bool by_chance = !told && is_left_to_chance(k, state, thread, instruction);
    if (by_chance) grade_chance(k, &s);
    const bool looks = sim_only_looks(k->w->sm->grid, k->instruction, instruction);
    s.is_advice |= looks;
    sim_finding *f = sim_hazard_report(k->w, &s);
    if (!f) return;
    if (looks) {
        sim_hazard_say(f, "%s", sim_look_first);
        return;
    }
    if (unwaited && k->b != k->w->block)
        sim_hazard_say(f,
                       "the bytes are those of block (%u,%u,%u) of the cluster: this thread has waited neither for the "
                       "mbarrier there that the copy completes on, nor for a thread that has",
                       k->b->at[0], k->b->at[1], k->b->at[2]);
    else if (unwaited)
        sim_hazard_say(f, "this thread has not waited for the mbarrier that the copy completes on%s",
                       has_unseen_wait(k) ? ": a try_wait whose failure changes nothing is no wait, as in a loop that "
                                            "gives up after some tries"
                                          : "");
    else if (state & SIM_CELL_ASYNC)
        sim_hazard_say(f, "the thread that issued the copy has waited for it, but no barrier orders that before this");
    else if (counts_on_lockstep(k, thread, instruction))
        say_lockstep(k, f, thread);
    else if (sim_may_lose_update(k->w->sm->grid, k->instruction, instruction))
        sim_hazard_say(f, "%s", sim_lost_update);
    else if (told)
        sim_hazard_say(f, "%s", sim_old_data);
    else if (by_chance)
        sim_hazard_say(f, "%s", sim_left_to_chance);
    else if (thread / SIM_LANES == k->actor)
        sim_hazard_say_lanes(f, thread % SIM_LANES, k->lane,
                             "and they need not run in lockstep (shuffles and votes order no memory accesses)");
    else if (is_elsewhere(k, thread))
        sim_hazard_say(f, "%s", two_blocks);
}

enum { MOST_BYTES = 64 };

/* Copies what the lane stores (operands: exec/ops/elements.h). Without rows or op->count the value is not known. */
static void value_of(const sim_visit *k, unsigned lane, unsigned char value[MOST_BYTES]) {
    const sim_op *op = k->op;
    const uint32_t *slots = k->w->sm->grid->program->pool + op->more;
    if (k->rows) memcpy(value, k->rows + lane * SIM_MATRIX_ROW, SIM_MATRIX_ROW);
    for (unsigned e = 0; !k->rows && e < op->count && (e + 1) << op->x <= MOST_BYTES; e++)
        memcpy(value + (e << op->x), SIM_SLOT(k->w, unsigned char, op->count == 1 ? op->d : slots[e]) + (lane << op->y),
               1u << op->x);
}

/* True if the lane stores the value that is there already, or that another lane stores at the same time. */
static bool is_same_value(const sim_visit *k, const sim_cell *c, uint32_t address, uint32_t bytes) {
    unsigned char mine[MOST_BYTES], theirs[MOST_BYTES];
    if (!k->op || !(k->rows || k->op->count) || k->action != HAUL_ACTION_WRITE || c->state & SIM_CELL_ASYNC)
        return false;
    const uint32_t offset = address - k->base, other = c->thread % SIM_LANES;
    value_of(k, k->lane, mine);
    const bool together = c->instruction == k->instruction && c->time == k->d->now &&
                          c->thread / SIM_LANES == k->actor && (k->active >> other & 1);
    if (!together) return memcmp(k->b->shared + address, mine + offset, bytes) == 0;
    value_of(k, other, theirs);
    return memcmp(theirs + offset, mine + offset, bytes) == 0;
}

/* True if both threads store the same tile, each its copy of it: one instruction, whose lanes store to several words.
 * Compilers lay data out so that several threads hold one element (Triton), and all of them store it. That is no
 * handwritten flag, and nobody could change it. */
static bool is_redundant(const sim_visit *k, const sim_cell *c) {
    if (c->instruction != k->instruction || !k->addresses || k->rows) return false;
    if (k->op->count > 1) return true;
    for (uint32_t left = k->active; left; left &= left - 1)
        if (k->addresses[__builtin_ctz(left)] != k->base) return true;
    return false;
}

/* True if the lane has read the word since its last write: it has seen the value that it overwrites. */
static bool has_read(const sim_visit *k, const sim_cell *c, uint32_t word) {
    const sim_read *plane = k->s->reads[k->actor];
    return c->readers >> k->actor % 32 & 1 && plane && plane[word].time >= k->d->start &&
           plane[word].lanes >> k->lane & 1;
}

void sim_cell_report_overwrite(const sim_visit *k, const sim_cell *c, uint32_t address, uint32_t bytes) {
    const bool same = is_same_value(k, c, address, bytes);
    if (same && is_redundant(k, c)) return;
    if (is_left_to_chance(k, c->state, c->thread, c->instruction) && (same || has_read(k, c, address / 4))) return;
    if (same)
        sim_visit_report(k, HAUL_FINDING_RACE_SAME_VALUE, address, bytes, sim_cell_writer(k, c->state, c->instruction),
                         c->instruction, c->thread);
    else
        sim_cell_report_writer(k, address, bytes, c, false);
}

/* True if both are plain stores of a thread's own value, which may be unused. */
static bool may_be_unused(const sim_visit *k, const sim_cell *c) {
    enum { OTHERS = SIM_CELL_ATOMIC | SIM_CELL_ASYNC | SIM_CELL_COPIED | SIM_CELL_ADDED };
    return k->op && k->action == HAUL_ACTION_WRITE && !k->strong && !(c->state & OTHERS) &&
           !sim_visit_is_engine(k, c->thread) && k->b == k->w->block;
}

bool sim_cell_overwrite(const sim_visit *k, const sim_cell *c, uint32_t word) {
    const sim_suspect s =
        suspect_of(k, HAUL_FINDING_RACE_SHARED, 4 * word, 4, HAUL_ACTION_WRITE, c->instruction, c->thread);
    if (may_be_unused(k, c) && !is_same_value(k, c, 4 * word, 4) && sim_contest_note(k, &s)) return true;
    sim_cell_report_overwrite(k, c, 4 * word, 4);
    return c->written & SIM_CELL_CONTESTED;
}

/* A wait for a product is one for the whole warpgroup's: kernels rely on it when one thread of a warpgroup hands a
 * stage back for all. PTX speaks of the executing threads only. So a warp that itself writes at once what the others'
 * parts read gets advice. */
void sim_cell_report_own_wait(const sim_visit *k, uint32_t address, uint32_t bytes, uint32_t instruction,
                              uint32_t thread) {
    sim_suspect s = suspect_of(k, HAUL_FINDING_RACE_SHARED, address, bytes, HAUL_ACTION_READ, instruction, thread);
    s.is_advice = true;
    sim_finding *f = sim_hazard_report(k->w, &s);
    if (f)
        sim_hazard_say(f, "the warp has waited for the product, but only hardware promises that the parts of its "
                          "warpgroup's other warps are over, too: put a barrier of the warpgroup behind the wait");
}

void sim_cell_report_reader(const sim_visit *k, uint32_t address, uint32_t bytes, uint32_t instruction,
                            uint32_t thread) {
    if (sim_has_yet_to_wait(k, instruction)) {
        sim_visit_report(k, HAUL_FINDING_ASYNC_SOURCE_OVERWRITTEN, address, bytes, HAUL_ACTION_ASYNC_READ, instruction,
                         thread);
        return;
    }
    const bool is_store = sim_instruction_of(k->w, instruction)->op == PTX_OP_ST; /* keep_hidden() */
    sim_suspect s = suspect_of(k, HAUL_FINDING_RACE_SHARED, address, bytes,
                               is_store ? HAUL_ACTION_WRITE : HAUL_ACTION_READ, instruction, thread);
    const uint16_t *uses = k->w->sm->grid->uses;
    const bool is_volatile = uses && uses[instruction] & SIM_USE_LOADS_VOLATILE;
    const bool by_chance = is_volatile && is_left_to_chance(k, SIM_CELL_ATOMIC, thread, instruction);
    if (by_chance) grade_chance(k, &s);
    const bool looks = sim_only_looks(k->w->sm->grid, k->instruction, instruction);
    s.is_advice |= looks;
    sim_finding *f = sim_hazard_report(k->w, &s);
    if (f && looks)
        sim_hazard_say(f, "%s", sim_look_first);
    else if (f && by_chance)
        sim_hazard_say(f, "%s", sim_left_to_chance);
    else if (f && counts_on_lockstep(k, thread, instruction))
        say_lockstep(k, f, thread);
    else if (f && sim_may_lose_update(k->w->sm->grid, k->instruction, instruction))
        sim_hazard_say(f, "%s", sim_lost_update);
    else if (f && k->action == HAUL_ACTION_ASYNC_WRITE)
        sim_hazard_say(f, "the copy may overwrite the bytes before the other thread has read them");
    else if (f && !k->op)
        sim_hazard_say(f, "the reduction may add to the bytes before the other thread has read them");
    else if (f && is_elsewhere(k, thread))
        sim_hazard_say(f, "%s", two_blocks);
}

/* Returns the store of the block that has put uninitialised values there or nearby, + 1; 0 if there is none. */
static uint32_t unwritten_by(const sim_visit *k, uint32_t address) {
    const sim_unwritten *u = &k->s->unwritten;
    const bool holds = u->end && u->time >= k->d->start && address >= u->first && address < u->end;
    return holds ? u->instruction + 1 : 0;
}

void sim_cell_report_uninitialised(const sim_visit *k, uint32_t lanes, uint32_t address, uint32_t bytes) {
    if (k->unwritten) {
        *k->unwritten |= (uint16_t)(((1u << bytes) - 1) << (address - k->base));
        return;
    }
    if (k->op && k->action == HAUL_ACTION_READ) {
        const uint32_t from = address - k->base, element = from >> k->op->x;
        const uint64_t bits = bytes < 8 ? (1ull << (8 * bytes)) - 1 : UINT64_MAX;
        sim_taint_loaded(k->w, element,
                         &(sim_taint){.lanes = lanes,
                                      .bits = bits << (8 * (from - (element << k->op->x)) % 64),
                                      .instruction = k->instruction,
                                      .bytes = bytes,
                                      .address = address,
                                      .stored_by = unwritten_by(k, address),
                                      .space = HAUL_SPACE_SHARED,
                                      .lane = (uint8_t)__builtin_ctz(lanes)});
        return;
    }
    sim_visit_report(k, HAUL_FINDING_UNINITIALISED_READ, address, bytes, HAUL_ACTION_NONE, 0, SIM_NO_THREAD);
}
