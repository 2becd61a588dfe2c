/* A list of haul's own threads in a process that belongs to another program. */
#ifndef HAUL_BASE_OWN_THREADS_H
#define HAUL_BASE_OWN_THREADS_H

#include <stdbool.h>

/* Adds the calling thread, until it ends. */
void own_threads_add(void);
/* Counts the process's other threads. *time gets their processor time, without the calling thread's, in an unspecified
 * unit. Returns 0 if the system does not say. */
unsigned own_threads_count_others(unsigned long long *time);

#endif
