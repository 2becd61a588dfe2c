/* Uses of an instruction's result that decide what the instruction means.
 *
 * Volatile accesses do not race with each other, since flags are made of them. But a lane may store what another lane
 * of its warp loads a few instructions later, and rely on lockstep. Such loads return data: the value is stored again,
 * and no loop waits for it. Nor do volatile or relaxed accesses make `*sum = *sum + x` one step: a lock without fences
 * does not protect it. Which of two unordered volatile stores of data comes last is left to chance, too, and so is what
 * an unordered load of data finds; words that loops wait for are no data. A try_wait whose result nobody tests, or that
 * gives up after some tries, is no wait. A load whose value a compare-and-swap checks may be wrong without harm. */
#include "base/memory.h"
#include "base/search.h"
#include "base/status.h"
#include "check/give_up.h"
#include "check/internal.h"
#include "check/look_first.h"
#include "check/volatile_use.h"
#include "ptx/liveness.h"
#include "ptx/register_list.h"
#include "ptx/traits.h"
#include "state/program.h"

enum { MOST_POLLED = 64 };

/* Where values flow, whatever path control takes. */
typedef struct flow {
    const ptx_function *function;
    ptx_users readers, writers;
    const uint32_t *component; /* by block (ptx/components.h) */
    const bool *looping;
    ptx_register_list stored;  /* a value computed from them is stored */
    ptx_register_list guards;  /* a value computed from them guards an instruction */
    ptx_register_list value;   /* the value at hand may have flowed into them, or come from them */
    ptx_register_list changed; /* such a value, changed */
    ptx_liveness live;
    arena *memory;
    sim_peeks *peeks;
    const ptx_operand *polled[MOST_POLLED]; /* addresses of words that loops wait for */
    unsigned polled_count;
} flow;

static bool is_volatile(const ptx_instruction *i, unsigned op) {
    return i->op == op && i->mods[PTX_SLOT_ORDER] == PTX_MOD_VOLATILE;
}

static bool is_branch(const ptx_instruction *i) {
    return ptx_is(i->op, PTX_KIND_BRANCH);
}

/* ---- values that are stored, found backwards from the stores ---- */

/* Adds all registers from which the listed ones are computed. */
static void trace_back(const flow *x, ptx_register_list *list) {
    for (uint32_t next = 0; next < list->count; next++) {
        const uint32_t reg = list->registers[next];
        for (uint32_t k = x->writers.first[reg]; k < x->writers.first[reg + 1]; k++)
            ptx_list_sources(list, &x->function->instructions[x->writers.instructions[k]]);
    }
}

static void find_stored(flow *x) {
    const ptx_function *f = x->function;
    for (size_t i = 0; i < f->instruction_count; i++) {
        const ptx_instruction *at = &f->instructions[i];
        if (!ptx_is(at->op, PTX_KIND_STORE | PTX_KIND_ATOMIC | PTX_KIND_REDUCTION)) continue;
        ptx_instruction unguarded = *at;
        unguarded.guarded = false;
        ptx_list_sources(&x->stored, &unguarded);
    }
    trace_back(x, &x->stored);
}

static void find_guards(flow *x) {
    const ptx_function *f = x->function;
    for (size_t i = 0; i < f->instruction_count; i++)
        if (f->instructions[i].guarded) ptx_list_register(&x->guards, f->instructions[i].guard);
    trace_back(x, &x->guards);
}

typedef struct result_search {
    const ptx_register_list *list;
    bool found;
} result_search;

static void note_result(void *context, uint32_t reg, bool writes) {
    result_search *s = context;
    s->found |= writes && ptx_is_listed(s->list, reg);
}

static bool results_are_in(const ptx_register_list *list, const ptx_instruction *i) {
    result_search s = {.list = list};
    ptx_visit_registers(i, note_result, &s);
    return s.found;
}

/* ---- loops that a value controls ---- */

static bool may_control_loop(const flow *x, uint32_t instruction, uint32_t load_block) {
    const ptx_function *f = x->function;
    const uint32_t b = ptx_block_of(f, instruction);
    return is_branch(&f->instructions[instruction]) && f->blocks[b].end == instruction + 1 &&
           x->component[b] == x->component[load_block] && (b != load_block || ptx_repeats(f, load_block));
}

