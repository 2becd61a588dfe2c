/* Shared by the files of virtual memory. reservation.c, physical.c, mapping.c and multicast.c each own the list of
 * their subject; virtual_users.c has the lock. Everything declared here is called with the lock held. */
#ifndef HAUL_MACHINE_VIRTUAL_LISTS_H
#define HAUL_MACHINE_VIRTUAL_LISTS_H

#include "machine/virtual.h"

#include <pthread.h>

/* ---- virtual_users.c ---- */

pthread_rwlock_t *sim_virtual_lock(void);
pthread_rwlock_t *sim_virtual_lock_to_read(void);
void sim_virtual_unlock(pthread_rwlock_t *const *held);
/* Locks until the end of the enclosing block: against readers and writers, or against writers only. */
#define SIM_VIRTUAL_CHANGES() \
    __attribute__((cleanup(sim_virtual_unlock), unused)) pthread_rwlock_t *const held_ = sim_virtual_lock()
#define SIM_VIRTUAL_READS() \
    __attribute__((cleanup(sim_virtual_unlock), unused)) pthread_rwlock_t *const held_ = sim_virtual_lock_to_read()

/* Fails with HAUL_ERROR_ARGUMENT: "virtual memory: ...". */
haul_status sim_virtual_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
haul_status sim_virtual_no_host_memory(void);
haul_status sim_virtual_check_pages(uint64_t address, uint64_t bytes);
/* Marks mapped bytes as written, or not written, on all devices. */
void sim_virtual_mark(uint64_t address, uint64_t bytes, bool written);

/* ---- reservation.c ---- */

typedef struct sim_reservation {
    uint64_t from, bytes;
    unsigned char *host;
} sim_reservation;

/* Finds the reservation of the address; NULL if there is none. */
const sim_reservation *sim_reservation_at(uint64_t address);
void sim_reservations_end(void);

/* ---- physical.c ---- */

/* Binds bytes first .. first + bytes - 1 of a multicast object, on its device number `slot`, to bytes of `memory`. */
typedef struct sim_binding {
    unsigned slot;
    uint64_t first, bytes;
    struct sim_physical *memory;
    uint64_t memory_offset;
} sim_binding;

/* Memory of a device, or a multicast object. */
typedef struct sim_physical {
    uint64_t handle;
    unsigned device;
    uint64_t bytes;
    uint64_t place;                       /* in the file */
    int file;                             /* another process's; 0: the own one */
    bool is_exported;                     /* another process may have its pages */
    unsigned held;                        /* handles given out and not released */
    unsigned used;                        /* mappings and bindings */
    bool was_mapped;                      /* it was mapped at some time; marks of earlier writes were not kept */
    unsigned char *view;                  /* all of it mapped, for multicast; NULL until needed */
    unsigned device_count, devices_added; /* of a multicast object; device_count 0: this is memory */
    unsigned char devices[SIM_VIRTUAL_DEVICES];
    sim_binding *bindings;
    size_t binding_count, binding_capacity;
    struct sim_physical *next;
} sim_physical;

static inline bool sim_physical_is_multicast(const sim_physical *p) {
    return p->device_count > 0;
}

/* Finds a handle's object; NULL, with the error recorded, if there is none. */
sim_physical *sim_physical_of(uint64_t handle);
/* Ends a mapping or binding of it. The last one frees it, unless a handle is still held. */
void sim_physical_drop(sim_physical *p);
void sim_physical_remove_binding(sim_physical *p, size_t at);
/* Sets p->view. Errors: HAUL_ERROR_OUT_OF_MEMORY. */
haul_status sim_physical_make_view(sim_physical *p);
/* Map the memory's pages from `offset` on over reserved host pages, and unmap them again. Multicast objects have no
 * pages. */
haul_status sim_physical_show(const sim_physical *p, unsigned char *host, uint64_t offset, uint64_t bytes);
void sim_physical_hide(const sim_physical *p, unsigned char *host, uint64_t bytes);
void sim_physicals_end(void);

/* ---- mapping.c ---- */

typedef struct sim_mapping {
    uint64_t from, bytes;
    const sim_reservation *in;
    sim_physical *memory;
    uint64_t offset;
    uint64_t allowed, read_only; /* bit d: device d; read_only is a subset of allowed */
} sim_mapping;

/* Finds the mapping at the address; NULL if there is none. */
sim_mapping *sim_mapping_at(uint64_t address);
/* Finds the last mapping that begins at or before the address. */
sim_mapping *sim_mapping_before(uint64_t address);
/* Finds an address where the device may use the memory's byte `offset`; false if there is none. */
bool sim_mapping_find(const sim_physical *memory, uint64_t offset, unsigned device, uint64_t *address);
/* Counts the memory as written wherever it is mapped from now on, since not all writes to it can be followed. */
void sim_mapping_stop_following(sim_physical *p);
void sim_mappings_end(void);

#endif
