/* Finds loops that ptxas unrolls by four.
 *
 * The rules were read off ptxas 13.0's machine code for sm_90 of some 400 small loops (docs/memory-model.md). Such a
 * loop has a counter that changes by a constant in its last block, a test against a bound that does not change, paths
 * that only lead forward, at least one access, and little weight. Weights are about the number of machine
 * instructions. */
#include "assembler/loop.h"

#include "ptx/traits.h"

/* The most weight of an iteration, including test and branch; and the weight of instructions that are never
 * unrolled. */
enum { MOST_WEIGHT = 49, NEVER = 1000 };

/* ---- steps and tests ---- */

/* Returns the constant that the instruction adds to `reg`, wherever the sum goes. */
static int64_t sum_with(const ptx_instruction *i, uint32_t reg) {
    const bool adds = i->op == PTX_OP_ADD, subtracts = i->op == PTX_OP_SUB;
    if (!(adds || subtracts) || i->guarded || i->mods[PTX_SLOT_SAT]) return 0;
    if (i->operands[1].kind != PTX_REGISTER || i->operands[1].reg != reg || i->operands[2].kind != PTX_INTEGER)
        return 0;
    int64_t step = (int64_t)i->operands[2].bits;
    if (ptx_bits(i->type) == 32) step = (int32_t)step;
    if (ptx_bits(i->type) < 32 || step > INT32_MAX || step < -INT32_MAX) return 0;
    return adds ? step : -step;
}

int64_t sim_step_of(const ptx_instruction *i, uint32_t reg) {
    if (!i->operand_count || i->operands[0].kind != PTX_REGISTER || i->operands[0].reg != reg) return 0;
    return sum_with(i, reg);
}

typedef struct write_search {
    uint32_t reg;
    unsigned writes;
} write_search;

static void look_for_write(void *context, uint32_t reg, bool writes) {
    write_search *search = context;
    search->writes += writes && reg == search->reg;
}

unsigned sim_writes_between(const ptx_function *f, uint32_t begin, uint32_t end, uint32_t reg) {
    write_search search = {.reg = reg};
    for (uint32_t i = begin; i < end; i++) ptx_visit_registers(&f->instructions[i], look_for_write, &search);
    return search.writes;
}

/* Returns signed and unsigned comparisons as one, as seen from the right operand if `turned`. */
static unsigned plain_compare(unsigned compare, bool turned) {
    switch (compare) {
    case PTX_MOD_NE: return PTX_MOD_NE;
    case PTX_MOD_LT:
    case PTX_MOD_CMP_LO: return turned ? PTX_MOD_GT : PTX_MOD_LT;
    case PTX_MOD_LE:
    case PTX_MOD_LS: return turned ? PTX_MOD_GE : PTX_MOD_LE;
    case PTX_MOD_GT:
    case PTX_MOD_CMP_HI: return turned ? PTX_MOD_LT : PTX_MOD_GT;
    case PTX_MOD_GE:
    case PTX_MOD_HS: return turned ? PTX_MOD_LE : PTX_MOD_GE;
    default: return PTX_MOD_NONE;
    }
}

/* Comparisons of untyped and unsigned integers, and those that name it. */
static bool is_unsigned_compare(const ptx_instruction *test) {
    switch (test->mods[PTX_SLOT_COMPARE]) {
    case PTX_MOD_CMP_LO:
    case PTX_MOD_LS:
    case PTX_MOD_CMP_HI:
    case PTX_MOD_HS: return true;
    default: return ptx_types[test->type].kind != 'S';
    }
}

/* Whether the counter moves towards its bound. */
static bool goes_towards(const sim_loop *loop) {
    const bool up = loop->compare == PTX_MOD_LT || loop->compare == PTX_MOD_LE;
    const bool down = loop->compare == PTX_MOD_GT || loop->compare == PTX_MOD_GE;
    return loop->compare == PTX_MOD_NE || (up && loop->step > 0) || (down && loop->step < 0);
}

