/* Replaces registers by the operand that machine code has for them, and drops what then has no user.
 *
 * A register that is written once is replaced if its value costs nothing where it is used. The table of replacements is
 * made in program order; a replacement of a replacement is followed to its end. */
#include "assembler/compact.h"

#include "assembler/values.h"
#include "ptx/edges.h"
#include "ptx/liveness.h"
#include "ptx/traits.h"
#include "ptx/users.h"

#include <string.h>

/* ---- lives ---- */

/* Gives each life of a register within a block a register of its own: then it is written once. */
typedef struct splitting {
    const ptx_liveness *live;
    ptx_function *to;
    size_t capacity;
    uint32_t *now; /* by register of the original: its present life */
    arena *memory;
} splitting;

static void split_operand(const splitting *s, ptx_operand *o) {
    if (o->kind == PTX_REGISTER) o->reg = s->now[o->reg];
    if (!o->part_count) return;
    ptx_operand *parts = ARENA_ARRAY(s->memory, o->part_count, ptx_operand);
    memcpy(parts, o->parts, o->part_count * sizeof *parts);
    o->parts = parts;
    for (uint32_t k = 0; k < o->part_count; k++) split_operand(s, &parts[k]);
}

/* Begins a new life of the register that an instruction writes and does not read. */
static void begin_life(splitting *s, const ptx_instruction *i) {
    const uint32_t reg = i->operands[0].reg;
    if (s->live->column[reg] || i->guarded) return;
    const ptx_register made = s->to->registers[reg];
    s->now[reg] = (uint32_t)s->to->register_count;
    ARENA_PUSH(s->memory, s->to->registers, s->to->register_count, s->capacity, made);
}

static ptx_function *split_lives(const ptx_function *from, const ptx_liveness *live, arena *memory) {
    splitting s = {.live = live, .to = ARENA_NEW(memory, ptx_function), .memory = memory};
    s.now = ARENA_ARRAY(memory, from->register_count + 1, uint32_t);
    *s.to = *from;
    s.to->registers = NULL;
    s.to->register_count = 0;
    for (uint32_t r = 0; r < from->register_count; s.now[r] = r, r++)
        ARENA_PUSH(memory, s.to->registers, s.to->register_count, s.capacity, from->registers[r]);
    s.to->instructions = ARENA_ARRAY(memory, from->instruction_count + 1, ptx_instruction);
    for (size_t k = 0; k < from->instruction_count; k++) {
        ptx_instruction *i = &s.to->instructions[k];
        *i = from->instructions[k];
        i->operands = ARENA_ARRAY(memory, i->operand_count + 1u, ptx_operand);
        if (i->operand_count)
            memcpy(i->operands, from->instructions[k].operands, i->operand_count * sizeof *i->operands);
        for (unsigned o = 1; o < i->operand_count; o++) split_operand(&s, &i->operands[o]);
        if (i->guarded) i->guard = s.now[i->guard];
        if (!i->operand_count) continue;
        if (i->operands[0].kind == PTX_REGISTER && ptx_is_pure(i->op)) begin_life(&s, &from->instructions[k]);
        split_operand(&s, &i->operands[0]);
    }
    return s.to;
}

/* ---- replacements of registers ---- */

typedef enum replacement_kind { KEPT, FREE, ALIAS } replacement_kind;

/* A register stays, needs no register where it is used, or is another one. */
typedef struct replacement {
    uint8_t kind;
    uint32_t reg;   /* the other one; or if none is needed: 0 for zero, else a number of the value, above 0 */
    int64_t beyond; /* what its value is more than the other one's; only addresses */
} replacement;

typedef struct compaction {
    const ptx_function *from;
    const sim_values *values;
    const ptx_users *readers;
    replacement *of; /* by register */
    arena *memory;
} compaction;

/* ---- users ---- */

/* Whether the address of a memory operand is the instruction's only use of the register. */
static bool is_address_of(const ptx_instruction *i, uint32_t reg) {
    for (unsigned k = 0; k < i->operand_count; k++)
        if (i->operands[k].kind == PTX_REGISTER && i->operands[k].reg == reg) return false;
    return ptx_is_address_in(i, reg);
}

static bool all_users(const compaction *c, uint32_t reg, bool (*test)(const ptx_instruction *, uint32_t)) {
    const ptx_users *u = c->readers;
    for (uint32_t k = u->first[reg]; k < u->first[reg + 1]; k++)
        if (!test(&c->from->instructions[u->instructions[k]], reg)) return false;
    return true;
}

static bool adds_wide(const ptx_instruction *i, uint32_t reg) {
    (void)reg;
    return i->op == PTX_OP_ADD && ptx_bits(i->type) == 64;
}

