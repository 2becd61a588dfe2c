/* cp.async, bulk copies, and mbarriers. */
#include "sim/copy/async.h"

#include "base/status.h"
#include "sim/atomic.h"
#include "sim/cluster.h"
#include "sim/hazard/hazard.h"
#include "sim/lower/internal.h"
#include "sim/memory.h"
#include "sim/ops/access.h"

/* ---- cp.async: d the shared address, a the global one, b the bytes to read (op->count says whether given), x, imm2:
 * shared offset and whether its register is wide; y the operand's slot ---- */

/* Lanes whose source size is not the whole copy. */
static uint32_t fill_sizes(const sim_warp *w, const sim_op *op, uint8_t read[SIM_LANES]) {
    uint32_t empty = 0;
    const uint32_t *given = SIM_SLOT(w, uint32_t, op->b);
    for (unsigned l = 0; l < SIM_LANES; l++) {
        uint32_t bytes = op->count ? given[l] : op->bytes;
        read[l] = (uint8_t)(bytes < op->bytes ? bytes : op->bytes);
        empty |= (uint32_t)(read[l] == 0) << l;
    }
    return empty;
}

/* A lane that reads less than the copy's size may do so up to the end of an allocation. */
static bool check_sources(sim_warp *w, const sim_op *op, uint32_t reads, const sim_copy *c) {
    uintptr_t base;
    while (reads) {
        const unsigned bytes = c->read[__builtin_ctz(reads)];
        uint32_t same = 0;
        for (unsigned l = 0; l < SIM_LANES; l++) same |= (uint32_t)(c->read[l] == bytes) << l;
        if (!sim_check_global(w, op, reads & same, c->source, bytes, op->bytes, &base)) return false;
        reads &= ~same;
    }
    return true;
}

static bool check_copy(sim_warp *w, const sim_op *op, uint32_t active, uint32_t empty, const sim_copy *c) {
    return sim_check_shared(w, op, active, c->destination, op->bytes, op->bytes) &&
           check_sources(w, op, active & ~empty, c);
}

/* Lanes may have closed different numbers of groups: one entry for each number. */
static bool queue_copy(sim_warp *w, const sim_op *op, uint32_t active, const sim_copy *made) {
    const uint32_t *committed = w->block->async.queues[w->index].committed;
    while (active) {
        uint32_t group = committed[__builtin_ctz(active)], same = 0;
        for (unsigned l = 0; l < SIM_LANES; l++) same |= (uint32_t)(committed[l] == group) << l;
        sim_copy *c = sim_async_add(w);
        if (!c) return false;
        *c = *made;
        c->op = op;
        c->lanes = active & same;
        c->group = group;
        if (w->sm->hazards && c->bytes) sim_hazard_copy(w, c->lanes, c);
        active &= ~same;
    }
    return true;
}

static sim_step out_of_memory(sim_warp *w, const sim_op *op, uint32_t active) {
    return sim_give_up(w, op, HAUL_ERROR_OUT_OF_MEMORY, active, "the host has no memory for a copy in flight");
}

static sim_step copy_async(sim_warp *w, const sim_op *op, uint32_t active) {
    sim_copy c = {.bytes = op->bytes};
    sim_addresses(w, op, c.source);
    sim_shared_addresses(w, op->d, op->x, op->imm2 != 0, c.destination);
    uint32_t empty = fill_sizes(w, op, c.read);
    if (!check_copy(w, op, active, empty, &c)) return SIM_STOP;
    if (!queue_copy(w, op, active, &c)) return out_of_memory(w, op, active);
    sim_count_ldgsts(w->sm->counting, w, op, active, empty & active, c.source, c.destination);
    return SIM_NEXT;
}

/* In front of a guarded copy: guard and guard_flip are those of the copy, as x and y here; other operands are its own,
 * but for the shared offset in imm2 and its width in count. */
static sim_step count_guarded_copy(sim_warp *w, const sim_op *op, uint32_t active) {
    uint64_t source[SIM_LANES];
    uint32_t destination[SIM_LANES];
    sim_addresses(w, op, source);
    sim_shared_addresses(w, op->d, (int32_t)op->imm2, op->count, destination);
    const uint32_t on = active & (SIM_PREDICATE(w, op->x) ^ op->y);
    sim_count_guarded_ldgsts(w->sm->counting, op, active, on, source, destination);
    return SIM_NEXT;
}