/* Whether the operand does not change in the loop. */
static bool is_fixed(const ptx_function *f, const sim_loop *loop, const ptx_operand *o) {
    if (o->kind == PTX_INTEGER) return true;
    return o->kind == PTX_REGISTER && sim_writes_between(f, loop->begin, loop->end, o->reg) == 0;
}

/* The counter must change in the loop's last block, before the test. */
static bool counts_with(const ptx_function *f, sim_loop *loop, const ptx_operand *counter, const ptx_operand *bound) {
    if (counter->kind != PTX_REGISTER || !is_fixed(f, loop, bound)) return false;
    if (sim_writes_between(f, loop->begin, loop->end, counter->reg) != 1) return false;
    for (loop->step_at = f->blocks[loop->last].first; loop->step_at < loop->test; loop->step_at++) {
        loop->step = sim_step_of(&f->instructions[loop->step_at], counter->reg);
        if (!loop->step) continue;
        loop->counter = counter->reg;
        loop->bound = bound;
        return true;
    }
    return false;
}

/* Finds the comparison that the loop's branch depends on; either side may be the counter. */
static bool find_test(const ptx_function *f, sim_loop *loop) {
    const ptx_instruction *branch = &f->instructions[loop->end - 1];
    if (branch->guard_negated || sim_writes_between(f, loop->begin, loop->end, branch->guard) != 1) return false;
    for (loop->test = loop->end - 1; loop->test-- > f->blocks[loop->last].first;) {
        const ptx_instruction *i = &f->instructions[loop->test];
        if (i->op != PTX_OP_SETP || i->guarded || i->operands[0].kind != PTX_REGISTER) continue;
        if (i->operands[0].reg != branch->guard) continue;
        loop->type = i->type;
        loop->is_unsigned = is_unsigned_compare(i);
        if (ptx_types[i->type].kind == 'F' || ptx_bits(i->type) < 32) return false;
        loop->compare = plain_compare(i->mods[PTX_SLOT_COMPARE], false);
        if (counts_with(f, loop, &i->operands[1], &i->operands[2])) return goes_towards(loop);
        loop->compare = plain_compare(i->mods[PTX_SLOT_COMPARE], true);
        return counts_with(f, loop, &i->operands[2], &i->operands[1]) && goes_towards(loop);
    }
    return false;
}

/* ---- paths ---- */

static bool leads_forward(const sim_loop *loop, uint32_t from, uint32_t to) {
    return to == PTX_NO_BLOCK || (to > from && to <= loop->last);
}

/* Returns whether a branch table outside of the loop leads to its start. */
static bool begins_by_table(const sim_loops *loops, const sim_loop *loop) {
    const ptx_predecessors *above = loops->above;
    uint32_t same = 0; /* edges of one block so far */
    for (uint32_t k = above->first[loop->first]; k < above->first[loop->first + 1]; k++) {
        const uint32_t from = above->blocks[k];
        const ptx_block *block = &loops->function->blocks[from];
        const uint32_t plain = (uint32_t)(block->next == loop->first) + (block->taken == loop->first);
        same = k > above->first[loop->first] && above->blocks[k - 1] == from ? same + 1 : 1;
        if ((from < loop->first || from > loop->last) && same > plain) return true;
    }
    return false;
}

/* Returns whether paths within the loop lead forward only and enter it only at its start. */
static bool is_simple(const sim_loops *loops, const sim_loop *loop) {
    const ptx_function *f = loops->function;
    const ptx_predecessors *above = loops->above;
    for (uint32_t b = loop->first; b < loop->last; b++) {
        const ptx_block *block = &f->blocks[b];
        if (block->next == PTX_NO_BLOCK || block->table_count) return false;
        if (!(leads_forward(loop, b, block->next) && leads_forward(loop, b, block->taken))) return false;
    }
    for (uint32_t k = above->first[loop->first + 1]; k < above->first[loop->last + 1]; k++)
        if (above->blocks[k] < loop->first || above->blocks[k] > loop->last) return false;
    return !begins_by_table(loops, loop) && f->blocks[loop->last].next == loop->last + 1;
}

