/* Instructions on tensor memory: allocation, loads and stores, waits, fences and commits. Products are in tmem_mma.c
 * and tmem_make.c, copies and shifts in tmem_copy.c, the memory and the queue of work in exec/tmem.c.
 *
 * All but commits and fences are executed by whole warps (.aligned), so a handler first gathers the warp and then uses
 * one lane's operands for all. A load or store only enters the warp's queue of products when it is issued. It moves its
 * data at tcgen05.wait, as late as the rules allow, so that a missing wait shows. */
#include "exec/ops/tmem.h"

#include "base/memory.h"
#include "check/hazard.h"
#include "exec/access.h"
#include "exec/async.h"
#include "exec/cluster.h"
#include "exec/fault.h"
#include "exec/mbarrier.h"
#include "exec/ops/lanes.h"
#include "exec/ops/matrix.h"
#include "exec/paths.h"
#include "exec/products.h"
#include "exec/tmem.h"
#include "ptx/tcgen05.h"
#include "state/tmem.h"

/* ---- tcgen05.alloc, .dealloc, .relinquish_alloc_permit; a, imm, SIM_OP_WIDE: destination of the address, or (dealloc)
 * a itself; b: the columns; x: number of blocks; y: the address is generic ---- */

/* Returns how many blocks the instruction acts for: one, or a pair of neighbouring ranks. */
static uint32_t blocks_of(const ptx_instruction *i) {
    return i->mods[PTX_SLOT_CTA_GROUP] == PTX_MOD_CTA_GROUP_2 ? SIM_TMEM_PAIR : 1;
}

/* Returns the first block of the executing block's pair: ranks 2n and 2n + 1 form one. Records the fault and returns
 * NULL if clusters have an odd number of blocks. */
sim_block *sim_tmem_pair(sim_warp *w, const sim_op *op, uint32_t lanes) {
    if (w->sm->grid->cluster_blocks % SIM_TMEM_PAIR == 0) return &w->block->cluster[w->block->rank & ~1u];
    sim_fault(w, op, HAUL_FINDING_ILLEGAL_ACCESS, lanes, ".cta_group::2 needs clusters of an even number of blocks");
    return NULL;
}

static sim_step no_memory(sim_warp *w, const sim_op *op, uint32_t lanes) {
    return sim_give_up(w, op, HAUL_ERROR_OUT_OF_MEMORY, lanes, "the host has no memory for tensor memory");
}

/* Both blocks of a pair request columns; the second one allocates for both. Returns false if the block must wait. The
 * first block to come leaves its request and waits. The second one leaves it the address, plus one since 0 means that
 * there is none, and wakes it. */
static bool allocate_for_pair(sim_block *b, sim_block *pair, uint32_t columns, uint32_t *address) {
    sim_block *peer = &pair[pair == b];
    if (b->tensor.granted) {
        *address = b->tensor.granted - 1;
        b->tensor.granted = 0;
        return true;
    }
    b->tensor.requested = columns;
    if (peer->tensor.requested != columns || !sim_tmem_allocate(pair, SIM_TMEM_PAIR, columns, address)) return false;
    b->tensor.requested = peer->tensor.requested = 0;
    peer->tensor.granted = *address + 1;
    sim_tmem_wake(b->sm);
    return true;
}

/* Records the fault and returns false if the ISA does not allow that number of columns, or if the block has given up
 * allocating. */
static bool may_allocate(sim_warp *w, const sim_op *op, uint32_t lanes, uint32_t columns) {
    if (!ptx_is_column_count(columns)) {
        sim_fault(w, op, HAUL_FINDING_ILLEGAL_ACCESS, lanes,
                  "%u columns of tensor memory: must be 32, 64, 128, 256 or 512", columns);
        return false;
    }
    if (!w->block->tensor.relinquished) return true;
    sim_fault(w, op, HAUL_FINDING_ILLEGAL_ACCESS, lanes,
              "the block has given up the right to allocate: tcgen05.relinquish_alloc_permit");
    return false;
}

