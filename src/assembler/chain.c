/* Chains of basic blocks. */
#include "assembler/chain.h"

#include "assembler/issue.h"
#include "ptx/traits.h"

#include <math.h>

sim_chain sim_chain_of(const ptx_function *f, uint32_t first, uint32_t end) {
    const ptx_block *last = &f->blocks[end - 1];
    const bool loops = last->next == first || last->taken == first;
    return (sim_chain){first, end, f->blocks[first].first, last->end, loops};
}

/* Whether all of a block's edges lead to the next block, or around what is predicated. */
static bool falls_into(const ptx_function *f, const bool *predicated, uint32_t from, uint32_t to) {
    const ptx_block *b = &f->blocks[from];
    if (b->table_count) return false;
    if (predicated[from] || b->taken == PTX_NO_BLOCK || b->next == b->taken) return true;
    const uint32_t other = b->next == to ? b->taken : b->next;
    return predicated[to] || (other != PTX_NO_BLOCK && predicated[other]);
}

static bool has_barrier(const ptx_function *f, uint32_t block) {
    for (uint32_t i = f->blocks[block].first; i < f->blocks[block].end; i++)
        if (ptx_is(f->instructions[i].op, PTX_KIND_BARRIER)) return true;
    return false;
}

uint32_t sim_end_of_chain(const ptx_function *f, const bool *predicated, const ptx_predecessors *above,
                          uint32_t first) {
    uint32_t end = first + 1;
    for (; end < f->block_count; end++) {
        if (ptx_predecessor_count(above, end) == 0 || has_barrier(f, end - 1)) return end;
        for (uint32_t k = above->first[end]; k < above->first[end + 1]; k++) {
            const uint32_t from = above->blocks[k];
            if (from < first || from >= end || !falls_into(f, predicated, from, end)) return end;
        }
    }
    return end;
}

/* ---- loops ---- */

/* Whether some instruction of the chain adds a constant to the operand's register. */
static bool steps(const ptx_function *f, const sim_chain *c, const ptx_operand *o) {
    for (uint32_t i = c->begin; i < c->stop && o->kind == PTX_REGISTER; i++)
        if (sim_step_of(&f->instructions[i], o->reg)) return true;
    return false;
}

/* Returns the comparison that decides whether a loop of one chain goes on; NULL: not found. */
static const ptx_instruction *test_of(const ptx_function *f, const sim_chain *c) {
    const ptx_instruction *branch = &f->instructions[c->stop - 1];
    for (uint32_t k = c->stop; branch->guarded && k-- > c->begin;) {
        const ptx_instruction *i = &f->instructions[k];
        if (i->op == PTX_OP_SETP && i->operands[0].kind == PTX_REGISTER && i->operands[0].reg == branch->guard)
            return i;
    }
    return NULL;
}

bool sim_chain_counts(const ptx_function *f, const sim_chain *c) {
    const ptx_instruction *test = test_of(f, c);
    return test && (steps(f, c, &test->operands[1]) || steps(f, c, &test->operands[2]));
}

/* Whether an operand of a loop's test is the same in all lanes when the loop begins. */
static bool begins_uniform(const ptx_function *f, const sim_chain *c, const ptx_operand *o, const sim_writers *writers,
                           const sim_values *values) {
    if (sim_is_uniform(values, o)) return true;
    if (o->kind != PTX_REGISTER) return false;
    const sim_writers *w = &writers[o->reg];
    const uint32_t before = w->first >= c->begin && w->first < c->stop ? w->last : w->first;
    const ptx_instruction *i = &f->instructions[before];
    return w->count == 2 && i->op == PTX_OP_MOV && sim_is_uniform(values, &i->operands[1]);
}

bool sim_chain_diverges(const ptx_function *f, const sim_chain *c, const sim_writers *writers,
                        const sim_values *values) {
    const ptx_instruction *test = test_of(f, c);
    return test && !(begins_uniform(f, c, &test->operands[1], writers, values) &&
                     begins_uniform(f, c, &test->operands[2], writers, values));
}

bool sim_chain_stays_rolled(const ptx_function *f, const sim_chain *c) {
    for (uint32_t i = c->begin; i < c->stop; i++) {
        const ptx_instruction *x = &f->instructions[i];
        if (sim_is_call(x) || ptx_is(x->op, PTX_KIND_BARRIER | PTX_KIND_ATOMIC | PTX_KIND_REDUCTION)) return true;
    }
    return false;
}

/* Read off machine code of 248 loops with 4 to 90 products and 1 to 16 loads that run 8 to 64 times: 224 have as many,
 * or one more or less. */
unsigned sim_unrolled_rounds(float size, unsigned trips, bool partly) {
    enum { FEW = 3, LONG = 80, SHORT = 40, ALL_OF_SHORT = 900, ALL_OF_OTHERS = 520, PART = 340, LEAST = 4 };
    const float all = size * (float)trips;
    if (trips <= FEW || all <= (size <= SHORT ? ALL_OF_SHORT : ALL_OF_OTHERS)) return trips;
    const float part = PART / fmaxf(size, 1);
    return size > LONG || !partly ? 1 : part < LEAST ? LEAST : (unsigned)part;
}
