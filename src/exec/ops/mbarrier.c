/* The mbarrier instructions. exec/mbarrier.c counts arrivals and bytes, state/mbarrier.h has the 64-bit object.
 *
 * An mbarrier is data in shared memory: no table of barriers exists, and a program may put one anywhere. Arrivals and
 * expected bytes are counted at once. Copies in flight that complete on it are delivered when a thread waits, or when
 * the next phase needs that. A wait whose phase is not over parks the path; it is tested again when a phase of any
 * mbarrier of the block completes.
 *
 * test_wait returns at once with false. try_wait may sleep on hardware for a time that it chooses: here until the phase
 * is over, or until nothing on the GPU can run (sim_sm_time_out_waits()).
 *
 * Operands: a, imm, SIM_OP_WIDE: the address; b: count or bytes; d: token. */
#include "exec/access.h"
#include "exec/async.h"
#include "exec/fault.h"
#include "exec/mbarrier.h"
#include "exec/ops/copies.h"
#include "exec/ops/lanes.h"
#include "exec/paths.h"
#include "state/mbarrier.h"

/* Returns the shared address that the lane names; a generic one lies in the shared window. */
static uint32_t named_by(const sim_warp *w, const sim_op *op, unsigned lane) {
    return (uint32_t)(sim_lane_address(w, op->a, op->flags & SIM_OP_WIDE, lane) + (uint64_t)op->imm);
}

/* Returns the mbarrier and the block that holds it; NULL, with the fault recorded, if there is none. */
static uint64_t *barrier_in_cluster(sim_warp *w, const sim_op *op, unsigned lane, sim_block **owner) {
    const uint32_t named = named_by(w, op, lane);
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

/* Returns an mbarrier for uses that only the block's own threads have. */
static uint64_t *barrier_of(sim_warp *w, const sim_op *op, unsigned lane) {
    sim_block *owner;
    uint64_t *object = barrier_in_cluster(w, op, lane, &owner);
    if (!object || owner == w->block) return object;
    sim_fault(w, op, HAUL_FINDING_MBARRIER_MISUSE, 1u << lane,
              "mbarrier of another block: only arrivals and transaction bytes are allowed");
    return NULL;
}

/* Returns the mbarrier's address in its block, which is its name for the checks. */
static uint32_t offset_of(const sim_block *b, const uint64_t *object) {
    return (uint32_t)((const unsigned char *)object - b->shared);
}

/* mbarrier.init: the first phase has parity 0 and waits for `count` arrivals. x: the layout. */
static sim_step init_barrier(sim_warp *w, const sim_op *op, uint32_t active) {
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t *object = barrier_of(w, op, lane);
        if (!object) return SIM_STOP;
        uint32_t count = SIM_SLOT(w, uint32_t, op->b)[lane];
        if (count == 0 || count > sim_mbarrier_most(op->x))
            return sim_fault(w, op, HAUL_FINDING_MBARRIER_MISUSE, 1u << lane,
                             "mbarrier.init: count %u, must be 1 to %u", count, sim_mbarrier_most(op->x));
        if (w->sm->hazards) sim_hazard_mbarrier_init(w, op, lane, offset_of(w->block, object));
        *object = sim_mbarrier_pack((sim_mbarrier){.expected = count, .pending = count, .layout = op->x});
    }
    w->sm->changes++;
    return SIM_NEXT;
}

/* mbarrier.inval: the program may use the bytes for something else. They keep the object, as on an H200: there, waits
 * for its last phase still end, and arrivals still count. The checks report such uses. */
static sim_step invalidate_barrier(sim_warp *w, const sim_op *op, uint32_t active) {
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const uint64_t *object = barrier_of(w, op, lane);
        if (!object) return SIM_STOP;
        if (w->sm->hazards) sim_hazard_mbarrier_end(w, op, lane, offset_of(w->block, object));
    }
    w->sm->changes++;
    return SIM_NEXT;
}

/* Records the fault of an update that the object cannot hold. `bits`: the object before it. */
static sim_step overflow(sim_warp *w, const sim_op *op, unsigned lane, uint64_t bits) {
    sim_mbarrier m = sim_mbarrier_unpack(bits);
    return sim_fault(w, op, HAUL_FINDING_MBARRIER_MISUSE, 1u << lane,
                     "mbarrier: too many arrivals or bytes: %u of %u arrivals pending, %d bytes missing", m.pending,
                     m.expected, m.bytes);
}