/* True if the value may decide whether a loop that contains the load goes on. */
static bool is_waited_for(flow *x, const ptx_instruction *load, uint32_t block) {
    if (!x->looping[block]) return false;
    ptx_register_list_clear(&x->value);
    ptx_list_results(&x->value, load);
    for (uint32_t next = 0; next < x->value.count; next++) {
        const uint32_t reg = x->value.registers[next];
        for (uint32_t k = x->readers.first[reg]; k < x->readers.first[reg + 1]; k++) {
            const uint32_t i = x->readers.instructions[k];
            if (may_control_loop(x, i, block)) return true;
            ptx_list_results(&x->value, &x->function->instructions[i]);
        }
    }
    return false;
}

/* ---- waits ---- */

static bool is_wait(const ptx_instruction *i) {
    return ptx_is(i->op, PTX_KIND_MBARRIER_WAIT);
}

/* True if the wait's result decides anything; mostly it guards an instruction close by. */
static bool is_tested(const flow *x, uint32_t wait) {
    enum { NEAR = 4 };
    const ptx_function *f = x->function;
    const ptx_instruction *at = &f->instructions[wait];
    for (uint32_t i = wait + 1; i < wait + NEAR && i < f->instruction_count; i++)
        if (f->instructions[i].guarded && at->operands[0].kind == PTX_REGISTER &&
            f->instructions[i].guard == at->operands[0].reg)
            return true;
    return results_are_in(&x->guards, at) || results_are_in(&x->stored, at);
}

/* True if the next instruction goes back to the wait's own block if it has failed, as most loops do. */
static bool is_tight_loop(const flow *x, uint32_t wait) {
    const ptx_function *f = x->function;
    const ptx_block *b = &f->blocks[ptx_block_of(f, wait)];
    const ptx_instruction *next = &f->instructions[wait + 1];
    return b->end == wait + 2 && is_branch(next) && next->guarded && next->guard_negated &&
           next->guard == f->instructions[wait].operands[0].reg && b->taken == ptx_block_of(f, wait);
}

static void add_peek(sim_peeks *p, uint32_t wait, const bool *behind, size_t blocks) {
    if (p->count == SIM_PEEKS) return;
    for (size_t b = 0; b < blocks; b++) p->behind[b] |= (uint8_t)(behind[b] << p->count);
    p->waits[p->count++] = wait;
}

static const ptx_liveness *liveness_of(flow *x) {
    if (!x->live.first) ptx_liveness_compute(x->function, x->memory, &x->live);
    return &x->live;
}

/* True if the wait may fail without the program's notice. */
static bool is_passed_over(flow *x, uint32_t wait) {
    if (is_tight_loop(x, wait)) return false;
    bool *behind = ARENA_ARRAY(x->memory, x->function->block_count, bool);
    if (!sim_may_give_up(x->function, liveness_of(x), wait, x->memory, behind)) return false;
    add_peek(x->peeks, wait, behind, x->function->block_count);
    return true;
}

/* ---- expected values of compare-and-swaps ---- */

bool sim_is_compare_and_swap(const ptx_instruction *i) {
    return i->op == PTX_OP_ATOM && i->mods[PTX_SLOT_ATOMIC] == PTX_MOD_ATOM_CAS;
}

bool sim_is_update(const ptx_instruction *i) {
    if (!ptx_is(i->op, PTX_KIND_ATOMIC | PTX_KIND_REDUCTION)) return false;
    switch (i->mods[PTX_SLOT_ATOMIC]) {
    case PTX_MOD_ATOM_EXCH:
    case PTX_MOD_ATOM_CAS:
    case PTX_MOD_ATOM_AND:
    case PTX_MOD_ATOM_OR: return false;
    default: return true;
    }
}

static void list_operand(flow *x, const ptx_operand *o) {
    if (o->kind == PTX_REGISTER) ptx_list_register(&x->value, o->reg);
}

/* Returns the variable through which a call's argument or result is passed: in unoptimised code atomicCAS() is a call.
 * Returns NULL if the instruction accesses other memory. */
