/* Bulk copies (cp.async.bulk, cp.reduce.async.bulk): contiguous bytes between global and shared memory, or from shared
 * memory to that of another block of the cluster. Each active lane, usually one, issues a copy of its own.
 *
 * The issue checks addresses and sizes, so that a fault names the instruction. It puts the copy in flight in the block
 * that will wait for it: the mbarrier's block for a load, the thread's own for a store. exec/async.c decides when it
 * completes, exec/bulk.c moves the bytes. Tensor copies are in tensor.c.
 *
 * Operands: d, imm, SIM_OP_WIDE: the global address; a, x: the shared one; b: the bytes; c, y: the mbarrier; imm2:
 * which registers are wide, and the meaning of `more`. Reductions: count and bytes are the sim_atomic_kind and the
 * bytes of an element. */
#include "assembler/shared_layout.h"
#include "exec/access.h"
#include "exec/async.h"
#include "exec/atomic.h"
#include "exec/fault.h"
#include "exec/mbarrier.h"
#include "exec/ops/copies.h"
#include "exec/ops/lanes.h"
#include "exec/sm.h"

/* imm2; `more` is the slot of a mask of ranks, or of bytes; IGNORES: the slots of the numbers of bytes to ignore at
 * both ends, in the pool */
enum { SHARED_WIDE = 1, BARRIER_WIDE = 2, MULTICAST = 4, MASKED = 8, IGNORES = 16 };

/* Records the fault and returns false if the copy is misaligned or outside of memory. Sizes and both addresses are
 * multiples of 16, a rule of the ISA. The first bytes of shared memory are reserved for the system. */
static bool check_bulk(sim_warp *w, const sim_op *op, unsigned lane, const sim_bulk *b) {
    if (b->bytes % 16 || b->shared % 16 || b->global % 16) {
        sim_fault(
            w, op, HAUL_FINDING_MISALIGNED, 1u << lane,
            "misaligned bulk copy: %u bytes between shared 0x%x and global 0x%llx; all three must be multiples of 16",
            b->bytes, b->shared, (unsigned long long)b->global);
        return false;
    }
    if ((uint64_t)b->shared + b->bytes > w->sm->grid->shared_bytes || b->shared < SIM_SHARED_START) {
        sim_fault_concerns(w, HAUL_SPACE_SHARED, b->shared, b->bytes);
        sim_fault(w, op, HAUL_FINDING_OUT_OF_BOUNDS, 1u << lane,
                  "bulk copy outside the block's shared memory: %u bytes at 0x%x", b->bytes, b->shared);
        return false;
    }
    const uint32_t read = sim_bulk_read(b);
    if (read && !sim_reach_stretch(w->sm, b->global + b->left, read, b->kind != SIM_BULK_LOAD)) {
        sim_fault_concerns(w, HAUL_SPACE_GLOBAL, b->global, b->bytes);
        sim_fault(w, op, HAUL_FINDING_OUT_OF_BOUNDS, 1u << lane, "bulk copy outside any allocation: %u bytes at 0x%llx",
                  b->bytes, (unsigned long long)b->global);
        return false;
    }
    return true;
}

/* Reads the lane's operands. */
static sim_bulk describe(const sim_warp *w, const sim_op *op, unsigned lane, sim_bulk_kind kind) {
    return (sim_bulk){
        .kind = (uint8_t)kind,
        .atomic = op->count,
        .element = op->bytes,
        .instruction = op->instruction,
        .thread = w->index * SIM_LANES + lane,
        .shared = (uint32_t)sim_lane_address(w, op->a, op->imm2 & SHARED_WIDE, lane) + op->x,
        .barrier = (uint32_t)sim_lane_address(w, op->c, op->imm2 & BARRIER_WIDE, lane) + op->y,
        .global = sim_lane_address(w, op->d, op->flags & SIM_OP_WIDE, lane) + (uint64_t)op->imm,
        .bytes = SIM_SLOT(w, uint32_t, op->b)[lane],
    };
}

/* Returns the lane's mask: of ranks that get a multicast, or of bytes that a store writes. */
static uint32_t mask_of(const sim_warp *w, const sim_op *op, unsigned lane) {
    return SIM_SLOT(w, uint16_t, op->more)[lane];
}