/* x: the use of b, which is bytes or a number of arrivals; y: the phase must not complete */
enum { ARRIVES, EXPECTS, COMPLETES, ARRIVES_AND_EXPECTS, DROPS, DROPS_AND_EXPECTS };

/* Subtracts n arrivals from this phase and the next ones. */
static bool drop(sim_block *owner, uint64_t *object, uint32_t n) {
    sim_mbarrier m = sim_mbarrier_unpack(*object);
    if (n > m.expected) return false;
    m.expected -= n;
    *object = sim_mbarrier_pack(m);
    return sim_mbarrier_update(owner, object, n, 0);
}

/* Applies the instruction's effect. Returns false if the counts leave their range. */
static bool update_barrier(sim_warp *w, const sim_op *op, unsigned lane, sim_block *owner, uint64_t *object) {
    uint32_t n = SIM_SLOT(w, uint32_t, op->b)[lane];
    switch (op->x) {
    case EXPECTS: return sim_mbarrier_update(owner, object, 0, n);
    case COMPLETES: return sim_mbarrier_update(owner, object, 0, -(int64_t)n);
    case ARRIVES_AND_EXPECTS:
        /* The bytes are expected before the arrival, so that the phase cannot complete between the two. */
        return sim_mbarrier_update(owner, object, 0, n) && sim_mbarrier_update(owner, object, 1, 0);
    case DROPS: return drop(owner, object, n);
    case DROPS_AND_EXPECTS: return sim_mbarrier_update(owner, object, 0, n) && drop(owner, object, 1);
    default: return sim_mbarrier_update(owner, object, n, 0);
    }
}

/* Copies may complete at any moment, so a phase that only waits for bytes completes before the next arrival. */
static void end_phase_of_bytes(sim_block *owner, const uint64_t *object) {
    const sim_mbarrier m = sim_mbarrier_unpack(*object);
    if (!m.pending && m.bytes) sim_async_deliver(owner, offset_of(owner, object));
}

/* Returns the lanes whose mbarriers are not in a block of the cluster that has ended. */
static uint32_t lose_late(sim_warp *w, const sim_op *op, uint32_t active) {
    uint32_t named[SIM_LANES];
    if (w->sm->grid->cluster_blocks == 1) return active;
    SIM_EACH_LANE(l) named[l] = named_by(w, op, l);
    return sim_cluster_names_block(named, active) ? sim_cluster_lose(w, op, active, named) : active;
}

/* All instructions that count arrivals or bytes. The token is the object before the arrival, which names the phase. */
static sim_step arrive(sim_warp *w, const sim_op *op, uint32_t active) {
    active = lose_late(w, op, active);
    if (w->sm->hazards) sim_hazard_mbarrier_begin(w);
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        sim_block *owner;
        uint64_t *object = barrier_in_cluster(w, op, lane, &owner);
        if (!object) return SIM_STOP;
        end_phase_of_bytes(owner, object);
        uint64_t before = *object;
        if (w->sm->hazards) {
            sim_hazard_mbarrier_use(w, op, lane, owner, offset_of(owner, object));
            sim_hazard_mbarrier_signalled(w, op, lane, owner, offset_of(owner, object));
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
    sim_op *op = sim_emit_at(l, init_barrier, &i->operands[0]);
    op->b = count;
    op->x = i->mods[PTX_SLOT_LAYOUT] == PTX_MOD_LAYOUT_1;
    return HAUL_OK;
}

/* x: the layout to compare with. */
static sim_step check_layout(sim_warp *w, const sim_op *op, uint32_t active) {
    uint32_t same = 0;
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const uint64_t *object = barrier_of(w, op, lane);
        if (!object) return SIM_STOP;
        if (w->sm->hazards) sim_hazard_mbarrier_use(w, op, lane, w->block, offset_of(w->block, object));
        same |= (uint32_t)(sim_mbarrier_unpack(*object).layout == op->x) << lane;
    }
    sim_set_predicate(w, op->d, same, active);
    return SIM_NEXT;
}

haul_status LOWER(MBARRIER_CHECK_LAYOUT)(sim_lowering *l, const ptx_instruction *i) {
    const uint32_t d = sim_destination(l, &i->operands[0]);
    sim_op *op = sim_emit_at(l, check_layout, &i->operands[1]);
    op->d = d;
    op->x = i->mods[PTX_SLOT_LAYOUT] == PTX_MOD_LAYOUT_1;
    return HAUL_OK;
}

