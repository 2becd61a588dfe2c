/* Live registers at the ends of blocks, as sparse words of bits.
 *
 * Generated kernels have tens of thousands of registers, of which few live across blocks. Only those get a column, and
 * 64 columns make a word. Data flow runs for one word at a time and visits only blocks where that word matters, so time
 * and memory grow with what is live rather than with blocks times registers. */
#include "ptx/liveness.h"

#include "base/search.h"
#include "ptx/edges.h"
#include "ptx/matrix.h"
#include "ptx/traits.h"

#include <string.h>

/* Returns whether a product of a warpgroup begins new sums: a constant says that it does not keep the old ones. */
static bool begins_sums(const ptx_instruction *i) {
    enum { KEEP = 3, SPARSE_KEEP = 5 };
    if (!ptx_is_warpgroup_product(i)) return false;
    const unsigned keep = strstr(ptx_ops[i->op].operands, "meta:") ? SPARSE_KEEP : KEEP;
    return i->operands[keep].kind == PTX_INTEGER && i->operands[keep].bits == 0;
}

/* Returns whether the instruction reads its first operand before writing it, like an accumulator. */
static bool updates(const ptx_instruction *i) {
    return strncmp(ptx_ops[i->op].operands, "fu", 2) == 0 && !begins_sums(i);
}

/* Returns whether the instruction writes its first operand, by its pattern in isa.def. */
static bool writes_first_operand(const ptx_instruction *i) {
    const char *pattern = ptx_ops[i->op].operands;
    if (pattern[0] == '{') pattern++; /* mov packs and unpacks: `{d}` */
    return pattern[0] == 'd' || strncmp(pattern, "vd", 2) == 0 || strncmp(pattern, "fd", 2) == 0 ||
           strncmp(pattern, "fu", 2) == 0;
}

/* Visits the registers of an operand. `writes` is for registers; the base of an address is read in any case. */
static void visit_operand(const ptx_operand *o, bool writes, ptx_register_visitor visit, void *context) {
    switch (o->kind) {
    case PTX_REGISTER: visit(context, o->reg, writes); return;
    case PTX_MEMORY: /* an address is read, whatever the access */
        visit_operand(&o->parts[0], false, visit, context);
        return;
    case PTX_VECTOR:
    case PTX_LIST:
    case PTX_PAIR:
    case PTX_TENSOR:
        for (uint32_t k = 0; k < o->part_count; k++) visit_operand(&o->parts[k], writes, visit, context);
        return;
    default: return;
    }
}

enum { REPORT = 1 }; /* the second result of a wait for an mbarrier */

bool ptx_is_address_in(const ptx_instruction *i, uint32_t reg) {
    for (unsigned k = 0; k < i->operand_count; k++) {
        const ptx_operand *o = &i->operands[k];
        if (o->kind == PTX_MEMORY && o->parts[0].kind == PTX_REGISTER && o->parts[0].reg == reg) return true;
    }
    return false;
}

/* Reads come before writes, so that a visitor that stops at the first write sees them. */
void ptx_visit_registers(const ptx_instruction *i, ptx_register_visitor visit, void *context) {
    if (i->guarded) visit(context, i->guard, false);
    bool first_written = writes_first_operand(i);
    /* A call's results are the first list. */
    if (i->op == PTX_OP_CALL) first_written = i->operand_count > 0 && i->operands[0].kind == PTX_LIST;
    if (updates(i)) visit_operand(&i->operands[0], false, visit, context);
    const bool reports = ptx_is(i->op, PTX_KIND_MBARRIER_WAIT) && i->operands[REPORT].kind == PTX_REGISTER;
    for (unsigned k = 1; k < i->operand_count; k++)
        if (!reports || k != REPORT) visit_operand(&i->operands[k], false, visit, context);
    if (i->operand_count) visit_operand(&i->operands[0], first_written, visit, context);
    if (reports) visit_operand(&i->operands[REPORT], true, visit, context);
}

/* Asynchronous instructions use registers after they were issued: accumulators and the matrix a of wgmma, and results
 * of tcgen05.ld. */
void ptx_visit_held_registers(const ptx_instruction *i, ptx_register_visitor visit, void *context) {
    enum { SUMS, A };
    const bool is_product = ptx_is_warpgroup_product(i);
    if (!is_product && i->op != PTX_OP_TMEM_LD) return;
    visit_operand(&i->operands[SUMS], true, visit, context);
    if (is_product && i->operands[A].kind == PTX_VECTOR) visit_operand(&i->operands[A], false, visit, context);
}

/* ---- uses and definitions of blocks ---- */

/* The scan of a block. `defined`: by register, 1 + the block that defined it last. */
typedef struct block_scan {
    uint32_t *defined, block;
    bool guarded;
    void *context;
    void (*need)(void *context, uint32_t reg), (*define)(void *context, uint32_t reg);
} block_scan;

