/* Takes back speculation of nvcc's, so that checks see the accesses that the program makes. */
#include "assembler/masked_load.h"

#include "assembler/rewrite.h"
#include "ptx/edges.h"
#include "ptx/traits.h"
#include "ptx/users.h"

enum { MOST_STEPS = 6 }; /* from the load to the predicate */

typedef struct masking {
    const ptx_function *function;
    ptx_users readers, writers;
} masking;

static uint32_t user_count(const ptx_users *u, uint32_t reg) {
    return u->first[reg + 1] - u->first[reg];
}

/* Returns the register that the instruction alone writes, and that is all it writes; PTX_NO_BLOCK if there is none. */
static uint32_t only_result(const masking *m, const ptx_instruction *i) {
    if (!i->operand_count || i->operands[0].kind != PTX_REGISTER || i->guarded) return PTX_NO_BLOCK;
    const uint32_t reg = i->operands[0].reg;
    return user_count(&m->writers, reg) == 1 && user_count(&m->readers, reg) == 1 ? reg : PTX_NO_BLOCK;
}

static bool joins_predicates(const ptx_instruction *i) {
    return (i->op == PTX_OP_OR || i->op == PTX_OP_AND) && i->type == PTX_PRED && !i->guarded;
}

/* True if an instruction from `from` on and before `to` writes the register. */
static bool is_written(const masking *m, uint32_t reg, uint32_t from, uint32_t to) {
    for (uint32_t k = m->writers.first[reg]; k < m->writers.first[reg + 1]; k++)
        if (m->writers.instructions[k] >= from && m->writers.instructions[k] < to) return true;
    return false;
}

static bool is_plain_load(const ptx_instruction *i) {
    const unsigned order = i->mods[PTX_SLOT_ORDER];
    return i->op == PTX_OP_LD && !i->guarded && (order == 0 || order == PTX_MOD_WEAK);
}

/* Follows the load's value to the join of predicates at which it is used up. Returns that instruction, and the register
 * with the value there; PTX_NO_BLOCK if the value has another use. */
static uint32_t find_join(const masking *m, uint32_t load, uint32_t *value) {
    const ptx_function *f = m->function;
    uint32_t at = load;
    for (unsigned step = 0; step < MOST_STEPS; step++) {
        *value = only_result(m, &f->instructions[at]);
        if (*value == PTX_NO_BLOCK) return PTX_NO_BLOCK;
        const uint32_t reader = m->readers.instructions[m->readers.first[*value]];
        const ptx_instruction *i = &f->instructions[reader];
        if (reader <= at || ptx_block_of(f, reader) != ptx_block_of(f, load)) return PTX_NO_BLOCK;
        if (joins_predicates(i)) return reader;
        if (!ptx_is(i->op, PTX_KIND_ARITHMETIC)) return PTX_NO_BLOCK;
        at = reader;
    }
    return PTX_NO_BLOCK;
}

/* Sets the load's guard if its value meets a predicate that was known before the load. Returns true if it did. */
static bool guard_load(const masking *m, uint32_t load, ptx_instruction *i) {
    uint32_t value;
    if (!is_plain_load(i)) return false;
    const uint32_t join = find_join(m, load, &value);
    if (join == PTX_NO_BLOCK) return false;
    const ptx_instruction *both = &m->function->instructions[join];
    const ptx_operand *a = &both->operands[1], *b = &both->operands[2];
    if (a->kind != PTX_REGISTER || b->kind != PTX_REGISTER || a->negated || b->negated) return false;
    const uint32_t other = a->reg == value ? b->reg : a->reg;
    if (other == value || !user_count(&m->writers, other) || is_written(m, other, load, join)) return false;
    i->guarded = true;
    i->guard = other;
    i->guard_negated = both->op == PTX_OP_OR;
    return true;
}

ptx_function *sim_mask_loads(ptx_module *module, ptx_function *flat, arena *scratch) {
    masking m = {.function = flat};
    sim_rewrite to;
    bool changed = false;
    ptx_users_find(flat, scratch, &m.readers, &m.writers);
    sim_rewrite_begin(&to, flat, &module->memory);
    for (uint32_t k = 0; k < flat->instruction_count; k++) {
        ptx_instruction i = flat->instructions[k];
        changed |= guard_load(&m, k, &i);
        sim_rewrite_at(&to, k);
        sim_rewrite_add(&to, i);
    }
    sim_rewrite_end(&to);
    return changed ? to.to : flat;
}
