#include "check/look_first.h"

#include "assembler/values.h"
#include "check/internal.h"
#include "ptx/edges.h"
#include "ptx/register_list.h"
#include "ptx/spaces.h"

/* Registers that a value flows into, and blocks behind a branch that it decides: a look needs few, and a kernel may
 * have many loads. */
enum { MOST_REGISTERS = 64, MOST_BLOCKS = 64 };

typedef struct search {
    const sim_loops *loops;
    const ptx_liveness *live;
    sim_values values;
    uint32_t load, home;     /* the load, and its block */
    sim_place word;          /* that it loads */
    bool moves;              /* its address changes in some other block, as in a loop */
    ptx_register_list value; /* registers that the loaded value may have flowed into */
    bool *inside; /* by block, of the branch being looked at: where only some lanes come before they all meet */
    uint32_t path[MOST_BLOCKS], blocks; /* these blocks */
    uint32_t join;                      /* where they meet; PTX_NO_BLOCK: at the end */
    bool is_limited;                    /* there is a minimum or maximum that the value decides on */
    bool is_tried;                      /* there is a compare-and-swap that it decides on */
    bool is_lost;                       /* the value has another effect */
} search;

static bool is_limit(const ptx_instruction *i) {
    if (!ptx_is(i->op, PTX_KIND_ATOMIC | PTX_KIND_REDUCTION)) return false;
    return i->mods[PTX_SLOT_ATOMIC] == PTX_MOD_ATOM_MIN || i->mods[PTX_SLOT_ATOMIC] == PTX_MOD_ATOM_MAX;
}

bool sim_may_look_first(const ptx_function *f) {
    for (size_t i = 0; i < f->instruction_count; i++)
        if (is_limit(&f->instructions[i]) || sim_is_compare_and_swap(&f->instructions[i])) return true;
    return false;
}

static bool has_several_values(const search *s, const sim_place *p, uint32_t *base) {
    return sim_place_register(p, base) && s->values.definitions[*base] > 1;
}

/* Returns the place of a memory operand. Sums with a register that changes stand for themselves, as it may have changed
 * since. */
static sim_place place_of(const search *s, const ptx_operand *memory) {
    uint32_t base;
    const ptx_operand *address = &memory->parts[0];
    const sim_place p = sim_place_of(s->loops->function, &s->values, memory);
    if (address->kind != PTX_REGISTER || !has_several_values(s, &p, &base)) return p;
    return (sim_place){.base = sim_register_base(address->reg), .offset = memory->offset};
}

static bool is_of_word(const search *s, const ptx_operand *memory) {
    const sim_place p = place_of(s, memory);
    return p.base == s->word.base && p.offset == s->word.offset;
}

static bool limits_word(const search *s, const ptx_instruction *i) {
    return is_limit(i) && is_of_word(s, ptx_accessed_memory(i));
}

static bool tries_word(const search *s, const ptx_instruction *i) {
    return sim_is_compare_and_swap(i) && !i->guarded && is_of_word(s, &i->operands[1]);
}

/* ---- how a compare-and-swap ends ---- */

/* Returns the operand, or the number that the only definition of its register moves there. */
static const ptx_operand *number_of(const search *s, const ptx_operand *o) {
    if (o->kind != PTX_REGISTER || s->values.definitions[o->reg] != 1) return o;
    const ptx_instruction *by = &s->loops->function->instructions[s->values.definition[o->reg]];
    return by->op == PTX_OP_MOV && by->operands[1].kind == PTX_INTEGER ? &by->operands[1] : o;
}

/* A number may be written with or without a sign. */
static bool are_equal(const search *s, const ptx_operand *a, const ptx_operand *b, bool is_word) {
    if (a->kind == PTX_REGISTER && b->kind == PTX_REGISTER && a->reg == b->reg) return true;
    a = number_of(s, a);
    b = number_of(s, b);
    if (a->kind != PTX_INTEGER || b->kind != PTX_INTEGER) return false;
    return is_word ? (uint32_t)a->bits == (uint32_t)b->bits : a->bits == b->bits;
}

