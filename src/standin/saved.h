/* Files that a process leaves in the folder STANDIN_SAVED in case it is killed. The folder is made by the command
 * line, whose watcher (cli/watch.c) prints the report of a process that has ended without one.
 *
 *     PID.K          a standin_saved, which the process updates in place
 *     PID.K.report   the report as of `covered` launches: a line with the path of the report's file, empty for
 *                    standard error, and the text
 *
 * K counts the images of a process that calls exec(). Both files are removed when the process has made its report. */
#ifndef HAUL_STANDIN_SAVED_H
#define HAUL_STANDIN_SAVED_H

#include <stdint.h>

#define STANDIN_SAVED "HAUL_STANDIN_SAVED"
#define STANDIN_SAVED_REPORT ".report"

typedef struct standin_saved {
    uint64_t launches; /* of the program, so far */
    uint64_t covered;  /* of these, those before the report was saved */
} standin_saved;

#endif
