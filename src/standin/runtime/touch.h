/* Reports of host code that touches device memory.
 *
 * Pinned and managed memory never lead here, as the host can access them. */
#ifndef HAUL_STANDIN_RUNTIME_TOUCH_H
#define HAUL_STANDIN_RUNTIME_TOUCH_H

#include <signal.h>

/* For the handler of SIGSEGV: if device memory was touched, reports which, and where in the program. */
void standin_tell_touch(const siginfo_t *signal, const void *context);

/* The program's own code that a signal has interrupted, or that has called what was, as a return address. */
const void *standin_code_of(const void *context);

#endif
