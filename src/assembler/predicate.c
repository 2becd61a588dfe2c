/* Replaces branches around a few cp.async by predicates, as machine code does, so that one instruction issues for all
 * lanes. */
#include "assembler/predicate.h"

#include "ptx/edges.h"

#include <string.h>

/* With more instructions after it, a branch is not replaced by predicates (sink.c). */
enum { MOST_COPIES = 8 };

static bool is_plain_copy(const ptx_instruction *i) {
    if (i->op != PTX_OP_CP_ASYNC || i->mods[PTX_SLOT_CACHE] != PTX_MOD_CG || i->guarded) return false;
    return i->operand_count < 4 || i->operands[3].kind == PTX_ABSENT || i->operands[3].kind == PTX_INTEGER;
}

static bool is_jump(const ptx_instruction *i) {
    return i->op == PTX_OP_BRA && !i->guarded;
}

/* Whether the block consists of copies, with or without a jump at its end. */
static bool is_only_copies(const ptx_function *f, const ptx_block *b) {
    uint32_t end = b->end - is_jump(&f->instructions[b->end - 1]);
    for (uint32_t k = b->first; k < end; k++)
        if (!is_plain_copy(&f->instructions[k])) return false;
    return end > b->first && end - b->first <= MOST_COPIES;
}

/* Returns whether the block ends with a branch around copies, which are in the next block. */
static bool skips_copies(const ptx_function *f, const ptx_predecessors *above, uint32_t block) {
    const ptx_block *b = &f->blocks[block], *next = b + 1;
    const ptx_instruction *last = &f->instructions[b->end - 1];
    if (last->op != PTX_OP_BRA || !last->guarded || b->next != block + 1 || b->taken == PTX_NO_BLOCK) return false;
    return is_only_copies(f, next) && next->next == b->taken && ptx_predecessor_count(above, block + 1) == 1;
}

/* Marks the blocks whose branch is replaced. */
static bool *find_skips(const ptx_function *f, arena *memory, size_t *count) {
    bool *skips = ARENA_ARRAY(memory, f->block_count + 1, bool);
    ptx_predecessors above;
    ptx_predecessors_find(f, memory, &above);
    *count = 0;
    for (uint32_t b = 0; b + 1 < f->block_count; b++) *count += skips[b] = skips_copies(f, &above, b);
    return skips;
}

/* Copies a block, without a replaced branch, and with its guard on the copies of the next block. */
static void add_block(const ptx_function *f, uint32_t block, const bool *skips, ptx_function *to, uint32_t *moved) {
    const ptx_block *b = &f->blocks[block];
    const ptx_instruction *branch = block && skips[block - 1] ? &f->instructions[b->first - 1] : NULL;
    for (uint32_t k = b->first; k < b->end; k++) {
        ptx_instruction i = f->instructions[k];
        moved[k] = (uint32_t)to->instruction_count;
        const bool jumps = branch && is_jump(&i);
        if ((skips[block] && k == b->end - 1) || (jumps && b->next == block + 1)) continue;
        if (branch && !jumps) { /* a jump elsewhere, as back to a loop's head, is for all lanes */
            i.guarded = true;
            i.guard_negated = !branch->guard_negated;
            i.guard = branch->guard;
        }
        to->instructions[to->instruction_count++] = i;
    }
}

static ptx_function *rewrite(ptx_module *module, const ptx_function *f, const bool *skips, uint32_t *moved) {
    arena *memory = &module->memory;
    ptx_function *to = ARENA_NEW(memory, ptx_function);
    *to = *f;
    to->instruction_count = 0;
    to->instructions = ARENA_ARRAY(memory, f->instruction_count, ptx_instruction);
    to->labels = ARENA_ARRAY(memory, f->label_count, ptx_label);
    for (uint32_t b = 0; b < f->block_count; b++) add_block(f, b, skips, to, moved);
    moved[f->instruction_count] = (uint32_t)to->instruction_count;
    for (size_t l = 0; l < f->label_count; l++) {
        to->labels[l] = f->labels[l];
        to->labels[l].target = moved[f->labels[l].target];
    }
    ptx_analyse(to, &module->memory);
    return to;
}

ptx_function *sim_predicate_copies(ptx_module *module, ptx_function *flat, arena *scratch) {
    size_t count;
    if (flat->arguments) return flat; /* calls are present: their blocks have numbers */
    const bool *skips = find_skips(flat, scratch, &count);
    return count ? rewrite(module, flat, skips, ARENA_ARRAY(scratch, flat->instruction_count + 1, uint32_t)) : flat;
}