/* Reads how many bytes the lane's load ignores. Records the fault and returns false if they are too many. */
static bool take_ignored(sim_warp *w, const sim_op *op, unsigned lane, sim_bulk *b) {
    enum { MOST = 15 };
    if (!(op->imm2 & IGNORES)) return true;
    const uint32_t *slots = w->sm->grid->program->pool + op->more;
    const uint32_t left = SIM_SLOT(w, uint32_t, slots[0])[lane], right = SIM_SLOT(w, uint32_t, slots[1])[lane];
    if (left <= MOST && right <= MOST) {
        b->left = (uint8_t)left, b->right = (uint8_t)right;
        return true;
    }
    sim_fault(w, op, HAUL_FINDING_OUT_OF_BOUNDS, 1u << lane,
              "bulk copy ignores %u bytes at its start and %u at its end; at most %d are allowed", left, right, MOST);
    return false;
}

/* Puts the copy in flight; a multicast becomes a copy for each rank, at the same addresses there. */
static bool add_copy(sim_warp *w, const sim_op *op, unsigned lane, sim_block *waits, const sim_bulk *b) {
    if (!(op->imm2 & MULTICAST)) return sim_issue_bulk(w, lane, waits, b);
    for (uint32_t ranks = mask_of(w, op, lane); ranks; ranks &= ranks - 1)
        if (!sim_issue_bulk(w, lane, &w->block->cluster[__builtin_ctz(ranks)], b)) return false;
    return true;
}

/* Returns how many blocks get the bytes, for the counters. */
static unsigned receivers(const sim_warp *w, const sim_op *op, unsigned lane) {
    return op->imm2 & MULTICAST ? (unsigned)__builtin_popcount(mask_of(w, op, lane)) : 1;
}

static bool operands_agree(const sim_warp *w, const sim_op *op, unsigned lane, unsigned other) {
    return sim_lanes_agree(w, op->d, op->flags & SIM_OP_WIDE, lane, other) &&
           sim_lanes_agree(w, op->a, op->imm2 & SHARED_WIDE, lane, other) &&
           sim_lanes_agree(w, op->b, false, lane, other) &&
           (!(op->imm2 & MASKED) || mask_of(w, op, lane) == mask_of(w, op, other));
}

/* Issues the active lanes' copies. */
static sim_step bulk(sim_warp *w, const sim_op *op, uint32_t active, sim_bulk_kind kind) {
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        sim_bulk b = describe(w, op, lane, kind);
        if (!take_ignored(w, op, lane, &b)) return SIM_STOP;
        sim_block *waits = kind == SIM_BULK_LOAD ? sim_load_waiter(w, op, lane, &b, false) : w->block;
        if (!waits || !check_bulk(w, op, lane, &b)) return SIM_STOP;
        if (op->imm2 & MULTICAST && !sim_check_ranks(w, op, lane, mask_of(w, op, lane))) return SIM_STOP;
        b.group = w->block->async.bulk_groups[b.thread];
        b.masked = op->imm2 & MASKED;
        b.mask = b.masked ? (uint16_t)mask_of(w, op, lane) : 0;
        b.repeats = kind == SIM_BULK_STORE && sim_repeats_store(w, op, active, lane, operands_agree);
        if (!add_copy(w, op, lane, waits, &b)) return sim_no_room_for(w, op, active, "a copy");
        if (!b.repeats) sim_count_bulk(w->sm->counting, w, op, lane, &b, receivers(w, op, lane));
    }
    return SIM_NEXT;
}

static sim_step bulk_load(sim_warp *w, const sim_op *op, uint32_t active) {
    return bulk(w, op, active, SIM_BULK_LOAD);
}

static sim_step bulk_store(sim_warp *w, const sim_op *op, uint32_t active) {
    return bulk(w, op, active, SIM_BULK_STORE);
}