/* A guarded write defines nothing for sure: lanes whose guard is false keep the old value, so it counts as a need. */
static void scan_register(void *context, uint32_t reg, bool writes) {
    block_scan *s = context;
    if (s->defined[reg] == s->block + 1) return;
    if (!writes || s->guarded) {
        s->need(s->context, reg);
    } else {
        s->defined[reg] = s->block + 1;
        s->define(s->context, reg);
    }
}

/* Reports which registers the block needs from before and which it defines. */
static void scan_block(const ptx_function *f, block_scan *s) {
    for (uint32_t i = f->blocks[s->block].first; i < f->blocks[s->block].end; i++) {
        s->guarded = f->instructions[i].guarded;
        ptx_visit_registers(&f->instructions[i], scan_register, s);
    }
}

static void mark_column(void *context, uint32_t reg) {
    uint32_t *column = context;
    column[reg] = 1;
}

static void ignore(void *context, uint32_t reg) {
    (void)context, (void)reg;
}

/* Gives a column to each register that a block needs from earlier blocks. */
static void find_columns(const ptx_function *f, arena *memory, uint32_t *defined, ptx_liveness *l) {
    uint32_t *column = ARENA_ARRAY(memory, f->register_count + 1, uint32_t), *register_of;
    block_scan s = {.defined = defined, .context = column, .need = mark_column, .define = ignore};
    for (s.block = 0; s.block < f->block_count; s.block++) scan_block(f, &s);
    for (uint32_t r = 0; r < f->register_count; r++)
        if (column[r]) column[r] = ++l->columns;
    register_of = ARENA_ARRAY(memory, l->columns + 1, uint32_t);
    for (uint32_t r = 0; r < f->register_count; r++)
        if (column[r]) register_of[column[r] - 1] = r;
    l->column = column;
    l->register_of = register_of;
}

/* A block's uses and definitions of a word's registers. */
typedef struct entry {
    uint32_t word, block;
    uint64_t needs, defines;
} entry;

typedef struct listing {
    const ptx_liveness *live;
    arena *memory;
    entry *items;
    size_t count, capacity;
    uint32_t *item_of; /* by word: 1 + the entry, if it belongs to this block */
    uint32_t block;
} listing;

/* The current block's entry for a word; made at the first use. */
static entry *entry_of(listing *l, uint32_t word) {
    const uint32_t known = l->item_of[word];
    if (known && l->items[known - 1].block == l->block) return &l->items[known - 1];
    const entry e = {.word = word, .block = l->block};
    ARENA_PUSH(l->memory, l->items, l->count, l->capacity, e);
    l->item_of[word] = (uint32_t)l->count;
    return &l->items[l->count - 1];
}

static void list_need(void *context, uint32_t reg) {
    listing *l = context;
    const uint32_t column = l->live->column[reg] - 1;
    entry_of(l, column / 64)->needs |= 1ull << column % 64;
}

/* Registers without a column live only within blocks and are left out. */
static void list_definition(void *context, uint32_t reg) {
    listing *l = context;
    if (!l->live->column[reg]) return;
    const uint32_t column = l->live->column[reg] - 1;
    entry_of(l, column / 64)->defines |= 1ull << column % 64;
}

/* ---- data flow ---- */

/* The data flow of one word of registers, backwards from the blocks that need them. */
typedef struct flow {
    ptx_predecessors above;
    uint64_t *in, *out, *defines; /* by block */
    bool *touched, *waiting;
    uint32_t *list, list_count; /* touched blocks */
    uint32_t *queue, head, waiting_count, blocks;
} flow;

/* Remembers that the block's words must be cleared after this word's flow. */
static void touch(flow *s, uint32_t block) {
    if (s->touched[block]) return;
    s->touched[block] = true;
    s->list[s->list_count++] = block;
}

/* A block waits at most once, so the ring has room for all. */
static void enqueue(flow *s, uint32_t block) {
    if (s->waiting[block]) return;
    s->waiting[block] = true;
    s->queue[(s->head + s->waiting_count++) % s->blocks] = block;
}

static uint32_t dequeue(flow *s) {
    const uint32_t block = s->queue[s->head];
    s->head = (s->head + 1) % s->blocks;
    s->waiting_count--;
    s->waiting[block] = false;
    return block;
}

/* Carries what block `from` needs at its start to the ends of its predecessors, and through them if they do not define
 * it. */
static void flow_up(flow *s, uint32_t from) {
    for (uint32_t e = s->above.first[from]; e < s->above.first[from + 1]; e++) {
        const uint32_t block = s->above.blocks[e];
        const uint64_t added = s->in[from] & ~s->out[block];
        if (!added) continue;
        touch(s, block);
        s->out[block] |= added;
        const uint64_t grown = added & ~s->defines[block] & ~s->in[block];
        s->in[block] |= grown;
        if (grown) enqueue(s, block);
    }
}

