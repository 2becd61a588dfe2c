/* Tensor memory that is used while a background operation still uses it, or that is never deallocated. */
#include "check/internal.h"
#include "ptx/tcgen05.h"
#include "state/tmem.h"

typedef struct use {
    sim_warp *w;
    const sim_op *op;
    haul_action action;
    sim_tmem_area area;
    uint32_t lane;
} use;

static bool is_write(haul_action action) {
    return action == HAUL_ACTION_WRITE || action == HAUL_ACTION_ASYNC_WRITE;
}

static sim_finding *report(const use *u, const sim_block *b, const sim_op *other, haul_action action, uint32_t thread) {
    const uint32_t warp = b->rank * sim_domain_of(b)->warps + thread / SIM_LANES;
    const sim_suspect s = {.kind = HAUL_FINDING_TENSOR_MEMORY_BEFORE_WAIT,
                           .action = u->action,
                           .other_action = action,
                           .instruction = u->op->instruction,
                           .other_instruction = other->instruction,
                           .lanes = 1u << u->lane,
                           .thread = warp * SIM_LANES + thread % SIM_LANES};
    return sim_hazard_report(u->w, &s);
}

/* Checks against the block's products, copies and shifts in flight. Those that one thread issues run in order. */
static bool check_work(const use *u, const sim_block *b) {
    const ptx_instruction *i = sim_instruction_of(u->w, u->op->instruction);
    const bool pipelined = ptx_is_tensor_product(i) || i->op == PTX_OP_TMEM_CP || i->op == PTX_OP_TMEM_SHIFT;
    for (size_t n = 0; n < b->tensor.count; n++) {
        const sim_tmem_work *work = &b->tensor.items[n];
        const bool same = b == u->w->block && work->thread / SIM_LANES == u->w->index;
        if (!work->make || (b != u->w->block && !work->is_for_pair) || (pipelined && same) ||
            !sim_tmem_areas_meet(&u->area, &work->written))
            continue;
        sim_finding *f = report(u, b, work->op, HAUL_ACTION_ASYNC_WRITE, work->thread);
        if (f)
            sim_hazard_say(f, "nobody has waited for a tcgen05.commit after the operation that writes columns %u to %u",
                           work->written.column, work->written.column + work->written.columns - 1);
        return false;
    }
    return true;
}

/* Checks against loads and stores of the block's warps. A warp uses its own lanes, and its loads need no order. */
static bool check_accesses(const use *u, uint32_t warp) {
    const sim_product_queue *q = sim_products_of(&u->w->block->warps[warp]);
    const unsigned op = sim_instruction_of(u->w, u->op->instruction)->op;
    const bool by_lanes = op == PTX_OP_TMEM_LD || op == PTX_OP_TMEM_ST;
    for (size_t n = 0; n < q->count; n++) {
        const sim_pending_product *p = &q->items[n];
        const bool stores = p->is_store;
        if ((by_lanes && warp != u->w->index) || (!stores && !is_write(u->action))) continue;
        const sim_tmem_area area = {sim_tmem_column((uint32_t)p->a), p->op->count, p->groups};
        if (!sim_tmem_areas_meet(&u->area, &area)) continue;
        sim_finding *f =
            report(u, u->w->block, p->op, stores ? HAUL_ACTION_ASYNC_WRITE : HAUL_ACTION_ASYNC_READ, warp * SIM_LANES);
        if (f)
            sim_hazard_say(f, "no tcgen05.wait::%s of its warp has covered the %s", stores ? "st" : "ld",
                           stores ? "store" : "load");
        return false;
    }
    return true;
}

/* Reports a use that is over, but not known to be so to this thread. */
static void report_unknown(const use *u, const sim_tmem_use *earlier) {
    const sim_suspect s = {.kind = HAUL_FINDING_TENSOR_MEMORY_BEFORE_WAIT,
                           .action = u->action,
                           .other_action = earlier->writes ? HAUL_ACTION_ASYNC_WRITE : HAUL_ACTION_ASYNC_READ,
                           .instruction = u->op->instruction,
                           .other_instruction = earlier->instruction,
                           .lanes = 1u << u->lane,
                           .thread = earlier->actor * SIM_LANES + (uint32_t)__builtin_ctz(earlier->lanes)};
    sim_finding *f = sim_hazard_report(u->w, &s);
    if (!f) return;
    if (!earlier->by_lanes)
        sim_hazard_say(f, "this thread has not waited for the mbarrier of a tcgen05.commit after the operation, nor "
                          "synchronised with a thread that has");
    else if (earlier->is_over)
        sim_hazard_say(f, "nothing tells this thread that the other warp's tcgen05.wait::%s is over",
                       earlier->writes ? "st" : "ld");
    else
        sim_hazard_say(f, "no tcgen05.wait::%s of the other warp has covered the %s", earlier->writes ? "st" : "ld",
                       earlier->writes ? "store" : "load");
}

/* True if nothing in flight, in the block or its pair, is in the way. */
static bool is_free_of_flights(const use *u) {
    const sim_block *b = u->w->block;
    bool free = true;
    for (uint32_t r = 0; r < b->sm->grid->cluster_blocks; r++)
        if (r / SIM_TMEM_PAIR == b->rank / SIM_TMEM_PAIR) free &= check_work(u, &b->cluster[r]);
    for (uint32_t warp = 0; warp < b->warp_count; warp++) free &= check_accesses(u, warp);
    return free;
}

void sim_hazard_tmem(sim_warp *w, const sim_op *op, uint32_t lanes, haul_action action, sim_tmem_area area) {
    const use u = {w, op, action, area, (uint32_t)__builtin_ctz(lanes)};
    const sim_tmem_use now = sim_tmem_use_of(w, op, lanes, is_write(action), area);
    const sim_tmem_use *unknown = is_free_of_flights(&u) ? sim_tmem_order_check(w, &now) : NULL;
    if (unknown) report_unknown(&u, unknown);
    if (sim_instruction_of(w, op->instruction)->op == PTX_OP_TMEM_DEALLOC)
        sim_tmem_order_forget(w, &area);
    else
        sim_tmem_order_note(w, &now);
}

/* Returns the number of columns of tensor memory that the block owns. */
static uint32_t columns_owned(const sim_block *b) {
    uint32_t columns = 0;
    for (unsigned u = 0; b->sm->tensor_memory && u < SIM_TMEM_UNITS; u++)
        columns += b->sm->tensor_memory[b->rank].owner[u] == b ? SIM_TMEM_UNIT : 0;
    return columns;
}

void sim_hazard_tmem_finish(sim_block *b) {
    const uint32_t columns = columns_owned(b);
    if (!columns || !b->tensor.allocation) return;
    const sim_suspect s = {.kind = HAUL_FINDING_TENSOR_MEMORY_KEPT,
                           .action = HAUL_ACTION_SYNC,
                           .instruction = b->tensor.allocation->instruction,
                           .thread = SIM_NO_THREAD};
    sim_finding *f = sim_hazard_report(&b->warps[b->tensor.allocator], &s);
    if (f) sim_hazard_say(f, "the block still owns %u columns when it ends", columns);
}
