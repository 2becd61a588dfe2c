/* What becomes of an instruction's result, where that decides what the instruction is worth.
 *
 * Volatile accesses do not race with each other, since flags are made of them. But one lane may store what another of
 * its warp loads a few instructions later, and count on both running side by side: such loads have values that come out
 * again, and that no loop waits for. And a wait for an mbarrier that has given up is none, if nobody looks. */
#include "sim/hazard/internal.h"

#include "base/memory.h"
#include "base/status.h"
#include "ptx/edges.h"
#include "ptx/liveness.h"

#include <string.h>

/* What a load's value gets to, whatever way control takes. */
typedef struct flow {
    const ptx_function *function;
    uint8_t *has;         /* by register: may hold something made of the value */
    uint8_t *from, *into; /* by block: can be come to from the load's, comes to the load's */
    bool reads, grew;
    uint32_t guard; /* of the instruction; PTX_NO_BLOCK: none, or it counts too */
} flow;

static bool is_volatile(const ptx_instruction *i, unsigned op) {
    return i->op == op && i->mods[PTX_SLOT_ORDER] == PTX_MOD_VOLATILE;
}

static bool is_branch(const ptx_instruction *i) {
    return i->op == PTX_OP_BRA || i->op == PTX_OP_BRX_IDX;
}

static void note_read(void *context, uint32_t reg, bool writes) {
    flow *x = context;
    if (!writes && reg != x->guard) x->reads |= x->has[reg];
}

static void spread(void *context, uint32_t reg, bool writes) {
    flow *x = context;
    if (!writes || x->has[reg]) return;
    x->has[reg] = 1;
    x->grew = true;
}

static bool reads_value(flow *x, const ptx_instruction *i, bool by_guard) {
    x->reads = false;
    x->guard = i->guarded && !by_guard ? i->guard : PTX_NO_BLOCK;
    ptx_visit_registers(i, note_read, x);
    return x->reads;
}

static void follow(flow *x, const ptx_instruction *load) {
    const ptx_function *f = x->function;
    memset(x->has, 0, f->register_count + 1);
    ptx_visit_registers(load, spread, x);
    do {
        x->grew = false;
        for (size_t i = 0; i < f->instruction_count; i++)
            if (reads_value(x, &f->instructions[i], true)) ptx_visit_registers(&f->instructions[i], spread, x);
    } while (x->grew);
}

static bool comes_out(flow *x) {
    const ptx_function *f = x->function;
    for (size_t i = 0; i < f->instruction_count; i++) {
        const unsigned op = f->instructions[i].op;
        const bool writes = op == PTX_OP_ST || op == PTX_OP_ATOM || op == PTX_OP_RED;
        if (writes && reads_value(x, &f->instructions[i], false)) return true;
    }
    return false;
}

/* ---- loops ---- */

static void reach_on(const flow *x, uint32_t b, bool *grew) {
    const ptx_block *block = &x->function->blocks[b];
    for (uint32_t k = 0; k < ptx_edge_count(block); k++) {
        const uint32_t to = ptx_edge(block, k);
        if (to == PTX_NO_BLOCK) continue;
        *grew |= (x->from[b] && !x->from[to]) || (x->into[to] && !x->into[b]);
        x->from[to] |= x->from[b];
        x->into[b] |= x->into[to];
    }
}

static void find_loop(const flow *x, uint32_t block) {
    const uint32_t count = (uint32_t)x->function->block_count;
    memset(x->from, 0, count);
    memset(x->into, 0, count);
    x->from[block] = x->into[block] = 1;
    for (bool grew = true; grew;) {
        grew = false;
        for (uint32_t b = 0; b < count; b++) reach_on(x, b, &grew);
        for (uint32_t b = count; b-- > 0;) reach_on(x, b, &grew);
    }
}

/* Whether the value decides if a loop goes on that the load is in, perhaps. */
static bool is_waited_for(flow *x, uint32_t block) {
    const ptx_function *f = x->function;
    find_loop(x, block);
    for (uint32_t b = 0; b < f->block_count; b++) {
        const ptx_block *at = &f->blocks[b];
        const bool branches = at->end > at->first && is_branch(&f->instructions[at->end - 1]);
        const bool loops = x->from[b] && x->into[b] && (b != block || ptx_repeats(f, b));
        if (branches && loops && reads_value(x, &f->instructions[at->end - 1], true)) return true;
    }
    return false;
}

/* ---- waits ---- */

static bool is_wait(const ptx_instruction *i) {
    return i->op == PTX_OP_MBARRIER_TRY_WAIT || i->op == PTX_OP_MBARRIER_TEST_WAIT;
}

static bool guards_any(const flow *x) {
    const ptx_function *f = x->function;
    for (size_t i = 0; i < f->instruction_count; i++)
        if (f->instructions[i].guarded && x->has[f->instructions[i].guard]) return true;
    return false;
}

/* Whether the wait's result decides anything: mostly it is the guard of an instruction close by. */
static bool is_looked_at(flow *x, uint32_t wait) {
    enum { NEAR = 4 };
    const ptx_function *f = x->function;
    const ptx_instruction *at = &f->instructions[wait];
    for (uint32_t i = wait + 1; i < wait + NEAR && i < f->instruction_count; i++)
        if (f->instructions[i].guarded && at->operands[0].kind == PTX_REGISTER &&
            f->instructions[i].guard == at->operands[0].reg)
            return true;
    follow(x, at);
    return guards_any(x) || comes_out(x);
}

/* ---- the table ---- */

static void find_in_block(flow *x, uint32_t block, uint8_t *table) {
    const ptx_block *b = &x->function->blocks[block];
    for (uint32_t i = b->first; i < b->end; i++) {
        const ptx_instruction *at = &x->function->instructions[i];
        if (is_volatile(at, PTX_OP_ST)) table[i] = SIM_USE_STORES_VOLATILE;
        if (is_volatile(at, PTX_OP_LD)) {
            follow(x, at);
            if (comes_out(x) && !is_waited_for(x, block)) table[i] = SIM_USE_LOADS_VOLATILE;
        }
        if (is_wait(at) && !is_looked_at(x, i)) table[i] = SIM_USE_UNSEEN;
    }
}

/* Whether something in the function asks for the table. */
static bool is_needed(const ptx_function *f) {
    bool stores = false, loads = false, waits = false;
    for (size_t i = 0; i < f->instruction_count; i++) {
        stores |= is_volatile(&f->instructions[i], PTX_OP_ST);
        loads |= is_volatile(&f->instructions[i], PTX_OP_LD);
        waits |= is_wait(&f->instructions[i]);
    }
    return waits || (stores && loads);
}

haul_status sim_uses_find(const sim_program *p, uint8_t **table) {
    const ptx_function *f = p->function;
    *table = NULL;
    if (!is_needed(f)) return HAUL_OK;
    uint8_t *scratch = memory_zeroed(f->register_count + 1 + 2 * f->block_count, 1);
    *table = memory_zeroed(f->instruction_count, 1);
    flow x = {.function = f, .has = scratch};
    if (scratch && *table) {
        x.from = scratch + f->register_count + 1;
        x.into = x.from + f->block_count;
        for (uint32_t b = 0; b < f->block_count; b++) find_in_block(&x, b, *table);
    }
    memory_free(scratch);
    if (scratch && *table) return HAUL_OK;
    return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "launch: the host has not enough memory for checks");
}
