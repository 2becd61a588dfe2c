/* Values of base registers, where a register is written more than once.
 *
 * Two accesses can be combined if they have the same base and constant offsets. A pointer that a loop advances is the
 * same register with different values, so each write gives it a new number, and a block where different values meet
 * gets a number of its own, like a phi in SSA form. Only registers that accesses use as bases are traced, and only
 * through blocks that lead to such accesses. */
#include "assembler/bases.h"

#include "base/search.h"
#include "ptx/liveness.h"
#include "ptx/spaces.h"

#include <stdlib.h>
#include <string.h>

/* ---- accesses and writes ---- */

static sim_place place_of(const sim_bases *b, uint32_t instruction) {
    return sim_place_of(b->function, b->values, ptx_accessed_memory(&b->function->instructions[instruction]));
}

/* Finds the base registers; returns whether there are any. */
static bool find_bases(sim_bases *b, bool (*is_access)(const ptx_instruction *)) {
    const ptx_function *f = b->function;
    bool any = false;
    for (uint32_t k = 0; k < f->instruction_count; k++) {
        if (!is_access(&f->instructions[k])) continue;
        const sim_place place = place_of(b, k);
        uint32_t reg;
        if (!sim_place_register(&place, &reg) || b->values->definitions[reg] < 2) continue;
        b->is_base[reg] = any = true;
    }
    return any;
}

/* State during the scan of a block. By register: the block + 1 that last wrote it, and that last needed it. */
typedef struct look {
    sim_bases *bases;
    uint32_t *wrote, *asked;
    uint32_t block;
} look;

/* Lists the blocks that write a base. */
static void note_write(void *context, uint32_t reg, bool writes) {
    const look *l = context;
    sim_bases *b = l->bases;
    if (!writes || !b->is_base[reg] || l->wrote[reg] == l->block + 1) return;
    const sim_base_written w = {.reg = reg, .block = l->block};
    l->wrote[reg] = l->block + 1;
    ARENA_PUSH(b->memory, b->written, b->written_count, b->written_capacity, w);
}

/* Lists the blocks that use a base which they have not written yet. */
static void note_access(const look *l, uint32_t instruction) {
    sim_bases *b = l->bases;
    const sim_place place = place_of(b, instruction);
    uint32_t reg;
    if (!sim_place_register(&place, &reg) || !b->is_base[reg]) return;
    if (l->wrote[reg] == l->block + 1 || l->asked[reg] == l->block + 1) return;
    const sim_base_entered e = {.reg = reg, .block = l->block};
    l->asked[reg] = l->block + 1;
    ARENA_PUSH(b->memory, b->entered, b->entered_count, b->entered_capacity, e);
}

/* Scans all blocks; within a block, order decides whether a value comes from outside. */
static void look_through(sim_bases *b, bool (*is_access)(const ptx_instruction *)) {
    const ptx_function *f = b->function;
    look l = {.bases = b,
              .wrote = ARENA_ARRAY(b->memory, f->register_count + 1, uint32_t),
              .asked = ARENA_ARRAY(b->memory, f->register_count + 1, uint32_t)};
    for (l.block = 0; l.block < f->block_count; l.block++) {
        for (uint32_t i = f->blocks[l.block].first; i < f->blocks[l.block].end; i++) {
            if (is_access(&f->instructions[i])) note_access(&l, i);
            ptx_visit_registers(&f->instructions[i], note_write, &l);
        }
    }
}

static int compare_written(const void *left, const void *right) {
    const sim_base_written *a = left, *b = right;
    if (a->reg != b->reg) return a->reg < b->reg ? -1 : 1;
    return a->block < b->block ? -1 : a->block > b->block;
}

static int compare_entered(const void *left, const void *right) {
    const sim_base_entered *a = left, *b = right;
    if (a->reg != b->reg) return a->reg < b->reg ? -1 : 1;
    return a->block < b->block ? -1 : a->block > b->block;
}

/* ---- origins of values ---- */

/* Traces one register after the other. */
typedef struct trace {
    sim_bases *bases;
    bool *writes, *seen;       /* by block */
    uint32_t *top;             /* by block */
    uint32_t *blocks, count;   /* that reach accesses without a write in between: positions in the order */
    uint32_t written, entered; /* start of the next register's entries in the lists */
} trace;