/* Finds the word of shared memory that gets the address. Records the fault and returns false if it is outside. */
static bool find_destination(sim_warp *w, const sim_op *op, uint32_t lane, uint32_t address[SIM_LANES]) {
    if (op->y) {
        uint64_t generic[SIM_LANES];
        sim_addresses(w, op, generic);
        if (!sim_check_window(w, op, lane, generic)) return false;
    }
    sim_shared_addresses(w, op->a, op->imm, op->flags & SIM_OP_WIDE, address);
    return sim_check_shared(w, op, lane, address, sizeof(uint32_t), sizeof(uint32_t));
}

/* tcgen05.alloc blocks while columns are missing: the warp waits, and executes the instruction again when some are
 * freed. */
static sim_step allocate(sim_warp *w, const sim_op *op, uint32_t active) {
    sim_step step;
    uint32_t to[SIM_LANES], at;
    const uint32_t lanes = sim_whole_warp(w, op, active, &step), lane = lanes & -lanes;
    if (!lanes) return step;
    const uint32_t columns = SIM_SLOT(w, uint32_t, op->b)[__builtin_ctz(lanes)];
    if (!may_allocate(w, op, lanes, columns) || !find_destination(w, op, lane, to)) return SIM_STOP;
    if (!sim_tmem_of(w->block)) return no_memory(w, op, lanes);
    sim_block *pair = op->x == SIM_TMEM_PAIR ? sim_tmem_pair(w, op, lanes) : w->block;
    if (!pair) return SIM_STOP;
    /* Both blocks of a pair get the same address. */
    const bool granted = op->x == SIM_TMEM_PAIR ? allocate_for_pair(w->block, pair, columns, &at)
                                                : sim_tmem_allocate(w->block, 1, columns, &at);
    if (!granted) return sim_warp_wait(w, sim_pc(w, op), lanes, SIM_PATH_AT_TENSOR_MEMORY);
    if (w->sm->hazards) sim_hazard_store(w, op, lane, w->block, to);
    w->block->tensor.allocation = op;
    w->block->tensor.allocator = w->index;
    memcpy(w->block->shared + to[__builtin_ctz(lane)], &at, sizeof at);
    return SIM_NEXT;
}

haul_status LOWER(TMEM_ALLOC)(sim_lowering *l, const ptx_instruction *i) {
    const uint32_t columns = sim_source(l, &i->operands[1], PTX_U32);
    sim_op *op = sim_emit_at(l, allocate, &i->operands[0]);
    op->b = columns;
    op->x = blocks_of(i);
    op->y = op->flags & SIM_OP_WIDE && !i->mods[PTX_SLOT_SPACE];
    op->bytes = sizeof(uint32_t);
    return HAUL_OK;
}

/* tcgen05.dealloc. The address and the number must be those of columns that the block owns. */
static sim_step deallocate(sim_warp *w, const sim_op *op, uint32_t active) {
    sim_step step;
    const uint32_t lanes = sim_whole_warp(w, op, active, &step);
    if (!lanes) return step;
    const unsigned first = (unsigned)__builtin_ctz(lanes);
    const uint32_t address = SIM_SLOT(w, uint32_t, op->a)[first], columns = SIM_SLOT(w, uint32_t, op->b)[first];
    const sim_tmem_area area = {sim_tmem_column(address), columns, SIM_TMEM_ALL_GROUPS};
    if (w->sm->hazards) sim_hazard_tmem(w, op, lanes, HAUL_ACTION_WRITE, area);
    if (ptx_is_column_count(columns) && sim_tmem_free(w->block, address, columns)) return SIM_NEXT;
    return sim_fault(w, op, HAUL_FINDING_OUT_OF_BOUNDS, lanes,
                     "%u columns of tensor memory at 0x%x: the block has not allocated these", columns, address);
}

haul_status LOWER(TMEM_DEALLOC)(sim_lowering *l, const ptx_instruction *i) {
    const uint32_t address = sim_source(l, &i->operands[0], PTX_B32), columns = sim_source(l, &i->operands[1], PTX_U32);
    sim_op *op = sim_emit(l, deallocate);
    op->a = address;
    op->b = columns;
    return HAUL_OK;
}