haul_status LOWER(MBARRIER_INVAL)(sim_lowering *l, const ptx_instruction *i) {
    sim_emit_at(l, invalidate_barrier, &i->operands[0]);
    return HAUL_OK;
}

/* expect_tx and complete_tx: bytes without an arrival. */
static haul_status lower_bytes(sim_lowering *l, const ptx_instruction *i, uint32_t kind) {
    uint32_t bytes = sim_source(l, &i->operands[1], PTX_U32);
    sim_op *op = sim_emit_at(l, arrive, &i->operands[0]);
    op->b = bytes;
    op->x = kind;
    return HAUL_OK;
}

/* The phase does not complete until that many bytes have come. */
haul_status LOWER(MBARRIER_EXPECT_TX)(sim_lowering *l, const ptx_instruction *i) {
    return lower_bytes(l, i, EXPECTS);
}

haul_status LOWER(MBARRIER_COMPLETE_TX)(sim_lowering *l, const ptx_instruction *i) {
    return lower_bytes(l, i, COMPLETES);
}

/* Without a count, an instruction is one arrival. */
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

/* .noComplete: an arrival that would complete the phase is a fault. */
haul_status LOWER(MBARRIER_ARRIVE_NOCOMPLETE)(sim_lowering *l, const ptx_instruction *i) {
    return lower_arrive(l, i, ARRIVES);
}

/* The thread takes no part in later phases. */
haul_status LOWER(MBARRIER_ARRIVE_DROP)(sim_lowering *l, const ptx_instruction *i) {
    return lower_arrive(l, i, i->mods[PTX_SLOT_EXPECT_TX] ? DROPS_AND_EXPECTS : DROPS);
}

/* ---- cp.async.mbarrier.arrive: imm2: .noinc ---- */

/* Puts an arrival after the thread's earlier copies; it takes effect when they complete (async.c). Without .noinc the
 * pending count grows by one now, so that this arrival leaves the others' number as it was. */
static sim_step arrive_after_copies(sim_warp *w, const sim_op *op, uint32_t active) {
    sim_copy c = {.bytes = 0};
    sim_shared_addresses(w, op->a, op->imm, op->flags & SIM_OP_WIDE, c.destination);
    if (w->sm->hazards) sim_hazard_mbarrier_begin(w);
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t *object = barrier_of(w, op, lane);
        if (!object) return SIM_STOP;
        sim_async_carries(&w->block->async, offset_of(w->block, object));
        if (w->sm->hazards) {
            sim_hazard_mbarrier_use(w, op, lane, w->block, offset_of(w->block, object));
            sim_hazard_mbarrier_signalled(w, op, lane, w->block, offset_of(w->block, object));
            /* The thread's own accesses are covered together with its copies. */
            sim_hazard_mbarrier_arrive(w, op, lane, w->block, offset_of(w->block, object));
        }
        sim_mbarrier m = sim_mbarrier_unpack(*object);
        if (op->imm2) continue;
        if (m.pending == sim_mbarrier_most(m.layout)) return overflow(w, op, lane, *object);
        if (w->sm->hazards) sim_hazard_mbarrier_raised(w, offset_of(w->block, object));
        m.pending++;
        *object = sim_mbarrier_pack(m);
    }
    /* Lanes with different mbarriers get separate entries. */
    while (active) {
        uint32_t address = c.destination[__builtin_ctz(active)], same = 0;
        for (unsigned l = 0; l < SIM_LANES; l++) same |= (uint32_t)(c.destination[l] == address) << l;
        if (!sim_queue_copy(w, op, active & same, &c)) return sim_no_room_for(w, op, active, "an arrival");
        active &= ~same;
    }
    return SIM_NEXT;
}

haul_status LOWER(CP_ASYNC_MBARRIER)(sim_lowering *l, const ptx_instruction *i) {
    sim_emit_at(l, arrive_after_copies, &i->operands[0])->imm2 = i->mods[PTX_SLOT_NOINC] != 0;
    return HAUL_OK;
}

/* ---- waits: b: token or parity; x: it is a parity; y: try_wait ---- */