/* ---- weights ---- */

static bool divides_by_constant(const ptx_instruction *i) {
    return i->operands[2].kind == PTX_INTEGER;
}

/* Divisions by a constant become a multiplication and corrections. */
static unsigned division_weight(const ptx_instruction *i) {
    if (ptx_bits(i->type) != 32) return NEVER;
    const bool is_signed = ptx_is_signed(i->type), constant = divides_by_constant(i);
    if (i->op == PTX_OP_DIV) return is_signed ? (constant ? 23 : 27) : (constant ? 18 : 21);
    return is_signed ? (constant ? 20 : 24) : (constant ? 16 : 19);
}

/* Approximations that keep subnormal numbers need a comparison and two products in addition. */
static unsigned approximation_weight(const ptx_instruction *i, unsigned kept) {
    if (ptx_bits(i->type) == 64) return NEVER;
    return i->mods[PTX_SLOT_FTZ] ? 1 : kept;
}

/* Operations with more or less than one machine instruction. */
static const struct {
    uint16_t op;
    uint8_t weight;
} weights[] = {{PTX_OP_FNEG, 0}, {PTX_OP_FABS, 0}, {PTX_OP_BFE, 2}, {PTX_OP_CLZ, 2}, {PTX_OP_MAD_WIDE, 4}};

static unsigned quotient_weight(const ptx_instruction *i) {
    if (i->mods[PTX_SLOT_PRECISION] == PTX_MOD_FULL) return i->mods[PTX_SLOT_FTZ] ? 8 : 12;
    return i->mods[PTX_SLOT_FTZ] ? 2 : 7;
}

static unsigned arithmetic_weight(const ptx_instruction *i) {
    if (ptx_has(i->op, PTX_TRAIT_CALLED)) return NEVER;
    if (ptx_has(i->op, PTX_TRAIT_DIVIDES)) return division_weight(i);
    if (ptx_has(i->op, PTX_TRAIT_MOVES)) return i->op == PTX_OP_MOV && i->operands[1].kind == PTX_SPECIAL_REGISTER;
    if (i->op == PTX_OP_FDIV_APPROX) return quotient_weight(i);
    if (i->op == PTX_OP_RCP_APPROX) return approximation_weight(i, 7);
    if (ptx_has(i->op, PTX_TRAIT_SCALES)) return approximation_weight(i, 6);
    for (size_t k = 0; k < sizeof weights / sizeof *weights; k++)
        if (weights[k].op == i->op) return weights[k].weight;
    return 1;
}

/* An offset is a sum. */
static unsigned access_weight(const ptx_instruction *i) {
    const ptx_operand *address = &i->operands[i->op == PTX_OP_LD];
    return 1 + (address->offset != 0);
}

static unsigned weight_of(const ptx_instruction *i) {
    if (i->op == PTX_OP_LD || i->op == PTX_OP_ST) return access_weight(i);
    if (i->op == PTX_OP_BRA || i->op == PTX_OP_PREFETCH) return 1;
    if (i->op == PTX_OP_CP_ASYNC) return 2;
    return ptx_is_pure(i->op) ? arithmetic_weight(i) : NEVER;
}

/* ---- memory ---- */

static bool in_shared(const ptx_instruction *i) {
    unsigned space = i->mods[PTX_SLOT_SPACE];
    return space == PTX_MOD_SHARED || space == PTX_MOD_SHARED_CTA;
}

static bool is_access(const ptx_instruction *i) {
    unsigned space = i->mods[PTX_SLOT_SPACE];
    if (i->op == PTX_OP_ST || i->op == PTX_OP_CP_ASYNC) return true;
    return i->op == PTX_OP_LD && space != PTX_MOD_PARAM && space != PTX_MOD_PARAM_ENTRY && space != PTX_MOD_CONST;
}

/* Loops without accesses are not unrolled, or it does not matter for the counters. */
static bool has_accesses(const ptx_function *f, const sim_loop *loop) {
    for (uint32_t k = loop->begin; k < loop->end; k++)
        if (is_access(&f->instructions[k])) return true;
    return false;
}

