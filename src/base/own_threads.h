/* Threads of haul's own in a process that is somebody else's program. */
#ifndef HAUL_BASE_OWN_THREADS_H
#define HAUL_BASE_OWN_THREADS_H

#include <stdbool.h>

/* The calling thread is one of them, until it ends. */
void own_threads_add(void);
/* Threads of the process that are none of them; and the processor time that these, but for the calling one, have taken,
 * in an unnamed unit. 0 where the system does not say. */
unsigned own_threads_count_others(unsigned long long *time);

#endif
