/* Kernels without calls, for a simulator that has no call stack. */
#ifndef HAUL_PTX_INLINE_H
#define HAUL_PTX_INLINE_H

#include "ptx/ir.h"

/* Sets *flat to `entry` with the bodies of the functions it calls, and those call, in place of the calls; to `entry`
 * itself when there is nothing to put in. The result is analysed, lives in the module's arena and is in no list of the
 * module.
 *
 * Each function's registers and variables exist once in it, however often it is called, as without recursion a thread
 * is in a function once at a time; a formal parameter is the .param variable that the caller passes. `ret` becomes a
 * jump behind the call. Places are chained to the call's as if the compiler had inlined. Calls of functions without a
 * body (vprintf, malloc, ...) stay.
 *
 * Recursion and calls through registers are HAUL_ERROR_UNSUPPORTED, growing beyond some million instructions
 * HAUL_ERROR_LIMIT; the message names the call's place and the functions. Not to be called for one module from two
 * threads at once. */
haul_status ptx_inline_calls(ptx_module *module, ptx_function *entry, ptx_function **flat);

#endif