/* Returns whether a load of the loop may read what the store writes, other than at the store's own address. */
static bool may_read(const ptx_instruction *load, const ptx_instruction *store) {
    if (load->op != PTX_OP_LD || !is_access(load) || in_shared(load) != in_shared(store)) return false;
    const ptx_operand *to = &store->operands[0], *from = &load->operands[1];
    return from->parts[0].kind != PTX_REGISTER || from->parts[0].reg != to->parts[0].reg || from->offset != to->offset;
}

/* Returns the constant by which the register moves in an iteration, if it does so through a copy: `next = reg + step`,
 * and `reg = next` later; else 0. */
static int64_t copied_step(const ptx_function *f, const sim_loop *loop, uint32_t reg) {
    uint32_t next = reg;
    for (uint32_t k = loop->end; k-- > loop->begin;) {
        const ptx_instruction *i = &f->instructions[k];
        if (!i->operand_count || i->operands[0].kind != PTX_REGISTER || i->operands[0].reg != next) continue;
        if (i->guarded || i->operand_count < 2 || i->operands[1].kind != PTX_REGISTER) return 0;
        if (next == reg && ptx_has(i->op, PTX_TRAIT_MOVES)) {
            next = i->operands[1].reg;
            continue;
        }
        const bool steps = i->op == PTX_OP_ADD && i->operands[1].reg == reg && i->operands[2].kind == PTX_INTEGER;
        return steps && next != reg ? (int64_t)i->operands[2].bits : 0;
    }
    return 0;
}

/* Whether the store's address moves by constant steps; with `copies`, also through a copy. */
static bool store_steps(const ptx_function *f, const sim_loop *loop, const ptx_instruction *store, bool copies) {
    const ptx_operand *base = &store->operands[0].parts[0];
    if (base->kind != PTX_REGISTER) return false;
    if (copies && copied_step(f, loop, base->reg)) return true;
    if (sim_writes_between(f, loop->begin, loop->end, base->reg) != 1) return false;
    for (uint32_t k = loop->begin; k < loop->end; k++)
        if (sim_step_of(&f->instructions[k], base->reg)) return true;
    return false;
}

/* A store does not prevent unrolling if its address moves by constant steps, or if nothing in the loop may read what it
 * writes. */
static bool may_repeat(const ptx_function *f, const sim_loop *loop, const ptx_instruction *store, bool copies) {
    const ptx_operand *base = &store->operands[0].parts[0];
    if (store_steps(f, loop, store, copies)) return true;
    const bool invariant = base->kind != PTX_REGISTER || sim_writes_between(f, loop->begin, loop->end, base->reg) == 0;
    if (invariant && !in_shared(store)) return false;
    for (uint32_t k = loop->begin; k < loop->end; k++)
        if (may_read(&f->instructions[k], store)) return false;
    return true;
}

/* Stops early, because most loops are far from the limit. */
static bool is_light(const ptx_function *f, const sim_loop *loop) {
    unsigned weight = 0;
    for (uint32_t k = loop->begin; k < loop->end && weight <= MOST_WEIGHT; k++)
        weight += weight_of(&f->instructions[k]);
    return weight <= MOST_WEIGHT;
}

/* Whether the stores to the load's memory, shared or not, all step. */
static bool is_free(const ptx_function *f, const sim_loop *loop, const ptx_instruction *load, bool copies) {
    for (uint32_t k = loop->begin; k < loop->end; k++) {
        const ptx_instruction *i = &f->instructions[k];
        if (i->op == PTX_OP_ST && in_shared(i) == in_shared(load) && !store_steps(f, loop, i, copies)) return false;
    }
    return true;
}

static bool has_free_load(const ptx_function *f, const sim_loop *loop, bool copies) {
    for (uint32_t k = loop->begin; k < loop->end; k++) {
        const ptx_instruction *i = &f->instructions[k];
        if (i->op == PTX_OP_LD && is_access(i) && is_free(f, loop, i, copies)) return true;
    }
    return false;
}