/* Visits later blocks first, so that their needs are known when earlier blocks are visited. */
static void flow_word(flow *s, const entry *first, const entry *end) {
    s->list_count = 0;
    for (const entry *e = end; e-- > first;) {
        touch(s, e->block);
        s->in[e->block] = e->needs;
        s->defines[e->block] = e->defines;
        if (e->needs) enqueue(s, e->block);
    }
    while (s->waiting_count) flow_up(s, dequeue(s));
}

/* The live words found, ordered by word. */
typedef struct found {
    uint32_t block;
    ptx_live_word word;
} found;

typedef struct found_list {
    arena *memory;
    found *items;
    size_t count, capacity;
} found_list;

/* Copies the results of one word and clears the arrays for the next. */
static void take_word(flow *s, uint32_t word, found_list *to) {
    for (uint32_t k = 0; k < s->list_count; k++) {
        const uint32_t b = s->list[k];
        const found f = {.block = b, .word = {word, s->in[b], s->out[b]}};
        if (s->in[b] || s->out[b]) ARENA_PUSH(to->memory, to->items, to->count, to->capacity, f);
        s->in[b] = s->out[b] = s->defines[b] = 0;
        s->touched[b] = false;
    }
}

/* Groups the entries by word with a counting sort; the blocks of a word stay in order. */
static const entry *sort_entries(const listing *l, uint32_t words, uint32_t *first, arena *memory) {
    entry *sorted = ARENA_ARRAY(memory, l->count + 1, entry);
    for (size_t k = 0; k < l->count; k++) first[l->items[k].word + 2]++;
    for (uint32_t w = 1; w < words + 2; w++) first[w] += first[w - 1];
    for (size_t k = 0; k < l->count; k++) sorted[first[l->items[k].word + 1]++] = l->items[k];
    return sorted;
}

/* Groups the results by block, for lookup. Words of a block are in order, since they were found in order. */
static void sort_words(const found_list *l, const ptx_function *f, arena *memory, ptx_liveness *live) {
    uint32_t *first = ARENA_ARRAY(memory, f->block_count + 2, uint32_t);
    ptx_live_word *words = ARENA_ARRAY(memory, l->count + 1, ptx_live_word);
    for (size_t k = 0; k < l->count; k++) first[l->items[k].block + 2]++;
    for (size_t b = 1; b < f->block_count + 2; b++) first[b] += first[b - 1];
    for (size_t k = 0; k < l->count; k++) words[first[l->items[k].block + 1]++] = l->items[k].word;
    live->words = words;
    live->first = first;
}

static flow new_flow(const ptx_function *f, arena *memory) {
    const size_t blocks = f->block_count + 1;
    flow s = {.in = ARENA_ARRAY(memory, blocks, uint64_t),
              .out = ARENA_ARRAY(memory, blocks, uint64_t),
              .defines = ARENA_ARRAY(memory, blocks, uint64_t),
              .touched = ARENA_ARRAY(memory, blocks, bool),
              .waiting = ARENA_ARRAY(memory, blocks, bool),
              .list = ARENA_ARRAY(memory, blocks, uint32_t),
              .queue = ARENA_ARRAY(memory, blocks, uint32_t),
              .blocks = (uint32_t)blocks};
    ptx_predecessors_find(f, memory, &s.above);
    return s;
}

/* Two scans of all blocks: the first gives columns to registers, the second lists needs and definitions by column. */
void ptx_liveness_compute(const ptx_function *f, arena *memory, ptx_liveness *l) {
    *l = (ptx_liveness){0};
    uint32_t *defined = ARENA_ARRAY(memory, f->register_count + 1, uint32_t);
    find_columns(f, memory, defined, l);
    found_list all = {.memory = memory};
    if (l->columns) {
        const uint32_t words = (l->columns + 63) / 64;
        listing list = {.live = l, .memory = memory, .item_of = ARENA_ARRAY(memory, words, uint32_t)};
        block_scan s = {.defined = defined, .context = &list, .need = list_need, .define = list_definition};
        memset(defined, 0, f->register_count * sizeof *defined);
        for (s.block = list.block = 0; s.block < f->block_count; list.block = ++s.block) scan_block(f, &s);
        uint32_t *first = ARENA_ARRAY(memory, words + 2, uint32_t);
        const entry *sorted = sort_entries(&list, words, first, memory);
        flow through = new_flow(f, memory);
        for (uint32_t w = 0; w < words; w++) {
            flow_word(&through, sorted + first[w], sorted + first[w + 1]);
            take_word(&through, w, &all);
        }
    }
    sort_words(&all, f, memory, l);
}

/* Searches the block's words, which are sorted. */
bool ptx_is_live_in(const ptx_liveness *l, uint32_t block, uint32_t reg) {
    const uint32_t column = l->column[reg] - 1, first = l->first[block];
    size_t at;
    if (!l->column[reg]) return false;
    SEARCH_FIRST(at, l->first[block + 1] - first, k, l->words[first + k].word < column / 64);
    at += first;
    return at < l->first[block + 1] && l->words[at].word == column / 64 && l->words[at].in >> column % 64 & 1;
}