/* The phase that the token or parity names is complete if the current phase has the other parity. */
static bool is_over(const sim_warp *w, const sim_op *op, unsigned lane, uint64_t bits) {
    uint32_t phase = sim_mbarrier_unpack(bits).phase, wanted;
    if (op->x)
        wanted = SIM_SLOT(w, uint32_t, op->b)[lane] & 1;
    else
        wanted = sim_mbarrier_unpack(SIM_SLOT(w, uint64_t, op->b)[lane]).phase;
    return phase != wanted;
}

/* The lanes synchronise with all that arrived at the mbarriers. */
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

/* Returns whether copies complete for the waiting warp. One that polls is not kept waiting for ever. */
static bool completes_now(const sim_warp *w) {
    return !sim_keeps_waiters_waiting(&w->sm->grid->schedule) || w->sm->delivers || w->polls;
}

/* test_wait and try_wait. Every lane has its own mbarrier. If some lane has to wait, all do: the instruction is
 * executed again as a whole. The result counts as something read, so that loops around a test are recognised as
 * polling. */
static sim_step wait_barrier(sim_warp *w, const sim_op *op, uint32_t active) {
    uint32_t done = 0, address = 0, passed[SIM_LANES], *d = SIM_SLOT(w, uint32_t, op->d);
    for (uint32_t left = active; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t *object = barrier_of(w, op, lane);
        if (!object) return SIM_STOP;
        address = offset_of(w->block, object);
        if (w->sm->hazards) sim_hazard_mbarrier_use(w, op, lane, w->block, address);
        if (!is_over(w, op, lane, *object) && completes_now(w)) sim_async_deliver(w->block, address);
        if (!is_over(w, op, lane, *object)) continue;
        done |= 1u << lane;
        if (w->sm->hazards) passed[lane] = address;
    }
    if (w->sm->hazards) pass_barriers(w, op, done, passed);
    /* try_wait sleeps until the phase completes or until nothing else can run, which is its time limit. */
    bool timed_out = w->path->resumes;
    if (op->y && done != active && !timed_out) return sim_warp_wait(w, sim_pc(w, op), active, SIM_PATH_AT_MBARRIER);
    w->path->resumes = 0;
    if (done == active) sim_async_passed(w, address);
    *d = (*d & ~active) | done;
    sim_warp_observe(w, op, 1, &done, sizeof done);
    return SIM_YIELD;
}

/* No operation here reports a failure, so reports are zero, and the conditional phase ends with the primary one. d: the
 * predicate; a: the value, of x bytes a lane. */
static sim_step report_success(sim_warp *w, const sim_op *op, uint32_t active) {
    sim_set_predicate(w, op->d, 0, active);
    for (uint32_t left = op->x ? active : 0; left; left &= left - 1)
        memset(SIM_SLOT(w, unsigned char, op->a) + (size_t)__builtin_ctz(left) * op->x, 0, op->x);
    return SIM_NEXT;
}

static void lower_report(sim_lowering *l, const ptx_operand *predicate, const ptx_operand *value) {
    const bool has_value = value->kind == PTX_REGISTER;
    const uint32_t d = sim_destination(l, predicate), a = has_value ? sim_destination(l, value) : SIM_SLOT_SINK;
    sim_op *op = sim_emit(l, report_success);
    op->d = d;
    op->a = a;
    op->x = has_value ? sim_register_bytes(l, value) : 0;
}

/* The operand names the phase to wait for: a token from an arrival, or its parity. */
static haul_status lower_wait(sim_lowering *l, const ptx_instruction *i, bool try) {
    const bool parity = i->mods[PTX_SLOT_PARITY] != 0;
    const ptx_operand *result = &i->operands[0], *state = &i->operands[3];
    const uint32_t phase = sim_source(l, state, parity ? PTX_U32 : PTX_B64);
    const uint32_t d = sim_destination(l, result->kind == PTX_PAIR ? &result->parts[0] : result);
    sim_op *op = sim_emit_at(l, wait_barrier, &i->operands[2]);
    op->b = phase;
    op->x = parity;
    op->y = try;
    op->d = d;
    if (result->kind == PTX_PAIR) lower_report(l, &result->parts[1], &i->operands[1]);
    return HAUL_OK;
}

haul_status LOWER(MBARRIER_TEST_WAIT)(sim_lowering *l, const ptx_instruction *i) {
    return lower_wait(l, i, false);
}

haul_status LOWER(MBARRIER_TRY_WAIT)(sim_lowering *l, const ptx_instruction *i) {
    return lower_wait(l, i, true);
}

/* Reads the pending arrivals from a token. */
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