/* True if the instruction compares the result of `swap` with the value that it expected. */
static bool tests_swap(const search *s, const ptx_instruction *i, const ptx_instruction *swap) {
    const unsigned how = i->mods[PTX_SLOT_COMPARE];
    if (i->op != PTX_OP_SETP || i->operand_count != 3 || i->guarded || (how != PTX_MOD_EQ && how != PTX_MOD_NE))
        return false;
    const bool is_first = i->operands[1].kind == PTX_REGISTER && i->operands[1].reg == swap->operands[0].reg;
    const ptx_operand *result = &i->operands[is_first ? 1 : 2], *other = &i->operands[is_first ? 2 : 1];
    return result->kind == PTX_REGISTER && result->reg == swap->operands[0].reg &&
           are_equal(s, other, &swap->operands[2], ptx_types[swap->type].bits == 32);
}

/* Returns where a thread goes on from the block if its compare-and-swap there has failed; PTX_NO_BLOCK if the block
 * does not end with a branch that only asks for that. */
static uint32_t failing_side(const search *s, const ptx_block *b, uint32_t swap) {
    const ptx_instruction *all = s->loops->function->instructions, *last = &all[b->end - 1];
    if (last->op != PTX_OP_BRA || !last->guarded) return PTX_NO_BLOCK;
    for (uint32_t i = b->end - 1; i-- > swap + 1;) {
        if (all[i].operands[0].kind != PTX_REGISTER || all[i].operands[0].reg != last->guard) continue;
        if (!tests_swap(s, &all[i], &all[swap])) return PTX_NO_BLOCK;
        const bool taken_if_done = (all[i].mods[PTX_SLOT_COMPARE] == PTX_MOD_EQ) != last->guard_negated;
        return taken_if_done ? b->next : b->taken;
    }
    return PTX_NO_BLOCK;
}

/* ---- the instructions behind a branch ---- */

/* The value has another effect if a register that one side of the branch writes is read after it, or if it holds the
 * word's address. */
static void note_write(void *context, uint32_t reg, bool writes) {
    search *s = context;
    uint32_t base;
    const bool is_address = sim_place_register(&s->word, &base) && base == reg;
    const bool is_needed = s->join != PTX_NO_BLOCK && ptx_is_live_in(s->live, s->join, reg);
    s->is_lost |= writes && (is_address || is_needed);
}

static void look_at(search *s, const ptx_instruction *i) {
    const bool limits = limits_word(s, i), tries = tries_word(s, i);
    const bool is_harmless = limits || tries || ptx_is_pure(i->op) || i->op == PTX_OP_BRA ||
                             (i->op == PTX_OP_LD && !sim_is_strong(i, PTX_OP_LD)) ||
                             (s->join == PTX_NO_BLOCK && ptx_is(i->op, PTX_KIND_END));
    s->is_limited |= limits;
    s->is_tried |= tries;
    s->is_lost |= !is_harmless;
    ptx_visit_registers(i, note_write, s);
}

static void go_to(search *s, uint32_t block) {
    if (block == PTX_NO_BLOCK || block == s->join || s->inside[block]) return;
    s->is_lost |= s->blocks == MOST_BLOCKS;
    if (s->is_lost) return;
    s->inside[block] = true;
    s->path[s->blocks++] = block;
}

static void go_on_from(search *s, const ptx_block *b) {
    for (uint32_t k = 0; k < ptx_edge_count(b); k++) go_to(s, ptx_edge(b, k));
}

/* Follows only the failing side of a compare-and-swap: its success does not depend on the loaded value. */
static void follow_block(search *s, const ptx_block *b) {
    const ptx_instruction *all = s->loops->function->instructions;
    uint32_t swap = b->end;
    for (uint32_t i = b->first; i < b->end; i++) {
        look_at(s, &all[i]);
        if (tries_word(s, &all[i])) swap = i;
    }
    if (swap == b->end) {
        go_on_from(s, b);
        return;
    }
    const uint32_t failing = failing_side(s, b, swap);
    s->is_lost |= failing == PTX_NO_BLOCK;
    go_to(s, failing);
}

/* Follows both sides of a branch that the value decides. One that decides whether a loop goes on is no look but a wait:
 * its sides do not meet within the loop. */
static void follow_branch(search *s, uint32_t branch) {
    const ptx_function *f = s->loops->function;
    const uint32_t at = ptx_block_of(f, branch), *component = s->loops->component;
    s->join = f->blocks[at].join;
    s->is_lost |= s->loops->looping[s->home] && (s->join == PTX_NO_BLOCK || component[s->join] != component[s->home]);
    s->blocks = 0;
    go_on_from(s, &f->blocks[at]);
    for (uint32_t next = 0; next < s->blocks && !s->is_lost; next++) follow_block(s, &f->blocks[s->path[next]]);
    for (uint32_t k = 0; k < s->blocks; k++) s->inside[s->path[k]] = false;
}

