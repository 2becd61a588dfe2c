/* Memory for the shadow of global memory, in large pages: scattered accesses touch so many pages of it that looking up
 * small ones would cost as much as the accesses themselves. A launch leaves it to the next one, since the host needs as
 * long for new pages as the checks do for what they keep there. */
#ifndef HAUL_CHECK_SHADOW_MEMORY_H
#define HAUL_CHECK_SHADOW_MEMORY_H

#include <stddef.h>

typedef struct sim_shadow_memory sim_shadow_memory;

/* Returns NULL if the host has no memory. */
sim_shadow_memory *sim_shadow_memory_create(void);
/* Returns `bytes` of any content, which stay the launch's until it ends; NULL if the host has no memory. Several
 * threads may call it at once. */
void *sim_shadow_memory_take(sim_shadow_memory *m, size_t bytes);
/* The launch is over. The host gets back what it has not used, and what is too much to be kept. */
void sim_shadow_memory_end_launch(sim_shadow_memory *m);
void sim_shadow_memory_free(sim_shadow_memory *m);

#endif
