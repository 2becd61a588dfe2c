/* Branches that choose between values. Compilers make branches of conditional expressions: one around a reciprocal that
 * is needed only if the sum is not zero, say. Whatever such a branch decides, both ways meet again at once and have
 * done nothing but arithmetic, so that it is like a selp. */
#include "check/internal.h"
#include "ptx/edges.h"
#include "ptx/traits.h"

/* Returns whether the block has arithmetic only and goes on at `join`; sets which instructions these are. */
static bool computes(const ptx_function *f, uint32_t block, uint32_t join, uint32_t *first, uint32_t *end) {
    const ptx_block *b = &f->blocks[block];
    if (b->taken != PTX_NO_BLOCK || b->next != join) return false;
    *first = b->first;
    *end = b->end - (f->instructions[b->end - 1].op == PTX_OP_BRA);
    for (uint32_t k = *first; k < *end; k++)
        if (!ptx_is_pure(f->instructions[k].op)) return false;
    return true;
}

bool sim_choice_find(const ptx_function *f, uint32_t branch, sim_choice *choice) {
    const ptx_block *b = &f->blocks[ptx_block_of(f, branch)];
    const uint32_t taken = b->taken, next = b->next;
    *choice = (sim_choice){.branch = branch};
    if (f->instructions[branch].op != PTX_OP_BRA || taken == PTX_NO_BLOCK || next == PTX_NO_BLOCK) return false;
    if (computes(f, next, taken, &choice->first[0], &choice->end[0])) return true;
    choice->end[0] = choice->first[0];
    if (computes(f, taken, next, &choice->first[1], &choice->end[1])) return true;
    const uint32_t join = f->blocks[next].next;
    return join != PTX_NO_BLOCK && computes(f, next, join, &choice->first[0], &choice->end[0]) &&
           computes(f, taken, join, &choice->first[1], &choice->end[1]);
}
