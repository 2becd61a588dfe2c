/* Atomic operations on memory, by kind and width. */
#ifndef HAUL_SIM_ATOMIC_H
#define HAUL_SIM_ATOMIC_H

#include "ptx/ir.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum sim_atomic_kind {
    SIM_ATOMIC_AND,
    SIM_ATOMIC_OR,
    SIM_ATOMIC_XOR,
    SIM_ATOMIC_EXCH,
    SIM_ATOMIC_CAS,
    SIM_ATOMIC_ADD,
    SIM_ATOMIC_INC,
    SIM_ATOMIC_DEC,
    SIM_ATOMIC_MIN_U,
    SIM_ATOMIC_MAX_U,
    SIM_ATOMIC_MIN_S,
    SIM_ATOMIC_MAX_S,
    SIM_ATOMIC_ADD_F,     /* f32, f64 by width */
    SIM_ATOMIC_ADD_FTZ,   /* f32 with subnormals, going in or coming out, as zeros of their sign */
    SIM_ATOMIC_ADD_QUIET, /* f64 whose NaNs become quiet */
    SIM_ATOMIC_ADD_F16,
    SIM_ATOMIC_ADD_F16X2,
    SIM_ATOMIC_ADD_BF16,
    SIM_ATOMIC_ADD_BF16X2,
    SIM_ATOMIC_MIN_F16,
    SIM_ATOMIC_MAX_F16,
    SIM_ATOMIC_MIN_BF16,
    SIM_ATOMIC_MAX_BF16,
    SIM_ATOMIC_MIN_F16X2,
    SIM_ATOMIC_MAX_F16X2,
    SIM_ATOMIC_MIN_BF16X2,
    SIM_ATOMIC_MAX_BF16X2,
    SIM_ATOMIC_KINDS
} sim_atomic_kind;

/* Where global memory does it otherwise than shared memory: single precision, whose atomic unit has no subnormals; and
 * where shared memory does, for which machine code adds: double precision. */
sim_atomic_kind sim_atomic_at_global(sim_atomic_kind kind, unsigned bytes);
sim_atomic_kind sim_atomic_at_shared(sim_atomic_kind kind, unsigned bytes);

/* The kind that an atom, red or bulk reduction asks for. */
sim_atomic_kind sim_atomic_kind_of(const ptx_instruction *instruction);

/* memory = memory op `operand` (for CAS: `swap` if memory equals `operand`), on 2, 4 or 8 bytes, naturally aligned.
 * Returns what was there before; *changed: something else is there now. Not atomic towards other host threads: shared
 * memory, or the serial phase. */
uint64_t sim_atomic_apply(sim_atomic_kind kind, unsigned bytes, void *memory, uint64_t operand, uint64_t swap,
                          bool *changed);

/* The same where the order of several makes no difference to what is left in memory; atomic towards other host threads.
 */
void sim_atomic_reduce(sim_atomic_kind kind, unsigned bytes, void *memory, uint64_t operand);
bool sim_atomic_commutes(sim_atomic_kind kind);

#endif
