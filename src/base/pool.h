/* Worker threads of the process for parallel loops. They sleep while there is no work. */
#ifndef HAUL_BASE_POOL_H
#define HAUL_BASE_POOL_H

#include <stddef.h>

/* One iteration. `worker` is below the loop's number of threads; 0 is the thread that called pool_for(). */
typedef void pool_body(void *context, size_t index, unsigned worker);

/* The processors that the process may use: a reasonable number of threads. */
unsigned pool_processors(void);

/* Calls `body` for each index below `count`, on at most `threads` threads, the calling one included, and returns when
 * all calls have. Indices are given out in ascending order, to whoever is free. Everything before the call happens
 * before the iterations, and they before its return. Any number of threads may run loops at a time. An iteration must
 * not wait for another one, and must not run a loop itself. Without further threads (the system gives none), the caller
 * makes all iterations. */
void pool_for(size_t count, unsigned threads, pool_body *body, void *context);

#endif