static bool scales_or_adds(const ptx_instruction *i, uint32_t reg) {
    return adds_wide(i, reg) || i->op == PTX_OP_SHL || (i->op == PTX_OP_MUL && ptx_bits(i->type) == 64);
}

/* ---- replacements ---- */

/* Returns the replacement of `reg`, a copy of an operand: FREE if it needs no register. A register that is written more
 * than once is not replaced by another, since it may change before the use. */
static replacement operand_becomes(const compaction *c, uint32_t reg, const ptx_operand *o) {
    switch (o->kind) {
    case PTX_REGISTER:
        if (c->of[o->reg].kind != KEPT) return c->of[o->reg];
        return c->values->definitions[o->reg] == 1 ? (replacement){.kind = ALIAS, .reg = o->reg} : (replacement){0};
    case PTX_INTEGER:
    case PTX_FLOATING: return (replacement){.kind = FREE, .reg = o->bits ? reg + 1 : 0};
    case PTX_VARIABLE_ADDRESS:
    case PTX_FUNCTION_ADDRESS: return (replacement){.kind = FREE, .reg = reg + 1};
    default: return (replacement){0};
    }
}

/* Conversions between integers that an instruction does to its operand, or that are a name for a part of it. */
static replacement conversion_becomes(const compaction *c, const ptx_instruction *i) {
    if (!ptx_is_integer(i->type) || !ptx_is_integer(i->type2)) return (replacement){0};
    const unsigned to = ptx_bits(i->type), from = ptx_bits(i->type2);
    const uint32_t reg = i->operands[0].reg;
    if (to < from && from == 64) return (replacement){0};
    if (to == 64 && ptx_is_signed(i->type2) && !all_users(c, reg, scales_or_adds)) return (replacement){0};
    return operand_becomes(c, reg, &i->operands[1]);
}

/* Returns the replacement of the instruction's result, which is written once. */
static replacement result_becomes(const compaction *c, const ptx_instruction *i) {
    const uint32_t reg = i->operands[0].reg;
    if (i->operand_count < 2) return (replacement){0};
    if (c->values->uniform[reg] && ptx_is_integer(i->type)) return (replacement){.kind = FREE, .reg = reg + 1};
    if (ptx_has(i->op, PTX_TRAIT_MOVES)) return operand_becomes(c, reg, &i->operands[1]);
    if (i->op == PTX_OP_CVT) return conversion_becomes(c, i);
    if (i->op == PTX_OP_FNEG || i->op == PTX_OP_FABS) return operand_becomes(c, reg, &i->operands[1]);
    if (i->operand_count < 3 || i->operands[2].kind != PTX_INTEGER) return (replacement){0};
    const bool scales = i->op == PTX_OP_MUL_WIDE || (i->op == PTX_OP_SHL && ptx_bits(i->type) == 64);
    if (scales && all_users(c, reg, adds_wide)) return operand_becomes(c, reg, &i->operands[1]);
    if (i->op != PTX_OP_ADD || !all_users(c, reg, is_address_of)) return (replacement){0};
    replacement r = operand_becomes(c, reg, &i->operands[1]);
    r.beyond += (int64_t)i->operands[2].bits;
    return r;
}

static void replace_parameters(compaction *c, const ptx_operand *d) {
    for (uint32_t k = 0; k < (d->kind == PTX_VECTOR ? d->part_count : 1); k++) {
        const ptx_operand *e = d->kind == PTX_VECTOR ? &d->parts[k] : d;
        if (e->kind == PTX_REGISTER && c->values->definitions[e->reg] == 1)
            c->of[e->reg] = (replacement){.kind = FREE, .reg = e->reg + 1};
    }
}

/* Whether it loads from constant memory at an address that needs no register: machine code names the place instead. */
static bool loads_constant(const compaction *c, const ptx_instruction *i) {
    if (i->op != PTX_OP_LD || i->mods[PTX_SLOT_SPACE] != PTX_MOD_CONST || i->operands[1].kind != PTX_MEMORY)
        return false;
    const ptx_operand *base = &i->operands[1].parts[0];
    return base->kind != PTX_REGISTER || c->of[base->reg].kind == FREE;
}

static void find_replacements(compaction *c) {
    for (size_t k = 0; k < c->from->instruction_count; k++) {
        const ptx_instruction *i = &c->from->instructions[k];
        if (i->guarded || !i->operand_count) continue;
        const ptx_operand *d = &i->operands[0];
        if (ptx_loads_parameter(i) || loads_constant(c, i))
            replace_parameters(c, d);
        else if (ptx_is_pure(i->op) && d->kind == PTX_REGISTER && c->values->definitions[d->reg] == 1)
            c->of[d->reg] = result_becomes(c, i);
    }
}

