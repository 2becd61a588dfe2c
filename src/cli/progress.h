/* A terminal line with the progress of long operations, and the time left. */
#ifndef HAUL_CLI_PROGRESS_H
#define HAUL_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Shows the progress of launches on virtual GPUs from now on, after one second: on standard error, if that is a
 * terminal and not `quiet`. Signals that end haul clean the line first. */
void progress_start(bool quiet);

/* Says that launch `number` of `count` comes next, from 1 on. */
void progress_launch(size_t number, size_t count);
/* Says how many bytes of a stream are done. */
void progress_bytes(uint64_t done, uint64_t all);

/* Removes the line: before anything else is printed, and at the end. */
void progress_clear(void);

/* Ends haul after this time with a line on standard error and status 2, and cleans up as for signals. A program that
 * haul becomes ends by SIGALRM. */
void progress_end_after(const char *command, uint64_t seconds);

/* Returns whether that time is over. Its line has been printed, so no other error should be. */
bool progress_is_late(void);

/* Makes signals that end haul remove that file, too; NULL: none. The text is copied. */
void progress_remove_on_signal(const char *path);
/* Makes signals that end haul print that line on standard error; NULL: none. The text is copied. */
void progress_say_on_signal(const char *line);

#endif
