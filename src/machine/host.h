/* Tells how much memory the host has left. */
#ifndef HAUL_MACHINE_HOST_H
#define HAUL_MACHINE_HOST_H

#include <stdint.h>

/* Returns the bytes that the host can still give, so that a kernel's buffers never wake its out-of-memory killer. */
uint64_t sim_host_available(void);

#endif
