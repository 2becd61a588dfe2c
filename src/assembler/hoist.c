/* Moves read-only loads ahead of earlier stores, by delaying the stores.
 *
 * ptxas issues loads early, so that more of them are in flight; ld.global.nc may pass stores, because nothing writes to
 * read-only memory. The order decides which accesses can be combined, and what a warp waits for. A run ends at whatever
 * a store may not pass. */
#include "assembler/hoist.h"

#include "assembler/values.h"
#include "ptx/liveness.h"
#include "ptx/traits.h"

#include <string.h>

/* The most stores that are delayed at once: their values take registers. */
enum { MOST_STORES = 16 };

/* Instructions of a block from the first store to the point where its stores cannot be delayed any further. */
typedef struct run {
    const ptx_function *function;
    uint32_t stores[MOST_STORES]; /* instructions */
    unsigned store_count;
    uint32_t last_load; /* the last read-only load after a store; 0: none */
    uint32_t *order;    /* by position: instruction */
    bool moved;
} run;

static bool is_plain_store(const ptx_instruction *i) {
    return i->op == PTX_OP_ST && i->mods[PTX_SLOT_SPACE] == PTX_MOD_GLOBAL && sim_is_ordinary(i) && !i->guarded;
}

static bool is_read_only(const ptx_instruction *i) {
    return i->op == PTX_OP_LD && i->mods[PTX_SLOT_NC] && !i->guarded;
}

typedef struct clash {
    uint32_t reg;
    bool found;
} clash;

/* Looks for a read of one register. */
static void compare_read(void *context, uint32_t reg, bool writes) {
    clash *c = context;
    c->found |= !writes && reg == c->reg;
}

typedef struct check {
    const run *run;
    bool found;
} check;

/* Finds writes to a register that a delayed store still reads. */
static void look_for_reader(void *context, uint32_t reg, bool writes) {
    check *c = context;
    for (unsigned k = 0; writes && k < c->run->store_count; k++) {
        clash one = {.reg = reg};
        ptx_visit_registers(&c->run->function->instructions[c->run->stores[k]], compare_read, &one);
        c->found |= one.found;
    }
}

/* Whether the instruction writes a register that a delayed store still needs. */
static bool overwrites(const run *r, const ptx_instruction *i) {
    check c = {.run = r};
    ptx_visit_registers(i, look_for_reader, &c);
    return c.found;
}

/* Whether the instruction is one of the run's stores. */
static bool is_put_off(const run *r, uint32_t instruction) {
    for (unsigned k = 0; k < r->store_count; k++)
        if (r->stores[k] == instruction) return true;
    return false;
}

/* Moves stores before the last read-only load after it. */
static void end_run(run *r) {
    if (r->store_count && r->last_load) {
        uint32_t at = r->stores[0];
        for (uint32_t i = r->stores[0]; i <= r->last_load; i++)
            if (!is_put_off(r, i)) r->order[at++] = i;
        for (unsigned k = 0; k < r->store_count && r->stores[k] < r->last_load; k++) r->order[at++] = r->stores[k];
        r->moved = true;
    }
    r->store_count = 0;
    r->last_load = 0;
}

/* Takes one instruction into the run, or ends it. */
static void pass(run *r, uint32_t index) {
    const ptx_instruction *i = &r->function->instructions[index];
    const bool crosses = is_read_only(i) || ptx_loads_parameter(i) || (ptx_is_pure(i->op) && !sim_is_call(i));
    if (is_plain_store(i)) {
        if (r->store_count == MOST_STORES) end_run(r);
        r->stores[r->store_count++] = index;
    } else if (!crosses || overwrites(r, i)) {
        end_run(r);
    } else if (r->store_count && is_read_only(i)) {
        r->last_load = index;
    }
}

/* Iterations of an unrolled loop keep their order (cost.c). */
static void hoist_in_block(run *r, const ptx_block *b) {
    uint8_t round = 0;
    for (uint32_t i = b->first; i < b->end; i++) {
        if (r->function->instructions[i].round != round) end_run(r);
        round = r->function->instructions[i].round;
        pass(r, i);
    }
    end_run(r);
}

static ptx_function *reorder(const run *r, arena *memory) {
    ptx_function *to = ARENA_NEW(memory, ptx_function);
    *to = *r->function;
    to->instructions = ARENA_ARRAY(memory, to->instruction_count + 1, ptx_instruction);
    for (size_t i = 0; i < to->instruction_count; i++) to->instructions[i] = r->function->instructions[r->order[i]];
    return to;
}

static bool has_read_only_loads(const ptx_function *f) {
    for (size_t i = 0; i < f->instruction_count; i++)
        if (is_read_only(&f->instructions[i])) return true;
    return false;
}

ptx_function *sim_hoist(ptx_module *module, ptx_function *flat, arena *scratch) {
    run r = {.function = flat};
    if (!has_read_only_loads(flat)) return flat;
    r.order = ARENA_ARRAY(scratch, flat->instruction_count + 1, uint32_t);
    for (uint32_t i = 0; i < flat->instruction_count; i++) r.order[i] = i;
    for (size_t b = 0; b < flat->block_count; b++) hoist_in_block(&r, &flat->blocks[b]);
    return r.moved ? reorder(&r, &module->memory) : flat;
}
