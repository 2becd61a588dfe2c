/* st.bulk: fills the block's shared memory with zeros. It is executed at once, like an ordinary store, and not counted.
 *
 * a, imm, SIM_OP_WIDE: the address; b: bytes; x: the address is generic */
#include "assembler/shared_layout.h"
#include "check/hazard.h"
#include "exec/access.h"
#include "exec/fault.h"
#include "exec/ops/lanes.h"
#include "machine/memory.h"

enum { UNIT = 8 };

/* Records the fault of a lane's range. */
static sim_step wrong(sim_warp *w, const sim_op *op, unsigned lane, haul_finding_kind kind, const char *what,
                      uint64_t address, uint64_t bytes) {
    sim_fault_concerns(w, HAUL_SPACE_SHARED, address, (uint32_t)bytes);
    return sim_fault(w, op, kind, 1u << lane, "%s: %llu bytes at 0x%llx", what, (unsigned long long)bytes,
                     (unsigned long long)address);
}

/* Reports them to checks as stores of one word each. */
static void report_stores(sim_warp *w, const sim_op *op, unsigned lane, uint32_t from, uint64_t bytes) {
    uint32_t address[SIM_LANES] = {0};
    for (uint64_t at = 0; at < bytes; at += UNIT) {
        address[lane] = from + (uint32_t)at;
        sim_hazard_store(w, op, 1u << lane, w->block, address);
    }
}

/* Each active lane has a range of its own. */
static sim_step fill(sim_warp *w, const sim_op *op, uint32_t active) {
    uint64_t address[SIM_LANES];
    sim_addresses(w, op, address);
    for (; active; active &= active - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(active);
        const uint64_t bytes = SIM_SLOT(w, uint64_t, op->b)[lane];
        const uint64_t at = op->x ? address[lane] - SIM_SHARED_WINDOW : (uint32_t)address[lane];
        const uint64_t limit = w->sm->grid->shared_bytes;
        if (at % UNIT || bytes % UNIT)
            return wrong(w, op, lane, HAUL_FINDING_MISALIGNED, "misaligned st.bulk (both must be multiples of 8)", at,
                         bytes);
        if (at < SIM_SHARED_START || at > limit || bytes > limit - at)
            return wrong(w, op, lane, HAUL_FINDING_OUT_OF_BOUNDS, "st.bulk outside the block's shared memory", at,
                         bytes);
        if (w->sm->hazards) report_stores(w, op, lane, (uint32_t)at, bytes);
        memset(w->block->shared + at, 0, bytes);
    }
    w->sm->changes++;
    return SIM_NEXT;
}

/* Without a space, the address is generic. */
haul_status LOWER(ST_BULK)(sim_lowering *l, const ptx_instruction *i) {
    const uint32_t bytes = sim_source(l, &i->operands[1], PTX_B64);
    sim_op *op = sim_emit_at(l, fill, &i->operands[0]);
    op->b = bytes;
    op->x = !i->mods[PTX_SLOT_SPACE];
    op->bytes = UNIT;
    return HAUL_OK;
}