static const ptx_variable *handed_over_in(const ptx_instruction *i, unsigned memory) {
    const ptx_operand *o = &i->operands[memory];
    if (o->kind != PTX_MEMORY || o->parts[0].kind != PTX_VARIABLE_ADDRESS) return NULL;
    return o->parts[0].variable->space == PTX_SPACE_PARAM ? o->parts[0].variable : NULL;
}

static void list_handed_over(flow *x, const ptx_variable *v) {
    const ptx_function *f = x->function;
    for (size_t i = 0; i < f->instruction_count; i++)
        if (f->instructions[i].op == PTX_OP_ST && handed_over_in(&f->instructions[i], 0) == v)
            list_operand(x, &f->instructions[i].operands[1]);
}

/* A compare-and-swap loop begins with an ordinary load of the current value. If that is wrong, the swap fails. */
static void mark_guesses(flow *x, const ptx_instruction *swap, uint16_t *table) {
    ptx_register_list_clear(&x->value);
    list_operand(x, &swap->operands[2]);
    for (uint32_t next = 0; next < x->value.count; next++) {
        const uint32_t reg = x->value.registers[next];
        for (uint32_t k = x->writers.first[reg]; k < x->writers.first[reg + 1]; k++) {
            const uint32_t i = x->writers.instructions[k];
            const ptx_instruction *at = &x->function->instructions[i];
            if (at->op == PTX_OP_MOV) list_operand(x, &at->operands[1]);
            const ptx_variable *handed_over = at->op == PTX_OP_LD ? handed_over_in(at, 1) : NULL;
            if (handed_over) list_handed_over(x, handed_over);
            if (at->op == PTX_OP_LD && !handed_over && !is_volatile(at, PTX_OP_LD)) table[i] |= SIM_USE_GUESSES;
        }
    }
}

/* ---- updates in two steps ---- */

bool sim_is_strong(const ptx_instruction *i, unsigned op) {
    const unsigned order = i->mods[PTX_SLOT_ORDER];
    return i->op == op && order != PTX_MOD_NONE && order != PTX_MOD_WEAK;
}

bool sim_is_same_word(const ptx_operand *a, const ptx_operand *b) {
    if (a->kind != PTX_MEMORY || b->kind != PTX_MEMORY || a->offset != b->offset) return false;
    const ptx_operand *from = &a->parts[0], *to = &b->parts[0];
    if (from->kind != to->kind) return false;
    return from->kind == PTX_REGISTER ? from->reg == to->reg
                                      : from->kind == PTX_VARIABLE_ADDRESS && from->variable == to->variable;
}

static bool is_polled(const flow *x, const ptx_operand *address) {
    for (unsigned k = 0; k < x->polled_count; k++)
        if (sim_is_same_word(x->polled[k], address)) return true;
    return false;
}

/* Lists the words that loops wait for. A kernel has few; further ones are left out. */
static void find_polled(flow *x) {
    const ptx_function *f = x->function;
    for (uint32_t b = 0; b < f->block_count; b++)
        for (uint32_t i = f->blocks[b].first; x->looping[b] && i < f->blocks[b].end; i++) {
            const ptx_instruction *at = &f->instructions[i];
            if (x->polled_count == MOST_POLLED) return;
            if (sim_is_strong(at, PTX_OP_LD) && !is_polled(x, &at->operands[1]) && is_waited_for(x, at, b))
                x->polled[x->polled_count++] = &at->operands[1];
        }
}

enum { MOST_STORES = 8 };

/* The uses of a loaded value, in search of stores at its address. An update has few; only the first are followed, since
 * a kernel may have many loads. */
typedef struct update {
    uint32_t load;
    bool any; /* all instructions change the value; else additions and the like */
    unsigned uses, count;
    uint32_t stores[MOST_STORES];
} update;

static uint32_t first_reader_behind(const flow *x, uint32_t reg, uint32_t instruction) {
    const uint32_t *readers = x->readers.instructions + x->readers.first[reg];
    size_t at;
    SEARCH_FIRST(at, x->readers.first[reg + 1] - x->readers.first[reg], k, readers[k] <= instruction);
    return x->readers.first[reg] + (uint32_t)at;
}

