/* Sharing between the processes of a program: memory of a device, and events. A handle carries a process id and a file
 * of that process. The files have no name of their own and are opened through /proc. */
#ifndef HAUL_VGPU_SHARE_H
#define HAUL_VGPU_SHARE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* An event that several processes know: the number of records, and the last record before which everything is done. */
typedef struct sim_slot {
    _Atomic uint64_t recorded, reached;
} sim_slot;

/* Makes a slot that no other event has; returns NULL, with a message, without memory. */
sim_slot *sim_slot_new(void);
void sim_slot_close(sim_slot *slot);

/* Marks everything before record `number` as done; waits until it is. */
void sim_slot_reach(sim_slot *slot, uint64_t number);
void sim_wait_for_slot(sim_slot *slot, uint64_t number);
static inline bool sim_slot_is_reached(sim_slot *slot, uint64_t number) {
    return atomic_load(&slot->reached) >= number;
}

#endif
