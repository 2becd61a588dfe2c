/* Work that no call waits for. A program may wait for a host function with its own condition variable, or for a kernel
 * by polling memory. A thread does such work once the program has made no calls for a while. */
#ifndef HAUL_STANDIN_RUNTIME_PROGRESS_H
#define HAUL_STANDIN_RUNTIME_PROGRESS_H

#include <stdbool.h>

/* Called at the end of each call, with the device; starts the thread when there is work for the first time. */
void standin_note_work(void);

/* For a thread that waits for a kernel that waits for the program: whether the program has no other thread, except
 * `waiting` ones in the same state, or the others have done nothing for long. */
bool standin_is_alone(unsigned waiting);

#endif