/* Lowers any of the forms. `shared_at`, `global_at`, `barrier_at`: the positions of these operands; 0: no mbarrier. */
static haul_status lower_bulk(sim_lowering *l, const ptx_instruction *i, sim_handler run, unsigned shared_at,
                              unsigned global_at, unsigned barrier_at, haul_memory_class class) {
    bool shared_wide, global_wide, barrier_wide = false;
    int64_t shared_offset, global_offset, barrier_offset = 0;
    uint32_t shared = sim_address(l, &i->operands[shared_at], &shared_wide, &shared_offset);
    uint32_t global = sim_address(l, &i->operands[global_at], &global_wide, &global_offset);
    uint32_t bytes = sim_source(l, &i->operands[2], PTX_U32), barrier = SIM_SLOT_ZERO;
    if (barrier_at) barrier = sim_address(l, &i->operands[barrier_at], &barrier_wide, &barrier_offset);
    const uint32_t policy = sim_policy_slot(l, i);
    sim_op *op = sim_emit(l, run);
    op->policy = policy;
    op->d = global;
    op->imm = global_offset;
    op->a = shared;
    op->x = (uint32_t)shared_offset;
    op->b = bytes;
    op->c = barrier;
    op->y = (uint32_t)barrier_offset;
    op->imm2 = (shared_wide ? SHARED_WIDE : 0u) | (barrier_wide ? BARRIER_WIDE : 0u);
    op->flags |= global_wide ? SIM_OP_WIDE : 0;
    op->memory_class = (uint8_t) class;
    return HAUL_OK;
}

/* A multicast has the mask of ranks after the mbarrier; the bytes to ignore come before it. */
haul_status LOWER(CP_BULK_LOAD)(sim_lowering *l, const ptx_instruction *i) {
    const bool multicast = i->mods[PTX_SLOT_MULTICAST] != 0;
    const uint32_t ranks = multicast ? sim_source(l, &i->operands[6], PTX_U16) : 0;
    uint32_t more = ranks;
    if (i->mods[PTX_SLOT_IGNORE_OOB]) {
        const uint32_t left = sim_source(l, &i->operands[3], PTX_U32), right = sim_source(l, &i->operands[4], PTX_U32);
        more = sim_pool(l, (const uint32_t[]){left, right}, 2);
    }
    HAUL_TRY(lower_bulk(l, i, bulk_load, 0, 1, 5, HAUL_CLASS_BULK_LOAD));
    sim_op *op = sim_last_op(l);
    op->more = more;
    op->imm2 |= (multicast ? MULTICAST : 0u) | (i->mods[PTX_SLOT_IGNORE_OOB] ? IGNORES : 0u);
    return HAUL_OK;
}

/* Records the fault and returns false unless source and destination are aligned and in shared memory. */
static bool check_copy_between(sim_warp *w, const sim_op *op, unsigned lane, const sim_bulk *b) {
    const uint64_t limit = w->sm->grid->shared_bytes;
    const bool aligned = b->bytes % 16 == 0 && b->shared % 16 == 0 && b->global % 16 == 0;
    const bool inside = (uint64_t)b->shared + b->bytes <= limit && b->global <= limit && b->global + b->bytes <= limit;
    if (aligned && inside && b->shared >= SIM_SHARED_START && b->global >= SIM_SHARED_START) return true;
    sim_fault(w, op, aligned ? HAUL_FINDING_OUT_OF_BOUNDS : HAUL_FINDING_MISALIGNED, 1u << lane,
              "%s bulk copy of %u bytes from shared 0x%llx to 0x%x: must be multiples of 16 inside shared memory",
              aligned ? "stray" : "misaligned", b->bytes, (unsigned long long)b->global, b->shared);
    return false;
}

/* Shared memory to a block of the cluster. These copies are not counted. */
static sim_step bulk_between(sim_warp *w, const sim_op *op, uint32_t active) {
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        sim_bulk b = describe(w, op, lane, SIM_BULK_LOAD);
        b.source = w->block;
        b.global = (uint32_t)b.global;
        sim_block *waits = sim_load_waiter(w, op, lane, &b, false);
        if (!waits || !check_copy_between(w, op, lane, &b)) return SIM_STOP;
        if (!sim_issue_bulk(w, lane, waits, &b)) return sim_no_room_for(w, op, active, "a copy");
    }
    return SIM_NEXT;
}

/* Not counted, hence without a class. A reduction into the other block's shared memory has its kind in `count`. */
static haul_status lower_between(sim_lowering *l, const ptx_instruction *i, unsigned atomic) {
    HAUL_TRY(lower_bulk(l, i, bulk_between, 0, 1, 3, HAUL_CLASS_NONE));
    sim_op *op = sim_last_op(l);
    op->count = (uint8_t)atomic;
    op->bytes = (uint8_t)(ptx_bits(i->type) / 8);
    return HAUL_OK;
}

haul_status LOWER(CP_BULK_SHARED)(sim_lowering *l, const ptx_instruction *i) {
    return lower_between(l, i, SIM_ATOMIC_NONE);
}

