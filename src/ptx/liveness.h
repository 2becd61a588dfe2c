/* Which registers are needed where: the base of slot sharing in the simulator and of register estimates. */
#ifndef HAUL_PTX_LIVENESS_H
#define HAUL_PTX_LIVENESS_H

#include "ptx/ir.h"

/* 64 of the registers that are live across blocks' borders, as bits of columns 64 * word and on: those that are live on
 * entry to a block, and on exit from it. */
typedef struct ptx_live_word {
    uint32_t word;
    uint64_t in, out;
} ptx_live_word;

/* Block b's words, those with any bit set, are words[first[b]] .. words[first[b + 1] - 1], by `word`. Most registers
 * live within one block and have no column; kernels of many blocks have many registers that few of them know. */
typedef struct ptx_liveness {
    const uint32_t *column;      /* by register, + 1; 0: it has none */
    const uint32_t *register_of; /* by column, in the order of registers */
    uint32_t columns;
    const ptx_live_word *words;
    const uint32_t *first;
} ptx_liveness;

/* For a function with blocks (after control-flow analysis). Allocates in `memory`. A guarded definition does not end a
 * register's life above it: the lanes whose guard is false keep the old value. */
void ptx_liveness_compute(const ptx_function *function, arena *memory, ptx_liveness *liveness);

/* Whether the register is live on entry to the block. */
bool ptx_is_live_in(const ptx_liveness *liveness, uint32_t block, uint32_t reg);

/* The register of the lowest of `bits`, which are some of a word's. */
static inline uint32_t ptx_live_register(const ptx_liveness *l, const ptx_live_word *w, uint64_t bits) {
    return l->register_of[64 * w->word + (unsigned)__builtin_ctzll(bits)];
}

/* The block's words end where those of the next block begin. */
static inline const ptx_live_word *ptx_live_words(const ptx_liveness *l, uint32_t block) {
    return l->words + l->first[block];
}

/* Calls back for each register that the instruction reads (the guard included) or writes. */
typedef void (*ptx_register_visitor)(void *context, uint32_t reg, bool writes);
void ptx_visit_registers(const ptx_instruction *instruction, ptx_register_visitor visit, void *context);

/* Calls back for each register that belongs to the instruction until the program has waited for it: of wgmma.mma_async
 * the sums (written) and the fragments of a (read), of tcgen05.ld what it loads. By the PTX ISA nothing else does:
 * descriptors, addresses, metadata, scales and predicates are read when the instruction is issued. */
void ptx_visit_held_registers(const ptx_instruction *instruction, ptx_register_visitor visit, void *context);

#endif
