#include "sim/assembler/local.h"

/* An element that is chosen at run time costs a comparison and a move for each that it could be. Machine code that
 * ptxas 13.0 makes does without memory up to so many words and so many of these; what decides in detail is not known.
 */
enum { MOST_WORDS = 64, MOST_CHOICES = 64, FREE_CHOSEN = 2, ELEMENT_BYTES = 4 };

static uint64_t local_words(const ptx_function *f) {
    uint64_t bytes = 0;
    for (size_t k = 0; k < f->variable_count; k++)
        if (f->variables[k]->space == PTX_SPACE_LOCAL) bytes += f->variables[k]->size;
    return (bytes + ELEMENT_BYTES - 1) / ELEMENT_BYTES;
}

static bool in_local(const ptx_instruction *i) {
    return i->mods[PTX_SLOT_SPACE] == PTX_MOD_LOCAL;
}

static bool is_local_access(const ptx_instruction *i) {
    return (i->op == PTX_OP_LD || i->op == PTX_OP_ST) && in_local(i);
}

/* A generic address that somebody needs: who knows what is done with it. */
static bool escapes(const ptx_instruction *i, const sim_values *v) {
    return i->op == PTX_OP_CVTA && in_local(i) && i->operands[0].kind == PTX_REGISTER && v->needed[i->operands[0].reg];
}

/* The address is a variable's and a constant. */
static bool is_fixed(const ptx_function *f, const sim_values *v, const ptx_instruction *i) {
    const uint64_t base = sim_place_of(f, v, &i->operands[i->op == PTX_OP_ST ? 0 : 1]).base;
    for (size_t k = 0; k < f->variable_count; k++)
        if (base == (uint64_t)(uintptr_t)f->variables[k]) return true;
    return false;
}

bool sim_local_in_registers(const ptx_function *f, const sim_values *v) {
    const uint64_t words = local_words(f);
    uint64_t chosen = 0;
    if (words == 0 || words > MOST_WORDS) return false;
    for (size_t k = 0; k < f->instruction_count; k++) {
        const ptx_instruction *i = &f->instructions[k];
        if (escapes(i, v)) return false;
        if (!is_local_access(i)) continue;
        if (ptx_bits(i->type) != 8 * ELEMENT_BYTES) return false;
        chosen += !is_fixed(f, v, i);
    }
    return chosen <= FREE_CHOSEN || words * chosen <= MOST_CHOICES;
}