/* From now on tcgen05.alloc of this block is a fault; nothing else depends on it. */
static sim_step relinquish(sim_warp *w, const sim_op *op, uint32_t active) {
    sim_step step;
    if (!sim_whole_warp(w, op, active, &step)) return step;
    w->block->tensor.relinquished = true;
    return SIM_NEXT;
}

haul_status LOWER(TMEM_RELINQUISH)(sim_lowering *l, const ptx_instruction *i) {
    (void)i;
    sim_emit(l, relinquish);
    return HAUL_OK;
}

/* ---- tcgen05.ld, .st; a, imm: the address; more, count: the registers' slots in the pool and their number; x: a
 * SHAPE_*; y: columns from the first half to the second; imm2: ACCESS_* ---- */

enum { SHAPE_16X64, SHAPE_16X128, SHAPE_16X256, SHAPE_32X32, SHAPE_16X32X2 };
enum { ACCESS_PACKS = 1, ACCESS_STORES = 2 }; /* packs: two columns' lower halves share a register */
enum { WARP_LANES = SIM_LANES, WARPS_OF_LANES = SIM_TMEM_LANES / WARP_LANES };

/* Lane (row) and column of one 32-bit cell of tensor memory. */
typedef struct cell_place {
    uint32_t lane, column; /* relative to the access */
} cell_place;

/* Returns the cell of register r of the lane. The ISA has a figure for each shape. Those of 16 lanes by 64, 128 or 256
 * bits are repeated along the columns; in 32x32b each lane of the warp has its own row. */
static cell_place place_of(const sim_op *op, uint32_t r, uint32_t lane) {
    switch (op->x) {
    case SHAPE_16X64: return (cell_place){lane / 4 + 8 * (lane % 2), 2 * r + lane / 2 % 2};
    case SHAPE_16X128: return (cell_place){lane / 4 + 8 * (r % 2), r / 2 * 4 + lane % 4};
    case SHAPE_16X256: return (cell_place){lane / 4 + 8 * (r / 2 % 2), r / 4 * 8 + 2 * (lane % 4) + r % 2};
    case SHAPE_16X32X2: return (cell_place){lane % SIM_TMEM_GROUP, r + lane / SIM_TMEM_GROUP * op->y};
    default: return (cell_place){lane, r};
    }
}

/* Returns the columns of the access, for SHAPE_16X32X2 those of one half. */
static uint32_t columns_of(const sim_op *op) {
    const uint32_t shaped = op->x == SHAPE_16X64 || op->x == SHAPE_16X128 || op->x == SHAPE_16X256 ? 2u : 1u;
    return op->count * shaped << (op->imm2 & ACCESS_PACKS);
}

/* Returns the distance in columns from the first half of a 16x32bx2 access to the second. */
static uint32_t second_half(const sim_op *op) {
    return op->y << (op->imm2 & ACCESS_PACKS);
}

/* Returns the cell of register r of the lane. A packed register has two adjacent columns, the lower one in its lower
 * half. */
static uint32_t *cell_of(const sim_warp *w, const sim_op *op, uint32_t address, uint32_t r, uint32_t lane) {
    const cell_place at = place_of(op, r, lane);
    const uint32_t column = sim_tmem_column(address) + (at.column << (op->imm2 & ACCESS_PACKS));
    return &sim_tmem_of(w->block)->words[sim_tmem_lane(address) + at.lane][column];
}

/* Executes a load at its wait. The registers belong to all live lanes, since the instruction does. */
static void load(sim_warp *w, const sim_pending_product *p) {
    if (p->effect == SIM_CHECKS_ONLY) return;
    const uint32_t *slots = w->sm->grid->program->pool + p->op->more;
    for (uint32_t r = 0; r < p->op->count; r++) {
        uint32_t *d = SIM_SLOT(w, uint32_t, slots[r]);
        for (uint32_t left = w->live; left; left &= left - 1) {
            const uint32_t l = (uint32_t)__builtin_ctz(left), *cell = cell_of(w, p->op, (uint32_t)p->a, r, l);
            d[l] = p->op->imm2 & ACCESS_PACKS ? (cell[0] & 0xffff) | cell[1] << 16 : cell[0];
        }
    }
}