/* Lanes that are off count where machine code has their addresses in registers: where PTX guards the copy itself. */
static void emit_guarded_count(sim_lowering *l, const ptx_instruction *i) {
    bool shared_wide;
    int64_t shared_offset;
    const uint32_t shared = sim_address(l, &i->operands[0], &shared_wide, &shared_offset);
    sim_op *op = sim_emit_at(l, count_guarded_copy, &i->operands[1]);
    op->x = op->guard;
    op->y = op->guard_flip;
    op->guard = SIM_SLOT_TRUE;
    op->guard_flip = 0;
    op->d = shared;
    op->imm2 = (uint32_t)shared_offset;
    op->count = shared_wide;
    op->memory_class = HAUL_CLASS_LDGSTS_BYPASS;
}

/* A predicate as the fourth operand means: ignore the source where it is true. */
static sim_step sizes_from_predicate(sim_warp *w, const sim_op *op, uint32_t active) {
    uint32_t *d = SIM_SLOT(w, uint32_t, op->d), ignore = SIM_PREDICATE(w, op->a) ^ op->x;
    SIM_STORE_LANES(d, active, (ignore >> l & 1) ? 0u : op->y);
    return SIM_NEXT;
}

static bool is_predicate(const sim_lowering *l, const ptx_operand *o) {
    return o->kind == PTX_REGISTER && l->function->registers[o->reg].type == PTX_PRED;
}

static uint32_t lower_source_size(sim_lowering *l, const ptx_operand *o, uint32_t bytes) {
    if (!is_predicate(l, o)) return sim_source(l, o, PTX_U32);
    uint32_t flip, predicate = sim_predicate(l, o, &flip);
    sim_op *op = sim_emit(l, sizes_from_predicate);
    op->a = predicate;
    op->x = flip;
    op->y = bytes;
    op->d = SIM_SLOT_SCRATCH;
    return SIM_SLOT_SCRATCH;
}

haul_status LOWER(CP_ASYNC)(sim_lowering *l, const ptx_instruction *i) {
    bool shared_wide;
    int64_t shared_offset;
    uint64_t bytes = i->operands[2].bits;
    bool bypass = i->mods[PTX_SLOT_CACHE] == PTX_MOD_CG;
    bool sized = i->operand_count > 3 && i->operands[3].kind != PTX_ABSENT;
    if (i->operands[2].kind != PTX_INTEGER || (bytes != 16 && (bypass || (bytes != 4 && bytes != 8))))
        return sim_lower_fail(l, "cp.async moves 4, 8 or 16 bytes, and with .cg only 16");
    const bool whole = !sized || (i->operands[3].kind == PTX_INTEGER && i->operands[3].bits == bytes);
    if (i->guarded && bypass && whole) emit_guarded_count(l, i);
    uint32_t shared = sim_address(l, &i->operands[0], &shared_wide, &shared_offset);
    uint32_t size = sized ? lower_source_size(l, &i->operands[3], (uint32_t)bytes) : SIM_SLOT_ZERO;
    const uint32_t policy = sim_policy_slot(l, i);
    sim_op *op = sim_emit_at(l, copy_async, &i->operands[1]);
    op->policy = policy;
    op->d = shared;
    op->x = (uint32_t)shared_offset;
    op->imm2 = shared_wide;
    op->b = size;
    op->count = sized;
    op->bytes = (uint8_t)bytes;
    op->memory_class = bypass ? HAUL_CLASS_LDGSTS_BYPASS : HAUL_CLASS_LDGSTS_ACCESS;
    return HAUL_OK;
}

static sim_step commit(sim_warp *w, const sim_op *op, uint32_t active) {
    if (w->sm->hazards) sim_hazard_commit(w, op, active);
    sim_async_commit(w, active);
    return SIM_NEXT;
}

haul_status LOWER(CP_ASYNC_COMMIT)(sim_lowering *l, const ptx_instruction *i) {
    (void)i;
    sim_emit(l, commit);
    return HAUL_OK;
}

/* imm: groups to leave in flight; negative: complete everything, committed or not */
static sim_step wait_group(sim_warp *w, const sim_op *op, uint32_t active) {
    sim_async_wait(w, active, op->imm < 0 ? 0 : (uint32_t)op->imm, op->imm < 0);
    return SIM_YIELD;
}

haul_status LOWER(CP_ASYNC_WAIT_GROUP)(sim_lowering *l, const ptx_instruction *i) {
    sim_emit(l, wait_group)->imm = (int64_t)i->operands[0].bits;
    return HAUL_OK;
}

haul_status LOWER(CP_ASYNC_WAIT_ALL)(sim_lowering *l, const ptx_instruction *i) {
    (void)i;
    sim_emit(l, wait_group)->imm = -1;
    return HAUL_OK;
}

/* ---- bulk copies: one for each active lane (usually one) ---- */