/* ---- the copy ---- */

static void copy_operand(const compaction *c, const ptx_operand *from, ptx_operand *to) {
    *to = *from;
    if (from->kind == PTX_REGISTER && c->of[from->reg].kind == FREE)
        *to = (ptx_operand){.kind = PTX_INTEGER, .bits = c->of[from->reg].reg};
    if (from->kind == PTX_REGISTER && c->of[from->reg].kind == ALIAS) to->reg = c->of[from->reg].reg;
    if (!from->part_count) return;
    to->parts = ARENA_ARRAY(c->memory, from->part_count, ptx_operand);
    for (uint32_t k = 0; k < from->part_count; k++) copy_operand(c, &from->parts[k], &to->parts[k]);
    if (from->kind == PTX_MEMORY && from->parts[0].kind == PTX_REGISTER) to->offset += c->of[from->parts[0].reg].beyond;
}

typedef struct result_scan {
    const compaction *compaction;
    bool any, kept;
} result_scan;

static void see_result(void *context, uint32_t reg, bool writes) {
    result_scan *s = context;
    if (!writes) return;
    s->any = true;
    s->kept |= s->compaction->values->needed[reg] && s->compaction->of[reg].kind == KEPT;
}

/* Whether the instruction has an effect, or a result that stays in a register. */
static bool is_kept(const compaction *c, const ptx_instruction *i) {
    result_scan s = {.compaction = c};
    if (!ptx_is_pure(i->op) && i->op != PTX_OP_LD) return true;
    ptx_visit_registers(i, see_result, &s);
    return !s.any || s.kept;
}

static void copy_instruction(const compaction *c, const ptx_instruction *i, ptx_function *to) {
    ptx_instruction *made = &to->instructions[to->instruction_count++];
    *made = *i;
    made->operands = ARENA_ARRAY(c->memory, i->operand_count + 1u, ptx_operand);
    for (unsigned k = 0; k < i->operand_count; k++) copy_operand(c, &i->operands[k], &made->operands[k]);
    if (i->guarded && c->of[i->guard].kind != KEPT) made->guarded = false;
}

/* ---- blocks that become one ---- */

enum { MOST_PREDICATED = 6 };

typedef struct merging {
    const ptx_function *from;
    const sim_values *values;
    ptx_predecessors above;
    bool *done; /* by block */
    ptx_function *to;
} merging;

static const ptx_block *block_of(const merging *m, uint32_t b) {
    return &m->from->blocks[b];
}

/* The only block that comes after this one, or none. */
static uint32_t only_successor(const ptx_block *b) {
    if (b->table_count || (b->next != PTX_NO_BLOCK && b->taken != PTX_NO_BLOCK)) return PTX_NO_BLOCK;
    return b->next != PTX_NO_BLOCK ? b->next : b->taken;
}

static uint32_t predecessors_of(const merging *m, uint32_t b) {
    return ptx_predecessor_count(&m->above, b);
}

static bool is_predicable(const merging *m, uint32_t block) {
    const ptx_block *b = block_of(m, block);
    uint32_t count = 0;
    for (uint32_t k = b->first; k < b->end; k++) {
        const ptx_instruction *i = &m->from->instructions[k];
        if (i->op == PTX_OP_BRA && !i->guarded) continue;
        if (i->guarded || ptx_has(i->op, PTX_TRAIT_STOPS) || sim_is_call(i) ||
            !(ptx_is_pure(i->op) || ptx_is_access(i->op)))
            return false;
        count++;
    }
    return count <= MOST_PREDICATED;
}

/* The branch of a block that is joined with the next one is left out. A write under a predicate keeps the value that
 * was there before, if there may have been one. */
static void append(const merging *m, uint32_t block, bool joined, bool predicated) {
    const ptx_block *b = block_of(m, block);
    for (uint32_t k = b->first; k < b->end; k++) {
        const ptx_instruction *i = &m->from->instructions[k];
        if (joined && i->op == PTX_OP_BRA) continue;
        ptx_instruction *made = &m->to->instructions[m->to->instruction_count++];
        *made = *i;
        const ptx_operand *d = i->operand_count ? &i->operands[0] : NULL;
        if (predicated && d && d->kind == PTX_REGISTER && m->values->definitions[d->reg] > 1) {
            made->guarded = true;
            made->guard = d->reg;
        }
    }
}

