/* Which loads are in flight where a block begins, found along the function's paths.
 *
 * A warp waits for a load where it first reads the result. What it has issued before has arrived then, too. So a load
 * before a loop is waited for once, in the first iteration, however many blocks of the loop read its result. */
#include "assembler/flight.h"

#include "assembler/dominance.h"
#include "ptx/liveness.h"

/* Functions with more words of columns in all blocks keep no loads in flight. */
enum { MOST_WORDS = 1 << 21, MOST_PASSES = 8, MOST_LOOP_BLOCKS = 1 << 20 };

typedef struct flight_search {
    const ptx_function *function;
    const bool *waits, *loads;
    sim_dominance tree;
    uint32_t *column, columns;
    uint32_t *read; /* by register: index + 1 of the block that reads it behind the instruction looked at */
    size_t words;
    uint64_t *in, *out, *begins, *reads, *writes; /* by block */
    uint64_t *needed;                             /* by header of a loop: what its blocks read; all if one waits */
    bool *owes, *heads;
    uint32_t *stack, *member; /* member: header + 1 of the loop that was looked at last */
    uint32_t block;
} flight_search;

static uint64_t *row(const flight_search *s, uint64_t *table, uint32_t block) {
    return table + block * s->words;
}

static void set_bit(const flight_search *s, uint64_t *table, uint32_t block, uint32_t reg, bool value) {
    const uint32_t column = s->column[reg];
    if (!column) return;
    uint64_t *word = row(s, table, block) + (column - 1) / 64;
    const uint64_t bit = UINT64_C(1) << (column - 1) % 64;
    *word = value ? *word | bit : *word & ~bit;
}

/* ---- what each block does ---- */

static void note_read(void *context, uint32_t reg, bool writes) {
    flight_search *s = context;
    if (!writes) s->read[reg] = s->block + 1;
}

static void add_column(void *context, uint32_t reg, bool writes) {
    flight_search *s = context;
    if (writes && s->read[reg] != s->block + 1 && !s->column[reg]) s->column[reg] = ++s->columns;
}

/* Gives a column to each register that a load writes and its block does not read afterwards. */
static void find_columns(flight_search *s) {
    const ptx_function *f = s->function;
    for (s->block = 0; s->block < f->block_count; s->block++)
        for (uint32_t i = f->blocks[s->block].end; i-- > f->blocks[s->block].first;) {
            if (s->loads[i]) ptx_visit_registers(&f->instructions[i], add_column, s);
            ptx_visit_registers(&f->instructions[i], note_read, s);
        }
}

static void note_use(void *context, uint32_t reg, bool writes) {
    const flight_search *s = context;
    const uint32_t column = s->column[reg];
    if (!column) return;
    const bool written = row(s, s->writes, s->block)[(column - 1) / 64] >> (column - 1) % 64 & 1;
    if (!writes && !written) set_bit(s, s->reads, s->block, reg, true);
    if (!writes) set_bit(s, s->begins, s->block, reg, false);
}

static void note_write(void *context, uint32_t reg, bool writes) {
    const flight_search *s = context;
    if (writes) set_bit(s, s->writes, s->block, reg, true);
}

static void note_load(void *context, uint32_t reg, bool writes) {
    const flight_search *s = context;
    if (writes) set_bit(s, s->begins, s->block, reg, true);
}

static void note_blocks(flight_search *s) {
    const ptx_function *f = s->function;
    for (s->block = 0; s->block < f->block_count; s->block++)
        for (uint32_t i = f->blocks[s->block].first; i < f->blocks[s->block].end; i++) {
            ptx_visit_registers(&f->instructions[i], note_use, s);
            ptx_visit_registers(&f->instructions[i], note_write, s);
            if (s->loads[i]) ptx_visit_registers(&f->instructions[i], note_load, s);
        }
}

/* ---- loops ---- */

static bool is_back_edge(const flight_search *s, uint32_t from, uint32_t to) {
    return sim_dominates(&s->tree, to, from);
}

/* Adds what the blocks of a loop need: those that lead to the edge's start without passing the header. */
static void add_loop(flight_search *s, uint32_t from, uint32_t header, uint32_t *left) {
    uint32_t depth = 0;
    s->heads[header] = true;
    s->stack[depth++] = from;
    while (depth && *left) {
        const uint32_t b = s->stack[--depth];
        if (s->member[b] == header + 1) continue;
        s->member[b] = header + 1;
        --*left;
        for (size_t k = 0; k < s->words; k++)
            row(s, s->needed, header)[k] |= s->waits[b] ? UINT64_MAX : row(s, s->reads, b)[k];
        if (b == header) continue;
        for (uint32_t k = s->tree.above.first[b]; k < s->tree.above.first[b + 1]; k++)
            if (s->member[s->tree.above.blocks[k]] != header + 1 && depth < s->function->block_count)
                s->stack[depth++] = s->tree.above.blocks[k];
    }
}

