/* Clusters: their barrier, addresses in other blocks' shared memory (mapa, getctarank), and the stores and reductions
 * that signal an mbarrier there (st.async, red.async). exec/cluster.c has the barrier and the form of addresses. Loads,
 * stores and atomics on such addresses are in memory.c and atomic.c. */
#include "count/count.h"
#include "exec/access.h"
#include "exec/atomic.h"
#include "exec/cluster.h"
#include "exec/fault.h"
#include "exec/mbarrier.h"
#include "exec/ops/copies.h"
#include "exec/ops/lanes.h"
#include "exec/paths.h"

/* All lanes may go on; a wait comes later. */
static sim_step cluster_arrive(sim_warp *w, const sim_op *op, uint32_t active) {
    sim_cluster_arrive(w, op, active);
    w->sm->waits.barriers++;
    w->sm->waits.clusters++;
    w->sm->waits.releases += op->imm2 ? 0 : 1;
    sim_count_barrier(w->sm->counting, w);
    return SIM_NEXT;
}

haul_status LOWER(BARRIER_CLUSTER_ARRIVE)(sim_lowering *l, const ptx_instruction *i) {
    sim_emit(l, cluster_arrive)->imm2 = i->mods[PTX_SLOT_ORDER] == PTX_MOD_RELAXED;
    return HAUL_OK;
}

/* Waits until the barrier has opened since the lanes' arrival. Without an arrival there is nothing to wait for. */
static sim_step cluster_wait(sim_warp *w, const sim_op *op, uint32_t active) {
    if (!sim_cluster_waits(w, active)) {
        if (w->sm->hazards) sim_hazard_cluster_pass(w, active);
        return SIM_YIELD;
    }
    return sim_warp_wait(w, sim_pc(w, op), active, SIM_PATH_AT_CLUSTER);
}

haul_status LOWER(BARRIER_CLUSTER_WAIT)(sim_lowering *l, const ptx_instruction *i) {
    (void)i;
    sim_emit(l, cluster_wait);
    return HAUL_OK;
}

/* ---- addresses; a: the address, b: the rank; SIM_OP_WIDE: a generic address, which keeps its window ---- */

/* mapa: the corresponding address in another block. A rank that the cluster lacks gives an address that no access may
 * use; as on an H200, computing it is no fault. */
static sim_step map_address(sim_warp *w, const sim_op *op, uint32_t active) {
    const uint32_t *rank = SIM_SLOT(w, uint32_t, op->b);
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        if (op->flags & SIM_OP_WIDE) {
            const uint64_t a = SIM_SLOT(w, uint64_t, op->a)[l];
            SIM_SLOT(w, uint64_t, op->d)[l] = (a & ~0xffffffffull) | sim_cluster_map((uint32_t)a, rank[l]);
        } else {
            SIM_SLOT(w, uint32_t, op->d)[l] = sim_cluster_map(SIM_SLOT(w, uint32_t, op->a)[l], rank[l]);
        }
    }
    return SIM_NEXT;
}

/* getctarank: the block that an address lies in. */
static sim_step rank_of_address(sim_warp *w, const sim_op *op, uint32_t active) {
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        const uint32_t a =
            op->flags & SIM_OP_WIDE ? (uint32_t)SIM_SLOT(w, uint64_t, op->a)[l] : SIM_SLOT(w, uint32_t, op->a)[l];
        SIM_SLOT(w, uint32_t, op->d)[l] = sim_cluster_rank(w->block, a);
    }
    return SIM_NEXT;
}

/* Both instructions take an address of either width. */
static sim_op *emit_on_address(sim_lowering *l, const ptx_instruction *i, sim_handler run) {
    const uint32_t a = sim_source(l, &i->operands[1], i->type), d = sim_destination(l, &i->operands[0]);
    sim_op *op = sim_emit(l, run);
    op->a = a;
    op->d = d;
    op->flags |= ptx_bits(i->type) == 64 ? SIM_OP_WIDE : 0;
    return op;
}

/* The rank is a register, read when the instruction is executed. */
haul_status LOWER(MAPA)(sim_lowering *l, const ptx_instruction *i) {
    const uint32_t rank = sim_source(l, &i->operands[2], PTX_U32);
    emit_on_address(l, i, map_address)->b = rank;
    return HAUL_OK;
}