/* Executes a store at its wait, from the registers that were saved at its issue. */
static void store(sim_warp *w, const sim_pending_product *p) {
    if (p->effect == SIM_CHECKS_ONLY) return;
    for (uint32_t r = 0; r < p->op->count; r++) {
        for (uint32_t left = w->live; left; left &= left - 1) {
            const uint32_t l = (uint32_t)__builtin_ctz(left), value = p->data[r * SIM_LANES + l];
            uint32_t *cell = cell_of(w, p->op, (uint32_t)p->a, r, l);
            cell[0] = p->op->imm2 & ACCESS_PACKS ? value & 0xffff : value;
            if (p->op->imm2 & ACCESS_PACKS) cell[1] = value >> 16;
        }
    }
}

/* Records the fault and returns false if the access begins at a wrong lane. Warp w reaches the 32 lanes
 * from 32 * (w % 4) on only; shapes of 16 lanes may begin in the middle of these. */
static bool check_lanes(sim_warp *w, const sim_op *op, uint32_t lanes, uint32_t address) {
    const uint32_t first = w->index % WARPS_OF_LANES * WARP_LANES, lane = sim_tmem_lane(address);
    const bool upper = op->x != SHAPE_32X32 && lane == first + SIM_TMEM_GROUP;
    if (lane == first || upper) return true;
    sim_fault(w, op, HAUL_FINDING_ILLEGAL_ACCESS, lanes,
              "tensor memory at 0x%x: warp %u must begin at lane %u%s, not at lane %u", address, w->index, first,
              op->x == SHAPE_32X32 ? "" : " or 16 lanes further", lane);
    return false;
}

bool sim_tmem_check(sim_warp *w, const sim_op *op, uint32_t lanes, const sim_block *b, uint32_t address,
                    uint32_t columns) {
    if (sim_tmem_owns(b, sim_tmem_column(address), columns)) return true;
    sim_fault(w, op, HAUL_FINDING_OUT_OF_BOUNDS, lanes,
              "tensor memory at 0x%x, %u column%s: the block has not allocated all of them", address, columns,
              columns == 1 ? "" : "s");
    return false;
}

static bool check_access(sim_warp *w, const sim_op *op, uint32_t lanes, uint32_t address) {
    const uint32_t columns = columns_of(op);
    return check_lanes(w, op, lanes, address) && sim_tmem_check(w, op, lanes, w->block, address, columns) &&
           (op->x != SHAPE_16X32X2 || sim_tmem_check(w, op, lanes, w->block, address + second_half(op), columns));
}

/* Returns the groups of 16 lanes that the access touches, a bit each (sim_tmem_area). */
static uint8_t groups_of(const sim_op *op, uint32_t address) {
    return (uint8_t)((op->x == SHAPE_32X32 ? 3u : 1u) << sim_tmem_lane(address) / SIM_TMEM_GROUP);
}

/* Reports the access to the checks: they know whether products, copies or other warps still use these columns. */
static void check_order(sim_warp *w, const sim_op *op, uint32_t lanes, uint32_t address) {
    const haul_action action = op->imm2 & ACCESS_STORES ? HAUL_ACTION_ASYNC_WRITE : HAUL_ACTION_ASYNC_READ;
    sim_tmem_area area = {sim_tmem_column(address), columns_of(op), groups_of(op, address)};
    sim_hazard_tmem(w, op, lanes, action, area);
    area.column += second_half(op);
    if (op->x == SHAPE_16X32X2) sim_hazard_tmem(w, op, lanes, action, area);
}

/* Returns 0 with *step set if the warp must wait or stop. Otherwise returns the lanes and their address, which has been
 * checked. */
static uint32_t begin_access(sim_warp *w, const sim_op *op, uint32_t active, sim_step *step, uint32_t *address) {
    const uint32_t lanes = sim_whole_warp(w, op, active, step);
    if (!lanes) return 0;
    *address = SIM_SLOT(w, uint32_t, op->a)[__builtin_ctz(lanes)] + (uint32_t)op->imm;
    if (!check_access(w, op, lanes, *address)) {
        *step = SIM_STOP;
        return 0;
    }
    if (w->sm->hazards) check_order(w, op, lanes, *address);
    return lanes;
}

