/* Handlers of signals that end a program. A signal that the program handles itself, or that is ignored, as of a command
 * in the background, stays as it is. */
#ifndef HAUL_BASE_SIGNALS_H
#define HAUL_BASE_SIGNALS_H

#include <signal.h>

/* When it is called, the handler is gone: raise(number) ends the program. */
typedef void signals_handler(int number, siginfo_t *about, void *context);

void signals_handle(int number, signals_handler *handler);
/* The same for all signals that usually end a program, but SIGSEGV. */
void signals_handle_ends(signals_handler *handler);

#endif
