#include "sim/assembler/local.h"

#include "sim/assembler/loop.h"

/* An element that is chosen at run time costs a comparison and a move for each that it could be; in a loop, as
 * much as several, unless a constant ends it, so that it is unrolled. Machine code that ptxas 13.0 makes of some 300
 * kernels with arrays of up to 200 words does without memory up to so many words and so many of these; arrays of an odd
 * number of words, which memory takes one by one, go somewhat further. */
enum {
    MOST_WORDS = 80,
    FREE_CHOSEN = 2,
    FEW_CHOSEN = 3,
    MOST_WORDS_OF_FEW = 30,
    MOST_CHOICES = 59,
    IN_LOOP = 4,
    ELEMENT_BYTES = 4
};

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

/* All that is written to the register, but for its steps, are constants. */
static bool begins_constant(const ptx_function *f, uint32_t reg) {
    for (size_t k = 0; k < f->instruction_count; k++) {
        const ptx_instruction *i = &f->instructions[k];
        if (i->operand_count < 2 || i->operands[0].kind != PTX_REGISTER || i->operands[0].reg != reg) continue;
        if (!sim_step_of(i, reg) && (i->op != PTX_OP_MOV || i->operands[1].kind != PTX_INTEGER)) return false;
    }
    return true;
}

/* The block ends a loop and compares a counter, which begins with a constant, with another. */
static bool counts_to_constant(const ptx_function *f, const ptx_block *b) {
    for (uint32_t k = b->first; k < b->end; k++) {
        const ptx_instruction *i = &f->instructions[k];
        if (i->op != PTX_OP_SETP || i->operands[1].kind != PTX_REGISTER || i->operands[2].kind != PTX_INTEGER) continue;
        for (uint32_t step = b->first; step < k; step++)
            if (sim_step_of(&f->instructions[step], i->operands[1].reg)) return begins_constant(f, i->operands[1].reg);
    }
    return false;
}

/* By block: how much an element that is chosen there weighs. */
static uint8_t *find_weights(const ptx_function *f, arena *memory) {
    uint8_t *weight = ARENA_ARRAY(memory, f->block_count + 1, uint8_t);
    for (uint32_t b = 0; b < f->block_count; b++) {
        const uint32_t next = f->blocks[b].next, taken = f->blocks[b].taken, head = next < taken ? next : taken;
        if (head > b || counts_to_constant(f, &f->blocks[b])) continue;
        for (uint32_t k = head; k <= b; k++) weight[k] = IN_LOOP;
    }
    for (uint32_t b = 0; b < f->block_count; b++)
        if (weight[b] == 0) weight[b] = 1;
    return weight;
}

static bool fits(uint64_t words, uint64_t chosen) {
    if (chosen <= FREE_CHOSEN) return true;
    return chosen == FEW_CHOSEN ? words <= MOST_WORDS_OF_FEW : words * chosen <= MOST_CHOICES;
}

bool sim_local_in_registers(const ptx_function *f, const sim_values *v, arena *memory) {
    const uint64_t words = local_words(f);
    const uint8_t *weight = find_weights(f, memory);
    uint64_t chosen = 0;
    bool loaded = false;
    for (uint32_t b = 0; words && b < f->block_count; b++) {
        for (uint32_t k = f->blocks[b].first; k < f->blocks[b].end; k++) {
            const ptx_instruction *i = &f->instructions[k];
            if (escapes(i, v)) return false;
            if (!is_local_access(i)) continue;
            if (ptx_bits(i->type) != 8 * ELEMENT_BYTES) return false;
            if (is_fixed(f, v, i)) continue;
            chosen += weight[b];
            loaded |= i->op == PTX_OP_LD;
        }
    }
    return words && words <= MOST_WORDS && (fits(words, chosen) || (!loaded && chosen <= FEW_CHOSEN));
}
