/* Guards loads by the selection that takes their value. */
#include "assembler/selected_load.h"

#include "assembler/rewrite.h"
#include "ptx/edges.h"
#include "ptx/traits.h"
#include "ptx/users.h"

#define NONE UINT32_MAX

typedef struct selecting {
    const ptx_function *function;
    ptx_users readers, writers;
    uint32_t *load_for; /* by instruction: the load that moves to this selection; or NONE */
    uint32_t *guard_of; /* by instruction: the selection whose predicate guards this load; or NONE */
} selecting;

/* Returns the only instruction that writes the register, if it is in the block and before `at`; or NONE. */
static uint32_t writer_in(const selecting *s, uint32_t reg, uint32_t block, uint32_t at) {
    const uint32_t first = s->writers.first[reg];
    if (s->writers.first[reg + 1] - first != 1) return NONE;
    const uint32_t writer = s->writers.instructions[first];
    return writer < at && ptx_block_of(s->function, writer) == block ? writer : NONE;
}

static bool is_written_between(const selecting *s, uint32_t reg, uint32_t from, uint32_t to) {
    for (uint32_t k = s->writers.first[reg]; k < s->writers.first[reg + 1]; k++)
        if (s->writers.instructions[k] > from && s->writers.instructions[k] < to) return true;
    return false;
}

/* Whether the selection is the last use of the register's value, and no other block uses it. */
static bool ends_at(const selecting *s, uint32_t reg, uint32_t selection) {
    const uint32_t block = ptx_block_of(s->function, selection);
    for (uint32_t k = s->readers.first[reg]; k < s->readers.first[reg + 1]; k++) {
        const uint32_t reader = s->readers.instructions[k];
        if (reader > selection || ptx_block_of(s->function, reader) != block) return false;
    }
    return true;
}

static bool is_used_once(const selecting *s, uint32_t reg) {
    return s->readers.first[reg + 1] - s->readers.first[reg] == 1;
}

/* A load of one number of at most 32 bits from memory that stores can change. */
static bool is_single_load(const ptx_instruction *i) {
    const unsigned space = i->mods[PTX_SLOT_SPACE];
    return i->op == PTX_OP_LD && !i->guarded && !ptx_acquires(i) && i->operands[0].kind == PTX_REGISTER &&
           ptx_bits(i->type) <= 32 && (space == PTX_MOD_GLOBAL || ptx_in_shared(i));
}

static bool is_computed(const ptx_instruction *i) {
    return !ptx_loads_parameter(i) && !(ptx_has(i->op, PTX_TRAIT_MOVES) && i->operands[1].kind != PTX_REGISTER);
}

/* Whether the load may move to the selection: memory and the address stay as they are. */
static bool can_move(const selecting *s, uint32_t load, uint32_t selection) {
    const ptx_operand *address = &s->function->instructions[load].operands[1].parts[0];
    if (address->kind == PTX_REGISTER && is_written_between(s, address->reg, load, selection)) return false;
    for (uint32_t k = load + 1; k < selection; k++) {
        const ptx_instruction *i = &s->function->instructions[k];
        const bool stays = ptx_is(i->op, PTX_KIND_LOAD | PTX_KIND_COLLECTIVE | PTX_KIND_PRODUCT) && !ptx_acquires(i);
        if (!ptx_is_pure(i->op) && !stays) return false;
    }
    return true;
}

static bool selects_registers(const ptx_instruction *i) {
    bool all = i->op == PTX_OP_SELP && !i->guarded && ptx_bits(i->type) <= 32;
    for (unsigned k = 1; all && k <= 3; k++) all = i->operands[k].kind == PTX_REGISTER && !i->operands[k].negated;
    return all && i->operands[1].reg != i->operands[2].reg;
}

/* Finds the load that the selection's predicate guards. */
static bool look_at(selecting *s, uint32_t at) {
    const ptx_instruction *all = s->function->instructions, *i = &all[at];
    if (!selects_registers(i)) return false;
    const uint32_t block = ptx_block_of(s->function, at);
    const uint32_t a = writer_in(s, i->operands[1].reg, block, at), b = writer_in(s, i->operands[2].reg, block, at);
    if (a == NONE || b == NONE) return false;
    const unsigned later = a > b ? 1 : 2;
    const uint32_t load = a > b ? a : b, other = a > b ? b : a;
    if (!is_single_load(&all[load]) || !is_computed(&all[other]) || !can_move(s, load, at)) return false;
    if (!is_used_once(s, i->operands[later].reg) || !ends_at(s, i->operands[3 - later].reg, at)) return false;
    s->guard_of[load] = at;
    if (is_written_between(s, i->operands[3].reg, load, at)) s->load_for[at] = load;
    return true;
}

/* The load, with a guard: it runs in the lanes that select its value. */
static ptx_instruction guarded(const selecting *s, uint32_t load) {
    const ptx_instruction *selection = &s->function->instructions[s->guard_of[load]];
    ptx_instruction i = s->function->instructions[load];
    i.guarded = true;
    i.guard = selection->operands[3].reg;
    i.guard_negated = i.operands[0].reg == selection->operands[2].reg;
    return i;
}

static void rewrite(const selecting *s, sim_rewrite *to) {
    for (uint32_t k = 0; k < s->function->instruction_count; k++) {
        const uint32_t selection = s->guard_of[k];
        sim_rewrite_at(to, k);
        if (s->load_for[k] != NONE) sim_rewrite_add(to, guarded(s, s->load_for[k]));
        if (selection == NONE)
            sim_rewrite_add(to, s->function->instructions[k]);
        else if (s->load_for[selection] == NONE)
            sim_rewrite_add(to, guarded(s, k));
    }
    sim_rewrite_end(to);
}

ptx_function *sim_guard_selected_loads(ptx_module *module, ptx_function *flat, arena *scratch) {
    selecting s = {.function = flat};
    sim_rewrite to;
    bool found = false;
    ptx_users_find(flat, scratch, &s.readers, &s.writers);
    s.load_for = ARENA_ARRAY(scratch, flat->instruction_count + 1, uint32_t);
    s.guard_of = ARENA_ARRAY(scratch, flat->instruction_count + 1, uint32_t);
    for (uint32_t k = 0; k < flat->instruction_count; k++) s.load_for[k] = s.guard_of[k] = NONE;
    for (uint32_t k = 0; k < flat->instruction_count; k++) found |= look_at(&s, k);
    if (!found) return flat;
    sim_rewrite_begin(&to, flat, &module->memory);
    rewrite(&s, &to);
    return to.to;
}