/* Puts the access into the warp's queue, which then owns p->data. */
static sim_step add_access(sim_warp *w, const sim_op *op, uint32_t lanes, const sim_pending_product *p) {
    if (!sim_products_add(w, p)) {
        memory_free(p->data);
        return no_memory(w, op, lanes);
    }
    if (w->sm->hazards) sim_hazard_products(w);
    return SIM_NEXT;
}

/* The registers stay as they are until the wait. */
static sim_step issue_load(sim_warp *w, const sim_op *op, uint32_t active) {
    sim_step step;
    uint32_t address;
    const uint32_t lanes = begin_access(w, op, active, &step, &address);
    if (!lanes) return step;
    const sim_pending_product p = {.make = load, .op = op, .a = address, .groups = groups_of(op, address)};
    return add_access(w, op, lanes, &p);
}

/* The program may reuse the registers at once, so their values are saved. */
static sim_step issue_store(sim_warp *w, const sim_op *op, uint32_t active) {
    const uint32_t *slots = w->sm->grid->program->pool + op->more;
    sim_step step;
    uint32_t address;
    const uint32_t lanes = begin_access(w, op, active, &step, &address);
    if (!lanes) return step;
    const sim_pending_product p = {.make = store,
                                   .op = op,
                                   .a = address,
                                   .is_store = true,
                                   .groups = groups_of(op, address),
                                   .data = memory_alloc(op->count * SIM_LANES * sizeof(uint32_t))};
    if (!p.data) return no_memory(w, op, lanes);
    for (uint32_t r = 0; r < op->count; r++)
        memcpy(p.data + r * SIM_LANES, SIM_SLOT(w, uint32_t, slots[r]), SIM_LANES * sizeof(uint32_t));
    return add_access(w, op, lanes, &p);
}

/* Lowers a load or store. `half`: the distance of the second half, for .16x32bx2; absent otherwise. */
static haul_status lower_access(sim_lowering *l, const ptx_instruction *i, sim_handler run, const ptx_operand *memory,
                                const ptx_operand *registers, const ptx_operand *half) {
    const uint32_t more = sim_pool_fragment(l, registers, registers == &i->operands[0], PTX_B32);
    sim_op *op = sim_emit_at(l, run, memory);
    op->more = more;
    op->count = (uint8_t)registers->part_count;
    op->x = i->mods[PTX_SLOT_TMEM_SHAPE] - PTX_MOD_T16X64B + SHAPE_16X64;
    op->y = half->kind == PTX_INTEGER ? (uint32_t)half->bits : 0;
    op->imm2 = (i->mods[PTX_SLOT_PACK] ? ACCESS_PACKS : 0u) | (run == issue_store ? ACCESS_STORES : 0u);
    return HAUL_OK;
}

/* The third operand is there for .16x32bx2 only. */
haul_status LOWER(TMEM_LD)(sim_lowering *l, const ptx_instruction *i) {
    static const ptx_operand none = {.kind = PTX_ABSENT};
    return lower_access(l, i, issue_load, &i->operands[1], &i->operands[0],
                        i->operand_count > 2 ? &i->operands[2] : &none);
}

haul_status LOWER(TMEM_ST)(sim_lowering *l, const ptx_instruction *i) {
    return lower_access(l, i, issue_store, &i->operands[0], &i->operands[2], &i->operands[1]);
}

/* tcgen05.wait::ld: the warp's loads write their registers now. Another warp may run next, as after each wait. */
static sim_step wait_for_loads(sim_warp *w, const sim_op *op, uint32_t active) {
    sim_step step;
    if (!sim_whole_warp(w, op, active, &step)) return step;
    sim_products_finish_kind(w, load);
    if (w->sm->hazards) sim_hazard_tmem_waited(w, false);
    return SIM_YIELD;
}

