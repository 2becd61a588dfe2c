/* A kernel without the values that machine code keeps in no register of their own. */
#ifndef HAUL_ASSEMBLER_COMPACT_H
#define HAUL_ASSEMBLER_COMPACT_H

#include "base/arena.h"
#include "ptx/ir.h"

/* Returns a copy of the analysed function for counting its registers, in `memory`. Its labels stay behind. Instructions
 * that nothing needs are left out, and so are those whose result an instruction of machine code can name or form by
 * itself: parameters, constants, block indices and values made of them, copies, conversions and scaled indices of
 * addresses. Their users read what these are made of. */
ptx_function *sim_compact(const ptx_function *flat, arena *memory);

#endif
