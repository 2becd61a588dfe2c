/* Virtual memory of the virtual GPUs: ranges of addresses that a program reserves, the physical memory that it maps
 * there, and the devices that may use it. There is one for the process, as a range means the same on all its devices.
 *
 *     reservations  sorted by address; each is a stretch of the host's address space too, of which nothing can be
 *                   touched that is not mapped
 *     mappings      sorted by address, each within one reservation: pages of one physical memory, or of a multicast
 * object physicals     by handle; they live until nobody holds or maps them. A device's are parts of one file without a
 * name, so that the same pages can be mapped in several places
 *
 * What changes anything takes a lock that launches share: sim_virtual_hold(). */
#ifndef HAUL_MACHINE_VIRTUAL_H
#define HAUL_MACHINE_VIRTUAL_H

#include "machine/range.h"

#include <haul/status.h>

/* Sizes and places are multiples of it, as on hardware. */
#define SIM_VIRTUAL_PAGE (2ull << 20)
/* What may be reserved lies here: far behind device memory, at other sets of the caches. */
#define SIM_VIRTUAL_BASE 0x0000803000000000ull
#define SIM_VIRTUAL_BYTES (4ull << 40)
enum { SIM_VIRTUAL_DEVICES = 64 };

static inline bool sim_is_virtual(uint64_t address) {
    return address - SIM_VIRTUAL_BASE < SIM_VIRTUAL_BYTES;
}

/* A device's memory begins or ends to see these addresses; with the last one, everything ends. */
typedef struct sim_virtual_user {
    void *context;
    /* Mapped bytes count as written from now on, or as not written. */
    void (*mark)(void *context, uint64_t address, uint64_t bytes, bool written);
} sim_virtual_user;
haul_status sim_virtual_attach(sim_virtual_user user);
void sim_virtual_detach(const void *context);

/* Launches hold everything as it is. */
void sim_virtual_hold(void);
void sim_virtual_release_hold(void);

/* ---- addresses ---- */

/* `wanted`: where it would best be; 0: anywhere. Errors: HAUL_ERROR_ARGUMENT, HAUL_ERROR_OUT_OF_MEMORY. */
haul_status sim_virtual_reserve(uint64_t bytes, uint64_t alignment, uint64_t wanted, uint64_t *address);
/* Errors: HAUL_ERROR_ARGUMENT unless it is a whole reservation in which nothing is mapped. */
haul_status sim_virtual_unreserve(uint64_t address, uint64_t bytes);

/* ---- memory ---- */

/* Memory of a device, or (sim_virtual_create_multicast) what stands for memory of `devices` devices. The caller holds
 * the handle once. Errors: HAUL_ERROR_ARGUMENT, HAUL_ERROR_OUT_OF_MEMORY. */
haul_status sim_virtual_create(unsigned device, uint64_t bytes, uint64_t *handle);
haul_status sim_virtual_create_multicast(unsigned devices, uint64_t bytes, uint64_t *handle);
haul_status sim_virtual_release(uint64_t handle);
/* What is mapped there, held once more. */
haul_status sim_virtual_retain(uint64_t address, uint64_t *handle);
haul_status sim_virtual_describe(uint64_t handle, unsigned *device, uint64_t *bytes, bool *multicast);
/* Whether anything is reserved. */
bool sim_virtual_is_used(void);
/* Bytes of a device that are taken. */
uint64_t sim_virtual_used(unsigned device);

/* ---- mappings ---- */

/* Memory can only be mapped whole: HAUL_ERROR_UNSUPPORTED otherwise, as an H100's driver has it. */
haul_status sim_virtual_map(uint64_t address, uint64_t bytes, uint64_t offset, uint64_t handle);
/* All mappings among these bytes, of which none may reach beyond them. */
haul_status sim_virtual_unmap(uint64_t address, uint64_t bytes);
/* What a device may do with what is mapped there: whole mappings side by side. */
typedef enum sim_virtual_access { SIM_VIRTUAL_NONE, SIM_VIRTUAL_READ, SIM_VIRTUAL_WRITE } sim_virtual_access;
haul_status sim_virtual_allow(uint64_t address, uint64_t bytes, unsigned device, sim_virtual_access access);
haul_status sim_virtual_access_of(uint64_t address, unsigned device, sim_virtual_access *access);
/* Whether something is mapped that the device may only read. */
bool sim_virtual_is_read_only(unsigned device, uint64_t address);

/* As sim_memory_find() and sim_memory_before(), for a device: mappings that lie side by side are one range where it may
 * do the same with them. */
bool sim_virtual_find(unsigned device, uint64_t address, sim_range *range);
bool sim_virtual_before(unsigned device, uint64_t address, sim_range *range);
/* Why a device cannot use the address, as the beginning of a sentence. */
const char *sim_virtual_reason(unsigned device, uint64_t address);

/* ---- multicast ---- */

haul_status sim_virtual_add_device(uint64_t handle, unsigned device);
/* Memory of one of its devices: a handle's from `memory_offset` on, or what is mapped at an address. */
haul_status sim_virtual_bind(uint64_t handle, uint64_t offset, uint64_t memory, uint64_t memory_offset, uint64_t bytes);
haul_status sim_virtual_bind_address(uint64_t handle, uint64_t offset, uint64_t address, uint64_t bytes);
haul_status sim_virtual_unbind(uint64_t handle, unsigned device, uint64_t offset, uint64_t bytes);
/* The copies of what lies at a multicast address, one a device, in the order in which devices were added. Returns how
 * many there are; 0: *why says what is wrong, as the beginning of a sentence. */
unsigned sim_virtual_copies(unsigned device, uint64_t address, unsigned bytes,
                            unsigned char *copies[SIM_VIRTUAL_DEVICES], const char **why);
/* Where the device's own copy is mapped, for it to use; false: nowhere. */
bool sim_virtual_own_copy(unsigned device, uint64_t address, uint64_t *own);

#endif
