/* Liveness of registers, which slot sharing and register estimates are based on. */
#ifndef HAUL_PTX_LIVENESS_H
#define HAUL_PTX_LIVENESS_H

#include "ptx/ir.h"

/* 64 of the registers that are live across block boundaries, as bits of columns 64 * word and on: live on entry to a
 * block, and live on exit. */
typedef struct ptx_live_word {
    uint32_t word;
    uint64_t in, out;
} ptx_live_word;

/* Block b's nonzero words are words[first[b]] .. words[first[b + 1] - 1], ordered by `word`. Most registers live within
 * one block and have no column; in kernels with many blocks, each block knows few of the registers. */
typedef struct ptx_liveness {
    const uint32_t *column;      /* by register, + 1; 0: none */
    const uint32_t *register_of; /* by column, in the order of registers */
    uint32_t columns;
    const ptx_live_word *words;
    const uint32_t *first;
} ptx_liveness;

/* Computes liveness for a function with blocks (after control-flow analysis). Allocates in `memory`. A guarded
 * definition does not end a register's life above it: lanes with a false guard keep the old value. */
void ptx_liveness_compute(const ptx_function *function, arena *memory, ptx_liveness *liveness);

/* Returns whether the register is live on entry to the block. */
bool ptx_is_live_in(const ptx_liveness *liveness, uint32_t block, uint32_t reg);

/* Returns the register of the lowest of `bits`, a subset of a word's. */
static inline uint32_t ptx_live_register(const ptx_liveness *l, const ptx_live_word *w, uint64_t bits) {
    return l->register_of[64 * w->word + (unsigned)__builtin_ctzll(bits)];
}

/* Returns the block's first word; its words end where the next block's begin. */
static inline const ptx_live_word *ptx_live_words(const ptx_liveness *l, uint32_t block) {
    return l->words + l->first[block];
}

/* Calls back for each register that the instruction reads (including the guard) or writes. */
typedef void (*ptx_register_visitor)(void *context, uint32_t reg, bool writes);
void ptx_visit_registers(const ptx_instruction *instruction, ptx_register_visitor visit, void *context);

/* True if the register holds the address of a memory operand. */
bool ptx_is_address_in(const ptx_instruction *instruction, uint32_t reg);

/* Calls back for each register that belongs to the instruction until the program waits for it: of wgmma.mma_async the
 * sums (written) and the fragments of a (read), of tcgen05.ld the loaded registers. By the PTX ISA no other registers
 * do: descriptors, addresses, metadata, scales and predicates are read at the issue. */
void ptx_visit_held_registers(const ptx_instruction *instruction, ptx_register_visitor visit, void *context);

#endif
