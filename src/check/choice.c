/* Branches that choose between values. Compilers make branches of conditional expressions: one around a reciprocal that
 * is needed only if the sum is not zero, say. Whatever such a branch decides, all ways meet again soon and have done
 * nothing but arithmetic, so that it is like a selp. Of two conditions, as in the division of half-precision numbers,
 * compilers make two branches, the second one within the first one's blocks. */
#include "check/internal.h"
#include "ptx/edges.h"
#include "ptx/traits.h"

static bool has(const sim_choice *choice, uint32_t block) {
    for (uint32_t k = 0; k < choice->count; k++)
        if (choice->block[k] == block) return true;
    return false;
}

/* Adds the block unless the ways meet there. Returns false if there are too many. */
static bool add(sim_choice *choice, uint32_t block, uint32_t join) {
    if (block == join || has(choice, block)) return true;
    if (block == PTX_NO_BLOCK || choice->count == SIM_CHOICE_BLOCKS) return false;
    choice->block[choice->count++] = block;
    return true;
}

/* Returns whether the block has arithmetic only, and a branch at its end at most. */
static bool computes(const ptx_function *f, const ptx_block *b) {
    const uint32_t end = b->end - (b->end > b->first && f->instructions[b->end - 1].op == PTX_OP_BRA);
    for (uint32_t k = b->first; k < end; k++)
        if (!ptx_is_pure(f->instructions[k].op)) return false;
    return true;
}

/* Adds the successors. Returns false if one of them lies before the block, as in a loop. */
static bool add_successors(const ptx_function *f, uint32_t block, uint32_t join, sim_choice *choice) {
    const ptx_block *b = &f->blocks[block];
    const bool is_forward = (b->next == join || b->next > block) && (b->taken == join || b->taken > block);
    return is_forward && !b->table_count && add(choice, b->next, join) &&
           (b->taken == PTX_NO_BLOCK || add(choice, b->taken, join));
}

bool sim_choice_find(const ptx_function *f, uint32_t branch, sim_choice *choice) {
    const ptx_block *b = &f->blocks[ptx_block_of(f, branch)];
    *choice = (sim_choice){.branch = branch};
    if (f->instructions[branch].op != PTX_OP_BRA || b->taken == PTX_NO_BLOCK || b->join == PTX_NO_BLOCK) return false;
    if (!add(choice, b->next, b->join) || !add(choice, b->taken, b->join)) return false;
    for (uint32_t k = 0; k < choice->count; k++)
        if (!computes(f, &f->blocks[choice->block[k]]) || !add_successors(f, choice->block[k], b->join, choice))
            return false;
    return true;
}

bool sim_choice_contains(const ptx_function *f, const sim_choice *choice, uint32_t instruction) {
    for (uint32_t k = 0; k < choice->count; k++) {
        const ptx_block *b = &f->blocks[choice->block[k]];
        if (instruction >= b->first && instruction < b->end) return true;
    }
    return false;
}