static void find_loops(flight_search *s) {
    uint32_t left = MOST_LOOP_BLOCKS;
    for (uint32_t b = 0; b < s->function->block_count; b++)
        for (uint32_t k = s->tree.above.first[b]; k < s->tree.above.first[b + 1]; k++)
            if (is_back_edge(s, s->tree.above.blocks[k], b)) add_loop(s, s->tree.above.blocks[k], b, &left);
}

/* ---- paths ---- */

/* What comes from outside of a loop and is needed in it is waited for at the end of the block outside, unless an
 * iteration brings it as well. Returns whether something changed. */
static bool enter_block(flight_search *s, uint32_t b) {
    uint64_t *in = row(s, s->in, b);
    bool changed = false;
    for (size_t w = 0; w < s->words; w++) {
        uint64_t again = 0, outside = 0;
        for (uint32_t k = s->tree.above.first[b]; k < s->tree.above.first[b + 1]; k++) {
            const uint32_t from = s->tree.above.blocks[k];
            *(is_back_edge(s, from, b) ? &again : &outside) |= row(s, s->out, from)[w];
        }
        const uint64_t once = s->heads[b] ? outside & row(s, s->needed, b)[w] & ~again : 0;
        const uint64_t all = again | (outside & ~once);
        changed |= in[w] != all;
        in[w] = all;
    }
    return changed;
}

static bool leave_block(flight_search *s, uint32_t b) {
    bool waits = s->waits[b], changed = false;
    for (size_t w = 0; w < s->words; w++) waits |= (row(s, s->reads, b)[w] & row(s, s->in, b)[w]) != 0;
    for (size_t w = 0; w < s->words; w++) {
        const uint64_t passes = waits ? 0 : row(s, s->in, b)[w] & ~row(s, s->writes, b)[w];
        const uint64_t out = passes | row(s, s->begins, b)[w];
        changed |= row(s, s->out, b)[w] != out;
        row(s, s->out, b)[w] = out;
    }
    return changed;
}

static void find_owing(flight_search *s, uint32_t header) {
    for (size_t w = 0; w < s->words; w++) {
        const uint64_t once = row(s, s->needed, header)[w] & ~row(s, s->in, header)[w];
        for (uint32_t k = s->tree.above.first[header]; k < s->tree.above.first[header + 1]; k++) {
            const uint32_t from = s->tree.above.blocks[k];
            if (!is_back_edge(s, from, header) && row(s, s->out, from)[w] & once) s->owes[from] = true;
        }
    }
}

static uint64_t *new_table(const flight_search *s, arena *memory) {
    return ARENA_ARRAY(memory, s->function->block_count * s->words + 1, uint64_t);
}

static void follow_paths(flight_search *s, arena *memory) {
    const uint32_t blocks = (uint32_t)s->function->block_count;
    uint64_t **const tables[] = {&s->in, &s->out, &s->begins, &s->reads, &s->writes, &s->needed};
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) *tables[k] = new_table(s, memory);
    sim_dominance_find(s->function, memory, &s->tree);
    note_blocks(s);
    find_loops(s);
    bool changed = true;
    for (unsigned pass = 0; changed && pass < MOST_PASSES; pass++) {
        changed = false;
        for (uint32_t k = 0; k < s->tree.order_count; k++) {
            changed |= enter_block(s, s->tree.order[k]);
            changed |= leave_block(s, s->tree.order[k]);
        }
    }
    for (uint32_t b = 0; b < blocks; b++)
        if (s->heads[b]) find_owing(s, b);
}

void sim_flight_find(const ptx_function *f, const bool *waits, const bool *loads, arena *memory, sim_flight *flight) {
    const size_t blocks = f->block_count + 1, registers = f->register_count + 1;
    flight_search s = {.function = f,
                       .waits = waits,
                       .loads = loads,
                       .column = ARENA_ARRAY(memory, registers, uint32_t),
                       .read = ARENA_ARRAY(memory, registers, uint32_t),
                       .owes = ARENA_ARRAY(memory, blocks, bool)};
    find_columns(&s);
    s.words = (s.columns + 63) / 64;
    *flight = (sim_flight){.column = s.column, .words = s.words, .owes = s.owes};
    if (s.words * blocks > MOST_WORDS || !s.words) {
        flight->column = ARENA_ARRAY(memory, registers, uint32_t);
        return;
    }
    s.heads = ARENA_ARRAY(memory, blocks, bool);
    s.stack = ARENA_ARRAY(memory, blocks, uint32_t);
    s.member = ARENA_ARRAY(memory, blocks, uint32_t);
    follow_paths(&s, memory);
    flight->in = s.in;
}