/* ---- where the value flows ---- */

static bool is_guard_only(const ptx_instruction *i, uint32_t reg) {
    for (unsigned k = 0; k < i->operand_count; k++)
        if (i->operands[k].kind == PTX_REGISTER && i->operands[k].reg == reg) return false;
    return i->guarded && i->guard == reg;
}

static bool has_readers(const search *s, const ptx_instruction *i) {
    if (ptx_is(i->op, PTX_KIND_REDUCTION) || i->operands[0].kind != PTX_REGISTER) return false;
    const uint32_t *first = &s->loops->readers.first[i->operands[0].reg];
    return first[0] != first[1];
}

static void follow_use(search *s, uint32_t use, uint32_t reg) {
    const ptx_instruction *i = &s->loops->function->instructions[use];
    if (ptx_is_pure(i->op)) {
        ptx_list_results(&s->value, i);
        s->is_lost |= s->value.count > MOST_REGISTERS;
    } else if (!is_guard_only(i, reg) || (s->moves && ptx_block_of(s->loops->function, use) != s->home)) {
        s->is_lost = true;
    } else if (i->op == PTX_OP_BRA) {
        follow_branch(s, use);
    } else {
        s->is_limited |= limits_word(s, i);
        s->is_lost |= !limits_word(s, i) || has_readers(s, i);
    }
}

/* Returns whether the word's address stays as it is from the load to the end of its block. note_write() sees to the
 * blocks behind that one's branch. */
static bool keeps_address(const search *s, uint32_t base) {
    const uint32_t *first = &s->loops->writers.first[base];
    const uint32_t end = s->loops->function->blocks[s->home].end;
    for (uint32_t k = first[0]; k < first[1]; k++) {
        const uint32_t writer = s->loops->writers.instructions[k];
        if (writer >= s->load && writer < end) return false;
    }
    return true;
}

/* Returns SIM_USE_* of the load. */
static unsigned look_of(search *s) {
    const ptx_instruction *load = &s->loops->function->instructions[s->load];
    uint32_t base;
    s->word = place_of(s, &load->operands[1]);
    s->moves = has_several_values(s, &s->word, &base);
    if (s->moves && !keeps_address(s, base)) return 0;
    s->is_limited = s->is_tried = s->is_lost = false;
    ptx_register_list_clear(&s->value);
    ptx_list_results(&s->value, load);
    for (uint32_t next = 0; next < s->value.count && !s->is_lost; next++) {
        const uint32_t reg = s->value.registers[next], *first = &s->loops->readers.first[reg];
        for (uint32_t k = first[0]; k < first[1] && !s->is_lost; k++)
            follow_use(s, s->loops->readers.instructions[k], reg);
    }
    if (s->is_lost) return 0;
    return (s->is_limited ? SIM_USE_LOOKS : 0u) | (s->is_tried ? SIM_USE_TRIES : 0u);
}

void sim_looks_mark(const sim_loops *loops, const ptx_liveness *live, arena *memory, uint16_t *table) {
    const ptx_function *f = loops->function;
    search s = {.loops = loops,
                .live = live,
                .value = ptx_register_list_make(f, memory),
                .inside = ARENA_ARRAY(memory, f->block_count, bool)};
    sim_values_find(f, memory, &s.values);
    for (s.home = 0; s.home < f->block_count; s.home++)
        for (s.load = f->blocks[s.home].first; s.load < f->blocks[s.home].end; s.load++) {
            const ptx_instruction *i = &f->instructions[s.load];
            if (i->op == PTX_OP_LD && !sim_is_strong(i, PTX_OP_LD)) table[s.load] |= (uint16_t)look_of(&s);
        }
}

static bool looks_at(unsigned uses, const ptx_instruction *other) {
    return (uses & SIM_USE_LOOKS && is_limit(other)) || (uses & SIM_USE_TRIES && sim_is_compare_and_swap(other));
}

bool sim_only_looks(const sim_grid *g, uint32_t a, uint32_t b) {
    const ptx_instruction *instructions = g->program->function->instructions;
    if (!g->uses) return false;
    return looks_at(g->uses[a], &instructions[b]) || looks_at(g->uses[b], &instructions[a]);
}
