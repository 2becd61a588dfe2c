/* Operands that an instruction must not have: addresses of the wrong state space, sizes, strides. */
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

void sim_hazard_parameter(sim_warp *w, const sim_op *op, uint32_t lanes) {
    if (sim_instruction_of(w, op->instruction)->op != PTX_OP_ST) return;
    sim_finding *f = sim_hazard_report_lanes(w, op, lanes, HAUL_FINDING_ILLEGAL_ACCESS, HAUL_ACTION_WRITE);
    if (f)
        sim_hazard_say(f, "the kernel's parameters are read-only, and the same for all threads: change a copy of them");
}

void sim_hazard_source_size(sim_warp *w, const sim_op *op, uint32_t lanes, uint32_t size) {
    sim_finding *f = sim_hazard_report_lanes(w, op, lanes, HAUL_FINDING_ILLEGAL_ACCESS, HAUL_ACTION_ASYNC_READ);
    if (f)
        sim_hazard_say(f,
                       "the copy of %u bytes is to read %d: more than it writes, or less than none, which the PTX ISA "
                       "leaves undefined",
                       op->bytes, (int32_t)size);
}

void sim_hazard_fragment(sim_warp *w, const sim_op *op, uint32_t lanes, uint64_t address, uint64_t stride,
                         unsigned asked, unsigned needed) {
    if ((address | stride) % asked == 0) return;
    const bool is_store = sim_instruction_of(w, op->instruction)->op == PTX_OP_WMMA_STORE;
    const sim_suspect s = {.kind = HAUL_FINDING_MISALIGNED,
                           .action = is_store ? HAUL_ACTION_WRITE : HAUL_ACTION_READ,
                           .instruction = op->instruction,
                           .lanes = lanes,
                           .thread = SIM_NO_THREAD,
                           .is_warning = (address | stride) % needed == 0};
    sim_finding *f = sim_hazard_report(w, &s);
    if (!f) return;
    if (address % asked)
        sim_hazard_say(f, "the matrix begins at 0x%llx, but must begin at a multiple of %u bytes",
                       (unsigned long long)address, asked);
    else
        sim_hazard_say(f, "the rows or columns of the matrix lie %llu bytes apart, but must lie a multiple of %u apart",
                       (unsigned long long)stride, asked);
}
