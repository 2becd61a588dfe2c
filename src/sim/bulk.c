#include "sim/bulk.h"

#include "sim/atomic.h"

#include <string.h>

static void reduce(const sim_op *op, unsigned char *to, const unsigned char *from, uint32_t bytes) {
    for (uint32_t at = 0; at < bytes; at += op->bytes) {
        uint64_t operand = 0;
        memcpy(&operand, from + at, op->bytes);
        sim_atomic_apply((sim_atomic_kind)op->count, op->bytes, to + at, operand, 0);
    }
}

void sim_bulk_perform(sim_block *b, const sim_bulk *bulk) {
    unsigned char *shared = b->shared + bulk->shared;
    unsigned char *global = sim_memory_at(b->sm->grid->memory, bulk->global, bulk->bytes);
    if (!global) return; /* freed since: the host's affair */
    switch (bulk->kind) {
    case SIM_BULK_LOAD: {
        memcpy(shared, global, bulk->bytes);
        uint64_t *object = sim_mbarrier_at(b, bulk->barrier);
        if (object) sim_mbarrier_update(b, object, 0, -(int64_t)bulk->bytes);
        return;
    }
    case SIM_BULK_STORE: memcpy(global, shared, bulk->bytes); return;
    default: reduce(bulk->op, global, shared, bulk->bytes);
    }
}
