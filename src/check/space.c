/* Addresses of the wrong state space. */
#include "check/internal.h"

void sim_hazard_narrow(sim_warp *w, const sim_op *op, uint32_t active) {
    const uint64_t *address = SIM_SLOT(w, uint64_t, op->a);
    for (; active; active &= active - 1) {
        const unsigned l = (unsigned)__builtin_ctz(active);
        const uint64_t at = address[l] + (uint64_t)op->imm;
        if (!(at >> 32)) continue;
        const sim_suspect s = {.kind = HAUL_FINDING_ILLEGAL_ACCESS,
                               .action =
                                   op->memory_class == HAUL_CLASS_SHARED_STORE ? HAUL_ACTION_WRITE : HAUL_ACTION_READ,
                               .instruction = op->instruction,
                               .lanes = 1u << l,
                               .thread = SIM_NO_THREAD};
        sim_finding *f = sim_hazard_report(w, &s);
        if (f)
            sim_hazard_say(
                f,
                "0x%llx is a generic address or one of another space, not an address in shared memory: convert it "
                "with cvta.to.shared or __cvta_generic_to_shared()",
                (unsigned long long)at);
        return;
    }
}

void sim_hazard_atomic_at_local(sim_warp *w, const sim_op *op, uint32_t lanes) {
    const sim_suspect s = {.kind = HAUL_FINDING_ILLEGAL_ACCESS,
                           .action = HAUL_ACTION_ATOMIC,
                           .instruction = op->instruction,
                           .lanes = lanes,
                           .thread = SIM_NO_THREAD,
                           .is_advice = true};
    sim_finding *f = sim_hazard_report(w, &s);
    if (f)
        sim_hazard_say(f,
                       "the atomic operation is on the thread's own local memory: an H200 executes it, but the PTX ISA "
                       "defines atomic operations on global and shared memory only");
}
