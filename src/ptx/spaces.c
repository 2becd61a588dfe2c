/* The state space of each access, from its modifiers, its row and its variable.
 *
 * Accesses to named variables get the variable's space, as in ptxas: `ld.f32 %f1, [table]` becomes ld.global.f32.
 * Everything after the parser may then rely on the modifier. */
#include "ptx/spaces.h"

#include "ptx/forms.h"
#include "ptx/pattern.h"
#include "ptx/traits.h"

static ptx_space space_of_modifier(unsigned modifier) {
    switch (modifier) {
    case PTX_MOD_CONST: return PTX_SPACE_CONST;
    case PTX_MOD_GLOBAL:
    case PTX_MOD_FROM_GLOBAL: return PTX_SPACE_GLOBAL;
    case PTX_MOD_LOCAL: return PTX_SPACE_LOCAL;
    case PTX_MOD_PARAM:
    case PTX_MOD_PARAM_ENTRY:
    case PTX_MOD_PARAM_FUNC: return PTX_SPACE_PARAM;
    case PTX_MOD_SHARED:
    case PTX_MOD_SHARED_CTA:
    case PTX_MOD_SHARED_CLUSTER:
    case PTX_MOD_FROM_SHARED_CTA: return PTX_SPACE_SHARED;
    }
    return PTX_SPACE_GENERIC;
}

const ptx_operand *ptx_accessed_memory(const ptx_instruction *i) {
    if (!ptx_is_access(i->op)) return NULL;
    return &i->operands[ptx_is(i->op, PTX_KIND_LOAD | PTX_KIND_ATOMIC)];
}

/* The second memory operand is the source, the third an mbarrier. */
ptx_space ptx_space_of_memory(const ptx_instruction *i, unsigned which) {
    unsigned source = i->mods[PTX_SLOT_SOURCE];
    if (which == 2) return PTX_SPACE_SHARED;
    const ptx_role second = ptx_pattern_of(i->op)->operands[1].role;
    if (source && (which == 1 || (second != PTX_ROLE_MEMORY && second != PTX_ROLE_TENSOR)))
        return space_of_modifier(source);
    return space_of_modifier(i->mods[PTX_SLOT_SPACE]);
}

/* Counts the memory operands up to `o`, since which one it is decides about its space. */
bool ptx_is_generic(const ptx_instruction *i, const ptx_operand *o) {
    const ptx_pattern *pattern = ptx_pattern_of(i->op);
    unsigned which = 0;
    for (unsigned k = 0; k < i->operand_count; k++) {
        const ptx_role role = pattern->operands[k].role;
        if (&i->operands[k] == o) return role == PTX_ROLE_MEMORY && ptx_space_of_memory(i, which) == PTX_SPACE_GENERIC;
        which += role == PTX_ROLE_MEMORY || role == PTX_ROLE_TENSOR;
    }
    return false;
}

bool ptx_has_shared_only(unsigned op) {
    const bool shared = ptx_row_allows(op, PTX_MOD_SHARED) || ptx_row_allows(op, PTX_MOD_SHARED_CTA) ||
                        ptx_row_allows(op, PTX_MOD_SHARED_CLUSTER);
    return shared && !ptx_row_allows(op, PTX_MOD_GLOBAL);
}

unsigned ptx_most_bytes(const ptx_instruction *i) {
    const unsigned space = i->mods[PTX_SLOT_SPACE];
    const bool moves = i->op == PTX_OP_LD || i->op == PTX_OP_ST;
    return moves && i->type != PTX_B128 && (space == PTX_MOD_GLOBAL || !space) ? PTX_WIDE_ACCESS : PTX_USUAL_ACCESS;
}

/* ---- spaces from variables ---- */

static unsigned modifier_of(ptx_space space) {
    switch (space) {
    case PTX_SPACE_GLOBAL: return PTX_MOD_GLOBAL;
    case PTX_SPACE_SHARED: return PTX_MOD_SHARED;
    case PTX_SPACE_LOCAL: return PTX_MOD_LOCAL;
    default: return PTX_MOD_NONE;
    }
}

/* Whether the instruction with its new space would still be valid; if not, it stays generic. */
static bool is_form(const ptx_instruction *i) {
    const bool fits = ptx_vector_length(i) * ptx_bits(i->type) <= 8 * ptx_most_bytes(i);
    return fits && ptx_row_allows(i->op, i->mods[PTX_SLOT_SPACE]) && !ptx_form_fault(i);
}

void ptx_name_spaces(ptx_function *f) {
    for (size_t k = 0; k < f->instruction_count; k++) {
        const ptx_operand *memory = ptx_accessed_memory(&f->instructions[k]);
        if (!memory || memory->parts[0].kind != PTX_VARIABLE_ADDRESS || !ptx_is_generic(&f->instructions[k], memory))
            continue;
        ptx_instruction named = f->instructions[k];
        named.mods[PTX_SLOT_SPACE] = (uint16_t)modifier_of(memory->parts[0].variable->space);
        if (named.mods[PTX_SLOT_SPACE] && is_form(&named)) f->instructions[k] = named;
    }
}