/* If some loads are free, the others do not matter. */
static bool stores_may_repeat(const ptx_function *f, const sim_loop *loop, bool copies) {
    bool all = true;
    for (uint32_t k = loop->begin; k < loop->end; k++) {
        const ptx_instruction *i = &f->instructions[k];
        if (i->op != PTX_OP_ST) continue;
        if (loop->first != loop->last || i->mods[PTX_SLOT_SPACE] == PTX_MOD_NONE || i->guarded) return false;
        all &= may_repeat(f, loop, i, copies);
    }
    return all || has_free_load(f, loop, copies);
}

/* ---- the whole loop ---- */

static bool says_otherwise(const ptx_function *f, const sim_loop *loop) {
    return f->keeps_loops || f->instructions[loop->begin].keeps_loop;
}

/* Tests the weight first, so that nested loops are not scanned again and again. */
bool sim_find_unrolled(const sim_loops *loops, uint32_t last, sim_loop *loop) {
    const ptx_function *f = loops->function;
    const ptx_block *b = &f->blocks[last];
    *loop = (sim_loop){.first = b->taken, .last = last, .end = b->end};
    if (b->taken == PTX_NO_BLOCK || b->taken > last || f->instructions[b->end - 1].op != PTX_OP_BRA) return false;
    loop->begin = f->blocks[loop->first].first;
    return !says_otherwise(f, loop) && is_light(f, loop) && is_simple(loops, loop) && has_accesses(f, loop) &&
           find_test(f, loop) && stores_may_repeat(f, loop, loops->copies);
}

bool sim_moves_by_copies(const sim_loops *loops, const sim_loop *loop) {
    return loops->copies && !stores_may_repeat(loops->function, loop, false);
}

typedef struct writer_scan {
    sim_writers *writers;
    uint32_t instruction;
} writer_scan;

static void note_writer(void *context, uint32_t reg, bool writes) {
    const writer_scan *scan = context;
    sim_writers *w = &scan->writers[reg];
    if (!writes || (w->count && w->last == scan->instruction)) return;
    if (w->count++ == 0) w->first = scan->instruction;
    w->last = scan->instruction;
}

const sim_writers *sim_find_writers(const ptx_function *f, arena *memory) {
    writer_scan scan = {.writers = ARENA_ARRAY(memory, f->register_count + 1, sim_writers)};
    for (; scan.instruction < f->instruction_count; scan.instruction++)
        ptx_visit_registers(&f->instructions[scan.instruction], note_writer, &scan);
    return scan.writers;
}

/* Returns whether the counter starts equal in all threads: it is written once outside the loop, from uniform values,
 * and in the loop by its step. */
static bool begins_uniform(const sim_loops *loops, const sim_loop *loop) {
    const sim_writers *w = &loops->writers[loop->counter];
    const uint32_t outside = w->first >= loop->begin && w->first < loop->end ? w->last : w->first;
    const ptx_instruction *i = &loops->function->instructions[outside];
    return w->count == 2 && !i->guarded && i->op == PTX_OP_MOV && sim_is_uniform(loops->values, &i->operands[1]);
}

bool sim_is_uniform_loop(const sim_loops *loops, const sim_loop *loop) {
    return sim_is_uniform(loops->values, loop->bound) && begins_uniform(loops, loop);
}

/* ---- loops of a constant number of iterations ---- */

/* The counter of a loop: `value` before its first iteration. */
typedef struct constant_counter {
    uint32_t reg, next; /* next: the register that has the sum, before it is copied to the counter; or the counter */
    uint32_t step_at;   /* the instruction that changes the counter */
    int64_t value, step;
} constant_counter;

static bool is_in(uint32_t i, uint32_t begin, uint32_t end) {
    return i >= begin && i < end;
}

/* Finds the value of a constant, or of a register that is only ever set to one. */
static bool constant_of(const ptx_function *f, const sim_writers *writers, const ptx_operand *o, int64_t *value) {
    if (o->kind == PTX_REGISTER && writers[o->reg].count == 1) {
        const ptx_instruction *i = &f->instructions[writers[o->reg].first];
        if (i->op != PTX_OP_MOV || i->guarded) return false;
        o = &i->operands[1];
    }
    *value = (int64_t)o->bits;
    return o->kind == PTX_INTEGER;
}