static sim_step wait_for_stores(sim_warp *w, const sim_op *op, uint32_t active) {
    sim_step step;
    if (!sim_whole_warp(w, op, active, &step)) return step;
    sim_products_finish_kind(w, store);
    if (w->sm->hazards) sim_hazard_tmem_waited(w, true);
    return SIM_YIELD;
}

haul_status LOWER(TMEM_WAIT_LD)(sim_lowering *l, const ptx_instruction *i) {
    (void)i;
    sim_emit(l, wait_for_loads);
    return HAUL_OK;
}

haul_status LOWER(TMEM_WAIT_ST)(sim_lowering *l, const ptx_instruction *i) {
    (void)i;
    sim_emit(l, wait_for_stores);
    return HAUL_OK;
}

/* ---- fences: nothing is reordered here; they matter to checks of relaxed barriers ---- */

static sim_step fence(sim_warp *w, const sim_op *op, uint32_t active) {
    (void)op;
    if (w->sm->hazards) sim_hazard_tmem_fence(w, active);
    return SIM_NEXT;
}

haul_status LOWER(TMEM_FENCE_BEFORE)(sim_lowering *l, const ptx_instruction *i) {
    (void)i;
    sim_emit(l, fence);
    return HAUL_OK;
}

haul_status LOWER(TMEM_FENCE_AFTER)(sim_lowering *l, const ptx_instruction *i) {
    (void)i;
    sim_emit(l, fence);
    return HAUL_OK;
}

/* ---- tcgen05.commit; a, imm, SIM_OP_WIDE: the mbarrier; b: the ranks at which it arrives, x: whether they are given
 * ---- */

/* Puts a commit after the thread's products and copies in the block's queue. When somebody waits for the mbarrier, the
 * work before the commit is done, and then it arrives. With .multicast it arrives in each block that the mask names, at
 * the same offset. Misuse of the mbarrier is found now, where the message can name the line. */
static sim_step commit(sim_warp *w, const sim_op *op, uint32_t active) {
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const uint64_t base =
            op->flags & SIM_OP_WIDE ? SIM_SLOT(w, uint64_t, op->a)[lane] : SIM_SLOT(w, uint32_t, op->a)[lane];
        const uint32_t named = (uint32_t)(base + (uint64_t)op->imm);
        sim_tmem_work work = {.op = op, .thread = w->index * SIM_LANES + lane, .barrier = named};
        sim_block *owner = sim_cluster_block(w->block, &work.barrier);
        if (!owner) return sim_cluster_fault(w, op, 1u << lane, named);
        if (!sim_mbarrier_at(owner, work.barrier))
            return sim_fault(w, op, HAUL_FINDING_MBARRIER_MISUSE, 1u << lane,
                             "mbarrier at shared 0x%x: must be 8-byte aligned and inside shared memory", work.barrier);
        work.ranks = op->x ? SIM_SLOT(w, uint16_t, op->b)[lane] : 1u << owner->rank;
        for (uint32_t r = 0; w->sm->hazards && r < w->sm->grid->cluster_blocks; r++) {
            if (!(work.ranks >> r & 1)) continue;
            sim_hazard_mbarrier_use(w, op, lane, &w->block->cluster[r], work.barrier);
            sim_hazard_mbarrier_signalled(w, op, lane, &w->block->cluster[r], work.barrier);
        }
        if (w->sm->hazards) work.issued = sim_hazard_tmem_commit(w);
        if (!sim_tmem_add(w->block, &work)) return no_memory(w, op, active);
    }
    return SIM_NEXT;
}

/* Without .multicast, the mbarrier's own block is the only one. */
haul_status LOWER(TMEM_COMMIT)(sim_lowering *l, const ptx_instruction *i) {
    const bool multicast = i->mods[PTX_SLOT_MULTICAST] != 0;
    const uint32_t ranks = multicast ? sim_source(l, &i->operands[1], PTX_U16) : SIM_SLOT_ZERO;
    sim_op *op = sim_emit_at(l, commit, &i->operands[0]);
    op->b = ranks;
    op->x = multicast;
    return HAUL_OK;
}
