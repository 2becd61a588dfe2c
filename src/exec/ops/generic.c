/* Generic addresses: cvta, isspacep. An address in a space's window is an offset into it (machine/memory.h), so a
 * conversion adds or subtracts the window. Global addresses are generic as they are. */
#include "exec/access.h"
#include "exec/ops/lanes.h"
#include "state/lanes.h"

/* Returns the window of the instruction's space. */
static uint64_t window_of(const ptx_instruction *i) {
    switch (i->mods[PTX_SLOT_SPACE]) {
    case PTX_MOD_SHARED:
    case PTX_MOD_SHARED_CTA:
    case PTX_MOD_SHARED_CLUSTER: return SIM_SHARED_WINDOW;
    case PTX_MOD_LOCAL: return SIM_LOCAL_WINDOW;
    default: return 0; /* global and constant addresses are generic; parameters already include their window */
    }
}

static sim_step add_window(sim_warp *w, const sim_op *op, uint32_t active) {
    uint64_t *d = SIM_SLOT(w, uint64_t, op->d), window = (uint64_t)op->imm;
    if (op->flags & SIM_OP_WIDE) {
        const uint64_t *a = SIM_SLOT(w, uint64_t, op->a);
        SIM_STORE_LANES(d, active, a[l] + window);
    } else {
        const uint32_t *a = SIM_SLOT(w, uint32_t, op->a);
        SIM_STORE_LANES(d, active, a[l] + window);
    }
    return SIM_NEXT;
}

/* Lowers either direction; `window`: the number to add. The form tells the compiler that it is a plain addition. */
static haul_status lower_cvta(sim_lowering *l, const ptx_instruction *i, uint64_t window) {
    if (ptx_bits(i->type) != 64) return sim_lower_fail(l, "only 64-bit generic addresses are supported");
    uint32_t a = sim_source(l, &i->operands[1], i->type), d = sim_destination(l, &i->operands[0]);
    sim_op *op = sim_emit(l, add_window);
    op->a = a;
    op->d = d;
    op->imm = (int64_t)window;
    op->flags |= SIM_OP_WIDE;
    op->form = SIM_FORM_ADD_WINDOW;
    return HAUL_OK;
}

haul_status LOWER(CVTA)(sim_lowering *l, const ptx_instruction *i) {
    return lower_cvta(l, i, window_of(i));
}

haul_status LOWER(CVTA_TO)(sim_lowering *l, const ptx_instruction *i) {
    return lower_cvta(l, i, 0 - window_of(i));
}

/* imm: the window, or 0 for addresses outside all windows. x: which of its lanes to return. */
static sim_step test_space(sim_warp *w, const sim_op *op, uint32_t active) {
    const uint64_t *a = SIM_SLOT(w, uint64_t, op->a);
    uint32_t *d = SIM_SLOT(w, uint32_t, op->d), in = sim_lanes_in_window(a, (uint64_t)op->imm);
    if (op->imm == 0)
        in = ~(sim_lanes_in_window(a, SIM_SHARED_WINDOW) | sim_lanes_in_window(a, SIM_LOCAL_WINDOW) |
               sim_lanes_in_window(a, SIM_PARAM_WINDOW));
    *d = (*d & ~active) | (in & active);
    return SIM_NEXT;
}

/* The space of a cluster is that of the block: other blocks' addresses are in the same window. */
haul_status LOWER(ISSPACEP)(sim_lowering *l, const ptx_instruction *i) {
    uint32_t a = sim_source(l, &i->operands[1], PTX_B64), d = sim_destination(l, &i->operands[0]);
    unsigned space = i->mods[PTX_SLOT_SPACE];
    bool param = space == PTX_MOD_PARAM || space == PTX_MOD_PARAM_ENTRY || space == PTX_MOD_PARAM_FUNC;
    sim_op *op = sim_emit(l, test_space);
    op->a = a;
    op->d = d;
    op->imm = (int64_t)(param ? SIM_PARAM_WINDOW : window_of(i));
    return HAUL_OK;
}
