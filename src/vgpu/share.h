/* What processes of one program share: memory of a device, and events. A process puts what the other one needs to know
 * into a handle; the files that it names are without a name of their own, and are reached by way of /proc. */
#ifndef HAUL_VGPU_SHARE_H
#define HAUL_VGPU_SHARE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* An event that several processes know: how often it was recorded, and up to which record everything is done. */
typedef struct sim_slot {
    _Atomic uint64_t recorded, reached;
} sim_slot;

/* A new one, which no other event has; NULL, with a message: there is no memory. */
sim_slot *sim_slot_new(void);
/* Where it is, for another process: a file of this one, and a place there. */
bool sim_slot_find(const sim_slot *slot, int *file, uint64_t *place);
/* A slot of another process, whose file is open; NULL, with a message. sim_slot_close() ends the use. */
sim_slot *sim_slot_open(int file, uint64_t place);
void sim_slot_close(sim_slot *slot);

/* Everything before record `number` is done. */
void sim_slot_reach(sim_slot *slot, uint64_t number);
void sim_wait_for_slot(sim_slot *slot, uint64_t number);
static inline bool sim_slot_is_reached(sim_slot *slot, uint64_t number) {
    return atomic_load(&slot->reached) >= number;
}

#endif