static int compare_ranks(const void *left, const void *right) {
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* Adds a block to those that the current register is traced through. */
static void add_block(trace *t, uint32_t block) {
    if (t->seen[block]) return;
    t->seen[block] = true;
    t->blocks[t->count++] = block;
}

/* Finds the blocks on paths from writes to accesses, in the order that sim_find_tops() wants. */
static void find_blocks(trace *t, uint32_t reg, uint32_t end) {
    const sim_dominance *d = t->bases->dominance;
    t->count = 0;
    for (uint32_t k = t->entered; k < end && t->bases->entered[k].reg == reg; k++)
        add_block(t, t->bases->entered[k].block);
    for (uint32_t k = 0; k < t->count; k++) {
        const uint32_t block = t->blocks[k];
        for (uint32_t e = d->above.first[block]; e < d->above.first[block + 1]; e++)
            if (!t->writes[d->above.blocks[e]]) add_block(t, d->above.blocks[e]);
    }
    for (uint32_t k = 0; k < t->count; k++) t->blocks[k] = d->rank[t->blocks[k]];
    qsort(t->blocks, t->count, sizeof *t->blocks, compare_ranks);
    for (uint32_t k = 0; k < t->count; k++) t->blocks[k] = d->order[t->blocks[k]];
}

/* Sets the `top` of each use: the block where its value was written or where values meet. Clears the arrays for the
 * next register. */
static void trace_register(trace *t) {
    sim_bases *b = t->bases;
    const uint32_t reg = b->entered[t->entered].reg;
    while (t->written < b->written_count && b->written[t->written].reg < reg) t->written++;
    const uint32_t first = t->written;
    for (; t->written < b->written_count && b->written[t->written].reg == reg; t->written++)
        t->writes[b->written[t->written].block] = true;
    find_blocks(t, reg, (uint32_t)b->entered_count);
    sim_find_tops(b->dominance, t->blocks, t->count, t->writes, t->top);
    for (; t->entered < b->entered_count && b->entered[t->entered].reg == reg; t->entered++)
        b->entered[t->entered].top = t->top[b->entered[t->entered].block];
    for (uint32_t k = first; k < t->written; k++) t->writes[b->written[k].block] = false;
    for (uint32_t k = 0; k < t->count; k++) {
        t->seen[t->blocks[k]] = false;
        t->top[t->blocks[k]] = PTX_NO_BLOCK;
    }
}

/* Both lists are sorted by register and block, so one walk suffices. */
static void trace_all(sim_bases *b) {
    const size_t blocks = b->function->block_count + 1;
    trace t = {.bases = b,
               .writes = ARENA_ARRAY(b->memory, blocks, bool),
               .seen = ARENA_ARRAY(b->memory, blocks, bool),
               .top = ARENA_ARRAY(b->memory, blocks, uint32_t),
               .blocks = ARENA_ARRAY(b->memory, blocks, uint32_t)};
    for (size_t k = 0; k < blocks; k++) t.top[k] = PTX_NO_BLOCK;
    if (b->written_count > 1) qsort(b->written, b->written_count, sizeof *b->written, compare_written);
    if (b->entered_count > 1) qsort(b->entered, b->entered_count, sizeof *b->entered, compare_entered);
    while (t.entered < b->entered_count) trace_register(&t);
}

void sim_bases_find(const ptx_function *f, const sim_values *v, const sim_dominance *d,
                    bool (*is_access)(const ptx_instruction *), arena *memory, sim_bases *b) {
    const size_t registers = f->register_count + 1;
    *b = (sim_bases){.function = f,
                     .values = v,
                     .dominance = d,
                     .memory = memory,
                     .is_base = ARENA_ARRAY(memory, registers, bool),
                     .value = ARENA_ARRAY(memory, registers, uint64_t),
                     .value_in = ARENA_ARRAY(memory, registers, uint32_t),
                     .last_value = f->block_count};
    if (!find_bases(b, is_access)) return;
    look_through(b, is_access);
    trace_all(b);
}

/* ---- values during the walk over the blocks ---- */

/* The entry of a write, by binary search. */
static sim_base_written *find_written(const sim_bases *b, uint32_t reg, uint32_t block) {
    const sim_base_written wanted = {.reg = reg, .block = block};
    size_t at;
    SEARCH_FIRST(at, b->written_count, k, compare_written(&b->written[k], &wanted) < 0);
    return at < b->written_count && compare_written(&b->written[at], &wanted) == 0 ? &b->written[at] : NULL;
}

/* If paths with different values meet, the block gets a value of its own. */
static uint64_t value_on_entry(const sim_bases *b, uint32_t reg, uint32_t block) {
    const sim_base_entered wanted = {.reg = reg, .block = block};
    size_t at;
    SEARCH_FIRST(at, b->entered_count, k, compare_entered(&b->entered[k], &wanted) < 0);
    const uint32_t top = b->entered[at].top;
    const sim_base_written *w = top == block ? NULL : find_written(b, reg, top);
    return w ? w->value : top + 1ull;
}

/* The number of the register's current value; looked up once for each block. */
static uint64_t value_of(sim_bases *b, uint32_t reg, uint32_t block) {
    if (b->value_in[reg] != block + 1) b->value[reg] = value_on_entry(b, reg, block);
    b->value_in[reg] = block + 1;
    return b->value[reg];
}

/* Adds the value's number to the base, above the register's bits. */
sim_place sim_bases_place(sim_bases *b, uint32_t instruction, uint32_t block) {
    enum { VALUE_SHIFT = 34 };
    sim_place place = place_of(b, instruction);
    uint32_t reg;
    if (sim_place_register(&place, &reg) && b->is_base[reg]) place.base |= value_of(b, reg, block) << VALUE_SHIFT;
    return place;
}

typedef struct pass {
    sim_bases *bases;
    uint32_t block;
} pass;

/* A write gives the register a new value. The last one of a block is what later blocks get. */
static void take_write(void *context, uint32_t reg, bool writes) {
    const pass *p = context;
    sim_bases *b = p->bases;
    if (!writes || !b->is_base[reg]) return;
    b->value[reg] = ++b->last_value;
    b->value_in[reg] = p->block + 1;
    find_written(b, reg, p->block)->value = b->last_value;
}

void sim_bases_pass(sim_bases *b, uint32_t instruction, uint32_t block) {
    pass p = {b, block};
    if (b->written_count) ptx_visit_registers(&b->function->instructions[instruction], take_write, &p);
}
