/* Which registers are needed where: the base of slot sharing in the simulator and of register estimates. */
#ifndef HAUL_PTX_LIVENESS_H
#define HAUL_PTX_LIVENESS_H

#include "ptx/ir.h"

/* Bit r of block b's row (rows of `words` 64-bit words): register r is live on entry to / exit from the block. */
typedef struct ptx_liveness {
    size_t words;
    uint64_t *in, *out;
} ptx_liveness;

/* For a function with blocks (after control-flow analysis). Allocates in `memory`. A guarded definition does not end a
 * register's life above it: the lanes whose guard is false keep the old value. */
void ptx_liveness_compute(const ptx_function *function, arena *memory, ptx_liveness *liveness);

/* Whether register `reg` is in such a row. */
static inline bool ptx_has_register(const uint64_t *row, uint32_t reg) {
    return row[reg / 64] >> (reg % 64) & 1;
}

/* Calls back for each register that the instruction reads (the guard included) or writes. */
typedef void (*ptx_register_visitor)(void *context, uint32_t reg, bool writes);
void ptx_visit_registers(const ptx_instruction *instruction, ptx_register_visitor visit, void *context);

/* Calls back for each register that belongs to the instruction until the program has waited for it: of wgmma.mma_async
 * the sums (written) and the fragments of a (read), of tcgen05.ld what it loads. By the PTX ISA nothing else does:
 * descriptors, addresses, metadata, scales and predicates are read when the instruction is issued. */
void ptx_visit_held_registers(const ptx_instruction *instruction, ptx_register_visitor visit, void *context);

#endif
