/* Handlers of signals that end a program. A signal stays as it is if the program handles it itself, or if it is
 * ignored, as in background commands. */
#ifndef HAUL_BASE_SIGNALS_H
#define HAUL_BASE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* The handler is removed before it is called, so raise(number) ends the program. */
typedef void signals_handler(int number, siginfo_t *about, void *context);

void signals_handle(int number, signals_handler *handler);
/* Handles the signal once more, for a handler that lets the program go on. */
void signals_again(int number, signals_handler *handler);
/* Whether the signal has this handler, and not one of the program's. */
bool signals_has(int number, signals_handler *handler);
/* Handles all signals that usually end a program, except SIGSEGV. */
void signals_handle_ends(signals_handler *handler);

#endif