typedef struct bulk_request {
    uint64_t global;
    uint32_t shared, bytes, barrier;
} bulk_request;

static bool check_bulk(sim_warp *w, const sim_op *op, unsigned lane, const bulk_request *r, bool loads) {
    const sim_memory *memory = w->sm->grid->memory;
    if (r->bytes % 16 || r->shared % 16 || r->global % 16) {
        sim_fault(
            w, op, HAUL_FINDING_MISALIGNED, 1u << lane,
            "misaligned bulk copy: %u bytes between shared 0x%x and global 0x%llx; all three must be multiples of 16",
            r->bytes, r->shared, (unsigned long long)r->global);
        return false;
    }
    if ((uint64_t)r->shared + r->bytes > w->sm->grid->shared_bytes || r->shared < SIM_SHARED_START) {
        sim_fault_concerns(w, HAUL_SPACE_SHARED, r->shared, r->bytes);
        sim_fault(w, op, HAUL_FINDING_OUT_OF_BOUNDS, 1u << lane,
                  "bulk copy outside the block's shared memory: %u bytes at 0x%x", r->bytes, r->shared);
        return false;
    }
    if (r->bytes && !(loads ? sim_memory_at : sim_memory_at_to_write)(memory, r->global, r->bytes)) {
        sim_fault_concerns(w, HAUL_SPACE_GLOBAL, r->global, r->bytes);
        sim_fault(w, op, HAUL_FINDING_OUT_OF_BOUNDS, 1u << lane, "bulk copy outside any allocation: %u bytes at 0x%llx",
                  r->bytes, (unsigned long long)r->global);
        return false;
    }
    return true;
}

static uint64_t slot_value(const sim_warp *w, uint32_t slot, bool wide, unsigned lane) {
    return wide ? SIM_SLOT(w, uint64_t, slot)[lane] : SIM_SLOT(w, uint32_t, slot)[lane];
}

/* d, imm: global address (64 bits); a, x: shared address; b: bytes; c, y: mbarrier. imm2: bit 0, 1: shared, mbarrier
 * registers are wide. */
static bulk_request request_of(const sim_warp *w, const sim_op *op, unsigned lane) {
    return (bulk_request){
        .global = slot_value(w, op->d, op->flags & SIM_OP_WIDE, lane) + (uint64_t)op->imm,
        .shared = (uint32_t)slot_value(w, op->a, op->imm2 & 1, lane) + op->x,
        .bytes = SIM_SLOT(w, uint32_t, op->b)[lane],
        .barrier = (uint32_t)slot_value(w, op->c, op->imm2 & 2, lane) + op->y,
    };
}

/* A load's destination may lie in another block of the cluster, with its mbarrier. */
static sim_block *owner_of(sim_warp *w, const sim_op *op, unsigned lane, bulk_request *r) {
    const uint32_t shared = r->shared, barrier = r->barrier;
    sim_block *owner = sim_cluster_block(w->block, &r->shared), *waits = sim_cluster_block(w->block, &r->barrier);
    if (!owner || !waits) {
        sim_cluster_fault(w, op, 1u << lane, owner ? barrier : shared);
        return NULL;
    }
    if (owner == waits && sim_mbarrier_at(owner, r->barrier)) return owner;
    sim_fault(
        w, op, HAUL_FINDING_MBARRIER_MISUSE, 1u << lane,
        "mbarrier at shared 0x%x: must be 8-byte aligned and inside shared memory, in the block that 0x%x lies in",
        barrier, shared);
    return NULL;
}

static bool issue(sim_warp *w, unsigned lane, sim_block *owner, const sim_bulk *b) {
    if (w->sm->hazards) sim_hazard_bulk(w, lane, owner, b);
    return sim_async_add_bulk(owner, b);
}

/* imm2 bit 2: multicast to the ranks of the mask in slot `more`; bit 3: that is the mask of bytes */
static bool add_load(sim_warp *w, const sim_op *op, unsigned lane, sim_block *owner, const sim_bulk *b) {
    if (!(op->imm2 & 4)) return issue(w, lane, owner, b);
    for (uint32_t ranks = SIM_SLOT(w, uint16_t, op->more)[lane]; ranks; ranks &= ranks - 1)
        if (!issue(w, lane, &w->block->cluster[__builtin_ctz(ranks)], b)) return false;
    return true;
}

static unsigned receivers(const sim_warp *w, const sim_op *op, unsigned lane) {
    return op->imm2 & 4 ? (unsigned)__builtin_popcount(SIM_SLOT(w, uint16_t, op->more)[lane]) : 1;
}

