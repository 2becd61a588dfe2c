/* Read off counters that an H200 gave for 220 launches of Triton's, Numba's and JAX's kernels
 * (tests/frameworks/corpus): of two batches of loads before guarded stores, only the loads of the last guard before the
 * return leave inactive warps out. */
#include "assembler/early_exit.h"

#include "assembler/rewrite.h"
#include "assembler/values.h"
#include "ptx/liveness.h"
#include "ptx/traits.h"

/* With more instructions from the first store to the return, nothing changes. */
enum { MOST_INSTRUCTIONS = 8 };

static bool is_store(const ptx_instruction *i) {
    return ptx_is(i->op, PTX_KIND_STORE | PTX_KIND_ATOMIC | PTX_KIND_REDUCTION);
}

static bool has_guard_of(const ptx_instruction *i, const ptx_instruction *of) {
    return i->guarded && i->guard == of->guard && i->guard_negated == of->guard_negated;
}

static void find_guard_write(void *context, uint32_t reg, bool writes) {
    uint32_t *guard = context;
    if (writes && reg == *guard) *guard = UINT32_MAX;
}

static bool writes(const ptx_instruction *i, uint32_t reg) {
    ptx_visit_registers(i, find_guard_write, &reg);
    return reg == UINT32_MAX;
}

/* Returns the first of the stores under one guard that only arithmetic separates from each other and from the return at
 * the end of the block; the block's end if there are none. */
static uint32_t first_of_last_stores(const ptx_function *f, const ptx_block *b) {
    const ptx_instruction *last = &f->instructions[b->end - 1], *guarded = NULL;
    uint32_t first = b->end;
    if (!ptx_is(last->op, PTX_KIND_END) || last->guarded) return b->end;
    for (uint32_t k = b->end - 1; k-- > b->first && b->end - 1 - k <= MOST_INSTRUCTIONS + 1;) {
        const ptx_instruction *i = &f->instructions[k];
        if (i->guarded && is_store(i) && (!guarded || has_guard_of(i, guarded)))
            guarded = i, first = k;
        else if (!ptx_is_pure(i->op) || sim_is_predicated(i) || (guarded && writes(i, guarded->guard)))
            break;
    }
    return first;
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

static bool ends_in_stores(const ptx_function *f) {
    for (uint32_t b = 0; b < f->block_count; b++)
        if (first_of_last_stores(f, &f->blocks[b]) < f->blocks[b].end) return true;
    return false;
}

ptx_function *sim_exit_early(ptx_module *module, ptx_function *flat, arena *scratch) {
    (void)scratch;
    sim_rewrite w;
    if (flat->arguments || !ends_in_stores(flat)) return flat; /* arguments: of calls, whose blocks have numbers */
    sim_rewrite_begin(&w, flat, &module->memory);
    for (uint32_t b = 0; b < flat->block_count; b++) {
        const ptx_block *block = &flat->blocks[b];
        const uint32_t first = first_of_last_stores(flat, block);
        for (uint32_t k = block->first; k < block->end; k++) {
            sim_rewrite_at(&w, k);
            if (k == first)
                sim_rewrite_add(&w, return_of_others(&flat->instructions[block->end - 1], &flat->instructions[k]));
            sim_rewrite_add(&w, flat->instructions[k]);
        }
    }
    sim_rewrite_end(&w);
    ptx_analyse(module, w.to);
    return w.to;
}
