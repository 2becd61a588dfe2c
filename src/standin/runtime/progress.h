/* Work that no call waits for: a program may wait for a host function by a condition variable of its own, or for what a
 * kernel writes by looking at memory. A thread does such work once the program has made no calls for a while. */
#ifndef HAUL_STANDIN_RUNTIME_PROGRESS_H
#define HAUL_STANDIN_RUNTIME_PROGRESS_H

#include <stdbool.h>

/* At the end of each call, with the device; the thread starts when there is work for the first time. */
void standin_note_work(void);

/* The calling thread waits for a kernel that waits for the program: whether the program has no other thread, but for
 * `waiting` that wait likewise, or these have done nothing for long. */
bool standin_is_alone(unsigned waiting);

#endif