static bool check_ranks(sim_warp *w, const sim_op *op, unsigned lane) {
    const uint32_t ranks = op->imm2 & 4 ? SIM_SLOT(w, uint16_t, op->more)[lane] : 0;
    if (!(ranks >> w->sm->grid->cluster_blocks)) return true;
    sim_fault(w, op, HAUL_FINDING_ILLEGAL_ACCESS, 1u << lane, "multicast to blocks 0x%x of a cluster of %u", ranks,
              w->sm->grid->cluster_blocks);
    return false;
}

static sim_step bulk(sim_warp *w, const sim_op *op, uint32_t active, sim_bulk_kind kind) {
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        bulk_request r = request_of(w, op, lane);
        sim_block *owner = kind == SIM_BULK_LOAD ? owner_of(w, op, lane, &r) : w->block;
        if (!owner || !check_bulk(w, op, lane, &r, kind == SIM_BULK_LOAD) || !check_ranks(w, op, lane)) return SIM_STOP;
        uint32_t thread = w->index * SIM_LANES + lane;
        const sim_bulk b = {.kind = (uint8_t)kind,
                            .atomic = op->count,
                            .element = op->bytes,
                            .instruction = op->instruction,
                            .thread = thread,
                            .group = w->block->async.bulk_groups[thread],
                            .shared = r.shared,
                            .barrier = r.barrier,
                            .global = r.global,
                            .masked = op->imm2 & 8,
                            .mask = op->imm2 & 8 ? SIM_SLOT(w, uint16_t, op->more)[lane] : 0,
                            .bytes = r.bytes};
        if (!add_load(w, op, lane, owner, &b)) return out_of_memory(w, op, active);
        sim_count_bulk(w->sm->counting, w, op, lane, &b, receivers(w, op, lane));
    }
    return SIM_NEXT;
}

static sim_step bulk_load(sim_warp *w, const sim_op *op, uint32_t active) {
    return bulk(w, op, active, SIM_BULK_LOAD);
}

static sim_step bulk_store(sim_warp *w, const sim_op *op, uint32_t active) {
    return bulk(w, op, active, SIM_BULK_STORE);
}

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
    op->imm2 = (uint32_t)shared_wide | (uint32_t)barrier_wide << 1;
    op->flags |= global_wide ? SIM_OP_WIDE : 0;
    op->memory_class = (uint8_t) class;
    return HAUL_OK;
}

haul_status LOWER(CP_BULK_LOAD)(sim_lowering *l, const ptx_instruction *i) {
    const bool multicast = i->mods[PTX_SLOT_MULTICAST] != 0;
    const uint32_t ranks = multicast ? sim_source(l, &i->operands[4], PTX_U16) : 0;
    HAUL_TRY(lower_bulk(l, i, bulk_load, 0, 1, 3, HAUL_CLASS_BULK_LOAD));
    sim_op *op = &l->program->ops[l->program->op_count - 1];
    op->more = ranks;
    op->imm2 |= multicast ? 4 : 0;
    return HAUL_OK;
}

static bool check_copy_between(sim_warp *w, const sim_op *op, unsigned lane, const bulk_request *r) {
    const uint64_t limit = w->sm->grid->shared_bytes;
    const bool aligned = r->bytes % 16 == 0 && r->shared % 16 == 0 && r->global % 16 == 0;
    const bool inside = (uint64_t)r->shared + r->bytes <= limit && r->global <= limit && r->global + r->bytes <= limit;
    if (aligned && inside && r->shared >= SIM_SHARED_START && r->global >= SIM_SHARED_START) return true;
    sim_fault(w, op, aligned ? HAUL_FINDING_OUT_OF_BOUNDS : HAUL_FINDING_MISALIGNED, 1u << lane,
              "%s bulk copy of %u bytes from shared 0x%llx to 0x%x: must be multiples of 16 inside shared memory",
              aligned ? "stray" : "misaligned", r->bytes, (unsigned long long)r->global, r->shared);
    return false;
}

static sim_step bulk_between(sim_warp *w, const sim_op *op, uint32_t active) {
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        bulk_request r = request_of(w, op, lane);
        r.global = (uint32_t)r.global;
        sim_block *owner = owner_of(w, op, lane, &r);
        if (!owner || !check_copy_between(w, op, lane, &r)) return SIM_STOP;
        const sim_bulk b = {.kind = SIM_BULK_LOAD,
                            .instruction = op->instruction,
                            .thread = w->index * SIM_LANES + lane,
                            .atomic = op->count,
                            .element = op->bytes,
                            .shared = r.shared,
                            .barrier = r.barrier,
                            .source = w->block,
                            .global = r.global,
                            .bytes = r.bytes};
        if (!issue(w, lane, owner, &b)) return out_of_memory(w, op, active);
    }
    return SIM_NEXT;
}

