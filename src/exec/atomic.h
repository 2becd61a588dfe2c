/* Atomic operations on memory, by kind and width. */
#ifndef HAUL_EXEC_ATOMIC_H
#define HAUL_EXEC_ATOMIC_H

#include "ptx/ir.h"
#include "state/atomic_kind.h"

#include <stdbool.h>
#include <stdint.h>

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
