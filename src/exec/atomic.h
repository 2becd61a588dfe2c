/* Atomic operations on memory, by kind and width. */
#ifndef HAUL_EXEC_ATOMIC_H
#define HAUL_EXEC_ATOMIC_H

#include "ptx/ir.h"
#include "state/atomic_kind.h"

#include <stdbool.h>
#include <stdint.h>

/* Return the kind as an address space performs it. The atomic unit of global memory flushes subnormals in single
 * precision. Shared memory performs double-precision additions in machine code. */
sim_atomic_kind sim_atomic_at_global(sim_atomic_kind kind, unsigned bytes);
sim_atomic_kind sim_atomic_at_shared(sim_atomic_kind kind, unsigned bytes);

/* Returns the kind of an atom, red or bulk reduction. */
sim_atomic_kind sim_atomic_kind_of(const ptx_instruction *instruction);

/* Performs memory = memory op `operand` (for CAS: `swap` if memory equals `operand`) on 2, 4 or 8 bytes, naturally
 * aligned. Returns the old value; *changed tells whether the new one differs. Not atomic towards other host threads:
 * use it for shared memory or in the serial phase. */
uint64_t sim_atomic_apply(sim_atomic_kind kind, unsigned bytes, void *memory, uint64_t operand, uint64_t swap,
                          bool *changed);

/* The same for operations that leave the same memory in any order. Atomic towards other host threads. */
void sim_atomic_reduce(sim_atomic_kind kind, unsigned bytes, void *memory, uint64_t operand);
bool sim_atomic_commutes(sim_atomic_kind kind);

#endif