/* The counter is set once before the loop, and in it by its step, or to a sum of it that is a register of its own. */
static bool find_counter(const ptx_function *f, const sim_writers *writers, uint32_t begin, uint32_t end,
                         constant_counter *c) {
    const sim_writers *w = &writers[c->reg];
    if (w->count != 2 || is_in(w->first, begin, end) == is_in(w->last, begin, end)) return false;
    c->step_at = is_in(w->first, begin, end) ? w->first : w->last;
    const ptx_instruction *start = &f->instructions[is_in(w->first, begin, end) ? w->last : w->first];
    const ptx_instruction *change = &f->instructions[c->step_at];
    c->next = c->reg;
    c->step = sim_step_of(change, c->reg);
    if (change->op == PTX_OP_MOV && change->operands[1].kind == PTX_REGISTER && !change->guarded) {
        c->next = change->operands[1].reg;
        if (writers[c->next].count != 1 || !is_in(writers[c->next].first, begin, end)) return false;
        c->step = sum_with(&f->instructions[writers[c->next].first], c->reg);
    }
    return c->step && start->op == PTX_OP_MOV && !start->guarded &&
           constant_of(f, writers, &start->operands[1], &c->value);
}

static bool holds(unsigned compare, int64_t value, int64_t bound) {
    switch (compare) {
    case PTX_MOD_NE: return value != bound;
    case PTX_MOD_LT: return value < bound;
    case PTX_MOD_LE: return value <= bound;
    case PTX_MOD_GT: return value > bound;
    case PTX_MOD_GE: return value >= bound;
    default: return false;
    }
}

/* Returns the instruction of the loop that sets the guard of its branch; `end` if it is none that compares integers. */
static uint32_t test_of(const ptx_function *f, const sim_writers *writers, uint32_t begin, uint32_t end) {
    const ptx_instruction *branch = &f->instructions[end - 1];
    if (branch->op != PTX_OP_BRA || !branch->guarded || writers[branch->guard].count != 1) return end;
    const uint32_t test = writers[branch->guard].first;
    const ptx_instruction *i = &f->instructions[test];
    const bool compares = is_in(test, begin, end) && i->op == PTX_OP_SETP && !i->guarded;
    return compares && ptx_types[i->type].kind != 'F' && i->operands[1].kind == PTX_REGISTER ? test : end;
}

unsigned sim_constant_trips(const ptx_function *f, const sim_writers *writers, uint32_t begin, uint32_t end) {
    enum { MOST = 1000 };
    const uint32_t at = test_of(f, writers, begin, end);
    int64_t bound;
    if (at == end || !constant_of(f, writers, &f->instructions[at].operands[2], &bound)) return 0;
    const ptx_instruction *test = &f->instructions[at];
    constant_counter c = {.reg = test->operands[1].reg};
    const sim_writers *w = &writers[c.reg];
    bool changed = true;                                                /* the test sees the counter after its step */
    if (w->count == 1 && f->instructions[w->first].operand_count > 1) { /* it tests the sum */
        const ptx_operand *a = &f->instructions[w->first].operands[1];
        if (a->kind != PTX_REGISTER) return 0;
        const uint32_t sum = c.reg;
        c.reg = a->reg;
        if (!find_counter(f, writers, begin, end, &c) || c.next != sum) return 0;
    } else if (find_counter(f, writers, begin, end, &c)) {
        changed = c.step_at < at;
    } else {
        return 0;
    }
    const unsigned compare = plain_compare(test->mods[PTX_SLOT_COMPARE], false);
    const bool loops_if = !f->instructions[end - 1].guard_negated;
    for (unsigned trips = 1; trips <= MOST; trips++)
        if (holds(compare, c.value + c.step * (int64_t)(changed ? trips : trips - 1), bound) != loops_if) return trips;
    return 0;
}
