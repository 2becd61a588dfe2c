/* Host code that uses memory while an operation of a stream may still use it. Between calls the pages of such memory
 * are protected, so that the first use of each is noticed. The program then goes on. */
#ifndef HAUL_STANDIN_RUNTIME_GUARD_H
#define HAUL_STANDIN_RUNTIME_GUARD_H

#include "base/signals.h"

#include <signal.h>
#include <stdbool.h>

/* Called with the lock, when no call is in progress any more, and when the first one begins. `runs`: a kernel runs
 * meanwhile, and may write. */
void standin_guard(bool runs);
void standin_unguard(void);
/* Handles a SIGSEGV. Returns false if it has nothing to do with protected pages. */
/* The handler of ending.c, which calls the next. */
signals_handler *standin_segv_handler(void);
bool standin_take_guarded(const siginfo_t *signal, const void *context);

#endif
