/* The lock of the lists of allocations of all devices, for lookups of kernels while the program allocates. It is needed
 * once kernels run beside the program's calls. Calls that change a list come one at a time,
 * so they read lists without it. */
#ifndef HAUL_MACHINE_LOOKUP_H
#define HAUL_MACHINE_LOOKUP_H

#include <pthread.h>

/* From now on lookups take the lock. */
void sim_lookup_share(void);
/* A lookup runs between these two; the second gets what the first returned, NULL if no lock is needed. Lookups do not
 * nest. */
pthread_rwlock_t *sim_lookup_begin(void);
void sim_lookup_end(pthread_rwlock_t *own);
/* A list changes between these two. */
void sim_lookup_keep_out(void);
void sim_lookup_let_in(void);

#endif
