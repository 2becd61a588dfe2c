/* Kernels with the bodies of what they call. */
#ifndef HAUL_PTX_INLINE_H
#define HAUL_PTX_INLINE_H

#include "ptx/ir.h"

/* The variable $dynamic, of ptx_module.stack_bytes, is what alloca gives out, behind as many bytes that say how much
 * is. */
enum { PTX_DYNAMIC_HEAD = 16 };
/* A thread's stack where nobody has set another size: CUDA's default. */
enum { PTX_STACK_BYTES = 1024 };

/* Sets *flat to `entry` with the bodies of the functions it calls, and those call, in place of the calls; to `entry`
 * itself when there is nothing to put in. The result is analysed, lives in the module's arena and is in no list of the
 * module.
 *
 * Each function's registers and variables exist once in it, however often it is called, as without recursion a thread
 * is in a function once at a time; a formal parameter is the .param variable that the caller passes. `ret` becomes a
 * jump behind the call. Places are chained to the call's as if the compiler had inlined. Calls of functions without a
 * body (vprintf, malloc, ...) stay.
 *
 * Functions that are recursive, and with a call through a register all those whose address is taken, are not put in
 * line: each is behind the kernel's own body once, with what it calls in line, listed in ptx_function.callees, with
 * blocks that no edge leads to from the others. Parameters, results and the address of the callee's frame in the stack
 * go through two .param variables ($arguments, $results); the call that remains (ptx_is_far_call) ends its block.
 * Whoever runs it saves the caller's registers, and its .param variables if it is a callee too. .local variables of
 * callees are addressed from a register, in the .local variable $stack of ptx_module.stack_bytes.
 *
 * So are larger functions where all in line would be some million instructions, or too deep in each other
 * (ptx/growth.h); the kernel that is too large nevertheless is HAUL_ERROR_LIMIT, found before anything is copied.
 * Not to be called for one module from two threads at once. */
haul_status ptx_inline_calls(ptx_module *module, ptx_function *entry, ptx_function **flat);

#endif