/* count: sim_atomic_kind, or SIM_ATOMIC_NONE; bytes: an element's */
static haul_status lower_between(sim_lowering *l, const ptx_instruction *i, unsigned atomic) {
    HAUL_TRY(lower_bulk(l, i, bulk_between, 0, 1, 3, HAUL_CLASS_NONE));
    sim_op *op = &l->program->ops[l->program->op_count - 1];
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

enum { FIRST_SM_WITH_MASKS = 100 };

haul_status LOWER(CP_BULK_STORE)(sim_lowering *l, const ptx_instruction *i) {
    const bool masked = i->mods[PTX_SLOT_MASK] != 0;
    if (masked && l->program->module->sm < FIRST_SM_WITH_MASKS)
        return sim_lower_fail(l, ".cp_mask needs sm_%d", FIRST_SM_WITH_MASKS);
    const uint32_t mask = masked ? sim_source(l, &i->operands[4], PTX_U16) : 0;
    HAUL_TRY(lower_bulk(l, i, bulk_store, 1, 0, 0, HAUL_CLASS_BULK_STORE));
    sim_op *op = &l->program->ops[l->program->op_count - 1];
    op->more = mask;
    op->imm2 |= masked ? 8 : 0;
    return HAUL_OK;
}

static sim_step bulk_reduce(sim_warp *w, const sim_op *op, uint32_t active) {
    return bulk(w, op, active, SIM_BULK_REDUCE);
}

/* count: sim_atomic_kind; bytes: an element's */
haul_status LOWER(CP_REDUCE_BULK)(sim_lowering *l, const ptx_instruction *i) {
    HAUL_TRY(lower_bulk(l, i, bulk_reduce, 1, 0, 0, HAUL_CLASS_BULK_STORE));
    sim_op *op = &l->program->ops[l->program->op_count - 1];
    op->count = (uint8_t)sim_atomic_kind_of(i);
    op->bytes = (uint8_t)(ptx_bits(i->type) / 8);
    return HAUL_OK;
}

/* d, imm: global address; b: bytes. Brings nothing that a value depends on; sizes and places are checked all the same.
 */
static sim_step prefetch_bulk(sim_warp *w, const sim_op *op, uint32_t active) {
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        const uint64_t global = slot_value(w, op->d, op->flags & SIM_OP_WIDE, lane) + (uint64_t)op->imm;
        const uint32_t bytes = SIM_SLOT(w, uint32_t, op->b)[lane];
        if (global % 16 == 0 && bytes % 16 == 0) continue;
        return sim_fault(w, op, HAUL_FINDING_MISALIGNED, 1u << lane,
                         "misaligned bulk prefetch: %u bytes at 0x%llx; both must be multiples of 16", bytes,
                         (unsigned long long)global);
    }
    return SIM_NEXT;
}

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

/* With .read (x) the sources must have been read; as late as allowed, both come together here. Reductions are atomic
 * towards other blocks: they wait for the serial phase. */
static sim_step wait_bulk(sim_warp *w, const sim_op *op, uint32_t active) {
    sim_step step;
    if (sim_async_has_reductions(&w->block->async) && !sim_in_order(w, op, &step)) return step;
    sim_async_wait_bulk(w, active, (uint32_t)op->imm);
    if (w->sm->hazards) sim_hazard_bulk_waited(w, active, (uint32_t)op->imm, op->x);
    return SIM_YIELD;
}

haul_status LOWER(CP_BULK_WAIT)(sim_lowering *l, const ptx_instruction *i) {
    sim_op *op = sim_emit(l, wait_bulk);
    op->imm = (int64_t)i->operands[0].bits;
    op->x = i->mods[PTX_SLOT_READ] != 0;
    return HAUL_OK;
}

/* ---- mbarriers: a, imm, SIM_OP_WIDE: the address; b: count or bytes; d: token ---- */

/* A shared address, or a generic one in the shared window. */
static uint64_t *barrier_in_cluster(sim_warp *w, const sim_op *op, unsigned lane, sim_block **owner) {
    const uint32_t named = (uint32_t)(slot_value(w, op->a, op->flags & SIM_OP_WIDE, lane) + (uint64_t)op->imm);
    uint32_t address = named;
    *owner = sim_cluster_block(w->block, &address);
    if (!*owner) {
        sim_cluster_fault(w, op, 1u << lane, named);
        return NULL;
    }
    uint64_t *object = sim_mbarrier_at(*owner, address);
    if (!object)
        sim_fault(w, op, HAUL_FINDING_MBARRIER_MISUSE, 1u << lane,
                  "mbarrier at shared 0x%x: must be 8-byte aligned and inside shared memory", address);
    return object;
}