/* An address without a rank lies in the executing block. */
haul_status LOWER(GETCTARANK)(sim_lowering *l, const ptx_instruction *i) {
    emit_on_address(l, i, rank_of_address);
    return HAUL_OK;
}

/* ---- st.async and red.async; a, imm, SIM_OP_WIDE: the address; c, y, imm2: the mbarrier and whether its register is
 * wide; more, count, bytes: the values' slots, number and size; x: the operation on memory ---- */

/* Copies the lane's values from its registers: the program may reuse these at once. */
static void take_values(const sim_warp *w, const sim_op *op, unsigned lane, sim_bulk *b) {
    const uint32_t *slots = w->sm->grid->program->pool + op->more;
    for (unsigned e = 0; e < op->count; e++)
        memcpy(b->value + e * op->bytes, SIM_SLOT(w, unsigned char, slots[e]) + lane * op->bytes, op->bytes);
}

/* Records the fault and returns false if the destination is misaligned or outside of shared memory. */
static bool check_send(sim_warp *w, const sim_op *op, unsigned lane, const sim_bulk *b) {
    const bool aligned = b->shared % b->bytes == 0;
    if (aligned && (uint64_t)b->shared + b->bytes <= w->sm->grid->shared_bytes) return true;
    sim_fault(w, op, aligned ? HAUL_FINDING_OUT_OF_BOUNDS : HAUL_FINDING_MISALIGNED, 1u << lane,
              aligned ? "store outside the block's shared memory: %u bytes at 0x%x"
                      : "misaligned store: %u bytes at shared 0x%x",
              b->bytes, b->shared);
    return false;
}

/* Puts each lane's values in flight as a bulk copy without a source. It completes like one: when a thread of the
 * destination waits for the mbarrier. */
static sim_step send_values(sim_warp *w, const sim_op *op, uint32_t active) {
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        sim_bulk b = {
            .kind = SIM_BULK_LOAD,
            .instruction = op->instruction,
            .thread = w->index * SIM_LANES + lane,
            .atomic = (uint8_t)op->x,
            .element = op->bytes,
            .shared = (uint32_t)(sim_lane_address(w, op->a, op->flags & SIM_OP_WIDE, lane) + (uint64_t)op->imm),
            .barrier = (uint32_t)sim_lane_address(w, op->c, op->imm2 != 0, lane) + op->y,
            .bytes = (uint32_t)op->bytes * op->count,
            .has_value = true,
        };
        sim_block *waits = sim_load_waiter(w, op, lane, &b, false);
        if (!waits || !check_send(w, op, lane, &b)) return SIM_STOP;
        take_values(w, op, lane, &b);
        if (!sim_issue_bulk(w, lane, waits, &b)) return sim_no_room_for(w, op, active, "a store");
    }
    return SIM_NEXT;
}

/* Lowers a store (SIM_ATOMIC_NONE) or a reduction. The values' registers go to the pool. */
static haul_status lower_send(sim_lowering *l, const ptx_instruction *i, uint32_t atomic) {
    const ptx_operand *data = &i->operands[1], *parts = data->kind == PTX_VECTOR ? data->parts : data;
    const unsigned count = data->kind == PTX_VECTOR ? data->part_count : 1;
    bool barrier_wide;
    int64_t barrier_offset;
    uint32_t slots[8];
    for (unsigned e = 0; e < count; e++) slots[e] = sim_source(l, &parts[e], i->type);
    const uint32_t barrier = sim_address(l, &i->operands[2], &barrier_wide, &barrier_offset);
    const uint32_t more = sim_pool(l, slots, count);
    sim_op *op = sim_emit_at(l, send_values, &i->operands[0]);
    op->c = barrier;
    op->y = (uint32_t)barrier_offset;
    op->imm2 = barrier_wide;
    op->more = more;
    op->count = (uint8_t)count;
    op->bytes = (uint8_t)(ptx_bits(i->type) / 8);
    op->x = atomic;
    return HAUL_OK;
}

haul_status LOWER(ST_ASYNC)(sim_lowering *l, const ptx_instruction *i) {
    return lower_send(l, i, SIM_ATOMIC_NONE);
}

/* Takes effect when the values arrive, one after the other, on the SM of the whole cluster. */
haul_status LOWER(RED_ASYNC)(sim_lowering *l, const ptx_instruction *i) {
    return lower_send(l, i, sim_atomic_kind_of(i));
}
