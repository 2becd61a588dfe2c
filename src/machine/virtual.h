/* Virtual memory of the virtual GPUs: ranges of addresses that a program reserves, the physical memory that it maps
 * there, and the devices with access. There is one for the process, since a range means the same on all its devices.
 *
 *     reservations  sorted by address; each also reserves host addresses, where only mapped memory is accessible
 *     mappings      sorted by address, each within one reservation: pages of one physical memory, or of a multicast
 *                   object
 *     physicals     by handle; they live until no handle and no mapping is left. A device's are parts of one unnamed
 *                   file, so that the same pages can be mapped in several places
 *
 * Changes take a lock that launches share: sim_virtual_hold(). */
#ifndef HAUL_MACHINE_VIRTUAL_H
#define HAUL_MACHINE_VIRTUAL_H

#include "machine/range.h"

#include <haul/status.h>

/* The page size: sizes and offsets are multiples of it, as on hardware. */
#define SIM_VIRTUAL_PAGE (2ull << 20)
/* The range that can be reserved: far behind device memory, at other sets of the caches. */
#define SIM_VIRTUAL_BASE 0x0000803000000000ull
#define SIM_VIRTUAL_BYTES (4ull << 40)
enum { SIM_VIRTUAL_DEVICES = 64 };

static inline bool sim_is_virtual(uint64_t address) {
    return address - SIM_VIRTUAL_BASE < SIM_VIRTUAL_BYTES;
}

/* Attaches a device's memory to these addresses; detaching the last one ends everything. */
typedef struct sim_virtual_user {
    void *context;
    /* Marks mapped bytes as written or not written. */
    void (*mark)(void *context, uint64_t address, uint64_t bytes, bool written);
} sim_virtual_user;
haul_status sim_virtual_attach(sim_virtual_user user);
void sim_virtual_detach(const void *context);

/* A launch holds a shared lock, so that nothing changes. */
void sim_virtual_hold(void);
void sim_virtual_release_hold(void);

/* ---- addresses ---- */

/* Reserves addresses, at `wanted` if possible (0: anywhere). Errors: HAUL_ERROR_ARGUMENT, HAUL_ERROR_OUT_OF_MEMORY. */
haul_status sim_virtual_reserve(uint64_t bytes, uint64_t alignment, uint64_t wanted, uint64_t *address);
/* Errors: HAUL_ERROR_ARGUMENT unless it is a whole reservation without mappings. */
haul_status sim_virtual_unreserve(uint64_t address, uint64_t bytes);

/* ---- memory ---- */

/* Creates memory of a device or, by sim_virtual_create_multicast(), an object that stands for memory of `devices`
 * devices. The caller holds one reference. Errors: HAUL_ERROR_ARGUMENT, HAUL_ERROR_OUT_OF_MEMORY. */
haul_status sim_virtual_create(unsigned device, uint64_t bytes, uint64_t *handle);
haul_status sim_virtual_create_multicast(unsigned devices, uint64_t bytes, uint64_t *handle);
haul_status sim_virtual_release(uint64_t handle);
/* Gets the handle of what is mapped at the address, with one more reference. */
haul_status sim_virtual_retain(uint64_t address, uint64_t *handle);
haul_status sim_virtual_describe(uint64_t handle, unsigned *device, uint64_t *bytes, bool *multicast);
/* Gives the memory as a file descriptor, which the caller owns; another process may import it, as memory of its device.
 * The pages of exported memory stay until no process has them. Errors: HAUL_ERROR_ARGUMENT, HAUL_ERROR_FILE. */
haul_status sim_virtual_export(uint64_t handle, int *descriptor);
haul_status sim_virtual_import(int descriptor, unsigned device, uint64_t *handle);
/* Returns whether anything is reserved. */
bool sim_virtual_is_used(void);
/* Returns the bytes of a device that are in use. */
uint64_t sim_virtual_used(unsigned device);

/* ---- mappings ---- */

/* Maps memory. It can only be mapped whole: HAUL_ERROR_UNSUPPORTED otherwise, as an H100's driver reports. */
haul_status sim_virtual_map(uint64_t address, uint64_t bytes, uint64_t offset, uint64_t handle);
/* Removes all mappings in these bytes; none may reach beyond them. */
haul_status sim_virtual_unmap(uint64_t address, uint64_t bytes);
/* A device's access to adjacent whole mappings. */
typedef enum sim_virtual_access { SIM_VIRTUAL_NONE, SIM_VIRTUAL_READ, SIM_VIRTUAL_WRITE } sim_virtual_access;
haul_status sim_virtual_allow(uint64_t address, uint64_t bytes, unsigned device, sim_virtual_access access);
haul_status sim_virtual_access_of(uint64_t address, unsigned device, sim_virtual_access *access);
/* Returns whether the device may only read what is mapped there. */
bool sim_virtual_is_read_only(unsigned device, uint64_t address);

/* Like sim_memory_find() and sim_memory_before(), for a device. Adjacent mappings with the same access are one
 * range. */
bool sim_virtual_find(unsigned device, uint64_t address, sim_range *range);
bool sim_virtual_before(unsigned device, uint64_t address, sim_range *range);
/* Says why a device cannot use the address, as the beginning of a sentence. */
const char *sim_virtual_reason(unsigned device, uint64_t address);

/* ---- multicast ---- */

haul_status sim_virtual_add_device(uint64_t handle, unsigned device);
/* Binds memory of one of its devices: a handle's from `memory_offset` on, or what is mapped at an address. */
haul_status sim_virtual_bind(uint64_t handle, uint64_t offset, uint64_t memory, uint64_t memory_offset, uint64_t bytes);
haul_status sim_virtual_bind_address(uint64_t handle, uint64_t offset, uint64_t address, uint64_t bytes);
haul_status sim_virtual_unbind(uint64_t handle, unsigned device, uint64_t offset, uint64_t bytes);
/* Finds the copies of what lies at a multicast address, one for each device in the order in which they were added.
 * Returns their number, or 0; then *why says what is wrong, as the beginning of a sentence. */
unsigned sim_virtual_copies(unsigned device, uint64_t address, unsigned bytes,
                            unsigned char *copies[SIM_VIRTUAL_DEVICES], const char **why);
/* Finds an address where the device can use its own copy; false if it is not mapped. */
bool sim_virtual_own_copy(unsigned device, uint64_t address, uint64_t *own);

#endif
