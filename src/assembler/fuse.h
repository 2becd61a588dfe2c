/* Instructions that machine code has no instruction for: ptxas computes them with their only user. */
#ifndef HAUL_ASSEMBLER_FUSE_H
#define HAUL_ASSEMBLER_FUSE_H

#include "assembler/loop.h"

enum { SIM_NOT_FUSED = UINT8_MAX };

/* Returns, by instruction, how many machine instructions are left of it; SIM_NOT_FUSED: as many as usual. The result is
 * in `memory`. Read off machine code of ptxas 13.0 for sm_90:
 *
 * - LOP3 computes two logic operations of up to three inputs, and IADD3 two sums.
 * - IMAD and IMAD.WIDE add to a product, and LEA to a value that is shifted by a constant.
 * - ISETP combines its result with another predicate.
 * - A sum of 64 bits extends a number of 32 bits, and operands may be negated.
 * - IMAD.WIDE gives both halves of a product. */
const uint8_t *sim_fuse(const ptx_function *function, const sim_writers *writers, arena *memory);

#endif