/* One that only the block's own threads may use in this way. */
static uint64_t *barrier_of(sim_warp *w, const sim_op *op, unsigned lane) {
    sim_block *owner;
    uint64_t *object = barrier_in_cluster(w, op, lane, &owner);
    if (!object || owner == w->block) return object;
    sim_fault(w, op, HAUL_FINDING_MBARRIER_MISUSE, 1u << lane,
              "mbarrier of another block: only arrivals and bytes may go there");
    return NULL;
}

static uint32_t offset_of(const sim_block *b, const uint64_t *object) {
    return (uint32_t)((const unsigned char *)object - b->shared);
}

static sim_step init_barrier(sim_warp *w, const sim_op *op, uint32_t active) {
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t *object = barrier_of(w, op, lane);
        if (!object) return SIM_STOP;
        uint32_t count = SIM_SLOT(w, uint32_t, op->b)[lane];
        if (count == 0 || count > SIM_MBARRIER_MOST)
            return sim_fault(w, op, HAUL_FINDING_MBARRIER_MISUSE, 1u << lane,
                             "mbarrier.init: count %u, must be 1 to %d", count, SIM_MBARRIER_MOST);
        if (w->sm->hazards) sim_hazard_mbarrier_init(w, op, lane, offset_of(w->block, object));
        *object = sim_mbarrier_pack((sim_mbarrier){.expected = count, .pending = count});
    }
    w->sm->changes++;
    return SIM_NEXT;
}

static sim_step invalidate_barrier(sim_warp *w, const sim_op *op, uint32_t active) {
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t *object = barrier_of(w, op, lane);
        if (!object) return SIM_STOP;
        if (w->sm->hazards) sim_hazard_mbarrier_end(w, op, lane, offset_of(w->block, object));
        *object = 0;
    }
    w->sm->changes++;
    return SIM_NEXT;
}

static sim_step overflow(sim_warp *w, const sim_op *op, unsigned lane, uint64_t bits) {
    sim_mbarrier m = sim_mbarrier_unpack(bits);
    return sim_fault(
        w, op, HAUL_FINDING_MBARRIER_MISUSE, 1u << lane,
        "mbarrier: more arrivals or bytes than it may get now: %u of %u arrivals pending, %d bytes missing", m.pending,
        m.expected, m.bytes);
}

/* x: what is done with b, bytes or a number of arrivals; y: the phase must not complete */
enum { ARRIVES, EXPECTS, COMPLETES, ARRIVES_AND_EXPECTS, DROPS, DROPS_AND_EXPECTS };

/* Takes n arrivals from this phase and those that follow. */
static bool drop(sim_block *owner, uint64_t *object, uint32_t n) {
    sim_mbarrier m = sim_mbarrier_unpack(*object);
    if (n > m.expected) return false;
    m.expected -= n;
    *object = sim_mbarrier_pack(m);
    return sim_mbarrier_update(owner, object, n, 0);
}

static bool update_barrier(sim_warp *w, const sim_op *op, unsigned lane, sim_block *owner, uint64_t *object) {
    uint32_t n = SIM_SLOT(w, uint32_t, op->b)[lane];
    switch (op->x) {
    case EXPECTS: return sim_mbarrier_update(owner, object, 0, n);
    case COMPLETES: return sim_mbarrier_update(owner, object, 0, -(int64_t)n);
    case ARRIVES_AND_EXPECTS:
        /* The bytes are expected before the arrival, so that the phase cannot end between the two. */
        return sim_mbarrier_update(owner, object, 0, n) && sim_mbarrier_update(owner, object, 1, 0);
    case DROPS: return drop(owner, object, n);
    case DROPS_AND_EXPECTS: return sim_mbarrier_update(owner, object, 0, n) && drop(owner, object, 1);
    default: return sim_mbarrier_update(owner, object, n, 0);
    }
}

/* Copies may have come whenever it suits the kernel: a phase that only waits for bytes is over before the next arrival.
 */
static void end_phase_of_bytes(sim_block *owner, const uint64_t *object) {
    const sim_mbarrier m = sim_mbarrier_unpack(*object);
    if (!m.pending && m.bytes) sim_async_deliver(owner, offset_of(owner, object));
}

