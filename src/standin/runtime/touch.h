/* Host code that touches device memory. */
#ifndef HAUL_STANDIN_RUNTIME_TOUCH_H
#define HAUL_STANDIN_RUNTIME_TOUCH_H

#include <signal.h>

/* For the handler of SIGSEGV: says what was touched, and where in the program, if it was device memory. */
void standin_tell_touch(const siginfo_t *signal, const void *context);

#endif
