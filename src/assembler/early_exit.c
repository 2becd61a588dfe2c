/* Read off machine code of ptxas 13.0 for runs of one to sixteen guarded stores, and off counters that an H200 gave for
 * 220 launches of Triton's, Numba's and JAX's kernels (tests/frameworks/corpus): only what the last store needs leaves
 * inactive warps out. */
#include "assembler/early_exit.h"

#include "assembler/rewrite.h"
#include "ptx/traits.h"

static bool is_store(const ptx_instruction *i) {
    return ptx_is(i->op, PTX_KIND_STORE | PTX_KIND_ATOMIC | PTX_KIND_REDUCTION);
}

/* Returns the guarded store right in front of the return at the end of the block; the block's end if there is none. */
static uint32_t last_store(const ptx_function *f, const ptx_block *b) {
    const ptx_instruction *last = &f->instructions[b->end - 1];
    if (!ptx_is(last->op, PTX_KIND_END) || last->guarded) return b->end;
    for (uint32_t k = b->end - 1; k-- > b->first;) {
        const ptx_instruction *i = &f->instructions[k];
        if (i->guarded && is_store(i)) return k;
        if (i->guarded || !ptx_is_pure(i->op)) break;
    }
    return b->end;
}

/* Returns a return for the lanes whose guard is off, in the store's place. */
static ptx_instruction return_of_others(const ptx_instruction *last, const ptx_instruction *store) {
    ptx_instruction i = *last;
    i.guarded = true;
    i.guard = store->guard;
    i.guard_negated = !store->guard_negated;
    i.place = store->place;
    i.position = store->position;
    return i;
}

static bool ends_in_store(const ptx_function *f) {
    for (uint32_t b = 0; b < f->block_count; b++)
        if (last_store(f, &f->blocks[b]) < f->blocks[b].end) return true;
    return false;
}

ptx_function *sim_exit_early(ptx_module *module, ptx_function *flat, arena *scratch) {
    (void)scratch;
    sim_rewrite w;
    if (flat->arguments || !ends_in_store(flat)) return flat; /* arguments: of calls, whose blocks have numbers */
    sim_rewrite_begin(&w, flat, &module->memory);
    for (uint32_t b = 0; b < flat->block_count; b++) {
        const ptx_block *block = &flat->blocks[b];
        const uint32_t store = last_store(flat, block);
        for (uint32_t k = block->first; k < block->end; k++) {
            sim_rewrite_at(&w, k);
            if (k == store)
                sim_rewrite_add(&w, return_of_others(&flat->instructions[block->end - 1], &flat->instructions[k]));
            sim_rewrite_add(&w, flat->instructions[k]);
        }
    }
    sim_rewrite_end(&w);
    ptx_analyse(w.to, &module->memory);
    return w.to;
}
