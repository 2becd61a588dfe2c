/* Inlining: kernels with the bodies of the functions that they call. */
#ifndef HAUL_PTX_INLINE_H
#define HAUL_PTX_INLINE_H

#include "ptx/ir.h"

/* alloca takes memory from the variable $dynamic, of ptx_module.stack_bytes. Its first bytes hold how much is in
 * use. */
enum { PTX_DYNAMIC_HEAD = 16 };
/* A thread's stack by default, as in CUDA. */
enum { PTX_STACK_BYTES = 1024 };

/* Sets *flat to `entry` with the bodies of all functions it calls, directly or not, in place of the calls; to `entry`
 * itself if there are none. The result is analysed, lives in the module's arena and is in no list of the module. Must
 * not run for one module on two threads at once.
 *
 * Each function's registers and variables exist once, however often it is called: without recursion, a thread is in a
 * function once at a time. A formal parameter is the .param variable that the caller passes. `ret` becomes a jump
 * after the call. Places are chained to the call's, as if the compiler had inlined. Calls of functions without a body
 * (vprintf, malloc, ...) stay.
 *
 * Recursive functions are not inlined. Neither are, if there is a call through a register, functions whose address is
 * taken. Each such function exists once after the kernel's body, with its own calls inlined. It is listed in
 * ptx_function.callees, and no edge from other blocks leads to its blocks. Two .param variables ($arguments, $results)
 * carry parameters, results and the address of the callee's frame in the stack. The remaining call (ptx_is_far_call)
 * ends its block. Whoever executes it saves the caller's registers, and its .param variables if the caller is a callee
 * too. Callees address .local variables from a register, in the .local variable $stack of ptx_module.stack_bytes.
 *
 * Larger functions are also called if inlining all would take some million instructions, or nest too deeply
 * (ptx/growth.h). A kernel that is still too large fails with HAUL_ERROR_LIMIT, before anything is copied. */
haul_status ptx_inline_calls(ptx_module *module, ptx_function *entry, ptx_function **flat);

#endif
