/* Two registers cannot share a place if one of them is written while the other's value is still needed. A walk over
 * each block from its end knows which registers are needed. */
#include "assembler/copies.h"

#include "ptx/liveness.h"

/* A copy, in the lists of the two registers. */
typedef struct pair {
    uint32_t instruction, to, from;
    uint32_t next_to, next_from; /* indices + 1 */
} pair;

typedef struct copies {
    const ptx_function *function;
    arena *memory;
    uint32_t *first; /* by register: a pair's index + 1 */
    pair *pairs;
    size_t count, capacity;
    uint32_t *reads; /* by register: the instructions that read it */
    bool *live, *real;
    uint32_t instruction;
} copies;

static void count_reads(void *context, uint32_t reg, bool writes) {
    copies *c = context;
    c->reads[reg] += !writes;
}

static bool is_copy(const ptx_instruction *i) {
    return i->op == PTX_OP_MOV && i->operand_count == 2 && i->operands[0].kind == PTX_REGISTER &&
           i->operands[1].kind == PTX_REGISTER && i->operands[0].reg != i->operands[1].reg;
}

static bool is_made_in_place(const copies *c, const sim_writers *writers, const ptx_block *b, uint32_t reg) {
    const sim_writers *w = &writers[reg];
    return c->reads[reg] == 1 && w->count == 1 && w->first >= b->first && w->first < b->end;
}

static void find_pairs(copies *c, const sim_writers *writers) {
    const ptx_function *f = c->function;
    for (uint32_t b = 0; b < f->block_count; b++)
        for (uint32_t k = f->blocks[b].first; k < f->blocks[b].end; k++) {
            const ptx_instruction *i = &f->instructions[k];
            if (!is_copy(i) || is_made_in_place(c, writers, &f->blocks[b], i->operands[1].reg)) continue;
            const pair p = {k, i->operands[0].reg, i->operands[1].reg, c->first[i->operands[0].reg],
                            c->first[i->operands[1].reg]};
            ARENA_PUSH(c->memory, c->pairs, c->count, c->capacity, p);
            c->first[p.to] = c->first[p.from] = (uint32_t)c->count;
        }
}

/* A copy of the other register does not keep the two apart: it makes them equal. */
static bool makes_equal(const ptx_instruction *i, const pair *p) {
    if (!is_copy(i)) return false;
    const uint32_t to = i->operands[0].reg, from = i->operands[1].reg;
    return (to == p->to && from == p->from) || (to == p->from && from == p->to);
}

static void see_write(void *context, uint32_t reg, bool writes) {
    copies *c = context;
    if (!writes) return;
    for (uint32_t at = c->first[reg]; at;) {
        const pair *p = &c->pairs[at - 1];
        const uint32_t other = p->to == reg ? p->from : p->to;
        if (c->live[other] && !makes_equal(&c->function->instructions[c->instruction], p))
            c->real[p->instruction] = true;
        at = p->to == reg ? p->next_to : p->next_from;
    }
    if (!c->function->instructions[c->instruction].guarded) c->live[reg] = false;
}

static void see_read(void *context, uint32_t reg, bool writes) {
    copies *c = context;
    if (!writes) c->live[reg] = true;
}

static void set_live(copies *c, const ptx_liveness *l, uint32_t block, bool live) {
    for (const ptx_live_word *w = ptx_live_words(l, block); w < ptx_live_words(l, block + 1); w++)
        for (uint64_t bits = w->out; bits; bits &= bits - 1) c->live[ptx_live_register(l, w, bits)] = live;
}

static void forget(void *context, uint32_t reg, bool writes) {
    (void)writes;
    ((copies *)context)->live[reg] = false;
}

static void walk(copies *c, const ptx_liveness *l, uint32_t block) {
    const ptx_function *f = c->function;
    const ptx_block *b = &f->blocks[block];
    set_live(c, l, block, true);
    for (uint32_t k = b->end; k-- > b->first;) {
        c->instruction = k;
        ptx_visit_registers(&f->instructions[k], see_write, c);
        ptx_visit_registers(&f->instructions[k], see_read, c);
    }
    set_live(c, l, block, false);
    for (uint32_t k = b->first; k < b->end; k++) ptx_visit_registers(&f->instructions[k], forget, c);
}

const bool *sim_find_copies(const ptx_function *f, const sim_writers *writers, arena *memory) {
    copies c = {.function = f, .memory = memory};
    c.real = ARENA_ARRAY(memory, f->instruction_count + 1, bool);
    c.first = ARENA_ARRAY(memory, f->register_count + 1, uint32_t);
    c.reads = ARENA_ARRAY(memory, f->register_count + 1, uint32_t);
    c.live = ARENA_ARRAY(memory, f->register_count + 1, bool);
    for (size_t k = 0; k < f->instruction_count; k++) ptx_visit_registers(&f->instructions[k], count_reads, &c);
    find_pairs(&c, writers);
    if (c.count == 0) return c.real;
    ptx_liveness live;
    ptx_liveness_compute(f, memory, &live);
    for (uint32_t b = 0; b < f->block_count; b++) walk(&c, &live, b);
    return c.real;
}
