/* Fences and hints: fence, membar, prefetch, discard, applypriority.
 *
 * Fences matter to checks and counters only, as nothing is reordered here. A fence of cluster scope or wider
 * invalidates the counted L1 (sim_count_acquire()). In schedules without fences, a proxy fence publishes stores to the
 * copy engine. Hints change neither, but bytes that are discarded count as never written. */
#include "check/global.h"
#include "check/hazard.h"
#include "count/count.h"
#include "exec/access.h"
#include "exec/ops/lanes.h"
#include "exec/unfenced.h"
#include "state/block.h"

static sim_step nothing(sim_warp *w, const sim_op *op, uint32_t active) {
    (void)w, (void)op, (void)active;
    return SIM_NEXT;
}

/* x: the scope */
static sim_step fence(sim_warp *w, const sim_op *op, uint32_t active) {
    if (w->sm->hazards) sim_hazard_fence(w, active, (uint8_t)op->x);
    sim_count_barrier(w->sm->counting, w);
    if (op->x >= SIM_SCOPE_CLUSTER) sim_count_acquire(w->sm->counting);
    return SIM_NEXT;
}

haul_status LOWER(FENCE)(sim_lowering *l, const ptx_instruction *i) {
    sim_emit(l, fence)->x = sim_scope_of(i);
    return HAUL_OK;
}

haul_status LOWER(MEMBAR)(sim_lowering *l, const ptx_instruction *i) {
    return LOWER(FENCE)(l, i);
}

haul_status LOWER(FENCE_RESTRICTED)(sim_lowering *l, const ptx_instruction *i) {
    return LOWER(FENCE)(l, i);
}

/* x, y: for shared memory, for global memory */
static sim_step proxy_fence(sim_warp *w, const sim_op *op, uint32_t active) {
    if (w->sm->hazards) sim_hazard_proxy_fence(w, active, op->x, op->y);
    if (w->sm->grid->schedule.is_unfenced) sim_unfenced_fence(w->block, op->x, op->y);
    return SIM_NEXT;
}

/* fence.mbarrier_init: publishes initialised mbarriers to the cluster. */
static sim_step mbarrier_fence(sim_warp *w, const sim_op *op, uint32_t active) {
    (void)op;
    if (w->sm->hazards) sim_hazard_mbarrier_fence(w, active);
    return SIM_NEXT;
}

/* .alias concerns neither space here; .async concerns both, unless it names one. */
haul_status LOWER(FENCE_PROXY)(sim_lowering *l, const ptx_instruction *i) {
    const unsigned proxy = i->mods[PTX_SLOT_PROXY];
    sim_op *op = sim_emit(l, proxy_fence);
    op->x = proxy != PTX_MOD_PROXY_ALIAS && proxy != PTX_MOD_PROXY_ASYNC_GLOBAL;
    op->y = proxy == PTX_MOD_PROXY_ASYNC || proxy == PTX_MOD_PROXY_ASYNC_GLOBAL;
    return HAUL_OK;
}

haul_status LOWER(FENCE_PROXY_RESTRICTED)(sim_lowering *l, const ptx_instruction *i) {
    (void)i;
    sim_emit(l, proxy_fence)->x = 1;
    return HAUL_OK;
}

/* Lowers to a handler that reads no operand. */
#define HAS_NO_EFFECT(id, run)                                          \
    haul_status LOWER(id)(sim_lowering * l, const ptx_instruction *i) { \
        (void)i;                                                        \
        sim_emit(l, run);                                               \
        return HAUL_OK;                                                 \
    }
HAS_NO_EFFECT(MEMBAR_PROXY, proxy_fence)
HAS_NO_EFFECT(PREFETCH, nothing)
HAS_NO_EFFECT(PREFETCH_SECTOR, nothing)
HAS_NO_EFFECT(PREFETCHU, nothing)
HAS_NO_EFFECT(PREFETCH_TENSORMAP, nothing)
HAS_NO_EFFECT(APPLYPRIORITY, nothing)

/* The lines' old values stay, which is allowed. */
static sim_step discard(sim_warp *w, const sim_op *op, uint32_t active) {
    uint64_t address[SIM_LANES];
    if (!w->sm->hazards) return SIM_NEXT;
    sim_addresses(w, op, address);
    sim_hazard_discarded(w, active, address);
    return SIM_NEXT;
}

haul_status LOWER(DISCARD)(sim_lowering *l, const ptx_instruction *i) {
    bool wide;
    int64_t offset;
    const uint32_t base = sim_address(l, &i->operands[0], &wide, &offset);
    sim_op *op = sim_emit(l, discard);
    op->a = base;
    op->imm = offset;
    op->flags |= wide ? SIM_OP_WIDE : 0;
    return HAUL_OK;
}
HAS_NO_EFFECT(CP_TENSOR_PREFETCH, nothing)
HAS_NO_EFFECT(CP_TENSOR_PREFETCH_IM2COL, nothing)
HAS_NO_EFFECT(CP_TENSOR_PREFETCH_WIDE, nothing)
HAS_NO_EFFECT(WGMMA_FENCE, nothing)
HAS_NO_EFFECT(FENCE_MBARRIER_INIT, mbarrier_fence)
