#include "check/lock.h"

#include "check/flag_words.h"
#include "check/internal.h"
#include "state/block.h"

/* ---- which kernels have such locks ---- */

static bool is_exchange(const ptx_instruction *i) {
    return i->op == PTX_OP_ATOM && i->mods[PTX_SLOT_ATOMIC] == PTX_MOD_ATOM_EXCH;
}

static bool may_lock(const ptx_instruction *i, uint16_t use) {
    return use & SIM_USE_WAITS && (sim_is_compare_and_swap(i) || is_exchange(i)) && ptx_bits(i->type) == 32 &&
           !ptx_in_shared(i);
}

bool sim_may_lock(const ptx_function *f, const uint16_t *uses) {
    for (size_t i = 0; uses && i < f->instruction_count; i++)
        if (may_lock(&f->instructions[i], uses[i])) return true;
    return false;
}

/* ---- taking one, and giving it back ---- */

/* True if the lane's operation takes the lock: a compare and swap that finds what it expects, an exchange that changes
 * the word. */
static bool takes_lock(const sim_warp *w, const sim_op *op, unsigned lane, uint64_t address) {
    const ptx_instruction *i = sim_instruction_of(w, op->instruction);
    if (!may_lock(i, w->sm->grid->uses[op->instruction])) return false;
    return sim_flag_compare(w, op, lane, address) == (is_exchange(i) ? SIM_FLAG_OTHER : SIM_FLAG_SAME);
}

void sim_lock_visit(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES], bool writes) {
    const unsigned lane = (unsigned)__builtin_ctz(active);
    if (!writes || active & (active - 1) || sim_is_shared_address(address[lane])) return;
    sim_view *v = sim_view_of(sim_domain_of(w->block), sim_actor(w), lane);
    if (takes_lock(w, op, lane, address[lane])) {
        const bool acquires = ptx_acquires(sim_instruction_of(w, op->instruction));
        v->lock = address[lane];
        v->lock_lane = (uint8_t)lane;
        v->lacks = acquires ? 0 : SIM_LACKS_FENCE | SIM_LACKS_GRIDS_FENCE;
    } else if (v->lock == address[lane])
        v->lock = 0;
}

void sim_lock_note(sim_warp *w, const sim_op *op, sim_view *v, uint32_t lanes, const uint64_t address[SIM_LANES],
                   haul_action action) {
    if (!v->lock || action == HAUL_ACTION_ATOMIC || !(lanes >> v->lock_lane & 1)) return;
    if (address[v->lock_lane] == v->lock) { /* an ordinary store may give it back, too */
        if (action == HAUL_ACTION_WRITE) v->lock = 0;
        return;
    }
    uint8_t *locked = &w->sm->grid->locked[op->instruction];
    __atomic_fetch_or(locked, (uint8_t)(SIM_LOCKED | v->lacks), __ATOMIC_RELAXED);
}

/* ---- what it means ---- */

static bool lacks(const sim_grid *g, uint32_t instruction, bool is_far) {
    return g->locked[instruction] & (is_far ? SIM_LACKS_GRIDS_FENCE : SIM_LACKS_FENCE);
}

bool sim_lock_lacks_fence(const sim_grid *g, const sim_logged *e, const sim_touch *t) {
    if (!g->locked || !(g->locked[e->instruction] & g->locked[t->instruction] & SIM_LOCKED)) return false;
    if (e->action == HAUL_ACTION_ATOMIC || t->action == HAUL_ACTION_ATOMIC) return false;
    const bool is_far = e->cluster != t->cluster;
    if (!is_far && e->actor == t->actor) return false;
    return lacks(g, e->instruction, is_far) || lacks(g, t->instruction, is_far);
}
