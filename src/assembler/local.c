/* Whether local arrays live in registers, so that their accesses are no memory traffic.
 *
 * ptxas keeps an array in registers if it knows which element each access means, or if choosing one at run time costs
 * little. One array that does not fit puts all of them in memory. */
#include "assembler/local.h"

#include "assembler/loop.h"

/* Limits on arrays in registers: words, and elements chosen at run time. Choosing costs a comparison and a move for
 * each candidate. In a loop it counts several times, unless a constant bounds the loop, which is then unrolled. Found
 * from ptxas 13.0's machine code of some 300 kernels with arrays of up to 200 words. Arrays of an odd number of words,
 * which memory accesses one by one, may be somewhat larger. */
enum {
    MOST_WORDS = 80,
    FREE_CHOSEN = 2,
    FEW_CHOSEN = 3,
    MOST_WORDS_OF_FEW = 30,
    MOST_CHOICES = 59,
    IN_LOOP = 4,
    ELEMENT_BYTES = 4
};

/* The words of all local variables together. */
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

/* A generic address that is needed escapes: its uses are unknown. */
static bool escapes(const ptx_instruction *i, const sim_values *v) {
    return i->op == PTX_OP_CVTA && in_local(i) && i->operands[0].kind == PTX_REGISTER && v->needed[i->operands[0].reg];
}

/* Returns whether the address is a variable's plus a constant. */
static bool is_fixed(const ptx_function *f, const sim_values *v, const ptx_instruction *i) {
    const ptx_variable *variable = sim_place_of(f, v, &i->operands[i->op == PTX_OP_ST ? 0 : 1]).variable;
    return variable && variable->index < f->variable_count && f->variables[variable->index] == variable;
}

/* ---- weights ---- */

/* Returns, by register, whether all writes to it except its steps are constants. */
static const bool *find_constant_beginnings(const ptx_function *f, arena *memory) {
    bool *constant = ARENA_ARRAY(memory, f->register_count + 1, bool);
    for (size_t r = 0; r < f->register_count; r++) constant[r] = true;
    for (size_t k = 0; k < f->instruction_count; k++) {
        const ptx_instruction *i = &f->instructions[k];
        if (i->operand_count < 2 || i->operands[0].kind != PTX_REGISTER) continue;
        const uint32_t reg = i->operands[0].reg;
        if (!sim_step_of(i, reg) && (i->op != PTX_OP_MOV || i->operands[1].kind != PTX_INTEGER)) constant[reg] = false;
    }
    return constant;
}

typedef struct weighing {
    const ptx_function *function;
    const bool *begins_constant; /* by register */
    uint32_t *stepped;           /* by register: the block + 1 that last stepped it by a constant */
} weighing;

/* Returns whether the block ends a loop and compares a counter, which starts with a constant, with a constant. */
static bool counts_to_constant(const weighing *w, uint32_t block) {
    const ptx_block *b = &w->function->blocks[block];
    for (uint32_t k = b->first; k < b->end; k++) {
        const ptx_instruction *i = &w->function->instructions[k];
        if (i->op == PTX_OP_SETP && i->operands[1].kind == PTX_REGISTER && i->operands[2].kind == PTX_INTEGER &&
            w->stepped[i->operands[1].reg] == block + 1)
            return w->begins_constant[i->operands[1].reg];
        if (i->operand_count && i->operands[0].kind == PTX_REGISTER && sim_step_of(i, i->operands[0].reg))
            w->stepped[i->operands[0].reg] = block + 1;
    }
    return false;
}

/* Returns, by block, the weight of an element that is chosen there. */
static uint8_t *find_weights(const ptx_function *f, arena *memory) {
    const weighing w = {f, find_constant_beginnings(f, memory), ARENA_ARRAY(memory, f->register_count + 1, uint32_t)};
    uint8_t *weight = ARENA_ARRAY(memory, f->block_count + 1, uint8_t);
    uint32_t *opens = ARENA_ARRAY(memory, f->block_count + 1, uint32_t), open = 0; /* open loops; closed ones wrap */
    for (uint32_t b = 0; b < f->block_count; b++) {
        const uint32_t next = f->blocks[b].next, taken = f->blocks[b].taken, head = next < taken ? next : taken;
        if (head > b || counts_to_constant(&w, b)) continue;
        opens[head]++;
        opens[b + 1]--;
    }
    for (uint32_t b = 0; b < f->block_count; b++) {
        open += opens[b];
        weight[b] = open ? IN_LOOP : 1;
    }
    return weight;
}

/* Whether arrays of so many words, with so many weighted choices, stay in registers. */
static bool fits(uint64_t words, uint64_t chosen) {
    if (chosen <= FREE_CHOSEN) return true;
    return chosen == FEW_CHOSEN ? words <= MOST_WORDS_OF_FEW : words * chosen <= MOST_CHOICES;
}

bool sim_local_in_registers(const ptx_function *f, const sim_values *v, arena *memory) {
    const uint64_t words = local_words(f);
    if (!words || words > MOST_WORDS) return false;
    const uint8_t *weight = find_weights(f, memory);
    uint64_t chosen = 0;
    bool loaded = false;
    for (uint32_t b = 0; b < f->block_count; b++) {
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
    return fits(words, chosen) || (!loaded && chosen <= FEW_CHOSEN);
}
