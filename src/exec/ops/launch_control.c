/* clusterlaunchcontrol: a running cluster takes over the work of one that has not started. The response has 16 bytes,
 * which only query_cancel reads: the position of the cluster's first block and, in the last word, whether there was
 * such a cluster.
 *
 * The machine may take any cluster. Here it takes the next one of the SM's own share, so that SMs need not agree and
 * runs repeat. The response arrives like a bulk copy, counted on an mbarrier. */
#include "assembler/shared_layout.h"
#include "exec/access.h"
#include "exec/async.h"
#include "exec/fault.h"
#include "exec/mbarrier.h"
#include "exec/ops/copies.h"
#include "exec/ops/lanes.h"
#include "exec/sm.h"
#include "state/lanes.h"

enum { ANSWER_BYTES = 16, CANCELED = 3 };

/* Records the fault and returns false if response or mbarrier are not in shared memory. */
static bool check_place(sim_warp *w, const sim_op *op, unsigned lane, uint32_t to, uint32_t barrier) {
    const bool inside = to >= SIM_SHARED_START && (uint64_t)to + ANSWER_BYTES <= w->sm->grid->shared_bytes;
    if (to % ANSWER_BYTES == 0 && inside && sim_mbarrier_at(w->block, barrier)) return true;
    sim_fault(w, op, to % ANSWER_BYTES ? HAUL_FINDING_MISALIGNED : HAUL_FINDING_OUT_OF_BOUNDS, 1u << lane,
              "clusterlaunchcontrol: 16 bytes at shared 0x%x and the mbarrier at 0x%x must be aligned and inside the "
              "block's shared memory",
              to, barrier);
    return false;
}

/* a, imm, SIM_OP_WIDE: address of the response; c, y, imm2: the mbarrier; x: all blocks of the cluster get the
 * response */
static sim_step try_cancel(sim_warp *w, const sim_op *op, uint32_t active) {
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        uint32_t answer[4] = {0};
        sim_bulk b = {.kind = SIM_BULK_LOAD,
                      .instruction = op->instruction,
                      .thread = w->index * SIM_LANES + lane,
                      .atomic = SIM_ATOMIC_NONE,
                      .shared =
                          (uint32_t)(sim_lane_address(w, op->a, op->flags & SIM_OP_WIDE, lane) + (uint64_t)op->imm),
                      .barrier = (uint32_t)sim_lane_address(w, op->c, op->imm2 != 0, lane) + op->y,
                      .bytes = ANSWER_BYTES,
                      .has_value = true};
        if (!check_place(w, op, lane, b.shared, b.barrier)) return SIM_STOP;
        answer[CANCELED] = sim_sm_cancel_cluster(w->sm, answer);
        memcpy(b.value, answer, sizeof answer);
        const uint32_t first = op->x ? 0 : w->block->rank, end = op->x ? w->sm->grid->cluster_blocks : first + 1;
        for (uint32_t rank = first; rank < end; rank++) {
            if (!sim_issue_bulk(w, lane, &w->block->cluster[rank], &b))
                return sim_no_room_for(w, op, active, "an answer");
        }
    }
    return SIM_NEXT;
}

/* .multicast::cluster::all sends the response to every block of the cluster. */
haul_status LOWER(CLC_TRY_CANCEL)(sim_lowering *l, const ptx_instruction *i) {
    bool barrier_wide;
    int64_t barrier_offset;
    const uint32_t barrier = sim_address(l, &i->operands[1], &barrier_wide, &barrier_offset);
    sim_op *op = sim_emit_at(l, try_cancel, &i->operands[0]);
    op->c = barrier;
    op->y = (uint32_t)barrier_offset;
    op->imm2 = barrier_wide;
    op->x = i->mods[PTX_SLOT_EVERYONE] != 0;
    return HAUL_OK;
}

/* ---- fields of the response; x: the word ---- */

/* Returns the word of the lane's response, which is in a .b128 register. */
static const uint32_t *word_of(const sim_warp *w, const sim_op *op, unsigned lane) {
    return SIM_SLOT(w, uint32_t, op->a) + 4 * lane + op->x;
}

static sim_step is_canceled(sim_warp *w, const sim_op *op, uint32_t active) {
    uint32_t set;
    SIM_GATHER_LANES(set, *word_of(w, op, l));
    sim_set_predicate(w, op->d, set, active);
    return SIM_NEXT;
}

/* Returns a coordinate of the cancelled cluster's first block. */
static sim_step first_place(sim_warp *w, const sim_op *op, uint32_t active) {
    uint32_t *d = SIM_SLOT(w, uint32_t, op->d);
    SIM_STORE_LANES(d, active, *word_of(w, op, l));
    return SIM_NEXT;
}

static haul_status lower_query(sim_lowering *l, const ptx_instruction *i, sim_handler run, const ptx_operand *to,
                               uint32_t word) {
    const uint32_t a = sim_source(l, &i->operands[1], PTX_B128), d = sim_destination(l, to);
    sim_op *op = sim_emit(l, run);
    op->d = d;
    op->a = a;
    op->x = word;
    return HAUL_OK;
}

haul_status LOWER(CLC_IS_CANCELED)(sim_lowering *l, const ptx_instruction *i) {
    return lower_query(l, i, is_canceled, &i->operands[0], CANCELED);
}

/* The fourth element has no meaning. */
haul_status LOWER(CLC_FIRST)(sim_lowering *l, const ptx_instruction *i) {
    for (uint32_t word = 0; word < 4; word++)
        HAUL_TRY(lower_query(l, i, first_place, &i->operands[0].parts[word], word));
    return HAUL_OK;
}

#define FIRST(id, word)                                                 \
    haul_status LOWER(id)(sim_lowering * l, const ptx_instruction *i) { \
        return lower_query(l, i, first_place, &i->operands[0], word);   \
    }
FIRST(CLC_FIRST_X, 0)
FIRST(CLC_FIRST_Y, 1)
FIRST(CLC_FIRST_Z, 2)
