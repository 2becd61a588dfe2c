/* Tells how much memory the host has left. */
#ifndef HAUL_MACHINE_HOST_H
#define HAUL_MACHINE_HOST_H

#include <stdint.h>

/* Returns the bytes that the host can still give, so that a kernel's buffers never wake its out-of-memory killer. */
uint64_t sim_host_available(void);

/* Returns how much of that a context may keep between launches, each kind of what it keeps. */
uint64_t sim_host_to_spare(void);

#endif