static sim_step arrive(sim_warp *w, const sim_op *op, uint32_t active) {
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        sim_block *owner;
        uint64_t *object = barrier_in_cluster(w, op, lane, &owner);
        if (!object) return SIM_STOP;
        end_phase_of_bytes(owner, object);
        uint64_t before = *object;
        if (w->sm->hazards) {
            sim_hazard_mbarrier_use(w, op, lane, owner, offset_of(owner, object));
            sim_hazard_mbarrier_told(w, op, lane, owner, offset_of(owner, object));
            if (op->x != EXPECTS && op->x != COMPLETES)
                sim_hazard_mbarrier_arrive(w, op, lane, owner, offset_of(owner, object));
        }
        bool completes = sim_mbarrier_unpack(before).pending <= SIM_SLOT(w, uint32_t, op->b)[lane];
        if ((op->y && completes) || !update_barrier(w, op, lane, owner, object)) return overflow(w, op, lane, before);
        SIM_SLOT(w, uint64_t, op->d)[lane] = before;
    }
    return SIM_NEXT;
}

haul_status LOWER(MBARRIER_INIT)(sim_lowering *l, const ptx_instruction *i) {
    uint32_t count = sim_source(l, &i->operands[1], PTX_U32);
    sim_emit_at(l, init_barrier, &i->operands[0])->b = count;
    return HAUL_OK;
}

haul_status LOWER(MBARRIER_INVAL)(sim_lowering *l, const ptx_instruction *i) {
    sim_emit_at(l, invalidate_barrier, &i->operands[0]);
    return HAUL_OK;
}

static haul_status lower_bytes(sim_lowering *l, const ptx_instruction *i, uint32_t kind) {
    uint32_t bytes = sim_source(l, &i->operands[1], PTX_U32);
    sim_op *op = sim_emit_at(l, arrive, &i->operands[0]);
    op->b = bytes;
    op->x = kind;
    return HAUL_OK;
}

haul_status LOWER(MBARRIER_EXPECT_TX)(sim_lowering *l, const ptx_instruction *i) {
    return lower_bytes(l, i, EXPECTS);
}

haul_status LOWER(MBARRIER_COMPLETE_TX)(sim_lowering *l, const ptx_instruction *i) {
    return lower_bytes(l, i, COMPLETES);
}

static haul_status lower_arrive(sim_lowering *l, const ptx_instruction *i, uint32_t kind) {
    uint32_t n = i->operand_count > 2 ? sim_source(l, &i->operands[2], PTX_U32) : sim_constant(l, 1, 4);
    uint32_t token = sim_destination(l, &i->operands[0]);
    sim_op *op = sim_emit_at(l, arrive, &i->operands[1]);
    op->b = n;
    op->x = kind;
    op->y = i->mods[PTX_SLOT_NOCOMPLETE] != 0;
    op->d = token;
    return HAUL_OK;
}

haul_status LOWER(MBARRIER_ARRIVE)(sim_lowering *l, const ptx_instruction *i) {
    return lower_arrive(l, i, i->mods[PTX_SLOT_EXPECT_TX] ? ARRIVES_AND_EXPECTS : ARRIVES);
}

haul_status LOWER(MBARRIER_ARRIVE_NOCOMPLETE)(sim_lowering *l, const ptx_instruction *i) {
    return lower_arrive(l, i, ARRIVES);
}

haul_status LOWER(MBARRIER_ARRIVE_DROP)(sim_lowering *l, const ptx_instruction *i) {
    return lower_arrive(l, i, i->mods[PTX_SLOT_EXPECT_TX] ? DROPS_AND_EXPECTS : DROPS);
}

/* ---- cp.async.mbarrier.arrive: imm2: .noinc ---- */

static sim_step arrive_after_copies(sim_warp *w, const sim_op *op, uint32_t active) {
    sim_copy c = {.bytes = 0};
    sim_shared_addresses(w, op->a, op->imm, op->flags & SIM_OP_WIDE, c.destination);
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t *object = barrier_of(w, op, lane);
        if (!object) return SIM_STOP;
        if (w->sm->hazards) {
            sim_hazard_mbarrier_use(w, op, lane, w->block, offset_of(w->block, object));
            sim_hazard_mbarrier_told(w, op, lane, w->block, offset_of(w->block, object));
            /* What the thread did itself goes along with its copies. */
            sim_hazard_mbarrier_arrive(w, op, lane, w->block, offset_of(w->block, object));
        }
        sim_mbarrier m = sim_mbarrier_unpack(*object);
        if (op->imm2) continue;
        if (m.pending == SIM_MBARRIER_MOST) return overflow(w, op, lane, *object);
        m.pending++;
        *object = sim_mbarrier_pack(m);
    }
    /* Lanes with different barriers get entries of their own. */
    while (active) {
        uint32_t address = c.destination[__builtin_ctz(active)], same = 0;
        for (unsigned l = 0; l < SIM_LANES; l++) same |= (uint32_t)(c.destination[l] == address) << l;
        if (!queue_copy(w, op, active & same, &c)) return out_of_memory(w, op, active);
        active &= ~same;
    }
    return SIM_NEXT;
}

