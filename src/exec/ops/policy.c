/* createpolicy: cache policies, which accesses read from a register. count/policy.h has the encoding; a program passes
 * the 64 bits on without looking inside. */
#include "count/policy.h"
#include "exec/access.h"
#include "exec/ops/lanes.h"
#include "state/lanes.h"

/* imm, imm2: both priorities; a: the fraction */
static sim_step fractional_policy(sim_warp *w, const sim_op *op, uint32_t active) {
    uint64_t *d = SIM_SLOT(w, uint64_t, op->d);
    const float *fraction = SIM_SLOT(w, float, op->a);
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        d[l] = sim_policy_fractional((sim_priority)op->imm, (sim_priority)op->imm2, (double)fraction[l]);
    }
    return SIM_NEXT;
}

/* Returns the priority of lines that the first one leaves out. */
static sim_priority second_priority(const ptx_instruction *i) {
    return i->mods[PTX_SLOT_EVICT_L2B] == PTX_MOD_L2B_EVICT_FIRST ? SIM_PRIORITY_FIRST : SIM_PRIORITY_UNCHANGED;
}

/* Without a fraction, all lines get the first priority. */
haul_status LOWER(CREATEPOLICY_FRACTIONAL)(sim_lowering *l, const ptx_instruction *i) {
    static const float whole = 1;
    uint32_t bits, d = sim_destination(l, &i->operands[0]);
    memcpy(&bits, &whole, sizeof bits);
    const uint32_t fraction =
        i->operand_count > 1 ? sim_source(l, &i->operands[1], PTX_F32) : sim_constant(l, bits, sizeof bits);
    sim_op *op = sim_emit(l, fractional_policy);
    op->d = d;
    op->a = fraction;
    op->imm = sim_priority_named(i);
    op->imm2 = second_priority(i);
    return HAUL_OK;
}

/* a, imm, SIM_OP_WIDE: the address; b: bytes that get the first priority; x, y: both priorities. The total size is
 * ignored. */
static sim_step range_policy(sim_warp *w, const sim_op *op, uint32_t active) {
    uint64_t *d = SIM_SLOT(w, uint64_t, op->d), address[SIM_LANES];
    const uint32_t *primary = SIM_SLOT(w, uint32_t, op->b);
    sim_addresses(w, op, address);
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        d[l] = sim_policy_range((sim_priority)op->x, (sim_priority)op->y, address[l], primary[l]);
    }
    return SIM_NEXT;
}

haul_status LOWER(CREATEPOLICY_RANGE)(sim_lowering *l, const ptx_instruction *i) {
    const uint32_t d = sim_destination(l, &i->operands[0]), primary = sim_source(l, &i->operands[2], PTX_U32);
    sim_op *op = sim_emit_at(l, range_policy, &i->operands[1]);
    op->d = d;
    op->b = primary;
    op->x = sim_priority_named(i);
    op->y = second_priority(i);
    return HAUL_OK;
}

/* An access property is represented by the policy that it becomes. */
static sim_step copy_policy(sim_warp *w, const sim_op *op, uint32_t active) {
    uint64_t *d = SIM_SLOT(w, uint64_t, op->d);
    const uint64_t *a = SIM_SLOT(w, uint64_t, op->a);
    SIM_STORE_LANES(d, active, a[l]);
    return SIM_NEXT;
}

haul_status LOWER(CREATEPOLICY_CVT)(sim_lowering *l, const ptx_instruction *i) {
    uint32_t a = sim_source(l, &i->operands[1], PTX_B64), d = sim_destination(l, &i->operands[0]);
    sim_op *op = sim_emit(l, copy_policy);
    op->a = a;
    op->d = d;
    return HAUL_OK;
}