/* Returns the block that a short branch from `a` skips; none if there is no such thing. */
static uint32_t skipped_block(const merging *m, uint32_t a) {
    const ptx_block *b = block_of(m, a);
    if (b->next == PTX_NO_BLOCK || b->taken == PTX_NO_BLOCK || b->table_count) return PTX_NO_BLOCK;
    const uint32_t inner = b->next;
    if (inner == a || m->done[inner] || predecessors_of(m, inner) != 1 || b->taken == a) return PTX_NO_BLOCK;
    if (only_successor(block_of(m, inner)) != b->taken || !is_predicable(m, inner)) return PTX_NO_BLOCK;
    return inner;
}

/* Appends the block with those that become one with it; returns the last of them. */
static uint32_t merge_from(const merging *m, uint32_t a) {
    for (;;) {
        uint32_t after = only_successor(block_of(m, a));
        const uint32_t inner = skipped_block(m, a);
        uint32_t ways = 1;
        m->done[a] = true;
        append(m, a, inner != PTX_NO_BLOCK || after != PTX_NO_BLOCK, false);
        if (inner != PTX_NO_BLOCK) {
            m->done[inner] = true;
            append(m, inner, true, true);
            after = block_of(m, a)->taken;
            a = inner;
            ways = 2;
        }
        if (after == PTX_NO_BLOCK || m->done[after] || predecessors_of(m, after) != ways) return a;
        a = after;
    }
}

/* Names the block's successors by their new numbers. All of them begin a block that was not joined to another. */
static void renumber(ptx_block *b, const uint32_t *number, arena *memory) {
    uint32_t *table = ARENA_ARRAY(memory, b->table_count + 1, uint32_t);
    for (uint32_t k = 0; k < b->table_count; k++)
        table[k] = b->table[k] == PTX_NO_BLOCK ? PTX_NO_BLOCK : number[b->table[k]];
    b->table = table;
    if (b->next != PTX_NO_BLOCK) b->next = number[b->next];
    if (b->taken != PTX_NO_BLOCK) b->taken = number[b->taken];
}

static ptx_function *merge_blocks(const ptx_function *from, const sim_values *values, arena *memory) {
    merging m = {.from = from, .values = values, .done = ARENA_ARRAY(memory, from->block_count + 1, bool)};
    uint32_t *number = ARENA_ARRAY(memory, from->block_count + 1, uint32_t), count = 0;
    ptx_predecessors_find(from, memory, &m.above);
    m.to = ARENA_NEW(memory, ptx_function);
    *m.to = *from;
    m.to->blocks = ARENA_ARRAY(memory, from->block_count + 1, ptx_block);
    m.to->instructions = ARENA_ARRAY(memory, from->instruction_count + 1, ptx_instruction);
    m.to->instruction_count = 0;
    for (uint32_t b = 0; b < from->block_count; b++) {
        if (m.done[b]) continue;
        const uint32_t first = (uint32_t)m.to->instruction_count, last = merge_from(&m, b);
        m.to->blocks[count] = from->blocks[last];
        m.to->blocks[count].first = first;
        m.to->blocks[count].end = (uint32_t)m.to->instruction_count;
        number[b] = count++;
    }
    m.to->block_count = count;
    for (uint32_t b = 0; b < count; b++) renumber(&m.to->blocks[b], number, memory);
    return m.to;
}

ptx_function *sim_compact(const ptx_function *flat, arena *memory) {
    sim_values values;
    ptx_users readers;
    ptx_function *to = ARENA_NEW(memory, ptx_function);
    ptx_liveness live;
    ptx_liveness_compute(flat, memory, &live);
    flat = split_lives(flat, &live, memory);
    sim_values_find(flat, memory, &values);
    ptx_users_find(flat, memory, &readers, NULL);
    compaction c = {flat, &values, &readers, ARENA_ARRAY(memory, flat->register_count + 1, replacement), memory};
    find_replacements(&c);
    *to = *flat;
    to->blocks = ARENA_ARRAY(memory, flat->block_count + 1, ptx_block);
    to->instructions = ARENA_ARRAY(memory, flat->instruction_count + 1, ptx_instruction);
    to->instruction_count = 0;
    for (size_t b = 0; b < flat->block_count; b++) {
        to->blocks[b] = flat->blocks[b];
        to->blocks[b].first = (uint32_t)to->instruction_count;
        for (uint32_t i = flat->blocks[b].first; i < flat->blocks[b].end; i++)
            if (is_kept(&c, &flat->instructions[i])) copy_instruction(&c, &flat->instructions[i], to);
        to->blocks[b].end = (uint32_t)to->instruction_count;
    }
    return merge_blocks(to, &values, memory);
}
