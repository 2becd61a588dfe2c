/* A line on the terminal that says how far what takes long has come, and when it will be done. */
#ifndef HAUL_CLI_PROGRESS_H
#define HAUL_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Shows launches of virtual GPUs from now on, once a second has gone by: on standard error, if that is a terminal, and
 * not with `quiet`. Signals that end haul clean the line first. */
void progress_start(bool quiet);

/* The next launch is number `number` of `count`, from 1 on. */
void progress_launch(size_t number, size_t count);
/* So many bytes of a stream are done. */
void progress_bytes(uint64_t done, uint64_t all);

/* Takes the line away: before anything else is printed, and at the end. */
void progress_clear(void);

/* Signals that end haul remove that file, too; NULL: none. The text is copied. */
void progress_remove_on_signal(const char *path);

#endif