haul_status LOWER(CP_REDUCE_SHARED)(sim_lowering *l, const ptx_instruction *i) {
    return lower_between(l, i, sim_atomic_kind_of(i));
}

/* A store has no mbarrier; threads wait for its bulk group. .cp_mask has a mask of bytes. */
haul_status LOWER(CP_BULK_STORE)(sim_lowering *l, const ptx_instruction *i) {
    const bool masked = i->mods[PTX_SLOT_MASK] != 0;
    const uint32_t mask = masked ? sim_source(l, &i->operands[4], PTX_U16) : 0;
    HAUL_TRY(lower_bulk(l, i, bulk_store, 1, 0, 0, HAUL_CLASS_BULK_STORE));
    sim_op *op = sim_last_op(l);
    op->more = mask;
    op->imm2 |= masked ? MASKED : 0;
    return HAUL_OK;
}

/* cp.reduce.async.bulk to global memory. */
static sim_step bulk_reduce(sim_warp *w, const sim_op *op, uint32_t active) {
    return bulk(w, op, active, SIM_BULK_REDUCE);
}

haul_status LOWER(CP_REDUCE_BULK)(sim_lowering *l, const ptx_instruction *i) {
    HAUL_TRY(lower_bulk(l, i, bulk_reduce, 1, 0, 0, HAUL_CLASS_BULK_STORE));
    sim_op *op = sim_last_op(l);
    op->count = (uint8_t)sim_atomic_kind_of(i);
    op->bytes = (uint8_t)(ptx_bits(i->type) / 8);
    return HAUL_OK;
}

/* d, imm: global address; b: bytes. Has no effect on values, but sizes and addresses are checked. */
static sim_step prefetch_bulk(sim_warp *w, const sim_op *op, uint32_t active) {
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        const uint64_t global = sim_lane_address(w, op->d, op->flags & SIM_OP_WIDE, lane) + (uint64_t)op->imm;
        const uint32_t bytes = SIM_SLOT(w, uint32_t, op->b)[lane];
        if (global % 16 == 0 && bytes % 16 == 0) continue;
        return sim_fault(w, op, HAUL_FINDING_MISALIGNED, 1u << lane,
                         "misaligned bulk prefetch: %u bytes at 0x%llx; both must be multiples of 16", bytes,
                         (unsigned long long)global);
    }
    return SIM_NEXT;
}

/* The L2 of the model learns nothing of prefetches. */
haul_status LOWER(CP_BULK_PREFETCH)(sim_lowering *l, const ptx_instruction *i) {
    bool wide;
    int64_t offset;
    const uint32_t global = sim_address(l, &i->operands[0], &wide, &offset);
    const uint32_t bytes = sim_source(l, &i->operands[1], PTX_U32);
    sim_op *op = sim_emit(l, prefetch_bulk);
    op->d = global;
    op->imm = offset;
    op->b = bytes;
    op->flags |= wide ? SIM_OP_WIDE : 0;
    return HAUL_OK;
}

/* Closes the bulk group of each active lane. */
static sim_step commit_bulk(sim_warp *w, const sim_op *op, uint32_t active) {
    (void)op;
    sim_async_commit_bulk(w, active);
    return SIM_NEXT;
}

haul_status LOWER(CP_BULK_COMMIT)(sim_lowering *l, const ptx_instruction *i) {
    (void)i;
    sim_emit(l, commit_bulk);
    return HAUL_OK;
}

/* .read (x) waits until the sources have been read. Both happen as late as allowed, mostly together. Reductions are
 * atomic towards other blocks, so they wait for the serial phase. */
static sim_step wait_bulk(sim_warp *w, const sim_op *op, uint32_t active) {
    sim_step step;
    if (sim_async_has_reductions(&w->block->async) && !sim_in_order(w, op, &step)) return step;
    sim_async_wait_bulk(w, active, (uint32_t)op->imm, op->x);
    if (w->sm->hazards) sim_hazard_bulk_waited(w, active, (uint32_t)op->imm, op->x);
    return SIM_YIELD;
}

haul_status LOWER(CP_BULK_WAIT)(sim_lowering *l, const ptx_instruction *i) {
    sim_op *op = sim_emit(l, wait_bulk);
    op->imm = (int64_t)i->operands[0].bits;
    op->x = i->mods[PTX_SLOT_READ] != 0;
    return HAUL_OK;
}
