/* The report of a program that is killed, or that uses no GPU. */
#ifndef HAUL_CLI_WATCH_H
#define HAUL_CLI_WATCH_H

#include "base/arena.h"

#include <stdbool.h>

/* Starts a process that outlives this one, which is about to become the program: when it and the processes that it has
 * started have ended, the watcher prints the reports of those that ended without one, or a note if none used the
 * virtual GPU. Sets the environment for standin/saved.h. Where the system does not allow that, does nothing. `quiet`:
 * no notes. */
void cli_watch(bool quiet, arena *memory);

/* For a program that could not be started: the watcher says nothing. */
void cli_unwatch(void);

#endif