haul_status LOWER(CP_ASYNC_MBARRIER)(sim_lowering *l, const ptx_instruction *i) {
    sim_emit_at(l, arrive_after_copies, &i->operands[0])->imm2 = i->mods[PTX_SLOT_NOINC] != 0;
    return HAUL_OK;
}

/* ---- waits: b: token or parity; x: it is a parity; y: try_wait ---- */

/* The phase that the token or parity names is over when the one in progress has the other parity. */
static bool is_over(const sim_warp *w, const sim_op *op, unsigned lane, uint64_t bits) {
    uint32_t phase = sim_mbarrier_unpack(bits).phase, wanted;
    if (op->x)
        wanted = SIM_SLOT(w, uint32_t, op->b)[lane] & 1;
    else
        wanted = sim_mbarrier_unpack(SIM_SLOT(w, uint64_t, op->b)[lane]).phase;
    return phase != wanted;
}

/* The lanes know what those knew who arrived at the barriers. */
static void pass_barriers(sim_warp *w, const sim_op *op, uint32_t done, const uint32_t address[SIM_LANES]) {
    while (done) {
        const uint32_t first = address[__builtin_ctz(done)];
        uint32_t same = 0;
        for (uint32_t left = done; left; left &= left - 1)
            if (address[__builtin_ctz(left)] == first) same |= left & -left;
        sim_hazard_mbarrier_pass(w, op, same, first);
        done &= ~same;
    }
}

static sim_step wait_barrier(sim_warp *w, const sim_op *op, uint32_t active) {
    uint32_t done = 0, passed[SIM_LANES], *d = SIM_SLOT(w, uint32_t, op->d);
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t *object = barrier_of(w, op, lane);
        if (!object) return SIM_STOP;
        const uint32_t address = offset_of(w->block, object);
        if (w->sm->hazards) sim_hazard_mbarrier_use(w, op, lane, w->block, address);
        if (!is_over(w, op, lane, *object)) sim_async_deliver(w->block, address);
        if (!is_over(w, op, lane, *object)) continue;
        done |= 1u << lane;
        if (w->sm->hazards) passed[lane] = address;
    }
    if (w->sm->hazards) pass_barriers(w, op, done, passed);
    /* try_wait sleeps until the phase is over, or until nothing else can run: its time limit. */
    bool timed_out = w->path->resumes;
    if (op->y && done != active && !timed_out) return sim_warp_wait(w, sim_pc(w, op), active, SIM_PATH_AT_MBARRIER);
    w->path->resumes = 0;
    w->sm->waits.memory += done == active;
    *d = (*d & ~active) | done;
    sim_warp_observe(w, op, 1, &done, sizeof done);
    return SIM_YIELD;
}

static haul_status lower_wait(sim_lowering *l, const ptx_instruction *i, bool try) {
    bool parity = i->mods[PTX_SLOT_PARITY] != 0;
    uint32_t state = sim_source(l, &i->operands[2], parity ? PTX_U32 : PTX_B64),
             d = sim_destination(l, &i->operands[0]);
    sim_op *op = sim_emit_at(l, wait_barrier, &i->operands[1]);
    op->b = state;
    op->x = parity;
    op->y = try;
    op->d = d;
    return HAUL_OK;
}

haul_status LOWER(MBARRIER_TEST_WAIT)(sim_lowering *l, const ptx_instruction *i) {
    return lower_wait(l, i, false);
}

haul_status LOWER(MBARRIER_TRY_WAIT)(sim_lowering *l, const ptx_instruction *i) {
    return lower_wait(l, i, true);
}

static sim_step pending_count(sim_warp *w, const sim_op *op, uint32_t active) {
    uint32_t *d = SIM_SLOT(w, uint32_t, op->d);
    const uint64_t *a = SIM_SLOT(w, uint64_t, op->a);
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        d[lane] = sim_mbarrier_unpack(a[lane]).pending;
    }
    return SIM_NEXT;
}

haul_status LOWER(MBARRIER_PENDING_COUNT)(sim_lowering *l, const ptx_instruction *i) {
    uint32_t state = sim_source(l, &i->operands[1], PTX_B64);
    sim_op *op = sim_emit(l, pending_count);
    op->a = state;
    op->d = sim_destination(l, &i->operands[0]);
    return HAUL_OK;
}