/* Follows what the instructions behind the load do with the register's value, changed already or not. */
static void follow_value(flow *x, update *u, uint32_t reg, bool is_changed) {
    enum { MOST_USES = 256 };
    const ptx_instruction *instructions = x->function->instructions;
    const uint32_t end = x->readers.first[reg + 1];
    for (uint32_t k = first_reader_behind(x, reg, u->load); k < end; k++, u->uses++) {
        if (u->uses == MOST_USES || u->count == MOST_STORES) return;
        const ptx_instruction *i = &instructions[x->readers.instructions[k]];
        if (u->any || ptx_has(i->op, PTX_TRAIT_CHANGES)) ptx_list_results(&x->changed, i);
        if (is_changed && sim_is_strong(i, PTX_OP_ST) &&
            sim_is_same_word(&instructions[u->load].operands[1], &i->operands[0]))
            u->stores[u->count++] = x->readers.instructions[k];
    }
}

/* Finds the stores, at the load's address and behind it, of values computed from the loaded one. */
static void find_update(flow *x, update *u) {
    ptx_register_list_clear(&x->value);
    ptx_register_list_clear(&x->changed);
    ptx_list_results(&x->value, &x->function->instructions[u->load]);
    for (uint32_t next = 0; next < x->value.count; next++) follow_value(x, u, x->value.registers[next], false);
    for (uint32_t next = 0; next < x->changed.count; next++) follow_value(x, u, x->changed.registers[next], true);
}

static void mark_both(const update *u, uint16_t use, uint16_t *table) {
    if (u->count) table[u->load] |= use;
    for (unsigned k = 0; k < u->count; k++) table[u->stores[k]] |= use;
}

/* Marks a load and the stores that make an update with it. Words that a loop polls are left out: they are no data, and
 * threads that hand a turn on store its next value. */
static void mark_update(flow *x, uint32_t load, uint16_t *table) {
    update u = {.load = load};
    find_update(x, &u);
    if (!is_polled(x, &x->function->instructions[load].operands[1])) mark_both(&u, SIM_USE_UPDATES, table);
}

/* Marks a load of the word's last value, and the stores of the next one: a minimum, say, that threads look for again
 * and again. Such threads see each other's values or do not; that is no news to them. */
static void mark_look(flow *x, uint32_t load, uint16_t *table) {
    update u = {.load = load, .any = true};
    find_update(x, &u);
    mark_both(&u, SIM_USE_EXEMPT, table);
}

/* ---- the table ---- */

static void find_in_block(flow *x, uint32_t block, uint16_t *table) {
    const ptx_block *b = &x->function->blocks[block];
    for (uint32_t i = b->first; i < b->end; i++) {
        const ptx_instruction *at = &x->function->instructions[i];
        if (is_volatile(at, PTX_OP_ST)) table[i] |= SIM_USE_STORES_VOLATILE;
        if (sim_is_strong(at, PTX_OP_ST) && is_polled(x, &at->operands[0])) table[i] |= SIM_USE_EXEMPT;
        if (is_volatile(at, PTX_OP_LD) && results_are_in(&x->stored, at) && !is_waited_for(x, at, block))
            table[i] |= SIM_USE_LOADS_VOLATILE;
        if (is_volatile(at, PTX_OP_LD)) mark_look(x, i, table);
        if (sim_is_strong(at, PTX_OP_LD)) mark_update(x, i, table);
        if ((sim_is_strong(at, PTX_OP_LD) || ptx_is(at->op, PTX_KIND_ATOMIC)) && is_waited_for(x, at, block))
            table[i] |= SIM_USE_WAITS;
        if (is_wait(at) && (!is_tested(x, i) || is_passed_over(x, i))) table[i] |= SIM_USE_UNSEEN;
        if (sim_is_compare_and_swap(at)) mark_guesses(x, at, table);
    }
}

static bool waits_in(const flow *x, uint32_t component, const uint16_t *table) {
    for (uint32_t b = 0; b < x->function->block_count; b++)
        for (uint32_t i = x->function->blocks[b].first; x->component[b] == component && i < x->function->blocks[b].end;
             i++)
            if (table[i] & SIM_USE_WAITS) return true;
    return false;
}

/* Loads of data in a loop that waits for a word may be repeated, as those of a version counter's reader. */
static void exempt_repeated(const flow *x, uint16_t *table) {
    uint32_t last = PTX_NO_BLOCK;
    bool waits = false;
    for (uint32_t b = 0; b < x->function->block_count; b++)
        for (uint32_t i = x->function->blocks[b].first; x->looping[b] && i < x->function->blocks[b].end; i++) {
            if (!(table[i] & SIM_USE_LOADS_VOLATILE)) continue;
            if (last != x->component[b]) waits = waits_in(x, x->component[b], table);
            last = x->component[b];
            if (waits) table[i] |= SIM_USE_EXEMPT;
        }
}

/* Marks the writes that may tell a waiting thread of volatile data. */
static void mark_telling(const ptx_function *f, uint16_t *table) {
    uint16_t all = 0;
    for (size_t i = 0; i < f->instruction_count; i++) all |= table[i];
    if (!(all & SIM_USE_WAITS) || !(all & SIM_USE_LOADS_VOLATILE)) return;
    for (size_t i = 0; i < f->instruction_count; i++)
        if (table[i] & SIM_USE_STORES_VOLATILE || ptx_is(f->instructions[i].op, PTX_KIND_ATOMIC | PTX_KIND_REDUCTION))
            table[i] |= SIM_USE_TELLS;
}

/* True if the function has instructions that the table describes. */
bool sim_uses_matter(const ptx_function *f) {
    bool stores = false, loads = false, others = false;
    for (size_t i = 0; i < f->instruction_count; i++) {
        stores |= sim_is_strong(&f->instructions[i], PTX_OP_ST);
        loads |= sim_is_strong(&f->instructions[i], PTX_OP_LD);
        others |= is_wait(&f->instructions[i]) || sim_is_compare_and_swap(&f->instructions[i]);
    }
    return others || stores || loads || sim_may_look_first(f);
}

static void find_all(const sim_loops *loops, arena *memory, uint16_t *table, sim_peeks *peeks) {
    const ptx_function *f = loops->function;
    flow x = {.function = f,
              .readers = loops->readers,
              .writers = loops->writers,
              .component = loops->component,
              .looping = loops->looping,
              .memory = memory,
              .peeks = peeks,
              .stored = ptx_register_list_make(f, memory),
              .guards = ptx_register_list_make(f, memory),
              .value = ptx_register_list_make(f, memory),
              .changed = ptx_register_list_make(f, memory)};
    find_stored(&x);
    find_guards(&x);
    find_polled(&x);
    for (uint32_t b = 0; b < f->block_count; b++) find_in_block(&x, b, table);
    exempt_repeated(&x, table);
    mark_telling(f, table);
    if (sim_may_look_first(f)) sim_looks_mark(loops, liveness_of(&x), memory, table);
}

/* A volatile store may meet an atomic operation that no loop waits for: `*word = 2` beside atomicExch(word, 1). */
static bool is_plain_atomic(const sim_grid *g, uint32_t instruction) {
    const unsigned op = g->program->function->instructions[instruction].op;
    return ptx_is(op, PTX_KIND_ATOMIC | PTX_KIND_REDUCTION) && !(g->uses[instruction] & SIM_USE_WAITS);
}

bool sim_is_left_to_chance(const sim_grid *g, uint32_t a, uint32_t b) {
    enum { DATA = SIM_USE_STORES_VOLATILE | SIM_USE_LOADS_VOLATILE };
    const uint16_t first = g->uses ? g->uses[a] : 0, second = g->uses ? g->uses[b] : 0;
    if (!((first | second) & SIM_USE_STORES_VOLATILE) || (first | second) & SIM_USE_EXEMPT) return false;
    if (first & DATA && second & DATA) return true;
    return first & SIM_USE_STORES_VOLATILE ? is_plain_atomic(g, b) : is_plain_atomic(g, a);
}

haul_status sim_uses_find(const sim_loops *loops, arena *memory, uint16_t **table, sim_peeks **peeks) {
    *table = memory_zeroed(loops->function->instruction_count, sizeof **table);
    *peeks = memory_zeroed(1, sizeof **peeks + loops->function->block_count);
    if (!*table || !*peeks) return haul_no_memory("the launch's checks");
    find_all(loops, memory, *table, *peeks);
    if ((*peeks)->count) return HAUL_OK;
    memory_free(*peeks);
    *peeks = NULL;
    return HAUL_OK;
}
